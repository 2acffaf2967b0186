"""A step that is followed for every dimension can't count coordinates, nor take some of them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fltheory.runs.algorithm import Algorithm
from fltheory.runs.measures import LastDistance
from fltheory.worst_case.bracket import worst_case
from fltheory.worst_case.functions import Smooth
from fltheory.worst_case.trace import OutOfReach

ASKED: dict[str, Any] = {"n_clients": 1, "n_local_steps": 1, "n_rounds": 1, "step_size": "1/2", "initial_distance": 1}


def plain(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    return x - c.step_size * oracle.gradient(x, 0)


def upper(step: Callable[..., Any], **more: Any) -> Fraction | None:
    algorithm = Algorithm("mine", step, **more)
    return worst_case(algorithm, Smooth(1, "1/10"), LastDistance(), **ASKED).upper


def many(told: Callable[[Any], Any]) -> Callable[..., Any]:
    """Another step where there are many coordinates: from which number on is what a step could choose."""

    def step(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
        return plain(x, oracle, c) * (5 if told(x) else 1)

    return step


COUNTS: dict[str, Callable[[Any], Any]] = {
    "shape": lambda x: x.shape[1] > 600,
    "shape from behind": lambda x: x.shape[-1] > 600,
    "all of the shape": lambda x: dict(enumerate(x.shape)).get(1, 0) > 600,
    "equal shapes": lambda x: x.shape == (1, 601),
    "size": lambda x: x.size > 600,
    "len": lambda x: len(x[0]) > 600,
    "turned": lambda x: len(x.T) > 600,
    "numpy's shape": lambda x: np.shape(x)[1] > 600,
    "numpy's size": lambda x: np.size(x, 1) > 600,
    "plain": lambda x: np.asarray(x).shape[1] > 600,
    "copied": lambda x: np.array(x).shape[1] > 600,
    "list": lambda x: len(x.tolist()[0]) > 600,
    "listed": lambda x: len(list(x[0])) > 600,
    "ones": lambda x: (0 * x + 1).sum(axis=1)[0] > 600,
    "all ones": lambda x: np.ones_like(x).sum() > 600,
    "zeros": lambda x: np.zeros(x.shape).shape[1] > 600,
    "columns": lambda x: len([1 for _ in x.T]) > 600,
    "beyond": lambda x: x[:, 600:].size,
    "view": lambda x: x.view(np.ndarray).shape[1] > 600,
    "strides": lambda x: x.strides[0] > 4800,
    "bytes": lambda x: x.nbytes > 4800,
    "broadcast": lambda x: np.broadcast_shapes(np.shape(x), (1, 1))[1] > 600,
    "gradients": lambda x: (x - x).shape[1] > 600,
}


@pytest.mark.parametrize("told", COUNTS.values(), ids=COUNTS)
def test_a_step_that_counts_coordinates_is_not_followed_for_every_dimension(told: Callable[[Any], Any]) -> None:
    with pytest.raises(OutOfReach, match=r"coordinates|asks for|takes|makes another"):
        upper(many(told))


def first_three(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    new = plain(x, oracle, c)
    new[:, 3:] = x[:, 3:]
    return new


def top_three(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    """Of two or three coordinates all."""
    move = oracle.gradient(x, 0)
    if move.shape[1] <= 3:
        return x - c.step_size * move
    return x - c.step_size * np.where(np.argsort(np.argsort(-abs(move))) < 3, move, 0)


@pytest.mark.parametrize("step", [first_three, top_three], ids=lambda f: f.__name__)
def test_a_step_that_takes_some_coordinates_is_not_followed(step: Callable[..., Any]) -> None:
    with pytest.raises(OutOfReach, match=r"takes|changes|coordinates"):
        upper(step)


def test_a_first_state_that_counts_coordinates_is_not_followed() -> None:
    def init(start: np.ndarray, c: Any) -> dict[str, Any]:
        return {"x": start, "many": 0 * start[:, 0] + (start.shape[1] > 600)}

    def step(state: dict[str, Any], oracle: Any, c: Any) -> dict[str, Any]:
        return {"x": plain(state["x"], oracle, c), "many": state["many"]}

    with pytest.raises(OutOfReach):
        upper(step, init=init)


def stacked(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    moves = np.stack([oracle.gradient(x, m) for m in range(c.n_clients)], axis=1)
    return x - c.step_size * moves.mean(axis=1) + np.zeros_like(x) * len(x) * x.shape[0]


@pytest.mark.parametrize("step", [stacked, plain], ids=lambda f: f.__name__)
def test_what_treats_coordinates_alike_is_followed(step: Callable[..., Any]) -> None:
    found = upper(step)
    assert found is not None
    assert abs(found - Fraction(361, 400)) < Fraction(1, 10**5)


def test_a_state_of_its_own_is_followed() -> None:
    def init(start: np.ndarray, c: Any) -> dict[str, Any]:
        return {"x": start, "speed": 0 * start}

    def step(state: dict[str, Any], oracle: Any, c: Any) -> dict[str, Any]:
        speed = state["speed"] + oracle.gradient(state["x"], 0)
        return {"x": state["x"] - c.step_size * speed, "speed": speed}

    assert upper(step, init=init) == pytest.approx(float(Fraction(361, 400)), abs=1e-5)
