"""Logistic clients: data, certified constants and optimum, and verdicts with the evidence that they can have."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from flint import arb, fmpq_mat

from fltheory import symbols
from fltheory.claims.check import check_claim
from fltheory.model.case import Case
from fltheory.number import BALL, to_float
from fltheory.number.spectrum import largest_eigenvalue
from fltheory.papers.sfl import algorithms
from fltheory.papers.sfl.instances.quadratics import at_effective_step
from fltheory.papers.sfl.upper.claims import theorem3
from fltheory.problems import GeneratedLogisticClients, LogisticClients
from fltheory.runs import assumptions
from fltheory.runs.algorithm import rollout
from fltheory.runs.distributions.sample_paths import enumerate_runs
from fltheory.runs.measures import LastGap
from tests.problems.own_constants import require_own_constants

GENERATED = GeneratedLogisticClients(l2="1/2")
NOISY = GeneratedLogisticClients(n_clients=2, n_samples=4, n_features=1, l2="1/2", batch_size=2)
GIVEN = LogisticClients((((1, "1/2"), (-1, 1)), ((0, 1), (2, 0))), ((1, 0), (0, 1)), "1/4", (1, -1), 1)
ALL = (GENERATED, NOISY, GIVEN)


@pytest.mark.parametrize("instance", ALL)
def test_the_repr_rebuilds_the_instance(instance: GeneratedLogisticClients | LogisticClients) -> None:
    again = eval(repr(instance))
    assert again == instance
    assert again.data == instance.data


def test_generated_data_are_split_by_label() -> None:
    def shares(skew: object) -> list[float]:
        return [sum(y) / len(y) for y in GeneratedLogisticClients(n_clients=4, n_samples=20, skew=skew).data[1]]

    assert sum(0 < s < 1 for s in shares(1)) <= 1  # at most one client has both labels
    assert all(0 < s < 1 for s in shares(0))
    assert all(len(y) == 20 for y in GeneratedLogisticClients(n_samples=20, skew="1/3").data[1])
    assert GeneratedLogisticClients(seed=1).data != GENERATED.data


@pytest.mark.parametrize("instance", ALL)
def test_gradients_are_derivatives_and_balls_contain_floats(
    instance: GeneratedLogisticClients | LogisticClients,
) -> None:
    x = np.array([0.3, -0.7, 0.2])[: instance.dim][None]
    for i, unit in enumerate(np.eye(instance.dim)):
        slope = (instance.value(x + 1e-6 * unit) - instance.value(x - 1e-6 * unit)) / 2e-6
        assert slope[0] == pytest.approx(instance.mean_gradient(x)[0, i], abs=1e-8)
    exact = np.array([[arb(v) for v in x[0]] + [None]], dtype=object)[:, :-1]
    for m in range(instance.n_clients):
        for ball, value in zip(instance.gradient(exact, m)[0], instance.gradient(x, m)[0], strict=True):
            assert float(ball.mid()) == pytest.approx(value, abs=1e-14)
    assert float(instance.gap(exact)[0].mid()) == pytest.approx(instance.gap(x)[0], rel=1e-10)


@pytest.mark.parametrize("instance", ALL)
def test_the_optimum_is_certified(instance: GeneratedLogisticClients | LogisticClients) -> None:
    assert instance.optimum_error <= 1e-12
    best = np.array([to_float(v) for v in instance.minimiser])
    assert np.abs(instance.mean_gradient(best[None])).max() < 1e-14
    exact = np.array([[*instance.minimiser, None]], dtype=object)[:, :-1]
    assert all(g.contains(0) for g in instance.mean_gradient(exact)[0])
    assert instance.gap(exact)[0].contains(0)


@pytest.mark.parametrize("instance", ALL)
def test_constants_bound_what_they_name(instance: GeneratedLogisticClients | LogisticClients) -> None:
    require_own_constants(instance, assumptions.strongly_convex)
    best = np.array([[to_float(v) for v in instance.minimiser]])
    pulls = [float((instance.gradient(best, m) ** 2).sum()) for m in range(instance.n_clients)]
    assert to_float(instance.constants[symbols.heterogeneity_at_optimum]) == pytest.approx(np.mean(pulls) ** 0.5)


def test_the_largest_eigenvalue_is_bounded_from_above_and_closely() -> None:
    matrix = fmpq_mat(3, 3, [2, 1, 0, 1, 2, 1, 0, 1, 2])
    bound = largest_eigenvalue(matrix)
    exact = arb(2) + arb(2).sqrt()
    assert arb(bound.numerator) / bound.denominator >= exact
    assert float(bound) == pytest.approx(float(exact.mid()), rel=1e-8)
    assert largest_eigenvalue(fmpq_mat(2, 2, [0, 0, 0, 0])) > 0


def test_the_enumerated_mean_lies_in_the_simulated_interval() -> None:
    case = Case(NOISY, n_rounds=1, n_local_steps=1, step_size="1/4")
    states, probabilities = enumerate_runs(algorithms.sequential, case, BALL)
    exact = sum((p * v for p, v in zip(probabilities, LastGap().values(states, case)[:, 0], strict=True)), arb(0))
    values = LastGap().values(rollout(algorithms.sequential, case, 20_000), case)[:, 0]
    assert abs(values.mean() - float(exact.mid())) < 6 * values.std() / 20_000**0.5


def test_runs_stay_within_the_radius() -> None:
    for instance, step in ((NOISY, "1/2"), (GENERATED, "1/2"), (GIVEN, 1)):
        case = Case(instance, n_rounds=40, n_local_steps=2, step_size=step)
        best = np.array([to_float(v) for v in instance.minimiser])
        reached = np.linalg.norm(rollout(algorithms.sequential, case, 50) - best, axis=-1).max()
        radius = instance.radius(to_float(case.constants[symbols.step_size]))
        assert radius is not None
        assert reached <= radius[0]


def test_bounds_hold_with_the_evidence_there_is() -> None:
    claim = theorem3.upper_strongly_convex_sharp
    alone = at_effective_step(replace(GENERATED, n_clients=1), "1/6", "MK", n_rounds=60, n_local_steps=2)
    verdict = check_claim(claim, alone)
    assert (verdict.status, verdict.evidence) == ("holds", "exact")
    many = at_effective_step(GENERATED, "1/6", "MK", n_rounds=40, n_local_steps=2)
    verdict = check_claim(claim, many)
    assert (verdict.status, verdict.evidence) == ("holds", "statistical")
    mutant = replace(claim, bounds=(claim.bound.scaled("1/1000"),))
    assert check_claim(mutant, alone).status == "violated"


def test_bad_data_is_named() -> None:
    with pytest.raises(ValueError, match="l2"):
        GeneratedLogisticClients(l2=0)
    with pytest.raises(ValueError, match="labels must be 0 or 1"):
        LogisticClients((((1,),),), ((2,),), 1)
    with pytest.raises(ValueError, match="skew"):
        GeneratedLogisticClients(skew=2)
