"""Noise of mini-batches by lists of signs, rounds on a slope, sums of floats: beside plain arithmetic."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb

from fltheory.evidence.measured import AtLeast
from fltheory.model.case import Case
from fltheory.number import BALL, RATIONAL, NotRational, streams
from fltheory.papers.osmd import kernels
from fltheory.papers.osmd.algorithms import osmd
from fltheory.papers.osmd.instances.bounded_clients import SlopeClients, TiltedClients
from fltheory.papers.osmd.sgd.closed_forms import sgd
from fltheory.runs.constants import run_constants
from fltheory.runs.method import NotEnumerable

Q = Fraction
MEASURE = sgd.MeanSquaredGradient()


@pytest.mark.parametrize("at_once", [1, 7, 40, 10**6])
def test_signs_of_a_round_however_many_are_drawn_at_once(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sgd, "SIGNS_AT_ONCE", at_once)
    for t, runs in itertools.product((0, 1, 5, 33), ([4], [2, 9])):
        found = sgd.signs(3, 2, 8, np.array(runs), t)
        assert found.shape == (len(runs), 3, 2)
        for (i, r), m, k in itertools.product(enumerate(runs), range(3), range(2)):
            u = float(np.ravel(streams.uniform(8, r, t, m, k))[0])
            assert found[i, m, k] == (1.0 if u < 0.5 else -1.0)


@pytest.mark.parametrize("batch", [1, 2, 5])
def test_noise_of_a_batch(batch: int) -> None:
    """sigma times the mean of the signs, each value with the share of the lists of signs that have it."""
    values, chances = sgd._noise(Q(3, 2), batch, RATIONAL)
    law = Counter(Q(3, 2) * sum(each) / batch for each in itertools.product((1, -1), repeat=batch))
    found = {Q(int(v.p), int(v.q)): Q(int(c.p), int(c.q)) for v, c in zip(values, chances, strict=True)}
    assert found == {v: Q(n, 2**batch) for v, n in law.items()}
    floats, likely = sgd._noise(Q(3, 2), batch, None)
    assert floats == pytest.approx(sorted(float(v) for v in law))
    assert likely == pytest.approx([law[v] / 2**batch for v in sorted(law)])
    assert sgd._noise(0, batch, None) == ([0.0], [1.0])


def test_branches_of_drawn_clients_are_split() -> None:
    rows, counts, weights = np.array([3, 5]), np.array([[2, 0], [1, 1]]), np.array([0.25, 0.75])
    answers = np.array([[10.0, 20.0], [30.0, 40.0]])
    given = rows, counts, weights, answers
    levels, chances = [-1.0, 0.0, 1.0], [0.25, 0.5, 0.25]
    first = sgd._split_branches(0, levels, chances, *given)
    assert first[0].tolist() == [3, 3, 3, 5, 5, 5]
    assert first[2] == pytest.approx([w * c for w in weights for c in chances])
    assert first[3].tolist() == [[10 + v, 20] for v in levels] + [[30 + v, 40] for v in levels]
    second = sgd._split_branches(1, levels, chances, *given)
    assert second[0].tolist() == [3, 5, 5, 5]
    assert second[2] == pytest.approx([0.25, *(0.75 * c for c in chances)])
    assert second[3].tolist() == [[10, 20], *([30, 40 + v] for v in levels)]
    assert answers.tolist() == [[10, 20], [30, 40]]


@pytest.mark.parametrize("noise", [0, "1/4"])
@pytest.mark.parametrize(("drawn", "batch"), [(1, 1), (2, 2)])
def test_the_outcomes_of_a_round_of_batches(drawn: int, batch: int, noise: Any) -> None:
    clients = TiltedClients((1,), 0, "1/2", noise_std=noise)
    settings: dict[str, Any] = {
        "n_rounds": 3,
        "n_sampled": drawn,
        "batch_size": batch,
        "step_size": "1/10",
        "sampler_rate": 1,
    }
    world = sgd.MiniBatches(clients, run_constants(Case(clients, **settings), None))
    assert world.n_rounds == 2
    levels = batch + 1 if noise else 1
    draws = [counts for counts in itertools.product(range(drawn + 1), repeat=2) if sum(counts) == drawn]
    size = sum(levels ** sum(k > 0 for k in counts) for counts in draws)
    listing = world.listing(None, size**2)
    assert listing.size == size
    p, answer = np.array([[0.3, 0.7]]), np.array([[2.0, -1.0]])
    branch = listing.branch(np.ones(1), p, answer, np.array([[0.5]]))
    mean = (branch.weights[:, None] * branch.told.memory).sum()
    assert branch.weights.sum() == pytest.approx(1)
    assert mean == pytest.approx(0.5 - 0.1 * 1.0 / 2)  # the estimator is unbiased
    squares = (branch.weights[:, None] * branch.told.answer).sum(axis=0)
    var = float(Q(str(noise))) ** 2 / batch
    hit = [1 - (1 - q) ** drawn for q in (0.3, 0.7)]
    assert squares == pytest.approx([(a * a + h * var) / 4 for a, h in zip((2.0, -1.0), hit, strict=True)])
    if size > 1:
        with pytest.raises(NotEnumerable, match=f"more than {size**2 - 1} paths of the run"):
            world.listing(None, size**2 - 1)


# Slopes -----------------------------------------------------------------------------------------------------------------


class MySlope(SlopeClients):
    """Clients with a slope of their own."""

    def slope(self, w: np.ndarray) -> np.ndarray:
        return super().slope(w)


def on_slope(rounds: int, start: Any = 3, kind: Any = SlopeClients, **more: Any) -> Case:
    """Steps of at most mu s / alpha = (1/10) 2 / (1/2) = 2/5."""
    return Case(kind(2, 2, start, floor="1/2", **more), n_rounds=rounds, n_sampled=1, step_size="1/10", sampler_rate=1)


@pytest.mark.parametrize(("start", "wanted"), [(3, 8), ("1/10", 1), ("2/5", 1), ("41/100", 2), ("121/100", 4), (0, 1)])
def test_rounds_that_stay_on_a_slope(start: Any, wanted: int) -> None:
    """1 + floor(w^1 alpha / (mu s)); an exact integer may be rounded down."""
    found = sgd.rounds_on_slope(osmd, on_slope(5, start))
    whole = Q(str(start)) * 5 % 2 == 0
    assert found in ((wanted, wanted + 1) if whole else (wanted,))


def test_runs_of_which_the_rounds_on_the_slope_are_not_known() -> None:
    assert sgd.rounds_on_slope(osmd, on_slope(5, -1)) is None
    assert sgd.rounds_on_slope(osmd, on_slope(5, noise_std=1)) is None
    assert sgd.rounds_on_slope(osmd, on_slope(5, kind=MySlope)) is None
    assert sgd.rounds_on_slope(osmd._replace(step=lambda p, counts, feedback, c: p), on_slope(5)) is None
    other = Case(TiltedClients((1,), 0), n_rounds=5, n_sampled=1, step_size="1/10", sampler_rate=1)
    assert sgd.rounds_on_slope(osmd, other) is None


def test_values_on_a_slope(monkeypatch: pytest.MonkeyPatch) -> None:
    """s^2 in all rounds, or in the known ones of a long run; a short run is followed."""
    assert MEASURE.exact(osmd, on_slope(8), BALL) == 4
    monkeypatch.setattr(sgd, "FOLLOWED", 15)
    long = MEASURE.exact(osmd, on_slope(16), BALL)
    assert isinstance(long, AtLeast)
    value: Any = long.value
    assert value.contains(arb(4) * 8 / 16) or abs(float(value) - 2) < 1e-12
    with pytest.raises(NotRational):
        MEASURE.exact(osmd, on_slope(8), RATIONAL)
    bare = osmd._replace(exact=None)
    with pytest.raises(NotEnumerable, match="has no version in ball arithmetic"):
        MEASURE.exact(bare, on_slope(15), BALL)


# Sums of floats -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values", [[1e16, 1.0, -1e16], [1.0, -1e16, 1e16], [-1e16, -1.0, 1e16], [0.1] * 10, [1e16, -1.0, 1.0, 3.0]]
)
def test_compensated_sums_keep_what_one_float_loses(values: list[float]) -> None:
    total = np.zeros(2)
    for v in values:
        kernels.add_compensated(total, 0, v)
    exact = sum(map(Q, values))
    assert abs(Q(total[0]) + Q(total[1]) - exact) <= abs(exact) * Q(1, 2**100) + Q(1, 2**70)


@pytest.mark.parametrize("n", range(1, 10))
def test_masses_and_losses_of_any_number_of_clients(n: int) -> None:
    p, a = np.arange(1.0, n + 1) / 8, np.arange(n, 0, -1.0)
    for threshold in (0.0, 0.125, 0.5, 0.6, n / 8):
        mass, many = kernels._mass_above(p, threshold)
        assert (mass, many) == (pytest.approx(p[p > threshold].sum()), (p > threshold).sum())
    sums = np.empty(n)
    assert kernels.summed_loss(a, p, sums) == pytest.approx((a / p).sum())
    assert sums == pytest.approx(p.cumsum())


def test_exponents_of_a_step() -> None:
    assert kernels.exponent(2, 3.0, 0.5, 4, 0.25) == pytest.approx(2 * 3 * 0.5 / (16 / 64))
    assert kernels.exponent(2, 0.0, math.inf, 4, 0.25) == 0.0
    assert kernels.exponent(1, 1e200, 1e200, 1, 1.0) == kernels.LARGEST
