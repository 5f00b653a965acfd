"""Contracts that plug-in authors run in their own tests, in the manner of scikit-learn's ``check_estimator``.

    @pytest.mark.parametrize("check", detector_checks(), ids=lambda check: check.__name__)
    def test_my_detector(check):
        check(my_detector)

Each check raises ContractError, which says what was broken.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .errors import ContractError

Check = Callable[[Any], None]

PLAIN = (
    "We walked home slowly along the river, because nobody wanted the evening to end. The lamps were lit one after the "
    "other, and somewhere a door closed. My sister said that she would write to us as soon as the ship had left."
)
TEXTS = [
    "",
    " ",
    "one",
    PLAIN,
    "x" * 20_000,
    "мир 🌍 \u200b and \u00a0 more",
    "Line\n\nbreaks\tand tabs, again and again, until the page is full of them and the reader tires.",
    "\x00 nul",
    PLAIN,
]
"""Texts that a detector must survive; two are equal."""


def detector_checks() -> list[Check]:
    """One number a text, NaN for abstention, never infinite surprise: and the same answer whoever stands beside."""
    return [
        answers_every_text,
        answers_alike_twice,
        equal_texts_score_alike,
        neighbours_do_not_matter,
        order_does_not_matter,
        nothing_is_scored_as_zero_because_it_is_empty,
    ]


def attack_checks() -> list[Check]:
    """An edit is told by its spans, is the same for the same seed, and leaves alone what it does not name."""
    return [
        edits_alike_for_one_seed,
        spans_tell_where,
        no_edit_leaves_the_text,
        survives_odd_texts,
        prints_back,
    ]


def sanitizer_checks() -> list[Check]:
    """What holds for an attack, and cleaning twice changes nothing more."""
    return [*attack_checks(), cleaning_twice_is_cleaning_once]


def scores(detector: Any, texts: Sequence[str]) -> list[float]:
    found = [float(value) for value in detector(list(texts))]
    if len(found) != len(texts):
        raise ContractError(
            f"{len(texts)} texts gave {len(found)} scores; a detector answers once for each text, in order"
        )
    return found


def alike(a: float, b: float) -> bool:
    return (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-6)


def answers_every_text(detector: Any) -> None:
    for text, value in zip(TEXTS, scores(detector, TEXTS), strict=True):
        if math.isinf(value):
            raise ContractError(f"{text[:20]!r} scores {value}; a text that cannot be scored is NaN, with a reason")


def answers_alike_twice(detector: Any) -> None:
    for text, a, b in zip(TEXTS, scores(detector, TEXTS), scores(detector, TEXTS), strict=True):
        if not alike(a, b):
            raise ContractError(f"{text[:20]!r} scores {a}, then {b}: fix the seed, or take it as a parameter")


def equal_texts_score_alike(detector: Any) -> None:
    found = scores(detector, TEXTS)
    first, last = TEXTS.index(PLAIN), len(TEXTS) - 1
    if not alike(found[first], found[last]):
        raise ContractError(f"one text twice in a list scores {found[first]} and {found[last]}")


def neighbours_do_not_matter(detector: Any) -> None:
    for text, together in zip(TEXTS, scores(detector, TEXTS), strict=True):
        alone = scores(detector, [text])[0]
        if not alike(alone, together):
            raise ContractError(
                f"{text[:20]!r} scores {alone} alone and {together} among others: padding or batch statistics leak"
            )


def order_does_not_matter(detector: Any) -> None:
    backwards = scores(detector, TEXTS[::-1])[::-1]
    for text, a, b in zip(TEXTS, scores(detector, TEXTS), backwards, strict=True):
        if not alike(a, b):
            raise ContractError(f"{text[:20]!r} scores {a} in one order and {b} in another")


def nothing_is_scored_as_zero_because_it_is_empty(detector: Any) -> None:
    value = scores(detector, [""])[0]
    if value == 0:
        raise ContractError("an empty text scores 0, which is a place among real scores; answer NaN")


def edits_alike_for_one_seed(attack: Any) -> None:
    first, again = attack(PLAIN, seed=3), attack(PLAIN, seed=3)
    if first.text != again.text:
        raise ContractError(
            "the same text and seed give two results: draw from a generator made of text, spec and seed"
        )


def spans_tell_where(attack: Any) -> None:
    """Outside its spans the output is a part of the input, in order."""
    made = attack(PLAIN, seed=3)
    rest, last = [], 0
    for start, end in made.spans:
        if not last <= start <= end <= len(made.text):
            raise ContractError(
                f"span ({start}, {end}) is out of order or outside the output of {len(made.text)} characters"
            )
        rest.append(made.text[last:start])
        last = end
    rest.append(made.text[last:])
    where = 0
    for piece in rest:
        found = PLAIN.find(piece, where)
        if found < 0:
            raise ContractError(f"{piece[:40]!r} stands outside every span and not in the input: name it in a span")
        where = found + len(piece)


def no_edit_leaves_the_text(attack: Any) -> None:
    for text in TEXTS:
        made = attack(text, seed=3)
        if (made.edits == 0) != (made.text == text):
            raise ContractError(
                f"{text[:20]!r}: {made.edits} edits told, and the text has {'not ' * (made.text == text)}changed"
            )


def survives_odd_texts(attack: Any) -> None:
    for text in [*TEXTS, "\ud800 lone surrogate"]:
        made = attack(text, seed=3)
        if not isinstance(made.text, str) or made.candidates < made.edits:
            raise ContractError(f"{text[:20]!r}: {made.edits} edits of {made.candidates} candidates")


def prints_back(component: Any) -> None:
    from importlib import import_module

    family = type(component).__module__.split(".")[1] if type(component).__module__.startswith("evenhand.") else None
    if family in ("attacks", "sanitizers", "detectors"):
        again = import_module(f"evenhand.{family}").get(component.spec)
        if again.spec != component.spec:
            raise ContractError(f"{component.spec} reads back as {again.spec}")


def cleaning_twice_is_cleaning_once(sanitizer: Any) -> None:
    for text in TEXTS:
        once = sanitizer(text).text
        if sanitizer(once).text != once:
            raise ContractError(f"{text[:20]!r}: cleaning a cleaned text changes it again")


def run_checks(component: Any, checks: Sequence[Check]) -> Iterator[tuple[str, str | None]]:
    """(name of the check, what it found or None) for each check; an exception of the component is a finding too."""
    for check in checks:
        try:
            check(component)
        except Exception as error:
            yield check.__name__, f"{type(error).__name__}: {error}"
        else:
            yield check.__name__, None
