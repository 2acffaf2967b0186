"""Costs of the online learners, ratios within one run, printed; decisions are asserted, times never: ``pytest benchmarks``."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from fltheory.claims.check import check_claim
from fltheory.games.simplex_qp import solve_low_rank
from fltheory.model.case import Case
from fltheory.problems.responses import RandomResponses
from fltheory.search.adversary import hardest_game
from fltheory.verification import find

RANGES = {"C2 = 1": lambda n: 1.0, "C2 = 1/K": lambda n: 1 / n}
TIGHT = {"tol_gap_abs": 1e-13, "tol_gap_rel": 1e-13, "tol_feas": 1e-13}
Round = tuple[int, np.ndarray, np.ndarray]  # how many gradients, c, the last decision


def constants(n_clients: int, largest: float) -> tuple[float, float]:
    """alpha = 4 K L and beta = 1 / (4 L) with L = C2 / (1 + C1), C1 = 0."""
    return 4 * n_clients * largest, 1 / (4 * largest)


def newton_run(n_clients: int, n_rounds: int, largest: float, i_th: int = 10) -> tuple[np.ndarray, list[Round], Any]:
    """An online Newton run on i.i.d. responses: its gradients, every i-th problem, and the seconds of all its steps."""
    alpha, beta = constants(n_clients, largest)
    rng = np.random.default_rng(0)
    G, c, p = np.empty((n_rounds, n_clients)), np.zeros(n_clients), np.full(n_clients, 1 / n_clients)
    kept, seconds = [], np.empty(n_rounds)
    for t in range(n_rounds):
        r = largest * rng.random(n_clients)
        began = time.perf_counter()
        G[t] = -r / (1 + p @ r)
        c = c + G[t] * (1 - beta * (G[t] @ p))
        last, (p, gap) = p, solve_low_rank(alpha, beta, G[: t + 1], c, start=p)
        seconds[t] = time.perf_counter() - began
        assert gap <= 5e-13 * alpha, "not certified to 1e-6"
        if (t + 1) % i_th == 0:
            kept.append((t + 1, c, last))
    return G, kept, seconds


def seconds(run: Callable[[], Any], times: int) -> float:
    """The least of some runs."""
    found = []
    for _ in range(times):
        began = time.perf_counter()
        run()
        found.append(time.perf_counter() - began)
    return min(found)


class Rival:
    """The same step by cvxpy and Clarabel, its problem built once for at most so many rounds, the data being parameters."""

    def __init__(self, n_clients: int, n_rounds: int, alpha: float, beta: float):
        self.cp = pytest.importorskip("cvxpy", reason="needs the extra find: pip install -e '.[find]'")
        pytest.importorskip("clarabel", reason="needs the extra find: pip install -e '.[find]'")
        self.alpha, self.beta = alpha, beta
        self.p, self.G, self.c = (
            self.cp.Variable(n_clients),
            self.cp.Parameter((n_rounds, n_clients)),
            self.cp.Parameter(n_clients),
        )
        self.problem = self.program(self.p, self.G, self.c)

    def program(self, p: Any, G: Any, c: Any) -> Any:
        """Eq. (7) with the gradients beside each other."""
        objective = self.alpha / 2 * self.cp.sum_squares(p) + self.beta / 2 * self.cp.sum_squares(G @ p) + c @ p
        return self.cp.Problem(self.cp.Minimize(objective), [p >= 0, self.cp.sum(p) == 1])

    def solve(self, problem: Any, **tolerances: float) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of an inaccurate solution, which the comparison would show
            problem.solve(solver="CLARABEL", **tolerances)

    def again(self, G: np.ndarray, c: np.ndarray) -> np.ndarray:
        """The problem that was built once, rows that aren't there yet being 0."""
        self.G.value, self.c.value = np.vstack([G, np.zeros((self.G.shape[0] - len(G), G.shape[1]))]), c
        self.solve(self.problem, **TIGHT)
        return np.asarray(self.p.value)

    def anew(self, G: np.ndarray, c: np.ndarray, **tolerances: float) -> np.ndarray:
        """As users write it: the problem is built each time."""
        p = self.cp.Variable(len(c))
        self.solve(self.program(p, G, c), **tolerances)
        return np.asarray(p.value)


@pytest.mark.parametrize("largest", RANGES)
@pytest.mark.parametrize(("n_clients", "n_rounds"), [(100, 100), (1000, 100)])
def test_a_newton_step(benchmark, say, n_clients: int, n_rounds: int, largest: str) -> None:
    """Gradient, update and quadratic program of one round, warm-started, against cvxpy with Clarabel."""
    alpha, beta = constants(n_clients, RANGES[largest](n_clients))
    rival = Rival(n_clients, n_rounds, alpha, beta)
    newton_run(n_clients, 5, RANGES[largest](n_clients))  # compiles
    G, problems, _ = newton_run(n_clients, n_rounds, RANGES[largest](n_clients))
    rival.again(G[:1], problems[0][1])  # its first call compiles the problem
    t, c, start = problems[-1]
    benchmark.pedantic(solve_low_rank, (alpha, beta, G[:t], c, start), rounds=5, warmup_rounds=1)
    took, apart, loose = [], [], []
    for t, c, start in (problems[i] for i in (len(problems) // 3, 2 * len(problems) // 3, -1)):
        own = partial(solve_low_rank, alpha, beta, G[:t], c, start=start)
        runs = (
            own,
            partial(rival.again, G[:t], c),
            partial(rival.anew, G[:t], c, **TIGHT),
            partial(rival.anew, G[:t], c),
        )
        took.append([seconds(run, times) for run, times in zip(runs, (5, 2, 2, 2), strict=True)])
        apart.append(max(abs(own()[0] - runs[1]()).max(), abs(own()[0] - runs[2]()).max()))
        loose.append(abs(own()[0] - runs[3]()).max())
    mine, *others = np.median(took, axis=0)
    built, tight, default = (f"{other * 1e3:.1f} ms, ratio {other / mine:.0f}" for other in others)
    say(
        f"K = {n_clients}, {largest}: {mine * 1e3:.2f} ms; cvxpy + Clarabel built once {built}, anew {tight}"
        f" (decisions differ by {max(apart):.1e}), as it is {default} (by {max(loose):.1e})"
    )
    assert max(apart) < 1e-6


@pytest.mark.parametrize("largest", RANGES)
@pytest.mark.parametrize(("n_clients", "n_rounds"), [(10_000, 100), (100_000, 40)])
def test_a_newton_step_of_many(benchmark, say, n_clients: int, n_rounds: int, largest: str) -> None:
    """Whole rounds as they come, each certified to 1e-6."""
    newton_run(n_clients, 2, RANGES[largest](n_clients))
    _, _, took = benchmark.pedantic(newton_run, (n_clients, n_rounds, RANGES[largest](n_clients)), rounds=1)
    say(
        f"K = {n_clients}, {largest}: median of {n_rounds} rounds {np.median(took) * 1e3:.1f} ms, the last ones"
        f" {took[-5:].mean() * 1e3:.1f} ms, the longest {took.max() * 1e3:.1f} ms"
    )


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("aaggff/T5.1@strengthened", {"learner_regularisation": "1", "learner_curvature": "3/5"}),
        ("aaggff/T5.2-half@strengthened", {}),
    ],
)
def test_the_hardest_game(benchmark, say, name: str, settings: dict[str, str]) -> None:
    """A search of 2000 games, beside random games that are checked one by one; the bound is never exceeded."""
    claim = find(name)
    hardest_game(claim, 3, 20, settings=settings, max_games=50)  # compiles
    search = partial(hardest_game, claim, 3, 100, settings=settings, max_games=2000)
    game = benchmark.pedantic(search, rounds=1)
    began = time.perf_counter()
    randoms = [
        check_claim(claim, Case(RandomResponses("coin", 3, 100, seed), **settings)).ratio or 0.0 for seed in range(40)
    ]
    each = (time.perf_counter() - began) / len(randoms)
    say(
        f"{name}, K = 3, T = 100: ratio {game.ratio:.3f} in {game.examined} games, {game.examined / game.seconds:.0f} a"
        f" second; the hardest of {len(randoms)} random ones {max(randoms):.3f}, {1 / each:.0f} a second in balls"
    )
    assert max(randoms) < game.ratio < 1
