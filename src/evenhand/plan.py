"""The study: corpus x levels x attacks x sanitizers x detectors, from one TOML file."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any

from . import attacks, corpora, detectors, evaluations, measures, sanitizers
from .documents import SET_ASIDE, Document, Edited, Level, Policy
from .errors import DataError, SpecError
from .kept import edited
from .seeds import seed_of

TOML_TABLES = ("policy", "sample")


@dataclass(frozen=True, slots=True)
class Sample:
    """Which texts take part. ``levels``: only these ('' in a file without levels: all). ``per_level``: at most so many
    clean documents a level. ``attack_sources``: attacks go on so many documents a class, of ``attack_levels``."""

    levels: tuple[str, ...] = ()
    per_level: int | None = None
    attack_sources: int | None = None
    attack_levels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_texts("sample", self, ("levels", "attack_levels"))
        for level in (*self.levels, *self.attack_levels):
            if level:
                Level.read(level)
        for name in ("per_level", "attack_sources"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
                raise SpecError(f"sample: {name} must be a whole number from 1, got {value!r}")


@dataclass(frozen=True)
class Plan:
    """A whole study as a value. Attacks and sanitizers go on both classes; 'none' is always among them. ``evaluation``: which
    texts detectors learn from, fold by fold; None: from the corpus's split 'train'."""

    corpus: str
    detectors: tuple[str, ...] = ()
    attacks: tuple[str, ...] = ()
    sanitizers: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    audits: tuple[str, ...] = ("clean", "boundary", "two_sided", "sanitized")
    model: str | None = None
    evaluation: str | None = None
    seed: int = 0
    policy: Policy = field(default_factory=Policy)
    sample: Sample = field(default_factory=Sample)
    store_texts: bool = True
    pseudonyms: bool = False
    """Whether the run folder holds pseudonyms in place of the corpus's ids; see ``evenhand.pseudonyms``."""

    def __post_init__(self) -> None:
        check_texts("plan", self, ("detectors", "attacks", "sanitizers", "measures", "audits"))
        if not isinstance(self.corpus, str) or not isinstance(self.model, str | None):
            raise SpecError(f"plan: corpus and model are texts in quotes, got {self.corpus!r} and {self.model!r}")
        if self.evaluation is not None:
            evaluations.get(self.evaluation)
        if not isinstance(self.seed, int) or isinstance(self.seed, bool):
            raise SpecError(f"plan: seed must be a whole number, got {self.seed!r}")
        for name in ("store_texts", "pseudonyms"):
            if not isinstance(getattr(self, name), bool):
                raise SpecError(f"plan: {name} must be true or false, got {getattr(self, name)!r}")

    @classmethod
    def read(cls, path: str | Path) -> Plan:
        """Reads a TOML plan; a misspelt key raises SpecError with the nearest right one."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except TypeError:
            raise SpecError(f"a plan is named by the path of its file, got {path!r}") from None
        except FileNotFoundError:
            raise SpecError(f"no plan at {path}; `evenhand demo -o DIR` leaves one to start from") from None
        except (OSError, UnicodeDecodeError) as error:
            raise SpecError(f"{path} cannot be read as a plan: {error}") from None
        return cls.parse(text, str(path))

    @classmethod
    def parse(cls, text: str, name: str = "plan") -> Plan:
        try:
            values = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise SpecError(f"{name} is no TOML: {error}") from None
        check_keys(name, values, [f.name for f in fields(cls)])
        if "corpus" not in values:
            raise SpecError(f'{name} names no corpus; write corpus = "embedded" or corpus = "jsonl(path=\'FILE\')"')
        if isinstance(named := values.get("detectors"), list) and all(isinstance(one, str) for one in named):
            values["detectors"] = detectors.ungrouped(named)
        return cls(
            **{key: as_tuple(value) for key, value in values.items() if key not in TOML_TABLES},
            policy=read_policy(name, values.get("policy", {})),
            sample=read_sample(name, values.get("sample", {})),
        )

    def resolved(self) -> Plan:
        """The same plan with every transform spelt in full, so that its file tells all that can change a number.

        Detector specs stay as written: their full spelling, with the revision of the weights, keys the scores.
        """
        return replace(
            self,
            corpus=corpora.canonical(self.corpus),
            attacks=tuple(dict.fromkeys(attacks.canonical(spec) for spec in self.attacks if spec != "none")),
            sanitizers=tuple(dict.fromkeys(sanitizers.canonical(spec) for spec in self.sanitizers if spec != "none")),
            measures=tuple(dict.fromkeys(measures.canonical(spec) for spec in self.measures)),
            evaluation=None if self.evaluation is None else evaluations.canonical(self.evaluation),
        )

    def folded(self) -> evaluations.Evaluation | None:
        """The evaluation, where there is one."""
        return None if self.evaluation is None else evaluations.get(self.evaluation)

    def to_toml(self) -> str:
        top = {key: value for key, value in asdict(self).items() if key not in TOML_TABLES and value is not None}
        policy = {"boundary": str(self.policy.boundary), "fpr": self.policy.fpr}
        sample = {key: value for key, value in asdict(self.sample).items() if value not in (None, ())}
        lines = [toml_line(key, value) for key, value in top.items()]
        for table, values in (("policy", policy), ("sample", sample)):
            lines += ["", f"[{table}]", *(toml_line(key, value) for key, value in values.items())] if values else []
        return "\n".join(lines) + "\n"

    def identity(self) -> dict[str, Any]:
        """What decides the documents. A run folder keeps it: detectors may join later, other documents may not."""
        plan = asdict(self.resolved())
        names = ("corpus", "attacks", "sanitizers", "seed", "sample", "store_texts", "evaluation")
        return {**{name: plan[name] for name in names}, "pseudonyms": plan["pseudonyms"] or None}

    def documents(self) -> Iterator[Document]:
        """Every document of the study: clean, attacked, sanitized. Raises DataError where there is none."""
        clean = self._chosen(corpora.get(self.corpus))
        if not clean:
            raise DataError(f"{self.corpus} holds no text that the plan takes; loosen [sample] or check the file")
        if (evaluation := self.folded()) is not None:
            clean = tested_by(evaluation, evaluation.placed(clean, self.seed))
        edits = [(spec, attacks.get(spec)) for spec in self.resolved().attacks]
        cleaners = [(spec, sanitizers.get(spec)) for spec in self.resolved().sanitizers]
        attackable = self._attackable(clean)
        for document in clean:
            yield from sanitized(document, cleaners)
            if document.id in attackable:
                for spec, attack in edits:
                    yield from sanitized(attacked(document, spec, attack, self.seed), cleaners)

    def _chosen(self, documents: Iterable[Document]) -> list[Document]:
        """What the sample takes, in the order of the corpus, which is never in memory whole."""
        wanted, n = self.sample.levels, self.sample.per_level
        groups: dict[tuple[Any, ...], list[tuple[int, Document]]] = {}
        for place, document in enumerate(documents):
            if wanted and (str(document.level) if document.level else "") not in wanted:
                continue
            kind = () if n is None else (document.label, document.level, document.attack, document.split)
            group = groups.setdefault(kind, [])
            group.append((place, document))
            if n is not None and len(group) > 2 * n + 1000:
                group[:] = self._drawn_places(group, n)
        drawn = [self._drawn_places(group, n or len(group)) for group in groups.values()]
        return [document for _, document in sorted(chain(*drawn), key=itemgetter(0))]

    def _attackable(self, documents: list[Document]) -> set[str]:
        """Ids of the clean documents, outside the training split, that the plan's attacks go on."""
        levels = self.sample.attack_levels
        clean = [d for d in documents if d.attack == "none" and d.sanitizer == "none" and d.split not in SET_ASIDE]
        clean = [d for d in clean if not levels or (d.level and str(d.level) in levels)]
        if self.sample.attack_sources is None:
            return {d.id for d in clean}
        classes: dict[str, list[Document]] = {}
        for document in clean:
            classes.setdefault(document.label, []).append(document)
        return {d.id for group in classes.values() for d in self._drawn(group, self.sample.attack_sources)}

    def _drawn(self, documents: list[Document], n: int) -> list[Document]:
        """``n`` documents by seeded draw; whole clusters come together, so that both classes keep the same sources."""
        return sorted(documents, key=self._lot)[:n]

    def _drawn_places(self, placed: list[tuple[int, Document]], n: int) -> list[tuple[int, Document]]:
        return sorted(placed, key=lambda pair: self._lot(pair[1]))[:n] if n < len(placed) else placed

    def _lot(self, document: Document) -> tuple[int, int]:
        return seed_of(self.seed, document.cluster or document.id), seed_of(self.seed, document.id)


def attacked(document: Document, spec: str, attack: Any, seed: int) -> Document:
    made = edited(attack, document.text, seed_of(seed, document.id))
    return replace(
        derived(document, made),
        id=f"{document.id}|{spec}",
        attack=spec,
        level_after=attack.level_after(document.label, document.level),
    )


def sanitized(document: Document, cleaners: list[tuple[str, Any]]) -> Iterator[Document]:
    yield document
    for spec, clean in cleaners:
        yield replace(derived(document, clean(document.text)), id=f"{document.id}|{spec}", sanitizer=spec)


def derived(document: Document, made: Edited) -> Document:
    """The document with its text edited; author spans are dropped, since they no longer fit, unless nothing changed."""
    spans = document.spans if made.text == document.text else ()
    told = {"edits": made.edits, "candidates": made.candidates, "dose": made.dose, "note": made.note}
    meta = {**document.meta, **{f"edit.{key}": value for key, value in told.items() if value is not None}}
    return replace(document, text=made.text, source_id=document.id, spans=spans, meta=meta)


def read_policy(name: str, values: Mapping[str, Any]) -> Policy:
    check_keys(f"{name} [policy]", values, ["boundary", "fpr"])
    boundary = Level.read(values.get("boundary", "rewrite-human"))
    return Policy(boundary, values.get("fpr", 0.05))


def read_sample(name: str, values: Mapping[str, Any]) -> Sample:
    check_keys(f"{name} [sample]", values, [f.name for f in fields(Sample)])
    return Sample(**{key: as_tuple(value) for key, value in values.items()})


def tested_by(evaluation: evaluations.Evaluation, documents: list[Document]) -> list[Document]:
    """Raises DataError where no fold tests anything."""
    if all(document.split in SET_ASIDE for document in documents):
        raise DataError(
            f"{evaluation.spec}: no text is left that can be tested: all hang together, by cluster, source, copies or a tenth of "
            "their wording, with texts of another group; give clusters that stay within a group, or choose another by"
        )
    return documents


def check_texts(where: str, record: Any, names: tuple[str, ...]) -> None:
    """Raises SpecError unless each of these fields holds a list of texts."""
    for name in names:
        value = getattr(record, name)
        if isinstance(value, str):
            raise SpecError(f"{where}: {name} is a list: write {name} = [{value!r}]")
        if not isinstance(value, tuple | list) or not all(isinstance(one, str) for one in value):
            raise SpecError(f"{where}: {name} is a list of texts in quotes, got {value!r}")


def check_keys(where: str, values: Mapping[str, Any], known: list[str]) -> None:
    if not isinstance(values, Mapping):
        raise SpecError(f"{where} is a table of its own: write its name in brackets on a line, and its keys below")
    for key in values:
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise SpecError(f"{where}: no key {key!r}{hint} (the keys are: {', '.join(known)})")


def as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def toml_line(key: str, value: Any) -> str:
    return f"{key} = {toml_value(value)}"


def toml_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08X}" for c in escaped) + '"'
    return repr(value)
