"""Both sides of a program's value: a certificate of an upper one and a solution that attains a lower one.

A solver's numbers are recognised as rationals on the optimal face, or rounded where there is room.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

import numpy as np
from flint import fmpq

from fltheory.performance.solving.program import Program
from fltheory.performance.solving.solutions import Solution, solution_at, solution_near
from fltheory.worst_case.certificate import Certificate, round_to_certificate
from fltheory.worst_case.certificate.face import (
    ACTIVE,
    MOST_LIMITS,
    MOST_UNKNOWNS,
    Face,
    certificate_of,
    find_face,
    instance_of,
    rational_vectors,
    refined,
)
from fltheory.worst_case.gram import as_float
from fltheory.worst_case.problem.labels import MATRIX_KINDS
from fltheory.worst_case.solver import Proposal, SolverStuck, SolverTable, Unsolved, make_table, propose
from fltheory.worst_case.symmetry_reduction import WholeFrame

Side = TypeVar("Side")
MARGINS = (1e-9, 4e-9, 1e-8, 4e-8, 1e-7, 1e-6, 1e-5)  # margins to the constraints
PARTS = (1e-4, 1e-3, 1e-2, 0.1, 1.0)  # of the way to a solution with a margin
NEAR = 5e-7  # relative distance of both sides that is not narrowed
SLACK = 1e-7  # a limit this near to 0 counts as active


class Solved(NamedTuple):
    """A program with a solver's solution without margins, None if it was stuck."""

    program: Program
    frame: WholeFrame
    table: SolverTable
    proposal: Proposal | None


def solved(program: Program) -> Solved:
    """Return the program with a solver's solution; ValueError if it has none."""
    frame = WholeFrame(program)
    table = make_table(program, frame)
    try:
        return Solved(program, frame, table, propose(table, 0.0))
    except SolverStuck:
        return Solved(program, frame, table, None)
    except Unsolved as error:
        if "DualInfeasible" in str(error):
            raise ValueError("no instance meets the conditions: they contradict each other") from None
        raise ValueError(
            "the worst value has no limit: add what limits the start, such as problem.require((x - best)**2 <= 1)"
        ) from None


def rounded(own: Solved, both: Sides) -> Sides:
    """Return both sides, those that are missing rounded: near the solver's solution, a little towards one with margins.

    The least margin that allows it is best.
    """
    program, frame = own.program, own.frame

    def certificate(proposal: Proposal, room: float) -> Certificate | None:
        return round_to_certificate(program, frame, proposal)

    def solution(proposal: Proposal, room: float) -> Solution | None:
        return solution_near(program, frame, proposal, room)

    attained = both.solution
    if attained is None and program.only_upper is None:
        attained = _first_rounded(own, solution, lambda room: (0.0, room))
    return Sides(both.certificate or _first_rounded(own, certificate, lambda room: (room, 0.0)), attained)


def _first_rounded(
    own: Solved, rounding: Callable[[Proposal, float], Side | None], margins: Callable[[float], tuple[float, float]]
) -> Side | None:
    """Return what is rounded at the least margin that allows it."""
    for room in MARGINS:
        try:
            inside = propose(own.table, *margins(room))
        except Unsolved:
            continue
        for part in PARTS if (base := own.proposal) is not None else (1.0,):
            proposal = inside if base is None or part == 1 else base.towards(inside, part)
            if (found := rounding(proposal, room * part)) is not None:
                return found
    return None


@dataclass(frozen=True)
class Sides:
    """A certificate of an upper value and a solution that attains a lower one; None where there is none."""

    certificate: Certificate | None
    solution: Solution | None

    def better(self, other: Sides) -> Sides:
        """Return the better of both on each side."""
        certificates = [one for one in (self.certificate, other.certificate) if one is not None]
        solutions = [one for one in (self.solution, other.solution) if one is not None]
        return Sides(
            min(certificates, key=lambda one: one.upper, default=None),
            max(solutions, key=lambda one: one.objective, default=None),
        )

    def near(self, own: Solved) -> bool:
        """Return whether both are there, and nearly as near as a solver's numbers allow."""
        only_upper, value = own.program.only_upper, None if own.proposal is None else own.proposal.value
        if self.certificate is None or value is None or not (only_upper or self.solution):
            return False
        upper = as_float(self.certificate.upper)
        lower = value if self.solution is None else as_float(self.solution.objective)
        return upper - lower <= NEAR * max(abs(value), 1)


def recognised(own: Solved) -> Sides:
    """Return both sides at the value itself, where its multipliers are recognised as rationals."""
    program, frame, proposal = own.program, own.frame, own.proposal
    if proposal is None or len(frame.labels) > MOST_LIMITS or any(label[0] in MATRIX_KINDS for label in frame.labels):
        return Sides(None, None)
    for least in ACTIVE:
        face = (
            find_face(program, frame, proposal, least) if frame.kept else _linear_face(program, frame, proposal, least)
        )
        if face is None or face.unknowns > MOST_UNKNOWNS:
            break
        face = refined(program, face) if frame.kept else face
        vectors = rational_vectors(face)
        certificate = None if vectors is None else certificate_of(program, face, vectors)
        if vectors is not None and certificate is not None:
            solutions = (_solution_on(program, one, vectors) for one in (face, _with_active(program, face, proposal)))
            return Sides(certificate, None if program.only_upper else next(filter(None, solutions), None))
    return Sides(None, None)


def _linear_face(program: Program, frame: WholeFrame, proposal: Proposal, least: float) -> Face:
    """Return the optimal face of a program without a matrix, which is linear."""
    found = proposal.multipliers
    places = tuple(np.flatnonzero(np.abs(found) > least * np.abs(found).max(initial=0.0)).tolist())
    limits = tuple(program.limit(frame.labels[k]) for k in places)
    names = tuple(dict.fromkeys(n for e in (*limits, program.objective) for n in frame.values(e)))
    values, nothing = np.array([proposal.values.get(name, 0.0) for name in names]), np.zeros((0, 0))
    return Face(frame, limits, places, names, found[list(places)], nothing, (), nothing, values)


def _solution_on(program: Program, face: Face, vectors: list[list[fmpq]]) -> Solution | None:
    found = instance_of(program, face, vectors)
    return None if found is None else solution_at(program, found[0] * found[0].transpose(), found[1])


def _with_active(program: Program, face: Face, proposal: Proposal) -> Face:
    """Return the face with all limits that are active at the solution, also those whose multipliers are 0."""
    frame = face.frame
    gram, places, limits = frame.gram(proposal.blocks) * np.outer(proposal.units, proposal.units), [], []
    for k, label in enumerate(frame.labels):
        limit = program.limit(label)
        found = sum(as_float(c) * gram[i, j] for (i, j), c in limit.products.items()) + as_float(limit.constant)
        found += sum(as_float(c) * proposal.values.get(name, 0.0) for name, c in limit.values.items())
        if abs(found) < SLACK:
            places.append(k)
            limits.append(limit)
    names = tuple(dict.fromkeys(n for e in (*limits, program.objective) for n in frame.values(e)))
    known = dict(zip(face.names, face.values.tolist(), strict=True))
    values = np.array([known.get(name, proposal.values.get(name, 0.0)) for name in names])
    return replace(face, limits=tuple(limits), places=tuple(places), names=names, values=values)
