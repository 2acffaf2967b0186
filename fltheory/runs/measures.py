"""Measures: the quantities that theorems bound, computed from a run or from exact moments.

A measure maps states of shape (seeds, R + 1, dim), floats or exact ring elements, to values of shape (seeds, k).
The measured quantity is the mean over seeds, and for k > 1 the least of the k means (a minimum of expectations).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
import sympy
from flint import arb
from sympy import Symbol

from fltheory import symbols
from fltheory.model.bound import Dimension
from fltheory.model.case import Case, FederatedInstance
from fltheory.number import (
    BALL,
    Element,
    NotRational,
    Number,
    Ring,
    evaluate_ball,
    evaluate_exact,
    evaluate_to_precision,
    exact,
    symbolic_value,
    to_ball,
    to_float,
)
from fltheory.runs.distributions import moments
from fltheory.runs.distributions.moments import Block, MapsByRound
from fltheory.runs.method import Method, NotEnumerable, VariantError
from fltheory.runs.protocols import HasGradientCeiling, HasRunRadius, QuadraticInstance, has_capability

if TYPE_CHECKING:
    from fltheory.runs.algorithm import Algorithm
    from fltheory.runs.step_rule import StepRule

ENERGY: Dimension = (sympy.Integer(1), sympy.Integer(0))
LENGTH_SQUARED: Dimension = (sympy.Integer(0), sympy.Integer(2))
GRADIENT_SQUARED: Dimension = (sympy.Integer(2), sympy.Integer(-2))
NUMBER: Dimension = (sympy.Integer(0), sympy.Integer(0))
MAX_EXPLICIT_ROUNDS = 256  # largest number of rounds for a minimum that is taken round by round
MAX_FOLLOWED_ROUNDS = 10_000  # largest number of rounds to simulate; their least value bounds the minimum from above


class Measure:
    """A quantity that a theorem bounds. Its class determines how it is evaluated, see ``fltheory.evidence.decide``.

    ``name`` is the formula in symbols; ``dimension`` must equal that of the bound. Optional capabilities of subclasses
    have defaults here, which mean that the capability is missing.
    """

    if TYPE_CHECKING:  # fields or properties of each measure

        @property
        def name(self) -> str: ...
        @property
        def dimension(self) -> Dimension: ...

    of_any_algorithm = False  # whether its known range holds for every algorithm

    def trivial(self, case: Case) -> Number | None:
        """Return the trivial bound, known without the run; a larger bound is vacuous. None if none is known."""
        return None

    def trivial_formula(self) -> sympy.Expr | None:
        """Return the trivial bound as a formula in constants; None if there is none."""
        return None

    def is_random(self, case: Case) -> bool:
        """Return whether runs may differ: yes, unless the measure excludes it."""
        return True

    def span(self, case: Case) -> tuple[float, float] | None:
        """Return a range that certainly contains its values; None if none is known."""
        return None

    def float_error(self, case: Case) -> float:
        """Return its absolute error in floats, in addition to the relative one."""
        return 0.0


@dataclass(frozen=True)
class ConstantsFormula:
    """Return a formula as a function of a case."""

    expr: sympy.Expr

    def __call__(self, case: Case) -> Number:
        return evaluate_in_case(self.expr, case)


@dataclass(frozen=True)
class DirectMeasure(Measure):
    """A quantity with an exact formula: ``compute(case, ring)`` returns a ring element, or raises NotRational."""

    name: str
    compute: Callable[[Case, Ring], Any]
    dimension: Dimension = NUMBER
    bound_above: Callable[[Case], Number] | None = None

    def trivial(self, case: Case) -> Number | None:
        """Return the trivial bound, or None."""
        return self.bound_above(case) if self.bound_above else None

    def trivial_formula(self) -> sympy.Expr | None:
        return self.bound_above.expr if isinstance(self.bound_above, ConstantsFormula) else None


@dataclass(frozen=True, kw_only=True)
class OneRoundMeasure(DirectMeasure):
    """The value of ``quantity`` after one round of ``method`` from the start of the case, by a closed formula."""

    method: Algorithm
    quantity: RunMeasure


MAX_GAP = symbols.smoothness * symbols.initial_distance**2 / 2  # at distance D
MAX_SQUARED_GRADIENT = 2 * symbols.smoothness * symbols.initial_gap  # |grad F|^2 <= 2 L (F - F*)


class RunSummary(NamedTuple):
    """The part of a run that a measure needs: its average with these weights of rounds 0..R, or the last state."""

    weights: np.ndarray | None = None

    def of(self, states: np.ndarray) -> np.ndarray:
        """Compute it from float states (runs, R + 1, dim), summed from round 0 on as in compiled runs: (runs, dim)."""
        if self.weights is None:
            found: np.ndarray = states[:, -1]
            return found
        average = np.zeros_like(states[:, 0])
        for r, weight in enumerate(self.weights):
            average += weight * states[:, r]
        return average


class RunMeasure(Measure):
    """A quantity of a run, averaged over runs; for k columns it is the least of the k means."""

    of_its_own = False  # whether ``exact`` is implemented
    nonnegative = True  # whether no value is below 0; the mean of others is estimated only in a known ``span``

    def values(self, states: np.ndarray, case: Case[FederatedInstance]) -> np.ndarray:
        """Return k values for every run, (runs, k), from states (runs, R + 1, dim), floats or exact."""
        raise NotImplementedError

    def reading(self, case: Case[FederatedInstance]) -> RunSummary | None:
        """Return the summary that suffices in floats, if one point does; ``of_points`` then returns the values."""
        return None

    def of_points(self, points: np.ndarray, case: Case[FederatedInstance]) -> np.ndarray:
        """Return the values from the summaries of the runs, (runs, dim)."""
        raise NotImplementedError

    def from_moments(self, blocks: list[Block], case: Case[QuadraticInstance], ring: Ring) -> Element:
        """Compute the quantity from the law of a round on quadratic clients; NotEnumerable if that is impossible."""
        raise NotEnumerable(f"{self.name} can't be computed from moments")

    def exact(self, algorithm: Algorithm, case: Case, ring: Ring) -> Any:
        """Compute the quantity by its own method; None if there is none."""
        return None

    def ceiling(self, case: Case, within: float | None = None) -> float | None:
        """Return a bound on all values on all paths of the unmodified algorithms, or None if none is known.

        With ``within`` it holds for any algorithm whose runs stay within this distance of the start.
        """
        return None


class GameMeasure(Measure):
    """A quantity of a game, or of runs that the measure simulates itself, averaged over games.

    ``world`` replaces the player's own environment; ``has_lower_limit``: for a user's player the simulated value is only a
    lower bound.
    """

    world: ClassVar[Any] = None
    has_lower_limit: ClassVar[bool] = False

    def exact(self, player: Any, case: Case, ring: Ring) -> Any:
        """Compute the quantity in the ring; NotEnumerable or NotRational if that is impossible."""
        raise NotEnumerable("it has no exact evaluation")

    def in_floats(self, player: Any, case: Case) -> tuple[float, float]:
        """Enclose it by enumerating all paths in floats with an error budget; NotEnumerable if there are too many."""
        raise NotEnumerable("its paths are not enumerated in floats")

    def simulate(self, player: Any, case: Case, seed: int, repetitions: np.ndarray) -> np.ndarray:
        """Return one value for every repetition."""
        raise NotEnumerable("it is not simulated")


class DataDependentMeasure(Measure):
    """A quantity whose bound uses constants of the run itself, ``letters``."""

    if TYPE_CHECKING:  # a field or a property of each measure

        @property
        def letters(self) -> tuple[Symbol, ...]: ...


class PathMeasure(DataDependentMeasure):
    """A quantity and the constants of its bound, both computed from the states of each path, (paths, T + 1, dim)."""

    def values(self, states: np.ndarray, case: Case[FederatedInstance]) -> np.ndarray:
        """Return the quantity of every path, (paths, 1)."""
        raise NotImplementedError

    def read(self, states: np.ndarray, case: Case) -> Mapping[Symbol, np.ndarray]:
        """Return the constants of every path, (paths,) each."""
        raise NotImplementedError

    def uncertainty(self, case: Case) -> float:
        """Return by how much uncertain constants of the instance (balls) may move either side."""
        return 0.0


class DeterministicMeasure(DataDependentMeasure):
    """A quantity of the deterministic run of a step-size rule, computed exactly.

    ``follow(rule, case)`` returns the value and the constants that the bound takes from the run, as rationals or balls.
    Balls cannot confirm equality of irrational numbers, so sides within a positive ``tolerance`` count as equal.
    """

    tolerance = 0.0  # relative to the bound, or to 1 if it is 0

    @property
    def letters(self) -> tuple[Symbol, ...]:
        """The constants that the bound takes from the run."""
        return ()

    def follow(self, rule: StepRule, case: Case) -> tuple[Any, Mapping[Symbol, Any]]:
        """Return the value and the constants of the run."""
        raise NotImplementedError

    def is_random(self, case: Case) -> bool:
        """Return False: the run is deterministic."""
        return False


@dataclass(frozen=True)
class Against(DataDependentMeasure):
    """A quantity of a run whose bound has the same quantity of a second algorithm in it, on the same case.

    In expectation over the randomness of both. Exact where both values are, see ``fltheory.evidence.baseline``.

    Parameters
    ----------
    measure : RunMeasure or GameMeasure
        The quantity.
    other : Algorithm, Learner or Sampler
        The second algorithm, which reads the same constants as the first.

    Raises
    ------
    ValueError
        If ``measure`` is no quantity of a run or ``other`` no algorithm.

    Examples
    --------
    >>> from fltheory.papers.sfl.algorithms import parallel
    >>> from fltheory.runs.measures import Against, LastDistance
    >>> Against(LastDistance(), parallel).baseline.name.startswith("LastDistance_of_")
    True
    """

    measure: RunMeasure | GameMeasure
    other: Method

    def __post_init__(self) -> None:
        if not isinstance(self.measure, RunMeasure | GameMeasure):
            raise ValueError(
                f"Against compares a quantity of runs in expectation, such as LastDistance(), got {self.measure!r}"
            )
        if not isinstance(self.other, Method):
            raise ValueError(f"Against needs a second algorithm: an Algorithm, Learner or Sampler, got {self.other!r}")
        object.__setattr__(self, "other", self.other.believed())

    @property
    def name(self) -> str:
        """The quantity in symbols."""
        return self.measure.name

    @property
    def dimension(self) -> Dimension:
        """The powers of the units of the quantity."""
        return self.measure.dimension

    @property
    def baseline(self) -> Symbol:
        """The value of the second algorithm, for bounds: ``quantity <= against.baseline``."""
        name = re.sub(r"\W+", "_", self.other.name).strip("_")
        objective: Any
        objective, length = self.measure.dimension
        text = f"value of the second algorithm, {name}"
        return symbols.declare(f"{type(self.measure).__name__}_of_{name}", text, "real", objective, length)

    @property
    def letters(self) -> tuple[Symbol, ...]:
        """The value of the second algorithm."""
        return (self.baseline,)

    def is_random(self, case: Case) -> bool:
        return self.measure.is_random(case)


def run_notation(measure: Measure | None) -> tuple[Symbol, ...]:
    """The constants that the bound takes from the run."""
    return measure.letters if isinstance(measure, DataDependentMeasure) else ()


def evaluate_in_ring(expr: sympy.Expr, case: Case, ring: Ring) -> Element:
    """Evaluate an expression in the case's constants as a ring element."""
    values = case.constants
    return evaluate_ball(expr, values) if ring is BALL else ring.scalar(evaluate_exact(expr, values))


def _start_moments(case: Case[QuadraticInstance], block: Block, ring: Ring) -> Element:
    return moments.outer_column([ring.scalar(case.instance.start[i]) for i in block.coordinates], ring)


def _mean_gap(final: Callable[[Block], Any], blocks: list[Block], case: Case[QuadraticInstance], ring: Ring) -> Element:
    """E[F] - F* = E[(x - x*)^T H (x - x*)] / 2, summed over blocks."""
    instance = case.instance
    total = ring.scalar(0)
    for block in blocks:
        centre = [ring.scalar(instance.minimiser[i]) for i in block.coordinates]

        def hessian(i: int, j: int, at: tuple[int, ...] = block.coordinates) -> Element:
            return ring.scalar(instance.hessian(at[i], at[j]))

        total = total + moments.quadratic_mean(final(block), hessian, centre, ring)
    return total / 2


def _gaps(points: np.ndarray, case: Case[FederatedInstance]) -> np.ndarray:
    """Return F(x) - F*, (runs, 1); VariantError for clients without objectives, such as operators."""
    if not has_capability(case.instance, FederatedInstance):
        raise VariantError(f"{type(case.instance).__name__} has no objective, so no gap: measure a distance")
    return case.instance.gap(points)[:, None]


@dataclass(frozen=True)
class LastGap(RunMeasure):
    """E[F(x^(R)) - F*]: the last iterate."""

    name: str = "E[F(x_R) - F*]"
    dimension: Dimension = ENERGY

    def values(self, states: np.ndarray, case: Case[FederatedInstance]) -> np.ndarray:
        return self.of_points(states[:, -1], case)

    def reading(self, case: Case[FederatedInstance]) -> RunSummary | None:
        return RunSummary() if type(self) is LastGap else None

    def of_points(self, points: np.ndarray, case: Case[FederatedInstance]) -> np.ndarray:
        return _gaps(points, case)

    def from_moments(self, blocks: list[Block], case: Case[QuadraticInstance], ring: Ring) -> Element:
        rounds = case.constants[symbols.n_rounds]
        return _mean_gap(
            lambda b: moments.second_moments(b.law, _start_moments(case, b, ring), rounds, ring), blocks, case, ring
        )

    def ceiling(self, case: Case, within: float | None = None) -> float | None:
        return _gap_ceiling(case, within)

    def trivial(self, case: Case) -> Number | None:
        return _half_smoothness_distance(case)

    def trivial_formula(self) -> sympy.Expr | None:
        return MAX_GAP


@dataclass(frozen=True)
class AveragedGap(RunMeasure):
    """E[F(xbar) - F*] for the average of x_0..x_R with weights w_r proportional to decay^-(r+1)."""

    decay: sympy.Expr
    name: str = "E[F(x̄) - F*]"
    dimension: Dimension = ENERGY

    def weights(self, case: Case) -> np.ndarray:
        """Return the normalised weights of rounds 0..R as floats; NaN if their sum is 0 or out of range."""
        decay = float(evaluate_in_ring(self.decay, case, BALL).mid())
        rounds = int(case.constants[symbols.n_rounds])
        with np.errstate(all="ignore"):
            weights = decay ** np.arange(rounds, -1, -1.0)
            weights = weights / weights.sum()
        return weights if np.isfinite(weights).all() else np.full(rounds + 1, np.nan)

    def values(self, states: np.ndarray, case: Case[FederatedInstance]) -> np.ndarray:
        if states.dtype != object:
            return self.of_points(RunSummary(self.weights(case)).of(states), case)
        from fltheory.model.case import ring_of

        ring = ring_of(states)
        assert ring is not None
        decay = evaluate_in_ring(self.decay, case, ring)
        weight, total, average = ring.scalar(1), ring.scalar(0), states[:, 0] * 0
        for r in range(states.shape[1] - 1, -1, -1):
            average, total, weight = average + states[:, r] * weight, total + weight, weight * decay
        return self.of_points(average / total, case)

    def reading(self, case: Case[FederatedInstance]) -> RunSummary | None:
        return RunSummary(self.weights(case)) if type(self) is AveragedGap else None

    def of_points(self, points: np.ndarray, case: Case[FederatedInstance]) -> np.ndarray:
        return _gaps(points, case)

    def from_moments(self, blocks: list[Block], case: Case[QuadraticInstance], ring: Ring) -> Element:
        rounds = case.constants[symbols.n_rounds]
        decay = evaluate_in_ring(self.decay, case, ring)
        return _mean_gap(
            lambda b: moments.average_iterate_moments(b.law, _start_moments(case, b, ring), rounds, decay, ring),
            blocks,
            case,
            ring,
        )

    def ceiling(self, case: Case, within: float | None = None) -> float | None:
        return _gap_ceiling(case, within)

    def trivial(self, case: Case) -> Number | None:
        return _half_smoothness_distance(case)

    def trivial_formula(self) -> sympy.Expr | None:
        return MAX_GAP


@dataclass(frozen=True)
class LastDistance(RunMeasure):
    """E||x^(R) - x*||^2."""

    name: str = "E|x_R - x*|²"
    dimension: Dimension = LENGTH_SQUARED

    def values(self, states: np.ndarray, case: Case[FederatedInstance]) -> np.ndarray:
        return self.of_points(states[:, -1], case)

    def reading(self, case: Case[FederatedInstance]) -> RunSummary | None:
        return RunSummary() if type(self) is LastDistance else None

    def of_points(self, points: np.ndarray, case: Case[FederatedInstance]) -> np.ndarray:
        instance = case.instance
        if points.dtype == object:
            from fltheory.model.case import ring_of

            ring = ring_of(points)
            assert ring is not None
            best = np.array([ring.scalar(v) for v in instance.minimiser] + [None], dtype=object)[:-1]
        else:
            best = np.array([to_float(v) for v in instance.minimiser])
        away = points - best
        return (away * away).sum(axis=1)[:, None]  # not ** 2: a power of a ball around 0 is NaN

    def from_moments(self, blocks: list[Block], case: Case[QuadraticInstance], ring: Ring) -> Element:
        rounds = case.constants[symbols.n_rounds]
        total = ring.scalar(0)
        for block in blocks:
            final = moments.second_moments(block.law, _start_moments(case, block, ring), rounds, ring)
            centre = [ring.scalar(case.instance.minimiser[i]) for i in block.coordinates]
            points = [i < case.instance.dim for i in block.coordinates]  # other coordinates are the step's memory
            total = total + moments.quadratic_mean(final, lambda i, j: int(i == j and points[i]), centre, ring)  # noqa: B023 (called at once)
        return total

    def ceiling(self, case: Case, within: float | None = None) -> float | None:
        radius = _run_radius(case, within)
        return None if radius is None else sum(r * r for r in radius)

    def trivial(self, case: Case) -> Number | None:
        distance = case.constants.get(symbols.initial_distance)
        return None if distance is None else distance * distance

    def trivial_formula(self) -> sympy.Expr | None:
        return symbols.initial_distance**2


@dataclass(frozen=True)
class LeastGradient(RunMeasure):
    """min over r = 0..R of E||grad F(x^(r))||^2: a minimum of expectations."""

    name: str = "min E|∇F(x_r)|²"
    dimension: Dimension = GRADIENT_SQUARED

    def values(self, states: np.ndarray, case: Case[FederatedInstance]) -> np.ndarray:
        seeds, rounds, dim = states.shape
        gradients = case.instance.mean_gradient(states.reshape(seeds * rounds, dim))
        return (gradients * gradients).sum(axis=1).reshape(seeds, rounds)

    def from_moments(self, blocks: list[Block], case: Case[QuadraticInstance], ring: Ring) -> Element:
        instance = case.instance
        rounds = case.constants[symbols.n_rounds]
        if ring is BALL and rounds > MAX_EXPLICIT_ROUNDS and all(len(block.coordinates) == 1 for block in blocks):
            least = self._of_long_run(blocks, case)
            if least is not None:
                return least
        followed = min(rounds, MAX_FOLLOWED_ROUNDS) if ring is BALL else rounds
        totals = [ring.scalar(0)] * (followed + 1)
        for block in blocks:
            at = block.coordinates
            hessian = [[ring.scalar(instance.hessian(i, j)) for j in at] for i in at]
            squared = [[sum(row[k] * other[k] for k in range(len(at))) for other in hessian] for row in hessian]
            centre = [ring.scalar(instance.minimiser[i]) for i in at]
            for r, state in enumerate(moments.trajectory(block.law, _start_moments(case, block, ring), followed)):
                part = moments.quadratic_mean(state, lambda i, j: squared[i][j], centre, ring)  # noqa: B023 (called at once)
                totals[r] = totals[r] + part
        least = totals[0]
        for value in totals[1:]:
            least = least.min(value) if ring is BALL else min(least, value)
        return least if followed == rounds else arb(0).union(least)

    def _of_long_run(self, blocks: list[Block], case: Case[QuadraticInstance]) -> Element | None:
        """Compute it for independent coordinates by closed forms, at a cost that grows only with log R."""
        instance = case.instance
        constant, terms = arb(0), list[Any]()
        for block in blocks:
            (i,) = block.coordinates
            curvature = to_ball(instance.hessian(i, i))
            if curvature.is_zero():
                continue
            if isinstance(block.law, MapsByRound):
                return None
            centre = to_ball(instance.minimiser[i])
            form = moments.squared_distance_terms(
                block.law, _start_moments(case, block, BALL), centre, curvature * curvature
            )
            if form is None:
                return None
            constant, terms = constant + form[0], terms + form[1]
        return moments.minimum_over_rounds(constant, terms, int(case.constants[symbols.n_rounds]))

    def ceiling(self, case: Case, within: float | None = None) -> float | None:
        if isinstance(case.instance, HasGradientCeiling):
            return float(case.instance.gradient_ceiling)
        gap, smoothness = _gap_ceiling(case, within), case.constants.get(symbols.smoothness)
        return None if gap is None or smoothness is None else 2 * to_float(smoothness) * gap

    def trivial(self, case: Case) -> Number | None:
        constants = case.constants
        if symbols.initial_gap not in constants or symbols.smoothness not in constants:
            return None
        return evaluate_in_case(MAX_SQUARED_GRADIENT, case)

    def trivial_formula(self) -> sympy.Expr | None:
        return MAX_SQUARED_GRADIENT


def _half_smoothness_distance(case: Case) -> Number | None:
    """Return L D^2 / 2, the largest gap at distance D."""
    constants = case.constants
    if symbols.smoothness not in constants or symbols.initial_distance not in constants:
        return None
    return evaluate_in_case(MAX_GAP, case)


def evaluate_in_case(expr: sympy.Expr, case: Case) -> Number:
    """Evaluate at the case's constants: exactly, or as a ball if one of them is a ball."""
    try:
        return exact(symbolic_value(expr, case.constants))
    except NotRational:
        return evaluate_to_precision(lambda: evaluate_ball(expr, case.constants))


def _run_radius(case: Case, within: float | None) -> list[float] | None:
    """Bound the distance of runs from the minimiser, by coordinate or in total."""
    constants = case.constants
    if within is not None:
        distance = constants.get(symbols.initial_distance)
        return None if distance is None else [(to_float(distance) + within) * (1 + 1e-9)]
    step, server = constants.get(symbols.step_size), constants.get(symbols.server_step_size, 1)
    if step is None or not isinstance(case.instance, HasRunRadius) or server != 1:
        return None
    return case.instance.radius(to_float(step))


def _gap_ceiling(case: Case, within: float | None) -> float | None:
    radius, smoothness = _run_radius(case, within), case.constants.get(symbols.smoothness)
    if radius is None or smoothness is None:
        return None
    return to_float(smoothness) / 2 * sum(r * r for r in radius) * (1 + 1e-9)
