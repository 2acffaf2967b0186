"""``nn.Module``s with data as clients: F_m is the mean loss on the m-th data set, with autograd's gradients in doubles.

Nothing here is exact, and most constants of a network are unknown: those not given are estimated upwards, see
``Estimate``, and every verdict says so. A violation on estimated constants may be due to the estimate and is left open.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sympy import Symbol

from fltheory import symbols
from fltheory.frameworks.torch.client import import_torch
from fltheory.frameworks.torch.estimates import ESTIMATORS, Estimate
from fltheory.model.case import Client
from fltheory.model.errors import UserError
from fltheory.number import Number, exact
from fltheory.problems.additive_noise import ROUNDING
from fltheory.runs.method import NotEnumerable


def clients(
    module: Any,
    loss: Callable[[Any, Any], Any],
    data: Sequence[tuple[Any, Any]],
    *,
    batch_size: int | None = None,
    lowest: object = 0,
    estimate: Estimate | None = None,
    name: str = "clients",
    **given: object,
) -> ModuleClients:
    """Return the clients of a module; ``loss(module(inputs), targets)`` is a mean, ``data`` has (inputs, targets).

    ``lowest``: a lower bound of F (0 for squares and entropies). ``given``: an upper limit on smoothness, noise_std (of
    a minibatch's gradient) or heterogeneity (root mean square over clients), if known. A module runs in evaluation mode
    (no dropout, no batch statistics), from its present parameters. UserError if it is not supported.
    """
    parts = import_torch()
    unknown = given.keys() - ESTIMATORS.keys()
    if unknown:
        raise UserError(f"{', '.join(sorted(unknown))}: expected {', '.join(ESTIMATORS)}")
    if not isinstance(module, parts.module.nn.Module):
        raise UserError(f"a {type(module).__name__} is no torch.nn.Module")
    if batch_size is not None and (isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size < 1):
        raise UserError(f"batch_size = {batch_size!r}: expected an integer from 1, or None for all samples")
    read = tuple((_double_tensor(x, parts), _double_tensor(y, parts)) for x, y in data)
    if not read or any(len(x) != len(y) or not len(x) for x, y in read):
        raise UserError("data: expected (inputs, targets) for every client, as many targets as inputs, at least one")
    limits = {key: exact(value) for key, value in given.items()}
    if any(not value >= 0 for value in limits.values()):
        raise UserError(f"{', '.join(limits)}: expected numbers that are not negative")
    own = copy.deepcopy(module).double().eval()
    found = ModuleClients(own, loss, read, batch_size, exact(lowest), limits, estimate or Estimate(), name)
    _require_a_loss(found)
    return found


def _double_tensor(values: Any, parts: Any) -> Any:
    """Return a tensor; floats in double precision."""
    found = parts.module.as_tensor(values)
    return found.double() if found.is_floating_point() else found


def _require_a_loss(found: ModuleClients) -> None:
    """Raise UserError unless the loss is one number, and not below its stated lower bound."""
    try:
        value = float(found.client_value(found.origin[None], 0)[0])
    except (RuntimeError, ValueError, TypeError, IndexError) as error:
        said = " ".join(str(error).split())
        raise UserError(f"loss(module(inputs), targets): {type(error).__name__}: {said}") from None
    if not np.isfinite(value) or found.value(found.origin[None])[0] < float(found.lowest):
        raise UserError(
            f"the loss is {value:g} at the start, expected a finite number, of mean at least lowest = {found.lowest}"
        )


@dataclass(frozen=True, eq=False, repr=False)
class ModuleClients:
    """See ``clients``; points are the module's parameters in order, (runs, dim)."""

    module: Any
    loss: Callable[[Any, Any], Any]
    data: tuple[tuple[Any, Any], ...]
    batch_size: int | None
    lowest: Number
    given: Mapping[str, Number]
    estimate: Estimate
    name: str

    def __repr__(self) -> str:
        return self.name

    @property
    def n_clients(self) -> int:
        return len(self.data)

    @property
    def dim(self) -> int:
        return len(self.origin)

    @cached_property
    def origin(self) -> np.ndarray:
        """Return the module's parameters, (dim,)."""
        flat = [p.detach().reshape(-1) for p in self.module.parameters()]
        found: np.ndarray = import_torch().module.cat(flat).numpy()
        return found

    @property
    def start(self) -> tuple[Number, ...]:
        return tuple(exact(float(v)) for v in self.origin)

    @property
    def draws(self) -> int:
        return self.batch_size or 0

    @property
    def supposes(self) -> str:
        """Return the assumptions of verdicts beyond the claim's own conditions."""
        known = [f"{key} = {float(value):.4g} as given" for key, value in self.given.items()]
        guessed = [f"{key} = {float(self._limits[key]):.4g}" for key in ESTIMATORS if key not in self.given]
        return "supposes " + "; ".join([*known, *([f"{', '.join(guessed)}, {self.estimate}"] if guessed else [])])

    @property
    def reach(self) -> float:
        """Return the distance from the start within which its constants are meant to hold."""
        return self.estimate.radius

    @property
    def estimated(self) -> bool:
        """Return whether some constant is an estimate."""
        return any(key not in self.given for key in ESTIMATORS)

    # -- objective ---------------------------------------------------------------------------------------------------

    def _loss_of(self, flat: Any, inputs: Any, targets: Any) -> Any:
        """Return the mean loss on samples at parameters (dim,)."""
        tree, first = {}, 0
        for key, p in self.module.named_parameters():
            tree[key] = flat[first : first + p.numel()].reshape(p.shape)
            first += p.numel()
        call = import_torch().module.func.functional_call
        return self.loss(call(self.module, tree, (inputs,)), targets)

    def _each(self, of: Callable[..., Any], x: np.ndarray, client: Client, shape: tuple[int, ...]) -> np.ndarray:
        """Return ``of(parameters, inputs, targets)`` for every row and its client's data, (runs, *shape)."""
        if x.dtype == object:
            raise NotEnumerable("a torch module supports only floats")
        rows, found = np.broadcast_to(np.asarray(client), (len(x),)), np.empty((len(x), *shape))
        points = import_torch().module.from_numpy(np.ascontiguousarray(x))
        for m in np.unique(rows):
            mine = np.flatnonzero(rows == m)
            inputs, targets = self.data[m]
            each = import_torch().module.func.vmap(of, in_dims=(0, None, None))
            found[mine] = each(points[mine], inputs, targets).detach().numpy()
        return found

    @cached_property
    def slope(self) -> Callable[..., Any]:
        """Return ``slope(parameters, inputs, targets)``: the gradient of the mean loss on samples."""
        found: Callable[..., Any] = import_torch().module.func.grad(self._loss_of)
        return found

    def gradient(self, x: np.ndarray, client: Client) -> np.ndarray:
        """Return the gradient of F_m, (runs, dim)."""
        return self._each(self.slope, x, client, (self.dim,))

    def client_value(self, x: np.ndarray, client: Client) -> np.ndarray:
        """Return F_m, (runs,)."""
        return self._each(self._loss_of, x, client, ())

    def mean_gradient(self, x: np.ndarray) -> np.ndarray:
        return np.mean([self.gradient(x, m) for m in range(self.n_clients)], axis=0)

    def value(self, x: np.ndarray) -> np.ndarray:
        """Return F, (runs,)."""
        return np.mean([self.client_value(x, m) for m in range(self.n_clients)], axis=0)

    def noise(self, x: np.ndarray, client: Client, uniforms: np.ndarray) -> np.ndarray:
        """Return a minibatch's gradient, sampled uniformly with replacement, minus the full one."""
        rows, found = np.broadcast_to(np.asarray(client), (len(x),)), np.zeros(x.shape)
        if self.batch_size is None:
            return found
        points = import_torch().module.from_numpy(np.ascontiguousarray(x))
        for m in np.unique(rows):
            mine = np.flatnonzero(rows == m)
            inputs, targets = self.data[m]
            picked = np.minimum((uniforms[mine] * len(inputs)).astype(np.int64), len(inputs) - 1)
            chosen = import_torch().module.from_numpy(picked)
            found[mine] = (
                import_torch().module.func.vmap(self.slope)(points[mine], inputs[chosen], targets[chosen]).numpy()
            )
        return found - self.gradient(x, client)

    # -- constants ---------------------------------------------------------------------------------------------------

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        """Return the constants for theorems on gradients: upper limits, with ``lowest`` in place of F*."""
        gap = float(self.value(self.origin[None])[0]) * ROUNDING - float(self.lowest)
        return {
            symbols.n_clients: self.n_clients,
            symbols.dimension: self.dim,
            symbols.smoothness: self._limits["smoothness"],
            symbols.initial_gap: exact(gap),
            symbols.initial_gradient: exact(float(np.linalg.norm(self.mean_gradient(self.origin[None]))) * ROUNDING),
            symbols.noise_std: self._limits["noise_std"],
            symbols.heterogeneity: self._limits["heterogeneity"],
            symbols.heterogeneity_slope: 0,
        }

    @cached_property
    def _limits(self) -> Mapping[str, Number]:
        """Return the upper limits, given or else estimated."""
        return {
            key: self.given[key] if key in self.given else exact(self.estimate.of(largest, self.slope, self))
            for key, largest in ESTIMATORS.items()
        }
