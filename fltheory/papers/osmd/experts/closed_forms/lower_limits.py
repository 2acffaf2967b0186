"""Experts against an adversary that leaves the favoured client, one draw per round: deterministic sequences of updates.

A round in which the active client is not drawn shows no feedback: no expert moves, no weight changes, and the adversary
stays. So the states s_0, s_1, .. after each update are known before the game. Only the duration of each is random: it
is geometric with the probability p_i of the active client in s_i. In s_i a round adds A (1/p_i - 2) to the regret
against the uniform distribution. With nu for the number of updates within T rounds,

    E regret = A E S(nu),   S(k) = sum_{i < k} (1/p_i - 2)/p_i,

as the expected number of rounds in s_i is P(nu > i)/p_i. The time of k updates has mean m(k) = sum 1/p_i and variance
v(k) = sum (1 - p_i)/p_i^2, so by Cantelli's inequality nu < k has probability at most v/(v + (T - m)^2) if m(k) < T,
and likewise nu > k if m(k) > T.

Everything is in units of A. An expert's play is stored as x = log p/(1 - p) of the first client: an update adds the
gain eta/(p^2 q), up to the ends of the floored simplex; p is the expert's and q the mixture's probability of the active
client. The uncertainty of x is propagated by the mean value theorem, as steps bring nearby plays closer together.

The first updates are followed in balls: the experts' losses are similar, and the mixture is no single expert's play.
Once one expert leads, the compiled intervals of ``kernels.leaving`` continue, a hundred times as fast. If these are
undecided, balls follow the whole sequence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from flint import arb, ctx

from fltheory.evidence.measured import AtLeast
from fltheory.evidence.validation.consistency import is_plain
from fltheory.games.player import ImpreciseState
from fltheory.model.case import Case
from fltheory.number import BALL, Number, lower_float, to_ball, to_float, upper_float
from fltheory.papers.osmd.algorithms.grid import Meta, expert_grid, first_weights, meta_rate
from fltheory.papers.osmd.experts.cases import FollowedAdversary
from fltheory.papers.osmd.experts.kernels.leaving import LATE, Ends, Start, follow_updates
from fltheory.runs.constants import Constants, run_constants

PRECISION = 128
DIGITS = 80  # of a rate: its full accuracy at this precision
MOST = 2**20  # largest number of rounds
LEADING = 10**8  # least rate of the weights times A: above it the mixture nearly always plays the leader's distribution
SURE = 1e-6  # difference of two losses from which floats decide their order
SLACK = 1 + 1e-6  # for derivatives in floats, at points with error 1e-12
WIDEST = 1e-12
TOGETHER = 16  # initial updates, in which no expert leads yet
DEVIATIONS = (3, 4, 6, 8, 11, 16)  # from the mean number of updates; the best of these limits is taken


def least_regret(case: Case, gamma: Meta, doubling: bool) -> AtLeast | None:
    """Return a lower limit of the expected regret of Algorithm 5 (6 if ``doubling``); None if the argument fails."""
    game = case.instance
    if not isinstance(game, FollowedAdversary) or not is_plain(game) or game.n_rounds > MOST or game.n_sampled != 1:
        return None
    if not 2 * game.threshold >= 1:
        return None
    with ctx.workprec(PRECISION):
        c = run_constants(case, BALL)
        size, total = to_ball(game.size), arb(0)
        for horizon, rounds in _blocks(game.n_rounds) if doubling else [(game.n_rounds, game.n_rounds)]:
            rate = meta_rate(c, gamma, horizon, balls=True) * size
            if not rate > LEADING:
                return None
            total += _of_block(game.floor, game.threshold, _Block(c, rate, size, horizon, rounds))
        return AtLeast(total * size)


def _blocks(rounds: int) -> Iterator[tuple[int, int]]:
    """Return horizons and lengths of the blocks of Algorithm 6: 1, 2, 4, .., the last one shortened."""
    horizon = 1
    while rounds > 0:
        yield horizon, min(horizon, rounds)
        rounds, horizon = rounds - horizon, 2 * horizon


class _Block:
    """The parameters of a block: equal blocks have equal rounds, horizon and rates."""

    def __init__(self, c: Constants, rate: arb, size: arb, horizon: int, rounds: int) -> None:
        self.rate, self.rounds = rate, rounds
        self.gains = [eta * size for eta in expert_grid(c, horizon, balls=True)]
        self.weights = [to_ball(w) for w in first_weights(len(self.gains))]
        self._key = (horizon, rounds, *(g.str(DIGITS) for g in (rate, *self.gains)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Block) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


@lru_cache(maxsize=256)
def _of_block(floor: Number, threshold: Number, block: _Block) -> arb:
    """Return a lower limit of E S(nu) in the rounds of a block, in which all experts begin at uniform."""
    chances = compiled_chances(floor, threshold, block)
    path = _path(chances if chances is not None else followed_chances(floor, threshold, block))
    return _limit(path, threshold, block.rounds)


class Sums(NamedTuple):
    """The sums after k updates: S(k), and the mean and the variance of the time of these updates."""

    regret: arb
    mean: arb
    variance: arb


class Path(NamedTuple):
    """Lower and upper limits of the sums after 0, 1, 2, .. updates, in multiples of ``unit``."""

    regret: Ends
    mean: Ends
    variance: Ends
    unit: arb

    def __len__(self) -> int:
        return len(self.regret.low)

    def at(self, k: int) -> Sums:
        """Return the sums after k updates."""
        regret, mean, variance = (arb(int(v.low[k])).union(arb(int(v.high[k]))) for v in self[:3])
        return Sums(regret * self.unit, mean * self.unit, variance * self.unit)

    def least(self, first: int, last: int) -> arb:
        """Return a lower limit of the regret after between ``first`` and ``last`` updates."""
        return int(self.regret.low[first : last + 1].min()) * self.unit


def _path(chances: Ends) -> Path:
    """Return the sums of the increments of each update, which all fall with p.

    Increments in floats have errors below 2^-48 of ``most``, and a unit is larger: rounded down or up to whole units
    and shifted by one more, they are limits. Their sums are integers below 2^62, hence exact.
    """
    most = 2 / float(chances.low.min()) ** 2  # largest increment and intermediate value
    shift = min(61 - math.ceil(math.log2(most * len(chances.low))), 47 - math.ceil(math.log2(most)))

    def summed(of: Callable[[np.ndarray], np.ndarray]) -> Ends:
        terms = np.floor(np.ldexp(of(chances.high), shift)) - 1, np.ceil(np.ldexp(of(chances.low), shift)) + 1
        return Ends(*(np.concatenate([[0], np.cumsum(v.astype(np.int64))]) for v in terms))

    unit = arb(2) ** -shift
    return Path(summed(lambda p: (1 / p - 2) / p), summed(lambda p: 1 / p), summed(lambda p: (1 - p) / p / p), unit)


def _limit(path: Path, threshold: Number, rounds: int) -> arb:
    """Return the largest of the lower limits, at least the cost of ``rounds`` worst rounds."""
    gap = 2 - 1 / to_ball(threshold)
    most = gap / to_ball(threshold) * rounds  # that further updates may subtract
    found = max((_limit_within(path, rounds, d, most) for d in DEVIATIONS), key=to_float)
    return found.max(-gap * rounds)


def _limit_within(path: Path, rounds: int, deviations: int, most: arb) -> arb:
    """Return the lower limit from values of nu within this many standard deviations."""
    low = _first(path, lambda s: not (s.mean < rounds and (rounds - s.mean) ** 2 >= deviations**2 * s.variance)) - 1
    high = _first(path, lambda s: bool(s.mean > rounds and (s.mean - rounds) ** 2 >= deviations**2 * s.variance))
    high = min(high, len(path) - 1)
    late, early = path.at(high), path.at(low)
    few = _tail(rounds - early.mean, early.variance) if low > 0 else arb(0)
    many = _tail(late.mean - rounds, late.variance) if high < rounds else arb(0)
    usual, before = path.least(low, high), path.least(0, low)
    beyond = path.least(high, high).min(arb(0)) - most
    return usual.min(usual * (1 - few - many)) + few * before.min(arb(0)) + many * beyond


def _first(path: Path, holds: Callable[[Sums], bool]) -> int:
    """Return the first index at which a monotone condition holds."""
    low, high = 1, len(path)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(path.at(middle)) else (middle + 1, high)
    return low


def _tail(gap: arb, variance: arb) -> arb:
    """Bound by Cantelli's inequality the probability that a time exceeds, or falls below, its mean by ``gap``."""
    return variance / (variance + gap**2) if gap > 0 else arb(1)


def followed_chances(floor: Number, threshold: Number, block: _Block) -> Ends:
    """Return the active client's probability before each update, in balls, for all updates likely in a block."""
    found, mean, variance = [], 0.0, 0.0
    for p in updates(floor, threshold, block):
        found.append((lower_float(p), upper_float(p)))
        about = float(p)
        mean, variance = mean + 1 / about, variance + (1 - about) / about**2
        if len(found) == block.rounds or mean > block.rounds + LATE * math.sqrt(variance):
            break
    low, high = np.array(found).T
    return Ends(low, high)


def compiled_chances(floor: Number, threshold: Number, block: _Block) -> Ends | None:
    """Return the same by compiled float intervals once one expert leads; None if undecided or the block is short."""
    if block.rounds <= 2 * TOGETHER:
        return None
    course = BlockState(floor, threshold, block)
    first = np.array([_ends(course.advance()) for _ in range(TOGETHER)]).T
    best = min((e.loss for e in course.experts), key=to_float)
    far = _ends(_all_of(course.ends[1]))
    start = Start(
        course.first,
        Ends(*np.array([_ends(e.gain) for e in course.experts]).T),
        Ends(*np.clip([_ends(_all_of(e.play)) for e in course.experts], -far[1], far[1]).T),
        Ends(*np.array([_ends(e.loss - best) for e in course.experts]).T),
    )
    return follow_updates(start, Ends(*first), far, _ends(to_ball(threshold)), block.rounds)


def _all_of(play: Play) -> arb:
    """Return a ball with all possible log odds of a play."""
    return play.x + arb(0, play.wide)


def _ends(value: arb) -> tuple[float, float]:
    return lower_float(value), upper_float(value)


# The course of updates ------------------------------------------------------------------------------------------------


class Play(NamedTuple):
    """The play of an expert: x is within ``wide`` of the midpoint ``x``, where the first client has probability p.

    ``reach``: x as a float.
    """

    x: arb
    wide: float
    p: arb
    near: float
    reach: float


def _play(x: arb, wide: float = 0.0) -> Play:
    """Return the play whose x is within ``wide`` of a value in the ball."""
    middle = arb(x.mid())
    p = 1 / (1 + (-middle).exp())
    return Play(middle, wide + float(x.rad()) * SLACK, p, float(p), float(middle))


class Expert:
    """An expert: its rate, its play, and the loss of its estimates."""

    __slots__ = ("about", "gain", "loss", "play")

    def __init__(self, gain: arb) -> None:
        self.gain, self.about, self.play, self.loss = gain, float(gain), _play(arb(0)), arb(0)


class Observation(NamedTuple):
    """What an update reveals: whether the active client is the first, and its mixture probability within ``off``."""

    first: bool
    q: arb
    near: float
    off: float


class BlockState:
    """The experts of a block, and whether the first client is active."""

    def __init__(self, floor: Number, threshold: Number, block: _Block) -> None:
        alpha = to_ball(floor)
        top = ((2 - alpha) / alpha).log()
        self.block, self.leaves = block, to_ball(threshold)
        self.ends, self.experts, self.first = (_play(-top), _play(top)), [Expert(gain) for gain in block.gains], True

    def advance(self) -> arb:
        """Make the next update, and return the probability of the active client before it."""
        q = _mixture(self.experts, self.block)
        mine = q if self.first else 1 - q
        if mine > self.leaves:
            self.first, mine = not self.first, 1 - mine
        elif not mine <= self.leaves:
            raise ImpreciseState("the precision does not decide whether the adversary switches")
        middle = arb(mine.mid())
        seen = Observation(self.first, middle, float(middle), float(mine.rad()) * SLACK)
        if max(seen.off, *(e.play.wide for e in self.experts)) > WIDEST:
            raise ImpreciseState("the enclosures of the plays are too wide")
        if max(float(e.loss.rad()) for e in self.experts) > SURE / 8:
            raise ImpreciseState("the enclosures of the losses are too wide")
        paid = (_loss_increment(self.ends[0], seen), _loss_increment(self.ends[1], seen))
        for expert in self.experts:
            if not _goes_far(expert, seen, self.ends, paid):
                _update(expert, seen, self.ends)
        return mine


def updates(floor: Number, threshold: Number, block: _Block) -> Iterator[arb]:
    """Yield the probability of the active client before each update, without end."""
    course = BlockState(floor, threshold, block)
    while True:
        yield course.advance()


def _mixture(experts: list[Expert], block: _Block) -> arb:
    """Return the mixture's probability of the first client: the leader's, and the shares of experts close behind it."""
    losses = [float(e.loss) for e in experts]
    best = min(range(len(losses)), key=losses.__getitem__)
    leader, near = experts[best], [i for i, v in enumerate(losses) if v - losses[best] <= SURE and i != best]
    # each other expert has weight below exp(-rate SURE / 2), while the leader has at least 1/E^2 at first
    p = _first_probability(leader)
    q = p + arb(0, 1) * (len(losses) ** 3 * (-block.rate * (SURE / 2)).exp())
    if not near:
        return q
    shares = [block.weights[i] * (-block.rate * (experts[i].loss - leader.loss)).exp() for i in near]
    moved = sum((w * (_first_probability(experts[i]) - p) for w, i in zip(shares, near, strict=True)), arb(0))
    return q + moved / (block.weights[best] + sum(shares, arb(0)))


def _first_probability(expert: Expert) -> arb:
    """Return an expert's probability of the first client as a ball: its derivative in x is at most 1/4."""
    return expert.play.p + arb(0, expert.play.wide / 4)


class LossIncrement(NamedTuple):
    """The increment of an expert's loss in an update as a ball; p and 1/(p q) at midpoints, floats near p and p q."""

    loss: arb
    p: arb
    quotient: arb
    mine: float
    about: float


def _loss_increment(play: Play, seen: Observation) -> LossIncrement:
    p, mine = (play.p, play.near) if seen.first else (1 - play.p, 1 - play.near)
    about = mine * seen.near
    known = arb(0, SLACK * (play.wide / 4 / mine + seen.off / seen.near) / about)
    quotient = 1 / (p * seen.q)
    return LossIncrement(quotient + known, p, quotient, mine, about)


def _goes_far(
    expert: Expert, seen: Observation, ends: tuple[Play, Play], paid: tuple[LossIncrement, LossIncrement]
) -> bool:
    """Move an expert from an end to the active client's end if its gain suffices; return whether it does."""
    if expert.play is not ends[0] and expert.play is not ends[1]:
        return False
    own, end = paid[expert.play is ends[1]], ends[seen.first]
    way = 0.0 if expert.play is end else 2 * ends[1].reach
    if not expert.about / (own.about * own.mine) > SLACK * way + 2 * SURE:
        return False
    expert.loss += own.loss
    expert.play = end
    return True


def _update(expert: Expert, seen: Observation, ends: tuple[Play, Play]) -> None:
    """Update an expert after the active client was drawn."""
    play = expert.play
    loss, p, quotient, mine, about = _loss_increment(play, seen)
    expert.loss += loss
    turn = 2 * expert.about * (1 - mine) / (mine * about)  # how much the gain decreases with x
    unsure = (abs(1 - turn) + SURE * (1 + turn)) * play.wide + expert.about / (about * about) * seen.off
    step = expert.gain * quotient / p
    moved, end = (play.x + step, ends[1]) if seen.first else (play.x - step, ends[0])
    beyond = float(moved - end.x) if seen.first else float(end.x - moved)
    if beyond > SURE:
        expert.play = end
    elif beyond < -SURE:
        expert.play = _play(moved, SLACK * unsure)
    else:
        wide = moved + arb(0, SLACK * unsure)
        limit = end.x + arb(0, end.wide)
        expert.play = _play(wide.min(limit) if seen.first else wide.max(limit))
