"""Sections 3, 4.1 and 6: (5), Theorem 4, and Theorem 9 for mini-batch SGD."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from sympy import sqrt

from fltheory.claims.claim import Claim
from fltheory.claims.statement import formula_measure, quantity, requires
from fltheory.model.bound import HIDDEN_CONSTANT
from fltheory.model.case import Case
from fltheory.model.schema import lazy_strategy
from fltheory.number import Number
from fltheory.papers.osmd.algorithms import osmd
from fltheory.papers.osmd.algorithms.adaptive import adaptive
from fltheory.papers.osmd.bounds import FLOORED, WITH_EXPERTS
from fltheory.papers.osmd.conditions import ALPHA_CONSTANT, BELOW_G, EVERY_ALPHA, OWN_CONSTANTS, SMOOTH_BOUNDED
from fltheory.papers.osmd.instances.bounded_clients import (
    HuberClients,
    ProportionalClients,
    SlopeClients,
    TiltedClients,
)
from fltheory.papers.osmd.instances.bounded_gradients import BoundedClients
from fltheory.papers.osmd.instances.training_parameters import TrainingParameters
from fltheory.papers.osmd.notation import A, D, K, L, T, alpha, batch, eta, mu, nu, sigma, zeta_unif
from fltheory.papers.osmd.paper import PAPER
from fltheory.papers.osmd.sgd import bounds
from fltheory.papers.osmd.sgd.closed_forms.kinked import SampledKinks
from fltheory.papers.osmd.sgd.closed_forms.sgd import MeanSquaredGradient
from fltheory.papers.osmd.sgd.closed_forms.strongly_convex import SampledQuadratics
from fltheory.runs.measures import ENERGY, GRADIENT_SQUARED


@lazy_strategy
def strongly_convex() -> Any:
    """Draw quadratic clients and clients with kinks, for (5)."""
    from fltheory.papers.osmd.sgd.families import strongly_convex

    return strongly_convex


@lazy_strategy
def quadratics() -> Any:
    """Draw quadratic clients."""
    from fltheory.papers.osmd.sgd.families import quadratics

    return quadratics


@lazy_strategy
def trainings() -> Any:
    """Draw runs of mini-batch SGD."""
    from fltheory.papers.osmd.sgd.families import trainings

    return trainings


@lazy_strategy
def parameters() -> Any:
    """Draw constants for comparisons of rates."""
    from fltheory.papers.osmd.sgd.families import parameters

    return parameters


# (5) ------------------------------------------------------------------------------------------------------------------

_FIVE = "F strongly convex, full gradients, steps 2/(νt): E F(weighted average) - F*"
_SPREAD = (
    SampledQuadratics((1, -1), 1, 3, 4),
    SampledQuadratics((1, -1, 3), 2, 5, 8, (1, 2, "1/2"), (1, 2, 1)),
    SampledQuadratics((0, 0), 1, 100, 1),
    SampledQuadratics((2, -1), 0, 2, 30, (1, 3), (2, 1)),
)


def _kinked_case(n_sampled: int, n_rounds: int, start: Number, width: Number, **more: Any) -> Case:
    """Return F = w^2/2 + |w|, rounded on [-width, width]: its start leaves the corner in the last round but one."""
    return Case(SampledKinks(0, start, n_sampled, n_rounds, kinks=((1 / width, -width, width),), **more))


_BENT = Case(SampledKinks(0, "1/10", 2, 2, kinks=((100, 0, "1/10"),)))
_CORNER = _kinked_case(2, 2, Fraction(1, 100), Fraction(1, 100))
_STEEP = _kinked_case(2, 12, Fraction(36, 10**42), Fraction(1, 10**4))
_APART = Case(SampledKinks((1, -1), "1/2", 2, 3, (1, 2), (1, 3), ((20, 0, "1/4"), (5, 1, 2))))

QUADRATIC = requires("F is a quadratic whose curvature is ν",
    lambda one, c: None if type(one) is SampledQuadratics else "F is no quadratic whose curvature is ν")
FIVE: dict[str, Any] = {"kind": "upper bound", "assumptions": OWN_CONSTANTS, "family": strongly_convex(max_sampled=8)}

averaged_gap = PAPER.lemma("C-5", "(5), Theorem 3 of Salehi et al.", "E F(Σ t w_t / Σ t) - F*",
    lambda one, c: one.averaged_gap, ENERGY, **FIVE)

two_draws = averaged_gap.restated("C-5-two", family=strongly_convex(max_sampled=2))
EQUATION_5 = (
    averaged_gap.printed(_FIVE, bounds.FIVE,
        counterexamples=(Case(SampledQuadratics(0, 1, 3, 1)), Case(SampledQuadratics((1, -1), 1, 10, 1)),
            Case(SampledQuadratics((1, -1), 2, 200, 5))),
        remark="What enters is the second moment of the estimator, its variance plus |J|². One client, one round: ν/2 > ν/K for "
        "K >= 3. For K = 2 it is true with one round and false with more, see C-5-two-long."),
    averaged_gap.restated("C-5-one", family=strongly_convex(max_sampled=1)).printed(_FIVE, quantity <= bounds.FIVE.expr,
        given=[nu > 0, K <= 1],
        cases=(Case(SampledQuadratics((1, -1), 1, 1, 4)),
            Case(SampledQuadratics((2, -1, 0), 3, 1, 10, (1, 3, 2), (2, 1, 1))),
            _kinked_case(1, 12, Fraction(36, 10**42), Fraction(1, 10**4))),
        remark="A single draw a round: the printed (5) is then the corrected one. F = w²/2 + |w| comes within T/(T + 1)."),
    two_draws.printed(_FIVE, quantity <= bounds.FIVE.expr, given=[nu > 0, K <= 2, T <= 1],
        cases=(Case(SampledQuadratics((1, -1), 1, 2, 1)), Case(SampledQuadratics((0, 0), 1, 2, 1))),
        remark="Two draws, one round: it is F - F* <= |∇F|²/(2ν), an equality for equal clients."),
    two_draws.restated("C-5-two-long").printed(_FIVE, quantity <= bounds.FIVE.expr, given=[nu > 0, K <= 2, T >= 2],
        counterexamples=(_BENT, _CORNER, _STEEP),
        remark="Two draws and more than one round. F = w²/2 + |w| with its corner rounded, left in the last round but one, comes "
        "arbitrarily close to K T/(T + 1) times the printed bound: 4/3 for two rounds, 2 for many."),
    averaged_gap.restated("C-5-two-long").corrected(_FIVE + ", at most K times as printed", bounds.FIVE_FACTOR,
        cases=(_BENT, _CORNER, _STEEP, _APART, *map(Case, _SPREAD)), tightest=_STEEP,
        remark="For every K and T. No factor below K T/(T + 1) is possible; a semidefinite program finds K · 0.94 at T = 12."),
    two_draws.restated("C-5-two-quadratic", family=quadratics(max_sampled=2), assumptions=(*OWN_CONSTANTS, QUADRATIC)).printed(
        "F = ν|w - w*|²/2 + F*, full gradients, steps 2/(νt): E F(weighted average) - F*", quantity <= bounds.FIVE.expr,
        given=[nu > 0, K <= 2, T >= 2],
        cases=(Case(SampledQuadratics((1, -1), 1, 2, 4)), Case(SampledQuadratics(0, 1, 2, 2, 2)),
            Case(SampledQuadratics((2, -1), 0, 2, 30, (1, 3), (2, 1)))),
        remark="For F = ν|w - w*|²/2 alone, where the mean of w - w* is 0 from the third round on and only noise is left."),
    averaged_gap.corrected(_FIVE, bounds.FIVE_CORRECTED, cases=(*map(Case, _SPREAD), _STEEP, _APART), tightest=_STEEP),
)

# Theorem 4 ------------------------------------------------------------------------------------------------------------

GRADIENT = MeanSquaredGradient()
SIZE = ((A, bounds.A_SGD),)  # bound on the feedback
RATES = ((eta, bounds.ETA_SGD), *SIZE)


def _run(instance: BoundedClients, n_rounds: int, n_sampled: int, batch_size: int = 1, **more: object) -> Case:
    return Case(instance, n_rounds=n_rounds, n_sampled=n_sampled, batch_size=batch_size, **more)


# Short runs are enumerated, the slope's run is always straight, the others are simulated.
_SHORT = HuberClients(2, "1/10", 1, noise_std="1/10")
_PROPORTIONAL = ProportionalClients((1, 2), "1/2", noise_std="1/2")
_TILTED = TiltedClients((1,), 1, noise_std="1/2")
_ORDINARY = (
    _run(_SHORT, 3, 2),
    _run(SlopeClients(2, "1841/250000", "13593/100"), 10**6, 1, gradient_bound=1),
    _run(_PROPORTIONAL, 200, 2),
    _run(_TILTED, 300, 3, 2),
)
_LONGER = (_run(_PROPORTIONAL, 1_000, 4), _run(_TILTED, 1_000, 2, 4))
_MANY = _run(HuberClients(2, "1/5", 1, floor=1), 2, 300)  # T = 2: every sample path is enumerated
_MANY_FLOORED = _run(HuberClients(2, "1/5", 1, floor="1/2"), 2, 1000)
_LONGER_AT = tuple(c.with_settings(step_size="1/20") for c in _LONGER)
_TIGHT = _run(HuberClients(2, "1/10", 1, floor=1), 100, 30, step_size=1)
_T4 = "mini-batch SGD with OSMD at the tuned steps: E|∇F(w_R)|²"
_FREE = "mini-batch SGD with OSMD, any step up to 1/L: E|∇F(w_R)|²"
_SHORT_RUNS: dict[str, Any] = {"max_sampled": 400, "max_rounds": 2, "most": 2, "noisy": True, "kinds": ("huber", "tilted")}
_SLOPES: dict[str, Any] = {"kinds": ("slope",), "on_slope": 10**24}
_WIDE: dict[str, Any] = {"max_sampled": 500, "max_rounds": 30}
_PREMIN = (
    _run(_SHORT, 3, 2, step_size="1/20"),
    _run(HuberClients(2, "1/10", 1, floor=1, noise_std="1/10"), 2, 3, 3, step_size="1/2"),
    _run(_PROPORTIONAL, 200, 2, step_size="1/20"),
    _run(_TILTED, 300, 3, 2, step_size="1/20"),
    _run(SlopeClients(2, "1/20", 50), 100_000, 1, gradient_bound="1/2", step_size="1/250"),
)

tuned = PAPER.theorem("C-T4", "Theorem 4 (14)", GRADIENT, osmd, assumptions=SMOOTH_BOUNDED,
    tuning=((mu, bounds.T4_STEP), *RATES), family=trainings())
any_step = tuned.restated("C-T4-premin", "Theorem 4 (35)", tuning=RATES, family=trainings(step=True),
    full_cases=lambda: _LONGER_AT)
THEOREM_4 = (
    tuned.printed(_T4, quantity <= bounds.sgd_rate((2, 4, 4, 3)), given=bounds.WITHIN, note=bounds.OUT_OF_REACH,
        counterexamples=(_MANY, _MANY_FLOORED), family=trainings(**_SHORT_RUNS),
        remark="A client that is drawn twice sends the same update twice, so for K far above M the noise stays at σ²/(MB)."),
    tuned.explicit(_T4, bounds.T4_EXPLICIT, cases=_ORDINARY, full_cases=lambda: _LONGER, remark=BELOW_G.format("7.7e2")),
    tuned.corrected(_T4, bounds.T4_CORRECTED, cases=(*_ORDINARY, _MANY, _MANY_FLOORED), full_cases=lambda: _LONGER,
        tuning=((mu, bounds.T4_STEP_ANY), *RATES), family=trainings(**_WIDE), remark=BELOW_G.format("7.7e2")),
    any_step.explicit(_FREE, bounds.T4_PREMIN, cases=_PREMIN),
    any_step.strengthened(_FREE, bounds.T4_PREMIN_SHARP, cases=(*_PREMIN, _MANY.with_settings(step_size=1), _TIGHT),
        family=trainings(step=True, **_WIDE), tightest=_TIGHT),
)

# Comparison with uniform sampling -------------------------------------------------------------------------------------

UNIFORM_SGD = D * L / T + sigma * sqrt(D * L) / sqrt(T * K * batch) + zeta_unif * sqrt(D * L) / sqrt(T * K)
OSMD_SGD = bounds.sgd_rate((1, 1, 1, 1))
LONG_RUNS = [*FLOORED, bounds.LONG_ENOUGH]
_COMPARED = "the rate of OSMD, (14), against that of uniform sampling, once T is large enough"
_ENOUGH = (
    Case(TrainingParameters(n_rounds=10**9)),
    Case(
        TrainingParameters(n_clients=100, n_rounds=460_000_000, probability_floor="2/5", noise_std=0,
            gradient_bound="3/2", heterogeneity="1/2", dynamic_heterogeneity=0)),
    Case(
        TrainingParameters(n_clients=2, n_rounds=10**30, probability_floor="1/10000", noise_std=1, gradient_bound=2,
            heterogeneity="1/10", dynamic_heterogeneity=0)),
)
_LOW: dict[str, Any] = {"probability_floor": "1/100000000", "n_rounds": 10**80}
against_uniform = PAPER.theorem("C-T4cmp", "text after Theorem 4",
    formula_measure("R_osmd", OSMD_SGD, GRADIENT_SQUARED), kind="comparison", cases=_ENOUGH, family=parameters())
COMPARISON = (
    against_uniform.printed(_COMPARED + ": at most 1/√α times as large", quantity <= UNIFORM_SGD / sqrt(alpha),
        note=ALPHA_CONSTANT, given=LONG_RUNS,
        remark="Both are upper bounds. The requirement reads T >= q_β M²G⁴/(α⁶(ζ_unif - ζ_T)⁴): 4.6e8 rounds for M = 100, α = "
        "0.4, G = 3(ζ_unif - ζ_T)."),
    against_uniform.strict(_COMPARED + ", with one constant for every α", quantity <= HIDDEN_CONSTANT * UNIFORM_SGD,
        note=EVERY_ALPHA, given=LONG_RUNS,
        counterexamples=[
            Case(
                TrainingParameters(n_clients=2, noise_std=1, gradient_bound=2, heterogeneity="1/10",
                    dynamic_heterogeneity=0, **_LOW))],
        family=parameters(noise_std=100, heterogeneity="1/100", dynamic_heterogeneity="1/1000", **_LOW),
        remark="The noise term of (14) carries 1/√α, that of uniform sampling doesn't: no constant covers every α. The text "
        "takes α as a constant."),
    against_uniform.corrected(_COMPARED,
        quantity <= UNIFORM_SGD + (1 / sqrt(alpha) - 1) * sigma * sqrt(D * L) / sqrt(T * K * batch),
        note="the noise term of Theorem 4 carries 1/sqrt(alpha)", given=LONG_RUNS,
        remark="With the constant 1; without noise it is uniform sampling's own rate. It compares upper bounds, not runs."),
)

# Theorem 9, mini-batch SGD --------------------------------------------------------------------------------------------

_T9 = "mini-batch SGD with Adaptive-OSMD at the tuned step: E|∇F(w_R)|²"
_FREE_9 = "mini-batch SGD with Adaptive-OSMD, any step up to 1/L: E|∇F(w_R)|²"
_FLAT = SlopeClients(2, "131/100000", "15287/20")
with_experts = PAPER.theorem("C-T9a", "Theorem 9, mini-batch SGD", GRADIENT, adaptive(), assumptions=SMOOTH_BOUNDED,
    tuning=((mu, bounds.T9A_STEP), *SIZE), family=trainings())
THEOREM_9 = (
    replace(with_experts, method=adaptive("printed")).printed(_T9,
        quantity <= HIDDEN_CONSTANT * (OSMD_SGD + bounds.META_TERM_PRINTED), given=bounds.WITHIN, where=WITH_EXPERTS,
        note=f"the order sign read as {HIDDEN_CONSTANT}",
        counterexamples=(_run(SlopeClients(2, "1/10000", 4_898_226), 10**20, 1, gradient_bound=1),
            _run(SlopeClients(2, "1/1000", 477_502_122_805), 10**22, 1, gradient_bound=1)),
        tuning=((mu, bounds.T9A_STEP_PRINTED), *SIZE), family=trainings(**_SLOPES), inconsistent_units=True,
        remark="The step decays like T^(-1/2), where T^(-1/4) balances the two sides, and so does the rate: on a slope the model "
        "cannot have converged yet, however clients are sampled. Step and rate are also dimensionally inconsistent."),
    with_experts.corrected(_T9, bounds.T9A_CORRECTED,
        cases=(_run(_SHORT, 3, 2), _run(_FLAT, 10**8, 1, gradient_bound=1), _run(_PROPORTIONAL, 300, 4),
            _run(_TILTED, 300, 4, 2)), full_cases=lambda: _LONGER, remark=BELOW_G.format("1.6e3")),
    with_experts.restated("C-T9a-premin", tuning=SIZE, family=trainings(step=True)).explicit(_FREE_9, bounds.T9A_PREMIN,
        cases=(_run(_SHORT, 3, 2, step_size="1/20"), _run(_PROPORTIONAL, 300, 3, step_size="1/20"),
            _run(_TILTED, 300, 3, 2, step_size="1/20")), full_cases=lambda: _LONGER_AT),
)

CLAIMS: tuple[Claim, ...] = (*EQUATION_5, *THEOREM_4, *COMPARISON, *THEOREM_9)
