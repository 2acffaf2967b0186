"""Fixed points of Delta-SGD on L_i/2 |x - c_i|^2 without a common minimiser, in closed form, and measures of a round.

A client's local steps leave the part r_i = prod_k (1 - eta^i_k L_i) of its way to c_i, as 1/L_i is the inverse local
smoothness of each step. With a proximal term mu/2 |x - x_t|^2, r_i is that of the curvature L_i + mu, and the client
moves by q_i (c_i - x_t) with q_i = (1 - r_i) L_i/(L_i + mu).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, cast

import numpy as np
from flint import ctx, fmpq
from sympy import Symbol

from fltheory.model.bound import BoundError, Dimension
from fltheory.model.case import Case
from fltheory.number import as_number
from fltheory.number.mixed import Mixed, mixed_array, mixed_sqrt
from fltheory.papers.delta_sgd import notation as letters
from fltheory.papers.delta_sgd.convex.closed_forms.measures import Quantity
from fltheory.papers.delta_sgd.rule.closed_forms.batch_floor import exactly
from fltheory.papers.delta_sgd.rule.closed_forms.measures import OfRule, of_rule
from fltheory.papers.delta_sgd.rule.closed_forms.runs import MIXED, follow, mixed_constant
from fltheory.problems.convex import Convex, ConvexClients, Quadratic
from fltheory.runs.constants import run_constants
from fltheory.runs.measures import ENERGY
from fltheory.runs.step_rule import StepRule, exact_step, squared_length

Weights = Literal["equal", "debiased", "inverse", "fednova"]


def curvature_and_centre(f: Convex) -> tuple[Any, np.ndarray]:
    """Return L and c of L/2 |x - c|^2; BoundError for any other function."""
    if not isinstance(f, Quadratic):
        raise BoundError("expected isotropic quadratics")
    entries, n = f.matrix.tolist(), range(f.dim)
    curvature = entries[0][0]
    if not curvature > 0 or any(entries[i][j] != (curvature if i == j else 0) for i in n for j in n):
        raise BoundError("expected isotropic quadratics")
    return curvature, mixed_array(f.centre)


def n_steps(case: Case) -> int:
    """Return K."""
    return int(case.constants[letters.K])


def proximal(case: Case) -> Mixed:
    """Return mu, which is 0 if the case has none."""
    return mixed_constant(case, letters.proximal_weight) if letters.proximal_weight in case.constants else fmpq(0)


def local_steps(rule: StepRule, curvature: Mixed, case: Case) -> list[Mixed]:
    """Return eta_0, ..., eta_{K-1} of a client with this curvature (R6)."""
    c = run_constants(case, MIXED)
    lr, ratio = mixed_constant(case, letters.eta_0), mixed_constant(case, letters.theta_0)
    found, asked = [lr], exactly(rule, case)
    for _ in range(n_steps(case) - 1):
        new = exact_step(asked, lr, ratio, fmpq(1), curvature * curvature, c)
        lr, ratio = new, new / lr
        found.append(lr)
    return found


@dataclass(frozen=True)
class Client:
    """A client: L, c, the steps of a round, the remaining part of the way to the (proximal) minimiser, and q."""

    curvature: Mixed
    centre: np.ndarray
    steps: list[Any]
    left: Mixed
    pull: Mixed


def clients(rule: StepRule, case: Case) -> list[Client]:
    """Return the clients of a case, in closed form."""
    return _clients(rule, case, ctx.prec)


@lru_cache(maxsize=64)
def _clients(rule: StepRule, case: Case[ConvexClients], precision: int) -> list[Client]:
    instance = case.instance
    found = []
    for f in instance.objectives:
        curvature, centre = curvature_and_centre(f)
        stiff, left = curvature + proximal(case), fmpq(1)
        steps = local_steps(rule, stiff, case)
        for lr in steps:
            left = left * (1 - lr * stiff)
        found.append(Client(curvature, centre, steps, left, (1 - left) * curvature / stiff))
    return found


def weight(client: Client, kind: Weights) -> Mixed:
    """Return the server's weight of a client's move."""
    if kind == "debiased":
        return client.curvature / client.pull
    if kind == "inverse":
        return 1 / client.pull
    return 1 / sum(client.steps, fmpq(0)) if kind == "fednova" else fmpq(1)


def middle(shares: list[Mixed], points: list[np.ndarray]) -> np.ndarray:
    """Return the weighted mean of points."""
    total = sum(shares, fmpq(0))
    return sum((s * x for s, x in zip(shares, points, strict=True)), points[0] * 0) / total


def fixed_point(found: list[Client], kind: Weights = "equal") -> np.ndarray:
    """Return the fixed point of a round."""
    if kind in ("debiased", "inverse") and any(not (c.pull > 0 or c.pull < 0) for c in found):
        raise BoundError("a client may end where it begins: no weights mend that")
    shares = [weight(c, kind) * c.pull for c in found]
    total = sum(shares, fmpq(0))
    if not (total > 0 or total < 0):
        raise BoundError("a round may move nothing at all")
    return middle(shares, [c.centre for c in found])


def minimiser(found: list[Client]) -> np.ndarray:
    """Return x* = sum L_i c_i / sum L_i."""
    return middle([c.curvature for c in found], [c.centre for c in found])


def mean_centre(found: list[Client]) -> np.ndarray:
    """Return the mean of the c_i."""
    return middle([fmpq(1)] * len(found), [c.centre for c in found])


def spread(found: list[Client]) -> Mixed:
    """Return the largest |c_i - c_1|^2, or 1 if all are equal."""
    top = max((squared_length(c.centre - found[0].centre) for c in found), key=lambda v: v)
    return top if top > 0 else fmpq(1)


def after_round(rule: StepRule, case: Case[ConvexClients], kind: Weights = "equal") -> np.ndarray:
    """Run a round of Algorithm 1 with full gradients and return the server's point."""
    instance = case.instance
    mu, start = proximal(case), mixed_array(instance.start)
    objectives = []
    for f in instance.objectives:
        curvature, centre = curvature_and_centre(f)
        near = (curvature * centre + mu * start) / (curvature + mu)
        n = len(start)
        hessian = [[as_number(curvature + mu) * (i == j) for j in range(n)] for i in range(n)]
        objectives.append(Quadratic(hessian, [as_number(v) for v in near]))
    settings = {k: v for k, v in case.settings if k not in ("n_local_steps", "proximal_weight")}
    local = Case(
        ConvexClients(tuple(objectives), instance.start), **{**settings, "n_rounds": max(n_steps(case) - 1, 1)}
    )
    ends = follow(rule, local, "A").points[n_steps(case)]
    shares = [weight(c, kind) for c in clients(rule, case)]
    return start + middle(shares, [x - start for x in ends])


def round_map(weights: Weights = "equal") -> Quantity:
    """Return the difference of a simulated round and x_inf + (1 - qbar)(x_0 - x_inf), over the clients' spread."""

    def off(rule: StepRule, case: Case) -> Mixed:
        found = clients(rule, case)
        end = fixed_point(found, weights)
        shares = [weight(c, weights) for c in found]
        pull = middle(shares, [np.array([c.pull], dtype=object) for c in found])[0]
        start = mixed_array(cast(ConvexClients, case.instance).start)
        return squared_length(after_round(rule, case, weights) - end - (1 - pull) * (start - end)) / spread(found)

    return of_rule("|x_1 - x_∞ - r̄(x_0 - x_∞)|² / spread", off)


def bias(weights: Weights = "equal", to_mean: bool = False) -> Quantity:
    """Return |x_inf - x*|^2 (``to_mean``: from the mean of the c_i) over the clients' spread, for these weights."""

    def off(rule: StepRule, case: Case) -> Mixed:
        found = clients(rule, case)
        target = mean_centre(found) if to_mean else minimiser(found)
        return squared_length(fixed_point(found, weights) - target) / spread(found)

    return of_rule(f"|x_∞ - {'c̄' if to_mean else 'x*'}|² / spread, {weights} weights", off)


@dataclass(frozen=True)
class GapOfTwo(OfRule):
    """The gap f(x_inf) - f* of two clients; the smaller curvature and the distance of the centres are its constants."""

    name: str = "f(x_∞) - f*"
    dimension: Dimension = ENERGY

    @property
    def letters(self) -> tuple[Symbol, ...]:
        return (letters.mu, letters.distance)

    def follow(self, rule: StepRule, case: Case) -> tuple[Any, Mapping[Symbol, Any]]:
        found = clients(rule, case)
        if len(found) != 2:
            raise BoundError("expected two clients")
        one, two = found
        apart = mixed_sqrt(squared_length(one.centre - two.centre))
        if not isinstance(apart, fmpq):
            raise BoundError("the distance of the centres is irrational")
        read = {letters.mu: min(one.curvature, two.curvature), letters.distance: apart}
        off = squared_length(fixed_point(found) - minimiser(found))
        return (one.curvature + two.curvature) / 4 * off, read
