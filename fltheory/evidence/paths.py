"""Evidence from every simulated path, with a float error budget."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fltheory.case import Case
from fltheory.evidence import Interval, Measured, drawn, float_error, simulate
from fltheory.number import to_float
from fltheory.runs.algorithm import VariantError


def pathwise(measure: Any, algorithm: Any, case: Case, seed: int = 0, n: int = 1_000) -> Measured:
    """The largest value over simulated paths (one where all are the same), with a relative float error budget of 1e-9."""
    n = n if drawn(measure, case) else 1
    own = getattr(measure, "simulate", None)
    values = own(algorithm, case, seed, np.arange(n)) if own else simulate(measure, algorithm, case, n, seed)
    if n == 1 and own and not algorithm.own and (own(algorithm, case, seed, np.arange(n)) != values).any():
        raise VariantError(
            f"{algorithm.name} plays the same game differently when it is asked again: it keeps a memory or draws"
        )
    worst = float(values.max())
    if math.isnan(worst):
        raise VariantError(f"{algorithm.name}: the measure of a run is NaN")
    trivial = measure.trivial(case) if own else None  # a difference of terms of this size
    budget = 1e-9 * max(abs(worst), to_float(trivial) if trivial is not None else 0.0) + float_error(measure, case)
    return Measured(Interval(worst - budget, worst + budget), "pathwise", 0.0, n)
