"""The mirror step on the floored simplex: its closed form (Proposition 12, Lemma 19), (48), (50), (51), one round.

``y`` are the gains: minus the rate times the estimated gradient. Every inequality holds on each path.
"""

from __future__ import annotations

from collections.abc import Callable

from sympy import Abs, Expr, Max, Symbol, exp

from fltheory.papers.osmd.mirror.proofs.lemmas import BACK, FLOOR, HIGH, LAMBDA, LOW, SAME, floored
from fltheory.proof import Given, by, eq, le, proof
from fltheory.proof.facts import divergences
from fltheory.proof.facts.divergences import SPREAD
from fltheory.proof.facts.notation import (EACH, C, P, Q, R, Z, divergence, j, logp, logq, logr, logz, m, simplex,
    whole, y)
from fltheory.proof.papers.taken_over import adopt

PLACE = "proof of Proposition 13"
floor = Symbol("floor", positive=True)

# Proposition 12: the closed form, and its optimality ------------------------------------------------------------------

_KKT = le((exp(R) - exp(Q)) * (R - P), 0)
_UP, _DOWN = (le(floor, exp(P)),), (le(exp(P), floor),)
_LARGER = Max(floor, exp(P))
KKT = (
    proof("osmd/kkt", "Proposition 12, Lemma 19", note="one client of the step max(alpha/M, c p e^y)")
    .given("next", eq(exp(R), _LARGER), "not below the floor")
    .given("floor", le(floor, exp(Q)), "another point")
    .step("free", eq(_LARGER, exp(P)), by.fact("max", _LARGER), assuming=_UP)
    .step("same", eq(exp(R), exp(P)), by.linear("next", "free"), assuming=_UP)
    .step("equal", by.apply(SAME, {P: R, Q: P}), assuming=_UP)
    .step("1", _KKT, by.linear("equal"), assuming=_UP, note="above the floor no multiplier")
    .step("held", eq(_LARGER, floor), by.fact("max", _LARGER), assuming=_DOWN)
    .step("on it", eq(exp(R), floor), by.linear("next", "held"), assuming=_DOWN)
    .step("more", le(exp(P), exp(R)), by.linear("on it"), assuming=_DOWN)
    .step("sign", by.apply(BACK, {P: P, Q: R}), assuming=_DOWN)
    .step("2", _KKT, by.linear("on it", "floor", "sign"), assuming=_DOWN, note="on the floor the multiplier has a sign")
    .qed(_KKT, by.cases("1", "2"))
)

NEXT = Given("next", eq(exp(logr(m)), Max(FLOOR, exp(C + logp(m) + y(m))), EACH),
    "Algorithm 2: max(alpha/M, c p e^y), c = e^C,")
SUM = simplex("sum r", logr)
OTHER = (simplex("sum q", logq), floored("floor q", logq))
_48 = le(whole((exp(logr(j)) - exp(logq(j))) * (logr(j) - logp(j) - y(j))), 0)
OPTIMAL = (
    proof("osmd/48", "(48)", of="osmd/C-48@printed", note="the step's first-order optimality, from its closed form")
    .under(NEXT, SUM, *OTHER)
    .step("each", by.apply(KKT, {P: C + logp(m) + y(m), Q: logq(m), R: logr(m), floor: FLOOR}))
    .step("all", le(whole((exp(logr(j)) - exp(logq(j))) * (logr(j) - (C + logp(j) + y(j)))), 0), by.sum_over(m, "each"))
    .qed(_48, by.linear("all", "sum r", "sum q"), name="last")
)


def objective(logs: Callable[..., Expr]) -> Expr:
    """Return the objective of the mirror step."""
    return divergence(logs, logp) - whole(exp(logs(j)) * y(j))


P12 = (
    proof("osmd/P12", "Proposition 12", of="osmd/C-P12@printed",
        note="the closed form is the minimiser, and any other point is worse by at least D(q || r)")
    .under(NEXT, SUM, *OTHER)
    .step("48", by.apply(OPTIMAL))
    .qed(le(objective(logr) + divergence(logq, logr), objective(logq)), by.linear("48"), name="last",
        note="the three-point identity")
)

# (50): the comparator moves ---------------------------------------------------------------------------------------------

_BETWEEN = (
    Given("p low", le(-LAMBDA, P), "on the floored simplex"),
    Given("p high", le(P, 0), "a probability"),
    Given("z low", le(-LAMBDA, Z), "on the floored simplex"),
    Given("z high", le(Z, 0), "a probability"),
)
_MOVED = exp(Z) - exp(Q)
SHIFT = (
    proof("osmd/shift", "(50)", note="one client").under(*_BETWEEN)
    .step("tangent", by.fact("exp", Z - Q))
    .step("up", by.fact("abs", _MOVED))
    .step("down", by.fact("abs", -_MOVED))
    .step("less", le(0, LAMBDA - Z + P), by.linear("p low", "z high"))
    .step("more", le(0, LAMBDA + Z - P), by.linear("p high", "z low"))
    .qed(le(exp(Z) * (Z - P) - exp(Q) * (Q - P), LAMBDA * Abs(_MOVED) + _MOVED),
        by.linear("tangent", "up", "down", "less", "more"), name="last")
)


def variation(a: Callable[..., Expr], b: Callable[..., Expr]) -> Expr:
    """Return the 1-norm of the difference of two probability vectors."""
    return whole(Abs(exp(b(j)) - exp(a(j))))


MOVE = (
    proof("osmd/50", "(50)", of="osmd/C-50@strengthened",
        note="with log(M/alpha), where the paper has twice that: both logarithms lie in [-log(M/alpha), 0]")
    .under(simplex("sum p", logp), floored("floor p", logp), simplex("sum q", logq), simplex("sum z", logz),
        floored("floor z", logz))
    .step("p low", le(-LAMBDA, logp(m), EACH), by.apply(LOW, {P: logp(m)}))
    .step("z low", by.apply(LOW, {P: logz(m)}))
    .step("p high", le(logp(m), 0, EACH), by.apply(HIGH))
    .step("z high", by.apply(HIGH, {logp(m): logz(m)}))
    .step("each", by.apply(SHIFT, {P: logp(m), Q: logq(m), Z: logz(m)}))
    .step("all",
        le(divergence(logz, logp) - divergence(logq, logp),
            LAMBDA * variation(logq, logz) + whole(exp(logz(j))) - whole(exp(logq(j)))), by.sum_over(m, "each"))
    .qed(le(divergence(logz, logp) - divergence(logq, logp), LAMBDA * variation(logq, logz)),
        by.linear("all", "sum z", "sum q"), name="last")
)

# (51): the largest loss of a step, and one round ----------------------------------------------------------------------

GIBBS = adopt("osmd", divergences.GIBBS, "(51)")
LOSS = adopt("osmd", divergences.GAIN, "(51)", of="osmd/C-51@strengthened", called={"gain": "51"})

ROUND = (
    proof("osmd/mirror-round", "(49)", note="one round against any point of the floored simplex")
    .under(NEXT, SUM, *OTHER, SPREAD)
    .step("48", by.apply(OPTIMAL))
    .step("51", by.apply(LOSS))
    .qed(le(whole(y(j) * (exp(logq(j)) - exp(logp(j)))), divergence(logq, logp) - divergence(logq, logr) + Z),
        by.linear("48", "51"), name="last")
)

THEOREMS = (KKT, OPTIMAL, P12, SHIFT, MOVE, GIBBS, LOSS, ROUND)
