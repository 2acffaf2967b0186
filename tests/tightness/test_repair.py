"""What would repair a false claim: changes that survive, and the corrections of the catalogue among them."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from sympy import Eq

from fltheory import Case, Claim, falsify, find
from fltheory.claims.check import check_claim
from fltheory.model.errors import UserError
from fltheory.problems.separable import QuadraticClients
from fltheory.search.portfolio import Budget
from fltheory.search.repair import trials as tries_module
from fltheory.search.repair.arrays import Sample, make_sample
from fltheory.search.repair.candidates import candidate_conditions
from fltheory.search.repair.changes import (
    MIN_CASES_LEFT,
    TRIVIAL_CONDITION_COST,
    Change,
    consistent_changes,
    multipliers,
    next_nice_factor,
)
from fltheory.search.repair.repair import RepairResult, repair
from fltheory.search.repair.trials import Repair, RepairSearch, _round_robin
from fltheory.search.reshaping import continued_case, first_continuation, longer_case, rearranged_case
from fltheory.search.tightness import request
from fltheory.search.tightness.constraints import fact_of
from fltheory.search.tightness.hardest_cases import FactSearch
from fltheory.search.tightness.terms import is_yes_no, whole_bound_terms
from fltheory.symbols import n_clients, n_local_steps, n_rounds
from fltheory.work import Meter
from tests.tightness.corrections import as_strong, corrected, false_with_corrections, found_in
from tests.typed import Run
from tests.when_asked import module_when_asked

known = module_when_asked("tests.tightness.known")

FALSE = "sfl/J@printed"  # the corrected one has η H times a term
CONDITION = "osmd/C-P12-rank@printed"  # the corrected one asks for a floor below 1


@pytest.fixture(scope="module")
def mended() -> RepairResult:
    """The repairs of a false claim, cut by no clock."""
    return repair(FALSE, max_cases=12)


def test_the_correction_is_among_the_repairs(mended: RepairResult):
    correction = corrected(find(FALSE))
    assert correction is not None
    found = found_in(mended, correction)
    assert found is not None
    assert found.cases > 0
    assert found.work > 0


def test_no_repair_is_refuted_by_what_was_found(mended: RepairResult):
    for one in mended.repairs:
        assert all(check_claim(one.claim, case).status != "violated" for case in mended.cases[:20]), one.change.said
    assert any(check_claim(find(FALSE), case).status == "violated" for case in mended.cases)


def test_the_false_claim_itself_is_no_repair(mended: RepairResult):
    bound, correction = find(FALSE).bound, corrected(find(FALSE))
    assert all((r.change.expr, r.change.conditions) != (bound.expr, ()) for r in mended.repairs)
    assert correction is not None
    assert any(not as_strong(r, correction, mended.cases) for r in mended.repairs)  # not everything passes for it


def test_a_condition_of_the_catalogue_is_found():
    correction = corrected(find(CONDITION))
    assert correction is not None
    found = found_in(repair(CONDITION, max_cases=12), correction)
    assert found is not None
    assert [str(c) for c in found.change.conditions] == ["probability_floor < 1"]


def test_what_a_search_refutes_is_made_anew():
    found = repair("aaggff/U4-sign@printed", max_cases=12)
    assert found.refuted > 0
    assert "if loss_tilt > 0" in [r.change.said for r in found.repairs]


@pytest.fixture(scope="module")
def sample() -> Sample:
    """Facts of the claim's own cases."""
    terms = whole_bound_terms(find(FALSE))
    return make_sample(terms, [fact_of(terms, case, 1e-6, 0, ()) for case in find(FALSE).all_cases("full")])


def test_changes_agree_with_the_facts_and_the_bound_does_not(sample: Sample):
    assert not sample.keeps(sample.limit)
    found = consistent_changes(sample, candidate_conditions(sample))
    assert {"factor", "power"} <= {c.kind for c in found}
    for change in found:
        limit = sample.values(change.expr)
        where = np.ones(len(sample.facts), dtype=bool)
        for condition in change.conditions:
            meets = sample.meets(condition)
            assert meets is not None
            where &= meets
        assert limit is not None
        assert sample.keeps(limit, where, change.side), change.said


def test_what_an_equality_tells_is_named_by_no_change(sample: Sample):
    alone = replace(sample.claim.bound, conditions=(Eq(n_clients, 2), *sample.claim.bound.conditions))
    told = replace(sample, terms=replace(sample.terms, claim=replace(sample.claim, bounds=(alone,))))
    found = consistent_changes(told, candidate_conditions(told))
    assert n_clients in sample.named
    assert n_clients not in told.named
    assert found
    assert not any(n_clients in c.free_symbols for change in found for c in change.conditions)


def test_conditions_compare_like_things(sample: Sample):
    for condition in candidate_conditions(sample):
        left, right = condition.args
        if left.is_Symbol and right.is_Symbol:
            assert left.is_integer == right.is_integer, condition


def test_a_condition_under_which_only_zero_was_measured_comes_last():
    """The bound is broken at R = 2; as many cases are at R = 1, where 0 is measured, as at R = 3, where half the bound is."""
    terms = whole_bound_terms(known.GD_CONVEX)
    one = fact_of(terms, known.GD_CONVEX.cases[0], 1e-6, 0, ())
    limit = sum(one.row)
    made = [
        replace(one, measured=Fraction(times) * Fraction(float(limit)), constants={**one.constants, n_rounds: rounds})
        for rounds, times in ((1, 0), (2, 2), (3, Fraction(1, 2)))
        for _ in range(MIN_CASES_LEFT)
    ]
    told = [
        c for c in consistent_changes(make_sample(terms, made), (n_rounds <= 1, n_rounds >= 3)) if c.kind == "condition"
    ]
    assert [str(*c.conditions) for c in told] == ["n_rounds >= 3", "n_rounds <= 1"]
    assert told[1].size == pytest.approx(told[0].size + TRIVIAL_CONDITION_COST)


def test_no_repair_is_weaker_than_another_that_survived(mended: RepairResult):
    """The sample of the facts, as they are in the end: a survivor that says as much at each as one before it adds nothing."""
    terms = whole_bound_terms(find(FALSE))
    facts = [fact_of(terms, case, 1e-6, 0, ()) for case in mended.cases]
    end, plain = make_sample(terms, facts), [r.change for r in mended.repairs if not r.change.conditions]
    values = [end.values(change.expr) for change in plain]
    for i, (one, mine) in enumerate(zip(plain, values, strict=True)):
        for other, theirs in zip(plain[:i], values[:i], strict=True):
            assert mine is not None
            assert theirs is not None
            assert not (one.side == other.side and end.within(theirs, mine, one.side)), (other.said, one.said)


def test_long_runs_are_among_the_facts():
    found = repair(replace(known.GD_QUADRATIC, bounds=(known.GD_QUADRATIC.bound.scaled(Fraction(1, 100)),)), work=3000)
    rounds = [case.constants[n_rounds] for case in found.cases]
    assert max(rounds) >= 16 * min(rounds)
    assert found.false


def test_what_no_float_holds_breaks_the_bound():
    terms = whole_bound_terms(known.GD_CONVEX)
    one = fact_of(terms, known.GD_CONVEX.cases[0], 1e-6, 0, ())
    far = make_sample(terms, [one, replace(one, measured=Fraction(10) ** 400)])
    assert list(far.broken(far.limit)) == [False, True]


def test_changes_keep_the_units(sample: Sample):
    claim = find(FALSE)
    assert claim.measure is not None
    assert all(c.of(claim).bound.dimension() == tuple(claim.measure.dimension) for c in consistent_changes(sample, ()))


def test_other_readings_are_not_looked_up():
    claim = find("sfl/L14@printed")
    terms = whole_bound_terms(claim)
    found = make_sample(terms, [fact_of(terms, case, 1e-6, 0, ()) for case in claim.cases])
    correction = corrected(claim)
    assert correction is not None
    (added,) = set(correction.bound.conditions) - set(claim.bound.conditions)
    assert candidate_conditions(found)
    swapped = {c.xreplace({s: t}) for c in claim.bound.conditions for s in c.free_symbols for t in found.symbols}
    assert added not in candidate_conditions(found) or added in swapped  # it is made, of the claim's own


@pytest.mark.turns(6)
def test_a_condition_is_found_where_a_case_tells_only_whether_the_bound_is_kept():
    claim = find("fedcg/T3.2@printed")
    assert is_yes_no(claim)
    found = repair(claim, max_cases=12)  # fewer are of one item all, and no condition tells them apart
    assert found.repairs
    assert {r.change.kind for r in found.repairs} == {"condition"}


def test_nice_factors_are_on_the_safe_side():
    assert next_nice_factor(1.93, up=True) == 2
    assert next_nice_factor(1.93, up=False) == Fraction(3, 2)
    assert next_nice_factor(2 / 3, up=True) == Fraction(2, 3)
    assert next_nice_factor(1e9, up=True) is None


def test_what_survives_is_said_with_its_search(run: Run, tmp_path: Path):
    path = tmp_path / "mended.json"
    status, out, _ = run("repair", CONDITION, "--work", "3000", "--json", path)
    assert status == 0
    assert "none of them is proved" in out
    rows = json.loads(path.read_text())["repairs"]
    assert all(row["cases"] > 0 for row in rows)
    status, _, err = run("repair", "aaggff/C5.3@printed", "--set", "n_rounds=2")
    assert status == 2
    assert "--set" in err


def test_moves_make_cases_longer_and_arrange_clients_otherwise():
    from random import Random

    case = find("sfl/T3-SC@corrected").cases[0]
    random = Random(0)
    rounds = case.constants[n_rounds]
    made = [found for _ in range(40) if (found := longer_case(case, random)) is not None]
    assert any(one.constants[n_rounds] > rounds for one in made)
    more = [(s, continued_case(case, s, 0.5)) for _ in range(40) if (s := first_continuation(case, random)) is not None]
    assert any(one.constants[n_rounds] == rounds + s.stride for s, one in more if one is not None)
    assert any(one.constants[n_rounds] == rounds for s, one in more if one is not None)  # a row became more extreme
    clients = {one.instance.n_clients for _ in range(60) if (one := rearranged_case(case, random)) is not None}
    assert {case.instance.n_clients - 1, case.instance.n_clients, case.instance.n_clients + 1} <= clients


def test_a_theorem_of_one_s_own_is_repaired_without_being_recorded_as_false():
    """Twice too small: a factor is found; the true one is left as it is."""
    halved = replace(known.GD_TUNED, bounds=(known.GD_TUNED.bound.scaled(Fraction(1, 2)),))
    assert halved.entry.recorded == "holds"
    found = repair(halved, max_cases=12)
    assert "times 2" in [r.change.said for r in found.repairs], [r.change.said for r in found.repairs]
    true = repair(known.GD_TUNED, max_cases=12)
    assert not true.repairs
    assert "nothing to repair" in str(true)


def test_the_command_repairs_a_theorem_of_one_s_own(monkeypatch: pytest.MonkeyPatch):
    halved = replace(known.GD_TUNED, bounds=(known.GD_TUNED.bound.scaled(Fraction(1, 2)),))
    monkeypatch.setattr(request, "claim_of", lambda text: halved)
    answer = request.repair_answer(request.TightnessTask((halved.id,), work=3000))
    assert answer.told
    monkeypatch.setattr(request, "claim_of", lambda text: find("sfl/T3-SC@corrected"))
    with pytest.raises(UserError, match="nothing to repair"):
        request.repair_answer(request.TightnessTask(("sfl/T3-SC@corrected",)))


# What is tried, and what is told first -----------------------------------------------------------------------------------

C4 = find(
    "sfl/C4-GC@printed"
)  # the step carries R^(2/3) where the bound needs R^(1/3): false on runs beyond any that are walked
FAR = Case(
    QuadraticClients(curvatures=(0, "1/500", 0), slopes=(910, 910, -1820), start=1),
    n_local_steps=1,
    n_rounds=15625 * 10**9,
)


def hunted(claim: Claim, work: int = 1000) -> FactSearch:
    return FactSearch(whole_bound_terms(claim), Budget(work, Meter(work), math.inf), 0, {})


def test_what_refuted_a_change_is_a_fact_however_long_its_run_is():
    hunt = hunted(C4)
    assert hunt.look(FAR) is None  # the negative control: a hunt of its own walks no such run
    fact = hunt.judged(FAR)
    assert fact is not None
    assert hunt.facts == [fact]
    assert fact.refutes((Fraction(1),) * len(fact.terms))


def test_a_look_that_was_cut_does_not_stand_in_the_way_of_a_counterexample():
    hunt, case = hunted(C4), C4.cases[0]
    assert hunt.look(case, 1e-3) is None
    assert hunt.look(case) is None  # told before
    assert hunt.judged(case) is not None


def test_a_wrong_power_of_the_rounds_is_mended_by_a_root_that_the_bound_has():
    terms = whole_bound_terms(C4)
    facts = [fact_of(terms, case, 1e-6, 0, ()) for case in (*C4.cases, FAR)]
    sample = make_sample(terms, facts)
    found = [c for c in consistent_changes(sample, ()) if c.kind == "power" and "n_rounds**(1/3)" in c.said]
    assert found
    assert all(check_claim(c.of(C4), case).status != "violated" for c in found for case in (*C4.cases, FAR))
    plain = whole_bound_terms(known.GD_CONVEX)
    whole = make_sample(plain, [fact_of(plain, case, 1e-6, 0, ()) for case in known.GD_CONVEX.cases])
    assert not [
        f for f in multipliers(whole, (0, 0)) if "(1/3)" in str(f.expr)
    ]  # no root in the bound, none in its changes


def test_longer_and_longer_runs_refute_a_change_and_a_witness_is_turned_to_meet_the_next():
    tries = RepairSearch(hunted(C4), Budget(4000, Meter(4000), math.inf), 0, None)
    sample = make_sample(tries.hunt.terms, [fact_of(tries.hunt.terms, case, 1e-6, 0, ()) for case in (*C4.cases, FAR)])
    times = Change("factor", "times 10", 10 * C4.bound.expr, "upper", (), 1.0)
    cubed = next(c for c in consistent_changes(sample, ()) if "n_rounds**(1/3)" in c.said)
    assert not tries._is_refuted_by_longer(cubed, (FAR,), 100)  # the negative control: a true change stands
    assert tries._is_refuted_by_longer(times, (FAR,), 100)
    several = Change("condition", "if K >= 2", C4.bound.expr, "upper", (n_local_steps >= 2,), 2.0)
    tries.survived = [Repair(several, several.of(C4), 1, 1, 1, None)]
    assert tries._is_refuted_by_longer(replace(several, said="again"), (), 100)
    assert not tries.survived  # what survived before falls to the new fact


def test_what_falls_when_it_is_pressed_is_not_told_and_what_stands_comes_first(monkeypatch: pytest.MonkeyPatch):
    tries = RepairSearch(hunted(C4), Budget(4000, Meter(4000), math.inf), 0, None)
    tries.hunt.judged(C4.cases[0])
    ones = [
        Change("factor", name, k * C4.bound.expr, "upper", (), float(k))
        for k, name in enumerate(("small", "sound", "large"), 2)
    ]
    tries.survived = [Repair(one, one.of(C4), 1, 1, 1, None) for one in ones]
    nothing = falsify(known.GD_TUNED, work=50)
    broken = falsify(C4, max_cases=1, start=(FAR,))
    assert broken.found
    monkeypatch.setattr(RepairSearch, "_is_refuted_by_longer", lambda self, change, cases, most: False)
    monkeypatch.setattr(RepairSearch, "_join", lambda self, case: True)
    monkeypatch.setattr(tries_module, "N_PRESSED", 1)
    monkeypatch.setattr(
        RepairSearch,
        "_search_change",
        lambda self, change, most, start, seed: broken if change.said == "small" else nothing,
    )
    tries._press()
    told = sorted(tries.survived, key=lambda one: one.rank)
    assert [(one.change.said, one.pressed) for one in told] == [("sound", True), ("large", False)]


@pytest.mark.turns(4)
def test_a_true_repair_of_a_wrong_power_is_among_those_told_and_none_in_front_falls_to_known_long_runs():
    found = repair(C4, work=4000)
    assert any("n_rounds" in r.change.said and not r.change.conditions for r in found.repairs), str(found)
    longer = [
        FAR.with_settings(n_local_steps=k, n_rounds=rounds) for k in (1, 2, 3, 16) for rounds in (10**12, 15625 * 10**9)
    ]
    front = [r for r in found.repairs if r.pressed]
    assert front
    assert all(check_claim(r.claim, case).status != "violated" for r in front for case in longer)
    assert any(check_claim(C4, case).status == "violated" for case in longer)  # the negative control


@pytest.mark.deep
def test_fifteen_false_statements_get_their_corrections():
    found = 0
    for claim, correction in false_with_corrections():
        mended = repair(claim, work=6000)
        found += found_in(mended, correction) is not None
    assert found >= 15


def test_no_kind_of_change_crowds_out_another():
    ones = [
        Change(kind, f"{kind} {size}", C4.bound.expr, "upper", (), size)
        for kind, size in zip("aaabbc", range(6), strict=True)
    ]
    assert [one.said for one in _round_robin(ones)] == ["a 0", "b 3", "c 5", "a 1", "b 4", "a 2"]
    assert [one.said for one in _round_robin(ones, ["a", "a", "b"])][:2] == ["c 5", "b 3"]


def test_what_still_comes_nearer_with_more_work_is_told_after_what_stands_still():
    sound, nearing = (
        Change("factor", name, C4.bound.expr, "upper", (), size) for name, size in (("sound", 3.0), ("false", 1.0))
    )
    told = sorted(
        (Repair(one, C4, 1, 1, 1, 0.5, True, one is nearing) for one in (nearing, sound)), key=lambda one: one.rank
    )
    assert [one.change.said for one in told] == ["sound", "false"]
