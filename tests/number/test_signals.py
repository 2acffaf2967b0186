"""Whose a function is, whatever holds it; which line of a user's file raised a signal, and that none is swallowed."""

from __future__ import annotations

import contextlib
import functools
import linecache
import math
import operator
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import sympy
from flint import arb

from fltheory.model.case import Case
from fltheory.number import ownership, signals
from fltheory.number.elements import Ball, NotExact, Undecided
from fltheory.number.ownership import definition_location, is_library, unwrap_function
from fltheory.number.signals import (
    BaseSignal,
    VariantError,
    call_with_signals,
    hide_handled_signals,
    is_user_code,
    place_of,
)
from fltheory.papers.sfl import algorithms
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.algorithm import points_as_state

KNOWN: Any = points_as_state
CLIENTS = QuadraticClients((1,), (0,), 1)


def mine(x: Any = None) -> Any:
    return x


def closed(held: Any) -> Any:
    return lambda: held


def by_default(x: Any = mine) -> Any:
    return x


def named(*, x: Any = mine) -> Any:
    return x


class Own:
    """A user's object."""

    def act(self) -> None:
        """A method."""


HOLDERS: list[Callable[[Any], Any]] = [
    lambda f: f,
    lambda f: (1, f),
    lambda f: [f],
    lambda f: {"a": f},
    lambda f: {f},
    lambda f: frozenset({f}),
    lambda f: np.array([None, f], dtype=object),
    lambda f: functools.partial(KNOWN, f),
    lambda f: functools.partial(KNOWN, start=f),
    lambda f: functools.partial(f, 1),
    lambda f: [({"a": [f]},)],
]


@pytest.mark.parametrize("holder", range(len(HOLDERS)))
def test_what_holds_a_users_function_is_a_users_and_else_the_librarys(holder: int) -> None:
    hold = HOLDERS[holder]
    for own in (mine, Own().act, Own, closed(1)):
        assert not is_library(hold(own))
    for known in (KNOWN, algorithms.sequential.step, math.sqrt, operator.add, np.add, np.exp, abs, arb):
        assert is_library(hold(known)), known


def test_values_and_types_of_the_library_are_known() -> None:
    for known in (
        1,
        "a",
        None,
        2.5,
        Fraction(1, 2),
        sympy.pi,
        arb(1),
        CLIENTS,
        Case(CLIENTS, n_rounds=1),
        np.arange(3),
        np,
        math,
    ):
        assert is_library(known) == (known is not math), known
    for own in (Own(), [Own()], by_default, named, pytest, contextlib):
        assert not is_library(own), own
    loop: list[Any] = [1]
    loop.append(loop)
    assert is_library(loop)
    loop.append(mine)
    assert not is_library(loop)


def test_wrapped_functions() -> None:
    cached = functools.lru_cache(mine)
    assert not is_library(cached)
    assert unwrap_function(cached) is mine
    assert unwrap_function(functools.wraps(cached)(lambda: None)) is mine
    assert unwrap_function(mine) is mine
    line = mine.__code__.co_firstlineno
    assert definition_location(cached) == definition_location(mine) == f"mine at {__file__}:{line}"
    assert definition_location(math.sqrt) == "sqrt"
    assert definition_location(functools.partial(mine)) == "partial"


def test_cells_without_content_hold_nothing() -> None:
    def outer(fill: bool) -> Any:
        def inner() -> Any:
            return content

        if fill:
            content = mine
        return inner

    for fill in (False, True):
        cells = outer(fill).__closure__
        assert [ownership._is_filled_cell(c) for c in cells] == [fill]
    assert not ownership._is_filled_cell(closed(None).__closure__[0])


# Signals -----------------------------------------------------------------------------------------------------------------


def line_of(call: Callable[[], Any]) -> str:
    return f"{__file__}:{call.__code__.co_firstlineno}"


def raising(kind: Any = NotExact) -> Any:
    raise kind("words")


def test_a_signal_is_raised_although_it_is_swallowed() -> None:
    def swallowing() -> int:
        with contextlib.suppress(Exception):
            raise NotExact("first")
        with contextlib.suppress(Exception):
            raise Undecided("second")
        return 3

    def converting() -> None:
        try:
            raise NotExact("first")
        except NotExact:
            raise KeyError("other") from None

    for call in (swallowing, converting):
        with pytest.raises(NotExact, match="first"):
            call_with_signals(call)
    assert call_with_signals(lambda: 3) == 3
    with pytest.raises(KeyError, match="own"):
        call_with_signals(lambda: {}["own"])
    for kind in (KeyboardInterrupt, GeneratorExit):

        def interrupted(kind: Any = kind) -> None:
            with contextlib.suppress(Exception):
                raise NotExact("first")
            raise kind

        with pytest.raises(kind):
            call_with_signals(interrupted)
    assert signals._active_handlers == []


def test_signals_that_the_library_handles_are_hidden() -> None:
    def handled() -> int:
        with hide_handled_signals(), contextlib.suppress(NotExact):
            raise NotExact("inside")
        return 3

    assert call_with_signals(handled) == 3

    def both() -> None:
        with contextlib.suppress(NotExact):
            raise NotExact("before")
        handled()

    with pytest.raises(NotExact, match="before"):
        call_with_signals(both)


def test_nested_calls_tell_all_callers() -> None:
    def outer() -> int:
        with contextlib.suppress(NotExact):
            call_with_signals(raising)
        return 3

    with pytest.raises(NotExact, match="words"):
        call_with_signals(outer)


def test_the_place_of_a_signal_is_the_innermost_line_of_a_user() -> None:
    assert NotExact("outside").place == ""
    with pytest.raises(NotExact) as told:
        call_with_signals(raising)
    line = raising.__code__.co_firstlineno + 1
    assert told.value.place.endswith(f"{__file__}:{line}")
    assert place_of(told.value) == told.value.place

    def compares() -> Any:
        from fltheory.number.elements import Ball

        return Ball(arb(1, 1)) < Ball(arb(1, 1))

    with pytest.raises(Undecided) as undecided:
        call_with_signals(compares)
    assert place_of(undecided.value) == f"< at {__file__}:{compares.__code__.co_firstlineno + 3}"


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: 1 / 0, "/"),
        (lambda: 1 + None, "+"),  # type: ignore[operator]
        (lambda: "a" - 1, "-"),  # type: ignore[operator]
        (lambda: [] < 1, "<"),  # type: ignore[operator]
        (lambda: [] >= 1, ">="),  # type: ignore[operator]
        (lambda: None @ 1, "@"),  # type: ignore[operator]
        (lambda: 1 // 0, "//"),
        (lambda: 1 % 0, "%"),
        (lambda: 0**-1, "**"),
        (lambda: math.sqrt(-1), "sqrt"),
        (lambda: {}["a"], "{}['a']"),
    ],
)
def test_the_operation_that_failed_is_named(call: Any, word: str) -> None:
    with pytest.raises((ArithmeticError, TypeError, ValueError, KeyError)) as told:
        call()
    assert place_of(told.value) == f"{word} at {line_of(call)}"


def test_a_signal_of_the_librarys_own_call_has_no_place() -> None:
    """The frames outside of the call belong to whoever calls the library."""
    with pytest.raises(Undecided) as told:
        call_with_signals(functools.partial(operator.lt, Ball(arb(1, 1)), Ball(arb(1, 1))))
    assert told.value.place == ""

    def compares() -> Any:
        return Ball(arb(1, 1)) < Ball(arb(1, 1))

    with pytest.raises(Undecided) as undecided:
        call_with_signals(compares)
    assert undecided.value.place == f"< at {__file__}:{compares.__code__.co_firstlineno + 1}"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("x / 0", "/"),
        ("math.sqrt(-x)", "sqrt"),
        ("[].pop()", "pop"),
        ("'ä' + 'ö' + (x +\n 'ü')", "+"),
        ("(x)[0]", "x[0]"),
        ("{}['a long key of more than thirty characters']", "{}['a long key of more than thirty characters']"[:30]),
    ],
)
def test_an_operation_is_read_from_its_file(text: str, word: str, tmp_path: Path) -> None:
    """From the first line on, and over several lines."""
    for above in (0, 3):
        path = tmp_path / f"mine{above}.py"
        path.write_text("\n" * above + text, encoding="utf-8")
        code = compile(path.read_text(encoding="utf-8"), str(path), "eval")
        with pytest.raises((ArithmeticError, TypeError, ValueError, IndexError, KeyError)) as told:
            eval(code, {"math": math, "x": 1})
        assert place_of(told.value).startswith(f"{word} at {path}:{above + 1}")


def test_an_operation_whose_file_has_changed_is_not_named(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    code = compile("\n\nx / 0", str(path), "eval")
    for text in ("", "1\n2\n", "1\n2\n)))))"):
        path.write_text(text, encoding="utf-8")
        linecache.checkcache()
        with pytest.raises(ZeroDivisionError) as told:
            eval(code, {"x": 1})
        assert place_of(told.value) == f"{path}:3"
        linecache.clearcache()
    for places in ([(1, None, None, None)], [(None, None, None, None)], [(None, 1, 0, 5)]):
        unplaced: Any = SimpleNamespace(co_positions=lambda p=places: iter(p), co_filename=__file__)
        assert signals._operation(unplaced, 0) == ""
    bare = (lambda x: x / 0).__code__.replace(co_linetable=b"")
    for at in (0, 2, 4):
        assert signals._operation(bare, at) == ""


def test_an_error_without_a_users_line_has_no_place() -> None:
    assert place_of(ValueError("never raised")) == ""
    code = compile("1 / 0", "<made>", "eval")
    assert is_user_code(code)
    with pytest.raises(ZeroDivisionError) as told:
        eval(code)
    assert place_of(told.value) == "<made>:1"
    for known in (call_with_signals, contextlib.suppress.__exit__, np.linalg.norm.__wrapped__):
        assert not is_user_code(known.__code__)
    assert is_user_code(mine.__code__)
    assert signals._operation(mine.__code__, -2) == signals._operation(mine.__code__, 10**6) == ""
    assert issubclass(NotExact, BaseSignal)
    assert not issubclass(VariantError, BaseSignal)
