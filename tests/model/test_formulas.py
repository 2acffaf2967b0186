"""Bounds as formulas: constants and their domains, conditions, rates, units, cards."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from flint import arb, ctx
from sympy import Max, Min, Piecewise, Rational, exp, log, oo, sqrt

from fltheory.model.bound import (
    Bound,
    BoundError,
    DimensionError,
    Source,
    _common_dimension,
    dimension_mismatch,
    evaluate_closed_form,
    max_of,
    min_of,
    missing_constant,
    symbols_of,
    unicode_letter,
)
from fltheory.number import NotRational
from fltheory.symbols import (
    VOCABULARY,
    effective_step_size,
    initial_distance,
    n_clients,
    n_local_steps,
    n_rounds,
    smoothness,
    step_size,
    strong_convexity,
)

HERE = Source("paper", "place")
L, R, D = smoothness, n_rounds, initial_distance
mu = strong_convexity


def of(expr: Any, *conditions: Any, **more: Any) -> Bound:
    return Bound(expr, HERE, tuple(conditions), **more)


# Constants ---------------------------------------------------------------------------------------------------------------


def test_constants_from_the_run_may_come_later() -> None:
    bound = of(L * D)
    assert bound.complete({L: 2}, (D,)) == {L: 2}
    with pytest.raises(BoundError, match="initial_distance is missing"):
        bound.complete({L: 2})
    with pytest.raises(BoundError, match="smoothness is missing"):
        bound.complete({D: 2}, (D,))
    with pytest.raises(BoundError, match="initial_distance = -1 is out of its domain"):
        bound.complete({L: 2, D: -1}, (D,))
    assert bound.complete({L: 2, D: 1}, (D,)) == {L: 2, D: 1}


@pytest.mark.parametrize(
    ("value", "inside"), [(arb(0), True), (arb(0, 1), True), (arb(-1, 0.5), False), (arb(-1, 2), True), (arb(1), True)]
)
def test_a_ball_is_outside_a_domain_only_if_all_of_it_is(value: arb, inside: bool) -> None:
    if inside:
        assert of(D).complete({D: value})[D] is value
    else:
        with pytest.raises(BoundError, match="is out of its domain: nonnegative"):
            of(D).complete({D: value})


@pytest.mark.parametrize("value", [arb(-3, 1), -3, Fraction(-1, 2), arb(2), 0])
def test_a_real_constant_has_any_value(value: Any) -> None:
    tilt = VOCABULARY["loss_tilt"].symbol
    assert of(tilt).complete({tilt: value})[tilt] is value


def test_definitions_are_used_where_their_symbols_are_known() -> None:
    bound = of(effective_step_size, where=((effective_step_size, step_size * n_local_steps),))
    assert bound.complete({step_size: Fraction(1, 3), n_local_steps: 6})[effective_step_size] == 2
    assert bound.complete({effective_step_size: 5})[effective_step_size] == 5
    assert (
        bound.complete({effective_step_size: 2, step_size: Fraction(1, 3), n_local_steps: 6})[effective_step_size] == 2
    )
    assert bound.complete({effective_step_size: 5, n_local_steps: 6})[effective_step_size] == 5
    with pytest.raises(BoundError, match=r"effective_step_size = 3 contradicts its definition: .* = 2"):
        bound.complete({effective_step_size: 3, step_size: Fraction(1, 3), n_local_steps: 6})
    with pytest.raises(BoundError, match="effective_step_size is missing"):
        bound.complete({n_local_steps: 6})


def test_definitions_may_rest_on_one_another() -> None:
    chained = of(effective_step_size, where=((step_size, 1 / L), (effective_step_size, step_size * n_local_steps)))
    assert chained.complete({L: 2, n_local_steps: 6})[effective_step_size] == 3
    assert chained.expand_definitions() == n_local_steps / L
    assert chained.symbols == (n_local_steps, L)
    assert chained.array({L: 2.0, n_local_steps: np.array([2, 6])}).tolist() == [1.0, 3.0]


def test_symbols_are_those_of_formula_conditions_and_definitions() -> None:
    bound = of(L, R >= D, where=((effective_step_size, step_size * n_local_steps),))
    assert bound.symbols == tuple(sorted((L, R, D, step_size, n_local_steps), key=lambda s: s.name))
    assert symbols_of(L * D, R >= 2) == (D, R, L)
    assert symbols_of(sympy.Integer(3)) == ()


def test_a_symbol_outside_the_vocabulary_is_refused_wherever_it_is() -> None:
    odd = sympy.Symbol("odd")
    for given in (
        lambda: of(odd),
        lambda: of(L, odd > 1),
        lambda: of(L, where=((L, odd),)),
        lambda: of(L, where=((odd, L),)),
    ):
        with pytest.raises(BoundError, match=r"\[odd\] in paper, place \(printed\) are not in the vocabulary"):
            given()


def test_a_missing_constant_is_named_and_other_errors_are_kept() -> None:
    assert missing_constant(KeyError(L)) == "the case gives no smoothness"
    for error in (KeyError("L"), KeyError()):
        with pytest.raises(KeyError):
            missing_constant(error)


# Conditions --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rounds", "told"), [(3, "fails"), (4, None), (5, None)])
def test_conditions_at_their_boundary(rounds: int, told: str | None) -> None:
    found = of(L, D >= 1, R >= 4).failed_condition({L: 1, D: 1, R: rounds})
    assert found == (None if told is None else "the condition n_rounds >= 4 fails")


def test_the_first_condition_that_is_broken_is_told() -> None:
    bound = of(L, R >= 4, D <= 2)
    assert bound.failed_condition({L: 1, D: 3, R: 3}) == "the condition n_rounds >= 4 fails"
    assert bound.failed_condition({L: 1, D: 3, R: 4}) == "the condition initial_distance <= 2 fails"
    assert bound.failed_condition({L: 1, D: arb(2, 1), R: 4}) == "the condition initial_distance <= 2 can't be decided"
    equal = of(L, sympy.Eq(R, 4))
    assert equal.failed_condition({L: 1, R: 5}) == "the condition n_rounds = 4 fails"
    assert equal.failed_condition({L: 1, R: 4}) is None
    with pytest.raises(BoundError, match="paper, place: the condition n_rounds = 4 fails"):
        equal({L: 1, R: 5})
    assert equal({L: 1, R: 5}, check=False) == 1


# Values ------------------------------------------------------------------------------------------------------------------


def test_a_float_is_rounded_to_its_safe_side() -> None:
    for side, sign in (("upper", 1), ("equal", 1), ("lower", -1)):
        value = Fraction(of(L / 3, side=side)({L: 1}))
        assert (value - Fraction(1, 3)) * sign > 0
    low, high = of(L / 3).enclosure({L: 1})
    assert Fraction(low) < Fraction(1, 3) < Fraction(high)
    assert of(L)({L: 0.1}) == pytest.approx(0.1)


def test_a_ball_is_as_accurate_as_is_asked() -> None:
    for bits in (60, 300, 2000):
        with ctx.workprec(bits + 64):
            assert of(sqrt(L)).ball({L: 2}, bits).rel_accuracy_bits() >= bits
    assert of(L - D).ball({L: 1 + Fraction(1, 10**2000), D: 1}) > 0


def test_an_exact_value_is_a_rational_or_refused() -> None:
    assert of(L / 3).exact({L: 2}) == Fraction(2, 3)
    with pytest.raises(NotRational):
        of(sqrt(L)).exact({L: 2})


def test_closed_forms_are_short_numbers_symbols_or_balls() -> None:
    assert evaluate_closed_form(L / 3, {L: 2, D: arb(1, 1)}) == Fraction(2, 3)
    assert evaluate_closed_form(sqrt(L), {L: 2}) == sympy.sqrt(2)
    ball = evaluate_closed_form(sqrt(L), {L: arb(2)})
    assert isinstance(ball, arb)
    assert ball.overlaps(arb(2).sqrt())


@pytest.mark.parametrize("factor", [3, Fraction(1, 3), "1/3", 0.5, L])
def test_a_bound_may_be_scaled_by_numbers_and_formulas(factor: Any) -> None:
    mutant = of(D**2).scaled(factor)
    value = factor.subs(L, 7) if isinstance(factor, sympy.Expr) else Fraction(factor)
    assert mutant.exact({D: 5, L: 7}) == 25 * Fraction(str(value))
    assert mutant.source == Source("paper", "place", "printed", "mutant")
    assert of(D).scaled(2, "twice").source.note == "twice"
    assert not mutant.expr.atoms(sympy.Float)


def test_tuning_inserts_everywhere() -> None:
    where = ((effective_step_size, step_size * n_local_steps), (step_size, 1 / L))
    bound = of(L * step_size, step_size <= 1 / L, R >= step_size, where=where)
    tuned = bound.tuned({step_size: 1 / L})
    assert tuned.expr == 1
    assert tuned.conditions == (R >= 1 / L,)
    assert tuned.where == ((effective_step_size, n_local_steps / L),)
    assert tuned.source == HERE
    other = Source("other", "place")
    assert bound.tuned({L: sympy.Integer(2)}, other).source == other


def test_floats_in_formulas_are_the_decimals_they_print() -> None:
    bound = of(0.1 * L, L >= 0.3, where=((step_size, 0.7 * D),))
    assert bound.expr == L / 10
    assert bound.conditions == (L >= Rational(3, 10),)
    assert bound.where == ((step_size, D * Rational(7, 10)),)


def test_minima_and_maxima_are_not_evaluated() -> None:
    assert min_of(L, D).subs({L: 2, D: 1}).doit() == 1
    assert max_of(L, D).subs({L: 2, D: 1}).doit() == 2
    assert isinstance(min_of(L, 2 * L), Min)
    assert isinstance(max_of(L, 2 * L), Max)


# Rates -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expr", "rate"),
    [
        (L, 0),
        (R, 1),
        (L / R**3 + 5, 0),
        (L / R**3 + R**2 * L, 2),
        (R * L / sqrt(R), Rational(1, 2)),
        (max_of(1 / R, R**2 * L), 2),
        (max_of(1 / R, 1 / R**2), -1),
        (min_of(1 / R, R**2 * L), -1),
        (log(R), 0),
        (R * log(R), 1),
        (log(R) ** 2 / R, -1),
        ((R + 1) ** Rational(-3, 2), Rational(-3, 2)),
        (Piecewise((R**5, L <= 1), (1 / R, True)), -1),
        (exp(-mu * R / L), -oo),
        (exp(mu * R / L), oo),
        (exp(mu / R), 0),
        (exp(-mu / R), 0),
        (exp(1 - mu * R / L), -oo),
        (exp(mu * R / L - 1), oo),
        ((1 - mu / L) ** R, -oo),
        ((1 - mu / L) ** (-R), oo),
        (R**5 * (1 - mu / L) ** R, -oo),
        (R**5 + (1 - mu / L) ** R, 5),
        (R * exp(-mu * R / L) + 1 / R, -1),
        (exp(R**2 - R), oo),
        (exp(R - R**2), -oo),
        (exp(mu * (R - 1)), oo),
        (exp(mu * (1 - R)), -oo),
        (exp(sqrt(R) - R), -oo),
        (exp(R - 1 / R), oo),
        (exp(R * (mu + L) - R**3 * mu * L), -oo),
        (exp(mu * L - L), 0),
        (exp(mu / R - L), 0),
        ((1 - mu / L) ** (R - 1), -oo),
        ((1 - mu / L) ** (1 - R), oo),
        ((1 - mu / L) ** (R**2 - R), -oo),
        ((1 - mu / L) ** (R - R**2), oo),
        ((1 - mu / L) ** sqrt(R), -oo),
        ((1 - mu / L) ** (1 / R), 0),
        (R**2 * (1 - mu / L) ** (1 / R - mu), 2),
    ],
)
def test_the_order_of_a_formula_at_infinity(expr: Any, rate: Any) -> None:
    assert of(expr).rate(R) == rate


def test_a_formula_without_a_known_order_says_so() -> None:
    with pytest.raises(BoundError, match="the rate of sin"):
        of(sympy.sin(R) * L).rate(R)
    for own in (R**R, (L / R) ** R):
        with pytest.raises(BoundError, match=r"the rate of .* in n_rounds is not known"):
            of(own).rate(R)
    for own in (exp(R * (L - mu)), (1 - mu / L) ** (R * (L - mu))):
        with pytest.raises(BoundError, match="for large n_rounds is not known"):
            of(own).rate(R)


def test_the_rate_is_of_the_formula_with_its_definitions() -> None:
    assert of(effective_step_size * L, where=((effective_step_size, 1 / R),)).rate(R) == -1
    assert of(effective_step_size * L, where=((effective_step_size, step_size / R),)).rate(step_size) == 1


def test_terms() -> None:
    assert set(of(L + D**2 + 3).terms()) == {L, D**2, sympy.Integer(3)}
    assert of(L * D).terms() == (L * D,)


# Units -------------------------------------------------------------------------------------------------------------------

LENGTH, CURVATURE = (0, 1), (1, -2)


@pytest.mark.parametrize(
    ("expr", "dimension"),
    [
        (D, LENGTH),
        (L, CURVATURE),
        (L * D**2, (1, 0)),
        (sqrt(L), (Rational(1, 2), -1)),
        (3 * D + D, LENGTH),
        (0 * D, (0, 0)),
        (sympy.Integer(2), (0, 0)),
        (sympy.oo, (0, 0)),
        (max_of(D, 2 * D), LENGTH),
        (max_of(0, D), LENGTH),
        (abs(D - 2 * D), LENGTH),
        (sympy.Abs(D - initial_distance * 3 * n_clients), LENGTH),
        (Piecewise((D, R <= 2), (2 * D, True)), LENGTH),
        (exp(-mu / L), (0, 0)),
        (log(1 + L / mu), (0, 0)),
        (R ** (L / mu), (0, 0)),
        ((mu / L) ** R, (0, 0)),
        (D**0, (0, 0)),
        (sympy.oo * (mu - L), CURVATURE),
        (sympy.oo ** (mu / L - 1), (0, 0)),
        (D * sympy.oo ** (mu / L - 1), LENGTH),
    ],
)
def test_the_dimension_of_a_formula(expr: Any, dimension: Any) -> None:
    assert tuple(of(expr).dimension()) == dimension


@pytest.mark.parametrize(
    "expr",
    [
        D + L,
        D + 1,
        max_of(D, L),
        min_of(D, D**2),
        Piecewise((D, R <= 2), (L, True)),
        exp(D),
        log(D),
        D**R,
        R**D,
        (mu / L) ** D,
        sympy.Abs(D + L),
    ],
    ids=str,
)
def test_formulas_of_mixed_dimensions_are_refused(expr: Any) -> None:
    with pytest.raises(DimensionError):
        of(expr).dimension()


def test_what_is_compared_or_defined_has_one_dimension() -> None:
    assert tuple(of(L, D <= 2 * D * R).dimension()) == CURVATURE
    with pytest.raises(DimensionError, match="different dimensions"):
        of(L, D <= L).dimension()
    with pytest.raises(DimensionError, match="different dimensions"):
        of(L, where=((step_size, L),)).dimension()
    assert tuple(of(L, mu - L <= 0, where=((step_size, 1 / L),)).dimension()) == CURVATURE
    assert dimension_mismatch(step_size, 1 / L) is None
    assert dimension_mismatch(step_size, sympy.Integer(0)) is None
    assert dimension_mismatch(D, L) == "initial_distance has dimension (0, 1), its formula (1, -2)"
    with pytest.raises(DimensionError, match="is a power of a quantity with a dimension"):
        of(D**R).dimension()


# Words -------------------------------------------------------------------------------------------------------------------


def test_a_source_in_words() -> None:
    assert str(HERE) == "paper, place (printed)"
    assert str(Source("p", "q", "corrected", "a note")) == "p, q (corrected: a note)"


@pytest.mark.parametrize(
    ("side", "sign", "title"), [("upper", "≤", "upper bound"), ("lower", "≥", "lower bound"), ("equal", "=", "formula")]
)
def test_a_card_of_a_bound(side: Any, sign: str, title: str) -> None:
    from fltheory.model.bound import PLAIN_SIGNS, SIGNS

    bound = of(
        L * D,
        R >= 2,
        side=side,
        where=((step_size, 1 / L),),
        letters=((L, "L"), (D, "D"), (R, "R"), (step_size, r"\eta")),
    )
    page = bound._repr_html_()
    assert title in page
    assert ("bound" in page.split("</tr>")[0]) == (side != "equal")
    for part in (r"$\eta$ = $\frac{1}{L}$", "paper, place (printed)", "R \\geq 2", "n_rounds", r"\text{measured}"):
        assert part in page.replace("&gt;", ">"), part
    assert SIGNS[side] in bound._repr_latex_()
    assert PLAIN_SIGNS[side] == sign
    assert repr(bound) == f"<Bound, {side}: initial_distance*smoothness (paper, place (printed))>"


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\tilde\eta", "η̃"),
        ("D", "D"),
        (r"\zeta_*", "ζ⋆"),
        (r"\sigma_{\max}", "σₘₐₓ"),
        (r"\hat{L}_0", "L₀"),
        ("x^{(0)}", "x⁽⁰⁾"),
    ],
)
def test_letters_in_unicode(latex: str, text: str) -> None:
    assert unicode_letter(latex) == text


def test_an_array_of_a_bound_has_the_shape_of_its_constants() -> None:
    bound = of(L * D + sympy.Integer(2) * L)
    values = bound.array({L: np.ones((3, 1)), D: np.arange(4.0)})
    assert values.shape == (3, 4)
    assert values[2].tolist() == [2.0, 3.0, 4.0, 5.0]
    assert values.dtype == float
    assert of(sympy.Integer(3)).array({}).tolist() == 3.0
    with pytest.raises(BoundError, match="initial_distance, smoothness missing"):
        bound.array({})
    assert np.isinf(of(1 / D).array({D: np.array([0.0, 1.0])})[0])


def test_a_condition_that_is_no_relation_has_no_effect() -> None:
    for condition in (True, sympy.true, L > 0):
        with pytest.raises(BoundError, match=r"a condition of paper, place \(printed\) simplifies to True"):
            of(L, condition)


def test_a_formula_is_drawn_on_one_line_however_long_it_is() -> None:
    long = of(sum((L * D) ** k for k in range(1, 40)))
    assert max(map(len, long.unicode().splitlines())) > 250


def test_precision_may_grow_with_the_length_of_the_constants(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four times as many bits as the longest of them, and no less than for short ones."""
    from fltheory.model import bound as module
    from fltheory.number import MAX_PRECISION

    asked: list[int] = []

    def evaluate(compute: Any, bits: int, stop: int) -> arb:
        asked.append(stop)
        return arb(1)

    monkeypatch.setattr(module, "evaluate_to_precision", evaluate)
    longest = MAX_PRECISION
    of(L * D).ball({L: Fraction(1, 2 ** (longest - 1)), D: 3})
    of(L * D).ball({L: arb(2), D: 3})
    assert asked == [4 * longest, MAX_PRECISION]


def test_a_constant_that_does_not_matter_may_be_missing() -> None:
    """Of a branch that is not taken."""
    chosen = Piecewise((L + 1, L > 1), (D, True))
    assert evaluate_closed_form(chosen, {L: 2}) == 3
    assert evaluate_closed_form(chosen, {L: arb(2)}).overlaps(arb(3))
    with pytest.raises(KeyError):
        evaluate_closed_form(L + D, {L: 1})


def test_an_infinite_value_is_one() -> None:
    assert evaluate_closed_form(oo, {}) is oo
    assert evaluate_closed_form(L * oo, {L: 2}) is oo


def test_what_has_any_dimension_takes_that_of_its_neighbour() -> None:
    length, other = (sympy.Integer(1), sympy.Integer(0)), (sympy.Integer(0), sympy.Integer(1))
    assert _common_dimension(length, None, "here") == _common_dimension(None, length, "here") == length
    assert _common_dimension(length, length, "here") == length
    assert _common_dimension(None, None, "here") is None
    for pair in ((length, other), (other, length)):
        with pytest.raises(DimensionError, match=r"different dimensions .* in here"):
            _common_dimension(*pair, "here")
