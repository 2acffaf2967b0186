"""Wide runs by JAX: the numbers of the compiled kernels, whatever device JAX has."""

from __future__ import annotations

import numpy as np
import pytest

from fltheory.model.case import Case
from fltheory.papers.sfl import kernels
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients, SeparableClients
from fltheory.runs.constants import run_constants

pytest.importorskip("jax", reason="JAX is not installed: pip install 'fltheory[gpu]'")

from fltheory.papers.sfl import wide

ROUNDING = (
    1e-11  # relative to the farthest state: XLA may contract products and sums, and orders the sum over rounds anew
)
SEEDS = 5


def _cases(n_clients: int, participating: int, noise: int, law: str) -> list[Case[SeparableClients]]:
    """Two instances in the plane with kinks, of different curvatures, slopes, starts and step sizes."""
    made = []
    for shift in (0, 1):
        left = [[1 + (m + shift) % 3, 2] for m in range(n_clients)]
        right = [[1, 1 + m % 2 + shift] for m in range(n_clients)]
        slopes = [[m - shift, (-1) ** m * (1 + shift)] for m in range(n_clients)]
        clients = PiecewiseQuadraticClients(left, right, slopes, start=[3, -1], noise_std=noise, noise_law=law)
        settings = {"n_rounds": 7, "n_local_steps": 3, "n_participating": participating}
        made.append(Case(clients, **settings, step_size=f"1/{30 + shift}", server_step_size="1/2"))
    return made


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize(
    "shape", [(3, 3, 0, "uniform"), (5, 2, 1, "uniform"), (20, 7, 1, "two_point"), (1, 1, 1, "uniform")]
)
def test_wide_runs_are_those_of_the_kernels(shape: tuple[int, int, int, str], average: bool, parallel: bool) -> None:
    cases = _cases(*shape)
    found = wide.points_of_runs(cases, SEEDS, 4, parallel=parallel, average=average)
    assert found.shape == (2, SEEDS, 2)
    for case, points in zip(cases, found, strict=True):
        c = run_constants(case, None)
        weights = np.full(c.n_rounds + 1, 1 / (c.n_rounds + 1)) if average else None
        known = kernels.points_of_runs(case.instance, c, 4, np.arange(SEEDS), weights, parallel=parallel)
        assert known is not None
        assert np.abs(points - known).max() <= ROUNDING * max(3.0, np.abs(known).max())
        assert np.ptp(known, axis=0).max() > 1e-3 or (shape[0] == shape[1] == 3 and parallel) or shape[2] == 0, (
            "one run only"
        )


def test_another_seed_gives_other_runs() -> None:
    cases = _cases(5, 2, 1, "uniform")
    one, other = (wide.points_of_runs(cases, SEEDS, seed, parallel=False) for seed in (4, 5))
    assert np.abs(one - other).max() > 1e-3


def test_what_does_not_go_together_is_told() -> None:
    cases = [*_cases(3, 3, 0, "uniform"), *_cases(5, 2, 1, "uniform")]
    with pytest.raises(ValueError, match="differ in n_participating, n_clients, noise"):
        wide.points_of_runs(cases, 1, parallel=True)
    with pytest.raises(ValueError, match="at least one case"):
        wide.points_of_runs([], 1, parallel=True)
    one = Case(QuadraticClients((1, "1/2"), (1, -1), start=3), n_rounds=4, n_local_steps=2, step_size="1/8")
    assert wide.points_of_runs([one], 2, parallel=True).shape == (1, 2, 1)
