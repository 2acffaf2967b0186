"""Sums of the signs of a random permutation, Lemmas 12 and 13, for every even number M of clients.

The chance of a tie obeys (n + 2)(M - n - 1) P(E_{n+2} = 0) = (n + 1)(M - n) P(E_n = 0), as neighbouring masses of the
hypergeometric law do; with it E|E_n| = (M - n)/M (n P(E_n = 0) + (n + 1) P(E_{n+1} = 0)), hence
E|E_n| >= (M - n)/M sqrt(n/2), without the bound that the paper cites.
"""

from __future__ import annotations

from typing import Any

from sympy import Integer, Rational, Symbol, oo, sqrt

from fltheory.claim import find
from fltheory.papers.sfl.letters import K, M, k, m, n
from fltheory.proof.language import (
    Apply,
    Combine,
    Expected,
    Given,
    Induction,
    Instance,
    Polynomial,
    Power,
    Relation,
    Step,
    Theorem,
    eq,
    le,
    stated,
)
from fltheory.proof.terms import E, RandomNonnegative, RandomScalar, family

x = Symbol("x", integer=True)
tau, S, sgn = (family(RandomScalar, name) for name in ("tau", "S", "sgn"))
size, hit, part = (family(RandomNonnegative, name) for name in ("size", "hit", "part"))
ROUND, WHERE, HALF = (n, 0, M - 1), (x, -oo, oo), Rational(1, 2)
LEFT = M - n  # signs not drawn yet


def bound(claim: str, side: str) -> Any:
    """The bound of a claim of the catalogue on one side."""
    return next(b for b in find(f"sfl/{claim}").bounds if b.side == side)


def mass(count: Any, at: Any) -> Any:
    """P(S(count) = at)."""
    return E(hit(count, at))


# E_n = S(n), the sum of the first n of the M signs; |S| = size, sgn its sign, hit(n, x) = 1{S(n) = x} ------------------

FAIR = "the signs that are left sum to -S(n), and each of them is as likely to be next"
FAIR_HIT = Given("next hit", eq(E(tau(n + 1) * hit(n, x)), -x / LEFT * mass(n, x), ROUND, WHERE), FAIR)
FAIR_SIGN = Given("next sign", eq(E(tau(n + 1) * sgn(n)), -E(size(n)) / LEFT, ROUND), FAIR)
SIZE_START = Given("size start", eq(size(0), 0), "|0| = 0")
SIZE_NEXT = Given(
    "size next",
    eq(size(n + 1), size(n) + sgn(n) * tau(n + 1) + hit(n, 0), ROUND),
    "|s + t| = |s| + sgn(s) t + 1{s = 0} for an integer s and a sign t",
)
HIT_START = Given("hit start", eq(x * E(hit(0, x)), 0, WHERE), "S(0) is nowhere but at 0")
HIT_ZERO = Given("hit zero", eq(hit(0, 0), 1), "S(0) = 0")
HIT_NEXT = Given(
    "hit next",
    eq(hit(n + 1, x), (1 + tau(n + 1)) / 2 * hit(n, x - 1) + (1 - tau(n + 1)) / 2 * hit(n, x + 1), ROUND, WHERE),
    "the next sign leads to x from x - 1 up or from x + 1 down",
)
TWO = Given("two", le(2, M), "M is even")


def _plain(relation: Relation, *over: Any) -> Relation:
    return Relation(relation.left, relation.op, relation.right, over)


def _after(relation: Relation, *over: Any) -> Relation:
    return _plain(_plain(relation).at({n: n + 1}), *over)


def _with(relation: Relation, at: Any, *over: Any) -> Relation:
    return _plain(_plain(relation).at({x: at}), *over)


# Neighbouring masses ----------------------------------------------------------------------------------------------

_NEXT = eq(
    mass(n + 1, x), ((LEFT - x + 1) * mass(n, x - 1) + (LEFT + x + 1) * mass(n, x + 1)) / (2 * LEFT), ROUND, WHERE
)
_LAW = (HIT_NEXT, FAIR_HIT)
_LAW_IDS = ("hit next", "next hit")
NEXT = Theorem(
    "sfl/L12-next",
    _NEXT,
    _LAW,
    (
        Step("mean", eq(mass(n + 1, x), E(HIT_NEXT.relation.right), ROUND, WHERE), Expected(), ("hit next",)),
        Step("left", _with(FAIR_HIT.relation, x - 1, ROUND, WHERE), Instance(((x, x - 1),)), ("next hit",)),
        Step("right", _with(FAIR_HIT.relation, x + 1, ROUND, WHERE), Instance(((x, x + 1),)), ("next hit",)),
        Step(
            "next",
            _NEXT,
            Combine((("mean", 1), ("left", HALF), ("right", -HALF))),
            ("mean", "left", "right"),
            note="a plus is drawn with chance (M - n - S(n))/(2 (M - n))",
        ),
    ),
    place="Lemma 12, proof",
)
WITHIN = (n, 0, M)
_RATIO = eq((n + x + 2) * (LEFT + x + 2) * mass(n, x + 2), (n - x) * (LEFT - x) * mass(n, x), WITHIN, WHERE)
_RATIO_AT = _plain(_RATIO, WHERE)
_WHOLE = eq(2 * LEFT * mass(n + 1, x), (LEFT - x + 1) * mass(n, x - 1) + (LEFT + x + 1) * mass(n, x + 1), ROUND, WHERE)
_DOUBLED = eq(2 * LEFT * _after(_RATIO).left, 2 * LEFT * _after(_RATIO).right, ROUND, WHERE)
RATIO = Theorem(
    "sfl/L12-masses",
    _RATIO,
    (HIT_START, *_LAW),
    (
        Step("next", _NEXT, Apply("sfl/L12-next"), _LAW_IDS),
        Step("from 0", eq((x + 2) * mass(0, x + 2), 0, WHERE), Instance(((x, x + 2),)), ("hit start",)),
        Step(
            "base",
            _plain(_RATIO, WHERE).at({n: Integer(0)}),
            Combine((("from 0", M + x + 2), ("hit start", M - x))),
            ("from 0", "hit start"),
        ),
        Step("above", _with(_RATIO, x + 1, ROUND, WHERE), Instance(((x, x + 1),)), assuming=(_RATIO_AT,)),
        Step("below", _with(_RATIO, x - 1, ROUND, WHERE), Instance(((x, x - 1),)), assuming=(_RATIO_AT,)),
        Step("whole", _WHOLE, Combine((("next", 2 * LEFT),)), ("next",)),
        Step("whole 2", _with(_WHOLE, x + 2, ROUND, WHERE), Instance(((x, x + 2),)), ("whole",)),
        Step(
            "doubled",
            _DOUBLED,
            Combine(
                (
                    ("whole 2", (n + x + 3) * (LEFT + x + 1)),
                    ("whole", -(n + 1 - x) * (LEFT - x - 1)),
                    ("above", LEFT + x + 1),
                    ("below", LEFT - x - 1),
                )
            ),
            ("whole 2", "whole", "above", "below"),
            assuming=(_RATIO_AT,),
        ),
        Step(
            "step",
            _after(_RATIO, ROUND, WHERE),
            Combine((("doubled", 1 / (2 * LEFT)),)),
            ("doubled",),
            assuming=(_RATIO_AT,),
        ),
        Step("masses", _RATIO, Induction(n), ("base", "step")),
    ),
    place="Lemma 12, proof",
    note="the masses are those of the hypergeometric law",
)

_g, _g1, _g2 = mass(n, 0), mass(n + 1, 0), mass(n + 2, 0)
NOT_LAST = (n, 0, M - 2)
_TIES = eq((n + 2) * (LEFT - 1) * _g2, (n + 1) * LEFT * _g, NOT_LAST)
_WALK = (HIT_START, *_LAW)
_WALK_IDS = tuple(h.id for h in _WALK)
TIES = Theorem(
    "sfl/L12-ties",
    _TIES,
    _WALK,
    (
        Step("next", _NEXT, Apply("sfl/L12-next"), _LAW_IDS),
        Step("masses", _RATIO, Apply("sfl/L12-masses"), _WALK_IDS),
        Step(
            "to 0",
            _plain(_plain(_NEXT).at({n: n + 1, x: Integer(0)}), NOT_LAST),
            Instance(((n, n + 1), (x, 0))),
            ("next",),
        ),
        Step("to 1", _with(_NEXT, Integer(1), NOT_LAST), Instance(((n, n), (x, 1))), ("next",)),
        Step("to -1", _with(_NEXT, Integer(-1), NOT_LAST), Instance(((n, n), (x, -1))), ("next",)),
        Step("from 2", _with(_RATIO, Integer(0), NOT_LAST), Instance(((n, n), (x, 0))), ("masses",)),
        Step("from -2", _with(_RATIO, Integer(-2), NOT_LAST), Instance(((n, n), (x, -2))), ("masses",)),
        Step(
            "ratio",
            _TIES,
            Combine(
                (
                    ("to 0", (n + 2) * (LEFT - 1)),
                    ("to 1", (n + 2) * LEFT / 2),
                    ("to -1", (n + 2) * LEFT / 2),
                    ("from 2", Rational(1, 4)),
                    ("from -2", -Rational(1, 4)),
                )
            ),
            ("to 0", "to 1", "to -1", "from 2", "from -2"),
        ),
    ),
    place="Lemma 12, proof",
)

# E|E_n| -----------------------------------------------------------------------------------------------------------

_A = E(size(n))
_GROWS = eq(E(size(n + 1)), (1 - 1 / LEFT) * _A + _g, ROUND)
_c = n * _g + (n + 1) * _g1
_CLOSED = eq(M * _A, LEFT * _c, ROUND)
_SIZES = (SIZE_START, SIZE_NEXT, FAIR_SIGN, *_WALK, TWO)
_SIZES_IDS = tuple(h.id for h in _SIZES)
CLOSED = Theorem(
    "sfl/L12-closed",
    _CLOSED,
    _SIZES,
    (
        Step("next", _NEXT, Apply("sfl/L12-next"), _LAW_IDS),
        Step("ties", _TIES, Apply("sfl/L12-ties"), _WALK_IDS),
        Step("right 0", eq(mass(0, 1), 0), Instance(((x, 1),)), ("hit start",)),
        Step("left 0", eq(-mass(0, -1), 0), Instance(((x, -1),)), ("hit start",)),
        Step(
            "to 0",
            eq(mass(1, 0), ((M + 1) * mass(0, -1) + (M + 1) * mass(0, 1)) / (2 * M)),
            Instance(((n, 0), (x, 0))),
            ("next", "two"),
        ),
        Step(
            "tie 1",
            eq(mass(1, 0), 0),
            Combine((("to 0", 1), ("right 0", (M + 1) / (2 * M)), ("left 0", -(M + 1) / (2 * M)))),
            ("to 0", "right 0", "left 0"),
            note="one sign is no tie",
        ),
        Step("mean", eq(E(size(n + 1)), E(SIZE_NEXT.relation.right), ROUND), Expected(), ("size next",)),
        Step("recursion", _GROWS, Combine((("mean", 1), ("next sign", 1))), ("mean", "next sign")),
        Step("size 0", eq(E(size(0)), 0), Expected(), ("size start",)),
        Step("base", _plain(_CLOSED).at({n: Integer(0)}), Combine((("size 0", M), ("tie 1", -M))), ("size 0", "tie 1")),
        Step(
            "step",
            _after(_CLOSED, NOT_LAST),
            Combine((("recursion", M), ("assumed 1", (LEFT - 1) / LEFT), ("ties", -1))),
            ("recursion", "ties"),
            assuming=(_plain(_CLOSED),),
        ),
        Step("closed", _CLOSED, Induction(n), ("base", "step")),
    ),
    place="Lemma 12, proof",
)
_FROM_1 = (n, 1, M - 1)
_PAIR = le(HALF, n * _g**2 + (n + 1) * _g1**2, _FROM_1)
_SQUARE, _SQUARE_1 = le(n / 2, _c**2, ROUND), le(n / 2, _c**2, _FROM_1)
_MASSES = (*_WALK, HIT_ZERO, TWO)
_MASSES_IDS = tuple(h.id for h in _MASSES)
_STEP = (n, 1, M - 2)
SQUARE = Theorem(
    "sfl/L12-square",
    _SQUARE,
    _MASSES,
    (
        Step("ties", _TIES, Apply("sfl/L12-ties"), _WALK_IDS),
        Step("tie 0", eq(mass(0, 0), 1), Expected(), ("hit zero",)),
        Step("ratio 2", eq(2 * (M - 1) * mass(2, 0), M * mass(0, 0)), Instance(((n, 0),)), ("ties", "two")),
        Step(
            "more 2",
            le(M - 1, 2 * (M - 1) * mass(2, 0)),
            Combine((("ratio 2", -1), ("tie 0", -M))),
            ("ratio 2", "tie 0"),
        ),
        Step("tie 2", le(HALF, mass(2, 0)), Combine((("more 2", 1 / (2 * (M - 1))),)), ("more 2", "two")),
        Step(
            "base",
            le(HALF, mass(1, 0) ** 2 + 2 * mass(2, 0) ** 2),
            Combine((("tie 2", 2 * mass(2, 0) + 1),)),
            ("tie 2",),
        ),
        Step(
            "rarer times",
            le((LEFT - 1) * (n + 1) * _g, (LEFT - 1) * (n + 2) * _g2, NOT_LAST),
            Combine((("ties", -1),)),
            ("ties",),
        ),
        Step(
            "rarer",
            le((n + 1) * _g, (n + 2) * _g2, NOT_LAST),
            Combine((("rarer times", 1 / (LEFT - 1)),)),
            ("rarer times",),
            note="ties become rarer, but not faster than for independent signs",
        ),
        Step(
            "step",
            _after(_PAIR, _STEP),
            Combine((("assumed 1", 1), ("rarer", ((n + 1) * _g + (n + 2) * _g2) / (n + 2)))),
            ("rarer",),
            assuming=(_plain(_PAIR),),
            note="(n + 1)^2 >= n (n + 2)",
        ),
        Step("pair", _PAIR, Induction(n), ("base", "step")),
        Step("from 1", _SQUARE_1, Combine((("pair", n),)), ("pair",)),
        Step("at 0", _plain(_SQUARE).at({n: Integer(0)}), Combine()),
        Step("beyond", _after(_SQUARE, NOT_LAST), Instance(((n, n + 1),)), ("from 1",)),
        Step("square", _SQUARE, Induction(n), ("at 0", "beyond")),
    ),
    place="Lemma 12, proof",
    note="n P(E_n = 0)^2 >= 1/2 for even n >= 2",
)
LAW_OF_SIZE = (*_SIZES, HIT_ZERO)
_LAW_OF_SIZE_IDS = tuple(h.id for h in LAW_OF_SIZE)
_SUMS, _FRONT = stated(bound("L12-sum@printed", "lower"), _A)
SUMS = Theorem(
    "sfl/L12-sum",
    _SUMS,
    (*_FRONT, *LAW_OF_SIZE),
    (
        Step("closed", _CLOSED, Apply("sfl/L12-closed"), _SIZES_IDS),
        Step("square", _SQUARE, Apply("sfl/L12-square"), _MASSES_IDS),
        Step("inside", le(n, M - 1), Combine(), ("c1", "c2")),
        Step("closed n", _plain(_CLOSED), Instance(((n, n),)), ("closed", "inside")),
        Step("square n", _plain(_SQUARE), Instance(((n, n),)), ("square", "inside")),
        Step("half", le(M * _c / 2, M * _A), Combine((("closed n", -1), ("c1", _c / 2))), ("closed n", "c1")),
        Step("size", le(_c / 2, _A), Combine((("half", 1 / M),)), ("half",), note="M - n >= M/2"),
        Step("squares", le(_c**2 / 4, _A**2), Combine((("size", _A + _c / 2),)), ("size",)),
        Step(
            "enough",
            le(n + 1, 100 * _A**2),
            Combine((("squares", 100), ("square n", 25), ("c2", 1))),
            ("squares", "square n", "c2"),
        ),
        Step("zero", le(0, n + 1), Combine()),
        Step("root", le(sqrt(n + 1), 10 * _A), Power(HALF), ("zero", "enough")),
        Step("sum", _SUMS, Combine((("root", Rational(1, 10)),)), ("root",)),
    ),
    claim="sfl/L12-sum@printed",
    bound=bound("L12-sum@printed", "lower"),
    place="Lemma 12, proof",
    note="the paper cites Cha et al.",
)

# E|A_{m,k}|, A_{m,k} = S(m-1) + a tau(m) for a = k/K: its size is part(m, k) ---------------------------------------------

a = k / K
BEFORE = {n: m - 1}
_Am, _gm, _cm = (value.subs(n, m - 1) for value in (_A, _g, _c))
REST = M - m + 1
PART = Given(
    "part",
    eq(part(m, k), size(m - 1) + a * sgn(m - 1) * tau(m) + a * hit(m - 1, 0)),
    "|s + a t| = |s| + a sgn(s) t + a 1{s = 0} for an integer s, a sign t and 0 <= a <= 1",
)
INSIDE = Given("inside", le(m, M), "a position of the round")
_X = E(part(m, k))
_MIXED = eq(_X, (1 - a / REST) * _Am + a * _gm)
_PLACE = (Step("place", le(1, m), Polynomial()),)
MIXED = Theorem(
    "sfl/L12-step",
    _MIXED,
    (PART, FAIR_SIGN, INSIDE),
    (
        *_PLACE,
        Step("mean", eq(_X, E(PART.relation.right)), Expected(), ("part",)),
        Step(
            "next", eq(E(tau(m) * sgn(m - 1)), -_Am / REST), Instance(((n, m - 1),)), ("next sign", "place", "inside")
        ),
        Step("mixed", _MIXED, Combine((("mean", 1), ("next", a))), ("mean", "next")),
    ),
    claim="sfl/L12-step@printed",
    place="Lemma 12, proof",
    note="one sign more, in the letters of the walk",
)
_LEAST, _CONDITIONS = stated(bound("L12@printed", "lower"), _X)
_TIE = le(1, n + _g**2, WITHIN)
L12 = Theorem(
    "sfl/L12",
    _LEAST,
    (*_CONDITIONS, *LAW_OF_SIZE, PART),
    (
        *_PLACE,
        Step("inside", le(m, M), Combine((("c1", HALF), ("c2", HALF))), ("c1", "c2")),
        Step("mixed", _MIXED, Apply("sfl/L12-step"), ("part", "next sign", "inside")),
        Step("closed", _CLOSED, Apply("sfl/L12-closed"), _SIZES_IDS),
        Step("square", _SQUARE, Apply("sfl/L12-square"), _MASSES_IDS),
        Step("closed m", _plain(_CLOSED).at(BEFORE), Instance(((n, m - 1),)), ("closed", "place", "inside")),
        Step("square m", _plain(_SQUARE).at(BEFORE), Instance(((n, m - 1),)), ("square", "place", "inside")),
        Step("mean c", le(0, _cm), Combine((("place", _gm),)), ("place",)),
        Step(
            "half", le(M * _cm / 2, M * _Am), Combine((("closed m", -1), ("c2", _cm / 2))), ("closed m", "c2", "mean c")
        ),
        Step("size", le(_cm / 2, _Am), Combine((("half", 1 / M),)), ("half",), note="M - m + 1 >= M/2"),
        Step("room", le(2 * k, K * REST), Polynomial(), ("c1", "c2", "c3")),
        Step(
            "shrink",
            le(_Am / 2, (1 - a / REST) * _Am),
            Combine((("room", _Am / (2 * K * REST)),)),
            ("room", "inside"),
            note="1 - a/(M - m + 1) >= 1 - 2/M >= 1/2",
        ),
        Step(
            "first",
            le(_cm / 4 + a * _gm, _X),
            Combine((("mixed", -1), ("shrink", 1), ("size", HALF))),
            ("mixed", "shrink", "size"),
        ),
        Step("positive", le(0, _cm / 4 + a * _gm), Combine((("mean c", Rational(1, 4)),)), ("mean c",)),
        Step("cross", le(0, a * _gm * _cm), Combine((("mean c", a * _gm),)), ("mean c",)),
        Step(
            "squares",
            le((_cm / 4) ** 2 + a**2 * _gm**2, _X**2),
            Combine((("first", _X + _cm / 4 + a * _gm), ("cross", HALF))),
            ("first", "cross", "positive"),
        ),
        Step("tie 0", eq(mass(0, 0), 1), Expected(), ("hit zero",)),
        Step("at 0", _plain(_TIE).at({n: Integer(0)}), Combine((("tie 0", -1 - mass(0, 0)),)), ("tie 0",)),
        Step("after", _after(_TIE, ROUND), Combine()),
        Step("tie", _TIE, Induction(n), ("at 0", "after"), note="no sign is a tie"),
        Step("tie m", le(1, m - 1 + _gm**2), Instance(((n, m - 1),)), ("tie", "place", "inside")),
        Step("a", le(a**2, 1), Polynomial(), ("c3",)),
        Step(
            "enough",
            le(m - 1 + a**2, 400 * _X**2),
            Combine((("squares", 400), ("square m", 25), ("tie m", a**2), ("a", m - 1))),
            ("squares", "square m", "tie m", "a", "place"),
        ),
        Step("zero", le(0, m - 1 + a**2), Combine((("place", 1),)), ("place",)),
        Step("root", le(sqrt(m - 1 + a**2), 20 * _X), Power(HALF), ("zero", "enough")),
        Step("least", _LEAST, Combine((("root", Rational(1, 20)),)), ("root",)),
    ),
    claim="sfl/L12@printed",
    bound=bound("L12@printed", "lower"),
    place="Lemma 12",
)

THEOREMS = (NEXT, RATIO, TIES, CLOSED, SQUARE, SUMS, MIXED, L12)
