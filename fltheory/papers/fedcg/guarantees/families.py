"""Hypothesis strategies for runs of continuous greedy, FedCG and FedCG+, from which ``falsify`` draws."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from fltheory.model.case import Case
from fltheory.papers.fedcg.instances.clients import fresh_groups, private_items
from fltheory.papers.fedcg.instances.families import clients
from fltheory.problems.decomposable import SubmodularClients
from fltheory.problems.sets.matroids import Uniform
from fltheory.problems.sets.set_functions import Modular
from fltheory.problems.strategies import log_uniform_positive

failures = st.sampled_from([Fraction(1, 10), Fraction(1, 2), Fraction(1, 100), Fraction(9, 10)])


def _settings(draw: st.DrawFn, rounds: int, wild: bool, step: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"n_rounds": rounds}
    if wild:
        found["server_step_size"] = draw(st.one_of(log_uniform_positive(1e-1, 10), st.integers(1, 4).map(Fraction)))
    elif step:
        shorter = draw(st.one_of(st.just(Fraction(1)), st.sampled_from([Fraction(1, 2), Fraction(9, 10)])))
        found["server_step_size"] = shorter / rounds
    return found


@st.composite
def one_client(draw: st.DrawFn, fresh: bool = False, step: bool = True) -> Case:
    """Draw runs on one function; ``fresh``: with groups of new copies in each round."""
    if fresh or draw(st.booleans()):
        rounds = draw(st.integers(1, 12))
        instance: SubmodularClients = fresh_groups(draw(st.integers(1, 4)), rounds)
    else:
        rounds, instance = draw(st.integers(1, 12)), draw(clients(most_clients=1))
    return Case(instance, **_settings(draw, rounds, False, step))


@st.composite
def full(draw: st.DrawFn, wild: bool = False, step: bool = True) -> Case:
    """Draw runs with full participation."""
    rounds = draw(st.integers(1, 8))
    instance = draw(
        st.one_of(clients(), clients(), st.builds(private_items, st.integers(2, 12), log_uniform_positive(1e-2, 1)))
    )
    return Case(instance, **_settings(draw, rounds, wild, step))


@st.composite
def outvoted(draw: st.DrawFn) -> Case:
    """Draw one client of large weight and many of small weight with the same modular function; two items, rank 1."""
    pairs = st.lists(log_uniform_positive(1e-2, 1), min_size=2, max_size=2)
    heavy, light = draw(pairs), draw(st.one_of(pairs, log_uniform_positive(1e-2, 1).map(lambda v: [v, v])))
    many = draw(st.integers(2, 60))
    functions = (Modular(heavy), *(Modular(light),) * many)
    masses = (draw(log_uniform_positive(100, 1e6)), *(Fraction(1),) * many)
    return Case(
        SubmodularClients(functions, Uniform(2, 1), masses), **_settings(draw, draw(st.integers(1, 40)), False, True)
    )


@st.composite
def partial(draw: st.DrawFn, wild: bool = False, step: bool = True, local: int = 0, error: bool = False) -> Case:
    """Draw runs with few clients a round; ``local``: with at most so many local steps, ``error``: wrong gradients."""
    instance = draw(clients(most_clients=2 if wild else 3))
    sampled = draw(st.integers(1, 2 if wild else 3))
    rounds = draw(st.integers(1, 3 if instance.n_clients > 1 else 7))
    settings = _settings(draw, rounds, wild, step) | {"n_sampled": sampled, "failure_probability": draw(failures)}
    if local:
        settings["n_local_steps"] = draw(st.integers(1, local))
        settings["estimate_error"] = (
            draw(st.one_of(st.just(Fraction(0)), log_uniform_positive(1e-2, 1))) if error else 0
        )
    return Case(instance, **settings)


@st.composite
def slow(draw: st.DrawFn) -> Case:
    """Draw several rounds of many local steps on one modular client, with short server steps."""
    n, rounds = draw(st.integers(1, 3)), draw(st.integers(2, 4))
    weights = draw(st.lists(log_uniform_positive(1e-2, 1), min_size=n, max_size=n))
    share = draw(st.sampled_from([Fraction(1, 10), Fraction(1, 5), Fraction(1, 20)]))
    return Case(
        SubmodularClients((Modular(weights),), Uniform(n, draw(st.integers(1, n)))),
        n_rounds=rounds,
        server_step_size=share / rounds,
        n_sampled=1,
        failure_probability=draw(failures),
        n_local_steps=draw(st.integers(2, 12)),
        estimate_error=0,
    )


@st.composite
def ruled(draw: st.DrawFn, sampled: bool = False, modular: bool = False) -> Case:
    """Draw a first run whose heterogeneities determine the length of the second run, and an error to be met."""
    made = st.builds(private_items, st.integers(2, 8), log_uniform_positive(1e-2, 1))
    instance = draw(made if modular else st.one_of(made, clients()))
    top = max(instance.singletons()) * instance.matroid.rank
    share = draw(st.sampled_from([Fraction(1, 2), Fraction(1, 5), Fraction(1, 10), Fraction(3, 10)]))
    settings: dict[str, Any] = {"n_rounds": draw(st.integers(1, 4)), "additive_error": share * top if top else 1}
    if sampled:
        settings |= {"n_sampled": draw(st.sampled_from([1, 10, 1000])), "failure_probability": draw(failures)}
    return Case(instance, **settings)


@st.composite
def scaled_rules(draw: st.DrawFn) -> Case:
    """Draw constants of the rule after Theorem 3.5."""
    return Case(
        private_items(draw(st.integers(2, 8)), draw(log_uniform_positive(1e-2, 1))),
        n_sampled=draw(st.integers(1, 20)),
        failure_probability=draw(failures),
        dissimilarity_sum=draw(log_uniform_positive(1e-2, 100)),
        additive_error=draw(log_uniform_positive(1e-2, 1)),
    )


@st.composite
def long_enough(draw: st.DrawFn) -> Case:
    """Draw runs of steps 1/T that are at least as long as their error requires."""
    rounds = draw(st.integers(1, 10))
    instance = draw(st.one_of(clients(), st.builds(fresh_groups, st.integers(1, 3), st.just(rounds))))
    least = Fraction(instance.matroid.rank) ** 2 * max(instance.singletons()) / (2 * rounds)
    return Case(instance, n_rounds=rounds, additive_error=(least or 1) * draw(st.sampled_from([1, 1, 2])))
