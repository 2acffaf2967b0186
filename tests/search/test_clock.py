"""Deadlines and Ctrl-C: heard also where an exception would be lost."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest

from fltheory.search import deadline as clock


def test_items_before_a_deadline() -> None:
    def slow() -> Any:
        yield 1
        while True:
            pass

    assert list(clock.items_before(time.perf_counter() + 0.2, slow())) == [1]
    assert list(clock.items_before(float("inf"), iter((1, 2)))) == [1, 2]
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_no_deadline_is_too_far_away() -> None:
    with clock.stop_at_deadline(1e308):
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= clock.MAX_ALARM_SECONDS


def busy(seconds: float) -> None:
    """Works so long."""
    began = time.perf_counter()
    while time.perf_counter() - began < seconds:
        pass


def test_an_alarm_before_the_deadline_rings_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "MAX_ALARM_SECONDS", 0.005)
    with clock.stop_at_deadline(time.perf_counter() + 10):
        busy(0.03)
    began = time.perf_counter()
    with pytest.raises(clock.DeadlinePassed), clock.stop_at_deadline(began + 0.02):
        busy(5)
    assert 0.02 <= time.perf_counter() - began < 1


def test_an_inner_deadline_leaves_the_alarm_of_the_outer_one() -> None:
    now = time.perf_counter()
    with clock.stop_at_deadline(now + 10):
        with clock.stop_at_deadline(now + 20):
            assert 9 < signal.getitimer(signal.ITIMER_REAL)[0] <= 10
        assert 9 < signal.getitimer(signal.ITIMER_REAL)[0] <= 10
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_only_ctrl_c_on_its_way_holds_an_alarm_back() -> None:
    assert not clock._is_interrupting()
    try:
        raise ValueError
    except ValueError:
        assert not clock._is_interrupting()
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt:
            try:
                raise IndexError
            except IndexError:
                assert clock._is_interrupting()
    assert not clock._is_interrupting()


def frames(*names: tuple[str, str]) -> Any:
    """The innermost of frames of these functions, each with its module, the innermost first."""
    found: Any = None
    for name, module in reversed(names):
        found = SimpleNamespace(f_code=SimpleNamespace(co_name=name), f_globals={"__name__": module}, f_back=found)
    return found


def test_an_exception_is_lost_in_some_functions_of_some_modules() -> None:
    lost = clock._would_lose_exception
    for own, whole in (
        (("freeze", "hypothesis.internal"), ()),
        (("cb", "importlib._bootstrap"), ()),
        (("__del__", "mine"), ()),
        (("compile", "numba.core"), clock.UNINTERRUPTIBLE_MODULES),
        (("anything", "importlib._bootstrap"), clock.UNINTERRUPTIBLE_MODULES),
    ):
        assert lost(frames(own), whole)
        assert lost(frames(("f", "mine"), ("g", "mine"), own), whole)
    for own, whole in (
        (("freeze", "mine"), clock.UNINTERRUPTIBLE_MODULES),
        (("run", "hypothesis.internal"), clock.UNINTERRUPTIBLE_MODULES),
        (("cb", "mine"), clock.UNINTERRUPTIBLE_MODULES),
        (("compile", "numba.core"), ()),
        (("f", "my.numba.core"), clock.UNINTERRUPTIBLE_MODULES),
    ):
        assert not lost(frames(own), whole)
    assert lost(frames(("compile", "numba.core")))
    assert not lost(None)


def test_the_last_block_may_be_interrupted_in_more_places() -> None:
    before = signal.getsignal(signal.SIGINT)
    for last, handler in ((True, clock._interrupt_at_end), (False, clock._interrupt_between)):
        with clock.deliver_interrupts(last):
            assert signal.getsignal(signal.SIGINT) is handler
        assert signal.getsignal(signal.SIGINT) is before


def replaced(seconds: float) -> None:
    """As compiled code does that asks Python something and, where that fails, tells a failure of its own."""
    began = time.perf_counter()
    try:
        while time.perf_counter() - began < seconds:
            pass
    except clock.DeadlinePassed:
        pass
    raise TypeError("they can't be compared")


def test_what_stands_in_the_place_of_the_alarm_is_the_alarm() -> None:
    with pytest.raises(clock.DeadlinePassed), clock.stop_at_deadline(time.perf_counter() + 0.05):
        replaced(10)
    with pytest.raises(TypeError), clock.stop_at_deadline(time.perf_counter() + 10):
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
        with clock.stop_at_deadline(time.perf_counter() + 0.1):
            seen.append(gc_callback())
            while True:
                pass

    with pytest.raises(clock.DeadlinePassed):
        wait()
    assert seen == ["undisturbed"]


@pytest.fixture(autouse=True)
def _usual_handlers() -> Iterator[None]:
    """As a command has them: both signals interrupt."""
    before = {number: signal.signal(number, signal.default_int_handler) for number in clock.STOP_SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def lost(number: int) -> None:
    """A signal in what a weak reference calls, which swallows exceptions."""

    class Thing:
        pass

    def remove() -> None:
        signal.raise_signal(number)
        sum(range(1000))  # where the handler runs

    thing = Thing()
    kept = weakref.ref(thing, lambda _: remove())
    del thing
    assert kept() is None
    end = time.perf_counter() + 5
    while time.perf_counter() < end:
        pass


@pytest.mark.parametrize("number", clock.STOP_SIGNALS)
@pytest.mark.parametrize("last", [False, True])
def test_an_interrupt_where_it_would_be_lost_comes_again(last: bool, number: int) -> None:
    with pytest.raises(KeyboardInterrupt), clock.deliver_interrupts(last):
        lost(number)
    assert signal.getsignal(number) is signal.default_int_handler


@pytest.mark.parametrize(("module", "lost"), [("mine", False), ("hypothesis.internal.cache", True)])
def test_a_common_name_swallows_nothing_elsewhere(module: str, lost: bool) -> None:
    done: dict[str, Any] = {"__name__": module, "asked": lambda: clock._would_lose_exception(sys._getframe(), ())}
    exec("def freeze():\n    return asked()", done)
    assert done["freeze"]() is lost


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="needs signals as POSIX has them")
def test_an_interrupt_that_comes_again_ends_a_wait() -> None:
    """A thread that raises it for itself alone would not wake the main one."""

    def remove() -> None:
        signal.raise_signal(signal.SIGINT)
        sum(range(1000))

    def wait() -> None:
        remove()
        time.sleep(20)

    began = time.perf_counter()
    with pytest.raises(KeyboardInterrupt), clock.deliver_interrupts():
        wait()
    assert time.perf_counter() < began + 10


def whole(module: str) -> Callable[[float], bool]:
    """A function of a module that is not to be broken off."""
    done: dict[str, Any] = {"__name__": module, "perf_counter": time.perf_counter, "whole": False}
    exec("def compiled(end):\n    global whole\n    while perf_counter() < end:\n        pass\n    whole = True", done)
    return lambda seconds: done["compiled"](time.perf_counter() + seconds) or done["whole"]


def interrupted_in(compiled: Callable[[float], bool], seen: list[bool]) -> None:
    threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGINT)).start()
    seen.append(compiled(0.3))
    time.sleep(5)


def test_a_block_inside_asks_for_what_must_be_whole_and_the_outer_one_hears_again_after_it() -> None:
    seen: list[bool] = []
    with clock.deliver_interrupts(last=True):
        with pytest.raises(KeyboardInterrupt):
            interrupted_in(whole("numba.core.registry"), seen)
        assert seen == []  # nothing goes on after it: it is broken off
        with pytest.raises(KeyboardInterrupt), clock.deliver_interrupts():
            interrupted_in(whole("numba.core.registry"), seen)
        assert seen == [True]
        with pytest.raises(KeyboardInterrupt):
            lost(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), clock.deliver_interrupts(), clock.deliver_interrupts(last=True):
        interrupted_in(whole("numba.core.registry"), seen)
    assert seen == [True, True]


def test_who_listens_already_is_left_alone() -> None:
    def mine(number: int, frame: Any) -> None:
        pass

    signal.signal(signal.SIGTERM, mine)
    with clock.deliver_interrupts():
        assert signal.getsignal(signal.SIGTERM) is mine
    assert signal.getsignal(signal.SIGTERM) is mine


def test_an_alarm_does_not_take_the_place_of_ctrl_c_on_its_way() -> None:
    """Both may come while one call into compiled code lasts: then the alarm rings while the interrupt is on its way up."""

    def wait() -> None:
        deadline = time.perf_counter() + 0.05
        with clock.deliver_interrupts(), suppress(clock.DeadlinePassed), clock.stop_at_deadline(deadline):
            try:
                signal.raise_signal(signal.SIGINT)
            finally:
                while time.perf_counter() < deadline + 0.2:
                    pass

    with pytest.raises(KeyboardInterrupt):
        wait()


@pytest.mark.parametrize("module", ["numba.core.registry", "importlib._bootstrap"])
def test_what_must_be_whole_is_finished_first(module: str) -> None:
    """Numba, broken off in the middle, would not compile again, nor could a package be imported again."""
    compiled, seen = whole(module), []

    def wait() -> None:
        with clock.stop_at_deadline(time.perf_counter() + 0.02):
            seen.append(compiled(0.2))
            while True:
                pass

    with pytest.raises(clock.DeadlinePassed):
        wait()
    assert seen == [True]
