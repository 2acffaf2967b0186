"""Certified eigenvalue bounds of exact symmetric matrices."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq, fmpq_mat

PRECISION = 256  # bits of the balls for the first attempt at an elimination


def largest_eigenvalue(matrix: fmpq_mat) -> Fraction:
    """Return a rational that is certainly at least the largest eigenvalue of a symmetric matrix, and close to it.

    The certificate: t I - A has a factorisation L D L^T with positive pivots, computed exactly.
    """
    n = matrix.nrows()
    floats = np.array([[float(_fraction(v)) for v in row] for row in matrix.tolist()])
    guess = float(np.linalg.eigvalsh(floats)[-1])
    identity = fmpq_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])
    slack = 2.0**-32 * max(abs(guess), 2.0**-32)
    while True:
        candidate = Fraction(math.ceil((guess + slack) * 2**40), 2**40)
        if _is_positive_definite(identity * fmpq(candidate.numerator, candidate.denominator) - matrix):
            return candidate
        slack *= 4


def eigenvalue_range(matrix: fmpq_mat) -> tuple[Fraction, Fraction]:
    """Return rational bounds on the eigenvalues of a positive semidefinite matrix, exact for a diagonal one.

    Both are accurate to 2^-40 of the matrix's size; a smaller least eigenvalue is returned as 0.
    """
    n = matrix.nrows()
    diagonal = [_fraction(matrix[i, i]) for i in range(n)]
    if all(matrix[i, j] == 0 for i in range(n) for j in range(i)):
        return min(diagonal), max(diagonal)
    size = sum(diagonal)  # its power of two is the unit, so that ``largest_eigenvalue`` is near in any units
    unit = Fraction(2) ** (size.numerator.bit_length() - size.denominator.bit_length())
    scaled = matrix * fmpq(unit.denominator, unit.numerator)
    least, largest = -largest_eigenvalue(-scaled), largest_eigenvalue(scaled)
    return max(least, Fraction(0)) * unit, largest * unit


def _fraction(value: fmpq) -> Fraction:
    return Fraction(int(value.p), int(value.q))


def _is_positive_definite(matrix: fmpq_mat) -> bool:
    """Return whether all pivots of an elimination are positive, in balls, or exactly if balls do not decide."""
    with ctx.workprec(PRECISION):
        told = _has_positive_pivots([[arb(v) for v in row] for row in matrix.tolist()])
    return bool(
        _has_positive_pivots([[_fraction(v) for v in row] for row in matrix.tolist()]) if told is None else told
    )


def _has_positive_pivots(a: list[list[Any]]) -> bool | None:
    """Return whether all pivots of the elimination of a symmetric matrix are positive; None if a ball contains 0."""
    for k in range(len(a)):
        if a[k][k] <= 0:
            return False
        if not a[k][k] > 0:
            return None
        for i in range(k + 1, len(a)):
            factor = a[i][k] / a[k][k]
            a[i] = [v - factor * w for v, w in zip(a[i], a[k], strict=True)]
    return True
