"""The words of a plot: the factors of its title, what its caption counts, and where its shaded ranges end."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from fltheory import find
from fltheory.claims.claim import Claim
from fltheory.evidence.verdict import Status
from fltheory.plotting.captions import caption, finding_text, headline
from fltheory.plotting.picture import Panel, omission_note, sweep_picture
from fltheory.plotting.point import Point
from fltheory.plotting.ranges.choice import REACH, best_axis, telling, telling_part, telling_range, variation
from fltheory.plotting.ranges.zones import axis_height, ranges_of
from fltheory.plotting.sweep import Sweep, sweep
from fltheory.symbols import n_rounds

WORK = 2_000
T3 = "sfl/T3-SC@corrected"


def told(
    measured: list[float],
    status: list[Status | None],
    limits: list[tuple[float, ...]] | None = None,
    trivial: list[float] | None = None,
    claim: Claim | None = None,
    evidence: str = "exact",
) -> Sweep:
    """A sweep with these values at 1, 2, 3, ..., under a bound of 1; the case is the first."""
    claim = find(T3) if claim is None else claim
    case = claim.cases[0]
    own = float(case.constants[n_rounds])
    limits = [(1.0,)] * len(measured) if limits is None else limits
    trivial = [math.nan] * len(measured) if trivial is None else trivial
    points = tuple(
        Point(own * 2**i, lim, v, v, v, top, evidence, told=(s,) * len(lim))
        for i, (v, s, lim, top) in enumerate(zip(measured, status, limits, trivial, strict=True))
    )
    cases = tuple((int(p.value), case) for p in points)
    return Sweep(claim, n_rounds, points, case=case, cases=cases, planned=len(points))


# Factors ----------------------------------------------------------------------------------------------------------


def test_a_title_has_the_largest_factor_of_a_violation_and_that_of_the_case() -> None:
    found = told([1.5, 4.0, 2.0], ["violated"] * 3)
    assert finding_text(found).startswith("violated: exceeded by a factor of up to 4, 1.5 at the case itself")
    one = told([4.0, 2.0, 0.5], ["violated", "violated", "holds"])
    assert finding_text(one).startswith("violated at 2 of 3 values: exceeded by a factor of up to 4")
    assert "at the case itself" not in finding_text(one), "it is the largest"


def test_a_title_has_both_ends_of_what_a_true_bound_leaves() -> None:
    found = told([0.5, 0.25, 0.125], ["holds"] * 3)
    assert finding_text(found) == "holds; loose by a factor of 2 to 8"


def test_the_factor_of_a_title_is_that_of_verify() -> None:
    """The axis ends where the violation is far larger than that of the case, and the place of change is seen."""
    for name in ("fedcg/T3.2@printed", "fedcg/T3.5@printed"):
        found = sweep(find(name), work=WORK)
        assert found.verdict is not None
        said = finding_text(found)
        assert f"{found.verdict.ratio:.3g} at the case itself" in said
        assert "million" not in said
        assert not found.violated().all(), "one value beyond is seen"
        x = found.column("value")
        assert x.max() < 3 * found.own


def test_violations_far_larger_than_that_of_the_case_end_the_axis() -> None:
    far = 10 ** (REACH + 1)
    found = told([2.0, 3.0, far, 10 * far, 100 * far], ["violated"] * 5)
    assert telling(found).tolist() == [True, True, False, False, False]
    assert telling_part(found) == slice(0, 3)


def test_the_range_ends_one_value_beyond_what_says_something() -> None:
    """Vacuous values at the upper end: all but one of them are left out."""
    found = told([0.5] * 5, ["holds"] * 5, trivial=[2.0, 2.0, 0.9, 0.8, 0.7])
    assert found.informative().tolist() == [True, True, False, False, False]
    x = found.column("value")
    assert telling_range(found) == (x[0], x[2])
    assert telling_part(found) == slice(0, 3)
    assert telling_range(told([0.5] * 5, ["holds"] * 5)) is None, "nothing to leave out"


# The bound of the title -------------------------------------------------------------------------------------------


def test_the_axis_is_that_along_which_the_ratio_of_the_title_varies() -> None:
    """A second bound that varies more does not count: the title is about the first."""
    claim = find("sfl/TAB1-SC@printed")
    count = len(claim.bounds)
    slack = told([1.0] * 3, ["holds"] * 3, [(1.0, *(10.0**k,) * (count - 1)) for k in range(3)], claim=claim)
    own = told([1.0, 0.5, 0.25], ["holds"] * 3, [(1.0,) * count] * 3, claim=claim)
    assert variation(slack) == 0
    assert variation(own) == pytest.approx(math.log10(4))
    assert best_axis([slack, own]) is own


def test_the_axis_follows_the_bound_that_is_violated() -> None:
    claim = find("sfl/TAB1-SC@printed")
    count = len(claim.bounds)
    found = told([1.0] * 2, ["violated"] * 2, [(2.0, *(0.5 / 10**k,) * (count - 1)) for k in range(2)], claim=claim)
    second: tuple[Status | None, ...] = ("holds", *("violated",) * (count - 1))
    found = replace(found, points=tuple(replace(p, told=second) for p in found.points))
    assert found.titled == 1
    assert variation(found) == pytest.approx(1)
    assert "bound 2 exceeded by a factor of up to 20" in finding_text(found)


def test_a_title_of_a_true_claim_has_a_range_if_any_axis_has_one() -> None:
    claim = find("sfl/TAB1-SC@printed")
    found = sweep(claim, work=WORK)
    ratios = found.ratio()
    assert np.nanmax(ratios) > 1.5 * np.nanmin(ratios)
    assert headline(found).endswith("bound 1 is loose by a factor of 1 to 1.96")


# Evidence ---------------------------------------------------------------------------------------------------------


def test_a_plot_takes_the_value_that_verify_takes() -> None:
    """A long deterministic run is enclosed in floats, not sampled: the title says violated and does not speak of samples."""
    found = sweep(find("delta_sgd/T1-rho@printed"), work=WORK)
    assert finding_text(found) == "violated at 4 of 9 values: exceeded by a factor of up to 9.72"
    assert {p.evidence for p in found.points} == {"exact", "numerical"}
    assert "Evidence at 9 values: exact at 5, numerical at 4." in caption(found)


def test_samples_that_exceed_a_bound_are_named_in_the_title() -> None:
    found = told([2.0, 0.5], ["violated", "holds"], evidence="mean of 9 seeds")
    assert "by sampled runs at 1 of 2 values" in finding_text(found)


# What is not drawn ------------------------------------------------------------------------------------------------


def test_values_that_have_no_place_on_the_axis_are_counted() -> None:
    found = told([0.5, 1e-30, 0.0], ["holds"] * 3)
    panel = Panel("", "x", "y", ())
    assert omission_note(found, panel) == ""
    picture = sweep_picture(found)
    assert "Not drawn: the measured value is 0 or beyond the axis at 2 of 3 values." in picture.caption
    assert "Not drawn" not in sweep_picture(told([0.5, 0.4, 0.3], ["holds"] * 3)).caption


def test_gaps_of_the_measured_curve_are_counted() -> None:
    """A lower limit below 0 says nothing of a quantity that is never negative: the curve has a gap, and the caption says so."""
    found = told([-5.0, 0.5, -2.0], [None, "holds", None], evidence="exact lower limit")
    picture = sweep_picture(found)
    assert "Not drawn: at 2 of 3 values only a lower limit is known, and it is at most 0." in picture.caption


# Zones ------------------------------------------------------------------------------------------------------------


def test_a_zone_ends_where_the_drawn_lines_cross() -> None:
    x = np.array([1.0, 10.0, 100.0])
    measured, limit = np.log(np.array([0.1, 1.0, 1000.0])), np.log(np.array([10.0, 10.0, 10.0]))
    (ends,) = ranges_of(x, np.array([False, False, True]), lambda _: (measured, limit))
    assert ends[0] == pytest.approx(10 ** (1 + 1 / 3))
    assert ends[1] == pytest.approx(108)
    (half,) = ranges_of(x, np.array([False, False, True]), lambda _: None)
    assert half[0] == pytest.approx(10**1.5), "no curve says where: halfway"
    lost = np.array([math.nan, math.nan, 5.0])
    (own,) = ranges_of(x, np.array([False, False, True]), lambda _: (lost, limit), at_value=True)
    assert 90 < own[0] < 100, "the line begins there"
    assert [len(list(ranges_of(x, np.array(mask), lambda _: None))) for mask in ([1, 0, 1], [1, 1, 1], [0, 0, 0])] == [
        2,
        1,
        0,
    ]


def test_heights_are_those_of_the_axis() -> None:
    values = np.array([-100.0, 0.0, 1.0, 1000.0])
    assert axis_height(values, "linear", 1000).tolist() == values.tolist()
    assert np.isnan(axis_height(values, "log", 1000)[:2]).all()
    bent = axis_height(values, "symlog", 1000)
    assert bent.tolist() == pytest.approx([-3.0, 0.0, 1.0, 4.0]), "linear up to a thousandth of the largest"


@pytest.mark.parametrize("name", ["fedcg/T3.2@printed", "delta_sgd/T1-rho@printed", "aaggff/T5.1@printed"])
def test_a_zone_says_what_the_curves_say(name: str) -> None:
    """On the drawn lines, inside a zone one curve is above the other, and outside it is below."""
    found = sweep(find(name), work=WORK)
    (panel,) = sweep_picture(found).panels
    assert isinstance(panel, Panel)
    x, fine = found.column("value"), np.geomspace(found.column("value").min(), found.column("value").max(), 400)

    def line(values: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            return np.interp(np.log(fine), np.log(x), np.log(values))

    limit = line(found.limit())
    above = {"violated": line(found.column("measured")) > limit, "vacuous": limit > line(found.column("trivial"))}
    for kind, said in above.items():
        inside = np.array([any(z.low <= v <= z.high for z in panel.zones if z.kind == kind) for v in fine])
        assert inside.any()
        assert (inside != said).sum() <= 2, kind
