"""Detection of impure calls in users' functions: clocks, entropy, addresses, and existing random generators.

Such a function changes between calls, perhaps only once in ten thousand, so comparing a few calls is not enough. While
it runs, such calls are rejected by name, and the state of every reachable generator is compared before and after. Other
code that it calls (a framework that logs the time) may use them.
"""

from __future__ import annotations

import builtins
import datetime
import dis
import os
import random
import sys
import sysconfig
import threading
import time
import uuid
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from fltheory.number.ownership import PACKAGE, is_library
from fltheory.number.signals import VariantError

_CLOCKS = (
    *(
        n
        for n in dir(time)
        if n.rstrip("_ns").endswith(("time", "counter", "monotonic")) and n not in ("mktime", "strptime")
    ),
    "clock_gettime",
    "clock_gettime_ns",
)
_MONITORED: tuple[tuple[Any, str], ...] = (
    *(
        (time, name)
        for name in sorted({*_CLOCKS})
        if callable(vars(time).get(name)) and not isinstance(vars(time)[name], type)
    ),
    *((os, name) for name in ("urandom", "getrandom", "getpid", "times") if hasattr(os, name)),
    *((uuid, name) for name in ("uuid1", "uuid4")),
    (random, "_urandom"),  # the source of secrets, SystemRandom, and numpy without a seed
    (random.Random, "seed"),
    (builtins, "id"),
    (builtins, "hash"),
    (builtins, "open"),
)
_FORBIDDEN_IDS = {
    id(vars(place)[name]): f"{place.__name__}.{name}" for place, name in _MONITORED if place in (time, os, uuid)
}
_TODAY = {"now", "utcnow", "today"}  # methods of datetime's classes
_STATE_METHODS = {"getstate", "setstate", "get_state", "set_state"}  # these could hide draws
# Modules that reveal the machine, the process or the program, except for names with the same value everywhere.
_SYSTEM = frozenset(
    [
        "os",
        "posix",
        "sys",
        "gc",
        "ctypes",
        "_ctypes",
        "threading",
        "_thread",
        "multiprocessing",
        "subprocess",
        "signal",
        "select",
        "selectors",
        "socket",
        "_socket",
        "resource",
        "platform",
        "tempfile",
        "pathlib",
        "glob",
        "shutil",
        "io",
        "_io",
        "weakref",
        "inspect",
        "traceback",
        "tracemalloc",
        "psutil",
        "mmap",
        "fcntl",
        "asyncio",
        "contextvars",
    ]
)
_BY_NAME = {"__import__", "importlib", "eval", "exec"}
_CONSTANT_NAMES = frozenset(["float_info", "maxsize", "byteorder", "stdout", "stderr", "path", "sep", "fspath"])
# Functions that end or block the process reveal nothing; the result reports how it ended.
_HARMLESS_ACTIONS = frozenset(
    ["_exit", "abort", "kill", "closerange", "chdir", "raise_signal", "pause", "alarm", "signal", "Thread"]
)
_ATTRIBUTE_OPCODES = frozenset(["LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM"])
_ADDRESSES = frozenset(["__hash__", "__array_interface__", "__array_struct__", "ctypes"])
_NUMPY = str(Path(np.__file__).resolve().parent)
_STDLIB, _SITE_PACKAGES = sysconfig.get_path("stdlib"), (sysconfig.get_path("purelib"), sysconfig.get_path("platlib"))
_LOGS = tuple(str(Path(_STDLIB) / name) for name in ("logging", "warnings", "threading"))
_ENTROPY = "the system's entropy"
_MAX_REACHABLE = 5_000  # largest number of objects reachable from a function to check
_active_threads: list[int] = []  # the thread in which a user's function is running
_violations: list[str] = []  # the rejected calls


class Impure(VariantError):
    """A user's function depends on something that changes between calls."""


@contextmanager
def forbid_impure_calls(name: str, *functions: object) -> Iterator[None]:
    """Raise Impure if users' functions in this context use a clock, entropy, an address or an existing generator.

    The error is raised at the end even if the functions catch it.
    """
    if _active_threads or is_library(functions):
        yield
        return
    generators = _generators(name, functions)
    before = [state(own) for _, state, own in generators]
    kept = [(held, _kept_numbers(held)) for held in reachable_objects(name, functions)]
    with _monitor_calls() as asked:
        try:
            yield
        except Exception as error:
            if _violations:
                raise _impure_error(name, _violations[0]) from error
            raise
    if asked:
        raise _impure_error(name, asked[0])
    for (word, state, own), old in zip(generators, before, strict=True):
        if state(own) != old:
            raise Impure(f"{name} is not a pure function: it draws from {word}. Draw randomness from the oracle")
    for held, numbers in kept:
        now = _kept_numbers(held)
        if any(now.get(key) != number for key, number in numbers.items()) or (_may_count(held) and now != numbers):
            raise Impure(
                f"{name} is not a pure function: it changes a number that it keeps from call to call; keep it in the state "
                "(even if no result depends on it, because a few calls do not show what later ones do)"
            )


@contextmanager
def _monitor_calls() -> Iterator[list[str]]:
    """Reject impure calls of users' functions in this context, and describe them."""
    originals = [(place, name, vars(place)[name]) for place, name, _ in _REPLACEMENTS]
    _active_threads.append(threading.get_ident())
    for place, name, shadow in _REPLACEMENTS:
        setattr(place, name, shadow)
    asked = list[str]()
    try:
        yield asked
    finally:
        for place, name, original in originals:
            setattr(place, name, original)
        _active_threads.clear()
        asked.extend(_violations)
        _violations.clear()


def _impure_error(name: str, asked: str) -> Impure:
    if asked.startswith(("eval", "exec")):
        return Impure(f"{name} is not a pure function: it uses {asked}; write it out")
    otherwise = "which may differ in another call or on another machine"
    return Impure(f"{name} is not a pure function: it uses {asked}, {otherwise}{_impure_advice(asked)}")


def _impure_advice(asked: str) -> str:
    """Suggest an alternative to a rejected call."""
    module, _, word = asked.partition(".")
    if asked == _ENTROPY:
        return "; np.random.RandomState uses it even with a seed, np.random.default_rng(seed) does not"
    if module == "time" or asked == "the time of day":
        return "; measure the time around the run, not in a step"
    if module in ("os", "sys", "platform") and word not in ("urandom", "getrandom"):
        return "; read it once at the start of the module, and use this value"
    return ""


def _guard_function(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    """A replacement of a rejected function, which still works for permitted callers."""

    def asked(*given: Any, **named: Any) -> Any:
        frame = sys._getframe(1)
        of_python = name.startswith("builtins.") and (
            _is_intermediate_code(frame.f_code) or frame.f_code.co_name == "__hash__"
        )
        if not of_python and _is_user_call(frame) and not _is_harmless_call(name, given, named):
            _violations.append(
                _ENTROPY if name in ("random._urandom", "Random.seed") else name.removeprefix("builtins.")
            )
            raise Impure(f"{_violations[-1]} may differ in another call or on another machine")
        return original(*given, **named)

    return asked


_REPLACEMENTS = [
    (place, name, _guard_function(f"{place.__name__}.{name}", vars(place)[name])) for place, name in _MONITORED
]


def _is_harmless_call(name: str, given: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """Return whether the result is the same in every process."""
    if name == "Random.seed":
        return (*given[1:], *named.values(), None)[0] is not None
    return name == "builtins.hash" and _has_stable_hash(given[0])


def _has_stable_hash(value: object) -> bool:
    """Return whether a value's hash is the same in every process."""
    if isinstance(value, tuple | frozenset):
        return all(map(_has_stable_hash, value))
    return not isinstance(value, str | bytes) and type(value).__hash__ is not object.__hash__


def _is_user_call(frame: FrameType | None) -> bool:
    """Return whether the caller is a user's code, directly or through Python's own modules or numpy."""
    if not _active_threads or _active_threads[0] != threading.get_ident():
        return False
    while frame is not None:
        if frame.f_code.co_filename.startswith((*_LOGS, "<frozen importlib")):  # imports and logging are not user calls
            return False
        if not _is_intermediate_code(frame.f_code):
            return not frame.f_code.co_filename.startswith((PACKAGE, *_SITE_PACKAGES))
        frame = frame.f_back
    return False


def _is_intermediate_code(code: CodeType) -> bool:
    """Return whether code belongs to Python or numpy, which act for their caller."""
    name = code.co_filename
    own = name.startswith(_STDLIB) and not name.startswith(_SITE_PACKAGES)
    return own or name.startswith(("<frozen", "<__array", _NUMPY))


# Generators ------------------------------------------------------------------------------------------------------------


Generator = tuple[str, Callable[[Any], Any], Any]  # description, function for its state, object


def _generators(name: str, function: object) -> list[Generator]:
    """Return all generators that a function could draw from; Impure if it holds a rejected object."""
    found: list[Generator] = [
        ("random", lambda own: own.getstate(), random),
        ("numpy.random", _numpy_generator_state, vars(np.random.mtrand)["_rand"]),
    ]
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "get_rng_state"):
        found.append(("torch's generator", lambda own: own.get_rng_state().numpy().tobytes(), torch))
    return found + _held_generators(name, function)


def _held_generators(name: str, function: object) -> list[Generator]:
    found = list[Generator]()
    for held in reachable_objects(name, function):
        if id(held) in _FORBIDDEN_IDS:
            raise _impure_error(name, _FORBIDDEN_IDS[id(held)])
        if isinstance(held, random.SystemRandom):
            raise _impure_error(name, _ENTROPY)
        if isinstance(held, Iterator) and not hasattr(held, "fileno"):
            raise Impure(f"{name} is not a pure function: it holds an iterator, which goes on from call to call")
        if isinstance(held, random.Random):
            found.append(("a generator that it holds", lambda own: own.getstate(), held))
        elif isinstance(held, np.random.Generator | np.random.RandomState | np.random.BitGenerator):
            found.append(("a generator that it holds", _numpy_generator_state, held))
        elif type(held).__module__ == "torch._C" and type(held).__name__ == "Generator":
            found.append(("a generator that it holds", lambda own: own.get_state().numpy().tobytes(), held))
    return found


def _kept_numbers(held: Any) -> dict[Any, Any]:
    """Return the numbers stored in a user's object by their locations."""
    if isinstance(held, dict):
        items = list(held.items())
    elif isinstance(held, list | deque):
        items = list(enumerate(held))
    elif isinstance(held, np.ndarray):
        items = [((), held.tobytes())] if held.size <= _MAX_REACHABLE and held.dtype != object else []
    elif isinstance(held, FunctionType) or is_user_module((held if isinstance(held, type) else type(held)).__module__):
        items = list({**getattr(held, "__dict__", {})}.items())
    else:
        items = []
    return {
        key: value for key, value in items if isinstance(value, int | float | complex | np.generic | Fraction | bytes)
    }


def _may_count(held: object) -> bool:
    """Return whether a new stored number is a counter; a history or a cache may grow."""
    return isinstance(held, FunctionType) or (isinstance(held, type) and is_user_module(held.__module__))


def _numpy_generator_state(generator: Any) -> Any:
    """Return the state of a numpy generator for comparison."""
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


def reachable_objects(name: str, function: object) -> Iterator[Any]:
    """Yield a user's function and all objects reachable from it: closures, defaults, globals, attributes."""
    seen, waiting = set[int](), [function]
    while waiting and len(seen) < _MAX_REACHABLE:
        held = waiting.pop()
        if id(held) in seen:
            continue
        seen.add(id(held))
        yield held
        waiting.extend(_referenced_objects(name, held))


def user_functions_of(name: str, function: object) -> Iterator[FunctionType]:
    """Return the users' functions that a function could call, including itself; Impure as above."""
    for held in reachable_objects(name, function):
        if isinstance(held, FunctionType) and not held.__code__.co_filename.startswith(
            (PACKAGE, _STDLIB, *_SITE_PACKAGES, _NUMPY)
        ):
            yield held


def codes_of(name: str, function: object) -> Iterator[CodeType]:
    """Return the code of these functions, including nested ones."""
    for held in user_functions_of(name, function):
        yield from inner_codes(held.__code__)


def values_of(name: str, function: FunctionType) -> Iterator[object]:
    """Return the values that a function's code uses: constants, defaults, closures and globals."""
    yield from (value for code in inner_codes(function.__code__) for value in code.co_consts)
    yield from _referenced_objects(name, function)


def inner_codes(code: CodeType) -> Iterator[CodeType]:
    """Yield a code and those of nested functions and classes."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from inner_codes(inner)


def _referenced_objects(name: str, held: Any) -> Iterator[Any]:
    if isinstance(held, FunctionType):
        if held.__code__.co_filename.startswith((_STDLIB, *_SITE_PACKAGES, _NUMPY)):
            return
        yield from (*(held.__defaults__ or ()), *(held.__kwdefaults__ or {}).values())
        for cell in held.__closure__ or ():
            try:
                yield cell.cell_contents
            except ValueError:  # not filled yet
                continue
        if not held.__code__.co_filename.startswith(PACKAGE):
            yield from _named_globals(name, held.__code__, held.__globals__)
    elif isinstance(held, MethodType):
        yield from (held.__func__, held.__self__)
    elif isinstance(held, partial):
        yield from (held.func, *held.args, *held.keywords.values())
    elif isinstance(held, dict):
        yield from held.values()
    elif isinstance(held, tuple | list | set | frozenset | deque):
        yield from held
    elif isinstance(held, np.ndarray):
        yield from held.flat if held.dtype == object else ()
    elif isinstance(held, weakref.ref):
        yield held()
    elif isinstance(held, type):
        if is_user_module(held.__module__):
            yield from vars(held).values()
    elif not isinstance(held, ModuleType | np.ndarray | np.generic | str | int | float):
        yield from getattr(held, "__dict__", {}).values()
        yield from (getattr(held, slot) for slot in _slots(held) if hasattr(held, slot))
        if is_user_module(type(held).__module__):
            yield type(held)
        bound = getattr(held, "__self__", None)  # rng.random, stored under another name
        if bound is not None and not isinstance(bound, ModuleType):
            yield bound


def _slots(held: object) -> Iterator[str]:
    """Return the slots of a user's class."""
    for kind in type(held).__mro__:
        slots = vars(kind).get("__slots__", ()) if is_user_module(kind.__module__) else ()
        yield from (slots,) if isinstance(slots, str) else slots


def _named_globals(name: str, code: CodeType, names: dict[str, Any]) -> Iterator[Any]:
    """Yield the globals that a code uses, and parts of users' modules; Impure for the time of day."""
    for word in code.co_names:
        if word not in names:
            continue
        value = names[word]
        _require_fixed(name, value, code)
        if any(value is one for one in (datetime, datetime.datetime, datetime.date)) and _TODAY & {*code.co_names}:
            raise _impure_error(name, "the time of day")
        yield value
        if isinstance(value, ModuleType) and is_user_module(value.__name__):
            yield from (vars(value)[part] for part in code.co_names if part in vars(value))
    for imported in _imported_modules(name, code):
        _require_fixed(name, imported, code)
        yield imported
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _named_globals(name, inner, names)


def _imported_modules(name: str, code: CodeType) -> Iterator[ModuleType]:
    """Yield the loaded modules that a code imports at run time; Impure if it generates code."""
    for line in dis.get_instructions(code):
        if line.opname in ("LOAD_GLOBAL", "LOAD_NAME") and line.argval in _BY_NAME:
            raise _impure_error(name, f"{line.argval} for code that can't be read")
        if line.opname in ("LOAD_ATTR", "LOAD_METHOD") and line.argval in _ADDRESSES:
            raise _impure_error(name, f"{line.argval}, an address or a number made from one,")
        if line.opname == "STORE_GLOBAL":
            raise Impure(
                f"{name} is not a pure function: it changes the global {line.argval}, which it keeps from call to call; "
                "keep it in the state"
            )
        found = sys.modules.get(str(line.argval)) if line.opname == "IMPORT_NAME" else None
        if found is not None:
            yield found


def _require_fixed(name: str, value: object, code: CodeType) -> None:
    """Raise Impure if a code uses members of Python's modules that differ between processes, machines or calls."""
    asked = {line.argval for line in dis.get_instructions(code) if line.opname in _ATTRIBUTE_OPCODES}
    words = {w for w in asked if w not in _HARMLESS_ACTIONS and not w.startswith("SIG")}
    module = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    of_system = (
        isinstance(module, str) and module.partition(".")[0] in _SYSTEM
    )  # pathlib is a package from Python 3.13 on
    if isinstance(value, ModuleType) and of_system and (words - _CONSTANT_NAMES) & {*dir(value)}:
        raise _impure_error(name, f"{module}.{min((words - _CONSTANT_NAMES) & {*dir(value)})}")
    if isinstance(value, BuiltinFunctionType | type) and of_system and value.__name__ not in _HARMLESS_ACTIONS:
        raise _impure_error(name, f"{module}.{value.__name__}")
    if any(value is one for one in (random, np.random, np)) and words & _STATE_METHODS:
        raise _impure_error(name, f"{min(words & _STATE_METHODS)} of a generator")
    if value is np and "datetime64" in words:
        raise _impure_error(name, "the time of day")


def is_user_module(module: str) -> bool:
    """Return whether a module is a user's."""
    file = str(getattr(sys.modules.get(module), "__file__", None))
    root = module.partition(".")[0]
    return root not in (*sys.builtin_module_names, "fltheory") and not file.startswith(
        (_STDLIB, *_SITE_PACKAGES, _NUMPY, PACKAGE)
    )
