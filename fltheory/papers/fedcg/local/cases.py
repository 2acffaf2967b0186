"""One round of FedCG+ for the lemmas of Section 4: local steps with gradients of given errors, all exact."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from sympy import Symbol

from fltheory.model.schema import Record, Table, Vector, constant, count, one_of, per, probability, real, scalar, share
from fltheory.number import RATIONAL, Number
from fltheory.number.mixed import Mixed
from fltheory.number.vectors import exact_sqrt
from fltheory.papers.fedcg import notation
from fltheory.papers.fedcg.points.cases.points import AtPoint, dot, excess, fraction, in_cube, largest, rationals
from fltheory.problems.decomposable import SubmodularClients


class LocalRound(Record):
    """A round from x: clients take ``n_local_steps`` steps of ``length``/tau along bases, evaluated at min(x_i, 1).

    ``length``: 1 as printed, eta in the scaled form. ``errors``: estimate minus gradient, a row per local step and
    client, or none for exact gradients. ``euclidean``: errors are measured in Euclidean norm, not by the largest entry.
    """

    clients: SubmodularClients
    x: Vector = per("items", of=share)
    n_local_steps: int = scalar(count(), notation.tau)
    errors: Table = per("local steps", "items", of=real, default=())
    length: Number = scalar(probability, default=1)
    euclidean: int = scalar(one_of(0, 1), default=0)

    def require(self) -> None:
        """Check that the point has a coordinate per item, and errors a row per client and local step, or none."""
        in_cube("x", self.x, self.clients.dim)
        if self.errors and len(self.errors) != self.clients.n_clients * self.n_local_steps:
            raise ValueError("errors: expected a row over the items for every client and local step")

    @property
    def functions(self) -> tuple[Any, ...]:
        """The clients' functions."""
        return self.clients.functions

    @cached_property
    def at(self) -> AtPoint:
        """The clients at the point where the round starts."""
        return AtPoint(self.clients, self.x)

    def error(self, client: int, j: int) -> np.ndarray:
        """Return estimate minus gradient of a client at local step j, (n,)."""
        return rationals(self.errors[client * self.n_local_steps + j] if self.errors else (0,) * self.clients.dim)

    @cached_property
    def steps(self) -> tuple[tuple[tuple[np.ndarray, np.ndarray, np.ndarray], ...], ...]:
        """The point of evaluation, the gradient there and the base, for each client and local step."""
        found = []
        for i in range(self.clients.n_clients):
            local, own = self.at.point, []
            for j in range(self.n_local_steps):
                point = rationals([min(v, RATIONAL.scalar(1)) for v in local])
                gradient = self.clients.gradient(point[None], i)[0]
                base = self.clients.base((gradient + self.error(i, j))[None], i)[0]
                own.append((point, gradient, base))
                local = local + base * RATIONAL.scalar(Fraction(self.length) / self.n_local_steps)
            found.append(tuple(own))
        return tuple(found)

    @cached_property
    def displacements(self) -> np.ndarray:
        """The mean of each client's bases, (clients, n)."""
        return np.stack([sum(base for _, _, base in own) / self.n_local_steps for own in self.steps])

    @cached_property
    def gains(self) -> np.ndarray:
        """<displacement of i, grad F(x)>, (clients,)."""
        return (self.displacements * self.at.mean_gradient).sum(axis=1)

    @cached_property
    def own_gains(self) -> np.ndarray:
        """<displacement of i, grad f_i(x)>, (clients,)."""
        return (self.displacements * self.at.gradients).sum(axis=1)

    @cached_property
    def mean_gain(self) -> Mixed:
        """sum_i p_i <displacement of i, grad F(x)>."""
        return dot(self.at.weights, self.gains)

    @cached_property
    def moves(self) -> tuple[tuple[Any, np.ndarray, np.ndarray], ...]:
        """The tuples (j, point - x, gradient there - gradient at x) for all clients and local steps."""
        pairs = zip(self.steps, self.at.gradients, strict=True)
        return tuple(
            (j, point - self.at.point, gradient - start)
            for own, start in pairs
            for j, (point, gradient, _) in enumerate(own)
        )

    @constant(notation.B)
    def drift(self) -> Fraction:
        """Return the largest change of a gradient entry along the local steps."""
        return fraction(max(largest(change) for _, _, change in self.moves))

    @constant(notation.L)
    def lipschitz(self) -> Number:
        """Return the largest Euclidean change of a gradient divided by the distance."""
        return exact_sqrt(fraction(self.squared_lipschitz))

    @constant(notation.sigma)
    def size_of_errors(self) -> Number:
        """Return the largest size of an error."""
        return exact_sqrt(fraction(self.squared_error))

    @cached_property
    def squared_lipschitz(self) -> Mixed:
        """L^2: the largest squared Euclidean change of a gradient over the squared distance; 0 if no point moves."""
        ratios = (dot(change, change) / dot(away, away) for _, away, change in self.moves if any(v != 0 for v in away))
        return max(ratios, default=RATIONAL.scalar(0))

    @cached_property
    def largest_lipschitz(self) -> Mixed:
        """The same squared ratio for the largest entry of the change instead of its Euclidean norm."""
        ratios = (largest(change) ** 2 / dot(away, away) for _, away, change in self.moves if any(v != 0 for v in away))
        return max(ratios, default=RATIONAL.scalar(0))

    @cached_property
    def squared_error(self) -> Mixed:
        """sigma^2: the largest squared size of an error."""
        made = [self.error(i, j) for i in range(self.clients.n_clients) for j in range(self.n_local_steps)]
        return max(dot(e, e) if self.euclidean else largest(e) ** 2 for e in made)

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        """The constants of the clients at the point and of the round."""
        return {**self.at.constants, **super().constants}


def away(one: LocalRound) -> Mixed:
    """Return (58): the largest of |x_i - x|^2, Euclidean, over (j/tau)^2 r, j from 1; 0 for a single local step."""
    rank, tau = one.clients.matroid.rank, one.n_local_steps
    found = (dot(d, d) * tau**2 / (rank * j**2) for j, d, _ in one.moves if j)
    return max(found, default=RATIONAL.scalar(0))


def squared_change(one: LocalRound) -> Mixed:
    """Return (59): the largest squared Euclidean change of a gradient along the local steps."""
    return max(dot(change, change) for _, _, change in one.moves)


def squared_misses(one: LocalRound) -> Mixed:
    """Return (61): the largest squared Euclidean distance of an estimate to the gradient at the start of the round."""
    tau = one.n_local_steps
    errors = (one.error(i, j) for i in range(one.clients.n_clients) for j in range(tau))
    return max(dot(e + change, e + change) for e, (_, _, change) in zip(errors, one.moves, strict=True))


def envy(one: LocalRound) -> Mixed:
    """Return (69): by how much another client's displacement can beat a client's own, by its own gradient at x."""
    table = one.displacements @ one.at.gradients.T  # [s, i]: <displacement of s, grad f_i>
    return max(table[s, i] - table[i, i] for s in range(len(table)) for i in range(len(table)))


def off_65(one: LocalRound) -> Mixed:
    """Return (65): the gain of a displacement over the mean one by F, minus the same by the clients' gradients."""
    own = one.displacements @ one.at.gradients.T @ one.at.weights
    return max(
        abs(v)
        for v in (one.gains - one.mean_gain) - (own - dot(one.at.weights @ one.displacements, one.at.mean_gradient))
    )


def beyond_80(one: LocalRound) -> Mixed:
    """Return (79), (80): the most by which the mean gain minus a client's exceeds the sum of the two terms."""
    table, weights = one.displacements @ one.at.gradients.T, one.at.weights  # [s, i]: <displacement of s, grad f_i>
    apart = dot(weights, np.abs(one.gains - one.own_gains))
    return max(one.mean_gain - one.gains - apart - (dot(weights, one.own_gains) - table @ weights))


def lost_by_steps(one: LocalRound) -> Mixed:
    """Return the loss of Claim C.2: the most that a displacement loses to the best base by the client's gradient."""
    best = (one.at.directions * one.at.gradients).sum(axis=1)
    return max(best - one.own_gains)


def lost_to_mean(one: LocalRound) -> Mixed:
    """Return Claim C.1's sum_i p_i <displacement of i, grad f_i> - <mean displacement, grad F>."""
    return dot(one.at.weights, one.own_gains) - one.mean_gain


def above_mean(one: LocalRound) -> Mixed:
    """Return the excess of Case 1: the most by which a client's gain exceeds the mean gain."""
    return max(one.gains) - one.mean_gain


def below_mean(one: LocalRound) -> Mixed:
    """Return the shortfall of Case 2: the most by which a client's gain is below the mean gain."""
    return one.mean_gain - min(one.gains)


def outside_polytope(one: LocalRound) -> Mixed:
    """Return the largest x(S) - rank(S) over all displacements x and nonempty S."""
    return max(excess(one.clients.matroid, d) for d in one.displacements)
