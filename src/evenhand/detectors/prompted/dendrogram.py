"""The tree of features as one SVG, to choose the cut by: names to the left, cosine distance to the right."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
ROW, NAMES, WIDTH, TOP = 14, 330, 620, 64
INK, CUT = "#222", "#b2182b"


def svg(names: Sequence[str], tree: Matrix, cut: float) -> str:
    """``tree`` is scipy's linkage of the named leaves. Two colours, and the cut is dashed, so that it reads in print."""
    order = leaf_order(tree, len(names))
    scale = WIDTH / max(1e-9, float(tree[:, 2].max()) if len(tree) else 1.0, cut * 1.05)
    height = TOP + ROW * len(names) + 30
    body = [*_axis(scale, height), *_leaves(names, order), *_joints(tree, order, scale), *_cut(cut, scale, height)]
    told = f"{len(names)} features, {clusters_at(tree, len(names), cut)} at the cut {cut:g}"
    others = ", ".join(f"{c:g}: {clusters_at(tree, len(names), c)}" for c in (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7))
    head = [_text(8, 18, told, 13), _text(8, 34, f"features left at other cuts: {others}", 11)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {NAMES + WIDTH + 30} {height}" role="img" '
        f'font-family="sans-serif"><title>Dendrogram of features</title><desc>{escape(told)}</desc>'
        f"{''.join([*head, *body])}</svg>\n"
    )


def clusters_at(tree: Matrix, n: int, cut: float) -> int:
    """Average linkage never joins later at a smaller distance, so what lies above the cut is what stays apart."""
    return n - int((tree[:, 2] <= cut).sum()) if len(tree) else n


def leaf_order(tree: Matrix, n: int) -> list[int]:
    """Leaves from top to bottom, so that no two branches cross."""
    if not len(tree):
        return list(range(n))
    order, todo = [], [2 * n - 2]
    while todo:
        node = todo.pop()
        if node < n:
            order.append(node)
        else:
            left, right = int(tree[node - n, 0]), int(tree[node - n, 1])
            todo += [right, left]
    return order


def _joints(tree: Matrix, order: Sequence[int], scale: float) -> list[str]:
    n = len(order)
    at = {leaf: (0.0, TOP + ROW * (row + 0.5)) for row, leaf in enumerate(order)}
    lines = []
    for step, (left, right, distance, _) in enumerate(tree):
        x = float(distance) * scale
        (x1, y1), (x2, y2) = at[int(left)], at[int(right)]
        points = (
            f"{NAMES + x1:.1f},{y1:.1f} {NAMES + x:.1f},{y1:.1f} {NAMES + x:.1f},{y2:.1f} {NAMES + x2:.1f},{y2:.1f}"
        )
        lines.append(f'<polyline points="{points}" fill="none" stroke="{INK}"/>')
        at[n + step] = (x, (y1 + y2) / 2)
    return lines


def _leaves(names: Sequence[str], order: Sequence[int]) -> list[str]:
    return [
        _text(NAMES - 6, TOP + ROW * (row + 0.5) + 4, short(names[leaf]), 11, "end") for row, leaf in enumerate(order)
    ]


def short(name: str, most: int = 52) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"


def _axis(scale: float, height: float) -> list[str]:
    ticks = [tick / 10 for tick in range(21) if tick / 10 * scale <= WIDTH]
    return [_text(NAMES + tick * scale, height - 8, f"{tick:g}", 11, "middle") for tick in ticks]


def _cut(cut: float, scale: float, height: float) -> list[str]:
    x = NAMES + cut * scale
    line = (
        f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 8}" y2="{height - 24:.0f}" stroke="{CUT}" stroke-dasharray="5 4"/>'
    )
    return [line, _text(x, TOP - 12, "cut", 11, "middle")]


def _text(x: float, y: float, text: str, size: int, anchor: str = "start") -> str:
    shown = escape("".join(sign if sign.isprintable() else " " for sign in text))
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{INK}">{shown}</text>'
