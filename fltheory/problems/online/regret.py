"""The regret of points played on a decision set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import sympy
from sympy import Symbol

from fltheory import symbols
from fltheory.model.bound import Dimension
from fltheory.model.case import Case, FederatedInstance, ring_of
from fltheory.model.schema import AsTable, read_table
from fltheory.number import NotRational, Number, Ring, as_number, to_ball, to_float, upper_float
from fltheory.number.mixed import Mixed, to_ring
from fltheory.problems.additive_noise import ring_array
from fltheory.runs.measures import ENERGY, PathMeasure, RunMeasure, evaluate_in_case
from fltheory.runs.method import VariantError
from fltheory.runs.protocols import HasDomain, HasValues

MAX_REGRET = symbols.n_rounds * symbols.gradient_bound * symbols.domain_diameter
OUTSIDE = 1e-9  # distance from the domain, relative to the size of a point, that rounding explains


@runtime_checkable
class HasHindsight(HasDomain, HasValues, Protocol):
    """Losses of rounds on a decision set."""

    @property
    def n_clients(self) -> int:
        """The number of rounds."""

    def least_loss(self, comparators: AsTable = ()) -> Mixed:
        """Return the least total loss of these points, or of all of the domain."""


@runtime_checkable
class HasAnswers(HasDomain, Protocol):
    """Losses that depend on the points played."""

    def regrets(self, states: np.ndarray) -> np.ndarray:
        """Return the regret against the losses as they came, (runs,), from states (runs, R + 1, dim)."""


@dataclass(frozen=True)
class Regret(RunMeasure):
    """E sum over r < R of F_r(x_r) - F_r(u): round r incurs the loss of client r before it is known.

    u is the best point of the decision set in hindsight, or of ``comparators``, a list of points; for clients without a
    decision set it is x*. VariantError for a point that is played outside the domain.
    """

    comparators: AsTable = ()
    name: str = "E Σ F_r(x_r) - F_r(u)"
    dimension: Dimension = ENERGY
    nonnegative = False
    of_any_algorithm = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "comparators", read_table(self.comparators))

    def values(self, states: np.ndarray, case: Case[FederatedInstance]) -> np.ndarray:
        return regrets(states, case, self.comparators)

    def span(self, case: Case) -> tuple[float, float] | None:
        """Return -T G D and T G D: of points of the domain two losses of a round differ by at most G D."""
        most = self.trivial(case)
        return None if most is None else (-upper_float(to_ball(most)), upper_float(to_ball(most)))

    def float_error(self, case: Case) -> float:
        return uncertainty(case, self.comparators)

    def trivial(self, case: Case) -> Number | None:
        """Return T G D."""
        known = symbols.gradient_bound in case.constants and symbols.domain_diameter in case.constants
        return evaluate_in_case(MAX_REGRET, case) if known else None

    def trivial_formula(self) -> sympy.Expr | None:
        return MAX_REGRET


@dataclass(frozen=True)
class PathRegret(PathMeasure):
    """The same on every path, for bounds with ``squared_gradients``, the sum over rounds of |grad F_r(x_r)|^2.

    Such a bound that is not affine in it needs ``mode="surely"`` or ``mode="with probability"``.
    """

    comparators: AsTable = ()
    name: str = "Σ F_r(x_r) - F_r(u)"
    dimension: Dimension = ENERGY
    letters: tuple[Symbol, ...] = (symbols.squared_gradients,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "comparators", read_table(self.comparators))

    def values(self, states: np.ndarray, case: Case[FederatedInstance]) -> np.ndarray:
        return regrets(states, case, self.comparators)

    def read(self, states: np.ndarray, case: Case) -> Mapping[Symbol, np.ndarray]:
        gradients = [case.instance.gradient(states[:, r], r) for r in range(states.shape[1] - 1)]
        return {symbols.squared_gradients: sum((g * g).sum(axis=1) for g in gradients)}

    def uncertainty(self, case: Case) -> float:
        return uncertainty(case, self.comparators)

    def trivial(self, case: Case) -> Number | None:
        """Return T G D."""
        return Regret().trivial(case)

    def trivial_formula(self) -> sympy.Expr | None:
        return MAX_REGRET


def regrets(states: np.ndarray, case: Case[Any], comparators: AsTable = ()) -> np.ndarray:
    """Return the regret of runs (runs, R + 1, dim), (runs, 1): floats, or exact if the states are exact."""
    losses: Any = case.instance
    if isinstance(losses, HasAnswers):
        return _of_answers(losses, states, comparators)
    if not isinstance(losses, HasValues):
        raise VariantError(f"regret needs the values of losses, which {type(losses).__name__} does not have")
    rounds, n = states.shape[1] - 1, case.instance.n_clients
    if rounds > n:
        raise VariantError(f"regret of {rounds} rounds needs a loss for each, but there are {n}")
    paid: Any = sum(losses.client_value(states[:, r], r) for r in range(rounds))
    ring = ring_of(states)
    if isinstance(losses, HasHindsight) and rounds == n:
        for r in range(rounds):
            _require_inside(losses, states[:, r], r)
        return np.asarray((paid - _least(losses, comparators, ring))[:, None])
    if comparators or isinstance(losses, HasDomain):
        raise VariantError(
            f"the best point in hindsight of {rounds} rounds is that of {n} losses of rounds on a domain "
            "(fltheory.problems.OnlineLosses): expected as many rounds as losses"
        )
    clients = case.instance
    compared = states[:, 0] * 0 + ring_array(clients.minimiser, (clients.dim,), ring)
    return np.asarray((paid - sum(losses.client_value(compared, r) for r in range(rounds)))[:, None])


def _of_answers(losses: HasAnswers, states: np.ndarray, comparators: AsTable) -> np.ndarray:
    if comparators:
        raise VariantError("regret against an adversary compares with all points of the set: expected no comparators")
    for r in range(states.shape[1] - 1):
        _require_inside(losses, states[:, r], r)
    return np.asarray(losses.regrets(states)[:, None])


def _least(losses: HasHindsight, comparators: AsTable, ring: Ring | None) -> Any:
    found = _known(losses, comparators)
    return to_float(as_number(found)) if ring is None else to_ring(found, ring)


def _known(losses: HasHindsight, comparators: AsTable) -> Mixed:
    try:
        return losses.least_loss(comparators)
    except ValueError as error:
        raise VariantError(str(error)) from None


def uncertainty(case: Case, comparators: AsTable = ()) -> float:
    """Return the radius of the least loss in hindsight, where that is a ball."""
    if not isinstance(case.instance, HasHindsight):
        return 0.0
    return to_float(to_ball(as_number(_known(case.instance, comparators))).rad())


def _require_inside(losses: HasDomain, x: np.ndarray, r: int) -> None:
    """Raise VariantError if a point is not in the domain: it is not its own projection."""
    try:
        moved = losses.project(x) - x
    except NotRational:  # an irrational projection is another point
        outside = np.ones(len(x), dtype=bool)
    else:
        if x.dtype == object:
            outside = np.array([any(bool(v != 0) for v in row) for row in moved])
        else:
            outside = np.abs(moved).max(axis=1) > OUTSIDE * (1 + np.abs(x).max(axis=1))
    if outside.any():
        point = ", ".join(f"{to_float(v):.6g}" for v in _numbers(x[outside][0]))
        raise VariantError(
            f"({point}), the point of round {r}, is outside the decision set: expected a point of it, as by oracle.project"
        )


def _numbers(row: np.ndarray) -> list[Number]:
    return [as_number(v) if row.dtype == object else float(v) for v in row]
