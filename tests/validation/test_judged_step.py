"""Steps that try to be judged as another step: no verdict, or the verdict of what they do in floats; never "exact" of the other."""

from __future__ import annotations

import gc
import inspect
import sys
from dataclasses import replace
from fractions import Fraction
from types import FrameType

import numpy as np
import pytest

from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.evidence.validation.replay import exact_runs
from fltheory.model.case import Case, FederatedInstance
from fltheory.number import RATIONAL, NotRational
from fltheory.number.elements import ExactRational, wrap_exact
from fltheory.number.signals import call_with_signals
from fltheory.papers.fedcg import algorithms as greedy
from fltheory.papers.sfl import algorithms
from fltheory.papers.sfl.instances.quadratics import at_effective_step
from fltheory.papers.sfl.upper.claims import theorem3
from fltheory.problems.decomposable import SetOracle
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients
from fltheory.runs.algorithm import Algorithm, Step
from fltheory.runs.constants import Constants
from fltheory.runs.distributions.affine import AffineFailure, affine_rounds
from fltheory.runs.distributions.randomness import Chance, step_outcomes
from fltheory.runs.method import NotEnumerable, VariantError
from fltheory.runs.oracle import Oracle
from fltheory.verification import find

CALLS = [0]
SMOOTH = QuadraticClients((1, "1/10"), (1, -1), 3)
KINKED = PiecewiseQuadraticClients((2, 2), (1, 1), (1, -1), 3)


def plain(x: np.ndarray, oracle: Oracle, c: Constants, scale: float | np.ndarray = 1) -> np.ndarray:
    for client in oracle.order().T:
        for k in range(c.n_local_steps):
            x = x - scale * c.step_size * oracle.gradient(x, client, k)
    return x


def exploding(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    return plain(x, oracle, c, 120)


def swallowed(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    x = plain(x, oracle, c)
    try:
        return np.maximum(x, 30)
    except Exception:
        return x


def swallowed_whole(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    try:
        return np.maximum(plain(x, oracle, c), 30)
    except BaseException:
        return plain(x, oracle, c)


def by_bool(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    try:
        far = bool((x.sum(axis=1) != 0).all())
    except BaseException:
        far = False
    return exploding(x, oracle, c) if far else plain(x, oracle, c)


def by_kind(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    return plain(x, oracle, c) if x.dtype == object else exploding(x, oracle, c)


def by_element(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    return exploding(x, oracle, c) if isinstance(x.flat[0], float) else plain(x, oracle, c)


def by_constant(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    return exploding(x, oracle, c) if isinstance(c.step_size, float) else plain(x, oracle, c)


def by_oracle(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    return exploding(x, oracle, c) if type(oracle).__name__ == "RandomOracle" else plain(x, oracle, c)


def by_caller(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    names = {f.function for f in inspect.stack(0)}
    return exploding(x, oracle, c) if "rollout" in names else plain(x, oracle, c)


def by_exact_caller(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_code.co_name not in ("affine_round", "enumerate_runs"):
        frame = frame.f_back
    return exploding(x, oracle, c) if frame is None else plain(x, oracle, c)


def by_rows(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    return plain(x, oracle, c) if len(x) <= 2 else exploding(x, oracle, c)


def by_many_rows(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    return exploding(x, oracle, c) if len(x) >= 500 else plain(x, oracle, c)


def by_one_row_far_away(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    return exploding(x, oracle, c) if len(x) == 1 and x.dtype != object and (x < 2.9).all() else plain(x, oracle, c)


def by_calls(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    CALLS[0] += 1
    return plain(x, oracle, c) if CALLS[0] % 7 < 5 else exploding(x, oracle, c)


def late(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    CALLS[0] += x.dtype != object
    return plain(x, oracle, c) if x.dtype == object or CALLS[0] < 12 else exploding(x, oracle, c)


def far_away(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    new = plain(x, oracle, c)
    return new if x.dtype == object else np.where(np.abs(x) < 2.9, 10 + x, new)


def by_garbage(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    """It looks for affine forms that are alive."""
    exactly = any(type(v).__name__ in ("Form", "Exact") for v in gc.get_referents(x))
    return plain(x, oracle, c) if exactly or x.dtype == object else exploding(x, oracle, c)


EVIL = [
    swallowed,
    swallowed_whole,
    by_bool,
    by_kind,
    by_element,
    by_constant,
    by_oracle,
    by_caller,
    by_exact_caller,
    by_rows,
    by_many_rows,
    by_one_row_far_away,
    by_calls,
    late,
    far_away,
    by_garbage,
]


def variant(step: Step) -> Claim:
    return replace(theorem3.upper_convex, algorithm=algorithms.sequential._replace(step=step))


@pytest.mark.turns(3)
@pytest.mark.parametrize("step", EVIL, ids=lambda f: f.__name__)
@pytest.mark.parametrize("instance", [SMOOTH, KINKED], ids=["affine", "enumerated"])
def test_no_step_is_judged_as_another(step: Step, instance: FederatedInstance) -> None:
    CALLS[0] = 0
    case = at_effective_step(instance, "1/10", n_rounds=100 if instance is SMOOTH else 5, n_local_steps=2)
    verdict = check_claim(variant(step), case)
    CALLS[0] = 0
    if verdict.evidence == "exact":  # of what it does itself: in rationals and balls a comparison is one
        assert step in (swallowed, swallowed_whole, by_bool)
        assert verdict.status == "violated" or (step is by_bool and instance is KINKED)
    else:
        assert (verdict.status, verdict.evidence) in {("inapplicable", None), ("violated", "statistical")}


@pytest.mark.parametrize("instance", [SMOOTH, KINKED], ids=["affine", "enumerated"])
def test_an_honest_step_stays_exact(instance: FederatedInstance) -> None:
    case = at_effective_step(instance, "1/10", n_rounds=5, n_local_steps=2)
    own, mine = check_claim(theorem3.upper_convex, case), check_claim(variant(plain), case)
    assert (mine.status, mine.evidence, mine.ratio) == (own.status, "exact", pytest.approx(own.ratio))


def test_a_diverging_step_is_still_violated() -> None:
    case = at_effective_step(SMOOTH, "1/10", n_rounds=10_000, n_local_steps=2)
    verdict = check_claim(variant(lambda x, oracle, c: plain(x, oracle, c, 1000)), case)
    assert (verdict.status, verdict.evidence) == ("violated", "exact")


@pytest.mark.parametrize("twin", ["law", "kernel", "anonymous"])
def test_what_a_user_says_of_a_step_is_not_believed(twin: str) -> None:
    own = algorithms.sequential
    mine = Algorithm("mine", exploding, **{twin: getattr(own, twin)})
    case = at_effective_step(SMOOTH, "1/10", n_rounds=50, n_local_steps=2)
    assert check_claim(replace(theorem3.upper_convex, algorithm=mine), case).status == "violated"
    assert replace(theorem3.upper_convex, algorithm=own).algorithm.law is own.law


def test_a_signal_is_heeded_whatever_becomes_of_it() -> None:
    def quiet() -> int:
        try:
            raise NotRational("no")
        except BaseException:
            return 1

    def turned() -> int:
        try:
            raise NotEnumerable("too many")
        except BaseException as error:
            raise KeyError(1) from error

    with pytest.raises(NotRational):
        call_with_signals(quiet)
    with pytest.raises(NotEnumerable):
        call_with_signals(turned)
    assert call_with_signals(lambda: 3) == 3


# Numbers on either side ------------------------------------------------------------------------------------------------

HALVES = {
    "float first": lambda g, c: 0.125 * g * c.step_size,
    "constants first": lambda g, c: 0.125 * c.step_size * g,
    "numpy's float": lambda g, c: np.float64(0.125) * c.step_size * g,
    "from the right": lambda g, c: c.step_size * 0.125 * g,
    "divided": lambda g, c: g * (c.step_size / 8.0),
    "fraction": lambda g, c: Fraction(1, 8) * c.step_size * g,
    "array": lambda g, c: g * np.array([0.125, 0.125])[:1] * c.step_size,
    "array of fractions": lambda g, c: np.array([Fraction(1, 8)]) * c.step_size * g,
    "array of integers": lambda g, c: g * c.step_size / np.array([8]),
    "difference": lambda g, c: (1.125 - Fraction(1)) * (c.step_size * g + 0.0),
    "power": lambda g, c: 0.5**3 * c.step_size * g,
    "inverse": lambda g, c: g / (8 / c.step_size),
}


@pytest.mark.parametrize("name", HALVES)
@pytest.mark.parametrize("instance", [SMOOTH, KINKED], ids=["affine", "enumerated"])
def test_operand_order_does_not_decide_exactness(name: str, instance: FederatedInstance) -> None:
    def step(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
        for client in oracle.order().T:
            x = x - HALVES[name](oracle.gradient(x, client), c)
        return x

    case = at_effective_step(instance, "1/10", n_rounds=4, n_local_steps=1)
    verdict = check_claim(variant(step), case)
    reference = check_claim(variant(lambda x, oracle, c: step_by(x, oracle, c)), case)
    assert verdict.evidence == "exact"
    assert verdict.measured == reference.measured


def step_by(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    for client in oracle.order().T:
        x = x - c.step_size * oracle.gradient(x, client) / 8
    return x


def test_what_only_floats_know_is_refused() -> None:
    third = wrap_exact(np.array([[RATIONAL.scalar(Fraction(1, 3))]], dtype=object))
    assert isinstance((0.5 + third)[0, 0], ExactRational)
    assert (0.1 + third)[0, 0] == Fraction(13, 30)  # read as printed
    assert (np.array([0.5, 0.25]) @ np.array([third[0, 0], third[0, 0]])) == Fraction(1, 4)
    for ask in (lambda: third.astype(float), lambda: float(third[0, 0]), lambda: third * np.nan, lambda: third**0.5):
        with pytest.raises(Exception, match=r"float|nan|root"):
            call_with_signals(ask)


# Reasons ---------------------------------------------------------------------------------------------------------------


def clipped(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    return np.clip(plain(x, oracle, c), -1000, 2.5)


def squashed(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    return np.tanh(plain(x, oracle, c))


def compared(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    return np.where(x > 2.5, x / 2, plain(x, oracle, c))


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (clipped, "clip at {}:{} compares numbers: simulated"),
        (squashed, "tanh at {}:{} has no value on exact numbers"),
        (compared, "> at {}:{} compares numbers: simulated"),
    ],
)
def test_what_is_not_exact_says_why_and_where(step: Step, words: str) -> None:
    case = at_effective_step(SMOOTH, "1/10", n_rounds=500, n_local_steps=2)
    verdict = check_claim(variant(step), case, stages=(50, 100))
    line = inspect.getsourcelines(step)[1] + 1
    assert verdict.evidence == "statistical"
    assert verdict.reason.startswith(words.format(__file__, line))


def test_courses_that_are_too_many_are_said_with_the_step() -> None:
    case = at_effective_step(KINKED, "1/10", n_rounds=30, n_local_steps=1)
    verdict = check_claim(variant(plain), case, stages=(50, 100))
    assert f"plain at {__file__}:" in verdict.reason
    assert "more than 4096 sample paths" in verdict.reason
    assert check_claim(theorem3.upper_convex, case, stages=(50, 100)).reason.count("plain at") == 0


# Chances ---------------------------------------------------------------------------------------------------------------


def bases(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
    return x + c.server_step_size * oracle.base(oracle.mean_gradient(x))


def tossed(x: np.ndarray, oracle: SetOracle, c: Constants, chance: float = 0.75) -> np.ndarray:
    return np.where(oracle.coins(np.full((len(x), 1), chance)), bases(x, oracle, c), x)


def tossed_by_kind(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
    return tossed(x, oracle, c, 0.75 if x.dtype == object else 0.25)


def toss_swallowed(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
    try:
        return tossed(x, oracle, c)
    except BaseException:
        return bases(x, oracle, c)


def test_coins_take_floats_as_they_are_printed() -> None:
    half = np.empty((1, 1), dtype=object)
    half[:] = RATIONAL.scalar(0)

    def step(x: np.ndarray, chance: Chance) -> np.ndarray:
        return x + np.where(chance.coins(np.array([[0.1]] * len(x))), RATIONAL.scalar(1), RATIONAL.scalar(0))

    found = step_outcomes(step, half, RATIONAL, 10)
    assert found is not None
    assert sorted(map(str, found[2])) == ["1/10", "9/10"]


def greedily(step: Step) -> tuple[Claim, Case]:
    claim = find("fedcg/S5-estimated@strengthened")
    return replace(claim, algorithm=greedy.full._replace(step=step)), claim.cases[0]


@pytest.mark.parametrize("step", [bases, tossed, toss_swallowed], ids=lambda f: f.__name__)
def test_a_plain_step_where_a_constant_is_irrational(step: Step) -> None:
    claim, case = greedily(step)
    verdict = check_claim(claim, case, stages=(100, 200))
    assert verdict.status in ("holds", "violated", "inconclusive", "vacuous")
    assert verdict.evidence != "exact"
    assert "estimate_error, which is irrational" in verdict.reason


def test_other_chances_in_floats_are_seen() -> None:
    claim, case = greedily(tossed_by_kind)
    verdict = check_claim(claim, case)
    assert verdict.status == "inapplicable"
    assert "not the same step in floats" in verdict.reason


def test_questions_that_are_swallowed_are_asked_all_the_same() -> None:
    claim = find("fedcg/S1@strengthened")
    case = claim.cases[0].with_settings(n_rounds=3, server_step_size="1/3")
    one, two = (
        check_claim(replace(claim, algorithm=greedy.full._replace(step=s)), case) for s in (tossed, toss_swallowed)
    )
    assert (one.status, one.evidence, one.measured) == (two.status, two.evidence, two.measured)


def test_the_map_of_a_step_is_that_of_its_numbers() -> None:
    case = at_effective_step(SMOOTH, "1/10", n_rounds=5, n_local_steps=2)
    assert isinstance(affine_rounds(Algorithm("clipped", clipped), case), AffineFailure)
    assert not isinstance(affine_rounds(Algorithm("plain", plain), case), AffineFailure)


def test_the_librarys_own_algorithms_are_believed() -> None:
    """What they say of themselves counts, else they would be slower and less exact."""
    from fltheory.claims.catalogue import catalogue
    from fltheory.number.ownership import is_library

    found = [c.algorithm for c in catalogue() if c.algorithm is not None]
    assert len(found) > 100
    strangers = {a.name for a in found if not is_library((a.step, getattr(a, "init", None), getattr(a, "play", None)))}
    assert not strangers
    assert not is_library(plain)
    assert not is_library(algorithms.sequential._replace(step=plain).step)


def signed(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    """Steps of one length to the minimiser 0, where the sign is 0: floats miss it by 1e-16 and go on."""
    return x - c.step_size * np.sign(oracle.gradient(x, 0))


@pytest.mark.parametrize("step_size", ["1/10", "1/3", "1/7"])
def test_a_sign_that_floats_only_just_miss_stays_exact(step_size: str) -> None:
    case = Case(QuadraticClients((1,), (0,), 1), n_rounds=14, n_local_steps=1, step_size=step_size)
    states, _ = exact_runs(Algorithm("signed", signed), case, 10)
    assert states[0, :, 0].tolist()[-4:] == [0, 0, 0, 0]


def special_in_floats(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    """No tie: in floats alone the step is another, wherever it begins."""
    return x - c.step_size * np.sign(oracle.gradient(x, 0)) * (1 if x.dtype == object else 2)


def test_a_step_that_is_another_in_floats_is_refused() -> None:
    case = Case(QuadraticClients((1,), (0,), 1), n_rounds=14, n_local_steps=1, step_size="1/10")
    with pytest.raises(VariantError, match="not the same step in floats"):
        exact_runs(Algorithm("special", special_in_floats), case, 10)
