"""Detection of code that could distinguish symbolic execution from a run on plain arrays.

Symbolic execution passes stand-ins for arrays and numbers to a step. They pass ``isinstance`` checks, but their
``type`` differs. Stand-ins cannot notice such checks, so the bytecode is inspected. Checks with equal results are
allowed.
"""

from __future__ import annotations

import builtins
import dis
from collections.abc import Iterator
from dataclasses import make_dataclass
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from fltheory.number.impurity import inner_codes, user_functions_of
from fltheory.number.signals import VariantError

# Names that can distinguish symbolic execution from a plain run.
REVEALING_NAMES = frozenset(
    {"type", "isinstance", "issubclass", "dir", "eval", "exec", "gc", "inspect", "ctypes", "memoryview", "__class__"}
)
ASKING = (type, isinstance, issubclass, dir, eval, exec, memoryview)  # the same functions under any name
# Special attributes of all objects that do not lead to a type.
HARMLESS_DUNDERS = {
    f"__{name}__" for name in ("init", "call", "name", "enter", "exit", "setattr", "post_init", "version")
}
HARMLESS_DUNDERS |= {f"__{name}__" for name in ("next", "iter", "len", "getitem")}
INDISTINGUISHABLE_TYPES = {
    "isinstance": (np.ndarray, dict, list, tuple, str),
    "type": (dict, list, str),
}  # types with the same result for plain arrays and stand-ins
IGNORED_OPCODES = {
    "CACHE",
    "PRECALL",
    "EXTENDED_ARG",
    "NOP",
    "PUSH_NULL",
}  # instructions that differ only between versions of CPython
SIMPLE = {"LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_BORROW", "LOAD_DEREF", "LOAD_NAME"}
# These can rebind a name while a step runs.
REBINDING = frozenset(
    {"globals", "setattr", "delattr", "vars", "builtins", "__builtins__", "__dict__", "__globals__", "modules"}
)


def forbid_type_inspection(name: str, otherwise: str, *functions: object) -> None:
    """Raise VariantError if users' code can distinguish stand-ins from arrays; ``otherwise`` says why it matters."""
    held = list(user_functions_of(name, functions))
    codes = [(code, one.__globals__) for one in held for code in inner_codes(one.__code__)]
    rebound = any(REBINDING & {*code.co_names} for code, _ in codes)
    stored = {
        i.argval for code, _ in codes for i in dis.get_instructions(code) if i.opname.startswith(("STORE_", "DELETE_"))
    }
    for code, names in codes:
        words = set(REVEALING_NAMES & {*code.co_names})
        words |= {name for name in _attributes(code) if name[:2] == name[-2:] == "__" and name not in HARMLESS_DUNDERS}
        words |= {name for name in code.co_names if any(names.get(name) is asking for asking in ASKING)}
        words -= {
            word
            for word in INDISTINGUISHABLE_TYPES
            if word in words and not rebound and _is_harmless_inspection(code, word, names, stored)
        }
        if words and is_dataclass_code(code):
            continue
        kinds = any(i.opname == "MATCH_CLASS" for i in dis.get_instructions(code))
        for what in (*sorted(words), *(["a class in a case of match"] if kinds else [])):
            raise VariantError(
                f"{name} uses {what} (line {code.co_firstlineno} of {code.co_filename}), which could tell a symbolic "
                f"execution from a plain run: {otherwise}"
            )


def _attributes(code: CodeType) -> Iterator[str]:
    """Return the attribute names that a code reads, also by ``getattr`` and in formats, if they are literals."""
    for i in dis.get_instructions(code):
        if i.opname in ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM"):
            yield str(i.argval)
    if {"getattr", "attrgetter", "methodcaller", "format", "format_map"} & {*code.co_names}:
        for value in code.co_consts:
            if isinstance(value, str) and "__" in value:
                yield f"__{value.strip('{}').split('__')[1]}__"


def _is_harmless_inspection(code: CodeType, word: str, names: dict[str, Any], stored: set[Any]) -> bool:
    """Return whether a code uses ``isinstance`` or ``type`` only for checks with equal results for stand-ins."""
    if word in names or word in stored:  # the name is rebound
        return False
    steps = [i for i in dis.get_instructions(code) if i.opname not in IGNORED_OPCODES]
    places = [n for n, i in enumerate(steps) if i.argval == word and i.opname.startswith("LOAD_")]
    return bool(places) and all(_matches_inspection(steps, n, word, names, stored) for n in places)


def _matches_inspection(steps: list[Any], n: int, word: str, names: dict[str, Any], stored: set[Any]) -> bool:
    """Match ``isinstance(v, KINDS)`` or ``type(v) is KIND`` from the n-th instruction on."""
    if n + 1 >= len(steps) or steps[n].opname != "LOAD_GLOBAL" or steps[n + 1].opname not in SIMPLE:
        return False
    n += 2
    if word == "type":
        if not _is_instruction(steps, n, "CALL", 1):
            return False
        n += 1
    kinds = list[Any]()
    while (found := _loaded_type(steps, n, names, stored)) is not None:
        kind, n = found
        kinds.append(kind)
    if not kinds or any(kind not in INDISTINGUISHABLE_TYPES[word] for kind in kinds):
        return False
    if word == "type":
        return len(kinds) == 1 and n < len(steps) and steps[n].opname == "IS_OP"
    if len(kinds) > 1:
        if not _is_instruction(steps, n, "BUILD_TUPLE", len(kinds)):
            return False
        n += 1
    return _is_instruction(steps, n, "CALL", 2)


def _is_instruction(steps: list[Any], n: int, name: str, argument: int) -> bool:
    return n < len(steps) and steps[n].opname == name and steps[n].arg == argument


def _loaded_type(steps: list[Any], n: int, names: dict[str, Any], stored: set[Any]) -> tuple[type, int] | None:
    """Return the type loaded at the n-th instruction, ``dict`` or ``np.ndarray``, and the index of the next one."""
    if n >= len(steps) or steps[n].opname != "LOAD_GLOBAL" or steps[n].argval in stored:
        return None
    found = names.get(steps[n].argval, vars(builtins).get(steps[n].argval))
    if found is np and n + 1 < len(steps) and steps[n + 1].opname == "LOAD_ATTR" and steps[n + 1].argval == "ndarray":
        return None if "ndarray" in stored else (np.ndarray, n + 2)
    return (found, n + 1) if isinstance(found, type) else None


def is_dataclass_code(code: CodeType) -> bool:
    """Return whether a function has exactly the code that ``dataclasses`` generates for a class with such fields."""
    if code.co_filename != "<string>" or not code.co_qualname.startswith("__create_fn__."):
        return False
    fields = [
        name
        for name in code.co_names
        if name.isidentifier() and not name.startswith("__") and name not in vars(builtins)
    ]
    return any(_same_code(code, made) for given in (fields, ["a"], []) for made in _dataclass_code(given))


def _dataclass_code(fields: list[str]) -> Iterator[CodeType]:
    """Return the functions that ``dataclasses`` generates for a class with these fields."""
    made = make_dataclass("Made", fields, frozen=True, order=True)
    for function in vars(made).values():
        inner = getattr(function, "__wrapped__", function)
        if isinstance(inner, FunctionType):
            yield inner.__code__


def _same_code(one: CodeType, other: CodeType) -> bool:
    return (one.co_code, one.co_names, one.co_varnames) == (other.co_code, other.co_names, other.co_varnames)
