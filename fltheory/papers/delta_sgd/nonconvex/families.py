"""Families of runs of Algorithm 1 under Theorem 1, for ``falsify``."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from fltheory.model.case import Case, HasClients
from fltheory.papers.delta_sgd import notation
from fltheory.papers.delta_sgd.instances.clients import MultipleClients, RandomCurvature
from fltheory.papers.delta_sgd.nonconvex.closed_forms.hypotheses import with_step_limits
from fltheory.problems.strategies import log_uniform_positive

_noises = st.one_of(st.just(Fraction(0)), log_uniform_positive(1e-2, 1))
_halves = st.integers(1, 8).map(lambda k: Fraction(k, 2))
_ratios = st.sampled_from([1, 10, 100, 10**4, 10**6])
_squares = st.sampled_from([49, 100, 144, 196, 256, 324, 400])
_long = st.sampled_from([400, 900, 1600, 2500])


@st.composite
def near(
    draw: st.DrawFn, radius: Fraction = Fraction(1, 2), noise: bool = True, most: int = 4, flat: bool = False
) -> MultipleClients:
    """Draw clients whose gradients differ from the mean by less than ``radius`` of it, in any units; or ``flat``."""
    n, dim = draw(st.integers(1, most)), draw(st.integers(1, 3))
    spread = [radius * draw(st.integers(-9, 9)) / 20 for _ in range(n)]
    start = [draw(st.integers(-4, 4)) * Fraction(1, 2) for _ in range(dim)]
    width = Fraction(draw(st.integers(2, 9))) if flat else draw(log_uniform_positive(1e-1, 10))
    more: dict[str, Any] = {"height": width if flat else draw(log_uniform_positive(1e-1, 10)), "width": width}
    if n == 2 and draw(st.integers(0, 2)) == 2:
        spread, size = [Fraction(0)] * 2, radius * draw(st.integers(1, 9)) / 10
        more |= {"ripples": (size, -size), "frequencies": draw(st.integers(1, 8))}
    std = draw(_noises) * more["height"] / width if noise else 0
    return MultipleClients([1 + e for e in spread], [(v or Fraction(1)) * width for v in start], noise_std=std, **more)


@st.composite
def curved(draw: st.DrawFn) -> RandomCurvature:
    """Draw two to four samples on the line, in any units."""
    n, width = draw(st.integers(2, 4)), draw(_halves)
    scales = [draw(log_uniform_positive(1e-1, 2)) for _ in range(n)]
    centres = [draw(st.integers(-4, 4)) * width / 2 for _ in range(n)]
    return RandomCurvature(scales, centres, draw(st.integers(-6, 6)) * width / 2, draw(_halves) * width, width)


def _part(draw: st.DrawFn, instance: HasClients) -> dict[str, Any]:
    """Draw how many clients take part, some or all."""
    return {"n_participating": draw(st.integers(1, instance.n_clients))} if instance.n_clients > 1 else {}


@st.composite
def constant_steps(draw: st.DrawFn, tuned: bool = False) -> Case:
    """Draw runs of FedAvg. ``tuned``: enough rounds for the tuned step, where the claim sets gamma."""
    instance = draw(near(flat=tuned))
    smoothness = Fraction(Case(instance).constants[notation.L])
    steps, more = draw(st.integers(1, 3)), _part(draw, instance)
    if tuned:
        rounds = max(draw(_squares), int(400 * smoothness**2) + 1)
        return Case(instance, n_rounds=rounds, n_local_steps=steps, **more)
    size = draw(log_uniform_positive(1e-2, 1)) / (8 * smoothness * steps)
    return Case(instance, n_rounds=draw(_squares), n_local_steps=steps, step_size=size, **more)


@st.composite
def own_steps(
    draw: st.DrawFn, radius: Fraction = Fraction(1, 2), noise: bool = True, clip: bool = False, tuned: bool = False
) -> Case:
    """Draw runs of Delta-SGD with limits of the steps: from R1 and R2, or (``clip``) those of the clipped rule.

    ``tuned``: the claim sets gamma and eta_0.
    """
    instance = draw(st.one_of(near(radius, noise), near(radius, noise), curved()) if noise else near(radius, False))
    smoothness = Fraction(Case(instance).constants[notation.L])
    steps = draw(st.integers(1, 6 if clip else 3))
    first = draw(log_uniform_positive(1e-3, 1)) / (8 * smoothness * steps)
    case = Case(
        instance,
        n_rounds=draw(_squares),
        n_local_steps=steps,
        initial_ratio=draw(st.sampled_from([1, 3, Fraction(1, 2)])),
        growth_damping=draw(st.sampled_from([1, Fraction(1, 10), 0])),
        amplifier=first * smoothness * draw(log_uniform_positive(1e-1, 100)),
        initial_step_size=first,
        **_part(draw, instance),
    )
    if clip:
        low, high = (draw(st.sampled_from([1, 2, 5])) for _ in range(2))
        return case.with_settings(least_step=first / low, largest_step=first * high)
    case = with_step_limits(case)
    if not tuned:
        return case
    return Case(instance, **{k: v for k, v in case.settings if k not in ("least_step", "largest_step")})


# Counterexamples to the printed statement --------------------------------------------------------------------------


@st.composite
def signed(draw: st.DrawFn) -> Case:
    """Draw a few clients that are multiples of one function, in any units."""
    weights = [draw(st.integers(-3, 3)) for _ in range(draw(st.integers(1, 3)))]
    last = draw(st.integers(1, 60))
    width = draw(st.integers(1, 10))
    if last + sum(weights) <= 0:
        last = 1 - sum(weights)
    instance = MultipleClients((*weights, last), width * Fraction(draw(st.integers(1, 20)), 10), width, width)
    steps = draw(st.integers(2, 4))
    return Case(instance, n_rounds=draw(_long), n_local_steps=steps, initial_ratio=draw(_ratios))


@st.composite
def biased(draw: st.DrawFn) -> Case:
    """Draw one client with several samples of one curvature and one of another, far apart."""
    many, width = draw(st.integers(1, 9)), draw(st.integers(1, 8))
    apart = Fraction(draw(st.integers(2, 30)), 10)
    start = -apart * Fraction(draw(st.integers(0, 10)), 10)
    scale = draw(st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(1, 3), Fraction(1, 5), Fraction(1, 10)]))
    instance = RandomCurvature(
        (1,) * many + (scale,), (-apart * width,) * many + (apart * width,), start * width, width, width
    )
    steps = draw(st.integers(2, 3))
    return Case(
        instance,
        n_rounds=draw(st.sampled_from([1600, 900, 2500])),
        n_local_steps=steps,
        initial_ratio=draw(st.sampled_from([10**4, 100, 10**6])),
    )


@st.composite
def scattered(draw: st.DrawFn) -> Case:
    """Draw samples far apart on both sides of the start, and many local steps."""
    apart, many = draw(st.sampled_from([60, 50, 70, 80])), draw(st.sampled_from([16, 14, 12]))
    centres = [sign * apart * j for sign in (-1, 1) for j in range(1, many + 1)]
    rounds, steps = draw(st.sampled_from([2500, 1600, 900])), draw(st.integers(4, 50).map(lambda k: 54 - k))
    return Case(RandomCurvature((1,) * (2 * many), centres), n_rounds=rounds, n_local_steps=steps, initial_ratio=1)


@st.composite
def any_steps(draw: st.DrawFn) -> Case:
    """Draw runs with gamma and eta_0 anywhere below the limits that O(.) allows."""
    instance = draw(near(noise=False, most=2))
    rounds, steps = draw(_long), draw(st.integers(1, 2))
    gamma = 1 / (steps * Fraction(int(rounds**0.5))) * draw(log_uniform_positive(1e-6, 1))
    return Case(
        instance,
        n_rounds=rounds,
        n_local_steps=steps,
        amplifier=gamma,
        initial_step_size=gamma * draw(log_uniform_positive(1e-6, 1)),
        initial_ratio=1,
    )
