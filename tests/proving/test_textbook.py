"""Inequalities of the textbooks, each beside a false neighbour: means, maxima, absolute values, lengths, polynomials."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from sympy import Abs, Expr, Max, Min, Rational, Symbol, exp, log, sqrt

from fltheory.proof import Given, Hypothesis, Relation, eq, le, lt
from fltheory.proof.language import Theorem
from fltheory.proof.terms import (
    Dot,
    E,
    Indicator,
    Nonnegative,
    Positive,
    RandomNonnegative,
    RandomPositive,
    RandomScalar,
    Scalar,
    Total,
    Vector,
    family,
    square,
)
from fltheory.proving import Proved, prove
from fltheory.proving.source import source_of

a, b, r, s = (Symbol(name, real=True) for name in "abrs")
p, q, c = (Symbol(name, positive=True) for name in "pqc")
X, Y = (family(RandomScalar, name)() for name in "XY")
Z, S = family(RandomNonnegative, "Z")(), family(RandomPositive, "S")()
u, v = (family(Vector, name)() for name in "uv")
n, k = (Symbol(name, integer=True, positive=True) for name in "nk")
x, y = family(Scalar, "x"), family(Scalar, "y")
each = (k, 1, n)
variance = E((X - E(X)) ** 2)
w, z = family(Vector, "w")(), family(Vector, "z")
weight, d = family(Nonnegative, "weight"), family(Positive, "d")
j, l = (Symbol(name, integer=True, positive=True) for name in "jl")
f = family(Scalar, "f")
all_z = Total(z(k), *each)
second = Total(weight(k) * d(k) ** 2, *each)
middle = Total(weight(k) * x(k), *each)
ONE = Given("one", eq(Total(weight(k), *each), 1))
LARGER = Given("larger", lt(p, q))
CENTRED = Given("centred", eq(E(X), 0))
ABOVE = Given("above", lt(0, E(S)))
SIZE = Given("size", le(Abs(X), a))


def length(v: Expr) -> Expr:
    return sqrt(square(v))


@dataclass(frozen=True)
class Fact:
    """An inequality and a false one like it."""

    name: str
    true: Relation
    false: Relation
    given: tuple[Hypothesis, ...] = ()


FACTS = (
    Fact("Markov", le(E(Indicator(Z - p)), E(Z) / p), le(E(Indicator(Z - p)), E(Z) / (2 * p))),
    Fact(
        "Chebyshev",
        le(E(Indicator((X - E(X)) ** 2 - p**2)), variance / p**2),
        le(E(Indicator((X - E(X)) ** 2 - p**2)), variance / (2 * p**2)),
    ),
    Fact("absolute mean", le(Abs(E(X)), E(Abs(X))), le(E(Abs(X)), Abs(E(X)))),
    Fact("larger mean", le(Max(E(X), E(Y)), E(Max(X, Y))), le(E(Max(X, Y)), Max(E(X), E(Y)))),
    Fact("smaller mean", le(E(Min(X, Y)), Min(E(X), E(Y))), le(Min(E(X), E(Y)), E(Min(X, Y)))),
    Fact("Jensen, exponential", le(exp(E(X)), E(exp(X))), le(E(exp(X)), exp(E(X)))),
    Fact("Jensen, fourth power", le(E(X) ** 4, E(X**4)), le(2 * E(X) ** 4, E(X**4))),
    Fact("Jensen, inverse", le(1 / E(S), E(1 / S)), le(E(1 / S), 1 / E(S)), (ABOVE,)),
    Fact("Jensen, root", le(E(sqrt(S)), sqrt(E(S))), le(sqrt(E(S)), E(sqrt(S))), (ABOVE,)),
    Fact("moment generating function", le(1, E(exp(p * X))), le(1 + p**2 / 2, E(exp(p * X))), (CENTRED,)),
    Fact("second moment", le(E(Abs(X)) ** 2, E(X**2)), le(E(X**2), E(Abs(X)) ** 2)),
    Fact("variance of a bounded number", le(E(X**2) - E(X) ** 2, a**2), le(E(X**2), a**2 / 2), (SIZE,)),
    Fact("Cauchy-Schwarz of means", le(E(X * Y) ** 2, E(X**2) * E(Y**2)), le(2 * E(X * Y) ** 2, E(X**2) * E(Y**2))),
    Fact("triangle inequality", le(length(u + v), length(u) + length(v)), le(length(u) + length(v), length(u + v))),
    Fact(
        "triangle inequality of distances",
        le(length(u - v), length(u - w) + length(w - v)),
        le(length(u - w), length(u - v) + length(u - w) / 2),
    ),
    Fact(
        "length of a sum", le(length(all_z), Total(length(z(k)), *each)), le(Total(length(z(k)), *each), length(all_z))
    ),
    Fact(
        "length of a mean",
        le(length(all_z / n), Total(length(z(k)), *each) / n),
        le(length(all_z / n), Total(length(z(k)), *each) / (2 * n)),
    ),
    Fact("logarithm below a line", le(log(1 + a), a), le(log(1 + a), a / 2), (Given("above", lt(-1, a)),)),
    Fact(
        "Jensen with weights",
        le(square(Total(weight(k) * z(k), *each)), Total(weight(k) * square(z(k)), *each)),
        le(Total(weight(k) * square(z(k)), *each), square(Total(weight(k) * z(k), *each))),
        (ONE,),
    ),
    Fact(
        "a squared mean of numbers with weights",
        le(Total(weight(k) * x(k), *each) ** 2, Total(weight(k) * x(k) ** 2, *each)),
        le(2 * Total(weight(k) * x(k), *each) ** 2, Total(weight(k) * x(k) ** 2, *each)),
        (ONE,),
    ),
    Fact(
        "variance on an interval",
        le(Total(weight(k) * (x(k) - middle) ** 2, *each), (b - middle) * (middle - a)),
        le(Total(weight(k) * (x(k) - middle) ** 2, *each), (b - middle) * (middle - a) / 2),
        (ONE, Given("low", le(a, x(k), each)), Given("high", le(x(k), b, each))),
    ),
    Fact(
        "Kullback-Leibler divergence",
        le(0, Total((x(k) - y(k)) * exp(x(k)), *each)),
        le(0, Total((y(k) - x(k)) * exp(x(k)), *each)),
        (Given("p", eq(Total(exp(x(k)), *each), 1)), Given("q", eq(Total(exp(y(k)), *each), 1))),
    ),
    Fact("sum of squares of inverses", le(Total(1 / k**2, *each), 2), le(Total(1 / k**2, *each), Rational(3, 2))),
    Fact(
        "a telescoping sum", le(Total(1 / (k * (k + 1)), *each), 1), le(Total(1 / (k * (k + 1)), *each), Rational(2, 3))
    ),
    Fact(
        "AdaGrad's sum",
        le(Total(d(k) / sqrt(Total(d(j), j, 1, k)), *each), 2 * sqrt(Total(d(k), *each))),
        le(Total(d(k) / sqrt(Total(d(j), j, 1, k)), *each), sqrt(Total(d(k), *each)) / 2),
    ),
    Fact(
        "a minimum of multiples", le(Min(p * a, q * b), p * r), le(Min(p * a, q * b), q * r), (Given("most", le(a, r)),)
    ),
    Fact(
        "weights with another sum",
        le(Total(weight(k) * x(k), *each) ** 2, p * Total(weight(k) * x(k) ** 2, *each)),
        le(2 * Total(weight(k) * x(k), *each) ** 2, p * Total(weight(k) * x(k) ** 2, *each)),
        (Given("sum", eq(Total(weight(k), *each), p)),),
    ),
    Fact(
        "a mean inside a sum",
        le(Total(d(j) * y(j), j, 1, l), a),
        le(Total(d(j) * y(j), j, 1, l), a / 2),
        (
            ONE,
            Given("mean", eq(y(j), Total(weight(k) * f(k, j), *each), (j, 1, l))),
            Given("most", le(Total(d(j) * f(k, j), j, 1, l), a, each)),
        ),
    ),
    Fact(
        "the sum of Hedge's weights",
        le(Total(weight(k) * exp(-p * d(k)), *each), 1 - p * Total(weight(k) * d(k), *each) + p**2 / 2 * second),
        le(Total(weight(k) * exp(-p * d(k)), *each), 1 - p * Total(weight(k) * d(k), *each) + p**2 / 3 * second),
        (ONE,),
    ),
    Fact("the order of squares", le(p, q), le(p, q / 2), (Given("squares", le(p**2, q**2)),)),
    Fact(
        "a geometric sum", le(Total(p**k, *each), p / (1 - p)), le(Total(p**k, *each), p), (Given("below", lt(p, 1)),)
    ),
    Fact("an indicator", le(0, 1 - a), le(0, Rational(1, 2) - a), (Given("idempotent", eq(a**2, a)),)),
    Fact(
        "Young's inequality behind two others",
        le(Dot(u, w), p**2 / (2 * q)),
        le(Dot(u, w), p**2 / (3 * q)),
        (Given("strong", le(Dot(u, w) + q * c**2 / 2, Dot(u, v))), Given("dual", le(Dot(u, v), c * p))),
    ),
    Fact(
        "an equation between vectors, multiplied",
        eq(Dot(u, v) * (1 + p), Dot(w, v)),
        eq(Dot(u, v) * (2 + p), Dot(w, v)),
        (Given("solves", eq(u + p * u, w)),),
    ),
    Fact(
        "Cauchy-Schwarz of sums",
        le(Total(x(k) * y(k), *each) ** 2, Total(x(k) ** 2, *each) * Total(y(k) ** 2, *each)),
        le(2 * Total(x(k) * y(k), *each) ** 2, Total(x(k) ** 2, *each) * Total(y(k) ** 2, *each)),
    ),
    Fact(
        "square of a sum",
        le(Total(x(k), *each) ** 2, n * Total(x(k) ** 2, *each)),
        le(Total(x(k), *each) ** 2, n * Total(x(k) ** 2, *each) / 2),
    ),
    Fact(
        "lengths",
        le(Dot(u, v), sqrt(square(u)) * sqrt(square(v))),
        le(2 * Dot(u, v), sqrt(square(u)) * sqrt(square(v))),
    ),
    Fact("maximum", eq(Max(r, s), (r + s + Abs(r - s)) / 2), eq(Max(r, s), (r + s + Abs(r - s)) / 3)),
    Fact("minimum", eq(Min(r, s), (r + s - Abs(r - s)) / 2), eq(Min(r, s), (r + s - Abs(r - s)) / 3)),
    Fact("sums of maxima", le(Max(r + s, a + b), Max(r, a) + Max(s, b)), le(Max(r, a) + Max(s, b), Max(r + s, a + b))),
    Fact("difference of sizes", le(Abs(Abs(a) - Abs(b)), Abs(a - b)), le(Abs(a - b), Abs(Abs(a) - Abs(b)))),
    Fact("roots", lt(sqrt(p), sqrt(q)), lt(sqrt(q), sqrt(p)), (LARGER,)),
    Fact("three means", le(p * q * c, (p**3 + q**3 + c**3) / 3), le(p * q * c, (p**3 + q**3 + c**3) / 4)),
    Fact(
        "an exponential on an interval",
        le(1 + r, exp(r - r**2 / 4)),
        le(1 + r, exp(r - r**2 / 2)),
        (Given("low", le(-1, r)), Given("high", le(r, 1))),
    ),
    Fact("quartic", le(4 * a, a**4 + 3), le(4 * a, a**4 + Rational(29, 10))),
    Fact("tangent of a quartic", le(b**4 + 4 * b**3 * (a - b), a**4), le(b**4 + 5 * b**3 * (a - b), a**4)),
)
PARAMETERS = [pytest.param(fact, id=fact.name) for fact in FACTS]
BY_SQUARES = ("Jensen, fourth power", "three means", "quartic", "tangent of a quartic")


@pytest.mark.parametrize("fact", PARAMETERS)
def test_a_fact_is_proved(fact: Fact) -> None:
    if fact.name in BY_SQUARES:
        pytest.importorskip("clarabel")
    outcome = prove(Theorem("found/fact", fact.true, fact.given))
    assert isinstance(outcome, Proved), outcome
    assert source_of(*outcome.facts, outcome.theorem)


@pytest.mark.parametrize("fact", PARAMETERS)
def test_a_false_fact_is_not_proved(fact: Fact) -> None:
    assert not isinstance(prove(Theorem("found/fact", fact.false, fact.given), work=120), Proved)
