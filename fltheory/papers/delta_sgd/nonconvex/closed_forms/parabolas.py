"""Delta-SGD on samples that are parabolas along the whole run: a round maps the first two moments linearly.

A sample with the scale a has |x - x'| / |g - g'| = 1/a at any two points, so that line 9 takes the smaller of
gamma/(2 a) and the cap: step sizes depend on the drawn samples, not on the point. A local step is x - lam (x - c_z)
with lam = eta a_z. All centres are at one of two ends, the run starts between them and every lam is below 1: the point
stays strictly between them, so that no gradient vanishes, each local step moves, and no sample bends there.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from flint import arb

from fltheory.model.case import Case
from fltheory.number import to_ball
from fltheory.papers.delta_sgd import notation
from fltheory.papers.delta_sgd.nonconvex.cases.bent_samples import BentSamples

COURSES = 4_096  # most step sizes in a round
Moments = tuple[arb, arb, arb]  # of 1, x and x^2


class Kind(NamedTuple):
    """Samples with one scale and centre, and their share of all samples."""

    scale: arb
    centre: arb
    share: arb


class Move(NamedTuple):
    """A local step: with this probability x becomes (1 - lam) x + lam centre; then the later steps of the round."""

    chance: arb
    lam: arb
    centre: arb
    then: tuple[Move, ...]


def mean_square(game: BentSamples, case: Case, same: bool) -> arb | None:
    """Return (1/T) sum_t E f'(x_t)^2; None if the argument fails. ``same``: line 9 uses the batch of line 8."""
    kinds = _kinds(game)
    c = case.constants
    steps = int(c[notation.K])
    if kinds is None or (len(kinds) * (1 if same else len(kinds))) ** steps > COURSES:
        return None
    rule = tuple(to_ball(c[v]) for v in (notation.gamma, notation.delta))
    moves = _moves(kinds, to_ball(c[notation.eta_0]), to_ball(c[notation.theta_0]), rule, same, steps, first=True)
    if not all(move.lam < 1 for move in _each(moves)):
        return None
    columns = [_round(moves, tuple(arb(int(i == j)) for j in range(3))) for i in range(3)]
    rise = sum((k.share * k.scale for k in kinds), arb(0))
    pull = sum((k.share * k.scale * k.centre for k in kinds), arb(0))
    start = to_ball(game.start[0])
    now, total, rounds = (arb(1), start, start * start), arb(0), int(c[notation.T])
    for _ in range(rounds):
        total += rise * rise * now[2] - 2 * rise * pull * now[1] + pull * pull
        now = (arb(1), *(sum((v * column[j] for v, column in zip(now, columns, strict=True)), arb(0)) for j in (1, 2)))
    return total / rounds


def _kinds(game: BentSamples) -> list[Kind] | None:
    """Return the samples if they are parabolas between two ends around the start; else None."""
    ends = sorted({Fraction(v) for v in game.centres})
    if len(ends) != 2 or any(game.tilts) or not all(v > 0 for v in game.scales):
        return None
    apart = ends[1] - ends[0]
    if not ends[0] < Fraction(game.start[0]) < ends[1] or any(Fraction(u) < apart for u in game.bends):
        return None
    samples = list(zip(game.scales, game.centres, strict=True))
    return [
        Kind(to_ball(a), to_ball(c), to_ball(Fraction(samples.count((a, c)), len(samples))))
        for a, c in dict.fromkeys(samples)
    ]


def _moves(
    kinds: list[Kind], lr: arb, ratio: arb, rule: tuple[arb, ...], same: bool, left: int, first: bool
) -> tuple[Move, ...]:
    """Return the possible local steps, ``left`` of them, after a step of size ``lr`` with that ratio."""
    if left == 0:
        return ()
    gamma, delta = rule
    cap, found = (1 + delta * ratio).sqrt() * lr, []
    for measured in kinds:
        new, next_ratio = (lr, ratio) if first else (cap.min(gamma / (2 * measured.scale)), arb(0))
        if not first:
            next_ratio = new / lr
        then = _moves(kinds, new, next_ratio, rule, same, left - 1, first=False)
        for moving in (measured,) if same else kinds:
            chance = measured.share if same else measured.share * moving.share
            found.append(Move(chance, new * moving.scale, moving.centre, then))
    return tuple(found)


def _each(moves: tuple[Move, ...]) -> Iterator[Move]:
    for move in moves:
        yield move
        yield from _each(move.then)


def _round(moves: tuple[Move, ...], before: Moments) -> Moments:
    """Return the moments at the end of a round, linear in those at its start."""
    if not moves:
        return before
    total = (arb(0), arb(0), arb(0))
    for move in moves:
        mass, mean, square = (move.chance * v for v in before)
        kept, added = 1 - move.lam, move.lam * move.centre
        after = _round(
            move.then, (mass, kept * mean + added * mass, kept**2 * square + 2 * kept * added * mean + added**2 * mass)
        )
        total = (total[0] + after[0], total[1] + after[1], total[2] + after[2])
    return total
