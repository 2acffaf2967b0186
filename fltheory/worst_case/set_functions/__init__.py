"""The exact worst case of an algorithm over *all* monotone submodular functions on a small ground set.

An algorithm that decides by comparing linear forms of the unknown f has finitely many paths. For each path the least
achieved value subject to f(O) = 1 is a linear program in the 2^n - 1 values f(S). Multipliers of the inequalities prove a
lower limit for every path, ``why_not_worst`` verifies them without a solver; a table of values shows what is attained.
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
    """A proof that achieved >= low f(O) on one path; with low None, that no function with f(O) = 1 takes that path.

    ``strict`` is the index of a form of the run that a "no" requires to be positive, though it is at most 0 on the
    """

    script: tuple[Option, ...]
    low: Fraction | None
    multipliers: tuple[tuple[Label, Fraction], ...]
    strict: int | None = None


@dataclass(frozen=True)
class WorstCase:
    """The least achieved value over all monotone submodular f with f(O) = 1 lies between ``lower`` and ``upper``.

    ``values`` is a function that attains ``upper`` with the answers of ``script``: f(S) at the mask of S. If a "no"
    holds with equality, functions arbitrarily near to it take the path.
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
        """Return whether both limits agree."""
        return self.lower == self.upper

    @property
    def ratio(self) -> Fraction:
        """Return the worst ratio of achieved value and optimum; ValueError if only an enclosure is known."""
        if not self.exact:
            raise ValueError(f"the worst ratio is only known to lie between {self.lower} and {self.upper}")
        return self.upper

    @property
    def dual(self) -> tuple[tuple[Label, Fraction], ...]:
        """Return the multipliers that prove the lower limit on the worst path."""
        return min((c for c in self.certificates if c.low is not None), key=lambda c: c.low or 0).multipliers


def worst_ratio(
    algorithm: Algorithm,
    n_items: int,
    optimum: Iterable[int],
    *,
    feasible: Iterable[Iterable[int]] = (),
    symmetric: bool = False,
) -> WorstCase:
    """Return the least f(achieved) / f(O) over all monotone submodular f on n items, with ties against the algorithm.

    ``feasible``: sets that are no better than O. ``symmetric`` asserts that the algorithm treats the items of O alike,
    and likewise the others: of paths that differ only by such names one is followed. (This is spot-checked; otherwise
    every path is followed.) ValueError for invalid input, an algorithm that isn't deterministic, or one whose loss is
    unbounded.
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
    """Return a proof that some "no" of the path is impossible, as a form that must be positive is at most 0.

    If each such form is positive for some function of the path, all are positive for the mean of these functions, and
    functions arbitrarily near to any other: so the least achieved value is that of the path with equality allowed.
    """
    from fltheory.worst_case.set_functions.linear_program import Unbounded, attain, prove

    for place, form in enumerate(run.strict):
        quotient = _Quotient(problem, run._replace(achieved=-form))
        try:
            proof = prove(quotient.program)
        except Unbounded:
            continue
        if proof.low is None:  # no function takes the path
            return None
        if proof.low >= 0:
            return PathCertificate(run.script, None, quotient.lifted(proof.multipliers), place)
        point = attain(quotient.program, proof)
        if point is None or form.at(quotient.table(point)) <= 0:
            raise ArithmeticError(f"whether a comparison can be answered no could not be decided: course {run.script}")
    return None


def why_not_worst(worst: WorstCase, algorithm: Algorithm) -> str | None:
    """Return "" if both limits are proved for this algorithm, else the error; exact arithmetic, no solver."""
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
    """Return why the certificate doesn't prove its limit on this path."""
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
    """Return why the table isn't a function with this path that attains the upper limit."""
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
    """The linear program of a path, with one variable for all sets that its symmetries identify.

    The average of a function over the symmetries is monotone and submodular too, with the same path and value.
    """

    def __init__(self, problem: SetProblem, run: AlgorithmRun) -> None:
        from fltheory.worst_case.set_functions.linear_program import Program

        given = problem.given(run)
        cells = _interchangeable(problem, run.achieved, set(given.values()))
        self.variable = _variables(problem.n_items, cells)
        self.labels: list[tuple[Label, ...]] = []  # number of inequalities that a row represents
        rows: list[dict[int, Fraction]] = []
        for labels, form in (*_elementary_rows(problem.n_items, cells), *_path_rows(given, problem.n_items, cells)):
            row = self._quotient_form(form)
            if row:
                rows.append(row)
                self.labels.append(labels)
        unit = self.variable[mask_of(problem.optimum)]
        self.program = Program(self._quotient_form(run.achieved), tuple(rows), unit, max(self.variable) + 1)

    def prove(self) -> Any:
        """Prove the lower limit of this path, with multipliers of the program's rows."""
        from fltheory.worst_case.set_functions.linear_program import Unbounded, prove

        try:
            return prove(self.program)
        except Unbounded as error:
            raise ValueError("what the algorithm achieves can be negative without limit") from error

    def table(self, point: Sequence[Fraction]) -> tuple[Fraction, ...]:
        """Return the values of all sets."""
        return (Fraction(0), *(point[v] for v in self.variable[1:]))

    def lifted(self, multipliers: Mapping[int, Fraction]) -> tuple[tuple[Label, Fraction], ...]:
        """Return the multipliers, divided evenly among the inequalities that a row represents."""
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
    """Return the variable of every set: sets with equally many items in every cell share one."""
    numbers: dict[tuple[int, ...], int] = {}
    counts = (tuple(sum(mask >> e & 1 for e in cell) for cell in cells) for mask in range(1 << n_items))
    return tuple(numbers.setdefault(c, len(numbers)) for c in counts)


@lru_cache(maxsize=64)
def _elementary_rows(n_items: int, cells: Cells) -> tuple[tuple[tuple[Label, ...], Form], ...]:
    """Return one elementary inequality of each orbit under swaps within cells, with the labels of the orbit."""
    cell_of = {e: k for k, cell in enumerate(cells) for e in cell}
    variable = _variables(n_items, cells)
    orbits: dict[Any, list[tuple[Label, Form]]] = {}
    for label, form in elementary_inequalities(n_items):
        kind, mask, *items = label
        orbits.setdefault((kind, variable[mask], *sorted(cell_of[e] for e in items)), []).append((label, form))
    return tuple((tuple(label for label, _ in orbit), orbit[0][1]) for orbit in orbits.values())


def _path_rows(given: dict[Label, Form], n_items: int, cells: Cells) -> Iterator[tuple[tuple[Label, ...], Form]]:
    """Return one path inequality of each orbit under swaps within cells."""
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
    """Return cells of items whose swaps preserve the achieved value and the set of inequalities, O kept apart."""
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
