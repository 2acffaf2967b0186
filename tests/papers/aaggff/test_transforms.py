"""Responses, their ranges and the printed tables: mutants, and the numbers of the text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from fltheory.claims.check import check_claim
from fltheory.model.case import Case
from fltheory.number import to_ball
from fltheory.papers.aaggff.experiments import deviations, tables
from fltheory.papers.aaggff.experiments.tables import DataSet, Entry, Host, Row, Study
from fltheory.papers.aaggff.transforms import closed_forms
from fltheory.papers.aaggff.transforms.cases import Federation, Losses
from fltheory.papers.aaggff.transforms.claims import ranges
from fltheory.papers.aaggff.transforms.claims import tables as printed
from fltheory.papers.aaggff.transforms.claims import transforms as claims
from fltheory.papers.aaggff.transforms.closed_forms import CDFS, over_mean, response

CLAIMS = (*claims.CLAIMS, *ranges.CLAIMS, *printed.CLAIMS)
BY_ID = {c.id.removeprefix("aaggff/"): c for c in CLAIMS}
TRUE = tuple(c for c in CLAIMS if c.entry.recorded == "holds")
AT_ZERO = tuple(c for c in TRUE if c.bound.expr == 0)


# Mutants of what is 0 -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "case"),
    [
        ("T56-smallest@printed", Case(DataSet("Reddit"))),
        ("T56-reddit@printed", Case(DataSet("Berka"))),
        ("T23-average@strengthened", Case(DataSet("MQP"))),
        ("T7-average@corrected", Case(Host("TinyImageNet", "FedProx"))),
        ("T56-gap@corrected", Case(Entry("ISIC", "TERM"))),
        ("T56-gap@corrected", Case(Entry("Berka", "PropFair"))),
        ("T56-deviation@corrected", Case(Entry("ISIC", "FedMGDA"))),
        ("T56-deviation@corrected", Case(Entry("CelebA", "FedMGDA"))),
        ("T3-deviation@corrected", Case(Entry("MQP", "FedAvg"))),
        ("T25-twins@corrected", Case(DataSet("ISIC"))),
        ("B4@printed", Case(Row("frechet"))),
        ("B4-frechet@printed", Case(Row("weibull"))),
    ],
)
def test_the_exception_is_one(name: str, case: Case) -> None:
    claim = BY_ID[name]
    assert check_claim(claim, case).status == "inapplicable"
    assert check_claim(replace(claim, assumptions=()), case).status == "violated"


@pytest.mark.parametrize(
    "name", ["T23-worst@printed", "T23-gini@printed", "T56-smallest@corrected", "T23-average@printed"]
)
def test_another_method_is_not_the_best(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    claim = BY_ID[name]
    monkeypatch.setitem(tables.OURS, "CelebA", "FedMGDA")
    assert check_claim(claim, Case(DataSet("CelebA"))).status == "violated"


def test_a_host_that_loses_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    plain, plugged = tables._TABLE_7["FedAvg"]
    monkeypatch.setitem(tables._TABLE_7, "FedAvg", (plugged, plain))
    assert check_claim(BY_ID["T7-worst@printed"], Case(Host("Heart", "FedAvg"))).status == "violated"


def test_an_average_that_falls_by_more_than_it_deviates_does_not_remain_comparable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    case = Case(Host("TinyImageNet", "FedProx"))
    assert check_claim(BY_ID["T7-average@printed"], case).measured == pytest.approx(0.38 - 0.72)
    monkeypatch.setitem(deviations._TABLE_7, "FedProx", ".25 .37 2.81 .37")
    assert check_claim(BY_ID["T7-average@printed"], case).status == "violated"


def test_another_tendency_on_reddit_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    other = {"Normal": "14.05 4.26", "Weibull": "14.06 3.35"}
    monkeypatch.setitem(tables._FIGURE_A1, "Reddit", ("Weibull", other))
    assert check_claim(BY_ID["FA1@printed"], Case(Study("Reddit"))).status == "violated"


def test_the_misprint_of_table_3_is_one_entry_of_twelve() -> None:
    found = {name: check_claim(BY_ID["T3-deviation@printed"], Case(Entry(*name))) for name in printed.TENTHS}
    assert [name for name, v in found.items() if v.status == "violated"] == [("CelebA", "FedMGDA")]
    assert found["CelebA", "FedMGDA"].measured == pytest.approx(23.26)
    assert sum(v.measured == 0 for v in found.values()) == 11
    assert len(found) == 12


def test_spreads_that_no_runs_have_are_two_of_isic() -> None:
    found = {m: check_claim(BY_ID["T56-deviation@strict"], Case(Entry("ISIC", m))) for m in tables.RESULTS["ISIC"]}
    wrong = {m: v.measured for m, v in found.items() if v.status == "violated"}
    assert wrong == pytest.approx({"TERM": 0.15, "FedMGDA": 1.7})


def test_a_wrong_quotient_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(tables._TABLE_A2, "Berka", "7 621 88.72")
    assert check_claim(BY_ID["TA2@printed"], Case(DataSet("Berka"))).status == "violated"


def test_a_falling_function_loses_the_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CDFS, "weibull", lambda x: 1 - closed_forms.weibull(x))
    assert check_claim(BY_ID["B1@printed"], Case(Losses(claims.EXAMPLE))).status == "violated"


def test_another_shape_is_not_exponential(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(closed_forms, "exponential_hazard", lambda x: closed_forms.weibull_hazard(x, 2))
    assert check_claim(BY_ID["B3@printed"], Case(Losses(claims.EXAMPLE))).status == "violated"


def test_another_range_has_another_bound() -> None:
    claim = BY_ID["R1-bound@explicit"]
    wider = ranges.at_range("", ranges.T51.expr - ranges.FORM, ((ranges.SILO[0]), (ranges.SILO[1][0], 2 / ranges.K)))
    assert check_claim(replace(claim, measure=wider), ranges.BERKA).status == "violated"


def test_every_statement_of_0_has_a_mutant() -> None:
    above = {"T56-smallest@printed", "T56-reddit@printed", "T23-average@strengthened", "T7-average@corrected"}
    above |= {"T23-worst@printed", "T23-gini@printed", "T56-smallest@corrected", "T23-average@printed"}
    above |= {"T25-twins@corrected", "T7-average@printed", "FA1@printed"}
    above |= {"T7-worst@printed", "B1@printed", "B3@printed", "R1-bound@explicit"}
    assert {c.id.removeprefix("aaggff/") for c in AT_ZERO} == above


# Numbers of the text --------------------------------------------------------------------------------------------------------

FOUR_DIGITS = {
    "weibull": (0.0519, 0.9951, 0.1919),
    "frechet": (0.0131, 0.6483, 0.1146),
    "gumbel": (0.1155, 0.7630, 0.1803),
    "exponential": (0.2061, 0.9005, 0.3697),
    "logistic": (0.3166, 0.7871, 0.3685),
    "normal": (0.2209, 0.9045, 0.2951),
}


@pytest.mark.parametrize("name", CDFS)
def test_the_example_of_the_appendix(name: str) -> None:
    losses = Losses(claims.EXAMPLE, name)
    found = response(losses.array, None, 0, 1, losses.function)
    for ball, digits in zip(found, FOUR_DIGITS[name], strict=True):
        assert abs(ball - arb(str(digits))) < arb("0.00005")
    np.testing.assert_allclose(
        response(losses.array.astype(float), None, 0, 1, losses.function), found.astype(float), rtol=1e-14
    )


def test_seventeen_printed_entries_round_right() -> None:
    wrong = []
    for name in CDFS:
        row = Row(name)
        pairs = zip(row.values(row.inputs), row.digits, strict=True)
        wrong += [(name, i) for i, (v, d) in enumerate(pairs) if not abs(v - to_ball(d)) < arb("0.005")]
    assert wrong == [("normal", 2)]


@pytest.mark.parametrize(
    ("case", "times"), list(zip(ranges.DEVICES, (412.8, 98.3, 198.3), strict=True)), ids=["CelebA", "Reddit", "Speech"]
)
def test_the_bound_over_the_trivial_one_at_the_papers_sizes(case: Case, times: float) -> None:
    assert check_claim(BY_ID["R2-inflation@strict"], case).measured == pytest.approx(times, abs=0.05)


def test_three_entries_of_isic_are_the_same_twice() -> None:
    q, mgda = (tables.RESULTS["ISIC"][name] for name in ("q-FedAvg", "FedMGDA"))
    assert (q.gini, q.gap) == (mgda.gini, mgda.gap)
    assert q.average != mgda.average


def test_the_gaps_that_differ() -> None:
    found = {name: r.best - r.worst for name, r in tables.RESULTS["Berka"].items()}
    assert [float(v) for v in found.values()] == [50.97, 49.53, 48.63, 50.07, 52.65, 48.63, 46.95]
    assert float(tables.RESULTS["ISIC"]["TERM"].best - tables.RESULTS["ISIC"]["TERM"].worst) == 18.68


# The response ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CDFS)
@given(st.lists(st.fractions(0, 20, max_denominator=30), min_size=1, max_size=6).filter(any), st.integers(0, 5))
def test_floats_are_the_balls(name: str, losses: list[Fraction], hidden: int) -> None:
    exact = np.array([*losses, Fraction(7)], dtype=object)
    seen = np.arange(len(exact)) != hidden
    if not exact[seen].any():
        return
    balls = response(exact[None], seen[None], Fraction(1, 10), Fraction(1, 2), CDFS[name])
    floats = response(exact.astype(float)[None], seen[None], 0.1, 0.5, CDFS[name])
    np.testing.assert_allclose(floats, balls.astype(float), rtol=1e-12)
    assert (floats[0][~seen] == 0).all()


@given(st.lists(st.floats(1e-3, 1e3), min_size=2, max_size=6), st.sampled_from(sorted(CDFS)), st.integers(-9, 9))
def test_the_unit_of_the_losses_does_not_matter(losses: list[float], name: str, power: int) -> None:
    once, scaled = (response(np.array(losses) * unit, None, 0, 1, CDFS[name]) for unit in (1.0, 2.0**power))
    np.testing.assert_array_equal(once, scaled)


def test_only_those_seen_make_the_mean() -> None:
    losses, seen = np.array([[1.0, 3.0, 1e9], [1.0, np.nan, 5.0]]), np.array([[1, 1, 0], [1, 0, 1]], dtype=bool)
    np.testing.assert_allclose(over_mean(losses, seen), [[0.5, 1.5, 0], [1 / 3, 0, 5 / 3]])


def test_frechet_at_zero_is_its_limit_and_balls_around_it_are_enclosed() -> None:
    assert closed_forms.frechet(np.array([0.0, -0.0, 5e-324])).tolist() == [0, 0, 0]
    wide = closed_forms.frechet(np.array([arb(0, 0.5)], dtype=object))[0]
    assert wide.contains(0)
    assert wide.contains(arb(-2).exp())
    assert not wide.contains(1)


def test_a_ball_around_zero_stays_finite_under_every_function() -> None:
    for cdf in CDFS.values():
        assert cdf(np.array([arb(0, 1e-3)], dtype=object))[0].is_finite()


@pytest.mark.parametrize(
    ("losses", "seen", "low", "high", "words"),
    [
        ([0.0, 0.0], None, 0, 1, "mean of 0"),
        ([1.0, 0.0], [False, True], 0, 1, "mean of 0"),
        ([1.0, -1.0], None, 0, 1, "below 0"),
        ([1.0, np.inf], None, 0, 1, "finite"),
        ([1.0, 1.0], [False, False], 0, 1, "no client"),
        ([1.0, 1.0], None, 1, 1, "low < high"),
        ([1.0, 1.0], None, -1, 1, "0 <= low"),
    ],
)
def test_bad_losses_are_named(losses: list[float], seen: list[bool] | None, low: int, high: int, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        response(losses, seen, low, high)


# Instances ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Losses((1, 2), "cauchy"), "weibull, frechet"),
        (lambda: Losses((0, 0)), "mean of 0"),
        (lambda: Losses(("sqrt(2)",)), "rational"),
        (lambda: Row("cauchy"), "weibull, frechet"),
        (lambda: Federation(1, 1, 1), "at least 2"),
        (lambda: Federation(3, 1, 4), "of 3 clients"),
        (lambda: DataSet("MNIST"), "Berka, MQP"),
        (lambda: Entry("CelebA", "AFL"), "FedAvg, q-FedAvg"),
        (lambda: Host("Heart", "FedSGD"), "FedProx"),
        (lambda: Study("MQP"), "Berka, Reddit"),
    ],
    ids=lambda v: None if callable(v) else v,
)
def test_bad_data_is_named(build: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        build()
