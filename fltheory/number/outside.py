"""What a user's function must not ask: clocks, entropy, addresses, and generators that it did not make itself.

A function that asks them answers differently from call to call, perhaps only once in ten thousand calls, so that no comparison of
a few calls shows it. While it runs they are refused by name, and the state of every generator that it could reach is
compared before and after. Other code that it calls (a framework that logs the time) may ask them.
"""

from __future__ import annotations

import builtins
import datetime
import os
import random
import sys
import sysconfig
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from fltheory.number.signals import VariantError
from fltheory.number.whose import PACKAGE, of_library

_CLOCKS = (
    *(
        n
        for n in dir(time)
        if n.rstrip("_ns").endswith(("time", "counter", "monotonic")) and n not in ("mktime", "strptime")
    ),
    "clock_gettime",
    "clock_gettime_ns",
)
_ASKED: tuple[tuple[Any, str], ...] = (
    *(
        (time, name)
        for name in sorted({*_CLOCKS})
        if callable(vars(time).get(name)) and not isinstance(vars(time)[name], type)
    ),
    *((os, name) for name in ("urandom", "getrandom", "getpid", "times") if hasattr(os, name)),
    *((uuid, name) for name in ("uuid1", "uuid4")),
    (random, "_urandom"),  # what secrets and SystemRandom draw from, and numpy where it is given no seed
    (random.Random, "seed"),
    (builtins, "id"),
    (builtins, "hash"),
)
_REFUSED = {id(vars(place)[name]): f"{place.__name__}.{name}" for place, name in _ASKED if place in (time, os, uuid)}
_TODAY = {"now", "utcnow", "today"}  # of datetime's classes
_NUMPY = str(Path(np.__file__).resolve().parent)
_STDLIB, _OTHERS = sysconfig.get_path("stdlib"), (sysconfig.get_path("purelib"), sysconfig.get_path("platlib"))
_LOGS = tuple(str(Path(_STDLIB) / name) for name in ("logging", "warnings", "threading"))
_ENTROPY = "the system's entropy"
_REACHED = 5_000  # objects that a function holds on to, looked at at most
_running: list[int] = []  # the thread in which a user's function is running
_found: list[str] = []  # what it asked


class Impure(VariantError):
    """A user's function asked what answers differently from call to call."""


@contextmanager
def on_its_own(name: str, *functions: object) -> Iterator[None]:
    """Impure where users' functions, called in here, ask a clock, for entropy or an address, or draw from a generator of old.

    Whatever they make of the refusal: what they asked is raised once all is done.
    """
    if _running or of_library(functions):
        yield
        return
    generators = _generators(name, functions)
    before = [state(own) for _, state, own in generators]
    with _refused() as asked:
        try:
            yield
        except Exception as error:
            if _found:
                raise _impure(name, _found[0]) from error
            raise
    if asked:
        raise _impure(name, asked[0])
    for (word, state, own), old in zip(generators, before, strict=True):
        if state(own) != old:
            raise Impure(f"{name} is not a pure function: it draws from {word}. Draw randomness from the oracle")


@contextmanager
def _refused() -> Iterator[list[str]]:
    """What users' functions ask in here that is refused, in words."""
    originals = [vars(place)[name] for place, name in _ASKED]
    _running.append(threading.get_ident())
    for (place, name), shadow in zip(_ASKED, _SHADOWS, strict=True):
        setattr(place, name, shadow)
    asked = list[str]()
    try:
        yield asked
    finally:
        for (place, name), original in zip(_ASKED, originals, strict=True):
            setattr(place, name, original)
        _running.clear()
        asked.extend(_found)
        _found.clear()


def _impure(name: str, asked: str) -> Impure:
    return Impure(f"{name} is not a pure function: it asks {asked}, which answers differently from call to call")


def _refusing(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    """A function in the place of one that is refused: it answers those who may ask."""

    def asked(*given: Any, **named: Any) -> Any:
        frame = sys._getframe(1)
        of_python = name.startswith("builtins.") and (_between(frame.f_code) or frame.f_code.co_name == "__hash__")
        if not of_python and _by_user(frame) and not _harmless(name, given, named):
            _found.append(_ENTROPY if name in ("random._urandom", "Random.seed") else name.removeprefix("builtins."))
            raise Impure(f"{_found[-1]} answers differently from call to call")
        return original(*given, **named)

    return asked


_SHADOWS = [_refusing(f"{place.__name__}.{name}", vars(place)[name]) for place, name in _ASKED]


def _harmless(name: str, given: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """Whether the answer is the same in every process."""
    if name == "Random.seed":
        return (*given[1:], *named.values(), None)[0] is not None
    return name == "builtins.hash" and _same_everywhere(given[0])


def _same_everywhere(value: object) -> bool:
    """Whether a value's hash is the same in every process."""
    if isinstance(value, tuple | frozenset):
        return all(map(_same_everywhere, value))
    return not isinstance(value, str | bytes) and type(value).__hash__ is not object.__hash__


def _by_user(frame: FrameType | None) -> bool:
    """Whether it is a user's code that asks, perhaps through Python's own modules or numpy."""
    if not _running or _running[0] != threading.get_ident():
        return False
    while frame is not None:
        if frame.f_code.co_filename.startswith((*_LOGS, "<frozen importlib")):  # nobody asks for what a module does
            return False
        if not _between(frame.f_code):
            return not frame.f_code.co_filename.startswith((PACKAGE, *_OTHERS))
        frame = frame.f_back
    return False


def _between(code: CodeType) -> bool:
    """Whether code is Python's own or numpy's, which asks for whoever calls it."""
    name = code.co_filename
    own = name.startswith(_STDLIB) and not name.startswith(_OTHERS)
    return own or name.startswith(("<frozen", "<__array", _NUMPY))


# Generators ------------------------------------------------------------------------------------------------------------


Generator = tuple[str, Callable[[Any], Any], Any]  # in words, what gives its state, itself


def _generators(name: str, function: object) -> list[Generator]:
    """All generators that a function could draw from; Impure where it holds what is refused."""
    found: list[Generator] = [
        ("random", lambda own: own.getstate(), random),
        ("numpy.random", _numpys, vars(np.random.mtrand)["_rand"]),
    ]
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "get_rng_state"):
        found.append(("torch's generator", lambda own: own.get_rng_state().numpy().tobytes(), torch))
    return found + _own(name, function)


def _own(name: str, function: object) -> list[Generator]:
    found = list[Generator]()
    for held in _reached(name, function):
        if id(held) in _REFUSED:
            raise _impure(name, _REFUSED[id(held)])
        if isinstance(held, random.SystemRandom):
            raise _impure(name, _ENTROPY)
        if isinstance(held, random.Random):
            found.append(("a generator that it holds", lambda own: own.getstate(), held))
        elif isinstance(held, np.random.Generator | np.random.RandomState | np.random.BitGenerator):
            found.append(("a generator that it holds", _numpys, held))
        elif type(held).__module__ == "torch._C" and type(held).__name__ == "Generator":
            found.append(("a generator that it holds", lambda own: own.get_state().numpy().tobytes(), held))
    return found


def _numpys(generator: Any) -> Any:
    """The state of one of numpy's generators, to be compared."""
    bits = generator if isinstance(generator, np.random.BitGenerator) else vars(type(generator)).get("bit_generator")
    if bits is None:
        kept = generator.get_state(legacy=False)
    else:
        kept = generator.state if bits is generator else generator.bit_generator.state
    return _comparable(kept)


def _comparable(state: Any) -> Any:
    if isinstance(state, dict):
        return {name: _comparable(part) for name, part in state.items()}
    return state.tobytes() if isinstance(state, np.ndarray) else state


def _reached(name: str, function: object) -> Iterator[Any]:
    """What a user's function holds on to: what it closes over, its defaults, globals that it names, parts of objects."""
    seen, waiting = set[int](), [function]
    while waiting and len(seen) < _REACHED:
        held = waiting.pop()
        if id(held) in seen:
            continue
        seen.add(id(held))
        yield held
        waiting.extend(_holds(name, held))


def codes_of(name: str, function: object) -> Iterator[CodeType]:
    """The code of users' own functions that a function could call, that of functions inside them too; Impure as above."""
    for held in _reached(name, function):
        if isinstance(held, FunctionType) and not held.__code__.co_filename.startswith((PACKAGE, _STDLIB, *_OTHERS, _NUMPY)):
            yield from _codes(held.__code__)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)


def _holds(name: str, held: Any) -> Iterator[Any]:
    if isinstance(held, FunctionType):
        if held.__code__.co_filename.startswith((_STDLIB, *_OTHERS, _NUMPY)):
            return
        yield from (*(held.__defaults__ or ()), *(held.__kwdefaults__ or {}).values())
        for cell in held.__closure__ or ():
            try:
                yield cell.cell_contents
            except ValueError:  # not filled yet
                continue
        if not held.__code__.co_filename.startswith(PACKAGE):
            yield from _named(name, held.__code__, held.__globals__)
    elif isinstance(held, MethodType):
        yield from (held.__func__, held.__self__)
    elif isinstance(held, partial):
        yield from (held.func, *held.args, *held.keywords.values())
    elif isinstance(held, dict):
        yield from held.values()
    elif isinstance(held, tuple | list | set | frozenset):
        yield from held
    elif isinstance(held, np.vectorize):
        yield held.pyfunc
    elif isinstance(held, type):
        if _users(held.__module__):
            yield from vars(held).values()
    elif not isinstance(held, ModuleType | np.ndarray | np.generic | str | int | float):
        yield from getattr(held, "__dict__", {}).values()
        if _users(type(held).__module__):
            yield type(held)
        bound = getattr(held, "__self__", None)  # rng.random, kept under a name of its own
        if bound is not None and not isinstance(bound, ModuleType):
            yield bound


def _named(name: str, code: CodeType, names: dict[str, Any]) -> Iterator[Any]:
    """The globals that a code names, and parts of users' modules; Impure for the time of day."""
    for word in code.co_names:
        if word not in names:
            continue
        value = names[word]
        if any(value is one for one in (datetime, datetime.datetime, datetime.date)) and _TODAY & {*code.co_names}:
            raise _impure(name, "the time of day")
        yield value
        if isinstance(value, ModuleType) and _users(value.__name__):
            yield from (vars(value)[part] for part in code.co_names if part in vars(value))
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _named(name, inner, names)


def _users(module: str) -> bool:
    """Whether a module is a user's."""
    file = str(getattr(sys.modules.get(module), "__file__", None) or "<user>")
    root = module.partition(".")[0]
    return root not in (*sys.builtin_module_names, "fltheory") and not file.startswith(
        (_STDLIB, *_OTHERS, _NUMPY, PACKAGE)
    )
