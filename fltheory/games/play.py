"""The only loop of a game: simulated, or through every course that it may take."""

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

PLAY_TOLERANCE = 1e-7  # by which plays of the same course may differ
PLAIN_GAMES = 4  # plain games that are held against listed courses


class GameRound(NamedTuple):
    """Round ``t`` of a game: (rows, clients) each; the player's state and what stayed of the last round, before its step.

    After the last round of a world that moves on there is nothing but its memory.
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
    """The rounds of simulated games, one for every repetition, in floats or in balls."""
    c, n = run_constants(case, ring), len(repetitions)
    around = (world or player.world)(case.instance, c)
    state, memory = player.call(player.init, n, c), around.memory(n, ring)
    for t in range(around.n_rounds):
        spend(GAME_ROUND_COST)
        spend_on(n * c.n_clients, ring is not None)
        if not player.of_library:
            spend(USER_STEP_COST)
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
    """The rounds of every game with its probability: (weights, Round), states that are the same merged; NotEnumerable beyond
    ``limit``.

    In balls (``ring`` BALL, a player with exact functions) or in floats (``ring`` None). Nobody is seen yet in a Round.
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
        if done + (last - 1 - t) * len(weights) * listing.size > listing.limit:  # the states seldom become fewer
            raise NotEnumerable(f"more than {limit} courses of the game")
        rows, told, weights = listing.branch(weights, p, every, after)
        goes_on = t + 1 < around.n_rounds
        state = next_player_state(player, select_rows(state, rows), told.seen, told.answer, c, t) if goes_on else ()
        state, memory, weights = merge_states(state, told.memory, weights, ring)
    yield weights, _end(around.n_rounds, memory)


def _end(t: int, memory: np.ndarray) -> GameRound:
    nothing = np.empty((len(memory), 0))
    return GameRound(t, nothing, nothing, nothing, (), memory)


def _plain_plays(player: Player, case: Case, world: type[Environment] | None) -> Iterator[np.ndarray]:
    """What a few plain games play, round by round."""
    return (round_.p for round_ in simulate_rounds(player, case, 0, np.arange(PLAIN_GAMES), world=world))


def require_listed_plays(player: Player, known: np.ndarray, plays: np.ndarray, round_: int) -> None:
    """VariantError unless what plain games play (games, k) is among the courses that were listed in floats (rows, k)."""
    with np.errstate(invalid="ignore"):
        for row in plays:
            if not (np.abs(known - row).max(axis=1) <= PLAY_TOLERANCE * (1 + np.abs(row).max())).any():
                raise VariantError(
                    f"{player.name} plays another game when its courses are listed than in a plain run, from round "
                    f"{round_} on: it must not depend on how many rows there are, how often it was called or who calls it"
                )


def merge_states(
    state: Tree, memory: np.ndarray, chances: np.ndarray, ring: Ring | None
) -> tuple[Tree, np.ndarray, np.ndarray]:
    """Rows of state and memory that may be the same as one, their probabilities added.

    Floats are the same where their bits are. Balls may be the same where they overlap; their row then has a hull of them. What
    follows from a hull encloses what follows from each row, and so any mean of it: the expectation stays enclosed, while rows
    that differ by the rounding of their balls alone, the draws being the same in another order, are followed once.
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
    """The first rows of those that are merged, their probabilities, and the hulls of all their balls."""
    places: dict[tuple[bytes, ...], list[int]] = {}  # of what is kept, by its floats
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
    """What rows that are the same have in common: their bytes, of balls those of the middles in floats."""
    return zip(*map(_bytes, parts), strict=True)


def _bytes(part: np.ndarray) -> list[bytes]:
    """The bytes of every row."""
    plain = np.array(list(map(float, part.flat))) if part.dtype == object else part
    whole, width = plain.tobytes(), plain.nbytes // len(part)
    return [whole[i * width : (i + 1) * width] for i in range(len(part))]


def _balls(parts: list[np.ndarray]) -> list[list[arb]]:
    """The balls of every row, those of all parts one after the other."""
    held = [part.reshape(len(part), -1) for part in parts if part.dtype == object]
    rows: list[list[arb]] = np.concatenate(held, axis=1).tolist() if held else [[] for _ in parts[0]]
    return rows


def _fill(parts: list[np.ndarray], balls: list[list[arb]]) -> None:
    """Puts the balls of every row, as ``_balls`` gives them, into the parts."""
    first = 0
    for part in parts:
        if part.dtype == object:
            width = part[0].size
            part[...] = object_array([v for row in balls for v in row[first : first + width]], part.shape)
            first += width
