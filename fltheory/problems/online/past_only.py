"""The assumption that a learner knows no loss before its round."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from fltheory.model.case import Assumption, Case, Client
from fltheory.problems.online.online_losses import OnlineLosses
from fltheory.runs.algorithm import MAX_SIMULATED_ROUNDS, start_state, take_step
from fltheory.runs.constants import run_constants
from fltheory.runs.flat_states import adapt_to_rows
from fltheory.runs.method import AssumptionFailed, NotEnumerable, VariantError
from fltheory.runs.oracle import RandomOracle

OF_ALL_LOSSES = (
    "losses",
    "order",
    "mean_gradient",
    "gap",
    "minimiser",
    "hindsight",
    "total",
)  # what tells of later rounds


class _UntilRound:
    """Online losses of which those after a round can't be asked of."""

    def __init__(self, losses: OnlineLosses, round_: int, refused: list[str]) -> None:
        self._losses, self._round, self._refused = losses, round_, refused

    def __getattr__(self, name: str) -> Any:
        if name in OF_ALL_LOSSES:
            self._refuse(f"{name}, which tells of all losses")
        return getattr(self._losses, name)

    def gradient(self, x: np.ndarray, client: Client) -> np.ndarray:
        """Return a gradient of a loss that is known; AssumptionFailed for a later one."""
        return self._losses.gradient(x, self._known(client))

    def client_value(self, x: np.ndarray, client: Client) -> np.ndarray:
        """Return a loss that is known; AssumptionFailed for a later one."""
        return self._losses.client_value(x, self._known(client))

    def _known(self, client: Client) -> Client:
        latest = int(np.max(client))
        if latest > self._round:
            self._refuse(f"the loss of round {latest}")
        return client

    def _refuse(self, what: str) -> NoReturn:
        self._refused.append(f"in round {self._round} it asks for {what}: expected past losses only")
        raise AssumptionFailed(self._refused[0])


def _is_online(case: Case) -> str | None:
    return None if isinstance(case.instance, OnlineLosses) else "expected OnlineLosses, one loss for every round"


def _looks_ahead(algorithm: Any, case: Case) -> str | None:
    """Run all rounds on losses that don't answer before their round."""
    losses, refused = case.instance, list[str]()
    if losses.n_clients > MAX_SIMULATED_ROUNDS:
        return f"more than {MAX_SIMULATED_ROUNDS} rounds: whether it looks ahead is not known"
    try:
        flat, c = adapt_to_rows(algorithm, case), run_constants(case, None)
        x = start_state(flat, case, 1, None)
        for r in range(int(c.n_rounds)):
            x = take_step(flat, x, RandomOracle(_UntilRound(losses, r, refused), 0, np.zeros(1, int), r), c, r)
    except (VariantError, NotEnumerable):  # refused below, or the run itself is, with its reason
        pass
    return refused[0] if refused else None


past_only = Assumption("points depend on past losses only", _is_online, _looks_ahead)
