"""The limits and objectives of a worst case, evaluated at numbers for all unknown vectors: what the definitions say of these."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import Any

import numpy as np
import pytest
import sympy
from flint import fmpq

from fltheory import Algorithm, symbols
from fltheory.papers.sfl.algorithms import parallel, sequential
from fltheory.runs.measures import AveragedGap, LastDistance, LastGap, LeastGradient, Measure
from fltheory.worst_case import problem as problems
from fltheory.worst_case import symbolic_run
from fltheory.worst_case.functions import FunctionClass, Smooth
from fltheory.worst_case.functions.linear import Linear
from fltheory.worst_case.functions.lipschitz import Lipschitz
from fltheory.worst_case.functions.nonconvex import NonConvex
from fltheory.worst_case.functions.quadratic import Quadratic
from fltheory.worst_case.gram import ORIGIN, Expression, Vector
from fltheory.worst_case.measures import LastGradient, LeastGap, Regret
from fltheory.worst_case.problem import Problem, objectives
from fltheory.worst_case.question import problem_of, question
from fltheory.worst_case.symbolic_run import OutOfReach, Record, trace_run
from tests.worst_case.test_gram import at, dot, drawn, evaluated, plain

Numbers = list[Fraction]
ROUND: dict[str, Any] = {"n_local_steps": 2, "step_size": "1/3"}
OF_START: dict[str, Any] = {"initial_distance": 3, "initial_gap": "5/2"}
EVERYWHERE: dict[str, Any] = {"heterogeneity": "3/2", "heterogeneity_slope": "1/3", "max_heterogeneity": 2}


def mean(rows: list[Numbers]) -> Numbers:
    return [sum(column, Fraction(0)) / len(rows) for column in zip(*rows, strict=True)]


def minus(u: Numbers, v: Numbers) -> Numbers:
    return [a - b for a, b in zip(u, v, strict=True)]


def plus(u: Numbers, v: Numbers) -> Numbers:
    return [a + b for a, b in zip(u, v, strict=True)]


def square(u: Numbers) -> Fraction:
    return dot(u, u)


@dataclass
class Numbered:
    """A problem with numbers for all that is unknown."""

    problem: Problem
    samples: int = 1

    @cached_property
    def rows(self) -> list[Numbers]:
        random = Random(7)
        return [[drawn(random), drawn(random)] for _ in range(self.problem.size)]

    @cached_property
    def values(self) -> dict[object, Fraction]:
        random = Random(11)
        names = [*self.problem.values, *range(self.problem.size)]
        return {name: drawn(random) for name in names}

    @property
    def n_clients(self) -> int:
        return self.problem.n_clients

    def of(self, expression: Expression) -> Fraction:
        return evaluated(expression, self.rows, self.values)

    def at_optimum(self, m: int) -> Numbers:
        """The gradient of a client at x*: they sum to 0, as clients and within one where only one of these may differ."""
        record, h = self.problem.record, self.rows[1 : 1 + self.n_clients]
        first = m // self.samples * self.samples
        if record.still:
            return [Fraction(0)] * 2
        if not record.balanced:
            return h[m]
        if record.within and record.between:
            return minus(h[m], mean(h))
        if record.within:
            return minus(h[m], mean(h[first : first + self.samples]))
        return minus(h[first], mean(h[:: self.samples]))

    def index(self, m: int, point: Vector) -> int:
        """Where the gradient of a client at a point stands in the basis."""
        own = 0 if self.problem.record.tilted else m
        (found,) = (i for key, i in self.problem.record.asked if key.client == own and key.point == point)
        return found

    def gradient(self, m: int, point: Vector) -> Numbers:
        own = self.rows[self.index(m, point)]
        tilted = self.problem.record.tilted or self.problem.record.linear
        return plus(own, self.at_optimum(m)) if tilted else own

    def whole(self, point: Vector) -> Numbers:
        return mean([self.gradient(m, point) for m in range(self.n_clients)])

    def gap(self, point: Vector) -> Fraction:
        """F - F* at a point: the mean of the clients' values there, each 0 at x*."""
        return sum((self.values[self.index(m, point)] for m in range(self.n_clients)), Fraction(0)) / self.n_clients

    @property
    def points(self) -> list[Vector]:
        """The points where a gradient was asked for, in this order."""
        return list(dict.fromkeys(key.point for key, _ in self.problem.record.asked))

    def limits(self) -> dict[Any, Fraction]:
        return {label: self.of(limit) for label, limit in self.problem.known}


def numbered(functions: FunctionClass, measure: Measure, method: Algorithm = parallel, **settings: Any) -> Numbered:
    restrict = {k: settings.pop(k) for k in ("tilted", "still", "within", "between") if k in settings}
    asked = question(method, functions, measure, **settings)
    return Numbered(problem_of(asked, **restrict), int(settings.get("n_components", 1)))


def start_limits(one: Numbered, distance: int, height: Fraction) -> dict[Any, Fraction]:
    return {("distance",): square(one.rows[0]) - distance**2, ("gap",): one.gap(((0, fmpq(1)),)) - height}


def differences(one: Numbered, place: Any, point: Vector | None) -> dict[Any, Fraction]:
    """mean |g_m - g|^2 <= (3/2)^2 + (|g| / 3)^2, and each |g_m - g| <= 2."""
    own = [one.at_optimum(m) if point is None else one.gradient(m, point) for m in range(one.n_clients)]
    off = [square(minus(g, mean(own))) for g in own]
    allowed = Fraction(9, 4) + square(mean(own)) / 9
    limits: dict[Any, Fraction] = {("everywhere", place): sum(off, Fraction(0)) / len(off) - allowed}
    return limits | {("worst", place, m): far - 4 for m, far in enumerate(off)}


@pytest.mark.parametrize("n_clients", [2, 3])
def test_limits_on_convex_clients(n_clients: int) -> None:
    """At x* the mean gradient is 0; elsewhere the gradients of clients that were not asked there are unknown vectors too."""
    one = numbered(
        Smooth(1),
        LastGap(),
        n_clients=n_clients,
        **ROUND,
        **OF_START,
        heterogeneity_at_optimum=2,
        max_heterogeneity_at_optimum=3,
        **EVERYWHERE,
    )
    far = [square(one.at_optimum(m)) for m in range(n_clients)]
    expected = start_limits(one, 3, Fraction(5, 2))
    expected |= {("heterogeneity",): sum(far, Fraction(0)) / n_clients - 4}
    expected |= {("worst", "*", m): v - 9 for m, v in enumerate(far)}
    expected |= differences(one, "x*", None)
    for k, point in enumerate(one.points):
        expected |= differences(one, k, point)
    assert one.limits() == expected
    assert len(one.points) == 2 + n_clients  # the start, each client's own, and the last
    assert not one.problem.sufficient


@pytest.mark.parametrize("functions", [Smooth(1), NonConvex(1)], ids=["convex", "rough"])
def test_limits_on_clients_that_differ_by_linear_functions(functions: FunctionClass) -> None:
    """They differ alike everywhere, and their mean has a floor at each point where one of them was asked."""
    start = OF_START if functions.rooted else {"initial_gap": "5/2"}
    one = numbered(functions, LastGradient(), n_clients=3, **ROUND, **start, **EVERYWHERE, tilted=True)
    expected = start_limits(one, 3, Fraction(5, 2))
    far = [square(one.at_optimum(m)) for m in range(3)]
    expected |= {("everywhere", "x*"): sum(far, Fraction(0)) / 3 - Fraction(9, 4)}
    expected |= {("worst", "x*", m): v - 4 for m, v in enumerate(far)}
    if not functions.rooted:
        del expected["distance",]
        for k, point in enumerate(one.points):
            expected["floor", k] = square(one.whole(point)) / 2 - one.gap(point)
    assert one.limits() == expected
    assert one.problem.sufficient


def test_limits_on_the_infimum_of_a_mean() -> None:
    """The mean's value is at least |g|^2 / 2L where all its clients were asked, and nothing is said where one was not."""
    one = numbered(NonConvex(2), LastGradient(), n_clients=2, **ROUND, initial_gap="5/2", heterogeneity=1)
    floors = {label: v for label, v in one.limits().items() if label[0] == "floor"}
    asked: dict[Vector, set[int]] = {}
    for key, _ in one.problem.record.asked:
        asked.setdefault(key.point, set()).add(key.client)
    expected = {}
    for k, point in enumerate(one.points):
        if asked[point] == {0, 1}:
            expected["floor", k] = square(one.whole(point)) / 4 - one.gap(point)
    assert floors == expected
    alone = numbered(NonConvex(2), LastGradient(), parallel, n_clients=2, **ROUND, initial_gap=1, max_heterogeneity=1)
    assert {label[0] for label, _ in alone.problem.known} == {"gap", "worst", "floor"}


@pytest.mark.parametrize(("within", "between"), [(True, True), (True, False), (False, True)])
def test_limits_on_sampled_functions(*, within: bool, between: bool) -> None:
    """Two clients of three functions: the means of clients differ by 2 at most, functions within each by 1/2 on the average."""

    def step(x: Any, oracle: Any, c: Any) -> Any:
        return x - c.step_size * (oracle.gradient(x, 0) + oracle.gradient(x, 1, 1)) / 2

    one = numbered(
        Smooth(1),
        LastDistance(),
        Algorithm("mine", step),
        n_clients=2,
        n_components=3,
        step_size=1,
        initial_distance=1,
        heterogeneity_at_optimum=2,
        max_heterogeneity_at_optimum=3,
        noise_std_at_optimum="1/2",
        within=within,
        between=between,
    )
    own = [[one.at_optimum(m) for m in range(first, first + 3)] for first in (0, 3)]
    expected: dict[Any, Fraction] = {("distance",): square(one.rows[0]) - 1}
    if between:
        far = [square(mean(rows)) for rows in own]
        expected |= {("heterogeneity",): sum(far) / 2 - 4, ("worst", "*", 0): far[0] - 9, ("worst", "*", 1): far[1] - 9}
    if within:
        for m, rows in enumerate(own):
            noise = sum((square(minus(g, mean(rows))) for g in rows), Fraction(0)) / 3
            expected["sampled", m] = noise - Fraction(1, 4)
    assert one.limits() == expected
    assert one.problem.plain == (within and between)
    needless = {(True, True): {6}, (True, False): {3, 6}, (False, True): {2, 3, 4, 5, 6}}[within, between]
    assert one.problem.needless == needless


@pytest.mark.parametrize("n_clients", [2, 3])
def test_limits_on_the_hessians_of_quadratic_clients(n_clients: int) -> None:
    """A client's Hessian less the mean one, with eigenvalues from -1/4 to 1/4: the matrix of its products with all points."""
    one = numbered(
        Quadratic(1, "1/10"),
        LastDistance(),
        n_clients=n_clients,
        **ROUND,
        initial_distance=1,
        heterogeneity_at_optimum=1,
        hessian_heterogeneity="1/4",
    )
    record, limit = one.problem.record, Fraction(1, 4)
    places = [key.point for key, _ in record.asked if key.client == 0]
    points = [at(place, one.rows) for place in places]
    images = [[at(record.image(m, place), one.rows) for m in range(n_clients)] for place in places]
    expected = {}
    for m in range(n_clients if n_clients > 2 else 1):
        off = [minus(row[m], mean(row)) for row in images]
        left = [minus(v, [-limit * p for p in point]) for v, point in zip(off, points, strict=True)]
        right = [minus(v, [limit * p for p in point]) for v, point in zip(off, points, strict=True)]
        for b in range(len(points)):
            for a in range(b + 1):
                both = dot(left[a], right[b]) + dot(left[b], right[a])
                expected["near", m, a, b] = both / 2 if a == b else both
    assert {label: v for label, v in one.limits().items() if label[0] == "near"} == expected
    assert len(points) == n_clients + 1  # x_0 and the points between, of which none depends on others
    assert one.problem.apart == fmpq(1, 4)
    whole = mean([one.at_optimum(m) for m in range(n_clients)])
    assert whole == [0, 0]


def descent(x: Any, oracle: Any, c: Any) -> Any:
    return x - c.step_size * oracle.gradient(x, 0)


@pytest.mark.parametrize("n_rounds", [1, 2, 3])
def test_objectives_of_descent(n_rounds: int) -> None:
    """x_r = x_0 - eta (g_0 + ... + g_(r-1)); averages weigh the iterate x_r by decay^-(r + 1)."""
    eta, decay = Fraction(1, 3), Fraction(2, 5)

    def asked(measure: Measure) -> Numbered:
        given: dict[str, Any] = {"step_size": eta, "n_rounds": n_rounds, "initial_distance": 2}
        return numbered(Smooth(1), measure, Algorithm("descent", descent), **given)

    one = asked(LastDistance())
    points = [one.rows[0]]
    for r in range(n_rounds):
        points.append(minus(points[-1], [eta * g for g in one.rows[2 + r]]))
    assert one.of(one.problem.objective) == square(points[-1])
    gap = asked(LastGap())
    assert gap.of(gap.problem.objective) == gap.values[2 + n_rounds]
    steep = asked(LastGradient())
    assert steep.of(steep.problem.objective) == square(steep.rows[2 + n_rounds])
    for measure in (LeastGap(), LeastGradient()):
        least = asked(measure)
        lengths = least.values if isinstance(measure, LeastGap) else dict(enumerate(map(square, least.rows)))
        expected = {("round", r): least.values["least"] - lengths[2 + r] for r in range(n_rounds + 1)}
        assert {k: v for k, v in least.limits().items() if k[0] == "round"} == expected
        assert least.of(least.problem.objective) == least.values["least"]
    even = asked(AveragedGap(sympy.Rational(2, 5)))
    weights = [decay ** -(r + 1) for r in range(n_rounds + 1)]
    (place,) = (key.point for key, i in even.problem.record.asked if i == 2 + n_rounds)
    points = [even.rows[0]]
    for r in range(n_rounds):
        points.append(minus(points[-1], [eta * g for g in even.rows[2 + r]]))
    average = [
        sum((w * p[k] for w, p in zip(weights, points, strict=True)), Fraction(0)) / sum(weights) for k in (0, 1)
    ]
    assert at(place, even.rows) == average
    assert even.of(even.problem.objective) == even.values[2 + n_rounds]


@pytest.mark.parametrize("functions", [Lipschitz(3), Linear(3)], ids=["convex", "linear"])
def test_the_regret_of_online_descent(functions: FunctionClass) -> None:
    """The sum of f_r(x_r) - f_r(x*), of a linear loss <g_r, x_r>; a gradient is at most 3 long, the start at most 2 away."""

    def online(x: Any, oracle: Any, c: Any) -> Any:
        return x - c.step_size * oracle.gradient(x, int(c.round))

    given: dict[str, Any] = {"n_clients": 3, "n_rounds": 3, "step_size": "1/3", "initial_distance": 2}
    one = numbered(functions, Regret(), Algorithm("online", online), **given)
    assert one.limits() == {("distance",): square(one.rows[0]) - 4}
    if isinstance(functions, Linear):
        losses, point = [], one.rows[0]
        for r in range(3):
            losses.append(dot(point, one.rows[1 + r]))
            point = minus(point, [g / 3 for g in one.rows[1 + r]])
        assert one.of(one.problem.objective) == sum(losses)
        return
    assert one.of(one.problem.objective) == sum(one.values[4 + r] for r in range(3))
    steep = {label: one.of(one.problem.limit(label)) for label in one.problem.labels() if label[0] == "alone"}
    assert steep == {
        ("alone", m, place): square(one.rows[1 + m] if place == 0 else one.rows[place]) - 9
        for m in range(3)
        for place in (0, 4 + m)
    }


def test_courses_of_a_run_and_their_chances() -> None:
    """Sequential passes in a random order: each order has one chance, and equal states are one course."""
    given: dict[str, Any] = {"n_clients": 3, "n_local_steps": 1, "step_size": "1/3", "initial_distance": 1}
    asked = question(sequential, Smooth(1), LastDistance(), **given, heterogeneity_at_optimum=1)
    record, courses = trace_run(sequential, asked.case(Record(3)))
    assert len(courses) == 6
    assert all(course.weight == fmpq(1, 6) for course in courses)
    ends = set()
    for course in courses:
        assert course.points[0] == ((0, fmpq(1)),)
        index = dict(record.asked)
        terms = dict(course.points[1])
        clients = sorted(key.client for key, i in index.items() if i in terms)
        assert clients == [0, 1, 2]
        assert all(plain(c) == -Fraction(1, 3) for i, c in terms.items() if i)
        ends.add(course.points[1])
    assert len(ends) == 6


def test_a_value_at_the_minimiser_is_none() -> None:
    record = Record(2)
    assert objectives.gap(record, ORIGIN) == objectives._client_value(record, 1, ORIGIN) == Expression()
    assert not record.made


def test_symmetries_are_those_of_plain_clients() -> None:
    """Smooth convex ones that are known by their gradients, which sum to 0 at x*."""
    given: dict[str, Any] = {"n_clients": 2, **ROUND, "initial_distance": 1, "heterogeneity_at_optimum": 1}
    asked = question(parallel, Smooth(1), LastDistance(), **given)
    assert problem_of(asked).plain
    for restricted in ("tilted", "still"):
        assert not problem_of(asked, **{restricted: True}).plain
    assert not problem_of(replace(asked, measure=Regret())).plain
    assert not problem_of(replace(asked, functions=Quadratic(1))).plain
    assert not problem_of(replace(asked, functions=Lipschitz(1))).plain
    assert not numbered(
        NonConvex(1), LastGradient(), n_clients=2, **ROUND, initial_gap=1, heterogeneity=1
    ).problem.plain


def test_limits_by_their_labels() -> None:
    """One that is not of a client's points, or whose places are in another order, does not exist."""
    given: dict[str, Any] = {"n_clients": 2, **ROUND, "initial_distance": 1, "heterogeneity_at_optimum": 1}
    convex, bent = (numbered(f, LastDistance(), **given).problem for f in (Smooth(1), Quadratic(1)))
    (a, *_, b), (other, *_) = convex.places[0][1:], convex.places[1][1:]
    for label in (("client", 0, a, b), ("client", 0, b, a), ("client", 0, 0, a), ("client", 1, other, 0)):
        assert convex.limit(label).products
    wrong: list[Any] = [("client", 0, a, other), ("client", 0, other, a), ("client", 0, a, a), ("client", 2, 0, 0)]
    wrong += [("client", -1, 0, other), ("client", "0", a, b), ("alone", 0, a), ("alone", 2, 0), ("noise", a)]
    wrong += [("apart", "1", a), ("floor", 0), ("bent", 0, a, b), ("alone", -1, 0), ("alone", 0, other)]
    for label in wrong:
        with pytest.raises((KeyError, IndexError)):
            convex.limit(label)
    first, second = bent.places[0][:2]
    assert bent.limit(("bent", 0, first, second)).products
    assert bent.limit(("bent", 0, first, first)).products
    assert bent.limit(("turned", 0, first, second)).products
    for label in (("bent", 0, second, first), ("turned", 0, first, first), ("turned", 0, second, first)):
        with pytest.raises(KeyError):
            bent.limit(label)
    pairs = [(x, y) for places in convex.places for x in places for y in places if x != y]
    assert len(convex.of_points) == len(pairs)
    assert all(label[0] == "client" for label in convex.of_points)
    n = [len(places) for places in bent.places]
    kinds = [label[0] for label in bent.of_points]
    assert kinds.count("bent") == sum(k * (k + 1) // 2 for k in n)
    assert kinds.count("turned") == sum(k * (k - 1) // 2 for k in n)


@pytest.mark.parametrize("n_rounds", [1, 2])
def test_limits_on_noise(n_rounds: int) -> None:
    """|noise|^2 is sigma^2 on the average, and it is orthogonal to all that does not depend on it, each pair once."""
    given: dict[str, Any] = {"step_size": "1/3", "n_rounds": n_rounds, "noise_std": "1/2"}
    one = numbered(Smooth(1), LastDistance(), Algorithm("descent", descent), **given, initial_distance=1)
    problem = one.problem
    noises = [i for _, i in problem.record.drawn]
    assert len(noises) == n_rounds
    for i in noises:
        assert one.of(problem.limit(("noise", i))) == square(one.rows[i]) - Fraction(1, 4)
    apart = [label for label in problem.labels() if label[0] == "apart"]
    gradients = [i for _, i in problem.record.asked]
    expected = set()
    for r, i in enumerate(noises):
        free = {0, 1, *gradients[: r + 1], *noises} - {i}  # the start, h, what came before, and other noise
        expected |= {frozenset((i, j)) for j in free}
    assert {frozenset(label[1:]) for label in apart} == expected
    assert len(apart) == len(expected)
    for label in apart:
        _, i, j = label
        other = one.at_optimum(0) if j == 1 else one.rows[j]
        assert one.of(problem.limit(label)) == dot(one.rows[i], other)
    with pytest.raises(KeyError):
        problem.limit(("apart", noises[0], noises[0]))


def test_sizes_and_a_start_that_is_free() -> None:
    """Typical lengths are those given, else of a height; without a distance its products are values of their own."""
    lengths = {(2, None): (2.0, 8.0), (None, 9): (1.5, 6.0), (2, 9): (1.5, 6.0), (1, 9): (1.0, 4.0)}
    for (distance, height), expected in lengths.items():
        given: dict[str, Any] = {"initial_distance": distance, "initial_gap": height}
        asked = {name: value for name, value in given.items() if value is not None}
        one = numbered(Smooth(4), LastGap(), Algorithm("descent", descent), step_size=1, **asked)
        assert one.problem.sizes == pytest.approx(expected)
        assert one.problem.free == (distance is None)
    bounded: dict[str, Any] = {"step_size": 1, "initial_distance": 3}
    steep = numbered(Lipschitz(5), LastGap(), Algorithm("descent", descent), **bounded).problem
    assert steep.sizes == (3.0, 5.0)
    free = numbered(Smooth(4), LastGap(), Algorithm("descent", descent), step_size=1, initial_gap=9).problem
    assert 0 in free.needless
    label = ("client", 0, 0, free.places[0][1])
    assert not any(0 in pair for pair in free.limit(label).products)
    assert any(isinstance(name, tuple) and name[0] == 0 for name in free.limit(label).values)
    near = numbered(Smooth(4), LastDistance(), Algorithm("descent", descent), step_size=1, initial_gap=9).problem
    assert not near.free


def test_typical_sizes_are_of_the_tightest_limit() -> None:
    """A distance is limited by itself, or by the gap with the steepness or the curvature of the class."""
    names = ("initial_distance", "initial_gap", "client_gradient_bound", "smoothness")
    for given, sizes in (
        ((None, None, None, None), (1, 1)),
        ((5, None, None, None), (5, 5)),
        ((None, 6, 2, None), (3, 2)),
        ((5, 20, 2, None), (5, 2)),
        ((5, 6, 2, None), (3, 2)),
        ((None, 8, None, 2), (2, 4)),
        ((5, 27, None, 3), (3, 9)),
        ((2, 27, None, 3), (2, 6)),
        ((5, 6, 2, 9), (3, 2)),
    ):
        known = {getattr(symbols, name): v for name, v in zip(names, given, strict=True) if v is not None}
        assert problems._sizes(known) == sizes


def traced(step: Any) -> object:
    return problem_of(question(Algorithm("mine", step), Smooth(1), LastGradient(), step_size="1/3", initial_distance=1))


def test_a_trace_that_changes_with_the_coordinates_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([1, 2])
    monkeypatch.setattr(symbolic_run, "_trace_or_reason", lambda *given: next(answers))
    with pytest.raises(OutOfReach, match="behaves otherwise when it is repeated with more coordinates"):
        traced(lambda x, oracle, c: x - c.step_size * oracle.gradient(x, 0))


@pytest.mark.parametrize(
    "step", [lambda x, oracle, c: np.concatenate([x, x]), lambda x, oracle, c: [x], lambda x, oracle, c: x[0]]
)
def test_a_step_of_another_shape_has_no_trace(step: Any) -> None:
    with pytest.raises(OutOfReach, match="returned another shape in round 0"):
        traced(step)
