"""Tails of random numbers: Chebyshev's inequality from one side, sums of uncorrelated numbers, Azuma's moments.

That a bound holds is the event that a number is not negative; its probability is the mean of the indicator of that event.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, Symbol, exp, sqrt

from fltheory.papers.fedcg.letters import T
from fltheory.proof.language import (
    Apply,
    Cases,
    Combine,
    Given,
    Induction,
    Instance,
    Known,
    Step,
    Summed,
    Theorem,
    eq,
    le,
    lt,
)
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
    Step("sign", lt(0, _at), Combine({"assumed 1": scale}), assuming=_AT_LEAST),
    Step("one", eq(_SAFE, 1), Known("indicator", _at), ("sign",), assuming=_AT_LEAST),
)
_CHEBYSHEV = le(1 - Y**2 / c**2, _SAFE)
CHEBYSHEV = Theorem(
    "fedcg/chebyshev",
    _CHEBYSHEV,
    (),
    (
        *_ONE,
        Step("square", le(0, Y**2), Apply("fedcg/square", {Symbol("X", real=True): Y})),
        Step("1", _CHEBYSHEV, Combine({"one": -1, "square": 1 / c**2}), ("one", "square"), assuming=_AT_LEAST),
        Step("far", le(c**2, Y**2), Combine({"assumed 1": c - Y}), assuming=_BELOW),
        Step("2", _CHEBYSHEV, Combine({"far": 1 / c**2}), ("far",), assuming=_BELOW),
        Step("3", _CHEBYSHEV, Cases(), ("1", "2")),
    ),
    place=PLACE,
    note="where Y < -c its square is above c^2: in the mean, P(c + Y >= 0) >= 1 - E[Y^2]/c^2",
)
_CHERNOFF = le(1 - exp(-rate * (c + Y)), _SAFE)
CHERNOFF = Theorem(
    "fedcg/chernoff",
    _CHERNOFF,
    (),
    (
        *_ONE,
        Step("1", _CHERNOFF, Combine({"one": -1}), ("one",), assuming=_AT_LEAST),
        Step("tangent", le(1 - rate * (c + Y), exp(-rate * (c + Y))), Known("exp", -rate * (c + Y))),
        Step("2", _CHERNOFF, Combine({"tangent": 1, "assumed 1": rate}), ("tangent",), assuming=_BELOW),
        Step("3", _CHERNOFF, Cases(), ("1", "2")),
    ),
    place=PLACE,
    note="where Y < -c, exp(-rate (c + Y)) is above 1",
)

Z = Symbol("Z", positive=True)
_POSITIVE = lt(0, c * sqrt(Z))
POSITIVE = Theorem(
    "fedcg/positive-root", _POSITIVE, (), (Step("1", _POSITIVE, Combine()),), place=PLACE, note="a positive width"
)

# Rounds, counted from 0 ---------------------------------------------------------------------------------------------------

term, y, w = family(Scalar, "term"), family(Scalar, "y"), family(Nonnegative, "w")
EACH = (t, 0, T - 1)
_SUM = le(term(t), Total(term(s), s, 0, T - 1), EACH)
_UP = Total(term(s), s, 0, t + k)
ONE = Theorem(
    "fedcg/one-round",
    _SUM,
    (Given("terms", le(0, term(s), (s, 0, T - 1)), "no term is negative"),),
    (
        Step("before", le(0, term(s), EACH, (s, 0, t - 1)), Combine({"terms": 1}), ("terms",)),
        Step("sum", le(0, Total(term(s), s, 0, t - 1), EACH), Summed((s,)), ("before",)),
        Step("0", le(term(t), Total(term(s), s, 0, t), EACH), Combine(), ("sum",)),
        Step("next", le(0, term(t + k + 1), EACH, (k, 0, T - t - 2)), Instance({s: t + k + 1}), ("terms",)),
        Step(
            "1",
            le(term(t), Total(term(s), s, 0, t + k + 1), EACH, (k, 0, T - t - 2)),
            Combine(),
            ("next",),
            assuming=(le(term(t), _UP),),
        ),
        Step("2", le(term(t), _UP, EACH, (k, 0, T - t - 1)), Induction(k), ("0", "1")),
        Step("3", _SUM, Instance({k: T - 1 - t}), ("2",)),
    ),
    place=PLACE,
    note="a term of a sum of numbers that are not negative, counted from 0",
)
_SQUARES = Total(y(s) ** 2, s, 0, T - 1)
_TOGETHER = Total(w(t) * (c + y(t)), t, 0, T - 1)
_UNION = le(1 - _SQUARES / c**2, Indicator(_TOGETHER))
_INSIDE, _OUTSIDE = (le(_SQUARES, c**2),), (lt(c**2, _SQUARES),)
_ROOT = le(0, c + Y)
ROOT = Theorem(
    "fedcg/root",
    _ROOT,
    (Given("square", le(Y**2, c**2), "no further from 0 than c"),),
    (
        Step("1", _ROOT, Combine({"assumed 1": 1}), assuming=(le(0, Y),)),
        Step("2", _ROOT, Combine({"square": 1 / (c - Y)}), ("square",), assuming=(lt(Y, 0),)),
        Step("3", _ROOT, Cases(), ("1", "2")),
    ),
    place=PLACE,
)
UNION = Theorem(
    "fedcg/union",
    _UNION,
    (),
    (
        Step("sign", le(0, y(s) ** 2, (s, 0, T - 1)), Apply("fedcg/square", {Symbol("X", real=True): y(s)})),
        Step("each", le(y(t) ** 2, _SQUARES, EACH), Apply("fedcg/one-round", {term(t): y(t) ** 2}), ("sign",)),
        Step("near", le(y(t) ** 2, c**2, EACH), Combine({"each": 1, "assumed 1": 1}), ("each",), assuming=_INSIDE),
        Step("root", le(0, c + y(t), EACH), Apply("fedcg/root", {Y: y(t)}), ("near",), assuming=_INSIDE),
        Step("sum", le(0, _TOGETHER), Summed((t,), w(t)), ("root",), assuming=_INSIDE),
        Step("one", eq(Indicator(_TOGETHER), 1), Known("indicator", _TOGETHER), ("sum",), assuming=_INSIDE),
        Step("squares", le(0, _SQUARES), Summed((s,)), ("sign",)),
        Step("1", _UNION, Combine({"one": -1, "squares": 1 / c**2}), ("one", "squares"), assuming=_INSIDE),
        Step("2", _UNION, Combine({"assumed 1": 1 / c**2}), assuming=_OUTSIDE),
        Step("3", _UNION, Cases(), ("1", "2")),
    ),
    place=PLACE,
    note="if no round is further off than c, no weighted sum is; else the squares add up to more than c^2",
)

# Uncorrelated numbers -------------------------------------------------------------------------------------------------------

xi = family(RandomScalar, "xi")


def _so_far(count: Any) -> Expr:
    return Total(xi(s), s, 0, count - 1)


def _squares(count: Any) -> Expr:
    return Total(E(xi(s) ** 2), s, 0, count - 1)


_UNCORRELATED = eq(E(_so_far(T) ** 2), _squares(T))
UNCORRELATED = Theorem(
    "fedcg/uncorrelated",
    _UNCORRELATED,
    (Given("pairs", eq(E(xi(t) * xi(s)), 0, EACH, (s, 0, t - 1)), "earlier numbers are uncorrelated with this one"),),
    (
        Step("cross", eq(E(xi(t) * _so_far(t)), 0, EACH), Summed((s,)), ("pairs",)),
        Step("0", eq(E(_so_far(Integer(0)) ** 2), 0), Combine()),
        Step(
            "1",
            eq(E(_so_far(t + 1) ** 2), _squares(t + 1), EACH),
            Combine({"assumed 1": 1, "cross": 2}),
            ("cross",),
            assuming=(eq(E(_so_far(t) ** 2), _squares(t)),),
            note="one round more",
        ),
        Step("2", eq(E(_so_far(t) ** 2), _squares(t), (t, 0, T)), Induction(t), ("0", "1")),
        Step("3", _UNCORRELATED, Instance({t: T}), ("2",)),
    ),
    place=PLACE,
    note="squares of martingale differences add up",
)
v = family(Nonnegative, "v")


def _moment(count: Any) -> Expr:
    return E(exp(-rate * _so_far(count)))


def _grown(count: Any) -> Expr:
    return exp(Total(v(s), s, 0, count - 1))


_AZUMA = le(_moment(T), _grown(T))
AZUMA = Theorem(
    "fedcg/azuma",
    _AZUMA,
    (
        Given(
            "step",
            le(E(exp(-rate * _so_far(t + 1))), exp(v(t)) * _moment(t), EACH),
            "Hoeffding's lemma for the new number, given the past",
        ),
    ),
    (
        Step("0", le(_moment(Integer(0)), 1), Combine()),
        Step(
            "1",
            le(_moment(t + 1), _grown(t + 1), EACH),
            Combine({"assumed 1": exp(v(t)), "step": 1}),
            ("step",),
            assuming=(le(_moment(t), _grown(t)),),
            note="one round more",
        ),
        Step("2", le(_moment(t), _grown(t), (t, 0, T)), Induction(t), ("0", "1")),
        Step("3", _AZUMA, Instance({t: T}), ("2",)),
    ),
    place=PLACE,
    note="the exponential moment of a sum of martingale differences",
)

THEOREMS = (CHEBYSHEV, CHERNOFF, POSITIVE, ONE, ROOT, UNION, UNCORRELATED, AZUMA)
