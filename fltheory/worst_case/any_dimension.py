"""Points whose coordinates can't be counted: what a user's step is given when it is followed for every dimension.

A worst case is over all dimensions, but a run is followed in a few. So the step may do what treats coordinates alike, run by run,
and neither ask how many there are nor take some of them: else it could do one thing where it is followed and another elsewhere.
What points can do is written here; all else is refused, so that no way of NumPy's is left open by being forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from fltheory.runs.distributions.affine import NotAffine
from fltheory.runs.states import mapped

OTHERWISE = "a worst case is over all dimensions"
COUNTS = "asks how many coordinates there are (0 * x has as many)"
SOME = "takes some coordinates of a point"
TOGETHER = "puts the coordinates of a point together"


def _refused(what: str) -> NotAffine:
    return NotAffine(f"{what}: {OTHERWISE}")


class Shape:
    """How many runs there are, and that there are coordinates."""

    __slots__ = ("_known",)

    def __init__(self, sizes: tuple[int, ...]) -> None:
        self._known = sizes[:-1]

    def __len__(self) -> int:
        return len(self._known) + 1

    def __getitem__(self, axis: int) -> int:
        places = range(len(self))[axis] if isinstance(axis, int | np.integer) else len(self) - 1
        if places == len(self) - 1:
            raise _refused(COUNTS)
        return self._known[places]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Shape):
            raise _refused(COUNTS)
        return self._known == other._known

    @property  # type: ignore[misc] # as a plain one says
    def __class__(self) -> Any:
        return tuple

    def __getattr__(self, name: str) -> NoReturn:
        raise _refused(COUNTS)

    def _all(self, *given: Any) -> NoReturn:
        raise _refused(COUNTS)

    __iter__ = __hash__ = __str__ = __repr__ = __add__ = __radd__ = __mul__ = __rmul__ = _all
    __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __reversed__ = __reduce_ex__ = _all


class Points(NDArrayOperatorsMixin):
    """An array whose last axis is that of the coordinates; it passes for a plain one wherever a class is asked for."""

    __slots__ = ("_array",)

    def __init__(self, array: np.ndarray) -> None:
        _hold(self, array)

    def __getattr__(self, name: str) -> NoReturn:
        if name in ("__array_struct__", "__array_interface__"):  # what numpy asks first of what is to be an array
            self._no_plain()
        raise _refused(f"asks for {name} of points")

    @property  # type: ignore[misc] # as a plain one says
    def __class__(self) -> Any:
        return np.ndarray

    @property
    def shape(self) -> Shape:
        """See there."""
        return Shape(seen(self).shape)

    @property
    def ndim(self) -> int:
        """How many axes there are, that of the coordinates too."""
        return int(seen(self).ndim)

    def copy(self) -> Points:
        """The same, which may be written to."""
        return Points(seen(self).copy())

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> Points:
        return self.copy()

    def sum(self, axis: Any = None, *given: Any, **named: Any) -> Any:
        """Over other axes than that of the coordinates."""
        return _over("sum", self, axis, *given, **named)

    def mean(self, axis: Any = None, *given: Any, **named: Any) -> Any:
        """Over other axes than that of the coordinates."""
        return _over("mean", self, axis, *given, **named)

    def __len__(self) -> int:
        if self.ndim < 2:
            raise _refused(COUNTS)
        return len(seen(self))

    def __iter__(self) -> Iterator[Any]:
        if self.ndim < 2:
            raise _refused("goes through the coordinates of a point")
        return map(Points, seen(self))

    def __getitem__(self, key: Any) -> Points:
        return _points(seen(self)[_rows_alone(key, self.ndim, SOME)], seen(self))

    def __setitem__(self, key: Any, value: Any) -> None:
        seen(self)[_rows_alone(key, self.ndim, "changes some coordinates of a point")] = _beside(value, seen(self))

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *given: Any, **named: Any) -> Any:
        if vars(np).get(ufunc.__name__) is not ufunc:
            raise _refused(f"calls {ufunc.__name__} for each coordinate")
        if method not in ("__call__", "reduce"):
            raise _refused(f"takes {ufunc.__name__}.{method} of points")
        if ufunc.signature is not None:
            raise _refused(TOGETHER)
        like = _like((*given, *named.get("out", ())))
        if method == "reduce":
            named, given = {"axis": given[1] if len(given) > 1 else 0, **named}, given[:1]
            _require_apart(named["axis"], like.ndim)
        if not all(type(one) is Points for one in named.get("out", ())):
            raise _refused("writes points into another array, whose coordinates could be counted")
        axis = {name: named.pop(name) for name in ("axis",) if name in named}  # which is no number beside points
        named = {name: tuple(map(seen, v)) if name == "out" else _beside(v, like) for name, v in named.items()} | axis
        return _points(getattr(ufunc, method)(*(_beside(part, like) for part in given), **named), like)

    def __array_function__(self, function: Any, types: Any, given: Any, named: Any) -> Any:
        if function is np.ndim:
            return self.ndim
        if function in (np.sum, np.mean):
            return _over(function.__name__, *given, **named)
        if function is np.average:
            return _averaged(*given, **named)
        if function not in KNOWN:
            raise _refused(f"takes {function.__name__} of points, which may look at how many coordinates there are")
        like = _like(_flat((given, named)))
        alone = function in (np.stack, np.concatenate)
        new = function(*_deep(given, like, alone), **{name: _deep(v, like, alone) for name, v in named.items()})
        return _points(new, like)

    def _no_plain(self, *given: Any, **named: Any) -> NoReturn:
        raise _refused(
            "makes another array of points, whose coordinates could be counted (np.stack(points) makes none)"
        )

    __array__ = __bytes__ = __reduce_ex__ = _no_plain

    def _no_words(self, *given: Any) -> NoReturn:
        raise _refused("writes points as text")

    __str__ = __repr__ = __format__ = _no_words

    def _no_truth(self, *given: Any) -> NoReturn:
        raise _refused("asks points what only one number can tell")

    __bool__ = __float__ = __int__ = __complex__ = __contains__ = __reversed__ = _no_truth


_ARRAY = vars(Points)["_array"]
delattr(Points, "_array")  # so that no name leads to it
Points.__doc__ = np.ndarray.__doc__  # what is read of a point says what is read of an array
_hold: Callable[[Points, np.ndarray], None] = _ARRAY.__set__
KNOWN = {
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


def blind(values: Any) -> Any:
    """Arrays of points as a user's step is given them; what has no coordinates as it is."""
    return Points(values) if type(values) is np.ndarray and values.ndim else values


def seen(values: Any) -> Any:
    """The array itself."""
    return _ARRAY.__get__(values) if type(values) is Points else values


def _points(new: Any, like: np.ndarray) -> Points:
    """What came of points, whose last axis must be that of the coordinates still."""
    if not isinstance(new, np.ndarray) or not new.ndim or new.shape[-1] != like.shape[-1]:
        raise _refused("moves the axis of the coordinates, which is the last one")
    return Points(new)


def _like(values: Any) -> np.ndarray:
    """The array of the points among these that has most axes."""
    found: np.ndarray = max((seen(one) for one in values if type(one) is Points), key=lambda array: array.ndim)
    return found


def _beside(value: Any, like: np.ndarray) -> Any:
    """What stands beside points in an operation: other points, or the same number for every coordinate."""
    if type(value) is Points:
        return seen(value)
    array = np.asarray(value) if isinstance(value, list | tuple) else value
    if isinstance(array, np.ndarray) and array.ndim and array.shape[-1] != 1:
        raise _refused(f"puts {array.shape[-1]} numbers beside the coordinates of a point")
    return value


def _deep(value: Any, like: np.ndarray, alone: bool) -> Any:
    """The same of lists of points; ``alone``: of nothing but points and numbers."""
    if type(value) in (tuple, list) and any(type(one) is Points or type(one) in (tuple, list) for one in value):
        return type(value)(_deep(one, like, alone) for one in value)
    if alone and type(value) is np.ndarray:
        raise _refused("puts points beside other arrays")
    return _beside(value, like)


def _flat(value: Any) -> Iterator[Any]:
    if type(value) in (tuple, list):
        for one in value:
            yield from _flat(one)
    elif type(value) is dict:
        yield from _flat(list(value.values()))
    else:
        yield value


def _over(name: str, points: Any, axis: Any = None, *given: Any, **named: Any) -> Points:
    like = seen(points)
    if given or named.keys() - {"keepdims"} or type(points) is not Points:
        raise _refused(f"takes a {name} of points in a way that may look at coordinates; expected {name}(axis)")
    _require_apart(axis, like.ndim)
    return _points(getattr(like, name)(axis=axis, **named), like)


def _averaged(points: Any, axis: Any = None, weights: Any = None, **named: Any) -> Points:
    """Over one other axis than that of the coordinates, with a weight for each of its entries."""
    if named or type(points) is not Points or type(weights) is Points or not isinstance(axis, int | np.integer):
        raise _refused(
            "takes an average of points in a way that may look at coordinates; expected average(axis, weights)"
        )
    like = seen(points)
    _require_apart(axis, like.ndim)
    if np.ndim(weights) > 1:
        raise _refused("takes an average of points with weights of other axes")
    return _points(np.average(like, axis=int(axis), weights=weights), like)


def _require_apart(axis: Any, ndim: int) -> None:
    axes = axis if isinstance(axis, tuple) else (axis,)
    if any(one is None or range(ndim)[one] == ndim - 1 for one in axes):
        raise _refused(TOGETHER)


def _rows_alone(key: Any, ndim: int, wrong: str) -> Any:
    """A key that leaves the axis of the coordinates as it is, and last."""
    whole = type(key) is tuple
    parts = tuple(np.asarray(part) if isinstance(part, list) else part for part in (key if whole else (key,)))
    if any(type(part) is Points for part in parts):
        raise _refused(wrong)
    spread = any(part is Ellipsis for part in parts)
    if spread or sum(map(_axes_of, parts)) >= ndim:
        last = parts[-1]
        if not (last is Ellipsis or (isinstance(last, slice) and last == slice(None))):
            raise _refused(wrong)
    return parts if whole else parts[0]


def _axes_of(part: Any) -> int:
    """How many axes a part of a key takes: a mask as many as it has."""
    if part is None or part is Ellipsis:
        return 0
    mask = isinstance(part, np.ndarray) and part.dtype == bool
    return part.ndim if mask else 1


class BlindOracle:
    """An oracle that is asked at points whose coordinates can't be counted."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if name != "gradient" or not callable(found):
            return found
        return lambda *given, **named: blind(found(*map(seen, given), **{k: seen(v) for k, v in named.items()}))


@dataclass(frozen=True, eq=False)
class Blindly:
    """A user's step, or what makes its first state, that can't count coordinates.

    ``without``: of each part of the state whether it has none, as its shape is the same in any dimension.
    """

    function: Callable[..., Any]
    without: tuple[bool, ...] = ()

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        """What it stands for, see ``whose.defined_at``."""
        return self.function

    def __call__(self, state: Any, *given: Any) -> Any:
        """The same of a state in plain arrays."""
        asked = [BlindOracle(one) if hasattr(one, "gradient") else one for one in given]
        return mapped(seen, self.function(self._seen_by(state), *asked))

    def _seen_by(self, state: Any) -> Any:
        """The state with its points as the step is given them."""
        parts = iter(self.without or ())
        return mapped(lambda leaf: leaf if next(parts, False) else blind(leaf), state)
