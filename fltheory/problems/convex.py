"""Convex clients whose values and gradients are exact: quadratics, Huber functions, fourth powers, log-cosh.

An objective maps a point, a row of mixed numbers (``fltheory.number.mixed``), to mixed numbers, which are rational at
rational points, except for log-cosh, which returns balls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from flint import arb, fmpq, fmpq_mat
from sympy import Symbol

from fltheory import symbols
from fltheory.model.dataclass_fields import field_values
from fltheory.model.schema import (
    AsTable,
    AsVector,
    Data,
    Vector,
    format_arguments,
    printable_table,
    read_table,
    read_vector,
)
from fltheory.number import Number, as_number, exact
from fltheory.number.mixed import Mixed, larger_of, mixed_array, mixed_sqrt, to_mixed
from fltheory.number.spectrum import largest_eigenvalue
from fltheory.number.vectors import exact_sqrt
from fltheory.problems.dense import nearest_solution


@runtime_checkable
class HasGradient(Protocol):
    """An object with a gradient."""

    def gradient(self, x: np.ndarray) -> np.ndarray:
        """The gradient, (dim,)."""


class Convex(HasGradient, Protocol):
    """A convex differentiable function of points (dim,)."""

    @property
    def dim(self) -> int:
        """The dimension of its points."""

    @property
    def smoothness(self) -> Number | None:
        """A global Lipschitz constant of the gradient, the smallest if known; None if there is none."""

    def value(self, x: np.ndarray) -> Mixed:
        """f(x)."""

    def smoothness_between(self, points: Sequence[np.ndarray]) -> Mixed:
        """Return a Lipschitz constant of the gradient on the convex hull of the points."""


class _Objective(Data):
    """A function defined by vectors."""

    def _read(self, *names: str) -> None:
        """Parse vectors of rationals of equal length exactly."""
        given = field_values(self)
        read = {name: read_vector(given[name]) for name in names}
        if not all(read.values()):
            raise ValueError(f"{', '.join(names)} need at least one coordinate")
        if any(not isinstance(v, int | Fraction) for values in read.values() for v in values):
            raise ValueError(f"{', '.join(names)} must be rational")
        if len({len(values) for values in read.values()}) > 1:
            raise ValueError(f"{', '.join(names)} need one entry for every coordinate")
        self._set(**read)


class _About(_Objective):
    """A function around a centre, which is its only minimiser if there is only one."""

    centre: Vector

    @property
    def dim(self) -> int:
        return len(self.centre)


class _Smooth(_Objective):
    """A function whose constant is the same everywhere."""

    if TYPE_CHECKING:  # a property of each function

        @property
        def smoothness(self) -> Number: ...

    def smoothness_between(self, points: Sequence[np.ndarray]) -> Mixed:
        return to_mixed(self.smoothness)


@dataclass(frozen=True, repr=False)
class Quadratic(_Smooth, _About):
    """(x - centre)^T H (x - centre) / 2 with a rational positive semidefinite H.

    ``hessian``: the matrix, or its rows up to the diagonal, which is also the stored form.
    """

    hessian: AsTable
    centre: AsVector

    def __post_init__(self) -> None:
        given = read_table(self.hessian)
        self._read("centre")
        n = self.dim
        if len(given) != n or [len(r) for r in given] not in ([n] * n, list(range(1, n + 1))):
            raise ValueError(f"the Hessian must be {n} times {n}, as the centre has {n} coordinates")
        if any(not isinstance(v, int | Fraction) for r in given for v in r):
            raise ValueError("the Hessian must be rational")
        if len(given[0]) == n and any(given[i][j] != given[j][i] for i in range(n) for j in range(i)):
            raise ValueError("the Hessian must be symmetric")
        self._set(hessian=tuple(r[: i + 1] for i, r in enumerate(given)))
        # The characteristic polynomial of a symmetric matrix has real roots: none is negative iff its signs alternate.
        if any(int(v.p) * (-1) ** (n - i) < 0 for i, v in enumerate(self.matrix.charpoly().coeffs())):
            raise ValueError("the Hessian must be positive semidefinite")

    @cached_property
    def matrix(self) -> fmpq_mat:
        """The Hessian."""
        h, n = self.hessian, range(self.dim)
        return fmpq_mat(len(n), len(n), [to_mixed(h[max(i, j)][min(i, j)]) for i in n for j in n])

    @cached_property
    def _parts(self) -> tuple[np.ndarray, np.ndarray]:
        n = self.dim
        return mixed_array(v for r in self.matrix.tolist() for v in r).reshape(n, n), mixed_array(self.centre)

    def gradient(self, x: np.ndarray) -> np.ndarray:
        hessian, centre = self._parts
        return (hessian * (x - centre)).sum(axis=1)

    def value(self, x: np.ndarray) -> Mixed:
        return (self.gradient(x) * (x - self._parts[1])).sum() / 2

    @cached_property
    def curvature(self) -> Mixed:
        """The factor h if the Hessian is h times the identity, else None."""
        h = self.hessian
        same = all(h[i][j] == (h[0][0] if i == j else 0) for i in range(self.dim) for j in range(i + 1))
        return to_mixed(h[0][0]) if same else None

    @cached_property
    def smoothness(self) -> Number:
        """The largest eigenvalue, or a rational just above it for more than two coupled coordinates."""
        h = self.hessian
        if all(h[i][j] == 0 for i in range(self.dim) for j in range(i)):
            return exact(max(h[i][i] for i in range(self.dim)))
        if self.dim == 2:
            top = mixed_sqrt(to_mixed((h[0][0] - h[1][1]) ** 2 + 4 * h[1][0] ** 2))
            if isinstance(top, fmpq):
                return as_number((to_mixed(h[0][0] + h[1][1]) + top) / 2)
        return exact(largest_eigenvalue(self.matrix))


@dataclass(frozen=True, repr=False)
class Huber(_Smooth, _About):
    """sum_j of c_j u^2/2 for |u| <= tau_j, else c_j tau_j (|u| - tau_j/2), with u = x_j - centre_j."""

    curvatures: AsVector
    thresholds: AsVector
    centre: AsVector

    def __post_init__(self) -> None:
        self._read("curvatures", "thresholds", "centre")
        if any(not v >= 0 for v in self.curvatures) or any(not v > 0 for v in self.thresholds):
            raise ValueError("curvatures must be nonnegative and thresholds positive")

    @cached_property
    def _parts(self) -> tuple[np.ndarray, ...]:
        return mixed_array(self.curvatures), mixed_array(self.thresholds), mixed_array(self.centre)

    def gradient(self, x: np.ndarray) -> np.ndarray:
        c, tau, centre = self._parts
        return c * _clip(x - centre, tau)

    def value(self, x: np.ndarray) -> Mixed:
        c, tau, centre = self._parts
        away = x - centre
        near = _clip(away, tau)
        return (c * near * (away - near / 2)).sum()  # tau (|u| - tau/2) outside, u^2/2 inside

    @property
    def smoothness(self) -> Number:
        return max(self.curvatures)


def _clip(u: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """Every coordinate of u within its [-tau, tau]."""
    return mixed_array(_clip_mixed(v, t) for v, t in zip(u, tau, strict=True))


def _clip_mixed(u: Mixed, tau: Mixed) -> Mixed:
    """Clip u to [-tau, tau], exactly if the comparisons are decided."""
    if u > tau or u < -tau:
        return tau if u > 0 else -tau
    if u <= tau and u >= -tau:
        return u
    return arb(u).min(arb(tau)).max(arb(-tau))


@dataclass(frozen=True, repr=False)
class Quartic(_About):
    """sum_j s_j (x_j - centre_j)^4 / 4: not smooth everywhere."""

    scales: AsVector
    centre: AsVector

    def __post_init__(self) -> None:
        self._read("scales", "centre")
        if any(not v >= 0 for v in self.scales):
            raise ValueError("scales must be nonnegative")

    smoothness = None

    def gradient(self, x: np.ndarray) -> np.ndarray:
        u = x - mixed_array(self.centre)
        return mixed_array(self.scales) * (u * u * u)

    def value(self, x: np.ndarray) -> Mixed:
        u = x - mixed_array(self.centre)
        return (mixed_array(self.scales) * (u * u * u * u)).sum() / 4

    def smoothness_between(self, points: Sequence[np.ndarray]) -> Mixed:
        """Return 3 max s_j u_j^2, which is attained at one of the points."""
        centre, top = mixed_array(self.centre), fmpq(0)
        for x in points:
            for s, u in zip(mixed_array(self.scales), x - centre, strict=True):
                top = larger_of(top, 3 * s * u * u)
        return top


@dataclass(frozen=True, repr=False)
class LogCosh(_Smooth):
    """sum_r log cosh(<a_r, x>) + decay |x|^2 / 2, minimal at 0: logistic loss with both labels for every sample."""

    features: AsTable
    decay: Number = 0

    def __post_init__(self) -> None:
        self._set(features=read_table(self.features), decay=exact(self.decay))
        if not self.features or not self.features[0] or len({len(r) for r in self.features}) > 1 or not self.decay >= 0:
            raise ValueError(
                "features need rows of equal length, with at least one entry, and decay must be nonnegative"
            )

    @property
    def dim(self) -> int:
        return len(self.features[0])

    @cached_property
    def _parts(self) -> np.ndarray:
        return mixed_array(v for r in self.features for v in r).reshape(len(self.features), self.dim)

    def gradient(self, x: np.ndarray) -> np.ndarray:
        a = self._parts
        slopes = mixed_array(arb(z).tanh() for z in (a * x).sum(axis=1))
        return (a * slopes[:, None]).sum(axis=0) + to_mixed(self.decay) * x

    def value(self, x: np.ndarray) -> Mixed:
        total = to_mixed(self.decay) * (x * x).sum() / 2
        for z in (self._parts * x).sum(axis=1):
            total = total + arb(z).cosh().log()
        return total

    @cached_property
    def smoothness(self) -> Number:
        """The largest eigenvalue of A^T A + decay, from just above."""
        n, a = self.dim, [[to_mixed(v) for v in r] for r in self.features]
        gram = fmpq_mat(n, n, [sum((r[i] * r[j] for r in a), fmpq(0)) for i in range(n) for j in range(n)])
        return exact(largest_eigenvalue(gram) + Fraction(self.decay))


@dataclass(frozen=True, repr=False)
class ConvexClients(Data):
    """Clients with these objectives and a start; F is their mean.

    Unless ``minimiser`` of F is given (and then checked), it is computed for quadratics, or 0 or the common centre is
    tried. ``compare`` replaces the minimiser in statements about any point. ``pace`` holds the factors of the clients'
    first step sizes relative to the initial one.
    """

    objectives: tuple[Convex, ...]
    start: AsVector
    minimiser: AsVector = None
    compare: AsVector = None
    pace: AsVector = None

    def __post_init__(self) -> None:
        if not isinstance(self.objectives, tuple | list) or not all(
            isinstance(f, HasGradient) for f in self.objectives
        ):
            raise ValueError(
                f"objectives must be a tuple of functions, such as (Quadratic(...),), got {self.objectives!r}"
            )
        if not self.objectives:
            raise ValueError("at least one client is needed")
        self._set(objectives=tuple(self.objectives), start=read_vector(self.start))
        self._set(**{name: read_vector(value) for name, value in self._beside().items()})
        given = [self.start, *(v for v in (self.minimiser, self.compare) if v is not None)]
        if len({f.dim for f in self.objectives} | {len(v) for v in given}) > 1:
            raise ValueError("the objectives, the start, the minimiser and the point to compare need one dimension")
        if any(not isinstance(v, int | Fraction) for values in given for v in values):
            raise ValueError("start, minimiser and point to compare must be rational")
        if self.pace is not None and (len(self.pace) != self.n_clients or any(not v > 0 for v in self.pace)):
            raise ValueError("pace needs a positive factor for every client")
        if self.minimiser is not None and not self._least_at(mixed_array(self.minimiser)):
            raise ValueError(f"{self.minimiser} is not a minimiser of the mean objective: the gradient there is not 0")

    def __repr__(self) -> str:
        said = [
            f"{self.objectives!r}",
            repr(printable_table(self.start)),
            *filter(None, [format_arguments(self._beside())]),
        ]
        return f"ConvexClients({', '.join(said)})"

    def _beside(self) -> dict[str, Vector]:
        """Return the optional arguments that are given."""
        given = {"minimiser": self.minimiser, "compare": self.compare, "pace": self.pace}
        return {name: value for name, value in given.items() if value is not None}

    @property
    def n_clients(self) -> int:
        return len(self.objectives)

    @property
    def dim(self) -> int:
        return len(self.start)

    def _least_at(self, x: np.ndarray) -> bool:
        total = sum((f.gradient(x) for f in self.objectives), x * 0)
        return all(v == 0 for v in total)

    @cached_property
    def best(self) -> np.ndarray:
        """A minimiser of F, (dim,); ValueError if none is known."""
        if self.minimiser is not None:
            return mixed_array(self.minimiser)
        first = self.objectives[0]
        for guess in ((0,) * self.dim, *((first.centre,) if isinstance(first, _About) else ())):
            if self._least_at(mixed_array(guess)):
                return mixed_array(guess)
        quadratics = [f for f in self.objectives if isinstance(f, Quadratic)]
        if len(quadratics) < self.n_clients:
            raise ValueError("the minimiser of these objectives is not known: give minimiser=")
        total, right = fmpq_mat(self.dim, self.dim), fmpq_mat(self.dim, 1)
        for f in quadratics:
            total, right = total + f.matrix, right + f.matrix * _column(f.centre)
        solution = nearest_solution(total, right, _column(self.start))
        return mixed_array(solution[i, 0] for i in range(self.dim))

    @cached_property
    def point(self) -> np.ndarray:
        """The point of comparison, a minimiser unless another is given."""
        return self.best if self.compare is None else mixed_array(self.compare)

    @cached_property
    def common(self) -> bool:
        """Whether the minimiser of F minimises every client's objective."""
        return all(v == 0 for f in self.objectives for v in f.gradient(self.best))

    def value(self, x: np.ndarray) -> Mixed:
        """F(x)."""
        return sum((f.value(x) for f in self.objectives), fmpq(0)) / self.n_clients

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        away = mixed_array(self.start) - self.best
        found: dict[Symbol, Number] = {
            symbols.n_clients: self.n_clients,
            symbols.dimension: self.dim,
            symbols.initial_distance: exact_sqrt(Fraction(as_number((away * away).sum()))),
        }
        gap = as_number(self.value(mixed_array(self.start)) - self.value(self.best))
        if isinstance(gap, int | Fraction):
            found[symbols.initial_gap] = gap
        smoothest = [f.smoothness for f in self.objectives if f.smoothness is not None and f.smoothness > 0]
        if len(smoothest) == self.n_clients:
            found[symbols.smoothness] = max(smoothest)
        return found


def _column(values: Sequence[Number]) -> fmpq_mat:
    return fmpq_mat(len(values), 1, [to_mixed(v) for v in values])
