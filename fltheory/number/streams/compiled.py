"""Numba's decorators with a cache on disk if one is writable; otherwise every process compiles.

    @njit(nogil=True)
    def kernel(x): ...

Options are numba's own, except ``cache``: without a writable cache folder (a read-only installation without a home)
numba raises an error, whereas compiling again only costs seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

Decorator = Callable[[Callable[..., Any]], Any]


def njit(**options: Any) -> Decorator:
    """Decorate with ``numba.njit``, with a cache if possible."""
    return _compile_cached(numba.njit, (), options)


def vectorize(*signatures: Any, **options: Any) -> Decorator:
    """Decorate with ``numba.vectorize``, with a cache if possible."""
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
