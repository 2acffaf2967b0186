"""How the claims with an exact formula of their own are written down: one bound, a direct measure, no run."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from fltheory.bound import Bound, Dimension
from fltheory.claim import Claim
from fltheory.instance import Assumption, Case
from fltheory.measure import DirectMeasure

Family = Callable[[], Any]


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
        f"sfl/{name}@{found[0].source.reading}", statement, found, measure, None, assumptions,
        cases=cases, family=family, **{"kind": "lemma", **more},
    )  # fmt: skip


def drawn(name: str, **options: Any) -> Family:
    """A strategy of ``lemma_strategies``, imported when it is first drawn from."""

    def build() -> Any:
        from fltheory.papers.sfl import lemma_strategies

        return getattr(lemma_strategies, name)(**options)

    return build


def of_instance(name: str, value: Callable[[Any], Fraction], dimension: Dimension) -> DirectMeasure:
    """A rational quantity of the instance alone."""
    return DirectMeasure(name, lambda case, ring: ring.scalar(value(case.instance)), dimension)
