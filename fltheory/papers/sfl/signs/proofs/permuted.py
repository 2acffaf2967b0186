"""Sums of the signs of a random permutation, Lemmas 12 and 13, for every even number M of clients.

The probability of a tie obeys (n + 2)(M - n - 1) P(E_{n+2} = 0) = (n + 1)(M - n) P(E_n = 0), as neighbours of the
hypergeometric distribution do; so E|E_n| = (M - n)/M (n P(E_n = 0) + (n + 1) P(E_{n+1} = 0)), hence
E|E_n| >= (M - n)/M sqrt(n/2), without the bound that the paper cites.
"""

from __future__ import annotations

from sympy import Expr, Integer, Rational, Symbol, oo

from fltheory.model.bound import Bound
from fltheory.papers.sfl.notation import K, M, k, m, n
from fltheory.proof import Given, Relation, Step, by, eq, le, line, proof, statement_of
from fltheory.proof.language import Range
from fltheory.proof.terms import E, RandomNonnegative, RandomScalar, family
from fltheory.verification import find

x = Symbol("x", integer=True)
tau, S, sgn = (family(RandomScalar, name) for name in ("tau", "S", "sgn"))
size, hit, part = (family(RandomNonnegative, name) for name in ("size", "hit", "part"))
ROUND, WHERE, HALF = (n, 0, M - 1), (x, -oo, oo), Rational(1, 2)
LEFT = M - n  # the number of signs not yet drawn


def bound(claim: str, side: str) -> Bound:
    """Return the bound of a claim of the catalogue on one side."""
    return next(b for b in find(f"sfl/{claim}").bounds if b.side == side)


def mass(count: Expr | int, at: Expr | int) -> Expr:
    """P(S(count) = at)."""
    return E(hit(count, at))


# E_n = S(n), the sum of the first n of the M signs; |S| = size, sgn its sign, hit(n, x) = 1{S(n) = x} ------------------

FAIR = "the signs that are left sum to -S(n), and each of them is as likely to be next"
FAIR_HIT = Given("next hit", eq(E(tau(n + 1) * hit(n, x)), -x / LEFT * mass(n, x), ROUND, WHERE), FAIR)
FAIR_SIGN = Given("next sign", eq(E(tau(n + 1) * sgn(n)), -E(size(n)) / LEFT, ROUND), FAIR)
SIZE_START = Given("size start", eq(size(0), 0), "|0| = 0")
SIZE_NEXT = Given("size next", eq(size(n + 1), size(n) + sgn(n) * tau(n + 1) + hit(n, 0), ROUND),
    "|s + t| = |s| + sgn(s) t + 1{s = 0} for an integer s and a sign t")
HIT_START = Given("hit start", eq(x * E(hit(0, x)), 0, WHERE), "S(0) is nowhere but at 0")
HIT_ZERO = Given("hit zero", eq(hit(0, 0), 1), "S(0) = 0")
HIT_NEXT = Given("hit next",
    eq(hit(n + 1, x), (1 + tau(n + 1)) / 2 * hit(n, x - 1) + (1 - tau(n + 1)) / 2 * hit(n, x + 1), ROUND, WHERE),
    "the next sign leads to x from x - 1 up or from x + 1 down")
TWO = Given("two", le(2, M), "M is even")
h = Symbol("h", integer=True, nonnegative=True)
EVEN = Given("even", eq(M, 2 * h), "as many pluses as minuses")


def _plain(relation: Relation, *over: Range) -> Relation:
    return Relation(relation.left, relation.op, relation.right, over)


def _after(relation: Relation, *over: Range) -> Relation:
    return _plain(_plain(relation).at({n: n + 1}), *over)


def _with(relation: Relation, at: Expr, *over: Range) -> Relation:
    return _plain(_plain(relation).at({x: at}), *over)


# Neighbouring masses ----------------------------------------------------------------------------------------------

_NEXT = eq(mass(n + 1, x), ((LEFT - x + 1) * mass(n, x - 1) + (LEFT + x + 1) * mass(n, x + 1)) / (2 * LEFT), ROUND,
    WHERE)
_LAW = (HIT_NEXT, FAIR_HIT)
NEXT = (
    proof("sfl/L12-next", "Lemma 12, proof").under(*_LAW)
    .step("mean", by.expectation("hit next"))
    .step("left", by.instance({x: x - 1}, "next hit"))
    .step("right", by.instance({x: x + 1}, "next hit"))
    .qed(_NEXT, by.linear(mean=1, left=HALF, right=-HALF), name="next",
        note="a plus is drawn with chance (M - n - S(n))/(2 (M - n))")
)
WITHIN = (n, 0, M)
_RATIO = eq((n + x + 2) * (LEFT + x + 2) * mass(n, x + 2), (n - x) * (LEFT - x) * mass(n, x), WITHIN, WHERE)
_RATIO_AT = _plain(_RATIO, WHERE)
_WHOLE = eq(2 * LEFT * mass(n + 1, x), (LEFT - x + 1) * mass(n, x - 1) + (LEFT + x + 1) * mass(n, x + 1), ROUND, WHERE)
RATIO = (
    proof("sfl/L12-masses", "Lemma 12, proof", note="the masses are those of the hypergeometric law")
    .under(HIT_START, *_LAW)
    .step("next", by.apply(NEXT))
    .step("from 0", by.instance({x: x + 2}, "hit start"))
    .step("base", _plain(_RATIO, WHERE).at({n: Integer(0)}), by.linear("from 0", "hit start"))
    .step("above", _with(_RATIO, x + 1, ROUND, WHERE), by.instance({x: x + 1}), assuming=_RATIO_AT)
    .step("below", _with(_RATIO, x - 1, ROUND, WHERE), by.instance({x: x - 1}), assuming=_RATIO_AT)
    .step("whole", _WHOLE, by.linear("next"))
    .step("whole 2", by.instance({x: x + 2}, "whole"))
    .step(
        "doubled",
        eq(2 * LEFT * _after(_RATIO).left, 2 * LEFT * _after(_RATIO).right, ROUND, WHERE),
        by.linear(
            {
                "whole 2": (n + x + 3) * (LEFT + x + 1),
                "whole": -(n + 1 - x) * (LEFT - x - 1),
                "above": LEFT + x + 1,
                "below": LEFT - x - 1,
            }
        ),
        assuming=_RATIO_AT,
    )
    .step("step", _after(_RATIO, ROUND, WHERE), by.linear(doubled=1 / (2 * LEFT)), assuming=_RATIO_AT)
    .qed(_RATIO, by.induction(n, "base", "step"), name="masses")
)

_g, _g1, _g2 = mass(n, 0), mass(n + 1, 0), mass(n + 2, 0)
NOT_LAST = (n, 0, M - 2)
_TIES = eq((n + 2) * (LEFT - 1) * _g2, (n + 1) * LEFT * _g, NOT_LAST)
_WALK = (HIT_START, *_LAW)
_WALK_IDS = tuple(h.id for h in _WALK)
TIES = (
    proof("sfl/L12-ties", "Lemma 12, proof").under(*_WALK)
    .step("next", by.apply(NEXT))
    .step("masses", by.apply(RATIO))
    .step("to 0", _plain(_plain(_NEXT).at({n: n + 1, x: Integer(0)}), NOT_LAST), by.instance({n: n + 1, x: 0}, "next"))
    .step("to 1", _with(_NEXT, Integer(1), NOT_LAST), by.instance({n: n, x: 1}, "next"))
    .step("to -1", _with(_NEXT, Integer(-1), NOT_LAST), by.instance({n: n, x: -1}, "next"))
    .step("from 2", _with(_RATIO, Integer(0), NOT_LAST), by.instance({n: n, x: 0}, "masses"))
    .step("from -2", _with(_RATIO, Integer(-2), NOT_LAST), by.instance({n: n, x: -2}, "masses"))
    .qed(
        _TIES,
        by.linear(
            {
                "to 0": (n + 2) * (LEFT - 1),
                "to 1": (n + 2) * LEFT / 2,
                "to -1": (n + 2) * LEFT / 2,
                "from 2": Rational(1, 4),
                "from -2": -Rational(1, 4),
            }
        ),
        name="ratio",
    )
)


def one_sign(name: str, many: str, note: str = "") -> tuple[Step, ...]:
    """Prove that one sign is no tie, as S(0) is neither 1 nor -1; ``many`` says that there are two."""
    return (
        line("right 0", eq(mass(0, 1), 0), by.instance({x: 1}, "hit start")),
        line("left 0", eq(-mass(0, -1), 0), by.instance({x: -1}, "hit start")),
        line("to 0", eq(mass(1, 0), ((M + 1) * mass(0, -1) + (M + 1) * mass(0, 1)) / (2 * M)),
            by.instance({n: 0, x: 0}, "next", many)),
        line(name, eq(mass(1, 0), 0), by.linear("to 0", "right 0", "left 0"), note=note),
    )


TWO_SIGNS = (
    line("ties", _TIES, by.apply(TIES, *_WALK_IDS)),
    line("tie 0", eq(mass(0, 0), 1), by.expectation("hit zero")),
    line("ratio 2", eq(2 * (M - 1) * mass(2, 0), M * mass(0, 0)), by.instance({n: 0}, "ties", "two")),
)

# E|E_n| -----------------------------------------------------------------------------------------------------------

_A = E(size(n))
_c = n * _g + (n + 1) * _g1
_CLOSED = eq(M * _A, LEFT * _c, ROUND)
_SIZES = (SIZE_START, SIZE_NEXT, FAIR_SIGN, *_WALK, TWO)
CLOSED = (
    proof("sfl/L12-closed", "Lemma 12, proof").under(*_SIZES)
    .step("next", by.apply(NEXT))
    .step("ties", by.apply(TIES))
    .steps(*one_sign("tie 1", "two", "one sign is no tie"))
    .step("mean", by.expectation("size next"))
    .step("recursion", eq(E(size(n + 1)), (1 - 1 / LEFT) * _A + _g, ROUND), by.linear("mean", "next sign"))
    .step("size 0", by.expectation("size start"))
    .step("base", _plain(_CLOSED).at({n: Integer(0)}), by.linear("size 0", "tie 1"))
    .step("step", _after(_CLOSED, NOT_LAST), by.linear({"recursion": M, "assumed 1": (LEFT - 1) / LEFT, "ties": -1}),
        assuming=_plain(_CLOSED))
    .qed(_CLOSED, by.induction(n, "base", "step"), name="closed")
)
_FROM_1 = (n, 1, M - 1)
_PAIR = le(HALF, n * _g**2 + (n + 1) * _g1**2, _FROM_1)
_SQUARE, _SQUARE_1 = le(n / 2, _c**2, ROUND), le(n / 2, _c**2, _FROM_1)
_MASSES = (*_WALK, HIT_ZERO, TWO)
_STEP = (n, 1, M - 2)
SQUARE = (
    proof("sfl/L12-square", "Lemma 12, proof", note="n P(E_n = 0)^2 >= 1/2 for even n >= 2").under(*_MASSES)
    .steps(*TWO_SIGNS)
    .step("more 2", le(M - 1, 2 * (M - 1) * mass(2, 0)), by.linear("ratio 2", "tie 0"))
    .step("tie 2", le(HALF, mass(2, 0)), by.linear({"more 2": 1 / (2 * (M - 1))}, "two"))
    .step("base", le(HALF, mass(1, 0) ** 2 + 2 * mass(2, 0) ** 2), by.linear("tie 2"))
    .step("rarer times", le((LEFT - 1) * (n + 1) * _g, (LEFT - 1) * (n + 2) * _g2, NOT_LAST), by.linear("ties"))
    .step("rarer", le((n + 1) * _g, (n + 2) * _g2, NOT_LAST), by.linear({"rarer times": 1 / (LEFT - 1)}),
        note="ties become rarer, but not faster than for independent signs")
    .step("step", _after(_PAIR, _STEP), by.linear({"assumed 1": 1, "rarer": ((n + 1) * _g + (n + 2) * _g2) / (n + 2)}),
        assuming=_plain(_PAIR), note="(n + 1)^2 >= n (n + 2)")
    .step("pair", _PAIR, by.induction(n, "base", "step"))
    .step("from 1", _SQUARE_1, by.linear("pair"))
    .step("at 0", _plain(_SQUARE).at({n: Integer(0)}), by.linear())
    .step("beyond", _after(_SQUARE, NOT_LAST), by.instance({n: n + 1}, "from 1"))
    .qed(_SQUARE, by.induction(n, "at 0", "beyond"), name="square")
)
LAW_OF_SIZE = (*_SIZES, HIT_ZERO)
_SUMS, _FRONT = statement_of(bound("L12-sum@printed", "lower"), _A)
SUMS = (
    proof("sfl/L12-sum", "Lemma 12, proof", of="sfl/L12-sum@printed", bound=bound("L12-sum@printed", "lower"),
        note="the paper cites Cha et al.")
    .under(*_FRONT, *LAW_OF_SIZE)
    .step("closed", by.apply(CLOSED))
    .step("square", by.apply(SQUARE))
    .step("inside", le(n, M - 1), by.linear("c1", "c2"))
    .step("closed n", by.instance({n: n}, "closed", "inside"))
    .step("square n", by.instance({n: n}, "square", "inside"))
    .step("half", le(M * _c / 2, M * _A), by.linear("closed n", "c1"))
    .step("size", le(_c / 2, _A), by.linear("half"), note="M - n >= M/2")
    .step("squares", le(_c**2 / 4, _A**2), by.linear("size"))
    .step("enough", le(n + 1, 100 * _A**2), by.linear("squares", "square n", "c2"))
    .step("zero", le(0, n + 1), by.linear())
    .step("root", by.power(HALF, "zero", "enough"))
    .qed(_SUMS, by.linear("root"), name="sum")
)

# E|A_{m,k}|, A_{m,k} = S(m-1) + a tau(m) for a = k/K: its size is part(m, k) ---------------------------------------------

a = k / K
BEFORE = {n: m - 1}
_Am, _gm, _cm = (value.subs(n, m - 1) for value in (_A, _g, _c))
REST = M - m + 1
PART = Given("part", eq(part(m, k), size(m - 1) + a * sgn(m - 1) * tau(m) + a * hit(m - 1, 0)),
    "|s + a t| = |s| + a sgn(s) t + a 1{s = 0} for an integer s, a sign t and 0 <= a <= 1")
INSIDE = Given("inside", le(m, M), "a position of the round")
_X = E(part(m, k))
_PLACE = (line("place", le(1, m), by.polynomial()),)
MIXED = (
    proof("sfl/L12-step", "Lemma 12, proof", of="sfl/L12-step@printed",
        note="one sign more, in the letters of the walk")
    .under(PART, FAIR_SIGN, INSIDE)
    .steps(*_PLACE)
    .step("mean", by.expectation("part"))
    .step("next", by.instance({n: m - 1}, "next sign", "place", "inside"))
    .qed(eq(_X, (1 - a / REST) * _Am + a * _gm), by.linear(mean=1, next=a), name="mixed")
)
_LEAST, _CONDITIONS = statement_of(bound("L12@printed", "lower"), _X)
_TIE = le(1, n + _g**2, WITHIN)
L12 = (
    proof("sfl/L12", "Lemma 12", of="sfl/L12@printed", bound=bound("L12@printed", "lower"))
    .under(*_CONDITIONS, *LAW_OF_SIZE, PART)
    .steps(*_PLACE)
    .step("inside", le(m, M), by.linear("c1", "c2"))
    .step("mixed", by.apply(MIXED))
    .step("closed", by.apply(CLOSED))
    .step("square", by.apply(SQUARE))
    .step("closed m", by.instance({n: m - 1}, "closed", "place", "inside"))
    .step("square m", by.instance({n: m - 1}, "square", "place", "inside"))
    .step("mean c", le(0, _cm), by.linear("place"))
    .step("half", le(M * _cm / 2, M * _Am), by.linear("closed m", "c2", "mean c"))
    .step("size", le(_cm / 2, _Am), by.linear("half"), note="M - m + 1 >= M/2")
    .step("room", le(2 * k, K * REST), by.polynomial("c1", "c2", "c3"))
    .step("shrink", le(_Am / 2, (1 - a / REST) * _Am), by.linear({"room": _Am / (2 * K * REST)}, "inside"),
        note="1 - a/(M - m + 1) >= 1 - 2/M >= 1/2")
    .step("first", le(_cm / 4 + a * _gm, _X), by.linear("mixed", "shrink", "size"))
    .step("positive", le(0, _cm / 4 + a * _gm), by.linear("mean c"))
    .step("cross", le(0, a * _gm * _cm), by.linear("mean c"))
    .step("squares", le((_cm / 4) ** 2 + a**2 * _gm**2, _X**2), by.linear("first", "cross", "positive"))
    .step("tie 0", by.expectation("hit zero"))
    .step("at 0", _plain(_TIE).at({n: Integer(0)}), by.linear("tie 0"))
    .step("after", _after(_TIE, ROUND), by.linear())
    .step("tie", _TIE, by.induction(n, "at 0", "after"), note="no sign is a tie")
    .step("tie m", by.instance({n: m - 1}, "tie", "place", "inside"))
    .step("a", le(a**2, 1), by.polynomial("c3"))
    .step("enough", le(m - 1 + a**2, 400 * _X**2), by.linear("squares", "square m", "tie m", "a", "place"))
    .step("zero", le(0, m - 1 + a**2), by.linear("place"))
    .step("root", by.power(HALF, "zero", "enough"))
    .qed(_LEAST, by.linear("root"), name="least")
)

THEOREMS = (NEXT, RATIO, TIES, CLOSED, SQUARE, SUMS, MIXED, L12)
