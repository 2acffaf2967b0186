"""Games whose feedback and comparator depend on the draws: readings of "q^t is allowed to be random" (Section 5)."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from flint import arb, ctx

from fltheory.model.schema import (
    AsTable,
    AsVector,
    Record,
    constant,
    count,
    nonnegative,
    one_of,
    per,
    positive,
    probability,
    scalar,
)
from fltheory.number import Number, to_ball
from fltheory.papers.osmd.algorithms.mirror import project_balls
from fltheory.papers.osmd.notation import TV, A, K, M, T, a2, alpha, eta
from fltheory.papers.osmd.sampling.cases.estimators import Shares, Table, floored_shares, shares

PRECISION = 256  # bits of the balls that hold the constants
PATHS = 5000  # largest number of enumerated paths of the draws


class Foreseen(Record):
    """One round, one draw S from the shares of ``masses``, and a comparator that may know S: row S of ``plays``.

    ``plays`` are distributions by their masses; a single row is a comparator that does not depend on the draw.
    """

    feedback: AsVector = per(M, of=nonnegative, nonzero=True)
    masses: AsVector = per(M, of=positive)
    plays: AsTable = per("known", M, of=positive)

    def require(self) -> None:
        if len(self.plays) not in (1, len(self.masses)):
            raise ValueError(f"{len(self.plays)} rows of plays: expected one, or one for each client that may be drawn")

    @cached_property
    def p(self) -> Shares:
        """The distribution of the draw."""
        return shares(self.masses)

    @cached_property
    def rows(self) -> Table:
        """The comparator's play for each draw."""
        found = tuple(shares(row) for row in self.plays)
        return found * len(self.p) if len(found) == 1 else found


class Ends(NamedTuple):
    """Expectations over all paths: regret (18), the comparator's variation, the sum of the squared largest feedback."""

    regret: arb
    variation: arb
    energy: arb


class DrawPath(NamedTuple):
    """A path of the draws so far: its probability, the last client, the comparator's last row, the next play, the
    sums so far, and the number of rounds left."""

    chance: arb
    state: int
    known: int | None
    p: list[arb]
    sums: Ends
    left: int


class Reacting(Record):
    """Algorithm 1 with one draw a round, where clients and comparator react to the client drawn in the previous round.

    Row m of ``feedback`` and of ``plays`` (masses above the floor) applies after client m, row 0 also in the first
    round. With ``foresight`` 1 the comparator reacts instead to the current draw, which is unknown when it plays.
    """

    feedback: AsTable = per(M, M, of=nonnegative, nonzero=True)
    plays: AsTable = per(M, M, of=nonnegative)
    rate: Number = scalar(positive, eta)
    rounds: int = scalar(count(), T, default=8)
    floor: Number = scalar(probability, alpha, default="9/10")
    foresight: int = scalar(one_of(0, 1), default=0)

    def require(self) -> None:
        if any(not any(row) for row in self.plays):
            raise ValueError(f"plays = {self.plays}: a row of masses is 0")
        if len(self.plays) ** self.rounds > PATHS:
            raise ValueError(f"more than {PATHS} paths of the draws")

    @constant(K)
    def n_sampled(self) -> int:
        """Return one draw a round."""
        return 1

    @constant(A)
    def largest(self) -> Number:
        """Return the largest feedback of any round."""
        return max(v for row in self.feedback for v in row)

    @constant(a2)
    def energy(self) -> arb:
        """Return E of the sum of the squared largest feedback."""
        return self._known.energy

    @constant(TV)
    def variation(self) -> arb:
        """Return E of the comparator's variation."""
        return self._known.variation

    @cached_property
    def _known(self) -> Ends:
        with ctx.workprec(PRECISION):
            return self.ends()

    def ends(self) -> Ends:
        """Return the expectations over all paths of the draws, in balls at the working precision."""
        n, least, losses, moves = len(self.plays), to_ball(self.floor), self._losses, self._moves
        squares = [to_ball(max(row)) ** 2 for row in self.feedback]
        found = [arb(0), arb(0), arb(0)]
        first = DrawPath(arb(1), 0, None, [arb(1) / n] * n, Ends(arb(0), arb(0), arb(0)), self.rounds)
        stack = [first]
        while stack:
            chance, state, before, p, sums, left = stack.pop()
            if not left:
                for i, value in enumerate(sums):
                    found[i] += chance * value
                continue
            a = self.feedback[state]
            paid = sum((to_ball(v) / w for v, w in zip(a, p, strict=True)), sums.regret)
            for m in range(n):
                known = m if self.foresight else state
                moved = arb(0) if before is None else moves[before][known]
                after = Ends(paid - losses[state][known], sums.variation + moved, sums.energy + squares[state])
                stack.append(DrawPath(chance * p[m], m, known, self._moved(p, m, a[m], least), after, left - 1))
        return Ends(*found)

    @cached_property
    def _losses(self) -> list[list[arb]]:
        """Return the loss of each comparator row under the feedback of each state, with one row per state."""
        return [
            [sum((to_ball(Fraction(v) / u) for v, u in zip(a, q, strict=True)), arb(0)) for q in self._rows]
            for a in self.feedback
        ]

    @cached_property
    def _moves(self) -> list[list[arb]]:
        """Return the distances between the comparator's rows."""
        rows = self._rows
        return [
            [to_ball(sum((abs(v - w) for v, w in zip(p, q, strict=True)), Fraction(0))) for q in rows] for p in rows
        ]

    def _moved(self, p: list[arb], drawn: int, answer: Number, least: arb) -> list[arb]:
        """Return the play after a mirror step for the drawn client."""
        if not answer:
            return p
        gain = to_ball(self.rate) * to_ball(answer) / p[drawn] ** 3
        return project_balls([q * gain.exp() if i == drawn else q for i, q in enumerate(p)], least)

    @cached_property
    def _rows(self) -> Table:
        return tuple(floored_shares(row, Fraction(self.floor)) for row in self.plays)
