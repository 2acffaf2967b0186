"""What points of a followed run can do, each with its value, and what they refuse, each with its reason."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fltheory.runs.distributions.affine import NotAffine
from fltheory.worst_case.any_dimension import (
    BlindFunction,
    BlindOracle,
    BlindPoints,
    BlindShape,
    hide_coordinates,
    reveal,
)

# (runs, clients, coordinates)
TABLE = np.array([[[Fraction(4 * r + 2 * m + i) for i in range(2)] for m in range(3)] for r in range(2)], dtype=object)

REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "shape from behind": (lambda x: x.shape[-1], "asks how many coordinates"),
    "a part of the shape": (lambda x: x.shape[0:2], "asks how many coordinates"),
    "shape compared": (lambda x: x.shape == (2, 3, 2), "asks how many coordinates"),
    "length of a point": (lambda x: len(x[0, 0]), "asks how many coordinates"),
    "through a point": (lambda x: list(x[0, 0]), "goes through the coordinates"),
    "sum over all": (lambda x: x.sum(), "puts the coordinates of a point together"),
    "sum over the last": (lambda x: x.sum(axis=2), "puts the coordinates of a point together"),
    "sum over the last too": (lambda x: x.sum(axis=(0, -1)), "puts the coordinates of a point together"),
    "mean over the last": (lambda x: np.mean(x, axis=-1), "puts the coordinates of a point together"),
    "average over all": (lambda x: np.average(x), "takes an average of points in a way"),
    "average over the last": (lambda x: np.average(x, axis=2), "puts the coordinates of a point together"),
    "weights of coordinates": (lambda x: np.average(x, axis=1, weights=np.ones((2, 3, 2))), "weights of other axes"),
    "weights that are points": (lambda x: np.average(x, axis=1, weights=x), "takes an average of points in a way"),
    "average with the weight": (lambda x: np.average(x, axis=1, returned=True), "takes an average of points in a way"),
    "sum somewhere": (lambda x: np.sum(x, axis=0, where=np.ones((1, 1, 1), bool)), "takes a sum of points in a way"),
    "sum into": (lambda x: x.sum(0, None, x[0]), "takes a sum of points in a way"),
    "reduced over the last": (lambda x: np.add.reduce(x, 2), "puts the coordinates of a point together"),
    "reduced by name": (lambda x: np.add.reduce(x, axis=-1), "puts the coordinates of a point together"),
    "reduced over all": (lambda x: np.add.reduce(x, axis=None), "puts the coordinates of a point together"),
    "a point reduced": (lambda x: np.add.reduce(x[0, 0]), "puts the coordinates of a point together"),
    "accumulated": (lambda x: np.add.accumulate(x), "takes add.accumulate of points"),
    "outer": (lambda x: np.multiply.outer(x, 2), "takes multiply.outer of points"),
    "inner product": (lambda x: x[0, 0] @ x[0, 0], "puts the coordinates of a point together"),
    "one's own": (lambda x: np.frompyfunc(abs, 1, 1)(x), "for each coordinate"),
    "sorted": (lambda x: np.sort(x), "takes sort of points"),
    "turned": (lambda x: np.swapaxes(x, 0, 2), "takes swapaxes of points"),
    "its own method": (lambda x: x.sort(), "asks for sort of points"),
    "numbers' kind": (lambda x: x.dtype, "asks for dtype of points"),
    "plain": (lambda x: np.asarray(x), "makes another array of points"),
    "one coordinate": (lambda x: x[0, 0, 0], "takes some coordinates"),
    "a part": (lambda x: x[:, :, 1:], "takes some coordinates"),
    "a part from behind": (lambda x: x[..., :1], "takes some coordinates"),
    "one from behind": (lambda x: x[..., 0], "takes some coordinates"),
    "an axis behind": (lambda x: x[..., None], "takes some coordinates"),
    "an axis behind all": (lambda x: x[:, :, :, None], "takes some coordinates"),
    "a mask": (lambda x: x[np.ones((2, 3, 2), bool)], "takes some coordinates"),
    "a list of them": (lambda x: x[0, 0, [0, 1]], "takes some coordinates"),
    "by points": (lambda x: x[x], "takes some coordinates"),
    "set": (lambda x: x.__setitem__((0, 0, 0), 1), "changes some coordinates"),
    "set to many": (lambda x: x.__setitem__(0, np.zeros(2)), "puts 2 numbers beside the coordinates"),
    "many beside": (lambda x: x + np.zeros(2), "puts 2 numbers beside the coordinates"),
    "a list beside": (lambda x: x * [0, 0], "puts 2 numbers beside the coordinates"),
    "either of many": (lambda x: np.where(np.ones(2, bool), x, x), "puts 2 numbers beside the coordinates"),
    "under others": (lambda x: np.concatenate([x, np.zeros((2, 3, 1))]), "puts points beside other arrays"),
    "into another": (lambda x: np.add(x, x, out=np.zeros((2, 3, 2), object)), "writes points into another array"),
    "an axis more": (lambda x: np.expand_dims(x, -1), "moves the axis of the coordinates"),
    "behind each other": (lambda x: np.concatenate([x, x], axis=-1), "moves the axis of the coordinates"),
    "another shape": (lambda x: np.zeros_like(x, shape=(2, 3, 5)), "puts 3 numbers beside the coordinates"),
    "text": (str, "writes points as text"),
    "truth": (bool, "asks points what only one number can tell"),
    "a number": (lambda x: float(x[0, 0]), "asks points what only one number can tell"),
    "one among them": (lambda x: 3 in x, "asks points what only one number can tell"),
}


@pytest.mark.parametrize(("ask", "reason"), REFUSED.values(), ids=REFUSED)
def test_points_refuse_what_could_tell_how_many_coordinates_there_are(ask: Callable[[Any], Any], reason: str) -> None:
    with pytest.raises(NotAffine, match=reason):
        ask(BlindPoints(TABLE.copy()))


GIVEN: dict[str, Callable[[Any], Any]] = {
    "arithmetic": lambda x: 2 * x - x / 3 + x**2,
    "a number for each run": lambda x: x * np.array([2, 3])[:, None, None],
    "numbers as a list": lambda x: x * [[[2]], [[3]]],
    "a number of numpy": lambda x: x * np.array(2),
    "one run": lambda x: x[1],
    "runs": lambda x: x[[1, 0]],
    "one client": lambda x: x[:, 1],
    "all coordinates": lambda x: x[:, 1, :],
    "all from behind": lambda x: x[..., :],
    "all after dots": lambda x: x[0, ...],
    "an axis between": lambda x: x[:, None],
    "a mask of runs": lambda x: x[np.array([True, False])],
    "a mask of clients": lambda x: x[np.ones((2, 3), bool)],
    "sum over clients": lambda x: x.sum(axis=1),
    "sum over runs and clients": lambda x: x.sum(axis=(0, 1)),
    "mean over clients": lambda x: np.mean(x, axis=1, keepdims=True),
    "average over clients": lambda x: np.average(x, axis=1),
    "weighted average": lambda x: np.average(x, axis=1, weights=[1, 2, 3]),
    "average by place": lambda x: np.average(x, -2, np.array([1, 2, 3])),
    "reduced over runs": lambda x: np.add.reduce(x),
    "reduced over both": lambda x: np.add.reduce(x, axis=(0, 1)),
    "reduced over clients": lambda x: np.add.reduce(x, 1),
    "stacked": lambda x: np.stack([x, 2 * x], axis=1),
    "one after another": lambda x: np.concatenate((x, x)),
    "either": lambda x: np.where(np.array([True, False])[:, None, None], x, 0),
    "zeros": lambda x: np.zeros_like(x),
    "copied": lambda x: x.copy(),
    "the largest": lambda x: np.maximum(x, 3),
}


@pytest.mark.parametrize("ask", GIVEN.values(), ids=GIVEN)
def test_points_do_as_plain_arrays_do_where_coordinates_are_alike(ask: Callable[[Any], Any]) -> None:
    found = ask(BlindPoints(TABLE.copy()))
    assert type(found) is BlindPoints
    assert (reveal(found) == ask(TABLE.copy())).all()


def test_points_may_be_written_run_by_run_and_pass_for_arrays() -> None:
    array = TABLE.copy()
    points = BlindPoints(array)
    points[0] = points[1]
    points += 1
    assert (reveal(points) == np.stack([TABLE[1], TABLE[1]]) + 1).all()
    assert isinstance(points, np.ndarray)
    assert isinstance(points.shape, tuple)
    assert (len(points), points.ndim, np.ndim(points), len(points.shape), points.shape[0], points.shape[-2]) == (
        2,
        3,
        3,
        3,
        2,
        3,
    )
    assert BlindShape((2, 3, 2)) == points.shape != BlindShape((3, 3, 2))
    assert [reveal(row).tolist() for row in points] == reveal(points).tolist()
    assert not hasattr(BlindPoints, "_array")


def test_only_arrays_with_axes_become_points() -> None:
    number, points = np.array(3), BlindPoints(TABLE)
    assert hide_coordinates(number) is number
    assert hide_coordinates(3) == 3
    assert hide_coordinates(points) is points
    assert type(hide_coordinates(np.zeros(2))) is BlindPoints


def test_parts_of_a_state_without_coordinates_and_constants_are_given_as_they_are() -> None:
    given: list[Any] = []

    def step(state: Any, *more: Any) -> Any:
        given.extend([state, *more])
        return state

    class Oracle:
        rounds = 3

        def gradient(self, x: np.ndarray, *, k: int) -> np.ndarray:
            assert type(x) is np.ndarray
            return x * k

    state = {"x": TABLE, "n": np.zeros((2, 1))}
    new = BlindFunction(step, (False, True))(state, Oracle(), 7)
    asked, oracle, constant = given
    assert (type(asked["x"]), type(asked["n"]), type(oracle), constant) == (BlindPoints, np.ndarray, BlindOracle, 7)
    assert new["x"] is TABLE
    assert oracle.rounds == 3
    assert type(oracle.gradient(asked["x"], k=2)) is BlindPoints
    BlindFunction(step)(state)
    assert type(given[-1]["n"]) is BlindPoints
