"""The constructed games: I1 to I8 and I12 as tables, the random I11, and the fair coin of the lower bound I4."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from sympy import Symbol

from fltheory.model.case import Case
from fltheory.model.schema import Record, count, positive, scalar
from fltheory.number import Number, exact, streams
from fltheory.papers.aaggff.notation import C1, C2, K, T, m
from fltheory.papers.aaggff.transforms.closed_forms import CDFS, response
from fltheory.problems.responses import SIZES, Oblivious, RandomResponses, Responses, ResponseTable, Row

if TYPE_CHECKING:
    from fltheory.papers.aaggff.instances.federation import Federation

DIGITS = 2**40  # responses drawn in floats are rounded to multiples of this, to be the same on every machine
UNIT = Fraction(1, 2**54)  # half the spacing of the uniform floats, added to avoid 0


def vertex(
    n_clients: int, n_rounds: int, high: Number = 1, low: Number = 0, n_participating: int | None = None
) -> ResponseTable:
    """Return I1: (C2, C1, ..., C1) in every round."""
    row = (exact(high), *[exact(low)] * (n_clients - 1))
    return ResponseTable((row,), (n_rounds,), high, low, n_participating=n_participating)


def two_phase(n_rounds: int, high: Number, share: Number = "2/5", low: Number = 0) -> ResponseTable:
    """Return I2: (C2, C1) for the first share of the rounds, then (C1, C2)."""
    h, lo, first = exact(high), exact(low), math.floor(Fraction(share) * n_rounds)
    return ResponseTable(((h, lo), (lo, h)), (first, n_rounds - first), high, low)


def complement(n_clients: int, n_rounds: int, high: Number = None, share: Number = "2/5") -> ResponseTable:
    """Return I3: C2 to all but the last client for the first share of the rounds, then to the last."""
    h = Fraction(1, n_clients) if high is None else exact(high)
    first = math.floor(Fraction(share) * n_rounds)
    table = ((*[h] * (n_clients - 1), 0), (*[0] * (n_clients - 1), h))
    return ResponseTable(table, (first, n_rounds - first), h)


def alternation(
    n_rounds: int, high: Number = 1, low: Number = 0, group: int = 1, n_participating: int | None = None
) -> ResponseTable:
    """Return I5 (group = 1) or I6 (2): repeatedly, C2 to one half of the clients for 11 rounds, to the other for 9."""
    h, lo = exact(high), exact(low)
    first, second = (h,) * group + (lo,) * group, (lo,) * group + (h,) * group
    if n_rounds % 20:
        raise ValueError(f"n_rounds = {n_rounds}: expected a multiple of 20")
    return ResponseTable((first, second), (11, 9), high, low, n_rounds // 20, n_participating)


def horse_race(n_clients: int, n_rounds: int, high: Number = 1, low: Number = 0) -> ResponseTable:
    """Return I7: C2 to one client after the other, C1 to the rest; n_rounds is a multiple of n_clients."""
    h, lo = exact(high), exact(low)
    if n_rounds % n_clients:
        raise ValueError(f"n_rounds = {n_rounds}: expected a multiple of n_clients = {n_clients}")
    table = tuple(tuple(h if i == j else lo for i in range(n_clients)) for j in range(n_clients))
    return ResponseTable(table, (1,) * n_clients, high, low, n_rounds // n_clients)


def race_then_vertex(n_rounds: int, winning: int, high: Number) -> ResponseTable:
    """Return two alternating clients, the first of which wins at the end: found by a search against entropic FTRL."""
    h = exact(high)
    turns = tuple((h, 0) if t % 2 == 0 else (0, h) for t in range(n_rounds - winning))
    return ResponseTable((*turns, (h, 0)), (*[1] * len(turns), winning), high)


def one_good(n_clients: int, high: Number, less: Number, n_rounds: int | None = None) -> ResponseTable:
    """Return I8: C2 to the first client, C2 (1 - d) to the others; default T = floor(9 log K / d^2)."""
    h, d = exact(high), exact(less)
    rounds = math.floor(9 * math.log(n_clients) / float(d) ** 2) if n_rounds is None else n_rounds
    return ResponseTable(((h, *[h * (1 - d)] * (n_clients - 1)),), (rounds,), high)


def three_phase(n_clients: int, high: Number, middle: int, small: Number) -> ResponseTable:
    """Return I12: the online Newton step goes to e_1, stays there while e_2 earns C2, and moves to e_2 too late."""
    c, e = Fraction(exact(high)), Fraction(exact(small))
    before = math.ceil(middle * c * (1 + e) / e)
    after = math.floor(Fraction(11, 10) * middle * c / (4 * e)) + 1

    def only(i: int, value: Fraction) -> Row:
        return tuple(value if j == i else 0 for j in range(n_clients))

    return ResponseTable((only(0, e), only(1, c), only(1, e)), (before, middle, after), high)


def coins(
    n_clients: int, n_rounds: int, seed: int = 0, high: Number = 1, low: Number = 0, **more: Number
) -> RandomResponses:
    """Return I9: C1 or C2 by a coin for every client."""
    return RandomResponses("coin", n_clients, n_rounds, seed, high, low, **more)


@dataclass(frozen=True, repr=False)
class TransformedLosses(Oblivious):
    """I11: losses b_i xi_i^t with log-normal b (deviation .6) and xi (.2), mapped to responses by a CDF (8)."""

    cdf: str
    n_clients: Number
    n_rounds: Number
    seed: Number = 0
    high: Number = 1
    low: Number = 0
    n_participating: Number = None
    field_of: ClassVar[Mapping[str, str]] = SIZES

    def __post_init__(self) -> None:
        if self.cdf not in CDFS:
            raise ValueError(f"cdf = {self.cdf!r}: expected one of {', '.join(CDFS)}")
        self._read_sizes()

    @cached_property
    def losses(self) -> np.ndarray:
        """Return the losses, (rounds, clients)."""
        from scipy.special import ndtri

        clients = np.arange(self.n_clients)
        base = streams.uniform(self.seed, 0, 0, clients, 1)
        own = streams.uniform(self.seed, 0, np.arange(self.n_rounds)[:, None], clients, 0)
        return np.exp(0.6 * ndtri(base + float(UNIT)) + 0.2 * ndtri(own + float(UNIT)))

    @cached_property
    def distinct(self) -> tuple[Row, ...]:
        share = response(self.losses, np.ones(self.losses.shape, dtype=bool), 0, 1, CDFS[self.cdf])
        rounded = [[Fraction(round(float(v) * DIGITS), DIGITS) for v in row] for row in share]
        return tuple(tuple(exact(self.low + (self.high - self.low) * v) for v in row) for row in rounded)

    @cached_property
    def order(self) -> np.ndarray:
        return np.arange(self.n_rounds)


class FairCoin(Record):
    """I4: every round (C2, 0) or (0, C2) by a fair coin, for an even number of rounds."""

    n_rounds: int = scalar(count(2), T)
    high: Number = scalar(positive, C2)

    def require(self) -> None:
        if self.n_rounds % 2:
            raise ValueError(f"n_rounds = {self.n_rounds}: expected an even number")

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        return {**super().constants, K: 2, m: 2, C1: 0}


# Cases ---------------------------------------------------------------------------------------------------------


def case_at(game: Responses | Federation, weight: Number, curvature: Number = None) -> Case:
    """Return a case with alpha and beta; by default beta is the largest in the window, or 1 per cent below it."""
    return Case(
        game, learner_regularisation=weight, learner_curvature=_window(game) if curvature is None else curvature
    )


def _window(game: Responses | Federation) -> Number:
    """Return a rational slightly below beta*(V)."""
    V = float((game.high - game.low) / (1 + Fraction(game.low)))
    return Fraction(int(990 * 2 * (V - math.log1p(V)) / V**2), 1000)
