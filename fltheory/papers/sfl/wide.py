"""SFL and PFL in JAX on many instances and many seeds at once: for a GPU, with the same random streams as on the CPU.

Needs the extra ``gpu``. Nothing else in the package imports it. The reference is ``kernels.points_of_runs``; results
differ in the last bits only, as XLA may fuse a product and a sum (the tolerance is in tests/frameworks/test_wide.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from fltheory.model.case import Case
from fltheory.number import to_float
from fltheory.number.streams import GOLDEN, MIX_1, MIX_2, ORDER_STREAM
from fltheory.problems.separable import SeparableClients
from fltheory.runs.constants import run_constants

Sizes = tuple[int, int, int, int, bool, bool]  # rounds, clients per round, clients, local steps, two-point noise, noise


def points_of_runs(
    cases: Sequence[Case[SeparableClients]], n_seeds: int, seed: int = 0, *, parallel: bool, average: bool = False
) -> np.ndarray:
    """Return the last states of n_seeds runs on each case, or averages over rounds 0..R: (cases, seeds, dim).

    All cases have separable clients and the same number of clients, rounds, local steps and coordinates, and one kind
    of noise; other data may differ. ValueError names the first difference; ModuleNotFoundError is raised without JAX.
    """
    jax = _jax()
    if not cases:
        raise ValueError("expected at least one case")
    tables = [_tables(case) for case in cases]
    sizes = _common_sizes([_sizes(case) for case in cases])
    seeds = np.arange(n_seeds, dtype=np.uint64)
    columns = [jax.numpy.asarray(np.stack(column)) for column in zip(*tables, strict=True)]
    return np.asarray(_compile_run(sizes, parallel, average)(*columns, np.uint64(seed), seeds))


def _jax() -> Any:
    try:
        import jax
    except ModuleNotFoundError:
        raise ModuleNotFoundError("wide runs need the extra gpu: pip install 'fltheory[gpu]'") from None
    jax.config.update("jax_enable_x64", True)
    return jax


def _tables(case: Case[SeparableClients]) -> tuple[np.ndarray, ...]:
    """Return the tables left, right, slopes (clients, dim), start and noise (dim,), and step sizes (2,)."""
    instance, c = case.instance, run_constants(case, None)
    if not isinstance(instance, SeparableClients):
        raise ValueError(f"expected separable clients, got {type(instance).__name__}")
    left, right, slopes, *_ = instance._tables(np.zeros((1, instance.dim)))
    start, noise = (np.array([to_float(v) for v in row]) for row in (instance.start, instance.noise_std))
    return left, right, slopes, start, noise, np.array([float(c.step_size), float(c.server_step_size)])


def _sizes(case: Case[SeparableClients]) -> Sizes:
    instance, c = case.instance, run_constants(case, None)
    two_point = instance.noise_law == "two_point"
    counts = (int(c.n_rounds), int(c.n_participating), int(c.n_clients), int(c.n_local_steps))
    return *counts, two_point, instance.draws > 0


def _common_sizes(sizes: Sequence[Sizes]) -> Sizes:
    names = ("n_rounds", "n_participating", "n_clients", "n_local_steps", "noise_law", "noise")
    differing = [name for name, values in zip(names, zip(*sizes, strict=True), strict=True) if len(set(values)) > 1]
    if differing:
        raise ValueError(f"the cases differ in {', '.join(differing)}: run cases that agree in them together")
    return sizes[0]


@lru_cache(maxsize=32)
def _compile_run(sizes: Sizes, parallel: bool, average: bool) -> Any:
    jax = _jax()
    over_seeds = jax.vmap(partial(_run, sizes, parallel, average), in_axes=(*[None] * 7, 0))
    return jax.jit(jax.vmap(over_seeds, in_axes=(*[0] * 6, None, None)))


def _absorb(state: Any, word: Any) -> Any:
    """Apply one link of the hash of ``streams``, on uint64 scalars of JAX."""
    z = (state ^ ((_jax().numpy.asarray(word, "uint64") + np.uint64(1)) * GOLDEN)) + GOLDEN
    z = (z ^ (z >> np.uint64(30))) * MIX_1
    z = (z ^ (z >> np.uint64(27))) * MIX_2
    return z ^ (z >> np.uint64(31))


def _uniform(bits: Any) -> Any:
    return (bits >> np.uint64(11)).astype("float64") * 2.0**-53


def _draw_order(of_round: Any, n_clients: int, size: int) -> Any:
    """Return the order of a round as ``streams.orders``, (clients,), by Fisher-Yates; only ``size`` entries count."""
    jax = _jax()
    stream = _absorb(of_round, ORDER_STREAM)

    def exchanged(i: Any, order: Any) -> Any:
        other = i + (_uniform(_absorb(stream, i)) * (n_clients - i)).astype("int64")
        one, two = order[i], order[other]
        return order.at[i].set(two).at[other].set(one)

    return jax.lax.fori_loop(0, size, exchanged, jax.numpy.arange(n_clients))


def _run(
    sizes: Sizes,
    parallel: bool,
    average: bool,
    left: Any,
    right: Any,
    slopes: Any,
    start: Any,
    noise: Any,
    steps: Any,
    seed: Any,
    repetition: Any,
) -> Any:
    """Run all rounds of ``algorithms.sequential_step`` or ``parallel_step`` once, and return a point, (dim,)."""
    jax = _jax()
    loop, where = jax.lax.fori_loop, jax.numpy.where
    rounds, size, n_clients, local_steps, two_point, noisy = sizes
    of_run = _absorb(_absorb(np.uint64(0), seed), repetition)
    eta, gamma = steps[0], steps[1]

    def visited(y: Any, client: Any, of_round: Any) -> Any:
        stream = _absorb(of_round, client)

        def step(k: Any, y: Any) -> Any:
            gradient = where(y < 0, left[client], right[client]) * y + slopes[client]
            if noisy:
                u = _uniform(_absorb(stream, k))
                gradient = gradient + (where(u < 0.5, 1.0, -1.0) if two_point else (2 * u - 1) * 3**0.5) * noise
            return y - eta * gradient

        return loop(0, local_steps, step, y)

    def round_of(r: Any, state: Any) -> Any:
        x, total = state
        total = total + x
        of_round = _absorb(of_run, r)
        order = _draw_order(of_round, n_clients, size)
        if parallel:
            ends = loop(0, size, lambda i, found: found + visited(x, order[i], of_round), 0 * x)
        else:
            ends = loop(0, size, lambda i, y: visited(y, order[i], of_round), x)
        return x + gamma * (ends / (size if parallel else 1) - x), total

    x, total = loop(0, rounds, round_of, (start, 0 * start))
    return (total + x) / (rounds + 1) if average else x
