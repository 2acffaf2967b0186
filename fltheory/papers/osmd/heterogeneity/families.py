"""Random tables of gradients and single draws, for the claims about heterogeneity."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from fltheory.model.case import Case
from fltheory.papers.osmd.heterogeneity.closed_forms.heterogeneity import GradientTable, OneDraw
from fltheory.papers.osmd.heterogeneity.closed_forms.minimax import Enclosure

TOLD = Fraction(1, 10**6)  # relative difference from which enclosures are comparable
_numbers = st.one_of(st.integers(-4, 4), st.builds(Fraction, st.integers(-9, 9), st.integers(1, 4)))
_floors = st.sampled_from([Fraction(1, n) for n in (10, 5, 4, 3, 2)] + [Fraction(3, 4)])
_budgets = st.one_of(st.just(Fraction(0)), st.builds(Fraction, st.integers(0, 12), st.sampled_from([4, 5])))


@st.composite
def draws(draw: st.DrawFn, uniform: bool = False) -> Case:
    """Draw one of a few clients with vector gradients."""
    n, d = draw(st.integers(1, 5)), draw(st.integers(1, 3))
    gradients = tuple(tuple(draw(_numbers) for _ in range(d)) for _ in range(n))
    parts = [1 if uniform else draw(st.integers(1, 9)) for _ in range(n)]
    return Case(OneDraw(gradients, tuple(Fraction(v, sum(parts)) for v in parts)))


def _pair(table: GradientTable, compared: str) -> tuple[Enclosure, Enclosure]:
    """Return the two values that a claim compares."""
    half = replace(table, floor=table.alpha / 2)
    exact = Enclosure(table.uniform, table.uniform, [])
    if compared == "fixed":
        return table.fixed, exact
    if compared == "budget":
        return replace(table, budget=table.budget + Fraction(1, 2)).dynamic, table.dynamic
    if compared == "floor":
        return half.dynamic, table.dynamic
    if compared == "floor of fixed":
        return half.fixed, table.fixed
    if compared == "clairvoyant":
        return table.clairvoyant, table.dynamic
    if compared == "round":
        return table.pointwise, table.dynamic
    return table.dynamic, table.dynamic if compared == "least" else table.fixed


def _told(table: GradientTable, compared: str) -> bool:
    """Return whether enclosed values are comparable: known exactly, or disjoint, in either order."""
    one, other = _pair(table, compared)
    if one.low == one.high and other.low == other.high:
        return True
    size = TOLD * max(one.high, other.high)
    return one.high + size < other.low or other.high + size < one.low


@st.composite
def _table(draw: st.DrawFn, rounds: int | None, budget: int | None) -> GradientTable:
    n, points = draw(st.integers(2, 3)), draw(st.integers(1, 2))
    d = draw(st.integers(1, 2))
    gradients = [[tuple(draw(_numbers) for _ in range(d)) for _ in range(n)] for _ in range(points)]
    length = draw(st.integers(1, 2)) if rounds is None else rounds
    return GradientTable(gradients, draw(_floors), length, draw(_budgets) if budget is None else budget)


def tables(compared: str = "fixed value", rounds: int | None = None, budget: int | None = None) -> Any:
    """Return a strategy for tables of gradients at one or two points, for games of one or two rounds."""
    return _table(rounds, budget).filter(lambda table: _told(table, compared)).map(Case)


@st.composite
def two_state_games(draw: st.DrawFn, ample: bool = False) -> Case:
    """Draw the game of two states, with gradients of any size."""
    size, rounds = draw(_numbers.filter(bool)), draw(st.integers(1, 3))
    floor = draw(st.sampled_from([Fraction(1, n) for n in (20, 10, 8, 5)]))
    budget = 2 * (rounds - 1) if ample else draw(st.sampled_from([Fraction(k, 5) for k in range(5)]))
    table = GradientTable(((size, 0), (0, size)), floor, rounds, budget)
    return Case(table) if table.dynamic.low == table.dynamic.high else Case(replace(table, n_rounds=1))


def middle_game() -> Any:
    """Return a strategy for the game of two states with three rounds, budget 8/5, and gradients of any size."""
    games = _numbers.filter(bool).map(lambda size: GradientTable(((size, 0), (0, size)), "1/5", 3, "8/5"))
    return games.map(Case)
