"""The multipliers of a statement at numbers, along one parameter: which inequalities a proof needs where."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from flint import fmpq
from sympy import Rational, Symbol

from fltheory.number import exact
from fltheory.proof.language import Defines, Given, Hypothesis, Member, Relation, Theorem
from fltheory.proof.terms import free_symbols, substitute
from fltheory.proving.multipliers.lines import name_of
from fltheory.proving.multipliers.search.dual import INFEASIBLE, numbers_at, solve, solver
from fltheory.proving.multipliers.system import system_of
from fltheory.proving.multipliers.system.reading import read_theorem

ACTIVE = 1e-6  # relative to the largest multiplier: what is less counts as 0


@dataclass(frozen=True)
class Along:
    """Multipliers by inequality at each value of a parameter, in floats; NaN where no combination proves the statement."""

    parameter: Symbol
    values: tuple[Rational, ...]
    multipliers: Mapping[str, tuple[float, ...]]

    @property
    def proved(self) -> tuple[bool, ...]:
        """Whether multipliers exist, at each value."""
        rows = list(self.multipliers.values())
        return tuple(all(not np.isnan(row[k]) for row in rows) for k in range(len(self.values)))


def multipliers_along(theorem: Theorem, parameter: str, values: Iterable[Any], at: Mapping[str, Any]) -> Along:
    """Return multipliers of least sum with which the class inequalities prove a statement, along a parameter.

    Parameters
    ----------
    theorem : Theorem
        Hypotheses and one inequality between numbers; steps are ignored.
    parameter : str
        The name of the parameter that varies.
    values : iterable of numbers
        Its values.
    at : mapping
        The values of all other parameters by name.

    Returns
    -------
    Along
        The multipliers. Those below 1e-6 of the largest are 0.

    Raises
    ------
    ValueError
        If a parameter is unknown, or has no value.
    ImportError
        If the solver, of the extra ``find``, is not installed.
    """
    solver()
    letters = {s.name: s for s in _letters(theorem)}
    unknown = [name for name in (parameter, *at) if name not in letters]
    missing = sorted(set(letters) - {parameter, *at})
    if unknown or missing:
        said = f"no parameter {unknown[0]!r}" if unknown else f"no value for {', '.join(missing)}"
        raise ValueError(f"{theorem.id}: {said}; its parameters are {', '.join(sorted(letters))}")
    points = tuple(_number(v) for v in values)
    fixed = {letters[name]: _number(value) for name, value in at.items()}
    rows = [_at(theorem, {**fixed, letters[parameter]: point}) for point in points]
    names = dict.fromkeys(name for row in rows if row is not None for name in row)
    found = {n: tuple(float("nan") if row is None else row.get(n, 0.0) for row in rows) for n in names}
    return Along(letters[parameter], points, {n: v for n, v in found.items() if np.nanmax(v) > 0})


def _number(value: Any) -> Rational:
    return Rational(str(exact(value)))


def _letters(theorem: Theorem) -> set[Symbol]:
    """Return the parameters of a theorem."""
    terms = [theorem.statement.left, theorem.statement.right]
    for h in theorem.hypotheses:
        if isinstance(h, Given):
            terms += [h.relation.left, h.relation.right]
        elif isinstance(h, Member):
            terms += [Rational(0) + c for c in (h.smooth, h.convex) if c is not None]
        else:
            terms += [h.left, h.right]
    return set[Symbol]().union(*map(free_symbols, terms))


def _at(theorem: Theorem, numbers: Mapping[Symbol, Rational]) -> dict[str, float] | None:
    """Return the multipliers at numbers by inequality; None if there are none."""
    here = replace(
        theorem,
        statement=_relation(theorem.statement, numbers),
        hypotheses=tuple(h for old in theorem.hypotheses if (h := _hypothesis(old, numbers)) is not None),
        steps=(),
    )
    system = system_of(read_theorem(here))
    at_point = numbers_at(system, (fmpq(1),) * max(1, len(system.field.names)))
    some = solve(at_point, system.all)
    if some is None or some.room < INFEASIBLE:
        return None
    least = solve(at_point, system.all, cost=np.ones(len(system.candidates))) or some
    size = max(1.0, float(np.abs(least.weights).max(initial=0.0)))
    named = [(name_of(system, place), float(w)) for place, w in enumerate(least.weights)]
    return {name: (w if abs(w) > ACTIVE * size else 0.0) for name, w in named if name}


def _relation(relation: Relation, numbers: Mapping[Symbol, Rational]) -> Relation:
    left, right = (substitute(side, dict(numbers)) for side in (relation.left, relation.right))
    return Relation(left, relation.op, right, relation.over)


def _hypothesis(h: Hypothesis, numbers: Mapping[Symbol, Rational]) -> Hypothesis | None:
    """Return a hypothesis at numbers; None for one about the parameters alone, which the caller chose."""
    if isinstance(h, Member):
        smooth, convex = (
            None if c is None else substitute(Rational(0) + c, dict(numbers)) for c in (h.smooth, h.convex)
        )
        return replace(h, smooth=smooth, convex=convex)
    if isinstance(h, Defines):
        return replace(h, right=substitute(h.right, dict(numbers)))
    relation = _relation(h.relation, numbers)
    return None if relation.gap.is_number else replace(h, relation=relation)
