"""Checks of a game's declared properties in its first rounds."""

from __future__ import annotations

from typing import Any

import numpy as np

MAX_CHECKED_ROUNDS = 64  # largest number of first rounds to check


def dependence_on_plays(game: Any) -> str | None:
    """Find a round among the first ones in which the answers depend on the plays; return a message, or None."""
    n = game.n_clients
    rising = np.arange(1.0, n + 1)
    plays = (np.full((1, n), 1 / n), rising[None] / rising.sum(), rising[None, ::-1] / rising.sum())
    memories = [game.memory(1) for _ in plays]
    for t in range(min(game.n_rounds, MAX_CHECKED_ROUNDS)):
        found = []
        for i, p in enumerate(plays):
            values, memories[i] = game.reveal(t, p.copy(), memories[i], None)
            found.append(np.broadcast_to(values, p.shape))
        if any(not np.array_equal(found[0], other, equal_nan=True) for other in found[1:]):
            return f"the answers of the clients in round {t} depend on the plays"
    return None


def table_mismatch(game: Any) -> str | None:
    """Find a round among the first ones in which the answers differ from the game's rows; return a message, or None."""
    p = np.full((1, game.n_clients), 1 / game.n_clients)
    memory = game.memory(1)
    for t in range(min(game.n_rounds, MAX_CHECKED_ROUNDS)):
        values, memory = game.reveal(t, p, memory, None)
        if not np.array_equal(np.broadcast_to(values, p.shape)[0], game.table[game.order[t]]):
            return f"the answers of round {t} are not those of the game's own table"
    return None
