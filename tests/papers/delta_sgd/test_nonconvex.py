"""Theorem 1: mutants, controls, units, an independent run of Algorithm 1, and numbers found elsewhere."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import ctx
from sympy import Symbol

from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.model.case import Case, FederatedInstance
from fltheory.number import BALL, Number, to_float
from fltheory.papers.delta_sgd import algorithms as run
from fltheory.papers.delta_sgd import bounds, notation
from fltheory.papers.delta_sgd.instances.clients import HuberClient, MultipleClients, RandomCurvature
from fltheory.papers.delta_sgd.nonconvex import bounds as bounds_nonconvex
from fltheory.papers.delta_sgd.nonconvex import claims
from fltheory.papers.delta_sgd.nonconvex.closed_forms.hypotheses import caps, with_step_limits
from fltheory.papers.delta_sgd.nonconvex.closed_forms.measures import MeanSquaredGradient
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.algorithm import Algorithm, rollout
from fltheory.runs.client_optimiser import ClientOptimiser, ClientOracle, federated_averaging
from fltheory.runs.constants import Constants
from fltheory.runs.distributions.sample_paths import enumerate_runs

CLAIMS = {c.id.removeprefix("delta_sgd/"): c for c in claims.CLAIMS}
BY_BATCHES = {"fresh": run.fresh, "pair": run.pair, "same": run.same, "reuse": run.reuse}
GRADIENT = MeanSquaredGradient()


def case_of(
    instance: FederatedInstance, n_rounds: int, n_local_steps: int, ratio: Number | str = 1, **more: Number | str
) -> Case:
    """gamma = eta_0 = 1/(K sqrt T), to 12 digits."""
    step = Fraction(1 / (n_local_steps * math.sqrt(n_rounds))).limit_denominator(10**12)
    settings = {"amplifier": step, "initial_step_size": step, "growth_damping": 1, "initial_ratio": ratio, **more}
    return Case(instance, n_rounds=n_rounds, n_local_steps=n_local_steps, **settings)


def mean_square(algorithm: Algorithm, case: Case, n: int = 1) -> float:
    return float(GRADIENT.simulate(algorithm, case, 0, np.arange(n)).mean())


def reference(slopes: list[Callable[[float], float]], shares: list[float], x: float, case: Case) -> list[float]:
    """x_0, ..., x_T of Algorithm 1 on the line without noise, step by step as printed."""
    c = {s.name: to_float(v) for s, v in case.constants.items()}
    path = [x]
    for _ in range(int(c["n_rounds"])):
        ends = []
        for slope in slopes:
            y, eta, theta = path[-1], c["initial_step_size"], c["initial_ratio"]
            g = slope(y)
            for _ in range(int(c["n_local_steps"])):
                new = y - eta * g
                g_new = slope(new)
                first = math.inf if g_new == g else c["amplifier"] * abs(new - y) / (2 * abs(g_new - g))
                eta_new = min(first, math.sqrt(1 + c["growth_damping"] * theta) * eta)
                theta, eta, y, g = eta_new / eta, eta_new, new, g_new
            ends.append(y)
        path.append(sum(share * end for share, end in zip(shares, ends, strict=True)))
    return path


def multiple(w: float) -> Callable[[float], float]:
    return lambda y: w * y / math.sqrt(1 + y * y)


def mean_of(path: list[float]) -> float:
    return sum(y * y / (1 + y * y) for y in path[:-1]) / (len(path) - 1)


def simulated(claim: Claim) -> tuple[Case, ...]:
    """Further cases of a claim, whose runs are simulated."""
    assert claim.full_cases is not None
    return claim.full_cases()


# Verdicts and mutants --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "at"),
    [("T1-X@corrected", 0), ("T1-X-clipped@corrected", 0), ("T1-Y@strengthened", 2), ("T1-STEP@explicit", 0)],
)
def test_an_algorithm_that_climbs_is_refuted_or_not_spoken_of(name: str, at: int) -> None:
    def uphill(x: np.ndarray, state: None, ask: ClientOracle, c: Constants) -> tuple[np.ndarray, Any]:
        step = c.step_size if name.startswith("T1-STEP") else c.initial_step_size
        return x + step * ask.gradient(x), state

    climbing = federated_averaging(ClientOptimiser("uphill", uphill, lambda x, c: None))
    claim = replace(CLAIMS[name], algorithm=climbing)
    verdict = check_claim(claim, claim.cases[at])
    if name.startswith("T1-STEP"):
        assert verdict.status == "violated"
    else:  # the others speak of steps along the gradient, of a size between two limits
        assert (verdict.status, verdict.broken) == ("inapplicable", False)
        assert "of uphill leaves [least_step, largest_step]" in verdict.reason


@pytest.mark.parametrize("name", ["T1-same@printed", "T1-reuse@printed"])
@pytest.mark.parametrize("algorithm", [run.pair, run.fresh], ids=["pair", "fresh"])
def test_independent_steps_keep_to_the_printed_bound_where_dependent_ones_do_not(
    name: str, algorithm: Algorithm
) -> None:
    claim = CLAIMS[name]
    assert check_claim(replace(claim, algorithm=algorithm), simulated(claim)[0]).status == "holds"


def test_constant_steps_keep_to_the_printed_bound_where_own_ones_climb() -> None:
    claim = CLAIMS["T1-rho@printed"]
    case = claim.cases[0]
    constant = case.with_settings(step_size=Fraction(1, 42))
    assert check_claim(replace(claim, algorithm=run.fedavg), constant).status == "holds"
    assert check_claim(claim, case.with_settings(n_local_steps=1)).status == "holds"  # FedSGD


def test_few_local_steps_keep_to_the_printed_bound_where_many_do_not() -> None:
    claim = CLAIMS["T1-steps@strict"]
    case = simulated(claim)[0]
    assert check_claim(claim, case.with_settings(n_local_steps=4)).status == "holds"
    constant = case.with_settings(step_size=Fraction(1, 1600))
    assert check_claim(replace(claim, algorithm=run.fedavg), constant).status == "holds"


@pytest.mark.parametrize("name", ["T1-rho@printed", "T1-same@printed", "T1-reuse@printed", "T1-steps@strict"])
def test_more_rounds_are_further_from_the_printed_bound(name: str) -> None:
    few, many = (check_claim(CLAIMS[name], case).ratio for case in CLAIMS[name].cases)
    assert few is not None
    assert many is not None
    assert 1 < 1.1 * few < many
    assert "T sufficiently large" in CLAIMS[name].statement


@pytest.mark.turns(3)
@pytest.mark.parametrize("name", ["T1-same@printed", "T1-reuse@printed", "T1-steps@strict"])
def test_smooth_samples_are_further_from_the_printed_bound_too(name: str) -> None:
    few, many, *_ = (check_claim(CLAIMS[name], case) for case in simulated(CLAIMS[name])[:2])
    assert (few.status, many.status) == ("violated", "violated")
    assert few.ratio is not None
    assert many.ratio is not None
    assert 1 < 1.1 * few.ratio < many.ratio


def test_no_constants_help() -> None:
    """F4 with rho = 9: the mean of |f'|^2 tends to 1 while every term of the bound tends to 0."""
    found = {}
    for rounds in (100, 1000):
        case = case_of(MultipleClients((-1, -1, 8), 1), rounds, 20)
        found[rounds] = mean_square(run.pair, case)
        path = reference([multiple(-0.5), multiple(4.0)], [2 / 3, 1 / 3], 1.0, case)
        assert mean_of(path) == pytest.approx(found[rounds], rel=1e-6)
    assert found[100] == pytest.approx(0.943, abs=5e-4)
    assert found[1000] == pytest.approx(0.977, abs=5e-4)
    equal = case_of(MultipleClients((1, 1, 4), 1), 1000, 20)
    assert equal.constants[notation.rho] == 1
    assert mean_square(run.pair, equal) == pytest.approx(0.016, abs=1e-3)


@pytest.mark.parametrize("radius", [0, 1, 3, 10])
def test_fedavg_follows_the_mean_gradient_for_every_dissimilarity(radius: int) -> None:
    instance = MultipleClients((1 - radius, 1 + radius), 1)
    case = Case(instance, n_rounds=400, n_local_steps=3, step_size=Fraction(1, 200))
    states = rollout(run.fedavg, case, 1)[0, :, 0]
    assert (np.diff(states) < 0).all()
    assert states[-1] < 0.1


def test_the_threshold_of_rho_is_one() -> None:
    """30 clients w = -0.01 and 29 with 2.0448, rho = 1.09: uphill at K = 200, downhill at K = 50."""
    instance = MultipleClients((Fraction(-1, 100),) * 30 + (Fraction(20448, 10_000),) * 29, 1)
    assert to_float(instance.constants[notation.rho]) == pytest.approx(1.09, abs=0.01)
    for steps, climbs in ((200, True), (50, False)):
        end = rollout(run.pair, case_of(instance, 400, steps), 1)[0, -1, 0]
        assert (end > 1) == climbs


def test_samples_of_different_curvature_bias_dependent_steps() -> None:
    """F7: a = (10, 1), b = (-1, 3), K = 10, T = 1000."""
    case = case_of(RandomCurvature((10, 1), (-1, 3)), 1000, 10)
    found = {name: mean_square(algorithm, case, 40) for name, algorithm in BY_BATCHES.items()}
    assert found["same"] == pytest.approx(3.6, rel=0.1)
    assert found["reuse"] == pytest.approx(2.3, rel=0.15)
    assert found["fresh"] == pytest.approx(0.34, rel=0.25)
    assert found["pair"] == pytest.approx(0.16, rel=0.25)


# Formulas by other means -----------------------------------------------------------------------------------------


def test_the_closed_form_is_the_run_on_a_parabola() -> None:
    one, steps, rounds = HuberClient(3, 2), 4, 25
    gamma = Fraction(1, steps * 5)
    settings = {"amplifier": gamma, "n_rounds": rounds, "n_local_steps": steps}
    exact = float(claims.HUBER_GRADIENT.compute(Case(one, **settings), BALL).mid())
    full = {**settings, "initial_step_size": gamma / 6, "initial_ratio": 1, "growth_damping": 1}
    states = rollout(run.pair, Case(QuadraticClients([3], [0], 2), **full), 1)[0, :-1, 0]
    assert ((3 * states) ** 2).mean() == pytest.approx(exact, rel=1e-12)
    other = rollout(run.pair, Case(QuadraticClients([3], [0], 2), **{**full, "initial_step_size": gamma / 5}), 1)
    assert ((3 * other[0, :-1, 0]) ** 2).mean() != pytest.approx(exact, rel=1e-3)


def test_the_rate_is_the_theorem_at_its_steps() -> None:
    values = {
        notation.T: 225,
        notation.K: 3,
        notation.L: 2,
        notation.Pi: 4,
        notation.rho: Fraction(1, 10),
        notation.sigma: 3,
        notation.G: 5,
        notation.b: 1,
        notation.gap: 7,
    }
    step = Fraction(1, 3 * 15 * 2 * 2)
    fixed = {**values, notation.h: step, notation.a: 4 * step}
    assert bounds_nonconvex.T1_RATE.exact(values) == bounds.T1_X.exact(fixed)
    assert bounds_nonconvex.T1_ROUNDS.exact(values) > bounds_nonconvex.T1_RATE.exact(values)


@pytest.mark.parametrize(("ratio", "damping"), [(1, 1), (100, "1/10"), ("1/2", 1)])
def test_the_caps_of_a_round_by_iteration(ratio: Number | str, damping: Number | str) -> None:
    theta, product = float(Fraction(ratio)), 1.0
    for _ in range(5):
        theta = math.sqrt(1 + float(Fraction(damping)) * theta)
        product *= theta
    assert float(caps(Fraction(ratio), Fraction(damping), 6)) == pytest.approx(product)
    assert caps(Fraction(ratio), Fraction(damping), 1) == 1


@pytest.mark.parametrize(("instance", "steps"), [((10, "1/100"), 20), ((10, "1/2"), 5)])
def test_where_growing_steps_make_the_bound_vacuous(instance: tuple[int, str], steps: int) -> None:
    """K = 20, T = 1000, and rho = 1/4 with K = 5, T = 1000; not with small rho and K = 5."""
    first = Fraction(1, steps * 32 * 2)
    case = claims.own_run(claims.near_clients(*instance, 2, 2), 1024, steps, first, 2 * first)
    assert "fails" in check_claim(CLAIMS["T1-X@corrected"], case).reason
    milder = claims.own_run(claims.near_clients(10, "1/100", 2, 2), 1024, 5, Fraction(1, 320), Fraction(1, 160))
    assert check_claim(CLAIMS["T1-X@corrected"], milder).status == "holds"


# The algorithm ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(BY_BATCHES))
@pytest.mark.parametrize("noisy", [True, False])
def test_other_units_change_the_runs_alike(name: str, noisy: bool) -> None:
    """R5: f -> c f(x / lambda), eta_0 -> lambda^2 / c eta_0."""
    c, width = Fraction(7), Fraction(3)
    settings = {
        "n_rounds": 20,
        "n_local_steps": 3,
        "amplifier": Fraction(1, 4),
        "initial_ratio": 2,
        "growth_damping": 1,
    }
    if noisy:
        one: RandomCurvature | MultipleClients = RandomCurvature((10, 1), (-1, 3), 2)
        other: RandomCurvature | MultipleClients = RandomCurvature((10, 1), (-3, 9), 6, 7, 3)
    else:
        one = MultipleClients.spread(4, "1/2", (2, 1), noise_std="1/5")
        other = MultipleClients.spread(4, "1/2", (6, 3), height=7, width=3, noise_std=Fraction(7, 15))
        settings["n_participating"] = 2
    step = Fraction(1, 10)
    here = rollout(BY_BATCHES[name], Case(one, initial_step_size=step, **settings), 5)
    there = rollout(BY_BATCHES[name], Case(other, initial_step_size=step * width**2 / c, **settings), 5)
    assert there == pytest.approx(float(width) * here, rel=1e-9)
    assert np.abs(here[:, -1] - here[:, 0]).max() > 0.1
    unscaled = rollout(BY_BATCHES[name], Case(other, initial_step_size=step, **settings), 5)
    assert unscaled != pytest.approx(float(width) * here, rel=1e-3)


@pytest.mark.parametrize("name", list(BY_BATCHES))
def test_one_local_step_is_fedsgd(name: str) -> None:
    noiseless = MultipleClients.spread(4, "1/2", 2)
    case = case_of(noiseless, 30, 1, step_size=Fraction(1, 9), initial_step_size=Fraction(1, 9), n_participating=3)
    assert rollout(BY_BATCHES[name], case, 3) == pytest.approx(rollout(run.fedavg, case, 3), rel=1e-12)
    longer = case.with_settings(n_local_steps=2)
    assert rollout(BY_BATCHES[name], longer, 3) != pytest.approx(rollout(run.fedavg, longer, 3), rel=1e-3)


def test_the_mean_over_drawn_clients_is_unbiased() -> None:
    instance = MultipleClients((1, 2, 4, 9), 2)
    for size in (1, 2, 3):
        case = case_of(instance, 1, 3, n_participating=size)
        states, chances = enumerate_runs(run.pair, case, BALL)
        assert len(chances) == math.comb(4, size)
        mean = float(sum(p * x for p, x in zip(chances, states[:, 1, 0], strict=True)))
        everyone = rollout(run.pair, case.with_settings(n_participating=4), 1)[0, 1, 0]
        assert mean == pytest.approx(everyone, rel=1e-12)
        assert size == 3 or abs(float(states[0, 1, 0]) - everyone) > 1e-3


@pytest.mark.parametrize("name", ["pair", "same", "reuse"])
def test_all_courses_and_simulated_ones_have_the_same_mean(name: str) -> None:
    steps = 2 if name != "pair" else 1
    case = case_of(RandomCurvature((2, 1), (-1, 3)), 3, steps, amplifier=1, initial_step_size="1/2")
    exact = float(GRADIENT.exact(BY_BATCHES[name], case, BALL))
    values = GRADIENT.simulate(BY_BATCHES[name], case, 0, np.arange(20_000))
    assert abs(values.mean() - exact) < 6 * values.std() / 20_000**0.5
    assert values.std() > 0.01


def test_balls_and_floats_agree_on_a_long_run() -> None:
    case = CLAIMS["T1-rho@printed"].cases[0]
    full = CLAIMS["T1-rho@printed"].prepared(case)
    low, high = GRADIENT.in_floats(run.pair, full)
    exact = float(GRADIENT.exact(run.pair, full, BALL))
    assert low < exact < high
    assert (low + high) / 2 == pytest.approx(exact, rel=1e-10)


# What is checked -------------------------------------------------------------------------------------------------


class Understated(MultipleClients):
    """Clients that claim less than is true of a constant."""

    less: Symbol | None = None

    @property
    def constants(self) -> Any:
        return {**MultipleClients(self.weights, self.start).constants, self.less: Fraction(1, 100)}


@pytest.mark.parametrize("symbol", [notation.G, notation.rho, notation.L])
def test_constants_that_promise_too_much_are_caught(symbol: Symbol) -> None:
    claim, case = CLAIMS["T1-STEP@explicit"], CLAIMS["T1-STEP@explicit"].cases[1]
    mutant = Understated(case.instance.weights, case.instance.start)
    object.__setattr__(mutant, "less", symbol)
    verdict = check_claim(claim, Case(mutant, **dict(case.settings)))
    assert verdict.status == "inapplicable"
    assert symbol.name in verdict.reason


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"least_step": "1/20"}, "least_step"),
        ({"largest_step": "31/1000"}, "largest_step"),
        ({"amplifier": "1/100"}, "least_step"),
        ({"batch_size": 4}, "batch_size"),
    ],
)
def test_limits_of_the_steps_are_checked(changes: dict[str, Any], reason: str) -> None:
    claim = CLAIMS["T1-X@corrected"]
    verdict = check_claim(claim, claim.cases[0].with_settings(**changes))
    assert verdict.status == "inapplicable"
    assert reason in verdict.reason


def test_steps_of_runs_keep_to_their_known_limits() -> None:
    case = with_step_limits(
        case_of(MultipleClients.spread(2, "1/2", 2), 30, 5, initial_step_size="1/50", amplifier="1/10")
    )
    low, high = (to_float(case.constants[s]) for s in (notation.h, notation.a))
    c = {s.name: to_float(v) for s, v in case.constants.items()}
    y, eta, theta, steps = 2.0, c["initial_step_size"], 1.0, []
    for _ in range(5):
        steps.append(eta)
        new = y - eta * multiple(1.5)(y)
        reach = abs(new - y) / abs(multiple(1.5)(new) - multiple(1.5)(y))
        eta_new = min(c["amplifier"] * reach / 2, math.sqrt(1 + theta) * eta)
        theta, eta, y = eta_new / eta, eta_new, new
    assert low <= min(steps)
    assert max(steps) <= high
    assert max(steps) > 1.2 * low


def test_the_measure_knows_its_range() -> None:
    case = CLAIMS["T1-rho@printed"].cases[0]
    assert GRADIENT.trivial(case) == case.constants[notation.G] ** 2
    low, high = GRADIENT.span(case)
    assert low == 0
    assert high == pytest.approx(to_float(GRADIENT.trivial(case)))
    with ctx.workprec(53):
        states = np.array([[[1.0], [2.0], [50.0]]])
        squares = [v * v / (100 + v * v) for v in (1.0, 2.0)]
        assert GRADIENT.values(states, case)[0, 0] == pytest.approx(sum(squares) / 2)
