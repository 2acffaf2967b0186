"""The measures of the theorems along a run, and the sums over rounds in their bounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from flint import arb, ctx
from sympy import Symbol

from fltheory.model.bound import Dimension
from fltheory.model.case import Case
from fltheory.number import RATIONAL, NotRational, Number, as_number, to_ball, to_float
from fltheory.number.rational import distinguishing_key
from fltheory.papers.fedcg import notation as letters
from fltheory.papers.fedcg.algorithms.local_steps import Error, Mode, drifts
from fltheory.papers.fedcg.feasible import require_points
from fltheory.papers.fedcg.notation import D, Q, ceilings, curvature, deviations, weighted
from fltheory.problems.decomposable import SubmodularClients
from fltheory.problems.sets.set_functions import as_kind_of
from fltheory.runs.constants import Constants, run_constants
from fltheory.runs.measures import ENERGY, PathMeasure

Guarantee = Literal["eta", "e", "all"]
BITS = 200


def dissimilarities(instance: SubmodularClients, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return gamma (the largest over the clients) and its mean by p, at points (rows, n): (rows,) each."""
    gradients = instance.gradients(x)
    weights = as_kind_of(instance.weights, x)
    mean = sum((g * w for g, w in zip(gradients, weights, strict=True)), x * 0)
    own = np.abs(gradients - mean[None]).max(axis=2)
    return own.max(axis=0), sum((g * w for g, w in zip(own, weights, strict=True)), own[0] * 0)


def along(function: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]], states: np.ndarray) -> list[np.ndarray]:
    """Return a function of points (rows, n) at all states (paths, rounds, n), evaluated once for equal points."""
    paths, rounds, n = states.shape
    flat = states.reshape(paths * rounds, n)
    first: dict[Any, int] = {}
    place = [first.setdefault(_key(row), i) for i, row in enumerate(flat)]
    kept, back = np.unique(place, return_inverse=True)
    return [values[back].reshape(paths, rounds) for values in function(flat[kept])]


def _key(point: np.ndarray) -> Any:
    """Return a key that identifies a point."""
    return distinguishing_key(point) if point.dtype == object else point.tobytes()


@dataclass(frozen=True)
class Shortfall(PathMeasure):
    """(1 - (1 - eta)^T) OPT - F(x^(T)), or (1 - 1/e) OPT - F(x^(T)), or OPT - F(x^(T)), for T rounds of step eta.

    ``letters``: the sums in the bound. ``mode`` and ``error``: the kind of local steps, for their drift.
    ``first``: the first round whose heterogeneity is summed (0; the paper prints 1, with one more round at the end).
    """

    letters: tuple[Symbol, ...]
    guarantee: Guarantee = "eta"
    mode: Mode | None = None
    error: Error = "none"
    first: int = 0
    random: bool = False
    dimension: Dimension = ENERGY

    @property
    def name(self) -> str:
        """The measured quantity in symbols."""
        rounds = "T" if self.mode is None else "R"
        if self.guarantee == "all":
            return f"OPT - F(x_{rounds})"
        share = f"1 - (1 - η)^{rounds}" if self.guarantee == "eta" else "1 - 1/e"
        return f"({share}) OPT - F(x_{rounds})"

    def is_random(self, case: Case) -> bool:
        """Return whether runs differ."""
        return self.random

    def promised(self, case: Case, kind: np.ndarray) -> Any:
        """Return the guarantee without errors, in the number type of an array."""
        c = case.constants
        best, eta, rounds = c[letters.OPT], c[letters.eta], int(c[letters.T])
        if self.guarantee == "all":
            value = RATIONAL.scalar(best) if isinstance(best, int | Fraction) else to_ball(best)
        elif self.guarantee == "e":
            with ctx.workprec(BITS):
                share: arb = 1 - arb(-1).exp()
                value = share * to_ball(best)
        else:
            try:
                rate = RATIONAL.scalar(eta)
                value = (1 - (1 - rate) ** rounds) * RATIONAL.scalar(best)
            except NotRational:
                with ctx.workprec(BITS):
                    value = (1 - (1 - to_ball(eta)) ** rounds) * to_ball(best)
        return value if kind.dtype == object else to_float(value if isinstance(value, arb) else as_number(value))

    def values(self, states: np.ndarray, case: Case) -> np.ndarray:
        """Return the shortfalls of the runs; VariantError for a run that leaves the polytope."""
        instance: SubmodularClients = case.instance
        require_points(states, case)
        reached = instance.extension(states[:, -1])
        return (self.promised(case, reached) - reached)[:, None]

    def read(self, states: np.ndarray, case: Case) -> Mapping[Symbol, np.ndarray]:
        """Return the sums for each path; upper limits over all paths if enumerated, else those of the instance."""
        instance: SubmodularClients = case.instance
        c = run_constants(case, RATIONAL if states.dtype == object else None)
        rounds = states.shape[1] - 1
        eta = c.server_step_size
        weights = [(1 - eta) ** (rounds - 1 - t) for t in range(rounds)]
        found: dict[Symbol, np.ndarray] = {}
        used = states[:, self.first : rounds + self.first]
        gamma, mean = along(lambda x: dissimilarities(instance, x), used)

        def summed(values: np.ndarray) -> np.ndarray:
            return sum((values[:, t] * w for t, w in enumerate(weights)), values[:, 0] * 0)

        if D in self.letters:
            found[D] = gamma.sum(axis=1)
        if weighted in self.letters:
            found[weighted] = summed(mean)
        if ceilings in self.letters:
            top = self._ceiling(gamma, c)
            found[ceilings] = np.broadcast_to(sum(v * v for v in top), len(states))
        if curvature in self.letters:
            moves = (states[:, 1:] - states[:, :-1]) / eta
            found[curvature] = summed(moves.sum(axis=2) ** 2 - (moves * moves).sum(axis=2))
        if self.mode is not None:
            found |= self._local(used, gamma, summed, case, c)
        return found

    def _local(
        self,
        states: np.ndarray,
        gamma: np.ndarray,
        summed: Callable[[np.ndarray], np.ndarray],
        case: Case,
        c: Constants,
    ) -> dict[Symbol, np.ndarray]:
        assert self.mode is not None
        instance: SubmodularClients = case.instance
        mode = self.mode
        if self.error == "sampled":  # local steps are random, even of clients that don't take part: use upper limits
            drift = squares = np.tile(np.array(self._ceiling(gamma, c, mode), dtype=gamma.dtype), (len(gamma), 1))
        else:
            drift, squares = along(lambda x: drifts(instance, x, c, mode, self.error), states)
        found: dict[Symbol, np.ndarray] = {}
        if Q in self.letters:
            found[Q] = _root(squares).sum(axis=1)
        if letters.drift in self.letters:
            found[letters.drift] = summed(drift)
        if deviations in self.letters:
            tops = zip(self._ceiling(gamma, c), self._ceiling(drift, c, mode), strict=True)
            r = c.rank
            parts = [r * g + r * c.estimate_error + r * b / 2 for g, b in tops]
            found[deviations] = np.broadcast_to(sum(v * v for v in parts), len(states))
        return found

    def _ceiling(self, values: np.ndarray, c: Constants, mode: Mode | None = None) -> list[Any]:
        """Return for each round an upper limit over all paths: of the drift in ``mode``, else of heterogeneity [S0]."""
        if values.dtype == object and self.error != "sampled":
            return list(values.max(axis=0))
        top = c.max_client_singleton * (1 - c.least_weight)
        if mode is not None:
            share = c.rank * c.server_step_size * (c.n_local_steps - 1) / c.n_local_steps
            top = c.max_client_singleton * (min(share, share * 0 + 1) if mode == "scaled" else 1)
        return [top] * values.shape[1]

    def trivial(self, case: Case) -> Number | None:
        """Return the guarantee itself, as the value is never negative."""
        value = self.promised(case, np.empty(0, dtype=object))
        return value if isinstance(value, arb) else as_number(value)

    def uncertainty(self, case: Case) -> float:
        """Return the error of the measured side that comes from an optimum known only as a ball."""
        value = self.promised(case, np.empty(0, dtype=object))
        return to_float(value.rad()) if isinstance(value, arb) else 0.0

    def span(self, case: Case) -> tuple[float, float]:
        """Return the range of the measured side minus the weighted heterogeneity of a bound."""
        top = to_float(self.trivial(case))
        c = case.constants
        per_round = to_float(c[letters.r]) * to_float(c[letters.m_max])
        return top - to_float(c[letters.OPT]) - per_round, top


def _root(squares: np.ndarray) -> np.ndarray:
    """Return square roots: of rationals as balls of high precision."""
    if squares.dtype != object:
        return np.sqrt(squares)
    found = np.empty(squares.shape, dtype=object)
    with ctx.workprec(BITS):
        for i, value in enumerate(squares.flat):
            found.flat[i] = arb(value).sqrt()
    return found
