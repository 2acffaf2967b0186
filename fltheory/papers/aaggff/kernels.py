"""Compiled games of AAggFF-D with responses that are fixed before the game. Reference: ``games.play.simulate_rounds``.

Decisions do not depend on multiples of 1 in a gradient. Up to those, the gradients of ``algorithms`` are
-(r_i - a)/(C (1 + a)) for the clients seen, -(r_i - a)/C for the linear loss, else 0. They differ in the reference a.
"""

from __future__ import annotations

import math

import numpy as np

from fltheory.games.environment import is_fixed_table
from fltheory.games.losses import LINEAR, LOG_GROWTH, DecisionLoss
from fltheory.model.case import Case
from fltheory.number.streams.compiled import njit
from fltheory.number.streams.kernels import U64, absorb, map_threads, max_threads, ordered_sample
from fltheory.problems.responses import Oblivious
from fltheory.runs.constants import run_constants

THREADS = 2
REFERENCES = ("mean seen", "imputed", "last mean", "earned")
MEAN_SEEN, IMPUTED, LAST_MEAN, EARNED = range(4)  # the reference is <p, r>, if all clients take part


def total_losses(
    reference: str, linear: bool, case: Case[Oblivious], seed: int, repetitions: np.ndarray, loss: DecisionLoss
) -> np.ndarray | None:
    """Return the total losses of the games with these numbers, (repetitions,); ``linear``: the loss is linear.

    None for other losses, adaptive adversaries, games with their own way to reveal responses, and if <p, r> is needed
    but not seen.
    """
    game = case.instance
    c = run_constants(case, None)
    kind = REFERENCES.index(reference)
    if loss not in (LOG_GROWTH, LINEAR) or not is_fixed_table(game):
        return None
    if kind == EARNED and c.n_participating < c.n_clients:
        return None
    given = float(c.imputed_response) if kind == IMPUTED else float(c.response_low) if kind == LAST_MEAN else 0.0
    rate = math.sqrt(math.log(c.n_clients)) / c.learner_scale  # 1/eta_t is this over sqrt(t)
    share = c.n_participating / c.n_clients

    def one(repetition: int) -> float:
        return one_game(
            game.table,
            game.order,
            c.n_participating,
            kind,
            given,
            share,
            linear,
            rate,
            loss == LINEAR,
            seed,
            repetition,
        )

    return np.array(map_threads(one, map(int, repetitions), min(THREADS, max_threads())))


@njit(nogil=True)
def expected_return(total: np.ndarray, rate: float, r: np.ndarray) -> float:
    """Return <p, r> for p proportional to exp(-rate total), (12), in one pass after the minimum of total is known."""
    least, weight, found = total.min(), 0.0, 0.0
    for i in range(len(r)):
        w = np.exp((least - total[i]) * rate)
        weight += w
        found += w * r[i]
    return found / weight


@njit(nogil=True)
def one_game(
    table: np.ndarray,
    order: np.ndarray,
    n_participating: int,
    reference: int,
    given: float,
    share: float,
    linear: bool,
    rate: float,
    linear_loss: bool,
    seed: int,
    repetition: int,
) -> float:
    """Return the total loss of one game."""
    n = table.shape[1]
    total, clients, seen = np.zeros(n), np.arange(n), np.arange(n_participating)
    places = np.empty(n_participating, dtype=np.int64)
    root = absorb(absorb(U64(0), seed), repetition)
    paid, before = 0.0, given
    for t in range(len(order)):
        r = table[order[t]]
        now = expected_return(total, rate / np.sqrt(t + 1.0), r)
        paid -= now if linear_loss else np.log(1.0 + now)
        if n_participating < n:
            ordered_sample(absorb(root, t), clients, seen, places)
        mean = 0.0
        for i in seen:
            mean += r[i] / n_participating
        a = mean if reference == MEAN_SEEN else now if reference == EARNED else before
        if reference == LAST_MEAN:
            before = mean
        over = share if linear else share * (1.0 + a)
        for i in seen:
            total[i] -= (r[i] - a) / over
    return paid
