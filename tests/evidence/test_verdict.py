"""Words and figures of verdicts: of sampled runs the mean with its interval beside it, bounds of values called bounds."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb

from fltheory import find
from fltheory.claims.check import check_claim
from fltheory.evidence.betting import confidence_limits, interval_excludes
from fltheory.evidence.measured import ESTIMATE_ERROR_RATE, Interval, Measured
from fltheory.evidence.sequential import simulate
from fltheory.evidence.verdict import Verdict, decisive_verdict, display_value
from fltheory.model.case import Case
from fltheory.number import to_float
from fltheory.papers.sfl import algorithms
from fltheory.papers.sfl.upper.claims import theorem3
from fltheory.problems.separable import PiecewiseQuadraticClients
from fltheory.runs.constants import Constants
from fltheory.runs.oracle import Oracle

KINKED = PiecewiseQuadraticClients((2, 2), (1, 1), (1, -1), 1, 1, "uniform")
SAMPLED = Case(KINKED, n_rounds=60, n_local_steps=2, step_size="1/48")
CLAIM = theorem3.upper_convex


def clipping(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    for client in oracle.order().T:
        for k in range(c.n_local_steps):
            x = x - c.step_size * np.clip(oracle.gradient(x, client, k), -1e6, 1e6)
    return x


@pytest.mark.parametrize(
    ("claim_id", "case"), [("delta_sgd/T1-X@corrected", 3), ("fedcg/S3@strengthened", 2), ("fedcg/T3.5@corrected", 1)]
)
def test_a_figure_does_not_move_with_what_else_is_selected(claim_id: str, case: int) -> None:
    """The error rate of a check falls with the number of checks: it asks for more runs, and tells the same."""
    claim = find(claim_id)
    sampled = [c for c in claim.cases if check_claim(claim, c, 1e-7).evidence == "statistical"]
    assert sampled
    few, many = (check_claim(claim, sampled[0], rate) for rate in (ESTIMATE_ERROR_RATE, ESTIMATE_ERROR_RATE / 1e6))
    assert (few.measured, few.limit, few.ratio) == (many.measured, many.limit, many.ratio)
    assert many.n_seeds >= few.n_seeds
    for verdict in (few, many):
        assert verdict.low is not None
        assert verdict.high is not None
        assert verdict.measured is not None
        assert verdict.low <= verdict.measured <= verdict.high


def test_the_ratio_is_that_of_the_mean() -> None:
    """And not that of the end of the interval, which is near 1 wherever sampling stops as soon as it can."""
    verdict = check_claim(CLAIM, SAMPLED)
    assert (verdict.status, verdict.evidence) == ("vacuous", "statistical")
    assert CLAIM.measure is not None
    mean = simulate(CLAIM.measure, CLAIM.algorithm, CLAIM.prepared(SAMPLED), verdict.n_seeds, 0).mean()
    assert verdict.measured == pytest.approx(mean, rel=1e-12)
    assert verdict.limit is not None
    assert verdict.high is not None
    assert verdict.ratio == pytest.approx(mean / verdict.limit, rel=1e-12)
    assert mean < 0.9 * verdict.high
    tight = replace(
        CLAIM, bounds=(CLAIM.bound.scaled(Fraction(verdict.high) * Fraction(101, 100) / Fraction(verdict.limit)),)
    )
    again = check_claim(tight, SAMPLED)
    assert again.status == "holds"
    assert again.measured == verdict.measured


def test_an_inconclusive_figure_is_a_mean_in_its_interval() -> None:
    """Of a step of which no upper limit is known there is a mean all the same, not 0."""
    mine = replace(CLAIM, algorithm=algorithms.sequential._replace(step=clipping))
    verdict = check_claim(mine, SAMPLED)
    assert verdict.status == "inconclusive"
    assert verdict.measured == pytest.approx(check_claim(CLAIM, SAMPLED).measured, rel=1e-9)
    assert verdict.high == math.inf
    assert f"measured {verdict.measured:.6g} in [{verdict.low:.6g}, ∞]" in str(verdict)
    assert verdict.ratio is not None
    assert verdict.ratio > 0


def test_a_variant_has_no_recorded_verdict() -> None:
    mine = replace(CLAIM, algorithm=algorithms.sequential._replace(step=clipping, name="clipping"))
    verdict = check_claim(mine, SAMPLED)
    assert (verdict.variant, verdict.recorded, verdict.matches_recorded) == ("clipping", None, True)
    assert str(verdict).startswith("sfl/T3-GC@printed, variant clipping: inconclusive")
    nameless = check_claim(replace(CLAIM, algorithm=algorithms.sequential._replace(step=clipping)), SAMPLED)
    assert str(nameless).startswith("sfl/T3-GC@printed, variant: inconclusive")
    own = check_claim(CLAIM, SAMPLED)
    assert (own.variant, own.recorded) == (None, "holds")
    assert str(own).startswith("sfl/T3-GC@printed: vacuous")
    assert check_claim(replace(CLAIM, bounds=(CLAIM.bound.scaled(2),)), SAMPLED).variant is None


# Figures ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measured", "shown"),
    [
        (Measured(Fraction(1, 2), "exact"), (0.5, None, None, "")),
        (Measured(Interval(1.0, 3.0), "statistical", estimate=1.5), (1.5, 1.0, 3.0, "")),
        (Measured(Interval(1.0, 3.0), "statistical", estimate=0.5), (1.0, 1.0, 3.0, "")),
        (Measured(Interval(1.0, 3.0), "sampled"), (2.0, 1.0, 3.0, "")),
        (Measured(Interval(1.0, math.inf), "statistical"), (1.0, 1.0, math.inf, "at least")),
        (Measured(Interval(1.0, math.inf), "statistical", estimate=7.0), (7.0, 1.0, math.inf, "")),
        (Measured(arb(2, 1), "exact"), (3.0, 1.0, 3.0, "at most")),
        (Measured(arb(2, 1e-9), "exact"), (2.0, None, None, "")),
        (Measured(arb(2), "exact", at_least=True), (2.0, 2.0, math.inf, "at least")),
        (Measured(arb(2), "exact", at_most=True), (2.0, -math.inf, 2.0, "at most")),
    ],
)
def test_what_is_shown_of_a_measured_quantity(measured: Measured, shown: tuple[Any, ...]) -> None:
    found = display_value(measured, "holds", lower=False)
    assert found.known == shown[3]
    for end, expected in zip((to_float(found.value), found.low, found.high), shown, strict=False):
        assert end == (None if expected is None else pytest.approx(expected, rel=1e-6))


@pytest.mark.parametrize(
    ("side", "words"), [("upper", "(ratio at most 0.75, exact)"), ("lower", "(ratio at least 0.75, exact)")]
)
def test_a_bound_of_a_value_is_called_one(side: str, words: str) -> None:
    verdict = Verdict(
        "x/A@printed",
        "holds",
        "holds",
        SAMPLED,
        measured=3.0,
        limit=4.0,
        ratio=0.75,
        low=1.0,
        high=3.0,
        known="at most",
        evidence="exact",
        side=side,
    )
    assert str(verdict) == f"x/A@printed: holds {words}, measured at most 3 against limit 4"


# Betting ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [40, 400, 4000])
@pytest.mark.parametrize("rate", [1e-6, 1e-2])
def test_a_limit_is_told_where_the_interval_leaves_it_out(n: int, rate: float) -> None:
    values = np.random.default_rng(n).beta(2.0, 3.0, n)
    least, most = confidence_limits(values, 0.0, 1.0, rate)
    for limit in (0.0, least - 1e-6, least + 1e-6, 0.4, most - 1e-6, most + 1e-6, 1.0):
        left_out = not least < limit < most
        assert interval_excludes(values, limit, 0.0, 1.0, rate) == left_out, limit
    assert interval_excludes(values, 0.2, 0.0, math.inf, 1e-2) == (
        confidence_limits(values, 0.0, math.inf, 1e-2)[0] > 0.2
    )


def test_what_no_float_holds_is_said_in_words_with_its_evidence_and_is_the_worst() -> None:
    case = find("sfl/T7@explicit").cases[0]
    beyond = Verdict("a/b", "violated", None, case, measured=math.inf, limit=1.0, evidence="exact")
    less = replace(beyond, measured=2.0, ratio=2.0)
    assert "(ratio beyond all floats, exact)" in str(beyond)
    assert "measured beyond all floats > limit 1" in str(beyond)
    assert "inf" not in str(beyond).split("counterexample")[0]
    assert decisive_verdict([less, beyond]) == beyond
