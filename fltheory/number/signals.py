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
_active_handlers: list[
    list[BaseSignal]
] = []  # what each user's function that is running has raised, the outermost first


class BaseSignal(BaseException):
    """What stops a user's function on exact numbers; ``place``: the operation and line of the user's file, if known."""

    place = ""

    def __init__(self, *words: object) -> None:
        super().__init__(*words)
        if _active_handlers:
            self.place = _place_of_frames()
            for seen in _active_handlers:
                seen.append(self)


class VariantError(ValueError):
    """An algorithm returned something that no run can go on with, or asked what no step may ask."""


class Signal(BaseSignal, Exception):
    """The same as an error, which the engines handle."""


def call_with_signals(call: Callable[[], Result]) -> Result:
    """What a user's function returns; the first signal it raised on the way, if there was one, whatever it made of it."""
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
    """For the library's own work inside a user's function: signals that it handled itself are none of the user's."""
    lengths = [len(seen) for seen in _active_handlers]
    yield
    for seen, length in zip(_active_handlers, lengths, strict=False):
        del seen[length:]


# Which line it was -----------------------------------------------------------------------------------------------------


def is_user_code(code: CodeType) -> bool:
    """Whether code is a user's: neither the library's nor of anything installed."""
    return not code.co_filename.startswith((*_INSTALLED_PATHS, "<frozen", "<__array"))


def _place_of_frames() -> str:
    """The operation and line of the innermost frame that is a user's, or nothing."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and not is_user_code(frame.f_code):
        frame = (
            None if frame.f_code is call_with_signals.__code__ else frame.f_back
        )  # beyond it stands who asked for the verdict
    return "" if frame is None else _place(frame.f_code, frame.f_lasti, frame.f_lineno)


def place_of(error: BaseException) -> str:
    """The same of an error's traceback: "clip at mine.py:12"."""
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
        return _OPERATOR_SYMBOLS.get(type(tree.ops[0]), "")
    return _OPERATOR_SYMBOLS.get(type(tree.op), "") if isinstance(tree, ast.BinOp) else ast.unparse(tree)[:30]
