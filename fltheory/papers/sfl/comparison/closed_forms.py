"""Last-iterate errors of noiseless runs over many rounds, with proved limits: SFL by intervals, PFL by its only path.

SFL on piecewise quadratics draws a fresh order in each round: its distribution has M!^R atoms. The map of a round is
increasing in x while step * curvature <= 1, so nearby atoms can be merged into an interval that contains them, with
integer ends in units of 2^-q, rounded outwards. As a round contracts, the intervals stay short.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import arb

from fltheory.evidence.validation.consistency import is_plain
from fltheory.model.case import Case
from fltheory.number import BALL
from fltheory.papers.sfl import algorithms, notation
from fltheory.problems.separable import SeparableClients
from fltheory.runs.constants import run_constants
from fltheory.runs.measures import LastGap
from fltheory.runs.method import NotEnumerable
from fltheory.runs.protocols import QuadraticStructure

ATOMS = 800
WIDENING = 1e-9  # relative, of sums of nonnegative floats: well above rounding errors, at most rounds * atoms * 2^-53
LIMIT = 2**62
GRID = 2**22
ROUNDS = 20_000  # largest number of rounds for intervals and paths, which takes seconds


def gap_ratio(case: Case) -> arb:
    """Return E[F(x_R) - F*] of SFL at half the step over F(x_R) - F* of PFL (two clients: equal effective steps)."""
    share = Fraction(1, case.constants[notation.M])
    halved = case.with_settings(step_size=case.constants[notation.eta] * share)
    return last_gap(halved) / last_gap(case, parallel=True)


def last_gap(case: Case, parallel: bool = False) -> arb:
    """Return a ball that contains E[F(x_R) - F*] of SFL or PFL."""
    instance = case.instance
    if not is_plain(instance):
        raise NotEnumerable(
            f"{type(instance).__name__} is a subclass of a library type: its runs have no known closed form"
        )
    if isinstance(instance, QuadraticStructure):
        law = algorithms.parallel_law if parallel else algorithms.sequential_law
        blocks = law(instance, run_constants(case, BALL), BALL)
        assert blocks is not None
        return arb(LastGap().from_moments(blocks, case, BALL))
    if parallel:
        return _path(case)
    low, high = intervals(case)
    return arb(low).union(arb(high))


def _path(case: Case[SeparableClients]) -> arb:
    """Return F(x_R) - F* of PFL along its only path, for one coordinate."""
    instance = case.instance
    rounds, steps = int(case.constants[notation.R]), int(case.constants[notation.K])
    eta, zero = BALL.scalar(case.constants[notation.eta]), arb(0)
    clients = [
        tuple(BALL.scalar(table[m][0]) for table in (instance.left, instance.right, instance.slopes))
        for m in range(instance.n_clients)
    ]
    x = BALL.scalar(instance.start[0])
    for _ in range(rounds):
        total = zero
        for left, right, slope in clients:
            y = x
            for _ in range(steps):
                y = (1 - eta * right) * y.max(zero) + (1 - eta * left) * y.min(zero) - eta * slope  # keeps balls tight
            total = total + y
        x = total / len(clients)
    state = np.empty((1, 1), dtype=object)
    state[0, 0] = x
    return arb(instance.gap(state)[0])


@lru_cache(maxsize=64)
def intervals(case: Case[SeparableClients]) -> tuple[float, float]:
    """Return floats below and above E[F(x_R) - F*] of SFL on noiseless clients in one dimension with minimiser 0."""
    instance = case.instance
    if instance.dim != 1 or instance.draws or instance.minimiser[0] != 0:
        raise NotEnumerable("intervals need one coordinate, no noise and the minimiser at 0")
    rounds, steps = int(case.constants[notation.R]), int(case.constants[notation.K])
    eta = case.constants[notation.eta]
    if not isinstance(eta, int | Fraction) or rounds > ROUNDS:
        raise NotEnumerable(f"intervals need a rational step and at most {ROUNDS} rounds")
    tables = (instance.left, instance.right)
    left, right = ([1 - eta * Fraction(row[0]) for row in table] for table in tables)
    if min(*left, *right) < 0:
        raise NotEnumerable("the step is too large: the map of a local step is not increasing")
    flattest = min(Fraction(row[0]) for table in tables for row in table)
    if not flattest:
        raise NotEnumerable("a client without curvature may move the iterates without limit")
    slopes = [eta * Fraction(row[0]) for row in instance.slopes]
    reach = max(abs(Fraction(v)) for v in (instance.start[0], *(b / (eta * flattest) for b in slopes)))
    travel = steps * instance.n_clients * max(abs(b) for b in slopes)  # distance within a round
    scale = 2 ** (math.floor(math.log2(LIMIT / ((reach + travel + 1) * GRID))) - 1)
    orders = np.array(list(itertools.permutations(range(instance.n_clients)))).T
    # the factor 1 - eta c in fixed point: rounded down and up for nonnegative x, up and down for negative x
    positive = np.array([[math.floor(v * GRID) for v in right], [math.ceil(v * GRID) for v in right]])
    negative = np.array([[math.ceil(v * GRID) for v in left], [math.floor(v * GRID) for v in left]])
    above, below = positive[:, orders][..., None], negative[:, orders][..., None]
    shift = np.array([[math.floor(-b * scale) for b in slopes], [math.ceil(-b * scale) + 1 for b in slopes]])
    moved = shift[:, orders][..., None]  # (ends, positions, orders, 1); the 1 makes up for the rounding of the product
    room = LIMIT // GRID - steps * instance.n_clients * int(np.abs(shift).max())
    start = Fraction(instance.start[0]) * scale
    ends, weight = np.array([[math.floor(start)], [math.ceil(start)]]), np.ones(1)
    for _ in range(rounds):
        if int(np.abs(ends).max()) >= room:
            raise NotEnumerable("the iterates outgrow the fixed-point numbers")
        x = np.repeat(ends[:, None], orders.shape[1], axis=1)  # (ends, orders, atoms)
        for position in range(instance.n_clients):
            for _ in range(steps):
                x = x * np.where(x < 0, below[:, position], above[:, position]) // GRID + moved[:, position]
        ends, weight = x.reshape(2, -1), np.tile(weight / orders.shape[1], orders.shape[1])
        if ends.shape[1] > ATOMS:
            ends, weight = _merge_intervals(ends, weight)
    half = np.array([float(instance.mean_left[0]) / 2, float(instance.mean_right[0]) / 2])
    points = ends / scale
    values = half[(points >= 0).astype(int)] * points**2
    least = np.where((points[0] < 0) & (points[1] > 0), 0.0, values.min(axis=0))
    low, high = (least * weight).sum(), (values.max(axis=0) * weight).sum()
    return float(low) * (1 - WIDENING), float(high) * (1 + WIDENING)


def _merge_intervals(ends: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Merge the intervals whose midpoints fall into the same of ATOMS / 2 equal cells into their hull."""
    middle = ends[0] // 2 + ends[1] // 2
    key = (middle - middle.min()) // max(1, int(middle.max() - middle.min()) // (ATOMS // 2))
    order = np.argsort(key, kind="stable")
    first = np.flatnonzero(np.diff(key[order], prepend=-1))
    low, high = ends[:, order]
    hulls = np.stack([np.minimum.reduceat(low, first), np.maximum.reduceat(high, first)])
    return hulls, np.add.reduceat(weight[order], first)
