"""Sampling games: draws, enumeration, estimates and a user's own sampler."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.games.dynamic_regret import DynamicRegret, PathRegret
from fltheory.games.kernels import are_distributions
from fltheory.games.losses import estimated_loss, sampler_loss
from fltheory.games.participation import count_draw_sequences, count_vectors, draw_counts, reference_draw_counts
from fltheory.games.play import enumerate_rounds, simulate_rounds
from fltheory.games.player import SUM_TOLERANCE, Sampler
from fltheory.model.case import Case
from fltheory.model.schema import Table
from fltheory.number import BALL
from fltheory.papers.osmd import bounds
from fltheory.papers.osmd.algorithms import osmd, step
from fltheory.papers.osmd.instances.games import FeedbackTable
from fltheory.runs.constants import Constants, run_constants
from fltheory.runs.method import NotEnumerable
from fltheory.symbols import sampler_rate
from tests.typed import instance_of

TABLE = FeedbackTable(((1, 0, 2), (2, 1, 1), (0, 3, 1)), n_sampled=2, floor="1/2", comparator="best")
CASE = Case(TABLE, sampler_rate="1/20")
HEAVY = FeedbackTable(((1, 0),), comparator="fixed", repeat=40)
CLAIM = Claim(
    "osmd/C-C7@printed",
    "regret",
    (bounds.C7,),
    DynamicRegret(),
    osmd,
    tuning=((sampler_rate, bounds.ETA),),
    cases=(Case(HEAVY),),
)


def by_sequences(case: Case) -> float:
    """The expected regret over all sequences of draws, one game at a time."""
    game = instance_of(case, FeedbackTable)
    c = run_constants(case, None)
    total = 0.0

    def go_on(t: int, p: np.ndarray, chance: float) -> None:
        nonlocal total
        a, q = game.table[t], game.comparator_row(t, None)
        seen = a > 0
        total += chance * (a / p - np.divide(a, q, out=np.zeros_like(a), where=seen)).sum() / c.n_sampled
        if t + 1 == game.n_rounds:
            return
        for drawn in itertools.product(range(c.n_clients), repeat=c.n_sampled):
            counts = np.bincount(drawn, minlength=c.n_clients)
            after = step(p[None], counts[None], np.where(counts > 0, a, 0)[None], c)[0]
            go_on(t + 1, after, chance * float(np.prod(p[list(drawn)])))

    go_on(0, np.full(c.n_clients, 1 / c.n_clients), 1.0)
    return total


def test_enumeration_is_the_sum_over_all_sequences() -> None:
    exact = DynamicRegret().exact(osmd, CASE, BALL)
    assert exact.contains(by_sequences(CASE)) or abs(float(exact.mid()) - by_sequences(CASE)) < 1e-12
    low, high = DynamicRegret().in_floats(osmd, CASE)
    assert low <= float(exact.mid()) <= high


def test_a_step_too_few_is_seen_by_the_enumeration() -> None:
    """Negative control: a sampler that stands still has another regret."""
    still = osmd._replace(step=lambda p, counts, feedback, c: p)
    low, high = DynamicRegret().in_floats(still, CASE)
    assert not low <= by_sequences(CASE) <= high


def test_simulation_agrees_with_enumeration() -> None:
    values = DynamicRegret().simulate(osmd, CASE, 3, np.arange(4000))
    exact = float(DynamicRegret().exact(osmd, CASE, BALL).mid())
    assert abs(values.mean() - exact) < 6 * values.std() / 4000**0.5
    low, high = TABLE.regret_range()
    assert low <= values.min() <= values.max() <= high


def test_the_compiled_games_are_the_plain_ones() -> None:
    table = FeedbackTable(((3, 1, 2), (1, 2, 3)), 2, "1/2", "floored", repeat=50)
    case = Case(table, sampler_rate="1/500")
    plain = DynamicRegret().simulate(Sampler("plain", step), case, 5, np.arange(7))
    assert DynamicRegret().simulate(osmd, case, 5, np.arange(7)) == pytest.approx(plain, rel=1e-10)
    assert DynamicRegret().simulate(osmd, case, 6, np.arange(7)) != pytest.approx(plain, rel=1e-3)


def test_probabilities_of_all_courses_sum_to_one() -> None:
    assert osmd.exact is not None
    for weights, round_ in enumerate_rounds(osmd.exact, CASE, BALL, 10_000):
        assert weights.sum().contains(1)
        assert all(row.sum().contains(1) for row in round_.p)


def test_equal_states_are_merged() -> None:
    sizes = [len(weights) for weights, _ in enumerate_rounds(osmd, Case(HEAVY, sampler_rate="1/10000"), None, 10_000)]
    assert sizes == list(range(1, 41))  # how often the heavy client was drawn is all that matters


def test_too_many_courses_are_refused() -> None:
    with pytest.raises(NotEnumerable):
        list(enumerate_rounds(osmd, CASE, None, 20))


@pytest.mark.parametrize(("clients", "drawn"), [(1, 3), (2, 4), (3, 2), (4, 3)])
def test_count_vectors_stand_for_all_sequences(clients: int, drawn: int) -> None:
    assert sum(count_draw_sequences(v) for v in count_vectors(clients, drawn)) == clients**drawn


def test_draws_follow_the_distribution_in_any_blocks() -> None:
    p = np.tile([0.5, 0.3, 0.2], (20_000, 1))
    counts = draw_counts(p, 3, 1, np.arange(20_000), 5)
    assert (counts.sum(axis=1) == 3).all()
    assert np.abs(counts.mean(axis=0) / 3 - p[0]).max() < 0.01
    halves = [draw_counts(p[:10_000], 3, 1, np.arange(i, i + 10_000), 5) for i in (0, 10_000)]
    assert (np.concatenate(halves) == counts).all()


@pytest.mark.parametrize("drawn", [1, 4, 300])
def test_compiled_draws_are_the_plain_ones(drawn: int) -> None:
    p = np.random.default_rng(3).dirichlet(np.full(7, 0.2), 50)
    p[0] = [0, 0, 1, 0, 0, 0, 0]
    given = (p, drawn, 5, np.arange(50) + 9, 8)
    assert (draw_counts(*given) == reference_draw_counts(*given)).all()


@pytest.mark.parametrize(
    ("row", "positive", "nonnegative"),
    [
        ([0.25, 0.75], True, True),
        ([0.0, 1.0], False, True),
        ([-0.25, 1.25], False, False),
        ([0.25, 0.7499], False, False),
        ([math.nan, 1.0], False, False),
        ([math.inf, 0.5], False, False),
    ],
)
def test_what_a_distribution_is(row: list[float], positive: bool, nonnegative: bool) -> None:
    p = np.array([[0.5, 0.5], row])
    assert are_distributions(p, False, SUM_TOLERANCE) == positive
    assert are_distributions(p, True, SUM_TOLERANCE) == nonnegative


def test_without_freedom_there_is_no_regret_to_uniform() -> None:
    rigid = Case(FeedbackTable(((1, 0), (0, 1)), 2, 1, "fixed"), sampler_rate="1/10")
    assert DynamicRegret().exact(osmd, rigid, BALL).contains(0)


def test_no_feedback_is_shown_of_clients_not_drawn() -> None:
    def spying(p: np.ndarray, counts: np.ndarray, feedback: np.ndarray, c: Constants) -> np.ndarray:
        assert not feedback[counts == 0].any()
        assert feedback[counts > 0].any()
        return p

    for _ in simulate_rounds(Sampler("spy", spying), CASE, 0, np.arange(50)):
        pass


@given(st.data())
def test_the_estimated_loss_is_unbiased(data: st.DataObject) -> None:
    """(6), over all ways to draw, in rationals."""
    clients, drawn = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 3))
    number = st.fractions(Fraction(1, 20), 1, max_denominator=20)
    raw, a, q = (data.draw(st.lists(number, min_size=clients, max_size=clients)) for _ in range(3))
    p = [v / sum(raw) for v in raw]
    mean = Fraction(0)
    for counts in count_vectors(clients, drawn):
        chance = Fraction(count_draw_sequences(counts))
        for v, n in zip(p, counts, strict=True):
            chance *= v ** int(n)
        row = [np.array(v, dtype=object) for v in (a, q, p)]
        mean += chance * estimated_loss(row[0], row[1], row[2], counts.astype(object))
    assert mean == sampler_loss(np.array(a, dtype=object), np.array(q, dtype=object), drawn)


# A user's sampler -----------------------------------------------------------------------------------------------


def half_steps(p: np.ndarray, counts: np.ndarray, feedback: np.ndarray, c: Constants) -> np.ndarray:
    return (p + step(p, counts, feedback, c)) / 2


def test_one_function_is_a_sampler() -> None:
    verdict = check_claim(replace(CLAIM, algorithm=osmd._replace(step=half_steps)), Case(HEAVY))
    assert (verdict.status, verdict.evidence) == ("holds", "numerical")
    assert osmd._replace(step=half_steps).exact is None


def test_a_bad_sampler_violates_what_the_good_one_obeys() -> None:
    def backwards(p: np.ndarray, counts: np.ndarray, feedback: np.ndarray, c: Constants) -> np.ndarray:
        return step(p, counts[:, ::-1], feedback[:, ::-1], c)

    tight = replace(CLAIM, bounds=(bounds.C7.scaled("1/8"),))
    assert check_claim(tight, Case(HEAVY)).status == "holds"
    verdict = check_claim(replace(tight, algorithm=osmd._replace(step=backwards)), Case(HEAVY))
    assert (verdict.status, verdict.evidence) == ("violated", "numerical")


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (lambda p, n, a, c: p[:, :1], "expected shape"),
        (lambda p, n, a, c: p * 2, "no distribution in round 1: their sum is 2, expected 1 up to 1e-09"),
        (lambda p, n, a, c: p + 0 * np.log(-1 - p), "no distribution in round 1: nan among the probabilities"),
        (lambda p, n, a, c: p + np.array([[-0.625, 0.625]]), "-0.125 among the probabilities"),
        (lambda p, n, a, c: np.float32(0 * p + np.array([0.1, 0.9])), "numbers are float32, expected float64"),
        (lambda p, n, a, c: p.T, "expected arrays whose first axis is the"),
        (lambda p, n, a, c: p.tolist(), "list in the state after round 0, expected arrays whose first axis is the"),
        (lambda p, n, a, c: (p, 1.0), "float in the state after round 0, expected arrays whose first axis is the"),
        (lambda p, n, a, c: p / c.speed, "not a known constant"),
        (lambda p, n, a, c: 1 / 0, "division by zero"),
        (lambda p, n, a, c: p.astype(object), "expected floats"),
        (lambda p, n, a, c: step(p, n, a, c)[::-1], "pure function"),
    ],
)
def test_a_broken_sampler_gets_no_verdict(bad: Callable[..., object], words: str) -> None:
    verdict = check_claim(replace(CLAIM, algorithm=osmd._replace(step=bad)), Case(TABLE.__class__(((1, 2), (2, 1)), 1)))
    assert verdict.status == "inapplicable"
    assert verdict.broken
    assert words in verdict.reason


def test_a_sampler_with_memory_is_refused() -> None:
    calls: list[int] = []

    def remembers(p: np.ndarray, counts: np.ndarray, feedback: np.ndarray, c: Constants) -> np.ndarray:
        calls.append(1)
        weights = p + feedback * len(calls)
        return weights / weights.sum(axis=1, keepdims=True)

    verdict = check_claim(replace(CLAIM, algorithm=osmd._replace(step=remembers)), Case(HEAVY))
    assert verdict.broken
    assert "keep no memory" in verdict.reason


# Measures and games ---------------------------------------------------------------------------------------------


def test_every_path_keeps_to_the_bound_with_its_own_losses() -> None:
    claim = Claim("osmd/path@printed", "path", (bounds.P13,), PathRegret(), osmd, mode="surely")
    case = Case(replace(TABLE, comparator="floored"), sampler_rate="1/1000")
    verdict = check_claim(claim, case)
    assert (verdict.status, verdict.evidence) == ("vacuous", "sampled")
    tight = replace(claim, bounds=(bounds.P13.scaled("1/100000"),))
    assert check_claim(tight, case).status == "violated"


def test_statistical_verdicts_come_by_betting() -> None:
    long = FeedbackTable(((3, 1, 2), (1, 2, 3)), 2, "1/2", "floored", repeat=300)
    verdict = check_claim(CLAIM, Case(long))
    assert (verdict.status, verdict.evidence) == ("holds", "statistical")
    assert 0 < verdict.error_rate <= 1e-6


def test_feedback_sizes_only_scale_the_regret() -> None:
    scaled = FeedbackTable(tuple(tuple(7 * a for a in row) for row in TABLE.feedback), 2, "1/2", "best")
    one = DynamicRegret().exact(osmd, CASE, BALL)
    other = DynamicRegret().exact(osmd, Case(scaled, sampler_rate="1/140"), BALL)
    assert (other - 7 * one).contains(0)
    assert float(one.rad()) < 1e-12


@pytest.mark.parametrize(
    "comparator", ["uniform", "fixed", "floored", "best", ((1, 0), (Fraction(1, 2), Fraction(1, 2)))]
)
def test_comparators_are_what_they_are_called(comparator: object) -> None:
    game = FeedbackTable(((1, 0), (2, 3)), 1, "1/2", comparator, repeat=2)
    rng = np.random.default_rng(0)
    rows = [game.comparator_row(t, None) for t in range(4)]
    assert eval(repr(game)) == game
    if comparator == "uniform":
        assert all((row == 0.5).all() for row in rows)
        return
    floor = 0.25 if comparator in ("fixed", "floored") else 0.0
    others = [np.array([v, 1 - v]) for v in rng.uniform(floor, 1 - floor, 200)]

    def cost(q: np.ndarray, a: np.ndarray) -> float:
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(np.where(a > 0, a / q, 0).sum())

    if comparator == "fixed":
        best = min(sum(cost(q, a) for a in game.table) for q in others)
        assert sum(cost(r, a) for r, a in zip(rows, game.table, strict=True)) <= best
    elif isinstance(comparator, str):
        for row, a in zip(rows, game.table, strict=True):
            assert cost(row, a) <= min(cost(q, a) for q in others)
    variation = sum(np.abs(x - y).sum() for x, y in itertools.pairwise(rows))
    stated = {s.name: v for s, v in game.constants.items()}
    assert float(stated["total_variation"]) == pytest.approx(variation, abs=1e-12)
    assert float(stated["variation_budget"]) >= variation - 1e-12


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((((1, 0), (1,)),), "same length"),
        ((((1, -1),),), "nonnegative"),
        ((((1, 0),), 0), "positive integer"),
        ((((1, 0),), 1, 2), r"\(0, 1\]"),
        ((((1, 0),), 1, "1/2", "nearest"), "expected uniform, fixed"),
        ((((1, 0),), 1, "1/2", ((1, 1),)), "sum 1"),
        ((((1, 1),), 1, "1/2", ((1, 0),)), "infinite"),
        ((((1, 1),), 1, "1/2", "best", "1/2"), "positive integer"),
    ],
)
def test_bad_games_are_named(arguments: tuple[object, ...], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        FeedbackTable(*arguments)


@pytest.mark.parametrize("table", [((5, 0), (7, 0)), ((5, 3), (10, 6)), ((100, 1), (1000, 1)), (("1e-200", 0), (1, 0))])
def test_comparators_that_stay_can_be_compared_with_their_budget(table: Table) -> None:
    """Plays that are equal as numbers, computed from different rows."""
    verdict = check_claim(CLAIM, Case(FeedbackTable(table, 1, "9/10", "floored", repeat=3)))
    assert verdict.status in ("holds", "vacuous"), verdict.reason


def test_a_game_without_feedback_is_no_game() -> None:
    with pytest.raises(ValueError, match="all feedback is 0"):
        _ = FeedbackTable(((0, 0),)).constants
