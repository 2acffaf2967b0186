"""Assumptions that federated theorems share, checked on the instance: exact constants, exact or sampled inequalities.

The constants of the library's own instances are exact by construction; the inequalities are evaluated all the same, on
points around the start and the minimiser, so that an instance of a user's that claims too much is caught with a reason.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from typing import Any

import numpy as np

from fltheory import streams, symbols
from fltheory.instance import Assumption, Case
from fltheory.number import to_float

_POINTS = 24
_SLACK = 1e-9


def _missing(case: Case, *names: Any) -> str | None:
    for symbol in names:
        if symbol not in case.constants:
            return f"the instance provides no {symbol.name}"
    return None


def _probe(instance: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points (n, dim), all client gradients and mean gradients there; remembered for instances that can be hashed."""
    return _remembered(instance) if isinstance(instance, Hashable) else _look(instance)


def _look(instance: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points (n, dim) near the start, the minimiser and far out, and all client gradients and mean gradients there."""
    best = np.array([to_float(v) for v in instance.minimiser])
    start = np.array([to_float(v) for v in instance.start])
    scale = np.maximum(np.abs(start - best), 1e-12)
    spread = np.stack([streams.uniform(0, np.arange(_POINTS), 0, 0, i) for i in range(instance.dim)], axis=-1)
    sizes = 10.0 ** (np.arange(_POINTS) % 5 - 2)[:, None]
    x = np.concatenate([best + sizes * scale * (2 * spread - 1), start[None], best[None]])
    clients = np.stack([instance.gradient(x, m) for m in range(instance.n_clients)])
    return x, clients, instance.mean_gradient(x)


_remembered = lru_cache(maxsize=512)(_look)


def _described(case: Case) -> str | None:
    """The constants that describe the instance itself: a user's may be wrong."""
    instance: Any = case.instance
    constants = case.constants
    clients = constants.get(symbols.n_clients, instance.n_clients)
    if clients != instance.n_clients:
        return f"n_clients = {clients}, but the instance has {instance.n_clients}"
    start, best = (np.array([[to_float(v) for v in p]]) for p in (instance.start, instance.minimiser))
    found = {symbols.initial_distance: np.linalg.norm(start - best), symbols.initial_gap: instance.gap(start)[0]}
    for symbol, value in found.items():
        claimed = constants.get(symbol)
        if claimed is not None and not value <= to_float(claimed) * (1 + 1e-6) + 1e-300:
            return f"{symbol.name} = {to_float(claimed):g} is below the found {value:g}"
    return None


def _smooth(case: Case) -> str | None:
    missing = _missing(case, symbols.smoothness) or _described(case)
    if missing:
        return missing
    x, gradients, _ = _probe(case.instance)
    limit = to_float(case.constants[symbols.smoothness])
    steps, changes = (
        np.linalg.norm(np.diff(x, axis=0), axis=-1),
        np.linalg.norm(np.diff(gradients, axis=1), axis=-1),
    )
    good = changes <= limit * steps * (1 + _SLACK) + _SLACK * np.abs(gradients).max()
    return None if good.all() else f"a client's gradient changes faster than smoothness = {limit:g} allows"


def _curved(case: Case, least: float, words: str) -> str | None:
    x, gradients, _ = _probe(case.instance)
    steps = np.diff(x, axis=0)
    inner = (np.diff(gradients, axis=1) * steps).sum(axis=-1)
    square = (steps**2).sum(axis=-1)
    scale = np.abs(gradients).max() * np.sqrt(square)
    good = inner >= least * square * (1 - _SLACK) - _SLACK * scale
    return None if good.all() else f"a client's objective is not {words}"


def _convex(case: Case) -> str | None:
    return _curved(case, 0.0, "convex")


def _strongly_convex(case: Case) -> str | None:
    missing = _missing(case, symbols.strong_convexity)
    if missing:
        return missing
    mu = case.constants[symbols.strong_convexity]
    if not mu > 0:
        return "strong_convexity is 0"
    return _curved(case, to_float(mu), f"strongly convex with strong_convexity = {to_float(mu):g}")


def _minimised(case: Case) -> str | None:
    _, gradients, mean = _probe(case.instance)
    if not np.abs(mean[-1]).max() <= 1e-7 * max(np.abs(gradients).max(), 1e-300):
        return "the gradient does not vanish at the instance's minimiser"
    return None


def _heterogeneity_at_optimum(case: Case) -> str | None:
    missing = _missing(case, symbols.heterogeneity_at_optimum)
    if missing:
        return missing
    _, gradients, _ = _probe(case.instance)
    limit = to_float(case.constants[symbols.heterogeneity_at_optimum])
    found = float(np.sqrt((gradients[:, -1] ** 2).sum(axis=-1).mean()))
    if not found <= limit * (1 + 1e-6) + 1e-9 * np.abs(gradients).max():
        return f"heterogeneity_at_optimum = {limit:g} is below the found {found:g}"
    return None


def _uniform_heterogeneity(case: Case) -> str | None:
    missing = _missing(case, symbols.heterogeneity, symbols.heterogeneity_slope)
    if missing:
        return missing
    _, gradients, mean = _probe(case.instance)
    zeta, beta = (to_float(case.constants[s]) for s in (symbols.heterogeneity, symbols.heterogeneity_slope))
    left = ((gradients - mean) ** 2).sum(axis=-1).mean(axis=0)
    right = beta**2 * (mean**2).sum(axis=-1) + zeta**2
    good = left <= right * (1 + 1e-6) + 1e-9 * (gradients**2).max()
    reason = "the clients' gradients differ by more than heterogeneity and heterogeneity_slope allow"
    return None if good.all() else reason


def _bounded_noise(case: Case) -> str | None:
    missing = _missing(case, symbols.noise_std)
    if missing:
        return missing
    instance: Any = case.instance
    limit = to_float(case.constants[symbols.noise_std])
    if instance.draws == 0:
        return None
    x = np.tile(np.array([to_float(v) for v in instance.start]), (4096, 1))
    uniforms = np.stack([streams.uniform(0, np.arange(4096), 1, 0, i) for i in range(instance.draws)], axis=-1)
    for m in range(instance.n_clients):
        noise = instance.noise(x, m, uniforms)
        variance = float((noise**2).sum(axis=-1).mean())
        if not variance <= limit**2 * 1.2 + 1e-18:
            return f"noise_std = {limit:g} is below the noise of client {m}, about {variance**0.5:g}"
        bias = float(np.linalg.norm(noise.mean(axis=0)))
        if not bias <= 0.1 * limit + 1e-9:  # 6.4 standard errors
            return f"the gradient noise of client {m} has mean {bias:g}, not 0"
    return None


def _full_participation(case: Case) -> str | None:
    taking_part = case.constants.get(symbols.n_participating)
    if taking_part is not None and taking_part != case.constants[symbols.n_clients]:
        return "some clients don't take part"
    return None


def _participation(case: Case) -> str | None:
    missing = _missing(case, symbols.n_participating)
    if missing:
        return missing
    if case.constants[symbols.n_participating] > case.constants[symbols.n_clients]:
        return "more clients take part than there are"
    return None


def _plain_server(case: Case) -> str | None:
    return None if case.constants.get(symbols.server_step_size, 1) == 1 else "server_step_size is not 1"


def _noiseless(case: Case) -> str | None:
    return None if case.constants.get(symbols.noise_std) == 0 else "noise_std is not 0"


smooth = Assumption("every client is smooth", _smooth)
convex = Assumption("every client is convex", _convex)
strongly_convex = Assumption("every client is strongly convex", _strongly_convex)
minimised = Assumption("a minimiser exists", _minimised)
bounded_noise = Assumption("the gradient noise is bounded in mean square", _bounded_noise)
heterogeneity_at_optimum = Assumption("heterogeneity at the minimiser", _heterogeneity_at_optimum)
uniform_heterogeneity = Assumption("uniform heterogeneity", _uniform_heterogeneity)
full_participation = Assumption("every client takes part", _full_participation)
participation = Assumption("clients drawn without replacement", _participation)
plain_server = Assumption("the server takes the clients' model", _plain_server)
noiseless = Assumption("gradients without noise", _noiseless)
