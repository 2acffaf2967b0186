"""Quantities along a run by plain floats: what the lemmas compare, one after another, from decisions and responses alone."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from flint import arb

from fltheory.games.losses import LOG_GROWTH
from fltheory.games.play import simulate_rounds
from fltheory.model.case import Case
from fltheory.papers.aaggff import algorithms
from fltheory.papers.aaggff.complexity import closed_forms as complexity
from fltheory.papers.aaggff.estimators import closed_forms as estimators
from fltheory.papers.aaggff.newton.closed_forms import newton, runs
from fltheory.papers.aaggff.practice.closed_forms import released
from fltheory.papers.aaggff.transforms import closed_forms as transforms
from fltheory.papers.aaggff.unification import closed_forms as unification
from fltheory.problems.responses import ResponseTable
from fltheory.runs.method import NotEnumerable

ALPHA, BETA, SCALE = Fraction(3, 2), Fraction(1, 4), Fraction(2, 3)
ROWS = ((0, 2, 1), (1, 1, 1), (2, Fraction(1, 2), 0))


def game(rows: Any = ROWS, counts: Any = (2, 1, 1)) -> Case[Any]:
    table = ResponseTable(rows, counts, 2, 0, 1, len(rows[0]))
    return Case(table, learner_regularisation=ALPHA, learner_curvature=BETA, learner_scale=SCALE)


def floats(x: Any) -> np.ndarray:
    return np.array([float(v) for v in x])


class Followed:
    """A run in floats: decisions, the last one too, responses, and gradients by their definition."""

    def __init__(self, run: runs.Run) -> None:
        self.p = [floats(p) for p in run.decisions]
        self.r = [floats(r) for r in run.responses]
        self.g = [-r / (1 + p @ r) for p, r in zip(self.p, self.r, strict=False)]
        self.n = len(self.p[0])

    def loss(self, p: np.ndarray | None = None) -> float:
        plays = self.p[:-1] if p is None else [p] * len(self.r)
        return -sum(math.log(1 + q @ r) for q, r in zip(plays, self.r, strict=True))


def near(ball: Any, number: float) -> None:
    assert float(ball) == pytest.approx(number, rel=1e-9, abs=1e-9)


def of(learner: Any, case: Case[Any]) -> tuple[runs.Run, Followed]:
    run = runs.run_of(learner, case)
    return run, Followed(run)


@pytest.mark.parametrize("learner", [algorithms.aaggff_s, algorithms.aaggff_d_exact], ids=lambda one: one.name)
def test_losses_and_regrets(learner: Any) -> None:
    run, own = of(learner, game())
    assert run.n_rounds == 4
    assert sorted(run.alike) == [False, False, False, True]
    for alike, r in zip(run.alike, own.r, strict=True):
        assert alike == (len(set(r)) == 1)
    near(runs.total_loss(run), own.loss())
    for p in ([1.0, 0, 0], [0.2, 0.3, 0.5]):
        near(runs.total_loss(run, np.array([arb(v) for v in p], dtype=object)), own.loss(np.array(p)))
    for g, wanted in zip(run.gradients, own.g, strict=True):
        np.testing.assert_allclose(floats(g), wanted, rtol=1e-9)
    grid = [np.array([a, b, 40 - a - b]) / 40 for a in range(41) for b in range(41 - a)]
    best = min(own.loss(p) for p in grid)
    regret = float(runs.regret(run, game()))
    assert -1e-9 <= regret - (own.loss() - best) <= 1e-2
    total = sum(own.g)
    near(runs.linearised_regret(run), sum(g @ p for g, p in zip(own.g, own.p, strict=False)) - min(total))
    last = own.p[-1]
    shortfall = (
        own.loss()
        - own.loss(last)
        - sum(
            math.log(1 - u) + u + float(BETA) / 2 * u * u
            for g, p in zip(own.g, own.p, strict=False)
            if (u := g @ (last - p)) or True
        )
    )
    near(runs.surplus_of_last(run), shortfall)


def test_the_quantities_of_the_newton_step() -> None:
    run, own = of(algorithms.aaggff_s, game())
    alpha, beta = float(ALPHA), float(BETA)
    for centred in (False, True):
        vectors = [g - g.mean() if centred else g for g in own.g]
        roots = np.linalg.eigvalsh(beta * sum(np.outer(v, v) for v in vectors))
        logs = float(np.log(1 + roots / alpha).sum())
        near(runs.log_determinant(run, centred), logs)
        near(runs.newton_limit(run, centred), alpha / 2 * (1 - 1 / own.n) + logs / (2 * beta))

    def leader(t: int, p: np.ndarray) -> float:
        linear = sum(g @ p for g in own.g[:t])
        squares = sum((own.g[s] @ (p - own.p[s])) ** 2 for s in range(t))
        return linear + alpha / 2 * p @ p + beta / 2 * squares

    violations = []
    for t, g in enumerate(own.g):
        B = alpha * np.eye(own.n) + beta * sum(np.outer(v, v) for v in own.g[: t + 1])
        gained = g @ np.linalg.solve(B, g) / 2
        violations.append(leader(t, own.p[t]) - leader(t + 1, own.p[t + 1]) + g @ own.p[t] - gained)
    near(runs.proximal_shortfall(run), max(violations))


def test_the_quantities_of_the_entropic_learner() -> None:
    run, own = of(algorithms.aaggff_d_exact, game())
    n, scale = own.n, float(SCALE)

    def rate(t: int) -> float:
        return scale * math.sqrt(t / math.log(n))

    def entropy(p: np.ndarray) -> float:
        return float(p @ np.log(p)) + math.log(n)

    def least(t: int) -> float:
        """The minimum of the linear losses before round t + 1 and the regulariser of that round, at its minimiser."""
        total = sum(own.g[:t], np.zeros(n))
        p = np.exp(-total / rate(t + 1))
        p /= p.sum()
        return float(total @ p) + rate(t + 1) * entropy(p)

    sizes = [max(abs(g)) for g in own.g]
    limit = rate(4) * math.log(n) + sum(size**2 / (2 * rate(t)) for t, size in enumerate(sizes, 1))
    near(runs.entropic_limit(run), limit)
    violations = []
    for t, (g, size) in enumerate(zip(own.g, sizes, strict=True), 1):
        after = own.p[t]
        change = (rate(t + 1) - rate(t)) * entropy(after)
        violations.append(least(t - 1) - least(t) + g @ own.p[t - 1] - size**2 / (2 * rate(t)) + change)
    near(runs.progress_shortfall(run), max(violations))
    assert list(runs.abs_of(np.array([arb(-2), arb(3)], dtype=object))) == [2, 3]


def test_runs_without_a_single_game_in_balls_are_refused() -> None:
    few = Case(ResponseTable(ROWS, (1, 1, 1), 2, 0, 1, 2), learner_scale=SCALE)
    with pytest.raises(NotEnumerable, match="not a single game"):
        runs.run_of(algorithms.aaggff_d_exact, few)
    long = Case(ResponseTable(ROWS, (1, 1, 1), 2, 0, 2300, 3), learner_scale=SCALE)
    with pytest.raises(NotEnumerable, match="more than 20000 clients times rounds"):
        runs.run_of(algorithms.aaggff_d_exact, long)


@pytest.mark.parametrize("seed", range(8))
def test_a_newton_run_in_rationals(seed: int) -> None:
    """Each decision minimises its objective over the simplex: no point of a grid and none near it is lower."""
    rng = np.random.default_rng(seed)
    rows = tuple(tuple(Fraction(int(v), 4) for v in row) for row in rng.integers(0, 9, (3, 3)))
    run = newton.newton_run(rows, ALPHA, BETA)
    assert run.decisions[0] == (Fraction(1, 3),) * 3
    grid = [tuple(Fraction(v, 6) for v in (a, b, 6 - a - b)) for a in range(7) for b in range(7 - a)]
    for t in range(run.n_rounds + 1):
        p = run.decisions[t]
        assert sum(p) == 1
        assert min(p) >= 0
        close = [tuple(x + (y - x) / 10**6 for x, y in zip(p, q, strict=True)) for q in grid]
        assert all(run.leader(t, q) >= run.leader(t, p) for q in (*grid, *close))
        squares = sum(
            newton.dot(run.gradients[s], [x - y for x, y in zip(p, run.decisions[s], strict=True)]) ** 2
            for s in range(t)
        )
        assert run.regulariser(t, p) == ALPHA / 2 * newton.dot(p, p) + BETA / 2 * squares
    for g, r, p in zip(run.gradients, rows, run.decisions, strict=False):
        assert g == tuple(-v / (1 + newton.dot(p, r)) for v in r)
    q = (Fraction(1, 5), Fraction(4, 5), Fraction(0))
    each = [
        newton.dot(g, [x - y for x, y in zip(p, q, strict=True)])
        for g, p in zip(run.gradients, run.decisions, strict=False)
    ]
    assert run.linearised(q) == sum(each)
    assert run.squares(q) == sum(v * v for v in each)
    assert run.linearised(q) == run.first(q) + run.second(q) + run.third
    for t, g in enumerate(run.gradients):
        B = [
            [ALPHA * (i == j) + BETA * sum(h[i] * h[j] for h in run.gradients[: t + 1]) for j in range(3)]
            for i in range(3)
        ]
        assert [list(row) for row in run.matrices[t + 1]] == B
        x = newton.solve(B, g)
        assert [newton.dot(row, x) for row in B] == list(g)
        assert run.costs[t] == newton.dot(g, x)
    a, b, c = run.matrices[3]
    by_rule = sum(
        sign * a[i] * b[j] * c[k]
        for (i, j, k), sign in zip(itertools.permutations(range(3)), (1, -1, -1, 1, 1, -1), strict=True)
    )
    assert newton.determinant(run.matrices[3]) == by_rule


@pytest.mark.parametrize("rows", [((0, 2), (2, 1)), ((2, 0), (2, 0), (1, 2)), ((0, 2), (0, 2), (0, 2))])
def test_the_released_learner_in_a_game_of_two_kinds(rows: Any) -> None:
    """By simulation, in balls by its own recursion, and by a search over x for the printed objective; at a corner too."""
    big = tuple((row[0], row[0], row[1]) for row in rows)
    case = game(big, tuple(3 for _ in big))
    found = algorithms.two_kinds_as_released(case)
    assert found is not None
    simulated = sum(
        float(LOG_GROWTH.value(turn.p, turn.answer)[0])
        for turn in simulate_rounds(algorithms.aaggff_s_released, case, 0, np.arange(1))
    )
    assert float(found) == pytest.approx(simulated, abs=1e-6)
    assert algorithms.two_kinds_as_released(game(((0, 1, 2),), (3,))) is None
    total, p, gradients = 0.0, np.full(3, 1 / 3), []
    for j in case.instance.order.tolist():
        r = np.array([float(v) for v in big[j]])
        total -= math.log(1 + p @ r)
        gradients.append(-r / (1 + p @ r))
        a = float(released.weight(ALPHA, BETA))

        def objective(x: float, a: float = a) -> float:
            q = np.array([x / 2, x / 2, 1 - x])
            own = sum(g @ q for g in gradients) + a / 2 * q @ q
            return float(own + float(BETA) / 2 * sum((g @ q) ** 2 for g in gradients))

        low, high = 0.0, 1.0
        for _ in range(200):
            left, right = low + (high - low) / 3, high - (high - low) / 3
            low, high = (low, right) if objective(left) < objective(right) else (left, high)
        p = np.array([low / 2, low / 2, 1 - low])
    assert float(found) == pytest.approx(total, abs=1e-6)


def test_the_linearised_gradient_is_the_derivative_at_the_reference() -> None:
    """Of -log(1 + <p, r>) in p, to first order in r: where r is the reference it is the gradient, its slope in r too."""
    rng = np.random.default_rng(0)
    p, reference, move = rng.dirichlet(np.ones(3))[None], rng.uniform(0, 2, (1, 3)), rng.normal(size=(1, 3))

    def gradient(r: np.ndarray) -> np.ndarray:
        return -r / (1 + (p * r).sum())

    np.testing.assert_allclose(estimators.linearised_gradient(reference, p, reference), gradient(reference))
    h = 1e-5
    slope = (gradient(reference + h * move) - gradient(reference - h * move)) / (2 * h)
    found = estimators.linearised_gradient(reference + move, p, reference)
    np.testing.assert_allclose(found, gradient(reference) + slope, atol=1e-8)
    np.testing.assert_allclose(estimators.half_span(np.array([[3.0, -1.0, 0.0]])), [2.0])


@pytest.mark.parametrize("who", [[0, 2], [3], [0, 1, 2, 3]])
def test_a_round_on_lists_is_the_learners_step(who: list[int]) -> None:
    """Algorithm 3 as it is counted: the gradient of the printed estimate, the sums, and the weights by their rate."""
    rng = np.random.default_rng(len(who))
    K, done, size = 4, 3, 0.7
    p, total, r = rng.dirichlet(np.ones(K)), rng.normal(size=K), rng.uniform(0, 2, len(who))
    tally = complexity.Tally()

    def number(v: float) -> Any:
        return complexity.CountingFloat(v, tally)

    seen, response = np.isin(np.arange(K), who)[None], np.zeros((1, K))
    response[0, who] = r
    mean, share = r.mean(), len(who) / K
    estimate = estimators.doubly_robust(response, seen, share, mean)
    g = estimators.linearised_gradient(estimate, p[None], np.full((1, K), mean))[0]
    rate = size * math.sqrt((done + 2) / math.log(K))
    wanted = np.exp(-(total + g) / rate)
    wanted /= wanted.sum()
    for rounds in (complexity.device_round, complexity.simplified_device_round):
        given = [[number(v) for v in row] for row in (total, p)]
        summed, after = rounds(*given, who, [number(v) for v in r], number(K), number(size), number(done))
        np.testing.assert_allclose([v.value for v in after], wanted, rtol=1e-12)
        gone = np.array([v.value for v in summed]) - total - g
        np.testing.assert_allclose(gone, gone[0], atol=1e-12)  # up to multiples of 1
        if rounds is complexity.device_round:
            np.testing.assert_allclose(gone, 0, atol=1e-12)


def test_the_servers_matrix_and_its_face() -> None:
    rng = np.random.default_rng(3)
    K, beta = 3, 0.25
    M = rng.normal(size=(K, K))
    B, linear, p, r = M @ M.T + np.eye(K), rng.normal(size=K), rng.dirichlet(np.ones(K)), rng.uniform(0, 2, K)
    g = -r / (1 + p @ r)
    tally = complexity.Tally()

    def number(v: float) -> Any:
        return complexity.CountingFloat(v, tally)

    after, shifted = complexity.silo_matrix(
        [[number(v) for v in row] for row in B], [number(v) for v in linear], list(p), list(r), number(beta)
    )
    plain = np.array([[v.value for v in row] for row in after])
    np.testing.assert_allclose(plain, B + beta * np.outer(g, g))
    np.testing.assert_allclose([v.value for v in shifted], linear + g - beta * g * (g @ p))
    found = np.array([v.value for v in complexity.silo_face(after, [number(v) for v in linear])])
    whole = np.block([[plain, np.ones((K, 1))], [np.ones((1, K)), np.zeros((1, 1))]])
    np.testing.assert_allclose(found, np.linalg.solve(whole, [*-linear, 1])[:K])


def test_operations_are_counted_one_by_one() -> None:
    tally = complexity.Tally()
    x, y = (complexity.CountingFloat(v, tally) for v in (2.0, 5.0))
    made = [
        x + y,
        x - y,
        x * y,
        x / y,
        3 - x,
        3 / x,
        3 + x,
        3 * x,
        x + 1,
        x - 1,
        x * 4,
        x / 4,
        x.exp(),
        y.log(),
        y.sqrt(),
    ]
    values = [7, -3, 10, 0.4, 1, 1.5, 5, 6, 3, 1, 8, 0.5, math.exp(2), math.log(5), math.sqrt(5)]
    assert [v.value for v in made] == values
    assert tally.count == len(made)
    complexity.softmax([x, y], complexity.CountingFloat(2.0, tally))
    assert tally.count == len(made) + 2 * 3 + 1 + 2  # a quotient, its negative, its exponential; the sum; the quotients


@pytest.mark.parametrize("low", [0, Fraction(1, 3), 1])
def test_responses_are_in_their_range(low: Any) -> None:
    """(8) from its lower end, a loss of 0, up; those not seen have 0; exact numbers and floats agree."""
    losses, seen = np.array([[0.0, 1.0, 2.0, 7.0]]), np.array([[True, True, True, False]])
    for name, cdf in transforms.CDFS.items():
        found = transforms.response(losses, seen, low, low + 2, cdf)
        wanted = float(low) + 2 * np.asarray(cdf(np.array([0.0, 1.0, 2.0])), dtype=float)
        np.testing.assert_allclose(floats(found[0]), [*wanted, 0], rtol=1e-12, err_msg=name)
        exact = transforms.response(
            np.array([[Fraction(v) for v in (0, 1, 2, 7)]], dtype=object), seen, low, low + 2, cdf
        )
        np.testing.assert_allclose(floats(exact[0]), floats(found[0]), rtol=1e-9, atol=1e-12, err_msg=name)
    for bad in ((-1, 1), (1, 1), (2, 1)):
        with pytest.raises(ValueError, match="expected 0 <= low < high"):
            transforms.response(losses, seen, *bad)
    for wrong, why in (([[1.0, np.nan]], "finite"), ([[1.0, -1.0]], "below 0"), ([[0.0, 0.0]], "all are 0")):
        with pytest.raises(ValueError, match=why):
            transforms.over_mean(np.array(wrong))
    with pytest.raises(ValueError, match="no client is seen"):
        transforms.over_mean(losses, np.zeros((1, 4), bool))


def test_projections_and_the_worst_clients() -> None:
    rng = np.random.default_rng(1)
    for _ in range(30):
        x = rng.normal(size=4) * 2
        found = unification.project(x)
        assert found.sum() == pytest.approx(1)
        assert found.min() >= 0
        for q in rng.dirichlet(np.ones(4), 20):
            assert (x - found) @ (q - found) <= 1e-9  # the obtuse angle of a projection
    np.testing.assert_allclose(unification.worst_clients([0.2, 0.3, 0.5], [4.0, 4.0, 1.0]), [0.4, 0.6, 0])
    step = unification.ascent_step([0.5, 0.5], [3.0, 1.0], 0.1)
    np.testing.assert_allclose(step, [0.6, 0.4])
    np.testing.assert_allclose(
        unification.entropic_step([0.2, 0.8], [1000.0, 999.0], 2.0),
        np.array([0.2 * math.e**0.5, 0.8]) / (0.2 * math.e**0.5 + 0.8),
    )


def test_the_true_step_of_q_fedavg() -> None:
    """Its own formula: the sum of F_i^q grad_i over the sum of the curvatures, whatever the entropic step says."""
    rng = np.random.default_rng(2)
    shares, losses, updates = rng.dirichlet(np.ones(3)), rng.uniform(0.5, 2, 3), rng.normal(size=(3, 2))
    q, L = 1.5, 3.0
    gradients = L * updates
    curvature = q * losses ** (q - 1) * (gradients**2).sum(axis=1) + L * losses**q
    wanted = (shares * losses**q) @ gradients / (shares @ curvature)
    for found in (unification.global_step, unification.printed_step):
        np.testing.assert_allclose(found(unification.qfedavg, shares, losses, updates, q, L), wanted)
    np.testing.assert_allclose(
        unification.step_weights(unification.qfedavg, shares, losses, q), shares * losses**q / (shares @ losses**q)
    )
    baseline = 5.0
    fair = (shares / (baseline - losses)) @ updates
    for found in (unification.global_step, unification.printed_step):
        np.testing.assert_allclose(found(unification.propfair, shares, losses, updates, baseline), fair)
    tilted = shares * np.exp(-0.7 * losses)
    np.testing.assert_allclose(
        unification.global_step(unification.term, shares, losses, updates, -0.7), tilted @ updates / tilted.sum()
    )
    objectives = {"qfedavg": (q, (shares @ losses ** (q + 1)) / (q + 1)), "fedavg": (0, shares @ losses)}
    objectives |= {"term": (-0.7, math.log(shares @ np.exp(-0.7 * losses)) / -0.7)}
    objectives |= {"propfair": (baseline, -(shares @ np.log(baseline - losses)))}
    for name, (constant, value) in objectives.items():
        assert unification.METHODS[name].objective(shares, losses, constant) == pytest.approx(value)
    for method, constant, at in (
        (unification.qfedavg, -1, losses),
        (unification.term, 0, losses),
        (unification.propfair, 1, losses),
    ):
        with pytest.raises(ValueError, match="needs"):
            unification.step_weights(method, shares, at, constant)


def test_equal_responses_violate_nothing() -> None:
    """All decisions are equally good: no lemma's quantity is anything but 0, exactly."""
    run = runs.run_of(algorithms.aaggff_d_exact, game(((1, 1, 1), (1, 1, 1)), (2, 1)))
    none = replace(run, gradients=tuple(g * 0 for g in run.gradients))
    assert all(run.alike)
    assert runs.surplus_of_last(run) == 0
    assert runs.progress_shortfall(none) == 0
    assert runs.proximal_shortfall(none) == 0
    mixed = runs.run_of(algorithms.aaggff_d_exact, game())
    assert [len(set(r)) == 1 for r in (floats(r).tolist() for r in mixed.responses)] == list(mixed.alike)


def test_one_ball_makes_all_numbers_balls() -> None:
    """Else all are floats if the first is, or SymPy numbers."""
    mixed = np.array([Fraction(1, 2), arb(3)], dtype=object)
    exactly = np.array([Fraction(1, 2), 2], dtype=object)
    for given in ((mixed, exactly), (exactly, mixed), (exactly, arb(1)), (exactly, exactly, mixed)):
        found = unification.to_same_kind(*given)
        assert all(isinstance(v, arb) for one in found for v in np.asarray(one).flat)
    assert all(isinstance(v, sympy.Basic) for one in unification.to_same_kind(exactly, 3) for v in np.asarray(one).flat)
    assert unification.to_same_kind(np.array([0.5]), exactly)[1].dtype == float


@pytest.mark.parametrize(("n", "m"), [(2, 1), (5, 3), (4, 4)])
def test_synthetic_responses_and_counts(n: int, m: int) -> None:
    """As many responses as clients take part, in [0, 1]; the matrix takes of the order of K^2 operations, a face K^3."""
    at = complexity.ServerRound(n, m)
    assert len(at.responses) == m
    assert all(0 <= r <= 1 for r in at.responses)
    assert at.responses == complexity.ServerRound(n + 1, m).responses
    with pytest.raises(ValueError, match=f"n_participating = {n + 1} of {n} clients"):
        complexity.ServerRound(n, n + 1)


@pytest.mark.parametrize("counts", [(1, 1), (1, 3), (3, 2), (2, 4)])
def test_the_released_learner_whatever_the_counts_of_both_kinds(counts: tuple[int, int]) -> None:
    """In balls by its own recursion as by simulation; in games of so many clients as are followed in balls."""
    rows = tuple((first,) * counts[0] + (second,) * counts[1] for first, second in ((0, 2), (2, 1), (0, 1)))
    case = game(rows, (2, 1, 3))
    found = algorithms.two_kinds_as_released(case)
    assert found is not None
    simulated = sum(
        float(LOG_GROWTH.value(turn.p, turn.answer)[0])
        for turn in simulate_rounds(algorithms.aaggff_s_released, case, 0, np.arange(1))
    )
    assert float(found) == pytest.approx(simulated, abs=1e-6)


@pytest.mark.parametrize(("most", "followed"), [(2, False), (3, True)])
def test_games_of_many_clients_are_not_followed_in_balls(
    most: int, followed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(algorithms, "IN_BALLS", most)
    assert (algorithms.two_kinds_as_released(game(((0, 0, 2), (2, 2, 1)), (1, 1))) is not None) == followed
