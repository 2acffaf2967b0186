"""A paper's bounds for whole classes of clients: which claims have one, their constants, and the certificates kept of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any, ClassVar, cast

import pytest
from sympy import Symbol

from fltheory import symbols
from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.model.case import Assumption, Case
from fltheory.number import Number, exact
from fltheory.papers.sfl.algorithms import sequential
from fltheory.problems.separable import QuadraticClients
from fltheory.runs import assumptions as assume
from fltheory.runs.measures import LastDistance, LastGap, LeastGradient, Measure, OneRoundMeasure
from fltheory.verification import find
from fltheory.worst_case.claims import (
    certified,
    class_constants,
    is_convex,
    question_of_claim,
    require_about_rounds,
    require_question,
    require_reach,
    status_of,
)
from fltheory.worst_case.claims.certified import certified_bound, storage_key, with_class_scope
from fltheory.worst_case.claims.stored import certificate_row, link_row, parse_certificate, parse_links
from fltheory.worst_case.functions import Smooth
from fltheory.worst_case.question import question
from fltheory.worst_case.symbolic_run import OutOfReach
from fltheory.worst_case.two_sided import bracket, why_not_proved

CLAIM = "sfl/T3-GC@printed"
RUN: dict[str, Any] = {"n_rounds": 2, "n_local_steps": 1, "step_size": "1/4"}
Limits = dict[Symbol, Number]


def claim_of(measure: Measure, *assumptions: Any, bound: Any = symbols.initial_distance**2) -> Claim:
    known = find(CLAIM)
    own = replace(known.bounds[0], expr=bound, where=(), conditions=())
    return replace(known, measure=measure, assumptions=assumptions, bounds=(own,), cases=())


def test_only_claims_on_convex_clients_or_on_gradients_have_a_class() -> None:
    for convex in (assume.convex, assume.strongly_convex, assume.convex_so_far):
        own = claim_of(LastGap(), assume.smooth, convex)
        assert is_convex(own)
        require_reach(own)
    assert not is_convex(claim_of(LastGap(), assume.smooth))
    require_reach(claim_of(LeastGradient(), assume.smooth))
    with pytest.raises(OutOfReach, match="does not assume that clients are convex"):
        require_reach(claim_of(LastGap(), assume.smooth))
    known = claim_of(LastGap(), assume.convex)
    with pytest.raises(OutOfReach, match="measures nothing"):
        require_reach(replace(known, measure=None))
    with pytest.raises(OutOfReach, match="is no upper bound"):
        require_reach(replace(known, bounds=(*known.bounds, replace(known.bounds[0], side="lower"))))
    with pytest.raises(OutOfReach, match="is about every path"):
        require_reach(replace(known, mode="on every path"))


def clients(*curvatures: Any, **more: Any) -> Case[QuadraticClients]:
    slopes = [1, -1, *[0] * (len(curvatures) - 2)]
    return Case(QuadraticClients(curvatures, slopes, 3), **{**RUN, **more})


def test_the_constants_of_a_class_are_those_of_the_case() -> None:
    """The number of clients, L, mu, D and the heterogeneity; a single curvature is widened, so that there is a class."""
    own = claim_of(LastGap(), assume.smooth, assume.strongly_convex)
    case = clients(2, 4)
    found = class_constants(own, case)
    for symbol in (symbols.n_clients, symbols.smoothness, symbols.strong_convexity):
        assert found[symbol] == case.constants[symbol]
    for symbol in (symbols.initial_distance, symbols.heterogeneity_at_optimum):
        exact_one = case.constants[symbol]
        assert 0 <= float(found[symbol]) - float(exact_one) < 1e-9
        assert isinstance(found[symbol], Fraction)
    assert found[symbols.n_rounds] == 2
    alike = class_constants(own, clients(2, 2))
    assert alike[symbols.strong_convexity] == 2 < alike[symbols.smoothness] < Fraction(21, 10)
    Smooth(alike[symbols.smoothness], alike[symbols.strong_convexity])
    convex = class_constants(claim_of(LastGap(), assume.smooth, assume.convex), clients(2, 2))
    assert convex[symbols.smoothness] == 2
    other = class_constants(claim_of(LeastGradient(), assume.smooth), clients(2, 4))
    assert symbols.initial_distance not in other
    assert other[symbols.initial_gap] >= clients(2, 4).constants[symbols.initial_gap]


def test_the_question_of_a_claim_is_about_its_class() -> None:
    values: Limits = {symbols.smoothness: 2, symbols.strong_convexity: 1, symbols.initial_distance: 3}
    values |= {symbols.n_clients: 1, symbols.step_size: Fraction(1, 4), symbols.n_rounds: 2, symbols.n_local_steps: 1}
    curved = question_of_claim(claim_of(LastGap(), assume.strongly_convex), values)
    assert curved.functions == Smooth(2, 1)
    assert question_of_claim(claim_of(LastGap(), assume.convex_so_far), values).functions == Smooth(2, 1)
    assert question_of_claim(claim_of(LastGap(), assume.convex), values).functions == Smooth(2)
    assert dict(curved.settings)["initial_distance"] == 3
    with pytest.raises(OutOfReach, match="missing smoothness"):
        question_of_claim(
            claim_of(LastGap(), assume.convex), {k: v for k, v in values.items() if k != symbols.smoothness}
        )
    quiet = question_of_claim(claim_of(LastGap(), assume.convex), {**values, symbols.noise_std: 0})
    assert "noise_std" not in dict(quiet.settings)


def test_a_claim_holds_is_violated_or_open() -> None:
    """By the proved end, by the attained one in the clients' own constants, or by neither."""
    asked = question(sequential, Smooth(1, "1/10"), LastDistance(), initial_distance=1, **RUN)
    found = bracket(asked)
    assert found.lower is not None
    assert found.upper is not None
    values: Limits = {symbols.initial_distance: 1}

    def status(share: Fraction, **more: Any) -> str:
        own = claim_of(LastDistance(), assume.strongly_convex, bound=share * symbols.initial_distance**2)
        return status_of(own, replace(found, **more), values)

    above = found.upper + Fraction(1, 10**12)
    assert status(above) == "holds"
    assert status(above, upper=None) == "open"
    assert status(found.lower / 2) == "violated"
    assert status(found.lower / 2, case=None) == "open"
    assert status(found.lower + Fraction(1, 10**12), upper=found.upper * 2) == "open"


def test_a_certificate_is_kept_under_what_it_is_about() -> None:
    """Whatever the length of the run and how far clients are: but with noise, of another step or class, it is another."""
    first = question(sequential, Smooth(2), LastDistance(), initial_distance=1, **RUN)
    same = {"n_rounds": 7, "initial_distance": 5}
    assert storage_key(first) == storage_key(question(sequential, Smooth(2), LastDistance(), **{**RUN, **same}))
    others = [
        question(sequential, Smooth(2), LastDistance(), **{**RUN, "step_size": "1/5"}, initial_distance=1),
        question(sequential, Smooth(2), LastDistance(), **{**RUN, "n_local_steps": 3}, initial_distance=1),
        question(sequential, Smooth(2), LastGap(), **RUN, initial_distance=1),
        question(sequential, Smooth(3), LastDistance(), **RUN, initial_distance=1),
        question(sequential, Smooth(2), LastDistance(), **RUN, initial_distance=1, noise_std=1),
        question(
            sequential, Smooth(2), LastDistance(), **RUN, initial_distance=1, heterogeneity_at_optimum=1, n_clients=2
        ),
    ]
    assert len({storage_key(one) for one in (first, *others)}) == 1 + len(others)
    assert "step_size = 1/4" in storage_key(first)
    assert "without noise" in storage_key(first)
    assert "with noise" in storage_key(others[4])
    assert "n_rounds" not in storage_key(first)


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    rows: dict[str, Any] = {}
    monkeypatch.setattr(certified, "stored_certificates", lambda key: rows)
    certified._valid_certificates.cache_clear()
    yield rows
    certified._valid_certificates.cache_clear()


def test_the_least_that_kept_certificates_prove(kept: dict[str, Any]) -> None:
    """Each is checked on the question anew, for any number of rounds; what proves nothing is passed over."""
    asked = question(sequential, Smooth(2, 1), LastDistance(), initial_distance=1, **{**RUN, "n_rounds": 100})
    found = bracket(asked, attain=False)
    assert len(found.links) == 1
    row = link_row(found.links[0])
    spoilt = {**row, "upper": "0"}
    assert certified_bound("any", asked) is None
    kept[storage_key(asked)] = [[spoilt], [row]]
    certified._valid_certificates.cache_clear()
    assert certified_bound("any", asked) == found.upper
    shorter = replace(asked, settings=tuple((k, 2 if k == "n_rounds" else v) for k, v in asked.settings))
    (contraction,) = (exact(c) for label, c in row["multipliers"] if label == ["distance"])
    assert certified_bound("any", shorter) == contraction**2
    (back,) = parse_links([row], asked)
    assert back.certificate == found.links[0].certificate
    assert certificate_row(parse_certificate(row)) == {k: row[k] for k in ("upper", "multipliers")}
    with pytest.raises(ValueError, match="expected 1 rounds, got 2"):
        parse_links([row, row], asked)
    with pytest.raises(ValueError, match="a round is tight at"):
        parse_links([{**row, "at": {**row["at"], "step_size": "1"}}], asked)
    assert why_not_proved(found) is None


def test_a_verdict_is_of_a_class_where_the_bound_is_proved_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a certificate of at most the bound, of what holds, in a paper that has certificates."""
    claim = find(CLAIM)
    verdict = check_claim(claim, claim.cases[0])
    limit = Fraction(verdict.limit)
    for upper, inside in ((limit * Fraction(9, 10), True), (limit * Fraction(11, 10), False), (None, False)):
        monkeypatch.setattr(certified, "certified_bound", lambda key, asked, upper=upper: upper)
        judged = with_class_scope(claim, verdict)
        assert (judged.worst is not None) == inside
        assert (judged.scope != verdict.scope) == inside
        for status in ("violated", "inconclusive", "inapplicable"):
            assert with_class_scope(claim, replace(verdict, status=status)).worst is None
        assert (with_class_scope(claim, replace(verdict, status="vacuous")).worst is not None) == inside
        assert with_class_scope(claim, replace(verdict, evidence=None)).worst is None
        elsewhere = with_class_scope(replace(claim, id="other/T1@printed"), verdict)
        assert elsewhere.worst is None


def test_constants_that_clients_do_not_know_limit_no_class() -> None:
    class Unknown:
        constants: ClassVar[dict[Symbol, Number]] = {symbols.smoothness: 3, symbols.initial_distance: 2}
        settings = (("n_rounds", 4), ("mine", 5))

    found = class_constants(claim_of(LastGap(), assume.smooth, assume.convex), cast("Any", Unknown()))
    assert found == {symbols.smoothness: 3, symbols.initial_distance: 2, symbols.n_rounds: 4}


def test_a_question_is_required_of_rounds_and_of_recursions() -> None:
    require_question(find(CLAIM))
    require_question(find("sfl/U6@explicit"))
    with pytest.raises(OutOfReach, match="does not assume that clients are convex"):
        require_question(claim_of(LastGap(), assume.smooth))
    with pytest.raises(OutOfReach, match="does not assume that clients are convex"):
        require_about_rounds(claim_of(LastGap(), assume.smooth))
    with pytest.raises(OutOfReach, match="is about a formula"):
        require_question(find("sfl/U4@explicit"))
    strange = find("sfl/U6@explicit")
    assert isinstance(strange.measure, OneRoundMeasure)
    other = replace(strange, measure=replace(strange.measure, quantity=LastGap()))
    with pytest.raises(OutOfReach, match="no recursion of the distance"):
        require_question(other)
    require_about_rounds(other)  # what a bound says of it is another matter


def test_other_assumptions_have_no_class() -> None:
    other = Assumption("the moon is full", lambda case: None)
    for own in (
        claim_of(LastGap(), assume.smooth, assume.convex, other),
        replace(find("sfl/U6@explicit"), assumptions=(other,)),
    ):
        with pytest.raises(OutOfReach, match="also assumes the moon is full: no class of functions is known for that"):
            require_question(own)
