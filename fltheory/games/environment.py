"""Game environments: responses of the clients, partial observation, and the memory of an adversary.

In every round the player plays a distribution p over the clients, the clients answer, and the player observes some of
the answers: ``SamplingWithReplacement`` draws these clients from p with replacement, ``SubsetParticipation`` draws a
uniform set.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from flint import arb

from fltheory.games.participation import distinct_draws, draw_branches, draw_counts, participant_sets, participants
from fltheory.model.case import Instance
from fltheory.number import Ring
from fltheory.number.ownership import is_library
from fltheory.runs.constants import Constants
from fltheory.runs.method import AssumptionFailed

ROUNDING = 1e-9  # relative tolerance for answers in floats outside their range


@runtime_checkable
class Game(Instance, Protocol):
    """The answers of the clients in every round. Rounds count from 0; ``ring`` None means floats.

    An adversary may use the distribution that is played and keep a memory, an array whose first axis is the seeds.
    """

    @property
    def n_clients(self) -> int:
        """The number of clients."""

    @property
    def n_rounds(self) -> int:
        """The number of rounds."""

    def memory(self, n: int) -> np.ndarray:
        """Return the adversary's memory before the first round, (seeds, anything)."""

    def reveal(self, round_: int, p: np.ndarray, memory: np.ndarray, ring: Ring | None) -> tuple[Any, np.ndarray]:
        """Return the round's answers, (seeds or 1, clients), and the adversary's new memory."""


@runtime_checkable
class SamplingGame(Game, Protocol):
    """A game with a comparator, whose answers are the feedback a >= 0 of the clients."""

    def comparator_row(self, round_: int, ring: Ring | None) -> np.ndarray:
        """Return the comparator's distribution in the round, (clients,)."""

    def regret_range(self) -> tuple[float, float]:
        """Return a range that contains the regret of a sampler on the floored simplex on every path."""


@runtime_checkable
class OnlineGame(Game, Protocol):
    """A game whose answers are responses to be minimised or maximised in hindsight.

    ``oblivious``: the responses do not depend on the plays; then ``distinct`` lists the different rows and ``order``
    the row of every round.
    """

    @property
    def n_participating(self) -> int:
        """The number of clients that take part in a round."""

    @property
    def oblivious(self) -> bool:
        """Whether the responses are fixed before the game."""


def is_fixed_table(game: Any) -> bool:
    """Return whether the rows and their order determine a game: it is oblivious and revealed by the library's code."""
    return bool(game.oblivious) and is_library(type(game).reveal) and is_library(type(game).rows_in)


class Observation(NamedTuple):
    """Counts and answers of the observed clients, (rows, clients), and the memory after the round, (rows, anything)."""

    seen: np.ndarray
    answer: np.ndarray
    memory: np.ndarray


class Branch(NamedTuple):
    """All outcomes of a round: the row of origin, the observation, and the probability."""

    rows: np.ndarray
    told: Observation
    weights: np.ndarray


class BranchListing(NamedTuple):
    """The enumeration ``branch(weights, p, answer, memory)``; ``size``: outcomes per row; ``limit``: largest total."""

    size: int
    limit: float
    branch: Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], Branch]


class Environment:
    """A game and the observation of its clients; ``moves``: memory of the last round is used, too."""

    moves = False

    def __init__(self, game: Any, c: Constants) -> None:
        self.game, self.c = game, c

    @property
    def n_rounds(self) -> int:
        """Return how often the player plays."""
        return int(self.game.n_rounds)

    def memory(self, n: int, ring: Ring | None) -> np.ndarray:
        """Return the memory before the first round, (rows, anything)."""
        return np.asarray(self.game.memory(n))

    def reveal(self, t: int, p: np.ndarray, memory: np.ndarray, ring: Ring | None) -> tuple[np.ndarray, np.ndarray]:
        """Return all answers of a round, (rows, clients), and the new memory; AssumptionFailed if out of range."""
        answer, memory = self.game.reveal(t, p, memory, ring)
        self.require_in_range(answer, t)
        return np.broadcast_to(answer, p.shape), memory

    def require_in_range(self, answer: np.ndarray, t: int) -> None:
        """Raise AssumptionFailed for answers that the case excludes."""
        raise NotImplementedError

    def drawn(
        self, t: int, p: np.ndarray, answer: np.ndarray, memory: np.ndarray, seed: int, repetitions: np.ndarray
    ) -> Observation:
        """Return the observation of a round in simulated games."""
        raise NotImplementedError

    def listing(self, ring: Ring | None, limit: int) -> BranchListing:
        """Enumerate the outcomes of a round; NotEnumerable if there are more than ``limit``."""
        raise NotImplementedError


class SamplingWithReplacement(Environment):
    """An environment that draws ``c.n_sampled`` clients with replacement from the play; their answers are feedback."""

    def require_in_range(self, answer: np.ndarray, t: int) -> None:
        require_answers_in_range("feedback", answer, 0, self.c.get("max_feedback"), t)

    def drawn(
        self, t: int, p: np.ndarray, answer: np.ndarray, memory: np.ndarray, seed: int, repetitions: np.ndarray
    ) -> Observation:
        return Observation(draw_counts(p, self.c.n_sampled, seed, repetitions, t), answer, memory)

    def listing(self, ring: Ring | None, limit: int) -> BranchListing:
        draws = distinct_draws(self.c, limit)

        def branch(weights: np.ndarray, p: np.ndarray, answer: np.ndarray, memory: np.ndarray) -> Branch:
            rows, counts, chances = draw_branches(p, weights, draws, ring)
            return Branch(rows, Observation(counts, answer[rows], memory[rows]), chances)

        return BranchListing(len(draws), limit, branch)


class SubsetParticipation(Environment):
    """An environment that draws a uniform set of ``c.n_participating`` clients; their answers are responses."""

    def require_in_range(self, answer: np.ndarray, t: int) -> None:
        require_answers_in_range("response", answer, self.c.get("response_low"), self.c.get("response_high"), t)

    def drawn(
        self, t: int, p: np.ndarray, answer: np.ndarray, memory: np.ndarray, seed: int, repetitions: np.ndarray
    ) -> Observation:
        return Observation(participants(self.c, seed, repetitions, t), answer, memory)

    def listing(self, ring: Ring | None, limit: int) -> BranchListing:
        sets = participant_sets(self.c.n_clients, self.c.n_participating, limit)
        share = Fraction(1, len(sets))
        chance = float(share) if ring is None else ring.scalar(share)

        def branch(weights: np.ndarray, p: np.ndarray, answer: np.ndarray, memory: np.ndarray) -> Branch:
            rows = np.repeat(np.arange(len(weights)), len(sets))
            told = Observation(np.tile(sets, (len(weights), 1)), answer[rows], memory[rows])
            return Branch(rows, told, weights[rows] * chance)

        return BranchListing(len(sets), limit, branch)


def require_answers_in_range(
    what: str, values: np.ndarray, low: float | arb | None, high: float | arb | None, round_: int
) -> None:
    """Raise AssumptionFailed for answers (rows, clients) outside [low, high], in floats by more than rounding.

    A ball must be certainly outside. A limit that the case does not give is None.
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
        raise AssumptionFailed(
            f"round {round_}, client {client}: the {what} {values[row, client]} is not in the range {limits}"
        )
