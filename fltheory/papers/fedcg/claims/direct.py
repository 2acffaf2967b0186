"""How the claims with an exact formula of their own are written down, and where families of cases are drawn from."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from typing import Any

import sympy

from fltheory.bound import Bound, Dimension
from fltheory.claim import Claim
from fltheory.instance import Assumption, Case
from fltheory.measure import ENERGY, DirectMeasure, value_of
from fltheory.number import as_number
from fltheory.problems.decomposable import monotone_submodular

Family = Callable[[], Any]
VALUE = ENERGY  # the unit of the functions' values
SQUARED: Dimension = (sympy.Integer(2), sympy.Integer(0))


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


def always(
    name: str,
    statement: str,
    bounds: Bound | tuple[Bound, ...],
    measure: DirectMeasure,
    cases: tuple[Case, ...],
    family: Family,
    assumptions: tuple[Assumption, ...] = (),
    **more: Any,
) -> Claim:
    """The same where nothing is left to chance."""
    return claim(name, statement, bounds, measure, cases, family, assumptions, mode="surely", **more)


def drawn(part: str, name: str, /, **options: Any) -> Family:
    """The strategy ``name`` of ``strategies_<part>``, imported when it is first drawn from."""

    def build() -> Any:
        return getattr(import_module(f"fltheory.papers.fedcg.strategies_{part}"), name)(**options)

    return build


def of_instance(
    name: str,
    value: Callable[[Any], Any],
    dimension: Dimension = VALUE,
    trivial: sympy.Expr | None = None,
) -> DirectMeasure:
    """A rational quantity of the instance alone; ``trivial``: what it never exceeds, in the case's constants."""
    return of_case(name, lambda case: value(case.instance), dimension, trivial)


def of_case(
    name: str, value: Callable[[Case], Any], dimension: Dimension = VALUE, trivial: sympy.Expr | None = None
) -> DirectMeasure:
    """A rational quantity of the instance and the settings."""
    above = None if trivial is None else lambda case: value_of(trivial, case)
    return DirectMeasure(name, lambda case, ring: ring.scalar(as_number(value(case))), dimension, above)


def _exactly_known(case: Case) -> str | None:
    instance: Any = case.instance
    found = instance.clients.optimum
    return None if isinstance(found, int | Fraction) else "the optimum is known in a ball only"


SUBMODULAR = (monotone_submodular,)
OPTIMAL = (monotone_submodular, Assumption("the optimum is listed", _exactly_known))
