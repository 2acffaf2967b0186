"""Algorithms 2 and 3 as released: differences of the authors' code from the text, and their effects.

The text's abstract names the code. The statements here are computed from our own formulas for it in
``practice/closed_forms/released.py``; a reading "strict" claims that the code agrees with the text.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from sympy import Eq, Integer, Rational

from fltheory.claims.statement import Constants, corrected, explicit, quantity, requires, strict
from fltheory.games.static_regret import StaticRegret
from fltheory.model.case import Case
from fltheory.number.mixed import Mixed, largest
from fltheory.papers.aaggff import bounds
from fltheory.papers.aaggff.algorithms import aaggff_s_released
from fltheory.papers.aaggff.estimators.claims import TWO_DRAWN, VARYING, families, mean, share
from fltheory.papers.aaggff.estimators.claims import largest as largest_entry
from fltheory.papers.aaggff.estimators.claims import printed_estimate as by_10
from fltheory.papers.aaggff.estimators.closed_forms import SampledRound, mean_seen, shrinkage
from fltheory.papers.aaggff.experiments.tables import EXAMPLE
from fltheory.papers.aaggff.instances.games import alternation
from fltheory.papers.aaggff.instances.lemmas import dot
from fltheory.papers.aaggff.newton.cases import NewtonGame
from fltheory.papers.aaggff.newton.claims.newton import EVERYONE
from fltheory.papers.aaggff.newton.claims.newton import families as games
from fltheory.papers.aaggff.newton.claims.proof51.parts import IN_THE_WINDOW, PAPERS, RUNS, run_of
from fltheory.papers.aaggff.newton.claims.proof51.parts import families as draws
from fltheory.papers.aaggff.newton.closed_forms.newton import NewtonRun
from fltheory.papers.aaggff.notation import K, m
from fltheory.papers.aaggff.paper import lemma, theorem
from fltheory.papers.aaggff.practice.closed_forms import released
from fltheory.papers.aaggff.transforms.cases import Federation, Losses
from fltheory.papers.aaggff.transforms.claims.ranges import DEVICES, SILOS
from fltheory.papers.aaggff.transforms.claims.transforms import families as responses

SILO, DEVICE, AS_RELEASED = "Algorithm 2", "Algorithm 3", "as released"

# Algorithm 2: the first decision, the objective, the decisions, the regret --------------------------------------------


def _as_released(one: NewtonGame, c: Constants) -> NewtonRun:
    """Return the run of the released objective, from the uniform decision."""
    run = run_of(one, c)
    return released.run_from(run.decisions[0], run.responses, run.alpha, run.beta)


def apart(one: NewtonGame, c: Constants) -> Fraction:
    ours, theirs = run_of(one, c).decisions[-1], _as_released(one, c).decisions[-1]
    return max(abs(v - w) for v, w in zip(ours, theirs, strict=True))


def off_objective(one: NewtonGame, c: Constants) -> Fraction:
    run = run_of(one, c)
    first, other = (objective_gap(run, p) for p in (run.decisions[0], one.comparator))
    return other - first


def objective_gap(run: NewtonRun, p: tuple[Fraction, ...], squares: Fraction = Fraction(1)) -> Fraction:
    """Released objective - (7) - αβ/2·|p|² - β Σ <g, p⁽ᵗ⁾><g, p>: the same at each p; ``squares``: a factor of the latter."""
    paid = zip(run.gradients, run.decisions, strict=False)
    crossed = sum((dot(g, at) * dot(g, p) for g, at in paid), Fraction(0))
    known = run.alpha * run.beta / 2 * dot(p, p) + squares * run.beta * crossed
    return released.objective(run, p) - run.leader(run.n_rounds, p) - known


TURNS = {"1/2": 60_000, 1: 400_000}  # rounds after which the regret exceeds the bound, by C2
LONG = tuple(Case(alternation(rounds, high)) for high, rounds in TURNS.items())
ALGORITHM_2 = (
    *lemma("A2-start", SILO, "the sum of the first decision as released",
        lambda one, c: sum(released.first_decision(one.n_clients, one.participation), Fraction(0)),
        family=lambda: responses().federations()).readings(
        strict("The first decision as released is a distribution: its sum is 1", Eq(quantity, 1), note=AS_RELEASED,
            counterexamples=(*SILOS, *DEVICES),
            remark="The first loss and gradient are those of a decision that is no distribution; Algorithm 2 says 1/K in every "
            "entry."),
        explicit("The first decision as released is C in every entry: its sum is m, the clients of a round",
            Eq(quantity, m), note=AS_RELEASED, cases=(*SILOS, *DEVICES))),
    lemma("A2-objective", SILO,
        "(released objective - (7)) at p* less that at p⁽¹⁾, less what the text says of the difference", off_objective,
        cases=RUNS, family=lambda: draws().short_runs()).explicit(
        "As released AAggFF-S minimises (7) plus αβ/2·|p|² + β Σ <g, p⁽ᵗ⁾><g, p>", Eq(quantity, 0), note=AS_RELEASED,
        remark="The squares are of <g, p>, where (7) has <g, p - p⁽ᵗ⁾>, and their matrix starts at αI."),
    lemma("A2-decisions", SILO, "max |p⁽ᵀ⁺¹⁾ as released - p⁽ᵀ⁺¹⁾ of (7)|", apart, family=lambda: draws().short_runs()).strict(
        "As released AAggFF-S plays the decisions of (7)", Eq(quantity, 0), note=AS_RELEASED,
        counterexamples=(PAPERS, RUNS[0], IN_THE_WINDOW[2])),
    theorem("A2-regret", SILO, StaticRegret(), aaggff_s_released, assumptions=[EVERYONE], mode="surely").strict(
        "AAggFF-S as released, from the uniform decision, satisfies the bound of Theorem 5.1 where (7) does",
        quantity <= bounds.T51.expr, given=bounds.T51_WINDOW.conditions, note=AS_RELEASED, tuning=bounds.NEWTON,
        counterexamples=LONG, family=lambda: games().alternating(),
        remark="Without the centre the squares penalise clients with large responses: the decision settles beside the best one, "
        "and the regret is linear in T. With C₂ = 1/2 = 1/K, the paper's range for two clients, 24,000 rounds are enough."),
)

# Algorithm 3: how many clients, the estimate, the normal distribution function ----------------------------------------


def by_code(one: SampledRound, c: Constants) -> np.ndarray:
    """Return the estimate of the response as released, for every draw."""
    response, _, seen = one.rows
    return released.estimate(response, seen, share(one))


KAPPA = K * (m - 1) / (m * (K - 1))
OF_ROUNDS: dict[str, Any] = {"mode": "in expectation", "family": lambda: families().rounds()}


def off_missing(one: SampledRound, c: Constants) -> Fraction:
    response, _, seen = one.rows
    return largest_entry(by_10(one, c) - by_code(one, c) - seen.astype(object) * mean_seen(response, seen))


def off_expected(one: SampledRound, c: Constants, kappa: Fraction) -> Fraction:
    """Return the same for any κ."""
    response = one.rows[0]
    centre, C_ = response.sum() / one.dim, share(one)
    expected = (1 - C_) * centre + (kappa - C_ * (1 - kappa)) * (response - centre)
    return largest_entry(mean(by_code(one, c)) - expected)


def slope(one: SampledRound, c: Constants) -> Fraction:
    pairs = sorted(zip(one.rows[0][0], mean(by_code(one, c)), strict=True))
    return min((w - v) / (b - a) for (a, v), (b, w) in pairwise(pairs) if a != b)


def disorder(one: Losses, c: Constants) -> Mixed:
    values = dict(sorted(zip(one.losses, released.normal(one.inputs), strict=True)))
    return largest([a - b for a, b in pairwise(values.values())])


def order(one: Losses, c: Constants) -> Mixed:
    values = dict(sorted(zip(one.losses, released.normal(one.inputs), strict=True)))
    return largest([b - a for a, b in pairwise(values.values())])


DIFFERING = requires("losses differ", lambda one, c: len(set(one.losses)) == 1 and "all losses are the same")
SEEN_ALONE = (Case(SampledRound((1, 0), 1)), Case(SampledRound((1, "1/2", "1/10", "3/4"), 1)))
TOGETHER = (
    Case(SampledRound((1, "1/2", "1/10", "3/4"), 3)),
    Case(SampledRound((2, "1/3", "1/3"), 2)),
    Case(SampledRound((1, 0, 0, 0, 0, 0, 0), 2)),
)
NORMAL = tuple(Case(Losses(row, "normal")) for row in (EXAMPLE, (0, "1/10", 3, 1, "1/10", 7)))
ALGORITHM_3 = (
    lemma("A3-count", DEVICE, "min(1, ⌊CK⌋)", lambda one, c: min(1, int(one.participation * one.n_clients)),
        family=lambda: responses().federations()).printed(
        "Algorithm 3 waits for min(1, ⌊CK⌋) clients: those that take part with probability C", Eq(quantity, m),
        counterexamples=DEVICES,
        remark="This is one client a round, from which nothing is learned: then (10) is the same in every entry."),
    lemma("A3-count", DEVICE, "max(1, ⌊CK⌋)", lambda one, c: max(1, int(one.participation * one.n_clients)),
        family=lambda: responses().federations()).corrected("max(1, ⌊CK⌋) clients take part, as in the authors' code",
        Eq(quantity, m), cases=(*DEVICES, Case(Federation(20, 5, 1)))),
    lemma("A3-estimate", DEVICE, "max |r̆ᵢ as released - r̆ᵢ of (10)|",
        lambda one, c: largest_entry(by_code(one, c) - by_10(one, c)), **OF_ROUNDS).strict(
        "The estimate as released is (10)", Eq(quantity, 0), note=AS_RELEASED, counterexamples=(*SEEN_ALONE, TOGETHER[0])),
    lemma("A3-estimate", DEVICE, "max |r̆ᵢ of (10) - r̆ᵢ as released - 1(i ∈ S) r̄|", off_missing, **OF_ROUNDS).explicit(
        "The estimate as released is (10) without the mean response of those seen, r̄, in their own entries",
        Eq(quantity, 0), note=AS_RELEASED, cases=(*SEEN_ALONE, *TOGETHER),
        remark="Clients that are seen lose r̄ against those that are not."),
    lemma("A3-mean", DEVICE, "max |E[r̆ᵢ] - (1 - C)μ - (κ - C(1 - κ))(rᵢ - μ)|",
        lambda one, c: off_expected(one, c, shrinkage(one.dim, one.n_participating)), **OF_ROUNDS).explicit(
        "E[r̆ᵢ] as released is (1 - C)μ + (κ - C(1 - κ))(rᵢ - μ), κ = K(m - 1)/(m(K - 1))", Eq(quantity, 0),
        note=AS_RELEASED, cases=(*SEEN_ALONE, *TOGETHER)),
    *lemma("A3-order", DEVICE, "(E[r̆ᵢ] - E[r̆ⱼ])/(rᵢ - rⱼ), the least over rᵢ ≠ rⱼ", slope, assumptions=[VARYING],
        **OF_ROUNDS).readings(
        strict("As released a larger response has a larger estimate in expectation", Integer(0) <= quantity,
            note=AS_RELEASED, counterexamples=SEEN_ALONE,
            remark="With one client a round the order is reversed; with two or more it is kept."),
        corrected(
            "As released, with two clients or more in a round, estimates differ in the order of the responses, and by at least "
            "13/28 of their differences in expectation", Rational(13, 28) <= quantity, note=AS_RELEASED,
            assumptions=[VARYING, TWO_DRAWN], cases=TOGETHER, remark="Attained with two of 7 and two of 8 clients."),
        explicit("As released E[r̆ᵢ] - E[r̆ⱼ] is κ - C(1 - κ) times rᵢ - rⱼ: with one client a round -1/K times",
            Eq(quantity, KAPPA - m / K * (1 - KAPPA)), note=AS_RELEASED, cases=(*SEEN_ALONE, *TOGETHER))),
    lemma("B1-normal", "Appendix B.1", "max rᵢ - rⱼ over Fᵢ < Fⱼ, by the released normal CDF", disorder,
        family=lambda: responses().losses(differing=True)).strict(
        "The normal CDF as released is increasing: (8) keeps the order of the losses", quantity <= 0, note=AS_RELEASED,
        assumptions=[DIFFERING], counterexamples=NORMAL,
        remark="The code has erfc in place of erf. The scripts for Berka use it: clients with larger losses get smaller "
        "responses. In Figure A1 the smallest curve on Berka has that name."),
    lemma("B1-normal", "Appendix B.1", "max rⱼ - rᵢ over Fᵢ < Fⱼ, by the released normal CDF", order,
        family=lambda: responses().losses(differing=True)).explicit(
        "The normal CDF as released is decreasing: the largest loss has the smallest response", quantity <= 0,
        note=AS_RELEASED, assumptions=[DIFFERING], cases=NORMAL),
    *lemma("B1-normal-range", "Appendix B.1", "max r by the released normal CDF into [0, 1]",
        lambda one, c: largest(released.normal(one.inputs)), family=lambda: responses().losses()).readings(
        strict("The normal CDF as released does not exceed 1", quantity <= 1, note=AS_RELEASED, counterexamples=NORMAL),
        explicit("The normal CDF as released does not exceed 3/2", quantity <= Rational(3, 2), note=AS_RELEASED,
            cases=NORMAL)),
)

CLAIMS = (*ALGORITHM_2, *ALGORITHM_3)
