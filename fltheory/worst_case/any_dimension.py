"""Arrays that hide their dimension: a user's step receives them when a worst case covers every dimension.

A worst case is over all dimensions, but a run is executed in a few. So a step must treat all coordinates alike:
it may neither ask for the dimension nor select coordinates, else it could behave differently in untried dimensions.
This module defines the allowed operations and refuses all others, so that none slips through by omission.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from fltheory.runs.distributions.affine import NotAffine
from fltheory.runs.states import map_leaves

ALL_DIMENSIONS_REASON = "a worst case is over all dimensions"
COUNTS_REASON = "asks how many coordinates there are (0 * x has as many)"
MAKES_ARRAYS = ("__array__", "__array_interface__", "__array_struct__")  # attributes by which NumPy reads an object
SUBSET_REASON = "takes some coordinates of a point"
MIXING_REASON = "puts the coordinates of a point together"


def _refusal(what: str) -> NotAffine:
    return NotAffine(f"{what}: {ALL_DIMENSIONS_REASON}")


class BlindShape:
    """The shape of an array of points: the number of runs is readable, the number of coordinates is hidden."""

    __slots__ = ("_known",)

    def __init__(self, sizes: tuple[int, ...]) -> None:
        self._known = sizes[:-1]

    def __len__(self) -> int:
        return len(self._known) + 1

    def __getitem__(self, axis: int) -> int:
        places = range(len(self))[axis] if isinstance(axis, int | np.integer) else len(self) - 1
        if places == len(self) - 1:
            raise _refusal(COUNTS_REASON)
        return self._known[places]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BlindShape):
            raise _refusal(COUNTS_REASON)
        return self._known == other._known

    @property  # type: ignore[misc] # as a plain one says
    def __class__(self) -> Any:
        return tuple

    def __getattr__(self, name: str) -> NoReturn:
        raise _refusal(COUNTS_REASON)

    def _all(self, *given: Any) -> NoReturn:
        raise _refusal(COUNTS_REASON)

    __iter__ = __hash__ = __str__ = __repr__ = __add__ = __radd__ = __mul__ = __rmul__ = _all
    __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __reversed__ = __reduce_ex__ = _all


class BlindPoints(NDArrayOperatorsMixin):
    """An array whose last axis holds the coordinates; it passes every test of type for an ordinary array."""

    __slots__ = ("_array",)

    def __init__(self, array: np.ndarray) -> None:
        _hold(self, array)

    def __getattr__(self, name: str) -> NoReturn:
        if name in ("__array_struct__", "__array_interface__"):  # NumPy reads this first
            self._no_plain()
        raise _refusal(f"asks for {name} of points")

    @property  # type: ignore[misc] # as a plain one says
    def __class__(self) -> Any:
        return np.ndarray

    @property
    def shape(self) -> BlindShape:
        """Return the shape, with the number of coordinates hidden."""
        return BlindShape(reveal(self).shape)

    @property
    def ndim(self) -> int:
        """Return the number of axes, including that of the coordinates."""
        return int(reveal(self).ndim)

    def copy(self) -> BlindPoints:
        """Return a writable copy."""
        return BlindPoints(reveal(self).copy())

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> BlindPoints:
        return self.copy()

    def sum(self, axis: Any = None, *given: Any, **named: Any) -> Any:
        """Sum over axes other than that of the coordinates."""
        return _reduce("sum", self, axis, *given, **named)

    def mean(self, axis: Any = None, *given: Any, **named: Any) -> Any:
        """Average over axes other than that of the coordinates."""
        return _reduce("mean", self, axis, *given, **named)

    def __len__(self) -> int:
        if self.ndim < 2:
            raise _refusal(COUNTS_REASON)
        return len(reveal(self))

    def __iter__(self) -> Iterator[Any]:
        if self.ndim < 2:
            raise _refusal("goes through the coordinates of a point")
        return map(BlindPoints, reveal(self))

    def __getitem__(self, key: Any) -> BlindPoints:
        return _points(reveal(self)[_row_key(key, self.ndim, SUBSET_REASON)], reveal(self))

    def __setitem__(self, key: Any, value: Any) -> None:
        reveal(self)[_row_key(key, self.ndim, "changes some coordinates of a point")] = _align_operand(
            value, reveal(self)
        )

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *given: Any, **named: Any) -> Any:
        if vars(np).get(ufunc.__name__) is not ufunc:
            raise _refusal(f"calls {ufunc.__name__} for each coordinate")
        if method not in ("__call__", "reduce"):
            raise _refusal(f"takes {ufunc.__name__}.{method} of points")
        if ufunc.signature is not None:
            raise _refusal(MIXING_REASON)
        like = _widest_points((*given, *named.get("out", ())))
        if method == "reduce":
            named, given = {"axis": given[1] if len(given) > 1 else 0, **named}, given[:1]
            _require_other_axis(named["axis"], like.ndim)
        if not all(type(one) is BlindPoints for one in named.get("out", ())):
            raise _refusal("writes points into another array, whose coordinates could be counted")
        axis = {name: named.pop(name) for name in ("axis",) if name in named}  # not a number to combine with points
        named = {
            name: tuple(map(reveal, v)) if name == "out" else _align_operand(v, like) for name, v in named.items()
        } | axis
        return _points(getattr(ufunc, method)(*(_align_operand(part, like) for part in given), **named), like)

    def __array_function__(self, function: Any, types: Any, given: Any, named: Any) -> Any:
        if function is np.ndim:
            return self.ndim
        if function in (np.sum, np.mean):
            return _reduce(function.__name__, *given, **named)
        if function is np.average:
            return _weighted_mean(*given, **named)
        if function not in SUPPORTED_FUNCTIONS:
            raise _refusal(f"takes {function.__name__} of points, which may look at how many coordinates there are")
        like = _widest_points(_flat((given, named)))
        alone = function in (np.stack, np.concatenate)
        new = function(
            *_align_nested(given, like, alone), **{name: _align_nested(v, like, alone) for name, v in named.items()}
        )
        return _points(new, like)

    def _no_plain(self, *given: Any, **named: Any) -> NoReturn:
        raise _refusal(
            "makes another array of points, whose coordinates could be counted (np.stack(points) makes none)"
        )

    __array__ = __bytes__ = __reduce_ex__ = _no_plain

    def _no_words(self, *given: Any) -> NoReturn:
        raise _refusal("writes points as text")

    __str__ = __repr__ = __format__ = _no_words

    def _no_truth(self, *given: Any) -> NoReturn:
        raise _refusal("asks points what only one number can tell")

    __bool__ = __float__ = __int__ = __complex__ = __contains__ = __reversed__ = _no_truth


_ARRAY = vars(BlindPoints)["_array"]
delattr(BlindPoints, "_array")  # so that no attribute leads to it
BlindPoints.__doc__ = np.ndarray.__doc__  # an attribute of a point is described like one of an array
_hold: Callable[[BlindPoints, np.ndarray], None] = _ARRAY.__set__
SUPPORTED_FUNCTIONS = {
    np.stack,
    np.concatenate,
    np.where,
    np.zeros_like,
    np.ones_like,
    np.full_like,
    np.copy,
    np.expand_dims,
    np.clip,
}


def hide_coordinates(values: Any) -> Any:
    """Wrap arrays of points as a user's step receives them; values without coordinates are returned unchanged."""
    return BlindPoints(values) if type(values) is np.ndarray and values.ndim else values


def reveal(values: Any) -> Any:
    """Return the underlying array."""
    return _ARRAY.__get__(values) if type(values) is BlindPoints else values


def _points(new: Any, like: np.ndarray) -> BlindPoints:
    """Wrap the result of an operation on points; its last axis must still be that of the coordinates."""
    if not isinstance(new, np.ndarray) or not new.ndim or new.shape[-1] != like.shape[-1]:
        raise _refusal("moves the axis of the coordinates, which is the last one")
    return BlindPoints(new)


def _widest_points(values: Any) -> np.ndarray:
    """Return the array of points with the most axes."""
    found: np.ndarray = max((reveal(one) for one in values if type(one) is BlindPoints), key=lambda array: array.ndim)
    return found


def _align_operand(value: Any, like: np.ndarray) -> Any:
    """Convert the other operand of an operation on points: points, or one number for all coordinates.

    Whatever NumPy reads as an array is read once, here: a range, a buffer, an object that makes arrays of itself.
    """
    if type(value) is BlindPoints:
        return reveal(value)
    array = np.asarray(value)
    if array.ndim and array.shape[-1] != 1:
        raise _refusal(f"puts {array.shape[-1]} numbers beside the coordinates of a point")
    axes = type(value) in (tuple, list) and all(type(one) is int for one in value)
    return value if axes or not (array.ndim or any(hasattr(type(value), name) for name in MAKES_ARRAYS)) else array


def _align_nested(value: Any, like: np.ndarray, alone: bool) -> Any:
    """Convert nested lists of points; with ``alone`` they may contain only points and numbers."""
    if type(value) in (tuple, list) and any(type(one) is BlindPoints or type(one) in (tuple, list) for one in value):
        return type(value)(_align_nested(one, like, alone) for one in value)
    if alone and type(value) is np.ndarray:
        raise _refusal("puts points beside other arrays")
    return _align_operand(value, like)


def _flat(value: Any) -> Iterator[Any]:
    if type(value) in (tuple, list):
        for one in value:
            yield from _flat(one)
    elif type(value) is dict:
        yield from _flat(list(value.values()))
    else:
        yield value


def _reduce(name: str, points: Any, axis: Any = None, *given: Any, **named: Any) -> BlindPoints:
    like = reveal(points)
    if given or named.keys() - {"keepdims"} or type(points) is not BlindPoints:
        raise _refusal(f"takes a {name} of points in a way that may look at coordinates; expected {name}(axis)")
    _require_other_axis(axis, like.ndim)
    return _points(getattr(like, name)(axis=axis, **named), like)


def _weighted_mean(points: Any, axis: Any = None, weights: Any = None, **named: Any) -> BlindPoints:
    """Average over one axis other than that of the coordinates, with a weight for each entry."""
    if (
        named
        or type(points) is not BlindPoints
        or type(weights) is BlindPoints
        or not isinstance(axis, int | np.integer)
    ):
        raise _refusal(
            "takes an average of points in a way that may look at coordinates; expected average(axis, weights)"
        )
    like = reveal(points)
    _require_other_axis(axis, like.ndim)
    if np.ndim(weights) > 1:
        raise _refusal("takes an average of points with weights of other axes")
    return _points(np.average(like, axis=int(axis), weights=weights), like)


def _require_other_axis(axis: Any, ndim: int) -> None:
    axes = axis if isinstance(axis, tuple) else (axis,)
    if any(one is None or range(ndim)[one] == ndim - 1 for one in axes):
        raise _refusal(MIXING_REASON)


def _row_key(key: Any, ndim: int, wrong: str) -> Any:
    """Return the key if it leaves the axis of the coordinates whole and last."""
    whole = type(key) is tuple
    parts = tuple(np.asarray(part) if isinstance(part, list) else part for part in (key if whole else (key,)))
    if any(type(part) is BlindPoints for part in parts):
        raise _refusal(wrong)
    spread = any(part is Ellipsis for part in parts)
    if spread or sum(map(_axes_of, parts)) >= ndim:
        last = parts[-1]
        if not (last is Ellipsis or (isinstance(last, slice) and last == slice(None))):
            raise _refusal(wrong)
    return parts if whole else parts[0]


def _axes_of(part: Any) -> int:
    """Return how many axes a part of a key uses; a mask uses as many as it has."""
    if part is None or part is Ellipsis:
        return 0
    mask = isinstance(part, np.ndarray) and part.dtype == bool
    return part.ndim if mask else 1


class BlindOracle:
    """An oracle that receives points with hidden coordinates."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if name != "gradient" or not callable(found):
            return found
        return lambda *given, **named: hide_coordinates(
            found(*map(reveal, given), **{k: reveal(v) for k, v in named.items()})
        )


@dataclass(frozen=True, eq=False)
class BlindFunction:
    """A user's step, or the function that makes its first state, called with hidden coordinates.

    ``without`` says for each part of the state whether it has no coordinates; this is the same in every dimension.
    """

    function: Callable[..., Any]
    without: tuple[bool, ...] = ()

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        """Return the wrapped function, see ``ownership.unwrap_function``."""
        return self.function

    def __call__(self, state: Any, *given: Any) -> Any:
        """Apply the function to a state of plain arrays."""
        asked = [BlindOracle(one) if hasattr(one, "gradient") else one for one in given]
        return map_leaves(reveal, self.function(self._hide_state(state), *asked))

    def _hide_state(self, state: Any) -> Any:
        """Return the state with its points wrapped, as the step receives it."""
        parts = iter(self.without)
        return map_leaves(lambda leaf: leaf if next(parts, False) else hide_coordinates(leaf), state)
