"""Instances for the statements on fair methods: one decision, reported losses, quadratic clients, two histories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from sympy import Symbol

from fltheory.model.schema import (
    AsVector,
    Domain,
    Record,
    Table,
    Vector,
    constant,
    nonnegative,
    per,
    positive,
    rational,
    real,
    scalar,
)
from fltheory.number import Number
from fltheory.papers.aaggff.notation import K, L, lead, low, ratio, share, slope, top

Numbers = tuple[Fraction, ...]
counted = Domain("at least 1", lambda v: v >= 1, lambda: nonnegative.draw().map(lambda v: 1 + v))


def simplex(name: str, values: Numbers) -> None:
    """Raise ValueError unless the values sum to 1."""
    if sum(values) != 1:
        raise ValueError(f"{name}: expected numbers that sum to 1")


def of_losses(shares: Numbers, losses: Numbers) -> dict[Symbol, Number]:
    """Return the largest and the smallest loss; if they differ, the largest's lead, ratio to the next, and share."""
    most = max(losses)
    found: dict[Symbol, Number] = {top: most, low: min(losses)}
    if min(losses) < most:
        second = max(v for v in losses if v < most)
        found[lead] = most - second
        found[ratio] = Fraction(second) / most
        found[share] = sum((w for w, v in zip(shares, losses, strict=True) if v == most), Fraction(0))
    return found


class Decision(Record):
    """A decision on the simplex, positive everywhere, the response to it, and the step size of (2)."""

    last: AsVector = per(K, of=rational(positive))
    response: AsVector = per(K, of=rational(real))
    rate: Number = scalar(rational(positive), default=1)

    def require(self) -> None:
        simplex("last", self.last)


class _Shared(Record):
    """Clients with given numbers of samples."""

    samples: Vector = per(K, of=rational(counted))

    @cached_property
    def shares(self) -> Numbers:
        """Return n_i / n."""
        return tuple(Fraction(v) / sum(self.samples) for v in self.samples)


class Reported(_Shared):
    """Clients with given numbers of samples, and their losses at the global model."""

    losses: Vector = per(K, of=rational(nonnegative))

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        return {**super().constants, **of_losses(self.shares, self.losses)}


class QuadraticAt(_Shared):
    """Clients F_i = a_i/2 |theta - b_i|^2 + c_i with a_i > 0 and c_i >= 0 at a point; their step size is 1/L."""

    curvatures: Vector = per(K, of=rational(positive))
    centres: Table = per(K, "coordinate", of=rational(real))
    offsets: Vector = per(K, of=rational(nonnegative))
    point: Vector = per("coordinate", of=rational(real))

    def losses_at(self, point: Sequence[Number]) -> list[Any]:
        """Return F_i at a point, whatever its number type."""
        return [
            a / 2 * sum((x - b) ** 2 for x, b in zip(point, centre, strict=True)) + c
            for a, centre, c in zip(map(Fraction, self.curvatures), self.centres, self.offsets, strict=True)
        ]

    @cached_property
    def losses(self) -> Numbers:
        """Return F_i at the point."""
        return tuple(self.losses_at(self.point))

    @cached_property
    def gradients(self) -> np.ndarray:
        """Return a_i (theta - b_i) at the point, (clients, dim), as Fractions."""
        found = np.empty((len(self.samples), len(self.point)), dtype=object)
        for i, (a, centre) in enumerate(zip(self.curvatures, self.centres, strict=True)):
            found[i] = [Fraction(a) * (x - b) for x, b in zip(self.point, centre, strict=True)]
        return found

    @constant(L)
    def smoothness(self) -> Number:
        """Return L, the largest curvature."""
        return max(self.curvatures)

    @cached_property
    def updates(self) -> np.ndarray:
        """Return d_i = theta - theta_i of one gradient step by 1/L, (clients, dim): L d_i is the gradient."""
        return np.asarray(self.gradients / Fraction(self.smoothness), dtype=object)

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        found = dict(super().constants)
        if min(self.losses) > 0:
            squares = (self.gradients * self.gradients).sum(axis=1)
            found[slope] = min(s / (self.smoothness * v) for s, v in zip(squares, self.losses, strict=True))
        return {**found, **of_losses(self.shares, self.losses)}


class Histories(_Shared):
    """Two histories of two rounds that differ only in the losses of the first round."""

    first: Vector = per(K, of=rational(nonnegative))
    other: Vector = per(K, of=rational(nonnegative))
    losses: Vector = per(K, of=rational(nonnegative))

    @constant(top)
    def most(self) -> Number:
        """The largest loss."""
        return max(*self.first, *self.other, *self.losses)

    @constant(low)
    def least(self) -> Number:
        """The smallest loss."""
        return min(*self.first, *self.other, *self.losses)


class TwoDecisions(Record):
    """Two different decisions and the losses that TERM uses as responses: its decision loss is -<p, F>."""

    p: AsVector = per(K, of=rational(nonnegative))
    q: AsVector = per(K, of=rational(nonnegative))
    losses: AsVector = per(K, of=rational(nonnegative))

    def require(self) -> None:
        simplex("p", self.p)
        simplex("q", self.q)
        if self.p == self.q:
            raise ValueError("expected two different decisions")

    @constant(top)
    def most(self) -> Number:
        """The largest loss."""
        return max(self.losses)

    @constant(low)
    def least(self) -> Number:
        """The smallest loss."""
        return min(self.losses)
