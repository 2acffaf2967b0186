"""Bounds with letters from the run: surely, with probability, in expectation; exactly and on simulated runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import fmpq
from sympy import Expr

from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.evidence import pathwise
from fltheory.evidence.sequential import clopper_pearson
from fltheory.model.bound import Bound, Dimension, Source
from fltheory.model.case import Case
from fltheory.problems.decomposable import SetOracle, SubmodularClients
from fltheory.problems.sets.matroids import Uniform
from fltheory.problems.sets.set_functions import Modular
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.constants import Constants
from fltheory.runs.measures import ENERGY, PathMeasure
from fltheory.symbols import dissimilarity_sum, failure_probability, max_singleton
from fltheory.verification import find

TWO = SubmodularClients((Modular((1, 0)), Modular((0, 1))), Uniform(2, 1), (4, 1))  # F = (4/5, 1/5)


def pick(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
    """The base of one client drawn by its weight."""
    client = oracle.draw(x, 1)[:, 0]
    return x + c.server_step_size * oracle.base(oracle.gradient(x, client), client)


@dataclass(frozen=True)
class Lost(PathMeasure):
    """What the last point lacks to the value 1; the letter is how much of item 1 was chosen."""

    name: str = "1 - F(x_T)"
    dimension: Dimension = ENERGY
    letters: tuple[Any, ...] = (dissimilarity_sum,)

    def is_random(self, case: Case) -> bool:
        return True

    def values(self, states: np.ndarray, case: Case) -> np.ndarray:
        return (1 - case.instance.extension(states[:, -1]))[:, None]

    def read(self, states: np.ndarray, case: Case) -> dict[Any, np.ndarray]:
        return {dissimilarity_sum: states[:, -1, 1]}

    def trivial(self, case: Case) -> None:
        return None

    def span(self, case: Case) -> tuple[float, float]:
        return -1.0, 1.0


PICK = Algorithm("pick", pick)
CASE = Case(TWO, n_rounds=1, server_step_size=1, failure_probability="1/5")
# x = e_0 with chance 4/5: loss 1/5, letter 0; x = e_1 with chance 1/5: loss 4/5, letter 1.
FIXED = max_singleton / 4  # 1/5: kept by the first course alone


def claim(expr: Expr, mode: str, **more: Any) -> Claim:
    bound = Bound(expr, Source("test", "test"))
    failure = {"failure": failure_probability} if mode == "with probability" else {}
    return Claim("test/x", "x", (bound,), Lost(), PICK, mode=mode, **failure, **more)


def test_a_chance_of_failure_that_is_just_allowed_holds() -> None:
    verdict = check_claim(claim(FIXED, "with probability"), CASE)
    assert (verdict.status, verdict.evidence) == ("holds", "exact")
    assert (verdict.measured, verdict.limit) == (0.2, 0.2)  # the path that is exceeded with chance 1/5 and no more


@pytest.mark.parametrize("allowed", ["199999/1000000", "1/10"])
def test_a_larger_one_is_a_violation(allowed: str) -> None:
    verdict = check_claim(claim(FIXED, "with probability"), CASE.with_settings(failure_probability=allowed))
    assert verdict.status == "violated"
    assert verdict.ratio == pytest.approx(4)


def test_surely_means_on_every_path() -> None:
    assert check_claim(claim(FIXED, "surely"), CASE).status == "violated"
    assert (
        check_claim(claim(FIXED + dissimilarity_sum * Fraction(3, 5), "surely"), CASE).status == "holds"
    )  # with equality
    assert check_claim(claim(FIXED + dissimilarity_sum * Fraction(59, 100), "surely"), CASE).status == "violated"


def test_expectation_takes_the_mean_of_the_letters_too() -> None:
    """E loss = 8/25, E letter = 1/5."""
    exact = claim(FIXED + dissimilarity_sum * Fraction(3, 5), "in expectation")
    verdict = check_claim(exact, CASE)
    assert (verdict.status, verdict.ratio) == ("holds", 1.0)
    assert check_claim(claim(FIXED + dissimilarity_sum * Fraction(29, 50), "in expectation"), CASE).status == "violated"


def test_a_bound_that_is_not_affine_in_its_letters_has_no_mean() -> None:
    squared = claim(FIXED + dissimilarity_sum**2 / max_singleton, "in expectation")
    with pytest.raises(ValueError, match="not affine"):
        check_claim(squared, CASE)


@pytest.fixture
def simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is enumerated."""
    monkeypatch.setattr(pathwise, "MAX_PATHS", 0)


@pytest.mark.usefixtures("simulated")
@pytest.mark.parametrize(("allowed", "status"), [("1/4", "holds"), ("3/20", "violated"), ("1/5", "inconclusive")])
def test_simulated_runs_are_counted(allowed: str, status: str) -> None:
    verdict = check_claim(
        claim(FIXED * Fraction(11, 10), "with probability"), CASE.with_settings(failure_probability=allowed)
    )
    assert (verdict.status, verdict.evidence) == (status, "statistical")


@pytest.mark.usefixtures("simulated")
def test_simulated_means_are_bet_upon() -> None:
    loose = claim(FIXED * 2 + dissimilarity_sum * Fraction(3, 5), "in expectation")
    assert check_claim(loose, CASE).status == "holds"
    assert check_claim(claim(FIXED + dissimilarity_sum / 5, "in expectation"), CASE).status == "violated"


@pytest.mark.usefixtures("simulated")
def test_a_simulated_path_within_its_float_budget_decides_nothing() -> None:
    """The bound is met with equality on every path."""
    assert check_claim(claim(FIXED + dissimilarity_sum * Fraction(3, 5), "surely"), CASE).status == "inconclusive"
    assert (
        check_claim(claim(FIXED + dissimilarity_sum * Fraction(61, 100), "surely"), CASE).status == "inconclusive"
    )  # letter 0
    assert check_claim(claim(FIXED * 2 + dissimilarity_sum, "surely"), CASE).status == "holds"
    assert check_claim(claim(FIXED, "surely"), CASE).status == "violated"


def test_clopper_and_pearson() -> None:
    """The limits cover: the chance of so few or so many successes is at most the error rate (binomial sums)."""
    from scipy.stats import binom

    for k, n, rate in ((0, 20, 0.01), (3, 20, 0.01), (20, 20, 0.01), (1, 20, 0.01), (19, 20, 0.01), (17, 400, 1e-6)):
        low, high = clopper_pearson(k, n, rate)
        assert low == 0 if k == 0 else binom.sf(k - 1, n, low) == pytest.approx(rate)
        assert high == 1 if k == n else binom.cdf(k, n, high) == pytest.approx(rate)
        assert low <= k / n <= high


def test_ranks_agree_with_a_plain_search() -> None:
    for n, allowed in ((30, 0.2), (64, 0.5), (200, 0.1), (333, 0.03), (12, 0.0), (12, 1.0), (1, 0.5), (2, 0.3)):
        low, high = pathwise._quantile_ranks(n, allowed, 1e-3)
        upper = [clopper_pearson(k, n, 1e-3)[1] for k in range(n + 1)]
        lower = [clopper_pearson(k, n, 1e-3)[0] for k in range(n + 1)]
        assert low == max((k for k in range(n) if upper[k] <= allowed), default=0)
        assert high == min((k for k in range(n) if lower[k] > allowed), default=n - 1)


def test_a_failure_without_its_mode_is_refused() -> None:
    with pytest.raises(ValueError, match="failure= belongs to the mode"):
        replace(claim(FIXED, "surely"), failure=failure_probability)
    with pytest.raises(ValueError, match="failure= belongs to the mode"):
        replace(claim(FIXED, "with probability"), failure=None)


def test_enumeration_is_exact() -> None:
    from fltheory.number import RATIONAL
    from fltheory.runs.distributions.sample_paths import enumerate_runs

    states, weights = enumerate_runs(PICK, CASE.with_settings(n_rounds=2, server_step_size="1/2"), RATIONAL)
    found = {tuple(map(str, s[-1])): w for s, w in zip(states, weights, strict=True)}
    assert sum(weights) == 1
    assert found[("1", "0")] == fmpq(16, 25)


def test_an_optimum_known_as_a_ball_violates_nothing_that_is_true() -> None:
    """Modular clients of rank 1, one step of size 1: the shortfall is exactly 0, and so is the bound."""
    crowd = SubmodularClients((Modular(tuple(range(1, 202))),) * 300, Uniform(201, 1))
    assert not isinstance(crowd.optimum, int | Fraction)
    for name in ("S1-curvature@strengthened", "T3.2@corrected", "S1@strengthened"):
        assert check_claim(find(f"fedcg/{name}"), Case(crowd, n_rounds=1, server_step_size=1)).status != "violated"
    exactly = replace(
        find("fedcg/S1-curvature@strengthened"), bounds=(Bound(max_singleton / 10**3, Source("test", "test")),)
    )
    verdict = check_claim(exactly, Case(crowd, n_rounds=1, server_step_size=1))
    assert (verdict.status, verdict.evidence) == ("holds", "numerical")  # beyond the ball's radius, but no proof
    below = replace(exactly, bounds=(Bound(-max_singleton / 10**3, Source("test", "test")),))
    assert check_claim(below, Case(crowd, n_rounds=1, server_step_size=1)).status == "violated"


@pytest.mark.parametrize("chances", [(Fraction(1, 4), Fraction(1, 4)), (1, 1), (2, -1)])
def test_chances_that_are_none_give_no_verdict(chances: tuple[Any, ...]) -> None:
    """A step that asks for them and ignores the answer would dilute the probability of what it does."""

    def step(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
        oracle.chance.choose(np.array([list(chances)] * len(x), dtype=x.dtype))
        return pick(x, oracle, c)

    verdict = check_claim(replace(claim(FIXED, "with probability"), algorithm=Algorithm("mine", step)), CASE)
    assert verdict.status == "inapplicable"
    assert "nonnegative numbers of sum 1" in verdict.reason


def test_coins_beyond_certainty_are_refused() -> None:
    def step(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
        oracle.coins(x * 0 + 2)
        return pick(x, oracle, c)

    verdict = check_claim(replace(claim(FIXED, "with probability"), algorithm=Algorithm("mine", step)), CASE)
    assert "must lie in [0, 1]" in verdict.reason


def test_clients_that_take_turns_by_memory_get_no_verdict() -> None:
    """After two rounds both clients have had their turn, in whichever order: every round is compared."""
    turn = [0]

    def step(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
        turn[0] += 1
        return x + c.server_step_size * oracle.base(oracle.gradient(x, turn[0] % 2))

    apart = SubmodularClients((Modular((1, 0)), Modular((0, 1))), Uniform(2, 1))
    mine = replace(find("fedcg/S1@strengthened"), algorithm=Algorithm("turns", step))
    for rounds in (2, 3, 4):
        verdict = check_claim(mine, Case(apart, n_rounds=rounds, server_step_size=Fraction(1, rounds)))
        assert (verdict.status, "not a pure function" in verdict.reason) == ("inapplicable", True)


def test_an_instance_of_another_kind_is_no_crash() -> None:
    verdict = check_claim(find("fedcg/P1@printed"), Case(TWO))
    assert verdict.status == "inapplicable"
    assert "is about AtPoint, not about SubmodularClients" in verdict.reason


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda oracle, x: oracle.order(1), "have no order"),
        (lambda oracle, x: oracle.draw(x, -1), "expected a positive integer"),
        (lambda oracle, x: oracle.draw(x, 1.5), "expected a positive integer"),
        (lambda oracle, x: oracle.estimate(x, 0, 0), "expected a positive integer"),
        (lambda oracle, x: oracle.estimate(x, np.full(len(x), 0.5), 3), "an estimate was asked of client"),
        (lambda oracle, x: oracle.estimate(x, np.full(len(x), True), 3), "an estimate was asked of client"),
        (lambda oracle, x: oracle.base(x[0]), "expected (rows, 2)"),
        (lambda oracle, x: oracle.base(x * np.nan), "NaN"),
        (lambda oracle, x: oracle.base(x, 9), "expected integers from 0 to 1"),
    ],
)
def test_a_step_that_asks_nonsense_is_told_so(ask: Callable[..., object], words: str) -> None:
    def step(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
        ask(oracle, x.astype(float))
        return x

    verdict = check_claim(replace(claim(FIXED, "with probability"), algorithm=Algorithm("mine", step)), CASE)
    assert verdict.status == "inapplicable"
    assert words in verdict.reason
