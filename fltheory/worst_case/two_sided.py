"""The worst case of a run over a whole class of functions, between an attained and a proved value."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from flint import arb

from fltheory.evidence.exact import exact_ball
from fltheory.model.case import Case
from fltheory.number import NotRational
from fltheory.problems.interpolated.evaluated import to_python_fraction
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.flat_states import with_row_states
from fltheory.runs.measures import Measure
from fltheory.runs.method import NotEnumerable
from fltheory.worst_case.functions import FunctionClass, Smooth
from fltheory.worst_case.functions.nonconvex import NonConvex
from fltheory.worst_case.functions.quadratic import Quadratic
from fltheory.worst_case.many_rounds import chain_upper, client_limits, prove_links, root_rounded_up, why_broken
from fltheory.worst_case.question import Question, question
from fltheory.worst_case.symbolic_run import OutOfReach, TooLong
from fltheory.worst_case.whole_run import Bracket, Clients, bracket_run, why_run_unproved


def worst_case(method: Algorithm, functions: FunctionClass, measure: Measure, **settings: object) -> Bracket:
    """Return two-sided bounds on the worst value of ``measure`` over all clients of the class, in any dimension.

    ``settings``: constants by canonical name: n_clients, n_rounds, n_local_steps, step_size, ..., initial_distance,
    heterogeneity_at_optimum. Raises OutOfReach if the step is not linear in points and gradients, and names the line.
    """
    return bracket(question(method, functions, measure, **settings))


def bracket(asked: Question, attain: bool = True) -> Bracket:
    """Return both bounds, or only the proved one, from a solver whose output is checked exactly.

    Runs too long for one problem are bounded by chains of single rounds; quadratic clients then attain the lower bound.
    """
    try:
        return bracket_run(asked, attain)
    except TooLong as error:
        links = _chain_links(asked, error)
    case, lower = worst_quadratic(asked) if attain else (None, None)
    return Bracket(asked, lower, chain_upper(asked, links), None, case, case is not None, links)


def _chain_links(asked: Question, error: TooLong) -> tuple[Bracket, ...]:
    try:
        return prove_links(asked)
    except OutOfReach as other:
        raise OutOfReach(f"{error}; nor is it chained from single rounds: {other}") from None


def why_not_proved(found: Bracket) -> str | None:
    """Return why the upper bound is not proved, or None; checks the certificate in rationals on a new symbolic run."""
    return why_broken(found) if found.links else why_run_unproved(found)


def worst_quadratic(asked: Question) -> tuple[Case[Clients] | None, Fraction | None]:
    """Return the worst of some quadratic clients, for which the distribution of the run is known exactly."""
    found = [(lower, case) for case in _cases(asked) if (lower := _rational_lower_bound(asked, case)) is not None]
    if not found:
        return None, None
    lower, case = max(found, key=lambda pair: pair[0])
    return case, lower


def _rational_lower_bound(asked: Question, case: Case[Clients]) -> Fraction | None:
    """Return a rational that is equal to the measure or slightly below it."""
    try:
        value = exact_ball(asked.measure, with_row_states(asked.method, case), case).value
    except (NotEnumerable, NotRational):
        return None
    if isinstance(value, arb):
        return to_python_fraction(value.lower().fmpq())
    return Fraction(value) if isinstance(value, int | Fraction) else None


def _slope(asked: Question, n: int) -> Fraction:
    """Return the slope of n - 1 clients; the last has -(n - 1) times it: the mean square is (n - 1) slope^2."""
    given = dict(asked.settings)
    if n == 1:
        return Fraction(0)
    found = [client_limits(asked)[1] / root_rounded_up(n - 1)]
    largest = given.get("max_heterogeneity_at_optimum")
    if largest is not None:
        found = [*(found if "heterogeneity_at_optimum" in given else ()), Fraction(largest) / (n - 1)]
    return min(found)


def _cases(asked: Question) -> Iterator[Case[Clients]]:
    """Return cases in which one client has another curvature and the opposite slope, or all clients are alike.

    With a limit on differences everywhere the curvatures agree; if the gap at the start is known it serves as distance.
    """
    functions = asked.functions
    if not isinstance(functions, Smooth | NonConvex | Quadratic):
        return
    given, (low, high) = dict(asked.settings), map(to_python_fraction, functions.curvatures)
    distance, _, noise = client_limits(asked)
    n, low, gap = int(given["n_clients"]), max(low, Fraction(0)), Fraction(given.get("initial_gap", 0))
    slope = _slope(asked, n)
    if given.get("n_components", 2) % 2:
        noise = Fraction(0)  # signs need two functions, or four
    curvatures = (low, (2 * low + high) / 3, (low + high) / 2, high)
    for one, others in product(curvatures, repeat=2):
        if ((n > 1 and functions.rooted) or one == others) and (n - 1) * others + one > 0:
            # Coordinates without movement give the instance the constants of its class.
            idle = [c for c in (high, low) if c and {one, others} != {c}]
            rest = (0,) * len(idle)
            far = distance if functions.rooted else 2 * gap / one / root_rounded_up(2 * gap / one)
            for side in (1, -1) if slope else (1,):
                rows = [(one, *idle), *[(others, *idle)] * (n - 1)]
                slopes = [((n - 1) * slope, *rest), *[(-slope, *rest)] * (n - 1)]
                start, std = (side * far, *rest), (noise, *rest)
                yield Case[Clients](QuadraticClients(rows, slopes, start, std), **asked.of_run)
