"""Hypothesis strategies for the lower bounds: constants on logarithmic scales, and instances built from them."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from fltheory.model.case import Case
from fltheory.papers.sfl.lower import cases
from fltheory.papers.sfl.lower.bounds import CAP, FIRST, RATIO
from fltheory.papers.sfl.lower.cases import ScheduledDescent, root
from fltheory.problems.separable import QuadraticClients
from fltheory.problems.strategies import log_uniform_counts, log_uniform_positive

EVEN = st.integers(2, 5).map(lambda n: 2 * n)


REGIMES = {
    "s1": cases.s1,
    "s2": cases.s2,
    "s3": cases.s3,
    "s4": cases.s4,
    "h1": cases.h1,
    "h2": cases.h2,
    "h3": cases.h3,
    "h4": cases.h4,
    "h5": cases.h5,
}


def near(edges: list[Fraction]) -> st.SearchStrategy[Fraction]:
    """Return a strategy for a step size within a factor of a thousand of one of the edges, or equal to it."""
    factor = st.one_of(st.just(Fraction(1)), log_uniform_positive(1e-3, 1e3))
    return st.builds(lambda e, f: e * f, st.sampled_from(edges), factor)


def _edges(curvature: Fraction, M: int, K: int, R: int) -> list[Fraction]:
    return [Fraction(1, n) / curvature for n in (FIRST * M * K * R, CAP * M * K, K, 1)]


@st.composite
def regime(draw: st.DrawFn, name: str) -> Case:
    """Draw a quadratic regime block with free curvature, noise or heterogeneity, counts and step size."""
    M, K, R = draw(EVEN), draw(st.integers(1, 5)), draw(log_uniform_counts(10_000))
    curvature = draw(log_uniform_positive())
    size = "noise_std" if name.startswith("s") else "heterogeneity"
    settings = {
        "small_curvature": curvature,
        size: draw(log_uniform_positive()),
        "n_local_steps": K,
        "n_rounds": R,
        "n_clients": M,
    }
    return REGIMES[name](**settings, step_size=draw(near(_edges(curvature, M, K, R))))


@st.composite
def kinked_regime(draw: st.DrawFn, name: str) -> Case:
    """Draw a block of the second regime that is small enough to enumerate."""
    if name == "s2":
        M, K, R = draw(st.sampled_from([(4, 1, 1), (4, 1, 2), (2, 2, 1), (4, 2, 1), (5, 1, 2)]))
    else:
        M, K, R = draw(st.sampled_from([(4, 1, 1), (4, 2, 2), (4, 3, 3), (6, 1, 1), (6, 2, 2), (8, 2, 1)]))
    large, auxiliary = draw(log_uniform_positive()), draw(log_uniform_positive())
    size = "noise_std" if name == "s2" else "heterogeneity"
    settings = {
        "large_curvature": large,
        "auxiliary_curvature": auxiliary,
        size: draw(log_uniform_positive()),
        "n_local_steps": K,
        "n_rounds": R,
        "n_clients": M,
    }
    step = draw(near([Fraction(1, FIRST * M * K * R) / auxiliary, Fraction(1, CAP * M * K) / large]))
    return REGIMES[name](**settings, step_size=step)


@st.composite
def even_round(draw: st.DrawFn) -> Case:
    """Draw a round on +-slope clients of equal curvature, from any start, at steps of at most 1/curvature."""
    curvature = draw(log_uniform_positive())
    settings = {
        "small_curvature": curvature,
        "heterogeneity": draw(log_uniform_positive()),
        "start": draw(st.integers(-3, 3)),
    }
    part = draw(st.builds(Fraction, st.integers(1, 20), st.just(20)))
    counted = {"n_clients": draw(EVEN), "n_local_steps": draw(st.integers(1, 5)), "n_rounds": 1}
    return cases.one_round_even(**settings, **counted, step_size=part / curvature)


def _or_zero(draw: st.DrawFn) -> Fraction:
    return draw(st.one_of(log_uniform_positive(), st.just(Fraction(0))))


@st.composite
def theorem_5(draw: st.DrawFn) -> Case:
    """Draw the instance of Theorem 5 at any step size."""
    M, K, R = draw(EVEN), draw(st.integers(1, 5)), draw(log_uniform_counts(1_000_000))
    mu = draw(log_uniform_positive())
    edges = [Fraction(1, n) / mu for n in (FIRST * M * K * R, FIRST * M * K, 1010 * K, 1010)]
    return cases.theorem_5(
        strong_convexity=mu,
        heterogeneity=_or_zero(draw),
        noise_std=draw(log_uniform_positive()),
        n_clients=M,
        n_local_steps=K,
        n_rounds=R,
        step_size=draw(near(edges)),
    )


@st.composite
def theorem_5_noise(draw: st.DrawFn) -> Case:
    """Draw the instance of Appendix C at any step size."""
    M, K, R = draw(EVEN), draw(st.integers(1, 5)), draw(log_uniform_counts(100_000))
    mu = draw(log_uniform_positive())
    edges = [Fraction(1, n) / mu for n in (FIRST * M * K * R, FIRST * M * K, 1010)]
    return cases.theorem_5_noise(
        strong_convexity=mu,
        noise_std=draw(log_uniform_positive()),
        n_clients=M,
        n_local_steps=K,
        n_rounds=R,
        step_size=draw(near(edges)),
    )


@st.composite
def noise_term(draw: st.DrawFn) -> Case:
    """Draw the constructive noise instance at any constant step size."""
    M, K, R = draw(st.integers(1, 6)), draw(st.integers(1, 5)), draw(log_uniform_counts(100_000))
    mu, sigma = draw(log_uniform_positive()), draw(log_uniform_positive())
    step = draw(near([1 / mu, Fraction(1, M * K * R) / mu]))
    return Case(
        QuadraticClients((mu,) * M, (0,) * M, sigma / mu, noise_std=sigma), n_local_steps=K, n_rounds=R, step_size=step
    )


@st.composite
def schedules(draw: st.DrawFn) -> Case:
    """Draw any sequence of steps and any weights of the iterates."""
    steps = draw(st.lists(st.one_of(log_uniform_positive(1e-3, 10), st.just(Fraction(0))), min_size=1, max_size=8))
    size = len(steps) + 1
    weights = draw(st.lists(st.integers(0, 9), min_size=size, max_size=size).filter(any))
    return Case(
        ScheduledDescent(draw(log_uniform_positive(1e-2, 1e2)), draw(log_uniform_positive(1e-2, 1e2)), steps, weights)
    )


@st.composite
def theorem_6_sc(draw: st.DrawFn) -> Case:
    """Draw the instance of Theorem 6, strongly convex, at any allowed step size."""
    M, K = draw(EVEN.filter(lambda n: n >= 4)), draw(st.integers(1, 5))
    mu, kappa = draw(log_uniform_positive()), RATIO * draw(log_uniform_positive(1, 1e4))
    R = draw(log_uniform_counts(100)) * -(-kappa // RATIO)
    step = draw(log_uniform_positive(1e-9, 1)) / (CAP * kappa * mu * M * K)
    return cases.theorem_6_sc(
        strong_convexity=mu,
        smoothness=kappa * mu,
        heterogeneity=_or_zero(draw),
        noise_std=_or_zero(draw),
        n_clients=M,
        n_local_steps=K,
        n_rounds=R,
        step_size=step,
    )


@st.composite
def theorem_6_gc(draw: st.DrawFn, quiet: bool = False) -> Case:
    """Draw the instance of Theorem 6, general convex, with enough rounds, at any allowed step size."""
    M, K = draw(EVEN.filter(lambda n: n >= 4)), draw(st.integers(1, 5))
    large, distance = draw(log_uniform_positive()), draw(log_uniform_positive())
    v, u = draw(log_uniform_positive(1e-3, 1e5)), draw(log_uniform_positive(1e-3, 1e5))
    zeta = v * large * distance * root(M, 2)
    sigma = Fraction(0) if quiet else u * large * distance * root(M * K, 2)
    entries = [2 * v, 2 / v**2] if quiet else [2 * u, 2 / u**2, u**2, 2 * v, 2 / v**2]
    R = 51**3 * draw(log_uniform_counts(100)) * -(-max(entries) // 1)
    step = draw(log_uniform_positive(1e-9, 1)) / (CAP * large * M * K)
    return cases.theorem_6_gc(
        smoothness=large,
        initial_distance=distance,
        heterogeneity=zeta,
        noise_std=sigma,
        n_clients=M,
        n_local_steps=K,
        n_rounds=R,
        step_size=step,
    )


@st.composite
def kappa_one(draw: st.DrawFn) -> Case:
    """Draw clients with one curvature and any slopes, far starts, any number of rounds and step size."""
    M, K, R = draw(st.integers(4, 6)), draw(st.integers(1, 5)), draw(log_uniform_counts(10**30))
    mu, zeta = draw(log_uniform_positive()), draw(log_uniform_positive())
    slopes = [zeta * draw(st.integers(-2, 2)) for _ in range(M)]
    noise = draw(st.one_of(st.just(Fraction(0)), log_uniform_positive(1e-3, 10)))
    start = (zeta + noise) / mu * draw(st.integers(-9, 9))
    step = draw(st.sampled_from([1 / mu, Fraction(1, M * K * R) / mu])) * draw(log_uniform_positive(1e-6, 1e6))
    return Case(
        QuadraticClients((mu,) * M, slopes, start, noise_std=noise), n_local_steps=K, n_rounds=R, step_size=step
    )


@st.composite
def large_noise(draw: st.DrawFn) -> Case:
    """Draw quadratic clients with any noise, any number of rounds and any allowed step size."""
    M, K, R = draw(st.integers(4, 6)), draw(st.integers(1, 3)), draw(log_uniform_counts(10**26))
    large, distance = draw(log_uniform_positive()), draw(log_uniform_positive())
    zeta = large * distance * draw(log_uniform_positive(1e-2, 1e4))
    slopes = [zeta * s for s in ([1, -1, 1, -1, 1, -1] if M % 2 == 0 else [2, -1, -1, 1, -1])][:M]
    noise = large * distance * draw(log_uniform_positive(1e-3, 1e18))
    step = draw(log_uniform_positive(1e-36, 1)) / (CAP * large * M * K)
    return Case(
        QuadraticClients((large,) * M, slopes, distance, noise_std=noise), n_local_steps=K, n_rounds=R, step_size=step
    )


def _cap(cap: str, large: Fraction, small: Fraction, M: int, K: int) -> Fraction:
    """Return the largest step that a statement allows, in terms of the small or of the large curvature."""
    return 1 / (CAP * M * K * (small if cap == "small" else large))


def _start(draw: st.DrawFn, cap: str, scale: Fraction) -> Fraction:
    size = draw(st.one_of(st.just(Fraction(0)), log_uniform_positive(1e-3, 1e3))) * scale
    return -(size or scale) if cap == "behind" else size


@st.composite
def ordered_round(draw: st.DrawFn, cap: str, end: bool = False) -> Case:
    """Draw a round of +-zeta clients with a kink, and an index in it; ``cap`` names the limit on the step."""
    M = draw(st.sampled_from([4, 2, 6]))
    K = draw(st.integers(1, 3))
    small, zeta = draw(log_uniform_positive()), draw(log_uniform_positive())
    large = small * draw(st.one_of(st.just(Fraction(RATIO)), log_uniform_positive(RATIO, 1e6)))
    step = _cap(cap, large, small, M, K) * draw(st.one_of(st.just(Fraction(1)), log_uniform_positive(1e-3, 1)))
    m, k = (M + 1, 0) if end else (draw(st.integers(1, M)), draw(st.integers(0, K - 1)))
    return cases.one_round_h(
        large_curvature=large,
        small_curvature=small,
        heterogeneity=zeta,
        start=_start(draw, cap, step * zeta),
        n_clients=M,
        n_local_steps=K,
        step_size=step,
        position=m,
        local_step=k,
    )


@st.composite
def noisy_round(draw: st.DrawFn, cap: str) -> Case:
    """Draw a round of equal clients with kink and noise, and a number of steps; ``cap`` names the limit on the step."""
    M, K = draw(st.sampled_from([(4, 1), (2, 1), (3, 1), (2, 2), (5, 1), (3, 2), (7, 1)]))
    small, sigma = draw(log_uniform_positive()), draw(log_uniform_positive())
    large = small * draw(st.one_of(st.just(Fraction(RATIO)), log_uniform_positive(RATIO, 1e6)))
    step = _cap(cap, large, small, M, K) * draw(st.one_of(st.just(Fraction(1)), log_uniform_positive(1e-3, 1)))
    return cases.one_round_s(
        large_curvature=large,
        small_curvature=small,
        noise_std=sigma,
        start=_start(draw, cap, step * sigma),
        n_clients=M,
        n_local_steps=K,
        step_size=step,
        n_signs=draw(st.integers(0, M * K)),
    )
