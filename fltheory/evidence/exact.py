"""Exact values: by a formula, from the law of a round, or of every course of a run."""

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
from fltheory.runs.protocols import OwnOracle, QuadraticInstance, QuadraticStructure, Translatable, has_capability
from fltheory.work import spend

MAX_BALL_BITS = 16_384  # bits of a ball at most: so much work, whatever the clock says
FORMULA_COST = 0.1  # units of work of an evaluation
INT_TO_STR_ERROR = "integer string conversion"  # in what Python says of an integer that it does not print
MAX_LONG_RUN_BITS = 2_000  # bits of the rationals of a long run


def exact_value(measure: Measure, algorithm: Any, case: Case, ring: Ring, surely: bool = False) -> Any:
    """The measured quantity in the ring, at the working precision; NotEnumerable or NotRational where out of reach.

    ``surely``: its largest value over all paths.
    """
    if isinstance(measure, DirectMeasure):
        spend(FORMULA_COST)
        return direct_value(measure, case, ring)
    every_path = surely and measure.is_random(case)
    if isinstance(measure, GameMeasure):
        if every_path:
            raise NotEnumerable("its paths are simulated")
        return _own_value(measure, algorithm, case, ring)
    if not isinstance(measure, RunMeasure):
        raise NotEnumerable(f"{measure.name} is known path by path")
    own = None if every_path else _own_value(measure, algorithm, case, ring)
    return _run_value(measure, algorithm, case, ring, surely) if own is None else own


def _own_value(measure: RunMeasure | GameMeasure, algorithm: Any, case: Case, ring: Ring) -> Any:
    """The value by the measure's own way, None where it has none; a user's is asked whether it is a number."""
    if not describes_own_values(measure, "exact"):
        return None
    found = measure.exact(algorithm, case, ring)
    return found if found is None or is_library(type(measure).exact) else measure_in_ring(measure, found, ring)


def _run_value(measure: RunMeasure, algorithm: Algorithm, case: Case, ring: Ring, surely: bool) -> Any:
    """From the law of a round where that is known, else of every course."""
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
    """What was measured of a user's algorithm, with the reason why it is not exact."""
    if measured.evidence == "exact" or algorithm is None or algorithm.of_library:
        return measured
    done = "simulated" if measured.n_seeds > 1 else "followed in floats"  # one game is all there is, or one course
    return replace(
        measured, why="; ".join(filter(None, (reason_not_exact(missing, algorithm.step, done), measured.why)))
    )


def _centre_case(algorithm: Algorithm, case: Case) -> Case:
    """The same problem with its minimiser moved to 0, where the algorithm is known to commute with translations.

    Distances far below the minimiser's size then come out without cancellation.
    """
    if algorithm.law is None or not is_plain(case.instance) or not has_capability(case.instance, Translatable):
        return case
    return Case(case.instance.centred, **dict(case.settings))


def _enumeration_hint(algorithm: Algorithm, case: Case, error: NotEnumerable) -> str:
    """What would make the courses fewer that are too many: sets of clients in place of their orders."""
    if not isinstance(error, TooManyPaths) or not algorithm.ordered or algorithm.of_library:
        return ""
    if has_capability(case.instance, OwnOracle) or case.instance.draws:
        return ""
    c = run_constants(case, None)
    taking = participants_per_round(case.instance, c)
    sets = math.comb(case.instance.n_clients, taking)
    few = sets == 1 or (c.n_rounds <= MAX_PATHS.bit_length() and sets**c.n_rounds <= MAX_PATHS)
    if taking < 2 or not few:  # chance leaves too many of them all the same
        return ""
    return "; fewer with ordered=False, if the order of the clients in a round makes no difference"


def _enumerate_paths(algorithm: Algorithm, case: Case, ring: Ring) -> tuple[np.ndarray, list[Any]]:
    """All courses of a run. A step that we know nothing of runs in rationals; in balls where these don't hold its numbers."""
    known = algorithm.anonymous or algorithm.kernel is not None or algorithm.law is not None
    if known:
        return enumerate_runs(algorithm, case, ring, MAX_PATHS)
    if ring is RATIONAL:
        return exact_runs(algorithm, case, MAX_PATHS)
    if _gradient_steps(case) > BALL_STEPS:
        raise NotEnumerable(f"a run of more than {BALL_STEPS} steps is too long to follow exactly")
    bits = (
        MAX_DENOMINATOR_BITS if _gradient_steps(case) <= RATIONAL_STEPS else MAX_LONG_RUN_BITS
    )  # ties are told where rationals stay short
    try:
        states, probabilities = exact_runs(algorithm, case, MAX_PATHS, RATIONAL, bits)
    except NotRational as error:
        return _enumerate_in_balls(algorithm, case, NotEnumerable(reason_of(algorithm, error)))
    except NotEnumerable as error:
        return _enumerate_in_balls(algorithm, case, error)
    balls = object_array([ring.scalar(as_number(v)) for v in states.flat], states.shape)
    return balls, [ring.scalar(as_number(p)) for p in probabilities]


def _enumerate_in_balls(algorithm: Algorithm, case: Case, missing: NotEnumerable) -> tuple[np.ndarray, list[Any]]:
    """All courses in balls, at the working precision; the first reason where these don't go through either."""
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
    """Clients whose coordinates go on with what a step remembers, which F does not depend on."""

    instance: QuadraticInstance
    start: tuple[Number, ...]

    @property
    def dim(self) -> int:
        """How many of the coordinates are a point's."""
        return self.instance.dim

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        """Those of the clients."""
        return self.instance.constants

    @property
    def minimiser(self) -> tuple[Number, ...]:
        """That of the clients, and 0."""
        own = self.instance.minimiser
        return (*own, *[0] * (len(self.start) - len(own)))

    def hessian(self, i: int, j: int) -> Number:
        """Entry of the Hessian of F."""
        return self.instance.hessian(i, j) if max(i, j) < self.instance.dim else 0


def lift_case(algorithm: Algorithm, case: Case, ring: Ring) -> Case:
    """The case with the whole first state for its start, where the algorithm makes that itself."""
    if algorithm.init is points_as_state:
        return case
    start = start_state(algorithm, case, 1, ring)[0]
    return Case(LiftedClients(case.instance, tuple(as_number(v) for v in start)), **dict(case.settings))


def round_blocks(algorithm: Any, case: Case, ring: Ring) -> list[Any] | AffineFailure:
    """The law of the rounds on quadratic clients: the algorithm's own, else by running its step on affine forms."""
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
    """The measured quantity as a tight ball."""
    found: Any = None

    def compute() -> arb:
        nonlocal found
        try:
            found = exact_value(measure, algorithm, case, BALL, surely)
        except Undecided as error:
            if ctx.prec < MAX_BALL_BITS:
                return arb("nan")  # more digits may tell
            told = not_exact(error, measure.name if algorithm is None else algorithm.name)
            raise UndecidableTie(str(told)) from error
        return arb(found.value if isinstance(found, AtLeast | AtMost) else found)

    ball = evaluate_to_precision(compute, 53, 128, MAX_BALL_BITS)
    if not ball.is_finite():
        raise NotEnumerable(f"the exact value has no finite enclosure, with {MAX_BALL_BITS} bits")
    below, above = isinstance(found, AtLeast), isinstance(found, AtMost)
    known = "a lower" if below else "an upper"
    note = f"the exact value is out of reach, only {known} limit of it is known" if below or above else ""
    return Measured(ball, "exact", note=note, at_least=below, at_most=above)


def exact_rational(measure: Measure, algorithm: Method | None, case: Case, surely: bool = False) -> Measured | None:
    """The measured quantity as a rational, or None where it isn't one or would be too long."""
    if not isinstance(measure, DirectMeasure) and _gradient_steps(case) > RATIONAL_STEPS:
        return None
    try:
        value = as_number(exact_value(measure, algorithm, case, RATIONAL, surely))
    except (NotRational, NotEnumerable):
        return None
    except ValueError as error:
        if INT_TO_STR_ERROR not in str(error):
            raise
        return None  # SymPy sorts by texts, and some integer has none
    return Measured(Fraction(value), "exact") if isinstance(value, int | Fraction) else None


def _gradient_steps(case: Case) -> int:
    """How many gradient steps a run has: the digits of its exact rational value grow with it."""
    c = run_constants(case, None)
    return math.prod(int(c.get(name, 1)) for name in ("n_rounds", "n_local_steps", "n_clients"))
