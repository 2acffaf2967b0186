"""The quantities of the lemmas along a run in balls: the FTRL objectives of both learners, round by round.

Every quantity is one ball for a game in which all clients take part.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from flint import arb, arb_mat, ctx

from fltheory.games.hindsight import least_loss, smallest_ball
from fltheory.games.losses import LOG_GROWTH
from fltheory.games.play import simulate_rounds
from fltheory.games.player import ImpreciseState, Learner
from fltheory.games.static_regret import best_in_hindsight
from fltheory.model.case import Case
from fltheory.number import BALL
from fltheory.problems.responses import Oblivious
from fltheory.runs.constants import Constants, run_constants
from fltheory.runs.method import NotEnumerable

LONGEST = 20_000  # largest clients times rounds of a run in balls


@dataclass(frozen=True)
class Run:
    """A run in balls: decisions p^(1..T+1), responses and gradients of the rounds, and the constants.

    ``alike``: the rounds in which all clients have the same response, so that all decisions are equally good.
    """

    decisions: tuple[np.ndarray, ...]
    responses: tuple[np.ndarray, ...]
    gradients: tuple[np.ndarray, ...]
    alike: tuple[bool, ...]
    constants: Constants

    @property
    def n_rounds(self) -> int:
        return len(self.gradients)


def run_of(learner: Learner, case: Case) -> Run:
    """Return the run in balls; ImpreciseState if the working precision is too low, NotEnumerable if there is none."""
    return _run_of(learner, case, ctx.prec)


@lru_cache(maxsize=32)
def _run_of(learner: Learner, case: Case[Oblivious], precision: int) -> Run:
    game = case.instance
    if learner.exact is None or not game.oblivious or game.n_participating < game.n_clients:
        raise NotEnumerable("the run is not a single game in balls")
    if game.n_clients * game.n_rounds > LONGEST:
        raise NotEnumerable(f"more than {LONGEST} clients times rounds")
    c = run_constants(case, BALL)
    turns = list(simulate_rounds(learner.exact, case, 0, np.arange(1), BALL))
    last = learner.exact.step(turns[-1].state, turns[-1].seen, turns[-1].answer, c)
    decisions = [t.p[0] for t in turns] + [learner.exact.play(last, c)[0]]
    responses = tuple(t.answer[0] for t in turns)
    gradients = tuple(LOG_GROWTH.gradient(t.p, t.answer)[0] for t in turns)
    alike = tuple(len(set(game.distinct[j])) == 1 for j in game.order)
    return Run(tuple(decisions), responses, gradients, alike, c)


def dot(a: np.ndarray, b: np.ndarray) -> arb:
    """Return <a, b>."""
    found: arb = (a * b).sum()
    return found


def total_loss(run: Run, decision: np.ndarray | None = None) -> arb:
    """Return the total loss of the run, or of one decision in every round."""
    plays = run.decisions[:-1] if decision is None else [decision] * run.n_rounds
    product = arb(1)
    for p, r in zip(plays, run.responses, strict=True):
        product = product * (1 + dot(p, r))
    return -product.log()


def regret(run: Run, case: Case[Oblivious]) -> arb:
    """Return the static regret of the run."""
    game = case.instance
    best = best_in_hindsight(game, LOG_GROWTH)[0]
    return total_loss(run) - least_loss(game.rows_in(BALL), game.counts, LOG_GROWTH, best)


def linearised_regret(run: Run) -> arb:
    """Return max over p of sum <g, p_t - p>, the right side of Corollary A.3."""
    total = sum(run.gradients[1:], run.gradients[0])
    return sum((dot(g, p) for g, p in zip(run.gradients, run.decisions, strict=False)), arb(0)) - smallest_ball(total)


# The online Newton step -----------------------------------------------------------------------------------------


def log_determinant(run: Run, centred: bool) -> arb:
    """Return sum log(1 + lambda_i / alpha) with the eigenvalues lambda of beta sum g g', where g may be centred."""
    n = len(run.gradients[0])
    ratio = arb(run.constants.learner_curvature) / run.constants.learner_regularisation
    matrix = [[arb(int(i == j)) for j in range(n)] for i in range(n)]
    for g in run.gradients:
        v = g - g.sum() / n if centred else g
        for i in range(n):
            for j in range(n):
                matrix[i][j] = matrix[i][j] + ratio * v[i] * v[j]
    return arb_mat(matrix).det().log()


def newton_limit(run: Run, centred: bool) -> arb:
    """Return alpha/2 (1 - 1/K) + sum log(1 + lambda_i/alpha) / (2 beta): Theorem 5.1 with the run's eigenvalues."""
    n, c = len(run.gradients[0]), run.constants
    first = arb(c.learner_regularisation) / 2 * (1 - arb(1) / n)
    return first + log_determinant(run, centred) / (2 * arb(c.learner_curvature))


def surplus_of_last(run: Run) -> arb:
    """Return the regret to the last decision less sum D(u), D(u) = log(1 - u) + u + beta u^2/2, u = <g, p_T' - p>."""
    last, beta = run.decisions[-1], arb(run.constants.learner_curvature)
    total = arb(0)
    for g, p, r, alike in zip(run.gradients, run.decisions, run.responses, run.alike, strict=False):
        if alike:  # equal responses: the term is 0
            continue
        u = dot(g, last - p)
        total += ((1 + dot(last, r)) / (1 + dot(p, r))).log() - (1 - u).log() - u - beta / 2 * u * u
    return total


def proximal_shortfall(run: Run) -> arb:
    """Return the largest violation of Lemma A.6: L^(t)(p_t) - L^(t+1)(p_(t+1)) + <g_t, p_t> - |g_t|^2_(B_t^-1) / 2."""
    n, c = len(run.gradients[0]), run.constants
    alpha, beta = arb(c.learner_regularisation), arb(c.learner_curvature)
    B = np.array([[alpha if i == j else arb(0) for j in range(n)] for i in range(n)], dtype=object)
    linear, constant = np.array([arb(0)] * n, dtype=object), arb(0)

    def objective(p: np.ndarray) -> arb:
        return dot(B @ p, p) / 2 + dot(linear, p) + constant

    worst = None
    for t, g in enumerate(run.gradients):
        if all(v.is_zero() for v in g):  # equal responses: the violation is exactly 0
            continue
        p, after = run.decisions[t], run.decisions[t + 1]
        value = objective(p) + dot(g, p)
        played_ = dot(g, p)
        B = B + beta * np.multiply.outer(g, g)
        linear, constant = linear + g - beta * played_ * g, constant + beta / 2 * played_ * played_
        try:
            solved = arb_mat(B.tolist()).solve(arb_mat([[v] for v in g]))
        except ZeroDivisionError:
            raise ImpreciseState("the balls of the matrix are too wide") from None
        gained = sum((g[i] * solved[i, 0] for i in range(n)), arb(0)) / 2
        excess = value - objective(after) - gained
        worst = excess if worst is None else worst.max(excess)
    return arb(0) if worst is None else worst


# Entropic FTRL --------------------------------------------------------------------------------------------------


def _rate(run: Run, t: int) -> arb:
    """Return eta^(t) = L_s sqrt(t / log K), t from 1."""
    return arb(run.constants.learner_scale) * (arb(t) / arb(len(run.gradients[0])).log()).sqrt()


def _soft_minimum(total: np.ndarray, rate: arb) -> arb:
    """Return min over p of <total, p> + rate (sum p log p + log K)."""
    weights = sum(((-v / rate).exp() for v in total), arb(0))
    return rate * (arb(len(total)).log() - weights.log())


def entropic_limit(run: Run) -> arb:
    """Return eta^(T) log K + sum |g_t|_inf^2 / (2 eta^(t)): Theorem 5.2 before its last steps."""
    total = _rate(run, run.n_rounds) * arb(len(run.gradients[0])).log()
    for t, g in enumerate(run.gradients, 1):
        size = -smallest_ball(-abs_of(g))
        total += size * size / (2 * _rate(run, t))
    return total


def abs_of(g: np.ndarray) -> np.ndarray:
    """Return the entrywise absolute values."""
    found = np.empty_like(g)
    found[:] = [abs(v) for v in g]
    return found


def progress_shortfall(run: Run) -> arb:
    """Return the largest violation of Lemma A.7 in a round, with R^(t) = eta^(t) (sum p log p + log K):

    L^(t)(p_t) - L^(t+1)(p_(t+1)) + <g_t, p_t> - |g_t|_inf^2 / (2 eta^(t)) - R^(t)(p_(t+1)) + R^(t+1)(p_(t+1)).
    """
    total = np.array([arb(0)] * len(run.gradients[0]), dtype=object)
    worst = None
    for t, g in enumerate(run.gradients, 1):
        if all(v.is_zero() for v in (*g, *total)):  # uniform before and after: the violation is exactly 0
            continue
        now, later, after = _rate(run, t), _rate(run, t + 1), run.decisions[t]
        value = _soft_minimum(total, now) + dot(g, run.decisions[t - 1])
        total = total + g
        entropy = sum((p * p.log() for p in after), arb(len(after)).log())
        size = -smallest_ball(-abs_of(g))
        excess = value - _soft_minimum(total, later) - size * size / (2 * now) + (later - now) * entropy
        worst = excess if worst is None else worst.max(excess)
    return arb(0) if worst is None else worst
