"""Compiled runs of Delta-SGD against the readable ones, in every reading of its mini-batches."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory.model.case import Case
from fltheory.papers.delta_sgd import algorithms, kernels
from fltheory.papers.delta_sgd.instances.clients import MultipleClients, RandomCurvature
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients
from fltheory.runs.algorithm import rollout, stream_runs
from fltheory.runs.client_optimiser import adaptive_optimiser, federated_averaging
from fltheory.runs.constants import run_constants
from fltheory.runs.method import VariantError

READINGS = {
    b: federated_averaging(adaptive_optimiser(batches=b))._replace(kernel=kernels.compiled_kernel(kernels.Method(b)))
    for b in kernels.CODES
}
each_reading = pytest.mark.parametrize("batches", READINGS)
SETTINGS = {
    "n_rounds": 6,
    "n_local_steps": 4,
    "initial_step_size": "1/10",
    "initial_ratio": 3,
    "amplifier": 1,
    "growth_damping": "1/2",
    "n_participating": 2,
}
ROOTS = MultipleClients((1, "1/2", 2), (2, -1, 1), noise_std="1/3")
CURVATURE = RandomCurvature((10, 1), (-1, 3), 1)
QUADRATICS = QuadraticClients(((1, 2), (3, 1), (2, 2)), ((1, -1), (0, 2), (-3, 1)), (1, 1), (1, "1/2"))
weights = st.fractions(Fraction(-2), 3, max_denominator=20)
curvatures = st.fractions(Fraction(1, 4), 3, max_denominator=20)
numbers = st.fractions(Fraction(-3), 3, max_denominator=20)


@st.composite
def instances(draw):
    """Multiples of a sum of roots, non-convex and with ripples among them, quadratics, with and without noise; or samples."""
    width = draw(st.sampled_from([1, "1/2"]))
    if draw(st.integers(0, 3)) == 0:
        pairs = draw(st.lists(st.tuples(curvatures, numbers), min_size=2, max_size=4))
        return RandomCurvature(*zip(*pairs, strict=True), draw(numbers), draw(st.sampled_from([1, 3])), width)
    n, dim = draw(st.integers(1, 5)), draw(st.integers(1, 12))
    start = tuple(draw(st.lists(numbers, min_size=dim, max_size=dim)))
    noise = {
        "noise_std": draw(st.sampled_from([0, "1/3", 2])),
        "noise_law": draw(st.sampled_from(["two_point", "uniform"])),
    }

    def table(entries):
        return draw(st.lists(st.lists(entries, min_size=dim, max_size=dim), min_size=n, max_size=n))

    if draw(st.booleans()):
        return QuadraticClients(table(curvatures), table(numbers), start, **noise)
    shares = [*draw(st.lists(weights, min_size=n - 1, max_size=n - 1)), 9]
    units = {"height": draw(st.sampled_from([1, 3])), "width": width}
    if n % 2 == 0 and draw(st.booleans()):
        units |= {"ripples": ("1/2", "-1/2") * (n // 2), "frequencies": 3}
    return MultipleClients(tuple(shares), start, **units, **noise)


@st.composite
def cases(draw):
    instance = draw(instances())
    return Case(
        instance,
        n_rounds=draw(st.integers(1, 5)),
        n_local_steps=draw(st.integers(1, 4)),
        n_participating=draw(st.integers(1, instance.n_clients)),
        initial_step_size=draw(st.sampled_from(["1/10", "1/100", "1/3000"])),
        initial_ratio=draw(st.sampled_from(["1/10", 1, 50])),
        amplifier=draw(st.sampled_from(["1/10", 1, "7/5"])),
        growth_damping=draw(st.sampled_from([0, "1/10", 1])),
    )


@pytest.mark.turns(3)
@each_reading
@given(case=cases(), seeds=st.integers(1, 20), seed=st.integers(0, 2**40), first=st.integers(0, 10**6))
def test_compiled_runs_equal_the_readable_ones(batches, case, seeds, seed, first):
    plain = rollout(READINGS[batches], case, seeds, seed, first, kernel=False)
    fast = rollout(READINGS[batches], case, seeds, seed, first)
    np.testing.assert_allclose(fast, plain, rtol=1e-9, atol=1e-11)


def runs(batches, case, n_seeds=3, seed=1):
    return rollout(READINGS[batches], case, n_seeds, seed)


@each_reading
@pytest.mark.parametrize("instance", [ROOTS, QUADRATICS, CURVATURE], ids=["roots", "quadratics", "samples"])
def test_every_constant_matters(batches, instance):
    """The negative control: a run with any other constant, draw or reading is another run."""
    usual = SETTINGS | {"n_participating": min(2, instance.n_clients)}
    plain = rollout(READINGS[batches], Case(instance, **usual), 3, 1, kernel=False)
    changes = {
        "n_local_steps": 5,
        "initial_step_size": "1/11",
        "initial_ratio": "1/2",
        "amplifier": "1/2",
        "growth_damping": "1/3",
    } | ({"n_participating": 3} if instance.n_clients > 1 else {})
    others = {name: runs(batches, Case(instance, **usual | {name: value})) for name, value in changes.items()}
    others |= {other: runs(other, Case(instance, **usual)) for other in READINGS if other != batches}
    others["seed"] = runs(batches, Case(instance, **usual), seed=2)
    for name, found in others.items():
        assert np.abs(found[:, -1] - plain[:, -1]).max() > 1e-5, name
    np.testing.assert_allclose(runs(batches, Case(instance, **usual)), plain, rtol=1e-12)


def test_without_noise_the_readings_agree():
    case = Case(MultipleClients((1, "1/2", 2), (2, -1, 1)), **SETTINGS)
    first, *others = (runs(b, case) for b in READINGS)
    for other in others:
        np.testing.assert_array_equal(other, first)
    assert np.ptp(first[:, -1], axis=0).max() > 0  # the clients of a round are still drawn


@each_reading
def test_only_the_ends_are_kept(batches):
    """The last state, and the mean square of the gradient where rounds begin."""
    rippled = MultipleClients((1, 2, 1, 2), (2, -1), 3, "1/2", ("1/4", "-1/4") * 2, 5, 1)
    for instance in (ROOTS, QUADRATICS, CURVATURE, rippled):
        case = Case(instance, **SETTINGS | {"n_participating": min(2, instance.n_clients)})
        c, clients = run_constants(case, None), kernels.as_arrays(instance)
        states = rollout(READINGS[batches], case, 40, 3, 7, kernel=False)
        found = kernels.ends(clients, kernels.Method(batches), c, 3, np.arange(7, 47))
        np.testing.assert_allclose(found.last, states[:, -1], rtol=1e-9, atol=1e-11)
        squares = (instance.mean_gradient(states.reshape(-1, instance.dim)) ** 2).sum(axis=-1).reshape(states.shape[:2])
        np.testing.assert_allclose(found.squares, squares[:, :-1].mean(axis=1), rtol=1e-9)
        assert (np.abs(found.squares / squares[:, 1:].mean(axis=1) - 1) > 1e-6).all()  # those where they end


@pytest.mark.parametrize("algorithm", [algorithms.pair, algorithms.clipped, algorithms.fedavg], ids=lambda a: a.name)
def test_last_states_are_streamed_as_they_are_stored(algorithm):
    limits = {"least_step": "1/50", "largest_step": "1/5", "step_size": "1/10"}
    for instance in (ROOTS, QUADRATICS):
        case = Case(instance, **SETTINGS | limits)
        stored = rollout(algorithm, case, 40, 3, 7)
        assert (stream_runs(algorithm, case, 40, None, 3, 7) == stored[:, -1]).all()
        assert np.ptp(stored[:, -1], axis=0).min() > 0
        assert stream_runs(algorithm, case, 40, np.ones(7), 3, 7) is None  # no averages
    assert stream_runs(algorithm._replace(step=lambda x, oracle, c: x), case, 2, None) is None


def test_runs_that_leave_the_floats_are_not_streamed():
    case = Case(QuadraticClients((10**9, 10**9), (1, 2), 1), **SETTINGS | {"n_rounds": 200, "step_size": 1})
    assert rollout(algorithms.fedavg, case.with_settings(n_rounds=2), 2).shape == (2, 3, 1)
    assert stream_runs(algorithms.fedavg, case, 2, None) is None


LIMITED = {
    "clipped": (algorithms.clipped, kernels.Method("pair", kernels.clipping_limits)),
    "clipped, fresh": (algorithms.clipped_fresh, kernels.Method("fresh", kernels.clipping_limits)),
    "FedAvg": (algorithms.fedavg, kernels.FEDAVG),
}


@pytest.mark.parametrize(("algorithm", "method"), LIMITED.values(), ids=LIMITED.keys())
def test_steps_between_limits(algorithm, method):
    """Both limits bind, as an unlimited run shows; a constant step is the case in which they are one."""
    limits = {"amplifier": "2/5", "least_step": "1/9", "largest_step": "1/8"}
    limits |= {"step_size": "2/17", "initial_step_size": "2/17"}
    for instance in (QUADRATICS, CURVATURE):
        case = Case(instance, **SETTINGS | limits | {"n_participating": min(2, instance.n_clients)})
        c, clients = run_constants(case, None), kernels.as_arrays(instance)
        plain = rollout(algorithm, case, 5, 3, kernel=False)
        found = kernels.trajectories(clients, method, c, 3, np.arange(5))
        np.testing.assert_allclose(found, plain, rtol=1e-9, atol=1e-11)
        np.testing.assert_array_equal(
            rollout(algorithm._replace(kernel=kernels.compiled_kernel(method)), case, 5, 3), found
        )
        free = kernels.trajectories(clients, kernels.Method(method.batches), c, 3, np.arange(5))
        assert (np.abs(free[:, -1] - plain[:, -1]) > 1e-6).all()
        for name in ("least_step", "largest_step"):
            other = run_constants(case.with_settings(**{name: {"least_step": "1/100", "largest_step": 9}[name]}), None)
            moved = np.abs(kernels.trajectories(clients, method, other, 3, np.arange(5)) - plain).max()
            assert (moved > 1e-6) == (method is not kernels.FEDAVG)


def test_blocks_and_threads_do_not_show():
    c = run_constants(Case(ROOTS, **SETTINGS), None)
    clients = kernels.as_arrays(ROOTS)
    whole = kernels.trajectories(clients, kernels.Method("pair"), c, 5, np.arange(100))
    for threads, first, last in ((1, 0, 100), (3, 0, 100), (2, 37, 38), (2, 15, 99)):
        part = kernels.trajectories(clients, kernels.Method("pair"), c, 5, np.arange(first, last), threads)
        np.testing.assert_array_equal(part, whole[first:last])
    assert len(np.unique(whole[:, -1], axis=0)) == 100


def test_memory():
    """Runs whose ends alone are kept need no memory for their rounds."""
    rng = np.random.default_rng(0)
    clients = kernels.multiples(rng.random(5), rng.random(500), 0.1)
    c = run_constants(Case(ROOTS, **{**SETTINGS, "n_rounds": 40}), None)

    def peak(run):
        run(clients, kernels.Method("pair"), c, 0, np.arange(1))
        tracemalloc.start()
        try:
            run(clients, kernels.Method("pair"), c, 0, np.arange(32))
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak(kernels.ends) < 4e5 < 4e6 < peak(kernels.trajectories)


@each_reading
def test_runs_that_are_not_compiled(batches):
    """Another kind of clients, and a run that leaves the floats: the readable one answers."""
    kinked = Case(PiecewiseQuadraticClients((1, 2), (2, 1), (1, -1), 1), **SETTINGS)
    assert READINGS[batches].kernel(kinked.instance, run_constants(kinked, None), 1, np.arange(2)) is None
    np.testing.assert_array_equal(runs(batches, kinked), rollout(READINGS[batches], kinked, 3, 1, kernel=False))
    lost = Case(QUADRATICS, **{**SETTINGS, "initial_step_size": 10**300})
    with pytest.raises(VariantError, match="NaN"):
        runs(batches, lost)


def test_far_away_the_slope_is_one():
    """Points whose squares are no floats."""
    case = Case(MultipleClients((1, 3), (10**200, -(10**200))), **{**SETTINGS, "initial_step_size": 10**198})
    plain = rollout(READINGS["same"], case, 2, 1, kernel=False)
    np.testing.assert_allclose(runs("same", case, 2), plain, rtol=1e-12)
    assert (np.abs(plain[:, 1]) < 0.99e200).all()


def test_a_variant_has_no_kernel():
    assert READINGS["pair"]._replace(step=lambda x, oracle, c: x).kernel is None


def test_numba_is_loaded_when_a_run_begins():
    code = "import sys, fltheory.papers.delta_sgd.kernels; print('numba' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert out.stdout.split() == ["False"]
