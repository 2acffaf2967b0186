"""The game of two states with an ample budget, as its claim states it: the client with a gradient gets all it can.

The symbols are those of ``game_binding``.
"""

from __future__ import annotations

from sympy import Abs, Symbol

from fltheory.papers.osmd.heterogeneity.proofs import game_two as two
from fltheory.papers.osmd.heterogeneity.proofs.game import (NODES, at, courses, dear, dearest, far, low, node, nodes,
    visits)
from fltheory.papers.osmd.heterogeneity.proofs.game_binding import (HALF, STATES, chance, mean, moves,
    no_cheaper_than_u, norm, odds, side, u, v)
from fltheory.papers.osmd.mirror.proofs.floor import of
from fltheory.papers.osmd.mirror.proofs.lemmas import SQUARE
from fltheory.papers.osmd.notation import T, alpha, beta
from fltheory.papers.osmd.regret.proofs.paths import ROUNDS, t
from fltheory.proof import by, eq, le, lt, proof
from fltheory.proof.facts.notation import P, Q
from fltheory.proof.terms import Indicator, Scalar, Total, family

PLACE = "the game of two states"
x = family(Scalar, "x")
_LATER = (t, 1, T - 1)
_step = Abs(x(t + 1) - x(t))
MOVES = (
    proof("osmd/I9-moves", PLACE, note="a policy above the floor keeps to the ample budget, whatever it does")
    .given("low", le(-(1 - alpha) / 2, x(t), ROUNDS),
        "x: how far the first client's probability is above 1/2; its floor")
    .given("high", le(x(t), (1 - alpha) / 2, ROUNDS), "and that of the second client")
    .given("ample", le(2 * (1 - alpha) * (T - 1), beta), "the budget is ample")
    .step("low then", by.instance({t: t + 1}, "low"), over=_LATER)
    .step("high then", by.instance({t: t + 1}, "high"), over=_LATER)
    .step("up", le(x(t + 1) - x(t), 1 - alpha, _LATER), by.linear({"high then": 1, "low": 1}))
    .step("down", le(x(t) - x(t + 1), 1 - alpha, _LATER), by.linear({"high": 1, "low then": 1}))
    .step("each", by.absolute("up", "down"))
    .step("all", le(Total(_step, t, 1, T - 1), (T - 1) * (1 - alpha)), by.sum_over(t, "each"))
    .qed(le(2 * Total(_step, t, 1, T - 1), beta), by.linear({"all": 2, "ample": 1}))
)
small, large = Symbol("low", positive=True), Symbol("high", positive=True)
INVERSE = (
    proof("osmd/inverse", PLACE, note="reciprocals of positive numbers")
    .given("order", le(small, large), "two positive numbers")
    .qed(le(1 / large, 1 / small), by.linear({"order": 1 / (small * large)}))
)
_TOP, _REACH = 1 - alpha / 2, (1 - alpha) / 2
_VALUE = mean(chance, dear)
_ROOM = _REACH - Abs(u(low))
_FAR, _DEAR, _BEST = at(far, t), at(dearest, t), at(dear, t)
_start, _line, _c = of("osmd/I9-ample@explicit", _VALUE, name="osmd/I9-ample")
AMPLE = (
    _start.under(*STATES)
    .given("alpha", le(alpha, 1), "the floor is at most the uniform law")
    .given("chance", eq(chance(node), HALF + side(node) * v(node), NODES), "v is the best policy: what it draws with")
    .given("floor", le(Abs(v(node)), _REACH, NODES), "both clients are above the floor")
    .given("top", le(dear, courses), "the course that is the dearest with v")
    .given("odds", eq(odds(node), HALF + side(node) * u(node), NODES), "u is another policy: what it draws with")
    .given("favours", eq(u(node), side(node) * _REACH, NODES), "it gives the client that has the gradient all it can")
    .given("far", le(far, courses), "the course in which u moves most")
    .given("low", le(low, nodes), "the node at which u is the furthest from 1/2")
    .given("dearest", le(dearest, courses), "the course that is the dearest with u")
    .given(
        "best",
        le(Indicator(beta - moves(u, far)) * Indicator(_ROOM) * (_VALUE - mean(odds, dearest)), 0),
        "v is the best policy: in its dearest course u is no cheaper, unless it moves too far or goes below the floor",
    )
    .under(*_c)
    .step("reach", le(0, _REACH), by.linear({"alpha": HALF}))
    .step("square 1", le(0, (1 - side(node)) ** 2, NODES), by.apply(SQUARE, {P: 1 - side(node), Q: 0}))
    .step("square 2", by.apply(SQUARE, {P: 1 + side(node), Q: 0}), over=NODES)
    .step("side high", le(0, 1 - side(node), NODES), by.linear({"square 1": HALF, "sides": HALF}))
    .step("side low", le(0, 1 + side(node), NODES), by.linear({"square 2": HALF, "sides": HALF}))
    .step("u high", le(u(node), _REACH, NODES), by.linear({"favours": 1, "side high": _REACH}, "reach"))
    .step("u low", le(-_REACH, u(node), NODES), by.linear({"favours": -1, "side low": _REACH}, "reach"))
    .step("u down", le(-u(node), _REACH, NODES), by.linear("u low"))
    .step("u size", by.absolute("u high", "u down"))
    .steps(*visits("far", far, "far"))
    .step("far high u", by.instance({node: _FAR}, "u high", "far low", "far high"))
    .step("far low u", by.instance({node: _FAR}, "u low", "far low", "far high"))
    .step("moved", by.apply(MOVES, {x(t): u(_FAR)}))
    .step("slack", le(0, beta - moves(u, far)), by.linear("moved"))
    .step("low size", by.instance({node: low}, "u size", "low"))
    .step("room", le(0, _ROOM), by.linear("low size"))
    .steps(no_cheaper_than_u(_VALUE, _ROOM))
    .step("share", lt(0, _TOP), by.linear({"alpha": HALF}))
    .steps(*visits("dear", dearest, "dearest"))
    .step("draws", eq(odds(node), _TOP, NODES), by.linear({"odds": 1, "favours": side(node), "sides": _REACH}))
    .step("dear draws", by.instance({node: _DEAR}, "draws", "dear low", "dear high"))
    .step("pays", eq(1 / odds(_DEAR), 1 / _TOP, ROUNDS), by.linear({"dear draws": -1 / (_TOP * odds(_DEAR))}, "share"))
    .step("paid", eq(Total(1 / odds(_DEAR), t, 1, T), T / _TOP), by.sum_over(t, "pays"))
    .step(
        "at most",
        le(_VALUE, _line.right),
        by.linear({"no cheaper": 1, "paid": norm / (4 * T), "zeta": (1 / _TOP - 1) / 4}, "share"),
    )
    .steps(*visits("best", dear, "top"))
    .step("towards", by.apply(two.ALIGNED, {two.sign: side(node), two.number: v(node)}))
    .step("ceiling", le(chance(node), _TOP, NODES), by.linear({"chance": 1, "towards": 1, "floor": 1}))
    .step("best ceiling", by.instance({node: _BEST}, "ceiling", "best low", "best high"))
    .step("inverse", by.apply(INVERSE, {small: chance(_BEST), large: _TOP}, "best ceiling", "share"))
    .step("rounds", le(T / _TOP, Total(1 / chance(_BEST), t, 1, T)), by.sum_over(t, "inverse"))
    .step(
        "at least", le(_line.right, _VALUE), by.linear({"rounds": norm / (4 * T), "zeta": -(1 / _TOP - 1) / 4}, "share")
    )
    .qed(_line, by.antisymmetry("at most", "at least"))
)

THEOREMS = (MOVES, INVERSE, AMPLE)
