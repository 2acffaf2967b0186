"""Whose a function is: what hides a user's function is a user's."""

from __future__ import annotations

import functools
import math
import operator
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numba
import numpy as np
import pytest
import sympy

from fltheory.number.ownership import definition_location, is_library, unwrap_function
from fltheory.papers.sfl.algorithms import sequential


def mine(x: Any, *_: Any) -> Any:
    return x


@numba.njit
def compiled(x: float) -> float:
    return x


class Posing:
    """An object that says that it stands for a function of the library."""

    __wrapped__ = staticmethod(sequential.step)

    def __call__(self, *given: Any) -> Any:
        return given[0]


class Maker:
    """A class whose call is a step."""

    def __new__(cls, x: Any, *_: Any) -> Any:
        return x


def posing() -> Callable[..., Any]:
    found = functools.lru_cache(mine)
    found.__wrapped__ = sequential.step
    return found


@pytest.mark.parametrize(
    "hidden",
    [
        np.vectorize(mine),
        np.frompyfunc(mine, 1, 1),
        functools.partial(np.vectorize(mine)),
        functools.partial(np.frompyfunc(mine, 1, 1)),
        (lambda f: lambda x: f(x))(np.vectorize(mine)),
        {"step": mine},
        np.array([mine], dtype=object),
        Maker,
        Posing(),
        Posing().__call__,
        posing(),
        compiled,
        random.random,
        random.Random(0).random,
        np.random.default_rng(0),
        np.random.default_rng(0).random,
    ],
    ids=lambda one: type(one).__name__,
)
def test_what_hides_a_users_function_is_a_users(hidden: Any) -> None:
    assert not is_library(hidden)
    assert not is_library((sequential.step, hidden))


@pytest.mark.parametrize(
    "known", [np.abs, np.add, abs, max, float, sequential, (sequential.step, 1, "a", None), np.arange(3)]
)
def test_what_the_library_and_numpy_have_under_their_names_is_known(known: Any) -> None:
    assert is_library(known)


def test_circles_and_parts_are_looked_through() -> None:
    first: list[Any] = []
    second = [first]
    first.append(second)
    assert is_library([first])
    second.append(mine)
    assert not is_library([first])
    assert not is_library(sequential._replace(step=mine))
    assert not is_library(sequential._replace(init=mine))
    assert is_library(sequential._replace(name="mine"))


def test_objects_of_known_packages() -> None:
    """An object that can be called is known by its package; of numpy, Python and compiled code, by its name."""
    from fltheory.evidence.validation.rounding import WithRoundingMode
    from fltheory.number import streams
    from fltheory.number.streams import kernels

    compiled_ones = [f for f in vars(kernels).values() if type(f).__module__.startswith("numba")]
    assert compiled_ones
    assert all(map(is_library, compiled_ones))
    for known in (sympy.Symbol("x"), WithRoundingMode(sequential.step, 0), np.add, math.sqrt, operator.add):
        assert is_library(known), known
    for own in (WithRoundingMode(mine, 0), np.add.reduce, "".join, np.add.at, {}.get, print, math.sqrt.__call__):
        assert not is_library(own), own
    for kind, known in ((sympy.Symbol, True), (Fraction, True), (Maker, False), (functools.partial, False)):
        assert is_library(kind) == known, kind
    for module, known in ((np, True), (sympy, True), (math, False), (functools, False), (streams, True)):
        assert is_library(module) == known, module

    @functools.lru_cache
    def kept() -> None: ...

    kept.__module__ = "fltheory.number"
    assert not is_library(kept)
    kept.__wrapped__.__code__ = sequential.step.__code__
    assert not is_library(kept)  # no module has it under its name


def test_the_home_of_a_kept_function_is_the_library() -> None:
    from fltheory.evidence.validation import rounding

    assert is_library(rounding.rounding_modes)
    stranger = functools.cache(rounding.rounding_modes.__wrapped__)
    assert not is_library(stranger)


def test_a_wrapper_is_taken_off_until_nothing_is_wrapped() -> None:
    class Once:
        def __init__(self, inner: Any) -> None:
            self.__wrapped__ = inner

        def __call__(self) -> None: ...

    assert unwrap_function(Once(Once(mine))) is mine
    plain = Once("no function")
    assert unwrap_function(plain) is plain
    assert definition_location(Once(Once(mine))).startswith("mine at ")
    assert definition_location(plain) == "Once"
    made = eval(compile("lambda: 1", "somewhere.py", "eval"))
    assert definition_location(made) == "<lambda> at somewhere.py:1"


def test_what_a_function_of_the_library_holds_counts() -> None:
    """In its closure and in its defaults, by place and by name."""
    from fltheory.number.ownership import PACKAGE

    space: dict[str, Any] = {}
    text = """
def closed(f):
    def inner(): return f
    return inner
def default(f):
    def inner(x=f): return x
    return inner
def named(f):
    def inner(*, x=f): return x
    return inner
def method(f):
    class Own:
        def act(self): return self
    Own.act.__defaults__ = (f,)
    return Own().act
"""
    exec(compile(text, f"{PACKAGE}/made.py", "exec"), space)
    for name in ("closed", "default", "named"):
        assert is_library(space[name](sequential.step)), name
        assert not is_library(space[name](mine)), name
        assert not is_library(space[name]([{1: mine}])), name
    assert not is_library(space["method"](mine))
