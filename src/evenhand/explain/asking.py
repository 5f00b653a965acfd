"""Many masked texts through one detector, and what it did not answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..detectors.judging import judge, name_of
from ..documents import Judgement
from ..errors import DataError

Scores = NDArray[np.float64]


@dataclass
class Asked:
    """Asks a detector for scores, each text once, and counts: ``calls`` texts scored, ``unanswered`` by reason."""

    detector: Any
    calls: int = 0

    def __post_init__(self) -> None:
        self.known: dict[str, float] = {}
        self.unanswered: Counter[str] = Counter()

    def __call__(self, texts: Sequence[str]) -> Scores:
        new = [text for text in dict.fromkeys(texts) if text not in self.known]
        if new:
            self.calls += len(new)
            for text, answer in zip(new, judge(new, [self.detector])[0], strict=True):
                self.known[text] = answer.score if answer.status == "ok" else np.nan
                if answer.status != "ok":
                    self.unanswered[general(answer.reason or answer.status)] += 1
        return np.array([self.known[text] for text in texts], np.float64)

    @property
    def silence(self) -> str:
        """Why it did not answer, the most frequent reason first; empty where it always did."""
        return "; ".join(f"{count} of {self.calls} not scored: {why}" for why, count in self.unanswered.most_common(3))


def general(reason: str) -> str:
    """The reason without the numbers of one text, so that like reasons are counted together."""
    head, _, rest = reason.partition(" ")
    return f"n {rest}" if head.isdigit() else reason


def judged(detector: Any, text: str, *, needed: bool = True) -> Judgement:
    """The detector's answer for the text itself. Raises DataError where it gives no score that is ``needed``."""
    answer = judge([text], [detector])[0][0]
    if answer.status == "failed" or (needed and answer.status != "ok"):
        raise DataError(f"{name_of(detector)} gives this text no score ({answer.reason}), so there is none to explain")
    return answer


Tell = Callable[[str], None]


def silent(_: str) -> None:
    """Tells nobody."""
