"""Certified eigenvalue bounds of exact symmetric matrices."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat


def largest_eigenvalue(matrix: fmpq_mat) -> Fraction:
    """A rational that is certainly not below the largest eigenvalue of a symmetric matrix, and close to it.

    The certificate: t I - A has a factorisation L D L^T with positive pivots, computed exactly.
    """
    n = matrix.nrows()
    floats = np.array([[float(Fraction(int(v.p), int(v.q))) for v in row] for row in matrix.tolist()])
    guess = float(np.linalg.eigvalsh(floats)[-1])
    identity = fmpq_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])
    slack = 2.0**-32 * max(abs(guess), 2.0**-32)
    while True:
        candidate = Fraction(math.ceil((guess + slack) * 2**40), 2**40)
        if _positive_definite(identity * fmpq(candidate.numerator, candidate.denominator) - matrix):
            return candidate
        slack *= 4


def _positive_definite(matrix: fmpq_mat) -> bool:
    """Whether all pivots of the exact elimination are positive."""
    a = [[Fraction(int(v.p), int(v.q)) for v in row] for row in matrix.tolist()]
    for k in range(len(a)):
        if a[k][k] <= 0:
            return False
        for i in range(k + 1, len(a)):
            factor = a[i][k] / a[k][k]
            a[i] = [v - factor * w for v, w in zip(a[i], a[k], strict=True)]
    return True
