"""Representations of a problem's quadratic forms: whole, or in blocks if clients may be exchanged.

A frame has a label for each limit (or orbit of limits), and matrices of an expression in floats and rationals. The
form of an expression, averaged over the permutations of a symmetry, is nonnegative if each of its matrices is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from flint import fmpq, fmpz_mat
from scipy.sparse import csc_matrix, vstack

from fltheory.worst_case.gram import Expression, Value, as_float
from fltheory.worst_case.problem import APART, FREE_SIGN_KINDS, Label, Problem
from fltheory.worst_case.problem.program import GramProgram
from fltheory.worst_case.symmetry_reduction.permutations import Pair, Symmetry, representation_blocks, symmetry
from fltheory.worst_case.symmetry_reduction.separate_clients import agent_frame

ROOT_TWO = math.sqrt(2)
Exact = list[list[fmpq]]


class Frame(Protocol):
    """A representation of quadratic forms."""

    @property
    def labels(self) -> tuple[Label, ...]:
        """Return the labels of the limits."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Return the number of rows of each matrix."""

    def value(self, name: Value) -> Value:
        """Return the value that represents this one."""

    def values(self, expression: Expression) -> dict[Value, fmpq]:
        """Return the coefficients of values in an expression."""

    def packed(self, expressions: Sequence[Expression]) -> csc_matrix:
        """Return a column for each expression: upper triangles of its matrices, off-diagonal entries times sqrt(2)."""

    def matrices(self, expression: Expression) -> list[Exact]:
        """Return its matrices in rationals."""

    def gram(self, found: Sequence[np.ndarray]) -> np.ndarray:
        """Return the Gram matrix of the whole basis from one matrix for each block."""


def frame(problem: Problem) -> Frame:
    """Return a frame with blocks if the problem is symmetric and large enough to gain by it, else the whole one."""
    if problem.size <= MIN_BLOCK_SIZE or not problem.plain:
        return WholeFrame(problem)
    apart = agent_frame(problem)
    if apart is not None:
        return apart
    found = symmetry(problem)
    return WholeFrame(problem) if found is None else BlockFrame(problem, found)


PAIR_BATCH = 64  # permutations whose matrices are computed at once
MIN_BLOCK_SIZE = 24  # vectors of a basis that is represented in blocks


@dataclass(frozen=True, eq=False)
class WholeFrame:
    """The forms themselves, without redundant labels and vectors."""

    problem: GramProgram

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        """Return all labels that the matrix involves, except those whose multipliers can only be 0."""
        shown = (label for label in self.problem.labels() if label[0] != APART or label[2] in self._place)
        return self._useful_labels(tuple(shown)) if self.problem.free else tuple(shown)

    def _useful_labels(self, labels: tuple[Label, ...]) -> tuple[Label, ...]:
        """Drop labels in which a product with a free start has only one sign: nothing can cancel it."""
        limits = {label: self.problem.limit(label).values for label in labels}
        while True:
            signs: dict[Value, set[int]] = {}
            equations = {label for label in limits if label[0] in FREE_SIGN_KINDS}
            for label, values in [(None, self.problem.objective.values), *limits.items()]:
                for name, c in values.items():
                    both = label is None or label in equations
                    signs.setdefault(name, set()).update((1, -1) if both else (1 if c > 0 else -1,))
            vain = {name for name, found in signs.items() if isinstance(name, tuple) and len(found) == 1}
            left = {label: values for label, values in limits.items() if not vain & set(values)}
            if len(left) == len(limits):
                return tuple(left)
            limits = left

    @cached_property
    def kept(self) -> tuple[int, ...]:
        """Return the vectors of the basis that are not redundant, in the order of the matrix."""
        needless = self.problem.needless
        return tuple(i for i in range(self.problem.size) if i not in needless)

    @cached_property
    def _place(self) -> dict[int, int]:
        return {index: i for i, index in enumerate(self.kept)}

    @property
    def sizes(self) -> tuple[int, ...]:
        """Return the size of the only matrix."""
        return (len(self._place),)

    def value(self, name: Value) -> Value:
        """Return the value itself."""
        return name

    def values(self, expression: Expression) -> dict[Value, fmpq]:
        """Return its own coefficients."""
        return dict(expression.values)

    def packed(self, expressions: Sequence[Expression]) -> csc_matrix:
        """Return sparse columns."""
        rows, columns, numbers = list[int](), list[int](), list[float]()
        for k, expression in enumerate(expressions):
            for (i, j), c in expression.products.items():
                if i in self._place and j in self._place:
                    a, b = sorted((self._place[i], self._place[j]))
                    rows.append(b * (b + 1) // 2 + a)
                    columns.append(k)
                    numbers.append(as_float(c) / (1 if a == b else ROOT_TWO))
        n = len(self._place)
        return csc_matrix((numbers, (rows, columns)), shape=(n * (n + 1) // 2, len(expressions)))

    def matrices(self, expression: Expression) -> list[Exact]:
        """Return the only matrix."""
        matrix = [[fmpq(0)] * len(self._place) for _ in self._place]
        for (i, j), c in expression.products.items():
            if i in self._place and j in self._place:
                a, b = self._place[i], self._place[j]
                matrix[a][b] += c / 2
                matrix[b][a] += c / 2
        return [matrix]

    def gram(self, found: Sequence[np.ndarray]) -> np.ndarray:
        """Return the matrix with zeros for dropped vectors."""
        gram = np.zeros((self.problem.size, self.problem.size))
        gram[np.ix_(self.kept, self.kept)] = found[0]
        return gram


@dataclass(frozen=True, eq=False)
class BlockFrame:
    """Forms averaged over all permutations of the clients, in a block for each irreducible representation."""

    problem: Problem
    symmetry: Symmetry

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        """Return one label of each orbit."""
        return tuple(self.symmetry.labels(self.problem))

    @cached_property
    def _bases(self) -> tuple[np.ndarray, ...]:
        return representation_blocks(self.symmetry, self.problem.free)

    @cached_property
    def _orthonormal(self) -> tuple[np.ndarray, ...]:
        return tuple(np.linalg.qr(b.T.astype(float))[0].T for b in self._bases)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Return the multiplicity of each representation."""
        return tuple(len(b) for b in self._bases)

    def value(self, name: Value) -> Value:
        """Return one value of its orbit."""
        return self.symmetry.value(name)

    def values(self, expression: Expression) -> dict[Value, fmpq]:
        """Return the coefficients of orbits."""
        return {name: c for name, c in self.symmetry.averaged(expression)[1].items() if c != 0}

    def packed(self, expressions: Sequence[Expression]) -> csc_matrix:
        """Compute the columns from the matrices of the orbits of pairs."""
        place: dict[Pair, int] = {}
        rows, columns, numbers = list[int](), list[int](), list[float]()
        for k, expression in enumerate(expressions):
            for pair, c in self.symmetry.averaged(expression)[0].items():
                rows.append(place.setdefault(pair, len(place)))
                columns.append(k)
                numbers.append(as_float(c))
        combined = csc_matrix((numbers, (rows, columns)), shape=(len(place), len(expressions)))
        parts = []
        for basis in self._orthonormal:
            upper = np.triu_indices(len(basis))
            order = np.lexsort(upper)  # column by column
            at = upper[0][order], upper[1][order]
            scale = np.where(at[0] == at[1], 1, ROOT_TWO)
            table = np.empty((len(scale), len(place)))
            for pair, column in place.items():
                table[:, column] = self._of_pair(basis, pair)[at] * scale
            parts.append(csc_matrix(table @ combined))
        return vstack(parts, format="csc")

    def _of_pair(self, basis: np.ndarray, pair: Pair) -> np.ndarray:
        """Return the mean over permutations of the symmetric product of two images, on a basis."""
        left, right = (basis[:, self.symmetry.images[:, i]] for i in pair)
        found = left @ right.T / len(self.symmetry.permutations)
        return (found + found.T) / 2

    def matrices(self, expression: Expression) -> list[Exact]:
        """Compute the matrices in integers that floats hold exactly, then by one product of integer matrices."""
        products = {pair: c for pair, c in self.symmetry.averaged(expression)[0].items() if c != 0}
        common = math.lcm(*(int(c.q) for c in products.values())) if products else 1
        weights = fmpz_mat(len(products), 1, [int(c.p) * (common // int(c.q)) for c in products.values()])
        scale = fmpq(1, 2 * common * len(self.symmetry.permutations))
        pairs, found = np.array(list(products)).reshape(-1, 2), []
        for basis in self._bases:
            n, wide = len(basis), basis.astype(float)
            if 2 * int(np.abs(basis).max()) ** 2 * len(self.symmetry.permutations) >= 2**52:
                raise ArithmeticError("a basis with numbers so large that floats don't hold their sums")
            upper = np.triu_indices(n)
            table = np.empty((len(upper[0]), len(products)))
            for at in range(0, len(products), PAIR_BATCH):
                left, right = (
                    wide[:, self.symmetry.images[:, of]] for of in pairs[at : at + PAIR_BATCH].T
                )  # (rows, g, pairs)
                both = left.transpose(2, 0, 1) @ right.transpose(2, 1, 0)
                table[:, at : at + PAIR_BATCH] = (both + both.transpose(0, 2, 1))[:, *upper].T
            summed = fmpz_mat(*table.shape, table.astype(np.int64).ravel().tolist()) * weights
            entries = dict(zip(zip(*(of.tolist() for of in upper), strict=True), summed.entries(), strict=True))
            found.append([[entries[min(a, b), max(a, b)] * scale for b in range(n)] for a in range(n)])
        return found

    def gram(self, found: Sequence[np.ndarray]) -> np.ndarray:
        """Return the mean over permutations."""
        size = self.problem.size
        inner = sum((b.T @ y @ b for b, y in zip(self._orthonormal, found, strict=True)), np.zeros((size, size)))
        images = self.symmetry.images
        return sum((inner[np.ix_(image, image)] for image in images), np.zeros((size, size))) / len(images)
