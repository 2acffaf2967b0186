"""AAggFF-S on rational responses, in exact arithmetic: decisions, gradients and matrices of the proof of Theorem 5.1.

The gradients are rational functions of the decisions, which solve linear equations, so that all runs are rational.
The numbers grow from round to round: this is for short runs with few clients.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations

from flint import fmpq, fmpq_mat

from fltheory.number.vectors import total
from fltheory.papers.aaggff.instances.lemmas import Vector, dot
from fltheory.runs.method import NotEnumerable
from fltheory.work import charge_each

MOST_CLIENTS, MOST_ROUNDS = 6, 8

Linear = Callable[[Vector, Fraction, Fraction], Vector]  # adds a round to the linear part: (g, beta, <g, p>)


def _fmpq(v: Fraction) -> fmpq:
    return fmpq(v.numerator, v.denominator)


def _fraction(v: fmpq) -> Fraction:
    return Fraction(int(v.p), int(v.q))


def solve(matrix: Sequence[Sequence[Fraction]], right: Sequence[Fraction]) -> Vector:
    """Return the solution of linear equations; ZeroDivisionError unless it is unique."""
    system = fmpq_mat(len(matrix), len(matrix), [_fmpq(v) for row in matrix for v in row])
    found = system.solve(fmpq_mat(len(right), 1, [_fmpq(v) for v in right]))
    return tuple(_fraction(v) for v in found.entries())


def determinant(matrix: Sequence[Sequence[Fraction]]) -> Fraction:
    """Return det of a square matrix."""
    return _fraction(fmpq_mat(len(matrix), len(matrix), [_fmpq(v) for row in matrix for v in row]).det())


def least_on_simplex(matrix: Sequence[Sequence[Fraction]], linear: Vector) -> Vector:
    """Return the minimiser of pᵀBp/2 + <linear, p> on the simplex, B positive definite, by a search over supports."""
    n = len(linear)
    for size in range(1, n + 1):
        for support in charge_each(combinations(range(n), size)):
            rows = [[*(matrix[i][j] for j in support), Fraction(-1)] for i in support]
            found = solve([*rows, [Fraction(1)] * size + [Fraction(0)]], [*(-linear[i] for i in support), Fraction(1)])
            p = [Fraction(0)] * n
            for i, v in zip(support, found, strict=False):
                p[i] = v
            slack = (dot(matrix[i], p) + linear[i] - found[-1] for i in range(n) if i not in support)
            if min(p) >= 0 and all(v >= 0 for v in slack):
                return tuple(p)
    raise AssertionError("a strictly convex function has a minimiser on the simplex")


@dataclass(frozen=True)
class NewtonRun:
    """A run of AAggFF-S with α and β: decisions p⁽¹⁾ to p⁽ᵀ⁺¹⁾ and gradients; ``responses`` has a row per round."""

    responses: tuple[Vector, ...]
    decisions: tuple[Vector, ...]
    gradients: tuple[Vector, ...]
    alpha: Fraction
    beta: Fraction

    @cached_property
    def matrices(self) -> tuple[tuple[Vector, ...], ...]:
        """Return B⁽⁰⁾ = αI to B⁽ᵀ⁾ = αI + β Σ gg'."""
        n = len(self.decisions[0])
        found = [tuple(tuple(self.alpha * (i == j) for j in range(n)) for i in range(n))]
        for g in self.gradients:
            found.append(_add_rank_one(found[-1], g, self.beta))
        return tuple(found)

    @cached_property
    def costs(self) -> Vector:
        """Return |g|² in the norm of the inverse of B⁽ᵗ⁾ for each round."""
        return tuple(dot(g, solve(B, g)) for g, B in zip(self.gradients, self.matrices[1:], strict=True))

    def regulariser(self, before: int, p: Vector) -> Fraction:
        """Return R⁽ᵗ⁾(p) = α/2·|p|² + β/2·Σ <g, p - p⁽τ⁾>² over the ``before`` = t - 1 rounds before t."""
        squares = total(self.distance(s, p) ** 2 for s in range(before))
        return self.alpha / 2 * dot(p, p) + self.beta / 2 * squares

    def distance(self, s: int, p: Vector) -> Fraction:
        """Return <g, p - p⁽τ⁾> for a round, τ = s + 1."""
        return dot(self.gradients[s], p) - dot(self.gradients[s], self.decisions[s])

    def leader(self, before: int, p: Vector) -> Fraction:
        """Return L⁽ᵗ⁾(p): the linear losses of the rounds before t, plus R⁽ᵗ⁾(p)."""
        return total(dot(g, p) for g in self.gradients[:before]) + self.regulariser(before, p)

    @property
    def n_rounds(self) -> int:
        """T."""
        return len(self.gradients)

    def linearised(self, p: Vector) -> Fraction:
        """Return Σ <g, p⁽ᵗ⁾ - p>."""
        return -total(self.distance(s, p) for s in range(self.n_rounds))

    def squares(self, p: Vector) -> Fraction:
        """Return Σ <g, p⁽ᵗ⁾ - p>²: the squared distances in the norms of A⁽ᵗ⁾ = gg'."""
        return total(self.distance(s, p) ** 2 for s in range(self.n_rounds))

    def first(self, p: Vector) -> Fraction:
        """Return (i) = R⁽ᵀ⁺¹⁾(p) - R⁽¹⁾(p⁽¹⁾)."""
        return self.regulariser(self.n_rounds, p) - self.regulariser(0, self.decisions[0])

    def second(self, p: Vector) -> Fraction:
        """Return (ii) = L⁽ᵀ⁺¹⁾(p⁽ᵀ⁺¹⁾) - L⁽ᵀ⁺¹⁾(p)."""
        return self.leader(self.n_rounds, self.decisions[-1]) - self.leader(self.n_rounds, p)

    @cached_property
    def third(self) -> Fraction:
        """Return (iii) = Σ L⁽ᵗ⁾(p⁽ᵗ⁾) - L⁽ᵗ⁺¹⁾(p⁽ᵗ⁺¹⁾) + <g, p⁽ᵗ⁾>."""
        p, g = self.decisions, self.gradients
        return total(self.leader(t, p[t]) - self.leader(t + 1, p[t + 1]) + dot(g[t], p[t]) for t in range(len(g)))


def _add_rank_one(B: Sequence[Vector], g: Vector, beta: Fraction) -> tuple[Vector, ...]:
    return tuple(tuple(v + beta * x * y for v, y in zip(row, g, strict=True)) for row, x in zip(B, g, strict=True))


def centred_linear(g: Vector, beta: Fraction, paid: Fraction) -> Vector:
    """Add a round to the linear part of (7): the squares <g, p - p⁽τ⁾>² contribute -β<g, p⁽τ⁾>g."""
    return tuple((1 - beta * paid) * v for v in g)


@lru_cache(maxsize=256)
def newton_run(responses: tuple[Vector, ...], alpha: Fraction, beta: Fraction) -> NewtonRun:
    """Return a run of AAggFF-S (7) from the uniform decision; NotEnumerable for a long run or many clients."""
    n = len(responses[0])
    if n > MOST_CLIENTS or len(responses) > MOST_ROUNDS:
        raise NotEnumerable(f"rational runs of at most {MOST_CLIENTS} clients and {MOST_ROUNDS} rounds")
    B = tuple(tuple(alpha * (i == j) for j in range(n)) for i in range(n))
    return follow(responses, B, (Fraction(1, n),) * n, alpha, beta, centred_linear)


def follow(
    responses: tuple[Vector, ...], B: Sequence[Vector], start: Vector, alpha: Fraction, beta: Fraction, linear: Linear
) -> NewtonRun:
    """Run a learner that minimises pᵀBp/2 + <c, p> with B + β Σ gg'; ``linear`` returns what g adds to c."""
    p, c = start, (Fraction(0),) * len(start)
    decisions, gradients = [p], []
    for r in responses:
        growth = 1 + dot(p, r)
        g = tuple(-v / growth for v in r)
        B = _add_rank_one(B, g, beta)
        c = tuple(v + w for v, w in zip(c, linear(g, beta, dot(g, p)), strict=True))
        p = least_on_simplex(B, c)
        decisions.append(p)
        gradients.append(g)
    return NewtonRun(responses, tuple(decisions), tuple(gradients), alpha, beta)
