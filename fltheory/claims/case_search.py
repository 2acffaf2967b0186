"""Cases drawn from a family by Hypothesis, steered to where something is large."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase

from fltheory.model.case import Case


class StopSearch(Exception):
    """Raised by what looks at the cases: it ends the batch early."""


@contextmanager
def without_local_constants() -> Iterator[None]:
    """Hypothesis draws what it would draw in any program.

    Else some of its draws are numbers that it reads in the source of modules which happen to be loaded: another command,
    another process or another installation would draw other cases.
    """
    from hypothesis.internal.conjecture import providers

    own = getattr(providers, "_get_local_constants", None)
    if own is None:  # versions that read no sources
        yield
        return
    none = type(providers.GLOBAL_CONSTANTS)()
    providers._get_local_constants = lambda: none
    providers.CONSTANTS_CACHE.cache.clear()
    try:
        yield
    finally:
        providers._get_local_constants = own
        providers.CONSTANTS_CACHE.cache.clear()


def search_cases(family: Any, seed: int, size: int, examine: Callable[[Case], float | None]) -> None:
    """Draw at most ``size`` cases from a strategy, towards those for which ``examine`` returns a large positive number."""

    def look(case: Case) -> None:
        found = examine(case)
        if found is not None and found > 0:
            hypothesis.target(max(-300.0, math.log10(found)))

    given: Any = hypothesis.given(family)
    run: Any = hypothesis.settings(
        max_examples=size,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.target),
        report_multiple_bugs=False,
    )(given(look))
    # Flaky: Hypothesis plays a case again, and by then the search is over
    with without_local_constants(), suppress(StopSearch, hypothesis.errors.Unsatisfiable, hypothesis.errors.Flaky):
        hypothesis.seed(seed)(run)()
