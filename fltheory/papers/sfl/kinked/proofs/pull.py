"""The mean decrease of a step, (8) and (9), and a round that starts left of 0, (11), for any gradient perturbation.

The paper's Term 1 and Term 2 are the parts of x with a positive and a nonpositive sum W of signs. With W = 0 split
evenly, by the share J = (1 + 1{W >= 0} - 1{-W >= 0}) / 2, their probabilities are 1/2 without Lemmas 9 and 13.
"""

from __future__ import annotations

from sympy import Abs, Integer, Rational, Symbol

from fltheory.papers.sfl.kinked.proofs.walk import (AHEAD, CAPPED, CLIENTS, DRIFT, DRIFTS, EVER, MORE, MOVES, NEAR,
    START, STEPS, UNROLLED, USES, B, H, W, added, before, c, i, j, k, moved, nu, p, s, weighed, x, x0)
from fltheory.papers.sfl.notation import M, eta, lam, lam0
from fltheory.proof import Given, by, eq, le, line, proof
from fltheory.proof.terms import E, Indicator

theta = Symbol("theta", nonnegative=True)
r = Symbol("r", integer=True, nonnegative=True)
PART = (c, 0, M - 1 - r)
_here, _now = x(i, j), x(c + 1, k)
_STEEP = (
    line("steep ahead", le(1010 * lam * AHEAD, lam0 * AHEAD), by.linear("steep", "mean ahead")),
    line("steep spread", le(1010 * lam * START * s(c, k), lam0 * START * s(c, k), CLIENTS, STEPS), by.linear("steep")),
)
_START = tuple(t for t in CAPPED if t.id in ("ahead", "mean ahead"))
_SIGNS = (
    line("plus", le(_now, Abs(_now), CLIENTS, STEPS), by.fact("abs", _now)),
    line("right of it", le(p(c + 1, k), lam * _now, CLIENTS, STEPS), by.linear("plus", "steep"), inserting="pull",
        note="c(x) x <= lam x"),
)
_MOVE = line("moved", DRIFT.statement, by.apply(DRIFT, *USES), inserting=("noise", "pull"))
_CLOSE = line("close", le(_now - x0, moved(c + 1, k), CLIENTS, STEPS), by.fact("abs", _now - x0))
EVERYWHERE = (
    proof("sfl/kink-pull", "(9)", note="1.01 / 1010 is 1/1000").under(*MOVES)
    .steps(_MOVE, *_START, *_STEEP, *_SIGNS, _CLOSE)
    .step("each", le(H * p(c + 1, k), lam * (H * x0 + H * moved(c + 1, k)), CLIENTS, STEPS),
        by.linear("right of it", "close"))
    .step("mean", le(E(H * p(c + 1, k)), lam * (AHEAD + weighed(c + 1, k)), CLIENTS, STEPS), by.expectation("each"))
    .qed(le(E(H * p(c + 1, k)), lam0 / 1000 * (AHEAD + eta * nu * START * s(c, k)), CLIENTS, STEPS),
        by.linear("mean", "moved", "steep ahead", "steep spread"), name="taken")
)

_UP, _DOWN = Indicator(W(c, k)), Indicator(-W(c, k))
J = (1 + _UP - _DOWN) / 2
EVEN = Given("even", eq(E(H * x0 * _UP), E(H * x0 * _DOWN), PART, STEPS), "the signs' sum is symmetric, given the past")
CENTRED = Given("centred", eq(E(H * W(c, k)), 0, PART, STEPS), "the signs have mean zero, given the past")
STRAY = Given("stray", le(theta * s(c, k), E(Abs(W(c, k))), PART, STEPS), "how far the signs stray at least")
_FIRST = J * H * x0 + eta * lam0 * H * before(moved) - eta * nu * H * (W(c, k) + Abs(W(c, k))) / 2
_SECOND = (1 - J) * H * x0 + H * moved(c + 1, k)
_WHERE = (PART, STEPS)
AWAY = (
    proof("sfl/kink-pull-back", "(8)").under(*MOVES, EVEN, CENTRED, STRAY)
    .steps(_MOVE, DRIFTS, *CAPPED, *_STEEP, *_SIGNS, _CLOSE, *NEAR)
    .step("minus", by.fact("abs", -_now), over=(CLIENTS, STEPS))
    .step("left of it", le(p(c + 1, k), lam0 * _now, CLIENTS, STEPS), by.linear("minus", "steep"), inserting="pull",
        note="c(x) x <= lam0 x")
    .step("up at most", le(_UP, 1), by.fact("indicator", W(c, k)))
    .step("down at most", le(_DOWN, 1), by.fact("indicator", -W(c, k)))
    .step("share", le(0, J), by.linear("down at most"))
    .step("rest", le(J, 1), by.linear("up at most"))
    .step("split", le(H * p(c + 1, k), lam0 * J * H * _now + lam * (1 - J) * H * _now, *_WHERE),
        by.linear("left of it", "right of it", "share", "rest"), note="(5)")
    .step("near, times", le(B * Abs(_here), B * (Abs(x0) + moved(i, j)), *EVER), by.linear("near", "steep"))
    .step("held", le(-H * p(i, j), lam0 * H * moved(i, j), *EVER), by.linear("under", "near, times", "known", "ahead"),
        inserting="pull", note="-c(x) x <= lam0 |x - x0| where x0 >= 0")
    .steps(*added("held", lambda m, q: -H * p(m, q), lambda m, q: lam0 * H * moved(m, q)))
    .step("some", le(0, H * moved(i, j), *EVER), by.linear())
    .steps(*added("some", lambda m, q: Integer(0), lambda m, q: H * moved(m, q)))
    .step("unrolled", by.apply(UNROLLED), inserting="noise")
    .step("positive part", eq(W(c, k) * _UP, (W(c, k) + Abs(W(c, k))) / 2), by.fact("indicator", W(c, k)))
    .step("negative part", eq(-W(c, k) * _DOWN, (-W(c, k) + Abs(W(c, k))) / 2), by.fact("indicator", -W(c, k)))
    .step(
        "first term",
        le(J * H * _now, _FIRST, *_WHERE),
        by.linear(
            {
                "unrolled": J * H,
                "held, sum": eta * J,
                "some, sum": eta * lam0 * (1 - J),
                "positive part": -eta * nu * H / 2,
                "negative part": -eta * nu * H / 2,
            },
            "share",
            "rest",
        ),
        note="(6)",
    )
    .step("second term", le((1 - J) * H * _now, _SECOND, *_WHERE), by.linear("close", "share", "rest"), note="(7)")
    .step("both", le(H * p(c + 1, k), lam0 * _FIRST + lam * _SECOND, *_WHERE),
        by.linear("split", "first term", "second term"))
    .step("mean", by.expectation("both"))
    .qed(
        le(
            E(H * p(c + 1, k)),
            Rational(501, 1000) * lam0 * AHEAD - (theta / 2 - Rational(11, 1000)) * lam0 * eta * nu * START * s(c, k),
            *_WHERE,
        ),
        by.linear(
            {
                "mean": 1,
                "even": (lam0 - lam) / 2,
                "centred": -lam0 * eta * nu / 2,
                "apart": -lam0 * eta * nu / 2,
                "stray": lam0 * eta * nu * START / 2,
                "drifts": eta * lam0**2,
                "room ahead": lam0 / 100,
                "room spread": lam0 * MORE / START,
                "moved": lam,
                "steep ahead": Rational(51, 101000),
                "steep spread": eta * nu / 1000,
                "mean ahead": lam0 / 2525,
            }
        ),
        name="inserted",
        note="(8): 1/2 + 1/10100 + 51/101000 <= 501/1000",
    )
)
THEOREMS = (EVERYWHERE, AWAY)
