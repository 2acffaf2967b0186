"""FedAvg with sampled clients: mutants, and runs by other means."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import log, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from fltheory import symbols as s
from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.claims.statement import constants_of
from fltheory.games.player import Sampler
from fltheory.model.case import Case
from fltheory.number import Number, as_number, to_float
from fltheory.number.mixed import to_mixed
from fltheory.papers.osmd.algorithms import osmd
from fltheory.papers.osmd.algorithms.adaptive import adaptive
from fltheory.papers.osmd.fedavg import claims
from fltheory.papers.osmd.fedavg.closed_forms import local_steps
from fltheory.papers.osmd.fedavg.closed_forms.fedavg import FedAvgGradient
from fltheory.papers.osmd.fedavg.closed_forms.local_steps import OneClientRound, QuadraticRound
from fltheory.papers.osmd.fedavg.kernels import mean_squared_gradients, rollout
from fltheory.papers.osmd.instances.bounded_clients import HuberClients, ProportionalClients, TiltedClients
from fltheory.papers.osmd.sgd import bounds
from fltheory.runs.measures import GameMeasure
from fltheory.runs.method import NotEnumerable
from tests.typed import instance_of

CLAIMS = claims.CLAIMS
BY_ID = {c.id: c for c in CLAIMS}
GRADIENT = FedAvgGradient()
ONE: dict[str, Any] = {"n_sampled": 1, "n_local_steps": 1, "server_step_size": 1}


# Units ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.algorithm is not None], ids=lambda c: c.id)
def test_consistent_claims_do_not_see_the_units(claim: Claim) -> None:
    def ratio(objective: int, length: str) -> float:
        clients = ProportionalClients((1, 2), "1/2", noise_std="1/2").rescaled(objective, length)
        case = Case(clients, n_rounds=50, n_sampled=2, n_local_steps=1, server_step_size=1)
        if claim.tuning[0][0] is not s.step_size:
            case = case.with_settings(step_size=Fraction(1, 40) * Fraction(length) ** 2 / objective)
        full = claim.prepared(case)
        assert claim.algorithm is not None
        assert isinstance(claim.measure, GameMeasure)
        value = claim.measure.simulate(claim.algorithm, full, 0, np.arange(20)).mean()
        return float(value / to_float(claim.bound.ball(full.constants)))

    plain, scaled = ratio(1, "1"), ratio(10**6, "1/10")
    assert (abs(scaled / plain - 1) > 0.05) == claim.inconsistent_units


# Theorem 5 as printed -------------------------------------------------------------------------------------------------


@pytest.mark.turns(3)
def test_the_printed_theorem_5_fails_far_more_for_more_clients_and_not_in_small_numbers() -> None:
    claim = BY_ID["osmd/C-T5@printed"]
    verdicts = [
        check_claim(claim, claims.case_of_run(claims.sparse_tilt(*shape, 10**6), 10_000))
        for shape in ((200, "1/250", "1/2500", "1/4"), (2000, "1/2500", "1/25000", "1/4"))
    ]
    assert verdicts[1].status == "violated"
    assert verdicts[0].ratio is not None
    assert verdicts[1].ratio is not None
    assert verdicts[1].ratio > 2 * verdicts[0].ratio
    small = check_claim(claim, claims.case_of_run(claims.sparse_tilt(1000, "1/1250", "1/12500", "1/4"), 10_000))
    assert small.status in ("holds", "vacuous")


def test_the_witness_replays(capsys: pytest.CaptureFixture[str]) -> None:
    claim = BY_ID["osmd/C-T5@printed"]
    counterexample = check_claim(claim, claim.cases[0]).counterexample
    assert counterexample is not None
    exec(counterexample, {"claim": claim})
    assert "violated" in capsys.readouterr().out


def test_rates_are_those_of_the_paper_by_plain_arithmetic() -> None:
    case = Case(
        TiltedClients((1,), 1, noise_std="1/2"), n_rounds=1000, n_sampled=2, n_local_steps=3, server_step_size=2
    )
    c = {k.name: to_float(v) for k, v in case.constants.items()}
    d, ell, m, k, b, t, al = (
        c[n]
        for n in (
            "initial_gap",
            "smoothness",
            "n_clients",
            "n_sampled",
            "n_local_steps",
            "n_rounds",
            "probability_floor",
        )
    )
    sigma, g, zu, z = (c[n] for n in ("noise_std", "gradient_bound", "heterogeneity", "dynamic_heterogeneity"))
    rho = m * g**2 / (k * al**3) * sqrt(log(m) / 2 / t)
    delta = 1 / (k * al) + (k - 1) / (k * m)
    inside = 4 * z**2 / k + 2 * sigma**2 / b * delta + rho
    spread = zu**2 + sigma**2 / (2 * b)
    step_ = min(
        min(1 / (8 * b * ell), 1 / (4 * b * ell * sqrt(2 + 1 / al))),
        d ** (1 / 3) / ((4 + 2 / al) ** (1 / 3) * b * ell ** (2 / 3) * spread ** (1 / 3) * t ** (1 / 3)),
        sqrt(2 * d) / (b * sqrt(ell * t) * sqrt(inside)),
    )
    rate = (
        max(64, 32 * sqrt(2 + 1 / al)) * d * ell / t
        + 16 * (4 + 2 / al) ** (1 / 3) * (d * ell) ** (2 / 3) * spread ** (1 / 3) / t ** (2 / 3)
        + 8 * sqrt(2) * sqrt(d * ell / t) * sqrt(inside)
    )
    claim = BY_ID["osmd/C-T5@corrected"]
    full = claim.prepared(case)
    assert to_float(full.constants[s.step_size]) * 2 == pytest.approx(step_)
    assert claim.bound(full.constants) == pytest.approx(rate)
    free = full.with_settings(effective_step_size=full.constants[s.step_size] * 2)
    premin = 8 * d / (step_ * b * t) + 8 * (4 + 2 / al) * (step_ * b * ell) ** 2 * spread + 4 * step_ * b * ell * inside
    assert bounds.T5_PREMIN(free.constants) == pytest.approx(premin)
    assert premin <= rate


# Runs by other means --------------------------------------------------------------------------------------------------


def _plain(clients: TiltedClients | ProportionalClients, case: Case) -> float:
    """E|F'(w^R)|^2 for T = 2, K = 1, by the definition of Algorithm 4: p^1 is uniform."""
    c = {k.name: to_float(v) for k, v in case.constants.items()}
    n, steps, sigma = clients.n_clients, int(c["n_local_steps"]), c["noise_std"]
    w = np.array([to_float(clients.start[0])])
    total = 0.0
    for m in range(n):
        for signs in itertools.product((1, -1), repeat=steps):
            y = w.copy()
            for sign in signs:
                y = y - c["step_size"] * (clients.gradients(y)[:, m] + sigma * sign)
            after = w - c["server_step_size"] * (w - y)  # 1/(M p_m) = 1
            total += float(clients.mean_slope(after)[0]) ** 2 / (n * 2**steps)
    return (float(clients.mean_slope(w)[0]) ** 2 + total) / 2


@pytest.mark.parametrize("steps", [1, 3])
def test_two_rounds_are_an_exact_sum(steps: int) -> None:
    clients = TiltedClients((1,), 1, "1/3", noise_std="1/4")
    case = Case(
        clients, n_rounds=2, n_sampled=1, n_local_steps=steps, server_step_size="3/2", step_size="1/5", sampler_rate=1
    )
    low, high = GRADIENT.in_floats(osmd, case)
    assert low <= _plain(clients, case) <= high
    verdict = check_claim(replace(BY_ID["osmd/C-T5-premin@corrected"], tuning=()), case.with_settings(step_size="1/50"))
    assert verdict.evidence == "exact"


def test_enumeration_agrees_with_simulation_and_with_balls() -> None:
    case = Case(
        ProportionalClients((1, 3), 1, noise_std="1/2"),
        n_rounds=3,
        n_sampled=2,
        n_local_steps=2,
        server_step_size=1,
        step_size="1/4",
        sampler_rate=2,
    )
    low, high = GRADIENT.in_floats(osmd, case)
    values = GRADIENT.simulate(osmd, case, 1, np.arange(20_000))
    assert abs(values.mean() - low) < 5 * values.std() / sqrt(len(values))
    from fltheory.evidence.exact import exact_ball

    assert low <= float(exact_ball(GRADIENT, osmd, case).value.mid()) <= high
    weights = [float(w.sum()) for w, _ in FedAvgGradient().courses(osmd, case, None, 10**6)]
    assert weights == pytest.approx([1, 1, 1])


@pytest.mark.parametrize("rate", ["1/1000", 1, 1000])
@pytest.mark.parametrize("clients", [TiltedClients((1, "1/2"), 3, "1/2", noise_std="1/3"), ProportionalClients((1, 4))])
def test_the_compiled_run_is_the_plain_one(clients: TiltedClients | ProportionalClients, rate: Number) -> None:
    case = Case(clients, n_rounds=200, step_size="1/10", sampler_rate=rate, **ONE)
    plain = sum(clients.mean_slope(w) ** 2 for w in FedAvgGradient().path(osmd, case, 3, np.arange(4))) / 200
    assert mean_squared_gradients(osmd, case, 3, np.arange(4)) == pytest.approx(plain, rel=1e-9)


@pytest.mark.parametrize("eta", [0.0, 1e-5, 1e-3, 1.0, 30.0])
def test_the_tree_of_weights_is_the_dense_run(eta: float) -> None:
    scales, tilts = np.ones(70), np.zeros(70)
    tilts[:2] = 1, -1
    found = [
        rollout(scales, tilts, 1.0, 1.0, 1.0, 0.2, 0.5, 0.05, eta, 0.3, 2000, 0, 7, quick, 1e12)
        for quick in (False, True)
    ]
    assert found[1] == pytest.approx(found[0], rel=1e-9)


def test_a_run_that_stays_uniform_is_that_of_the_experts_too() -> None:
    clients = TiltedClients((1,), 2, "1/2")
    case = Case(clients, n_rounds=40, step_size="1/10", max_feedback=10**19, **ONE)
    plain = sum(clients.mean_slope(w) ** 2 for w in FedAvgGradient().path(adaptive(), case, 0, np.arange(3))) / 40
    assert mean_squared_gradients(adaptive(), case, 0, np.arange(3)) == pytest.approx(plain, rel=1e-9)
    assert mean_squared_gradients(adaptive(), case.with_settings(max_feedback=1), 0, np.arange(3)) is None


def test_what_takes_too_long_is_refused() -> None:
    case = Case(TiltedClients((1,), 0), n_rounds=10**9, step_size="1/10", sampler_rate=1, **ONE)
    with pytest.raises(NotEnumerable, match="too long"):
        mean_squared_gradients(osmd, case, 0, np.arange(62))
    with pytest.raises(NotEnumerable, match="too long"):
        GRADIENT.simulate(osmd, case.with_settings(n_sampled=2), 0, np.arange(62))


def test_any_sampler_may_drive_it_and_a_broken_one_is_seen() -> None:
    still = Sampler("uniform", lambda p, counts, feedback, c: p)
    claim = replace(BY_ID["osmd/C-T5@corrected"], algorithm=still)
    case = claims.case_of_run(TiltedClients((1,), 0, "1/100"), 3, 2)
    assert check_claim(claim, case).status == "holds"
    wrong = Sampler("broken", lambda p, counts, feedback, c: p * 0)
    assert check_claim(replace(claim, algorithm=wrong), case).broken


def test_a_server_that_forgets_the_weights_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    from fltheory.papers.osmd.fedavg.closed_forms import fedavg

    right = fedavg.server_step
    case = Case(
        HuberClients(2, 1, 1, floor=1), n_rounds=2, n_sampled=1, n_local_steps=1, server_step_size=1, step_size="1/20"
    )
    claim = BY_ID["osmd/C-T5-premin@corrected"]
    value = check_claim(claim, case).measured
    monkeypatch.setattr(fedavg, "server_step", lambda w, p, counts, sums, c: right(w, p * p, counts, sums, c))
    assert check_claim(claim, case).measured != value


# Local steps ----------------------------------------------------------------------------------------------------------


assert claims.LOCAL[0].family is not None


@settings(max_examples=15)
@given(claims.LOCAL[0].family())
def test_moments_of_local_steps_are_those_of_all_noise(case: Case) -> None:
    instance = instance_of(case, QuadraticRound)
    n, sigma = 4, Fraction(instance.noise_std)
    mu, kappa, g = (
        Fraction(case.constants[s.step_size]),
        Fraction(instance.curvatures[0]),
        Fraction(instance.gradients[0]),
    )
    squares, products, energy = Fraction(0), Fraction(0), Fraction(0)
    for signs in itertools.product((1, -1), repeat=n):
        e, gradients = Fraction(0), Fraction(0)
        for sign in signs:
            gradients += g + kappa * e
            e -= mu * (g + kappa * e + sigma * sign)
        squares += e**2 / 2**n
        products += e * sigma * sum(signs) / 2**n
        energy += gradients**2 / 2**n
    last = instance.moved(0, n, to_mixed(mu))[n]
    assert as_number(last.square) == squares
    assert as_number(last.with_noise) == products
    at = Case(instance, step_size=mu, n_local_steps=n)
    assert as_number(local_steps.path_energy(instance, constants_of(at))) == energy


def test_the_counterexample_to_41_has_its_known_values() -> None:
    case = Case(OneClientRound("-1", 0, 1, None, "1/16", 2))
    assert as_number(local_steps.answer(case.instance, constants_of(case))) == Fraction(545, 256)
    assert 2 + Fraction(case.constants[s.path_energy]) == Fraction(513, 256)


def test_the_factor_4_for_8_in_45_is_refuted() -> None:
    claim = BY_ID["osmd/C-45-client@printed"]
    half = replace(claim, bounds=(claim.bound.scaled(Fraction(1, 4)),))
    assert (
        check_claim(half, Case(QuadraticRound("-1", 1), n_local_steps=50, step_size="7/500", local_step=50)).status
        == "violated"
    )


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: QuadraticRound((1, 2), (1,)), "every client"),
        (lambda: QuadraticRound(2, 1, smoothness=1), "smoothness"),
        (lambda: QuadraticRound("sqrt(2)", 1), "rational"),
        (lambda: OneClientRound((1, 1), (1, 1)), "one client"),
    ],
)
def test_bad_data_is_named(build: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        build()


@pytest.mark.parametrize(
    "instance", [QuadraticRound((1, "-1/2"), (0, 3), "1/3"), OneClientRound("-1", 0, 1, None, "1/16", 2)]
)
def test_instances_rebuild_from_their_text(instance: QuadraticRound | OneClientRound) -> None:
    assert eval(repr(instance)) == instance


# Comparison -----------------------------------------------------------------------------------------------------------


def test_the_comparison_is_true_of_17_as_printed():
    """The literal readings ask for one constant for every alpha, or put a bound in for the quantity of (17)."""
    printed, literal = (BY_ID[f"osmd/C-T5cmp@{reading}"] for reading in ("printed", "strict"))
    required = BY_ID["osmd/C-T5cmp-requirement@strict"]
    assert (printed.entry.recorded, literal.entry.recorded, required.entry.recorded) == (
        "holds",
        "violated",
        "violated",
    )
    assert check_claim(printed, literal.cases[0]).status == "holds"
    assert check_claim(printed, required.cases[0]).status == "holds"
