"""Is a user's step a pure function, one seed at a time? Only then may it be run once and reasoned about.

The exact engines run a step once and take what it did for the law of every round, and every engine uses the seed axis
for different courses of a run. A step with its own randomness, with memory, or whose seeds look at each other would
make that wrong, so it is refused with a reason.
"""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np

from fltheory import streams
from fltheory.algorithm import Algorithm, RandomOracle, VariantError, checked_step, run_constants
from fltheory.instance import Case
from fltheory.number import to_float

SEEDS = 130
FIRST, LATER = 24, 2  # calls compared when a step is seen for the first time, and for every further case
_known: dict[Any, bool] = {}


def require_pure(algorithm: Algorithm, case: Case) -> None:
    """VariantError if a step without a law of its own, called again on some of the seeds, answers something else."""
    if algorithm.law is not None or algorithm.kernel is not None:
        return  # the library's own
    instance: Any = case.instance
    c = run_constants(case, None)
    repetitions = np.arange(SEEDS)
    start = np.array([to_float(v) for v in instance.start])
    spread = np.stack([streams.uniform(1, repetitions, 0, 0, i) for i in range(len(start))], axis=-1)
    x = start + (spread - 0.5) * (1.0 + np.abs(start))

    def call(rows: np.ndarray) -> np.ndarray:
        return checked_step(algorithm, x[rows].copy(), RandomOracle(instance, 0, repetitions[rows], 0), c, 0)

    whole = call(repetitions)
    times = LATER if algorithm.step in _known else FIRST
    for i in range(times):
        size = (SEEDS, 1, 2, 31)[i % 4]
        rows = np.roll(repetitions[::-1], i)[:size]
        part = call(rows)
        with np.errstate(all="ignore"):
            same = np.isclose(part, whole[rows], rtol=1e-9, atol=1e-12 * np.nanmax(np.abs(whole)), equal_nan=True)
        if not same.all():
            raise VariantError(
                f"{algorithm.name} is not a pure function of each seed's state: called twice on the same state it "
                "answers differently. Draw randomness from the oracle, keep no memory between calls, and let no seed "
                "depend on another"
            )
    with contextlib.suppress(TypeError):  # an unhashable callable is examined afresh every time
        _known[algorithm.step] = True
