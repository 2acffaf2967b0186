"""Signals with which the exact engines reject an operation, with the line of the user's file.

A signal raised inside a user's function is recorded. If the function swallows it (``except: pass``) or converts it to
another error, it is raised again at the end, because the function would otherwise be a different algorithm.
"""

from __future__ import annotations

import ast
import linecache
import sys
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import TypeVar

import numpy as np

from fltheory.number.ownership import PACKAGE

Result = TypeVar("Result")
_INSTALLED_PATHS = (
    PACKAGE,
    str(Path(np.__file__).resolve().parent),
    sysconfig.get_path("stdlib"),
    sysconfig.get_path("purelib"),
)
_OPERATOR_SYMBOLS: dict[type, str] = {
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
_active_handlers: list[list[BaseSignal]] = []  # signals raised in the running users' functions, the outermost first


class BaseSignal(BaseException):
    """A signal that stops a user's function on exact numbers; ``place``: its operation and line, if known."""

    place = ""

    def __init__(self, *words: object) -> None:
        super().__init__(*words)
        if _active_handlers:
            self.place = _place_of_frames()
            for seen in _active_handlers:
                seen.append(self)


class VariantError(ValueError):
    """An algorithm returned an invalid value or made an invalid call."""


class Signal(BaseSignal, Exception):
    """A signal that is an Exception, which the engines handle."""


def call_with_signals(call: Callable[[], Result]) -> Result:
    """Call a user's function; raise the first signal from inside it, even if the function handled it."""
    seen: list[BaseSignal] = []
    _active_handlers.append(seen)
    try:
        found = call()
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException:
        if seen:
            raise seen[0] from None
        raise
    finally:
        _active_handlers.pop()
    if seen:
        raise seen[0]
    return found


@contextmanager
def hide_handled_signals() -> Iterator[None]:
    """Hide signals that the library's code handles inside a user's function."""
    lengths = [len(seen) for seen in _active_handlers]
    yield
    for seen, length in zip(_active_handlers, lengths, strict=False):
        del seen[length:]


# Which line it was -----------------------------------------------------------------------------------------------------


def is_user_code(code: CodeType) -> bool:
    """Return whether code is a user's: it belongs neither to the library nor to an installed package."""
    return not code.co_filename.startswith((*_INSTALLED_PATHS, "<frozen", "<__array"))


def _place_of_frames() -> str:
    """Return the operation and line of the innermost frame of a user's code, or an empty text."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and not is_user_code(frame.f_code):
        frame = (
            None if frame.f_code is call_with_signals.__code__ else frame.f_back
        )  # outer frames belong to the caller of the library
    return "" if frame is None else _place(frame.f_code, frame.f_lasti, frame.f_lineno)


def place_of(error: BaseException) -> str:
    """Return them for an error's traceback, such as "clip at mine.py:12"."""
    if isinstance(error, BaseSignal) and error.place:
        return error.place
    found = ""
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        if is_user_code(trace.tb_frame.f_code):
            found = _place(trace.tb_frame.f_code, trace.tb_lasti, trace.tb_lineno)
        trace = trace.tb_next
    return found


def _place(code: CodeType, at: int, line: int) -> str:
    word = _operation(code, at)
    where = f"{code.co_filename}:{line}"
    return f"{word} at {where}" if word else where


def _operation(code: CodeType, at: int) -> str:
    """Return the operation of an instruction: a function's name or an operator."""
    positions = list(code.co_positions())
    if not 0 <= at // 2 < len(positions):
        return ""
    known = [part for part in positions[at // 2] if part is not None]
    lines = linecache.getlines(code.co_filename)
    if len(known) < 4 or not known[1] <= len(lines):
        return ""
    first, last, start, end = known
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
        return _OPERATOR_SYMBOLS.get(type(tree.ops[0]), "")
    return _OPERATOR_SYMBOLS.get(type(tree.op), "") if isinstance(tree, ast.BinOp) else ast.unparse(tree)[:30]
