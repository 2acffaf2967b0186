"""Hypothesis strategies for online losses, from which ``falsify`` draws: few losses, each for some rounds, and all again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from hypothesis import strategies as st

from fltheory.number import NotRational, exact
from fltheory.number.mixed import mixed_array
from fltheory.problems.online.domains import Box, Domain, EuclideanBall, Simplex
from fltheory.problems.online.losses import Linear, Loss, Quadratic, absolute, hinge
from fltheory.problems.online.online_losses import OnlineLosses

LEVELS = (0, 1, -1, "1/2", "-1/2", "1/4", "-1/4", 2, -2)  # coordinates of slopes and of points


def domains(max_dim: int = 2) -> st.SearchStrategy[Domain]:
    """Boxes, balls and simplices in up to ``max_dim`` coordinates, of a few sizes."""
    size = st.sampled_from([1, 2, "1/2", 5])
    boxes = st.builds(
        lambda widths, shift: Box([-shift for _ in widths], [Fraction(w) - shift for w in widths]),
        st.lists(size, min_size=1, max_size=max_dim),
        st.sampled_from([0, Fraction(1, 2), 1]),
    )
    balls = st.builds(lambda d, r: EuclideanBall((0,) * d, r), st.integers(1, max_dim), size)
    return st.one_of(boxes, balls, *([st.builds(Simplex, st.integers(2, max_dim))] if max_dim > 1 else []))


def vectors(dim: int) -> st.SearchStrategy[tuple[object, ...]]:
    """Vectors of short rationals."""
    return st.tuples(*[st.sampled_from(LEVELS)] * dim)


LOSSES: Mapping[str, Callable[[int], st.SearchStrategy[Loss]]] = {
    "linear": lambda dim: st.builds(Linear, vectors(dim)),
    "absolute": lambda dim: st.builds(absolute, _along_axes(dim), st.sampled_from(LEVELS)),
    "hinge": lambda dim: st.builds(hinge, _along_axes(dim), st.sampled_from([1, -1])),
    "quadratic": lambda dim: st.builds(Quadratic, vectors(dim), st.sampled_from([1, 2, "1/2"])),
}


def _along_axes(dim: int) -> st.SearchStrategy[tuple[object, ...]]:
    """Multiples of unit vectors, along which the best point in hindsight is known."""
    size = st.sampled_from([v for v in LEVELS if v])
    return st.builds(lambda i, v: tuple(v if i == j else 0 for j in range(dim)), st.integers(0, dim - 1), size)


@st.composite
def online_losses(
    draw: st.DrawFn,
    domain: st.SearchStrategy[Domain] | Domain | None = None,
    kinds: Sequence[str] = ("linear",),
    max_losses: int = 4,
    max_count: int = 10,
    max_repeat: int = 5,
) -> OnlineLosses:
    """Draw losses of these ``kinds``, keys of ``LOSSES``, on a domain, or on one that a strategy draws; any start.

    Absolute and hinge losses need boxes, unless the regret names its comparators.
    """
    own = domain if isinstance(domain, Domain) else draw(domains() if domain is None else domain)
    losses = draw(st.lists(st.one_of([LOSSES[kind](own.dim) for kind in kinds]), min_size=1, max_size=max_losses))
    counts = draw(st.tuples(*[st.integers(1, max_count)] * len(losses)))
    try:
        start = own.project(mixed_array(map(exact, draw(vectors(own.dim))))[None])[0]
    except NotRational:
        start = None
    point = None if start is None else [Fraction(int(v.p), int(v.q)) for v in start]
    return OnlineLosses(losses, own, start=point, counts=counts, repeat=draw(st.integers(1, max_repeat)))
