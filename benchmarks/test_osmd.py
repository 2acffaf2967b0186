"""Costs of sampling games, ratios and slopes within one run, printed and never asserted: ``pytest benchmarks``."""

from __future__ import annotations

import math
import os
import resource
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fltheory.games.participation import draw_counts, reference_draw_counts
from fltheory.papers.osmd.algorithms.mirror import mirror_step, plain_project, project
from fltheory.papers.osmd.experiments import compiled, studies
from fltheory.papers.osmd.experiments.datasets import heterogeneous_regression
from fltheory.papers.osmd.experiments.optimisers import plain_scaffold, plain_sgd
from fltheory.papers.osmd.experiments.training import TEXT, train
from fltheory.papers.osmd.kernels import Changes, dense_run, drifting_changes, rotating_changes
from fltheory.papers.osmd.kernels.fenwick import losses_of_runs, tree_run
from fltheory.plotting.picture import Curve, Panel, Picture
from fltheory.plotting.plot import save_picture

K, ALPHA = 10, 0.4
STEPS = {"of (20)": 1.0, "times 10^4": 1e4}  # beta = 0; and one whose play moves far from uniform


def feedback(n_clients: int, n_rounds: int) -> Changes:
    """Lognormal feedback of which one client's changes in each round."""
    rng = np.random.default_rng(0)
    return drifting_changes(rng.lognormal(0, 1.5, n_clients), rng.lognormal(0, 1.5, n_rounds - 1))


def rate(losses: Changes, n_rounds: int) -> float:
    n, largest = len(losses.start), max(losses.start.max(), losses.values.max(initial=0))
    return K * ALPHA**3 / (n**3 * largest) * math.sqrt(2 * math.log(n) / n_rounds)


def per_round(run: object, n_clients: int, horizon: int, n_rounds: int, factor: float, seeds: int = 1) -> float:
    """Processor seconds of a round of one seed, the least of three runs less the cost of a run of one round."""
    losses = feedback(n_clients, horizon)
    eta = factor * rate(losses, horizon)

    def spent(rounds: int) -> float:
        began = time.process_time()
        losses_of_runs(losses, K, eta, ALPHA, rounds, 1, np.arange(seeds), [rounds], run=run)
        return time.process_time() - began

    spent(2)
    return (min(spent(n_rounds) for _ in range(3)) - min(spent(1) for _ in range(3))) / (n_rounds - 1) / seeds


def plain_per_round(n_clients: int, horizon: int, n_rounds: int, factor: float, seeds: int) -> float:
    """Processor seconds of a round of one seed of the plain sampler with its sort, all seeds side by side."""
    losses = feedback(n_clients, horizon)
    eta, a = factor * rate(losses, horizon), losses.start.copy()
    p = np.full((seeds, n_clients), 1 / n_clients)
    began = time.process_time()
    for t in range(n_rounds):
        a[losses.clients[t]] = losses.values[t]
        (a / p).sum(axis=1)
        counts = draw_counts(p, K, 1, np.arange(seeds), t)
        p = mirror_step(p, counts * a * eta / (K**2 * p * p * p), ALPHA)
    return (time.process_time() - began) / n_rounds / seeds


def test_a_long_run(benchmark, say):
    """10^5 rounds x 10^3 clients x 100 seeds, on all cores, with the running losses at 20 rounds."""
    losses = rotating_changes(1000, 100_000, 25_000)
    marks = np.linspace(5000, 100_000, 20).astype(int)
    threads = os.cpu_count() or 1
    losses_of_runs(losses, K, 0.0, ALPHA, 2, 1, np.arange(1), [2])
    eta = rate(losses, 100_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = benchmark.pedantic(
        losses_of_runs, (losses, K, eta, ALPHA, 100_000, 1, np.arange(100), marks), {"threads": threads}, rounds=1
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    one = losses_of_runs(losses, K, eta, ALPHA, 100_000, 1, np.array([7]), marks)
    same = np.array_equal(found[7], one[0])
    took = f"{benchmark.stats.stats.min:.1f} s on {threads} threads"
    say(
        f"10^5 rounds x 10^3 clients x 100 seeds: {took}; peak {peak / 1024:.0f} MiB, {(peak - before) / 1024:.0f} more"
    )
    say(f"one seed alone gives the same bits: {same}")


@pytest.mark.parametrize("step", STEPS)
def test_a_thousand_clients(benchmark, say, step: str):
    """M = 1000, K = 10, T = 10^4, 32 seeds: the tree against O(M) and the plain sampler with its sort (timed on 60 rounds)."""
    factor = STEPS[step]
    tree = benchmark.pedantic(per_round, (tree_run, 1000, 10_000, 10_000, factor, 32), rounds=1)
    dense = per_round(dense_run, 1000, 10_000, 2000, factor, 32)
    plain = plain_per_round(1000, 10_000, 60, factor, 32)
    times = f"O(K log M) {tree * 1e6:.2f} us a round, O(M) {dense * 1e6:.2f}, plain {plain * 1e6:.1f} (from 60 rounds)"
    say(f"M=1000 K=10 T=10^4, eta {step}: {times}; ratios {dense / tree:.1f} and {plain / tree:.1f}")


def least(call: Callable[[], object], times: int = 5) -> float:
    """Processor seconds, the least of some calls after a first one."""
    call()
    found = []
    for _ in range(times):
        began = time.process_time()
        call()
        found.append(time.process_time() - began)
    return min(found)


def test_parts_of_a_round(say):
    """What a round of 31 games does, against its NumPy twin: draws, and the projection of Algorithm 2."""
    p = np.random.default_rng(0).dirichlet(np.ones(100), 31)
    given = (p, K, 1, np.arange(31), 5)
    parts = {"draws": (draw_counts, reference_draw_counts, given), "projection": (project, plain_project, (p, ALPHA))}
    for name, (quick, plain, args) in parts.items():
        times = [least(lambda f=f, args=args: [f(*args) for _ in range(100)]) for f in (quick, plain)]
        say(f"{name} of 31 games with 100 clients: ratio {times[1] / times[0]:.1f} ({times[0] * 1e4:.0f} us)")


@pytest.mark.parametrize("kind", ["SGD", "SCAFFOLD"])
def test_training(say, kind: str):
    """Rounds of the experiments, 31 repetitions of Adaptive-OSMD and uniform sampling: compiled answers against NumPy's."""
    data = heterogeneous_regression(1.0, np.arange(31), 0)
    plan = replace(studies.SCAFFOLD["text"] if kind == "SCAFFOLD" else studies.SECTION_7, n_rounds=40, record_every=40)
    methods = [studies.method(name, TEXT) for name in ("adaptive", "uniform")]
    builds = (compiled.sgd, plain_sgd) if kind == "SGD" else (compiled.scaffold, plain_scaffold)
    quick, plain = (least(lambda b=b: train(b, methods, data, plan, TEXT, 0, np.arange(31)), 3) for b in builds)
    say(f"{kind}: ratio {plain / quick:.2f} ({quick / 40 / 31 * 1e6:.0f} us a round and repetition, samplers included)")


@pytest.mark.parametrize("step", STEPS)
def test_many_clients(benchmark, say, step: str):
    """M = 10^5: the tree against O(M)."""
    factor = STEPS[step]
    tree = benchmark.pedantic(per_round, (tree_run, 100_000, 10_000, 10_000, factor), rounds=1)
    dense = per_round(dense_run, 100_000, 10_000, 200, factor)
    say(
        f"M=10^5 K=10, eta {step}: O(K log M) {tree * 1e6:.2f} us a round, O(M) {dense * 1e6:.0f}; ratio {dense / tree:.1f}"
    )


def test_cost_in_clients(benchmark, say):
    """A round's cost for M = 10^2..10^6, and its exponent; drawn on logarithmic axes beside this file."""
    sizes = [10**2, 10**3, 10**4, 10**5, 10**6]
    say("clients,tree_us,dense_us")
    found = []
    for n in sizes:
        times = (
            per_round(tree_run, n, 20_000, 20_000, 1.0),
            per_round(dense_run, n, 20_000, max(20, 10**7 // n // 5), 1.0),
        )
        found.append(times)
        say(f"{n},{times[0] * 1e6:.3f},{times[1] * 1e6:.3f}")
    benchmark.pedantic(per_round, (tree_run, 100, 1000, 1000, 1.0), rounds=1)
    slopes = np.polyfit(np.log(sizes), np.log(found), 1)[0]
    say(f"exponent in M: O(K log M) {slopes[0]:.2f}, O(M) {slopes[1]:.2f}")
    times = 1e6 * np.array(found).T
    curves = (Curve("O(K log M)", sizes, times[0], "measured"), Curve("O(M)", sizes, times[1], "bound"))
    panel = Panel("One round, K = 10", "clients M", "microseconds of a core", curves)
    caption = f"Exponents over the whole range: {slopes[0]:.2f} and {slopes[1]:.2f}."
    picture = Picture("What a round of the sampler costs", (panel,), caption=caption)
    save_picture(picture, Path(__file__).with_name("cost_per_round.svg"))
