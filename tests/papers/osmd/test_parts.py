"""Parts of OSMD's kernels, samplers and closed forms, each against a few lines of plain Python, at ties and at the edges."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flint import arb

from fltheory.number.streams.kernels import uniform_after
from fltheory.papers.osmd import kernels, simplex
from fltheory.papers.osmd.algorithms import draws, grid, samplers
from fltheory.papers.osmd.fedavg import kernels as of_fedavg
from fltheory.papers.osmd.kernels.simplex import project_rows

# Feedback by its changes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_rows_and_their_changes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 3, (6, 4)).astype(float)
    changes = kernels.by_rows(rows)
    assert (kernels.feedback_rows(changes, 6) == rows).all()
    assert len(changes.rounds) == (rows[1:] != rows[:-1]).sum()
    same = kernels.constant(rows[0])
    assert (kernels.feedback_rows(same, 3) == rows[0]).all()
    assert not len(same.rounds)


@pytest.mark.parametrize(("n", "rounds", "block"), [(3, 11, 2), (2, 5, 1), (4, 4, 4), (3, 9, 3)])
def test_the_heavy_client_rotates(n: int, rounds: int, block: int) -> None:
    found = kernels.feedback_rows(kernels.rotating_changes(n, rounds, block, 0.25, 2.0), rounds)
    wanted = [[2.0 if m == t // block % n else 0.25 for m in range(n)] for t in range(rounds)]
    assert found.tolist() == wanted


def test_one_client_drifts_in_each_round() -> None:
    values = np.array([5.0, 6.0, 7.0, 8.0])
    found = kernels.feedback_rows(kernels.drifting_changes(np.array([1.0, 2.0, 3.0]), values), 5)
    row, wanted = [1.0, 2.0, 3.0], [[1.0, 2.0, 3.0]]
    for t, value in enumerate(values):
        row = [*row[: t % 3], float(value), *row[t % 3 + 1 :]]
        wanted.append(row)
    assert found.tolist() == wanted


# Sums and draws -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("values", [[1e16, 1.0, -1e16], [1.0, 1e16, -1e16, 1.0], [-0.1] * 10, [1e-9, -3.0, 1e9, 3.0]])
def test_compensated_sums_are_those_of_fractions(values: list[float]) -> None:
    """To about twice the digits, at either place of an array."""
    for at in (0, 2):
        total = np.zeros(4)
        for v in values:
            kernels.add_compensated(total, at, v)
        exact = sum(map(Fraction, values))
        assert abs(Fraction(total[at]) + Fraction(total[at + 1]) - exact) <= Fraction(2) ** -90 * Fraction(
            max(map(abs, values))
        )
        assert not total[2 - at : 4 - at].any()


def test_exponents_are_capped() -> None:
    assert kernels.exponent(3, 2.0, 0.5, 2, 0.25) == 3 * 2 * 0.5 / (4 * 0.25**3)
    assert kernels.exponent(3, 0.0, 0.5, 2, 0.25) == 0
    assert kernels.exponent(1, 1e300, 1e10, 1, 0.1) == kernels.LARGEST
    assert kernels.exponent(1, 1e50, 1.0, 1, 1e-90) == kernels.LARGEST


@pytest.mark.parametrize("n", range(1, 14))
def test_sums_in_fours(n: int) -> None:
    """Of any length: those above a threshold, one that is equal to it not; the losses and the running sums."""
    rng = np.random.default_rng(n)
    p = rng.integers(1, 9, n) / 8.0
    for threshold in (0.0, 0.5, 1.0, float(p[-1]), float(p[0])):
        mass, count = kernels._mass_above(p, threshold)
        assert mass == p[p > threshold].sum()
        assert count == (p > threshold).sum()
    a, sums = rng.integers(0, 5, n).astype(float), np.empty(n)
    assert kernels.summed_loss(a, p, sums) == pytest.approx(sum(x / q for x, q in zip(a, p, strict=True)), rel=1e-14)
    np.testing.assert_allclose(sums, p.cumsum(), rtol=1e-15)


@pytest.mark.parametrize("n_sampled", [1, 2, 7])
def test_draws_are_places_in_the_running_sums(n_sampled: int) -> None:
    """Each distinct client is listed once, in the order of its first draw, and counted."""
    sums = np.array([0.0, 0.25, 0.25, 0.75, 1.5])  # the first and the third have no mass
    for word in range(40):
        state = np.uint64(word * 7919 + 1)
        levels = [float(uniform_after(state, k)) * 1.5 for k in range(n_sampled)]
        wanted = [next(m for m, s in enumerate(sums) if s > level) for level in levels]
        counts, drawn = np.zeros(5, dtype=np.int64), np.empty(5, dtype=np.int64)
        n_drawn = kernels.dense_draws(state, sums, n_sampled, counts, drawn)
        assert counts.tolist() == [wanted.count(m) for m in range(5)]
        assert drawn[:n_drawn].tolist() == list(dict.fromkeys(wanted))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 11])
def test_the_tree_of_running_sums(n: int) -> None:
    """The client whose running sum first exceeds a level: at each boundary and within; the last one beyond all."""
    masses, size = [(m * 5) % 3 + 1 for m in range(n)], 1
    while size <= n:
        size *= 2
    tree = np.zeros(size)
    for m, mass in enumerate(masses):
        of_fedavg._add_mass(tree, m, float(mass))
    sums = list(itertools.accumulate(masses))
    for twice in range(2 * sums[-1]):
        wanted = next(m for m, s in enumerate(sums) if s > twice / 2)
        assert of_fedavg._find_client(tree, twice / 2, n) == wanted
    assert of_fedavg._find_client(tree, float(sums[-1]), n) == n - 1


@pytest.mark.parametrize("alpha", [Fraction(1, 10), Fraction(2, 5), Fraction(1)])
def test_the_projection_in_fractions(alpha: Fraction) -> None:
    """max(alpha/M, c y) with the one c for which it sums to 1: found by trying every number of clients at the floor."""
    for y in ((1, 1, 1), (4, 1, 1), (8, 4, 1), (1, 0, 0), (16, 1, 1, 1), (3, 2, 2, 1), (5,)):
        n, floor = len(y), alpha / len(y)
        tried = []
        for above in range(1, n + 1):
            largest = sorted(y)[n - above :]
            c = (1 - (n - above) * floor) / sum(map(Fraction, largest))
            found = [max(floor, c * v) for v in y]
            if sum(found) == 1:
                tried.append(found)
        assert tried
        assert all(found == tried[0] for found in tried)
        rows = np.array([y, y], dtype=float)
        project_rows(rows, np.sort(rows, axis=1), np.array([float(alpha), 1.0]))
        np.testing.assert_allclose(rows[0], [float(v) for v in tried[0]], rtol=1e-14)
        np.testing.assert_allclose(rows[1], 1 / n, rtol=1e-14)


# Distributions in balls -----------------------------------------------------------------------------------------------------


def balls(values: Any) -> list[arb]:
    return [arb(Fraction(v).numerator) / Fraction(v).denominator for v in values]


@pytest.mark.parametrize("q", [("1/2", "1/2", "0"), ("7/10", "1/5", "1/10"), ("1/3", "1/3", "1/3"), ("1", "0", "0")])
@pytest.mark.parametrize("alpha", ["1/10", "3/10", "3/5"])
def test_the_functionals_of_the_projection(q: tuple[str, ...], alpha: str) -> None:
    """What is missing below the floor is taken in proportion from what is above it."""
    point, floor = [Fraction(v) for v in q], Fraction(alpha) / 3
    found = simplex.projection(balls(q), balls([alpha])[0])
    psi = sum((max(floor - v, Fraction(0)) for v in point), Fraction(0))
    room = sum((max(v - floor, Fraction(0)) for v in point), Fraction(0))
    omega = psi / room if psi else Fraction(0)
    assert float(found.psi) == pytest.approx(float(psi))
    assert float(found.omega) == pytest.approx(float(omega))
    assert float(found.phi) == pytest.approx(float(omega / (1 - omega * (1 - floor))))
    wanted = [floor + (1 - omega) * max(v - floor, Fraction(0)) for v in point] if psi else point
    assert [float(v) for v in found.point] == pytest.approx([float(v) for v in wanted])
    assert sum(wanted) == 1


def test_the_best_distributions_have_the_least_loss() -> None:
    """In the whole simplex and in the floored one, among those of a grid; (sum of the roots)^2 is the loss of the best."""
    feedback, alpha = [4, 1, 9, 0], Fraction(2, 5)
    best, floored = simplex.best(balls(feedback)), simplex.floored_best(balls(feedback), balls([alpha])[0])
    assert [float(v) for v in best] == pytest.approx([2 / 6, 1 / 6, 3 / 6, 0])
    assert float(simplex.loss(balls(feedback), best)) == pytest.approx(36)
    assert float(sum(floored, arb(0))) == pytest.approx(1)
    assert min(float(v) for v in floored) == pytest.approx(0.1)
    least = float(simplex.loss(balls(feedback), floored))
    for a, b, c in itertools.product(range(1, 8), repeat=3):
        if a + b + c < 10:
            q = [Fraction(v, 10) for v in (a, b, c, 10 - a - b - c)]
            assert sum(Fraction(x) / v for x, v in zip(feedback, q, strict=True)) >= Fraction(least) - Fraction(
                1, 10**9
            )
    q = [0.2, 0.5, 0.3, 0.0]
    wanted = math.log(4) + sum(v * math.log(v) for v in q if v)
    assert float(simplex.divergence([arb(v) for v in q])) == pytest.approx(wanted)


# Samplers -------------------------------------------------------------------------------------------------------------------


def constants(**more: Any) -> Any:
    known = {"n_clients": 3, "n_sampled": 2, "n_rounds": 50, "probability_floor": 0.4, "max_feedback": 2.0}
    return SimpleNamespace(**{**known, **more})


COUNTS, FEEDBACK = np.array([[2, 0, 1]]), np.array([[0.5, 9.0, 2.0]])


def test_mabs_beside_its_formula() -> None:
    """Weights grow by delta a / p^3 for each draw; only differences of log weights matter, however large they are."""
    c, own = constants(), samplers.mabs(0.3)
    state = own.init(1, c)
    rate = 0.3**2 * math.sqrt(math.log(3) / (50 * 3**5)) / 2.0
    logs = np.zeros(3)
    for _ in range(3):
        w = np.exp(logs - logs.max())
        p = 0.7 * w / w.sum() + 0.1
        np.testing.assert_allclose(own.play(state, c)[0], p, rtol=1e-12)
        logs += rate * COUNTS[0] * FEEDBACK[0] / p**3
        state = own.step(state, COUNTS, FEEDBACK, c)
        np.testing.assert_allclose(state[0] - state[0].max(), logs - logs.max(), rtol=1e-10, atol=1e-14)
    for shift in (0.0, 2000.0, -2000.0, 1e6):
        moved = own.play(np.array([[shift, shift - 1.0, shift - 2.0]]), c)[0]
        w = np.exp([0.0, -1.0, -2.0])
        np.testing.assert_allclose(moved, 0.7 * w / w.sum() + 0.1, rtol=1e-9)
    huge = own.step(np.zeros((1, 3)), COUNTS, np.full((1, 3), 1e300), constants(max_feedback=1e-9))
    assert np.isfinite(own.play(huge, c)).all()


def test_vrb_and_avare_beside_their_formulas() -> None:
    c, own = constants(), samplers.vrb(0.3)
    total = np.zeros(3)
    state = own.init(1, c)
    for _ in range(3):
        root = np.sqrt(total + 2.0 * 3 / 0.3)
        p = 0.7 * root / root.sum() + 0.1
        np.testing.assert_allclose(own.play(state, c)[0], p, rtol=1e-12)
        total = total + COUNTS[0] * FEEDBACK[0] / p
        state = own.step(state, COUNTS, FEEDBACK, c)
        np.testing.assert_allclose(state[0], total, rtol=1e-12)
    last = samplers.avare(0.5)
    state = last.init(1, c)
    np.testing.assert_allclose(last.play(state, c)[0], 1 / 3)
    state = last.step(state, COUNTS, FEEDBACK, c)
    assert state.seen.tolist() == [[True, False, True]]
    assert state.rounds.tolist() == [2]
    norms = np.array(
        [math.sqrt(0.5), (math.sqrt(0.5) + math.sqrt(2)) / 2, math.sqrt(2)]
    )  # the unseen: the mean of those seen
    floor, p = 2**-0.5 / 3, norms / norms.sum()
    assert p.min() < floor  # the floor matters
    room = 1 - floor
    wanted = np.array([floor, *(room * norms[1:] / norms[1:].sum())])
    np.testing.assert_allclose(last.play(state, c)[0], wanted, rtol=1e-9)
    again = last.step(state, np.array([[0, 1, 0]]), np.array([[7.0, 0.0, 7.0]]), c)
    np.testing.assert_allclose(again.norms[0], [math.sqrt(0.5), 0, math.sqrt(2)])
    none = samplers.LastSeen(np.zeros((1, 3)), np.ones((1, 3), bool), np.array([4.0]))
    np.testing.assert_allclose(last.play(none, c)[0], 1 / 3)


def test_fixed_and_optimal_distributions() -> None:
    c = constants()
    weights, smooth = np.array([0.5, 0.25, 0.25]), np.array([1.0, 6.0, 2.0])
    np.testing.assert_allclose(samplers.lipschitz(weights, smooth).init(2, c), [[0.2, 0.6, 0.2]] * 2)
    np.testing.assert_allclose(samplers.optimal_distribution(np.array([4.0, 1.0, 9.0])), [2 / 6, 1 / 6, 3 / 6])
    np.testing.assert_allclose(
        samplers.optimal_distribution(np.array([[0.0, 0.0], [1.0, 0.0]])), [[0.5, 0.5], [1.0, 0.0]]
    )
    np.testing.assert_allclose(samplers.optimal_distribution(np.array([1.0, 0.0]), 0.4), [0.8, 0.2])
    np.testing.assert_allclose(samplers.optimal.choose(np.array([4.0, 1.0, 9.0]), c), [2 / 6, 1 / 6, 3 / 6])
    np.testing.assert_allclose(
        samplers.optimal_floored.choose(np.array([1.0, 0.0, 0.0]), c), [1 - 0.8 / 3, 0.4 / 3, 0.4 / 3]
    )
    state = np.array([[0.1, 0.9]])
    assert samplers.uniform.step(state, COUNTS, FEEDBACK, c) is state


# Draws ----------------------------------------------------------------------------------------------------------------------


def fractions(rows: Any) -> np.ndarray:
    return np.array([[Fraction(v) for v in row] for row in rows], dtype=object)


def test_weights_of_draws_in_fractions() -> None:
    """For one row, for several, and for more axes: clients are the last one."""
    p, counts = fractions([["1/2", "1/3", "1/6"], ["1/4", "1/4", "1/2"]]), fractions([[2, 0, 1], [0, 0, 3]])
    wanted = [[n / (3 * q) for n, q in zip(*rows, strict=True)] for rows in zip(counts, p, strict=True)]
    every = np.array([[False], [False]])
    assert draws.estimator_weights(p, counts).tolist() == wanted
    assert draws.active_weights(p, counts, every).tolist() == wanted
    assert draws.estimator_weights(p[0], counts[0]).tolist() == wanted[0]
    assert draws.active_weights(p[0], counts[0], every[0]).tolist() == wanted[0]
    deep = draws.active_weights(p[None], counts[None], every[None])
    assert deep.shape == (1, 2, 3)
    assert deep[0].tolist() == wanted
    everybody = draws.active_weights(p, counts, np.array([[True], [False]]))
    assert everybody.tolist() == [[1, 0, 1], wanted[1]]
    idle = fractions([["1/2", "1/2", 0]])  # a client that is not there
    assert draws.active_weights(idle, fractions([[1, 1, 0]]), every[:1]).tolist() == [[1, 1, 0]]
    assert draws.restrict_to(p, np.array([1, 0, 1])).tolist() == [
        [Fraction(3, 4), 0, Fraction(1, 4)],
        [Fraction(1, 3), 0, Fraction(2, 3)],
    ]
    order = np.array([[2, 0], [1, 2]])
    found = draws.without_replacement_weights(p, order)
    assert found.tolist() == [
        [Fraction(1, 2) / (Fraction(1, 2) / Fraction(5, 6)), 0, Fraction(6 + 1, 2)],
        [0, Fraction(4 + 1, 2), Fraction(1, 2) / (Fraction(1, 2) / Fraction(3, 4))],
    ]
    assert draws.members(order, 4).tolist() == [[1, 0, 1, 0], [0, 1, 1, 0]]


def test_few_active_clients_are_all_used() -> None:
    """Up to as many as are drawn: at that number all are, one more and clients are drawn."""
    p = np.full((3, 4), 0.25)
    active = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 0, 1]])
    counts, weights = draws.draw_active(p, active, 2, 3, np.arange(3), 0)
    assert counts[:2].tolist() == active[:2].tolist()
    assert weights[:2].tolist() == active[:2].tolist()
    assert counts[2].sum() == 2
    assert counts[2, 2] == 0
    np.testing.assert_allclose(weights[2], counts[2] / (2 / 3))


def test_the_two_parts_of_a_personalised_gradient() -> None:
    """Each has its own sampler, number of draws and random numbers: the counts are those of p, and independent."""
    n, p = 20_000, (np.array([0.7, 0.2, 0.1]), np.array([0.1, 0.3, 0.6]))
    rows = tuple(np.tile(q, (n, 1)) for q in p)
    first, second = draws.draw_two_parts(rows, (2, 3), 5, np.arange(n), 1)
    assert (first.sum(axis=1) == 2).all()
    assert (second.sum(axis=1) <= 3).all()
    np.testing.assert_allclose(first.mean(axis=0), 2 * p[0], atol=0.03)
    again = draws.draw_two_parts(rows, (1, 1), 5, np.arange(n), 1)
    np.testing.assert_allclose(again[1].mean(axis=0), p[1], atol=0.02)
    np.testing.assert_allclose((again[0][:, :, None] * again[1][:, None]).mean(axis=0), np.outer(*p), atol=0.02)
    parts = fractions([[1, -2], [3, 0], [0, 5]]), fractions([[-1, 1], [2, 2], [4, 0]])
    weights, q = (
        fractions([["1/2", "1/4", "1/4"]])[0],
        (fractions([["1/2", "1/3", "1/6"]])[0], fractions([["1/4", "1/4", "1/2"]])[0]),
    )
    counts = fractions([[1, 1, 0]])[0], fractions([[0, 1, 2]])[0]
    wanted = [
        sum(
            w * n * part[m][axis] / (sum(k) * r[m])
            for k, r, part in zip(counts, q, parts, strict=True)
            for m, (w, n) in enumerate(zip(weights, k, strict=True))
        )
        for axis in range(2)
    ]
    assert draws.two_part_estimate(weights, parts, q, counts).tolist() == wanted


# The grid of experts ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_clients", "n_sampled", "floor", "largest", "rounds"),
    [(2, 1, 0.5, 1.0, 1), (5, 3, 0.375, 2.5, 100), (3, 2, 1.0, 0.125, 7)],
)
def test_rates_beside_their_formulas(n_clients: int, n_sampled: int, floor: float, largest: float, rounds: int) -> None:
    c = constants(
        n_clients=n_clients,
        n_sampled=n_sampled,
        probability_floor=floor,
        max_feedback=largest,
        n_rounds=rounds,
        meta_rate=0.7,
    )
    known = {"probability_floor": Fraction(floor), "max_feedback": Fraction(largest), "meta_rate": Fraction(7, 10)}
    exact = SimpleNamespace(**{**vars(c), **known})
    count = grid.n_experts(n_clients, floor, rounds)
    needed = math.log2(1 + 4 * (rounds - 1) * math.log(n_clients / floor) / math.log(n_clients)) / 2 + 1
    assert count - 1 - 1e-9 < needed <= count + 1e-9
    rates = [
        2**e * n_sampled * floor**3 / (n_clients**3 * largest) * math.sqrt(2 * math.log(n_clients) / rounds)
        for e in range(count)
    ]
    np.testing.assert_allclose(grid.expert_grid(c), rates, rtol=1e-12)
    np.testing.assert_allclose([float(v) for v in grid.expert_grid(exact, balls=True)], rates, rtol=1e-12)
    other = grid.expert_grid(c, 4 * rounds)
    np.testing.assert_allclose(other[0], rates[0] / 2, rtol=1e-12)
    corrected = math.sqrt(8 / rounds) * n_sampled * floor**2 / (n_clients**2 * largest)
    printed = floor / n_clients * math.sqrt(8 * n_sampled / (rounds * largest))
    for name, rate in (("corrected", corrected), ("printed", printed), ("given", 0.7)):
        assert grid.meta_rate(c, name) == pytest.approx(rate)
        assert float(grid.meta_rate(exact, name, balls=True)) == pytest.approx(rate)
        assert name == "given" or grid.meta_rate(c, name, 4 * rounds) == pytest.approx(rate / 2)
    weights = grid.first_weights(count)
    assert sum(weights) == 1
    assert [w / weights[0] for w in weights] == [Fraction(2, e * (e + 1)) for e in range(1, count + 1)]


@pytest.mark.parametrize(("n_clients", "rounds"), [(1, 5), (2, 0)])
def test_no_experts_for_one_client_or_no_round(n_clients: int, rounds: int) -> None:
    with pytest.raises(ValueError, match="expected at least 2 and 1"):
        grid.n_experts(n_clients, Fraction(1, 2), rounds)


@pytest.mark.parametrize(
    ("n", "alpha", "ratio"),
    [(4, 1, 1), (4, Fraction(1, 4), 2), (4, Fraction(1, 2), Fraction(3, 2)), (8, Fraction(1, 4), Fraction(5, 3))],
)
def test_ratios_of_logarithms_are_decided_exactly(n: int, alpha: Any, ratio: Any) -> None:
    """log(M/alpha) / log M: (M/alpha)^v = M^u in integers; any other ratio is refused, also of a number just beside it."""
    assert grid.log_ratio_is(Fraction(ratio), n, alpha)
    for other in (Fraction(ratio) + 1, Fraction(ratio) * Fraction(101, 100), Fraction(ratio) - Fraction(1, 7)):
        assert not grid.log_ratio_is(other, n, alpha)
    assert not grid.log_ratio_is(Fraction(ratio), n, Fraction(alpha) * Fraction(99, 100))
    assert grid.log_ratio_is(Fraction(ratio), n, arb(Fraction(alpha).numerator) / Fraction(alpha).denominator)
