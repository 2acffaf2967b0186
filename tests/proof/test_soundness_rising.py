"""Attempts to prove something false with the mean value theorem and with whole parts: each is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sympy import Expr, Integer, Symbol, diff, exp, floor, log, sqrt

from fltheory.proof.check import check_theorem
from fltheory.proof.language import Combine, Given, Known, Relation, Rising, Step, Theorem, le, lt
from fltheory.proof.report import Report
from fltheory.proof.terms import Scalar, family

x = Symbol("x", nonnegative=True)
n = Symbol("n", integer=True, nonnegative=True)
p, r = Symbol("p", positive=True), Symbol("r", real=True)
a = family(Scalar, "a")


def prove(claim: Relation, *steps: Step, given: tuple[Any, ...] = ()) -> Report:
    return check_theorem(Theorem("test/t", claim, given, steps), {}, {})


def rises(f: Expr, symbol: Symbol, slope: Expr | None = None, given: tuple[Any, ...] = (), why: Any = None) -> Report:
    """0 <= f from its value at 0 and its slope, the latter by ``why``."""
    rule, uses = why or (Combine(), ())
    slope = diff(f, symbol) if slope is None else slope
    return prove(
        le(0, f),
        Step("start", le(0, f.xreplace({symbol: Integer(0)})), Combine()),
        Step("slope", le(0, slope), rule, uses),
        Step("1", le(0, f), Rising(symbol), ("start", "slope")),
        given=given,
    )


def accepted(report: Report) -> None:
    assert report.verdict == "PROVED", (report.faults, [(s.step.id, s.reason) for s in report.steps])


def refused(report: Report, reason: str) -> None:
    assert report.verdict == "UNKNOWN"
    assert reason in report.steps[-1].reason, report.steps[-1].reason


def test_what_does_not_fall_stays_above() -> None:
    accepted(rises(x * exp(x), x))
    accepted(rises(x + log(1 + x), x))
    refused(rises(x * exp(x) - 1, x), "start is not proved")
    refused(rises(x * exp(x), x, slope=exp(x)), "not the derivative")


def test_what_is_known_of_the_slope_holds_from_0_on() -> None:
    """2 <= x makes x^2/2 - x rise where it is known to be at least 2, but not from 0 on: at x = 1 it is negative."""
    high = Given("high", le(2, x), "far out")
    slope = Combine({"high": 1}), ("high",)
    refused(rises(x**2 / 2 - x, x, given=(high,), why=slope), "a hypothesis contains x")
    kept = Step("slope", le(0, x - 1), Combine({"assumed 1": 1}), assuming=(le(2, x),))
    claim = le(0, x**2 / 2 - x)
    for assuming in ((), (le(2, x),)):
        last = Step("1", claim, Rising(x), ("start", "slope"), assuming=assuming)
        report = prove(claim, Step("start", le(0, Integer(0)), Combine()), kept, last)
        assert report.steps[-1].outcome == "UNKNOWN"


@pytest.mark.parametrize("symbol", [n, p, r])
def test_the_symbol_runs_through_all_numbers_from_0_on(symbol: Symbol) -> None:
    """A slope that is known at whole numbers only, or a symbol that may be negative, proves nothing."""
    refused(rises(3 * symbol, symbol), f"{symbol} must be a symbol of the sort nonnegative")


@pytest.mark.parametrize("f", [abs(x - 1), floor(x), sqrt(x), a(x) * x, x * log(x)])
def test_it_must_be_differentiable(f: Expr) -> None:
    report = prove(
        le(0, f),
        Step("start", le(0, Integer(0)), Combine()),
        Step("slope", le(0, Integer(0)), Combine()),
        Step("1", le(0, f), Rising(x), ("start", "slope")),
    )
    assert report.verdict == "UNKNOWN"
    assert "seen to be" in report.steps[-1].reason or "is no" in report.steps[-1].reason


def test_a_pole_is_no_way_through() -> None:
    """1/(1 - x) rises on both sides of 1, from 1 at 0, and is negative behind."""
    pole = 1 / (1 - x)
    report = rises(pole, x, slope=1 / (1 - x) ** 2, given=())
    assert report.steps[-1].outcome == "UNKNOWN"


def test_whole_parts() -> None:
    for claim, fine in (
        (le(floor(r), r), True),
        (lt(r, floor(r) + 1), True),
        (lt(floor(r), r), False),
        (le(r, floor(r)), False),
        (le(floor(r) + 1, r), False),
    ):
        report = prove(claim, Step("1", claim, Known("floor", r)))
        assert report.verdict == ("PROVED" if fine else "UNKNOWN")
    high = Given("high", le(p, r), "not below")
    for whole, given, fine in ((n, le(n, r), True), (p, le(p, r), False), (n, le(n, r + 1), False)):
        claim = le(whole, floor(r))
        report = prove(claim, Step("1", claim, Known("floor", r), ("high",)), given=(replace(high, relation=given),))
        assert report.verdict == ("PROVED" if fine else "UNKNOWN")
