"""Regret against any sequence of the floored simplex in expectation: Proposition 13 with its sharp constants."""

from __future__ import annotations

from collections.abc import Callable

from sympy import Expr, exp

from fltheory.papers.osmd import bounds
from fltheory.papers.osmd.notation import D1, TV, K, M, T, a2, alpha
from fltheory.papers.osmd.regret.proofs.paths import (PATH, ROUNDS, STAYS, floors, from_uniform, gain, gains, logp,
    logq, moves, n, shift, start, sums, t, top, total_move, v)
from fltheory.proof import Given, by, eq, le, proof, statement_of
from fltheory.proof.facts.notation import EACH, j, m, whole
from fltheory.proof.terms import E, RandomNonnegative, RandomScalar, Total, family

# Proposition 13 ---------------------------------------------------------------------------------------------------------

logP, logQ, shifts = (family(RandomScalar, name) for name in ("logp", "logq", "c"))
feedback, count, largest = (family(RandomNonnegative, name) for name in ("a", "N", "amax"))


def seen(now: Expr, client: Expr) -> Expr:
    """Return the weight of a client in the estimated loss (6)."""
    return feedback(now, client) * count(now, client) * exp(-logP(now, client)) / K**2


def loss(logs: Callable[..., Expr], now: Expr) -> Expr:
    """Return the loss (4) of a distribution in a round."""
    return whole(feedback(now, j) * exp(-logs(now, j))) / K


def expected_loss(logs: Callable[..., Expr], last: Expr) -> Expr:
    """Return the expected loss up to a round."""
    return E(Total(loss(logs, t), t, 1, last))


_unbiased = "given the past and a^t, q^t, the count of a client has mean K p: K draws with replacement from p^t"
_weighted = feedback(t, m) * count(t, m) * exp(-logP(t, m))
BANDIT = (
    start(logP),
    sums("sum p", logP, T + 1),
    moves(logP, shifts, gain(seen, logP, t, m)),
    Given("counts", le(count(t, m), K, ROUNDS, EACH), "no client is drawn more than K times"),
    Given("largest", le(feedback(t, m), largest(t), ROUNDS, EACH), "the largest feedback of a round"),
    Given("mean p", eq(E(_weighted * exp(-logP(t, m))), K * E(feedback(t, m) * exp(-logP(t, m))), ROUNDS, EACH),
        _unbiased),
)


def unbiased(logq: Callable[..., Expr]) -> Given:
    """State that the estimated loss of the comparator is unbiased."""
    right = K * E(feedback(t, m) * exp(-logq(t, m)))
    return Given("mean q", eq(E(_weighted * exp(-logq(t, m))), right, ROUNDS, EACH), _unbiased)


COMPARATOR = (sums("sum q", logQ, T), floors(logQ), unbiased(logQ))
SLOPES = M**3 / (K * alpha**3)
REGRET = expected_loss(logP, T) - expected_loss(logQ, T)
READING = {TV: E(total_move(logQ, T)), a2: E(Total(largest(t) ** 2, t, 1, T)), D1: E(from_uniform(logQ))}
P13_STATEMENT, CONDITIONS = statement_of(bounds.P13, REGRET, READING)
P13_SHARP_STATEMENT, _ = statement_of(bounds.P13_SHARP, REGRET, READING)


def steep() -> Expr:
    """Return a bound on the slopes of a round."""
    return SLOPES * largest(t)


_seen = {v(t, m): seen(t, m), logp(t, m): logP(t, m), logq(t, m): logQ(t, m), shift(t): shifts(t), top(t): steep()}


def both(logs: Callable[..., Expr]) -> tuple[Expr, Expr]:
    """Return the expected estimated loss and the expected loss."""
    left = Total(whole(E(feedback(t, j) * count(t, j) * exp(-logP(t, j)) * exp(-logs(t, j)))), t, 1, T)
    return left, K * Total(whole(E(feedback(t, j) * exp(-logs(t, j)))), t, 1, T)


P13_SHARP = (
    proof("osmd/P13@strengthened", "Proposition 13", of="osmd/C-P13@strengthened", bound=bounds.P13_SHARP,
        reading=READING, unused=("c2",), note="Hölder once, Hoeffding's lemma for (51), D(q^1 || uniform)")
    .under(*BANDIT, *COMPARATOR, *CONDITIONS)
    .step("floor p",
        by.apply(STAYS, {logp(t, m): logP(t, m), shift(t): shifts(t), gains(t, m): gain(seen, logP, t, m)}))
    .step("zero", le(0, exp(-logP(t, m)), ROUNDS, EACH), by.linear())
    .step("inverse", le(exp(-logP(t, m)), M / alpha, ROUNDS, EACH), by.linear("floor p"))
    .step("cube", by.power(3, "zero", "inverse"))
    .step("slope", le(seen(t, m) * exp(-2 * logP(t, m)), steep(), ROUNDS, EACH), by.linear("largest", "counts", "cube"),
        note="the sup-norm of the estimated gradient")
    .step("paths", by.apply(PATH, _seen, "start", "sum p", "next", "slope", "sum q", "floor"), note="(52)")
    .step("path", by.instance({n: T}, "paths"))
    .step("mean", by.expectation("path"))
    .step("own", eq(*both(logP)), by.sum_over((m, t), "mean p"))
    .step("other", eq(*both(logQ)), by.sum_over((m, t), "mean q"))
    .qed(P13_SHARP_STATEMENT, by.linear("mean", "own", "other"), name="last")
)

THEOREMS = (P13_SHARP,)
