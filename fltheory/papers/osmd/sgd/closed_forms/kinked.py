"""Instances of (5) besides quadratics: clients in one dimension with piecewise linear slopes, enumerated draw by draw.

F_m'(w) = c_m (w - b_m) + sum_j s_j clip(w, l_j, r_j): on [l_j, r_j] each client is steeper by s_j. Outside the kinks
the mean objective has curvature mean c_m, which is its strong convexity constant. All runs are rational.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

from fltheory.games.participation import count_draw_sequences, count_vectors
from fltheory.model.schema import AsTable, read_table
from fltheory.number.vectors import average, total
from fltheory.papers.osmd.sgd.closed_forms.strongly_convex import SampledClients

COURSES = 20_000  # largest number of sequences of draws

Rounds = tuple[dict[tuple[Fraction, Fraction], Fraction], ...]


def _clip(w: Fraction, low: Fraction, high: Fraction) -> Fraction:
    """Return w clipped to [low, high]."""
    return min(max(w, low), high)


class SampledKinks(SampledClients):
    """Clients c_m (w - b_m)^2 / 2, plus for each kink (s, l, r), s >= 0, l < r, one with slope s clip(w, l, r)."""

    kinks: AsTable = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "kinks", read_table(self.kinks))
        for kink in self.kinks:
            if len(kink) != 3 or not all(isinstance(v, int | Fraction) for v in kink):
                raise ValueError(f"kink {kink}: expected three rationals, its steepness and the ends of its interval")
            if kink[0] < 0 or not kink[1] < kink[2]:
                raise ValueError(f"kink {kink}: expected a nonnegative steepness and two ends in ascending order")
        if math.comb(self.n_sampled + self.n_clients - 1, self.n_clients - 1) ** (self.n_rounds - 1) > COURSES:
            raise ValueError(f"more than {COURSES} sequences of draws: use fewer clients, draws or rounds")

    def slope(self, w: Fraction) -> Fraction:
        """Return F'(w)."""
        return self.strong_convexity * (w - self._centre) + self._bent(w)

    def _bent(self, w: Fraction) -> Fraction:
        """Return the slope of the kinks, which all clients share."""
        return total(s * _clip(w, low, high) for s, low, high in self._kinks)

    @cached_property
    def _kinks(self) -> list[list[Fraction]]:
        return [[Fraction(v) for v in kink] for kink in self.kinks]

    @cached_property
    def minimiser(self) -> Fraction:
        """The minimiser w_star: F' is linear between two ends of kinks, where its sign changes."""
        ends = sorted({end for _, *interval in self._kinks for end in interval})
        before = [end for end in ends if self.slope(end) <= 0]
        if not ends:
            return self._centre
        if not before:  # left of every kink
            return ends[0] - self.slope(ends[0]) / self.strong_convexity
        last = before[-1]
        steepness = self.strong_convexity + total(s for s, low, high in self._kinks if low <= last < high)
        return last - self.slope(last) / steepness

    def _rise(self, w: Fraction) -> Fraction:
        """Return F(w), up to a constant."""
        bends = ((s, _clip(w, low, high)) for s, low, high in self._kinks)
        return self.strong_convexity / 2 * (w - self._centre) ** 2 + total(s * (c * w - c * c / 2) for s, c in bends)

    def _slopes(self, w: Fraction) -> list[Fraction]:
        """Return F_m'(w)."""
        bent = self._bent(w)
        return [c * (w - Fraction(b)) + bent for c, b in zip(self._all(self.curvatures), self.centres, strict=True)]

    @cached_property
    def _draws(self) -> Sequence[tuple[list[int], Fraction]]:
        """The counts of all possible draws of a round, with their probabilities."""
        return [
            (
                [int(n) for n in counts],
                math.prod(
                    (p ** int(n) for p, n in zip(self.law, counts, strict=True)),
                    start=Fraction(count_draw_sequences(counts)),
                ),
            )
            for counts in count_vectors(self.n_clients, self.n_sampled)
        ]

    @cached_property
    def course(self) -> Rounds:
        """The probabilities of (w, sum_t t w^t over earlier rounds) before each round, and after the last summand."""
        now: dict[tuple[Fraction, Fraction], Fraction] = {(Fraction(self.start), Fraction(0)): Fraction(1)}
        found = []
        for t in range(1, self.n_rounds + 1):
            found.append(now)
            after: dict[tuple[Fraction, Fraction], Fraction] = defaultdict(Fraction)
            step = Fraction(2, t) / (self.strong_convexity * self.n_sampled * self.n_clients)
            for (w, s), chance in now.items():
                if t == self.n_rounds:
                    after[w, s + t * w] += chance
                    continue
                pulls = [g / p for g, p in zip(self._slopes(w), self.law, strict=True)]
                for counts, likely in self._draws:
                    update = total(k * g for k, g in zip(counts, pulls, strict=True))
                    after[w - step * update, s + t * w] += chance * likely
            now = dict(after)
        return (*found, now)

    @cached_property
    def sampling_loss(self) -> Fraction:
        """The expected sum over rounds of l_t(p) = (1/K) sum_m a_m / p_m (4)."""
        losses = (
            chance * total(g * g / p for g, p in zip(self._slopes(w), self.law, strict=True))
            for states in self.course[:-1]
            for (w, _), chance in states.items()
        )
        return total(losses) / (self.n_sampled * self.n_clients**2)

    @cached_property
    def oracle_energy(self) -> Fraction:
        """The expected sum over rounds of |J^t|^2, J^t = F'(w^t)."""
        return total(
            chance * average(self._slopes(w)) ** 2 for states in self.course[:-1] for (w, _), chance in states.items()
        )

    @cached_property
    def averaged_gap(self) -> Fraction:
        """E F(2/(T(T+1)) sum_t t w^t) - F(w_star)."""
        share = Fraction(2, self.n_rounds * (self.n_rounds + 1))
        mean = total(chance * self._rise(share * s) for (_, s), chance in self.course[-1].items())
        return mean - self._rise(self.minimiser)
