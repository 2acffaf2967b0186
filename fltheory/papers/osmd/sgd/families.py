"""Hypothesis strategies for training with sampled clients, from which ``falsify`` draws."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from fltheory.model.case import Case
from fltheory.papers.osmd.instances.bounded_clients import (
    HuberClients,
    ProportionalClients,
    SlopeClients,
    TiltedClients,
)
from fltheory.papers.osmd.instances.training_parameters import TrainingParameters
from fltheory.papers.osmd.sgd.closed_forms.kinked import SampledKinks
from fltheory.papers.osmd.sgd.closed_forms.strongly_convex import SampledQuadratics
from fltheory.problems.strategies import log_uniform_counts, log_uniform_positive

floors = st.one_of(
    st.just(Fraction(1)), st.sampled_from([Fraction(9, 10), Fraction(1, 2), Fraction(2, 5), Fraction(1, 10)])
)
noises = st.one_of(st.just(Fraction(0)), log_uniform_positive(1e-2, 10))


@st.composite
def clients(
    draw: st.DrawFn,
    kinds: tuple[str, ...] = ("huber", "slope", "proportional", "tilted"),
    most: int = 3,
    noisy: bool = False,
) -> Any:
    """Draw clients with bounded gradients, at least two; ``noisy``: with noise not far below the gradients."""
    kind = draw(st.sampled_from(kinds))
    shared: dict[str, Any] = {"curvature": draw(log_uniform_positive(1e-2, 100)), "floor": draw(floors)}
    size = draw(st.integers(2, most))
    if kind == "slope":
        return SlopeClients(size, draw(log_uniform_positive(1e-6, 10)), draw(log_uniform_positive(1e-2, 1e6)), **shared)
    bend = draw(log_uniform_positive(1e-1, 10))
    steep = bend * shared["curvature"]  # the largest |f'|
    shared |= {
        "start": bend * draw(log_uniform_positive(1e-2, 10)),
        "bend": bend,
        "noise_std": steep * draw(log_uniform_positive(1e-1, 10) if noisy else noises),
    }
    if kind == "huber":
        return HuberClients(size, **shared)
    if kind == "proportional":
        return ProportionalClients(
            draw(st.lists(log_uniform_positive(1e-1, 10), min_size=size, max_size=size)), **shared
        )
    return TiltedClients((steep * draw(log_uniform_positive(1e-1, 10)),), size - 2, **shared)


@st.composite
def trainings(
    draw: st.DrawFn,
    /,
    max_rounds: int = 200,
    max_sampled: int = 10,
    on_slope: int = 10**9,
    step: bool = False,
    **options: Any,
) -> Case:
    """Draw a run of mini-batch SGD. ``on_slope``: rounds of runs on a slope at most; ``step``: also a step up to 1/L.

    Short runs are frequent, as they are enumerated. The bound of the gradients may be larger than necessary.
    """
    instance = draw(clients(**options))
    most = on_slope if isinstance(instance, SlopeClients) else max_rounds
    settings: dict[str, Any] = {
        "n_rounds": draw(st.one_of(st.integers(2, 3), log_uniform_counts(most)) if most > 3 else st.integers(2, most)),
        "n_sampled": draw(log_uniform_counts(max_sampled)),
        "batch_size": draw(st.integers(1, 3)),
    }
    looser = draw(st.one_of(st.just(Fraction(1)), st.just(Fraction(1)), log_uniform_positive(1, 1e4)))
    constants = Case(instance).constants
    by_name = {s.name: v for s, v in constants.items()}
    if looser > 1:
        settings["gradient_bound"] = by_name["gradient_bound"] * looser
    settings["variation_budget"] = draw(st.one_of(st.just(Fraction(0)), log_uniform_positive(1e-2, 10)))
    if step:
        settings["step_size"] = (
            draw(st.one_of(st.just(Fraction(1)), log_uniform_positive(1e-3, 1))) / by_name["smoothness"]
        )
    return Case(instance, **settings)


@st.composite
def quadratics(draw: st.DrawFn, max_sampled: int = 8, max_rounds: int = 6) -> Case:
    """Draw quadratic clients with a fixed sampling distribution, for (5)."""
    n = draw(st.integers(1, 3))
    digits = st.integers(-3, 3).map(Fraction)

    def list_of(values: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(values, min_size=n, max_size=n))

    centres, curvatures = list_of(digits), list_of(st.one_of(st.just(Fraction(1)), log_uniform_positive(1e-1, 10)))
    weights = list_of(st.one_of(st.just(Fraction(1)), log_uniform_positive(1e-1, 10)))
    sampled, rounds = draw(st.integers(1, max_sampled)), draw(st.integers(1, max_rounds))
    return Case(SampledQuadratics(centres, draw(digits), sampled, rounds, curvatures, weights))


@st.composite
def kinked(draw: st.DrawFn, max_sampled: int = 8, max_rounds: int = 6) -> Case:
    """Draw clients with common kinks near the start and a fixed sampling distribution, for (5)."""
    n = draw(st.integers(1, 2))
    sampled = draw(st.integers(1, max_sampled))
    rounds = draw(st.integers(1, max_rounds if n == 1 else min(max_rounds, 3)))
    kinks = []
    for _ in range(draw(st.integers(1, 3))):
        middle, width = draw(st.integers(-2, 2)), draw(log_uniform_positive(1e-3, 1))
        kinks.append((draw(log_uniform_positive(1e-1, 10)) / width, middle - width, middle + width))
    start = draw(
        st.one_of(st.sampled_from(kinks[0][1:]), st.integers(-3, 3).map(Fraction), log_uniform_positive(1e-6, 1))
    )
    same = st.just(Fraction(0)) if n == 1 else st.integers(-3, 3).map(Fraction)
    centres = draw(st.lists(same, min_size=n, max_size=n))
    return Case(SampledKinks(centres, start, sampled, rounds, draw(log_uniform_positive(1e-1, 10)), kinks=kinks))


def strongly_convex(max_sampled: int = 8, max_rounds: int = 6) -> Any:
    """Return a strategy for quadratic clients and clients with kinks, for (5)."""
    return st.one_of(kinked(max_sampled, max_rounds), quadratics(max_sampled, max_rounds))


@st.composite
def parameters(draw: st.DrawFn, /, **fixed: object) -> Case:
    """Draw constants for comparisons of rates, except the ``fixed`` ones."""
    bound, uniform, dynamic = (
        draw(log_uniform_positive(1e-2, 1e2)),
        draw(log_uniform_positive(1e-3, 1)),
        draw(log_uniform_positive(1e-3, 1)),
    )
    values: dict[str, Any] = {
        "n_clients": 1 + draw(log_uniform_counts(1000)),
        "n_sampled": draw(log_uniform_counts(1000)),
        "n_rounds": 10 ** draw(st.integers(0, 40)),
        "batch_size": draw(log_uniform_counts(100)),
        "probability_floor": draw(log_uniform_positive(1e-5, 1)),
        "variation_budget": draw(st.one_of(st.just(Fraction(0)), log_uniform_positive(1e-2, 1e4))),
        "smoothness": draw(log_uniform_positive(1e-3, 1e3)),
        "initial_gap": draw(log_uniform_positive(1e-3, 1e3)),
        "noise_std": draw(noises),
        "gradient_bound": bound,
        "heterogeneity": bound * uniform,
        "dynamic_heterogeneity": bound * uniform * draw(st.one_of(st.just(Fraction(0)), st.just(dynamic))),
    }
    return Case(TrainingParameters(**(values | fixed)))
