"""Every kind of picture is drawn once, in every look: nothing runs off the page, and the numbers are those of the claims."""

from __future__ import annotations

import math
import re
import time
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.figure import Figure

from fltheory import find
from fltheory.claims.catalogue import catalogue
from fltheory.claims.claim import Claim
from fltheory.claims.index import builtin_lines, lines_by_item
from fltheory.claims.stored_results import recorded_results
from fltheory.model.case import Case
from fltheory.number import Number, exact, to_float
from fltheory.plotting import sweep as sweeping
from fltheory.plotting.kinds.counterexample import counterexample_picture
from fltheory.plotting.kinds.lineage import proof_picture, theorem_of
from fltheory.plotting.kinds.overview import overview_picture
from fltheory.plotting.kinds.terms import split_terms, terms_picture
from fltheory.plotting.labels import raw_markup
from fltheory.plotting.picture import GraphPanel, Panel, Picture, StripPanel, claim_picture, table
from fltheory.plotting.plot import draw, plot, save, svg, theme_of
from fltheory.plotting.setup import case_at_constants
from fltheory.plotting.style import PAPER, THEMES, VERDICTS
from fltheory.plotting.sweep import Sweep, sweep, sweep_cases
from fltheory.problems.separable import QuadraticClients
from fltheory.symbols import n_local_steps, n_rounds, step_size

T3 = "sfl/T3-SC@corrected"
CASE = Case(QuadraticClients((1, "1/2"), (1, -1), 2, noise_std=1), n_rounds=50, n_local_steps=3, step_size="1/60")


@cache
def proof_of(name: str) -> Picture:
    """The graph of a proof, checked once."""
    return proof_picture(name)


KINDS = {
    "bound": lambda: claim_picture(find("sfl/C4-GC@printed")),
    "equation": lambda: claim_picture(find("aaggff/4.4@printed")),
    "terms": lambda: terms_picture(find(T3), CASE, "step_size"),
    "counterexample": lambda: counterexample_picture(find(T3), CASE),
    "proof": lambda: proof_of("sfl/U6"),
    "overview": lambda: overview_picture(("osmd",)),
}


def off_the_page(figure: Figure) -> list[str]:
    """Texts that stand, or end, beyond the edges of the figure; ticks beyond an axis are not drawn."""
    figure.draw_without_rendering()
    page = figure.bbox.padded(2)
    texts = [t for t in figure.findobj(lambda a: type(a).__name__ in ("Text", "Annotation")) if t.get_visible()]
    words = [(t.get_text(), t.get_window_extent()) for t in texts if t.get_text() and "mathdefault" not in t.get_text()]
    return [
        text for text, box in words if not (page.x0 <= box.x0 <= box.x1 <= page.x1 and page.y0 <= box.y0 <= page.y1)
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_drawn_in_every_look(kind: str, tmp_path: Path) -> None:
    picture = KINDS[kind]()
    for name in THEMES:
        figure = draw(picture, theme_of(name))
        shown = [t.get_text() for t in figure.findobj(lambda a: type(a).__name__ == "Text") if t.get_visible()]
        assert off_the_page(figure) == [], name
        assert any(picture.title.split(":")[0] in text for text in shown)
    figure = draw(picture, theme_of("paper", "column"))
    save(figure, tmp_path / "p.svg")
    save(figure, tmp_path / "p.pdf")
    tree = ElementTree.parse(tmp_path / "p.svg").getroot()
    told = {child.tag.rpartition("}")[2]: child.text for child in tree}
    assert told["title"]
    assert len(told["desc"] or "") > 40
    assert next(tree.iter("{http://www.w3.org/2000/svg}text"), None) is not None, "text stays text"
    data = (tmp_path / "p.pdf").read_bytes()
    assert b"/FontFile2" in data
    assert b"/Type3" not in data
    assert len(table(picture)) > 1
    assert {len(row) for row in table(picture)} == {7}


def test_what_runs_off_the_page_would_be_seen() -> None:
    picture = replace(claim_picture(find(T3), CASE), caption="far " * 200)
    assert off_the_page(draw(picture, replace(PAPER, breaks_lines=False)))
    assert off_the_page(draw(picture, PAPER)) == []


def test_looks_and_widths() -> None:
    assert draw(claim_picture(find(T3), CASE), theme_of("paper", "column")).get_figwidth() == 3.5
    assert draw(claim_picture(find(T3), CASE), theme_of("slide", 6)).get_figwidth() == 6
    for bad in (("neon", None), ("paper", "wide"), ("paper", 0.1), ("paper", "nan")):
        with pytest.raises(ValueError, match=r"style must be|width must be"):
            theme_of(*bad)
    with pytest.raises(ValueError, match="kind must be one of bound, terms, counterexample"):
        plot(T3, CASE, kind="pie")


def test_two_pictures_can_stand_in_one_page() -> None:
    """With a prefix no id of one is an id of the other, and every reference still leads somewhere."""
    figure = draw(claim_picture(find(T3), CASE), PAPER)
    first, second = svg(figure, "a-"), svg(figure, "b-")
    ids = [set(re.findall(r'\bid="([^"]+)"', text)) for text in (first, second)]
    assert not ids[0] & ids[1]
    used = set(re.findall(r'(?:url\(#|href="#)([^")]+)', first))
    assert used
    assert used <= ids[0]
    assert first.startswith("<svg ")
    assert re.findall(r"<style[^>]*>([^{]*)", first) == ["#a-figure_1 *"], "nothing else of the page is styled"
    assert "a-figure_1" in ids[0]
    assert svg(figure) == svg(figure)


def test_the_greys_of_verdicts_differ() -> None:
    """Printed without colour, a verdict is told from the next by its lightness."""
    from matplotlib.colors import to_rgb

    common = ("holds", "violated", "external")
    greys = sorted(float(np.dot(to_rgb(VERDICTS[v]["facecolor"]), (0.299, 0.587, 0.114))) for v in common)
    assert min(b - a for a, b in pairwise(greys)) > 0.2


# Sweeps -----------------------------------------------------------------------------------------------------------


def test_the_case_itself_is_looked_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[float] = []
    evaluate = sweeping.evaluate

    def noted(claim: Claim, value: Number, case: Case, seed: int = 0) -> object:
        seen.append(to_float(value))
        return evaluate(claim, value, case, seed)

    monkeypatch.setattr(sweeping, "evaluate", noted)
    counts: list[tuple[int, int]] = []
    found = sweep(find(T3), CASE, "n_rounds", watch=lambda done, total: counts.append((done, total)))
    assert seen[0] == 50
    assert found.own == 50
    assert [done for done, _ in counts] == list(range(1, counts[-1][1] + 1))
    assert set(found.column("value")) <= set(seen)
    assert len(set(seen)) == len(seen), "no value is evaluated twice"


def test_what_time_does_not_allow_is_left_out() -> None:
    with pytest.raises(ValueError, match="not one value was measured"):
        sweep(find(T3), CASE, deadline=time.perf_counter() - 1)
    whole = sweep(find(T3), CASE, deadline=time.perf_counter() + 1e5)
    assert len(whole.points) == whole.planned
    short = replace(whole, points=whole.points[:3])
    from fltheory.plotting.captions import caption

    assert f"Cut short: 3 of {whole.planned} values" in caption(short)
    assert "Cut short" not in caption(whole)


def test_a_plot_measures_with_so_much_work_the_case_s_own_value_first() -> None:
    from fltheory.plotting.captions import caption

    whole = sweep(find(T3), CASE, "n_rounds")
    assert (len(whole.points), whole.ended) == (whole.planned, "")
    short, again = (sweep(find(T3), CASE, "n_rounds", work=0.2) for _ in range(2))
    assert 0 < len(short.points) < whole.planned
    assert short.ended == "work"
    assert 50 in short.column("value")
    assert list(short.column("measured")) == list(again.column("measured"))
    assert f"Cut short: {len(short.points)} of {short.planned} values, no work for more." in caption(short)
    with pytest.raises(ValueError, match="the work given: give more"):
        sweep(find(T3), CASE, work=1e-4)


def test_an_external_rate_is_drawn_at_constants_that_are_given() -> None:
    claim = find("sfl/TAB1-GC-Woodworth@printed")
    values = {s: exact(2) for s in claim.bound.symbols}
    picture = claim_picture(claim, case_at_constants(claim, values))
    assert picture.title.endswith("an external rate, for reference")
    with pytest.raises(ValueError, match=r"missing .*smoothness"):
        case_at_constants(claim, {n_rounds: 5})


def test_constants_of_a_case_can_be_set() -> None:
    claim = find(T3)
    case = case_at_constants(claim, {n_rounds: 77, n_local_steps: 5})
    assert case.constants[n_rounds] == 77
    assert case.constants[n_local_steps] == 5
    with pytest.raises(ValueError, match=r"can't be set: the free constants are n_rounds"):
        case_at_constants(claim, {next(s for s in claim.bound.symbols if s.name == "smoothness"): 3})
    with pytest.raises(ValueError, match="no case of its own"):
        case_at_constants(replace(claim, cases=()), {n_rounds: 5})


# Terms ------------------------------------------------------------------------------------------------------------


def test_the_terms_add_up_to_the_bound() -> None:
    found = sweep(find(T3), CASE, "step_size")
    terms = split_terms(found)
    good = np.isfinite(found.limit())
    assert good.sum() > 10
    assert sum(t.values for t in terms)[good] == pytest.approx(found.limit()[good], rel=1e-12)
    assert {t.source for t in terms} == {"start", "noise", "heterogeneity"}
    title = terms_picture(find(T3), CASE, "step_size").title
    assert re.search(r"is (\d+%|nearly all) of the bound at the case itself", title)
    assert not raw_markup(title.removeprefix(T3))
    one = replace(find(T3), bounds=(replace(find(T3).bound, expr=find(T3).bound.terms()[0]),))
    with pytest.raises(ValueError, match="one term"):
        terms_picture(one, CASE)


def test_a_term_below_the_picture_is_named() -> None:
    claim = find(T3)
    case = Case(
        QuadraticClients((1, "1/2"), (1, -1), 2, noise_std="1e-9"), n_rounds=50, n_local_steps=3, step_size="1/60"
    )
    caption, near = (terms_picture(claim, c, "step_size").caption for c in (case, CASE))
    assert re.search(r"Below the picture: term \d: .* is at most", caption)
    assert "Below the picture" not in near


def test_sources_alone_add_up_where_they_don_t_mix() -> None:
    """Equal clients: what the start leaves over and the noise are independent, so their parts of the mean add up."""
    case = Case(QuadraticClients((1, 1), (0, 0), 2, noise_std=1), n_rounds=20, n_local_steps=3, step_size="1/60")
    found = sweep(find(T3), case, "n_rounds", values=[20, 40])
    alone = {t.source: t.alone for t in split_terms(found) if t.alone is not None}
    assert alone["start"] + alone["noise"] == pytest.approx(found.column("measured"), rel=1e-12)
    assert alone["heterogeneity"] == pytest.approx(0, abs=1e-300)
    mixed = sweep(find(T3), CASE, "n_rounds", values=[50])
    parts = sum(t.alone[0] for t in {t.source: t for t in split_terms(mixed)}.values() if t.alone is not None)
    assert parts != pytest.approx(mixed.column("measured")[0], rel=1e-6), "with heterogeneity they mix"


# Witnesses --------------------------------------------------------------------------------------------------------


def test_a_witness_shows_its_functions_and_a_run() -> None:
    picture = counterexample_picture(find(T3), CASE)
    functions, run, bound = picture.panels
    assert isinstance(functions, Panel)
    assert isinstance(run, Panel)
    assert isinstance(bound, Panel)
    x = np.asarray(functions.curves[0].x)
    best = -(1 - 1) / (1 + 0.5)
    for curve, (a, b) in zip(functions.curves, ((1, 1), (0.5, -1)), strict=False):
        value = a * x**2 / 2 + b * x - (a * best**2 / 2 + b * best)
        assert np.asarray(curve.y) == pytest.approx(value, abs=1e-3)
    assert {c.y[0] for c in run.curves if c.style == "run"} == {2.0}
    assert bound.at == (50.0, "the case itself")
    plain = counterexample_picture(find("aaggff/4.4@printed"))
    assert len(plain.panels) == 1
    assert "no functions of one variable" in plain.caption


# Proofs -----------------------------------------------------------------------------------------------------------


def test_the_graph_of_a_proof_has_its_lines_and_what_it_rests_on() -> None:
    picture = proof_of("sfl/U6")
    (panel,) = picture.panels
    assert isinstance(panel, GraphPanel)
    _, theorem = theorem_of("sfl/U6")
    nodes = {node.name: node for node in panel.nodes}
    assert {step.id for step in theorem.steps} <= set(nodes)
    assert len({(n.row, n.column) for n in panel.nodes}) == len(panel.nodes), "no box lies on another"
    assert all(nodes[name].row < n.row for n in panel.nodes for name in n.uses)
    assert {n.verdict for n in panel.nodes} == {"PROVED"}
    assert picture.title.startswith("sfl/U6: PROVED")
    with pytest.raises(ValueError, match="no proof is recorded of sfl/nothing"):
        proof_picture("sfl/nothing")


def test_a_refuted_theorem_is_drawn_as_refuted() -> None:
    picture = proof_picture("sfl/T3-SC-strict")
    (panel,) = picture.panels
    assert isinstance(panel, GraphPanel)
    assert panel.nodes[-1].verdict == "REFUTED"
    assert "REFUTED" in picture.title
    labels = [t.get_text() for t in draw(picture, PAPER).legends[0].get_texts()]
    assert "refuted" in labels
    assert "proved" not in labels


# The map ----------------------------------------------------------------------------------------------------------


def test_the_map_has_every_claim_in_its_place() -> None:
    picture = overview_picture()
    marks = [mark for panel in picture.panels if isinstance(panel, StripPanel) for mark in panel.marks]
    claims = {c.id: c for c in catalogue() if c.paper in {p.title.split(":")[0] for p in picture.panels}}
    assert sorted(m.name for m in marks) == sorted(claims)
    for mark in marks:
        claim = claims[mark.name]
        assert mark.verdict == ("external" if claim.measure is None else claim.entry.recorded)
    assert picture.title.startswith(f"{len(claims)} claims of {len(picture.panels)} papers: ")
    (panel,) = overview_picture(("sfl",)).panels
    assert isinstance(panel, StripPanel)
    order = [line.id for _, lines in lines_by_item("sfl", builtin_lines("sfl")) for line in lines]
    assert [m.name for m in panel.marks] == order
    worst = {m.name: m.ratio for m in panel.marks}
    assert worst["sfl/T3-SC@strict"] == float(recorded_results("sfl")["sfl/T3-SC@strict"].worst) > 1
    assert all(a < b for a, b in pairwise(at for at, _ in panel.ticks))


def test_a_limit_of_a_ratio_is_read_as_its_number() -> None:
    picture = overview_picture()
    ratios = [m.ratio for p in picture.panels if isinstance(p, StripPanel) for m in p.marks if m.ratio is not None]
    assert all(map(math.isfinite, ratios))
    assert {65.0, 1.8e-19} <= set(ratios), "at least 65, at most 1.8e-19"


# Panels -----------------------------------------------------------------------------------------------------------


def test_a_violation_has_a_mark_and_a_zone() -> None:
    (panel,) = claim_picture(find("sfl/C4-GC@printed")).panels
    assert isinstance(panel, Panel)
    (mark,) = [c for c in panel.curves if c.style == "violated"]
    (zone,) = [z for z in panel.zones if z.kind == "violated"]
    inside = [x for x, y in zip(mark.x, mark.y, strict=True) if math.isfinite(y)]
    assert inside
    assert all(zone.low <= x <= zone.high for x in inside)
    (whole,) = claim_picture(find(T3), CASE).panels
    assert isinstance(whole, Panel)
    assert not [c for c in whole.curves if c.style == "violated"]
    assert not [z for z in whole.zones if z.kind == "violated"]


def test_an_equation_of_0_has_no_vacuous_zone() -> None:
    (panel,) = claim_picture(find("aaggff/4.4@printed")).panels
    assert isinstance(panel, Panel)
    assert {z.kind for z in panel.zones} == {"violated"}


def test_a_plain_axis_over_many_decades_becomes_a_ratio() -> None:
    claim = find(T3)
    case = CASE
    found = replace(sweep_cases(claim, step_size, [(exact(f"1/{60 * k}"), case) for k in (1, 2, 3)]), case=case)
    signed = [
        replace(p, measured=v, low=v, high=v, limits=(w,))
        for p, v, w in zip(found.points, (-1e-6, 1.0, 1e6), (1.0, 2.0, 1e9), strict=True)
    ]
    picture = sweep_panel(replace(found, points=tuple(signed)))
    assert picture.y_label.startswith("over the bound")
    assert list(np.asarray(picture.curves[1].y)) == [-1e-6, 0.5, 1e-3]


def sweep_panel(found: Sweep) -> Panel:
    from fltheory.plotting.picture import sweep_picture

    picture: Picture = sweep_picture(found)
    (panel,) = picture.panels
    assert isinstance(panel, Panel)
    return panel


def test_counts_have_whole_ticks() -> None:
    axes = plot("sfl/PP-SFL-tuned@explicit", along="n_participating").axes[0]
    low, high = axes.get_xlim()
    ticks = [t for t in axes.get_xticks() if low <= t <= high]
    assert ticks == [1, 2, 3, 4, 5]


def test_values_out_of_reach_are_counted() -> None:
    found = sweep(find(T3), CASE, "n_rounds")
    lost = replace(
        found, points=tuple(replace(p, measured=math.nan, evidence="") for p in found.points[:4]) + found.points[4:]
    )
    from fltheory.plotting.captions import caption

    applying = sum(p.applies for p in found.points[:4])
    assert f"Not computable at {applying} more" in caption(lost)
    assert "Not computable" not in caption(found)


def test_the_legend_names_what_is_seen_alone() -> None:
    """The trivial bound is 0 here, and has no place on a logarithmic axis."""
    labels = [t.get_text() for t in plot("sfl/s3@printed").legends[0].get_texts()]
    assert any("violates the bound" in label for label in labels)
    assert not any("trivial bound" in label for label in labels)
    others = [t.get_text() for t in plot(T3, CASE).legends[0].get_texts()]
    assert any("trivial bound" in label for label in others)
