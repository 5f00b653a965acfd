"""Three detectors, one for each section of a paper, and the vote of two of them: IDMGSP's way of reading a whole paper."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ...documents import Judgement
from ...errors import SpecError
from ...registry import Card, format_spec
from ...sections import SECTIONS, split_sections
from ..base import Detector, Scores, check_texts
from .base import Lesson, Trained, lesson, with_complement
from .released import NOT_RUN, IdmgspRoberta

FAULTS = ("none", "abstracts")
Judge = Callable[[str, Sequence[str]], list[Judgement]]
"""Section and texts -> their judgements, whose scores are above 0 for 'machine'."""
FAULT = (
    "fault='abstracts' gives every model the abstract, as the authors' test notebook does by its variable's name; that the "
    "published row was so computed is not proven"
)
SOURCE = "Abdalla et al. 2023 (IDMGSP), section 4.1, and the authors' notebooks"
FORM = "texts as 'Abstract:', 'Introduction:' and 'Conclusion:', each on a line before its section"


def vote(texts: Sequence[str], judge: Judge, fault: str) -> list[Judgement]:
    """For each text the middle of the three sections' scores: above 0 where two or more are. A text that lacks a section, or has
    one that cannot be judged, is abstained on."""
    parts = [read_sections(text, fault) for text in texts]
    whole = [i for i, part in enumerate(parts) if not isinstance(part, str)]
    columns = [judge(name, [parts[i][name] for i in whole]) for name in SECTIONS]  # type: ignore[index]
    judged = dict(zip(whole, zip(*columns, strict=True), strict=True))
    return [
        middle(judged[i]) if i in judged else Judgement(math.nan, "abstained", str(part))
        for i, part in enumerate(parts)
    ]


def read_sections(text: str, fault: str = "none") -> dict[str, str] | str:
    """What each section's model reads, or why there is nothing."""
    found = split_sections(text)
    if missing := [name for name in SECTIONS if not found.get(name)]:
        return f"no {' and no '.join(missing)} is marked in the text, and the vote is of three sections"
    return dict.fromkeys(SECTIONS, found["abstract"]) if fault == "abstracts" else found


def middle(three: Sequence[Judgement]) -> Judgement:
    for name, one in zip(SECTIONS, three, strict=True):
        if one.status != "ok":
            return Judgement(math.nan, one.status, f"{name}: {one.reason}")
    votes = sum(one.score > 0 for one in three)
    notes = [f"{name}: {one.reason}" for name, one in zip(SECTIONS, three, strict=True) if one.reason]
    tokens = [one.n_tokens for one in three if one.n_tokens is not None]
    return Judgement(
        float(np.median([one.score for one in three])),
        "ok",
        "; ".join([f"{votes} of 3 sections", *notes]),
        sum(tokens) if tokens else None,
        any(one.truncated for one in three),
    )


def check_fault(name: str, fault: str) -> None:
    if fault not in FAULTS:
        raise SpecError(f"{name}: fault is one of {', '.join(FAULTS)}; got {fault!r}")


@dataclass(frozen=True, eq=False)
class SectionVote(Trained):
    """``base``: the spec of a detector that learns, of which each section gets one. The score is the middle one of three
    distances from the own thresholds. ``prefix``: puts the section's name before its text, as the authors do."""

    name: ClassVar[str] = "section_vote"
    card: ClassVar[Card] = Card(
        "A trained detector for each of abstract, introduction and conclusion; two of three decide.",
        source=SOURCE,
        family="trained",
        needs=f"a split 'train' with both classes; {FORM}; what its base needs",
        follows=f"the paper; the median stands for the vote, which it equals at 0, and ranks texts. {FAULT}",
        pitfalls="a text without one of the sections is abstained on; three detectors are trained",
    )
    learns_from: ClassVar[tuple[str, ...]] = ("levels", "corpora", "clusters")
    model_fields: ClassVar[tuple[str, ...]] = ()
    base: str = "tfidf_lr"
    fault: str = "none"
    prefix: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_fault(self.name, self.fault)
        if self.labels == "ordinal":
            raise SpecError("section_vote is a vote between two classes: labels is 'policy' or 'usual'")
        part = self.part()
        if not isinstance(part, Trained):
            raise SpecError(f"section_vote: base is a detector that learns, such as 'tfidf_lr'; {self.base!r} does not")
        if part.labels != "policy":
            raise SpecError(f"section_vote: set labels={part.labels!r} on section_vote itself, not on its base")

    def part(self) -> Any:
        """An unfitted detector of one section."""
        from .. import get

        return get(self.base)

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(self.part().models)

    @property
    def model_keys(self) -> dict[str, str]:
        """Its parts keep their own."""
        return {}

    @property
    def key(self) -> str:
        own = {"fault": self.fault, "prefix": self.prefix}
        return format_spec(self.name, {**own, **{name: part.key for name, part in self.fitted("parts_").items()}})

    def fit(
        self,
        X: Sequence[str],
        y: Sequence[Any] | None = None,
        *,
        levels: Sequence[Any] | None = None,
        corpora: Sequence[str] | None = None,
        clusters: Sequence[str] | None = None,
    ) -> Self:
        """Each section's detector learns from that section of the texts that have all three."""
        given = {"levels": levels, "corpora": corpora, "clusters": clusters}
        taught = lesson(self, X, y, given)
        read = [read_sections(text) for text in taught.texts]
        taught = taught.without(self.name, [one if isinstance(one, str) else None for one in read])
        whole = [one for one in read if not isinstance(one, str)]
        self.parts_ = {
            name: self.learnt(self.part(), [self.shown(name, one[name]) for one in whole], taught) for name in SECTIONS
        }
        self.note_training(replace(taught, told={**taught.told, "base": self.part().spec, **self.kept_epochs()}))
        self.threshold_ = 0.0
        return self

    def learnt(self, part: Any, texts: list[str], taught: Lesson) -> Any:
        told = {"clusters": taught.clusters} if "clusters" in part.learns_from else {}
        return part.fit(texts, taught.machine.astype(int), **told)

    def kept_epochs(self) -> dict[str, Any]:
        """Of sections whose detector was trained by epochs."""
        told = {name: part.training_.get("kept_epoch") for name, part in self.parts_.items()}
        return {"kept_epochs": told} if any(told.values()) else {}

    def shown(self, name: str, text: str) -> str:
        return f"{name.capitalize()}: {text}" if self.prefix else text

    def judge(self, texts: Sequence[str]) -> list[Judgement]:
        parts = self.fitted("parts_")

        def judged(name: str, some: Sequence[str]) -> list[Judgement]:
            part = parts[name]
            found = part.judge([self.shown(name, text) for text in some])
            return [replace(one, score=one.score - part.threshold_) for one in found]

        return vote(check_texts(texts), judged, self.fault)

    def predict_proba(self, X: Sequence[str]) -> NDArray[np.float64]:
        """Shape (n, 2); the logistic of the score, which is calibrated only as far as its parts are."""
        scores: Scores = self(X)
        return with_complement(np.asarray(expit(scores)))

    def write_files(self, folder: Path) -> None:
        from . import saving

        for name, part in self.fitted("parts_").items():
            (folder / name).mkdir()
            saving.write(part, folder / name)

    def read_files(self, folder: Path) -> None:
        from . import saving

        self.parts_ = {name: saving.load(folder / name) for name in SECTIONS}


HUB = "hub:tum-nlp/IDMGSP-RoBERTa-TRAIN-"


@dataclass(frozen=True)
class IdmgspVote(Detector):
    name: ClassVar[str] = "idmgsp_vote"
    own_models: ClassVar[bool] = True
    card: ClassVar[Card] = replace(
        IdmgspRoberta.card,
        summary=f"IDMGSP's three RoBERTa base, one a section; two of three decide ({NOT_RUN})",
        needs=f"torch; the three weights, from the hub, as safetensors; {FORM}",
        follows=f"the authors' code: output 1 is fake, the section's name before its text; the score is the middle of three "
        f"differences of logits. {FAULT}",
        pitfalls="a text without one of the sections is abstained on",
    )
    model_fields: ClassVar[tuple[str, ...]] = SECTIONS
    abstract: str = f"{HUB}ABSTRACT"
    introduction: str = f"{HUB}INTRODUCTION"
    conclusion: str = f"{HUB}CONCLUSION"
    fault: str = "none"
    check: str = "texts"

    def __post_init__(self) -> None:
        check_fault(self.name, self.fault)
        self.part("abstract")

    def part(self, name: str) -> IdmgspRoberta:
        return IdmgspRoberta(model=getattr(self, name), prefix=f"{name.capitalize()}: ", check=self.check)

    def judge(self, texts: Sequence[str]) -> list[Judgement]:
        return vote(check_texts(texts), lambda name, some: self.part(name).judge(some), self.fault)
