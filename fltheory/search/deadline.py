"""Deadlines and Ctrl-C during a computation, even where an exception would be swallowed."""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

from fltheory.work import time_limit

T = TypeVar("T")

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
RETRY_SECONDS = 0.05  # seconds until the alarm repeats if an exception would be lost
MAX_ALARM_SECONDS = 1e6  # longest alarm in seconds
SWALLOWING_FUNCTIONS = {
    "gc_callback",  # Hypothesis's
    "__del__",
    "remove",  # callbacks of weak references, as the next
    "_remove",
    "_raw_object_cache_notify",  # llvmlite's, while numba compiles; after the next, two of numba's
    "_raw_object_cache_getbuffer",
    "on_disposal",
    "_on_type_disposal",
    "unraisable_hook",  # pytest's, which reports such an exception
}  # an exception in these is lost; some print it
SWALLOWING_BY_MODULE = (
    ("hypothesis.", ("freeze", "function_digest")),
    ("importlib._bootstrap", ("cb",)),
)  # common names elsewhere

UNINTERRUPTIBLE_MODULES = (
    "numba.",
    "llvmlite.",
    "importlib._bootstrap",
    "_frozen_importlib",
)  # an exception in these leaves a registry or module incomplete, and later compilations or imports fail


class DeadlinePassed(BaseException):
    """Interrupts a check at the deadline; not an Exception, so that it is not mistaken for a failing step."""


def _would_lose_exception(frame: FrameType | None, whole: tuple[str, ...] = UNINTERRUPTIBLE_MODULES) -> bool:
    """Return whether an exception raised here would be lost, or interrupt a block that must complete."""
    while frame is not None:
        name, module = frame.f_code.co_name, str(frame.f_globals.get("__name__"))
        if name in SWALLOWING_FUNCTIONS or module.startswith(whole):
            return True
        if any(name in names and module.startswith(starts) for starts, names in SWALLOWING_BY_MODULE):
            return True
        frame = frame.f_back
    return False


def _is_interrupting() -> bool:
    """Return whether Ctrl-C is propagating: an alarm that rings meanwhile would replace it."""
    error = sys.exc_info()[1]
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__context__
    return False


def _interrupt_at_end(number: int, frame: FrameType | None) -> None:
    """Raise at Ctrl-C where nothing follows."""
    _interrupt(number, _would_lose_exception(frame, ()))


def _interrupt_between(number: int, frame: FrameType | None) -> None:
    """Raise at Ctrl-C where more work follows, so that nothing is left broken."""
    _interrupt(number, _would_lose_exception(frame))


def _interrupt(number: int, lost: bool) -> None:
    if not lost:
        raise KeyboardInterrupt
    threading.Timer(RETRY_SECONDS, _resend_signal, (number,)).start()


def _resend_signal(number: int) -> None:
    """Send the signal again to the main thread, which also interrupts a blocking call."""
    if sys.platform == "win32":
        signal.raise_signal(number)
    else:
        os.kill(os.getpid(), number)


@contextmanager
def deliver_interrupts(last: bool = False) -> Iterator[None]:
    """Deliver Ctrl-C in the block even if it comes where an exception would be lost: it is sent again soon after.

    The same holds for the termination signal, if it means the same. ``last``: nothing is imported or compiled later, so
    these may be interrupted; an inner block may be stricter. Only in the main thread, without other handlers.
    """
    main = threading.current_thread() is threading.main_thread()
    known = (signal.default_int_handler, _interrupt_at_end)
    before = {number: handler for number in STOP_SIGNALS if main and (handler := signal.getsignal(number)) in known}
    for number in before:
        signal.signal(number, _interrupt_at_end if last else _interrupt_between)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def has_passed(deadline: float) -> bool:
    """Return whether the deadline (of ``time.perf_counter``) has passed."""
    return deadline < math.inf and time.perf_counter() > deadline


def deadline_of(seconds: float | None) -> float:
    """Return the deadline in this many seconds, by ``time.perf_counter``; infinite for None."""
    return math.inf if seconds is None else time.perf_counter() + seconds


def require_seconds(seconds: object) -> None:
    """Raise ValueError unless it is a positive number, or None for no limit."""
    if seconds is None:
        return
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < math.inf:
        raise ValueError(f"seconds must be a positive number, or None for no limit, got {seconds!r}")


@contextmanager
def stop_at_deadline(deadline: float) -> Iterator[None]:
    """Raise ``DeadlinePassed`` in the block at the deadline (of ``time.perf_counter``), as soon as Python runs again.

    Only in the main thread, and if no other alarm is set. A single call into compiled code is not interrupted;
    if one replaces ``DeadlinePassed`` by its own exception (NumPy's comparisons do), that is converted back.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or deadline == math.inf or sys.platform == "win32" or signal.getitimer(signal.ITIMER_REAL)[0] > 0:
        with time_limit(deadline):
            yield
        return

    rang = False

    def ring(number: int, frame: FrameType | None) -> None:
        nonlocal rang
        if (
            time.perf_counter() >= deadline and not _would_lose_exception(frame) and not _is_interrupting()
        ):  # else it rings again
            rang = True
            raise DeadlinePassed

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(
            signal.ITIMER_REAL, min(max(0.001, deadline - time.perf_counter()), MAX_ALARM_SECONDS), RETRY_SECONDS
        )
        with time_limit(deadline):
            yield
    except Exception as error:
        if rang:
            raise DeadlinePassed from error
        raise
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def items_before(deadline: float, items: Iterator[T]) -> Iterator[T]:
    """Yield the items before the deadline; the next one is interrupted there, and no later one starts."""
    while time.perf_counter() < deadline:
        try:
            with stop_at_deadline(deadline):
                item = next(items)
        except (StopIteration, DeadlinePassed):
            return
        yield item
