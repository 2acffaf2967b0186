"""Points whose coordinates can't be counted: what a user's step is given when it is followed for every dimension.

A worst case is over all dimensions, but a run is followed in a few. So the step may do what treats coordinates alike, run by run,
and neither ask how many there are nor take some of them: else it could do one thing where it is followed and another elsewhere.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np

from fltheory.number.signals import of_users
from fltheory.runs.laws.affine import NotAffine
from fltheory.runs.states import mapped

ALIKE = (
    "stack concatenate where sum mean zeros_like ones_like full_like empty_like copy expand_dims ndim clip abs round"
)
KNOWN = {getattr(np, name) for name in ALIKE.split()}
PLAIN = {"array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "fromiter", "copyto", "frombuffer"}
OTHERWISE = "a worst case is over all dimensions"


def _refused(what: str) -> NotAffine:
    return NotAffine(f"{what}: {OTHERWISE}")


class Shape:
    """How many runs there are, and that there are coordinates."""

    def __init__(self, sizes: tuple[int, ...]) -> None:
        self._sizes = sizes

    def __len__(self) -> int:
        return len(self._sizes)

    def __getitem__(self, axis: int) -> int:
        places = range(len(self._sizes))[axis] if isinstance(axis, int) else None
        if places is None or places == len(self._sizes) - 1:
            raise _refused("asks how many coordinates there are (0 * x has as many)")
        return self._sizes[places]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Shape):
            raise _refused("asks how many coordinates there are (0 * x has as many)")
        return self._sizes == other._sizes

    __hash__ = None  # type: ignore[assignment]

    def __iter__(self) -> Iterator[int]:
        raise _refused("asks how many coordinates there are (0 * x has as many)")


class Blind(np.ndarray):
    """An array whose last axis is that of the coordinates."""

    def __getattribute__(self, name: str) -> Any:
        if (name in _TELLING or name == "shape") and of_users(sys._getframe(1).f_code):
            if name != "shape":
                raise _refused(f"asks for {name} of points")
            return Shape(super().__getattribute__(name))
        return super().__getattribute__(name)

    def __len__(self) -> int:
        if super().ndim < 2:
            raise _refused("asks how many coordinates there are (0 * x has as many)")
        return super().__len__()

    def __iter__(self) -> Iterator[Any]:
        if super().ndim < 2:
            raise _refused("goes through the coordinates of a point")
        return super().__iter__()

    def __getitem__(self, key: Any) -> Any:
        parts = key if isinstance(key, tuple) else (key,)
        used = sum(1 for part in parts if part is not None and part is not Ellipsis)
        last = parts[-1] if used >= np.ndarray.ndim.__get__(self) or Ellipsis in _plain(parts) else slice(None)
        if isinstance(last, np.ndarray) and last.ndim > 1:
            raise _refused("takes some coordinates of a point")
        if last is not None and last is not Ellipsis and not (isinstance(last, slice) and last == slice(None)):
            raise _refused("takes some coordinates of a point")
        return super().__getitem__(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        parts = key if isinstance(key, tuple) else (key,)
        if sum(1 for part in parts if part is not None) >= np.ndarray.ndim.__get__(self):
            raise _refused("changes some coordinates of a point")
        super().__setitem__(key, value)

    def __array_ufunc__(self, ufunc: Any, method: str, *given: Any, **named: Any) -> Any:
        if method not in ("__call__", "reduce"):
            raise _refused(f"takes {ufunc.__name__}.{method} of points")
        axis = named.get("axis", given[1] if len(given) > 1 and method == "reduce" else 0)
        ndim = max(seen(part).ndim for part in given if isinstance(part, np.ndarray))
        axes = (axis,) if isinstance(axis, int) else axis
        if method == "reduce" and (axes is None or any(range(ndim)[one] == ndim - 1 for one in axes)):
            raise _refused("puts the coordinates of a point together")
        named = {name: tuple(map(seen, v)) if name == "out" else seen(v) for name, v in named.items()}
        return blind(getattr(ufunc, method)(*map(seen, given), **named))

    def __array_function__(self, function: Any, types: Any, given: Any, named: Any) -> Any:
        if function not in KNOWN:
            raise _refused(f"takes {function.__name__} of points, which may look at how many coordinates there are")
        if function in (np.sum, np.mean):
            return getattr(given[0], function.__name__)(*given[1:], **named)
        return blind(function(*_all_seen(given), **{name: _all_seen(v) for name, v in named.items()}))


_COUNTS = "size nbytes strides T mT flat data ctypes tolist tobytes tofile view base nonzero argsort argmax argmin argpartition"
_SHAPES = "reshape ravel flatten resize swapaxes transpose squeeze sort partition cumsum cumprod take put compress choose diagonal"
_OTHERS = "dumps trace dot item repeat searchsorted var std __array__ __array_interface__ __array_struct__ __reduce__ __reduce_ex__"
_TELLING = {name for names in (_COUNTS, _SHAPES, _OTHERS) for name in names.split(" ")}


def _plain(parts: tuple[Any, ...]) -> list[Any]:
    return [part for part in parts if not isinstance(part, np.ndarray)]


def blind(values: Any) -> Any:
    """Arrays of points as a user's step is given them; what has no coordinates as it is."""
    return values.view(Blind) if type(values) is np.ndarray and values.ndim and values.dtype == object else values


def seen(values: Any) -> Any:
    """The array itself."""
    return values.view(np.ndarray) if isinstance(values, Blind) else values


def _all_seen(values: Any) -> Any:
    return type(values)(map(_all_seen, values)) if type(values) in (tuple, list) else seen(values)


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
        with _no_plain_arrays():
            new = self.function(self._seen_by(state), *asked)
        return mapped(seen, new)

    def _seen_by(self, state: Any) -> Any:
        """The state with its points as the step is given them."""
        parts = iter(self.without or ())
        return mapped(lambda leaf: leaf if next(parts, False) else blind(leaf), state)


@contextmanager
def _no_plain_arrays() -> Iterator[None]:
    """NotAffine where a user's code makes a plain array, whose coordinates it could count."""
    before = sys.getprofile()

    def look(frame: FrameType, event: str, called: Any) -> None:
        name = getattr(called, "__name__", "") if event == "c_call" else ""
        if name in PLAIN and str(getattr(called, "__module__", "")).startswith("numpy") and of_users(frame.f_code):
            raise _refused(f"makes another array by {name}, whose coordinates could be counted")

    sys.setprofile(look)
    try:
        yield
    finally:
        sys.setprofile(before)
