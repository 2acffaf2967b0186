"""False theorems by an index that gets another name where something else is known under the old one, or the new one."""

from __future__ import annotations

import pytest
from sympy import Integer, Rational, Symbol

from fltheory.proof.language import (
    Apply,
    Cases,
    Combine,
    Defines,
    Given,
    Induction,
    Instance,
    Power,
    Step,
    Theorem,
    eq,
    le,
    lt,
)
from tests.proof.soundness import a, accepted, b, i, j, k, refused, t

ONE = Step("one", le(0, 1), Combine())
m = Symbol("m", integer=True, nonnegative=True)


def test_an_assumption_is_turned_as_little_as_a_relation() -> None:
    below, above = (i, -5, -1), (k, 1, 5)
    granted, ranges = le(1 + 5 * m, 2, below, above), ((m, 0, 0), below, above)
    under = (granted,)
    refused(
        le(6, 2),
        ONE,
        Step("zero", le(0, 1 + 5 * m), Combine({"one": 1 + 5 * m}), ("one",)),
        Step("p", le((1 + 5 * m) ** k, Integer(2) ** k, (k, -5, -1), (i, 1, 5)), Power(i), ("zero",), assuming=under),
        Step("q", le((1 + 5 * m) ** -1, Rational(1, 2)), Instance({k: -1, i: 1}), ("p",), assuming=under),
        Step("f", le(2, 1 + 5 * m), Combine({"q": 2 * (1 + 5 * m)}), ("q",), assuming=under),
        Step("s", le(m, 0, *ranges), Combine({"one": -m}), ("one",)),
        Step("st", le(1 + 5 * (m + 1), 2, *ranges), Combine({"f": 4, "s": 25}), ("f", "s"), assuming=under),
        Step("base", le(1, 2, below, above), Combine()),
        Step("all", le(1 + 5 * m, 2, (m, 0, 1), below, above), Induction(m), ("base", "st")),
        Step("z", le(6, 2), Instance({m: 1, i: -1, k: 1}), ("all",)),
    )


@pytest.mark.parametrize("defined", [False, True])
def test_an_index_of_an_assumption_catches_no_symbol_of_an_equation(defined: bool) -> None:
    """From t = i and t <= 0: t + 1 <= 0."""
    given = (Given("h", le(a(i), 0, (i, 0, 5))),)
    last = Theorem("test/last", le(a(5), 0), given, (Step("1", le(a(5), 0), Instance({i: 5}), ("h",)),))
    size = b(0) if defined else t
    entry = Defines("e", b(k), i) if defined else Given("e", eq(t, i))
    granted = le(size + m, 0, (i, 0, 5))
    refused(
        le(size + 1, 0),
        Step("bad", le(5 + m, 0), Apply("test/last", {a(k): k + m}), by=("e",), assuming=(granted,)),
        Step(
            "st",
            le(size + m + 1, 0, (m, 0, 0), (i, 0, 5)),
            Combine({"bad": 1, "h": 1}),
            ("bad", "h"),
            assuming=(granted,),
        ),
        Step("base", le(size, 0, (i, 0, 5)), Combine({"h": 1}), ("h",)),
        Step("all", le(size + m, 0, (m, 0, 1), (i, 0, 5)), Induction(m), ("base", "st")),
        Step("z", le(size + 1, 0), Instance({m: 1, i: 0}), ("all",)),
        given=(entry, Given("h", le(size, 0))),
        earlier=(last,),
    )


def test_an_instance_whose_other_index_is_a_number_elsewhere() -> None:
    """Every integer is at most 5: what is assumed of j is no fact about the j of a range."""
    ranges = ((j, 0, 9), (i, 5, j))
    refused(
        le(j, 5),
        ONE,
        Step("a", le(5, i, *ranges), Combine({"one": i - 5}), ("one",)),
        Step("b", le(i, j, *ranges), Combine({"one": j - i}), ("one",)),
        Step("c", le(5, j, *ranges), Combine({"a": 1, "b": 1}), ("a", "b")),
        Step("d", le(5, k, (k, 0, 9)), Instance({i: 5}), ("c",), assuming=(le(5, j),)),
        Step("e", le(5, 0), Instance({k: 0}), ("d",), assuming=(le(5, j),)),
        Step("f1", le(j, 5), Combine({"e": (j - 5) / 5}), ("e",), assuming=(le(5, j),)),
        Step("f2", le(j, 5), Combine({"assumed 1": 1}), assuming=(lt(j, 5),)),
        Step("z", le(j, 5), Cases(), ("f1", "f2")),
    )


def test_a_power_of_an_index_that_is_a_number_elsewhere() -> None:
    """Every integer is at most 0."""
    refused(
        le(j, 0),
        Step("a", le(0, 1, (j, -5, 5)), Combine()),
        Step("b", le(1, 2, (j, -5, 5)), Combine()),
        Step("p", le(1, Integer(2) ** k, (k, -5, 5)), Power(j), ("a", "b"), assuming=(le(0, j),)),
        Step("e", le(1, Rational(1, 2)), Instance({k: -1}), ("p",), assuming=(le(0, j),)),
        Step("f1", le(j, 0), Combine({"e": 2 * j}), ("e",), assuming=(le(0, j),)),
        Step("f2", le(j, 0), Combine({"assumed 1": 1}), assuming=(lt(j, 0),)),
        Step("z", le(j, 0), Cases(), ("f1", "f2")),
    )


def test_a_power_of_two_relations_whose_ranges_change_places() -> None:
    """From t <= 1: 0 <= (1 - t^2) (t + 10)."""
    own, other = (le(i, t),), (lt(t, i),)
    ranges, gap = ((j, 0, 5), (i, -20, -10)), (1 - t**2) * (t - i)
    refused(
        le(0, (1 - t**2) * (t + 10)),
        ONE,
        Step("p", le(0, i, (i, 0, 5)), Combine({"one": i}), ("one",)),
        Step("s1", le(0, t, (i, 0, 5)), Combine({"assumed 1": 1, "p": 1}), ("p",), assuming=own),
        Step("s2", le(t, 1, (j, -20, -10)), Combine({"h": 1}), ("h",)),
        Step("q", le(t**2, 1, *ranges), Power(2), ("s1", "s2"), assuming=own),
        Step("c1", le(0, gap, *ranges), Combine({"q": t - i}), ("q",), assuming=own),
        Step("u", le(i, -10, *ranges), Combine({"one": -10 - i}), ("one",)),
        Step("m", le(1 + t, -9, *ranges), Combine({"u": 1, "assumed 1": 1}), ("u",), assuming=other),
        Step("m2", le(1 + t, 0, *ranges), Combine({"m": 1}), ("m",), assuming=other),
        Step("c3", le(0, (i - t) * (1 - t), *ranges), Combine({"h": i - t}), ("h",), assuming=other),
        Step("c2", le(0, gap, *ranges), Combine({"m2": (i - t) * (1 - t)}), ("m2", "c3"), assuming=other),
        Step("c", le(0, gap, *ranges), Cases(), ("c1", "c2")),
        Step("z", le(0, (1 - t**2) * (t + 10)), Instance({i: -10, j: 0}), ("c",)),
        given=(Given("h", le(t, 1)),),
    )


def test_a_name_that_nothing_else_knows_might_change() -> None:
    """And does not: a claim has the names of what it is said to follow from."""
    for index in (j, k):
        steps = (
            Step("a", le(0, 1, (j, 1, 5)), Combine()),
            Step("b", le(1, 2, (j, 1, 5)), Combine()),
            Step("p", le(1, Integer(4), (index, 1, 5)), Power(2), ("a", "b")),
            Step("e", le(1, 4), Instance({index: 1}), ("p",)),
        )
        if index is j:
            accepted(le(1, 4), *steps)
        else:
            refused(le(1, 4), *steps, why="a different name in the claim")
