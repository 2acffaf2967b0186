"""Where a bound is vacuous: comparison with the trivial bound along a constant.

A range of values is decided at once, with the constant in a ball that contains it: nothing is assumed about how the
bound grows. An undecided range is halved. A statement about "every value" is proved for each of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import sympy
from flint import ctx
from sympy import Expr, Symbol

from fltheory.api.lookup import implied_constants, inline, label, letters_of
from fltheory.claims.claim import Claim
from fltheory.model.bound import Bound, BoundError
from fltheory.model.errors import UserError
from fltheory.number import Number, decide, evaluate_ball, to_ball
from fltheory.runs.measures import Measure

MAX_VALUE, MIN_VALUE = Fraction(10**12), Fraction(1, 10**12)
MAX_EVALUATIONS = 3000  # ranges to evaluate
PRECISION = Fraction(1, 10**6)  # relative precision for a constant that is no count
State = Literal["says", "nothing", "inapplicable", "unknown"]


def trivial_bound(measure: Measure | None) -> Expr | None:
    """Return a limit on the measured quantity that is known without the run, as a formula, or None."""
    return None if measure is None else measure.trivial_formula()


def vacuity_text(bound: Bound, trivial: Expr | None, limit: Number, values: Mapping[Symbol, Number]) -> str:
    """Return "vacuous: above the trivial bound D²·L/2 = 0.5", or "" if the bound is nontrivial or this is unknown."""
    if trivial is None or bound.side != "upper" or not trivial.free_symbols <= values.keys():
        return ""
    value = evaluate_ball(trivial, values)
    if not to_ball(limit) > value:
        return ""
    return f"vacuous: above the trivial bound {inline(trivial, dict(bound.letters))} = {float(value.mid()):.6g}"


def trivial_bound_lines(claim: Claim) -> list[str]:
    """Return a line with the trivial bound, and how many of the claim's cases have a larger bound; runs nothing."""
    trivial = trivial_bound(claim.measure)
    if trivial is None or claim.bound.side != "upper" or not claim.cases:
        return []
    found = []
    for case in claim.cases:
        if not trivial.free_symbols <= case.constants.keys():
            return []
        try:
            found.append((vacuity_text(claim.bound, trivial, claim.bound.ball(case.constants), case.constants), case))
        except (BoundError, ArithmeticError, ValueError):  # its bound needs the run
            return []
    said = next((f", such as {case.arguments()}: {what}" for what, case in found if what), "")
    count = f"{sum(bool(what) for what, _ in found)} of its {len(found)} cases" if said else "none of its cases"
    return [f"trivial bound: ≤ {inline(trivial, dict(claim.bound.letters))}; the bound exceeds it in {count}{said}"]


# Nontrivial range -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NontrivialRange:
    """The values of a constant from ``low`` to ``high`` at all of which a bound is nontrivial, or None.

    ``below``, ``above``: the state just beyond each end. The ends are exact for counts, else to one part in 10^6.
    """

    name: str
    low: Fraction | None
    high: Fraction | None
    below: State
    above: State

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"nontrivial at no value of {self.name} (looked at powers of two up to {_format_value(MAX_VALUE)})"
        why = {"nothing": "vacuous", "inapplicable": "the claim does not apply", "unknown": "not decided", "says": ""}
        end = "" if self.below == "says" else f"; just below: {why[self.below]}"
        if self.high == MAX_VALUE:
            top = _format_value(MAX_VALUE)
            return (
                f"nontrivial from {self.name} = {_format_value(self.low)} on (every value up to {top} is decided{end})"
            )
        end += "" if self.above == "says" else f"; just above: {why[self.above]}"
        ends = f"{_format_value(self.low)} to {_format_value(self.high)}"
        return f"nontrivial from {self.name} = {ends} (every value between is decided{end})"


def _format_value(value: Fraction) -> str:
    if value in (MAX_VALUE, MIN_VALUE):
        return "10^12" if value == MAX_VALUE else "10^-12"
    return str(value) if value.denominator == 1 else f"{float(value):.6g}"


@dataclass
class _Search:
    """A bound and its trivial bound along a constant, with ``looks`` evaluations left."""

    bound: Bound
    trivial: Expr
    symbol: Symbol
    values: Mapping[Symbol, Number]
    looks: int = MAX_EVALUATIONS

    @property
    def counts(self) -> bool:
        return bool(self.symbol.is_integer)

    def state(self, low: Fraction, high: Fraction) -> State:
        """Return the state at every value of a range; "unknown" if it varies or is undecided."""
        self.looks -= 1
        at = low if low == high else to_ball(low).union(to_ball(high))
        if isinstance(at, Fraction) and at.denominator == 1:
            at = int(at)
        try:
            with ctx.workprec(128):
                full = self.bound.complete({**self.values, self.symbol: at})
                told = [decide(condition, full) for condition in self.bound.conditions]
                gap = evaluate_ball(self.trivial, full) - evaluate_ball(self.bound.expr, full)
        except (BoundError, ArithmeticError, ValueError):
            return "inapplicable" if low == high else "unknown"
        if any(one is False for one in told):
            return "inapplicable"
        if any(one is None for one in told) or not gap.is_finite():
            return "unknown"
        if low == high:  # as in verdicts: a bound is vacuous only if proved to be above
            return (
                "nothing" if decide(sympy.Le(self.bound.expr, self.trivial, evaluate=False), full) is False else "says"
            )
        return "says" if gap >= 0 else "nothing" if gap < 0 else "unknown"

    def middle(self, low: Fraction, high: Fraction) -> Fraction | None:
        """Return a middle of the ends, geometric if they are far apart; None if nothing lies between."""
        if high - low <= (1 if self.counts else PRECISION * low):
            return None
        if high > 4 * low:
            power = Fraction(2) ** ((_log(low) + _log(high)) // 2)
            if low < power < high:
                return power
        middle = (low + high) / 2
        return Fraction(int(middle)) if self.counts else middle

    def reach(self, start: Fraction, end: Fraction) -> tuple[Fraction, State]:
        """Return how far from ``start`` towards ``end`` the bound is nontrivial, and the state beyond."""
        reached, open_ = start, [end]
        while open_:
            goal = open_[-1]
            state = self.state(min(reached, goal), max(reached, goal)) if self.looks > 0 else "unknown"
            if state == "says":
                reached = open_.pop()
                continue
            middle = self.middle(min(reached, goal), max(reached, goal)) if self.looks > 0 else None
            if middle is not None:
                open_.append(middle)
                continue
            beyond = self.state(goal, goal)
            if beyond != "says" or not self.counts:
                return reached, beyond
            reached = open_.pop()  # the next count, and nothing lies between
        return reached, "says"


def _log(value: Fraction) -> int:
    return value.numerator.bit_length() - value.denominator.bit_length()


def nontrivial_range(
    bound: Bound, trivial: Expr | None, symbol: Symbol, values: Mapping[Symbol, Number]
) -> NontrivialRange:
    """Return where along a constant a bound is nontrivial, at the others' values; UserError if this is undefined."""
    letters = letters_of([bound])
    name = label(symbol, letters)
    if trivial is None or bound.side != "upper":
        raise UserError(f"{bound.source.paper}, {bound.source.place}: no trivial bound is known of what it measures")
    given = {**implied_constants([bound]), **{s: v for s, v in values.items() if s != symbol}}
    probe = bound.complete({**given, symbol: 1}, later=bound.expr.free_symbols)
    needed = {*bound.expr.free_symbols, *trivial.free_symbols, *(s for c in bound.conditions for s in c.free_symbols)}
    if missing := sorted(label(s, letters) for s in needed if s not in probe):
        raise UserError(f"missing {', '.join(missing)}: all but {name} must be set")
    if symbol not in needed.union(*(e.free_symbols for _, e in bound.where)):
        raise UserError(f"{name} is not in this bound")
    search = _Search(bound, trivial, symbol, given)
    lowest = Fraction(1) if search.counts else MIN_VALUE
    powers = [Fraction(2) ** k for k in range(39, -40, -1)]
    grid = [MAX_VALUE, *(power for power in powers if power >= lowest)]
    start = next((g for g in grid if search.state(g, g) == "says"), None)
    if start is None:
        return NontrivialRange(name, None, None, "nothing", "nothing")
    low, below = search.reach(start, lowest)
    high, above = search.reach(start, MAX_VALUE)
    return NontrivialRange(name, low, high, below, above)
