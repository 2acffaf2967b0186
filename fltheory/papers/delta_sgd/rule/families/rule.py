"""Families of local runs of the step-size rule: convex clients, first steps and ratios, amplifiers, growth."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from fltheory.model.case import Case
from fltheory.papers.delta_sgd.rule.cases import InOtherUnits
from fltheory.problems.convex import Convex, ConvexClients, Huber, LogCosh, Quadratic, Quartic
from fltheory.problems.finite_sum import FiniteSumQuadraticClients
from fltheory.problems.separable import QuadraticClients
from fltheory.problems.strategies import log_uniform_positive

_size = log_uniform_positive(1e-1, 100)
_number = st.one_of(st.integers(-3, 3).map(Fraction), st.builds(Fraction, st.integers(-9, 9), st.integers(1, 4)))
_damping = st.sampled_from([Fraction(v) for v in (1, "1/10", 0, "1/2", "1/100")])
_wilder = st.one_of(_damping, log_uniform_positive(1e-1, 10))
_amplifier = st.sampled_from([Fraction(v) for v in (1, 2, "1/2", "7/5", 3)])
_step = log_uniform_positive(1e-3, 10)
_ratio = st.one_of(st.just(Fraction(1)), log_uniform_positive(1e-2, 100))


def settings(draw: st.DrawFn, damped: bool = False, amplified: bool = True) -> dict[str, Any]:
    """Draw all constants that line 9 reads."""
    return {
        "n_rounds": draw(st.integers(1, 6)),
        "initial_step_size": draw(_step),
        "initial_ratio": draw(_ratio),
        "amplifier": draw(_amplifier) if amplified else 1,
        "growth_damping": draw(_damping if damped else _wilder),
    }


@st.composite
def objectives(draw: st.DrawFn, dim: int, kinds: tuple[str, ...]) -> Convex:
    """Draw a convex function with minimum at 0."""
    kind = draw(st.sampled_from(kinds))
    centre = [0] * dim
    if kind == "quadratic":
        diagonal = [draw(_size) for _ in range(dim)]
        hessian = [[diagonal[i] if i == j else Fraction(0) for j in range(dim)] for i in range(dim)]
        if dim == 2 and draw(st.booleans()):
            hessian[0][1] = hessian[1][0] = min(diagonal) * draw(st.sampled_from([Fraction(1, 2), Fraction(-3, 4)]))
        return Quadratic(hessian, centre)
    if kind == "huber":
        return Huber([draw(_size) for _ in range(dim)], [draw(_size) for _ in range(dim)], centre)
    if kind == "quartic":
        return Quartic([draw(_size) for _ in range(dim)], centre)
    features = [[draw(st.integers(-2, 2)) for _ in range(dim)] for _ in range(draw(st.integers(1, 2)))]
    return LogCosh([[1] * dim, *features], draw(st.sampled_from([Fraction(0), Fraction(1, 10)])))


@st.composite
def convex_clients(
    draw: st.DrawFn, kinds: tuple[str, ...], alone: bool = False, dim: int | None = None
) -> ConvexClients:
    """Draw clients with the common minimiser 0."""
    dim = draw(st.integers(1, 2)) if dim is None else dim
    n = 1 if alone else draw(st.integers(1, 2))
    start = [draw(_number) for _ in range(dim)]
    return ConvexClients(
        tuple(draw(objectives(dim, kinds)) for _ in range(n)), start if any(start) else [Fraction(1)] * dim
    )


@st.composite
def local_runs(
    draw: st.DrawFn,
    smooth: bool = False,
    curved: bool = False,
    damped: bool = False,
    amplified: bool = True,
    alone: bool = False,
    large: bool = False,
) -> Case:
    """Draw any local run; ``large``: with first steps that the first entry reduces."""
    kinds = (
        *(("quadratic", "log cosh") if curved else ("quadratic", "huber", "log cosh")),
        *(() if smooth else ("quartic",)),
    )
    found = settings(draw, damped, amplified)
    if large:
        found["initial_step_size"] = draw(log_uniform_positive(1e-1, 100))
    return Case(draw(convex_clients(kinds, alone)), **found)


@st.composite
def flat_runs(draw: st.DrawFn) -> Case:
    """Draw Huber functions, far from their kinks."""
    dim = draw(st.integers(1, 2))
    curvatures, thresholds = ([draw(_size) for _ in range(dim)] for _ in range(2))
    start = [draw(st.sampled_from([-1, 1])) * 10**6 * t for t in thresholds]
    found = settings(draw)
    found["initial_step_size"] /= max(curvatures)
    return Case(ConvexClients((Huber(curvatures, thresholds, [0] * dim),), start), **found)


@st.composite
def far_runs(draw: st.DrawFn) -> Case:
    """Draw Huber and log-cosh functions from anywhere, with more steps."""
    found = settings(draw)
    found["n_rounds"] = draw(st.integers(1, 25))
    found["growth_damping"] = draw(_damping)
    if draw(st.booleans()):
        instance = ConvexClients((Huber((draw(_size),), (draw(_size),), (0,)),), draw(log_uniform_positive(1, 1e8)))
    else:
        instance = ConvexClients((LogCosh(((1,),), 0),), draw(log_uniform_positive(1, 100)))
    return Case(instance, **found)


@st.composite
def noisy_runs(draw: st.DrawFn) -> Case:
    """Draw one client's local run in all outcomes: noise of one size, or two mini-batches with their own curvatures."""
    found = settings(draw)
    found["n_rounds"] = 1
    if draw(st.booleans()):
        instance: QuadraticClients | FiniteSumQuadraticClients = QuadraticClients(
            (draw(_size),), (0,), draw(_number), noise_std=draw(log_uniform_positive(1e-1, 100))
        )
        steps = draw(st.integers(2, 3))
    else:
        parts = [[draw(_size) for _ in range(2)], [draw(_number) for _ in range(2)]]
        instance = FiniteSumQuadraticClients((parts[0],), (parts[1],), draw(_number))
        steps = 2
    return Case(instance, **{**found, "n_local_steps": steps})


@st.composite
def isotropic_runs(draw: st.DrawFn) -> Case:
    """Draw one client with an isotropic quadratic."""
    dim, size = draw(st.integers(1, 3)), draw(_size)
    hessian = [[size if i == j else 0 for j in range(dim)] for i in range(dim)]
    centre = [draw(_number) for _ in range(dim)]
    return Case(ConvexClients((Quadratic(hessian, centre),), [v + draw(_size) for v in centre]), **settings(draw))


_turns = st.sampled_from(
    [((1, 0), (0, 1)), ((0, 1), (-1, 0)), (("3/5", "4/5"), ("-4/5", "3/5")), (("5/13", "12/13"), ("12/13", "-5/13"))]
)


@st.composite
def other_units(draw: st.DrawFn) -> Case:
    """Draw local runs and the same in other units and axes."""
    kinds, n = draw(st.sampled_from([(("quadratic",), 2), (("huber", "quartic", "quadratic"), 1), (("log cosh",), 2)]))
    curved = kinds == ("log cosh",)
    clients = draw(convex_clients(kinds, dim=n))
    turn = draw(_turns) if n == 2 else ((draw(st.sampled_from([1])),),)
    shift = [Fraction(0) if curved else draw(_number) for _ in range(n)]
    objective = Fraction(1) if curved else draw(_size)
    return Case(InOtherUnits(clients, objective, draw(_size), turn, shift), **settings(draw))
