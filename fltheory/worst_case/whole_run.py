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
from fltheory.problems.interpolated.beside import NoiseBeside
from fltheory.problems.interpolated.evaluated import fraction
from fltheory.problems.interpolated.quadratics import MatrixClients
from fltheory.problems.interpolated.sampled import SampledClients
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.flat_states import on_rows
from fltheory.runs.measures import AveragedGap, LastDistance, LastGap
from fltheory.symbols import smoothness
from fltheory.worst_case import certificate as certificates
from fltheory.worst_case.certificate import Certificate, proved
from fltheory.worst_case.functions import ByMatrix, Found, Smooth
from fltheory.worst_case.functions.quadratic import Quadratic
from fltheory.worst_case.gram import basis
from fltheory.worst_case.lower_bounds import Attained, attained
from fltheory.worst_case.lower_bounds.hessians import by_hessians
from fltheory.worst_case.measures import Growth
from fltheory.worst_case.problem import Problem
from fltheory.worst_case.question import AT_OPTIMUM, Question, problem_of
from fltheory.worst_case.solver import Proposal, Stuck, Unsolved, proposed, require_room, tabled
from fltheory.worst_case.symbolic_run import START, OutOfReach, Record
from fltheory.worst_case.symmetry_reduction import LARGE, Frame, frame

ROOMS = tuple(4.0**k * 1e-9 for k in range(-1, 10))  # what both sides are kept inside by, little first
SCALES = (1.0, 0.1, 0.01)  # of the units that the solver works in
PARTS = (1 / 8, 1 / 4, 1 / 2)  # of the way from a proposal that could not be rounded to the next
NARROW = Fraction(1, 10**6)  # of the upper end: what is as narrow is not looked for further
FAR, DIGITS = 20, 1000  # times the root of the height over L; denominators of a distance
OF_SUMS = (LastDistance, LastGap, AveragedGap, Growth)
TRIED = 12  # parts of the range of curvatures that noise is tried with
SHORT = 6  # noisy steps of a run whose courses are all replayed


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
    replayed: bool = False
    links: tuple[Bracket, ...] = field(default=(), repr=False)

    def __str__(self) -> str:
        low = "?" if self.lower is None else f"{float(self.lower):.9g}"
        high = "?" if self.upper is None else f"{float(self.upper):.9g}"
        return f"{self.question}: between {low} (attained) and {high} (proved)"


def followed(asked: Question, attain: bool = True) -> Bracket:
    """Both sides of a question, by a solver, or the proved one alone; what it proposes is checked exactly.

    The attained side is run on the method itself: OutOfReach where that does something else than was followed.
    """
    found = _followed(asked, attain)
    near = Fraction(dict(asked.settings).get("hessian_heterogeneity", 0))
    return _beside(found, near) if attain and near else found


def _beside(found: Bracket, limit: Fraction) -> Bracket:
    """Of clients whose Hessians are so near their mean: what is attained by nearer ones, and proved of any, where that is more."""
    settings, one = dict(found.question.settings), found
    for part in (Fraction(1, 2), Fraction(1, 4), Fraction(1, 8), None):
        if one.lower is not None and one.upper is not None and one.upper - one.lower <= one.upper * NARROW:
            return one
        limited = {} if part is None else {"hessian_heterogeneity": limit * part}
        rest = {name: value for name, value in settings.items() if name != "hessian_heterogeneity"}
        asked = replace(found.question, settings=tuple(sorted({**rest, **limited}.items())))
        try:
            other = _followed(asked, attain=part is not None)
        except Unsolved:
            continue
        if other.lower is not None and (one.lower is None or other.lower > one.lower):
            one = replace(one, lower=other.lower, case=other.case, replayed=other.replayed)
        if part is None and other.upper is not None and (one.upper is None or other.upper < one.upper):
            one = replace(one, upper=other.upper, certificate=other.certificate)
    return one


def _followed(asked: Question, attain: bool) -> Bracket:
    alike = _alike(asked) if attain else {}
    problem = problem_of(asked, **alike)
    attainable = attain and not problem.free and not problem.variance
    certificate, instance = _ends(problem, True, attainable and problem.sufficient)
    upper = None if certificate is None else fraction(certificate.upper)
    if attain and problem.free and ("initial_gap" in dict(asked.settings) or isinstance(asked.measure, Growth)):
        return _from_near(asked, upper, certificate)
    if attain and problem.variance and not problem.free:
        return _with_noise(asked, upper, certificate)
    if attainable and not problem.sufficient:
        problem = problem_of(asked, **{**alike, "tilted": True})
        _, instance = _ends(problem, False, True)
    case = None if instance is None else _case(asked, problem, instance)
    if instance is None or case is None:
        return Bracket(asked, None, upper, certificate, None)
    lower = fraction(instance.lower)
    return Bracket(asked, lower, upper, certificate, case, _replays(asked, case, lower))


def _alike(asked: Question) -> dict[str, bool]:
    """How a record tells clients that are at their minima at x*, or the same everywhere but for linear functions.

    By limits that are 0; of quadratic clients by any limits everywhere, which other Hessians would not keep far off.
    """
    given = dict(asked.settings)
    alike = 0 in (given.get(name) for name in AT_OPTIMUM)
    if given.get("n_components", 1) > 1:
        return {"within": given.get("noise_std_at_optimum") != 0, "between": given["n_clients"] == 1 or not alike}
    if given["n_clients"] == 1:
        return {}
    limits = [given.get("max_heterogeneity"), None if given.get("heterogeneity_slope") else given.get("heterogeneity")]
    quadratic = isinstance(asked.functions, Quadratic)
    same = any(limit is not None and (quadratic or limit == 0) for limit in limits)
    same = same or given.get("hessian_heterogeneity") == 0
    return {"tilted": same, "still": alike or 0 in limits}


def _from_near(asked: Question, upper: Fraction | None, certificate: Certificate | None) -> Bracket:
    """With a lower end from starts that are not all too far: what is attained there is attained."""
    given, bend = dict(asked.settings), float(asked.functions.constants[smoothness])
    pulls = [float(given[name]) for name in (*AT_OPTIMUM, "noise_std", "noise_std_at_optimum") if given.get(name)]
    unit = (float(given["initial_gap"]) / bend) ** 0.5 if "initial_gap" in given else max(pulls, default=bend) / bend
    near = ("initial_distance", Fraction(round(FAR * DIGITS * unit) + 1, DIGITS))
    try:
        found = _followed(replace(asked, settings=tuple(sorted((*asked.settings, near)))), True)
    except Unsolved:
        return Bracket(asked, None, upper, certificate, None)
    return Bracket(asked, found.lower, upper, certificate, found.case, found.replayed)


def _ends(problem: Problem, prove: bool, attain: bool) -> tuple[Certificate | None, Attained | None]:
    """A certificate and an instance, as far as they are asked for and found."""
    certificate: Certificate | None = None
    instance: Attained | None = None
    told = frame(problem)
    require_room(told.sizes)  # before anything is tabled
    for scale in SCALES:
        for proposal in _proposals(problem, told, scale):
            certificate = certificate or (proved(problem, told, proposal) if prove else None)
            instance = instance or (_attained(problem, told, proposal) if attain else None)
            if (certificate is not None or not prove) and (instance is not None or not attain):
                return certificate, instance
        if certificate is not None or instance is not None:
            break
    return certificate, instance


def _attained(problem: Problem, told: Frame, proposal: Proposal) -> Attained | None:
    functions = problem.functions
    if isinstance(functions, ByMatrix):
        return by_hessians(problem, functions, told, proposal)
    return attained(problem, told, proposal)


def _proposals(problem: Problem, told: Frame, scale: float) -> Iterator[Proposal]:
    """With more and more room, and between them; Unsolved where the first one is."""
    length, slope = problem.sizes
    table = tabled(replace(problem, sizes=(length * scale, slope * scale)), told)
    before: Proposal | None = None
    for room in ROOMS:
        try:
            proposal = proposed(table, room)
        except Stuck:
            continue
        except Unsolved:
            if before is None:
                raise
            return  # with more room there is less
        if before is not None and problem.size <= LARGE:
            yield from (before.towards(proposal, part) for part in PARTS)
        yield proposal
        before = proposal


def _with_noise(asked: Question, upper: Fraction | None, certificate: Certificate | None) -> Bracket:
    """The lower end where gradients are noisy: what is attained without noise, and noise in a coordinate of its own.

    The step is linear and treats coordinates alike, so that these measures of a sum of functions are sums.
    """
    settings = dict(asked.settings)
    std = settings.pop("noise_std")
    quiet = _followed(replace(asked, settings=tuple(settings.items())), True)
    given = None if quiet.case is None else quiet.case.instance
    functions, known = asked.functions, isinstance(asked.measure, OF_SUMS)
    if not (
        known and isinstance(given, InterpolatedClients | MatrixClients) and isinstance(functions, Smooth | Quadratic)
    ):
        return Bracket(asked, None, upper, certificate, None)
    assert quiet.lower is not None
    part, curvature = max((_of_noise(asked, functions, c, std), c) for c in _curvatures(functions))
    clients = given.beside(curvature, std) if isinstance(given, MatrixClients) else NoiseBeside(given, curvature, std)
    case = Case[Clients](clients, **asked.of_run)
    lower = quiet.lower + part
    return Bracket(asked, lower, upper, certificate, case, _short(asked) and _replays(asked, case, lower))


def _curvatures(functions: Smooth | Quadratic) -> list[Fraction]:
    """Some of the class."""
    low, high = map(fraction, functions.curvatures)
    return [low + (high - low) * Fraction(i, TRIED) for i in range(TRIED + 1)]


def _of_noise(asked: Question, functions: Smooth | Quadratic, curvature: Fraction, std: Fraction) -> Fraction:
    """The measure of clients that all are curvature t^2 / 2 and noisy, from their minimum; 0 where it is not known exactly.

    A second coordinate, where nothing moves, has the smoothness of the class.
    """
    n, high = int(dict(asked.settings)["n_clients"]), fraction(functions.curvatures[1])
    clients = QuadraticClients([(curvature, high)] * n, [(0, 0)] * n, start=(0, 0), noise_std=(std, 0))
    case = Case(clients, **asked.of_run)
    found = exact_rational(asked.measure, on_rows(asked.method, case), case)
    return Fraction(0) if found is None else Fraction(found.value)


def _short(asked: Question) -> bool:
    """Whether each course of a run with noise can be run in rationals."""
    given = dict(asked.settings)
    steps = given["n_rounds"] * given["n_clients"] * given.get("n_local_steps", 1)
    return bool(steps <= SHORT)


def _replays(asked: Question, case: Case[Clients], lower: Fraction) -> bool:
    """Whether the method itself was run on these clients; OutOfReach where it comes to another value over all its courses."""
    found = exact_rational(asked.measure, on_rows(asked.method, case), case)
    if found is not None and found.value != lower:
        raise OutOfReach(
            f"{asked.method.name} comes to {float(found.value):.9g} on clients where its rounds, as they were followed on unknown "
            f"functions, come to {float(lower):.9g}: it does something else there"
        )
    return found is not None


def unproved(found: Bracket, whatever: bool = False) -> str | None:
    """Why the upper end is not proved, or None: the run is followed anew, the certificate checked in rationals.

    ``whatever``: where its multipliers are to be coefficients, whatever the limits are; those of limits that are 0 may not be.
    """
    if found.certificate is None or found.upper != fraction(found.certificate.upper):
        return "there is no certificate of this upper end"
    problem = problem_of(found.question)
    refused, alike = certificates.check(problem, found.certificate, frame(problem)), _alike(found.question)
    if refused is None or whatever:
        return refused
    problem = problem_of(found.question, **alike)
    return certificates.check(problem, found.certificate, frame(problem))


def _case(asked: Question, problem: Problem, attained_: Attained) -> Case[Clients] | None:
    """The instance as clients that the library's own algorithm can be run on."""
    values, record = dict(attained_.values), problem.record
    if attained_.hessians:
        return _quadratic(asked, record, attained_)
    places, gradients, heights = [], [], []
    for m, indices in enumerate(problem.places[:1] if record.tilted else problem.places):
        data = [problem.point(m, place) for place in indices]
        places.append(tuple(_row(attained_, p.at) for p in data))
        gradients.append(tuple(_row(attained_, p.gradient) for p in data))
        heights.append(tuple(fraction(values.get(p.value, fmpq(0))) for p in data))
    tilts = [_row(attained_, record.at_optimum(m)) for m in range(record.n_clients)] if record.tilted else ()
    start = _row(attained_, basis(START))
    found = Found(tuple(places), tuple(gradients), tuple(heights), start, tuple(tilts), not record.balanced)
    return _summed(asked, record, found)


def _summed(asked: Question, record: Record, found: Found) -> Case[Clients] | None:
    """Clients with these data; where these are of functions that clients are the means of, clients of those."""
    clients = asked.functions.clients(found)
    if record.samples > 1 and isinstance(clients, InterpolatedClients | MatrixClients):
        clients = SampledClients(clients, record.samples)
    return None if clients is None else Case[Clients](clients, **asked.of_run)


def _quadratic(asked: Question, record: Record, found: Attained) -> Case[Clients] | None:
    """Clients with the Hessians that were found, x* at 0."""
    each = range(record.n_clients)
    slopes = tuple(_row(found, record.at_optimum(m)) for m in each)
    hessians = tuple(found.hessians[0 if record.tilted else m] for m in each)
    return _summed(asked, record, Found((), (), (), _row(found, basis(START)), slopes, hessians=hessians))


def _row(found: Attained, vector: Any) -> tuple[Fraction, ...]:
    return tuple(fraction(v) for v in found.point(vector))
