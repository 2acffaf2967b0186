"""Section 4.2: FedAvg. Local steps, (41), (45), Theorem 5, its comparison with uniform sampling, and Theorem 9 for FedAvg."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sympy import Eq, Expr, Integer, Rational, sqrt

from fltheory.claims.claim import Claim
from fltheory.claims.statement import formula_measure, quantity, requires
from fltheory.model.bound import HIDDEN_CONSTANT
from fltheory.model.case import Case
from fltheory.model.schema import lazy_strategy
from fltheory.number import Number
from fltheory.papers.osmd.algorithms import osmd
from fltheory.papers.osmd.algorithms.adaptive import adaptive
from fltheory.papers.osmd.bounds import FLOORED, META, Q_BETA, WITH_EXPERTS
from fltheory.papers.osmd.conditions import ALPHA_CONSTANT, BELOW_G, EVERY_ALPHA, OWN_CONSTANTS, SMOOTH_BOUNDED
from fltheory.papers.osmd.fedavg.closed_forms import local_steps as local
from fltheory.papers.osmd.fedavg.closed_forms.fedavg import FedAvgGradient
from fltheory.papers.osmd.fedavg.closed_forms.local_steps import OneClientRound, QuadraticRound
from fltheory.papers.osmd.instances.bounded_clients import (
    ApartClients,
    HuberClients,
    ProportionalClients,
    TiltedClients,
)
from fltheory.papers.osmd.instances.bounded_gradients import BoundedClients
from fltheory.papers.osmd.instances.training_parameters import TrainingParameters
from fltheory.papers.osmd.notation import (
    I_2,
    A,
    B,
    D,
    G,
    K,
    L,
    M,
    T,
    alpha,
    b,
    eta,
    g,
    mu,
    server,
    sigma,
    zeta_T,
    zeta_unif,
)
from fltheory.papers.osmd.paper import PAPER
from fltheory.papers.osmd.sgd import bounds
from fltheory.runs.measures import GRADIENT_SQUARED, LENGTH_SQUARED


@lazy_strategy
def local_rounds() -> Any:
    """Draw rounds of local steps on quadratics."""
    from fltheory.papers.osmd.fedavg.families import local_rounds

    return local_rounds


@lazy_strategy
def one_client() -> Any:
    """Draw rounds of one client."""
    from fltheory.papers.osmd.fedavg.families import one_client

    return one_client


@lazy_strategy
def trainings() -> Any:
    """Draw runs of FedAvg."""
    from fltheory.papers.osmd.fedavg.families import trainings

    return trainings


@lazy_strategy
def parameters() -> Any:
    """Draw constants for comparisons of rates."""
    from fltheory.papers.osmd.fedavg.families import parameters

    return parameters


# Local steps ----------------------------------------------------------------------------------------------------------

SHORT_STEPS = sqrt(2) * mu * B * L <= 1
LINEAR = requires("a linear client", lambda one, c: "the client is curved" if any(one.curvatures) else None)
_CURVED = QuadraticRound(("-1", "1/2", 1), (2, "-1/3", 1), "1/2")
_STEEP = QuadraticRound("-1", 2, "1/2", 2)
_STEPS: dict[str, Any] = {"n_local_steps": 4, "step_size": "1/8"}
_NEGATIVE = Case(OneClientRound("-1", 0, 1, None, "1/16", 2))
client_drift = PAPER.lemma("C-45-client", "(45), each client", "E|w_{m,b} - w|²", local.client_drift, LENGTH_SQUARED)
mean_drift = PAPER.lemma("C-45", "(45)", "(1/M) Σ_m Σ_b E|w_{m,b} - w|²", local.mean_drift, LENGTH_SQUARED)
feedback = PAPER.lemma("C-T5scale", "text after Algorithm 4", "E|g_m|² / (μ_l² B)", local.feedback, GRADIENT_SQUARED)
answer = PAPER.lemma("C-T5-41", "(41)", "E|Σ_b ∇φ(w_b; ξ_b)|²", local.answer, GRADIENT_SQUARED, assumptions=OWN_CONSTANTS,
    family=one_client())
LOCAL = (
    client_drift.printed("local steps μ_l <= 1/(√2 B L): E|w_{m,b} - w|² <= 8B²μ_l²|∇F_m(w)|² + 4Bμ_l²σ²",
        quantity <= 8 * B**2 * mu**2 * g**2 + 4 * B * mu**2 * sigma**2, given=[SHORT_STEPS, b <= B],
        cases=(Case(QuadraticRound("-1", 1), n_local_steps=50, step_size="7/500", local_step=50),
            Case(_STEEP, n_local_steps=5, step_size="1/16", local_step=4),
            Case(QuadraticRound("-1", 0, 1), n_local_steps=2, step_size="7/20", local_step=2)),
        family=local_rounds(clients=1)),
    mean_drift.printed("(1/M) Σ_m Σ_b E|w_{m,b} - w|² <= 8B³μ_l²(ζ_unif² + |∇F|²) + 4B²μ_l²σ²",
        quantity <= 8 * B**3 * mu**2 * (zeta_unif**2 + g**2) + 4 * B**2 * mu**2 * sigma**2, given=[SHORT_STEPS],
        cases=(Case(_CURVED, **_STEPS), Case(QuadraticRound((-1, -1), (1, -3)), n_local_steps=40, step_size="1/60")),
        family=local_rounds()),
    feedback.printed("E|g_m|²/(μ_l² B) = Θ(1) for small local steps and large B",
        quantity <= HIDDEN_CONSTANT * (g**2 + sigma**2), given=[M <= 1], note="the upper half, Θ(1) read as 1000",
        counterexamples=[Case(QuadraticRound(0, 1), n_local_steps=2000, step_size="1/1000000")],
        family=local_rounds(clients=1, most=10_000, still=True),
        remark="It grows like B|∇F_m|² + σ²; divided by μ_l²B² it would be Θ(1). Scaling a and A_max alike changes nothing."),
    feedback.explicit("linear clients: E|g_m|²/(μ_l² B) = B|∇F_m|² + σ²", Eq(quantity, B * g**2 + sigma**2),
        given=[M <= 1], note="the limit of small steps", assumptions=[LINEAR],
        cases=(Case(QuadraticRound(0, 1), n_local_steps=100, step_size=1), Case(QuadraticRound(0, "1/2", 3), **_STEPS)),
        family=local_rounds(clients=1, linear=True)),
    feedback.corrected("μ_l <= 1/(√2 B L): E|g_m|²/(μ_l² B) is between B|∇F_m|²/2 and 8B|∇F_m|² + 4σ² on quadratics",
        quantity <= 8 * B * g**2 + 4 * sigma**2, B * g**2 / 2 <= quantity, given=[M <= 1, SHORT_STEPS],
        cases=(Case(QuadraticRound(1, 1), n_local_steps=300, step_size="1/430"),
            Case(_STEEP, n_local_steps=5, step_size="1/16")), family=local_rounds(clients=1, moving=True)),
    answer.printed("one client: E|Σ_b ∇φ|² = I_1 + I_2, with I_1 = Bσ² of the noise and I_2 of the gradients",
        Eq(quantity, B * sigma**2 + I_2), counterexamples=[_NEGATIVE],
        remark="The noise of a step affects the later gradients: 545/256 against 513/256. The inequality is false as well."),
    answer.restated("C-T5-41-least").strict("one client: E|Σ_b ∇φ|² <= I_1 + I_2", quantity <= B * sigma**2 + I_2,
        note="the equation as an inequality, which the paper does not print", counterexamples=[_NEGATIVE],
        remark="Where the curvature is negative the noise of a step is amplified."),
    answer.corrected("one client: E|Σ_b ∇φ|² <= 2(I_1 + I_2)", quantity <= 2 * (B * sigma**2 + I_2),
        cases=(_NEGATIVE, Case(OneClientRound("-1", "1/3", 1, None, "1/2", 6)))),
)

# Theorem 5 ------------------------------------------------------------------------------------------------------------

GRADIENT = FedAvgGradient()
SIZE = ((A, bounds.A_FEDAVG),)  # bound on the feedback
RATES = ((eta, bounds.ETA_FEDAVG), *SIZE)


def case_of_run(
    instance: BoundedClients,
    n_rounds: int,
    n_sampled: int = 1,
    n_local_steps: int = 1,
    gamma: object = 1,
    **more: object,
) -> Case:
    """Return a run of FedAvg with the server's step ``gamma``."""
    shape = {"n_rounds": n_rounds, "n_sampled": n_sampled, "n_local_steps": n_local_steps, "server_step_size": gamma}
    return Case(instance, **shape, **more)


def sparse_tilt(clients: int, bend: object, start: object, floor: object, size: int = 1) -> TiltedClients:
    """Return I6: two of many clients pull apart; uniform sampling is noisy, and the best fixed sampling is not."""
    return TiltedClients((1,), clients - 2, start, bend, 1, floor).rescaled(size, 1)


# Short runs are enumerated, the others are simulated.
_NEAR = TiltedClients((1,), 0, "1/100")
_NOISY = HuberClients(2, "1/100", 10, noise_std="1/10")
_PROPORTIONAL = ProportionalClients((1, 2), "1/2", noise_std="1/2")
_TILTED = TiltedClients((1,), 1, noise_std="1/2")
_ORDINARY = (
    case_of_run(_NEAR, 3),
    case_of_run(_NOISY, 2, 2, 2),
    case_of_run(_PROPORTIONAL, 500, 2, 2),
    case_of_run(_TILTED, 500, 3, 3, 2),
)
_MANY = case_of_run(sparse_tilt(1000, "1/1250", "1/12500", "1/4"), 10_000)
_TIGHT = case_of_run(HuberClients(2, 1, 1, floor=1), 1000)
_LONGER = (
    case_of_run(_PROPORTIONAL, 3000, 2, 2),
    case_of_run(_TILTED, 3000, 4, 2, 2),
    case_of_run(ProportionalClients((1, 1), 1), 100_000),
    case_of_run(sparse_tilt(100, "1/50", "1/50", "1/2"), 40_000),
)
_SPARSE = sparse_tilt(1000, "1/1250", "1/12500", "1/4", 10**6)
_HUGE = 10**20
_STEEPER = sparse_tilt(1000, "1/1250", "1/12500", "1/4", _HUGE)
_APART = ApartClients((1,), 2998, "1/100000", "9/16000")


def hardly_learning(size: int) -> Case:
    """Return clients of which two pull apart, in small units; their gradient bound keeps sampling near uniform."""
    return case_of_run(_APART.rescaled(size, 1), 10_000, gradient_bound=10**8 * size)


_AT: dict[str, Any] = {"step_size": "1/60"}
_LONGER_AT = tuple(c.with_settings(**_AT) for c in _LONGER[:2])
_ANY_SIZE: dict[str, Any] = {"sparse": None}  # also the cases that refute the printed ones
_T5 = "FedAvg with OSMD at the tuned steps: E|∇F(w_R)|²"
_FREE = "FedAvg with OSMD, server step at least 1, effective step up to the cap: E|∇F(w_R)|²"
_MISSING = (
    "√(q_β/T) is printed in place of MG²/(Kα³) √(q_β/T), so step and rate are dimensionally inconsistent: for objectives in small "
    "units (large numbers) the term is negligible. Two of many clients have opposing gradients, the sampler has not found them "
    "yet, and the noise of uniform sampling remains. The ratio to the bound grows with T and the number of clients."
)
tuned = PAPER.theorem("C-T5", "Theorem 5 (17)", GRADIENT, osmd, assumptions=SMOOTH_BOUNDED,
    tuning=((mu, bounds.T5_STEP / server), *RATES), family=trainings(**_ANY_SIZE), full_cases=lambda: _LONGER)
any_step = tuned.restated("C-T5-premin", "Theorem 5 (46)", tuning=RATES, family=trainings(step=True),
    full_cases=lambda: _LONGER_AT)
THEOREM_5 = (
    tuned.printed(_T5, quantity <= bounds.PRINTED_17, given=[*bounds.WITHIN, *bounds.SERVER], note=bounds.OUT_OF_REACH,
        counterexamples=[hardly_learning(10**6)], inconsistent_units=True, remark=_MISSING,
        family=trainings(sparse=True), full_cases=lambda: (case_of_run(_SPARSE, 10_000), case_of_run(_SPARSE, 40_000))),
    tuned.explicit(
        _T5,
        bounds.T5_EXPLICIT,
        cases=_ORDINARY,
        tuning=((mu, bounds.T5_STEP_CORRECTED / server), *RATES),
        remark="The paper's proof rests on (41), which is false; Young's inequality gives the same constants. "
        + BELOW_G.format("4.6e3"),
    ),
    tuned.corrected(_T5, bounds.T5_CORRECTED, cases=(*_ORDINARY, _MANY, _TIGHT),
        tuning=((mu, bounds.T5_STEP_SAFE / server), *RATES), remark=BELOW_G.format("4.6e3")),
    any_step.corrected(_FREE, bounds.T5_PREMIN, cases=tuple(c.with_settings(**_AT) for c in (*_ORDINARY, _TIGHT))),
    any_step.explicit(_FREE, bounds.T5_PREMIN_EXPLICIT, cases=tuple(c.with_settings(**_AT) for c in _ORDINARY),
        remark="True, though the (41) of its proof is not."),
)

# Comparison with uniform sampling -------------------------------------------------------------------------------------


def comparison_rate(inside: Expr, alphas: bool) -> Expr:
    """Return (17) with constants 1 and ``inside`` in its last factor; without factors of alpha for uniform sampling."""
    cap, roots = (sqrt(2 + 1 / alpha), bounds.ROOTS) if alphas else (Integer(1), Integer(1))
    drift = zeta_unif ** Rational(2, 3) + (sigma**2 / B) ** Rational(1, 3)
    return cap * D * L / T + roots * (D * L / T) ** Rational(2, 3) * drift + sqrt(D * L / T) * inside


OSMD_PRINTED = comparison_rate(zeta_T / sqrt(K) + sigma / sqrt(K * B * alpha) + sqrt(bounds.DROPPED), True)
OSMD_RATE = comparison_rate(zeta_T / sqrt(K) + sigma / sqrt(K * B * alpha) + sqrt(bounds.REGRET_SGD), True)
UNIFORM_RATE = comparison_rate(zeta_unif / sqrt(K) + sigma / sqrt(K * B), False)
LONG_AS_PRINTED = [*FLOORED, sqrt(K) * (Q_BETA / T) ** Rational(1, 4) <= zeta_unif - zeta_T]
_COMPARED = "the rate of OSMD against that of uniform sampling, once T is large enough"
_LOW: dict[str, Number] = {"probability_floor": "1/100000000", "n_rounds": 10**30}
_LACKS = "The requirement √K (q_β/T)^(1/4) <= ζ_unif - ζ_T lacks √M G/α^(3/2), and √K cancels: it is that of Theorem 4."
rate = PAPER.theorem("C-T5cmp", "text after Theorem 5",
    formula_measure("R_osmd, (17) with MG²/(Kα³)", OSMD_RATE, GRADIENT_SQUARED), kind="comparison", family=parameters())
printed_rate = replace(rate, measure=formula_measure("R_osmd, (17)", OSMD_PRINTED, GRADIENT_SQUARED))
COMPARISON = (
    printed_rate.printed(_COMPARED + ": (17) as printed, at most √(4 + 2/α) times as large",
        quantity <= sqrt(4 + 2 / alpha) * UNIFORM_RATE, given=LONG_AS_PRINTED, note=ALPHA_CONSTANT,
        cases=(
            Case(
                TrainingParameters(n_clients=100, n_sampled=1, gradient_bound=1000, noise_std=0,
                    dynamic_heterogeneity=0)), Case(TrainingParameters(n_rounds=10**9)),
            Case(TrainingParameters(n_clients=2, noise_std=100, **_LOW))), inconsistent_units=True,
        remark="True of (17) as printed; (17) itself and the requirement lack a factor and are dimensionally inconsistent."),
    printed_rate.strict(_COMPARED + ": (17) as printed, with one constant for every α",
        quantity <= HIDDEN_CONSTANT * UNIFORM_RATE, given=LONG_AS_PRINTED, note=EVERY_ALPHA,
        counterexamples=[Case(TrainingParameters(n_clients=2, noise_std=100, **_LOW))], family=parameters(**_LOW),
        inconsistent_units=True,
        remark="(17) has factors of α that uniform sampling's rate does not have. The text takes α as a constant."),
    rate.restated("C-T5cmp-requirement").strict(
        _COMPARED + ", under the printed requirement, for the rate with its missing factor MG²/(Kα³)",
        quantity <= HIDDEN_CONSTANT * sqrt(4 + 2 / alpha) * UNIFORM_RATE, given=LONG_AS_PRINTED,
        note=f"for the rate with M G^2/(K alpha^3), the order sign read as {HIDDEN_CONSTANT}",
        counterexamples=[
            Case(
                TrainingParameters(n_clients=10**6, n_sampled=1, n_rounds=10**7, gradient_bound=10**6, noise_std=0,
                    dynamic_heterogeneity=0, initial_gap="1/1000000"))],
        family=parameters(n_clients=10**8, n_sampled=1, gradient_bound=10**8, heterogeneity=1, dynamic_heterogeneity=0,
            initial_gap="1/1000000"), inconsistent_units=True, remark=_LACKS),
    rate.corrected(_COMPARED, quantity <= comparison_rate(zeta_unif / sqrt(K) + sigma / sqrt(K * B * alpha), True),
        given=[*FLOORED, bounds.LONG_ENOUGH], note="uniform sampling's rate with the factors of alpha of Theorem 5",
        cases=(Case(TrainingParameters(n_rounds=10**9)),
            Case(
                TrainingParameters(n_clients=100, n_rounds=460_000_000, probability_floor="2/5", noise_std=0,
                    n_local_steps=10, gradient_bound="3/2", heterogeneity="1/2", dynamic_heterogeneity=0))),
        remark="It compares upper bounds, not runs."),
)

# Theorem 9, FedAvg ----------------------------------------------------------------------------------------------------

_T9 = "FedAvg with Adaptive-OSMD at the tuned step: E|∇F(w_R)|²"
_STEEP_RUN = HuberClients(2, "1/10", 1, floor=1, noise_std="1/10")
_MORE_9 = (case_of_run(_PROPORTIONAL, 2000, 2, 2), case_of_run(_TILTED, 2000, 4, 2))
SIXTH_TERM = (
    2 ** Rational(11, 4) * sqrt(D * L * G / alpha) * sqrt(META) / ((K * B) ** Rational(1, 4) * T ** Rational(3, 4))
)
with_experts = PAPER.theorem("C-T9b", "Theorem 9, FedAvg", GRADIENT, adaptive(), assumptions=SMOOTH_BOUNDED,
    tuning=((mu, bounds.T9B_STEP / server), *SIZE), family=trainings(**_ANY_SIZE), full_cases=lambda: _MORE_9)
THEOREM_9 = (
    replace(with_experts, method=adaptive("printed")).printed(_T9, quantity <= bounds.PRINTED_17 + SIXTH_TERM,
        given=[*bounds.WITHIN, *bounds.SERVER], where=WITH_EXPERTS, note=bounds.OUT_OF_REACH,
        counterexamples=[hardly_learning(_HUGE)], tuning=((mu, bounds.T9B_STEP_PRINTED / server), *SIZE),
        inconsistent_units=True, family=trainings(sparse=True, looser=10**12, least=10**7),
        full_cases=lambda: (case_of_run(_STEEPER, 10_000, gradient_bound=2 * 10**9 * _HUGE),),
        remark=_MISSING + " The additional entry and term are dimensionally inconsistent too."),
    with_experts.corrected(_T9, bounds.T9B_CORRECTED,
        cases=(case_of_run(_NEAR, 3), case_of_run(_NOISY, 2, 2, 2), case_of_run(_PROPORTIONAL, 300, 2, 2),
            case_of_run(_TILTED, 300, 3, 2, 2)), remark=BELOW_G.format("9.5e3")),
    with_experts.restated("C-T9b-apart").corrected(_T9 + ", with a candidate and a term of its own for the experts",
        bounds.T9B_APART, cases=(case_of_run(_NEAR, 3), case_of_run(_NOISY, 2, 2, 2), case_of_run(_TILTED, 300, 3, 2, 2)),
        tuning=((mu, bounds.T9B_STEP_APART / server), *SIZE), remark=BELOW_G.format("1.0e4")),
    with_experts.restated("C-T9b-premin", tuning=SIZE, family=trainings(step=True)).corrected(
        "FedAvg with Adaptive-OSMD, any effective step up to the cap: E|∇F(w_R)|²", bounds.T9B_PREMIN,
        cases=(case_of_run(_STEEP_RUN, 3, 2, 2, **_AT), case_of_run(_PROPORTIONAL, 300, 2, 2, **_AT),
            _TIGHT.with_settings(step_size="1/200")), full_cases=lambda: tuple(c.with_settings(**_AT) for c in _MORE_9)),
)

CLAIMS: tuple[Claim, ...] = (*LOCAL, *THEOREM_5, *COMPARISON, *THEOREM_9)
