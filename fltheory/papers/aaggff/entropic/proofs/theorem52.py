"""Theorem 5.2: AAggFF-D with exact gradients, for any scale L_s of its rate eta_t = L_s sqrt(t / log K).

The regret is in the losses -log(1 + <p, r>): ``grown`` is 1 + <p, r> at the decision of a round, ``other`` at the comparator.
"""

from __future__ import annotations

from sympy import Expr, Rational, Symbol, exp, log, sqrt

from fltheory.model.bound import Bound
from fltheory.papers.aaggff import bounds
from fltheory.papers.aaggff.losses.proofs import entropy as linear
from fltheory.papers.aaggff.losses.proofs.entropy import (CLOSED, DECISIONS, OTHER, RISING, SUM, base, eta, g, logp, q,
    width, z)
from fltheory.papers.aaggff.losses.proofs.facts import CLIENTS, EACH, ROOTS, ROUNDS, SLOPE, a, b, i, j, s, t, whole
from fltheory.papers.aaggff.notation import C1, C2, K, Ls, T
from fltheory.proof import Given, Theorem, by, eq, le, lt, proof, statement_of
from fltheory.proof.terms import Nonnegative, Positive, Scalar, Total, family

PLACE = "Theorem 5.2"
spread = Symbol("spread", nonnegative=True)
V = bounds.V

# The rate that the theorem is tuned to --------------------------------------------------------------------------------

RATES = Given("rates", eq(eta(t), Ls * sqrt(t) / sqrt(log(K)), ROUNDS), "eta_t = L_s sqrt(t / log K)")
LAST = Given("last", eq(eta(T + 1), eta(T)),
    "the decision after the last round is not played: it may have the last rate")
TUNING = (CLIENTS, RATES, LAST, RISING)
_LOW = Given("low", le(base(t), g(t, i), ROUNDS, EACH), "the gradient's entries lie on an interval")
_HIGH = Given("high", le(g(t, i), base(t) + spread, ROUNDS, EACH), "of this length, in every round")
LINEAR = (CLOSED, SUM, _LOW, _HIGH, OTHER, *TUNING)
ROOT = bounds.ROOT


def tuned(size: Expr) -> Expr:
    """Return the bound on the regret for gradients whose entries spread over at most ``size``."""
    return (Ls + size**2 / (4 * Ls)) * ROOT


_cost = spread**2 / (8 * eta(t))
TUNED = (
    proof("aaggff/entropy-tuned", PLACE,
        note="(L_s + H^2/L_s) sqrt(T log K) for the half-span H of the gradients, in linear losses")
    .under(*LINEAR)
    .step("any rate", by.apply(linear.ALL, {width(t): spread}))
    .step("log", le(Rational(1, 2), log(K)), by.apply("aaggff/log-clients", "clients"))
    .step("at last", by.instance({t: T}, "rates"))
    .step("each", eq(_cost, spread**2 * sqrt(log(K)) / (8 * Ls * sqrt(t)), ROUNDS), by.linear("rates", "log"))
    .step("costs", eq(Total(_cost, t, 1, T), spread**2 * sqrt(log(K)) / (8 * Ls) * Total(1 / sqrt(t), t, 1, T)),
        by.sum_over(t, "each"))
    .step("roots", by.apply(ROOTS))
    .qed(le(linear.REGRET, tuned(spread)), by.linear("any rate", "last", "at last", "costs", "roots", "log"))
)

longest = family(Nonnegative, "g max")
RUN = (
    proof("aaggff/T5.2-sizes", PLACE, of="aaggff/T5.2-run@explicit",
        note="with the sizes of a run; eta^(T+1) may be eta^(T)")
    .under(CLOSED, SUM)
    .given("up", le(g(t, i), longest(t), ROUNDS, EACH), "no entry of the gradient is beyond |g|_inf")
    .given("down", le(-longest(t), g(t, i), ROUNDS, EACH), "on either side")
    .under(OTHER, RISING)
    .step("high", le(g(t, i), -longest(t) + 2 * longest(t), ROUNDS, EACH), by.linear("up"))
    .qed(le(linear.REGRET, eta(T + 1) * log(K) + Total(longest(t) ** 2 / (2 * eta(t)), t, 1, T)),
        by.apply(linear.ALL, {base(t): -longest(t), width(t): 2 * longest(t)}))
)

# The losses -log(1 + <p, r>) ------------------------------------------------------------------------------------------

r, grown, other = family(Scalar, "r"), family(Positive, "s"), family(Positive, "s_star")
RANGE = (
    Given("low", le(C1, r(t, i), ROUNDS, EACH), "responses are in [C1, C2]"),
    Given("high", le(r(t, i), C2, ROUNDS, EACH), "and not above"),
)
GROWN = Given("grown", eq(grown(t), 1 + whole(exp(logp(t, j)) * r(t, j)), ROUNDS),
    "1 + <p, r>: the loss is minus its logarithm")
BEST = Given("best", eq(other(t), 1 + whole(q(j) * r(t, j)), ROUNDS), "1 + <q, r> of the comparator")
EXACT = Given("decision", eq(logp(t, i), Total(r(s, i) / grown(s), s, 1, t - 1) / eta(t) - z(t), DECISIONS, EACH),
    "the closed form (12) with the gradients g = -r/(1 + <p, r>)")
REGRET = Total(log(other(t)) - log(grown(t)), t, 1, T)
GRADIENTS = Total(whole(r(t, j) / grown(t) * (q(j) - exp(logp(t, j)))), t, 1, T)
LOSSES = (SUM, GROWN, OTHER, BEST)

A3 = (
    proof("aaggff/A.3", "Corollary A.3", of="aaggff/A.3-entropic@printed",
        note="regret is at most that of the gradients")
    .under(GROWN, BEST)
    .step("1", by.apply(SLOPE, {a: other(t), b: grown(t)}), over=ROUNDS, note="the loss is convex")
    .step("2", le(log(other(t)) - log(grown(t)), whole(r(t, j) / grown(t) * (q(j) - exp(logp(t, j)))), ROUNDS),
        by.linear("1", "grown", "best"))
    .qed(le(REGRET, GRADIENTS), by.sum_over(t, "2"))
)

GROWTH = le(1 + C1, grown(t), ROUNDS)
LEAST = (
    proof("aaggff/growth", "Lemma 4.1", note="1 + <p, r> is at least 1 + C1").under(SUM, GROWN, RANGE[0])
    .step("sum now", eq(whole(exp(logp(t, j))), 1, ROUNDS), by.linear("sum"))
    .step("1", le(C1 * whole(exp(logp(t, j))), whole(exp(logp(t, j)) * r(t, j)), ROUNDS),
        by.sum_over(i, "low", weight=exp(logp(t, i))))
    .qed(GROWTH, by.linear("1", "sum now", "grown"))
)

SETTING = (EXACT, *LOSSES, *RANGE, RATES, LAST, RISING)
SETTING_IDS = tuple(h.id for h in SETTING)
_T52, CONDITIONS = statement_of(bounds.T52_SHARP, REGRET)
_down = -C2 / grown(t)
_slope = -r(t, i) / grown(t)
SHARP = (
    proof("aaggff/T5.2@strengthened", PLACE, of="aaggff/T5.2@strengthened", bound=bounds.T52_SHARP)
    .under(*SETTING, *CONDITIONS)
    .step("convex", by.apply(A3))
    .step("growth", by.apply(LEAST))
    .step("lowest", le(_down, _slope, ROUNDS, EACH), by.linear("high"))
    .step("highest 1", le((C2 - r(t, i)) / grown(t), (C2 - C1) / grown(t), ROUNDS, EACH), by.linear("low"))
    .step("highest 2", le((C2 - C1) / grown(t), V, ROUNDS), by.linear("growth", "c1"))
    .step("highest", le(_slope, _down + V, ROUNDS, EACH), by.linear("highest 1", "highest 2"),
        note="the entries spread over (C2 - C1)/(1 + C1) at most")
    .step("size", le(0, V), by.linear("c1"))
    .step("linear",
        by.apply(TUNED, {g(t, i): _slope, base(t): _down, spread: V}, "decision", "sum", "lowest", "highest", "other",
            "c2", "rates", "last", "rising", "size"))
    .qed(_T52, by.linear("convex", "linear"))
)
_STEP, _ = statement_of(bounds.T52_STEP, REGRET)
_ALL = (*SETTING_IDS, "c1", "c2")
STEP = (
    proof("aaggff/T5.2@explicit", PLACE, of="aaggff/T5.2@explicit", bound=bounds.T52_STEP).under(*SETTING, *CONDITIONS)
    .step("sharp", by.apply(SHARP))
    .step("room", le(0, bounds.L**2 - bounds.H**2), by.linear("c1"))
    .qed(_STEP, by.linear("sharp", "room"), note="the half-span is below the sup-norm")
)


def at_scale(scale: Expr) -> tuple[Given, ...]:
    """Return the setting with a given scale of the rate."""
    rates = Given("rates", RATES.relation.at({Ls: scale}), f"eta_t = {scale} sqrt(t / log K)")
    return tuple(rates if h is RATES else h for h in SETTING)


def special(name: str, bound: Bound, general: str, scale: Expr, note: str) -> Theorem:
    """Specialise a theorem for any scale to one scale."""
    statement, conditions = statement_of(bound, REGRET)
    return (
        proof(name, PLACE, of=name, bound=bound).under(*at_scale(scale), *conditions)
        .step("size", lt(0, scale), by.linear(c1=1 / (2 * (1 + C1))))
        .qed(statement, by.apply(general, {Ls: scale}, *_ALL, "size"), note=note)
    )


PRINTED = special("aaggff/T5.2@printed", bounds.T52, "aaggff/T5.2@explicit", bounds.L, "L_s = L, the paper's choice")
HALF = special("aaggff/T5.2-half@strengthened", bounds.T52_HALF, "aaggff/T5.2@strengthened", bounds.H,
    "L_s = H, the best choice")

THEOREMS = (TUNED, RUN, A3, LEAST, SHARP, STEP, PRINTED, HALF)
