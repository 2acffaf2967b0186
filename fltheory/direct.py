"""How claims with an exact formula of their own are written down, and where families of cases are drawn from."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import sympy

from fltheory.bound import Bound, Dimension
from fltheory.case import Assumption, Case
from fltheory.claim import Claim
from fltheory.number import as_number
from fltheory.runs.measures import NUMBER, DirectMeasure, value_of

Family = Callable[[], Any]


def direct_claim(
    paper: str,
    name: str,
    statement: str,
    bounds: Bound | tuple[Bound, ...],
    measure: DirectMeasure,
    cases: tuple[Case, ...],
    family: Family,
    assumptions: tuple[Assumption, ...] = (),
    **more: Any,
) -> Claim:
    """A paper's statement whose measured quantity has an exact formula; its reading is that of the first bound."""
    found = (bounds,) if isinstance(bounds, Bound) else bounds
    return Claim.recorded(
        f"{paper}/{name}@{found[0].source.reading}",
        statement,
        found,
        measure,
        None,
        assumptions,
        cases=cases,
        family=family,
        **{"kind": "lemma", **more},
    )


def drawn_from(module: str, name: str, options: dict[str, Any]) -> Family:
    """A strategy of a module, imported when it is first drawn from."""

    def build() -> Any:
        return getattr(import_module(module), name)(**options)

    return build


def of_case(
    name: str, value: Callable[[Case], Any], dimension: Dimension = NUMBER, trivial: sympy.Expr | None = None
) -> DirectMeasure:
    """A rational quantity of the instance and the settings; ``trivial``: what it never exceeds, in the case's constants."""
    above = None if trivial is None else lambda case: value_of(trivial, case)
    return DirectMeasure(name, lambda case, ring: ring.scalar(as_number(value(case))), dimension, above)


def of_instance(
    name: str, value: Callable[[Any], Any], dimension: Dimension = NUMBER, trivial: sympy.Expr | None = None
) -> DirectMeasure:
    """The same of the instance alone."""
    return of_case(name, lambda case: value(case.instance), dimension, trivial)
