"""Dense quadratic clients: spectra, optimum, constants and moments, against independent computations."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq, fmpq_mat
from hypothesis import given

from fltheory import symbols
from fltheory.claims.check import check_claim
from fltheory.evidence.exact import exact_value
from fltheory.model.case import Case
from fltheory.number import RATIONAL, to_float
from fltheory.papers.sfl import algorithms
from fltheory.papers.sfl.instances.quadratics import at_effective_step
from fltheory.papers.sfl.upper.claims import theorem3
from fltheory.problems import DenseQuadraticClients
from fltheory.problems.strategies import dense_clients
from fltheory.runs import assumptions
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.distributions.affine import affine_blocks
from fltheory.runs.distributions.sample_paths import enumerate_runs
from fltheory.runs.measures import AveragedGap, LastDistance, LastGap, LeastGradient, RunMeasure
from tests.problems.own_constants import require_own_constants

TURNED = DenseQuadraticClients(
    ((1, "1/4"), (1, "1/8")),
    ((1, 0), (-1, "1/2")),
    (2, -1),
    reflections=(((1, 2),), ((3, -1), (1, 1))),
    noise_std=("1/2", 1),
)
COMMON = DenseQuadraticClients(
    ((1, "1/4", "1/2"),) * 2, ((1, 0, 2), (-1, 0, -2)), (3, 1, 1), reflections=(((1, 2, -1),),) * 2
)
SINGULAR = DenseQuadraticClients(
    ((1, 0), (1, 0)), ((1, 0), (-1, 0)), (2, 3), reflections=(((1, 1),), ((1, 1),)), noise_law="uniform"
)
ALL = (TURNED, COMMON, SINGULAR)


@pytest.mark.parametrize("instance", ALL)
def test_the_repr_rebuilds_the_instance(instance: DenseQuadraticClients) -> None:
    assert eval(repr(instance)) == instance  # the repr is our own
    assert hash(eval(repr(instance))) == hash(instance)


@given(dense_clients())
def test_hessians_have_the_prescribed_spectrum(instance: DenseQuadraticClients) -> None:
    for hessian, spectrum in zip(instance.hessians, instance.curvatures, strict=True):
        assert hessian == hessian.transpose()
        for value in spectrum:
            shifted = hessian - _identity(instance.dim) * fmpq(value.numerator, value.denominator)
            assert shifted.det() == 0
        assert sum(hessian[i, i] for i in range(instance.dim)) == sum(
            fmpq(v.numerator, v.denominator) for v in spectrum
        )


@given(dense_clients(curved=True))
def test_the_optimum_is_stationary_and_the_constants_bound_what_they_name(instance: DenseQuadraticClients) -> None:
    best = np.array([[*(RATIONAL.scalar(v) for v in instance.minimiser), None]], dtype=object)[:, :-1]
    assert not any(instance.mean_gradient(best)[0])
    assert not any(np.array([instance.gradient(best, m)[0] for m in range(instance.n_clients)]).sum(axis=0))
    require_own_constants(instance, assumptions.strongly_convex, assumptions.uniform_heterogeneity)


def test_uniform_heterogeneity_is_attained() -> None:
    # the least zeta for its beta: equality at y = S^-1 w, found here by maximising on a grid of directions
    zeta, beta = (to_float(TURNED.constants[s]) for s in (symbols.heterogeneity, symbols.heterogeneity_slope))
    best = np.array([to_float(v) for v in TURNED.minimiser])
    grid = np.stack(np.meshgrid(np.linspace(-6, 6, 601), np.linspace(-6, 6, 601)), axis=-1).reshape(-1, 2) + best
    clients = np.stack([TURNED.gradient(grid, m) for m in range(2)])
    mean = TURNED.mean_gradient(grid)
    excess = ((clients - mean) ** 2).sum(axis=-1).mean(axis=0) - beta**2 * (mean**2).sum(axis=-1)
    assert zeta**2 * (1 - 1e-3) < excess.max() <= zeta**2 * (1 + 1e-12)


def test_one_coordinate_gives_the_separable_constants() -> None:
    from fltheory.problems import QuadraticClients

    dense = DenseQuadraticClients((1, "1/3"), (1, -2), 2, noise_std="1/5").constants
    plain = QuadraticClients((1, "1/3"), (1, -2), 2, noise_std="1/5").constants
    assert all(plain[s] == v for s, v in dense.items())


def test_a_common_hessian_has_no_relative_heterogeneity() -> None:
    constants = COMMON.constants
    assert constants[symbols.heterogeneity_slope] == 0
    assert constants[symbols.heterogeneity] == constants[symbols.heterogeneity_at_optimum]


def test_the_nearest_minimiser_is_taken_where_there_are_many() -> None:
    # H = v v^T with v = (0, 1) up to sign: the first coordinate of the start stays or the second does
    assert SINGULAR.constants[symbols.initial_distance] == 3
    with pytest.raises(ValueError, match="unbounded below"):
        _ = replace(SINGULAR, slopes=((1, 1), (0, 0))).constants


def test_bad_data_is_named() -> None:
    with pytest.raises(ValueError, match="one entry for every client"):
        DenseQuadraticClients(((1, 1),), ((1, 0), (0, 1)), (0, 0))
    with pytest.raises(ValueError, match="reflections"):
        DenseQuadraticClients(((1, 1),), ((1, 0),), (0, 0), reflections=(((0, 0),),))
    with pytest.raises(ValueError, match="nonnegative"):
        DenseQuadraticClients(((1, -1),), ((1, 0),), (0, 0))


MEASURES = (LastGap(), LeastGradient(), LastDistance(), AveragedGap(1 - symbols.step_size))


@pytest.mark.parametrize("algorithm", [algorithms.sequential, algorithms.parallel])
@pytest.mark.parametrize("measure", MEASURES, ids=lambda m: m.name)
def test_moments_equal_enumeration_and_the_law_of_the_step_itself(algorithm: Algorithm, measure: RunMeasure) -> None:
    case = Case(TURNED, n_rounds=1, n_local_steps=2, step_size="1/12")
    by_law = exact_value(measure, algorithm, case, RATIONAL)
    states, probabilities = enumerate_runs(algorithm, case, RATIONAL)
    weights = np.array([*probabilities, None], dtype=object)[:-1, None]
    assert by_law == min((measure.values(states, case) * weights).sum(axis=0))
    assert affine_blocks(algorithm, case, RATIONAL) is not None
    assert by_law == exact_value(measure, algorithm._replace(step=algorithm.step), case, RATIONAL)


def test_upper_bounds_hold_exactly_and_a_mutant_does_not() -> None:
    cases = tuple(at_effective_step(i, "1/6", "MK", n_rounds=400, n_local_steps=2) for i in (TURNED, COMMON))
    claim = replace(theorem3.upper_strongly_convex, cases=cases)
    verdicts = [check_claim(claim, case) for case in cases]
    assert [(v.status, v.evidence) for v in verdicts] == [("holds", "exact")] * 2
    worst = max(v.ratio for v in verdicts if v.ratio)
    mutant = replace(claim, bounds=(claim.bound.scaled(Fraction(worst) / 2),))
    assert "violated" in [check_claim(mutant, case).status for case in cases]


def _identity(n: int) -> fmpq_mat:
    return fmpq_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])
