"""Plans of the sampling game in fractions: limits by weak duality, feasible plans; intervals of the favoured client's odds."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fltheory.papers.osmd.experts.kernels import leaving
from fltheory.papers.osmd.fedavg.closed_forms import fedavg
from fltheory.papers.osmd.heterogeneity.closed_forms import heterogeneity, minimax
from fltheory.papers.osmd.heterogeneity.closed_forms.minimax import Outcome, Points
from fltheory.papers.osmd.sampling import closed_forms as sampling
from fltheory.runs.method import NotEnumerable

LINE = (Outcome(((0, 0), (1, 1)), ((0, 1),)), Outcome(((0, 1), (2, 0)), ((0, 2),)))  # two futures of one first play
ALONE = (Outcome(((0, 0),)), Outcome(((0, 1),)))


def points(seed: int, n: int = 3) -> Points:
    random = Random(seed)
    rows = tuple(tuple(Fraction(random.randint(0, 6), 2) for _ in range(n)) for _ in range(2))
    return Points(rows, tuple(sum(row) / n / 3 for row in rows))


def floored(random: Random, n: int, alpha: Fraction) -> list[Fraction]:
    share = [Fraction(random.randint(0, 5)) for _ in range(n)]
    total = sum(share)
    return [alpha / n + (1 - alpha) * (s / total if total else Fraction(1, n)) for s in share]


def cost(of: Points, plan: Any, outcomes: Any) -> Fraction:
    """The largest total of an outcome, of (1/M^2) sum |grad F_m|^2 / p_m - |grad F|^2."""
    n = of.n_clients
    return max(
        sum(sum(a / p for a, p in zip(of.squares[w], plan[i], strict=True)) / n**2 - of.means[w] for i, w in o.paid)
        for o in outcomes
    )


def moved(plan: Any, outcomes: Any) -> Fraction:
    return max(
        sum((abs(a - b) for i, j in o.moves for a, b in zip(plan[i], plan[j], strict=True)), Fraction(0))
        for o in outcomes
    )


@pytest.mark.parametrize("seed", range(4))
def test_variances_and_the_floats_of_a_program(seed: int) -> None:
    of, random = points(seed), Random(seed)
    plan = [floored(random, 3, Fraction(1, 5)) for _ in range(3)]
    for w in (0, 1):
        wanted = sum(a / p for a, p in zip(of.squares[w], plan[0], strict=True)) / 9 - of.means[w]
        assert minimax.variance(of, plan[0], w) == wanted
    program = minimax._Program(of, LINE, 0.2, 0.3)
    floats = np.array([[float(v) for v in row] for row in plan])
    assert program.largest(floats) * program.scale == pytest.approx(float(cost(of, plan, LINE)))
    assert program.scale == max(max(row) for row in of.squares)
    assert (program.nodes, program.moves) == (3, [(0, 1), (0, 2)])
    places = [program.p(i, m) for i in range(3) for m in range(3)] + [
        program.u(i, m) for i in range(3) for m in range(3)
    ]
    places += [program.d(i, m) for i in range(2) for m in range(3)]
    assert places == list(range(program.size - 1))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("outcomes", "nodes"), [(LINE, 3), (ALONE, 1)])
def test_plans_and_multipliers_are_repaired(seed: int, outcomes: Any, nodes: int) -> None:
    """Whatever the floats are: the plan is feasible, the multipliers are, and no feasible plan costs less than they say."""
    of, random, rng = points(seed), Random(seed), np.random.default_rng(seed)
    alpha, budget = Fraction(1, 5), Fraction(1, 4)
    for limit in (12, 360, minimax.GRAIN):
        floats = rng.random((nodes, 3))
        plan = minimax._feasible(floats, outcomes, alpha, budget, limit)
        for row in plan:
            assert sum(row) == 1
            assert min(row) >= alpha / 3
        assert moved(plan, outcomes) <= budget
        shares, prices = rng.normal(size=len(outcomes)), rng.normal(size=len(outcomes))
        moves = sorted({move for o in outcomes for move in o.moves})
        forces = {move: rng.normal(size=3) for move in moves}
        found = minimax._tidy_multipliers(outcomes, shares, prices, forces, limit)
        assert sum(found.shares) == 1
        assert min(*found.shares, *found.prices) >= 0
        for move, row in found.forces.items():
            bears = sum(price for o, price in zip(outcomes, found.prices, strict=True) if move in o.moves)
            assert max(map(abs, row)) <= bears
        low = minimax._dual(of, outcomes, alpha, budget, found, limit)
        for _ in range(20):
            first = floored(random, 3, alpha)
            near = lambda row: [(9 * a + b) / 10 for a, b in zip(first, row, strict=True)]  # noqa: B023, E731
            other = [near(floored(random, 3, alpha)) for _ in range(nodes - 1)]
            tried = [first, *other]
            if moved(tried, outcomes) <= budget:
                assert low <= cost(of, tried, outcomes)
    none = minimax._tidy_multipliers(outcomes, -np.ones(len(outcomes)), prices, forces, 12)
    assert none.shares == [Fraction(1, len(outcomes))] * len(outcomes)
    kept = [floored(random, 3, alpha)] * nodes
    same = minimax._feasible(
        np.array([[float(v) for v in row] for row in kept]), outcomes, alpha, budget, minimax.GRAIN
    )
    assert np.allclose(np.array(same, dtype=float), np.array(kept, dtype=float))


def test_the_first_nodes_of_paths() -> None:
    chain = (Outcome(((0, 0),), ((0, 1), (1, 2))), Outcome(((3, 0),), ((3, 4),)))
    assert minimax._roots(chain, 6) == [0, 0, 0, 3, 3, 5]


@pytest.mark.parametrize("seed", range(8))
def test_the_best_distribution_for_prices(seed: int) -> None:
    """Of sum s/p + c p on the floored simplex: no move of mass between two clients is better; the limit is just below."""
    random = Random(seed)
    s = [Fraction(random.randint(0, 4)) for _ in range(4)]
    c = [Fraction(random.randint(-3, 3), 2) for _ in range(4)]
    alpha = Fraction(1, 3)
    at = minimax._minimiser(s, c, float(alpha))
    if not any(s):
        assert at == [0.25] * 4
        return
    value = lambda p: sum(float(a) / x + float(b) * x for a, b, x in zip(s, c, p, strict=True))  # noqa: E731
    mass = sum(at)
    assert min(at) >= float(alpha) / 4 - 1e-12
    if mass < 1 - 1e-6:  # what is left goes to a client without cost at the least price
        (least,) = {m for m in range(4) if s[m] == 0 and c[m] == min(c)} or {None}
        assert least is not None or min(c) in [v for v, w in zip(c, s, strict=True) if w == 0]
        free = next(m for m in range(4) if s[m] == 0 and c[m] == min(c))
        at[free] += 1 - mass
    assert sum(at) == pytest.approx(1, abs=1e-6)
    best = value(at)
    for i, j in itertools.permutations(range(4), 2):
        step = min(1e-3, at[i] - float(alpha) / 4)
        other = list(at)
        other[i], other[j] = other[i] - step, other[j] + step
        assert value(other) >= best - 1e-9
    low = float(minimax._node(s, c, alpha, minimax.GRAIN))
    assert best - 1e-6 * (1 + abs(best)) <= low <= best + 1e-6


@pytest.mark.parametrize("budget", ["0", "1/10", "2"])
def test_the_least_of_the_largest_total_on_a_grid(budget: str) -> None:
    """For two clients by all plans on a grid; a tight enclosure whose plan is feasible and costs its upper end."""
    of, alpha, limit = points(3, 2), Fraction(1, 5), Fraction(budget)
    grid = [Fraction(k, 20) for k in range(2, 19)]
    for outcomes, nodes in ((ALONE, 1), ((LINE[0],), 2)):
        found = minimax.least_largest(of, outcomes, alpha, limit)
        assert found.low <= found.high <= found.low + Fraction(1, 10**6)
        assert cost(of, found.plan, outcomes) == found.high
        assert moved(found.plan, outcomes) <= limit
        each = [[[p, 1 - p] for p in row] for row in itertools.product(grid, repeat=nodes)]
        best = min(cost(of, plan, outcomes) for plan in each if moved(plan, outcomes) <= limit)
        assert found.low <= best
        assert best <= found.high * Fraction(11, 10) + Fraction(1, 10)
    many = tuple(Outcome(((i, 0),)) for i in range(351))
    with pytest.raises(ValueError, match="a plan of more than 700 probabilities"):
        minimax.least_largest(of, many, alpha, limit)


# Tilted clients -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tilts", [(1, -1), (3, -3, 0), (2, -2, 1, -1), (0, 0), (5, -5, 1, -1)])
@pytest.mark.parametrize("largest", ["1/2", "2", "4"])
def test_the_least_variance_of_tilted_clients(tilts: Any, largest: str) -> None:
    """The largest value on a fine grid of |u| <= U is never above it, and comes near."""
    top, own = Fraction(largest), [Fraction(h) for h in tilts]
    found = heterogeneity.least_tilted_variance(own, top)
    each = [top * k / 400 for k in range(-400, 401)]
    best = max((sum(abs(u + h) for h in own) / len(own)) ** 2 - u**2 for u in each)
    assert best <= found
    assert found <= best + Fraction(1, 500)


def test_ties_of_the_floor() -> None:
    """The root of a square is at least alpha/M of the sum of the roots, with equality too; irrational ones are not told."""
    for a, row, alpha, wanted in (
        (1, (1, 9), Fraction(1, 2), True),
        (1, (1, 9), Fraction(51, 100), False),
        (4, (1, 9), Fraction(1), True),
        (2, (2, 2), Fraction(1), False),
        (0, (0, 0), Fraction(1), True),
    ):
        told = heterogeneity._tight(Fraction(a), tuple(map(Fraction, row)), SimpleNamespace(n_clients=2, alpha=alpha))  # type: ignore[arg-type]
        assert told == wanted


# Intervals of the odds ------------------------------------------------------------------------------------------------------


def test_probabilities_of_log_odds() -> None:
    for y in (-1.25, -0.3, -1e-9, 0.0, 1e-9, 0.7, 1.25):
        assert leaving.probability(y) == pytest.approx(1 / (1 + math.exp(-y)), rel=2**-46)
    for v in (-2.0, 0.0, 3.0):
        assert leaving._below(v) < v < leaving._above(v)
        assert leaving._above(v) - leaving._below(v) <= 4 * abs(v) * leaving.ROUNDING + 4 * leaving.TINY


def test_the_odds_of_a_mixture() -> None:
    """Those of the experts whose losses are near the best: at the limit too."""
    low, high, far = np.array([-0.1, 0.3, -0.5]), np.array([-0.05, 0.4, 0.9]), leaving.APART
    for lost, wanted in (
        ([0.0, 1.0, 1.0], (-0.1, -0.05)),
        ([0.0, far, 1.0], (-0.1, 0.4)),
        ([0.0, far * 1.01, far], (-0.5, 0.9)),
        ([far * 1.01, 0.0, 1.0], (0.3, 0.4)),
    ):
        assert leaving._mixture(low, high, np.array(lost), 0.0) == wanted


@pytest.mark.parametrize("width", [0.0, 1e-6, 1e-2])
@pytest.mark.parametrize("gain", [0.001, 0.05, 0.3, 2.0])
def test_moved_odds_enclose_the_moves_of_all_points(width: float, gain: float) -> None:
    """y + g/(p^2 q), cut at the end: at the corners and inside, also where it falls with y; hardly wider than that."""
    top = 1.1
    for y, q in itertools.product((-0.9, -0.2, 0.0, 0.5), (0.3, 0.6)):
        ends = y, y + width
        gains, chances = (gain, gain * (1 + width)), (q, q * (1 + width))
        told = leaving._move_odds(*ends, *gains, *chances, top, top)
        values = [
            min(x + g / ((1 / (1 + math.exp(-x))) ** 2 * r), top)
            for x in np.linspace(*ends, 9)
            for g in gains
            for r in chances
        ]
        assert told[0] <= min(values)
        assert told[1] >= max(values)
        if not width:
            assert told == pytest.approx((values[0], values[0]), rel=1e-12)
        slope = 2 * gain * (1 - q) / q**2 + 3 * gain / q**3 + 10 * gain + 1
        assert told[1] - told[0] <= max(values) - min(values) + 40 * width * slope + 1e-12
    assert leaving._move_odds(-2.0, -2.0, 0.0, 0.0, 0.5, 0.5, top, top)[0] == -top


def test_runs_that_take_too_long_are_not_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the clients drawn in all runs, and by the rounds: at the limit they are."""
    case = SimpleNamespace(
        constants={fedavg.notation.T: 5, fedavg.notation.M: 4}, instance=SimpleNamespace(mean_slope=lambda w: w)
    )
    measure = object.__new__(fedavg.FedAvgGradient)
    monkeypatch.setattr(fedavg.FedAvgGradient, "path", lambda *given: iter([np.array([1.0, 2.0])] * 5))
    monkeypatch.setattr("fltheory.papers.osmd.fedavg.kernels.mean_squared_gradients", lambda *given: None)
    monkeypatch.setattr(fedavg, "SIMULATED", 40)
    monkeypatch.setattr(fedavg, "LONGEST", 5)
    assert measure.simulate(None, case, 0, np.arange(2)).tolist() == [1, 4]  # type: ignore[arg-type]
    for name, less in (("SIMULATED", 39), ("LONGEST", 4)):
        with monkeypatch.context() as patch:
            patch.setattr(fedavg, name, less)
            with pytest.raises(NotEnumerable, match="2 runs of 5 rounds with 4 clients take too long"):
                measure.simulate(None, case, 0, np.arange(2))  # type: ignore[arg-type]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_means_of_estimators_by_listing_draws(n: int) -> None:
    """A client that is drawn several times counts as often, or once: over all draws of n clients with their chances."""
    x = ((Fraction(3), Fraction(-1)), (Fraction(0), Fraction(2)), (Fraction(1, 2), Fraction(5)))
    p = (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6))
    every = [Fraction(0)] * 2
    once = [Fraction(0)] * 2
    for draw in itertools.product(range(3), repeat=n):
        chance = math.prod((p[m] for m in draw), start=Fraction(1))
        counts = [draw.count(m) for m in range(3)]
        full, single = sampling.estimator(x, p, counts), sampling.estimator_once(x, p, counts)
        for axis in (0, 1):
            assert full[axis] == sum(x[m][axis] / p[m] for m in draw) / n
            assert single[axis] == sum(x[m][axis] / p[m] for m in set(draw)) / n
            every[axis] += chance * full[axis]
            once[axis] += chance * single[axis]
    assert every == [sum(v[axis] for v in x) for axis in (0, 1)]
    assert list(sampling.mean_counting_once(x, p, n)) == once
