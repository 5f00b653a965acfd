"""Grids: every finding has its cell, and every cell says what it stands on."""

from __future__ import annotations

import math

from evenhand.audits.finding import Finding, Findings, Layout, Result
from evenhand.reports.tables import MISSING, grid, grids, headers, key_of, ordered
from evenhand.stats.estimate import Estimate


def finding(where: dict[str, str], metric: str = "auroc", value: float = 0.5, **more: object) -> Finding:
    return Finding("t", where, metric, Estimate(value, value - 0.1, value + 0.1, 40, "DeLong"), **more)  # type: ignore[arg-type]


def cells_of(made: object) -> list[object]:
    return [cell.finding for group in made.groups for row in group.rows for found in row.cells for cell in found]  # type: ignore[attr-defined]


def test_every_finding_is_in_a_cell_of_its_table(rich: Findings) -> None:
    for result in rich.results:
        placed = [id(f) for made in grids(result) for f in cells_of(made)]
        assert sorted(placed) == sorted(id(f) for f in result.findings)


def test_rows_and_columns_keep_the_order_of_the_findings() -> None:
    found = [finding({"d": d, "a": a}) for a, d in (("z", "2"), ("z", "1"), ("b", "2"), ("z", "3"), ("b", "9"))]
    assert ordered(found, ("a", "d")) == (("z", "2"), ("z", "1"), ("z", "3"), ("b", "2"), ("b", "9"))
    made = grid(Layout("t", "T", "C", ("a", "d"), ("metric",)), found)
    assert [group.label for group in made.groups] == ["a: z", "a: b"]
    assert [[row.label for row in group.rows] for group in made.groups] == [["2", "1", "3"], ["2", "9"]]
    assert made.corner == "d"


def test_a_place_without_finding_is_empty_and_equal_places_share_a_cell() -> None:
    found = [finding({"d": "x", "a": "1"}), finding({"d": "y", "a": "2"}), finding({"d": "y", "a": "2"}, value=0.7)]
    made = grid(Layout("t", "T", "C", ("d",), ("a",)), found)
    assert [[len(c) for c in row.cells] for row in made.groups[0].rows] == [[1, 0], [0, 2]]
    assert key_of(found[0], ("nothing",)) == ("",)
    assert grid(Layout("t", "", "", ("nothing",), ("a",)), found).groups[0].rows[0].label == MISSING


def test_headers_merge_neighbours_but_never_the_innermost() -> None:
    lines = headers((("one", "x"), ("one", "y"), ("two", "y")))
    assert [[(h.label, h.span) for h in line] for line in lines] == [
        [("one", 2), ("two", 1)],
        [("x", 1), ("y", 1), ("y", 1)],
    ]


def test_marks_notes_and_troubles() -> None:
    lost = Finding("t", {"d": "e"}, "auroc", Estimate(math.nan, math.nan, math.nan, 0, "no pair"), {"failed": 1200})
    found = [
        finding({"d": "a"}, marks=("up",)),
        finding({"d": "b"}, marks=("up", "up-corrected")),
        finding({"d": "c"}, marks=("down",), note="few"),
        finding({"d": "d"}, marks=("down-corrected", "own")),
        lost,
    ]
    made = grid(Layout("t", "T", "C", ("d",), ("metric",)), found)
    cells = [row.cells[0][0] for row in made.groups[0].rows]
    assert [cell.sign for cell in cells] == ["*", "**", "†", "‡(own)", ""]
    assert [cell.corrected for cell in cells] == [False, True, False, True, False]
    assert [sign for sign, _ in made.legend] == ["*", "**", "†", "‡"]
    assert made.footnotes == ("few", "no pair")
    assert [cell.footnote for cell in cells] == [None, None, 1, None, 2]
    assert (cells[4].value, cells[4].interval, cells[4].n, cells[4].troubles) == ("–", None, "n = 0", "1,200 failed")
    assert (cells[0].value, cells[0].interval, cells[0].n) == ("0.50", "[0.40, 0.60]", "n = 40")


def test_what_a_cell_is_and_how_its_interval_was_made() -> None:
    made = grid(Layout("t", "T", "C", ("d",), ("metric",)), [finding({"d": "a"}), finding({"d": "a"}, "tpr_at_fpr")])
    assert made.reading.startswith("Each cell: estimate, [95% interval] and n")
    assert made.methods == ("AUROC; TPR at FPR: 95% interval, DeLong",)
    assert [h.label for h in made.headers[0]] == ["AUROC", "TPR at FPR"]


def test_findings_that_no_layout_names_get_a_table() -> None:
    found = (finding({"b": "1", "a": "2"}), finding({"a": "3"}))
    (made,) = grids(Result("x", "X", "?", found, ()))
    assert len(cells_of(made)) == 2
    assert made.title == "t"
