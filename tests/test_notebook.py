"""What a notebook shows: well-formed cards in which nothing of a user's is a tag, and no verdict looks better than it is."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from sympy import Symbol

from fltheory import find, verify
from fltheory.claims.catalogue import catalogue
from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.evidence.verdict import Verdict
from fltheory.model import html_cards
from fltheory.model.bound import Bound, Source
from fltheory.model.case import Case
from fltheory.problems.separable import QuadraticClients
from fltheory.proof import library
from fltheory.proof.check import check_stored
from fltheory.proof.language import Theorem
from fltheory.proof.report import Report
from fltheory.search.falsifier import Falsification, falsify
from fltheory.symbols import smoothness

GOOD, BAD = "sfl/T3-SC@corrected", "sfl/D3-first@printed"
NASTY = "<b>&amp; 'x' \"y\" $z$ \\(w\\) </td><script>"


def read(html: str) -> dict[str, str]:
    """The rows of a card as a browser shows them: its text, with the title under its own name."""
    rows = ElementTree.fromstring(html).findall("tr")
    texts = [["".join(cell.itertext()) for cell in row] for row in rows]
    return {cells[0]: cells[-1] for cells in texts}


def tags(html: str) -> set[str]:
    return {element.tag for element in ElementTree.fromstring(html).iter()}


def balanced(html: str) -> bool:
    """Whether dollars come in pairs and braces close, where a browser looks for formulas: not inside spans or code."""
    shown = re.sub(r"<(span|code)>.*?</\1>", "", html)
    depth = 0
    for piece in re.findall(r"(?<!\\)[{}]", "".join(re.findall(r"\$+([^$]+)\$+", shown))):
        depth += 1 if piece == "{" else -1
    return depth == 0 and len(re.findall(r"\$", shown)) % 2 == 0 and shown.count("$$") % 2 == 0


def test_every_claim_of_the_catalogue_has_a_card_and_a_line() -> None:
    for claim in catalogue():
        html = claim._repr_html_()
        assert read(html)["statement"] == claim.statement
        assert balanced(html), claim.id
        assert "\n" not in repr(claim) + "".join(map(repr, claim.bounds))
        assert ("violated" in read(html)["verdict"]) == (
            claim.measure is not None and claim.entry.recorded == "violated"
        )
        assert "recorded, not checked now" in html or claim.measure is None


def nasty() -> Claim:
    source = Source("mine", NASTY, "printed", NASTY)
    bound = Bound(Symbol("smoothness", positive=True), source, letters=((smoothness, "$<&"),))
    claim = find(GOOD)
    assert claim.algorithm is not None
    other = replace(claim.algorithm, name=NASTY)
    return replace(claim, statement=NASTY, remark=NASTY, bounds=(bound,), algorithm=other)


def test_what_a_user_gives_is_no_tag_and_no_formula() -> None:
    claim = nasty()
    verdict = Verdict(NASTY, "inapplicable", None, claim.cases[0], reason=NASTY, variant=NASTY)
    for html in (claim._repr_html_(), verdict._repr_html_(), claim.bound._repr_html_()):
        assert tags(html) <= {"table", "tr", "th", "td", "span", "strong", "code", "br"}
        assert balanced(html)
        assert NASTY in " ".join(read(html).values()) + " ".join(read(html))
    assert claim.bound._repr_latex_() == r"$$\text{measured} \le <&$$"
    assert claim._repr_latex_() == claim.bound._repr_latex_()


def test_an_imbalance_would_be_seen() -> None:
    assert balanced("$$a$$ and $b$")
    assert not balanced("$$a$$ and $b")
    assert not balanced("$a{$")


def test_a_variant_has_no_recorded_verdict() -> None:
    card = read(nasty()._repr_html_())
    assert card["verdict"].startswith("none is recorded")
    assert card["to check"] == "verify(claim)"


def test_a_verdict_says_what_it_rests_on() -> None:
    exact = verify(GOOD)
    assert read(exact._repr_html_())["evidence"] == "exact: a proof for this instance"
    sampled = replace(exact, evidence="statistical", error_rate=1e-7, n_seeds=400)
    card = read(sampled._repr_html_())
    assert card["verdict"] == "holds, by statistics"
    assert "no proof; error rate 1e-07, 400 seeds" in card["evidence"]
    assert "exact" not in card["evidence"]
    unknown = Verdict("x", "inconclusive", "holds", exact.case)
    assert read(unknown._repr_html_())["evidence"] == "none"
    assert "<strong>inconclusive</strong>" in unknown._repr_html_()


def test_what_is_refuted_looks_refuted() -> None:
    for html in (find(BAD)._repr_html_(), verify(BAD)._repr_html_()):
        assert "<strong>violated</strong>" in html
    broken = replace(verify(BAD), recorded="holds")
    assert read(broken._repr_html_())["verdict"] == "violated, recorded as holds"


def test_a_witness_is_whole_however_long() -> None:
    verdict = verify(BAD)
    assert read(verdict._repr_html_())["counterexample"] == verdict.counterexample
    clients = 40
    case = Case(QuadraticClients(((1, "1/10"),) * clients, ((0, 0),) * clients, (3, 3)), n_rounds=10)
    large = replace(verdict, case=case)
    assert large.counterexample is not None
    assert len(large.counterexample) > html_cards.FOLD_LENGTH
    assert large.counterexample in read(large._repr_html_())["counterexample"]
    assert "<details><summary>" in large._repr_html_()
    assert repr(case) in read(large._repr_html_())["case"]


def test_representations_of_cases_and_verdicts_rebuild_them() -> None:
    verdict = check_claim(find(GOOD), find(GOOD).cases[0])
    names = {"Case": Case, "QuadraticClients": QuadraticClients, "Verdict": Verdict}
    assert eval(repr(verdict), names) == verdict
    assert read(verdict.case._repr_html_())["n_rounds"] == str(dict(verdict.case.settings)["n_rounds"])


@pytest.fixture
def searches() -> list[Falsification]:
    found = falsify(BAD)
    claim = find("sfl/U7@explicit")
    none = Falsification(claim, None, verify(claim), 7, 5, 1.0, tested=5)
    return [found, none, replace(none, nearest=None, applicable=0, tested=0, reason="<none>")]


def test_a_search_says_what_it_found_and_that_nothing_is_proved(searches: list[Falsification]) -> None:
    found, none, untested = (read(search._repr_html_()) for search in searches)
    assert found["verdict"] == "violated"
    assert found["counterexample"].startswith("from fltheory import verify")
    assert none["search"].startswith("no counterexample found: 7 cases examined")
    assert "nothing is proved" in none["evidence"]
    assert none["nearest"].startswith("ratio")
    assert untested["search"].startswith("nothing was tested")
    assert untested["why"].endswith("<none>")
    for search in searches:
        assert "\n" not in repr(search)
        assert len(repr(search)) < 200


def test_theorems_are_recorded_and_reports_checked() -> None:
    theorem = next(t for t in library.load("sfl").theorems if t.id == "sfl/part")
    assert read(theorem._repr_html_())["verdict"] == "PROVED: recorded, not checked now"
    report = check_stored(library.load("sfl"), theorem, {})
    assert read(report._repr_html_())["verdict"].startswith("PROVED, all parameters: checked")
    failed = replace(report, verdict="UNKNOWN", faults=("<no>",))
    assert "<strong>UNKNOWN</strong>" in failed._repr_html_()
    assert "differs from the record" in failed._repr_html_()
    assert repr(theorem) == "<Theorem sfl/part: 5 steps, recorded as PROVED>"
    assert repr(report) == "<Report on sfl/part: PROVED, 5 steps: 5 PROVED>"


def test_every_theorem_has_a_card() -> None:
    for theorem in library.load("sfl").theorems:
        assert isinstance(theorem, Theorem)
        assert read(theorem._repr_html_())["statement"]
        blank = Report(theorem, "UNKNOWN", "", (), (), 0.0)
        assert "<strong>UNKNOWN</strong>" in blank._repr_html_()
