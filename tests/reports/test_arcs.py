"""The graph of a proof: a point for each hypothesis and line, an arc for each use, and no other."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from fltheory import find
from fltheory.reports.arcs import arc_diagram
from fltheory.reports.document import document
from fltheory.reports.page import as_article

LINES = [("1", ("given",), "PROVED"), ("a<b", ("1", "given", "elsewhere"), "ASSUMED"), ("last", (), "REFUTED")]


def test_every_use_is_an_arc_and_nothing_else() -> None:
    drawn = ET.fromstring(arc_diagram(["given"], LINES, {"1": "here-1", "last": "here-3"}))
    assert [p.get("d") for p in drawn.iter("path")] == [
        "M16 22A8 8 0 0 1 32 22",
        "M32 22A8 8 0 0 1 48 22",
        "M16 22A16 16 0 0 1 48 22",
    ]
    assert [c.get("class") for c in drawn.iter("circle")] == ["PROVED", "ASSUMED", "REFUTED"]
    assert [a.get("href") for a in drawn.iter("a")] == ["#here-1", "#here-3"]
    assert [t.text for t in drawn.iter("title")] == ["given", "1", "a<b", "last"]


def test_a_long_arc_stays_low() -> None:
    drawn = ET.fromstring(
        arc_diagram(["h"], [*((str(n), (), "PROVED") for n in range(40)), ("end", ("h",), "PROVED")], {})
    )
    assert int(drawn.get("height", "0")) < 100


def test_points_lead_to_the_lines_of_the_page() -> None:
    entry = document([find("sfl/U6@explicit")], {}, "").papers[0].entries[0]
    page = as_article(entry)
    theorem = entry.theorems[0]
    for line in theorem.lines:
        name = theorem.anchor_of(line, entry.anchor)
        assert f'href="#{name}"' in page
        assert f'id="{name}"' in page
