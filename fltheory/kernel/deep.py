"""Room for terms inside terms: a thread with a stack of its own."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

DEEP, STACK = 20_000, 512 * 2**20  # terms inside terms, and bytes for as many calls
T = TypeVar("T")


def deeply(asked: Callable[[], T]) -> T:
    """What a function returns or raises, called where terms may stand deep inside one another."""
    found: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            found.append(asked())
        except BaseException as error:  # it is raised where it is asked for
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
