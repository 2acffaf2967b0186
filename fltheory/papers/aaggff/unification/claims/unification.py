"""Remark 3.1, Table 1 and Appendix A.1: U0-U7, the relation of the entropic step to fair methods and its limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import sympy
from sympy import Eq

from fltheory.claims.claim import Claim
from fltheory.claims.statement import (
    Constants,
    QuantityFunction,
    Statement,
    constants_of,
    imported_late,
    quantity,
    requires,
)
from fltheory.model.bound import Dimension
from fltheory.model.case import Case
from fltheory.model.schema import Family
from fltheory.number import BALL, Number, Ring, exact, symbolic, to_ball
from fltheory.number.mixed import largest
from fltheory.papers.aaggff.notation import M, low, q, slope, tilt, top
from fltheory.papers.aaggff.paper import measured
from fltheory.papers.aaggff.unification import closed_forms as rule
from fltheory.papers.aaggff.unification.cases import Decision, QuadraticAt, Reported
from fltheory.runs.measures import NUMBER, DirectMeasure

REMARK, TABLE, A1 = "Remark 3.1", "Table 1", "Appendix A.1"
LENGTH: Dimension = (sympy.Integer(0), sympy.Integer(1))
SLOPE: Dimension = (sympy.Integer(1), sympy.Integer(-1))
PER_LOSS: Dimension = (sympy.Integer(-1), sympy.Integer(0))
CONSTANT = {"fedavg": None, "qfedavg": q.name, "term": tilt.name, "propfair": M.name}
POWER, TILT, BASELINE = (low > 0,), (tilt > 0,), (top < M,)  # the losses that a method uses
TAKES = {"fedavg": (), "qfedavg": POWER, "term": TILT, "propfair": BASELINE}

families = imported_late("fltheory.papers.aaggff.unification.families")


# SymPy's numbers, whose powers and exponentials stay exact ------------------------------------------------------------------------


def numbers(values: Sequence[Number] | np.ndarray) -> np.ndarray:
    """Convert exact numbers to SymPy's, in an array of the same shape."""
    return np.asarray(np.frompyfunc(symbolic, 1, 1)(np.asarray(values, dtype=object)), dtype=object)


def constant_of(name: str, c: Constants) -> sympy.Expr:
    """Return the constant of a method, 0 for one that has none."""
    symbol = CONSTANT[name]
    return symbolic(0 if symbol is None else getattr(c, symbol))


def at_losses(name: str, one: Reported | QuadraticAt, c: Constants) -> tuple[Any, ...]:
    """Return method, shares, losses and constant."""
    return rule.METHODS[name], numbers(one.shares), numbers(one.losses), constant_of(name, c)


def of_vectors(
    name: str,
    quantity: QuantityFunction,
    dimension: Dimension = NUMBER,
    trivial: Number | None = None,
    fold: Callable[[Any], Any] = largest,
) -> DirectMeasure:
    """Return the measure max (or ``fold``) of some SymPy numbers; ``trivial`` bounds it.

    The exact ring is used only if a ball cannot decide, because SymPy needs long to cancel roots and powers.
    """

    def compute(case: Case, ring: Ring) -> Any:
        with np.errstate(all="ignore"):  # NumPy reports the flags that exact numbers leave in the processor
            found = np.ravel(np.asarray(quantity(case.instance, constants_of(case)), dtype=object))
        return fold([to_ball(v) if ring is BALL else ring.scalar(exact(_cancel(v))) for v in found])

    return DirectMeasure(name, compute, dimension, None if trivial is None else lambda case: trivial)


def of_distance(name: str, quantity: QuantityFunction, dimension: Dimension = NUMBER) -> DirectMeasure:
    """Return the largest entry in size of the difference of two vectors."""
    return of_vectors(name, quantity, dimension, fold=lambda found: largest(map(abs, found)))


def _cancel(value: sympy.Expr) -> sympy.Expr:
    """Return the number as a rational where its terms, roots and powers cancel."""
    if value.is_Rational:
        return value
    if sympy.expand(sympy.fraction(sympy.together(value))[0]) == 0:
        return sympy.Integer(0)
    return sympy.radsimp(sympy.cancel(value))


# U0 -------------------------------------------------------------------------------------------------------------------------------


def _decision_numbers(one: Decision) -> tuple[Any, ...]:
    return numbers(one.last), numbers(one.response), symbolic(one.rate)


def not_the_minimiser(one: Decision, c: Constants) -> np.ndarray:
    """p of (3) - p of (2)."""
    last, response, rate = _decision_numbers(one)
    return rule.entropic_step(last, response, rate) - rule.regularised_step(response, rate)


def _stationarity(decision: np.ndarray, base: np.ndarray, response: np.ndarray, rate: sympy.Expr) -> np.ndarray:
    """p_i e^(-r_i/eta) / base_i less the first: 0 where -<p, r> + eta KL(p | base) is stationary on the simplex."""
    parts = decision / base / np.frompyfunc(sympy.exp, 1, 1)(response / rate)
    return parts - parts[0]


def kl_residual(one: Decision, c: Constants) -> np.ndarray:
    """Return how far (3) is from stationary with KL to the last decision."""
    last, response, rate = _decision_numbers(one)
    return _stationarity(rule.entropic_step(last, response, rate), last, response, rate)


def entropy_residual(one: Decision, c: Constants) -> np.ndarray:
    """Return how far softmax(r/eta) is from stationary with the negative entropy."""
    last, response, rate = _decision_numbers(one)
    return _stationarity(rule.regularised_step(response, rate), last * 0 + 1, response, rate)


UNIFORM = requires("uniform", lambda one, c: len(set(one.last)) > 1 and "the last decision is not uniform")
U0_THREE = Case(Decision(("1/2", "3/10", "1/5"), ("1/10", "7/10", "3/10"), "1/2"))
U0_FEDAVG = Case(Decision(("1/2", "3/10", "1/5"), (0, 0, 0)))
U0_CASES = (U0_THREE, U0_FEDAVG, Case(Decision(("1/3", "2/3"), ("-1/2", 2), "3/10")))
UNIFORMS = (Case(Decision(("1/3",) * 3, ("1/10", "7/10", "3/10"), "1/2")), Case(Decision(("1/2", "1/2"), (0, 3))))
DECISIONS: dict[str, Any] = {"family": lambda: families().decisions()}
to_minimiser = measured("U0", REMARK, of_distance("max |p of (3) - p of (2)|", not_the_minimiser), **DECISIONS)
spread = measured("U0-softmax", REMARK, of_distance("spread of pᵢe^{-rᵢ/η}", entropy_residual), **DECISIONS)
U0 = (
    to_minimiser.printed("(2) with R(p) = Σ pᵢ log pᵢ has the solution (3): pᵢ ∝ pᵢ⁽ᵗ⁾exp(rᵢ/η)", quantity <= 0,
        counterexamples=(U0_THREE, U0_FEDAVG),
        remark="The last decision does not occur in (2): its solution is softmax(r/η). With r = 0 it is uniform, not nᵢ/n."),
    measured("U0", REMARK, of_distance("spread of pᵢe^{-rᵢ/η}/pᵢ⁽ᵗ⁾", kl_residual), **DECISIONS).corrected(
        "(2) with R(p) = KL(p | p⁽ᵗ⁾) has the solution (3): pᵢe^{-rᵢ/η}/pᵢ⁽ᵗ⁾ is the same for all i", Eq(quantity, 0),
        cases=U0_CASES),
    spread.corrected("(2) with R(p) = Σ pᵢ log pᵢ has the solution softmax(r/η)", Eq(quantity, 0), cases=U0_CASES),
    to_minimiser.restated("U0-uniform").corrected("From a uniform decision (2) with R(p) = Σ pᵢ log pᵢ and (3) agree",
        Eq(quantity, 0), assumptions=[UNIFORM], cases=UNIFORMS, family=lambda: families().decisions(uniform=True)),
)

# U1-U5: mixing weights ----------------------------------------------------------------------------------------------------------

THREE = QuadraticAt((5, 3, 2), (1, 2, "1/2"), ((0, 1), (1, -1), (2, 0)), ("1/10", "1/5", "3/10"), ("1/2", "1/2"))
PAIR = QuadraticAt((1, 4), (1, 1), (("1",), ("-1",)), (0, 0), ("1/3",))
LONE = QuadraticAt((2,), (3,), (("1",),), ("1/2",), (0,))
REPORT = Reported((5, 3, 2), ("1/10", "7/10", "3/10"))


def quadratic(name: str) -> Family:
    """Return quadratic clients with a constant of the method."""
    return lambda: families().quadratic_clients(constant=CONSTANT[name])


def cases_of(name: str, *instances: Reported | QuadraticAt) -> tuple[Case, ...]:
    """Return the instances with some constants of the method."""
    values = {
        "fedavg": ({},),
        "qfedavg": ({"loss_power": 2}, {"loss_power": "1/2"}),
        "term": ({"loss_tilt": 2}, {"loss_tilt": "1/10"}),
        "propfair": ({"loss_baseline": 5}, {"loss_baseline": "10"}),
    }
    return tuple(Case(instance, **setting) for instance in instances for setting in values[name])


def mixing_gap(name: str) -> DirectMeasure:
    """Return how far the entropic step of a row of Table 1 is from the method's own weights."""

    def gap(one: Reported | QuadraticAt, c: Constants) -> np.ndarray:
        given = at_losses(name, one, c)
        return rule.step_weights(*given) - rule.own_weights(*given)

    return of_distance(f"max |p of (3) - p of {rule.METHODS[name].name}|", gap)


def gradient_of_objective(name: str, one: QuadraticAt, c: Constants) -> np.ndarray:
    """Return the gradient of the method's whole objective in theta at the point, in SymPy numbers."""
    theta = sympy.symbols(f"theta:{len(one.point)}")
    shares = numbers(one.shares)
    losses = np.array([sympy.sympify(v) for v in one.losses_at(theta)], dtype=object)
    value = np.asarray(rule.METHODS[name].objective(shares, losses, constant_of(name, c))).item()
    point = dict(zip(theta, map(symbolic, one.point), strict=True))
    return np.array([sympy.diff(value, t).subs(point) for t in theta], dtype=object)


def own_factor(name: str, shares: np.ndarray, masses: np.ndarray) -> sympy.Expr:
    """Return the factor of sum p_i grad F_i: 1, sum w F^q, 1, sum w/(M - F)."""
    return 1 if name in ("fedavg", "term") else (shares * masses).sum()


def gradient_gap(name: str) -> DirectMeasure:
    """max |gradient of the objective - factor sum p_i grad F_i|."""

    def gap(one: QuadraticAt, c: Constants) -> np.ndarray:
        method, shares, losses, constant = at_losses(name, one, c)
        weights = rule.step_weights(method, shares, losses, constant)
        factor = own_factor(name, shares, method.masses(losses, constant))
        return gradient_of_objective(name, one, c) - factor * rule.mix_updates(weights, numbers(one.gradients))

    # the unit of q-FedAvg's depends on q; the limit is 0
    dimension = {"qfedavg": NUMBER, "propfair": (sympy.Integer(0), sympy.Integer(-1))}.get(name, SLOPE)
    return of_distance("max |∇ of the objective - factor Σ pᵢ∇Fᵢ|", gap, dimension)


ROWS = (
    ("U1", "fedavg", "FedAvg: r = 0 and η = 1 give pᵢ = nᵢ/n", "Σ wᵢFᵢ", "1"),
    ("U2", "qfedavg", "q-FedAvg: r = q log F and η = 1 give pᵢ ∝ nᵢFᵢ^q", "Σ wᵢFᵢ^{q+1}/(q+1)", "Σ wᵢFᵢ^q"),
    ("U4", "term", "TERM: r = F and η = 1/λ give pᵢ ∝ nᵢe^{λFᵢ}", "log(Σ wᵢe^{λFᵢ})/λ", "1"),
    ("U5", "propfair", "PropFair: r = -log(M - F) and η = 1 give pᵢ ∝ nᵢ/(M - Fᵢ)", "-Σ wᵢ log(M - Fᵢ)",
        "Σ wᵢ/(M - Fᵢ)"),
)
MIXING = tuple(
    measured(id, TABLE, mixing_gap(name), family=quadratic(name)).printed(
        statement, Eq(quantity, 0), given=TAKES[name], cases=cases_of(name, REPORT, THREE, PAIR, LONE)
    )
    for id, name, statement, _, _ in ROWS
)
GRADIENTS = tuple(
    measured(f"{id}-gradient", TABLE, gradient_gap(name), family=quadratic(name)).explicit(
        f"The gradient of {objective} in θ is {factor} times Σ pᵢ∇Fᵢ, p its row of Table 1",
        Eq(quantity, 0),
        given=TAKES[name],
        cases=cases_of(name, THREE, PAIR),
    )
    for id, name, _, objective, factor in ROWS
)

# The correspondence does not cover the step length --------------------------------------------------------------------


def _global_step(name: str, one: QuadraticAt, c: Constants) -> tuple[Any, ...]:
    method, shares, losses, constant = at_losses(name, one, c)
    return method, shares, losses, numbers(one.updates), constant, symbolic(one.smoothness)


def step_gap(name: str, lengthened: bool) -> DirectMeasure:
    """Return how far the true global step is from sum p_i d_i, or from this times its length."""

    def gap(one: QuadraticAt, c: Constants) -> np.ndarray:
        method, shares, losses, updates, constant, smoothness = _global_step(name, one, c)
        printed = rule.printed_step(method, shares, losses, updates, constant, smoothness)
        if lengthened:
            return printed - rule.global_step(method, shares, losses, updates, constant, smoothness)
        return printed - rule.mix_updates(rule.step_weights(method, shares, losses, constant), updates)

    what = "its length times Σ pᵢdᵢ" if lengthened else "Σ pᵢdᵢ"
    dimension = (sympy.Integer(-1), sympy.Integer(1)) if name == "propfair" else LENGTH
    return of_distance(f"max |the true step - {what}|", gap, dimension)


def step_length(name: str) -> DirectMeasure:
    """Return the true global step over sum p_i d_i."""

    def length(one: QuadraticAt, c: Constants) -> np.ndarray:
        return rule.step_length(*_global_step(name, one, c))

    return of_vectors("the true step over Σ pᵢdᵢ", length, PER_LOSS if name == "propfair" else NUMBER)


def _step(name: str, id: str, place: str, measure: DirectMeasure) -> Statement:
    return measured(id, place, measure, family=quadratic(name))


SAME = QuadraticAt((1, 1), (2, 2), (("1",), ("1",)), (0, 0), (0,))
BOUND_TO_MIX = "has the global step θ - Σ pᵢdᵢ of (13), p as in Table 1"
EQUALITY = "the sign of proportion taken for an equality"
length_q = _step("qfedavg", "U2-length", "(18)", step_length("qfedavg"))
length_of_propfair = _step("propfair", "U5-length", "(23)", step_length("propfair"))
LENGTHS = (
    _step("qfedavg", "U2-step", "(18)", step_gap("qfedavg", False)).strict(f"q-FedAvg {BOUND_TO_MIX}", quantity <= 0,
        given=POWER, note=EQUALITY, counterexamples=cases_of("qfedavg", THREE, PAIR),
        remark='"∝" in (18) hides the length: the step is shorter by s_q = LΣwF^q / Σw(qF^{q-1}|∇F|² + LF^q).'),
    _step("qfedavg", "U2-step", "(18)", step_gap("qfedavg", True)).corrected(
        "The step of q-FedAvg is s_q Σ pᵢdᵢ, with 1/s_q = 1 + q Σ pᵢ|∇Fᵢ|²/(LFᵢ)", Eq(quantity, 0), given=POWER,
        cases=cases_of("qfedavg", THREE, PAIR, LONE)),
    length_q.corrected("s_q <= 1", quantity <= 1, given=POWER,
        cases=(Case(THREE, loss_power=0), *cases_of("qfedavg", THREE, PAIR))),
    length_q.strengthened("s_q >= 1/(1 + 2q): Fᵢ is L-smooth and nowhere below 0, so |∇Fᵢ|² <= 2LFᵢ",
        1 / (1 + 2 * q) <= quantity, given=POWER, note="losses are smooth and nowhere below 0",
        cases=(Case(SAME, loss_power=3), *cases_of("qfedavg", THREE, PAIR)),
        remark="Attained by clients of one curvature whose smallest loss is 0."),
    length_q.restated("U3-length").corrected(
        "s_q <= 1/(1 + qγ), γ = min |∇Fᵢ|²/(LFᵢ): as q grows the step of q-FedAvg vanishes, that of AFL does not",
        quantity <= 1 / (1 + q * slope), given=POWER, note="s_q goes to 0 where no gradient is 0",
        cases=(Case(PAIR, loss_power=50), Case(THREE, loss_power=9))),
    _step("propfair", "U5-step", "(23)", step_gap("propfair", False)).strict(f"PropFair {BOUND_TO_MIX}", quantity <= 0,
        given=BASELINE, note=EQUALITY, counterexamples=cases_of("propfair", THREE, PAIR),
        remark='"∝" in (23) hides the length Σ wᵢ/(M - Fᵢ), which has a unit too.'),
    _step("propfair", "U5-step", "(23)", step_gap("propfair", True)).corrected(
        "The step of PropFair is Σ wᵢ/(M - Fᵢ) times Σ pᵢdᵢ", Eq(quantity, 0), given=BASELINE,
        cases=cases_of("propfair", THREE, PAIR, LONE)),
    length_of_propfair.corrected("1/(M - min F) <= Σ wᵢ/(M - Fᵢ) <= 1/(M - max F)", quantity <= 1 / (M - top),
        1 / (M - low) <= quantity, given=BASELINE, cases=cases_of("propfair", THREE, PAIR, LONE)),
)

CLAIMS: tuple[Claim, ...] = (*U0, *MIXING, *GRADIENTS, *LENGTHS)
