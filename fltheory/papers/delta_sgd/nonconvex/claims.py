"""Theorem 1 in its readings, along runs of Algorithm 1."""

from __future__ import annotations

from typing import Any

from sympy import Integer, Rational

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Statement, formula_measure, imported_late, quantity
from fltheory.model.bound import HIDDEN_CONSTANT
from fltheory.model.case import Assumption, Case, Instance
from fltheory.model.schema import Family, count, one_of
from fltheory.number import Number
from fltheory.papers.delta_sgd import algorithms
from fltheory.papers.delta_sgd.bounds import T1_P, T1_P_STEP, T1_PRINTED, T1_STEP, T1_X, T1_Y
from fltheory.papers.delta_sgd.instances.clients import HuberClient, MultipleClients, RandomCurvature
from fltheory.papers.delta_sgd.nonconvex.bounds import (
    GAMMA,
    RATE_STEP,
    T1_ANY_STEPS,
    T1_NEAR,
    T1_NORM,
    T1_RATE,
    T1_ROUNDS,
)
from fltheory.papers.delta_sgd.nonconvex.cases.bent_samples import BentSamples
from fltheory.papers.delta_sgd.nonconvex.closed_forms.hypotheses import (
    ASSUMPTION_1,
    FIRST_WITHIN,
    GROWTH_KNOWN,
    ON_A_PARABOLA,
    SMOOTH_SAMPLES,
    STEPS_SEEN,
    STEPS_WITHIN,
    with_step_limits,
)
from fltheory.papers.delta_sgd.nonconvex.closed_forms.measures import MeanSquaredGradient
from fltheory.papers.delta_sgd.nonconvex.closed_forms.two_rounds import HUBER_GRADIENT
from fltheory.papers.delta_sgd.notation import G, Pi, a, delta, eta_0, gamma, h, step_size
from fltheory.papers.delta_sgd.paper import PAPER
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.assumptions import noiseless
from fltheory.runs.measures import GRADIENT_SQUARED

families = imported_late("fltheory.papers.delta_sgd.nonconvex.families")


def own_steps(**options: object) -> Family:
    """Draw runs of Delta-SGD whose steps have known bounds."""
    return lambda: families().own_steps(**options)


GRADIENT = MeanSquaredGradient()
TUNED = ((gamma, GAMMA), (eta_0, RATE_STEP))
LIMITS = ((h, RATE_STEP), (a, RATE_STEP * Pi))
_ANY = (
    "Assumption 1, ρ = O(1), γ = η₀ = 1/(K√T), T sufficiently large: "
    "(1/T) Σ E|∇f(x_t)|² = O(Ψ₁/√T) + O(L̃²Ψ₂/T) + O(L̃³Ψ₂/T^{3/2})"
)


def theorem(id: str, algorithm: Algorithm, *when: Assumption, place: str = "Theorem 1", **shared: Any) -> Statement:
    """Return statements on the mean squared gradient along runs of an algorithm, under Assumption 1."""
    return PAPER.theorem(id, place, GRADIENT, algorithm, assumptions=(*ASSUMPTION_1, *when), **shared)


def rounds(instance: Instance, n_rounds: int, n_local_steps: int, **more: object) -> Case:
    """Return a run."""
    return Case(instance, n_rounds=n_rounds, n_local_steps=n_local_steps, **more)


def own_run(
    instance: Instance, n_rounds: int, n_local_steps: int, first: Number, amplifier: Number, **more: object
) -> Case:
    """Return a run of Delta-SGD whose steps have known limits."""
    settings = {"initial_ratio": 1, "growth_damping": 1, **more}
    return with_step_limits(
        rounds(instance, n_rounds, n_local_steps, initial_step_size=first, amplifier=amplifier, **settings))


# As printed -----------------------------------------------------------------------------------------------------------

UPHILL = MultipleClients((-1, -1, 55), "17/5", 10, 10)
BIASED = RandomCurvature((1,) * 7 + ("1/2",), (-12,) * 7 + (12,), "-45/4", 5, 5)
REUSED = RandomCurvature((3, 3, 3, 3, 1), (-5, -5, -5, -5, 5), "-9/2", 1, 2)
UNEQUAL = MultipleClients(("-1/100",) * 30 + ("5112/2500",) * 29, 1)  # rho = 1.09
SCATTERED = RandomCurvature((1,) * 32, tuple(sign * 60 * j for sign in (-1, 1) for j in range(1, 17)))
STILL = MultipleClients((1,), 1, 2, 2)
PARABOLAS = BentSamples(("1/10", "1/100"), (0, 5), (5, 5), (0, 0), "5/11")
WALK = BentSamples(("1/2", 0, 0, 0, 0), (0,) * 5, (2,) * 5, (0, *("-11/120",) * 4), "5/2")


def thrown_samples(n_local_steps: int) -> BentSamples:
    """Return one curved sample, and two linear ones for each local step."""
    straight, n = 2 * n_local_steps, 2 * n_local_steps + 1
    return BentSamples((25, *(0,) * straight), (0,) * n, (2,) * n, (0, *(1, -1) * n_local_steps), 0)


_GROWS = "The ratio to the bound grows with T: one T alone refutes no O(.)."
on_parabolas = PAPER.theorem("T1-eps", "after Theorem 1", HUBER_GRADIENT,
    family=HuberClient.drawn(
        settings={"n_rounds": one_of(*(10**k for k in range(2, 13))), "n_local_steps": count(most=20)}),
    assumptions=(ON_A_PARABOLA,), tuning=TUNED, mode="surely")
_PRINTED: dict[str, Any] = {"tuning": ((gamma, GAMMA), (eta_0, GAMMA), (delta, Integer(1))), "inconsistent_units": True}
AS_PRINTED = (
    theorem("T1-rho", algorithms.pair, family=lambda: families().signed(), **_PRINTED).printed(_ANY, T1_PRINTED,
        counterexamples=(rounds(UPHILL, 196, 3, initial_ratio=10**6), rounds(UPHILL, 3000, 3, initial_ratio=10**6)),
        full_cases=lambda: (rounds(UNEQUAL, 1600, 200, initial_ratio=1),),
        remark="The constants of T1-P. A client moves by about γ|F'|/(2|F''|) a step, whatever the size of its own gradient: the "
        "number of clients of each sign decides the direction. No constants help: for three clients with the gradients "
        "-F'/2, -F'/2, 4F' and K = 20 the left side is 0.943 at T = 100 and 0.977 at T = 1000, and tends to 1. "
        f"{_GROWS} With 59 clients and K = 200 it fails at ρ = 1.09 already."),
    theorem("T1-same", algorithms.same, family=lambda: families().biased(), **_PRINTED).printed(
        f"{_ANY}, line 9 on the mini-batch that line 8 uses next", T1_NEAR,
        counterexamples=(rounds(PARABOLAS, 6400, 2, initial_ratio=10**4), rounds(PARABOLAS, 25600, 2, initial_ratio=10**4)),
        full_cases=lambda: tuple(rounds(BIASED, t, 2, initial_ratio=10**4) for t in (196, 1600, 6400)),
        remark="One client, ρ = 0, the constants of T1-P: what the released code does. Step and noise are dependent, and "
        f"where η_z of a sample z depends on its curvature, E η_z ∇F(x, z) = 0 is not a stationary point. {_GROWS}"),
    theorem("T1-reuse", algorithms.reuse, family=lambda: families().biased(), **_PRINTED).printed(
        f"{_ANY}, line 9 from the gradients of line 8", T1_NEAR,
        counterexamples=(rounds(WALK, 10**6, 2, initial_ratio=99), rounds(WALK, 10**8, 2, initial_ratio=99)),
        full_cases=lambda: tuple(rounds(REUSED, t, 2, initial_ratio=10**4) for t in (400, 1600, 6400)),
        remark="One client, ρ = 0, the constants of T1-P: the only reading without additional gradients. Between two draws of "
        "the same sample the steps grow, between others they shrink: on a slope that rarer samples make, the run walks away from "
        "the minimiser. There the left side stays, and the bound falls like 1/√T."),
    theorem("T1-steps", algorithms.pair, family=lambda: families().scattered(), **_PRINTED).strict(
        f"{_ANY}, with a T that need not grow with K, line 9 on a mini-batch of its own", quantity <= T1_PRINTED.expr,
        given=T1_NEAR.conditions,
        note="T large, but not against the growth of the steps in a round; O(.) with the constants of T1-P",
        counterexamples=(rounds(thrown_samples(30), 10**8, 30, initial_ratio=1),
            rounds(thrown_samples(40), 10**10, 40, initial_ratio=1)),
        full_cases=lambda: tuple(rounds(SCATTERED, t, k, initial_ratio=1) for t, k in ((1600, 40), (2500, 40), (10**4, 60))),
        remark="One client, ρ = 0, the constants of T1-P. Where the samples are nearly straight the first entry of line 9 does "
        "not act, and the steps of a round grow up to 1.618^K times: a client overshoots the minimum again and again, "
        "and the left side stays about 0.3 for as long as 1.618^K is far above KT. With K = 4 the same run satisfies the bound. "
        "T sufficiently large may well mean larger than that. "
        f"{_GROWS}"),
    theorem("T1-tiny", algorithms.pair, family=lambda: families().any_steps(), tuning=((delta, Integer(1)),),
        inconsistent_units=True).strict(f"{_ANY}, any γ <= 1/(K√T), η₀ <= γ", T1_ANY_STEPS,
        counterexamples=(rounds(STILL, 196, 1, amplifier="1/14", initial_step_size="1/1000000", initial_ratio=1),
            rounds(STILL, 196, 2, amplifier="1/1000000", initial_step_size="1/1000000", initial_ratio=1)),
        remark="γ = O(1/(K√T)) and η₀ = O(γ) to the letter allow steps with which nothing moves: Θ(.) is clearly meant."),
    on_parabolas.restated("T1-units").printed(
        "the same for T sufficiently large and f = L̃x²/2 (cut off beyond x₀) with γ = 1/(K√T), η₀ = γ/(2L̃), with constants that "
        "don't depend on L̃", T1_NEAR,
        counterexamples=(rounds(HuberClient(10), 10**8, 1), rounds(HuberClient(10), 10**8, 5)), inconsistent_units=True,
        remark="The constants of T1-P. With a γ that has no unit the first term is 2L̃Δ₀/√T: larger by the factor L̃/4."),
)

# Constant steps -------------------------------------------------------------------------------------------------------


def near_clients(n: int, radius: object, *start: object, **more: Any) -> MultipleClients:
    """Return clients (1 + r)F and (1 - r)F."""
    return MultipleClients.spread(n, radius, start, **more)


_NOISY: dict[str, Any] = {"noise_std": "1/4"}
CONSTANT = (
    theorem("T1-STEP", algorithms.fedavg, place="(29)", family=lambda: families().constant_steps()).explicit(
        "a constant step γ: (29), with D_t = γK", T1_STEP,
        cases=(rounds(near_clients(2, "1/10", 2), 100, 2, step_size="1/20"),
            rounds(near_clients(4, "1/2", 1), 144, 1, step_size="1/50", n_participating=2),
            rounds(near_clients(4, "1/10", 2, 1, **_NOISY), 100, 2, step_size="1/20", n_participating=2),
            rounds(RandomCurvature((2, 1), (-1, 1), 1, 2, 2), 256, 2, step_size="1/40")),
        full_cases=lambda: (rounds(near_clients(4, "1/5", 2, 2, 2, **_NOISY), 400, 3, step_size="1/30", n_participating=2),),
        remark="The coefficient of the squared gradient has to be positive. The control: with a constant step the mean direction "
        "of the clients is ∇f, for any ρ."),
    theorem("T1-P", algorithms.fedavg, family=lambda: families().constant_steps(tuned=True)).corrected(
        "γ = 1/(K√T), ρ <= 1/4, T >= 400L̃²: 8Δ₀/√T + 16L̃σ²/(b√T) + 16L̃²Ψ₂/T + 32L̃³Ψ₂/T^{3/2}", T1_P,
        cases=(rounds(near_clients(2, "1/10", 2, height=2, width=2), 144, 2),
            rounds(near_clients(2, "1/2", 1, height=4, width=4), 100, 1),
            rounds(near_clients(4, "1/10", 2, height=2, width=2, **_NOISY), 144, 2, n_participating=2)),
        tuning=((step_size, T1_P_STEP),), inconsistent_units=True,
        full_cases=lambda: (rounds(near_clients(4, "1/5", 2, 2, **_NOISY), 625, 1, n_participating=2),),
        remark="What the proof gives for FedAvg, with L̃ in the second term. γ is read as a step here, so the units are the "
        "instance's own."),
)

# Clients with their own steps -----------------------------------------------------------------------------------------

_TAKEN = (
    "The steps of a user's own optimiser are checked along the run. A round that is not made by federated does not show them, so "
    "the claim does not apply to it."
)
_X = "h <= η <= a, steps independent of the noise they multiply"
_ORDINARY = (
    own_run(near_clients(2, "1/10", 2), 144, 2, "3/100", "1/10"),
    own_run(near_clients(4, "1/10", 2, 1, **_NOISY), 144, 2, "3/100", "1/10", n_participating=2),
    own_run(RandomCurvature((2, 1), (-1, 1), 3, 2, 2), 144, 2, "3/100", "1/10"),
    own_run(MultipleClients((1, 1), 2, ripples=("1/4", "-1/4"), frequencies=3), 196, 2, "1/100", "1/10"),
)
_REFERENCE = near_clients(10, "1/10", *(2,) * 5, noise_std="9/20")  # sigma^2 = 81/80
_LONGER = (
    own_run(near_clients(4, "1/5", 2, 2, 2, **_NOISY), 400, 3, "1/60", "1/10", n_participating=2),
    own_run(_REFERENCE, 1024, 5, "1/320", "1/160", n_participating=5),
    own_run(_REFERENCE, 4096, 5, "1/640", "1/320"),
)
_PLAIN: dict[str, Any] = {"initial_ratio": 1, "growth_damping": 1, "least_step": "1/50", "initial_step_size": "1/50"}
_CLIPPED = (
    rounds(near_clients(2, "1/10", 1), 144, 2, largest_step="1/20", amplifier="1/10", **_PLAIN),
    rounds(near_clients(4, "1/10", 2, **_NOISY), 144, 3, largest_step="1/30", amplifier=2, n_participating=2, **_PLAIN),
    rounds(RandomCurvature((2, 1), (-1, 1), 1, 2, 2), 144, 4, largest_step="1/40", amplifier="1/10", **_PLAIN),
)
_FAR_APART = (
    own_run(near_clients(2, "7/10", "1/2"), 144, 2, "1/250", "1/20"),
    own_run(near_clients(4, "3/5", "1/2", **_NOISY), 144, 2, "1/200", "1/20", n_participating=2),
    own_run(near_clients(2, "1/10", 2), 144, 2, "3/100", "1/10"),
)
OWN_STEPS = (
    theorem("T1-X", algorithms.pair, SMOOTH_SAMPLES, STEPS_WITHIN, cases=_ORDINARY, family=own_steps()).corrected(
        f"Delta-SGD, line 9 on a mini-batch of its own, ρ < 1/2: {_X}", T1_X, full_cases=lambda: _LONGER,
        remark="Steps can grow by the factor 1.618 each: the bound is vacuous for K = 20, T = 1000, nor for ρ = 1/4 with "
        f"K = 5, T = 1000, unless they are clipped. {_TAKEN}"),
    theorem("T1-X-exact", algorithms.same, noiseless, STEPS_WITHIN, family=own_steps(noise=False)).corrected(
        f"Delta-SGD with full gradients, ρ < 1/2: {_X}", T1_X, cases=(_ORDINARY[0], _ORDINARY[3]),
        remark=f"Without noise all readings of the mini-batches are the same. {_TAKEN}"),
    theorem("T1-X-clipped", algorithms.clipped, FIRST_WITHIN, STEPS_SEEN, cases=_CLIPPED, family=own_steps(clip=True)).corrected(
        "Delta-SGD with its steps clipped to [h, a], ρ < 1/2", T1_X, remark=f"Any number of local steps. {_TAKEN}"),
    theorem("T1-X-fresh", algorithms.clipped_fresh, FIRST_WITHIN, STEPS_SEEN, cases=_CLIPPED,
        family=own_steps(clip=True)).corrected("the same with a mini-batch for every gradient, as in the proof", T1_X,
        remark=f"Unclipped, these steps have no lower bound: noise makes them collapse. {_TAKEN}"),
    theorem("T1-Y", algorithms.pair, SMOOTH_SAMPLES, STEPS_WITHIN, cases=_FAR_APART,
        family=own_steps(radius=Rational(9, 10))).strengthened(
        f"Delta-SGD, line 9 on a mini-batch of its own, any ρ < 1: {_X}", T1_Y, full_cases=lambda: _LONGER,
        remark=f"ρ < 1 is the right threshold: with many clients and local steps Theorem 1 fails at ρ = 1.09. {_TAKEN}"),
    theorem("T1-rate", algorithms.pair, SMOOTH_SAMPLES, GROWTH_KNOWN, STEPS_SEEN, family=own_steps(tuned=True)).corrected(
        "γ = 1/(K√T), η₀ = γ/(2L̃), ρ < 1/2: the printed rate, every term a squared gradient", T1_RATE,
        cases=(rounds(near_clients(2, "1/10", 2), 144, 2, initial_ratio=1, growth_damping=1, growth="3/2"),
            rounds(near_clients(4, "1/10", 2, **_NOISY), 144, 2, initial_ratio=1, growth_damping="1/10", growth="11/10",
                n_participating=2)), tuning=(*TUNED, *LIMITS),
        remark=f"The constants grow exponentially with K: Π is at most 1.618^(K-1) for θ₀ <= 1.618. {_TAKEN}"),
)

# Number of rounds -----------------------------------------------------------------------------------------------------

_RATE = formula_measure("the bound of T1-rate", T1_RATE.expr, GRADIENT_SQUARED, G**2)
_GROWN: dict[str, Any] = {"initial_ratio": 1, "growth_damping": 1}
ROUNDS = (
    on_parabolas.strict(
        f"T = O(ε⁻²) rounds lead to |∇f| <= ε: for T = {HIDDEN_CONSTANT}(G/ε)² the mean of |∇f|² is at most ε²",
        T1_NORM, counterexamples=(rounds(HuberClient("1/2"), 10**8, 1), rounds(HuberClient(10), 10**9, 5)),
        remark="The text says an ε-first-order stationary point and not of which power of |∇f|. ε⁻² rounds are enough for |∇f|² "
        "<= ε; for the norm it takes ε⁻⁴."),
    PAPER.theorem("T1-eps", "after Theorem 1", _RATE, family=own_steps(tuned=True),
        assumptions=(*ASSUMPTION_1, GROWTH_KNOWN), tuning=TUNED, kind="rate").corrected(
        "T = (C/ε)² rounds lead to a mean of E|∇f|² of at most ε: T1-rate is at most C/√T", T1_ROUNDS,
        cases=(rounds(near_clients(2, "1/10", 2), 10**4, 2, growth="3/2", **_GROWN),
            rounds(near_clients(4, "1/2", 1, **_NOISY), 10**8, 5, growth=6, **_GROWN))),
)

CLAIMS: tuple[Claim, ...] = (*AS_PRINTED, *CONSTANT, *OWN_STEPS, *ROUNDS)
