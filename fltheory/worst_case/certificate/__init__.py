"""Dual certificates: multipliers that prove a limit for every function of a class, checked in rationals alone."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass

from flint import fmpq

from fltheory.number.linear import is_semidefinite, nearby_solution
from fltheory.worst_case.gram import combine_expressions, constant
from fltheory.worst_case.problem import FREE_SIGN_KINDS, MATRIX_KINDS, Label
from fltheory.worst_case.problem.program import GramProgram
from fltheory.worst_case.solver import Proposal
from fltheory.worst_case.symmetry_reduction import Frame
from fltheory.worst_case.symmetry_reduction.permutations import Symmetry

DENOMINATOR = 10**12  # denominators of rounded multipliers


@dataclass(frozen=True)
class Certificate:
    """A proof of objective <= upper: upper - objective + sum multiplier * limit is a nonnegative quadratic form.

    If clients may be exchanged, a multiplier belongs to the mean of all limits in the orbit of its label.
    """

    upper: fmpq
    multipliers: tuple[tuple[Label, fmpq], ...]


def why_invalid(problem: GramProgram, certificate: Certificate, frame: Frame) -> str | None:
    """Return why the certificate does not prove its limit, or None; exact, without a solver.

    In a frame with blocks the form is averaged over the permutations under which the problem is invariant.
    """
    parts = [(fmpq(1), constant(certificate.upper)), (fmpq(-1), problem.objective)]
    for label, multiplier in certificate.multipliers:
        try:
            limit = problem.limit(label)
        except (KeyError, ValueError, IndexError, TypeError):  # of a file that somebody changed
            return f"there is no limit {label}"
        if multiplier < 0 and label[0] not in FREE_SIGN_KINDS:
            return f"the multiplier of {label} is negative"
        parts.append((multiplier, limit))
    bent = next((m for m, matrix in matrix_multipliers(certificate.multipliers) if not is_semidefinite(matrix)), None)
    if bent is not None:
        return f"the multipliers of client {bent} are no nonnegative matrix"
    rest = combine_expressions(*parts)
    left = [name for name, c in frame.values(rest).items() if c != 0]
    if left:
        return f"the value {left[0]} is left over"
    if rest.constant < 0:
        return f"the limit is short by {-rest.constant}"
    proved = all(is_semidefinite(matrix) for matrix in frame.matrices(rest))
    return None if proved else "what is left is no nonnegative quadratic form"


def matrix_multipliers(multipliers: Iterable[tuple[Label, fmpq]]) -> Iterator[tuple[Hashable, list[list[fmpq]]]]:
    """Return the multipliers of quadratic clients as matrices."""
    found: dict[tuple[Hashable, ...], dict[tuple[Hashable, Hashable], fmpq]] = {}
    for label, c in multipliers:
        if label[0] in MATRIX_KINDS:
            *of, a, b = label
            entries = found.setdefault(tuple(of), {})
            entries[a, b] = entries.get((a, b), fmpq(0)) + c
    for (_, m), entries in found.items():
        places = list(dict.fromkeys(place for pair in entries for place in pair))
        zero = fmpq(0)
        yield m, [[entries.get((a, b), entries.get((b, a), zero)) for b in places] for a in places]


def without_symmetry(certificate: Certificate, symmetry: Symmetry) -> Certificate:
    """Return the certificate with a multiplier for every limit, valid without symmetry (in the frame ``WholeFrame``)."""
    found: dict[Label, fmpq] = {}
    for label, multiplier in certificate.multipliers:
        orbit = symmetry.orbit(label)
        for one in orbit:
            found[one] = found.get(one, fmpq(0)) + multiplier / len(orbit)
    return Certificate(certificate.upper, tuple(found.items()))


def round_to_certificate(problem: GramProgram, frame: Frame, proposal: Proposal) -> Certificate | None:
    """Return an exact certificate near the proposed multipliers; None if rounding fails."""
    limits = [problem.limit(label) for label in frame.labels]
    near = [fmpq(round(m * DENOMINATOR), DENOMINATOR) for m in proposal.multipliers.tolist()]
    rows = {name: dict[int, fmpq]() for name in proposal.values}
    for k, limit in enumerate(limits):
        for name, c in frame.values(limit).items():
            rows[name][k] = c
    goal = frame.values(problem.objective)
    exact = nearby_solution(near, list(rows.values()), [goal.get(name, fmpq(0)) for name in rows])
    if exact is None:
        return None
    upper = problem.objective.constant
    for multiplier, limit in zip(exact, limits, strict=True):
        upper -= multiplier * limit.constant
    found = Certificate(upper, tuple((label, c) for label, c in zip(frame.labels, exact, strict=True) if c != 0))
    return found if why_invalid(problem, found, frame) is None else None
