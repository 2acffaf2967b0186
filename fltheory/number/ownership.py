"""Whose a function is: the library's, with all that it holds on to, or a user's, of which nothing is believed.

What hides its function (``np.vectorize``, ``np.frompyfunc``, a class that is called) is a user's, unless it is one that the
library or numpy has under its own name.
"""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import partial
from pathlib import Path
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

PACKAGE = str(Path(__file__).resolve().parent.parent)
_TRUSTED_MODULES = (
    "builtins",
    "fltheory",
    "numpy",
    "sympy",
    "flint",
    "fractions",
    "pathlib",
    "enum",
)  # whose values keep no functions
_TRUSTED_BUILTINS = (abs, max, min, sum, round, sorted, len, any, all, pow, divmod)


def is_library(thing: object) -> bool:
    """Whether a function is the library's, and all that it holds on to, in tuples and records too; so are numpy's by name."""
    return all(map(_is_library_object, _held_objects(thing, set())))


def _held_objects(thing: object, seen: set[int]) -> Iterator[object]:
    """A thing and all that it holds on to, each once."""
    if id(thing) in seen:
        return
    seen.add(id(thing))
    yield thing
    for part in _direct_parts(thing):
        yield from _held_objects(part, seen)


def _direct_parts(thing: Any) -> Iterator[Any]:
    if isinstance(thing, tuple | list | set | frozenset):
        yield from thing
    elif isinstance(thing, dict):
        yield from thing.values()
    elif isinstance(thing, np.ndarray):
        yield from thing.flat if thing.dtype == object else ()
    elif isinstance(thing, partial):
        yield from (thing.func, *thing.args, *thing.keywords.values())
    elif isinstance(thing, MethodType):
        yield from (thing.__func__, thing.__self__)
    elif isinstance(thing, FunctionType):
        yield from (cell.cell_contents for cell in thing.__closure__ or () if _is_filled_cell(cell))
        yield from (*(thing.__defaults__ or ()), *(thing.__kwdefaults__ or {}).values())
    elif not isinstance(thing, type) and _function_attribute(thing, "__wrapped__") is not None:
        yield _function_attribute(thing, "__wrapped__")
    elif is_dataclass(thing) and not isinstance(thing, type):
        yield from (vars(thing)[f.name] for f in fields(thing) if f.name in vars(thing))


def _is_library_object(thing: Any) -> bool:
    """Whether a thing is the library's, whatever it holds on to."""
    if isinstance(thing, FunctionType):
        return thing.__code__.co_filename.startswith(PACKAGE)
    if isinstance(thing, MethodType | partial):
        return True  # what they hold is looked at
    if isinstance(thing, type):
        return thing.__module__.partition(".")[0] in _TRUSTED_MODULES
    if isinstance(thing, ModuleType):
        return thing.__name__.partition(".")[0] in _TRUSTED_MODULES
    if isinstance(thing, BuiltinFunctionType):
        return _is_known_function(thing)
    if isinstance(thing, np.random.Generator | np.random.RandomState | np.random.BitGenerator | np.vectorize):
        return False
    if not callable(thing):
        return type(thing).__module__.partition(".")[0] in _TRUSTED_MODULES
    kind = type(thing).__module__.partition(".")[0]
    if kind in ("numba", "functools"):  # a compiled one: a module of the library has it under its name
        home = str(_function_attribute(thing, "__module__"))
        return (
            home.partition(".")[0] == "fltheory" and _function_attribute(sys.modules.get(home), thing.__name__) is thing
        )
    return _is_known_function(thing) if kind == "numpy" else kind in ("fltheory", "sympy", "flint")


def _is_known_function(function: Any) -> bool:
    """Whether Python or numpy has just this function under its name."""
    name = str(_function_attribute(function, "__name__") or "")
    places = (np, np.linalg, math, operator)
    return function in _TRUSTED_BUILTINS or any(vars(place).get(name) is function for place in places)


def _function_attribute(function: object, name: str) -> Any:
    """What Python keeps with a function, None for callables of another make: compiled ones, objects that can be called."""
    return getattr(function, name, None)


def _is_filled_cell(cell: CellType) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def unwrap_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function that others stand for which the library has wrapped around it."""
    while callable(_function_attribute(function, "__wrapped__")):
        function = _function_attribute(function, "__wrapped__")
    return function


def definition_location(function: Callable[..., Any]) -> str:
    """A function's name, file and first line, as far as they are known."""
    function = unwrap_function(function)
    code = _function_attribute(function, "__code__")
    name = str(_function_attribute(function, "__name__") or type(function).__name__)
    return f"{name} at {code.co_filename}:{code.co_firstlineno}" if isinstance(code, CodeType) else name
