"""Baselines against their formulas by hand, what a change of units does to each, servers, FedProx, Delta-SGD as released."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from flint import arb, fmpq

from fltheory.model.case import Case
from fltheory.papers.delta_sgd.algorithms import servers
from fltheory.papers.delta_sgd.algorithms.optimisers import (
    adagrad,
    adam,
    decreasing_sgd,
    polyak,
    proximal,
    released_delta_sgd,
    sgd,
    sgdm,
    sps,
)
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.algorithm import rollout
from fltheory.runs.client_optimiser import ClientOptimiser, ClientOracle, adaptive_optimiser, federated_averaging
from fltheory.runs.method import VariantError
from fltheory.runs.oracle import Oracle

DELTA = {"initial_step_size": 0.2, "initial_ratio": 1.0, "amplifier": 2.0, "growth_damping": 0.1}


class Bowl:
    """f(x) = scale * sum_j a_j (x_j / unit)^2 / 2 + scale * (sum of |x_j / unit|^3) * bend, told without noise."""

    def __init__(self, curvatures: list[float], scale: float = 1.0, unit: float = 1.0, bend: float = 0.0) -> None:
        self.a, self.scale, self.unit, self.bend = np.asarray(curvatures), scale, unit, bend

    def gradient(self, x: np.ndarray, batch: int = 0) -> np.ndarray:
        y = x / self.unit
        return (self.a * y + self.bend * 3 * y * abs(y)) * self.scale / self.unit

    def loss(self, x: np.ndarray, batch: int = 0) -> np.ndarray:
        y = x / self.unit
        return ((self.a * y * y).sum(axis=1) / 2 + self.bend * (abs(y) ** 3).sum(axis=1)) * self.scale


class Line:
    """a/2 x^2 in one dimension, in rational numbers."""

    def __init__(self, a: int) -> None:
        self.a = fmpq(a)

    def gradient(self, x: np.ndarray, batch: int = 0) -> np.ndarray:
        return self.a * x

    def loss(self, x: np.ndarray, batch: int = 0) -> np.ndarray:
        return self.a / 2 * (x * x)[:, 0]


def constants(**values: object) -> SimpleNamespace:
    return SimpleNamespace(**values)


def walk(optimiser: ClientOptimiser, x: np.ndarray, ask: object, c: SimpleNamespace, n: int) -> list[np.ndarray]:
    """The points of n local steps."""
    state, points = optimiser.init(x, c), [x]
    for _ in range(n):
        x, state = optimiser.step(x, state, ask, c)
        points.append(x)
    return points


QUARTER = fmpq(1, 4)


def on_a_line(optimiser: ClientOptimiser, steps: int = 2, a: int = 1, lr: fmpq = QUARTER) -> list[Any]:
    x = np.array([[fmpq(1)]], dtype=object)
    return [p[0, 0] for p in walk(optimiser, x, Line(a), constants(step_size=lr), steps)]


# Two steps by hand ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("optimiser", "points"),
    [
        (sgd, ("3/4", "9/16")),
        (sgdm, ("3/4", "27/80")),  # v = 9/10 + 3/4 = 33/20
        (decreasing_sgd, ("3/4", "21/32")),
        (polyak(floor=Fraction(0)), ("0", "0")),  # x^2/2 / (x^2/2): the inverse curvature
        (polyak(Fraction(1), Fraction(0)), ("1/2", "1/4")),
    ],
    ids=lambda v: getattr(v, "name", ""),
)
def test_two_steps_in_rationals(optimiser: ClientOptimiser, points: tuple[str, ...]) -> None:
    if points[0] == "0":  # it has arrived: 0/0 comes next
        assert on_a_line(optimiser, 1)[1] == 0
        return
    found = on_a_line(optimiser)
    assert found[1:] == [fmpq(*map(int, p.split("/"))) for p in points]
    if optimiser.name != "SPS":  # which has no step size, and for which all curvatures are alike
        assert on_a_line(optimiser, lr=fmpq(1, 3), a=2)[1:] != found[1:]


def test_the_first_steps_of_adam_and_adagrad() -> None:
    """The first step has the step's size, up to the floor: exactly lr g / (|g| + floor)."""
    lr = Fraction(1, 4)
    for optimiser, floor in ((adam, Fraction(1, 10**8)), (adagrad, Fraction(1, 10**10))):
        moved = 1 - on_a_line(optimiser, 1, a=3)[1]
        exactly = lr * 3 / (3 + floor)
        assert arb(moved).overlaps(arb(fmpq(exactly.numerator, exactly.denominator)))
        assert not arb(moved).overlaps(arb(fmpq(1, 4)))
        first, second = on_a_line(optimiser, 2)[1:]
        g, h = 1, float(first)
        if optimiser is adagrad:
            other = h - 0.25 * h / math.sqrt(1 + h * h)
        else:
            u, s = 0.09 * g + 0.1 * h, 0.999 * 0.001 * g + 0.001 * h * h
            other = h - 0.25 * u / 0.19 / math.sqrt(s / (1 - 0.999**2))
        assert float(arb(second)) == pytest.approx(other, rel=1e-7)


@pytest.mark.parametrize("optimiser", [sgd, sgdm, decreasing_sgd, adam, adagrad, sps], ids=lambda o: o.name)
def test_floats_and_exact_numbers_agree(optimiser: ClientOptimiser) -> None:
    exactly = on_a_line(optimiser, 5, a=3, lr=fmpq(1, 5))
    floats = walk(optimiser, np.ones((1, 1)), Bowl([3.0]), constants(step_size=0.2), 5)
    assert [p[0, 0] for p in floats] == pytest.approx([float(arb(v)) for v in exactly], rel=1e-9, abs=1e-12)


def test_rows_do_not_mix() -> None:
    """Two clients at once are each alone."""
    both = np.array([[1.0, -2.0], [3.0, 0.5]])
    for optimiser in (sgd, sgdm, adam, adagrad, sps, released_delta_sgd()):
        c = constants(step_size=0.1, **DELTA)
        together = walk(optimiser, both, Bowl([1.0, 3.0]), c, 4)[-1]
        for i in range(2):
            assert walk(optimiser, both[i : i + 1], Bowl([1.0, 3.0]), c, 4)[-1][0] == pytest.approx(together[i])


# Units ------------------------------------------------------------------------------------------------------------------

UNIT, SCALE = 8.0, 50.0
TIMES = {"as a step": UNIT**2 / SCALE, "as a length": UNIT, "not at all": 1.0}


def _in_other_units(optimiser: ClientOptimiser, changed: str) -> float:
    """How far a run in other units is off the same run, the step size changed so."""
    plain, other = Bowl([1.0, 3.0, 10.0], bend=0.5), Bowl([1.0, 3.0, 10.0], SCALE, UNIT, 0.5)
    x = np.array([[1.0, -0.5, 0.25]])
    times = TIMES[changed]
    one = walk(optimiser, x, plain, constants(step_size=0.02, **DELTA), 6)[-1]
    c = constants(step_size=0.02 * times, **{**DELTA, "initial_step_size": 0.2 * times})
    with np.errstate(all="ignore"):
        two = walk(optimiser, x * UNIT, other, c, 6)[-1] / UNIT
    return float(np.abs(one - two).max())


@pytest.mark.parametrize(
    ("optimiser", "changed"),
    [
        (sgd, "as a step"),
        (sgdm, "as a step"),
        (decreasing_sgd, "as a step"),
        (adam, "as a length"),
        (adagrad, "as a length"),
        (polyak(floor=Fraction(0)), "not at all"),
        (adaptive_optimiser(batches="same"), "as a step"),
    ],
    ids=lambda v: getattr(v, "name", ""),
)
def test_what_a_step_size_must_do_when_units_change(optimiser: ClientOptimiser, changed: str) -> None:
    """The same run comes out, and with any other change it doesn't: what was tuned is not tuned any more."""
    assert _in_other_units(optimiser, changed) < 1e-6
    if optimiser.name == "SPS":  # it has no step size
        assert _in_other_units(optimiser, "as a step") < 1e-6
        return
    for wrong in TIMES:
        if wrong != changed:
            assert not _in_other_units(optimiser, wrong) < 1e-3


# Delta-SGD as released, AdGD ---------------------------------------------------------------------------------------------


def test_the_released_code_grows_its_first_step() -> None:
    """On a parabola of curvature 5 with the defaults: sqrt(1.1)/5, then 1/5 and a floor."""
    c = constants(**DELTA)
    ask, x = Bowl([5.0]), np.ones((1, 1))
    first = walk(released_delta_sgd(), x, ask, c, 1)[1]
    assert first[0, 0] == pytest.approx(1 - 5 * 0.2 * math.sqrt(1.1), rel=1e-14)
    plain = walk(adaptive_optimiser(batches="same"), x, ask, c, 1)[1]
    assert plain[0, 0] == 0  # eta_0 is the inverse curvature
    optimiser = released_delta_sgd()
    state = optimiser.init(x, c)
    y, state = optimiser.step(x, state, ask, c)
    y, state = optimiser.step(y, state, ask, c)
    assert state.lr[0] == pytest.approx(0.2 + 1e-8, abs=1e-12)
    assert state.lr[0] > 0.2 + 5e-9


def test_the_released_floor_stays_off_the_cap_where_gradients_are_the_same() -> None:
    flat = SimpleNamespace(gradient=lambda x, batch=0: np.ones_like(x))
    optimiser, c = released_delta_sgd(), constants(**DELTA)
    x, state = np.zeros((1, 1)), None
    state = optimiser.init(x, c)
    x, state = optimiser.step(x, state, flat, c)
    x, state = optimiser.step(x, state, flat, c)
    grown = math.sqrt(1.1)
    assert state.lr[0] == 0.2 * grown * math.sqrt(1 + 0.1 * grown)


def test_adgd_begins_without_a_cap() -> None:
    """One client, theta_0 = infinity: the second step is the inverse of twice the curvature, however small the first."""
    c = constants(initial_step_size=1e-6, initial_ratio=np.inf, amplifier=1.0, growth_damping=1.0)
    optimiser, ask, x = adaptive_optimiser(batches="same"), Bowl([4.0]), np.ones((1, 1))
    state = optimiser.init(x, c)
    for _ in range(2):
        x, state = optimiser.step(x, state, ask, c)
    assert state.lr[0] == pytest.approx(1 / 8)
    capped = constants(**{**vars(c), "initial_ratio": 1.0})
    state = optimiser.init(np.ones((1, 1)), capped)
    y = np.ones((1, 1))
    for _ in range(2):
        y, state = optimiser.step(y, state, ask, capped)
    assert state.lr[0] == pytest.approx(1e-6 * math.sqrt(2))


# In the kernel's loop ----------------------------------------------------------------------------------------------------


def test_a_client_that_asks_for_losses_needs_an_oracle_that_tells_them() -> None:
    case = Case(QuadraticClients((1, 2), (0, 1), 1), n_rounds=2, n_local_steps=2, step_size="1/4")
    assert rollout(federated_averaging(sgdm), case, 2).shape == (2, 3, 1)
    with pytest.raises(VariantError, match="returns only gradients"):
        rollout(federated_averaging(sps), case, 1)
    telling = cast(Oracle, SimpleNamespace(loss=lambda x, client, k: (x[:, 0], client, k)))
    assert ClientOracle(telling, 3, 4).loss(np.ones((1, 1)), 1)[1:] == (3, 5)


# FedProx -----------------------------------------------------------------------------------------------------------------


def test_fedprox_ends_where_the_pull_balances() -> None:
    """Many steps on a/2 (x - 1)^2 from x_t end at (a + mu x_t) / (a + mu)."""
    a, mu, start = 3.0, 2.0, -1.0
    ask = SimpleNamespace(gradient=lambda x, batch=0: a * (x - 1), loss=lambda x, batch=0: a / 2 * ((x - 1) ** 2)[:, 0])
    c = constants(step_size=0.1, proximal_weight=mu, **DELTA)
    for optimiser in (sgd, adaptive_optimiser(batches="same")):
        end = walk(proximal(optimiser), np.full((1, 1), start), ask, c, 200)[-1]
        assert end[0, 0] == pytest.approx((a + mu * start) / (a + mu), rel=1e-9)
        free = walk(optimiser, np.full((1, 1), start), ask, c, 200)[-1]
        assert free[0, 0] == pytest.approx(1, rel=1e-9)


def test_fedprox_changes_losses_and_curvatures() -> None:
    """SPS sees the loss with its pull; Delta-SGD's first entry is gamma / 2 over a + mu."""
    c = constants(proximal_weight=fmpq(1), step_size=fmpq(1))
    optimiser = proximal(polyak(floor=Fraction(0)))
    x = np.array([[fmpq(1)]], dtype=object)
    state = (np.array([[fmpq(0)]], dtype=object), None)
    assert optimiser.step(x, state, Line(1), c)[0][0, 0] == 0  # (1/2 + 1/2) / (1/2 * 4), along 2
    d = constants(**{**DELTA, "initial_step_size": 10.0}, proximal_weight=3.0)
    floats = proximal(adaptive_optimiser(batches="same"))
    y, inner = np.full((1, 1), 1.0), floats.init(np.full((1, 1), 1.0), d)
    for _ in range(2):
        y, inner = floats.step(y, inner, Bowl([2.0]), d)
    assert inner[1].lr[0] == pytest.approx(1 / (2.0 + 3.0))


# Servers -----------------------------------------------------------------------------------------------------------------


def test_the_mean_of_clients_and_its_weights() -> None:
    local = np.array([[[0.0, 2.0], [4.0, 0.0]]])
    assert servers.client_mean(local).tolist() == [[2, 1]]
    assert servers.client_mean(local, np.array([[3.0, 1.0]])).tolist() == [[1, 1.5]]
    x, state = servers.fedavg.step(local[:, 0], local[:, 1], None, None)
    assert (x == local[:, 1]).all()
    assert state is None


def test_fedsgd_is_a_step_along_the_mean_gradient() -> None:
    case = Case(QuadraticClients((1, 3), (0, 2), 1), n_rounds=3, n_local_steps=1, step_size="1/4")
    states = rollout(federated_averaging(sgd), case, 1)[0, :, 0]
    for x, y in pairwise(states):
        assert y == pytest.approx(x - 0.25 * (x + (3 * x + 2)) / 2)
    twice = rollout(federated_averaging(sgd), case.with_settings(n_local_steps=2), 1)[0, :, 0]
    assert twice[1] != pytest.approx(states[1])


def test_fedadam_moves_by_its_step_at_first() -> None:
    c = constants(server_step_size=servers.FEDADAM_STEP)
    x, mean = np.array([[1.0, 1.0, 1.0]]), np.array([[0.0, 5.0, 1.0]])
    state = servers.fedadam.init(x, c)
    moved, state = servers.fedadam.step(x, mean, state, c)
    assert (x - moved)[0] == pytest.approx([1e-3, -1e-3, 0], abs=1e-10)
    again, state = servers.fedadam.step(moved, moved, state, c)
    assert (moved - again)[0, 0] == pytest.approx(1e-3 * (0.09 / 0.19) / math.sqrt(0.999e-3 / (1 - 0.999**2)), rel=1e-6)
    assert state.seen == 2
