"""The worst case of a run over a whole class of functions, between what is attained and what is proved."""

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
    """The worst value of ``measure`` over all clients of the class, in any dimension, from both sides.

    ``settings``: constants by canonical name: n_clients, n_rounds, n_local_steps, step_size, ..., initial_distance,
    heterogeneity_at_optimum. OutOfReach where the step is not linear in points and gradients, with its line.
    """
    return bracket(question(method, functions, measure, **settings))


def bracket(asked: Question, attain: bool = True) -> Bracket:
    """Both sides of a question, by a solver, or the proved one alone; what it proposes is checked exactly.

    Runs that are too long to be followed whole are chained from single rounds; then quadratic clients attain the lower end.
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
    """Why the upper end is not proved, or None: the run is followed anew, the certificate checked in rationals."""
    return why_broken(found) if found.links else why_run_unproved(found)


def worst_quadratic(asked: Question) -> tuple[Case[Clients] | None, Fraction | None]:
    """The worst of some quadratic clients, on which the run's law is known exactly."""
    found = [(lower, case) for case in _cases(asked) if (lower := _rational_lower_bound(asked, case)) is not None]
    if not found:
        return None, None
    lower, case = max(found, key=lambda pair: pair[0])
    return case, lower


def _rational_lower_bound(asked: Question, case: Case[Clients]) -> Fraction | None:
    """A rational that the measure exceeds by little at most, or is."""
    try:
        value = exact_ball(asked.measure, with_row_states(asked.method, case), case).value
    except (NotEnumerable, NotRational):
        return None
    if isinstance(value, arb):
        return to_python_fraction(value.lower().fmpq())
    return Fraction(value) if isinstance(value, int | Fraction) else None


def _slope(asked: Question, n: int) -> Fraction:
    """That of n - 1 clients, with n - 1 times its negative of one: their mean square is (n - 1) slope^2."""
    given = dict(asked.settings)
    if n == 1:
        return Fraction(0)
    found = [client_limits(asked)[1] / root_rounded_up(n - 1)]
    largest = given.get("max_heterogeneity_at_optimum")
    if largest is not None:
        found = [*(found if "heterogeneity_at_optimum" in given else ()), Fraction(largest) / (n - 1)]
    return min(found)


def _cases(asked: Question) -> Iterator[Case[Clients]]:
    """One client bent otherwise than all others, and pulled the other way, or all alike.

    Where clients differ by a limit everywhere they are bent alike; where the gap of the start is known it is their distance.
    """
    functions = asked.functions
    if not isinstance(functions, Smooth | NonConvex | Quadratic):
        return
    given, (low, high) = dict(asked.settings), map(to_python_fraction, functions.curvatures)
    distance, _, noise = client_limits(asked)
    n, low, gap = int(given["n_clients"]), max(low, Fraction(0)), Fraction(given.get("initial_gap", 0))
    slope = _slope(asked, n)
    if given.get("n_components", 2) % 2:
        noise = Fraction(0)  # signs are two functions, or four
    curvatures = (low, (2 * low + high) / 3, (low + high) / 2, high)
    for one, others in product(curvatures, repeat=2):
        if ((n > 1 and functions.rooted) or one == others) and (n - 1) * others + one > 0:
            # Coordinates where nothing moves give the instance the constants of its class.
            idle = [c for c in (high, low) if c and {one, others} != {c}]
            rest = (0,) * len(idle)
            far = distance if functions.rooted else 2 * gap / one / root_rounded_up(2 * gap / one)
            for side in (1, -1) if slope else (1,):
                rows = [(one, *idle), *[(others, *idle)] * (n - 1)]
                slopes = [((n - 1) * slope, *rest), *[(-slope, *rest)] * (n - 1)]
                start, std = (side * far, *rest), (noise, *rest)
                yield Case[Clients](QuadraticClients(rows, slopes, start, std), **asked.of_run)
