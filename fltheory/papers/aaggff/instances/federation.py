"""Federations as instances: quadratic clients with exact constants, and logistic clients with random data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from sympy import Symbol

from fltheory.model.dataclass_fields import replace_fields
from fltheory.model.schema import AsTable, AsVector, Data, read_table, read_vector
from fltheory.number import Number, Ring, exact, to_float
from fltheory.papers.aaggff import notation
from fltheory.papers.aaggff.experiments.federation_data import Clients, Logistic, Plan, client_models, quadratics
from fltheory.papers.aaggff.transforms.closed_forms import CDFS, Cdf

SIZES = 5  # number of different sample sizes of logistic clients


class Federation(Data):
    """The common part of federations: clients, rounds, participation and the range of the responses (8).

    By default it is the paper's: [0, 1/K] if all clients take part and [0, m/K] if m do (B.2).
    """

    n_clients: Number
    n_rounds: Number
    n_participating: Number
    high: Number
    low: Number
    cdf: str
    seed: Number  # seed of the data, if random
    oblivious: ClassVar[bool] = False  # responses depend on earlier decisions

    def _read_federation(self) -> None:
        self._count("n_rounds")
        m = self.n_clients if self.n_participating is None else self.n_participating
        self._set(n_participating=m)
        self._count("n_participating")
        if self.n_participating > self.n_clients:
            raise ValueError(f"n_participating = {self.n_participating} of {self.n_clients} clients")
        if self.cdf not in CDFS:
            raise ValueError(f"cdf = {self.cdf!r}: expected one of {', '.join(CDFS)}")
        self._set(high=exact(self._papers_range() if self.high is None else self.high), low=exact(self.low))
        if not 0 <= self.low < self.high:
            raise ValueError(f"low = {self.low}, high = {self.high}: expected 0 <= low < high")

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        return {
            notation.K: self.n_clients,
            notation.T: self.n_rounds,
            notation.m: self.n_participating,
            notation.C1: self.low,
            notation.C2: self.high,
        }

    field_of: ClassVar[Mapping[str, str]] = {
        "n_rounds": "n_rounds",
        "n_participating": "n_participating",
        "response_high": "high",
    }

    @property
    def adjustable(self) -> tuple[str, ...]:
        """Return the constants with which the federation can be rebuilt, by canonical name."""
        return tuple(self.field_of)

    def adjusted(self, name: str, value: Number) -> Self:
        """Return the federation with another value of a constant; full participation stays full."""
        changes: dict[str, Any] = {self.field_of[name]: value}
        if name == "n_clients" and self.n_participating == self.n_clients:
            changes["n_participating"] = None
        if name != "response_high" and self.high == self._papers_range():
            changes["high"] = None
        return replace_fields(self, **changes)

    def _papers_range(self) -> Fraction:
        m, K = self.n_participating, self.n_clients
        return Fraction(1 if m == K else m, K)

    @property
    def transform(self) -> Cdf:
        """The CDF of the responses."""
        return CDFS[self.cdf]

    def clients(self, seed: int, repetitions: np.ndarray, ring: Ring | None = None) -> Clients:
        """Return the clients of every repetition."""
        raise NotImplementedError

    def plan(self, ring: Ring | None = None) -> Plan:
        """Return the training plan of the clients."""
        raise NotImplementedError


@dataclass(frozen=True, repr=False)
class QuadraticFederation(Federation):
    """Clients F_i(theta) = a_i/2 |theta - b_i|^2 + c_i with E exact gradient steps a round, from theta = 0."""

    curvatures: AsVector
    centres: AsTable
    floors: AsVector
    n_rounds: Number
    step_size: Number = "1/4"
    n_epochs: Number = 1
    n_participating: Number = None
    high: Number = None
    low: Number = 0
    cdf: Any = "weibull"

    def __post_init__(self) -> None:
        self._set(
            curvatures=read_vector(self.curvatures), centres=read_table(self.centres), floors=read_vector(self.floors)
        )
        self._set(step_size=exact(self.step_size))
        self._require_same_length("curvatures", "centres", "floors")
        if len({len(row) for row in self.centres}) != 1 or not self.centres[0]:
            raise ValueError("centres must have the same length")
        if any(a <= 0 for a in self.curvatures) or any(c < 0 for c in self.floors):
            raise ValueError("expected curvatures above 0 and floors of at least 0")
        self._count("n_epochs")
        if not self.step_size > 0:
            raise ValueError(f"step_size = {self.step_size}: expected a positive number")
        if Fraction(self.step_size) * max(Fraction(a) for a in self.curvatures) > 2:
            raise ValueError(f"step_size = {self.step_size}: at more than 2 / curvature training diverges")
        self._read_federation()

    @property
    def n_clients(self) -> int:
        return len(self.curvatures)

    seed = 0  # deterministic

    def clients(self, seed: int, repetitions: np.ndarray, ring: Ring | None = None) -> Clients:
        return quadratics(self.curvatures, self.centres, self.floors, ring)

    def plan(self, ring: Ring | None = None) -> Plan:
        return Plan(self.n_epochs, to_float(self.step_size) if ring is None else ring.scalar(self.step_size))

    def permuted(self, order: tuple[int, ...]) -> QuadraticFederation:
        """Return the same clients in another order."""
        own = {"curvatures": self.curvatures, "centres": self.centres, "floors": self.floors}
        return replace(self, **{name: tuple(rows[i] for i in order) for name, rows in own.items()})

    def scaled(self, factor: Number) -> QuadraticFederation:
        """Return the federation with losses times a factor and steps divided by it: the models are the same."""
        s = exact(factor)
        return replace(
            self,
            curvatures=tuple(s * a for a in self.curvatures),
            floors=tuple(s * c for c in self.floors),
            step_size=Fraction(self.step_size) / s,
        )


@dataclass(frozen=True, repr=False)
class LogisticFederation(Federation):
    """Logistic regression on clients with their own models, which differ by ``spread``; each repetition draws anew.

    Clients have 1, 2, .. 5 times ``samples`` samples, in turn, and take one full-batch local step a round. ``seed`` is
    that of a single run, for statements about one.
    """

    n_clients: Number
    n_rounds: Number
    n_participating: Number = None
    spread: Number = 4
    samples: Number = 15
    seed: Number = 0
    high: Number = None
    low: Number = 0
    cdf: str = "weibull"
    held_out: ClassVar[int] = 200  # samples of the smallest client
    field_of: ClassVar[Mapping[str, str]] = {"n_clients": "n_clients", **Federation.field_of}

    def __post_init__(self) -> None:
        for name, least in (("n_clients", 2), ("samples", 1), ("seed", 0)):
            self._count(name, least)
        self._set(spread=exact(self.spread))
        if not self.spread >= 0:
            raise ValueError(f"spread = {self.spread}: expected a nonnegative number")
        self._read_federation()

    @property
    def sizes(self) -> np.ndarray:
        """Return the numbers of samples of the clients, (K,)."""
        return int(self.samples) * (1 + np.arange(self.n_clients) % SIZES)

    def clients(self, seed: int, repetitions: np.ndarray, ring: Ring | None = None) -> Logistic:
        return client_models(self.sizes, to_float(self.spread), repetitions, seed, held_out=self.held_out)

    def plan(self, ring: Ring | None = None) -> Plan:
        return Plan()


# Federations of the experiments, with the sizes of Table 4; cross-device ones are smaller than the paper's.
BERKA, MQP, ISIC = (LogisticFederation(k, t, samples=30) for k, t in ((7, 100), (11, 100), (6, 50)))
DEVICES = LogisticFederation(50, 100, 5, spread=2, samples=10)
MANY_DEVICES = LogisticFederation(200, 300, 5, spread=2, samples=10)
