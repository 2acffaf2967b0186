"""Algorithms as pairs of pure functions, the oracle they may ask, and the only loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
from flint import fmpq

from fltheory import streams
from fltheory.case import Case, Client, FederatedInstance, OfClients
from fltheory.number import RATIONAL, NotRational, Number, Ring, to_float
from fltheory.number.elements import read, run_on
from fltheory.number.signals import of_library
from fltheory.runs.chance import Drawn
from fltheory.runs.method import Method, NotEnumerable, VariantError, about, shape_of
from fltheory.runs.offers import OwnOracle
from fltheory.symbols import VOCABULARY

FAR = 1e100  # a state beyond may overflow in one step
SIMULATED = 50_000  # rounds of a run that is simulated step by step at most
HELD = 4_000_000  # floats of the states of one run at most
Step = Callable[[np.ndarray, Any, Any], np.ndarray]  # x, an oracle of the instance, constants

ROUND, POINT, ITEMS, SET, ROUNDING = (
    "round",
    "point",
    "items",
    "set",
    "rounding",
)  # kinds of steps: what their states mean


@dataclass(frozen=True)
class Algorithm(Method):
    """``init(start) -> state`` and ``step(x, oracle, c) -> x``: one round, arrays lead with a seed axis.

    ``c`` holds the constants under their canonical names (``c.step_size``). The step is a pure function, the same in
    every round: no memory between calls, no randomness but the oracle's, and no seed that looks at another.

    The other fields describe *this* step: ``law`` (exact moments of a round on quadratics), ``kernel`` (a compiled
    twin of the whole run), ``anonymous`` (clients matter through their gradients only, so equal clients may be
    exchanged when orders are enumerated), ``batches`` (mini-batches that a local step may ask for: its stochastic gradients
    count k from 0 through all local steps), ``ordered`` (False: only the set of clients matters, not their order), ``watched``
    (its step compares every local step with the limits that the case gives). ``kind``: what its states mean
    (``fltheory.scrutiny.kinds``), by default what those of the algorithm mean whose place it takes.
    """

    init: Callable[[np.ndarray], np.ndarray] = np.array
    law: Callable[..., Any] | None = field(default=None, metadata=about("step", "init"))
    kernel: Callable[..., np.ndarray | None] | None = field(default=None, metadata=about("step", "init"))
    anonymous: bool = field(default=False, metadata=about("step"))
    batches: int = field(default=1, metadata=about("step", believed=True))
    ordered: bool = field(default=True, metadata=about("step", believed=True))
    kind: str | None = None
    watched: bool = field(default=False, metadata=about("step", believed=True))

    @property
    def own(self) -> bool:
        """Whether it is the library's, of which more is known than of a user's."""
        return self.law is not None


class Oracle:
    """What an algorithm may ask in one round. Subclasses draw at random, enumerate, or compute in closed form."""

    instance: FederatedInstance

    def _true_gradient(self, x: np.ndarray, client: Client, k: int) -> np.ndarray:
        """The instance's gradient; VariantError for a client or a local step that there is not."""
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 0:
            raise VariantError(f"a gradient was asked for local step {k!r}, expected an integer from 0")
        self._require_client(client)
        try:
            return self.instance.gradient(x, client)
        except Exception as error:
            if x.dtype == object:  # perhaps only exact numbers are too much for it
                raise
            raise VariantError(f"{type(self.instance).__name__}.gradient: {error}") from error

    def _require_client(self, client: Client) -> None:
        clients, n = np.asarray(client), self.instance.n_clients
        if clients.dtype.kind not in "iu" or (clients.size and not 0 <= clients.min() <= clients.max() < n):
            raise VariantError(f"a gradient was asked of client {client}, expected integers from 0 to {n - 1}")

    def order(self, size: int | None = None) -> np.ndarray:
        """A uniformly random order of ``size`` clients (default: all), shape (seeds, size), the same all round."""
        raise NotImplementedError

    def gradient(self, x: np.ndarray, client: Client, k: int = 0) -> np.ndarray:
        """The stochastic gradient of a client's ``k``-th local step, shape (seeds, dim).

        Noise is drawn afresh for every (round, client, k): asking twice with the same triple gives the same noise.
        """
        raise NotImplementedError

    def loss(self, x: np.ndarray, client: Client, k: int = 0) -> np.ndarray:
        """The loss at x on the mini-batch of a client's ``k``-th local step, (seeds,); VariantError where none is told."""
        raise VariantError("a loss was asked for, but this oracle tells gradients only")


def required_size(size: object, n: int) -> int:
    """How many clients an order shall have; VariantError unless that is an integer from 1 to n."""
    if isinstance(size, bool) or not isinstance(size, int | np.integer) or not 1 <= size <= n:
        raise VariantError(f"an order of {size!r} clients was asked for, expected an integer from 1 to {n}")
    return int(size)


def as_floats(x: np.ndarray) -> np.ndarray:
    """What a run in floats goes on with where a step's own fractions made its numbers objects."""
    if x.dtype != object or not all(isinstance(v, float | int | Fraction) for v in x.flat):
        return x
    return x.astype(float)


class RandomOracle(Oracle):
    """Draws from the counter-based streams of (seed, repetition, round)."""

    def __init__(self, instance: FederatedInstance, seed: int, repetitions: np.ndarray, round_: int) -> None:
        self.instance = instance
        self._orders: Callable[[int, int], np.ndarray] = lambda n, size: streams.orders(
            seed, repetitions, round_, n, size
        )  # no attribute tells the round
        chain = streams.of_round(seed, repetitions, round_)
        self._uniform: Callable[[Client, int], np.ndarray] = lambda client, index: streams.uniform_in(
            chain, client, index
        )

    def order(self, size: int | None = None) -> np.ndarray:
        n = self.instance.n_clients
        return self._orders(n, n if size is None else required_size(size, n))

    def gradient(self, x: np.ndarray, client: Client, k: int = 0) -> np.ndarray:
        x = as_floats(x)
        gradient = self._true_gradient(x, client, k)
        draws = self.instance.draws
        if draws == 0:
            return gradient
        uniforms = np.stack([self._uniform(client, k * draws + i) for i in range(draws)], axis=-1)
        return gradient + self.instance.noise(x, client, uniforms)


def random_oracle(instance: FederatedInstance, seed: int, repetitions: np.ndarray, round_: int) -> Oracle:
    """The oracle of a simulated round: the instance's own kind, where it has one (``instance.oracle(chance)``)."""
    if isinstance(instance, OwnOracle):
        return instance.oracle(Drawn(seed, repetitions, round_))
    return RandomOracle(instance, seed, repetitions, round_)


class MissingConstant(VariantError, AttributeError):
    """A constant was asked for that the case doesn't give."""


class Constants(SimpleNamespace):
    """The constants of a run by canonical name, not to be changed; see ``run_constants``."""

    def __setattr__(self, name: str, value: object) -> None:
        raise VariantError(f"the constants of a run can't be changed: {name}")

    def __delattr__(self, name: str) -> None:
        raise VariantError(f"the constants of a run can't be changed: {name}")

    def get(self, name: str, default: object = None) -> Any:
        """The constant, or what stands for it where the case doesn't give it."""
        known = vars(self)
        return self.__getattr__(name) if name in known.get("_irrational", ()) else known.get(name, default)

    def __getattr__(self, name: str) -> Any:
        if name in self.__dict__.get("_irrational", ()):
            raise NotRational(f"needs {name}, which is irrational")
        if name in VOCABULARY:
            raise MissingConstant(f"the case gives no {name}: {VOCABULARY[name].text}")
        raise MissingConstant(f"{name} is no constant of the vocabulary (fltheory.symbols)")


def run_constants(case: Case, ring: Ring | None) -> Constants:
    """The case's constants by canonical name: ints as they are, the rest as floats or ring elements.

    A constant that the ring can't hold may not be needed at all: NotRational where it is asked for.
    """
    everyone = case.instance.n_clients if isinstance(case.instance, OfClients) else 1
    values: dict[str, Any] = {"server_step_size": 1, "n_participating": everyone}
    values |= {s.name: v for s, v in case.constants.items()}

    def convert(name: str, value: Number) -> Any:
        counted = name not in VOCABULARY or "integer" in VOCABULARY[name].domain
        if isinstance(value, int) and (counted or ring is not RATIONAL):
            return value
        return to_float(value) if ring is None else ring.scalar(value)

    converted, irrational = {}, set()
    for name, value in values.items():
        try:
            converted[name] = convert(name, value)
        except NotRational:
            irrational.add(name)
    return Constants(**converted, _irrational=irrational)


def taking_part(instance: FederatedInstance, c: Constants) -> int:
    """How many clients take part in a round; VariantError for more than there are."""
    size = int(c.n_participating)
    if size > instance.n_clients:
        raise VariantError(f"n_participating = {size}, but the instance has {instance.n_clients} clients")
    return size


def start_state(algorithm: Algorithm, case: Case[FederatedInstance], n: int, ring: Ring | None) -> np.ndarray:
    """The start, repeated for every seed: (n, dim)."""
    instance = case.instance
    if ring is None:
        row = np.array([to_float(v) for v in instance.start])
    else:
        row = np.array([ring.scalar(v) for v in instance.start] + [None], dtype=object)[:-1]
    return algorithm.init(np.tile(row, (n, 1)))


def rollout(
    algorithm: Algorithm,
    case: Case[FederatedInstance],
    n_seeds: int,
    seed: int = 0,
    first: int = 0,
    kernel: bool = True,
    rounds: int | None = None,
) -> np.ndarray:
    """The states at the start of rounds 0..R, shape (seeds, R + 1, dim), in floats.

    Where ``rounds`` is given: of so many rounds at most, until a state leaves ``FAR``. Else of all rounds of the case;
    NotEnumerable where these are too many to simulate.
    Repetitions ``first .. first + n_seeds - 1`` of ``seed``: blocks may be cut anywhere.
    """
    instance = case.instance
    repetitions = np.arange(first, first + n_seeds)
    c = run_constants(case, None)
    taking_part(instance, c)
    if rounds is None:
        _require_few(c.n_rounds, HELD // instance.dim)
    if kernel and algorithm.kernel is not None:
        fast = algorithm.kernel(instance, c, seed, repetitions)
        if fast is not None:
            return fast
    if rounds is None:
        _require_few(c.n_rounds, SIMULATED)
    x = start_state(algorithm, case, n_seeds, None)
    last = c.n_rounds if rounds is None else rounds
    states = np.empty((n_seeds, last + 1, instance.dim))
    states[:, 0] = x
    for r in range(last):
        x = checked_step(algorithm, x, random_oracle(instance, seed, repetitions, r), c, r)
        states[:, r + 1] = x
        if rounds is not None and not (np.abs(x) <= FAR).all():
            return states[:, : r + 2]
    return states


def _require_few(rounds: int, most: int) -> None:
    """NotEnumerable for more rounds than that."""
    if rounds > most:
        raise NotEnumerable(f"{rounds} rounds are too many to simulate")


def checked_step(algorithm: Algorithm, x: np.ndarray, oracle: Oracle, c: Constants, round_: int) -> np.ndarray:
    """One step; VariantError where it fails or returns another shape or NaN.

    On exact numbers (dtype object) a step that these don't allow, such as tanh, is NotEnumerable.
    """
    exact, step = x.dtype == object, algorithm.step
    on_elements = exact and not of_library(step)
    given = (run_on, step, x, oracle, c) if on_elements else (step, x, oracle, c)
    new = algorithm.call(*given, round_=round_, exact=exact)
    if type(new) is not np.ndarray or new.shape != x.shape:
        raise VariantError(
            f"{algorithm.name} returned {shape_of(new)} in round {round_}, expected an array of shape {x.shape}"
        )
    if exact:
        return _same_kind(new, x)
    new = as_floats(new)
    if new.dtype.kind != "f":
        raise VariantError(f"{algorithm.name} returned {new.dtype} numbers in round {round_}, expected floats")
    if np.isnan(new).any():
        raise VariantError(f"{algorithm.name} returned NaN in round {round_}")
    away = np.isinf(new).any(axis=1)
    if away.any() and (np.abs(x[away]).max(axis=1) < FAR).any():  # from far out floats overflow: the run diverges
        raise VariantError(f"{algorithm.name} returned an infinite number in round {round_}")
    return new


def _same_kind(new: np.ndarray, old: np.ndarray) -> np.ndarray:
    """The new state, if it is still made of exact numbers; NotEnumerable if it holds floats."""
    kind = type(old.flat[0])
    if kind is fmpq and new.dtype == object:
        new = object_array([v if type(v) is kind else read(v) for v in new.flat], new.shape)
    if new.dtype != object or any(type(v) is not kind and not isinstance(v, int) for v in new.flat):
        raise NotEnumerable("the step leaves the exact numbers")
    return object_array([v if type(v) is kind else kind(v) for v in new.flat], new.shape)


def object_array(elements: list[Any], shape: tuple[int, ...]) -> np.ndarray:
    """An array of exact elements."""
    array = np.empty(len(elements), dtype=object)
    array[:] = elements
    return array.reshape(shape)
