"""The case of a plot, from a user's constants; for an external rate these are the only ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sympy import Symbol

from fltheory.claims.claim import Claim
from fltheory.model.bound import BoundError
from fltheory.model.case import Case, OnlyConstants
from fltheory.number import Number
from fltheory.plotting.sweep import tightest_case
from fltheory.symbols import meaning
from fltheory.verification.settings import at_constants


@dataclass(frozen=True)
class NoInstance(OnlyConstants):
    """A placeholder instance without constants: the settings of the case have all of them."""

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        """Return None."""
        return {}


def case_at_constants(claim: Claim, values: Mapping[Symbol, Number]) -> Case:
    """Return the claim's representative case with these constants; for a claim without cases only the constants.

    ValueError names the missing constants, or the free ones.
    """
    if not claim.cases:
        return _constants_case(claim, values)
    return at_constants(claim, tightest_case(claim), values)


def _constants_case(claim: Claim, values: Mapping[Symbol, Number]) -> Case:
    if claim.measure is not None:
        raise ValueError("it has no case of its own to change: give one in Python, plot(claim, Case(...))")
    case = Case(NoInstance(), **{symbol.name: value for symbol, value in values.items()})
    missing = [s for bound in claim.bounds for s in bound.symbols if s not in _completed_constants(claim, case)]
    if missing:
        lacking = "; ".join(f"{s.name}: {meaning(s).text}, {meaning(s).domain}" for s in dict.fromkeys(missing))
        raise ValueError(f"an external rate is plotted at constants given by --set; missing {lacking}")
    return case


def _completed_constants(claim: Claim, case: Case) -> Mapping[Symbol, Number]:
    """Return the given constants, and those that the claim tunes or defines by them."""
    try:
        return claim.bound.complete(claim.prepared(case).constants)
    except BoundError:
        return case.constants
