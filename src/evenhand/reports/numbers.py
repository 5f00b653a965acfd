"""How numbers are printed: with no more digits than their uncertainty supports.

The rule is that of the Particle Data Group (Review of Particle Physics, Introduction, sec. 5.3): of the three leading
digits of the uncertainty (half the interval), 100 to 354 keep two digits, 355 to 949 one, and 950 to 999 are rounded to
1000 and keep two. The estimate and the bounds end where the uncertainty ends.
"""

from __future__ import annotations

import math

from ..stats.estimate import Estimate

NO_NUMBER = "–"
MINUS = "−"
MOST_PLACES = 6
"""Smaller numbers are printed with an exponent."""


def decimals(uncertainty: float) -> int:
    """How many digits after the point a number with this uncertainty (> 0) has; negative means tens, hundreds, ..."""
    exponent = math.floor(math.log10(uncertainty))
    return -exponent + (round(uncertainty / 10.0**exponent, 2) < 3.55)


def fixed(number: float, places: int) -> str:
    """``number`` with ``places`` decimals and a true minus sign; infinities as signs, NaN as a dash."""
    if math.isnan(number):
        return NO_NUMBER
    if math.isinf(number):
        return "∞" if number > 0 else f"{MINUS}∞"
    text = f"{round(number, places):.{max(places, 0)}f}"
    return MINUS + text[1:] if text.startswith("-") and float(text) != 0 else text.removeprefix("-")


def significant(number: float, digits: int = 3) -> str:
    """For numbers without an interval: ``digits`` significant digits, trailing zeros dropped."""
    if not math.isfinite(number):
        return fixed(number, 0)
    text = f"{number:.{digits}g}"
    if "e" in text and abs(number) >= 1:
        text = f"{float(text):.0f}"
    return text.replace("-", MINUS, 1) if text.startswith("-") and float(text) != 0 else text.removeprefix("-")


def uncertainty(estimate: Estimate) -> float | None:
    """Half the interval; the side that is finite where only one is; None where there is none, or where it is a point."""
    bounds = [abs(b - estimate.value) for b in (estimate.low, estimate.high) if math.isfinite(b)]
    if not bounds or not math.isfinite(estimate.value):
        return None
    return sum(bounds) / len(bounds) or None


def printed(estimate: Estimate) -> tuple[str, str | None]:
    """The estimate and its interval as texts, e.g. ``("0.91", "[0.85, 0.96]")``; None where there is no interval."""
    has_interval = not (math.isnan(estimate.low) and math.isnan(estimate.high))
    width = uncertainty(estimate)
    if width is None:
        bounds = f"[{significant(estimate.low)}, {significant(estimate.high)}]"
        return significant(estimate.value), bounds if has_interval else None
    places = decimals(width)
    if places > MOST_PLACES:
        return significant(estimate.value, 2), f"[{significant(estimate.low, 2)}, {significant(estimate.high, 2)}]"
    return fixed(estimate.value, places), f"[{fixed(estimate.low, places)}, {fixed(estimate.high, places)}]"


def percent(level: float) -> str:
    """A confidence level as a text: 0.95 is ``"95%"``, 0.999 ``"99.9%"``."""
    return f"{round(level * 100, 6):g}%"
