"""What stands around a player: clients that answer, of whom some are seen, and a memory that one round leaves to the next.

Every round the player shows a distribution p over the clients, the clients answer, and of their answers the player is told
those of the clients that are seen: ``SamplingWithReplacement`` draws from p with replacement, ``SubsetParticipation`` draws
a uniform set of clients.
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

ROUNDING = 1e-9  # relative: by which answers in floats may leave their range


@runtime_checkable
class Game(Instance, Protocol):
    """Answers of the clients for every round. Rounds count from 0; ``ring`` None asks for floats.

    An adversary may look at the distribution that is played and keep a memory, an array that leads with the seeds.
    """

    @property
    def n_clients(self) -> int:
        """How many clients there are."""

    @property
    def n_rounds(self) -> int:
        """How many rounds are played."""

    def memory(self, n: int) -> np.ndarray:
        """What the adversary remembers before the first round, (seeds, anything)."""

    def reveal(self, round_: int, p: np.ndarray, memory: np.ndarray, ring: Ring | None) -> tuple[Any, np.ndarray]:
        """The round's answers, (seeds or 1, clients), and the adversary's new memory."""


@runtime_checkable
class SamplingGame(Game, Protocol):
    """A game with a comparator, whose answers are the feedback a >= 0 of the clients."""

    def comparator_row(self, round_: int, ring: Ring | None) -> np.ndarray:
        """The comparator's distribution in the round, (clients,)."""

    def regret_range(self) -> tuple[float, float]:
        """What the regret of a sampler on the floored simplex lies between on every path."""


@runtime_checkable
class OnlineGame(Game, Protocol):
    """A game whose answers are responses to be minimised or maximised in hindsight.

    ``oblivious``: nothing looks at what is played; then ``distinct`` lists the different rows and ``order`` the row of
    every round.
    """

    @property
    def n_participating(self) -> int:
        """How many clients take part in a round."""

    @property
    def oblivious(self) -> bool:
        """Whether the responses are fixed before the game."""


def is_fixed_table(game: Any) -> bool:
    """Whether a game is its rows and their order alone: fixed before it begins, and revealed as the library does it."""
    return bool(game.oblivious) and is_library(type(game).reveal) and is_library(type(game).rows_in)


class Observation(NamedTuple):
    """How often each client is seen and what each answers, (rows, clients), and what stays of the round, (rows, any)."""

    seen: np.ndarray
    answer: np.ndarray
    memory: np.ndarray


class Branch(NamedTuple):
    """Every way that a round may go: the row it comes from, what is told, and its probability."""

    rows: np.ndarray
    told: Observation
    weights: np.ndarray


class BranchListing(NamedTuple):
    """``branch(weights, p, answer, memory)``: every way on; ``size``: how many a row has; ``limit``: of all rounds at most."""

    size: int
    limit: float
    branch: Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], Branch]


class Environment:
    """A game and who is seen in it; ``moves``: what stays of the last round is looked at too."""

    moves = False

    def __init__(self, game: Any, c: Constants) -> None:
        self.game, self.c = game, c

    @property
    def n_rounds(self) -> int:
        """How often the player plays."""
        return int(self.game.n_rounds)

    def memory(self, n: int, ring: Ring | None) -> np.ndarray:
        """What there is before the first round, (rows, anything)."""
        return np.asarray(self.game.memory(n))

    def reveal(self, t: int, p: np.ndarray, memory: np.ndarray, ring: Ring | None) -> tuple[np.ndarray, np.ndarray]:
        """All answers of a round, (rows, clients), and the adversary's new memory; Unmet outside the range of the case."""
        answer, memory = self.game.reveal(t, p, memory, ring)
        self.require_in_range(answer, t)
        return np.broadcast_to(answer, p.shape), memory

    def require_in_range(self, answer: np.ndarray, t: int) -> None:
        """Unmet for answers that the case rules out."""
        raise NotImplementedError

    def drawn(
        self, t: int, p: np.ndarray, answer: np.ndarray, memory: np.ndarray, seed: int, repetitions: np.ndarray
    ) -> Observation:
        """What is told in the round of simulated games."""
        raise NotImplementedError

    def listing(self, ring: Ring | None, limit: int) -> BranchListing:
        """Every way that a round may go; NotEnumerable where they are more than ``limit``."""
        raise NotImplementedError


class SamplingWithReplacement(Environment):
    """``c.n_sampled`` clients are drawn with replacement from what is played; what they answer is called feedback."""

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
    """A set of ``c.n_participating`` clients takes part, drawn uniformly; what they answer is called their response."""

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
        raise AssumptionFailed(
            f"round {round_}, client {client}: the {what} {values[row, client]} is not in the range {limits}"
        )
