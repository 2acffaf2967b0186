"""Labels at the ends of curves, in their colours, instead of a legend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from scipy.optimize import isotonic_regression

SIZE = 6.5  # points
SHARE = 0.5  # least part of the height of a row for its axes


class CurveEnd(NamedTuple):
    """The end of a curve, with its label and colour."""

    x: float
    y: float
    words: str
    colour: str


def label_ends(axes: Axes, ends: Sequence[CurveEnd]) -> None:
    """Write the labels on the right of the axes, each as near to the end of its curve as possible."""
    grid = axes.get_gridspec()
    figure = axes.figure.figure  # the outermost figure, even for axes in a subfigure; get_figure(root=True) since 3.10
    if not ends or grid is None or figure is None:
        return
    points = 72 * figure.get_size_inches()[1] / grid.nrows * SHARE
    heights = axes.transAxes.inverted().transform(axes.transData.transform([(e.x, e.y) for e in ends]))[:, 1]
    lines = [1 + e.words.count("\n") for e in ends]
    for end, at in zip(ends, spread_labels(np.clip(heights, 0, 1), np.array(lines) * 1.2 * SIZE / points), strict=True):
        axes.annotate(
            end.words,
            (end.x, end.y),
            (1.03, at),
            "data",
            "axes fraction",
            ha="left",
            va="center",
            fontsize=SIZE,
            color=end.colour,
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "lw": 0.4,
                "color": end.colour,
                "shrinkA": 0.5,
                "shrinkB": 1,
                "relpos": (0, 0.5),
            },
        )


def spread_labels(wanted: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return heights of labels near the wanted ones, without overlap, in the same order; below 1 if possible."""
    order = np.argsort(wanted, kind="stable")
    high = sizes[order]
    offsets = np.concatenate([[0.0], np.cumsum((high[1:] + high[:-1]) / 2)])
    nearest = isotonic_regression(wanted[order] - offsets).x + offsets
    placed = np.empty(len(wanted))
    placed[order] = nearest - max(0.0, float(nearest[-1]) - 1)
    return placed
