"""Floats that are rounded up, down or to zero: what a user's arithmetic then answers otherwise, its rounding may have made.

The processor rounds every operation of this thread that way, numpy's too. Where it can't be told to, ``WAYS`` is empty.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import numpy as np

_MODES = {
    "x86_64": (0x400, 0x800, 0xC00),
    "amd64": (0x400, 0x800, 0xC00),
    "aarch64": (0x800000, 0x400000, 0xC00000),
    "arm64": (0x800000, 0x400000, 0xC00000),
}  # of fenv.h: down, up, to zero
_TINY = 1e-30


@cache
def _library() -> ctypes.CDLL | None:
    try:
        found = ctypes.CDLL(ctypes.util.find_library("m"))
        return found if hasattr(found, "fesetround") and hasattr(found, "fegetround") else None
    except (OSError, TypeError):
        return None


@contextmanager
def rounded(way: int) -> Iterator[None]:
    """All floats of this thread are rounded that way."""
    library = _library()
    assert library is not None
    before = library.fegetround()
    library.fesetround(way)
    try:
        yield
    finally:
        library.fesetround(before)


@cache
def ways() -> tuple[int, ...]:
    """Down, up and to zero, where the processor obeys; else none."""
    modes = _MODES.get(platform.machine().lower())
    if modes is None or _library() is None:
        return ()
    one = np.ones(9)
    with rounded(modes[1]):
        up = bool((one + _TINY > 1).all()) and float(one[0]) + _TINY > 1
    with rounded(modes[0]):
        down = bool((one - _TINY < 1).all()) and float(one[0]) - _TINY < 1
    return modes if up and down else ()
