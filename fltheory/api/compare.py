"""Whether two algorithms are the same: on every function where their steps are affine, else on drawn instances, exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st
from sympy import Symbol

from fltheory.claims.case_search import StopSearch, search_cases
from fltheory.model.case import Case
from fltheory.model.errors import UserError
from fltheory.number import BALL, RATIONAL, NotRational, exact_text
from fltheory.number.elements import Undecided
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients
from fltheory.problems.strategies import quadratic_clients
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.constants import MissingConstant
from fltheory.runs.distributions.sample_paths import enumerate_runs
from fltheory.runs.flat_states import with_row_states
from fltheory.runs.method import NotEnumerable, VariantError
from fltheory.symbols import noise_std
from fltheory.worst_case.symbolic_run import OutOfReach, Record, Trace, UnknownClients, trace_run

DEFAULTS: Mapping[str, object] = {"n_clients": 2, "n_local_steps": 2, "n_rounds": 3, "step_size": "1/7"}
INSTANCES, DRAWS, MOST_PATHS = 23, 80, 4096
_NOTHING: Mapping[Symbol, int] = {}
Course = tuple[Any, Any]  # the points x_0, .., x_R of a path, and its probability


@dataclass(frozen=True)
class Comparison:
    """The answer: ``status`` is "equal", "different" or "undecided", ``evidence`` says on what.

    ``round_``: the first point that differs is x_round_. So rounds count from 1 here, and 0 is the start; a step reads
    ``c.round``, which is one less.
    """

    first: str
    second: str
    constants: Mapping[str, object]
    status: str
    evidence: str
    round_: int | None = None
    case: Case | None = None

    def __str__(self) -> str:
        told = ", ".join(f"{name} = {exact_text(value)}" for name, value in self.constants.items())
        if self.status == "equal":
            return f"{self.first} and {self.second} are equal on {self.evidence}, at {told}"
        if self.status == "undecided":
            return f"{self.first} and {self.second}: undecided, {self.evidence}"
        where = "" if self.case is None else f"\n  on {self.case!r}"
        when = f"in round {self.round_}: x_{self.round_}" if self.round_ else "at the start: x_0"
        return f"{self.first} and {self.second} part {when} is the first that differs, on {self.evidence}, at {told}{where}"


def compare(
    first: Algorithm, second: Algorithm, constants: Mapping[str, object] | None = None, /, **named: object
) -> Comparison:
    """Run both from the same start, with the same clients, and say whether their points have the same distribution.

    Parameters
    ----------
    first, second : Algorithm
        Algorithms of rounds.
    constants : mapping, optional
        Constants of the run by canonical name; by default 2 clients, 2 local steps, 3 rounds and a step of 1/7.
    **named : int, float, str, Fraction
        The same as keywords.

    Returns
    -------
    Comparison
        Equal for all functions if both steps are affine in points and gradients; else on instances that were drawn.

    Raises
    ------
    ValueError
        If a constant that a step reads is missing, or a step fails.

    Examples
    --------
    >>> from fltheory.api.compare import compare
    >>> from fltheory.papers.sfl.algorithms import parallel, sequential
    >>> compare(sequential, parallel).status
    'different'
    """
    settings = {**DEFAULTS, **(constants or {}), **named}
    try:
        traces = _traces(first, second, settings)
    except OutOfReach as error:
        return _on_instances(first, second, settings, str(error))
    parted = _first_difference(*([(path.points, path.weight) for path in trace.courses] for trace in traces))
    if parted is None:
        quiet = "" if _same_with_noise(first, second, settings) else "; with noisy gradients they take other draws"
        return _told(
            first, second, settings, "equal", f"every function, in every dimension (the steps are affine{quiet})"
        )
    shown = _on_instances(first, second, settings, "")
    if shown.status == "different":
        return shown
    return _told(first, second, settings, "different", "general functions", parted)


def _told(first: Algorithm, second: Algorithm, settings: Mapping[str, object], *of: Any) -> Comparison:
    return Comparison(first.name, second.name, settings, *of)


def _same_with_noise(first: Algorithm, second: Algorithm, settings: Mapping[str, object]) -> bool:
    """Return whether both take the same points from the same noise of each client, round and local step."""
    try:
        ours, theirs = (
            [(path.points, path.weight) for path in one.courses]
            for one in _traces(first, second, settings, {noise_std: 1})
        )
    except OutOfReach:
        return False
    return _first_difference(ours, theirs) is None


def _traces(
    first: Algorithm, second: Algorithm, settings: Mapping[str, object], known: Mapping[Symbol, int] = _NOTHING
) -> list[Trace]:
    """Return the runs of both on the same unknown clients: a gradient at the same point is the same vector.

    The clients have no constants but noise: a step that reads their smoothness would be followed at a single value of it.
    """
    n, of_run = _split(settings)
    clients = UnknownClients(Record(n), known)
    return [trace_run(one, Case(clients, **of_run)) for one in (first, second)]


def _split(settings: Mapping[str, object]) -> tuple[int, dict[str, object]]:
    """Return the number of clients, which belongs to the instance, and the settings of the run."""
    of_run = dict(settings)
    return int(str(of_run.pop("n_clients"))), of_run


def _first_difference(ours: Sequence[Course], theirs: Sequence[Course]) -> int | None:
    """Return the first round after which the points so far are not equally distributed, or None."""
    for last in range(len(ours[0][0])):
        laws = []
        for courses in (ours, theirs):
            law: dict[Any, Any] = {}
            for points, weight in courses:
                law[points[: last + 1]] = law.get(points[: last + 1], 0) + weight
            laws.append(law)
        if laws[0] != laws[1]:
            return last
    return None


def _on_instances(first: Algorithm, second: Algorithm, settings: Mapping[str, object], reason: str) -> Comparison:
    """Compare both on drawn clients, quadratic and piecewise quadratic ones, in rationals."""
    found: list[Comparison] = []
    seen, unlike = list[Case](), list[str]()

    def examine(case: Case) -> float | None:
        if case in seen:
            return None
        try:
            parted = _first_difference(_courses(first, case), _courses(second, case))
            seen.append(case)
        except (NotEnumerable, NotRational) as error:
            unlike.append(str(error))
            parted = _parted_in_balls(first, second, case)
        if parted is not None:
            found.append(_told(first, second, settings, "different", "an instance (exact)", parted, case))
        if found or len(seen) == INSTANCES:
            raise StopSearch
        return None

    try:
        with suppress(StopSearch):
            for case in _fixed(settings):
                examine(case)
            search_cases(_family(settings), 0, DRAWS, examine)
    except MissingConstant as error:
        raise UserError(f"{error}; give it as NAME=VALUE") from None
    except VariantError as error:
        raise UserError(str(error)) from None
    if found:
        return found[0]
    if unlike or not seen:
        told = f"no difference on {len(seen)} instances; {len(unlike)} others are not rational: {unlike[0] if unlike else ''}"
        return _told(first, second, settings, "undecided", told)
    why = f", not on every function: {reason}" if reason else ""
    return _told(first, second, settings, "equal", f"{len(seen)} instances (exact){why}")


def _parted_in_balls(first: Algorithm, second: Algorithm, case: Case) -> int | None:
    """Return the first round in which single paths are certainly apart; None if this is not seen."""
    try:
        ours, theirs = (enumerate_runs(with_row_states(one, case), case, BALL, 1)[0] for one in (first, second))
    except (NotEnumerable, NotRational, Undecided):
        return None
    if len(ours) != 1 or len(theirs) != 1:
        return None
    for last, (x, y) in enumerate(zip(ours[0], theirs[0], strict=False)):
        if any(bool(a != b) for a, b in zip(x[: case.instance.dim], y[: case.instance.dim], strict=True)):
            return last
    return None


def _courses(algorithm: Algorithm, case: Case) -> list[Course]:
    """Return all paths of a run: points and probabilities."""
    states, weights = enumerate_runs(with_row_states(algorithm, case), case, RATIONAL, MOST_PATHS)
    points = states[:, :, : case.instance.dim]
    return [(tuple(map(tuple, path)), weight) for path, weight in zip(points.tolist(), weights, strict=True)]


def _fixed(settings: Mapping[str, object]) -> list[Case]:
    """Return cases that every machine looks at first: no gradient at the start, opposed clients, equal coordinates."""
    n, of_run = _split(settings)
    slopes = [(0, m - Fraction(n - 1, 2)) for m in range(n)]
    return [
        Case(QuadraticClients([(1, 1)] * n, [(0, 0)] * n, (0, 0)), **of_run),
        Case(QuadraticClients([(1, m + 1) for m in range(n)], slopes, (2, 3)), **of_run),
        Case(QuadraticClients([(2, 2)] * n, [(1, 1)] * n, (-1, -1)), **of_run),
    ]


def _family(settings: Mapping[str, object]) -> st.SearchStrategy[Case]:
    """Draw clients with these constants, noiseless ones; every second one has another curvature below 0."""
    n, of_run = _split(settings)

    def bent(clients: QuadraticClients, turned: bool) -> Any:
        if not turned:
            return clients
        left = tuple(tuple(v / 3 for v in row) for row in clients.curvatures)
        return PiecewiseQuadraticClients(left, clients.curvatures, clients.slopes, clients.start)

    drawn = quadratic_clients(n, 2, curved=True, noise=False).filter(lambda one: one.n_clients == n)
    return st.builds(lambda one, turned: Case(bent(one, turned), **of_run), drawn, st.booleans())
