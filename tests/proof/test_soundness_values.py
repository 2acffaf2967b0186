"""Attempts to prove something false where a term has no value: divisors that are 0, roots and logarithms of what has none."""

from __future__ import annotations

import pytest
from sympy import Expr, Integer, Rational, Symbol, binomial, log, sqrt

from fltheory.proof import Relation
from fltheory.proof.language import (
    Apply,
    Cases,
    Combine,
    Defines,
    Expected,
    Given,
    Gram,
    Induction,
    Instance,
    Known,
    Member,
    Power,
    Squeezed,
    Step,
    Summed,
    Theorem,
    eq,
    le,
    lt,
)
from fltheory.proof.terms import E, Nonnegative, Total, family, square
from tests.proof.soundness import FALSE, L, N, P, X, a, accepted, b, i, j, refused, refused_or_true, t, u, v, x, y

z = Symbol("z", nonnegative=True)
ZERO = Given("zero", eq(x, 0), "x is 0")
ONE = Given("one", eq(x, 1), "x is 1")


def test_what_divides_by_zero_says_nothing() -> None:
    """From x == 0: y/x == 0, and times x that is y == 0 for every y."""
    vacuous = Step("1", eq(y / x, 0), Combine({"zero": y / x**2}), ("zero",))
    refused(eq(y, 0), vacuous, Step("2", eq(y, 0), Combine({"1": x}), ("1",)), given=(ZERO,))
    first = Step("1", eq(1 / x, 0), Combine({"zero": 1 / x**2}), ("zero",))
    refused(eq(1, 0), first, Step("2", eq(1, 0), Combine({"1": x}), ("1",)), given=(ZERO,))
    nonzero = Given("above", lt(0, x), "x is positive")
    fine = eq(y / x, 0)
    accepted(
        fine, Step("1", fine, Combine({"h": 1 / x}), ("h", "above")), given=(Given("h", eq(y, 0), "y is 0"), nonzero)
    )


@pytest.mark.parametrize(
    ("claim", "weight"),
    [
        (le(y / x, 0), y / x**2),
        (eq(y / x**2, 0), y / x**3),
        (eq(u() / x, 0), None),
        (eq(Total(y / x, i, 1, 3), 0), 3 * y / x**2),
        (eq(E(X()) / x, 0), E(X()) / x**2),
        (eq(y * x**-3, 0), y * x**-4),
    ],
    ids=str,
)
def test_no_line_divides_by_what_is_zero(claim: Relation, weight: Expr | None) -> None:
    given = (ZERO, Given("u", eq(u(), x * v()), "a vector")) if weight is None else (ZERO,)
    rule = Combine({"u": 1 / x, "zero": 0}) if weight is None else Combine({"zero": weight})
    refused_or_true(claim, Step("1", claim, rule, tuple(g.id for g in given)), given=given)


def test_equal_up_to_a_divisor_is_not_equal() -> None:
    """(x^2 - 1)/(x - 1) is x + 1 but for x = 1, where it is nothing."""
    weight = -y * (x + 1) / (x - 1)
    for statement in (eq(y * (x + 1), 0), eq(y * (x**2 - 1) / (x - 1), 0)):
        refused_or_true(
            statement, Step("1", eq(y * (x**2 - 1) / (x - 1), 0), Combine({"one": -weight}), ("one",)), given=(ONE,)
        )
        refused_or_true(
            statement, Step("1", eq(y * (x**2 - 1) / (x - 1), 0), Combine({"one": weight}), ("one",)), given=(ONE,)
        )


def test_a_condition_without_a_value_is_no_case() -> None:
    """Either 0 <= 1/x or 1/x < 0, but for x = 0, where the claim fails."""
    claim = le(y, x**2 * t)
    low, high = le(0, 1 / x), lt(1 / x, 0)
    given = (Given("h", le(y * x**2, x**4 * t), "times x^2"),)
    steps = [Step(f"s{m}", claim, Combine({"h": 1 / x**2}), ("h",), assuming=(r,)) for m, r in enumerate((low, high))]
    refused_or_true(claim, *steps, Step("c", claim, Cases(), ("s0", "s1")), given=given)
    trivial = [Step(f"s{m}", le(y, y), Combine({"assumed 1": 0}), assuming=(r,)) for m, r in enumerate((low, high))]
    refused_or_true(le(y, y), *trivial, Step("c", le(y, y), Cases(), ("s0", "s1")))
    fine = [
        Step(f"s{m}", le(y, y), Combine({"assumed 1": 0}), assuming=(r,))
        for m, r in enumerate((le(0, 1 / L), lt(1 / L, 0)))
    ]
    accepted(le(y, y), *fine, Step("c", le(y, y), Cases(), ("s0", "s1")))


def test_an_induction_does_not_pass_through_a_zero() -> None:
    """i a(i)/(i - 2) <= 0 says nothing at i = 2, and nothing follows from it at 3."""
    claim = le(a(i) / (i - 2), 0, (i, 0, N))
    base = Step(
        "base", claim.at({}).__class__(a(0) / (0 - Integer(2)), "<=", 0), Combine({"g": Rational(1, 2)}), ("g",)
    )
    step = Step(
        "step",
        le(a(i + 1) / (i - 1), 0, (i, 0, N - 1)),
        Combine({"assumed 1": 1, "h": 1}),
        ("h",),
        assuming=(le(a(i) / (i - 2), 0),),
    )
    given = (Given("g", le(0, a(0)), "the start"), Given("h", le(a(i + 1) / L, a(i) / L, (i, 0, N - 1)), "falls"))
    refused(claim, base, step, Step("i", claim, Induction(i), ("base", "step")), given=given)


@pytest.mark.parametrize(
    "weight", [1 / x, 1 / x**2, 1 / (x * t), 1 / z, 1 / (x - 1), 1 / family(Nonnegative, "q")()], ids=str
)
def test_weights_have_a_value(weight: Expr) -> None:
    """w d <= 0 gives w <= 0 only where d is not 0; for equations too."""
    divisor = 1 / weight
    for op in (le, eq):
        h = Given("h", op(divisor * y, 0), "a multiple")
        refused(op(y, 0), Step("1", op(y, 0), Combine({"h": weight}), ("h",)), given=(h,))
    h = Given("h", le(i**2 * y, 0, (i, 0, 3)), "a multiple")
    claim = le(Total(y, i, 0, 3), 0)
    refused(claim, Step("1", claim, Summed((i,), 1 / i**2), ("h",)), given=(h,))
    later = Given("h", le((i + 1) * y, 0, (i, 0, 3)), "a multiple")
    accepted(claim, Step("1", claim, Summed((i,), 1 / (i + 1)), ("h",)), given=(later,))


@pytest.mark.parametrize(
    "claim",
    [
        le(0, sqrt(x) ** 6),
        le(0, (x - 1) ** Rational(2, 3)),
        le(0, x**2 * (t - 1) ** Rational(4, 3)),
        le(0, square(u()) * (-1) ** Rational(2, 3)),
        le(sqrt(x), sqrt(x)),
        eq(Total(sqrt(i - 1), i, 0, 3), Total(sqrt(i - 1), i, 0, 3)),
        le(0, (-L) ** x * (-L) ** x),
    ],
    ids=str,
)
def test_roots_are_of_what_has_them(claim: Relation) -> None:
    """Of negative numbers they are no real ones, and squares of what is not real may be negative."""
    refused_or_true(claim, Step("1", claim, Combine()))


def test_logarithms_of_negative_numbers_are_no_numbers() -> None:
    for claim in (le(0, log(x) ** 2), le(0, log(-L) ** 2), le(0, log(z) ** 2), le(0, (x**2) * sqrt(t - L) ** 6)):
        refused_or_true(claim, Step("1", claim, Combine()))
    claim = le(0, log(L) ** 2)
    accepted(claim, Step("1", claim, Combine()))
    above = Given("above", lt(0, x), "positive")
    claim = le(y * log(x), y * log(x))
    accepted(claim, Step("1", claim, Combine({"above": 0}), ("above",)), given=(above,))
    refused_or_true(
        claim, Step("1", claim, Combine({"above": 0}), ("above",)), given=(Given("above", le(0, x), "perhaps 0"),)
    )


def test_hypotheses_have_a_value() -> None:
    """A hypothesis that divides by what may be 0 is no hypothesis."""
    for relation in (eq(y / x, 0), le(0, log(x)), le(sqrt(x), 1), le(a(i) / i, 0, (i, 0, 3))):
        h = Given("h", relation, "partial")
        refused_or_true(le(t, t), Step("1", le(t, t), Combine({"h": 0}), ("h",)), given=(h,))
    h, above = Given("h", eq(y / x, 0), "a quotient"), Given("above", lt(0, x), "positive")
    accepted(eq(y, 0), Step("1", eq(y, 0), Combine({"h": x}), ("h", "above")), given=(h, above))
    circle = (Given("h", le(1, 1 / x + t / y), "one"), Given("g", lt(0, y / x), "two"))
    refused_or_true(le(t, t), Step("1", le(t, t), Combine({"h": 0}), ("h", "g")), given=circle)


def test_classes_have_a_value() -> None:
    """1/x is no constant of smoothness where x may be 0, and a weight of an axiom divides by none."""
    from fltheory.proof.algebra.axioms import Axiom
    from fltheory.proof.terms import Dot, Fun, Grad, Val

    F = family(Fun, "F")()
    rise = le(Val(F, u()), Val(F, v()) + Dot(Grad(F, v()), u() - v()) + 1 / x / 2 * square(u() - v()))
    refused_or_true(
        rise,
        Step("1", rise, Combine(axioms=((1, Axiom("descent", F, u(), v())),)), ("m",)),
        given=(Member("m", F, smooth=1 / x),),
    )
    flat = le(square(Grad(F, u()) - Grad(F, v())), 0)
    for smooth in (z, Integer(0)):
        slack = le(
            Val(F, v())
            + Dot(Grad(F, v()), u() - v())
            + square(Grad(F, u()) - Grad(F, v())) / (2 * smooth + L * 0 if smooth else L),
            Val(F, u()),
        )
        refused_or_true(
            slack,
            Step("1", slack, Combine(axioms=((1, Axiom("cocoercive", F, u(), v())),)), ("m",)),
            given=(Member("m", F, smooth=smooth, convex=0),),
        )
    refused_or_true(
        flat,
        Step("1", flat, Combine(axioms=((1, Axiom("lipschitz", F, u(), v())),)), ("m",)),
        given=(Member("m", F, smooth=z),),
    )


def test_other_rules_bring_in_nothing_without_a_value() -> None:
    less = Given("less", le(0, y), "a sign")
    for claim, rule, uses in (
        (le(1 + 1 / x, sympy_exp(1 / x)), Known("exp", 1 / x), ()),
        (le(0, y**x), Power(x), ("less", "less")),
        (eq(y / x, y / x), Squeezed(), ("less", "less")),
    ):
        refused_or_true(claim, Step("1", claim, rule, uses), given=(less,) if uses else ())
    over = Given("h", le(a(i), b(i), (i, 0, 3)), "for all")
    claim = le(a(2) / x, b(2) / x)
    refused_or_true(claim, Step("1", claim, Instance({i: 2}), ("h",)), given=(over,))
    mean = Given("h", le(X(), y), "surely")
    claim = le(E(X() / x), y / x)
    refused_or_true(claim, Step("1", claim, Expected(), ("h",)), given=(mean,))
    claim = le(0, binomial(j, i))
    refused_or_true(claim, Step("1", claim, Combine()))
    claim = le(0, square(u()) / x**2)
    refused_or_true(claim, Step("1", claim, Gram()))


def sympy_exp(value: Expr) -> Expr:
    from sympy import exp

    return exp(value)


def test_a_theorem_is_applied_where_it_has_a_value() -> None:
    """y/p <= 1 from y <= p for a positive p; not for a p that may be 0, nor for a value that divides by it."""
    whole = Theorem(
        "test/lemma",
        le(y / L, 1),
        (Given("h", le(y, L), "less"),),
        (Step("1", le(y / L, 1), Combine({"h": 1 / L}), ("h",)),),
    )
    for value in (x, z, x**2, t - t):
        claim = le(y / value, 1) if value != 0 else FALSE
        given = (Given("g", le(y, value), "less"),)
        refused_or_true(claim, Step("1", claim, Apply("test/lemma", {L: value}), ("g",)), given=given, earlier=(whole,))
    claim = le(y / (1 + z), 1)
    accepted(
        claim,
        Step("1", claim, Apply("test/lemma", {L: 1 + z}), ("g",)),
        given=(Given("g", le(y, 1 + z), "less"),),
        earlier=(whole,),
    )
    same = Theorem("test/lemma", eq(a() - a(), 0 * a()), (), (Step("1", eq(a() - a(), 0 * a()), Combine()),))
    claim = eq(y / x, y / x + 0)
    refused_or_true(claim, Step("1", claim, Apply("test/lemma", ((a(), 1 / x),))), earlier=(same,))


def test_definitions_that_divide() -> None:
    for right in (y / x, log(x), sqrt(x), 1 / (P - 1), 1 / (i - 2)):
        d = Defines("d", b(i), right)
        refused_or_true(le(b(2), b(2)), Step("1", le(b(2), b(2)), Combine(), by=("d",)), given=(d,))
    d = Defines("d", b(i), y / (i**2 + 1))
    accepted(eq(b(2), y / 5), Step("1", eq(b(2), y / 5), Combine(), by=("d",)), given=(d,))


def test_a_sum_over_nothing_divides_by_nothing() -> None:
    """The sum of 1/i over 0..3 has no value, over 1..3 it has; the sum of positive terms is one only if there are some."""
    for low, fine in ((0, False), (1, True), (-1, False)):
        claim = eq(Total(y / i, i, low, 3), Total(y / i, i, low, 3))
        (accepted if fine else refused_or_true)(claim, Step("1", claim, Combine()))
    for high, fine in ((N, True), (N - 1, False)):
        claim = le(0, 1 / Total(L, i, 0, high))
        (accepted if fine else refused_or_true)(claim, Step("1", claim, Combine()))
    claim = le(y / Total(a(i) ** 2, i, 0, N), y / Total(a(i) ** 2, i, 0, N))
    refused_or_true(claim, Step("1", claim, Combine()))
