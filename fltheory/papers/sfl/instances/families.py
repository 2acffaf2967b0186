"""Hypothesis strategies for the instances of the lemmas, from which ``falsify`` draws."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from fltheory.model.case import Case
from fltheory.papers.sfl.instances import lemmas as lemma
from fltheory.papers.sfl.instances.quadratics import table_2
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients
from fltheory.problems.strategies import federated_runs, log_uniform_counts, log_uniform_positive, quadratic_clients

unit = st.builds(Fraction, st.integers(1, 99), st.just(100))
digits = st.integers(-5, 5).map(Fraction)


@st.composite
def piecewise_clients(draw: st.DrawFn, max_clients: int = 3) -> PiecewiseQuadraticClients:
    """Draw noiseless piecewise quadratic clients in one dimension, with the minimiser at the kink or elsewhere."""
    n = draw(st.integers(1, max_clients))
    left, right = [draw(st.lists(log_uniform_positive(1e-3, 1), min_size=n, max_size=n)) for _ in range(2)]
    slopes = draw(st.lists(digits, min_size=n, max_size=n))
    return PiecewiseQuadraticClients(left, right, slopes, draw(digits))


def rounds(
    steps: str = "sequential", curved: bool = False, piecewise: bool = True, **options: Any
) -> st.SearchStrategy:
    """Return a strategy for cases of one round."""
    clients = quadratic_clients(curved=curved, max_clients=4)
    either = st.one_of(clients, piecewise_clients()) if piecewise else clients
    return federated_runs(either, max_rounds=1, max_local_steps=4, steps_in_round=steps, **options)


@st.composite
def at_the_minimiser(draw: st.DrawFn) -> Case:
    """Draw cases of one round on noiseless quadratic clients that start at the minimiser of F."""
    case = draw(federated_runs(quadratic_clients(noise=False), max_rounds=1, max_local_steps=4))
    clients = case.instance
    assert isinstance(clients, QuadraticClients)
    return Case(QuadraticClients(clients.curvatures, clients.slopes, clients.minimiser), **dict(case.settings))


@st.composite
def recursions(draw: st.DrawFn, flat: bool = False, tuned: bool = False) -> Case:
    """Draw recursions with any allowed step, or with the largest step of the tuned one."""
    coefficient = st.one_of(log_uniform_positive(1e-3, 1e3), st.just(Fraction(0)))
    a = Fraction(0) if flat else draw(log_uniform_positive(1e-3, 10))
    shares = draw(st.lists(st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(1)]), min_size=1, max_size=3))
    instance = lemma.Recursion(
        a,
        draw(log_uniform_positive(1e-2, 10)),
        draw(coefficient),
        draw(coefficient),
        draw(log_uniform_positive(1e-2, 100)),
        shares,
    )
    step = draw(unit) / a if a else draw(log_uniform_positive(1e-3, 1e3))
    name = "max_step_size" if tuned else "effective_step_size"
    return Case(instance, n_rounds=draw(log_uniform_counts(10**6 if tuned else 300)), **{name: step})


@st.composite
def balanced_signs(draw: st.DrawFn, max_half: int = 20) -> Case:
    """Draw a position and a local step in a permutation of signs."""
    half = draw(st.one_of(st.integers(1, 4), st.integers(1, max_half)))
    steps = draw(st.integers(1, 12))
    position, step = draw(st.integers(1, 2 * half)), draw(st.integers(0, steps - 1))
    return Case(lemma.BalancedSigns(2 * half), position=position, local_step=step, n_local_steps=steps)


@st.composite
def unit_points(draw: st.DrawFn, max_clients: int = 30) -> Case:
    """Draw a number of clients and a t in (0, 1)."""
    t = draw(st.one_of(unit, log_uniform_positive(1e-6, 0.9)))
    return Case(lemma.Parameters(n_clients=draw(st.integers(2, max_clients)), unit_interval=t))


@st.composite
def local_steps(draw: st.DrawFn) -> Case:
    """Draw clients and local steps of a size up to 1/curvature."""
    curvature, part = draw(log_uniform_positive(1e-3, 1e3)), draw(st.one_of(unit, st.just(Fraction(1))))
    counted = {"n_clients": draw(st.integers(2, 30)), "n_local_steps": draw(st.integers(1, 12))}
    return Case(lemma.Parameters(**counted, small_curvature=curvature, step_size=part / curvature))


def clients_only(high: int = 10_000) -> st.SearchStrategy:
    """Return a strategy for a number of clients."""
    return st.builds(
        lambda m: Case(lemma.Parameters(n_clients=m)),
        st.one_of(st.integers(2, 50), st.integers(1200, 1220), st.integers(2, high)),
    )


@st.composite
def parameters(draw: st.DrawFn, /, **fixed: object) -> Case:
    """Draw constants for comparisons of rates, except the ``fixed`` ones."""
    values: dict[str, Any] = {
        name: draw(log_uniform_counts(1000)) for name in ("n_clients", "n_local_steps", "n_rounds")
    }
    mu = draw(log_uniform_positive(1e-4, 1))
    values |= {"strong_convexity": mu, "smoothness": mu * draw(log_uniform_positive(1, 1e4))}
    for name in ("noise_std", "heterogeneity", "heterogeneity_at_optimum", "initial_distance", "initial_gap"):
        values[name] = draw(st.one_of(log_uniform_positive(1e-3, 1e3), st.just(Fraction(0))))
    values["heterogeneity_at_optimum"] = min(values["heterogeneity_at_optimum"], values["heterogeneity"])
    values["max_heterogeneity"] = values["heterogeneity"]
    values["noise_std_at_optimum"] = values["noise_std"]
    return Case(lemma.Parameters(**(values | fixed)))


@st.composite
def tasks(draw: st.DrawFn, numbers: tuple[int, ...], inverse_steps: tuple[int, ...]) -> Case:
    """Draw a task of Table 2 with ten local steps, at a step of PFL and with enough rounds to forget the start."""
    task, inverse = draw(st.sampled_from(numbers)), draw(st.sampled_from(inverse_steps))
    return Case(
        table_2(task),
        step_size=Fraction(1, inverse),
        n_local_steps=10,
        n_rounds=draw(st.sampled_from([3, 4])) * inverse,
    )


@st.composite
def partly(draw: st.DrawFn) -> Case:
    """Draw a round with partial participation, where all clients have the same curvature."""
    case = draw(federated_runs(quadratic_clients(equal=True, max_clients=4), max_rounds=1, max_local_steps=3))
    clients = case.instance
    assert isinstance(clients, QuadraticClients)
    one = QuadraticClients(
        [row[:1] for row in clients.curvatures], [row[:1] for row in clients.slopes], clients.start[0]
    )
    return Case(one, **dict(case.settings)).with_settings(n_participating=draw(st.integers(1, one.n_clients)))
