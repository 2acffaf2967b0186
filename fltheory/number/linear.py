"""Exact linear algebra in rationals: definiteness, linear equations, linear complementarity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from flint import fmpq, fmpq_mat

Matrix = Sequence[Sequence[fmpq]]


def is_semidefinite(matrix: Matrix) -> bool:
    """Return whether a symmetric rational matrix A is positive semidefinite: no coefficient of det(x + A) is negative.

    Its coefficients are sums of products of eigenvalues; without a negative one it is positive for x > 0, so -x is not
    an eigenvalue. FLINT computes it exactly for integers.
    """
    if not matrix:
        return True
    whole, _ = fmpq_mat(matrix).numer_denom()  # the denominator is positive
    return all(c >= 0 for c in (-whole).charpoly().coeffs())


def nearby_solution(
    near: Sequence[fmpq], equations: Sequence[Mapping[int, fmpq]], right: Sequence[fmpq]
) -> list[fmpq] | None:
    """Return a solution of the equations close to ``near``; None if they are inconsistent.

    Few unknowns change, each by about the residual of an equation.
    """
    off = [r - sum((c * near[k] for k, c in e.items()), fmpq(0)) for e, r in zip(equations, right, strict=True)]
    used = sorted({k for e in equations for k in e}, key=lambda k: -near[k])  # the largest absorb the residuals
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


def solve_lcp(matrix: Sequence[Sequence[fmpq]], q: Sequence[fmpq]) -> list[fmpq] | None:
    """Return z >= 0 with w = M z + q >= 0 and z_i w_i = 0 for all i, by Lemke's algorithm.

    The symmetric part of M must be positive semidefinite; None if there is no solution. Ties between pivots are broken
    lexicographically, so no basis repeats (Cottle, Pang and Stone, section 4.9).
    """
    n = len(q)
    if all(v >= 0 for v in q):
        return [fmpq(0)] * n
    # Rows of w - M z - z0 = q: columns w, z, z0 and the right-hand side.
    rows = [
        [fmpq(int(i == j)) for j in range(n)] + [-matrix[i][j] for j in range(n)] + [fmpq(-1), q[i]] for i in range(n)
    ]
    basis, artificial = list(range(n)), 2 * n
    row = min(range(n), key=lambda i: rows[i][-1:] + rows[i][:n])
    entering = artificial
    while True:
        leaving, basis[row] = basis[row], entering
        _pivot(rows, row, entering)
        if leaving == artificial:
            break
        entering = leaving + n if leaving < n else leaving - n
        able = [i for i in range(n) if rows[i][entering] > 0]
        if not able:
            return None
        row = min(able, key=lambda i: _ratio(rows[i], entering, n))
    found = [fmpq(0)] * n
    for i, column in enumerate(basis):
        if n <= column < artificial:
            found[column - n] = rows[i][-1]
    return found


def _ratio(row: list[fmpq], entering: int, n: int) -> list[fmpq]:
    """Return the key of the ratio test: the right-hand side, then the columns of w, divided by the pivot."""
    return [row[-1] / row[entering], *(v / row[entering] for v in row[:n])]


def _pivot(rows: list[list[fmpq]], row: int, column: int) -> None:
    pivot = rows[row][column]
    rows[row] = [v / pivot if v != 0 else v for v in rows[row]]
    own = rows[row]
    for i, other in enumerate(rows):
        factor = other[column]
        if i != row and factor != 0:
            rows[i] = [v - factor * o if o != 0 else v for v, o in zip(other, own, strict=True)]
