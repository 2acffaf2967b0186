"""Questions: a measure of a run over all clients of a class, with the known constants beyond the class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fltheory.model.case import Case
from fltheory.number import exact, exact_text
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.measures import LeastGradient, Measure
from fltheory.symbols import VOCABULARY
from fltheory.worst_case.functions import FunctionClass, MatrixClass
from fltheory.worst_case.functions.linear import Linear
from fltheory.worst_case.measures import ConstrainedQuantity, LastGradient, Regret, RoundGrowth
from fltheory.worst_case.problem import Problem, run_problem
from fltheory.worst_case.symbolic_run import Record, UnknownClients

CLIENT_SETTINGS = ("initial_distance", "heterogeneity_at_optimum", "noise_std")
OPTIMUM_SETTINGS = ("heterogeneity_at_optimum", "max_heterogeneity_at_optimum")
HETEROGENEITY_SETTINGS = (*OPTIMUM_SETTINGS, "heterogeneity", "max_heterogeneity")  # one limits how clients differ
# for runs as one problem, not for chains
WHOLE_RUN_SETTINGS = (
    "initial_gap",
    "heterogeneity",
    "max_heterogeneity",
    "heterogeneity_slope",
    "max_heterogeneity_at_optimum",
    "noise_std_at_optimum",
    "hessian_heterogeneity",
)
KNOWN_SETTINGS = (*CLIENT_SETTINGS, *WHOLE_RUN_SETTINGS, "n_clients", "n_components")  # of the clients, not of the run

MIN_CONSTANT = Fraction(1, 10**75)  # size of a constant
MAX_RUN_VECTORS = 60  # vectors of a run of several rounds as one problem
MAX_ROUND_VECTORS = 4_000  # vectors of a single round


@dataclass(frozen=True)
class Question:
    """A question: the worst value of a measure over all clients of a class, in any dimension.

    ``settings``: the constants of the run and the limits on the clients beyond their class, by canonical name.
    ``alone``: about a round that stands for many, which must depend neither on their number nor on the start.
    """

    method: Algorithm
    functions: FunctionClass
    measure: Measure
    settings: tuple[tuple[str, Any], ...]
    alone: bool = False

    def case(self, record: Record) -> Case[UnknownClients]:
        """Return the run on unknown clients; their limits are not their values, so no step may read them."""
        given = dict(self.settings)
        limits = {VOCABULARY[n].symbol: given[n] for n in (*CLIENT_SETTINGS, *WHOLE_RUN_SETTINGS) if n in given}
        barred = (*CLIENT_SETTINGS, *WHOLE_RUN_SETTINGS, *(["n_rounds"] if self.alone else []))
        return Case(UnknownClients(record, {**self.functions.constants, **limits}, barred), **self.of_run)

    @property
    def of_run(self) -> dict[str, Any]:
        """Return the settings of a case."""
        return {name: value for name, value in self.settings if name not in KNOWN_SETTINGS}

    def __str__(self) -> str:
        said = ", ".join(f"{name} = {exact_text(value)}" for name, value in self.settings)
        return f"{self.measure.name} of {self.method.name} over all {self.functions} in every dimension, {said}"


def question(method: Algorithm, functions: FunctionClass, measure: Measure, **settings: object) -> Question:
    """Read and check a question; ValueError says what is missing."""
    given: dict[str, Any] = {"n_clients": 1, "n_rounds": 1, **settings}
    for name in given:
        if name not in VOCABULARY:
            raise ValueError(f"{name} is not a known constant (see fltheory.symbols)")
    read = {name: exact(value) for name, value in given.items()}
    irrational = next((name for name, value in read.items() if not isinstance(value, int | Fraction)), None)
    if irrational is not None:
        said = f"{irrational} = {exact_text(read[irrational])}"
        raise ValueError(f"{said} is irrational: a worst case needs rational numbers, give one near it")
    _require_size({**{s.name: value for s, value in functions.constants.items()}, **read})
    for name in functions.constants:
        if name.name in read:
            raise ValueError(f"{name.name} belongs to the class of functions: {functions}")
    missing = (
        _missing_constant(functions, measure, read)
        or _meaningless_constant(functions, measure, read)
        or _finite_sum_error(functions, measure, read)
    )
    if missing:
        raise ValueError(missing)
    return Question(method, functions, measure, tuple(sorted(read.items())))


def _require_size(given: Mapping[str, Any]) -> None:
    """Raise ValueError if a constant is too large or small for a solver: products of some must be floats too."""
    for name, value in given.items():
        if value and not MIN_CONSTANT <= abs(Fraction(exact(value))) <= 1 / MIN_CONSTANT:
            size = "large" if abs(Fraction(exact(value))) > 1 else "small"
            raise ValueError(
                f"{name} is too {size} for a solver, which works in floats: expected 0, or a size from 1e-75 to 1e75; "
                "change the units"
            )


def _missing_constant(functions: FunctionClass, measure: Measure, given: Mapping[str, Any]) -> str | None:
    """Return a missing constant without which the worst case has no limit."""
    if not functions.rooted:
        if "initial_gap" not in given:
            return "initial_gap: without a limit on the height of the start the worst case has no limit"
    elif not {"initial_distance", *(["initial_gap"] if functions.smooth else [])} & set(given) and not isinstance(
        measure, RoundGrowth | ConstrainedQuantity
    ):
        return "initial_distance: without a limit on the distance of the start the worst case has no limit"
    differing = HETEROGENEITY_SETTINGS if functions.rooted else HETEROGENEITY_SETTINGS[2:]
    if given["n_clients"] > 1 and functions.smooth and not set(differing) & set(given):
        return f"{differing[0]}: without it clients may differ without limit"
    return None


def _meaningless_constant(functions: FunctionClass, measure: Measure, given: Mapping[str, Any]) -> str | None:
    """Return a constant that has no meaning for these functions."""
    if "hessian_heterogeneity" in given and not (isinstance(functions, MatrixClass) and given["n_clients"] > 1):
        return "hessian_heterogeneity: this limit is supported only for several quadratic clients"
    if not functions.rooted:
        named = [name for name in ("initial_distance", *OPTIMUM_SETTINGS) if name in given]
        if named:
            return f"{named[0]}: {functions} need no minimiser; give initial_gap, and heterogeneity for more than one client"
        if not isinstance(measure, LastGradient | LeastGradient):
            return f"{measure.name}: of {functions} only gradients get small; use LastGradient or LeastGradient"
    if not functions.smooth:
        named = [name for name in (*HETEROGENEITY_SETTINGS, "heterogeneity_slope") if name in given]
        if named:
            return f"{named[0]}: {functions} have many subgradients at a point"
        if isinstance(measure, LastGradient | LeastGradient):
            return f"{measure.name}: {functions} have many subgradients at a point"
    if isinstance(functions, Linear) and not isinstance(measure, Regret):
        return f"{measure.name}: {functions} have no minimiser; use Regret"
    if isinstance(measure, Regret):
        if measure.comparators:
            return f"{measure.name}: a worst case compares with x*; expected no comparators"
        if functions.smooth:
            return f"{measure.name}: of {functions} it has no limit; use Lipschitz"
        if given["n_clients"] != given["n_rounds"] or "initial_gap" in given:
            return "n_clients, n_rounds: the loss of round r is client r's, so that there are as many clients as rounds"
    return None


def _finite_sum_error(functions: FunctionClass, measure: Measure, given: Mapping[str, Any]) -> str | None:
    """Return what is missing or has no meaning if a gradient is that of one of a client's functions."""
    if given.get("n_components", 1) == 1:
        stray = "noise_std_at_optimum" in given
        return "n_components: noise at the optimum is that of gradients of one of so many functions" if stray else None
    if not functions.rooted or not functions.smooth or isinstance(measure, Regret):
        return f"n_components: {measure.name} of {functions} is known of whole clients alone"
    if "noise_std_at_optimum" not in given:
        return "noise_std_at_optimum: without it the functions of a client may differ without limit"
    beyond = ("noise_std", *HETEROGENEITY_SETTINGS[2:], "heterogeneity_slope", "hessian_heterogeneity")
    strange = next((name for name in beyond if name in given), None)
    if strange is not None:
        return f"{strange}: sampled functions are limited only at the optimum"
    return None


def problem_of(
    asked: Question, tilted: bool = False, still: bool = False, within: bool = True, between: bool = True
) -> Problem:
    """Return the question as a problem, from a new run; TooLong if several rounds need too many vectors.

    ``tilted``, ``still``, ``within``, ``between``: restrict the clients, see ``Record``.
    """
    given, balanced = dict(asked.settings), not isinstance(asked.measure, Regret)
    most = MAX_ROUND_VECTORS if given["n_rounds"] == 1 else MAX_RUN_VECTORS
    samples = int(given.get("n_components", 1))
    record = Record(
        int(given["n_clients"]) * samples,
        most=most,
        tilted=tilted,
        balanced=balanced,
        still=still,
        linear=isinstance(asked.functions, MatrixClass),
        constant=isinstance(asked.functions, Linear),
        samples=samples,
        within=within,
        between=between,
    )
    return run_problem(asked.method, asked.functions, asked.measure, asked.case(record))
