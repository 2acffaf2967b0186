"""Hypothesis strategies for FedAvg with sampled clients, from which ``falsify`` draws."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from fltheory.model.case import Case
from fltheory.papers.osmd.fedavg.closed_forms.local_steps import OneClientRound, QuadraticRound
from fltheory.papers.osmd.instances.bounded_clients import ProportionalClients, TiltedClients
from fltheory.papers.osmd.sgd import families as strategies_sgd
from fltheory.problems.strategies import log_uniform_counts, log_uniform_positive

_signed = st.one_of(st.integers(-2, 2).map(Fraction), st.builds(Fraction, st.integers(-9, 9), st.integers(1, 5)))
_noises = st.one_of(st.just(Fraction(0)), log_uniform_positive(1e-2, 10))


_long = st.integers(1, 10).map(lambda k: 1000 * k)


@st.composite
def local_rounds(
    draw: st.DrawFn, clients: int = 4, most: int = 60, linear: bool = False, still: bool = False, moving: bool = False
) -> Case:
    """Draw local steps of quadratic clients. ``still``: tiny steps; ``moving``: a nonzero gradient."""
    n = draw(st.integers(1, clients))
    curvatures = [Fraction(0) if linear else draw(_signed) for _ in range(n)]
    gradients = [draw(_signed.filter(bool) if moving else _signed) for _ in range(n)]
    instance = QuadraticRound(tuple(curvatures), tuple(gradients), draw(_noises))
    steps = draw(log_uniform_counts(most))
    share = draw(log_uniform_positive(1e-6, 1e-3) if still else log_uniform_positive(1e-3, 1))
    step = share * Fraction(7, 10) / (steps * Fraction(instance.smoothness))
    return Case(instance, n_local_steps=steps, step_size=step, local_step=draw(st.integers(0, steps)))


@st.composite
def one_client(draw: st.DrawFn) -> Case:
    """Draw local steps of one quadratic client with known I_2."""
    steps, curvature = draw(st.integers(1, 8)), draw(_signed)
    step = draw(log_uniform_positive(1e-2, 1)) / (steps * max(abs(curvature), Fraction(1)))
    return Case(OneClientRound(curvature, draw(_signed), draw(_noises), None, step, steps))


@st.composite
def _many(draw: st.DrawFn) -> Any:
    """Draw up to thousands of clients on any scale, a few of them tilted."""
    bend = draw(log_uniform_positive(1e-2, 10))
    tilts = [bend * draw(log_uniform_positive(10, 1e4)) for _ in range(draw(st.integers(1, 2)))]
    start, floor = bend * draw(log_uniform_positive(1e-2, 1)), draw(log_uniform_positive(1e-2, 1))
    level = draw(st.one_of(log_uniform_counts(4000), _long))
    clients = TiltedClients(tilts, level, start, bend, 1, floor, draw(_noises) * (draw(st.integers(0, 3)) == 3))
    return clients.rescaled(Fraction(10) ** draw(st.integers(0, 30)), 1)


@st.composite
def _few(draw: st.DrawFn) -> Any:
    """Draw two or three clients with bounded gradients and noise."""
    floor = draw(st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(2, 5), Fraction(1, 10)]))
    shared: dict[str, Any] = {
        "start": draw(log_uniform_positive(1e-2, 10)),
        "bend": draw(log_uniform_positive(1e-1, 10)),
        "noise_std": draw(_noises),
        "curvature": draw(log_uniform_positive(1e-2, 100)),
        "floor": floor,
    }
    if draw(st.booleans()):
        return ProportionalClients(draw(st.lists(log_uniform_positive(1e-1, 10), min_size=2, max_size=3)), **shared)
    return TiltedClients((draw(log_uniform_positive(1e-1, 10)),), draw(st.integers(0, 1)), **shared)


@st.composite
def trainings(
    draw: st.DrawFn, step: bool = False, sparse: bool | None = False, looser: int = 10**4, least: int = 1
) -> Case:
    """Draw a FedAvg run. ``step``: also a step up to the cap; ``sparse``: long runs of many clients (None: sometimes).

    Short runs are frequent, as they are enumerated. The bound of the gradients may be larger than necessary.
    """
    many = draw(st.integers(0, 3)) == 3 if sparse is None else sparse
    instance = draw(_many() if many else _few())
    by_name = {s.name: v for s, v in Case(instance).constants.items()}
    settings: dict[str, Any] = {
        "n_rounds": draw(_long if many else st.one_of(st.integers(1, 3), log_uniform_counts(150))),
        "n_sampled": 1 if many else draw(st.integers(1, 4)),
        "n_local_steps": 1 if many else draw(st.integers(1, 3)),
        "server_step_size": draw(st.one_of(st.just(1), log_uniform_positive(1, 10))),
        "variation_budget": draw(st.one_of(st.just(Fraction(0)), log_uniform_positive(1e-2, 10))),
    }
    factor = draw(
        log_uniform_positive(least, max(looser, 10**8))
        if many
        else st.one_of(st.just(Fraction(1)), log_uniform_positive(1, looser))
    )
    if factor > 1:
        settings["gradient_bound"] = by_name["gradient_bound"] * factor
    if step:
        small = min(Fraction(1, 8), 1 / (4 * (2 + 1 / Fraction(instance.floor))))  # below the root of the cap
        most = small / (settings["n_local_steps"] * by_name["smoothness"] * settings["server_step_size"])
        settings["step_size"] = draw(st.one_of(st.just(Fraction(1)), log_uniform_positive(1e-3, 1))) * most
    return Case(instance, **settings)


@st.composite
def parameters(draw: st.DrawFn, /, **fixed: object) -> Case:
    """Draw constants for comparisons of rates, except the ``fixed`` ones."""
    return draw(strategies_sgd.parameters(n_local_steps=draw(log_uniform_counts(100)), **fixed))
