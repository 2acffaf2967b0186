"""Samplers that OSMD is compared with, and the estimators of the server: exact means, equivariance, known answers."""

from __future__ import annotations

import itertools
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory.games.losses import sampler_loss
from fltheory.games.player import Sampler
from fltheory.papers.osmd.algorithms import draws, samplers
from fltheory.papers.osmd.algorithms.mirror import project

BANDITS = [samplers.uniform, samplers.mabs(), samplers.vrb(), samplers.avare()]
fractions = st.fractions(Fraction(-3), 3, max_denominator=20)


def constants(m: int = 5, k: int = 3, largest: float = 1.0, rounds: int = 50):
    return SimpleNamespace(n_clients=m, n_sampled=k, n_rounds=rounds, probability_floor=0.4, max_feedback=largest)


def rational_weights(draw, m: int) -> np.ndarray:
    """A positive distribution of m fractions."""
    parts = draw(st.lists(st.integers(1, 12), min_size=m, max_size=m))
    return np.array([Fraction(v, sum(parts)) for v in parts])


@st.composite
def aggregates(draw):
    """p, lambda, g of two to four clients in rationals."""
    m = draw(st.integers(2, 4))
    g = np.array([draw(st.lists(fractions, min_size=2, max_size=2)) for _ in range(m)])
    return rational_weights(draw, m), rational_weights(draw, m), g


def counted(indices, m: int) -> np.ndarray:
    return np.array([Fraction(list(indices).count(i)) for i in range(m)])


# Estimators ---------------------------------------------------------------------------------------------------------


@given(aggregates(), st.integers(1, 3))
def test_with_replacement_the_estimator_is_unbiased(data, k) -> None:
    p, lam, g = data
    m = len(p)
    target = (lam[:, None] * g).sum(axis=0)
    mean, square = 0 * target, Fraction(0)
    for indices in itertools.product(range(m), repeat=k):
        chance = np.prod([p[i] for i in indices])
        counts = counted(indices, m)
        value = (draws.estimator_weights(p, counts) * lam) @ g
        mean = mean + chance * value
        square += chance * ((value - target) ** 2).sum()
    assert (mean == target).all()
    a = lam**2 * (g**2).sum(axis=1)
    assert square == ((a / p).sum() - (target**2).sum()) / k  # (3)


def test_counting_repeated_draws_once_is_biased() -> None:
    p = np.array([Fraction(1, 2), Fraction(1, 2)])
    once = sum(
        Fraction(1, 4) * np.array([Fraction(i in pair) for i in range(2)]) / (2 * p)
        for pair in itertools.product(range(2), repeat=2)
    )
    assert (once == Fraction(3, 4)).all()


@given(aggregates(), st.data())
def test_without_replacement_the_estimator_is_unbiased(data, more) -> None:
    p, lam, g = data
    m = len(p)
    k = more.draw(st.integers(1, m))
    target = (lam[:, None] * g).sum(axis=0)
    mean, total = 0 * target, Fraction(0)
    for order in itertools.permutations(range(m), k):
        chance, left = Fraction(1), Fraction(1)
        for i in order:
            chance, left = chance * p[i] / left, left - p[i]
        weights = draws.without_replacement_weights(p[None], np.array([order]))[0]
        mean = mean + chance * ((weights * lam) @ g)
        total += chance
    assert total == 1
    assert (mean == target).all()
    if k == m and len(set(p)) > 1:  # 1 / (K p_m), the weight of draws with replacement, isn't
        assert (1 / (k * p) != 1).any()


def test_the_variance_without_replacement_is_not_least_at_the_optimum() -> None:
    """Proposition 11's second half fails: x = (2, 1, -1), K = 2."""

    def variance(p):
        x, total = np.array([2, 1, -1]), Fraction(0)
        for order in itertools.permutations(range(3), 2):
            chance = p[order[0]] * p[order[1]] / (1 - p[order[0]])
            total += chance * (draws.without_replacement_weights(p[None], np.array([order]))[0] @ x - x.sum()) ** 2
        return total

    assert variance(np.array([Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)])) == 4
    better = variance(np.array([Fraction(47, 100), Fraction(23, 100), Fraction(30, 100)]))
    assert better == Fraction(8633417, 2162000)
    assert better < 4


def test_draws_without_replacement_are_different_and_follow_p() -> None:
    p = np.tile([0.5, 0.3, 0.2], (40_000, 1))
    order = draws.draw_without_replacement(p, 3, 1, np.arange(len(p)), 4)
    assert (np.sort(order, axis=1) == [0, 1, 2]).all()
    assert draws.members(order[:, :2], 3).sum(axis=1).tolist() == [2] * len(p)
    second = (order[:, 0] == 0) & (order[:, 1] == 1)
    assert abs(second.mean() - 0.5 * 0.3 / 0.5) < 5 * np.sqrt(0.3 * 0.7 / len(p))
    single = draws.draw_without_replacement(np.array([[1e-300, 1 - 1e-16, 1e-300]]), 3, 1, np.arange(1), 0)
    assert sorted(single[0]) == [0, 1, 2]
    with pytest.raises(ValueError, match="4 clients"):
        draws.draw_without_replacement(p[:1], 4, 1, np.arange(1), 0)


@given(aggregates(), st.integers(1, 2), st.data())
def test_unavailable_clients(data, k, more) -> None:
    p, lam, g = data
    m = len(p)
    active = np.array([Fraction(1), *more.draw(st.lists(st.sampled_from([0, 1]), min_size=m - 1, max_size=m - 1))])
    target = (active * lam) @ g
    restricted = draws.restrict_to(p, active)
    assert restricted.sum() == 1
    if active.sum() <= k:
        weights = draws.active_weights(restricted[None], active[None], np.array([[True]]))[0]
        assert ((weights * lam) @ g == target).all()
        return
    mean = 0 * target
    for indices in itertools.product(range(m), repeat=k):
        chance = np.prod([restricted[i] for i in indices])
        if chance:
            counts = counted(indices, m)
            weights = draws.active_weights(restricted[None], counts[None], np.array([[False]]))[0]
            mean = mean + chance * ((weights * lam) @ g)
    assert (mean == target).all()  # the active clients' sum, not everybody's


def test_draws_among_the_active() -> None:
    p = np.full((50, 6), 1 / 6)
    active = np.tile([1, 0, 1, 1, 0, 1], (50, 1))
    counts, weights = draws.draw_active(p, active, 3, 5, np.arange(50), 1)
    assert (counts.sum(axis=1) == 3).all()
    assert not counts[:, [1, 4]].any()
    assert np.allclose(weights, counts / 3 * 4)
    counts, weights = draws.draw_active(p, active, 4, 5, np.arange(50), 1)
    assert (counts == active).all()
    assert (weights == active).all()


def test_two_parts_drawn_apart() -> None:
    """C-D1: independent draws lose nothing; one draw for both parts can win by cancellation."""
    lam = np.array([Fraction(1), Fraction(1)])
    parts = (np.array([[Fraction(1)], [Fraction(-1)]]), np.array([[Fraction(0)], [Fraction(2)]]))
    target = sum((lam @ part) for part in parts)
    p = (np.array([Fraction(1, 2)] * 2), np.array([Fraction(1, 4), Fraction(3, 4)]))
    mean, apart, each, shared = Fraction(0), Fraction(0), Fraction(0), Fraction(0)
    for i, j in itertools.product(range(2), repeat=2):
        counts = (counted([i], 2), counted([j], 2))
        value = draws.two_part_estimate(lam, parts, p, counts)
        mean += p[0][i] * p[1][j] * value
        apart += p[0][i] * p[1][j] * ((value - target) ** 2).sum()
    for q, part in zip(p, parts, strict=True):
        for i in range(2):
            one = (lam * draws.estimator_weights(q, counted([i], 2))) @ part
            each += q[i] * ((one - lam @ part) ** 2).sum()
    for i in range(2):
        same = draws.two_part_estimate(lam, parts, (p[0], p[0]), (counted([i], 2),) * 2)
        shared += p[0][i] * ((same - target) ** 2).sum()
    assert mean == target == 2
    assert apart == each
    assert shared == 0 < apart
    first, second = draws.draw_two_parts((np.full((99, 4), 0.25),) * 2, (2, 3), 1, np.arange(99), 1)
    assert (first.sum(axis=1) == 2).all()
    assert (second.sum(axis=1) == 3).all()
    assert 0 < np.mean(first[:, 0] > 0) < 1
    assert abs(np.corrcoef(first[:, 0], second[:, 0])[0, 1]) < 0.5  # drawn apart


# Samplers -----------------------------------------------------------------------------------------------------------


@st.composite
def histories(draw):
    """Counts and feedback of a few rounds for three seeds."""
    m, k, rounds = draw(st.integers(2, 6)), draw(st.integers(1, 4)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    exponent = draw(st.sampled_from([0.0, 1.0, 10.0]))
    counts = [np.stack([np.bincount(rng.integers(0, m, k), minlength=m) for _ in range(3)]) for _ in range(rounds)]
    feedback = [np.exp(exponent * rng.normal(size=(3, m))) * (rng.random((3, m)) < 0.9) for _ in range(rounds)]
    return m, k, list(zip(counts, feedback, strict=True))


def plays(sampler: Sampler, m: int, k: int, seen, scale: float = 1.0) -> list[np.ndarray]:
    c = constants(m, k, scale * max(1e-6, max(float(a.max()) for _, a in seen)))
    state = sampler.init(3, c)
    found = [sampler.play(state, c)]
    for counts, a in seen:
        state = sampler.step(state, counts, np.where(counts > 0, scale * a, 0), c)
        found.append(sampler.play(state, c))
    return found


@pytest.mark.parametrize("sampler", BANDITS, ids=lambda s: s.name)
@given(history=histories())
def test_every_sampler_plays_a_distribution_and_scales(sampler, history) -> None:
    m, k, seen = history
    found = plays(sampler, m, k, seen)
    for p in found:
        assert p.shape == (3, m)
        assert (p > 0).all()
        assert np.allclose(p.sum(axis=1), 1, rtol=0, atol=1e-12)
    assert np.allclose(found[0], 1 / m, rtol=0, atol=1e-12)
    for p, scaled in zip(found, plays(sampler, m, k, seen, 2.0**-40), strict=True):
        assert np.allclose(p, scaled, rtol=1e-9, atol=0)


def test_the_scripts_tuning_of_mabs_does_not_scale() -> None:
    script = samplers.mabs(scale=lambda c: np.sqrt(c.max_feedback))
    seen = [(np.array([[2, 0], [1, 1], [0, 2]]), np.full((3, 2), 500.0))] * 3
    first, second = (plays(script, 2, 2, seen, scale)[-1] for scale in (1.0, 2.0**20))
    assert np.abs(first - second).max() > 1e-3


@pytest.mark.parametrize("sampler", BANDITS[1:], ids=lambda s: s.name)
def test_a_client_with_more_feedback_gains(sampler) -> None:
    seen = [(np.array([[1, 1, 1]] * 3), np.array([[9.0, 1.0, 1.0]] * 3))] * 4
    p = plays(sampler, 3, 3, seen)[-1]
    assert (p[:, 0] > 1 / 3 + 1e-3).all()
    assert np.allclose(p[:, 1], p[:, 2])


def test_the_formulas_of_the_bandits() -> None:
    """One round with M = 2 by hand."""
    c = constants(2, 3, 4.0, 10)
    counts, a = np.array([[2, 1]]), np.array([[4.0, 1.0]])
    delta = 0.16 * np.sqrt(np.log(2) / (10 * 32)) / 4
    odds = np.exp(delta * (2 * 4 - 1) * 8)
    mabs = samplers.mabs()
    assert mabs.play(mabs.step(mabs.init(1, c), counts, a, c), c)[0, 0] == pytest.approx(0.6 * odds / (1 + odds) + 0.2)
    root = np.sqrt(np.array([16.0, 2.0]) + 4 * 2 / 0.4)
    vrb = samplers.vrb()
    expected = 0.6 * root / root.sum() + 0.2
    assert np.allclose(vrb.play(vrb.step(vrb.init(1, c), counts, a, c), c), expected)
    avare = samplers.avare()
    state = avare.step(avare.init(1, c), np.array([[1, 0]]), np.array([[4.0, 0.0]]), c)
    assert np.allclose(avare.play(state, c), 0.5)  # an unseen client is taken for the mean of those seen
    state = avare.step(state, np.array([[0, 1]]), np.array([[0.0, 1e-6]]), c)
    floor = 3 ** (-1 / 3) / 2
    assert np.allclose(avare.play(state, c), [1 - floor, floor])
    assert np.allclose(samplers.avare(0.0).play(state, c), 0.5)


@given(st.lists(st.floats(0, 1e6), min_size=2, max_size=6), st.sampled_from([0.0, 0.1, 0.5, 1.0]))
def test_the_optimum_is_least(a, alpha) -> None:
    a = np.array([a])
    p = samplers.optimal_distribution(a, alpha)
    assert p.sum() == pytest.approx(1)
    assert (p >= alpha / a.shape[1]).all()
    least = sampler_loss(a, p, 1)[0]
    rng = np.random.default_rng(0)
    for other in rng.dirichlet(np.ones(a.shape[1]), 20):
        q = project(other, alpha) if alpha else np.maximum(other, 1e-300)
        assert least <= sampler_loss(a, q[None], 1)[0] * (1 + 1e-9)
    if alpha == 0:
        assert least == pytest.approx(np.sqrt(a).sum() ** 2, rel=1e-12, abs=1e-300)


def test_oracles_and_fixed_samplers() -> None:
    c = constants(3)
    a = np.array([[9.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    assert np.allclose(samplers.optimal.choose(a, c), [[0.75, 0.25, 0], [1 / 3] * 3])
    floored = samplers.optimal_floored.choose(a, c)
    assert np.allclose(floored[0], [0.65, 0.4 / 1.5 - 0.05, 0.4 / 3], atol=0.02)
    assert floored.min() >= 0.4 / 3
    by_smoothness = samplers.lipschitz(np.array([0.5, 0.25, 0.25]), np.array([[1, 2, 2], [1, 1, 1]]))
    state = by_smoothness.init(2, c)
    assert np.allclose(state, [[1 / 3] * 3, [0.5, 0.25, 0.25]])
    assert by_smoothness.step(state, np.ones((2, 3), int), a, c) is state
