"""A claim about all clients of a class, as a question about their worst case, and the answer for the claim."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import sympy
from flint import arb
from sympy import Symbol

from fltheory import symbols
from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim, bounds_with_tuning
from fltheory.evidence.verdict import compare
from fltheory.model.bound import Bound
from fltheory.model.case import Case
from fltheory.number import NotRational, Number, to_ball
from fltheory.runs import assumptions as assume
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.measures import LastDistance, LeastGradient, OneRoundMeasure
from fltheory.symbols import VOCABULARY
from fltheory.worst_case.functions import FunctionClass, Smooth
from fltheory.worst_case.functions.nonconvex import NonConvex
from fltheory.worst_case.measures import RoundGrowth
from fltheory.worst_case.question import CLIENT_SETTINGS, Question, question
from fltheory.worst_case.symbolic_run import OutOfReach, Record
from fltheory.worst_case.whole_run import Bracket

# Assumptions that the class of clients implies, and those that are checked elsewhere.
SETTING_ASSUMPTIONS = (assume.plain_server, assume.full_participation, assume.participation)  # these are checked
CLASS_ASSUMPTIONS = (
    assume.minimiser_exists,
    assume.smooth,
    assume.convex,
    assume.strongly_convex,
    assume.convex_so_far,
    assume.heterogeneity_at_optimum,
    assume.uniform_heterogeneity,
    assume.bounded_noise,
    assume.noiseless,
    assume.constants_described,
    *SETTING_ASSUMPTIONS,
)
LIMIT_DENOMINATOR = 10**12  # denominator of an irrational limit
NO_MINIMISER_SETTINGS = (
    "initial_gap",
    "heterogeneity",
    "heterogeneity_slope",
    "noise_std",
)  # for clients that may have no x*
ROUNDING_FACTOR = Fraction(1001, 1000)
START_SYMBOLS = (symbols.initial_distance, symbols.initial_gap)
CLASS_SYMBOLS = (symbols.smoothness, symbols.strong_convexity)


def require_reach(claim: Claim) -> None:
    """Raise OutOfReach if the claim is not about rounds on convex clients."""
    other = _why_another_kind(claim)
    if other:
        raise OutOfReach(f"{claim.id} {other}: it has no worst case of this kind, which upper bounds on rounds have")
    if claim.mode != "in expectation":
        raise OutOfReach(
            f"{claim.id} is about every path, or holds with a probability: worst cases are of expectations here"
        )
    require_known_assumptions(claim)
    if not is_convex(claim) and not isinstance(claim.measure, LeastGradient):
        raise OutOfReach(
            f"{claim.id} does not assume that clients are convex: only their gradients are known to get small"
        )


def _why_another_kind(claim: Claim) -> str:
    """Return what a claim is about, if not an upper bound on the rounds of an algorithm."""
    if claim.measure is None:
        return "measures nothing"
    if claim.algorithm is None:
        return "is about a formula, not the rounds of an algorithm"
    if not isinstance(claim.algorithm, Algorithm):
        return (
            f"is about a game that {claim.algorithm.name} plays, not the rounds of an algorithm "
            "(`fltheory falsify` searches for the losses that are worst for it)"
        )
    return "" if all(b.side == "upper" for b in claim.bounds) else "is no upper bound"


def require_known_assumptions(claim: Claim) -> None:
    """Raise OutOfReach if its assumptions do not define a class of functions."""
    beyond = [a.name for a in claim.assumptions if a not in CLASS_ASSUMPTIONS]
    if beyond:
        raise OutOfReach(f"{claim.id} also assumes {', '.join(beyond)}: no class of functions is known for that here")


def is_convex(claim: Claim) -> bool:
    """Return whether its clients are convex, strongly or not."""
    return bool({assume.convex, assume.strongly_convex, assume.convex_so_far} & set(claim.assumptions))


def bound_constants(claim: Claim, values: Mapping[Symbol, Number]) -> Mapping[Symbol, Number]:
    """Return the constants at which to evaluate a claim's bound: for a recursion without the term of the start."""
    if not isinstance(claim.measure, OneRoundMeasure):
        return values
    given = next((s.name for s in START_SYMBOLS if values.get(s)), None)
    if given is not None:
        raise OutOfReach(f"{claim.id} is about a round from any start: leave out {given}")
    return without_start(claim, values)


def without_start(claim: Claim, values: Mapping[Symbol, Number]) -> Mapping[Symbol, Number]:
    """Return the constants for comparing the remainder of a recursion with its bound: no start; otherwise unchanged."""
    return {**values, **dict.fromkeys(START_SYMBOLS, 0)} if isinstance(claim.measure, OneRoundMeasure) else values


def require_question(claim: Claim) -> None:
    """Raise OutOfReach if no question applies to all clients of a class, neither on whole runs nor on one round."""
    if not isinstance(claim.measure, OneRoundMeasure):
        require_reach(claim)
        return
    require_known_assumptions(claim)
    recursion_measure(claim)


def recursion_measure(claim: Claim) -> RoundGrowth:
    """Return the remainder of a round without a bound's terms in |x_0 - x*|^2 and F(x_0) - F*; or OutOfReach."""
    measure, (bound, *others) = claim.measure, bounds_with_tuning(claim)
    if not isinstance(measure, OneRoundMeasure) or not isinstance(measure.quantity, LastDistance) or others:
        raise OutOfReach(f"{claim.id} is no recursion of the distance from the minimiser")
    expr = sympy.expand(bound.expand_definitions())
    away, height = START_SYMBOLS
    kept, weight = expr.coeff(away, 2), -expr.coeff(height, 1)
    if {away, height} & sympy.expand(expr - kept * away**2 + weight * height).free_symbols:
        raise OutOfReach(f"{claim.id} has other terms of the start than its squared distance and its gap")
    return RoundGrowth(weight, kept)


def require_about_rounds(claim: Claim) -> None:
    """Raise OutOfReach if a worst case does not apply to a claim, whatever its constants."""
    if isinstance(claim.measure, OneRoundMeasure):
        require_known_assumptions(claim)
    else:
        require_reach(claim)


def question_of_claim(claim: Claim, values: Mapping[Symbol, Number]) -> Question:
    """Return the claim about all its clients as a question; OutOfReach if a worst case does not apply."""
    method, measure = claim.algorithm, claim.measure
    require_about_rounds(claim)
    if isinstance(measure, OneRoundMeasure):
        method, measure, values = (
            measure.method,
            recursion_measure(claim),
            {s: v for s, v in values.items() if s not in START_SYMBOLS},
        )
    assert isinstance(method, Algorithm)
    assert measure is not None
    if symbols.smoothness not in values:
        raise OutOfReach(f"missing {symbols.smoothness.name}")
    try:
        functions = _functions(claim, values)
        settings = {s.name: v for s, v in values.items() if s not in CLASS_SYMBOLS and (v or s != symbols.noise_std)}
        asked = question(method, functions, measure, **settings)
    except (ValueError, NotRational) as error:
        raise OutOfReach(str(error)) from None
    case = asked.case(Record(int(dict(asked.settings)["n_clients"])))
    failed = next((why for a in SETTING_ASSUMPTIONS if a in claim.assumptions and (why := a.check(case))), None)
    if failed is not None:
        raise OutOfReach(f"{claim.id} does not apply: {failed}")
    return asked


def _functions(claim: Claim, values: Mapping[Symbol, Number]) -> FunctionClass:
    if not is_convex(claim):
        return NonConvex(values[symbols.smoothness])
    curved = bool({assume.strongly_convex, assume.convex_so_far} & set(claim.assumptions))
    return Smooth(values[symbols.smoothness], values.get(symbols.strong_convexity, 0) if curved else 0)


def status_of(claim: Claim, found: Bracket, values: Mapping[Symbol, Number]) -> str:
    """Return "holds" (proved for the class), "violated" (by the instance in its own constants) or "open"."""
    if found.upper is not None and satisfies_bounds(claim, found.upper, values):
        return "holds"
    if found.case is not None and found.lower is not None and not satisfies_bounds(claim, found.lower, values):
        return "violated" if check_claim(claim, found.case).status == "violated" else "open"
    return "open"


def satisfies_bounds(claim: Claim, value: Fraction, values: Mapping[Symbol, Number]) -> bool:
    """Return whether a number certainly satisfies all bounds of a claim, all of them upper, at these constants."""
    return all(compare(value, _limit(bound, values), bound.side) == "holds" for bound in bounds_with_tuning(claim))


def _limit(bound: Bound, values: Mapping[Symbol, Number]) -> Fraction | arb:
    """Return a bound as a rational number, which a worst case may equal, or else as a ball."""
    try:
        return bound.exact(values)
    except NotRational:
        return bound.ball(values)


def class_constants(claim: Claim, case: Case) -> Mapping[Symbol, Number]:
    """Return the constants of a case's class: its settings and the known constants of its clients.

    Irrational ones are rounded up, and L is increased if it equals mu; both make the class larger.
    """
    known = dict(case.constants)
    curved = {assume.strongly_convex, assume.convex_so_far} & set(claim.assumptions)
    if curved and known.get(symbols.smoothness) == known.get(symbols.strong_convexity):
        known[symbols.smoothness] = _upwards(known[symbols.smoothness]) * ROUNDING_FACTOR
    settings = {VOCABULARY[name].symbol: value for name, value in case.settings if name in VOCABULARY}
    names = CLIENT_SETTINGS if is_convex(claim) else NO_MINIMISER_SETTINGS
    of_clients = (VOCABULARY[name].symbol for name in names)
    limits = {symbol: _upwards(known[symbol]) for symbol in of_clients if symbol in known}
    own = {symbol: known[symbol] for symbol in (symbols.n_clients, *CLASS_SYMBOLS) if symbol in known}
    return {**settings, **own, **limits}


def _upwards(value: Number) -> Fraction:
    if isinstance(value, int | Fraction):
        return Fraction(value)
    end = to_ball(value).upper().fmpq()
    return Fraction(-(-int(end.p) * LIMIT_DENOMINATOR // int(end.q)), LIMIT_DENOMINATOR)
