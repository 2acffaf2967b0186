"""The assumptions of Theorem 1, checked at points from the minimiser to beyond the start, and on the steps of a run."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from flint import arb, ctx, fmpq

from fltheory.model.case import Assumption, Case, FederatedInstance
from fltheory.number import Number, streams, to_float, upper_float
from fltheory.number.mixed import Mixed, mixed_sqrt, smaller_of, to_mixed
from fltheory.papers.delta_sgd import algorithms, notation
from fltheory.papers.delta_sgd.instances.clients import HuberClient
from fltheory.runs import assumptions
from fltheory.runs.algorithm import Algorithm

_SLACK = 1 + 1e-9
_DRAWS = 64


def _points(instance: FederatedInstance) -> np.ndarray:
    """Return points (n, dim) around the minimiser, towards the start and away from it, and along every coordinate."""
    best = np.array([to_float(v) for v in instance.minimiser])
    way = np.array([to_float(v) for v in instance.start]) - best
    way = way if way.any() else np.ones_like(best)
    axes = np.eye(len(best))[:8] * np.abs(way).max()
    sizes = np.concatenate([-np.logspace(3, -2, 16), np.logspace(-2, 3, 16)])
    return np.asarray(best + np.concatenate([sizes[:, None] * v for v in (way, *axes)]))


def _gradients(case: Case[FederatedInstance]) -> tuple[np.ndarray, np.ndarray]:
    """Return the gradients of the clients, (clients, n, dim), and of f."""
    instance = case.instance
    x = _points(instance)
    return np.stack([instance.gradient(x, i) for i in range(instance.n_clients)]), instance.mean_gradient(x)


def _why_not_bounded(case: Case) -> str | None:
    limit = to_float(case.constants[notation.G])
    clients, _ = _gradients(case)
    found = float(np.linalg.norm(clients, axis=-1).max())
    return None if found <= limit * _SLACK else f"client_gradient_bound = {limit:g} is below the found {found:g}"


def _similar(case: Case) -> str | None:
    rho = to_float(case.constants[notation.rho])
    clients, mean = _gradients(case)
    apart, size = ((clients - mean) ** 2).sum(axis=-1), (mean**2).sum(axis=-1)
    if (apart <= rho * size * _SLACK + 1e-18 * (clients**2).max()).all():
        return None
    return f"strong_growth = {rho:g} is too small for the clients' gradients"


def _smooth_samples(case: Case[FederatedInstance]) -> str | None:
    instance = case.instance
    if not instance.draws:
        return None
    limit, x = to_float(case.constants[notation.L]), _points(instance)
    pairs = np.repeat(np.stack([x[:-1], x[1:]]), _DRAWS, axis=1)
    rows = np.arange(pairs.shape[1])
    uniforms = np.stack([streams.uniform(0, rows, 0, 0, i) for i in range(instance.draws)], axis=-1)
    for i in range(instance.n_clients):
        here, there = (instance.gradient(x, i) + instance.noise(x, i, uniforms) for x in pairs)
        change, way = (np.linalg.norm(v, axis=-1) for v in (there - here, pairs[1] - pairs[0]))
        if not (change <= limit * way * _SLACK + 1e-9 * np.abs(here).max()).all():
            return f"a mini-batch gradient of client {i} changes faster than smoothness = {limit:g} allows"
    return None


def _enough(case: Case) -> str | None:
    given = notation.P in case.constants  # otherwise all take part
    return assumptions.participation.check(case) if given else None


ASSUMPTION_1 = (
    Assumption("clients drawn without replacement, or all", _enough),
    assumptions.bounded_noise,
    Assumption("bounded gradients of the clients", _why_not_bounded),
    Assumption("the clients' gradients differ by at most sqrt rho |grad f|", _similar),
    assumptions.smooth,
    assumptions.minimiser_exists,
)
SMOOTH_SAMPLES = Assumption("the gradients of every mini-batch are smooth", _smooth_samples)

# The steps of a run ----------------------------------------------------------------------------------------------


def caps(initial_ratio: Number, damping: Number, n_local_steps: int) -> Mixed:
    """Return R1: the bound on the steps of a round, relative to eta_0, a mixed number."""
    ratio, product = to_mixed(initial_ratio), to_mixed(1)
    for _ in range(n_local_steps - 1):
        ratio = mixed_sqrt(1 + to_mixed(damping) * ratio)
        product = product * ratio
    return product


def _product(case: Case) -> Mixed:
    c = case.constants
    return caps(c[notation.theta_0], c[notation.delta], int(c[notation.K]))


def _within(case: Case) -> str | None:
    c = case.constants
    with ctx.workprec(256):
        first = to_mixed(c[notation.eta_0])
        floor = smaller_of(first, to_mixed(c[notation.gamma]) / (2 * to_mixed(c[notation.L])))
        if not to_mixed(c[notation.h]) <= floor:
            return f"least_step is not shown to be below min(eta_0, gamma/(2L)) = {to_float(arb(floor)):g}"
        top = first * _product(case)
        if not to_mixed(c[notation.a]) >= top:
            return f"largest_step is not shown to be above eta_0 times the caps of a round = {to_float(arb(top)):g}"
    return None


def _why_not_grown(case: Case) -> str | None:
    with ctx.workprec(256):
        if not to_mixed(case.constants[notation.Pi]) >= _product(case):
            return f"growth is not shown to be above the caps of a round = {to_float(arb(_product(case))):g}"
    return None


def _first_within(case: Case) -> str | None:
    c = case.constants
    low, first, high = (to_mixed(c[s]) for s in (notation.h, notation.eta_0, notation.a))
    return None if low <= first <= high else "eta_0 is not in [least_step, largest_step]"


def _why_beyond_limits(algorithm: Algorithm, case: Case) -> str | None:
    """Return why steps may leave the limits, which R1 and R2 give for Algorithm 1 and the run shows otherwise."""
    if algorithm in KNOWN or (algorithm.watched and algorithm.kernel is None):
        return None
    if algorithm.watched:
        return f"no limits of the steps of {algorithm.name} are known, and its compiled run shows none"
    return (
        f"the local steps of {algorithm.name} are unknown: build the round with federated_averaging(optimiser) of "
        "fltheory.runs.client_optimiser"
    )


KNOWN = (algorithms.pair, algorithms.same, algorithms.clipped, algorithms.clipped_fresh)
STEPS_WITHIN = Assumption("all steps are in [least_step, largest_step]", _within, _why_beyond_limits)
STEPS_SEEN = Assumption("all steps are in [least_step, largest_step]", lambda case: None, _why_beyond_limits)
GROWTH_KNOWN = Assumption("growth is at least the product of the caps of a round", _why_not_grown)
FIRST_WITHIN = Assumption("the first step is in [least_step, largest_step]", _first_within)


def _on_a_parabola(case: Case) -> str | None:
    kind = type(case.instance)
    return None if kind is HuberClient else f"the claim is about HuberClient, not about {kind.__name__}"


ON_A_PARABOLA = Assumption("f = L x^2 / 2 along the run", _on_a_parabola)


def with_step_limits(case: Case) -> Case:
    """Return the case with limits of its steps by R1 and R2, and the growth of a round, as rationals."""
    c = case.constants
    with ctx.workprec(256):
        growth = _product(case)
        growth = Fraction(int(growth.p), int(growth.q)) if isinstance(growth, fmpq) else _above(growth)
    first, amplifier, smoothness = (Fraction(c[s]) for s in (notation.eta_0, notation.gamma, notation.L))
    least_step = min(first, amplifier / (2 * smoothness))
    return case.with_settings(growth=growth, least_step=least_step, largest_step=first * growth)


def _above(value: arb) -> Fraction:
    """Return a rational with four decimals above a ball."""
    return Fraction(math.floor(upper_float(value) * 10**4) + 1, 10**4)
