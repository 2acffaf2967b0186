"""Figures of "Adaptive Federated Learning with Auto-Tuned Clients": bounds and runs of Delta-SGD."""

from __future__ import annotations

from collections.abc import Callable

from figures.delta_sgd_convex import PICTURES as CONVEX
from figures.delta_sgd_rates import PICTURES as RATES
from figures.delta_sgd_rule import PICTURES as RULE
from fltheory.picture import Picture

PICTURES: dict[str, Callable[[], Picture]] = {**CONVEX, **RULE, **RATES}
