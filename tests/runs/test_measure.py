"""Measures: values on paths, weights, dimensions, trivial bounds, ceilings."""

from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from fltheory import symbols
from fltheory.evidence.exact import exact_rational
from fltheory.model.case import Case
from fltheory.number import BALL, RATIONAL, NotRational, to_float
from fltheory.papers.sfl import algorithms
from fltheory.papers.sfl.claims import CLAIMS
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients
from fltheory.runs.algorithm import rollout
from fltheory.runs.measures import AveragedGap, DirectMeasure, LastDistance, LastGap, LeastGradient, evaluate_in_ring

HALF = AveragedGap(sympy.Rational(1, 2))
EVEN = AveragedGap(sympy.Integer(1))
MEASURES = [LastGap(), EVEN, HALF, LastDistance(), LeastGradient()]
INSTANCE = QuadraticClients((2, 4), (3, -3), 1)  # F = 3 x^2 / 2
CASE = Case(INSTANCE, n_rounds=2, n_local_steps=1, step_size="1/10")


def test_values_by_hand():
    states = np.array([[[4.0], [2.0], [1.0]]])
    expected = {
        LastGap(): [1.5],
        LastDistance(): [1.0],
        EVEN: [1.5 * (7 / 3) ** 2],
        HALF: [1.5 * ((4 + 2 * 2 + 4 * 1) / 7) ** 2],  # weights 1, 2, 4: later iterates count more
        LeastGradient(): [144.0, 36.0, 9.0],
    }
    for measure, value in expected.items():
        assert measure.values(states, CASE)[0] == pytest.approx(value)


def test_a_minimum_of_expectations_is_not_the_expectation_of_the_minimum():
    """Two paths that cross: gradients (1, 9) and (9, 1); min of means 5, mean of mins 1."""
    states = np.array([[[1.0], [3.0], [9.0]], [[3.0], [1.0], [9.0]]]) / 3
    values = LeastGradient().values(states, CASE)
    assert values.mean(axis=0).min() == pytest.approx(5)
    assert values.min(axis=1).mean() == pytest.approx(1)


def test_weights_are_normalised_and_follow_the_decay():
    measure = AveragedGap(1 - symbols.strong_convexity * symbols.step_size)
    weights = measure.weights(CASE)
    assert weights.sum() == pytest.approx(1)
    assert weights[1:] / weights[:-1] == pytest.approx(1 / 0.8)
    assert EVEN.weights(CASE) == pytest.approx(1 / 3)


def test_long_runs_do_not_overflow_the_weights():
    weights = HALF.weights(CASE.with_settings(n_rounds=5000))
    assert np.isfinite(weights).all()
    assert weights[-1] == pytest.approx(0.5)


@given(st.sampled_from(MEASURES), st.lists(st.fractions(-3, 3, max_denominator=9), min_size=3, max_size=3))
def test_exact_and_float_values_agree(measure, path):
    for instance in (INSTANCE, PiecewiseQuadraticClients((1, 2), (3, 1), (1, -2), 1)):
        case = Case(instance, n_rounds=2, n_local_steps=1, step_size="1/10")
        exact = np.array([[[RATIONAL.scalar(v)] for v in path]], dtype=object)
        plain = np.array([[[float(v)] for v in path]])
        found = [float(v) for v in measure.values(exact, case).ravel()]
        assert found == pytest.approx(measure.values(plain, case).ravel().tolist(), abs=1e-12)


def test_every_claim_measures_in_the_units_of_its_bounds():
    assert CLAIMS
    for claim in CLAIMS:
        if claim.measure is not None:
            for bound in claim.bounds:
                assert bound.dimension() == claim.measure.dimension, claim.id


def test_trivial_bounds():
    assert LastGap().trivial(CASE) == 2  # L D^2 / 2
    assert LastDistance().trivial(CASE) == 1
    assert LeastGradient().trivial(CASE) == 12  # 2 L (F(x0) - F*)
    assert DirectMeasure("m", lambda case, ring: ring.scalar(1)).trivial(CASE) is None
    assert DirectMeasure("m", lambda case, ring: ring.scalar(1), bound_above=lambda case: 7).trivial(CASE) == 7


@st.composite
def noisy_cases(draw):
    n = draw(st.integers(1, 3))
    curvature = st.sampled_from([Fraction(1, 10), Fraction(1, 2), 1, 2])
    slope = st.integers(-2, 2)
    tables = [draw(st.lists(curvature, min_size=n, max_size=n)) for _ in range(2)]
    slopes = draw(st.lists(slope, min_size=n, max_size=n))
    std, law = draw(st.sampled_from([0, 1, 5])), draw(st.sampled_from(["two_point", "uniform"]))
    instance = PiecewiseQuadraticClients(*tables, slopes, draw(st.integers(-3, 3)), std, law)
    step = draw(st.sampled_from([Fraction(1, 2), Fraction(1, 7), Fraction(1, 100)]))  # at most 1 / L
    return Case(instance, n_rounds=draw(st.integers(1, 30)), n_local_steps=draw(st.integers(1, 3)), step_size=step)


@given(noisy_cases(), st.booleans(), st.integers(0, 99))
def test_ceilings_are_ceilings_on_every_simulated_path(case, parallel, seed):
    algorithm = algorithms.parallel if parallel else algorithms.sequential
    states = rollout(algorithm, case, 50, seed)
    radius = case.instance.radius(to_float(case.constants[symbols.step_size]))
    best = np.array([to_float(v) for v in case.instance.minimiser])
    assert (np.abs(states - best).max(axis=(0, 1)) <= np.array(radius)).all()
    for measure in MEASURES:
        assert measure.values(states, case).max() <= measure.ceiling(case) + 1e-20  # from a minimiser it is 0


def test_no_ceiling_where_none_is_known():
    assert LastGap().ceiling(CASE.with_settings(step_size=1)) is None  # beyond 1 / L
    assert LastGap().ceiling(CASE.with_settings(server_step_size=2)) is None
    assert LastGap().ceiling(Case(QuadraticClients((1, 0), (1, -1), 1), n_rounds=1, step_size="1/10")) is None
    assert LastGap().ceiling(Case(INSTANCE, n_rounds=1)) is None


def test_expressions_in_rings():
    expr = symbols.strong_convexity * symbols.step_size
    assert evaluate_in_ring(expr, CASE, RATIONAL) == RATIONAL.scalar(Fraction(1, 5))
    assert evaluate_in_ring(expr, CASE, BALL).overlaps(BALL.scalar(Fraction(1, 5)))
    with pytest.raises(NotRational):
        evaluate_in_ring(sympy.exp(-expr), CASE, RATIONAL)


def test_irrational_weights_have_no_rational_value_but_a_ball():
    measure = AveragedGap(sympy.exp(-symbols.strong_convexity * symbols.step_size))
    assert exact_rational(measure, algorithms.sequential, CASE) is None
    assert exact_rational(HALF, algorithms.sequential, CASE) is not None
