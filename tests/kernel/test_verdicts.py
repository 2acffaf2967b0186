"""What comes of a theorem and of each step: confirmed, refused, resting on what is no rule, not checked; and of no theorem."""

from __future__ import annotations

from typing import Any

import pytest

from fltheory.kernel.language.terms import Wrong
from fltheory.kernel.theorem import FORMAT, check_step, each, recheck, theorem
from tests.kernel.written import combine, plain, row, step, told, witness
from tests.kernel.written import theorem as written

CITED = step("a", "0 <= x", plain("Assumed", citation="a book"))
CLEAN = step("b", "0 <= 1", combine())
TWICE = step("end", "0 <= 2*x", combine({"b": "0", "a": "2"}))


def test_what_rests_on_a_citation_is_outside_and_says_on_which() -> None:
    for own in ((written("own", CITED),), (written("own", CITED, CLEAN, TWICE),)):
        verdict = told(*own)
        assert verdict.outcome == "outside"
        assert verdict.reason == "step a is Assumed: a book"
    lemma = written("lemma", step("s", "0 <= x", plain("Assumed", citation="a book")))
    end = step("end", "0 <= 3", {"rule": "Apply", "theorem": "lemma", "at": [[["symbol", "x", "real"], "3"]]})
    verdict = told(lemma, written("own", end))
    assert verdict.outcome == "outside"
    assert verdict.reason == "lemma rests on step s is Assumed: a book"
    assert told(written("own", CITED, CLEAN)).outcome == "confirmed"


def test_a_refutation_that_is_cited_needs_no_hypothesis() -> None:
    cited = step("end", "1 <= x", plain("Violated", claim="a claim"), refuted=True)
    assert told(written("own", cited, given={"h": "0 <= x"})).outcome == "outside"


def test_only_of_what_is_confirmed_it_is_told_what_is_read() -> None:
    cited = written("own", step("a", "0 <= 1/x", plain("Assumed", citation="a book")))
    refuted = row("1/x <= 0", witness(x="1"), refuted=True).theorems[-1]
    unnatural = written("own", step("a", "1/x == 1/x", combine()))
    assert [told(own, domains=True).read for own in (cited, refuted)] == ["", ""]
    assert told(refuted, domains=True).outcome == "confirmed"
    assert told(unnatural, domains=True).read == "x is not seen to be nonzero"
    assert told(unnatural).read == ""


def test_what_rests_on_a_step_that_is_not_proved_is_not_proved() -> None:
    own = written(
        "own",
        step("a", "1 <= x", combine()),
        step("b", "0 <= x", combine({"a": "1"})),
        CLEAN | {"id": "c"},
        step("d", "0 < x", plain("Assumed", citation="a book")),
    )
    found = list(each(theorem(own), {}))
    assert [t.outcome for t in found] == ["refused", "refused", "confirmed", "outside"]
    assert found[1].reason == "a is not proved"


def test_a_step_alone_stands_on_those_before_it_but_for_the_refuted_ones() -> None:
    before = step("a", "1 <= x", plain("Assumed", citation="a book"))
    own = theorem(written("own", before, step("end", "0 <= x", combine({"a": "1"}))))
    check_step(own, "end", {})
    wrong = step("r", "x == 1", witness(x="0"), refuted=True)
    own = theorem(written("own", wrong, step("end", "x/x == 1", combine())))
    with pytest.raises(Wrong, match="x is not seen to be nonzero"):
        check_step(own, "end", {})


@pytest.mark.parametrize(
    ("exported", "words"),
    [
        ([], "not a file of the format"),
        ({"papers": {}}, "not a file of the format"),
        ({"format": FORMAT + "0", "papers": {}}, "not a file of the format"),
        ({"format": FORMAT}, "not a file of the format"),
        ({"format": FORMAT, "papers": []}, "not a file of the format"),
        ({"format": FORMAT, "papers": {"p": {}}}, "the paper 'p' has no list of theorems"),
    ],
)
def test_what_is_no_file_is_told(exported: Any, words: str) -> None:
    with pytest.raises(Wrong, match=words):
        list(recheck(exported))
