"""Attempts to prove something false with odd words: other symbols, other functions, floats, built-in words defined anew."""

from __future__ import annotations

from typing import Any, cast

import pytest
import sympy
from sympy import Expr, Float, I, Integer, Piecewise, Rational, Symbol, ceiling, gamma, sign, symbols, zoo

from fltheory.proof.algebra.axioms import Axiom
from fltheory.proof.language import (
    Apply,
    Ball,
    Combine,
    Defines,
    Expected,
    Given,
    Gram,
    Instance,
    Known,
    Member,
    Power,
    Relation,
    Step,
    Summed,
    Theorem,
    Witness,
    eq,
    le,
    lt,
)
from fltheory.proof.terms import Dot, Draw, E, Grad, Indicator, Scalar, Total, Val, Vector, square
from tests.proof.soundness import L, P, X, a, accepted, f, i, j, prove, refused, u, v, x, y

A, B = symbols("A B", commutative=False)
w = Symbol("w", extended_real=True)
c = Symbol("c", complex=True)
plain = Symbol("plain")
imaginary = Symbol("im", imaginary=True)
infinite = Symbol("big", infinite=True, extended_real=True)


class Cheat(Scalar):
    """A word that calls itself positive."""

    is_positive = True


@pytest.mark.parametrize(
    "claim",
    [
        le(0, c**2),
        le(0, plain**2),
        le(0, imaginary**2),
        eq(A * B, B * A),
        eq(A * B - B * A, 0),
        lt(w, w + 1),
        lt(0, w**2 + 1 - w),
        lt(infinite, infinite + 1),
        lt(0, Piecewise((1, x > 0))),
        le(0, Piecewise((x, x > 0), (-2 * x, x < 0))),
        lt(0, Cheat(Symbol("a"))),
        le(0, x**2.0 - Float("1e-30")),
        le(0, I * I),
        le(0, zoo),
        le(sign(x) ** 2, 1),
        le(0, gamma(x) ** 2),
        le(x, ceiling(x)),
        le(0, a(Rational(1, 2)) ** 2),
        le(0, a(x) ** 2),
        le(0, a(y / 2)),
        le(0, square(u() + 1)),
        le(0, u()),
        le(0, u() * v()),
        le(0, E(u())),
        le(0, square(Vector(x + 1, 2))),
        le(0, Dot(x, x)),
        le(0, Val(x, u())),
        le(0, square(Grad(f(), x))),
        Relation(1, ">=", 2),
        Relation(1, "!=", 2),
        Relation(2, ">", 1),
        Relation(2, cast(Any, ""), 1),
    ],
    ids=str,
)
def test_no_other_words(claim: Relation) -> None:
    for rule in (Combine(), Gram()):
        assert (
            prove(claim, Step("1", claim, rule), found={"1": {"squares": []}} if rule.squares else {}).verdict
            == "UNKNOWN"
        )


@pytest.mark.parametrize(
    "definition",
    [
        Defines("d", Indicator(x), Integer(7)),
        Defines("d", Total(x, i, 1, 3), x),
        Defines("d", E(X()), Integer(0)),
        Defines("d", Dot(u(), v()), Integer(0)),
        Defines("d", Grad(f(), u()), u()),
        Defines("d", Val(f(), u()), Integer(0)),
        Defines("d", Draw(i, P), i),
        Defines("d", f(), Integer(0)),
        Defines("d", x**2, Integer(-1)),
        Defines("d", Integer(2), Integer(3)),
        Defines("d", a(), Float(0.1)),
        Defines("d", a(), c),
        Defines("d", a(), Piecewise((1, x > 0))),
        Defines("d", Cheat(Symbol("a")), Integer(-1)),
    ],
    ids=lambda d: str(d.left),
)
def test_no_word_is_defined_anew(definition: Defines) -> None:
    claim = eq(definition.left, definition.right) if not isinstance(definition.left, type(f())) else le(y, y)
    refused(claim, Step("1", claim, Combine(), by=("d",)), given=(definition,))


TENTH = Rational(*(0.1).as_integer_ratio())


def test_floats_are_no_numbers_of_a_rule() -> None:
    """1/10 <= x does not give 3602879701896397/36028797018963968 <= x, which is the float 0.1 and a little more."""
    low, high = Given("low", le(Rational(1, 10), x), "at least a tenth"), Given("high", le(x, 1), "at most 1")
    claim = le(TENTH, x)
    for leaf in ("direct", "mean"):
        refused(claim, Step("1", claim, Ball(((x, 0.1, 1),)), ("low", "high")), given=(low, high), found={"1": leaf})
        refused(
            claim,
            Step("1", claim, Ball(((x, Float("0.1"), 1),)), ("low", "high")),
            given=(low, high),
            found={"1": leaf},
        )
    accepted(
        le(Rational(1, 20), x),
        Step("1", le(Rational(1, 20), x), Ball(((x, Rational(1, 10), 1),)), ("low", "high")),
        given=(low, high),
        found={"1": "direct"},
    )


@pytest.mark.parametrize("value", [0.1, Float("0.5"), 0.5, Piecewise((1, x > 0)), c, w], ids=str)
def test_rules_bring_in_exact_terms(value: Expr | float) -> None:
    h = Given("h", le(0, y), "a sign")
    over = Given("h", le(0, a(i), (i, 0, 3)), "signs")
    lemma = Theorem("test/lemma", le(x, x), (), (Step("1", le(x, x), Combine()),))
    refused(le(0, y), Step("1", le(0, y), Combine({"h": value}), ("h",)), given=(h,))
    claim = le(0, Total(a(i), i, 0, 3))
    refused(claim, Step("1", claim, Summed((i,), value), ("h",)), given=(over,))
    refused(le(0, a(2)), Step("1", le(0, a(2)), Instance({i: value}), ("h",)), given=(over,))
    refused(le(x, x), Step("1", le(x, x), Apply("test/lemma", {x: value})), earlier=(lemma,))
    refused(le(0, y), Step("1", le(0, y), Power(value), ("h", "h")), given=(h,))
    one = le(1 + sympy.sympify(value), sympy.exp(value))
    refused(one, Step("1", one, Known("exp", value)))
    step = Step("1", le(x, -1), Witness({x: value}), recorded="REFUTED")
    report = prove(le(y, y), step, Step("2", le(y, y), Combine()))
    assert (report.steps[0].outcome, report.as_recorded) == ("UNKNOWN", False)


@pytest.mark.parametrize("convex", [-1, Rational(-1, 2), x, -L, L - 1], ids=str)
def test_cocoercive_is_for_the_convex(convex: Expr | int) -> None:
    """F = -x^2/2 is 1-smooth and refutes it."""
    slopes = square(Grad(f(), u()) - Grad(f(), v()))
    claim = le(Val(f(), v()) + Dot(Grad(f(), v()), u() - v()) + slopes / 2, Val(f(), u()))
    rule = Combine(axioms=((1, Axiom("cocoercive", f(), u(), v())),))
    refused(claim, Step("1", claim, rule, ("m",)), given=(Member("m", f(), 1, convex),))
    accepted(claim, Step("1", claim, rule, ("m",)), given=(Member("m", f(), 1, 0),))
    accepted(claim, Step("1", claim, rule, ("m",)), given=(Member("m", f(), 1, L),))
    sign_known = (Member("m", f(), 1, x), Given("h", le(0, x), "convex"))
    accepted(claim, Step("1", claim, rule, ("m", "h")), given=sign_known)
    monotone = le(0, Dot(Grad(f(), u()) - Grad(f(), v()), u() - v()))
    both = Combine(axioms=((1, Axiom("convex", f(), u(), v())), (1, Axiom("convex", f(), v(), u()))))
    refused(monotone, Step("1", monotone, both, ("m",)), given=(Member("m", f(), 1, -1),))


def test_a_member_is_a_function_with_constants() -> None:
    for member in (
        Member("m", f(), 0.5),
        Member("m", f(), c),
        Member("m", u(), 1),
        Member("m", f(), 1, Piecewise((1, x > 0))),
    ):
        refused(le(y, y), Step("1", le(y, y), Combine(), ("m",)), given=(member,))


def test_half_an_index_is_none() -> None:
    """a(j) := (-1)^j is real at integers j; its square at 1/2 is -1."""
    half = Theorem(
        "test/lemma", le(0, a(Rational(1, 2)) ** 2), (), (Step("1", le(0, a(Rational(1, 2)) ** 2), Combine()),)
    )
    from fltheory.proof.check import check_theorem

    assert check_theorem(half, {}).verdict == "UNKNOWN"
    whole = Theorem("test/lemma", le(0, a(3) ** 2), (), (Step("1", le(0, a(3) ** 2), Combine()),))
    accepted(le(0, 1), Step("1", le(0, 1), Apply("test/lemma", ((a(j), (-1) ** j),))), earlier=(whole,))


def test_chance_is_not_written_into_a_mean() -> None:
    """E X(i) = 0 for each i says nothing of the mean of X(D) for a random D, which may pick the largest."""
    drawn = Draw(1, P)
    claim = le(E(X(drawn)), 0)
    for low in (0, 1):
        every = Given("h", le(E(X(i)), 0, (i, low, sympy.oo)), "each mean")
        refused(claim, Step("1", claim, Instance({i: drawn}), ("h",)), given=(every,))
    mean = Defines("d", a(i), E(X(i)), "the mean of each")
    claim = eq(a(drawn), E(X(drawn)))
    refused(claim, Step("1", claim, Combine(), by=("d",)), given=(mean,))
    claim = eq(Total(E(X(i)), i, 0, drawn), Total(E(X(i)), i, 0, drawn - 1) + E(X(drawn)))
    refused(claim, Step("1", claim, Combine()))
    claim = eq(Total(E(X(i)), i, drawn, drawn), E(X(drawn)))
    refused(claim, Step("1", claim, Combine()))
    claim = eq(Total(a(i), i, 0, drawn), Total(a(i), i, 0, drawn - 1) + a(drawn))
    accepted(claim, Step("1", claim, Combine()))
    fixed = Given("h", le(E(X(i)), 0, (i, 0, 3)), "each mean")
    accepted(le(E(X(2)), 0), Step("1", le(E(X(2)), 0), Instance({i: 2}), ("h",)), given=(fixed,))
    claim = le(E(X(drawn)), 0)
    surely = Given("h", le(X(drawn), 0), "surely")
    accepted(claim, Step("1", claim, Expected(), ("h",)), given=(surely,))
