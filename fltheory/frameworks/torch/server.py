"""PyTorch's optimisers at the server: the released ``step`` receives the movement x - mean(y_m) as its gradient.

Its memory (momenta, squares) is the algorithm's state. Its own counters (Adam's ``step``) depend on the round alone:
they are reproduced by steps along zeros, and compared with the counters of the run.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fltheory.frameworks.torch.client import (
    CoordinatesMixed,
    OptimiserFactory,
    exact_numbers,
    import_torch,
    is_elementwise,
    require_optimiser,
    step_optimiser,
    tensor,
)
from fltheory.runs.algorithm import ROUND, Algorithm
from fltheory.runs.constants import Constants, participants_per_round
from fltheory.runs.method import VariantError
from fltheory.runs.oracle import Oracle

Training = Callable[[np.ndarray, Oracle, Any], np.ndarray]  # a round from points (rows, dim) to the clients' mean
State = dict[str, np.ndarray]
POINTS_KEY = "x"


def mean_after_local_steps(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    """Return the mean of the participating clients, each after ``c.n_local_steps`` gradient steps of its own."""
    size, total = participants_per_round(oracle.instance, c), x * 0
    for client in oracle.order(size).T:
        y = x
        for k in range(c.n_local_steps):
            y = y - c.step_size * oracle.gradient(y, client, k)
        total = total + y
    return total / size


def server_algorithm(training: Training, make: OptimiserFactory, name: str = "") -> Algorithm:
    """Return the clients' rounds of ``training`` with the server optimiser from ``make(params, c)``."""
    server = Server(training, make, name or "a torch optimiser at the server")
    return Algorithm(server.name, server, init=server.first, ordered=False, kind=ROUND)


@dataclass(frozen=True, eq=False)
class Server:
    """One round, from the points and the optimiser's memory."""

    training: Training
    make: OptimiserFactory
    name: str
    _rehearsals: dict[str, _Rehearsal] = field(default_factory=dict, repr=False)

    @property
    def __wrapped__(self) -> OptimiserFactory:
        """Return the wrapped code, see ``ownership.unwrap_function``."""
        return self.make

    def first(self, start: np.ndarray, c: Constants) -> State:
        """Return the points, and zeros for the optimiser's memory."""
        return {POINTS_KEY: start, **dict.fromkeys(self._rehearsal(start.shape[1], c).parts, start * 0)}

    def __call__(self, state: State, oracle: Oracle, c: Constants) -> State:
        """Return the state after the round."""
        x = state[POINTS_KEY]
        moved = x - self.training(x, oracle, c)
        try:
            return self._stepped(state, moved, c, len(x) == 1)
        except CoordinatesMixed:
            alone = [{key: part[i : i + 1] for key, part in state.items()} for i in range(len(x))]
            rows = [self._stepped(row, moved[i : i + 1], c, True) for i, row in enumerate(alone)]
            return {key: np.concatenate([row[key] for row in rows]) for key in state}

    def _stepped(self, state: State, moved: np.ndarray, c: Constants, known: bool) -> State:
        torch_, x, round_ = import_torch(), state[POINTS_KEY], int(c.round)
        rehearsal = self._rehearsal(x.shape[1], c)
        parameter = tensor(x, torch_)
        optimiser = require_optimiser(self.make([parameter], c), self.name, torch_)
        if round_:
            kept = {key: tensor(part, torch_) for key, part in state.items() if key != POINTS_KEY}
            optimiser.state[parameter] = {**rehearsal.counted(round_), **kept}
        known = known or is_elementwise(optimiser, torch_)
        found = {POINTS_KEY: step_optimiser(optimiser, parameter, x, moved, torch_, known).copy()}
        counted = {key: value for key, value in optimiser.state[parameter].items() if key not in state}
        for key in state.keys() - {POINTS_KEY}:
            found[key] = _values(optimiser.state[parameter][key], x, torch_)
        if _plain_values(counted) != _plain_values(rehearsal.counted(round_ + 1)):
            raise VariantError(
                f"{self.name} remembers {', '.join(counted)}, not of each parameter nor of the round alone"
            )
        return found

    def _rehearsal(self, dim: int, c: Constants) -> _Rehearsal:
        """Return steps along zeros, cached while the settings stay the same."""
        parts = import_torch()
        parameter = parts.module.zeros(1, dim, dtype=parts.module.float64)
        optimiser = require_optimiser(self.make([parameter], c), self.name, parts)
        key = f"{dim} {_other_state(optimiser)}"
        if key not in self._rehearsals:
            self._rehearsals[key] = _Rehearsal(self.name, optimiser, parameter)
        return self._rehearsals[key]


class _Rehearsal:
    """An optimiser's steps along zeros, which show the tensors that it keeps for a parameter, and its counters."""

    def __init__(self, name: str, optimiser: Any, parameter: Any) -> None:
        self._name, self._optimiser, self._parameter = name, optimiser, parameter
        self._settings, self._counted = _other_state(optimiser), [dict[str, Any]()]
        self.parts = tuple(k for k, v in self._step().items() if self._is_part(v))
        self._keep()

    def counted(self, rounds: int) -> dict[str, Any]:
        """Return a copy of its state after this many rounds, without tensors of the parameter's shape."""
        while len(self._counted) <= rounds:
            self._step()
            self._keep()
        return deepcopy(self._counted[rounds])

    def _is_part(self, value: Any) -> bool:
        return isinstance(value, import_torch().module.Tensor) and value.shape == self._parameter.shape

    def _step(self) -> dict[str, Any]:
        zeros = np.zeros(tuple(self._parameter.shape))
        step_optimiser(self._optimiser, self._parameter, zeros, zeros, import_torch(), known=True)
        if _other_state(self._optimiser) != self._settings:
            raise VariantError(f"{self._name} has memory outside the state of its parameter, which is not supported")
        return dict(self._optimiser.state[self._parameter])

    def _keep(self) -> None:
        memory = self._optimiser.state[self._parameter]
        self._counted.append(deepcopy({key: value for key, value in memory.items() if key not in self.parts}))


def _other_state(optimiser: Any) -> str:
    """Return an optimiser's state other than its parameter and what it keeps for that."""
    groups = [{k: v for k, v in group.items() if k != "params"} for group in optimiser.param_groups]
    known = {"state", "param_groups", "defaults"}
    return repr((groups, {k: v for k, v in vars(optimiser).items() if k not in known and not k.startswith("_")}))


def _plain_values(memory: dict[str, Any]) -> dict[str, Any]:
    tensors = import_torch().module.Tensor
    return {key: value.tolist() if isinstance(value, tensors) else value for key, value in memory.items()}


def _values(value: Any, x: np.ndarray, parts: Any) -> np.ndarray:
    """Return the numbers of a stored tensor, of the kind of x."""
    if x.dtype != object:
        return np.array(value.detach().numpy())
    found = np.empty(x.shape, dtype=object)
    found[...] = exact_numbers(value, parts.module)
    return found
