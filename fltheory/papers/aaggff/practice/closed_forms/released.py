"""The authors' code where it differs from the text, in exact numbers.

The code is the one that the abstract names, github.com/vaseline555/AAggFF, in src/server/aaggffserver.py at 6d05541
(the first decision in fedavgserver.py). It differs from the text in the squares of (7), which are not centred, in the
regulariser, which counts α twice, in the first decision, which is C in every entry, in (10), which omits the mean
response of those seen, and in the normal distribution function.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import ArrayLike

from fltheory.number import Number, to_ball
from fltheory.papers.aaggff.estimators.closed_forms import mean_seen
from fltheory.papers.aaggff.instances.lemmas import Vector, dot
from fltheory.papers.aaggff.newton.closed_forms.newton import NewtonRun, follow


def plain(g: Vector, beta: Fraction, paid: Fraction) -> Vector:
    """Return g, which is all that a round adds to the linear part, as the squares are of <g, p>."""
    return g


def weight(alpha: Any, beta: Any) -> Any:
    """Return the effective α: the matrix of the squares, times β, starts at αI in addition to the regulariser."""
    return alpha * (1 + beta)


def run_from(start: Vector, responses: tuple[Vector, ...], alpha: Fraction, beta: Fraction) -> NewtonRun:
    """Return a run of AAggFF-S as released, from a first decision."""
    n = len(start)
    B = tuple(tuple(weight(alpha, beta) * (i == j) for j in range(n)) for i in range(n))
    return follow(responses, B, start, alpha, beta, plain)


def first_decision(n_clients: int, participation: Fraction) -> Vector:
    """Return C in every entry."""
    return (participation,) * n_clients


def objective(run: NewtonRun, p: Vector) -> Fraction:
    """Return the objective of the next decision: <Σ g, p> + α/2·|p|² + β/2·(α|p|² + Σ <g, p>²)."""
    products = [dot(g, p) for g in run.gradients]
    return (
        sum(products, Fraction(0))
        + (run.alpha * dot(p, p) + run.beta * (run.alpha * dot(p, p) + sum((v * v for v in products), Fraction(0)))) / 2
    )


def estimate(response: np.ndarray, seen: np.ndarray, participation: Number) -> np.ndarray:
    """Return (r_i - mean of those seen)/C for clients that are seen, and that mean for the others."""
    mean = mean_seen(response, seen)
    return np.where(seen, (response - mean) / participation, mean)


def normal(x: ArrayLike) -> np.ndarray:
    """Return (1 + erfc((x - 1)/√2))/2 in balls: erfc, which decreases, in place of erf."""
    found = [(1 + ((to_ball(v) - 1) / arb(2).sqrt()).erfc()) / 2 for v in np.asarray(x, dtype=object)]
    return np.array(found, dtype=object)
