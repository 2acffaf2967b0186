"""The quantities of Lemma 4 and Theorem 5 along a run of rule (4): sides of (31), V_t of (5), averaged gap of (39).

In an inequality between sums, every term is moved to the side where it is positive; the measure is the ratio of the
sides at the round where it is largest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from flint import fmpq
from sympy import Symbol

from fltheory.model.bound import BoundError, Dimension
from fltheory.model.case import Case
from fltheory.number.mixed import Mixed, is_zero, largest, mixed_sqrt, shorten_to_ball
from fltheory.number.mixed import mixed_array as mixed_row
from fltheory.papers.delta_sgd import notation as letters
from fltheory.papers.delta_sgd.rule.closed_forms.runs import History, Reading, follow, mixed_constant
from fltheory.runs.measures import ENERGY, LENGTH_SQUARED, NUMBER, DeterministicMeasure
from fltheory.runs.step_rule import StepRule, squared_length

TOLERANCE = 2.0**-64
BEYOND = fmpq(10) ** 30  # a positive number over 0


HALF = fmpq(1, 2)  # before the moves, as in the paper


def right_terms(h: History, t: int, weight: Mixed = HALF) -> list[Mixed]:
    """Return the terms of the right-hand side of (31), whose sum is V_t of (5)."""
    moves = [squared_length(h.points[t][i] - h.points[t - 1][i]) for i in range(h.n_clients)]
    gaps = [h.lr[t][i] * h.ratio[t][i] * h.above[t - 1][i] for i in range(h.n_clients)]
    return [squared_length(h.server[t] - h.instance.point), weight * h.mean(moves), 2 * h.mean(gaps)]


def left_terms(h: History, t: int, weight: Mixed = HALF) -> list[Mixed]:
    """Return the terms of the left-hand side of (31)."""
    moves = [squared_length(h.points[t + 1][i] - h.points[t][i]) for i in range(h.n_clients)]
    gaps = [h.lr[t][i] * (1 + h.ratio[t][i]) * h.above[t][i] for i in range(h.n_clients)]
    return [squared_length(h.server[t + 1] - h.instance.point), weight * h.mean(moves), 2 * h.mean(gaps)]


def side_ratio(left: list[Mixed], right: list[Mixed]) -> Mixed:
    """Return left over right with every term on the side where it is positive; at most 1 if left <= right."""
    top = sum((v for v in left if not v < 0), fmpq(0)) + sum((-v for v in right if v < 0), fmpq(0))
    bottom = sum((v for v in right if not v < 0), fmpq(0)) + sum((-v for v in left if v < 0), fmpq(0))
    if is_zero(bottom):
        return fmpq(0) if is_zero(top) else BEYOND
    return top / bottom


@dataclass(frozen=True)
class Quantity(DeterministicMeasure):
    """A quantity of a run: ``value(rule, case)``, without further constants."""

    name: str
    value: Callable[[StepRule, Case], Any]
    dimension: Dimension = NUMBER
    tolerance: float = 0.0

    def follow(self, rule: StepRule, case: Case) -> tuple[Any, Mapping[Symbol, Any]]:
        return self.value(rule, case), {}


@dataclass(frozen=True)
class _OfRun(DeterministicMeasure):
    """A quantity of a run of rule (4) in a reading, with its own constants."""

    reading: Reading


def decrease(reading: Reading, weighted: bool = False) -> Quantity:
    """Return (31): its left-hand side over its right-hand side, the largest over t = 1..T.

    ``weighted``: with γ²/(4 - γ²) before the moves on both sides, in place of the paper's 1/2.
    """

    def ratio(rule: StepRule, case: Case) -> Mixed:
        h = follow(rule, case, reading)
        weight = move_weight(case) if weighted else HALF
        return largest(
            [side_ratio(left_terms(h, t, weight), right_terms(h, t, weight)) for t in range(1, h.n_rounds + 1)]
        )

    return Quantity("left over right of (31), weighted" if weighted else "left over right of (31)", ratio)


def move_weight(case: Case) -> Mixed:
    """Return γ²/(4 - γ²); BoundError from γ = 2 on."""
    square = mixed_constant(case, letters.gamma) ** 2
    if not square < 4:
        raise BoundError("γ²/(4 - γ²) is a weight only for γ < 2")
    return square / (4 - square)


def lyapunov(reading: Reading) -> Quantity:
    """Return (5): V_{t+1} over V_t, the largest over t = 1..T-1."""

    def ratio(rule: StepRule, case: Case) -> Mixed:
        h = follow(rule, case, reading)
        values = [right_terms(h, t) for t in range(1, h.n_rounds + 1)]
        return largest([fmpq(0), *(side_ratio(b, a) for a, b in pairwise(values))])

    return Quantity("V_{t+1} over V_t of (5)", ratio)


@dataclass(frozen=True)
class Near(_OfRun):
    """The largest |x_t - x*|^2 over t = 1..T+1."""

    name: str = "|x_t - x*|²"
    dimension: Dimension = LENGTH_SQUARED

    @property
    def letters(self) -> tuple[Symbol, ...]:
        return (letters.D,)

    def follow(self, rule: StepRule, case: Case) -> tuple[Any, Mapping[Symbol, Any]]:
        h = follow(rule, case, self.reading)
        away = [squared_length(x - h.instance.point) for x in h.server[1:]]
        return largest(away), {letters.D: lyapunov_constant(h)}


def lyapunov_constant(h: History) -> Mixed:
    """Return D of (41)."""
    return sum(right_terms(h, 1), fmpq(0))


def weights(h: History, client: int) -> list[Mixed]:
    """Return alpha^i_k for k = 1..t-1 and the weight of x^i_t, t the last round."""
    lr, ratio = [v[client] for v in h.lr], [v[client] for v in h.ratio]
    t = h.n_rounds
    return [lr[k] * (1 + ratio[k]) - (lr[k + 1] * ratio[k + 1] if k < t else 0) for k in range(1, t + 1)]


def step_sum(h: History, client: int = 0) -> Mixed:
    """Return S^i_t, the sum of these weights."""
    total: Mixed = fmpq(0)
    for w in weights(h, client):
        total = shorten_to_ball(total + w)
    return total


def average_point(h: History, client: int) -> np.ndarray:
    """Return the weighted average of a client's points."""
    own, total = weights(h, client), h.server[0] * 0
    for k, w in enumerate(own):
        total = mixed_row([shorten_to_ball(v) for v in total + w * h.points[k + 1][client]])
    return total / step_sum(h, client)


def jensen(reading: Reading, at_end: bool) -> Quantity:
    """Return (43): its left side below D over D, the largest over the clients.

    ``at_end``: with the squares at the end of the run, which remain after telescoping, in place of the printed ones.
    """

    def ratio(rule: StepRule, case: Case) -> Mixed:
        h = follow(rule, case, reading)
        first, moves, _ = left_terms(h, h.n_rounds) if at_end else right_terms(h, 1)
        sums = (
            2 * step_sum(h, i) * (h.instance.objectives[i].value(average_point(h, i)) - h.least[i])
            for i in range(h.n_clients)
        )
        return largest([side_ratio([first, moves, v], right_terms(h, 1)) for v in sums])

    where = "at the end" if at_end else "at the start"
    return Quantity(f"|x - x*|² + |move|²/2 {where} + 2 S_t (f(x̃_t) - f*) over D", ratio)


@dataclass(frozen=True)
class AverageGap(_OfRun):
    """The mean over clients of f_i(x~^i_t) - f_i(x*), left-hand side of (39); constants D, S_t, local smoothness.

    ``met``: f at the mean of the clients' averages, the objective of the problem. ``moved``: with the length of the
    server's first move as a constant. ``unless`` returns why a claim does not apply to the measured run (BoundError).
    """

    met: bool = False
    moved: bool = False
    unless: Callable[[History, Case], str | None] | None = None
    dimension: Dimension = ENERGY

    @property
    def name(self) -> str:
        """Return the quantity in symbols."""
        return "f(mean x̃^i_t) - f(x*)" if self.met else "mean f_i(x̃^i_t) - f_i(x*)"

    @property
    def letters(self) -> tuple[Symbol, ...]:
        return (letters.D, letters.S, letters.L_hat, *((letters.distance,) if self.moved else ()))

    def follow(self, rule: StepRule, case: Case) -> tuple[Any, Mapping[Symbol, Any]]:
        h = follow(rule, case, self.reading)
        reason = self.unless(h, case) if self.unless is not None else None
        if reason:
            raise BoundError(reason)
        found = [average_point(h, i) for i in range(h.n_clients)]
        if self.met:
            middle = sum(found, found[0] * 0) / h.n_clients
            found = [middle] * h.n_clients
        gap = h.mean([f.value(x) - v for f, x, v in zip(h.instance.objectives, found, h.least, strict=True)])
        read = {letters.D: lyapunov_constant(h), letters.S: step_sum(h), letters.L_hat: h.local_smoothness}
        if self.moved:
            read[letters.distance] = mixed_sqrt(squared_length(h.server[1] - h.server[0]))
        return gap, read


@dataclass(frozen=True)
class StepSum(_OfRun):
    """S_t: by the weights of (42), or ``direct``: the sum of the steps and of the first one times its ratio."""

    tolerance = TOLERANCE
    direct: bool = False
    name: str = "S_t"
    dimension: Dimension = (-NUMBER[0] - 1, NUMBER[1] + 2)

    @property
    def letters(self) -> tuple[Symbol, ...]:
        return (letters.S, letters.L_hat)

    def follow(self, rule: StepRule, case: Case) -> tuple[Any, Mapping[Symbol, Any]]:
        h = follow(rule, case, self.reading)
        summed = sum((v[0] for v in h.lr[1:]), fmpq(0)) + h.lr[1][0] * h.ratio[1][0]
        read = {letters.S: summed, letters.L_hat: h.local_smoothness}
        return (summed if self.direct else step_sum(h)), read


# The steps of the proof of Lemma 4 ---------------------------------------------------------------------------------------


def inner(x: object, y: object) -> Mixed:
    """Return <x, y>."""
    return sum((a * b for a, b in zip(x, y, strict=True)), fmpq(0))  # type: ignore[call-overload]


def _clients(h: History, value: Callable[[int], Mixed]) -> Mixed:
    return h.mean(value(i) for i in range(h.n_clients))


def _at_each_round(name: str, reading: Reading, value: Callable[[History, int], Mixed]) -> Quantity:
    def most(rule: StepRule, case: Case) -> Mixed:
        h = follow(rule, case, reading)
        return largest([fmpq(0), *(value(h, t) for t in range(1, h.n_rounds + 1))])

    return Quantity(name, most)


def moves(reading: Reading) -> Quantity:
    """Return (36): mean |x^i_t - x^i_{t+1}|² over its bound, the largest over t."""

    def value(h: History, t: int) -> Mixed:
        now = _clients(h, lambda i: squared_length(h.points[t + 1][i] - h.points[t][i]))
        last = _clients(h, lambda i: squared_length(h.points[t][i] - h.points[t - 1][i]))
        falls = _clients(h, lambda i: h.ratio[t][i] * h.lr[t][i] * (h.above[t - 1][i] - h.above[t][i]))
        return side_ratio([now], [HALF * last, -HALF * now, 2 * falls])

    return _at_each_round("left over right of (36)", reading, value)


def inner_product_ratio(reading: Reading) -> Quantity:
    """Return -2<x_t - x*, mean η∇f_i(x^i_t)> over 2 mean η(f_i(x*) - f_i(x^i_t)) of (37), by the signs of the terms."""

    def value(h: History, t: int) -> Mixed:
        left = _clients(h, lambda i: h.lr[t][i] * inner(h.server[t] - h.instance.point, h.gradient[t][i]))
        return side_ratio([-2 * left], [-2 * _clients(h, lambda i: h.lr[t][i] * h.above[t][i])])

    return _at_each_round("left over right of (37)", reading, value)


def omitted_term_ratio(reading: Reading) -> Quantity:
    """Return |mean η<x_t - x^i_t, ∇f_i(x^i_t)>| over the mean of the absolute values, the term omitted before (38)."""

    def value(h: History, t: int) -> Mixed:
        found = [h.lr[t][i] * inner(h.server[t] - h.points[t][i], h.gradient[t][i]) for i in range(h.n_clients)]
        sizes = [_size(v) for v in found]
        whole = h.mean(sizes)
        return fmpq(0) if is_zero(whole) else _size(h.mean(found)) / whole

    return _at_each_round("mean <x_t - x^i_t, η∇f_i>, relative", reading, value)


def not_its_own_move(reading: Reading) -> Quantity:
    """Return |x^i_{t-1} - x^i_t - s|² over |s|², s = η^i_{t-1}∇f_i(x^i_{t-1}), the largest; 0 is claimed after (35)."""

    def value(h: History, t: int) -> Mixed:
        found = [fmpq(0)]
        for i in range(h.n_clients):
            step = h.lr[t - 1][i] * h.gradient[t - 1][i]
            if not is_zero(squared_length(step)):
                found.append(squared_length(h.points[t - 1][i] - h.points[t][i] - step) / squared_length(step))
        return largest(found)

    return _at_each_round("|move - own step|², relative", reading, value)


def _from_1(left: Mixed, right: list[Mixed]) -> Mixed:
    """Return the larger side over the smaller one: 1 if they are equal, else more."""
    ratio = side_ratio([left], right)
    if is_zero(ratio):
        return fmpq(1) if is_zero(sum(right, fmpq(0))) else BEYOND
    return largest([ratio, 1 / ratio])


def _own_steps(h: History, t: int) -> np.ndarray:
    """Return mean η^i_t ∇f_i(x^i_t)."""
    total = h.server[0] * 0
    for lr, gradient in zip(h.lr[t], h.gradient[t], strict=True):
        total = total + lr * gradient
    return total / h.n_clients


def expansion_ratio(reading: Reading) -> Quantity:
    """Return |x_{t+1} - x*|² and its three terms in (33), the larger over the smaller, the largest over t = 1..T."""

    def value(h: History, t: int) -> Mixed:
        away, steps = h.server[t] - h.instance.point, _own_steps(h, t)
        terms = [squared_length(away), squared_length(steps), -2 * inner(away, steps)]
        return _from_1(squared_length(h.server[t + 1] - h.instance.point), terms)

    return replace(_at_each_round("sides of (33), the larger over the smaller", reading, value), tolerance=TOLERANCE)


def _mean_move(h: History, t: int) -> np.ndarray:
    """Return mean (x^i_t - x^i_{t+1})."""
    moves = [x - y for x, y in zip(h.points[t], h.points[t + 1], strict=True)]
    return sum(moves, moves[0] * 0) / h.n_clients


def own_moves(reading: Reading) -> Quantity:
    """Return |mean η∇f_i(x^i_t)|² and |mean (x^i_t - x^i_{t+1})|² of (34), the larger over the smaller."""

    def value(h: History, t: int) -> Mixed:
        return _from_1(squared_length(_own_steps(h, t)), [squared_length(_mean_move(h, t))])

    return replace(_at_each_round("sides of (34), the larger over the smaller", reading, value), tolerance=TOLERANCE)


def mean_move(reading: Reading) -> Quantity:
    """Return |mean (x^i_t - x^i_{t+1})|² over mean |x^i_t - x^i_{t+1}|² of (34), the largest over t."""

    def value(h: History, t: int) -> Mixed:
        each = _clients(h, lambda i: squared_length(h.points[t][i] - h.points[t + 1][i]))
        return side_ratio([squared_length(_mean_move(h, t))], [each])

    return replace(_at_each_round("left over right of (34)", reading, value), tolerance=TOLERANCE)


def _size(v: Mixed) -> Mixed:
    return -v if v < 0 else v
