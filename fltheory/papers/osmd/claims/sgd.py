"""Sections 3, 4.1 and 6: (5), Theorem 4, and Theorem 9 for mini-batch SGD."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from sympy import Expr

from fltheory.bound import Bound
from fltheory.case import Assumption, Case
from fltheory.claim import Claim
from fltheory.games.sampler import Sampler
from fltheory.papers.osmd.algorithms import osmd
from fltheory.papers.osmd.algorithms.adaptive import adaptive
from fltheory.papers.osmd.bounds import rates
from fltheory.papers.osmd.claims.direct import BELOW_G, OWN_CONSTANTS, SMOOTH_BOUNDED, claim, drawn
from fltheory.papers.osmd.data.bounded_clients import HuberClients, ProportionalClients, SlopeClients, TiltedClients
from fltheory.papers.osmd.data.training_parameters import TrainingParameters
from fltheory.papers.osmd.exact.kinked import SampledKinks
from fltheory.papers.osmd.exact.sgd import MeanSquaredGradient
from fltheory.papers.osmd.exact.strongly_convex import AVERAGED_GAP, SampledQuadratics
from fltheory.papers.osmd.letters import A, K, T, eta, mu
from fltheory.runs.measures import GRADIENT_SQUARED, DirectMeasure, in_ring

# (5) ------------------------------------------------------------------------------------------------------------------


_FIVE = "F strongly convex, full gradients, steps 2/(νt): E F(weighted average) - F*"
_SPREAD = (
    SampledQuadratics((1, -1), 1, 3, 4),
    SampledQuadratics((1, -1, 3), 2, 5, 8, (1, 2, "1/2"), (1, 2, 1)),
    SampledQuadratics((0, 0), 1, 100, 1),
    SampledQuadratics((2, -1), 0, 2, 30, (1, 3), (2, 1)),
)


def _kinked(n_sampled: int, n_rounds: int, start: Any, width: Any, **more: Any) -> Case:
    """F = w^2/2 + |w|, the corner rounded on [-width, width]: started so that it leaves the corner in the last round but one."""
    return Case(SampledKinks(0, start, n_sampled, n_rounds, kinks=((1 / width, -width, width),), **more))


_BENT = Case(SampledKinks(0, "1/10", 2, 2, kinks=((100, 0, "1/10"),)))
_CORNER = _kinked(2, 2, Fraction(1, 100), Fraction(1, 100))
_STEEP = _kinked(2, 12, Fraction(36, 10**42), Fraction(1, 10**4))
_APART = Case(SampledKinks((1, -1), "1/2", 2, 3, (1, 2), (1, 3), ((20, 0, "1/4"), (5, 1, 2))))


def _within(bound: Bound, *conditions: Any) -> Bound:
    return replace(bound, conditions=(*bound.conditions, *conditions))


def _quadratic(case: Case) -> str | None:
    return None if type(case.instance) is SampledQuadratics else "F is no quadratic whose curvature is ν"


def _five(
    name: str, bound: Bound, cases: tuple[Case, ...], most: int = 8, search: str = "strongly_convex", **more: Any
) -> Claim:
    family = drawn("sgd", search, max_sampled=most)
    statement, assumptions = more.pop("statement", _FIVE), more.pop("assumptions", OWN_CONSTANTS)
    return claim(name, statement, bound, AVERAGED_GAP, cases, family, assumptions, **{"kind": "upper bound", **more})


EQUATION_5 = (
    _five(
        "C-5",
        rates.FIVE,
        (
            Case(SampledQuadratics(0, 1, 3, 1)),
            Case(SampledQuadratics((1, -1), 1, 10, 1)),
            Case(SampledQuadratics((1, -1), 2, 200, 5)),
        ),
        expected="violated",
        remark="What enters is the second moment of the estimator, its variance plus |J|². One client, one round: ν/2 > ν/K "
        "for K >= 3. For K = 2 it is true with one round and false with more, see C-5-two-long.",
    ),
    _five(
        "C-5-one",
        _within(rates.FIVE, K <= 1),
        (
            Case(SampledQuadratics((1, -1), 1, 1, 4)),
            Case(SampledQuadratics((2, -1, 0), 3, 1, 10, (1, 3, 2), (2, 1, 1))),
            _kinked(1, 12, Fraction(36, 10**42), Fraction(1, 10**4)),
        ),
        1,
        remark="A single draw a round: the printed (5) is then the corrected one. F = w²/2 + |w| comes within T/(T + 1).",
    ),
    _five(
        "C-5-two",
        _within(rates.FIVE, K <= 2, T <= 1),
        (Case(SampledQuadratics((1, -1), 1, 2, 1)), Case(SampledQuadratics((0, 0), 1, 2, 1))),
        2,
        remark="Two draws, one round: it is F - F* <= |∇F|²/(2ν), an equality for equal clients.",
    ),
    _five(
        "C-5-two-long",
        _within(rates.FIVE, K <= 2, T >= 2),
        (_BENT, _CORNER, _STEEP),
        2,
        expected="violated",
        remark="Two draws and more than one round. F = w²/2 + |w| with its corner rounded, left in the last round but one, comes "
        "as close as one likes to K T/(T + 1) times the printed bound: 4/3 for two rounds, 2 for many.",
    ),
    _five(
        "C-5-two-long",
        rates.FIVE_FACTOR,
        (_BENT, _CORNER, _STEEP, _APART, *map(Case, _SPREAD)),
        tightest=_STEEP,
        statement=_FIVE + ", at most K times as printed",
        remark="For every K and T. No factor below K T/(T + 1) is possible; a semidefinite program finds K · 0.94 at T = 12.",
    ),
    _five(
        "C-5-two-quadratic",
        _within(rates.FIVE, K <= 2, T >= 2),
        (
            Case(SampledQuadratics((1, -1), 1, 2, 4)),
            Case(SampledQuadratics(0, 1, 2, 2, 2)),
            Case(SampledQuadratics((2, -1), 0, 2, 30, (1, 3), (2, 1))),
        ),
        2,
        search="quadratics",
        statement="F = ν|w - w*|²/2 + F*, full gradients, steps 2/(νt): E F(weighted average) - F*",
        assumptions=(*OWN_CONSTANTS, Assumption("F is a quadratic whose curvature is ν", _quadratic)),
        remark="For F = ν|w - w*|²/2 alone, where the mean of w - w* is 0 from the third round on and only noise is left.",
    ),
    _five("C-5", rates.FIVE_CORRECTED, (*map(Case, _SPREAD), _STEEP, _APART), tightest=_STEEP),
)

# Theorem 4 ------------------------------------------------------------------------------------------------------------

GRADIENT: Any = MeanSquaredGradient()


def training(
    name: str,
    statement: str,
    bound: Bound,
    cases: tuple[Case, ...],
    step: Expr | None,
    sampler: Sampler = osmd,
    more: tuple[Case, ...] = (),
    search: dict[str, Any] | None = None,
    **others: Any,
) -> Claim:
    """A rate of mini-batch SGD, at the tuned step (``step``) or at the case's."""
    tuning = ((eta, rates.ETA_SGD), (A, rates.A_SGD)) if sampler is osmd else ((A, rates.A_SGD),)
    return Claim.recorded(
        f"osmd/{name}@{bound.source.reading}",
        statement,
        (bound,),
        GRADIENT,
        sampler,
        SMOOTH_BOUNDED,
        tuning=tuning if step is None else ((mu, step), *tuning),
        cases=cases,
        more=(lambda: more) if more else None,
        family=drawn("sgd", "trainings", step=step is None, **(search or {})),
        **others,
    )


def _run(instance: Any, n_rounds: int, n_sampled: int, batch_size: int = 1, **more: Any) -> Case:
    return Case(instance, n_rounds=n_rounds, n_sampled=n_sampled, batch_size=batch_size, **more)


# Short runs are enumerated, the slope's is surely straight, the others are simulated.
_SHORT = HuberClients(2, "1/10", 1, noise_std="1/10")
_FAR = SlopeClients(2, "1841/250000", "13593/100")
_PROPORTIONAL = ProportionalClients((1, 2), "1/2", noise_std="1/2")
_TILTED = TiltedClients((1,), 1, noise_std="1/2")
_ORDINARY = (
    _run(_SHORT, 3, 2),
    _run(_FAR, 10**6, 1, gradient_bound=1),
    _run(_PROPORTIONAL, 200, 2),
    _run(_TILTED, 300, 3, 2),
)
_LONGER = (_run(_PROPORTIONAL, 1_000, 4), _run(_TILTED, 1_000, 2, 4))
_MANY = _run(HuberClients(2, "1/5", 1, floor=1), 2, 300)  # T = 2: every course is enumerated
_MANY_FLOORED = _run(HuberClients(2, "1/5", 1, floor="1/2"), 2, 1000)
_TIGHT = _run(HuberClients(2, "1/10", 1, floor=1), 100, 30, step_size=1)
_AT: dict[str, Any] = {"step_size": "1/20"}
_T4 = "mini-batch SGD with OSMD at the tuned steps: E|∇F(w_R)|²"
_FREE = "mini-batch SGD with OSMD, any step up to 1/L: E|∇F(w_R)|²"
_SHORT_RUNS: dict[str, Any] = {
    "max_sampled": 400,
    "max_rounds": 2,
    "most": 2,
    "noisy": True,
    "kinds": ("huber", "tilted"),
}
_SLOPES: dict[str, Any] = {"kinds": ("slope",), "on_slope": 10**24}
_WIDE: dict[str, Any] = {"max_sampled": 500, "max_rounds": 30}
_PREMIN = (
    _run(_SHORT, 3, 2, **_AT),
    _run(HuberClients(2, "1/10", 1, floor=1, noise_std="1/10"), 2, 3, 3, step_size="1/2"),
    _run(_PROPORTIONAL, 200, 2, **_AT),
    _run(_TILTED, 300, 3, 2, **_AT),
    _run(SlopeClients(2, "1/20", 50), 100_000, 1, gradient_bound="1/2", step_size="1/250"),
)

THEOREM_4 = (
    training(
        "C-T4",
        _T4,
        rates.T4,
        (_MANY, _MANY_FLOORED),
        rates.T4_STEP,
        search=_SHORT_RUNS,
        expected="violated",
        remark="A client that is drawn twice answers the same, so for K far above M the noise stays at σ²/(MB).",
    ),
    training("C-T4", _T4, rates.T4_EXPLICIT, _ORDINARY, rates.T4_STEP, more=_LONGER, remark=BELOW_G.format("7.7e2")),
    training(
        "C-T4",
        _T4,
        rates.T4_CORRECTED,
        (*_ORDINARY, _MANY, _MANY_FLOORED),
        rates.T4_STEP_ANY,
        more=_LONGER,
        search=_WIDE,
        remark=BELOW_G.format("7.7e2"),
    ),
    training("C-T4-premin", _FREE, rates.T4_PREMIN, _PREMIN, None, more=tuple(c.with_settings(**_AT) for c in _LONGER)),
    training(
        "C-T4-premin",
        _FREE,
        rates.T4_PREMIN_SHARP,
        (*_PREMIN, _MANY.with_settings(step_size=1), _TIGHT),
        None,
        search=_WIDE,
        tightest=_TIGHT,
        more=tuple(c.with_settings(**_AT) for c in _LONGER),
    ),
)

# Comparison with uniform sampling -------------------------------------------------------------------------------------

_OSMD_RATE = DirectMeasure("R_osmd", lambda case, ring: in_ring(rates.OSMD_SGD, case, ring), GRADIENT_SQUARED)
_COMPARED = "the rate of OSMD, (14), against that of uniform sampling, once T is large enough"
_ENOUGH = (
    Case(TrainingParameters(n_rounds=10**9)),
    Case(
        TrainingParameters(
            n_clients=100,
            n_rounds=460_000_000,
            probability_floor="2/5",
            noise_std=0,
            gradient_bound="3/2",
            heterogeneity="1/2",
            dynamic_heterogeneity=0,
        )
    ),
    Case(
        TrainingParameters(
            n_clients=2,
            n_rounds=10**30,
            probability_floor="1/10000",
            noise_std=1,
            gradient_bound=2,
            heterogeneity="1/10",
            dynamic_heterogeneity=0,
        )
    ),
)
_LOW: dict[str, Any] = {"probability_floor": "1/100000000", "n_rounds": 10**80}
COMPARISON = (
    claim(
        "C-T4cmp",
        _COMPARED + ": at most 1/√α times as large",
        rates.T4_COMPARED,
        _OSMD_RATE,
        _ENOUGH,
        drawn("sgd", "parameters"),
        kind="comparison",
        remark="Both are upper bounds. The requirement reads T >= q_β M²G⁴/(α⁶(ζ_unif - ζ_T)⁴): 4.6e8 rounds for M = 100, "
        "α = 0.4, G = 3(ζ_unif - ζ_T).",
    ),
    claim(
        "C-T4cmp",
        _COMPARED + ", with one constant for every α",
        rates.T4_COMPARED_LITERAL,
        _OSMD_RATE,
        (
            Case(
                TrainingParameters(
                    n_clients=2, noise_std=1, gradient_bound=2, heterogeneity="1/10", dynamic_heterogeneity=0, **_LOW
                )
            ),
        ),
        drawn("sgd", "parameters", noise_std=100, heterogeneity="1/100", dynamic_heterogeneity="1/1000", **_LOW),
        expected="violated",
        kind="comparison",
        remark="The noise term of (14) carries 1/√α, that of uniform sampling doesn't: no constant covers every α. The text "
        "takes α as a constant.",
    ),
    claim(
        "C-T4cmp",
        _COMPARED,
        rates.T4_COMPARED_CORRECTED,
        _OSMD_RATE,
        _ENOUGH,
        drawn("sgd", "parameters"),
        kind="comparison",
        remark="With the constant 1; without noise it is uniform sampling's own rate. It compares upper bounds, not runs.",
    ),
)

# Theorem 9, mini-batch SGD --------------------------------------------------------------------------------------------

_T9 = "mini-batch SGD with Adaptive-OSMD at the tuned step: E|∇F(w_R)|²"
_FREE_9 = "mini-batch SGD with Adaptive-OSMD, any step up to 1/L: E|∇F(w_R)|²"
_FLAT = SlopeClients(2, "131/100000", "15287/20")
_LONG = 10**8
THEOREM_9 = (
    training(
        "C-T9a",
        _T9,
        rates.T9A,
        (
            _run(SlopeClients(2, "1/10000", 4_898_226), 10**20, 1, gradient_bound=1),
            _run(SlopeClients(2, "1/1000", 477_502_122_805), 10**22, 1, gradient_bound=1),
        ),
        rates.T9A_STEP_PRINTED,
        adaptive("printed"),
        search=_SLOPES,
        expected="violated",
        misscaled=True,
        remark="The step falls like T^(-1/2), where T^(-1/4) balances the two sides, and the rate with it: on a slope the "
        "model can't have arrived, whatever is sampled. Step and rate are also misscaled.",
    ),
    training(
        "C-T9a",
        _T9,
        rates.T9A_CORRECTED,
        (
            _run(_SHORT, 3, 2),
            _run(_FLAT, _LONG, 1, gradient_bound=1),
            _run(_PROPORTIONAL, 300, 4),
            _run(_TILTED, 300, 4, 2),
        ),
        rates.T9A_STEP,
        adaptive(),
        _LONGER,
        remark=BELOW_G.format("1.6e3"),
    ),
    training(
        "C-T9a-premin",
        _FREE_9,
        rates.T9A_PREMIN,
        (_run(_SHORT, 3, 2, **_AT), _run(_PROPORTIONAL, 300, 3, **_AT), _run(_TILTED, 300, 3, 2, **_AT)),
        None,
        adaptive(),
        tuple(c.with_settings(**_AT) for c in _LONGER),
    ),
)

CLAIMS: tuple[Claim, ...] = (*EQUATION_5, *THEOREM_4, *COMPARISON, *THEOREM_9)
