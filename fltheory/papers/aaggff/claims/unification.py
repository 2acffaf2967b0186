"""Remark 3.1, Table 1 and Appendix A.1: U0-U7, what the entropic step says of fair methods and what it does not."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
import sympy

from fltheory.bound import Dimension
from fltheory.case import Assumption, Case
from fltheory.claim import Claim
from fltheory.number import BALL, RATIONAL, Number, Ring, exact, symbolic, to_ball
from fltheory.papers.aaggff.bounds import unification as limit
from fltheory.papers.aaggff.bounds.unification import BASELINE, POWER, REMARK, TILT, ZERO, equal, plain
from fltheory.papers.aaggff.claims.direct import always, drawn
from fltheory.papers.aaggff.data.instances_unification import Decision, QuadraticAt, Reported
from fltheory.papers.aaggff.exact import aggregation as rule
from fltheory.papers.aaggff.letters import M, q, tilt
from fltheory.runs.measures import NUMBER, DirectMeasure

LENGTH: Dimension = (sympy.Integer(0), sympy.Integer(1))
SLOPE: Dimension = (sympy.Integer(1), sympy.Integer(-1))
CONSTANT = {"fedavg": None, "qfedavg": q, "term": tilt, "propfair": M}

# Exact vectors ------------------------------------------------------------------------------------------------------------------


def numbers(values: Any, ring: Ring) -> np.ndarray:
    """Exact numbers as balls or as SymPy's, an array of the same shape."""
    given = np.asarray(values, dtype=object)
    return np.asarray(np.frompyfunc(to_ball if ring is BALL else symbolic, 1, 1)(given), dtype=object)


def one(value: Any, ring: Ring) -> Any:
    """A ball or a SymPy number as an element of the ring; NotRational where it is irrational."""
    if ring is BALL:
        return value
    settled = value if value.is_Rational else sympy.radsimp(sympy.cancel(value))  # roots and powers that cancel
    return ring.scalar(exact(settled))


def largest(values: Any, ring: Ring) -> Any:
    """The largest entry."""
    found = [one(v, ring) for v in np.asarray(values, dtype=object).flat]
    return reduce(lambda a, b: a.max(b), found) if ring is BALL else max(found)


def apart(first: Any, second: Any, ring: Ring) -> Any:
    """The largest distance of two vectors' entries; of numbers that are equal term by term it is 0."""
    away = np.asarray(first - second, dtype=object)
    if ring is not BALL:
        away = np.asarray(np.frompyfunc(_tidy, 1, 1)(away), dtype=object)
    return largest([abs(v) for v in away.flat], ring)


def _tidy(value: Any) -> Any:
    return value if value.is_Rational else sympy.expand(sympy.fraction(sympy.together(value))[0])


def constant_of(name: str, case: Case, ring: Ring) -> Any:
    symbol = CONSTANT[name]
    value = 0 if symbol is None else case.constants[symbol]
    return to_ball(value) if ring is BALL else symbolic(value)


def at_losses(name: str, case: Case, ring: Ring) -> tuple[Any, ...]:
    """Method, shares, losses and constant."""
    at: Any = case.instance
    return rule.METHODS[name], numbers(at.shares, ring), numbers(at.losses, ring), constant_of(name, case, ring)


def of_vectors(
    name: str, compute: Callable[[Case, Ring], Any], dimension: Dimension = NUMBER, trivial: Number | None = None
) -> DirectMeasure:
    """A quantity in balls, in rationals where its terms cancel; ``trivial``: what it never exceeds."""

    def quietly(case: Case, ring: Ring) -> Any:
        with np.errstate(all="ignore"):  # NumPy reports the flags that exact numbers leave in the processor
            return compute(case, ring)

    return DirectMeasure(name, quietly, dimension, None if trivial is None else lambda case: trivial)


# U0 -------------------------------------------------------------------------------------------------------------------------------


def _decided(case: Case, ring: Ring) -> tuple[Any, ...]:
    at: Any = case.instance
    return numbers(at.last, ring), numbers(at.response, ring), numbers([at.rate], ring)[0]


def not_the_minimiser(case: Case, ring: Ring) -> Any:
    """max_i |p_i of (3) - p_i of (2)|."""
    last, response, rate = _decided(case, ring)
    return apart(rule.entropic_step(last, response, rate), rule.regularised_step(response, rate), ring)


def _stationarity(decision: Any, base: Any, response: Any, rate: Any, ring: Ring) -> Any:
    """Spread of p_i e^(-r_i/eta) / base_i: 0 where -<p, r> + eta KL(p | base) is stationary on the simplex."""
    parts = decision / base / np.frompyfunc(lambda v: v.exp() if ring is BALL else sympy.exp(v), 1, 1)(response / rate)
    return apart(parts, np.full(len(parts), parts[0], dtype=object), ring)


def kl_residual(case: Case, ring: Ring) -> Any:
    """How far (3) is from stationary with KL to the last decision."""
    last, response, rate = _decided(case, ring)
    return _stationarity(rule.entropic_step(last, response, rate), last, response, rate, ring)


def entropy_residual(case: Case, ring: Ring) -> Any:
    """How far softmax(r/eta) is from stationary with the negative entropy."""
    last, response, rate = _decided(case, ring)
    return _stationarity(rule.regularised_step(response, rate), last * 0 + 1, response, rate, ring)


def _uniform(case: Case) -> str | None:
    at: Any = case.instance
    return None if len(set(at.last)) == 1 else "the last decision is not uniform"


U0_THREE = Case(Decision(("1/2", "3/10", "1/5"), ("1/10", "7/10", "3/10"), "1/2"))
U0_FEDAVG = Case(Decision(("1/2", "3/10", "1/5"), (0, 0, 0)))
U0_CASES = (U0_THREE, U0_FEDAVG, Case(Decision(("1/3", "2/3"), ("-1/2", 2), "3/10")))
UNIFORM = (Case(Decision(("1/3",) * 3, ("1/10", "7/10", "3/10"), "1/2")), Case(Decision(("1/2", "1/2"), (0, 3))))
_DECISIONS = drawn("unification", "decisions")
_APART = of_vectors("max |p of (3) - p of (2)|", not_the_minimiser)
U0 = (
    always(
        "U0",
        "(2) with R(p) = Σ pᵢ log pᵢ has the solution (3): pᵢ ∝ pᵢ⁽ᵗ⁾exp(rᵢ/η)",
        plain(ZERO, REMARK),
        _APART,
        (U0_THREE, U0_FEDAVG),
        _DECISIONS,
        expected="violated",
        remark="The last decision does not occur in (2): its solution is softmax(r/η). With r = 0 it is uniform, not nᵢ/n.",
    ),
    always(
        "U0",
        "(2) with R(p) = KL(p | p⁽ᵗ⁾) has the solution (3): pᵢe^{-rᵢ/η}/pᵢ⁽ᵗ⁾ is the same for all i",
        equal(ZERO, REMARK, "corrected"),
        of_vectors("spread of pᵢe^{-rᵢ/η}/pᵢ⁽ᵗ⁾", kl_residual),
        U0_CASES,
        _DECISIONS,
    ),
    always(
        "U0-softmax",
        "(2) with R(p) = Σ pᵢ log pᵢ has the solution softmax(r/η)",
        equal(ZERO, REMARK, "corrected"),
        of_vectors("spread of pᵢe^{-rᵢ/η}", entropy_residual),
        U0_CASES,
        _DECISIONS,
    ),
    always(
        "U0-uniform",
        "From a uniform decision (2) with R(p) = Σ pᵢ log pᵢ and (3) agree",
        equal(ZERO, REMARK, "corrected"),
        _APART,
        UNIFORM,
        drawn("unification", "decisions", uniform=True),
        (Assumption("uniform", _uniform),),
    ),
)

# U1-U5: mixing weights ----------------------------------------------------------------------------------------------------------


def mixing(name: str) -> DirectMeasure:
    """How far the entropic step of a row of Table 1 is from the method's own weights."""

    def compute(case: Case, ring: Ring) -> Any:
        method, shares, losses, constant = at_losses(name, case, ring)
        return apart(
            rule.step_weights(method, shares, losses, constant),
            rule.own_weights(method, shares, losses, constant),
            ring,
        )

    return of_vectors(f"max |p of (3) - p of {rule.METHODS[name].name}|", compute)


def gradient_of_objective(name: str, case: Case) -> np.ndarray:
    """The gradient of the method's objective in theta at the point, by differentiating the whole of it, as SymPy numbers."""
    at: Any = case.instance
    theta = sympy.symbols(f"theta:{len(at.point)}")
    shares = numbers(at.shares, RATIONAL)
    losses = np.array([sympy.sympify(v) for v in at.losses_at(theta)], dtype=object)
    value = np.asarray(rule.METHODS[name].objective(shares, losses, constant_of(name, case, RATIONAL))).item()
    point = dict(zip(theta, map(symbolic, at.point), strict=True))
    return np.array([sympy.diff(value, t).subs(point) for t in theta], dtype=object)


def own_factor(name: str, shares: Any, masses: Any) -> Any:
    """What stands before sum p_i grad F_i: 1, sum w F^q, 1, sum w/(M - F)."""
    return 1 if name in ("fedavg", "term") else (shares * masses).sum()


def gradient_gap(name: str) -> DirectMeasure:
    """max |gradient of the objective - factor sum p_i grad F_i|."""

    def compute(case: Case, ring: Ring) -> Any:
        at: Any = case.instance
        method, shares, losses, constant = at_losses(name, case, ring)
        weights = rule.step_weights(method, shares, losses, constant)
        carried = own_factor(name, shares, method.masses(losses, constant)) * rule.mixed(
            weights, numbers(at.gradients, ring)
        )
        gradient = gradient_of_objective(name, case)
        return apart(numbers(gradient, ring) if ring is BALL else gradient, carried, ring)

    dimension: Dimension = SLOPE
    if name == "qfedavg":
        dimension = NUMBER  # the unit depends on q; the limit is 0
    elif name == "propfair":
        dimension = (sympy.Integer(0), sympy.Integer(-1))
    return of_vectors("max |∇ of the objective - factor Σ pᵢ∇Fᵢ|", compute, dimension)


THREE = QuadraticAt((5, 3, 2), (1, 2, "1/2"), ((0, 1), (1, -1), (2, 0)), ("1/10", "1/5", "3/10"), ("1/2", "1/2"))
PAIR = QuadraticAt((1, 4), (1, 1), (("1",), ("-1",)), (0, 0), ("1/3",))
LONE = QuadraticAt((2,), (3,), (("1",),), ("1/2",), (0,))
REPORT = Reported((5, 3, 2), ("1/10", "7/10", "3/10"))


def quadratic(name: str) -> Any:
    """Quadratic clients with a constant of the method."""
    return drawn("unification", "quadratic_clients", constant=None if CONSTANT[name] is None else CONSTANT[name].name)


def cases_of(name: str, *instances: Any) -> tuple[Case, ...]:
    values = {
        "fedavg": ({},),
        "qfedavg": ({"loss_power": 2}, {"loss_power": "1/2"}),
        "term": ({"loss_tilt": 2}, {"loss_tilt": "1/10"}),
        "propfair": ({"loss_baseline": 5}, {"loss_baseline": "10"}),
    }
    return tuple(Case(instance, **setting) for instance in instances for setting in values[name])


ROWS = (
    ("U1", "fedavg", "FedAvg: r = 0 and η = 1 give pᵢ = nᵢ/n", "Σ wᵢFᵢ", ()),
    ("U2", "qfedavg", "q-FedAvg: r = q log F and η = 1 give pᵢ ∝ nᵢFᵢ^q", "Σ wᵢFᵢ^{q+1}/(q+1)", POWER),
    ("U4", "term", "TERM: r = F and η = 1/λ give pᵢ ∝ nᵢe^{λFᵢ}", "log(Σ wᵢe^{λFᵢ})/λ", TILT),
    ("U5", "propfair", "PropFair: r = -log(M - F) and η = 1 give pᵢ ∝ nᵢ/(M - Fᵢ)", "-Σ wᵢ log(M - Fᵢ)", BASELINE),
)
FACTOR = {"fedavg": "1", "qfedavg": "Σ wᵢFᵢ^q", "term": "1", "propfair": "Σ wᵢ/(M - Fᵢ)"}
MIXING = tuple(
    always(
        key,
        statement,
        equal(ZERO, "Table 1", conditions=conditions),
        mixing(name),
        cases_of(name, REPORT, THREE, PAIR, LONE),
        quadratic(name),
    )
    for key, name, statement, _, conditions in ROWS
)
GRADIENTS = tuple(
    always(
        f"{key}-gradient",
        f"The gradient of {objective} in θ is {FACTOR[name]} times Σ pᵢ∇Fᵢ, p its row of Table 1",
        equal(ZERO, "Table 1", "explicit", conditions),
        gradient_gap(name),
        cases_of(name, THREE, PAIR),
        quadratic(name),
    )
    for key, name, _, objective, conditions in ROWS
)

# What the correspondence does not carry: the length of the step ------------------------------------------------------------------


def _stepped(name: str, case: Case, ring: Ring) -> tuple[Any, ...]:
    at: Any = case.instance
    method, shares, losses, constant = at_losses(name, case, ring)
    return method, shares, losses, numbers(at.updates, ring), constant, numbers([at.smoothness], ring)[0]


def step_gap(name: str, lengthened: bool) -> DirectMeasure:
    """How far the true global step is from sum p_i d_i, or from this times its length."""

    def compute(case: Case, ring: Ring) -> Any:
        method, shares, losses, updates, constant, smoothness = _stepped(name, case, ring)
        printed = rule.printed_step(method, shares, losses, updates, constant, smoothness)
        if lengthened:
            carried = rule.global_step(method, shares, losses, updates, constant, smoothness)
        else:
            carried = rule.mixed(rule.step_weights(method, shares, losses, constant), updates)
        return apart(printed, carried, ring)

    what = "its length times Σ pᵢdᵢ" if lengthened else "Σ pᵢdᵢ"
    dimension = (sympy.Integer(-1), sympy.Integer(1)) if name == "propfair" else LENGTH
    return of_vectors(f"max |the true step - {what}|", compute, dimension)


def step_length(name: str) -> DirectMeasure:
    """The true global step over sum p_i d_i."""

    def compute(case: Case, ring: Ring) -> Any:
        method, shares, losses, updates, constant, smoothness = _stepped(name, case, ring)
        found = rule.step_length(method, shares, losses, updates, constant, smoothness).item()
        return one(found, ring)

    dimension: Dimension = (sympy.Integer(-1), sympy.Integer(0)) if name == "propfair" else NUMBER
    return of_vectors("the true step over Σ pᵢdᵢ", compute, dimension)


SAME = QuadraticAt((1, 1), (2, 2), (("1",), ("1",)), (0, 0), (0,))
BOUND_TO_MIX = "has the global step θ - Σ pᵢdᵢ of (13), p as in Table 1"
EQUALITY = "the sign of proportion taken for an equality"
_SQ = step_length("qfedavg")
LENGTHS = (
    always(
        "U2-step",
        f"q-FedAvg {BOUND_TO_MIX}",
        plain(ZERO, "(18)", "literal", POWER, EQUALITY),
        step_gap("qfedavg", False),
        cases_of("qfedavg", THREE, PAIR),
        quadratic("qfedavg"),
        expected="violated",
        remark='"∝" in (18) hides the length: the step is shorter by s_q = LΣwF^q / Σw(qF^{q-1}|∇F|² + LF^q).',
    ),
    always(
        "U2-step",
        "The step of q-FedAvg is s_q Σ pᵢdᵢ, with 1/s_q = 1 + q Σ pᵢ|∇Fᵢ|²/(LFᵢ)",
        equal(ZERO, "(18)", "corrected", POWER),
        step_gap("qfedavg", True),
        cases_of("qfedavg", THREE, PAIR, LONE),
        quadratic("qfedavg"),
    ),
    always(
        "U2-length",
        "s_q <= 1",
        limit.SHORTER,
        _SQ,
        (Case(THREE, loss_power=0), *cases_of("qfedavg", THREE, PAIR)),
        quadratic("qfedavg"),
    ),
    always(
        "U2-length",
        "s_q >= 1/(1 + 2q): Fᵢ is L-smooth and nowhere below 0, so |∇Fᵢ|² <= 2LFᵢ",
        limit.NOT_SHORTER,
        _SQ,
        (Case(SAME, loss_power=3), *cases_of("qfedavg", THREE, PAIR)),
        quadratic("qfedavg"),
        remark="Attained by clients of one curvature whose smallest loss is 0.",
    ),
    always(
        "U3-length",
        "s_q <= 1/(1 + qγ), γ = min |∇Fᵢ|²/(LFᵢ): as q grows the step of q-FedAvg vanishes, that of AFL does not",
        limit.VANISHING,
        _SQ,
        (Case(PAIR, loss_power=50), Case(THREE, loss_power=9)),
        quadratic("qfedavg"),
    ),
    always(
        "U5-step",
        f"PropFair {BOUND_TO_MIX}",
        plain(ZERO, "(23)", "literal", BASELINE, EQUALITY),
        step_gap("propfair", False),
        cases_of("propfair", THREE, PAIR),
        quadratic("propfair"),
        expected="violated",
        remark='"∝" in (23) hides the length Σ wᵢ/(M - Fᵢ), which has a unit too.',
    ),
    always(
        "U5-step",
        "The step of PropFair is Σ wᵢ/(M - Fᵢ) times Σ pᵢdᵢ",
        equal(ZERO, "(23)", "corrected", BASELINE),
        step_gap("propfair", True),
        cases_of("propfair", THREE, PAIR, LONE),
        quadratic("propfair"),
    ),
    always(
        "U5-length",
        "1/(M - min F) <= Σ wᵢ/(M - Fᵢ) <= 1/(M - max F)",
        limit.HARMONIC,
        step_length("propfair"),
        cases_of("propfair", THREE, PAIR, LONE),
        quadratic("propfair"),
    ),
)

CLAIMS: tuple[Claim, ...] = (*U0, *MIXING, *GRADIENTS, *LENGTHS)
