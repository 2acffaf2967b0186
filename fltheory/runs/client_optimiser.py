"""Optimisers of the clients, which restart in every round, and federated averaging with them.

``step(x, state, ask, c) -> (x, state)`` is one local step of one client, from points (rows, dim). ``init(x, c)`` is the
state of a client at the start of a round. ``ask.gradient(x, batch)`` is the stochastic gradient at x on one of the
``batches`` mini-batches of this local step, counted from 0. Two calls with the same batch have the same noise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
from flint import arb

from fltheory.number import Element, Number, as_number, to_float
from fltheory.number.mixed import is_zero, may_be_zero
from fltheory.runs.algorithm import ROUND, Algorithm
from fltheory.runs.constants import Constants, participants_per_round
from fltheory.runs.method import AssumptionFailed, Method, VariantError, describes_functions, shape_of
from fltheory.runs.oracle import Oracle
from fltheory.runs.step_rule import StepRule, auto_tuned, next_steps, squared_length

Batches = Literal["fresh", "pair", "same", "reuse"]
BATCHES_PER_STEP: dict[Batches, int] = {"fresh": 3, "pair": 2, "same": 1, "reuse": 1}
_LIMIT_TOLERANCE = 1e-9  # tolerance for step sizes outside the limits of a case
_DIFFERENCE_ERROR = 2.0**-48  # error of the difference of two points, relative to them


class ClientOracle:
    """The oracle of a client in its k-th local step of a round; its mini-batches begin at ``first``.

    ``batches`` is their number, None if unknown. ``answer_log`` lists the points and gradients of the calls in order.
    """

    def __init__(self, oracle: Oracle, client: Any, first: int, batches: int | None = None) -> None:
        self._oracle, self._client, self._first, self._batches = oracle, client, first, batches
        self.answer_log: list[tuple[np.ndarray, np.ndarray]] = []

    def _count(self, batch: int) -> int:
        """Return the number of the mini-batch in the round; VariantError if it belongs to another local step."""
        if isinstance(batch, bool) or not isinstance(batch, int | np.integer) or batch < 0:
            raise VariantError(f"mini-batch {batch!r} of a local step was asked for, expected an integer from 0")
        if self._batches is not None and batch >= self._batches:
            raise VariantError(
                f"mini-batch {batch} of a local step was asked for, but its optimiser has batches = {self._batches}: "
                f"expected one from 0 to {self._batches - 1}"
            )
        return self._first + int(batch)

    def gradient(self, x: np.ndarray, batch: int = 0) -> np.ndarray:
        """Return the stochastic gradient at x on a mini-batch of this step, (rows, dim)."""
        found = self._oracle.gradient(x, self._client, self._count(batch))
        self.answer_log.append((x.copy(), found.copy()))
        return found

    def place(self, row: int) -> str:
        """Name the client of a row."""
        return f"client {self._client if np.ndim(self._client) == 0 else self._client[row]}"

    def loss(self, x: np.ndarray, batch: int = 0) -> np.ndarray:
        """Return the loss at x on a mini-batch of this step, (rows,), if the oracle returns losses."""
        return self._oracle.loss(x, self._client, self._count(batch))


@dataclass(frozen=True)
class ClientOptimiser(Method):
    """A pair of pure functions, see above; ``own`` marks the library's, which keep no memory except the state."""

    init: Callable[[np.ndarray, Any], Any]
    batches: int = 1
    own: bool = field(default=False, metadata=describes_functions("step", "init"))


def federated_averaging(optimiser: ClientOptimiser, name: str = "") -> Algorithm:
    """Return federated averaging: ``c.n_participating`` clients take ``c.n_local_steps`` steps; the server averages."""
    drawn = optimiser.batches
    if isinstance(drawn, bool) or not isinstance(drawn, int) or drawn < 1:
        raise ValueError(
            f"{optimiser.name}: batches = {drawn!r}, expected the number of mini-batches of a local step, at least 1"
        )

    def step(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
        size, total = participants_per_round(oracle.instance, c), x * 0
        for client in oracle.order(size).T:
            y, state = x, optimiser.init(x, c)
            for k in range(c.n_local_steps):
                ask = ClientOracle(oracle, client, k * drawn, drawn)
                before = y if optimiser.own else y.copy()
                y, state = _local_step(optimiser, y, state, ask, c)
                require_step_in_limits(optimiser.name, before, y, ask, c, k)
            total = total + y
        return total / size

    own = optimiser.believed().own
    return Algorithm(
        name or optimiser.name, step, anonymous=own, batches=drawn, ordered=False, kind=ROUND, watched=True
    )


def _local_step(
    optimiser: ClientOptimiser, x: np.ndarray, state: Any, ask: ClientOracle, c: Constants
) -> tuple[np.ndarray, Any]:
    """Take one local step; VariantError unless it returns points and a state."""
    found = optimiser.step(x, state, ask, c)
    if not isinstance(found, tuple) or len(found) != 2:
        raise VariantError(
            f"a local step of {optimiser.name} returned {type(found).__name__}, expected a pair (x, state)"
        )
    shape = shape_of(found[0])
    if shape != str(x.shape):
        raise VariantError(f"a local step of {optimiser.name} returned {shape}, expected points of shape {x.shape}")
    return found


class AdaptiveState(NamedTuple):
    """A client's last point and gradient, the last step size and its ratio to the one before."""

    before: np.ndarray | None  # None at the start of a round
    gradient: Any
    lr: np.ndarray
    ratio: np.ndarray


def adaptive_optimiser(rule: StepRule = auto_tuned, batches: Batches = "pair", name: str = "") -> ClientOptimiser:
    """Return Delta-SGD (Algorithm 1), or a variant with another step-size rule.

    Line 9 compares gradients at the last two points. ``fresh``: every gradient has its own mini-batch; ``pair``:
    the two gradients of line 9 share one, line 8 has another; ``same``: line 8 uses it too (the released code);
    ``reuse``: line 9 uses the gradients of the client's last step and of its next one.
    """
    if batches not in BATCHES_PER_STEP:
        raise ValueError(f"batches = {batches!r}: expected one of {', '.join(BATCHES_PER_STEP)}")

    def init(x: np.ndarray, c: Constants) -> AdaptiveState:
        def of(value: Number) -> np.ndarray:
            found = np.empty(len(x), dtype=x.dtype)
            found[:] = value
            return found

        return AdaptiveState(None, None, of(c.initial_step_size), of(c.initial_ratio))

    def step(x: np.ndarray, state: AdaptiveState, ask: ClientOracle, c: Constants) -> tuple[np.ndarray, AdaptiveState]:
        gradient = ask.gradient(x, 0)
        lr, ratio = state.lr, state.ratio
        if state.before is not None:
            now, then = gradient, state.gradient
            if batches == "fresh":
                now, then = ask.gradient(x, 1), ask.gradient(state.before, 2)
            elif batches == "pair":
                now, then = ask.gradient(x, 1), ask.gradient(state.before, 1)
            elif batches == "same":
                then = ask.gradient(state.before, 0)
            moved = squared_length(x - state.before)
            new = next_steps(rule, lr, ratio, moved, squared_length(now - then), c)
            lr, ratio = new, _ratio(new, lr, ratio, moved)
        return x - lr[:, None] * gradient, AdaptiveState(x, gradient, lr, ratio)

    return ClientOptimiser(name or f"{rule.name}, {batches}", step, init, BATCHES_PER_STEP[batches], rule.own)


def require_step_in_limits(name: str, x: np.ndarray, y: np.ndarray, ask: ClientOracle, c: Constants, k: int) -> None:
    """Raise AssumptionFailed unless y = x - eta g, with g the first gradient requested at x and eta in the limits.

    Floats are compared up to rounding. An exact step size counts as outside only if it certainly is.
    """
    limits = vars(c)
    if not {"least_step", "largest_step"} & limits.keys():
        return
    low, high = limits.get("least_step", 0.0), limits.get("largest_step", np.inf)
    here = [g for at, g in ask.answer_log if _same(at, x)]
    if not here:
        raise AssumptionFailed(
            f"{ask.place(0)}, local step {k}: {name} requests no gradient at its point; the claim is about such steps"
        )
    if x.dtype == object:
        found, outside, astray = *_exact_implied_steps(x - y, here[0], low, high), np.zeros(len(x), dtype=bool)
    else:
        found, outside, astray = _implied_steps(x, y, here[0], low, high)
    if astray.any():
        row = int(np.argmax(astray))
        raise AssumptionFailed(
            f"{ask.place(row)}, local step {k}: {name} does not move along its gradient; the claim is about such steps"
        )
    if outside.any():
        row = int(np.argmax(outside))
        raise AssumptionFailed(
            f"{ask.place(row)}, local step {k}: the step {_format_number(found[row])} of {name} leaves "
            f"[least_step, largest_step] = [{_format_number(low)}, {_format_number(high)}]: the claim is about steps within"
        )


def _implied_steps(
    x: np.ndarray, y: np.ndarray, gradient: np.ndarray, low: float, high: float
) -> tuple[np.ndarray, ...]:
    """Return for every row, in floats: eta, whether it is outside the limits, whether y - x is not a multiple of g."""
    move, length = x - y, squared_length(gradient)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        unsure = _DIFFERENCE_ERROR * (np.abs(x).max(axis=1) + np.abs(y).max(axis=1))
        found = np.where(length > 0, (move * gradient).sum(axis=1) / length, 0.0)
        rest, size = np.abs(move - found[:, None] * gradient).max(axis=1), np.abs(move).max(axis=1)
        near = np.where(length > 0, unsure * np.sqrt(x.shape[1] / length), np.inf)
        outside = (found < low * (1 - _LIMIT_TOLERANCE) - near) | (found > high * (1 + _LIMIT_TOLERANCE) + near)
        return found, outside, rest > unsure + _LIMIT_TOLERANCE * size


def _exact_implied_steps(
    move: np.ndarray, gradient: np.ndarray, low: Element | float, high: Element | float
) -> tuple[np.ndarray, np.ndarray]:
    """Return for every row, exactly: eta (0 if the gradient may be 0), and whether it is surely outside the limits."""
    length, along = squared_length(gradient), (move * gradient).sum(axis=1)
    sure = [bool(v > 0) for v in length]
    found = np.empty(len(move), dtype=object)
    found[:] = [a / v if s else 0 for a, v, s in zip(along, length, sure, strict=True)]
    outside = [s and (bool(v < low) or bool(v > high)) for v, s in zip(found, sure, strict=True)]
    return found, np.array(outside, dtype=bool)


def _format_number(value: Number) -> str:
    return f"{value if isinstance(value, float) else to_float(as_number(value)):g}"


def _same(one: np.ndarray, two: np.ndarray) -> bool:
    """Return whether two arrays hold the same numbers; exact arrays must hold the same objects."""
    if one.dtype != object:
        return np.array_equal(one, two)
    return one.shape == two.shape and all(u is v for u, v in zip(one.flat, two.flat, strict=True))


def _ratio(new: np.ndarray, old: np.ndarray, last: np.ndarray, moved: np.ndarray) -> np.ndarray:
    """Return the ratio of two step sizes: the previous ratio if the client has not moved, 0 if a step size is 0."""
    if new.dtype == object:
        found = new / old
        for i, way in enumerate(moved):
            if is_zero(way):
                found[i] = last[i]
            elif may_be_zero(way):
                found[i] = arb(found[i]).union(arb(last[i]))
        return found
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(moved > 0, np.where(old > 0, new / old, 0.0), last)
