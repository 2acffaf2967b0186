"""FedAvg on tilted clients, with a sampler that hardly learns: the noise of uniform sampling remains.

One draw and one local step a round, no noise, effective step mu. Client m has the gradient g_m = c + h_m with c = F' =
a clip(w, U); the tilts h_m have mean zero. For a round from w, where client m is drawn with p_m, let q = M p_m:

    w' = w - mu g_m / q,   E w' = w - mu c,   E w'^2 = w^2 - 2 mu w c + (mu^2/M) sum_m g_m^2 / q_m.

A draw multiplies a client's probability in the play of any expert by at most exp(eta a / (p_e^2 p)), and the projection
keeps undrawn clients between exp(-gain) times their probability and this probability. As all p are at least alpha/M,
gain <= eta A M^3 / alpha^3 in each round for the largest rate eta, and exp(-s) <= q <= exp(s) with s = T gain.

As sum g_m^2 = M c^2 + H with H = sum h_m^2 and w c <= a w^2, the second moment obeys, for mu a <= 1/2,

    v' >= (1 - 2 mu a) v + exp(-s) mu^2 H/M,   V' <= V + mu^2 S_2,   S_2 = exp(s) (a^2 U^2 + H/M),

and the fourth f' <= f + 8 mu^2 S_2 V + 3 mu^4 S_4 with S_4 = exp(3 s) (1/M) sum (|h_m| + a U)^4, as the term of w^3 c
decreases it, and 4 |w S_3| mu^3 <= 2 w^2 mu^2 S_2 + 2 mu^4 S_4. Finally, c^2 >= a^2 (w^2 - w^4 / (4 U^2)) for each w.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from fltheory.evidence.measured import AtLeast
from fltheory.evidence.validation.consistency import is_plain
from fltheory.games.player import Sampler
from fltheory.model.case import Case
from fltheory.number import BALL, to_ball
from fltheory.papers.osmd.algorithms.adaptive import Experts
from fltheory.papers.osmd.algorithms.grid import expert_grid
from fltheory.papers.osmd.instances.bounded_clients import ApartClients
from fltheory.papers.osmd.notation import B, K, T, mu, server
from fltheory.runs.constants import run_constants


def least_gradient(sampler: Sampler, case: Case) -> AtLeast | None:
    """Return a lower limit of (1/T) sum_t E|F'(w^t)|^2 as a ball, or None if the argument does not apply."""
    game, constants = case.instance, case.constants
    if not isinstance(game, ApartClients) or not is_plain(game) or game.noise_std:
        return None
    if not all(constants.get(v, 1) == 1 for v in (K, B)):
        return None
    rate = _largest_rate(sampler, case)
    if rate is None:
        return None
    step = to_ball(constants[mu]) * to_ball(constants.get(server, 1))
    if not step * to_ball(game.curvature) * 2 <= 1:
        return None
    return AtLeast(_least(game, step, rate, int(constants[T])))


def _largest_rate(sampler: Sampler, case: Case) -> arb | None:
    """Return the largest rate of OSMD, or of the experts of Adaptive-OSMD; None for another sampler."""
    from fltheory.papers.osmd.algorithms import osmd

    twin, c = sampler.exact, run_constants(case, BALL)
    if twin is None:
        return None
    if osmd.exact is not None and twin.step is osmd.exact.step:
        return to_ball(c.sampler_rate)
    found: arb = expert_grid(c, balls=True)[-1] if isinstance(twin.init(1, c), Experts) else None
    return found


def _least(game: ApartClients, step: arb, rate: arb, rounds: int) -> arb:
    """Return the lower limit by following the moments of w from round to round."""
    n, steep, bend = game.n_clients, to_ball(game.curvature), to_ball(game.bend)
    top, tilts = steep * bend, [abs(Fraction(h)) for h in game.tilts if h]
    squares = sum((to_ball(h * h) for h in tilts), arb(0)) / n
    fourths = (sum(((to_ball(h) + top) ** 4 for h in tilts), arb(0)) + (n - len(tilts)) * top**4) / n
    most = (to_ball(max(tilts, default=Fraction(0))) + top) ** 2 / n**2  # of the feedback
    spread = rounds * rate * most * n**3 / to_ball(game.floor) ** 3
    gained = step**2 * (-spread).exp() * squares
    second = step**2 * spread.exp() * (top**2 + squares)
    fourth = 3 * step**4 * (3 * spread).exp() * fourths
    low = high = to_ball(game.start[0]) ** 2
    power, total = low**2, arb(0)
    kept, outside = 1 - 2 * step * steep, 1 / (4 * bend**2)
    for _ in range(rounds):
        total += low - power * outside
        power, high, low = power + 8 * second * high + fourth, high + second, kept * low + gained
    return steep**2 * total / rounds
