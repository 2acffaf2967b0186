"""Online convex optimisation: one convex loss for every round, on a decision set."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import arb, ctx
from sympy import Symbol

from fltheory import symbols
from fltheory.model.case import Client
from fltheory.model.schema import AsTable, AsVector, Data, Vector, integer, read_table, read_vector, shortest_form
from fltheory.number import NotRational, Number, streams, to_float
from fltheory.number.mixed import Mixed, mixed_array, to_mixed
from fltheory.number.ownership import is_library
from fltheory.number.vectors import exact_sqrt
from fltheory.problems.online.domains import Domain, require_point
from fltheory.problems.online.hindsight import Weighted, least_loss, total_loss
from fltheory.problems.online.losses import Loss

SAMPLES = 24  # points at which sets and losses of a user's own are checked
TOLERANCE = 1e-9  # of these checks, relative
FAR = 1e6  # diameters from which a projection is nearly the least point


@dataclass(frozen=True, repr=False)
class OnlineLosses(Data):
    """Client t is the loss of round t: ask for ``oracle.gradient(x, c.round)``, and play ``oracle.project(x)``.

    ``losses``: the losses in their order; ``domain``: the decision set; ``start``: the first point, by default the point of
    the set nearest to 0; ``counts``: the number of rounds in a row that have each loss, by default 1; ``repeat``: how often the
    whole sequence comes. ValueError for losses of another dimension, a start outside the domain, or a set or a loss of one's own
    that is not what it says.

    Constants: ``n_rounds``, ``domain_diameter``, ``gradient_bound`` (an upper bound of the gradients on the domain, unless
    that is 0), ``strong_convexity`` (the smallest of the losses).
    """

    losses: Sequence[Loss]
    domain: Domain
    start: AsVector = None
    counts: AsVector = ()
    repeat: int = 1

    def __post_init__(self) -> None:
        losses = tuple(self.losses)
        counts = read_vector(self.counts) or (1,) * len(losses)
        self._set(losses=losses, counts=tuple(integer("counts", n) for n in counts))
        self._count("repeat")
        if not losses or len(self.counts) != len(losses):
            raise ValueError(f"{len(losses)} losses, {len(self.counts)} counts: expected a loss and one count for each")
        for loss in losses:
            if loss.dim != self.domain.dim:
                raise ValueError(
                    f"{loss!r} has {loss.dim} coordinates, but the domain {self.domain!r} {self.domain.dim}"
                )
        start = self._nearest_to_zero() if self.start is None else self.start
        self._set(start=require_point(self.domain, start, "start"))
        _require_convex(self.domain, losses)

    def _nearest_to_zero(self) -> Vector:
        try:
            found = self.domain.project(mixed_array([0] * self.domain.dim)[None])[0]
        except NotRational:
            raise ValueError("the point nearest to 0 is irrational: expected a start") from None
        return read_vector([Fraction(int(v.p), int(v.q)) for v in found])

    def __repr__(self) -> str:
        given = f"{self.losses!r}, {self.domain!r}, start={shortest_form(self.start)!r}"
        counts = f", counts={shortest_form(self.counts)!r}" if any(n != 1 for n in self.counts) else ""
        return f"OnlineLosses({given}{counts}{f', repeat={self.repeat}' if self.repeat != 1 else ''})"

    @cached_property
    def order(self) -> np.ndarray:
        """The index of the loss of every round, (rounds,)."""
        return np.tile(np.repeat(np.arange(len(self.losses)), self.counts), self.repeat)

    @property
    def n_clients(self) -> int:
        return len(self.order)

    @cached_property
    def client_types(self) -> tuple[int, ...]:
        """Equal numbers for rounds with the same loss."""
        return tuple(self.order.tolist())

    @property
    def dim(self) -> int:
        return self.domain.dim

    @property
    def draws(self) -> int:
        return 0

    def noise(self, x: np.ndarray, client: Client, uniforms: np.ndarray) -> np.ndarray:
        """Return 0: gradients have no noise."""
        return x * 0

    def project(self, x: np.ndarray) -> np.ndarray:
        """Return the nearest point of the domain to every row of x, (runs, dim)."""
        return self.domain.project(x)

    def gradient(self, x: np.ndarray, client: Client) -> np.ndarray:
        """Return a subgradient of the loss of a round, (runs, dim)."""
        return self._of_rounds(x, client, lambda loss, points: loss.gradient(points), x * 0)

    def client_value(self, x: np.ndarray, client: Client) -> np.ndarray:
        """Return the loss of a round, (runs,)."""
        return self._of_rounds(x, client, lambda loss, points: loss.value(points), x[:, 0] * 0)

    def _of_rounds(
        self, x: np.ndarray, client: Client, ask: Callable[[Loss, np.ndarray], np.ndarray], found: np.ndarray
    ) -> np.ndarray:
        """Ask the loss of one round, or of one for every row of x."""
        which = self.order[client]
        if np.ndim(which) == 0:
            return ask(self.losses[int(which)], x)
        for j in np.unique(which):
            found[which == j] = ask(self.losses[j], x[which == j])
        return found

    @cached_property
    def weighted(self) -> tuple[Weighted, ...]:
        """The losses with their numbers of rounds."""
        return tuple(Weighted(one, n * self.repeat) for one, n in zip(self.losses, self.counts, strict=True))

    def least_loss(self, comparators: AsTable = ()) -> Mixed:
        """Return the least total loss of these points of the domain, or of all: a rational, or a ball at the working precision.

        ValueError for a point outside, or if the least loss on the domain is not known.
        """
        given = read_table(comparators)
        key = (given, ctx.prec)
        if key not in self._least:
            if given:
                points = [require_point(self.domain, u, "comparator") for u in given]
                self._least[key] = min(total_loss(self.weighted, mixed_array(u)) for u in points)
            else:
                self._least[key] = least_loss(self.weighted, self.domain)
        return self._least[key]

    @cached_property
    def _least(self) -> dict[object, Mixed]:
        return {}

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        square = max(Fraction(one.gradient_square(self.domain)) for one in self.losses)
        bound = {symbols.gradient_bound: exact_sqrt(square)} if square else {}
        return {
            symbols.n_rounds: self.n_clients,
            symbols.n_participating: 1,  # one loss in a round
            symbols.dimension: self.dim,
            symbols.domain_diameter: self.domain.diameter,
            symbols.strong_convexity: min(one.strong_convexity for one in self.losses),
            **bound,
        }


def _require_convex(domain: Domain, losses: Sequence[Loss]) -> None:
    """Raise ValueError if a set or a loss of a user's own contradicts itself at sampled points."""
    own = [loss for loss in losses if not is_library(type(loss).value)]
    if not own and is_library(type(domain).project):
        return
    points = np.stack([streams.uniform(5, np.arange(SAMPLES), 0, 0, i) for i in range(domain.dim)], axis=1)
    size = to_float(domain.diameter)
    x = np.asarray(domain.project((points - 0.5) * 4 * size), dtype=float)
    if not np.abs(domain.project(x) - x).max() <= TOLERANCE * (1 + np.abs(x).max()):
        raise ValueError(f"{domain!r}: a projection of a projection is another point")
    if not np.linalg.norm(x[:, None] - x, axis=2).max() <= size * (1 + TOLERANCE):
        raise ValueError(f"{domain!r}: two of its points are farther apart than its diameter")
    for i in range(SAMPLES):
        slope = [Fraction(round(64 * v), 64) for v in points[i] - 0.5]
        least = to_mixed(domain.least_linear(slope))
        lowest = (x @ np.array([float(v) for v in slope])).min()
        if not float(arb(least).upper()) <= lowest + TOLERANCE * size:
            raise ValueError(f"{domain!r}: least_linear is above the value of one of its points")
        far = np.asarray(domain.project(-FAR * size * np.array([slope], dtype=float)), dtype=float)[0]
        reached = float(far @ np.array(slope, dtype=float))  # within size / FAR of the least
        if not float(arb(least).lower()) >= reached - 2 * size / FAR - TOLERANCE * size:
            raise ValueError(f"{domain!r}: least_linear is below the value of every point")
    for loss in own:
        values, gradients = (np.asarray(f(x), dtype=float) for f in (loss.value, loss.gradient))
        above = values[:, None] - values - ((x[:, None] - x) * gradients).sum(axis=2)
        bent = to_float(loss.strong_convexity) / 2 * ((x[:, None] - x) ** 2).sum(axis=2)
        if above.min() >= -TOLERANCE and not (above - bent).min() >= -TOLERANCE * (1 + np.abs(values).max()):
            raise ValueError(f"{loss!r} is not strongly convex with constant {loss.strong_convexity}")
        if not above.min() >= -TOLERANCE * (1 + np.abs(values).max()):
            raise ValueError(f"{loss!r} is not convex, or its gradient is none, at points of {domain!r}")
        if not (gradients**2).sum(axis=1).max() <= to_float(loss.gradient_square(domain)) * (1 + TOLERANCE):
            raise ValueError(f"{loss!r}: a gradient on {domain!r} is larger than gradient_square says")
