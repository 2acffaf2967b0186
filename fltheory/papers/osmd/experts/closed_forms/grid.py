"""The grid of rates (22) against the best rate (20), for any variation of the comparator."""

from __future__ import annotations

from fractions import Fraction
from math import log2
from typing import Any

from flint import fmpq
from sympy import log, sqrt

from fltheory.claims.statement import Constants
from fltheory.model.schema import Record, constant, count, probability, scalar, share
from fltheory.number import Number, evaluate_ball, to_float
from fltheory.papers.osmd.algorithms.grid import log_ratio_is, n_experts
from fltheory.papers.osmd.notation import M, T, alpha, beta

# eta*(beta) over the least rate of the grid, eta*(0)
ABOVE_LEAST = sqrt(1 + 2 * beta * (1 - log(alpha) / log(M)))


class Horizon(Record):
    """The parameters of the grid and the best rate: M, alpha, T, and beta as a ``share`` of its maximum 2(T - 1)."""

    n_clients: int = scalar(count(2), M)
    n_rounds: int = scalar(count(), T)
    floor: Number = scalar(probability, alpha, default="1/2")
    share: Number = scalar(share, default=1)

    @constant(beta)
    def variation(self) -> Fraction:
        """Return beta."""
        return Fraction(self.share) * 2 * (self.n_rounds - 1)


class Blocks(Record):
    """The rounds 1..T in blocks that begin at 1, 2, 4, ...; the last block ends with the training."""

    rounds: int = scalar(count(most=10**6), T)

    @property
    def n_blocks(self) -> int:
        """B, the least integer that is at least log2(T + 1)."""
        return self.rounds.bit_length()


def last_of_grid(c: Constants) -> int:
    """Return E - 1."""
    return n_experts(int(c.n_clients), c.probability_floor, int(c.n_rounds)) - 1


def above_least(c: Constants) -> Any:
    """Return eta* / eta_1: a power of two if it is exactly one, else a ball."""
    ratio = evaluate_ball(ABOVE_LEAST, {M: c.n_clients, alpha: c.probability_floor, beta: c.variation_budget})
    twice, k = 2 * Fraction(c.variation_budget), round(log2(to_float(ratio)))
    if twice == 0 or (k > 0 and log_ratio_is((4**k - 1) / twice, int(c.n_clients), c.probability_floor)):
        return fmpq(2**k)
    return ratio
