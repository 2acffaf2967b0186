"""The upper bounds of the paper: hundreds of random instances by exact moments, scale tests, rates."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.evidence.exact import exact_ball
from fltheory.model.case import Case
from fltheory.number import Number, to_float
from fltheory.papers.sfl import bounds
from fltheory.papers.sfl.instances.quadratics import at_effective_step
from fltheory.papers.sfl.notation import R
from fltheory.papers.sfl.upper import counterexamples
from fltheory.papers.sfl.upper.claims import theorem3
from fltheory.problems.separable import QuadraticClients

TRUE = [c for c in theorem3.CLAIMS if c.entry.recorded == "holds"]
UNTUNED = [c for c in TRUE if not c.tuning]


def random_case(random: Random, claim: Claim) -> Case:
    """A random 1-d quadratic instance with its run, scaled to the claim's step."""
    n = random.randint(1, 4)
    decimals = [round(10 ** random.uniform(-3, 0), 4) for _ in range(n)]
    if random.random() < 0.3:
        decimals = decimals[:1] * n
    scale = random.choice([0, 10 ** random.uniform(-2, 1)])
    noise = random.choice([0, 10 ** random.uniform(-2, 1)])
    instance = QuadraticClients(
        decimals,
        [round(scale * random.uniform(-1, 1), 4) for _ in range(n)],
        random.randint(-3, 3),
        noise_std=round(noise, 4),
    )
    rounds = max(1, round(10 ** random.uniform(0, 4)))
    settings = {"n_rounds": rounds, "n_local_steps": random.randint(1, 4)}
    steps = "MK"
    if "PP" in claim.id:
        settings["n_participating"] = random.randint(1, n)
        steps = "SK"
    if "PFL" in claim.id or "T7" in claim.id:
        steps = "K"
    relative = round(10 ** random.uniform(-3, math.log10(1 / 6)), 6)
    return at_effective_step(instance, min(relative, 0.1666), steps, **settings)


@pytest.mark.turns(3)
@pytest.mark.parametrize("instances", [45, pytest.param(420, marks=pytest.mark.deep)])
def test_every_corrected_bound_holds_on_hundreds_of_random_instances(instances: int) -> None:
    """No bound is ever below the exact error, on as many instances of each claim, with ``-m deep`` on four hundred."""
    random = Random(20)
    smallest: dict[str, float] = {}
    applicable = dict.fromkeys((c.id for c in UNTUNED), 0)
    for _ in range(instances):
        for claim in UNTUNED:
            verdict = check_claim(claim, random_case(random, claim))
            assert verdict.status in ("holds", "vacuous", "inapplicable"), verdict
            if verdict.status != "inapplicable" and verdict.ratio:
                applicable[claim.id] += 1
                smallest[claim.id] = min(smallest.get(claim.id, math.inf), 1 / verdict.ratio)
    assert min(applicable.values()) > instances / 10, applicable
    for name, ratio in sorted(smallest.items()):
        print(f"{name}: smallest bound/measured {ratio:.1f} over {applicable[name]} instances")
    assert all(ratio >= 1 for ratio in smallest.values())


@pytest.mark.parametrize(
    ("claim", "at_most"),
    [(theorem3.upper_strongly_convex, 15.3), (theorem3.upper_convex, 14.6)],
    ids=lambda v: getattr(v, "id", ""),
)
def test_tightest_cases_are_about_fifteen(claim: Claim, at_most: float) -> None:
    """The stored tightest cases are at least as tight as the smallest ratios known before, 15.3 and 14.6."""
    assert claim.tightest is not None
    verdict = check_claim(claim, claim.tightest)
    assert verdict.ratio is not None
    assert 1 <= 1 / verdict.ratio <= at_most


def test_printed_step_exponent_gives_a_slower_rate() -> None:
    """Corollary 4, general convex: with the printed step the error decays like R^(-1/3), with the corrected R^(-2/3).

    The worst curvature is about 1 / (step * rounds), so the instance changes with R, as a lower bound's does.
    """

    def worst(claim: Claim, rounds: int) -> float:
        errors = []
        for exponent in range(0, 12):
            curvature = 10.0**-exponent
            instance = QuadraticClients(((curvature, 1), (curvature, 1)), ((0, 1), (0, -1)), (1, 0))
            case = claim.prepared(Case(instance, n_rounds=rounds, n_local_steps=1))
            assert claim.measure is not None
            errors.append(to_float(exact_ball(claim.measure, claim.algorithm, case).value))
        return max(errors)

    def slope(claim: Claim) -> float:
        return math.log10(worst(claim, 10**12) / worst(claim, 10**6)) / 6

    assert slope(theorem3.tuned_convex_printed) == pytest.approx(-1 / 3, abs=0.02)
    assert slope(theorem3.tuned_convex) == pytest.approx(-2 / 3, abs=0.02)
    assert bounds.RATE_GC.has(R)


def test_witness_of_the_printed_condition_satisfies_the_printed_condition_only() -> None:
    case = counterexamples.T3_SC_LITERAL[0]
    assert check_claim(theorem3.upper_strongly_convex, case).status == "inapplicable"
    assert check_claim(theorem3.upper_strongly_convex_sharp, case).status in ("holds", "vacuous")


@pytest.mark.parametrize("claim", TRUE, ids=lambda c: c.id)
def test_scale_equivariance(claim: Claim) -> None:
    """F -> 7 F and x -> x / 3 leave every ratio unchanged, exactly."""
    case = claim.cases[1]
    instance = case.instance
    assert isinstance(instance, QuadraticClients)
    verdict = check_claim(claim, case)
    energy = replace(
        instance,
        curvatures=_times(instance.curvatures, 7),
        slopes=_times(instance.slopes, 7),
        noise_std=_times(instance.noise_std, 7),
    )
    length = replace(
        instance,
        curvatures=_times(instance.curvatures, 9),
        slopes=_times(instance.slopes, 3),
        noise_std=_times(instance.noise_std, 3),
        start=tuple(v / 3 if v % 3 else v // 3 for v in map(_fraction, instance.start)),
    )
    step = dict(case.settings).get("step_size")
    for scaled, factor in ((energy, 7), (length, 9)):
        settings = dict(case.settings) | ({"step_size": _fraction(step) / factor} if step is not None else {})
        again = check_claim(claim, Case(scaled, **settings))
        assert again.status == verdict.status
        assert again.ratio == pytest.approx(verdict.ratio, rel=1e-12)


def _fraction(value: Number | str) -> Fraction:
    return Fraction(value)


def _times(table: tuple[Any, ...], factor: int) -> tuple[Any, ...]:
    return tuple(_times(v, factor) if isinstance(v, tuple) else v * factor for v in table)
