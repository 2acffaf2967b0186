"""An adversary that observes the play: one of two clients is active until the sampler favours it, then the other.

Exponential weights with too large a rate follow the leader, and this adversary costs them regret in every round: it is
the counterexample to Theorem 8 as printed.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from sympy import Symbol

from fltheory.games.player import ImpreciseState
from fltheory.model.schema import Record, count, one_of, positive, probability, scalar
from fltheory.number import Number, Ring, exact, lower_float, to_ball, to_float, upper_float
from fltheory.papers.osmd.notation import D1, TV, A, K, Lq, M, T, a2, alpha, beta, phi, psi, smaller

LONGEST = 2**21  # rounds; longer games are refused


class SwitchingAdversary(Record):
    """Two clients, feedback ``size`` from the active one and 0 from the other; the comparator is uniform.

    Before each round the other client becomes active if the active one is played with more than ``threshold``.
    Initially it is ``start``, 0 or 1. There are ``n_sampled`` draws per round, and the floor is alpha/2.
    """

    n_rounds: int = scalar(count(), T)
    n_sampled: int = scalar(count(), K, default=1)
    floor: Number = scalar(probability, alpha, default="7/10")
    size: Number = scalar(positive, A, default=1)
    threshold: Number = scalar(probability, default="11/20")
    start: int = scalar(one_of(0, 1), default=0)

    def require(self) -> None:
        if self.n_rounds > LONGEST:
            raise ValueError(f"n_rounds = {self.n_rounds}: games of more than {LONGEST} rounds are not supported")

    field_of: ClassVar[Mapping[str, str]] = {
        "n_rounds": "n_rounds",
        "n_sampled": "n_sampled",
        "probability_floor": "floor",
        "max_feedback": "size",
    }

    @property
    def adjustable(self) -> tuple[str, ...]:
        """Return the constants that can be changed, by canonical name."""
        return tuple(self.field_of)

    def adjusted(self, name: str, value: Number) -> SwitchingAdversary:
        """Return the game with another value of a constant."""
        return self.replaced(**{self.field_of[name]: value})

    @property
    def n_clients(self) -> int:
        return 2

    def memory(self, n: int) -> np.ndarray:
        """Return the active client, (seeds, 1)."""
        return np.full((n, 1), self.start, dtype=np.int64)

    def reveal(self, round_: int, p: np.ndarray, memory: np.ndarray, ring: Ring | None) -> tuple[Any, np.ndarray]:
        rows = np.arange(len(p))
        active = np.where(self._exceeds(p[rows, memory[:, 0]], ring), 1 - memory[:, 0], memory[:, 0])
        zero, size = (0.0, to_float(self.size)) if ring is None else (ring.scalar(0), ring.scalar(self.size))
        feedback = np.full(p.shape, zero, dtype=None if ring is None else object)
        feedback[rows, active] = size
        return feedback, active[:, None]

    def _exceeds(self, p: np.ndarray, ring: Ring | None) -> np.ndarray:
        """Return whether each probability is above the threshold; Blurred if balls do not decide it."""
        if ring is None:
            return np.asarray(p > to_float(self.threshold))
        limit = ring.scalar(self.threshold)
        if not all(v > limit or v <= limit for v in p):
            raise ImpreciseState("the precision does not decide whether the adversary switches")
        return np.array([bool(v > limit) for v in p])

    def comparator_row(self, round_: int, ring: Ring | None) -> np.ndarray:
        if ring is None:
            return np.full(2, 0.5)
        row = np.empty(2, dtype=object)
        row[:] = [ring.scalar(Fraction(1, 2))] * 2
        return row

    def regret_range(self) -> tuple[float, float]:
        """Return limits of a round's regret (A/K)(1/p - 2), where the active p is from alpha/2 to the threshold."""
        alpha, threshold = to_ball(self.floor), to_ball(self.threshold)
        unit = to_ball(self.size) * self.n_rounds / self.n_sampled
        most = (1 - alpha / 2).min(threshold.max(1 - threshold))
        return lower_float(unit * (1 / most - 2)), upper_float(unit * (2 / alpha - 2))

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        still = dict.fromkeys((TV, beta, D1, psi, phi, smaller), 0)  # for this comparator
        return {
            **super().constants,
            **still,
            M: 2,
            a2: exact(Fraction(self.n_rounds) * Fraction(self.size) ** 2),
            Lq: exact(Fraction(2 * self.n_rounds, self.n_sampled) * Fraction(self.size)),
        }


class FollowedAdversary(SwitchingAdversary):
    """The same adversary, with lower limits for long games of one draw per round: updates are followed in balls."""


def ftl_trap(n_rounds: int, n_sampled: int = 10_000, size: int = 10**24) -> SwitchingAdversary:
    """Return the trap for samplers that follow the leading expert: alpha = 0.7, feedback far too large for the rate."""
    return SwitchingAdversary(n_rounds, n_sampled, "7/10", size, "11/20")
