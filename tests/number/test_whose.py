"""Whose a function is: what hides a user's function is a user's."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

from fltheory.number.ownership import is_library
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
