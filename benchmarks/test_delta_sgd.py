"""Costs of Delta-SGD, ratios within one run, printed; results are asserted, times never: ``pytest benchmarks``."""

from __future__ import annotations

import os
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fltheory.model.case import Case
from fltheory.number import streams
from fltheory.papers.delta_sgd import kernels
from fltheory.papers.delta_sgd.instances.clients import MultipleClients
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.algorithm import rollout
from fltheory.runs.client_optimiser import Batches, adaptive_optimiser, federated_averaging
from fltheory.runs.constants import run_constants

THREADS = os.cpu_count() or 1
PAIR, SAME = kernels.Method("pair"), kernels.Method("same")
KINDS = ["roots", "quadratics"]
SETTINGS = {"initial_step_size": "1/20", "initial_ratio": 1, "amplifier": 1, "growth_damping": "1/10"}


def case(kind: str, n_clients: int, dim: int, n_local_steps: int, n_rounds: int) -> Case:
    """Clients that differ, with a sign as the noise of every mini-batch."""
    rng = np.random.default_rng(0)
    settings = SETTINGS | {"n_local_steps": n_local_steps, "n_rounds": n_rounds}
    start = tuple(f"{v}/8" for v in rng.integers(-16, 17, dim))
    if kind == "roots":
        return Case(
            MultipleClients(tuple(f"{v}/16" for v in rng.integers(8, 32, n_clients)), start, noise_std="1/4"),
            **settings,
        )
    h, b = rng.integers(4, 33, (n_clients, dim)), rng.integers(-16, 17, (n_clients, dim))
    tables = (tuple(tuple(f"{v}/16" for v in row) for row in table) for table in (h, b))
    return Case(QuadraticClients(*tables, start, "1/4"), **settings)


def arrays(kind: str, n_clients: int, dim: int) -> kernels.Clients:
    """The like without exact numbers, for sizes where these take long."""
    rng = np.random.default_rng(0)
    start = rng.normal(size=dim)
    if kind == "roots":
        return kernels.multiples(rng.uniform(0.5, 2, n_clients), start, 0.25)
    return kernels.quadratics(rng.uniform(0.25, 2, (n_clients, dim)), rng.normal(size=(n_clients, dim)), start, 0.25)


def seconds(run: Callable[[], Any], times: int = 3) -> float:
    """Processor seconds, the least of some runs."""
    found = []
    for _ in range(times):
        began = time.process_time()
        run()
        found.append(time.process_time() - began)
    return min(found)


def torch_run(kind: str, case: Case, seed: int, repetition: int) -> tuple[np.ndarray, float]:
    """x_T of one seed and the processor seconds it took: an optimiser made anew for every client and round, gradients by autograd.

    As the released code does, a step takes the gradients of its mini-batch at the last two points and moves along the later.
    """
    torch = pytest.importorskip("torch", reason="needs the extra bench: pip install -e '.[bench]'")

    class DeltaSGD(torch.optim.Optimizer):
        def __init__(self, params: Any, lr: float, ratio: float, amplifier: float, damping: float) -> None:
            super().__init__(params, {"lr": lr, "ratio": ratio, "amplifier": amplifier, "damping": damping})

        @torch.no_grad()
        def step(self, before: Any = None) -> None:
            """``before``: the same parameters at the last point, with their gradients there."""
            for group in self.param_groups:
                if before is not None:
                    pairs = list(zip(group["params"], before, strict=True))
                    moved = torch.sqrt(sum(((p - q) ** 2).sum() for p, q in pairs))
                    turned = torch.sqrt(sum(((p.grad - q.grad) ** 2).sum() for p, q in pairs))
                    cap = np.sqrt(1 + group["damping"] * group["ratio"]) * group["lr"]
                    lr = min((group["amplifier"] * moved / (2 * turned)).item(), cap)
                    group["ratio"], group["lr"] = lr / group["lr"], lr
                for p in group["params"]:
                    p.sub_(p.grad, alpha=group["lr"])

    c, clients = run_constants(case, None), kernels.as_arrays(case.instance)
    table, std = torch.from_numpy(clients.table), torch.from_numpy(clients.std)
    rounds, steps, m = range(c.n_rounds), range(c.n_local_steps), len(table)
    at = np.array([repetition])
    orders = [streams.ordered_samples(seed, at, t, m, c.n_participating)[0] for t in rounds]
    keys = (np.arange(c.n_rounds)[:, None, None], np.arange(m)[:, None], np.arange(c.n_local_steps))
    noise = np.where(streams.uniform(seed, repetition, *keys) < 0.5, 1.0, -1.0)

    def loss(x: Any, i: int, tau: float) -> Any:
        if kind == "roots":
            own = table[i, 0, 0] * (torch.sqrt(1 + x * x) - 1).sum()
        else:
            own = (table[i, 0] / 2 * x * x + table[i, 1] * x).sum()
        return own + tau * (std * x).sum()

    began = time.process_time()
    x = torch.from_numpy(clients.start.copy())
    for t in rounds:
        total = torch.zeros_like(x)
        for i in orders[t]:
            y, before = x.clone().requires_grad_(), x.clone().requires_grad_()
            optimiser = DeltaSGD([y], c.initial_step_size, c.initial_ratio, c.amplifier, c.growth_damping)
            for k in steps:
                optimiser.zero_grad()
                loss(y, i, noise[t, i, k]).backward()
                if k > 0:
                    before.grad = None
                    loss(before, i, noise[t, i, k]).backward()
                here = y.detach().clone()
                optimiser.step([before] if k > 0 else None)
                before.data = here
            total += y.detach()
        x = total / len(orders[t])
    return x.numpy(), time.process_time() - began


@pytest.mark.parametrize("kind", KINDS)
def test_three_ways(benchmark, say, kind: str) -> None:
    """100 clients, 50 local steps, 1000 coordinates, 32 seeds: compiled, in NumPy with all seeds side by side, in PyTorch."""
    run, seeds, n_torch = case(kind, 100, 1000, 50, 1), 32, 2
    c, clients, at = run_constants(run, None), kernels.as_arrays(run.instance), np.arange(seeds)
    algorithm = federated_averaging(adaptive_optimiser(batches="same"))
    small = case(kind, 2, 3, 2, 1)
    rollout(algorithm, small, 1)
    torch_run(kind, small, 1, 0)
    kept = kernels.trajectories(clients, SAME, c, 1, at)
    found = benchmark.pedantic(kernels.ends, (clients, SAME, c, 1, at), {"threads": THREADS}, rounds=3)
    mine = seconds(lambda: kernels.ends(clients, SAME, c, 1, at, threads=1))
    began = time.process_time()
    states = rollout(algorithm, run, seeds, 1)
    plain = time.process_time() - began
    runs = [torch_run(kind, run, 1, s) for s in range(n_torch)]
    other = min(took for _, took in runs) * seeds
    say(
        f"{kind}, M = 100, K = 50, d = 1000, T = 1, 32 seeds, processor seconds: compiled {mine:.2f}"
        f" ({benchmark.stats.stats.min:.2f} s on {THREADS} threads), NumPy {plain:.1f}, ratio {plain / mine:.1f}; PyTorch"
        f" {other:.0f} (32 times the quicker one of {n_torch} seeds), ratio {other / mine:.0f}"
    )
    np.testing.assert_array_equal(found.last, kept[:, -1])
    np.testing.assert_allclose(kept, states, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(np.array([x for x, _ in runs]), states[:n_torch, -1], rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("batches", kernels.CODES)
def test_readings(benchmark, say, batches: Batches) -> None:
    """The same sizes in every reading of the mini-batches: the compiled run needs one gradient a step in each."""
    run = case("roots", 100, 1000, 50, 1)
    c, clients, at = run_constants(run, None), kernels.as_arrays(run.instance), np.arange(8)
    states = rollout(federated_averaging(adaptive_optimiser(batches=batches)), run, 8, 1)  # warms what both need
    found = benchmark.pedantic(kernels.ends, (clients, kernels.Method(batches), c, 1, at), rounds=1)
    mine = seconds(lambda: kernels.ends(clients, kernels.Method(batches), c, 1, at, threads=1))
    plain = seconds(lambda: rollout(federated_averaging(adaptive_optimiser(batches=batches)), run, 8, 1), 1)
    say(f"{batches}: 8 seeds, processor seconds: compiled {mine:.2f}, NumPy {plain:.2f}, ratio {plain / mine:.1f}")
    np.testing.assert_allclose(found.last, states[:, -1], rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("dim", [1, 5])
def test_few_coordinates(benchmark, say, dim: int) -> None:
    """10 clients, 5 local steps, many short-lived seeds: where calls cost more than numbers."""
    run = case("roots", 10, dim, 5, 20)
    c, clients = run_constants(run, None), kernels.as_arrays(run.instance)
    algorithm = federated_averaging(adaptive_optimiser(batches="pair"))
    benchmark.pedantic(kernels.ends, (clients, PAIR, c, 1, np.arange(10), 1), rounds=3, warmup_rounds=1)
    for seeds in (10, 1000):
        at = np.arange(seeds)
        mine = seconds(lambda at=at: kernels.trajectories(clients, PAIR, c, 1, at, 1))
        plain = seconds(lambda n=seeds: rollout(algorithm, run, n, 1), 1)
        say(
            f"M = 10, K = 5, d = {dim}, T = 20, {seeds} seeds: compiled {mine * 1e3:.1f} ms of a processor,"
            f" {mine / (20 * 50 * seeds) * 1e9:.0f} ns a local step; NumPy {plain * 1e3:.0f} ms, ratio {plain / mine:.0f}"
        )
        states = rollout(algorithm, run, seeds, 1)
        np.testing.assert_allclose(kernels.trajectories(clients, PAIR, c, 1, at), states, rtol=1e-9, atol=1e-11)


BASE = {"clients": 40, "local steps": 25, "coordinates": 1000, "seeds": 16}


@pytest.mark.parametrize("kind", KINDS)
def test_linear_growth(benchmark, say, kind: str) -> None:
    """The exponents of the cost in M, K, d and the number of seeds, one varied at a time by factors of 2 up to 16."""

    def took(sizes: dict[str, int]) -> float:
        m, k, d, seeds = sizes.values()
        clients = arrays(kind, m, d)
        c = run_constants(
            Case(MultipleClients((1,), 1), **SETTINGS, n_local_steps=k, n_rounds=1, n_participating=m), None
        )
        return seconds(lambda: kernels.ends(clients, PAIR, c, 1, np.arange(seeds), threads=1))

    benchmark.pedantic(took, (BASE,), rounds=1)
    for name, middle in BASE.items():
        sizes = [middle * 2**i // 4 for i in range(5)]
        times = [took(BASE | {name: size}) for size in sizes]
        slope = np.polyfit(np.log(sizes), np.log(times), 1)[0]
        say(
            f"{kind}: {name} {sizes[0]} to {sizes[-1]}: {times[0]:.3f} to {times[-1]:.3f} processor seconds, exponent {slope:.2f}"
        )


def test_memory(benchmark, say) -> None:
    """20 rounds of 64 seeds in 10^4 coordinates: the ends beside the states of all rounds."""
    clients = arrays("roots", 10, 10_000)
    c = run_constants(
        Case(MultipleClients((1,), 1), **SETTINGS, n_local_steps=2, n_rounds=20, n_participating=10), None
    )
    kernels.ends(clients, PAIR, c, 1, np.arange(1))

    def peak(run: Callable[..., Any]) -> float:
        tracemalloc.start()
        try:
            run(clients, PAIR, c, 1, np.arange(64), THREADS)
            return tracemalloc.get_traced_memory()[1] / 2**20
        finally:
            tracemalloc.stop()

    ends = benchmark.pedantic(peak, (kernels.ends,), rounds=1)
    say(f"64 seeds, d = 10^4, T = 20: {ends:.0f} MiB for the ends, {peak(kernels.trajectories):.0f} MiB for all states")
