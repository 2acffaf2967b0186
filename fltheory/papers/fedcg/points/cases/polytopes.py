"""The instances of Corollary A.2: any polytope in the cube by its vertices, a point of it, and points along a run."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from fltheory.model.schema import Record, Table, Vector, nonnegative, per, share
from fltheory.number import RATIONAL
from fltheory.number.mixed import Mixed
from fltheory.papers.fedcg.points.cases.points import dot, in_cube, rationals
from fltheory.problems.decomposable import SubmodularClients


class OnPolytope(Record):
    """Clients (their matroid is unused), vertices of a polytope, shares of them for a point w, and x^(0), x^(1), ..."""

    clients: SubmodularClients
    vertices: Table = per("vertices", "items", of=share)
    shares: Vector = per("vertices", of=nonnegative, nonzero=True)
    path: Table = per("rounds", "items", of=share)

    def require(self) -> None:
        """Check that vertices and points have a coordinate for each item."""
        in_cube("vertices", self.vertices[0], self.clients.dim)

    @property
    def functions(self) -> tuple[Any, ...]:
        """The clients' functions."""
        return self.clients.functions

    @cached_property
    def corners(self) -> np.ndarray:
        """The vertices, (vertices, n)."""
        return np.stack([rationals(v) for v in self.vertices])

    @cached_property
    def inside(self) -> np.ndarray:
        """w, (n,)."""
        shares = rationals(self.shares)
        return (shares[:, None] * self.corners).sum(axis=0) / shares.sum()

    def own_gain(self, x: np.ndarray) -> Mixed:
        """Return sum_i p_i <v_i, grad f_i(x)>, where v_i is the best vertex for client i."""
        weights, gradients = rationals(self.clients.weights), self.clients.gradients(x[None])[:, 0]
        return dot(weights, best(self.corners, gradients))

    @cached_property
    def missed(self) -> Mixed:
        """The largest F(w) - F(x) - sum_i p_i <v_i, grad f_i(x)> along the path."""
        rows = np.stack([rationals(x) for x in self.path])
        value = self.clients.extension(self.inside[None])[0]
        lags = [value - v - self.own_gain(x) for x, v in zip(rows, self.clients.extension(rows), strict=True)]
        return max(lags, default=RATIONAL.scalar(0))


def best(corners: np.ndarray, gradients: np.ndarray) -> np.ndarray:
    """Return the largest <v, g> over the vertices v for every gradient g, (clients,)."""
    found = np.empty(len(gradients), dtype=object)
    found[:] = [max(dot(v, g) for v in corners) for g in gradients]
    return found
