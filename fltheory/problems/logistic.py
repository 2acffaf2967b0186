"""L2-regularised logistic regression, split over clients, with rational data and certified constants.

F_m(x) = mean_i log(1 + exp(a_mi.x)) - y_mi a_mi.x + l2 |x|^2 / 2 over the samples of client m. Where a constant has no
closed form it is a ball that contains it, or a rational on the safe side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq, fmpq_mat
from sympy import Symbol

from fltheory import symbols
from fltheory.model.case import Client, ring_of
from fltheory.model.dataclass_fields import field_values, fields_of
from fltheory.model.schema import AsTable, AsVector, Data, Table, Vector, read_vector, shortest_form
from fltheory.number import BALL, NotRational, Number, Ring, exact, exact_text, streams, to_ball, to_float, upper_float
from fltheory.number.spectrum import largest_eigenvalue
from fltheory.number.vectors import exact_sqrt
from fltheory.problems.additive_noise import ROUNDING, Minibatches, mean, ring_array, squared_norm

ACCURACY = 1e-12  # largest certified distance of the computed optimum to the true one
PRECISION = 160  # bits of the balls in the constants
REFINEMENTS = 20  # largest number of steps in balls


class LogisticProblem(Minibatches, Data):
    """Common parts of both classes: data, objective, minibatches, constants.

    ``batch_size``: independent uniform draws of a sample for a gradient, or None for full gradients.
    """

    l2: Number
    start: Vector
    batch_size: int | None

    @property
    def data(self) -> tuple[tuple[Table, ...], tuple[tuple[int, ...], ...]]:
        """The features [client][sample][coordinate] and labels [client][sample], 0 or 1."""
        raise NotImplementedError

    def _check(self) -> None:
        self._set(l2=exact(self.l2))
        if not isinstance(self.l2, int | Fraction) or not self.l2 > 0:
            raise ValueError(f"l2 must be a positive rational, got {self.l2!r}")
        if self.batch_size is not None and (not isinstance(self.batch_size, int) or self.batch_size < 1):
            raise ValueError(f"batch_size must be a positive integer or None, got {self.batch_size!r}")

    # -- shape -------------------------------------------------------------------------------------------------------

    @property
    def n_clients(self) -> int:
        return len(self.data[1])

    @property
    def dim(self) -> int:
        return len(self.start)

    @cached_property
    def sizes(self) -> np.ndarray:
        """How many samples the clients have."""
        return np.array([len(labels) for labels in self.data[1]])

    # -- objective ---------------------------------------------------------------------------------------------------

    def _tables(self, x: np.ndarray) -> tuple[np.ndarray, ...]:
        ring = ring_of(x)
        return self._ring_tables(ring, ctx.prec if ring is BALL else 0)

    @lru_cache(maxsize=8)  # noqa: B019 (instances are small and frozen)
    def _ring_tables(self, ring: Ring | None, precision: int) -> tuple[np.ndarray, ...]:
        """Features (clients, samples, dim), labels and sample weights (clients, samples), zero-padded, and (l2,)."""
        most, d = int(self.sizes.max()), self.dim
        features, labels, weights = [], [], []
        for rows, answers in zip(*self.data, strict=True):
            spare = most - len(answers)
            features += [v for row in rows for v in row] + [0] * (spare * d)
            labels += [*answers, *[0] * spare]
            weights += [Fraction(1, len(answers))] * len(answers) + [0] * spare
        shape = (self.n_clients, most)
        return (
            ring_array(features, (*shape, d), ring),
            ring_array(labels, shape, ring),
            ring_array(weights, shape, ring),
            ring_array([self.l2], (1,), ring),
        )

    def gradient(self, x: np.ndarray, client: Client) -> np.ndarray:
        features, labels, weights, (l2,) = self._tables(x)
        own = features[client]
        residual = (_sigmoid(margins(own, x)) - labels[client]) * weights[client]
        return weighted_feature_sum(residual, own) + l2 * x

    def mean_gradient(self, x: np.ndarray) -> np.ndarray:
        return np.stack([self.gradient(x, m) for m in range(self.n_clients)]).sum(axis=0) / self.n_clients

    def value(self, x: np.ndarray) -> np.ndarray:
        """F(x), shape (seeds,)."""
        return sum((self.client_value(x, m) for m in range(self.n_clients)), 0 * x[:, 0]) / self.n_clients

    def client_value(self, x: np.ndarray, client: Client) -> np.ndarray:
        """F_m(x), shape (seeds,)."""
        features, labels, weights, (l2,) = self._tables(x)
        losses = _losses(margins(features[client], x), labels[client]) * weights[client]
        return np.asarray(losses.sum(axis=1) + (x * x).sum(axis=1) * l2 / 2)

    def gap(self, x: np.ndarray) -> np.ndarray:
        """Return F(x) - F*: in balls by an enclosure of F*, in floats by term-wise differences of F at x and x*."""
        if x.dtype == object:
            return self.value(x) - self._optimal_value()
        return np.maximum(self._float_gap(x), 0.0)

    def _float_gap(self, x: np.ndarray) -> np.ndarray:
        """Sum the convex terms f(u) - f(v) - f'(v)(u - v) at margins u, v, without the gradient at x*, which is 0."""
        features, _, weights, (l2,) = self._tables(x)
        best = np.array([to_float(v) for v in self._newton])
        total: Number = 0.0
        for m in range(self.n_clients):
            at, away = features[m] @ best, x - best
            steps = away @ features[m].T
            total = total + ((_softplus(at + steps) - _softplus(at) - _sigmoid(at) * steps) * weights[m]).sum(axis=1)
        return total / self.n_clients + l2 / 2 * (away**2).sum(axis=1)

    # -- the optimum -------------------------------------------------------------------------------------------------

    @cached_property
    def _newton(self) -> tuple[Fraction, ...]:
        """The limit of Newton's method in floats, refined in balls if floats are too coarse."""
        x = _newton_optimum(self)
        for _ in range(REFINEMENTS):
            if self._error_at(x) <= ACCURACY:
                break
            x = _newton_refinement(self, x)
        return x

    def _error_at(self, x: Sequence[Number]) -> float:
        """Return a rigorous upper bound on |x - x*| <= |grad F(x)| / mu."""
        with ctx.workprec(PRECISION):
            return upper_float(_root(self._slope_at(x)) / to_ball(self.l2))

    @cached_property
    def optimum_error(self) -> float:
        """An upper bound on the distance of the computed optimum to x*; ValueError above 1e-12."""
        error = self._error_at(self._newton)
        if not error <= ACCURACY:
            raise ValueError(f"the optimum is known only up to {error:g}: increase l2")
        return error

    def _point(self, values: Sequence[Number]) -> np.ndarray:
        return ring_array(values, (1, self.dim), BALL)

    def _slope_at(self, x: Sequence[Number]) -> arb:
        """|grad F(x)|^2."""
        return _norm_square(self.mean_gradient(self._point(x))[0])

    def _optimal_value(self) -> arb:
        """F* lies in [F(x) - |grad F(x)|^2 / (2 mu), F(x)]."""
        top = self.value(self._point(self._newton))[0]
        return (top - self._slope_at(self._newton) / (2 * to_ball(self.l2))).union(top)

    @cached_property
    def minimiser(self) -> tuple[Number, ...]:
        """Balls that contain the coordinates of the minimiser."""
        return tuple(arb(to_ball(v).mid(), self.optimum_error) for v in self._newton)

    # -- minibatches -------------------------------------------------------------------------------------------------

    def _minibatch(self, x: np.ndarray, client: Client, picked: np.ndarray) -> np.ndarray:
        """The gradient over the samples ``picked`` (seeds, batch_size) minus the client's gradient."""
        features, labels, _, (l2,) = self._tables(x)
        clients = np.broadcast_to(np.asarray(client), (len(x),))[:, None]
        own = features[clients, picked]
        residual = _sigmoid(margins(own, x)) - labels[clients, picked]
        return weighted_feature_sum(residual, own) / picked.shape[1] + l2 * x - self.gradient(x, client)

    # -- constants ---------------------------------------------------------------------------------------------------

    def _lengths(self, m: int) -> list[Fraction]:
        """|a|^2 of the samples of a client."""
        return [squared_norm(Fraction(v) for v in row) for row in self.data[0][m]]

    @cached_property
    def _pulls(self) -> list[arb]:
        """|grad F_m(x*)|^2 of the clients."""
        best = np.array([*self.minimiser, None], dtype=object)[:-1].reshape(1, -1)
        return [_norm_square(self.gradient(best, m)[0]) for m in range(self.n_clients)]

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        """Smoothness: l2 + (largest eigenvalue of mean a a^T) / 4 of the worst client, a rational bound from above.

        Noise: a sample's gradient is (h - y) a + l2 x with |h - y| < 1, so E|noise|^2 <= mean |a|^2 / batch_size.
        """
        with ctx.workprec(PRECISION):
            start = self._point(self.start)
            distance = _root(_norm_square(to_ball(s) - b for s, b in zip(self.start, self.minimiser, strict=True)))
            pull = _root(sum(self._pulls, arb(0)) / self.n_clients)
            slope = _root(_norm_square(self.mean_gradient(start)[0]))
            gap = self.gap(start)[0].nonnegative_part()
        noise = max(mean(self._lengths(m)) for m in range(self.n_clients)) / self.draws if self.draws else Fraction(0)
        return {
            symbols.n_clients: self.n_clients,
            symbols.dimension: self.dim,
            symbols.smoothness: exact(
                self.l2 + max(largest_eigenvalue(self._gram(m)) for m in range(self.n_clients)) / 4
            ),
            symbols.strong_convexity: self.l2,
            symbols.initial_distance: distance,
            symbols.initial_gap: gap,
            symbols.initial_gradient: slope,
            symbols.noise_std: exact_sqrt(Fraction(noise)),
            symbols.noise_std_at_optimum: exact_sqrt(Fraction(noise)),
            symbols.heterogeneity_at_optimum: pull,
        }

    def _gram(self, m: int) -> fmpq_mat:
        """mean a a^T over the samples of a client."""
        rows = self.data[0][m]
        flat = [fmpq(v.numerator, v.denominator) for row in rows for v in row]
        matrix = fmpq_mat(len(rows), self.dim, flat)
        return matrix.transpose() * matrix * fmpq(1, len(rows))

    def radius(self, step: float) -> list[float] | None:
        """Return an upper bound on the distance of runs with this step size from the minimiser, or None if unknown.

        For l2 * step <= 1 a step gives |x+| <= (1 - l2 * step)|x| + step * max |a|, so |x| never exceeds the larger of
        |start| and max |a| / l2. For step <= 1 / L it also contracts by 1 - step * l2 around the minimiser, up to step
        times the client's pull and noise.
        """
        least = to_float(self.l2)
        if step * least > 1:
            return None
        longest = max(float(max(self._lengths(m))) ** 0.5 for m in range(self.n_clients))
        best = sum(to_float(v) ** 2 for v in self.minimiser) ** 0.5
        start = sum(to_float(v) ** 2 for v in self.start) ** 0.5
        reach = max(start, longest / least) + best
        if step * to_float(self.constants[symbols.smoothness]) <= 1:
            pull = max(upper_float(p) for p in self._pulls) ** 0.5 + (2 * longest if self.draws else 0.0)
            reach = min(reach, max(to_float(self.constants[symbols.initial_distance]), pull / least))
        return [reach * ROUNDING]


@dataclass(frozen=True, repr=False)
class LogisticClients(LogisticProblem):
    """Logistic regression on given data: ``features[m][i]`` (rational vectors) and ``labels[m][i]`` (0 or 1)."""

    features: Sequence[AsTable]
    labels: Sequence[Sequence[int]]
    l2: Number
    start: AsVector = None
    batch_size: int | None = None

    def __post_init__(self) -> None:
        features = tuple(tuple(read_vector(row) for row in client) for client in self.features)
        labels = tuple(tuple(int(v) for v in client) for client in self.labels)
        if not features or len(features) != len(labels) or not all(labels):
            raise ValueError("features and labels need one entry for every client and at least one sample in each")
        d = len(features[0][0])
        if any(len(a) != len(y) or any(len(r) != d for r in a) for a, y in zip(features, labels, strict=True)):
            raise ValueError("every sample needs a label and as many features as the others")
        if any(v not in (0, 1) for client in labels for v in client):
            raise ValueError("labels must be 0 or 1")
        start = read_vector(self.start) if self.start is not None else (0,) * d
        self._set(features=features, labels=labels, start=start)
        if len(self.start) != d:
            raise ValueError(f"start has {len(self.start)} coordinates, the features {d}")
        self._check()

    def __repr__(self) -> str:
        features = tuple(tuple(tuple(exact_text(v) for v in row) for row in client) for client in self.features)
        start = f", start={shortest_form(self.start)!r}" if any(self.start) else ""
        batch = f", batch_size={self.batch_size}" if self.batch_size else ""
        return f"LogisticClients(features={features}, labels={self.labels}, l2={exact_text(self.l2)!r}{start}{batch})"

    @property
    def data(self) -> Any:
        return self.features, self.labels


@dataclass(frozen=True, repr=False)
class GeneratedLogisticClients(LogisticProblem):
    """Logistic regression on data generated from ``seed`` and split by label.

    Features are multiples of 1/16 in [-1, 1] plus a constant 1 as the last coordinate; labels follow a logistic model.
    A share ``skew`` of the samples is sorted by label and dealt out in consecutive pieces, the rest in turn: 0 gives
    similar clients, 1 clients with (almost) one label each.
    """

    n_clients: int = 4
    n_samples: int = 8  # per client
    n_features: int = 2
    skew: Number = 1
    seed: int = 0
    l2: Number = Fraction(1, 10)
    batch_size: int | None = None

    def __post_init__(self) -> None:
        self._set(skew=exact(self.skew), start=(0,) * (self.n_features + 1))
        if min(self.n_clients, self.n_samples, self.n_features) < 1 or not 0 <= self.skew <= 1:
            raise ValueError("n_clients, n_samples and n_features must be positive, and skew lie in [0, 1]")
        self._check()

    def __repr__(self) -> str:
        declared = fields_of(self)
        said = [
            f"{name}={exact_text(value)!r}"
            for name, value in field_values(self).items()
            if value != declared[name].default
        ]
        return f"GeneratedLogisticClients({', '.join(said)})"

    @cached_property
    def data(self) -> Any:
        total = self.n_clients * self.n_samples
        draws = streams.uniform(self.seed, np.arange(total)[:, None], 0, 0, np.arange(self.n_features + 1)[None, :])
        features = np.floor(33 * draws[:, :-1]).astype(int) - 16
        slopes = np.where(np.arange(self.n_features) % 2, -2.0, 4.0)
        labels = (draws[:, -1] < _sigmoid(features / 16 @ slopes)).astype(int)
        samples = [((*(Fraction(int(v), 16) for v in row), 1), int(y)) for row, y in zip(features, labels, strict=True)]
        sorted_part = int(self.skew * total)
        dealt = sorted(samples[:sorted_part], key=lambda sample: sample[1]) + samples[sorted_part:]
        places = [*range(sorted_part)] + [sorted_part + i for i in range(total - sorted_part)]
        clients: list[list[Any]] = [[] for _ in range(self.n_clients)]
        for place, sample in zip(places, dealt, strict=True):
            wanted = place * self.n_clients // sorted_part if place < sorted_part else place % self.n_clients
            while len(clients[wanted]) >= self.n_samples:
                wanted = (wanted + 1) % self.n_clients
            clients[wanted].append(sample)
        return tuple(tuple(a for a, _ in c) for c in clients), tuple(tuple(y for _, y in c) for c in clients)


def _hessian(problem: LogisticProblem, x: np.ndarray) -> np.ndarray:
    """The Hessian of F at a point (1, dim) of floats."""
    features, _, weights, (l2,) = problem._tables(x)
    hessian = float(l2) * np.eye(problem.dim)
    for own, weight in zip(features, weights, strict=True):
        h = _sigmoid(own @ x[0])
        hessian += (own.T * (h * (1 - h) * weight)) @ own / problem.n_clients
    return hessian


def _newton_optimum(problem: LogisticProblem) -> tuple[Fraction, ...]:
    """Return the limit of Newton's method in floats, as rationals."""
    x = np.zeros((1, problem.dim))
    for _ in range(100):
        move = np.linalg.solve(_hessian(problem, x), problem.mean_gradient(x)[0])
        damping = 1.0
        while damping > 1e-6 and problem.value(x - damping * move) > problem.value(x) + 1e-15:
            damping /= 2
        x = x - damping * move
        if np.abs(move).max() < 1e-15:
            break
    return tuple(Fraction(float(v)) for v in x[0])


def _newton_refinement(problem: LogisticProblem, x: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """Take another step of Newton's method, with the gradient in balls and the Hessian in floats."""
    with ctx.workprec(PRECISION):
        slope = [to_float(v) for v in problem.mean_gradient(problem._point(x))[0]]
    move = np.linalg.solve(_hessian(problem, np.array([[to_float(v) for v in x]])), slope)
    return tuple(v - Fraction(float(m)) for v, m in zip(x, move, strict=True))


def _norm_square(values: Iterable[arb]) -> arb:
    """The squared norm of balls."""
    return sum((v * v for v in values), arb(0))


def _root(square: arb) -> arb:
    """The square root of a ball that contains a nonnegative number."""
    return square.sqrt() if square > 0 else arb(0).union(square.upper().sqrt())


def _losses(margins: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The logistic losses of samples."""
    return _softplus(margins) - labels * margins


def margins(features: np.ndarray, x: np.ndarray) -> np.ndarray:
    """a.x for every sample: features (samples, dim), or (seeds, samples, dim), with x (seeds, dim)."""
    if x.dtype != object:
        return x @ features.T if features.ndim == 2 else np.einsum("nsd,nd->ns", features, x)
    return (features * x[:, None, :]).sum(axis=2)


def weighted_feature_sum(weights: np.ndarray, features: np.ndarray) -> np.ndarray:
    """The sum of weight * a over the samples, shape (seeds, dim)."""
    if weights.dtype != object:
        return weights @ features if features.ndim == 2 else np.einsum("ns,nsd->nd", weights, features)
    return (weights[..., None] * features).sum(axis=-2)


def _sigmoid(u: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-u)) of floats or balls."""
    if u.dtype != object:
        return 0.5 * (1.0 + np.tanh(0.5 * u))
    return _map_balls(u, lambda v: 1 / (1 + (-v).exp()))


def _softplus(u: np.ndarray) -> np.ndarray:
    """log(1 + exp(u)) of floats or balls."""
    return np.logaddexp(0.0, u) if u.dtype != object else _map_balls(u, lambda v: v.exp().log1p())


def _map_balls(u: np.ndarray, function: Callable[[arb], arb]) -> np.ndarray:
    if not all(isinstance(v, arb) for v in u.flat):
        raise NotRational  # exp has no rational values
    result = np.empty(u.size, dtype=object)
    result[:] = [function(v) for v in u.flat]
    return result.reshape(u.shape)
