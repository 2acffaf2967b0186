"""Ownership of functions: built-in, with all objects that they hold, or a user's, which are not trusted.

A callable that hides its function (``np.vectorize``, ``np.frompyfunc``, a class) is a user's, unless the library or
numpy has it under its own name.
"""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from fractions import Fraction
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
)  # types whose values contain no functions
_PLAIN_TYPES = frozenset({int, float, complex, bool, str, bytes, type(None), Fraction})
_TRUSTED_BUILTINS = (abs, max, min, sum, round, sorted, len, any, all, pow, divmod)


def is_library(thing: object) -> bool:
    """Return whether a function and all objects that it holds belong to the library, or to numpy by name."""
    return all(map(_is_library_object, _held_objects(thing)))


def _held_objects(thing: object) -> Iterator[object]:
    """Yield an object and all objects that it holds, each once; numbers and texts, which hold none, only if asked for."""
    seen, waiting = {id(thing)}, [thing]
    while waiting:
        one = waiting.pop()
        yield one
        for part in _direct_parts(one):
            if type(part) not in _PLAIN_TYPES and id(part) not in seen:
                seen.add(id(part))
                waiting.append(part)


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
    """Return whether an object belongs to the library, regardless of what it holds."""
    if isinstance(thing, FunctionType):
        return thing.__code__.co_filename.startswith(PACKAGE)
    if isinstance(thing, MethodType | partial):
        return True  # their contents are checked
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
    if kind in ("numba", "functools"):  # a compiled function: a module of the library has it under its name
        home = str(_function_attribute(thing, "__module__"))
        return (
            home.partition(".")[0] == "fltheory" and _function_attribute(sys.modules.get(home), thing.__name__) is thing
        )
    return _is_known_function(thing) if kind == "numpy" else kind in ("fltheory", "sympy", "flint")


def _is_known_function(function: Any) -> bool:
    """Return whether Python or numpy has exactly this function under its name."""
    name = str(_function_attribute(function, "__name__"))
    places = (np, np.linalg, math, operator)
    return function in _TRUSTED_BUILTINS or any(vars(place).get(name) is function for place in places)


def _function_attribute(function: object, name: str) -> Any:
    """Return an attribute of a Python function; None for other callables, such as compiled functions."""
    return getattr(function, name, None)


def _is_filled_cell(cell: CellType) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def unwrap_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function inside the library's wrappers."""
    while callable(_function_attribute(function, "__wrapped__")):
        function = _function_attribute(function, "__wrapped__")
    return function


def definition_location(function: Callable[..., Any]) -> str:
    """Return a function's name, file and first line, as far as they are known."""
    function = unwrap_function(function)
    code = _function_attribute(function, "__code__")
    name = str(_function_attribute(function, "__name__") or type(function).__name__)
    return f"{name} at {code.co_filename}:{code.co_firstlineno}" if isinstance(code, CodeType) else name
