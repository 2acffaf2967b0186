"""Every claim of the catalogue, by the same checks: to add a claim is to test it.

The checks are functions of ``tests/papers/claim_checks.py``, what is asked of single claims stands in ``recorded.py`` beside it.
What is dear is tried by turns, at each release another part, whose number ``tests/rotation.txt`` holds: a third of the random
cases, of the stronger constants and of the verdicts that rest on statistics, a fifth of the searches for what is false, and a
tenth of those for a counterexample to what is true. With ``-m deep`` nothing is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import pytest
import sympy
from sympy import Expr

from fltheory.claims.catalogue import KEYS, catalogue
from fltheory.claims.check import require_consistent_units
from fltheory.claims.claim import Claim
from fltheory.games.player import Sampler
from fltheory.model.bound import BoundError
from fltheory.search.falsifier import falsify
from fltheory.symbols import initial_distance
from fltheory.verification import find
from tests.papers import recorded
from tests.papers.claim_checks import (
    as_recorded,
    is_found,
    prints,
    rebuilds,
    refutes_stronger,
    replays,
    says_how_loose,
    scales_alike,
    survives,
    verdicts,
)
from tests.papers.recorded import its_turn
from tests.papers.units import MISSCALED

CLAIMS = catalogue()
CHECKED = tuple(c for c in CLAIMS if c.measure is not None)
TRUE = tuple(c for c in CHECKED if c.entry.recorded in ("holds", "vacuous"))
FALSE = tuple(c for c in CHECKED if c.entry.recorded == "violated")

THIRDS, FIFTHS, TENTHS = 3, 5, 10
TURN = its_turn(TRUE, TENTHS)


TIGHTENED = {c.id for c in its_turn(CHECKED, THIRDS)}  # of these a stronger constant must be refuted too


def later(claims: Sequence[Claim], parts: int) -> tuple[str, ...]:
    """The ids of those claims whose turn is at another release."""
    now = {claim.id for claim in its_turn(claims, parts)}
    return tuple(claim.id for claim in claims if claim.id not in now)


def each(claims: Iterable[Claim], deep: Iterable[str] = ()) -> Any:
    """A test of each claim by its id, with ``-m deep`` alone where its id is among ``deep``."""
    slow = set(deep)
    marks = {True: [pytest.mark.deep], False: []}
    return pytest.mark.parametrize("claim", [pytest.param(c, id=c.id, marks=marks[c.id in slow]) for c in claims])


# What is recorded -----------------------------------------------------------------------------------------------------


def test_ids_are_unique_and_external_results_alone_are_not_checked() -> None:
    assert len({c.id for c in CLAIMS}) == len(CLAIMS)
    for claim in CLAIMS:
        assert find(claim.id) is claim
        assert claim.statement
        assert (claim.measure is None) == (claim.family is None) == (claim.kind == "external"), claim.id


@each(CLAIMS)
def test_a_claim_prints_scales_and_rebuilds(claim: Claim) -> None:
    """Its sides scale alike by the dimensions of the letters and in numbers, or a list says that they don't."""
    prints(claim)
    if claim.measure is not None:
        scales_alike(claim)
    assert claim.inconsistent_units == (claim.id in MISSCALED)
    for case in claim.cases:
        rebuilds(case.instance)


def has_a_constant(claim: Claim) -> bool:
    """Whether a stronger constant can be tried on its cases: what is compared with 0 has none.

    The mutants of such claims are in the tests of their paper, and so are those of trainings, which are known as wide
    intervals alone.
    """
    return all(b.expr != 0 for b in claim.bounds) and claim.id not in recorded.NO_RATIO and claim.kind != "experiment"


def replayed_at_once(claim: Claim) -> bool:
    """Whether to replay its counterexamples takes no simulation."""
    return claim.id not in (*recorded.STATISTICAL, *recorded.INEXACT)


PLAYED = tuple(c for c in CHECKED if c.id in recorded.STATISTICAL)


@each(CHECKED, deep=[*recorded.TOO_LONG, *later(PLAYED, THIRDS)])
def test_verdict_is_the_recorded_one(claim: Claim, capsys: pytest.CaptureFixture[str]) -> None:
    """On every case: what is true is refuted with a stronger constant, by turns, and of what is false a line replays."""
    as_recorded(claim)
    if claim.entry.recorded != "violated":
        if claim.paper == "sfl":
            says_how_loose(claim)
        if has_a_constant(claim) and claim.id in TIGHTENED:
            refutes_stronger(claim, recorded.WIDER.get(claim.id, recorded.MARGIN))
    elif replayed_at_once(claim):
        for verdict in verdicts(claim):
            replays(verdict, capsys)


@pytest.mark.deep
@each(c for c in TRUE if has_a_constant(c) and c.id not in TIGHTENED)
def test_every_stronger_constant_is_refuted(claim: Claim) -> None:
    refutes_stronger(claim, recorded.WIDER.get(claim.id, recorded.MARGIN))


@pytest.mark.deep
@each(c for c in FALSE if not replayed_at_once(c))
def test_witnesses_of_simulations_replay(claim: Claim, capsys: pytest.CaptureFixture[str]) -> None:
    for verdict in verdicts(claim):
        replays(verdict, capsys)


# Searches -------------------------------------------------------------------------------------------------------------


TRAINED = [c.id for c in TRUE if c.kind == "experiment"]  # each of their cases is a training of many models


@each(TRUE, deep=[*TRAINED, *later(TRUE, THIRDS)])
def test_random_cases_refute_nothing_true(claim: Claim) -> None:
    survives(claim, recorded.examples(claim))


GAMES = [c.id for c in FALSE if isinstance(c.algorithm, Sampler) and c.id not in recorded.QUICK_GAMES]


@each(FALSE, deep=[*recorded.LONG_SEARCHES, *GAMES, *later(FALSE, FIFTHS)])
def test_a_search_refutes_what_is_false(claim: Claim, capsys: pytest.CaptureFixture[str]) -> None:
    """From the generic family, not told where to look, with a line that replays."""
    replays(is_found(claim, recorded.DRAWN), capsys)


@pytest.mark.deep
@each(FALSE)
def test_a_shrunk_witness_replays(claim: Claim, capsys: pytest.CaptureFixture[str]) -> None:
    replays(is_found(claim, shrunk=True), capsys)


@pytest.mark.parametrize(("claims", "parts"), [(TRUE, TENTHS), (TRUE, THIRDS), (FALSE, FIFTHS)])
def test_all_turns_together_try_every_claim(claims: Sequence[Claim], parts: int) -> None:
    """And each of them has claims of every paper."""
    assert 0 <= recorded.RELEASE < recorded.TURNS
    turns = [its_turn(claims, parts, release) for release in range(recorded.TURNS)]
    assert {c.id for turn in turns for c in turn} == {c.id for c in claims}
    assert all({c.paper for c in turn} == set(KEYS) for turn in turns)
    assert sorted([*later(claims, parts), *(c.id for c in its_turn(claims, parts))]) == sorted(c.id for c in claims)


SHORT = 200  # units of work, half a second or so


@each(TURN)
def test_a_short_search_refutes_nothing_true(claim: Claim) -> None:
    found = falsify(claim, work=SHORT, seed=recorded.RELEASE, max_cases=40)
    assert not found.found, str(found)


BY_CASES = tuple(c for c in TRUE if c.id in recorded.ALWAYS_SEARCHED)


@each(BY_CASES, deep=later(BY_CASES, len(BY_CASES)))
def test_a_search_by_cases_refutes_nothing_true(claim: Claim) -> None:
    """As many cases, of dear claims too."""
    found = falsify(claim, work=10 * SHORT, max_cases=10)
    assert not found.found, str(found)


@pytest.mark.deep
@each(TRUE)
def test_a_long_search_refutes_nothing_true(claim: Claim) -> None:
    """The same minute that refutes every false claim, for five seeds."""
    for seed in range(5):
        found = falsify(claim, seed=seed)
        assert not found.found, str(found)


# What must not pass ---------------------------------------------------------------------------------------------------

GOOD = find("sfl/U7@explicit")
BAD = find("sfl/D3-first@printed")
SIMULATED = find("osmd/F1-text-close@printed")


def scaled(claim: Claim, factor: Expr) -> Claim:
    """The claim with every bound times a factor."""
    return replace(claim, bounds=tuple(replace(b, expr=b.expr * sympy.sympify(factor)) for b in claim.bounds))


def fails(check: Callable[..., None], *arguments: object) -> bool:
    """Whether a check does not pass."""
    try:
        check(*arguments)
    except AssertionError:
        return True
    return False


@pytest.mark.parametrize(
    "claim",
    [
        GOOD.recorded_as("violated"),
        BAD.recorded_as("holds"),
        GOOD.recorded_as("vacuous"),
        replace(GOOD, cases=()),
        scaled(GOOD, "1/1000"),
    ],
    ids=["not violated", "not true", "not vacuous", "no case", "too small a constant"],
)
def test_a_verdict_that_is_not_the_recorded_one_is_seen(claim: Claim) -> None:
    assert fails(as_recorded, claim)


def test_evidence_that_is_weaker_than_recorded_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    as_recorded(SIMULATED)
    assert fails(as_recorded, replace(SIMULATED, id="osmd/another@printed"))
    monkeypatch.setitem(recorded.STATISTICAL, GOOD.id, 1)
    as_recorded(GOOD)


def test_verdicts_are_remembered_of_the_catalogue_s_own_claims_alone() -> None:
    assert verdicts(GOOD) is verdicts(find(GOOD.id))
    assert {v.status for v in verdicts(scaled(GOOD, "1/1000"))} != {"holds"}


def test_a_line_that_does_not_replay_is_seen(capsys: pytest.CaptureFixture[str]) -> None:
    verdict = verdicts(BAD)[0]
    replays(verdict, capsys)
    assert fails(replays, verdicts(GOOD)[0], capsys)
    assert fails(replays, replace(verdict, line="print('holds')"), capsys)


@pytest.mark.parametrize(
    "claim",
    [
        scaled(GOOD, initial_distance),
        replace(GOOD, inconsistent_units=True),
        replace(GOOD, bounds=(replace(GOOD.bound, expr=GOOD.bound.expr + 1),)),
        replace(GOOD, bounds=(replace(GOOD.bound, expr=sympy.Integer(1)),)),
    ],
    ids=["another length", "called misscaled", "a unit added", "a number of no unit"],
)
def test_sides_that_do_not_scale_alike_are_seen(claim: Claim) -> None:
    assert fails(scales_alike, claim)


def test_a_reader_s_own_claim_with_such_sides_is_told() -> None:
    with pytest.raises(BoundError, match="differ in their powers of"):
        require_consistent_units(scaled(GOOD, initial_distance))


def test_numbers_alone_tell_that_a_side_scales_differently(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Claim, "dimension_error", lambda claim: None)
    assert fails(scales_alike, scaled(GOOD, initial_distance))
    scales_alike(GOOD)


def test_a_constant_that_is_not_stronger_is_not_refuted() -> None:
    refutes_stronger(GOOD)
    assert fails(refutes_stronger, GOOD, Fraction(999, 1000))


def test_random_cases_and_searches_tell_true_from_false() -> None:
    survives(GOOD)
    assert fails(survives, scaled(GOOD, "1/1000"))
    assert is_found(scaled(GOOD, "1/1000")).status == "violated"
    assert fails(is_found, GOOD, 20)
    assert falsify(scaled(GOOD, "1/1000"), seed=recorded.RELEASE, max_cases=60).found


@dataclass(frozen=True)
class Forgetful:
    """Data whose text leaves out a number."""

    size: int
    start: int = field(default=0, repr=False)


def test_a_text_that_does_not_rebuild_its_instance_is_seen() -> None:
    rebuilds(Forgetful(1))
    assert fails(rebuilds, Forgetful(1, 2))


def test_a_tenth_finds_what_is_false() -> None:
    for name in ("sfl/S4.3-SC@strict", "osmd/C-31@printed", "fedcg/T3.2@printed", "delta_sgd/T5-B@printed"):
        assert falsify(find(name), seed=recorded.RELEASE, max_cases=60).found
