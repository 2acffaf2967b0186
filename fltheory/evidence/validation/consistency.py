"""Consistency checks of a user's instance: gradient, noise, laws, Hessian and optimum must agree.

Built-in types are consistent by construction. For other types, each method that an exact engine uses is checked against
the others, exactly at random points if rationals work, else in floats. A subclass that overrides members of a built-in
type loses the features built on it, such as compiled runs and closed forms.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import is_dataclass
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

import numpy as np
from flint import arb
from sympy import Symbol

from fltheory import symbols
from fltheory.evidence.validation.set_consistency import HasMatroid, set_function_inconsistency
from fltheory.model.case import Assumption, Case, FederatedInstance, Instance
from fltheory.model.dataclass_fields import field_values
from fltheory.number import RATIONAL, NotRational, exact, streams, to_float
from fltheory.number.agreement import RELATIVE_TOLERANCE, answers_agree, as_float_array
from fltheory.runs.protocols import (
    HasExchangeableClients,
    OneFactor,
    QuadraticStructure,
    client_noise_factors,
    noise_value_count,
    noise_values,
)

POINTS = 6
DRAWS = 4_096  # draws of the noise to compare with its law
CLIENTS = 12  # largest number of clients to check
STEP = Fraction(3, 7)  # step size of the local steps whose laws are checked
Point = tuple[Fraction, ...]


def is_library_type(kind: type) -> bool:
    """Return whether a type is built-in."""
    return kind.__module__.split(".")[0] == "fltheory"


def is_plain(instance: object, *kinds: type) -> bool:
    """Return whether an instance has one of these built-in types (default: any) with nothing overridden."""
    if kinds and not isinstance(instance, kinds):
        return False
    return any(is_library_type(kind) for kind in type(instance).__mro__) and not overridden_names(instance)


def overridden_names(instance: object) -> set[str]:
    """Return the members of a built-in type that a user's subclass or the object itself overrides."""
    known: set[str] = set()
    new: set[str] = set()
    for kind in reversed(type(instance).__mro__[:-1]):
        names = {n for n in vars(kind) if n not in _IGNORED_ATTRIBUTES}
        if is_library_type(kind):
            known |= names
        else:
            new |= names & known
    return new | {n for n in vars(instance) if n in known and callable(vars(instance)[n])}


_IGNORED_ATTRIBUTES = {
    "__module__",
    "__doc__",
    "__qualname__",
    "__dict__",
    "__weakref__",
    "__annotations__",
    "__parameters__",
    "__orig_bases__",
    "__dataclass_fields__",
    "__dataclass_params__",
    "__match_args__",
    "__firstlineno__",
    "__static_attributes__",
    "__hash__",
    "__eq__",
    "__init__",
    "__repr__",
    "__replace__",
    "__setattr__",
    "__delattr__",
    "__abstractmethods__",
    "_abc_impl",
    "__protocol_attrs__",
    "__non_callable_proto_members__",
}


@runtime_checkable
class HasGradient(Protocol):
    """An object with a gradient: clients, or one of their objectives."""

    def gradient(self, *given: Any) -> np.ndarray: ...


@runtime_checkable
class HasInnerClients(Protocol):
    """An instance that contains clients, such as a point of their problem."""

    @property
    def clients(self) -> object: ...


def has_foreign_types(value: object) -> bool:
    """Return whether an instance, or data inside it, has a user-defined type."""
    if isinstance(value, tuple | list):
        return any(has_foreign_types(v) for v in value)
    if value is None or isinstance(value, int | float | str | Fraction | arb):
        return False
    if not is_library_type(type(value)):
        return is_dataclass(value) or isinstance(value, Instance | HasGradient)
    return is_dataclass(value) and (
        any(map(has_foreign_types, field_values(value).values())) or bool(overridden_names(value))
    )


def self_contradiction(case: Case) -> str | None:
    """Return how a user's instance contradicts itself, or None."""
    instance = case.instance
    if not has_foreign_types(instance):
        return None
    inside = (
        instance if isinstance(instance, HasMatroid) or not isinstance(instance, HasInnerClients) else instance.clients
    )
    clients = inside if isinstance(inside, HasMatroid) else None
    if clients is None and not isinstance(instance, FederatedInstance):
        return None
    name = type(instance).__name__
    if clients is not None and overridden_names(clients):
        return f"{type(clients).__name__} changes {', '.join(sorted(overridden_names(clients)))} of its library type"
    try:
        reason = _clients_inconsistency(instance) if clients is None else set_function_inconsistency(clients)
    except (NotRational, ArithmeticError, TypeError, ValueError, IndexError, AttributeError, KeyError) as error:
        reason = f"its methods are inconsistent: {type(error).__name__}: {error}"
    return None if reason is None else f"{name}: {reason}"


def _points(instance: FederatedInstance) -> list[Point]:
    """Choose rational points around the start, some far away."""
    start = [to_float(v) for v in instance.start]
    found = []
    for i in range(POINTS):
        u = streams.uniform(7, np.arange(len(start)), 0, 0, i)
        scale = (0.5, 3.0, 40.0, 1000.0)[i % 4]
        row = [
            Fraction(round(64 * (s + scale * (1 + abs(s)) * (2 * v - 1))), 64) for s, v in zip(start, u, strict=True)
        ]
        found.append(tuple(row))
    return found


def _exact(points: list[Point]) -> np.ndarray:
    x = np.empty((len(points), len(points[0])), dtype=object)
    for i, row in enumerate(points):
        x[i] = [RATIONAL.scalar(v) for v in row]
    return x


def _clients_inconsistency(instance: FederatedInstance) -> str | None:
    points = _points(instance)
    x = np.array([[float(v) for v in p] for p in points])
    clients = range(min(instance.n_clients, CLIENTS))
    gradients = np.stack([np.asarray(instance.gradient(x, m)) for m in range(instance.n_clients)])
    checks: tuple[Callable[[], str | None], ...] = (
        lambda: _gradient_inconsistency(instance, points, x, gradients),
        lambda: _type_inconsistency(instance, gradients),
        lambda: _optimum_inconsistency(instance, x),
        lambda: _hessian_inconsistency(instance, x),
        lambda: _noise_inconsistency(instance, x, clients),
        lambda: _moment_inconsistency(instance, points, clients),
        lambda: _constant_violation(instance, x, gradients, clients),
    )
    for check in checks:
        reason = check()
        if reason:
            return reason
    return None


def _gradient_inconsistency(
    instance: FederatedInstance, points: list[Point], x: np.ndarray, gradients: np.ndarray
) -> str | None:
    """Check that batches and single rows, clients per row, floats and exact numbers give the same results."""
    if not answers_agree(instance.mean_gradient(x), gradients.mean(axis=0)):
        return "mean_gradient is not the mean of the clients' gradients"
    owners = np.arange(len(x)) % instance.n_clients
    if not answers_agree(instance.gradient(x, owners), gradients[owners, np.arange(len(x))]):
        return "gradient with one client per row differs from the gradients of single clients"
    if not answers_agree(instance.gradient(x[:1], 0), gradients[0, :1]):
        return "gradient of one row differs from that of the same row in a batch"
    try:
        rational, mean = instance.gradient(_exact(points), owners), instance.mean_gradient(_exact(points))
        gaps = instance.gap(_exact(points))
    except MemoryError:
        raise
    except Exception:  # it does not support exact numbers, so they are not used
        return None
    if not answers_agree(rational, gradients[owners, np.arange(len(x))]):
        return "gradient differs between exact numbers and floats"
    if not answers_agree(mean, instance.mean_gradient(x)):
        return "mean_gradient differs between exact numbers and floats"
    return None if answers_agree(gaps, instance.gap(x)) else "gap differs between exact numbers and floats"


def _type_inconsistency(instance: FederatedInstance, gradients: np.ndarray) -> str | None:
    first: dict[int, int] = {}
    for m, kind in enumerate(instance.client_types if isinstance(instance, HasExchangeableClients) else ()):
        if not answers_agree(gradients[m], gradients[first.setdefault(kind, m)]):
            return "client_types calls clients equal that have different gradients"
    return None


def _optimum_inconsistency(instance: FederatedInstance, x: np.ndarray) -> str | None:
    """Check that gradient and gap vanish at the minimiser and that the gap integrates the gradient (Simpson's rule)."""
    best = np.array([[to_float(v) for v in instance.minimiser]])
    gaps, slopes = np.asarray(instance.gap(x)), np.asarray(instance.mean_gradient(x))
    size = max(np.abs(slopes).max(initial=0.0), 1e-300)
    if not np.abs(instance.mean_gradient(best)).max() <= 1e-7 * size:
        return "mean_gradient does not vanish at the minimiser"
    largest = max(np.abs(gaps).max(initial=0.0), 1e-300)
    if not abs(float(instance.gap(best)[0])) <= RELATIVE_TOLERANCE * largest:
        return "gap is not 0 at the minimiser"
    if not (gaps >= -RELATIVE_TOLERANCE * largest).all():
        return "gap is negative: the minimiser does not minimise F"
    nodes, weights = np.polynomial.legendre.leggauss(40)
    for row, gap in zip(x, gaps, strict=True):
        path = best + (nodes[:, None] + 1) / 2 * (row - best)
        along = (np.asarray(instance.mean_gradient(path)) * (row - best)).sum(axis=1)
        if not abs(gap - (along * weights).sum() / 2) <= 1e-2 * (abs(gap) + np.abs(along).max(initial=0.0)):
            return "gap is not consistent with mean_gradient"
    return None


def _hessian_inconsistency(instance: FederatedInstance, x: np.ndarray) -> str | None:
    """Check the Hessian of quadratic clients by differences of the mean gradient."""
    if not isinstance(instance, QuadraticStructure):
        return None
    d = x.shape[1]
    hessian = np.array([[to_float(instance.hessian(i, j)) for j in range(d)] for i in range(d)])
    moves = x[1:] - x[:1]
    changes = np.asarray(instance.mean_gradient(x))
    same = answers_agree(changes[1:] - changes[:1], moves @ hessian.T, float(np.abs(changes).max()))
    return None if same else "hessian is not the derivative of mean_gradient"


def _noise_inconsistency(instance: FederatedInstance, x: np.ndarray, clients: range) -> str | None:
    """Check that drawn noise has mean 0 and the values, variances and frequencies of its support or factors."""
    draws = instance.draws
    if draws == 0:
        return "noise_std is not 0, but nothing is drawn" if _has_described_noise(instance) else None
    at = np.repeat(x[:1], DRAWS, axis=0)
    uniforms = np.stack([streams.uniform(3, np.arange(DRAWS), 0, 0, i) for i in range(draws)], axis=-1)
    for m in clients:
        noise = np.asarray(instance.noise(at, m, uniforms), dtype=float)
        if noise.shape != at.shape:
            return f"noise returned shape {noise.shape}, expected {at.shape}"
        scale = float(np.sqrt((noise**2).mean())) + 1e-300
        if not np.abs(noise.mean(axis=0)).max() <= 6 * scale * (x.shape[1] / DRAWS) ** 0.5 + 1e-12:
            return f"the noise of client {m} does not have mean 0"
        covariance = noise.T @ noise / DRAWS
        known = _noise_covariance(instance, m, x[:1])
        if known is not None and not np.abs(covariance - known).max() <= 0.15 * max(np.abs(known).max(), 1e-300):
            return f"the noise of client {m} does not match its support"
        support = _noise_support_of(instance, m, x[:1])
        if support is not None:
            apart = np.abs(noise[:256, None] - support[None]).max(axis=2).min(axis=1).max()
            if not apart <= RELATIVE_TOLERANCE * (1 + np.abs(support).max()):
                return f"the noise of client {m} takes values that its support does not list"
    return None


def _has_described_noise(instance: FederatedInstance) -> bool:
    if symbols.noise_std not in instance.constants or not isinstance(instance, QuadraticStructure):
        return False
    return isinstance(instance, OneFactor) and any(instance.noise_std)


def _noise_support_of(instance: FederatedInstance, m: int, x: np.ndarray) -> np.ndarray | None:
    n, values = noise_value_count(instance), noise_values(instance)
    if values is None or not 0 < n <= 512:
        return None
    return as_float_array(values(np.repeat(x, n, axis=0), m, np.arange(n), None))


def _noise_covariance(instance: FederatedInstance, m: int, x: np.ndarray) -> np.ndarray | None:
    support = _noise_support_of(instance, m, x)
    if support is not None:
        return np.asarray(support.T @ support / len(support))
    factors = client_noise_factors(instance, m) if isinstance(instance, QuadraticStructure) else None
    if factors is None:
        return None
    columns = np.array([[to_float(v) for v in f] for f in factors])
    return np.asarray(columns.T @ columns)


def _moment_inconsistency(instance: FederatedInstance, points: list[Point], clients: range) -> str | None:
    """Check the laws of local steps x - step (gradient + noise) for every client, for one and two steps."""
    if not isinstance(instance, QuadraticStructure):
        return None
    blocks = [tuple(b) for b in instance.blocks]
    if sorted(i for b in blocks for i in b) != list(range(instance.dim)):
        return "blocks don't contain every coordinate exactly once"
    step = RATIONAL.scalar(STEP)
    x = np.array([[float(v) for v in p] for p in points])
    for m in clients:
        once, twice = (instance.client_laws(m, step, k, RATIONAL) for k in (1, 2))
        moved = x - float(STEP) * np.asarray(instance.gradient(x, m))
        covariance = _noise_covariance(instance, m, x[:1])
        for block, law, double in zip(blocks, once, twice, strict=True):
            first, second = (as_float_array(np.array(matrix.table(), dtype=object)) for matrix in law)
            up = np.concatenate([np.ones((len(x), 1)), x[:, block]], axis=1)
            if not answers_agree((up @ first.T)[:, 1:], moved[:, block]):
                return f"client_laws of client {m} does not match its gradient"
            n = len(block) + 1
            added = (second - np.kron(first, first))[:, 0].reshape(n, n)[1:, 1:]
            wanted = 0 if covariance is None else float(STEP) ** 2 * covariance[np.ix_(block, block)]
            if not answers_agree(added, wanted + 0 * added) or not answers_agree(
                (second - np.kron(first, first))[:, 1:], 0 * second[:, 1:]
            ):
                return f"client_laws of client {m} does not have the variance of its noise"
            if (law.first * law.first, law.second * law.second) != (double.first, double.second):
                return f"client_laws of client {m}: two local steps are not the composition of single ones"
    return None


def _constant_violation(
    instance: FederatedInstance, x: np.ndarray, gradients: np.ndarray, clients: range
) -> str | None:
    """Check constants against the points and draws above."""
    best = np.array([[to_float(v) for v in instance.minimiser]])
    start = np.array([[to_float(v) for v in instance.start]])
    moves, changes = x[1:] - x[:-1], gradients[:, 1:] - gradients[:, :-1]
    squares = (moves**2).sum(axis=1)
    at_best = [np.asarray(instance.gradient(best, m)) for m in range(instance.n_clients)]
    steep = float(np.sqrt((changes**2).sum(axis=2) / squares).max())
    flat = float(((changes * moves).sum(axis=2) / squares).min())
    slope = float(np.linalg.norm(instance.mean_gradient(start)))
    apart = float(np.mean([(g**2).sum() for g in at_best]) ** 0.5)
    quiet = max((_noise_rms(instance, m, best) for m in clients), default=0.0)
    found: tuple[tuple[Symbol, float, int], ...] = (  # a constant, the found value, and its allowed side
        (symbols.smoothness, steep, -1),
        (symbols.strong_convexity, flat, 1),
        (symbols.initial_gradient, slope, 0),
        (symbols.heterogeneity_at_optimum, apart, -1),
        (symbols.noise_std_at_optimum, quiet * 0.95, -1),
        (symbols.noise_std, quiet * 0.95, -1),
    )
    constants = instance.constants
    for symbol, value, side in found:
        if symbol in constants:
            said = to_float(exact(constants[symbol]))
            slack = 1e-6 * max(abs(value), abs(said)) + RELATIVE_TOLERANCE
            if (side <= 0 and value > said + slack) or (side >= 0 and value < said - slack):
                return f"{symbol.name} = {said:g}, but the instance has {value:g}"
    return None


def _noise_rms(instance: FederatedInstance, m: int, at: np.ndarray) -> float:
    """Return the root mean square of a client's noise at a point."""
    if instance.draws == 0:
        return 0.0
    uniforms = np.stack([streams.uniform(3, np.arange(DRAWS), 0, 0, i) for i in range(instance.draws)], axis=-1)
    noise = np.asarray(instance.noise(np.repeat(at, DRAWS, axis=0), m, uniforms), dtype=float)
    return float((noise**2).sum(axis=1).mean() ** 0.5)


consistent = Assumption("the instance is consistent", self_contradiction)
