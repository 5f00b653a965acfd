"""Sides of a study that share nothing: texts that hang together are placed together."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from ..documents import Document, Label
from ..errors import DataError, SpecError
from ..seeds import seed_of
from .leakage import UNUSED, source_of
from .minhash import near_duplicates
from .normal import copy_key, normal

SHARES = {"train": 0.6, "calibration": 0.2, "test": 0.2}
Value = Callable[[Document], str | None]
Unit = list[Document]


def split(
    documents: Iterable[Document],
    by: str = "cluster",
    shares: Mapping[str, float] | None = None,
    seed: int = 0,
    near: float | None = 0.1,
) -> list[Document]:
    """The documents in order, each with its ``split``; the same seed gives the same sides in whatever order they come.

    One cluster, one source and all copies of a text stay on one side; ``near`` (None to leave them) also keeps texts
    together that share that part of their wording. ``by``: what is kept together besides: cluster, source, author, task,
    title, domain; or generator, generator_family (machine texts of one generator stand on one side; where they share a
    cluster with texts of another, those that stand on the wrong side get the split 'unused'); or time (the first side
    in ``shares`` gets the oldest). ``shares``: sides and their parts of the texts, 1 in all.
    Raises SpecError, and DataError where a document lacks what is asked for or a side stays empty.
    """
    kept, parts = list(documents), dict(SHARES if shares is None else shares)
    _check(kept, by, parts)
    units = hanging_together(kept, TOGETHER.get(by), near)
    if by == "time":
        sides = _by_time(units, parts)
    elif by in CROSSED:
        sides = _crossed(units, CROSSED[by], parts, seed)
    else:
        sides = {d.id: side for unit, side in zip(units, deal(units, parts, seed), strict=True) for d in unit}
    empty = sorted(set(parts) - set(sides.values()))
    if empty:
        raise DataError(
            f"split by {by}: nothing is left for {', '.join(empty)}: the {len(kept):,} texts hang together in "
            f"{len(units):,} groups, the largest of {max(map(len, units)):,}; ask for fewer sides or split by something else"
        )
    return [replace(document, split=sides[document.id]) for document in kept]


def hold_out(
    documents: Iterable[Document], by: str, value: str, share: float = 0.5, seed: int = 0, near: float | None = 0.1
) -> list[Document]:
    """The split 'test' for the texts whose ``by`` is ``value`` (a domain, corpus, author, task, title), 'train' for all
    that shares no cluster, source or wording with them, 'unused' for the rest: to learn here and be tested there.

    Held out by generator or generator_family, people's texts are needed on both sides: ``share`` of all clusters go to
    the test, and there only that generator's texts are used, elsewhere only the others'.
    Raises SpecError, and DataError where a side would stay empty.
    """
    kept = list(documents)
    if by not in VALUES:
        raise SpecError(f"hold_out: by is one of {', '.join(VALUES)}; got {by!r}")
    read = VALUES[by]
    if value not in (known := {str(read(d)) for d in kept if read(d)}):
        raise DataError(f"hold_out: no document's {by} is {value!r}; here: {', '.join(sorted(known)[:20]) or 'none'}")
    units = hanging_together(kept, None, near)
    if by in CROSSED:
        placed = deal(units, {"test": share, "train": 1 - share}, seed)
    else:
        placed = ["test" if any(read(d) == value for d in unit) else "train" for unit in units]
    sides = {
        d.id: _held(read(d), value, side, by in CROSSED) for unit, side in zip(units, placed, strict=True) for d in unit
    }
    if empty := {"train", "test"} - set(sides.values()):
        raise DataError(
            f"hold_out: all texts hang together with those whose {by} is {value!r}: no {empty.pop()} is left"
        )
    return [replace(document, split=sides[document.id]) for document in kept]


def _held(own: str | None, value: str, side: str, crossed: bool) -> str:
    """The split of a text on a side of the clusters: there it stands if its own value belongs there."""
    if own is None and crossed:
        return side
    return side if (own == value) == (side == "test") else UNUSED


def author(document: Document) -> str | None:
    return _meta(document, ("author",))


def time(document: Document) -> str | None:
    """Year or date, as it is spelt; ISO dates and years sort as they should."""
    return _meta(document, ("date", "year", "time"))


def _meta(document: Document, keys: Sequence[str]) -> str | None:
    return next((str(value) for key in keys if (value := document.meta.get(key)) not in (None, "")), None)


FAMILIES = (
    ("gpt-neo", "eleutherai"), ("gptneo", "eleutherai"), ("gpt-j", "eleutherai"), ("gptj", "eleutherai"),
    ("chatgpt", "gpt"), ("gpt", "gpt"), ("davinci", "gpt"), ("curie", "gpt"), ("babbage", "gpt"), ("llama", "llama"),
    ("vicuna", "llama"), ("alpaca", "llama"), ("tulu", "llama"), ("claude", "claude"), ("palm", "google"),
    ("gemini", "google"), ("gemma", "google"), ("bard", "google"), ("flan", "google"), ("t5", "google"),
    ("mixtral", "mistral"), ("mistral", "mistral"), ("mpt", "mpt"), ("cohere", "cohere"), ("command", "cohere"),
    ("opt", "opt"), ("bloom", "bloom"), ("falcon", "falcon"), ("phi", "phi"), ("qwen", "qwen"), ("deepseek", "deepseek"),
    ("smollm", "smollm"), ("galactica", "galactica"), ("scigen", "scigen"),
)  # fmt: skip


def generator_family(document: Document) -> str | None:
    """The maker's line of a generator ('gpt4turbo' -> 'gpt'); a name that is not known is a family of its own."""
    name = (document.generator or "").lower()
    bare = re.sub(r"[^a-z0-9]+", "-", name)
    return next((family for start, family in FAMILIES if re.search(rf"(?<![a-z]){start}", bare)), name or None)


TOGETHER: Mapping[str, Value] = {
    "author": author,
    "task": lambda d: d.task,
    "title": lambda d: normal(d.title or "") or None,
    "domain": lambda d: d.domain,
}
CROSSED: Mapping[str, Value] = {"generator": lambda d: d.generator, "generator_family": generator_family}
VALUES: Mapping[str, Value] = {**TOGETHER, **CROSSED, "corpus": lambda d: d.corpus or None}
"""What tells groups apart that can be learnt from and held out."""
FIELDS = {"author": "meta['author']", "time": "meta['date'] or meta['year']", "generator_family": "a generator"}
BY = ("cluster", "source", *TOGETHER, *CROSSED, "time")


def _check(documents: Sequence[Document], by: str, shares: Mapping[str, float]) -> None:
    if by not in BY:
        raise SpecError(f"split: by is one of {', '.join(BY)}; got {by!r}")
    if len(shares) < 2 or any(not 0 < part < 1 for part in shares.values()) or abs(sum(shares.values()) - 1) > 1e-9:
        raise SpecError(f"split: shares are two sides or more whose parts add up to 1, got {dict(shares)!r}")
    if UNUSED in shares or "" in shares:
        raise SpecError(f"split: a side needs a name of its own ({UNUSED!r} is that of the texts on no side)")
    if not documents:
        raise DataError("split: there is no document")
    twice = [name for name, count in Counter(d.id for d in documents).items() if count > 1]
    if twice:
        raise DataError(f"split: {len(twice)} ids stand more than once, such as {twice[0]!r}; give each text its own")
    value = time if by == "time" else {**TOGETHER, **CROSSED}.get(by)
    if value and not any(map(value, documents)):
        raise DataError(f"split by {by}: no document has {FIELDS.get(by, 'this field')}; fill it, or split by cluster")
    if by == "time" and (lost := [d.id for d in documents if not time(d)]):
        raise DataError(f"split by time: {len(lost)} documents have no date or year, such as {lost[0]!r}")


def hanging_together(documents: Sequence[Document], value: Value | None, near: float | None) -> list[Unit]:
    """The documents in groups of which no two may be parted (union-find over all that is shared)."""
    parent = list(range(len(documents)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    first: dict[tuple[str, str], int] = {}
    for i, document in enumerate(documents):
        shared = {"cluster": document.cluster, "source": source_of(document), "copy": copy_key(document.text)}
        shared["by"] = (value(document) or "") if value else ""
        for key in filter(lambda key: key[1], shared.items()):
            parent[root(i)] = root(first.setdefault(key, i))
    for i, j, _ in near_duplicates([d.text for d in documents], near) if near is not None else ():
        parent[root(i)] = root(j)
    groups: dict[int, Unit] = defaultdict(list)
    for i, document in enumerate(documents):
        groups[root(i)].append(document)
    return list(groups.values())


def deal(units: Sequence[Unit], shares: Mapping[str, float], seed: int) -> list[str]:
    """A side for each unit: the largest first, equals in seeded order, each where its labels are wanted most."""
    total = Counter(d.label for unit in units for d in unit)
    wanted = {side: {label: part * n for label, n in total.items()} for side, part in shares.items()}
    order = sorted(
        range(len(units)), key=lambda i: (-len(units[i]), seed_of("split", seed, min(d.id for d in units[i])))
    )
    sides = [""] * len(units)
    for i in order:
        counts = Counter(d.label for d in units[i])
        sides[i] = max(shares, key=lambda side: _want(counts, wanted[side], shares[side], total))
        for label, n in counts.items():
            wanted[sides[i]][label] -= n
    return sides


def _want(counts: Mapping[Label, int], wanted: Mapping[Label, float], part: float, total: Mapping[Label, int]) -> float:
    """How much of its own size a side still wants of these labels, summed over the texts of a unit."""
    return sum(n * wanted[label] / (part * total[label]) for label, n in counts.items())


def _crossed(units: Sequence[Unit], value: Value, shares: Mapping[str, float], seed: int) -> dict[str, str]:
    """Sides for the values (generators) and for the units; a text stands where both agree."""
    groups: dict[str, Unit] = defaultdict(list)
    for unit in units:
        for document in unit:
            if name := value(document):
                groups[name].append(document)
    names = sorted(groups)
    if len(names) < len(shares):
        raise DataError(
            f"split: {len(shares)} sides ask for as many generators or families; here: {', '.join(names)}; split by "
            "cluster, or ask for fewer sides"
        )
    side_of = dict(zip(names, deal([groups[name] for name in names], shares, seed), strict=True))
    free = [unit for unit in units if len({value(d) for d in unit}) > 1 or value(unit[0]) is None]
    sides = {d.id: side_of[name] for unit in units for d in unit if (name := value(d))}
    for unit, side in zip(free, deal(free, shares, seed), strict=True):
        for document in unit:
            name = value(document)
            sides[document.id] = side if name is None or side_of[name] == side else UNUSED
    return sides


def _by_time(units: Sequence[Unit], shares: Mapping[str, float]) -> dict[str, str]:
    """The oldest texts on the first side; a unit is as young as its youngest text."""
    ordered = sorted(units, key=lambda unit: (max(str(time(d)) for d in unit), min(d.id for d in unit)))
    total, done, names = sum(map(len, units)), 0, list(shares)
    bounds = list(accumulate(shares.values()))
    sides: dict[str, str] = {}
    for unit in ordered:
        middle = (done + len(unit) / 2) / total
        side = next((n for n, bound in zip(names, bounds, strict=True) if middle <= bound), names[-1])
        sides |= {d.id: side for d in unit}
        done += len(unit)
    return sides
