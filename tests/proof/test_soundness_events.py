"""Attempts to prove something false with the indicator of an event that is known to happen: each is refused."""

from __future__ import annotations

import pytest
from sympy import Abs, Integer

from fltheory.proof.language import Combine, Expected, Given, Instance, Known, Relation, Step, Summed, eq, le, lt
from fltheory.proof.terms import Draw, E, Indicator, RandomInteger, Total, family
from tests.proof.soundness import P, X, a, accepted, b, i, refused, x, y

low = Given("low", le(0, x), "x is not negative")
above = Given("above", lt(0, x), "x is positive")
HAPPENS = eq(Indicator(x), 1)


@pytest.mark.parametrize("given", [low, above], ids=["weak", "strict"])
def test_what_is_not_negative_happens(given: Given) -> None:
    accepted(HAPPENS, Step("1", HAPPENS, Known("indicator", x), (given.id,)), given=(given,))


def test_nothing_happens_without_a_reason() -> None:
    refused(HAPPENS, Step("1", HAPPENS, Known("indicator", x)))
    refused(
        HAPPENS, Step("1", HAPPENS, Known("indicator", x), ("low",)), given=(Given("low", le(0, y), "another number"),)
    )
    refused(
        HAPPENS, Step("1", HAPPENS, Known("indicator", x), ("low",)), given=(Given("low", le(-1, x), "not below -1"),)
    )
    refused(
        HAPPENS, Step("1", HAPPENS, Known("indicator", x), ("high",)), given=(Given("high", le(x, 0), "not above 0"),)
    )


@pytest.mark.parametrize(
    "claim",
    [
        eq(Indicator(x), 0),
        eq(Indicator(-x), 0),
        eq(Indicator(-x), 1),
        eq(Indicator(x - 1), 1),
        eq(Indicator(x), 2),
        lt(Indicator(x), 1),
    ],
    ids=str,
)
def test_the_event_is_no_other_one(claim: Relation) -> None:
    """For 0 <= x: x may be 0, where -x >= 0 happens too."""
    for at in (x, -x, x - 1):
        refused(claim, Step("1", claim, Known("indicator", at), ("low",)), given=(low,))


def test_it_happens_where_it_is_known_to() -> None:
    """Known for the terms 1 to P, not for term 0, nor for one symbol i outside."""
    terms = Given("terms", le(0, a(i), (i, 1, P)), "no term is negative")
    each = eq(Indicator(a(i)), 1, (i, 1, P))
    accepted(each, Step("1", each, Known("indicator", a(i)), ("terms",)), given=(terms,))
    wider = eq(Indicator(a(i)), 1, (i, 0, P))
    refused(wider, Step("1", wider, Known("indicator", a(i)), ("terms",)), given=(terms,))
    first = eq(Indicator(a(0)), 1)
    refused(
        first,
        Step("0", each, Known("indicator", a(i)), ("terms",)),
        Step("1", first, Instance({i: Integer(0)}), ("0",)),
        given=(terms,),
    )
    total = eq(Total(Indicator(a(i)), i, 1, P), P)
    accepted(
        total,
        Step("0", each, Known("indicator", a(i)), ("terms",)),
        Step("1", total, Summed((i,)), ("0",)),
        given=(terms,),
    )


def test_an_assumption_on_chance_is_no_fact_of_its_mean() -> None:
    """If X >= 0 then 1{X >= 0} = 1; that says nothing of the probability."""
    claim, surely = eq(Indicator(X(0)), 1), eq(E(Indicator(X(0))), 1)
    here = Step("0", claim, Known("indicator", X(0)), assuming=(le(0, X(0)),))
    refused(surely, here, Step("1", surely, Expected(), ("0",)))
    refused(surely, here, Step("1", surely, Expected(), ("0",), assuming=(le(0, X(0)),)))


def test_a_size_happens_to_be_not_negative() -> None:
    claim = eq(Indicator(Abs(x)), 1)
    accepted(claim, Step("1", claim, Known("indicator", Abs(x))))
    refused(eq(Indicator(Abs(x) - 1), 1), Step("1", eq(Indicator(Abs(x) - 1), 1), Known("indicator", Abs(x) - 1)))


def test_the_rest_of_a_step_does_not_help() -> None:
    """Only inequalities between numbers say that an event happens."""
    claim = le(1, Indicator(x) + Indicator(y))
    refused(
        claim, Step("1", claim, Known("indicator", x), ("sum",)), given=(Given("sum", le(0, x + y), "one of them is"),)
    )
    refused(claim, Step("1", claim, Combine(), ("sum",)), given=(Given("sum", le(0, x + y), "one of them is"),))


def test_so_many_means_of_what_is_drawn_are_no_mean_of_so_many() -> None:
    """With 1 or 2 places at even odds, a(1) = 0 and a(2) = 1, the first mean is 1/4 and not a(1) where there is one place."""
    R = family(RandomInteger, "R")()
    claim = eq(Total(E(a(Draw(i, R))), i, 1, R), Total(a(i), i, 1, R))
    refused(claim, Step("1", claim, Combine()))
    fixed = eq(Total(E(a(Draw(i, P))), i, 1, P), Total(a(i), i, 1, P))
    accepted(fixed, Step("1", fixed, Combine()))
    surely = eq(Total(a(Draw(i, R)) * b(), i, 1, R), b() * Total(a(i), i, 1, R))
    accepted(surely, Step("1", surely, Combine()))
