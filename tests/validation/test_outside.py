"""Clocks, entropy, addresses and generators of old are refused in a step, however rarely it asks them."""

from __future__ import annotations

import ctypes
import datetime
import functools
import gc
import itertools
import logging
import os
import random
import secrets
import subprocess
import sys
import threading
import time
import uuid
import warnings
import weakref
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from os import getppid
from pathlib import Path
from time import perf_counter
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from fltheory.claims.check import check_claim
from fltheory.number.impurity import Impure, forbid_impure_calls
from fltheory.runs.algorithm import Algorithm
from fltheory.verification import find

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
    n = 0

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


class Slotted:
    __slots__ = ("coins",)

    def __init__(self) -> None:
        self.coins = random.Random(4)


class Plainly:
    n = 0

    def __init__(self) -> None:
        self.n = 0


SLOTTED, WEAK, WAITING, SYSTEMS = Slotted(), weakref.ref(OURS), deque([random.Random(3)]), random.SystemRandom()
BOXED = np.array([random.Random(3)], dtype=object)
MODULE = ModuleType("a_module_of_ones_own")
MODULE.coins = random.Random(9)  # type: ignore[attr-defined]
NUMBERS, CONSTANTS, ARRAY, OBJECT = [0], {"n": 0}, np.zeros(1, dtype=int), Plainly()
COUNT, TURNS = itertools.count(), (i for i in range(10**9))
HISTORY: list[int] = []
MEMO: dict[int, float] = {}


def counted(kept: Any, at: Any) -> bool:
    kept[at] += 1
    return bool(kept[at] > 10**7)


def put_back() -> bool:
    before = random.getstate()
    coin = random.random()
    random.setstate(before)
    return coin < 1e-12


def imported() -> bool:
    import os as system

    return system.getppid() == 0


@functools.lru_cache
def root(n: int) -> float:
    return n**0.5


OLD = {
    "random": lambda: random.random() < 1e-12,
    "numpy": lambda: np.random.rand() < 1e-12,  # noqa: NPY002 (the mistake that is made)
    "global": lambda: OURS.random() < 1e-12,
    "global of numpy": lambda: NUMPYS.random() < 1e-12,
    "default": drawn,
    "partial": partial(drawn, 1),
    "method": partial(lambda draw: draw() < 1e-12, np.random.default_rng(2).random),
    "nested": lambda: next(OURS.random() for _ in range(2)) < 1e-12,
    "in a slot": lambda: SLOTTED.coins.random() < 1e-12,
    "behind a weak reference": lambda: WEAK().random() < 1e-12,
    "in a deque": lambda: WAITING[0].random() < 1e-12,
    "in an array": lambda: BOXED[0].random() < 1e-12,
    "in a module of one's own": lambda: MODULE.coins.random() < 1e-12,
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
    "a generator of the system": lambda: SYSTEMS.random() < 1e-12,
    "a hash of texts in a tuple": lambda: hash(("a", 1)) == 1,
    "file": lambda: open("/proc/uptime").read() == "0",  # noqa: SIM115 (what is refused)
    "file by its path": lambda: Path("/proc/uptime").read_text() == "0",
    "state of a file": lambda: os.stat("/").st_mtime < 0,
    "variable of the system": lambda: os.getenv("NONE") == "1",
    "load": lambda: os.getloadavg()[0] > 1e9,
    "thread": lambda: threading.get_native_id() == 1,
    "another process": lambda: subprocess.run(["true"], check=False).returncode == 5,
    "memory": lambda: gc.get_count()[0] == 10**7,
    "references": lambda: sys.getrefcount(plain) == 10**7,
    "who calls": lambda: "x" in sys._getframe(1).f_code.co_filename and False,
    "another language": lambda: ctypes.CDLL(None).rand() == -1,
    "numpy's clock": lambda: np.datetime64("now") == np.datetime64("2020-01-01"),
    "by a name as text": lambda: __import__("os").getppid() == 0,
    "made as it runs": lambda: eval("os.getppid() == 0"),
    "imported as it runs": imported,
    "by its own name": lambda: getppid() == 0,
    "put back": put_back,
}
# What is kept from call to call, in which the count of calls may stand.
KEPT = {
    "list": lambda: counted(NUMBERS, 0),
    "dictionary": lambda: counted(CONSTANTS, "n"),
    "array": lambda: counted(ARRAY, 0),
    "object": lambda: counted(vars(OBJECT), "n"),
    "class": lambda: (setattr(Holding, "n", Holding.n + 1), Holding.n > 10**7)[1],
    "function": lambda: (setattr(counted, "n", getattr(counted, "n", 0) + 1), counted.n > 10**7)[1],  # type: ignore[attr-defined]
}
GOING_ON = {"count": lambda: next(COUNT) == 10**7, "generator": lambda: next(TURNS) == 10**7}


@pytest.mark.parametrize("asked", OLD.values(), ids=OLD)
def test_a_step_that_draws_from_a_generator_of_old_is_refused_however_rarely_it_matters(
    asked: Callable[..., Any],
) -> None:
    found = check_claim(replace(CLAIM, algorithm=Algorithm("mine", unless(asked))), CASE)
    assert found.status == "inapplicable"
    assert "not a pure function: it draws from" in found.reason


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_a_step_that_asks_what_differs_from_call_to_call_is_refused_by_name(asked: Callable[..., Any]) -> None:
    found = check_claim(replace(CLAIM, algorithm=Algorithm("mine", unless(asked))), CASE)
    assert found.status == "inapplicable"
    assert "not a pure function: it uses" in found.reason


@pytest.mark.parametrize("asked", KEPT.values(), ids=KEPT)
def test_a_step_that_changes_a_number_that_it_keeps_is_refused_though_it_hardly_matters(
    asked: Callable[..., Any],
) -> None:
    found = check_claim(replace(CLAIM, algorithm=Algorithm("mine", unless(asked))), CASE)
    assert found.status == "inapplicable"
    assert "changes a number that it keeps from call to call" in found.reason


@pytest.mark.parametrize("asked", GOING_ON.values(), ids=GOING_ON)
def test_a_step_that_holds_an_iterator_is_refused(asked: Callable[..., Any]) -> None:
    found = check_claim(replace(CLAIM, algorithm=Algorithm("mine", unless(asked))), CASE)
    assert found.status == "inapplicable"
    assert "holds an iterator" in found.reason


def test_a_generator_in_the_class_of_a_step_is_found() -> None:
    found = check_claim(replace(CLAIM, algorithm=Algorithm("mine", Holding())), CASE)
    assert "draws from a generator that it holds" in found.reason


def test_what_a_vectorised_function_asks_is_seen() -> None:
    shaken = np.vectorize(lambda v: v * (5 if random.random() < 1e-12 else 1), otypes=[object])
    found = check_claim(replace(CLAIM, algorithm=Algorithm("mine", lambda x, o, c: shaken(plain(x, o, c)))), CASE)
    assert found.status == "inapplicable"


HARMLESS = {
    "nothing": lambda: False,
    "hash of a number": lambda: hash(3) == 4,
    "hash of numbers": lambda: hash((3, (4.5, 6))) == 4,
    "a history": lambda: bool(HISTORY.append(1)),
    "a memo": lambda: MEMO.setdefault(3, 3**0.5) < 0,
    "a memo of Python's": lambda: root(3) < 0,
    "constants": lambda: CONSTANTS["n"] < 0 or ARRAY[0] < 0,
    "what floats are": lambda: sys.float_info.epsilon > 1,
    "an iterator of its own": lambda: next(itertools.count(3)) == 4 or any(i > 5 for i in iter([1, 2])),
    "a warning": lambda: bool(warnings.warn("seen", stacklevel=2)),
    "a seed of its own": lambda: np.random.default_rng(7).random() < 0,
    "random with a seed": lambda: random.Random(7).random() < 0,
    "a log": lambda: bool(logging.getLogger("mine").isEnabledFor(5) or logging.makeLogRecord({}).created < 0),
}


@pytest.mark.filterwarnings("ignore:seen")
@pytest.mark.parametrize("asked", HARMLESS.values(), ids=HARMLESS)
def test_a_pure_step_has_its_verdict(asked: Callable[..., Any]) -> None:
    found = check_claim(replace(CLAIM, algorithm=Algorithm("mine", unless(asked))), CASE)
    assert (found.status, found.evidence) == ("holds", "exact")


def test_the_clock_goes_on_once_the_verdict_is_there() -> None:
    before = time.time, os.urandom, id, hash
    check_claim(replace(CLAIM, algorithm=Algorithm("mine", unless(ASKED["time"]))), CASE)
    assert (time.time, os.urandom, id, hash) == before
    assert time.time() > 0


REFUSALS: dict[str, tuple[Callable[..., Any], str]] = {
    "seeded of old": (
        lambda: np.random.RandomState(3).rand(),
        r"RandomState uses it even with .*default_rng\(seed\) does not",
    ),
    "a version": (lambda: sys.version_info >= (3, 8), "read it once at the start of the module"),
    "a setting": (lambda: os.environ.get("FL_DEBUG"), "read it once at the start of the module"),
    "a clock": (lambda: time.perf_counter(), "measure the time around the run"),
    "code": (lambda: eval("1"), "it uses eval for code that can't be read; write it out"),
}


@pytest.mark.parametrize(("ask", "right"), REFUSALS.values(), ids=REFUSALS)
def test_a_refusal_says_what_would_be_right(ask: Callable[..., Any], right: str) -> None:
    with pytest.raises(Impure, match=right), forbid_impure_calls("mine", ask):
        ask()
