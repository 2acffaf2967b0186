"""Other rounding modes of floats (up, down, to zero), which reveal results that depend on rounding.

The processor applies a mode to all operations of this thread, including numpy's. Without support there are no modes.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

_MODES = {
    "x86_64": (0x400, 0x800, 0xC00),
    "amd64": (0x400, 0x800, 0xC00),
    "aarch64": (0x800000, 0x400000, 0xC00000),
    "arm64": (0x800000, 0x400000, 0xC00000),
}  # constants of fenv.h: down, up, to zero
_TINY = 1e-30
SAFETY_FACTOR = 10  # times the effect of other rounding modes
STEADY_TOLERANCE = 1e-13  # relative error of a few operations


@cache
def _math_library() -> ctypes.CDLL | None:
    try:
        found = ctypes.CDLL(ctypes.util.find_library("m"))
        return found if hasattr(found, "fesetround") and hasattr(found, "fegetround") else None
    except (OSError, TypeError):
        return None


@contextmanager
def rounding_mode(way: int) -> Iterator[None]:
    """Set the rounding mode of this thread in a context."""
    library = _math_library()
    assert library is not None
    before = library.fegetround()
    library.fesetround(way)
    try:
        yield
    finally:
        library.fesetround(before)


@cache
def rounding_modes() -> tuple[int, ...]:
    """Return the modes down, up and to zero if the processor supports them, else none."""
    modes = _MODES.get(platform.machine().lower())
    if modes is None or _math_library() is None:
        return ()
    one = np.ones(9)
    with rounding_mode(modes[1]):
        up = bool((one + _TINY > 1).all()) and float(one[0]) + _TINY > 1
    with rounding_mode(modes[0]):
        down = bool((one - _TINY < 1).all()) and float(one[0]) - _TINY < 1
    return modes if up and down else ()


@dataclass(frozen=True, eq=False)
class WithRoundingMode:
    """A user's function that runs in a rounding mode."""

    function: Callable[..., Any]
    way: int

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        """The wrapped function, see ``ownership.unwrap_function``."""
        return self.function

    def __call__(self, *given: Any) -> Any:
        """Call the function in the rounding mode."""
        with rounding_mode(self.way):
            return self.function(*given)


def is_stable_under_rounding(rule: Any, calls: list[tuple[np.ndarray, ...]], c: Any) -> bool:
    """Return whether a rule gives the recorded results (lr, ratio, reach, answer) in other rounding modes, too."""
    if not rounding_modes():
        return False
    if not calls:
        return True
    *asked, answers = (np.concatenate(column) for column in zip(*calls, strict=True))
    with np.errstate(all="ignore"):
        others = [WithRoundingMode(rule.step, way)(*(part.copy() for part in asked), c) for way in rounding_modes()]
    return all(bool((np.abs(other - answers) <= STEADY_TOLERANCE * np.abs(answers)).all()) for other in others)


def with_rounding_mode(method: Any, way: int) -> Any:
    """Return a method whose state functions, and the oracle calls inside them, run in a rounding mode."""
    names = [name for name in ("step", "init", "play", "point") if callable(vars(method).get(name))]
    return replace(method, **{name: WithRoundingMode(vars(method)[name], way) for name in names})
