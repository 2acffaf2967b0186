"""The instances on which the theorems are checked: I1-I4 and I6 of the reference figures, and random ones.

The paper has no lower bounds; these show which term of a bound is needed, and what sharing directions costs.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from fltheory.number import exact, streams
from fltheory.problems.decomposable import SubmodularClients
from fltheory.problems.sets.independent_sets import IndependentCoverage
from fltheory.problems.sets.matroids import Partition, Uniform
from fltheory.problems.sets.set_functions import Coverage, FacilityLocation, Mixture, Modular

GRID = 1000  # random numbers are multiples of 1/GRID


def private_items(n_clients: int, d: object = "1/100") -> SubmodularClients:
    """Return I1: item 0 is worth 1 to all, item i is worth 1 + d to client i alone; rank 1. FedCG reaches (1 + d)/N."""
    extra = 1 + Fraction(exact(d))
    rows = [[1, *(extra if j == i else 0 for j in range(n_clients))] for i in range(n_clients)]
    return SubmodularClients(tuple(Modular(row) for row in rows), Uniform(n_clients + 1, 1))


def private_facilities(n_clients: int, rank: int, d: object = "1/100", round_robin: bool = False) -> SubmodularClients:
    """Return I2: facility location with a common item of score 1 and ``rank`` private ones of score 1 + d per client.

    Items are ordered client by client; ``round_robin``: equally good private items are taken from the clients in turn.
    """
    extra, n = 1 + Fraction(exact(d)), 1 + rank * n_clients
    rows = []
    for i in range(n_clients):
        row: list[Any] = [0] * n
        row[0] = 1
        row[1 + rank * i : 1 + rank * (i + 1)] = [extra] * rank
        rows.append(FacilityLocation((row,)))
    turns = [0, *(1 + rank * i + k for k in range(rank) for i in range(n_clients))]
    return SubmodularClients(tuple(rows), Uniform(n, rank), ties=turns if round_robin else ())


def fresh_groups(rank: int, rounds: int) -> SubmodularClients:
    """Return I3: blocks o_1..o_r of mass 1/r, and for each round a group of r copies of one set of density 1/r.

    All sets are independent; ties go to the newest group, so a run of that many rounds takes a new one each time.
    """
    r = rank
    groups = [[r + r * t + k for k in range(r)] for t in range(rounds)]
    f = IndependentCoverage([[k] for k in range(r)], groups, Fraction(1, r))
    order = [e for group in groups for e in group] + list(range(r))
    return SubmodularClients((f,), Uniform(r + r * rounds, r), ties=order)


def opposite_blocks(rank: int, g: object = "1/4", d: object = "1/100") -> SubmodularClients:
    """Return I4: two clients of modular weights (1,..; 1 - 2g + d,..) +- (g,..; -g,..), p = 1/2; large variance."""
    high, gap = Fraction(exact(g)), Fraction(exact(d))
    if not (0 < gap < 2 * high and 3 * high <= 1 + gap):
        raise ValueError("expected 0 < d < 2g and 3g <= 1 + d")
    base = [Fraction(1)] * rank + [1 - 2 * high + gap] * rank
    sign = [high] * rank + [-high] * rank
    one, two = ([b + s * v for b, v in zip(base, sign, strict=True)] for s in (1, -1))
    return SubmodularClients((Modular(one), Modular(two)), Uniform(2 * rank, rank))


def any_item(n_items: int) -> SubmodularClients:
    """Return I6: f(S) = 1 unless S is empty; rank 1."""
    return SubmodularClients((Coverage((range(n_items),), n_items),), Uniform(n_items, 1))


def common_and_own_points(n_groups: int) -> SubmodularClients:
    """Return the second I6: groups of 3 items, each covers a common unit point and its group's unit point; rank 3."""
    n = 3 * n_groups
    points = [range(n), *(range(3 * g, 3 * g + 3) for g in range(n_groups))]
    return SubmodularClients((Coverage(points, n),), Uniform(n, 3))


def opposite_ties() -> SubmodularClients:
    """Return two clients with f(S) = 1 unless S is empty, whose ties go to different items; rank 1."""
    f = Coverage(((0, 1),), 2)
    return SubmodularClients((f, f), Uniform(2, 1), ties=((0, 1), (1, 0)))


def uniforms(*shape: int, seed: int) -> np.ndarray:
    """Return multiples of 1/GRID in [0, 1), as Fractions, from the counter-based streams."""
    size = int(np.prod(shape))
    draws = (streams.uniform(seed, np.arange(size), 0, 0, 0) * GRID).astype(int)
    return np.array([Fraction(int(v), GRID) for v in draws] + [None], dtype=object)[:-1].reshape(shape)


def matroid_of(kind: str, n_items: int, rank: int) -> Uniform | Partition:
    """Return a uniform matroid, or one that allows one item from each of ``rank`` equal parts."""
    if kind == "uniform":
        return Uniform(n_items, rank)
    size = n_items // rank
    return Partition([range(k * size, (k + 1) * size) for k in range(rank)], [1] * rank)


def facility_clients(
    n_clients: int, n_items: int, rank: int, h: object, seed: int = 0, kind: str = "uniform", equal: bool = True
) -> SubmodularClients:
    """Return facility location with scores (1 - h) c_j + h U_ij, uniform c_j and U_ij; weights ``equal`` or random."""
    mix = Fraction(exact(h))
    common, own = uniforms(n_items, seed=2 * seed), uniforms(n_clients, n_items, seed=2 * seed + 1)
    rows = (1 - mix) * common[None] + mix * own
    masses = () if equal else tuple(1 + 4 * v for v in uniforms(n_clients, seed=10**6 + seed))
    functions = tuple(FacilityLocation((tuple(row),)) for row in rows)
    return SubmodularClients(functions, matroid_of(kind, n_items, rank), masses)


def coverage_clients(
    n_clients: int, n_items: int, rank: int, h: object, seed: int = 0, kind: str = "uniform", share: object = "1/4"
) -> SubmodularClients:
    """Return random coverage: each client is a point, which items cover with probability ``share``.

    Each membership is the client's own with probability h, else that of a common row.
    """
    mix, rate = Fraction(exact(h)), Fraction(exact(share))
    common = uniforms(n_items, seed=3 * seed) < rate
    own, fresh = (
        uniforms(n_clients, n_items, seed=3 * seed + 1) < rate,
        uniforms(n_clients, n_items, seed=3 * seed + 2) < mix,
    )
    table = np.where(fresh, own, common[None])
    functions = tuple(Coverage((np.nonzero(row)[0].tolist(),), n_items) for row in table)
    return SubmodularClients(functions, matroid_of(kind, n_items, rank))


def perturbed_clients(
    n_clients: int, n_items: int, rank: int, size: object, seed: int = 0, kind: str = "uniform"
) -> SubmodularClients:
    """Return clients that share a facility-location function, each with small modular weights of its own."""
    common = FacilityLocation(tuple(tuple(row) for row in uniforms(3, n_items, seed=5 * seed)))
    own = Fraction(exact(size)) * uniforms(n_clients, n_items, seed=5 * seed + 1)
    functions = tuple(Mixture((common, Modular(tuple(row)))) for row in own)
    return SubmodularClients(functions, matroid_of(kind, n_items, rank))
