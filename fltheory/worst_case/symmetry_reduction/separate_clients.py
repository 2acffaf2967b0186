"""Clients that never interact within a round: each vector belongs to one client, so two clients determine everything.

Under all permutations of M clients such vectors are copies of the permutation representation: the trivial and the
standard one. So two blocks remain, with as many rows as one client has vectors, for any M.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from flint import fmpq
from scipy.sparse import csc_matrix

from fltheory.worst_case.gram import Expression, Value
from fltheory.worst_case.problem import APART, CLIENT, NOISE, Label, Problem
from fltheory.worst_case.symbolic_run import START_INDEX
from fltheory.worst_case.symmetry_reduction.permutations import generators

ROOT_TWO = math.sqrt(2)
Exact = list[list[fmpq]]


@dataclass(frozen=True, eq=False)
class AgentFrame:
    """Forms averaged over all permutations of non-interacting clients: on the sum of clients and on a difference."""

    problem: Problem
    kinds: np.ndarray  # for each vector the one of the first client of which it is a copy; START for the start

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        """Return the labels of the first client, which stand for all."""
        places = self.problem.places[0]
        known = (label for label, _ in self.problem.known)
        of_first = [i for i in self.problem.noises if self._client(i) == 0]
        noise = ((NOISE, i) for i in of_first)
        return (*known, *((CLIENT, 0, a, b) for a in places for b in places if a != b), *noise, *self._apart(of_first))

    def _apart(self, noises: Sequence[int]) -> Iterator[Label]:
        """Yield the labels of the first client's noises: with the start, and within the first two clients."""
        for i in noises:
            for j in sorted(self.problem.noises[i]):
                if not self.problem.free if j == START_INDEX else self._client(j) < 2:
                    yield (APART, i, j)

    @cached_property
    def _rows(self) -> tuple[dict[int, int], dict[int, int]]:
        """Return the kinds as rows of the two blocks: the h have no sum, the start no differences."""
        every = [int(k) for k in np.unique(self.kinds)]
        free = {START_INDEX} if self.problem.free else set()
        whole = [k for k in every if k != 1 and k not in free]
        return {k: i for i, k in enumerate(whole)}, {k: i for i, k in enumerate(k for k in every if k != START_INDEX)}

    @property
    def sizes(self) -> tuple[int, ...]:
        """Return the numbers of rows of the two blocks."""
        return len(self._rows[0]), len(self._rows[1])

    def value(self, name: Value) -> Value:
        """Return the value of the first client."""
        if isinstance(name, tuple):
            return START_INDEX, int(self.kinds[name[1]])
        return int(self.kinds[name]) if isinstance(name, int) else name

    def values(self, expression: Expression) -> dict[Value, fmpq]:
        """Return the coefficients, summed over clients."""
        found: dict[Value, fmpq] = {}
        for name, c in expression.values.items():
            first = self.value(name)
            found[first] = found.get(first, fmpq(0)) + c
        return {name: c for name, c in found.items() if c != 0}

    def matrices(self, expression: Expression) -> list[Exact]:
        """Return the matrices on the sums of all copies, and on the differences of two copies."""
        n = self.problem.n_clients
        blocks = [[[fmpq(0)] * len(rows) for _ in rows] for rows in self._rows]
        for (i, j), c in expression.products.items():
            a, b = int(self.kinds[i]), int(self.kinds[j])
            together = i != START_INDEX and j != START_INDEX and self._client(i) == self._client(j)
            on_difference = fmpq(2, n) if together else fmpq(-2, n * (n - 1))
            for block, rows, weight in zip(blocks, self._rows, (fmpq(1), on_difference), strict=True):
                if a in rows and b in rows:
                    block[rows[a]][rows[b]] += c * weight / 2
                    block[rows[b]][rows[a]] += c * weight / 2
        return blocks

    def _client(self, i: int) -> int:
        return i - 1 if i <= self.problem.n_clients else self._clients[i - 1 - self.problem.n_clients]

    @cached_property
    def _clients(self) -> tuple[int, ...]:
        return tuple(key.client for key in self.problem.record.made)

    @cached_property
    def _scales(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the factors that normalise the rows of the blocks: sums of n copies, or differences of two."""
        whole = [1.0 if k == START_INDEX else self.problem.n_clients**-0.5 for k in self._rows[0]]
        return np.array(whole), np.full(len(self._rows[1]), 2**-0.5)

    def packed(self, expressions: Sequence[Expression]) -> csc_matrix:
        """Compute the columns from the exact matrices."""
        columns = []
        for expression in expressions:
            parts = []
            for block, scale in zip(self.matrices(expression), self._scales, strict=True):
                matrix = np.array([[int(c.p) / int(c.q) for c in row] for row in block]) * np.outer(scale, scale)
                column, row = np.tril_indices(len(scale))
                parts.append(matrix[row, column] * np.where(row == column, 1, ROOT_TWO))
            columns.append(np.concatenate(parts))
        return csc_matrix(np.array(columns).T)

    def gram(self, found: Sequence[np.ndarray]) -> np.ndarray:
        """Return the mean over permutations: the entry for a pair of each kind in all blocks."""
        n, size = self.problem.n_clients, self.problem.size
        scaled = [y * np.outer(s, s) for y, s in zip(found, self._scales, strict=True)]
        gram = np.zeros((size, size))
        for i in range(size):
            for j in range(size):
                a, b = int(self.kinds[i]), int(self.kinds[j])
                together = i != START_INDEX and j != START_INDEX and self._client(i) == self._client(j)
                weights = (1.0, 2 / n if together else -2 / (n * (n - 1)))
                for y, rows, weight in zip(scaled, self._rows, weights, strict=True):
                    if a in rows and b in rows:
                        gram[i, j] += weight * y[rows[a], rows[b]]
        return gram


def agent_frame(problem: Problem) -> AgentFrame | None:
    """Return the frame of non-interacting clients; None unless all permutations preserve the problem."""
    n = problem.n_clients
    made = generators(problem) if n > 1 else None
    if made is None:
        return None
    turn = made[1][1]
    kinds = np.full(problem.size, -1)
    kinds[START_INDEX] = START_INDEX
    first = [1, *(index for key, index in problem.record.made.items() if key.client == 0)]
    for index in first:
        image = index
        for _ in range(n):
            if kinds[image] != -1:
                return None  # another vector of the first client is a copy of it
            kinds[image] = index
            image = int(turn[image])
        if image != index:
            return None
    if (kinds == -1).any():
        return None
    found = AgentFrame(problem, kinds)
    swap = made[0][1]
    clients = [found._client(i) for i in range(1, problem.size)]
    moved = [found._client(int(swap[i])) for i in range(1, problem.size)]
    swapped = {0: 1, 1: 0}
    alike = all(kinds[swap[i]] == kinds[i] for i in range(problem.size))
    return found if alike and moved == [swapped.get(m, m) for m in clients] else None
