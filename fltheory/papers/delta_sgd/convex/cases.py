"""Convex clients for Lemma 4 and Theorem 5; section numbers are those of the claims that they violate or attain."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from fltheory.model.case import Case, Instance
from fltheory.model.schema import AsVector
from fltheory.number import Number, exact
from fltheory.problems.convex import ConvexClients, Huber, LogCosh, Quadratic, Quartic
from fltheory.problems.separable import QuadraticClients


def case_of_run(
    instance: Instance,
    n_rounds: int,
    initial_step_size: Number,
    initial_ratio: Number | None = 1,
    amplifier: Number = 1,
    **more: object,
) -> Case:
    """Return a run of rule (4), by default with gamma = delta = 1; an initial ratio of None means no first cap."""
    first = {} if initial_ratio is None else {"initial_ratio": initial_ratio}
    settings = {"amplifier": amplifier, "growth_damping": 1, **first, **more}
    return Case(instance, n_rounds=n_rounds, initial_step_size=initial_step_size, **settings)


def federation(curvatures: Any, slopes: Any, start: AsVector, **settings: Any) -> Case:
    """Return three rounds of Algorithm 1 with full gradients on quadratic clients, with default constants."""
    known = {"n_rounds": 3, "initial_step_size": "1/10", "initial_ratio": 3, "amplifier": 1, "growth_damping": 1}
    return Case(QuadraticClients(curvatures, slopes, start), **{**known, **settings})


def line(
    curvatures: Sequence[Number], centres: Sequence[Number] | None = None, start: AsVector = 1, **more: Any
) -> ConvexClients:
    """Return one-dimensional quadratics h_i (x - c_i)^2 / 2, by default with the common minimiser 0."""
    at = centres if centres is not None else (0,) * len(curvatures)
    return ConvexClients(tuple(Quadratic(((h,),), (c,)) for h, c in zip(curvatures, at, strict=True)), start, **more)


def disjoint(n: int = 2) -> ConvexClients:
    """Return f_i = x_i^2 / 2: the origin is the only common minimiser, and clients move along different axes."""
    axes = [[[int(i == j == k) for j in range(n)] for k in range(n)] for i in range(n)]
    return ConvexClients(tuple(Quadratic(h, (0,) * n) for h in axes), (1,) * n)


def null_direction(steepness: Number, lean: Number) -> ConvexClients:
    """Return H_1 = diag(s, 0), H_2 = s (1, -2a; -2a, 1), start (a, 1): the first move keeps client 1's gradient."""
    s, a = Fraction(exact(steepness)), Fraction(exact(lean))
    one, two = Quadratic(((s, 0), (0, 0)), (0, 0)), Quadratic(((s, -2 * a * s), (-2 * a * s, s)), (0, 0))
    return ConvexClients((one, two), (a, 1))


def huber(start: AsVector, curvature: Number = 1, threshold: Number = 1, **more: Any) -> ConvexClients:
    """Return one client with a Huber function on the line and its minimum at 0."""
    return ConvexClients((Huber((curvature,), (threshold,), (0,)),), start, **more)


COUPLED = ConvexClients(
    (Quadratic(((2, 1), (1, 3)), (0, 0)), Quadratic(((5, -1), (-1, 1)), (0, 0)), Quadratic(((1, 0), (0, 0)), (0, 0))),
    (2, -1),
)  # a common minimiser
APART = ConvexClients(
    (
        Quadratic(((2, 1), (1, 3)), (1, 0)),
        Quadratic(((5, -1), (-1, 1)), (0, 2)),
        Quadratic(((1, 0), (0, "1/10")), (-3, 1)),
    ),
    (2, -1),
)  # no common minimiser
FOURTH = ConvexClients((Quartic((1, "1/2"), (0, 0)),), (2, -1))
CURVES = ConvexClients((LogCosh(((1, 0), (2, 1), ("1/2", -3)), "1/10"),), (3, -2))
MIXTURE = ConvexClients(
    (LogCosh(((1, 2), (0, 1))), Huber((1, 3), ("1/2", 2), (0, 0)), Quartic((1, 2), (0, 0))), (2, "-3/2")
)  # a common minimiser
KINKS = ConvexClients((Huber((4, 1), (1, "1/4"), (1, 0)), Huber((1, 2), (2, 1), (-1, 0))), (5, 3), minimiser=("3/5", 0))
