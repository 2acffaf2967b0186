"""How the claims with an exact formula of their own are written down, and where families of cases are drawn from."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from typing import Any

from fltheory.bound import Bound, Dimension
from fltheory.claim import Claim
from fltheory.instance import Assumption, Case
from fltheory.measure import NUMBER, DirectMeasure
from fltheory.papers.osmd.bounded_gradients import BoundedClients

Family = Callable[[], Any]
LATE = "At M = 100, α = 0.4 the bound says something only from T = {} rounds on."  # see vacuity.sentence
BELOW_G = "At M = 100, K = 1, α = 0.4, D^F L = G², no noise, no heterogeneity the bound says something only from T = {} rounds on."


def claim(
    name: str,
    statement: str,
    bounds: Bound | tuple[Bound, ...],
    measure: DirectMeasure,
    cases: tuple[Case, ...],
    family: Family,
    assumptions: tuple[Assumption, ...] = (),
    **more: Any,
) -> Claim:
    """A statement whose measured quantity has an exact formula."""
    found = (bounds,) if isinstance(bounds, Bound) else bounds
    return Claim(
        f"osmd/{name}@{found[0].source.reading}", statement, found, measure, None, assumptions,
        cases=cases, family=family, **{"kind": "lemma", **more},
    )  # fmt: skip


def drawn(part: str, name: str, /, **options: Any) -> Family:
    """The strategy ``name`` of ``strategies_<part>``, imported when it is first drawn from."""

    def build() -> Any:
        return getattr(import_module(f"fltheory.papers.osmd.strategies_{part}"), name)(**options)

    return build


def of_instance(name: str, value: Callable[[Any], Fraction | int], dimension: Dimension = NUMBER) -> DirectMeasure:
    """A rational quantity of the instance alone."""
    return DirectMeasure(name, lambda case, ring: ring.scalar(value(case.instance)), dimension)


def _bounded(case: Case) -> str | None:
    return None if isinstance(case.instance, BoundedClients) else "no clients with known bounds of their gradients"


SMOOTH_BOUNDED = (Assumption("smooth clients with bounded stochastic gradients", _bounded),)


def _own(case: Case) -> str | None:
    return f"settings {dict(case.settings)} beside an instance that has them all" if case.settings else None


OWN_CONSTANTS = (Assumption("the constants are the instance's own", _own),)
