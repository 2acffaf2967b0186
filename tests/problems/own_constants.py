"""What every family of clients must keep: its constants bound what they name."""

from __future__ import annotations

from fltheory.model.case import Assumption, Case, FederatedInstance
from fltheory.runs import assumptions

OF_ALL = (
    assumptions.minimiser_exists,
    assumptions.smooth,
    assumptions.bounded_noise,
    assumptions.heterogeneity_at_optimum,
)


def require_own_constants(instance: FederatedInstance, *more: Assumption) -> None:
    """The minimiser, smoothness, noise and heterogeneity that clients state are theirs, and ``more``."""
    case = Case(instance, n_rounds=1, n_local_steps=1, step_size=1)
    for assumption in (*OF_ALL, *more):
        assert assumption.check(case) is None, assumption.name
