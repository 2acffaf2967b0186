"""The doubly robust estimate (10), unbiased variants, the linearised gradient (11), and the enumeration of all draws.

Arrays have shape (seeds, clients); numbers for each seed, such as the imputed response, have shape (seeds, 1).
Entries are floats, or Fractions or balls in arrays of objects.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np

from fltheory.games.participation import participant_sets
from fltheory.model.schema import AsVector, constant, count, nonnegative, one_of_names, per, positive, rational, scalar
from fltheory.number import Number
from fltheory.papers.aaggff.instances.lemmas import PerClient, distribution, masses
from fltheory.papers.aaggff.notation import C, K, m
from fltheory.papers.aaggff.transforms import closed_forms

SETS = 20_000  # the largest number of clients whose draws are enumerated


def mean_seen(response: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """Return the mean response over the clients seen, (seeds, 1); ``seen`` is boolean with some client in every row."""
    return (response * seen).sum(-1, keepdims=True) / seen.sum(-1, keepdims=True)


def doubly_robust(
    response: np.ndarray, seen: np.ndarray, participation: Number, imputed: np.ndarray | Number
) -> np.ndarray:
    """Return (10): (1 - 1[i in S]/C) imputed + 1[i in S]/C r_i; the paper imputes the mean over the clients seen."""
    return imputed + seen * (response - imputed) / participation


def rescaled_estimate(response: np.ndarray, seen: np.ndarray, participation: Number, kappa: Number) -> np.ndarray:
    """Return (10) with the deviations from the mean over the seen divided by kappa: unbiased from two draws on."""
    mean = mean_seen(response, seen)
    return mean + seen * (response - mean) / (participation * kappa)


def shrinkage(n_clients: int, n_participating: int) -> Fraction:
    """Return kappa = K(m - 1)/(m(K - 1)), the factor of a deviation from the mean in the expectation of (10)."""
    return Fraction(n_clients * (n_participating - 1), n_participating * (n_clients - 1))


def linearised_gradient(estimate: np.ndarray, p: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Return (11): -r/(1 + <p, r0>) + r0 <p, r - r0>/(1 + <p, r0>)^2, the gradient to first order in the response."""
    at = 1 + (p * reference).sum(-1, keepdims=True)
    return -estimate / at + reference * (p * (estimate - reference)).sum(-1, keepdims=True) / (at * at)


def half_span(gradient: np.ndarray) -> np.ndarray:
    """Return half of the largest minus the smallest entry, (seeds,): only this matters on the simplex."""
    return (gradient.max(-1) - gradient.min(-1)) / 2


# Draws of clients ---------------------------------------------------------------------------------------------------


def row(values: Sequence[Number]) -> np.ndarray:
    """Return one row of exact numbers."""
    return np.array([values], dtype=object)


class _Drawn(PerClient):
    """A uniform draw of a given number of clients, without replacement."""

    @property
    def size(self) -> int:
        """The number of clients: the length of the first field."""
        return int(vars(self)["n_participating"])

    def require(self) -> None:
        super().require()
        if self.size > self.dim:
            raise ValueError(f"n_participating = {self.size} of {self.dim} clients")

    @constant(C)
    def participation(self) -> Fraction:
        """C = m/K."""
        return Fraction(self.size, self.dim)

    @cached_property
    def seen(self) -> np.ndarray:
        """Return every possible set of clients as a row; NotEnumerable if there are too many."""
        return participant_sets(self.dim, self.size, SETS).astype(bool)


class SampledRound(_Drawn):
    """A response that is fixed before clients are drawn, and a decision by masses, by default the uniform one."""

    response: AsVector = per(K, of=rational(nonnegative))
    n_participating: int = scalar(count(), m)
    masses: AsVector = per(K, of=masses, nonzero=True, default=())

    @cached_property
    def rows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return response and decision for every set of clients seen, one set a row, and the sets."""
        return row([Fraction(v) for v in self.response]), row(distribution("masses", self.masses)), self.seen


class SampledLosses(_Drawn):
    """Losses that a named CDF turns into responses (8), relative to the mean of the clients drawn."""

    losses: AsVector = per(K, of=rational(positive))
    n_participating: int = scalar(count(), m)
    cdf: str = scalar(one_of_names(*closed_forms.CDFS), default="weibull")

    def responses(self, low: Number, high: Number) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the responses (8) in balls for every set, (sets, clients), or for all, (1, clients), and the sets."""
        losses, cdf, seen = row([Fraction(v) for v in self.losses]), closed_forms.CDFS[self.cdf], self.seen
        every = np.repeat(losses, len(seen), axis=0)
        return (
            closed_forms.response(every, seen, low, high, cdf),
            closed_forms.response(losses, None, low, high, cdf),
            seen,
        )


class Linearised(PerClient):
    """A response, a reference with one entry per client, and a decision by masses."""

    response: AsVector = per(K, of=rational(nonnegative))
    reference: AsVector = per(K, of=rational(nonnegative))
    masses: AsVector = per(K, of=masses, nonzero=True)

    @cached_property
    def rows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return response, reference and decision as one row each."""
        response, reference = (row([Fraction(v) for v in values]) for values in (self.response, self.reference))
        return response, reference, row(distribution("masses", self.masses))
