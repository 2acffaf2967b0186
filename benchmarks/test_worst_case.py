"""What an exact worst case costs as clients and local steps grow: ratios within one run, printed; LARGE=1 for the largest sizes."""

from __future__ import annotations

import os
import time
from dataclasses import replace

from fltheory.papers.sfl.algorithms import parallel, sequential
from fltheory.runs.measures import LastDistance
from fltheory.worst_case.functions import Smooth
from fltheory.worst_case.question import problem_of, question
from fltheory.worst_case.symmetry_reduction import frame
from fltheory.worst_case.two_sided import bracket, why_not_proved

SIZES = ((2, 2), (3, 2), (4, 1), (4, 2), (5, 1))
LARGE = ((2, 16), (3, 8), (4, 4), (5, 2), (6, 1))


def test_find_and_check() -> None:
    """One round of reshuffled clients, then of parallel ones: the proved side, and its check without a solver."""
    apart = replace(parallel, ordered=False)
    sizes = [(sequential, *size) for size in SIZES + (LARGE if os.environ.get("LARGE") else ())]
    first = None
    for method, n_clients, n_local_steps in [*sizes, (apart, 16, 2), (apart, 64, 4)]:
        asked = question(
            method,
            Smooth(1, "1/10"),
            LastDistance(),
            n_clients=n_clients,
            n_local_steps=n_local_steps,
            step_size="1/10",
            initial_distance=1,
            heterogeneity_at_optimum=1,
        )
        began = time.perf_counter()
        found = bracket(asked, attain=False)
        middle = time.perf_counter()
        assert why_not_proved(found) is None
        end = time.perf_counter()
        first = first or middle - began
        problem = problem_of(asked)
        print(
            f"\n{method.name} M={n_clients} K={n_local_steps}: {problem.size} vectors, blocks {frame(problem).sizes}, found in "
            f"{(middle - began) / first:.1f} times the first ({middle - began:.2f} s), checked in "
            f"{(end - middle) / (middle - began):.2f} of that; {float(found.upper or 0):.6f}"
        )
