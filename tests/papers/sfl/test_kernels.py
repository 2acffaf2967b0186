"""Compiled rounds of SFL and PFL on few small runs: bit for bit those of the algorithms as they are written down."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fltheory.model.case import Case
from fltheory.papers.sfl import algorithms, kernels
from fltheory.problems.interpolated.quadratics import MatrixClients
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients
from fltheory.runs.algorithm import rollout, stream_runs
from fltheory.runs.constants import run_constants

METHODS = pytest.mark.parametrize("method", [algorithms.sequential, algorithms.parallel], ids=["SFL", "PFL"])
SIZES = pytest.mark.parametrize(
    ("n_clients", "taken"), [(1, 1), (2, 1), (3, 3), (4, 2), (15, 15), (16, 16), (17, 17), (17, 3)]
)


def clients(n: int, noise: Any = 0, law: str = "two_point", alike: bool = False, kinked: bool = True) -> Any:
    """In two coordinates, with slopes of both signs, and kinks where a model changes its sign on the way."""
    left = [(1, Fraction(1, 3))] * n if alike else [(1 + m % 3, Fraction(1 + m % 2, 3)) for m in range(n)]
    right = [(Fraction(1, 2), 2)] * n if alike else [(Fraction(1, 2), 2 - m % 2) for m in range(n)]
    slopes = [(3 * (-1) ** m - m % 3, 1 - m % 4) for m in range(n)]
    if not kinked:
        return QuadraticClients(left, slopes, (1, -2), noise, law)
    return PiecewiseQuadraticClients(left, right, slopes, (1, -2), noise, law)


@METHODS
@SIZES
@pytest.mark.parametrize("local_steps", [1, 2, 3])
def test_runs_are_those_of_the_reference(method: Any, n_clients: int, taken: int, local_steps: int) -> None:
    settings: dict[str, Any] = {
        "n_rounds": 2,
        "n_local_steps": local_steps,
        "n_participating": taken,
        "step_size": "1/5",
    }
    for instance, server in ((clients(n_clients), 1), (clients(n_clients, alike=True, kinked=False), Fraction(3, 2))):
        case = Case(instance, **settings, server_step_size=server)
        fast, plain = (rollout(method, case, 3, 5, 2, kernel=kernel) for kernel in (True, False))
        assert (fast == plain).all()
        assert fast.shape == (3, 3, 2)
        assert (fast[:, 0] == [1, -2]).all()


@METHODS
@pytest.mark.parametrize("law", ["two_point", "uniform"])
@pytest.mark.parametrize(("n_clients", "taken"), [(1, 1), (3, 2), (17, 17)])
def test_noise_is_that_of_the_reference(method: Any, law: str, n_clients: int, taken: int) -> None:
    """The same value for all coordinates, times the standard deviation of each, of which one may be 0."""
    for noise in ((Fraction(1, 3), 2), (0, Fraction(1, 2))):
        settings: dict[str, Any] = {"n_rounds": 2, "n_local_steps": 2, "n_participating": taken, "step_size": "1/7"}
        case = Case(clients(n_clients, noise, law), **settings)
        fast, plain = (rollout(method, case, 4, 1, 6, kernel=kernel) for kernel in (True, False))
        assert (fast == plain).all()
        assert len({row.tobytes() for row in fast}) > 2


@METHODS
@pytest.mark.parametrize("averaged", [False, True])
def test_points_are_those_of_the_stored_runs(method: Any, averaged: bool) -> None:
    """The last one, or the weighted sum from round 0 on; in blocks of seeds, whatever their number is."""
    weights = np.array([0.5, 2.0, -1.0, 0.25]) if averaged else None
    case = Case(clients(3, Fraction(1, 2)), n_rounds=3, n_local_steps=1, step_size="1/9")
    states = rollout(method, case, 3, 7, 1, kernel=False)
    wanted = states[:, -1] if weights is None else sum(w * states[:, r] for r, w in enumerate(weights))
    assert (stream_runs(method, case, 3, weights, 7, 1) == wanted).all()


@METHODS
def test_blocks_of_seeds(method: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case(clients(3, Fraction(1, 2)), n_rounds=1, n_local_steps=1, step_size="1/9")
    whole = rollout(method, case, 7, 7, 0, kernel=False)
    monkeypatch.setattr(kernels, "BLOCK", 3)
    assert (rollout(method, case, 7, 7, 0) == whole).all()
    c, seeds = run_constants(case, None), np.arange(7)
    for threads in (1, 2):
        found = kernels.points_of_runs(
            case.instance, c, 7, seeds, None, parallel=method is algorithms.parallel, threads=threads
        )
        assert found is not None
        assert (found == whole[:, -1]).all()


def test_other_clients_have_no_compiled_runs() -> None:
    case = Case(MatrixClients((((1, 0), (0, 1)),), ((1, 0),), (1, 1), 1), n_rounds=1, n_local_steps=1, step_size="1/9")
    c, seeds = run_constants(case, None), np.arange(2)
    assert kernels.sequential_run(case.instance, c, 0, seeds) is None
    assert kernels.parallel_run(case.instance, c, 0, seeds) is None
    assert kernels.points_of_runs(case.instance, c, 0, seeds, None, parallel=False) is None


@METHODS
@pytest.mark.parametrize("side", ["left", "right"])
def test_clients_that_are_alike_on_one_side_alone(method: Any, side: str) -> None:
    """Curvatures are read once only where both tables have the same row for all clients."""
    same, other = [(1, 2)] * 3, [(1, 2), (2, 1), (3, 3)]
    left, right = (same, other) if side == "left" else (other, same)
    slopes = [(3, -1), (-2, 2), (-1, -1)]
    case = Case(PiecewiseQuadraticClients(left, right, slopes, (1, -2)), n_rounds=2, n_local_steps=2, step_size="1/5")
    fast, plain = (rollout(method, case, 3, 5, 2, kernel=kernel) for kernel in (True, False))
    assert (fast == plain).all()
