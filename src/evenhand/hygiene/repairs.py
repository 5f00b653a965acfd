"""Mends what files did to texts, in both classes alike, and says what was changed. It is never done unasked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from ..documents import Document
from ..errors import DataError, SpecError
from .glued import count_words, glued_words

DEFAULT = ("bom", "line_ends")
Step = Callable[[str], tuple[str, int]]
"""Text -> mended text and the number of edits."""


@dataclass(frozen=True, slots=True)
class Repaired:
    """What one step changed: texts by label, of how many, edits by label, and the ids."""

    step: str
    counts: Mapping[str, int]
    of: Mapping[str, int]
    edits: Mapping[str, int]
    ids: tuple[str, ...] = field(repr=False)

    @property
    def sentence(self) -> str:
        told = " and ".join(
            f"{self.counts.get(label, 0):,} of {n:,} {label} texts ({self.edits.get(label, 0):,} edits)"
            for label, n in sorted(self.of.items())
        )
        return f"{self.step}: {told} changed"


def repair(documents: Iterable[Document], steps: Sequence[str] = DEFAULT) -> tuple[list[Document], list[Repaired]]:
    """The mended documents in order, and what each step changed. Steps, applied in the order given, to all classes:

    bom (U+FEFF taken out), line_ends (CR and CRLF become LF), flatten (every line break, with the blanks around it, becomes
    one space), edges (blanks at start and end off), spaces (runs of spaces become one), full_stops (end.Next -> end. Next),
    glued (ofthe -> of the; by the words of these documents, in texts that have three such words or more), mojibake (Ã© -> é,
    however often it was misread), hyphens (pro- cessing -> processing), blanks (every odd blank becomes a space), detached
    (signs that a tokenizer cut off, "did n't ." -> "didn't."), lower (lower case; nothing brings the capitals back).
    Texts with spans are refused: their places would no longer hold. Raises SpecError, DataError.
    """
    kept = list(documents)
    unknown = [step for step in steps if step not in STEPS and step != "glued"]
    if unknown:
        raise SpecError(f"repair: no step {unknown[0]!r}; there are: {', '.join([*STEPS, 'glued'])}")
    spanned = [d.id for d in kept if d.spans]
    if spanned:
        raise DataError(
            f"repair: {len(spanned)} texts say who wrote which characters, such as {spanned[0]!r}; leave them out"
        )
    told = []
    for step in steps:
        kept, report = _apply(kept, step)
        told.append(report)
    return kept, told


def _apply(documents: list[Document], step: str) -> tuple[list[Document], Repaired]:
    mend = unglue([d.text for d in documents]) if step == "glued" else STEPS[step]
    made = [mend(d.text) for d in documents]
    changed = [(d, edits) for d, (_, edits) in zip(documents, made, strict=True) if edits]
    edits: Counter[str] = Counter()
    for document, n in changed:
        edits[document.label] += n
    report = Repaired(
        step,
        dict(Counter(d.label for d, _ in changed)),
        dict(Counter(d.label for d in documents)),
        dict(edits),
        tuple(d.id for d, _ in changed),
    )
    return [replace(d, text=text) for d, (text, _) in zip(documents, made, strict=True)], report


def substituting(pattern: str, new: str) -> Step:
    return lambda text: re.subn(pattern, new, text)


def unscramble(text: str) -> tuple[str, int]:
    """UTF-8 that was read as Latin-1, run by run; what is no UTF-8 stays as it is. The edits are the runs mended."""
    runs = [run for run in re.findall(_HIGH, text) if _reread(run) != run]
    return (re.sub(_HIGH, lambda run: _reread(run[0]), text), len(runs)) if runs else (text, 0)


_HIGH = r"[\u0080-\u00ff]{2,}"


def _reread(run: str) -> str:
    """Read as UTF-8 as often as it can be: some files were misread more than once."""
    try:
        read = run.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return run
    return _reread(read)


def reattach(text: str) -> tuple[str, int]:
    """Signs and contractions back at their words, as the Penn Treebank's rules cut them off."""
    edits = 0
    for pattern, new in _DETACHED:
        text, n = re.subn(pattern, new, text)
        edits += n
    return text, edits


_DETACHED = (
    (r" (?=n['’]t\b|['’](?:s|re|ve|ll|d|m)\b)", ""),
    (r"(?<=\S) +(?=[.,;:!?%)\]}](?:\s|$|[.,;:!?%)\]}]))", ""),
    (r"(?<=\s)([(\[{]) +(?=\S)", r"\1"),
    (r"`` ?| ?''", '"'),
)


STEPS: Mapping[str, Step] = {
    "bom": substituting("\ufeff", ""),
    "line_ends": substituting("\r\n?", "\n"),
    "flatten": substituting(r"[^\S\n]*\n\s*", " "),
    "edges": substituting(r"\A\s+|\s+\Z", ""),
    "spaces": substituting(" {2,}", " "),
    "full_stops": substituting(r"(?<=[a-z][.!?])(?=[A-Z][a-z])", " "),
    "mojibake": unscramble,
    "hyphens": substituting(r"(?<=[a-z])- +(?!(?:and|or|to)\b)(?=[a-z])", ""),
    "blanks": substituting(r"[^\S\n\r ]", " "),
    "detached": reattach,
    "lower": lambda text: (text.lower(), sum(map(str.isupper, text))),
}


def unglue(texts: Sequence[str]) -> Step:
    """A step that puts back lost spaces, by the words of these texts."""
    words = count_words(texts)

    def mend(text: str) -> tuple[str, int]:
        cuts = [cut for _, cut in glued_words(text, words)]
        bounds = [0, *cuts, len(text)]
        return " ".join(text[a:b] for a, b in pairwise(bounds)), len(cuts)

    return mend
