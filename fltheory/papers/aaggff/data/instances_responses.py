"""What the statements on responses and their ranges are checked on: losses under a distribution function, federations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from sympy import Symbol

from fltheory.number import Number, exact
from fltheory.papers.aaggff import letters
from fltheory.papers.aaggff.exact.transforms import CDFS, Cdf, over_mean
from fltheory.record import Data, vector


@dataclass(frozen=True, repr=False)
class Losses(Data):
    """Losses of the clients that are seen in a round, and the distribution function that they go through."""

    losses: Any
    cdf: str = "weibull"

    def __post_init__(self) -> None:
        self._set(losses=vector(self.losses))
        if self.cdf not in CDFS:
            raise ValueError(f"cdf = {self.cdf!r}: expected one of {', '.join(CDFS)}")
        if not all(isinstance(v, int | Fraction) for v in self.losses):
            raise ValueError("losses: expected rational numbers")
        over_mean(self.array)

    @property
    def array(self) -> np.ndarray:
        """The losses, (clients,), exact."""
        return np.array([Fraction(v) for v in self.losses], dtype=object)

    @cached_property
    def inputs(self) -> np.ndarray:
        """F_i over their mean, (clients,), exact."""
        return over_mean(self.array)

    @property
    def function(self) -> Cdf:
        """The distribution function."""
        return CDFS[self.cdf]

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        return {letters.K: len(self.losses)}


@dataclass(frozen=True, repr=False)
class Federation(Data):
    """So many clients, rounds, and clients that take part in a round."""

    n_clients: int
    n_rounds: int
    n_participating: int

    def __post_init__(self) -> None:
        for name, least in (("n_clients", 2), ("n_rounds", 1), ("n_participating", 1)):
            self._count(name, least)
        if self.n_participating > self.n_clients:
            raise ValueError(f"n_participating = {self.n_participating} of {self.n_clients} clients")

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        return {
            letters.K: self.n_clients,
            letters.T: self.n_rounds,
            letters.m: self.n_participating,
            letters.C: exact(Fraction(self.n_participating, self.n_clients)),
        }
