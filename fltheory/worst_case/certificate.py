"""Multipliers that prove a limit on every function of a class, checked in rationals alone."""

from __future__ import annotations

from dataclasses import dataclass

from flint import fmpq

from fltheory.worst_case.exactly import repaired, semidefinite
from fltheory.worst_case.gram import Expression, constant, total
from fltheory.worst_case.problem import Label, Problem
from fltheory.worst_case.solver import Proposal, kept_of

DIGITS = 10**12  # denominators of rounded multipliers


@dataclass(frozen=True)
class Certificate:
    """objective <= upper: upper - objective + sum multiplier * limit is a nonnegative quadratic form."""

    upper: fmpq
    multipliers: tuple[tuple[Label, fmpq], ...]


def check(problem: Problem, certificate: Certificate) -> str | None:
    """Why the certificate does not prove its limit, or None; exact, without a solver."""
    limits = dict(problem.limits)
    parts = [(fmpq(1), constant(certificate.upper)), (fmpq(-1), problem.objective)]
    for label, multiplier in certificate.multipliers:
        if label not in limits:
            return f"there is no limit {label}"
        if multiplier < 0:
            return f"the multiplier of {label} is negative"
        parts.append((multiplier, limits[label]))
    rest = total(*parts)
    if rest.values:
        return f"the value {next(iter(rest.values))} is left over"
    if rest.constant < 0:
        return f"the limit is short by {-rest.constant}"
    return None if semidefinite(form(rest, kept_of(problem))) else "what is left is no nonnegative quadratic form"


def form(expression: Expression, kept: tuple[int, ...]) -> list[list[fmpq]]:
    """The symmetric matrix of an expression's inner products."""
    place = {index: i for i, index in enumerate(kept)}
    matrix = [[fmpq(0)] * len(kept) for _ in kept]
    for (i, j), c in expression.products.items():
        if i in place and j in place:
            a, b = place[i], place[j]
            if a == b:
                matrix[a][a] += c
            else:
                matrix[a][b] += c / 2
                matrix[b][a] += c / 2
    return matrix


def proved(problem: Problem, proposal: Proposal) -> Certificate | None:
    """A certificate near the proposal's multipliers, made exact; None where rounding fails."""
    exact = _exact(problem, [_rounded(m) for m in proposal.multipliers.tolist()])
    if exact is None or min(exact, default=fmpq(0)) < 0:
        return None
    labels = (label for label, _ in problem.limits)
    found = Certificate(_upper(problem, exact), tuple((x, c) for x, c in zip(labels, exact, strict=True) if c != 0))
    return found if check(problem, found) is None else None


def _rounded(number: float) -> fmpq:
    return fmpq(round(number * DIGITS), DIGITS)


def _exact(problem: Problem, near: list[fmpq]) -> list[fmpq] | None:
    """The multipliers moved so that all values cancel."""
    rows = {name: dict[int, fmpq]() for name in problem.values}
    for k, (_, limit) in enumerate(problem.limits):
        for name, c in limit.values.items():
            rows[name][k] = c
    right = [problem.objective.values.get(name, fmpq(0)) for name in rows]
    return repaired(near, list(rows.values()), right)


def _upper(problem: Problem, multipliers: list[fmpq]) -> fmpq:
    """What the multipliers prove."""
    limits = (limit for _, limit in problem.limits)
    parts = (m * limit.constant for m, limit in zip(multipliers, limits, strict=True) if m != 0)
    return problem.objective.constant - sum(parts, fmpq(0))
