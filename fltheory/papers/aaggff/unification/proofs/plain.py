"""Short proofs: linear identities, largest entries, means, Hölder's inequality."""

from __future__ import annotations

from sympy import Abs, Expr, Max, Symbol, log

from fltheory.papers.aaggff.losses.proofs.facts import EACH, i, j, whole
from fltheory.papers.aaggff.losses.proofs.lipschitz import SETTING, p, q, r
from fltheory.papers.aaggff.notation import K, m
from fltheory.proof import Given, by, eq, le, proof, statement_of
from fltheory.proof.chain import Chain
from fltheory.proof.facts import notation
from fltheory.proof.terms import Nonnegative, Positive, Scalar, Total, family
from fltheory.verification import find

AT_P, AT_Q = whole(p(j) * r(j)), whole(q(j) * r(j))


def of(claim: str, *given: Given, unused: tuple[str, ...] = ()) -> Chain:
    """Return a proof of a claim's one bound."""
    return proof(
        f"aaggff/{claim.split('@')[0]}", of=f"aaggff/{claim}", bound=find(f"aaggff/{claim}").bound, unused=unused
    ).under(*given)


def says(claim: str, quantity: Expr) -> tuple:
    """Return the bound as a statement about the quantity, and its conditions."""
    return statement_of(find(f"aaggff/{claim}").bound, quantity)


# Linear decision losses -----------------------------------------------------------------------------------------------

_MIDDLE = -whole((p(j) + q(j)) / 2 * r(j))
LINEAR = of("U7-c@printed").qed(says("U7-c@printed", (-AT_P - AT_Q) / 2 - _MIDDLE)[0], by.linear())
gamma = Symbol("gamma", nonnegative=True)
_P, _Q = (family(Positive, name)() for name in ("s", "o"))
_MIXED = family(Positive, "mixed")()
_FLAT = -log(_MIXED) + gamma * log(_P) + (1 - gamma) * log(_Q)
FLAT = (
    of("A.1-flat@corrected")
    .given("at p", eq(_P, 1 + AT_P), "1 + <p, r>")
    .given("at q", eq(_Q, 1 + AT_Q), "1 + <q, r>")
    .given("between", eq(_MIXED, 1 + whole((gamma * p(j) + (1 - gamma) * q(j)) * r(j))), "the same in between")
    .given("flat", eq(AT_P, AT_Q), "<p, r> = <q, r>")
    .step("same", eq(_P, _Q), by.linear("at p", "flat", "at q"))
    .step("there", eq(_MIXED, _Q), by.linear("between", "flat", "at q"))
    .step("log same", eq(log(_P), log(_Q)), by.linear(), inserting="same")
    .step("log there", eq(log(_MIXED), log(_Q)), by.linear(), inserting="there")
    .qed(says("A.1-flat@corrected", _FLAT)[0], by.linear({"log same": gamma, "log there": -1}))
)

# The larger of two numbers ---------------------------------------------------------------------------------------------

x, y, top = (Symbol(name, real=True) for name in ("x", "y", "top"))
_FIRST, _SECOND = le(x, Max(x, y)), le(y, Max(x, y))
LARGER = (
    proof("aaggff/max-above", "(29)", note="the larger of two numbers")
    .step("1a", eq(Max(x, y), x), by.fact("max", Max(x, y)), assuming=le(y, x))
    .step("1b", _FIRST, by.linear("1a"), assuming=le(y, x))
    .step("2a", eq(Max(x, y), y), by.fact("max", Max(x, y)), assuming=le(x, y))
    .step("2b", _FIRST, by.linear("2a"), assuming=le(x, y))
    .qed(_FIRST, by.cases("1b", "2b"), name="either")
)
_BELOW = le(Max(x, y), top)
BOTH = (
    proof("aaggff/max-below", "(30)", note="the larger of two numbers is at most what both are")
    .given("first", le(x, top), "what bounds one")
    .given("second", le(y, top), "and the other")
    .step("1a", eq(Max(x, y), x), by.fact("max", Max(x, y)), assuming=le(y, x))
    .step("1b", _BELOW, by.linear("1a", "first"), assuming=le(y, x))
    .step("2a", eq(Max(x, y), y), by.fact("max", Max(x, y)), assuming=le(x, y))
    .step("2b", _BELOW, by.linear("2a", "second"), assuming=le(x, y))
    .qed(_BELOW, by.cases("1b", "2b"), name="either")
)
z = family(Nonnegative, "z")  # nonnegative responses
_V, _Z = whole(p(j) * z(j)), whole(q(j) * z(j))
_LARGER = Max(_V, _Z)
DISTANCE = (
    of("4.1-29a@printed")
    .step("first", by.apply(LARGER, {x: _V, y: _Z}))
    .step("second", by.apply(LARGER, {x: _Z, y: _V}))
    .step("each p", le(0, p(i) * z(i), EACH), by.linear())
    .step("each q", le(0, q(i) * z(i), EACH), by.linear())
    .step("signs p", le(0, _V), by.sum_over(i, "each p"))
    .step("signs q", le(0, _Z), by.sum_over(i, "each q"))
    .step("up", le(_V - _Z, _LARGER), by.linear("first", "signs q"))
    .step("down", le(_Z - _V, _LARGER), by.linear("second", "signs p"))
    .step("both", by.absolute("up", "down"))
    .qed(says("4.1-29a@printed", Abs(_V - _Z) - _LARGER)[0], by.linear("both"))
)

# The largest entries -----------------------------------------------------------------------------------------------------

_ENTRY = says("4.1-end@corrected", Abs(p(i) - q(i)))[0]
ENTRIES = (
    of("4.1-end@corrected", *SETTING[:2])
    .step("p sign", le(0, p(i), EACH), by.linear())
    .step("q sign", le(0, q(i), EACH), by.linear())
    .step("p part", le(p(i), whole(p(j)), EACH), by.apply("aaggff/one", {notation.s(j): p(j)}, "p sign"))
    .step("q part", le(q(i), whole(q(j)), EACH), by.apply("aaggff/one", {notation.s(j): q(j)}, "q sign"))
    .step("up", le(p(i) - q(i), 1, EACH), by.linear("p part", "sum p", "q sign"))
    .step("down", le(q(i) - p(i), 1, EACH), by.linear("q part", "sum q", "p sign"))
    .qed(le(_ENTRY.left, _ENTRY.right, EACH), by.absolute("up", "down"))
)

# Means -------------------------------------------------------------------------------------------------------------------

F, mean = family(Positive, "F"), family(Positive, "mean")()
MEAN = Given("mean", eq(mean, whole(F(j)) / K), "the mean of the losses that are seen")
CENTRED = of("B2@printed", MEAN).qed(says("B2@printed", whole(F(j) / mean) / K)[0], by.linear("mean"))
_RANGE = says("B2-range@explicit", F(i) / mean)[0]
RANGE = (
    of("B2-range@explicit", MEAN)
    .step("sign", le(0, F(i), EACH), by.linear())
    .step("part", le(F(i), whole(F(j)), EACH), by.apply("aaggff/one", {notation.s(j): F(j)}, "sign"))
    .qed(le(_RANGE.left, _RANGE.right, EACH), by.linear("part", "mean"))
)
START = of("A2-start@explicit").qed(says("A2-start@explicit", Total(m / K, j, 1, K))[0], by.linear())

# (74): Hölder's inequality --------------------------------------------------------------------------------------------------

g, d, G = family(Scalar, "g"), family(Scalar, "d"), Symbol("G", nonnegative=True)
_LOST, _LENGTH = whole(g(j) * d(j)), whole(Abs(d(j)))


def along(sign: int) -> dict[str, Expr]:
    """Return the weights of one side: G |d| - g d = (G - g)(|d| + d)/2 + (G + g)(|d| - d)/2."""
    return {"above": (Abs(d(i)) + sign * d(i)) / 2, "below": (Abs(d(i)) - sign * d(i)) / 2}


HOLDER = (
    of("74-holder@printed")
    .given("above", le(g(i), G, EACH), "G is the largest absolute value of an entry of g")
    .given("below", le(-g(i), G, EACH), "and its negative is not larger")
    .step("plus", by.fact("abs", -d(i)), over=EACH)
    .step("minus", by.fact("abs", d(i)), over=EACH)
    .step("each up", le(g(i) * d(i), G * Abs(d(i)), EACH), by.linear(along(1), "plus", "minus"))
    .step("each down", le(-g(i) * d(i), G * Abs(d(i)), EACH), by.linear(along(-1), "plus", "minus"))
    .step("up", le(_LOST, G * _LENGTH), by.sum_over(i, "each up"))
    .step("down", le(-_LOST, G * _LENGTH), by.sum_over(i, "each down"))
    .step("both", by.absolute("up", "down"))
    .qed(says("74-holder@printed", Abs(_LOST) - _LENGTH * G)[0], by.linear("both"))
)

THEOREMS = (LINEAR, FLAT, LARGER, BOTH, DISTANCE, ENTRIES, CENTRED, RANGE, START, HOLDER)
