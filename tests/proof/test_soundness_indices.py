"""Attempts to prove something false by indices: assumptions on them, ranges that depend on one, ends that are no integers."""

from __future__ import annotations

import pytest
from sympy import Expr, Integer, Rational, Symbol

from fltheory.proof.language import (
    Apply,
    Cases,
    Combine,
    Given,
    Induction,
    Instance,
    Relation,
    Step,
    Summed,
    Theorem,
    eq,
    le,
    lt,
)
from fltheory.proof.terms import Total
from tests.proof.soundness import N, P, a, accepted, b, i, j, k, n, refused, x, y

m = Symbol("m", integer=True, positive=True)
ALL_SMALL = Theorem(
    "test/lemma",
    le(n, 1),
    (Given("h", le(i, 1, (i, 1, n)), "all are small"), Given("n", le(1, n), "one at least")),
    (Step("1", le(n, 1), Instance({i: n}), ("h", "n")),),
)


def test_if_small_then_small_is_not_all_small() -> None:
    """ "For all i: if i <= 1 then i <= 1" is no "for all i: i <= 1"."""
    small = le(i, 1)
    steps = (
        Step("s", le(i, 1, (i, 1, P)), Combine({"assumed 1": 1}), assuming=(small,)),
        Step("a", le(P, 1), Apply("test/lemma", {n: P}), ("s",), assuming=(small,)),
    )
    refused(le(P, 1), *steps, earlier=(ALL_SMALL,))
    large = lt(1, i)
    by_cases = (
        *steps,
        Step("b", le(P, 1), Apply("test/lemma", {n: P}), ("s2",), assuming=(large,)),
        Step("c", le(P, 1), Cases(), ("a", "b")),
    )
    refused(
        le(P, 1),
        Step("s2", le(i, 1, (i, 1, P)), Combine({"assumed 1": -1}), assuming=(large,)),
        *by_cases,
        earlier=(ALL_SMALL,),
    )
    renamed = (
        Step("s", le(j, 1, (j, 1, P)), Combine({"assumed 1": 1}), assuming=(le(j, 1),)),
        Step("a", le(P, 1), Apply("test/lemma", {n: P}), ("s",), assuming=(le(j, 1),)),
    )
    refused(le(P, 1), *renamed, earlier=(ALL_SMALL,))
    some = Given("p", le(1, P), "one at least")
    true = Given("g", le(i, 1, (i, 1, P)), "all are small")
    accepted(
        le(P, 1), Step("a", le(P, 1), Apply("test/lemma", {n: P}), ("g", "p")), given=(true, some), earlier=(ALL_SMALL,)
    )


@pytest.mark.parametrize("condition", [le(a(i), 0), lt(0, a(i)), eq(a(i), 0), le(a(i), i)], ids=str)
def test_what_stands_under_an_assumption_on_its_index_is_not_closed(condition: Relation) -> None:
    """Neither summed, nor set, nor taken for a hypothesis on all of them."""
    gap = le(condition.left, condition.right, (i, 0, 5)) if condition.op != "<" else le(0, a(i), (i, 0, 5))
    first = Step("s", gap, Combine({"assumed 1": 1}), assuming=(condition,))
    total = le(Total(gap.left, i, 0, 5), Total(gap.right, i, 0, 5))
    refused(
        total,
        first,
        Step("2", total, Summed((i,)), ("s",), assuming=(condition,)),
        Step("3", total, Combine({"2": 1}), ("2",)),
    )
    one = Relation(gap.left.xreplace({i: Integer(3)}), "<=", gap.right.xreplace({i: Integer(3)}))
    refused(
        one,
        first,
        Step("2", one, Instance({i: 3}), ("s",), assuming=(condition,)),
        Step("3", one, Combine({"2": 1}), ("2",)),
    )
    lemma = Theorem("test/lemma", one, (Given("h", gap, "all"),), (Step("1", one, Instance({i: 3}), ("h",)),))
    refused(
        one,
        first,
        Step("2", one, Apply("test/lemma"), ("s",), assuming=(condition,)),
        Step("3", one, Combine({"2": 1}), ("2",)),
        earlier=(lemma,),
    )


def test_pointwise_use_under_an_assumption_stays() -> None:
    """a <= b for numbers gives 2a <= 2b; so it does for each i of which it is assumed."""
    twice = Theorem(
        "test/lemma",
        le(2 * x, 2 * y),
        (Given("h", le(x, y), "less"),),
        (Step("1", le(2 * x, 2 * y), Combine({"h": 2}), ("h",)),),
    )
    claim = le(2 * a(i), 2 * b(i), (i, 0, 5))
    low, high = le(a(i), b(i)), lt(b(i), a(i))
    given = (Given("g", le(a(i), b(i), (i, 0, 5)), "in truth"),)
    accepted(
        claim,
        Step("s", le(a(i), b(i), (i, 0, 5)), Combine({"assumed 1": 1}), assuming=(low,)),
        Step("1", claim, Apply("test/lemma", {x: a(i), y: b(i)}), ("s",), assuming=(low,)),
        Step("2", claim, Combine({"g": 2}), ("g",), assuming=(high,)),
        Step("c", claim, Cases(), ("1", "2")),
        given=given,
        earlier=(twice,),
    )


def test_induction_over_ranges_that_depend_on_its_index() -> None:
    """ "For all 0 <= j <= i <= n: j <= 0": H(i, j) says nothing at j = i + 1."""
    claim = le(j, 0, (i, 0, N), (j, 0, i))
    base = Step("base", le(j, 0, (j, 0, 0)), Combine())
    for assumed in (le(j, 0), le(j, 0, (j, 0, i))):
        step = Step("step", le(j, 0, (i, 0, N - 1), (j, 0, i + 1)), Combine({"assumed 1": 1}), assuming=(assumed,))
        refused(claim, base, step, Step("i", claim, Induction(i), ("base", "step")))
    claim = le(a(i, j), 0, (i, 0, N), (j, 0, i))
    base = Step("base", le(a(0, j), 0, (j, 0, 0)), Combine({"g": 1}), ("g",))
    step = Step(
        "step",
        le(a(i + 1, j), 0, (i, 0, N - 1), (j, 0, i + 1)),
        Combine({"assumed 1": 1, "h": 1}),
        ("h",),
        assuming=(le(a(i, j), 0),),
    )
    given = (
        Given("g", le(a(0, j), 0, (j, 0, 0)), "base"),
        Given("h", le(a(i + 1, j), a(i, j), (i, 0, N - 1), (j, 0, i + 1)), "falls"),
    )
    refused(claim, base, step, Step("i", claim, Induction(i), ("base", "step")), given=given)
    backward = le(j, 0, (i, 0, N), (j, i, N))
    base = Step("base", le(j, 0, (j, 0, N)), Combine({"assumed 1": 1}), assuming=(le(j, 0),))
    refused(
        backward,
        base,
        Step("step", le(j, 0, (i, 0, N - 1), (j, i + 1, N)), Combine({"assumed 1": 1}), assuming=(le(j, 0),)),
        Step("i", backward, Induction(i), ("base", "step")),
    )


def test_induction_over_ranges_that_do_not_depend_on_it() -> None:
    claim = le(a(i, j), a(0, j), (i, 0, N), (j, 0, P))
    base = Step("base", le(a(0, j), a(0, j), (j, 0, P)), Combine())
    step = Step(
        "step",
        le(a(i + 1, j), a(0, j), (i, 0, N - 1), (j, 0, P)),
        Combine({"assumed 1": 1, "h": 1}),
        ("h",),
        assuming=(le(a(i, j), a(0, j)),),
    )
    given = (Given("h", le(a(i + 1, j), a(i, j), (i, 0, N - 1), (j, 0, P)), "falls"),)
    accepted(claim, base, step, Step("i", claim, Induction(i), ("base", "step")), given=given)


@pytest.mark.parametrize("low", [Rational(1, 2), x, Rational(-3, 2), x / 2, n / 2], ids=str)
def test_induction_begins_at_an_integer(low: Expr) -> None:
    """ "Every integer i with 1/2 <= i <= n has 2i - 1 <= 0" stands at 1/2, where there is no integer."""
    claim = le(2 * i, 2 * low, (i, low, N))
    base = Step("base", le(2 * low, 2 * low), Combine())
    step = Step(
        "step", le(2 * (i + 1), 2 * low, (i, low, N - 1)), Combine({"h": 1}), ("h",), assuming=(le(2 * i, 2 * low),)
    )
    given = (Given("h", le(2 * i + 2, 2 * low, (i, low, N - 1)), "as if"),)
    refused(claim, base, step, Step("i", claim, Induction(i), ("base", "step")), given=given)
    half = le(2 * i - 1, 0, (i, Rational(1, 2), N))
    step = Step(
        "step", le(2 * i + 1, 0, (i, Rational(1, 2), N - 1)), Combine({"assumed 1": -1}), assuming=(le(2 * i - 1, 0),)
    )
    refused(
        half,
        Step("base", le(2 * Rational(1, 2) - 1, 0), Combine()),
        step,
        Step("i", half, Induction(i), ("base", "step")),
    )


def test_an_index_below_its_range_is_no_instance() -> None:
    used = Given("h", le(a(i, j), 0, (i, 0, 5), (j, 0, i)), "a triangle")
    for values in ({i: 2, j: 3}, {i: Rational(1, 2), j: 0}, {i: 6, j: 0}, {j: 6}):
        claim = le(a(values.get(i, i), values[j]), 0, *(() if i in values else ((i, 0, 5),)))
        refused(claim, Step("1", claim, Instance(values), ("h",)), given=(used,))
    claim = le(a(3, 2), 0)
    accepted(claim, Step("1", claim, Instance({i: 3, j: 2}), ("h",)), given=(used,))
    sums = le(Total(Total(a(i, j), i, 0, 5), j, 0, i), 0)
    refused(sums, Step("1", sums, Summed((i, j)), ("h",)), given=(used,))
    short = le(a(k, k + 1), 0, (k, 0, 4))
    refused(short, Step("1", short, Combine({"h": 1}), ("h",)), given=(used,))
    refused(le(1, m - 1, (m, 0, 3)), Step("1", le(1, m - 1, (m, 0, 3)), Combine()))
