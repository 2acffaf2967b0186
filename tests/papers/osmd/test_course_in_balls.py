"""The course of updates in balls: each part holds all points it stands for, and hardly more; what is too wide is refused."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx

from fltheory.games.player import ImpreciseState
from fltheory.papers.osmd.experts.closed_forms import lower_limits as limits
from fltheory.papers.osmd.experts.kernels.leaving import Ends

WIDE = 1e-9  # wider than is allowed in a course, so that terms of first order show


@pytest.fixture(autouse=True)
def precision() -> Iterator[None]:
    with ctx.workprec(200):
        yield


def chance(x: Any) -> arb:
    return 1 / (1 + (-arb(x)).exp())


def encloses(ball: arb, values: list[arb], more: float = 1e-5) -> None:
    """All values up to terms of second order, and beyond them only a small part of their spread."""
    for v in values:
        assert abs(float(v - ball.mid())) <= float(ball.rad()) * (1 + 1e-7) + 1e-16
    spread = max(float(v - ball.mid()) for v in values), max(float(ball.mid() - v) for v in values)
    assert float(ball.rad()) <= max(spread) * (1 + more) + 1e-14


PLAYS = [0.0, 0.7, -0.7, 2.0]


@pytest.mark.parametrize("x", PLAYS)
def test_a_play_and_its_middle(x: float) -> None:
    ball = arb(x, 1e-10)
    play = limits._play(ball, 3e-10)
    assert play.x == arb(x)
    assert play.x.rad() == 0
    assert play.p.overlaps(chance(x))
    assert play.near == pytest.approx(1 / (1 + math.exp(-x)), rel=1e-14)
    assert play.reach == x
    assert 4e-10 <= play.wide <= 4.0001e-10
    assert limits._play(arb(x)).wide == 0
    assert limits._all_of(play).contains(arb(x) + 3.9e-10)
    assert not limits._all_of(play).contains(arb(x) - 4.1e-10)
    low, high = limits._ends(arb(x, 0.5))
    assert low <= x - 0.5 <= low + 1e-9
    assert high - 1e-9 <= x + 0.5 <= high


def test_the_first_probability_moves_by_at_most_a_quarter_of_the_odds() -> None:
    expert = limits.Expert(arb(1))
    expert.play = limits._play(arb(0), WIDE)
    encloses(limits._first_probability(expert), [chance(WIDE), chance(-WIDE)])


def seen_at(q: float, off: float, first: bool) -> limits.Observation:
    return limits.Observation(first, arb(q), q, off)


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize(("wide", "off"), [(WIDE, 0.0), (0.0, WIDE), (WIDE, WIDE)])
def test_losses_of_uncertain_plays(first: bool, wide: float, off: float) -> None:
    """1/(p q) at all ends; at the middle of the simplex the uncertainty is that of the derivatives."""
    for x, q in ((0.0, 0.5), (0.0, 0.3), (0.4, 0.6), (-1.0, 0.45)):
        told = limits._loss_increment(limits._play(arb(x), wide), seen_at(q, off, first))
        own = lambda v: chance(v) if first else 1 - chance(v)  # noqa: E731
        values = [1 / (own(x + s) * (arb(q) + r)) for s in (-wide, wide) for r in (-off, off)]
        for v in values:
            assert told.loss.contains(v)
        assert told.p.overlaps(own(x))
        assert told.quotient.overlaps(1 / (own(x) * arb(q)))
        assert told.mine == pytest.approx(float(own(x)))
        assert told.about == pytest.approx(float(own(x)) * q)
        rough = (wide / 4 / told.mine + off / q) / told.about
        assert float(told.loss.rad()) == pytest.approx(rough, rel=1e-5)
        if x == 0:
            encloses(told.loss, values)


def ends_at(top: float) -> tuple[limits.Play, limits.Play]:
    return limits._play(arb(-top)), limits._play(arb(top))


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize(("wide", "off"), [(WIDE, 0.0), (0.0, WIDE), (WIDE, WIDE)])
@pytest.mark.parametrize(
    ("x", "gain", "q"), [(0.0, 0.01, 0.5), (0.3, 0.05, 0.4), (-0.6, 0.3, 0.5), (0.1, 1.2, 0.7), (0.0, 0.125, 0.5)]
)
def test_updates_of_uncertain_plays(x: float, gain: float, q: float, wide: float, off: float, first: bool) -> None:
    """x + g/(p^2 q) towards the active client, at all ends."""
    expert, ends = limits.Expert(arb(gain)), ends_at(40.0)
    expert.play, expert.loss = limits._play(arb(x), wide), arb(2)
    own = float(chance(x if first else -x))
    turn, lost = 2 * gain * (1 - own) / (own**2 * q), gain / (own * q) ** 2 * off
    rough = (abs(1 - turn) + limits.SURE * (1 + turn)) * wide + lost
    before = limits._loss_increment(expert.play, seen_at(q, off, first)).loss
    limits._update(expert, seen_at(q, off, first), ends)
    assert (expert.loss - 2).overlaps(before)
    side = 1 if first else -1

    def moved(s: float, r: float) -> arb:
        y = arb(side * (x + s))
        return side * (y + arb(gain) / (chance(y) ** 2 * (arb(q) + r)))

    values = [moved(s, r) for s in (-wide, wide) for r in (-off, off)]
    assert expert.play.wide == pytest.approx(limits.SLACK * rough, rel=1e-8)
    if abs(1 - turn) > 0.01:
        encloses(arb(expert.play.x, expert.play.wide), values, 1e-4)


@pytest.mark.parametrize("first", [True, False])
def test_plays_near_the_end_of_the_simplex(first: bool) -> None:
    """Beyond it by more than is unsure: the end; far before it: where it is; near it: at most the end."""
    side = 1 if first else -1
    for distance, kind in ((-1e-3, "before"), (1e-3, "end"), (1e-8, "near"), (-1e-8, "near"), (2e-6, "end")):
        expert = limits.Expert(arb("0.01"))
        step = float(expert.gain) * 8
        ends = ends_at(step - distance)
        limits._update(expert, seen_at(0.5, 0.0, first), ends)
        target = ends[1] if first else ends[0]
        if kind == "end":
            assert expert.play is target
        else:
            assert expert.play is not target
            there = side * min(step, step - distance)
            assert abs(float(expert.play.x) - there) <= expert.play.wide + 1e-15
            assert expert.play.wide <= 1e-10
    wide = limits.Expert(arb("0.01"))
    wide.play = limits._play(arb(0), 1e-9)
    limits._update(wide, seen_at(0.5, 0.0, first), (limits._play(arb(-0.08), 1e-12), limits._play(arb(0.08), 1e-12)))
    reach = limits._all_of(wide.play) * side
    assert reach.contains(arb("0.08"))
    assert reach.contains(arb("0.08") - 8e-10)
    assert not reach.contains(arb("0.08") + 1e-9)


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("start", [0, 1])
def test_experts_that_reach_an_end_from_an_end(first: bool, start: int) -> None:
    """The gain g/(p^2 q) at its own play must exceed the whole way, or nothing where it stays; else it is not moved."""
    ends = ends_at(1.0)
    stays = (start == 1) == first
    own = float(chance(1.0 if stays else -1.0))
    for push in (2.5, 2.001, 1.999, 0.5, 1e-5, 2.5e-6, 1.9e-6, 1e-7):
        expert = limits.Expert(arb(push * own**2 * 0.5))
        expert.play, expert.loss = ends[start], arb(3)
        seen = seen_at(0.5, 0.0, first)
        paid = limits._loss_increment(ends[0], seen), limits._loss_increment(ends[1], seen)
        goes = limits._goes_far(expert, seen, ends, paid)
        assert goes == (push > (2e-6 if stays else 2 + 4e-6))
        if goes:
            assert expert.play is ends[first]
            assert expert.loss.overlaps(3 + 1 / (arb(own) * 0.5)) or abs(float(expert.loss) - 3 - 2 / own) < 1e-12
        else:
            assert expert.play is ends[start]
            assert expert.loss == 3
    inside = limits.Expert(arb(10**6))
    assert not limits._goes_far(inside, seen, ends, paid)
    assert inside.loss == 0


def experts_at(*given: tuple[float, float]) -> list[limits.Expert]:
    found = []
    for x, loss in given:
        expert = limits.Expert(arb(1))
        expert.play, expert.loss = limits._play(arb(x)), arb(loss)
        found.append(expert)
    return found


def block_with(rate: float, *weights: str) -> Any:
    return SimpleNamespace(
        rate=arb(rate), weights=[arb(Fraction(w).numerator) / Fraction(w).denominator for w in weights]
    )


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_the_mixture_by_its_weights(order: tuple[int, ...]) -> None:
    """Of experts close behind the leader, weights times exp(-rate loss) count; of others only that they are tiny."""
    rate = 1e8
    given = [(0.2, 0.5), (-0.4, 0.5 + 1e-8), (0.9, 0.5 + 3e-8)]
    weights = ["2/3", "2/9", "1/9"]
    experts = experts_at(*(given[i] for i in order))
    found = limits._mixture(experts, block_with(rate, *(weights[i] for i in order)))
    sizes = [
        arb(Fraction(w).numerator) / Fraction(w).denominator * (-arb(rate) * (arb(v) - 0.5)).exp()
        for w, (_, v) in zip(weights, given, strict=True)
    ]
    wanted = sum((s * chance(x) for s, (x, _) in zip(sizes, given, strict=True)), arb(0)) / sum(sizes, arb(0))
    assert found.overlaps(wanted)
    assert found.rad() < 27 * math.exp(-50) * 1.1
    assert found.rad() > 26 * math.exp(-50)
    far = experts_at((0.2, 0.0), (-0.4, 2e-6), (0.9, 1.0))
    alone = limits._mixture(far, block_with(rate, *weights))
    assert alone.overlaps(chance(0.2))
    assert abs(float(alone.rad()) - 27 * math.exp(-50)) < math.exp(-50)
    beyond = limits._mixture(experts_at((0.2, 0.0), (-0.4, 1.01 * limits.SURE)), block_with(1e6, "1/2", "1/2"))
    assert abs(float(beyond) - float(chance(0.2))) < 1e-15
    edge = experts_at((0.2, 0.0), (-0.4, limits.SURE))
    both = limits._mixture(edge, block_with(1e6, "1/2", "1/2"))
    share = 1 / (1 + arb(1).exp())
    assert abs(float(both) - float(chance(0.2) + share * (chance(-0.4) - chance(0.2)))) < 1e-12


# A block ----------------------------------------------------------------------------------------------------------------


def block(gain: str = "1/100", rounds: int = 5, rate: float = 1e9, weights: tuple[str, ...] = ("1",)) -> Any:
    own = block_with(rate, *weights)
    own.gains, own.rounds = (
        [arb(Fraction(gain).numerator) / Fraction(gain).denominator * 2**e for e in range(len(weights))],
        rounds,
    )
    return own


@pytest.mark.parametrize("gain", ["1/100", "1/8", "10"])
def test_a_course_of_one_expert(gain: str) -> None:
    """It leaves the favoured client where its probability is above the threshold; each update moves towards the active one."""
    floor, threshold = Fraction(1, 2), Fraction(51, 100)
    state = limits.BlockState(floor, threshold, block(gain))
    top = arb(3).log()
    assert [float(end.x) for end in state.ends] == pytest.approx([-math.log(3), math.log(3)], rel=1e-15)
    x, first, loss = arb(0), True, arb(0)
    for _ in range(12):
        q = chance(x) if first else chance(-x)
        if q > arb("0.51"):
            first, q = not first, 1 - q
        assert abs(float(state.advance() - q)) < 1e-14
        assert state.first == first
        move = state.block.gains[0] / q**3
        loss += 1 / q**2
        x = (x + move).min(top) if first else (x - move).max(-top)
        assert abs(float(state.experts[0].play.x - x)) < 1e-13
        assert abs(float(state.experts[0].loss - loss)) < 1e-11


def test_at_the_threshold_the_adversary_stays() -> None:
    """The first play is 1/2 up to the share of other experts, which a threshold of exactly that does not decide."""
    state = limits.BlockState(Fraction(1, 2), Fraction(1, 2), block(rate=1e15))
    with pytest.raises(ImpreciseState, match="the precision does not decide whether the adversary switches"):
        state.advance()
    state = limits.BlockState(Fraction(1, 2), Fraction(1, 2) + Fraction(1, 10**12), block())
    assert abs(float(state.advance()) - 0.5) < 1e-15
    assert state.first
    state = limits.BlockState(Fraction(1, 2), Fraction(1, 2) - Fraction(1, 10**12), block())
    state.advance()
    assert not state.first


def widened(change: Callable[[limits.Expert], None]) -> Callable[[], arb]:
    state = limits.BlockState(Fraction(1, 2), Fraction(3, 5), block(rate=1e15))
    change(state.experts[0])
    return state.advance


def test_courses_that_grow_too_wide_are_given_up() -> None:
    def play(wide: float) -> Callable[[limits.Expert], None]:
        return lambda expert: setattr(expert, "play", limits._play(arb(0), wide))

    def loss(wide: float) -> Callable[[limits.Expert], None]:
        return lambda expert: setattr(expert, "loss", arb(0, wide))

    widened(play(limits.WIDEST))()
    with pytest.raises(ImpreciseState, match="the enclosures of the plays are too wide"):
        widened(play(limits.WIDEST * 1.01))()
    widened(loss(limits.SURE / 8 * 0.99))()
    with pytest.raises(ImpreciseState, match="the enclosures of the losses are too wide"):
        widened(loss(limits.SURE / 8 * 1.01))()


def test_one_expert_of_several_may_be_too_wide() -> None:
    for wide in (0, 1):
        state = limits.BlockState(Fraction(1, 2), Fraction(3, 5), block(rate=1e15, weights=("3/4", "1/4")))
        state.experts[wide].loss = arb(5, limits.SURE)  # far behind the leader, whose loss is 0
        with pytest.raises(ImpreciseState, match="the enclosures of the losses are too wide"):
            state.advance()


def test_the_mixture_too_may_be_too_wide() -> None:
    """A rate at which the other experts' shares are not small enough: their sum widens the probability."""
    state = limits.BlockState(Fraction(1, 2), Fraction(3, 5), block(rate=5e7))
    with pytest.raises(ImpreciseState, match="the enclosures of the plays are too wide"):
        state.advance()
    state = limits.BlockState(Fraction(1, 2), Fraction(3, 5), block(rate=6e7))
    state.advance()


def test_followed_chances_end_with_the_rounds_or_when_more_are_almost_impossible(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = limits.followed_chances(Fraction(1, 2), Fraction(51, 100), block(rounds=7))
    course = list(itertools.islice(limits.updates(Fraction(1, 2), Fraction(51, 100), block(rounds=7)), 7))
    assert len(found.low) == 7
    for low, high, ball in zip(found.low, found.high, course, strict=True):
        assert arb(low) <= ball <= arb(high)
        assert high - low < 1e-14
    for p, rounds in ((0.5, 684), (0.5, 600), (0.3, 400), (0.9, 60), (1.0, 40)):
        monkeypatch.setattr(limits, "updates", lambda *given, p=p: itertools.repeat(arb(p)))
        told = limits.followed_chances(Fraction(1, 2), Fraction(1, 2), block(rounds=rounds))
        wanted = 1
        while wanted < rounds and wanted / p <= rounds + 17 * math.sqrt(wanted * (1 - p)) / p:
            wanted += 1
        assert len(told.low) == wanted


def test_sums_are_rounded_to_whole_units_and_one_more() -> None:
    for p in (0.375, 0.5, 0.75, 0.9375):
        path, exact = limits._path(Ends(np.array([p, p]), np.array([p, p]))), Fraction(p)
        unit = Fraction(2) ** round(math.log2(float(path.unit)))
        assert arb(unit.numerator) / unit.denominator == path.unit
        for ends, value in (
            (path.regret, (1 / exact - 2) / exact),
            (path.mean, 1 / exact),
            (path.variance, (1 - exact) / exact**2),
        ):
            for k in (1, 2):
                slack = Fraction(k) / 1000
                assert k - slack <= k * value / unit - int(ends.low[k]) <= 2 * k + slack
                assert k - slack <= int(ends.high[k]) - k * value / unit <= 2 * k + slack
            assert ends.low[0] == ends.high[0] == 0
        largest = 2 / exact**2
        assert largest * 2 / unit < 2**62
        assert 2**46 < largest / unit <= 2**47


def test_sums_of_many_updates_stay_below_the_largest_integer() -> None:
    p = np.full(20_000, 0.375)
    path = limits._path(Ends(p, p))
    most = 2 / Fraction(0.375) ** 2
    assert int(path.regret.high[-1]) < 2**62
    assert Fraction(1, 4) < most * 20_000 * Fraction(1 / float(path.unit)) / 2**61 <= 1
    assert path.at(20_000).mean.contains(arb(20_000) * 8 / 3)


def test_blocks_are_equal_where_rounds_horizons_and_rates_are() -> None:
    def one(rounds: int = 6, horizon: int = 8, rate: Any = 10**9, largest: Any = 1) -> limits._Block:
        c: Any = SimpleNamespace(
            n_clients=2, n_sampled=1, n_rounds=6, probability_floor=Fraction(1, 2), max_feedback=largest
        )
        return limits._Block(c, arb(rate), arb(1), horizon, rounds)

    assert one() == one()
    assert hash(one()) == hash(one())
    assert len({one(), one(), one(7), one(6, 9), one(rate=10**9 + 1), one(largest=2)}) == 5
    assert one() != one(7)
    assert one() != (8, 6)
    assert sum(one().weights, arb(0)).contains(1)


def test_a_course_shorter_than_its_first_updates_is_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def followed(*given: Any) -> None:
        asked.append(given)

    monkeypatch.setattr(limits, "follow_updates", followed)
    for rounds in (1, 32, 33):
        assert limits.compiled_chances(Fraction(1, 2), Fraction(51, 100), block(rounds=rounds)) is None
    ((start, first, top, leaves, rounds),) = asked
    assert rounds == 33
    assert len(first.low) == 16
    state = limits.BlockState(Fraction(1, 2), Fraction(51, 100), block())
    for low, high in zip(first.low, first.high, strict=True):
        assert arb(low) <= state.advance() <= arb(high)
    assert start.first == state.first
    assert top[0] <= math.log(3) <= top[1] <= top[0] + 1e-12
    assert leaves[0] <= 0.51 <= leaves[1] <= leaves[0] + 1e-12
    assert start.losses.low[0] <= 0 <= start.losses.high[0]
    assert start.gains.low[0] <= 0.01 <= start.gains.high[0]
    assert start.plays.low[0] <= float(state.experts[0].play.x) <= start.plays.high[0]
    assert start.plays.high[0] - start.plays.low[0] < 1e-12
