"""Steps that are no pure functions get no verdict; steps that compare constants are decided exactly."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.model.case import Case, FederatedInstance
from fltheory.papers.sfl import algorithms
from fltheory.papers.sfl.instances.quadratics import at_effective_step
from fltheory.papers.sfl.upper.claims import theorem3
from fltheory.plotting.point import measure
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients
from fltheory.runs.algorithm import Algorithm, Step
from fltheory.runs.constants import Constants
from fltheory.runs.oracle import Oracle
from fltheory.symbols import n_rounds
from fltheory.verification import find

CALLS = [0]


def plain(x: np.ndarray, oracle: Oracle, c: Constants, scale: float | np.ndarray = 1) -> np.ndarray:
    for client in oracle.order().T:
        for k in range(c.n_local_steps):
            x = x - scale * c.step_size * oracle.gradient(x, client, k)
    return x


def own_randomness(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    for client in np.random.permutation(c.n_clients):  # noqa: NPY002 (the mistake that is made)
        x = x - c.step_size * oracle.gradient(x, client)
    return x


def fresh_generator(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    return plain(x, oracle, c, 1 + (np.random.default_rng().random() < 0.5))


def memory(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    CALLS[0] += 1
    return plain(x, oracle, c, 1 / CALLS[0])


def coupled(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    y = plain(x, oracle, c)
    return y * 0 + y.mean(axis=0)


def first_seed(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    return x * 0 + plain(x, oracle, c)[:1]


def variant(step: Step) -> Claim:
    return replace(theorem3.upper_convex, algorithm=algorithms.sequential._replace(step=step))


@pytest.mark.parametrize(
    "step", [own_randomness, fresh_generator, memory, coupled, first_seed], ids=lambda f: f.__name__
)
@pytest.mark.parametrize(
    "instance",
    [QuadraticClients((1, "1/10"), (1, -1), 3), PiecewiseQuadraticClients((2, 2), (1, 1), (1, -1), 3)],
    ids=["affine", "enumerated"],
)
def test_impure_steps_are_refused(step: Step, instance: FederatedInstance) -> None:
    case = at_effective_step(instance, "1/10", n_rounds=12, n_local_steps=2)
    verdict = check_claim(variant(step), case)
    assert verdict.status == "inapplicable"
    assert "not a pure function" in verdict.reason


def test_a_pure_step_is_left_alone() -> None:
    assert {check_claim(variant(plain), case).status for case in theorem3.upper_convex.cases[:3]} == {"holds"}


def test_no_step_is_called_beyond_the_rounds_of_its_run() -> None:
    """A state may leave its domain there: points of the cube stay in it for the rounds of the case, and no longer."""
    own = find("fedcg/S5-estimated@strengthened")
    assert isinstance(own.algorithm, Algorithm)
    plainly = own.algorithm.step

    def wrapped(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
        return plainly(x, oracle, c)

    verdict = check_claim(replace(own, algorithm=own.algorithm._replace(step=wrapped)), own.cases[0])
    assert (verdict.status, verdict.evidence) == ("holds", "statistical")


def at_the_cap(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    """The same as SFL under the hypotheses of Theorem 3, with equality in half of the catalogue's cases."""
    return plain(x, oracle, c) if 6 * c.step_size * c.smoothness * c.n_clients * c.n_local_steps <= 1 else x


def breaks_at_equality(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    return plain(x, oracle, c) * (1000 if c.step_size * c.smoothness >= c.strong_convexity * c.step_size else 1)


def test_comparisons_of_constants_are_exact() -> None:
    """A ball of 1/3 can't be compared with itself; rationals can."""
    for case in theorem3.upper_convex.cases[:3]:
        own, same = check_claim(theorem3.upper_convex, case), check_claim(variant(at_the_cap), case)
        assert (same.status, same.evidence, same.ratio) == (own.status, "exact", own.ratio)
    third = Case(QuadraticClients(("1/3", "1/3"), (1, -1), 6), n_rounds=40, n_local_steps=3, step_size="1/12")
    assert check_claim(variant(breaks_at_equality), third).status == "violated"


@pytest.mark.parametrize("claim_id", ["sfl/PP-SFL-tuned@printed", "sfl/PP-PFL-tuned@printed"])
def test_an_irrational_step_size_over_enormously_many_rounds_is_inconclusive_at_once(claim_id: str) -> None:
    """The law of a round is out of reach of rationals, and its simulation of every computer."""
    own = find(claim_id)
    assert own.algorithm is not None
    mine = replace(own, algorithm=own.algorithm._replace(step=plain))
    for case in own.cases[:2]:
        verdict = check_claim(mine, case)
        rounds = case.constants[n_rounds]
        assert (verdict.status, verdict.reason) == ("inconclusive", f"{rounds} rounds are too many to simulate")
        assert math.isnan(measure(mine, mine.prepared(case))[0])  # so a plot leaves a gap
