"""Exact moments: against enumeration of whole trajectories, and against the closed forms of the theory."""

from fractions import Fraction
from math import prod

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from fltheory.evidence.exact import exact_ball, exact_rational, exact_value
from fltheory.model.case import Case
from fltheory.number import RATIONAL, as_number, symbolic, to_ball
from fltheory.papers.sfl import algorithms
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.constants import run_constants
from fltheory.runs.distributions import moments
from fltheory.runs.distributions.sample_paths import enumerate_runs
from fltheory.runs.measures import AveragedGap, LastDistance, LastGap, LeastGradient
from fltheory.runs.method import NotEnumerable
from fltheory.symbols import n_rounds, step_size, strong_convexity

small = st.fractions(Fraction(-2), 2, max_denominator=6)
MEASURES = [
    LastGap(),
    LastDistance(),
    LeastGradient(),
    AveragedGap(sympy.Integer(1)),
    AveragedGap(1 - strong_convexity * step_size / 2),
]


def fraction(element):
    return Fraction(as_number(element))


def by_hand(measure, algorithm, case):
    """The measured quantity from all courses of the run."""
    states, weights = enumerate_runs(algorithm, case, RATIONAL)
    values = measure.values(states, case)
    return min(sum(fraction(v) * fraction(w) for v, w in zip(column, weights, strict=True)) for column in values.T)


@st.composite
def cases(draw):
    """Small runs: K = 1, M = 1, S < M, flat clients, noise, server steps, one or two coordinates."""
    n, dim, k = draw(st.integers(1, 3)), draw(st.integers(1, 2)), draw(st.integers(1, 2))
    std = draw(st.sampled_from([0, 0, Fraction(1, 2)]))
    if std and n * k > 2:
        std = 0
    curvatures = [[draw(st.sampled_from([0, Fraction(1, 3), 1, 2])) for _ in range(dim)] for _ in range(n)]
    curvatures[0] = [1] * dim
    slopes = [[draw(small) for _ in range(dim)] for _ in range(n)]
    instance = QuadraticClients(curvatures, slopes, [draw(small) for _ in range(dim)], std)
    rounds = draw(st.integers(1, 2))
    return Case(
        instance,
        n_rounds=rounds,
        n_local_steps=k,
        n_participating=draw(st.integers(1, n)),
        step_size=draw(st.sampled_from([Fraction(1, 3), Fraction(1, 10), 1])),
        server_step_size=draw(st.sampled_from([1, 1, Fraction(3, 2)])),
    )


@given(cases(), st.sampled_from(MEASURES), st.booleans())
def test_moments_equal_the_enumeration_of_whole_runs(case, measure, parallel):
    algorithm = algorithms.parallel if parallel else algorithms.sequential
    try:
        expected = by_hand(measure, algorithm, case)
    except NotEnumerable:
        return
    assert exact_rational(measure, algorithm, case).value == expected
    assert exact_ball(measure, algorithm, case).value.overlaps(to_ball(expected))


def test_a_wrong_law_would_be_seen():
    """The same comparison fails for a law with the noise left out, or with sampling with replacement."""
    case = Case(QuadraticClients((1, "1/2"), (1, -2), 1, 1), n_rounds=1, n_local_steps=1, step_size="1/3")
    true = by_hand(LastGap(), algorithms.sequential, case)
    quiet = Case(QuadraticClients((1, "1/2"), (1, -2), 1), n_rounds=1, n_local_steps=1, step_size="1/3")
    assert exact_rational(LastGap(), algorithms.sequential, quiet).value != true

    def with_replacement(instance, c, ring):
        laws = [instance.client_laws(m, c.step_size, c.n_local_steps, ring)[0] for m in range(2)]
        mean = moments.mixture_moments((ring.scalar(Fraction(1, 2)), law) for law in laws)
        return [moments.Block((0,), moments.compose_moments(mean, mean))]

    wrong = algorithms.sequential._replace(law=with_replacement)
    assert exact_rational(LastGap(), wrong, case).value != true


# Closed forms of one dimension: F_m = h_m x^2 / 2 + b_m x with slopes that sum to zero


@st.composite
def one_dimensional(draw, equal=False):
    n = draw(st.integers(2, 4))
    curvatures = [draw(st.sampled_from([Fraction(1, 4), Fraction(1, 2), 1])) for _ in range(1 if equal else n)]
    curvatures = curvatures * n if equal else curvatures
    slopes = [Fraction(draw(st.integers(-3, 3))) for _ in range(n - 1)]
    slopes.append(-sum(slopes))
    return (
        curvatures,
        slopes,
        Fraction(draw(st.integers(0, 2))),
        draw(st.integers(1, 3)),
        Fraction(1, draw(st.integers(4, 9))),
    )


def law_of(data, parallel=False):
    curvatures, slopes, std, k, eta = data
    instance = QuadraticClients(curvatures, slopes, 1, std)
    c = run_constants(Case(instance, n_local_steps=k, step_size=eta, n_rounds=1), RATIONAL)
    law = (algorithms.parallel_law if parallel else algorithms.sequential_law)(instance, c, RATIONAL)[0].law
    first = [[fraction(law.first[i, j]) for j in range(2)] for i in range(2)]
    return first, fraction(law.second[3, 0]), fraction(law.second[3, 1]), fraction(law.second[3, 3])


def client_map(h, b, std, k, eta):
    """a_m, g_m b_m, v_m of the client's map x -> a x - g b + noise of variance v."""
    a = (1 - eta * h) ** k
    g = (1 - a) / h if h else k * eta
    return a, g * b, eta**2 * std**2 * sum((1 - eta * h) ** (2 * j) for j in range(k))


@given(one_dimensional())
def test_one_parallel_round_in_closed_form(data):
    """A = mean a_m, B = -mean g_m b_m, V = sum v_m / M^2."""
    curvatures, slopes, std, k, eta = data
    n = len(slopes)
    maps = [client_map(h, b, std, k, eta) for h, b in zip(curvatures, slopes, strict=True)]
    a, b, v = sum(m[0] for m in maps) / n, -sum(m[1] for m in maps) / n, sum(m[2] for m in maps) / n**2
    first, constant, _, square = law_of(data, parallel=True)
    assert first == [[1, 0], [b, a]]
    assert (constant, square) == (b * b + v, a * a)


@given(one_dimensional())
def test_one_sequential_round_in_closed_form(data):
    """A = prod a_m; B, V by recursion along every order."""
    from itertools import permutations

    curvatures, slopes, std, k, eta = data
    maps = [client_map(h, b, std, k, eta) for h, b in zip(curvatures, slopes, strict=True)]
    ends = []
    for order in permutations(maps):
        b, v = Fraction(0), Fraction(0)
        for a, gb, w in order:
            b, v = a * b - gb, a * a * v + w
        ends.append((b, v))
    n = len(ends)
    first, constant, _, square = law_of(data)
    product = prod((m[0] for m in maps), start=Fraction(1))
    assert first == [[1, 0], [sum(b for b, _ in ends) / n, product]]
    assert (constant, square) == (sum(b * b + v for b, v in ends) / n, product**2)


@given(one_dimensional(equal=True))
def test_equal_curvatures_heterogeneity_and_noise_of_a_round(data):
    """V_zeta and V_sigma by their closed forms, T as in Lemma 11; PFL has no heterogeneity error."""
    curvatures, slopes, std, k, eta = data
    n, lam = len(slopes), curvatures[0]
    d = lam * eta
    q = (1 - d) ** k
    zeta2 = sum(b * b for b in slopes) / n
    t = 1 + (1 - d) ** (n * k) - Fraction(1, n) * (1 + q) / (1 - q) * (1 - (1 - d) ** (n * k))
    heterogeneity = zeta2 / lam**2 * Fraction(n, n - 1) * (1 - q) / (1 + q) * (1 - q**n) * t
    noise = eta**2 * std**2 * (1 - (1 - d) ** (2 * n * k)) / (1 - (1 - d) ** 2)
    first, constant, mixed, square = law_of(data)
    assert first == [[1, 0], [0, q**n]]
    assert (constant, mixed, square) == (heterogeneity + noise, 0, q ** (2 * n))
    first, constant, _, _ = law_of((curvatures, slopes, 0, k, eta), parallel=True)
    assert first == [[1, 0], [0, q]]
    assert constant == 0


@given(one_dimensional())
def test_the_bias_of_the_fixed_point_for_small_steps(data):
    """SFL -(eta/2) mean(hb)/mean(h), free of K; PFL +(eta/2) (K-1) mean(hb)/mean(h); up to O(eta^2)."""
    curvatures, slopes, _, k, _ = data
    n = len(slopes)
    pull = sum(h * b for h, b in zip(curvatures, slopes, strict=True)) / sum(curvatures)
    for parallel, factor in ((False, Fraction(-1, 2)), (True, Fraction(k - 1, 2))):
        errors = []
        for eta in (Fraction(1, 10**4), Fraction(1, 10**5)):
            first, *_ = law_of((curvatures, slopes, 0, k, eta), parallel)
            fixed = first[1][0] / (1 - first[1][1])
            errors.append(fixed - factor * eta * pull)
        assert abs(errors[0]) <= 200 * n**2 * k**2 * Fraction(1, 10**8)
        assert abs(errors[1]) <= abs(errors[0]) / 50  # second order in eta


def test_the_small_step_fluctuation_of_equal_curvatures():
    """Stationary E F ~ lambda^2 eta_eff^3 zeta^2 (1 + 1/M) / (48 M)."""
    eta, k = Fraction(1, 10**6), 2
    first, constant, _, square = law_of(([1] * 4, [1, -1, 2, -2], 0, k, eta))
    stationary = constant / (1 - square) / 2
    predicted = (4 * k * eta) ** 3 * Fraction(10, 4) * (1 + Fraction(1, 4)) / (48 * 4)
    assert first[1][0] == 0
    assert float(stationary / predicted) == pytest.approx(1, rel=1e-3)


# Averages and long runs


@given(cases(), st.sampled_from([Fraction(1), Fraction(9, 10), Fraction(1, 2)]), st.booleans())
def test_averaged_moments_are_the_explicit_double_sum(case, decay, parallel):
    """E xbar^2 = sum_r sum_s w_r w_s E[x_r x_s] with E[x_s x_r] from the cross recursion E[x_s | x_r]."""
    algorithm = algorithms.parallel if parallel else algorithms.sequential
    rounds = 4
    case = case.with_settings(n_rounds=rounds)
    c = run_constants(case, RATIONAL)
    block = algorithm.law(case.instance, c, RATIONAL)[0]
    start = moments.outer_column([RATIONAL.scalar(case.instance.start[0])], RATIONAL)
    result = moments.average_iterate_moments(block.law, start, rounds, RATIONAL.scalar(decay), RATIONAL)
    b, a = fraction(block.law.first[1, 0]), fraction(block.law.first[1, 1])
    weights = [decay ** (rounds - r) for r in range(rounds + 1)]
    total = Fraction(0)
    for r, state in enumerate(moments.trajectory(block.law, start, rounds)):
        mean, cross = fraction(state[1, 0]), fraction(state[3, 0])
        total += weights[r] ** 2 * cross
        for s in range(r + 1, rounds + 1):
            cross = a * cross + b * mean
            total += 2 * weights[r] * weights[s] * cross
    assert fraction(result[3, 0]) == total / sum(weights) ** 2
    assert fraction(result[0, 0]) == 1


def test_squaring_gives_the_same_as_step_by_step():
    instance = QuadraticClients((1, "1/3", 0), (1, -2, 1), 1, "1/2")
    case = Case(instance, n_rounds=13, n_local_steps=2, step_size="1/9")
    c = run_constants(case, RATIONAL)
    law = algorithms.sequential_law(instance, c, RATIONAL)[0].law
    start = moments.outer_column([RATIONAL.scalar(1)], RATIONAL)
    assert moments.second_moments(law, start, 13, RATIONAL) == moments.trajectory(law, start, 13)[-1]
    assert moments.second_moments(law, start, 0, RATIONAL) == start


def test_a_million_rounds_are_exact_to_many_digits():
    instance = QuadraticClients((1, 1), (1, -1), 1)
    case = Case(instance, n_rounds=10**6, n_local_steps=1, step_size="1/10")
    value = exact_ball(LastGap(), algorithms.sequential, case).value
    short = case.with_settings(n_rounds=200)
    assert value.rel_accuracy_bits() > 50
    assert float(value.mid()) == pytest.approx(
        float(exact_rational(LastGap(), algorithms.sequential, short).value), rel=1e-9
    )


# Special cases of the algorithms, by their laws and by their values


def value(algorithm, case, measure=MEASURES[0]):
    return exact_rational(measure, algorithm, case).value


@given(one_dimensional())
def test_special_cases_coincide(data):
    curvatures, slopes, std, _, eta = data
    quiet = QuadraticClients(curvatures, slopes, 2)
    once = {"n_rounds": 3, "step_size": eta, "n_local_steps": 1}
    assert value(algorithms.random_reshuffling, Case(quiet, **once)) == value(
        algorithms.sequential, Case(quiet, **once)
    )
    equal = QuadraticClients([1] * 3, [0] * 3, 2, std)
    run = {"n_rounds": 3, "step_size": eta, "n_local_steps": 2}
    assert value(algorithms.sgd, Case(equal, **run)) == value(algorithms.sequential, Case(equal, **run))
    single = QuadraticClients(curvatures[:1], [Fraction(1)], 2, std)
    assert value(algorithms.parallel, Case(single, **run)) == value(algorithms.sequential, Case(single, **run))
    one = {**run, "n_participating": 1}
    assert value(algorithms.parallel, Case(quiet, **one)) == value(algorithms.sequential, Case(quiet, **one))
    assert value(algorithms.sequential, Case(quiet, **run, server_step_size=1)) == value(
        algorithms.sequential, Case(quiet, **run)
    )


@given(cases(), st.sampled_from(MEASURES), st.booleans())
def test_values_scale_as_the_theory_says(case, measure, parallel):
    """(i) F -> c F, eta -> eta / c; (ii) x -> x / s: exactly, in rationals."""
    algorithm = algorithms.parallel if parallel else algorithms.sequential
    i, settings = case.instance, dict(case.settings)
    before = exact_rational(measure, algorithm, case).value
    for factor, length in ((3, Fraction(1)), (Fraction(2, 5), Fraction(1)), (1, Fraction(3, 7)), (5, Fraction(1, 2))):
        scaled = QuadraticClients(
            [[h * factor / length**2 for h in row] for row in i.curvatures],
            [[b * factor / length for b in row] for row in i.slopes],
            [x * length for x in i.start],
            tuple(s * factor / length for s in i.noise_std),
        )
        after = Case(scaled, **{**settings, "step_size": settings["step_size"] * length**2 / factor})
        powers = measure.dimension
        expected = before * Fraction(factor) ** int(powers[0]) * length ** int(powers[1])
        assert exact_rational(measure, algorithm, after).value == expected


def test_exact_values_are_refused_for_what_has_no_law():
    case = Case(QuadraticClients((1, 1), (1, -1), 1, 1, "uniform"), n_rounds=2, n_local_steps=1, step_size="1/5")
    clipped = algorithms.sequential._replace(step=lambda x, oracle, c: (x - oracle.gradient(x, 0)).clip(-1, 1))
    with pytest.raises(NotEnumerable):
        exact_value(LastGap(), clipped, case, RATIONAL)
    assert case.constants[n_rounds] == 2
    assert symbolic(exact_rational(LastGap(), algorithms.sequential, case).value).is_Rational
