"""Exact worst cases of rounds over all smooth convex clients: by step size, by winner, and by the loss in a proof."""

from __future__ import annotations

from collections.abc import Callable

from figures.worst.loss import loss
from figures.worst.rounds import against_step
from figures.worst.winners import who_wins
from fltheory.plotting.picture import Picture

PICTURES: dict[str, Callable[[], Picture]] = {"round": against_step, "winners": who_wins, "loss": loss}
