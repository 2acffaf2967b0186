"""What a picture says never contradicts the catalogue: titles, ranges, labels and constants of all claims, nothing drawn."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest
from matplotlib.mathtext import MathTextParser

from fltheory import find
from fltheory.claims.catalogue import catalogue
from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.evidence.verdict import Status
from fltheory.model.case import Case
from fltheory.number import to_float
from fltheory.plotting.axis_range import AT_MOST_ONE, chosen_constant, free_constants, values_along
from fltheory.plotting.captions import caption, caption_constants, finding_text, headline, recorded_verdict
from fltheory.plotting.labels import axis_label, formula, letter_of, mathtext, measure_label, plain_text, raw_markup
from fltheory.plotting.point import Point
from fltheory.plotting.sweep import Sweep, is_fast, sweep, sweep_cases
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.algorithm import Algorithm
from fltheory.symbols import VOCABULARY, n_rounds
from tests.papers.recorded import its_turn

CLAIMS = catalogue()
FALSE = tuple(c for c in CLAIMS if c.measure is not None and c.cases and c.entry.recorded == "violated")
SAYS_FALSE = ("violated", "exceeded", "undercut", "not equal", "refuted")
T3 = "sfl/T3-SC@corrected"


@cache
def followed() -> tuple[Claim, ...]:
    """The claims with a constant to vary; their cases' constants take a second, so none is computed while tests are collected."""
    return tuple(c for c in CLAIMS if c.measure is not None and c.cases and free_constants(c, c.cases[0]))


@cache
def refuted() -> tuple[Claim, ...]:
    return tuple(c for c in followed() if c.entry.recorded == "violated")


def shown(claim: Claim, excess: float, status: Status | None, evidence: str = "exact", reason: str = "") -> Sweep:
    """Two values of a claim's first constant, as if this had been found at both."""
    case = claim.cases[0]
    symbol = chosen_constant(claim, case, None)
    sign = -1 if claim.bound.side == "lower" else 1
    measured = 1 + sign * excess
    spread = 0.5 if evidence.startswith("mean") and status is None else 0.0
    at = to_float(case.constants[symbol])
    told = () if reason else (status,) * len(claim.bounds)
    limits = (1.0,) * len(claim.bounds)
    points = tuple(
        Point(x, limits, measured, measured - spread, measured + spread, math.nan, evidence, reason, told)
        for x in (at, at + 1)
    )
    return Sweep(claim, symbol, points, case=case, planned=2)


def test_the_catalogue_has_claims_to_follow() -> None:
    assert len(followed()) > 600
    assert len(refuted()) > 130


def test_a_refuted_claim_is_titled_as_violated_whatever_is_drawn() -> None:
    for claim in refuted():
        for found in (
            shown(claim, 0.5, "violated"),
            shown(claim, 1e-12, "violated"),
            shown(claim, 0.5, "violated", "mean of 9 seeds"),
            shown(claim, 0.5, None, "mean of 9 seeds"),
            shown(claim, -0.5, "holds"),
            shown(claim, math.nan, None),
            shown(claim, 0.0, None, reason="a condition fails"),
        ):
            assert finding_text(found).startswith("violated"), (claim.id, finding_text(found))


def test_a_true_claim_is_never_titled_as_false() -> None:
    for claim in followed():
        if claim.entry.recorded == "violated":
            continue
        off = 0.0 if claim.bound.side == "equal" else -0.5
        for found in (shown(claim, off, "holds"), shown(claim, off, None, "mean of 9 seeds")):
            assert not any(word in finding_text(found) for word in SAYS_FALSE), (claim.id, finding_text(found))


def test_an_exact_violation_of_a_claim_recorded_as_true_is_said_and_so_is_the_record() -> None:
    said = finding_text(shown(find(T3), 0.5, "violated"))
    assert said == "violated: exceeded by a factor of up to 1.5, against the record (holds)"


def test_samples_alone_refute_nothing() -> None:
    """A mean beyond the bound within its band is no violation, and a band beyond it is said to be sampled."""
    assert finding_text(shown(find(T3), 0.2, None, "mean of 9 seeds")).startswith("not refuted")
    assert finding_text(shown(find(T3), 0.2, "violated", "mean of 9 seeds")).endswith("by sampled runs")


def test_a_lower_bound_is_undercut_and_an_equation_is_off() -> None:
    lower = next(c for c in refuted() if c.bound.side == "lower" and len(c.bounds) == 1)
    equal = next(c for c in refuted() if c.bound.side == "equal" and len(c.bounds) == 1)
    assert "undercut" in finding_text(shown(lower, 0.5, "violated"))
    assert "exceeded" not in finding_text(shown(lower, 0.5, "violated"))
    assert finding_text(shown(equal, 0.5, "violated")) == "violated: not equal: off by up to 50 %"


def test_a_second_bound_that_is_violated_is_named() -> None:
    claim = next(c for c in followed() if len(c.bounds) == 2)
    found = shown(claim, 0.0, "holds")
    broken = replace(found, points=tuple(replace(p, told=("holds", "violated"), measured=0.25) for p in found.points))
    assert "bound 2" in finding_text(broken)


def test_rounding_noise_is_no_finding() -> None:
    """A value that has all but vanished makes no factor of 10^76."""
    claim = find(T3)
    found = shown(claim, 0.0, "holds")
    tiny = replace(found, points=tuple(replace(p, measured=1e-76) for p in found.points))
    assert "more than a million" in finding_text(tiny)
    assert "10^" not in finding_text(tiny)


def test_nothing_is_recorded_of_a_variant_or_a_changed_claim() -> None:
    claim = find(T3)
    assert recorded_verdict(claim) == "holds"
    assert recorded_verdict(replace(claim, bounds=(claim.bound.scaled(2),))) is None
    assert isinstance(claim.algorithm, Algorithm)
    other = replace(claim, algorithm=replace(claim.algorithm, name="mine.py:step"))
    assert recorded_verdict(other) is None
    assert headline(shown(other, -0.5, "holds")).startswith("variant mine.py:step, bound of sfl/T3-SC@corrected")


@pytest.mark.turns(3)
@pytest.mark.parametrize("claim", FALSE, ids=lambda c: c.id)
def test_a_refuted_claim_is_violated_at_the_value_it_is_drawn_about(claim: Claim) -> None:
    """Where it is known without a look at sampled runs, the point itself is violated, and the title says by how much."""
    if not free_constants(claim, claim.cases[0]):
        pytest.skip("no constant to vary")
    told = (c for c in claim.cases if check_claim(claim, c, stages=()).status == "violated")
    case = next(told, None)
    if case is None:
        pytest.skip("only sampled runs refute it")
    symbol = chosen_constant(claim, case, None)
    said = finding_text(replace(sweep_cases(claim, symbol, [(case.constants[symbol], case)]), case=case))
    assert said.startswith("violated: "), said


# Ranges -----------------------------------------------------------------------------------------------------------


def test_the_value_that_a_plot_is_about_is_on_its_axis() -> None:
    """The default constant of every claim, and of every tenth claim all others, in order and inside the domain."""
    for claim in followed():
        case = claim.cases[0]
        names = free_constants(claim, case)
        every = names if claim in its_turn(followed(), 10) else names[:1]
        for name in every:
            symbol = VOCABULARY[name].symbol
            own = to_float(case.constants[symbol])
            values = [to_float(v) for v in values_along(claim, case, symbol, is_fast(claim, case))]
            assert min(values) <= own <= max(values), (claim.id, name)
            assert all(a < b for a, b in pairwise(values)), (claim.id, name)
            assert symbol not in AT_MOST_ONE or own > 1 or max(values) <= 1, (claim.id, name)
            assert max(values) <= max(65 * abs(own), 100), (claim.id, name)


# Words ------------------------------------------------------------------------------------------------------------


def test_every_claim_names_its_constants_and_shows_no_raw_markup() -> None:
    """Title, axes, caption and conditions: each can be typeset, and nothing of the markup is left over."""
    parser, pieces = MathTextParser("agg"), set[str]()
    for claim in CLAIMS:
        words = [measure_label(claim), mathtext(claim.measure.name if claim.measure else "")]
        for bound in claim.bounds:
            words += [formula(c, dict(bound.letters)) for c in bound.conditions]
            words += [axis_label(bound, s) for s in bound.symbols]
        if claim in followed():
            found = shown(claim, 0.0, "holds")
            told = caption(found)
            instance, _, constants = told.partition("\nConstants: ")
            assert claim.bound.source.place in instance
            for symbol in caption_constants(claim, claim.cases[0]):
                assert f"${letter_of(claim.bound, symbol)}$" in constants, (claim.id, symbol)
            words += [headline(found).removeprefix(f"{claim.id}: "), constants]
        for text in words:
            assert not raw_markup(text), (claim.id, text)
            assert text.count("$") % 2 == 0
            pieces.update(text.split("$")[1::2])
    for piece in pieces:
        parser.parse(f"${piece}$")


def test_raw_markup_would_be_seen() -> None:
    assert raw_markup("E|A_{m,k}|^2")
    assert raw_markup("F(x) - F*")
    assert not raw_markup(mathtext("E|A_{m,k}|^2 of F*"))
    assert mathtext("E[F(x̄) - F*] of any instance") == r"E[F(x̄) - $F^*$] of any instance"  # words stay apart
    assert plain_text(r"loose by $1.3\times 10^{5}$, $\mu$ = 1") == "loose by 1.3 × 10^5, μ = 1"


def test_the_caption_names_the_variant_and_the_evidence() -> None:
    claim = find(T3)
    case = Case(QuadraticClients((1, 1), (1, -1), 2), n_rounds=10, n_local_steps=3, step_size="1/60")
    found = replace(sweep_cases(claim, n_rounds, [(10, case)]), case=case)
    told = caption(found)
    assert "2 clients with quadratic functions of one variable, curvatures 1 and 1, slopes 1 and -1, start 2." in told
    assert "(the case: 10)" in told
    assert r"$\eta$" + "\u00a0=\u00a01/60" in told
    assert "Evidence at 1 values: exact." in told
    assert isinstance(claim.algorithm, Algorithm)
    other = replace(found, claim=replace(claim, algorithm=replace(claim.algorithm, name="mine.py:step")))
    assert "variant mine.py:step" in caption(other)


def test_a_plot_ends_where_its_work_is_done_and_says_what_is_left() -> None:
    claim = find("aaggff/4.1-half@strengthened")
    found = sweep(claim, work=300)
    assert 0 < len(found.points) < found.planned
    assert f"Cut short: {len(found.points)} of {found.planned} values, no work for more." in caption(found)
    assert [p.value for p in sweep(claim, work=300).points] == [p.value for p in found.points]
    with pytest.raises(ValueError, match="not one value was measured in the work given"):
        sweep(claim, values=[16], work=100)
