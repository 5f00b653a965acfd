"""Figures as inline SVG. The same figure gives the same bytes; matplotlib is imported when the first one is drawn.

Colours can be told apart by colour-blind readers and on paper (dashes, markers and hatches differ as well as hues).
A page may recolour ``INK``, ``FAINT`` and ``COLOURS`` by attribute selectors; see report.css.
"""

from __future__ import annotations

import io
import math
import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Any

from ..audits.finding import Figure, Series
from ..errors import ContractError, MissingExtra
from . import numbers, words
from .svg import embed

INK = "#23282d"
FAINT = "#c9ced4"
COLOURS = ("#0b62a4", "#d1500a", "#00866a", "#9c3587", "#8a6d00", "#5b6670")
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1.2, 1.6)), (0, (6, 2, 1.2, 2)))
MARKERS = ("o", "s", "^", "D", "v", "P")
HATCHES = ("", "////", "....", "\\\\\\\\", "xxxx")
WIDTH = 5.6
PLOT_HEIGHT = 3.0
LINE_HEIGHT = 0.175
"""Width and height of a figure without its legend, and of a line of text, in inches."""
RUG_LIMIT = 400
"""More values than this make no rug: it would be a black bar."""

_SETTINGS: dict[str, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "evenhand",
    "text.parse_math": False,
    "axes.formatter.useoffset": False,
    "font.size": 9.5,
    "axes.titlesize": 9.5,
    "text.color": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.edgecolor": INK,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": FAINT,
    "grid.linewidth": 0.5,
    "axes.grid": True,
    "axes.axisbelow": True,
    "hatch.linewidth": 0.5,
    "legend.frameon": False,
}


def draw(figure: Figure, name: str | None = None) -> str:
    """``figure`` as an SVG element whose ids begin with ``name`` (by default one made from all that it holds).

    Raises MissingExtra where matplotlib is not installed.
    """
    try:
        import matplotlib as mpl
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure as Canvas
    except ModuleNotFoundError as error:
        raise MissingExtra("a drawn figure", "figures") from error

    clean = {k: v for k, v in mpl.rcParamsDefault.items() if not k.startswith(("backend", "interactive", "toolbar"))}
    identifier = name or "f" + blake2b(repr(figure).encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    with mpl.rc_context({**clean, **_SETTINGS}), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # glyphs that matplotlib's font lacks: the reader's browser has its own
        canvas = Canvas(figsize=(WIDTH, PLOT_HEIGHT), layout="constrained")
        FigureCanvasSVG(canvas)
        axes = canvas.add_subplot()
        _KINDS[figure.kind](axes, placed(figure))
        text = io.StringIO()
        canvas.savefig(text, format="svg", transparent=True, metadata=_NO_METADATA)
    return embed(text.getvalue(), identifier, words.one_line(figure.title), describe(figure))


_NO_METADATA = dict.fromkeys(("Date", "Creator", "Format", "Type"))


def placed(figure: Figure) -> Figure:
    """Without the points that have no finite x. Raises ContractError where the lengths of a series differ."""
    if figure.kind == "density":
        return figure
    return replace(figure, series=tuple(_placed_series(figure, series) for series in figure.series))


def _placed_series(figure: Figure, series: Series) -> Series:
    columns: dict[str, Any] = {"x": series.x, "y": series.y, "low": series.low, "high": series.high}
    wanted = len(series.x)
    if any(len(column) != wanted for key, column in columns.items() if column or key == "y"):
        told = ", ".join(f"{len(column)} {key}" for key, column in columns.items())
        raise ContractError(
            f"figure {figure.name!r}, series {series.name!r}: {told}; an audit must give as many of each"
        )
    keep = [i for i, x in enumerate(series.x) if math.isfinite(x)]
    return Series(series.name, **{key: tuple(column[i] for i in keep if column) for key, column in columns.items()})


def describe(figure: Figure) -> str:
    """What a reader who does not see the figure is told: axes, and the range of every series."""
    kind = {"line": "Line chart", "density": "Histogram", "bars": "Bar chart", "heatmap": "Heat map"}.get(figure.kind)
    axes = ", ".join(f"{a}: {words.one_line(t)}" for a, t in (("x", figure.x_label), ("y", figure.y_label)) if t)
    told = "; ".join(_describe_series(figure.kind, series) for series in figure.series)
    return f"{kind or 'Scatter plot'} ({axes}). {told or 'No data'}."


def _describe_series(kind: str, series: Series) -> str:
    name = words.one_line(series.name)
    if kind == "density":
        return f"{name}: {len(series.x)} values, {_range(series.x)}"
    along = "" if kind in ("bars", "heatmap") else f"x {_range(series.x)}, y "
    return f"{name}: {len(series.y)} points, {along}{_range(series.y)}"


def _range(values: Iterable[float]) -> str:
    finite = [v for v in values if math.isfinite(v)]
    if not finite:
        return "none of them finite"
    return f"from {numbers.significant(min(finite))} to {numbers.significant(max(finite))}"


# --- kinds


def _line(axes: Any, figure: Figure) -> None:
    for i, series in enumerate(figure.series):
        style = {"color": COLOURS[i % len(COLOURS)], "linestyle": DASHES[i % len(DASHES)]}
        marker = MARKERS[i % len(MARKERS)] if len(series.x) <= 12 else None
        axes.plot(
            series.x, series.y, linewidth=1.4, marker=marker, markersize=3.5, label=_wrapped(series.name), **style
        )
        if series.low and series.high:
            axes.fill_between(series.x, series.low, series.high, color=style["color"], alpha=0.14, linewidth=0)
    if figure.series and all(_in_unit(s.x) and _in_unit(s.y) for s in figure.series):
        axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.04))
    _ticks(axes, figure)
    _finish(axes, figure)


def _scatter(axes: Any, figure: Figure) -> None:
    for i, series in enumerate(figure.series):
        colour, marker = COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)]
        if series.low and series.high:
            axes.errorbar(series.x, series.y, yerr=_errors(series), fmt="none", ecolor=colour, elinewidth=0.8)
        axes.scatter(series.x, series.y, s=16, color=colour, marker=marker, linewidths=0, label=_wrapped(series.name))
    _ticks(axes, figure)
    _finish(axes, figure)


def _density(axes: Any, figure: Figure) -> None:
    """Histograms with common bins, each as shares of its own values, over a rug of the values themselves."""
    import numpy as np

    values = [np.array([v for v in s.x if math.isfinite(v)], dtype=float) for s in figure.series]
    pooled = np.concatenate(values) if values else np.array([])
    edges = _bins(pooled)
    for i, (series, kept) in enumerate(zip(figure.series, values, strict=True)):
        colour, dash = COLOURS[i % len(COLOURS)], DASHES[i % len(DASHES)]
        label = _wrapped(f"{series.name} (n = {len(kept)}{_dropped(series, len(kept))})")
        shares = np.histogram(kept, edges)[0] / max(len(kept), 1)
        axes.stairs(shares, edges, fill=True, color=colour, alpha=0.12, linewidth=0)
        axes.stairs(shares, edges, color=colour, linestyle=dash, linewidth=1.4, label=label)
        if len(kept) <= RUG_LIMIT:
            low = -0.03 - 0.04 * i
            axes.vlines(
                kept, low, low + 0.03, transform=axes.get_xaxis_transform(), color=colour, linewidth=0.5, clip_on=False
            )
    axes.tick_params(axis="x", pad=4 + 7 * len(figure.series))
    _finish(axes, replace(figure, y_label=figure.y_label.replace("density", "") or "share of texts"))


def _bins(values: Any) -> Any:
    """At least 8 and at most 40 equal bins; between them the rule of Freedman and Diaconis."""
    import numpy as np

    if values.size == 0 or values.min() == values.max():
        return np.linspace(-0.5, 0.5, 9) + (values[0] if values.size else 0.0)
    wanted = len(np.histogram_bin_edges(values, "fd")) - 1 if _fd_is_safe(values) else 40
    return np.linspace(values.min(), values.max(), min(max(wanted, 8), 40) + 1)


def _fd_is_safe(values: Any) -> bool:
    """Far outliers beside a narrow bulk would make the rule ask for millions of bins."""
    import numpy as np

    low, high = np.percentile(values, [25, 75])
    return bool(np.ptp(values) < 500 * (high - low))


def _dropped(series: Series, kept: int) -> str:
    left_out = len(series.x) - kept
    return f", {left_out} without a finite score left out" if left_out else ""


def _bars(axes: Any, figure: Figure) -> None:
    """Horizontal, so that long names can be read; one band per category, one bar per series in it."""
    thick = 0.8 / max(len(figure.series), 1)
    for i, series in enumerate(figure.series):
        at = [x + (i - (len(figure.series) - 1) / 2) * thick for x in series.x]
        colour, hatch = COLOURS[i % len(COLOURS)], HATCHES[i % len(HATCHES)]
        look = (
            {"color": colour, "alpha": 0.8} if not hatch else {"facecolor": "none", "edgecolor": colour, "hatch": hatch}
        )
        axes.barh(at, series.y, height=thick * 0.86, linewidth=0.8, label=_wrapped(series.name), **look)
        if series.low and series.high:
            axes.errorbar(series.y, at, xerr=_errors(series), fmt="none", ecolor=INK, elinewidth=0.9, capsize=2)
    positions = sorted({x for series in figure.series for x in series.x})
    labels = [_tick(figure, x) for x in positions]
    axes.set_yticks(positions, labels)
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    band = max(_lines(labels) * LINE_HEIGHT, 0.14 * len(figure.series)) + 0.08
    axes.figure.set_figheight(0.6 + band * max(len(positions), 1))
    _finish(axes, figure, swapped=True)


def _heatmap(axes: Any, figure: Figure) -> None:
    """Blue to red around 0 where values have both signs, around 0.5 where all lie in [0, 1]."""
    import matplotlib as mpl
    import numpy as np

    columns = sorted({x for series in figure.series for x in series.x})
    cells = np.full((len(figure.series), max(len(columns), 1)), np.nan)
    for row, series in enumerate(figure.series):
        for x, y in zip(series.x, series.y, strict=True):
            cells[row, columns.index(x)] = y
    low, high = _diverging_limits(cells[np.isfinite(cells)])
    colours = mpl.colormaps["RdBu_r"].resampled(256)
    places = _common_places(cells[np.isfinite(cells)])
    for (row, column), value in np.ndenumerate(cells):
        shade = colours((value - low) / (high - low)) if math.isfinite(value) else (1.0, 1.0, 1.0, 0.0)
        axes.add_patch(
            mpl.patches.Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=shade, edgecolor=FAINT, linewidth=0.5)
        )
        ink = ("#ffffff" if _luminance(shade) < 0.18 else "#111111") if math.isfinite(value) else INK
        axes.text(column, row, numbers.fixed(value, places), ha="center", va="center", color=ink, fontsize=8.5)
    axes.set(xlim=(-0.5, len(columns) - 0.5), ylim=(len(figure.series) - 0.5, -0.5))
    names = [_wrapped(s.name, 34) for s in figure.series]
    axes.set_yticks(range(len(names)), names)
    axes.grid(visible=False)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    rows = len(names) * max(0.28, _lines(names) * LINE_HEIGHT + 0.06)
    axes.figure.set_size_inches(max(WIDTH, 2.2 + 0.5 * len(columns)), rows + 0.5)
    _name_columns(axes, range(len(columns)), [_tick(figure, x) for x in columns], 32)
    _finish(axes, figure, with_legend=False)


_KINDS: dict[str, Callable[[Any, Figure], None]] = {
    "line": _line,
    "density": _density,
    "scatter": _scatter,
    "bars": _bars,
    "heatmap": _heatmap,
}


def _diverging_limits(values: Any) -> tuple[float, float]:
    if values.size == 0:
        return 0.0, 1.0
    if values.min() >= 0 and values.max() <= 1:
        return 0.0, 1.0
    centre = 0.0 if values.min() < 0 < values.max() else float(values.min() + values.max()) / 2
    reach = float(abs(values - centre).max()) or 1.0
    return centre - reach, centre + reach


def _common_places(values: Any) -> int:
    """Decimals that show two digits of the largest value, in every cell alike; at least 2 where all lie in [-1, 1]."""
    largest = float(abs(values).max()) if values.size else 1.0
    if largest == 0 or not math.isfinite(largest):
        return 0
    return max(1 - math.floor(math.log10(largest)), 2 if largest <= 1 else 0)


def _luminance(colour: Sequence[float]) -> float:
    """Relative luminance of sRGB (WCAG 2, 'relative luminance')."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3]]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


# --- what the kinds share


def _finish(axes: Any, figure: Figure, *, swapped: bool = False, with_legend: bool = True) -> None:
    x, y = (figure.y_label, figure.x_label) if swapped else (figure.x_label, figure.y_label)
    axes.set(xlabel=_wrapped(x, 48) if x else "", ylabel=_wrapped(y, 34) if y else "")
    if not any(series.x for series in figure.series):
        axes.text(0.5, 0.5, "no data", transform=axes.transAxes, ha="center", va="center")
    elif with_legend:
        _legend(axes, figure)


def _legend(axes: Any, figure: Figure) -> None:
    """Below the axes, in columns where the names are short; a single unnamed series needs none."""
    if [series.name for series in figure.series] == [""]:
        return
    handles, labels = axes.get_legend_handles_labels()
    longest = max(len(line) for label in labels for line in label.split("\n"))
    columns = 3 if longest <= 16 else 2 if longest <= 30 else 1
    lines = sum(label.count("\n") + 1 for label in labels) if columns == 1 else math.ceil(len(labels) / columns)
    axes.figure.set_figheight(axes.figure.get_figheight() + lines * LINE_HEIGHT + 0.1)
    axes.figure.legend(
        handles,
        labels,
        loc="outside lower left",
        ncols=columns,
        handlelength=2.8,
        fontsize=9,
        labelspacing=0.3,
        borderpad=0,
    )


def _ticks(axes: Any, figure: Figure) -> None:
    if figure.ticks:
        positions = [p for p in sorted({x for s in figure.series for x in s.x}) if 0 <= p < len(figure.ticks)]
        _name_columns(axes, positions, [_tick(figure, x) for x in positions], 60)


def _name_columns(axes: Any, positions: Sequence[float], labels: Sequence[str], room: int) -> None:
    """Names along the x axis, slanted where together they are longer than ``room`` characters."""
    longest = max((len(line) for label in labels for line in label.split("\n")), default=0)
    slanted = longest * len(labels) > room
    axes.set_xticks(positions, labels, rotation=35 if slanted else 0, ha="right" if slanted else "center")
    if slanted:
        axes.figure.set_figheight(axes.figure.get_figheight() + 0.045 * longest)


def _tick(figure: Figure, position: float) -> str:
    """The name of the column at ``position``; the number itself where ``ticks`` names none."""
    index = round(position)
    named = index == position and 0 <= index < len(figure.ticks)
    return _wrapped(figure.ticks[index], 34) if named else numbers.significant(position)


def _wrapped(text: str, width: int = 60) -> str:
    """Lines of at most ``width`` characters, broken after spaces and the signs that part a spec.

    A leading underscore would hide the entry of a legend: a space without width stands before it.
    """
    lines = [""]
    for piece in re.findall(rf"[(]?[^\s(@/,]{{1,{width - 3}}}[(@/,]?\s?|.", words.one_line(text) or "(unnamed)"):
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    whole = "\n".join(line.rstrip() for line in lines)
    return "\u200b" + whole if whole.startswith("_") else whole


def _lines(labels: Iterable[str]) -> int:
    return max((label.count("\n") + 1 for label in labels), default=1)


def _errors(series: Series) -> list[list[float]]:
    """Distances to the bounds, never negative: a bound on the wrong side of its value is drawn at the value."""
    below = [max(y - low, 0.0) if math.isfinite(low) else 0.0 for y, low in zip(series.y, series.low, strict=True)]
    above = [max(high - y, 0.0) if math.isfinite(high) else 0.0 for y, high in zip(series.y, series.high, strict=True)]
    return [below, above]


def _in_unit(values: Sequence[float]) -> bool:
    return all(0 <= v <= 1 for v in values if math.isfinite(v))
