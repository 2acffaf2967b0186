"""Rows of a table of claims: a quantity, and below it its readings."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import pytest
from sympy import Integer, Symbol

from fltheory.claims.statement import Constants, Paper, imported_late, printed, quantity, row, strengthened
from fltheory.model.case import Case
from fltheory.model.schema import Record, nonnegative, scalar
from fltheory.number import Number
from fltheory.symbols import n_clients
from fltheory.verification import verify

PAPER = Paper("mine", ((n_clients, "M"),))


class Share(Record):
    """One number."""

    value: Number = scalar(nonnegative)


CASES = (Case(Share("1/3")), Case(Share(2)))
lemma = partial(PAPER.lemma, cases=CASES)


def half(one: Share, c: Constants) -> Fraction:
    return Fraction(one.value) / 2


def test_a_row_states_what_is_measured_and_how() -> None:
    claim = lemma("L1", "Lemma 1", "s/2", half).printed("s/2 <= 1", quantity <= 1)
    assert (claim.id, claim.statement, claim.kind, claim.cases) == ("mine/L1@printed", "s/2 <= 1", "lemma", CASES)
    assert claim.measure.name == "s/2"
    assert [v.status for v in map(partial(verify, claim), CASES)] == ["holds", "holds"]
    assert (
        verify(lemma("L1", "Lemma 1", "s/2", half).printed("s/2 < 1", quantity <= Integer(1) / 2)).status == "violated"
    )


def test_readings_are_the_readings_one_by_one() -> None:
    one = lemma("L1", "Lemma 1", "s/2", half)
    both = one.readings(
        printed("s/2 <= 2", quantity <= 2, remark="as printed"),
        strengthened("s/2 <= 1", quantity <= 1, cases=CASES[:1]),
    )
    assert both == (
        one.printed("s/2 <= 2", quantity <= 2, remark="as printed"),
        one.strengthened("s/2 <= 1", quantity <= 1, cases=CASES[:1]),
    )
    assert both[0] != both[1]


def test_a_reading_may_have_an_id_and_a_place_of_its_own() -> None:
    one = lemma("L1", "Lemma 1", "s/2", half)
    (claim,) = one.readings(printed("s/2 <= 1", quantity <= 1, id="L1-half", place="text after Lemma 1"))
    assert claim == one.restated("L1-half", "text after Lemma 1").printed("s/2 <= 1", quantity <= 1)
    assert (claim.id, claim.bound.source.place) == ("mine/L1-half@printed", "text after Lemma 1")


def test_each_reading_has_its_word() -> None:
    assert row("explicit", "words", quantity <= 1, remark="why").reading == "explicit"
    assert printed("words").reading == "printed"
    assert strengthened("words", note="how").own == {"note": "how"}


def test_what_says_nothing_of_the_quantity_is_refused() -> None:
    with pytest.raises(ValueError, match="expected a relation with quantity alone on one side"):
        lemma("L1", "Lemma 1", "s/2", half).printed("s <= 1", Symbol("s", real=True) <= 1)


def test_a_module_is_imported_when_it_is_first_asked() -> None:
    families = imported_late("fltheory.papers.nowhere")
    with pytest.raises(ModuleNotFoundError, match=r"fltheory\.papers\.nowhere"):
        families()
