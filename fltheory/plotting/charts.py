"""Graphs of proofs and maps of claims on matplotlib's axes, in a style."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Patch
from matplotlib.path import Path

from fltheory.plotting.figures.routing import EDGE, HIGH, WIDE, Way, ways
from fltheory.plotting.panels import Handles
from fltheory.plotting.picture import DotPanel, GraphPanel, StripPanel
from fltheory.plotting.style import BLACK, STYLES, TEXTURES, VERDICTS, Theme

VERDICT_LABELS = {
    "PROVED": "proved",
    "REFUTED": "refuted",
    "UNKNOWN": "not shown",
    "ASSUMED": "assumed",
    "GIVEN": "hypothesis",
}
NEAR = 1.15  # a bar nearer to 1 than this factor would be invisible
FAR = 0.85  # words of a dot beyond this share of the axis stand on its left


def draw_graph(axes: Axes, panel: GraphPanel, look: Theme) -> Handles:
    """Draw boxes in rows, with arrows from the nodes that each uses; return the meaning of the colours."""
    axes.set_xlim(min(n.column for n in panel.nodes) - EDGE, max(n.column for n in panel.nodes) + EDGE)
    axes.set_ylim(max(n.row for n in panel.nodes) + 0.5, -0.5)
    for way in ways(panel.nodes):
        _arrow(axes, way, look)
    for node in panel.nodes:
        style = look.themed_style(VERDICTS[node.verdict])
        box = FancyBboxPatch(
            (node.column - WIDE, node.row - HIGH),
            2 * WIDE,
            2 * HIGH,
            boxstyle="round,pad=0,rounding_size=0.08",
            zorder=2,
            **{**style, "facecolor": axes.get_facecolor() if style["facecolor"] == "none" else style["facecolor"]},
        )
        axes.add_patch(box)
        ink = look.ink(BLACK) if style["facecolor"] == "none" else BLACK
        words = f"{node.short or node.name}\n{node.rule}"
        axes.text(
            node.column, node.row, words, ha="center", va="center", fontsize=6.5 * look.scale, color=ink, zorder=3
        )
    axes.axis("off")
    axes.set_title(panel.title)
    for verdict in dict.fromkeys(node.verdict for node in panel.nodes):
        yield VERDICT_LABELS[verdict], Patch(**look.themed_style(VERDICTS[verdict]))


def _arrow(axes: Axes, way: Way, look: Theme) -> None:
    """Draw an arrow along a way: straight beside boxes, and between two rows a curve that begins and ends upright."""
    corners, codes = [way[0]], [Path.MOVETO]
    for (x, y), (to_x, to_y) in pairwise(way):
        if x == to_x:
            corners, codes = [*corners, (to_x, to_y)], [*codes, Path.LINETO]
        else:
            middle = (y + to_y) / 2
            corners += [(x, middle), (to_x, middle), (to_x, to_y)]
            codes += [Path.CURVE4] * 3
    arrow = FancyArrowPatch(
        path=Path(corners, codes),
        arrowstyle="-|>",
        color=look.ink("0.35"),
        lw=0.6 * look.scale,
        mutation_scale=6 * look.scale,
        zorder=1,
    )
    axes.add_patch(arrow)


def draw_strip(axes: Axes, panel: StripPanel, look: Theme) -> Handles:
    """Draw a bar for each claim from 1 down to the used share of its bound, or up to the factor of violation.

    A share of 1 is a tick on the line, an unknown ratio a dot.
    """
    for i, mark in enumerate(panel.marks):
        style = look.themed_style(VERDICTS[mark.verdict])
        hatch = TEXTURES[mark.evidence]
        if mark.ratio is None or 1 / NEAR < mark.ratio < NEAR:
            sign, size = ("o", 2.2) if mark.ratio is None else ("|", 6.0)
            edge = style.get("edgecolor", style["facecolor"])
            colours = {"color": style["facecolor"], "markeredgecolor": edge, "markeredgewidth": 0.5 * look.scale}
            axes.plot([i], [1], marker=sign, ms=size * look.scale, ls="none", zorder=5, **colours)
            continue
        end = float(np.clip(mark.ratio, panel.least, panel.most))
        edge = axes.get_facecolor() if hatch else "none"
        axes.bar(i, end - 1, 0.9, 1, facecolor=style["facecolor"], hatch=hatch, zorder=2, edgecolor=edge, lw=0)
    axes.axhline(1, color=look.ink(BLACK), lw=0.6 * look.scale, zorder=4)
    axes.set_yscale("log")
    axes.set_ylim(panel.least / 1.5, panel.most * 1.5)
    axes.set_xlim(-1, len(panel.marks))
    axes.set_xticks([at for at, _ in panel.ticks], [name for _, name in panel.ticks])
    axes.set_yticks([panel.least, 1e-2, 1, 1e2, panel.most])
    axes.minorticks_off()
    axes.grid(False, axis="x")
    axes.set_title(panel.title)
    axes.set_ylabel("share of the bound")
    for verdict in dict.fromkeys(mark.verdict for mark in panel.marks):
        yield verdict, Patch(**look.themed_style(VERDICTS[verdict]))
    for evidence in dict.fromkeys(
        mark.evidence for mark in panel.marks if mark.evidence in ("numerical", "sampled", "statistical")
    ):
        shade = look.ink("0.35")
        yield f"evidence: {evidence}", Patch(facecolor=shade, hatch=TEXTURES[evidence], edgecolor=axes.get_facecolor())


def draw_dots(axes: Axes, panel: DotPanel, look: Theme) -> Handles:
    """Draw dots with their intervals in rows from top to bottom, and the line that they are compared with."""
    axes.set_xscale(panel.x_scale)
    if panel.limits is not None:
        axes.set_xlim(*panel.limits)
    least, most = panel.limits or (-np.inf, np.inf)
    axes.set_ylim(len(panel.rows) - 0.5, -0.5)
    for dots in panel.dots:
        style = {**look.themed_style(STYLES[dots.style]), "ls": "none"}
        style["marker"] = style["marker"] or "o"
        if dots.style == "violated":  # a white edge would wipe out the neighbours
            style |= {"marker": "x", "markeredgecolor": style["color"], "markersize": 4 * look.scale}
        values, places = np.clip(np.asarray(dots.values, float), least, most), np.asarray(dots.places, float)
        if dots.low is not None and dots.high is not None:
            low, high = (np.clip(np.asarray(end, float), least, most) for end in (dots.low, dots.high))
            axes.hlines(places, low, high, color=style["color"], lw=0.8 * look.scale, zorder=2)
        (handle,) = axes.plot(values, places, zorder=3, clip_on=False, **style)
        for x, y, words in zip(values, places, dots.words, strict=False):
            at = axes.transAxes.inverted().transform(axes.transData.transform((x, y)))[0]
            side = -1 if at > FAR else 1
            axes.annotate(
                words,
                (x, y),
                (4 * side, 0),
                textcoords="offset points",
                ha="left" if side > 0 else "right",
                va="center",
                fontsize=6 * look.scale,
            )
        yield dots.label, handle
    if panel.line is not None:
        axes.axvline(panel.line, color=look.ink("0.35"), lw=0.8 * look.scale, zorder=1)
    axes.set_yticks(range(len(panel.rows)), panel.rows if panel.named else [""] * len(panel.rows))
    axes.minorticks_off()
    axes.grid(True, axis="x")
    axes.grid(False, axis="y")
    axes.set_xlabel(panel.x_label)
    axes.set_title(panel.title)
