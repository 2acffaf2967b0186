"""Linear complementarity in rationals, by Lemke's pivots: w = M z + q with w, z >= 0 and no index where both are positive."""

from __future__ import annotations

from collections.abc import Sequence

from flint import fmpq


def complementary(matrix: Sequence[Sequence[fmpq]], q: Sequence[fmpq]) -> list[fmpq] | None:
    """z, for a matrix M with a semidefinite symmetric part; None where there is no solution.

    Ties between pivots are broken lexicographically, so that no basis comes twice (Cottle, Pang and Stone, section 4.9).
    """
    n = len(q)
    if all(v >= 0 for v in q):
        return [fmpq(0)] * n
    # Rows of w - M z - z0 = q: columns w, z, z0, and what is on the right.
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
    """What is compared: the right side, then the columns of w, over the pivot."""
    return [row[-1] / row[entering], *(v / row[entering] for v in row[:n])]


def _pivot(rows: list[list[fmpq]], row: int, column: int) -> None:
    pivot = rows[row][column]
    rows[row] = [v / pivot if v != 0 else v for v in rows[row]]
    own = rows[row]
    for i, other in enumerate(rows):
        factor = other[column]
        if i != row and factor != 0:
            rows[i] = [v - factor * o if o != 0 else v for v, o in zip(other, own, strict=True)]
