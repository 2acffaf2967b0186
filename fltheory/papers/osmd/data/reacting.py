"""Games whose feedback and comparator depend on the draws: what "q^t is allowed to be random" may mean (Section 5)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from flint import arb, ctx

from fltheory.number import Number, to_ball
from fltheory.papers.osmd.algorithms.mirror import project_balls
from fltheory.papers.osmd.data.sampling_instances import Shares, Table, floored, shares
from fltheory.papers.osmd.letters import TV, A, K, M, T, a2, alpha, eta
from fltheory.record import (
    AsTable,
    AsVector,
    Record,
    among,
    constant,
    count,
    each,
    nonnegative,
    one,
    positive,
    probability,
)

PRECISION = 256  # bits of the balls that hold the constants
PATHS = 5000  # courses of the draws that are enumerated at most


class Foreseen(Record):
    """One round, one draw S from the shares of ``masses``, and a comparator that may know S: row s of ``plays`` where S = s.

    ``plays`` are distributions by their masses; one row alone is a comparator that knows nothing of the draw.
    """

    feedback: AsVector = each(M, of=nonnegative, some=True)
    masses: AsVector = each(M, of=positive)
    plays: AsTable = each("known", M, of=positive)

    def require(self) -> None:
        if len(self.plays) not in (1, len(self.masses)):
            raise ValueError(f"{len(self.plays)} rows of plays: expected one, or one for each client that may be drawn")

    @cached_property
    def p(self) -> Shares:
        """What is drawn from."""
        return shares(self.masses)

    @cached_property
    def rows(self) -> Table:
        """The comparator's play for each draw."""
        found = tuple(shares(row) for row in self.plays)
        return found * len(self.p) if len(found) == 1 else found


class Ends(NamedTuple):
    """Expectations over all courses: regret (18), the comparator's variation, the sum of the squared largest feedback."""

    regret: arb
    variation: arb
    energy: arb


class Reacting(Record):
    """Algorithm 1 with one draw a round, where clients and comparator react to the client that was drawn in the round before.

    Row m of ``feedback`` and of ``plays`` (masses above the floor) stands where client m was drawn, row 0 also in the first
    round. ``foresight`` 1: the comparator reacts to the draw of the round itself instead, which is not yet known when it plays.
    """

    feedback: AsTable = each(M, M, of=nonnegative, some=True)
    plays: AsTable = each(M, M, of=nonnegative)
    rate: Number = one(positive, eta)
    rounds: int = one(count(), T, default=8)
    floor: Number = one(probability, alpha, default="9/10")
    foresight: int = one(among(0, 1), default=0)

    def require(self) -> None:
        if any(not any(row) for row in self.plays):
            raise ValueError(f"plays = {self.plays}: a row of masses is 0")
        if len(self.plays) ** self.rounds > PATHS:
            raise ValueError(f"more than {PATHS} courses of the draws")

    @constant(K)
    def n_sampled(self) -> int:
        """One draw a round."""
        return 1

    @constant(A)
    def largest(self) -> Number:
        """The largest feedback of any round."""
        return max(v for row in self.feedback for v in row)

    @constant(a2)
    def energy(self) -> arb:
        """E of the sum of the squared largest feedback."""
        return self._known.energy

    @constant(TV)
    def variation(self) -> arb:
        """E of the comparator's variation."""
        return self._known.variation

    @cached_property
    def _known(self) -> Ends:
        with ctx.workprec(PRECISION):
            return self.ends()

    def ends(self) -> Ends:
        """The expectations, by all courses of the draws, in balls at the working precision."""
        found = [arb(0), arb(0), arb(0)]
        for chance, draws, played in self._courses():
            states = (0, *draws[:-1])
            known = draws if self.foresight else states
            regret, variation = arb(0), Fraction(0)
            for t, (state, p) in enumerate(zip(states, played, strict=True)):
                a, q = self.feedback[state], self._rows[known[t]]
                regret += sum(
                    (to_ball(v) / w - to_ball(Fraction(v) / u) for v, w, u in zip(a, p, q, strict=True)), arb(0)
                )
                if t:
                    variation += sum(abs(v - w) for v, w in zip(q, self._rows[known[t - 1]], strict=True))
            largest = sum((Fraction(max(self.feedback[s])) ** 2 for s in states), Fraction(0))
            for i, value in enumerate((regret, to_ball(variation), to_ball(largest))):
                found[i] += chance * value
        return Ends(*found)

    @cached_property
    def _rows(self) -> Table:
        return tuple(floored(row, Fraction(self.floor)) for row in self.plays)

    def _courses(self) -> Iterator[tuple[arb, tuple[int, ...], tuple[list[arb], ...]]]:
        """Every course: its probability, the draws, and what was played."""
        n, rate, least = len(self.plays), to_ball(self.rate), to_ball(self.floor)
        stack: list[tuple[arb, tuple[int, ...], tuple[list[arb], ...]]] = [(arb(1), (), ([arb(1) / n] * n,))]
        while stack:
            chance, draws, played = stack.pop()
            p, a = played[-1], self.feedback[draws[-1] if draws else 0]
            for m in range(n):
                after = (chance * p[m], (*draws, m))
                if len(draws) + 1 == self.rounds:
                    yield *after, played
                    continue
                gain = rate * to_ball(a[m]) / p[m] ** 3
                moved = project_balls([q * gain.exp() if i == m else q for i, q in enumerate(p)], least) if a[m] else p
                stack.append((*after, (*played, moved)))
