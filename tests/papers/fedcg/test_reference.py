"""Numbers of independent runs of the constructed instances, to their digits; those of random instances in their size."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from fltheory.model.case import Case
from fltheory.number import RATIONAL, as_number, to_float
from fltheory.papers.fedcg import algorithms
from fltheory.papers.fedcg.guarantees.closed_forms.measures import dissimilarities
from fltheory.papers.fedcg.instances.clients import (
    coverage_clients,
    facility_clients,
    fresh_groups,
    private_facilities,
    private_items,
)
from fltheory.papers.fedcg.points.closed_forms import FreshGroups, Horizon
from fltheory.problems.decomposable import SubmodularClients
from fltheory.runs.algorithm import Algorithm, rollout
from fltheory.runs.distributions.sample_paths import enumerate_runs


def case_of(instance: SubmodularClients, rounds: int, **more: object) -> Case:
    return Case(instance, n_rounds=rounds, server_step_size=Fraction(1, rounds), **more)


def exact_value(algorithm: Algorithm, instance: SubmodularClients, rounds: int) -> Fraction:
    (states,), _ = enumerate_runs(algorithm, case_of(instance, rounds), RATIONAL, 1)
    return Fraction(as_number(instance.extension(states[-1:])[0]))


def float_value(algorithm: Algorithm, instance: SubmodularClients, rounds: int) -> float:
    return float(instance.extension(rollout(algorithm, case_of(instance, rounds), 1)[:, -1])[0])


@pytest.mark.parametrize(("n_clients", "share"), [(2, ".505"), (5, ".202"), (10, ".101"), (100, ".0101")])
def test_private_items(n_clients: int, share: str) -> None:
    """I1: directions shared reach (1 + d)/N of the optimum, however long the run."""
    instance = private_items(n_clients)
    assert instance.optimum == 1
    for rounds in (1, 3):
        assert exact_value(algorithms.full, instance, rounds) == Fraction(share)
        assert exact_value(algorithms.gradient_sharing, instance, rounds) == 1
    assert exact_value(algorithms.full, private_items(n_clients, "1/50"), 1) != Fraction(share)


class PrivateFacilities:
    """I2 by counting: f_i(S) is 1 + d if S holds an item of client i, 1 if only the common one."""

    def __init__(self, n_clients: int, rank: int, d: Fraction) -> None:
        self.n, self.rank, self.best = n_clients, rank, 1 + d

    def optimum(self) -> Fraction:
        own = [min(self.rank - common, self.n) for common in (0, 1)]
        return max(
            Fraction(1, self.n) * (k * self.best + (common * (self.n - k)))
            for common, k in zip((0, 1), own, strict=True)
        )

    def directions(self) -> Fraction:
        """Every client's own items have chance 1/N each."""
        return self.best * (1 - (1 - Fraction(1, self.n)) ** self.rank)


@pytest.mark.turns(3)
def test_private_facilities() -> None:
    """I2, N = 50, k = 5, d = .01: directions shared, gradients shared with ties in turn and by index, the optimum."""
    counted = PrivateFacilities(50, 5, Fraction(1, 100))
    assert counted.optimum() == Fraction("1.0008")
    assert f"{float(counted.directions()):.8f}" == "0.09704000"
    instance, fair = private_facilities(50, 5), private_facilities(50, 5, round_robin=True)
    for rounds in (1, 2):
        assert exact_value(algorithms.full, instance, rounds) == counted.directions()
    assert exact_value(algorithms.gradient_sharing, fair, 2) == Fraction("1.0008")
    assert float_value(algorithms.gradient_sharing, instance, 10) == pytest.approx(1.000688, abs=5e-7)
    small = private_facilities(4, 2)
    best = max(small.value(frozenset(s)) for s in combinations(range(small.dim), 2))
    assert best == PrivateFacilities(4, 2, Fraction(1, 100)).optimum() == small.optimum


@pytest.mark.deep
def test_private_facilities_in_long_runs() -> None:
    instance, fair = private_facilities(50, 5), private_facilities(50, 5, round_robin=True)
    one_in_fifty = float(PrivateFacilities(50, 5, Fraction(1, 100)).directions())
    assert abs(to_float(instance.optimum) - 1.0008) < 3e-6
    for rounds in (10, 100):
        assert float_value(algorithms.full, instance, rounds) == pytest.approx(one_in_fifty, rel=1e-12)
    assert exact_value(algorithms.gradient_sharing, fair, 10) == Fraction("1.0008")
    assert float_value(algorithms.gradient_sharing, instance, 100) == pytest.approx(1.000776, abs=5e-7)


FRESH = [(2, 100, 0.632114, 0.00185328, 0.01), (10, 100, 0.617406, 0.01656201, 0.05)]


@pytest.mark.parametrize(("rank", "rounds", "value", "needed", "bound"), FRESH)
def test_fresh_groups(rank: int, rounds: int, value: float, needed: float, bound: float) -> None:
    """I3: what a run reaches, what it lacks to 1 - (1 - 1/T)^T, and the bound r/(2T)."""
    left = FreshGroups(rank, rounds).left
    assert 1 - to_float(as_number(left)) == pytest.approx(value, abs=5e-7)
    lacks = to_float(as_number(Horizon(rounds).guarantee - 1 + left))
    assert lacks == pytest.approx(needed, abs=5e-9)
    instance = fresh_groups(rank, rounds)
    assert instance.optimum == 1
    assert rank**2 * max(instance.singletons()) / (2 * rounds) == pytest.approx(bound)
    assert float_value(algorithms.gradient_sharing, instance, rounds) == pytest.approx(value, abs=5e-7)


def test_with_ties_the_other_way_nothing_is_lost() -> None:
    """I3's loss is one of ties: the optimum's blocks first, and the run ends at 1."""
    instance = fresh_groups(3, 6)
    kind = SubmodularClients(instance.functions, instance.matroid)
    assert exact_value(algorithms.gradient_sharing, instance, 6) == 1 - FreshGroups(3, 6).factor ** 6
    assert exact_value(algorithms.gradient_sharing, kind, 6) == 1


# Random instances: the reference figures come without seeds, so only sizes can agree -------------------------------------------


def test_random_coverage_in_size() -> None:
    """N = 60, n = 12, rank 3: OPT .703, reached .550, and errors of 2.65 and 50.3 that say nothing."""
    instance = coverage_clients(60, 12, 3, 1)
    states = rollout(algorithms.full, case_of(instance, 10), 1)
    best, reached = to_float(instance.optimum), float(instance.extension(states[:, -1])[0])
    assert 0.55 < best < 0.8
    assert 0.6 * best < reached < best
    gamma = dissimilarities(instance, states[0, :-1])[0].sum()
    assert 2 < 3 * gamma / 10 < 3.2
    assert 35 < 6 * 3 * gamma / np.sqrt(10 * 10 * 0.1) < 65
    alike = coverage_clients(60, 12, 3, 0)
    assert dissimilarities(alike, rollout(algorithms.full, case_of(alike, 3), 1)[0, :-1])[0].max() < 1e-12


def test_like_facilities_in_size() -> None:
    """h = .01: FedCG reaches the optimum; Theorem 3.2's errors of .023 + .042 (T = 100) leave a guarantee, 1.37 does not."""
    instance = facility_clients(40, 12, 3, "1/100")
    states = rollout(algorithms.full, case_of(instance, 20), 1)
    best, reached = to_float(instance.optimum), float(instance.extension(states[:, -1])[0])
    assert reached == pytest.approx(best, rel=1e-3)
    gamma = dissimilarities(instance, states[0, :-1])[0].sum() / 20  # the same in every round, nearly
    assert 0.01 < 3 * gamma < 0.05
    assert 9 * float(max(instance.singletons())) / 200 == pytest.approx(0.042, abs=0.004)
    assert 0.6 < 6 * 3 * gamma * np.sqrt(100 / (10 * 0.1)) < 3


def test_the_sampling_terms_in_size() -> None:
    """h = .2, N = 40, n = 10, K = 5, delta = .1: 6.31, 12.85 printed and .179, .091 by Hoeffding, at T = 4 and 16."""
    instance, spreads = facility_clients(40, 10, 3, "1/5"), []
    for rounds, printed, martingale in ((4, 6.31, 0.179), (16, 12.85, 0.091)):
        states = rollout(algorithms.partial, case_of(instance, rounds, n_sampled=5), 30)
        gamma = dissimilarities(instance, states[:, :-1].reshape(-1, 10))[0].reshape(30, rounds)
        assert 6 * 3 * gamma.sum(axis=1).mean() / np.sqrt(rounds * 0.5) == pytest.approx(printed, rel=0.25)
        top = np.sqrt((gamma.max(axis=0) ** 2).sum())
        hoeffding = 3 * top / rounds * np.sqrt(2 * np.log(10) / 5)
        assert hoeffding == pytest.approx(martingale, rel=0.25)
        spreads.append(instance.extension(states[:, -1]).std(ddof=1))
        assert spreads[-1] < hoeffding / 10
    assert spreads[1] < 0.8 * spreads[0]
