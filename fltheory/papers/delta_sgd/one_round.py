"""One round of Algorithm 1 from a given point with all its outcomes, and several deterministic rounds.

Numbers are mixed: rational if the steps are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, pairwise, product
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from flint import arb, ctx, fmpq
from sympy import Symbol

from fltheory.model.case import Case
from fltheory.model.schema import AsTable, Data, read_vector
from fltheory.number import RATIONAL, Number, as_number, exact
from fltheory.number.mixed import Mixed, larger_of, largest, mixed_sqrt, smaller_of, to_mixed
from fltheory.papers.delta_sgd import notation
from fltheory.papers.delta_sgd.algorithms.optimisers import released_delta_sgd, sgd
from fltheory.papers.delta_sgd.instances.piecewise import PiecewiseClients, PiecewiseLinear
from fltheory.runs.client_optimiser import (
    BATCHES_PER_STEP,
    AdaptiveState,
    Batches,
    ClientOptimiser,
    adaptive_optimiser,
    federated_averaging,
)
from fltheory.runs.distributions.sample_paths import enumerate_runs
from fltheory.runs.method import NotEnumerable
from fltheory.runs.step_rule import StepRule, squared_length
from fltheory.work import charge_each

COURSES = 4096  # most sample paths of a client, or of all clients together, that are listed
LONGEST = 32  # most local steps of Delta-SGD
BITS = 256  # precision of the balls for irrational steps


class ClientPath(NamedTuple):
    """A sample path of a client: its probability, points x_0..x_K, steps, stochastic gradients, and the true ones."""

    chance: Mixed
    points: tuple[Any, ...]
    steps: tuple[Any, ...]
    pushes: tuple[Any, ...]
    slopes: tuple[Any, ...]


class _Round(Data):
    """The common part of both kinds of rounds; ``_courses(i)`` lists the sample paths of client i."""

    clients: PiecewiseClients
    start: Number
    n_participating: int

    @property
    def independent(self) -> bool:
        """Return whether no step depends on the noise that it multiplies."""
        raise NotImplementedError

    def _courses(self, i: int) -> Iterator[ClientPath]:
        raise NotImplementedError

    def _read(self) -> None:
        if not isinstance(self.clients, PiecewiseClients):
            raise ValueError(f"clients: expected PiecewiseClients, got {self.clients!r}")
        size = exact(self.n_participating) or self.clients.n_clients
        if not isinstance(size, int) or not 1 <= size <= self.clients.n_clients:
            raise ValueError(f"n_participating = {size}: expected 1 to {self.clients.n_clients}")
        self._set(start=exact(self.start), n_participating=size)
        if not isinstance(self.start, int | Fraction):
            raise ValueError("start: expected a rational number")

    @cached_property
    def courses(self) -> list[list[ClientPath]]:
        """Return the sample paths of every client."""
        with ctx.workprec(BITS):
            return [list(self._courses(i)) for i in range(self.clients.n_clients)]

    @property
    def given(self) -> bool:
        """Return whether the steps are deterministic."""
        return all(c.steps == own[0].steps for own in self.courses for c in own)

    @cached_property
    def slope(self) -> Mixed:
        """Return f'(x_t)."""
        return self.clients.mean(to_mixed(self.start))

    @cached_property
    def landings(self) -> list[tuple[Mixed, Mixed]]:
        """Return every x_{t+1} with its probability."""
        with ctx.workprec(BITS):
            return self._landings()

    def _landings(self) -> list[tuple[Mixed, Mixed]]:
        n, size = self.clients.n_clients, self.n_participating
        found: list[tuple[Any, Any]] = []
        for chosen in charge_each(combinations(range(n), size)):
            ends = [(fmpq(1, math.comb(n, size)), fmpq(0))]
            for i in chosen:
                if len(ends) * len(self.courses[i]) > COURSES:
                    raise NotEnumerable(f"more than {COURSES} ends of a round")
                ends = _merge_places((p * c.chance, x + c.points[-1]) for p, x in ends for c in self.courses[i])
            found += [(p, x / size) for p, x in ends]
        return _merge_places(found)

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        with ctx.workprec(BITS):
            return self._constants()

    def _constants(self) -> dict[Symbol, Number]:
        every = [(c.chance, eta) for own in self.courses for c in own for eta in c.steps]
        steps = [eta for _, eta in every]
        low, high = steps[0], steps[0]
        for eta in steps[1:]:
            low, high = smaller_of(low, eta), larger_of(high, eta)
        mean = sum((p * eta for p, eta in every), fmpq(0)) / self.clients.n_clients
        found = {
            **self.clients.constants,
            notation.P: self.n_participating,
            notation.K: len(self.courses[0][0].steps),
            notation.slope: as_number(abs(self.slope)),
            notation.D_t: as_number(mean),
            notation.h: as_number(low),
            notation.a: as_number(high),
        }
        if not low > 0:
            raise ValueError("steps: expected step sizes above 0")
        if self.given:
            fixed = [eta for own in self.courses for eta in own[0].steps]
            ratio = sum((eta * eta for eta in fixed), fmpq(0)) * len(fixed) / sum(fixed, fmpq(0)) ** 2
            found[notation.R_t] = as_number(ratio)
        return found


def _merge_places(ends: Iterable[tuple[Mixed, Mixed]]) -> list[tuple[Mixed, Mixed]]:
    """Return the same distribution with equal rational places merged."""
    merged: dict[Any, Any] = {}
    apart = []
    for p, x in ends:
        if isinstance(x, arb):
            apart.append((p, x))
        else:
            merged[x] = merged.get(x, fmpq(0)) + p
    return apart + [(p, x) for x, p in merged.items()]


@dataclass(frozen=True, repr=False)
class GivenSteps(_Round):
    """A round with steps from tables [client][k][history], where the mini-batches drawn so far select an entry.

    A row with one entry is a given step; with ``foresight`` the step may depend on the mini-batch that it multiplies.
    """

    clients: PiecewiseClients
    start: Number
    steps: Sequence[AsTable]
    n_participating: int = 0
    foresight: bool = False

    def __post_init__(self) -> None:
        self._read()
        table = tuple(_table(client) for client in self.steps)
        self._set(steps=table)
        if len(table) != self.clients.n_clients or len({len(client) for client in table}) != 1:
            raise ValueError("steps: expected as many for every client")
        flat = [v for client in table for row in client for v in row]
        if not all(isinstance(v, int | Fraction) and v > 0 for v in flat):
            raise ValueError("steps: expected rational numbers above 0")
        if len(self.clients.batches) ** len(table[0]) > COURSES:
            raise ValueError(f"more than {COURSES} sample paths of a client")

    @property
    def independent(self) -> bool:
        """Return whether no step depends on the noise that it multiplies."""
        return not self.foresight

    def _courses(self, i: int) -> Iterator[ClientPath]:
        batches, client, samples = self.clients.batches, self.clients.client[i], self.clients.samples[i]
        table = [[to_mixed(v) for v in row] for row in self.steps[i]]
        for drawn in charge_each(product(range(len(batches)), repeat=len(table))):
            chance, x, past = fmpq(1), to_mixed(self.start), 0
            points, steps, pushes, slopes = [x], [], [], []
            for row, z in zip(table, drawn, strict=True):
                chance = chance * batches[z][0]
                present = past * len(batches) + z
                eta, push = row[(present if self.foresight else past) % len(row)], samples[z](x)
                slopes.append(client(x))
                steps.append(eta)
                pushes.append(push)
                x, past = x - eta * push, present
                points.append(x)
            yield ClientPath(chance, tuple(points), tuple(steps), tuple(pushes), tuple(slopes))


def _table(values: AsTable) -> tuple[tuple[Number, ...], ...]:
    """Return rows of numbers from rows, numbers, or one number."""
    return tuple(read_vector(v) for v in values) if isinstance(values, tuple | list) else (read_vector(values),)


@dataclass(frozen=True, repr=False)
class OwnSteps(_Round):
    """A round of Delta-SGD: ``adaptive_optimiser``, run on every sequence of mini-batches."""

    clients: PiecewiseClients
    start: Number
    n_local_steps: int
    initial_step_size: Number
    batches: Batches = "pair"
    initial_ratio: Number = 1
    amplifier: Number = 1
    growth_damping: Number = 1
    n_participating: int = 0

    def __post_init__(self) -> None:
        self._read()
        self._count("n_local_steps")
        self._set(**{name: exact(value) for name, value in self._settings().items()})
        values = list(self._settings().values())
        if not all(isinstance(v, int | Fraction) and v >= 0 for v in values) or not values[0] or not values[2]:
            raise ValueError(f"{', '.join(self._settings())}: expected rational numbers of at least 0, steps above 0")
        if self.batches not in BATCHES_PER_STEP:
            raise ValueError(f"batches = {self.batches!r}: expected one of {', '.join(BATCHES_PER_STEP)}")
        if self.n_local_steps > LONGEST:
            raise ValueError(f"n_local_steps = {self.n_local_steps}: expected at most {LONGEST}")
        if len(self.clients.batches) ** (1 + (self.n_local_steps - 1) * BATCHES_PER_STEP[self.batches]) > COURSES:
            raise ValueError(f"more than {COURSES} sample paths of a client")

    def _settings(self) -> dict[str, Number]:
        """Return the constants of the rule by name."""
        return {
            "initial_step_size": self.initial_step_size,
            "initial_ratio": self.initial_ratio,
            "amplifier": self.amplifier,
            "growth_damping": self.growth_damping,
        }

    @property
    def independent(self) -> bool:
        """Return whether no step depends on the noise that it multiplies."""
        return self.batches in ("pair", "fresh") or len(self.clients.batches) == 1

    def _courses(self, i: int) -> Iterator[ClientPath]:
        drawn, samples = self.clients.batches, self.clients.samples[i]
        optimiser = adaptive_optimiser(batches=self.batches)
        c = SimpleNamespace(**{name: to_mixed(value) for name, value in self._settings().items()})
        points, steps, pushes = (np.empty((1, n), dtype=object) for n in (1, 0, 0))  # (rows, k), one row per path
        points[0, 0] = to_mixed(self.start)
        x, chances = points, [fmpq(1)]
        state = optimiser.init(x, c)
        for k in range(self.n_local_steps):
            chosen = list(product(range(len(drawn)), repeat=optimiser.batches if k else 1))  # the first step is given
            chances = [p * math.prod((drawn[z][0] for z in zs), start=fmpq(1)) for p in chances for zs in chosen]
            rows = np.repeat(np.arange(len(x)), len(chosen))
            ask = _ListedBatches(samples, np.array(chosen * len(x)))
            known: Any = [None if v is None else v[rows] for v in state]
            x, state = optimiser.step(x[rows], AdaptiveState(*known), ask, c)
            points = np.column_stack([points[rows], x])
            steps = np.column_stack([steps[rows], state.lr])
            pushes = np.column_stack([pushes[rows], state.gradient])
        for way, lr, pushed, chance in zip(points, steps, pushes, chances, strict=True):
            slopes = tuple(self.clients.client[i](y) for y in way[:-1])
            yield ClientPath(chance, tuple(way), tuple(lr), tuple(pushed), slopes)


class _ListedBatches:
    """An oracle that uses the mini-batches listed for every row."""

    def __init__(self, samples: list[PiecewiseLinear], drawn: np.ndarray) -> None:
        self._samples, self._drawn = samples, drawn

    def gradient(self, x: np.ndarray, batch: int = 0) -> np.ndarray:
        """Return the stochastic gradient of every row, (rows, 1)."""
        found = np.empty(x.shape, dtype=object)
        found[:, 0] = [self._samples[z](y) for z, y in zip(self._drawn[:, batch], x[:, 0], strict=True)]
        return found


@dataclass(frozen=True, repr=False)
class Rounds(Data):
    """Rounds with given steps [round][client][k] and no noise, from a start, with full participation."""

    clients: PiecewiseClients
    start: Number
    steps: Sequence[AsTable]

    def __post_init__(self) -> None:
        self._set(start=exact(self.start), steps=tuple(_table(one) for one in self.steps))
        if not isinstance(self.clients, PiecewiseClients) or len(self.clients.batches) > 1:
            raise ValueError("clients: expected PiecewiseClients without noise")
        if len({len(client) for one in self.steps for client in one}) != 1:
            raise ValueError("steps: expected as many for every client in every round")
        for one in self.steps:
            GivenSteps(self.clients, self.start, one)

    @cached_property
    def path(self) -> tuple[list[Any], list[Any]]:
        """Return x_0..x_T and D_0..D_{T-1}."""
        x, points, sums = self.start, [to_mixed(self.start)], []
        for one in self.steps:
            after = GivenSteps(self.clients, x, one)
            sums.append(to_mixed(after.constants[notation.D_t]))
            x = as_number(after.landings[0][1])
            points.append(to_mixed(x))
        return points, sums

    @cached_property
    def decreases(self) -> list[Any]:
        """Return f(x_t) - f(x_{t+1})."""
        values = [self.clients.mean.integral(x) for x in self.path[0]]
        return [v - w for v, w in pairwise(values)]

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        flat = [v for one in self.steps for client in one for v in client]
        objective = self.clients.mean
        return {
            **self.clients.constants,
            notation.T: len(self.steps),
            notation.K: len(self.steps[0][0]),
            notation.h: min(flat),
            notation.a: max(flat),
            notation.gap: as_number(objective.integral(to_mixed(self.start)) - objective.least_integral),
        }


# Algorithm 1 as printed compared with other methods -----------------------------------------------------------------


def farthest(first: np.ndarray, second: np.ndarray) -> Mixed:
    """Return the largest |x_t - y_t|² over rounds and sample paths of two arrays (paths, T + 1, dimension)."""
    rows = zip(first.reshape(-1, first.shape[-1]), second.reshape(-1, second.shape[-1]), strict=True)
    return largest(squared_length(a - b) for a, b in rows)


def rounds_of(optimiser: ClientOptimiser, case: Case) -> np.ndarray:
    """Return the server's points on every sample path of a client optimiser, in rationals."""
    return enumerate_runs(federated_averaging(optimiser), case, RATIONAL)[0]


def fedsgd(case: Case, step: Mixed) -> Case:
    """Return the case with a step size of FedSGD."""
    return case.with_settings(step_size=as_number(step))


def off_fedsgd(rule: StepRule, case: Case) -> Mixed:
    """Return |x_t - y_t|², y_t of FedSGD with the step size η_0, the largest over rounds."""
    own = rounds_of(adaptive_optimiser(rule, "pair"), case)
    return farthest(own, rounds_of(sgd, fedsgd(case, to_mixed(case.constants[notation.eta_0]))))


def first_step_growth(case: Case) -> Mixed:
    """Return sqrt(1 + δ θ_0), the factor of the first step in the released code."""
    c = case.constants
    return mixed_sqrt(1 + to_mixed(c[notation.delta]) * to_mixed(c[notation.theta_0]))


def released_off_fedsgd(case: Case) -> Mixed:
    """Return the same for the released code, and FedSGD with the step size sqrt(1 + δ θ_0) η_0."""
    own = rounds_of(released_delta_sgd(), case)
    return farthest(
        own, rounds_of(sgd, fedsgd(case, first_step_growth(case) * to_mixed(case.constants[notation.eta_0])))
    )


def released_off_printed(case: Case) -> Mixed:
    """Return |x_t - y_t|², x_t as released and y_t of Algorithm 1, the largest over rounds."""
    return farthest(rounds_of(released_delta_sgd(), case), rounds_of(adaptive_optimiser(batches="same"), case))
