"""Games at their edges: exact comparators, costs, single steps of the programs, what is asked of a game, and float budgets."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx, fmpq

from fltheory.games import dynamic_regret, hindsight, kernels, learners, participation, play, static_regret
from fltheory.games.dynamic_regret import DynamicRegret, comparator_play
from fltheory.games.environment import SubsetParticipation, is_fixed_table
from fltheory.games.hindsight import least_loss
from fltheory.games.learners import (
    IN_BALLS,
    constant_learner,
    entropic_ftrl,
    loss_gradient,
    online_newton,
    two_kinds_entropic,
    two_kinds_newton,
)
from fltheory.games.losses import LINEAR, LOG_GROWTH, ZERO_PROBABILITY_CHARGE, charged_probabilities, has_unbounded_loss
from fltheory.games.play import enumerate_rounds, merge_states, require_listed_plays, simulate_rounds
from fltheory.games.player import ImpreciseState, Learner, Sampler, next_player_state, valid_play
from fltheory.games.round_checks import dependence_on_plays, table_mismatch
from fltheory.games.simplex_qp import EPS, solve_dense, solve_low_rank
from fltheory.games.static_regret import LinearisedRegret, StaticRegret
from fltheory.model.case import Case
from fltheory.number import BALL
from fltheory.papers.osmd.algorithms import osmd
from fltheory.papers.osmd.instances.games import FeedbackTable
from fltheory.problems.responses import AdaptiveResponses, ResponseTable
from fltheory.runs.algorithm import object_array
from fltheory.runs.constants import run_constants
from fltheory.runs.method import NotEnumerable, VariantError
from fltheory.work import CALL_COST, EXACT_NUMBERS_PER_UNIT, GAME_ROUND_COST, NUMPY_FLOATS_PER_UNIT, separate_meter

SETTINGS: dict[str, Any] = {"learner_regularisation": 2, "learner_curvature": "1/2", "learner_scale": "1/2"}


def python(kernel: Any) -> Any:
    return getattr(kernel, "py_func", kernel)


def test_a_comparator_is_exact_in_balls_and_of_its_round() -> None:
    case = Case(FeedbackTable(((1, 0, 2), (2, 1, 0)), n_sampled=2, floor="1/3", comparator="best"))
    for t in range(2):
        whole, plain = (
            comparator_play(SimpleNamespace(t=t, p=p), case)  # type: ignore[arg-type]
            for p in (object_array([arb(1)] * 3, (1, 3)), np.ones((1, 3)))
        )
        assert plain.dtype == np.float64
        assert sum(whole.tolist(), arb(0)).contains(1)
        for v, w in zip(whole, plain, strict=True):
            assert abs(float(v.mid()) - w) < 1e-15
    assert not np.array_equal(comparator_play(SimpleNamespace(t=0, p=plain), case), plain)  # type: ignore[arg-type]
    thirds = Case(FeedbackTable(((1, 1, 1),), n_sampled=1, floor="1/2", comparator="uniform"))
    row = comparator_play(SimpleNamespace(t=0, p=object_array([arb(1)] * 3, (1, 3))), thirds)  # type: ignore[arg-type]
    assert all(v.contains(fmpq(1, 3)) for v in row)


# Programs over the simplex ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        ([1e17, 0.0], [1, 0]),
        ([0.0, 1e300, 5.0], [0, 1, 0]),
        ([1e17, 1e17, -1e17, 3.0], [0.5, 0.5, 0, 0]),
        ([2.0**53 + 2, 0.0, 2.0**53], [1, 0, 0]),
        ([-1e17, -1e17], [0.5, 0.5]),
        ([-1e17, -1e30, -1e17 + 1024], [0, 0, 1]),
    ],
)
def test_numbers_beside_which_1_is_lost_are_projected(x: list[float], expected: list[float]) -> None:
    np.testing.assert_array_equal(kernels.project(np.array(x)), expected)
    p = np.empty(len(x))
    python(kernels._project)(np.array(x), p)
    np.testing.assert_array_equal(p, expected)


def test_a_pivot_within_rounding_of_its_matrix_is_refused() -> None:
    """The differences of the entries have the rounding of the largest diagonal entry, for one client as for several."""
    factorise, H = python(kernels._factorise), np.empty((3, 3))
    for B, others, m, pivot, good in (
        ([[1, 1], [1, 1 + EPS]], [1], 1, 0, False),
        ([[1, 1], [1, 1 + 16 * EPS]], [1], 1, 0, True),
        ([[1, 0, 0], [0, 2.0**60, 2.0**60], [0, 2.0**60, 2.0**60 + 256]], [1, 2], 2, 0, False),
        ([[1, 0, 0], [0, 2.0**60, 2.0**60], [0, 2.0**60, 2.0**60 + 4096]], [1, 2], 2, 0, True),
    ):
        assert factorise(np.array(B, dtype=float), np.array(others), m, pivot, 0.0, H) is good


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0), (2, 0, 1), (1, 0, 2)])
@pytest.mark.parametrize(
    ("start", "c", "after"),
    [
        # with B = I the face's minimiser is p - (g - mean g), g = p + c
        ([Fraction(1, 3)] * 3, [0, Fraction(1, 10), Fraction(14, 10)], None),
        ([Fraction(1, 2), Fraction(3, 10), Fraction(1, 5)], [Fraction(3, 2), 0, 0], None),
        ([Fraction(1, 2), Fraction(3, 10), Fraction(1, 5)], [0, Fraction(1, 10), Fraction(1, 20)], None),
    ],
)
def test_a_step_of_active_sets_ends_at_the_first_client_without_weight(
    order: tuple[int, ...], start: list[Fraction], c: list[Any], after: None
) -> None:
    g = [p + v for p, v in zip(start, c, strict=True)]
    d = [sum(g) / 3 - v for v in g]
    d = [v - p + q for v, p, q in zip(d, start, start, strict=True)]
    step = min([Fraction(1), *(-p / v for p, v in zip(start, d, strict=True) if v < 0)])
    expected = [p + step * v for p, v in zip(start, d, strict=True)]
    best = np.empty(3)
    arranged = [np.array([float(row[i]) for i in order]) for row in (c, start)]
    python(kernels._active_set)(np.eye(3), arranged[0], arranged[1].copy(), 2, best)
    np.testing.assert_allclose(best, [float(expected[i]) for i in order], atol=1e-15)
    assert (best == 0).tolist() == [expected[i] == 0 for i in order]


def test_forms_with_a_negative_direction_are_refused_however_small_it_is() -> None:
    for below in (0.2, 0.9, 1e-6, 1e-11):
        B = np.array([[1, 1 + below], [1 + below, 1]])
        for scale in (1.0, 1e-20, 1e20):
            with pytest.raises(ValueError, match="B must be positive definite"):
                solve_dense(scale * B[None], np.zeros((1, 2)))
    solve_dense(np.array([[[1.0, 1.0], [1.0, 1.0]]]), np.zeros((1, 2)))


def test_entries_of_c_may_be_half_of_the_largest_float_apart() -> None:
    largest = np.finfo(float).max
    p, _ = solve_dense(np.eye(2)[None], np.array([[-largest / 4, largest / 4]]))
    np.testing.assert_array_equal(p, [[1, 0]])
    p, _ = solve_dense(np.eye(2)[None], np.array([[largest / 2, 0.0]]))
    np.testing.assert_array_equal(p, [[0, 1]])
    for c in ([largest / 2 * (1 + 4 * EPS), 0.0], [-largest * 0.26, largest * 0.26]):
        with pytest.raises(ValueError, match="the entries of c are too far apart"):
            solve_dense(np.eye(2)[None], np.array([c]))


@pytest.mark.parametrize("rounds", [3, 40])
def test_gaps_of_low_rank_programs_hold_the_rounding_of_all_terms(rounds: int) -> None:
    """A sum of n terms may lose n units in the last place, and the products of G add one for each round."""
    G, n = np.ones((rounds, 20)), 20
    _, gap = solve_low_rank(1.0, 1.0, G, np.zeros(n), gap=0.0)
    assert gap >= (n + rounds) * EPS * rounds


# Learners in balls ------------------------------------------------------------------------------------------------------


def test_closed_forms_go_as_far_as_balls_do() -> None:
    row = (1,) * 5 + (0,) * (IN_BALLS - 5)
    largest = Case(ResponseTable((row, row[::-1]), (2, 1)), **SETTINGS)
    more = Case(ResponseTable(((*row, 0), (*row[::-1], 1)), (2, 1)), **SETTINGS)
    assert two_kinds_newton(Case(ResponseTable((row,), (2,)), **SETTINGS)) is not None
    assert two_kinds_newton(largest) is None  # three kinds
    assert two_kinds_newton(Case(ResponseTable(((*row, 0),), (2,)), **SETTINGS)) is None
    assert two_kinds_entropic(Case(ResponseTable(((*row, 0),), (2,)), **SETTINGS)) is not None
    assert two_kinds_entropic(more) is None


@pytest.mark.parametrize("closed", [two_kinds_newton, two_kinds_entropic])
def test_closed_forms_are_charged_by_the_round(closed: Any) -> None:
    spent = []
    for rounds in (10, 20, 40):
        with separate_meter() as meter:
            closed(Case(ResponseTable(((1, 0),), (rounds,)), **SETTINGS))
        spent.append(meter.spent)
    assert spent[2] - spent[1] == pytest.approx(2 * (spent[1] - spent[0]))
    assert spent[1] - spent[0] >= 10 / EXACT_NUMBERS_PER_UNIT


def test_enumerated_rounds_are_charged_for_each_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last round has one outcome for each row, as nothing is drawn any more."""
    case = Case(ResponseTable(((1, 0, "1/2", 1),), (3,), n_participating=2), **SETTINGS)
    told: list[tuple[float, bool]] = []
    monkeypatch.setattr(play, "spend_on", lambda numbers, exact: told.append((numbers, exact)))
    twin = online_newton().exact
    assert twin is not None
    rounds = [len(weights) for weights, _ in enumerate_rounds(twin, case, BALL, 100)]
    assert rounds[0] == 1
    assert told == [(n * 4 * outcomes, True) for n, outcomes in zip(rounds, (6, 6, 1), strict=True)]


def test_the_search_of_the_best_decision_is_charged() -> None:
    spent = []
    for n in (10, 1000):
        with separate_meter() as meter:
            hindsight.best_decision(np.tile([1.0, 0.0], (n, 1)), np.ones(n), LOG_GROWTH)
        spent.append(meter.spent)
    assert spent[0] >= GAME_ROUND_COST + CALL_COST
    assert spent[1] - spent[0] >= 2 * 990 / NUMPY_FLOATS_PER_UNIT * 0.99


def test_least_losses_in_balls_are_charged_by_their_size() -> None:
    for rows in (3, 30):
        table = object_array([arb(1)] * (2 * rows), (rows, 2))
        with separate_meter() as meter:
            least_loss(table, [1] * rows, LINEAR, np.array([0.5, 0.5]))
        assert meter.spent == pytest.approx(CALL_COST + 2 * rows / EXACT_NUMBERS_PER_UNIT)


# What is asked of games and players -------------------------------------------------------------------------------------


class Asked:
    """A game that notes what it is asked; its answers depend on whether the play is uniform."""

    def __init__(self, swayed: bool) -> None:
        self.n_clients, self.n_rounds, self.swayed = 4, 2, swayed
        self.table, self.order = np.array([[0.0, 1, 2, 3], [3, 2, 1, 0]]), [0, 1]
        self.asked: list[tuple[int, np.ndarray, Any]] = []
        self.memories: list[int] = []

    def memory(self, n: int) -> np.ndarray:
        self.memories.append(n)
        return np.zeros((n, 1))

    def reveal(self, round_: int, p: np.ndarray, memory: np.ndarray, ring: Any) -> Any:
        self.asked.append((round_, p.copy(), memory.copy()))
        found = self.table[[self.order[round_]]] + (1.0 if self.swayed and p.max() > 0.3 else 0.0)
        p[:] = 0
        return found, memory + 1


def test_games_are_asked_with_distributions_of_one_game() -> None:
    swayed, fixed = Asked(True), Asked(False)
    assert dependence_on_plays(swayed) == "the answers of the clients in round 0 depend on the plays"
    assert dependence_on_plays(fixed) is None
    assert [t for t, _, _ in fixed.asked] == [0, 0, 0, 1, 1, 1]
    for t, p, memory in fixed.asked:
        assert p.shape == (1, 4)
        assert p.sum() == pytest.approx(1)
        assert (p > 0).all()
        assert memory.tolist() == [[t]]
    assert len({p.tobytes() for t, p, _ in fixed.asked if t == 1}) == 3
    told = Asked(False)
    assert table_mismatch(told) is None
    assert told.memories == [1]
    assert told.asked[0][1].tolist() == [[0.25] * 4]
    assert [memory.tolist() for _, _, memory in told.asked] == [[[0]], [[1]]]


def test_a_librarys_player_works_on_its_own_state_and_a_users_on_copies() -> None:
    c = run_constants(Case(ResponseTable(((1, 0),), (3,)), **SETTINGS), None)
    given: list[Any] = []

    def step(state: Any, seen: np.ndarray, answer: np.ndarray, c: Any) -> Any:
        given.append((state, seen))
        return state

    state, seen = np.full((1, 2), 0.5), np.ones((1, 2), dtype=np.int64)
    users = Learner("mine", step)
    next_player_state(users, state, seen, np.ones((1, 2)), c, 0)
    assert given[-1][0] is not state
    assert given[-1][1] is not seen
    own = replace(users, exact=users)
    assert own.own
    assert next_player_state(own, state, seen, np.ones((1, 2)), c, 0) is state
    assert given[-1][0] is state
    assert given[-1][1] is seen


def test_unbounded_losses_of_one_play_in_balls() -> None:
    one = has_unbounded_loss(np.array([1.0, 0.0]), object_array([arb(0), arb(1)], (2,)))
    assert one.shape == ()
    assert not one
    assert has_unbounded_loss(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    assert not has_unbounded_loss(np.array([0.0, 1.0]), np.array([0.0, 1.0]))


# Regrets ----------------------------------------------------------------------------------------------------------------


def test_a_kernel_of_the_log_growth_loss_is_not_asked_for_another_loss() -> None:
    case = Case(ResponseTable(((1, 0), ("1/4", 1)), (2, 2)), **SETTINGS)
    twin = online_newton().exact
    assert twin is not None
    rounds = list(simulate_rounds(twin, case, 0, np.arange(1), BALL))
    paid = -sum(((t.p * t.answer).sum() for t in rounds), arb(0))
    best = -max(Fraction(2) + Fraction(2, 4), Fraction(2))
    found = StaticRegret(LINEAR).exact(online_newton(), case, BALL)
    assert found.overlaps(paid - arb(fmpq(best.numerator, best.denominator)))
    assert found.rad() < 1e-9
    plain = StaticRegret().exact(replace(online_newton(), exact=replace(twin, kernel=None)), case, BALL)
    assert StaticRegret().exact(online_newton(), case, BALL).overlaps(plain)


def test_the_budget_of_linearised_regret_follows_the_size_of_a_gradient() -> None:
    """A gradient is at most (1 + C2) / (1 + C1) K / C, of four such terms a round."""
    measure = LinearisedRegret(loss_gradient(LOG_GROWTH))

    def budget(high: Any, low: Any, taking: int) -> float:
        return measure.float_error(
            Case(ResponseTable(((high, low, low, low),), (1,), high, low, n_participating=taking), **SETTINGS)
        )

    assert budget(3, 0, 2) == pytest.approx(2 * budget(3, 0, 4), abs=0)
    assert budget(3, 0, 1) == pytest.approx(4 * budget(3, 0, 4), abs=0)
    assert budget(3, 0, 4) == pytest.approx(2 * budget(3, 1, 4), abs=0)
    assert budget(3, 0, 4) >= 4 * 4 * 4 * 2.0**-52


def test_responses_as_wide_as_the_least_width_are_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(static_regret, "NARROW", 0.5)
    case = Case(ResponseTable(((1, 0),), (1,), 1, 0), **SETTINGS)  # 1 - 0 = (1 + 1) / 2
    static_regret.require_wide_range(case)
    monkeypatch.setattr(static_regret, "NARROW", 0.5 + EPS)
    with pytest.raises(NotEnumerable, match="too narrow for floats"):
        static_regret.require_wide_range(case)


TABLE = Case(ResponseTable(((1, 0), ("1/4", 1)), (2, 2)), **SETTINGS)


def test_what_is_not_known_of_the_best_decision_only_adds_to_the_regret(monkeypatch: pytest.MonkeyPatch) -> None:
    """The least loss lies in [best - gap, best], so the regret in [paid - best, paid - best + gap]."""
    p, best, _ = static_regret.best_in_hindsight(TABLE.instance, LOG_GROWTH)
    low, high = StaticRegret().in_floats(constant_learner(), TABLE)
    monkeypatch.setattr(static_regret, "best_in_hindsight", lambda game, loss: (p, best, 0.5))
    wide = StaticRegret().in_floats(constant_learner(), TABLE)
    assert wide[0] == pytest.approx(low, rel=1e-12)
    assert wide[1] == pytest.approx(high + 0.5, rel=1e-12)
    with pytest.raises(NotEnumerable, match=r"the best decision in hindsight is known to 0.5 only"):
        StaticRegret().simulate(constant_learner(), TABLE, 0, np.arange(2))


def test_compiled_games_are_played_against_fixed_responses_alone() -> None:
    asked: list[Any] = []

    def kernel(case: Any, seed: int, repetitions: np.ndarray, loss: Any) -> Any:
        asked.append((case, seed, repetitions.tolist(), loss))
        return 5.0 + repetitions

    mine = replace(constant_learner(), kernel=kernel)
    _, best, _ = static_regret.best_in_hindsight(TABLE.instance, LINEAR)
    np.testing.assert_allclose(StaticRegret(LINEAR).simulate(mine, TABLE, 3, np.arange(2)), [5 - best, 6 - best])
    assert asked == [(TABLE, 3, [0, 1], LINEAR)]
    adaptive = Case(AdaptiveResponses("least", 3, 4), **SETTINGS)
    plain = StaticRegret().simulate(constant_learner(), adaptive, 0, np.arange(2))
    np.testing.assert_array_equal(StaticRegret().simulate(mine, adaptive, 0, np.arange(2)), plain)
    assert len(asked) == 1
    silent = replace(constant_learner(), kernel=lambda *given: None)
    np.testing.assert_array_equal(
        StaticRegret().simulate(silent, TABLE, 3, np.arange(2)),
        StaticRegret().simulate(constant_learner(), TABLE, 3, np.arange(2)),
    )


def test_budgets_of_static_regret_are_of_the_size_of_its_losses(monkeypatch: pytest.MonkeyPatch) -> None:
    """A linear loss of a round is up to 1 + C2, and its sums round in proportion."""
    case = Case(ResponseTable(((3, 0),), (4,), 3), **SETTINGS)
    monkeypatch.setattr(static_regret, "FLOAT_ERROR", 0.0)
    log, linear = StaticRegret().float_error(case), StaticRegret(LINEAR).float_error(case)
    assert linear == pytest.approx(4 * log, abs=0)
    assert log >= 4 * 2 * 2.0**-52


@pytest.mark.parametrize("high", ["1/3", "2/7", "3/5", "5/11", "8/9", "1/97", "13/10", "7/3"])
def test_the_span_is_rounded_outwards(high: str) -> None:
    case = Case(ResponseTable(((high, 0),), (3,), high), **SETTINGS)
    low, most = StaticRegret().span(case)
    with ctx.workprec(200):
        exact = 3 * (1 + arb(fmpq(*map(int, high.split("/"))))).log()
        assert arb(most) > exact
        assert arb(low) < -exact
    assert float(exact.mid()) == pytest.approx(most)


# Samplers ---------------------------------------------------------------------------------------------------------------


def sampler_of(first: list[float], *, drawn: tuple[int, list[float]], other: list[float]) -> Sampler:
    """Plays ``first``, then one row where the given client was drawn and another where not; it stays there."""

    def init(n: int, c: Any) -> dict[str, np.ndarray]:
        return {"p": np.tile(first, (n, 1)), "t": np.zeros((n, 1))}

    def step(state: Any, counts: np.ndarray, feedback: np.ndarray, c: Any) -> Any:
        fresh = np.where(counts[:, drawn[0] : drawn[0] + 1] > 0, np.array(drawn[1]), np.array(other))
        return {"p": np.where(state["t"] == 0, fresh, state["p"]), "t": state["t"] + 1}

    return Sampler("mine", step, init, lambda state, c: state["p"])


def test_an_endless_loss_counts_where_it_can_happen() -> None:
    case = Case(FeedbackTable(((1, 0), (1, 1)), 1, "1/2", "uniform"))
    never = sampler_of([1.0, 0.0], drawn=(1, [0.0, 1.0]), other=[0.5, 0.5])
    assert DynamicRegret().in_floats(never, case)[1] < 10
    always = sampler_of([0.75, 0.25], drawn=(1, [0.0, 1.0]), other=[0.5, 0.5])
    assert DynamicRegret().in_floats(always, case)[1] == np.inf
    first = Case(FeedbackTable(((1, 1), (1, 0)), 1, "1/2", "uniform"))
    once = sampler_of([1.0, 0.0], drawn=(1, [0.5, 0.5]), other=[0.5, 0.5])
    assert DynamicRegret().in_floats(once, first)[1] == np.inf
    assert DynamicRegret().in_floats(once, first)[0] > 0


@pytest.mark.parametrize("better", [True, False])
def test_the_budget_of_dynamic_regret_is_of_the_size_of_all_its_terms(better: bool) -> None:
    """Whether the sampler is better or worse than the comparator, and where both losses cancel."""
    case = Case(FeedbackTable(((4, 1),), 1, "1/10", "uniform", repeat=3))
    good, bad = [2 / 3, 1 / 3], [0.1, 0.9]
    p = good if better else bad
    low, high = DynamicRegret().in_floats(sampler_of(p, drawn=(0, p), other=p), case)
    loss, uniform = 4 / p[0] + 1 / p[1], 4 / 0.5 + 1 / 0.5
    size = 3 * abs(loss - uniform) + 3 * uniform
    assert (loss < uniform) is better
    assert (low + high) / 2 == pytest.approx(3 * (loss - uniform))
    assert high - low == pytest.approx(2 * dynamic_regret.FLOAT_ERROR * size, rel=1e-5, abs=0)


def test_balls_that_are_too_wide_ask_for_more_precision_and_not_for_a_lower_limit() -> None:
    def fails(*given: Any) -> Any:
        raise ImpreciseState("too wide")

    assert osmd.exact is not None
    wide = replace(osmd, exact=replace(osmd.exact, step=fails), least=lambda case: arb(-7))
    case = Case(FeedbackTable(((1, 0), (1, 1)), 1, "1/2", "uniform"), sampler_rate="1/20")
    assert not DynamicRegret().exact(wide, case, BALL).is_finite()


def test_small_probabilities_are_charged_as_they_are() -> None:
    assert charged_probabilities(np.array([0.0, 1e-12, 1.0])).tolist() == [ZERO_PROBABILITY_CHARGE, 1e-12, 1]


def test_draws_of_plays_that_do_not_sum_to_1_are_in_proportion() -> None:
    p = np.array([[2.0, 1.0, 3.0], [0.1, 0.2, 0.1]])
    found = participation.draw_counts(p, 50, 4, np.arange(2), 1)
    np.testing.assert_array_equal(found, participation.reference_draw_counts(p, 50, 4, np.arange(2), 1))
    np.testing.assert_array_equal(
        found, participation.reference_draw_counts(p / p.sum(1)[:, None], 50, 4, np.arange(2), 1)
    )
    assert (found > 0).all()


# Rounds -----------------------------------------------------------------------------------------------------------------


def test_a_compiled_player_is_the_librarys() -> None:
    users = Learner("mine", lambda p, seen, response, c: p)
    assert [replace(users, kernel=lambda: None).own, replace(users, exact=users).own, users.own] == [True, True, False]


@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 1), (2, 4), (3,)])
def test_a_play_has_a_row_for_each_seed(shape: tuple[int, ...]) -> None:
    c = run_constants(Case(ResponseTable(((1, 0, 1),), (1,)), **SETTINGS), None)
    mine = Learner("mine", lambda p, *rest: p, play=lambda state, c: np.full(shape, 1 / 3))
    with pytest.raises(VariantError, match=r"expected shape \(2, 3\)"):
        valid_play(mine, (), c, 2, 0)


def test_each_row_in_balls_is_a_distribution() -> None:
    c = run_constants(Case(ResponseTable(((1, 0),), (1,)), **SETTINGS), BALL)
    good, over, below = [arb(1), arb(0)], [arb(1), arb(1)], [arb(2), arb(-1)]
    for rows, words in (([good, over], "sum is not 1 in round 3"), ([good, below], "negative probability in round 3")):
        for order in (rows, rows[::-1]):
            whole = object_array([v for row in order for v in row], (2, 2))
            mine = Learner("mine", lambda p, *rest: p, play=lambda state, c, own=whole: own)
            with pytest.raises(VariantError, match=words):
                valid_play(mine, (), c, 2, 3, BALL)


def test_a_player_steps_between_rounds_and_errors_name_the_round() -> None:
    calls: list[int] = []

    def step(p: np.ndarray, seen: np.ndarray, response: np.ndarray, c: Any) -> np.ndarray:
        calls.append(len(p))
        if len(calls) == 3:
            raise ValueError("no more")
        return p

    mine = Learner("mine", step)
    table = ResponseTable(((1, 0),), (3,))
    assert len(list(simulate_rounds(mine, Case(table, **SETTINGS), 0, np.arange(2)))) == 3
    assert calls == [2, 2]
    with pytest.raises(VariantError, match="round 0"):
        list(simulate_rounds(mine, Case(table, **SETTINGS), 0, np.arange(2)))


class Remembering(AdaptiveResponses):
    """A game whose memory counts its rounds."""

    def memory(self, n: int) -> np.ndarray:
        return np.zeros((n, 1))

    def reveal(self, round_: int, p: np.ndarray, memory: np.ndarray, ring: Any) -> Any:
        return np.zeros((1, self.n_clients)), memory + 1


class Wandering(SubsetParticipation):
    """A world whose last memory is used, too."""

    moves = True


@pytest.mark.parametrize("listed", [True, False])
def test_the_last_memory_is_told_where_it_is_used(listed: bool) -> None:
    case, mine = Case(Remembering("least", 3, 4, n_participating=2), **SETTINGS), constant_learner()
    for world, rounds in ((SubsetParticipation, 4), (Wandering, 5)):
        if listed:
            told = [t for _, t in enumerate_rounds(mine, case, None, 1000, world)]
        else:
            told = list(simulate_rounds(mine, case, 0, np.arange(2), world=world))
        assert [t.t for t in told] == list(range(rounds))
        assert [set(t.memory.ravel().tolist()) for t in told] == [{float(t)} for t in range(rounds)]
        assert told[-1].p.shape[1] == (0 if rounds == 5 else 3)


@pytest.mark.parametrize("twin", [True, False])
def test_a_player_that_counts_its_calls_or_rows_is_found_out(twin: bool) -> None:
    case = Case(ResponseTable(((1, 0, "1/2"),), (3,), n_participating=2), **SETTINGS)

    def leaning(size: float, n: int) -> np.ndarray:
        return np.tile([1 / 3 + size, 1 / 3, 1 / 3 - size], (n, 1))

    calls = [0]

    def counts(p: np.ndarray, seen: np.ndarray, response: np.ndarray, c: Any) -> np.ndarray:
        calls[0] += 1
        return leaning(0.001 * calls[0], len(p))

    def rows(p: np.ndarray, seen: np.ndarray, response: np.ndarray, c: Any) -> np.ndarray:
        return leaning(0.1 * (len(p) > 3), len(p))

    for step in (counts, rows):
        mine = Learner("mine", step)
        with pytest.raises(VariantError, match="plays differently in an enumeration than in a plain run"):
            list(enumerate_rounds(replace(mine, exact=mine) if twin else mine, case, None, 1000))


def test_a_play_that_agrees_in_one_client_alone_is_another_play() -> None:
    known = np.array([[0.25, 0.75, 0.0]])
    with pytest.raises(VariantError, match="plays differently"):
        require_listed_plays(constant_learner(), known, np.array([[0.25, 0.25, 0.5]]), 1)


def test_rows_are_merged_only_where_every_ball_overlaps_and_all_are_finite() -> None:
    with ctx.workprec(200):
        one, next_to_it = arb(1), arb(1) + arb(2) ** -80
        state = object_array([one, one, one, next_to_it], (2, 2))
        chances = object_array([arb(0.5), arb(0.5)], (2,))
        found, _, weights = merge_states(state, np.zeros((2, 0)), chances, BALL)
        assert len(weights) == 2
        assert [len(found), sum(weights.tolist(), arb(0))] == [2, 1]
        for bad in (arb.nan(), arb(0, np.inf)):
            with pytest.raises(ImpreciseState, match="the balls of the enumeration are too wide"):
                merge_states(object_array([one, bad], (2, 1)), np.zeros((2, 0)), chances, BALL)


def test_a_game_with_rows_of_its_own_has_no_fixed_table() -> None:
    given = (((1, 0), (0, 1)), (2, 1))
    assert is_fixed_table(ResponseTable(*given))
    for name in ("rows_in", "reveal"):
        own = type("Mine", (ResponseTable,), {name: lambda self, *given: None})
        assert not is_fixed_table(own(*given))
    assert not is_fixed_table(AdaptiveResponses("least", 3, 4))


class Ordered(Asked):
    """Its answers depend on the order of the play's entries: rising, falling or neither."""

    def __init__(self, turn: int) -> None:
        super().__init__(False)
        self.turn = turn

    def reveal(self, round_: int, p: np.ndarray, memory: np.ndarray, ring: Any) -> Any:
        return self.table[:1] + float(self.turn * (p[0, -1] - p[0, 0]) > 0), memory


@pytest.mark.parametrize("turn", [1, -1])
def test_answers_that_only_one_play_changes_depend_on_the_plays(turn: int) -> None:
    assert dependence_on_plays(Ordered(turn)) is not None
    assert dependence_on_plays(Ordered(0)) is None


@pytest.mark.parametrize("seed", range(6))
def test_more_steps_never_lose_the_best_decision_so_far(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    rows, counts = rng.random((6, 5)) ** 6 * 50, np.ones(6)
    monkeypatch.setattr(hindsight, "GAP_TOLERANCE", 0.0)  # it goes on where only rounding is left
    gaps = []
    for steps in range(1, 16):
        monkeypatch.setattr(hindsight, "NEWTON_STEPS", steps)
        gaps.append(hindsight.best_decision(rows, counts, LOG_GROWTH)[1])
    assert gaps == sorted(gaps, reverse=True)


def test_compiled_games_of_samplers_may_leave_a_case_to_the_plain_ones() -> None:
    case = Case(FeedbackTable(((1, 0), (1, 1)), 1, "1/2", "uniform"), sampler_rate="1/20")
    plain = DynamicRegret().simulate(replace(osmd, kernel=None), case, 3, np.arange(4))
    silent = replace(osmd, kernel=lambda *given: None)
    np.testing.assert_array_equal(DynamicRegret().simulate(silent, case, 3, np.arange(4)), plain)
    told = replace(osmd, kernel=lambda case, seed, repetitions: seed + repetitions)
    assert DynamicRegret().simulate(told, case, 3, np.arange(4)).tolist() == [3, 4, 5, 6]


def test_the_least_loss_is_fine_where_three_clients_share_the_weight() -> None:
    rows = np.array([[3.0, 1, 0], [0, 3, 1], [1, 0, 3], [2, 2, 1]])
    start, _ = hindsight.best_decision(rows, np.ones(4), LOG_GROWTH)
    assert (start > 0.1).all()
    exact = object_array([arb(v) for v in rows.ravel()], rows.shape)
    with ctx.workprec(200):
        found = least_loss(exact, [1] * 4, LOG_GROWTH, start)
    assert found.rad() < 1e-40
    assert float(found.mid()) == pytest.approx(-np.log1p(rows @ start).sum())


def test_one_client_has_exactly_all_the_weight_in_balls() -> None:
    case = Case(ResponseTable(((1,), ("1/3",)), (2, 2)), **SETTINGS)
    twin = entropic_ftrl().exact
    assert twin is not None
    for turn in simulate_rounds(twin, case, 0, np.arange(1), BALL):
        assert turn.p[0, 0] == 1


def test_players_do_not_step_after_the_last_round_of_a_world_with_memory() -> None:
    def step(state: Any, seen: np.ndarray, response: np.ndarray, c: Any) -> Any:
        assert (state["t"] < 3).all()
        return {**state, "t": state["t"] + 1}

    def init(n: int, c: Any) -> dict[str, np.ndarray]:
        return {"p": np.full((n, 3), 1 / 3), "t": np.zeros((n, 1))}

    mine = Learner("mine", step, init, lambda state, c: state["p"])
    case = Case(Remembering("least", 3, 4, n_participating=2), **SETTINGS)
    assert len(list(enumerate_rounds(mine, case, None, 1000, Wandering))) == 5
    assert len(list(simulate_rounds(mine, case, 0, np.arange(2), world=Wandering))) == 5


def test_plays_are_the_same_up_to_their_tolerance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play, "PLAY_TOLERANCE", 0.25)
    known = np.array([[0.5, 0.5]])
    require_listed_plays(constant_learner(), known, np.array([[1.0, 0.0]]), 0)  # 1/2 = (1 + 1) / 4
    with pytest.raises(VariantError, match="plays differently"):
        require_listed_plays(constant_learner(), known, np.array([[1.0 + EPS, 0.0]]), 0)


def test_integers_that_floats_confuse_keep_rows_apart() -> None:
    state = np.array([[2**53], [2**53 + 1], [2**53]])
    found, _, weights = merge_states(state, np.zeros((3, 0)), np.array([0.25, 0.25, 0.5]), None)
    assert found.tolist() == [[2**53], [2**53 + 1]]
    assert weights.tolist() == [0.75, 0.25]


def test_the_lowest_of_balls_is_enclosed_in_any_order() -> None:
    wide, near, far = arb(1, 0.5), arb(1.25, 0.5), arb(9)
    for order in itertools.permutations([wide, near, far]):
        found = static_regret._lowest(object_array(list(order), (3,)))
        assert found.contains(0.5)
        assert found.contains(1.5)
        assert not found.contains(2)
    assert static_regret._lowest(np.array([3.0, -1.0, 2.0])) == -1


def test_newtons_steps_double_the_digits_near_the_best_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step with another Hessian gains a constant factor only."""
    rows = np.random.default_rng(2).random((8, 4)) * 40
    monkeypatch.setattr(hindsight, "NEWTON_STEPS", 10)
    _, gap = hindsight.best_decision(rows, np.ones(8), LOG_GROWTH)
    assert gap < 1e-12


def test_points_near_the_middle_of_the_simplex_are_projected() -> None:
    for x in ([0.1, 0.2, 0.3], [0.5, 0.5, 0.5, 0.6], [5.0, 5.1]):
        p = np.empty(len(x))
        python(kernels._project)(np.array(x), p)
        np.testing.assert_allclose(p, np.array(x) + (1 - sum(x)) / len(x), atol=1e-15)


def test_two_clients_are_weighted_even_where_it_is_open_whether_both_have_weight() -> None:
    identity = object_array([arb(1), arb(0), arb(0), arb(1)], (2, 2))
    linear = object_array([arb(1, 1e-20), arb(0)], (2,))  # the first has weight -b / a around 0
    x, rest = learners.quadratic_minimiser(identity, linear, object_array([arb(0), arb(1)], (2,)))
    assert x.contains(0)
    assert x.rad() < 1e-18
    assert (x + rest).contains(1)


def test_a_game_of_one_round_has_one_path() -> None:
    case = Case(ResponseTable(((1, 0, "1/2"),), (1,), n_participating=2), **SETTINGS)
    ((weights, turn),) = enumerate_rounds(constant_learner(), case, None, 1)
    assert weights.tolist() == [1]
    assert turn.t == 0
    with pytest.raises(NotEnumerable):
        list(enumerate_rounds(constant_learner(), Case(replace(case.instance, counts_of=(2,)), **SETTINGS), None, 1))


def test_a_single_row_in_balls_stays() -> None:
    state, chances = object_array([arb(1), arb(2)], (1, 2)), object_array([arb(1)], (1,))
    found, _, weights = merge_states(state, np.zeros((1, 0)), chances, BALL)
    assert found.tolist() == [[1, 2]]
    assert weights.tolist() == [1]
