"""Theorem 5.1 in probability: no estimate of any round fails but with probability 1/n, by Bernstein's inequality given the past.

Who answers with which probability is left open as long as a random answer counts at most m_F/kappa: the importance factors w_i
give that, and so do the smaller factors max f_i(e)/m_F, for which nobody needs to know the other values of F.
"""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Expr, Integer, Symbol, exp

from fltheory.bound import Bound
from fltheory.papers.fedcg.bounds import discrete as bounds
from fltheory.papers.fedcg.letters import N, eps, kappa, m_F, n, r
from fltheory.proof import Given, Relation, Step, Theorem, by, eq, le, line, proof, stated
from fltheory.proof.terms import (
    E,
    Indicator,
    Positive,
    RandomInteger,
    RandomNonnegative,
    RandomScalar,
    Total,
    family,
)
from proofs_checks.fedcg import bernstein as one
from proofs_checks.fedcg import facts, tails
from proofs_checks.fedcg import theorem51 as greedy

PLACE = "Theorem 5.1"
t, e, i, j, k = greedy.t, Symbol("e", integer=True, positive=True), one.i, one.j, one.k
ROUNDS, ITEMS, CLIENTS = greedy.ROUNDS, (e, 1, n), one.CLIENTS
gain, coin, chance = family(RandomNonnegative, "gain"), family(RandomScalar, "coin"), one.chance
rate, spent, cap, level = one.rate, one.spent, one.cap, greedy.level


def gains(now: Expr, item: Expr, count: Expr = N) -> Expr:
    """F(e|S_t): the sum of the clients' gains, or of the first of them."""
    return Total(gain(now, j, item), j, 1, count)


def off(now: Expr, item: Expr, count: Expr = N) -> Expr:
    """What the estimate is off that: the answers count 1/kappa_i times."""
    return Total(coin(now, j) * gain(now, j, item) / chance(j) - gain(now, j, item), j, 1, count)


def estimate(now: Expr, item: Expr) -> Expr:
    """X(t, e): what the server adds up."""
    return gains(now, item) + off(now, item)


def excess(sign: int, now: Expr, item: Expr) -> Expr:
    """Positive only where an estimate fails on this side."""
    return sign * rate * off(now, item) - spent * gains(now, item) - level


def law(sign: int) -> Given:
    """Fresh coins: client k + 1 answers with its probability, given the rounds before and the answers before it."""
    before = exp(sign * rate * off(t, e, k) - spent * gains(t, e, k + 1))
    after = exp(sign * rate * off(t, e, k + 1) - spent * gains(t, e, k + 1))
    return Given(
        "coins up" if sign > 0 else "coins down",
        eq(E(after), E(before * one.mixture(sign, gain(t, k + 1, e), chance(k + 1))), ROUNDS, ITEMS, one.ORDER),
        "fresh coins: client k + 1 answers with its probability, given S_t and the answers before it",
    )


FRESH = (
    Given("certain", le(chance(i), 1, CLIENTS), "probabilities"),
    Given(
        "range",
        le((1 - chance(i)) * gain(t, i, e), (1 - chance(i)) * chance(i) * cap, ROUNDS, ITEMS, CLIENTS),
        "a random answer, of kappa_i < 1, counts at most cap",
    ),
    law(1),
    law(-1),
)
READING = {one.past: Integer(1), one.gain(i): gain(t, i, e), one.coin(i): coin(t, i)}


def one_side(sign: int) -> tuple[Step, ...]:
    """The chance that an estimate of a round fails on one side, summed over all of them."""
    side = "up" if sign > 0 else "down"
    moment = E(exp(sign * rate * off(t, e) - spent * gains(t, e)))
    failing = exp(-level) * exp(sign * rate * off(t, e) - spent * gains(t, e))
    return (
        line(
            side,
            le(moment, 1, ROUNDS, ITEMS),
            by.apply(f"fedcg/bernstein-{side}", READING, "certain", "range", "small", "spent", f"coins {side}"),
        ),
        line(f"{side} fails", le(E(failing), exp(-level), ROUNDS, ITEMS), by.combine({side: exp(-level)})),
        line(
            f"{side} of all",
            le(Total(Total(E(failing), e, 1, n), t, 0, r - 1), r * n * exp(-level)),
            by.summed((e, t), f"{side} fails"),
        ),
    )


def failing(now: Expr, item: Expr) -> Expr:
    """What is above 1 where an estimate fails, on either side."""
    return exp(excess(1, now, item)) + exp(excess(-1, now, item))


FAILS = Total(Total(failing(t, e), e, 1, n), t, 0, r - 1)
TAILS = (
    proof("fedcg/S6-tails", PLACE, note="all 2 r n tails: in the mean they add up to at most 2 r n exp(-level)")
    .under(*FRESH, *one.RATE)
    .steps(*one_side(1), *one_side(-1))
    .qed(le(E(FAILS), 2 * r * n * exp(-level)), by.combine({"up of all": 1, "down of all": 1}))
)

THEOREMS = (TAILS,)
