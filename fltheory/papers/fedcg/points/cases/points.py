"""The instances of statements about one point of the cube: clients and a point, all exact.

Measured quantities are rational; gradients, bases and heterogeneity are those of the clients at the point.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from sympy import Symbol

from fltheory.model.schema import Record, Vector, constant, per, positive, real, scalar, share
from fltheory.number import RATIONAL, Element, Number, as_number
from fltheory.number.mixed import Mixed
from fltheory.papers.fedcg import notation
from fltheory.problems.decomposable import SubmodularClients
from fltheory.problems.sets.matroids import Matroid, bases, in_polytope, rank_of
from fltheory.problems.sets.set_functions import SetFunction, as_kind_of
from fltheory.runs.distributions.randomness import Chance, step_outcomes
from fltheory.runs.method import NotEnumerable

DRAWS = 5000  # largest number of enumerated draws of a round
_EXACT = np.empty(0, dtype=object)


def rationals(values: Sequence[Number]) -> np.ndarray:
    """Return exact numbers as a row of flint rationals."""
    return as_kind_of(values, _EXACT)


def fraction(value: Element) -> Fraction:
    """Return a flint rational as a Fraction."""
    return Fraction(as_number(value))


def dot(u: np.ndarray, v: np.ndarray) -> Mixed:
    """Return <u, v>."""
    return (u * v).sum()


def largest(values: np.ndarray) -> Mixed:
    """Return |values|_inf."""
    return max(abs(v) for v in values.flat)


def in_cube(name: str, x: tuple[Number, ...], n: int) -> None:
    """Raise ValueError unless x lies in [0, 1]^n."""
    if len(x) != n or any(not 0 <= v <= 1 for v in x):
        raise ValueError(f"{name}: expected {n} numbers from 0 to 1")


class AtPoint(Record):
    """Clients and a point x of the cube."""

    clients: SubmodularClients
    x: Vector = per("items", of=share)

    def require(self) -> None:
        """Check that the point has a coordinate for each item."""
        in_cube("x", self.x, self.clients.dim)

    @property
    def functions(self) -> tuple[Any, ...]:
        """The clients' functions."""
        return self.clients.functions

    @cached_property
    def point(self) -> np.ndarray:
        """x, (n,)."""
        return rationals(self.x)

    @cached_property
    def weights(self) -> np.ndarray:
        """p_i, (clients,)."""
        return rationals(self.clients.weights)

    @cached_property
    def gradients(self) -> np.ndarray:
        """The gradients of the extensions of all f_i at x, (clients, n)."""
        return self.clients.gradients(self.point[None])[:, 0]

    @cached_property
    def mean_gradient(self) -> np.ndarray:
        """The gradient of the extension of F at x, (n,)."""
        return self.clients.mean_gradient(self.point[None])[0]

    @cached_property
    def directions(self) -> np.ndarray:
        """The bases v_i that are best for the clients' gradients, (clients, n)."""
        return np.stack([self.clients.base(g[None], i)[0] for i, g in enumerate(self.gradients)])

    @cached_property
    def best(self) -> np.ndarray:
        """The base that is best for the gradient of F, (n,)."""
        return self.clients.base(self.mean_gradient[None])[0]

    @cached_property
    def direction(self) -> np.ndarray:
        """The mean direction sum_i p_i v_i, (n,)."""
        return (self.weights[:, None] * self.directions).sum(axis=0)

    @cached_property
    def dissimilarities(self) -> np.ndarray:
        """gamma_i = |grad f_i - grad F|_inf at x, (clients,)."""
        found = np.empty(len(self.gradients), dtype=object)
        found[:] = [largest(g - self.mean_gradient) for g in self.gradients]
        return found

    @cached_property
    def own_gain(self) -> Mixed:
        """sum_i p_i <v_i, grad f_i>."""
        return dot(self.weights, (self.directions * self.gradients).sum(axis=1))

    @cached_property
    def gains(self) -> np.ndarray:
        """<v_i, grad F> of every client, (clients,)."""
        return (self.directions * self.mean_gradient).sum(axis=1)

    @cached_property
    def mean_gain(self) -> Mixed:
        """<sum_i p_i v_i, grad F>."""
        return dot(self.weights, self.gains)

    @cached_property
    def best_gain(self) -> Mixed:
        """M(x): the largest <v, grad F> on the polytope."""
        return dot(self.best, self.mean_gradient)

    @cached_property
    def value(self) -> Mixed:
        """F at x."""
        return self.clients.extension(self.point[None])[0]

    @cached_property
    def gap(self) -> Mixed:
        """OPT - F(x), for an optimum that is known exactly."""
        return RATIONAL.scalar(self.clients.optimum) - self.value

    @constant(notation.gamma)
    def most(self) -> Fraction:
        """Return the largest gamma_i."""
        return fraction(max(self.dissimilarities))

    @constant(notation.gbar)
    def mean(self) -> Fraction:
        """Return sum_i p_i gamma_i."""
        return fraction(dot(self.weights, self.dissimilarities))

    @constant(notation.gsquare)
    def mean_square(self) -> Fraction:
        """Return sum_i p_i gamma_i^2."""
        return fraction(dot(self.weights, self.dissimilarities**2))

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        """The constants of the clients and of their differences at the point."""
        return {**self.clients.constants, **super().constants}


# What is measured -------------------------------------------------------------------------------------------------------


def formula_error(at: AtPoint) -> Mixed:
    """Return P1: the largest |d_e f_i(x) - E[f_i(R + e) - f_i(R - e)]|, where R contains items with probabilities x."""
    n = at.clients.dim
    worst = RATIONAL.scalar(0)
    for f, gradient in zip(at.functions, at.gradients, strict=True):
        for e in range(n):
            total = RATIONAL.scalar(0)
            for chance, items in draws_of_sets(at.x):
                gain = Fraction(f.value(items | {e})) - Fraction(f.value(items - {e}))
                total += RATIONAL.scalar(chance * gain)
            worst = max(worst, abs(gradient[e] - total))
    return worst


def draws_of_sets(x: tuple[Number, ...]) -> list[tuple[Fraction, frozenset[int]]]:
    """Return each set that can be drawn from x, with its probability."""
    found = [(Fraction(1), frozenset[int]())]
    for e, v in enumerate(x):
        rate = Fraction(v)
        parts = [(chance * (1 - rate), items) for chance, items in found if rate < 1]
        found = parts + [(chance * rate, items | {e}) for chance, items in found if rate > 0]
    return found


def singletons(at: AtPoint) -> np.ndarray:
    """Return f_i({e}), (clients, n)."""
    return np.stack([rationals(at.clients.singletons(i)) for i in range(at.clients.n_clients)])


def negative_slope(at: AtPoint) -> Mixed:
    """Return the largest -d_e f_i(x)."""
    return -min(at.gradients.flat)


def largest_slope(at: AtPoint) -> Mixed:
    """Return the largest d_e f_i(x)."""
    return max(at.gradients.flat)


def excess_slope(at: AtPoint) -> Mixed:
    """Return the largest d_e f_i(x) - f_i({e})."""
    return max((at.gradients - singletons(at)).flat)


def second_derivatives(f: SetFunction, x: np.ndarray) -> list[tuple[int, int, Any]]:
    """Return (e, g, d_e d_g f(x)) for e < g: the change of d_e f from x_g = 0 to x_g = 1."""
    found = []
    for g in range(len(x)):
        whole, zero = x.copy(), x.copy()
        whole[g], zero[g] = RATIONAL.scalar(1), RATIONAL.scalar(0)
        change = f.gradient(whole[None])[0] - f.gradient(zero[None])[0]
        found += [(e, g, change[e]) for e in range(g)]
    return found


def bends(at: AtPoint) -> list[tuple[Any, Any]]:
    """Return -d_e d_g f_i(x) and min(f_i({e}), f_i({g})) for all clients and pairs; one (0, 0) for one item."""
    own = singletons(at)
    found = [
        (-v, min(own[i, e], own[i, g]))
        for i, f in enumerate(at.functions)
        for e, g, v in second_derivatives(f, at.point)
    ]
    return found or [(RATIONAL.scalar(0), RATIONAL.scalar(0))]


def largest_bend(at: AtPoint) -> Mixed:
    """Return the largest -d_e d_g f_i(x)."""
    return max(v for v, _ in bends(at))


def negative_bend(at: AtPoint) -> Mixed:
    """Return the largest d_e d_g f_i(x)."""
    return max(-v for v, _ in bends(at))


def excess_bend(at: AtPoint) -> Mixed:
    """Return the largest -d_e d_g f_i(x) - min(f_i({e}), f_i({g}))."""
    return max(v - smaller for v, smaller in bends(at))


def local_changes(at: AtPoint, tau: int) -> list[np.ndarray]:
    """Return the changes of each client's gradient by one local step of 1/tau from x along its base."""
    pairs = enumerate(zip(at.directions * (RATIONAL.scalar(1) / tau), at.gradients, strict=True))
    return [at.clients.gradient((at.point + v)[None], i)[0] - g for i, (v, g) in pairs]


def squared_change(at: AtPoint, tau: int) -> Mixed:
    """Return the largest squared Euclidean norm of these changes."""
    return max(dot(change, change) for change in local_changes(at, tau))


def largest_change(at: AtPoint, tau: int) -> Mixed:
    """Return the largest entry of these changes."""
    return max(largest(change) for change in local_changes(at, tau))


def bend_after(at: AtPoint, tau: int) -> Mixed:
    """Return the largest -d_e d_g f_i at the point that client i's local step leads to."""
    ends = zip(at.functions, at.point + RATIONAL.scalar(1) / tau * at.directions, strict=True)
    found = (-v for f, end in ends for _, _, v in second_derivatives(f, end))
    return max(found, default=RATIONAL.scalar(0))


def leaves(at: AtPoint, tau: int) -> bool:
    """Return whether some client's local step of 1/tau leads out of the cube."""
    end = at.point + RATIONAL.scalar(1) / tau * at.directions
    return any(v > 1 for v in end.flat)


def better_base(at: AtPoint) -> Mixed:
    """Return P5: the gain of the best base of the list over the greedy one, for each client's gradient."""
    listed = [sorted(b) for b in bases(at.clients.matroid)]
    pairs = zip(at.gradients, at.directions, strict=True)
    return max(max(sum(g[b], RATIONAL.scalar(0)) for b in listed) - dot(v, g) for g, v in pairs)


def excess(matroid: Matroid, x: np.ndarray) -> Element:
    """Return the largest x(S) - rank(S), S not empty."""
    n = matroid.n_items
    sets = (s for k in range(1, n + 1) for s in combinations(range(n), k))
    return max(sum(x[list(s)]) - rank_of(matroid, frozenset(s)) for s in sets)


def outside_polytope(at: AtPoint) -> Mixed:
    """Return P5: the largest x(S) - rank(S) of the mean direction, at most 0 for a convex combination of bases."""
    return excess(at.clients.matroid, at.direction)


def decomposition_error(at: AtPoint) -> Mixed:
    """Return P9: |F(x) - sum_i p_i f_i(x)| + |grad F - sum_i p_i grad f_i|_1, with F as a mean over all sets."""
    n, point = at.clients.dim, at.point
    by_sets = sum((c * at.clients.value(s) for c, s in draws_of_sets(at.x)), Fraction(0))
    parts = sum((w * f.extension(point[None])[0] for w, f in zip(at.weights, at.functions, strict=True)), at.value * 0)
    error = abs(RATIONAL.scalar(by_sets) - parts)
    for e in range(n):
        ends = []
        for v in (1, 0):
            there = (*at.x[:e], v, *at.x[e + 1 :])
            ends.append(sum((c * at.clients.value(s) for c, s in draws_of_sets(there)), Fraction(0)))
        error += abs(RATIONAL.scalar(ends[0] - ends[1]) - dot(at.weights, at.gradients[:, e]))
    return error


def draws_of_clients(at: AtPoint, size: int) -> list[tuple[Any, tuple[int, ...]]]:
    """Return each draw of ``size`` clients with its probability."""

    def step(x: np.ndarray, chance: Chance) -> np.ndarray:
        return chance.draw(at.clients.weights, size, len(x))

    found = step_outcomes(step, at.point[None] * 0, RATIONAL, DRAWS, exchangeable=True)
    if found is None:
        raise NotEnumerable(f"more than {DRAWS} possible draws of {size} clients")
    return list(zip(found[2], (tuple(row) for row in found[1].tolist()), strict=True))


def moments(at: AtPoint, size: int, gains: np.ndarray) -> tuple[Any, Any]:
    """Return mean and variance of the average gain of ``size`` drawn clients, over every draw."""
    law = [
        (chance, sum((gains[i] for i in drawn), RATIONAL.scalar(0)) / size)
        for chance, drawn in draws_of_clients(at, size)
    ]
    mean = sum((chance * v for chance, v in law), RATIONAL.scalar(0))
    return mean, sum((chance * (v - mean) ** 2 for chance, v in law), RATIONAL.scalar(0))


class OnePoint(Record):
    """A function and a point x of the cube."""

    function: SetFunction
    x: Vector = per("items", of=share)

    @property
    def functions(self) -> tuple[Any, ...]:
        """The function."""
        return (self.function,)

    @constant(notation.n)
    def n_items(self) -> int:
        """Return the number of items."""
        return len(self.x)

    @constant(notation.m_max)
    def largest_item(self) -> Fraction:
        """Return m_f: the largest value of an item."""
        return max(Fraction(self.function.value(frozenset({e}))) for e in range(self.n_items))


class Moved(OnePoint):
    """A function, a point x of the cube, and a step d >= 0 that stays in the cube."""

    step: Vector = per("items", of=share, nonzero=True)

    def require(self) -> None:
        """Check that the step ends in the cube."""
        in_cube("x + step", tuple(v + w for v, w in zip(self.x, self.step, strict=True)), self.function.n_items)

    @cached_property
    def ends(self) -> np.ndarray:
        """x and x + step, (2, n)."""
        x, step = rationals(self.x), rationals(self.step)
        return np.stack([x, x + step])

    @cached_property
    def slopes(self) -> np.ndarray:
        """The gradients at both ends, (2, n)."""
        return np.array(self.function.gradient(self.ends))

    @cached_property
    def rise(self) -> Mixed:
        """f(x + d) - f(x)."""
        low, high = self.function.extension(self.ends)
        return high - low

    @cached_property
    def predicted(self) -> Mixed:
        """<grad f(x), d>."""
        return dot(self.slopes[0], self.ends[1] - self.ends[0])

    @constant(notation.step_length)
    def length(self) -> Fraction:
        """Return |d|_1."""
        return sum(map(Fraction, self.step), Fraction(0))


class Stepped(Record):
    """Data of (14): clients, x, a direction of the polytope (a mean of listed ones by masses), x + eta direction."""

    clients: SubmodularClients
    x: Vector = per("items", of=share)
    direction: Vector = per("items", of=real)
    server_step_size: Number = scalar(positive, notation.eta, default=1)

    def require(self) -> None:
        """Check that the direction is in the polytope, and that the step ends in the cube."""
        end = [v + self.server_step_size * d for v, d in zip(self.x, self.direction, strict=True)]
        in_cube("x + eta direction", tuple(end), self.clients.dim)
        if not in_polytope(self.clients.matroid, np.array([*self.direction, None], dtype=object)[:-1]):
            raise ValueError("the direction is not in the matroid's polytope")

    @property
    def functions(self) -> tuple[Any, ...]:
        """The clients' functions."""
        return self.clients.functions

    @cached_property
    def missed(self) -> Mixed:
        """F(x) + eta <direction, grad F(x)> - F(x + eta direction)."""
        x, step = rationals(self.x), rationals(self.direction) * RATIONAL.scalar(self.server_step_size)
        before, after = self.clients.extension(np.stack([x, x + step]))
        return before + dot(step, self.clients.mean_gradient(x[None])[0]) - after

    @constant(notation.curvature)
    def curvature(self) -> Fraction:
        """Return (sum of the direction)^2 - sum of its squares."""
        entries = [Fraction(v) for v in self.direction]
        return sum(entries, Fraction(0)) ** 2 - sum((v * v for v in entries), Fraction(0))

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        """The constants of the clients and of the step."""
        return {**self.clients.constants, **super().constants}
