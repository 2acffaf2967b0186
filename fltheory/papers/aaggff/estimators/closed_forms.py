"""The doubly robust estimate (10), its unbiased relatives, the linearised gradient (11), and rounds with all their draws.

Arrays have shape (seeds, clients); what is one number a seed, as the imputed response and the reference, has (seeds, 1).
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

SETS = 20_000  # of clients that are enumerated at most


def mean_seen(response: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """The mean response over the clients that are seen, (seeds, 1); ``seen`` is boolean, some client in every row."""
    return (response * seen).sum(-1, keepdims=True) / seen.sum(-1, keepdims=True)


def doubly_robust(
    response: np.ndarray, seen: np.ndarray, participation: Number, imputed: np.ndarray | Number
) -> np.ndarray:
    """(10): (1 - 1[i in S]/C) imputed + 1[i in S]/C r_i; the paper imputes the mean over the seen."""
    return imputed + seen * (response - imputed) / participation


def rescaled_estimate(response: np.ndarray, seen: np.ndarray, participation: Number, kappa: Number) -> np.ndarray:
    """(10) with the deviations from the mean over the seen divided by kappa too: unbiased where two clients are drawn."""
    mean = mean_seen(response, seen)
    return mean + seen * (response - mean) / (participation * kappa)


def shrinkage(n_clients: int, n_participating: int) -> Fraction:
    """kappa = K(m - 1)/(m(K - 1)): what is left of a deviation from the mean in the expectation of (10)."""
    return Fraction(n_clients * (n_participating - 1), n_participating * (n_clients - 1))


def linearised_gradient(estimate: np.ndarray, p: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """(11): -r/(1 + <p, r0>) + r0 <p, r - r0>/(1 + <p, r0>)^2, the gradient of the loss to first order in the response."""
    at = 1 + (p * reference).sum(-1, keepdims=True)
    return -estimate / at + reference * (p * (estimate - reference)).sum(-1, keepdims=True) / (at * at)


def half_span(gradient: np.ndarray) -> np.ndarray:
    """Half of the largest entry less the smallest, (seeds,): all of a gradient that counts on the simplex."""
    return (gradient.max(-1) - gradient.min(-1)) / 2


# Draws of clients ---------------------------------------------------------------------------------------------------


def row(values: Sequence[Number]) -> np.ndarray:
    """One row of exact numbers."""
    return np.array([values], dtype=object)


class _Drawn(PerClient):
    """So many clients are drawn, every set of them alike."""

    @property
    def size(self) -> int:
        """How many: the field ``n_participating`` of those that are drawn from."""
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
        """Every set, a row each; NotEnumerable for too many."""
        return participant_sets(self.dim, self.size, SETS).astype(bool)


class SampledRound(_Drawn):
    """A response that is fixed before clients are drawn, and a decision by masses, the uniform one if left out."""

    response: AsVector = per(K, of=rational(nonnegative))
    n_participating: int = scalar(count(), m)
    masses: AsVector = per(K, of=masses, some=True, default=())

    @cached_property
    def rows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Response and decision in a row each, and the sets of those seen."""
        return row([Fraction(v) for v in self.response]), row(distribution("masses", self.masses)), self.seen


class SampledLosses(_Drawn):
    """Losses whose responses are taken by (8) with a named distribution function, relative to the mean of those drawn."""

    losses: AsVector = per(K, of=rational(positive))
    n_participating: int = scalar(count(), m)
    cdf: str = scalar(one_of_names(*closed_forms.CDFS), default="weibull")

    def responses(self, low: Number, high: Number) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(8) in balls for those of every set, (sets, clients), for everyone if all are drawn, (1, clients), and the sets."""
        losses, cdf, seen = row([Fraction(v) for v in self.losses]), closed_forms.CDFS[self.cdf], self.seen
        every = np.repeat(losses, len(seen), axis=0)
        return (
            closed_forms.response(every, seen, low, high, cdf),
            closed_forms.response(losses, None, low, high, cdf),
            seen,
        )


class Linearised(PerClient):
    """A response, a reference with an entry for each client, and a decision by masses."""

    response: AsVector = per(K, of=rational(nonnegative))
    reference: AsVector = per(K, of=rational(nonnegative))
    masses: AsVector = per(K, of=masses, some=True)

    @cached_property
    def rows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Response, reference and decision in a row each."""
        response, reference = (row([Fraction(v) for v in values]) for values in (self.response, self.reference))
        return response, reference, row(distribution("masses", self.masses))
