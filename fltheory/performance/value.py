"""The value of a program, between one that an instance attains and one that multipliers prove; both are exact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat

from fltheory.number.linear import is_semidefinite, nearby_solution
from fltheory.performance.facial import reductions
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
from fltheory.worst_case.gram import Expression, Value, as_float
from fltheory.worst_case.lower_bounds import evaluate_expression, gram_factor, rational_matrix
from fltheory.worst_case.problem.labels import FREE_SIGN_KINDS, MATRIX_KINDS, Label
from fltheory.worst_case.solver import Proposal, SolverStuck, SolverTable, Unsolved, make_table, propose
from fltheory.worst_case.symmetry_reduction import WholeFrame

MARGINS = (1e-9, 4e-9, 1e-8, 4e-8, 1e-7, 1e-6, 1e-5)  # margins to the constraints
PARTS = (1e-4, 1e-3, 1e-2, 0.1, 1.0)  # of the way to a solution with a margin
NEAR = 1e-8  # relative distance of both sides that is not narrowed
LIFTS = (1e-3, 0.03, 1.0)  # added to squares, relative to the margin
SLACK = 1e-7  # a limit this near to 0 counts as active


@dataclass(frozen=True)
class Solution:
    """A solution of a program: the exact Gram matrix of its vectors, and the unknown values."""

    gram: fmpq_mat = field(repr=False)
    values: Mapping[Value, fmpq] = field(repr=False)
    objective: fmpq


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
    both = _sides(program)
    if both.certificate is None:
        found = (_certificate_by(other, program) for other in reductions(program))
        both = replace(both, certificate=next(filter(None, found), None))
    certificate, solution = both.certificate, both.solution
    return WorstValue(
        program,
        None if solution is None else to_python_fraction(solution.objective),
        None if certificate is None else to_python_fraction(certificate.upper),
        () if certificate is None else tuple((label, to_python_fraction(c)) for label, c in certificate.multipliers),
        solution,
    )


def _sides(program: Program) -> Sides:
    """Return a certificate and a solution of a program, exact where they are recognised."""
    frame = WholeFrame(program)
    table = make_table(program, frame)
    proposal: Proposal | None = None
    try:
        proposal = propose(table, 0.0)
    except SolverStuck:
        pass
    except Unsolved:
        raise ValueError(
            "the worst value has no limit, or no instance meets the conditions: add what limits the start, such as "
            "problem.require((x - best)**2 <= 1), or check that the conditions do not contradict each other"
        ) from None
    both = Sides(None, None)
    if proposal is not None and len(frame.labels) <= MOST_LIMITS:
        both = _at_the_face(program, frame, proposal)
    if both.certificate is None or (both.solution is None and not program.only_upper):
        both = _rounded(program, frame, table, proposal, both)
    return both


def _certificate_by(other: Program, program: Program) -> Certificate | None:
    """Return a certificate of the program that was found in another form of it."""
    try:
        found = _sides(replace(other, only_upper="in another basis")).certificate
    except ValueError:
        return None
    return found if found is not None and why_invalid(program, found, WholeFrame(program)) is None else None


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
        for margins in ((room, 0.0), (0.0, room)):
            both = both.better(_near_margins(program, frame, table, base, margins))
    return both


def _near_margins(
    program: Program, frame: WholeFrame, table: SolverTable, base: Proposal | None, margins: tuple[float, float]
) -> Sides:
    """Return a side with a margin for the multipliers, or for the limits."""
    try:
        inside = propose(table, *margins)
    except Unsolved:
        return Sides(None, None)
    found = Sides(None, None)
    for part in PARTS if base is not None else (1.0,):
        proposal = inside if base is None or part == 1 else base.towards(inside, part)
        if margins[0]:
            found = found.better(Sides(round_to_certificate(program, frame, proposal), None))
        elif not program.only_upper:
            found = found.better(Sides(None, _solution_near(program, frame, proposal, margins[1] * part)))
    return found


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
        apart = as_float(self.certificate.upper - self.solution.objective)
        return apart <= NEAR * max(abs(base.value), abs(as_float(self.solution.objective)))


def _at_the_face(program: Program, frame: WholeFrame, proposal: Proposal) -> Sides:
    """Return both sides at the value itself, where its multipliers are recognised as rationals."""
    if any(label[0] in MATRIX_KINDS for label in frame.labels):
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


def _solution_near(program: Program, frame: WholeFrame, proposal: Proposal, room: float) -> Solution | None:
    """Return the solution near a proposed Gram matrix, moved on to the equations; None if rounding fails."""
    values = {name: _round(proposal.values.get(name, 0.0)) for name in program.values}
    vectors = rational_matrix(gram_factor(frame.gram(proposal.blocks), proposal.units))
    gram = vectors * vectors.transpose()
    equations = [program.limit(label) for label in program.labels() if is_equation(label)]
    if not equations and not program.unlimited:
        return solution_at(program, gram, values)
    trace = float(np.trace(frame.gram(proposal.blocks)))
    found = (_lifted(program, frame, gram, values, equations, room * trace * part) for part in LIFTS)
    return next(filter(None, found), None)


def _lifted(
    program: Program,
    frame: WholeFrame,
    gram: fmpq_mat,
    values: Mapping[Value, fmpq],
    equations: Sequence[Expression],
    lift: float,
) -> Solution | None:
    """Return the solution with this added to each square and then moved on to the equations, so that it stays nonnegative."""
    pairs = [(i, j) for i in frame.kept for j in frame.kept if i <= j]
    names = list(values)
    place = {key: k for k, key in enumerate([*pairs, *names])}
    near = [gram[i, j] + (_round(lift) if i == j else 0) for i, j in pairs] + [values[name] for name in names]
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
    """Return the solution with this Gram matrix and these values if it meets every limit, else None; exact.

    Inner products of unlimited vectors are read from the values, and these vectors made long enough.
    """
    whole = {name: values.get(name, fmpq(0)) for name in program.values}
    gram_of_all = _completed(program, gram, whole)
    if gram_of_all is None:
        return None
    size = gram.nrows()
    rows = [[gram_of_all[i, j] for j in range(size)] for i in range(size)]
    if not is_semidefinite(rows):
        return None
    matrices: dict[Label, dict[tuple[int, int], fmpq]] = {}
    for label, limit in program.stated.items():
        found = evaluate_expression(limit, gram_of_all, whole)
        if label[0] in MATRIX_KINDS:
            kind, m, a, b = label
            matrices.setdefault((kind, m), {})[int(str(a)), int(str(b))] = -found if a == b else -found / 2
        elif found > 0 or (found != 0 and is_equation(label)):
            return None
    if not all(is_semidefinite(_filled(entries)) for entries in matrices.values()):
        return None
    return Solution(gram_of_all, whole, evaluate_expression(program.goal, gram_of_all, whole))


def _completed(program: Program, gram: fmpq_mat, values: Mapping[Value, fmpq]) -> fmpq_mat | None:
    """Return the Gram matrix with unlimited vectors of the inner products that the values tell; None if there are none."""
    free = sorted(program.unlimited)
    if not free:
        return gram
    rest = [i for i in range(gram.nrows()) if i not in program.unlimited]
    told = {(i, j): values.get((min(i, j), max(i, j)), fmpq(0)) for i in free for j in range(gram.nrows())}
    inner = fmpq_mat(len(rest), len(rest), [gram[i, j] for i in rest for j in rest])
    weights = _solve(inner, fmpq_mat(len(rest), len(free), [told[b, i] for i in rest for b in free]))
    if weights is None:
        return None
    whole = fmpq_mat(gram)
    for a, b in enumerate(free):
        for i in rest:
            whole[i, b] = whole[b, i] = told[b, i]
        spread = fmpq(0)
        for c, d in enumerate(free):
            if c != a:
                within = sum((weights[k, a] * told[d, i] for k, i in enumerate(rest)), fmpq(0))
                whole[b, d] = told[b, d] if (min(b, d), max(b, d)) in values else within
                spread += abs(whole[b, d] - within)
        whole[b, b] = sum((weights[k, a] * told[b, i] for k, i in enumerate(rest)), fmpq(0)) + spread
    return whole


def _solve(matrix: fmpq_mat, right: fmpq_mat) -> fmpq_mat | None:
    """Return X with matrix X = right; None if there is none."""
    n, columns = matrix.nrows(), right.ncols()
    joined = fmpq_mat(n, n + columns)
    for i in range(n):
        for j in range(n):
            joined[i, j] = matrix[i, j]
        for j in range(columns):
            joined[i, n + j] = right[i, j]
    reduced, rank = joined.rref()
    found = fmpq_mat(n, columns)
    for row in range(rank):
        pivot = next(j for j in range(n + columns) if reduced[row, j] != 0)
        if pivot >= n:
            return None
        for j in range(columns):
            found[pivot, j] = reduced[row, n + j]
    return found


def _filled(entries: Mapping[tuple[int, int], fmpq]) -> list[list[fmpq]]:
    places = sorted({a for pair in entries for a in pair})
    return [[entries.get((min(a, b), max(a, b)), fmpq(0)) for b in places] for a in places]


def _round(number: float) -> fmpq:
    return fmpq(round(number * 10**12), 10**12)
