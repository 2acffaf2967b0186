"""A run followed whole: its worst case over a class of functions, between what is attained and what is proved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from flint import fmpq

from fltheory.evidence.exact import exact_rational
from fltheory.model.case import Case, FederatedInstance
from fltheory.problems.interpolated import InterpolatedClients
from fltheory.problems.interpolated.beside import WithNoisyCoordinate
from fltheory.problems.interpolated.evaluated import to_python_fraction
from fltheory.problems.interpolated.quadratics import MatrixClients
from fltheory.problems.interpolated.sampled import ComponentSamplingClients
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.flat_states import with_row_states
from fltheory.runs.measures import AveragedGap, LastDistance, LastGap
from fltheory.symbols import smoothness
from fltheory.worst_case import certificate as certificates
from fltheory.worst_case.certificate import Certificate, round_to_certificate
from fltheory.worst_case.functions import InterpolationData, MatrixClass, Smooth
from fltheory.worst_case.functions.quadratic import Quadratic
from fltheory.worst_case.gram import basis
from fltheory.worst_case.lower_bounds import WorstInstance, attaining_instance
from fltheory.worst_case.lower_bounds.hessians import quadratic_instance
from fltheory.worst_case.measures import RoundGrowth
from fltheory.worst_case.problem import Problem
from fltheory.worst_case.question import OPTIMUM_SETTINGS, Question, problem_of
from fltheory.worst_case.solver import Proposal, SolverStuck, Unsolved, make_table, propose, require_memory
from fltheory.worst_case.symbolic_run import START_INDEX, OutOfReach, Record
from fltheory.worst_case.symmetry_reduction import MIN_BLOCK_SIZE, Frame, frame

INTERIOR_MARGINS = tuple(4.0**k * 1e-9 for k in range(-1, 10))  # what both sides are kept inside by, little first
UNIT_SCALES = (1.0, 0.1, 0.01)  # of the units that the solver works in
INTERPOLATION_PARTS = (1 / 8, 1 / 4, 1 / 2)  # of the way from a proposal that could not be rounded to the next
MAX_RELATIVE_GAP = Fraction(1, 10**6)  # of the upper end: what is as narrow is not looked for further
FAR_FACTOR, DISTANCE_DENOMINATOR = 20, 1000  # times the root of the height over L; denominators of a distance
ADDITIVE_MEASURES = (LastDistance, LastGap, AveragedGap, RoundGrowth)
N_CURVATURES = 12  # parts of the range of curvatures that noise is tried with
MAX_NOISY_STEPS = 6  # noisy steps of a run whose courses are all replayed


Clients = FederatedInstance


@dataclass(frozen=True)
class Bracket:
    """``lower`` <= the worst case <= ``upper``; None where a side was not found.

    ``certificate`` proves the upper end for every dimension, or ``links`` do, one round each (``chain``). ``case`` is an
    instance with a run that attains the lower one; ``replayed``: the method itself came to it there, on all its courses
    (else these are too many, or too long).
    """

    question: Question
    lower: Fraction | None
    upper: Fraction | None
    certificate: Certificate | None = field(repr=False)
    case: Case[Clients] | None = field(repr=False)
    is_reproduced: bool = False
    links: tuple[Bracket, ...] = field(default=(), repr=False)

    def __str__(self) -> str:
        low = "?" if self.lower is None else f"{float(self.lower):.9g}"
        high = "?" if self.upper is None else f"{float(self.upper):.9g}"
        return f"{self.question}: between {low} (attained) and {high} (proved)"


def bracket_run(asked: Question, attain: bool = True) -> Bracket:
    """Both sides of a question, by a solver, or the proved one alone; what it proposes is checked exactly.

    The attained side is run on the method itself: OutOfReach where that does something else than was followed.
    """
    found = _bracket_run(asked, attain)
    near = Fraction(dict(asked.settings).get("hessian_heterogeneity", 0))
    return _with_hessian_limit(found, near) if attain and near else found


def _with_hessian_limit(found: Bracket, limit: Fraction) -> Bracket:
    """Of clients whose Hessians are so near their mean: what is attained by nearer ones, and proved of any, where that is more."""
    settings, one = dict(found.question.settings), found
    for part in (Fraction(1, 2), Fraction(1, 4), Fraction(1, 8), None):
        if one.lower is not None and one.upper is not None and one.upper - one.lower <= one.upper * MAX_RELATIVE_GAP:
            return one
        limited = {} if part is None else {"hessian_heterogeneity": limit * part}
        rest = {name: value for name, value in settings.items() if name != "hessian_heterogeneity"}
        asked = replace(found.question, settings=tuple(sorted({**rest, **limited}.items())))
        try:
            other = _bracket_run(asked, attain=part is not None)
        except Unsolved:
            continue
        if other.lower is not None and (one.lower is None or other.lower > one.lower):
            one = replace(one, lower=other.lower, case=other.case, is_reproduced=other.is_reproduced)
        if part is None and other.upper is not None and (one.upper is None or other.upper < one.upper):
            one = replace(one, upper=other.upper, certificate=other.certificate)
    return one


def _bracket_run(asked: Question, attain: bool) -> Bracket:
    alike = _record_options(asked) if attain else {}
    problem = problem_of(asked, **alike)
    attainable = attain and not problem.free and not problem.variance
    certificate, instance = _certificate_and_instance(problem, True, attainable and problem.sufficient)
    upper = None if certificate is None else to_python_fraction(certificate.upper)
    if attain and problem.free and ("initial_gap" in dict(asked.settings) or isinstance(asked.measure, RoundGrowth)):
        return _with_near_start(asked, upper, certificate)
    if attain and problem.variance and not problem.free:
        return _noisy_bracket(asked, upper, certificate)
    if attainable and not problem.sufficient:
        problem = problem_of(asked, **{**alike, "tilted": True})
        _, instance = _certificate_and_instance(problem, False, True)
    case = None if instance is None else _case(asked, problem, instance)
    if instance is None or case is None:
        return Bracket(asked, None, upper, certificate, None)
    lower = to_python_fraction(instance.lower)
    return Bracket(asked, lower, upper, certificate, case, _reproduces(asked, case, lower))


def _record_options(asked: Question) -> dict[str, bool]:
    """How a record tells clients that are at their minima at x*, or the same everywhere but for linear functions.

    By limits that are 0; of quadratic clients by any limits everywhere, which other Hessians would not keep far off.
    """
    given = dict(asked.settings)
    alike = 0 in (given.get(name) for name in OPTIMUM_SETTINGS)
    if given.get("n_components", 1) > 1:
        return {"within": given.get("noise_std_at_optimum") != 0, "between": given["n_clients"] == 1 or not alike}
    if given["n_clients"] == 1:
        return {}
    limits = [given.get("max_heterogeneity"), None if given.get("heterogeneity_slope") else given.get("heterogeneity")]
    quadratic = isinstance(asked.functions, Quadratic)
    same = any(limit is not None and (quadratic or limit == 0) for limit in limits)
    same = same or given.get("hessian_heterogeneity") == 0
    return {"tilted": same, "still": alike or 0 in limits}


def _with_near_start(asked: Question, upper: Fraction | None, certificate: Certificate | None) -> Bracket:
    """With a lower end from starts that are not all too far: what is attained there is attained."""
    given, bend = dict(asked.settings), float(asked.functions.constants[smoothness])
    pulls = [float(given[name]) for name in (*OPTIMUM_SETTINGS, "noise_std", "noise_std_at_optimum") if given.get(name)]
    unit = (float(given["initial_gap"]) / bend) ** 0.5 if "initial_gap" in given else max(pulls, default=bend) / bend
    near = ("initial_distance", Fraction(round(FAR_FACTOR * DISTANCE_DENOMINATOR * unit) + 1, DISTANCE_DENOMINATOR))
    try:
        found = _bracket_run(replace(asked, settings=tuple(sorted((*asked.settings, near)))), True)
    except Unsolved:
        return Bracket(asked, None, upper, certificate, None)
    return Bracket(asked, found.lower, upper, certificate, found.case, found.is_reproduced)


def _certificate_and_instance(
    problem: Problem, prove: bool, attain: bool
) -> tuple[Certificate | None, WorstInstance | None]:
    """A certificate and an instance, as far as they are asked for and found."""
    certificate: Certificate | None = None
    instance: WorstInstance | None = None
    told = frame(problem)
    require_memory(told.sizes)  # before anything is tabled
    for scale in UNIT_SCALES:
        for proposal in _proposals(problem, told, scale):
            certificate = certificate or (round_to_certificate(problem, told, proposal) if prove else None)
            instance = instance or (_attaining_instance(problem, told, proposal) if attain else None)
            if (certificate is not None or not prove) and (instance is not None or not attain):
                return certificate, instance
        if certificate is not None or instance is not None:
            break
    return certificate, instance


def _attaining_instance(problem: Problem, told: Frame, proposal: Proposal) -> WorstInstance | None:
    functions = problem.functions
    if isinstance(functions, MatrixClass):
        return quadratic_instance(problem, functions, told, proposal)
    return attaining_instance(problem, told, proposal)


def _proposals(problem: Problem, told: Frame, scale: float) -> Iterator[Proposal]:
    """With more and more room, and between them; Unsolved where the first one is."""
    length, slope = problem.sizes
    table = make_table(replace(problem, sizes=(length * scale, slope * scale)), told)
    before: Proposal | None = None
    for room in INTERIOR_MARGINS:
        try:
            proposal = propose(table, room)
        except SolverStuck:
            continue
        except Unsolved:
            if before is None:
                raise
            return  # with more room there is less
        if before is not None and problem.size <= MIN_BLOCK_SIZE:
            yield from (before.towards(proposal, part) for part in INTERPOLATION_PARTS)
        yield proposal
        before = proposal


def _noisy_bracket(asked: Question, upper: Fraction | None, certificate: Certificate | None) -> Bracket:
    """The lower end where gradients are noisy: what is attained without noise, and noise in a coordinate of its own.

    The step is linear and treats coordinates alike, so that these measures of a sum of functions are sums.
    """
    settings = dict(asked.settings)
    std = settings.pop("noise_std")
    quiet = _bracket_run(replace(asked, settings=tuple(settings.items())), True)
    given = None if quiet.case is None else quiet.case.instance
    functions, known = asked.functions, isinstance(asked.measure, ADDITIVE_MEASURES)
    if not (
        known and isinstance(given, InterpolatedClients | MatrixClients) and isinstance(functions, Smooth | Quadratic)
    ):
        return Bracket(asked, None, upper, certificate, None)
    assert quiet.lower is not None
    part, curvature = max((_noise_value(asked, functions, c, std), c) for c in _curvatures(functions))
    clients = (
        given.beside(curvature, std) if isinstance(given, MatrixClients) else WithNoisyCoordinate(given, curvature, std)
    )
    case = Case[Clients](clients, **asked.of_run)
    lower = quiet.lower + part
    return Bracket(asked, lower, upper, certificate, case, _is_short(asked) and _reproduces(asked, case, lower))


def _curvatures(functions: Smooth | Quadratic) -> list[Fraction]:
    """Some of the class."""
    low, high = map(to_python_fraction, functions.curvatures)
    return [low + (high - low) * Fraction(i, N_CURVATURES) for i in range(N_CURVATURES + 1)]


def _noise_value(asked: Question, functions: Smooth | Quadratic, curvature: Fraction, std: Fraction) -> Fraction:
    """The measure of clients that all are curvature t^2 / 2 and noisy, from their minimum; 0 where it is not known exactly.

    A second coordinate, where nothing moves, has the smoothness of the class.
    """
    n, high = int(dict(asked.settings)["n_clients"]), to_python_fraction(functions.curvatures[1])
    clients = QuadraticClients([(curvature, high)] * n, [(0, 0)] * n, start=(0, 0), noise_std=(std, 0))
    case = Case(clients, **asked.of_run)
    found = exact_rational(asked.measure, with_row_states(asked.method, case), case)
    return Fraction(0) if found is None else Fraction(found.value)


def _is_short(asked: Question) -> bool:
    """Whether each course of a run with noise can be run in rationals."""
    given = dict(asked.settings)
    steps = given["n_rounds"] * given["n_clients"] * given.get("n_local_steps", 1)
    return bool(steps <= MAX_NOISY_STEPS)


def _reproduces(asked: Question, case: Case[Clients], lower: Fraction) -> bool:
    """Whether the method itself was run on these clients; OutOfReach where it comes to another value over all its courses."""
    found = exact_rational(asked.measure, with_row_states(asked.method, case), case)
    if found is not None and found.value != lower:
        raise OutOfReach(
            f"{asked.method.name} comes to {float(found.value):.9g} on clients where its rounds, as they were followed on unknown "
            f"functions, come to {float(lower):.9g}: it does something else there"
        )
    return found is not None


def why_run_unproved(found: Bracket, whatever: bool = False) -> str | None:
    """Why the upper end is not proved, or None: the run is followed anew, the certificate checked in rationals.

    ``whatever``: where its multipliers are to be coefficients, whatever the limits are; those of limits that are 0 may not be.
    """
    if found.certificate is None or found.upper != to_python_fraction(found.certificate.upper):
        return "there is no certificate of this upper end"
    problem = problem_of(found.question)
    refused, alike = (
        certificates.why_invalid(problem, found.certificate, frame(problem)),
        _record_options(found.question),
    )
    if refused is None or whatever:
        return refused
    problem = problem_of(found.question, **alike)
    return certificates.why_invalid(problem, found.certificate, frame(problem))


def _case(asked: Question, problem: Problem, attained_: WorstInstance) -> Case[Clients] | None:
    """The instance as clients that the library's own algorithm can be run on."""
    values, record = dict(attained_.values), problem.record
    if attained_.hessians:
        return _quadratic(asked, record, attained_)
    places, gradients, heights = [], [], []
    for m, indices in enumerate(problem.places[:1] if record.tilted else problem.places):
        data = [problem.point(m, place) for place in indices]
        places.append(tuple(_row(attained_, p.at) for p in data))
        gradients.append(tuple(_row(attained_, p.gradient) for p in data))
        heights.append(tuple(to_python_fraction(values.get(p.value, fmpq(0))) for p in data))
    tilts = [_row(attained_, record.at_optimum(m)) for m in range(record.n_clients)] if record.tilted else ()
    start = _row(attained_, basis(START_INDEX))
    found = InterpolationData(tuple(places), tuple(gradients), tuple(heights), start, tuple(tilts), not record.balanced)
    return _case_of_data(asked, record, found)


def _case_of_data(asked: Question, record: Record, found: InterpolationData) -> Case[Clients] | None:
    """Clients with these data; where these are of functions that clients are the means of, clients of those."""
    clients = asked.functions.clients(found)
    if record.samples > 1 and isinstance(clients, InterpolatedClients | MatrixClients):
        clients = ComponentSamplingClients(clients, record.samples)
    return None if clients is None else Case[Clients](clients, **asked.of_run)


def _quadratic(asked: Question, record: Record, found: WorstInstance) -> Case[Clients] | None:
    """Clients with the Hessians that were found, x* at 0."""
    each = range(record.n_clients)
    slopes = tuple(_row(found, record.at_optimum(m)) for m in each)
    hessians = tuple(found.hessians[0 if record.tilted else m] for m in each)
    return _case_of_data(
        asked, record, InterpolationData((), (), (), _row(found, basis(START_INDEX)), slopes, hessians=hessians)
    )


def _row(found: WorstInstance, vector: Any) -> tuple[Fraction, ...]:
    return tuple(to_python_fraction(v) for v in found.point(vector))
