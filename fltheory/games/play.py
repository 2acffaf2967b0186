"""The loop over the rounds of a game: simulation, or enumeration of all paths."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np
from flint import arb

from fltheory.games.environment import Environment
from fltheory.games.player import ImpreciseState, Player, next_player_state, valid_play
from fltheory.model.case import Case
from fltheory.number import BALL, Ring
from fltheory.runs.algorithm import object_array
from fltheory.runs.constants import run_constants
from fltheory.runs.method import NotEnumerable, VariantError
from fltheory.runs.states import Tree, leaves, select_rows
from fltheory.work import GAME_ROUND_COST, USER_STEP_COST, spend, spend_on

PLAY_TOLERANCE = 1e-7  # tolerance for plays on the same path
PLAIN_GAMES = 4  # plain games that are compared with the enumerated paths


class GameRound(NamedTuple):
    """Round ``t`` of a game: plays, answers and observations, (rows, clients); state and memory before the step.

    If the environment has a memory, a last item holds only this memory.
    """

    t: int
    p: np.ndarray
    answer: np.ndarray
    seen: np.ndarray
    state: Tree
    memory: np.ndarray


def simulate_rounds(
    player: Player,
    case: Case,
    seed: int,
    repetitions: np.ndarray,
    ring: Ring | None = None,
    world: type[Environment] | None = None,
) -> Iterator[GameRound]:
    """Yield the rounds of simulated games, one for every repetition, in floats or balls."""
    c, n = run_constants(case, ring), len(repetitions)
    around = (world or player.world)(case.instance, c)
    state, memory = player.call(player.init, n, c), around.memory(n, ring)
    round_cost = GAME_ROUND_COST + (0.0 if player.of_library else USER_STEP_COST)
    for t in range(around.n_rounds):
        spend(round_cost)
        spend_on(n * c.n_clients, ring is not None)
        p = valid_play(player, state, c, n, t, ring)
        every, after = around.reveal(t, p, memory, ring)
        told = around.drawn(t, p, every, after, seed, repetitions)
        yield GameRound(t, p, every, told.seen, state, memory)
        memory = told.memory
        if t + 1 < around.n_rounds:
            state = next_player_state(player, state, told.seen, told.answer, c, t)
    if around.moves:
        yield _end(around.n_rounds, memory)


def enumerate_rounds(
    player: Player, case: Case, ring: Ring | None, limit: int, world: type[Environment] | None = None
) -> Iterator[tuple[np.ndarray, GameRound]]:
    """Enumerate the rounds of all games with equal states merged; NotEnumerable beyond ``limit``.

    It yields (probabilities, GameRound), before the clients of the round are observed. Numbers are balls (``ring``
    BALL, for a player with exact functions) or floats (``ring`` None).
    """
    if ring not in (None, BALL):
        raise NotEnumerable(f"a {player.kind} runs on balls or on floats")
    c = run_constants(case, ring)
    around = (world or player.world)(case.instance, c)
    weights = np.array([1.0]) if ring is None else object_array([ring.scalar(1)], (1,))
    state, memory = player.call(player.init, 1, c), around.memory(1, ring)
    last, done = around.n_rounds - (not around.moves), 0
    if last > 0:
        listing = around.listing(ring, limit)
    plain = _plain_plays(player, case, world) if ring is None and not player.of_library else None
    for t in range(around.n_rounds):
        spend(GAME_ROUND_COST)
        spend_on(len(weights) * c.n_clients * (listing.size if t < last else 1), ring is not None)
        p = valid_play(player, state, c, len(weights), t, ring)
        if plain is not None:
            require_listed_plays(player, p, next(plain), t)
        every, after = around.reveal(t, p, memory, ring)
        yield weights, GameRound(t, p, every, np.zeros(p.shape, dtype=np.int64), state, memory)
        if t == last:
            return
        done += len(weights) * listing.size
        if done + (last - 1 - t) * len(weights) * listing.size > listing.limit:  # the number of states seldom decreases
            raise NotEnumerable(f"more than {limit} paths of the game")
        rows, told, weights = listing.branch(weights, p, every, after)
        goes_on = t + 1 < around.n_rounds
        state = next_player_state(player, select_rows(state, rows), told.seen, told.answer, c, t) if goes_on else ()
        state, memory, weights = merge_states(state, told.memory, weights, ring)
    yield weights, _end(around.n_rounds, memory)


def _end(t: int, memory: np.ndarray) -> GameRound:
    nothing = np.empty((len(memory), 0))
    return GameRound(t, nothing, nothing, nothing, (), memory)


def _plain_plays(player: Player, case: Case, world: type[Environment] | None) -> Iterator[np.ndarray]:
    """Return the plays of a few plain games, round by round."""
    return (round_.p for round_ in simulate_rounds(player, case, 0, np.arange(PLAIN_GAMES), world=world))


def require_listed_plays(player: Player, known: np.ndarray, plays: np.ndarray, round_: int) -> None:
    """Raise VariantError unless plays of plain games (games, k) are among the enumerated ones in floats (rows, k)."""
    with np.errstate(invalid="ignore"):
        for row in plays:
            if not (np.abs(known - row).max(axis=1) <= PLAY_TOLERANCE * (1 + np.abs(row).max())).any():
                raise VariantError(
                    f"{player.name} plays differently in an enumeration than in a plain run, from round "
                    f"{round_} on: it must not depend on the number of rows, on the number of calls or on the caller"
                )


def merge_states(
    state: Tree, memory: np.ndarray, chances: np.ndarray, ring: Ring | None
) -> tuple[Tree, np.ndarray, np.ndarray]:
    """Merge rows of state and memory that may be equal, and add their probabilities.

    Floats are equal if their bits are. Balls may be equal if they overlap; the merged row then has their hulls. The
    later rounds of a hull enclose those of each row, hence every mean of them, so the expectation stays enclosed. Rows
    that differ only in rounding, because the same draws came in another order, are then evaluated once.
    """
    parts = list(chain(leaves(state), [memory]))
    if ring is None and any(part.dtype == object for part in parts):
        raise VariantError("the player's state holds objects, expected floats")
    if any(part.dtype == object and not all(v.is_finite() for v in part.flat) for part in parts):
        raise ImpreciseState("the balls of the enumeration are too wide")
    if ring is None:
        found: dict[tuple[bytes, ...], int] = {}
        places = [found.setdefault(key, len(found)) for key in _keys(parts)]
        rows = np.unique(places, return_index=True)[1]
        return select_rows(state, rows), memory[rows], np.bincount(places, chances)
    rows, weights, hulls = _merge_ball_rows(parts, chances)
    state, memory = select_rows(state, rows), memory[rows]
    _fill([*leaves(state), memory], hulls)
    return state, memory, weights


def _merge_ball_rows(parts: list[np.ndarray], chances: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[list[arb]]]:
    """Return the first row of each merged group, the probability of the group, and the hulls of its balls."""
    places: dict[tuple[bytes, ...], list[int]] = {}  # kept rows by their floats
    keep: list[int] = []
    totals: list[arb] = []
    hulls: list[list[arb]] = []
    for i, (key, balls) in enumerate(zip(_keys(parts), _balls(parts), strict=True)):
        near = places.setdefault(key, [])
        place = next((k for k in near if all(map(arb.overlaps, hulls[k], balls))), None)
        if place is None:
            near.append(len(keep))
            keep.append(i)
            totals.append(chances[i])
            hulls.append(balls)
        else:
            totals[place] = totals[place] + chances[i]
            hulls[place] = [v if v.contains(w) else v.union(w) for v, w in zip(hulls[place], balls, strict=True)]
    return np.array(keep), object_array(totals, (len(totals),)), hulls


def _keys(parts: list[np.ndarray]) -> Iterator[tuple[bytes, ...]]:
    """Return a key that is equal for equal rows: their bytes, for balls those of the midpoints in floats."""
    return zip(*map(_bytes, parts), strict=True)


def _bytes(part: np.ndarray) -> list[bytes]:
    """Return the bytes of every row."""
    plain = np.array(list(map(float, part.flat))) if part.dtype == object else part
    whole, width = plain.tobytes(), plain.nbytes // len(part)
    return [whole[i * width : (i + 1) * width] for i in range(len(part))]


def _balls(parts: list[np.ndarray]) -> list[list[arb]]:
    """Return the balls of every row, all parts in sequence."""
    held = [part.reshape(len(part), part[0].size) for part in parts if part.dtype == object]
    rows: list[list[arb]] = np.concatenate(held, axis=1).tolist() if held else [[] for _ in parts[0]]
    return rows


def _fill(parts: list[np.ndarray], balls: list[list[arb]]) -> None:
    """Put the balls of every row, in the order of ``_balls``, into the parts."""
    first = 0
    for part in parts:
        if part.dtype == object:
            width = part[0].size
            part[...] = object_array([v for row in balls for v in row[first : first + width]], part.shape)
            first += width
