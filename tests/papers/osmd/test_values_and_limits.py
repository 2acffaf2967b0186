"""Minimisers, plans, values on grids, first useful rounds, and what compiled runs are asked: at their boundaries."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flint import arb

from fltheory.games.losses import sampler_loss
from fltheory.model.bound import BoundError
from fltheory.model.case import Case
from fltheory.number import as_number
from fltheory.number.streams.kernels import U64, absorb, as_uniform
from fltheory.papers.osmd import bounds, notation
from fltheory.papers.osmd import kernels as feedback
from fltheory.papers.osmd.algorithms import osmd, switching
from fltheory.papers.osmd.algorithms.adaptive import adaptive, doubling
from fltheory.papers.osmd.algorithms.grid import expert_grid, n_experts
from fltheory.papers.osmd.experts.cases import FollowedAdversary, SwitchingAdversary
from fltheory.papers.osmd.experts.closed_forms.regret import ExpertRegret
from fltheory.papers.osmd.experts.kernels import experts, trap, trees
from fltheory.papers.osmd.fedavg import kernels as fedavg
from fltheory.papers.osmd.fedavg.closed_forms import local_steps
from fltheory.papers.osmd.fedavg.closed_forms.fedavg import LocalSteps
from fltheory.papers.osmd.fedavg.closed_forms.local_steps import QuadraticRound
from fltheory.papers.osmd.heterogeneity.closed_forms import heterogeneity, minimax
from fltheory.papers.osmd.heterogeneity.closed_forms.minimax import Enclosure
from fltheory.papers.osmd.instances.bounded_clients import TiltedClients
from fltheory.papers.osmd.instances.games import FeedbackTable
from fltheory.papers.osmd.kernels import fenwick
from fltheory.papers.osmd.regret import closed_forms as useful
from fltheory.papers.osmd.sgd.closed_forms import sgd
from fltheory.papers.osmd.sgd.closed_forms.kinked import SampledKinks
from fltheory.papers.osmd.sgd.closed_forms.strongly_convex import SampledQuadratics
from fltheory.runs.constants import run_constants
from fltheory.runs.method import NotEnumerable
from tests.papers.osmd.test_adaptive import constants, path, setting
from tests.papers.osmd.test_minimax import ALONE, LINE, moved, points

Q = Fraction


# Plans and values -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("budget", [0.05, 0.3, 3.0])
def test_plans_for_multipliers_respect_the_budget_in_every_outcome(seed: int, budget: float) -> None:
    program = minimax._Program(points(seed), LINE, 0.2, budget)
    program.tangents(np.full((3, 3), 1 / 3), np.ones((3, 3), dtype=bool))
    found = program.solve()
    plan = program.minimisers(found, found.x[:9].reshape(3, 3))
    assert plan.sum(axis=1) == pytest.approx(np.ones(3), abs=1e-6)
    assert plan.min() >= 0.2 / 3 - 1e-9
    for o in LINE:
        assert sum(np.abs(plan[i] - plan[j]).sum() for i, j in o.moves) <= budget + 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_rounded_plans_have_short_denominators(seed: int) -> None:
    alpha, plan = Q(1, 5), np.random.default_rng(seed).random((2, 3))
    for row in minimax._feasible(plan, ALONE, alpha, Q(9), minimax.GRAIN):
        assert all(((v - alpha / 3) / (1 - alpha)).denominator <= 3 * minimax.GRAIN for v in row)
        assert [float(v) for v in row] != [1 / 3] * 3
    uniform = minimax._feasible(np.zeros((1, 3)), ALONE, alpha, Q(9), 12)
    assert uniform == [[Q(1, 3)] * 3]


def test_feasible_plans_keep_as_much_of_their_moves_as_the_budget_allows() -> None:
    alpha, plan = Q(1, 5), np.array([[0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.4, 0.4, 0.2]])
    free = minimax._feasible(plan, LINE, alpha, Q(2), minimax.GRAIN)
    most = moved(free, LINE)
    assert minimax._feasible(plan, LINE, alpha, most, minimax.GRAIN) == free
    half = minimax._feasible(plan, LINE, alpha, most / 2, minimax.GRAIN)
    assert most / 2 * (1 - Q(1, 10**12)) <= moved(half, LINE) <= most / 2
    assert half[0] == free[0]
    for one, whole in zip(half[1:], free[1:], strict=True):
        assert [float(v) for v in one] == pytest.approx([float(a + b) / 2 for a, b in zip(whole, free[0], strict=True)])


def test_enclosed_values_and_roots() -> None:
    plan: Any = [[Q(1)]]
    assert heterogeneity.value_of(Enclosure(Q(2), Q(2), plan)) == 2
    assert isinstance(heterogeneity.value_of(Enclosure(Q(2), Q(2), plan)), Fraction)
    ball = heterogeneity.value_of(Enclosure(Q(2), Q(3), plan))
    assert ball.contains(2)
    assert ball.contains(3)
    assert not ball.contains(arb("3.1"))
    assert heterogeneity.root_of(Enclosure(Q(9, 4), Q(9, 4), plan)) == Q(3, 2)
    root: Any = heterogeneity.root_of(Enclosure(Q(-1), Q(4), plan))
    assert root.contains(0)
    assert root.contains(2)
    several = [Enclosure(Q(1), Q(5), [[Q(0)]]), Enclosure(Q(3), Q(4), plan)]
    assert heterogeneity._largest(several) == Enclosure(Q(3), Q(5), [[Q(0)]])
    assert heterogeneity._over(several[0], 2) == Enclosure(Q(1, 2), Q(5, 2), [[Q(0)]])


@pytest.mark.parametrize("cells", [1, 3, 6])
@pytest.mark.parametrize("budget", [0.0, 0.5, 0.6, 3.0])
def test_values_on_a_grid_by_all_paths(cells: int, budget: float) -> None:
    """From above: all paths of the grid. Points are shown before each play; two rounds, two clients."""
    of, alpha = points(3, 2), 0.4
    x = [0.2 + 0.6 * k / cells for k in range(cells + 1)]
    step, many = 2 * 0.6 / cells, range(cells + 1)
    v = [
        [sum(float(a) / q for a, q in zip(of.squares[w], (p, 1 - p), strict=True)) / 4 - float(of.means[w]) for p in x]
        for w in (0, 1)
    ]
    later = [max(min(v[u][j] for j in many if abs(i - j) * step <= budget + 1e-9) for u in (0, 1)) for i in many]
    best = max(min(v[w][i] + later[i] for i in many) for w in (0, 1))
    low, high = heterogeneity.value_on_grid(of, alpha, budget, 2, cells)
    assert high == pytest.approx(best, rel=1e-9)
    least = [[min(row[k], row[k + 1]) for k in range(cells)] for row in v]
    for w, row in enumerate(of.squares):
        a, b = (math.sqrt(r) for r in row)
        for k in range(cells):  # the least of V, which is convex, where it is inside
            if a + b and x[k] < a / (a + b) < x[k + 1]:
                least[w][k] = (a + b) ** 2 / 4 - float(of.means[w])
    moves = math.ceil(budget / step - 1e-9)
    near = [[j for j in range(cells) if abs(i - j) - 1 <= moves] for i in range(cells)]
    after = [max(min(least[u][j] for j in near[i]) for u in (0, 1)) for i in range(cells)]
    below = max(min(least[w][i] + after[i] for i in range(cells)) for w in (0, 1))
    assert low == pytest.approx(below, rel=1e-9)
    assert low <= high
    once = max(min(v[w]) for w in (0, 1))
    assert heterogeneity.value_on_grid(of, alpha, budget, 1, cells)[1] == pytest.approx(once, rel=1e-9)


def test_gradients_that_are_0_have_the_value_0() -> None:
    zero = minimax.Points(((Q(0), Q(0)), (Q(0), Q(0))), (Q(0), Q(0)))
    for outcomes in (ALONE, LINE):
        found = minimax.least_largest(zero, outcomes, Q(1, 5), Q(1, 4))
        assert (found.low, found.high) == (0, 0)


def test_grids_without_cells_or_room_are_refused() -> None:
    of = points(3, 2)
    for alpha, cells in ((0.4, 0), (1.0, 3)):
        with pytest.raises(ValueError, match="the grid needs at least one cell and a floor below 1"):
            heterogeneity.value_on_grid(of, alpha, 0.0, 1, cells)


KINKS: list[Any] = [
    (),
    ((5, 0, 1),),
    ((5, 0, 1), (3, 1, 2)),
    ((5, -1, 2), (3, 0, 1), (2, "1/2", 3)),
    ((1, -4, -3), (9, 6, 8)),
    ((0, 0, 1), (7, -2, 0)),
]


@pytest.mark.parametrize("kinks", KINKS)
@pytest.mark.parametrize("centres", [(0,), (2, -1), (40, 3), (-9, -10), (1, 1)])
def test_the_slope_vanishes_at_the_minimiser_alone(kinks: Any, centres: Any) -> None:
    one = SampledKinks(centres, 0, kinks=kinks)
    best = one.minimiser

    def slope(w: Fraction) -> Fraction:
        bent = sum(Q(s) * min(max(w, Q(low)), Q(high)) for s, low, high in kinks)
        return sum(w - b for b in centres) / Q(len(centres)) + bent

    assert slope(best) == 0
    for w in (best, best + Q(1, 7), best - 3, Q(0), Q(1), Q(2)):
        assert one.slope(w) == slope(w)


# First useful rounds ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("m", "alpha"), [(2, Q(1, 2)), (3, Q(1, 2)), (10, Q(2, 5)), (100, Q(9, 10))])
def test_the_last_round_with_as_many_experts(m: int, alpha: Fraction) -> None:
    constants: Any = {notation.M: m, notation.alpha: alpha}
    begin = 1
    for _ in range(5):
        end = useful._as_many_experts(begin, constants)
        assert n_experts(m, alpha, begin) == n_experts(m, alpha, end)
        assert n_experts(m, alpha, end + 1) > n_experts(m, alpha, end)
        begin = end + 1


def test_a_last_round_that_is_an_integer_exactly_is_not_determined() -> None:
    """log(M/alpha)/log M = 5/4: three experts suffice up to T = 4, where no ball decides."""
    with pytest.raises(BoundError, match="the precision does not determine the number of experts"):
        useful._as_many_experts(3, {notation.M: 16, notation.alpha: Q(1, 2)})
    assert useful._integer(lambda: arb(7)) == 7


def test_bounds_that_are_useful_from_the_first_round_on() -> None:
    assert useful.first_useful_round(bounds.C7, 10, "2/5", trivial=bounds.TRIVIAL * 10**9) == 1
    assert useful.first_useful_round(bounds.T8_CORRECTED, 10, "2/5", trivial=bounds.TRIVIAL * 10**9) == 1
    assert [useful._first(lambda n, k=k: n >= k, 1, 9) for k in range(1, 10)] == list(range(1, 10))
    assert useful._first(lambda n: False, 3, 3) == 3


# Experts' draws and the trap --------------------------------------------------------------------------------------------


def test_a_position_beyond_all_shares_is_in_the_last_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shares whose sum is below 1 by rounding, here by far: the last expert's last client is drawn."""
    for name in ("_draw_clients", "absorb", "as_uniform"):
        own = getattr(trees, name)
        monkeypatch.setattr(trees, name, getattr(own, "py_func", own))
    n, floor = 3, 0.1
    law = np.array([0.2, 0.5, 0.3])
    arrays = np.empty((2, n)), np.empty((2, 5, 2)), np.empty((2, n), dtype=np.int64), np.empty((2, n))
    sums, sizes = np.empty((2, 7)), np.empty((2, 2), dtype=np.int64)
    for e in range(2):
        fenwick._build(law, np.zeros(n), floor, *(part[e] for part in arrays), sums[e], sizes[e])
    counts, drawn, theta = np.zeros(n, dtype=np.int64), np.empty(n, dtype=np.int64), np.array([0.25, 0.125])
    with np.errstate(over="ignore"):
        state = getattr(absorb, "py_func", absorb)(U64(0), 4)
        found = trees._draw_clients(state, theta, arrays[1], sums, floor, n, 8, counts, drawn)
        each = [
            getattr(as_uniform, "py_func", as_uniform)(getattr(absorb, "py_func", absorb)(state, k)) for k in range(8)
        ]
    wanted = []
    for u in each:
        part = u / 0.25 if u < 0.25 else min((u - 0.25) / 0.125, 1.0)
        wanted.append(min(int(np.searchsorted(law.cumsum(), part, side="right")), n - 1))
    assert counts.tolist() == [wanted.count(m) for m in range(n)]
    assert drawn[:found].tolist() == list(dict.fromkeys(wanted))
    assert max(each) > 0.375


def test_the_trap_begins_with_the_first_client_and_has_two() -> None:
    settings: Any = setting(60, 4, 30.0, "corrected")
    _, active = trap.trap_regret(*settings, 3, np.arange(3))
    assert (active[:, 0] == 0).all()
    assert set(active.ravel().tolist()) == {0, 1}
    at_threshold: Any = (*settings[:4], 0.5, *settings[5:])
    _, stays = trap.trap_regret(*at_threshold, 3, np.arange(2))
    assert (stays[:, 0] == 0).all()  # the first play is exactly the threshold


# What compiled runs of FedAvg are asked -----------------------------------------------------------------------------------


ONE: dict[str, Any] = {"n_sampled": 1, "n_local_steps": 1, "server_step_size": "3/2", "step_size": "1/10"}


def asked(monkeypatch: pytest.MonkeyPatch, sampler: Any, case: Any, runs: int = 2) -> list[Any]:
    """The arguments of each run."""
    met: list[Any] = []

    def rollout(*given: Any) -> float:
        met.append(given)
        return 0.5

    monkeypatch.setattr(fedavg, "rollout", rollout)
    found = fedavg.mean_squared_gradients(sampler, case, 3, np.arange(4, 4 + runs))
    if found is not None:
        assert found.tolist() == [0.5] * runs
    return sorted(met, key=lambda given: given[12])


@pytest.mark.parametrize("level", [1, 30, 31])
def test_runs_that_stay_uniform_are_told_apart(level: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """eta F M^3 at most 1e-17, where F is the largest feedback: then the rate is 0; trees for many clients that move."""
    clients = TiltedClients((1,), level, "1/2", "1/4", 2, noise_std="1/8")
    n = level + 2
    feedback = (1 * 2 * Q(1, 4) + 1 + Q(1, 8)) ** 2 / n**2
    least = Q(1, 10**17) / feedback / n**3
    for factor, still in ((Q(999, 1000), True), (Q(1001, 1000), False)):
        case = Case(clients, n_rounds=5, sampler_rate=least * factor, **ONE)
        runs = asked(monkeypatch, osmd, case)
        assert [given[12] for given in runs] == [4, 5]
        scales, tilts, mean, steep, bend, sigma, start, mu, rate, floor, rounds, seed, _, quick, most = runs[0]
        assert rate == (0.0 if still else pytest.approx(float(least * factor)))
        assert quick == (not still and n > 32)
        assert (scales.tolist(), tilts.tolist()) == ([1.0] * n, [1.0, -1.0, *[0.0] * level])
        assert (mean, steep, bend, sigma, start) == (1.0, 0.5, 0.25, 0.125, 0.5)
        assert (mu, floor, rounds, seed) == (pytest.approx(0.15), 0.5, 5, 3)
        assert most == fedavg.DENSE / 2


def test_experts_that_stay_uniform_and_samplers_without_a_compiled_run(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case(TiltedClients((1,), 1, "1/2"), n_rounds=5, sampler_rate=1, max_feedback=10**30, **ONE)
    assert asked(monkeypatch, adaptive(), case)[0][8] == 0.0
    assert asked(monkeypatch, adaptive(), case.with_settings(max_feedback=1)) == []
    for other in (doubling(), osmd._replace(step=lambda p, counts, feedback, c: p)):
        assert asked(monkeypatch, other, case) == []
    for more in ({"n_sampled": 2}, {"n_local_steps": 2}):
        assert asked(monkeypatch, osmd, case.with_settings(**more)) == []
    c = run_constants(case, None)
    assert fedavg.largest_rate(osmd, c) == 1.0
    assert fedavg.largest_rate(adaptive(), c) == expert_grid(c)[-1]
    assert fedavg.largest_rate(doubling(), c) is None


def test_the_longest_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case(TiltedClients((1,), 1, "1/2"), n_rounds=5, sampler_rate=1, **ONE)
    monkeypatch.setattr(fedavg, "WORK", 10.0)
    assert len(asked(monkeypatch, osmd, case)) == 2
    with pytest.raises(NotEnumerable, match="3 runs of 5 rounds take too long"):
        asked(monkeypatch, osmd, case, 3)
    monkeypatch.setattr(fedavg, "rollout", lambda *given: math.nan)
    with pytest.raises(NotEnumerable, match="2 runs of 5 rounds with 3 clients take too long"):
        fedavg.mean_squared_gradients(osmd, case, 3, np.arange(2))


@pytest.mark.parametrize("noise", [0, "1/4"])
@pytest.mark.parametrize(("drawn", "steps"), [(1, 1), (2, 1), (2, 3), (1, 2)])
def test_the_outcomes_of_a_round_of_local_steps(drawn: int, steps: int, noise: Any) -> None:
    """All draws with all signs of the drawn clients' noise; too many courses of the run are refused."""
    clients = TiltedClients((1,), 0, "1/2", noise_std=noise)
    case = Case(clients, n_rounds=3, sampler_rate=1, **{**ONE, "n_sampled": drawn, "n_local_steps": steps})
    world = LocalSteps(clients, run_constants(case, None))
    signs = 2**steps if noise else 1
    draws = [counts for counts in itertools.product(range(drawn + 1), repeat=2) if sum(counts) == drawn]
    size = sum(signs ** sum(k > 0 for k in counts) for counts in draws)
    listing = world.listing(None, size**2)
    assert listing.size == size
    p = np.array([[0.3, 0.7]])
    branch = listing.branch(np.ones(1), p, p, np.array([[0.5]]))
    assert len(branch.rows) == size
    assert branch.weights.sum() == pytest.approx(1)
    chances: dict[tuple[int, ...], float] = {}
    for counts, weight in zip(branch.told.seen.tolist(), branch.weights, strict=True):
        chances[tuple(counts)] = chances.get(tuple(counts), 0.0) + float(weight)
    assert chances == pytest.approx({c: math.comb(drawn, c[0]) * 0.3 ** c[0] * 0.7 ** c[1] for c in draws})
    if size > 1:
        with pytest.raises(NotEnumerable, match=f"more than {size**2 - 1} paths of the run"):
            world.listing(None, size**2 - 1)


# Refusals and ranges ------------------------------------------------------------------------------------------------------


def test_games_without_a_comparator_or_a_table_have_no_compiled_regret() -> None:
    table = SimpleNamespace(table=np.ones((2, 2)))
    for instance, known in ((table, {}), (SimpleNamespace(), {notation.Lq: 1}), (SimpleNamespace(), {})):
        case: Any = SimpleNamespace(instance=instance, constants=known)
        assert fenwick.osmd_regret(case, 0, np.arange(1)) is None
        assert experts.experts_regret(case, 0, np.arange(1), "corrected", False, "uniform") is None


def test_only_games_that_are_followed_have_a_least_regret() -> None:
    for sampler in (switching.adaptive("printed"), switching.doubling("printed")):
        assert sampler.least is not None
        assert sampler.least(Case(SwitchingAdversary(9, 1, "3/4", 10**24, "13/25"))) is None
        assert sampler.least(Case(FollowedAdversary(9, 1, "3/4", 10**24, "13/25"))) is not None


def test_regrets_are_between_the_comparators_loss_and_the_trivial_bound() -> None:
    """T M^2 A/(K alpha) less the comparator's loss: 4 * 4 * 3/(1/2), and sums over the rounds of 2 a."""
    case = Case(FeedbackTable(((1, 2), (3, 0), (0, 1), (2, 2)), 1, "1/2", "uniform"), meta_rate=1)
    low, high = ExpertRegret().span(case)
    own = 2 * (3 + 3 + 1 + 4)
    assert float(Q(str(case.constants[notation.Lq]))) == own
    assert low < -own < low + 1e-3
    assert high - 1e-3 < 96 - own < high
    assert ExpertRegret().trivial(case) == 96
    assert ExpertRegret().trivial_formula() == bounds.TRIVIAL


def test_runs_of_batches_that_take_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the rounds and by all draws; at the limits they are simulated."""
    case: Any = SimpleNamespace(
        constants={notation.T: 5, notation.K: 4}, instance=SimpleNamespace(mean_slope=lambda w: w)
    )
    measure = object.__new__(sgd.MeanSquaredGradient)
    monkeypatch.setattr(sgd.MeanSquaredGradient, "path", lambda *given: iter([np.array([1.0, 2.0])] * 5))
    monkeypatch.setattr(sgd, "SIMULATED", 5)
    monkeypatch.setattr(sgd, "DRAWN", 20)
    none: Any = None
    assert measure.simulate(none, case, 0, np.arange(2)).tolist() == [1, 4]
    for name, less in (("SIMULATED", 4), ("DRAWN", 19)):
        with monkeypatch.context() as patch:
            patch.setattr(sgd, name, less)
            with pytest.raises(NotEnumerable, match="5 rounds of 4 draws are too many to simulate"):
                measure.simulate(none, case, 0, np.arange(2))


def test_the_range_of_the_mean_squared_gradient() -> None:
    case: Any = SimpleNamespace(instance=SimpleNamespace(largest_mean_gradient=3), constants={notation.G: 4})
    low, high = sgd.MeanSquaredGradient().span(case)
    assert low == 0
    assert 9 < high < 9 + 1e-5
    assert sgd.MeanSquaredGradient().trivial(case) == 16


def test_draws_of_batches_that_are_too_many_to_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 2 among 3 clients there are 6 draws, of 2 clients each."""
    clients = TiltedClients((1,), 1, "1/2")
    case = Case(clients, n_rounds=2, n_sampled=2, step_size="1/10", sampler_rate=1, batch_size=1)
    world = sgd.MiniBatches(clients, run_constants(case, None))
    monkeypatch.setattr(sgd, "DRAWS_LISTED", 12)
    assert world.listing(None, 10**4).size == 6
    monkeypatch.setattr(sgd, "DRAWS_LISTED", 11)
    with pytest.raises(NotEnumerable, match="2 clients have too many possible draws"):
        world.listing(None, 10**4)


@pytest.mark.parametrize("doubled", [False, True])
def test_losses_of_experts_before_some_rounds(doubled: bool) -> None:
    """Each checkpoint has its sum, also twice; the last round has none after it."""
    rows, c = np.random.default_rng(8).integers(0, 4, (8, 3)) / 2, constants(3, 2, 8, 0.3, 2.0)
    plays, _ = path(doubling() if doubled else adaptive(), c, rows, 6, 2)
    each = np.array([[sampler_loss(a, p[i][None], 2)[0] for i in range(2)] for a, p in zip(rows, plays, strict=True)])
    totals = np.cumsum(each, axis=0)
    marks = [1, 3, 3, 4, 7, 8]
    found = experts.losses_of_experts(feedback.by_rows(rows), c, 6, np.arange(2), marks, doubling=doubled)
    assert found == pytest.approx(totals[np.array(marks) - 1].T, rel=1e-9)


def test_the_plan_for_multipliers_is_the_best_one() -> None:
    """Of one point: p proportional to the norms, 2, 1 and 3, wherever the linear program ends."""
    one = minimax.Points(((Q(4), Q(1), Q(9)),), (Q(0),))
    program = minimax._Program(one, ALONE[:1], 0.2, 3.0)
    program.tangents(np.full((1, 3), 0.4), np.ones((1, 3), dtype=bool))
    found = program.solve()
    plan = program.minimisers(found, found.x[:3].reshape(1, 3))
    assert plan[0] == pytest.approx([2 / 6, 1 / 6, 3 / 6], abs=1e-6)


def test_the_tree_is_taken_for_many_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    """From 32 clients a draw on: 96 of 3 draws are few, 97 are many."""
    met: list[str] = []
    for name in ("tree_run", "dense_run"):
        monkeypatch.setattr(fenwick, name, lambda *given, name=name: met.append(name))
    for n in (96, 97):
        fenwick.losses_of_runs(feedback.constant(np.ones(n)), 3, 0.1, 0.5, 2, 0, np.arange(1), [2])
    assert met == ["dense_run", "tree_run"]


def test_tables_of_gradients_with_an_irrational_floor() -> None:
    for floor in ("sqrt(1/2)", 0, "11/10"):
        with pytest.raises(ValueError, match=r"expected a rational number in \(0, 1\]"):
            heterogeneity.GradientTable(((1, 2),), floor)
    assert heterogeneity.GradientTable(((1, 2),), 1).alpha == 1


# Refusals -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"curvatures": 0, "smoothness": 0}, "smoothness positive"),
        ({"curvatures": 0, "smoothness": -1}, "smoothness positive"),
        ({"curvatures": (-2,), "smoothness": 1}, "at least every"),
        ({"curvatures": 1, "noise_std": -1}, "noise_std must be nonnegative"),
    ],
)
def test_rounds_of_quadratics_need_a_smoothness(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        QuadraticRound(gradients=1, **given)
    assert QuadraticRound(0, 1).smoothness == 1
    assert QuadraticRound((-2, 1), (1, 1)).smoothness == 2


@pytest.mark.parametrize("size", [2, 4])
@pytest.mark.parametrize("name", ["curvatures", "weights"])
def test_numbers_of_clients_are_one_or_one_for_each(name: str, size: int) -> None:
    for kind in (SampledQuadratics, SampledKinks):
        with pytest.raises(ValueError, match=f"{name}: expected one number, or one for every client"):
            kind(centres=(0, 1, 2), **{name: (1,) * size})
        for fits in (1, 3):
            assert kind(centres=(0, 1, 2), **{name: (1,) * fits}).n_clients == 3


def test_a_program_without_a_solution_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    import scipy.optimize

    one = minimax.Points(((Q(4), Q(1), Q(9)),), (Q(0),))
    program = minimax._Program(one, ALONE[:1], 0.2, 3.0)
    program.tangents(np.full((1, 3), 0.4), np.ones((1, 3), dtype=bool))
    monkeypatch.setattr(scipy.optimize, "linprog", lambda *a, **k: SimpleNamespace(x=None, message="too hard"))
    with pytest.raises(ArithmeticError, match="the linear program was not solved: too hard"):
        program.solve()


def test_a_bound_that_is_never_below_the_trivial_one_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    no_bound: Any = None
    monkeypatch.setattr(useful, "first_useful_round", lambda *given, **named: None)
    told = useful.vacuity_sentence(no_bound, 100, "2/5")
    assert told == "At M = 100, α = 0.4 the bound says nothing for any T."


def test_drawn_signs_cannot_be_changed_by_who_reads_them() -> None:
    """They are kept for the next rounds."""
    found = sgd.signs(3, 2, 7, np.arange(2), 5)
    assert set(np.unique(found)) <= {-1.0, 1.0}
    with pytest.raises(ValueError, match="read-only"):
        found[0, 0, 0] = 9.0


@pytest.mark.parametrize("noise", [0, "1/3"])
@pytest.mark.parametrize("steps", [1, 3])
def test_drifts_of_local_steps_by_all_signs(noise: Any, steps: int) -> None:
    """(1/M) sum over clients and steps b < B of E|w_b - w|^2; the answer is the sum of the gradients."""
    one, eta = QuadraticRound(("1/2", -1), (3, -2), noise), Q(1, 10)
    c: Any = SimpleNamespace(n_local_steps=steps, step_size=eta, local_step=steps)
    drift, first = Q(0), Q(0)
    for m in range(2):
        for signs in itertools.product((-1, 1), repeat=steps):
            w, pushed = Q(0), Q(0)
            for sign in signs:
                drift += w * w / 2**steps / 2
                push = Q(one.curvatures[m]) * w + Q(one.gradients[m]) + sign * Q(one.noise_std)
                w, pushed = w - eta * push, pushed + push
            first += pushed**2 / 2**steps if m == 0 else 0
    assert Q(as_number(local_steps.mean_drift(one, c))) == drift
    assert Q(as_number(local_steps.answer(one, c))) == first
    assert Q(as_number(local_steps.feedback(one, c))) == first / steps


@pytest.mark.parametrize("numbers", [{"centres": ("sqrt(2)", 1)}, {"start": "sqrt(2)"}, {"curvatures": "sqrt(2)"}])
def test_clients_of_runs_are_rational(numbers: dict[str, Any]) -> None:
    for kind in (SampledQuadratics, SampledKinks):
        with pytest.raises(ValueError, match="centres, start, curvatures and weights must be rational"):
            kind(**{"centres": (0, 1), **numbers})
