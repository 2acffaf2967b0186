"""Theorem 4.3 and S5: FedCG+ over any number of rounds, each with the local steps of ``local``.

The symbols are those of Theorem 3.5; T counts the rounds, R = T/tau in the paper. Estimates have an error of at most
sigma. If this holds only with probability 1 - delta_est, the statements hold with probability 1 - delta - delta_est.
"""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Expr, Rational, sqrt

from fltheory.model.bound import Bound
from fltheory.papers.fedcg import bounds, notation
from fltheory.papers.fedcg.facts import algebra
from fltheory.papers.fedcg.guarantees.proofs import partial
from fltheory.papers.fedcg.guarantees.proofs.partial import (GAINED, LETTERS, PAIRS, SHARE, SUM_NOISE, G, V, direction,
    largest, mean_gamma, noise, v)
from fltheory.papers.fedcg.guarantees.proofs.theorem32 import FACTOR, FACTOR_SIGN, ROUNDS, SHORT, each_round, left, t
from fltheory.papers.fedcg.local.proofs import local as local_round
from fltheory.papers.fedcg.local.proofs.local import c
from fltheory.papers.fedcg.notation import OPT, B, K, N, Q, T, delta, deviations, eta, m_F, n, r, sigma, weighted
from fltheory.papers.fedcg.points.proofs import lemmas as one
from fltheory.papers.fedcg.points.proofs.lemmas import LAW, e, i, p
from fltheory.proof import Given, Relation, by, eq, le, line, proof, statement_of
from fltheory.proof.algebra.replacing import substitute_relation
from fltheory.proof.language import Range
from fltheory.proof.terms import E, Indicator, Nonnegative, RandomNonnegative, RandomScalar, Total, family

near, found = family(RandomScalar, "near"), family(RandomScalar, "found")
step, local, drift, lipschitz = (family(RandomNonnegative, name) for name in ("step", "local", "drift", "L"))
LOCAL_LETTERS = {
    **LETTERS,
    B: drift(t),
    local_round.near(i, c, e): near(t, i, c, e),
    local_round.found(i, c, e): found(t, i, c, e),
    local_round.step(i, c, e): step(t, i, c, e),
    local_round.local(i, e): local(t, i, e),
    local_round.other(i, e): v(t, i, e),
}


def claim(relation: Relation, reading: Mapping[Expr, Expr], *inner: Range) -> Relation:
    """Return a theorem of one round as a statement on every round, and on every client."""
    now = substitute_relation(relation, list(reading.items()))
    return Relation(now.left, now.op, now.right, (ROUNDS, *inner, *now.over))


_ALONG = Total(Total(p(i) * local(t, i, e), i, 1, N) * G(t, e, 0), e, 1, n)
_RISE = Total(direction(t, e) * G(t, e, 0), e, 1, n)
_LOCAL = tuple(h for h in local_round.LOCAL if h.id != "feasible")
RUN = (
    *each_round(*one.ROUND, one.RANK, one.NEAR, reading=LETTERS),
    *(Given(f"local {h.id}", h.relation, h.why) for h in each_round(*_LOCAL, reading=LOCAL_LETTERS, inner=(one.CLIENTS,))),
    *each_round(local_round.LOCAL_RANK, reading=LOCAL_LETTERS),
    Given("noise", eq(noise(t), _RISE - _ALONG, ROUNDS), "what the draws make of the mean of the local directions"),
    Given("next", eq(V(t, n), V(t + 1, 0), ROUNDS), "the next iterate is the end of the step"),
    Given("first", eq(V(0, 0), 0), "the first iterate is 0, and f(0) = 0"),
    *SHORT,
)
IDS = tuple(h.id for h in RUN)
LOCAL_IDS = tuple(f"local {h.id}" for h in _LOCAL)


def allowed(now: Expr) -> Expr:
    """Return the cost of estimates and local steps in a round."""
    return 2 * r * sigma + r * drift(now)


def _added(now: Expr) -> Expr:
    return eta * (r * mean_gamma(now) + allowed(now) - noise(now)) + eta**2 * m_F * r**2 / 2


SIGMA = 2 * r * sigma * (1 - FACTOR**T)
CURVED = eta * r**2 * m_F * (1 - FACTOR**T) / 2
_PATH = le(GAINED - V(T, 0), eta * r * left(mean_gamma) + eta * r * left(drift) + SIGMA + CURVED - eta * SUM_NOISE)
PATH = (
    proof("fedcg/run-plus", "Theorem 4.3", note="for every outcome of the draws and of the local samples")
    .under(LAW, *RUN)
    .step("round", by.apply(one.ONE_ROUND, LETTERS))
    .step("client", by.apply(local_round.S5B, LOCAL_LETTERS))
    .step("clients", by.sum_over(i, "client", weight=p(i)))
    .step("along", by.apply(one.S1A, {**LETTERS, one.v(i, e): local(t, i, e)}))
    .step("each", le(OPT - V(t + 1, 0), FACTOR * (OPT - V(t, 0)) + _added(t), ROUNDS),
        by.linear("round", "clients", "along", "next", "noise", "law"))
    .steps(FACTOR_SIGN)
    .step("all",
        by.apply(algebra.RECURSION, {algebra.a(t): OPT - V(t, 0), algebra.b(t): _added(t), algebra.q: FACTOR}, "each",
            "factor"))
    .step("geometric", by.apply(algebra.GEOMETRIC_LEFT, {algebra.q: FACTOR}, "factor"))
    .qed(_PATH, by.linear("all", "first", "geometric"))
)

# S5 ------------------------------------------------------------------------------------------------------------------

deviation = family(Nonnegative, "deviation")
DEVIATIONS = Total(deviation(t) ** 2, t, 0, T - 1)
SQUARES = partial.SQUARES
ABOVE = Given("ceilings", le(DEVIATIONS, SQUARES), "the sum of the squares of upper bounds, or any larger number")
VARIANCE = Given("variance", le(E(noise(t) ** 2), deviation(t) ** 2 / K, ROUNDS),
    "S5a, fedcg/L4.2@strengthened: deviation is at least r gamma + r sigma + r B/2", True)
D = Total(largest(t), t, 0, T - 1)
READING = {
    weighted: left(mean_gamma),
    notation.drift: left(drift),
    deviations: SQUARES,
    notation.D: D,
    Q: Total(lipschitz(t), t, 0, T - 1),
}


def holds(bound: Bound) -> Expr:
    """Return the event that the bound holds, as a number that is then nonnegative."""
    return statement_of(bound, GAINED - V(T, 0), READING)[0].gap


_C = sqrt(SQUARES / (K * delta))
S5 = (
    proof("fedcg/S5", "Theorem 4.3", note="points in the cube, errors of at most sigma in every item")
    .under(LAW, *RUN, PAIRS, VARIANCE, ABOVE, SHARE)
    .steps(*partial.event(_C, bounds.S5, line("run", _PATH, by.apply(PATH, "law", *IDS)), holds))
    .step("wide", le(Total(deviation(t) ** 2 / K, t, 0, T - 1), delta * _C**2), by.linear("ceilings"))
    .step("tail", by.apply(partial.MARTINGALE, {partial.variance(t): deviation(t) ** 2 / K, partial.width: _C}))
    .qed(le(1 - delta, E(Indicator(holds(bounds.S5)))), by.linear("tail", "probability"))
)

# The first display ------------------------------------------------------------------------------------------------------

ratio = family(RandomScalar, "ratio")
HALF = Rational(3, 2)
LARGEST = each_round(one.LARGEST, reading=LETTERS)
LIPSCHITZ = Given("lipschitz", le(drift(t), lipschitz(t) * sqrt(r), ROUNDS),
    "fedcg/58-60: no coordinate changes by more than the length does", supposed=True)

THEOREMS = (PATH, S5)
