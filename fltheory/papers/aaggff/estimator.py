"""The doubly robust estimate of the response (10), its unbiased relatives, and the linearised gradient (11).

Arrays have shape (seeds, clients); what is one number a seed, as the imputed response and the reference, has (seeds, 1).
Entries are floats, or Fractions or balls in arrays of objects.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np


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


def subsets(n_clients: int, n_participating: int) -> np.ndarray:
    """Every set of so many clients, a row each: what uniform sampling without replacement draws."""
    chosen = list(combinations(range(n_clients), n_participating))
    seen = np.zeros((len(chosen), n_clients), dtype=bool)
    for row, clients in zip(seen, chosen, strict=True):
        row[list(clients)] = True
    return seen
