"""Runs of rule (4) in every reading beside plain floats; one step of line 9; hypotheses and limits at their boundaries."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx, fmpq

from fltheory.model.bound import BoundError
from fltheory.number import as_number
from fltheory.papers.delta_sgd import notation
from fltheory.papers.delta_sgd.algorithms import optimisers
from fltheory.papers.delta_sgd.convex.cases import APART, case_of_run, line
from fltheory.papers.delta_sgd.convex.closed_forms import conditions, measures
from fltheory.papers.delta_sgd.displays import closed_forms as displays
from fltheory.papers.delta_sgd.instances.piecewise import PiecewiseClients
from fltheory.papers.delta_sgd.kernels import run as kernel
from fltheory.papers.delta_sgd.nonconvex.closed_forms import hypotheses, straight
from fltheory.papers.delta_sgd.nonconvex.closed_forms.measures import _require_run
from fltheory.papers.delta_sgd.one_round import GivenSteps
from fltheory.papers.delta_sgd.rule.closed_forms import measures as of_rule
from fltheory.papers.delta_sgd.rule.closed_forms import runs
from fltheory.papers.delta_sgd.rule.closed_forms.runs import follow
from fltheory.problems.convex import ConvexClients, Huber, Quadratic
from fltheory.runs.method import NotEnumerable, VariantError
from fltheory.runs.step_rule import auto_tuned


def floats(value: Any) -> float:
    return float(as_number(value))


# Runs -------------------------------------------------------------------------------------------------------------------


class Plain:
    """A run in floats: server and clients' points, steps and ratios, as the module describes the reading."""

    def __init__(self, clients: Any, rounds: int, first: float, theta: float, gamma: float, reading: str) -> None:
        self.h = [np.array([[floats(v) for v in row] for row in f.matrix.tolist()]) for f in clients.objectives]
        self.c = [np.array([floats(v) for v in f.centre]) for f in clients.objectives]
        m, x = len(self.h), np.array([floats(v) for v in clients.start])
        pace = [floats(v) for v in clients.pace or (1,) * m]
        self.server, self.points = [x], [[x] * m]
        self.lr, self.ratio = [[first * v for v in pace]], [[theta] * m]
        for t in range(rounds + 1):
            if t:
                self._choose(t, gamma, reading)
            s, own, lr = self.server[t], self.points[t], self.lr[t]
            at = {"A": own, "C": [s] * m}.get(reading, [s] * m)
            moves = [lr[i] * self.gradient(i, at[i]) for i in range(m)]
            if reading in "AC":
                after = [at[i] - moves[i] for i in range(m)]
                self.server.append(sum(after) / m)
            else:
                self.server.append(s - sum(moves) / m)
                after = [self.server[-1]] * m
            self.points.append(after)

    def gradient(self, i: int, x: Any) -> Any:
        return self.h[i] @ (x - self.c[i])

    def _choose(self, t: int, gamma: float, reading: str) -> None:
        m, last = len(self.h), self.lr[t - 1]
        proposals = []
        for i in range(m):
            now, then = self.points[t][i], self.server[t - 1] if reading == "C" else self.points[t - 1][i]
            moved = np.linalg.norm(now - then)
            turned = np.linalg.norm(self.gradient(i, now) - self.gradient(i, then))
            cap = math.sqrt(1 + self.ratio[t - 1][i]) * last[i]
            proposals.append(last[i] if moved == 0 else min(cap, gamma * moved / turned / 2 if turned else math.inf))
        if reading == "step":
            proposals = [min(proposals)] * m
        if reading == "ratio":
            proposals = [v * min(p / q for p, q in zip(proposals, last, strict=True)) for v in last]
        self.lr.append(proposals)
        self.ratio.append([p / q for p, q in zip(proposals, last, strict=True)])


def clients(pace: Any = None) -> ConvexClients:
    """Quadratics of different curvature along the axes, whose steps depend on the way."""
    more = {} if pace is None else {"pace": pace}
    return ConvexClients(APART.objectives, (2, -1), **more)


@pytest.mark.parametrize("reading", ["A", "B", "C", "step", "ratio"])
@pytest.mark.parametrize("pace", [None, (1, 2, "1/2")])
@pytest.mark.parametrize("gamma", [1, "3/2"])
def test_runs_in_every_reading(reading: Any, pace: Any, gamma: Any) -> None:
    own = clients(pace)
    case = case_of_run(own, 5, "1/20", 3, gamma)
    with ctx.workprec(256):
        h = follow(auto_tuned, case, reading)
        plain = Plain(own, 5, 0.05, 3.0, floats(Fraction(gamma)), reading)
        assert h.n_rounds == 5
        for t in range(6):
            assert [floats(v) for v in h.lr[t]] == pytest.approx(plain.lr[t], rel=1e-9)
            assert [floats(v) for v in h.ratio[t]] == pytest.approx(plain.ratio[t], rel=1e-9)
            for i in range(3):
                assert [floats(v) for v in h.gradient[t][i]] == pytest.approx(
                    plain.gradient(i, plain.points[t][i]), abs=1e-9
                )
        for t in range(7):
            assert [floats(v) for v in h.server[t]] == pytest.approx(plain.server[t], abs=1e-9)
            for i in range(3):
                assert [floats(v) for v in h.points[t][i]] == pytest.approx(plain.points[t][i], abs=1e-9)


@pytest.mark.parametrize(("precision", "refused"), [(4095, False), (4096, True)])
def test_runs_that_leave_the_finite_numbers(precision: int, refused: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the highest precision a run of balls that are no numbers is given up; below, more digits may help."""
    monkeypatch.setattr(runs, "_agree_steps", lambda proposals, last, reading: ([arb.nan()] * 2, [fmpq(1)] * 2))
    runs._follow.cache_clear()
    case = case_of_run(line((1, 3), (0, 1), 2), 1, "1/10", 3)
    with ctx.workprec(precision):
        if refused:
            with pytest.raises(NotEnumerable, match="the balls of the run grow too wide"):
                follow(auto_tuned, case, "A")
        else:
            assert not follow(auto_tuned, case, "A").server[-1][0].is_finite()
    runs._follow.cache_clear()


def test_names_of_steps_say_which() -> None:
    assert of_rule.steps().name == "max η_t, t >= 1"
    assert of_rule.steps("least", 0).name == "min η_t, t >= 0"
    assert of_rule.steps("least", -1).name == "min η_t, t the last"


# Line 9 -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lr", [0.5, 0.01])
@pytest.mark.parametrize("ratio", [0.0, 1.0, 3.0])
@pytest.mark.parametrize(
    ("moved", "turned"), [(4.0, 1.0), (1.0, 16.0), (1.0, 0.0), (1e-30, 1e-20), (0.0, 1.0), (0.0, 0.0)]
)
@pytest.mark.parametrize(
    "rule", [(1.0, 1.0, 0.0, math.inf), (1.5, 0.1, 0.0, math.inf), (1.0, 1.0, 0.3, 0.4), (1.0, 0.0, 0.2, 0.2)]
)
def test_one_choice_of_a_step(lr: float, ratio: float, moved: float, turned: float, rule: Any) -> None:
    """min(gamma |x - x'| / (2 |g - g'|), sqrt(1 + delta theta) eta) between the limits; the last one where nothing moved."""
    gamma, delta, least, largest = rule
    new, grown = kernel.next_step(lr, ratio, moved, turned, rule)
    if moved == 0:
        assert (new, grown) == (lr, ratio)
        return
    wanted = math.sqrt(1 + delta * ratio) * lr
    if turned > 0:
        wanted = min(wanted, gamma * math.sqrt(moved / turned) / 2)
    assert new == pytest.approx(min(max(wanted, least), largest), rel=1e-14)
    assert grown == pytest.approx(new / lr, rel=1e-14)


def test_a_step_of_zero_has_the_ratio_zero() -> None:
    assert kernel.next_step(0.0, 1.0, 1.0, 1.0, (1.0, 1.0, 0.0, math.inf)) == (0.0, 0.0)
    assert kernel.next_step(0.0, 1.0, 1.0, 1.0, (1.0, 1.0, 0.25, math.inf)) == (0.25, 0.0)
    assert [kernel.n_drawn(k) for k in (kernel.FRESH, kernel.PAIR, kernel.SAME, kernel.REUSE)] == [3, 2, 1, 1]


def test_the_optimisers_are_the_librarys_own() -> None:
    for one in (
        optimisers.sgd,
        optimisers.sgdm,
        optimisers.decreasing_sgd,
        optimisers.sps,
        optimisers.polyak(Fraction(1), Fraction(1)),
        optimisers.adam,
        optimisers.adagrad,
        optimisers.released_delta_sgd(),
        optimisers.proximal(optimisers.sgd),
    ):
        assert one.own is True, one.name
    assert optimisers.proximal(optimisers.sgd._replace(own=False)).own is False


# Hypotheses -------------------------------------------------------------------------------------------------------------


def test_clients_that_are_no_quadratics_choose_alike_if_they_are_equal() -> None:
    bent, other = Huber((1,), (2,), (0,)), Huber((1,), (3,), (0,))
    square = Quadratic(((1,),), (0,))
    assert conditions._choose_alike((bent, 1), (bent, 1))
    assert not conditions._choose_alike((bent, 1), (bent, 2))
    assert not conditions._choose_alike((bent, 1), (other, 1))
    assert not conditions._choose_alike((bent, 1), (square, 1))
    assert not conditions._choose_alike((square, 1), (bent, 1))


def test_all_neighbouring_clients_must_choose_alike() -> None:
    case = case_of_run(line((2, 2, 3)), 3, "1/10")
    told = conditions.steps_differ(follow(auto_tuned, case, "A"), case)
    assert told is not None
    assert "may differ in round" in told
    paced = case_of_run(line((2, 2), pace=(1, 2)), 2, "1/10")
    assert conditions.steps_differ(follow(auto_tuned, paced, "A"), paced) == "the clients' steps may differ in round 0"
    equal = case_of_run(line((2, 2), pace=(2, 2)), 2, "1/10")
    assert conditions.steps_differ(follow(auto_tuned, equal, "A"), equal) is None


@pytest.mark.parametrize(("step", "fine"), [("1/3", True), ("2/3", True), ("201/300", False)])
def test_a_step_that_is_longer_than_the_inverse_smoothness(step: str, fine: bool) -> None:
    """On 3 (x - 1)^2/2 away from x*: eta |g|^2 <= 2 (<g, x - x*> - (f(x) - f(x*))); the message says whose step, when."""
    case = case_of_run(line((3, 3), (0, 0), 1), 2, "1/10")
    h = follow(auto_tuned, case, "A")
    value = fmpq(Fraction(step).numerator, Fraction(step).denominator)
    for t in (1, 2):
        table = [[fmpq(1, 100)] * 2 for _ in h.lr]
        table[t][1] = value
        told = conditions.a_step_overshoots(replace(h, lr=table), case)
        g, x = [floats(v) for v in h.gradient[t][1]], [floats(v) for v in h.points[t][1]]
        over = float(Fraction(step)) * g[0] ** 2 > 2 * (g[0] * x[0] - 1.5 * x[0] ** 2) + 1e-12
        assert (told is not None) == (over and Fraction(step) > Fraction(1, 3))
        if told:
            assert f"the step {float(Fraction(step)):.6g} of client 1 may overshoot in round {t}" in told
    assert fine == (Fraction(step) <= Fraction(2, 3))


@pytest.mark.parametrize("smoothness", [1, 5])
@pytest.mark.parametrize("first", ["1/20", "2"])
def test_limits_that_are_given_to_a_case(smoothness: int, first: str) -> None:
    """min(eta_0, gamma/(2 L)) and eta_0 times the caps; a rational growth as it is, another with four decimals above."""
    for ratio, steps, growth in ((3, 2, Fraction(2)), (1, 2, Fraction(14143, 10**4)), (1, 1, Fraction(1))):
        case: Any = SimpleNamespace(
            constants={
                notation.theta_0: ratio,
                notation.delta: 1,
                notation.K: steps,
                notation.eta_0: Fraction(first),
                notation.gamma: Fraction(3, 2),
                notation.L: smoothness,
            }
        )
        case.with_settings = lambda **given: given
        assert hypotheses.with_step_limits(case) == {
            "growth": growth,
            "least_step": min(Fraction(first), Fraction(3, 4) / smoothness),
            "largest_step": Fraction(first) * growth,
        }


class Jumps:
    """One client whose mini-batch gradient is x, plus a part that changes with the uniform numbers and the point."""

    def __init__(self, steep: float, draws: int = 2) -> None:
        self.steep, self.draws, self.n_clients = steep, draws, 2
        self.start, self.minimiser = (2, -1), (0, 0)

    def gradient(self, x: Any, i: int) -> Any:
        return x * (i + 1)

    def noise(self, x: Any, i: int, uniforms: Any) -> Any:
        assert uniforms.shape == (len(x), self.draws)
        return self.steep * i * (uniforms[:, :1] - 0.5) * x


def test_mini_batches_that_change_faster_than_the_smoothness() -> None:
    def told(instance: Any, limit: Any) -> str | None:
        return hypotheses._smooth_samples(SimpleNamespace(instance=instance, constants={notation.L: limit}))  # type: ignore[arg-type]

    assert told(Jumps(0.0), 2) is None
    assert told(Jumps(0.0), Fraction(199, 100)) == (
        "a mini-batch gradient of client 1 changes faster than smoothness = 1.99 allows"
    )
    assert told(Jumps(0.0), Fraction(99, 100)) == (
        "a mini-batch gradient of client 0 changes faster than smoothness = 0.99 allows"
    )
    assert told(Jumps(4.0), 4) is None
    assert told(Jumps(4.0), Fraction(39, 10)) is not None  # some of the draws are near 1
    assert told(Jumps(4.0, draws=0), 0) is None  # without noise nothing is asked


@pytest.mark.parametrize("thing", [3, auto_tuned])
def test_only_algorithms_are_run(thing: Any) -> None:
    name = auto_tuned.name if thing is auto_tuned else "3"
    with pytest.raises(VariantError, match=f"^{name} is of type {type(thing).__name__}, expected an Algorithm"):
        _require_run(thing)


# Sides, sums and displays ------------------------------------------------------------------------------------------------


def test_balls_that_touch_zero_stay_on_their_side() -> None:
    """A term that is not surely negative is not moved to the other side."""
    touching = arb(-0.5, 0.5)
    for found in (
        measures.side_ratio([touching], [fmpq(1)]),
        measures.side_ratio([touching, fmpq(1)], [fmpq(1), fmpq(0)]),
    ):
        assert float(found.rad()) == pytest.approx(0.5, rel=1e-6)
    down = measures.side_ratio([fmpq(1)], [touching, fmpq(3)])
    assert floats(1 / down) == pytest.approx(2.5, rel=1e-6)


@pytest.mark.parametrize("direct", [True, False])
def test_the_sum_of_the_steps_is_the_constant_itself(direct: bool) -> None:
    case = case_of_run(clients(), 4, "1/20", 3)
    value, read = measures.StepSum("A", direct=direct).follow(auto_tuned, case)
    assert (value is read[notation.S]) == direct
    assert floats(value) == pytest.approx(floats(read[notation.S]), rel=1e-9)


def test_weights_before_the_moves() -> None:
    for gamma, wanted in ((1, Fraction(1, 3)), ("3/2", Fraction(9, 7)), ("199/100", Fraction(199**2, 40000 - 199**2))):
        assert Fraction(as_number(measures.move_weight(case_of_run(line((1,)), 1, "1/10", 1, gamma)))) == wanted
    for gamma in (2, 3):
        with pytest.raises(BoundError, match="is a weight only for γ < 2"):
            measures.move_weight(case_of_run(line((1,)), 1, "1/10", 1, gamma))


def test_errors_and_factors_of_display_28() -> None:
    """With three local steps, from the sums of the round by plain arithmetic."""
    given = PiecewiseClients((-2, 0, 3), (((-3, -1, 2), (-1, 1, 1)), ((-6, -2, 4), (-2, 2, 2))), ("1/3", "2/3"))
    one = GivenSteps(given, 1, ((("1/2",), ("1/4",), ("1/8",)), (("1/3",), ("1/5",), ("2/5",))))
    L, G, sigma, rho, b = (floats(one.constants[getattr(notation, k)]) for k in ("L", "G", "sigma", "rho", "b"))
    assert rho == pytest.approx(1 / 9)
    steps = [[0.5, 0.25, 0.125], [1 / 3, 0.2, 0.4]]
    total = sum(map(sum, steps)) / 2
    squares = sum(v * v for own in steps for v in own) / 2
    fourth = sum(sum(v * v for v in own) ** 2 for own in steps) / 2
    psi = sigma**2 / b + G**2
    drifted = 2 * 9 * L**2 * psi * fourth
    wanted = drifted / total + 2 * 3 * L * sigma**2 / b * squares + 2 * L * drifted
    assert floats(displays.errors(one)) == pytest.approx(wanted)
    factor = total / 2 - 3 * rho * squares / total - 2 * 3 * L * (1 + rho) * squares
    assert floats(displays.gradient_factor(one)) == pytest.approx(factor)
    path = one.courses[0][0]
    past, nested = 0.0, 0.0
    for k, v in enumerate(steps[0]):
        nested, past = nested + k * v * v * past, past + v * v
    assert floats(displays.nested_ratio(path)) == pytest.approx(nested / past**2)


@pytest.mark.parametrize("n_steps", [1, 2, 3])
def test_throws_that_reach_just_as_far_as_the_bend(n_steps: int) -> None:
    lr, ratio = 0.25, 3.0
    for _ in range(n_steps - 1):
        ratio = math.sqrt(1 + ratio)
        lr *= ratio
    c = {"eta_0": Fraction(1, 4), "theta_0": 3, "gamma": 2, "delta": 1, "K": n_steps, "T": 9}
    case: Any = SimpleNamespace(constants={getattr(notation, k): v for k, v in c.items()})
    for factor, reached in ((0.999, True), (1.001, False)):
        table = ((0, 0, 1), (0, 0, 4), (1, 1, Fraction(lr * 2 * factor)), (2, -2, 0))
        game: Any = SimpleNamespace(scales=table[0], tilts=table[3], table=table, mean_slopes=(-1, Fraction(3, 4)))
        assert (straight.throw_lower_limit(game, case) is not None) == reached


def test_pairs_of_a_run_are_those_that_move() -> None:
    case = case_of_run(line((1, 3), (2, 1), 2), 2, "1/10", 3)  # the first client begins at its centre
    h = of_rule.local_runs(auto_tuned, case)
    found = list(of_rule.pairs(h))
    assert [(t, i) for t, i, _, _ in found] == [(1, 1), (2, 1)]
    for (_, _, moved, turned), (one, two) in zip(
        found, itertools.pairwise(h.points[t][1][0] for t in range(3)), strict=True
    ):
        assert floats(moved) == pytest.approx(floats(two - one) ** 2)
        assert floats(turned) == pytest.approx(9 * floats(two - one) ** 2)
