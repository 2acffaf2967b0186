"""Algorithms as pairs of pure functions, and the loop that simulates their rounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from flint import fmpq

from fltheory.model.case import Case, FederatedInstance
from fltheory.number import Number, Ring, exact, to_float
from fltheory.number.elements import read_rational, run_exact_init, run_exact_step
from fltheory.number.ownership import is_library
from fltheory.runs.constants import Constants, participants_per_round, run_constants
from fltheory.runs.method import Method, NotEnumerable, VariantError, describes_functions, shape_of
from fltheory.runs.oracle import Oracle, random_oracle, to_float_points
from fltheory.runs.protocols import HasDomain, has_capability
from fltheory.work import COMPILED_FLOATS_PER_UNIT, USER_STEP_COST, spend, spend_on

OVERFLOW_LIMIT = 1e100  # a larger state may overflow in one step
MAX_SIMULATED_ROUNDS = 50_000  # largest number of rounds that are simulated step by step
MAX_STORED_FLOATS = 4_000_000  # largest number of floats in the states of one run
Step = Callable[[np.ndarray, Any, Any], np.ndarray]  # x, an oracle of the instance, constants

ROUND, POINT, ITEMS, SET, ROUNDING = (
    "round",
    "point",
    "items",
    "set",
    "rounding",
)  # kinds of steps, by the meaning of their states


def points_as_state(start: np.ndarray, c: Constants) -> np.ndarray:
    """Return the points as the first state of a step without memory."""
    return np.array(start)


@dataclass(frozen=True)
class Algorithm(Method):
    """One round of a federated algorithm, as a pure function of its state.

    A step has no memory except its state and no randomness except the oracle's, and treats all runs of the batch alike.
    The optional fields after ``point`` describe this particular step; replacing the step drops them.

    Parameters
    ----------
    name : str
        The name of the algorithm in verdicts and plots.
    step : callable
        ``step(state, oracle, c) -> state`` performs one round. By default the state is an array of points of shape
        (runs, dim); ``oracle.gradient(x, i)`` is a gradient of client ``i``; ``c`` holds the constants under their
        canonical names (``c.step_size``), and ``c.round``, which counts from 0.
    init : callable, optional
        ``init(start, c) -> state`` makes the first state from the points where the runs start, shape (runs, dim). A state
        is an array, dict, tuple or dataclass of arrays whose first axis is the runs.
    point : callable, optional
        ``point(state)`` is the point (runs, dim) that the theorem is about. By default it is the state, or its part ``x``.
    law : callable, optional
        Exact moments of a round on quadratics.
    kernel : callable, optional
        A compiled implementation of a whole run.
    streaming_kernel : callable, optional
        A compiled run that returns only the last state or a weighted average and stores no other state.
    anonymous : bool
        Whether clients enter only through their gradients, so that equal clients may be exchanged.
    batches : int
        The number of mini-batches that a local step may request.
    ordered : bool
        Whether the order of the sampled clients matters.
    kind : str, optional
        What a state means (``fltheory.evidence.validation.step_kinds``); by default as in the algorithm that it replaces.
    watched : bool
        Whether the step compares every local step with the limits that the case gives.
    within : number, optional
        Distance from the start that no run exceeds. Sampled runs of a user's algorithm can confirm an upper bound only
        where this is given.

    Raises
    ------
    ValueError
        If ``within`` is not a positive number.

    Examples
    --------
    >>> from fltheory import Algorithm
    >>> def step(x, oracle, c):
    ...     return x - c.step_size * oracle.gradient(x, 0)
    >>> Algorithm("gradient descent", step).name
    'gradient descent'
    """

    init: Callable[..., Any] = points_as_state
    point: Callable[[Any], np.ndarray] | None = field(
        default=None, metadata=describes_functions("step", "init", believed=True)
    )
    law: Callable[..., Any] | None = field(default=None, metadata=describes_functions("step", "init"))
    kernel: Callable[..., np.ndarray | None] | None = field(default=None, metadata=describes_functions("step", "init"))
    streaming_kernel: Callable[..., np.ndarray | None] | None = field(
        default=None, metadata=describes_functions("step", "init")
    )
    anonymous: bool = field(default=False, metadata=describes_functions("step"))
    batches: int = field(default=1, metadata=describes_functions("step", believed=True))
    ordered: bool = field(default=True, metadata=describes_functions("step", believed=True))
    kind: str | None = None
    watched: bool = field(default=False, metadata=describes_functions("step", believed=True))
    within: Number = field(default=None, metadata=describes_functions("step", "init", believed=True))

    def __post_init__(self) -> None:
        if self.within is None:
            return
        try:
            object.__setattr__(self, "within", exact(self.within))
        except ValueError as error:
            raise ValueError(f"within of {self.name}: {error}") from None
        if not self.within > 0:
            raise ValueError(f"within of {self.name} must be positive, got {self.within}")

    @property
    def own(self) -> bool:
        """Whether all functions are the library's, of which more is known than of a user's."""
        return self.law is not None


def start_points(case: Case[FederatedInstance], n: int, ring: Ring | None) -> np.ndarray:
    """Return the starting point of the run, repeated for every seed: (n, dim)."""
    instance = case.instance
    if ring is None:
        row = np.array([to_float(v) for v in instance.start])
    else:
        row = np.array([ring.scalar(v) for v in instance.start] + [None], dtype=object)[:-1]
    return np.tile(row, (n, 1))


def start_state(algorithm: Algorithm, case: Case[FederatedInstance], n: int, ring: Ring | None) -> np.ndarray:
    """Return the first state of every seed, (n, width); (n, dim) if states are points."""
    points, c = start_points(case, n, ring), run_constants(case, ring)
    init, exact = algorithm.init, ring is not None
    given = (init, points, c) if is_library(init) or not exact else (run_exact_init, init, points, c)
    state = algorithm.call(*given, exact=exact)
    if type(state) is not np.ndarray or state.shape[:1] != (n,) or state.ndim != 2:
        raise VariantError(
            f"init of {algorithm.name} returned {shape_of(state)}, expected an array of shape {points.shape}"
        )
    return _same_kind(state, points) if exact else state.astype(float)


def rollout(
    algorithm: Algorithm,
    case: Case[FederatedInstance],
    n_seeds: int,
    seed: int = 0,
    first: int = 0,
    kernel: bool = True,
    rounds: int | None = None,
) -> np.ndarray:
    """Simulate the states at the start of rounds 0..R in floats, shape (seeds, R + 1, dim).

    With ``rounds`` the run has at most so many rounds and stops when a state exceeds ``OVERFLOW_LIMIT``. Without it the
    run has all rounds of the case; NotEnumerable if these are too many to simulate.
    The runs are repetitions ``first .. first + n_seeds - 1`` of ``seed``; results do not depend on how they are split.
    """
    instance = case.instance
    repetitions = np.arange(first, first + n_seeds)
    c = run_constants(case, None)
    participants_per_round(instance, c)
    if rounds is None:
        _require_few(c.n_rounds, MAX_STORED_FLOATS // instance.dim)
    if kernel and algorithm.kernel is not None:
        spend(_compiled_work(c, instance, n_seeds))
        fast = algorithm.kernel(instance, c, seed, repetitions)
        if fast is not None:
            return fast
    if rounds is None:
        _require_few(c.n_rounds, MAX_SIMULATED_ROUNDS)
    x = start_state(algorithm, case, n_seeds, None)
    last = c.n_rounds if rounds is None else rounds
    states = np.empty((n_seeds, last + 1, x.shape[1]))
    states[:, 0] = x
    for r in range(last):
        x = take_step(algorithm, x, random_oracle(instance, seed, repetitions, r), c, r)
        states[:, r + 1] = x
        if rounds is not None and not (np.abs(x) <= OVERFLOW_LIMIT).all():
            return states[:, : r + 2]
    return states


def stream_runs(
    algorithm: Algorithm,
    case: Case[FederatedInstance],
    n_seeds: int,
    weights: np.ndarray | None,
    seed: int = 0,
    first: int = 0,
) -> np.ndarray | None:
    """Return the last states of ``rollout``, or the averages with ``weights`` of rounds 0..R, (seeds, dim), in floats.

    The result has the same bits as one from stored states, but no state is stored. None if there is no compiled code.
    """
    instance, c = case.instance, run_constants(case, None)
    participants_per_round(instance, c)
    _require_few(c.n_rounds, MAX_STORED_FLOATS // instance.dim)
    if algorithm.streaming_kernel is None or algorithm.kernel is None:
        return None
    spend(_compiled_work(c, instance, n_seeds))
    return algorithm.streaming_kernel(instance, c, seed, np.arange(first, first + n_seeds), weights)


def _gradients_per_round(oracle: Oracle, c: Constants) -> int:
    """Estimate how many gradients a round requests."""
    if has_capability(oracle.instance, HasDomain):  # one loss
        return 1
    return oracle.instance.n_clients * max(1, int(c.get("n_local_steps", 1)))


def _compiled_work(c: Constants, instance: FederatedInstance, n: int) -> float:
    """Return the work of n simulated runs in compiled code."""
    return (
        n
        * c.n_rounds
        * instance.n_clients
        * max(1, int(c.get("n_local_steps", 1)))
        * instance.dim
        / COMPILED_FLOATS_PER_UNIT
    )


def _require_few(rounds: int, most: int) -> None:
    """Raise NotEnumerable if there are too many rounds to simulate."""
    if rounds > most:
        raise NotEnumerable(f"{rounds} rounds are too many to simulate")


def take_step(algorithm: Algorithm, x: np.ndarray, oracle: Oracle, c: Constants, round_: int) -> np.ndarray:
    """Take one step; VariantError if it fails or returns a wrong shape or NaN.

    On exact numbers (dtype object) an operation that they do not support, such as tanh, raises NotEnumerable.
    """
    exact, step, c = x.dtype == object, algorithm.step, c.in_round(round_)
    spend_on(x.size * _gradients_per_round(oracle, c), exact)
    if not is_library(step):
        spend(USER_STEP_COST)
    on_elements = exact and not is_library(step)
    given = (run_exact_step, step, x, oracle, c) if on_elements else (step, x, oracle, c)
    new = algorithm.call(*given, round_=round_, exact=exact)
    if type(new) is not np.ndarray or new.shape != x.shape:
        raise VariantError(
            f"{algorithm.name} returned {shape_of(new)} in round {round_}, expected an array of shape {x.shape}"
        )
    if exact:
        return _same_kind(new, x)
    new = to_float_points(new)
    if new.dtype.kind != "f":
        raise VariantError(f"{algorithm.name} returned {new.dtype} numbers in round {round_}, expected floats")
    if np.isnan(new).any():
        raise VariantError(f"{algorithm.name} returned NaN in round {round_}")
    away = np.isinf(new).any(axis=1)
    if (np.abs(x[away]).max(axis=1) < OVERFLOW_LIMIT).any():  # floats overflow only where the run diverges
        raise VariantError(f"{algorithm.name} returned an infinite number in round {round_}")
    return new


def _same_kind(new: np.ndarray, old: np.ndarray) -> np.ndarray:
    """Return the new state if it consists of exact numbers; NotEnumerable if it holds floats."""
    kind = type(old.flat[0])
    if new.dtype == object:
        new = object_array([v if type(v) is kind else _exact_or_same(v) for v in new.flat], new.shape)
    if new.dtype != object or any(type(v) not in (kind, fmpq, int) for v in new.flat):
        raise NotEnumerable("the step returns floats for exact numbers")
    return object_array([v if type(v) is kind else kind(v) for v in new.flat], new.shape)


def _exact_or_same(value: object) -> object:
    """Return a user's number as a rational, and any other value unchanged."""
    known = read_rational(value)
    return value if known is None else known


def object_array(elements: list[Any], shape: tuple[int, ...]) -> np.ndarray:
    """Return the values as an array of exact elements."""
    array = np.empty(len(elements), dtype=object)
    array[:] = elements
    return array.reshape(shape)
