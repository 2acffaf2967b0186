"""Instances of one's own: what contradicts itself gets no verdict, what agrees keeps its value but not its privileges."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import pytest
from sympy import Symbol

from fltheory import symbols
from fltheory.claims.check import check_claim
from fltheory.number import RATIONAL, Number, Ring
from fltheory.papers.sfl import algorithms
from fltheory.papers.sfl.instances.quadratics import at_effective_step
from fltheory.papers.sfl.upper.claims import theorem3
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.constants import run_constants


class Unchanged(QuadraticClients):
    """A subclass that adds nothing."""


class OtherLaw(QuadraticClients):
    def client_laws(self, client: int, step: Number, n_steps: int, ring: Ring) -> Any:
        return QuadraticClients((30, 30), (0, 0), 1).client_laws(client, step, n_steps, ring)


class OtherHessian(QuadraticClients):
    def hessian(self, i: int, j: int) -> Any:
        return 100 * super().hessian(i, j)


class OneStepOnly(QuadraticClients):
    def client_laws(self, client: int, step: Number, n_steps: int, ring: Ring) -> Any:
        return super().client_laws(client, step, 1, ring)


class LouderNoise(QuadraticClients):
    def noise(self, x: np.ndarray, client: int | np.ndarray, uniforms: np.ndarray) -> np.ndarray:
        return 3 * super().noise(x, client, uniforms)


class TwoFaced(QuadraticClients):
    def gradient(self, x: np.ndarray, client: int | np.ndarray) -> np.ndarray:
        return super().gradient(x, client) * (1 if x.dtype != object else 2)

    def mean_gradient(self, x: np.ndarray) -> np.ndarray:
        return super().mean_gradient(x) * (1 if x.dtype != object else 2)


class WrongGap(QuadraticClients):
    def gap(self, x: np.ndarray) -> np.ndarray:
        return 100 * super().gap(x)


class AllAlike(QuadraticClients):
    @cached_property
    def client_types(self) -> tuple[int, ...]:
        return (0, 0)


EVIL_INSTANCES = [OtherLaw, OtherHessian, OneStepOnly, LouderNoise, TwoFaced, WrongGap, AllAlike]


@pytest.mark.parametrize("kind", EVIL_INSTANCES, ids=lambda k: k.__name__)
@pytest.mark.parametrize("noise", [0, "1/2"], ids=["quiet", "noisy"])
def test_an_instance_that_contradicts_itself_gets_no_verdict(kind: type, noise: int | str) -> None:
    if kind is LouderNoise and noise == 0:
        pytest.skip("nothing to be louder")
    case = at_effective_step(kind((1, "1/10"), (1, -1), 3, noise), "1/10", n_rounds=12, n_local_steps=2)
    verdict = check_claim(theorem3.upper_convex, case)
    assert verdict.status == "inapplicable"
    assert any(words in verdict.reason for words in (kind.__name__, "initial_gap", "noise_std", "mean_gradient"))


@pytest.mark.parametrize("noise", [0, "1/2"], ids=["quiet", "noisy"])
def test_a_subclass_that_changes_nothing_keeps_its_verdict(noise: int | str) -> None:
    found = [
        check_claim(
            theorem3.upper_convex,
            at_effective_step(k((1, "1/10"), (1, -1), 3, noise), "1/10", n_rounds=12, n_local_steps=2),
        )
        for k in (QuadraticClients, Unchanged)
    ]
    assert (found[0].status, found[0].evidence, found[0].measured) == (
        found[1].status,
        found[1].evidence,
        found[1].measured,
    )


class Shifted(QuadraticClients):
    """Consistent, but with methods of its own: the same gradients another way."""

    def gradient(self, x: np.ndarray, client: int | np.ndarray) -> np.ndarray:
        return QuadraticClients.gradient(self, x, client) * 1


def test_a_consistent_subclass_has_no_privileges_and_the_same_value() -> None:
    own, other = (
        at_effective_step(k((1, "1/10"), (1, -1), 3, "1/2"), "1/10", n_rounds=12, n_local_steps=2)
        for k in (QuadraticClients, Shifted)
    )
    assert algorithms.sequential_law(other.instance, run_constants(other, RATIONAL), RATIONAL) is None
    assert check_claim(theorem3.upper_convex, other).measured == pytest.approx(
        check_claim(theorem3.upper_convex, own).measured
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("strong_convexity", 1),
        ("noise_std_at_optimum", 0),
        ("noise_std", 0),
        ("initial_gradient", 0),
        ("heterogeneity_at_optimum", 0),
        ("initial_distance", 1),
    ],
)
def test_constants_that_the_instance_breaks(name: str, value: int) -> None:
    class Boastful(QuadraticClients):
        @cached_property
        def constants(self) -> Mapping[Symbol, Number]:
            return {**QuadraticClients.constants.func(self), getattr(symbols, name): value}

    instance = Boastful((1, "1/10"), (1, -1), 3, "1/2")
    verdict = check_claim(theorem3.upper_convex, at_effective_step(instance, "1/10", n_rounds=12, n_local_steps=2))
    assert verdict.status == "inapplicable"
    assert name in verdict.reason
