"""The second regime on sample paths: all outcomes of a round (or a few) on clients with a kink at 0, in rationals.

Heterogeneity: an order of +-zeta clients is a row of signs tau_1..tau_M. Noise: a row of signs tau_1..tau_N, N = MK.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from fltheory.claims.statement import Constants, constants_of
from fltheory.model.case import Case
from fltheory.number import RATIONAL, Element, Number, as_number
from fltheory.papers.sfl import algorithms
from fltheory.papers.sfl.notation import n
from fltheory.problems.separable import PiecewiseQuadraticClients
from fltheory.runs.algorithm import start_state
from fltheory.runs.constants import run_constants
from fltheory.runs.distributions.sample_paths import EnumeratedOracle, enumerate_runs, round_outcomes
from fltheory.runs.protocols import noise_values

COURSES = 4096


class RoundOutcomes(NamedTuple):
    """``states``: (outcomes, MK + 1) local models in order; ``signs``: (outcomes, M); ``weights``: probabilities.

    ``noise``: (outcomes, MK), the sign of the noise in each step, 0 without noise.
    """

    states: np.ndarray
    signs: np.ndarray
    noise: np.ndarray
    weights: list[Fraction]


@lru_cache(maxsize=64)
def _enumerate_round(instance: PiecewiseQuadraticClients, step: Number, steps: int) -> RoundOutcomes:
    case = Case(instance, step_size=step, n_local_steps=steps)
    c = run_constants(case, RATIONAL)
    found = round_outcomes(algorithms.sequential, case, COURSES)
    orders = np.array([o.order for o in found], dtype=np.int64)
    noise = np.array([o.noise for o in found], dtype=np.int64).reshape(len(found), -1)
    oracle = EnumeratedOracle(instance, orders, noise, steps, RATIONAL)
    x = start_state(algorithms.sequential, case, len(found), RATIONAL)
    states, thrown = [x[:, 0]], []
    for client in orders.T:
        for k in range(steps):
            thrown.append(_signs(instance, x, client, noise, k, steps))
            x = x - c.step_size * oracle.gradient(x, client, k)
            states.append(x[:, 0])
    slopes = np.array([1 if row[0] > 0 else -1 for row in instance.slopes])
    weights = [Fraction(o.weight) for o in found]
    return RoundOutcomes(np.stack(states, axis=1), slopes[orders], np.stack(thrown, axis=1), weights)


def _signs(
    instance: PiecewiseQuadraticClients, x: np.ndarray, client: np.ndarray, noise: np.ndarray, k: int, steps: int
) -> np.ndarray:
    """Return the sign of the noise of one local step in each outcome, (outcomes,)."""
    values = noise_values(instance) if noise.shape[1] else None
    if values is None:
        return np.zeros(len(x), dtype=np.int64)
    drawn = values(x, client, noise[np.arange(len(x)), client * steps + k], RATIONAL)[:, 0]
    return np.array([(v > 0) - (v < 0) for v in drawn], dtype=np.int64)


def outcomes_of_round(clients: PiecewiseQuadraticClients, c: Constants) -> RoundOutcomes:
    """Return all outcomes of one round."""
    return _enumerate_round(clients, c.step_size, int(c.n_local_steps))


def mean(values: Iterable[Number], weights: list[Fraction]) -> Fraction:
    """Return the expectation of the values, in rationals."""
    return sum((w * Fraction(as_number(v)) for v, w in zip(values, weights, strict=True)), Fraction(0))


def place(clients: PiecewiseQuadraticClients, c: Constants) -> int:
    """Return the index B_{m,k} = (m - 1) K + k, or n in a round of equal clients."""
    if n.name in vars(c) and not any(row[0] for row in clients.slopes):
        return int(c.n_signs)
    return (int(c.position) - 1) * int(c.n_local_steps) + int(c.local_step)


def pull(x: Element, c: Constants) -> Element:
    """Return c(x) x."""
    return RATIONAL.scalar(c.large_curvature if x < 0 else c.small_curvature) * x


def distance(clients: PiecewiseQuadraticClients, c: Constants) -> Fraction:
    """Return E|x_{m,k} - x_{1,0}| (or E|x_n - x_0|)."""
    found = outcomes_of_round(clients, c)
    moved = found.states[:, place(clients, c)] - found.states[:, 0]
    return mean([abs(v) for v in moved], found.weights)


def mean_pull(clients: PiecewiseQuadraticClients, c: Constants) -> Fraction:
    """Return E[c(x_{m,k}) x_{m,k}]."""
    found = outcomes_of_round(clients, c)
    return mean([pull(v, c) for v in found.states[:, place(clients, c)]], found.weights)


def start(clients: PiecewiseQuadraticClients, c: Constants) -> Fraction:
    """Return x_{1,0}."""
    return Fraction(as_number(outcomes_of_round(clients, c).states[0, 0]))


def pull_below(clients: PiecewiseQuadraticClients, c: Constants) -> Fraction:
    """Return 501/1000 lam0 x_{1,0} - E[c(x_{m,k}) x_{m,k}]."""
    return Fraction(501, 1000) * c.large_curvature * start(clients, c) - mean_pull(clients, c)


def balances(found: RoundOutcomes, at: int, steps: int) -> list[Fraction]:
    """Return A_{m,k} = E_{m-1} + (k / K) tau_m in each outcome."""
    done, k = divmod(at, steps)
    return [
        Fraction(int(signs[:done].sum())) + (Fraction(k, steps) * int(signs[done]) if k else 0) for signs in found.signs
    ]


def noise_sums(found: RoundOutcomes, at: int) -> list[Fraction]:
    """Return E_n, the sum of the first n signs of the noise, in each outcome."""
    return [Fraction(int(signs[:at].sum())) for signs in found.noise]


def _split_means(clients: PiecewiseQuadraticClients, c: Constants) -> tuple[Fraction, Fraction]:
    """Return E[x_{m,k} 1{A_{m,k} > 0}] and E[x_{m,k} 1{A_{m,k} <= 0}], with E_n in place of A_{m,k} for noise."""
    found, at = outcomes_of_round(clients, c), place(clients, c)
    leaning = noise_sums(found, at) if clients.draws else balances(found, at, int(c.n_local_steps))
    above = [b > 0 for b in leaning]
    x = [Fraction(as_number(v)) for v in found.states[:, at]]
    first = sum((w * v for v, w, up in zip(x, found.weights, above, strict=True) if up), Fraction(0))
    return first, mean(found.states[:, at], found.weights) - first


def split_above_pull(clients: PiecewiseQuadraticClients, c: Constants) -> Fraction:
    """Return lam0 (E[x 1{A > 0}] + x_{1,0}) + lam E[x 1{A <= 0}] - E[c(x) x], from the two sides of (5)."""
    above, below = _split_means(clients, c)
    split = c.large_curvature * (above + start(clients, c)) + c.small_curvature * below
    return Fraction(split - mean_pull(clients, c))


def first_term(clients: PiecewiseQuadraticClients, c: Constants) -> Fraction:
    """Return lam0 (E[x 1{A > 0}] - lam0 eta sum E|x_i - x_0| + K eta zeta E|A| / 2), from the two sides of (6)."""
    found, at = outcomes_of_round(clients, c), place(clients, c)
    steps, eta, lam0 = int(c.n_local_steps), Fraction(c.step_size), Fraction(c.large_curvature)
    zeta = max(abs(Fraction(row[0])) for row in clients.slopes)
    moved = sum(
        (mean([abs(v) for v in found.states[:, i] - found.states[:, 0]], found.weights) for i in range(at)), Fraction(0)
    )
    size = mean([abs(b) for b in balances(found, at, steps)], found.weights)
    return lam0 * _split_means(clients, c)[0] - lam0**2 * eta * moved + lam0 * steps * eta * zeta * size / 2


def second_term(clients: PiecewiseQuadraticClients, c: Constants) -> Fraction:
    """Return (7): lam E[x 1{A <= 0}] - lam E|x_{m,k} - x_{1,0}|."""
    return Fraction(c.small_curvature) * (_split_means(clients, c)[1] - distance(clients, c))


def unrolling_probability(clients: PiecewiseQuadraticClients, c: Constants) -> Fraction:
    """Return the probability that x_{m,k} = x_{1,0} - eta sum_i c(x_i) x_i - K eta zeta A_{m,k}."""
    found, at = outcomes_of_round(clients, c), place(clients, c)
    steps, eta = int(c.n_local_steps), Fraction(c.step_size)
    zeta = max(abs(Fraction(row[0])) for row in clients.slopes)
    total = Fraction(0)
    for x, balance, weight in zip(found.states, balances(found, at, steps), found.weights, strict=True):
        pulled = sum((Fraction(as_number(pull(v, c))) for v in x[:at]), Fraction(0))
        expected = Fraction(as_number(x[0])) - eta * pulled - steps * eta * zeta * balance
        total += weight * (expected == Fraction(as_number(x[at])))
    return total


def noise_unrolling_probability(clients: PiecewiseQuadraticClients, c: Constants) -> Fraction:
    """Return the probability that x_n = x_0 - eta sum_{i < n} c(x_i) x_i - eta sigma E_n."""
    found, at, eta, sigma = (
        outcomes_of_round(clients, c),
        place(clients, c),
        Fraction(c.step_size),
        Fraction(c.noise_std),
    )
    total = Fraction(0)
    for x, balance, weight in zip(found.states, noise_sums(found, at), found.weights, strict=True):
        pulled = sum((Fraction(as_number(pull(v, c))) for v in x[:at]), Fraction(0))
        expected = Fraction(as_number(x[0])) - eta * pulled - eta * sigma * balance
        total += weight * (expected == Fraction(as_number(x[at])))
    return total


def end(clients: PiecewiseQuadraticClients, c: Constants) -> Fraction:
    """Return E x_{M+1,0}: the mean of the model after one round."""
    found = outcomes_of_round(clients, c)
    return mean(found.states[:, -1], found.weights)


def end_over_start(clients: PiecewiseQuadraticClients, c: Constants) -> Fraction:
    """Return E x_{M+1,0} / x_{1,0}."""
    return end(clients, c) / start(clients, c)


def steep(clients: PiecewiseQuadraticClients) -> PiecewiseQuadraticClients:
    """Return the clients H_m: lam0 x^2 / 2 +- zeta x."""
    return replace(clients, right=clients.left)


def coupling_probability(clients: PiecewiseQuadraticClients, c: Constants) -> Fraction:
    """Return the probability that x_{m,k} on F_m is at least x_{m,k} on the steep clients H_m, for all m and k."""
    upper, below = outcomes_of_round(clients, c), outcomes_of_round(steep(clients), c)
    above = [all(a >= b for a, b in zip(x, y, strict=True)) for x, y in zip(upper.states, below.states, strict=True)]
    return sum((w for w, good in zip(upper.weights, above, strict=True) if good), Fraction(0))


def steep_end_over_start(clients: PiecewiseQuadraticClients, c: Constants) -> Fraction:
    """Return E x_{M+1,0} / x_{1,0} on the steep clients H_m."""
    return end_over_start(steep(clients), c)


def _runs(case: Case) -> tuple[np.ndarray, list[Fraction]]:
    states, weights = enumerate_runs(algorithms.sequential, case, RATIONAL, COURSES)
    return states[:, :, 0], [Fraction(as_number(w)) for w in weights]


def nonnegative(case: Case) -> Fraction:
    """Return the least P(x^(r) >= 0) over r = 0..R."""
    states, weights = _runs(case)
    return min(mean([int(v >= 0) for v in column], weights) for column in states.T)


def least_mean(case: Case) -> Fraction:
    """Return the least E x^(r) over r = 1..R."""
    states, weights = _runs(case)
    return min(mean(column, weights) for column in states.T[1:])


def gain(case: Case) -> Fraction:
    """Return E x^(R) - (1 - 2/3 lam0 M K eta) E x^(R-1): what the last round adds to the contracted mean."""
    (states, weights), c = _runs(case), constants_of(case)
    shrink = 1 - Fraction(2, 3) * c.large_curvature * c.n_clients * c.n_local_steps * Fraction(c.step_size)
    return mean(states[:, -1], weights) - shrink * mean(states[:, -2], weights)
