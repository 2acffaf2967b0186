"""Search among the cases of a family: Hypothesis draws them and maximises a number."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase

from fltheory.model.case import Case


class StopSearch(Exception):
    """Raised by the function that examines the cases, to end the batch early."""


@contextmanager
def without_local_constants() -> Iterator[None]:
    """Make Hypothesis draw the same examples in every program.

    Otherwise some draws are numbers from the source of modules that happen to be loaded, so that another command,
    process or installation would draw other cases.
    """
    from hypothesis.internal.conjecture import providers

    own = getattr(providers, "_get_local_constants", None)
    if own is None:  # versions that do not read sources
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
    # Flaky: Hypothesis runs a case again, after the search has ended
    with without_local_constants(), suppress(StopSearch, hypothesis.errors.Unsatisfiable, hypothesis.errors.Flaky):
        hypothesis.seed(seed)(run)()
