"""Delta-SGD on samples that are straight where it matters: lower limits of the mean squared gradient of runs of any length."""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb

from fltheory.model.case import Case
from fltheory.number import to_ball
from fltheory.papers.delta_sgd import notation
from fltheory.papers.delta_sgd.nonconvex.cases.bent_samples import BentSamples


def walk_lower_limit(game: BentSamples, case: Case) -> arb | None:
    """Line 9 from the gradients of line 8, two local steps a round: a run that stays right of all bends, where f' is constant.

    There every gradient is one of the g_z, whatever the point: a round adds one of finitely many numbers xi, drawn anew. With
    E exp(-s xi) <= 1 the product exp(-s (xi_1 + .. + xi_t)) is a supermartingale, so that the sums ever fall below -d with the
    chance exp(-s d) at most (Ville). Before that happens no gradient is asked left of the bends, d being how far the start
    is right of them less the first local step: the mean of |f'|^2 is at least f'(infinity)^2 (1 - exp(-s d)). None where it
    says nothing.
    """
    c, last = case.constants, game.corners[-1]
    slopes = [to_ball(g) for g in game.slopes(last)]
    first = to_ball(c[notation.eta_0])
    if int(c[notation.K]) != 2 or any(g == 0 for g in game.slopes(last)):
        return None
    away = to_ball(Fraction(game.start[0]) - last) - first * max((g for g in slopes), key=float).max(arb(0))
    if not away > 0:
        return None
    rounds = _increments(game.slopes(last), case)
    rate = _rate(rounds)
    if rate is None:
        return None
    return to_ball(game.mean_slopes[1]) ** 2 * (1 - (-rate * away).exp())


def _increments(slopes: list[Fraction], case: Case) -> list[tuple[arb, arb]]:
    """What a round adds to the point, with its chance."""
    first, ratio, gamma, delta = (
        to_ball(case.constants[v]) for v in (notation.eta_0, notation.theta_0, notation.gamma, notation.delta)
    )
    cap, kinds, found = (1 + delta * ratio).sqrt() * first, list(dict.fromkeys(slopes)), []
    for g in kinds:
        for then in kinds:
            chance = to_ball(Fraction(slopes.count(g) * slopes.count(then), len(slopes) ** 2))
            step = cap
            if g != then:
                step = cap.min(gamma * first * to_ball(abs(g) / abs(then - g)) / 2)
            found.append((chance, -first * to_ball(g) - step * to_ball(then)))
    return found


def _rate(rounds: list[tuple[arb, arb]]) -> arb | None:
    """A number s > 0 with E exp(-s xi) <= 1 for sure, near the largest; None where the mean of xi is not positive."""
    sizes = [(float(chance), float(xi)) for chance, xi in rounds]
    if not sum(chance * xi for chance, xi in sizes) > 0 or not any(xi < 0 for _, xi in sizes):
        return None
    low, high = 0.0, 1 / max(abs(xi) for _, xi in sizes)

    def excess(s: float) -> float:
        return sum(chance * math.expm1(-s * xi) for chance, xi in sizes)

    while excess(high) < 0:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) < 0 else (low, middle)
    rate = arb(low * 0.999)
    moment = sum((chance * (-rate * xi).exp() for chance, xi in rounds), arb(0))
    return rate if rate > 0 and moment <= 1 else None


def throw_lower_limit(game: BentSamples, case: Case) -> arb | None:
    """Line 9 on a mini-batch of its own: whatever was before, a round may end far from the minimiser.

    Some samples are straight everywhere, with the gradients nu and -nu in equal numbers, a share s of all; the others bend around
    one centre. Where all 2K - 1 samples of a round are straight ones, chance s^(2K-1), each local step moves and shows no
    curvature: the steps grow by their caps, to eta, whatever the start. The last gradient is nu or -nu with equal chances,
    independent of all before it: the two places where the round may end are 2 nu eta apart, so for nu eta >= U one of them at
    least is not within U of the centre, and there |f'| is as large as it gets. So each x_t with t >= 1 has
    E f'(x_t)^2 >= s^(2K-1)/2 f'(infinity)^2. None where it says nothing.
    """
    c, straight = case.constants, [h for a, h in zip(game.scales, game.tilts, strict=True) if a == 0]
    bent = [(v, u, h) for a, v, u, h in zip(*game.table, strict=True) if a != 0]
    nu = max(straight, default=0)
    if nu <= 0 or any(abs(h) != nu for h in straight) or sum(straight) != 0 or any(h for _, _, h in bent):
        return None
    if len({v for v, _, _ in bent}) != 1:
        return None
    steps, rounds = int(c[notation.K]), int(c[notation.T])
    lr, ratio, delta = (to_ball(c[v]) for v in (notation.eta_0, notation.theta_0, notation.delta))
    for _ in range(steps - 1):
        grown = (1 + delta * ratio).sqrt()
        lr, ratio = lr * grown, grown
    if not lr * to_ball(nu) >= to_ball(max(u for _, u, _ in bent)):
        return None
    share = to_ball(Fraction(len(straight), len(game.scales)))
    return share ** (2 * steps - 1) / 2 * to_ball(game.mean_slopes[1]) ** 2 * (rounds - 1) / rounds
