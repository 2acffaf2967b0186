"""How this paper's claims with an exact formula of their own are written down, and what they assume."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import sympy

from fltheory import statement as direct
from fltheory.bound import Dimension
from fltheory.case import Assumption, Case
from fltheory.problems.decomposable import monotone_submodular
from fltheory.runs.measures import ENERGY, DirectMeasure
from fltheory.statement import Family, direct_claim, drawn_from

VALUE = ENERGY  # the unit of the functions' values
SQUARED: Dimension = (sympy.Integer(2), sympy.Integer(0))

claim = partial(direct_claim, "fedcg")
always = partial(claim, mode="surely")  # where nothing is left to chance


def drawn(part: str, name: str, /, **options: Any) -> Family:
    """The strategy ``name`` of ``strategies_<part>``."""
    return drawn_from(f"fltheory.papers.fedcg.data.strategies_{part}", name, options)


def of_case(
    name: str, value: Callable[[Case], Any], dimension: Dimension = VALUE, trivial: sympy.Expr | None = None
) -> DirectMeasure:
    """A rational quantity of the instance and the settings, in units of the functions' values."""
    return direct.of_case(name, value, dimension, trivial)


def of_instance(
    name: str, value: Callable[[Any], Any], dimension: Dimension = VALUE, trivial: sympy.Expr | None = None
) -> DirectMeasure:
    """The same of the instance alone."""
    return direct.of_instance(name, value, dimension, trivial)


def _exactly_known(case: Case) -> str | None:
    instance: Any = case.instance
    found = instance.clients.optimum
    return None if isinstance(found, int | Fraction) else "the optimum is known in a ball only"


SUBMODULAR = (monotone_submodular,)
OPTIMAL = (monotone_submodular, Assumption("the optimum is listed", _exactly_known))
