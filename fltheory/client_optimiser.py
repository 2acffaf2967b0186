"""What clients do with their gradients: an optimiser that begins anew in every round, and federated averaging over it.

``step(x, state, ask, c) -> (x, state)`` is one local step of one client, from points (rows, dim); ``init(x, c)`` makes the
state with which a client begins a round. ``ask.gradient(x, batch)`` is the stochastic gradient at x on one of the
``batches`` mini-batches that belong to this local step: asked twice of the same batch it has the same noise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from fltheory.algorithm import Algorithm, Oracle, VariantError, taking_part
from fltheory.step_rule import StepRule, auto_tuned, chosen, squared

Batches = Literal["fresh", "pair", "same", "reuse"]
DRAWN: dict[Batches, int] = {"fresh": 3, "pair": 2, "same": 1, "reuse": 1}


class Ask:
    """What a client may ask in its k-th local step of a round."""

    def __init__(self, oracle: Oracle, client: Any, first: int) -> None:
        self._oracle, self._client, self._first = oracle, client, first

    def gradient(self, x: np.ndarray, batch: int = 0) -> np.ndarray:
        """The stochastic gradient at x on a mini-batch of this step, (rows, dim)."""
        return self._oracle.gradient(x, self._client, self._first + batch)

    def loss(self, x: np.ndarray, batch: int = 0) -> np.ndarray:
        """The loss at x on a mini-batch of this step, (rows,), of an oracle that tells losses."""
        tell: Any = getattr(self._oracle, "loss", None)
        if tell is None:
            raise VariantError("a loss was asked for, but this oracle tells gradients only")
        return tell(x, self._client, self._first + batch)


class ClientOptimiser(NamedTuple):
    """A pair of pure functions, see above; ``own``: the library's, known not to keep a memory besides its state."""

    name: str
    step: Callable[[np.ndarray, Any, Any, Any], tuple[np.ndarray, Any]]
    init: Callable[[np.ndarray, Any], Any]
    batches: int = 1
    own: bool = False


def federated(optimiser: ClientOptimiser, name: str = "") -> Algorithm:
    """Federated averaging: ``c.n_participating`` clients take ``c.n_local_steps`` steps each, the server takes their mean."""

    def step(x: np.ndarray, oracle: Oracle, c: Any) -> np.ndarray:
        size, total = taking_part(oracle.instance, c), x * 0
        for client in oracle.order(size).T:
            y, state = x, optimiser.init(x, c)
            for k in range(c.n_local_steps):
                y, state = optimiser.step(y, state, Ask(oracle, client, k * optimiser.batches), c)
            total = total + y
        return total / size

    return Algorithm(name or optimiser.name, step, anonymous=optimiser.own, batches=optimiser.batches, ordered=False)


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
    (the released code); ``reuse``: the gradients that moved the client last and will move it next.
    """

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
        return x - lr[:, None] * gradient, Adaptive(x, gradient, lr, ratio)

    return ClientOptimiser(name or f"{rule.name}, {batches}", step, init, DRAWN[batches], rule.own)


def _ratio(new: np.ndarray, old: np.ndarray, last: np.ndarray, moved: np.ndarray) -> np.ndarray:
    """The ratio of two step sizes; as before where the client has not moved, 0 where a step size is."""
    if new.dtype == object:
        return new / old
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(moved > 0, np.where(old > 0, new / old, 0.0), last)
