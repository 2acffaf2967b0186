"""The non-convex cosine family: constants against grids, exact paths, bounded gradients."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

import numpy as np
import pytest
import sympy
from flint import arb
from hypothesis import given
from sympy import Symbol

from fltheory import symbols
from fltheory.evidence.exact import exact_ball
from fltheory.model.case import Case
from fltheory.number import Number, to_float
from fltheory.papers.sfl import algorithms
from fltheory.problems import CosineClients
from fltheory.problems.strategies import cosine_clients
from fltheory.runs import assumptions
from fltheory.runs.algorithm import rollout
from fltheory.runs.measures import LeastGradient
from tests.problems.own_constants import require_own_constants

BALANCED = CosineClients.balanced(4, "1/2", "3/4", "3/2", noise_std="1/10")
PLANE = CosineClients(((1, 2), (3, "1/2")), ((1, -1), (-1, 1)), (1, 7), noise_law="uniform", noise_std=("1/4", 0))


@pytest.mark.parametrize("instance", [BALANCED, PLANE])
def test_the_repr_rebuilds_the_instance(instance: CosineClients) -> None:
    assert eval(repr(instance)) == instance


@given(cosine_clients())
def test_constants_bound_what_they_name(instance: CosineClients) -> None:
    require_own_constants(instance, assumptions.uniform_heterogeneity)


def test_constants_that_are_too_small_are_caught() -> None:
    class Hopeful(CosineClients):
        @cached_property
        def constants(self) -> Mapping[Symbol, Number]:
            found = dict(super().constants)
            return found | {s: Fraction(1, 2) for s in (symbols.smoothness, symbols.heterogeneity)}

    case = Case(Hopeful((1, 1), (1, -1), 1), n_rounds=1, n_local_steps=1, step_size=1)
    assert assumptions.smooth.check(case) is not None
    with pytest.raises(AssertionError, match=assumptions.smooth.name):
        require_own_constants(case.instance)
    assert assumptions.uniform_heterogeneity.check(case) is not None


@pytest.mark.parametrize(("spread", "slope"), [("1/2", "3/4"), ("1/2", "1/8"), (0, 1), (2, 5)])
def test_the_family_of_the_theory_has_its_closed_constants(spread: object, slope: object) -> None:
    constants = CosineClients.balanced(2, spread, slope, 1).constants
    c, zeta = sympy.Rational(spread), sympy.Rational(slope)
    assert constants[symbols.smoothness] == 1 + c
    assert sympy.sympify(constants[symbols.heterogeneity_slope]) == sympy.sqrt(2) * c
    # (2 c^2, 2 zeta^2) where the parabola's top lies in |sin x| <= 1, a smaller zeta beyond
    square = sympy.sympify(constants[symbols.heterogeneity]) ** 2
    expected = zeta**2 if c == 0 else 2 * zeta**2 if zeta <= c else zeta**2 + 2 * c * zeta - c**2
    assert sympy.expand(square) == expected


def test_uniform_heterogeneity_is_attained() -> None:
    x = np.linspace(0, 2 * np.pi, 100_001)[:, None]
    clients = np.stack([BALANCED.gradient(x, m) for m in range(4)])
    mean = BALANCED.mean_gradient(x)
    zeta, beta = (to_float(BALANCED.constants[s]) for s in (symbols.heterogeneity, symbols.heterogeneity_slope))
    excess = ((clients - mean) ** 2).sum(axis=-1).mean(axis=0) - beta**2 * (mean**2).sum(axis=-1)
    assert excess.max() == pytest.approx(zeta**2, rel=1e-8)


def test_the_minimiser_is_the_nearest_one() -> None:
    assert PLANE.minimiser == (0, 2 * sympy.pi)
    assert abs(to_float(PLANE.constants[symbols.initial_distance]) - np.hypot(1, 7 - 2 * np.pi)) < 1e-12


def test_gradients_are_bounded_along_any_run() -> None:
    case = Case(replace(PLANE, noise_std=5), n_rounds=50, n_local_steps=2, step_size=1)
    values = LeastGradient().values(rollout(algorithms.sequential, case, 200), case)
    assert values.max() <= PLANE.gradient_ceiling == LeastGradient().ceiling(case)
    assert values.max() > 0.9 * PLANE.gradient_ceiling


def test_one_path_is_computed_in_balls() -> None:
    case = Case(CosineClients((1,), (0,), 1), n_rounds=3, n_local_steps=2, step_size="1/10")
    value = exact_ball(LeastGradient(), algorithms.sequential, case).value
    x = arb(1)
    for _ in range(6):
        x = x - x.sin() / 10
    assert value.overlaps(x.sin() ** 2)
    assert value.rel_accuracy_bits() > 50


def test_bad_data_is_named() -> None:
    with pytest.raises(ValueError, match="sum to zero"):
        CosineClients((1, 1), (1, 0), 1)
    with pytest.raises(ValueError, match="mean amplitude"):
        CosineClients((1, -1), (1, -1), 1)
    with pytest.raises(ValueError, match="noise_std"):
        CosineClients((1,), (0,), 1, noise_std=-1)
