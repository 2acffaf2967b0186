"""Clients that are means of functions: what a gradient is on average, at the minimiser, and what they must not be."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import fmpq

from fltheory.evidence.exact import exact_rational
from fltheory.model.case import Case
from fltheory.papers.sfl.algorithms import parallel, sequential
from fltheory.problems.finite_sum import FiniteSumQuadraticClients
from fltheory.problems.interpolated.quadratics import MatrixClients
from fltheory.problems.interpolated.sampled import ComponentSamplingClients
from fltheory.runs import assumptions as assume
from fltheory.runs.measures import LastDistance, LastGap
from tests.problems.test_interpolated import TWO

# (x^2/2 + x, x^2/4 - 2x) and (x^2/2 - x, x^2/4 + 2x), by their Hessians and by their numbers.
MATRICES, SLOPES = (((1,),), (("1/2",),), ((1,),), (("1/2",),)), ((1,), (-2,), (-1,), (2,))
PAIRS = ComponentSamplingClients(MatrixClients(MATRICES, SLOPES, 3, 1, "1/2"), 2)
SUMS = FiniteSumQuadraticClients(((1, "1/2"), (1, "1/2")), ((1, -2), (-1, 2)), 3)


def test_they_are_what_finite_sums_are() -> None:
    x = np.array([[1.5], [-0.25]])
    for m in range(2):
        assert PAIRS.gradient(x, m).tolist() == SUMS.gradient(x, m).tolist()
        for u in (0.2, 0.7):
            uniforms = np.full((2, 1), u)
            assert np.allclose(PAIRS.noise(x, m, uniforms), SUMS.noise(x, m, uniforms))
    assert PAIRS.gap(x).tolist() == SUMS.gap(x).tolist()
    own, theirs = ({s.name: v for s, v in one.constants.items()} for one in (PAIRS, SUMS))
    for name in ("n_clients", "initial_distance", "initial_gap", "heterogeneity_at_optimum", "noise_std_at_optimum"):
        assert own[name] == theirs[name], name
    assert own["max_heterogeneity_at_optimum"] == Fraction(1, 2)
    assert "noise_std" not in own


@pytest.mark.parametrize("method", [sequential, parallel])
@pytest.mark.parametrize("measure", [LastDistance(), LastGap()])
def test_runs_on_them_are_the_same(method: Any, measure: Any) -> None:
    one, other = (
        exact_rational(measure, method, Case(clients, n_rounds=1, n_local_steps=2, step_size="1/3"))
        for clients in (PAIRS, SUMS)
    )
    assert one is not None
    assert other is not None
    assert one.value == other.value


def test_the_noise_has_no_mean() -> None:
    pairs, x = ComponentSamplingClients(TWO, 2), np.array([[fmpq(1), fmpq(0)], [fmpq(1, 3), fmpq(2)]], dtype=object)
    values = [pairs.noise_value(x, 0, np.full(2, i), None) for i in range(2)]
    assert (values[0] != 0).any()
    assert not (values[0] + values[1]).any()
    assert pairs.constants[next(s for s in pairs.constants if s.name == "noise_std_at_optimum")] == 1
    assert (
        eval(repr(PAIRS), {"ComponentSamplingClients": ComponentSamplingClients, "MatrixClients": MatrixClients})
        == PAIRS
    )
    for one in (
        assume.minimiser_exists,
        assume.convex,
        assume.smooth,
        assume.strongly_convex,
        assume.constants_described,
    ):
        assert one.failed(Case(PAIRS, n_rounds=1)) is None, one.name


@pytest.mark.parametrize("n", [0, 3, True, 2.0, "2"])
def test_each_client_has_as_many(n: Any) -> None:
    with pytest.raises(ValueError, match="n_components must divide"):
        ComponentSamplingClients(TWO, n)
