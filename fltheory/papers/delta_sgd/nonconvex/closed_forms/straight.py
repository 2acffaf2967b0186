"""Lower bounds on the mean squared gradient of Delta-SGD for any number of rounds, on samples with linear parts."""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb

from fltheory.model.case import Case
from fltheory.number import to_ball
from fltheory.papers.delta_sgd import notation
from fltheory.papers.delta_sgd.nonconvex.cases.bent_samples import BentSamples


def walk_lower_limit(game: BentSamples, case: Case) -> arb | None:
    """Bound runs with line 9 on the batch of line 8 and two local steps that stay right of all bends: f' is constant.

    There every gradient is one of the g_z, whatever the point: a round adds an independent random number xi. If
    E exp(-s xi) <= 1, the product exp(-s (xi_1 + .. + xi_t)) is a supermartingale, so that the sums fall below -d with
    probability at most exp(-s d) (Ville). Until then no gradient is evaluated left of the bends, if d is the distance
    of the start from them less the first local step: the mean of |f'|^2 is at least f'(infinity)^2 (1 - exp(-s d)).
    None if it does not apply.
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
    """Return the possible moves of a round, with their probabilities."""
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
    """Return s > 0 with E exp(-s xi) <= 1 for sure, near the largest; None if the mean of xi is not positive."""
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
    """Bound runs with line 9 on a separate mini-batch: whatever its start, a round may end far from the minimiser.

    Some samples are linear everywhere, with the gradients nu and -nu in equal numbers, a share s of all; the others
    bend around one centre. If all 2K - 1 samples of a round are linear, with probability s^(2K-1), each local step
    shows no curvature: the steps grow by their caps, to eta, for any start. The last gradient is nu or -nu with equal
    probability, independent of the past: the two possible ends of the round are 2 nu eta apart, so for nu eta >= U at
    least one of them is not within U of the centre, and there |f'| has its largest value. So each x_t with t >= 1 has
    E f'(x_t)^2 >= s^(2K-1)/2 f'(infinity)^2. None if it does not apply.
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
