"""Floats that are rounded up, down or to zero: what a user's arithmetic then answers otherwise, its rounding may have made.

The processor rounds every operation of this thread that way, numpy's too. Where it can't be told to, ``WAYS`` is empty.
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
}  # of fenv.h: down, up, to zero
_TINY = 1e-30
SAFETY_FACTOR = 10  # times what other rounding moves
STEADY_TOLERANCE = 1e-13  # relative: what a few operations may be off


@cache
def _math_library() -> ctypes.CDLL | None:
    try:
        found = ctypes.CDLL(ctypes.util.find_library("m"))
        return found if hasattr(found, "fesetround") and hasattr(found, "fegetround") else None
    except (OSError, TypeError):
        return None


@contextmanager
def rounding_mode(way: int) -> Iterator[None]:
    """All floats of this thread are rounded that way."""
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
    """Down, up and to zero, where the processor obeys; else none."""
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
    """A user's function whose floats are rounded that way."""

    function: Callable[..., Any]
    way: int

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        """What it stands for, see ``whose.defined_at``."""
        return self.function

    def __call__(self, *given: Any) -> Any:
        """The same, rounded."""
        with rounding_mode(self.way):
            return self.function(*given)


def is_stable_under_rounding(rule: Any, calls: list[tuple[np.ndarray, ...]], c: Any) -> bool:
    """Whether a step-size rule answers calls that were recorded, (lr, ratio, reach, answer), the same with other rounding."""
    if not rounding_modes():
        return False
    if not calls:
        return True
    *asked, answers = (np.concatenate(column) for column in zip(*calls, strict=True))
    with np.errstate(all="ignore"):
        others = [WithRoundingMode(rule.step, way)(*(part.copy() for part in asked), c) for way in rounding_modes()]
    return all(bool((np.abs(other - answers) <= STEADY_TOLERANCE * np.abs(answers)).all()) for other in others)


def with_rounding_mode(method: Any, way: int) -> Any:
    """A method whose functions that move a state round that way; the oracle's answers within a step too."""
    names = [name for name in ("step", "init", "play", "point") if callable(vars(method).get(name))]
    return replace(method, **{name: WithRoundingMode(vars(method)[name], way) for name in names})
