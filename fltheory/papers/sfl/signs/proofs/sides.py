"""Lemma 13: both sides of 0 are equally likely, each with probability at least 1/6, from the walk of permuted signs.

A round's sum A = S(m-1) + (k/K) tau(m) has the sign of S(m-1) or, if that is 0 and k >= 1, that of tau(m). A tie of n
signs has probability at most M/(2 (M - 1)), which is attained for two signs and for all but two.
"""

from __future__ import annotations

from sympy import Expr, Integer, Min, Rational, Symbol

from fltheory.papers.sfl.notation import M, k, m, n
from fltheory.papers.sfl.signs.proofs import permuted
from fltheory.papers.sfl.signs.proofs.between import ONE_OF, above, below, tie
from fltheory.papers.sfl.signs.proofs.permuted import (EVEN, HIT_ZERO, INSIDE, ROUND, WHERE, WITHIN, bound, h, hit,
    mass, tau, x)
from fltheory.proof import Given, by, eq, le, lt, proof, statement_of
from fltheory.proof.terms import E, Nonnegative, Total, family

HALF, TWO_THIRDS = Rational(1, 2), Rational(2, 3)
j, g = (Symbol(name, integer=True, nonnegative=True) for name in "jg")
LATE = Min(k, 1)
_P, _Q = E(above(m, k)), E(below(m, k))

# Every value is as likely as its negative -----------------------------------------------------------------------------

HIT_EVEN = Given("hit even", eq(hit(0, x), hit(0, -x), WHERE), "S(0) = 0 = -S(0)")
_MIRROR = eq(mass(n, x), mass(n, -x), WITHIN, WHERE)
_AT = permuted._plain(_MIRROR, WHERE)
MIRROR = (
    proof("sfl/L13-mirror", "Lemma 13", note="every value is as likely as its opposite").under(HIT_EVEN, *permuted._LAW)
    .step("next", by.apply(permuted.NEXT))
    .step("next -", by.instance({x: -x}, "next"))
    .step("base", by.expectation("hit even"))
    .step("above", permuted._with(_MIRROR, x + 1, ROUND, WHERE), by.instance({x: x + 1}), assuming=_AT)
    .step("below", permuted._with(_MIRROR, x - 1, ROUND, WHERE), by.instance({x: x - 1}), assuming=_AT)
    .step(
        "step",
        permuted._after(_MIRROR, ROUND, WHERE),
        by.linear(
            {
                "next": 1,
                "next -": -1,
                "above": (permuted.LEFT + x + 1) / (2 * permuted.LEFT),
                "below": (permuted.LEFT - x + 1) / (2 * permuted.LEFT),
            }
        ),
        assuming=_AT,
    )
    .qed(_MIRROR, by.induction(n, "base", "step"), name="mirror")
)

# The two sides ------------------------------------------------------------------------------------------------------------


def side(sign: int) -> Expr:
    """Return the indicator of a sum on this side of 0, from the whole signs and the last one."""
    whole = Total(hit(m - 1, sign * x), x, 1, m - 1)
    return whole + LATE * hit(m - 1, 0) * (1 + sign * tau(m)) / 2


ABOVE = Given("above", eq(above(m, k), side(1)), "A > 0: S(m-1) > 0, or S(m-1) = 0 and the part of a plus")
BELOW = Given("below", eq(below(m, k), side(-1)), "A < 0: S(m-1) < 0, or S(m-1) = 0 and the part of a minus")
_SIDES = (HIT_EVEN, *permuted._LAW, INSIDE, ABOVE, BELOW)
EQUAL = (
    proof("sfl/L13-equal", "Lemma 13", note="both sides of 0 are equally likely").under(*_SIDES)
    .step("mirror", by.apply(MIRROR))
    .step("some", le(1, m), by.linear())
    .step("place", by.instance({n: m - 1, x: x}, "mirror", "inside", "some"), over=(x, 1, m - 1))
    .step("sum", by.sum_over(x, "place"))
    .step("fair", by.instance({n: m - 1, x: 0}, "next hit", "inside", "some"))
    .step("above mean", by.expectation("above"))
    .step("below mean", by.expectation("below"))
    .qed(eq(_P, _Q), by.linear("above mean", "below mean", "sum", "fair"), name="equal")
)
_ODDS, _IF = statement_of(bound("L13-symmetry@printed", "equal"), _Q / _P)
ODDS = (
    proof("sfl/L13-odds", of="sfl/L13-symmetry@printed", bound=bound("L13-symmetry@printed", "equal"), unused=("c1",))
    .under(*_IF, *_SIDES)
    .given("positive", lt(0, _P), "what is divided by; the quotient has no value else")
    .step("equal", by.apply(EQUAL))
    .qed(_ODDS, by.linear({"equal": -1 / _P}, "positive"), name="last")
)

# The probability of a tie ---------------------------------------------------------------------------------------------

r = family(Nonnegative, "r")
_RATIO = eq((j + 2) * (M - j - 1) * r(j + 2), (j + 1) * (M - j) * r(j), (j, 0, M - 2))
_RARE, _FRONT, _STEP = le(r(j) + r(j + 1), TWO_THIRDS), (j, 1, h), (j, 1, h - 1)
RARE = (
    proof("sfl/L13-rare", "Lemma 13", note="ties become rarer up to the middle of the round")
    .given("first", eq(r(0), 1), "no signs are a tie")
    .given("second", eq(r(1), 0), "one sign is none")
    .given("ratio", _RATIO, "the chances of ties, one after the other")
    .under(EVEN)
    .given("two pairs", le(2, h), "four signs or more")
    .step("large", le(4, M), by.linear("two pairs", "even"))
    .step("at 0", eq(2 * (M - 1) * r(2), M * r(0)), by.instance({j: 0}, "ratio", "large"))
    .step("many", lt(0, M - 1), by.linear("large"))
    .step("two", le(r(2), TWO_THIRDS), by.linear("at 0", "first", "large", "many"))
    .step("base", _RARE.at({j: Integer(1)}), by.linear("two", "second"))
    .step("left", le(1, M - j - 1, _STEP), by.polynomial("even", "two pairs"))
    .step("room", le(0, M - 2 * j - 2, _STEP), by.polynomial("even"))
    .step("far", le(h - 1, M - 2), by.linear("even", "two pairs"))
    .step("within", eq(_RATIO.left, _RATIO.right, _STEP), by.linear("ratio", "far"))
    .step("rarer times", le(_RATIO.left, (j + 2) * (M - j - 1) * r(j), _STEP), by.linear("within", "room"))
    .step("rarer twice", le((j + 2) * r(j + 2), (j + 2) * r(j), _STEP),
        by.linear({"rarer times": 1 / (M - j - 1)}, "left"))
    .step("rarer", le(r(j + 2), r(j), _STEP), by.linear({"rarer twice": 1 / (j + 2)}))
    .step("next", le(r(j + 1) + r(j + 2), TWO_THIRDS, _STEP), by.linear("rarer"), assuming=_RARE)
    .qed(le(_RARE.left, TWO_THIRDS, _FRONT), by.induction(j, "base", "next"), name="all")
)
END = Given("all", eq(hit(M, 0), 1), "all signs together add up to 0")
_LAW = (*permuted._WALK, HIT_ZERO, END, EVEN)
_ODD, _PAIRS, _LESS = eq(mass(2 * g + 1, 0), 0), (g, 0, h - 1), (g, 0, h - 2)
TIES = (
    proof("sfl/L13-odd", "Lemma 13", note="an odd number of signs is no tie").under(*permuted._WALK, EVEN)
    .given("two", le(2, M), "there are signs")
    .step("next", by.apply(permuted.NEXT))
    .step("ties", by.apply(permuted.TIES))
    .steps(*permuted.one_sign("tie 1", "two", "one sign is no tie"))
    .step("inside", le(2 * g + 1, M - 2, _LESS), by.polynomial("even"))
    .step("one more", by.instance({n: 2 * g + 1}, "ties", "inside"))
    .step(
        "step",
        eq(mass(2 * g + 3, 0), 0, _LESS),
        by.linear(
            {
                "one more": 1 / ((2 * g + 3) * (M - 2 * g - 2)),
                "assumed 1": (2 * g + 2) * (M - 2 * g - 1) / ((2 * g + 3) * (M - 2 * g - 2)),
            },
            "inside",
        ),
        assuming=_ODD,
    )
    .qed(eq(_ODD.left, 0, _PAIRS), by.induction(g, "tie 1", "step"), name="odd")
)
_PLACE, _TIE = m - 1, mass(m - 1, 0)
_AT_MOST = le(_TIE, TWO_THIRDS)
_FEW, _MANY, _LAST, _INNER = le(h, 1), le(2, h), le(M, m), le(m, M - 1)
_EARLY, _LATE_ONE = le(m - 1, h), le(h, m - 1)
OFTEN = (
    proof("sfl/L13-tie", "Lemma 13", note="a tie of some of the signs, but not all, has the chance 2/3 at most")
    .under(*_LAW, INSIDE)
    .given("later", le(2, m), "not before the first sign")
    .step("two", le(2, M), by.linear("inside", "later"))
    .step("odd", by.apply(TIES))
    .step("tie 0", by.expectation("hit zero"))
    .step("tie all", by.expectation("all"))
    .step("pairs", le(1, h), by.polynomial("even", "two"))
    .step("tie 1", by.instance({g: 0}, "odd", "pairs"))
    .step("last pair", le(0, h - 1), by.linear("pairs"))
    .step("tie last", by.instance({g: h - 1}, "odd", "last pair"))
    .step("tie but one", eq(mass(M - 1, 0), 0), by.linear("tie last"), inserting="even")
    .step("ties", by.apply(permuted.TIES))
    .step("forward", by.instance({n: j}, "ties"), over=(j, 0, M - 2))
    .step("backward", by.instance({n: M - 2 - j}, "ties"), over=(j, 0, M - 2))
    .step("turned", eq((j + 2) * (M - j - 1) * mass(M - j - 2, 0), (j + 1) * (M - j) * mass(M - j, 0), (j, 0, M - 2)),
        by.linear("backward"))
    .step("up", by.apply(RARE, {r(j): mass(j, 0)}), assuming=_MANY)
    .step("down", by.apply(RARE, {r(j): mass(M - j, 0)}), assuming=_MANY)
    .step("early pair", by.instance({j: m - 1}, "up", "later"), assuming=(_MANY, _EARLY))
    .step("early", _AT_MOST, by.linear("early pair"), assuming=(_MANY, _EARLY))
    .step("rest", le(M - m + 1, h), by.linear("even"), assuming=(_MANY, _LATE_ONE))
    .step("late pair", by.instance({j: M - m + 1}, "down", "inside", "rest"), assuming=(_MANY, _LATE_ONE))
    .step("late", _AT_MOST, by.linear("late pair"), assuming=(_MANY, _LATE_ONE))
    .step("end", eq(m, M), by.antisymmetry("inside"), assuming=_LAST)
    .step("last", _AT_MOST, by.linear({"tie but one": 1}), inserting="end", assuming=_LAST)
    .step("few", _AT_MOST, by.linear("later", "even"), assuming=(_INNER, _FEW), note="this case does not occur")
    .qed(_AT_MOST, by.cases("last", "few", "early", "late"), name="either")
)

# At least 1/6 ---------------------------------------------------------------------------------------------------------

_SIXTH, _IF_ANY = statement_of(bound("L13@printed", "lower"), _P)
BALANCE = Given("balance", eq(tie(m, k), (1 - LATE) * hit(m - 1, 0)), "A = 0: S(m-1) = 0, and nothing of the next sign")
_SOON, _STARTED = le(k, 0), le(1, k)
LEAST = (
    proof("sfl/L13-least", of="sfl/L13@printed", bound=bound("L13@printed", "lower"), unused=("c1",))
    .under(*_IF_ANY, *_SIDES, HIT_ZERO, permuted.HIT_START, END, EVEN, ONE_OF, BALANCE)
    .given("not first", le(2, m + k), "(m, k) is not (1, 0)")
    .step("equal", by.apply(EQUAL))
    .step("one", by.expectation("one of three"))
    .step("tie", by.expectation("balance"))
    .step("later", le(2, m), by.linear("not first"), assuming=_SOON)
    .step("often", by.apply(OFTEN), assuming=_SOON)
    .step("sign", le(0, LATE), by.linear())
    .step("part", le((1 - LATE) * _TIE, TWO_THIRDS), by.linear("often", "sign"), assuming=_SOON)
    .step("soon", _SIXTH, by.linear("one", "equal", "tie", "part"), assuming=_SOON)
    .step("late", eq(LATE, 1), by.fact("min", LATE), assuming=_STARTED)
    .step("started", _SIXTH, by.linear({"one": -HALF, "equal": -HALF, "tie": HALF}), inserting="late",
        assuming=_STARTED)
    .qed(_SIXTH, by.cases("soon", "started"), name="either")
)
THEOREMS = (MIRROR, EQUAL, ODDS, RARE, TIES, OFTEN, LEAST)
