"""Least squares, split over clients: F_m(x) = mean_i (a_mi.x - y_mi)^2 / 2 + l2 |x|^2 / 2, from rational data.

Full gradients are those of quadratics with H_m = mean_i a a^T + l2 I; minibatches are independent uniform draws of samples.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
from flint import ctx, fmpq, fmpq_mat
from sympy import Symbol

from fltheory import symbols
from fltheory.model.case import Client, ring_of
from fltheory.model.schema import Table, Vector
from fltheory.number import BALL, Element, Number, Ring, as_number, exact, to_float
from fltheory.number.spectrum import eigenvalue_range
from fltheory.number.vectors import exact_sqrt
from fltheory.problems.additive_noise import ROUNDING, Minibatches, mean, ring_array, squared_norm, type_ids
from fltheory.problems.data.samples import Samples
from fltheory.problems.dense import DenseQuadratics
from fltheory.problems.logistic import margins, weighted_feature_sum
from fltheory.runs.distributions import moments
from fltheory.runs.distributions.moments import MapMoments


class LeastSquaresProblem(Minibatches, DenseQuadratics):
    """Objectives, minibatches and constants of ``samples``; ``batch_size`` None: full gradients."""

    samples: Samples
    l2: Number
    batch_size: int | None

    # -- quadratics --------------------------------------------------------------------------------------------------

    @cached_property
    def hessians(self) -> tuple[fmpq_mat, ...]:
        """H_m, exactly."""
        return tuple(self._gram(rows) for rows in self.samples.features)

    def _gram(self, rows: Table) -> fmpq_mat:
        """mean a a^T + l2 I."""
        d = self.dim
        matrix = fmpq_mat(len(rows), d, [_rational(v) for row in rows for v in row])
        ridge = fmpq_mat(d, d, [_rational(self.l2) if i == j else fmpq(0) for i in range(d) for j in range(d)])
        return matrix.transpose() * matrix * fmpq(1, len(rows)) + ridge

    @cached_property
    def slopes(self) -> Table:
        """b_m = -mean y a."""
        pairs = zip(self.samples.features, self.samples.targets, strict=True)
        return tuple(
            tuple(
                exact(-mean([Fraction(row[j] * y) for row, y in zip(rows, ys, strict=True)])) for j in range(self.dim)
            )
            for rows, ys in pairs
        )

    @cached_property
    def client_types(self) -> tuple[int, ...]:
        """Equal numbers for clients with equal objectives, and equal samples where these are drawn."""
        if self.draws:
            return type_ids(zip(self.samples.features, self.samples.targets, strict=True))
        return type_ids((str(h), b) for h, b in zip(self.hessians, self.slopes, strict=True))

    def client_value(self, x: np.ndarray, client: Client) -> np.ndarray:
        """F_m(x), (seeds,): the quadratic is 0 at 0, F_m is mean y^2 / 2 there."""
        quadratic = ((self.gradient(x, client) + self.gradient(x * 0, client)) * x).sum(axis=1) / 2
        constants = [mean([Fraction(y) ** 2 for y in ys]) / 2 for ys in self.samples.targets]
        return np.asarray(quadratic + ring_array(constants, (self.n_clients,), ring_of(x))[client])

    # -- minibatches -------------------------------------------------------------------------------------------------

    @cached_property
    def sizes(self) -> np.ndarray:
        """How many samples the clients have."""
        return np.array([len(ys) for ys in self.samples.targets])

    @lru_cache(maxsize=8)  # noqa: B019 (instances are small and frozen)
    def _sample_tables(self, ring: Ring | None, precision: int) -> tuple[np.ndarray, ...]:
        """Features (clients, samples, dim) and targets (clients, samples), zero-padded, and (l2,)."""
        most, d = int(self.sizes.max()), self.dim
        features: list[Number] = []
        targets: list[Number] = []
        for rows, ys in zip(self.samples.features, self.samples.targets, strict=True):
            features += [v for row in rows for v in row] + [0] * ((most - len(ys)) * d)
            targets += [*ys, *[0] * (most - len(ys))]
        shape = (self.n_clients, most)
        return (
            ring_array(features, (*shape, d), ring),
            ring_array(targets, shape, ring),
            ring_array([self.l2], (1,), ring),
        )

    def _minibatch(self, x: np.ndarray, client: Client, picked: np.ndarray) -> np.ndarray:
        """The gradient over the samples ``picked`` (seeds, batch_size) minus the client's gradient."""
        ring = ring_of(x)
        features, targets, (l2,) = self._sample_tables(ring, ctx.prec if ring is BALL else 0)
        clients = np.broadcast_to(np.asarray(client), (len(x),))[:, None]
        own = features[clients, picked]
        residual = margins(own, x) - targets[clients, picked]
        return weighted_feature_sum(residual, own) / picked.shape[1] + l2 * x - self.gradient(x, client)

    def client_laws(self, client: int, step: Element, n_steps: int, ring: Ring) -> list[MapMoments]:
        """The law of ``n_steps`` local steps of a client: a minibatch is a mean of independent samples' steps."""
        whole = _step_moments(self.hessians[client], self.slopes[client], step, ring)
        if not self.draws:
            return [moments.repeat_moments(whole, n_steps, ring)]
        n, batch = len(self.samples.targets[client]), self.draws
        pairs = zip(self.samples.features[client], self.samples.targets[client], strict=True)
        single = [_step_moments(self._gram((row,)), [-y * v for v in row], step, ring) for row, y in pairs]
        one = moments.mixture_moments((ring.scalar(Fraction(1, n)), law) for law in single)
        apart = moments.kron(one.first, one.first, ring) * ring.scalar(Fraction(batch - 1, batch))
        second = one.second * ring.scalar(Fraction(1, batch)) + apart
        return [moments.repeat_moments(MapMoments(one.first, second), n_steps, ring)]

    # -- constants ---------------------------------------------------------------------------------------------------

    @cached_property
    def curvature_range(self) -> tuple[Number, Number]:
        """Certified lower and upper bounds on the eigenvalues of all H_m, accurate to 1e-12 of the largest."""
        ranges = [eigenvalue_range(h) for h in self.hessians]
        return exact(max(Fraction(self.l2), min(low for low, _ in ranges))), exact(max(high for _, high in ranges))

    def _sample_slopes(self, m: int) -> list[Vector]:
        """The gradients of a client's samples at the minimiser."""
        best = self.minimiser
        found = []
        for row, y in zip(self.samples.features[m], self.samples.targets[m], strict=True):
            residual = sum((v * b for v, b in zip(row, best, strict=True)), Fraction(0)) - y
            found.append(tuple(residual * v + self.l2 * b for v, b in zip(row, best, strict=True)))
        return found

    def _noise_square(self, m: int) -> Fraction:
        """The variance of a client's minibatch gradient at the minimiser."""
        slopes = self._sample_slopes(m)
        middle = [mean([Fraction(v) for v in column]) for column in zip(*slopes, strict=True)]
        return mean([squared_norm(v - a for v, a in zip(row, middle, strict=True)) for row in slopes]) / self.draws

    @cached_property
    def _has_constant_noise(self) -> bool:
        """Whether the noise is the same at every point: all samples of a client have the same a a^T."""
        return all(all(row in (rows[0], tuple(-v for v in rows[0])) for row in rows) for rows in self.samples.features)

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        """The constants, without ``noise_std`` if the minibatch variance is unbounded, as for unequal features."""
        if not self.draws:
            return self._noiseless | {symbols.noise_std: 0, symbols.noise_std_at_optimum: 0}
        noise = exact_sqrt(max(self._noise_square(m) for m in range(self.n_clients)))
        return (
            self._noiseless
            | {symbols.noise_std_at_optimum: noise}
            | ({symbols.noise_std: noise} if self._has_constant_noise else {})
        )

    def radius(self, step: float) -> list[float] | None:
        """Return an upper bound on the distance of runs with this step size from the minimiser, or None if unknown.

        A step up to 1 / (largest curvature of a sample) contracts around the minimiser by 1 - step * (smallest
        curvature), up to step times the largest gradient there.
        """
        if self.draws:
            lengths = [squared_norm(map(Fraction, row)) for rows in self.samples.features for row in rows]
            largest, least = float(max(lengths) + self.l2), to_float(self.l2)
            pulls = [squared_norm(map(Fraction, v)) for m in range(self.n_clients) for v in self._sample_slopes(m)]
        else:
            least, largest = map(to_float, self.curvature_range)
            pulls = self._pull_squares
        if step * largest * ROUNDING > 1 or least == 0:
            return None
        return [max(to_float(self.constants[symbols.initial_distance]), float(max(pulls)) ** 0.5 / least) * ROUNDING]


def _step_moments(hessian: fmpq_mat, slope: Sequence[Number], step: Element, ring: Ring) -> MapMoments:
    """The law of x -> x - step (H x + b)."""
    d = hessian.nrows()
    matrix = [[int(i == j) - step * ring.scalar(as_number(hessian[i, j])) for j in range(d)] for i in range(d)]
    return moments.affine_moments(matrix, [-(step * ring.scalar(b)) for b in slope], [[0] * d for _ in range(d)], ring)


def _rational(value: Number) -> fmpq:
    return fmpq(value.numerator, value.denominator)
