"""Rounding: the law of the results by other means, and mutants that must fail."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from fltheory.claims.check import check_claim
from fltheory.model.case import Case
from fltheory.number import as_number
from fltheory.papers.fedcg import algorithms
from fltheory.papers.fedcg.algorithms import rounding
from fltheory.papers.fedcg.algorithms.rounding import Fractional, tree
from fltheory.papers.fedcg.discrete.cases import one_or_other, own_output
from fltheory.papers.fedcg.discrete.families import fractional
from fltheory.papers.fedcg.rounding.claims import CLAIMS, PARTED, SPANNING, THIRDS, TIGHT
from fltheory.problems.decomposable import SetOracle
from fltheory.problems.sets.matroids import Graphic, Matroid, Uniform, in_polytope
from fltheory.problems.sets.set_functions import Modular
from fltheory.runs.algorithm import Algorithm, rollout
from fltheory.runs.constants import Constants
from fltheory.runs.distributions.randomness import Chance
from fltheory.verification import verify
from tests.papers.claim_checks import is_found
from tests.typed import instance_of

BY_ID = {c.id.removeprefix("fedcg/"): c for c in CLAIMS}


@pytest.mark.turns(3)
def test_a_large_point_is_judged_by_betting() -> None:
    claim = BY_ID["R4.4-swap@printed"]
    assert claim.full_cases is not None
    verdict = check_claim(claim, claim.full_cases()[0], 1e-9)
    assert (verdict.status, verdict.evidence) == ("holds", "statistical")
    mutant = replace(claim, bounds=(claim.bound.scaled(Fraction(11, 10)),))
    assert check_claim(mutant, claim.full_cases()[0], 1e-9).status == "violated"


# Mutants ----------------------------------------------------------------------------------------------------------------


class _Swapped:
    """Chance with its first two outcomes exchanged."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance

    def choose(self, chances: np.ndarray, owner: int | None = None) -> np.ndarray:
        return 1 - self._chance.choose(chances[:, ::-1], owner)


class _Other:
    """Chance that takes every choice with the other outcome's probability, where both are possible."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance

    def choose(self, chances: np.ndarray, owner: int | None = None) -> np.ndarray:
        both = (chances != 0).all(axis=1)
        return self._chance.choose(np.where(both[:, None], chances[:, ::-1], chances), owner)


def _through(kind: type, rule: Algorithm) -> Algorithm:
    def step(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
        return rule.step(x, oracle.instance.oracle(kind(oracle.chance)), c)

    return rule._replace(step=step)


@pytest.mark.parametrize("name", ["R4.4-pipage@printed", "R4.4-swap@printed"])
def test_wrong_probabilities_lose_value(name: str) -> None:
    claim = BY_ID[name]
    assert isinstance(claim.algorithm, Algorithm)
    wrong = replace(claim, algorithm=_through(_Other, claim.algorithm))
    assert "violated" in {check_claim(wrong, case).status for case in claim.cases}
    renamed = replace(claim, algorithm=_through(_Swapped, claim.algorithm))  # the same law
    assert {check_claim(renamed, case).status for case in claim.cases} == {"holds"}
    assert is_found(wrong, 400).status == "violated"


def test_wrong_probabilities_miss_the_point() -> None:
    for rule, one in ((rounding.pipage, THIRDS), (rounding.swap, SPANNING)):
        assert rounding.marginal_error(rule, one) == 0
        assert rounding.marginal_error(_through(_Other, rule), one) != 0


def test_an_exchange_that_fits_one_way_only_leaves_the_matroid(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(matroid: Matroid, one: frozenset[int], two: frozenset[int]) -> tuple[int, int]:
        return min(one - two), min(two - one)

    parts = ((0, 1), (2, 3))
    point = Fractional((Modular((1, 1, 1, 1)),), Graphic(((0, 1), (2, 1), (2, 0), (0, 1))), parts=parts)
    assert rounding.dependent_chance(rounding.swap, point) == 0
    monkeypatch.setattr(rounding, "exchange", careless)
    assert rounding.dependent_chance(rounding.swap, point) != 0
    claim = BY_ID["R4.4-swap-set@printed"]
    assert check_claim(claim, Case(point)).status == "violated"


def test_a_step_of_ones_own_takes_a_roundings_place() -> None:
    def all_or_nothing(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
        return x * 0

    claim = BY_ID["R4.4-pipage@printed"]
    assert verify(replace(claim, algorithm=rounding.pipage._replace(step=all_or_nothing))).status == "violated"


# By other means ---------------------------------------------------------------------------------------------------------


@given(fractional())
def test_the_points_lie_in_the_polytope_and_print(case: Case) -> None:
    one = instance_of(case, Fractional)
    assert in_polytope(one.matroid, np.array([*one.start, None], dtype=object)[:-1])
    assert eval(repr(one), vars(rounding) | _names()) == one


def _names() -> dict[str, Any]:
    from fltheory.problems.sets import matroids, set_functions

    return vars(matroids) | vars(set_functions)


def _points() -> Iterator[Fractional]:
    yield from (TIGHT, THIRDS, PARTED, SPANNING)


@pytest.mark.parametrize("one", list(_points()), ids=["tight", "thirds", "parted", "spanning"])
def test_the_mean_value_by_all_sets(one: Fractional) -> None:
    """The extension is the sum over all sets; the mean of a rounding's values, by the tree, is at least that."""
    total = Fraction(0)
    for chosen in product((0, 1), repeat=one.dim):
        weight = Fraction(1)
        for taken, v in zip(chosen, one.start, strict=True):
            weight *= v if taken else 1 - v
        total += weight * one.value(frozenset(e for e, taken in enumerate(chosen) if taken))
    assert total == one.value_at_start
    found = tree(rounding.swap, one)
    assert found is not None
    sets, chances = found
    assert sum(as_number(c) for c in chances) == 1
    mean = sum(
        as_number(c) * one.value(frozenset(np.nonzero(s)[0].tolist())) for s, c in zip(sets, chances, strict=True)
    )
    assert mean >= total


@pytest.mark.parametrize(
    ("rule", "one"),
    [(rounding.pipage, PARTED), (rounding.pipage, THIRDS), (rounding.swap, SPANNING)],
    ids=["parted", "thirds", "spanning"],
)
def test_simulated_rounding_has_the_law_of_the_tree(rule: Algorithm, one: Fractional) -> None:
    n = 4000
    ends = rollout(rule, Case(one, n_rounds=1), n)[:, -1]
    assert set(np.unique(ends)) <= {0.0, 1.0}
    found = tree(rule, one)
    assert found is not None
    for result, chance in zip(*found, strict=True):
        share = float(as_number(chance))
        seen = (ends == np.array([float(as_number(v)) for v in result])).all(axis=1).mean()
        assert abs(seen - share) < 5 * np.sqrt(share * (1 - share) / n) + 1e-9


def test_a_course_does_not_depend_on_the_others() -> None:
    for rule, one in ((rounding.pipage, PARTED), (rounding.swap, SPANNING)):
        case = Case(one, n_rounds=1)
        whole = rollout(rule, case, 40)
        np.testing.assert_array_equal(whole[25:], rollout(rule, case, 15, first=25))


def test_greedy_rounding_fails_on_fedcgs_own_output() -> None:
    one = own_output()
    for rounds in (1, 4, 7):
        case = Case(one, n_rounds=rounds, server_step_size=Fraction(1, rounds))
        ends = rollout(algorithms.full._replace(init=lambda start, c: start * 0), case, 1)[0, -1]
        np.testing.assert_allclose(ends, [0.51, 0.49], rtol=1e-12)
    assert one.value_at_start == Fraction(242701, 1000000)
    verdict = check_claim(BY_ID["R4.4-greedy@strict"], Case(one))
    assert verdict.measured == pytest.approx(0.0051 / 0.242701)
    assert one.optimum == Fraction(49, 100)


def test_the_remark_is_true_as_it_reads() -> None:
    """Oblivious schemes give a solution of (1); that every outcome keeps the value is the literal reading, and false."""
    printed = [c for c in CLAIMS if c.id.startswith("fedcg/R4.4") and c.reading == "printed"]
    assert {c.entry.recorded for c in printed} == {"holds"}
    assert "fedcg/R4.4-greedy-set@printed" in {c.id for c in printed}
    literal = [c for c in CLAIMS if c.reading == "strict"]
    assert {c.entry.recorded for c in literal} == {"violated"}
    assert len(literal) == 6


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="not independent"):
        Fractional((Modular((1, 1)),), Uniform(2, 1), parts=((0, 1),))
    with pytest.raises(ValueError, match="positive"):
        Fractional((Modular((1, 1)),), Uniform(2, 1), parts=((0,), (1,)), shares=(1, 0))
    with pytest.raises(ValueError, match="same length"):
        Fractional((Modular((1, 1)),), Uniform(2, 1), parts=((0,), (1,)), shares=(1, 2, 3))
    with pytest.raises(ValueError, match="swap sets instead"):
        tree(rounding.pipage, SPANNING)
    verdict = check_claim(BY_ID["R4.4-pipage@printed"], Case(SPANNING))
    assert verdict.status == "inapplicable"
    assert (
        check_claim(
            BY_ID["R4.4-deterministic@strict"], Case(replace(one_or_other(), parts=((0,),), shares=(1,)))
        ).status
        == "inapplicable"
    )
