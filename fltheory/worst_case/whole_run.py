"""The worst case of a complete run over a class of functions, between an attained and a proved value."""

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

INTERIOR_MARGINS = tuple(4.0**k * 1e-9 for k in range(-1, 10))  # margins to the constraints
UNIT_SCALES = (1.0, 0.1, 0.01)  # factors on the units of the solver
INTERPOLATION_PARTS = (1 / 8, 1 / 4, 1 / 2)  # fractions of the way from one solution to the next
MAX_RELATIVE_GAP = Fraction(1, 10**6)  # relative to the upper bound: a gap this narrow is not refined
FAR_FACTOR, DISTANCE_DENOMINATOR = 20, 1000  # times the root of the height over L; denominators of a distance
ADDITIVE_MEASURES = (LastDistance, LastGap, AveragedGap, RoundGrowth)
N_CURVATURES = 12  # subdivisions of the range of curvatures to try with noise
MAX_NOISY_STEPS = 6  # noisy steps of a run whose sample paths are all replayed


Clients = FederatedInstance


@dataclass(frozen=True)
class Bracket:
    """Bounds ``lower`` <= the worst case <= ``upper``; None for a bound that was not found.

    ``certificate`` proves the upper bound for every dimension, or ``links`` do, one for each round (``chain``).
    ``case`` is an instance whose run attains the lower bound; ``is_reproduced``: the method itself reached it on all paths
    (otherwise they are too many or too long).
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
        if self.lower is not None and self.lower == self.upper:
            return f"{self.question}: {low}, both attained and proved"
        return f"{self.question}: between {low} (attained) and {high} (proved)"


def bracket_run(asked: Question, attain: bool = True) -> Bracket:
    """Return both bounds, or only the proved one, from a solver whose output is checked exactly.

    The method itself is run on the attained instance; OutOfReach if it behaves otherwise than in the symbolic run.
    """
    found = _bracket_run(asked, attain)
    near = Fraction(dict(asked.settings).get("hessian_heterogeneity", 0))
    return _with_hessian_limit(found, near) if attain and near else found


def _with_hessian_limit(found: Bracket, limit: Fraction) -> Bracket:
    """Return the bounds under a limit on Hessians' distances from their mean, or better ones for other limits."""
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
    alike = record_options(asked) if attain else {}
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
    case = None if instance is None else case_of_instance(asked, problem, instance)
    if instance is None or case is None:
        return Bracket(asked, None, upper, certificate, None)
    lower = to_python_fraction(instance.lower)
    return Bracket(asked, lower, upper, certificate, case, reproduces(asked, case, lower))


def record_options(asked: Question) -> dict[str, bool]:
    """Return the options of a record in which clients share the minimiser x*, or differ only by linear functions.

    Limits equal to 0 mean this; for quadratic clients so does any limit everywhere, else Hessians would exceed it.
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
    """Return bounds whose lower one uses starts at a limited distance: any attained value is valid."""
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
    """Return a certificate and an instance, each if requested and found."""
    certificate: Certificate | None = None
    instance: WorstInstance | None = None
    told = frame(problem)
    require_memory(told.sizes)  # before any instance is tabulated
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
    """Yield solutions with increasing margins, and solutions between them; raises Unsolved if the first fails."""
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
            return  # a larger margin gives a smaller value
        if before is not None and problem.size <= MIN_BLOCK_SIZE:
            yield from (before.towards(proposal, part) for part in INTERPOLATION_PARTS)
        yield proposal
        before = proposal


def _noisy_bracket(asked: Question, upper: Fraction | None, certificate: Certificate | None) -> Bracket:
    """Return bounds with noisy gradients: the lower one adds the value of noise in a coordinate of its own.

    The step is linear and treats coordinates alike, so these measures of a sum of functions are sums.
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
    return Bracket(asked, lower, upper, certificate, case, _is_short(asked) and reproduces(asked, case, lower))


def _curvatures(functions: Smooth | Quadratic) -> list[Fraction]:
    """Return some curvatures of the class."""
    low, high = map(to_python_fraction, functions.curvatures)
    return [low + (high - low) * Fraction(i, N_CURVATURES) for i in range(N_CURVATURES + 1)]


def _noise_value(asked: Question, functions: Smooth | Quadratic, curvature: Fraction, std: Fraction) -> Fraction:
    """Return the measure of noisy clients, all curvature t^2 / 2, started at the minimum; 0 if not known exactly.

    A second coordinate without movement has the smoothness of the class.
    """
    n, high = int(dict(asked.settings)["n_clients"]), to_python_fraction(functions.curvatures[1])
    clients = QuadraticClients([(curvature, high)] * n, [(0, 0)] * n, start=(0, 0), noise_std=(std, 0))
    case = Case(clients, **asked.of_run)
    found = exact_rational(asked.measure, with_row_states(asked.method, case), case)
    return Fraction(0) if found is None else Fraction(found.value)


def _is_short(asked: Question) -> bool:
    """Return whether every sample path of a noisy run can be computed in rationals."""
    given = dict(asked.settings)
    steps = given["n_rounds"] * given["n_clients"] * given.get("n_local_steps", 1)
    return bool(steps <= MAX_NOISY_STEPS)


def reproduces(asked: Question, case: Case[Clients], lower: Fraction) -> bool:
    """Return whether the method itself was run on these clients; raises OutOfReach if it gives another value."""
    found = exact_rational(asked.measure, with_row_states(asked.method, case), case)
    if found is not None and found.value != lower:
        raise OutOfReach(
            f"{asked.method.name} gives {float(found.value):.9g} on clients where its symbolic run on unknown functions "
            f"gives {float(lower):.9g}"
        )
    return found is not None


def why_run_unproved(found: Bracket, whatever: bool = False) -> str | None:
    """Return why the upper bound is not proved, or None; checks the certificate in rationals on a new symbolic run.

    ``whatever``: the multipliers serve as coefficients for all values of the limits, so limits of 0 may not be used.
    """
    if found.certificate is None or found.upper != to_python_fraction(found.certificate.upper):
        return "there is no certificate of this upper bound"
    problem = problem_of(found.question)
    refused, alike = (
        certificates.why_invalid(problem, found.certificate, frame(problem)),
        record_options(found.question),
    )
    if refused is None or whatever:
        return refused
    problem = problem_of(found.question, **alike)
    return certificates.why_invalid(problem, found.certificate, frame(problem))


def case_of_instance(asked: Question, problem: Problem, attained_: WorstInstance) -> Case[Clients] | None:
    """Return the instance as clients for the library's own algorithm."""
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
    """Return clients with these data; if these are of functions whose means are the clients, such clients."""
    clients = asked.functions.clients(found)
    if record.samples > 1 and isinstance(clients, InterpolatedClients | MatrixClients):
        clients = ComponentSamplingClients(clients, record.samples)
    return None if clients is None else Case[Clients](clients, **asked.of_run)


def _quadratic(asked: Question, record: Record, found: WorstInstance) -> Case[Clients] | None:
    """Return clients with the Hessians that were found and x* = 0."""
    each = range(record.n_clients)
    slopes = tuple(_row(found, record.at_optimum(m)) for m in each)
    hessians = tuple(found.hessians[0 if record.tilted else m] for m in each)
    return _case_of_data(
        asked, record, InterpolationData((), (), (), _row(found, basis(START_INDEX)), slopes, hessians=hessians)
    )


def _row(found: WorstInstance, vector: Any) -> tuple[Fraction, ...]:
    return tuple(to_python_fraction(v) for v in found.point(vector))
