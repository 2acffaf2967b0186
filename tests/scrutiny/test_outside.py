"""Clocks, entropy, addresses and generators of old are refused in a step, however rarely it asks them."""

from __future__ import annotations

import datetime
import logging
import os
import random
import secrets
import time
import uuid
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
import pytest

from fltheory.claim import check
from fltheory.known import find
from fltheory.runs.algorithm import Algorithm

CLAIM = find("sfl/T7@explicit")
CASE = CLAIM.cases[0]
OURS, NUMPYS = random.Random(3), np.random.default_rng(1)


def plain(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    for client in oracle.order().T:
        for k in range(c.n_local_steps):
            x = x - c.step_size * oracle.gradient(x, client, k)
    return x


def unless(asked: Callable[..., Any]) -> Callable[..., np.ndarray]:
    """The plain step, with a branch that is taken about once in 10^12 calls: no comparison of calls shows it."""

    def step(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
        return plain(x, oracle, c) * (5 if asked() else 1)

    return step


class Holding:
    """A step that holds its generator in its class."""

    coins = np.random.default_rng(3)

    def __call__(self, x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
        return plain(x, oracle, c) * (5 if self.coins.random() < 1e-12 else 1)


def call(function: Callable[[], Any]) -> Any:
    return function()


def swallowed() -> bool:
    try:
        return time.time() < 0
    except Exception:
        return False


def drawn(*_: Any, coins: Any = np.random.default_rng(2)) -> bool:  # noqa: B008 (the mistake that is made)
    return bool(coins.random() < 1e-12)


OLD = {
    "random": lambda: random.random() < 1e-12,
    "numpy": lambda: np.random.rand() < 1e-12,  # noqa: NPY002 (the mistake that is made)
    "global": lambda: OURS.random() < 1e-12,
    "global of numpy": lambda: NUMPYS.random() < 1e-12,
    "default": drawn,
    "partial": partial(drawn, 1),
    "method": partial(lambda draw: draw() < 1e-12, np.random.default_rng(2).random),
    "nested": lambda: next(OURS.random() for _ in range(2)) < 1e-12,
}
ASKED = {
    "fresh": lambda: np.random.default_rng().random() < 1e-12,
    "legacy": lambda: np.random.RandomState().rand() < 1e-12,
    "unseeded": lambda: random.Random().random() < 1e-12,
    "system": lambda: random.SystemRandom().random() < 1e-12,
    "secrets": lambda: secrets.randbelow(10**12) == 0,
    "urandom": lambda: os.urandom(5) == b"00000",
    "uuid": lambda: uuid.uuid4().int % 10**12 == 0,
    "time": lambda: time.time() < 0,
    "by name": lambda: perf_counter() < 0,
    "through map": lambda: next(map(call, [perf_counter])) < 0,
    "today": lambda: datetime.datetime.now().year == 1,
    "address": lambda: id(object()) == 1,
    "hash of text": lambda: hash("a") == 1,
    "swallowed": swallowed,
}


@pytest.mark.parametrize("asked", OLD.values(), ids=OLD)
def test_a_step_that_draws_from_a_generator_of_old_is_refused_however_rarely_it_matters(
    asked: Callable[..., Any],
) -> None:
    found = check(replace(CLAIM, algorithm=Algorithm("mine", unless(asked))), CASE)
    assert found.status == "inapplicable"
    assert "not a pure function: it draws from" in found.reason


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_a_step_that_asks_what_differs_from_call_to_call_is_refused_by_name(asked: Callable[..., Any]) -> None:
    found = check(replace(CLAIM, algorithm=Algorithm("mine", unless(asked))), CASE)
    assert found.status == "inapplicable"
    assert "not a pure function: it asks" in found.reason


def test_a_generator_in_the_class_of_a_step_is_found() -> None:
    found = check(replace(CLAIM, algorithm=Algorithm("mine", Holding())), CASE)
    assert "draws from a generator that it holds" in found.reason


def test_what_a_vectorised_function_asks_is_seen() -> None:
    shaken = np.vectorize(lambda v: v * (5 if random.random() < 1e-12 else 1), otypes=[object])
    found = check(replace(CLAIM, algorithm=Algorithm("mine", lambda x, o, c: shaken(plain(x, o, c)))), CASE)
    assert found.status == "inapplicable"


HARMLESS = {
    "nothing": lambda: False,
    "hash of a number": lambda: hash(3) == 4,
    "a seed of its own": lambda: np.random.default_rng(7).random() < 0,
    "random with a seed": lambda: random.Random(7).random() < 0,
    "a log": lambda: bool(logging.getLogger("mine").isEnabledFor(5) or logging.makeLogRecord({}).created < 0),
}


@pytest.mark.parametrize("asked", HARMLESS.values(), ids=HARMLESS)
def test_a_pure_step_has_its_verdict(asked: Callable[..., Any]) -> None:
    found = check(replace(CLAIM, algorithm=Algorithm("mine", unless(asked))), CASE)
    assert (found.status, found.evidence) == ("holds", "exact")


def test_the_clock_goes_on_once_the_verdict_is_there() -> None:
    before = time.time, os.urandom, id, hash
    check(replace(CLAIM, algorithm=Algorithm("mine", unless(ASKED["time"]))), CASE)
    assert (time.time, os.urandom, id, hash) == before
    assert time.time() > 0
