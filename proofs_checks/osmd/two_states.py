"""The game of two states with an ample budget: in each state one of two clients has a gradient, of the same norm.

``best`` is the probability that the best policy gives to that client, on the course where it pays most. With p for this client
V is |grad|^2 (1/p - 1)/4, as the other has no gradient and the mean gradient is half of this one.
"""

from __future__ import annotations

from sympy import Abs, Expr, Symbol

from fltheory.known import find
from fltheory.papers.osmd.letters import T, alpha, beta, zeta_unif
from fltheory.proof import by, eq, le, lt, proof, stated
from fltheory.proof.terms import Positive, Scalar, Total, family
from proofs_checks.osmd.paths import ROUNDS, t

PLACE = "the game of two states"
best, x = family(Positive, "best"), family(Scalar, "x")
norm = Symbol("norm", nonnegative=True)  # |grad|^2
_LATER = (t, 1, T - 1)
_step = Abs(x(t + 1) - x(t))
MOVES = (
    proof(
        "osmd/I9-moves",
        PLACE,
        note="a policy between alpha/2 and 1 - alpha/2 keeps to the ample budget, whatever it does",
    )
    .given("low", le(alpha / 2, x(t), ROUNDS), "the first client's probability is above the floor")
    .given("high", le(x(t), 1 - alpha / 2, ROUNDS), "and the second client's, which is 1 - x")
    .given("ample", le(2 * (1 - alpha) * (T - 1), beta), "the budget is ample")
    .step("low then", le(alpha / 2, x(t + 1), _LATER), by.instance({t: t + 1}, "low"))
    .step("high then", le(x(t + 1), 1 - alpha / 2, _LATER), by.instance({t: t + 1}, "high"))
    .step("up", le(x(t + 1) - x(t), 1 - alpha, _LATER), by.combine({"high then": 1, "low": 1}))
    .step("down", le(x(t) - x(t + 1), 1 - alpha, _LATER), by.combine({"high": 1, "low then": 1}))
    .step("each", le(_step, 1 - alpha, _LATER), by.absolute("up", "down"))
    .step("all", le(Total(2 * _step, t, 1, T - 1), (T - 1) * 2 * (1 - alpha)), by.summed(t, "each", weight=2))
    .qed(le(Total(2 * _step, t, 1, T - 1), beta), by.combine({"all": 1, "ample": 1}))
)
low, high = Symbol("low", positive=True), Symbol("high", positive=True)
INVERSE = (
    proof("osmd/inverse", PLACE, note="reciprocals of positive numbers")
    .given("order", le(low, high), "two positive numbers")
    .qed(le(1 / high, 1 / low), by.combine({"order": 1 / (low * high)}))
)


def paid(chance: Expr) -> Expr:
    """V where the client that has the gradient has this probability."""
    return norm * (1 / chance - 1) / 4


_HIGH = 1 - alpha / 2
_AMPLE = find("osmd/I9-ample@explicit").bound
_VALUE = Total(paid(best(t)), t, 1, T) / T
_STATED, _IF = stated(_AMPLE, _VALUE)
_ROUND = le(paid(_HIGH), paid(best(t)), ROUNDS)
AMPLE = (
    proof("osmd/I9-ample", PLACE, of="osmd/I9-ample@explicit", bound=_AMPLE, unused=("c1",))
    .given("zeta", eq(norm, 4 * zeta_unif**2), "both gradients are half of this one away from their mean")
    .given("alpha", le(alpha, 1), "the floor is at most the uniform law")
    .given("floor", le(alpha / 2, 1 - best(t), ROUNDS), "the other client is above the floor")
    .given(
        "policy",
        le(Total(paid(best(t)), t, 1, T), Total(paid(_HIGH), t, 1, T)),
        "the best policy pays no more than 1 - alpha/2 for the client that has the gradient, which osmd/I9-moves allows",
    )
    .under(*_IF)
    .step("room", lt(0, _HIGH), by.combine({"alpha": 1}))
    .step("share", le(best(t), _HIGH, ROUNDS), by.combine({"floor": 1}))
    .step(
        "inverse",
        le(1 / _HIGH, 1 / best(t), ROUNDS),
        by.apply("osmd/inverse", {low: best(t), high: _HIGH}, "share", "room"),
    )
    .step("round", _ROUND, by.combine({"inverse": norm / 4}))
    .step("rounds", le(Total(paid(_HIGH), t, 1, T), Total(paid(best(t)), t, 1, T)), by.summed(t, "round"))
    .step("same", eq(Total(paid(best(t)), t, 1, T), Total(paid(_HIGH), t, 1, T)), by.squeezed("policy", "rounds"))
    .qed(_STATED, by.combine({"same": 1 / T, "zeta": (1 / _HIGH - 1) / 4}, "room"))
)

THEOREMS = (MOVES, INVERSE, AMPLE)
