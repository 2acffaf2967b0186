"""Costs of the games of AAggFF-D, printed and never asserted: ``pytest benchmarks``."""

from __future__ import annotations

import time
from fractions import Fraction

import numpy as np

from fltheory.games.losses import LOG_GROWTH
from fltheory.games.play import simulate_rounds
from fltheory.model.case import Case
from fltheory.papers.aaggff.algorithms import aaggff_d
from fltheory.papers.aaggff.kernels import MEAN_SEEN, THREADS, one_game
from fltheory.problems.responses import ResponseTable


def sampled_game(n_clients: int, n_participating: int, n_rounds: int) -> Case:
    """A hundred random rows of responses again and again."""
    rows = np.random.default_rng(0).integers(0, 1025, (100, n_clients))
    table = tuple(tuple(Fraction(int(v), 1024) for v in row) for row in rows)
    game = ResponseTable(table, (1,) * 100, repeat=n_rounds // 100, n_participating=n_participating)
    return Case(game, learner_scale=Fraction(n_clients, 2 * n_participating))


def test_many_games_of_sampled_clients(benchmark, say):
    """1000 seeds x 10^4 rounds of AAggFF-D, K = 100, m = 10, against the readable game (timed on 100 rounds)."""
    case, short = sampled_game(100, 10, 10_000), sampled_game(100, 10, 100)
    seeds = np.arange(1000)
    aaggff_d.kernel(short, 1, seeds[:1], LOG_GROWTH)
    found = benchmark.pedantic(aaggff_d.kernel, (case, 1, seeds, LOG_GROWTH), rounds=1)
    spent = benchmark.stats.stats.min
    began = time.perf_counter()
    plain = sum(LOG_GROWTH.value(turn.p, turn.answer) for turn in simulate_rounds(aaggff_d, short, 1, seeds))
    slow = 100 * (time.perf_counter() - began)
    off = np.abs(aaggff_d.kernel(short, 1, seeds, LOG_GROWTH) / plain - 1).max()
    say(
        f"AAggFF-D, K=100 m=10, 1000 seeds x 10^4 rounds: {spent:.1f} s on {THREADS} threads, NumPy {slow:.0f} s "
        f"(from 100 rounds), ratio {slow / spent:.1f}; largest relative difference {off:.1e}; mean loss {found.mean():.4f}"
    )


def seconds_a_round(n_clients: int, n_rounds: int) -> float:
    """Processor seconds of a round with 10 of the clients, the least of three games less the cost of one of one round."""
    table = np.random.default_rng(0).random((4, n_clients))

    def spent(rounds: int) -> float:
        began = time.process_time()
        one_game(table, np.arange(rounds) % 4, 10, MEAN_SEEN, 0.0, 10 / n_clients, False, 0.1, False, 1, 0)
        return time.process_time() - began

    spent(1)
    return (min(spent(n_rounds + 1) for _ in range(3)) - min(spent(1) for _ in range(3))) / n_rounds


def test_a_step_in_the_clients(benchmark, say):
    """A round of the entropic learner for K = 10^2..10^6, m = 10, and the exponent."""
    sizes = [10**2, 10**3, 10**4, 10**5, 10**6]
    times = [seconds_a_round(n, 3 * 10**7 // n) for n in sizes]
    benchmark.pedantic(seconds_a_round, (100, 1000), rounds=1)
    say(
        "AAggFF-D a round, m=10: " + ", ".join(f"K={n:.0e} {1e6 * s:.2f} us" for n, s in zip(sizes, times, strict=True))
    )
    say(f"exponent in K: {np.polyfit(np.log(sizes), np.log(times), 1)[0]:.2f}")
