"""What the statements on fair methods are checked on: one decision, reported losses, quadratic clients, two histories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from sympy import Symbol

from fltheory.number import Number
from fltheory.papers.aaggff import letters
from fltheory.record import Data, rows, vector

Numbers = tuple[Fraction, ...]


def _rationals(name: str, values: Any, least: int | None = None) -> Numbers:
    found = vector(values)
    if not found or not all(isinstance(v, int | Fraction) for v in found):
        raise ValueError(f"{name}: expected rational numbers")
    if least is not None and any(v < least for v in found):
        raise ValueError(f"{name}: expected numbers of at least {least}")
    return found


def _simplex(name: str, values: Any) -> Numbers:
    found = _rationals(name, values, 0)
    if sum(found) != 1:
        raise ValueError(f"{name}: expected numbers that sum to 1")
    return found


def of_losses(shares: Numbers, losses: Numbers) -> dict[Symbol, Number]:
    """The constants of losses: the largest and smallest; where they differ, how far the largest is ahead, and its share."""
    top = max(losses)
    found: dict[Symbol, Number] = {letters.top: top, letters.low: min(losses)}
    if min(losses) < top:
        second = max(v for v in losses if v < top)
        found[letters.lead] = top - second
        found[letters.ratio] = Fraction(second) / top
        found[letters.share] = sum((w for w, v in zip(shares, losses, strict=True) if v == top), Fraction(0))
    return found


@dataclass(frozen=True, repr=False)
class Decision(Data):
    """A decision on the simplex, positive everywhere, the response that comes in, and the step size of (2)."""

    last: Any
    response: Any
    rate: Any = 1

    def __post_init__(self) -> None:
        self._set(last=_simplex("last", self.last), response=_rationals("response", self.response))
        self._alike("last", "response")
        self._set(rate=_rationals("rate", self.rate)[0])
        if min(self.last) <= 0 or self.rate <= 0:
            raise ValueError("expected a last decision and a rate above 0")

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        return {letters.K: len(self.last)}


class _Shared:
    samples: Numbers

    @cached_property
    def shares(self) -> Numbers:
        """n_i / n."""
        return tuple(Fraction(v) / sum(self.samples) for v in self.samples)


@dataclass(frozen=True, repr=False)
class Reported(_Shared, Data):
    """Clients with so many samples each, and their losses at the global model."""

    samples: Any
    losses: Any

    def __post_init__(self) -> None:
        self._set(samples=_rationals("samples", self.samples, 1), losses=_rationals("losses", self.losses, 0))
        self._alike("samples", "losses")

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        return {letters.K: len(self.losses), **of_losses(self.shares, self.losses)}


@dataclass(frozen=True, repr=False)
class QuadraticAt(_Shared, Data):
    """Clients F_i = a_i/2 |theta - b_i|^2 + c_i with a_i > 0 and c_i >= 0, looked at in a point; they step by 1/L."""

    samples: Any
    curvatures: Any
    centres: Any
    offsets: Any
    point: Any

    def __post_init__(self) -> None:
        self._set(samples=_rationals("samples", self.samples, 1), point=_rationals("point", self.point))
        self._set(curvatures=_rationals("curvatures", self.curvatures), offsets=_rationals("offsets", self.offsets, 0))
        self._set(centres=tuple(_rationals("centres", row) for row in rows(self.centres)))
        self._alike("samples", "curvatures", "centres", "offsets")
        if min(self.curvatures) <= 0:
            raise ValueError("curvatures: expected numbers above 0")
        if {len(row) for row in self.centres} != {len(self.point)}:
            raise ValueError(f"centres: expected {len(self.point)} numbers for every client, as many as the point has")

    def losses_at(self, point: Any) -> list[Any]:
        """F_i at a point of any numbers."""
        return [
            a / 2 * sum((x - b) ** 2 for x, b in zip(point, centre, strict=True)) + c
            for a, centre, c in zip(map(Fraction, self.curvatures), self.centres, self.offsets, strict=True)
        ]

    @cached_property
    def losses(self) -> Numbers:
        """F_i at the point."""
        return tuple(self.losses_at(self.point))

    @cached_property
    def gradients(self) -> np.ndarray:
        """a_i (theta - b_i) at the point, (clients, dim), of Fractions."""
        found = np.empty((len(self.samples), len(self.point)), dtype=object)
        for i, (a, centre) in enumerate(zip(self.curvatures, self.centres, strict=True)):
            found[i] = [Fraction(a) * (x - b) for x, b in zip(self.point, centre, strict=True)]
        return found

    @property
    def smoothness(self) -> Number:
        """L, the largest curvature."""
        return max(self.curvatures)

    @cached_property
    def updates(self) -> np.ndarray:
        """d_i = theta - theta_i of one gradient step by 1/L, (clients, dim): L d_i is the gradient."""
        return np.asarray(self.gradients / Fraction(self.smoothness), dtype=object)

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        found = {letters.K: len(self.losses), letters.L: self.smoothness}
        if min(self.losses) > 0:
            squares = (self.gradients * self.gradients).sum(axis=1)
            found[letters.slope] = min(s / (self.smoothness * v) for s, v in zip(squares, self.losses, strict=True))
        return {**found, **of_losses(self.shares, self.losses)}


@dataclass(frozen=True, repr=False)
class Histories(_Shared, Data):
    """Two courses of two rounds that differ in the losses of the first round only."""

    samples: Any
    first: Any
    other: Any
    losses: Any

    def __post_init__(self) -> None:
        self._set(samples=_rationals("samples", self.samples, 1), first=_rationals("first", self.first, 0))
        self._set(other=_rationals("other", self.other, 0), losses=_rationals("losses", self.losses, 0))
        self._alike("samples", "first", "other", "losses")

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        every = (*self.first, *self.other, *self.losses)
        return {letters.K: len(self.losses), letters.top: max(every), letters.low: min(every)}


@dataclass(frozen=True, repr=False)
class TwoDecisions(Data):
    """Two different decisions and the losses that TERM answers with: its decision loss is -<p, F>."""

    p: Any
    q: Any
    losses: Any

    def __post_init__(self) -> None:
        self._set(p=_simplex("p", self.p), q=_simplex("q", self.q), losses=_rationals("losses", self.losses, 0))
        self._alike("p", "q", "losses")
        if self.p == self.q:
            raise ValueError("expected two different decisions")

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        return {letters.K: len(self.losses), letters.top: max(self.losses), letters.low: min(self.losses)}
