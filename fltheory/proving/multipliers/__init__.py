"""The search for a proof by multipliers: from class, steps and statement alone to a theorem that the kernel accepts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sympy import Expr, Max

from fltheory.proof.certificates import moved
from fltheory.proof.check import check_theorem
from fltheory.proof.find import find_certificates
from fltheory.proof.language import Given, Theorem
from fltheory.proof.report import Report
from fltheory.proving.multipliers.agents import for_all, read_alike
from fltheory.proving.multipliers.cases import cases_of, joined_cases, maximum_of
from fltheory.proving.multipliers.lines import Complete, completed
from fltheory.proving.multipliers.ranged import Ranged, for_each, read_ranged
from fltheory.proving.multipliers.search.choices import choices
from fltheory.proving.multipliers.search.dual import INFEASIBLE, solver
from fltheory.proving.multipliers.search.faces import FEW, MORE, Grid, orders, small_support, symbolic_face
from fltheory.proving.multipliers.search.sampling import Point, edge_points, far_points, points_in
from fltheory.proving.multipliers.system import System, system_of
from fltheory.proving.multipliers.system.ratios import Ratio
from fltheory.proving.multipliers.system.reading import Reading, Width, read_theorem
from fltheory.work import DEFAULT_WORK, BudgetExhausted, require_work, work_limit

POINTS = 90
MOST_HIDDEN = 4  # proofs whose certificates are not found again, before one of them is taken
MOST_TRIES = 6  # whose region is narrowed
LEAST_FEASIBLE = 0.15  # share of the points at which multipliers exist, if the region may be narrowed
WAYS: tuple[tuple[Width, bool], ...] = (
    ("plain", True),
    ("strongest", True),
    ("strongest", False),
    ("all", True),
    ("all", False),
)  # which inequalities of a class are tried, and whether constants such as a variance are unknown numbers
CANDIDATES = 360  # points among which those with multipliers are sought, if there are some without


@dataclass(frozen=True)
class Found:
    """A completed theorem with certificates that the kernel accepts for all parameters.

    ``region``: the conditions that had to be added, which are hypotheses of the theorem. ``weights``: the multipliers.
    """

    theorem: Theorem
    certificates: Mapping[str, Any]
    region: tuple[Given, ...]
    weights: Mapping[str, Expr]
    lemmas: tuple[Report, ...] = ()  # of what the theorem applies: about one client, if it is about M alike ones


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
    try:
        with work_limit(require_work(work)):
            ranged = read_ranged(theorem)
            return _at_one_place(theorem, narrow) if ranged is None else _at_every_place(ranged)
    except BudgetExhausted:
        return Stuck(f"the work budget of {work} units is used up", {})


def _at_one_place(theorem: Theorem, narrow: bool) -> Found | Stuck:
    largest = maximum_of(theorem)
    return _proved(theorem, narrow) if largest is None else _in_cases(theorem, largest)


def as_lemma(found: Found) -> tuple[Report, ...]:
    """Return the report of a found theorem with the hypotheses that it needs alone, after those of what it applies."""
    needed = tuple(h for h in found.theorem.hypotheses if h.id not in found.theorem.unused)
    lemma = replace(found.theorem, hypotheses=needed, unused=())
    known = {r.theorem.id: r for r in found.lemmas}
    return (*found.lemmas, check_theorem(lemma, moved(lemma, found.certificates), known))


def _at_every_place(ranged: Ranged) -> Found | Stuck:
    """Return the proof of a statement for all indices, by its lemma for one place."""
    found = _at_one_place(ranged.single, narrow=False)
    if isinstance(found, Stuck):
        return found
    known = as_lemma(found)
    theorem = for_each(ranged, known[-1].theorem)
    report = check_theorem(theorem, {}, {r.theorem.id: r for r in known})
    if report.verdict != "PROVED":
        return Stuck(f"the kernel does not accept the statement for all indices: {report}", {})
    return Found(theorem, {}, (), found.weights, known)


def _proved(theorem: Theorem, narrow: bool, word: str = "client") -> Found | Stuck:
    """Return the proof of a statement without maxima; that about M alike clients comes from that about one of them."""
    alike = read_alike(theorem)
    if alike is None:
        return _of_one(theorem, narrow)
    found = _of_one(alike.single, narrow)
    if isinstance(found, Stuck):
        return found
    whole = for_all(alike, found.theorem, found.certificates, word)
    for report in (whole.lemma, whole.report):
        if report.verdict != "PROVED":
            return Stuck(f"the kernel does not accept the sum over the clients: {report}", {})
    return replace(found, theorem=whole.theorem, certificates=whole.certificates, lemmas=(whole.lemma,))


def _of_one(theorem: Theorem, narrow: bool) -> Found | Stuck:
    tries, reasons, hidden = list[Try](), list[Stuck](), list[Complete]()
    for reading in _readings(theorem, narrow):
        for result in _attempts(reading, narrow):
            if isinstance(result, Complete) and is_found_again(result):
                return _found(result)
            if isinstance(result, Complete):
                hidden.append(result)
                if len(hidden) == MOST_HIDDEN:
                    return _found(hidden[0])
            elif isinstance(result, Try):
                tries.append(result)
            else:
                reasons.append(result)
    if hidden:
        return _found(hidden[0])
    narrowed = [r for t in tries[:MOST_TRIES] if isinstance(r := t.narrowed(), Complete)] if narrow else []
    if narrowed:
        return _found(min(narrowed, key=_extent_of_region))
    reasons += [Stuck(t.reason, {}) for t in tries]
    texts = "; ".join(dict.fromkeys(r.reason for r in reasons))
    return Stuck(texts or "no simple multipliers fit", next((r.point for r in reasons if r.point), {}))


def is_found_again(complete: Complete) -> bool:
    """Return whether the certificates are found from the theorem alone, as a file of it has no others."""
    return check_theorem(complete.theorem, find_certificates(complete.theorem, {})).verdict == "PROVED"


def _in_cases(theorem: Theorem, largest: Max) -> Found | Stuck:
    """Return the proof of a statement with a maximum, in one case for each of its two numbers."""
    proofs, weights = list[tuple[Theorem, Mapping[str, Any]]](), dict[str, Expr]()
    lemmas = list[Report]()
    for number, case in enumerate(cases_of(theorem, largest), 1):
        found = _proved(case, narrow=False, word=f"client-{number}")
        if isinstance(found, Stuck):
            return replace(found, reason=f"in case {number}: {found.reason}")
        proofs.append((found.theorem, found.certificates))
        lemmas += found.lemmas
        weights |= {f"case {number}, {name}": weight for name, weight in found.weights.items()}
    joined = joined_cases(theorem, largest, proofs, {r.theorem.id: r for r in lemmas})
    return Stuck(joined, {}) if isinstance(joined, str) else Found(*joined, (), weights, tuple(lemmas))


def _found(complete: Complete) -> Found:
    return Found(complete.theorem, complete.certificates, complete.book.region, complete.weights)


def _extent_of_region(complete: Complete) -> tuple[int, int]:
    """Return how many conditions were added, and how long they are."""
    region = complete.book.region
    return len(region), sum(len(str(g.relation.gap)) for g in region)


@dataclass(frozen=True)
class Try:
    """Multipliers as functions of the parameters, which fit at the points, and why their proof failed as yet."""

    system: System
    weights: Mapping[int, Ratio]
    points: tuple[Point, ...]
    reason: str = ""

    def narrowed(self) -> Complete | str:
        """Return the complete theorem with as few conditions as are found to suffice, or why it is not proved."""
        found = completed(self.system, self.weights, self.points, may_narrow=True)
        if isinstance(found, Complete):
            for given in found.book.region:
                rest = tuple(g for g in found.book.region if g != given)
                fewer = completed(self.system, self.weights, self.points, False, rest)
                found = fewer if isinstance(fewer, Complete) else found
        return found


def _readings(theorem: Theorem, narrow: bool) -> Iterator[Reading]:
    """Yield readings of a theorem, each with other candidates or parameters: those with simple multipliers first.

    A region that may be narrowed is sought with the strongest inequalities and all conditions.
    """
    seen = list[tuple[list[Any], tuple[Expr, ...]]]()
    for width, apart in [way for way in WAYS if not (narrow and way[1])]:
        reading = read_theorem(theorem, width, apart)
        key = ([c.source for c in reading.candidates], reading.parameters)
        if key not in seen:
            seen.append(key)
            yield reading


def _attempts(reading: Reading, narrow: bool) -> Iterator[Complete | Try | Stuck]:
    """Yield what came of each support and choice of multipliers."""
    try:
        system = system_of(reading)
    except ValueError as error:
        yield Stuck(f"a coefficient is no rational function of the parameters: {error}", {})
        return
    grid = Grid(system, tuple(points_in(system.field.names, system.positive, POINTS)))
    points = grid.defined(grid.points)
    if not points:
        yield Stuck("no point was found at which the conditions hold with room", {})
        return
    some = points[:MORE]
    feasible = [p for p in some if grid.feasible(system.all, p, INFEASIBLE)]
    missed = [p for p in some if p not in feasible]
    if missed and (not narrow or len(feasible) < LEAST_FEASIBLE * len(some)):
        yield Stuck("no combination of the inequalities gives the statement", _named(system, missed[0]))
        return
    far = far_points(system.field.names, system.positive, MORE)
    far = grid.defined([*far, *edge_points(system.bounds, points, MORE)])
    if missed:
        points = grid.defined(points_in(system.field.names, system.positive, CANDIDATES))
        share = len(feasible) / len(some)
        wanted = points[: min(CANDIDATES, int(POINTS / share))]
        feasible, far = ([p for p in group if grid.feasible(system.all, p, INFEASIBLE)] for group in (wanted, far))
    yield from _on_supports(grid, feasible if missed else points, far, missed)


def _on_supports(
    grid: Grid, points: list[Point], far: list[Point], missed: list[Point]
) -> Iterator[Complete | Try | Stuck]:
    seen = set[tuple[int, ...]]()
    for order in orders(grid, points):
        support = small_support(grid, points, order)
        if support in seen:
            continue
        seen.add(support)
        face = symbolic_face(grid, support, points)
        if isinstance(face, str):
            yield Stuck(face, {})
            continue
        for values in choices(grid.system, face, [*points[:FEW], *far], points):
            one = Try(grid.system, dict(zip(support, values, strict=True)), (*points[:MORE], *far))
            result = completed(one.system, one.weights, (*one.points, *missed), may_narrow=False)
            yield result if isinstance(result, Complete) else replace(one, reason=result)


def _named(system: System, point: Point) -> dict[str, str]:
    """Return the values of all parameters at a point."""
    names = {str(n): str(v) for n, v in zip(system.field.names, point, strict=False)}
    return names | {str(n): "1" for n in system.units.ones}


__all__ = ["Found", "Stuck", "as_lemma", "prove_by_multipliers"]
