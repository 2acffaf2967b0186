"""Steps that hide what they do from exact numbers: in swallowed errors, rare places, the instance, or the oracle's draws."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.command.variant import guard_step
from fltheory.evidence.sequential import simulate
from fltheory.model.case import Case, FederatedInstance
from fltheory.number import RATIONAL
from fltheory.number.agreement import as_float_array
from fltheory.number.elements import ExactRational, NotExact
from fltheory.number.signals import call_with_signals
from fltheory.papers.fedcg import algorithms as greedy
from fltheory.papers.sfl import algorithms
from fltheory.papers.sfl.instances.quadratics import at_effective_step
from fltheory.papers.sfl.upper.claims import theorem3
from fltheory.problems.decomposable import SetOracle
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients
from fltheory.runs.algorithm import Step
from fltheory.runs.constants import Constants
from fltheory.runs.distributions.affine import AffineFailure, Form, affine_rounds
from fltheory.runs.distributions.randomness import StreamChance
from fltheory.runs.distributions.sample_paths import enumerate_runs
from fltheory.runs.method import VariantError
from fltheory.runs.oracle import Oracle, random_oracle
from fltheory.search.deadline import DeadlinePassed
from fltheory.verification import find

SMOOTH = QuadraticClients((1, "1/10"), (1, -1), 3)
KINKED = PiecewiseQuadraticClients((2, 2), (1, 1), (1, -1), 3)


def variant(step: Step) -> Claim:
    return replace(theorem3.upper_convex, algorithm=algorithms.sequential._replace(step=step))


def plain(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    for client in oracle.order().T:
        for k in range(c.n_local_steps):
            x = x - c.step_size * oracle.gradient(x, client, k)
    return x


# What elements lack ----------------------------------------------------------------------------------------------------


def _near(size: Callable[[np.ndarray], np.ndarray], x: np.ndarray, new: np.ndarray) -> np.ndarray:
    try:
        n = size(x)
        return np.where((n > 0.2) & (n < 1.3), new + 1e6, new)
    except Exception:
        return new


ASKED: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "norm": lambda v: np.linalg.norm(v, axis=1, keepdims=True),
    "root": lambda v: np.sqrt((v * v).sum(axis=1, keepdims=True)),
    "tanh": np.tanh,
    "method": lambda v: v * v.flat[0].conjugate(),
}


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("instance", [SMOOTH, KINKED], ids=["affine", "enumerated"])
def test_what_rationals_lack_is_not_swallowed(name: str, instance: FederatedInstance) -> None:
    """In balls there are roots: what the step does there is what it does in floats."""

    def step(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
        return _near(ASKED[name], x, plain(x, oracle, c))

    claim = variant(step)
    case = at_effective_step(instance, "1/10", n_rounds=5, n_local_steps=2)
    assert isinstance(affine_rounds(claim.algorithm, case), AffineFailure)
    verdict = check_claim(claim, case, stages=(50, 100))
    assert verdict.evidence == "exact"
    simulated = simulate(claim.measure, claim.algorithm, case, 400, 0).mean()
    assert verdict.measured == pytest.approx(simulated, rel=0.3)


def test_what_elements_lack_is_a_signal_unless_the_interpreter_asks() -> None:
    form = Form({0: RATIONAL.scalar(1)}, RATIONAL)
    for element in (ExactRational(RATIONAL.scalar(1)), form):
        assert not hasattr(element, "logical_xor")
        assert call_with_signals(lambda e=element: np.array([e, e], dtype=object).shape) == (2,)
        assert call_with_signals(lambda e=element: getattr(e, "__array__", None)) is None
        assert call_with_signals(lambda e=element: e.ring) is RATIONAL
        with pytest.raises(NotExact):
            call_with_signals(lambda e=element: hasattr(e, "logical_xor"))


# Rare places -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_rounds", [1200, 60_000])
def test_every_round_is_compared(n_rounds: int) -> None:
    """A band that a run passes late, in a few of its rounds."""
    mild = QuadraticClients((1, 1), (1, -1), 6)
    reached = 6 * (1 - 3 / 360 / 6) ** 400  # by the run of 1200 rounds, about

    def step(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
        new = plain(x, oracle, c)
        if x.dtype == object:
            return new
        return np.where((x > 0.97 * reached) & (x < reached), new + 1e6, new)

    case = at_effective_step(mild, "1/360" if n_rounds == 1200 else "1/20000", n_rounds=n_rounds, n_local_steps=3)
    verdict = check_claim(variant(step), case)
    assert (verdict.status, verdict.evidence) == ("inapplicable", None)
    assert "not the same step in floats" in verdict.reason
    assert check_claim(variant(plain), case).evidence == "exact"


FEW = PiecewiseQuadraticClients((2, 2, 1, 1), (1, 1, 2, 1), (3, 1, -1, -3), 3)


def places() -> np.ndarray:
    """Where a first round may end, (24, 1)."""
    case = at_effective_step(FEW, "1/10", n_rounds=2, n_local_steps=1)
    states, _ = enumerate_runs(algorithms.sequential, theorem3.upper_convex.prepared(case), RATIONAL)
    return np.unique(as_float_array(states[:, 1]), axis=0)


@pytest.mark.parametrize("which", range(0, 24, 4))
def test_every_course_is_compared(which: int) -> None:
    """A place that one run of 24 reaches, in the last round, so that few simulated runs see it."""
    here = places()[which, 0]

    def step(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
        new = plain(x, oracle, c)
        return new if x.dtype == object else np.where(np.abs(x - here) < 1e-9, new + 1e-3, new)

    case = at_effective_step(FEW, "1/10", n_rounds=2, n_local_steps=1)
    verdict = check_claim(variant(step), case)
    assert (verdict.status, verdict.evidence) == ("inapplicable", None)
    assert f"in round 1, from {here:.6g}, it goes to" in verdict.reason
    assert check_claim(variant(plain), case).evidence == "exact"


def test_every_answer_to_a_question_is_compared() -> None:
    """Coins that floats take for others where few runs come: after three heads in a row."""
    claim = find("fedcg/S1@strengthened")

    def tossed(x: np.ndarray, oracle: SetOracle, c: Constants, far: np.ndarray) -> np.ndarray:
        chance = np.full((len(x), 1), 0.1)
        chance[far] = 0.9
        return np.where(oracle.coins(chance), x + c.server_step_size * oracle.base(oracle.mean_gradient(x)), x)

    def honest(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
        return tossed(x, oracle, c, np.zeros(len(x), dtype=bool))

    def dishonest(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
        far = np.zeros(len(x), dtype=bool) if x.dtype == object else x.sum(axis=1) > 1.4
        return tossed(x, oracle, c, far)

    case = claim.cases[0].with_settings(n_rounds=4, server_step_size="1/4")
    one, two = (check_claim(replace(claim, algorithm=greedy.full._replace(step=s)), case) for s in (honest, dishonest))
    assert one.evidence == "exact"
    assert (two.status, two.evidence) == ("inapplicable", None)
    assert "not the same step in floats" in two.reason


def test_what_cancels_leaves_its_rounding() -> None:
    """Clients that pull against each other near the optimum: floats keep what is left of the pulls."""

    def averaged(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
        total = x * 0
        for client in range(c.n_clients):
            y = x
            for k in range(c.n_local_steps):
                y = y - c.step_size * oracle.gradient(y, client, k)
            total = total + y
        return total / c.n_clients

    claim = find("sfl/T7@strengthened")
    assert claim.algorithm is not None
    mine = replace(claim, algorithm=claim.algorithm._replace(step=averaged))
    case = Case(QuadraticClients((1, 1), (1, -1), 6), n_local_steps=3, n_rounds=1200, step_size="1/18")
    assert (check_claim(mine, case).status, check_claim(mine, case).evidence) == ("holds", "exact")


def test_a_large_coordinate_hides_nothing_in_another() -> None:
    flat = QuadraticClients(((0, 1), (0, 1)), ((0, 1), (0, -1)), (10**12, 6))

    def sly(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
        new = plain(x, oracle, c)
        if new.dtype == object:
            return new
        return new + np.array([0, 500]) * (np.abs(new[:, :1]) > 5e11)

    case = Case(flat, n_local_steps=3, n_rounds=50, step_size="1/36")
    verdict = check_claim(variant(sly), case)
    assert (verdict.status, verdict.evidence) == ("inapplicable", None)
    assert "it goes to (1e+12, 505.073) in floats and to (1e+12, 5.07349) exactly" in verdict.reason
    assert check_claim(variant(plain), case).evidence == "exact"


def test_a_comparison_that_hangs_on_rounding_is_no_other_step() -> None:
    """Where the point is exactly 3/10 in rationals, floats may stand a last digit beside it."""
    start = PiecewiseQuadraticClients((2, 2), (1, 1), (1, -1), "3/10")

    def step(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
        return np.where(x * 3 >= Fraction(9, 10), plain(x, oracle, c), plain(x, oracle, c) / 2)

    case = at_effective_step(start, "1/10", n_rounds=3, n_local_steps=1)
    assert not 0.3 * 3 >= 0.9
    assert check_claim(variant(step), case).evidence == "exact"


# The instance and the draws ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["hessian", "start"])
def test_a_step_may_not_change_the_instance(name: str) -> None:
    instance = QuadraticClients((1, "1/10"), (1, -1), 3)

    def step(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
        oracle.instance.__dict__[name] = (0,)
        return plain(x, oracle, c)

    case = at_effective_step(instance, "1/10", n_rounds=5, n_local_steps=2)
    verdict = check_claim(variant(step), case, stages=(50, 100))
    assert verdict.status == "inapplicable"
    assert f"the step changed the instance: {name}" in verdict.reason
    assert instance == SMOOTH
    assert "hessian" not in vars(instance)
    assert check_claim(variant(plain), case).evidence == "exact"


def test_no_attribute_of_an_oracle_tells_seed_or_round() -> None:
    for drawn in (random_oracle(SMOOTH, 1234567, np.arange(2), 89), StreamChance(1234567, np.arange(2), 89)):
        assert not {"1234567", "89"} & {str(v) for v in vars(drawn).values()}
        assert not any(isinstance(v, tuple) for v in vars(drawn).values())


# Errors of any kind ----------------------------------------------------------------------------------------------------


def test_whatever_a_step_throws_is_its_own_error() -> None:
    class Odd(BaseException):
        """No Exception, so that no usual handler sees it."""

    def throws(x: np.ndarray) -> np.ndarray:
        raise Odd("far out")

    path = Path(throws.__code__.co_filename)
    line = inspect.getsourcelines(throws)[1] + 1
    with pytest.raises(VariantError, match=rf"{path.name}:{line}: Odd: far out"):
        guard_step(throws, path)(np.zeros((1, 1)))

    def stopped(kind: type[BaseException]) -> Any:
        def step(x: np.ndarray) -> np.ndarray:
            raise kind

        return step

    for kind in (KeyboardInterrupt, GeneratorExit, DeadlinePassed, NotExact):
        with pytest.raises(kind):
            guard_step(stopped(kind), path)(np.zeros((1, 1)))
