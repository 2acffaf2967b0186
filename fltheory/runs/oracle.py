"""The oracle interface of an algorithm, and the oracle of simulated rounds."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from fltheory.model.case import Client, FederatedInstance
from fltheory.number import Element, exact, streams
from fltheory.number.elements import as_elements
from fltheory.runs.distributions.randomness import ROUNDING, Chance, StreamChance
from fltheory.runs.method import VariantError
from fltheory.runs.protocols import HasDomain, HasProximalMaps, HasValues


class Oracle:
    """The oracle of an algorithm in one round. Subclasses draw at random, enumerate, or compute in closed form."""

    instance: FederatedInstance
    chance: Chance

    def coin(self, chance: ArrayLike) -> np.ndarray:
        """Draw independent coins that are True with this probability, a number or one for every run: (runs,).

        Probabilities (runs, k) draw k coins for every run, (runs, k).
        """
        chances = self._of_runs("coin", chance)
        return self.chance.coins(chances.reshape(self.chance.rows, -1)).reshape(chances.shape)

    def choice(self, weights: ArrayLike) -> np.ndarray:
        """Draw one of k outcomes for every run, (runs,), in proportion to weights of shape (k,) or (runs, k)."""
        given = self._chances(weights)
        given = np.tile(given, (self.chance.rows, 1)) if given.ndim == 1 else self._of_runs("choice", given)
        given = given if given.dtype == object else np.where((given < 0) & (given > -ROUNDING), 0.0, given)
        if given.ndim != 2 or any(bool(w < 0) for w in given.flat) or not (given.sum(axis=1) > 0).all():
            raise VariantError("choice: expected weights of shape (k,) or (runs, k), nonnegative and not all 0")
        return self.chance.choose(given / given.sum(axis=1)[:, None])

    def _of_runs(self, asked: str, values: ArrayLike) -> np.ndarray:
        """Return numbers with the runs as first axis, (runs, ...); VariantError for another shape."""
        found, runs = self._chances(values), self.chance.rows
        if found.ndim == 0:
            return np.repeat(found, runs)
        if len(found) != runs:
            raise VariantError(
                f"{asked}: numbers of shape {found.shape}, expected one number or ({runs}, ...), the runs first"
            )
        return found

    def _chances(self, values: ArrayLike) -> np.ndarray:
        """Convert probabilities to the required kind of numbers; texts such as "1/3" are read exactly."""
        found = np.asarray(values)
        if found.dtype.kind == "U":
            found = np.array([exact(str(text)) for text in found.flat], dtype=object).reshape(found.shape)
        return as_elements(found) if self.chance.exact else found.astype(float)

    def value(self, x: np.ndarray, client: Client) -> np.ndarray:
        """Return the objective of a client at x, without noise, (runs,); VariantError if the instance has no values."""
        self._require_client(client, "value")
        if not isinstance(self.instance, HasValues):
            raise VariantError(
                f"{type(self.instance).__name__} has no values of its clients' objectives (client_value)"
            )
        return self.instance.client_value(self._numbers_of_run(x), client)

    def prox(self, x: np.ndarray, client: Client, step: Element) -> np.ndarray:
        """Return the proximal map of a client, argmin_u F_m(u) + |u - x|^2 / (2 step), without noise, (runs, dim).

        VariantError if the instance has no proximal maps, or for a negative step.
        """
        self._require_client(client, "proximal map")
        if not isinstance(self.instance, HasProximalMaps):
            raise VariantError(f"{type(self.instance).__name__} has no proximal maps of its clients' objectives (prox)")
        if np.ndim(step) or bool(step < 0):
            raise VariantError(f"a proximal map was asked for the step {step}, expected one number, 0 or more")
        return self.instance.prox(self._numbers_of_run(x), client, step)

    def project(self, x: np.ndarray) -> np.ndarray:
        """Return the point of the decision set nearest to every row of x, (runs, dim); VariantError if there is no such set."""
        if not isinstance(self.instance, HasDomain):
            raise VariantError(f"{type(self.instance).__name__} has no decision set to project on (project)")
        return self.instance.project(self._numbers_of_run(x))

    def _numbers_of_run(self, x: np.ndarray) -> np.ndarray:
        """Return the points of a step in the kind of numbers of the run."""
        return x

    def _true_gradient(self, x: np.ndarray, client: Client, k: int) -> np.ndarray:
        """Return the instance's gradient; VariantError for a client or a local step that does not exist."""
        self._require_step(k)
        self._require_client(client)
        try:
            return self.instance.gradient(x, client)
        except MemoryError:
            raise
        except Exception as error:
            if x.dtype == object:  # perhaps it only fails on exact numbers
                raise
            raise VariantError(f"{type(self.instance).__name__}.gradient: {error}") from error

    def _require_step(self, k: int) -> None:
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 0:
            raise VariantError(f"a gradient was asked for local step {k!r}, expected an integer from 0")

    def _require_client(self, client: Client, asked: str = "gradient") -> None:
        clients, n = np.asarray(client), self.instance.n_clients
        if clients.dtype.kind not in "iu" or (clients.size and not 0 <= clients.min() <= clients.max() < n):
            raise VariantError(
                f"{'an' if asked[0] in 'aeiou' else 'a'} {asked} was asked of client {client}, expected integers from 0 to {n - 1}"
            )

    def order(self, size: int | None = None) -> np.ndarray:
        """Return a uniformly random order of ``size`` clients (default: all), (seeds, size), fixed in the round."""
        raise NotImplementedError

    def gradient(self, x: np.ndarray, client: Client, k: int = 0) -> np.ndarray:
        """Return the stochastic gradient of a client's ``k``-th local step, shape (seeds, dim).

        Noise is independent for every (round, client, k); two calls with the same triple have the same noise.
        """
        raise NotImplementedError

    def loss(self, x: np.ndarray, client: Client, k: int = 0) -> np.ndarray:
        """Return the loss at x on the mini-batch of a client's ``k``-th local step, (seeds,), or raise VariantError."""
        raise VariantError("a loss was asked for, but this oracle returns only gradients")


@runtime_checkable
class OwnOracle(Protocol):
    """An instance with an oracle for more than gradients and orders of clients."""

    def oracle(self, chance: Chance) -> Oracle:
        """Return the oracle of one round."""


def require_size(size: object, n: int) -> int:
    """Return the number of clients of an order; VariantError unless it is an integer from 1 to n."""
    if isinstance(size, bool) or not isinstance(size, int | np.integer) or not 1 <= size <= n:
        raise VariantError(f"an order of {size!r} clients was asked for, expected an integer from 1 to {n}")
    return int(size)


def to_float_points(x: np.ndarray) -> np.ndarray:
    """Convert a float run's state back to floats if a step's fractions made it an object array."""
    if x.dtype != object or not all(isinstance(v, float | int | Fraction) for v in x.flat):
        return x
    return x.astype(float)


class RandomOracle(Oracle):
    """Draws from the counter-based streams of (seed, repetition, round)."""

    def __init__(self, instance: FederatedInstance, seed: int, repetitions: np.ndarray, round_: int) -> None:
        self.instance = instance
        self._orders: Callable[[int, int], np.ndarray] = lambda n, size: streams.ordered_samples(
            seed, repetitions, round_, n, size
        )  # no attribute reveals the round
        chain = streams.round_chain(seed, repetitions, round_)
        self.chance = StreamChance(seed, repetitions, round_)
        self._uniforms: Callable[[Client, np.ndarray], np.ndarray] = lambda client, indices: streams.uniform_from_chain(
            chain[:, None], client if isinstance(client, int) else np.asarray(client)[..., None], indices
        )

    def order(self, size: int | None = None) -> np.ndarray:
        n = self.instance.n_clients
        return self._orders(n, n if size is None else require_size(size, n))

    def _numbers_of_run(self, x: np.ndarray) -> np.ndarray:
        return to_float_points(x)

    def gradient(self, x: np.ndarray, client: Client, k: int = 0) -> np.ndarray:
        x = to_float_points(x)
        gradient = self._true_gradient(x, client, k)
        draws = self.instance.draws
        if draws == 0:
            return gradient
        return gradient + self.instance.noise(x, client, self._uniforms(client, k * draws + np.arange(draws)))


def random_oracle(instance: FederatedInstance, seed: int, repetitions: np.ndarray, round_: int) -> Oracle:
    """Return the oracle of a simulated round: ``instance.oracle(chance)``, if the instance has its own."""
    if isinstance(instance, OwnOracle):
        return instance.oracle(StreamChance(seed, repetitions, round_))
    return RandomOracle(instance, seed, repetitions, round_)
