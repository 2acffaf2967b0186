"""Exact linear algebra of certificates: definiteness of rational matrices, and equations that are met exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from flint import fmpq, fmpq_mat

Matrix = Sequence[Sequence[fmpq]]


def semidefinite(matrix: Matrix) -> bool:
    """Whether a symmetric rational matrix is positive semidefinite, by LDL^T: a zero pivot must have a zero row."""
    rows = [list(row) for row in matrix]
    left = list(range(len(rows)))
    while left:
        pivot = left.pop()
        p = rows[pivot][pivot]
        if p < 0 or (p == 0 and any(rows[pivot][j] != 0 for j in left)):
            return False
        for i in left if p != 0 else ():
            if rows[i][pivot] != 0:
                factor = rows[i][pivot] / p
                row, other = rows[i], rows[pivot]
                for j in left:
                    if other[j] != 0:
                        row[j] -= factor * other[j]
    return True


def repaired(near: Sequence[fmpq], equations: Sequence[Mapping[int, fmpq]], right: Sequence[fmpq]) -> list[fmpq] | None:
    """A solution of the equations near ``near``; None where they contradict one another.

    Few unknowns are moved, each by about as much as an equation was off.
    """
    off = [r - sum((c * near[k] for k, c in e.items()), fmpq(0)) for e, r in zip(equations, right, strict=True)]
    used = sorted({k for e in equations for k in e}, key=lambda k: -near[k])  # the largest take what is off
    place = {k: column for column, k in enumerate(used)}
    table = fmpq_mat(len(equations), len(used) + 1)
    for row, (equation, missing) in enumerate(zip(equations, off, strict=True)):
        for k, c in equation.items():
            table[row, place[k]] = c
        table[row, len(used)] = missing
    reduced, rank = table.rref()
    found = list(near)
    for row in range(rank):
        column = next(j for j in range(len(used) + 1) if reduced[row, j] != 0)
        if column == len(used):
            return None
        found[used[column]] += reduced[row, len(used)]
    return found
