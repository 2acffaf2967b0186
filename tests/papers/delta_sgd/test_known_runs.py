"""Runs of Delta-SGD that are known without listing their courses: against enumerated and simulated ones."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from flint import ctx

from fltheory.claims.check import check_claim
from fltheory.model.case import Case
from fltheory.number import to_ball, to_float
from fltheory.papers.delta_sgd import algorithms, notation
from fltheory.papers.delta_sgd.nonconvex import claims
from fltheory.papers.delta_sgd.nonconvex.cases.bent_samples import BentSamples
from fltheory.papers.delta_sgd.nonconvex.closed_forms import parabolas, straight
from fltheory.papers.delta_sgd.nonconvex.closed_forms.measures import MeanSquaredGradient
from fltheory.runs.algorithm import Algorithm

CLAIMS = {c.id.removeprefix("delta_sgd/"): c for c in claims.CLAIMS}
GRADIENT = MeanSquaredGradient()
MIXED = BentSamples((1, "1/2", 0, 0), (0, 1, 0, 0), (2, "1/3", 1, 1), (0, "1/10", "1/2", "-1/2"), "5/4")


def case_of(game: BentSamples, n_rounds: int, n_local_steps: int, **more: object) -> Case:
    settings = {"amplifier": "1/4", "initial_step_size": "1/4", "growth_damping": 1, "initial_ratio": 100, **more}
    return Case(game, n_rounds=n_rounds, n_local_steps=n_local_steps, **settings)


def simulated(algorithm: Algorithm, case: Case, n: int) -> tuple[float, float]:
    found = GRADIENT.simulate(algorithm, case, 0, np.arange(n))
    return float(found.mean()), float(found.std() / np.sqrt(n))


# The samples --------------------------------------------------------------------------------------------------------


def test_the_constants_of_bent_samples_are_those_of_their_gradients() -> None:
    constants = Case(MIXED).constants
    x = np.linspace(-30, 30, 60_001)[:, None]
    each, mean = MIXED.samples(x), MIXED.mean_gradient(x)[:, 0]
    assert np.abs(mean).max() == pytest.approx(to_float(constants[notation.G]))
    assert ((each - mean[:, None]) ** 2).mean(axis=1).max() == pytest.approx(to_float(constants[notation.sigma]) ** 2)
    assert (np.abs(np.diff(each, axis=0)) / np.diff(x, axis=0)).max() == pytest.approx(to_float(constants[notation.L]))
    values = MIXED.gap(x)
    assert values.min() == pytest.approx(0, abs=1e-6)
    assert x[np.argmin(values), 0] == pytest.approx(to_float(MIXED.minimiser[0]), abs=1e-3)
    assert float(MIXED.gap(np.array([[1.25]]))[0]) == pytest.approx(to_float(constants[notation.gap]))
    assert np.diff(values) / np.diff(x[:, 0]) == pytest.approx((mean[1:] + mean[:-1]) / 2, abs=1e-3)


def test_a_run_on_bent_samples_is_the_same_in_balls_and_in_floats() -> None:
    case = case_of(MIXED, 2, 1)
    with ctx.workprec(128):
        exact = to_float(GRADIENT._enumerated(algorithms.pair, case))
    mean, deviation = simulated(algorithms.pair, case, 4000)
    assert abs(mean - exact) < 5 * deviation


def test_a_client_that_has_not_moved_keeps_the_ratio_of_its_steps_in_balls_too() -> None:
    at_a_centre = BentSamples((1, 1), (0, 1), (10, 10), (0, 0), 0)  # where one sample has no gradient
    case = case_of(at_a_centre, 2, 3, amplifier=100, initial_step_size="1/10", initial_ratio=15)
    with ctx.workprec(400):
        exact = to_float(GRADIENT._enumerated(algorithms.same, case))
    mean, deviation = simulated(algorithms.same, case, 40_000)
    assert abs(mean - exact) < 4 * deviation


def test_samples_without_a_minimiser_are_refused() -> None:
    with pytest.raises(ValueError, match="opposite signs"):
        BentSamples((1, 1), (0, 0), (1, 1), (2, 2), 0)


# Parabolas ----------------------------------------------------------------------------------------------------------

ENDS = BentSamples((1, "1/3", "1/3"), (0, 1, 0), (1, 2, 1), (0, 0, 0), "1/5")
TWO = BentSamples((1, "1/10"), (0, 1), (1, 1), (0, 0), "1/5")


@pytest.mark.parametrize(
    ("algorithm", "game", "rounds", "steps", "more"),
    [
        (algorithms.same, TWO, 4, 2, {}),
        (algorithms.same, TWO, 3, 3, {"initial_ratio": 1}),
        (algorithms.same, ENDS, 3, 2, {"initial_ratio": 3, "amplifier": "1/2"}),
        (algorithms.pair, TWO, 2, 2, {"amplifier": "1/10"}),
        (algorithms.pair, TWO, 2, 2, {"amplifier": "1/10", "initial_ratio": "1/2"}),
    ],
)
def test_the_moments_are_those_of_all_courses(
    algorithm: Algorithm, game: BentSamples, rounds: int, steps: int, more: dict[str, object]
) -> None:
    case = case_of(game, rounds, steps, **more)
    with ctx.workprec(256):
        listed = GRADIENT._enumerated(algorithm, case)
        known = parabolas.mean_square(game, case, algorithm == algorithms.same)
        other = parabolas.mean_square(game, case, algorithm != algorithms.same)
    assert known is not None
    assert known.overlaps(listed)
    assert abs(known - listed) < 1e-25
    assert other is None or not other.overlaps(listed)


def test_where_a_sample_bends_or_a_step_is_long_nothing_is_said() -> None:
    narrow = BentSamples((1, "1/10"), (0, 1), (1, "1/2"), (0, 0), "1/5")
    outside, between = TWO.replaced(start=0), BentSamples((1, 1, 1), (0, 1, 2), (2, 2, 2), (0, 0, 0), "1/5")
    tilted = BentSamples((1, "1/10"), (0, 1), (1, 1), ("1/10", "-1/10"), "1/5")
    for game in (narrow, outside, between, tilted):
        assert parabolas.mean_square(game, case_of(game, 10, 2), True) is None
    assert parabolas.mean_square(TWO, case_of(TWO, 10, 2, initial_step_size=1), True) is None
    assert parabolas.mean_square(TWO, case_of(TWO, 10, 8), False) is None


def test_steps_on_a_mini_batch_of_their_own_keep_to_the_bound_where_the_released_code_does_not() -> None:
    claim = CLAIMS["T1-same@printed"]
    for case in claim.cases:
        verdict = check_claim(replace(claim, algorithm=algorithms.pair), case)
        assert (verdict.status, verdict.evidence) == ("holds", "exact")


# A walk on a slope ----------------------------------------------------------------------------------------------------


def walk(start: object = "5/2", tilt: str = "-11/120") -> BentSamples:
    return BentSamples(("1/2", 0, 0, 0, 0), (0,) * 5, (2,) * 5, (0, *(tilt,) * 4), start)


def test_no_simulated_walk_is_below_its_limit() -> None:
    game = walk("21/10")
    case = case_of(game, 400, 2, amplifier="1/40", initial_step_size="1/40", initial_ratio=99)
    limit = straight.walk_lower_limit(game, case)
    assert limit is not None
    mean, deviation = simulated(algorithms.reuse, case, 400)
    assert 0 < to_float(limit) < mean + 4 * deviation
    assert to_float(limit) > 0.01 * mean


@pytest.mark.parametrize(
    ("game", "more"),
    [
        (walk(2), {}),  # not right of the bends
        (walk(tilt="-1/40"), {}),  # the walk goes down
        (walk(), {"n_local_steps": 3}),
        (walk(), {"initial_ratio": 1}),  # the steps don't grow enough
        (BentSamples((1, 0), (0, 0), (1, 1), (0, 0), 3), {}),  # a gradient that vanishes
    ],
)
def test_where_a_run_is_no_walk_uphill_nothing_is_said(game: BentSamples, more: dict[str, object]) -> None:
    settings = {"n_local_steps": 2, "amplifier": "1/40", "initial_step_size": "1/40", "initial_ratio": 99, **more}
    assert straight.walk_lower_limit(game, Case(game, n_rounds=400, growth_damping=1, **settings)) is None


def test_the_chance_to_fall_is_no_smaller_than_it_is_said_to_be() -> None:
    """The walk alone, by its law on a grid of sums: it falls below -d less often than exp(-s d)."""
    game = walk()
    case = case_of(game, 1, 2, amplifier="1/40", initial_step_size="1/40", initial_ratio=99)
    rounds = straight._increments(game.slopes(game.corners[-1]), case)
    rate = straight._rate(rounds)
    assert rate is not None
    chances, sizes = np.array([[to_float(v) for v in row] for row in rounds]).T
    rng = np.random.default_rng(1)
    sums = rng.choice(sizes, p=chances / chances.sum(), size=(4000, 500)).cumsum(axis=1)
    for d in (0.2, 0.5, 1.0):
        assert (sums.min(axis=1) < -d).mean() <= np.exp(-to_float(rate) * d) + 0.02


# Steps that grow ------------------------------------------------------------------------------------------------------


def thrown(start: object, nu: object = 1) -> BentSamples:
    k = 4
    return BentSamples((5, *(0,) * 2 * k), (0,) * (2 * k + 1), (1,) * (2 * k + 1), (0, *(nu, f"-{nu}") * k), start)


@pytest.mark.parametrize("start", [0, "1/2", 1, 7, "-40"])
def test_whatever_the_start_a_round_ends_far_away_with_the_chance_that_is_said(start: object) -> None:
    game = thrown(start)
    case = case_of(game, 2, 4, amplifier="1/100", initial_step_size="1/4", initial_ratio=3)
    limit = straight.throw_lower_limit(game, case)
    assert limit is not None
    found = GRADIENT.simulate(algorithms.pair, case, 0, np.arange(4000))
    first = float(game.mean_gradient(np.array([[float(Fraction(str(start)))]]))[0, 0]) ** 2 / 2
    assert to_float(limit) < (found - first).mean() + 4 * found.std() / np.sqrt(4000)
    assert to_float(limit) > 0.2 * (found - first).mean()


def test_where_the_last_step_is_short_or_samples_lean_nothing_is_said() -> None:
    settings = {"amplifier": "1/100", "initial_step_size": "1/4", "initial_ratio": 3}
    assert straight.throw_lower_limit(thrown(0, "1/10"), case_of(thrown(0, "1/10"), 2, 4, **settings)) is None
    leaning = BentSamples((5, 0, 0), (0, 0, 0), (1, 1, 1), (0, 1, "-1/2"), 0)
    assert straight.throw_lower_limit(leaning, case_of(leaning, 2, 4, **settings)) is None
    assert straight.throw_lower_limit(TWO, case_of(TWO, 2, 4, **settings)) is None


# The claims -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["T1-same@printed", "T1-reuse@printed", "T1-steps@strict"])
def test_theorem_1_as_printed_is_refuted_by_exact_evidence(name: str) -> None:
    for case in CLAIMS[name].cases:
        verdict = check_claim(CLAIMS[name], case, stages=())
        assert (verdict.status, verdict.evidence) == ("violated", "exact")


def test_no_constant_up_to_a_thousand_helps_where_the_gradients_of_line_8_choose_the_step() -> None:
    claim = CLAIMS["T1-reuse@printed"]
    verdict = check_claim(claim, claim.cases[0].with_settings(n_rounds=10**10), stages=())
    assert verdict.ratio is not None
    assert verdict.ratio > 1000


def test_other_algorithms_get_no_limit() -> None:
    case = CLAIMS["T1-reuse@printed"].cases[0]
    for algorithm in (algorithms.fresh, algorithms.reuse._replace(step=algorithms.fresh.step)):
        verdict = check_claim(replace(CLAIMS["T1-reuse@printed"], algorithm=algorithm), case, stages=())
        assert verdict.status == "inconclusive"


def test_balls_and_numbers_of_the_clip_agree() -> None:
    from fltheory.papers.delta_sgd.nonconvex.cases.bent_samples import _clip

    points = [Fraction(v, 4) for v in range(-12, 13)]
    balls = np.array([[to_ball(v)] for v in points] + [[None]], dtype=object)[:-1]
    low = np.array([to_ball(Fraction(3, 2)), None], dtype=object)[:-1]
    floats = _clip(np.array([[float(v)] for v in points]), np.array([1.5]))
    assert [to_float(v) for v in _clip(balls, low)[:, 0]] == pytest.approx(list(floats[:, 0]))
