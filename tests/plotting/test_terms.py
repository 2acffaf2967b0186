"""The terms of a bound: they add up to what is drawn, and the axis fits them."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from fltheory import find
from fltheory.claims.catalogue import catalogue
from fltheory.claims.claim import Claim
from fltheory.plotting.kinds.terms import DEEPEST, split_terms, summands, sweep_terms, terms_picture
from fltheory.plotting.picture import Panel
from fltheory.plotting.ranges.scales import fitted_limits
from fltheory.plotting.sweep import sweep
from fltheory.runs.measures import DataDependentMeasure
from fltheory.verification.settings import free_constants

WORK = 300
FROM_RUNS = (
    "fedcg/T3.2@printed",  # on every path
    "fedcg/T3.5@corrected",  # with a probability
    "fedcg/S1-curvature@strengthened",  # two constants of the run
    "fedcg/S3@strengthened",  # in expectation
    "delta_sgd/T5-B-common@corrected",  # of a deterministic run
    "fedcg/D.2@printed",  # of sampled runs
)


@cache
def with_terms() -> tuple[Claim, ...]:
    """The claims that can be varied and whose bound has several terms."""
    return tuple(
        c
        for c in catalogue()
        if c.measure is not None and any(free_constants(c, k) for k in c.cases) and len(summands(c)) > 1
    )


def sums_of(claim: Claim) -> tuple[np.ndarray, np.ndarray]:
    found = sweep(claim, work=WORK)
    good = np.isfinite(found.limit())
    assert good.any(), claim.id
    return sum(t.values for t in split_terms(found))[good], found.limit()[good]


@pytest.mark.parametrize("name", FROM_RUNS)
def test_terms_with_constants_of_the_run_add_up_to_the_bound(name: str) -> None:
    claim = find(name)
    assert isinstance(claim.measure, DataDependentMeasure)
    total, limit = sums_of(claim)
    assert total == pytest.approx(limit, rel=1e-9, abs=1e-12)


@pytest.mark.turns(5)
@pytest.mark.parametrize("part", range(20))
def test_the_terms_of_every_bound_add_up(part: int) -> None:
    """``fedcg/S5-estimated@strengthened`` takes more work for its first value."""
    for claim in with_terms()[part::20]:
        if claim.id == "fedcg/S5-estimated@strengthened":
            continue
        total, limit = sums_of(claim)
        assert total == pytest.approx(limit, rel=1e-6, abs=1e-9 * float(np.abs(limit).max())), claim.id


@pytest.mark.parametrize("name", ["sfl/T7@printed", "osmd/C-T5@corrected", "fedcg/T3.2@printed"])
def test_the_axis_of_the_terms_fits_what_is_drawn(name: str) -> None:
    """No decade above or below the curves is empty, and terms that vanish do not set the scale."""
    (panel,) = terms_picture(find(name), work=WORK).panels
    assert isinstance(panel, Panel)
    low, high = panel.y_limits
    assert low is not None
    assert high is not None
    y = np.concatenate([np.asarray(c.y, float) for c in panel.curves])
    bound = np.asarray(panel.curves[0].y, float)
    y = y[y >= DEEPEST * np.nanmin(bound)]
    assert 0 < math.log10(y.min() / low) < 1
    assert 0 < math.log10(high / y.max()) < 1


def test_values_below_the_floor_set_no_limit() -> None:
    low, high = fitted_limits(np.array([1e-300, 1.0, 10.0, math.nan]), 0.1)
    assert low is not None
    assert high is not None
    assert 0.5 < low < 1 < 10 < high < 20
    assert fitted_limits(np.array([math.nan, 0.0]), 0.1) == (None, None)


def test_a_value_where_the_claim_does_not_apply_is_hollow_among_the_terms_too() -> None:
    """As in the plain plot: a mark of its own and a shaded range with the condition, not a point of the curve."""
    (panel,) = terms_picture(find("sfl/T3-SC@corrected"), work=WORK).panels
    assert isinstance(panel, Panel)
    (measured,) = [c for c in panel.curves if c.style == "measured"]
    (out,) = [c for c in panel.curves if c.style == "outside"]
    assert np.isfinite(np.asarray(out.y, float)).any()
    assert not (np.isfinite(np.asarray(out.y, float)) & np.isfinite(np.asarray(measured.y, float))).any()
    assert [zone.kind for zone in panel.zones] == ["inapplicable"]


def test_terms_say_which_values_have_no_place_on_the_axis() -> None:
    found = sweep(find("sfl/T7@printed"), work=WORK)
    assert "Not drawn" not in sweep_terms(found).caption
    lost = replace(found, points=(replace(found.points[0], measured=0.0), *found.points[1:]))
    said = f"Not drawn: the measured value is 0 or beyond the axis at 1 of {len(found.points)} values."
    assert said in sweep_terms(lost).caption


def test_what_is_measured_with_a_source_alone_is_drawn_once() -> None:
    found = sweep(find("sfl/T3-SC@corrected"), work=WORK)
    assert [term.source for term in split_terms(found)].count("noise") == 2
    (panel,) = sweep_terms(found).panels
    assert isinstance(panel, Panel)
    assert [curve.label for curve in panel.curves].count("measured with noise alone") == 1
    assert len({curve.label for curve in panel.curves}) == len(panel.curves)
