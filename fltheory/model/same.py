"""Equality of values that hold functions: two functions are the same when they have the same code and see the same values.

Dataclasses compare their functions by identity. Then two claims that are read from the same file are different, and nobody
can say whether a claim has changed. ``is_same`` decides it: it follows functions into their code, their defaults, their
closures and the globals that they name.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import cache, cached_property, partial
from types import CodeType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any

import numpy as np

_CACHED = type(cache(len))
_NOT_CONTENT = (
    "__doc__",
    "__dict__",
    "__weakref__",
    "__builtins__",
    "__spec__",
    "__loader__",
    "__cached__",
    "__file__",
)


def is_same(a: Any, b: Any) -> bool:
    """Whether two values are equal, functions by what they compute with.

    Never true of values that differ. It may be false of two functions that compute the same in other words.
    """
    return _same(a, b, {})


def _same(a: Any, b: Any, assumed: dict[tuple[int, int], Any]) -> bool:
    """The same; pairs in ``assumed`` are being compared already, since functions may call each other.

    It keeps what it has compared, so that no new object can have the identity of one that is gone.
    """
    if a is b or (id(a), id(b)) in assumed:
        return True
    if _type_name(a) != _type_name(b):
        return False
    assumed[id(a), id(b)] = a, b
    left, right = _parts(a), _parts(b)
    if left is None or right is None:
        return bool(a == b)
    return len(left) == len(right) and all(_same(x, y, assumed) for x, y in zip(left, right, strict=True))


def _type_name(value: Any) -> tuple[str, str]:
    return type(value).__module__, type(value).__qualname__


def _parts(value: Any) -> tuple[Any, ...] | None:
    """What a value consists of; None where its own equality decides."""
    match value:
        case FunctionType():
            cells = tuple(cell.cell_contents for cell in value.__closure__ or ())
            seen = tuple(value.__globals__.get(name) for name in _names(value.__code__))
            return value.__code__, value.__defaults__, value.__kwdefaults__, cells, seen
        case CodeType():
            return value.co_code, value.co_names, value.co_varnames, value.co_freevars, value.co_consts
        case MethodType():
            return value.__func__, value.__self__
        case partial():
            return value.func, value.args, value.keywords
        case _CACHED():
            return (value.__wrapped__,)
        case cached_property():
            return (value.func,)
        case property():
            return value.fget, value.fset
        case classmethod() | staticmethod():
            return (value.__func__,)
        case ModuleType() | type():
            own = {name: found for name, found in vars(value).items() if name not in _NOT_CONTENT}
            return value.__name__, tuple(own), tuple(own.values())
        case np.ndarray():
            return value.shape, str(value.dtype), tuple(value.flat)
        case tuple() | list():
            return tuple(value)
        case dict() | MappingProxyType():
            return tuple(value), tuple(value.values())
    if is_dataclass(value):
        return tuple(getattr(value, f.name) for f in fields(value) if f.compare)
    return None


def _names(code: CodeType) -> tuple[str, ...]:
    """The names that code and the functions inside it look up."""
    inner = (name for const in code.co_consts if isinstance(const, CodeType) for name in _names(const))
    return tuple(dict.fromkeys((*code.co_names, *inner)))
