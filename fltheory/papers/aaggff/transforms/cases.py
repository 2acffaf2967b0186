"""Instances for the statements on responses and their ranges: losses with a distribution function, federations."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

import numpy as np

from fltheory.model.schema import AsVector, Record, constant, count, nonnegative, one_of_names, per, rational, scalar
from fltheory.papers.aaggff.notation import C, K, T, m
from fltheory.papers.aaggff.transforms.closed_forms import CDFS, Cdf, over_mean


class Losses(Record):
    """Losses of the clients that are seen in a round, and the distribution function applied to them."""

    losses: AsVector = per(K, of=rational(nonnegative))
    cdf: str = scalar(one_of_names(*CDFS), default="weibull")

    def require(self) -> None:
        over_mean(self.array)

    @property
    def array(self) -> np.ndarray:
        """Return the losses, (clients,), exact."""
        return np.array([Fraction(v) for v in self.losses], dtype=object)

    @cached_property
    def inputs(self) -> np.ndarray:
        """Return F_i over their mean, (clients,), exact."""
        return over_mean(self.array)

    @property
    def function(self) -> Cdf:
        """The distribution function."""
        return CDFS[self.cdf]


class Federation(Record):
    """The numbers of clients, of rounds, and of clients that take part in a round."""

    n_clients: int = scalar(count(2), K)
    n_rounds: int = scalar(count(), T)
    n_participating: int = scalar(count(), m)

    def require(self) -> None:
        if self.n_participating > self.n_clients:
            raise ValueError(f"n_participating = {self.n_participating} of {self.n_clients} clients")

    @constant(C)
    def participation(self) -> Fraction:
        """C = m/K."""
        return Fraction(self.n_participating, self.n_clients)
