"""Graphs of proofs: no arrow behind a box, no text on another, and as many boxes as a page has room for."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise, product

import numpy as np
import pytest
from matplotlib.text import Text

from fltheory.plotting.figures.routing import HIGH, WIDE, ways
from fltheory.plotting.kinds.lineage import HIGHEST, fitted_graph, place_nodes, proof_picture
from fltheory.plotting.picture import GraphPanel, Node, Picture
from fltheory.plotting.plot import draw, theme_of
from fltheory.plotting.style import THEMES
from tests.plotting.pages import lay_out, off_the_page, overlaps

LOOKS = tuple(product(THEMES, (None, "column", "page")))
A4 = 11.69  # inches
GRAPHS = ("sfl/T3-SC", "osmd/C-T5")


@cache
def proof_of(name: str) -> Picture:
    """The graph of a proof, checked once."""
    return proof_picture(name)


@pytest.mark.parametrize(("style", "width"), LOOKS)
@pytest.mark.parametrize("name", GRAPHS)
def test_a_graph_is_folded_to_its_width_and_its_names_are_whole(name: str, style: str, width: str | None) -> None:
    """No text of a box lies on another, no name is cut, and a graph of a given width fits on a page."""
    picture = proof_of(name)
    (panel,) = picture.panels
    assert isinstance(panel, GraphPanel)
    figure = draw(picture, theme_of(style, width))
    lay_out(figure)
    assert overlaps(figure) == []
    assert off_the_page(figure) == []
    shown = [t.get_text().replace("\n", "").replace(" ", "") for t in figure.axes[0].texts]
    names = [node.name.replace(" ", "") if not node.name.isdigit() else f"line{node.name}" for node in panel.nodes]
    left = [name for name in names if not any(text.startswith(name) for text in shown)]
    said = re.search(r"(\d+) box", " ".join(text.get_text() for text in figure.findobj(Text)).replace("\n", " "))
    assert len(shown) + (int(said[1]) if said else 0) == len(names)
    assert bool(left) == (said is not None)
    if width is None and THEMES[style].width is None:
        assert not left
    else:
        assert figure.get_figheight() < A4
        assert (not said) or any(text.endswith("notdrawn") for text in shown)
    for text in figure.axes[0].texts:
        text.set_fontsize(60)
    assert overlaps(figure), "an overlap would be seen"


@pytest.mark.parametrize("most", [1, 2, 5, None])
@pytest.mark.parametrize("name", GRAPHS)
def test_no_arrow_of_a_graph_passes_behind_a_box(name: str, most: int | None) -> None:
    (panel,) = proof_of(name).panels
    assert isinstance(panel, GraphPanel)
    nodes = place_nodes(panel.nodes, most)
    found = ways(nodes)
    assert len(found) == sum(len(node.uses) for node in nodes)
    assert [way for way in found if behind_a_box(way, nodes)] == []
    start, end = nodes[0], nodes[-1]
    straight = [(start.column, start.row + HIGH), (end.column, end.row - HIGH)]
    assert behind_a_box(straight, nodes), "an arrow behind a box would be seen"


def behind_a_box(way: list[tuple[float, float]], nodes: tuple[Node, ...]) -> bool:
    """Whether any of many points of an arrow, straight between its corners, lies in a box."""
    t = np.linspace(0, 1, 99)[:, None]
    points = np.concatenate([(1 - t) * np.array(a) + t * np.array(b) for a, b in pairwise(way)])
    boxes = np.array([(n.column, n.row) for n in nodes])
    inside = np.abs(points[:, None] - boxes) < np.array([WIDE, HIGH]) - 1e-9
    return bool(inside.all(axis=2).any())


def test_a_box_of_which_something_is_not_drawn_says_so() -> None:
    nodes = [Node("0", "sum", "PROVED", ())]
    nodes += [Node(str(i), "sum", "PROVED", (str(i - 1),)) for i in range(1, 40)]
    picture = Picture("", (GraphPanel("", place_nodes(nodes)),))
    fitted = fitted_graph(picture, 3.5, 1)
    (panel,) = fitted.panels
    assert isinstance(panel, GraphPanel)
    names = [node.name for node in panel.nodes]
    assert names == [str(i) for i in range(40 - len(names), 40)]
    assert panel.nodes[0].rule.endswith("\n1 not drawn")
    assert not any("not drawn" in node.rule for node in panel.nodes[1:])
    assert fitted.row_height <= HIGHEST
    assert f"the {40 - len(names)} boxes that are farthest" in fitted.caption
    whole = fitted_graph(picture, 3.5, 1, whole=True)
    (panel,) = whole.panels
    assert isinstance(panel, GraphPanel)
    assert len(panel.nodes) == 40
    assert whole.caption == ""


def test_a_node_stands_below_all_that_it_uses() -> None:
    nodes = (Node("a", "", "GIVEN", ()), Node("b", "", "PROVED", ("a",)), Node("c", "", "PROVED", ("a", "b")))
    assert [n.row for n in place_nodes(nodes)] == [0, 1, 2]
