"""What is wrong with a drawn page, as computed from the boxes of its texts and the looks of its lines."""

from __future__ import annotations

from contextlib import AbstractContextManager
from itertools import combinations

import numpy as np
from matplotlib import rc_context
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import BboxBase

from fltheory.plotting.plot import StableFigure

LEAST = 3.25  # points of letters that are read
GREYS = 0.12  # difference of two greys that is seen


def lay_out(figure: Figure) -> None:
    """Lay the page out as its files are: in the settings of its style, on which ticks depend."""
    with _settings(figure):
        figure.draw_without_rendering()


def _settings(figure: Figure) -> AbstractContextManager[None]:
    return rc_context(figure.look.rc() if isinstance(figure, StableFigure) else {})


def off_the_page(figure: Figure) -> list[str]:
    page = figure.bbox.padded(2)
    return [
        text
        for text, box in boxes(figure)
        if not (page.x0 <= box.x0 <= box.x1 <= page.x1 and page.y0 <= box.y0 <= box.y1 <= page.y1)
    ]


def too_small(figure: Figure) -> list[str]:
    """The visible texts in letters that are too small."""
    texts = figure.findobj(Text)
    return [t.get_text() for t in texts if t.get_visible() and t.get_text() and t.get_fontsize() < LEAST]


def boxes(figure: Figure) -> list[tuple[str, BboxBase]]:
    """The visible texts with their bounding boxes; ticks beyond an axis are not drawn."""
    with _settings(figure):
        return _boxes(figure)


def _boxes(figure: Figure) -> list[tuple[str, BboxBase]]:
    hidden = set[int]()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                if not low * (1 - 1e-9) - 1e-300 <= tick.get_loc() <= high * (1 + 1e-9) + 1e-300:
                    hidden |= {id(tick.label1), id(tick.label2)}
    texts = figure.findobj(lambda artist: type(artist).__name__ in ("Text", "Annotation"))
    shown = [t for t in texts if t.get_visible() and t.get_text() and id(t) not in hidden]
    return [(t.get_text(), t.get_window_extent()) for t in shown]


def overlaps(figure: Figure) -> list[tuple[str, str]]:
    """The pairs of texts that lie on one another by more than a hair."""
    return [
        (a, b)
        for (a, first), (b, second) in combinations(boxes(figure), 2)
        if min(first.x1, second.x1) - max(first.x0, second.x0) > 1
        and min(first.y1, second.y1) - max(first.y0, second.y0) > 1
    ]


def alike_in_grey(figure: Figure) -> list[tuple[str, str]]:
    """The pairs of entries of the legend that have one name, or one dash, mark and grey."""
    entries = [
        (text.get_text(), handle)
        for legend in figure.legends
        for text, handle in zip(legend.get_texts(), legend.legend_handles, strict=True)
        if isinstance(handle, Line2D)
    ]
    return [(a, b) for (a, x), (b, y) in combinations(entries, 2) if a == b or not told_apart(x, y)]


def told_apart(first: Line2D, second: Line2D) -> bool:
    dashes = [(line.get_linestyle(), line._unscaled_dash_pattern) for line in (first, second)]
    greys = [float(np.dot(to_rgb(line.get_color()), (0.299, 0.587, 0.114))) for line in (first, second)]
    return dashes[0] != dashes[1] or first.get_marker() != second.get_marker() or abs(greys[0] - greys[1]) > GREYS
