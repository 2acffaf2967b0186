"""The grid of rates (22) against the best rate (20), for any variation of the comparator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import log2
from typing import Any

from sympy import Symbol, log, sqrt

from fltheory import symbols as s
from fltheory.case import Case
from fltheory.number import BALL, NotRational, Number, Ring, evaluate_ball, exact, to_float
from fltheory.papers.osmd.algorithms.grid import log_ratio_is, n_experts
from fltheory.papers.osmd.data.sampling_instances import Data

# eta*(beta) over the least rate of the grid, which is eta*(0)
ABOVE_LEAST = sqrt(1 + 2 * s.variation_budget * (1 - log(s.probability_floor) / log(s.n_clients)))


@dataclass(frozen=True, repr=False)
class Horizon(Data):
    """What the grid and the best rate depend on: M, alpha, T, and beta as a ``share`` of the largest variation 2(T - 1)."""

    n_clients: Any
    n_rounds: Any
    floor: Any = "1/2"
    share: Any = 1

    def __post_init__(self) -> None:
        self._count("n_clients", 2)
        self._count("n_rounds")
        self._floor()
        self._set(share=exact(self.share))
        if not 0 <= self.share <= 1:
            raise ValueError(f"share = {self.share}: expected a number in [0, 1]")

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        return {
            s.n_clients: self.n_clients,
            s.n_rounds: self.n_rounds,
            s.probability_floor: self.floor,
            s.variation_budget: exact(Fraction(self.share) * 2 * (self.n_rounds - 1)),
        }


def _largest(case: Case) -> int:
    c = case.constants
    return n_experts(int(c[s.n_clients]), c[s.probability_floor], int(c[s.n_rounds])) - 1


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
    twice, k = 2 * Fraction(c[s.variation_budget]), round(log2(to_float(ratio)))
    if twice == 0 or (k > 0 and log_ratio_is((4**k - 1) / twice, int(c[s.n_clients]), c[s.probability_floor])):
        return _power(k, ring)
    raise NotRational
