"""Tails of random numbers: the one-sided Chebyshev inequality, sums of uncorrelated numbers, Azuma's moments.

The event that a bound holds is that a number is nonnegative; its probability is the mean of the indicator.
"""

from __future__ import annotations

from sympy import Expr, Integer, Symbol, exp, sqrt

from fltheory.papers.fedcg.facts.algebra import SQUARE
from fltheory.papers.fedcg.notation import T
from fltheory.proof import by, eq, le, line, lt, proof
from fltheory.proof.terms import E, Indicator, Nonnegative, RandomScalar, Scalar, Total, family

t, s, k, a = (Symbol(name, integer=True, nonnegative=True) for name in "tska")
Y = Symbol("Y", real=True)
c, scale, rate = (Symbol(name, positive=True) for name in ("c", "scale", "rate"))
PLACE = "proof of Theorem 3.5"

# One number -------------------------------------------------------------------------------------------------------------

_SAFE = Indicator(scale * (c + Y))
_AT_LEAST = (lt(0, c + Y),)
_BELOW = (le(c + Y, 0),)
_at = scale * (c + Y)
_ONE = (
    line("sign", lt(0, _at), by.linear(), assuming=_AT_LEAST),
    line("one", eq(_SAFE, 1), by.fact("indicator", _at, "sign"), assuming=_AT_LEAST),
)
_CHEBYSHEV = le(1 - Y**2 / c**2, _SAFE)
CHEBYSHEV = (
    proof(
        "fedcg/chebyshev",
        PLACE,
        note="where Y < -c its square is above c^2: in the mean, P(c + Y >= 0) >= 1 - E[Y^2]/c^2",
    )
    .steps(*_ONE)
    .step("square", by.apply(SQUARE, {Symbol("X", real=True): Y}))
    .step("1", _CHEBYSHEV, by.linear("one", "square"), assuming=_AT_LEAST)
    .step("far", le(c**2, Y**2), by.linear(), assuming=_BELOW)
    .step("2", _CHEBYSHEV, by.linear("far"), assuming=_BELOW)
    .qed(_CHEBYSHEV, by.cases("1", "2"))
)
_CHERNOFF = le(1 - exp(-rate * (c + Y)), _SAFE)
CHERNOFF = (
    proof("fedcg/chernoff", PLACE, note="where Y < -c, exp(-rate (c + Y)) is above 1")
    .steps(*_ONE)
    .step("1", _CHERNOFF, by.linear("one"), assuming=_AT_LEAST)
    .step("tangent", by.fact("exp", -rate * (c + Y)))
    .step("2", _CHERNOFF, by.linear("tangent"), assuming=_BELOW)
    .qed(_CHERNOFF, by.cases("1", "2"))
)

Z = Symbol("Z", positive=True)
POSITIVE = proof("fedcg/positive-root", PLACE, note="a positive width").qed(lt(0, c * sqrt(Z)), by.linear())

# Rounds, counted from 0 ---------------------------------------------------------------------------------------------------

term, y, w = family(Scalar, "term"), family(Scalar, "y"), family(Nonnegative, "w")
EACH = (t, 0, T - 1)
_UP = Total(term(s), s, 0, t + k)
ONE = (
    proof("fedcg/one-round", PLACE, note="a term of a sum of numbers that are not negative, counted from 0")
    .given("terms", le(0, term(s), (s, 0, T - 1)), "no term is negative")
    .step("before", le(0, term(s), EACH, (s, 0, t - 1)), by.linear("terms"))
    .step("sum", by.sum_over(s, "before"))
    .step("0", le(term(t), Total(term(s), s, 0, t), EACH), by.linear("sum"))
    .step("next", by.instance({s: t + k + 1}, "terms"), over=(EACH, (k, 0, T - t - 2)))
    .step(
        "1",
        le(term(t), Total(term(s), s, 0, t + k + 1), EACH, (k, 0, T - t - 2)),
        by.linear("next"),
        assuming=le(term(t), _UP),
    )
    .step("2", le(term(t), _UP, EACH, (k, 0, T - t - 1)), by.induction(k, "0", "1"))
    .qed(le(term(t), Total(term(s), s, 0, T - 1), EACH), by.instance({k: T - 1 - t}, "2"))
)
_SQUARES = Total(y(s) ** 2, s, 0, T - 1)
_TOGETHER = Total(w(t) * (c + y(t)), t, 0, T - 1)
_UNION = le(1 - _SQUARES / c**2, Indicator(_TOGETHER))
_INSIDE, _OUTSIDE = (le(_SQUARES, c**2),), (lt(c**2, _SQUARES),)
_ROOT = le(0, c + Y)
ROOT = (
    proof("fedcg/root", PLACE)
    .given("square", le(Y**2, c**2), "no further from 0 than c")
    .step("1", _ROOT, by.linear(), assuming=le(0, Y))
    .step("2", _ROOT, by.linear(square=1 / (c - Y)), assuming=lt(Y, 0))
    .qed(_ROOT, by.cases("1", "2"))
)
UNION = (
    proof(
        "fedcg/union",
        PLACE,
        note="if no round is further off than c, no weighted sum is; else the squares add up to more than c^2",
    )
    .step("sign", le(0, y(s) ** 2, (s, 0, T - 1)), by.apply(SQUARE, {Symbol("X", real=True): y(s)}))
    .step("each", by.apply(ONE, {term(t): y(t) ** 2}))
    .step("near", le(y(t) ** 2, c**2, EACH), by.linear("each"), assuming=_INSIDE)
    .step("root", by.apply(ROOT, {Y: y(t)}), assuming=_INSIDE)
    .step("sum", by.sum_over(t, "root", weight=w(t)), assuming=_INSIDE)
    .step("one", eq(Indicator(_TOGETHER), 1), by.fact("indicator", _TOGETHER, "sum"), assuming=_INSIDE)
    .step("squares", by.sum_over(s, "sign"))
    .step("1", _UNION, by.linear("one", "squares"), assuming=_INSIDE)
    .step("2", _UNION, by.linear(), assuming=_OUTSIDE)
    .qed(_UNION, by.cases("1", "2"))
)
beside = Symbol("beside", nonnegative=True)
_ONE_MORE = _SQUARES + Y**2
_WITH = _TOGETHER + beside * (c + Y)
_UNION_AND_ONE = le(1 - _ONE_MORE / c**2, Indicator(_WITH))
_IN, _OUT = (le(_ONE_MORE, c**2),), (lt(c**2, _ONE_MORE),)
UNION_AND_ONE = (
    proof("fedcg/union-and-one", PLACE, note="the same with one number more beside those of the rounds")
    .step("sign", le(0, y(s) ** 2, (s, 0, T - 1)), by.apply(SQUARE, {Symbol("X", real=True): y(s)}))
    .step("own", le(0, Y**2), by.apply(SQUARE, {Symbol("X", real=True): Y}))
    .step("each", by.apply(ONE, {term(t): y(t) ** 2}))
    .step("squares", by.sum_over(s, "sign"))
    .step("near", le(y(t) ** 2, c**2, EACH), by.linear("each", "own"), assuming=_IN)
    .step("root", by.apply(ROOT, {Y: y(t)}), assuming=_IN)
    .step("near too", le(Y**2, c**2), by.linear("squares"), assuming=_IN)
    .step("root too", by.apply(ROOT), assuming=_IN)
    .step("rounds", by.sum_over(t, "root", weight=w(t)), assuming=_IN)
    .step("sum", le(0, _WITH), by.linear("rounds", "root too"), assuming=_IN)
    .step("one", eq(Indicator(_WITH), 1), by.fact("indicator", _WITH, "sum"), assuming=_IN)
    .step("1", _UNION_AND_ONE, by.linear("one", "squares", "own"), assuming=_IN)
    .step("2", _UNION_AND_ONE, by.linear(), assuming=_OUT)
    .qed(_UNION_AND_ONE, by.cases("1", "2"))
)

# Uncorrelated numbers -------------------------------------------------------------------------------------------------------

xi = family(RandomScalar, "xi")


def _so_far(count: Expr) -> Expr:
    return Total(xi(s), s, 0, count - 1)


def _squares(count: Expr) -> Expr:
    return Total(E(xi(s) ** 2), s, 0, count - 1)


UNCORRELATED = (
    proof("fedcg/uncorrelated", PLACE, note="squares of martingale differences add up")
    .given("pairs", eq(E(xi(t) * xi(s)), 0, EACH, (s, 0, t - 1)), "earlier numbers are uncorrelated with this one")
    .step("cross", eq(E(xi(t) * _so_far(t)), 0, EACH), by.sum_over(s, "pairs"))
    .step("0", eq(E(_so_far(Integer(0)) ** 2), 0), by.linear())
    .step(
        "1",
        eq(E(_so_far(t + 1) ** 2), _squares(t + 1), EACH),
        by.linear("cross"),
        assuming=eq(E(_so_far(t) ** 2), _squares(t)),
        note="one round more",
    )
    .step("2", eq(E(_so_far(t) ** 2), _squares(t), (t, 0, T)), by.induction(t, "0", "1"))
    .qed(eq(E(_so_far(T) ** 2), _squares(T)), by.instance({t: T}, "2"))
)
v = family(Nonnegative, "v")


def _moment(count: Expr) -> Expr:
    return E(exp(-rate * _so_far(count)))


def _grown(count: Expr) -> Expr:
    return exp(Total(v(s), s, 0, count - 1))


AZUMA = (
    proof("fedcg/azuma", PLACE, note="the exponential moment of a sum of martingale differences")
    .given(
        "step",
        le(E(exp(-rate * _so_far(t + 1))), exp(v(t)) * _moment(t), EACH),
        "Hoeffding's lemma for the new number, given the past",
    )
    .step("0", le(_moment(Integer(0)), 1), by.linear())
    .step(
        "1",
        le(_moment(t + 1), _grown(t + 1), EACH),
        by.linear("step"),
        assuming=le(_moment(t), _grown(t)),
        note="one round more",
    )
    .step("2", le(_moment(t), _grown(t), (t, 0, T)), by.induction(t, "0", "1"))
    .qed(le(_moment(T), _grown(T)), by.instance({t: T}, "2"))
)

THEOREMS = (CHEBYSHEV, CHERNOFF, POSITIVE, ONE, ROOT, UNION, UNION_AND_ONE, UNCORRELATED, AZUMA)
