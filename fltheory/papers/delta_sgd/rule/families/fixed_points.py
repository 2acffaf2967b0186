"""Families of isotropic quadratics with their own centres, and rounds on them."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from fltheory.model.case import Case
from fltheory.number import Number
from fltheory.problems.convex import ConvexClients, Quadratic
from fltheory.problems.strategies import log_uniform_positive

_size = log_uniform_positive(1e-1, 100)
_number = st.one_of(st.integers(-3, 3).map(Fraction), st.builds(Fraction, st.integers(-9, 9), st.integers(1, 4)))


@st.composite
def isotropic(draw: st.DrawFn, two: bool = False, line: bool = False) -> ConvexClients:
    """Draw L_i/2 |x - c_i|^2."""
    dim = 1 if line else draw(st.integers(1, 2))
    n = 2 if two else draw(st.integers(1, 4))
    found = []
    for _ in range(n):
        size = draw(_size)
        hessian = [[size if i == j else 0 for j in range(dim)] for i in range(dim)]
        found.append(Quadratic(hessian, [draw(_number) for _ in range(dim)]))
    return ConvexClients(tuple(found), [draw(_number) for _ in range(dim)])


def _smoothness(instance: ConvexClients) -> list[Number]:
    return [f.smoothness for f in instance.objectives if f.smoothness is not None]


@st.composite
def rounds(draw: st.DrawFn, proximal: bool = False, two: bool = False, once: bool = False) -> Case:
    """Draw a round of Algorithm 1, with its first step relative to the smoothness."""
    instance = draw(isotropic(two))
    largest = max(_smoothness(instance))
    settings = {
        "n_local_steps": 1 if once else draw(st.integers(1, 6)),
        "initial_step_size": draw(log_uniform_positive(1e-2, 1)) / largest * draw(st.sampled_from([1, 2])),
        "initial_ratio": draw(st.one_of(st.just(Fraction(1)), log_uniform_positive(1e-2, 100))),
        "amplifier": draw(st.sampled_from([Fraction(v) for v in (1, 2, "1/2", "7/5", 3)])),
        "growth_damping": draw(st.sampled_from([Fraction(v) for v in (1, "1/10", 0)])),
    }
    if proximal:
        settings["proximal_weight"] = draw(_size)
    return Case(instance, **settings)


@st.composite
def ends(draw: st.DrawFn) -> Case:
    """Draw rounds of two clients after which each is at its own minimiser."""
    instance = draw(isotropic(True, line=True))
    least = min(_smoothness(instance))
    return Case(
        instance,
        n_local_steps=draw(st.integers(2, 5)),
        initial_step_size=draw(log_uniform_positive(1, 100)) / least,
        amplifier=2,
        initial_ratio=draw(log_uniform_positive(1e-2, 10)),
        growth_damping=draw(st.sampled_from([Fraction(1), Fraction(1, 10)])),
    )


@st.composite
def shared(draw: st.DrawFn) -> Case:
    """Draw runs of rule (4) with first steps that the first entry reduces."""
    instance = draw(isotropic())
    least = min(_smoothness(instance))
    amplifier = draw(st.sampled_from([Fraction(v) for v in (1, 2, "1/2", 3)]))
    return Case(
        instance,
        n_rounds=draw(st.integers(1, 6)),
        initial_step_size=draw(log_uniform_positive(1, 10)) * amplifier / (2 * least),
        initial_ratio=draw(log_uniform_positive(1e-2, 10)),
        amplifier=amplifier,
        growth_damping=draw(st.sampled_from([Fraction(1), Fraction(0)])),
    )
