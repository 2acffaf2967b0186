"""Compiled runs of Delta-SGD and FedAvg on separable clients and on a random curvature.

Reference: ``federated_averaging`` over ``adaptive_optimiser`` or over a constant step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fltheory.evidence.validation.consistency import is_plain
from fltheory.model.case import Instance
from fltheory.number import to_float
from fltheory.papers.delta_sgd.instances.clients import MultipleClients, RandomCurvature
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.client_optimiser import Batches
from fltheory.runs.constants import Constants

BLOCK = 16  # runs in a task
CODES: dict[Batches, int] = {"fresh": 0, "pair": 1, "same": 2, "reuse": 3}


class Clients(NamedTuple):
    """The data of m separable clients in dimension d for the compiled loop.

    ``table``, (m, 2, d): h_i and b_i of f_i = sum_j h_ij x_j^2 / 2 + b_ij x_j. For multiples of a sum of ``roots``,
    (m, 4, 1): w_i, 1/width, r_i, omega_i/width of grad f_i = (w_i + r_i cos(omega_i u)) u / sqrt(1 + u^2), u = x/width.
    """

    roots: bool
    table: np.ndarray
    mean: np.ndarray  # the same for f
    start: np.ndarray
    std: np.ndarray  # deviation of the noise, (d,): one draw per mini-batch, shared by the coordinates
    two_point: bool = True  # signs, or uniform noise

    @property
    def dim(self) -> int:
        """The dimension d."""
        return len(self.start)


def multiples(weights: Sequence[float] | np.ndarray, start: ArrayLike, std: ArrayLike = 0.0) -> Clients:
    """Return multiples w_i F of F = sum_j (sqrt(1 + x_j^2) - 1), with two-point noise."""
    table = np.zeros((len(weights), 4, 1))
    table[:, 0, 0], table[:, 1] = weights, 1.0
    return Clients(True, table, table.mean(axis=0), *_points(start, std))


def quadratics(curvatures: ArrayLike, slopes: ArrayLike, start: ArrayLike, std: ArrayLike = 0.0) -> Clients:
    """Return f_i = sum_j h_ij x_j^2 / 2 + b_ij x_j (centres c_ij have b_ij = -h_ij c_ij), with two-point noise."""
    table = np.stack([np.asarray(v, dtype=float) for v in (curvatures, slopes)], axis=1)
    return Clients(False, table, table.mean(axis=0), *_points(start, std))


def _points(start: ArrayLike, std: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    x = np.array(start, dtype=float)
    return x, np.array(np.broadcast_to(np.asarray(std, dtype=float), x.shape))


class Samples(NamedTuple):
    """One client on the line with random samples z of gradient a_z u / sqrt(1 + u^2), u = (x - b_z) / width."""

    table: np.ndarray  # (3, n): a, b and 1 / width
    start: float

    @property
    def dim(self) -> int:
        """The dimension 1."""
        return 1


def as_arrays(instance: Any) -> Clients | Samples | None:
    """Return the data of an instance for the loops; None for an instance of another kind."""
    if is_plain(instance, RandomCurvature):
        scales, centres = ([to_float(v) for v in row] for row in (instance.scales, instance.centres))
        table = np.array([scales, centres, [0.0] * len(scales)])
        table[0] *= to_float(instance.steepest)
        table[2] = to_float(1 / Fraction(instance.width))
        return Samples(table, to_float(instance.start[0]))
    if not is_plain(instance, QuadraticClients, MultipleClients):
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
    """The results of runs whose states are not stored."""

    last: np.ndarray  # x_T, (seeds, d)
    squares: np.ndarray  # the mean over t < T of |grad f(x_t)|^2, (seeds,)


def no_limits(c: Constants) -> tuple[Any, ...]:
    """Return no limits: line 9 as it is."""
    return c.initial_step_size, c.initial_ratio, c.amplifier, c.growth_damping, 0, np.inf


def clipping_limits(c: Constants) -> tuple[Any, ...]:
    """Return limits that clip line 9 to [least_step, largest_step]."""
    return *no_limits(c)[:4], c.least_step, c.largest_step


def constant_limits(c: Constants) -> tuple[Any, ...]:
    """Return the step as both limits: FedAvg, with one mini-batch per step."""
    return c.step_size, 1, 1, 0, c.step_size, c.step_size


class Method(NamedTuple):
    """Algorithm 1 in one reading of its mini-batches. ``steps(c)``: eta_0, theta_0, gamma, delta, limits of a step."""

    batches: Batches
    steps: Callable[[Any], tuple[Any, ...]] = no_limits


FEDAVG = Method("reuse", constant_limits)


def trajectories(
    clients: Clients | Samples,
    method: Method,
    c: Constants,
    seed: int,
    repetitions: np.ndarray,
    threads: int | None = None,
) -> np.ndarray:
    """Return the states at the start of rounds 0..T, (seeds, T + 1, d)."""
    return _run(clients, method, c, seed, repetitions, threads, int(c.n_rounds) + 1)[0]


def ends(
    clients: Clients | Samples,
    method: Method,
    c: Constants,
    seed: int,
    repetitions: np.ndarray,
    threads: int | None = None,
) -> Ends:
    """Return the results of the same runs, with memory for only a few points per thread."""
    states, squares = _run(clients, method, c, seed, repetitions, threads, 1)
    return Ends(states[:, 0], squares)


def _run(
    clients: Clients | Samples,
    method: Method,
    c: Constants,
    seed: int,
    repetitions: np.ndarray,
    threads: int | None,
    kept: int,
) -> tuple[np.ndarray, np.ndarray]:
    from fltheory.number.streams.kernels import map_threads, threads_for
    from fltheory.papers.delta_sgd.kernels import run as kernels_run
    from fltheory.papers.delta_sgd.kernels import samples as kernels_samples

    n, d = len(repetitions), clients.dim
    states, squares = np.empty((n, kept, d)), np.empty(n)
    lr, ratio, *rule = (float(v) for v in method.steps(c))
    steps = (CODES[method.batches], lr, ratio, tuple(rule), int(c.n_local_steps), int(c.n_rounds), seed)

    def block(first: int) -> None:
        part = slice(first, first + BLOCK)
        runs = repetitions[part], states[part], squares[part]
        if isinstance(clients, Samples):
            kernels_samples.rollout(*clients, *steps, *runs)
            return
        chosen = np.empty(int(c.n_participating), dtype=np.int64)
        room = np.empty((6, d)), (np.arange(len(clients.table)), chosen, chosen.copy())
        kernels_run.rollout(*clients, bool(clients.std.any()), *steps, *runs, *room)

    work = n * d * int(c.n_rounds) * int(c.n_local_steps) * int(c.n_participating)
    map_threads(block, range(0, n, BLOCK), threads or threads_for(work))
    return states, squares


def compiled_kernel(method: Method) -> Callable[[Any, Any, int, np.ndarray], np.ndarray | None]:
    """Return the ``kernel`` of an algorithm; None for runs that are not compiled or overflow."""

    def kernel(instance: Instance, c: Constants, seed: int, repetitions: np.ndarray) -> np.ndarray | None:
        clients = as_arrays(instance)
        if clients is None:
            return None
        states = trajectories(clients, method, c, seed, repetitions)
        return states if np.isfinite(states).all() else None

    return kernel


def last_states(method: Method) -> Callable[[Any, Any, int, np.ndarray, np.ndarray | None], np.ndarray | None]:
    """Return the ``streaming_kernel`` of an algorithm, without averages; None for runs not compiled or overflowing."""

    def kernel(
        instance: Instance, c: Constants, seed: int, repetitions: np.ndarray, weights: np.ndarray | None
    ) -> np.ndarray | None:
        clients = as_arrays(instance) if weights is None else None
        if clients is None:
            return None
        found = ends(clients, method, c, seed, repetitions)
        return found.last if all(np.isfinite(part).all() for part in found) else None

    return kernel
