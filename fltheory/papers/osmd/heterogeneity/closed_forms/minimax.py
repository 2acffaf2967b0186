"""Convex programs of sampling: min over plans of the largest total variance of an outcome, between two exact rationals.

A plan gives each node a distribution of the floored simplex. An outcome is a list of (node, point), each of which costs
V(p_node, w_point), and of moves (node, node), whose total variation must respect a budget. A linear program with
tangents of 1/p finds a plan and multipliers in floats; both are rounded to rationals and repaired. The feasible plan
gives an upper limit, and weak duality with tangents of the convex 1/p a lower one, whatever the float errors.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult

Plan = list[list[Fraction]]
CUTS = 40  # largest number of linear programs
EARLY = (1, 4)  # counts of programs after which simple numbers are tried
GRAIN = 1 << 50  # denominators of rounded distributions
ACCURACY = 1e-9  # relative accuracy of the tangents
SNAPS = (12, 360)  # small denominators that are tried, as many values are simple numbers
SIZE = 700  # largest number of entries of a plan


class Points(NamedTuple):
    """The data of the points in V: |grad F_m|^2, (points, clients), and |grad F|^2, (points,)."""

    squares: tuple[tuple[Fraction, ...], ...]
    means: tuple[Fraction, ...]

    @property
    def n_clients(self) -> int:
        """The number of clients."""
        return len(self.squares[0])


class Outcome(NamedTuple):
    """One path of the game: its costs, as (node, point), and its moves from node to node."""

    paid: tuple[tuple[int, int], ...]
    moves: tuple[tuple[int, int], ...] = ()


class Enclosure(NamedTuple):
    """Two rationals that enclose the value; ``plan`` attains the upper one."""

    low: Fraction
    high: Fraction
    plan: Plan


class _Attempt(NamedTuple):
    """A plan (nodes, clients), multipliers of outcomes, budget and moves in floats, and whether it is the last one."""

    plan: np.ndarray
    shares: np.ndarray
    prices: np.ndarray
    forces: dict[tuple[int, int], np.ndarray]
    last: bool


class _Multipliers(NamedTuple):
    shares: list[Fraction]  # multipliers of the outcomes, with sum 1
    prices: list[Fraction]  # multipliers of the variation budget, for each outcome
    forces: dict[tuple[int, int], list[Fraction]]  # multipliers of the moves


def variance(points: Points, p: Sequence[Any], w: int) -> Any:
    """Return V(p, w) = (1/M^2) sum_m |grad F_m(w)|^2 / p_m - |grad F(w)|^2 (9), in the arithmetic of p."""
    n = points.n_clients
    total = sum((a / q for a, q in zip(points.squares[w], p, strict=True) if a), Fraction(0))
    return total / n**2 - points.means[w]


def least_largest(points: Points, outcomes: Sequence[Outcome], alpha: Fraction, budget: Fraction) -> Enclosure:
    """Enclose the min over plans of the largest total of an outcome; ValueError for too large a program."""
    return _enclose(points, tuple(outcomes), alpha, budget)


@lru_cache(maxsize=512)
def _enclose(points: Points, outcomes: tuple[Outcome, ...], alpha: Fraction, budget: Fraction) -> Enclosure:
    if len({node for o in outcomes for node, _ in o.paid}) * points.n_clients > SIZE:
        raise ValueError(f"a plan of more than {SIZE} probabilities: use fewer points, rounds or clients")
    found = None
    for attempt in _attempts(points, outcomes, float(alpha), float(budget)):
        limits = (*SNAPS, GRAIN) if attempt.last else SNAPS
        found = _repair_enclosure(points, outcomes, alpha, budget, attempt, limits)
        if found.low == found.high:
            break
    assert found is not None
    return found


def _repair_enclosure(
    points: Points,
    outcomes: tuple[Outcome, ...],
    alpha: Fraction,
    budget: Fraction,
    attempt: _Attempt,
    limits: tuple[int, ...],
) -> Enclosure:
    """Return the enclosure from a plan and multipliers in floats, with short denominators first and then long ones."""
    plan, shares, prices, forces, _ = attempt
    low, high, best = None, None, None
    for limit in limits:
        whole = _feasible(plan, outcomes, alpha, budget, limit)
        top = max(sum((variance(points, whole[n], w) for n, w in o.paid), Fraction(0)) for o in outcomes)
        if high is None or top < high:
            high, best = top, whole
        bottom = _dual(
            points, outcomes, alpha, budget, _tidy_multipliers(outcomes, shares, prices, forces, limit), limit
        )
        low = bottom if low is None else max(low, bottom)
        if low == high:
            break
    assert low is not None
    assert high is not None
    assert best is not None
    return Enclosure(low, high, best)


# In floats ------------------------------------------------------------------------------------------------------------


class _Program:
    """The linear program: variables p and u >= 1/p per node, d >= |p - p'| per move, and the largest total."""

    def __init__(self, points: Points, outcomes: Sequence[Outcome], alpha: float, budget: float) -> None:
        self.n_clients, self.outcomes = points.n_clients, outcomes
        self.nodes = 1 + max(node for o in outcomes for node, _ in o.paid)
        self.moves = sorted({move for o in outcomes for move in o.moves})
        self.alpha, self.budget = alpha, budget
        self.scale = float(max(max(row) for row in points.squares)) or 1.0
        self.squares = np.array([[float(a) for a in row] for row in points.squares]) / self.scale
        self.means = np.array([float(b) for b in points.means]) / self.scale
        self.size = 2 * self.nodes * self.n_clients + len(self.moves) * self.n_clients + 1
        self.entries: list[tuple[int, int, float]] = []
        self.right: list[float] = []
        self._outcomes()
        self._moves()
        self.fixed = len(self.right)

    def p(self, node: int, m: int) -> int:
        return node * self.n_clients + m

    def u(self, node: int, m: int) -> int:
        return (self.nodes + node) * self.n_clients + m

    def d(self, move: int, m: int) -> int:
        return (2 * self.nodes + move) * self.n_clients + m

    def _row(self, entries: list[tuple[int, float]], right: float) -> None:
        self.entries += [(len(self.right), column, value) for column, value in entries]
        self.right.append(right)

    def _outcomes(self) -> None:
        index = {move: i for i, move in enumerate(self.moves)}
        clients = range(self.n_clients)
        for o in self.outcomes:
            paid = [(self.u(n, m), self.squares[w, m] / self.n_clients**2) for n, w in o.paid for m in clients]
            self._row([*paid, (self.size - 1, -1.0)], sum(self.means[w] for _, w in o.paid))
        for o in self.outcomes:
            self._row([(self.d(index[move], m), 1.0) for move in o.moves for m in clients], self.budget)

    def _moves(self) -> None:
        for i, (start, end) in enumerate(self.moves):
            for m in range(self.n_clients):
                for sign in (1.0, -1.0):
                    self._row([(self.p(end, m), sign), (self.p(start, m), -sign), (self.d(i, m), -1.0)], 0.0)

    def tangents(self, p: np.ndarray, wanted: np.ndarray) -> None:
        """Add u >= 2/c - p/c^2, scaled by c^2, at the ``wanted`` entries c of ``p``."""
        for node, m in zip(*np.nonzero(wanted), strict=True):
            c = float(p[node, m])
            self._row([(self.p(node, m), -1.0), (self.u(node, m), -c * c)], -2 * c)

    def multipliers(self, found: OptimizeResult) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the multipliers of the outcomes, of their budgets, and of the moves (moves, clients)."""
        values, count = -found.ineqlin.marginals[: self.fixed], len(self.outcomes)
        pairs = values[2 * count :].reshape(len(self.moves) * self.n_clients, 2)
        forces = (pairs[:, 0] - pairs[:, 1]).reshape(len(self.moves), self.n_clients)
        return values[:count], values[count : 2 * count], forces

    def minimisers(self, found: OptimizeResult, p: np.ndarray) -> np.ndarray:
        """Return the best plan for the multipliers, moved towards its first nodes until it respects the budget.

        Nodes without multipliers stay as in ``p``. Vertices of the linear program may be far from this plan.
        """
        shares, _, forces = self.multipliers(found)
        weights, slopes = np.zeros(p.shape), np.zeros(p.shape)
        for o, share in zip(self.outcomes, shares, strict=True):
            for node, w in o.paid:
                weights[node] += max(share, 0.0) * self.squares[w] / self.n_clients**2
        for (start, end), force in zip(self.moves, forces, strict=True):
            slopes[end] += force
            slopes[start] -= force
        plan = p.copy()
        for i in np.flatnonzero((weights > 1e-12).any(axis=1)):
            at = _minimiser(weights[i], slopes[i], self.alpha)
            if abs(sum(at) - 1) < 1e-6:
                plan[i] = at
        roots = _roots(self.outcomes, self.nodes)
        moved = max(sum(np.abs(plan[i] - plan[j]).sum() for i, j in o.moves) for o in self.outcomes)
        keep = 1.0 if moved <= self.budget else self.budget / moved
        return keep * plan + (1 - keep) * plan[roots]

    def largest(self, plan: np.ndarray) -> float:
        """Return the largest total of an outcome."""
        paid = (1 / plan) @ self.squares.T / self.n_clients**2 - self.means
        return max(sum(paid[node, w] for node, w in o.paid) for o in self.outcomes)

    def solve(self) -> Any:
        from scipy.optimize import linprog
        from scipy.sparse import csr_array

        rows, columns, values = zip(*self.entries, strict=True)
        matrix = csr_array((values, (rows, columns)), shape=(len(self.right), self.size))
        k = self.nodes * self.n_clients
        whole = csr_array((np.ones(k), (np.arange(k) // self.n_clients, np.arange(k))), shape=(self.nodes, self.size))
        floor = self.alpha / self.n_clients
        bounds = [(floor, 1 - floor * (self.n_clients - 1))] * k + [(0, None)] * (self.size - 1 - k) + [(None, None)]
        cost = np.zeros(self.size)
        cost[-1] = 1
        tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
        found = linprog(cost, matrix, np.array(self.right), whole, np.ones(self.nodes), bounds, "highs", options=tight)
        if found.x is None:
            raise ArithmeticError(f"the linear program was not solved: {found.message}")
        return found


def _attempts(points: Points, outcomes: Sequence[Outcome], alpha: float, budget: float) -> Iterator[_Attempt]:
    """Yield attempts after some early linear programs and after the last one, each with more tangents.

    If the plan consists of simple numbers, the early ones are often accurate enough to identify them.
    """
    program = _Program(points, outcomes, alpha, budget)
    n, k = program.n_clients, program.nodes * program.n_clients
    floor = alpha / n
    used = np.zeros((program.nodes, n), dtype=bool)  # entries with a cost
    for o in outcomes:
        for node, w in o.paid:
            used[node] |= program.squares[w] > 0
    for c in np.geomspace(floor, 1 - floor * (n - 1), 7):
        program.tangents(np.full((program.nodes, n), c), used)
    best, plan = math.inf, np.full((program.nodes, n), 1.0 / n)
    for solved in range(1, CUTS + 1):
        found = program.solve()
        p, u = (part.reshape(program.nodes, n) for part in (found.x[:k], found.x[k : 2 * k]))
        for candidate in (p, program.minimisers(found, p)):
            top = program.largest(candidate)
            if top < best:
                best, plan = top, candidate
        short = used & ((1 / p - u) * p > ACCURACY)
        last = best - found.fun <= ACCURACY * max(abs(best), floor) or not short.any() or solved == CUTS
        if last or solved in EARLY:
            shares, prices, forces = program.multipliers(found)
            by_move = {move: forces[i] * program.scale for i, move in enumerate(program.moves)}
            yield _Attempt(plan, shares, prices * program.scale, by_move, last)
        if last:
            return
        program.tangents(p, short)


# In rationals ---------------------------------------------------------------------------------------------------------


def _round_to(value: float, limit: int) -> Fraction:
    return Fraction(float(value)).limit_denominator(limit)


def _feasible(
    plan: np.ndarray, outcomes: Sequence[Outcome], alpha: Fraction, budget: Fraction, limit: int
) -> list[list[Fraction]]:
    """Return a plan near ``plan`` that lies in the floored simplex and respects the budget exactly."""
    n = plan.shape[1]
    whole = []
    for row in plan:
        free = [max(_round_to(v, limit) - alpha / n, Fraction(0)) for v in row]
        if limit == GRAIN:  # short denominators, which add up
            free = [Fraction(round(v * GRAIN), GRAIN) for v in free]
        total = sum(free, Fraction(0))
        whole.append([alpha / n + (1 - alpha) * (v / total if total else Fraction(1, n)) for v in free])
    keep = Fraction(1)
    for o in outcomes:
        moved = sum((abs(a - b) for i, j in o.moves for a, b in zip(whole[i], whole[j], strict=True)), Fraction(0))
        if moved > budget:
            keep = min(keep, budget / moved)
    if keep == 1:
        return whole
    keep = Fraction(math.floor(keep * GRAIN), GRAIN)
    # the variation of a path shrinks with the distances to its first node
    roots = _roots(outcomes, len(whole))
    return [
        [keep * v + (1 - keep) * r for v, r in zip(row, whole[roots[i]], strict=True)] for i, row in enumerate(whole)
    ]


def _roots(outcomes: Sequence[Outcome], nodes: int) -> list[int]:
    """Return the first node of the paths through each node."""
    roots = list(range(nodes))
    for o in outcomes:
        for start, end in o.moves:
            roots[end] = roots[start]
    return roots


def _tidy_multipliers(
    outcomes: Sequence[Outcome],
    shares: np.ndarray,
    prices: np.ndarray,
    forces: Mapping[tuple[int, int], np.ndarray],
    limit: int,
) -> _Multipliers:
    """Return feasible dual multipliers: shares with sum 1, prices >= 0, and forces bounded by the prices."""
    part = [max(_round_to(v, limit), Fraction(0)) for v in shares]
    total = sum(part, Fraction(0))
    part = [v / total for v in part] if total else [Fraction(1, len(part))] * len(part)
    price = [max(_round_to(v, limit), Fraction(0)) for v in prices]
    bears: dict[tuple[int, int], Fraction] = {}
    for o, v in zip(outcomes, price, strict=True):
        for move in o.moves:
            bears[move] = bears.get(move, Fraction(0)) + v
    clipped = {
        move: [max(-bears[move], min(bears[move], _round_to(v, limit))) for v in row] for move, row in forces.items()
    }
    return _Multipliers(part, price, clipped)


def _dual(
    points: Points, outcomes: Sequence[Outcome], alpha: Fraction, budget: Fraction, found: _Multipliers, limit: int
) -> Fraction:
    """Return a lower limit by weak duality: no plan within the budget has a smaller largest total."""
    n = points.n_clients
    nodes = 1 + max(node for o in outcomes for node, _ in o.paid)
    weights = [[Fraction(0)] * n for _ in range(nodes)]  # coefficients of 1/p
    slopes = [[Fraction(0)] * n for _ in range(nodes)]  # coefficients of p
    value = -budget * sum(found.prices, Fraction(0))
    for o, share in zip(outcomes, found.shares, strict=True):
        for node, w in o.paid:
            value -= share * points.means[w]
            weights[node] = [s + share * a / n**2 for s, a in zip(weights[node], points.squares[w], strict=True)]
    for (start, end), row in found.forces.items():
        slopes[end] = [c + y for c, y in zip(slopes[end], row, strict=True)]
        slopes[start] = [c - y for c, y in zip(slopes[start], row, strict=True)]
    for s, c in zip(weights, slopes, strict=True):
        value += _node(s, c, alpha, limit)
    return value


def _node(weights: list[Fraction], slopes: list[Fraction], alpha: Fraction, limit: int) -> Fraction:
    """Return a lower limit of min sum s/p + c p over the floored simplex, by tangents of 1/p near the minimiser."""
    n = len(weights)
    at = [_round_to(v, limit) for v in _minimiser(weights, slopes, float(alpha))]
    at = [v if v > 0 else Fraction(1, limit) for v in at]
    value = sum((2 * s / q for s, q in zip(weights, at, strict=True)), Fraction(0))
    linear = [c - s / q**2 for s, c, q in zip(weights, slopes, at, strict=True)]
    return value + alpha / n * sum(linear, Fraction(0)) + (1 - alpha) * min(linear)


def _minimiser(weights: Iterable[Any], slopes: Iterable[Any], alpha: float) -> list[float]:
    """Return the minimiser in floats: p = max(floor, sqrt(s / (c + theta))) with the theta that makes the sum 1."""
    s, c = [float(v) for v in weights], [float(v) for v in slopes]
    n, floor = len(s), alpha / len(s)
    if not any(v > 0 for v in s):
        return [1.0 / n] * n
    least = min(c)  # a client with s = 0 takes the remaining mass there
    pairs = [(v, d - least) for v, d in zip(s, c, strict=True)]

    def at(theta: float) -> list[float]:
        return [max(floor, math.sqrt(v / max(d + theta, 1e-300))) for v, d in pairs]

    low, high = 0.0, max(s) / max(floor**2, 1e-300) + (max(c) - least) + 1.0
    for _ in range(200):
        middle = (low + high) / 2
        if not low < middle < high:  # neighbouring floats
            break
        low, high = (middle, high) if sum(at(middle)) > 1 else (low, middle)
    return at(high)
