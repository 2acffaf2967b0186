"""Attempts to prove something false by names: an index taken for a number, a number for an index, one thing for what is proved."""

from __future__ import annotations

import pytest
from sympy import Integer, Symbol

from fltheory.proof import Hypothesis
from fltheory.proof.algebra.context import same_relation
from fltheory.proof.check import check_theorem
from fltheory.proof.language import (
    ALL_PARAMETERS,
    Apply,
    Assumed,
    Cases,
    Combine,
    Defines,
    Enumerate,
    Given,
    Induction,
    Instance,
    Member,
    Power,
    Rule,
    Squeezed,
    Step,
    Theorem,
    Witness,
    eq,
    le,
    lt,
    statement_of,
)
from fltheory.proof.matching import matching
from fltheory.proof.terms import Nonnegative, family
from tests.proof.soundness import L, N, a, accepted, b, f, i, j, k, prove, refused, t, x, y

I, J = (Symbol(name, integer=True, nonnegative=True) for name in "IJ")
w = family(Nonnegative, "w")


def test_a_renamed_index_takes_its_assumption_along() -> None:
    """ "Every integer N >= 0 is at most 0": if k <= 0 then k <= 0, "so" all i are at most 0 if one k is."""
    low, high = le(k, 0), le(1, k)
    refused(
        le(N, 0),
        Step("a1", le(k, 0, (k, 0, N)), Combine(), assuming=(low,)),
        Step("a2", le(i, 0, (i, 0, N)), Instance(()), ("a1",), assuming=(low,)),
        Step("a3", le(N, 0), Instance({i: N}), ("a2",), assuming=(low,)),
        Step("b1", le(1, k, (k, 0, N)), Combine(), assuming=(high,)),
        Step("b2", le(1, i, (i, 0, N)), Instance(()), ("b1",), assuming=(high,)),
        Step("b3", le(1, 0), Instance({i: 0}), ("b2",), assuming=(high,)),
        Step("b4", le(N, 0), Combine({"b3": N}), ("b3",), assuming=(high,)),
        Step("c", le(N, 0), Cases(), ("a3", "b4")),
    )


@pytest.mark.parametrize("rule", [Instance(()), Power(1), Squeezed()], ids=lambda r: type(r).__name__)
def test_no_rule_renames_what_is_conditional(rule: Rule) -> None:
    condition = eq(a(k), 0)
    first = Step("1", le(0, a(k), (k, 0, N)), Combine({"assumed 1": 1}), assuming=(condition,))
    second = Step("2", le(a(k), 0, (k, 0, N)), Combine({"assumed 1": -1}), assuming=(condition,))
    claim = {Instance: le(0, a(i), (i, 0, N)), Power: le(a(i), 0, (i, 0, N)), Squeezed: eq(a(i), 0, (i, 0, N))}
    uses = ("1",) if isinstance(rule, Instance) else ("1", "2")
    steps = (first, second, Step("3", claim[type(rule)], rule, uses, assuming=(condition,)))
    assert prove(claim[type(rule)], *steps).steps[-1].outcome == "UNKNOWN"


def test_an_induction_grants_no_more_than_it_has() -> None:
    """Under j <= 0 the claim is known at those j alone; where its first value is j, at those below i alone."""
    own, hypothesis = le(J, 0), le(I + J, 0, (J, 0, 1))
    ranges, before = ((J, 0, 1), (I, 0, N)), ((J, 0, 1), (I, 0, N - 1))
    claim = le(I, J * (N + I), *ranges)
    refused(
        claim,
        Step("base", le(J, 0, (J, 0, 1)), Combine(), assuming=(own,)),
        Step("at", le(I + 1, 0, *before), Instance({J: 1}), assuming=(hypothesis, own)),
        Step(
            "step", le(I + 1 + J, 0, *before), Combine({"at": 1, "assumed 2": 1}), ("at",), assuming=(hypothesis, own)
        ),
        Step("all", le(I + J, 0, *ranges), Induction(I), ("base", "step"), assuming=(own,)),
        Step("c1", claim, Combine({"all": 1}), ("all",), assuming=(own,)),
        Step("c2", claim, Combine({"assumed 1": I}), assuming=(le(1, J),)),
        Step("c", claim, Cases(), ("c1", "c2")),
    )
    hypothesis = le(w(J, I), 0, (J, 0, N))
    later = ((J, 0, N), (I, J, N - 1))
    refused(
        le(w(J, I), 0, (J, 0, N), (I, J, N)),
        Step("base", le(w(J, J), 0, (J, 0, N)), Combine(), ("h1",)),
        Step("at", le(w(I + 1, I), 0, *later), Instance({J: I + 1}), assuming=(hypothesis,)),
        Step("bad", le(1, 0, *later), Combine({"at": 1, "h2": -1}), ("at", "h2"), assuming=(hypothesis,)),
        Step("step", le(w(J, I + 1), 0, *later), Combine({"bad": w(J, I + 1)}), ("bad",), assuming=(hypothesis,)),
        Step("all", le(w(J, I), 0, (J, 0, N), (I, J, N)), Induction(I), ("base", "step")),
        given=(Given("h1", eq(w(J, J), 0, (J, 0, N))), Given("h2", eq(w(I + 1, I), 1, (I, 0, N)))),
    )


def test_one_number_is_not_all_of_an_index() -> None:
    """0 <= a(i) for one i, and a(i) <= 0 for all: only one a(i) is 0."""
    zero = eq(a(k), 0, (k, 0, N))
    given = (Given("h1", le(a(i), 0, (i, 0, N))), Given("h2", le(0, a(i))))
    refused(zero, Step("1", zero, Squeezed(), ("h1", "h2")), given=given)
    squares = le(a(k) ** 2, b(k) ** 2, (k, 0, N))
    given = (Given("h1", le(a(i), b(i), (i, 0, N))), Given("h2", le(0, a(i))))
    refused(squares, Step("1", squares, Power(2), ("h2", "h1")), given=given)
    both = (Given("h1", le(a(i), 0, (i, 0, N))), Given("h2", le(0, a(i), (i, 0, N))))
    zero = eq(a(i), 0, (i, 0, N))
    accepted(zero, Step("1", zero, Squeezed(), ("h1", "h2")), given=both)


def test_a_definition_is_not_caught_by_the_index_of_a_theorem() -> None:
    """t := i for one i; "a(k) <= t for all k" does not say that a(k) <= k."""
    every = Theorem(
        "test/b",
        le(a(i), t, (i, 0, N)),
        (Given("h", le(a(i), t, (i, 0, N))),),
        (Step("1", le(a(i), t, (i, 0, N)), Instance(()), ("h",)),),
    )
    claim = le(a(k), k, (k, 0, N))
    given = (Given("h", le(a(k), t, (k, 0, N))), Defines("d", t, i))
    refused(claim, Step("1", claim, Apply("test/b"), ("h",), by=("d",)), given=given, earlier=(every,))


def test_a_loose_end_of_a_range_is_not_bound() -> None:
    """For all k <= i, i running, is more than for all k <= i, i one number; neither says the other."""
    bound, loose = eq(a(k), 0, (i, 0, N), (k, 0, i)), eq(a(k), 0, (j, 0, N), (k, 0, i))
    assert not same_relation(bound, loose)
    assert not same_relation(loose, bound)
    refused(loose, Step("1", bound, Combine(), ("h",)), given=(Given("h", bound),))


def test_one_positive_number_gives_no_value_to_all() -> None:
    """0 < b(k) for one k lets nobody divide by every b(k)."""
    none = Given("z", eq(b(k), 0, (k, 0, 0)), "as if")
    refused(
        eq(y, 0),
        Step("div", eq(y / b(k), 0, (k, 0, 0)), Combine({"z": y / b(k) ** 2}), ("z",)),
        Step("mul", eq(y, 0, (k, 0, 0)), Combine({"div": b(k)}), ("div",)),
        Step("at", eq(y, 0), Instance({k: 0}), ("mul", "h")),
        given=(Given("h", lt(0, b(k))), none),
    )
    refused(le(i, 5, (i, 0, 5)), Step("1", le(i, 5, (i, 0, 5)), Enumerate(ALL_PARAMETERS)))


def test_what_is_assumed_gives_no_value() -> None:
    """0 < x on somebody's word, and a step from it, let nobody divide by x where x == 0."""
    refused(
        eq(y, 0),
        Step("s1", lt(0, x), Assumed("somebody"), recorded="ASSUMED"),
        Step("s2", lt(0, x), Combine(), ("s1",), recorded="ASSUMED"),
        Step("div", eq(y / x, 0), Combine({"h": y / x**2}), ("h",)),
        Step("mul", eq(y, 0), Combine({"div": x}), ("div",)),
        given=(Given("h", eq(x, 0)),),
    )


def test_a_witness_obeys_what_it_inserts_and_its_classes() -> None:
    """x^2 == 2x - 1 gives x <= 1; x = 5 refutes it only where the equation is not looked at."""

    def outcome(given: Hypothesis, uses: tuple[str, ...], by: tuple[str, ...] = ()) -> str:
        step = Step("1", le(x, 1), Witness({x: 5}), uses, by=by, recorded="REFUTED")
        return check_theorem(Theorem("test/r", le(x, 1), (given,), (step,), recorded="REFUTED"), {}, {}).verdict

    assert outcome(Given("h", eq(x**2, 2 * x - 1)), (), ("h",)) == "UNKNOWN"
    assert outcome(Given("h", eq(x**2, 2 * x - 1)), ("h",)) == "UNKNOWN"
    assert outcome(Given("h", eq(x**2, 25)), ("h",)) == "REFUTED"
    assert outcome(Member("h", f(), smooth=-1), ("h",)) == "UNKNOWN"
    assert outcome(Member("h", f(), smooth=1, convex=2), ("h",)) == "UNKNOWN"
    assert outcome(Member("h", f(), smooth=2, convex=1), ("h",)) == "REFUTED"
    assert outcome(Member("h", f(), smooth=L), ("h",)) == "UNKNOWN"


def test_one_value_of_a_constant_is_not_the_claim() -> None:
    """A theorem that fixes a constant of the bound, however it is dressed, is no proof of the claim."""
    from fltheory.proof.matching import catalogue

    claim = catalogue.find_claim("sfl/U6@explicit")
    assert claim is not None
    bound = claim.bounds[0]
    statement, _ = statement_of(bound, a(), {})
    s = next(s for s in bound.symbols if s.is_integer)
    run = Given("run", statement.at({s: Integer(1)}), "the run")
    fixed = Defines("d", s, Integer(1))
    one = Step("1", statement, Combine({"run": 1}), ("run",), by=("d",))
    plain = Theorem("sfl/zz", statement, (fixed, run), (one,), claim=claim.id, bound=bound)
    assert any("defines a constant" in fault for fault in matching.faults(plain))
    dressed = Given("e", eq(s, 1, (k, 0, 0)), "a range of one")
    other = Theorem("sfl/zz", statement, (dressed, run), (one,), claim=claim.id, bound=bound)
    assert any("does not follow from the claim" in fault for fault in matching.faults(other))
