"""The Cauchy-Schwarz inequality for lengths, for sums and for expectations; the order of roots, of maxima and of minima."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from sympy import Expr, Integer, Max, Min, Rational, Symbol, sqrt

from fltheory.proof import by, eq, le, lt, proof
from fltheory.proof.facts.squares import CAUCHY, SIGN
from fltheory.proof.language import Relation, Theorem
from fltheory.proof.terms import Dot, E, Nonnegative, RandomScalar, Scalar, Total, Vector, family, square

x, y = (family(Vector, name)() for name in "xy")
_A, _B, _P = sqrt(square(x)), sqrt(square(y)), Dot(x, y)
LENGTHS = (
    proof("facts/cauchy-schwarz-root", note="<x, y> <= |x| |y|")
    .step("A", le(0, square(x)), by.apply(SIGN, {x: x}))
    .step("B", le(0, square(y)), by.apply(SIGN, {x: y}))
    .step("squares", le(_P**2, square(x) * square(y)), by.apply(CAUCHY, {x: x, y: y}))
    .step("above", le(_P, _A * _B), by.linear({"squares": 1 / (_P + _A * _B)}, "A", "B", "assumed 1"),
        assuming=(lt(0, _P),), note="a difference of squares is a product")
    .step("below", le(_P, _A * _B), by.linear({"assumed 1": 1}, "A", "B"), assuming=(le(_P, 0),))
    .qed(le(_P, _A * _B), by.cases("above", "below"))
)
k, n, j = (Symbol(name, integer=True) for name in "knj")
a, b = family(Scalar, "a"), family(Scalar, "b")
X, Y = family(RandomScalar, "X")(), family(RandomScalar, "Y")()


def _cauchy_schwarz(name: str, note: str, left: Expr, right: Expr, index: Symbol | None) -> Theorem:
    """Return (sum of a b)^2 <= (sum of a^2) (sum of b^2), for a sum over an index or an expectation."""

    def whole(term: Expr) -> Expr:
        return E(term) if index is None else Total(term, index, k, n)

    def each(term: Expr) -> by.By:
        return by.expectation(term) if index is None else by.sum_over(index, term)

    over = () if index is None else ((index, k, n),)
    p, u, v = whole(left * right), whole(left**2), whole(right**2)
    return (
        proof(name, note=note)
        .step("a", le(0, left**2, *over), by.linear())
        .step("A", le(0, u), each("a"))
        .step("one", le(0, (left * v - p * right) ** 2, *over), by.polynomial(), note="no square is negative")
        .step("sum", le(0, v * (u * v - p**2)), each("one"))
        .step("apart", le(p**2, u * v), by.linear({"sum": 1 / v}), assuming=(lt(0, v),))
        .step("two", le(0, (right * (u + 1) - p * left) ** 2, *over), by.polynomial(), note="the other way round")
        .step("other", le(p**2 * (u + 2), v * (u + 1) ** 2), each("two"))
        .step("none", le(p**2, u * v), by.linear({"other": 1 / (u + 2), "assumed 1": 1 / (u + 2)}, "A"),
            assuming=(le(v, 0),))
        .qed(le(p**2, u * v), by.cases("apart", "none"))
    )


SUMS = _cauchy_schwarz("facts/cauchy-schwarz-sum", "the squared sum of products", a(j), b(j), j)
MEANS = _cauchy_schwarz("facts/cauchy-schwarz-mean", "the squared expectation of a product", X, Y, None)
p, q = (family(Nonnegative, name)() for name in "pq")
ROOTS = (
    proof("facts/order-of-roots", note="numbers that are not negative are in the order of their squares")
    .given("squares", le(p**2, q**2))
    .step("sign", le(0, p**2), by.linear())
    .qed(le(p, q), by.power(Rational(1, 2), "sign", "squares"))
)
_X, _Y, _XY = sqrt(square(x)), sqrt(square(y)), sqrt(square(x + y))
TRIANGLE = (
    proof("facts/triangle", note="|x + y| <= |x| + |y|")
    .step("A", le(0, square(x)), by.apply(SIGN, {x: x}))
    .step("B", le(0, square(y)), by.apply(SIGN, {x: y}))
    .step("C", le(0, square(x + y)), by.apply(SIGN, {x: x + y}))
    .step("product", le(_P, _A * _B), by.apply(LENGTHS, {x: x, y: y}))
    .step("squares", le(square(x + y), (_X + _Y) ** 2), by.linear({"product": 2}, "A", "B"))
    .qed(le(_XY, _X + _Y), by.apply(ROOTS, {p: _XY, q: _X + _Y}, "squares", "A", "B", "C"))
)
i = Symbol("i", integer=True, nonnegative=True)
FIRST, TERMS, SUMMAND = k, Symbol("N", integer=True, nonnegative=True), family(Vector, "v")


def _length_of_sum(terms: Expr) -> Relation:
    """State that the length of the sum of so many vectors is at most the sum of their lengths."""
    over = (j, k, k + terms - 1)
    return le(sqrt(square(Total(SUMMAND(j), *over))), Total(sqrt(square(SUMMAND(j))), *over))


_S = Total(SUMMAND(j), j, k, k + i - 1)
NORMS = (
    proof("facts/triangle-sum", note="the length of a sum is at most the sum of the lengths")
    .step("0", _length_of_sum(Integer(0)), by.linear())
    .step("next", le(sqrt(square(_S + SUMMAND(k + i))), sqrt(square(_S)) + sqrt(square(SUMMAND(k + i)))),
        by.apply(TRIANGLE, {x: _S, y: SUMMAND(k + i)}))
    .step("1", replace(_length_of_sum(i + 1), over=((i, 0, TERMS - 1),)), by.linear({"next": 1, "assumed 1": 1}),
        assuming=_length_of_sum(i))
    .step("2", replace(_length_of_sum(i), over=((i, 0, TERMS),)), by.induction(i, "0", "1"))
    .qed(_length_of_sum(TERMS), by.instance({i: TERMS}, "2"))
)
PAIR = (family(Scalar, "s")(), family(Scalar, "t")())


def _beside(name: str, note: str, word: Literal["min", "max"], claim: Relation) -> Theorem:
    """Return that a minimum is at most its first number, or that a maximum is at least that, by cases."""
    first, second = PAIR
    lower, upper = le(first, second), le(second, first)
    term, one, two, sign = (Min(*PAIR), lower, upper, 1) if word == "min" else (Max(*PAIR), upper, lower, -1)
    return (
        proof(name, note=note)
        .step("is first", eq(term, first), by.fact(word, term), assuming=(one,))
        .step("1", claim, by.linear({"is first": sign, "assumed 1": 0}), assuming=(one,))
        .step("is second", eq(term, second), by.fact(word, term), assuming=(two,))
        .step("2", claim, by.linear({"is second": sign, "assumed 1": 1}), assuming=(two,))
        .qed(claim, by.cases("1", "2"))
    )


BELOW = _beside("facts/minimum", "a minimum is at most its first number", "min", le(Min(*PAIR), PAIR[0]))
ABOVE = _beside("facts/maximum", "a maximum is at least its first number", "max", le(PAIR[0], Max(*PAIR)))
