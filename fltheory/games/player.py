"""Players that choose a distribution over the clients in every round: samplers and online learners."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from fltheory.games.environment import Environment, SamplingWithReplacement, SubsetParticipation
from fltheory.number import Ring
from fltheory.runs.constants import Constants
from fltheory.runs.method import Method, NotEnumerable, VariantError, describes_functions, shape_of
from fltheory.runs.states import Tree, copy_state, leaves

SUM_TOLERANCE = 1e-9  # tolerance for the sum 1 of probabilities in floats


def uniform_start(n: int, c: Constants) -> np.ndarray:
    """Return the uniform distribution for every seed, shape (seeds, clients)."""
    return np.full((n, c.n_clients), 1.0 / c.n_clients)


def state_as_play(state: Tree, c: Constants) -> Tree:
    """Return the state itself as the distribution."""
    return state


class ImpreciseState(NotEnumerable):
    """A state is no longer finite in balls; more precision may help."""


@dataclass(frozen=True)
class Player(Method):
    """A player whose ``step(state, seen, answer, c) -> state`` updates its state from the observations of a round.

    In the simplest case the state is the distribution itself, (seeds, clients), and a player is one function. Otherwise
    ``init(n_seeds, c)`` makes the first state, a tree of arrays whose first axis is the seeds
    (``fltheory.runs.states``), and ``play(state, c)`` the distribution. ``exact`` is a version on object arrays of
    balls, for exact evidence, ``kernel`` a compiled version of a whole game, and ``least`` a proved lower bound on the
    expected regret in a case, or None. They describe *this* step and are dropped when it is replaced.
    """

    init: Callable[[int, Any], Tree] = field(default=uniform_start, metadata=describes_functions("step", believed=True))
    play: Callable[[Tree, Any], np.ndarray] = field(
        default=state_as_play, metadata=describes_functions("step", believed=True)
    )
    exact: Self | None = field(default=None, metadata=describes_functions("step", "init", "play"))
    kernel: Callable[..., Any] | None = field(default=None, metadata=describes_functions("step", "init", "play"))
    least: Callable[..., Any] | None = field(default=None, metadata=describes_functions("step", "init", "play"))

    kind = "player"
    allows_zero_probability = False  # whether built-in players may give a client probability 0, as a user's may
    world: ClassVar[type[Environment]] = Environment

    @property
    def own(self) -> bool:
        """Whether it belongs to the library, so that the known properties of its plays hold."""
        return self.exact is not None or self.kernel is not None


@dataclass(frozen=True)
class Sampler(Player):
    """A client sampler: it chooses a distribution over the clients every round.

    In every round ``n_participating`` clients are drawn with replacement from the distribution.

    Parameters
    ----------
    name : str
        What verdicts and plots call the sampler.
    step : callable
        ``step(state, counts, feedback, c) -> state`` makes the next distribution. ``counts`` (seeds, clients) says how
        often each client was drawn; ``feedback`` (seeds, clients) holds a_m of those drawn, and 0 elsewhere.
    init : callable, optional
        ``init(n_seeds, c) -> state`` makes the first state, a tree of arrays whose first axis is the seeds. By default it
        is the uniform distribution, shape (seeds, clients).
    play : callable, optional
        ``play(state, c)`` is the distribution that is played, shape (seeds, clients). By default it is the state.
    exact : Sampler, optional
        The same on object arrays of balls, for exact evidence.
    kernel : callable, optional
        Compiled implementation of a whole game.
    least : callable, optional
        A proved lower limit of the expected regret in a case, or None.

    Examples
    --------
    >>> from fltheory import Sampler
    >>> Sampler("uniform sampling", lambda p, counts, feedback, c: p).name
    'uniform sampling'
    """

    kind = "sampler"
    world = SamplingWithReplacement


@dataclass(frozen=True)
class Learner(Player):
    """An online learner: it decides on weights of the clients every round.

    Parameters
    ----------
    name : str
        What verdicts and plots call the learner.
    step : callable
        ``step(state, seen, response, c) -> state`` makes the next decision. ``seen`` (seeds, clients) is 1 for a client
        that took part, else 0; ``response`` (seeds, clients) holds the responses r_i of these clients, and 0 elsewhere.
        The loss is one of ``fltheory.games.losses``.
    init : callable, optional
        ``init(n_seeds, c) -> state`` makes the first state, a tree of arrays whose first axis is the seeds. By default it
        is the uniform distribution, shape (seeds, clients).
    play : callable, optional
        ``play(state, c)`` is the distribution that is played, shape (seeds, clients). By default it is the state.
    exact : Learner, optional
        The same on object arrays of balls, for exact evidence.
    kernel : callable, optional
        Compiled implementation of a whole game.
    least : callable, optional
        A proved lower limit of the expected regret in a case, or None.

    Examples
    --------
    >>> from fltheory import Learner
    >>> Learner("uniform weights", lambda p, seen, response, c: p).name
    'uniform weights'
    """

    kind = "learner"
    allows_zero_probability = True
    world = SubsetParticipation


def valid_play(player: Player, state: Tree, c: Constants, n: int, round_: int, ring: Ring | None = None) -> np.ndarray:
    """Return the distribution of a round; VariantError if it is not a distribution."""
    p = player.call(player.play, state, c, round_=round_)
    if not isinstance(p, np.ndarray) or p.shape != (n, c.n_clients):
        raise VariantError(f"{player.name} plays {shape_of(p)} in round {round_}, expected shape {(n, c.n_clients)}")
    if ring is None and p.dtype.kind != "f":
        raise VariantError(f"{player.name} plays {p.dtype} numbers in round {round_}, expected floats")
    may_be_0 = player.allows_zero_probability or not player.own
    if ring is None and not _are_distributions(p, may_be_0):
        kind = "distribution" if may_be_0 else "positive distribution"
        raise VariantError(f"{player.name} plays no {kind} in round {round_}: {_distribution_fault(p, may_be_0)}")
    if ring is not None and any(bool(v < 0) for v in p.flat):
        raise VariantError(f"{player.name} plays a negative probability in round {round_}")
    if ring is not None and any(bool(v != 1) for v in p.sum(axis=1)):
        raise VariantError(f"{player.name} plays probabilities whose sum is not 1 in round {round_}")
    if ring is None and player.allows_zero_probability and not player.own:  # a sum below 1 would count as regret
        p = p.astype(np.float64)
        p = p / p.sum(axis=1, keepdims=True)
    return p


def _are_distributions(p: np.ndarray, zero_is_one: bool) -> bool:
    from fltheory.games.kernels import are_distributions

    return are_distributions(np.ascontiguousarray(p, dtype=np.float64), zero_is_one, SUM_TOLERANCE)


def _distribution_fault(p: np.ndarray, zero_is_one: bool) -> str:
    """Describe the fault of a play: a number that is not a probability, or the sum farthest from 1."""
    whole = p.astype(np.float64)
    wrong = ~(np.isfinite(whole) & ((whole >= 0) if zero_is_one else (whole > 0)))
    if wrong.any():
        return f"{whole[wrong][0]:.6g} among the probabilities"
    totals = whole.sum(axis=1)
    total = totals[np.abs(totals - 1).argmax()]
    short = f", numbers are {p.dtype}, expected float64" if p.dtype.itemsize < 8 else ""
    return f"their sum is {total:.12g}, expected 1 up to {SUM_TOLERANCE:g}{short}"


def next_player_state(
    player: Player, state: Tree, seen: np.ndarray, answer: np.ndarray, c: Constants, round_: int
) -> Tree:
    """Return the player's next state; answers of unobserved clients are hidden, and a user's step works on copies."""
    if not player.own:
        state, seen = copy_state(state), seen.copy()
    new = player.call(player.step, state, seen, np.where(seen > 0, answer, 0), c, round_=round_)
    if new is None:
        raise VariantError(f"{player.name} returned None in round {round_}, expected the next state")
    if not player.own:
        for leaf in leaves(new):
            if not isinstance(leaf, np.ndarray) or leaf.shape[:1] != (len(seen),):
                raise VariantError(
                    f"{player.name}: {shape_of(leaf)} in the state after round {round_}, "
                    f"expected arrays whose first axis is the {len(seen)} seeds"
                )
    return new
