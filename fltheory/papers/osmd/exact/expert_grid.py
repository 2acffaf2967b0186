"""The grid of rates (22) against the best rate (20), for any variation of the comparator."""

from __future__ import annotations

from fractions import Fraction
from math import log2
from typing import Any

from sympy import log, sqrt

from fltheory.case import Case
from fltheory.number import BALL, NotRational, Ring, evaluate_ball, to_float
from fltheory.papers.osmd.algorithms.grid import log_ratio_is, n_experts
from fltheory.papers.osmd.letters import M, T, alpha, beta
from fltheory.record import Record, constant, count, one, probability, share

# eta*(beta) over the least rate of the grid, which is eta*(0)
ABOVE_LEAST = sqrt(1 + 2 * beta * (1 - log(alpha) / log(M)))


class Horizon(Record):
    """What the grid and the best rate depend on: M, alpha, T, and beta as a ``share`` of the largest variation 2(T - 1)."""

    n_clients: Any = one(count(2), M)
    n_rounds: Any = one(count(), T)
    floor: Any = one(probability, alpha, default="1/2")
    share: Any = one(share, default=1)

    @constant(beta)
    def variation(self) -> Fraction:
        """beta."""
        return Fraction(self.share) * 2 * (self.n_rounds - 1)


def _largest(case: Case) -> int:
    c = case.constants
    return n_experts(int(c[M]), c[alpha], int(c[T])) - 1


def over_largest(case: Case, ring: Ring) -> Any:
    """eta* / eta_E."""
    return _above_least(case, ring) / _power(_largest(case), ring)


def over_nearest(case: Case, ring: Ring) -> Any:
    """eta* / eta_e for the largest eta_e of the grid below eta*, or the least of the grid."""
    ratio, e = _above_least(case, ring), 0
    while e < _largest(case) and ratio > _power(e + 1, ring):
        e += 1
    return ratio / _power(e, ring)


def _power(e: int, ring: Ring) -> Any:
    """2^e."""
    return ring.scalar(2**e)


def _above_least(case: Case, ring: Ring) -> Any:
    """eta* / eta_1: a ball, or a power of two where it is exactly that; NotRational else."""
    ratio = evaluate_ball(ABOVE_LEAST, case.constants)
    if ring is BALL:
        return ratio
    c = case.constants
    twice, k = 2 * Fraction(c[beta]), round(log2(to_float(ratio)))
    if twice == 0 or (k > 0 and log_ratio_is((4**k - 1) / twice, int(c[M]), c[alpha])):
        return _power(k, ring)
    raise NotRational
