"""Linear complementarity: each solution is one, and where there is none by trying all complementary bases, none is found."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
import sympy
from flint import fmpq

from fltheory.number.linear import solve_lcp


def complementary_solution(matrix: list[list[int]], q: list[int]) -> bool:
    """Whether some choice of z_i or w_i = 0 has a nonnegative solution (Cramer's rule, for invertible choices)."""
    n = len(q)
    for chosen in itertools.product((False, True), repeat=n):
        own = [i for i in range(n) if chosen[i]]
        if not own:
            if min(q) >= 0:
                return True
            continue
        part = sympy.Matrix([[matrix[i][j] for j in own] for i in own])
        if part.det() == 0:
            continue
        z = part.LUsolve(-sympy.Matrix([q[i] for i in own]))
        full = [Fraction(0)] * n
        for i, v in zip(own, z, strict=True):
            full[i] = Fraction(int(v.p), int(v.q))
        w = [sum(matrix[i][j] * full[j] for j in range(n)) + q[i] for i in range(n)]
        if min(full) >= 0 and min(w) >= 0:
            return True
    return False


@pytest.mark.parametrize("seed", range(8))
def test_solutions_of_random_problems(seed: int) -> None:
    """The symmetric part is positive semidefinite, often singular, and the matrix need not be symmetric."""
    rng = np.random.default_rng(seed)
    solved = 0
    for _ in range(25):
        n = int(rng.integers(1, 6))
        factor = rng.integers(-2, 3, (n, int(rng.integers(1, n + 1))))
        turn = rng.integers(-2, 3, (n, n))
        matrix = (factor @ factor.T + turn - turn.T).tolist()
        q = rng.integers(-4, 4, n).tolist()
        z = solve_lcp([[fmpq(v) for v in row] for row in matrix], [fmpq(v) for v in q])
        if z is None:
            assert n > 4 or not complementary_solution(matrix, q)
            continue
        solved += 1
        w = [sum((matrix[i][j] * z[j] for j in range(n)), fmpq(0)) + q[i] for i in range(n)]
        assert min(z) >= 0
        assert min(w) >= 0
        assert all(a == 0 or b == 0 for a, b in zip(z, w, strict=True))
    assert solved > 8
