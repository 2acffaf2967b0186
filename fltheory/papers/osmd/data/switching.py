"""An adversary that looks at what is played: one of two clients is active until the sampler favours it, then the other.

Against exponential weights with too large a rate, which follow the leader, it costs regret in every round: the
counterexample to Theorem 8 as printed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from sympy import Symbol

from fltheory.games.player import Blurred
from fltheory.number import Number, Ring, exact, lower_float, text, to_ball, to_float, upper_float
from fltheory.papers.osmd import letters

LONGEST = 2**21  # rounds: longer games are not played


@dataclass(frozen=True, repr=False)
class SwitchingAdversary:
    """Two clients, feedback ``size`` from the active one and 0 from the other; the comparator is uniform.

    Before each round the other client becomes active if the active one is played with more than ``threshold``. At first
    it is ``start``, 0 or 1. ``n_sampled`` draws a round, floor alpha/2; frozen data, and its ``repr`` rebuilds it.
    """

    n_rounds: Any
    n_sampled: Any = 1
    floor: Any = "7/10"
    size: Any = 1
    threshold: Any = "11/20"
    start: Any = 0

    def __post_init__(self) -> None:
        for field in fields(self):
            object.__setattr__(self, field.name, exact(getattr(self, field.name)))
        for name in ("n_rounds", "n_sampled"):
            value = getattr(self, name)
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"{name} = {value}: expected a positive integer")
        if self.n_rounds > LONGEST:
            raise ValueError(f"n_rounds = {self.n_rounds}: games of more than {LONGEST} rounds are not played")
        for name in ("floor", "threshold"):
            if not 0 < getattr(self, name) <= 1:
                raise ValueError(f"{name} = {getattr(self, name)}: expected a number in (0, 1]")
        if not self.size > 0:
            raise ValueError(f"size = {self.size}: expected a positive number")
        if self.start not in (0, 1):
            raise ValueError(f"start = {self.start}: expected 0 or 1")

    def __repr__(self) -> str:
        return f"SwitchingAdversary({', '.join(f'{f.name}={text(getattr(self, f.name))!r}' for f in fields(self))})"

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
        return replace(self, **{self.field_of[name]: value})

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
            raise Blurred("whether the adversary switches can't be told")
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
        return {
            letters.M: 2,
            letters.K: self.n_sampled,
            letters.T: self.n_rounds,
            letters.alpha: self.floor,
            letters.A: self.size,
            letters.a2: exact(Fraction(self.n_rounds) * Fraction(self.size) ** 2),
            letters.TV: 0,
            letters.beta: 0,
            letters.D1: 0,
            letters.psi: 0,
            letters.phi: 0,
            letters.smaller: 0,
            letters.Lq: exact(Fraction(2 * self.n_rounds, self.n_sampled) * Fraction(self.size)),
        }


def ftl_trap(n_rounds: int, n_sampled: int = 10_000, size: int = 10**24) -> SwitchingAdversary:
    """The trap for a sampler that follows the leading expert: alpha = 0.7, and by far too large a feedback for its rate."""
    return SwitchingAdversary(n_rounds, n_sampled, "7/10", size, "11/20")
