"""The terms of a bound, which get weights: their values in a case, and the claim with other weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import sympy
from flint import arb
from sympy import Expr, Symbol

from fltheory.claims.claim import Claim
from fltheory.model.bound import Bound
from fltheory.number import Number
from fltheory.runs.measures import DeterministicMeasure, run_notation

MAX_TERMS = 8  # terms with a weight each; the last ones share one if there are more


class NoTerms(ValueError):
    """A claim without terms that could get weights; the text says why."""


@dataclass(frozen=True)
class Terms:
    """The first bound of a claim as a sum: terms that get weights, and a subtracted part that stays unchanged."""

    claim: Claim
    exprs: tuple[Expr, ...]
    fixed: Expr
    bounds: tuple[Bound, ...]  # each term as a bound of its own, then the fixed part

    def values(self, constants: Mapping[Symbol, Number]) -> tuple[tuple[arb, ...], arb]:
        """Return balls of the terms, and of the fixed part, at the constants of a prepared case."""
        balls = [bound.ball(constants) for bound in self.bounds]
        return tuple(balls[:-1]), balls[-1]

    def weighted(self, weights: Sequence[Fraction | int]) -> Claim:
        """Return the claim with these weights and no other bound."""
        exprs = [sympy.Rational(w.numerator, w.denominator) * e for w, e in zip(weights, self.exprs, strict=True)]
        source = replace(self.claim.bound.source, note="other constants")
        bound = replace(self.claim.bound, expr=sympy.Add(*exprs, self.fixed), source=source)
        return replace(self.claim, bounds=(bound,)).recorded_as("holds")


def terms_of(claim: Claim) -> Terms:
    """Return the terms of a claim's first bound; NoTerms if it has none before the run."""
    if claim.measure is None:
        raise NoTerms(f"{claim.id} is an external result: it is compared, not measured")
    if claim.bound.side == "equal":
        raise NoTerms(f"{claim.id} is an equality: it has no constant that could be less")
    if claim.mode == "with probability":
        raise NoTerms(f"{claim.id} holds with a probability: it bounds no single number")
    if run_notation(claim.measure) and not isinstance(claim.measure, DeterministicMeasure):
        raise NoTerms(f"{claim.id} takes constants of its bound from the run: its terms have no values before it")
    parts = summands(claim.bound.expr)
    minus = [e for e in parts if e.could_extract_minus_sign()]
    exprs = [e for e in parts if e not in minus and e != 0]
    if not exprs and minus:  # a bound below zero is taken whole
        exprs, minus = [claim.bound.expr], []
    if not exprs:
        raise NoTerms(f"{claim.id} bounds by 0: no factor changes that")
    if len(exprs) > MAX_TERMS:
        exprs = [*exprs[: MAX_TERMS - 1], sympy.Add(*exprs[MAX_TERMS - 1 :])]
    fixed = sympy.Add(*minus)
    own = tuple(replace(claim.bound, expr=e, conditions=()) for e in (*exprs, fixed))
    return Terms(claim, tuple(exprs), fixed, own)


def whole_bound_terms(claim: Claim) -> Terms:
    """Return the first bound as terms, of any form, for uses other than weights. NoTerms without a measure.

    If the bound takes constants from the run, or holds with a probability, a case says only whether the claim holds:
    the bound counts as 1 (``is_yes_no``), which is exceeded or not.
    """
    if is_yes_no(claim):
        one = replace(claim.bound, expr=sympy.Integer(1), conditions=(), where=())
        return Terms(claim, (sympy.Integer(1),), sympy.Integer(0), (one, replace(one, expr=sympy.Integer(0))))
    try:
        return terms_of(claim)
    except NoTerms:
        if claim.measure is None:
            raise
    bounds = tuple(replace(claim.bound, expr=e, conditions=()) for e in (claim.bound.expr, sympy.Integer(0)))
    return Terms(claim, (claim.bound.expr,), sympy.Integer(0), bounds)


def is_yes_no(claim: Claim) -> bool:
    """Return whether a case says only if the claim holds, without a number to compare with other bounds."""
    letters = run_notation(claim.measure) and not isinstance(claim.measure, DeterministicMeasure)
    return claim.measure is not None and (bool(letters) or claim.mode == "with probability")


def summands(expr: Expr) -> tuple[Expr, ...]:
    """Return the summands; a product with one sum of positive parts is expanded."""
    if isinstance(expr, sympy.Mul):
        sums = [f for f in expr.args if isinstance(f, sympy.Add)]
        whole = [f for f in sums if not any(a.could_extract_minus_sign() for a in f.args)]
        if len(whole) == 1:
            others = [f for f in expr.args if f is not whole[0]]
            return tuple(sympy.Mul(a, *others) for a in whole[0].args)
    return tuple(sympy.Add.make_args(expr))
