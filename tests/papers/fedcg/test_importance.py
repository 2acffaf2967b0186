"""Importance factors, their protocols, who answers, and bits: other ways to the numbers, and mutants."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory.claims.check import check_claim
from fltheory.model.case import Case
from fltheory.papers.fedcg.communication import closed_forms
from fltheory.papers.fedcg.communication.claims import CLAIMS as BITS
from fltheory.papers.fedcg.communication.closed_forms import Messages, decode_base, encode_base, longest
from fltheory.papers.fedcg.discrete import families
from fltheory.papers.fedcg.discrete.cases import Memberships, Scores
from fltheory.papers.fedcg.discrete.claims.importance import CLAIMS as FACTORS
from fltheory.papers.fedcg.discrete.claims.importance import MOVIES, OWN, RANDOM
from fltheory.papers.fedcg.discrete.closed_forms import importance as law
from fltheory.papers.fedcg.instances.clients import facility_clients
from fltheory.papers.fedcg.instances.families import clients
from fltheory.problems.decomposable import SubmodularClients
from fltheory.problems.sets.matroids import Uniform
from fltheory.problems.sets.set_functions import Modular
from tests.typed import instance_of

CLAIMS = (*FACTORS, *BITS)
BY_ID = {c.id.removeprefix("fedcg/"): c for c in CLAIMS}
FALSE = tuple(c for c in CLAIMS if c.entry.recorded == "violated")


# Mutants of the formulas ------------------------------------------------------------------------------------------------


def violated(name: str) -> bool:
    claim = BY_ID[name]
    return any(check_claim(claim, case).status == "violated" for case in claim.cases)


def test_a_factor_that_is_no_maximum_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def mean(row: tuple[int, ...], sums: tuple[Fraction, ...]) -> Fraction:
        found = [v / total for v, total in zip(row, sums, strict=True) if total]
        return sum(found, Fraction(0)) / len(found)

    monkeypatch.setattr(law, "importance", mean)
    assert violated("D.1@printed")


def test_sizes_that_count_one_too_many_are_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    right = law.histogram
    monkeypatch.setattr(law, "histogram", lambda rows: tuple(v + 1 for v in right(rows)))
    assert violated("D.3@printed")
    assert violated("D.1@printed")


def test_coins_of_other_chances_answer_more_often(monkeypatch: pytest.MonkeyPatch) -> None:
    right = law.expected_answers
    monkeypatch.setattr(law, "expected_answers", lambda chances: right([(1 + k) / 2 for k in chances]))
    assert violated("D.2-sum@printed")
    assert violated("D.5-sum@printed")


def test_sizes_told_one_by_one_reveal_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(law, "count_determined", lambda members: sum(len(row) for row in members))
    assert violated("D.3-privacy@corrected")
    assert violated("D.3-privacy-clients@corrected")


def test_a_longer_code_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(closed_forms, "bits", lambda choices: choices)
    for name in (
        "T3.2-bits@explicit",
        "T3.2-bits@strengthened",
        "T3.2-bits-masked@corrected",
        "T4.3-bits-masked@explicit",
    ):
        assert violated(name)


# By other means ---------------------------------------------------------------------------------------------------------


@given(clients())
def test_factors_by_their_definition(one: SubmodularClients) -> None:
    assert law.factors(one) == law.by_definition(one)
    plain = law.factors(one, weighted=False)
    assert tuple(p * w for p, w in zip(one.weights, plain, strict=True)) == law.factors(one)


@given(families.members())
def test_revealed_memberships_by_all_tables(case: Case) -> None:
    """A membership is revealed if it is the same in all tables with the same sizes."""
    members = instance_of(case, Memberships).members
    n, groups = len(members), len(members[0])
    if n * groups > 9:
        return
    sizes = [sum(column) for column in zip(*members, strict=True)]
    tables = [
        t
        for t in product((0, 1), repeat=n * groups)
        if [sum(t[i * groups + a] for i in range(n)) for a in range(groups)] == sizes
    ]
    assert law.count_determined(members) == sum(1 for k in range(n * groups) if len({t[k] for t in tables}) == 1)


@given(families.members())
def test_what_clients_can_tell_by_all_tables(case: Case) -> None:
    """A client excludes the tables with other sizes or another row of its own."""
    members = instance_of(case, Memberships).members
    n, groups = len(members), len(members[0])
    if n * groups > 9:
        return
    tables = [tuple(zip(*[iter(t)] * groups, strict=True)) for t in product((0, 1), repeat=n * groups)]
    sizes = [sum(column) for column in zip(*members, strict=True)]
    told = 0
    for i in range(n):
        left = [t for t in tables if [sum(c) for c in zip(*t, strict=True)] == sizes and t[i] == tuple(members[i])]
        told += sum(1 for j in range(n) if j != i for a in range(groups) if len({t[j][a] for t in left}) == 1)
    assert law.count_determined_by_clients(members) == told


def test_clients_see_more_than_the_server() -> None:
    """Sizes that tell the server nothing tell each of two clients the other's row."""
    pair = Case(Memberships(((1, 0), (0, 1))))
    server, others = BY_ID["D.3-privacy@corrected"], BY_ID["D.3-privacy-clients@corrected"]
    assert check_claim(server, pair).status == "holds"
    assert "fewer than two clients" in check_claim(others, pair).reason
    assert check_claim(replace(others, assumptions=()), pair).status == "violated"


@given(st.lists(st.integers(0, 4), min_size=1, max_size=5))
def test_the_mean_number_of_answers_is_the_sum_of_chances(quarters: list[int]) -> None:
    chances = [Fraction(q, 4) for q in quarters]
    assert law.expected_answers(chances) == sum(chances)


def test_the_mean_makes_every_factor_n_times_too_large() -> None:
    for n in (5, 40):
        one = facility_clients(n, 4, 2, 1, seed=9)
        right, wrong = law.factors(one), law.factors(one, weighted=False)
        assert all(w == n * v for v, w in zip(right, wrong, strict=True))
    few, many = (facility_clients(n, 4, 2, 1, seed=9) for n in (20, 80))
    assert sum(law.factors(many)) < 2 * sum(law.factors(few))  # independent of N
    assert sum(law.factors(many, False)) > 3 * sum(law.factors(few, False))
    assert sum(law.factors(OWN)) == 3


def test_vacuous_where_more_than_everybody_could_answer() -> None:
    claim = BY_ID["T5.1-participants@corrected"]
    assert check_claim(claim, Case(RANDOM, sampling_scale=2)).status == "vacuous"
    assert check_claim(claim, MOVIES).status == "holds"


def test_worthless_items_are_outside() -> None:
    nothing = SubmodularClients((Modular((0, 0)),), Uniform(2, 1))
    assert law.factors(nothing) == (0,)
    assert "every item is worth 0" in check_claim(BY_ID["Imp@corrected"], Case(nothing)).reason
    assert "a group holds everybody" in check_claim(BY_ID["D.3-privacy@corrected"], Case(Memberships(((1,),)))).reason


# Bits -------------------------------------------------------------------------------------------------------------------


@given(st.integers(1, 30).flatmap(lambda n: st.sets(st.integers(0, n - 1), min_size=1)))
def test_a_base_is_read_back(base: set[int]) -> None:
    assert decode_base(encode_base(base), len(base)) == tuple(sorted(base))


@pytest.mark.parametrize(("n", "r"), [(5, 1), (6, 3), (9, 4), (12, 2), (4, 4)])
def test_codes_are_all_numbers_below_the_binomial(n: int, r: int) -> None:
    assert sorted(encode_base(b) for b in combinations(range(n), r)) == list(range(comb(n, r)))
    assert Messages(n, r).base == longest(n, r)


def test_masks_need_room_for_every_sum() -> None:
    one = Messages(7, 2, 50, 5, 3, 4)
    assert one.masked_base == 7 * 3  # sums 0..5 of 5 bases
    assert one.masked_local == 7 * 5  # sums 0..20
    assert one.local == min(7 * 3, 4 * one.base)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Messages(3, 4), "more than the 3 items"),
        (lambda: Messages(0, 1), "n_items"),
        (lambda: Scores(((1, -1),)), "nonnegative"),
        (lambda: Scores(((1, 1), (1,))), "scores has 1 entries for n_items: expected 2"),
        (lambda: Memberships(((1, 2),)), "members = .* expected one of 0, 1"),
    ],
)
def test_what_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


@given(Scores.drawn()(), families.members(), Messages.drawn()())
def test_instances_print_what_rebuilds_them(one: Case, two: Case, three: Case) -> None:
    names = {"Scores": Scores, "Memberships": Memberships, "Messages": Messages}
    for case in (one, two, three):
        assert eval(repr(case.instance), names) == case.instance


def test_the_catalogue_says_why_a_statement_fails() -> None:
    for claim in FALSE:
        assert claim.remark
