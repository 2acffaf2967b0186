"""Every kind of plot in every style and width: no text lies on another or off the page, no two curves look alike."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest
from matplotlib.lines import Line2D

from fltheory import find
from fltheory.claims.claim import Claim
from fltheory.plotting.figures.fitting import EXPONENT
from fltheory.plotting.kinds.counterexample import sweep_counterexample
from fltheory.plotting.kinds.overview import overview_picture
from fltheory.plotting.kinds.terms import summands, sweep_terms
from fltheory.plotting.picture import Curve, Panel, Picture, sweep_picture
from fltheory.plotting.plot import draw, theme_of
from fltheory.plotting.style import SETTINGS, STYLES, THEMES, THIN
from fltheory.plotting.sweep import Sweep, sweep
from tests.plotting.pages import alike_in_grey, lay_out, off_the_page, overlaps, told_apart, too_small
from tests.plotting.test_all_plots import followed

WORK, PARTS = 300, 60
LOOKS = tuple(product(THEMES, (None, "column", "page")))
SAMPLE = ("sfl/C4-GC@printed", "sfl/h1@explicit", "sfl/T7@printed", "osmd/C-T5@printed")


@cache
def swept(name: str) -> Sweep:
    return sweep(find(name), work=WORK)


def pictures(found: Sweep) -> Iterator[tuple[str, Picture]]:
    """The kinds of pictures of a sweep."""
    yield "bound", sweep_picture(found)
    yield "counterexample", sweep_counterexample(found)
    if len(summands(found.claim)) > 1:
        yield "terms", sweep_terms(found)


def faults(picture: Picture, style: str, width: str | None) -> list[str]:
    figure = draw(picture, theme_of(style, width))
    lay_out(figure)
    return [
        *(f"overlap: {a!r} and {b!r}" for a, b in overlaps(figure)),
        *(f"off the page: {text!r}" for text in off_the_page(figure)),
        *(f"too small: {text!r}" for text in too_small(figure)),
        *(f"alike in grey: {a} and {b}" for a, b in alike_in_grey(figure)),
    ]


@pytest.mark.turns(3)
@pytest.mark.parametrize(("style", "width"), LOOKS)
@pytest.mark.parametrize("name", SAMPLE)
def test_a_page_is_legible_in_every_look(name: str, style: str, width: str | None) -> None:
    found = {kind: faults(picture, style, width) for kind, picture in pictures(swept(name))}
    assert {kind: said for kind, said in found.items() if said} == {}


@pytest.mark.turns(5)
@pytest.mark.parametrize("part", range(PARTS))
def test_every_claim_is_legible_in_one_of_the_looks(part: int) -> None:
    """Each kind of picture of a claim has a look of its own, the next claim another one."""
    wrong = {}
    for i, claim in enumerate(followed()[part::PARTS], part):
        for k, (kind, picture) in enumerate(pictures(_swept(claim))):
            style, width = LOOKS[(i + k) % len(LOOKS)]
            wrong[claim.id, kind, style, width] = faults(picture, style, width)
    assert {name: said for name, said in wrong.items() if said} == {}


def _swept(claim: Claim) -> Sweep:
    """A short sweep; some claims need more work for their first value."""
    try:
        return sweep(claim, work=WORK)
    except ValueError:
        return sweep(claim, work=100 * WORK)


def test_panels_stand_below_one_another_where_they_have_no_room_beside() -> None:
    picture = sweep_counterexample(swept("sfl/C4-GC@printed"))
    assert len(picture.panels) == 3
    columns = {
        width: len({round(axes.get_position().x0, 2) for axes in draw(picture, theme_of("paper", width)).axes})
        for width in ("column", "page")
    }
    assert columns == {"column": 1, "page": 3}


def test_a_counterexample_says_something() -> None:
    """The mean of steep functions has a panel of its own, and a run that does not move has none, but a sentence."""
    picture = sweep_counterexample(swept("sfl/C4-GC@printed"))
    functions, mean, _ = picture.panels
    assert isinstance(functions, Panel)
    assert isinstance(mean, Panel)
    heights = [max(float(np.ptp(np.asarray(c.y, float))) for c in panel.curves) for panel in (functions, mean)]
    assert heights[1] < 1e-2 * heights[0]
    assert "No run is drawn: in the first 2000 of its $10^{18}$ rounds it does not move" in picture.caption
    moving = sweep_counterexample(swept("sfl/T7@printed"))
    assert [c.style for p in moving.panels if isinstance(p, Panel) for c in p.curves].count("run") > 0
    assert "Runs: in floating point." in moving.caption


@pytest.mark.turns(3)
@pytest.mark.parametrize(("style", "width"), LOOKS)
def test_the_names_of_sections_on_the_map_stand_apart(style: str, width: str | None) -> None:
    assert faults(overview_picture(), style, width) == []


def test_every_tick_beside_powers_of_ten_has_a_name() -> None:
    figure = draw(sweep_picture(swept("sfl/h1@explicit")), theme_of())
    lay_out(figure)
    axis = figure.axes[0].xaxis
    low, high = axis.get_view_interval()
    names = [t.label1.get_text() for t in axis.get_major_ticks() if low <= t.get_loc() <= high]
    assert len(names) > 2
    assert all(names)


def test_a_constant_curve_has_no_exponent() -> None:
    (panel,) = sweep_picture(swept("sfl/h1@explicit")).panels
    assert isinstance(panel, Panel)
    y = np.asarray(panel.curves[0].y, float)
    assert np.nanmax(y) == np.nanmin(y)
    assert panel.curves[0].power() == ""
    assert Curve("", np.geomspace(1, 100, 9), np.geomspace(1, 100, 9) ** 2, "bound", letter="x").power() != ""


def test_exponents_that_are_wider_than_their_axes_stand_below_one_another() -> None:
    x = np.geomspace(1, 1e6, 9)
    curves = tuple(Curve(f"curve {i}", x, x**-i, "first", letter="R") for i in (1, 2, 3))
    panels = tuple(Panel(title, "x", "y", curves) for title in ("a", "b"))
    beside = {}
    for style, width in (("slide", "column"), ("paper", "page")):
        figure = draw(Picture("", panels), theme_of(style, width))
        lay_out(figure)
        above = [t for t in figure.axes[0].texts if t.get_label() == EXPONENT]
        beside[style] = len({round(t.get_window_extent().y0) for t in above}) == 1
        assert overlaps(figure) == []
        assert len(above) == len(curves)
    assert beside == {"slide": False, "paper": True}


def test_a_curve_of_zeros_comes_first_on_a_logarithmic_axis() -> None:
    x = np.arange(1.0, 9)
    curves = Curve("zero", x, 0 * x, "bound"), Curve("value", x, x, "measured", low=x / 2, high=2 * x)
    axes = draw(Picture("", (Panel("", "x", "y", curves),)), theme_of()).axes[0]
    assert axes.get_yscale() == "log"
    assert axes.get_ylim()[1] < 100


def test_ends_of_enclosures_of_zero_are_no_heights() -> None:
    (panel,) = sweep_picture(swept("delta_sgd/A.1@corrected")).panels
    assert isinstance(panel, Panel)
    heights = np.asarray(panel.curves[1].y, float)
    assert 0 < heights.max() < 1e-60
    assert panel.y_scale == "linear"
    assert panel.y_limits == (-1, 1)


def test_thin_lines_of_different_sources_are_told_apart_without_colours() -> None:
    thin = [Line2D([], [], color="k", ls=style["ls"], marker="") for name, style in STYLES.items() if "alone" in name]
    assert len(thin) == len(THIN)
    assert all(told_apart(a, b) for a, b in combinations(thin, 2))


def test_ticks_of_a_layout_that_would_not_settle_are_kept_and_no_letter_is_too_small() -> None:
    found = swept("fedcg/S6-matroid@strengthened")
    assert faults(sweep_terms(found), "slide", "column") == []
    figure = draw(sweep_terms(found), theme_of("slide", "column"))
    assert figure.axes[0].yaxis.label.get_fontsize() == 2 * SETTINGS["axes.labelsize"]
    figure.axes[0].yaxis.label.set_fontsize(2)
    assert too_small(figure) == [figure.axes[0].get_ylabel()]
