"""Exact worst cases of rounds over all smooth convex clients: by step size, between bounds, and by the loss in a proof."""

from __future__ import annotations

from collections.abc import Callable

from figures.worst.loss import loss
from figures.worst.rounds import against_step, between
from fltheory.plotting.picture import Picture

PICTURES: dict[str, Callable[[], Picture]] = {"round": against_step, "between": between, "loss": loss}
