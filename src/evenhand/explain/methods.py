"""Which explanations a detector allows, what they cost, and all that one page tells of one text."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from ..detectors.base import TokenDetector
from ..detectors.judging import name_of
from ..detectors.trained.weights import COEFFICIENT, unwrapped, weights_of
from ..errors import DataError, SpecError
from ..models.statistics import TokenStatistics
from . import local_linear, shapley
from .asking import Tell, judged, silent
from .beside_run import Standing
from .forests import Importance, importances
from .linear import coefficients, top_coefficients
from .parts import Explanation, cut
from .text_measures import Told, reading

METHODS = ("coefficients", "importances", "words", "lime", "shap", "tokens")


@dataclass(frozen=True, slots=True)
class Settings:
    """Of ``lime`` and ``shap``: how the text is cut (``by``, ``most``), and how often it is asked. ``mask`` None: each
    method's own."""

    by: str = "auto"
    most: int = 150
    samples: int = 200
    orders: int = 1
    seeds: int = 5
    seed: int = 0
    mask: str | None = None


@dataclass(frozen=True)
class Account:
    """All that is told of one text and one detector. ``note`` is what the detector itself wrote beside its score."""

    text: str
    detector: str
    score: float
    note: str | None = None
    explanations: tuple[Explanation, ...] = ()
    top: tuple[tuple[str, float], ...] = ()
    importances: tuple[Importance, ...] = ()
    words: tuple[tuple[str, str], ...] = ()
    """What a prompted model wrote for its answer: (kind, text)."""
    tokens: TokenStatistics | None = None
    token_model: str = ""
    reading: tuple[Told, ...] = ()
    standing: Standing | None = None
    asked: dict[str, int] = field(default_factory=dict)


def applicable(detector: Any) -> tuple[str, ...]:
    """The methods that this detector allows; lime and shap always are among them."""
    exact: tuple[str, ...] = ()
    with suppress(DataError):  # what it holds against its inputs is asked, and it says that it holds nothing
        exact = ("coefficients",) if weights_of(detector).kind == COEFFICIENT else ("importances",)
    words = ("words",) if callable(getattr(unwrapped(detector), "explain", None)) else ()
    tokens = ("tokens",) if isinstance(unwrapped(detector), TokenDetector) else ()
    return (*exact, *words, "lime", "shap", *tokens)


def usual(detector: Any) -> tuple[str, ...]:
    """What is shown unasked: what is exact, a model's own words, tokens, and LIME where nothing is exact of this text and no
    chat model would have to answer a thousand times."""
    allowed = applicable(detector)
    costly = {"shap"} | ({"lime"} if "coefficients" in allowed or family(detector) == "prompted" else set())
    return tuple(method for method in allowed if method not in costly)


def family(detector: Any) -> str:
    return str(getattr(getattr(unwrapped(detector), "card", None), "family", ""))


def chosen(detector: Any, methods: Sequence[str]) -> tuple[str, ...]:
    """``methods`` checked, or the usual ones where there are none. Raises SpecError for a method that does not apply."""
    allowed = applicable(detector)
    for method in methods:
        if method not in METHODS:
            raise SpecError(f"no method {method!r}; the methods are: {', '.join(METHODS)}")
        if method not in allowed:
            raise SpecError(f"{name_of(detector)} allows no {method!r}; it allows: {', '.join(allowed)}")
    return tuple(dict.fromkeys(methods)) or usual(detector)


def costs(text: str, methods: Sequence[str], settings: Settings | None = None) -> dict[str, int]:
    """Texts that the detector scores at most for each method, known before any is scored."""
    s = settings or Settings()
    priced = {
        "lime": lambda: local_linear.cost(s.samples, s.seeds),
        "shap": lambda: shapley.cost(len(cut(text, s.by, s.most)), s.orders, s.seeds),
    }
    return {method: priced[method]() if method in priced else 1 for method in methods}


def account(
    text: str,
    detector: Any,
    methods: Sequence[str] = (),
    settings: Settings | None = None,
    *,
    source: str | None = None,
    tell: Tell = silent,
) -> Account:
    """Scores and explains one text. ``tell`` hears what each method costs before it starts. Raises DataError where the
    detector gives the text no score."""
    s, methods = settings or Settings(), chosen(detector, methods)
    prices = costs(text, methods, s)
    for method in methods:
        tell(f"{method}: at most {prices[method]:,} text{'s' if prices[method] > 1 else ''} to score")
    answer = judged(detector, text, needed=methods != ("words",))  # what a model wrote for 'unknown' can be shown too
    inner = unwrapped(detector)
    model = getattr(inner, "model", "") if "tokens" in methods else ""
    return Account(
        text,
        name_of(detector),
        answer.score,
        answer.reason,
        tuple(explained(text, detector, method, s) for method in methods if method in ("coefficients", "lime", "shap")),
        tuple(top_coefficients(detector)) if "coefficients" in methods else (),
        tuple(importances(detector, text=text)) if "importances" in methods else (),
        own_words(text, inner) if "words" in methods else (),
        statistics(text, inner) if "tokens" in methods else None,
        model,
        tuple(reading(text, source)),
        asked=prices,
    )


def explained(text: str, detector: Any, method: str, s: Settings) -> Explanation:
    common = {"by": s.by, "most": s.most, "seeds": s.seeds, "seed": s.seed}
    own = {} if s.mask is None else {"mask": s.mask}
    if method == "lime":
        return local_linear.lime(text, detector, samples=s.samples, **common, **own)  # type: ignore[arg-type]
    if method == "shap":
        return shapley.shap(text, detector, orders=s.orders, **common, **own)  # type: ignore[arg-type]
    return coefficients(text, detector)


def own_words(text: str, detector: Any) -> tuple[tuple[str, str], ...]:
    """What the model wrote beside its answer, part by part; a list is one line an entry."""
    told = detector.explain(text)
    if told is None or not is_dataclass(told):
        return () if told is None else (("explanation", str(told)),)
    values = {one.name: getattr(told, one.name) for one in fields(told)}
    lines = {name: "\n".join(value) if isinstance(value, tuple) else str(value) for name, value in values.items()}
    return tuple((name.replace("_", " "), line) for name, line in lines.items() if line)


def statistics(text: str, detector: TokenDetector) -> TokenStatistics:
    from ..models.causal import token_statistics

    return token_statistics([text], detector.model, truncate=detector.truncate)[0]
