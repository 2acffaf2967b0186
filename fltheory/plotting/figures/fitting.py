"""What is too large for a page, after its layout: texts get smaller, ticks fewer, exponents stack, and the page grows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from matplotlib.axes import Axes
from matplotlib.axis import Axis, Tick
from matplotlib.figure import Figure
from matplotlib.text import Annotation, Text
from matplotlib.ticker import FixedFormatter, FixedLocator

PASSES = 7  # what is changed changes the layout
LOWEST = 0.55  # share of the height of a row that its axes have at least
SMALLEST = 0.5  # share of its size to which a text shrinks at most
EXPONENT = "exponent"  # label of the texts above axes that say a curve's exponent
SLACK = 0.97  # share of the room that a text takes: widths differ a little by renderer


def fit_to_page(figure: Figure, row_height: float) -> None:
    """Change what lies off the page or on one another. ``row_height``: inches of a row of panels."""
    own: dict[Text, float] = {}
    for _ in range(PASSES):
        figure.draw_without_rendering()
        if _higher(figure, row_height):  # its ticks are other ones now
            continue
        stacked = [_stacked(axes) for axes in figure.axes]
        if any(stacked):  # the axes are lower now
            continue
        pinned = [_pinned(axis, figure) for axis in _numbered(figure)]
        if any(pinned):  # the layout has room for them now
            continue
        changed = [_thinned(axis) for axis in _numbered(figure)]
        for text, share in _too_large(figure):
            changed.append(_smaller(text, share, SMALLEST * own.setdefault(text, float(text.get_fontsize()))))
        if not any(changed):
            return


def _higher(figure: Figure, row_height: float) -> bool:
    """Give the page what its lowest axes lack."""
    dpi = figure.dpi
    heights = [axes.get_window_extent().height / dpi for axes in figure.axes if axes.get_visible()]
    lacking = LOWEST * row_height - min(heights, default=row_height)
    if lacking <= 0.01:
        return False
    grid = figure.axes[0].get_gridspec()
    figure.set_figheight(figure.get_figheight() + lacking * (1 if grid is None else grid.nrows))
    return True


def _stacked(axes: Axes) -> bool:
    """Put the exponents above axes below one another if beside one another they are wider than the axes."""
    found = [t for t in axes.texts if isinstance(t, Annotation) and t.get_label() == EXPONENT]
    boxes = [text.get_window_extent() for text in found]
    beside = [text.xyann[0] for text in found]
    if not any(beside) or min(box.x0 for box in boxes) >= axes.get_window_extent().x0:
        return False
    line = 1.1 * max(box.height for box in boxes) * 72 / axes.figure.dpi
    for i, text in enumerate(reversed(found)):
        text.xyann = (0, 1 + i * line)
    axes.set_title(axes.get_title(loc="left"), pad=(len(found) + 0.5) * line, loc="left")
    return True


def _numbered(figure: Figure) -> Iterator[Axis]:
    for axes in figure.axes:
        if axes.axison and axes.get_visible():
            yield from (axes.xaxis, axes.yaxis)


def _named(axis: Axis) -> list[Tick]:
    """Return the ticks of an axis that are seen and have a name."""
    low, high = sorted(axis.get_view_interval())
    return [tick for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high and tick.label1.get_text()]


def _keep(axis: Axis, ticks: Sequence[Tick]) -> None:
    """Leave an axis these ticks, with their names."""
    names = [tick.label1.get_text() for tick in ticks]
    axis.set_major_locator(FixedLocator([float(tick.get_loc()) for tick in ticks]))
    axis.set_major_formatter(FixedFormatter(names))


def _pinned(axis: Axis, figure: Figure) -> bool:
    """Keep the ticks of an axis off the page: its layout was that of other, shorter names."""
    if isinstance(axis.get_major_locator(), FixedLocator):
        return False
    ticks = _named(axis)
    boxes = [text.get_window_extent() for text in (axis.label, *(tick.label1 for tick in ticks)) if text.get_text()]
    if not any(box.x0 < figure.bbox.x0 - 1 or box.x1 > figure.bbox.x1 + 1 for box in boxes):
        return False
    _keep(axis, ticks)
    return True


def _thinned(axis: Axis) -> bool:
    """Leave out every second tick if the names of two neighbours lie on one another."""
    ticks = _named(axis)
    boxes = [tick.label1.get_window_extent() for tick in ticks]
    if not any(
        min(a.x1, b.x1) - max(a.x0, b.x0) > 0.5 and min(a.y1, b.y1) - max(a.y0, b.y0) > 0.5 for a, b in pairwise(boxes)
    ):
        return False
    _keep(axis, ticks[::2])
    return True


def _too_large(figure: Figure) -> Iterator[tuple[Text, float]]:
    """Yield texts with the share of their size that has room."""
    page = figure.bbox
    ticks = {id(label) for axis in _numbered(figure) for label in axis.get_ticklabels()}
    for text in figure.findobj(Text):
        if not text.get_visible() or not text.get_text() or id(text) in ticks:
            continue
        box = text.get_window_extent()
        if box.x0 < page.x0 - 1 or box.x1 > page.x1 + 1:
            middle = (box.x0 + box.x1) / 2
            room = (
                page.x1 - box.x0
                if text.get_horizontalalignment() == "left"
                else 2 * min(middle - page.x0, page.x1 - middle)
            )
            yield text, room / box.width
    for axes in figure.axes:
        yield from _upright(axes)


def _upright(axes: Axes) -> Iterator[tuple[Text, float]]:
    """Yield the vertical label of axes if it is longer than they are high."""
    label = axes.yaxis.label
    if axes.axison and axes.get_visible() and label.get_text():
        share = axes.get_window_extent().height / label.get_window_extent().height
        if share < SLACK:
            yield label, share


def _smaller(text: Text, share: float, least: float) -> bool:
    """Make a text smaller, down to a least size that can be read; return whether it was possible."""
    size = float(text.get_fontsize())
    wanted = max(size * SLACK * share, least)
    text.set_fontsize(min(wanted, size))
    return wanted < size
