"""Lower limits of runs and games with too many courses to list: no exact value is below, and they are near it."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx

from fltheory.claims.check import check_claim
from fltheory.evidence.measured import AtLeast
from fltheory.games.dynamic_regret import DynamicRegret
from fltheory.games.player import Sampler
from fltheory.model.case import Case
from fltheory.number import BALL, evaluate_ball, to_ball, to_float
from fltheory.papers.osmd import notation
from fltheory.papers.osmd.algorithms import grid as adaptive_grid
from fltheory.papers.osmd.algorithms import osmd, switching
from fltheory.papers.osmd.algorithms.adaptive import adaptive, doubling
from fltheory.papers.osmd.experts.cases import FollowedAdversary, SwitchingAdversary
from fltheory.papers.osmd.experts.claims import enclosed_trap, trap
from fltheory.papers.osmd.experts.closed_forms import lower_limits
from fltheory.papers.osmd.experts.kernels import leaving as kernel
from fltheory.papers.osmd.fedavg.claims import case_of_run
from fltheory.papers.osmd.fedavg.closed_forms import lower_limits as apart
from fltheory.papers.osmd.fedavg.closed_forms.fedavg import FedAvgGradient
from fltheory.papers.osmd.fedavg.closed_forms.lower_limits import least_gradient
from fltheory.papers.osmd.instances.bounded_clients import ApartClients
from fltheory.papers.osmd.sgd.closed_forms.sgd import MeanSquaredGradient
from fltheory.runs.constants import run_constants
from fltheory.verification import find

# FedAvg, clients that pull apart --------------------------------------------------------------------------------------

GRADIENT = FedAvgGradient()


def run(n_rounds: int = 4, level: int = 1, loose: int = 10**5, **more: object) -> Case:
    clients = ApartClients((1,), level, "1/50", more.pop("bend", 2), 1, "1/2", more.pop("noise_std", 0))  # type: ignore[arg-type]
    given: dict[str, object] = {"step_size": "1/10", "sampler_rate": "1/1000000", "max_feedback": "1/9"}
    return case_of_run(clients, n_rounds, gradient_bound=loose, **{**given, **more})


def limit_of(sampler: object, case: Case) -> arb:
    found = least_gradient(sampler, case)  # type: ignore[arg-type]
    assert isinstance(found, AtLeast)
    return found.value  # type: ignore[return-value]


@pytest.mark.parametrize("sampler", [osmd, adaptive(), adaptive("printed")], ids=lambda s: s.name)
@pytest.mark.parametrize(("level", "bend"), [(1, 2), (3, 2), (1, "1/5")])
def test_no_enumerated_run_is_below_its_limit(sampler: object, level: int, bend: object) -> None:
    case = run(level=level, bend=bend, n_rounds=4, max_feedback=10**9)
    exact = MeanSquaredGradient.exact(GRADIENT, sampler, case, BALL)  # type: ignore[arg-type]
    limit = limit_of(sampler, case)
    assert limit <= exact
    if bend == 2:
        assert limit > exact / 2


def test_the_largest_rate_is_that_of_the_last_expert() -> None:
    case = run(max_feedback=10**9)
    rates = adaptive_grid.expert_grid(run_constants(case, None))
    assert len(rates) > 1
    found = apart._largest_rate(adaptive(), case)
    assert found is not None
    assert to_float(found) == pytest.approx(max(rates), rel=1e-12)
    own = apart._largest_rate(osmd, case)
    assert own is not None
    assert own.contains(to_ball(Fraction(1, 10**6)))
    assert apart._largest_rate(osmd._replace(exact=None), case) is None


def test_a_sampler_that_learns_has_a_lower_limit() -> None:
    slow, fast = (run(sampler_rate=rate) for rate in ("1/1000000", "1/100"))
    assert limit_of(osmd, fast) < limit_of(osmd, slow)
    exact = MeanSquaredGradient.exact(GRADIENT, osmd, fast, BALL)
    assert limit_of(osmd, fast) <= exact


def test_what_the_argument_does_not_cover_has_none() -> None:
    learner = osmd._replace(step=lambda p, counts, feedback, c: p)
    assert least_gradient(learner, run()) is None
    assert least_gradient(doubling(), run(max_feedback=10**9)) is None
    assert least_gradient(osmd, run(n_sampled=2)) is None
    assert least_gradient(osmd, run(n_local_steps=2)) is None
    assert least_gradient(osmd, run(step_size="3/4")) is None
    assert least_gradient(osmd, run(noise_std=1)) is None


class MyClients(ApartClients):
    """Clients with a slope of their own."""

    def slope(self, w: np.ndarray) -> np.ndarray:
        return super().slope(w)


class MyGame(FollowedAdversary):
    """A game with an adversary of its own."""

    def reveal(self, *given: Any) -> Any:
        return super().reveal(*given)


def test_clients_and_games_of_ones_own_have_no_limit() -> None:
    mine = case_of_run(
        MyClients((1,), 1, "1/50", 2, 1, "1/2", 0),
        4,
        gradient_bound=10**5,
        step_size="1/10",
        sampler_rate="1/1000000",
        max_feedback="1/9",
    )
    assert least_gradient(osmd, mine) is None
    other = Case(MyGame(9, 1, "3/4", SIZE, "13/25"))
    assert lower_limits.least_regret(other, "printed", False) is None


def test_simulated_runs_are_above_the_limit() -> None:
    case = run(n_rounds=200, level=28, bend=1, step_size="1/100")
    found = GRADIENT.simulate(osmd, case, 0, np.arange(400))
    limit = to_float(limit_of(osmd, case))
    assert 0 < limit < found.mean() + 4 * found.std() / 20
    assert limit > 0.15 * found.mean()


@pytest.mark.parametrize("name", ["T5", "T9b"])
def test_the_printed_rates_are_refuted_by_exact_evidence_and_the_corrected_ones_are_not(name: str) -> None:
    printed, corrected = find(f"osmd/C-{name}@printed"), find(f"osmd/C-{name}@corrected")
    (case,) = printed.cases
    verdict = check_claim(printed, case)
    assert (verdict.status, verdict.evidence) == ("violated", "exact")
    assert verdict.ratio is not None
    assert verdict.ratio > 4
    assert check_claim(corrected, case).status != "violated"


@pytest.mark.parametrize("name", ["T5", "T9b"])
def test_they_are_refuted_whatever_the_value_of_the_game_is(name: str) -> None:
    """The case takes zeta_fix for zeta_T: without a budget zeta_T^2 is between (1 - 1/T) zeta_fix^2 and zeta_fix^2 (C-11-still).

    The step rises by the inverse ratio at most, and the bound falls.
    """
    claim = find(f"osmd/C-{name}@printed")
    case = claim.prepared(claim.cases[0])
    constants, rounds = case.constants, int(case.constants[notation.T])
    assert constants[notation.beta] == 0
    step = to_ball(constants[notation.mu]) * to_ball(constants[notation.server])
    steps = step.union(step / (1 - arb(1) / rounds).sqrt())
    rate = apart._largest_rate(claim.algorithm, case)
    assert rate is not None
    assert (steps * to_ball(case.instance.curvature) * 2).upper() <= 1
    least = apart._least(case.instance, steps, rate, rounds)
    assert least > 4 * evaluate_ball(claim.bound.expr, claim.bound.complete(constants, ()))


# An adversary that leaves whoever is favoured ---------------------------------------------------------------------------

REGRET = DynamicRegret()
SIZE = 10**24
PRINTED = {False: switching.adaptive("printed"), True: switching.doubling("printed")}


def game(n_rounds: int, floor: object = "3/4", threshold: object = "13/25", **more: object) -> FollowedAdversary:
    return FollowedAdversary(n_rounds, 1, floor, SIZE, threshold, **more)  # type: ignore[arg-type]


def block_of(one: FollowedAdversary) -> lower_limits._Block:
    """The one block of Algorithm 5."""
    c, size = run_constants(Case(one), BALL), to_ball(one.size)
    rate = lower_limits.meta_rate(c, "printed", one.n_rounds, balls=True) * size
    return lower_limits._Block(c, rate, size, one.n_rounds, one.n_rounds)


def course(one: FollowedAdversary, steps: int) -> list[arb]:
    """The active client's probability before each update of Algorithm 5, as ``leaving`` follows it."""
    with ctx.workprec(lower_limits.PRECISION):
        return list(islice(lower_limits.updates(one.floor, one.threshold, block_of(one)), steps))


@pytest.mark.parametrize(
    ("floor", "threshold", "start"), [("3/4", "13/25", 0), ("7/10", "101/200", 1), ("9/20", "3/5", 0)]
)
def test_the_course_of_updates_is_that_of_the_sampler(floor: object, threshold: object, start: int) -> None:
    one = game(2000, floor, threshold, start=start)
    expected = course(one, 60)
    with ctx.workprec(6000):
        twin, c = PRINTED[False].exact, run_constants(Case(one), BALL)
        assert twin is not None
        state, memory = twin.init(1, c), one.memory(1)
        for p in expected:
            play = twin.play(state, c)
            feedback, memory = one.reveal(0, play, memory, BALL)
            active = int(memory[0, 0])
            assert play[0, active].overlaps(p)
            assert abs(play[0, active] - p) < 1e-15
            unseen = np.where(np.arange(2) == active, 0, 1)[None]
            after = twin.step(state, unseen, feedback * unseen, c)
            assert all(v.overlaps(w) for v, w in zip(twin.play(after, c)[0], play[0], strict=True))
            state = twin.step(state, 1 - unseen, feedback, c)


@pytest.mark.parametrize(
    ("n_rounds", "floor", "threshold"), [(12000, "3/4", "13/25"), (3000, "9/20", "3/5"), (2000, "1/2", "101/200")]
)
def test_the_compiled_course_encloses_the_one_in_balls(n_rounds: int, floor: object, threshold: object) -> None:
    one = game(n_rounds, floor, threshold)
    with ctx.workprec(lower_limits.PRECISION):
        block = block_of(one)
        found = lower_limits.compiled_chances(one.floor, one.threshold, block)
        balls = lower_limits.followed_chances(one.floor, one.threshold, block)
        assert found is not None
        assert np.all(found.high - found.low < 1e-11)
        assert len(found.low) == len(balls.low)
        assert np.all(found.low <= balls.low)
        assert np.all(balls.high <= found.high)
        limits = [lower_limits._limit(lower_limits._path(v), one.threshold, one.n_rounds) for v in (found, balls)]
        assert abs(limits[0] - limits[1]) < 1e-6


def test_the_sums_of_a_course_are_limits() -> None:
    low = np.array([0.375, 0.51, 0.49, 1 / 3])
    path = lower_limits._path(kernel.Ends(low, low * (1 + 1e-9)))
    assert len(path) == 5
    for k in range(5):
        exact = [Fraction(v) for v in low[:k]]
        sums = sum((1 / p - 2) / p for p in exact), sum(1 / p for p in exact), sum((1 - p) / p**2 for p in exact)
        assert all(ball.contains(to_ball(v)) for ball, v in zip(path.at(k), sums, strict=True))
        assert all(ball.rad() < 1e-7 for ball in path.at(k))
        assert path.least(k, k) <= to_ball(sums[0])


def test_the_compiled_probability_is_as_near_as_its_budget() -> None:
    for y in (0.0, 1e-300, -1e-9, *np.random.default_rng(0).uniform(-kernel.FARTHEST, kernel.FARTHEST, 2000)):
        with ctx.workprec(200):
            true = 1 / (1 + (-arb(y)).exp())
            assert abs(arb(kernel.probability(y)) / true - 1) < arb(2) ** -47


def test_gains_that_underflow_or_overflow_are_enclosed_or_given_up() -> None:
    """An update of 5e-317 is moved outwards; what is no number is no interval."""
    low, high = kernel._move_odds(0.0, 0.0, 5e-317, 5e-317, 0.5, 0.5, 1.0, 1.0)
    assert low < 5e-317 * 8 < high
    one = np.array([0.0])
    huge = kernel.Start(True, kernel.Ends(one + 1e308, one + 1e308), kernel.Ends(one, one), kernel.Ends(one, one))
    known = kernel.Ends(np.array([0.5]), np.array([0.5]))
    assert kernel.follow_updates(huge, known, (1.0, 1.0), (0.6, 0.6), 9) is None


def test_a_course_that_intervals_leave_open_is_given_up() -> None:
    one = game(2000, "3/4", "101/200")
    with ctx.workprec(lower_limits.PRECISION):
        block = block_of(one)
        assert lower_limits.compiled_chances(Fraction(1, 10), one.threshold, block) is None  # too far from the middle
        found = lower_limits.compiled_chances(one.floor, one.threshold, block)
        assert found is not None
        met = Fraction(float(found.low.max()))  # a threshold within what is known of a play
        assert lower_limits.compiled_chances(one.floor, met, block) is None


def by_counting(one: FollowedAdversary) -> float:
    """The expected regret over A from the course of updates, by the law of their number round by round."""
    chances = np.array([to_float(p) for p in course(one, one.n_rounds)])
    law, total = np.zeros(one.n_rounds + 1), 0.0
    law[0] = 1.0
    for _ in range(one.n_rounds):
        total += float((law[:-1] * (1 / chances - 2)).sum())
        drawn = law[:-1] * chances
        law[:-1] -= drawn
        law[1:] += drawn
    return total


@pytest.mark.parametrize("n_rounds", [1, 2, 5, 9])
@pytest.mark.parametrize("doubling_", [False, True])
def test_no_enumerated_game_is_below_its_limit(n_rounds: int, doubling_: bool) -> None:
    one = game(n_rounds)
    with ctx.workprec(1000):
        exact = REGRET._enumerated(PRINTED[doubling_], Case(one))
    found = lower_limits.least_regret(Case(one), "printed", doubling_)
    assert found is not None
    assert to_ball(found.value) <= exact + 1e-9 * SIZE
    if not doubling_:
        assert by_counting(one) == pytest.approx(to_float(exact) / SIZE, abs=1e-9)


def test_the_limit_of_a_longer_game_is_near_its_regret() -> None:
    one = game(3000)
    found = lower_limits.least_regret(Case(one), "printed", False)
    assert found is not None
    counted = by_counting(one)
    assert 0.75 * counted < to_float(found.value) / SIZE < counted
    simulated = REGRET.simulate(PRINTED[False], Case(one), 0, np.arange(400)) / SIZE
    assert abs(simulated.mean() - counted) < 5 * simulated.std() / 20


def test_restarts_add_up() -> None:
    one = game(1500)
    found = lower_limits.least_regret(Case(one), "printed", True)
    assert found is not None
    simulated = REGRET.simulate(PRINTED[True], Case(one), 0, np.arange(400)) / SIZE
    assert 0 < to_float(found.value) / SIZE < simulated.mean() + 4 * simulated.std() / 20


def test_other_games_and_samplers_have_no_limit() -> None:
    one = game(2000)
    assert lower_limits.least_regret(Case(one), "corrected", False) is None
    assert lower_limits.least_regret(Case(SwitchingAdversary(2000, 1, "3/4", SIZE, "13/25")), "printed", False) is None
    assert lower_limits.least_regret(Case(one.replaced(n_sampled=2)), "printed", False) is None
    assert lower_limits.least_regret(Case(one.replaced(size=1)), "printed", False) is None
    assert lower_limits.least_regret(Case(one.replaced(threshold="2/5")), "printed", False) is None
    mutant: Sampler = PRINTED[False]._replace(step=lambda state, counts, feedback, c: state)
    assert mutant.least is None


def test_games_of_more_rounds_than_can_be_followed_have_no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    for most, told in ((5, True), (4, False)):
        monkeypatch.setattr(lower_limits, "MOST", most)
        assert (lower_limits.least_regret(Case(game(5)), "printed", False) is not None) == told


def test_theorem_8_as_printed_is_refuted_by_exact_evidence_and_the_corrected_one_is_not() -> None:
    printed, corrected = find("osmd/C-T8@printed"), find("osmd/C-T8@corrected")
    (case,) = printed.cases
    verdict = check_claim(printed, case, stages=())
    assert (verdict.status, verdict.evidence) == ("violated", "exact")
    assert check_claim(corrected, case).status != "violated"


@pytest.mark.turns(3)
def test_theorem_10_as_printed_is_refuted_by_exact_evidence() -> None:
    printed = find("osmd/C-T10@printed")
    (case,) = printed.cases
    verdict = check_claim(printed, case, stages=())
    assert (verdict.status, verdict.evidence) == ("violated", "exact")


@pytest.mark.turns(3)
def test_the_games_that_are_simulated_agree() -> None:
    assert check_claim(find("osmd/C-T8@printed"), trap(60_000)).status == "violated"
    assert enclosed_trap(10).instance.n_rounds == 10


def test_a_server_without_a_step_size_of_its_own_takes_the_whole_step() -> None:
    """The step is that of the clients times the server's, which is 1 where none is given."""
    whole = run()
    settings = {name: value for name, value in whole.settings if name != "server_step_size"}
    bare = Case(whole.instance, **settings)
    for case, step in ((bare, "1/10"), (bare.with_settings(server_step_size="1/2"), "1/20")):
        same = run(step_size=step)
        assert limit_of(osmd, case).overlaps(limit_of(osmd, same))
    assert not limit_of(osmd, bare).overlaps(limit_of(osmd, run(step_size="1/20")))
