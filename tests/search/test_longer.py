"""Longer runs and patterns of losses: what only long runs or certain orders of losses show."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from fltheory.claims.check import check_claim
from fltheory.evidence.sequential import steps_per_run
from fltheory.evidence.verdict import Verdict
from fltheory.model.case import Case
from fltheory.problems.responses import ResponseTable
from fltheory.problems.separable import QuadraticClients
from fltheory.search import continuation
from fltheory.search.evaluations import Evaluator
from fltheory.search.falsifier import falsify
from fltheory.search.history import LengthenedCase, SearchState, search_score
from fltheory.search.neighbours import is_count
from fltheory.search.reshaping import lengthenings
from fltheory.search.starts.edges import edge_cases, scaled_cases
from fltheory.search.starts.patterns import pattern_cases, repattern, table_of
from fltheory.verification import find
from fltheory.work import Meter
from tests.outside.loading import loaded

GAME = Case(ResponseTable(((0, "1/2"), (1, 0)), (2, 3), repeat=10))
FTL = loaded("classics/04_follow_the_leader.py")


def verdict_of(ratio: float, rounds: int) -> Verdict:
    """A verdict on a run of so many rounds, with a ratio."""
    case = Case(ResponseTable(((0, 1), (1, 0)), (1, 1), repeat=rounds // 2))
    return replace(check_claim(FTL.CLAIM, case), ratio=ratio, status="holds")


def test_lengths_of_rows_are_counts() -> None:
    assert is_count(("instance", "counts_of", 1))
    assert not is_count(("instance", "responses", 1, 0))


def test_a_game_becomes_longer_by_more_turns_or_by_longer_phases() -> None:
    ways = [next(way) for way in lengthenings(GAME, 10)]
    assert [(one.instance.counts_of, one.instance.repeat) for one in ways] == [((2, 3), 100), ((20, 30), 10)]
    assert {one.instance.n_rounds for one in ways} == {500}


def test_other_rows_come_in_turns_and_in_phases() -> None:
    random = Random(0)
    turns = [one for _ in range(40) if (one := repattern(GAME, random, "period")) is not None]
    phases = [one for _ in range(40) if (one := repattern(GAME, random, "phases")) is not None]
    assert len(turns) == len(phases) == 40
    assert any(one.instance.counts_of == (1, 1) and one.instance.repeat == 25 for one in turns)
    assert all(one.instance.repeat == 1 and one.instance.n_rounds > 40 for one in phases)
    assert any(("1/2", 0) == tuple(map(str, row)) or row == (0, 1) for one in turns for row in one.instance.responses)


def test_patterns_are_alternations_and_phases_of_lows_and_highs() -> None:
    found = [(one.instance.responses, one.instance.counts_of, one.instance.repeat) for one in pattern_cases(GAME, 60)]
    assert (((1, 0), (0, 1)), (1, 1), 30) in found
    assert (((0, 1), (1, 0)), (1, 1), 30) in found
    assert (((0, 1), (1, 0)), (30, 30), 1) in found
    assert len(found) == len(set(found)) == 16


def test_what_is_no_table_of_rows_has_no_patterns() -> None:
    case = Case(QuadraticClients((1, 1), (1, -1), 1), n_rounds=5, n_local_steps=1, step_size="1/12")
    assert table_of(case) is None
    assert list(pattern_cases(case, 60)) == []


@pytest.mark.parametrize(
    ("ratios", "needed"),
    [((0.1, 0.31623), 15), ((0.5, 0.5), None), ((0.5, 0.4), None), ((0.1, 0.101), None), ((0.0, 0.5), None)],
    ids=["as the root of the rounds", "a plateau", "falling", "too slowly", "from nothing"],
)
def test_a_rate_tells_how_long_a_run_must_be(ratios: tuple[float, float], needed: int | None) -> None:
    """A ratio of T^(1/2) that is 0.316 passes 1.2 in a run 14.4 times as long."""
    assert continuation.length_factor_to_pass(verdict_of(ratios[0], 10), verdict_of(ratios[1], 100)) == needed


def place(rounds: int, ratio: float) -> LengthenedCase:
    return LengthenedCase((6,), rounds, ratio)


def test_a_case_is_ahead_that_promises_more_than_all_as_short_ones_that_were_made_longer() -> None:
    seen = SearchState(lengthened={place(10, 0.1), place(1000, 0.6)})
    assert seen.ahead(place(10, 0.16))
    assert not seen.ahead(place(10, 0.14))
    assert not seen.ahead(place(1000, 0.8))  # a long one has to pass the long ones too
    assert seen.ahead(place(1000, 0.95))
    assert seen.ahead(place(5, 0.001))  # shorter than all of them
    assert seen.ahead(place(1000, 0.1)._replace(shape=(7,)))


def test_a_short_case_that_is_ahead_is_made_longer_though_a_long_one_is_better(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    def followed(looks: Evaluator, verdict: Verdict, slice: float) -> Verdict:
        made.append(steps_per_run(verdict.case))
        return verdict_of(0.6, 2000) if len(made) == 1 else verdict

    monkeypatch.setattr(continuation, "lengthen_repeatedly", followed)
    looks = Evaluator(FTL.CLAIM, 0, 0, Meter(0.0), 1000.0, 100.0)
    for ratio, rounds in ((0.1, 20), (0.14, 20), (0.7, 2000), (0.16, 20), (0.17, 20), (0.95, 2000)):
        continuation.try_longer(looks, verdict_of(ratio, rounds), any_case=False)
    assert made == [steps_per_run(verdict_of(0.1, n).case) for n in (20, 20, 2000)]
    continuation.try_longer(looks, verdict_of(0.17, 20))
    assert len(made) == 4  # one that is not ahead, as such runs took less than their part of the work
    looks.lengthening = 1.0
    continuation.try_longer(looks, verdict_of(0.17, 20))
    assert len(made) == 4


def test_a_run_that_got_worse_than_it_began_promises_what_its_ratio_says() -> None:
    vacuous = replace(verdict_of(0.5, 20), status="vacuous", measured=2.0)
    assert search_score(replace(vacuous, trivial=1.0)) == 0.5
    assert search_score(replace(vacuous, trivial=3.0)) == search_score(vacuous) == 0.0005
    growing = QuadraticClients(((1,),), ((0,),), (1,))
    verdict = check_claim(find("sfl/T7-GC@explicit"), Case(growing, n_rounds=1, n_local_steps=1, step_size="1/100"))
    assert (verdict.status, verdict.trivial) == ("vacuous", 0.5)


def test_steps_of_a_run_are_its_counts_and_1_where_it_has_none() -> None:
    case = Case(QuadraticClients((1, 1), (1, -1), 1), n_rounds=5, n_local_steps=3, step_size="1/12")
    assert (steps_per_run(case), steps_per_run(case, clients=False)) == (30, 15)
    assert steps_per_run(Case(QuadraticClients((1,), (0,), 1), n_rounds=5, step_size="1/12")) == 5
    assert steps_per_run(Case(QuadraticClients((0,), (1,), 1), n_rounds=5, step_size="1/12")) == 1  # no minimiser


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_follow_the_leader_loses_to_losses_in_turns(seed: int) -> None:
    found = falsify(FTL.CLAIM, seed=seed)
    assert found.by == "patterns"
    assert found.verdict is not None
    assert found.verdict.status == "violated"


def test_what_found_a_witness_is_told() -> None:
    claim = find("sfl/C4-GC@printed")
    assert falsify(claim).by == "own cases"
    assert falsify(replace(find("sfl/T7-GC@explicit"), full_cases=None), work=60).by == ""


def test_a_setting_is_taken_to_the_edge_of_what_the_claim_allows() -> None:
    """Steps up to 2.02/L: the edge is met exactly, from a step far inside as well."""
    claim = loaded("classics/14_step_beyond_two.py").CLAIM
    for step in ("1/100", "1/10000000000"):
        case = Case(QuadraticClients((1,), (0,), 1), n_rounds=10, n_local_steps=1, step_size=step)
        (edge,) = edge_cases(claim, case)
        assert dict(edge.settings)["step_size"] == Fraction(101, 50)
    assert list(edge_cases(claim, case.with_settings(step_size=3))) == []  # outside already


def test_an_instance_is_tried_at_other_scales_with_its_counts_as_they_are() -> None:
    """Whose bound has no units in it: here rounds, but not how large the gradients are."""
    claim = loaded("classics/09_ogd_no_range.py").CLAIM
    case = Case(ResponseTable(((0, 2), (2, 0)), (3, 5), high=2, repeat=400))
    found = [(one.instance.responses[0], one.instance.high, one.instance.repeat) for one in scaled_cases(case)]
    assert found[:2] == [((0, 20), 20, 400), ((0, 200), 200, 400)]
    assert check_claim(claim, case).status == "holds"
    assert check_claim(claim, next(scaled_cases(case))).status == "violated"
