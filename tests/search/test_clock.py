"""Deadlines and Ctrl-C: heard also where an exception would be lost."""

from __future__ import annotations

import signal
import time
import weakref
from contextlib import suppress
from typing import Any

import pytest

from fltheory.search import clock


def test_items_before_a_deadline() -> None:
    def slow() -> Any:
        yield 1
        while True:
            pass

    assert list(clock.before(time.perf_counter() + 0.2, slow())) == [1]
    assert list(clock.before(float("inf"), iter((1, 2)))) == [1, 2]
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_no_deadline_is_too_far_away() -> None:
    with clock.until(1e308):
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= clock.LONGEST


def replaced(seconds: float) -> None:
    """As compiled code does that asks Python something and, where that fails, tells a failure of its own."""
    began = time.perf_counter()
    try:
        while time.perf_counter() - began < seconds:
            pass
    except clock.Late:
        pass
    raise TypeError("they can't be compared")


def test_what_stands_in_the_place_of_the_alarm_is_the_alarm() -> None:
    with pytest.raises(clock.Late), clock.until(time.perf_counter() + 0.05):
        replaced(10)
    with pytest.raises(TypeError), clock.until(time.perf_counter() + 10):
        replaced(0.05)


def test_the_alarm_waits_where_it_would_be_lost() -> None:
    """Inside a callback of the garbage collector an exception is only written to the terminal: it rings again after it."""

    def gc_callback() -> str:
        began = time.perf_counter()
        while time.perf_counter() - began < 0.3:
            pass
        return "undisturbed"

    seen = []

    def wait() -> None:
        with clock.until(time.perf_counter() + 0.1):
            seen.append(gc_callback())
            while True:
                pass

    with pytest.raises(clock.Late):
        wait()
    assert seen == ["undisturbed"]


def test_an_interrupt_where_it_would_be_lost_comes_again() -> None:
    """What a weak reference calls swallows exceptions: Ctrl-C must not end there."""

    class Thing:
        pass

    def remove() -> None:
        signal.raise_signal(signal.SIGINT)
        sum(range(1000))  # where the handler runs

    def wait() -> None:
        thing = Thing()
        kept = weakref.ref(thing, lambda _: remove())
        del thing
        assert kept() is None
        end = time.perf_counter() + 5
        while time.perf_counter() < end:
            pass

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), clock.heard():
            wait()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_alarm_does_not_take_the_place_of_ctrl_c_on_its_way() -> None:
    """Both may come while one call into compiled code lasts: then the alarm rings while the interrupt is on its way up."""

    def wait() -> None:
        deadline = time.perf_counter() + 0.05
        with clock.heard(), suppress(clock.Late), clock.until(deadline):
            try:
                signal.raise_signal(signal.SIGINT)
            finally:
                while time.perf_counter() < deadline + 0.2:
                    pass

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            wait()
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("module", ["numba.core.registry", "importlib._bootstrap"])
def test_what_must_be_whole_is_finished_first(module: str) -> None:
    """Numba, broken off in the middle, would not compile again, nor could a package be imported again."""
    done: dict[str, Any] = {"__name__": module, "perf_counter": time.perf_counter}
    exec("def compiled(end):\n    global whole\n    while perf_counter() < end:\n        pass\n    whole = True", done)

    def wait() -> None:
        with clock.until(time.perf_counter() + 0.02):
            done["compiled"](time.perf_counter() + 0.2)
            while True:
                pass

    with pytest.raises(clock.Late):
        wait()
    assert done["whole"]
