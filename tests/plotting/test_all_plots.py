"""The plot of every claim: its title agrees with the verdict, and what it is about is visible, legible and told apart in grey."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from matplotlib.axes import Axes

import fltheory.plotting.sweep as sweeping
from fltheory import find
from fltheory.claims.catalogue import catalogue
from fltheory.claims.claim import Claim
from fltheory.model.case import Case
from fltheory.number import Number
from fltheory.plotting.captions import finding_text
from fltheory.plotting.labels import LONGEST_INSTANCE, instance_words, latex_text
from fltheory.plotting.picture import Curve, Panel, Picture, claim_picture, sweep_picture
from fltheory.plotting.plot import StableFigure, draw, latex_caption, without_words
from fltheory.plotting.ranges.choice import ENOUGH, best_axis, room, variation
from fltheory.plotting.ranges.scales import outside, vertical_limits
from fltheory.plotting.style import PAPER
from fltheory.plotting.sweep import Sweep, coarse_to_fine, exponent, plan_sweep, sweep, sweep_cases
from fltheory.problems.separable import QuadraticClients
from fltheory.symbols import n_rounds
from fltheory.verification.settings import free_constants, with_constant
from fltheory.work import spend
from tests.papers.recorded import its_turn
from tests.plotting.pages import alike_in_grey, boxes, lay_out, off_the_page, overlaps

SAMPLE = ("osmd/C-T5@printed", "fedcg/T3.2@printed", "sfl/h1@explicit", "sfl/TAB1-SC@printed", "delta_sgd/R2@printed")
WORK, PARTS = 2_000, 60
SAYS_FALSE = ("violated", "exceeded", "undercut", "not equal")


@cache
def followed() -> tuple[Claim, ...]:
    return tuple(c for c in catalogue() if c.measure is not None and any(free_constants(c, k) for k in c.cases))


def faults(found: Sweep) -> Iterator[str]:
    """What is wrong with the picture of a sweep, in a few words each."""
    yield from title_faults(found)
    figure = draw(sweep_picture(found), PAPER)
    lay_out(figure)
    yield from axis_faults(found, figure.axes[0])
    yield from (f"overlap: {a!r} and {b!r}" for a, b in overlaps(figure))
    yield from (f"off the page: {text!r}" for text in off_the_page(figure))
    yield from (f"alike in grey: {a} and {b}" for a, b in alike_in_grey(figure))


def title_faults(found: Sweep) -> Iterator[str]:
    said = finding_text(found)
    assert found.verdict is not None
    if found.verdict.status == "violated" and not said.startswith("violated"):
        yield f"violated, but titled {said!r}"
    if found.verdict.status == "holds" and any(word in said for word in SAYS_FALSE):
        yield f"holds, but titled {said!r}"
    if found.verdict.status == "vacuous" and "vacuous" not in said:
        yield f"vacuous, but titled {said!r}"


def axis_faults(found: Sweep, axes: Axes) -> Iterator[str]:
    """Fewer than five telling points although there could be more; the violation or the tightest point out of sight."""
    telling = found.informative()
    if 0 < telling.sum() < ENOUGH and not found.ended and has_more(found):
        yield f"{telling.sum()} telling points of {len(found.points)} along {found.symbol.name}"
    low, high = axes.get_ylim()
    y = np.concatenate(
        [np.asarray(line.get_ydata(), float) for line in axes.get_lines() if line.get_label() != "trivial"]
    )
    seen = y[np.isfinite(y) & (y >= low) & (y <= high)]
    marks = [line for line in axes.get_lines() if line.get_marker() == "X"]
    if found.violated(surely=False).any():
        height = np.concatenate([np.asarray(line.get_ydata(), float) for line in marks])
        height = height[np.isfinite(height)]
        if not len(height) or ((height < low) | (height > high)).any():
            yield f"violation out of sight: {height} of {low} to {high}"
    elif not len(seen):
        yield "nothing in sight"


def has_more(found: Sweep) -> bool:
    """Whether the axis has five values: whole numbers, or the settings of a paper, may be fewer."""
    assert found.case is not None
    if found.symbol.is_integer and np.ptp(found.column("value")) < ENOUGH:
        return False
    return len(plan_sweep(found.claim, found.case, found.symbol.name).cases) >= ENOUGH


# All claims -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SAMPLE)
def test_a_plot_shows_what_it_is_about(name: str) -> None:
    assert list(faults(sweep(find(name), work=WORK))) == []


@pytest.mark.turns(3)
@pytest.mark.parametrize("part", range(PARTS))
def test_the_plot_of_every_claim_shows_what_it_is_about(part: int) -> None:
    """Every claim that can be varied, in parts."""
    found = {claim.id: list(faults(sweep(claim, work=WORK))) for claim in followed()[part::PARTS]}
    assert {name: said for name, said in found.items() if said} == {}


# Choice -----------------------------------------------------------------------------------------------------------


def test_the_axis_is_that_along_which_the_ratio_varies() -> None:
    """Along the rounds the step that is claimed to stay above a half is the same everywhere."""
    claim = find("delta_sgd/R2@printed")
    chosen, flat = sweep(claim, work=WORK), sweep(claim, along="n_rounds", work=WORK)
    assert chosen.symbol.name != "n_rounds"
    assert np.ptp(np.log(flat.ratio())) == pytest.approx(0, abs=1e-12)
    assert variation(chosen) > 1
    assert best_axis([flat, chosen]) is chosen
    assert best_axis([chosen, chosen, flat]) is chosen


def test_one_point_is_no_axis() -> None:
    """Of the rounds of its first case only one is allowed; the step size has a range."""
    claim = find("sfl/h1@explicit")
    rounds, chosen = sweep(claim, claim.cases[0], "n_rounds", work=WORK), sweep(claim, claim.cases[0], work=WORK)
    assert room(rounds) < ENOUGH <= room(chosen)
    assert chosen.informative().sum() >= ENOUGH


def test_the_worst_of_the_claim_s_own_violations_is_drawn() -> None:
    claim = find("delta_sgd/T1-rho@printed")
    found = sweep(claim, work=WORK)
    assert found.verdict is not None
    assert found.case is found.verdict.case
    at = found.column("value") == found.own
    assert found.violated(surely=False)[at].all()
    assert (found.column("measured") / found.limit())[at] == pytest.approx(found.verdict.ratio, rel=0.05)


def test_the_range_ends_where_nothing_is_said() -> None:
    """At few rounds the bound is vacuous: one such value is drawn at each end. A vanished value says nothing either."""
    case = Case(QuadraticClients((1, "1/2"), (1, -1), 2, noise_std=1), n_rounds=500, n_local_steps=3, step_size="1/60")
    found = sweep(find("sfl/T3-GC@printed"), case, "n_rounds", work=WORK)
    told = found.informative()
    assert told.sum() >= len(told) - 2
    assert told[1:-1].all()
    lost = replace(found, points=tuple(replace(p, measured=0.0) for p in found.points))
    assert not lost.informative().any()


def test_values_are_refined_from_coarse_to_fine() -> None:
    cases = [Case(QuadraticClients((1,), (0,), start)) for start in range(1, 10)]
    order = [case.instance.start[0] - 1 for case in (cases[i] for i in coarse_to_fine(cases, cases[0]))]
    assert order == [0, 8, 4, 2, 6, 1, 3, 5, 7]


def test_work_for_one_value_does_not_cost_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """A value that would take all that is left is left out, and those after it are measured."""
    evaluate = sweeping.evaluate

    def dear(claim: Claim, value: Number, case: Case, seed: int = 0) -> object:
        spend(1e6 if value == 64 else 0)
        return evaluate(claim, value, case, seed)

    monkeypatch.setattr(sweeping, "evaluate", dear)
    claim = find("aaggff/T5.1@printed")
    values = [(n, with_constant(claim, claim.cases[0], n_rounds, n)) for n in (2, 64, 4, 8)]
    found = sweep_cases(claim, n_rounds, values, work=WORK)
    assert found.column("value").tolist() == [2, 4, 8]
    assert (found.planned, found.ended) == (4, "work")


# Scales -----------------------------------------------------------------------------------------------------------


def test_the_trivial_bound_does_not_set_the_scale() -> None:
    values = np.array([1.0, 4.0])
    assert vertical_limits(values, values, np.array([4.5]), False) == (None, None)
    low, high = vertical_limits(values, values, np.array([1e24]), False)
    assert low is None
    assert high is not None
    assert 4 < high < 5
    assert vertical_limits(values, values, np.array([1e24]), True)[1] == pytest.approx(4.0, rel=0.5)
    picture = claim_picture(find("osmd/C-T5@printed"), work=WORK)
    (panel,) = picture.panels
    assert isinstance(panel, Panel)
    assert panel.y_scale == "log"
    assert panel.y_limits[1] is not None
    assert panel.y_limits[1] < 1e7
    assert "Not drawn: the trivial bound" in picture.caption


def test_a_violation_at_0_is_in_sight() -> None:
    """A lower bound undercut by 0 is drawn on a plain axis: a logarithmic one has no 0."""
    found = sweep(find("delta_sgd/R2@printed"), work=WORK)
    sunk = replace(found, points=tuple(replace(p, measured=0.0, low=0.0, high=0.0) for p in found.points))
    (panel,) = sweep_picture(sunk).panels
    assert isinstance(panel, Panel)
    assert panel.y_scale == "linear"
    assert list(axis_faults(sunk, draw(sweep_picture(sunk), PAPER).axes[0])) == []


def test_values_of_which_nothing_is_said_do_not_set_the_scale() -> None:
    told, rest = np.array([20.0, 110.0]), np.array([20.0, 110.0, -1050.0])
    low, high = vertical_limits(told, rest, np.zeros(0), False)
    assert low is not None
    assert -10 < low < 20
    assert high is None
    assert outside(rest, (low, high), False) == 1


# Slopes and words -------------------------------------------------------------------------------------------------


def test_only_power_laws_have_an_exponent() -> None:
    x = np.geomspace(1, 1000, 25)
    assert exponent(x, 3 * x**-0.5) == pytest.approx(-0.5)
    assert exponent(x, np.exp(-x / 100)) is None
    assert exponent(x, np.exp(-x / 30)) is None, "R^-8.84 would be drawn through this"
    assert exponent(x[:4], x[:4]) is None


def test_two_bounds_of_one_place_have_two_names_and_two_lines() -> None:
    (panel,) = claim_picture(find("sfl/TAB1-SC@printed"), work=WORK).panels
    assert isinstance(panel, Panel)
    bounds = [c for c in panel.curves if c.style.startswith("bound")]
    assert len({c.label for c in bounds}) == len({c.style for c in bounds}) == 3


def test_what_overlaps_or_looks_alike_would_be_seen() -> None:
    same = Panel("", "x", "y", (Curve("a", [1, 2], [1, 2], "bound"), Curve("b", [1, 2], [2, 3], "bound")))
    figure = draw(Picture("", (same,)), PAPER)
    figure.draw_without_rendering()
    assert alike_in_grey(figure) == [("a", "b")]
    assert overlaps(figure) == []
    figure.text(0.5, 0.5, "one")
    figure.text(0.5, 0.5, "two")
    assert overlaps(figure) == [("one", "two")]
    figure.text(2, 2, "far")
    assert off_the_page(figure) == ["far"]


def test_title_faults_would_be_seen() -> None:
    found = sweep(find("osmd/C-T5@printed"), work=WORK)
    assert list(title_faults(found)) == []
    assert found.verdict is not None
    calm = replace(found, verdict=replace(found.verdict, status="holds"))
    assert list(title_faults(calm))


def test_instances_are_said_in_words() -> None:
    told = instance_words(QuadraticClients((1, "1/2"), (1, -1), 2))
    assert told == "2 clients with quadratic functions of one variable, curvatures 1 and 1/2, slopes 1 and -1, start 2"
    many = instance_words(QuadraticClients(tuple(range(1, 20)), (0,) * 19, 2, noise_std=1))
    assert "curvatures from 1 to 19, slopes 0, start 2, gradient noise 1" in many
    for claim in its_turn(followed(), 5):
        for case in claim.cases:
            words = instance_words(case.instance)
            assert len(words) <= LONGEST_INSTANCE
            assert "(" not in words.partition(" ")[0], "no call of a class"
            assert not re.search(r"\(\(|\.\.\.|…|of them|=", words), (claim.id, words)


def test_an_instance_that_is_too_long_ends_after_a_whole_entry() -> None:
    told = instance_words(QuadraticClients((1, "1/2"), (1, -1), 2), longest=95)
    assert told == "2 clients with quadratic functions of one variable, curvatures 1 and 1/2, and more data"
    assert instance_words(find("aaggff/T5.1@printed").cases[0].instance).startswith(
        "response table: responses 1/10, 0; 0, 1/10, counts of 400 and 600"
    )


def test_a_bare_plot_has_its_words_beside_it() -> None:
    picture = claim_picture(find("osmd/C-T5@printed"), work=WORK)
    figure = draw(without_words(picture), PAPER)
    assert not figure.get_suptitle()
    assert picture.title not in [t for t, _ in boxes(figure)]
    assert isinstance(figure, StableFigure)
    assert figure.said[0], "assistive software still reads a title"
    words = latex_caption(picture)
    assert words.startswith("osmd/C-T5@printed: violated at 3 of 10 values")
    assert latex_text("50 % of a_b & $x_1$ ≤ \\$3") == r"50 \% of a\_b \& $x_1$ $\leq$ \$3"
