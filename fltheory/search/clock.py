"""Deadlines and Ctrl-C in the middle of a computation, also where an exception would be swallowed."""

from __future__ import annotations

import math
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

T = TypeVar("T")

AGAIN = 0.05  # seconds until the alarm rings again, where it could not be heard
LONGEST = 1e6  # seconds that an alarm is set for at most
SWALLOWING = {
    "gc_callback",
    "__del__",
    "remove",
    "_raw_object_cache_notify",  # llvmlite's, while numba compiles; the next two are numba's
    "on_disposal",
    "_on_type_disposal",
    "unraisable_hook",  # pytest's, which tells of such an exception
}  # (weakref's) an exception in these is written to the terminal, and lost

WHOLE = (
    "numba.",
    "llvmlite.",
    "importlib._bootstrap",
    "_frozen_importlib",
)  # an exception in these leaves half a registry or half a module behind, and no later compilation or import works


class Late(BaseException):
    """Breaks off a check at the deadline: no Exception, so that nothing takes it for a step that fails."""


def _lost_in(frame: FrameType | None) -> bool:
    """Whether an exception that is raised here would be lost, or break what must be whole."""
    while frame is not None:
        if frame.f_code.co_name in SWALLOWING or str(frame.f_globals.get("__name__")).startswith(WHOLE):
            return True
        frame = frame.f_back
    return False


def _interrupted() -> bool:
    """Whether Ctrl-C is on its way up at this moment: an alarm that rings meanwhile would take its place."""
    error = sys.exc_info()[1]
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__context__
    return False


@contextmanager
def heard() -> Iterator[None]:
    """Ctrl-C is heard in the block even where it comes at a place that would lose it: then it comes again soon after."""
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        if not _lost_in(frame):
            raise KeyboardInterrupt
        threading.Timer(AGAIN, signal.raise_signal, (signal.SIGINT,)).start()

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def until(deadline: float) -> Iterator[None]:
    """Raises ``Late`` in the block at the deadline (of ``time.perf_counter``), as soon as Python runs again.

    Only in the main thread, and where nobody else has set the alarm. A single call into compiled code is not broken off;
    where one puts an exception of its own in the place of ``Late`` (NumPy's comparisons do), that is told as what it is.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or deadline == math.inf or sys.platform == "win32" or signal.getitimer(signal.ITIMER_REAL)[0] > 0:
        yield
        return

    rang = False

    def ring(number: int, frame: FrameType | None) -> None:
        nonlocal rang
        if time.perf_counter() >= deadline and not _lost_in(frame) and not _interrupted():  # else it rings again
            rang = True
            raise Late

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, min(max(0.001, deadline - time.perf_counter()), LONGEST), AGAIN)
        yield
    except Exception as error:
        if rang:
            raise Late from error
        raise
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def before(deadline: float, items: Iterator[T]) -> Iterator[T]:
    """The items that come before the deadline; the next one is broken off there, and none is begun after it."""
    while time.perf_counter() < deadline:
        try:
            with until(deadline):
                item = next(items)
        except (StopIteration, Late):
            return
        yield item
