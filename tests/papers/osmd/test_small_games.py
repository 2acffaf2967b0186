"""Compiled games of few clients and rounds: Algorithm 5 without the mixture, the switching adversary, the trap."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fltheory.games.dynamic_regret import DynamicRegret, comparator_play
from fltheory.games.losses import sampler_loss
from fltheory.games.play import simulate_rounds
from fltheory.model.case import Case
from fltheory.papers.osmd import kernels
from fltheory.papers.osmd.algorithms import adaptive, switching
from fltheory.papers.osmd.experts.cases import SwitchingAdversary
from fltheory.papers.osmd.experts.kernels import experts, switching_games, trap, trees
from fltheory.papers.osmd.fedavg.closed_forms.local_steps import OneClientRound
from fltheory.papers.osmd.instances.games import FeedbackTable
from tests.papers.osmd.test_adaptive import constants, experts_without_mixture, setting


@pytest.mark.parametrize(("n", "drawn"), [(2, 1), (3, 2), (5, 4), (4, 1)])
@pytest.mark.parametrize("largest", [1.01, 0.02])
def test_few_rounds_without_the_mixture(n: int, drawn: int, largest: float) -> None:
    """An expert by its weight, then a client of it; feedback changes, and is 0 for some."""
    rows = np.random.default_rng(n).integers(0, 3, (8, n)) / 2
    losses, c = kernels.by_rows(rows), constants(n, drawn, 8, 0.3, largest)
    found = experts_without_mixture(losses, c, 3)
    totals = trees.estimated_losses(losses, c, 5, np.array([3, 8]), np.arange(1, 9))
    assert totals[0] == pytest.approx(found, rel=1e-9)
    marks = trees.estimated_losses(losses, c, 5, np.array([3]), [2, 8])
    assert marks[0] == pytest.approx([found[1], found[7]], rel=1e-9)


@pytest.mark.parametrize("name", ["adaptive", "doubling"])
@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("drawn", [1, 2])
@pytest.mark.parametrize("rounds", [1, 2, 7, 9])
def test_few_rounds_against_the_switching_adversary(name: str, start: int, drawn: int, rounds: int) -> None:
    case, runs = Case(SwitchingAdversary(rounds, drawn, "7/10", 10**4, "11/20", start)), np.arange(2)
    for gamma in ("printed", "corrected"):
        fast = getattr(switching, name)(gamma).kernel(case, 3, runs)
        plain = DynamicRegret().simulate(getattr(adaptive, name)(gamma)._replace(kernel=None), case, 3, runs)
        assert fast == pytest.approx(plain, rel=1e-9)


def test_the_ends_of_blocks() -> None:
    """1, 3, 7, .. and the last round."""
    wanted: dict[int, list[int]] = {1: [1], 2: [1, 2], 3: [1, 3], 4: [1, 3, 4], 7: [1, 3, 7], 8: [1, 3, 7, 8]}
    for rounds, ends in wanted.items():
        assert switching_games._block_ends(rounds).tolist() == ends


@pytest.mark.parametrize("largest", [1.0, 1e9])
@pytest.mark.parametrize("gamma", ["corrected", "printed"])
@pytest.mark.parametrize(("rounds", "drawn"), [(1, 1), (12, 3), (12, 50)])
def test_short_traps_beside_the_equations(rounds: int, drawn: int, gamma: str, largest: float) -> None:
    settings: tuple[Any, ...] = setting(rounds, drawn, largest, gamma)
    found, active = trap.trap_regret(*settings, 3, np.arange(2))
    expected = [trap.trap_regret_plain(*settings, 3, i) for i in range(2)]
    assert found == pytest.approx(expected, rel=1e-6)
    again, same = trap.trap_regret(*settings, 3, np.array([1]), replay=active[1].astype(np.int64))
    assert again[0] == found[1]
    assert (same[0] == active[1]).all()


@pytest.mark.parametrize(("n", "p"), [(1, 0.3), (7, 0.5), (20, 0.05), (5, 1.0), (4, 0.9)])
def test_binomial_numbers_of_few_draws(n: int, p: float) -> None:
    """The least value whose chance not to be exceeded is above the uniform number, from the most likely one on."""
    from math import comb

    grid = (np.arange(2001) + 0.5) / 2001
    often = np.bincount([trap.binomial(u, n, p) for u in grid], minlength=n + 1) / len(grid)
    law = [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
    assert np.abs(often - law).max() <= 1.01 / len(grid)


@pytest.mark.parametrize("rounds", [2, 3, 5])
@pytest.mark.parametrize(
    ("sampler", "options"),
    [
        (adaptive.adaptive(), ("corrected", False, "uniform")),
        (adaptive.doubling(), ("corrected", True, "uniform")),
        (adaptive.doubling("printed", "last"), ("printed", True, "last")),
    ],
)
def test_few_rounds_of_blocks(sampler: Any, options: Any, rounds: int) -> None:
    """The blocks end after 1, 3, 7, .. rounds, and with the game; the next begins anew, or where the last one ended."""
    rows = tuple(tuple(int(v) for v in row) for row in np.random.default_rng(3).integers(0, 9, (rounds, 3)))
    case = Case(FeedbackTable((*rows[1:], (9, 0, 1)), n_sampled=2, floor="1/4"))
    total = np.zeros(1)
    for r in simulate_rounds(sampler._replace(kernel=None), case, 4, np.arange(1)):
        total += sampler_loss(r.answer, r.p, 2) - sampler_loss(r.answer, comparator_play(r, case)[None], 2)
    found = experts.experts_regret(case, 4, np.arange(1), *options)
    assert found == pytest.approx(total, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    "wrong", [{"step": 0}, {"step": -1}, {"n_local_steps": "1/2"}, {"gradients": (1, 2), "curvatures": (1, 1)}]
)
def test_rounds_of_more_than_one_client_or_without_steps(wrong: Any) -> None:
    given: dict[str, Any] = {"curvatures": (1,), "gradients": (1,), "step": "1/8", "n_local_steps": 2}
    OneClientRound(**given)
    with pytest.raises(ValueError, match="expected one client, a positive step and a number of local steps"):
        OneClientRound(**{**given, **wrong})
