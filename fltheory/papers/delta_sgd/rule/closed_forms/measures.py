"""Measures of the step-size rule along local runs: growth and decrease of steps, and the active entry of line 9.

Convex clients start at the same point and take n_rounds + 1 local steps of Algorithm 1 with full gradients, of which
the rule computes all but the first: reading A of ``rule/closed_forms/runs.py``. Bounds are often attained by irrational
numbers, whose equality balls cannot show: both sides then count as equal within ``TOLERANCE``, as numerical evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from flint import arb, fmpq
from sympy import Integer, Symbol

from fltheory.model.bound import BoundError, Dimension
from fltheory.model.case import Case
from fltheory.number import as_number, to_float
from fltheory.number.mixed import Mixed, is_zero, largest, mixed_sqrt, smallest
from fltheory.papers.delta_sgd import notation as letters
from fltheory.papers.delta_sgd.convex.closed_forms.measures import TOLERANCE, Quantity
from fltheory.papers.delta_sgd.rule.closed_forms.runs import History, follow, mixed_constant
from fltheory.runs.measures import NUMBER, DeterministicMeasure
from fltheory.runs.step_rule import StepRule, squared_length

STEP: Dimension = (Integer(-1), Integer(2))
End = Literal["largest", "least"]


def extreme(values: list[Mixed], end: End) -> Mixed:
    """Return the largest, or the least."""
    return largest(values) if end == "largest" else smallest(values)


def require_ratio(case: Case) -> None:
    """Raise BoundError if the first computed step has no cap."""
    if letters.theta_0 not in case.constants:
        raise BoundError("the case gives no initial_ratio")


def size(value: Mixed) -> float:
    """Return a mixed number as a float, for comparisons."""
    return to_float(as_number(value))


def local_runs(rule: StepRule, case: Case) -> History:
    """Return the clients' local steps from the start, for each client separately."""
    return follow(rule, case, "A")


def pairs(h: History) -> Iterator[tuple[int, int, Any, Any]]:
    """Yield (t, i, |x - x'|^2, |g - g'|^2) for every step that a client computes from different points."""
    for t in range(1, h.n_rounds + 1):
        for i in range(h.n_clients):
            moved = squared_length(h.points[t][i] - h.points[t - 1][i])
            if not is_zero(moved):
                yield t, i, moved, squared_length(h.gradient[t][i] - h.gradient[t - 1][i])


def caps(case: Case, n: int) -> list[Mixed]:
    """Return the products of g_1, ..., g_j for j = 0..n, the bounds on the growth of a step."""
    delta, ratio, product = mixed_constant(case, letters.delta), mixed_constant(case, letters.theta_0), fmpq(1)
    found: list[Any] = [product]
    for _ in range(n):
        ratio = mixed_sqrt(1 + delta * ratio)
        found.append(found[-1] * ratio)
    return found


@dataclass(frozen=True)
class OfRule(DeterministicMeasure):
    """A quantity of the local runs of a case, with its own constants."""

    tolerance = TOLERANCE


def of_rule(name: str, value: Callable[[StepRule, Case], Any], dimension: Dimension = NUMBER) -> Quantity:
    """Return a number of the local runs of a case."""
    return Quantity(name, value, dimension, TOLERANCE)


def steps(end: End = "largest", first: int = 1) -> Quantity:
    """Return the largest or least step size from the ``first`` on; -1: of the last ones alone."""

    def found(rule: StepRule, case: Case) -> Mixed:
        return extreme([v for own in local_runs(rule, case).lr[first:] for v in own], end)

    which = "t the last" if first < 0 else f"t >= {first}"
    return of_rule(f"{'max' if end == 'largest' else 'min'} η_t, {which}", found, STEP)


@dataclass(frozen=True)
class Growth(OfRule):
    """The largest or least step size, with the product of the caps as a constant."""

    end: End = "largest"
    name: str = "η_t"
    dimension: Dimension = STEP

    @property
    def letters(self) -> tuple[Symbol, ...]:
        return (letters.Pi,)

    def follow(self, rule: StepRule, case: Case) -> tuple[Any, Mapping[Symbol, Any]]:
        h = local_runs(rule, case)
        capped = caps(case, h.n_rounds)
        every = [(lr, capped[t]) for t, own in enumerate(h.lr) for lr in own if t > 0]
        pick = max if self.end == "largest" else min
        _, product = pick(every, key=lambda v: size(v[0] / v[1]))
        return extreme([lr / p for lr, p in every], self.end) * product, {letters.Pi: product}


@dataclass(frozen=True)
class Ceiling(OfRule):
    """The largest computed step size, with the smallest change of a gradient over the distance as a constant."""

    name: str = "max η_t, t >= 1"
    dimension: Dimension = STEP

    @property
    def letters(self) -> tuple[Symbol, ...]:
        return (letters.mu,)

    def follow(self, rule: StepRule, case: Case) -> tuple[Any, Mapping[Symbol, Any]]:
        h = local_runs(rule, case)
        moving = [i for i in range(h.n_clients) if not is_zero(squared_length(h.points[1][i] - h.points[0][i]))]
        if not moving:
            raise BoundError("no client moves")
        least = smallest([mixed_sqrt(turned / moved) for _, _, moved, turned in pairs(h)])
        if is_zero(least):
            raise BoundError("a gradient did not change: no ceiling")
        return largest([own[i] for own in h.lr[1:] for i in moving]), {letters.mu: least}


def shares(h: History, case: Case) -> tuple[fmpq, fmpq]:
    """Return the share of computed steps on which the growth entry is smaller, and the smaller of both shares."""
    require_ratio(case)
    gamma, delta = mixed_constant(case, letters.gamma), mixed_constant(case, letters.delta)
    grown = fmpq(0)
    for t, i, moved, turned in pairs(h):
        cap = mixed_sqrt(1 + delta * h.ratio[t - 1][i]) * h.lr[t - 1][i]
        flat = is_zero(turned) or (isinstance(turned, arb) and turned.contains(0))
        if flat or gamma * mixed_sqrt(moved / turned) / 2 > cap:
            grown += 1
    total = h.n_rounds * h.n_clients
    return grown / total, min(grown, total - grown) / total


def first_entry_acts(case: Case, rule: StepRule, ratio: Mixed) -> bool:
    """Return whether the first entry determines the first computed step of every client, for this initial ratio."""
    h = local_runs(rule, case)
    cap = mixed_sqrt(1 + mixed_constant(case, letters.delta) * ratio)
    gamma = mixed_constant(case, letters.gamma)
    first = {i: (moved, turned) for t, i, moved, turned in pairs(h) if t == 1}
    return len(first) == h.n_clients and all(
        bool(turned > 0) and bool(gamma * mixed_sqrt(moved / turned) / 2 <= cap * h.lr[0][i])
        for i, (moved, turned) in first.items()
    )


def has_constant_gradient(case: Case, rule: StepRule) -> bool:
    """Return whether every client moves with a constant gradient."""
    h = local_runs(rule, case)
    found = list(pairs(h))
    return len(found) == h.n_rounds * h.n_clients and all(is_zero(turned) for *_, turned in found)
