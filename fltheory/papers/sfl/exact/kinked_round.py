"""The second regime, pathwise: every course of a round (or a few rounds) on clients with a kink at 0, in rationals.

Heterogeneity: an order of +-zeta clients is a row of signs tau_1..tau_M; noise: a row of signs tau_1..tau_N, N = MK.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from fltheory.case import Case
from fltheory.number import RATIONAL, Ring, as_number
from fltheory.papers.sfl import algorithms, letters
from fltheory.papers.sfl.letters import K, R, m, n
from fltheory.problems.separable import PiecewiseQuadraticClients, SeparableClients
from fltheory.runs.algorithm import run_constants, start_state
from fltheory.runs.courses import EnumeratedOracle, enumerate_runs, outcomes

COURSES = 4096


class Courses(NamedTuple):
    """``states``: (courses, MK + 1) local models in the order of the round; ``signs``: (courses, M); ``weights``: odds."""

    states: np.ndarray
    signs: np.ndarray
    weights: list[Fraction]


@lru_cache(maxsize=64)
def _courses(instance: Any, step: Any, steps: int) -> Courses:
    case = Case(instance, step_size=step, n_local_steps=steps)
    c = run_constants(case, RATIONAL)
    found = outcomes(algorithms.sequential, case, COURSES)
    orders = np.array([o.order for o in found], dtype=np.int64)
    noise = np.array([o.noise for o in found], dtype=np.int64).reshape(len(found), -1)
    oracle = EnumeratedOracle(instance, orders, noise, steps, RATIONAL)
    x = start_state(algorithms.sequential, case, len(found), RATIONAL)
    states = [x[:, 0]]
    for client in orders.T:
        for k in range(steps):
            x = x - c.step_size * oracle.gradient(x, client, k)
            states.append(x[:, 0])
    slopes = np.array([1 if row[0] > 0 else -1 for row in instance.slopes])
    return Courses(np.stack(states, axis=1), slopes[orders], [Fraction(o.weight) for o in found])


def courses(case: Case[SeparableClients]) -> Courses:
    """Every course of one round of the case."""
    constants = case.constants
    instance = case.instance
    return _courses(instance, constants[letters.eta], int(constants[K]))


def mean(values: Any, weights: list[Fraction]) -> Fraction:
    """The expectation of values in rationals."""
    return sum((w * Fraction(as_number(v)) for v, w in zip(values, weights, strict=True)), Fraction(0))


def place(case: Case) -> int:
    """B_{m,k} = (m - 1) K + k, or n."""
    constants = case.constants
    if n in constants:
        return int(constants[n])
    return (int(constants[m]) - 1) * int(constants[K]) + int(constants[letters.k])


def pull(x: Any, case: Case) -> Any:
    """c(x) x."""
    constants = case.constants
    side = constants[letters.lam0] if x < 0 else constants[letters.lam]
    return RATIONAL.scalar(side) * x


def distance(case: Case, ring: Ring) -> Any:
    """E|x_{m,k} - x_{1,0}| (or E|x_n - x_0|)."""
    found = courses(case)
    moved = found.states[:, place(case)] - found.states[:, 0]
    return ring.scalar(mean([abs(v) for v in moved], found.weights))


def mean_pull(case: Case, ring: Ring) -> Any:
    """E[c(x_{m,k}) x_{m,k}]."""
    found = courses(case)
    return ring.scalar(mean([pull(v, case) for v in found.states[:, place(case)]], found.weights))


def pull_below(case: Case, ring: Ring) -> Any:
    """501/1000 lam0 x_{1,0} - E[c(x_{m,k}) x_{m,k}]."""
    constants = case.constants
    start = Fraction(as_number(courses(case).states[0, 0]))
    return ring.scalar(Fraction(501, 1000) * constants[letters.lam0] * start) - mean_pull(case, ring)


def balances(found: Courses, at: int, steps: int) -> list[Fraction]:
    """A_{m,k} = E_{m-1} + (k / K) tau_m on every course."""
    done, k = divmod(at, steps)
    return [
        Fraction(int(signs[:done].sum())) + (Fraction(k, steps) * int(signs[done]) if k else 0) for signs in found.signs
    ]


def _split(case: Case) -> tuple[Fraction, Fraction]:
    """E[x_{m,k} 1{A_{m,k} > 0}] and E[x_{m,k} 1{A_{m,k} <= 0}]."""
    found, at = courses(case), place(case)
    above = [b > 0 for b in balances(found, at, int(case.constants[K]))]
    x = [Fraction(as_number(v)) for v in found.states[:, at]]
    first = sum((w * v for v, w, up in zip(x, found.weights, above, strict=True) if up), Fraction(0))
    return first, mean(found.states[:, at], found.weights) - first


def split_above_pull(case: Case, ring: Ring) -> Any:
    """(5), right side less left side, plus lam0 x_{1,0}: lam0 E[x 1{A > 0}] + lam E[x 1{A <= 0}] - E[c(x) x] + lam0 x_{1,0}."""
    above, below = _split(case)
    constants = case.constants
    start = Fraction(as_number(courses(case).states[0, 0]))
    split = constants[letters.lam0] * (above + start) + constants[letters.lam] * below
    return ring.scalar(split) - mean_pull(case, ring)


def first_term(case: Case, ring: Ring) -> Any:
    """(6): lam0 E[x 1{A > 0}] less what it leaves to the start: drift lam0^2 eta sum E|x_i - x_0| and -lam0 K eta zeta E|A| / 2."""
    found, at = courses(case), place(case)
    constants = case.constants
    steps, eta, lam0 = (int(constants[K]), Fraction(constants[letters.eta]), Fraction(constants[letters.lam0]))
    clients: Any = case.instance
    zeta = max(abs(Fraction(row[0])) for row in clients.slopes)
    moved = sum(
        (mean([abs(v) for v in found.states[:, i] - found.states[:, 0]], found.weights) for i in range(at)), Fraction(0)
    )
    size = mean([abs(b) for b in balances(found, at, steps)], found.weights)
    return ring.scalar(lam0 * _split(case)[0] - lam0**2 * eta * moved + lam0 * steps * eta * zeta * size / 2)


def second_term(case: Case, ring: Ring) -> Any:
    """(7): lam E[x 1{A <= 0}] - lam E|x_{m,k} - x_{1,0}|."""
    lam = Fraction(case.constants[letters.lam])
    return ring.scalar(lam * _split(case)[1]) - ring.scalar(lam) * distance(case, ring)


def unrolled(case: Case, ring: Ring) -> Any:
    """The probability that x_{m,k} = x_{1,0} - eta sum_i c(x_i) x_i - K eta zeta A_{m,k}."""
    found, at = courses(case), place(case)
    constants = case.constants
    steps, eta = int(constants[K]), Fraction(constants[letters.eta])
    clients: Any = case.instance
    zeta = max(abs(Fraction(row[0])) for row in clients.slopes)
    total = Fraction(0)
    for x, balance, weight in zip(found.states, balances(found, at, steps), found.weights, strict=True):
        pulled = sum((Fraction(as_number(pull(v, case))) for v in x[:at]), Fraction(0))
        expected = Fraction(as_number(x[0])) - eta * pulled - steps * eta * zeta * balance
        total += weight * (expected == Fraction(as_number(x[at])))
    return ring.scalar(total)


def end(case: Case, ring: Ring) -> Any:
    """E x_{M+1,0}: the mean of the model after one round."""
    found = courses(case)
    return ring.scalar(mean(found.states[:, -1], found.weights))


def end_over_start(case: Case, ring: Ring) -> Any:
    """E x_{M+1,0} / x_{1,0}."""
    found = courses(case)
    return ring.scalar(mean(found.states[:, -1], found.weights) / Fraction(as_number(found.states[0, 0])))


def _steep(case: Case[PiecewiseQuadraticClients]) -> Courses:
    """The courses of the same round on lam0 x^2 / 2 +- zeta x."""
    instance = case.instance
    return courses(replace_instance(case, replace(instance, right=instance.left)))


def replace_instance(case: Case, instance: Any) -> Case:
    """The case with the same settings on another instance."""
    return Case(instance, **dict(case.settings))


def coupled(case: Case, ring: Ring) -> Any:
    """The probability that x_{m,k} on F_m is at least x_{m,k} on the steep clients H_m, for all m and k."""
    upper, below = courses(case), _steep(case)
    above = [all(a >= b for a, b in zip(x, y, strict=True)) for x, y in zip(upper.states, below.states, strict=True)]
    return ring.scalar(sum((w for w, good in zip(upper.weights, above, strict=True) if good), Fraction(0)))


def steep_end_over_start(case: Case, ring: Ring) -> Any:
    """E x_{M+1,0} / x_{1,0} on the steep clients H_m."""
    found = _steep(case)
    return ring.scalar(mean(found.states[:, -1], found.weights) / Fraction(as_number(found.states[0, 0])))


def _runs(case: Case, rounds: int) -> tuple[np.ndarray, list[Fraction]]:
    states, weights = enumerate_runs(algorithms.sequential, case.with_settings(n_rounds=rounds), RATIONAL, COURSES)
    return states[:, :, 0], [Fraction(as_number(w)) for w in weights]


def nonnegative(case: Case, ring: Ring) -> Any:
    """The least P(x^(r) >= 0) over r = 0..R."""
    states, weights = _runs(case, int(case.constants[R]))
    return ring.scalar(min(mean([int(v >= 0) for v in column], weights) for column in states.T))


def least_mean(case: Case, ring: Ring) -> Any:
    """The least E x^(r) over r = 1..R."""
    states, weights = _runs(case, int(case.constants[R]))
    return ring.scalar(min(mean(column, weights) for column in states.T[1:]))


def gain(case: Case, ring: Ring) -> Any:
    """E x^(R) - (1 - 2/3 lam0 M K eta) E x^(R-1): what the last round adds to the shrunk mean."""
    states, weights = _runs(case, int(case.constants[R]))
    constants = case.constants
    clients: Any = case.instance
    steps = clients.n_clients * int(constants[K])
    shrink = 1 - Fraction(2, 3) * constants[letters.lam0] * steps * Fraction(constants[letters.eta])
    return ring.scalar(mean(states[:, -1], weights) - shrink * mean(states[:, -2], weights))
