"""What a user's function may depend on: everything that it reaches is looked at, and what changes between calls is refused."""

from __future__ import annotations

import contextlib
import datetime
import logging
import math
import os
import random
import signal
import sys
import sysconfig
import threading
import time
import uuid
import weakref
from collections import deque
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fltheory.number import impurity
from fltheory.number.impurity import (
    Impure,
    codes_of,
    forbid_impure_calls,
    inner_codes,
    is_user_module,
    reachable_objects,
    user_functions_of,
    values_of,
)


class Mark:
    """Something to be reached."""


MARK = Mark()


class Kept:
    held = MARK


class Slotted:
    __slots__ = ("empty", "inner")

    def __init__(self, inner: Any) -> None:
        self.inner = inner


class Single:
    __slots__ = "inner"

    def __init__(self, inner: Any) -> None:
        self.inner = inner


class Acting:
    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def act(self) -> None:
        """A method."""


def closed(held: Any) -> Any:
    return lambda: held


def by_default(x: Any = MARK) -> Any:
    return x


def by_name(*, x: Any = MARK) -> Any:
    return x


def by_global() -> Any:
    return MARK


def by_inner() -> Any:
    return lambda: [MARK for _ in ()]


def by_class() -> Any:
    return Kept


def pointed(mark: Any) -> Any:
    array = np.empty(2, dtype=object)
    array[1] = mark
    return array


REACHED = {
    "closure": closed(MARK),
    "default": by_default,
    "named default": by_name,
    "global": by_global,
    "inner": by_inner,
    "class": by_class,
    "instance of a class": Kept(),
    "method": Acting(MARK).act,
    "partial": partial(max, MARK),
    "named partial": partial(max, key=MARK),
    "function of a partial": partial(by_default),
    "dict": {"a": MARK},
    "tuple": (1, MARK),
    "list": [MARK],
    "set": {MARK},
    "frozenset": frozenset({MARK}),
    "deque": deque([MARK]),
    "array": pointed(MARK),
    "weak": weakref.ref(MARK),
    "vectorised": np.vectorize(closed(MARK)),
    "attribute": Acting(MARK),
    "namespace": SimpleNamespace(a=MARK),
    "slot": Slotted(MARK),
    "single slot": Single(MARK),
    "bound builtin": [MARK].append,
    "deep": [{"a": (closed([Acting(MARK)]),)}],
}


@pytest.mark.parametrize("where", REACHED)
def test_what_a_function_reaches(where: str) -> None:
    found = list(reachable_objects("mine", REACHED[where]))
    assert any(held is MARK for held in found)
    assert len({id(held) for held in found}) == len(found)


@pytest.mark.parametrize(
    "value",
    [1, "a", 2.5, np.arange(3), np.float64(1), print, time, len, np.sum],
    ids=("int", "str", "float", "array", "scalar", "print", "module", "len", "sum"),
)
def test_what_reaches_nothing_of_a_user(value: Any) -> None:
    assert not any(isinstance(held, Mark) for held in reachable_objects("mine", value))


def test_cells_that_are_empty_reach_nothing_yet() -> None:
    def outer() -> Any:
        def inner() -> Any:
            return later

        found = list(reachable_objects("mine", inner))
        later = MARK
        return found, inner

    before, inner = outer()
    assert not any(held is MARK for held in before)
    assert any(held is MARK for held in reachable_objects("mine", inner))


def test_no_more_than_so_many_objects_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(impurity, "_MAX_REACHABLE", 5)
    assert len(list(reachable_objects("mine", [Mark() for _ in range(9)]))) == 5


def test_the_users_functions_and_their_codes() -> None:
    functions = list(user_functions_of("mine", [by_global, partial(by_inner), np.sum, time.sleep, is_user_module]))
    assert {f.__name__ for f in functions} == {"by_global", "by_inner"}
    names = [code.co_name for code in codes_of("mine", by_inner)]
    assert names[:2] == ["by_inner", "<lambda>"]
    assert [c.co_name for c in inner_codes(by_global.__code__)] == ["by_global"]

    def literal(x: Any = 3.5) -> Any:
        return (x, 0.25, lambda: 0.75, MARK)

    values = list(values_of("mine", literal))
    assert {0.25, 0.75, 3.5} <= {v for v in values if isinstance(v, float)}
    assert any(v is MARK for v in values)


def test_modules_of_a_user() -> None:
    assert is_user_module(__name__)
    assert is_user_module("a_module_that_is_not_there")
    for name in ("fltheory", "fltheory.number", "numpy", "time", "sys", "collections", "pytest", "json"):
        assert not is_user_module(name), name


# Calls -------------------------------------------------------------------------------------------------------------------


def asked(function: Any, *functions: Any) -> Any:
    with forbid_impure_calls("mine", function, *functions):
        return function()


GENERATOR, OLD, BITS, OWN = np.random.default_rng(0), np.random.RandomState(0), np.random.PCG64(0), random.Random(0)
COUNTS, TOTAL, ARRAY, ITEMS = [0], {"n": 0}, np.zeros(3), deque([0])


class Memory:
    count = 0

    def __init__(self) -> None:
        self.n = 0

    def add(self) -> None:
        self.n += 1

    @staticmethod
    def add_to_all() -> None:
        Memory.count += 1


MEMORY = Memory()
ITERATOR = iter(range(10**6))


def counting() -> None:
    counting.n = 1  # type: ignore[attr-defined]


def raising() -> None:
    """What is swallowed is told all the same."""
    with contextlib.suppress(Exception):
        time.time()


def converted() -> None:
    try:
        time.time()
    except Exception:
        raise KeyError("other") from None


IMPURE: dict[str, tuple[Any, str]] = {
    "time": (lambda: time.time(), "time.*measure the time around the run"),
    "monotonic": (lambda: time.monotonic_ns(), "time"),
    "swallowed": (raising, "time"),
    "converted": (converted, "time"),
    "urandom": (lambda: os.urandom(3), "os"),
    "process": (lambda: os.getpid(), "read it once at the start of the module"),
    "address": (lambda: id(MARK), "uses id"),
    "hash of a text": (lambda: hash("a"), "uses hash"),
    "hash of texts": (lambda: hash((1, "a")), "uses hash"),
    "hash of an object": (lambda: hash(MARK), "uses hash"),
    "random": (lambda: random.random(), "draws from random"),
    "numpy": (lambda: np.random.random(), "draws from numpy.random"),  # noqa: NPY002 (the mistake that is made)
    "generator": (lambda: GENERATOR.random(), "draws from a generator that it holds"),
    "old generator": (lambda: OLD.random_sample(), "draws from a generator that it holds"),
    "bits": (lambda: BITS.random_raw(), "draws from a generator that it holds"),
    "own generator": (lambda: OWN.random(), "draws from a generator that it holds"),
    "entropy": (lambda: random.SystemRandom().random(), "entropy|random"),
    "unseeded": (lambda: np.random.default_rng().random(), "entropy"),
    "list": (lambda: COUNTS.__setitem__(0, COUNTS[0] + 1), "changes a number that it keeps"),
    "dict": (lambda: TOTAL.update(n=TOTAL["n"] + 1), "changes a number that it keeps"),
    "array": (lambda: ARRAY.__iadd__(1), "changes a number that it keeps"),
    "deque": (lambda: ITEMS.__setitem__(0, ITEMS[0] + 1), "changes a number that it keeps"),
    "object": (MEMORY.add, "changes a number that it keeps"),
    "class": (Memory.add_to_all, "changes a number that it keeps"),
    "function": (counting, "changes a number that it keeps"),
    "iterator": (lambda: next(ITERATOR), "it holds an iterator"),
    "eval": (lambda: eval("1"), "uses eval.*write it out"),
    "today": (lambda: np.datetime64("now"), "the time of day"),
    "environment": (lambda: os.environ.get("HOME"), "os.environ"),
    "array's address": (lambda: ARRAY.__array_interface__, "an address"),
}


@pytest.mark.parametrize("what", IMPURE)
def test_what_differs_between_calls_is_refused(what: str) -> None:
    function, words = IMPURE[what]
    with pytest.raises(Impure, match=words):
        asked(function)


def changes_a_global() -> None:
    global LAST
    LAST = 1


LAST = 0


def test_a_global_that_is_set_is_kept_from_call_to_call() -> None:
    with pytest.raises(Impure, match="it changes the global LAST"):
        asked(changes_a_global)


PURE: dict[str, Any] = {
    "arithmetic": lambda: 1 + 1,
    "hash of numbers": lambda: hash((1, 2.5, frozenset({3}), Fraction(1, 2))),
    "seeded": lambda: np.random.default_rng(3).random(),
    "seeded too": lambda: random.Random(3).random(),
    "held": lambda: GENERATOR.bit_generator is None,
    "growing": lambda: ITEMS.append("a"),
    "new key": lambda: TOTAL.__setitem__(str(len(TOTAL)), 1),
    "sleep": lambda: time.sleep(0),
    "sizes": lambda: (os.sep, os.path.join("a", "b")),
}


@pytest.mark.parametrize("what", PURE)
def test_what_is_the_same_in_each_call_is_left_alone(what: str) -> None:
    asked(PURE[what])


def test_errors_of_a_function_are_its_own() -> None:
    def broken() -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        asked(broken)


def test_outside_of_a_users_function_everything_is_as_before() -> None:
    originals = [vars(place)[name] for place, name in impurity._MONITORED]
    with forbid_impure_calls("mine", by_global):
        assert [vars(place)[name] for place, name in impurity._MONITORED] != originals
        with forbid_impure_calls("other", by_global):  # inside, the outer one watches
            by_global()
    assert [vars(place)[name] for place, name in impurity._MONITORED] == originals
    with pytest.raises(ZeroDivisionError), forbid_impure_calls("mine", by_global):
        1 / 0  # noqa: B018
    assert [vars(place)[name] for place, name in impurity._MONITORED] == originals
    assert impurity._active_threads == impurity._violations == []
    assert time.time() > 0
    with forbid_impure_calls("mine", is_user_module):  # the library's own are not watched
        assert time.time() > 0


# One by one --------------------------------------------------------------------------------------------------------------


def lazily() -> Any:
    import time as clock

    return clock.time()


def lazily_named() -> Any:
    from os import getpid

    return getpid


IMPORTED, TODAY, SECRET = os.getpid, datetime.datetime, random.SystemRandom()
GETSIZE, CLOCKS = sys.getsizeof, {"clock": [time.perf_counter]}


def lazily_socket() -> Any:
    from socket import gethostname

    return gethostname


BY_NAMES: dict[str, tuple[Any, str]] = {
    "imported inside": (lazily, r"uses time\.time"),
    "imported by name inside": (lazily_named, r"uses os\.getpid"),
    "another name": (lambda: IMPORTED(), r"(os|posix)\.getpid"),
    "import by name": (
        lambda: __import__("math"),
        "uses __import__ for code that can't be read; write it out|__import__",
    ),
    "exec": (lambda: exec("1"), "uses exec for code that can't be read; write it out"),
    "hash by its method": (lambda: MARK.__hash__(), "uses __hash__, an address or a number made from one,"),
    "today": (lambda: TODAY.now(), "uses the time of day.*; measure the time around the run, not in a step"),
    "today's date": (lambda: datetime.date.today(), "uses the time of day"),
    "utc": (lambda: datetime.datetime.utcnow(), "uses the time of day"),
    "state of random": (lambda: random.getstate(), "uses getstate of a generator"),
    "state of numpy": (lambda: np.random.get_state(), "uses get_state of a generator"),  # noqa: NPY002
    "state set": (lambda: random.setstate((3, (), None)), "uses setstate of a generator"),
    "entropy that is held": (lambda: SECRET, r"entropy.*; np.random.RandomState uses it even with a seed"),
    "platform": (lambda: sys.platform, "uses sys.platform.*read it once at the start of the module"),
    "thread": (lambda: threading.get_ident(), r"threading\.get_ident"),
    "uuid": (lambda: uuid.uuid4(), r"uses uuid\.uuid4, which may differ in another call or on another machine$"),
    "weak": (lambda: weakref.getweakrefcount(MARK), r"weakref\.getweakrefcount"),
    "hash of bytes": (lambda: hash(b"a"), "uses hash"),
    "hash of an inner text": (lambda: hash((1, frozenset({(2, "a")}))), "uses hash"),
    "seed none": (lambda: random.Random(None), "entropy"),
    "name of the host": (lazily_socket, r"uses socket\.gethostname"),
    "size in memory": (lambda: GETSIZE(1), r"uses sys\.getsizeof"),
    "clock that is held": (lambda: CLOCKS["clock"][0](), r"uses time\.perf_counter"),
    "inner function": (lambda: [time.time() for _ in range(1)], "time"),
}


@pytest.mark.parametrize("what", BY_NAMES)
def test_what_is_refused_by_its_name(what: str) -> None:
    function, words = BY_NAMES[what]
    with pytest.raises(Impure, match=words):
        asked(function)


FILE = sys.__stderr__  # an iterator over lines with a file behind it
SAME: dict[str, Any] = {
    "a date": lambda: datetime.date(2020, 1, 2) + datetime.timedelta(1),
    "now as a name": lambda: SimpleNamespace(now=1, today=2).now,
    "actions": lambda: (os._exit, os.abort, os.kill, os.closerange, os.chdir) if COUNTS is None else 1,
    "signals": lambda: (signal.raise_signal, signal.alarm, signal.SIGTERM) if COUNTS is None else 1,
    "constants": lambda: (sys.float_info, sys.maxsize, sys.byteorder, os.sep, sys.stdout is None),
    "states of something else": lambda: SimpleNamespace(getstate=1).getstate,
    "a file": lambda: FILE is None,
    "numpy": lambda: np.float64(1),
    "seeds": lambda: (random.Random(0).random(), random.Random("a").random()),
    "hash of numbers": lambda: hash((1, (2.5, frozenset({3})), None is None)),
    "hash of a type's own": lambda: hash(Fraction(1, 3)),
    "names of modules": lambda: (
        SimpleNamespace(gethostname=1).gethostname,
        SimpleNamespace(socket=2).socket,
        "socket",
    ),
    "text that grows": lambda: TOTAL.update(word="a"),
    "math": lambda: math.sqrt(2),
}


@pytest.mark.parametrize("what", SAME)
def test_names_that_stand_for_the_same_everywhere(what: str) -> None:
    asked(SAME[what])


def test_parts_of_a_users_module_are_looked_through_where_it_has_them() -> None:
    helper = ModuleType("a_helper_of_a_user")
    helper.known = MARK  # type: ignore[attr-defined]
    space: dict[str, Any] = {"helper": helper, "other": SimpleNamespace(part=1)}
    exec("def asks(): return helper.known, other.part", space)
    assert any(held is MARK for held in reachable_objects("mine", space["asks"]))
    exec("def asks(): return helper, other.part", space)
    assert not any(held is MARK for held in reachable_objects("mine", space["asks"]))


def test_the_library_may_ask_python_for_the_time() -> None:
    """Python's own modules act for their caller, and the caller is the library."""
    space: dict[str, Any] = {}
    text = "from email.utils import formatdate\ndef shown(): return formatdate()"
    exec(compile(text, f"{impurity.PACKAGE}/made.py", "exec"), space)
    with forbid_impure_calls("mine", by_global):
        assert space["shown"]()
    exec(compile(text, "mine.py", "exec"), space)
    with pytest.raises(Impure, match="time"), forbid_impure_calls("mine", by_global):
        space["shown"]()


def test_a_generator_of_torch_that_is_held_is_watched() -> None:
    def kind(module: str, name: str) -> Any:
        def state(self: Any) -> Any:
            return SimpleNamespace(numpy=lambda: np.array([self.n]))

        return type(name, (), {"__module__": module, "n": 0, "get_state": state})()

    for module, name, watched in (
        ("torch._C", "Generator", True),
        ("torch._C", "Other", False),
        ("torch.nn", "Generator", False),
    ):
        found = impurity._held_generators("mine", [kind(module, name)])
        assert [word for word, _, _ in found] == ["a generator that it holds"] * watched
    assert None not in list(reachable_objects("mine", Mark()))


def test_classes_of_others_are_not_looked_through() -> None:
    assert not any(held is Fraction.__add__ for held in reachable_objects("mine", [Fraction, Fraction(1, 2)]))
    assert any(held is Acting.act for held in reachable_objects("mine", Acting))


def test_a_loaded_module_of_python_itself_reaches_nothing() -> None:
    for held in (len, time.time, [len]):
        assert not any(isinstance(one, ModuleType) for one in reachable_objects("mine", held))


def test_the_advice_is_of_what_was_asked() -> None:
    later = "; read it once at the start of the module, and use this value"
    assert impurity._impure_advice("os.getpid") == later
    assert impurity._impure_advice("sys.argv") == later
    assert impurity._impure_advice("platform.node") == later
    for word in ("os.urandom", "os.getrandom", "uuid.uuid4", "hash", "socket.gethostname"):
        assert impurity._impure_advice(word) == ""
    assert impurity._impure_advice("time.time").startswith("; measure the time around the run")
    assert impurity._impure_advice("the time of day").startswith("; measure the time around the run")
    assert "default_rng(seed) does not" in impurity._impure_advice("the system's entropy")


def test_whose_code_acts_for_its_caller() -> None:
    def code(name: str) -> Any:
        return compile("1", name, "eval")

    stdlib = str(Path(os.__file__).parent)
    site = sysconfig.get_path("purelib")
    for name, own in (
        (f"{stdlib}/random.py", True),
        (f"{site}/other/mine.py", False),
        ("<frozen posixpath>", True),
        ("<__array_function__ internals>", True),
        (f"{Path(np.__file__).parent}/linalg/linalg.py", True),
        ("/home/mine.py", False),
        ("<string>", False),
    ):
        assert impurity._is_intermediate_code(code(name)) == own, name


def test_another_thread_may_ask_what_it_likes() -> None:
    told: list[float] = []

    def other() -> None:
        told.append(time.time())

    def starts() -> None:
        worker = threading.Thread(target=other)
        worker.start()
        worker.join()

    held = threading.Thread(target=other)
    with forbid_impure_calls("mine", by_global):
        held.start()
        held.join()
        assert not impurity._is_user_call(None)
    assert len(told) == 1
    assert not impurity._is_user_call(sys._getframe())  # nobody watches


def test_logging_may_ask_the_time() -> None:
    logger = logging.getLogger("of a step")
    logger.addHandler(logging.NullHandler())
    logger.propagate = False

    def logs() -> int:
        logger.warning("a word")
        return 1

    with forbid_impure_calls("mine", by_global):
        assert logs() == 1


def test_torchs_generator_is_watched_where_it_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = [0]
    state = SimpleNamespace(numpy=lambda: np.array(numbers))
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(get_rng_state=lambda: state))  # type: ignore[arg-type]

    def draws() -> None:
        numbers[0] += 1

    with pytest.raises(Impure, match="draws from torch's generator"), forbid_impure_calls("mine", by_global):
        draws()
    with forbid_impure_calls("mine", by_global):
        pass
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace())  # type: ignore[arg-type]
    with forbid_impure_calls("mine", by_global):
        draws()


def test_the_numbers_that_an_object_keeps() -> None:
    values = {"a": 1, "b": 2.5, "c": 1j, "d": np.float64(1), "e": Fraction(1, 2), "f": b"x", "g": "text", "h": [1]}
    kept = {k: v for k, v in values.items() if k not in "gh"}
    assert impurity._kept_numbers(values) == kept
    assert impurity._kept_numbers(list(values.values())) == dict(enumerate(kept.values()))
    assert impurity._kept_numbers(deque([7, "a", 8])) == {0: 7, 2: 8}
    assert impurity._kept_numbers(np.arange(3)) == {(): np.arange(3).tobytes()}
    assert len(impurity._kept_numbers(np.zeros(impurity._MAX_REACHABLE))) == 1
    assert impurity._kept_numbers(np.zeros(impurity._MAX_REACHABLE + 1)) == {}
    assert impurity._kept_numbers(np.array([1, None])) == {}
    own = Acting(3)
    assert impurity._kept_numbers(own) == {"inner": 3}
    assert impurity._kept_numbers(Memory)["count"] == Memory.count
    function = closed(1)
    function.n = 3
    assert impurity._kept_numbers(function) == {"n": 3}
    assert impurity._kept_numbers(SimpleNamespace(n=3)) == {}  # of the library or of Python
    assert impurity._kept_numbers(3) == {}
    assert impurity._may_count(function)
    assert impurity._may_count(Memory)
    assert not impurity._may_count(own)
    assert not impurity._may_count(Fraction)
    assert not impurity._may_count([1])


def test_a_number_that_vanishes_is_changed() -> None:
    kept = {"n": 1, "word": "a"}

    def takes() -> None:
        kept.pop("n", None)

    with pytest.raises(Impure, match="changes a number that it keeps"):
        asked(takes)
    asked(takes)

    def forgets() -> None:
        kept.pop("word", None)

    asked(forgets)


def test_the_state_of_each_generator_is_its_own() -> None:
    for made in (lambda: np.random.RandomState(3), lambda: np.random.default_rng(3), lambda: np.random.PCG64(3)):
        one, two = made(), made()
        assert impurity._numpy_generator_state(one) == impurity._numpy_generator_state(two)
        getattr(two, "random_raw", getattr(two, "random", None))()  # type: ignore[misc]
        assert impurity._numpy_generator_state(one) != impurity._numpy_generator_state(two)
    assert impurity._comparable({"a": {"b": np.arange(2)}, "c": 1}) == {"a": {"b": np.arange(2).tobytes()}, "c": 1}


def test_slots_of_a_users_classes_alone() -> None:
    assert list(impurity._slots(Slotted(1))) == ["empty", "inner"]
    assert list(impurity._slots(Single(1))) == ["inner"]
    assert list(impurity._slots(Fraction(1, 2))) == []
