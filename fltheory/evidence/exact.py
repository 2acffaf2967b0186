"""Exact values of measures: from a formula, from the law of a round, or by enumeration of all paths."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, ctx
from sympy import Symbol

from fltheory.evidence.measured import BALL_STEPS, MAX_PATHS, RATIONAL_STEPS, AtLeast, AtMost, Measured
from fltheory.evidence.user_values import describes_own_values, direct_value, measure_in_ring, run_values
from fltheory.evidence.validation.consistency import is_plain
from fltheory.evidence.validation.replay import affine_maps, exact_runs
from fltheory.evidence.why_inexact import OutOfReach, UndecidableTie, reason_not_exact
from fltheory.model.case import Case
from fltheory.number import BALL, RATIONAL, NotRational, Number, Ring, as_number, evaluate_to_precision
from fltheory.number.elements import Undecided
from fltheory.number.ownership import is_library
from fltheory.runs.algorithm import Algorithm, object_array, points_as_state, start_state
from fltheory.runs.constants import participants_per_round, run_constants
from fltheory.runs.distributions.affine import AffineFailure, blocks_from_rounds, reason_of
from fltheory.runs.distributions.sample_paths import MAX_DENOMINATOR_BITS, TooManyPaths, enumerate_runs
from fltheory.runs.measures import DirectMeasure, GameMeasure, Measure, RunMeasure
from fltheory.runs.method import Method, NotEnumerable, not_exact
from fltheory.runs.oracle import OwnOracle
from fltheory.runs.protocols import QuadraticInstance, QuadraticStructure, Translatable, has_capability
from fltheory.work import spend

MAX_BALL_BITS = 16_384  # largest precision of a ball, a limit that does not depend on time
FORMULA_COST = 0.1  # units of work for one evaluation
INT_TO_STR_ERROR = "integer string conversion"  # part of Python's message for an integer that is too long to print
MAX_LONG_RUN_BITS = 2_000  # largest size of the rationals of a long run, in bits


def exact_value(measure: Measure, algorithm: Any, case: Case, ring: Ring, surely: bool = False) -> Any:
    """Compute the measured quantity in the ring at the working precision; NotEnumerable or NotRational if impossible.

    ``surely``: return its largest value over all paths.
    """
    if isinstance(measure, DirectMeasure):
        spend(FORMULA_COST)
        return direct_value(measure, case, ring)
    every_path = surely and measure.is_random(case)
    if isinstance(measure, GameMeasure):
        if every_path:
            raise NotEnumerable("its paths can only be simulated")
        return _own_value(measure, algorithm, case, ring)
    if not isinstance(measure, RunMeasure):
        raise NotEnumerable(f"{measure.name} is defined for each path")
    own = None if every_path else _own_value(measure, algorithm, case, ring)
    return _run_value(measure, algorithm, case, ring, surely) if own is None else own


def _own_value(measure: RunMeasure | GameMeasure, algorithm: Any, case: Case, ring: Ring) -> Any:
    """Return the value by the measure's own method, or None; the result of a user's measure must be a number."""
    if not describes_own_values(measure, "exact"):
        return None
    found = measure.exact(algorithm, case, ring)
    return found if found is None or is_library(type(measure).exact) else measure_in_ring(measure, found, ring)


def _run_value(measure: RunMeasure, algorithm: Algorithm, case: Case, ring: Ring, surely: bool) -> Any:
    """Compute from the law of a round if it is known, else by enumeration of all paths."""
    refused = ""
    if not surely:
        case = _centre_case(algorithm, case)
        blocks = round_blocks(algorithm, case, ring)
        if isinstance(blocks, AffineFailure):
            refused = blocks.why
        elif describes_own_values(measure, "from_moments"):
            found = measure.from_moments(blocks, lift_case(algorithm, case, ring), ring)
            return found if is_library(type(measure).from_moments) else measure_in_ring(measure, found, ring)
    try:
        states, probabilities = _enumerate_paths(algorithm, case, ring)
    except NotEnumerable as error:
        raise OutOfReach(refused, f"{error}{_enumeration_hint(algorithm, case, error)}") from error
    values = run_values(measure, states[..., : case.instance.dim], case)
    if surely:
        return _combine_columns(values[:, 0], "max", ring)
    weights = np.empty((len(probabilities), 1), dtype=object)
    weights[:, 0] = probabilities
    return _combine_columns((values * weights).sum(axis=0), "min", ring)


def attach_reason(measured: Measured, missing: Exception, algorithm: Method | None) -> Measured:
    """Add to the measured quantity of a user's algorithm the reason why it is not exact."""
    if measured.evidence == "exact" or algorithm is None or algorithm.of_library:
        return measured
    done = "simulated" if measured.n_seeds > 1 else "followed in floats"  # there is only one game or path
    return replace(
        measured, why="; ".join(filter(None, (reason_not_exact(missing, algorithm.step, done), measured.why)))
    )


def _centre_case(algorithm: Algorithm, case: Case) -> Case:
    """Translate the problem so that its minimiser is 0, if the algorithm is known to commute with translations.

    This avoids cancellation in distances that are much smaller than the minimiser.
    """
    if algorithm.law is None or not is_plain(case.instance) or not has_capability(case.instance, Translatable):
        return case
    return Case(case.instance.centred, **dict(case.settings))


def _enumeration_hint(algorithm: Algorithm, case: Case, error: NotEnumerable) -> str:
    """Return a hint for too many paths: sets of clients instead of orders."""
    if not isinstance(error, TooManyPaths) or not algorithm.ordered or algorithm.of_library:
        return ""
    if has_capability(case.instance, OwnOracle) or case.instance.draws:
        return ""
    c = run_constants(case, None)
    taking = participants_per_round(case.instance, c)
    sets = math.comb(case.instance.n_clients, taking)
    few = sets == 1 or (c.n_rounds <= MAX_PATHS.bit_length() and sets**c.n_rounds <= MAX_PATHS)
    if taking < 2 or not few:  # there are still too many random outcomes
        return ""
    return "; fewer with ordered=False, if the order of the clients in a round makes no difference"


def _enumerate_paths(algorithm: Algorithm, case: Case, ring: Ring) -> tuple[np.ndarray, list[Any]]:
    """Enumerate all paths of a run. An unknown step runs in rationals, or in balls if its numbers are irrational."""
    known = algorithm.anonymous or algorithm.kernel is not None or algorithm.law is not None
    if known:
        return enumerate_runs(algorithm, case, ring, MAX_PATHS)
    if ring is RATIONAL:
        return exact_runs(algorithm, case, MAX_PATHS)
    _require_few_steps(case)
    bits = (
        MAX_DENOMINATOR_BITS if _gradient_steps(case) <= RATIONAL_STEPS else MAX_LONG_RUN_BITS
    )  # short rationals decide ties
    try:
        states, probabilities = exact_runs(algorithm, case, MAX_PATHS, RATIONAL, bits)
    except NotRational as error:
        return _enumerate_in_balls(algorithm, case, NotEnumerable(reason_of(algorithm, error)))
    except NotEnumerable as error:
        return _enumerate_in_balls(algorithm, case, error)
    balls = object_array([ring.scalar(as_number(v)) for v in states.flat], states.shape)
    return balls, [ring.scalar(as_number(p)) for p in probabilities]


def _require_few_steps(case: Case) -> None:
    if _gradient_steps(case) > BALL_STEPS:
        raise NotEnumerable(f"a run of more than {BALL_STEPS} steps is too long to run exactly")


def paths_in_balls(algorithm: Algorithm, case: Case) -> tuple[np.ndarray, list[Any]]:
    """Enumerate all paths of a user's step in balls at the working precision; NotEnumerable if it has none in balls."""
    _require_few_steps(case)
    return _enumerate_in_balls(algorithm, case, NotEnumerable("the step has no values in balls"))


def _enumerate_in_balls(algorithm: Algorithm, case: Case, missing: NotEnumerable) -> tuple[np.ndarray, list[Any]]:
    """Enumerate all paths in balls at the working precision; if this fails too, raise the first error."""
    if isinstance(missing, TooManyPaths) or has_capability(case.instance, OwnOracle):
        raise missing
    try:
        return exact_runs(algorithm, case, MAX_PATHS, BALL)
    except Undecided:
        raise
    except NotEnumerable as error:
        raise error if isinstance(error, TooManyPaths) else missing from error


@dataclass(frozen=True)
class LiftedClients:
    """Clients with additional coordinates for the memory of a step, on which F does not depend."""

    instance: QuadraticInstance
    start: tuple[Number, ...]

    @property
    def dim(self) -> int:
        """The number of coordinates of a point."""
        return self.instance.dim

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        """The constants of the clients."""
        return self.instance.constants

    @property
    def minimiser(self) -> tuple[Number, ...]:
        """The minimiser of the clients, extended by 0."""
        own = self.instance.minimiser
        return (*own, *[0] * (len(self.start) - len(own)))

    def hessian(self, i: int, j: int) -> Number:
        """Return an entry of the Hessian of F."""
        return self.instance.hessian(i, j) if max(i, j) < self.instance.dim else 0


def lift_case(algorithm: Algorithm, case: Case, ring: Ring) -> Case:
    """Return the case with the whole first state as its start, if the algorithm makes its own state."""
    if algorithm.init is points_as_state:
        return case
    start = start_state(algorithm, case, 1, ring)[0]
    return Case(LiftedClients(case.instance, tuple(as_number(v) for v in start)), **dict(case.settings))


def round_blocks(algorithm: Any, case: Case, ring: Ring) -> list[Any] | AffineFailure:
    """Return the law of the rounds on quadratic clients: the algorithm's own, else from its step on affine forms."""
    if not has_capability(case.instance, QuadraticStructure):
        return AffineFailure("")
    if algorithm.law is not None and is_plain(case.instance):
        found: list[Any] = algorithm.law(case.instance, run_constants(case, ring), ring)
        return found
    law = affine_maps(algorithm, case)
    return law if isinstance(law, AffineFailure) else blocks_from_rounds(law, ring)


def _combine_columns(values: np.ndarray, which: str, ring: Ring) -> Any:
    result = values[0]
    for value in values[1:]:
        if ring is BALL:
            result = result.max(value) if which == "max" else result.min(value)
        else:
            result = max(result, value) if which == "max" else min(result, value)
    return result


def exact_ball(measure: Measure, algorithm: Method | None, case: Case, surely: bool = False) -> Measured:
    """Compute the measured quantity as a tight ball."""
    found: Any = None

    def compute() -> arb:
        nonlocal found
        try:
            found = exact_value(measure, algorithm, case, BALL, surely)
        except Undecided as error:
            if ctx.prec < MAX_BALL_BITS:
                return arb("nan")  # more digits may help
            told = not_exact(error, measure.name if algorithm is None else algorithm.name)
            raise UndecidableTie(str(told)) from error
        return arb(found.value if isinstance(found, AtLeast | AtMost) else found)

    ball = evaluate_to_precision(compute, 53, 128, MAX_BALL_BITS)
    if not ball.is_finite():
        raise NotEnumerable(f"the exact value has no finite enclosure, with {MAX_BALL_BITS} bits")
    below, above = isinstance(found, AtLeast), isinstance(found, AtMost)
    known = "a lower" if below else "an upper"
    note = f"the exact value can't be computed, only {known} limit of it is known" if below or above else ""
    return Measured(ball, "exact", note=note, at_least=below, at_most=above)


def exact_rational(measure: Measure, algorithm: Method | None, case: Case, surely: bool = False) -> Measured | None:
    """Return the measured quantity as a rational, or None if it is irrational or too long."""
    if not isinstance(measure, DirectMeasure) and _gradient_steps(case) > RATIONAL_STEPS:
        return None
    try:
        value = as_number(exact_value(measure, algorithm, case, RATIONAL, surely))
    except (NotRational, NotEnumerable):
        return None
    except ValueError as error:
        if INT_TO_STR_ERROR not in str(error):
            raise
        return None  # SymPy sorts by text, and an integer is too long to print
    return Measured(Fraction(value), "exact") if isinstance(value, int | Fraction) else None


def _gradient_steps(case: Case) -> int:
    """Return the number of gradient steps of a run, with which the digits of its exact rational value grow."""
    c = run_constants(case, None)
    return math.prod(int(c.get(name, 1)) for name in ("n_rounds", "n_local_steps", "n_clients"))
