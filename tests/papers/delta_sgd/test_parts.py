"""A round of Delta-SGD and the quantities of its displays and lemmas, by listing all outcomes in fractions."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any, NamedTuple

import pytest
from flint import ctx, fmpq

from fltheory.number import as_number
from fltheory.papers.delta_sgd import notation
from fltheory.papers.delta_sgd.convex.cases import case_of_run, line
from fltheory.papers.delta_sgd.convex.closed_forms import measures
from fltheory.papers.delta_sgd.displays import closed_forms as displays
from fltheory.papers.delta_sgd.instances.piecewise import PiecewiseClients
from fltheory.papers.delta_sgd.one_round import GivenSteps, OwnSteps, Rounds
from fltheory.papers.delta_sgd.rule.closed_forms import measures as of_rule
from fltheory.papers.delta_sgd.rule.closed_forms.runs import follow
from fltheory.runs.step_rule import auto_tuned

KNOTS = (-2, 0, 3)
SAMPLES = (((-3, -1, 2), (-1, 1, 1)), ((-2, "1/2", 4), (-1, 0, 3)))  # [client][sample][knot]
CHANCES = ("1/3", "2/3")
STEPS = (((1,), ("1/2", "1/4")), (("1/3",), ("1/5", "2/5")))  # [client][k][mini-batch of the step before]
START = Fraction(1)


def number(value: Any) -> Fraction:
    return Fraction(as_number(value))


def at(values: Any, x: Fraction) -> Fraction:
    """Linear between the knots and constant outside."""
    points = [(Fraction(k), Fraction(v)) for k, v in zip(KNOTS, values, strict=True)]
    if x <= points[0][0]:
        return points[0][1]
    for (p, v), (q, w) in itertools.pairwise(points):
        if x <= q:
            return v + (w - v) * (x - p) / (q - p)
    return points[-1][1]


def mean_values(client: Any) -> list[Fraction]:
    return [
        sum((Fraction(c) * Fraction(row[j]) for c, row in zip(CHANCES, client, strict=True)), Fraction(0))
        for j in range(3)
    ]


MEANS = [mean_values(client) for client in SAMPLES]
WHOLE = [sum(column) / 2 for column in zip(*MEANS, strict=True)]
CLIENTS = PiecewiseClients(KNOTS, SAMPLES, CHANCES)


def integral(x: Fraction) -> Fraction:
    """Of the gradient of f from the first knot on, by trapezia."""
    ends = sorted({Fraction(k) for k in KNOTS if k < x} | {x, Fraction(KNOTS[0])})
    return sum(((q - p) * (at(WHOLE, p) + at(WHOLE, q)) / 2 for p, q in itertools.pairwise(ends)), Fraction(0))


class Course(NamedTuple):
    chance: Fraction
    points: list[Fraction]
    steps: list[Fraction]
    pushes: list[Fraction]
    slopes: list[Fraction]


def courses(client: int, foresight: bool = False) -> list[Course]:
    found = []
    for drawn in itertools.product(range(2), repeat=2):
        chance, x, past = Fraction(1), START, 0
        one = Course(chance, [x], [], [], [])
        for row, z in zip(STEPS[client], drawn, strict=True):
            chance *= Fraction(CHANCES[z])
            present = 2 * past + z
            eta = Fraction(row[(present if foresight else past) % len(row)])
            one.steps.append(eta)
            one.pushes.append(at(SAMPLES[client][z], x))
            one.slopes.append(at(MEANS[client], x))
            x -= eta * one.pushes[-1]
            one.points.append(x)
            past = present
        found.append(one._replace(chance=chance))
    return found


def expected(value: Any) -> Fraction:
    """Over the independent outcomes of both clients."""
    pairs = itertools.product(courses(0), courses(1))
    return sum((a.chance * b.chance * value((a, b)) for a, b in pairs), Fraction(0))


def of_one(value: Any) -> Fraction:
    """The mean over the clients of an expectation of one."""
    return sum((c.chance * value(c) for i in range(2) for c in courses(i)), Fraction(0)) / 2


def weighted(course: Course, values: Any) -> Fraction:
    return sum((eta * v for eta, v in zip(course.steps, values, strict=True)), Fraction(0))


def both(pair: Any, value: Any) -> Fraction:
    return sum(map(value, pair), Fraction(0)) / 2


ROUND = GivenSteps(CLIENTS, START, STEPS)
SLOPE = at(WHOLE, START)


@pytest.mark.parametrize("foresight", [False, True])
def test_the_outcomes_of_a_round(foresight: bool) -> None:
    one = GivenSteps(CLIENTS, START, STEPS, foresight=foresight)
    assert one.independent != foresight
    assert not one.given
    for i in range(2):
        own = [Course(number(c.chance), *([number(v) for v in part] for part in c[1:])) for c in one.courses[i]]
        assert own == courses(i, foresight)
    assert number(one.slope) == SLOPE
    law: dict[Fraction, Fraction] = {}
    for a, b in itertools.product(courses(0, foresight), courses(1, foresight)):
        end = (a.points[-1] + b.points[-1]) / 2
        law[end] = law.get(end, Fraction(0)) + a.chance * b.chance
    assert {number(x): number(p) for p, x in one.landings} == law
    known = one.constants
    every = [(c.chance, eta) for i in range(2) for c in courses(i, foresight) for eta in c.steps]
    assert number(known[notation.D_t]) == sum(p * eta for p, eta in every) / 2
    assert (known[notation.h], known[notation.a]) == (Fraction(1, 5), 1)
    assert (known[notation.P], known[notation.K]) == (2, 2)
    assert number(known[notation.slope]) == abs(SLOPE)
    assert notation.R_t not in known


def test_a_round_of_one_of_two_clients_and_one_of_given_steps() -> None:
    one = GivenSteps(CLIENTS, START, STEPS, 1)
    law: dict[Fraction, Fraction] = {}
    for c in (*courses(0), *courses(1)):
        law[c.points[-1]] = law.get(c.points[-1], Fraction(0)) + c.chance / 2
    assert {number(x): number(p) for p, x in one.landings} == law
    fixed = GivenSteps(CLIENTS, START, (((1,), ("1/2",)), (("1/3",), ("1/5",))))
    assert fixed.given
    steps = [Fraction(v) for v in (1, "1/2", "1/3", "1/5")]
    assert number(fixed.constants[notation.R_t]) == sum(v * v for v in steps) * 4 / sum(steps) ** 2


def test_the_expectations_of_the_displays() -> None:
    """(15) to (29): each sum over the outcomes as it is written."""
    drift = lambda c: [c.slopes[0] - s for s in c.slopes]  # noqa: E731
    noise = lambda c: [g - s for g, s in zip(c.pushes, c.slopes, strict=True)]  # noqa: E731
    total = lambda pair: both(pair, lambda c: sum(c.steps))  # noqa: E731
    deviation = lambda pair: both(pair, lambda c: weighted(c, [s - SLOPE for s in c.slopes]))  # noqa: E731
    wanted = {
        displays.next_objective: expected(lambda p: integral(both(p, lambda c: c.points[-1])) - integral(START)),
        displays.mean_steps: of_one(lambda c: sum(c.steps)),
        displays.mean_squares: of_one(lambda c: sum(v * v for v in c.steps)),
        displays.mean_fourth: of_one(lambda c: sum(v * v for v in c.steps) ** 2),
        displays.mean_square: of_one(lambda c: weighted(c, c.pushes) ** 2),
        displays.first_order: SLOPE * of_one(lambda c: weighted(c, c.slopes)),
        displays.a1: expected(lambda p: both(p, lambda c: weighted(c, drift(c))) ** 2 / total(p)),
        displays.a2: expected(lambda p: both(p, lambda c: sum(c.steps) * (c.slopes[0] - SLOPE)) ** 2 / total(p)),
        displays.a3: 2 * of_one(lambda c: weighted(c, noise(c)) ** 2),
        displays.a4: 2 * of_one(lambda c: weighted(c, drift(c)) ** 2),
        displays.a5: 2 * of_one(lambda c: (sum(c.steps) * (c.slopes[0] - SLOPE)) ** 2),
        displays.a6: 2 * of_one(lambda c: (sum(c.steps) * SLOPE) ** 2),
        displays.off_added: Fraction(0),
        displays.off_factor: Fraction(0),
        displays.off_unbiased: Fraction(0),
        displays.subset_square: expected(lambda p: both(p, lambda c: weighted(c, c.pushes)) ** 2),
        displays.young: -expected(lambda p: SLOPE * deviation(p))
        / expected(lambda p: total(p) * SLOPE**2 + deviation(p) ** 2 / total(p)),
        displays.off_tower: max(abs(sum(c.chance * weighted(c, noise(c)) for c in courses(i))) for i in range(2)),
    }
    for function, value in wanted.items():
        assert number(function(ROUND)) == value, function.__name__
    per = expected(lambda p: both(p, lambda c: sum(v * v for v in c.steps)) / total(p))
    assert number(displays.per_step(ROUND, displays.squares)) == per
    apart = expected(lambda p: deviation(p) / total(p))
    right = of_one(lambda c: sum(c.steps)) * SLOPE * (SLOPE + apart)
    assert number(displays.off_added(ROUND, inside=False)) == abs(number(displays.first_order(ROUND)) - right)
    for sign in (1, -1):
        parts = lambda p: both(p, lambda c: weighted(c, [-sign * d + c.slopes[0] - SLOPE for d in drift(c)]))  # noqa: B023, E731
        gap = expected(lambda p: (deviation(p) ** 2 - parts(p) ** 2) / (2 * total(p)))  # noqa: B023
        assert number(displays.off_regrouped(ROUND, sign)) == abs(gap)
    L = number(ROUND.constants[notation.L])
    parts = [number(a(ROUND)) for a in (displays.a1, displays.a2, displays.a3, displays.a4, displays.a5, displays.a6)]
    assert number(displays.all_terms(ROUND)) == parts[0] + parts[1] + L * sum(parts[2:])
    c = ROUND.courses[0][0]
    own = courses(0)[0]
    assert number(displays.squared_drift(c)) == sum(
        (eta * d) ** 2 for eta, d in zip(own.steps, drift(own), strict=True)
    )
    first, second = (eta**2 for eta in own.steps)
    assert number(displays.nested_ratio(c)) == second * first / (first + second) ** 2
    one = GivenSteps(CLIENTS, START, STEPS, 1)
    assert number(displays.subset_square(one)) == of_one(lambda c: weighted(c, c.pushes) ** 2)
    assert number(displays.off_unbiased(one)) == 0


@pytest.mark.parametrize("batches", ["same", "pair", "reuse", "fresh"])
def test_the_rules_own_steps(batches: Any) -> None:
    """Two steps of Algorithm 1: the second from the change of the gradient on a mini-batch, or from the growth alone."""
    eta, gamma, delta, theta = Fraction(1, 4), Fraction(3, 2), Fraction(1, 2), Fraction(16)  # sqrt(1 + 8) = 3
    one = OwnSteps(CLIENTS, START, 2, eta, batches, theta, gamma, delta)
    assert one.independent == (batches in ("pair", "fresh"))
    for i in range(2):
        assert sum(number(c.chance) for c in one.courses[i]) == 1
        for c in one.courses[i]:
            x = [number(v) for v in c.points]
            assert x[0] == START
            assert number(c.steps[0]) == eta
            for k in range(2):
                assert x[k + 1] == x[k] - number(c.steps[k]) * number(c.pushes[k])
                assert number(c.slopes[k]) == at(MEANS[i], x[k])
                assert number(c.pushes[k]) in {at(rows, x[k]) for rows in SAMPLES[i]}
            changes = {abs(at(a, x[1]) - at(b, x[0])) for a in SAMPLES[i] for b in SAMPLES[i]}
            moved = abs(x[1] - x[0])
            allowed = {min(gamma * moved / (2 * d), 3 * eta) if d else 3 * eta for d in changes} if moved else {eta}
            assert number(c.steps[1]) in allowed
    count = {"same": 4, "reuse": 4, "pair": 8, "fresh": 16}
    assert len(one.courses[0]) == count[batches]


REFUSED: dict[str, Any] = {
    "expected PiecewiseClients, got 3": lambda: GivenSteps(3, START, STEPS),  # type: ignore[arg-type]
    "n_participating = 3: expected 1 to 2": lambda: GivenSteps(CLIENTS, START, STEPS, 3),
    "start: expected a rational number": lambda: GivenSteps(CLIENTS, "sqrt(2)", STEPS),
    "steps: expected as many for every client": lambda: GivenSteps(CLIENTS, START, STEPS[:1]),
    "steps: expected as many for every client ": lambda: GivenSteps(CLIENTS, START, (STEPS[0], STEPS[1][:1])),
    "steps: expected rational numbers above 0": lambda: GivenSteps(CLIENTS, START, (((0,),), ((1,),))),
    "more than 4096 sample paths": lambda: GivenSteps(CLIENTS, START, (((1,),) * 13,) * 2),
    "expected at most 32": lambda: OwnSteps(CLIENTS, START, 33, "1/4"),
    "steps above 0": lambda: OwnSteps(CLIENTS, START, 2, 0),
    "steps above 0 ": lambda: OwnSteps(CLIENTS, START, 2, 1, "pair", 1, 0),
    "of at least 0": lambda: OwnSteps(CLIENTS, START, 2, 1, "pair", -1),
    "expected one of": lambda: OwnSteps(CLIENTS, START, 2, 1, "none"),  # type: ignore[arg-type]
    "more than 4096 sample paths ": lambda: OwnSteps(CLIENTS, START, 8, 1),
    "expected PiecewiseClients without noise": lambda: Rounds(CLIENTS, START, ((1, 1),)),
}


@pytest.mark.parametrize("why", REFUSED)
def test_rounds_without_outcomes_are_refused(why: str) -> None:
    with pytest.raises(ValueError, match=why.strip()):
        REFUSED[why]()


def test_the_longest_rounds_that_are_listed() -> None:
    assert len(GivenSteps(CLIENTS, START, (((1,),) * 3,) * 2).courses[0]) == 8
    GivenSteps(CLIENTS, START, (((1,),) * 12,) * 2)  # 2^12 paths
    OwnSteps(CLIENTS, START, 12, 1, "same")
    OwnSteps(CLIENTS, START, 6, 1, "pair")  # 2^11
    OwnSteps(CLIENTS, START, 2, 1, "pair", 0, 1, 0)


def test_rounds_one_after_another() -> None:
    """Without noise: the points, the sums of steps and the decreases of f, in a table of steps by round and client."""
    quiet = PiecewiseClients(KNOTS, tuple((client[0],) for client in SAMPLES))
    table = (((("1/2"),), (("1/4"),)), ((1,), (("1/3"),)))
    one = Rounds(quiet, 2, table)
    whole = [sum(Fraction(client[0][j]) for client in SAMPLES) / 2 for j in range(3)]
    x, points, sums = Fraction(2), [Fraction(2)], []
    for steps in table:
        etas = [Fraction(row[0]) for row in steps]
        sums.append(sum(etas) / 2)
        x = sum(x - eta * at(client[0], x) for eta, client in zip(etas, SAMPLES, strict=True)) / 2
        points.append(x)
    assert [number(v) for v in one.path[0]] == points
    assert [number(v) for v in one.path[1]] == sums
    f = PiecewiseClients(KNOTS, ((whole,),)).mean
    heights = [number(f.integral(p)) for p in one.path[0]]
    assert [number(v) for v in one.decreases] == [v - w for v, w in itertools.pairwise(heights)]
    known = one.constants
    assert (known[notation.T], known[notation.K], known[notation.h], known[notation.a]) == (2, 1, Fraction(1, 4), 1)
    assert number(known[notation.gap]) == number(f.integral(one.path[0][0])) - number(f.least_integral)


# Lemma 4 and Theorem 5 --------------------------------------------------------------------------------------------------------


def floats(value: Any) -> float:
    return float(as_number(value))


def over(left: list[float], right: list[float]) -> float:
    """The ratio of two sums, every term on the side where it is positive."""
    top = sum(v for v in left if v > 0) - sum(v for v in right if v < 0)
    return top / (sum(v for v in right if v > 0) - sum(v for v in left if v < 0))


def mean(value: Any) -> float:
    """Over two clients."""
    return (value(0) + value(1)) / 2


class Lines:
    """A run of four steps on (x - 0)^2 / 2 and 3 (x - 1)^2 / 2 in floats."""

    def __init__(self, reading: Any) -> None:
        self.case = case_of_run(line((1, 3), (0, 1), 2), 3, "1/10", 3)
        self.h = follow(auto_tuned, self.case, reading)
        self.best = floats(self.h.instance.point[0])
        self.server = [floats(v[0]) for v in self.h.server]
        self.x = [[floats(v[0]) for v in row] for row in self.h.points]
        self.lr, self.ratio = ([[floats(v) for v in row] for row in table] for table in (self.h.lr, self.h.ratio))
        self.gap = [[self.height(i, v) for i, v in enumerate(row)] for row in self.x]
        self.slope = [[(1.0, 3.0)[i] * (v - i) for i, v in enumerate(row)] for row in self.x]
        self.moved = [[v - w for v, w in zip(*rows, strict=True)] for rows in itertools.pairwise(self.x)]
        self.squares = [sum(v * v for v in row) / 2 for row in self.moved]

    def height(self, i: int, v: float) -> float:
        """f_i(v) - f_i(x*)."""
        return (1.0, 3.0)[i] / 2 * ((v - i) ** 2 - (self.best - i) ** 2)

    def now(self, t: int, weight: float = 0.5) -> list[float]:
        """The right side of (31)."""
        gaps = mean(lambda i: self.lr[t][i] * self.ratio[t][i] * self.gap[t - 1][i])
        return [(self.server[t] - self.best) ** 2, weight * self.squares[t - 1], 2 * gaps]

    def later(self, t: int, weight: float = 0.5) -> list[float]:
        """The left side of (31)."""
        gaps = mean(lambda i: self.lr[t][i] * (1 + self.ratio[t][i]) * self.gap[t][i])
        return [(self.server[t + 1] - self.best) ** 2, weight * self.squares[t], 2 * gaps]

    def value(self, quantity: Any) -> Any:
        return pytest.approx(floats(quantity.follow(auto_tuned, self.case)[0]), abs=1e-12)


ROUNDS = (1, 2, 3)
each_reading = pytest.mark.parametrize("reading", ["A", "B", "C"])


@each_reading
def test_the_sides_of_lemma_4(reading: Any) -> None:
    """On h (x - c)^2 / 2: sums over rounds and clients by floats, from steps and points of the run."""
    with ctx.workprec(256):
        run = Lines(reading)
        assert run.best == pytest.approx(0.75)
        for t in ROUNDS:
            assert [floats(v) for v in measures.right_terms(run.h, t)] == pytest.approx(run.now(t))
            assert [floats(v) for v in measures.left_terms(run.h, t)] == pytest.approx(run.later(t))
        gamma = Fraction(dict(run.case.settings).get("amplifier", 1))
        weights = {False: 0.5, True: float(gamma**2 / (4 - gamma**2))}
        for weighted_too, weight in weights.items():
            ratios = [over(run.later(t, weight), run.now(t, weight)) for t in ROUNDS]
            assert max(ratios) == run.value(measures.decrease(reading, weighted_too))
        assert max(0, *(over(run.now(t + 1), run.now(t)) for t in ROUNDS[:-1])) == run.value(measures.lyapunov(reading))
        near, read = measures.Near(reading).follow(auto_tuned, run.case)
        assert floats(near) == pytest.approx(max((v - run.best) ** 2 for v in run.server[1:]))
        assert floats(read[notation.D]) == pytest.approx(sum(run.now(1)))


@each_reading
def test_the_steps_of_the_proof_of_lemma_4(reading: Any) -> None:
    """(33) to (37), each at the round where it is largest."""
    with ctx.workprec(256):
        run = Lines(reading)
        lr, ratio, s, x, best = run.lr, run.ratio, run.server, run.x, run.best
        found: dict[Any, list[float]] = {
            of(reading): [0.0]
            for of in (
                measures.moves,
                measures.inner_product_ratio,
                measures.not_its_own_move,
                measures.expansion_ratio,
                measures.own_moves,
                measures.mean_move,
            )
        }
        for t in ROUNDS:
            falls = 2 * mean(lambda i: ratio[t][i] * lr[t][i] * (run.gap[t - 1][i] - run.gap[t][i]))  # noqa: B023
            inner = mean(lambda i: lr[t][i] * (s[t] - best) * run.slope[t][i])  # noqa: B023
            heights = mean(lambda i: lr[t][i] * run.gap[t][i])  # noqa: B023
            own = [lr[t - 1][i] * run.slope[t - 1][i] for i in range(2)]
            step = mean(lambda i: lr[t][i] * run.slope[t][i])  # noqa: B023
            jumped = (sum(run.moved[t]) / 2) ** 2
            expanded = over([(s[t + 1] - best) ** 2], [(s[t] - best) ** 2, step**2, -2 * (s[t] - best) * step])
            terms = (
                over([run.squares[t]], [run.squares[t - 1] / 2, -run.squares[t] / 2, falls]),
                over([-2 * inner], [-2 * heights]),
                max((v - w) ** 2 / w**2 for v, w in zip(run.moved[t - 1], own, strict=True)),
                max(expanded, 1 / expanded),
                max(step**2 / jumped, jumped / step**2),
                jumped / run.squares[t],
            )
            for values, term in zip(found.values(), terms, strict=True):
                values.append(term)
        for quantity, values in found.items():
            assert max(values) == run.value(quantity), quantity.name
        if reading != "B":  # there all clients are at the server's point
            aside = [[lr[t][i] * (s[t] - x[t][i]) * run.slope[t][i] for i in range(2)] for t in ROUNDS]
            share = max(abs(sum(row)) / sum(map(abs, row)) if any(row) else 0.0 for row in aside)
            assert share == run.value(measures.omitted_term_ratio(reading))


@each_reading
def test_the_averages_of_theorem_5(reading: Any) -> None:
    """Weights, points and gaps of the averages, and the two sides of (43)."""
    with ctx.workprec(256):
        run = Lines(reading)
        kept = [[lr * (1 + r) for lr, r in zip(*rows, strict=True)] for rows in zip(run.lr, run.ratio, strict=True)]
        lost = [[lr * r for lr, r in zip(*rows, strict=True)] for rows in zip(run.lr, run.ratio, strict=True)]
        weights = [[kept[k][i] - (lost[k + 1][i] if k < 3 else 0) for k in ROUNDS] for i in range(2)]
        ends = [
            sum(w * run.x[k][i] for k, w in zip(ROUNDS, weights[i], strict=True)) / sum(weights[i]) for i in range(2)
        ]
        for i in range(2):
            assert [floats(v) for v in measures.weights(run.h, i)] == pytest.approx(weights[i])
            assert floats(measures.average_point(run.h, i)[0]) == pytest.approx(ends[i])
        summed = sum(run.lr[k][0] for k in ROUNDS) + lost[1][0]
        for direct in (True, False):
            assert summed == run.value(measures.StepSum(reading, direct=direct))
        assert mean(lambda i: run.height(i, ends[i])) == run.value(measures.AverageGap(reading))
        found, read = measures.AverageGap(reading, met=True, moved=True).follow(auto_tuned, run.case)
        assert floats(found) == pytest.approx(mean(lambda i: run.height(i, sum(ends) / 2)))
        assert floats(read[notation.distance]) == pytest.approx(abs(run.server[1] - run.server[0]))
        for at_end in (False, True):
            terms = run.later(3)[:2] if at_end else run.now(1)[:2]
            sides = [over([*terms, 2 * sum(weights[i]) * run.height(i, ends[i])], run.now(1)) for i in range(2)]
            assert max(sides) == run.value(measures.jensen(reading, at_end))


def test_ratios_of_sides_at_their_edges() -> None:
    side = lambda left, right: measures.side_ratio([fmpq(v) for v in left], [fmpq(v) for v in right])  # noqa: E731
    assert side([0], [0]) == 0
    assert side([1], [0]) == measures.BEYOND
    assert side([1, -2], [3, -4]) == fmpq(1 + 4, 3 + 2)
    assert side([0], [-1]) == measures.BEYOND
    assert side([-1], [0]) == 0


def test_steps_and_caps_of_local_runs() -> None:
    """Each client by itself: computed steps alone count, not the one that is given; products of the caps."""
    case = case_of_run(line((1, 3), (0, 1), 2), 3, "1/10", 3)
    with ctx.workprec(256):
        h = of_rule.local_runs(auto_tuned, case)
        lr = [[floats(v) for v in row] for row in h.lr]
        computed = [v for row in lr[1:] for v in row]
        assert floats(of_rule.steps().follow(auto_tuned, case)[0]) == pytest.approx(max(computed))
        assert floats(of_rule.steps("least").follow(auto_tuned, case)[0]) == pytest.approx(min(computed))
        assert floats(of_rule.steps("least", -1).follow(auto_tuned, case)[0]) == pytest.approx(min(lr[-1]))
        assert floats(of_rule.steps("least", 0).follow(auto_tuned, case)[0]) == pytest.approx(
            min(min(row) for row in lr)
        )
        delta = float(Fraction(str(dict(case.settings).get("growth_damping", 1))))
        caps, theta = [1.0], 3.0
        for _ in range(3):
            theta = (1 + delta * theta) ** 0.5
            caps.append(caps[-1] * theta)
        assert [floats(v) for v in of_rule.caps(case, 3)] == pytest.approx(caps)
        for end, pick in (("largest", max), ("least", min)):
            found, read = of_rule.Growth(end=end).follow(auto_tuned, case)  # type: ignore[arg-type]
            shares = [(v / caps[t], caps[t]) for t, row in enumerate(lr) for v in row if t]
            best = pick(shares)
            product = floats(read[notation.Pi])
            assert floats(found) == pytest.approx(best[0] * product)
            assert product in [pytest.approx(c) for v, c in shares if v == pytest.approx(best[0])]
        found, read = of_rule.Ceiling().follow(auto_tuned, case)
        assert floats(found) == pytest.approx(max(computed))
        assert floats(read[notation.mu]) == pytest.approx(1)
        grown, smaller = of_rule.shares(h, case)
        bends, ratio = (1.0, 3.0), [[floats(v) for v in row] for row in h.ratio]
        count = sum(
            1 / (2 * bends[i]) > (1 + delta * ratio[t - 1][i]) ** 0.5 * lr[t - 1][i]
            for t in (1, 2, 3)
            for i in range(2)
        )
        assert (floats(grown), floats(smaller)) == (pytest.approx(count / 6), pytest.approx(min(count, 6 - count) / 6))
