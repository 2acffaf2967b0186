"""Comparison of two results as floats."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from fltheory.number import as_number, to_float

RELATIVE_TOLERANCE = 1e-9  # of the larger of the two


def as_float_array(values: ArrayLike) -> np.ndarray:
    """Convert numbers of any kind to floats."""
    found = np.asarray(values)
    if found.dtype != object:
        return found.astype(float)
    return np.array([to_float(as_number(v)) for v in found.flat]).reshape(found.shape)


def answers_agree(one: ArrayLike, two: ArrayLike, size: float = 1.0) -> bool:
    """Return whether two results of at least this size agree, shapes included."""
    a, b = as_float_array(one), as_float_array(two)
    scale = max(np.abs(a).max(initial=0.0), np.abs(b).max(initial=0.0), size)
    return a.shape == b.shape and bool((np.abs(a - b) <= RELATIVE_TOLERANCE * scale).all())
