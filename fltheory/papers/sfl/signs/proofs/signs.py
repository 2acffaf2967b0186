"""Sums of random signs, Lemmas 8 and 9: independent fair signs, for every number of them.

The probability of a tie obeys (n + 2) P(E_{n+2} = 0) = (n + 1) P(E_n = 0), as neighbouring masses of the sum do; so
E|E_n| = n P(E_n = 0) + (n + 1) P(E_{n+1} = 0), which gives both bounds without separate cases for even and odd n.
"""

from __future__ import annotations

from sympy import Abs, Expr, Integer, Rational, Symbol, binomial, oo

from fltheory.model.bound import Bound
from fltheory.papers.sfl.notation import n
from fltheory.proof import Given, Relation, by, eq, le, line, proof, statement_of
from fltheory.proof.language import Range
from fltheory.proof.terms import E, RandomNonnegative, RandomScalar, Total, family
from fltheory.verification import find

x = Symbol("x", integer=True)
tau, S, sgn = (family(RandomScalar, name) for name in ("tau", "S", "sgn"))
size, hit, above, below = (family(RandomNonnegative, name) for name in ("size", "hit", "above", "below"))
EVERY, WHERE, HALF = (n, 0, oo), (x, -oo, oo), Rational(1, 2)


def bound(claim: str, side: str) -> Bound:
    """Return the bound of a claim of the catalogue on one side."""
    return next(b for b in find(f"sfl/{claim}").bounds if b.side == side)


# Definition of E_n = S(n): |S| = size, sgn its sign, hit(n, x) = 1{S(n) = x}, above and below: 1{S > 0}, 1{S < 0} -----

SUM = Given("sum", eq(S(n + 1), S(n) + tau(n + 1), EVERY), "one more sign")
START = Given("start", eq(S(0), 0), "no signs yet")
UNIT = Given("unit", eq(tau(n + 1) ** 2, 1, EVERY), "a sign is 1 or -1")
FAIR_SUM = Given("fair sum", eq(E(tau(n + 1) * S(n)), 0, EVERY),
    "the next sign is fair and independent of those before")
FAIR_SIGN = Given("fair sign", eq(E(tau(n + 1) * sgn(n)), 0, EVERY), "the next sign is fair and independent")
FAIR_HIT = Given("fair hit", eq(E(tau(n + 1) * hit(n, x)), 0, EVERY, WHERE), "the next sign is fair and independent")
SIZE = Given("size", eq(size(n) ** 2, S(n) ** 2, EVERY), "size(n) = |S(n)|")
SIZE_START = Given("size start", eq(size(0), 0), "|0| = 0")
SIZE_NEXT = Given("size next", eq(size(n + 1), size(n) + sgn(n) * tau(n + 1) + hit(n, 0), EVERY),
    "|s + t| = |s| + sgn(s) t + 1{s = 0} for an integer s and a sign t")
HIT_START = Given("hit start", eq(x * E(hit(0, x)), 0, WHERE), "S(0) is nowhere but at 0")
HIT_ZERO = Given("hit zero", eq(hit(0, 0), 1), "S(0) = 0")
HIT_NEXT = Given("hit next",
    eq(hit(n + 1, x), (1 + tau(n + 1)) / 2 * hit(n, x - 1) + (1 - tau(n + 1)) / 2 * hit(n, x + 1), EVERY, WHERE),
    "the next sign leads to x from x - 1 up or from x + 1 down")


def mass(i: Expr | int, at: Expr | int) -> Expr:
    """P(S(i) = at)."""
    return E(hit(i, at))


# Neighbouring masses ----------------------------------------------------------------------------------------------

_NEXT = eq(mass(n + 1, x), (mass(n, x - 1) + mass(n, x + 1)) / 2, EVERY, WHERE)
_RATIO = eq((n + x + 2) * mass(n, x + 2), (n - x) * mass(n, x), EVERY, WHERE)
_RATIO_AT = Relation(_RATIO.left, "==", _RATIO.right, (WHERE,))


def _after(relation: Relation, index: Symbol = n) -> Relation:
    """Return the relation at index + 1, for the same indices."""
    free = Relation(relation.left, relation.op, relation.right).at({index: index + 1})
    return Relation(free.left, free.op, free.right, relation.over)


def _with(relation: Relation, *over: Range, **at: Expr) -> Relation:
    plain = Relation(relation.left, relation.op, relation.right).at({x: at["x"]} if "x" in at else {n: at["n"]})
    return Relation(plain.left, plain.op, plain.right, over)


_MEAN_NEXT = (
    line("mean", eq(mass(n + 1, x), E(HIT_NEXT.relation.right), EVERY, WHERE), by.expectation("hit next")),
    line("left", eq(E(tau(n + 1) * hit(n, x - 1)), 0, EVERY, WHERE), by.instance({x: x - 1}, "fair hit")),
    line("right", eq(E(tau(n + 1) * hit(n, x + 1)), 0, EVERY, WHERE), by.instance({x: x + 1}, "fair hit")),
)
NEXT = (
    proof("sfl/L9-next", "Lemma 9, proof").under(HIT_NEXT, FAIR_HIT)
    .steps(*_MEAN_NEXT)
    .qed(_NEXT, by.linear("mean", "left", "right"), name="next",
        note="the sum comes from either side with equal chance")
)
RATIO = (
    proof("sfl/L9-masses", "Lemma 9, proof", note="C(n, u+1) (u + 1) = C(n, u) (n - u), read off the walk")
    .under(HIT_START, HIT_NEXT, FAIR_HIT)
    .step("next", by.apply(NEXT))
    .step("next 2", by.instance({x: x + 2}, "next"))
    .step("from 0", by.instance({x: x + 2}, "hit start"))
    .step("base", Relation(_RATIO.left, "==", _RATIO.right, (WHERE,)).at({n: Integer(0)}),
        by.linear("from 0", "hit start"))
    .step("above", _with(_RATIO, EVERY, WHERE, x=x + 1), by.instance({x: x + 1}), assuming=_RATIO_AT)
    .step("below", _with(_RATIO, EVERY, WHERE, x=x - 1), by.instance({x: x - 1}), assuming=_RATIO_AT)
    .step("step", _after(_RATIO), by.linear("next 2", "next", "above", "below"), assuming=_RATIO_AT,
        note="both sides are (n + 1) P(S(n) = x + 1)")
    .qed(_RATIO, by.induction(n, "base", "step"), name="masses")
)

_g = mass(n, 0)
_g1, _g2 = mass(n + 1, 0), mass(n + 2, 0)
_TIES = eq((n + 2) * _g2, (n + 1) * _g, EVERY)
_WALK = (HIT_START, HIT_NEXT, FAIR_HIT)
_WALK_IDS = tuple(h.id for h in _WALK)
TIES = (
    proof("sfl/L9-ratio", "Lemma 9, proof", of="sfl/L9-ratio@explicit",
        note="for every n: at odd n both chances are 0, at even n it is C(n, n/2)/2^n")
    .under(*_WALK)
    .step("next", by.apply(NEXT))
    .step("masses", by.apply(RATIO))
    .step("to 0", by.instance({n: n + 1, x: 0}, "next"))
    .step("to 1", by.instance({x: 1}, "next"))
    .step("to -1", by.instance({x: -1}, "next"))
    .step("from 2", by.instance({x: 0}, "masses"))
    .step("from -2", by.instance({x: -2}, "masses"))
    .qed(_TIES, by.linear("to 0", "to 1", "to -1", "from 2", "from -2"), name="ratio")
)

_TIES_STEP = line("ties", _TIES, by.apply(TIES, *_WALK_IDS))
_FIRST = (
    line("next", _NEXT, by.apply(NEXT, "hit next", "fair hit")),
    line("right 0", eq(mass(0, 1), 0), by.instance({x: 1}, "hit start")),
    line("left 0", eq(-mass(0, -1), 0), by.instance({x: -1}, "hit start")),
    line("to 0", eq(mass(1, 0), (mass(0, -1) + mass(0, 1)) / 2), by.instance({n: 0, x: 0}, "next")),
    line("tie 1", eq(mass(1, 0), 0), by.linear("to 0", "right 0", "left 0"), note="one sign is no tie"),
)
_SECOND = (
    line("tie 0", eq(mass(0, 0), 1), by.expectation("hit zero")),
    line("ratio 2", eq(2 * mass(2, 0), mass(0, 0)), by.instance({n: 0}, "ties")),
    line("tie 2", eq(mass(2, 0), HALF), by.linear("ratio 2", "tie 0")),
)

# Lemma 8 ----------------------------------------------------------------------------------------------------------

_A = E(size(n))
_FROM_1 = (n, 1, oo)
_CLOSED = eq(_A, n * _g + (n + 1) * _g1, EVERY)
RECURSION = (
    proof("sfl/L8-recursion", "Lemma 8, proof", note="one sign more, in the letters of the walk")
    .under(SIZE_NEXT, FAIR_SIGN)
    .step("mean", by.expectation("size next"))
    .qed(eq(E(size(n + 1)), _A + _g, EVERY), by.linear("mean", "fair sign"), name="recursion")
)
_SIZES = (SIZE_START, SIZE_NEXT, FAIR_SIGN, *_WALK)
CLOSED = (
    proof("sfl/L8-closed", "Lemma 8, proof", note="n P(E_n = 0) at even n, (n + 1) P(E_{n+1} = 0) at odd n")
    .under(*_SIZES)
    .steps(_TIES_STEP, *_FIRST)
    .step("recursion", by.apply(RECURSION))
    .step("size 0", by.expectation("size start"))
    .step("base", eq(E(size(0)), mass(1, 0)), by.linear("size 0", "tie 1"))
    .step("step", _after(_CLOSED), by.linear("recursion", "ties"), assuming=Relation(_CLOSED.left, "==", _CLOSED.right))
    .qed(_CLOSED, by.induction(n, "base", "step"), name="closed")
)
_PAIR = le(HALF, n * _g**2 + (n + 1) * _g1**2, _FROM_1)
_SHARP = le(n / 2, _A**2, EVERY)
_STATED, _ = statement_of(bound("L8@strengthened", "lower"), _A**2)
SHARP = (
    proof("sfl/L8-lower", "Lemma 8", of="sfl/L8@strengthened", bound=bound("L8@strengthened", "lower"))
    .under(*_SIZES, HIT_ZERO)
    .steps(_TIES_STEP, *_SECOND)
    .step("closed", by.apply(CLOSED))
    .step("base", le(HALF, mass(1, 0) ** 2 + 2 * mass(2, 0) ** 2), by.linear("tie 2"), note="P(E_2 = 0) = 1/2")
    .step("step", _after(_PAIR), by.linear("ties"), assuming=Relation(_PAIR.left, "<=", _PAIR.right),
        note="(n + 1)^2 >= n (n + 2)")
    .step("pair", _PAIR, by.induction(n, "base", "step"), note="n P(E_n = 0)^2 >= 1/2 for even n")
    .step("square", le(n / 2, _A**2, _FROM_1), by.linear("pair", "closed"))
    .step("at 0", le(0, E(size(0)) ** 2), by.linear())
    .step("beyond", _after(_SHARP), by.instance({n: n + 1}, "square"))
    .step("all", _SHARP, by.induction(n, "at 0", "beyond"))
    .qed(_STATED, by.instance({n: n}, "all"), name="lower")
)
_MOMENT = eq(E(S(n) ** 2), n, EVERY)
_UPPER, _ = statement_of(bound("L8@strengthened", "upper"), _A**2)
_SUMS = (SUM, START, UNIT, FAIR_SUM, SIZE)
MOMENT = (
    proof("sfl/L8-upper", "Lemma 8", of="sfl/L8@strengthened", bound=bound("L8@strengthened", "upper")).under(*_SUMS)
    .step("square 0", eq(S(0) ** 2, 0), by.linear("start"))
    .step("base", by.expectation("square 0"))
    .step("square", eq(S(n + 1) ** 2, S(n) ** 2 + 2 * tau(n + 1) * S(n) + 1, EVERY), by.linear("sum", "unit"))
    .step("mean", by.expectation("square"))
    .step("step", _after(_MOMENT), by.linear("mean", "fair sum"), assuming=Relation(_MOMENT.left, "==", _MOMENT.right),
        note="signs are uncorrelated")
    .step("moment", _MOMENT, by.induction(n, "base", "step"))
    .step("spread", le(0, (size(n) - _A) ** 2, EVERY), by.polynomial())
    .step("variance", by.expectation("spread"))
    .step("size mean", by.expectation("size"))
    .step("Jensen", le(_A**2, n, EVERY), by.linear("variance", "size mean", "moment"))
    .qed(_UPPER, by.instance({n: n}, "Jensen"), name="upper")
)
_PRINTED, _ = statement_of(bound("L8@printed", "lower"), _A)
L8_LOWER = (
    proof("sfl/L8", "Lemma 8", of="sfl/L8@printed", bound=bound("L8@printed", "lower")).under(*_SIZES, HIT_ZERO)
    .step("square", _STATED, by.apply(SHARP))
    .step("weaker", le(n / 25, _A**2), by.linear("square"), note="1/25 <= 1/2")
    .step("zero", le(0, n / 25), by.linear())
    .qed(_PRINTED, by.power(HALF, "zero", "weaker"), name="lower")
)
_PRINTED_UP, _ = statement_of(bound("L8@printed", "upper"), _A)
L8_UPPER = (
    proof("sfl/L8-most", "Lemma 8", of="sfl/L8@printed", bound=bound("L8@printed", "upper")).under(*_SUMS)
    .step("square", _UPPER, by.apply(MOMENT))
    .step("zero", le(0, _A**2), by.linear())
    .qed(_PRINTED_UP, by.power(HALF, "zero", "square"), name="upper")
)

# Lemma 9 ----------------------------------------------------------------------------------------------------------

HIT_EVEN = Given("hit even", eq(hit(0, x), hit(0, -x), WHERE), "S(0) = 0 = -S(0)")
ONE_OF = Given("one of three", eq(above(n) + below(n) + hit(n, 0), 1, EVERY), "S(n) > 0, S(n) < 0 or S(n) = 0")
ABOVE = Given("above", eq(above(n), Total(hit(n, x), x, 1, n), EVERY), "S(n) > 0 is one of 1, ..., n")
BELOW = Given("below", eq(below(n), Total(hit(n, -x), x, 1, n), EVERY), "S(n) < 0 is one of -1, ..., -n")
_MIRROR = eq(mass(n, x), mass(n, -x), EVERY, WHERE)
_MIRROR_AT = Relation(_MIRROR.left, "==", _MIRROR.right, (WHERE,))
MIRROR = (
    proof("sfl/L9-mirror", "Lemma 9", of="sfl/L9-symmetry@printed", note="every value is as likely as its opposite")
    .under(HIT_EVEN, HIT_NEXT, FAIR_HIT)
    .step("next", by.apply(NEXT))
    .step("next -", by.instance({x: -x}, "next"))
    .step("base", by.expectation("hit even"))
    .step("above", _with(_MIRROR, EVERY, WHERE, x=x + 1), by.instance({x: x + 1}), assuming=_MIRROR_AT)
    .step("below", _with(_MIRROR, EVERY, WHERE, x=x - 1), by.instance({x: x - 1}), assuming=_MIRROR_AT)
    .step("step", _after(_MIRROR), by.linear("next", "next -", "above", "below"), assuming=_MIRROR_AT)
    .qed(_MIRROR, by.induction(n, "base", "step"), name="mirror")
)
_P, _Q = E(above(n)), E(below(n))
_EQUAL = eq(_P, _Q, EVERY)
_SIDES = (HIT_EVEN, HIT_NEXT, FAIR_HIT, ABOVE, BELOW)
_SIDES_IDS = tuple(h.id for h in _SIDES)
EQUAL = (
    proof("sfl/L9-symmetry", "Lemma 9", of="sfl/L9-symmetry@printed", note="both sides of 0 are equally likely")
    .under(*_SIDES)
    .step("mirror", by.apply(MIRROR))
    .step("place", by.instance({n: n, x: x}, "mirror"), over=(EVERY, (x, 1, n)))
    .step("sum", by.sum_over(x, "place"))
    .step("above mean", by.expectation("above"))
    .step("below mean", by.expectation("below"))
    .qed(_EQUAL, by.linear("above mean", "sum", "below mean"), name="equal")
)
_LOW, _CONDITION = statement_of(bound("L9@printed", "lower"), _P)
_HIGH, _ = statement_of(bound("L9@printed", "upper"), _P)
_SOME = le(_g + _g1, HALF, _FROM_1)
_LAW = (HIT_START, HIT_EVEN, HIT_ZERO, HIT_NEXT, FAIR_HIT, ABOVE, BELOW, ONE_OF)
_TOTAL = (
    line("equal", _EQUAL, by.apply(EQUAL, *_SIDES_IDS)),
    line("one", eq(E(above(n) + below(n) + hit(n, 0)), 1, EVERY), by.expectation("one of three")),
    line("whole", eq(2 * _P + _g, 1, EVERY), by.linear("one", "equal")),
)
L9_LOWER = (
    proof("sfl/L9", "Lemma 9", of="sfl/L9@printed", bound=bound("L9@printed", "lower")).under(*_CONDITION, *_LAW)
    .steps(*_TOTAL, _TIES_STEP, *_FIRST, *_SECOND)
    .step("base", le(mass(1, 0) + mass(2, 0), HALF), by.linear("tie 1", "tie 2"))
    .step("step", _after(_SOME), by.linear("ties"), assuming=Relation(_SOME.left, "<=", _SOME.right),
        note="ties become rarer: (n + 1)/(n + 2) < 1")
    .step("some", _SOME, by.induction(n, "base", "step"))
    .step("quarter", le(Rational(1, 4), _P, _FROM_1), by.linear("some", "whole"))
    .qed(_LOW, by.instance({n: n}, "quarter", "c1"), name="lower")
)
L9_UPPER = (
    proof("sfl/L9-most", "Lemma 9", of="sfl/L9@printed", bound=bound("L9@printed", "upper"), unused=("c1",))
    .under(*_CONDITION, *_SIDES, ONE_OF)
    .steps(*_TOTAL)
    .step("half", le(_P, HALF, EVERY), by.linear("whole"))
    .qed(_HIGH, by.instance({n: n}, "half"), name="upper")
)

# The distribution itself, for some numbers of signs ---------------------------------------------------------------

_j = Symbol("j", integer=True, nonnegative=True)


def _size(count: Expr) -> Expr:
    """Return E|E_n| from the binomial distribution."""
    return Total(binomial(count, _j) / 2**count * Abs(2 * _j - count), _j, 0, count)


BINOMIAL = proof(
    "sfl/L8-law", "Lemma 8", of="sfl/L8@strengthened", note="the same from the binomial law, up to 40 signs"
).qed(le(n / 2, _size(n) ** 2, (n, 0, 40)), by.enumerate("n <= 40"), name="at 40",
    note="from the binomial law, without the walk")

THEOREMS = (NEXT, RATIO, TIES, RECURSION, CLOSED, SHARP, MOMENT, L8_LOWER, L8_UPPER, MIRROR, EQUAL, L9_LOWER, L9_UPPER,
    BINOMIAL)
