"""The theorems of examples/proved: the kernel confirms them, and exact instances show that no smaller constant will do."""

from __future__ import annotations

import importlib.util
import itertools
import random
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction as Q
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from sympy import Expr, Rational

from fltheory.api.proofs import proofs
from fltheory.performance import Problem, Smooth
from fltheory.proof import Given, Member, Theorem, eq, le, lt
from fltheory.proof.check import check_theorem
from fltheory.proof.terms import Grad, Val, square
from fltheory.proving.multipliers import Found, Stuck, prove_by_multipliers
from tests.proving.cases import L as smooth
from tests.proving.cases import best, eta, f1, f2, half, local, mean, mu, x

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "proved"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))
Point = tuple[Q, Q]
Map = Callable[[Point], Point]


@cache
def module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"proved_{name}", FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def number(term: Expr, values: Mapping[Any, Any]) -> Q:
    """The exact value of a formula at rational numbers."""
    value = term.subs({key: Rational(v.numerator, v.denominator) for key, v in values.items()})
    return Q(int(value.p), int(value.q))


@pytest.mark.parametrize("name", NAMES)
def test_the_kernel_confirms_every_theorem_for_all_parameters(name: str) -> None:
    reports = proofs(str(FOLDER / f"{name}.py"))
    assert {r.theorem.id for r in reports} == {t.id for t in module(name).THEOREMS}
    for report in reports:
        assert (report.verdict, report.scope, report.faults) == ("PROVED", "all parameters", ()), report.theorem.id


# Found by ``prove`` from class, steps and statement alone, for two clients --------------------------------------------------

balanced = Given("balanced", eq(Grad(f2, best), -Grad(f1, best)))
order = Given("order", lt(mu, smooth))
convex = (*(Member(f"client {i}", f, smooth, 0, "") for i, f in enumerate((f1, f2), 1)), balanced)
strongly = (*(Member(f"client {i}", f, smooth, mu, "") for i, f in enumerate((f1, f2), 1)), balanced, order)
second = local(f1, x, 1) - eta * Grad(f2, local(f1, x, 1))
reverse = local(f2, x, 1) - eta * Grad(f1, local(f2, x, 1))
gained = eta * (Val(f1, x) + Val(f2, x) - Val(f1, best) - Val(f2, best))
spread = square(Grad(f1, best))
h, a = eta * smooth, 1 - eta * mu
up_to_2 = Given("short", lt(eta, 2 / smooth))
either = half * (square(local(f1, x, 1) - best) + square(local(f2, x, 1) - best))
STATEMENTS: Mapping[str, tuple[Expr, Expr, Expr, tuple[Any, ...]]] = {
    "sequential": (square(second - best), 1, eta**3 * smooth / (2 - h), (*convex, up_to_2)),
    "sequential, strongly convex": (
        square(second - best),
        a**2,
        eta**3 * smooth / (2 - h),
        (*strongly, Given("short", le(eta, 1 / smooth))),
    ),
    "random order, values": (
        half * (square(second - best) + square(reverse - best)) + gained,
        1,
        eta**3 * smooth / (2 - h),
        (*convex, Given("short", le(eta, 1 / smooth))),
    ),
    "local": (square(mean(x, 2) - best), 1, 2 * eta**3 * smooth / (4 - h**2), (*convex, up_to_2)),
    "local, values": (
        square(mean(x, 2) - best) + gained,
        1,
        eta**3 * smooth / (2 - h**2),
        (*convex, Given("short", lt(eta, 1 / smooth))),
    ),
    "sampled": (either, 1, 2 * eta**2 / (2 - h), (*convex, up_to_2)),
    "sampled, strongly convex": (
        either,
        a**2,
        2 * a * eta**2 / (2 - eta * (smooth + mu)),
        (*strongly, Given("short", lt(eta, 2 / (smooth + mu)))),
    ),
}


def two_clients(name: str, share: Any) -> Theorem:
    measured, rate, constant, hypotheses = STATEMENTS[name]
    return Theorem(f"found/{name}", le(measured, rate * square(x - best) + share * constant * spread), hypotheses)


@pytest.mark.parametrize("name", STATEMENTS)
def test_two_clients_are_proved_from_the_statement_alone(name: str) -> None:
    pytest.importorskip("clarabel")
    found = prove_by_multipliers(two_clients(name, 1), narrow=False)
    assert isinstance(found, Found), str(found)
    report = check_theorem(found.theorem, found.certificates)
    assert (report.verdict, report.scope) == ("PROVED", "all parameters")


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_constant_that_is_two_per_cent_less_is_not(name: str) -> None:
    pytest.importorskip("clarabel")
    stuck = prove_by_multipliers(two_clients(name, Rational(49, 50)), narrow=False)
    assert isinstance(stuck, Stuck)
    assert stuck.reason == "no combination of the inequalities gives the statement"


@pytest.mark.parametrize("name", ["SHORT", "LONG"])
def test_a_smaller_rate_of_a_compressed_step_is_not_proved(name: str) -> None:
    pytest.importorskip("clarabel")
    s = module("compressed_step")
    theorem = getattr(s, name)
    true, less = (
        Theorem(
            "found/compressed",
            le(said.left, said.right - share * s.eta * s.mu * square(s.x - s.best)),
            theorem.hypotheses,
        )
        for said, share in ((theorem.statement, 0), (theorem.statement, Rational(1, 50)))
    )
    assert isinstance(prove_by_multipliers(true, narrow=False), Found)
    assert isinstance(prove_by_multipliers(less, narrow=False), Stuck)


# The worst cases of two convex clients at fixed numbers ----------------------------------------------------------------------


def worst_of_two(step: Q, after: Callable[..., Any]) -> Any:
    """The proved value of what is measured less |x - x*|^2, with gradients of norm 1 at x*."""
    problem = Problem()
    f, g = problem.function(Smooth(1)), problem.function(Smooth(1))
    star = (f + g).minimiser()
    start = problem.start()
    problem.require(f.gradient(star) ** 2 <= 1)
    return problem.worst(after(f, g, start, star, step) - (start - star) ** 2).upper


def run(at: Any, step: Q, *order: Any) -> Any:
    for f in order:
        at = at - step * f.gradient(at)
    return at


MEASURES: Mapping[str, Callable[..., Any]] = {
    "sequential": lambda f, g, x, s, e: (run(x, e, f, g) - s) ** 2,
    "random order": lambda f, g, x, s, e: ((run(x, e, f, g) - s) ** 2 + (run(x, e, g, f) - s) ** 2) / 2,
    "random order, values": lambda f, g, x, s, e: (
        ((run(x, e, f, g) - s) ** 2 + (run(x, e, g, f) - s) ** 2) / 2 + e * (f(x) + g(x) - f(s) - g(s))
    ),
    "local": lambda f, g, x, s, e: ((run(x, e, f, f) + run(x, e, g, g)) / 2 - s) ** 2,
    "local, values": lambda f, g, x, s, e: (
        ((run(x, e, f, f) + run(x, e, g, g)) / 2 - s) ** 2 + e * (f(x) + g(x) - f(s) - g(s))
    ),
    "sampled": lambda f, g, x, s, e: ((run(x, e, f) - s) ** 2 + (run(x, e, g) - s) ** 2) / 2,
}
LEAST: Mapping[str, Callable[[Q], Q]] = {
    "sequential": lambda e: e**3 / (2 - e),
    "random order": lambda e: e**3 / (2 - e),
    "random order, values": lambda e: e**3 / (2 - e),
    "local": lambda e: 2 * e**3 / (4 - e**2),
    "local, values": lambda e: e**3 / (2 - e**2),
    "sampled": lambda e: 2 * e**2 / (2 - e),
}


@pytest.mark.parametrize("step", [Q(1, 5), Q(9, 10)])
@pytest.mark.parametrize("name", MEASURES)
def test_the_constant_is_the_exact_worst_case(name: str, step: Q) -> None:
    pytest.importorskip("clarabel")
    assert worst_of_two(step, MEASURES[name]) == LEAST[name](step)


# Instances in exact arithmetic ------------------------------------------------------------------------------------------------

SETTINGS = [(Q(1, 5), Q(1), Q(1, 2)), (Q(1, 100), Q(3), Q(1, 3)), (Q(1, 2), Q(2), Q(3, 4))]  # mu, L, eta
CLOSE = Q(1, 1000)  # half the tangent of an angle: a direction is as near to another as this


def dot(u: Point, v: Point) -> Q:
    return u[0] * v[0] + u[1] * v[1]


def add(u: Point, v: Point, times: Q = Q(1)) -> Point:
    return u[0] + times * v[0], u[1] + times * v[1]


def direction(t: Q) -> Point:
    """The sine and the cosine of an angle."""
    return 2 * t / (1 + t**2), (1 - t**2) / (1 + t**2)


def mirror(gradient: Map) -> Map:
    """The gradient of the function that is mirrored at the first axis."""
    return lambda u: (lambda g: (g[0], -g[1]))(gradient((u[0], -u[1])))


def bowl(curvature: Q) -> Map:
    """The gradient of a quadratic with its minimum at 0."""
    return lambda u: (curvature * u[0], curvature * u[1])


def steps(at: Point, gradients: Sequence[Map], step: Q) -> Point:
    for gradient in gradients:
        at = add(at, gradient(at), -step)
    return at


@pytest.mark.parametrize(("mu_", "L_", "step"), SETTINGS)
def test_a_sequential_round_of_two_quadratics_attains_the_bound(mu_: Q, L_: Q, step: Q) -> None:
    s, z = module("sequential_round"), Q(3)
    values = {s.mu: mu_, s.L: L_, s.eta: step, s.zeta: z}
    start, least = number(s.start, values), number(s.LEAST, values)

    def first(u: Q) -> Q:
        return mu_ * u + z

    def other(u: Q) -> Q:
        return L_ * u - z

    middle = start - step * first(start)
    end = middle - step * other(middle)
    assert first(Q(0)) + other(Q(0)) == 0
    assert end == number(s.after_two, values)
    assert end**2 == (1 - step * mu_) ** 2 * start**2 + least * z**2


@pytest.mark.parametrize("clients", [2, 3, 5])
def test_a_round_of_more_clients_attains_the_bound_by_prefix_sums(clients: int) -> None:
    """On the line, f1 = b1 u and fm = L u^2/2 + bm u with prefix sums that grow by 1/(1 - eta L)."""
    L_, step = Q(2), Q(1, 3)
    sums = [Q(0), *(1 / (1 - step * L_) ** k for k in range(clients - 1)), Q(0)]
    slopes = [after - before for before, after in itertools.pairwise(sums)]
    start = at = step * sums[1] * (1 - step * L_) / (2 - step * L_)
    for place, slope in enumerate(slopes):
        at -= step * ((L_ * at if place else 0) + slope)
    least = step**3 * L_ / (2 - step * L_)
    assert at**2 == start**2 + least * sum(s**2 for s in sums)


@pytest.mark.parametrize(("L_", "step"), [(Q(1), Q(1, 2)), (Q(3), Q(1, 3)), (Q(2), Q(1, 7))])
def test_a_random_order_comes_as_close_as_one_likes(L_: Q, step: Q) -> None:
    s, z = module("sequential_round"), Q(2)
    sine, cosine = direction(CLOSE)
    values = {s.L: L_, s.eta: step, s.zeta: z, s.sine: sine, s.cosine: cosine}

    def gradient(u: Point) -> Point:
        over = max(Q(0), cosine * u[1] - sine * u[0])
        return -L_ * over * sine, z + L_ * over * cosine

    clients, start = (gradient, mirror(gradient)), (number(s.away, values), Q(0))
    ends = [steps(start, order, step) for order in (clients, clients[::-1])]
    assert add(clients[0]((Q(0), Q(0))), clients[1]((Q(0), Q(0)))) == (0, 0)
    assert [client(start) for client in clients] == [(0, z), (0, -z)]  # F is least here: nothing to gain
    assert {(end[0], abs(end[1])) for end in ends} == {(number(s.ahead, values), number(s.aside, values))}
    excess = sum(dot(end, end) for end in ends) / 2 - dot(start, start)
    least = number(s.LEAST, values)
    assert excess == least * cosine**2 * z**2
    assert excess > Q(999, 1000) * least * z**2


def wedge_client(mu_: Q, L_: Q, z: Q, lower: Point, upper: Point) -> Map:
    """The gradient of mu |u|^2/2 + z u2 + (L - mu)/2 dist(u, W)^2, with the wedge between two rays below the first axis."""

    def nearest(u: Point) -> Point:
        inside = dot(upper, u) <= 0 and dot(lower, u) >= 0
        if inside:
            return u
        found = [Q(0) * u[0], Q(0)]
        options = [(found[0], found[1])]
        for sine, cosine in (lower, upper):
            along = (cosine, -sine)  # the ray
            options.append((max(Q(0), dot(along, u)) * cosine, -max(Q(0), dot(along, u)) * sine))
        return min(options, key=lambda p: dot(add(u, p, Q(-1)), add(u, p, Q(-1))))

    def gradient(u: Point) -> Point:
        out = add(u, nearest(u), Q(-1))
        return mu_ * u[0] + (L_ - mu_) * out[0], mu_ * u[1] + z + (L_ - mu_) * out[1]

    return gradient


def rounds_end(clients: Sequence[Map], start: Point, step: Q, local_steps: int) -> Point:
    ends = [steps(start, [client] * local_steps, step) for client in clients]
    return sum(e[0] for e in ends) / Q(len(ends)), sum(e[1] for e in ends) / Q(len(ends))


@pytest.mark.parametrize("clients", [2, 5])
@pytest.mark.parametrize(("mu_", "L_", "step"), SETTINGS)
def test_local_steps_come_as_close_as_one_likes(mu_: Q, L_: Q, step: Q, clients: int) -> None:
    s, z = module("local_steps"), Q(1)
    values = {s.mu: mu_, s.L: L_, s.eta: step, s.t: z, s.M: Q(clients)}
    ratio = number(s.sin_2 / s.sin_1, values)
    upper, lower = direction(CLOSE), direction(ratio * CLOSE)
    start = (number(s.over_first, values) / upper[0], Q(0))
    client = wedge_client(mu_, L_, z, lower, upper)
    end = rounds_end([client, mirror(client), *[bowl(mu_)] * (clients - 2)], start, step, 2)
    excess = dot(end, end) - (1 - step * mu_) ** 4 * dot(start, start)
    bound = number(s.LEAST, values) * 2 * z**2 / clients
    assert Q(999, 1000) * bound < excess <= bound


@pytest.mark.parametrize("clients", [2, 5])
@pytest.mark.parametrize("kept", [Q(0), Q(1), Q(2)])
def test_local_steps_with_their_gain_come_as_close_as_one_likes(kept: Q, clients: int) -> None:
    s, z, L_, step = module("local_values"), Q(1), Q(3, 2), Q(1, 2)
    values = {s.L: L_, s.eta: step, s.t: z, s.M: Q(clients), s.w: 4 - kept}
    ratio = number(s.sin_2 / s.sin_1, values)
    upper, lower = direction(CLOSE), direction(ratio * CLOSE)
    start = (number(s.over_first, values) / upper[0], Q(0))
    client = wedge_client(Q(0), L_, z, lower, upper)
    end = rounds_end([client, mirror(client), *[bowl(Q(0))] * (clients - 2)], start, step, 2)
    slope = add(client(start), (Q(0), z), Q(-1))
    gain = 2 * dot(slope, slope) / (2 * L_) / clients  # L/2 times a squared distance is |gradient|^2/(2 L)
    assert gain == number(s.height, values)
    excess = dot(end, end) - dot(start, start) + kept * step * gain
    bound = number(s.LEAST, values) * 2 * z**2 / clients
    assert Q(999, 1000) * bound < excess <= bound


def test_the_formulas_of_the_wedge_are_those_of_the_run() -> None:
    """At angles that both have rational sines and cosines."""
    s = module("local_steps")
    upper, lower = direction(Q(1, 100)), direction(Q(1, 60))
    step, mu_ = Q(1), Q(1, 10)
    L_ = mu_ + 2 * (1 - mu_) * upper[0] / lower[0]
    values = {s.mu: mu_, s.L: L_, s.eta: step, s.t: Q(1), s.M: Q(2)}
    values |= {s.sin_1: upper[0], s.cos_1: upper[1], s.cos_2: lower[1]}
    assert number(s.sin_2, values) == lower[0]
    client = wedge_client(mu_, L_, Q(1), lower, upper)
    start = (number(s.far, values), Q(0))
    assert steps(start, [client], step) == (number(s.along, values), number(s.aside, values))
    assert rounds_end([client, mirror(client)], start, step, 2) == (number(s.end, values), 0)
    letters = {s.room: 2 - step * (L_ + mu_), s.bow: step * (L_ - mu_)}
    assert number(s.before, {**values, **letters}) == number(s.along, values)
    assert number(s.OUTSIDE.statement.right, {**values, **letters}) == number(s.over_second, values) > 0


@pytest.mark.parametrize(("clients", "drawn"), [(2, 1), (3, 2), (5, 1), (5, 3)])
@pytest.mark.parametrize(("mu_", "L_", "step"), SETTINGS)
def test_sampled_clients_come_as_close_as_one_likes(mu_: Q, L_: Q, step: Q, clients: int, drawn: int) -> None:
    s, z = module("sampled_clients"), Q(3)
    sine, cosine = direction(CLOSE)
    share = Q(clients - drawn, drawn * (clients - 1))
    values = {s.mu: mu_, s.L: L_, s.eta: step, s.t: z, s.M: Q(clients), s.rho: share, s.sine: sine, s.cosine: cosine}

    def gradient(u: Point) -> Point:
        out = (L_ - mu_) * (sine * u[0] + cosine * u[1])
        return mu_ * u[0] + out * sine, mu_ * u[1] + out * cosine + z

    start = (number(s.far, values), Q(0))
    samples = list(itertools.combinations([gradient, mirror(gradient), *[bowl(mu_)] * (clients - 2)], drawn))
    ends = [rounds_end(sample, start, step, 1) for sample in samples]
    measured = sum(dot(end, end) for end in ends) / len(ends)
    assert measured == number(s.average**2 + s.eta**2 * s.rho * s.variance, values)
    excess = measured - (1 - step * mu_) ** 2 * dot(start, start)
    bound = number(s.LEAST, values) * 2 * z**2 / clients
    assert Q(999, 1000) * bound < excess <= bound


@pytest.mark.parametrize(("mu_", "L_", "step"), SETTINGS)
@pytest.mark.parametrize("error", [Q(0), Q(1, 2), Q(3)])
def test_a_compressed_step_attains_its_rate_on_a_quadratic(mu_: Q, L_: Q, step: Q, error: Q) -> None:
    s = module("compressed_step")
    rates = []
    for curvature in (mu_, L_):
        outcomes = ((1 / (1 + error), 1 - step * (1 + error) * curvature), (error / (1 + error), Q(1)))
        rates.append(sum(chance * end**2 for chance, end in outcomes))
        assert rates[-1] == number(s.rate(s.mu), {s.eta: step, s.omega: error, s.mu: curvature})
    values = {s.mu: mu_, s.L: L_, s.omega: error}
    assert (rates[0] >= rates[1]) == (step <= number(s.best_step, values))
    assert max(rates) >= number(s.BEST_RATE, values)


# Other instances keep below the bounds: their hypotheses are those of the runs --------------------------------------------------


def drawn_clients(seed: int, low: Q, high: Q) -> tuple[list[Map], list[Q], Q]:
    """Quadratic clients on the line, their gradients at 0, which add up to 0, and a start."""
    rng = random.Random(seed)
    clients = rng.randint(2, 4)
    slopes = [Q(rng.randint(-9, 9), 3) for _ in range(clients - 1)]
    slopes.append(-sum(slopes, Q(0)))
    bends = [low + (high - low) * Q(rng.randint(0, 4), 4) for _ in slopes]
    made: list[Map] = [
        lambda u, bend=bend, slope=slope: (bend * u[0] + slope, Q(0))  # type: ignore[misc]
        for bend, slope in zip(bends, slopes, strict=True)
    ]
    return made, slopes, Q(rng.randint(-20, 20), 10)


@pytest.mark.parametrize("seed", range(40))
def test_other_quadratics_keep_below_the_bounds(seed: int) -> None:
    mu_, L_, step = SETTINGS[seed % 3]
    clients, slopes, at = drawn_clients(seed, mu_, L_)
    count, start = len(clients), (at, Q(0))
    zeta = sum(slope**2 for slope in slopes) / count
    s, rate = module("sequential_round"), (1 - step * mu_) ** 2
    values = {s.mu: mu_, s.L: L_, s.eta: step}
    ends = [steps(start, order, step)[0] ** 2 for order in itertools.permutations(clients)]
    least = number(s.LEAST, values)
    sums = [sum(slopes[:n], Q(0)) for n in range(count)]
    assert steps(start, clients, step)[0] ** 2 <= at**2 + least * sum(x**2 for x in sums)
    assert sum(ends) / len(ends) <= at**2 + least * Q(count * (count + 1), 6) * zeta
    s = module("local_steps")
    values = {s.mu: mu_, s.L: L_, s.eta: step}
    assert rounds_end(clients, start, step, 2)[0] ** 2 <= rate**2 * at**2 + number(s.LEAST, values) * zeta
    s = module("sampled_clients")
    for drawn in range(1, count + 1):
        samples = list(itertools.combinations(clients, drawn))
        measured = sum(rounds_end(sample, start, step, 1)[0] ** 2 for sample in samples) / len(samples)
        values = {s.mu: mu_, s.L: L_, s.eta: step, s.rho: Q(count - drawn, drawn * (count - 1))}
        assert measured <= rate * at**2 + number(s.LEAST, values) * zeta
