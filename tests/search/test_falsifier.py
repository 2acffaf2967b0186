"""The falsifier: refutes what is false without being told where to look, and nothing else; shrinks; replays."""

from __future__ import annotations

import math
import re
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import count
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from fltheory import Algorithm, falsify, find, quantity, symbols, theorem, verification, verify
from fltheory.claims.check import ERROR_RATE, check_claim
from fltheory.claims.claim import Claim
from fltheory.evidence.measured import EvidenceKind
from fltheory.evidence.verdict import Verdict
from fltheory.model.case import Assumption, Case
from fltheory.papers.sfl import algorithms
from fltheory.papers.sfl.upper.claims import theorem3
from fltheory.problems.responses import RandomResponses
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.constants import Constants
from fltheory.runs.measures import LastDistance
from fltheory.runs.oracle import Oracle
from fltheory.search import evaluations, falsifier, neighbours, portfolio
from fltheory.search.falsifier import Falsification
from fltheory.search.history import SearchState
from fltheory.search.neighbours import leaves, random_neighbour, round_digits, simpler_cases, with_leaves
from fltheory.search.reshaping import lengthenings, rearranged_case
from fltheory.verification import verdict_on
from fltheory.work import spend
from tests.typed import instance_of


@pytest.fixture
def search_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The counterexample stays as it was found: to shrink it takes up to ten seconds, and has tests of its own."""
    monkeypatch.setattr(falsifier, "simpler_cases", lambda case: ())


WORK = 1_000  # units of a search that need not find anything


def untimed(found: Falsification) -> Falsification:
    """All that a search says, but for the seconds that it took."""
    verdicts = {"verdict": found.verdict, "nearest": found.nearest, "open": found.open}
    told = {name: None if one is None else replace(one, seconds=0.0) for name, one in verdicts.items()}
    return replace(found, seconds=0.0, **told)


def from_scratch(claim: Claim) -> Claim:
    """The claim without cases of its own, so that a search isn't told where to look."""
    return replace(claim, cases=(), full_cases=None)


@pytest.mark.turns(3)
def test_a_search_is_reproducible() -> None:
    claim = from_scratch(find("sfl/T3-GC@printed"))
    first, second = (untimed(falsify(claim, seed=3, max_cases=80)) for _ in range(2))
    assert first.nearest is not None
    assert first == second


@pytest.mark.turns(3)
def test_any_number_of_processes_finds_the_same() -> None:
    """All that was seen, by a search that does not end before every member of the portfolio had its turn."""
    claim = from_scratch(find("sfl/T3-GC@printed"))
    found = [untimed(falsify(claim, work=WORK, seed=3, jobs=jobs)) for jobs in (1, 2, 3)]
    assert found[0].examined > 100
    assert found[0].ended == "work"
    assert found == [found[0]] * 3


@pytest.mark.parametrize("jobs", [0, -1, 1.5, True, None])
def test_jobs_is_a_positive_integer(jobs: Any) -> None:
    with pytest.raises(ValueError, match="jobs must be a positive integer"):
        falsify("sfl/T3-GC@printed", jobs=jobs)


def test_members_climb_farther_and_keep_to_their_cases() -> None:
    """Every kind of member, from one case: none looks at more cases than it may, and none ends below its start."""
    claim = from_scratch(find("sfl/T3-SC@corrected"))
    case = find("sfl/T3-SC@corrected").cases[0]
    start = check_claim(claim, case)
    assert start.ratio is not None
    for kind in ("climb", "mixed", "logs", "otherwise", "longer"):
        member = portfolio.Member(kind, 1, 30, start, 0, math.inf, 600, 600, 1200)
        seen = portfolio.run_member(claim, member)
        assert 0 < seen.examined <= 30, kind
        assert seen.error is None, kind
        assert seen.counterexample is None, kind
        again = portfolio.run_member(claim, member)
        assert [v.case for v in again.best] == [v.case for v in seen.best], kind


@pytest.mark.turns(3)
def test_a_variant_is_refuted(search_alone: None) -> None:
    """A user's step that forgets a client: the same function finds the case."""

    def step(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
        for client in oracle.order().T[:1]:
            for k in range(c.n_local_steps):
                x = x - c.step_size * oracle.gradient(x, client, k)
        return x

    mine = replace(theorem3.upper_strongly_convex, algorithm=algorithms.sequential._replace(step=step))
    result = falsify(mine, seed=3)
    assert result.found
    assert result.verdict is not None
    assert result.verdict.evidence == "exact"
    assert "counterexample (claim: the one you checked): from fltheory" in str(result)


def test_climbing_needs_no_luck(search_alone: None) -> None:
    """A bound that only a narrow region violates is found by the local search from any start."""
    claim = theorem3.upper_convex
    mutant = replace(claim, bounds=(claim.bound.scaled(Fraction(1, 20)),))
    assert falsify(mutant, seed=0).found


def test_shrinking_leaves_a_simple_case() -> None:
    mutant = replace(
        theorem3.upper_strongly_convex, bounds=(theorem3.upper_strongly_convex.bound.scaled(Fraction(1, 10**9)),)
    )
    result = falsify(from_scratch(mutant), seed=0)
    assert result.verdict is not None
    assert len(repr(result.verdict.case)) < 160


def test_leaves_rebuild_the_case() -> None:
    case = Case(
        QuadraticClients(((1, "1/2"), (2, 3)), ((0, 1), (1, 0)), (1, 2), noise_std=(1, 2)), n_rounds=3, step_size="1/60"
    )
    assert with_leaves(case, leaves(case)) == case
    changed = with_leaves(case, {("instance", "curvatures", 1, 0): Fraction(7)})
    assert changed is not None
    assert instance_of(changed, QuadraticClients).curvatures == ((1, Fraction(1, 2)), (7, 3))
    assert with_leaves(case, {("settings", "n_rounds"): 0}) is None
    assert round_digits(Fraction(123456), 2) == 120000


def test_a_claim_without_a_family_is_refused() -> None:
    claim = replace(find("sfl/T3-GC@printed"), family=None)
    with pytest.raises(ValueError, match="has no family"):
        falsify(claim)


def hasty(claim: Claim, case: Case, rate: float, seed: int, **options: tuple[int, ...]) -> Verdict:
    """A check that calls violated what holds, unless it is made on fresh randomness."""
    verdict = check_claim(claim, case, rate, seed, **options)
    return replace(verdict, status="violated") if seed == 2 and verdict.status == "holds" else verdict


def test_nothing_is_reported_without_confirmation(monkeypatch: pytest.MonkeyPatch, search_alone: None) -> None:
    """What a look calls violated and the check on fresh randomness does not is no counterexample: the search goes on."""
    monkeypatch.setattr(evaluations, "check_claim", hasty)
    claim = from_scratch(find("sfl/T3-GC@printed"))
    result = falsify(claim, seed=2, max_cases=30)
    assert result.tested > 10
    assert not result.found
    assert result.nearest is None or result.nearest.status == "vacuous"
    monkeypatch.setattr(falsifier, "_confirm", lambda search: search.seen.counterexample)
    assert falsify(claim, seed=2).found


def test_a_look_that_no_work_is_left_to_confirm_is_said(monkeypatch: pytest.MonkeyPatch, search_alone: None) -> None:
    """Unless it is exact."""
    slow = from_scratch(find("sfl/T3-SC@strict"))

    def laborious(claim: Claim, case: Case, rate: float, seed: int, **options: tuple[int, ...]) -> Verdict:
        while seed != 0:
            spend(10)
        verdict = check_claim(claim, case, rate, seed, **options)
        return replace(verdict, evidence=evidence) if verdict.status == "violated" else verdict

    monkeypatch.setattr(evaluations, "check_claim", laborious)
    evidence: EvidenceKind = "statistical"
    result = falsify(slow, max_cases=100)
    assert not result.found
    assert "no work was left to confirm" in str(result)
    evidence = "exact"
    assert falsify(slow).found


def test_a_search_begins_with_the_cases_of_the_claim(monkeypatch: pytest.MonkeyPatch, search_alone: None) -> None:
    """The shortest first, by what every command says of them, also where drawn cases would never show it."""
    claim = find("sfl/C4-GC@printed")
    asked: list[Case] = []

    def asking(claim: Claim, case: Case, seed: int) -> Verdict:
        asked.append(case)
        return verdict_on(claim, case, seed)

    monkeypatch.setattr(falsifier, "verdict_on", asking)
    result = falsify(replace(claim, family=lambda: st.nothing()))
    assert result.found
    assert result.verdict is not None
    assert result.verdict.case in claim.all_cases("full")
    lengths = [falsifier.case_length(c) for c in asked]
    assert lengths == sorted(lengths)
    assert result.examined <= len(claim.all_cases("full"))
    monkeypatch.setattr(portfolio, "neighbour_claim_cases", lambda claim: ())
    assert not falsify(replace(claim, family=lambda: st.nothing(), cases=(), full_cases=None), max_cases=3).found


def test_every_case_is_looked_at_once_before_one_is_looked_at_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the cases of the full profile, what one look leaves open gets more looks in the order of the ratios, counted once."""
    cases = find("sfl/T3-GC@printed").cases
    claim = replace(find("sfl/T3-GC@printed"), family=lambda: st.nothing(), cases=(), full_cases=lambda: cases)
    asked: list[tuple[Case, int]] = []

    def undecided(claim: Claim, case: Case, rate: float, seed: int, stages: tuple[int, ...]) -> Verdict:
        verdict = check_claim(claim, case, rate, seed, stages=stages)
        asked.append((case, len(stages)))
        return replace(verdict, status="inconclusive") if verdict.status == "holds" else verdict

    monkeypatch.setattr(evaluations, "check_claim", undecided)
    monkeypatch.setattr(falsifier, "class_answers", lambda claim: iter(()))
    result = falsify(claim, max_cases=0)
    stages = [n for _, n in asked]
    assert stages == sorted(stages)
    long = list(dict.fromkeys(case for case, n in asked if n > 1))
    ratios = [check_claim(claim, case).ratio or 0.0 for case in long]
    assert len(ratios) > 5
    assert ratios == sorted(ratios, reverse=True)
    assert result.examined == len(cases)
    assert result.undecided == len(long)
    assert not result.found


def test_one_error_rate_for_all_of_a_search(monkeypatch: pytest.MonkeyPatch, search_alone: None) -> None:
    """Looks and checks of counterexamples share it, and every check of a counterexample has randomness of its own."""
    asked: list[tuple[float, int]] = []

    def asking(claim: Claim, case: Case, rate: float, seed: int, **options: tuple[int, ...]) -> Verdict:
        asked.append((rate, seed))
        return replace(hasty(claim, case, rate, seed, **options), error_rate=rate, n_seeds=1)

    monkeypatch.setattr(evaluations, "check_claim", asking)
    result = falsify(from_scratch(find("sfl/T3-GC@printed")), seed=2, max_cases=60)
    assert len(asked) > 60
    assert sum(rate for rate, _ in asked) == pytest.approx(result.error_rate)
    assert result.error_rate <= ERROR_RATE
    fresh = [seed for _, seed in asked if seed != 2]
    assert len(fresh) > 10
    assert len(set(fresh)) == len(fresh)
    assert f"error rate at most {result.error_rate:.1g}" in str(result)
    monkeypatch.undo()
    exact = falsify("sfl/T3-GC@printed", seed=2, max_cases=2)
    assert exact.error_rate == 0
    assert "error rate" not in str(exact)


def test_a_search_is_no_truth_value() -> None:
    with pytest.raises(TypeError, match=r"\.found"):
        bool(falsify("sfl/T3-GC@printed", max_cases=1))


@pytest.mark.parametrize("seconds", [0, -1, float("inf"), float("nan"), "5", True])
def test_time_is_a_positive_number(seconds: Any) -> None:
    with pytest.raises(ValueError, match="seconds must be a positive number"):
        falsify("sfl/T3-GC@printed", seconds=seconds)


@pytest.mark.parametrize("seed", [-1, 1.5, "5", True, None, 2**63])
def test_a_seed_is_a_nonnegative_integer_below_2_to_63(seed: Any) -> None:
    with pytest.raises(ValueError, match="seed must be a nonnegative integer"):
        falsify("sfl/T3-GC@printed", seed=seed)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"max_cases": "9"}, "max_cases must be"),
        ({"max_cases": -1}, "max_cases must be"),
        ({"start": (3,)}, "start must"),
    ],
)
def test_what_is_no_number_of_cases_and_no_start_is_named(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        falsify("sfl/T3-GC@printed", **wrong)


@pytest.mark.parametrize("work", [0, -1, 1.5, float("inf"), "5", True, None])
def test_work_is_a_positive_integer(work: Any) -> None:
    with pytest.raises(ValueError, match=r"work must be a positive integer \(units, default 20000\)"):
        falsify("sfl/T3-GC@printed", work=work)


def test_an_age_of_time_is_no_error() -> None:
    assert falsify("sfl/T3-GC@printed", seconds=1e308, max_cases=2).examined > 0


def test_a_check_that_takes_too_much_work_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the middle of it, whatever it catches; that is counted and said, and the claim's own cases are named."""

    def endless(*_: object, **__: object) -> None:
        while True:
            with suppress(Exception):
                spend(1)

    claim = find("sfl/T3-GC@printed")
    monkeypatch.setattr(evaluations, "check_claim", endless)
    monkeypatch.setattr(falsifier, "verdict_on", endless)
    result = falsify(claim, work=WORK, seed=2)
    assert not result.found
    assert result.examined == result.cut > 1
    assert f"{result.examined} cases examined" in str(result)
    assert "1 case examined" in str(replace(result, examined=1))
    assert result.tested == 0
    assert result.work == WORK
    assert result.ended == "work"
    assert re.search(r"nothing was tested \(.* cut, as they take too much work.*\): every check of a case", str(result))
    assert [case for case, _ in result.left] == sorted(claim.cases, key=falsifier.case_length)
    assert {why for _, why in result.left} == {"its check took too much work", "the work was done before"}
    assert f"of its own cases {len(claim.cases)} left undecided, the first {result.left[0][0]}: its check" in str(
        result
    )


def test_one_case_of_its_own_that_is_cut_is_named_and_the_others_are_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = find("sfl/T3-GC@printed")
    heavy = claim.cases[2]

    def weighed(claim: Claim, case: Case, seed: int) -> Verdict:
        spend(10 * WORK if case == heavy else 0)
        return verdict_on(claim, case, seed)

    monkeypatch.setattr(falsifier, "verdict_on", weighed)
    result = falsify(claim, work=WORK, max_cases=0)
    assert result.left == ((heavy, "its check took too much work"),)
    assert result.decided
    monkeypatch.undo()
    assert falsify(claim, work=WORK, max_cases=0).left == ()


def test_a_check_that_the_clock_ends_is_broken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the middle of it, whatever it catches, however fast the machine is."""

    def endless(*_: object, **__: object) -> None:
        while True:
            with suppress(Exception):
                pass

    claim = find("sfl/T3-GC@printed")
    monkeypatch.setattr(falsifier, "verdict_on", endless)
    result = falsify(claim, seconds=0.2)
    assert not result.found
    assert result.examined == result.late == 1
    assert result.ended == "seconds"
    assert re.search(r"nothing was tested \(.* cut by the clock.*\): the clock ended every check", str(result))
    assert len(result.left) == len(claim.cases)
    assert result.left[0][1] == "the clock ended its check"
    assert {why for _, why in result.left[1:]} == {"the clock ended the search before"}
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_shrinking_and_confirming_are_within_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where there is no end of simpler cases."""

    def simpler(case: Case) -> Iterator[Case]:
        while True:
            yield case

    steps = count()
    monkeypatch.setattr(falsifier, "simpler_cases", simpler)
    monkeypatch.setattr(falsifier, "complexity", lambda case: next(steps))
    result = falsify(from_scratch(find("sfl/T3-SC@strict")), work=WORK)
    assert result.found
    assert (
        result.work <= WORK + 2 * falsifier.MIN_EXTRA_WORK + (falsifier.CONFIRM_SHARE + falsifier.SHRINK_SHARE) * WORK
    )
    assert next(steps) > 10


@pytest.mark.parametrize("work", [1, 30, WORK])
@pytest.mark.parametrize("name", ["sfl/T3-GC@printed", "osmd/C-T6@strengthened", "fedcg/NWF-uniform@printed"])
def test_a_search_spends_what_it_is_given(name: str, work: int) -> None:
    """No more, where nothing is confirmed or made simpler; and it says so where that ended it."""
    result = falsify(from_scratch(find(name)), work=work)
    assert not result.found
    assert 0 < result.work <= work
    assert result.ended == "work"
    assert "the work is done: give it more (--work)" in str(result)


def test_more_work_begins_with_the_same_cases() -> None:
    """The claim's own are all decided, with any work that suffices for them."""
    claim = find("sfl/T3-GC@printed")
    little, much = (falsify(claim, work=work, max_cases=0) for work in (WORK, 10 * WORK))
    assert (little.left, little.examined) == ((), much.examined)


def test_what_was_verified_before_counts_as_the_same_work() -> None:
    """A verdict is worked out once in a process: what is remembered changes no answer."""
    claim = replace(find("sfl/T3-GC@printed"), full_cases=None)
    fresh = untimed(falsify(claim, work=WORK))
    again = untimed(falsify(claim, work=WORK))
    verification._verdict_cache.clear()
    verify(claim)
    after = untimed(falsify(claim, work=WORK))
    assert fresh == again == after


def test_labels_are_never_moved() -> None:
    """The seed of a random instance names it: it has no size, and no move, longer run or simpler case has another."""
    case = Case(RandomResponses("coin", 3, 20, seed=739947), learner_scale="1/2")
    assert not [path for path in leaves(case) if path[-1] in neighbours.LABEL_NAMES]
    random = Random(0)
    moves = [
        move()
        for _ in range(60)
        for move in (lambda: random_neighbour(case, 1.0, random), lambda: rearranged_case(case, random))
    ]
    longer = [one for way in lengthenings(case, 10) for one in way]
    made = [one for one in (*simpler_cases(case), *longer, *moves) if one is not None]
    assert len({one.arguments() for one in made}) > 10
    assert {one.instance.seed for one in made if isinstance(one.instance, RandomResponses)} == {739947}


def test_a_search_that_tests_nothing_says_why() -> None:
    claim = find("sfl/T3-SC@corrected")
    never = Assumption("never", lambda case: "it never does")
    result = falsify(replace(claim, assumptions=(never,)), max_cases=20)
    assert (result.tested, result.applicable, result.cut) == (0, 0, 0)
    assert "nothing was tested" in str(result)
    assert str(result).endswith("no case met the hypotheses: never: it never does")
    assert "no counterexample" not in str(result)


@pytest.mark.parametrize("where", ["search", "shrinking"])
def test_an_interrupted_search_keeps_its_counterexample(monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    """Ctrl-C right after the first violated case, or at the first simpler one: confirmed."""
    seen: list[str] = []

    def interrupting(claim: Claim, case: Case, rate: float, seed: int, **options: tuple[int, ...]) -> Verdict:
        if seen.count("violated") == 2 and where == "shrinking":
            seen.append("interrupted")
            raise KeyboardInterrupt
        verdict = check_claim(claim, case, rate, seed, **options)
        seen.append(verdict.status)
        return verdict

    monkeypatch.setattr(evaluations, "check_claim", interrupting)
    if where == "search":
        count = SearchState.count

        def counting(one: SearchState, verdict: Verdict) -> None:
            count(one, verdict)
            if verdict.status == "violated":
                raise KeyboardInterrupt

        monkeypatch.setattr(SearchState, "count", counting)
    claim = find("sfl/T3-SC@strict")
    result = falsify(from_scratch(claim), start=claim.cases, seed=2)
    assert result.interrupted
    assert result.verdict is not None
    assert result.verdict.status == "violated"


def test_a_search_that_is_interrupted_in_a_member_tells_what_that_saw(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C at the fortieth case that is drawn: those before it are counted, and the nearest of them is told."""
    asked: list[Case] = []

    def interrupting(claim: Claim, case: Case, rate: float, seed: int, **options: tuple[int, ...]) -> Verdict:
        asked.append(case)
        if len(asked) == 40:
            raise KeyboardInterrupt
        return check_claim(claim, case, rate, seed, **options)

    monkeypatch.setattr(evaluations, "check_claim", interrupting)
    monkeypatch.setattr(portfolio, "neighbour_claim_cases", lambda claim: ())
    result = falsify(from_scratch(find("sfl/T7-GC@explicit")), seed=2)
    assert result.interrupted
    assert result.examined >= 39
    assert result.applicable > 10
    assert result.nearest is not None
    assert "interrupted" not in result.ended


@pytest.mark.parametrize("own", [True, False])
def test_a_check_that_breaks_is_a_value_error(monkeypatch: pytest.MonkeyPatch, own: bool) -> None:
    def broken(*_: object, **__: object) -> None:
        raise IndexError("of\nno use")

    monkeypatch.setattr(evaluations, "check_claim", broken)
    monkeypatch.setattr(falsifier, "verdict_on", broken)
    claim = find("sfl/T3-SC@strict")
    with pytest.raises(ValueError, match="the check broke: IndexError: of no use") as caught:
        falsify(claim if own else from_scratch(claim), seed=2)
    assert not getattr(caught.value, "__notes__", [])


def descent_that(breaks: Any) -> Claim:
    """Gradient descent of a step that raises an error on some cases, with a false bound; drawn cases of 1 to 8 rounds."""

    def step(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
        if breaks(c.n_rounds):
            raise ValueError("a tie")
        return x - c.step_size * oracle.gradient(x, 0)

    def drawn() -> st.SearchStrategy[Case]:
        clients = QuadraticClients(((1, "1/2"),), ((0, 0),), (1, 1))
        return st.integers(1, 8).map(lambda r: Case(clients, n_rounds=r, step_size="1/9"))

    return theorem(
        "BREAKS: |x_R - x*|^2 <= D^2/2^R",
        quantity <= symbols.initial_distance**2 / 2**symbols.n_rounds,
        algorithm=Algorithm("some", step),
        measure=LastDistance(),
        family=drawn,
    )


def test_a_step_that_breaks_on_some_cases_does_not_end_the_search() -> None:
    found = falsify(descent_that(lambda rounds: rounds % 2 == 0), seed=0, work=300)
    assert found.verdict is not None
    assert found.verdict.status == "violated"
    assert found.broken > 0
    assert "a tie" in found.broke


def test_a_step_that_breaks_on_all_cases_is_an_error() -> None:
    with pytest.raises(ValueError, match="a tie"):
        falsify(descent_that(lambda rounds: True), seed=0, work=300)


def test_a_step_that_breaks_on_a_case_of_its_own_is_an_error() -> None:
    claim = descent_that(lambda rounds: rounds == 3)
    own = Case(QuadraticClients(((1,),), ((0,),), (1,)), n_rounds=3, step_size="1/9")
    with pytest.raises(ValueError, match="a tie"):
        falsify(replace(claim, cases=[own]), seed=0, work=300)
