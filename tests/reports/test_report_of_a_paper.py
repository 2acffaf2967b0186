"""The report of a whole paper: how many sheets it prints, and nothing in it that a keyboard and a screen reader disagree on."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from fltheory.claims.catalogue import claims_of_paper
from fltheory.reports import FORMATS, document
from fltheory.reports.results import recorded_result
from tests.browser import needs_browser, nested, sheets

MOST = 60  # sheets of A4 of the longest paper
LINE = "print(verify({name!r}, Case(QuadraticClients((1, 1), (1, -1), 6), n_rounds=300, n_local_steps=2, step_size='1/7')))"


@pytest.fixture(scope="module")
def paper() -> str:
    """Sequential federated learning with its recorded verdicts and proofs; a violated claim has a line that replays it."""
    claims = claims_of_paper("sfl")
    found = {claim.id: one for claim in claims if (one := recorded_result(claim)) is not None}
    results = {
        name: replace(
            one, measured=1.0, limit=2.0, counterexample=LINE.format(name=name) if one.status == "violated" else ""
        )
        for name, one in found.items()
    }
    return FORMATS["html"](document(claims, results, "The recorded verdicts."))


@needs_browser
def test_a_paper_fits_on_sixty_sheets(paper: str, tmp_path: Path) -> None:
    """The control: with its articles on sheets of their own it does not."""
    (tmp_path / "page.html").write_text(paper)
    assert 20 < sheets(tmp_path / "page.html") <= MOST
    spoiled = paper.replace("</style>", "@media print { article { break-before: page; } }</style>", 1)
    (tmp_path / "spoiled.html").write_text(spoiled)
    assert sheets(tmp_path / "spoiled.html") > MOST


def test_no_link_stands_inside_a_picture(paper: str) -> None:
    """Also with the proofs unfolded, whose graphs have links."""
    assert paper.count('<svg class="arcs"') > 20
    assert nested(paper.replace("<details", "<details open")) == []
    assert nested(re.sub('role="group"', 'role="img"', paper, count=1)) != []
    assert nested('<button><a href="#x">x</a></button><a href="#y">y</a>') == ["a inside button"]
