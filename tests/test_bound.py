"""Bounds: rigorous values, conditions, dimensions, rates, tuning, rendering."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy
from flint import arb
from hypothesis import given
from hypothesis import strategies as st
from sympy import Rational, exp, oo

from fltheory import symbols
from fltheory.model.bound import Bound, BoundError, DimensionError, Source, evaluate_closed_form
from fltheory.number import NotRational, exact, symbolic_value, to_float
from fltheory.papers.sfl import bounds
from fltheory.papers.sfl.bounds import A, D, K, L, M, R, S, beta, eta, eta_eff, gamma, mu, sigma, zeta, zeta_star

ALL = {name: value for name, value in vars(bounds).items() if isinstance(value, Bound)}
HERE = Source("sfl", "a test")
PLAIN = {
    M: 4,
    K: 3,
    R: 10_000,
    S: 2,
    L: 1,
    mu: Fraction(1, 10),
    sigma: Fraction(1, 2),
    zeta_star: Fraction(3, 2),
    zeta: 2,
    beta: Fraction(1, 2),
    D: 2,
    A: 2,
    gamma: 1,
    eta: Fraction(1, 200),
}


def like(bound: Bound, **changes: object) -> Bound:
    return replace(bound, **changes)


# Values


@pytest.mark.parametrize("name", sorted(ALL))
def test_enclosure_array_and_call_agree(name):
    bound = ALL[name]
    low, high = bound.enclosure(PLAIN)
    assert 0 < low <= high <= low * (1 + 1e-14)
    value = bound.array({s: to_float(v) for s, v in PLAIN.items()})
    assert value == pytest.approx(low, rel=1e-9)
    assert bound(PLAIN, check=False) == high
    try:
        assert low <= bound.exact(PLAIN) <= high
    except NotRational:
        assert bound.expand_definitions().has(sympy.exp, sympy.log, sympy.Pow)


def test_arrays_broadcast_through_min_and_piecewise_without_warnings():
    step = Bound(bounds.C4_GC_STEP, HERE)
    grid = np.array([10.0, 1e3, 1e6])
    for noise in (0.0, 1.0):
        constants = {**{s: to_float(v) for s, v in PLAIN.items()}, sigma: noise, R: grid[:, None], M: np.array([2, 8])}
        values = step.array(constants)
        assert values.shape == (3, 2)
        for i, rounds in enumerate(grid):
            for j, clients in enumerate((2, 8)):
                ball = step.ball({**PLAIN, sigma: int(noise), R: int(rounds), M: clients})
                assert values[i, j] == pytest.approx(to_float(ball), rel=1e-12)


@given(st.integers(1, 40), st.integers(-60, 60))
def test_tiny_constants_and_sums(digit, exponent):
    constant = Rational(digit) * Rational(10) ** exponent
    bound = Bound(constant * mu * D**2 + mu * D**2, HERE)
    low, high = bound.enclosure({mu: 1, D: 1})
    truth = 1 + Fraction(str(constant))
    assert low <= truth <= high
    assert high - low <= 2 * math.ulp(high)


def test_the_constants_of_the_lower_bounds_come_out_right():
    bound = Bound(Rational(1, 2020 * 81608000**2) * L * zeta**2 / (mu**2 * M * R**2), HERE, side="lower")
    value = bound({L: 1, mu: 1, zeta: 1, M: 1, R: 1})
    truth = Fraction(1, 2020 * 81608000**2)
    assert 0 < value <= truth
    assert value == pytest.approx(7.433e-20, rel=1e-3)


def test_the_float_is_rounded_to_the_safe_side():
    third = Bound(mu * D**2 / 3, HERE)
    assert third({mu: 1, D: 1}) > Fraction(1, 3)
    assert like(third, side="lower")({mu: 1, D: 1}) < Fraction(1, 3)


# Domains and conditions


def test_missing_and_bad_constants_are_named():
    with pytest.raises(
        BoundError, match="smoothness is missing: smoothness constant of every client's objective, positive"
    ):
        bounds.T3_GC.ball({s: v for s, v in PLAIN.items() if s is not L})
    with pytest.raises(BoundError, match=r"n_rounds = 3/2 is out of its domain: positive integer"):
        bounds.T3_GC.ball({**PLAIN, R: Fraction(3, 2)})
    with pytest.raises(BoundError, match=r"noise_std = -1 is out of its domain: nonnegative"):
        bounds.T3_GC.ball({**PLAIN, sigma: -1})
    with pytest.raises(BoundError, match=r"step_size = .* is out of its domain"):
        bounds.T3_GC.ball({**PLAIN, eta: arb(-1)})
    with pytest.raises(BoundError, match="condition"):
        bounds.T3_GC({**PLAIN, eta: 1})
    with pytest.raises(BoundError, match="has no effect"):
        Bound(L, HERE, conditions=(sympy.Integer(1) <= 2,))
    with pytest.raises(BoundError, match="not in the vocabulary"):
        Bound(sympy.Symbol("K"), HERE)
    with pytest.raises(BoundError, match="n_clients missing"):
        Bound(M * L * D**2, HERE).array({L: 1, D: 1})


def test_the_step_condition_is_decided_on_its_boundary():
    """eta_eff == 1/(6 L) is allowed, the next rational is not; also for an irrational L."""
    for smoothness in (1, Fraction(3, 7), sympy.sqrt(2)):
        edge = exact(1 / (6 * sympy.sympify(smoothness) * 12))
        constants = {**PLAIN, L: smoothness, eta: edge}
        assert bounds.T3_GC.failed_condition(constants) is None
        beyond = {**constants, eta: exact(edge + Rational(1, 10**50))}
        assert "fails" in bounds.T3_GC.failed_condition(beyond)


def test_an_undecidable_condition_counts_as_broken():
    constants = {**PLAIN, L: exact("1/3"), eta: arb(1) / 24}
    assert "can't be decided" in like(bounds.T3_GC).failed_condition(constants)


def test_printed_and_corrected_conditions_differ_where_the_paper_is_wrong():
    """mu eta_eff R >= 1 is more than R >= 6 kappa when the step is small."""
    constants = {**PLAIN, eta: Fraction(1, 10**7)}
    assert bounds.T3_SC_LITERAL.failed_condition(constants) is None
    assert "fails" in bounds.T3_SC.failed_condition(constants)


# Dimensions and scaling


@pytest.mark.parametrize("name", sorted(ALL))
def test_every_bound_is_consistent_in_its_units(name):
    bound = ALL[name]
    expected = {(1, 0): "gap", (2, -2): "gradient", (0, 2): "distance"}
    assert tuple(bound.dimension()) in expected


@pytest.mark.parametrize("name", sorted(ALL))
@pytest.mark.parametrize(("objective", "length"), [(3, 1), (1, 5), (Fraction(7, 2), Fraction(2, 3))])
def test_every_bound_scales_as_the_theory_demands(name, objective, length):
    """F -> c F and x -> l x: each constant by its dimension, the bound by its own; exactly, where rational."""
    bound = ALL[name]

    def factor(powers):
        return Fraction(objective) ** int(powers[0]) * Fraction(length) ** int(powers[1])

    scaled = {s: exact(v * factor(symbols.meaning(s).dimension)) for s, v in PLAIN.items()}
    if name.endswith("PRINTED") and "C4" not in name:
        assert tuple(bound.dimension()) in {(1, 0), (2, -2), (0, 2)}
    try:
        assert bound.exact(scaled) == bound.exact(PLAIN) * factor(bound.dimension())
    except NotRational:
        quotient = bound.ball(scaled) / bound.ball(PLAIN)
        assert to_float(quotient) == pytest.approx(float(factor(bound.dimension())), rel=1e-15)
    assert (bound.failed_condition(scaled) is None) == (bound.failed_condition(PLAIN) is None)


@pytest.mark.parametrize(
    "slip",
    [
        L * D**2 / R + zeta,  # zeta for zeta^2
        10 * A / (eta_eff * R) + 20 * L * eta_eff * sigma,  # sigma for sigma^2
        L * D**2 / R + (L * zeta**2 * D**2) ** Rational(1, 3),  # D^2 for D^4
        mu * D**2 * exp(-mu * R),  # an exponent with a dimension
        sympy.Max(mu * D**2, zeta**2 / mu, sigma),
        sympy.Piecewise((mu * D**2, sigma <= 0), (sigma**2, True)),
    ],
)
def test_a_misprint_in_the_units_is_caught(slip):
    with pytest.raises(DimensionError):
        Bound(slip, HERE).dimension()


def test_units_of_conditions_and_definitions_are_checked():
    with pytest.raises(DimensionError):
        like(bounds.T3_GC, conditions=(eta_eff <= 1 / mu**2,)).dimension()
    with pytest.raises(DimensionError):
        like(bounds.T3_GC, where=((eta_eff, M * K + 0 * eta),)).dimension()


def test_a_power_of_rounds_escapes_the_units_but_not_the_rate():
    """The printed step of Corollary 4 has R^(2/3) for R^(1/3): same units, wrong rate."""
    right, wrong = (Bound(step, HERE) for step in (bounds.C4_GC_STEP, bounds.C4_GC_PRINTED_STEP))
    assert right.dimension() == wrong.dimension() == symbols.meaning(eta).dimension
    tuned = [bounds.T3_GC.tuned({eta_eff: step.expr.subs(zeta, zeta_star)}) for step in (right, wrong)]
    assert tuned[0].rate(R) < tuned[1].rate(R)


# Rates


@pytest.mark.parametrize(
    ("bound", "symbol", "rate"),
    [
        (bounds.T3_GC, R, 0),
        (bounds.T3_GC, M, 1),
        (bounds.C4_GC, R, Rational(-1, 2)),
        (bounds.C4_GC, M, 0),
        (bounds.C4_NC, R, Rational(-1, 2)),
        (bounds.C4_GC, D, 2),
        (bounds.T3_NC, eta, 2),
        (Bound(mu * D**2 * exp(-mu * R / L), HERE), R, -oo),
        (Bound(L * D**2 / (2**R - 1), HERE), R, oo),
    ],
)
def test_rates(bound, symbol, rate):
    if bound.expr.has(2**R):  # a growing power is outside the documented domain: bases lie in (0, 1)
        bound, rate = Bound(mu * D**2 / ((1 - mu * eta) ** (-R) - 1), HERE), -oo
    assert bound.rate(symbol) == rate


@pytest.mark.parametrize("name", ["C4_GC", "C4_NC", "T7_GC_TUNED", "T15_TUNED", "T16_TUNED", "T3_GC", "T3_NC", "C20"])
@pytest.mark.parametrize("symbol", [R, L, D, A])
def test_rates_are_the_slopes_of_the_formula(name, symbol):
    bound = ALL[name]
    far = [bound.ball({**PLAIN, symbol: 10**60}), bound.ball({**PLAIN, symbol: 10**62})]
    slope = to_float((far[1] / far[0]).log() / arb(100).log())
    rate = bound.rate(symbol)
    if rate.is_finite:
        assert slope == pytest.approx(float(rate), abs=1e-3)


# Tuning


def test_theorem_3_tuned_stays_below_corollary_4():
    """The corollaries are their theorems at the tuned step: T3-GC to C4-GC, T3-SC to C4-SC, T3-NC to C4-NC."""
    pairs = [
        (bounds.T3_GC, bounds.C4_GC_STEP, bounds.C4_GC),
        (bounds.T3_SC_STAR, bounds.C4_SC_STEP, bounds.C4_SC),
        (bounds.T3_NC, bounds.C4_NC_STEP, bounds.C4_NC),
        (bounds.T7_GC, bounds.T7_GC_TUNED_STEP, bounds.T7_GC_TUNED),
        (bounds.T7_STAR, bounds.T7_TUNED_STEP, bounds.T7_TUNED),
        (bounds.PP_SFL_STAR, bounds.PP_SFL_TUNED_STEP, bounds.PP_SFL_TUNED),
        (bounds.PP_PFL_STAR, bounds.PP_PFL_TUNED_STEP, bounds.PP_PFL_TUNED),
    ]
    for theorem, step, corollary in pairs:
        tuned = theorem.tuned({eta_eff: step})
        for rounds in (60, 1000, 10**6):
            for noise, drift in ((0, 1), (1, 0), (Fraction(1, 3), 7)):
                constants = {**PLAIN, R: rounds, sigma: noise, zeta_star: drift, zeta: drift}
                gap = corollary.ball(constants) - tuned.ball(constants)
                assert gap >= 0, (corollary.source.place, rounds, noise, drift)


def test_a_corollary_with_a_smaller_constant_is_not_implied():
    tuned = bounds.T3_GC.tuned({eta_eff: bounds.C4_GC_STEP})
    constants = {**PLAIN, R: 10**6, sigma: 0}
    smaller = bounds.C4_GC.scaled(Fraction(1, 3))
    assert tuned.ball(constants) > smaller.ball(constants)


def test_tuning_drops_conditions_that_hold_and_definitions_that_are_replaced():
    tuned = bounds.T3_GC.tuned({eta_eff: 1 / (6 * L)})
    assert tuned.conditions == ()
    assert tuned.where == ()
    assert eta not in tuned.symbols
    assert tuned.exact(PLAIN) == bounds.T3_GC.exact({**PLAIN, eta: Fraction(1, 72)})


def test_tuned_steps_are_exact_or_balls_but_never_floats():
    value = symbolic_value(bounds.C4_GC_STEP, PLAIN)
    assert value.is_real
    assert not value.has(sympy.Float)


# Special values


def test_a_vanishing_coefficient_leaves_the_largest_step():
    quiet = {**PLAIN, sigma: 0, zeta_star: 0}
    for step in (bounds.C4_GC_STEP, bounds.C4_SC_STEP):
        assert symbolic_value(step, quiet) == Rational(1, 6)
        assert Bound(step, HERE).ball(quiet).overlaps(arb(1) / 6)


def test_partial_participation_with_one_client_or_all_clients_samples_nothing():
    for clients in (1, 4):
        constants = {**PLAIN, M: clients, S: clients}
        assert bounds.PP_SFL.ball(constants).overlaps(bounds.T3_SC.ball(constants))
        assert bounds.PP_PFL.ball(constants).overlaps(bounds.T7.ball(constants))


# Algebra and rendering


def test_scaled_is_a_mutant_with_a_note():
    mutant = bounds.T3_GC.scaled(Fraction(1, 20))
    assert mutant.exact(PLAIN) * 20 == bounds.T3_GC.exact(PLAIN)
    assert mutant.source.note == "mutant"


def test_terms_add_up():
    total = sum(like(bounds.T3_GC, expr=t).exact(PLAIN) for t in bounds.T3_GC.terms())
    assert total == bounds.T3_GC.exact(PLAIN)


def test_rendering_uses_the_letters_of_the_paper():
    latex, drawn = bounds.T3_SC.latex(), bounds.T3_SC.unicode()
    for letter in (r"\tilde\eta", r"\zeta_*", r"\mu", "R"):
        assert letter in latex
    for letter in ("η̃", "ζ⋆", "μ", "σ", "R"):
        assert letter in drawn
    assert "n_clients" not in latex + drawn
    assert "smoothness" not in latex + drawn


def test_sides_readings_and_floats_are_read_strictly():
    with pytest.raises(
        ValueError, match="reading must be one of printed, strict, explicit, corrected, strengthened, got 'draft'"
    ):
        Source("sfl", "a test", "draft")
    with pytest.raises(ValueError, match="side must be one of upper, lower, equal, got 'above'"):
        Bound(symbols.smoothness, HERE, side="above")
    assert Bound(0.1 * symbols.smoothness, HERE).exact({symbols.smoothness: 1}) == Fraction(1, 10)
    condition = symbols.smoothness <= 0.3
    assert Bound(symbols.smoothness, HERE, (condition,)).failed_condition({symbols.smoothness: Fraction(3, 10)}) is None


@pytest.mark.parametrize("expr", [sympy.sqrt(symbols.smoothness - 2), sympy.log(symbols.smoothness - 2)])
def test_a_formula_without_a_real_value_says_so(expr):
    bound = Bound(expr, HERE)
    for evaluate in (bound, bound.ball, bound.enclosure):
        with pytest.raises(BoundError, match="has no real value here"):
            evaluate({symbols.smoothness: 1})
    assert bound({symbols.smoothness: 3}) in (0, 1)


def test_what_is_remembered_is_a_number_of_python_whoever_asked_first():
    a, b = symbols.smoothness, symbols.strong_convexity
    for first in (sympy.Integer(3), 3, Fraction(3)):
        assert type(evaluate_closed_form(a + 17 * b, {a: first, b: 2})) is int
    assert type(evaluate_closed_form(a / b, {a: sympy.Integer(1), b: sympy.Integer(7)})) is Fraction
