"""Finite-sum clients: minibatch noise, its variance, and moments against enumeration over all minibatches."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

from fltheory import symbols
from fltheory.claims.check import check_claim
from fltheory.evidence.exact import exact_value
from fltheory.model.case import Case
from fltheory.number import BALL, RATIONAL, as_number, to_ball, to_float
from fltheory.papers.sfl import algorithms
from fltheory.papers.sfl.instances.quadratics import at_effective_step
from fltheory.papers.sfl.upper.claims import theorem3
from fltheory.problems import FiniteSumQuadraticClients
from fltheory.problems.strategies import finite_sum_clients
from fltheory.runs import assumptions
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.distributions.sample_paths import enumerate_runs
from fltheory.runs.measures import LastDistance, LastGap, LeastGradient

SHARED = FiniteSumQuadraticClients((1, "1/2"), ((1, -1), (2, 0)), 3)
BATCH = FiniteSumQuadraticClients(("1/2", 1), ((1, -1), (2, 0, 1)), 3, batch_size=2)
OWN = FiniteSumQuadraticClients(((1, 2), "1/2"), ((1, -1), (2, 0)), 3)
PLANE = FiniteSumQuadraticClients((((1, 2), (3, 4)), (1, 1)), (((1, 0), (0, 1)), ((1, 2), (3, 4))), (1, 2))
ALL = (SHARED, BATCH, OWN, PLANE)


@pytest.mark.parametrize("instance", ALL)
def test_the_repr_rebuilds_the_instance(instance: FiniteSumQuadraticClients) -> None:
    assert eval(repr(instance)) == instance


@given(finite_sum_clients())
def test_constants_bound_what_they_name(instance: FiniteSumQuadraticClients) -> None:
    case = Case(instance, n_rounds=1, n_local_steps=1, step_size=1)
    for assumption in (assumptions.minimiser_exists, assumptions.smooth, assumptions.convex, assumptions.bounded_noise):
        assert assumption.check(case) is None


@pytest.mark.parametrize("instance", ALL)
def test_the_noise_is_that_of_all_minibatches(instance: FiniteSumQuadraticClients) -> None:
    point = [Fraction(3, 7)] * instance.dim
    x = np.array([[*(RATIONAL.scalar(v) for v in point), None]], dtype=object)[:, :-1]
    for m, (curvatures, slopes) in enumerate(zip(instance.curvatures, instance.slopes, strict=True)):
        gradients = [
            [h * p + b for h, b, p in zip(row, other, point, strict=True)]
            for row, other in zip(curvatures, slopes, strict=True)
        ]
        full = [sum(column) / Fraction(len(gradients)) for column in zip(*gradients, strict=True)]
        batches = itertools.product(gradients, repeat=instance.batch_size)
        expected = sorted(
            [
                sum(column) / Fraction(instance.batch_size) - g
                for column, g in zip(zip(*b, strict=True), full, strict=True)
            ]
            for b in batches
        )
        n = len(expected)
        values = instance.noise_value(np.repeat(x, n, axis=0), m, np.arange(n), RATIONAL)
        assert sorted([[Fraction(as_number(v)) for v in row] for row in values]) == expected
        if instance._shares_curvatures:
            square = sum(v * v for row in expected for v in row) / n
            assert square <= Fraction(to_float(instance.constants[symbols.noise_std]) ** 2 * (1 + 1e-12))


def test_noise_grows_without_bound_where_curvatures_differ() -> None:
    assert symbols.noise_std not in OWN.constants
    assert symbols.noise_std_at_optimum in OWN.constants
    case = at_effective_step(OWN, "1/6", "MK", n_rounds=500, n_local_steps=1)
    verdict = check_claim(theorem3.upper_strongly_convex, case)
    assert verdict.status == "inapplicable"
    assert "noise_std" in verdict.reason


@pytest.mark.parametrize("algorithm", [algorithms.sequential, algorithms.parallel])
@pytest.mark.parametrize("instance", ALL, ids=["shared", "batch", "own", "plane"])
def test_moments_equal_enumeration(algorithm: Algorithm, instance: FiniteSumQuadraticClients) -> None:
    steps = 1 if instance is BATCH else 2
    case = Case(instance, n_rounds=1, n_local_steps=steps, step_size="1/20")
    states, probabilities = enumerate_runs(algorithm, case, RATIONAL)
    weights = np.array([*probabilities, None], dtype=object)[:-1, None]
    for measure in (LastGap(), LastDistance(), LeastGradient()):
        by_law = exact_value(measure, algorithm, case, RATIONAL)
        assert by_law == min((measure.values(states, case) * weights).sum(axis=0))
        # the same step without its law: affine forms where the noise doesn't depend on x, else enumeration
        own = exact_value(measure, algorithm._replace(step=algorithm.step), case, BALL)
        assert own.overlaps(to_ball(as_number(by_law)))
        assert own.rel_accuracy_bits() > 40


def test_sampled_noise_has_the_exact_variance() -> None:
    from fltheory.number import streams

    uniforms = np.stack([streams.uniform(1, np.arange(40_000), 0, 0, i) for i in range(2)], axis=-1)
    noise = BATCH.noise(np.full((40_000, 1), 2.0), np.arange(40_000) % 2, uniforms)
    for m, values in enumerate(BATCH.slopes):
        expected = np.var([float(v[0]) for v in values]) / 2
        assert np.mean(noise[m::2] ** 2) == pytest.approx(expected, rel=0.05)
        assert abs(noise[m::2].mean()) < 0.02


def test_full_gradients_have_no_noise() -> None:
    instance = FiniteSumQuadraticClients((1, 2), ((1, 1), (-1,)), 3)
    assert instance.draws == 0
    assert instance.constants[symbols.noise_std] == 0


def test_upper_bounds_hold_exactly_and_a_mutant_does_not() -> None:
    from dataclasses import replace

    case = at_effective_step(BATCH, "1/6", "MK", n_rounds=300, n_local_steps=2)
    verdict = check_claim(theorem3.upper_strongly_convex, case)
    assert (verdict.status, verdict.evidence) == ("holds", "exact")
    assert verdict.ratio is not None
    mutant = replace(
        theorem3.upper_strongly_convex, bounds=(theorem3.upper_strongly_convex.bound.scaled(verdict.ratio / 2),)
    )
    assert check_claim(mutant, case).status == "violated"


def test_bad_data_is_named() -> None:
    with pytest.raises(ValueError, match="batch_size"):
        FiniteSumQuadraticClients((1,), ((1, 2),), 0, batch_size=0)
    with pytest.raises(ValueError, match="every client"):
        FiniteSumQuadraticClients((1, 1), ((1, 2),), 0)
    with pytest.raises(ValueError, match="shared by a client's components"):
        FiniteSumQuadraticClients(((1, 1, 1),), ((1, 2),), 0)
