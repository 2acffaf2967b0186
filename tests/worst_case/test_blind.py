"""A step that is followed for every dimension can't count coordinates, nor take some of them."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.lib.mixins import NDArrayOperatorsMixin

from fltheory.runs.algorithm import Algorithm
from fltheory.runs.distributions.affine import NotAffine
from fltheory.runs.measures import LastDistance
from fltheory.worst_case.any_dimension import hide_coordinates, reveal
from fltheory.worst_case.functions import Smooth
from fltheory.worst_case.symbolic_run import OutOfReach
from fltheory.worst_case.two_sided import worst_case

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
    "text": lambda x: len(str(x)) > 9999,
    "printed": lambda x: len(f"{x}") > 9999,
    "shape as text": lambda x: "601" in str(x.shape),
    "part of the shape": lambda x: x.shape.count(601) > 0,
    "longer shape": lambda x: x.shape * 2 == (1, 601) * 2,
    "compared shape": lambda x: x.shape > (1, 600),
    "nditer": lambda x: np.nditer(x, flags=["refs_ok"]).itersize > 600,
    "ndenumerate": lambda x: len(list(np.ndenumerate(x))) > 600,
    "broadcast as one": lambda x: np.broadcast(x, 1).size > 600,
    "raw": lambda x: len(bytes(x)) > 4800,
    "buffer": lambda x: memoryview(x).nbytes > 4800,
    "pickled": lambda x: len(pickle.dumps(x)) > 9999,
    "copied deeply": lambda x: copy.deepcopy(x).shape[-1] > 600,
    "inner product": lambda x: (0 * x[0] + 1) @ (0 * x[0] + 1) > 600,
    "one by one": lambda x: np.vectorize(seen_once.append, otypes=[object])(x) is None,
    "one by one, bare": lambda x: np.frompyfunc(seen_once.append, 1, 1)(x) is None,
    "beside": lambda x: tried(lambda: np.zeros(601) + x),
    "beside a list": lambda x: tried(lambda: x * ([0] * 601)),
    "beside a range": lambda x: tried(lambda: x * range(601)),
    "beside a buffer": lambda x: tried(lambda: x * memoryview(bytes(601))),
    "beside what makes an array": lambda x: tried(lambda: x * Making(601)),
    "beside a list of what makes arrays": lambda x: tried(lambda: x * [Making(601)]),
    "or": lambda x: tried(lambda: np.where(np.ones(601, bool), x, x)),
    "below": lambda x: tried(lambda: np.concatenate([x, np.zeros((1, 601))])),
    "put into": lambda x: tried(lambda: np.add(x, x, out=np.zeros((1, 601), object))),
    "written over": lambda x: tried(lambda: np.zeros((1, 601), object).__setitem__(slice(None), x)),
    "set": lambda x: tried(lambda: x.copy().__setitem__(slice(None), np.zeros(601))),
    "mask": lambda x: tried(lambda: x[np.ones((1, 601), bool)]),
    "like": lambda x: tried(lambda: np.zeros_like(x, shape=(1, 601))),
    "floats alike": lambda x: np.zeros_like(x, dtype=float).shape[1] > 600,
    "another axis": lambda x: np.expand_dims(x, -1).sum(axis=1)[0][0] > 600,
    "an axis behind": lambda x: x[..., None].sum(axis=1)[0][0] > 600,
    "stacked behind": lambda x: np.stack([x, x], axis=-1).sum(axis=1)[0][0] > 600,
    "one after another": lambda x: np.concatenate([x, x], axis=-1).sum(axis=0)[0] > 600,
    "swallowed": lambda x: tried(lambda: 1 / (x.shape[1] > 600)),
    "true": lambda x: bool(x[0]) and x.shape[1] > 600,
}

# What tells a run that is followed from another, and asks only in the other: no such word is heard, so it is read.
TOLD: dict[str, Callable[[Any], Any]] = {
    "type": lambda x: type(x) is np.ndarray and x.shape[1] > 600,
    "class": lambda x: x.__class__ is np.ndarray and x.shape[1] > 600,
    "isinstance": lambda x: isinstance(x[0], float) and x.shape[1] > 600,
    "numbers": lambda x: x.dtype == float and x.shape[1] > 600,
    "names": lambda x: "tolist" in dir(x) and x.shape[1] > 600,
}
ASK: Callable[..., bool] = isinstance
WRITTEN: dict[str, Any] = {}
exec("def __create_fn__():\n def __eq__(x): return type(x).__name__ == 'ndarray'\n return __eq__", WRITTEN)
WRITTEN["asked"] = WRITTEN["__create_fn__"]()


class Making:
    """What NumPy turns into an array, of one size at first and then of another."""

    def __init__(self, *sizes: int) -> None:
        self.sizes = list(sizes)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.zeros(self.sizes.pop(0) if len(self.sizes) > 1 else self.sizes[0])


class Fake:
    """A place that a name looks like another's."""

    ndarray = NDArrayOperatorsMixin


def alias() -> Callable[..., Any]:
    asked = isinstance
    return asked


def kind_of(x: Any) -> Any:
    return x.__class__


def matched(x: Any) -> bool:
    match x:
        case NDArrayOperatorsMixin():
            return False
    return True


TOLD |= {
    "an alias": lambda x: ASK(x, NDArrayOperatorsMixin) is False and x.shape[1] > 600,
    "a name of its own": lambda x: alias()(x, NDArrayOperatorsMixin) is False and x.shape[1] > 600,
    "another kind of that name": lambda x: isinstance(x, Fake.ndarray) is False and x.shape[1] > 600,
    "a case of match": lambda x: matched(x) and x.shape[1] > 600,
    "documented": lambda x: "coordinates" not in x.__doc__ and x.shape[1] > 600,
    "its class by a method": lambda x: x.__init_subclass__.__self__ is np.ndarray and x.shape[1] > 600,
    "its names": lambda x: "tolist" in x.__dir__() and x.shape[1] > 600,
    "by getattr": lambda x: getattr(x, "__module__") == "numpy" and x.shape[1] > 600,  # noqa: B009
    "in a format": lambda x: "numpy" in "{.__class__}".format(x) and x.shape[1] > 600,  # noqa: UP032
    "written as dataclasses write": lambda x: WRITTEN["asked"](x) and x.shape[1] > 600,
    "of a kind": lambda x: issubclass(np.ndarray, kind_of(x)) and x.shape[1] > 600,
}
seen_once: list[Any] = []


def tried(function: Callable[[], Any]) -> bool:
    """What numpy says of shapes that don't fit is an answer too."""
    try:
        function()
    except Exception:
        return False
    return True


@pytest.mark.parametrize("told", COUNTS.values(), ids=COUNTS)
def test_a_step_that_counts_coordinates_is_not_followed_for_every_dimension(told: Callable[[Any], Any]) -> None:
    with pytest.raises(OutOfReach, match="a worst case is over all dimensions"):
        upper(many(told))


@pytest.mark.parametrize("told", TOLD.values(), ids=TOLD)
def test_a_step_that_tells_how_it_is_followed_is_not(told: Callable[[Any], Any]) -> None:
    with pytest.raises(OutOfReach, match="a worst case is over all dimensions"):
        upper(many(told))


def test_what_makes_another_array_each_time_is_read_once() -> None:
    """An array of one number, then one of 601: what was looked at is what the points are multiplied by."""
    points = hide_coordinates(np.ones((2, 3)))
    assert (reveal(points * Making(1, 601)) == 0).all()
    assert (reveal(points * [2]) == 2).all()
    assert (reveal(points * np.float64(2)) == 2).all()
    assert reveal(np.expand_dims(points, (0,))).shape == (1, 2, 3)
    for beside in (range(3), memoryview(bytes(3)), Making(3), [Making(3)], np.zeros(3), [[0, 0, 0]]):
        with pytest.raises(NotAffine, match="puts 3 numbers beside"):
            points + beside


def test_what_takes_the_point_from_a_state_can_not_count_either() -> None:
    def init(start: np.ndarray, c: Any) -> tuple[np.ndarray]:
        return (start,)

    def step(state: tuple[np.ndarray], oracle: Any, c: Any) -> tuple[np.ndarray]:
        return (plain(state[0], oracle, c),)

    found = upper(step, init=init, point=lambda state: state[0])
    assert found == pytest.approx(float(Fraction(361, 400)), abs=1e-5)
    with pytest.raises(OutOfReach, match="a worst case is over all dimensions"):
        upper(step, init=init, point=lambda state: state[0] * (5 if state[0].shape[1] > 600 else 1))


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
    with pytest.raises(OutOfReach, match=r"(takes|changes) some coordinates|how many coordinates"):
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


SAME: dict[str, Callable[..., Any]] = {
    "rows": lambda x, g: x[0][None, ...] - g[:] / 2,
    "middle axis": lambda x, g: x - np.stack([g, g], axis=1)[:, [0, 1], :].mean(axis=1, keepdims=True)[:, 0] / 2,
    "summed": lambda x, g: x - np.concatenate([g, g]).sum(axis=0) / 4,
    "written": lambda x, g: written(x, g / 2),
    "in place": lambda x, g: in_place(x, g / 2),
    "for each run": lambda x, g: x - np.full((x.shape[0], 1), 2) * g / 4,
    "chosen": lambda x, g: np.where(np.ones((x.shape[-2], 1), bool), x - g / 2, x),
    "told by the number of axes": lambda x, g: x - g / x.ndim if np.ndim(x) == len(x.shape) else x,
    "reduced": lambda x, g: x - np.add.reduce(np.stack([g, g]), axis=0) / 4,
    "looped over": lambda x, g: x - sum(row for row in g) / 2,
}


@dataclass(frozen=True, order=True)
class Settings:
    """As many write what their step depends on."""

    share: Fraction = Fraction(1, 2)
    name: str = "mine"

    def __call__(self, x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
        return x - self.share * oracle.gradient(x, 0)


@dataclass
class Plain:
    """One that may be changed."""

    share: Fraction = Fraction(1, 2)


def checked(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    """As careful people write: it asks of kinds what answers the same of a point and of an array."""
    if not isinstance(x, np.ndarray) or isinstance(x, (dict, list)):
        raise TypeError("expected an array")
    moves = [oracle.gradient(x, m) for m in range(c.n_clients)]
    if type(moves) is not list or isinstance(x, str):
        raise TypeError("expected a list")
    return x - Plain().share * np.average(np.stack(moves), axis=0, weights=[1] * c.n_clients)


@pytest.mark.parametrize("step", [Settings(), checked], ids=["settings", "checked"])
def test_steps_that_honest_people_write_are_followed(step: Callable[..., Any]) -> None:
    assert upper(step) == pytest.approx(0.9025, abs=1e-5)


def summed(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    return x - np.sum([oracle.gradient(x, m) for m in range(c.n_clients)], axis=0) / 2


def test_a_sum_of_a_list_of_points_says_what_would_be_right() -> None:
    with pytest.raises(OutOfReach, match=r"makes another array of points.*np.stack\(points\)"):
        upper(summed)


def written(x: np.ndarray, move: np.ndarray) -> np.ndarray:
    new = np.zeros_like(x)
    new[0] = x[0] - move[0]
    return new


def in_place(x: np.ndarray, move: np.ndarray) -> np.ndarray:
    x = x.copy()
    x -= move
    return x


@pytest.mark.parametrize("same", SAME.values(), ids=SAME)
def test_ways_to_write_the_same_step_are_followed(same: Callable[..., Any]) -> None:
    assert upper(lambda x, oracle, c: same(x, oracle.gradient(x, 0))) == pytest.approx(0.9025, abs=1e-5)
