"""Games of online learners, with responses fixed before the game or chosen by an adversary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from flint import ctx
from sympy import Symbol

from fltheory import symbols
from fltheory.model.dataclass_fields import fields_of, replace_fields
from fltheory.model.schema import AsTable, AsVector, Data, format_arguments, read_table, shortest_form
from fltheory.number import Number, Ring, exact, streams, to_float
from fltheory.runs.algorithm import object_array
from fltheory.runs.method import NotEnumerable

Row = tuple[Number, ...]
RESPONSE_KINDS = ("coin", "race", "uniform")
SIZES: Mapping[str, str] = {  # constants that can be changed in random games, and their fields
    "n_participating": "n_participating",
    "n_rounds": "n_rounds",
    "n_clients": "n_clients",
    "response_high": "high",
    "response_low": "low",
}
ADVERSARIES = ("least", "all but the leader", "next")


class Responses(Data):
    """Common fields of games: the range [low, high] of the responses and the number of participants. Frozen data."""

    low: Number
    high: Number
    n_participating: int
    if TYPE_CHECKING:  # fields or properties of each family

        @property
        def n_clients(self) -> int: ...
        @property
        def n_rounds(self) -> int: ...

    field_of: ClassVar[Mapping[str, str]] = {"n_participating": "n_participating"}

    def _read_sizes(self) -> None:
        """Parse the numbers of clients and rounds, the range, and a seed if there is one."""
        for name, least in (("n_clients", 1), ("n_rounds", 1), ("seed", 0)):
            if name in fields_of(self):
                self._count(name, least)
        self._read_range()

    def _read_range(self) -> None:
        self._set(low=exact(self.low), high=exact(self.high))
        if not 0 <= self.low < self.high:
            raise ValueError(f"low = {self.low}, high = {self.high}: expected 0 <= low < high")
        if self.n_participating is None:
            self._set(n_participating=self.n_clients)
        self._count("n_participating")
        if self.n_participating > self.n_clients:
            raise ValueError(f"n_participating = {self.n_participating} of {self.n_clients} clients")

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        return {
            symbols.n_clients: self.n_clients,
            symbols.n_rounds: self.n_rounds,
            symbols.n_participating: self.n_participating,
            symbols.response_low: self.low,
            symbols.response_high: self.high,
        }

    @property
    def adjustable(self) -> tuple[str, ...]:
        """The canonical names of the constants that can be changed."""
        return tuple(self.field_of)

    def adjusted(self, name: str, value: Number) -> Self:
        """Return the game with another value of a constant."""
        return replace_fields(self, **{self.field_of[name]: value})

    def memory(self, n: int) -> np.ndarray:
        return np.zeros((n, 0))


class Oblivious(Responses):
    """Responses that are fixed before the game. Subclasses give ``distinct`` rows and the ``order`` they come in."""

    oblivious: ClassVar[bool] = True

    @property
    def distinct(self) -> tuple[Row, ...]:
        """The different rows of responses."""
        raise NotImplementedError

    @property
    def order(self) -> np.ndarray:
        """The index of the row of every round, (rounds,)."""
        raise NotImplementedError

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """The number of rounds of every row."""
        return tuple(int(n) for n in np.bincount(self.order, minlength=len(self.distinct)))

    @cached_property
    def table(self) -> np.ndarray:
        """The distinct rows as floats, (rows, clients)."""
        return np.array([[to_float(v) for v in row] for row in self.distinct])

    @cached_property
    def _rows_in(self) -> dict[Any, np.ndarray]:
        return {}

    def rows_in(self, ring: Ring) -> np.ndarray:
        """The distinct rows in the ring at the working precision, (rows, clients)."""
        key = (ring, ctx.prec)
        if key not in self._rows_in:
            elements = [ring.scalar(v) for row in self.distinct for v in row]
            self._rows_in[key] = object_array(elements, (len(self.distinct), self.n_clients))
        return self._rows_in[key]

    def reveal(self, round_: int, p: np.ndarray, memory: np.ndarray, ring: Ring | None) -> tuple[Any, np.ndarray]:
        found = self.table if ring is None else self.rows_in(ring)
        return found[self.order[round_]][None], memory


@dataclass(frozen=True, repr=False)
class ResponseTable(Oblivious):
    """Responses of row j for ``counts_of[j]`` consecutive rounds, and the whole sequence ``repeat`` times."""

    responses: AsTable
    counts_of: AsVector = (1,)
    high: Number = 1
    low: Number = 0
    repeat: Number = 1
    n_participating: Number = None

    def __post_init__(self) -> None:
        table = read_table(self.responses)
        if len({len(row) for row in table}) != 1 or not table[0]:
            raise ValueError("every round needs the response of every client: rows of the same length")
        self._set(responses=table, counts_of=tuple(exact(n) for n in self.counts_of))
        if len(self.counts_of) != len(table) or any(not isinstance(n, int) or n < 1 for n in self.counts_of):
            raise ValueError(
                f"counts_of = {self.counts_of}: expected a positive integer for each of the {len(table)} rows"
            )
        self._count("repeat")
        self._read_range()
        if any(not self.low <= v <= self.high for row in table for v in row):
            raise ValueError(f"a response lies outside [{self.low}, {self.high}]")

    @property
    def n_clients(self) -> int:
        return len(self.responses[0])

    @cached_property
    def n_rounds(self) -> int:
        return self.repeat * sum(self.counts_of)

    @property
    def distinct(self) -> tuple[Row, ...]:
        return self.responses

    @cached_property
    def order(self) -> np.ndarray:
        return np.tile(np.repeat(np.arange(len(self.counts_of)), self.counts_of), self.repeat)

    @property
    def adjustable(self) -> tuple[str, ...]:
        return ("n_rounds", "n_participating", "response_high")

    def adjusted(self, name: str, value: Number) -> Self:
        """Return the game with another number of rounds (repeats, or proportional phases) or another range."""
        if name == "n_participating":
            return replace(self, n_participating=value)
        if name == "response_high":
            factor = (Fraction(value) - self.low) / (self.high - self.low)
            scaled = tuple(tuple(self.low + (v - self.low) * factor for v in row) for row in self.responses)
            return replace(self, responses=scaled, high=value)
        if self.repeat > 1:
            return replace(self, repeat=max(1, round(int(value) / sum(self.counts_of))))
        ends = [round(int(value) * sum(self.counts_of[: j + 1]) / self.n_rounds) for j in range(len(self.counts_of))]
        counts = [max(1, end - begin) for begin, end in zip([0, *ends], ends, strict=False)]
        return replace(self, counts_of=tuple(counts))

    def smaller(self) -> Iterator[Self]:
        """Return smaller games, with one client or phase less, or half of the rounds."""
        if self.repeat > 1:
            yield replace(self, repeat=self.repeat // 2)
        for j, n in enumerate(self.counts_of):
            if n > 1:
                yield replace(self, counts_of=(*self.counts_of[:j], n // 2, *self.counts_of[j + 1 :]))
            if len(self.counts_of) > 1:
                rest = (self.responses[:j] + self.responses[j + 1 :], self.counts_of[:j] + self.counts_of[j + 1 :])
                yield replace(self, responses=rest[0], counts_of=rest[1])
        everyone = self.n_participating == self.n_clients
        for i in range(self.n_clients if self.n_clients > 2 else 0):
            fewer = tuple(row[:i] + row[i + 1 :] for row in self.responses)
            most = None if everyone else min(self.n_participating, self.n_clients - 1)
            yield replace(self, responses=fewer, n_participating=most)

    def __repr__(self) -> str:
        parts = [f"({', '.join(f'{shortest_form(row)!r}' for row in self.responses)},)", f"{self.counts_of!r}"]
        parts.append(format_arguments({"high": self.high, "low": self.low, "repeat": self.repeat}))
        if self.n_participating != self.n_clients:
            parts.append(f"n_participating={self.n_participating}")
        return f"ResponseTable({', '.join(parts)})"


@dataclass(frozen=True, repr=False)
class RandomResponses(Oblivious):
    """Responses drawn before the game: ``coin`` (each low or high), ``race`` (one client high), ``uniform`` in the range."""

    kind: str
    n_clients: Number
    n_rounds: Number
    seed: Number = 0
    high: Number = 1
    low: Number = 0
    n_participating: Number = None

    def __post_init__(self) -> None:
        if self.kind not in RESPONSE_KINDS:
            raise ValueError(f"kind = {self.kind!r}: expected one of {', '.join(RESPONSE_KINDS)}")
        self._read_sizes()

    field_of: ClassVar[Mapping[str, str]] = SIZES

    @cached_property
    def _drawn(self) -> np.ndarray:
        rounds, clients = np.arange(self.n_rounds)[:, None], np.arange(self.n_clients)
        return streams.uniform(self.seed, 0, rounds, clients, 0)

    @cached_property
    def _rows(self) -> tuple[Row, ...]:
        span = self.high - self.low
        if self.kind == "uniform":
            return tuple(tuple(self.low + span * Fraction(float(u)) for u in row) for row in self._drawn)
        if self.kind == "race":
            first = self._drawn.argmax(axis=1)
            return tuple(tuple(self.high if i == w else self.low for i in range(self.n_clients)) for w in first)
        return tuple(tuple(self.high if u < 0.5 else self.low for u in row) for row in self._drawn)

    @cached_property
    def distinct(self) -> tuple[Row, ...]:
        return tuple(dict.fromkeys(self._rows))

    @cached_property
    def order(self) -> np.ndarray:
        place = {row: j for j, row in enumerate(self.distinct)}
        return np.array([place[row] for row in self._rows])


@dataclass(frozen=True, repr=False)
class AdaptiveResponses(Responses):
    """An adversary that answers low or high depending on the decision.

    The high response goes to the client with the least weight (``least``), to all except the one with the largest
    weight (``all but the leader``), or to the one after it (``next``). Ties go to the first client. It needs floats.
    """

    kind: str
    n_clients: Number
    n_rounds: Number
    high: Number = 1
    low: Number = 0
    n_participating: Number = None
    oblivious: ClassVar[bool] = False
    field_of: ClassVar[Mapping[str, str]] = SIZES

    def __post_init__(self) -> None:
        if self.kind not in ADVERSARIES:
            raise ValueError(f"kind = {self.kind!r}: expected one of {', '.join(ADVERSARIES)}")
        self._read_sizes()

    def reveal(self, round_: int, p: np.ndarray, memory: np.ndarray, ring: Ring | None) -> tuple[Any, np.ndarray]:
        if ring is not None:
            raise NotEnumerable("the adversary compares floats")
        low, high = to_float(self.low), to_float(self.high)
        rows_, leader = np.arange(len(p)), p.argmax(axis=1)
        response = np.full(p.shape, high if self.kind == "all but the leader" else low)
        if self.kind == "all but the leader":
            response[rows_, leader] = low
        else:
            response[rows_, p.argmin(axis=1) if self.kind == "least" else (leader + 1) % self.n_clients] = high
        return response, memory
