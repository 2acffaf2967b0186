"""Common assumptions of federated theorems, checked on the instance by exact constants and sampled inequalities.

The constants of built-in instances are exact by construction. The inequalities are still evaluated, at points around
the start and the minimiser, so that a user's instance with wrong constants is rejected with a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
from sympy import Symbol

from fltheory import symbols
from fltheory.model.case import Assumption, Case, FederatedInstance
from fltheory.number import streams, to_float
from fltheory.runs.protocols import AxisAligned, HasSuppositions, has_capability

_POINTS = 24
_AXES = 32
_ITERATIONS = 12
_SLACK = 1e-9


def _missing_constants(case: Case, *names: Symbol) -> str | None:
    for symbol in names:
        if symbol not in case.constants:
            return f"the instance provides no {symbol.name}"
    return None


class Probe(NamedTuple):
    """Values of an instance at points (n, dim), the last the minimiser, and over pairs of points, (clients, pairs)."""

    clients: np.ndarray  # gradients, (clients, n, dim)
    mean: np.ndarray  # gradients of F, (n, dim)
    gaps: np.ndarray  # (n,)
    drift: np.ndarray  # excess of the error in gap differences over rounding
    steps: np.ndarray  # distances between the points of pairs
    changes: np.ndarray  # distances between their gradients
    inner: np.ndarray  # (gradient change, step)
    slack: np.ndarray  # rounding error of a gradient change


def _probe(instance: FederatedInstance) -> Probe:
    """Return the values that the assumptions check; cached for hashable instances."""
    return _cached_sample(instance) if isinstance(instance, Hashable) else _sample_instance(instance)


class _CheckedInstance:
    """A user's instance whose methods must return arrays of the right shape; a ValueError names one that does not."""

    def __init__(self, instance: FederatedInstance) -> None:
        self._instance = instance

    def _ask(self, name: str, shape: tuple[int, ...], answer: Callable[[], np.ndarray]) -> np.ndarray:
        method = f"{type(self._instance).__name__}.{name}"
        try:
            found = np.asarray(answer(), dtype=float)
        except MemoryError:  # not the instance's fault
            raise
        except Exception as error:
            raise ValueError(f"{method}: {error}") from error
        if found.shape != shape:
            raise ValueError(f"{method} returned shape {found.shape}, expected {shape}")
        return found

    def gradient(self, x: np.ndarray, client: int) -> np.ndarray:
        return self._ask("gradient", x.shape, lambda: self._instance.gradient(x, client))

    def mean_gradient(self, x: np.ndarray) -> np.ndarray:
        return self._ask("mean_gradient", x.shape, lambda: self._instance.mean_gradient(x))

    def gap(self, x: np.ndarray) -> np.ndarray:
        return self._ask("gap", x.shape[:1], lambda: self._instance.gap(x))

    def noise(self, x: np.ndarray, client: int, uniforms: np.ndarray) -> np.ndarray:
        return self._ask("noise", x.shape, lambda: self._instance.noise(x, client, uniforms))


def _sample_instance(instance: FederatedInstance) -> Probe:
    """Choose points, random and on the axes, near the start and minimiser and far away, and pairs of extreme curvature.

    All directions share one scale, so a coordinate in which start and minimiser agree is checked like the others.
    """
    if has_capability(instance, HasSuppositions):
        return _sample_near_start(instance)
    asked = _CheckedInstance(instance)
    best = np.array([to_float(v) for v in instance.minimiser])
    start = np.array([to_float(v) for v in instance.start])
    scale = np.abs(start - best).max() or np.abs(best).max() or 1.0
    spread = np.stack([streams.uniform(0, np.arange(_POINTS), 0, 0, i) for i in range(instance.dim)], axis=1)
    sizes = 10.0 ** (np.arange(_POINTS) % 5 - 2)[:, None] * scale
    axes = np.eye(instance.dim)[:_AXES] * scale
    random = best + sizes * (2 * spread - 1)
    x = np.concatenate([random, best + axes, best - axes, start[None], best[None]])
    with np.errstate(all="ignore"):
        clients = np.stack([asked.gradient(x, m) for m in range(instance.n_clients)])
        pairs = [_pair(x[:-1], x[1:], g[:-1], g[1:]) for g in clients]
        centres = np.stack([best, start, random[3], random[4]])
        directions = (2 * spread - 1)[: len(centres)]
        # With diagonal Hessians the extremes lie along the axes, which the points above contain.
        aligned = isinstance(instance, AxisAligned) and instance.axis_aligned
        for m in () if aligned else range(instance.n_clients):
            found = _extremes(partial(asked.gradient, client=m), centres, directions, scale)
            pairs[m] = np.concatenate([pairs[m], found], axis=1)
        mean, gaps = asked.mean_gradient(x), asked.gap(x)
        steps, changes, inner, slack = np.stack(pairs, axis=1)
        drift = _drift(asked, x[:-1], scale, (changes / np.where(steps > 0, steps, np.inf)).max())
    return Probe(clients, mean, gaps, drift, steps, changes, inner, slack)


def _sample_near_start(instance: Any) -> Probe:
    """Choose points around the start of clients without a known minimiser, within the radius of their constants."""
    asked, start = _CheckedInstance(instance), np.array([to_float(v) for v in instance.start])
    spread = np.stack([streams.uniform(0, np.arange(_POINTS), 0, 0, i) for i in range(instance.dim)], axis=1)
    ways = 2 * spread - 1
    lengths = instance.reach * (1 + np.arange(_POINTS)[:, None]) / _POINTS
    x = np.concatenate([start[None], start + ways / np.linalg.norm(ways, axis=1, keepdims=True) * lengths])
    clients = np.stack([asked.gradient(x, m) for m in range(instance.n_clients)])
    near = x + (np.roll(x, 1, axis=0) - x) * 1e-3
    pairs = [
        np.concatenate([_pair(x[:-1], x[1:], g[:-1], g[1:]), _pair(x, near, g, asked.gradient(near, m))], axis=1)
        for m, g in enumerate(clients)
    ]
    steps, changes, inner, slack = np.stack(pairs, axis=1)
    none = np.zeros(len(x))
    return Probe(clients, asked.mean_gradient(x), none, none, steps, changes, inner, slack)


def _pair(x: np.ndarray, y: np.ndarray, at_x: np.ndarray, at_y: np.ndarray) -> np.ndarray:
    """Return rows of steps, gradient changes, inner products and slack, (4, pairs)."""
    step, change = y - x, at_y - at_x
    length, size = np.linalg.norm(step, axis=1), np.linalg.norm(change, axis=1)
    curvature = size / np.where(length > 0, length, 1)
    rounding = _SLACK * np.maximum(np.abs(at_x), np.abs(at_y)).max(axis=1)
    rounding = rounding + 1e-13 * curvature * np.maximum(np.abs(x), np.abs(y)).max(axis=1)
    return np.stack([length, size, (change * step).sum(axis=1), rounding])


def _extremes(
    gradient: Callable[[np.ndarray], np.ndarray], centres: np.ndarray, directions: np.ndarray, scale: float
) -> np.ndarray:
    """Find pairs with the fastest and slowest change of the gradient, by power iterations on gradient differences."""
    centres, directions = np.concatenate([centres, centres]), np.concatenate([directions, directions])
    lengths = np.repeat([scale * 1e-2, scale], len(centres) // 2)[:, None]
    at_centre = gradient(centres)
    largest = np.zeros((len(centres), 1))
    found = []
    for shifted in (False, True):
        v = directions
        for _ in range(_ITERATIONS if centres.shape[1] > 1 else 1):
            v = v / np.linalg.norm(v, axis=1, keepdims=True)
            y = centres + lengths * v
            there = gradient(y)
            found.append(_pair(centres, y, at_centre, there))
            product = (there - at_centre) / lengths
            largest = np.maximum(largest, np.linalg.norm(product, axis=1, keepdims=True))
            product = largest * v - product if shifted else product
            v = np.where(np.linalg.norm(product, axis=1, keepdims=True) == 0, v, product)
    return np.concatenate(found, axis=1)


def _drift(instance: _CheckedInstance, x: np.ndarray, scale: float, curvature: float) -> np.ndarray:
    """Return the excess of gap differences over short segments over the trapezoidal rule of the mean gradient."""
    segments = 1e-4 * scale * np.stack([np.ones_like(x), instance.mean_gradient(x)])
    lengths = np.linalg.norm(segments[1], axis=1, keepdims=True)
    segments[1] *= 1e-4 * scale / np.where(lengths > 0, lengths, 1)
    excess = []
    for segment in segments:
        y = x + segment
        before, after = instance.gap(x), instance.gap(y)
        mean = (instance.mean_gradient(x) + instance.mean_gradient(y)) / 2
        rule, terms = (mean * (y - x)).sum(axis=1), np.abs(mean * (y - x)).sum(axis=1)
        error = curvature * ((y - x) ** 2).sum(axis=1) + 1e-6 * terms
        rounding = 1e-10 * (np.abs(before) + np.abs(after)) + 1e-15 * curvature * scale * np.abs(x).max()
        excess.append(np.abs(after - before - rule) - error - rounding)
    return np.concatenate(excess)


_cached_sample = lru_cache(maxsize=512)(_sample_instance)


def _check_described(case: Case) -> str | None:
    """Check the instance's own constants; contradicting settings are rejected elsewhere, by the side of each bound."""
    instance = case.instance
    if not has_capability(instance, FederatedInstance):
        return None
    constants = case.own
    clients = constants.get(symbols.n_clients, instance.n_clients)
    if clients != instance.n_clients:
        return f"n_clients = {clients}, but the instance has {instance.n_clients}"
    asked = _CheckedInstance(instance)
    start, best = (np.array([[to_float(v) for v in p]]) for p in (instance.start, instance.minimiser))
    with np.errstate(all="ignore"):
        found = {symbols.initial_distance: np.linalg.norm(start - best), symbols.initial_gap: asked.gap(start)[0]}
    for symbol, value in found.items():
        claimed = to_float(constants[symbol]) if symbol in constants else value
        if not abs(value - claimed) <= 1e-6 * abs(claimed) + 1e-300:
            return f"{symbol.name} = {claimed:g}, but the instance has {value:g}"
    return None


def _check_smooth(case: Case) -> str | None:
    missing = _missing_constants(case, symbols.smoothness)
    if missing:
        return missing
    probe = _probe(case.instance)
    limit = to_float(case.constants[symbols.smoothness])
    good = probe.changes <= limit * probe.steps * (1 + _SLACK) + probe.slack
    return None if good.all() else f"a client's gradient changes faster than smoothness = {limit:g} allows"


def _check_curvature(case: Case, least: float, words: str) -> str | None:
    probe = _probe(case.instance)
    good = probe.inner >= least * probe.steps**2 * (1 - _SLACK) - probe.slack * probe.steps
    return None if good.all() else f"a client's objective is not {words}"


def _check_convex(case: Case) -> str | None:
    return _check_curvature(case, 0.0, "convex")


def _check_strongly_convex(case: Case) -> str | None:
    missing = _missing_constants(case, symbols.strong_convexity)
    if missing:
        return missing
    mu = case.constants[symbols.strong_convexity]
    if not mu > 0:
        return "strong_convexity is 0"
    return _check_curvature(case, to_float(mu), f"strongly convex with strong_convexity = {to_float(mu):g}")


def _check_convex_so_far(case: Case) -> str | None:
    curved = case.constants.get(symbols.strong_convexity, 0) > 0
    return (_check_strongly_convex if curved else _check_convex)(case)


def _check_minimised(case: Case) -> str | None:
    if has_capability(case.instance, HasSuppositions):
        return "no minimiser of these clients is known"
    probe = _probe(case.instance)
    local = np.abs(probe.clients).max(axis=(0, 2))
    largest, highest = max(local.max(), 1e-300), max(np.abs(probe.gaps).max(), 1e-300)
    if not np.abs(probe.mean[-1]).max() <= 1e-7 * largest:
        return "the gradient does not vanish at the instance's minimiser"
    apart = np.abs(probe.mean - probe.clients.mean(axis=0)).max(axis=1)
    if not (apart <= 1e-7 * local + 1e-12 * largest).all():
        return "mean_gradient is not the mean of the clients' gradients"
    if not abs(probe.gaps[-1]) <= 1e-9 * highest:
        return f"gap is {probe.gaps[-1]:g}, not 0, at the instance's minimiser"
    if not (probe.gaps >= -1e-9 * highest).all():
        return "gap is negative: the instance's minimiser does not minimise F"
    if not (probe.drift <= 1e-12 * highest).all():
        return "gap is not consistent with mean_gradient"
    return None


def _check_heterogeneity_at_optimum(case: Case) -> str | None:
    missing = _missing_constants(case, symbols.heterogeneity_at_optimum)
    if missing:
        return missing
    gradients = _probe(case.instance).clients
    limit = to_float(case.constants[symbols.heterogeneity_at_optimum])
    found = float(np.sqrt((gradients[:, -1] ** 2).sum(axis=1).mean()))
    if not found <= limit * (1 + 1e-6) + 1e-9 * np.abs(gradients).max():
        return f"heterogeneity_at_optimum = {limit:g} is below the found {found:g}"
    return None


def _check_uniform_heterogeneity(case: Case) -> str | None:
    missing = _missing_constants(case, symbols.heterogeneity, symbols.heterogeneity_slope)
    if missing:
        return missing
    gradients, mean = _probe(case.instance)[:2]
    zeta, beta = (to_float(case.constants[s]) for s in (symbols.heterogeneity, symbols.heterogeneity_slope))
    left = ((gradients - mean) ** 2).sum(axis=-1).mean(axis=0)
    right = beta**2 * (mean**2).sum(axis=1) + zeta**2
    good = left <= right * (1 + 1e-6) + 1e-9 * (gradients**2).max()
    reason = "the clients' gradients differ by more than heterogeneity and heterogeneity_slope allow"
    return None if good.all() else reason


def _check_bounded_noise(case: Case[FederatedInstance]) -> str | None:
    missing = _missing_constants(case, symbols.noise_std)
    if missing:
        return missing
    instance, asked = case.instance, _CheckedInstance(case.instance)
    limit = to_float(case.constants[symbols.noise_std])
    if instance.draws == 0:
        return None
    x = np.tile(np.array([to_float(v) for v in instance.start]), (4096, 1))
    uniforms = np.stack([streams.uniform(0, np.arange(4096), 1, 0, i) for i in range(instance.draws)], axis=1)
    for m in range(instance.n_clients):
        noise = asked.noise(x, m, uniforms)
        variance = float((noise**2).sum(axis=1).mean())
        if not variance <= limit**2 * 1.2 + 1e-18:
            return f"noise_std = {limit:g} is below the noise of client {m}, about {variance**0.5:g}"
        bias = float(np.linalg.norm(noise.mean(axis=0)))
        if not bias <= 0.1 * limit + 1e-9:  # 6.4 standard errors
            return f"the gradient noise of client {m} has mean {bias:g}, not 0"
    return None


def _check_full_participation(case: Case) -> str | None:
    taking_part = case.constants.get(symbols.n_participating)
    if taking_part is not None and taking_part != case.constants[symbols.n_clients]:
        return "some clients don't take part"
    return None


def _check_participation(case: Case) -> str | None:
    missing = _missing_constants(case, symbols.n_participating)
    if missing:
        return missing
    if case.constants[symbols.n_participating] > case.constants[symbols.n_clients]:
        return "more clients take part than there are"
    return None


def _check_plain_server(case: Case) -> str | None:
    return None if case.constants.get(symbols.server_step_size, 1) == 1 else "server_step_size is not 1"


def _check_noiseless(case: Case) -> str | None:
    return None if case.constants.get(symbols.noise_std) == 0 else "noise_std is not 0"


constants_described = Assumption("the constants describe the instance", _check_described)
smooth = Assumption("every client is smooth", _check_smooth)
convex = Assumption("every client is convex", _check_convex)
strongly_convex = Assumption("every client is strongly convex", _check_strongly_convex)
convex_so_far = Assumption(
    "every client is strongly convex, or convex where strong_convexity is 0", _check_convex_so_far
)
minimiser_exists = Assumption("a minimiser exists", _check_minimised)
bounded_noise = Assumption("the gradient noise is bounded in mean square", _check_bounded_noise)
heterogeneity_at_optimum = Assumption("heterogeneity at the minimiser", _check_heterogeneity_at_optimum)
uniform_heterogeneity = Assumption("uniform heterogeneity", _check_uniform_heterogeneity)
full_participation = Assumption("every client takes part", _check_full_participation)
participation = Assumption("clients drawn without replacement", _check_participation)
plain_server = Assumption("the server takes the clients' model", _check_plain_server)
noiseless = Assumption("gradients without noise", _check_noiseless)
