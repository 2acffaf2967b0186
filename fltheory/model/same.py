"""Equality of values that hold functions: two functions are the same when they have the same code and see the same values.

Dataclasses compare their functions by identity. Then two claims that are read from the same file are different, and nobody
can say whether a claim has changed. ``is_same`` follows functions into their code, their defaults, their closures and the
globals that they name. It errs on one side only: what it cannot follow is the same if it is the same object, else not. So
a class that is defined anew is another class, and a function that reads names by ``eval`` is only equal to itself.
"""

from __future__ import annotations

import builtins
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import cache, partial
from types import CodeType, FunctionType, MappingProxyType, MethodType
from typing import Any

import numpy as np
import sympy

_CACHED = type(cache(len))
_MISSING = object()
_OPAQUE = {"globals", "eval", "exec", "__import__", "import_module"}  # what they look up is not seen
_PLAIN = (int, str, bytes, bool, type(None), Fraction, complex)


def is_same(a: Any, b: Any) -> bool:
    """Return whether two values are seen to be equal, functions by what they compute with.

    It is False of two functions that compute the same in other words, and of what it cannot follow.
    """
    try:
        return _same(a, b, {})
    except RecursionError:  # too deep to follow
        return False


def _same(a: Any, b: Any, assumed: dict[tuple[int, int], Any]) -> bool:
    """Return the same; pairs in ``assumed`` are being compared already, since functions may call each other.

    It keeps what it has compared, so that no new object can have the identity of one that is gone.
    """
    if a is b or (id(a), id(b)) in assumed:
        return True
    if type(a) is not type(b):
        return False
    assumed[id(a), id(b)] = a, b
    left, right = _parts(a), _parts(b)
    if left is None or right is None:
        return _equal(a, b)
    return len(left) == len(right) and all(_same(x, y, assumed) for x, y in zip(left, right, strict=True))


def _equal(a: Any, b: Any) -> bool:
    """Return whether two values of one type are equal by an equality that is known to be right."""
    if type(a) in _PLAIN or isinstance(a, sympy.Basic):
        return bool(a == b)
    if type(a) in (set, frozenset):  # of plain values, and 1 is not True
        return all(map(_is_plain, (*a, *b))) and sorted(map(repr, a)) == sorted(map(repr, b))
    if type(a) is float:
        return repr(a) == repr(b)  # 0.0 is not -0.0
    if type(a) is CodeType:
        return bool(_without_lines(a) == _without_lines(b))
    if type(a) is np.ndarray:
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    own = type(a).__module__.partition(".")[0] == "fltheory" and not isinstance(a, Enum | type)
    return own and bool(a == b)


def _is_plain(value: Any) -> bool:
    return type(value) in _PLAIN or (type(value) is tuple and all(map(_is_plain, value)))


def _without_lines(code: CodeType) -> CodeType:
    """Return the code without where it stands, so that a line more above a function does not make it another."""
    constants = tuple(_without_lines(c) if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.replace(co_consts=constants, co_firstlineno=1, co_linetable=b"", co_filename="")


def _parts(value: Any) -> tuple[Any, ...] | None:
    """Return what a value consists of, or None if ``_equal`` decides."""
    match value:
        case FunctionType() if not _OPAQUE & set(_names(value.__code__)):
            cells = tuple(map(_content, value.__closure__ or ()))
            seen = tuple(_seen(value, name) for name in _names(value.__code__))
            return value.__code__, value.__defaults__, value.__kwdefaults__, vars(value), cells, seen
        case MethodType():
            return value.__func__, value.__self__
        case _CACHED():
            return value.__wrapped__, value.cache_parameters()
    if type(value) is partial:
        return value.func, value.args, value.keywords, vars(value)
    if type(value) in (tuple, list):
        return tuple(value)
    if type(value) in (dict, MappingProxyType):
        return tuple(value), tuple(value.values())
    if type(value) is np.ndarray and value.dtype == object:
        return value.shape, tuple(value.flat)
    if is_dataclass(value) and not isinstance(value, type):
        return tuple(getattr(value, f.name) for f in fields(value))
    return None


def _content(cell: Any) -> Any:
    """Return what a cell of a closure holds; nothing yet is a value too."""
    try:
        return cell.cell_contents
    except ValueError:
        return _MISSING


def _seen(function: FunctionType, name: str) -> Any:
    """Return what a function finds under a global name."""
    return function.__globals__.get(name, vars(builtins).get(name, _MISSING))


def _names(code: CodeType) -> tuple[str, ...]:
    """Return the names that code and the functions inside it look up."""
    inner = (name for const in code.co_consts if isinstance(const, CodeType) for name in _names(const))
    return tuple(dict.fromkeys((*code.co_names, *inner)))
