"""Regret against any sequence of distributions: Proposition 13 as printed, Theorem 6 and its strengthened form."""

from __future__ import annotations

from collections.abc import Callable

from sympy import Abs, Expr, Min, Rational, exp, log

from fltheory.papers.osmd import bounds, notation
from fltheory.papers.osmd.mirror.proofs import nonexpansive as nearer
from fltheory.papers.osmd.mirror.proofs import projection as point
from fltheory.papers.osmd.mirror.proofs.lemmas import FLOOR, L17, LAMBDA
from fltheory.papers.osmd.notation import D1, TV, K, Lq, M, T, a2, alpha, eta, psi, smaller
from fltheory.papers.osmd.regret.proofs.paths import ROUNDS, from_uniform, t, total_move
from fltheory.papers.osmd.regret.proofs.regret import (BANDIT, COMPARATOR, CONDITIONS, P13_SHARP, P13_SHARP_STATEMENT,
    P13_STATEMENT, expected_loss, feedback, largest, logP, logQ, unbiased)
from fltheory.papers.osmd.regret.proofs.regret import READING as P13_READING
from fltheory.proof import Given, by, eq, le, line, proof, statement_of
from fltheory.proof.facts.notation import EACH, j, logq, m, whole
from fltheory.proof.terms import E, RandomNonnegative, Total, family

IDS = tuple(h.id for h in (*BANDIT, *COMPARATOR))
LATER = (t, 1, T - 1)

# Signs -------------------------------------------------------------------------------------------------------------------

LOG = (
    line("tangent", le(1 - LAMBDA, exp(-LAMBDA)), by.fact("exp", -LAMBDA)),
    line("log", le(Rational(1, 2), LAMBDA), by.linear(tangent=1, c1=1 / M, c2=1 / (2 * M)),
        note="log(M/alpha) is at least 1/2"),
)
_squares = Total(largest(t) ** 2, t, 1, T)
SQUARES = (
    line("square", le(0, largest(t) ** 2, ROUNDS), by.linear()),
    line("squares", le(0, _squares), by.sum_over(t, "square")),
    line("mean squares", le(0, E(_squares)), by.expectation("squares")),
)

# Proposition 13 as printed ---------------------------------------------------------------------------------------------------

_start, _move = from_uniform(logQ), total_move(logQ, T)
P13 = (
    proof("osmd/P13", "Proposition 13", of="osmd/C-P13@printed", bound=bounds.P13, reading=P13_READING)
    .under(*BANDIT, *COMPARATOR, *CONDITIONS)
    .step("sharp", P13_SHARP_STATEMENT, by.apply(P13_SHARP))
    .step("first", by.instance({t: 1}, "sum q"))
    .step("start 1", by.apply(L17, {logq(m): logQ(1, m)}), note="Lemma 17")
    .step("mean start", by.expectation("start 1"))
    .steps(*LOG)
    .step("move", le(0, Abs(exp(logQ(t + 1, m)) - exp(logQ(t, m))), LATER, EACH), by.linear())
    .step("moves", le(0, _move), by.sum_over((m, t), "move"))
    .step("mean moves", by.expectation("moves"))
    .steps(*SQUARES)
    .qed(
        P13_STATEMENT,
        by.linear(
            {
                "sharp": 1,
                "mean start": 1 / eta,
                "mean moves": LAMBDA / eta,
                "mean squares": Rational(3, 8) * eta * M**6 / (K**2 * alpha**6),
            },
            "log",
        ),
        name="last",
        note="weaker in three places",
    )
)

# Theorem 6 -----------------------------------------------------------------------------------------------------------------

share, lost, kappa, phi = (family(RandomNonnegative, name) for name in ("q", "lost", "kappa", "phi"))


def omega(now: Expr | int) -> Expr:
    """Return the ratio of (19) by its complement: kappa = 1 - omega."""
    return 1 - kappa(now)


def at(now: Expr | int) -> Callable[..., Expr]:
    """Return the comparator of a round."""
    return lambda client: share(now, client)


def near(now: Expr | int, client: Expr) -> Expr:
    """Return the point of the floored simplex (53) in place of the comparator."""
    return point.lifted(at(now), omega(now), client)


def loss_near(now: Expr) -> Expr:
    """Return the loss of that point."""
    return whole(feedback(now, j) / near(now, j)) / K


def loss_of(now: Expr) -> Expr:
    """Return the loss of the comparator."""
    return whole(lost(now, j)) / K


def summed(term: Callable[..., Expr]) -> Expr:
    """Return the expected sum over the rounds."""
    return E(Total(term(t), t, 1, T))


def by_factor(now: Expr) -> Expr:
    """phi l(q)."""
    return phi(now) * loss_of(now)


def by_distance(now: Expr) -> Expr:
    """(M/alpha)^2 a_max psi/K."""
    return (M / alpha) ** 2 * largest(now) * point.psi_of(at(now)) / K


def distance(now: Expr) -> Expr:
    """Return the 1-norm of q^{now + 1} - q^now."""
    return whole(Abs(share(now + 1, j) - share(now, j)))


_near_moves = whole(Abs(near(t + 1, j) - near(t, j)))
_tv, _near_tv = (Total(term, t, 1, T - 1) for term in (distance(t), _near_moves))
_near_start = whole(near(1, j) * (log(near(1, j)) + log(M)))
READING = {
    TV: E(_tv),
    a2: E(_squares),
    D1: E(_near_start),
    smaller: summed(lambda now: Min(by_factor(now), by_distance(now))),
    psi: summed(lambda now: point.psi_of(at(now))),
    notation.phi: summed(by_factor),
}
OUTSIDE = (
    Given("sum q", eq(whole(share(t, j)), 1, ROUNDS), "the comparator's probabilities, of which some may be 0"),
    Given("omega", eq(omega(t) * whole(point.above(share(t, j))), point.psi_of(at(t)), ROUNDS),
        "(19). Where both sums are 0, for alpha = 1 and the uniform distribution, any number from 0 to 1"),
    Given("ratio", le(0, omega(t), ROUNDS), "C-19: 0 <= omega <= 1, see osmd/omega; kappa = 1 - omega"),
    point.phi_is(phi(t), omega(t), FLOOR, ROUNDS),
    Given("lost", eq(lost(t, m) * share(t, m), feedback(t, m), ROUNDS, EACH), "lost is a/q, and 0 where a is 0"),
    unbiased(lambda now, client: log(near(now, client))),
)
GIVEN = (*BANDIT, *OUTSIDE, *CONDITIONS)
NAMES = tuple(h.id for h in GIVEN)
OUTSIDE_REGRET = expected_loss(logP, T) - summed(loss_of)
_BASE = le(OUTSIDE_REGRET, bounds.P13_SHARP.expr.xreplace(READING) + E(Total(loss_near(t) - loss_of(t), t, 1, T)))
_here = {point.share(m): share(t, m), point.omega: omega(t)}
BASE = (
    proof("osmd/T6-base", "proof of Theorem 6", unused=("phi", "lost"),
        note="before the cost of the projection is bounded")
    .under(*GIVEN)
    .step("within", by.apply(point.WITHIN, _here, "sum q", "omega", "ratio"))
    .step("floor", le(FLOOR, near(t, m), ROUNDS, EACH), by.linear())
    .step("sharp", by.apply(P13_SHARP, {logQ(t, m): log(near(t, m))}), note="Proposition 13 for the points")
    .step("sum then", by.instance({t: t + 1}, "sum q"), over=LATER)
    .step("ratio then", by.instance({t: t + 1}, "ratio"), over=LATER)
    .step("within then", by.instance({t: t + 1}, "within"), over=LATER)
    .step("nearer",
        by.apply(nearer.NONEXPANSIVE, {**_here, nearer.share2(m): share(t + 1, m), point.other: omega(t + 1)}, "sum q",
            "sum then", "ratio", "ratio then", "within", "within then"), over=LATER)
    .step("moves", by.sum_over(t, "nearer"))
    .step("mean moves", by.expectation("moves"))
    .steps(*LOG)
    .qed(_BASE, by.linear({"sharp": 1, "mean moves": LAMBDA / eta}, "log"), name="last")
)

T6_SHARP_STATEMENT, _ = statement_of(bounds.T6_SHARP, OUTSIDE_REGRET, READING)
_cost_of = {point.phi: phi(t), point.losses(m): lost(t, m), point.fed(m): feedback(t, m), point.top: largest(t)}
_DISTANCE = le(whole(feedback(t, j) / near(t, j)),
    whole(lost(t, j)) + largest(t) * (M / alpha) ** 2 * point.psi_of(at(t)), ROUNDS)
_ROUND = ("sum q", "omega", "ratio", "c1", "lost")
DISTANCE = (
    line("distance", _DISTANCE, by.apply(point.BY_DISTANCE, {**_here, **_cost_of}, *_ROUND, "largest")),
    line("by distance", le(loss_near(t) - loss_of(t), by_distance(t), ROUNDS), by.linear("distance")),
)
T6_SHARP = (
    proof("osmd/T6@strengthened", "Theorem 6", of="osmd/C-T6@strengthened", bound=bounds.T6_SHARP, reading=READING,
        note="TV once, 1/8, no psi/eta, and the smaller of two costs of the projection")
    .under(*GIVEN)
    .step("base", by.apply(BASE))
    .step("factor", by.apply(point.BY_FACTOR, {**_here, **_cost_of}, *_ROUND, "phi"))
    .step("by factor", le(loss_near(t) - loss_of(t), by_factor(t), ROUNDS), by.linear("factor"))
    .steps(*DISTANCE)
    .step("each",
        by.apply(point.LESS, {point.low: loss_near(t) - loss_of(t), point.c: by_factor(t), point.d: by_distance(t)}))
    .step("all", by.sum_over(t, "each"))
    .step("mean", by.expectation("all"))
    .qed(T6_SHARP_STATEMENT, by.linear("base", "mean"), name="last")
)

# Theorem 6 as printed --------------------------------------------------------------------------------------------------------

T6_STATEMENT, _ = statement_of(bounds.T6, OUTSIDE_REGRET, READING)
_psi_now = point.psi_of(at(t))
_psi = Total(_psi_now, t, 1, T)
_factors = Total(by_factor(t), t, 1, T)
_paid = Rational(3, 8) * eta * M**6 * largest(t) ** 2 / (K**2 * alpha**6) + 8 * LAMBDA * _psi_now / eta
_PSI = (
    line("lacks", le(0, point.below(share(t, m)), ROUNDS, EACH), by.linear()),
    line("psi low", le(0, _psi_now, ROUNDS), by.sum_over(m, "lacks")),
    line("psi alpha", le(_psi_now, alpha, ROUNDS), by.apply(point.PSI, {point.share(m): share(t, m)})),
)
T6 = (
    proof("osmd/T6", "Theorem 6", of="osmd/C-T6@printed", bound=bounds.T6, reading=READING,
        note="true, and without its phi term too, though the last line of (56) is not")
    .under(*GIVEN)
    .step("base", by.apply(BASE))
    .step("within", by.apply(point.WITHIN, _here, "sum q", "omega", "ratio"))
    .step("first", by.instance({t: 1}, "within"))
    .step("start 1", le(_near_start, log(M)), by.apply(L17, {logq(m): log(near(1, m))}), note="Lemma 17")
    .step("mean start", by.expectation("start 1"))
    .steps(*LOG)
    .step("move", le(0, Abs(share(t + 1, m) - share(t, m)), LATER, EACH), by.linear())
    .step("moves", le(0, _tv), by.sum_over((m, t), "move"))
    .step("mean moves", by.expectation("moves"))
    .steps(*DISTANCE, *_PSI)
    .step("psi", le(_psi_now, 1, ROUNDS), by.linear("psi alpha", "c1"))
    .step("wide", le(2, M / alpha), by.linear("c1", "c2"))
    .step("pays",
        by.apply(point.AMGM,
            {point.B: (M / alpha) ** 2 * largest(t) / K, point.psi: _psi_now, point.r: M / alpha, point.log_r: LAMBDA},
            "wide", "log", "psi", "psi low"), note="what Hoeffding's lemma saves pays for the projection")
    .step("cost", le(loss_near(t) - loss_of(t), _paid, ROUNDS), by.linear("by distance", "pays"))
    .step("costs", by.sum_over(t, "cost"))
    .step("mean costs", by.expectation("costs"))
    .step("no less", le(0, lost(t, m), ROUNDS, EACH), by.linear())
    .step("extra", le(0, by_factor(t), ROUNDS), by.sum_over(m, "no less", weight=phi(t) / K))
    .step("extras", by.sum_over(t, "extra"))
    .step("mean extras", by.expectation("extras"))
    .qed(T6_STATEMENT,
        by.linear({"base": 1, "mean start": 1 / eta, "mean moves": LAMBDA / eta, "mean costs": 1, "mean extras": 1 / K},
            "log"), name="last")
)

_T6_ERROR = 8 * LAMBDA / eta * E(_psi) + E(_factors)
PROJECTION_STATEMENT, _ = statement_of(bounds.T6_PROJECTION, _T6_ERROR, {Lq: summed(loss_of)})
PROJECTION = (
    proof("osmd/T6-projection", "text after Theorem 6", of="osmd/C-T6-projection@printed", bound=bounds.T6_PROJECTION,
        reading={Lq: summed(loss_of)}, note="the projection error, without the factor 1/K of its second term")
    .under(*(h for h in GIVEN if h.id in ("ratio", "phi", "c1", "c2")))
    .steps(*LOG)
    .step("log sign", le(0, LAMBDA), by.linear("log"))
    .steps(_PSI[2])
    .step("psis", le(_psi, T * alpha), by.sum_over(t, "psi alpha"))
    .step("mean psi", by.expectation("psis"))
    .step("phi high", by.apply(point.PHI, {point.phi: phi(t), point.omega: omega(t)}, "ratio", "phi", "c1"))
    .step("lost", le(0, lost(t, m), ROUNDS, EACH), by.linear())
    .step("loss", le(0, loss_of(t), ROUNDS), by.sum_over(m, "lost", weight=1 / K))
    .step("factor", le(by_factor(t), M / alpha * loss_of(t), ROUNDS), by.linear("phi high", "loss"))
    .step("factors", le(_factors, M / alpha * Total(loss_of(t), t, 1, T)), by.sum_over(t, "factor"))
    .step("mean", le(E(_factors), M / alpha * E(Total(loss_of(t), t, 1, T))), by.expectation("factors"))
    .qed(PROJECTION_STATEMENT, by.linear("mean psi", "mean", "log sign"), name="last")
)

THEOREMS = (P13, BASE, T6_SHARP, T6, PROJECTION)
