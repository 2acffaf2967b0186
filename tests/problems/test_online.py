"""Online learning on a decision set: projections, the best point in hindsight, regret, and what is refused."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Rational, sqrt

from fltheory import Algorithm, Case, falsify, quantity, theorem, verify
from fltheory.number import NotRational, to_float
from fltheory.number.mixed import mixed_array
from fltheory.problems import Box, EuclideanBall, OnlineLosses, QuadraticClients, Simplex
from fltheory.problems.online.adaptive import AdaptiveLosses, against
from fltheory.problems.online.losses import Linear, PiecewiseLinear, Quadratic, absolute, hinge
from fltheory.problems.online.past_only import past_only
from fltheory.problems.online.regret import PathRegret, Regret
from fltheory.problems.online.strategies import domains, online_losses
from fltheory.runs.measures import LastGap
from fltheory.runs.method import VariantError
from fltheory.runs.oracle import random_oracle
from fltheory.symbols import domain_diameter, gradient_bound, n_rounds, squared_gradients, step_size, strong_convexity

DOMAINS = (Box(0, 1), Box((0, -1), (1, "1/2")), EuclideanBall((1, 0), "3/2"), Simplex(2), Simplex(4))


def rationals(rng: random.Random, rows: int, dim: int) -> np.ndarray:
    found = [[Fraction(rng.randint(-20, 20), rng.randint(1, 9)) for _ in range(dim)] for _ in range(rows)]
    return np.array([mixed_array(row) for row in found])


def balls(x: np.ndarray) -> np.ndarray:
    found = x.copy()
    found[...] = [[arb(v) for v in row] for row in x]
    return found


def feasible(domain: Any, rng: random.Random, n: int) -> np.ndarray:
    return np.asarray(domain.project(rationals(rng, n, domain.dim).astype(float)))


@pytest.mark.parametrize("domain", DOMAINS, ids=repr)
def test_a_projection_is_the_nearest_point_in_floats_rationals_and_balls(domain: Any) -> None:
    rng = random.Random(0)
    x = rationals(rng, 40, domain.dim)
    near, others = domain.project(x.astype(float)), feasible(domain, rng, 200)
    np.testing.assert_allclose(domain.project(near), near, atol=1e-12)
    away = x.astype(float) - near
    assert (np.einsum("rd,rkd->rk", away, others[None] - near[:, None]) <= 1e-9).all()  # Kolmogorov's criterion
    for row, enclosed, found in zip(x, domain.project(balls(x)), near, strict=True):
        np.testing.assert_allclose([float(v.mid()) for v in enclosed], found, atol=1e-12)
        try:
            exact = domain.project(row[None])[0]
        except NotRational:
            assert isinstance(domain, EuclideanBall)
            continue
        assert all(ball.overlaps(arb(v)) and ball.rad() < 1e-12 for ball, v in zip(enclosed, exact, strict=True))


def test_projections_on_the_simplex_with_ties_are_enclosed() -> None:
    with ctx.workprec(53):
        third = arb(1) / 3
        found = Simplex(3).project(np.array([[third, third, third]], dtype=object))[0]
        assert all(v.overlaps(arb(fmpq(1, 3))) and v.rad() < 1e-14 for v in found)


def test_an_oracle_projects_and_refuses_without_a_set() -> None:
    losses = OnlineLosses((Linear(1),), Box(0, 1))
    oracle = random_oracle(losses, 0, np.arange(1), 0)
    np.testing.assert_array_equal(oracle.project(np.array([[3.0]])), [[1.0]])
    np.testing.assert_array_equal(oracle.project(np.array([[Fraction(3)]], dtype=object)), [[1.0]])
    other = random_oracle(QuadraticClients((1,), (0,), 2), 0, np.arange(1), 0)
    with pytest.raises(VariantError, match="QuadraticClients has no decision set to project on"):
        other.project(np.ones((1, 1)))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Box(1, 0), "expected low_i <= high_i"),
        (lambda: Box((0, 0), (0, 0)), "and < in one"),
        (lambda: EuclideanBall(0, 0), "radius = 0: expected a positive number"),
        (lambda: Simplex(1), "expected an integer of at least 2"),
        (lambda: OnlineLosses((Linear((1, 2)),), Box(0, 1)), "has 2 coordinates"),
        (lambda: OnlineLosses((Linear(1),), Box(0, 1), start=2), "start = 2 is not in Box"),
        (lambda: OnlineLosses((Linear(1),), Box(0, 1), counts=(1, 2)), "1 losses, 2 counts"),
        (lambda: OnlineLosses((), Box(0, 1)), "0 losses"),
        (lambda: OnlineLosses((Linear((1, 1)),), EuclideanBall((5, 5), 1)), "expected a start"),
        (lambda: Quadratic((1, 2), (1, -1)), "curvatures must be nonnegative"),
        (lambda: PiecewiseLinear((1, 2), (0,)), "one entry for every offset"),
    ],
)
def test_what_is_no_problem_is_refused(make: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()


def test_the_losses_of_rounds_come_in_their_order() -> None:
    one = OnlineLosses((Linear((1, 0)), Quadratic((0, 1))), EuclideanBall((0, 0)), counts=(2, 1), repeat=2)
    assert one.order.tolist() == [0, 0, 1, 0, 0, 1]
    assert eval(repr(one)) == one
    x = np.array([[1.0, 2.0], [3.0, 4.0]])
    np.testing.assert_array_equal(one.gradient(x, np.array([0, 5])), [[1, 0], [3, 3]])
    np.testing.assert_array_equal(one.client_value(x, np.array([0, 5])), [1, 9])
    constants = one.constants
    assert constants[n_rounds] == 6
    assert constants[domain_diameter] == 2
    assert constants[gradient_bound] == 2  # |x - (0, 1)| at (0, -1)
    assert constants[strong_convexity] == 0
    assert gradient_bound not in OnlineLosses((Linear(0),), Box(0, 1)).constants


# Hindsight --------------------------------------------------------------------------------------------------------------

LINEARS = (Linear((2, -1)), Linear((0, -3)), Linear((-1, 1)))
ROUND = (*LINEARS, Quadratic((1, 2)), Quadratic((-1, 0), 3))
APART = (*LINEARS, Quadratic((1, 2), (1, 0)), absolute((2, 0), 1), hinge((0, -1), 1), absolute((1, 0), "1/3"))


@pytest.mark.parametrize(
    ("losses", "domain"),
    [
        *itertools.product((LINEARS, ROUND), (Box((0, -1), (1, "1/2")), EuclideanBall((1, 0), "3/2"), Simplex(2))),
        (APART, Box((0, -1), (1, "1/2"))),
    ],
)
def test_the_best_point_in_hindsight_is_best(losses: Any, domain: Any) -> None:
    """No point of a fine grid of the domain is better, and the best of it is hardly worse."""
    one = OnlineLosses(losses, domain, start=(1, 0), counts=range(1, len(losses) + 1))
    grid = np.stack(np.meshgrid(*[np.linspace(-1, 3, 401)] * 2), axis=-1).reshape(-1, 2)
    points = domain.project(grid)
    totals = sum(one.client_value(points, t) for t in range(one.n_clients))
    least = one.least_loss()
    assert isinstance(domain, EuclideanBall) == isinstance(least, arb)
    assert float(arb(least).mid()) <= totals.min() + 1e-9
    assert totals.min() <= float(arb(least).mid()) + 0.05


def test_what_has_no_known_best_point_is_refused_with_what_would_be_right() -> None:
    one = OnlineLosses((hinge((1, 1)), Quadratic((0, 0))), EuclideanBall((0, 0)))
    with pytest.raises(ValueError, match=r"not known exactly: .* or name the points to compare with"):
        one.least_loss()
    assert one.least_loss([(0, 0), ("1/2", "1/2")]) == fmpq(1, 4)
    with pytest.raises(ValueError, match=r"comparator = .* is not in EuclideanBall"):
        one.least_loss([(1, 1)])


# Regret -----------------------------------------------------------------------------------------------------------------


def descent(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    return oracle.project(x - c.step_size * oracle.gradient(x, c.round))


def free(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    return x - c.step_size * oracle.gradient(x, c.round)


def ascent(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    return oracle.project(x + c.step_size * oracle.gradient(x, c.round))


def stretched(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    return 2 * descent(x, oracle, c)


def last_loss(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    """A descent on the loss of the round before."""
    return oracle.project(x - c.step_size * oracle.gradient(x, max(c.round - 1, 0)))


ZINKEVICH = {"tuning": ((step_size, domain_diameter / (gradient_bound * sqrt(n_rounds))),), "key": "k"}


def ogd(step: Any, case: Case, measure: Any = None) -> Any:
    return theorem(
        "OGD: regret <= D G sqrt(T)",
        quantity <= domain_diameter * gradient_bound * sqrt(n_rounds),
        algorithm=Algorithm("OGD", step),
        measure=measure or Regret(),
        cases=[case],
        **ZINKEVICH,
    )


SIGNS = Case(OnlineLosses((Linear(1), Linear(-1)), Box(0, 1), counts=(1, 3), repeat=4))


def test_the_regret_is_that_of_the_definition() -> None:
    """Steps of 1/4 from 0: x = 0, 0, 1/4, 1/2 | 3/4, 1/2, 3/4, 1 | 1, 3/4, 1, 1 | 1, 3/4, 1, 1; the best is 1, of loss -8."""
    x = [0, 0, 1, 2, 3, 2, 3, 4, 4, 3, 4, 4, 4, 3, 4, 4]
    paid = sum(Fraction(v, 4) * (1 if t % 4 == 0 else -1) for t, v in enumerate(x))
    found = verify(ogd(descent, SIGNS))
    assert (found.status, found.evidence) == ("holds", "exact")
    assert found.measured == pytest.approx(float(paid + 8))


@pytest.mark.parametrize("domain", DOMAINS, ids=repr)
def test_descent_keeps_its_bound_on_every_set(domain: Any) -> None:
    rng = random.Random(1)
    losses = tuple(Linear([rng.randint(-2, 2) for _ in range(domain.dim)]) for _ in range(6))
    found = verify(ogd(descent, Case(OnlineLosses(losses, domain, repeat=2))))
    assert (found.status, found.evidence) == ("holds", "exact")


def test_mutants_fail() -> None:
    alternating = Case(OnlineLosses((Linear(1),), Box(0, 1), start=1, repeat=9))
    assert verify(ogd(descent, alternating)).status == "holds"
    assert verify(ogd(ascent, alternating)).status == "violated"
    drift = Case(OnlineLosses((Linear(-1), Linear(1)), Box(-1, 1), start=0, repeat=50))
    assert verify(ogd(descent, drift)).status == "holds"
    for step in (free, stretched):
        found = verify(ogd(step, SIGNS))
        assert found.status == "inapplicable"
        assert "is outside the decision set: expected a point of it" in found.reason


def test_comparators_are_points_of_the_domain() -> None:
    assert verify(ogd(descent, SIGNS, Regret(comparators=["1/2"]))).measured < verify(ogd(descent, SIGNS)).measured
    assert verify(ogd(descent, SIGNS, Regret(comparators=["1/2", 1]))).measured == verify(ogd(descent, SIGNS)).measured
    found = verify(ogd(descent, SIGNS, Regret(comparators=[2])))
    assert found.status == "inapplicable"
    assert "comparator = (2,) is not in Box(low=0, high=1)" in found.reason


def test_a_regret_may_be_negative() -> None:
    """On the loss -x after x: both ends of an interval around a negative value in floats are negative."""
    ahead = Case(OnlineLosses((Linear(-1),), Box(0, 1), start=1, repeat=3))

    def above(limit: Any, step: Any = descent) -> Any:
        return theorem(
            "L: lower",
            quantity >= limit,
            algorithm=Algorithm("OGD", step),
            measure=Regret(comparators=[0]),
            cases=[ahead],
            **ZINKEVICH,
        )

    def rounded(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
        return oracle.project(x * float(np.tanh(20.0)))  # followed in floats

    for step in (descent, rounded):
        assert verify(above(-4, step)).status == "holds"
        assert verify(above(-2, step)).status == "violated"
    below = theorem(
        "U: upper",
        quantity <= -2,
        algorithm=Algorithm("OGD", rounded),
        measure=Regret(comparators=[0]),
        cases=[ahead],
        **ZINKEVICH,
    )
    assert verify(below).status == "holds"


def test_a_random_learner_is_judged_within_the_range_of_the_regret() -> None:
    """A fair coin plays 0 or 1: the mean regret is half the rounds against losses of one sign."""

    def coin(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
        return x * 0 + oracle.coin(0.5)[:, None]

    case = Case(OnlineLosses((Linear(1),), Box(0, 1), start=0, repeat=40))

    def at_most(limit: int) -> Any:
        bound = quantity <= limit * domain_diameter * gradient_bound
        return theorem("C: coin", bound, algorithm=Algorithm("coin", coin), measure=Regret(), cases=[case], key="k")

    assert (verify(at_most(22)).status, verify(at_most(22)).evidence) == ("holds", "statistical")
    assert verify(at_most(16)).status == "violated"


def test_a_regret_needs_losses_for_its_rounds_and_clients_have_no_set() -> None:
    plain = Case(QuadraticClients((1, 1), (0, 2), 1), n_rounds=3, step_size="1/2")
    found = verify(
        theorem(
            "R: r",
            quantity <= 1 * gradient_bound * domain_diameter,
            algorithm=Algorithm("a", free),
            measure=Regret(),
            cases=[plain],
            key="k",
        )
    )
    assert found.status == "inapplicable"
    with pytest.raises(VariantError, match="regret of 3 rounds needs a loss for each, but there are 2"):
        Regret().values(np.zeros((1, 4, 1)), plain)
    two = Case(plain.instance, n_rounds=2)
    np.testing.assert_allclose(Regret().values(np.array([[[1.0], [2.0], [0.0]]]), two), [[0.5 + 6 - (0.5 + 0.5 - 2)]])
    with pytest.raises(VariantError, match="expected as many rounds as losses"):
        Regret(comparators=[1]).values(np.zeros((1, 3, 1)), two)
    assert "has no objective" in verify(ogd(descent, SIGNS, LastGap())).reason
    assert to_float(Regret().trivial(SIGNS) or 0) == 16


# Second-order bounds ----------------------------------------------------------------------------------------------------


def nothing(start: np.ndarray, c: Any) -> dict[str, np.ndarray]:
    return {"x": start, "sum": 0 * start[:, :1]}


def adaptive(factor: Any) -> Any:
    """Steps of a factor times D over the root of the sum of squared gradients."""

    def step(s: dict[str, np.ndarray], oracle: Any, c: Any) -> dict[str, np.ndarray]:
        g = oracle.gradient(s["x"], c.round)
        total = s["sum"] + (g * g).sum(axis=1, keepdims=True)
        root = np.sqrt(np.where(total > 0, total, 1 + 0 * total))
        return {"x": oracle.project(s["x"] - factor * c.domain_diameter * g / root), "sum": total}

    return Algorithm("AdaGrad", step, init=nothing)


ROOT_2 = Rational(99, 70)


def second_order(algorithm: Any, losses: Any, constant: Any = ROOT_2) -> Any:
    return theorem(
        "S: regret <= sqrt(2) D sqrt(S)",
        quantity <= constant * domain_diameter * sqrt(squared_gradients),
        algorithm=algorithm,
        measure=PathRegret(),
        mode="surely",
        cases=[Case(losses)],
        key="k",
    )


SMALL = OnlineLosses((Linear((1, 0)), Linear(("-1/9", "1/9"))), Box((0, 0), (1, 1)), start=(1, 0), counts=(2, 18))

FALLING = OnlineLosses((Linear(-1),), Box(0, 1), start=0, repeat=9)


def test_a_bound_by_the_gradients_that_were_seen_is_compared_in_balls() -> None:
    """The sum of squares is 2 + 18 * 2/81: the bound of a run, not G² T = 20, decides."""
    found = verify(second_order(adaptive(Fraction(7, 10)), SMALL))
    assert (found.status, found.evidence) == ("holds", "exact")
    assert found.limit == pytest.approx(99 / 70 * 2**0.5 * (2 + 18 * 2 / 81) ** 0.5)
    assert verify(second_order(adaptive(Fraction(-7, 10)), FALLING)).status == "violated"
    assert verify(second_order(adaptive(Fraction(7, 10)), FALLING)).status == "holds"
    assert verify(second_order(adaptive(Fraction(7, 10)), FALLING, Fraction(1, 10))).status == "violated"


def test_without_gradients_both_sides_are_0() -> None:
    found = verify(second_order(adaptive(1), OnlineLosses((Linear(0),), Box(0, 1), repeat=3)))
    assert (found.status, found.evidence, found.measured, found.limit) == ("holds", "exact", 0, 0)


def test_other_domains_of_points_than_the_sets_own_are_outside_along_paths_too() -> None:
    found = verify(second_order(Algorithm("free", lambda x, oracle, c: x + 1), SMALL))
    assert found.status == "inapplicable"
    assert "outside the decision set" in found.reason


# Sets and losses of one's own -------------------------------------------------------------------------------------------


class Halfway:
    """The interval [0, 1/2] as a user writes it."""

    dim, diameter, farthest = 1, Fraction(1, 2), Fraction(1, 2)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def project(self, x: np.ndarray) -> np.ndarray:
        return np.minimum(np.maximum(x, 0 * x), 0 * x + (fmpq(1, 2) if x.dtype == object else 0.5))

    def least_linear(self, slope: Any) -> Any:
        return min(0, self.farthest * slope[0])

    def farthest_square(self, centre: Any, weights: Any) -> Any:
        return weights[0] * max(centre[0] ** 2, (Fraction(1, 2) - centre[0]) ** 2)


class InFloats(Halfway):
    def project(self, x: np.ndarray) -> np.ndarray:
        return x if x.dtype == object and (x == 0).all() else np.clip(x.astype(float), 0, 0.5)


class TooLow(Halfway):
    farthest = Fraction(1, 4)


class TooDeep(Halfway):
    farthest = Fraction(1)


class Moving(Halfway):
    def project(self, x: np.ndarray) -> np.ndarray:
        return x / 2


class Wide(Halfway):
    diameter = Fraction(1, 8)


class Fourth:
    """x^4."""

    dim, strong_convexity, most = 1, 0, 16

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def value(self, x: np.ndarray) -> np.ndarray:
        return (x**4).sum(axis=1)

    def gradient(self, x: np.ndarray) -> np.ndarray:
        return 4 * x**3

    def gradient_square(self, domain: Any) -> Any:
        return self.most


class Concave(Fourth):
    def value(self, x: np.ndarray) -> np.ndarray:
        return -super().value(x)

    def gradient(self, x: np.ndarray) -> np.ndarray:
        return -super().gradient(x)


class Bent(Fourth):
    strong_convexity = 3


class Steep(Fourth):
    most = 1


def test_a_set_and_a_loss_of_ones_own() -> None:
    own = Case(OnlineLosses((Linear(1), Linear(-2)), Halfway(), start="1/2", repeat=3))
    same = Case(OnlineLosses((Linear(1), Linear(-2)), Box(0, "1/2"), start="1/2", repeat=3))
    assert verify(ogd(descent, own)).measured == verify(ogd(descent, same)).measured
    fourth = Case(OnlineLosses((Fourth(), Linear(-1)), Box(0, 1)))
    grid = Regret(comparators=[Fraction(i, 8) for i in range(9)])
    found = verify(ogd(descent, fourth, grid))
    assert (found.status, found.evidence) == ("holds", "exact")
    assert "is not known exactly" in verify(ogd(descent, fourth)).reason


def test_a_set_that_projects_on_floats_has_no_best_point_in_hindsight() -> None:
    one = OnlineLosses((Quadratic("1/3"),), InFloats(), start=0)
    with pytest.raises(ValueError, match="projects exact numbers on floats"):
        one.least_loss()
    assert one.least_loss([0]) == fmpq(1, 18)


@pytest.mark.parametrize(
    ("losses", "domain", "words"),
    [
        ((Linear(1),), TooLow(), "least_linear is above"),
        ((Linear(1),), TooDeep(), "least_linear is below the value of every point"),
        ((Bent(),), Box(0, 1), "is not strongly convex with constant 3"),
        ((Linear(1),), Moving(), "a projection of a projection"),
        ((Linear(1),), Wide(), "farther apart than its diameter"),
        ((Concave(),), Box(0, 1), "is not convex"),
        ((Steep(),), Box(0, 1), "is larger than gradient_square says"),
    ],
)
def test_a_set_or_loss_of_ones_own_must_be_what_it_says(losses: Any, domain: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        OnlineLosses(losses, domain, start=0)


# Searches ---------------------------------------------------------------------------------------------------------------


def searched(step: Any, factor: Any, kinds: Any = ("linear",), domain: Any = None) -> Any:
    return theorem(
        "F: regret <= c D G sqrt(T)",
        quantity <= factor * domain_diameter * gradient_bound * sqrt(n_rounds),
        algorithm=Algorithm("OGD", step),
        measure=Regret(),
        family=lambda: online_losses(domain, kinds, max_repeat=3).map(Case),
        **ZINKEVICH,
    )


def test_a_search_refutes_mutants_and_too_small_constants() -> None:
    for mutant in (searched(ascent, 1), searched(descent, Fraction(1, 9))):
        found = falsify(mutant, work=150).verdict
        assert found is not None
        assert (found.status, found.evidence) == ("violated", "exact")
        assert isinstance(found.case.instance, OnlineLosses)
    assert falsify(searched(descent, 1), work=40).verdict is None


def test_every_kind_of_loss_and_set_is_drawn() -> None:
    kinds, sets = set(), set()

    @given(online_losses(st.one_of(domains(), domains(3)), ("linear", "quadratic")))
    @settings(max_examples=60, database=None, derandomize=True)
    def see(one: OnlineLosses) -> None:
        assert eval(repr(one)) == one
        one.least_loss()
        kinds.update(type(loss) for loss in one.losses)
        sets.add((type(one.domain), one.dim))

    see()
    assert kinds == {Linear, Quadratic}
    assert {kind for kind, _ in sets} == {Box, EuclideanBall, Simplex}
    found = verify(searched(descent, 1, ("absolute", "hinge", "quadratic"), Box((0, -1), (1, 1))))
    assert found.status in ("holds", "vacuous")


# The past ---------------------------------------------------------------------------------------------------------------


def peeking(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    return oracle.project(x - c.step_size * oracle.gradient(x, min(c.round + 1, c.n_rounds - 1)))


def summing(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    """The sum of all losses does not depend on their order."""
    return oracle.project(x - c.step_size * sum(oracle.gradient(x, r) for r in range(c.n_rounds)))


def peeking_once(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    return oracle.project(x - c.step_size * oracle.gradient(x, 12 if c.round == 10 else c.round))


def peeking_late(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    return oracle.project(x - c.step_size * oracle.gradient(x, c.round + (c.round == 500)))


def averaging(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    return oracle.project(x - c.step_size * sum(loss.gradient(x) for loss in oracle.instance.losses))


def test_a_learner_that_knows_the_next_loss_is_refused_where_that_is_assumed() -> None:
    for step, words in (
        (descent, ""),
        (last_loss, ""),
        (peeking, "in round 0 it asks for the loss of round 1: expected past losses only"),
        (summing, "in round 0 it asks for the loss of round 1"),
        (peeking_once, "in round 10 it asks for the loss of round 12"),
        (averaging, "in round 0 it asks for losses, which tells of all losses"),
    ):
        found = verify(replace(ogd(step, SIGNS), assumptions=(past_only,)))
        assert words in found.reason
        assert (found.status == "inapplicable") == bool(words)


def test_a_learner_that_looks_ahead_late_in_a_long_run_is_refused() -> None:
    long = Case(OnlineLosses((Linear(1), Linear(-1)), Box(0, 1), counts=(300, 300)))
    found = verify(replace(ogd(peeking_late, long), assumptions=(past_only,)))
    assert found.status == "inapplicable"
    assert "in round 500 it asks for the loss of round 501" in found.reason


def test_other_instances_are_refused() -> None:
    other = Case(QuadraticClients((1,), (0,), 2), n_rounds=1, step_size="1/2")
    assert past_only.failed(other) == "expected OnlineLosses, one loss for every round"
    assert verify(replace(ogd(free, SIGNS), assumptions=(past_only,))).reason.count("outside the decision set")


# Adversaries ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sign:
    """The loss that is larger where the point lies."""

    size: int = 1

    def answer(self, x: np.ndarray, past: np.ndarray, t: int) -> np.ndarray:
        return np.where(x > 0, self.size, -self.size)


@dataclass(frozen=True)
class Along:
    """A slope that goes on as the past ones went."""

    def answer(self, x: np.ndarray, past: np.ndarray, t: int) -> np.ndarray:
        return np.where(past >= 0, 1, -1)


CALLS = itertools.count()


@dataclass(frozen=True)
class Moody:
    def answer(self, x: np.ndarray, past: np.ndarray, t: int) -> np.ndarray:
        return (-1) ** next(CALLS) + 0 * x


def judged(step: Any, adversary: Any, **given: Any) -> Any:
    claim = ogd(step, Case(AdaptiveLosses(adversary, Box(-1, 1), n_rounds=9, start=0, **given)))
    return verify(replace(claim, algorithm=against(claim.algorithm)))


def test_an_adversary_answers_the_point_that_is_played() -> None:
    """Against the sign of the point, descent with steps 2/3 from 0 goes to 2/3, 0, 2/3, ..; each other loss is its point."""
    found = judged(descent, Sign())
    assert (found.status, found.evidence) == ("holds", "exact")
    assert found.measured == pytest.approx(4 * 2 / 3 + 1)  # the slopes sum to -1, whose best point pays -1
    still = judged(lambda x, oracle, c: oracle.project(x), Along())
    assert (still.status, still.measured) == ("violated", 9)  # it stays at 0, and the slopes are all 1
    assert judged(descent, Along()).status == "holds"


def test_what_is_no_adversary_is_refused() -> None:
    assert "a slope longer than gradient_bound = 1" in judged(descent, Sign(2)).reason
    assert judged(descent, Sign(2), gradient_bound=2).status == "holds"
    assert judged(descent, Moody()).status not in ("holds", "violated")
    assert "outside the decision set" in judged(free, Along()).reason
    with pytest.raises(ValueError, match="gradient_bound = 0"):
        AdaptiveLosses(Sign(), Box(0, 1), 3, 0, gradient_bound=0)
    with pytest.raises(ValueError, match="start = 2 is not in Box"):
        AdaptiveLosses(Sign(), Box(0, 1), 3, 2)
    losses = AdaptiveLosses(Sign(), Box(0, 1), 3, 0)
    assert eval(repr(losses)) == losses
    plain = verify(replace(ogd(descent, SIGNS), algorithm=against(Algorithm("OGD", descent))))
    assert "expected AdaptiveLosses" in plain.reason
    with pytest.raises(VariantError, match="expected no comparators"):
        Regret(comparators=[0]).values(np.zeros((1, 4, 1)), Case(losses))


def test_a_learner_that_draws_is_judged_against_an_adversary_by_its_mean() -> None:
    """It plays 1 or -1 by a fair coin and pays 1 each time against the sign of its point."""

    def coin(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
        return x * 0 + 2 * oracle.coin(0.5)[:, None] - 1

    case = Case(AdaptiveLosses(Sign(), Box(-1, 1), n_rounds=30, start=1))

    def at_most(limit: int) -> Any:
        bound = quantity <= limit * domain_diameter * gradient_bound
        coins = against(Algorithm("coin", coin))
        return theorem("C: coin", bound, algorithm=coins, measure=Regret(), cases=[case], key="k")

    assert (verify(at_most(20)).status, verify(at_most(20)).evidence) == ("holds", "statistical")
    assert verify(at_most(14)).status == "violated"
