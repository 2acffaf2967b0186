"""Table 1 and Section 4.1: where fair methods tend to (U3, U6), which constants they take (U4, U5), what a to c say (U7)."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
import sympy

from fltheory.bound import Bound
from fltheory.case import Assumption, Case
from fltheory.claim import Claim
from fltheory.number import BALL, Number, Ring
from fltheory.papers.aaggff.bounds import unification as limit
from fltheory.papers.aaggff.bounds.unification import A1, BASELINE, REMARK, TILT, ZERO, equal, plain
from fltheory.papers.aaggff.claims.direct import always, drawn, of_case, of_instance
from fltheory.papers.aaggff.claims.unification import (
    REPORT,
    THREE,
    apart,
    at_losses,
    cases_of,
    constant_of,
    numbers,
    of_vectors,
    one,
    quadratic,
)
from fltheory.papers.aaggff.data.instances_unification import Histories, Reported, TwoDecisions
from fltheory.papers.aaggff.exact import aggregation as rule
from fltheory.papers.aaggff.letters import M, low, top
from fltheory.papers.aaggff.letters import tilt as loss_tilt
from fltheory.runs.measures import ENERGY, NUMBER, DirectMeasure

SECTION = "Section 4.1"

# Distances of decisions -------------------------------------------------------------------------------------------------------


def to_shares(name: str) -> DirectMeasure:
    """Total variation distance of a method's weights to the shares n_i / n."""

    def compute(case: Case, ring: Ring) -> Any:
        method, shares, losses, constant = at_losses(name, case, ring)
        weights = rule.own_weights(method, shares, losses, constant)
        return one(sum(abs(v) for v in weights - shares) / 2, ring)

    return of_vectors("½ Σ |pᵢ - wᵢ|", compute, NUMBER, 1)


def to_worst(name: str) -> DirectMeasure:
    """What a method gives to clients whose loss is not the largest: its distance in total variation to the worst clients."""

    def compute(case: Case, ring: Ring) -> Any:
        at: Any = case.instance
        method, shares, losses, constant = at_losses(name, case, ring)
        weights = rule.own_weights(method, shares, losses, constant)
        others = [w for w, v in zip(weights, at.losses, strict=True) if v < max(at.losses)]
        return one(sum(others, 0 * weights[0]), ring)

    return of_vectors("Σ pᵢ over Fᵢ < max F", compute, NUMBER, 1)


def gap_at_zero(case: Case, ring: Ring) -> Any:
    """How far the limit of q-FedAvg's weights as q goes to 0 is from AFL's decision."""
    at: Any = case.instance
    shares, losses = numbers(at.shares, ring), numbers(at.losses, ring)
    worst = numbers(rule.worst_clients(np.array(at.shares, dtype=object), np.array(at.losses, dtype=object)), ring)
    return apart(rule.own_weights(rule.qfedavg, shares, losses, 0), worst, ring)


def gap_to_fedavg(case: Case, ring: Ring) -> Any:
    """How far q-FedAvg with q = 0 is from FedAvg."""
    at: Any = case.instance
    shares, losses = numbers(at.shares, ring), numbers(at.losses, ring)
    return apart(rule.own_weights(rule.qfedavg, shares, losses, 0), shares, ring)


TWO = Reported((1, 2), (4, 1))  # shares 1 : exp(S/2) at q = 1: the distance is tanh(S/4)
NEAR = Reported((5, 3, 2), (1, "11/10", "21/20"))
LAST = Reported((3, 1), (1, 2))
_REPORTED = drawn("unification", "reported")


def _reported(name: str) -> Any:
    return drawn("unification", "reported", constant=name)


def _two(
    name: str, statement: str, bounds: tuple[Bound, Bound], measure: DirectMeasure, cases: Any, family: Any
) -> Any:
    """A rate and the sharper one that it comes from."""
    return tuple(always(name, statement, b, measure, cases, family) for b in bounds)


_Q, _TILT, _M = (to_shares(name) for name in ("qfedavg", "term", "propfair"))
LIMITS = (
    always(
        "U3",
        "AFL's decision is the limit of q-FedAvg's as q goes to 0",
        plain(ZERO, A1),
        of_vectors("max |limit of pᵢ - AFL's|", gap_at_zero),
        (Case(REPORT), Case(NEAR)),
        _REPORTED,
        expected="violated",
        remark="Table 1 has q to infinity; at q = 0 q-FedAvg is FedAvg.",
    ),
    always(
        "U3",
        "Clients whose loss isn't the largest get at most (1 - w)/w κ^q of q-FedAvg: AFL is the limit as q grows",
        limit.TO_WORST_Q,
        to_worst("qfedavg"),
        (Case(REPORT, loss_power=5), Case(LAST, loss_power=4)),
        _reported("loss_power"),
    ),
    always(
        "U6-zero",
        "At q = 0 q-FedAvg is FedAvg",
        equal(ZERO, A1),
        of_vectors("max |pᵢ - wᵢ|", gap_to_fedavg),
        (Case(REPORT), Case(NEAR)),
        _REPORTED,
    ),
    *_two(
        "U6-q",
        "As q goes to 0 q-FedAvg tends to FedAvg: ½ Σ|pᵢ - wᵢ| <= tanh(S/4) <= S/4, S = q log(max F/min F)",
        limit.TO_SHARES["q"],
        _Q,
        (Case(TWO, loss_power=1), Case(NEAR, loss_power="1/10")),
        _reported("loss_power"),
    ),
    *_two(
        "U6-tilt",
        "As λ goes to 0 TERM tends to FedAvg: the same with S = λ(max F - min F)",
        limit.TO_SHARES["tilt"],
        _TILT,
        (Case(TWO, loss_tilt="1/5"), Case(NEAR, loss_tilt="1/10")),
        _reported("loss_tilt"),
    ),
    *_two(
        "U6-baseline",
        "As M grows PropFair tends to FedAvg: the same with S = log((M - min F)/(M - max F))",
        limit.TO_SHARES["baseline"],
        _M,
        (Case(TWO, loss_baseline=5), Case(NEAR, loss_baseline=100)),
        _reported("loss_baseline"),
    ),
    always(
        "U6-worst",
        "As λ grows TERM tends to the worst clients: the others get at most (1 - w)/w e^{-λδ}",
        limit.TO_WORST_TILT,
        to_worst("term"),
        (Case(REPORT, loss_tilt=9), Case(LAST, loss_tilt=4)),
        _reported("loss_tilt"),
    ),
)

# Which constants ---------------------------------------------------------------------------------------------------------------


def above_the_shares(case: Case, ring: Ring) -> Any:
    """-<p, F> + KL(p | w)/lambda at TERM's weights, less the same at the shares."""
    method, shares, losses, tilt = at_losses("term", case, ring)
    weights = rule.own_weights(method, shares, losses, tilt)
    logs = np.array([(v.log() if ring is BALL else sympy.log(v)) for v in weights / shares], dtype=object)
    return one((weights * logs).sum() / tilt - (weights * losses).sum() + (shares * losses).sum(), ring)


def least_weight(case: Case) -> Number:
    """The smallest weight by PropFair's rule, whatever M is."""
    at: Any = case.instance
    masses = [w / (case.constants[M] - v) for w, v in zip(at.shares, at.losses, strict=True)]
    return min(m / sum(masses) for m in masses)


_ABOVE = of_vectors("objective at p of (3) - objective at nᵢ/n", above_the_shares, ENERGY)


def _defined(case: Case) -> str | None:
    at: Any = case.instance
    baseline = case.constants[M]
    masses = [] if baseline in at.losses else [w / (baseline - v) for w, v in zip(at.shares, at.losses, strict=True)]
    return None if masses and sum(masses) else "M is a loss, or the masses sum to 0"


_OFF_THE_POLE = Assumption("the weights are defined", _defined)
_LEAST = of_case("-min pᵢ", lambda case: -least_weight(case))
_NONZERO = (sympy.Ne(loss_tilt, 0),)
CONSTANTS = (
    always(
        "U4-sign",
        "TERM's weights minimise -<p, F> + ηKL(p | n/n), η = 1/λ, for every λ: not above its value at nᵢ/n",
        plain(ZERO, REMARK, conditions=_NONZERO),
        _ABOVE,
        (Case(REPORT, loss_tilt=-2), Case(LAST, loss_tilt="-1/2")),
        drawn("unification", "reported", constant="loss_tilt", signed=True),
        expected="violated",
        remark="A.1 lets λ be any real number. Below 0 the step size of (2) is negative and (3) maximises.",
    ),
    always(
        "U4-sign",
        "TERM's weights minimise -<p, F> + ηKL(p | n/n), η = 1/λ, for λ > 0: not above its value at nᵢ/n",
        plain(ZERO, REMARK, "corrected", TILT),
        _ABOVE,
        cases_of("term", REPORT, THREE),
        _reported("loss_tilt"),
    ),
    always(
        "U5-domain",
        "PropFair's weights are a decision for any M >= 1",
        plain(ZERO, A1, conditions=(M >= 1,)),
        _LEAST,
        (Case(Reported((1, 1), ("1/2", 2)), loss_baseline=1),),
        _reported("loss_baseline"),
        (_OFF_THE_POLE,),
        expected="violated",
        misscaled=True,
        remark="A loss above M has a weight of the other sign; and 1 has no unit.",
    ),
    always(
        "U5-domain",
        "PropFair's weights are a decision for any M above all losses",
        plain(ZERO, A1, "corrected", BASELINE),
        _LEAST,
        cases_of("propfair", REPORT, THREE),
        quadratic("propfair"),
    ),
)

# Section 4.1, a: is there a state? -----------------------------------------------------------------------------------------------


def next_decision(name: str, case: Case, first: Any, ring: Ring) -> Any:
    """The decision after two rounds with losses ``first`` and then the last ones; AFL projects its ascent of rate 1."""
    at: Any = case.instance
    shares, losses, before = (numbers(v, ring) for v in (at.shares, at.losses, first))
    if name == "afl":
        return rule.ascent_step(rule.ascent_step(shares, before, 1), losses, 1)
    method, constant = rule.METHODS[name], constant_of(name, case, ring)
    decision = shares
    for reported in (before, losses):
        decision = rule.step_weights(method, shares, reported, constant)
    return decision


def memory(*names: str) -> DirectMeasure:
    """How far the decisions after two histories are apart, at most over the methods."""

    def compute(case: Case, ring: Ring) -> Any:
        at: Any = case.instance
        found = [
            apart(next_decision(n, case, at.first, ring), next_decision(n, case, at.other, ring), ring) for n in names
        ]
        return reduce(lambda a, b: a.max(b), found) if ring is BALL else max(found)

    return of_vectors("max |pᵢ after one history - after the other|", compute)


HISTORIES = Histories((5, 3, 2), ("1/10", "7/10", "3/10"), ("1/2", "1/10", "1/5"), ("1/5", "1/5", "1/4"))
CLOSE = Histories((1, 1), ("1/10", "1/5"), ("1/5", "1/10"), ("1/10", "1/10"))
_SET: dict[str, Number | str] = {"loss_power": 2, "loss_tilt": "1/2", "loss_baseline": 3}
_HISTORIES = drawn("unification", "histories")
_FOUR = ("fedavg", "qfedavg", "term", "propfair")
_ALL_OF_THEM = (low > 0, loss_tilt > 0, top < M)

# c: what is the decision loss? -----------------------------------------------------------------------------------------------


def _decisions(case: Case) -> tuple[Any, Any, Any]:
    at: Any = case.instance
    return at.p, at.q, at.losses


def loss_change(case: Case) -> Number:
    """|<p, F> - <q, F>| over the 1-norm of p - q."""
    p, q, losses = _decisions(case)
    moved = [a - b for a, b in zip(p, q, strict=True)]
    return abs(sum((m * Fraction(v) for m, v in zip(moved, losses, strict=True)), Fraction(0))) / sum(map(abs, moved))


def convexity_gap(instance: Any) -> Number:
    """Mean loss of two decisions less that of their middle."""
    at = instance

    def loss(p: Any) -> Any:
        return -sum(a * v for a, v in zip(p, at.losses, strict=True))

    middle = [Fraction(a + b) / 2 for a, b in zip(at.p, at.q, strict=True)]
    return Fraction(loss(at.p) + loss(at.q)) / 2 - loss(middle)


def _extremes(case: Case) -> str | None:
    p, q, losses = _decisions(case)
    ends = [[v for v, weight in zip(losses, decision, strict=True) if weight] for decision in (p, q)]
    ordered = set(ends[0]) == {max(losses)} and set(ends[1]) == {min(losses)}
    return None if ordered else "the decisions aren't on a worst client and on a best one"


EXTREMES = Assumption("all on the worst clients, and all on the best", _extremes)
MOVED = (
    Case(TwoDecisions((1, 0, 0), (0, 1, 0), (9, 0, 4))),
    Case(TwoDecisions(("1/2", "1/2"), ("1/3", "2/3"), (1, 2))),
    Case(TwoDecisions(("1/2", "1/4", "1/4"), ("1/3", "1/3", "1/3"), (3, "1/2", 1))),
)
_MOVED = drawn("unification", "two_decisions")
_CHANGE = of_case("|Δℓ| / |p - q|₁", loss_change, ENERGY)
OF_REMARK_A_TO_C = (
    always(
        "U7-a",
        "The methods of Table 1, AFL among them, ignore earlier rounds",
        equal(ZERO, SECTION, conditions=_ALL_OF_THEM),
        memory(*_FOUR, "afl"),
        (Case(HISTORIES, **_SET), Case(CLOSE, **_SET)),
        _HISTORIES,
        expected="violated",
        remark="AFL ascends from its last decision, in the Euclidean geometry.",
    ),
    always(
        "U7-a",
        "FedAvg, q-FedAvg, TERM and PropFair ignore earlier rounds",
        equal(ZERO, SECTION, "corrected", _ALL_OF_THEM),
        memory(*_FOUR),
        (Case(HISTORIES, **_SET), Case(CLOSE, **_SET)),
        _HISTORIES,
    ),
    always(
        "U7-c",
        "Their decision loss -<p, r> is not strictly convex: at no two decisions is there a gap in the middle",
        equal(ZERO, SECTION),
        of_instance("(ℓ(p) + ℓ(q))/2 - ℓ((p + q)/2)", convexity_gap, ENERGY),
        MOVED,
        _MOVED,
    ),
    always(
        "U7-c-lipschitz",
        "For given responses their decision loss is Lipschitz: |Δℓ| <= max r |p - q|₁ (TERM: r = F)",
        plain(top, SECTION, "corrected"),
        _CHANGE,
        MOVED,
        _MOVED,
        remark='"Not Lipschitz" can only mean that no constant serves all losses.',
    ),
    always(
        "U7-c-lipschitz",
        "and even |Δℓ| <= ½(max r - min r)|p - q|₁ (TERM: r = F)",
        plain((top - low) / 2, SECTION, "sharpened"),
        _CHANGE,
        MOVED,
        _MOVED,
    ),
    always(
        "U7-c-uniform",
        "No constant serves all losses: from the worst client to the best |Δℓ| is ½(max F - min F)|p - q|₁",
        equal((top - low) / 2, SECTION, "corrected"),
        _CHANGE,
        tuple(Case(TwoDecisions((1, 0, 0), (0, 1, 0), (10**k, 0, 1))) for k in (0, 3, 6)),
        drawn("unification", "two_decisions", extremes=True),
        (EXTREMES,),
    ),
)

CLAIMS: tuple[Claim, ...] = (*LIMITS, *CONSTANTS, *OF_REMARK_A_TO_C)
