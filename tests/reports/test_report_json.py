"""findings.json: lossless, the same bytes for the same findings, and clear about what it can't read."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.audits.finding import Finding, Findings, Result
from evenhand.errors import ContractError, DataError
from evenhand.reports.json_form import from_json, to_json
from evenhand.stats.estimate import Estimate


def one(estimate: Estimate, **more: Any) -> Findings:
    result = Result("a", "A", "?", (Finding("t", more.pop("where", {}), "m", estimate, **more),), ())
    return Findings((result,))


def canonical(value: Any) -> Any:
    """Mappings without their order, everything else by repr, so that NaN equals NaN and -0.0 is not 0.0."""
    if isinstance(value, dict):
        return sorted((key, canonical(item)) for key, item in value.items())
    return [canonical(item) for item in value] if isinstance(value, list | tuple) else repr(value)


def same(left: Findings, right: Findings) -> bool:
    return bool(canonical(asdict(left)) == canonical(asdict(right)))


def test_everything_comes_back(rich: Findings) -> None:
    back = from_json(to_json(rich))
    assert same(back, rich)
    assert isinstance(back.results[0].figures[0].series[0].x, tuple)
    assert math.isnan(back.provenance["$odd"]["nan"])


def test_same_findings_same_bytes(rich: Findings) -> None:
    text = to_json(rich)
    assert to_json(from_json(text)) == text
    shuffled = replace(rich, ledger=tuple(dict(reversed(row.items())) for row in rich.ledger))
    assert to_json(shuffled) == text
    assert text.isascii()
    assert text.endswith("}\n")


def test_it_is_strict_json(rich: Findings) -> None:
    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    json.loads(to_json(rich), parse_constant=refuse)


@given(
    st.floats(),
    st.floats(),
    st.floats(),
    st.text(st.characters(exclude_categories=())),
    st.dictionaries(st.text(), st.integers()),
)
@settings(max_examples=200, deadline=None)
def test_any_float_and_any_text(value: float, low: float, high: float, text: str, counts: dict[str, int]) -> None:
    findings = one(Estimate(value, low, high, 3, text), where={text: text}, counts=counts, note=text)
    assert same(from_json(to_json(findings)), findings)


free = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.just("$float"), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text() | st.just("$float") | st.just("$$x"), free))
@settings(max_examples=50, deadline=None)
def test_any_free_mapping(provenance: dict[str, Any]) -> None:
    findings = Findings((), (), provenance)
    assert same(from_json(to_json(findings)), findings)


def test_numbers_of_numpy_are_numbers() -> None:
    findings = one(
        Estimate(np.float64(0.1), np.float32(0.5), np.float64(np.nan), np.int64(4), "m"), counts={"human": np.int32(2)}
    )
    estimate = from_json(to_json(findings)).results[0].findings[0].estimate
    assert estimate.value == 0.1
    assert estimate.n == 4
    assert math.isnan(estimate.high)


def test_arrays_of_numbers_stand_on_one_line(rich: Findings) -> None:
    lines = to_json(rich).splitlines()
    assert max(line.count(", ") for line in lines) > 20
    assert len(lines) < 6000


@pytest.mark.parametrize(
    "findings",
    [
        one(Estimate(0.5, 0, 1, 3, "m"), note=5),
        one(Estimate("0.5", 0, 1, 3, "m")),  # type: ignore[arg-type]
        one(Estimate(0.5, 0, 1, 3, "m"), where={1: "x"}),
        Findings((), ({"detector": object()},)),
        Findings(("result",)),  # type: ignore[arg-type]
    ],
)
def test_what_could_not_be_read_back_is_not_written(findings: Findings) -> None:
    with pytest.raises(ContractError, match=r"findings\."):
        to_json(findings)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no findings.json"),
        ("{", "no findings.json"),
        ("[]", "no 'format'"),
        ('{"x": NaN}', "NaN is no JSON"),
        ('{"format": "evenhand-findings", "version": 99}', "version 99"),
        ('{"format": "evenhand-findings", "version": 1}', "missing \\['results'\\]"),
        ('{"format": "evenhand-findings", "version": 1, "results": 3}', "results must be a list"),
        ('{"format": "evenhand-findings", "version": 1, "results": [], "more": 1}', "unknown \\['more'\\]"),
        (
            '{"format": "evenhand-findings", "version": 1, "results": [], "provenance": {"a": {"$float": "2"}}}',
            "nan, inf or -inf",
        ),
    ],
)
def test_what_is_no_findings_json(text: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        from_json(text)


def test_a_wrong_value_is_named_by_its_place(rich: Findings) -> None:
    tree = json.loads(to_json(rich))
    tree["results"][0]["findings"][1]["estimate"]["value"] = "high"
    with pytest.raises(DataError, match=r"results\[0\]\.findings\[1\]\.estimate\.value must be a number"):
        from_json(json.dumps(tree))
    tree["results"][0]["findings"][1]["estimate"]["value"] = 1
    tree["results"][0]["answers"][0]["kind"] = "rumour"
    with pytest.raises(DataError, match="shown, missing, warning"):
        from_json(json.dumps(tree))
