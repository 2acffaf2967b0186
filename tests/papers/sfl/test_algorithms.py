"""SFL, PFL and their special cases: compiled twins, equivariance, coincidences."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from fltheory.evidence import sequential
from fltheory.evidence.exact import exact_rational
from fltheory.evidence.sequential import simulate
from fltheory.model.case import Case
from fltheory.papers.sfl import algorithms, kernels
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients
from fltheory.runs.algorithm import rollout, stream_runs
from fltheory.runs.constants import run_constants
from fltheory.runs.measures import AveragedGap, LastDistance, LastGap, RunSummary
from fltheory.runs.method import VariantError

numbers = st.fractions(Fraction(-3), 3, max_denominator=50)
curvatures = st.fractions(Fraction(0), 3, max_denominator=50)
TWINS = [algorithms.sequential, algorithms.parallel]


@st.composite
def cases(draw, max_rounds=12):
    """Any separable instance and run: kinks, dimensions, noise laws, S <= M, server steps."""
    n, dim = draw(st.integers(1, 6)), draw(st.integers(1, 3))

    def table(entries):
        return draw(st.lists(st.lists(entries, min_size=dim, max_size=dim), min_size=n, max_size=n))

    start = draw(st.lists(numbers, min_size=dim, max_size=dim))
    std = tuple(draw(st.lists(st.sampled_from([0, Fraction(1, 3), 2]), min_size=dim, max_size=dim)))
    law = draw(st.sampled_from(["two_point", "uniform"]))
    left, slopes = table(curvatures), table(numbers)
    if draw(st.booleans()):
        instance = QuadraticClients(left, slopes, start, std, law)
    else:
        instance = PiecewiseQuadraticClients(left, table(curvatures), slopes, start, std, law)
    return _Bounded(instance).case(
        n_rounds=draw(st.integers(1, max_rounds)),
        n_local_steps=draw(st.integers(1, 4)),
        n_participating=draw(st.integers(1, n)),
        step_size=draw(st.sampled_from(["1/3", "1/10", "1/123"])),
        server_step_size=draw(st.sampled_from([1, 2, "3/2"])),
    )


class _Bounded:
    """A mean objective with curvature everywhere, so that the instance has constants."""

    def __init__(self, instance):
        first = {
            name: ((1,) * instance.dim, *getattr(instance, name)[1:])
            for name in ("curvatures", "left", "right")
            if name in instance.__dataclass_fields__
        }
        self.instance = type(instance)(**{**{f: getattr(instance, f) for f in instance.__dataclass_fields__}, **first})

    def case(self, **settings):
        return Case(self.instance, **settings)


@given(cases(), st.sampled_from(TWINS), st.integers(1, 300), st.integers(0, 2**40), st.integers(0, 10**6))
def test_compiled_runs_equal_the_reference_bit_for_bit(case, algorithm, seeds, seed, first):
    plain = rollout(algorithm, case, seeds, seed, first, kernel=False)
    fast = rollout(algorithm, case, seeds, seed, first)
    assert fast.dtype == plain.dtype
    assert (fast == plain).all()


@pytest.mark.parametrize("seeds", [1, kernels.BLOCK - 1, kernels.BLOCK, kernels.BLOCK + 1, 3 * kernels.BLOCK])
def test_the_size_of_a_block_does_not_show(seeds):
    instance = PiecewiseQuadraticClients((1, 2, 3), (3, 1, 2), (1, -2, 1), 1, 1, "uniform")
    case = Case(instance, n_rounds=5, n_local_steps=2, step_size="1/30")
    for algorithm in TWINS:
        whole = rollout(algorithm, case, 3 * kernels.BLOCK + 7, 9)
        assert (rollout(algorithm, case, seeds, 9, 7) == whole[7 : 7 + seeds]).all()


@pytest.mark.parametrize("clients", [15, 16, 17, 40])
@pytest.mark.parametrize("left_out", [0, 1, 9])
@pytest.mark.parametrize("noise", [0, "1/3"])
def test_many_clients_are_ordered_as_in_the_reference(clients, left_out, noise):
    """Up to 16 of them in a word, more in a table."""
    slopes = [m - clients // 2 for m in range(clients)]
    instance = PiecewiseQuadraticClients([1] * clients, ["1/3"] * clients, slopes, 1, noise)
    settings = {"n_rounds": 4, "n_local_steps": 7, "step_size": "1/900", "n_participating": clients - left_out}
    for algorithm in TWINS:
        case = Case(instance, **settings)
        assert (rollout(algorithm, case, 9, 5, 3) == rollout(algorithm, case, 9, 5, 3, kernel=False)).all()


def reading_of(weights, n_rounds):
    """The last state, or an average."""
    return RunSummary(None if weights is None else weights[: n_rounds + 1])


WEIGHTS = np.random.default_rng(1).random(13)


@given(cases(), st.sampled_from(TWINS), st.integers(1, 300), st.integers(0, 10**6), st.sampled_from([None, WEIGHTS]))
def test_what_is_streamed_equals_what_is_read_off_the_reference_bit_for_bit(case, algorithm, seeds, first, weights):
    reading = reading_of(weights, dict(case.settings)["n_rounds"])
    plain = reading.of(rollout(algorithm, case, seeds, 3, first, kernel=False))
    assert (stream_runs(algorithm, case, seeds, reading.weights, 3, first) == plain).all()


@pytest.mark.parametrize("algorithm", [kernels.sequential_run, kernels.parallel_run])
def test_threads_do_not_show(algorithm):
    case = Case(
        PiecewiseQuadraticClients((1, 2, 3), (3, 1, 2), (1, -2, 1), 1), n_rounds=5, n_local_steps=2, step_size="1/30"
    )
    c, seeds, parallel = run_constants(case, None), np.arange(3 * kernels.BLOCK + 5), algorithm is kernels.parallel_run
    states = algorithm(case.instance, c, 0, seeds)
    for threads in (1, 2, 5):
        for weights in (None, WEIGHTS[:6]):
            found = kernels.points_of_runs(case.instance, c, 0, seeds, weights, parallel=parallel, threads=threads)
            assert (found == RunSummary(weights).of(states)).all()


def test_averages_that_are_added_up_from_the_end_would_be_noticed():
    case = Case(QuadraticClients((1, "1/3"), (1, -2), 1), n_rounds=12, n_local_steps=3, step_size="1/7")
    states = rollout(algorithms.sequential, case, 50)
    other = sum(WEIGHTS[r] * states[:, r] for r in range(12, -1, -1))
    found = stream_runs(algorithms.sequential, case, 50, WEIGHTS)
    assert other == pytest.approx(found, rel=1e-9)
    assert (other != found).any()


@pytest.mark.parametrize("measure", [LastGap(), LastDistance(), AveragedGap(sympy.Rational(9, 10))])
@pytest.mark.parametrize("algorithm", TWINS)
def test_measures_stream_the_values_of_the_stored_runs(measure, algorithm, monkeypatch):
    instance = PiecewiseQuadraticClients((1, 2, 3), (3, 1, 2), (1, -2, 1), 1)
    case = Case(instance, n_rounds=20, n_local_steps=3, step_size="1/30")
    stored = measure.values(rollout(algorithm, case, 100, 4, 50), case)
    assert (simulate(measure, replace(algorithm, streaming_kernel=None), case, 100, 4, 50) == stored).all()
    monkeypatch.setattr(sequential, "rollout", None)  # nothing is stored
    assert (simulate(measure, algorithm, case, 100, 4, 50) == stored).all()


def test_a_variant_has_no_compiled_runs():
    variant = algorithms.sequential._replace(step=algorithms.parallel_step)
    assert (variant.kernel, variant.streaming_kernel) == (None, None)
    case = Case(QuadraticClients((1, "1/3"), (1, -2), 1), n_rounds=2, n_local_steps=1, step_size="1/7")
    assert stream_runs(variant, case, 5, None) is None


def test_a_measure_of_its_own_is_not_taken_for_the_one_it_is_derived_from():
    class Twice(LastGap):
        def values(self, states, case):
            return 2 * super().values(states, case)

    case = Case(QuadraticClients((1, "1/3"), (1, -2), 1), n_rounds=2, n_local_steps=1, step_size="1/7")
    plain = simulate(LastGap(), algorithms.sequential, case, 5, 0)
    assert (simulate(Twice(), algorithms.sequential, case, 5, 0) == 2 * plain).all()


def test_another_twin_would_be_noticed():
    """The comparison sees one bit: the same run with the order of two additions changed differs somewhere."""

    def step(x, oracle, c):
        y = x
        for client in oracle.order(c.n_participating).T:
            for k in range(c.n_local_steps):
                y = (
                    y
                    - c.step_size * (oracle.instance.gradient(y, client))
                    - c.step_size * (oracle.gradient(y, client, k) - oracle.instance.gradient(y, client))
                )
        return y

    case = Case(QuadraticClients((1, "1/3"), (1, -2), 1, "1/7"), n_rounds=20, n_local_steps=3, step_size="1/7")
    other = rollout(algorithms.sequential._replace(step=step), case, 50)
    plain = rollout(algorithms.sequential, case, 50)
    assert other == pytest.approx(plain, rel=1e-9)
    assert (other != plain).any()


def test_compiled_runs_are_left_to_instances_that_they_know():
    class Other:
        n_clients, dim, start, draws = 1, 1, (1,), 0
        constants = MappingProxyType({})

        def gradient(self, x, client):
            return x**3

    c = run_constants(Case(Other(), n_rounds=2, n_local_steps=1, step_size="1/2"), None)
    assert kernels.sequential_run(Other(), c, 0, np.arange(3)) is None
    states = rollout(algorithms.sequential, Case(Other(), n_rounds=2, n_local_steps=1, step_size="1/2"), 3)
    assert states[0, :, 0] == pytest.approx([1, 0.5, 0.4375])


# Coincidences, on every path


@given(cases(max_rounds=5))
def test_special_cases_coincide_on_every_path(case):
    instance = case.instance
    plain = {"n_participating": instance.n_clients, "server_step_size": 1}
    once = case.with_settings(**plain, n_local_steps=1)
    reference = {"kernel": False}
    quiet = Case(
        type(instance)(**{**{f: getattr(instance, f) for f in instance.__dataclass_fields__}, "noise_std": 0}),
        **dict(once.settings),
    )
    shuffled = rollout(algorithms.random_reshuffling, quiet, 20, **reference)
    assert (shuffled == rollout(algorithms.sequential, quiet, 20)).all()
    alone = case.with_settings(n_participating=1)
    assert (rollout(algorithms.parallel, alone, 20) == rollout(algorithms.sequential, alone, 20)).all()
    everyone = case.with_settings(**plain)
    unspecified = Case(instance, **{k: v for k, v in case.settings if k not in plain})
    for algorithm in TWINS:
        assert (rollout(algorithm, everyone, 20) == rollout(algorithm, unspecified, 20)).all()


def test_sgd_is_sfl_with_equal_clients_in_law():
    """Same moments; the paths differ, as the noise is keyed by the client."""
    case = Case(QuadraticClients((1, 1, 1), (0, 0, 0), 2, 1), n_rounds=4, n_local_steps=2, step_size="1/10")
    found = [
        exact_rational(LastGap(), a, case) for a in (algorithms.sgd, algorithms.sequential, algorithms.fixed_order)
    ]
    assert found[0] == found[1] == found[2]


def test_a_fixed_order_is_another_algorithm():
    case = Case(QuadraticClients((1, 1), (1, -1), 0), n_rounds=50, n_local_steps=1, step_size="1/10")
    fixed, fresh = (exact_rational(LastGap(), a, case).value for a in (algorithms.fixed_order, algorithms.sequential))
    assert fixed != fresh
    assert np.ptp(rollout(algorithms.fixed_order, case, 10)[:, -1]) == 0


def test_parallel_clients_of_equal_curvature_have_no_heterogeneity_error():
    """x_r = (1 - d)^(K r) x_0 when sigma = 0."""
    case = Case(QuadraticClients((1, 1), (3, -3), 2), n_rounds=6, n_local_steps=2, step_size="1/10")
    states = rollout(algorithms.parallel, case, 2)[0, :, 0]
    assert states == pytest.approx(2 * 0.9 ** (2 * np.arange(7)), rel=1e-12)


# Equivariance of whole runs, in floats exact for powers of two


@given(
    cases(max_rounds=4),
    st.sampled_from([*TWINS, algorithms.fixed_order]),
    st.sampled_from([-3, 2, 5]),
    st.sampled_from([-2, 1, 4]),
)
def test_runs_scale_exactly_by_powers_of_two(case, algorithm, objective, length):
    """(i) F -> c F, eta -> eta / c: same iterates; (ii) x -> l x: iterates times l. Bit for bit, same randomness."""
    i, c, s = case.instance, Fraction(2) ** objective, Fraction(2) ** length
    power = {"curvatures": c / s**2, "left": c / s**2, "right": c / s**2, "slopes": c / s}
    fields = {
        n: [[v * f for v in row] for row in getattr(i, n)] for n, f in power.items() if n in i.__dataclass_fields__
    }
    noise = tuple(v * c / s for v in i.noise_std)
    scaled = type(i)(**fields, start=[v * s for v in i.start], noise_std=noise, noise_law=i.noise_law)
    settings = dict(case.settings)
    after = Case(scaled, **{**settings, "step_size": settings["step_size"] * s**2 / c})
    assert (rollout(algorithm, after, 20) == rollout(algorithm, case, 20) * float(s)).all()


def test_divergence_is_reported_or_seen_as_infinite():
    case = Case(QuadraticClients((1, 1), (0, 0), 1), n_rounds=2000, n_local_steps=1, step_size=1000)
    with pytest.raises(VariantError, match="NaN"):
        rollout(algorithms.sequential, case, 2, kernel=False)
    assert not np.isfinite(rollout(algorithms.sequential, case, 2)[:, -1]).any()
