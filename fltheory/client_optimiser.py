"""What clients do with their gradients: an optimiser that begins anew in every round, and federated averaging over it.

``step(x, state, ask, c) -> (x, state)`` is one local step of one client, from points (rows, dim); ``init(x, c)`` makes the
state with which a client begins a round. ``ask.gradient(x, batch)`` is the stochastic gradient at x on one of the
``batches`` mini-batches, counted from 0, that belong to this local step: asked twice of the same batch it has the same noise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from fltheory.algorithm import Algorithm, Oracle, VariantError, taking_part
from fltheory.signals import of_library
from fltheory.step_rule import StepRule, auto_tuned, chosen, squared

Batches = Literal["fresh", "pair", "same", "reuse"]
DRAWN: dict[Batches, int] = {"fresh": 3, "pair": 2, "same": 1, "reuse": 1}
_ROUNDING = 1e-9  # by which a step may leave the limits that a case gives


class Ask:
    """What a client may ask in its k-th local step of a round, on mini-batches from ``first`` on, ``batches`` if known."""

    def __init__(self, oracle: Oracle, client: Any, first: int, batches: int | None = None) -> None:
        self._oracle, self._client, self._first, self._batches = oracle, client, first, batches

    def _count(self, batch: int) -> int:
        """The mini-batch's number in the round; VariantError for one of another local step."""
        if isinstance(batch, bool) or not isinstance(batch, int | np.integer) or batch < 0:
            raise VariantError(f"mini-batch {batch!r} of a local step was asked for, expected an integer from 0")
        if self._batches is not None and batch >= self._batches:
            raise VariantError(
                f"mini-batch {batch} of a local step was asked for, but its optimiser has batches = {self._batches}: "
                f"expected one from 0 to {self._batches - 1}"
            )
        return self._first + int(batch)

    def gradient(self, x: np.ndarray, batch: int = 0) -> np.ndarray:
        """The stochastic gradient at x on a mini-batch of this step, (rows, dim)."""
        return self._oracle.gradient(x, self._client, self._count(batch))

    def loss(self, x: np.ndarray, batch: int = 0) -> np.ndarray:
        """The loss at x on a mini-batch of this step, (rows,), of an oracle that tells losses."""
        tell: Any = getattr(self._oracle, "loss", None)
        if tell is None:
            raise VariantError("a loss was asked for, but this oracle tells gradients only")
        return tell(x, self._client, self._count(batch))


class _Fields(NamedTuple):
    name: str
    step: Callable[[np.ndarray, Any, Any, Any], tuple[np.ndarray, Any]]
    init: Callable[[np.ndarray, Any], Any]
    batches: int = 1
    own: bool = False


class ClientOptimiser(_Fields):
    """A pair of pure functions, see above; ``own``: the library's, known not to keep a memory besides its state."""

    def _replace(self, **changes: Any) -> ClientOptimiser:
        """A variant with some fields changed; a new step or start is a user's."""
        if {"step", "init"} & set(changes):
            changes = {"own": False, **changes}
        return ClientOptimiser(**{**self._asdict(), **changes})


def federated(optimiser: ClientOptimiser, name: str = "") -> Algorithm:
    """Federated averaging: ``c.n_participating`` clients take ``c.n_local_steps`` steps each, the server takes their mean."""
    drawn = optimiser.batches
    if isinstance(drawn, bool) or not isinstance(drawn, int) or drawn < 1:
        raise ValueError(
            f"{optimiser.name}: batches = {drawn!r}, expected how many mini-batches a local step has, at least 1"
        )

    def step(x: np.ndarray, oracle: Oracle, c: Any) -> np.ndarray:
        size, total = taking_part(oracle.instance, c), x * 0
        for client in oracle.order(size).T:
            y, state = x, optimiser.init(x, c)
            for k in range(c.n_local_steps):
                y, state = _moved(optimiser, y, state, Ask(oracle, client, k * drawn, drawn), c)
            total = total + y
        return total / size

    own = optimiser.own and of_library((optimiser.step, optimiser.init))
    return Algorithm(name or optimiser.name, step, anonymous=own, batches=drawn, ordered=False)


def _moved(optimiser: ClientOptimiser, x: np.ndarray, state: Any, ask: Ask, c: Any) -> tuple[np.ndarray, Any]:
    """One local step; VariantError where it returns no points and state."""
    found = optimiser.step(x, state, ask, c)
    if not isinstance(found, tuple) or len(found) != 2:
        raise VariantError(
            f"a local step of {optimiser.name} returned {type(found).__name__}, expected a pair (x, state)"
        )
    shape = found[0].shape if isinstance(found[0], np.ndarray) else type(found[0]).__name__
    if shape != x.shape:
        raise VariantError(f"a local step of {optimiser.name} returned {shape}, expected points of shape {x.shape}")
    return found


class Adaptive(NamedTuple):
    """Where a client was before its last step, the gradient that moved it, its last step size and that one's ratio."""

    before: Any  # None at the start of a round
    gradient: Any
    lr: np.ndarray
    ratio: np.ndarray


def adaptive(rule: StepRule = auto_tuned, batches: Batches = "pair", name: str = "") -> ClientOptimiser:
    """Delta-SGD (Algorithm 1), or the same with a step-size rule of one's own.

    The step size of line 8 comes from the gradients of line 9 at the last two points. ``fresh``: every gradient has a
    mini-batch of its own; ``pair``: the two of line 9 share one, line 8 has another; ``same``: line 8 uses that of line 9
    (the released code); ``reuse``: the gradients that moved the client last and will move it next. Where the case gives
    limits of the steps, one that a rule of one's own makes the client take outside of them is a VariantError.
    """
    if batches not in DRAWN:
        raise ValueError(f"batches = {batches!r}: expected one of {', '.join(DRAWN)}")

    def init(x: np.ndarray, c: Any) -> Adaptive:
        def of(value: Any) -> np.ndarray:
            found = np.empty(len(x), dtype=x.dtype)
            found[:] = value
            return found

        return Adaptive(None, None, of(c.initial_step_size), of(c.initial_ratio))

    def step(x: np.ndarray, state: Adaptive, ask: Any, c: Any) -> tuple[np.ndarray, Adaptive]:
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
            moved = squared(x - state.before)
            new = chosen(rule, lr, ratio, moved, squared(now - then), c)
            lr, ratio = new, _ratio(new, lr, ratio, moved)
        if not rule.own and lr.dtype != object:
            _require_within(rule, lr, c)
        return x - lr[:, None] * gradient, Adaptive(x, gradient, lr, ratio)

    return ClientOptimiser(name or f"{rule.name}, {batches}", step, init, DRAWN[batches], rule.own)


def _require_within(rule: StepRule, lr: np.ndarray, c: Any) -> None:
    """VariantError for a step outside [``c.least_step``, ``c.largest_step``], where the case gives such limits."""
    low, high = getattr(c, "least_step", 0.0), getattr(c, "largest_step", np.inf)
    outside = (lr < low * (1 - _ROUNDING)) | (lr > high * (1 + _ROUNDING))
    if outside.any():
        raise VariantError(
            f"{rule.name}: the step {lr[outside][0]:g} leaves [least_step, largest_step] = [{low:g}, {high:g}]: "
            "the claim assumes that no step does"
        )


def _ratio(new: np.ndarray, old: np.ndarray, last: np.ndarray, moved: np.ndarray) -> np.ndarray:
    """The ratio of two step sizes; as before where the client has not moved, 0 where a step size is."""
    if new.dtype == object:
        return new / old
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(moved > 0, np.where(old > 0, new / old, 0.0), last)
