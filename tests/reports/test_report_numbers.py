"""No more digits than the interval supports."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.reports.numbers import decimals, fixed, percent, printed, significant
from evenhand.stats.estimate import Estimate


@pytest.mark.parametrize(
    ("uncertainty", "places"),
    # the worked examples of the rule (Review of Particle Physics, Introduction 5.3), and its borders
    [
        (0.119, 2),
        (0.367, 1),
        (0.354, 2),
        (0.355, 1),
        (0.949, 1),
        (0.99, 1),
        (1.0, 1),
        (0.05, 2),
        (0.0351, 3),
        (3.5, 1),
        (36, -1),
        (350, -1),
    ],
)
def test_rule_of_the_particle_data_group(uncertainty: float, places: int) -> None:
    assert decimals(uncertainty) == places


@pytest.mark.parametrize(
    ("estimate", "shown"),
    [
        ((0.827, 0.708, 0.946), ("0.83", "[0.71, 0.95]")),
        ((0.827, 0.46, 1.194), ("0.8", "[0.5, 1.2]")),
        ((0.98765, 0.98665, 0.98865), ("0.9877", "[0.9867, 0.9887]")),
        ((1234.0, 900.0, 1500.0), ("1230", "[900, 1500]")),
        ((-0.004, -0.054, 0.046), ("0.00", "[−0.05, 0.05]")),
        ((0.05, 0.0, 0.05), ("0.050", "[0.000, 0.050]")),
        ((0.5, math.nan, 0.7), ("0.50", "[–, 0.70]")),
        ((0.5, 0.3, math.inf), ("0.50", "[0.30, ∞]")),
        ((1.0, 1.0, 1.0), ("1", "[1, 1]")),
        ((-2.71828, math.nan, math.nan), ("−2.72", None)),
        ((math.nan, math.nan, math.nan), ("–", None)),
        ((1.5e-9, 1e-9, 2e-9), ("1.5e-09", "[1e-09, 2e-09]")),
    ],
)
def test_printed(estimate: tuple[float, float, float], shown: tuple[str, str | None]) -> None:
    assert printed(Estimate(*estimate, n=10, method="m")) == shown


@given(st.floats(0, 1), st.floats(1e-4, 0.5), st.floats(1e-4, 0.5))
def test_the_last_digit_is_never_finer_than_a_thirtieth_of_the_uncertainty(
    value: float, below: float, above: float
) -> None:
    text, interval = printed(Estimate(value, value - below, value + above, 10, "m"))
    assert interval is not None
    step = 10.0 ** -len(text.partition(".")[2])
    half = (below + above) / 2
    assert half / 36 < step < half * 3
    assert abs(float(text.replace("−", "-")) - value) <= step / 2 + 1e-12
    assert {len(number) for number in re.findall(r"\.(\d+)", interval)} <= {len(text.partition(".")[2])}


def test_signs() -> None:
    assert fixed(-0.0001, 2) == "0.00"
    assert fixed(-0.01, 2) == "−0.01"
    assert significant(-math.inf) == "−∞"
    assert significant(123456.0) == "123000"
    assert significant(0.0) == "0"
    assert percent(0.95) == "95%"
    assert percent(0.999) == "99.9%"
