"""Assumptions are checked, never believed: a user's instance that claims too much is caught with a reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from fltheory import symbols
from fltheory.model.case import Case
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients
from fltheory.problems.strategies import quadratic_clients
from fltheory.runs import assumptions as assume
from fltheory.verification import verify

EVERY = (
    assume.constants_described,
    assume.smooth,
    assume.convex,
    assume.minimiser_exists,
    assume.bounded_noise,
    assume.heterogeneity_at_optimum,
    assume.plain_server,
    assume.full_participation,
)
TRUTH = {
    symbols.n_clients: 2,
    symbols.smoothness: 2,
    symbols.strong_convexity: 1,
    symbols.initial_distance: 3,
    symbols.initial_gap: Fraction(27, 4),
    symbols.noise_std: 1,
    symbols.heterogeneity_at_optimum: 1,
    symbols.heterogeneity: 2,
    symbols.heterogeneity_slope: 1,
}


@dataclass
class Mine:
    """A user's own instance (not frozen, so not hashable): F_1 = x^2/2 + x, F_2 = x^2 - x, and what is claimed of it."""

    claimed: Mapping[Any, Any] = field(default_factory=lambda: dict(TRUTH))
    bias: float = 0.0
    size: float = 1.0
    n_clients: int = 2
    dim: int = 1
    start: tuple[Any, ...] = (3,)
    minimiser: tuple[Any, ...] = (0,)
    draws: int = 1
    broken: bool = False

    @property
    def constants(self):
        return self.claimed

    def gradient(self, x, client):
        curvature, slope = np.array([1.0, 2.0])[client], np.array([1.0, -1.0])[client]
        return x * np.nan if self.broken else np.reshape(curvature, (-1, 1)) * x + np.reshape(slope, (-1, 1))

    def mean_gradient(self, x):
        return (self.gradient(x, 0) + self.gradient(x, 1)) / 2

    def gap(self, x):
        return 0.75 * x[:, 0] ** 2

    def noise(self, x, client, uniforms):
        return self.size * np.where(uniforms < 0.5, 1.0, -1.0) + self.bias


@given(quadratic_clients())
def test_the_librarys_instances_satisfy_what_they_claim(instance):
    case = Case(instance)
    assert [a.check(case) for a in EVERY] == [None] * len(EVERY)
    assert assume.uniform_heterogeneity.check(case) is None or symbols.heterogeneity not in case.constants
    if case.constants[symbols.strong_convexity] > 0:
        assert assume.strongly_convex.check(case) is None
    else:
        assert assume.strongly_convex.check(case) == "strong_convexity is 0"


def test_a_users_instance_with_true_constants_passes():
    case = Case(Mine())
    assert [a.check(case) for a in (*EVERY, assume.strongly_convex, assume.uniform_heterogeneity)] == [None] * 10


@pytest.mark.parametrize(
    ("symbol", "claimed", "assumption", "words"),
    [
        (symbols.smoothness, Fraction(19, 10), assume.smooth, "faster than smoothness = 1.9"),
        (
            symbols.strong_convexity,
            Fraction(11, 10),
            assume.strongly_convex,
            "not strongly convex with strong_convexity = 1.1",
        ),
        (
            symbols.heterogeneity_at_optimum,
            Fraction(9, 10),
            assume.heterogeneity_at_optimum,
            "0.9 is below the found 1",
        ),
        (symbols.heterogeneity_slope, Fraction(1, 100), assume.uniform_heterogeneity, "differ by more"),
        (symbols.heterogeneity, Fraction(1, 2), assume.uniform_heterogeneity, "differ by more"),
        (symbols.noise_std, Fraction(1, 2), assume.bounded_noise, "noise_std = 0.5 is below the noise of client 0"),
        (symbols.initial_distance, 2, assume.constants_described, "initial_distance = 2, but the instance has 3"),
        (symbols.initial_distance, 4, assume.constants_described, "initial_distance = 4, but the instance has 3"),
        (symbols.initial_gap, 6, assume.constants_described, "initial_gap = 6, but the instance has 6.75"),
        (symbols.n_clients, 3, assume.constants_described, "n_clients = 3, but the instance has 2"),
    ],
)
def test_a_wrong_constant_is_caught(symbol, claimed, assumption, words):
    assert words in assumption.check(Case(Mine({**TRUTH, symbol: claimed})))


@pytest.mark.parametrize(
    ("changes", "assumption", "words"),
    [
        ({"minimiser": (1,)}, assume.minimiser_exists, "does not vanish"),
        ({"bias": 0.5, "size": 0.5}, assume.bounded_noise, "has mean 0.49"),
        ({"broken": True}, assume.smooth, "smoothness"),
        ({"broken": True}, assume.convex, "convex"),
        ({"broken": True}, assume.minimiser_exists, "does not vanish"),
        ({"broken": True}, assume.heterogeneity_at_optimum, "nan"),
        ({"broken": True}, assume.uniform_heterogeneity, "differ"),
        ({"size": float("nan")}, assume.bounded_noise, "nan"),
    ],
)
def test_wrong_functions_are_caught_also_where_they_are_nan(changes, assumption, words):
    assert words in assumption.check(Case(Mine(**changes)))


@pytest.mark.parametrize("symbol", sorted(TRUTH, key=str))
def test_a_constant_that_is_not_given_is_named_or_not_needed(symbol):
    case = Case(Mine({s: v for s, v in TRUTH.items() if s is not symbol}))
    reasons = [
        a.check(case)
        for a in (
            assume.smooth,
            assume.strongly_convex,
            assume.bounded_noise,
            assume.heterogeneity_at_optimum,
            assume.uniform_heterogeneity,
        )
    ]
    needed = symbol not in (symbols.n_clients, symbols.initial_distance, symbols.initial_gap)
    assert any(r == f"the instance provides no {symbol.name}" for r in reasons) == needed


class Spread(Mine):
    """One client with curvatures along orthogonal directions; start and minimiser differ in the first coordinate."""

    def __init__(self, hessian, **constants):
        self.hessian = np.asarray(hessian, dtype=float)
        n = len(self.hessian)
        super().__init__({symbols.n_clients: 1, **{getattr(symbols, k): v for k, v in constants.items()}})
        self.n_clients, self.dim, self.start, self.minimiser = 1, n, (3,) + (0,) * (n - 1), (0,) * n

    def gradient(self, x, client):
        return x @ self.hessian

    def mean_gradient(self, x):
        return x @ self.hessian

    def gap(self, x):
        return ((x @ self.hessian) * x).sum(axis=-1) / 2


def hidden(top, bottom):
    """Ten dimensions, curvatures 1 but for ``top`` and ``bottom`` in directions that no axis has."""
    basis = np.linalg.qr(np.random.default_rng(5).normal(size=(10, 10)))[0]
    return basis @ np.diag([top, bottom] + [1.0] * 8) @ basis.T


def test_curvature_where_start_and_minimiser_agree_or_in_a_hidden_direction_is_found():
    for hessian in (np.diag([1, 100]), hidden(100, 1)):
        assert "smoothness = 99" in assume.smooth.check(Case(Spread(hessian, smoothness=99)))
        assert assume.smooth.check(Case(Spread(hessian, smoothness=Fraction(10001, 100)))) is None
    for hessian in (np.diag([1, 0.01]), hidden(2, 0.01)):
        least = Fraction(1, 50)
        assert "strongly convex" in assume.strongly_convex.check(Case(Spread(hessian, strong_convexity=least)))
        assert assume.strongly_convex.check(Case(Spread(hessian, strong_convexity=Fraction(1, 101)))) is None


LIES = {
    "mean_gradient is not the mean": {"mean_gradient": lambda self, x: 1.4 * x},
    "gap is 1, not 0": {"gap": lambda self, x: 0.75 * x[:, 0] ** 2 + 1},
    "gap is negative": {"gap": lambda self, x: -0.75 * x[:, 0] ** 2},
    "gap is not consistent with mean_gradient": {"gap": lambda self, x: 0.76 * x[:, 0] ** 2},
}


@pytest.mark.parametrize("words", LIES)
def test_functions_that_contradict_each_other_are_caught(words):
    liar = type("Liar", (Mine,), LIES[words])
    assert words in assume.minimiser_exists.check(Case(liar()))


def test_every_claim_names_constants_that_the_instance_denies():
    verdict = verify(
        "sfl/T3-SC@corrected", Mine({**TRUTH, symbols.initial_gap: 7}), n_rounds=9, n_local_steps=1, step_size="1/99"
    )
    assert verdict.reason.startswith("the constants describe the instance: initial_gap = 7")


def test_a_concave_side_is_no_convex_objective():
    class Concave(Mine):
        def gradient(self, x, client):
            return -x

    assert "not convex" in assume.convex.check(Case(Concave()))


def test_a_curvature_on_the_far_side_of_the_kink_counts():
    instance = PiecewiseQuadraticClients((1, 1), (50, 1), (0, 0), -1)
    assert instance.constants[symbols.smoothness] == 50
    assert "smoothness = 49" in assume.smooth.check(Case(instance, smoothness=49))


def test_settings_of_the_run():
    instance = QuadraticClients((1, 1), (1, -1), 1)
    assert assume.full_participation.check(Case(instance, n_participating=1)) == "some clients don't take part"
    assert assume.participation.check(Case(instance, n_participating=3)) == "more clients take part than there are"
    assert assume.participation.check(Case(instance)) == "the instance provides no n_participating"
    assert assume.plain_server.check(Case(instance, server_step_size=2)) == "server_step_size is not 1"
    assert assume.noiseless.check(Case(instance)) is None
    assert assume.noiseless.check(Case(instance, noise_std=1)) == "noise_std is not 0"


@pytest.mark.parametrize("method", ["gradient", "mean_gradient", "gap", "noise"])
@pytest.mark.parametrize(
    ("function", "words"),
    [(lambda *_: 1 // 0, "integer division"), (lambda self, x, *_: x[:1, 0], r"returned shape \(1,\), expected")],
)
def test_a_method_that_fails_is_named(method, function, words):
    liar = type("Liar", (Mine,), {method: function})
    with pytest.raises(ValueError, match=rf"Liar\.{method}.*{words}"):
        [assumption.check(Case(liar())) for assumption in EVERY]
