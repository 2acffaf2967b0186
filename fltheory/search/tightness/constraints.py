"""Constraints of a case on all constants: the certified end of the measured quantity, and the value of each term."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import arb, ctx
from sympy import Symbol

from fltheory.claims.check import apply_claim, evaluate_question, question_for
from fltheory.evidence.deterministic import PRECISION_RANGE
from fltheory.evidence.measured import Interval, Measured
from fltheory.games.player import ImpreciseState
from fltheory.model.case import Case
from fltheory.number import Number, as_number, lower_float, to_ball, to_float, upper_float
from fltheory.runs.flat_states import adapt_to_rows
from fltheory.runs.measures import DeterministicMeasure
from fltheory.runs.method import NotEnumerable
from fltheory.runs.step_rule import StepRule
from fltheory.search.tightness.terms import Terms, is_yes_no


class UninformativeCase(ValueError):
    """A case that does not constrain the constants; the text says why."""


# The check may break on a case made by the search: that is no verdict, and the search goes on.
CASE_ERRORS = (UninformativeCase, NotEnumerable, ValueError, ArithmeticError, KeyError, TypeError, IndexError)


@dataclass(frozen=True)
class Fact:
    """A case's data; ``measured`` is at most the measured value for an upper bound, at least that for a lower one."""

    case: Case
    measured: Fraction
    terms: tuple[arb, ...]
    fixed: arb
    evidence: str
    error_rate: float
    side: str
    constants: Mapping[Symbol, Number] = field(repr=False, compare=False)

    @cached_property
    def row(self) -> np.ndarray:
        """Return the terms in floats."""
        return np.array([to_float(t) for t in self.terms])

    @cached_property
    def room(self) -> float:
        """Return what the weighted terms must cover (or may reach, for a lower bound), in floats."""
        return to_float(to_ball(self.measured) - self.fixed)

    @cached_property
    def kept(self) -> float:
        """Return the part without a weight, in floats; the factor of the whole bound multiplies it too."""
        return to_float(self.fixed)

    def refutes(self, weights: Sequence[Fraction], of_fixed: Fraction = Fraction(1)) -> bool | None:
        """Return whether the case violates the bound with these weights, in ball arithmetic; None if undecided."""
        total = to_ball(of_fixed) * self.fixed + sum(
            (to_ball(w) * t for w, t in zip(weights, self.terms, strict=True)), arb(0)
        )
        measured = to_ball(self.measured)
        broken, kept = (
            (total < measured, total >= measured) if self.side == "upper" else (total > measured, total <= measured)
        )
        return True if broken else False if kept else None

    def weight(self, index: int | None) -> Fraction | None:
        """Return the least weight of a term (None: of the whole bound) by this case, the others at 1; or None.

        It is rounded so that every smaller weight (every larger one, for a lower bound) is refuted.
        """
        whole = sum(self.terms, self.fixed)
        own = whole if index is None else self.terms[index]
        left = to_ball(self.measured) - (whole - own)
        if not own > 0:
            return None
        end = (lower_float if self.side == "upper" else upper_float)(left / own)
        return Fraction(end) if math.isfinite(end) else None


def fact_of(terms: Terms, case: Case, rate: float, seed: int, stages: tuple[int, ...]) -> Fact:
    """Return the fact of a case; UninformativeCase outside the hypotheses or without a known end of the measured quantity."""
    claim = terms.claim
    applied = apply_claim(claim, case)
    if isinstance(applied, str):
        raise UninformativeCase(applied)
    full, limits = applied
    if isinstance(claim.measure, DeterministicMeasure):
        return _fact_of_rule_run(terms, claim.measure, case, full)
    status, measured, _ = evaluate_question(claim, full, question_for(claim, limits[0], full, rate, seed, stages))
    values, fixed = terms.values(full.constants)
    if is_yes_no(claim):
        if status == "inconclusive":
            raise UninformativeCase("it is undecided whether the bound holds")
        broken = Fraction(0 if claim.bound.side == "lower" else 2)
        end = broken if status == "violated" else Fraction(1)
        return Fact(case, end, values, fixed, measured.evidence, measured.error_rate, claim.bound.side, full.constants)
    end = certified_end(measured, claim.bound.side)
    return Fact(case, end, values, fixed, measured.evidence, measured.error_rate, claim.bound.side, full.constants)


def _fact_of_rule_run(terms: Terms, measure: DeterministicMeasure, case: Case, full: Case) -> Fact:
    """Return the fact of the one run of a step-size rule, which also gives the bound's symbols, at rising precision."""
    claim, bits = terms.claim, PRECISION_RANGE[0]
    if not isinstance(claim.algorithm, StepRule) or not claim.algorithm.of_library:
        raise UninformativeCase("a user's rule returns floats: no end of the measured quantity is certified")
    while True:
        try:
            with ctx.workprec(bits):
                value, read = measure.follow(adapt_to_rows(claim.algorithm, full), full)
                constants = {**full.constants, **{s: as_number(v) for s, v in read.items()}}
                values, fixed = terms.values(constants)
                end = certified_end(Measured(as_number(value), "exact"), claim.bound.side)
            return Fact(case, end, values, fixed, "exact", 0.0, claim.bound.side, constants)
        except ImpreciseState:
            if bits >= PRECISION_RANGE[1]:
                raise UninformativeCase("the balls of the run grow too wide") from None
            bits *= 4


def certified_end(measured: Measured, side: str) -> Fraction:
    """Return the end of the measured interval on which a bound of this side can fail, never an estimate."""
    if measured.at_most if side == "upper" else measured.at_least:
        raise UninformativeCase("only the other end of the measured quantity is known")
    value: Number = measured.value
    if side == "equal" and not isinstance(value, Interval):
        return Fraction(to_float(value))  # nothing is concluded from it for an equality
    if isinstance(value, int | Fraction):
        return Fraction(value)
    end = _end(value, side)
    if not math.isfinite(end):
        raise UninformativeCase("no end of the measured quantity is known")
    return Fraction(end)


def _end(value: Number, side: str) -> float:
    if isinstance(value, Interval):
        return value.low if side == "upper" else value.high
    return lower_float(to_ball(value)) if side == "upper" else upper_float(to_ball(value))
