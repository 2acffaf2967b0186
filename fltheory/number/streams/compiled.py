"""Compiled kernels: numba's decorators, the result kept on disk where a disk can be written, else compiled in each process.

    @njit(nogil=True)
    def kernel(x): ...

Options are numba's own. ``cache`` is none of them: where no folder of a cache can be written (a read-only installation without a
home) numba refuses to decorate at all, and a kernel that is compiled anew is slower by seconds and says the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

Decorator = Callable[[Callable[..., Any]], Any]


def njit(**options: Any) -> Decorator:
    """``numba.njit`` with a cache where there can be one."""
    return _compile_cached(numba.njit, (), options)


def vectorize(*signatures: Any, **options: Any) -> Decorator:
    """``numba.vectorize`` with a cache where there can be one."""
    return _compile_cached(numba.vectorize, signatures, options)


def _compile_cached(compile_by: Callable[..., Any], signatures: tuple[Any, ...], options: dict[str, Any]) -> Decorator:
    def decorated(function: Callable[..., Any]) -> Any:
        try:
            return compile_by(*signatures, cache=True, **options)(function)
        except RuntimeError as error:
            if "cannot cache function" not in str(error):
                raise
            return compile_by(*signatures, **options)(function)

    return decorated
