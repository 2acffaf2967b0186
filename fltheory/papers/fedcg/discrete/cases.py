"""Instances of the discrete problem: I5, I7, I8 of the reference figures, scores, memberships, clients of few kinds."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from fltheory.model.schema import Record, Table, count, nonnegative, one_of, per, scalar
from fltheory.number import exact
from fltheory.papers.fedcg.algorithms.rounding import Fractional
from fltheory.papers.fedcg.notation import N, n
from fltheory.problems.decomposable import SubmodularClients
from fltheory.problems.sets.independent_sets import IndependentCoverage
from fltheory.problems.sets.matroids import Graphic, Matroid, Partition, Uniform
from fltheory.problems.sets.set_functions import Coverage, FacilityLocation, Modular


class Scores(Record):
    """The score of every client for every facility, nonnegative."""

    scores: Table = per(N, n, of=nonnegative)

    @property
    def clients(self) -> SubmodularClients:
        """f_i(S) = max_{j in S} c(i, j), equal weights."""
        functions = tuple(FacilityLocation((row,)) for row in self.scores)
        return SubmodularClients(functions, Uniform(len(self.scores[0]), 1))


class Memberships(Record):
    """Memberships (1 or 0) of the clients in groups, client by client."""

    members: Table = per(N, n, of=one_of(0, 1))

    @property
    def clients(self) -> SubmodularClients:
        """Return f_i(S) = 1 if S contains a group of the client, with equal weights."""
        groups = len(self.members[0])
        functions = tuple(Coverage(([a for a in range(groups) if row[a]],), groups) for row in self.members)
        return SubmodularClients(functions, Uniform(groups, 1))


class Lone(Record):
    """Maximum coverage of N clients by one of n groups, where only the last client is in a group, the last one."""

    n_clients: int = scalar(count(1, 8), N)
    n_items: int = scalar(count(2, 6), n)

    @property
    def alone(self) -> SubmodularClients:
        """Return f_i(S) = 1 if S contains a group of the client, with equal weights."""
        nobody, last = Coverage(((),), self.n_items), Coverage(((self.n_items - 1,),), self.n_items)
        return SubmodularClients((*(nobody,) * (self.n_clients - 1), last), Uniform(self.n_items, 1))


def independent_sets_first(rank: int, cardinality: bool = False) -> SubmodularClients:
    """Return I5: item k < r is an independent set of density 1/r, item r + k covers block k; one of both for each k.

    ``cardinality`` allows any r items. Greedy takes the first r, of equal gain: 1 - (1 - 1/r)^r; the others reach 1.
    """
    r = rank
    f = IndependentCoverage([[r + k] for k in range(r)], [[k] for k in range(r)], Fraction(1, r))
    one_each = Partition([[k, r + k] for k in range(r)], [1] * r)
    return SubmodularClients((f,), Uniform(2 * r, r) if cardinality else one_each)


def greedy_half(m: int) -> SubmodularClients:
    """Return I7: item 0 covers M + 1 points, 1 covers M - 1 others, 2 covers M of item 0's; not both 0 and 1."""
    points = [[0, 2]] * m + [[0]] + [[1]] * (m - 1)
    return SubmodularClients((Coverage(points, 3),), Partition([[0, 1], [2]], [1, 1]))


def heavy_and_light(heavy: object = 99, light: object = 1) -> SubmodularClients:
    """Return I8: clients of weight .99 and .01 value items 0 and 1 at 1 and 1.01; rank 1."""
    functions = (Modular((1, 0)), Modular((0, Fraction(101, 100))))
    return SubmodularClients(functions, Uniform(2, 1), (exact(heavy), exact(light)))


def large_and_small(
    large: Sequence[Sequence[Any]],
    small: Sequence[Sequence[Any]],
    share: object,
    matroid: Matroid,
    facility: bool = True,
) -> SubmodularClients:
    """Return clients with scores ``large``, and ones with scores ``small``, weight ``share`` and random answers."""
    kind = FacilityLocation if facility else None
    functions = tuple(kind((row,)) if kind else Modular(tuple(row)) for row in (*large, *small))
    return SubmodularClients(functions, matroid, [1] * len(large) + [exact(share)] * len(small))


def of_few_kinds(kinds: Sequence[Sequence[Any]], copies: int, matroid: Matroid) -> SubmodularClients:
    """Return ``copies`` clients with each of these rows of scores."""
    functions = tuple(FacilityLocation((row,)) for row in kinds for _ in range(copies))
    return SubmodularClients(functions, matroid)


def one_or_other(weight: object = 1) -> Fractional:
    """Return the point (1/2, 1/2) of two items, of which one is allowed: all value is on item 1."""
    return Fractional((Modular((0, exact(weight))),), Uniform(2, 1), parts=((0,), (1,)))


def own_output() -> Fractional:
    """Return FedCG's own point (.51, .49) for two clients: greedy rounding takes the item of little value."""
    functions = (Coverage(((0,),), 2, "1/100"), Coverage(((1,),), 2))
    return Fractional(functions, Uniform(2, 1), (51, 49), parts=((0,), (1,)), shares=(51, 49))


def cycle_of_four() -> Fractional:
    """Return a mean of spanning trees of the square with a chord; items are edges that cover their two vertices."""
    edges = ((0, 1), (1, 2), (2, 3), (3, 0), (0, 2))
    touched = [[e for e, edge in enumerate(edges) if v in edge] for v in range(4)]
    parts = ((0, 1, 2), (1, 2, 3), (0, 2, 4), (3, 4, 1), (0,))
    return Fractional((Coverage(touched, 5),), Graphic(edges), parts=parts, shares=(1, 2, 3, 1, 1))
