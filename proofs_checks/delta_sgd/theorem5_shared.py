"""Theorem 5 for clients that share the server's iterate (reading B) and a minimiser, while no client's step overshoots.

A step eta of client i overshoots where eta |g|^2 exceeds twice what the tangent at x_t leaves of f_i at the minimiser; none up to
1/L_i does. Then the server comes nearer to the minimiser in every round, and ratios need not be equal. The price is a factor:
one and the largest ratio that line 9 lets the steps have.
"""

from __future__ import annotations

from sympy import Integer, Rational

from fltheory.papers.delta_sgd import bounds as formula
from fltheory.papers.delta_sgd.letters import L_hat as local_smoothness
from fltheory.papers.delta_sgd.letters import T, eta_0, m
from fltheory.proof.language import Apply, Combine, Given, Gram, Instance, Member, Step, Summed, Theorem, eq, le, stated
from fltheory.proof.rules.axioms import Axiom
from fltheory.proof.terms import Dot, Grad, Nonnegative, Positive, Scalar, Total, Val, Vector, family, square
from proofs_checks.delta_sgd.facts import EACH, also, i, level, mean, rise, t
from proofs_checks.delta_sgd.lyapunov import CONVEX, DAMPED, F, f, gap, goal
from proofs_checks.delta_sgd.rule import most
from proofs_checks.delta_sgd.theorem1 import read
from proofs_checks.delta_sgd.theorem5 import AVERAGE, GROWTH, SUM, D, S, carried, centre, collected, eta, n, weight, x
from proofs_checks.delta_sgd.theorem5_floor import ALWAYS, FIRST, RULE, L_hat, entry, theta
from proofs_checks.delta_sgd.theorem5_sync import BY_SUM as SYNC_SUM
from proofs_checks.delta_sgd.theorem5_sync import FIXED as SYNC_FIXED
from proofs_checks.osmd import facts as osmd_facts

HALF = Rational(1, 2)

# The weighted gaps of one client, by those of its steps -----------------------------------------------------------------------

EARLY = (n, 0, T - 1)
LOWEST = Given("lowest", le(Val(f, goal), Val(f, x(n + 1)), EARLY), "the goal is a minimiser")
GROWS = Given("ratios", le(eta(n + 1), most * eta(n), EARLY), "no ratio is above this")
_STEPWISE = Total(eta(n + 1) * gap(x(n + 1)), n, 0, T - 1)
_FLAT = le(S * gap(centre), (1 + most) * _STEPWISE)
_INNER = (n, 0, T - 2)
STEPWISE = Theorem(
    "delta_sgd/T5-stepwise",
    _FLAT,
    (CONVEX, GROWTH, DAMPED, SUM, AVERAGE, LOWEST, GROWS),
    (
        Step(
            "Jensen",
            le(S * gap(centre), collected(T)),
            Apply("delta_sgd/T5-Jensen"),
            ("convex", "growth", "c2", "sum S", "average"),
        ),
        Step(
            "ratio", le(carried(n + 1), most * eta(n + 1), EARLY), Combine({"ratios": eta(n + 1) / eta(n)}), ("ratios",)
        ),
        Step(
            "weights",
            le(weight(n + 1), (1 + most) * eta(n + 1), _INNER),
            Combine({"ratio": 1}),
            ("ratio",),
            note="what a weight takes away is dropped",
        ),
        Step(
            "terms",
            le(weight(n + 1) * gap(x(n + 1)), (1 + most) * eta(n + 1) * gap(x(n + 1)), _INNER),
            Combine({"weights": gap(x(n + 1))}),
            ("weights", "lowest"),
        ),
        Step(
            "sum",
            le(
                Total(weight(n + 1) * gap(x(n + 1)), n, 0, T - 2),
                Total((1 + most) * eta(n + 1) * gap(x(n + 1)), n, 0, T - 2),
            ),
            Summed((n,)),
            ("terms",),
        ),
        Step("end 1", le(carried(T), most * eta(T)), Instance({n: T - 1}), ("ratio",)),
        Step("end 2", le(0, gap(x(T))), Instance({n: T - 1}), ("lowest",)),
        Step(
            "end",
            le((eta(T) + carried(T)) * gap(x(T)), (1 + most) * eta(T) * gap(x(T))),
            Combine({"end 1": gap(x(T))}),
            ("end 1", "end 2"),
        ),
        Step("last", _FLAT, Combine({"Jensen": 1, "sum": 1, "end": 1}), ("Jensen", "sum", "end")),
    ),
    place="Theorem 5",
    note="a weight is at most its step times one and the largest ratio",
)

_MOST = formula.MOST
_BY_RULE = (CONVEX, *RULE[:3], FIRST, DAMPED, SUM, AVERAGE, LOWEST)
_RULED = le(S * gap(centre), (1 + _MOST) * _STEPWISE)
RULED = Theorem(
    "delta_sgd/T5-stepwise-rule",
    _RULED,
    _BY_RULE,
    (
        Step(
            "grows",
            le(GROWTH.relation.left, GROWTH.relation.right, ALWAYS),
            Apply("delta_sgd/rule-growth"),
            ("rule", "ratio"),
        ),
        Step("growth", GROWTH.relation, Instance({n: n}), ("grows",)),
        Step(
            "below",
            le(eta(n + 1), _MOST * eta(n), ALWAYS),
            Apply("delta_sgd/R1-growing"),
            ("first", "begin", "rule", "ratio"),
        ),
        Step("ratios", le(eta(n + 1), _MOST * eta(n), EARLY), Instance({n: n}), ("below",)),
        Step(
            "last",
            _RULED,
            Apply("delta_sgd/T5-stepwise", {most: _MOST}),
            ("convex", "growth", "c2", "sum S", "average", "lowest", "ratios"),
        ),
    ),
    place="Theorem 5",
    note="from line 9 itself, whatever moved the iterates",
)

# The server comes nearer, whatever the ratios ---------------------------------------------------------------------------------

size = family(Positive, "eta")
own_gap = Val(F(i), x(n + 1)) - Val(F(i), goal)
SLOPE = Grad(F(i), x(n + 1))
ROUNDS = (t, 0, T - 1)
SERVER = Given(
    "server", eq(x(n + 1), x(n) - mean(size(i, n) * Grad(F(i), x(n))), (n, 0, T)), "the mean of the clients' steps"
)
KEPT = Given(
    "overshoot",
    le(size(i, n + 1) * square(SLOPE), 2 * (Dot(SLOPE, x(n + 1) - goal) - own_gap), EACH, EARLY),
    "no client's step overshoots",
)
_MOVE = size(i, n + 1) * SLOPE
_DISTANCE = square(x(n + 2) - goal)
_CLOSER = le(_DISTANCE + 2 * mean(size(i, n + 1) * own_gap), square(x(n + 1) - goal), EARLY)
_SHORT = le(
    size(i, n + 1) ** 2 * square(SLOPE), 2 * size(i, n + 1) * (Dot(SLOPE, x(n + 1) - goal) - own_gap), EACH, EARLY
)
CLOSER = Theorem(
    "delta_sgd/T5-closer",
    _CLOSER,
    (SERVER, KEPT),
    (
        Step("next", eq(x(n + 2), x(n + 1) - mean(_MOVE), EARLY), Instance({n: n + 1}), ("server",)),
        Step(
            "8",
            le(square(Total(_MOVE, i, 1, m)), m * Total(square(_MOVE), i, 1, m), EARLY),
            Apply("delta_sgd/8", {osmd_facts.z(osmd_facts.a): _MOVE.subs(i, osmd_facts.a), osmd_facts.N: m}),
        ),
        Step("each", _SHORT, Combine({"overshoot": size(i, n + 1)}), ("overshoot",)),
        Step("mean", le(mean(_SHORT.left), mean(_SHORT.right), EARLY), Summed((i,), 1 / m), ("each",)),
        Step(
            "last",
            _CLOSER,
            Combine({"8": 1 / m**2, "mean": 1, "next": x(n + 2) + x(n + 1) - mean(_MOVE) - 2 * goal}),
            ("8", "mean", "next"),
        ),
    ),
    place="Theorem 5",
    note="Jensen's inequality for the server's step, and the tangents at x_t",
)
_ALL = le(2 * Total(mean(size(i, n + 1) * own_gap), n, 0, T - 1), square(x(1) - goal))
_RISE = -2 * mean(size(i, t + 1) * own_gap.subs(n, t))
TRAVELLED = Theorem(
    "delta_sgd/T5-travelled",
    _ALL,
    (SERVER, KEPT),
    (
        Step("closer", _CLOSER, Apply("delta_sgd/T5-closer"), ("server", "overshoot")),
        Step(
            "fall", le(square(x(t + 2) - goal), square(x(t + 1) - goal) + _RISE, ROUNDS), Instance({n: t}), ("closer",)
        ),
        Step(
            "sum",
            le(square(x(T + 1) - goal), square(x(1) - goal) + Total(_RISE, t, 0, T - 1)),
            Apply("delta_sgd/telescope", {level(t): square(x(t + 1) - goal), rise(t): _RISE}),
            ("fall",),
        ),
        Step("far", le(0, square(x(T + 1) - goal)), Gram()),
        Step("last", _ALL, Combine({"sum": 1, "far": 1}), ("sum", "far")),
    ),
    place="Theorem 5",
    note="the distance at the first iterate pays for all rounds",
)
_GLOBAL = Member("class", F(i), L_hat, Integer(0), "A3: convex, and smooth everywhere")
_UP_TO = Given("small", le(size(i, n + 1), 1 / L_hat, EACH, EARLY), "no step is above 1/L")
_FLOOR = Given("still", eq(Grad(F(i), goal), 0 * goal, EACH), "A6: the goal minimises every client's objective")
_BEND = le(square(SLOPE) / L_hat, 2 * (Dot(SLOPE, x(n + 1) - goal) - own_gap), EACH, EARLY)
SMALL_STEPS = Theorem(
    "delta_sgd/T5-small-steps",
    KEPT.relation,
    (_GLOBAL, _UP_TO, _FLOOR),
    (
        Step(
            "bend",
            _BEND,
            Combine(
                {"still": (2 * SLOPE - Grad(F(i), goal)) / L_hat},
                axioms=((2, Axiom("cocoercive", F(i), goal, x(n + 1))),),
            ),
            ("class", "still"),
        ),
        Step("length", le(0, square(SLOPE), EACH, EARLY), Gram()),
        Step("last", KEPT.relation, Combine({"bend": 1, "small": square(SLOPE)}), ("bend", "small", "length")),
    ),
    place="Theorem 5",
    note="no step up to 1/L overshoots, where every client is L-smooth everywhere",
)

part = family(Scalar, "q")
_SWAPPED = eq(mean(Total(part(i, n), n, 0, T - 1)), Total(mean(part(i, n)), n, 0, T - 1))
SWAPPED = Theorem(
    "delta_sgd/swapped",
    _SWAPPED,
    (),
    (Step("1", _SWAPPED, Combine()),),
    place="Theorem 5",
    note="the mean over the clients of sums over the rounds",
)

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
_LEAST = formula.LEAST.subs(local_smoothness, L_hat)
_ROOM = T * _LEAST + _LEAST**2 / eta_0
_PART = size(i, n + 1) * own_gap
_BOTH = eq(mean(Total(_PART, n, 0, T - 1)), Total(mean(_PART), n, 0, T - 1))
_EACH_FLAT = le(total(i) * _GAP, (1 + _MOST) * Total(size(i, n + 1) * own_gap, n, 0, T - 1), EACH)
_STEPS = read((*RULE[:4], FIRST, SUM, AVERAGE), OF_CLIENT, (EACH,))
_RATE, _CONDITIONS = stated(formula.T5_SHARED, mean(_GAP), {local_smoothness: L_hat})
SHARED = Theorem(
    "delta_sgd/T5-B-common",
    _RATE,
    (
        Member("convex", F(i), None, Integer(0), "A3: every client's objective is convex"),
        SERVER,
        *_STEPS,
        KEPT,
        *_CONDITIONS,
        Given(
            "lowest",
            le(Val(F(i), goal), Val(F(i), x(n)), EACH, (n, 0, T)),
            "A6: the goal minimises every client's objective",
        ),
        Given("below", le(Val(F(i), goal), Val(F(i), average(i)), EACH), "A6"),
        Given("constant", eq(D, square(x(1) - goal) + square(x(1) - x(0)) / 2 + 2 * mean(_BEFORE_IT)), "(41)"),
    ),
    (
        Step("low", le(Val(F(i), goal), Val(F(i), x(n + 1)), EACH, EARLY), Instance({n: n + 1}), ("lowest",)),
        Step(
            "one",
            _EACH_FLAT,
            Apply("delta_sgd/T5-stepwise-rule", OF_CLIENT),
            ("convex", "begin", "rule", "ratio", "first", "c1", "sum S", "average", "low"),
            note="Jensen's inequality for each client",
        ),
        Step("all", le(mean(_EACH_FLAT.left), mean(_EACH_FLAT.right)), Summed((i,), 1 / m), ("one",)),
        Step("far", _ALL, Apply("delta_sgd/T5-travelled"), ("server", "overshoot")),
        Step("swapped", _BOTH, Apply("delta_sgd/swapped", {part(i, n): _PART})),
        Step(
            "steps S",
            le(_ROOM, total(i), EACH),
            Apply("delta_sgd/T5-steps", OF_CLIENT),
            ("first", "begin", "rule", "smooth", "sum S"),
        ),
        Step("room", le(_ROOM * _GAP, total(i) * _GAP, EACH), Combine({"steps S": _GAP}), ("steps S", "below")),
        Step("room all", le(_ROOM * mean(_GAP), mean(total(i) * _GAP)), Summed((i,), 1 / m), ("room",)),
        Step("begun 1", le(Val(F(i), goal), Val(F(i), x(0)), EACH), Instance({n: 0}), ("lowest",)),
        Step("begun 2", le(0, _BEFORE_IT, EACH), Combine({"begun 1": size(i, 1) ** 2 / size(i, 0)}), ("begun 1",)),
        Step("begun", le(0, mean(_BEFORE_IT)), Summed((i,), 1 / m), ("begun 2",)),
        Step("moved", le(0, square(x(1) - x(0))), Gram()),
        Step(
            "distance",
            le(square(x(1) - goal), D),
            Combine({"begun": 2, "moved": HALF, "constant": -1}),
            ("begun", "moved", "constant"),
        ),
        Step(
            "summed",
            le(_ROOM * mean(_GAP), (1 + _MOST) * D / 2),
            Combine(
                {"room all": 1, "all": 1, "far": (1 + _MOST) / 2, "swapped": 1 + _MOST, "distance": (1 + _MOST) / 2}
            ),
            ("room all", "all", "far", "swapped", "distance"),
        ),
        Step("last", _RATE, Combine({"summed": 1 / _ROOM}), ("summed",)),
    ),
    claim="delta_sgd/T5-B-common@corrected",
    reading={local_smoothness: L_hat},
    bound=formula.T5_SHARED,
    place="Theorem 5",
    note="clients that share the server's iterate and a minimiser",
)

# Clients whose steps agree ------------------------------------------------------------------------------------------------------

EQUAL = also("delta_sgd/T5-B-equal", SYNC_FIXED, "delta_sgd/T5-B-equal@corrected", "steps that agree are a common step")
EQUAL_SUM = also(
    "delta_sgd/T5-B-equal-sum", SYNC_SUM, "delta_sgd/T5-B-equal@sharpened", "steps that agree are a common step"
)

THEOREMS = (STEPWISE, RULED, CLOSER, TRAVELLED, SMALL_STEPS, SWAPPED, SHARED, EQUAL, EQUAL_SUM)
