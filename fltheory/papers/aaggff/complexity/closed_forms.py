"""The cost of a round: operations of the servers of Algorithms 2 and 3, and the clients' extra work and messages.

The rounds follow the paper literally, on plain lists. Operations are +, -, *, /, roots, exponentials and logarithms.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from fltheory.model.case import Case
from fltheory.model.schema import Record, count, scalar
from fltheory.number import streams
from fltheory.papers.aaggff.algorithms import aaggff_d, aaggff_s
from fltheory.papers.aaggff.experiments.federation import Round, Server, by_learner, by_method, federate
from fltheory.papers.aaggff.instances.federation import Federation
from fltheory.papers.aaggff.notation import K, m
from fltheory.papers.aaggff.unification.closed_forms import fedavg
from fltheory.runs.constants import run_constants


class Tally:
    """A counter of operations."""

    def __init__(self) -> None:
        self.count = 0


class CountingFloat:
    """A float that counts the operations in which it takes part."""

    def __init__(self, value: float, tally: Tally) -> None:
        self.value, self.tally = value, tally

    def _made(self, value: float) -> CountingFloat:
        self.tally.count += 1
        return CountingFloat(value, self.tally)

    def __add__(self, other: CountingFloat | float) -> CountingFloat:
        return self._made(self.value + _plain(other))

    def __sub__(self, other: CountingFloat | float) -> CountingFloat:
        return self._made(self.value - _plain(other))

    def __mul__(self, other: CountingFloat | float) -> CountingFloat:
        return self._made(self.value * _plain(other))

    def __truediv__(self, other: CountingFloat | float) -> CountingFloat:
        return self._made(self.value / _plain(other))

    def __rsub__(self, other: float) -> CountingFloat:
        return self._made(other - self.value)

    def __rtruediv__(self, other: float) -> CountingFloat:
        return self._made(other / self.value)

    __radd__, __rmul__ = __add__, __mul__

    def exp(self) -> CountingFloat:
        """Return e to its power."""
        return self._made(math.exp(self.value))

    def log(self) -> CountingFloat:
        """Return its natural logarithm."""
        return self._made(math.log(self.value))

    def sqrt(self) -> CountingFloat:
        """Return its square root."""
        return self._made(math.sqrt(self.value))


def _plain(number: CountingFloat | float) -> float:
    return number.value if isinstance(number, CountingFloat) else float(number)


def _sum(values: Sequence[Any]) -> Any:
    total = values[0]
    for value in values[1:]:
        total = total + value
    return total


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return _sum([x * y for x, y in zip(a, b, strict=True)])


# Servers on lists -----------------------------------------------------------------------------------------------


def softmax(total: list[Any], rate: CountingFloat) -> list[Any]:
    """Return (12): weights proportional to exp(-total_i / rate)."""
    masses = [(0.0 - v / rate).exp() for v in total]
    mass = _sum(masses)
    return [v / mass for v in masses]


def device_round(
    total: list[Any],
    p: list[Any],
    who: list[int],
    responses: list[Any],
    clients: CountingFloat,
    size: CountingFloat,
    done: CountingFloat,
) -> tuple[list[Any], list[Any]]:
    """Run a round of Algorithm 3, (10) to (12), after ``done`` rounds; return the gradient sums and the decision.

    ``clients`` is K, ``size`` Lemma A.2's constant; ``responses`` are those of the clients ``who``, in this order.
    """
    K, m = len(p), len(who)
    mean = _sum(responses) / m
    C = m / clients
    weight = 1.0 / C
    estimate = [mean] * K
    for i, r in zip(who, responses, strict=True):
        estimate[i] = (1.0 - weight) * mean + weight * r  # (10)
    at = 1.0 + _dot(p, [mean] * K)
    lean = mean * _dot(p, [r - mean for r in estimate]) / (at * at)
    gradient = [lean - r / at for r in estimate]  # (11)
    summed = [v + g for v, g in zip(total, gradient, strict=True)]
    rate = size * (done + 2.0).sqrt() / clients.log().sqrt()
    return summed, softmax(summed, rate)


def simplified_device_round(
    total: list[Any],
    p: list[Any],
    who: list[int],
    responses: list[Any],
    clients: CountingFloat,
    size: CountingFloat,
    done: CountingFloat,
) -> tuple[list[Any], list[Any]]:
    """Run the same round without multiples of 1: p is not needed, and only the sums of clients who take part change."""
    m = len(who)
    mean = _sum(responses) / m
    scale = m / clients * (1.0 + mean)
    summed = list(total)
    for i, r in zip(who, responses, strict=True):
        summed[i] = summed[i] - (r - mean) / scale
    rate = size * (done + 2.0).sqrt() / clients.log().sqrt()
    return summed, softmax(summed, rate)


def silo_matrix(
    B: list[list[Any]], linear: list[Any], p: list[Any], responses: list[Any], beta: CountingFloat
) -> tuple[list[list[Any]], list[Any]]:
    """Return Algorithm 2's matrix B + beta g g' and linear part + g - beta g <g, p> for the quadratic programme."""
    at = 1.0 + _dot(p, responses)
    g = [0.0 - r / at for r in responses]
    scaled = [beta * v for v in g]
    after = [[b + s * v for b, v in zip(row, g, strict=True)] for row, s in zip(B, scaled, strict=True)]
    inner = _dot(g, p)
    return after, [c + v - s * inner for c, v, s in zip(linear, g, scaled, strict=True)]


def silo_face(B: list[list[Any]], linear: list[Any]) -> list[Any]:
    """Return argmin p'Bp/2 + <linear, p> over sum p = 1, with any signs: one step of an active-set method.

    With x = B^-1 linear and y = B^-1 1 it is p = y (1 + <1, x>) / <1, y> - x.
    """
    n = len(linear)
    rows = [list(row) for row in B]
    sides = [list(linear), [1.0 + 0.0 * linear[0]] * n]
    for k in range(n):
        for i in range(k + 1, n):
            factor = rows[i][k] / rows[k][k]
            for j in range(k + 1, n):
                rows[i][j] = rows[i][j] - factor * rows[k][j]
            for side in sides:
                side[i] = side[i] - factor * side[k]
    for side in sides:
        for k in reversed(range(n)):
            for j in range(k + 1, n):
                side[k] = side[k] - rows[k][j] * side[j]
            side[k] = side[k] / rows[k][k]
    x, y = sides
    scale = (1.0 + _sum(x)) / _sum(y)
    return [scale * v - u for u, v in zip(x, y, strict=True)]


# Counting -------------------------------------------------------------------------------------------------------


class ServerRound(Record):
    """A round of a server with K clients of whom m take part, with synthetic responses in [0, 1]."""

    n_clients: int = scalar(count(2), K)
    n_participating: int = scalar(count(), m)

    def require(self) -> None:
        if self.n_participating > self.n_clients:
            raise ValueError(f"n_participating = {self.n_participating} of {self.n_clients} clients")

    @property
    def responses(self) -> list[float]:
        """The responses of the clients who take part, (m,)."""
        return streams.uniform(0, 0, 0, np.arange(self.n_participating), 0).tolist()


def device_count(at: ServerRound, rounds: Callable[..., Any] = device_round) -> int:
    """Count the operations of AAggFF-D's server in a round."""
    tally = Tally()

    def number(v: float) -> CountingFloat:
        return CountingFloat(v, tally)

    K, m = at.n_clients, at.n_participating
    p, total = [number(1 / K) for _ in range(K)], [number(0.0) for _ in range(K)]
    rounds(total, p, list(range(m)), [number(r) for r in at.responses], number(K), number(1.0), number(0.0))
    return tally.count


def silo_counts(at: ServerRound) -> tuple[int, int]:
    """Count the operations of AAggFF-S's server in a round: the matrix, and the programme on one face."""
    tally = Tally()

    def number(v: float) -> CountingFloat:
        return CountingFloat(v, tally)

    K = at.n_clients
    responses = streams.uniform(0, 0, 0, np.arange(K), 0).tolist()
    B = [[number(1.0 if i == j else 0.0) for j in range(K)] for i in range(K)]
    linear, p = [number(0.0) for _ in range(K)], [number(1 / K) for _ in range(K)]
    B, linear = silo_matrix(B, linear, p, [number(r) for r in responses], number(0.25))
    of_matrix = tally.count
    silo_face(B, linear)
    return of_matrix, tally.count - of_matrix


# Costs of the clients -----------------------------------------------------------------------------------------------


class Extra(NamedTuple):
    """AAggFF's extra costs over FedAvg in all rounds, per client asked: numbers sent and passes over its samples."""

    numbers: Fraction
    passes: Fraction


def extra(case: Case[Federation]) -> Extra:
    """Return the extra costs from runs of both methods on the same federation, with every number and sample counted."""
    federation = case.instance
    seed, only = int(federation.seed), np.arange(1)
    clients, c = federation.clients(seed, only), run_constants(case, None)
    learner = aaggff_s if federation.n_participating == federation.n_clients else aaggff_d

    def followed(server: Server) -> list[Round]:
        return list(federate(server, clients, federation.plan(), c, seed, only))

    own, plain = followed(by_learner(learner, federation.transform)), followed(by_method(fedavg, clients.sizes))
    asked = sum(turn.answers.who.shape[1] for turn in own)
    samples = sum(int(clients.sizes[turn.answers.who].sum()) for turn in own)
    numbers = sum(a.numbers_sent - b.numbers_sent for a, b in zip(own, plain, strict=True))
    worked = [sum(int((t.evaluated + t.gradients).sum()) for t in rounds) for rounds in (own, plain)]
    return Extra(Fraction(numbers, asked), Fraction(worked[0] - worked[1], samples))
