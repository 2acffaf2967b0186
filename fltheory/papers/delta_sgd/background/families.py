"""Families of convex functions with gradient descent on them, step sizes, and steps of rule (4)."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from fltheory.model.case import Case
from fltheory.papers.delta_sgd.background.closed_forms import Descent, OneStep
from fltheory.papers.delta_sgd.instances.lemmas import Pieces, Ridges, RuleStep
from fltheory.papers.delta_sgd.smoothness.families import pieces, ridges, rows, small
from fltheory.problems.strategies import log_uniform_counts, log_uniform_positive

FRAMES = (((1, 0), (0, 1)), ((3, 4), (-4, 3)), ((1, 1), (1, -1)), ((1, 0), (1, 1), (2, -1)))
_starts = st.one_of(log_uniform_positive(1e-1, 100), log_uniform_positive(1e-1, 100).map(lambda v: -v))


@st.composite
def descents(draw: st.DrawFn, one_step: bool = False) -> Case:
    """Draw a convex function in one or two variables and several steps, or one step of any size up to 2/L."""
    directions = draw(st.sampled_from((((1,),), *FRAMES)))
    curves = [draw(pieces(convex=True, centre=False)) for _ in directions]
    if not any(max(c.curvatures) for c in curves):
        curves[0] = Pieces((), 1)
    found = Descent(Ridges(directions, tuple(curves)), [draw(_starts) for _ in directions[0]])
    if not one_step:
        return Case(found, n_rounds=draw(log_uniform_counts(9)))
    return Case(found, n_rounds=1, step_size=draw(_relative) / found.smoothness)


_relative = st.one_of(
    st.sampled_from([Fraction(v) for v in (1, "3/2", "1/2", "7/5", 2)]),
    st.builds(Fraction, st.integers(1, 40), st.just(20)),
)


@st.composite
def one_steps(draw: st.DrawFn) -> Case:
    """Draw a class of functions and a step size."""
    smoothness = draw(log_uniform_positive())
    return Case(OneStep(smoothness, draw(log_uniform_positive())), step_size=draw(_relative) / smoothness)


@st.composite
def rule_steps(draw: st.DrawFn) -> Case:
    """Draw a client's two points, its last step size and ratio."""
    dim = draw(st.integers(1, 3))
    x, y = draw(rows(2, dim))
    y = y if y != x else [v + 1 for v in x]
    return Case(RuleStep(draw(ridges(dim, balls=False)), x, y, draw(log_uniform_positive()), draw(small.map(abs))))
