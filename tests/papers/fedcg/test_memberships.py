"""Remark D.4: shared memberships against greedy on values, clients sampled alike, and mutants that must fail."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

from fltheory.claims.check import check_claim
from fltheory.model.case import Case
from fltheory.papers.fedcg.algorithms import discrete
from fltheory.papers.fedcg.bounds import KAPPA_UNIFORM
from fltheory.papers.fedcg.discrete import families
from fltheory.papers.fedcg.discrete.claims import memberships as claims
from fltheory.papers.fedcg.discrete.claims.greedy import MOST, case_of_run, greedy_value
from fltheory.papers.fedcg.discrete.closed_forms import importance as law
from fltheory.papers.fedcg.discrete.closed_forms import memberships as protocol
from fltheory.papers.fedcg.instances.families import clients
from fltheory.problems.decomposable import SetOracle, SubmodularClients
from fltheory.problems.sets.matroids import Uniform
from fltheory.problems.sets.set_functions import Coverage
from fltheory.runs.constants import Constants
from tests.typed import instance_of

BY_ID = {c.id.removeprefix("fedcg/"): c for c in claims.CLAIMS}


def violated(name: str, *cases: Case) -> bool:
    claim = BY_ID[name]
    return any(check_claim(claim, case).status == "violated" for case in cases or claim.cases)


# Everybody shares ---------------------------------------------------------------------------------------------------


@given(families.of_members())
def test_sums_of_shared_memberships_are_exact_gains(case: Case) -> None:
    one = instance_of(case, SubmodularClients)
    assert protocol.value(one) == greedy_value(one)


def test_a_server_that_takes_the_smallest_sum_falls_short(monkeypatch: pytest.MonkeyPatch) -> None:
    right = protocol.value
    monkeypatch.setattr(protocol, "value", lambda one: right(one, message=lambda row, chosen: tuple(-v for v in row)))
    assert violated("D.4@printed")


def test_clients_are_counted_twice_where_memberships_are_sent_in_every_round() -> None:
    assert protocol.greedy_groups(protocol.memberships(claims.TWINS), 2, range(3)) == (0, 2)
    assert protocol.greedy_groups(protocol.memberships(claims.TWINS), 2, range(3), (), protocol.full_message) == (0, 1)


def test_a_client_that_is_no_point_is_refused() -> None:
    with pytest.raises(ValueError, match="maximum coverage"):
        protocol.memberships(SubmodularClients((Coverage(((0,), (1,)), 2),), Uniform(2, 1)))


# Somebody is away ---------------------------------------------------------------------------------------------------


def test_with_everybody_there_the_last_client_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not violated("D.4-full@printed")
    monkeypatch.setattr(protocol, "value_without", lambda one, many: protocol.value(one))
    assert violated("D.4-full@printed")


def test_absent_clients_cost_no_less_than_is_said() -> None:
    claim = BY_ID["D.4-absent@strengthened"]
    bound = claim.bounds[0]
    for stronger in (bound.expr * Fraction(101, 100),):
        mutant = replace(claim, bounds=(replace(bound, expr=stronger),), cases=())
        assert any(check_claim(mutant, case).status == "violated" for case in claim.cases)


# A sample -------------------------------------------------------------------------------------------------------------


@given(clients())
def test_nobody_answers_more_often_than_by_its_importance(one: SubmodularClients) -> None:
    pairs = zip(law.factors_of_largest(one), law.factors(one), strict=True)
    assert all(v <= w for v, w in pairs)


def test_larger_chances_are_more_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    right = law.factors_of_largest
    monkeypatch.setattr(law, "factors_of_largest", lambda one: tuple(3 * v for v in right(one)))
    assert violated("D.4-fewer@strengthened")
    assert violated("T5.1-fewer@strengthened")


LARGE_OR_LONE = SubmodularClients(
    (*(Coverage(((0,),), 2) for _ in range(60)), Coverage(((1,),), 2)), Uniform(2, 1), ties=(1, 0)
)


def rarely(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
    """Clients that answer a thousand times less often than they must."""
    few = c.sampling_scale / 1000
    chances = [v * few for v in discrete.chances_of(oracle.instance, x, 1, True)]
    return discrete.with_best_item(oracle, x, discrete.answers(oracle, x, chances))


def worst(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
    """The sign of every answer is turned."""
    return discrete.with_best_item(oracle, x, [x[:, 0] * 0 - 1] * oracle.instance.n_clients)


@pytest.mark.parametrize("step", [rarely, worst])
@pytest.mark.parametrize("name", ["D.4-sampled@explicit", "T5.1-largest-uniform@strengthened"])
def test_too_small_a_sample_or_wrong_answers_miss_the_guarantee(name: str, step: object) -> None:
    case = case_of_run(LARGE_OR_LONE, KAPPA_UNIFORM, MOST)
    claim = BY_ID[name]
    assert check_claim(claim, case).status == "holds"
    algorithm = claim.algorithm
    assert algorithm is not None
    mutant = replace(claim, algorithm=algorithm._replace(step=step), cases=())
    assert check_claim(mutant, case).status == "violated"


def test_wrong_answers_miss_half_of_the_optimum() -> None:
    claim = BY_ID["T5.1-largest-matroid@strengthened"]
    algorithm = claim.algorithm
    assert algorithm is not None
    mutant = replace(claim, algorithm=algorithm._replace(step=worst), cases=())
    case = case_of_run(LARGE_OR_LONE, claims.KAPPA_MATROID, claims.HALF)
    assert check_claim(mutant, case).status == "violated"


def test_bits_are_those_of_the_longest_sum() -> None:
    one = claims.SIZES[1].instance
    verdict = check_claim(BY_ID["D.4-bits@explicit"], claims.SIZES[1])
    assert verdict.measured == 3 * 60 * 12 * len(f"{one.n_clients:b}")
