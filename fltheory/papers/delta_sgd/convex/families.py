"""Families of runs of rule (4): convex clients of every kind, with all sizes of steps and ratios."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal

from hypothesis import strategies as st

from fltheory.model.case import Case
from fltheory.model.schema import AsTable
from fltheory.number import Number
from fltheory.papers.delta_sgd.convex.cases import case_of_run, federation
from fltheory.problems.convex import Convex, ConvexClients, Huber, LogCosh, Quadratic, Quartic
from fltheory.problems.strategies import log_uniform_positive

Centres = Literal["common", "apart"]
DIGITS = st.integers(-4, 4).map(lambda k: Fraction(k, 2))


@st.composite
def quadratics(draw: st.DrawFn, dim: int, centre: tuple[Fraction, ...], scale: Fraction) -> Quadratic:
    """Draw a sum of one or two squares of linear forms, so that flat directions are common."""
    h = [[Fraction(0)] * dim for _ in range(dim)]
    for _ in range(draw(st.integers(1, 2))):
        a = draw(st.lists(st.integers(-3, 3), min_size=dim, max_size=dim).filter(any))
        w = scale * draw(log_uniform_positive(1e-2, 10))
        h = [[h[i][j] + w * a[i] * a[j] for j in range(dim)] for i in range(dim)]
    return Quadratic(h, centre)


@st.composite
def objectives(draw: st.DrawFn, dim: int, centre: tuple[Fraction, ...], scale: Fraction, smooth: bool) -> Convex:
    """Draw any of the functions, with minimum at the centre; that of log-cosh is at 0."""
    kind = draw(st.sampled_from(["quadratic", "quadratic", "huber", "huber", "log-cosh", "quartic"]))
    if kind == "quartic" and not smooth:
        return Quartic([scale * draw(log_uniform_positive(1e-1, 10)) for _ in range(dim)], centre)
    if kind == "log-cosh" and not any(centre):
        rows = draw(st.lists(st.lists(DIGITS, min_size=dim, max_size=dim), min_size=1, max_size=3))
        return LogCosh(rows, draw(st.sampled_from([Fraction(0), scale])))
    if kind == "huber":
        curvatures = [scale * draw(log_uniform_positive(1e-2, 10)) for _ in range(dim)]
        return Huber(curvatures, [draw(log_uniform_positive(1e-2, 10)) for _ in range(dim)], centre)
    return draw(quadratics(dim, centre, scale))


@st.composite
def clients(
    draw: st.DrawFn,
    least: int = 1,
    most: int = 3,
    max_dim: int = 2,
    centres: Centres = "common",
    smooth: bool = False,
    steep: float = 1e2,
) -> ConvexClients:
    """Draw clients with a common minimiser, or quadratics with their own; curvatures differ by up to ``steep``."""
    n, dim = draw(st.integers(least, most)), draw(st.integers(1, max_dim))
    start = tuple(
        draw(st.lists(st.integers(-8, 8).map(lambda k: Fraction(k, 4)), min_size=dim, max_size=dim).filter(any))
    )
    found = []
    for _ in range(n):
        scale = draw(log_uniform_positive(1 / steep, steep))
        centre = tuple(draw(DIGITS) for _ in range(dim)) if centres == "apart" else (Fraction(0),) * dim
        found.append(
            draw(quadratics(dim, centre, scale) if centres == "apart" else objectives(dim, centre, scale, smooth))
        )
    return ConvexClients(tuple(found), start)


@st.composite
def runs(
    draw: st.DrawFn,
    least: int = 1,
    most: int = 3,
    centres: Centres = "common",
    amplifiers: tuple[Any, ...] = (1,),
    dampings: tuple[Any, ...] = (1,),
    first: str = "any",
    ratios: float = 1e4,
    rounds: int = 8,
    smooth: bool = False,
    any_point: bool = False,
    paces: bool = False,
    max_dim: int = 2,
    steep: float = 1e2,
) -> Case:
    """Draw a run of rule (4); ``first``: "any" initial step size, "unit" or "small"; ``any_point``: any comparator."""
    instance = draw(clients(least, most, max_dim, centres, smooth, steep))
    more: dict[str, Any] = {}
    if any_point and draw(st.booleans()):
        more["compare"] = [draw(DIGITS) * 2 for _ in range(instance.dim)]
    if paces:
        more["pace"] = [draw(log_uniform_positive(1e-1, 10)) for _ in range(instance.n_clients)]
    if more:
        instance = ConvexClients(instance.objectives, instance.start, **more)
    eta = {
        "any": log_uniform_positive(1e-3, 1e2),
        "unit": st.just(Fraction(1)),
        "small": log_uniform_positive(1e-4, 1),
    }[first]
    ratio = draw(st.one_of(st.just(Fraction(1)), st.just(Fraction(3)), log_uniform_positive(1e-1, ratios)))
    settings = {"amplifier": draw(st.sampled_from(amplifiers)), "growth_damping": draw(st.sampled_from(dampings))}
    return case_of_run(instance, draw(st.integers(1, rounds)), draw(eta), ratio, **settings)


@st.composite
def federations(draw: st.DrawFn, most: int = 1) -> Case:
    """Draw a few rounds on the line with full gradients, at most ``most`` local steps, and rational sqrt(1 + δ θ_0)."""
    n = draw(st.integers(1, 3))
    root = draw(st.sampled_from((Fraction(3, 2), Fraction(2), Fraction(3))))
    return federation(
        [draw(log_uniform_positive(1e-1, 10)) for _ in range(n)],
        [draw(DIGITS) for _ in range(n)],
        draw(DIGITS),
        initial_step_size=draw(log_uniform_positive(1e-2, 1)),
        initial_ratio=root**2 - 1,
        n_local_steps=draw(st.integers(1, most)),
        n_participating=draw(st.integers(1, n)),
    )


@st.composite
def long_runs(draw: st.DrawFn) -> Case:
    """Draw quadratics on the line with their own centres, for long runs."""
    n = draw(st.integers(2, 3))
    found = [Quadratic(((draw(log_uniform_positive(1e-1, 10)),),), (draw(st.integers(-2, 2)),)) for _ in range(n)]
    return case_of_run(
        ConvexClients(tuple(found), (draw(st.integers(-2, 2)),)),
        draw(st.sampled_from([20, 50, 100])),
        draw(log_uniform_positive(1e-1, 1)),
    )


@st.composite
def hubers(draw: st.DrawFn, amplifier: Number = 2) -> Case:
    """Draw one client with a Huber function that starts far out, on its linear part."""
    eta, curvature = draw(log_uniform_positive(1e-1, 1e3)), draw(log_uniform_positive(1e-1, 10))
    start = draw(log_uniform_positive(1, 1e3)) + draw(st.integers(0, 20)) * Fraction(1, 20)
    return case_of_run(
        ConvexClients((Huber((curvature,), (1,), (0,)),), (start,)),
        draw(st.integers(2, 6)),
        eta,
        draw(log_uniform_positive(1, 100)),
        amplifier,
    )


@st.composite
def leaning(draw: st.DrawFn, ratios: Sequence[Number | None] | None = None) -> Case:
    """Draw two quadratics in the plane with one minimiser: one flat in a direction, or any Hessians; first step 1."""
    steep = draw(log_uniform_positive(1, 1e8))
    lean = draw(st.fractions(Fraction(1, 100), Fraction(1, 2), max_denominator=1000))
    if draw(st.booleans()):
        one: AsTable = ((steep,), (0, 0))
        two: AsTable = ((steep,), (-2 * lean * steep, steep))
        start: tuple[int | Fraction, ...] = (lean, 1)
    else:
        a, b = (draw(st.lists(st.integers(-3, 3), min_size=2, max_size=2).filter(any)) for _ in range(2))
        w = steep * draw(log_uniform_positive(1e-3, 1))
        one = ((steep * a[0] ** 2,), (steep * a[0] * a[1], steep * a[1] ** 2))
        two = ((steep * b[0] ** 2 + w,), (steep * b[0] * b[1], steep * b[1] ** 2 + w))
        start = tuple(draw(st.lists(st.integers(-4, 4), min_size=2, max_size=2).filter(any)))
    ratio = draw(st.sampled_from(ratios) if ratios else log_uniform_positive(1, 1e4))
    instance = ConvexClients((Quadratic(one, (0, 0)), Quadratic(two, (0, 0))), start)
    return case_of_run(instance, draw(st.integers(1, 4)), 1, ratio)


@st.composite
def apart_runs(draw: st.DrawFn) -> Case:
    """Draw quadratics in the plane with one minimiser, flat in some directions, for several rounds."""
    found = [
        draw(quadratics(2, (Fraction(0),) * 2, draw(log_uniform_positive(1e-1, 10))))
        for _ in range(draw(st.integers(2, 3)))
    ]
    instance = ConvexClients(tuple(found), draw(st.tuples(*[st.integers(1, 3)] * 2)))
    return case_of_run(instance, draw(st.sampled_from([10, 40, 100])), 1)


@st.composite
def uncapped(draw: st.DrawFn) -> Case:
    """Draw one client whose first step has no cap."""
    instance, damping = draw(clients(most=1)), draw(st.sampled_from(["1/10", 1]))
    eta, gamma = draw(log_uniform_positive(1e-4, 10)), draw(st.sampled_from(["1/2", 1]))
    return case_of_run(instance, draw(st.integers(1, 8)), eta, None, gamma, growth_damping=damping)


@st.composite
def short_runs(draw: st.DrawFn) -> Case:
    """Draw clients with one minimiser, nearly isotropic but with very different curvatures."""
    n, dim = draw(st.integers(1, 4)), draw(st.integers(1, 2))
    found: list[Convex] = []
    for _ in range(n):
        h = draw(log_uniform_positive(1e-6, 1e6))
        if draw(st.integers(0, 3)) == 0:
            found.append(Huber([h] * dim, [draw(log_uniform_positive(1e-2, 10))] * dim, (0,) * dim))
        else:
            lean = draw(st.integers(-1, 1)) * Fraction(1, 5) * h
            found.append(Quadratic(((h,),) if dim == 1 else ((h,), (lean, h)), (0,) * dim))
    start = draw(st.lists(st.integers(-8, 8).map(lambda k: Fraction(k, 4)), min_size=dim, max_size=dim).filter(any))
    return case_of_run(
        ConvexClients(tuple(found), start),
        draw(st.integers(1, 8)),
        draw(log_uniform_positive(1e-4, 1e2)),
        draw(log_uniform_positive(1e-1, 1e4)),
        draw(st.sampled_from(["1/2", 1, 2])),
        growth_damping=draw(st.sampled_from([0, "1/10", 1])),
    )


@st.composite
def alike_runs(draw: st.DrawFn) -> Case:
    """Draw copies of one client, or lines of one curvature with their own centres."""
    n = draw(st.integers(2, 4))
    h = draw(log_uniform_positive(1e-6, 1e6))
    lines = tuple(Quadratic(((h,),), (draw(st.integers(-2, 2)),)) for _ in range(n))
    same = draw(clients(most=1, steep=1e4))
    instance = ConvexClients(lines, 5) if draw(st.booleans()) else ConvexClients(same.objectives * n, same.start)
    return case_of_run(
        instance,
        draw(st.integers(1, 8)),
        draw(log_uniform_positive(1e-4, 1e2)),
        draw(log_uniform_positive(1e-1, 1e4)),
        draw(st.sampled_from(["1/2", 1])),
        growth_damping=draw(st.sampled_from([0, "1/10", 1])),
    )


@st.composite
def ridges(draw: st.DrawFn) -> Case:
    """Draw two ridges that lean to opposite sides, with a first step of 30 to 70 times their width, in a long run."""
    steep, n = draw(st.integers(300, 3000)), draw(st.integers(200, 400))
    start = Fraction(1, draw(st.sampled_from([10**4, 10**5, 10**6])))
    lean = draw(st.integers(30, 70)) / (steep**2 * start)
    instance = ConvexClients(tuple(LogCosh(((steep, v),)) for v in (lean, -lean)), (0, start))
    return case_of_run(instance, n, 1)
