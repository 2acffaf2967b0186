"""Runs that leave the polytope, or the independent sets: broken steps, with the round and the place, in every engine."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from fltheory import find
from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.model.case import Case
from fltheory.papers.fedcg import algorithms
from fltheory.papers.fedcg.algorithms import discrete, rounding
from fltheory.papers.fedcg.claims import CLAIMS
from fltheory.problems.decomposable import SetOracle, SubmodularClients
from fltheory.problems.sets.matroids import Graphic, Uniform
from fltheory.problems.sets.set_functions import Modular
from fltheory.runs.algorithm import ITEMS, POINT, ROUNDING, SET, Step
from fltheory.runs.constants import Constants
from tests.typed import instance_of

THREE = SubmodularClients((Modular((1, 2, 3)), Modular((3, 1, 1))), Uniform(3, 1))
RUN = Case(THREE, n_rounds=4, server_step_size="1/4")
DRAWN = RUN.with_settings(n_sampled=1, failure_probability="1/4")
LOCAL = DRAWN.with_settings(n_local_steps=2, estimate_error=0)
NAMED = ("P6@corrected", "T3.2@corrected", "S1@strengthened", "T3.5@corrected", "S3@strengthened", "T4.3@corrected")


def about(kind: str) -> list[Claim]:
    return [c for c in CLAIMS if c.about == kind]


def mine(claim: Claim, step: Step) -> Claim:
    return replace(claim, algorithm=claim.algorithm._replace(step=step))


def case_for(name: str) -> Case:
    return LOCAL if name.startswith("T4.3") else DRAWN if name[:2] in ("T3", "S3") and "3.2" not in name else RUN


def everything(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
    return x * 0 + 1


@pytest.mark.parametrize("name", NAMED)
def test_a_point_outside_the_polytope_is_a_broken_step(name: str) -> None:
    verdict = check_claim(mine(find(f"fedcg/{name}"), everything), case_for(name))
    assert (verdict.status, verdict.broken) == ("inapplicable", True)
    assert verdict.reason == "round 0: the point leaves the matroid's polytope: x(0) + x(1) + x(2) = 3 > rank 1"


@pytest.mark.parametrize("claim", about(POINT), ids=lambda c: c.id)
def test_no_claim_about_points_passes_all_items(claim: Claim) -> None:
    tested = [case for case in claim.cases if _may_leave(case)]
    for case in tested[:2]:
        assert check_claim(mine(claim, everything), case).broken
    assert tested or claim.id in (
        "fedcg/T3.2@printed",
        "fedcg/T3.2-range@printed",
        "fedcg/T3.5@printed",
        "fedcg/T3.5-range@printed",
        "fedcg/T4.3@printed",
    )  # their steps reach beyond the polytope


def _may_leave(case: Case) -> bool:
    """Whether all items are no point that steps of this size reach in a round."""
    instance = instance_of(case, SubmodularClients)
    eta = dict(case.settings).get("server_step_size", 0)
    return bool(eta <= 1 and instance.matroid.rank < instance.matroid.n_items)


def test_a_point_that_is_outside_in_one_round_only_is_told() -> None:
    def there_and_back(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
        first = (x.sum(axis=1) == Fraction(0))[:, None] if x.dtype == object else (x.sum(axis=1) == 0)[:, None]
        inside = oracle.base(oracle.mean_gradient(x * 0))
        return np.where(first, inside, np.where((x == inside).all(axis=1)[:, None], inside * 2, inside))

    verdict = check_claim(mine(find("fedcg/T3.2@corrected"), there_and_back), RUN.with_settings(n_rounds=3))
    assert verdict.broken
    assert verdict.reason.startswith("round 1: the point leaves the matroid's polytope: x(0) = 2 > rank 1")


@pytest.mark.parametrize("engine", ["rationals", "floats"])
def test_a_negative_coordinate_is_told_in_every_engine(engine: str) -> None:
    def back(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
        return x - c.server_step_size * (1 if engine == "rationals" else np.sqrt(1.0)) * oracle.base(
            oracle.mean_gradient(x)
        )

    verdict = check_claim(mine(find("fedcg/T3.2@corrected"), back), RUN)
    assert verdict.broken
    assert "round 0: the point leaves the matroid's polytope: x(0) = -" in verdict.reason


def test_simulated_runs_are_looked_at_too() -> None:
    """Only who draws the rare client leaves, and only in floats is it seen: the courses are too many."""
    many = SubmodularClients(tuple(Modular((1, 1 + i, 2)) for i in range(30)), Uniform(3, 2))

    def rarely(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
        drawn = oracle.draw(x, c.n_sampled)
        base = oracle.base(oracle.mean_gradient(x))
        return x + c.server_step_size * base * np.where((drawn == 7).any(axis=1), 9, 1)[:, None]

    case = Case(many, n_rounds=8, server_step_size="1/8", n_sampled=4, failure_probability="1/10")
    verdict = check_claim(mine(find("fedcg/T3.5@corrected"), rarely), case)
    assert verdict.broken
    assert "leaves the matroid's polytope" in verdict.reason
    kept = mine(find("fedcg/T3.5@corrected"), algorithms.partial_step)
    assert check_claim(kept, case).evidence == "statistical"
    assert check_claim(kept, case).status in ("holds", "vacuous")


def test_the_inequality_of_a_cycle_is_told() -> None:
    triangle = SubmodularClients((Modular((1, 2, 3)),), Graphic(((0, 1), (1, 2), (0, 2))))
    case = Case(triangle, n_rounds=2, server_step_size="1/2")

    def even(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
        return x * 0 + Fraction(3, 4) if x.dtype == object else x * 0 + 0.75

    verdict = check_claim(mine(find("fedcg/T3.2@corrected"), even), case)
    assert "x(0) + x(1) + x(2) = " in verdict.reason
    assert verdict.reason.endswith("> rank 2")


@pytest.mark.parametrize("name", NAMED[:3])
def test_a_copy_of_the_papers_own_step_is_judged_as_before(name: str) -> None:
    claim = find(f"fedcg/{name}")
    copy = algorithms.gradient_sharing_step if name.startswith("P6") else algorithms.full_step
    for case in claim.cases[:3]:
        assert check_claim(mine(claim, copy), case).status == check_claim(claim, case).status == "holds"


def test_steps_too_large_for_the_polytope_are_compared_with_what_they_reach() -> None:
    """Theorem 3.2 as printed is about every eta > 0: the paper's own step leaves the polytope, and that refutes it."""
    claim = find("fedcg/T3.2@printed")
    assert check_claim(mine(claim, algorithms.full_step), claim.cases[0]).status == "violated"
    beyond = mine(claim, lambda x, oracle, c: algorithms.full_step(x, oracle, c) + c.server_step_size)
    verdict = check_claim(beyond, claim.cases[0])
    assert verdict.broken
    assert "> rank 1 times 3" in verdict.reason


# Sets -----------------------------------------------------------------------------------------------------------------


def half_of_it(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
    return (x * 0 + 1) / 2


@pytest.mark.parametrize("claim", [*about(ITEMS), *about(SET), *about(ROUNDING)], ids=lambda c: c.id)
def test_no_claim_about_sets_passes_what_is_none(claim: Claim) -> None:
    for case in claim.cases:
        matroid = instance_of(case, SubmodularClients).matroid
        if matroid.n_items <= 12 and matroid.rank < matroid.n_items:
            whole = check_claim(mine(claim, everything), case)
            assert whole.broken, str(whole)
            assert "round 0: the state is not an independent set: the set [0, 1" in whole.reason
            part = check_claim(mine(claim, half_of_it), case)
            assert part.broken, str(part)
            assert "round 0: the state is not an independent set: x(0) = " in part.reason
            return


def test_a_set_that_is_dependent_in_one_round_only_is_told() -> None:
    claim = next(c for c in about(ITEMS) if c.id == "fedcg/T5.1-uniform@corrected")
    case = claim.cases[0]

    def too_many_first(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
        none = (x == 0).all(axis=1)[:, None]
        return np.where(none, x * 0 + 1, oracle.base(oracle.mean_gradient(x * 0)))

    verdict = check_claim(mine(claim, too_many_first), case)
    assert verdict.broken
    assert "round 0: the state is not an independent set" in verdict.reason


def test_copies_of_the_papers_own_rules_are_judged_as_before() -> None:
    for claim, step in (
        (find("fedcg/T5.1-uniform@corrected"), discrete.greedy_step),
        (find("fedcg/S7-uniform@strengthened"), discrete.one_shot_step),
        (find("fedcg/R4.4-pipage@printed"), rounding.pipage_step),
        (find("fedcg/R4.4-greedy@strict"), rounding.top_step),
    ):
        assert check_claim(mine(claim, step), claim.cases[0]).status == claim.entry.recorded
