"""Signals: how the exact engines say "not this way", and which line of a user's file made them say it.

A signal raised inside a user's function is remembered. Where the function swallows it (``except: pass``) or turns it into an
error of its own it is raised all the same once the function is done: what was run else would be another algorithm.
"""

from __future__ import annotations

import ast
import linecache
import sys
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from functools import partial
from pathlib import Path
from types import CellType, CodeType, FrameType, TracebackType
from typing import Any, TypeVar

import numpy as np

Result = TypeVar("Result")
PACKAGE = str(Path(__file__).resolve().parent.parent)
_OTHERS = (
    PACKAGE,
    str(Path(np.__file__).resolve().parent),
    sysconfig.get_path("stdlib"),
    sysconfig.get_path("purelib"),
)
_SYMBOLS: dict[type, str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.MatMult: "@",
}
_open: list[list[Latched]] = []  # what each user's function that is running has raised, the outermost first


class Latched(BaseException):
    """What stops a user's function on exact numbers; ``place``: the operation and line of the user's file, if known."""

    place = ""

    def __init__(self, *words: object) -> None:
        super().__init__(*words)
        if _open:
            self.place = _place_of_frames()
            for seen in _open:
                seen.append(self)


class Signal(Latched, Exception):
    """The same as an error, which the engines handle."""


def heeded(call: Callable[[], Result]) -> Result:
    """What a user's function returns; the first signal it raised on the way, if there was one, whatever it made of it."""
    seen: list[Latched] = []
    _open.append(seen)
    try:
        found = call()
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException:
        if seen:
            raise seen[0] from None
        raise
    finally:
        _open.pop()
    if seen:
        raise seen[0]
    return found


@contextmanager
def answered() -> Iterator[None]:
    """For the library's own work inside a user's function: signals that it handled itself are none of the user's."""
    lengths = [len(seen) for seen in _open]
    yield
    for seen, length in zip(_open, lengths, strict=False):
        del seen[length:]


def of_library(function: object) -> bool:
    """Whether a function is the library's, and every function that it holds on to, in tuples and records too; so are numpy's."""
    if isinstance(function, tuple):
        return all(of_library(part) for part in function)
    if is_dataclass(function) and not all(of_library(vars(function).get(f.name)) for f in fields(function)):
        return False
    if not callable(function) or isinstance(function, type):
        return True
    code = _of(function, "__code__")
    if not isinstance(code, CodeType):
        if isinstance(function, partial):
            return all(map(of_library, (function.func, *function.args, *function.keywords.values())))
        module = type(function).__module__
        if module == "builtins":  # written in C
            return True
        wrapped = _of(function, "__wrapped__")
        return of_library(wrapped) if wrapped is not None else module.split(".")[0] in ("fltheory", "numpy", "numba")
    if not code.co_filename.startswith(PACKAGE):
        return False
    cells = (cell.cell_contents for cell in _of(function, "__closure__") or () if _filled(cell))
    defaults = (*(_of(function, "__defaults__") or ()), *(_of(function, "__kwdefaults__") or {}).values())
    return all(of_library(v) for v in (*cells, *defaults) if v is not function)


def _of(function: Callable[..., Any], name: str) -> Any:
    """What Python keeps with a function, None for callables of another make: compiled ones, objects that can be called."""
    return getattr(function, name, None)


def _filled(cell: CellType) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


# Which line it was -----------------------------------------------------------------------------------------------------


def _users(code: CodeType) -> bool:
    return not code.co_filename.startswith((*_OTHERS, "<frozen", "<__array"))


def _place_of_frames() -> str:
    """The operation and line of the innermost frame that is a user's, or nothing."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and not _users(frame.f_code):
        frame = None if frame.f_code is heeded.__code__ else frame.f_back  # beyond it stands who asked for the verdict
    return "" if frame is None else _place(frame.f_code, frame.f_lasti, frame.f_lineno)


def place_of(error: BaseException) -> str:
    """The same of an error's traceback: "clip at mine.py:12"."""
    if isinstance(error, Latched) and error.place:
        return error.place
    found = ""
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        if _users(trace.tb_frame.f_code):
            found = _place(trace.tb_frame.f_code, trace.tb_lasti, trace.tb_lineno)
        trace = trace.tb_next
    return found


def _place(code: CodeType, at: int, line: int) -> str:
    word = _operation(code, at)
    where = f"{code.co_filename}:{line}"
    return f"{word} at {where}" if word else where


def _operation(code: CodeType, at: int) -> str:
    """What the instruction does, in the words of the source: a function's name or an operator."""
    positions = list(code.co_positions())
    if not 0 <= at // 2 < len(positions):
        return ""
    first, last, start, end = positions[at // 2]
    lines = linecache.getlines(code.co_filename)
    if first is None or last is None or start is None or end is None or not 0 < first <= last <= len(lines):
        return ""
    encoded = [line.encode() for line in lines[first - 1 : last]]
    encoded[-1] = encoded[-1][:end]
    encoded[0] = encoded[0][start:]
    try:
        tree = ast.parse(f"({b''.join(encoded).decode()})", mode="eval").body
    except (SyntaxError, ValueError):
        return ""
    if isinstance(tree, ast.Call):
        return ast.unparse(tree.func).split(".")[-1]
    if isinstance(tree, ast.Compare):
        return _SYMBOLS.get(type(tree.ops[0]), "")
    return _SYMBOLS.get(type(tree.op), "") if isinstance(tree, ast.BinOp) else ast.unparse(tree)[:30]


def users_own(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function that others stand for which the library has wrapped around it."""
    while callable(_of(function, "__wrapped__")):
        function = _of(function, "__wrapped__")
    return function


def defined_at(function: Callable[..., Any]) -> str:
    """A function's name, file and first line, as far as they are known."""
    function = users_own(function)
    code = _of(function, "__code__")
    name = str(_of(function, "__name__") or type(function).__name__)
    return f"{name} at {code.co_filename}:{code.co_firstlineno}" if isinstance(code, CodeType) else name
