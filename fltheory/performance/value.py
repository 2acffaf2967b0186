"""The value of a program, between one that an instance attains and one that multipliers prove; both are exact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat

from fltheory.number.linear import is_semidefinite, nearby_solution
from fltheory.performance.points import rational
from fltheory.performance.program import Program
from fltheory.problems.interpolated.evaluated import to_python_fraction
from fltheory.worst_case.certificate import Certificate, round_to_certificate, why_invalid
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
from fltheory.worst_case.gram import Value, as_float
from fltheory.worst_case.lower_bounds import evaluate_expression, gram_factor, rational_matrix
from fltheory.worst_case.problem.labels import FREE_SIGN_KINDS, MATRIX_KINDS, Label
from fltheory.worst_case.solver import Proposal, SolverStuck, SolverTable, Unsolved, make_table, propose
from fltheory.worst_case.symmetry_reduction import WholeFrame

MARGINS = (1e-9, 4e-9, 1e-8, 4e-8, 1e-7, 1e-6, 1e-5)  # margins to the constraints
PARTS = (1e-4, 1e-3, 1e-2, 0.1, 1.0)  # of the way to a solution with a margin
NEAR = 1e-8  # relative distance of both sides that is not narrowed
SLACK = 1e-7  # a limit this near to 0 counts as active


@dataclass(frozen=True)
class Solution:
    """A solution of a program: the exact Gram matrix of its vectors, and the unknown values."""

    gram: tuple[tuple[Fraction, ...], ...] = field(repr=False)
    values: Mapping[Value, Fraction] = field(repr=False)
    objective: Fraction


@dataclass(frozen=True)
class WorstValue:
    """The worst value lies between ``lower``, which ``solution`` attains, and ``upper``, which ``multipliers`` prove.

    ``lower`` is None where none was found; ``only_upper`` says why there can be none.
    """

    program: Program = field(repr=False)
    lower: Fraction | None
    upper: Fraction | None
    multipliers: tuple[tuple[Label, Fraction], ...] = field(repr=False)
    solution: Solution | None = field(repr=False)

    @property
    def only_upper(self) -> str | None:
        """Return why a solution of the program need not be an instance, or None."""
        return self.program.only_upper

    @property
    def value(self) -> Fraction | None:
        """Return the worst value where it is known exactly, else None."""
        return self.upper if self.upper == self.lower else None

    def compared(self, bound: object) -> str:
        """Return "holds", "violated" or "open" for a bound on the worst value; exact."""
        return _compared(self, bound)

    def __str__(self) -> str:
        low, high = ("?" if end is None else f"{float(end):.9g}" for end in (self.lower, self.upper))
        if self.value is not None:
            return (
                f"exactly {self.value}, attained and proved"
                if len(str(self.value)) < 40
                else f"{high}, attained and proved"
            )
        if self.only_upper:
            return f"at most {high} (proved); {self.only_upper}"
        return f"between {low} (attained) and {high} (proved)"


def _compared(found: WorstValue, bound: object) -> str:
    limit = Fraction(str(bound)) if isinstance(bound, str) else to_python_fraction(rational(bound))
    if found.upper is not None and found.upper <= limit:
        return "holds"
    return "violated" if found.lower is not None and found.lower > limit else "open"


def worst_value(program: Program) -> WorstValue:
    """Return the limits of a program's value; ValueError if a solver finds none."""
    frame = WholeFrame(program)
    table = make_table(program, frame)
    try:
        proposal = propose(table, 0.0)
    except SolverStuck:
        proposal = None
    except Unsolved:
        raise ValueError(
            "the worst value has no limit, or no instance meets the conditions: add what limits the start, such as "
            "problem.require((x - best)**2 <= 1), or check that the conditions do not contradict each other"
        ) from None
    both = Sides(None, None)
    if proposal is not None and len(frame.labels) <= MOST_LIMITS:
        both = _at_the_face(program, frame, proposal)
    if both.certificate is None or (both.solution is None and program.only_upper is None):
        both = _rounded(program, frame, table, proposal, both)
    certificate, solution = both.certificate, both.solution
    return WorstValue(
        program,
        None if solution is None else solution.objective,
        None if certificate is None else to_python_fraction(certificate.upper),
        () if certificate is None else tuple((label, to_python_fraction(c)) for label, c in certificate.multipliers),
        solution,
    )


def why_not_proved(found: WorstValue) -> str | None:
    """Return why the multipliers do not prove the upper value, or None; exact, without a solver."""
    if found.upper is None:
        return "there is no upper value"
    multipliers = tuple((label, fmpq(c.numerator, c.denominator)) for label, c in found.multipliers)
    upper = fmpq(found.upper.numerator, found.upper.denominator)
    return why_invalid(found.program, Certificate(upper, multipliers), WholeFrame(found.program))


def _rounded(program: Program, frame: WholeFrame, table: SolverTable, base: Proposal | None, both: Sides) -> Sides:
    """Return both sides, those that are missing rounded: near the solver's solution, a little towards one with margins."""
    for room in MARGINS:
        if both.near(base):
            break
        try:
            inside = propose(table, room)
        except SolverStuck:
            continue
        except Unsolved:
            break
        for part in PARTS if base is not None else (1.0,):
            proposal = inside if base is None or part == 1 else base.towards(inside, part)
            found = round_to_certificate(program, frame, proposal)
            solution = None if program.only_upper else _solution_near(program, frame, proposal, room * part)
            both = both.better(Sides(found, solution))
    return both


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

    def near(self, base: Proposal | None) -> bool:
        """Return whether both are as near as a solver's numbers allow."""
        if self.certificate is None or self.solution is None or base is None:
            return False
        apart = float(to_python_fraction(self.certificate.upper) - self.solution.objective)
        return apart <= NEAR * max(abs(base.value), abs(float(self.solution.objective)))


def _at_the_face(program: Program, frame: WholeFrame, proposal: Proposal) -> Sides:
    """Return both sides at the value itself, where its multipliers are recognised as rationals."""
    if any(label[0] in MATRIX_KINDS for label in frame.labels):
        return Sides(None, None)
    for least in ACTIVE:
        face = find_face(program, frame, proposal, least)
        if face is None or face.unknowns > MOST_UNKNOWNS:
            break
        face = refined(program, face)
        vectors = rational_vectors(face)
        certificate = None if vectors is None else certificate_of(program, face, vectors)
        if vectors is not None and certificate is not None:
            solutions = (_solution_on(program, one, vectors) for one in (face, _with_active(program, face, proposal)))
            return Sides(certificate, None if program.only_upper else next(filter(None, solutions), None))
    return Sides(None, None)


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


def _solution_near(program: Program, frame: WholeFrame, proposal: Proposal, room: float) -> Solution | None:
    """Return the solution near a proposed Gram matrix, moved on to the equations; None if rounding fails."""
    values = {name: _round(proposal.values.get(name, 0.0)) for name in program.values}
    vectors = rational_matrix(gram_factor(frame.gram(proposal.blocks), proposal.units))
    gram = vectors * vectors.transpose()
    equations = [program.limit(label) for label in program.labels() if is_equation(label)]
    if not equations:
        return solution_at(program, gram, values)
    pairs = [(i, j) for i in frame.kept for j in frame.kept if i <= j]
    names = list(values)
    place = {key: k for k, key in enumerate([*pairs, *names])}
    lifted = room * float(np.trace(frame.gram(proposal.blocks)))
    near = [gram[i, j] + (_round(lifted) if i == j else 0) for i, j in pairs] + [values[name] for name in names]
    rows = []
    for one in equations:
        own = {place[pair]: c for pair, c in one.products.items() if pair in place}
        rows.append({**own, **{place[name]: c for name, c in one.values.items()}})
    exact = nearby_solution(near, rows, [-one.constant for one in equations])
    if exact is None:
        return None
    moved = fmpq_mat(program.size, program.size)
    for (i, j), c in zip(pairs, exact, strict=False):
        moved[i, j] = moved[j, i] = c
    return solution_at(program, moved, dict(zip(names, exact[len(pairs) :], strict=True)))


def is_equation(label: Label) -> bool:
    """Return whether a limit is an equation."""
    return label[0] in FREE_SIGN_KINDS and label[0] not in MATRIX_KINDS


def solution_at(program: Program, gram: fmpq_mat, values: Mapping[Value, fmpq]) -> Solution | None:
    """Return the solution with this Gram matrix and these values if it meets every limit, else None; exact."""
    size = gram.nrows()
    rows = [[gram[i, j] for j in range(size)] for i in range(size)]
    if not is_semidefinite(rows):
        return None
    whole = {name: values.get(name, fmpq(0)) for name in program.values}
    matrices: dict[Label, dict[tuple[int, int], fmpq]] = {}
    for label in program.labels():
        found = evaluate_expression(program.limit(label), gram, whole)
        if label[0] in MATRIX_KINDS:
            kind, m, a, b = label
            matrices.setdefault((kind, m), {})[int(str(a)), int(str(b))] = -found if a == b else -found / 2
        elif found > 0 or (found != 0 and is_equation(label)):
            return None
    if not all(is_semidefinite(_filled(entries)) for entries in matrices.values()):
        return None
    objective = to_python_fraction(evaluate_expression(program.objective, gram, whole))
    exact = tuple(tuple(to_python_fraction(c) for c in row) for row in rows)
    return Solution(exact, {name: to_python_fraction(v) for name, v in whole.items()}, objective)


def _filled(entries: Mapping[tuple[int, int], fmpq]) -> list[list[fmpq]]:
    places = sorted({a for pair in entries for a in pair})
    return [[entries.get((min(a, b), max(a, b)), fmpq(0)) for b in places] for a in places]


def _round(number: float) -> fmpq:
    return fmpq(round(number * 10**12), 10**12)
