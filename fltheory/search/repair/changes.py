"""Small changes of a false bound: a factor, a power, a term of the right units, a condition, an inequality."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import sympy
from sympy import Expr, Symbol
from sympy.core.relational import Relational

from fltheory.claims.claim import Claim
from fltheory.model.bound import Side
from fltheory.search.repair.arrays import FLOAT_TOLERANCE, Sample
from fltheory.search.tightness.terms import is_yes_no
from fltheory.symbols import meaning

NICE_FACTORS = (1, Fraction(5, 4), Fraction(3, 2), 2, Fraction(5, 2), 3, 4, 5, 6, 8)  # factors usual in print
MAX_FACTOR = 1000  # largest factor of a repair
POWERS = tuple(map(Fraction, ("1", "-1", "1/2", "-1/2", "2", "-2", "3/2")))
MAX_ROOT = 4  # roots that the bound itself has, up to this one: their powers up to 1 as well
MIN_CASES_LEFT = 4  # least number of cases that meet a condition
COSTS = {"relation": 0.5, "factor": 1.0, "power": 2.0, "condition": 2.0, "term": 3.0}
TRIVIAL_CONDITION_COST = 3.0  # extra cost of a condition under which all measured values are 0


@dataclass(frozen=True)
class Change:
    """A changed bound, in words; a smaller ``size`` means a smaller change and a smaller loss."""

    kind: str
    said: str
    expr: Expr
    side: Side
    conditions: tuple[Relational, ...]
    size: float

    def of(self, claim: Claim) -> Claim:
        """Return the changed claim, expected to hold."""
        source = replace(claim.bound.source, note=f"changed: {self.said}")
        conditions = (*claim.bound.conditions, *self.conditions)
        bound = replace(claim.bound, expr=self.expr, side=self.side, conditions=conditions, source=source)
        changed = replace(claim, bounds=(bound,), inconsistent_units=False, cases=claim.cases).recorded_as("holds")
        return changed if changed.dimension_error() is None else replace(changed, inconsistent_units=True)


class Factor(NamedTuple):
    """A factor of a term, and its values at the facts."""

    expr: Expr
    values: np.ndarray
    cost: float


def consistent_changes(sample: Sample, pool: Iterable[Relational]) -> list[Change]:
    """Return all changes consistent with the facts, the smallest first."""
    with np.errstate(all="ignore"):
        found = [*_conditions(sample, pool)]
        found += (
            []
            if is_yes_no(sample.claim)
            else [*_relations(sample), *_factors(sample), *_powers(sample), *_terms(sample)]
        )
    unique: dict[object, Change] = {}
    for change in sorted(found, key=lambda c: c.size):
        unique.setdefault((change.expr, change.side, change.conditions), change)
    return list(unique.values())


def next_nice_factor(value: float, up: bool) -> Fraction | None:
    """Return the next factor usual in print; None beyond LARGEST."""
    if not np.isfinite(value) or not 1 / MAX_FACTOR < value < MAX_FACTOR:
        return None
    near = Fraction(value).limit_denominator(12)
    if abs(float(near) - value) < 1e-7 * value:
        return near
    grid = sorted(
        {Fraction(n) * Fraction(10) ** e for n in NICE_FACTORS for e in range(-3, 4)}
        | {1 / Fraction(n) for n in NICE_FACTORS}
    )
    chosen = [g for g in grid if g >= value] if up else [g for g in reversed(grid) if g <= value]
    return chosen[0]


def _extreme(sample: Sample, need: np.ndarray, by: np.ndarray) -> float | None:
    """Return the least c with c by >= need everywhere (largest, for a lower bound); None if there is none."""
    upper = sample.claim.bound.side == "upper"
    asks = by > 0
    if ((need > 0) if upper else (need < 0))[~asks].any() or not asks.any() or (by < 0).any():
        return None
    ratios = need[asks] / by[asks]
    return float(ratios.max() if upper else ratios.min())


def _constant(need: np.ndarray, by: np.ndarray) -> float | None:
    """Return the c with c by = need everywhere; None if there is none."""
    if not np.isfinite(by).all() or not (by != 0).any() or (np.abs(need[by == 0]) > 0).any():
        return None
    ratios = need[by != 0] / by[by != 0]
    return float(ratios[0]) if np.ptp(ratios) <= 1e-9 * max(1e-300, np.abs(ratios).max()) else None


def _nice_solution(sample: Sample, need: np.ndarray, by: np.ndarray) -> Fraction | None:
    """Return the factor, as usual in print, that makes the bound sufficient."""
    if sample.claim.bound.side == "equal":
        value = _constant(need, by)
        near = None if value is None else Fraction(value).limit_denominator(60)
        return near if near is not None and abs(float(near) - (value or 0)) < 1e-9 else None
    value = _extreme(sample, need, by)
    return None if value is None or value <= 0 else next_nice_factor(value, sample.claim.bound.side == "upper")


def _relations(sample: Sample) -> Iterator[Change]:
    """Yield an inequality in place of an equality, also with a factor."""
    bound = sample.claim.bound
    if bound.side != "equal":
        return
    sides: tuple[Side, Side] = ("upper", "lower")
    for other, values in _single_constants(sample):
        if sample.keeps(values, side="upper"):
            yield Change("relation", f"only at most {other}", other, "upper", (), COSTS["relation"] + COSTS["term"])
    for side, word in zip(sides, ("at most", "at least"), strict=True):
        if sample.keeps(sample.limit, side=side):
            yield Change("relation", f"only {word}", bound.expr, side, (), COSTS["relation"])
        elif (sample.limit >= 0).all() and (sample.limit > 0).any() and not sample.measured[sample.limit == 0].any():
            ratios = sample.measured[sample.limit > 0] / sample.limit[sample.limit > 0]
            factor = next_nice_factor(float(ratios.max() if side == "upper" else ratios.min()), side == "upper")
            if factor is not None:
                expr = _times(factor, bound.expr)
                size = COSTS["relation"] + COSTS["factor"] + _log(factor)
                yield Change("relation", f"only {word} {factor} times that", expr, side, (), size)


def _factors(sample: Sample) -> Iterator[Change]:
    bound = sample.claim.bound
    factor = _nice_solution(sample, sample.measured, sample.limit)
    if factor is not None and factor != 1:
        yield Change(
            "factor", f"times {factor}", _times(factor, bound.expr), bound.side, (), COSTS["factor"] + _log(factor)
        )
    if sample.rows.shape[1] < 2:
        return
    for i, term in enumerate(sample.terms.exprs):
        rest = sample.limit - sample.rows[:, i]
        factor = _nice_solution(sample, sample.measured - rest, sample.rows[:, i])
        if factor is not None and factor != 1:
            expr = bound.expr - term + _times(factor, term)
            yield Change(
                "factor", f"the term {term} times {factor}", expr, bound.side, (), COSTS["factor"] + _log(factor)
            )


def _powers(sample: Sample) -> Iterator[Change]:
    """Yield the bound, or a term of it, times a power of a constant, so that both sides scale alike."""
    bound = sample.claim.bound
    single = sample.rows.shape[1] == 1
    wanted = _missing_units(sample.claim)
    for by in multipliers(sample, wanted):
        pieces = [(bound.expr, sample.limit, np.zeros_like(sample.limit))]
        if not single:
            pieces += [
                (e, sample.rows[:, i], sample.limit - sample.rows[:, i]) for i, e in enumerate(sample.terms.exprs)
            ]
        for term, values, rest in pieces:
            keeps = sample.claim.bound.side != "equal" and sample.keeps(rest + values * by.values)
            factor = Fraction(1) if keeps else _nice_solution(sample, sample.measured - rest, values * by.values)
            if factor is None:
                continue
            what = "times" if term is bound.expr else f"the term {term} times"
            said = f"{what} {by.expr}" if factor == 1 else f"{what} {factor} {by.expr}"
            expr = bound.expr - term + _times(factor, by.expr * term)
            size = (
                COSTS["power"] + by.cost + _log(factor) + _mean_loss(sample, rest + float(factor) * values * by.values)
            )
            yield Change("power", said, expr, bound.side, (), size)


def _terms(sample: Sample) -> Iterator[Change]:
    """Yield a further term with the claim's units: one of the bound's with a constant replaced, or multiplied."""
    bound = sample.claim.bound
    seeds = [(e, sample.rows[:, i]) for i, e in enumerate(sample.terms.exprs) if e != 0 and sample.rows[:, i].any()]
    seeds += [(e, values) for e, values in _single_constants(sample)]
    for term, values in seeds:
        for by in multipliers(sample, (0, 0), frozenset(term.free_symbols)):
            factor = _nice_solution(sample, sample.measured - sample.limit, values * by.values)
            if factor is None or factor == 0:
                continue
            new = _times(factor, by.expr * term)
            size = COSTS["term"] + by.cost + _log(factor)
            size += _mean_loss(sample, sample.limit + float(factor) * values * by.values)
            yield Change("term", f"plus {new}", bound.expr + new, bound.side, (), size)


def _single_constants(sample: Sample) -> Iterator[tuple[Expr, np.ndarray]]:
    """Yield single constants, and differences of two, with the units of the measure; 1 if it has none."""
    measure = sample.claim.measure
    assert measure is not None
    wanted = tuple(measure.dimension)
    if wanted == (0, 0):
        yield sympy.Integer(1), np.ones_like(sample.limit)
    alike = [s for s in _nameable_constants(sample) if tuple(meaning(s).dimension) == wanted]
    for s in alike:
        yield s, sample.symbols[s]
        for other in alike:
            if other != s and (sample.symbols[s] >= sample.symbols[other]).all():
                yield s - other, sample.symbols[s] - sample.symbols[other]


def multipliers(sample: Sample, wanted: tuple[object, object], of: frozenset[Symbol] | None = None) -> list[Factor]:
    """Yield factors with these units: powers of constants, 1 - 1/n of counts, and ratios of like constants."""
    found = [Factor(sympy.Integer(1), np.ones_like(sample.limit), 0.0)] if wanted == (0, 0) else []
    names, powers = _nameable_constants(sample), _powers_of(sample.claim.bound.expr)
    for s in names:
        values, units = sample.symbols[s], meaning(s).dimension
        for power in powers:
            if tuple(power * u for u in units) == tuple(wanted) and (values > 0).all():
                exponent = sympy.Rational(power.numerator, power.denominator)
                found.append(
                    Factor(
                        s**exponent, values ** float(power), abs(float(power)) + (0 if power.denominator == 1 else 1)
                    )
                )
        if wanted == (0, 0) and s.is_integer and s.is_positive:
            found.append(Factor(1 - 1 / s, 1 - 1 / values, 0.3))
    if of is None:
        return found + _products(sample, wanted)
    if wanted != (0, 0):
        return found
    swaps = []
    for s in sorted(of & set(names), key=lambda s: s.name):
        for other in names:
            alike = tuple(meaning(other).dimension) == tuple(meaning(s).dimension)
            if other != s and alike and (sample.symbols[s] > 0).all():
                swaps.append(Factor(other / s, sample.symbols[other] / sample.symbols[s], 0.3))
    counts = [f for f in found if f.cost <= 1]
    return found + [Factor(a.expr * b.expr, a.values * b.values, a.cost + b.cost) for a in swaps for b in counts]


def _powers_of(expr: Expr) -> tuple[Fraction, ...]:
    """Return POWERS, plus powers up to 1 of a bound's own roots: a wrong exponent is off by one of them."""
    roots = {int(p.exp.q) for p in expr.atoms(sympy.Pow) if p.exp.is_Rational and 2 < p.exp.q <= MAX_ROOT}
    more = {Fraction(sign * n, root) for root in roots for n in range(1, root) for sign in (1, -1)}
    return (*POWERS, *sorted(more - set(POWERS)))


def _products(sample: Sample, wanted: tuple[object, object]) -> list[Factor]:
    """Yield products of two constants with units, and ratios, that together have these units."""
    found = []
    names = [
        s
        for s in _nameable_constants(sample)
        if tuple(meaning(s).dimension) != (0, 0) and (sample.symbols[s] > 0).all()
    ]
    for i, s in enumerate(names):
        for other in names[i + 1 :]:
            for up, down in ((1, 1), (1, -1), (-1, 1)):
                units = tuple(
                    up * a + down * b for a, b in zip(meaning(s).dimension, meaning(other).dimension, strict=True)
                )
                if units == tuple(wanted):
                    values = sample.symbols[s] ** float(up) * sample.symbols[other] ** float(down)
                    found.append(Factor(s**up * other**down, values, 1.2))
    return found


def _nameable_constants(sample: Sample) -> list[Symbol]:
    """Return the constants that a changed bound may contain."""
    return [s for s in sample.named if s.name not in ("dimension",)]


def _missing_units(claim: Claim) -> tuple[object, object]:
    """Return the units by which the bound differs from the measure."""
    assert claim.measure is not None
    try:
        own = claim.bound.dimension()
    except ValueError:
        return (0, 0)
    if not claim.bound.expr.free_symbols:
        return (0, 0)
    first, second = (a - b for a, b in zip(claim.measure.dimension, own, strict=True))
    return first, second


def _conditions(sample: Sample, pool: Iterable[Relational]) -> Iterator[Change]:
    """Yield conditions that exclude all facts which break the bound, but not all others."""
    bound = sample.claim.bound
    broken = sample.broken(sample.limit)
    if not broken.any():
        return
    for condition in pool:
        meets = sample.meets(condition)
        if meets is None or (meets & broken).any() or (meets & ~broken).sum() < MIN_CASES_LEFT:
            continue
        lost = 1 - (meets & ~broken).sum() / max(1, (~broken).sum())
        size = COSTS["condition"] + 2 * float(lost) + 0.1 * len(condition.free_symbols)
        idle = bool((sample.measured[meets] <= FLOAT_TOLERANCE * sample.limit[meets]).all())
        size += TRIVIAL_CONDITION_COST if idle and bound.side == "upper" else 0.0
        yield Change("condition", f"if {condition}", bound.expr, bound.side, (condition,), size)


def _times(factor: Fraction, expr: Expr) -> Expr:
    return sympy.Rational(factor.numerator, factor.denominator) * expr


def _log(factor: Fraction) -> float:
    """Return the cost of a factor: 0 for 1, less for whole numbers."""
    if factor in (0, 1):
        return float(factor == 0)
    odd = 0.3 if factor.denominator == 1 else 1.0
    return odd + abs(float(np.log2(abs(float(factor))))) / 2


def _mean_loss(sample: Sample, limit: np.ndarray) -> float:
    """Return the mean loss of the bound where it held, in logarithms."""
    use = ~sample.broken(sample.limit) & (limit > 0) & (sample.limit > 0)
    return float(np.abs(np.log2(limit[use] / sample.limit[use])).mean()) / 4 if use.any() else 1.0
