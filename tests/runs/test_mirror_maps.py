"""Mirror maps: gradients are inverted, divergences are those of the definition, and what they measure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from flint import fmpq

from fltheory import Algorithm, Case, quantity, theorem, verify
from fltheory.problems import QuadraticClients
from fltheory.runs.method import VariantError
from fltheory.runs.mirror_maps import LastDivergence, MirrorMap, entropy_map, p_norm_map, quadratic_map
from fltheory.symbols import initial_distance

RNG = np.random.default_rng(0)
ANY = RNG.normal(size=(5, 3))
SIMPLEX = RNG.dirichlet((1, 1, 1), size=5)
KINDS: dict[str, tuple[MirrorMap, Callable[[np.ndarray], Any], np.ndarray]] = {
    "quadratic": (quadratic_map(1, 2, 3), lambda x: (x * x * [1, 2, 3]).sum(axis=1) / 2, ANY),
    "3/2": (p_norm_map(1.5), lambda x: np.linalg.norm(x, 1.5, axis=1) ** 2 / 2, ANY),
    "2": (p_norm_map(2), lambda x: (x * x).sum(axis=1) / 2, ANY),
    "entropy": (entropy_map(), lambda x: (x * np.log(x)).sum(axis=1), SIMPLEX),
}


@pytest.mark.parametrize("kind", KINDS)
def test_gradient_inverse_and_divergence_are_those_of_the_function(kind: str) -> None:
    mirror, h, x = KINDS[kind]
    u = x[::-1]
    assert np.allclose(mirror.inverse(mirror.gradient(x)), x)
    away = 1e-6 * (u - x)
    slope = (h(x + away) - h(x - away)) / 2e-6
    assert np.allclose((mirror.gradient(x) * (u - x)).sum(axis=1), slope)
    assert np.allclose(mirror.divergence(u, x), h(u) - h(x) - slope)


@pytest.mark.parametrize("kind", KINDS)
def test_a_step_is_the_point_of_the_least_sum(kind: str) -> None:
    mirror, _, x = KINDS[kind]
    slope = RNG.normal(size=x.shape)
    at = mirror.step(x, slope)

    def cost(u: np.ndarray) -> Any:
        return (slope * u).sum(axis=1) + mirror.divergence(u, x)

    others = SIMPLEX if kind == "entropy" else at + RNG.normal(size=x.shape) / 10
    for other in (others, 0.99 * at + 0.01 * others):
        assert (cost(other) > cost(at)).all()


def test_the_divergence_of_a_vertex_is_the_logarithm() -> None:
    assert np.allclose(entropy_map().divergence(np.eye(3), np.full((3, 3), 1 / 3)), np.log(3))
    assert (p_norm_map(1.5).inverse(np.zeros((1, 2))) == 0).all()


def test_quadratic_maps_are_exact_on_rationals() -> None:
    x = np.array([[fmpq(1, 3), fmpq(2)]], dtype=object)
    assert quadratic_map(2, 3).step(x, x).tolist() == [[fmpq(1, 6), fmpq(4, 3)]]
    assert quadratic_map("1/2", 3).step(x, x).tolist() == [[-fmpq(1, 3), fmpq(4, 3)]]


def test_a_step_on_the_simplex_is_checked_where_runs_come() -> None:
    """At points outside, where a logarithm is none, it is not asked."""
    entropy = entropy_map()
    clients = QuadraticClients(((1, 1),), (("-1/4", "-3/4"),), ("1/2", "1/2"))
    claim = theorem(
        "MD: D_h <= 1000 D^2",
        quantity <= 1000 * initial_distance**2,
        algorithm=Algorithm("mirror descent", lambda x, oracle, c: entropy.step(x, oracle.gradient(x, 0) / 10)),
        measure=LastDivergence(entropy),
        cases=[Case(clients, n_rounds=3)],
    )
    assert verify(claim).status == "holds"


def test_bad_maps_are_refused() -> None:
    for weights in ((), (0,), (1, -1)):
        with pytest.raises(ValueError, match="a quadratic mirror map needs positive weights"):
            quadratic_map(*weights)
    for p in (1, 3):
        with pytest.raises(ValueError, match=f"a p-norm mirror map needs 1 < p <= 2, got {p}"):
            p_norm_map(p)


def descent(x: Any, oracle: Any, c: Any) -> Any:
    return x - oracle.gradient(x, 0) / 2


@pytest.mark.parametrize(("part", "status"), [(4, "holds"), (5, "violated")])
def test_the_divergence_to_the_minimiser_is_measured_exactly(part: int, status: str) -> None:
    """With weight 2 in both coordinates it is the squared distance, a quarter after a step of 1/2."""
    claim = theorem(
        f"D: D_h(x*, x_R) <= D²/{part}",
        quantity <= initial_distance**2 / part,
        algorithm=Algorithm("GD", descent),
        measure=LastDivergence(quadratic_map(2, 2)),
        cases=[Case(QuadraticClients(((1, 1),), ((-1, 0),), (3, 1)), n_rounds=1)],
        key="mirror",
    )
    found = verify(claim)
    assert (found.status, found.evidence) == (status, "exact")


def test_a_divergence_of_another_shape_is_refused() -> None:
    broken = MirrorMap("broken", lambda x: x, lambda z: z, lambda u, x: u - x)
    measure = LastDivergence(broken)
    case = Case(QuadraticClients((1,), (0,), 1), n_rounds=1)
    with pytest.raises(VariantError, match=r"broken: divergence has shape \(1, 1\), expected \(1,\)"):
        measure.values(np.ones((1, 2, 1)), case)
