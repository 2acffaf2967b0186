"""What may be done with points whose coordinates are hidden gives what NumPy gives; all else is refused, with the reason."""

from __future__ import annotations

import copy
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

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
from fltheory.worst_case.functions import InterpolationData, class_constant
from fltheory.worst_case.functions.lipschitz import Lipschitz
from fltheory.worst_case.measures import Regret
from fltheory.worst_case.set_functions.answers import SetProblem
from fltheory.worst_case.set_functions.linear_forms import Game, replay

FLAT = np.arange(6.0).reshape(2, 3) - 2
DEEP = np.arange(12.0).reshape(2, 2, 3) - 5
LINE = np.array([1.0, -2.0, 3.0])
COUNTS = "asks how many coordinates there are"
SOME = "takes some coordinates of a point"
MIXED = "puts the coordinates of a point together"
MOVED = "moves the axis of the coordinates"

Act = Callable[[Any], Any]
ALLOWED: dict[str, tuple[np.ndarray, Act]] = {
    "row": (FLAT, lambda x: x[1]),
    "row from behind": (FLAT, lambda x: x[-1]),
    "rows": (FLAT, lambda x: x[:1]),
    "listed rows": (FLAT, lambda x: x[[1, 0, 1]]),
    "masked rows": (FLAT, lambda x: x[np.array([True, False])]),
    "listed mask": (FLAT, lambda x: x[[False, True]]),
    "row and all": (FLAT, lambda x: x[0, :]),
    "row and the rest": (FLAT, lambda x: x[0, ...]),
    "the rest": (FLAT, lambda x: x[...]),
    "new axis": (FLAT, lambda x: x[None]),
    "new axis and row": (FLAT, lambda x: x[None, 0]),
    "new axis between": (FLAT, lambda x: x[0, None, :]),
    "deep row": (DEEP, lambda x: x[1]),
    "deep pair": (DEEP, lambda x: x[1, 0]),
    "deep pair and all": (DEEP, lambda x: x[1, 0, :]),
    "deep middle": (DEEP, lambda x: x[:, 1]),
    "deep mask": (DEEP, lambda x: x[np.array([[True, False], [True, True]])]),
    "deep mask and all": (DEEP, lambda x: x[np.array([[True, False], [True, True]]), :]),
    "a whole coordinate slice": (LINE, lambda x: x[:]),
    "sum": (DEEP, lambda x: x.sum(axis=0)),
    "sum of the middle": (DEEP, lambda x: x.sum(1)),
    "sum of two axes": (DEEP, lambda x: x.sum(axis=(0, 1))),
    "sum kept": (DEEP, lambda x: x.sum(axis=-2, keepdims=True)),
    "mean": (DEEP, lambda x: x.mean(axis=0)),
    "mean of the middle": (DEEP, lambda x: x.mean(1)),
    "numpy's sum": (FLAT, lambda x: np.sum(x, axis=0)),
    "numpy's mean": (FLAT, lambda x: np.mean(x, 0)),
    "average": (FLAT, lambda x: np.average(x, axis=0, weights=[1, 3])),
    "average of the middle": (DEEP, lambda x: np.average(x, axis=1, weights=[1, 3])),
    "average of an integer axis": (FLAT, lambda x: np.average(x, axis=np.int64(0), weights=np.array([1, 3]))),
    "plain average": (FLAT, lambda x: np.average(x, 0)),
    "reduce": (DEEP, lambda x: np.add.reduce(x)),
    "reduce of an axis": (DEEP, lambda x: np.add.reduce(x, 1)),
    "reduce of a named axis": (DEEP, lambda x: np.add.reduce(x, axis=1)),
    "greatest": (DEEP, lambda x: np.maximum.reduce(x, axis=0)),
    "arithmetic": (FLAT, lambda x: 2 * x - x / 4 + abs(x) ** 2),
    "negated": (FLAT, lambda x: -x),
    "with a row": (FLAT, lambda x: x - x[0]),
    "wide with narrow": (DEEP, lambda x: x[0] + x),
    "a number for each row": (FLAT, lambda x: x * np.array([[2.0], [3.0]])),
    "a list for each row": (FLAT, lambda x: x * [[2.0], [3.0]]),
    "a number in a list": (FLAT, lambda x: x * [5]),
    "compared": (FLAT, lambda x: x > 0),
    "stacked": (FLAT, lambda x: np.stack([x, 2 * x])),
    "stacked as tuple": (FLAT, lambda x: np.stack((x, 2 * x), axis=1)),
    "joined": (FLAT, lambda x: np.concatenate([x, 2 * x])),
    "chosen": (FLAT, lambda x: np.where(x > 0, x, 0)),
    "chosen by row": (FLAT, lambda x: np.where(np.array([[True], [False]]), x, -x)),
    "zeros": (FLAT, lambda x: np.zeros_like(x)),
    "ones": (FLAT, lambda x: np.ones_like(x)),
    "filled": (FLAT, lambda x: np.full_like(x, 7)),
    "copied": (FLAT, lambda x: np.copy(x)),
    "expanded": (FLAT, lambda x: np.expand_dims(x, 0)),
    "clipped": (FLAT, lambda x: np.clip(x, -1, 1)),
    "clipped by points": (FLAT, lambda x: np.clip(x, -1 * x, x)),
}

REFUSED: dict[str, tuple[np.ndarray, Act, str]] = {
    "coordinate": (LINE, lambda x: x[0], SOME),
    "coordinates": (LINE, lambda x: x[:2], SOME),
    "a list of coordinates": (LINE, lambda x: x[[0, 1]], SOME),
    "row and coordinate": (FLAT, lambda x: x[0, 0], SOME),
    "some of each": (FLAT, lambda x: x[:, :2], SOME),
    "the rest and a coordinate": (FLAT, lambda x: x[..., 0], SOME),
    "an axis behind": (FLAT, lambda x: x[..., None], SOME),
    "two axes behind": (FLAT, lambda x: x[0, :, None], SOME),
    "mask": (FLAT, lambda x: x[np.ones((2, 3), bool)], SOME),
    "points as key": (FLAT, lambda x: x[x], SOME),
    "deep coordinate": (DEEP, lambda x: x[0, 0, 1], SOME),
    "deep mask and coordinate": (DEEP, lambda x: x[np.ones((2, 2), bool), 0], SOME),
    "sum of all": (FLAT, lambda x: x.sum(), MIXED),
    "sum of coordinates": (FLAT, lambda x: x.sum(axis=1), MIXED),
    "sum of the last": (FLAT, lambda x: x.sum(axis=-1), MIXED),
    "sum of both": (FLAT, lambda x: x.sum(axis=(0, 1)), MIXED),
    "mean of all": (FLAT, lambda x: x.mean(), MIXED),
    "average of coordinates": (FLAT, lambda x: np.average(x, axis=1, weights=[1]), MIXED),
    "reduce of coordinates": (FLAT, lambda x: np.add.reduce(x, axis=-1), MIXED),
    "reduce of all": (FLAT, lambda x: np.add.reduce(x, axis=None), MIXED),
    "reduce of one point": (LINE, lambda x: np.add.reduce(x), MIXED),
    "inner product": (LINE, lambda x: x @ x, MIXED),
    "sum with a type": (FLAT, lambda x: x.sum(0, float), "takes a sum of points in a way"),
    "sum with an initial value": (FLAT, lambda x: x.sum(axis=0, initial=1), "takes a sum of points in a way"),
    "mean into another": (FLAT, lambda x: np.mean(x, axis=0, out=x[0]), "takes a mean of points in a way"),
    "average with more": (FLAT, lambda x: np.average(x, axis=0, returned=True), r"expected average\(axis, weights\)"),
    "average of all": (FLAT, lambda x: np.average(x), r"expected average\(axis, weights\)"),
    "average of axes": (FLAT, lambda x: np.average(x, axis=(0,)), r"expected average\(axis, weights\)"),
    "average by points": (FLAT, lambda x: np.average(x, axis=0, weights=x), r"expected average\(axis, weights\)"),
    "average of others": (FLAT, lambda x: np.average(FLAT, axis=0, weights=x), r"expected average\(axis, weights\)"),
    "weights in two axes": (FLAT, lambda x: np.average(x, axis=0, weights=np.ones((2, 3))), "weights of other axes"),
    "accumulated": (FLAT, lambda x: np.add.accumulate(x), "takes add.accumulate of points"),
    "outer": (FLAT, lambda x: np.multiply.outer(x, 2), "takes multiply.outer of points"),
    "one by one": (FLAT, lambda x: np.frompyfunc(abs, 1, 1)(x), "for each coordinate"),
    "into an array": (FLAT, lambda x: np.add(x, x, out=np.zeros((2, 3))), "writes points into another array"),
    "beside numbers": (FLAT, lambda x: x + np.arange(3), "puts 3 numbers beside"),
    "keyword beside": (FLAT, lambda x: np.add(x, x, where=np.ones(3, bool)), "puts 3 numbers beside"),
    "set to numbers": (FLAT, lambda x: x.__setitem__(0, [1, 2, 3]), "puts 3 numbers beside"),
    "coordinates set": (FLAT, lambda x: x.__setitem__((0, 0), 1), "changes some coordinates of a point"),
    "stacked with an array": (FLAT, lambda x: np.stack([x, np.ones((2, 1))]), "beside other arrays"),
    "joined with an array": (FLAT, lambda x: np.concatenate([x, np.ones((2, 1))]), "beside other arrays"),
    "stacked behind": (FLAT, lambda x: np.stack([x, x], axis=-1), MOVED),
    "joined behind": (FLAT, lambda x: np.concatenate([x, x], axis=1), MOVED),
    "joined flat": (FLAT, lambda x: np.concatenate([x, x], axis=None), MOVED),
    "expanded behind": (FLAT, lambda x: np.expand_dims(x, -1), MOVED),
    "sorted": (FLAT, lambda x: np.sort(x), "takes sort of points"),
    "shape of numpy": (FLAT, lambda x: np.zeros(np.shape(x)), "takes shape of points"),
    "attribute": (FLAT, lambda x: x.size, "asks for size of points"),
    "array": (FLAT, lambda x: np.asarray(x), "makes another array of points"),
    "array by its interface": (FLAT, lambda x: x.__array_interface__, "makes another array of points"),
    "array by its structure": (FLAT, lambda x: x.__array_struct__, "makes another array of points"),
    "text": (FLAT, lambda x: str(x), "writes points as text"),
    "format": (FLAT, lambda x: f"{x:>3}", "writes points as text"),
    "truth": (FLAT, lambda x: bool(x), "asks points what only one number can tell"),
    "number": (LINE, lambda x: float(x), "asks points what only one number can tell"),
    "contained": (FLAT, lambda x: 1 in x, "asks points what only one number can tell"),
    "length of a point": (LINE, lambda x: len(x), COUNTS),
    "through a point": (LINE, lambda x: list(x), "goes through the coordinates"),
    "last of the shape": (FLAT, lambda x: x.shape[1], COUNTS),
    "last from behind": (FLAT, lambda x: x.shape[-1], COUNTS),
    "slice of the shape": (FLAT, lambda x: x.shape[:1], COUNTS),
    "shape through": (FLAT, lambda x: list(x.shape), COUNTS),
    "shape compared": (FLAT, lambda x: x.shape == (2, 3), COUNTS),
    "shape in order": (FLAT, lambda x: x.shape < x.shape, COUNTS),
    "method of the shape": (FLAT, lambda x: x.shape.index(3), COUNTS),
    "hash of the shape": (FLAT, lambda x: hash(x.shape), COUNTS),
}


@pytest.mark.parametrize(("array", "act"), ALLOWED.values(), ids=ALLOWED)
def test_what_leaves_coordinates_alone_is_numpys(array: np.ndarray, act: Act) -> None:
    found = act(hide_coordinates(array.copy()))
    assert type(found) is BlindPoints
    assert np.array_equal(reveal(found), act(array.copy()))
    assert reveal(found).shape == act(array.copy()).shape


@pytest.mark.parametrize(("array", "act", "why"), REFUSED.values(), ids=REFUSED)
def test_what_looks_at_coordinates_is_refused(array: np.ndarray, act: Act, why: str) -> None:
    with pytest.raises(NotAffine, match=why) as told:
        act(hide_coordinates(array.copy()))
    if why in (SOME, MIXED, MOVED, COUNTS):
        assert "a worst case is over all dimensions" in str(told.value)


def test_the_shape_of_points() -> None:
    """How many runs there are is known, and shapes are equal where these are, whatever the dimension."""
    flat, deep = hide_coordinates(FLAT), hide_coordinates(DEEP)
    assert (len(flat.shape), len(deep.shape), flat.ndim, deep.ndim, np.ndim(deep)) == (2, 3, 2, 3, 3)
    assert (flat.shape[0], flat.shape[-2], deep.shape[1], deep.shape[np.int64(-3)]) == (2, 2, 2, 2)
    assert (len(flat), len(deep)) == (2, 2)
    assert BlindShape((2, 3)) == BlindShape((2, 600))
    assert BlindShape((2, 3)) != BlindShape((3, 3))
    with pytest.raises(IndexError):
        flat.shape[2]
    assert isinstance(flat.shape, tuple)
    assert isinstance(flat, np.ndarray)


def test_copies_of_points_are_apart() -> None:
    points = hide_coordinates(FLAT.copy())
    for other in (points.copy(), copy.copy(points), copy.deepcopy(points)):
        other[:] = 0
        assert (reveal(other) == 0).all()
        assert (reveal(points) == FLAT).all()


def test_points_are_written_to_in_place() -> None:
    points = hide_coordinates(FLAT.copy())
    points[1] = points[0]
    points[0, :] = 9
    assert (reveal(points) == [[9, 9, 9], [-2, -1, 0]]).all()
    into = hide_coordinates(np.zeros((2, 3)))
    assert np.array_equal(reveal(np.add(points, 1, out=into)), reveal(points) + 1)
    assert np.array_equal(reveal(into), reveal(points) + 1)
    np.add(points, 5, out=into, where=np.array([[True], [False]]))
    assert np.array_equal(reveal(into), reveal(points) + np.array([[5], [1]]))
    points += points
    assert (reveal(points) == [[18, 18, 18], [-4, -2, 0]]).all()
    assert [reveal(row).tolist() for row in points] == [[18, 18, 18], [-4, -2, 0]]


def test_what_has_no_coordinates_is_not_hidden() -> None:
    number, listed = np.array(3.0), [1, 2]
    assert hide_coordinates(number) is number
    assert hide_coordinates(listed) is listed
    assert reveal(listed) is listed


class Asked:
    """An oracle of one's own."""

    gradient = staticmethod(lambda x, client, k=0: 2 * x + client + k)
    clients = (0, 1)
    coins = staticmethod(lambda x: type(x))


def test_an_oracle_and_a_step_see_hidden_points_alone() -> None:
    kinds = list[type]()

    def step(state: Any, oracle: Any, c: Any) -> Any:
        kinds.extend((type(state[0]), type(state[1]), type(oracle), type(c)))
        return state[0] - oracle.gradient(state[0], client=1, k=3), state[1] + c

    found = BlindFunction(step, (False, True))((FLAT, LINE), Asked(), 5)
    assert kinds == [BlindPoints, np.ndarray, BlindOracle, int]
    assert type(found[0]) is np.ndarray
    assert np.array_equal(found[0], -FLAT - 4)
    assert np.array_equal(found[1], LINE + 5)
    assert BlindFunction(step).__wrapped__ is step
    oracle = BlindOracle(Asked())
    assert oracle.clients == (0, 1)
    assert oracle.coins(hide_coordinates(FLAT)) is BlindPoints
    assert type(oracle.gradient(hide_coordinates(FLAT), 0)) is BlindPoints
    hidden = BlindFunction(lambda state: kinds.extend(map(type, state)) or state)
    del kinds[:]
    hidden((FLAT, LINE))
    assert kinds == [BlindPoints, BlindPoints]


# What is no question ----------------------------------------------------------------------------------------------------


class ValueLess:
    """Clients of which no values are known."""

    minimiser = (0,)


LOSSES: Any = SimpleNamespace(instance=ValueLess())


class NoneIndependent:
    def independent(self, items: Any) -> bool:
        return False


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: replay(cast(Any, 3), 3), "an algorithm is a function of a game, got 3"),
        (lambda: Game(3).value(cast(Any, 2)), "expected a set of items, got 2"),
        (lambda: Game(3).value((0, 3)), r"items are 0\.\.2, got \[3\]"),
        (lambda: Game(3)._bases(NoneIndependent()), "not even the empty set is independent"),
        (lambda: SetProblem.read(3, cast(Any, 2), ((0,),), False), "optimum 2: expected a set of items"),
        (lambda: SetProblem.read(3, (), ((0,),), False), "the optimum is empty"),
        (lambda: SetProblem.read(3, (3,), ((0,),), False), r"items are 0\.\.2, got \[3\]"),
        (lambda: SetProblem.read(0, (0,), ((0,),), False), "n_items is a positive integer, got 0"),
        (lambda: class_constant("sqrt(2)", "smoothness"), "smoothness = .* must be rational"),
        (lambda: class_constant("nothing", "smoothness"), "smoothness: "),
        (
            lambda: Regret().values(np.zeros((1, 2, 1)), cast(Any, SimpleNamespace(instance=ValueLess()))),
            "losses, which ValueLess does not",
        ),
    ],
)
def test_what_is_asked_is_named_where_it_is_no_question(ask: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ask()


def test_two_subgradients_at_one_point_are_no_maximum_of_affine_functions() -> None:
    def found(places: Any) -> Any:
        return Lipschitz(1).clients(InterpolationData((places,), (((0,), (1,)),), ((0, 1),), (1,), (), True))

    assert found(((0,), (0,))) is None
    assert found(((0,), (1,))).n_clients == 1
