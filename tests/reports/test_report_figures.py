"""Figures: the same bytes, ids of their own, all that was given is drawn or told, nothing from elsewhere."""

from __future__ import annotations

import math
import re
import sys
from dataclasses import replace
from subprocess import run
from xml.etree import ElementTree as ET

import pytest

from evenhand.audits.finding import Figure, Findings, Series
from evenhand.errors import ContractError
from evenhand.reports import figures
from evenhand.reports.figures import COLOURS, INK, describe, draw
from evenhand.reports.html import TEMPLATES

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    return ["".join(e.itertext()) for e in ET.fromstring(svg).iter(f"{SVG}text")]


def line(*series: Series, **more: object) -> Figure:
    return replace(Figure("n", "line", "T", "x", "y", series), **more)  # type: ignore[arg-type]


def all_figures(findings: Findings) -> list[Figure]:
    return [figure for result in findings.results for figure in result.figures]


@pytest.fixture(scope="module")
def drawn(rich: Findings) -> list[tuple[str, Figure, str]]:
    """(name, figure, SVG) of every figure."""
    named = [(f"name{i}", figure) for i, figure in enumerate(all_figures(rich))]
    return [(name, figure, draw(figure, name)) for name, figure in named]


def test_the_same_figure_is_the_same_bytes(drawn: list[tuple[str, Figure, str]]) -> None:
    for name, figure, svg in drawn:
        assert draw(figure, name) == svg


def test_the_settings_of_the_user_change_nothing(rich: Findings) -> None:
    import matplotlib as mpl

    figure = all_figures(rich)[0]
    expected = draw(figure)
    with mpl.rc_context({"font.size": 30, "lines.linewidth": 9, "svg.fonttype": "path", "axes.facecolor": "red"}):
        assert draw(figure) == expected


def test_ids_begin_with_the_name_and_all_references_are_local(drawn: list[tuple[str, Figure, str]]) -> None:
    for name, _, svg in drawn:
        root = ET.fromstring(svg)
        ids = [e.attrib["id"] for e in root.iter() if "id" in e.attrib]
        assert len(set(ids)) == len(ids)
        assert all(identifier.startswith(f"{name}-") for identifier in ids)
        values = [v for e in root.iter() for v in e.attrib.values()]
        assert {r for v in values for r in re.findall(r"url\(#([^)]+)\)", v)} <= set(ids)
        assert all(e.attrib["href"][1:] in ids for e in root.iter() if "href" in e.attrib)
        assert not [
            e for e in root.iter() if "style" in e.attrib or e.tag.endswith(("style", "image", "metadata", "script"))
        ]
        assert not [v for e in root.iter() for k, v in e.attrib.items() if "//" in v and k != "aria-label"]


def test_two_figures_alike_have_ids_of_their_own() -> None:
    figure = line(Series("a", (0.0, 1.0), (0.0, 1.0)))
    ids = [set(re.findall(r' id="([^"]+)"', draw(figure, name))) for name in ("one", "two")]
    assert ids[0]
    assert not ids[0] & ids[1]


def test_title_and_description_come_first(drawn: list[tuple[str, Figure, str]]) -> None:
    for _, figure, svg in drawn:
        root = ET.fromstring(svg)
        assert [root[0].tag, root[1].tag] == [f"{SVG}title", f"{SVG}desc"]
        assert root[1].text == describe(figure)


def test_description_tells_ranges() -> None:
    told = describe(line(Series("a", (0.0, 1.0), (0.25, math.nan)), Series("b", (), ())))
    assert told.startswith("Line chart (x: x, y: y). a: 2 points, x from 0 to 1, y from 0.25 to 0.25; b: 0 points, ")


def test_names_are_text_not_formulas_and_all_there() -> None:
    names = (r"$\frac{1}{$", "_hidden", "a <b> & 'c'", "مرحبا", "x" * 150)
    drawn = "".join(texts(draw(line(*(Series(n, (0.0, 1.0), (0.0, 1.0)) for n in names)))))
    for name in names:
        assert name in drawn.replace("\n", "")


def test_curves_in_the_unit_square_are_shown_whole() -> None:
    shown = texts(draw(line(Series("a", (0.0, 0.2), (0.1, 0.3)))))
    assert "1.0" in shown


def test_line_of_few_points_has_markers_and_bands() -> None:
    bare = draw(line(Series("a", (0.0, 1.0), (0.0, 1.0))))
    banded = draw(line(Series("a", (0.0, 1.0), (0.2, 0.8), (0.1, 0.7), (0.3, 0.9))))
    assert "<use" in bare
    assert 'fill-opacity="0.14"' in banded
    assert 'fill-opacity="0.14"' not in bare


def test_more_series_than_colours_differ_by_dashes() -> None:
    svg = draw(
        line(*(Series(str(i), tuple(map(float, range(20))), tuple(float(i) for _ in range(20))) for i in range(12)))
    )
    looks = re.findall(r'<path[^>]*stroke-width="1.4"[^>]*>', svg)
    assert len({re.sub(r' (d|clip-path)="[^"]*"', "", look) for look in looks}) == 12


def test_density_counts_what_it_leaves_out_and_shares_sum_to_one() -> None:
    figure = Figure("n", "density", "T", "score", "", (Series("a", (0.0, 1.0, 2.0, math.nan, math.inf), ()),))
    shown = texts(draw(figure))
    assert "a (n = 3, 2 without a finite score left out)" in shown
    assert "share of texts" in shown


@pytest.mark.parametrize(
    "values", [(), (1.0,), (2.0,) * 9, (0.0,) * 50 + (1e12,), (math.nan,), tuple(map(float, range(1000)))]
)
def test_density_of_odd_values(values: tuple[float, ...]) -> None:
    assert draw(Figure("n", "density", "T", "", "", (Series("a", values, ()),))).count("<svg") == 1


def test_bins_are_few_enough_to_read() -> None:
    import numpy as np

    for values in (np.arange(5.0), np.random.default_rng(0).normal(size=5000), np.r_[np.zeros(99), 1e9], np.ones(4)):
        edges = figures._bins(values)
        assert 8 <= len(edges) - 1 <= 40
        assert edges[0] <= values.min()
        assert values.max() <= edges[-1]


def test_bars_name_their_categories_and_bounds() -> None:
    series = Series("s", (0.0, 1.0), (0.5, 0.6), (0.4, math.nan), (0.7, 0.5))
    shown = texts(draw(Figure("n", "bars", "T", "attack", "AUROC", (series,), ("homoglyph(rate=0.1)", "none"))))
    assert {"homoglyph(rate=0.1)", "none", "AUROC", "attack"} <= set(shown)


def test_heatmap_prints_its_numbers_around_zero() -> None:
    series = (Series("up", (0.0, 1.0), (0.4, math.nan)), Series("down", (0.0, 1.0), (-0.4, 0.0)))
    svg = draw(Figure("n", "heatmap", "T", "", "", series, ("a", "b")))
    assert {"0.40", "−0.40", "0.00", "–", "up", "down", "a", "b"} <= set(texts(svg))
    fills = re.findall(r'fill="(#\w{6})"', svg)
    assert "#053061" in fills
    assert "#67001f" in fills


def test_points_without_a_place_are_left_out_and_lengths_must_agree() -> None:
    svg = draw(Figure("n", "scatter", "T", "", "", (Series("a", (0.0, math.nan, 1.0), (1.0, 2.0, 3.0)),)))
    assert svg.count("<use") >= 2
    with pytest.raises(ContractError, match="2 x, 1 y"):
        draw(line(Series("a", (0.0, 1.0), (0.0,))))
    with pytest.raises(ContractError, match="1 low"):
        draw(line(Series("a", (0.0, 1.0), (0.0, 1.0), (0.0,), (1.0, 1.0))))


def test_empty_figures_say_so() -> None:
    for kind in figures._KINDS:
        assert "no data" in texts(draw(Figure("n", kind, "T", "", "", ())))  # type: ignore[arg-type]


def test_the_style_sheet_recolours_every_colour_of_the_figures() -> None:
    style = (TEMPLATES / "report.css").read_text(encoding="utf-8")
    for colour in (*COLOURS, INK, figures.FAINT):
        assert f'[stroke="{colour}"]' in style
        assert f'[fill="{colour}"]' in style


def test_matplotlib_waits_for_the_first_figure() -> None:
    code = "import sys, evenhand.reports.figures, evenhand.reports.html; sys.exit('matplotlib' in sys.modules)"
    assert run([sys.executable, "-c", code], check=False).returncode == 0
