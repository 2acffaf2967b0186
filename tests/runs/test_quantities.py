"""Measures where something is missing, unusual or long: kinds of measures, trivial bounds, ceilings, long runs."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import sympy
from flint import arb, fmpq

from fltheory import symbols
from fltheory.model.case import Case
from fltheory.number import BALL, RATIONAL, as_number, to_float
from fltheory.papers.sfl import algorithms
from fltheory.problems.dense import DenseQuadraticClients
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients
from fltheory.runs import measures
from fltheory.runs.algorithm import Algorithm, rollout
from fltheory.runs.constants import run_constants
from fltheory.runs.distributions import moments
from fltheory.runs.distributions.affine import affine_blocks
from fltheory.runs.distributions.moments import Block, MapMoments, MapsByRound
from fltheory.runs.distributions.sample_paths import enumerate_runs
from fltheory.runs.measures import (
    AveragedGap,
    ConstantsFormula,
    DataDependentMeasure,
    DeterministicMeasure,
    DirectMeasure,
    GameMeasure,
    LastDistance,
    LastGap,
    LeastGradient,
    Measure,
    PathMeasure,
    RunMeasure,
    RunSummary,
    evaluate_in_case,
    run_notation,
)
from fltheory.runs.method import NotEnumerable

HALF = AveragedGap(sympy.Rational(1, 2))
RUN_MEASURES = (LastGap(), HALF, LastDistance(), LeastGradient())
CASE = Case(QuadraticClients((2, 4), (3, -3), 1), n_rounds=2, n_local_steps=1, step_size="1/10")
DENSE = Case(
    DenseQuadraticClients(
        ((2, 1), (1, "1/2")), ((1, -1), (0, 2)), (1, -1), reflections=(((1, 2),), ((3, 1),)), noise_std=("1/2", 1)
    ),
    n_rounds=2,
    n_local_steps=1,
    step_size="1/10",
)


class Bare:
    """What an instance of which nothing is known says."""

    n_clients, dim, start, minimiser, draws = 1, 1, (1,), (0,), 0

    def __init__(self, **constants: Any) -> None:
        self.constants = {symbols.VOCABULARY[name].symbol: value for name, value in constants.items()}


def test_a_measure_of_which_nothing_is_known_says_so() -> None:
    plain = Measure()
    assert plain.trivial(CASE) is None
    assert plain.trivial_formula() is None
    assert plain.span(CASE) is None
    assert plain.float_error(CASE) == 0
    assert plain.is_random(CASE) is True
    assert plain.of_any_algorithm is False
    run: Any = RunMeasure()
    assert run.reading(CASE) is None
    assert run.exact(None, CASE, RATIONAL) is None
    assert run.ceiling(CASE) is None
    for call in (lambda: run.values(None, CASE), lambda: run.of_points(None, CASE)):
        with pytest.raises(NotImplementedError):
            call()
    with pytest.raises(NotEnumerable, match="steepness can't be computed from moments"):
        type("Named", (RunMeasure,), {"name": "steepness"})().from_moments([], CASE, RATIONAL)
    game = GameMeasure()
    for call, words in (
        (lambda: game.exact(None, CASE, RATIONAL), "no exact evaluation"),
        (lambda: game.in_floats(None, CASE), "not enumerated in floats"),
        (lambda: game.simulate(None, CASE, 0, np.arange(2)), "not simulated"),
    ):
        with pytest.raises(NotEnumerable, match=words):
            call()
    path: Any = PathMeasure()
    assert path.uncertainty(CASE) == 0
    for call in (lambda: path.values(None, CASE), lambda: path.read(None, CASE)):
        with pytest.raises(NotImplementedError):
            call()
    fixed: Any = DeterministicMeasure()
    assert fixed.is_random(CASE) is False
    assert fixed.letters == ()
    with pytest.raises(NotImplementedError):
        fixed.follow(None, CASE)


def test_constants_of_the_run_are_those_of_measures_that_depend_on_data() -> None:
    own: Any = type("Own", (DataDependentMeasure,), {"letters": (symbols.step_size,)})()
    assert run_notation(own) == (symbols.step_size,)
    assert run_notation(LastGap()) == ()
    assert run_notation(None) == ()


def test_the_trivial_bound_of_a_formula_is_known_without_a_case() -> None:
    expr = symbols.smoothness * 3
    told = DirectMeasure("m", lambda case, ring: ring.scalar(1), bound_above=ConstantsFormula(expr))
    assert told.trivial_formula() == expr
    assert told.trivial(CASE) == 12
    assert DirectMeasure("m", lambda case, ring: 1, bound_above=lambda case: 7).trivial_formula() is None
    assert DirectMeasure("m", lambda case, ring: 1).trivial_formula() is None
    length, smooth, gap = symbols.initial_distance, symbols.smoothness, symbols.initial_gap
    assert LastGap().trivial_formula() == HALF.trivial_formula() == smooth * length**2 / 2
    assert LastDistance().trivial_formula() == length**2
    assert LeastGradient().trivial_formula() == 2 * smooth * gap


@pytest.mark.parametrize("measure", RUN_MEASURES, ids=lambda m: m.name)
def test_formula_and_value_of_a_trivial_bound_agree_and_need_the_same_constants(measure: RunMeasure) -> None:
    formula = measure.trivial_formula()
    assert formula is not None
    assert measure.trivial(CASE) == evaluate_in_case(formula, CASE)
    full = {s.name: CASE.constants[s] for s in formula.free_symbols}
    assert measure.trivial(Case(Bare(**full))) == measure.trivial(CASE)
    for name in full:
        rest = {k: v for k, v in full.items() if k != name}
        assert measure.trivial(Case(Bare(**rest))) is None


def test_formulas_are_exact_where_they_can_be_and_balls_elsewhere() -> None:
    assert evaluate_in_case(symbols.smoothness / 3, CASE) == Fraction(4, 3)
    with_ball = Case(Bare(smoothness=2))
    with_ball.own[symbols.smoothness] = arb(2, 1e-9)
    found = evaluate_in_case(symbols.smoothness / 3, with_ball)
    assert isinstance(found, arb)
    assert found.contains(fmpq(2, 3))


# Summaries in floats ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", [LastGap(), HALF, LastDistance()], ids=lambda m: m.name)
@pytest.mark.parametrize("case", [CASE, DENSE], ids=["separable", "dense"])
def test_a_summary_of_a_run_gives_its_values(measure: RunMeasure, case: Any) -> None:
    states = rollout(algorithms.sequential, case, 3, 1)
    summary = measure.reading(case)
    assert summary is not None
    np.testing.assert_allclose(measure.of_points(summary.of(states), case), measure.values(states, case), rtol=1e-12)
    assert measure.values(states, case).shape == (3, 1)
    assert LeastGradient().reading(case) is None
    own = type("Own", (type(measure),), {})  # its values may be others
    assert object.__new__(own).reading(case) is None


def test_summaries_are_the_last_state_or_the_weighted_average() -> None:
    states = np.arange(12.0).reshape(2, 3, 2)
    np.testing.assert_array_equal(RunSummary().of(states), states[:, -1])
    weights = np.array([0.5, 0.25, 0.125])
    np.testing.assert_allclose(RunSummary(weights).of(states), (states * weights[:, None]).sum(axis=1))


def test_weights_that_floats_cannot_hold_are_nan() -> None:
    # decay^0 + 0 decay: sums of weights 1, -1 are 0
    assert np.isnan(AveragedGap(sympy.Integer(-1)).weights(CASE.with_settings(n_rounds=1))).all()
    assert np.isnan(AveragedGap(sympy.Integer(10)).weights(CASE.with_settings(n_rounds=400))).all()
    weights = AveragedGap(sympy.Integer(0)).weights(CASE)
    assert weights.tolist() == [0, 0, 1]
    assert len(AveragedGap(sympy.Integer(-1)).weights(CASE.with_settings(n_rounds=1))) == 2


# Moments ----------------------------------------------------------------------------------------------------------------


def by_paths(measure: RunMeasure, algorithm: Algorithm, case: Any) -> Fraction:
    states, chances = enumerate_runs(algorithm, case, RATIONAL)
    columns = measure.values(states[:, :, : case.instance.dim], case).T
    means = [
        sum(Fraction(as_number(v)) * Fraction(as_number(w)) for v, w in zip(c, chances, strict=True)) for c in columns
    ]
    return min(means)


def blocks_of(algorithm: Algorithm, case: Any, ring: Any) -> list[Block]:
    assert algorithm.law is not None
    found: list[Block] = algorithm.law(case.instance, run_constants(case, ring), ring)
    return found


@pytest.mark.parametrize("measure", [*RUN_MEASURES, AveragedGap(sympy.Integer(1))], ids=lambda m: m.name)
@pytest.mark.parametrize("rounds", [1, 2])
def test_moments_with_full_hessians_are_those_of_all_paths(measure: RunMeasure, rounds: int) -> None:
    case = DENSE.with_settings(n_rounds=rounds)
    expected = by_paths(measure, algorithms.sequential, case)
    for ring in (RATIONAL, BALL):
        found = measure.from_moments(blocks_of(algorithms.sequential, case, ring), case, ring)
        assert (found == ring.scalar(expected)) if ring is RATIONAL else found.overlaps(ring.scalar(expected))
    assert measure.from_moments(
        affine_blocks(Algorithm("m", algorithms.sequential_step), case, RATIONAL), case, RATIONAL
    ) == RATIONAL.scalar(expected)


def test_memory_of_a_step_is_no_part_of_the_distance() -> None:
    """A block of the point 2 and a memory of 7: the distance from 0 is 2."""
    case = Case(QuadraticClients((1,), (0,), 2), n_rounds=1, step_size="1/10")
    lifted = SimpleNamespace(instance=SimpleNamespace(start=(2, 7), minimiser=(0, 0), dim=1), constants=case.constants)
    still = Block((0, 1), moments.identity_moments(3, RATIONAL))
    assert LastDistance().from_moments([still], lifted, RATIONAL) == 4


LONG = Case(QuadraticClients((1, "1/2"), (1, -2), 5, "1/3"), n_rounds=2000, n_local_steps=1, step_size="1/50")


def test_long_runs_by_closed_forms_and_round_by_round_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = blocks_of(algorithms.sequential, LONG, BALL)
    told: list[Any] = []
    closed = LeastGradient._of_long_run
    monkeypatch.setattr(LeastGradient, "_of_long_run", lambda *given: told.append(closed(*given)) or told[-1])
    found = LeastGradient().from_moments(blocks, LONG, BALL)
    assert len(told) == 1
    assert found is told[0]
    monkeypatch.setattr(measures, "MAX_EXPLICIT_ROUNDS", 2000)
    explicit = LeastGradient().from_moments(blocks, LONG, BALL)
    assert len(told) == 1
    assert found.overlaps(explicit)
    assert max(found.rad(), explicit.rad()) < 1e-9
    short = LONG.with_settings(n_rounds=40)
    assert explicit.overlaps(LeastGradient().from_moments(blocks, short, BALL)) is False


def test_long_runs_in_rationals_or_without_a_closed_form_are_followed_round_by_round() -> None:
    halving = Case(QuadraticClients((1,), (0,), 1), n_rounds=300, n_local_steps=1, step_size="1/2")
    exact = LeastGradient().from_moments(blocks_of(algorithms.sequential, halving, RATIONAL), halving, RATIONAL)
    assert exact == fmpq(1, 4**300)
    at_once = halving.with_settings(step_size=1)  # E A = 0
    found = LeastGradient().from_moments(blocks_of(algorithms.sequential, at_once, BALL), at_once, BALL)
    assert found == 0


def test_flat_coordinates_of_a_long_run_have_no_gradient() -> None:
    flat = Case(QuadraticClients(((1, 0), ("1/2", 0)), ((1, 0), (-2, 0)), (5, 3), "1/3"), **dict(LONG.settings))
    found = LeastGradient().from_moments(blocks_of(algorithms.sequential, flat, BALL), flat, BALL)
    assert found.overlaps(LeastGradient().from_moments(blocks_of(algorithms.sequential, LONG, BALL), LONG, BALL))
    assert found.rad() < 1e-9


def test_rounds_that_differ_have_no_closed_form() -> None:
    law = blocks_of(algorithms.sequential, LONG, BALL)[0].law
    assert isinstance(law, MapMoments)
    maps = (((BALL.scalar(1), law.first, BALL.zeros(2, 2)),),) * 2000
    assert LeastGradient()._of_long_run([Block((0,), MapsByRound(maps, BALL))], LONG) is None
    unknown = Block((0,), MapMoments(BALL.identity(2), BALL.identity(4)))  # no contraction
    assert LeastGradient()._of_long_run([unknown], LONG) is None


def test_the_least_of_a_run_too_long_to_follow_is_only_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The least of the first rounds bounds the minimum from above, 0 from below; rationals follow all rounds."""
    case = Case(DENSE.instance, n_rounds=8, n_local_steps=1, step_size="1/10")
    blocks = blocks_of(algorithms.sequential, case, BALL)
    exact = LeastGradient().from_moments(blocks_of(algorithms.sequential, case, RATIONAL), case, RATIONAL)
    monkeypatch.setattr(measures, "MAX_FOLLOWED_ROUNDS", 8)
    assert LeastGradient().from_moments(blocks, case, BALL).rad() < 1e-9
    monkeypatch.setattr(measures, "MAX_FOLLOWED_ROUNDS", 3)
    cut = LeastGradient().from_moments(blocks, case, BALL)
    early = LeastGradient().from_moments(blocks, case.with_settings(n_rounds=3), BALL)
    assert cut.contains(arb(0))
    assert cut.contains(exact)
    assert abs(cut.upper() - early) < 1e-6
    assert LeastGradient().from_moments(blocks_of(algorithms.sequential, case, RATIONAL), case, RATIONAL) == exact


THREE = QuadraticClients(((1, 2, "1/2", 0),), ((0, 0, 0, 0),), (1, -1, 2, 5))


def squared_gradient(step: Fraction, r: int) -> Fraction:
    """The gradient of THREE after r rounds of one step: each coordinate shrinks by 1 - step h."""
    sizes = zip((1, 2, Fraction(1, 2)), (1, -1, 2), strict=True)
    return sum(((h * x * (1 - step * h) ** r) ** 2 for h, x in sizes), Fraction(0))


@pytest.mark.parametrize("ring", [RATIONAL, BALL], ids=str)
@pytest.mark.parametrize("rounds", [0, 1, 5, 300])
def test_gradients_of_all_coordinates_are_added(ring: Any, rounds: int) -> None:
    case = Case(THREE, n_rounds=rounds or 1, n_local_steps=1, step_size="1/10")
    exact = squared_gradient(Fraction(1, 10), rounds or 1)
    found = LeastGradient().from_moments(blocks_of(algorithms.sequential, case, ring), case, ring)
    if ring is RATIONAL:
        assert Fraction(as_number(found)) == exact
    else:
        assert found.overlaps(arb(fmpq(exact.numerator, exact.denominator)))
        assert found.rad() < 1e-6 * float(exact)


def test_runs_longer_than_can_be_followed_have_a_closed_form_in_every_coordinate() -> None:
    """A flat coordinate adds nothing, and the three others add up."""
    rounds, step = 2 * measures.MAX_FOLLOWED_ROUNDS, Fraction(1, 10**5)
    case = Case(THREE, n_rounds=rounds, n_local_steps=1, step_size=step)
    found = LeastGradient().from_moments(blocks_of(algorithms.sequential, case, BALL), case, BALL)
    sizes = zip((1.0, 2.0, 0.5), (1, -1, 2), strict=True)
    exact = sum((h * x) ** 2 * (1 - 1e-5 * h) ** (2 * rounds) for h, x in sizes)
    assert float(found.mid()) == pytest.approx(exact, rel=1e-9)
    assert found.rad() < 1e-6


# Ceilings ---------------------------------------------------------------------------------------------------------------


def test_ceilings_of_runs_that_stay_near_their_start() -> None:
    """At distance D + within: D = 1, L = 4."""
    assert LastDistance().ceiling(CASE, 2.0) == pytest.approx(9, rel=1e-6)
    assert LastGap().ceiling(CASE, 2.0) == HALF.ceiling(CASE, 2.0) == pytest.approx(18, rel=1e-6)
    assert LeastGradient().ceiling(CASE, 2.0) == pytest.approx(144, rel=1e-6)
    assert LastDistance().ceiling(CASE, 2.0) > 9
    assert LastGap().ceiling(CASE, 2.0) > 18
    for measure in (LastDistance(), LastGap(), HALF, LeastGradient()):
        assert measure.ceiling(Case(Bare(smoothness=2)), 1.0) is None
        if measure.name != LastDistance().name:
            assert measure.ceiling(Case(Bare(initial_distance=2)), 1.0) is None
        assert measure.ceiling(Case(Bare(smoothness=2, initial_distance=2), step_size="1/10")) is None


def test_ceilings_from_the_radius_of_a_run() -> None:
    instance = PiecewiseQuadraticClients(((1, 2), (3, 1)), ((2, 1), (3, 1)), ((1, -2), (0, 1)), (1, -3), (1, "1/2"))
    case = Case(instance, n_rounds=3, n_local_steps=2, step_size="1/10")
    radius = instance.radius(0.1)
    assert radius is not None
    square = sum(r * r for r in radius)
    assert LastDistance().ceiling(case) == pytest.approx(square)
    smooth = to_float(case.constants[symbols.smoothness])
    for measure in (LastGap(), HALF):
        assert measure.ceiling(case) == pytest.approx(smooth / 2 * square, rel=1e-8)
        assert measure.ceiling(case) >= smooth / 2 * square
    assert LeastGradient().ceiling(case) == pytest.approx(smooth**2 * square, rel=1e-8)
    assert LastDistance().ceiling(case.with_settings(server_step_size=1)) == LastDistance().ceiling(case)


@dataclass
class Capped(Bare):
    gradient_ceiling: Fraction = Fraction(5, 2)

    def __post_init__(self) -> None:
        super().__init__(smoothness=2)


def test_a_known_bound_on_the_gradient_is_its_ceiling() -> None:
    assert LeastGradient().ceiling(Case(Capped())) == 2.5
