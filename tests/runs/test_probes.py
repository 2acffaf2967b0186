"""What assumptions look at: the points that are sampled, and the edge of each inequality on values that are given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fltheory import symbols
from fltheory.model.case import Case
from fltheory.problems.separable import QuadraticClients
from fltheory.runs import assumptions as assume
from fltheory.runs.assumptions import Probe

SLACK = 1e-9


@dataclass
class Given:
    """An instance of which only the constants are read: the probe is given."""

    named: Mapping[str, Any]
    n_clients: int = 2
    dim: int = 2
    start: tuple[Any, ...] = (1, 0)
    minimiser: tuple[Any, ...] = (0, 0)
    draws: int = 0

    @property
    def constants(self) -> dict[Any, Any]:
        return {symbols.VOCABULARY[name].symbol: v for name, v in self.named.items()}

    def gradient(self, x: Any, client: Any) -> Any:
        return x

    mean_gradient = gradient

    def gap(self, x: Any) -> Any:
        return (x * x).sum(axis=-1) / 2

    def noise(self, x: Any, client: Any, uniforms: Any) -> Any:
        return 0 * x


def probe(**changed: Any) -> Probe:
    """F_1 = F_2 = |x|^2 / 2 at the points (3, 4), (0, -1) and the minimiser 0."""
    x = np.array([[3.0, 4.0], [0.0, -1.0], [0.0, 0.0]])
    pairs = np.ones((2, 3))
    values: dict[str, Any] = {
        "clients": np.stack([x, x]),
        "mean": x.copy(),
        "gaps": np.array([12.5, 0.5, 0.0]),
        "drift": np.zeros(4),
        "steps": pairs,
        "changes": pairs,
        "inner": pairs,
        "slack": 0 * pairs,
    }
    return Probe(**{**values, **changed})


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What an assumption says of a probe and constants."""

    def check(assumption: Any, own: Probe, **named: Any) -> str | None:
        monkeypatch.setattr(assume, "_probe", lambda instance: own)
        found: str | None = assumption.check(Case(Given(named)))
        return found

    return check


def one(value: float, base: float = 1.0) -> np.ndarray:
    """Of all pairs a single one differs."""
    found = np.full((2, 3), base)
    found[1, 2] = value
    return found


def test_a_gradient_changes_at_most_as_fast_as_smoothness_allows(told: Any) -> None:
    words = "a client's gradient changes faster than smoothness = 2 allows"
    for steps, changes, slack, good in (
        (1.0, 2.0, 0.0, True),
        (1.0, 2 * (1 + SLACK), 0.0, True),
        (1.0, 2 * (1 + 3 * SLACK), 0.0, False),
        (3.0, 6.0, 0.0, True),
        (3.0, 6.1, 0.0, False),
        (1.0, 2.5, 0.5, True),
        (1.0, 2.6, 0.5, False),
        (0.5, 1.1, 0.0, False),
    ):
        own = probe(steps=one(steps), changes=one(changes), slack=one(slack, 0.0))
        assert told(assume.smooth, own, smoothness=2) == (None if good else words)


@pytest.mark.parametrize("assumption", [assume.strongly_convex, assume.convex_so_far])
def test_curvature_is_at_least_the_claimed_one(told: Any, assumption: Any) -> None:
    words = "a client's objective is not strongly convex with strong_convexity = 2"
    for steps, inner, slack, good in (
        (1.0, 2.0, 0.0, True),
        (1.0, 2 * (1 - SLACK), 0.0, True),
        (1.0, 2 * (1 - 3 * SLACK), 0.0, False),
        (3.0, 18.0, 0.0, True),
        (3.0, 17.0, 0.0, False),
        (3.0, 16.5, 0.5, True),
        (3.0, 16.4, 0.5, False),
        (0.5, 0.5, 0.0, True),
        (0.5, 0.45, 0.0, False),
    ):
        base = np.full((2, 3), 9.0)
        base[1, 2] = inner
        own = probe(steps=one(steps), inner=base, slack=one(slack, 0.0))
        assert told(assumption, own, strong_convexity=2) == (None if good else words)


def test_convexity_is_a_curvature_of_at_least_0(told: Any) -> None:
    for inner, slack, good in ((0.0, 0.0, True), (-1e-12, 0.0, False), (-0.5, 0.5, True), (-0.6, 0.5, False)):
        own = probe(inner=one(inner), slack=one(slack, 0.0))
        expected = None if good else "a client's objective is not convex"
        assert told(assume.convex, own) == expected
        assert told(assume.convex_so_far, own, strong_convexity=0) == expected
        assert told(assume.convex_so_far, own) == expected
    assert told(assume.strongly_convex, probe(), strong_convexity=0) == "strong_convexity is 0"
    assert told(assume.strongly_convex, probe()) == "the instance provides no strong_convexity"
    assert told(assume.convex_so_far, probe(), strong_convexity=3) is not None


def moved(array: np.ndarray, at: Any, by: Any) -> np.ndarray:
    found = array.copy()
    found[at] += by
    return found


def test_a_minimiser_is_where_the_mean_gradient_and_the_gap_are_0(told: Any) -> None:
    plain = probe()
    assert told(assume.minimiser_exists, plain) is None
    for at in ((2, 0), (2, 1)):
        for sign in (1, -1):  # gradients of at most 4: 4e-7 is rounding
            within = moved(plain.mean, at, sign * 3.9e-7)
            clients = moved(plain.clients, (slice(None), *at), sign * 3.9e-7)
            assert told(assume.minimiser_exists, probe(mean=within, clients=clients)) is None
            beyond = moved(plain.mean, at, sign * 4.2e-7)
            clients = moved(plain.clients, (slice(None), *at), sign * 4.2e-7)
            words = "the gradient does not vanish at the instance's minimiser"
            assert told(assume.minimiser_exists, probe(mean=beyond, clients=clients)) == words
    for gap, good in ((1.2e-8, True), (-1.2e-8, True), (1.4e-8, False)):  # of gaps of at most 12.5
        found = told(assume.minimiser_exists, probe(gaps=np.array([12.5, 0.5, gap])))
        assert found == (None if good else f"gap is {gap:g}, not 0, at the instance's minimiser")
    for gap, good in ((-1.2e-8, True), (-1.4e-8, False)):
        found = told(assume.minimiser_exists, probe(gaps=np.array([12.5, gap, 0.0])))
        assert found == (None if good else "gap is negative: the instance's minimiser does not minimise F")
    assert told(assume.minimiser_exists, probe(gaps=np.array([-12.5, 0.5, 0.0]))) is not None
    for drift, good in ((1.2e-11, True), (1.3e-11, False), (-5.0, True)):
        found = told(assume.minimiser_exists, probe(drift=np.array([0.0, drift, 0.0])))
        assert found == (None if good else "gap is not consistent with mean_gradient")


def test_the_mean_gradient_is_the_mean_of_the_clients_at_every_point(told: Any) -> None:
    plain = probe()
    words = "mean_gradient is not the mean of the clients' gradients"
    for row, local in ((0, 4.0), (1, 1.0)):  # the largest entry at the point
        for sign in (1, -1):
            allowed = 1e-7 * local + 1e-12 * 4
            for by, good in ((0.99 * allowed, True), (1.01 * allowed, False)):
                own = probe(mean=moved(plain.mean, (row, 1), sign * by))
                assert told(assume.minimiser_exists, own) == (None if good else words)
    edge = 1e-7 * 4.0 + 1e-12 * 4.0  # of opposite clients, whose mean is 0
    clients, mean = plain.clients.copy(), plain.mean.copy()
    clients[0, 1], clients[1, 1], mean[1] = (0, 4), (0, -4), (0, edge)
    assert told(assume.minimiser_exists, probe(clients=clients, mean=mean)) is None
    # opposite clients cancel
    other = moved(moved(plain.clients, (0, 0, 0), 1.0), (1, 0, 0), -1.0)
    assert told(assume.minimiser_exists, probe(clients=other)) is None
    assert told(assume.minimiser_exists, probe(clients=moved(plain.clients, (0, 0, 0), 1.0))) == words


def test_nothing_at_all_has_any_minimiser(told: Any) -> None:
    own = probe(clients=np.zeros((2, 3, 2)), mean=np.zeros((3, 2)), gaps=np.zeros(3))
    assert told(assume.minimiser_exists, own) is None


def test_heterogeneity_at_the_minimiser_is_the_root_of_the_mean_square(told: Any) -> None:
    at_best = np.zeros((2, 3, 2))
    at_best[0, -1], at_best[1, -1] = (3.0, 4.0), (0.0, -5.0)  # lengths 5
    at_best[0, 0] = (9.0, 9.0)  # elsewhere they may differ
    check = assume.heterogeneity_at_optimum
    assert told(check, probe(clients=at_best), heterogeneity_at_optimum=5) is None
    close = Fraction(5 * 10**6 - 4, 10**6)
    assert told(check, probe(clients=at_best), heterogeneity_at_optimum=close) is None
    wrong = told(check, probe(clients=at_best), heterogeneity_at_optimum=Fraction(49, 10))
    assert wrong == "heterogeneity_at_optimum = 4.9 is below the found 5"
    far = told(check, probe(clients=at_best), heterogeneity_at_optimum=Fraction(5 * 10**6 - 6, 10**6))
    assert far is not None
    tiny = np.zeros((2, 3, 2))
    tiny[0, 0, 0], tiny[:, -1, 0] = -1.0, 0.9e-9
    assert told(check, probe(clients=tiny), heterogeneity_at_optimum=0) is None
    tiny[:, -1, 0] = 1.2e-9
    assert told(check, probe(clients=tiny), heterogeneity_at_optimum=0) is not None
    assert told(check, probe()) == "the instance provides no heterogeneity_at_optimum"


def test_uniform_heterogeneity_holds_at_every_point(told: Any) -> None:
    """Clients at mean +- (1, 2): the mean square of the difference is 5."""
    mean = np.array([[3.0, 4.0], [0.0, -1.0], [0.0, 0.0]])
    apart = np.array([1.0, 2.0])
    clients = np.stack([mean + apart, mean - apart])
    words = "the clients' gradients differ by more than heterogeneity and heterogeneity_slope allow"

    def found(zeta: Any, beta: Any, **changed: Any) -> str | None:
        own = probe(**{"clients": clients, "mean": mean, **changed})
        answer: str | None = told(assume.uniform_heterogeneity, own, heterogeneity=zeta, heterogeneity_slope=beta)
        return answer

    assert found(Fraction(5**0.5) + Fraction(1, 10**9), 0) is None
    assert found(Fraction(5**0.5) * (1 - Fraction(1, 10**6)), 0) == words
    scaled = np.stack([mean * 2, mean * 0])  # grad F_m = mean +- mean: beta = 1
    assert found(0, 1, clients=scaled) is None
    assert found(0, 1 - Fraction(1, 10**5), clients=scaled) == words
    assert found(0, Fraction(99, 100), clients=scaled) == words
    assert found(4, Fraction(9, 10), clients=scaled) is None
    assert found(2, Fraction(8, 10), clients=scaled) == words  # 25 > 16 + 4
    assert found(2, Fraction(9, 10), clients=scaled) == words  # 25 > 20.25 + 4
    assert found(Fraction(5, 2), Fraction(9, 10), clients=scaled) is None  # 25 <= 20.25 + 6.25
    large = np.array([[10.0, 0.0], [0.0, 0.0], [0.0, 0.0]])  # differences of at most 1e-9 of 10^2 are rounding
    for apart_by, good in ((3.1e-4, True), (3.3e-4, False)):
        off = np.array([0.0, apart_by])
        pair = np.stack([large + off, large - off])
        assert found(0, 0, clients=pair, mean=large) == (None if good else words)
    for named in ({"heterogeneity": 1}, {"heterogeneity_slope": 1}):
        assert "the instance provides no heterogeneity" in str(told(assume.uniform_heterogeneity, probe(), **named))


# Constants of the instance and of the run ------------------------------------------------------------------------------


def described(start: Any = (3, 4), gap: Any = None, **named: Any) -> str | None:
    own = Given(named, start=start)
    if gap is not None:
        own.gap = gap  # type: ignore[method-assign]
    return assume.constants_described.check(Case(own))


def test_distance_and_gap_of_the_start_are_those_of_the_instance() -> None:
    assert described() is None
    assert described(initial_distance=5, initial_gap=Fraction(25, 2), n_clients=2) is None
    assert described(initial_distance=5 + Fraction(4, 10**6)) is None
    for wrong in (5 + Fraction(6, 10**6), 5 - Fraction(6, 10**6)):
        assert described(initial_distance=wrong) == f"initial_distance = {float(wrong):g}, but the instance has 5"
    assert described(initial_gap=12) == "initial_gap = 12, but the instance has 12.5"
    assert described(start=(0, 0), initial_distance=0, initial_gap=0) is None
    assert described(start=(0, 0), initial_gap=0, gap=lambda x: x[:, 0] + 1e-12) is not None
    assert described(n_clients=3) == "n_clients = 3, but the instance has 2"
    nan = described(gap=lambda x: x[:, 0] * np.nan)
    assert nan is not None
    assert assume.constants_described.check(Case(QuadraticClients((1,), (0,), 1), initial_gap=7)) is None  # a setting
    assert assume.constants_described.check(Case(type("Bare", (), {"constants": {}})())) is None


def test_participation_and_server() -> None:
    for taking, full, fits in ((1, False, True), (2, True, True), (3, False, False)):
        case = Case(Given({"n_clients": 2, "n_participating": taking}))
        assert assume.full_participation.check(case) == (None if full else "some clients don't take part")
        assert assume.participation.check(case) == (None if fits else "more clients take part than there are")
    everyone = Case(Given({"n_clients": 2}))
    assert assume.full_participation.check(everyone) is None
    assert assume.participation.check(everyone) == "the instance provides no n_participating"
    assert assume.plain_server.check(everyone) is None
    assert assume.plain_server.check(Case(Given({"server_step_size": 1}))) is None
    assert assume.plain_server.check(Case(Given({"server_step_size": Fraction(1, 2)}))) == "server_step_size is not 1"
    assert assume.noiseless.check(Case(Given({"noise_std": 0}))) is None
    assert assume.noiseless.check(Case(Given({"noise_std": 1}))) == "noise_std is not 0"
    assert assume.noiseless.check(everyone) == "noise_std is not 0"


# Noise ------------------------------------------------------------------------------------------------------------------


class Noisy(Given):
    def noise(self, x: Any, client: Any, uniforms: Any) -> Any:
        """A sign of mean square 2 size^2 for the second client alone, moved by a bias."""
        size, bias = (self.size, self.bias) if client == 1 else (0.0, 0.0)
        self.seen.append((x.shape, uniforms.shape, client))
        fair = np.where(uniforms[:, :1] < 0.5, 1.0, -1.0)
        return np.concatenate([fair * size + bias, fair * size], axis=1)


def noise_of(size: float, std: Any, bias: float = 0.0, draws: int = 1) -> str | None:
    own = Noisy({"noise_std": std}, draws=draws)
    own.size, own.bias, own.seen = size, bias, []  # type: ignore[attr-defined]
    found = assume.bounded_noise.check(Case(own))
    if draws == 0:
        assert own.seen == []  # type: ignore[attr-defined]
    else:
        assert own.seen[0] == ((4096, 2), (4096, draws), 0)  # type: ignore[attr-defined]
    return found


def test_noise_is_bounded_in_mean_square_and_has_mean_0() -> None:
    """A fifth more than the claimed variance may be chance."""
    assert noise_of(1.0, 2) is None
    assert noise_of(1.0, Fraction(2**0.5)) is None
    assert noise_of(1.0, Fraction((2 / 1.2) ** 0.5) + Fraction(1, 10**6)) is None
    assert noise_of(1.0, Fraction((2 / 1.2) ** 0.5) - Fraction(1, 10**6)) is not None
    low = noise_of(1.0, 1)
    assert low == "noise_std = 1 is below the noise of client 1, about 1.41421"
    assert noise_of(0.0, 0, draws=0) is None
    assert noise_of(7.0, 1, draws=0) is None  # it has no noise
    assert noise_of(0.0, 1, bias=0.099) is None
    assert noise_of(0.0, 1, bias=-0.099) is None
    for bias in (0.101, -0.101):
        assert noise_of(0.0, 1, bias=bias) == "the gradient noise of client 1 has mean 0.101, not 0"
    assert noise_of(0.0, 0, bias=0.9e-9) is None
    assert noise_of(0.0, 0, bias=1.2e-9) is not None
    assert noise_of(1.0, 2, draws=3) is None
    assert assume.bounded_noise.check(Case(Given({}))) == "the instance provides no noise_std"


def test_different_draws_are_independent() -> None:
    seen = []

    class Own(Given):
        def noise(self, x: Any, client: Any, uniforms: Any) -> Any:
            seen.append(uniforms)
            assert (x == [[1.0, 0.0]] * 4096).all()  # at the start
            return 0 * x

    assert assume.bounded_noise.check(Case(Own({"noise_std": 1}, draws=2))) is None
    first, second = seen[0].T
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.1
    assert abs(first.mean() - 0.5) < 0.05


# Which points are looked at ---------------------------------------------------------------------------------------------


@dataclass
class Recorded:
    """|x - best|^2 curvature / 2 for each client, which records where it is asked."""

    start: tuple[Any, ...] = (5, 2, 2)
    minimiser: tuple[Any, ...] = (1, 2, 2)
    n_clients: int = 2
    draws: int = 0
    curvature: float = 3.0
    axis_aligned: bool = False
    asked: list[np.ndarray] = field(default_factory=list)
    named: dict[str, Any] = field(default_factory=dict)

    @property
    def dim(self) -> int:
        return len(self.start)

    @property
    def constants(self) -> dict[Any, Any]:
        return {symbols.VOCABULARY[name].symbol: v for name, v in self.named.items()}

    def gradient(self, x: np.ndarray, client: Any = None) -> np.ndarray:
        self.asked.append(x)
        return self.curvature * (x - np.array(self.minimiser, dtype=float))

    mean_gradient = gradient

    def gap(self, x: np.ndarray) -> np.ndarray:
        found: np.ndarray = self.curvature * ((x - np.array(self.minimiser, dtype=float)) ** 2).sum(axis=-1) / 2
        return found

    def noise(self, x: Any, client: Any, uniforms: Any) -> Any:
        return 0 * x


def sampled(own: Recorded) -> tuple[Probe, np.ndarray]:
    found = assume._sample_instance(own)  # type: ignore[arg-type]
    return found, own.asked[0]


@pytest.mark.parametrize(
    ("start", "best", "scale"),
    [
        ((5, 2, 2), (1, 2, 2), 4.0),
        ((-5, 2, 2), (1, 2, 2), 6.0),
        ((1, -2, 2), (1, -2, 2), 2.0),
        ((0, 0, 0), (0, 0, 0), 1.0),
    ],
)
def test_points_lie_on_all_scales_around_the_minimiser(start: Any, best: Any, scale: float) -> None:
    """In units of the distance of the start: from a hundredth to a hundred times it, on each axis, start and minimiser."""
    found, x = sampled(Recorded(start, best))
    away = x - np.array(best, dtype=float)
    assert (x[-1] == best).all()
    assert (x[-2] == start).all()
    rows = {tuple(row) for row in away.tolist()}
    for i in range(3):
        for sign in (scale, -scale):
            assert tuple(sign if j == i else 0.0 for j in range(3)) in rows
    random = away[: -2 - 6]
    assert len(random) >= 20
    for power in range(-2, 3):
        own = random[np.arange(len(random)) % 5 == power + 2]
        sizes = np.abs(own) / (scale * 10.0**power)
        assert (sizes <= 1).all()
        assert sizes.max() > 0.5
        assert (own > 0).any()
        assert (own < 0).any()
    assert found.clients.shape == (2, len(x), 3)
    assert found.mean.shape == x.shape
    np.testing.assert_allclose(found.mean, 3 * away)
    np.testing.assert_allclose(found.gaps, 1.5 * (away**2).sum(axis=1))
    assert found.steps.shape == found.changes.shape == found.inner.shape == found.slack.shape
    assert len(found.steps) == 2
    np.testing.assert_allclose(found.changes, 3 * found.steps, rtol=1e-6)
    np.testing.assert_allclose(found.inner, 3 * found.steps**2, rtol=1e-6)
    assert (found.slack <= 1e-7 * (1 + found.steps.max()) * 100).all()
    assert (found.drift <= 0).all()


def test_at_most_so_many_axes_are_looked_at() -> None:
    zeros = (0,) * (assume._AXES + 5)
    _, x = sampled(Recorded((1, *zeros[1:]), zeros))
    single = [row for row in x.tolist() if sum(v != 0 for v in row) == 1]
    assert len(single) == 2 * assume._AXES + 1  # and the start


def test_no_further_pairs_are_sought_where_all_hessians_are_diagonal() -> None:
    """The axes have the extreme curvatures then."""
    own, aligned = Recorded(), Recorded(axis_aligned=True)
    plain, short = sampled(own)[0], sampled(aligned)[0]
    pairs = len(own.asked[0]) - 1
    assert short.steps.shape == (2, pairs)
    assert plain.steps.shape[1] > pairs
    np.testing.assert_array_equal(plain.steps[:, :pairs], short.steps)


def test_equal_instances_are_sampled_once_and_unhashable_ones_each_time() -> None:
    quadratic = QuadraticClients((1, 7), (1, -1), 3)
    assert assume._probe(quadratic) is assume._probe(QuadraticClients((1, 7), (1, -1), 3))  # type: ignore[arg-type]
    own = Recorded()
    assert assume._probe(own) is not assume._probe(own)  # type: ignore[arg-type]


def test_pairs_have_steps_changes_products_and_their_rounding() -> None:
    x, y = np.array([[1.0, 2.0], [5.0, 5.0]]), np.array([[4.0, -2.0], [5.0, 5.0]])
    at_x, at_y = np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([[-5.0, 8.0], [1.0, 1.0]])
    length, size, inner, slack = assume._pair(x, y, at_x, at_y)
    assert length.tolist() == [5.0, 0.0]
    assert size.tolist() == [10.0, 0.0]
    assert inner.tolist() == [3 * -6.0 + -4 * 8.0, 0.0]
    np.testing.assert_allclose(slack, [1e-9 * 8 + 1e-13 * 2 * 4, 1e-9], rtol=1e-12)


@pytest.mark.parametrize("spectrum", [(1.0, 50.0, 100.0), (1.0, 0.01, 2.0), (-3.0, 1.0, 2.0)])
def test_extreme_curvatures_are_found_in_any_direction(spectrum: tuple[float, ...]) -> None:
    turn = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
    hessian = turn @ np.diag(spectrum) @ turn.T
    centres = np.array([[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]])
    directions = np.array([[0.3, -0.2, 0.9], [0.5, 0.5, -0.1]])
    found = assume._extremes(lambda x: x @ hessian, centres, directions, 2.0)
    length, size, inner, _ = found
    assert found.shape == (4, 2 * assume._ITERATIONS * 4)
    assert set(np.round(length, 6)) == {0.02, 2.0}
    curvature = inner / length**2
    if min(spectrum) > 0:
        assert curvature.max() == pytest.approx(max(spectrum), rel=0.05)
    assert curvature.min() == pytest.approx(min(spectrum), rel=0.05, abs=0.05)
    assert (size / length).max() == pytest.approx(max(map(abs, spectrum)), rel=0.05)


def test_directions_without_curvature_stay() -> None:
    found = assume._extremes(lambda x: 0 * x, np.zeros((1, 2)), np.array([[3.0, 4.0]]), 1.0)
    assert np.isfinite(found).all()
    assert (found[1] == 0).all()
    line = assume._extremes(lambda x: 2 * x, np.zeros((1, 1)), np.array([[0.5]]), 1.0)
    assert line.shape == (4, 4)  # one direction, two lengths, twice


@pytest.mark.parametrize("factor", [0.98, 1.0, 1.02])
def test_gaps_are_compared_with_the_integral_of_the_mean_gradient(factor: float) -> None:
    class Scaled(Recorded):
        def gap(self, x: np.ndarray) -> np.ndarray:
            return factor * Recorded.gap(self, x)

    drift = sampled(Scaled())[0].drift
    assert (drift <= 0).all() == (factor == 1.0)
    assert len(drift) == 2 * (len(sampled(Recorded())[1]) - 1)
    if factor != 1.0:
        assert drift.max() > 1e-3


def test_gaps_with_a_kink_near_a_point_are_consistent() -> None:
    """The slope of the slope jumps from 1 to 50 just beyond the start: the rule is off by at most the curvature allows."""

    class Bent(Recorded):
        def gradient(self, x: np.ndarray, client: Any = None) -> np.ndarray:
            self.asked.append(x)
            return np.where(x < 1, x, 1 + 50 * (x - 1))

        def mean_gradient(self, x: np.ndarray) -> np.ndarray:
            return np.where(x < 1, x, 1 + 50 * (x - 1))

        def gap(self, x: np.ndarray) -> np.ndarray:
            return np.where(x < 1, x**2 / 2, 0.5 + (x - 1) + 25 * (x - 1) ** 2)[:, 0]

    drift = sampled(Bent((1 - Fraction(3, 10**5),), (0,), n_clients=1))[0].drift
    assert (drift <= 0).all()


# Around the start -------------------------------------------------------------------------------------------------------


@dataclass
class Supposed(Recorded):
    supposes: str = "the data"
    reach: float = 0.5
    estimated: bool = False


def test_clients_without_a_known_minimiser_are_looked_at_within_their_reach() -> None:
    own = Supposed()
    found, x = sampled(own)
    away = np.linalg.norm(x - [5, 2, 2], axis=1)
    assert away[0] == 0
    assert away.max() == pytest.approx(0.5)
    ways = (x[1:] - [5, 2, 2]) / away[1:, None]
    assert (np.abs(np.sign(ways).mean(axis=0)) < 0.4).all()  # on all sides
    assert ((ways > 0).mean(axis=0) > 0.2).all()
    assert len({round(v, 9) for v in away}) == len(x)  # all lengths up to it
    np.testing.assert_allclose(np.diff(away), away[1], rtol=1e-9)
    assert (np.abs(found.mean - 3 * (x - np.array(own.minimiser))) < 1e-9).all()
    far = found.steps[:, : len(x) - 1]
    np.testing.assert_allclose(far, np.linalg.norm(np.diff(x, axis=0), axis=1)[None].repeat(2, axis=0))
    near = found.steps[:, len(x) - 1 :]
    np.testing.assert_allclose(near, 1e-3 * np.linalg.norm(np.roll(x, 1, axis=0) - x, axis=1)[None].repeat(2, axis=0))
    np.testing.assert_allclose(found.changes, 3 * found.steps, rtol=1e-6)
    np.testing.assert_allclose(found.inner, 3 * found.steps**2, rtol=1e-6)
    assert (found.gaps == 0).all()
    assert (found.drift == 0).all()
    assert found.clients.shape == (2, *x.shape)
    assert assume.minimiser_exists.check(Case(own)) == "no minimiser of these clients is known"
