"""Sums of random signs, Lemmas 8 and 9: independent fair signs, for every number of them.

The chance of a tie obeys (n + 2) P(E_{n+2} = 0) = (n + 1) P(E_n = 0), as neighbouring masses of the sum do; with it
E|E_n| = n P(E_n = 0) + (n + 1) P(E_{n+1} = 0), from which both bounds follow without a case for even and odd n.
"""

from __future__ import annotations

from typing import Any

from sympy import Abs, Integer, Rational, Symbol, binomial, oo

from fltheory.known import find
from fltheory.papers.sfl.letters import n
from fltheory.proof.language import (
    Apply,
    Combine,
    Enumerate,
    Expected,
    Given,
    Induction,
    Instance,
    Polynomial,
    Power,
    Relation,
    Step,
    Summed,
    Theorem,
    eq,
    le,
    stated,
)
from fltheory.proof.terms import E, RandomNonnegative, RandomScalar, Total, family

x = Symbol("x", integer=True)
tau, S, sgn = (family(RandomScalar, name) for name in ("tau", "S", "sgn"))
size, hit, above, below = (family(RandomNonnegative, name) for name in ("size", "hit", "above", "below"))
EVERY, WHERE, HALF = (n, 0, oo), (x, -oo, oo), Rational(1, 2)


def bound(claim: str, side: str) -> Any:
    """The bound of a claim of the catalogue on one side."""
    return next(b for b in find(f"sfl/{claim}").bounds if b.side == side)


# What E_n = S(n) is: |S| = size, sgn its sign, hit(n, x) = 1{S(n) = x}, above and below: 1{S > 0}, 1{S < 0} -----------

SUM = Given("sum", eq(S(n + 1), S(n) + tau(n + 1), EVERY), "one more sign")
START = Given("start", eq(S(0), 0), "no signs yet")
UNIT = Given("unit", eq(tau(n + 1) ** 2, 1, EVERY), "a sign is 1 or -1")
FAIR_SUM = Given(
    "fair sum", eq(E(tau(n + 1) * S(n)), 0, EVERY), "the next sign is fair and independent of those before"
)
FAIR_SIGN = Given("fair sign", eq(E(tau(n + 1) * sgn(n)), 0, EVERY), "the next sign is fair and independent")
FAIR_HIT = Given("fair hit", eq(E(tau(n + 1) * hit(n, x)), 0, EVERY, WHERE), "the next sign is fair and independent")
SIZE = Given("size", eq(size(n) ** 2, S(n) ** 2, EVERY), "size(n) = |S(n)|")
SIZE_START = Given("size start", eq(size(0), 0), "|0| = 0")
SIZE_NEXT = Given(
    "size next",
    eq(size(n + 1), size(n) + sgn(n) * tau(n + 1) + hit(n, 0), EVERY),
    "|s + t| = |s| + sgn(s) t + 1{s = 0} for an integer s and a sign t",
)
HIT_START = Given("hit start", eq(x * E(hit(0, x)), 0, WHERE), "S(0) is nowhere but at 0")
HIT_ZERO = Given("hit zero", eq(hit(0, 0), 1), "S(0) = 0")
HIT_NEXT = Given(
    "hit next",
    eq(hit(n + 1, x), (1 + tau(n + 1)) / 2 * hit(n, x - 1) + (1 - tau(n + 1)) / 2 * hit(n, x + 1), EVERY, WHERE),
    "the next sign leads to x from x - 1 up or from x + 1 down",
)


def mass(i: Any, at: Any) -> Any:
    """P(S(i) = at)."""
    return E(hit(i, at))


# Neighbouring masses ----------------------------------------------------------------------------------------------

_NEXT = eq(mass(n + 1, x), (mass(n, x - 1) + mass(n, x + 1)) / 2, EVERY, WHERE)
_RATIO = eq((n + x + 2) * mass(n, x + 2), (n - x) * mass(n, x), EVERY, WHERE)
_RATIO_AT = Relation(_RATIO.left, "==", _RATIO.right, (WHERE,))


def _after(relation: Relation, index: Symbol = n) -> Relation:
    """The relation at index + 1, for the same indices."""
    free = Relation(relation.left, relation.op, relation.right).at({index: index + 1})
    return Relation(free.left, free.op, free.right, relation.over)


def _with(relation: Relation, *over: Any, **at: Any) -> Relation:
    plain = Relation(relation.left, relation.op, relation.right).at({x: at["x"]} if "x" in at else {n: at["n"]})
    return Relation(plain.left, plain.op, plain.right, over)


_MEAN_NEXT = (
    Step("mean", eq(mass(n + 1, x), E(HIT_NEXT.relation.right), EVERY, WHERE), Expected(), ("hit next",)),
    Step("left", eq(E(tau(n + 1) * hit(n, x - 1)), 0, EVERY, WHERE), Instance(((x, x - 1),)), ("fair hit",)),
    Step("right", eq(E(tau(n + 1) * hit(n, x + 1)), 0, EVERY, WHERE), Instance(((x, x + 1),)), ("fair hit",)),
)
NEXT = Theorem(
    "sfl/L9-next",
    _NEXT,
    (HIT_NEXT, FAIR_HIT),
    (
        *_MEAN_NEXT,
        Step(
            "next",
            _NEXT,
            Combine((("mean", 1), ("left", HALF), ("right", -HALF))),
            ("mean", "left", "right"),
            note="the sum comes from either side with equal chance",
        ),
    ),
    place="Lemma 9, proof",
)
RATIO = Theorem(
    "sfl/L9-masses",
    _RATIO,
    (HIT_START, HIT_NEXT, FAIR_HIT),
    (
        Step("next", _NEXT, Apply("sfl/L9-next"), ("hit next", "fair hit")),
        Step("next 2", _with(_NEXT, EVERY, WHERE, x=x + 2), Instance(((x, x + 2),)), ("next",)),
        Step("from 0", eq((x + 2) * mass(0, x + 2), 0, WHERE), Instance(((x, x + 2),)), ("hit start",)),
        Step(
            "base",
            Relation(_RATIO.left, "==", _RATIO.right, (WHERE,)).at({n: Integer(0)}),
            Combine((("from 0", 1), ("hit start", 1))),
            ("from 0", "hit start"),
        ),
        Step("above", _with(_RATIO, EVERY, WHERE, x=x + 1), Instance(((x, x + 1),)), assuming=(_RATIO_AT,)),
        Step("below", _with(_RATIO, EVERY, WHERE, x=x - 1), Instance(((x, x - 1),)), assuming=(_RATIO_AT,)),
        Step(
            "step",
            _after(_RATIO),
            Combine((("next 2", n + x + 3), ("next", -(n + 1 - x)), ("above", HALF), ("below", HALF))),
            ("next 2", "next", "above", "below"),
            assuming=(_RATIO_AT,),
            note="both sides are (n + 1) P(S(n) = x + 1)",
        ),
        Step("masses", _RATIO, Induction(n), ("base", "step")),
    ),
    place="Lemma 9, proof",
    note="C(n, u+1) (u + 1) = C(n, u) (n - u), read off the walk",
)

_g = mass(n, 0)
_g1, _g2 = mass(n + 1, 0), mass(n + 2, 0)
_TIES = eq((n + 2) * _g2, (n + 1) * _g, EVERY)
_WALK = (HIT_START, HIT_NEXT, FAIR_HIT)
_WALK_IDS = tuple(h.id for h in _WALK)
TIES = Theorem(
    "sfl/L9-ratio",
    _TIES,
    _WALK,
    (
        Step("next", _NEXT, Apply("sfl/L9-next"), ("hit next", "fair hit")),
        Step("masses", _RATIO, Apply("sfl/L9-masses"), _WALK_IDS),
        Step("to 0", eq(_g2, (mass(n + 1, -1) + mass(n + 1, 1)) / 2, EVERY), Instance(((n, n + 1), (x, 0))), ("next",)),
        Step("to 1", eq(mass(n + 1, 1), (_g + mass(n, 2)) / 2, EVERY), Instance(((x, 1),)), ("next",)),
        Step("to -1", eq(mass(n + 1, -1), (mass(n, -2) + _g) / 2, EVERY), Instance(((x, -1),)), ("next",)),
        Step("from 2", eq((n + 2) * mass(n, 2), n * _g, EVERY), Instance(((x, 0),)), ("masses",)),
        Step("from -2", eq(n * _g, (n + 2) * mass(n, -2), EVERY), Instance(((x, -2),)), ("masses",)),
        Step(
            "ratio",
            _TIES,
            Combine(
                (
                    ("to 0", n + 2),
                    ("to 1", (n + 2) / 2),
                    ("to -1", (n + 2) / 2),
                    ("from 2", Rational(1, 4)),
                    ("from -2", -Rational(1, 4)),
                )
            ),
            ("to 0", "to 1", "to -1", "from 2", "from -2"),
        ),
    ),
    claim="sfl/L9-ratio@explicit",
    place="Lemma 9, proof",
    note="for every n: at odd n both chances are 0, at even n it is C(n, n/2)/2^n",
)

_TIES_STEP = Step("ties", _TIES, Apply("sfl/L9-ratio"), _WALK_IDS)
_FIRST = (
    Step("next", _NEXT, Apply("sfl/L9-next"), ("hit next", "fair hit")),
    Step("right 0", eq(mass(0, 1), 0), Instance(((x, 1),)), ("hit start",)),
    Step("left 0", eq(-mass(0, -1), 0), Instance(((x, -1),)), ("hit start",)),
    Step("to 0", eq(mass(1, 0), (mass(0, -1) + mass(0, 1)) / 2), Instance(((n, 0), (x, 0))), ("next",)),
    Step(
        "tie 1",
        eq(mass(1, 0), 0),
        Combine((("to 0", 1), ("right 0", HALF), ("left 0", -HALF))),
        ("to 0", "right 0", "left 0"),
        note="one sign is no tie",
    ),
)
_SECOND = (
    Step("tie 0", eq(mass(0, 0), 1), Expected(), ("hit zero",)),
    Step("ratio 2", eq(2 * mass(2, 0), mass(0, 0)), Instance(((n, 0),)), ("ties",)),
    Step("tie 2", eq(mass(2, 0), HALF), Combine((("ratio 2", HALF), ("tie 0", HALF))), ("ratio 2", "tie 0")),
)

# Lemma 8 ----------------------------------------------------------------------------------------------------------

_A = E(size(n))
_FROM_1 = (n, 1, oo)
_CLOSED = eq(_A, n * _g + (n + 1) * _g1, EVERY)
_STEP_L8 = eq(E(size(n + 1)), _A + _g, EVERY)
RECURSION = Theorem(
    "sfl/L8-recursion",
    _STEP_L8,
    (SIZE_NEXT, FAIR_SIGN),
    (
        Step("mean", eq(E(size(n + 1)), E(SIZE_NEXT.relation.right), EVERY), Expected(), ("size next",)),
        Step("recursion", _STEP_L8, Combine((("mean", 1), ("fair sign", 1))), ("mean", "fair sign")),
    ),
    claim="sfl/L8-recursion@printed",
    place="Lemma 8, proof",
    note="one sign more, in the letters of the walk",
)
_SIZES = (SIZE_START, SIZE_NEXT, FAIR_SIGN, *_WALK)
_SIZES_IDS = tuple(h.id for h in _SIZES)
CLOSED = Theorem(
    "sfl/L8-closed",
    _CLOSED,
    _SIZES,
    (
        _TIES_STEP,
        *_FIRST,
        Step("recursion", _STEP_L8, Apply("sfl/L8-recursion"), ("size next", "fair sign")),
        Step("size 0", eq(E(size(0)), 0), Expected(), ("size start",)),
        Step("base", eq(E(size(0)), mass(1, 0)), Combine((("size 0", 1), ("tie 1", -1))), ("size 0", "tie 1")),
        Step(
            "step",
            _after(_CLOSED),
            Combine((("recursion", 1), ("assumed 1", 1), ("ties", -1))),
            ("recursion", "ties"),
            assuming=(Relation(_CLOSED.left, "==", _CLOSED.right),),
        ),
        Step("closed", _CLOSED, Induction(n), ("base", "step")),
    ),
    place="Lemma 8, proof",
    note="n P(E_n = 0) at even n, (n + 1) P(E_{n+1} = 0) at odd n",
)
_PAIR = le(HALF, n * _g**2 + (n + 1) * _g1**2, _FROM_1)
_SHARP = le(n / 2, _A**2, EVERY)
_SHARP_1 = le(n / 2, _A**2, _FROM_1)
_c = n * _g + (n + 1) * _g1
_STATED, _ = stated(bound("L8@sharpened", "lower"), _A**2)
SHARP = Theorem(
    "sfl/L8-lower",
    _STATED,
    (*_SIZES, HIT_ZERO),
    (
        _TIES_STEP,
        *_SECOND,
        Step("closed", _CLOSED, Apply("sfl/L8-closed"), _SIZES_IDS),
        Step(
            "base",
            le(HALF, mass(1, 0) ** 2 + 2 * mass(2, 0) ** 2),
            Combine((("tie 2", -2 * mass(2, 0) - 1),)),
            ("tie 2",),
            note="P(E_2 = 0) = 1/2",
        ),
        Step(
            "step",
            _after(_PAIR),
            Combine((("assumed 1", 1), ("ties", -((n + 1) * _g + (n + 2) * _g2) / (n + 2)))),
            ("ties",),
            assuming=(Relation(_PAIR.left, "<=", _PAIR.right),),
            note="(n + 1)^2 >= n (n + 2)",
        ),
        Step("pair", _PAIR, Induction(n), ("base", "step"), note="n P(E_n = 0)^2 >= 1/2 for even n"),
        Step("square", _SHARP_1, Combine((("pair", n), ("closed", -(_A + _c)))), ("pair", "closed")),
        Step("at 0", le(0, E(size(0)) ** 2), Combine()),
        Step("beyond", _after(_SHARP), Instance(((n, n + 1),)), ("square",)),
        Step("all", _SHARP, Induction(n), ("at 0", "beyond")),
        Step("lower", _STATED, Instance(((n, n),)), ("all",)),
    ),
    claim="sfl/L8@sharpened",
    bound=bound("L8@sharpened", "lower"),
    place="Lemma 8",
)
_MOMENT = eq(E(S(n) ** 2), n, EVERY)
_UPPER, _ = stated(bound("L8@sharpened", "upper"), _A**2)
_SUMS = (SUM, START, UNIT, FAIR_SUM, SIZE)
_SUMS_IDS = tuple(h.id for h in _SUMS)
MOMENT = Theorem(
    "sfl/L8-upper",
    _UPPER,
    _SUMS,
    (
        Step("square 0", eq(S(0) ** 2, 0), Combine((("start", S(0)),)), ("start",)),
        Step("base", eq(E(S(0) ** 2), 0), Expected(), ("square 0",)),
        Step(
            "square",
            eq(S(n + 1) ** 2, S(n) ** 2 + 2 * tau(n + 1) * S(n) + 1, EVERY),
            Combine((("sum", S(n + 1) + S(n) + tau(n + 1)), ("unit", 1))),
            ("sum", "unit"),
        ),
        Step("mean", eq(E(S(n + 1) ** 2), E(S(n) ** 2 + 2 * tau(n + 1) * S(n) + 1), EVERY), Expected(), ("square",)),
        Step(
            "step",
            _after(_MOMENT),
            Combine((("mean", 1), ("fair sum", 2), ("assumed 1", 1))),
            ("mean", "fair sum"),
            assuming=(Relation(_MOMENT.left, "==", _MOMENT.right),),
            note="signs are uncorrelated",
        ),
        Step("moment", _MOMENT, Induction(n), ("base", "step")),
        Step("spread", le(0, (size(n) - _A) ** 2, EVERY), Polynomial()),
        Step("variance", le(0, E((size(n) - _A) ** 2), EVERY), Expected(), ("spread",)),
        Step("size mean", eq(E(size(n) ** 2), E(S(n) ** 2), EVERY), Expected(), ("size",)),
        Step(
            "Jensen",
            le(_A**2, n, EVERY),
            Combine((("variance", 1), ("size mean", 1), ("moment", 1))),
            ("variance", "size mean", "moment"),
        ),
        Step("upper", _UPPER, Instance(((n, n),)), ("Jensen",)),
    ),
    claim="sfl/L8@sharpened",
    bound=bound("L8@sharpened", "upper"),
    place="Lemma 8",
)
_PRINTED, _ = stated(bound("L8@printed", "lower"), _A)
L8_LOWER = Theorem(
    "sfl/L8",
    _PRINTED,
    (*_SIZES, HIT_ZERO),
    (
        Step("square", _STATED, Apply("sfl/L8-lower"), (*_SIZES_IDS, "hit zero")),
        Step("weaker", le(n / 25, _A**2), Combine((("square", 1),)), ("square",), note="1/25 <= 1/2"),
        Step("zero", le(0, n / 25), Combine()),
        Step("lower", _PRINTED, Power(HALF), ("zero", "weaker")),
    ),
    claim="sfl/L8@printed",
    bound=bound("L8@printed", "lower"),
    place="Lemma 8",
)
_PRINTED_UP, _ = stated(bound("L8@printed", "upper"), _A)
L8_UPPER = Theorem(
    "sfl/L8-most",
    _PRINTED_UP,
    _SUMS,
    (
        Step("square", _UPPER, Apply("sfl/L8-upper"), _SUMS_IDS),
        Step("zero", le(0, _A**2), Combine()),
        Step("upper", _PRINTED_UP, Power(HALF), ("zero", "square")),
    ),
    claim="sfl/L8@printed",
    bound=bound("L8@printed", "upper"),
    place="Lemma 8",
)

# Lemma 9 ----------------------------------------------------------------------------------------------------------

HIT_EVEN = Given("hit even", eq(hit(0, x), hit(0, -x), WHERE), "S(0) = 0 = -S(0)")
ONE_OF = Given("one of three", eq(above(n) + below(n) + hit(n, 0), 1, EVERY), "S(n) > 0, S(n) < 0 or S(n) = 0")
ABOVE = Given("above", eq(above(n), Total(hit(n, x), x, 1, n), EVERY), "S(n) > 0 is one of 1, ..., n")
BELOW = Given("below", eq(below(n), Total(hit(n, -x), x, 1, n), EVERY), "S(n) < 0 is one of -1, ..., -n")
_MIRROR = eq(mass(n, x), mass(n, -x), EVERY, WHERE)
_MIRROR_AT = Relation(_MIRROR.left, "==", _MIRROR.right, (WHERE,))
MIRROR = Theorem(
    "sfl/L9-mirror",
    _MIRROR,
    (HIT_EVEN, HIT_NEXT, FAIR_HIT),
    (
        Step("next", _NEXT, Apply("sfl/L9-next"), ("hit next", "fair hit")),
        Step("next -", _with(_NEXT, EVERY, WHERE, x=-x), Instance(((x, -x),)), ("next",)),
        Step("base", eq(mass(0, x), mass(0, -x), WHERE), Expected(), ("hit even",)),
        Step("above", _with(_MIRROR, EVERY, WHERE, x=x + 1), Instance(((x, x + 1),)), assuming=(_MIRROR_AT,)),
        Step("below", _with(_MIRROR, EVERY, WHERE, x=x - 1), Instance(((x, x - 1),)), assuming=(_MIRROR_AT,)),
        Step(
            "step",
            _after(_MIRROR),
            Combine((("next", 1), ("next -", -1), ("above", HALF), ("below", HALF))),
            ("next", "next -", "above", "below"),
            assuming=(_MIRROR_AT,),
        ),
        Step("mirror", _MIRROR, Induction(n), ("base", "step")),
    ),
    claim="sfl/L9-symmetry@printed",
    place="Lemma 9",
    note="every value is as likely as its opposite",
)
_P, _Q = E(above(n)), E(below(n))
_EQUAL = eq(_P, _Q, EVERY)
_SIDES = (HIT_EVEN, HIT_NEXT, FAIR_HIT, ABOVE, BELOW)
_SIDES_IDS = tuple(h.id for h in _SIDES)
EQUAL = Theorem(
    "sfl/L9-symmetry",
    _EQUAL,
    _SIDES,
    (
        Step("mirror", _MIRROR, Apply("sfl/L9-mirror"), ("hit even", "hit next", "fair hit")),
        Step("place", eq(mass(n, x), mass(n, -x), EVERY, (x, 1, n)), Instance(((n, n), (x, x))), ("mirror",)),
        Step("sum", eq(Total(mass(n, x), x, 1, n), Total(mass(n, -x), x, 1, n), EVERY), Summed((x,)), ("place",)),
        Step("above mean", eq(_P, E(Total(hit(n, x), x, 1, n)), EVERY), Expected(), ("above",)),
        Step("below mean", eq(_Q, E(Total(hit(n, -x), x, 1, n)), EVERY), Expected(), ("below",)),
        Step(
            "equal",
            _EQUAL,
            Combine((("above mean", 1), ("sum", 1), ("below mean", -1))),
            ("above mean", "sum", "below mean"),
        ),
    ),
    claim="sfl/L9-symmetry@printed",
    place="Lemma 9",
    note="both sides of 0 are equally likely",
)
_LOW, _CONDITION = stated(bound("L9@printed", "lower"), _P)
_HIGH, _ = stated(bound("L9@printed", "upper"), _P)
_SOME = le(_g + _g1, HALF, _FROM_1)
_LAW = (HIT_START, HIT_EVEN, HIT_ZERO, HIT_NEXT, FAIR_HIT, ABOVE, BELOW, ONE_OF)
_WHOLE = eq(2 * _P + _g, 1, EVERY)
_TOTAL = (
    Step("equal", _EQUAL, Apply("sfl/L9-symmetry"), _SIDES_IDS),
    Step("one", eq(E(above(n) + below(n) + hit(n, 0)), 1, EVERY), Expected(), ("one of three",)),
    Step("whole", _WHOLE, Combine((("one", 1), ("equal", 1))), ("one", "equal")),
)
L9_LOWER = Theorem(
    "sfl/L9",
    _LOW,
    (*_CONDITION, *_LAW),
    (
        *_TOTAL,
        _TIES_STEP,
        *_FIRST,
        *_SECOND,
        Step("base", le(mass(1, 0) + mass(2, 0), HALF), Combine(), ("tie 1", "tie 2")),
        Step(
            "step",
            _after(_SOME),
            Combine((("assumed 1", 1), ("ties", 1 / (n + 2)))),
            ("ties",),
            assuming=(Relation(_SOME.left, "<=", _SOME.right),),
            note="ties become rarer: (n + 1)/(n + 2) < 1",
        ),
        Step("some", _SOME, Induction(n), ("base", "step")),
        Step(
            "quarter", le(Rational(1, 4), _P, _FROM_1), Combine((("some", HALF), ("whole", -HALF))), ("some", "whole")
        ),
        Step("lower", _LOW, Instance(((n, n),)), ("quarter", "c1")),
    ),
    claim="sfl/L9@printed",
    bound=bound("L9@printed", "lower"),
    place="Lemma 9",
)
L9_UPPER = Theorem(
    "sfl/L9-most",
    _HIGH,
    (*_CONDITION, *_SIDES, ONE_OF),
    (
        *_TOTAL,
        Step("half", le(_P, HALF, EVERY), Combine((("whole", HALF),)), ("whole",)),
        Step("upper", _HIGH, Instance(((n, n),)), ("half",)),
    ),
    claim="sfl/L9@printed",
    bound=bound("L9@printed", "upper"),
    place="Lemma 9",
    unused=("c1",),
)

# The law itself, for some numbers of signs ------------------------------------------------------------------------

_j = Symbol("j", integer=True, nonnegative=True)


def _size(count: Any) -> Any:
    """E|E_n| from the binomial law."""
    return Total(binomial(count, _j) / 2**count * Abs(2 * _j - count), _j, 0, count)


_UP_TO_40 = (n, 0, 40)
_LAW_OF_SIZE = le(n / 2, _size(n) ** 2, _UP_TO_40)
BINOMIAL = Theorem(
    "sfl/L8-law",
    _LAW_OF_SIZE,
    (),
    (Step("at 40", _LAW_OF_SIZE, Enumerate("n <= 40"), note="from the binomial law, without the walk"),),
    claim="sfl/L8@sharpened",
    place="Lemma 8",
    note="the same from the binomial law, up to 40 signs",
)

THEOREMS = (
    NEXT,
    RATIO,
    TIES,
    RECURSION,
    CLOSED,
    SHARP,
    MOMENT,
    L8_LOWER,
    L8_UPPER,
    MIRROR,
    EQUAL,
    L9_LOWER,
    L9_UPPER,
    BINOMIAL,
)
