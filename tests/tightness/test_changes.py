"""Changes of a false bound, each kind by enumeration: their units, values, sizes, and that the facts agree with them."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import sympy
from flint import arb

from fltheory import symbols
from fltheory.claims.check import check_claim
from fltheory.model.case import Case
from fltheory.problems.separable import QuadraticClients
from fltheory.search.repair import candidates, changes
from fltheory.search.repair.arrays import Sample
from fltheory.search.repair.changes import POWERS, Change, consistent_changes, multipliers
from fltheory.search.tightness.constraints import Fact
from fltheory.symbols import meaning
from fltheory.verification import find

F = Fraction
R, K, M, SCALE = symbols.n_rounds, symbols.n_local_steps, symbols.n_clients, symbols.learner_scale
L, MU, STEP, D, GAP = (
    symbols.smoothness,
    symbols.strong_convexity,
    symbols.step_size,
    symbols.initial_distance,
    symbols.initial_gap,
)
CLAIM = find("sfl/T7-GC@explicit")
VALUES = {"n_rounds": [2, 4, 9], "n_local_steps": [3, 1, 5], "smoothness": [2, 3, 7], "strong_convexity": [1, 2, 3]}


def sample(
    measured: Any, exprs: Any, side: str = "upper", dimension: Any = (0, 0), conditions: Any = (), **constants: Any
) -> Sample:
    """Facts of a bound with these terms, at these constants."""
    named = {getattr(symbols, n): np.array(v, dtype=float) for n, v in constants.items()}
    rows = [
        [float(e.subs({s: v[i] for s, v in named.items()})) for e in map(sympy.sympify, exprs)]
        for i in range(len(measured))
    ]
    units: Any = SimpleNamespace(dimension=lambda: dimension)
    bound = SimpleNamespace(
        side=side, expr=sympy.Add(*exprs), conditions=conditions, dimension=units.dimension, letters=()
    )
    claim = SimpleNamespace(bound=bound, measure=SimpleNamespace(dimension=dimension), paper="own", id="own/x")
    terms: Any = SimpleNamespace(claim=claim, exprs=tuple(map(sympy.sympify, exprs)))
    own: Any = SimpleNamespace(constants={})
    facts = [
        Fact(own, F(m), tuple(arb(v) for v in row), arb(0), "exact", 0.0, side, {})
        for m, row in zip(measured, rows, strict=True)
    ]
    found = Sample(terms, tuple(facts))
    found.__dict__["symbols"], found.__dict__["named"] = named, tuple(named)
    return found


def value(own: Sample, expr: Any) -> np.ndarray:
    found = own.values(sympy.sympify(expr))
    assert found is not None
    return found


def units(expr: Any) -> tuple[Fraction, Fraction]:
    """The units of a product of powers of constants; of 1 - 1/n: none."""
    total = [F(0), F(0)]
    for s, p in sympy.sympify(expr).as_powers_dict().items():
        if isinstance(s, sympy.Symbol):
            for i in range(2):
                total[i] += F(str(p)) * F(meaning(s).dimension[i])
    return total[0], total[1]


# Factors ----------------------------------------------------------------------------------------------------------------


def test_factors_without_units_are_powers_counts_and_ratios_of_like_constants() -> None:
    own = sample([1, 1, 1], [R], **VALUES)
    found = multipliers(own, (0, 0))
    wanted = {sympy.Integer(1): 0.0}
    for s, p in itertools.product((R, K), POWERS):
        wanted[s ** sympy.Rational(p.numerator, p.denominator)] = abs(float(p)) + (p.denominator != 1)
        wanted[1 - 1 / s] = 0.3
    wanted |= {L / MU: 1.2, MU / L: 1.2}
    assert {f.expr: f.cost for f in found} == pytest.approx(wanted)
    assert len(found) == len(wanted)
    for factor in found:
        np.testing.assert_allclose(factor.values, value(own, factor.expr))


def test_factors_have_the_units_that_are_missing() -> None:
    own = sample([1] * 3, [R], **VALUES, step_size=[1, 2, 3], initial_distance=[1, 2, 2], initial_gap=[1, 5, 5])
    named = (L, MU, STEP, D, GAP)
    for wanted in ((1, -2), (-1, 2), (1, 0), (0, 1), (0, 2), (2, -4), (F(1, 2), -1), (1, -1)):
        found = {f.expr for f in multipliers(own, wanted)}
        alone = {
            s ** sympy.Rational(p.numerator, p.denominator)
            for s, p in itertools.product(named, POWERS)
            if tuple(p * u for u in meaning(s).dimension) == wanted
        }
        pairs = {
            s**a * other**b
            for s, other in itertools.combinations(named, 2)
            for a, b in ((1, 1), (1, -1), (-1, 1))
            if units(s**a * other**b) == wanted
        }
        assert found == alone | pairs, wanted
        for factor in multipliers(own, wanted):
            assert units(factor.expr) == wanted
            np.testing.assert_allclose(factor.values, value(own, factor.expr))
        assert {f.expr for f in multipliers(own, wanted, frozenset())} == alone


def test_constants_that_may_be_0_and_the_dimension_are_no_factors() -> None:
    own = sample(
        [1] * 3, [R], n_rounds=[2, 4, 9], strong_convexity=[0, 2, 3], smoothness=[2, 3, 7], dimension=[1, 2, 3]
    )
    found = {f.expr for f in multipliers(own, (1, -2))}
    assert found == {L}
    assert all(symbols.dimension not in e.free_symbols for e in (f.expr for f in multipliers(own, (0, 0))))
    assert L / MU not in {f.expr for f in multipliers(own, (0, 0))}
    swaps = {f.expr for f in multipliers(own, (0, 0), frozenset({L}))}
    assert MU / L in swaps
    assert {f.expr for f in multipliers(own, (0, 0), frozenset({MU}))}.isdisjoint({L / MU})


def test_a_term_is_multiplied_or_one_of_its_constants_replaced_by_a_like_one() -> None:
    own = sample([1] * 3, [R], **VALUES)
    plain = [f for f in multipliers(own, (0, 0)) if f.cost != 1.2]
    found = multipliers(own, (0, 0), frozenset({L}))
    assert [f.expr for f in found[: len(plain)]] == [f.expr for f in plain]
    rest = {f.expr: f.cost for f in found[len(plain) :]}
    assert rest == pytest.approx({MU / L * f.expr: 0.3 + f.cost for f in plain if f.cost <= 1})
    for factor in found:
        np.testing.assert_allclose(factor.values, value(own, factor.expr))
    both = multipliers(own, (0, 0), frozenset({R}))
    assert K / R in {f.expr for f in both}
    assert R / K not in {f.expr for f in both[len(plain) :]} - {K / R}


def test_single_constants_have_the_units_of_the_measure() -> None:
    own = sample([1] * 3, [R], **VALUES)
    found = dict(changes._single_constants(own))
    assert set(found) == {1, R, K}
    assert found[1].tolist() == [1, 1, 1]
    own = sample([1] * 3, [R], dimension=(1, -2), **VALUES)
    found = dict(changes._single_constants(own))
    assert set(found) == {L, MU, L - MU}
    np.testing.assert_allclose(found[L - MU], value(own, L - MU))
    equal = {"smoothness": [2, 3], "strong_convexity": [2, 2]}
    assert set(dict(changes._single_constants(sample([1] * 2, [L], dimension=(1, -2), **equal)))) == {L, MU, L - MU}


def test_missing_units_are_those_of_the_measure_over_those_of_the_bound() -> None:
    def missing(measure: Any, bound: Any, expr: Any) -> Any:
        def dimension() -> Any:
            if bound is None:
                raise ValueError
            return bound

        own: Any = SimpleNamespace(
            measure=SimpleNamespace(dimension=measure),
            bound=SimpleNamespace(dimension=dimension, expr=sympy.sympify(expr)),
        )
        return changes._missing_units(own)

    assert missing((1, 0), (2, -3), L) == (-1, 3)
    assert missing((1, 0), (1, 0), L) == (0, 0)
    assert missing((1, 0), None, L) == (0, 0)
    assert missing((1, 0), (0, 0), 3) == (0, 0)


# Kinds of changes --------------------------------------------------------------------------------------------------------


def said(found: Any) -> dict[str, Any]:
    return {c.said: c.expr for c in found}


def test_a_factor_of_the_bound_or_of_a_term_makes_it_suffice() -> None:
    own = sample([10, 7, 12], [R, K], **VALUES)  # bounds of 5, 5 and 14
    assert said(changes._factors(own)) == {
        "times 2": 2 * (R + K),
        f"the term {R} times 7/2": sympy.Rational(7, 2) * R + K,
        f"the term {K} times 3": R + 3 * K,
    }
    for one in changes._factors(own):
        assert own.keeps(value(own, one.expr))
        factor = F(one.said.split()[-1])
        assert one.size == pytest.approx(1 + (0.3 if factor.denominator == 1 else 1) + math.log2(factor) / 2)
        assert (one.kind, one.side, one.conditions) == ("factor", "upper", ())
    assert said(changes._factors(sample([4, 2], [R], n_rounds=[2, 4]))) == {"times 2": 2 * R}
    for near, factor in ((1 + 1e-10, 1), (1 - 1e-10, 1), (1 + 1e-6, F(5, 4)), (1 - 1e-6, 1)):
        assert changes.next_nice_factor(near, True) == factor
    assert said(changes._factors(sample([2, 2], [R], n_rounds=[2, 4]))) == {}  # a factor of 1 is no change
    low = sample([1, 2], [R], "lower", n_rounds=[2, 3])
    assert said(changes._factors(low)) == {"times 1/2": R / 2}


def test_an_equality_is_kept_as_an_inequality_where_the_facts_do() -> None:
    own = sample([2, 3], [R], "equal", n_rounds=[2, 4])
    found = {c.said: c for c in changes._relations(own)}
    assert set(found) == {"only at most n_rounds", "only at most", "only at least 3/4 times that"}
    assert (found["only at most"].side, found["only at most"].size) == ("upper", 0.5)
    assert (found["only at most n_rounds"].side, found["only at most n_rounds"].size) == ("upper", 3.5)
    least = found["only at least 3/4 times that"]
    assert (least.side, least.expr) == ("lower", F(3, 4) * R)
    assert least.size == pytest.approx(0.5 + 1 + 1 + math.log2(4 / 3) / 2)
    above = sample([2, 8], [R], "equal", n_rounds=[2, 4])
    found = {c.said: c for c in changes._relations(above)}
    assert set(found) == {"only at least", "only at most 2 times that"}
    assert (found["only at least"].side, found["only at most 2 times that"].expr) == ("lower", 2 * R)
    small = sample([F(1, 4), F(1, 2)], [R / 8], "equal", n_rounds=[4, 4])  # bounds of 1/2
    assert {c.said for c in changes._relations(small)} >= {"only at most", "only at least 1/2 times that"}
    zero = sample([0, 1], [R - 2], "equal", n_rounds=[2, 4])
    assert "only at least 1/2 times that" in {c.said for c in changes._relations(zero)}
    off = sample([1, 1], [R - 2], "equal", n_rounds=[2, 4])
    assert {c.said for c in changes._relations(off)} == {"only at most 1", "only at most n_rounds"}
    negative = sample([-1, 5], [R - 3], "equal", n_rounds=[2, 4])
    assert not any("times" in c.said for c in changes._relations(negative))
    assert list(changes._relations(sample([2, 3], [R], n_rounds=[2, 4]))) == []


def test_powers_keep_the_facts_and_the_smallest_loss_comes_first() -> None:
    own = sample([4, 16, 81], [R], **VALUES)  # R², with a bound of R
    found = {c.said: c for c in changes._powers(own)}
    assert found["times n_rounds"].expr == R**2
    assert found["times 3 sqrt(n_rounds)"].expr == 3 * R ** sympy.Rational(3, 2)
    for one in found.values():
        assert own.keeps(value(own, one.expr)), one
        assert (one.kind, one.side) == ("power", "upper")
    assert found["times n_rounds"].size == pytest.approx(2 + 1 + 1)  # no fact kept the bound: a loss of 1
    held = sample([4, 16, 1], [R], n_rounds=[2, 4, 16])
    one = next(c for c in changes._powers(held) if c.said == "times n_rounds")
    assert one.size == pytest.approx(2 + 1 + math.log2(16) / 4)  # lost at the third fact alone
    two = sample([6, 20], [R, K], n_rounds=[2, 4], n_local_steps=[2, 4])
    terms = {c.said: c.expr for c in changes._powers(two)}
    assert terms[f"the term {R} times n_rounds"] == R**2 + K
    assert terms[f"the term {K} times n_rounds"] == R + K * R
    assert not any(c.said.startswith("the term") for c in changes._powers(own))
    equal = sample([4, 16], [R], "equal", n_rounds=[2, 4])
    assert {c.said for c in changes._powers(equal)} == {"times n_rounds"}


def test_further_terms_suffice_with_their_factor() -> None:
    own = sample([3, 8, 90], [R], **VALUES)
    found = list(changes._terms(own))
    assert len(found) > 10
    for one in found:
        assert own.keeps(value(own, one.expr)), one
        assert (one.kind, one.side) == ("term", "upper")
        assert one.said.startswith("plus ")
        assert one.size >= changes.COSTS["term"]
    enough = [c for c in found if c.expr == R + R**2]
    assert enough
    assert enough[0].size == pytest.approx(3 + 1 + 1)
    fine = sample([1, 2], [R], n_rounds=[2, 4])
    assert list(changes._terms(fine)) == []


def test_all_changes_agree_with_the_facts_and_come_by_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "is_yes_no", lambda claim: False)
    own = sample([3, 9, 9], [R, K], **VALUES)
    pool = [R >= 9, R >= 3, M >= 2]
    found = consistent_changes(own, pool)
    sizes = [c.size for c in found]
    assert sizes == sorted(sizes)
    assert {c.kind for c in found} == {"factor", "power", "term"}
    assert len({(c.expr, c.side, c.conditions) for c in found}) == len(found)
    assert all(own.keeps(value(own, c.expr), side=c.side) for c in found)
    monkeypatch.setattr(changes, "is_yes_no", lambda claim: True)
    assert consistent_changes(own, pool) == []
    many = sample([9, *[1] * 5], [R], n_rounds=range(1, 7))
    assert [c.said for c in consistent_changes(many, [R >= 2, R >= 9])] == [f"if {R >= 2}"]


def test_the_same_change_is_told_once_with_its_least_size(monkeypatch: pytest.MonkeyPatch) -> None:
    one, again = (Change("factor", name, R, "upper", (), size) for name, size in (("a", 2.0), ("b", 1.0)))
    other = Change("factor", "c", R, "lower", (), 3.0)
    for name, found in (
        ("_conditions", []),
        ("_relations", [one]),
        ("_factors", [again]),
        ("_powers", [other]),
        ("_terms", []),
    ):
        monkeypatch.setattr(changes, name, lambda *given, found=found: iter(found))
    monkeypatch.setattr(changes, "is_yes_no", lambda claim: False)
    assert consistent_changes(sample([1], [R], n_rounds=[2]), ()) == [again, other]


def test_conditions_under_which_only_0_was_measured_cost_more() -> None:
    idle = sample([9, *[0] * 5], [R], n_rounds=range(1, 7))
    (one,) = changes._conditions(idle, [R >= 2])
    assert one.size == pytest.approx(2 + 0.1 + 3)
    lower = sample([0, *[100] * 5], [R], "lower", n_rounds=range(1, 7))
    (one,) = changes._conditions(lower, [R >= 2])
    assert one.size == pytest.approx(2 + 0.1)
    few = sample([9, *[1] * 5], [R], n_rounds=range(1, 7))
    assert [c.conditions for c in changes._conditions(few, [R >= 3, R >= 4])] == [(R >= 3,)]  # four are left, or three


def test_a_changed_claim_has_the_change_and_is_expected_to_hold() -> None:
    step = CLAIM.bound.expr
    one = Change("factor", "times 2", 2 * step, "lower", (R >= 3,), 1.0)
    made = one.of(CLAIM.recorded_as("violated"))
    assert (made.bound.expr, made.bound.side) == (2 * step, "lower")
    assert made.bound.conditions == (*CLAIM.bound.conditions, R >= 3)
    assert made.bound.source.note == "changed: times 2"
    assert (made.entry.recorded, len(made.bounds), made.cases) == ("holds", 1, CLAIM.cases)
    assert not made.inconsistent_units
    odd = replace(one, expr=step * L).of(CLAIM)
    assert odd.inconsistent_units
    case = Case(QuadraticClients(((1,),), ((1,),), (3,)), n_rounds=4, n_local_steps=1, step_size="1/100")
    same = replace(one, side="upper", expr=step).of(CLAIM)
    assert check_claim(same, case).ratio == check_claim(CLAIM, case).ratio


# Candidates -------------------------------------------------------------------------------------------------------------


def test_simple_conditions_compare_like_constants_and_small_numbers() -> None:
    found = list(candidates._simple((R, K, L, MU, SCALE)))
    wanted = {R <= 2, R >= 2, K <= 2, K >= 2, SCALE <= 1, SCALE >= 1, SCALE < 1, SCALE > 1}
    for s in (R, K):
        wanted |= {c for c in (s <= 1, s >= 1) if isinstance(c, sympy.core.relational.Relational)}
    wanted |= {
        c for c in (SCALE <= 0, SCALE < 0, SCALE > 0, SCALE >= 0) if isinstance(c, sympy.core.relational.Relational)
    }
    for s, other in ((R, K), (K, R), (L, MU), (MU, L)):
        wanted.add(sympy.Le(s, other, evaluate=False))
    assert set(found) == wanted


def test_a_comparison_stays_one_where_it_is_always_true() -> None:
    """The domains of two constants may decide it: it is kept as it is, as cases are to decide."""
    found = [c for c in candidates._simple((R, K)) if c.free_symbols == {R, K}]
    assert [(c.lhs, c.rhs, c.rel_op) for c in found] == [(R, K, "<="), (K, R, "<=")]
    one = [c for c in candidates._simple((L, MU)) if c.free_symbols == {L, MU}]
    assert [(c.lhs, c.rhs, c.rel_op) for c in one] == [(L, MU, "<="), (MU, L, "<=")]


def test_constants_of_a_condition_are_replaced_by_like_ones() -> None:
    claim: Any = SimpleNamespace(bound=SimpleNamespace(conditions=(STEP * L <= 1, R >= K)))
    found = list(candidates._substituted_conditions(claim, (R, K, M, L, MU, STEP)))
    assert set(found) == {STEP * MU <= 1, R >= M, M >= K}


def test_candidates_are_new_and_in_known_constants(monkeypatch: pytest.MonkeyPatch) -> None:
    own = sample([1, 1], [R], n_rounds=[2, 4], n_local_steps=[1, 1], conditions=(R >= 2, K <= R))
    monkeypatch.setattr(
        candidates, "_paper_conditions", lambda claim: iter([R >= 7, M >= 2, R >= 2, sympy.true, R >= 7])
    )
    found = candidates.candidate_conditions(own)
    assert (R >= 7) in found
    assert (M >= 2) not in found
    assert (R >= 2) not in found
    assert (K >= 2) in found
    assert len(set(found)) == len(found)
    assert all(isinstance(c, sympy.core.relational.Relational) for c in found)


def test_conditions_of_other_claims_are_looked_up_but_not_of_other_readings(monkeypatch: pytest.MonkeyPatch) -> None:
    def claim(name: str, *conditions: Any) -> Any:
        return SimpleNamespace(id=name, paper="sfl", bounds=[SimpleNamespace(conditions=(c,)) for c in conditions])

    others = [claim("sfl/T7-GC@printed", R >= 5), claim("sfl/T3@printed", R >= 6, R >= 7), claim("sfl/T4@x", R >= 8)]
    monkeypatch.setattr(candidates, "claims_of_paper", lambda paper: others)
    assert list(candidates._paper_conditions(claim("sfl/T7-GC@explicit"))) == [R >= 6, R >= 7, R >= 8]
    own = claim("x/T7")
    own.paper = "mine"
    assert list(candidates._paper_conditions(own)) == []


def test_nearness_beyond_all_floats_is_cut_on_both_sides() -> None:
    own = sample([1, -1, 0, 3], [R], n_rounds=[1, 1, 1, 1])
    found = own.reached(np.array([0.0, 0.0, 0.0, 2.0]), "upper")
    assert found.tolist() == [1e300, -1e300, -math.inf, 1.5]
    assert own.reached(np.array([2.0, 2.0, 2.0, 6.0]), "lower").tolist() == [2, -2, 1e300, 2]


def test_limits_of_0_are_compared_too() -> None:
    own = sample([0, 0], [R], n_rounds=[1, 1])
    zero = np.zeros(2)
    for side in ("upper", "lower", "equal"):
        assert own.within(zero, zero, side)  # type: ignore[arg-type]
    held = sample([0, 1], [R], n_rounds=[2, 4])
    assert changes._mean_loss(held, np.array([0.0, 8.0])) == pytest.approx(1 / 4)
    assert changes._mean_loss(sample([0, 1], [R - 2], n_rounds=[2, 4]), np.array([3.0, 8.0])) == pytest.approx(2 / 4)
    low = sample([0, 1], [R - 2], "lower", n_rounds=[2, 3])
    assert changes._extreme(low, np.array([0.0, 1.0]), np.array([0.0, 1.0])) == 1
    assert changes._constant(np.array([2.0, 0.0]), np.array([1.0, 0.0])) == 2


def test_simple_conditions_on_numbers_that_may_be_0() -> None:
    rate = next(
        s
        for s in (e.symbol for e in symbols.VOCABULARY.values())
        if tuple(meaning(s).dimension) == (0, 0) and not s.is_integer and not s.is_positive
    )
    found = set(candidates._simple((rate,)))
    both = (rate <= 0, rate >= 0, rate < 0, rate > 0, rate <= 1, rate >= 1, rate < 1, rate > 1)
    assert found == {c for c in both if isinstance(c, sympy.core.relational.Relational)}


def test_parts_of_one_are_usual_factors_too() -> None:
    for value, up, factor in (
        (0.301, True, F(1, 3)),
        (0.34, False, F(1, 3)),
        (0.161, True, F(1, 6)),
        (0.17, False, F(1, 6)),
    ):
        assert changes.next_nice_factor(value, up) == factor


def test_a_power_that_suffices_has_no_factor() -> None:
    own = sample([1, 2], [R], n_rounds=[2, 4])
    found = {c.said for c in changes._powers(own)}
    assert "times n_rounds" in found
    assert "times 1/2 n_rounds" not in found
    roots = set(changes._powers_of(R ** sympy.Rational(1, 4))) - set(POWERS)
    assert roots == {F(1, 4), F(3, 4), F(-1, 4), F(-3, 4)}


def test_a_measured_value_as_small_as_floats_resolve_is_0() -> None:
    """A billionth of the limit, which is R here, and no more."""
    for factor, cost in ((1.0, 3), (1.001, 0)):
        own = sample([9, *(1e-9 * k * factor for k in range(2, 7))], [R], n_rounds=range(1, 7))
        (one,) = changes._conditions(own, [R >= 2])
        assert one.size == pytest.approx(2 + 0.1 + cost)
