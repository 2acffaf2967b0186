"""An adversary that looks at what is played: one of two clients is active until the sampler favours it, then the other.

Against exponential weights with too large a rate, which follow the leader, it costs regret in every round: the
counterexample to Theorem 8 as printed.
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

LONGEST = 2**21  # rounds: longer games are not played


class SwitchingAdversary(Record):
    """Two clients, feedback ``size`` from the active one and 0 from the other; the comparator is uniform.

    Before each round the other client becomes active if the active one is played with more than ``threshold``. At first
    it is ``start``, 0 or 1. ``n_sampled`` draws a round, floor alpha/2.
    """

    n_rounds: int = scalar(count(), T)
    n_sampled: int = scalar(count(), K, default=1)
    floor: Number = scalar(probability, alpha, default="7/10")
    size: Number = scalar(positive, A, default=1)
    threshold: Number = scalar(probability, default="11/20")
    start: int = scalar(one_of(0, 1), default=0)

    def require(self) -> None:
        if self.n_rounds > LONGEST:
            raise ValueError(f"n_rounds = {self.n_rounds}: games of more than {LONGEST} rounds are not played")

    field_of: ClassVar[Mapping[str, str]] = {
        "n_rounds": "n_rounds",
        "n_sampled": "n_sampled",
        "probability_floor": "floor",
        "max_feedback": "size",
    }

    @property
    def adjustable(self) -> tuple[str, ...]:
        """The constants that the game can be rebuilt with, by canonical name."""
        return tuple(self.field_of)

    def adjusted(self, name: str, value: Number) -> SwitchingAdversary:
        """The game with another value of a constant."""
        return self.replaced(**{self.field_of[name]: value})

    @property
    def n_clients(self) -> int:
        return 2

    def memory(self, n: int) -> np.ndarray:
        """The active client, (seeds, 1)."""
        return np.full((n, 1), self.start, dtype=np.int64)

    def reveal(self, round_: int, p: np.ndarray, memory: np.ndarray, ring: Ring | None) -> tuple[Any, np.ndarray]:
        rows = np.arange(len(p))
        active = np.where(self._exceeds(p[rows, memory[:, 0]], ring), 1 - memory[:, 0], memory[:, 0])
        zero, size = (0.0, to_float(self.size)) if ring is None else (ring.scalar(0), ring.scalar(self.size))
        feedback = np.full(p.shape, zero, dtype=None if ring is None else object)
        feedback[rows, active] = size
        return feedback, active[:, None]

    def _exceeds(self, p: np.ndarray, ring: Ring | None) -> np.ndarray:
        """Whether each probability is above the threshold; Blurred where balls leave it open."""
        if ring is None:
            return np.asarray(p > to_float(self.threshold))
        limit = ring.scalar(self.threshold)
        if not all(v > limit or v <= limit for v in p):
            raise ImpreciseState("whether the adversary switches can't be told")
        return np.array([bool(v > limit) for v in p])

    def comparator_row(self, round_: int, ring: Ring | None) -> np.ndarray:
        if ring is None:
            return np.full(2, 0.5)
        row = np.empty(2, dtype=object)
        row[:] = [ring.scalar(Fraction(1, 2))] * 2
        return row

    def regret_range(self) -> tuple[float, float]:
        """A round's regret is (A/K)(1/p - 2), and the active client's p is at least alpha/2 and never above the switch."""
        alpha, threshold = to_ball(self.floor), to_ball(self.threshold)
        unit = to_ball(self.size) * self.n_rounds / self.n_sampled
        most = (1 - alpha / 2).min(threshold.max(1 - threshold))
        return lower_float(unit * (1 / most - 2)), upper_float(unit * (2 / alpha - 2))

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        still = dict.fromkeys((TV, beta, D1, psi, phi, smaller), 0)  # the comparator
        return {
            **super().constants,
            **still,
            M: 2,
            a2: exact(Fraction(self.n_rounds) * Fraction(self.size) ** 2),
            Lq: exact(Fraction(2 * self.n_rounds, self.n_sampled) * Fraction(self.size)),
        }


class FollowedAdversary(SwitchingAdversary):
    """The same, where the course of updates is followed in balls: long games with one draw a round have a lower limit."""


def ftl_trap(n_rounds: int, n_sampled: int = 10_000, size: int = 10**24) -> SwitchingAdversary:
    """The trap for a sampler that follows the leading expert: alpha = 0.7, and by far too large a feedback for its rate."""
    return SwitchingAdversary(n_rounds, n_sampled, "7/10", size, "11/20")
