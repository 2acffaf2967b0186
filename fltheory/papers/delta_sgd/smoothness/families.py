"""Families for the lemmas on smoothness: vectors, gradients, functions with points."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from fltheory.model.case import Case
from fltheory.papers.delta_sgd.instances.lemmas import (
    Between,
    Curve,
    Gradients,
    LogCosh,
    OnInterval,
    Pieces,
    Quartic,
    Ridges,
    SharedPair,
    huber,
)
from fltheory.problems.strategies import log_uniform_positive

small = st.one_of(st.integers(-3, 3).map(Fraction), st.builds(Fraction, st.integers(-5, 5), st.integers(1, 4)))


def rows(n: int, dim: int) -> st.SearchStrategy[list[list[Fraction]]]:
    """Draw n vectors."""
    return st.lists(st.lists(small, min_size=dim, max_size=dim), min_size=n, max_size=n)


@st.composite
def gradients(draw: st.DrawFn) -> Case:
    """Draw clients' gradients at a point, with weights: of any size, or near their mean."""
    n, dim = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    found = draw(rows(n, dim))
    if draw(st.booleans()):  # near a common vector
        found = [[1 + v / 10 for v in g] for g in found]
    if not any(map(sum, zip(*found, strict=True))):
        found = [[v + 1 for v in g] for g in found]
        found = found if any(map(sum, zip(*found, strict=True))) else [[Fraction(1)] * dim] * n
    weights = draw(st.lists(st.sampled_from([0, 1, 2, 10]), min_size=n, max_size=n))
    return Case(Gradients(found, weights if any(weights) else [1] * n))


@st.composite
def pieces(draw: st.DrawFn, convex: bool = False, centre: bool = True) -> Pieces:
    """Draw a quadratic, a Huber function, or any pieces."""
    curvature = log_uniform_positive(1e-1, 10) if convex else small
    if draw(st.booleans()):
        return huber(draw(log_uniform_positive(1e-1, 10)), draw(curvature))
    breaks = sorted(draw(st.sets(small, max_size=3)))
    found = draw(
        st.lists(st.one_of(curvature, st.just(Fraction(0))), min_size=len(breaks) + 1, max_size=len(breaks) + 1)
    )
    return Pieces(breaks, found, draw(small) if centre else 0)


@st.composite
def curves(draw: st.DrawFn, balls: bool = True) -> Curve:
    """Draw a piecewise quadratic, quartic or log-cosh function."""
    kind = draw(st.sampled_from(("pieces", "quartic", "log cosh")))
    if kind == "pieces" or (kind == "log cosh" and not balls):
        return draw(pieces())
    weight = draw(small)
    return Quartic(weight, draw(small)) if kind == "quartic" else LogCosh(weight, draw(small))


@st.composite
def ridges(draw: st.DrawFn, dim: int, balls: bool = True) -> Ridges:
    """Draw sums of such curves, along the axes or in any directions."""
    n = draw(st.integers(1, 3))
    directions = draw(rows(n, dim))
    if draw(st.booleans()):
        directions = [[Fraction(i == j) for j in range(dim)] for i in range(dim)]
    return Ridges(directions, tuple(draw(curves(balls)) for _ in directions))


@st.composite
def between(draw: st.DrawFn) -> Case:
    """Draw a function and points."""
    dim = draw(st.integers(1, 3))
    x, y, *others = draw(rows(draw(st.integers(2, 4)), dim))
    return Case(Between(draw(ridges(dim)), x, y if y != x else [v + 1 for v in x], others))


@st.composite
def shared_pairs(draw: st.DrawFn) -> Case:
    """Draw clients with two common points."""
    dim = draw(st.integers(1, 2))
    x, y = draw(rows(2, dim))
    y = y if y != x else [v + 1 for v in x]
    clients = (
        Between(draw(ridges(dim)), x, y, draw(rows(draw(st.integers(0, 2)), dim)))
        for _ in range(draw(st.integers(1, 3)))
    )
    return Case(SharedPair(tuple(clients)))


@st.composite
def on_interval(draw: st.DrawFn) -> Case:
    """Draw piecewise quadratic clients on an interval."""
    low = draw(small)
    high = low + draw(log_uniform_positive(1e-1, 10))
    clients = [draw(pieces()) for _ in range(draw(st.integers(1, 4)))]
    if not any(c.steepest(low, high) for c in clients):
        clients.append(Pieces((), 1))
    return Case(OnInterval(tuple(clients), low, high))
