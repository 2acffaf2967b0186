"""Closed forms of rounds by a few lines of fractions: kinked clients in every order, sums of signs, merged intervals."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

from fltheory.evidence.exact import exact_value
from fltheory.evidence.measured import AtLeast
from fltheory.model.case import Case
from fltheory.number import BALL, RATIONAL, as_number
from fltheory.papers.sfl.algorithms import random_reshuffling, sequential
from fltheory.papers.sfl.comparison import closed_forms as comparison
from fltheory.papers.sfl.kinked import closed_forms as kinked
from fltheory.papers.sfl.lower.closed_forms import CoordinatewiseGap
from fltheory.papers.sfl.recursion import closed_forms as recursion
from fltheory.papers.sfl.signs import closed_forms as signs
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients
from fltheory.runs.measures import LastGap
from fltheory.runs.method import NotEnumerable

STEEP, FLAT, ETA, ZETA, SIGMA, START = (Fraction(v) for v in ("4", "1/3", "1/16", "3/2", "1/2", "1/5"))
SETTINGS = {"step_size": ETA, "large_curvature": STEEP, "small_curvature": FLAT, "noise_std": SIGMA}


class Course(NamedTuple):
    """One outcome: the local models, the sums of signs so far in units of 1/K before each, and those of the noise."""

    x: list[Fraction]
    balance: list[Fraction]
    noise: list[Fraction]
    weight: Fraction


def force(x: Fraction, left: Fraction = STEEP, right: Fraction = FLAT) -> Fraction:
    return (left if x < 0 else right) * x


def courses(n: int, steps: int, noisy: bool = False, right: Fraction = FLAT, start: Fraction = START) -> list[Course]:
    """Every order of half as many clients of each slope; or equal clients with a sign of noise in each step."""
    rows: Any = itertools.product((1, -1), repeat=n * steps) if noisy else itertools.permutations((1, -1) * (n // 2))
    counts = Counter(tuple(row) for row in rows)
    found = []
    for row, count in counts.items():
        x, balance, noise = [start], [Fraction(0)], [Fraction(0)]
        for at in range(n * steps):
            sign = row[at] if noisy else row[at // steps]
            extra = SIGMA * sign if noisy else ZETA * sign
            x.append(x[-1] - ETA * (force(x[-1], STEEP, right) + extra))
            balance.append(balance[-1] + (0 if noisy else Fraction(sign, steps)))
            noise.append(noise[-1] + (sign if noisy else 0))
        found.append(Course(x, balance, noise, Fraction(count, sum(counts.values()))))
    return found


def expected(found: list[Course], value: Any) -> Fraction:
    return sum((c.weight * value(c) for c in found), Fraction(0))


def both_sides(left: Any, right: Any, slopes: Any, start: Any, noise_std: Any = 0) -> PiecewiseQuadraticClients:
    n = len(slopes)
    return PiecewiseQuadraticClients((left,) * n, (right,) * n, slopes, start, noise_std)


def clients(n: int, noisy: bool = False) -> PiecewiseQuadraticClients:
    slopes = (0,) * n if noisy else (ZETA, -ZETA) * (n // 2)
    return both_sides(STEEP, FLAT, slopes, START, SIGMA if noisy else 0)


def each_place(n: int, steps: int) -> Iterator[tuple[int, Any]]:
    for position in range(1, n + 1):
        for k in range(1, steps + 1):
            more = {"n_local_steps": steps, "position": position, "local_step": k, "n_clients": n}
            yield (position - 1) * steps + k, SimpleNamespace(**SETTINGS, **more)


@pytest.mark.parametrize(("n", "steps"), [(2, 1), (2, 3), (4, 2)])
def test_the_pieces_of_a_round_of_kinked_clients(n: int, steps: int) -> None:
    """At every position and local step, by its definition: equations (5) to (7) and what they rest on."""
    own, found = clients(n), courses(n, steps)
    for at, c in each_place(n, steps):
        assert kinked.place(own, c) == at
        distance = expected(found, lambda o: abs(o.x[at] - o.x[0]))  # noqa: B023
        pulled = expected(found, lambda o: force(o.x[at]))  # noqa: B023
        above = expected(found, lambda o: o.x[at] * (o.balance[at] > 0))  # noqa: B023
        below = expected(found, lambda o: o.x[at] * (o.balance[at] <= 0))  # noqa: B023
        size = expected(found, lambda o: abs(o.balance[at]))  # noqa: B023
        moved = sum((expected(found, lambda o: abs(o.x[i] - o.x[0])) for i in range(at)), Fraction(0))  # noqa: B023
        assert kinked.distance(own, c) == distance
        assert kinked.mean_pull(own, c) == pulled
        assert kinked.pull_below(own, c) == Fraction(501, 1000) * STEEP * START - pulled
        assert kinked.split_above_pull(own, c) == STEEP * (above + START) + FLAT * below - pulled
        assert kinked.first_term(own, c) == STEEP * (above - STEEP * ETA * moved + steps * ETA * ZETA * size / 2)
        assert kinked.second_term(own, c) == FLAT * (below - distance)
        assert kinked.unrolling_probability(own, c) == 1
        outcomes = kinked.outcomes_of_round(own, c)
        law: Counter[Fraction] = Counter()
        for value, weight in zip(kinked.balances(outcomes, at, steps), outcomes.weights, strict=True):
            law[value] += weight
        wanted: Counter[Fraction] = Counter()
        for course in found:
            wanted[course.balance[at]] += course.weight
        assert law == wanted
    c = SimpleNamespace(**SETTINGS, n_local_steps=steps, n_clients=n)
    end = expected(found, lambda o: o.x[-1])
    assert kinked.start(own, c) == START
    assert kinked.end(own, c) == end
    assert kinked.end_over_start(own, c) == end / START
    steep = courses(n, steps, right=STEEP)
    assert kinked.steep_end_over_start(own, c) == expected(steep, lambda o: o.x[-1]) / START
    assert kinked.coupling_probability(own, c) == 1
    other = SimpleNamespace(**{**vars(c), "step_size": 3 * ETA, "position": n, "local_step": steps})
    assert 0 <= kinked.unrolling_probability(own, other) <= 1


def test_a_wrong_curvature_unrolls_to_nothing() -> None:
    """The probabilities are of an equation: with other constants it fails in every outcome, or in some."""
    own = clients(2)
    for at, c in each_place(2, 2):
        for wrong in ({"large_curvature": STEEP + 1, "small_curvature": FLAT + 1}, {"step_size": ETA}):
            told = SimpleNamespace(**{**vars(c), **wrong})
            assert (kinked.unrolling_probability(own, told) == 1) == ("step_size" in wrong), at
    cold = courses(2, 2, start=-START)
    assert cold[0].x[1] != courses(2, 2)[0].x[1]
    negative = both_sides(STEEP, FLAT, (ZETA, -ZETA), -START)
    c = SimpleNamespace(**SETTINGS, n_local_steps=2, n_clients=2, position=2, local_step=2)
    assert kinked.coupling_probability(negative, c) == 1
    assert kinked.pull_below(negative, c) == -Fraction(501, 1000) * STEEP * START - expected(
        cold, lambda o: force(o.x[4])
    )


@pytest.mark.parametrize(("n", "steps"), [(1, 3), (2, 2)])
def test_the_pieces_of_a_noisy_round(n: int, steps: int) -> None:
    """Sums of the signs of the noise in the place of those of clients; n signs in a round of equal clients."""
    own, found = clients(n, noisy=True), courses(n, steps, noisy=True)
    for at in range(1, n * steps + 1):
        c = SimpleNamespace(**SETTINGS, n_local_steps=steps, n_clients=n, n_signs=at)
        assert kinked.place(own, c) == at
        assert kinked.noise_unrolling_probability(own, c) == 1
        wrong = SimpleNamespace(**{**vars(c), "noise_std": SIGMA + 1})
        assert kinked.noise_unrolling_probability(own, wrong) == sum(o.weight for o in found if o.noise[at] == 0)
        above = expected(found, lambda o: o.x[at] * (o.noise[at] > 0))  # noqa: B023
        below = expected(found, lambda o: o.x[at] * (o.noise[at] <= 0))  # noqa: B023
        pulled = expected(found, lambda o: force(o.x[at]))  # noqa: B023
        assert kinked.split_above_pull(own, c) == STEEP * (above + START) + FLAT * below - pulled
        assert kinked.second_term(own, c) == FLAT * (below - expected(found, lambda o: abs(o.x[at] - o.x[0])))  # noqa: B023


def test_runs_of_kinked_clients() -> None:
    """Two rounds in all orders: the probability not to be negative, the least mean, and what the last round adds."""
    two = [(start.x[-1], start.weight) for start in courses(2, 1)]
    ends = [(o.x[-1], w * o.weight) for x, w in two for o in courses(2, 1, start=x)]
    means = [sum(x * w for x, w in rows) for rows in (two, ends)]
    positive = [sum(w for x, w in rows if x >= 0) for rows in (two, ends)]
    case = Case(clients(2), step_size=ETA, n_local_steps=1, n_rounds=2, large_curvature=STEEP)
    assert kinked.nonnegative(case) == min(1, *positive)
    assert kinked.least_mean(case) == min(means)
    assert kinked.gain(case) == means[1] - (1 - Fraction(2, 3) * STEEP * 2 * 1 * ETA) * means[0]


# Sums of signs ------------------------------------------------------------------------------------------------------------


def law_of(values: Any) -> dict[Fraction, Fraction]:
    found = Counter(values)
    return {Fraction(v): Fraction(k, sum(found.values())) for v, k in found.items()}


@pytest.mark.parametrize("n_clients", [2, 4, 6])
def test_sums_of_signs_by_listing_them(n_clients: int) -> None:
    orders = list(itertools.permutations((1, -1) * (n_clients // 2)))
    for n in range(n_clients + 1):
        assert signs.independent_sum(n) == law_of(sum(row) for row in itertools.product((1, -1), repeat=n))
        law = law_of(sum(row[:n]) for row in orders)
        assert signs.balanced_sum(n_clients, n) == law
        assert signs.mean_absolute(law) == sum(abs(v) * p for v, p in law.items())
        for sign in (1, 0, -1):
            assert signs.chance(law, sign) == sum(p for v, p in law.items() if (v > 0) - (v < 0) == sign)
    for position in range(1, n_clients + 1):
        for part in (Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(1)):
            law = law_of(sum(row[: position - 1]) + part * row[position - 1] for row in orders)
            assert signs.fractional_sum(n_clients, position, part) == law
            assert signs.table_7(n_clients, position, part) == law


@pytest.mark.parametrize("n_clients", [1, 2, 5])
def test_the_function_of_equation_13(n_clients: int) -> None:
    """In t and in the step, and its slope: a difference quotient comes near it."""
    for d, steps in itertools.product((Fraction(1, 10), Fraction(1, 2)), (1, 3)):
        t = 1 - (1 - d) ** steps
        value = 1 + (1 - t) ** n_clients - (2 - t) / (n_clients * t) * (1 - (1 - t) ** n_clients)
        assert signs.t_function(n_clients, t) == value
        assert signs.t_of_step(n_clients, steps, d) == value
        h = Fraction(1, 10**6)
        quotient = (signs.t_function(n_clients, t + h) - signs.t_function(n_clients, t - h)) / (2 * h)
        assert abs(quotient - signs.t_derivative(n_clients, t)) < Fraction(1, 10**6)


# Intervals ----------------------------------------------------------------------------------------------------------------


def expected_gap(
    left: Any, right: Any, slopes: Any, start: Fraction, eta: Fraction, steps: int, rounds: int
) -> Fraction:
    """E F(x_R) over all orders of every round, in fractions."""
    law = {start: Fraction(1)}
    orders = list(itertools.permutations(range(len(left))))
    for _ in range(rounds):
        new: Counter[Fraction] = Counter()
        for x, weight in law.items():
            for order in orders:
                y = x
                for m, _ in itertools.product(order, range(steps)):
                    y -= eta * ((left[m] if y < 0 else right[m]) * y + slopes[m])
                new[y] += weight / len(orders)
        law = dict(new)
    below, above = (sum(map(Fraction, row)) / len(left) / 2 for row in (left, right))
    return sum((w * (below if x < 0 else above) * x * x for x, w in law.items()), Fraction(0))


@pytest.mark.parametrize("atoms", [800, 4])
@pytest.mark.parametrize("start", [Fraction(2), Fraction(-3, 2), Fraction(0)])
def test_intervals_contain_the_expectation(start: Fraction, atoms: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the digits of the grid where no atoms are merged; wider, but still around it, where they are."""
    left, right = (Fraction(1, 2),) * 2, (Fraction(3),) * 2
    own = both_sides(left[0], right[0], (1, -1), start)
    given = Case(own, step_size="1/8", n_local_steps=2, n_rounds=3)
    exact = expected_gap(left, right, (1, -1), start, Fraction(1, 8), 2, 3)
    monkeypatch.setattr(comparison, "ATOMS", atoms)
    comparison.intervals.cache_clear()
    low, high = comparison.intervals(given)
    comparison.intervals.cache_clear()
    assert low <= exact <= high
    assert atoms == 4 or high - low <= 1e-4 * high


def test_runs_without_intervals_are_refused() -> None:
    kink = both_sides("1/2", 3, (1, -1), 2)
    for settings, why in (
        ({"step_size": "1/8", "n_rounds": 20_001}, "a rational step and at most 20000 rounds"),
        ({"step_size": "sqrt(2)/20", "n_rounds": 2}, "a rational step"),
        ({"step_size": "1/2", "n_rounds": 2}, "the step is too large"),
    ):
        with pytest.raises(NotEnumerable, match=why):
            comparison.intervals(Case(kink, n_local_steps=1, **settings))
    noisy = both_sides("1/2", 3, (1, -1), 2, 1)
    wide = QuadraticClients([(1, 1), (1, 1)], [(1, 0), (-1, 0)], (2, 0))
    for other in (noisy, wide):
        with pytest.raises(NotEnumerable, match="one coordinate, no noise"):
            comparison.intervals(Case(other, n_local_steps=1, step_size="1/8", n_rounds=2))


@pytest.mark.parametrize("seed", range(10))
def test_merged_intervals_contain_those_that_they_replace(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hulls of neighbours by their middles: fewer of them, the weights added up, none wider than a cell and what it holds."""
    monkeypatch.setattr(comparison, "ATOMS", 8)
    rng = np.random.default_rng(seed)
    low = rng.integers(-1000, 1000, 60)
    ends, weight = np.stack([low, low + rng.integers(0, 9, 60)]), rng.integers(1, 5, 60).astype(float)
    hulls, summed = comparison._merge_intervals(ends, weight)
    assert hulls.shape[1] == len(summed) <= 6
    assert summed.sum() == weight.sum()
    middles = ends[0] // 2 + ends[1] // 2
    cell = (middles.max() - middles.min()) // 4
    assert (hulls[1] - hulls[0] <= cell + 2 * 9 + 2).all()
    total = 0.0
    for (a, b), mass in zip(hulls.T, summed, strict=True):
        inside = (ends[0] >= a) & (ends[1] <= b)
        assert weight[inside].sum() >= mass
        assert a in ends[0]
        assert b in ends[1]
        total += mass
    same = comparison._merge_intervals(np.array([[3, 3], [5, 5]]), np.array([0.25, 0.75]))
    assert same[0].tolist() == [[3], [5]]
    assert same[1].tolist() == [1.0]


@pytest.mark.parametrize("start", [2, -2])
def test_the_only_path_of_parallel_clients(start: int) -> None:
    own = both_sides("1/2", 3, (1, -1), start)
    x, eta = Fraction(start), Fraction(1, 8)
    for _ in range(3):
        ends = []
        for slope in (1, -1):
            y = x
            for _ in range(2):
                y -= eta * ((Fraction(1, 2) if y < 0 else 3) * y + slope)
            ends.append(y)
        x = sum(ends) / 2
    gap = (Fraction(1, 4) if x < 0 else Fraction(3, 2)) * x * x
    case = Case(own, step_size=eta, n_local_steps=2, n_rounds=3)
    assert float(comparison.last_gap(case, parallel=True)) == pytest.approx(float(gap), rel=1e-12)
    wanted = expected_gap((Fraction(1, 2),) * 2, (3, 3), (1, -1), Fraction(start), eta / 2, 2, 3)
    assert float(comparison.gap_ratio(case).mid()) == pytest.approx(float(wanted / gap), rel=1e-3)


@pytest.mark.parametrize("seed", range(5))
def test_intervals_are_merged_by_the_cells_of_their_middles(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """ATOMS / 2 cells from the least middle on, each as wide as the range over that number, one unit at least."""
    monkeypatch.setattr(comparison, "ATOMS", 8)
    rng = np.random.default_rng(seed)
    low = rng.integers(-400, 400, 30) * (1 if seed else 0)
    ends, weight = np.stack([low, low + rng.integers(0, 200, 30)]), rng.integers(1, 5, 30).astype(float)
    middles = [int(a) // 2 + int(b) // 2 for a, b in ends.T]
    wide = max(1, (max(middles) - min(middles)) // 4)
    cells: dict[int, list[int]] = {}
    for i, middle in enumerate(middles):
        cells.setdefault((middle - min(middles)) // wide, []).append(i)
    hulls, summed = comparison._merge_intervals(ends, weight)
    wanted = [(min(ends[0, i] for i in own), max(ends[1, i] for i in own)) for _, own in sorted(cells.items())]
    assert [tuple(hull) for hull in hulls.T.tolist()] == wanted
    assert summed.tolist() == [sum(weight[i] for i in own) for _, own in sorted(cells.items())]


def test_the_least_mean_is_of_any_round_after_the_start() -> None:
    """From below the means come up: the least one is that after the first round."""
    low = both_sides(STEEP, FLAT, (ZETA, -ZETA), -2)
    case = Case(low, step_size=ETA, n_local_steps=1, n_rounds=2, large_curvature=STEEP)
    means = []
    law = {Fraction(-2): Fraction(1)}
    for _ in range(2):
        new: Counter[Fraction] = Counter()
        for x, w in law.items():
            for o in courses(2, 1, start=x):
                new[o.x[-1]] += w * o.weight
        law = dict(new)
        means.append(sum(x * w for x, w in law.items()))
    assert kinked.least_mean(case) == means[0] < means[1]
    assert kinked.nonnegative(case) == 0


def test_one_coordinate_out_of_reach_has_no_lower_limit() -> None:
    """Of several those that can be followed are one; of a single one nothing would be left."""
    measure, rounds = CoordinatewiseGap(LastGap()), {"step_size": "1/9", "n_local_steps": 2, "n_rounds": 400}
    kink = both_sides("1/2", 3, (1, -1), 2)
    with pytest.raises(NotEnumerable):
        measure.exact(sequential, Case(kink, **rounds), BALL)
    two = PiecewiseQuadraticClients(((Fraction(1, 2), 1),) * 2, ((3, 1),) * 2, ((1, 1), (-1, -1)), (2, 1))
    found = measure.exact(sequential, Case(two, **rounds), BALL)
    assert isinstance(found, AtLeast)
    flat = Case(QuadraticClients((1, 1), (1, -1), 1), **rounds)
    assert float(found.value.mid()) == pytest.approx(float(exact_value(LastGap(), sequential, flat, BALL).mid()))
    whole = Case(QuadraticClients(((1, 2), (1, 2)), ((1, 0), (-1, 0)), (1, 0)), **rounds)
    assert float(measure.exact(sequential, whole, BALL).mid()) == pytest.approx(
        float(exact_value(LastGap(), sequential, whole, BALL).mid())
    )


# Boundaries ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("start", "slope"), [("1/10", "1/100"), ("0", "1/50"), ("-1/20", "1/1000")])
def test_intervals_of_small_numbers(start: str, slope: str) -> None:
    """The numbers of the grid are the finer, the smaller they are."""
    s, g = Fraction(start), Fraction(slope)
    own = Case(both_sides(Fraction(1, 2), 3, (g, -g), s), step_size="1/8", n_local_steps=1, n_rounds=2)
    exact = expected_gap((Fraction(1, 2),) * 2, (3, 3), (g, -g), s, Fraction(1, 8), 1, 2)
    low, high = comparison.intervals(own)
    assert low <= exact <= high <= low * 1.0001 + 1e-12


def test_the_longest_run_of_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Case(both_sides("1/2", 3, (1, -1), 2), step_size="1/9", n_local_steps=1, n_rounds=3)
    monkeypatch.setattr(comparison, "ROUNDS", 3)
    comparison.intervals.cache_clear()
    assert comparison.intervals(own)[0] > 0
    monkeypatch.setattr(comparison, "ROUNDS", 2)
    comparison.intervals.cache_clear()
    with pytest.raises(NotEnumerable, match="at most 2 rounds"):
        comparison.intervals(own)


def test_three_clients_in_all_orders() -> None:
    left, right, slopes = (
        (Fraction(1, 2), Fraction(1), Fraction(2)),
        (Fraction(3), Fraction(1), Fraction(2)),
        (2, -1, -1),
    )
    own = PiecewiseQuadraticClients(left, right, slopes, 1)
    given = Case(own, step_size="1/10", n_local_steps=2, n_rounds=2)
    exact = expected_gap(left, right, slopes, Fraction(1), Fraction(1, 10), 2, 2)
    low, high = comparison.intervals(given)
    assert low <= exact <= high <= low * 1.001


def test_clients_of_another_kind_have_no_closed_form() -> None:
    class Mine(QuadraticClients):
        def gap(self, x: Any) -> Any:
            return 2 * super().gap(x)

    case = Case(Mine((1, 1), (1, -1), 1), step_size="1/9", n_local_steps=1, n_rounds=1)
    with pytest.raises(NotEnumerable, match="Mine is a subclass of a library type"):
        comparison.last_gap(case)


def test_runs_that_reach_zero_are_not_negative() -> None:
    """From 1 a step of 1/4 with curvature 4 ends at 0."""
    flat = both_sides(4, 4, (0, 0), 1)
    case = Case(flat, step_size="1/4", n_local_steps=1, n_rounds=1, large_curvature=4)
    assert kinked.nonnegative(case) == 1
    assert kinked.least_mean(case) == 0


def test_noise_keeps_a_coordinate_from_staying() -> None:
    """It starts at its minimiser, without slopes: only without noise it stays there."""
    rounds = {"step_size": "1/9", "n_local_steps": 1, "n_rounds": 2}
    for noise in ((0, 1), (1, 0), (0, 0)):
        two = QuadraticClients(((1, 2), (1, 2)), ((1, 0), (-1, 0)), (1, 0), noise)
        measure, case = CoordinatewiseGap(LastGap()), Case(two, **rounds)
        found = measure.exact(sequential, case, BALL)
        assert float(found.mid()) == pytest.approx(float(exact_value(LastGap(), sequential, case, BALL).mid()))


def test_random_reshuffling_steps_on_each_component_once() -> None:
    """x - eta f_i'(x) for each i in the order of the round."""
    one = QuadraticClients((1, 3), (2, -2), 5)
    c = SimpleNamespace(step_size=0.25)
    oracle = SimpleNamespace(
        order=lambda: np.array([[0, 1], [1, 0]]), gradient=lambda x, client: one.gradient(x, client)
    )
    found = random_reshuffling.step(np.array([[5.0], [5.0]]), oracle, c)
    first = 5 - (5 + 2) / 4
    second = 5 - (15 - 2) / 4
    assert found[:, 0].tolist() == [first - (3 * first - 2) / 4, second - (second + 2) / 4]


@pytest.mark.parametrize("server", [1, "3/2"])
@pytest.mark.parametrize("parallel", [False, True])
def test_local_models_of_a_round(server: Any, parallel: bool) -> None:
    """Each client's models before its steps, its number, and where the round ends, for every order."""
    own = both_sides("1/2", 3, (1, -1), 2)
    case = Case(own, step_size="1/8", n_local_steps=2, n_rounds=1, server_step_size=server)
    outcomes, models, orders, ends = recursion.local_models(case, RATIONAL, parallel)
    assert sum(Fraction(o.weight) for o in outcomes) == 1
    for row, order in enumerate(orders.tolist()):
        y, places = Fraction(2), []
        for position, client in enumerate(order):
            y = Fraction(2) if parallel else y
            for k in range(2):
                assert Fraction(as_number(models[row, position, k, 0])) == y
                y -= Fraction(1, 8) * ((Fraction(1, 2) if y < 0 else 3) * y + (1, -1)[client])
            places.append(y)
        end = sum(places) / 2 if parallel else y
        assert Fraction(as_number(ends[row, 0])) == 2 + Fraction(server) * (end - 2)
    assert sorted(map(tuple, orders.tolist())) == sorted({tuple(o) for o in orders.tolist()})
