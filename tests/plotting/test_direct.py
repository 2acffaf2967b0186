"""What drawing adds on its own: labels at the ends of curves, colour scales that are shared, captions, whole ticks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure

from fltheory.plotting.direct_labels import spread_labels
from fltheory.plotting.figures.wrapping import fill
from fltheory.plotting.picture import Curve, MapPanel, Panel, Picture, table
from fltheory.plotting.plot import draw

LINE = Panel("title", "x", "y", (Curve("first", (1, 2, 3), (1, 2, 4), "first"),), x_scale="linear")


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.floats(0.01, 0.1))
def test_labels_keep_apart_and_in_order(wanted: list[float], size: float) -> None:
    heights, sizes = np.array(wanted), np.full(len(wanted), size)
    placed = spread_labels(heights, sizes)
    assert (np.diff(np.sort(placed)) >= size - 1e-9).all()
    assert placed.max() <= 1 + 1e-9
    by_height = np.argsort(heights, kind="stable")
    assert (np.diff(placed[by_height]) > 0).all()


def test_labels_with_room_stay_where_they_are() -> None:
    assert spread_labels(np.array([0.8, 0.1, 0.5]), np.full(3, 0.1)) == pytest.approx([0.8, 0.1, 0.5])
    assert spread_labels(np.array([0.5, 0.5]), np.full(2, 0.2)) == pytest.approx([0.4, 0.6])


def _texts(figure: Figure) -> list[str]:
    return [text.get_text() for axes in figure.axes for text in axes.texts]


def _legend(figure: Figure) -> list[str]:
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def test_a_curve_with_a_tag_is_not_in_the_legend() -> None:
    second = Curve("second", (1, 2, 3), (2, 3, 9), "second", tag="its end")
    figure = draw(Picture("", (replace(LINE, curves=(*LINE.curves, second)),)))
    assert (_texts(figure), _legend(figure)) == (["its end"], ["first"])
    nowhere = replace(second, y=(np.nan, np.nan, np.nan))
    assert _texts(draw(Picture("", (replace(LINE, curves=(*LINE.curves, nowhere)),)))) == []


def _map(top: float, label: str = "label") -> MapPanel:
    return MapPanel("", "", "", (1, 2), (1, 2), [[top, -0.1], [0.2, 0.1]], label, "high", "low")


def test_maps_of_one_label_share_their_colours() -> None:
    def reaches(*panels: MapPanel) -> list[float]:
        axes = draw(Picture("", panels, columns=len(panels))).axes
        return [
            float(c.norm.vmax or 0) for a in axes for c in a.collections if isinstance(c, QuadMesh) and len(a.texts)
        ]

    assert reaches(_map(1.0), _map(17.0)) == [17, 17]
    assert reaches(_map(1.0), _map(17.0, "another")) == [1, 17]


def test_a_caption_is_there_with_and_without_a_legend() -> None:
    assert draw(Picture("", (_map(1.0),), caption="of a map")).get_supxlabel() == "of a map"
    figure = draw(Picture("", (LINE,), caption="of a line"))
    assert [legend.get_title().get_text() for legend in figure.legends] == ["of a line"]


def test_few_whole_numbers_have_whole_ticks() -> None:
    def ticks(x: tuple[float, ...]) -> np.ndarray:
        (axes,) = draw(Picture("", (replace(LINE, curves=(replace(LINE.curves[0], x=x),)),))).axes
        return np.asarray(axes.get_xticks())

    whole, broken = ticks((1, 2, 3)), ticks((1, 2.5, 3))
    assert (whole == np.round(whole)).all()
    assert (broken != np.round(broken)).any()


def test_notes_may_differ_from_point_to_point() -> None:
    curve = replace(LINE.curves[0], note=("8 seeds", "16 seeds", "exact"))
    assert [row[-1] for row in table(Picture("", (replace(LINE, curves=(curve,)),)))[1:]] == [
        "8 seeds",
        "16 seeds",
        "exact",
    ]
    with pytest.raises(ValueError, match="zip"):
        table(Picture("", (replace(LINE, curves=(replace(curve, note=("8 seeds",)),)),)))


def test_lines_do_not_end_within_a_formula() -> None:
    text = "at $T = 10 + 10 + 10$ it holds, and $\\alpha < 1$ too"
    lines = fill(text, 24).splitlines()
    assert len(lines) > 1
    assert all(line.count("$") % 2 == 0 for line in lines)
    assert " ".join(lines) == text
