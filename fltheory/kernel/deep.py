"""Deeply nested terms: run a function in a thread with a large stack."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

DEEP, STACK = 20_000, 512 * 2**20  # recursion limit, and bytes of stack for as many calls
T = TypeVar("T")


def deeply(asked: Callable[[], T]) -> T:
    """Return what a function returns, or raise what it raises, with a stack large enough for deeply nested terms."""
    found: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            found.append(asked())
        except BaseException as error:  # raised again in the calling thread
            failed.append(error)

    before, size = sys.getrecursionlimit(), threading.stack_size(STACK)
    sys.setrecursionlimit(DEEP)
    try:
        worker = threading.Thread(target=run, daemon=True)
        worker.start()
        worker.join()
    finally:
        sys.setrecursionlimit(before)
        threading.stack_size(size)
    if failed:
        raise failed[0]
    return found[0]
