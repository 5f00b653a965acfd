"""What every evaluation is: documents with their fold and group noted, and two questions about a fold and a document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ..documents import SET_ASIDE, Document
from ..errors import DataError, SpecError
from ..hygiene.leakage import UNUSED
from ..hygiene.splits import CROSSED, VALUES, deal, hanging_together
from ..registry import Component, format_spec, parse_spec

FOLD, GROUP = "evaluation.fold", "evaluation.group"
"""Entries of a document's ``meta``: the fold that tests it ('' : none), and the group (domain, generator) that it is of."""
PERSONAL = ("author", "title")
NEAR = 0.1
"""The share of wording from which two texts stay on one side."""
Unit = list[Document]


@dataclass(frozen=True)
class Evaluation(Component):
    """``placed`` notes fold and group in each document's meta, in place of the corpus's own splits; the rest reads them there."""

    apart: ClassVar[bool] = False
    """Whether a text is tested by several folds, so that each fold's scores are a column of their own."""

    @property
    def naming(self) -> tuple[str, ...]:
        """Keys of ``meta`` that it writes and that name persons or titles, which a run under pseudonyms does not keep."""
        return (FOLD, GROUP) if getattr(self, "by", "") in PERSONAL else ()

    def placed(self, documents: Sequence[Document], seed: int) -> list[Document]:
        """The documents in order, with their fold; those that no fold can test get the split 'unused'.

        Raises SpecError, and DataError where there are not two groups."""
        raise NotImplementedError

    def folds(self, documents: Sequence[Document]) -> list[str]:
        return sorted({d.meta[FOLD] for d in documents if d.meta.get(FOLD)}, key=natural)

    def trains(self, fold: str, document: Document) -> bool:
        """Whether the fold's detectors learn from it, as far as the evaluation decides (attacked texts are never learnt from)."""
        raise NotImplementedError

    def learnt_from(self, fold: str) -> str:
        """What the fold's detectors learn from, in a word for tables."""
        return f"all but {fold}"

    def tests(self, fold: str, document: Document) -> bool:
        return document.split not in SET_ASIDE and told_by(document)[0] == fold


def natural(name: str) -> tuple[int, str]:
    return (int(name), "") if name.isdigit() else (0, name)


def reader(name: str, by: str) -> Callable[[Document], str | None]:
    if by not in VALUES:
        raise SpecError(f"{name}: by is one of {', '.join(VALUES)}; got {by!r}")
    return VALUES[by]


def groups_of(name: str, by: str, documents: Sequence[Document], least: int = 2) -> list[str]:
    """The groups of the documents, sorted; raises DataError where there are too few to hold one out."""
    found = sorted({value for d in documents if (value := VALUES[by](d))})
    if len(found) < least:
        raise DataError(
            f"{name}: {least} groups or more are needed, and by {by} there is {', '.join(found) or 'none'}; set by to what "
            "tells the texts apart, or take cross_validation"
        )
    return found


def by_group(documents: Sequence[Document], by: str, names: Sequence[str], seed: int) -> list[Document]:
    """Each document with the fold of its group. Texts that hang together have one fold: where they are of several groups, or,
    by generator, of people, they are dealt out, and those of another group than their fold's are tested by none.

    Texts of no group (by domain: of no domain) that hang together with none of a group belong to no fold.
    """
    read, crossed = VALUES[by], by in CROSSED
    units = hanging_together(documents, None, NEAR)
    free = [unit for unit in units if crossed and (None in (own := values(unit, read, crossed)) or len(own) > 1)]
    dealt = dict(zip(map(id, free), deal(free, {name: 1 / len(names) for name in names}, seed), strict=True))
    found: dict[str, tuple[str, str]] = {}
    for unit in units:
        fold = dealt.get(id(unit)) or common(unit, read)
        found |= {d.id: (fold, read(d) or ("" if crossed else fold)) for d in unit}
    return [noted(d, *found[d.id]) for d in documents]


def values(unit: Unit, read: Callable[[Document], str | None], crossed: bool) -> set[str | None]:
    """The groups of a unit. By generator None is one of them (people's texts); else it is where no text has a group."""
    found = {read(d) for d in unit}
    return found if crossed else (found - {None}) or {None}


def common(unit: Unit, read: Callable[[Document], str | None]) -> str:
    """The group of most of the unit's texts, of equals the first by name; '' where none has one."""
    counts = Counter(value for d in unit if (value := read(d)))
    return min(counts, key=lambda name: (-counts[name], name)) if counts else ""


def noted(document: Document, fold: str, group: str, *, used: bool | None = None) -> Document:
    """``used`` decides whether it is scored at all; by itself, where its group is its fold's, or it has none."""
    scored = bool(fold) and group in ("", fold) if used is None else used
    told = {FOLD: fold, GROUP: group}
    return replace(document, split=None if scored else UNUSED, meta={**document.meta, **told})


def column_of(spec: str, fold: str) -> str:
    """The name under which the scores of one fold's detector stand: its spec with ``trained_on``."""
    name, parameters = parse_spec(spec)
    return format_spec(name, {**parameters, "trained_on": fold})


def told_by(document: Document) -> tuple[str, str]:
    """(fold, group) of a document."""
    meta: Mapping[str, Any] = document.meta
    return str(meta.get(FOLD, "")), str(meta.get(GROUP, ""))
