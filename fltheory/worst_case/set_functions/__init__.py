"""The worst case of an algorithm over *all* monotone submodular functions on a small ground set, exactly.

An algorithm that decides by comparing linear forms of the unknown f has finitely many courses. For each course the least
achieved value subject to f(O) = 1 is a linear program in the 2^n - 1 values f(S). Multipliers of the inequalities prove a
lower limit for every course, ``why_not_worst`` verifies them without a solver; a table of values shows what is attained.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

from fltheory.worst_case.set_functions.answers import Key, Renaming, SetProblem
from fltheory.worst_case.set_functions.linear_forms import (
    Algorithm,
    AlgorithmRun,
    Form,
    Label,
    Option,
    elementary_inequalities,
    inequality,
    mask_of,
    members,
    replay,
)

Cells = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class PathCertificate:
    """A proof that achieved >= low f(O) on one course; low None: no function with f(O) = 1 takes that course.

    ``strict``: as the answer no to a comparison asks for a form (its place among those of the run) that is positive, and it is
    at most 0 on the course.
    """

    script: tuple[Option, ...]
    low: Fraction | None
    multipliers: tuple[tuple[Label, Fraction], ...]
    strict: int | None = None


@dataclass(frozen=True)
class WorstCase:
    """The least achieved value over all monotone submodular f with f(O) = 1 lies between ``lower`` and ``upper``.

    ``values`` is a function that attains ``upper`` with the answers of ``script``: f(S) at the mask of S; where an answer is a no
    at equality, there are functions as near to it as one likes that take the course.
    """

    n_items: int
    optimum: frozenset[int]
    lower: Fraction
    upper: Fraction
    script: tuple[Option, ...]
    values: tuple[Fraction, ...] = field(repr=False)
    certificates: tuple[PathCertificate, ...] = field(repr=False)
    feasible: tuple[frozenset[int], ...] = field(default=(), repr=False)
    symmetric: bool = False

    @property
    def exact(self) -> bool:
        """Whether both limits agree."""
        return self.lower == self.upper

    @property
    def ratio(self) -> Fraction:
        """The worst ratio of achieved and optimum; ValueError if it is only enclosed."""
        if not self.exact:
            raise ValueError(f"the worst ratio is only known to lie between {self.lower} and {self.upper}")
        return self.upper

    @property
    def dual(self) -> tuple[tuple[Label, Fraction], ...]:
        """The multipliers that prove the lower limit on the worst course."""
        return min((c for c in self.certificates if c.low is not None), key=lambda c: c.low or 0).multipliers


def worst_ratio(
    algorithm: Algorithm,
    n_items: int,
    optimum: Iterable[int],
    *,
    feasible: Iterable[Iterable[int]] = (),
    symmetric: bool = False,
) -> WorstCase:
    """The least f(achieved) / f(O) of the algorithm over all monotone submodular f on n items, ties against it.

    ``feasible``: sets that are no better than O. ``symmetric`` is the caller's word that the algorithm treats the items of
    O alike, and the others too: courses that differ by such names are then followed once. (That is spot-checked; without
    it every course is followed.) ValueError for input that makes no sense, an algorithm that isn't deterministic, or one
    that can lose without limit.
    """
    from fltheory.worst_case.set_functions.linear_program import Proof, attain

    problem = SetProblem.read(n_items, optimum, feasible, symmetric)
    proofs: dict[Key, tuple[AlgorithmRun, Proof, _Quotient]] = {}
    never: dict[Key, PathCertificate] = {}
    for run in problem.runs(algorithm):
        key = problem.key(run)
        if key in proofs or key in never:
            continue
        refused = _infeasibility_proof(problem, run)
        if refused is not None:
            never[key] = refused
        else:
            quotient = _Quotient(problem, run)
            proofs[key] = run, quotient.prove(), quotient
    possible = [(proof.low, *entry) for entry in proofs.values() if (proof := entry[1]).low is not None]
    if not possible:
        raise ValueError("no function with f(O) > 0 takes any course of the algorithm")
    possible.sort(key=lambda entry: entry[0])
    best: tuple[Fraction, AlgorithmRun, tuple[Fraction, ...]] | None = None
    for low, run, proof, quotient in possible:
        if best is not None and best[0] <= low:
            break
        point = attain(quotient.program, proof)
        if point is not None:
            values = quotient.table(point)
            if best is None or run.achieved.at(values) < best[0]:
                best = run.achieved.at(values), run, values
    if best is None:
        raise ArithmeticError("no exact function was found for any course")
    upper, run, values = best
    lower = possible[0][0]
    certificates = (PathCertificate(r.script, p.low, q.lifted(p.multipliers)) for r, p, q in proofs.values())
    kept = (*certificates, *never.values())
    return WorstCase(n_items, problem.optimum, lower, upper, run.script, values, kept, problem.feasible, symmetric)


def _infeasibility_proof(problem: SetProblem, run: AlgorithmRun) -> PathCertificate | None:
    """A proof that some no of the course is wrong for all its functions, as what must be positive is at most 0.

    Where each such form is positive for some function of the course, all are for the mean of these functions, and functions as near
    to any other of the course as one likes: its least achieved value is that of the course with equality.
    """
    from fltheory.worst_case.set_functions.linear_program import Unbounded, attain, prove

    for place, form in enumerate(run.strict):
        quotient = _Quotient(problem, run._replace(achieved=-form))
        try:
            proof = prove(quotient.program)
        except Unbounded:
            continue
        if proof.low is None:  # no function at all takes the course
            return None
        if proof.low >= 0:
            return PathCertificate(run.script, None, quotient.lifted(proof.multipliers), place)
        point = attain(quotient.program, proof)
        if point is None or form.at(quotient.table(point)) <= 0:
            raise ArithmeticError(f"whether a comparison can be answered no could not be decided: course {run.script}")
    return None


def why_not_worst(worst: WorstCase, algorithm: Algorithm) -> str | None:
    """Nothing if both limits are proved for this algorithm, else what is wrong; exact arithmetic, no solver."""
    problem = SetProblem.read(worst.n_items, worst.optimum, worst.feasible, worst.symmetric)
    proved: set[Key] = set()
    for certificate in worst.certificates:
        try:
            run = replay(algorithm, worst.n_items, certificate.script)
        except ValueError as error:
            return f"course {certificate.script}: {error}"
        reason = _why_invalid(problem, run, certificate)
        if reason is not None:
            return f"course {certificate.script}: {reason}"
        if certificate.low is not None and certificate.low < worst.lower:
            return f"course {certificate.script}: only {certificate.low} is proved, less than {worst.lower}"
        proved.add(problem.key(run))
    for run in problem.runs(algorithm):
        if problem.key(run) not in proved:
            return f"course {run.script}: no certificate"
    return _why_unattained(problem, replay(algorithm, worst.n_items, worst.script), worst)


def _why_invalid(problem: SetProblem, run: AlgorithmRun, certificate: PathCertificate) -> str | None:
    """Why the certificate doesn't prove its limit on this course."""
    if run.script != certificate.script:
        return "the algorithm takes another course"
    if certificate.strict is not None:
        if certificate.low is not None or not 0 <= certificate.strict < len(run.strict):
            return "it names no comparison that was answered no"
        left = -run.strict[certificate.strict]
    else:
        left = Form() if certificate.low is None else run.achieved
        left -= Form.of({mask_of(problem.optimum): Fraction(1) if certificate.low is None else certificate.low})
    total: dict[int, Fraction] = dict(left.terms)
    given = problem.given(run)
    for label, y in certificate.multipliers:
        if y < 0:
            return f"the multiplier of {label} is negative"
        try:
            form = given[label] if label in given else inequality(label)
        except ValueError as error:
            return str(error)
        for mask, c in form.terms:
            total[mask] = total.get(mask, Fraction(0)) - y * c
    wrong = [mask for mask, c in total.items() if c]
    return f"the multipliers leave {total[wrong[0]]} f({sorted(members(wrong[0]))})" if wrong else None


def _why_unattained(problem: SetProblem, run: AlgorithmRun, worst: WorstCase) -> str | None:
    """Why the table isn't a function with this course that attains the upper limit."""
    values = worst.values
    if len(values) != 1 << problem.n_items or values[0] != 0:
        return "the table isn't one of 2^n values with f(empty) = 0"
    if run.script != worst.script:
        return "the algorithm takes another course"
    if values[mask_of(problem.optimum)] != 1:
        return "the function isn't 1 at the optimum"
    for label, form in (*elementary_inequalities(problem.n_items), *problem.given(run).items()):
        if form.at(values) < 0:
            return f"the function violates {label}"
    if run.achieved.at(values) != worst.upper:
        return f"the function attains {run.achieved.at(values)}, not {worst.upper}"
    return None


class _Quotient:
    """The linear program of a course with one variable for the sets that its symmetries don't tell apart.

    A function averaged over the symmetries is monotone and submodular again, takes the course and achieves the same.
    """

    def __init__(self, problem: SetProblem, run: AlgorithmRun) -> None:
        from fltheory.worst_case.set_functions.linear_program import Program

        given = problem.given(run)
        cells = _interchangeable(problem, run.achieved, set(given.values()))
        self.variable = _variables(problem.n_items, cells)
        self.labels: list[tuple[Label, ...]] = []  # of the inequalities that a row stands for
        rows: list[dict[int, Fraction]] = []
        for labels, form in (*_elementary_rows(problem.n_items, cells), *_path_rows(given, problem.n_items, cells)):
            row = self._quotient_form(form)
            if row:
                rows.append(row)
                self.labels.append(labels)
        unit = self.variable[mask_of(problem.optimum)]
        self.program = Program(self._quotient_form(run.achieved), tuple(rows), unit, max(self.variable) + 1)

    def prove(self) -> Any:
        """The lower limit of this course, with multipliers of the program's rows."""
        from fltheory.worst_case.set_functions.linear_program import Unbounded, prove

        try:
            return prove(self.program)
        except Unbounded as error:
            raise ValueError("what the algorithm achieves can be negative without limit") from error

    def table(self, point: Sequence[Fraction]) -> tuple[Fraction, ...]:
        """The values of all sets."""
        return (Fraction(0), *(point[v] for v in self.variable[1:]))

    def lifted(self, multipliers: Mapping[int, Fraction]) -> tuple[tuple[Label, Fraction], ...]:
        """The multipliers spread evenly over the inequalities that a row stands for."""
        spread: dict[Label, Fraction] = {}
        for i, y in multipliers.items():
            for label in self.labels[i]:
                spread[label] = y / len(self.labels[i])
        return tuple(spread.items())

    def _quotient_form(self, form: Form) -> dict[int, Fraction]:
        total: dict[int, Fraction] = {}
        for mask, c in form.terms:
            v = self.variable[mask]
            total[v] = total.get(v, Fraction(0)) + c
        return {v: c for v, c in total.items() if c}


@lru_cache(maxsize=64)
def _variables(n_items: int, cells: Cells) -> tuple[int, ...]:
    """The variable of every set: sets with as many items of every cell share one."""
    numbers: dict[tuple[int, ...], int] = {}
    counts = (tuple(sum(mask >> e & 1 for e in cell) for cell in cells) for mask in range(1 << n_items))
    return tuple(numbers.setdefault(c, len(numbers)) for c in counts)


@lru_cache(maxsize=64)
def _elementary_rows(n_items: int, cells: Cells) -> tuple[tuple[tuple[Label, ...], Form], ...]:
    """One elementary inequality of each orbit under swaps within cells, with the labels of the orbit."""
    cell_of = {e: k for k, cell in enumerate(cells) for e in cell}
    variable = _variables(n_items, cells)
    orbits: dict[Any, list[tuple[Label, Form]]] = {}
    for label, form in elementary_inequalities(n_items):
        kind, mask, *items = label
        orbits.setdefault((kind, variable[mask], *sorted(cell_of[e] for e in items)), []).append((label, form))
    return tuple((tuple(label for label, _ in orbit), orbit[0][1]) for orbit in orbits.values())


def _path_rows(given: dict[Label, Form], n_items: int, cells: Cells) -> Iterator[tuple[tuple[Label, ...], Form]]:
    """The same of the inequalities of a course, which the swaps map to one another."""
    swaps = [_swap(n_items, a, b) for cell in cells for a, b in pairwise(cell)]
    left = {form: label for label, form in given.items()}
    while left:
        form = next(iter(left))
        reached, fresh = {form}, {form}
        while fresh:
            fresh = {f.renamed(names) for f in fresh for names in swaps} - reached
            reached |= fresh
        yield tuple(left.pop(f) for f in list(left) if f in reached), form


def _swap(n_items: int, a: int, b: int) -> Renaming:
    names = list(range(n_items))
    names[a], names[b] = b, a
    return tuple(names)


def _interchangeable(problem: SetProblem, achieved: Form, given: set[Form]) -> Cells:
    """Cells of items whose swaps change neither what is achieved nor the set of inequalities, O kept apart."""
    cells: list[list[int]] = []
    for group in problem.classes:
        own: list[list[int]] = []
        for e in group:
            for cell in own:
                names = _swap(problem.n_items, cell[0], e)
                if achieved.renamed(names) == achieved and {f.renamed(names) for f in given} == given:
                    cell.append(e)
                    break
            else:
                own.append([e])
        cells += own
    return tuple(tuple(cell) for cell in cells)
