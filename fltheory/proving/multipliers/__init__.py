"""The search for a proof by multipliers: from class, steps and statement alone to a theorem that the kernel accepts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sympy import Expr

from fltheory.proof.language import Given, ProofError, Theorem
from fltheory.proving.multipliers.assembly import Complete, completed
from fltheory.proving.multipliers.choices import choices
from fltheory.proving.multipliers.dual import solver
from fltheory.proving.multipliers.faces import MORE, Grid, orders, small_support, symbolic_face
from fltheory.proving.multipliers.reading import read_theorem
from fltheory.proving.multipliers.sampling import Point, points_in
from fltheory.proving.multipliers.system import System, system_of
from fltheory.work import DEFAULT_WORK, BudgetExhausted, require_work, work_limit

POINTS = 90
MOST_INFEASIBLE = 0.5  # share of the points at which no multipliers exist, if the region may be narrowed


@dataclass(frozen=True)
class Found:
    """A completed theorem with certificates that the kernel accepts for all parameters.

    ``region``: the conditions that had to be added, which are hypotheses of the theorem. ``weights``: the multipliers.
    """

    theorem: Theorem
    certificates: Mapping[str, Any]
    region: tuple[Given, ...]
    weights: Mapping[str, Expr]


@dataclass(frozen=True)
class Stuck:
    """Why no proof was found. ``point``: values of the parameters at which no multipliers exist."""

    reason: str
    point: Mapping[str, str]

    def __str__(self) -> str:
        place = ", ".join(f"{name} = {value}" for name, value in self.point.items())
        return self.reason + (f" at {place}" if place else "")


def prove_by_multipliers(theorem: Theorem, work: int = DEFAULT_WORK, narrow: bool = True) -> Found | Stuck:
    """Return a complete proof of a theorem without steps: a sum of inequalities with symbolic multipliers, and squares.

    Parameters
    ----------
    theorem : Theorem
        Hypotheses and a statement, which is one inequality between numbers.
    work : int
        The budget in units that do not depend on the machine (``fltheory.work``).
    narrow : bool
        Whether conditions on the parameters may be added if the statement has no such proof on its whole region.

    Returns
    -------
    Found or Stuck
        The completed theorem with its certificates, or what is missing.

    Raises
    ------
    ImportError
        If the solver, of the extra ``find``, is not installed.
    ProofError
        If the statement is no inequality between numbers.
    """
    solver()
    stuck = Stuck("no multipliers were tried", {})
    try:
        with work_limit(require_work(work)):
            for wide in (False, True):
                found = _attempt(theorem, wide, narrow)
                if isinstance(found, Found):
                    return found
                stuck = found if not wide or found.reason != NOTHING_NEW else stuck
    except BudgetExhausted:
        return Stuck(f"the work budget of {work} units is used up; the last attempt: {stuck.reason}", stuck.point)
    return stuck


NOTHING_NEW = "the class has no further inequalities"


def _attempt(theorem: Theorem, wide: bool, narrow: bool) -> Found | Stuck:
    try:
        reading = read_theorem(theorem, wide)
        if wide and len(reading.candidates) == len(read_theorem(theorem, False).candidates):
            return Stuck(NOTHING_NEW, {})
        system = system_of(reading)
    except ValueError as error:
        if isinstance(error, ProofError):
            raise
        return Stuck(f"a coefficient is no rational function of the parameters: {error}", {})
    points = points_in(system.field.names, system.positive, POINTS)
    if not points:
        return Stuck("no point was found at which the conditions hold with room", {})
    grid = Grid(system, tuple(points))
    feasible = [p for p in points[:MORE] if grid.feasible(system.all, p)]
    missed = [p for p in points[:MORE] if p not in feasible]
    if missed and (not narrow or len(missed) > MOST_INFEASIBLE * len(points[:MORE])):
        return Stuck("no combination of the inequalities gives the statement", _named(system, missed[0]))
    if missed:
        feasible += [p for p in points[MORE:] if grid.feasible(system.all, p)]
    else:
        feasible = points
    reasons = list[str]()
    for result in _tries(grid, feasible, bool(missed)):
        if isinstance(result, Complete):
            return Found(result.theorem, result.certificates, result.book.region, result.weights)
        reasons.append(result)
    return Stuck("; ".join(dict.fromkeys(reasons)) or "no simple multipliers fit", {})


def _tries(grid: Grid, points: list[Point], may_narrow: bool) -> Iterator[Complete | str]:
    """Yield complete theorems, or why an attempt failed, for several supports and multipliers on them."""
    seen = set[tuple[int, ...]]()
    for order in orders(grid, points):
        support = small_support(grid, points, order)
        if support in seen:
            continue
        seen.add(support)
        face = symbolic_face(grid, support, points)
        if isinstance(face, str):
            yield face
            continue
        for values in choices(grid.system, face, points):
            yield completed(grid.system, dict(zip(support, values, strict=True)), points[:MORE], may_narrow)


def _named(system: System, point: Point) -> dict[str, str]:
    return {str(n): str(v) for n, v in zip(system.field.names, point, strict=False)} | {
        str(n): "1" for n in system.units.ones
    }


__all__ = ["Found", "Stuck", "prove_by_multipliers"]
