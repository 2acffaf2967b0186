"""Theorem 5 for clients that share the server's iterate (reading B) and a minimiser, while no client's step overshoots.

A step eta of client i overshoots if eta |g|^2 exceeds 2 (f_i - its tangent from x_t) at the minimiser; no step up to
1/L_i does. Then the server comes nearer to the minimiser in every round, even with unequal ratios. The cost is a
factor: one plus the largest ratio that line 9 allows.
"""

from __future__ import annotations

from sympy import Integer, Rational

from fltheory.papers.delta_sgd import bounds as formula
from fltheory.papers.delta_sgd import notation
from fltheory.papers.delta_sgd.convex.proofs.lyapunov import CONVEX, DAMPED, F, f, gap, goal
from fltheory.papers.delta_sgd.convex.proofs.theorem5.floor import ALWAYS, ENOUGH, FIRST, RULE, L_hat, entry, theta
from fltheory.papers.delta_sgd.convex.proofs.theorem5.synchronous import BY_SUM as SYNC_SUM
from fltheory.papers.delta_sgd.convex.proofs.theorem5.synchronous import FIXED as SYNC_FIXED
from fltheory.papers.delta_sgd.convex.proofs.theorem5.theorem5 import (AVERAGE, AVERAGED, GROWTH, SUM, D, S, carried,
    centre, eta, n, weight, x)
from fltheory.papers.delta_sgd.nonconvex.proofs.theorem1 import read
from fltheory.papers.delta_sgd.notation import T, eta_0, m
from fltheory.papers.delta_sgd.rule.proofs.rule import GROWING, most
from fltheory.papers.delta_sgd.smoothness.proofs.facts import EACH, FALLEN, also, i, level, mean, rise, t
from fltheory.proof import Axiom, Given, Member, by, eq, le, proof, statement_of
from fltheory.proof.facts import squares
from fltheory.proof.terms import Dot, Grad, Nonnegative, Positive, Scalar, Total, Val, Vector, family, square

HALF = Rational(1, 2)

# The weighted gaps of one client, in terms of its steps ---------------------------------------------------------------

EARLY = (n, 0, T - 1)
LOWEST = Given("lowest", le(Val(f, goal), Val(f, x(n + 1)), EARLY), "the goal is a minimiser")
_STEPWISE = Total(eta(n + 1) * gap(x(n + 1)), n, 0, T - 1)
_INNER = (n, 0, T - 2)
STEPWISE = (
    proof("delta_sgd/T5-stepwise", "Theorem 5", note="a weight is at most its step times one and the largest ratio")
    .under(CONVEX, GROWTH, DAMPED, SUM, AVERAGE, LOWEST)
    .given("ratios", le(eta(n + 1), most * eta(n), EARLY), "no ratio is above this")
    .step("Jensen", by.apply(AVERAGED))
    .step("ratio", le(carried(n + 1), most * eta(n + 1), EARLY), by.linear("ratios"))
    .step("weights", le(weight(n + 1), (1 + most) * eta(n + 1), _INNER), by.linear("ratio"),
        note="what a weight takes away is dropped")
    .step("terms", le(weight(n + 1) * gap(x(n + 1)), (1 + most) * eta(n + 1) * gap(x(n + 1)), _INNER),
        by.linear("weights", "lowest"))
    .step("sum", by.sum_over(n, "terms"))
    .step("end 1", by.instance({n: T - 1}, "ratio"))
    .step("end 2", le(0, gap(x(T))), by.instance({n: T - 1}, "lowest"))
    .step("end", le((eta(T) + carried(T)) * gap(x(T)), (1 + most) * eta(T) * gap(x(T))), by.linear("end 1", "end 2"))
    .qed(le(S * gap(centre), (1 + most) * _STEPWISE), by.linear("Jensen", "sum", "end"), name="last")
)

_MOST = formula.MOST
_BY_RULE = (CONVEX, *RULE[:3], FIRST, DAMPED, SUM, AVERAGE, LOWEST)
RULED = (
    proof("delta_sgd/T5-stepwise-rule", "Theorem 5", note="from line 9 itself, whatever moved the iterates")
    .under(*_BY_RULE)
    .step("grows", le(GROWTH.relation.left, GROWTH.relation.right, ALWAYS),
        by.apply("delta_sgd/rule-growth", "rule", "ratio"))
    .step("growth", GROWTH.relation, by.instance({n: n}, "grows"))
    .step("below", by.apply(GROWING))
    .step("ratios", by.instance({n: n}, "below"), over=EARLY)
    .qed(le(S * gap(centre), (1 + _MOST) * _STEPWISE), by.apply(STEPWISE, {most: _MOST}), name="last")
)

# The server comes nearer, for any ratios ------------------------------------------------------------------------------

size = family(Positive, "eta")
own_gap = Val(F(i), x(n + 1)) - Val(F(i), goal)
SLOPE = Grad(F(i), x(n + 1))
ROUNDS = (t, 0, T - 1)
SERVER = Given("server", eq(x(n + 1), x(n) - mean(size(i, n) * Grad(F(i), x(n))), (n, 0, T)),
    "the mean of the clients' steps")
KEPT = Given("overshoot", le(size(i, n + 1) * square(SLOPE), 2 * (Dot(SLOPE, x(n + 1) - goal) - own_gap), EACH, EARLY),
    "no client's step overshoots")
_MOVE = size(i, n + 1) * SLOPE
_CLOSER = le(square(x(n + 2) - goal) + 2 * mean(size(i, n + 1) * own_gap), square(x(n + 1) - goal), EARLY)
_SHORT = le(size(i, n + 1) ** 2 * square(SLOPE), 2 * size(i, n + 1) * (Dot(SLOPE, x(n + 1) - goal) - own_gap), EACH,
    EARLY)
CLOSER = (
    proof("delta_sgd/T5-closer", "Theorem 5", note="Jensen's inequality for the server's step, and the tangents at x_t")
    .under(SERVER, KEPT)
    .step("next", by.instance({n: n + 1}, "server"), over=EARLY)
    .step("8", le(square(Total(_MOVE, i, 1, m)), m * Total(square(_MOVE), i, 1, m), EARLY),
        by.apply("delta_sgd/8", {squares.z(squares.a): _MOVE.subs(i, squares.a), squares.N: m}))
    .step("each", _SHORT, by.linear("overshoot"))
    .step("mean", le(mean(_SHORT.left), mean(_SHORT.right), EARLY), by.sum_over(i, "each", weight=1 / m))
    .qed(_CLOSER, by.linear({"8": 1 / m**2, "mean": 1, "next": x(n + 2) + x(n + 1) - mean(_MOVE) - 2 * goal}),
        name="last")
)
_ALL = le(2 * Total(mean(size(i, n + 1) * own_gap), n, 0, T - 1), square(x(1) - goal))
_RISE = -2 * mean(size(i, t + 1) * own_gap.subs(n, t))
TRAVELLED = (
    proof("delta_sgd/T5-travelled", "Theorem 5", note="the distance at the first iterate pays for all rounds")
    .under(SERVER, KEPT)
    .step("closer", by.apply(CLOSER))
    .step("fall", le(square(x(t + 2) - goal), square(x(t + 1) - goal) + _RISE, ROUNDS), by.instance({n: t}, "closer"))
    .step("sum", by.apply(FALLEN, {level(t): square(x(t + 1) - goal), rise(t): _RISE}))
    .step("far", le(0, square(x(T + 1) - goal)), by.sos())
    .qed(_ALL, by.linear("sum", "far"), name="last")
)
SMALL_STEPS = (
    proof("delta_sgd/T5-small-steps", "Theorem 5",
        note="no step up to 1/L overshoots, where every client is L-smooth everywhere")
    .under(Member("class", F(i), L_hat, Integer(0), "A3: convex, and smooth everywhere"))
    .given("small", le(size(i, n + 1), 1 / L_hat, EACH, EARLY), "no step is above 1/L")
    .given("still", eq(Grad(F(i), goal), 0 * goal, EACH), "A6: the goal minimises every client's objective")
    .step("bend", le(square(SLOPE) / L_hat, 2 * (Dot(SLOPE, x(n + 1) - goal) - own_gap), EACH, EARLY),
        by.linear("class", (2, Axiom("cocoercive", F(i), goal, x(n + 1))),
            still=(2 * SLOPE - Grad(F(i), goal)) / L_hat))
    .step("length", le(0, square(SLOPE), EACH, EARLY), by.sos())
    .qed(KEPT.relation, by.linear("bend", "small", "length"), name="last")
)

part = family(Scalar, "q")
SWAPPED = proof("delta_sgd/swapped", "Theorem 5", note="the mean over the clients of sums over the rounds").qed(
    eq(mean(Total(part(i, n), n, 0, T - 1)), Total(mean(part(i, n)), n, 0, T - 1)), by.linear())

# The rate ---------------------------------------------------------------------------------------------------------------------

average, total = family(Vector, "x_tilde"), family(Positive, "S")
OF_CLIENT = {
    f: F(i),
    eta(n): size(i, n),
    entry(n): family(Positive, "entry")(i, n),
    theta(n): family(Nonnegative, "theta")(i, n),
    S: total(i),
    centre: average(i),
}
_GAP = Val(F(i), average(i)) - Val(F(i), goal)
_BEFORE_IT = size(i, 1) ** 2 / size(i, 0) * (Val(F(i), x(0)) - Val(F(i), goal))
_LEAST = formula.LEAST.subs(notation.L_hat, L_hat)
_ROOM = T * _LEAST + _LEAST**2 / eta_0
_EACH_FLAT = le(total(i) * _GAP, (1 + _MOST) * Total(size(i, n + 1) * own_gap, n, 0, T - 1), EACH)
_STEPS = read((*RULE[:4], FIRST, SUM, AVERAGE), OF_CLIENT, (EACH,))
_RATE, _CONDITIONS = statement_of(formula.T5_SHARED, mean(_GAP), {notation.L_hat: L_hat})
SHARED = (
    proof("delta_sgd/T5-B-common", "Theorem 5", of="delta_sgd/T5-B-common@corrected", bound=formula.T5_SHARED,
        reading={notation.L_hat: L_hat}, note="clients that share the server's iterate and a minimiser")
    .under(Member("convex", F(i), None, Integer(0), "A3: every client's objective is convex"), SERVER, *_STEPS, KEPT,
        *_CONDITIONS)
    .given("lowest", le(Val(F(i), goal), Val(F(i), x(n)), EACH, (n, 0, T)),
        "A6: the goal minimises every client's objective")
    .given("below", le(Val(F(i), goal), Val(F(i), average(i)), EACH), "A6")
    .given("constant", eq(D, square(x(1) - goal) + square(x(1) - x(0)) / 2 + 2 * mean(_BEFORE_IT)), "(41)")
    .step("low", by.instance({n: n + 1}, "lowest"), over=(EACH, EARLY))
    .step("one", by.apply(RULED, OF_CLIENT), note="Jensen's inequality for each client")
    .step("all", le(mean(_EACH_FLAT.left), mean(_EACH_FLAT.right)), by.sum_over(i, "one", weight=1 / m))
    .step("far", by.apply(TRAVELLED))
    .step("swapped", by.apply(SWAPPED, {part(i, n): size(i, n + 1) * own_gap}))
    .step("steps S", by.apply(ENOUGH, OF_CLIENT))
    .step("room", le(_ROOM * _GAP, total(i) * _GAP, EACH), by.linear("steps S", "below"))
    .step("room all", le(_ROOM * mean(_GAP), mean(total(i) * _GAP)), by.sum_over(i, "room", weight=1 / m))
    .step("begun 1", by.instance({n: 0}, "lowest"))
    .step("begun 2", le(0, _BEFORE_IT, EACH), by.linear("begun 1"))
    .step("begun", le(0, mean(_BEFORE_IT)), by.sum_over(i, "begun 2", weight=1 / m))
    .step("moved", le(0, square(x(1) - x(0))), by.sos())
    .step("distance", le(square(x(1) - goal), D), by.linear("begun", "moved", "constant"))
    .step("summed", le(_ROOM * mean(_GAP), (1 + _MOST) * D / 2),
        by.linear("room all", "all", "far", "swapped", "distance"))
    .qed(_RATE, by.linear("summed"), name="last")
)

# Clients with equal steps ---------------------------------------------------------------------------------------------

EQUAL = also("delta_sgd/T5-B-equal", SYNC_FIXED, "delta_sgd/T5-B-equal@corrected", "steps that agree are a common step")
EQUAL_SUM = also("delta_sgd/T5-B-equal-sum", SYNC_SUM, "delta_sgd/T5-B-equal@strengthened",
    "steps that agree are a common step")

THEOREMS = (STEPWISE, RULED, CLOSER, TRAVELLED, SMALL_STEPS, SWAPPED, SHARED, EQUAL, EQUAL_SUM)
