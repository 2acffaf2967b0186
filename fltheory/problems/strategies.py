"""Hypothesis strategies for instances and free constants, from which ``falsify`` draws.

Numbers are short rationals on a logarithmic scale, so that counterexamples are readable and shrink well.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from fltheory import symbols
from fltheory.model.case import Case
from fltheory.number import Number, exact, symbolic
from fltheory.problems.cosine import CosineClients
from fltheory.problems.dense import DenseQuadraticClients
from fltheory.problems.finite_sum import FiniteSumQuadraticClients
from fltheory.problems.interpolated import InterpolatedClients
from fltheory.problems.interpolated.constructed import hull_clients, maximum_clients, spline_with_minimiser
from fltheory.problems.interpolated.piecewise import PiecewiseLinearClients
from fltheory.problems.interpolated.splines import SplineClients
from fltheory.problems.separable import QuadraticClients


def log_uniform_positive(low: float = 1e-3, high: float = 1e3) -> st.SearchStrategy[Fraction]:
    """m * 10^e in [low, high] with a digit m: roughly uniform on a logarithmic scale."""
    import math

    lowest, highest = math.floor(math.log10(low)), math.ceil(math.log10(high))
    exponents = st.integers(0, highest - lowest).map(lambda k: _zigzag(k, lowest, highest))
    return st.builds(lambda m, e: Fraction(m) * Fraction(10) ** e, st.sampled_from([1, 2, 5, 3, 7]), exponents).filter(
        lambda v: low <= v <= high
    )


def _zigzag(k: int, lowest: int, highest: int) -> int:
    """Return exponents 0, -1, 1, -2, ... clipped to the range, so that small numbers shrink towards 1."""
    order = sorted(range(lowest, highest + 1), key=lambda e: (abs(e), e))
    return order[k]


def log_uniform_counts(high: int) -> st.SearchStrategy[int]:
    """Positive integers up to ``high``, roughly uniform on a logarithmic scale."""
    import math

    top = math.floor(math.log10(high))
    return st.builds(lambda m, e: min(m * 10**e, high), st.integers(1, 9), st.integers(0, top))


@st.composite
def quadratic_clients(
    draw: st.DrawFn,
    max_clients: int = 4,
    max_dim: int = 2,
    curved: bool = False,
    noise: bool = True,
    equal: bool | None = None,
    centred: bool = False,
    max_slope: float = 10,
) -> QuadraticClients:
    """Quadratic clients with free curvatures, slopes, start and noise; ``curved``: every curvature positive.

    ``centred``: slopes of mean zero, so that the minimiser is 0 (a mere shift of the origin where F is curved).
    """
    n, dim = draw(st.integers(1, max_clients)), draw(st.integers(1, max_dim))
    curvature = (
        log_uniform_positive(1e-3, 1) if curved else st.one_of(log_uniform_positive(1e-3, 1), st.just(Fraction(0)))
    )
    same = draw(st.booleans()) if equal is None else equal
    row = st.lists(curvature, min_size=dim, max_size=dim)
    shared = draw(row) if same else None
    curvatures = [shared if shared is not None else draw(row) for _ in range(n)]
    for i in range(dim):
        if all(c[i] == 0 for c in curvatures):
            curvatures = [[*c[:i], Fraction(1), *c[i + 1 :]] for c in curvatures]
    scale = draw(st.one_of(st.just(Fraction(0)), log_uniform_positive(1e-3, max_slope)))
    slopes = [[scale * draw(st.integers(-2, 2)) for _ in range(dim)] for _ in range(n)]
    if centred:
        means = [sum(column) / n for column in zip(*slopes, strict=True)]
        slopes = [[v - own for v, own in zip(row, means, strict=True)] for row in slopes]
    start = [draw(st.one_of(st.just(Fraction(1)), st.integers(-3, 3).map(Fraction))) for _ in range(dim)]
    std = draw(st.one_of(st.just(Fraction(0)), log_uniform_positive(1e-3, 10))) if noise else Fraction(0)
    return QuadraticClients(curvatures, slopes, start, noise_std=std)


@st.composite
def federated_runs(
    draw: st.DrawFn,
    instances: st.SearchStrategy[Any],
    max_rounds: int = 10_000,
    max_local_steps: int = 5,
    steps_in_round: str = "sequential",
    participation: bool = False,
    server: bool = False,
    step: bool = True,
) -> Case:
    """A case of a federated run: an instance and rounds, local steps, step size (relative to 1/smoothness)."""
    instance = draw(instances)
    settings: dict[str, Any] = {
        "n_rounds": draw(log_uniform_counts(max_rounds)),
        "n_local_steps": draw(st.integers(1, max_local_steps)),
    }
    taking_part = instance.n_clients
    if participation:
        taking_part = settings["n_participating"] = draw(st.integers(1, instance.n_clients))
    if server:
        settings["server_step_size"] = draw(st.sampled_from([Fraction(1), Fraction(3, 2), Fraction(2), Fraction(5)]))
    if step:
        relative = draw(
            st.one_of(
                log_uniform_positive(1e-5, 1), st.sampled_from([Fraction(1, 6), Fraction(1, 12), Fraction(1, 60)])
            )
        )
        factor = settings["n_local_steps"] * (taking_part if steps_in_round == "sequential" else 1)
        smoothness = symbolic(instance.constants[symbols.smoothness])
        server_step = symbolic(settings.get("server_step_size", 1))
        settings["step_size"] = exact(symbolic(relative) / (smoothness * factor * server_step))
    return Case(instance, **settings)


@st.composite
def dense_clients(
    draw: st.DrawFn, max_clients: int = 3, max_dim: int = 2, curved: bool = False
) -> DenseQuadraticClients:
    """Quadratic clients with rotated Hessians."""
    n, dim = draw(st.integers(1, max_clients)), draw(st.integers(2, max_dim))
    curvature = (
        log_uniform_positive(1e-3, 1) if curved else st.one_of(log_uniform_positive(1e-3, 1), st.just(Fraction(0)))
    )
    same = draw(st.booleans())
    spectra = [[draw(curvature) for _ in range(dim - 1)] + [Fraction(1)] for _ in range(1 if same else n)]
    vectors = st.lists(st.integers(-3, 3), min_size=dim, max_size=dim).filter(any)
    rotations = [draw(st.lists(vectors, max_size=2)) for _ in range(1 if same else n)]
    scale = draw(st.one_of(st.just(Fraction(0)), log_uniform_positive(1e-3, 10)))
    slopes = [[scale * draw(st.integers(-2, 2)) for _ in range(dim)] for _ in range(n)]
    if any(0 in spectrum for spectrum in spectra):  # a flat direction: keep the mean slope in the range of the Hessian
        slopes = [
            [a - sum(column) / n for a, column in zip(row, zip(*slopes, strict=True), strict=True)] for row in slopes
        ]
    start = draw(st.lists(st.integers(-3, 3), min_size=dim, max_size=dim))
    std = draw(st.one_of(st.just(Fraction(0)), log_uniform_positive(1e-3, 10)))
    share = n if same else 1
    return DenseQuadraticClients(spectra * share, slopes, start, reflections=rotations * share, noise_std=std)


@st.composite
def finite_sum_clients(
    draw: st.DrawFn, max_clients: int = 3, max_components: int = 4, curved: bool = False
) -> FiniteSumQuadraticClients:
    """Clients with finite data in one coordinate, components sharing their curvature, and minibatches."""
    n = draw(st.integers(1, max_clients))
    curvature = (
        log_uniform_positive(1e-3, 1) if curved else st.one_of(log_uniform_positive(1e-3, 1), st.just(Fraction(0)))
    )
    curvatures = [*(draw(curvature) for _ in range(n - 1)), Fraction(1)]
    scale = draw(log_uniform_positive(1e-3, 10))
    values = st.integers(-3, 3).map(lambda k: scale * k)
    slopes = [draw(st.lists(values, min_size=1, max_size=max_components)) for _ in range(n)]
    return FiniteSumQuadraticClients(curvatures, slopes, draw(st.integers(-3, 3)), batch_size=draw(st.integers(1, 3)))


@st.composite
def cosine_clients(draw: st.DrawFn, max_pairs: int = 2, noise: bool = True) -> CosineClients:
    """The non-convex family (1 + c tau_m)(1 - cos x) + zeta tau_m x with balanced signs tau."""
    spread = draw(st.sampled_from([Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(2)]))
    slope = draw(st.one_of(st.just(Fraction(0)), log_uniform_positive(1e-2, 10)))
    std = draw(st.one_of(st.just(Fraction(0)), log_uniform_positive(1e-2, 1))) if noise else Fraction(0)
    start = draw(st.integers(-30, 30)) * Fraction(1, 10)
    return CosineClients.balanced(2 * draw(st.integers(1, max_pairs)), spread, slope, start, noise_std=std)


@st.composite
def spline_clients(
    draw: st.DrawFn, low: Number = 0, high: Number = 1, max_pieces: int = 6, max_clients: int = 1
) -> SplineClients:
    """Convex functions of one coordinate with up to ``max_pieces`` curvatures in [low, high], high among them.

    Curvatures are the ends or a quarter, half or three quarters of the way; knots, minimiser and start are integers.
    Several clients pull apart at the minimiser, or not.
    """
    small = st.integers(-9, 9)
    between = st.sampled_from([low + Fraction(i, 4) * (high - low) for i in (1, 2, 3)])
    n = draw(st.integers(1, max_clients))
    curvatures, knots = [], []
    for _ in range(n):
        own = draw(st.lists(st.one_of(st.sampled_from([high, low]), between), min_size=1, max_size=max_pieces))
        curvatures.append(own if high in own else [*own[:-1], high])
        kinks = len(own) - 1
        knots.append(sorted(draw(st.lists(small, min_size=kinks, max_size=kinks, unique=True))))
    pulls = [Fraction(draw(small)) for _ in range(n)]
    balanced = [v - sum(pulls) / n for v in pulls]
    return spline_with_minimiser(curvatures, knots, draw(small), draw(small), balanced)


def _places(max_points: int, max_dim: int) -> st.SearchStrategy[list[tuple[int, ...]]]:
    """Different points with small integer coordinates."""
    return st.integers(1, max_dim).flatmap(
        lambda d: st.lists(st.tuples(*[st.integers(-4, 4)] * d), min_size=1, max_size=max_points, unique=True)
    )


@st.composite
def interpolated_clients(
    draw: st.DrawFn, low: Number = 0, high: Number = 1, max_points: int = 4, max_dim: int = 2
) -> InterpolatedClients:
    """One client with any function of curvatures from ``low`` to ``high``, least at 0, by its data at a few points."""
    centres = draw(_places(max_points, max_dim))
    heights = [draw(st.integers(0, 8)) for _ in centres]
    point = st.tuples(*[st.integers(-4, 4)] * len(centres[0]))
    return hull_clients(
        centres, heights, draw(st.lists(point, min_size=1, max_size=max_points)), draw(point), high, low
    )


@st.composite
def lipschitz_clients(
    draw: st.DrawFn, limit: Number = 1, max_points: int = 4, max_dim: int = 2
) -> PiecewiseLinearClients:
    """One client with a convex function of subgradients of length ``limit`` at most, least at 0."""
    directions = draw(_places(max_points, max_dim))
    longest = max(1, *(sum(map(abs, g)) for g in directions))
    slopes = [[Fraction(v) * limit / longest for v in g] for g in directions]
    drops = [draw(st.integers(0, 4)) * Fraction(limit) / 4 for _ in slopes]
    point = st.tuples(*[st.integers(-4, 4)] * len(directions[0]))
    return maximum_clients(slopes, drops, draw(st.lists(point, min_size=1, max_size=max_points)), draw(point))
