"""Compiled runs of Delta-SGD on separable clients; ``client_optimiser.adaptive`` is what they must equal."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from fltheory.client_optimiser import Batches
from fltheory.number import to_float
from fltheory.papers.delta_sgd.instances import MultipleClients
from fltheory.problems.separable import QuadraticClients

THREADS = 2
BLOCK = 16  # runs of a task
CODES: dict[Batches, int] = {"fresh": 0, "pair": 1, "same": 2, "reuse": 3}


class Clients(NamedTuple):
    """What the loop has to know of m separable clients in dimension d.

    ``table``, (m, 2, d): h_i and b_i of f_i = sum_j h_ij x_j^2 / 2 + b_ij x_j. Of multiples of a sum of ``roots``, (m, 4, 1):
    w_i, 1 / width, r_i, omega_i / width of grad f_i = (w_i + r_i cos(omega_i x / width)) u / sqrt(1 + u^2), u = x / width.
    """

    roots: bool
    table: np.ndarray
    mean: np.ndarray  # the same of f
    start: np.ndarray
    std: np.ndarray  # of the noise, (d,): one draw a mini-batch, shared by the coordinates
    two_point: bool = True  # signs, or uniform noise

    @property
    def dim(self) -> int:
        """The dimension d."""
        return len(self.start)


def multiples(weights: Any, start: Any, std: Any = 0.0) -> Clients:
    """Multiples w_i F of F = sum_j (sqrt(1 + x_j^2) - 1), with two-point noise."""
    table = np.zeros((len(weights), 4, 1))
    table[:, 0, 0], table[:, 1] = weights, 1.0
    return Clients(True, table, table.mean(axis=0), *_points(start, std))


def quadratics(curvatures: Any, slopes: Any, start: Any, std: Any = 0.0) -> Clients:
    """f_i = sum_j h_ij x_j^2 / 2 + b_ij x_j (centres c_ij have b_ij = -h_ij c_ij), with two-point noise."""
    table = np.stack([np.asarray(v, dtype=float) for v in (curvatures, slopes)], axis=1)
    return Clients(False, table, table.mean(axis=0), *_points(start, std))


def _points(start: Any, std: Any) -> tuple[np.ndarray, np.ndarray]:
    x = np.array(start, dtype=float)
    return x, np.array(np.broadcast_to(np.asarray(std, dtype=float), x.shape))


def separable(instance: Any) -> Clients | None:
    """An instance as arrays; None for one of another kind."""
    if not isinstance(instance, QuadraticClients | MultipleClients):
        return None
    start, std = ([to_float(v) for v in row] for row in (instance.start, instance.noise_std))
    if isinstance(instance, QuadraticClients):
        h, _, b, *_ = instance._tables(np.zeros((1, instance.dim)))
        found = quadratics(h, b, start, std)
    else:
        steep, width = to_float(instance.steepest), Fraction(instance.width)
        found = multiples([steep * to_float(w) for w in instance.multiples], start, std)
        found.table[:, 1] = found.mean[1] = to_float(1 / width)
        found.table[:, 2, 0] = [steep * to_float(r) for r in instance.ripples]
        found.table[:, 3, 0] = [to_float(w / width) for w in instance.frequencies]
    return found._replace(two_point=instance.noise_law == "two_point")


class Ends(NamedTuple):
    """What is left of runs that are not kept."""

    last: np.ndarray  # x_T, (seeds, d)
    squares: np.ndarray  # the mean over t < T of |grad f(x_t)|^2, (seeds,)


def trajectories(
    clients: Clients, batches: Batches, c: Any, seed: int, repetitions: np.ndarray, threads: int = THREADS
) -> np.ndarray:
    """The states at the start of rounds 0..T, (seeds, T + 1, d)."""
    return _run(clients, batches, c, seed, repetitions, threads, int(c.n_rounds) + 1)[0]


def ends(
    clients: Clients, batches: Batches, c: Any, seed: int, repetitions: np.ndarray, threads: int = THREADS
) -> Ends:
    """The same runs in the memory of a few points a thread."""
    states, squares = _run(clients, batches, c, seed, repetitions, threads, 1)
    return Ends(states[:, 0], squares)


def _run(
    clients: Clients, batches: Batches, c: Any, seed: int, repetitions: np.ndarray, threads: int, kept: int
) -> tuple[np.ndarray, np.ndarray]:
    from fltheory.papers.delta_sgd import kernels_run
    from fltheory.stream_kernels import side_by_side

    n, m, d = len(repetitions), len(clients.table), clients.dim
    states, squares = np.empty((n, kept, d)), np.empty(n)
    numbers = (c.initial_step_size, c.initial_ratio, c.amplifier, c.growth_damping)

    def block(first: int) -> None:
        part, chosen = slice(first, first + BLOCK), np.empty(int(c.n_participating), dtype=np.int64)
        kernels_run.run(
            clients.roots, clients.table, clients.mean, clients.start, clients.std, bool(clients.std.any()),
            clients.two_point, CODES[batches], *map(float, numbers), int(c.n_local_steps), int(c.n_rounds), seed,
            repetitions[part], np.empty((6, d)), (np.arange(m), chosen, chosen.copy()), states[part], squares[part],
        )  # fmt: skip

    side_by_side(block, range(0, n, BLOCK), threads)
    return states, squares


def compiled(batches: Batches) -> Callable[[Any, Any, int, np.ndarray], np.ndarray | None]:
    """The ``kernel`` of Delta-SGD with such mini-batches; None for runs that are not compiled or leave the floats."""

    def kernel(instance: Any, c: Any, seed: int, repetitions: np.ndarray) -> np.ndarray | None:
        clients = separable(instance)
        if clients is None:
            return None
        states = trajectories(clients, batches, c, seed, repetitions)
        return states if np.isfinite(states).all() else None

    return kernel
