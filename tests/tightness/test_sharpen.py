"""The least constants that survive: what is said is refuted below, survives above, and is nothing but what was found."""

from __future__ import annotations

import json
import math
import warnings
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from flint import arb

from fltheory import Case, Claim, find
from fltheory.claims.check import check_claim
from fltheory.evidence.measured import Interval, Measured
from fltheory.problems.separable import QuadraticClients
from fltheory.search.tightness.answer import TightnessResult
from fltheory.search.tightness.constraints import Fact, UninformativeCase, certified_end, fact_of
from fltheory.search.tightness.drop_condition import (
    MIN_CASES,
    drop_condition,
    drop_each_condition,
    with_broken_condition,
)
from fltheory.search.tightness.growth import growth_exponent
from fltheory.search.tightness.table import markdown, table_row
from fltheory.search.tightness.targets import FactTable, WeightTarget, confirm_weights, vertex
from fltheory.search.tightness.terms import NoTerms, summands, terms_of
from fltheory.search.tightness.tightness import tightness
from fltheory.symbols import initial_distance, n_clients, n_rounds, noise_std, smoothness, step_size
from fltheory.work import spend
from tests.typed import Run
from tests.when_asked import module_when_asked

known = module_when_asked("tests.tightness.known")

SHARPENING: ModuleType = import_module("fltheory.search.tightness.tightness")  # the function of that name hides it

CASES = 80


@pytest.fixture(scope="module")
def strong() -> TightnessResult:
    """SGD on strongly convex objectives: two terms, the weights of both are known to be 1."""
    return tightness(known.SGD_STRONG, max_cases=CASES, conditions=False)


def test_below_a_limit_its_case_refutes_the_bound_and_above_nothing_found_does(strong: TightnessResult):
    assert [limit.aim for limit in strong.limits] == [WeightTarget(), WeightTarget(0), WeightTarget(1)]
    for limit in strong.limits:
        assert 0 < limit.value <= 1
        ones = [limit.value if limit.aim.index in (None, i) else Fraction(1) for i in range(2)]
        below = tuple(w * Fraction(999, 1000) if limit.aim.index in (None, i) else w for i, w in enumerate(ones))
        assert limit.refuted(below)
        assert limit.weights is not None
        assert limit.fact.refutes(limit.weights) is False
        verdict = check_claim(strong.terms.weighted(below), limit.fact.case)  # by the judge of all claims
        assert verdict.status == "violated"
        assert check_claim(strong.terms.weighted(limit.weights), limit.fact.case).status in ("holds", "vacuous")


def test_corners_are_consistent_and_on_the_edge(strong: TightnessResult):
    assert strong.corners
    for corner in strong.corners:
        less = tuple(w * Fraction(999, 1000) for w in corner.weights)
        assert corner.facts
        assert not any(fact.refutes(corner.weights) for fact in corner.facts)
        assert any(fact.refutes(less) for fact in corner.facts)


def test_a_seed_gives_the_same_limits_and_another_others(strong: TightnessResult):
    again = tightness(known.SGD_STRONG, max_cases=CASES, conditions=False)
    other = tightness(known.SGD_STRONG, max_cases=CASES, conditions=False, seed=1)
    assert {**again.row(), "seconds": 0} == {**strong.row(), "seconds": 0}
    assert other.row()["limits"] != strong.row()["limits"]


def test_a_false_bound_gets_a_factor_above_one():
    halved = replace(known.GD_TUNED, bounds=(known.GD_TUNED.bound.scaled(Fraction(1, 2)),))
    found = tightness(halved, max_cases=30, conditions=False)
    assert found.factor is not None
    assert 2 - Fraction(1, 10**9) <= found.factor <= 2


def test_a_lower_bound_gets_what_its_factor_cant_exceed():
    found = tightness("fedcg/NWF-uniform@printed", max_cases=40, conditions=False)
    assert found.factor is not None
    assert "can't be more than" in str(found)
    assert abs(found.factor - 1) < Fraction(1, 10**12)  # greedy with one item to choose
    limit = found.limits[0]
    assert limit.refuted((limit.value * Fraction(1001, 1000),))
    assert limit.fact.refutes((limit.value * Fraction(999, 1000),)) is False


def test_constants_that_are_set_are_kept():
    found = tightness(known.GD_CONVEX, max_cases=CASES, settings={"n_rounds": 2}, conditions=False)
    assert found.factor is not None
    assert found.limits[0].fact.case.constants[n_rounds] == 2
    assert found.factor <= Fraction(4, 10)  # L D²/(4 R + 2): 4/10 of the bound at R = 2
    assert found.growth == ()


@pytest.mark.parametrize(
    ("claim", "why"),
    [
        ("osmd/C-31@printed", "equality"),
        ("fedcg/P6-limit@strict", "bounds by 0"),
        ("fedcg/T3.5@printed", "probability"),
    ],
)
def test_what_has_no_constants_is_told(claim: str, why: str):
    with pytest.raises(NoTerms, match=why):
        tightness(claim)


def test_bad_arguments_are_named():
    for bad, name in (({"seconds": 0}, "seconds"), ({"seed": -1}, "seed"), ({"max_cases": 0}, "max_cases")):
        with pytest.raises(ValueError, match=name):
            tightness(known.GD_TUNED, **bad)
    with pytest.raises(ValueError, match="nonsense is not a known constant"):
        tightness(known.GD_TUNED, settings={"nonsense": 1})


def test_the_factor_is_that_of_the_whole_bound():
    """A quarter less of L D²/(2 R) is that less L D²/16 at R = 2: what is subtracted has no weight of its own, but the factor."""
    bound = known.GD_CONVEX.bound
    less = replace(known.GD_CONVEX, bounds=(bound.scaled(Fraction(3, 4)),))
    apart = replace(less, bounds=(replace(bound, expr=bound.expr - smoothness * initial_distance**2 / 16),))
    assert terms_of(apart).fixed != 0
    whole, found = (tightness(c, max_cases=40, settings={"n_rounds": 2}, conditions=False) for c in (less, apart))
    assert whole.factor is not None
    assert found.factor is not None
    assert abs(found.factor / whole.factor - 1) < Fraction(1, 10**9)
    assert (found.upper is None) == (whole.upper is None)
    limit = found.limits[0]
    for times, status in ((Fraction(999, 1000), "violated"), (Fraction(1001, 1000), "holds")):
        scaled = replace(apart, bounds=(apart.bound.scaled(limit.value * times),))
        assert check_claim(scaled, limit.fact.case).status == status
        assert limit.refuted((limit.value * times,)) == (status == "violated")


def test_terms_are_the_summands_and_minus_signs_stay():
    a, b, c = n_rounds, n_clients, noise_std
    assert set(summands(a + b)) == {a, b}
    assert set(summands(2 * c * (a + b))) == {2 * a * c, 2 * b * c}
    assert summands(c * (1 - a) / b) == (c * (1 - a) / b,)
    terms = terms_of(replace(known.GD_CONVEX, bounds=(replace(known.GD_CONVEX.bound, expr=a - b / a),)))
    assert (terms.exprs, terms.fixed) == ((a,), -b / a)


def test_only_a_certified_end_counts():
    assert certified_end(Measured(Interval(1.0, 3.0), "statistical", estimate=2.0), "upper") == 1
    assert certified_end(Measured(Interval(1.0, 3.0), "statistical", estimate=2.0), "lower") == 3
    assert certified_end(Measured(arb(2, 1), "exact"), "upper") <= 1
    for half, side in (
        (Measured(arb(2), "exact", at_most=True), "upper"),
        (Measured(arb(2), "exact", at_least=True), "lower"),
    ):
        with pytest.raises(UninformativeCase):
            certified_end(half, side)
    with pytest.raises(UninformativeCase):
        certified_end(Measured(Interval(1.0, float("inf")), "statistical"), "lower")


def fact(measured: object, *terms: object, rounds: int = 1) -> Fact:
    case = known.GD_TUNED.cases[0].with_settings(n_rounds=rounds)
    balls = tuple(arb(str(t)) for t in terms)
    return Fact(case, Fraction(str(measured)), balls, arb(0), "exact", 0.0, "upper", case.constants)


def test_the_vertex_is_that_of_the_facts():
    facts = [fact(1, 1, 0), fact(2, 0, 1), fact(4, 1, 1)]  # w1 >= 1, w2 >= 2, w1 + w2 >= 4
    table = FactTable.of(facts)
    even, first, second = (vertex(table, prices) for prices in ((1, 1), (10, 1), (1, 10)))
    assert even is not None
    assert even.sum() == pytest.approx(4)
    assert np.allclose(first, (1, 3))
    assert np.allclose(second, (2, 2))
    weights = confirm_weights(facts, (1, 3))
    assert weights is not None
    assert not any(f.refutes(weights) for f in facts)
    assert confirm_weights(facts, (1, 2.9)) is None
    assert list(table.scores(WeightTarget(1))) == [-np.inf, 2, 3]
    assert confirm_weights([fact(1, 1, 1)], (1, 0)) == (1 + 2 * Fraction(1, 10**9), 0)  # 0 stays 0


def test_growth_is_the_exponent_of_the_worst_cases():
    facts = [fact(r**0.5, r, rounds=r) for r in (1, 4, 16)]
    found = growth_exponent(facts, n_rounds)
    assert found is not None
    assert found.exponent == pytest.approx(-0.5)
    assert growth_exponent(facts[:1], n_rounds) is None


def test_a_condition_that_is_needed_is_seen_and_one_that_is_not_needed_is_not():
    asked = replace(known.SGD_STRONG.bound, conditions=(step_size * smoothness <= 1, n_rounds <= 3, known.ALONE))
    claim = replace(known.SGD_STRONG, bounds=(asked,))
    within = Case(
        QuadraticClients((1,), (0,), (1,)), n_rounds=2, step_size="1/10"
    )  # by far: no draw leaves the conditions
    needed, idle, alone = drop_each_condition(claim, (within,), 9000, math.inf, 0)
    assert alone.is_needed is True
    assert needed.is_needed is True
    assert "it is needed" in str(needed)
    assert (idle.counterexample, idle.is_needed) == (None, False)
    assert idle.cases >= MIN_CASES
    assert "may not be needed" in str(idle)
    assert idle.row()["needed"] is None
    few = replace(idle, cases=MIN_CASES - 1)
    assert few.is_needed is None
    assert "not decided, only 299 cases that break it" in str(few)


def test_only_cases_that_break_a_condition_are_counted():
    asked = replace(known.SGD_STRONG.bound, conditions=(step_size * smoothness <= 1, n_rounds <= 10**300, known.ALONE))
    claim = replace(known.SGD_STRONG, bounds=(asked,))
    within = Case(QuadraticClients((1,), (0,), (1,)), n_rounds=2, step_size="1/10")
    _, idle, _ = drop_each_condition(claim, (within,), 2000, math.inf, 0)
    assert (idle.counterexample, idle.cases, idle.is_needed) == (None, 0, None)
    assert "nothing was tested" in str(idle)


def test_an_average_whose_weights_sum_to_zero_says_nothing_and_warns_of_nothing():
    """Without its condition on the step a claim meets steps at which the weights 1, -1, 1, -1 are to be normalised."""
    claim = find("sfl/T3-SC@corrected")
    clients = QuadraticClients(((1, 1), (1, 1)), ((1, 0), (0, 1)), (1, 1))
    case = Case(clients, n_rounds=3, n_local_steps=1, step_size=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        verdict = check_claim(with_broken_condition(claim, claim.bound.conditions[0]), case)
    assert verdict.status == "inapplicable"
    assert "NaN" in verdict.reason


def test_of_a_false_claim_no_condition_is_said_to_be_needed():
    halved = replace(known.GD_TUNED, bounds=(known.GD_TUNED.bound.scaled(Fraction(1, 2)),))
    found = tightness(halved, work=1500)
    assert found.factor is not None
    assert found.factor > 1
    assert found.dropped == ()


def test_the_line_that_is_told_replays_the_claim_without_its_condition(capsys: pytest.CaptureFixture[str]):
    name = "sfl/T3-GC@printed"
    (told,) = drop_each_condition(find(name), find(name).cases[:12], 3000, math.inf, 0)
    exec(str(told).partition("\n  by ")[2], {})
    assert "violated" in capsys.readouterr().out
    with pytest.raises(ValueError, match="has no condition n_rounds >= 7"):
        drop_condition(name, "n_rounds >= 7")


def test_the_command_says_what_it_is(run: Run, tmp_path: Path):
    path = tmp_path / "found.json"
    status, out, _ = run("tightness", "fedcg/NWF-uniform", "--work", "500", "--json", path)
    assert status == 0
    assert "that these hold is not proved" in out
    row = json.loads(path.read_text())
    assert row["id"] == "fedcg/NWF-uniform@printed"
    assert Fraction(row["limits"][0]["value"]) > Fraction(9, 10)
    for wrong, word in (
        (["osmd/C-31@printed"], "equality"),
        ([], "tightness of what"),
        (["fedcg/NWF-uniform", "--set", "nonsense=1"], "nonsense"),
        (["sfl/T3-GC@printed", "--set", "R=1", "K=two"], "K (n_local_steps): expected a number"),
        (["fedcg/NWF-uniform", "fedcg/P5"], "one claim"),
    ):
        status, _, err = run("tightness", *wrong)
        assert (status, word in err) == (2, True), err
    status, _, err = run("repair", "fedcg/NWF-uniform")
    assert (status, "nothing to repair" in err) == (2, True), err


def test_the_table_rounds_to_the_safe_side():
    rows = [table_row(known.GD_CONVEX, 2000, 0, 60), table_row(find("osmd/C-31@printed"), 1, 0)]
    found = tightness(known.GD_CONVEX, work=2000, max_cases=60, conditions=False)
    assert found.factor is not None
    assert 0 <= found.factor - Fraction(rows[0].least) < found.factor / 100
    assert "false as it stands" in rows[1].least
    page = markdown(rows, 600, 0, len(rows))
    assert "a lower limit on what any proof could reach" in page
    assert f"| {rows[0].least} |" in page


OF_THE_CATALOGUE = {
    "delta_sgd/T5-one@strengthened": Fraction(1),
    "fedcg/NWF-uniform@printed": Fraction(1),
    "osmd/C-5@corrected": Fraction(1),  # T/(T + 1) of it is reached
}
OWN = ("GD_CONVEX", "GD_QUADRATIC", "GD_TUNED", "GD_GAP", "SGD_STRONG", "SGD_MEAN", "LOCAL_SGD", "OGD")


def test_all_true_constants_are_asked_for():
    assert {getattr(known, name).id for name in OWN} == set(known.TRUE)


@pytest.mark.deep
@pytest.mark.parametrize("name", [*OWN, *OF_THE_CATALOGUE])
def test_known_constants_are_reached(name: str):
    claim: Claim | str = getattr(known, name) if name in OWN else name
    true = known.TRUE[claim.id] if isinstance(claim, Claim) else OF_THE_CATALOGUE[name]
    found = tightness(claim, conditions=False)
    assert found.factor is not None
    slack = Fraction(1, 10**9)
    if found.claim.bound.side == "upper":
        assert true * Fraction(98, 100) <= found.factor <= true + slack
    else:
        assert true - slack <= found.factor <= true * Fraction(102, 100)


def test_looking_once_more_is_work_like_all_other(monkeypatch: pytest.MonkeyPatch):
    """The looks that confirm count in the one meter, and all of them together may take a part of the work and no more."""
    plain = tightness(known.GD_TUNED, work=400, conditions=False)
    for each in (5.0, 90.0):
        calls = list[float]()

        def dear(*given: Any, each: float = each, calls: list[float] = calls) -> Any:
            calls.append(each)
            spend(each)
            return fact_of(*given)

        monkeypatch.setattr(SHARPENING, "fact_of", dear)
        found = tightness(known.GD_TUNED, work=400, conditions=False)
        assert calls
        assert sum(calls) <= SHARPENING.MIN_CONFIRM_WORK + each
        assert found.work >= plain.work + min(sum(calls), SHARPENING.MIN_CONFIRM_WORK) - 2
