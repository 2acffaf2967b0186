"""Sequential and parallel federated learning (Algorithms 1-4), their special cases, and one popular variant.

A step is one round; x has shape (seeds, dim). ``c.n_participating`` clients take part (all by default), and the server
moves by ``c.server_step_size`` (1 by default: Algorithms 1 and 2).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeGuard

import numpy as np

from fltheory.evidence.validation.consistency import is_plain
from fltheory.model.case import Client, FederatedInstance
from fltheory.number import Ring
from fltheory.runs.algorithm import ROUND, Algorithm
from fltheory.runs.constants import Constants
from fltheory.runs.distributions import moments
from fltheory.runs.distributions.moments import Block, MapMoments
from fltheory.runs.oracle import Oracle
from fltheory.runs.protocols import QuadraticInstance, QuadraticStructure, has_capability


def _local_steps(x: np.ndarray, client: Client, oracle: Oracle, c: Constants) -> np.ndarray:
    """Return x_{m,k} after K local steps x_{m,k+1} = x_{m,k} - eta g(x_{m,k})."""
    for k in range(c.n_local_steps):
        x = x - c.step_size * oracle.gradient(x, client, k)
    return x


def _server_step(x: np.ndarray, y: np.ndarray, c: Constants) -> np.ndarray:
    """Return x + gamma (y - x), without a rounding error for gamma = 1."""
    return y if c.server_step_size == 1 else x + c.server_step_size * (y - x)


def sequential_step(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    """Run a round of SFL: the model visits the clients in a fresh random order (Algorithms 1 and 3)."""
    y = x
    for client in oracle.order(c.n_participating).T:
        y = _local_steps(y, client, oracle, c)
    return _server_step(x, y, c)


def parallel_step(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    """Run a round of PFL (FedAvg, local SGD): clients start from one model, the server averages (Algorithms 2, 4)."""
    total = x * 0
    for client in oracle.order(c.n_participating).T:
        total = total + _local_steps(x, client, oracle, c)
    return _server_step(x, total / c.n_participating, c)


def fixed_order_step(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    """Run a round of SFL in the fixed order 0, 1, 2, ... of the clients: no reshuffling, so outside the theorems."""
    y = x
    for client in range(c.n_clients):
        y = _local_steps(y, client, oracle, c)
    return _server_step(x, y, c)


def random_reshuffling_step(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    """Run a round of SGD-RR: one step for each component in a fresh random order, which is SFL with K = 1."""
    for client in oracle.order().T:
        x = x - c.step_size * oracle.gradient(x, client)
    return x


def sgd_step(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    """Run a round of SGD with N = M K fresh samples, for equal clients (Appendix C): it is SFL if all F_m coincide."""
    for client in range(c.n_clients):
        x = _local_steps(x, client, oracle, c)
    return x


# Distributions: the exact moments of one round on quadratic clients.


def has_laws(instance: object) -> TypeGuard[QuadraticInstance]:
    """Return whether the instance has the library's own quadratic clients, for which the moments are known."""
    return has_capability(instance, QuadraticStructure) and is_plain(instance)


def kinds_of_clients(instance: QuadraticInstance) -> tuple[list[int], list[int]]:
    """Return one representative of each kind of client, and the number of clients of each kind."""
    types = instance.client_types
    kinds = sorted(set(types))
    return [types.index(t) for t in kinds], [types.count(t) for t in kinds]


def _per_block(
    instance: object, c: Constants, ring: Ring, combine: Callable[[list[MapMoments], list[int]], MapMoments]
) -> list[Block] | None:
    if not has_laws(instance):
        return None
    representatives, counts = kinds_of_clients(instance)
    laws = [instance.client_laws(m, c.step_size, c.n_local_steps, ring) for m in representatives]
    blocks = []
    for b, coordinates in enumerate(instance.blocks):
        law: MapMoments = combine([client[b] for client in laws], counts)
        if c.server_step_size != 1:
            law = moments.relaxed_moments(law, c.server_step_size, ring)
        blocks.append(Block(coordinates, law))
    return blocks


def sequential_law(instance: FederatedInstance | QuadraticStructure, c: Constants, ring: Ring) -> list[Block] | None:
    """Return the exact moments of one round of SFL."""
    return _per_block(
        instance, c, ring, lambda laws, counts: moments.random_order_moments(laws, counts, c.n_participating, ring)
    )


def parallel_law(instance: FederatedInstance | QuadraticStructure, c: Constants, ring: Ring) -> list[Block] | None:
    """Return the exact moments of one round of PFL."""
    return _per_block(
        instance, c, ring, lambda laws, counts: moments.average_moments(laws, counts, c.n_participating, ring)
    )


# Compiled runs: their code is loaded at the first call.


def sequential_run(instance: FederatedInstance, c: Constants, seed: int, repetitions: np.ndarray) -> np.ndarray | None:
    """Return complete runs of SFL."""
    from fltheory.papers.sfl import kernels

    return kernels.sequential_run(instance, c, seed, repetitions)


def parallel_run(instance: FederatedInstance, c: Constants, seed: int, repetitions: np.ndarray) -> np.ndarray | None:
    """Return complete runs of PFL."""
    from fltheory.papers.sfl import kernels

    return kernels.parallel_run(instance, c, seed, repetitions)


def sequential_points(
    instance: FederatedInstance, c: Constants, seed: int, repetitions: np.ndarray, weights: np.ndarray | None
) -> np.ndarray | None:
    """Return the last states of runs of SFL, or their averages."""
    from fltheory.papers.sfl import kernels

    return kernels.points_of_runs(instance, c, seed, repetitions, weights, parallel=False)


def parallel_points(
    instance: FederatedInstance, c: Constants, seed: int, repetitions: np.ndarray, weights: np.ndarray | None
) -> np.ndarray | None:
    """Return the last states of runs of PFL, or their averages."""
    from fltheory.papers.sfl import kernels

    return kernels.points_of_runs(instance, c, seed, repetitions, weights, parallel=True)


sequential = Algorithm(
    "SFL",
    sequential_step,
    law=sequential_law,
    kernel=sequential_run,
    streaming_kernel=sequential_points,
    anonymous=True,
    kind=ROUND,
)
parallel = Algorithm(
    "PFL",
    parallel_step,
    law=parallel_law,
    kernel=parallel_run,
    streaming_kernel=parallel_points,
    anonymous=True,
    ordered=False,
    kind=ROUND,
)
fixed_order = Algorithm("SFL, fixed order", fixed_order_step, kind=ROUND)
random_reshuffling = Algorithm("SGD-RR", random_reshuffling_step, anonymous=True, kind=ROUND)
sgd = Algorithm("SGD", sgd_step, kind=ROUND)

ALGORITHMS = (sequential, parallel, fixed_order, random_reshuffling, sgd)
