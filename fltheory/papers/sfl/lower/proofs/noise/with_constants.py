"""Lemma 10, J and the round from a negative start, as their claims state them: one round from a fixed start, noisy."""

from __future__ import annotations

from sympy import Abs, Expr, Integer, Rational, Symbol, oo, sqrt

from fltheory.model.bound import Bound
from fltheory.papers.sfl import notation
from fltheory.papers.sfl.kinked.proofs import walk
from fltheory.papers.sfl.kinked.proofs.walk import H, c, i, j, k, on, x0
from fltheory.papers.sfl.lower.proofs.noise import one_round
from fltheory.papers.sfl.lower.proofs.noise.one_round import (EVER, LAW, NOISE, PULL, SHORT, STEP, STEPS, SUMS, UNIT, N,
    S, tau, theta, y)
from fltheory.papers.sfl.notation import M, eta, lam0, n, sigma
from fltheory.papers.sfl.signs.proofs import signs
from fltheory.proof import Given, Relation, by, eq, le, line, proof, statement_of
from fltheory.proof.terms import E, Indicator, Total
from fltheory.verification import find

a, u = Symbol("a", nonnegative=True), Symbol("u", positive=True)
READING = {notation.x0: a}


def catalogued(claim: str, quantity: Expr) -> tuple[Relation, tuple[Given, ...], Bound]:
    """Return the statement of a claim about one round from a, its conditions and its formula."""
    bound = find(claim).bounds[0]
    return *statement_of(bound, quantity, READING), bound


FROM_A = Given("first", eq(y(0), a), "the round starts at a >= 0")
SYMMETRIC = Given("symmetric", eq(E(Indicator(S(n))), E(Indicator(-S(n))), EVER), "all signs turned over are as likely")
FAIR = Given("fair", eq(E(tau(n + 1)), 0, EVER), "each sign is 1 or -1 with the same chance")
RUN = (FROM_A, STEP, SUMS, PULL, NOISE, SHORT)
AT = {H: Integer(1), x0: a}
_EVEN = line("even", eq(a * E(Indicator(S(n))), a * E(Indicator(-S(n))), EVER), by.linear("symmetric"))
_WORDS = ("noise", "pull", "sums")

# Lemma 10 ---------------------------------------------------------------------------------------------------------

_L10, _C10, _B10 = catalogued("sfl/L10@corrected", E(Abs(y(n) - a)))
_FAR = a / 100 + Rational(101, 100) * eta * sigma * sqrt(n)
_UP_TO = ((c, 0, N), (k, 0, 0))
_PART = Total(E(Abs(y(i - 1) - a)), i, 1, n)
_REACH = le(E(Abs(y(n) - a)), eta * lam0 * (n * a + _PART) + eta * sigma * sqrt(n), (n, 0, N))
L10 = (
    proof("sfl/L10", "Lemma 10", of="sfl/L10@corrected", bound=_B10, reading=READING, unused=("c3",))
    .under(*_C10, *RUN, UNIT, LAW[1])
    .step("inside", le(E(Abs(y(n) - a)), _FAR, STEPS), by.apply(one_round.MOVES, AT), inserting=_WORDS,
        note="before the last step")
    .steps(*one_round._SUMMED, *(t for t in one_round._AS_SUM if "apart" not in t.id and "weighed" not in t.id))
    .step("local", by.instance({n: c + k}, "step"), over=(*_UP_TO,))
    .step(
        "reach at",
        le(
            E(Abs(y(c + k) - a)),
            eta
            * lam0
            * (
                (c + k) * a
                + Total(Total(E(Abs(y(i + j - 1) - a)), j, 0, 0), i, 1, c)
                + Total(E(Abs(y(c + j) - a)), j, 0, k - 1)
            )
            + eta * sigma * walk.s(c, k),
            *_UP_TO,
        ),
        by.apply(walk.REACH, {**{key: value for key, value in one_round.WORDS.items() if key != M}, M: N + 1, **AT}),
        inserting=("noise", "pull"),
    )
    .step("reach there", le(E(Abs(y(n) - a)), eta * lam0 * (n * a + _PART) + eta * sigma * walk.s(n, 0), (n, 0, N)),
        by.instance({c: n, k: Integer(0)}, "reach at"))
    .step("s there", by.instance({c: n, k: Integer(0)}, "s"), over=(n, 0, N))
    .step("reach", _REACH, by.linear("reach there", "s there"))
    .step("place", le(i - 1, N - 1, (n, 0, N), (i, 1, n)), by.polynomial())
    .step("each 1", by.instance({n: i - 1}, "inside", "place"), over=((n, 0, N), (i, 1, n)))
    .step("not less", le(0, i - 1, (n, 0, N), (i, 1, n)), by.linear())
    .step("fewer", le(i - 1, n, (n, 0, N), (i, 1, n)), by.polynomial())
    .step("root", by.power(Rational(1, 2), "not less", "fewer"))
    .step("each", le(E(Abs(y(i - 1) - a)), _FAR, (n, 0, N), (i, 1, n)), by.linear("each 1", "root"))
    .step("all before", le(_PART, n * _FAR, (n, 0, N)), by.sum_over(i, "each"))
    .step("so far", le(n, N, (n, 0, N)), by.polynomial())
    .step("most", le(eta * lam0 * N, Rational(1, 101)), by.linear("c1"))
    .step("room", le(eta * lam0 * n, Rational(1, 101), (n, 0, N)), by.linear("most", "so far"))
    .step("all", le(E(Abs(y(n) - a)), _FAR, (n, 0, N)), by.linear("reach", "all before", "room"))
    .qed(_L10, by.instance({n: n}, "all", "c4"), name="there")
)

# J ----------------------------------------------------------------------------------------------------------------

_J, _CJ, _BJ = catalogued("sfl/J@corrected", E(y(N)))
J = (
    proof("sfl/J", "App. C.2", of="sfl/J@corrected", bound=_BJ, reading=READING, unused=("c3",))
    .under(*_CJ, *RUN, *LAW, SYMMETRIC, FAIR)
    .steps(_EVEN)
    .qed(_J, by.apply(one_round.J, AT, "first", "step", "s", "c2", "c1", "c4", "even", "fair", *(e.id for e in LAW)),
        inserting=_WORDS, name="round")
)
_TWO, _C2, _B2 = catalogued("sfl/J-two@strengthened", E(y(N)))
_SIDE = (n, 0, oo)
_LEAST = le(n * (2 - n), E(Abs(S(n))))
TWO = (
    proof("sfl/J-two", "App. C.2", of="sfl/J-two@strengthened", bound=_B2, reading=READING, unused=("c3",))
    .under(*_C2, *RUN, *(e for e in LAW if e.id not in ("fair hit", "hit next", "hit start")), SYMMETRIC, FAIR)
    .steps(_EVEN)
    .step("size start", eq(Abs(S(0)), 0), by.linear(), inserting="sums")
    .step("size 0", by.expectation("size start"))
    .step("tie 0", by.expectation("hit zero"))
    .step("recursion", by.apply(signs.RECURSION, {signs.size(n): Abs(S(n))}), inserting="sums")
    .step("first size", by.instance({n: Integer(0)}, "recursion"))
    .step("one", le(1, E(Abs(S(1)))), by.linear("first size", "size 0", "tie 0"))
    .step("recursion 1", by.instance({n: n + 1}, "recursion"))
    .step("later", le(E(Abs(S(n + 1))), E(Abs(S(n + 2))), _SIDE), by.linear("recursion 1"))
    .step("one more", le(1, E(Abs(S(n + 2))), _SIDE), by.linear("later"), assuming=le(1, E(Abs(S(n + 1)))))
    .step("at least one", le(1, E(Abs(S(n + 1))), _SIDE), by.induction(n, "one", "one more"))
    .step("at 0", _LEAST.at({n: Integer(0)}), by.linear("size 0"))
    .step("beyond", on(_LEAST.at({n: n + 1}), _SIDE), by.linear("at least one"))
    .step("least", on(_LEAST, _SIDE), by.induction(n, "at 0", "beyond"))
    .step("places", le(n, N - 1, STEPS), by.polynomial())
    .step("few", le(n, 1, STEPS), by.linear("places", "c5"))
    .step("square 0", le(0, Integer(0)), by.linear())
    .step("square next", le(n + 1, (n + 1) ** 2, _SIDE), by.linear())
    .step("square", le(n, n**2, _SIDE), by.induction(n, "square 0", "square next"))
    .step("none", le(0, n, _SIDE), by.linear())
    .step("root", by.power(Rational(1, 2), "none", "square"))
    .step("stray", le(sqrt(n), E(Abs(S(n))), STEPS), by.linear("root", "least", "few"))
    .step("summed",
        by.apply(one_round.SUMMED, {theta: Integer(1), **AT}, "first", "step", "s", "c2", "c1", "unit", "fair sum",
            "even", "fair", "stray"), inserting=_WORDS)
    .step("2", by.antisymmetry("c5", "c4"))
    .step("roots", eq(one_round.ahead.roots(N - 1), 1), by.linear(), inserting="2")
    .step("steps", le(0, N), by.linear())
    .step("root N", by.power(Rational(1, 2), "steps", "c5"))
    .step("size of it", le(N ** Rational(3, 2), 2 * sqrt(2)), by.linear("root N", "c5"))
    .step("number", le(Rational(17, 50) * sqrt(2), Rational(489, 1000)), by.ball(()))
    .qed(
        _TWO,
        by.linear(
            {
                "summed": 1,
                "roots": -Rational(489, 1000) * eta**2 * lam0 * sigma,
                "size of it": Rational(17, 100) * eta**2 * lam0 * sigma,
                "number": eta**2 * lam0 * sigma,
            }
        ),
        name="round",
    )
)

# A negative start -----------------------------------------------------------------------------------------------------

_BEHIND = find("sfl/J-behind@printed").bounds[0]
_RATIO, _IF = statement_of(_BEHIND, E(y(N)) / -u, {notation.x0: -u})
BEHIND = (
    proof("sfl/J-behind", "App. C.2", of="sfl/J-behind@printed", bound=_BEHIND, reading={notation.x0: -u},
        unused=("c3",))
    .under(*_IF)
    .given("first", eq(y(0), -u), "the round starts left of 0")
    .under(STEP, PULL, FAIR)
    .step("mean", le((1 - one_round.SHRINK) * -u, E(y(N))), by.apply(one_round.BEHIND_0, {H: Integer(1), x0: -u}),
        inserting="pull")
    .qed(_RATIO, by.linear("mean"), name="ratio")
)
THEOREMS = (L10, J, TWO, BEHIND)
