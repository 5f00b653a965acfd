"""Where titles, makers of papers and writers meet: fake and co-created papers, what they cost, and section models."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from . import corpora, levels
from .build import TOKENS_A_WORD, Cost, Tally, cost_of
from .documents import Document
from .errors import DataError, SpecError
from .files import READERS, read_text, table_reader
from .hygiene.normal import normal
from .levels.papers.base import PaperMaker, by_section
from .levels.papers.causal import SEP
from .levels.papers.grammar import made_up_titles
from .models.chat import Request, Writer
from .models.finetune import Progress, Schedule
from .models.language_tuning import GPT2_SECTIONS, tune
from .models.weights import resolve
from .registry import parse_spec
from .sections import SECTIONS, join_sections, split_sections
from .seeds import seed_of

MADE_UP = "made_up"


def read_titles(source: str) -> list[Document]:
    """Documents with a title each: of ``made_up(n=40, seed=0)`` (our grammar), a text file with a title a line, a table with a
    column ``title``, or a corpus. Raises DataError where a title is missing or stands twice.

    Titles without a text become documents with an empty one, label 'unknown', in a cluster of their own.
    """
    found = list(_titles(source))
    if not found:
        raise DataError(f"{source} holds no title")
    if lost := [document.id for document in found if not (document.title or "").strip()]:
        raise DataError(f"{source}: {len(lost)} documents have no title, such as {lost[0]!r}; leave them out")
    seen: dict[str, str] = {}
    for document in found:
        key = normal(document.title or "")
        if key in seen:
            raise DataError(
                f"{source}: the title {document.title!r} stands twice ({seen[key]!r} and {document.id!r}); leave one out"
            )
        seen[key] = document.id
    return found


def _titles(source: str) -> Iterator[Document]:
    if source.partition("(")[0].strip() == MADE_UP:
        yield from _bare("made-up", made_up_titles(**_numbers(source)))
    elif source.endswith(".txt") and Path(source).is_file():
        lines = read_text(source).splitlines()
        yield from _bare(Path(source).stem, [line.strip() for line in lines if line.strip()])
    elif Path(source).is_file():
        yield from _of_table(source)
    elif Path(source).suffix and "(" not in source:
        raise DataError(f"no file {source}; titles come from a .txt, a table, a corpus or {MADE_UP}(n=40)")
    else:
        yield from corpora.get(source)


def _numbers(source: str) -> dict[str, int]:
    given: Mapping[str, Any] = {"n": 40, "seed": 0} | parse_spec(source)[1]
    if set(given) != {"n", "seed"} or not all(isinstance(v, int) and v >= 0 for v in given.values()) or not given["n"]:
        raise SpecError(f"{source}: write {MADE_UP}(n=40, seed=0), with whole numbers")
    return dict(given)


def _bare(stem: str, titles: Sequence[str]) -> Iterator[Document]:
    for number, title in enumerate(titles, 1):
        yield Document(f"{stem}/{number}", "", "unknown", title=title, cluster=f"{stem}/{number}", corpus=stem)


def _of_table(path: str) -> Iterator[Document]:
    """A table of titles alone, or one of texts that have titles."""
    reader = table_reader(Path(path))
    if reader is None:
        raise DataError(f"{path}: titles are read from .txt (one a line) and from tables: {', '.join(READERS)}")
    table = corpora.get(f"{reader}(path={path!r})")
    if any("text" in row for _, row in table.rows()):
        yield from table
    else:
        bare = corpora.get(f"{reader}(path={path!r}, text='title', labels='unknown')")
        yield from (replace(one, title=one.text, text="") for one in bare)


def check_titles(papers: Iterable[Document], beside: Iterable[Document]) -> None:
    """Raises DataError where a title stands in both classes: with a machine's paper here, and with a person's text there.

    IDMGSP makes its fake papers from titles of real ones that are not in its data. Co-created papers share their titles with
    their sources by nature, and their clusters too, so they are not looked at.
    """
    human = {normal(d.title or ""): d.id for d in beside if d.label == "human" and d.title}
    shared = [d for d in papers if d.label == "machine" and normal(d.title or "") in human]
    if shared:
        first = shared[0]
        raise DataError(
            f"{len(shared)} titles stand in both classes, such as {first.title!r} ({first.id!r} and "
            f"{human[normal(first.title or '')]!r}); a title may stand in one only: leave it out of the titles or of the texts"
        )


def build_papers(
    titles: Sequence[Document],
    specs: Iterable[str],
    writer: Writer | None,
    seed: int = 0,
    beside: Iterable[Document] = (),
) -> list[Document]:
    """Maker by maker, one paper a title (of co_created, one a subset). Papers that failed are there, with an empty text and
    the reason in meta['error']. Titles of the people's texts ``beside`` are refused before a model is asked."""
    chosen = makers(specs)
    if any(maker.label == "machine" for maker in chosen):
        check_titles((replace(title, label="machine") for title in titles), beside)
    return [paper for maker in chosen for paper in maker.build(titles, writer, seed)]


def makers(specs: Iterable[str]) -> list[Any]:
    """The makers of these specs; raises SpecError for a level that makes no papers."""
    found = [levels.get(spec) for spec in specs]
    if wrong := [maker.name for maker in found if not isinstance(maker, PaperMaker)]:
        known = [name for name in levels.names() if issubclass(levels.factory(name), PaperMaker)]  # type: ignore[arg-type]
        raise SpecError(f"{wrong[0]} makes no papers; these do: {', '.join(known)}")
    return found


@dataclass
class _Filled(Tally):
    """Fills every answer to its limit, ``whole`` with a paper and else with one section."""

    whole: bool = False

    def text(self, request: Request) -> str:
        text = f"{'W ' * max(1, int(request.sampling.max_new_tokens / TOKENS_A_WORD))}."
        return join_sections(dict.fromkeys(SECTIONS, text)) if self.whole else text


def estimate_papers(titles: Sequence[Document], specs: Iterable[str]) -> list[Cost]:
    """The cost of each maker if every answer can be used at once; each maker's ``tries`` times as much where none can."""
    return [_cost(titles, maker) for maker in makers(specs)]


def _cost(titles: Sequence[Document], maker: Any) -> Cost:
    tally = _Filled(whole=maker.whole)
    if maker.models_asked:
        maker.build(titles, tally)
    return cost_of(maker.spec, tally.asked)


def sections_apart(papers: Iterable[Document]) -> list[Document]:
    """Every paper as documents of one section each."""
    return [part for paper in papers for part in by_section(paper)]


# section models: title -> section


def tune_sections(
    papers: Iterable[Document],
    base: str,
    out: Path,
    schedule: Schedule = GPT2_SECTIONS,
    validation: float = 0.1,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """A model a section, as IDMGSP fine-tunes three GPT-2: ``out``/abstract, introduction and conclusion, and recipe.json.

    Takes up what an interrupted call left. Raises DataError where there are fewer than two human papers in the form.
    """
    kept = [d for d in papers if d.label == "human" and d.title and set(split_sections(d.text)) == set(SECTIONS)]
    aside = set(_aside([d.cluster or d.id for d in kept], validation, schedule.seed))
    if not {d.cluster or d.id for d in kept} - aside:
        raise DataError(
            f"{len(kept)} human papers with a title and all three headings on lines of their own; two or more are needed"
        )
    weights = resolve(base)
    told: dict[str, Any] = {"base": weights.key, "schedule": asdict(schedule), "papers": len(kept)}
    for section in SECTIONS:
        sides = [
            [
                (f"{d.title}{SEP}", split_sections(d.text)[section])
                for d in kept
                if ((d.cluster or d.id) in aside) is side
            ]
            for side in (False, True)
        ]
        done = tune(weights, sides[0], sides[1], schedule, progress)
        shutil.copytree(done.folder, out / section, dirs_exist_ok=True)
        told[section] = {"losses": done.losses, "kept_epoch": done.kept, "steps": done.steps}
        told[section] |= {"train": len(sides[0]), "validation": len(sides[1])}
    (out / "recipe.json").write_text(json.dumps(told, indent=1), encoding="utf-8")
    return told


def _aside(clusters: Sequence[str], share: float, seed: int) -> list[str]:
    """Whole clusters for the validation, at least one."""
    order = sorted(set(clusters), key=lambda cluster: seed_of("validation", cluster, seed))
    return order[: max(1, round(share * len(order)))]
