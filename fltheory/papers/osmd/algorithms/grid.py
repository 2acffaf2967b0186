"""The experts of Algorithm 5: their rates (22), number (23), first weights and meta rate, in floats and in balls."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np
import sympy
from flint import arb, ctx

from fltheory.games.player import ImpreciseState
from fltheory.number import Number, to_ball
from fltheory.papers.osmd.algorithms.mirror import mirror_step, mirror_step_balls
from fltheory.runs.constants import Constants

Meta = Literal["corrected", "printed", "given"]
PRECISION = 1024  # bits at which overlapping numbers are compared exactly


class Arithmetic(NamedTuple):
    """The operations in which floats and balls differ."""

    number: Callable[[Any], Any]
    step: Callable[[np.ndarray, np.ndarray, Any], np.ndarray]
    exp: Callable[[np.ndarray], np.ndarray]  # of log weights, up to a factor in each row
    log: Callable[[Any], Any]
    sqrt: Callable[[Any], Any]


def _softmax(log_weights: np.ndarray) -> np.ndarray:
    return np.exp(log_weights - log_weights.max(axis=-1, keepdims=True))


def _exponentials(log_weights: np.ndarray) -> np.ndarray:
    return np.asarray(np.frompyfunc(arb.exp, 1, 1)(log_weights), dtype=object)


FLOATS = Arithmetic(float, mirror_step, _softmax, math.log, math.sqrt)
BALLS = Arithmetic(to_ball, mirror_step_balls, _exponentials, lambda x: to_ball(x).log(), lambda x: to_ball(x).sqrt())


def n_experts(n_clients: int, alpha: Number, n_rounds: int) -> int:
    """Return E of (23): ceil(log2(1 + 4 (T-1) log(M/alpha) / log M) / 2) + 1, decided exactly; M >= 2.

    A float ``alpha`` stands for the simplest fraction that rounds to it; Blurred if a ball of it does not determine E.
    """
    if n_clients < 2 or n_rounds < 1:
        raise ValueError(f"{n_clients} clients, {n_rounds} rounds: expected at least 2 and 1")
    if isinstance(alpha, float):
        alpha = _simplest(alpha)
    return _count_experts(n_clients, alpha, n_rounds) if isinstance(alpha, arb) else _known(n_clients, alpha, n_rounds)


def _count_experts(n_clients: int, alpha: Number, n_rounds: int) -> int:
    k = 0
    while not _covers(k, n_clients, alpha, n_rounds):
        k += 1
    return k + 1


_known = functools.lru_cache(1024)(_count_experts)  # balls have no hash


def _covers(k: int, n_clients: int, alpha: Number, n_rounds: int) -> bool:
    """Return whether 4 (T-1) log(M/alpha) <= (4^k - 1) log M, by balls, and by integers where both may be equal."""
    left, right = 4 * (n_rounds - 1), 4**k - 1
    if left == 0:
        return right >= 0
    with ctx.workprec(PRECISION):
        gap = right * arb(n_clients).log() - left * (n_clients / to_ball(alpha)).log()
    if gap > 0 or gap < 0:
        return bool(gap > 0)
    if log_ratio_is(Fraction(right, left), n_clients, alpha):
        return True
    raise ImpreciseState(f"alpha = {alpha} does not determine the number of experts")


def log_ratio_is(ratio: Fraction, n_clients: int, alpha: Number) -> bool:
    """Return whether log(M/alpha) / log M = u/v exactly, (M/alpha)^v = M^u; Blurred for a ball with a radius.

    For a rational alpha and u/v in lowest terms, M is c^v and M/alpha is c^u, so no large exponents occur.
    """
    if isinstance(alpha, arb):
        if not alpha.is_exact():
            raise ImpreciseState(f"a ball of alpha = {alpha} is not a single number")
        alpha = Fraction(*(int(v) for v in (alpha.fmpq().p, alpha.fmpq().q)))
    u, v = ratio.numerator, ratio.denominator
    if not isinstance(alpha, int | Fraction):
        return bool((alpha**v * sympy.Integer(n_clients) ** (u - v)).equals(1))
    whole = n_clients / Fraction(alpha)
    if v > n_clients.bit_length() or u > whole.numerator.bit_length():
        return False
    return whole**v == Fraction(n_clients) ** u


def _simplest(alpha: float) -> Fraction:
    found = Fraction(alpha).limit_denominator(10**9)
    return found if float(found) == alpha else Fraction(alpha)


def expert_grid(c: Constants, horizon: int | None = None, balls: bool = False) -> np.ndarray:
    """Return the rates (22), ascending, (experts,): 2^(e-1) K alpha^3 / (M^3 A_max) sqrt(2 log M / T) for horizon T."""
    rounds = c.n_rounds if horizon is None else horizon
    given = c.n_clients, c.n_sampled, c.probability_floor, c.max_feedback, rounds
    return _grid(BALLS, *given) if balls else _grid_in_floats(*given).copy()


def _grid(on: Arithmetic, n_clients: int, n_sampled: int, floor: Any, largest: Any, rounds: int) -> np.ndarray:
    unit = n_sampled * on.number(floor) ** 3 / (n_clients**3 * on.number(largest))
    first = unit * on.sqrt(2 * on.log(n_clients) / rounds)
    return np.array([first * 2**e for e in range(n_experts(n_clients, floor, rounds))])


_grid_in_floats = functools.lru_cache(256)(functools.partial(_grid, FLOATS))  # needed in every round


def first_weights(n: int) -> list[Fraction]:
    """Return theta^1_e = (1 + 1/E) / (e (e + 1)), whose sum is one."""
    return [Fraction(n + 1, n * e * (e + 1)) for e in range(1, n + 1)]


def meta_rate(c: Constants, gamma: Meta = "corrected", horizon: int | None = None, balls: bool = False) -> float | arb:
    """Return sqrt(8/T) K alpha^2 / (M^2 A_max), the printed alpha/M sqrt(8 K / (T A_max)), or the rate of the case."""
    on = BALLS if balls else FLOATS
    rounds = c.n_rounds if horizon is None else horizon
    if gamma == "given":
        return on.number(c.meta_rate)
    alpha, largest = on.number(c.probability_floor), on.number(c.max_feedback)
    if gamma == "printed":
        return alpha / c.n_clients * on.sqrt(8 * c.n_sampled / (rounds * largest))
    return c.n_sampled * alpha**2 / (c.n_clients**2 * largest) * on.sqrt(on.number(8) / rounds)
