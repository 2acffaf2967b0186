"""Assumptions and remarks that several parts of the paper share."""

from __future__ import annotations

from fltheory.claims.statement import requires
from fltheory.model.bound import HIDDEN_CONSTANT
from fltheory.model.case import Assumption, Case
from fltheory.papers.osmd.instances.bounded_gradients import BoundedClients

LATE = "At M = 100, α = 0.4 the bound says something only from T = {} rounds on."  # see ``vacuity_sentence``
BELOW_G = "At M = 100, K = 1, α = 0.4, D^F L = G², no noise, no heterogeneity the bound says something only from T = {} rounds on."

ALPHA_CONSTANT = "the order sign hides alpha, which the text takes as a constant"
EVERY_ALPHA = f"one constant for every alpha: {HIDDEN_CONSTANT}"

SMOOTH_BOUNDED = (
    requires(
        "smooth clients with bounded stochastic gradients",
        lambda one, c: None if isinstance(one, BoundedClients) else "clients without known bounds of their gradients",
    ),
)


def _own(case: Case) -> str | None:
    return f"settings {dict(case.settings)} beside an instance that has them all" if case.settings else None


OWN_CONSTANTS = (Assumption("the constants are the instance's own", _own),)
