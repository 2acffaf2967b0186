"""Table 1 and Section 4.1: limits of fair methods (U3, U6), their constants (U4, U5), and statements a to c (U7).

Weights proportional to w_i exp(s_i), all s_i in an interval of length S, are within total variation tanh(S/4) of w;
two clients attain this. So every limit to FedAvg gets a rate. The paper prints none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import sympy
from sympy import Eq, Expr, exp, log, sqrt
from sympy.core.relational import Relational

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Constants, Statement, corrected, printed, quantity, requires, strengthened
from fltheory.model.case import Case
from fltheory.model.schema import Family
from fltheory.number import Number
from fltheory.papers.aaggff.notation import M, lead, low, q, ratio, share, tilt, top
from fltheory.papers.aaggff.paper import lemma, measured
from fltheory.papers.aaggff.unification import closed_forms as rule
from fltheory.papers.aaggff.unification.cases import Histories, QuadraticAt, Reported, TwoDecisions
from fltheory.papers.aaggff.unification.claims.unification import (
    A1,
    BASELINE,
    POWER,
    REMARK,
    REPORT,
    THREE,
    TILT,
    at_losses,
    cases_of,
    constant_of,
    families,
    numbers,
    of_distance,
    of_vectors,
    quadratic,
)
from fltheory.runs.measures import ENERGY, NUMBER, DirectMeasure

SECTION = "Section 4.1"

# Distances of decisions -------------------------------------------------------------------------------------------------------


def to_shares(name: str) -> DirectMeasure:
    """Return the total variation distance of a method's weights to the shares n_i / n."""

    def away(one: Reported | QuadraticAt, c: Constants) -> np.ndarray:
        given = at_losses(name, one, c)
        return rule.own_weights(*given) - given[1]

    return of_vectors("½ Σ |pᵢ - wᵢ|", away, NUMBER, 1, fold=lambda found: sum(map(abs, found)) / 2)


def to_worst(name: str) -> DirectMeasure:
    """Return the weight of clients below the largest loss: a method's total variation distance to the worst clients."""

    def others(one: Reported | QuadraticAt, c: Constants) -> sympy.Expr:
        weights = rule.own_weights(*at_losses(name, one, c))
        return sum((w for w, v in zip(weights, one.losses, strict=True) if v < max(one.losses)), 0 * weights[0])

    return of_vectors("Σ pᵢ over Fᵢ < max F", others, NUMBER, 1)


def gap_at_zero(one: Reported, c: Constants) -> np.ndarray:
    """Return how far the limit of q-FedAvg's weights as q goes to 0 is from AFL's decision."""
    shares, losses = numbers(one.shares), numbers(one.losses)
    return rule.own_weights(rule.qfedavg, shares, losses, 0) - rule.worst_clients(shares, losses)


def gap_to_fedavg(one: Reported, c: Constants) -> np.ndarray:
    """Return how far q-FedAvg with q = 0 is from FedAvg."""
    shares, losses = numbers(one.shares), numbers(one.losses)
    return rule.own_weights(rule.qfedavg, shares, losses, 0) - shares


def reported_losses(name: str, **options: object) -> Family:
    """Return reported losses with a constant of the method."""
    return lambda: families().reported(constant=name, **options)


TWO = Reported((1, 2), (4, 1))  # shares 1 : exp(S/2) at q = 1: the distance is tanh(S/4)
NEAR = Reported((5, 3, 2), (1, "11/10", "21/20"))
LAST = Reported((3, 1), (1, 2))
REPORTS = (Case(REPORT), Case(NEAR))
AT_ZERO: dict[str, Any] = {"family": lambda: families().reported()}


def _half_tangent(root: Expr) -> Expr:
    """tanh(S/4) of root = exp(S/2)."""
    return (root - 1) / (root + 1)


def _rate(of: Statement, text: str, given: Iterable[Relational], rate: Expr, root: Expr) -> tuple[Claim, Claim]:
    """Return a rate and the sharper one from which it follows."""
    return (
        of.corrected(text, quantity <= rate, given=given),
        of.strengthened(text, quantity <= _half_tangent(root), given=given),
    )


SPAN_Q, SPAN_TILT, AHEAD = q * log(top / low), tilt * (top - low), (1 - share) / share
LIMITS = (
    measured("U3", A1, of_distance("max |limit of pᵢ - AFL's|", gap_at_zero), **AT_ZERO).printed(
        "AFL's decision is the limit of q-FedAvg's as q goes to 0", quantity <= 0, counterexamples=REPORTS,
        remark="Table 1 has q to infinity; at q = 0 q-FedAvg is FedAvg."),
    measured("U3", A1, to_worst("qfedavg")).corrected(
        "Clients whose loss isn't the largest get at most (1 - w)/w κ^q in q-FedAvg: AFL is the limit as q grows",
        quantity <= AHEAD * ratio**q, given=POWER, cases=(Case(REPORT, loss_power=5), Case(LAST, loss_power=4)),
        family=reported_losses("loss_power")),
    measured("U6-zero", A1, of_distance("max |pᵢ - wᵢ|", gap_to_fedavg), **AT_ZERO).printed(
        "At q = 0 q-FedAvg is FedAvg", Eq(quantity, 0), cases=REPORTS),
    *_rate(
        measured("U6-q", A1, to_shares("qfedavg"), cases=(Case(TWO, loss_power=1), Case(NEAR, loss_power="1/10")),
            family=reported_losses("loss_power")),
        "As q goes to 0 q-FedAvg tends to FedAvg: ½ Σ|pᵢ - wᵢ| <= tanh(S/4) <= S/4, S = q log(max F/min F)", POWER,
        SPAN_Q / 4, (top / low) ** (q / 2)),
    *_rate(
        measured("U6-tilt", A1, to_shares("term"), cases=(Case(TWO, loss_tilt="1/5"), Case(NEAR, loss_tilt="1/10")),
            family=reported_losses("loss_tilt")),
        "As λ goes to 0 TERM tends to FedAvg: the same with S = λ(max F - min F)", TILT, SPAN_TILT / 4,
        exp(SPAN_TILT / 2)),
    *_rate(
        measured("U6-baseline", A1, to_shares("propfair"),
            cases=(Case(TWO, loss_baseline=5), Case(NEAR, loss_baseline=100)), family=reported_losses("loss_baseline")),
        "As M grows PropFair tends to FedAvg: the same with S = log((M - min F)/(M - max F))", BASELINE,
        (top - low) / (4 * (M - top)), sqrt((M - low) / (M - top))),
    measured("U6-worst", A1, to_worst("term")).corrected(
        "As λ grows TERM tends to the worst clients: the others get at most (1 - w)/w e^{-λδ}",
        quantity <= AHEAD * exp(-tilt * lead), given=TILT, cases=(Case(REPORT, loss_tilt=9), Case(LAST, loss_tilt=4)),
        family=reported_losses("loss_tilt")),
)

# Constants of the methods ---------------------------------------------------------------------------------------------


def above_the_shares(one: Reported | QuadraticAt, c: Constants) -> sympy.Expr:
    """-<p, F> + KL(p | w)/lambda at TERM's weights, less the same at the shares."""
    method, shares, losses, tilted = at_losses("term", one, c)
    weights = rule.own_weights(method, shares, losses, tilted)
    logs = np.frompyfunc(sympy.log, 1, 1)(weights / shares)
    return (weights * logs).sum() / tilted - (weights * losses).sum() + (shares * losses).sum()


def _masses(one: Reported | QuadraticAt, baseline: Number) -> list[Number]:
    """Return n_i / n over M minus the loss, for any M."""
    return [w / (baseline - v) for w, v in zip(one.shares, one.losses, strict=True)]


def _undefined(one: Reported | QuadraticAt, c: Constants) -> str | bool:
    baseline = c.loss_baseline
    return (baseline in one.losses or not sum(_masses(one, baseline))) and "M is a loss, or the masses sum to 0"


OFF_THE_POLE = requires("the weights are defined", _undefined)
above = measured("U4-sign", REMARK, of_vectors("objective at p of (3) - objective at nᵢ/n", above_the_shares, ENERGY))


def least_weight(one: Reported | QuadraticAt, c: Constants) -> Number:
    masses = _masses(one, c.loss_baseline)
    return -min(mass / sum(masses) for mass in masses)


CONSTANTS = (
    above.printed("TERM's weights minimise -<p, F> + ηKL(p | n/n), η = 1/λ, for every λ: not above its value at nᵢ/n",
        quantity <= 0, given=[sympy.Ne(tilt, 0)], counterexamples=(Case(REPORT, loss_tilt=-2), Case(LAST, loss_tilt="-1/2")),
        family=reported_losses("loss_tilt", signed=True),
        remark="A.1 lets λ be any real number. Below 0 the step size of (2) is negative and (3) maximises."),
    above.corrected("TERM's weights minimise -<p, F> + ηKL(p | n/n), η = 1/λ, for λ > 0: not above its value at nᵢ/n",
        quantity <= 0, given=TILT, cases=cases_of("term", REPORT, THREE), family=reported_losses("loss_tilt")),
    *lemma("U5-domain", A1, "-min pᵢ", least_weight).readings(
        printed("PropFair's weights are a decision for any M >= 1", quantity <= 0, given=[M >= 1], assumptions=[OFF_THE_POLE],
            counterexamples=(Case(Reported((1, 1), ("1/2", 2)), loss_baseline=1),), family=reported_losses("loss_baseline"),
            inconsistent_units=True, remark="A loss above M has a weight of the other sign; and 1 has no unit."),
        corrected("PropFair's weights are a decision for any M above all losses", quantity <= 0, given=BASELINE,
            cases=cases_of("propfair", REPORT, THREE), family=quadratic("propfair"))),
)

# Section 4.1, a: existence of a state ---------------------------------------------------------------------------------


def next_decision(name: str, one: Histories, first: Sequence[Number], c: Constants) -> np.ndarray:
    """Return the decision after two rounds, with losses ``first`` and then the last ones; AFL's rate is 1."""
    shares, losses, before = map(numbers, (one.shares, one.losses, first))
    if name == "afl":
        return rule.ascent_step(rule.ascent_step(shares, before, 1), losses, 1)
    method, constant = rule.METHODS[name], constant_of(name, c)
    decision = shares
    for losses_seen in (before, losses):
        decision = rule.step_weights(method, shares, losses_seen, constant)
    return decision


def memory(*names: str) -> DirectMeasure:
    """Return how far the decisions after two histories are apart, at most over the methods."""

    def gaps(one: Histories, c: Constants) -> Any:
        return [next_decision(n, one, one.first, c) - next_decision(n, one, one.other, c) for n in names]

    return of_distance("max |pᵢ after one history - after the other|", gaps)


HISTORIES = Histories((5, 3, 2), ("1/10", "7/10", "3/10"), ("1/2", "1/10", "1/5"), ("1/5", "1/5", "1/4"))
CLOSE = Histories((1, 1), ("1/10", "1/5"), ("1/5", "1/10"), ("1/10", "1/10"))
SETTINGS: dict[str, Number | str] = {"loss_power": 2, "loss_tilt": "1/2", "loss_baseline": 3}
COURSES = (Case(HISTORIES, **SETTINGS), Case(CLOSE, **SETTINGS))
WITH_HISTORY: dict[str, Any] = {"family": lambda: families().histories()}
FOUR = ("fedavg", "qfedavg", "term", "propfair")
ALL_OF_THEM = (low > 0, tilt > 0, top < M)

# c: the decision loss -------------------------------------------------------------------------------------------------


def _not_at_the_ends(one: TwoDecisions, c: Constants) -> str | bool:
    first, second = ({v for v, w in zip(one.losses, p, strict=True) if w} for p in (one.p, one.q))
    at_the_ends = first == {max(one.losses)} and second == {min(one.losses)}
    return not at_the_ends and "the decisions aren't on a worst client and on a best one"


EXTREMES = requires("all on the worst clients, and all on the best", _not_at_the_ends)
MOVED = (
    Case(TwoDecisions((1, 0, 0), (0, 1, 0), (9, 0, 4))),
    Case(TwoDecisions(("1/2", "1/2"), ("1/3", "2/3"), (1, 2))),
    Case(TwoDecisions(("1/2", "1/4", "1/4"), ("1/3", "1/3", "1/3"), (3, "1/2", 1))),
)
OF_DECISIONS: dict[str, Any] = {"cases": MOVED, "dimension": ENERGY, "family": lambda: families().two_decisions()}


def loss_change(one: TwoDecisions, c: Constants) -> Number:
    moved = [a - b for a, b in zip(one.p, one.q, strict=True)]
    change = sum((m * Fraction(v) for m, v in zip(moved, one.losses, strict=True)), Fraction(0))
    return abs(change) / sum(map(abs, moved))


def convexity_gap(one: TwoDecisions, c: Constants) -> Number:
    def loss(p: Sequence[Number]) -> Number:
        return -sum(a * v for a, v in zip(p, one.losses, strict=True))

    middle = [Fraction(a + b) / 2 for a, b in zip(one.p, one.q, strict=True)]
    return Fraction(loss(one.p) + loss(one.q)) / 2 - loss(middle)


OF_REMARK_A_TO_C = (
    measured("U7-a", SECTION, memory(*FOUR, "afl"), **WITH_HISTORY).printed(
        "The methods of Table 1, AFL among them, ignore earlier rounds", Eq(quantity, 0), given=ALL_OF_THEM,
        counterexamples=COURSES, remark="AFL ascends from its last decision, in the Euclidean geometry."),
    measured("U7-a", SECTION, memory(*FOUR), **WITH_HISTORY).corrected(
        "FedAvg, q-FedAvg, TERM and PropFair ignore earlier rounds", Eq(quantity, 0), given=ALL_OF_THEM, cases=COURSES),
    lemma("U7-c", SECTION, "(ℓ(p) + ℓ(q))/2 - ℓ((p + q)/2)", convexity_gap, **OF_DECISIONS).printed(
        "Their decision loss -<p, r> is not strictly convex: at no two decisions is there a gap in the middle",
        Eq(quantity, 0)),
    *lemma("U7-c-lipschitz", SECTION, "|Δℓ| / |p - q|₁", loss_change, **OF_DECISIONS).readings(
        corrected("For given responses their decision loss is Lipschitz: |Δℓ| <= max r |p - q|₁ (TERM: r = F)",
            quantity <= top, remark='"Not Lipschitz" can only mean that no constant serves all losses.'),
        strengthened("For given responses even |Δℓ| <= ½(max r - min r)|p - q|₁ (TERM: r = F)", quantity <= (top - low) / 2),
        corrected("No constant serves all losses: from the worst client to the best |Δℓ| is ½(max F - min F)|p - q|₁",
            Eq(quantity, (top - low) / 2), assumptions=[EXTREMES],
            cases=tuple(Case(TwoDecisions((1, 0, 0), (0, 1, 0), (10**k, 0, 1))) for k in (0, 3, 6)),
            family=lambda: families().two_decisions(extremes=True), id="U7-c-uniform")),
)

CLAIMS: tuple[Claim, ...] = (*LIMITS, *CONSTANTS, *OF_REMARK_A_TO_C)
