"""Quadratic clients by their Hessians: the same as by eigenvalues, and what they must not be."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import fmpq

from fltheory import symbols
from fltheory.evidence.exact import exact_rational
from fltheory.model.case import Case
from fltheory.papers.sfl.algorithms import sequential
from fltheory.problems import DenseQuadraticClients
from fltheory.problems.interpolated.quadratics import MatrixClients
from fltheory.runs import assumptions as assume
from fltheory.runs.measures import LastDistance, LastGap

TURNED = DenseQuadraticClients(
    ((1, "1/3"), ("1/2", "1/4")), ((1, -2), (0, 1)), (2, -1), reflections=(((1, 2),), ((3, -1),)), noise_std=("1/5", 0)
)
SAME = MatrixClients(
    tuple(
        tuple(tuple(Fraction(int(h[i, j].p), int(h[i, j].q)) for j in range(2)) for i in range(2))
        for h in TURNED.hessians
    ),
    TURNED.slopes,
    TURNED.start,
    1,
    "1/4",
    noise_std=("1/5", 0),
)
GIVEN: dict[str, Any] = {
    "matrices": (((1, "1/4"), ("1/4", "1/2")),),
    "slopes": ((1, 0),),
    "start": (0, 0),
    "smoothness": 2,
    "strong_convexity": "1/4",
}


def test_they_are_what_others_are_by_their_eigenvalues() -> None:
    assert SAME.constants.items() >= TURNED.constants.items()
    assert SAME.constants[symbols.max_heterogeneity_at_optimum] == SAME.constants[symbols.heterogeneity_at_optimum]
    assert SAME.minimiser == TURNED.minimiser
    x = np.array([[1.5, -0.25], [0.0, 2.0]])
    for m in range(2):
        assert np.allclose(SAME.gradient(x, m), TURNED.gradient(x, m))
        assert np.allclose(SAME.client_value(x, m), TURNED.client_value(x, m))
    for measure in (LastDistance(), LastGap()):
        one, other = (
            exact_rational(measure, sequential, Case(clients, n_rounds=1, n_local_steps=1, step_size="1/3"))
            for clients in (SAME, TURNED)
        )
        assert one is not None
        assert other is not None
        assert one.value == other.value


def test_the_repr_rebuilds_them_and_their_assumptions_hold() -> None:
    assert eval(repr(SAME), {"MatrixClients": MatrixClients}) == SAME
    case = Case(SAME, n_rounds=1)
    for one in (
        assume.minimiser_exists,
        assume.strongly_convex,
        assume.smooth,
        assume.bounded_noise,
        assume.constants_described,
    ):
        assert one.failed(case) is None, one.name


def test_one_coordinate_more_has_the_noise() -> None:
    wider = MatrixClients(**GIVEN).beside(Fraction(1, 3), Fraction(1, 2))
    assert wider.noise_std == (0, 0, Fraction(1, 2))
    assert wider.constants[symbols.noise_std] == Fraction(1, 2)
    x = np.array([[fmpq(1), fmpq(2), fmpq(3)]], dtype=object)
    assert wider.gradient(x, 0).tolist() == [[fmpq(5, 2), fmpq(5, 4), fmpq(1)]]


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"matrices": (((1, "1/4"), ("1/3", "1/2")),)}, "symmetric"),
        ({"matrices": (((1, 2), (2, "1/2")),)}, "outside"),
        ({"smoothness": 1}, "outside"),  # the largest eigenvalue is (3 + sqrt 2) / 4
        ({"strong_convexity": "2/5"}, "outside"),
        ({"strong_convexity": 3}, "strong_convexity must lie"),
        ({"matrices": ()}, "one entry for every client"),
        ({"matrices": (((1, 0),),)}, "row and a column"),
        ({"start": (0, 0, 0)}, "slopes need one entry"),
        ({"matrices": (((0, 0), (0, 1)),), "strong_convexity": 0}, "unbounded below"),
        ({"noise_std": -1}, "noise_std"),
    ],
)
def test_what_they_must_not_be(changed: dict[str, Any], why: str) -> None:
    MatrixClients(**GIVEN)
    with pytest.raises(ValueError, match=why):
        MatrixClients(**{**GIVEN, **changed})
