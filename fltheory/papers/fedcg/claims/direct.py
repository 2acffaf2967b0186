"""How the claims with an exact formula of their own are written down, and where families of cases are drawn from."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from fltheory.bound import Bound
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
        f"fedcg/{name}@{found[0].source.reading}", statement, found, measure, None, assumptions,
        cases=cases, family=family, **{"kind": "lemma", **more},
    )  # fmt: skip


def drawn(part: str, name: str, /, **options: Any) -> Family:
    """The strategy ``name`` of ``strategies_<part>``, imported when it is first drawn from."""

    def build() -> Any:
        return getattr(import_module(f"fltheory.papers.fedcg.strategies_{part}"), name)(**options)

    return build
