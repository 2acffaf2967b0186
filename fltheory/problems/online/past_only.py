"""The assumption that a learner knows no loss before its round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from fltheory.model.case import Assumption, Case
from fltheory.problems.online.online_losses import OnlineLosses
from fltheory.runs.algorithm import rollout
from fltheory.runs.flat_states import adapt_to_rows
from fltheory.runs.method import NotEnumerable, VariantError

MAX_ROUNDS = 400  # largest number of rounds of a run that is compared


def _is_online(case: Case) -> str | None:
    return None if isinstance(case.instance, OnlineLosses) else "expected OnlineLosses, one loss for every round"


def _looks_ahead(algorithm: Any, case: Case) -> str | None:
    """Change the order of the losses after a round, and see whether an earlier point moves. All constants stay."""
    losses = case.instance
    if losses.n_clients > MAX_ROUNDS:
        return None
    try:
        flat = adapt_to_rows(algorithm, case)
        points = rollout(flat, case, 1)[0, :, : losses.dim]
        for r in sorted({0, losses.n_clients // 2, losses.n_clients - 2}):
            for other in _reordered(losses, r):
                moved = rollout(flat, Case(other, **dict(case.settings)), 1)[0, : r + 2, : losses.dim]
                if not np.array_equal(moved, points[: r + 2]):
                    return (
                        f"a point up to round {r + 1} depends on the losses after round {r}: expected past losses only"
                    )
    except (VariantError, NotEnumerable):  # the run itself is refused, with its reason
        return None
    return None


def _reordered(losses: Any, r: int) -> Iterator[Any]:
    """Yield the same losses in another order after round r, if there is one."""
    order = losses.order.tolist()
    known, later = order[: r + 1], order[r + 1 :]
    other = next((i for i, j in enumerate(later) if j != later[0]), None)
    if other is not None:  # another loss comes next, and all that come are reversed
        for after in ([later[other], *later[:other], *later[other + 1 :]], later[::-1]):
            yield _in_order(losses, [*known, *after])


def _in_order(losses: OnlineLosses, order: Sequence[int]) -> Any:
    return OnlineLosses([losses.losses[j] for j in order], losses.domain, losses.start)


past_only = Assumption("points depend on past losses only", _is_online, _looks_ahead)
