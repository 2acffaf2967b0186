"""Hypotheses of Theorem 5, fixed points, quotients, points of the checks: by fractions, at their boundaries too."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq

from fltheory.model.bound import BoundError
from fltheory.model.case import Case
from fltheory.number import as_number
from fltheory.papers.delta_sgd import kernels, notation
from fltheory.papers.delta_sgd.algorithms import pair
from fltheory.papers.delta_sgd.convex.cases import case_of_run, line
from fltheory.papers.delta_sgd.convex.closed_forms import conditions, measures
from fltheory.papers.delta_sgd.displays import closed_forms as displays
from fltheory.papers.delta_sgd.instances.piecewise import PiecewiseClients
from fltheory.papers.delta_sgd.nonconvex.closed_forms import hypotheses, straight
from fltheory.papers.delta_sgd.nonconvex.closed_forms.measures import MeanSquaredGradient
from fltheory.papers.delta_sgd.one_round import GivenSteps, Rounds
from fltheory.papers.delta_sgd.rule.closed_forms import fixed_points, runs
from fltheory.papers.delta_sgd.rule.closed_forms import measures as of_rule
from fltheory.papers.delta_sgd.rule.closed_forms.runs import follow
from fltheory.problems.convex import Quadratic
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.method import NotEnumerable
from fltheory.runs.step_rule import auto_tuned


def number(value: Any) -> Fraction:
    return Fraction(as_number(value))


def bowl(curvature: Any, *centre: Any) -> Quadratic:
    n = len(centre)
    return Quadratic(tuple(tuple(curvature if i == j else 0 for j in range(n)) for i in range(n)), centre)


# Hypotheses of Theorem 5 ----------------------------------------------------------------------------------------------------


def test_equal_first_steps_that_stay_equal() -> None:
    """Of equal functions, or of isotropic ones of one curvature, at the same pace."""
    oval = Quadratic(((1, 0), (0, 2)), (0, 0))
    other = Quadratic(((1, 0), (0, 2)), (1, 0))
    for one, two, wanted in (
        ((bowl(2, 0, 0), 1), (bowl(2, 0, 0), 1), True),
        ((bowl(2, 0, 0), 1), (bowl(2, 1, 5), 1), True),
        ((bowl(2, 0, 0), 1), (bowl(2, 1, 5), 2), False),
        ((bowl(2, 0, 0), 1), (bowl(3, 0, 0), 1), False),
        ((oval, 1), (oval, 1), True),
        ((oval, 1), (other, 1), False),
        ((oval, 1), (bowl(2, 0, 0), 1), False),
        ((bowl(2, 0, 0), 1), (oval, 1), False),
    ):
        assert conditions._choose_alike(one, two) == wanted


def test_steps_that_differ_are_seen_in_their_round() -> None:
    case = case_of_run(line((1, 3)), 3, "1/10")
    h = follow(auto_tuned, case, "A")
    first = next(t for t, own in enumerate(h.lr) if own[0] != own[1] or isinstance(own[0], arb))
    assert conditions.steps_differ(h, case) == f"the clients' steps may differ in round {first}"
    alike = case_of_run(line((2, 2), (0, 1)), 3, "1/10")
    assert conditions.steps_differ(follow(auto_tuned, alike, "A"), alike) is None
    same = replace(h, lr=[[fmpq(1, 3)] * 2 for _ in h.lr])
    assert conditions.steps_differ(same, case) is None
    balls = replace(h, lr=[[arb(1), arb(1)] for _ in h.lr])
    assert conditions.steps_differ(balls, case) == "the clients' steps may differ in round 0"


@pytest.mark.parametrize(("step", "why"), [("1/2", None), ("1", None), ("1001/1000", "may overshoot in round 1")])
def test_steps_that_overshoot(step: str, why: str | None) -> None:
    """On h x^2/2 a step of 1/h at most does not; a longer one has eta h^2 x^2 > h x^2."""
    case = case_of_run(line((1, 1)), 2, "1/10")
    h = follow(auto_tuned, case, "A")
    given = replace(
        h, lr=[h.lr[0], *[[fmpq(Fraction(step).numerator, Fraction(step).denominator)] * 2 for _ in h.lr[1:]]]
    )
    told = conditions.a_step_overshoots(given, case)
    assert (told is None) == (why is None)
    assert why is None or why in str(told)


# Fixed points ---------------------------------------------------------------------------------------------------------------


def client(curvature: Any, centre: Any, steps: Any, stiffness: Any = 0) -> fixed_points.Client:
    own = [fmpq(Fraction(s).numerator, Fraction(s).denominator) for s in steps]
    stiff, left = fmpq(curvature) + stiffness, fmpq(1)
    for lr in own:
        left *= 1 - lr * stiff
    centres = np.array([fmpq(c) for c in centre], dtype=object)
    return fixed_points.Client(fmpq(curvature), centres, own, left, (1 - left) * curvature / stiff)


TWO = [client(2, (1, 0), ("1/4", "1/8")), client(5, (-3, 2), ("1/10",))]


@pytest.mark.parametrize("kind", ["equal", "debiased", "inverse", "fednova"])
def test_the_fixed_point_of_weighted_moves(kind: Any) -> None:
    """Where sum_i w_i q_i (c_i - x) = 0, with w_i = 1, L_i/q_i, 1/q_i or 1/(sum of the steps)."""
    pulls = [1 - Fraction(1, 2) * Fraction(3, 4), Fraction(1, 2)]
    assert [number(c.pull) for c in TWO] == pulls
    weights = {
        "equal": [1, 1],
        "debiased": [2 / pulls[0], 5 / pulls[1]],
        "inverse": [1 / pulls[0], 1 / pulls[1]],
        "fednova": [Fraction(8, 3), 10],
    }[kind]
    assert [number(fixed_points.weight(c, kind)) for c in TWO] == weights
    end = [number(v) for v in fixed_points.fixed_point(TWO, kind)]
    for axis, (a, b) in enumerate(((1, -3), (0, 2))):
        moves = [w * q * (c - end[axis]) for w, q, c in zip(weights, pulls, (a, b), strict=True)]
        assert sum(moves) == 0
    assert [number(v) for v in fixed_points.minimiser(TWO)] == [Fraction(2 - 15, 7), Fraction(10, 7)]
    assert [number(v) for v in fixed_points.mean_centre(TWO)] == [-1, 1]
    assert fixed_points.spread(TWO) == 16 + 4
    assert fixed_points.spread([TWO[0], replace(TWO[1], centre=TWO[0].centre)]) == 1


def test_clients_that_do_not_move_have_no_weights() -> None:
    still = client(2, (1, 0), (1,))  # one step of 2/L: it ends where it began
    assert still.pull == 2
    still = replace(still, pull=fmpq(0))
    for kind in ("debiased", "inverse"):
        with pytest.raises(BoundError, match="a client may end where it begins"):
            fixed_points.fixed_point([TWO[0], still], kind)  # type: ignore[arg-type]
    away = replace(still, pull=-TWO[0].pull)
    for others in ([still, still], [TWO[0], away]):
        with pytest.raises(BoundError, match="a round may move nothing at all"):
            fixed_points.fixed_point(others)
    assert [number(v) for v in fixed_points.fixed_point([TWO[0], still])] == [1, 0]
    backwards = [replace(c, pull=-c.pull) for c in TWO]
    assert list(fixed_points.fixed_point(backwards, "inverse")) == list(fixed_points.fixed_point(TWO, "inverse"))


@pytest.mark.parametrize("matrix", [((1, 0), (0, 2)), ((1, 1), (1, 1)), ((0, 0), (0, 0)), ((2, 0), (0, 1))])
def test_other_functions_have_no_one_curvature(matrix: Any) -> None:
    with pytest.raises(BoundError, match="expected isotropic quadratics"):
        fixed_points.curvature_and_centre(Quadratic(matrix, (1, 2)))
    curvature, centre = fixed_points.curvature_and_centre(bowl(3, 1, 2))
    assert curvature == 3
    assert list(centre) == [1, 2]


# Quotients and points -------------------------------------------------------------------------------------------------------


def test_quotients_by_zero() -> None:
    assert displays.quotient(fmpq(0), fmpq(0)) == 0
    assert displays.quotient(fmpq(1), fmpq(0)) == arb.pos_inf()
    assert displays.quotient(fmpq(-1), fmpq(0)) == arb.neg_inf()
    assert displays.quotient(fmpq(-1), fmpq(2)) == fmpq(-1, 2)
    assert displays.largest([fmpq(-3), fmpq(2)]) == 3
    assert displays.largest([]) == 0
    assert displays.square(fmpq(-3)) == 9


def test_the_omitted_term_is_none_where_no_client_moves() -> None:
    """0 of 0 is 0: at a common minimiser all gradients are 0."""
    case = case_of_run(line((1, 3), start=0), 2, "1/10")
    quantity = measures.omitted_term_ratio("A")
    value, _ = quantity.follow(auto_tuned, case)
    assert number(value) == 0


@pytest.mark.parametrize(("start", "minimiser"), [((3, -1), (1, 0)), ((0, 0), (0, 0))])
def test_points_around_the_minimiser(start: Any, minimiser: Any) -> None:
    """From the minimiser towards the start and away from it, and along each axis: 0.01 to 1000 times the way."""
    instance = SimpleNamespace(start=start, minimiser=minimiser)
    found = hypotheses._points(instance)  # type: ignore[arg-type]
    way = np.array(start, dtype=float) - minimiser
    way = way if way.any() else np.ones(2)
    sizes = [10 ** (-2 + k / 3) for k in range(16)]
    each = [-v for v in reversed(sizes)] + sizes
    axes = [way, np.array([np.abs(way).max(), 0]), np.array([0, np.abs(way).max()])]
    wanted = [np.array(minimiser) + v * axis for axis in axes for v in each]
    assert found == pytest.approx(np.array(wanted))


@pytest.mark.parametrize(("ratio", "damping", "n"), [(0, 1, 4), (3, 1, 3), ("1/2", "1/3", 2), (2, 1, 1)])
def test_caps_of_a_round(ratio: Any, damping: Any, n: int) -> None:
    """Products of g_1 = sqrt(1 + delta theta_0), g_(k+1) = sqrt(1 + delta g_k), k = 1..K-1."""
    last, product = float(Fraction(ratio)), 1.0
    for _ in range(n - 1):
        last = (1 + float(Fraction(damping)) * last) ** 0.5
        product *= last
    assert float(hypotheses.caps(Fraction(ratio), Fraction(damping), n)) == pytest.approx(product)


def limits(**changes: Any) -> Any:
    given = {
        "eta_0": Fraction(1, 2),
        "gamma": 1,
        "L": 2,
        "h": Fraction(1, 4),
        "a": Fraction(1),
        "theta_0": 3,
        "delta": 1,
    }
    return SimpleNamespace(
        constants={getattr(notation, k): v for k, v in {**given, "K": 2, "Pi": 2, **changes}.items()}
    )


def test_limits_of_the_steps_of_a_round() -> None:
    """h <= min(eta_0, gamma/(2 L)) and a >= eta_0 times the caps, both at the boundary."""
    assert hypotheses._within(limits()) is None
    assert (
        hypotheses._within(limits(h=Fraction(26, 100)))
        == "least_step is not shown to be below min(eta_0, gamma/(2L)) = 0.25"
    )
    assert hypotheses._within(limits(h=Fraction(26, 100), gamma=2)) is None
    assert "min(eta_0, gamma/(2L)) = 0.5" in str(hypotheses._within(limits(h=Fraction(51, 100), gamma=8)))
    low = hypotheses._within(limits(a=Fraction(99, 100)))
    assert low == "largest_step is not shown to be above eta_0 times the caps of a round = 1"
    assert hypotheses._why_not_grown(limits()) is None
    told = hypotheses._why_not_grown(limits(Pi=Fraction(199, 100)))
    assert told == "growth is not shown to be above the caps of a round = 2"
    assert hypotheses._first_within(limits()) is None
    assert hypotheses._first_within(limits(h=Fraction(1, 2), a=Fraction(1, 2))) is None
    for wrong in ({"h": Fraction(51, 100)}, {"a": Fraction(49, 100)}):
        assert hypotheses._first_within(limits(**wrong)) == "eta_0 is not in [least_step, largest_step]"
    assert hypotheses._above(arb(2).sqrt()) == Fraction(14143, 10**4)
    assert hypotheses._above(arb(1)) == Fraction(10001, 10**4)


# Compiled runs --------------------------------------------------------------------------------------------------------------


def test_clients_of_bounded_gradients_and_of_the_mean() -> None:
    """|g_i| <= G at all points; |g_i - g|^2 <= rho |g|^2 at all points."""
    one = QuadraticClients((1, 1), (0, 0), 1)
    x = hypotheses._points(one)
    top = int(np.abs(x).max())
    assert top == 1000
    case = SimpleNamespace(instance=one, constants={notation.G: top, notation.rho: 0})
    assert hypotheses._why_not_bounded(case) is None  # type: ignore[arg-type]
    assert hypotheses._similar(case) is None  # type: ignore[arg-type]
    case.constants[notation.G] = 999
    assert "is below the found" in str(hypotheses._why_not_bounded(case))  # type: ignore[arg-type]
    case.instance = QuadraticClients((1, 3), (0, 0), 1)  # gradients x and 3 x, mean 2 x: apart by a quarter of |g|^2
    for rho, fine in ((Fraction(1, 4), True), (Fraction(249, 1000), False)):
        case.constants[notation.rho] = rho
        assert (hypotheses._similar(case) is None) == fine  # type: ignore[arg-type]


def test_as_arrays_refuses_what_is_not_the_librarys() -> None:
    assert kernels.as_arrays(SimpleNamespace()) is None  # type: ignore[arg-type]


# Lower limits on samples with linear parts ----------------------------------------------------------------------------------


def of_first_steps(slopes: Any, first: float, ratio: float, gamma: float, delta: float) -> list[tuple[float, float]]:
    """The moves of a round of two steps: eta_0 g, then the second step times another or the same gradient."""
    found = []
    for g in slopes:
        for then in slopes:
            step = (1 + delta * ratio) ** 0.5 * first
            if g != then:
                step = min(step, gamma * first * abs(g) / abs(then - g) / 2)
            found.append((1 / len(slopes) ** 2, -first * g - step * then))
    return found


class Bent:
    """Samples whose gradients right of all bends are these."""

    corners = (-1, 2)
    mean_slopes = (-1, Fraction(3, 4))

    def __init__(self, slopes: Any, start: Any) -> None:
        self.own, self.start = [Fraction(s) for s in slopes], (start,)

    def slopes(self, at: Any) -> list[Fraction]:
        assert at == 2
        return self.own


def run_of(n_steps: int = 2, **more: Any) -> Any:
    given = {"eta_0": Fraction(1, 4), "theta_0": 3, "gamma": 2, "delta": 1, "K": n_steps, "T": 9, **more}
    return SimpleNamespace(constants={getattr(notation, k): v for k, v in given.items()})


@pytest.mark.parametrize("slopes", [(-3, 1), (-3, -2, 1), (-5, -1, 2, 2)])
@pytest.mark.parametrize("start", [3, 10])
def test_the_limit_of_a_walk(slopes: Any, start: int) -> None:
    """f'(infinity)^2 (1 - exp(-s d)), where E exp(-s xi) = 1 and d is what is left of the way after a first step."""
    moves = of_first_steps(slopes, 0.25, 3, 2, 1)
    told = straight._increments([Fraction(v) for v in slopes], run_of())
    law: dict[float, float] = {}
    for chance, move in moves:
        law[round(move, 9)] = law.get(round(move, 9), 0) + chance
    found: dict[float, float] = {}
    for chance, move in told:
        found[round(float(move), 9)] = found.get(round(float(move), 9), 0) + float(chance)
    assert found == pytest.approx(law)
    limit = straight.walk_lower_limit(Bent(slopes, start), run_of())  # type: ignore[arg-type]
    away = start - 2 - 0.25 * max(0, *slopes)
    low, high = 1e-9, 50.0
    for _ in range(200):
        middle = (low + high) / 2
        small = sum(p * np.exp(-middle * v) for v, p in law.items()) < 1
        low, high = (middle, high) if small else (low, middle)
    assert limit is not None
    assert float(limit) == pytest.approx(9 / 16 * (1 - np.exp(-0.999 * low * away)), rel=1e-6)


def test_walks_without_a_limit() -> None:
    game = Bent((-3, 1), 3)
    for other, case in (
        (game, run_of(3)),
        (Bent((-3, 0, 1), 3), run_of()),
        (Bent((-3, 1), Fraction(9, 4)), run_of()),  # the first step may reach the last bend
        (Bent((3, -1), 30), run_of()),  # to the left on the average
        (Bent((-3, -1), 30), run_of()),  # never to the left: no rate is needed
    ):
        assert straight.walk_lower_limit(other, case) is None  # type: ignore[arg-type]
    near = straight.walk_lower_limit(Bent((-3, 1), Fraction(23, 10)), run_of())  # type: ignore[arg-type]
    assert near is not None


def thrown(tilts: Any, bends: Any = ((1, "1/4", 0),)) -> Any:
    """Linear samples of these gradients and others (centre, half width, tilt) that bend."""
    table = [(0, 0, 0, Fraction(h)) for h in tilts] + [(1, v, Fraction(u), Fraction(h)) for v, u, h in bends]
    scales, _, _, every = (tuple(column) for column in zip(*table, strict=True))
    columns = tuple(zip(*table, strict=True))
    return SimpleNamespace(scales=scales, tilts=every, table=columns, mean_slopes=(-1, Fraction(3, 4)))


@pytest.mark.parametrize("n_steps", [1, 2, 3])
def test_the_limit_of_throws(n_steps: int) -> None:
    """s^(2K - 1)/2 f'(infinity)^2 (T - 1)/T, where the last step reaches as far as the bend."""
    lr, ratio = 0.25, 3.0
    for _ in range(n_steps - 1):
        ratio = (1 + ratio) ** 0.5
        lr *= ratio
    for tilts, bends in (((1, -1), ((1, "1/4", 0),)), ((2, -2, 2, -2), ((1, "1/4", 0), (1, "1/8", 0), (1, "1/16", 0)))):
        found = straight.throw_lower_limit(thrown(tilts, bends), run_of(n_steps))
        share = len(tilts) / (len(tilts) + len(bends))
        assert found is not None
        assert float(found) == pytest.approx(share ** (2 * n_steps - 1) / 2 * 9 / 16 * 8 / 9)
        far = straight.throw_lower_limit(thrown(tilts, ((1, Fraction(lr * max(tilts)) + 1, 0),)), run_of(n_steps))
        assert far is None


@pytest.mark.parametrize(
    "game",
    [
        thrown(()),
        thrown((1,)),
        thrown((1, -1, 2, -2)),
        thrown((1, -1), ((1, "1/4", 1),)),
        thrown((1, -1), ((1, "1/4", 0), (2, "1/4", 0))),
        thrown((0, 0)),
    ],
)
def test_throws_without_a_limit(game: Any) -> None:
    assert straight.throw_lower_limit(game, run_of()) is None


# Rounds of given steps, shares, first entries -------------------------------------------------------------------------------


def test_given_steps_are_rational_and_positive() -> None:
    knots, samples = (-1, 1), (((-1, 1),),)
    one = PiecewiseClients(knots, samples)
    for wrong in ("sqrt(2)", 0, "-1/2"):
        with pytest.raises(ValueError, match="steps: expected rational numbers above 0"):
            GivenSteps(one, 1, ((wrong,),))
        with pytest.raises(ValueError, match="steps: expected rational numbers above 0"):
            Rounds(one, 1, ((("1/2",),), ((wrong,),)))
    assert Rounds(one, 1, ((("1/2",),), ((1,),))).path[0] == [1, fmpq(1, 2), 0]


def test_whether_the_first_entry_acts() -> None:
    """gamma/(2 L) <= sqrt(1 + delta theta_0) eta_0, at the boundary too: 1/2 against sqrt(1 + theta_0)/10."""
    case = case_of_run(line((1,)), 2, "1/10")
    assert of_rule.first_entry_acts(case, auto_tuned, fmpq(24))
    assert of_rule.first_entry_acts(case, auto_tuned, fmpq(25))
    assert not of_rule.first_entry_acts(case, auto_tuned, fmpq(23))
    both = case_of_run(line((1, 3)), 2, "1/10")
    assert not of_rule.first_entry_acts(both, auto_tuned, fmpq(23))
    assert not of_rule.first_entry_acts(case_of_run(line((1,), start=0), 2, "1/10"), auto_tuned, fmpq(99))


def test_the_longest_run(monkeypatch: pytest.MonkeyPatch) -> None:
    case = case_of_run(line((1, 3)), 3, "1/10")
    monkeypatch.setattr(runs, "LONGEST", 6)
    runs._follow.cache_clear()
    assert follow(auto_tuned, case, "A").n_rounds == 3
    monkeypatch.setattr(runs, "LONGEST", 5)
    runs._follow.cache_clear()
    with pytest.raises(NotEnumerable, match="more than 5 rounds times clients"):
        follow(auto_tuned, case, "A")
    runs._follow.cache_clear()


def test_noisy_runs_have_no_one_value() -> None:
    settings: dict[str, Any] = {"n_rounds": 2, "n_local_steps": 1, "initial_step_size": "1/10", "initial_ratio": 1}
    settings |= {"amplifier": 1, "growth_damping": 1}
    measure = MeanSquaredGradient()
    noisy = QuadraticClients((1, 1), (1, -1), 1, 1)
    with pytest.raises(NotEnumerable, match="runs differ"):
        measure.in_floats(pair, Case(noisy, **settings))
    quiet = QuadraticClients((1, 1), (1, -1), 1)
    with pytest.raises(NotEnumerable, match="runs differ"):
        measure.in_floats(pair, Case(quiet, **settings, n_participating=1))
    low, high = measure.in_floats(pair, Case(quiet, **settings))
    assert low <= (1 + Fraction(81, 100)) / 2 <= high


@pytest.mark.parametrize("bad", [np.inf, np.nan])
@pytest.mark.parametrize("part", ["last", "squares"])
def test_runs_that_leave_the_floats_are_given_up(bad: float, part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fine = np.ones((2, 1)), np.ones(2)
    wrong = (np.full((2, 1), bad), fine[1]) if part == "last" else (fine[0], np.array([1.0, bad]))
    monkeypatch.setattr(kernels, "as_arrays", lambda instance: instance)
    kernel = kernels.last_states(SimpleNamespace())  # type: ignore[arg-type]
    monkeypatch.setattr(kernels, "ends", lambda *given: kernels.Ends(*fine))
    found = kernel(1, None, 0, np.arange(2), None)
    assert found is fine[0]
    assert kernel(1, None, 0, np.arange(2), np.ones(2)) is None  # averages are not streamed
    assert kernel(None, None, 0, np.arange(2), None) is None
    monkeypatch.setattr(kernels, "ends", lambda *given: kernels.Ends(*wrong))
    assert kernel(1, None, 0, np.arange(2), None) is None
