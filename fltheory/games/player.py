"""What plays a distribution over the clients every round: the protocol of samplers and of online learners."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np

from fltheory.number import Ring
from fltheory.number.signals import of_library
from fltheory.runs.algorithm import NotEnumerable, Unmet, VariantError, object_array

SAME = 1e-7  # by which plays of the same course may differ
PLAIN = 4  # plain games that are held against listed courses
ROUNDING = 1e-9  # relative: by which answers in floats may leave their range


def uniform_start(n: int, c: Any) -> np.ndarray:
    """The uniform distribution for every seed, shape (seeds, clients)."""
    return np.full((n, c.n_clients), 1.0 / c.n_clients)


def as_it_is(state: Any, c: Any) -> Any:
    """The state is the distribution."""
    return state


class Blurred(NotEnumerable):
    """A state is no longer finite in balls: more precision may help."""


class _Fields(NamedTuple):
    name: str
    step: Callable[[Any, np.ndarray, np.ndarray, Any], Any]
    init: Callable[[int, Any], Any] = uniform_start
    play: Callable[[Any, Any], np.ndarray] = as_it_is
    exact: Any = None
    kernel: Callable[..., np.ndarray | None] | None = None


class Player(_Fields):
    """``step(state, seen, feedback, c) -> state``: what to play next, from what was seen in this round.

    In the simplest case the state is the distribution itself, (seeds, clients), and a player is one function. Else
    ``init(n_seeds, c)`` makes the first state, an array or a named tuple of arrays that lead with the seeds, and
    ``play(state, c)`` the distribution. ``exact``: a twin on object arrays of balls, for exact evidence; ``kernel``: a
    compiled twin of a whole game. Both describe *this* step and are dropped when it is replaced.
    """

    kind = "player"
    may_leave_out = False  # whether a client may be played with probability 0

    @property
    def own(self) -> bool:
        """Whether it is the library's: known to keep to what is known of its plays."""
        return self.exact is not None or self.kernel is not None

    def believed(self) -> Self:
        """The same without the twins, where its functions are not the library's."""
        if of_library((self.step, self.init, self.play)):
            return self
        return type(self)(**{**self._asdict(), "exact": None, "kernel": None})

    def _replace(self, **changes: Any) -> Self:
        """A variant with some fields changed; a new step, start or play drops the twins."""
        if {"step", "init", "play"} & set(changes):
            changes = {"exact": None, "kernel": None, "name": "variant", **changes}
        if "step" in changes and "init" not in changes and "play" not in changes:
            changes = {"init": uniform_start, "play": as_it_is, **changes}
        return type(self)(**{**self._asdict(), **changes})


def checked_play(player: Player, state: Any, c: Any, n: int, round_: int, ring: Ring | None = None) -> np.ndarray:
    """The distribution that is played; VariantError where it is none."""
    try:
        p = player.play(state, c)
    except VariantError:
        raise
    except Exception as error:
        raise VariantError(f"{player.name}: {error} (in round {round_})") from error
    if not isinstance(p, np.ndarray) or p.shape != (n, c.n_clients):
        shape = getattr(p, "shape", type(p).__name__)
        raise VariantError(f"{player.name} plays {shape} in round {round_}, expected shape {(n, c.n_clients)}")
    if ring is None and p.dtype.kind != "f":
        raise VariantError(f"{player.name} plays {p.dtype} numbers in round {round_}, expected floats")
    if ring is None and not (
        (p >= 0 if player.may_leave_out else p > 0).all() and np.allclose(p.sum(axis=1), 1, rtol=0, atol=1e-9)
    ):
        kind = "distribution" if player.may_leave_out else "positive distribution"
        raise VariantError(f"{player.name} plays no {kind} in round {round_}")
    if ring is not None and any(bool(v < 0) for v in p.flat):
        raise VariantError(f"{player.name} plays a negative probability in round {round_}")
    if ring is not None and any(bool(v != 1) for v in p.sum(axis=1)):
        raise VariantError(f"{player.name} plays probabilities whose sum is not 1 in round {round_}")
    if ring is None and player.may_leave_out and not player.own:  # what a user's play lacks to 1 would count as regret
        p = p.astype(np.float64)
        p = p / p.sum(axis=1, keepdims=True)
    return p


def checked_answers(what: str, values: Any, low: Any, high: Any, round_: int) -> None:
    """Unmet for answers of the clients (rows, clients) outside [low, high], in floats beyond rounding.

    Of balls those count that are outside for sure; a limit that the case doesn't give is None.
    """
    values = np.asarray(values)
    if values.dtype == object:
        outside = np.array(
            [(low is not None and bool(v < low)) or (high is not None and bool(v > high)) for v in values.flat]
        )
        outside = outside.reshape(values.shape)
    else:
        slack = ROUNDING * max((abs(v) for v in (low, high) if v is not None), default=0.0)
        outside = np.isnan(values)
        outside = outside if low is None else outside | (values < low - slack)
        outside = outside if high is None else outside | (values > high + slack)
    if outside.any():
        row, client = np.argwhere(outside)[0]
        limits = " to ".join("infinity" if v is None else str(v) for v in (low, high))
        raise Unmet(f"round {round_}, client {client}: the {what} {values[row, client]} is not in the range {limits}")


def checked_step(player: Player, state: Any, counts: np.ndarray, feedback: np.ndarray, c: Any, round_: int) -> Any:
    """The player's next state, feedback of clients that were not seen hidden. A user's step works on copies."""
    if not player.own:
        state, counts = _copied(state), counts.copy()
    try:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            new = player.step(state, counts, np.where(counts > 0, feedback, 0), c)
    except (VariantError, NotEnumerable):
        raise
    except Exception as error:
        raise VariantError(f"{player.name}: {error} (in round {round_})") from error
    if new is None:
        raise VariantError(f"{player.name} returned None in round {round_}, expected the next state")
    return new


def require_among(player: Player, known: np.ndarray, played: np.ndarray, round_: int) -> None:
    """VariantError unless what plain games play (games, k) is among the courses that were listed in floats (rows, k)."""
    with np.errstate(invalid="ignore"):
        for row in played:
            if not (np.abs(known - row).max(axis=1) <= SAME * (1 + np.abs(row).max())).any():
                raise VariantError(
                    f"{player.name} plays another game when its courses are listed than in a plain run, from round "
                    f"{round_} on: it must not depend on how many rows there are, how often it was called or who calls it"
                )


def _copied(state: Any) -> Any:
    """A state whose arrays may be written to."""
    if isinstance(state, tuple):
        parts = [_copied(part) for part in state]
        return type(state)(*parts) if hasattr(state, "_fields") else tuple(parts)
    return state.copy() if isinstance(state, np.ndarray) else state


def taken(state: Any, rows: np.ndarray) -> Any:
    """These rows of a state, an array or a named tuple of arrays."""
    return type(state)(*(part[rows] for part in state)) if isinstance(state, tuple) else state[rows]


def _key(parts: list[np.ndarray], i: int) -> tuple[Any, ...]:
    return tuple(
        tuple((v.mid().man_exp(), v.rad().man_exp()) for v in part[i].flat)
        if part.dtype == object
        else part[i].tobytes()
        for part in parts
    )


def merged(
    state: Any, memory: np.ndarray, chances: np.ndarray, ring: Ring | None
) -> tuple[Any, np.ndarray, np.ndarray]:
    """Identical rows of state and memory as one, their probabilities added."""
    parts = [*(state if isinstance(state, tuple) else (state,)), memory]
    if ring is None and any(part.dtype == object for part in parts):
        raise VariantError("the player's state holds objects, expected floats")
    if any(part.dtype == object and not all(v.is_finite() for v in part.flat) for part in parts):
        raise Blurred("the balls of the enumeration are too wide")
    first: dict[Any, int] = {}
    totals: list[Any] = []
    keep: list[int] = []
    for i in range(len(chances)):
        place = first.setdefault(_key(parts, i), len(keep))
        if place == len(keep):
            keep.append(i)
            totals.append(chances[i])
        else:
            totals[place] = totals[place] + chances[i]
    rows = np.array(keep)
    weights = np.array(totals) if ring is None else object_array(totals, (len(totals),))
    return taken(state, rows), memory[rows], weights
