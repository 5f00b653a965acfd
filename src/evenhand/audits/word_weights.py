"""What weighs most in the trained models? IDMGSP, figure 5a and section 4.4.1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ..errors import SpecError
from ..registry import Card
from .accuracy_by_set import about, trained
from .base import Audit, by_detector, fixed
from .finding import Answer, Figure, Finding, Layout, Result, Series
from .rows import Rows, Settings

TABLE = "word_weights"
EXACT = "a number of the model, no estimate"
MOST = 20
"""So many a side the run's environment.json keeps."""


@dataclass(frozen=True)
class WordWeights(Audit):
    """``k``: inputs a side (largest, and smallest coefficients). ``training``: as in accuracy_by_set."""

    name: ClassVar[str] = "word_weights"
    title: ClassVar[str] = "What weighs most in the models"
    question: ClassVar[str] = "Which words, or other inputs, weigh most in each trained model?"
    card: ClassVar[Card] = Card(
        "The largest and smallest coefficients of linear models, the largest impurity importances of forests",
        source="IDMGSP, section 4.4.1 and figure 5a (top 10 coefficients a side; top 20 importances)",
        follows="above 0 is towards machine. The paper draws its figure without numbers, so nothing is beside ours",
        pitfalls="a weight tells of the training texts, their topics and parsing included; correlated words share theirs; "
        "impurity importance favours frequent terms and has no direction (evenhand explain shuffles instead)",
    )

    k: int = 10
    training: str = ""

    def __post_init__(self) -> None:
        if not 1 <= self.k <= MOST:
            raise SpecError(f"word_weights: k is a whole number from 1 to {MOST}, got {self.k!r}")

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        held = {}
        for short, spec in by_detector(rows):
            if told := about(spec, settings).get("weights"):
                learnt = about(spec, settings).get("training") or {}
                texts = int(learnt.get("positive", 0)) + int(learnt.get("negative", 0))
                held[trained(short, spec, settings, self.training)] = {**told, "texts": texts}
        found = [f for who, told in held.items() for f in self.listed(who, told)]
        figures = tuple(self.figure(i, who, told) for i, (who, told) in enumerate(held.items(), 1))
        layout = Layout(
            TABLE,
            "Weights",
            "Of the model as it was fitted; largest first.",
            ("detector", "training", "input"),
            ("metric",),
        )
        why = "No detector of this run is one linear model or one forest (an evaluation trains one a fold)."
        answers = () if held else (Answer("missing", why),)
        return Result(self.spec, self.title, self.question, tuple(found), (layout,), figures, answers)

    def listed(self, who: tuple[str, str], told: Mapping[str, Any]) -> Iterator[Finding]:
        for name, value in chosen(told["heaviest"], self.k):
            where = {"detector": who[0], "training": who[1], "input": str(name)}
            n, counts = told["texts"], {"inputs": int(told["of"])}  # n is texts, as everywhere: those it learnt from
            yield fixed(TABLE, where, told["kind"], float(value), n, EXACT, counts)

    def figure(self, number: int, who: tuple[str, str], told: Mapping[str, Any]) -> Figure:
        kept = chosen(told["heaviest"], self.k)
        places = tuple(float(i) for i in range(len(kept)))
        series = Series(who[0], places, tuple(float(value) for _, value in kept))
        title = f"{who[0]}: heaviest inputs" + ("" if who[1] == "-" else f", trained on {who[1]}")
        ticks = tuple(str(name) for name, _ in kept)
        return Figure(f"weights-{number}", "bars", title, "", str(told["kind"]), (series,), ticks)


def chosen(heaviest: Sequence[Sequence[Any]], k: int) -> list[Sequence[Any]]:
    """(name, value) of the first ``k`` above 0 and the last ``k`` below."""
    return [*[pair for pair in heaviest if pair[1] > 0][:k], *[pair for pair in heaviest if pair[1] < 0][-k:]]
