"""Random schedules of feedback for sampling games: client levels, heavy clients, decay, heavy tails."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from statistics import NormalDist
from typing import ClassVar

import numpy as np

from fltheory.model.schema import AsTable
from fltheory.number import Number, exact, streams
from fltheory.papers.osmd.instances.games import Row, Schedule
from fltheory.seeds import MAX_SEED

FEEDBACK = (1 << 62) + 2  # the stream of feedback
SPREAD = 1.5  # of the logarithms of the clients' levels
TAIL = 2.5  # index of the Pareto factors
LIGHT = Fraction(1, 1000)
REST = Fraction(1, 100)


@dataclass(frozen=True, repr=False)
class RandomFeedback(Schedule):
    """Feedback a^t_m of one of five kinds, determined by ``seed``, as rationals with three digits times ``scale``.

    ``lognormal``: a level exp(1.5 z) for every client, the same in all rounds; ``heavy``: 1 for client 0 and 1/1000 for
    the others; ``rotating``: 1/100, and 1 more for the heavy client, the next in each quarter of the rounds;
    ``decaying``: the levels over 1 + 20 t/T in round t = 1..T; ``pareto``: the levels times independent Pareto(2.5).
    """

    kind: str
    clients: int
    rounds: int
    seed: int = 0
    n_sampled: int = 1
    floor: Number = "1/2"
    comparator: str | AsTable = "fixed"
    scale: Number = 1

    field_of: ClassVar[Mapping[str, str]] = {"n_rounds": "rounds", "n_clients": "clients", **Schedule.field_of}

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"kind = {self.kind!r}: expected {', '.join(KINDS)}")
        self._positive("clients", "rounds")
        self._set(seed=exact(self.seed), scale=exact(self.scale))
        if not isinstance(self.seed, int) or not 0 <= self.seed <= MAX_SEED:
            raise ValueError(f"seed = {self.seed}: expected a nonnegative integer below 2**63")
        if not self.scale > 0:
            raise ValueError(f"scale = {self.scale}: expected a positive number")
        if not isinstance(self.comparator, str):
            raise ValueError("random feedback needs a comparator by name")
        self._read()

    @cached_property
    def rows_of_feedback(self) -> tuple[Row, ...]:
        return KINDS[self.kind](self)

    @cached_property
    def levels(self) -> list[float]:
        """The clients' levels exp(1.5 z), (clients,)."""
        u = streams.uniform(self.seed, FEEDBACK, 0, np.arange(self.clients), 0)
        return [float(np.exp(SPREAD * NormalDist().inv_cdf(v))) for v in np.maximum(u, 2.0**-54)]

    def _row(self, values: Iterable[float | Fraction]) -> Row:
        return tuple(exact(self.scale * _short(v)) for v in values)

    def _lognormal(self) -> tuple[Row, ...]:
        return (self._row(self.levels),) * self.rounds

    def _heavy(self) -> tuple[Row, ...]:
        return (self._row([1, *(LIGHT,) * (self.clients - 1)]),) * self.rounds

    def _rotating(self) -> tuple[Row, ...]:
        quarters = [
            self._row([REST + (m == quarter % self.clients) for m in range(self.clients)]) for quarter in range(4)
        ]
        return tuple(quarters[4 * t // self.rounds] for t in range(self.rounds))

    def _decaying(self) -> tuple[Row, ...]:
        n = self.rounds
        return tuple(self._row([v / (1 + 20 * t / n) for v in self.levels]) for t in range(1, n + 1))

    def _pareto(self) -> tuple[Row, ...]:
        at, who = np.arange(self.rounds)[:, None], np.arange(self.clients)[None]
        u = streams.uniform(self.seed, FEEDBACK, at, who, 1)
        factors = (1 - u) ** (-1 / TAIL)  # at least 1
        return tuple(self._row(row) for row in (factors * np.array(self.levels)).tolist())


def _short(value: float | Fraction) -> Number:
    """Return a value rounded to three significant digits."""
    return value if isinstance(value, int | Fraction) else Fraction(f"{value:.2e}")


KINDS: dict[str, Callable[[RandomFeedback], tuple[Row, ...]]] = {
    "lognormal": RandomFeedback._lognormal,
    "heavy": RandomFeedback._heavy,
    "rotating": RandomFeedback._rotating,
    "decaying": RandomFeedback._decaying,
    "pareto": RandomFeedback._pareto,
}
