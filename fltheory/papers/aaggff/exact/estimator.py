"""The doubly robust estimate (10), its unbiased relatives, the linearised gradient (11), and rounds with all their draws.

Arrays have shape (seeds, clients); what is one number a seed, as the imputed response and the reference, has (seeds, 1).
Entries are floats, or Fractions or balls in arrays of objects.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from sympy import Symbol

from fltheory.games.learner import subsets
from fltheory.number import Number
from fltheory.papers.aaggff import letters
from fltheory.papers.aaggff.data.lemma_instances import PerClient, distribution, nonnegative
from fltheory.papers.aaggff.exact import transforms
from fltheory.record import vector

SETS = 20_000  # of clients that are enumerated at most


def mean_seen(response: Any, seen: np.ndarray) -> Any:
    """The mean response over the clients that are seen, (seeds, 1); ``seen`` is boolean, some client in every row."""
    return (response * seen).sum(-1, keepdims=True) / seen.sum(-1, keepdims=True)


def doubly_robust(response: Any, seen: np.ndarray, participation: Any, imputed: Any) -> Any:
    """(10): (1 - 1[i in S]/C) imputed + 1[i in S]/C r_i; the paper imputes the mean over the seen."""
    return imputed + seen * (response - imputed) / participation


def rescaled(response: Any, seen: np.ndarray, participation: Any, kappa: Any) -> Any:
    """(10) with the deviations from the mean over the seen divided by kappa too: unbiased where two clients are drawn."""
    mean = mean_seen(response, seen)
    return mean + seen * (response - mean) / (participation * kappa)


def shrinkage(n_clients: int, n_participating: int) -> Fraction:
    """kappa = K(m - 1)/(m(K - 1)): what is left of a deviation from the mean in the expectation of (10)."""
    return Fraction(n_clients * (n_participating - 1), n_participating * (n_clients - 1))


def linearised_gradient(estimate: Any, p: Any, reference: Any) -> Any:
    """(11): -r/(1 + <p, r0>) + r0 <p, r - r0>/(1 + <p, r0>)^2, the gradient of the loss to first order in the response."""
    at = 1 + (p * reference).sum(-1, keepdims=True)
    return -estimate / at + reference * (p * (estimate - reference)).sum(-1, keepdims=True) / (at * at)


def half_span(gradient: Any) -> Any:
    """Half of the largest entry less the smallest, (seeds,): all of a gradient that counts on the simplex."""
    return (gradient.max(-1) - gradient.min(-1)) / 2


# Draws of clients ---------------------------------------------------------------------------------------------------


def row(values: Any) -> np.ndarray:
    """One row of exact numbers."""
    return np.array([values], dtype=object)


class _Drawn(PerClient):
    """So many clients are drawn, every set of them alike."""

    n_participating: int

    def _read_count(self) -> None:
        self._count("n_participating")
        if self.n_participating > self.dim:
            raise ValueError(f"n_participating = {self.n_participating} of {self.dim} clients")

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        """K, m, and C = m/K."""
        share = Fraction(self.n_participating, self.dim)
        return {**super().constants, letters.m: self.n_participating, letters.C: share}

    @cached_property
    def seen(self) -> np.ndarray:
        """Every set, a row each; NotEnumerable for too many."""
        return subsets(self.dim, self.n_participating, SETS).astype(bool)


@dataclass(frozen=True, repr=False)
class SampledRound(_Drawn):
    """A response that is fixed before clients are drawn, and a decision by masses, the uniform one if left out."""

    response: Any
    n_participating: int
    masses: Any = ()

    def __post_init__(self) -> None:
        self._set(response=vector(self.response))
        self._set(masses=vector(self.masses) or (1,) * len(self.response))
        self._alike("response", "masses")
        nonnegative(self.response)
        self._read_count()
        _ = distribution("masses", self.masses)

    @cached_property
    def rows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Response and decision in a row each, and the sets of those seen."""
        return row([Fraction(v) for v in self.response]), row(distribution("masses", self.masses)), self.seen


@dataclass(frozen=True, repr=False)
class SampledLosses(_Drawn):
    """Losses whose responses are taken by (8) with a named distribution function, relative to the mean of those drawn."""

    losses: Any
    n_participating: int
    cdf: str = "weibull"

    def __post_init__(self) -> None:
        self._set(losses=vector(self.losses))
        nonnegative(self.losses, "losses")
        self._read_count()
        if min(self.losses) <= 0 or self.cdf not in transforms.CDFS:
            raise ValueError(f"expected positive losses, and one of {', '.join(transforms.CDFS)}")

    def responses(self, low: Number, high: Number) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(8) in balls for those of every set, (sets, clients), for everyone if all are drawn, (1, clients), and the sets."""
        losses, cdf, seen = row([Fraction(v) for v in self.losses]), transforms.CDFS[self.cdf], self.seen
        every = np.repeat(losses, len(seen), axis=0)
        return transforms.response(every, seen, low, high, cdf), transforms.response(losses, None, low, high, cdf), seen


@dataclass(frozen=True, repr=False)
class Linearised(PerClient):
    """A response, a reference with an entry for each client, and a decision by masses."""

    response: Any
    reference: Any
    masses: Any

    def __post_init__(self) -> None:
        self._set(response=vector(self.response), reference=vector(self.reference), masses=vector(self.masses))
        self._alike("response", "reference", "masses")
        nonnegative(self.response)
        nonnegative(self.reference, "reference")
        _ = distribution("masses", self.masses)

    @cached_property
    def rows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Response, reference and decision in a row each."""
        response, reference = (row([Fraction(v) for v in values]) for values in (self.response, self.reference))
        return response, reference, row(distribution("masses", self.masses))
