"""Gradient descent with the adaptive steps of Malitsky and Mishchenko, Adaptive gradient descent without descent (2020).

ADGD: their Lemma 1 and Theorem 1, that the run stays as near to x* as its first two points say, in one coordinate. ADGD-free: both
conditions on the step are needed.
"""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from sympy import Eq

from classics.letters import L, M, R, mu, sigma
from classics.steps import quotient
from fltheory import Algorithm, Case, quantity, theorem
from fltheory.claims.statement import requires
from fltheory.problems import SplineClients
from fltheory.problems.strategies import spline_clients
from fltheory.runs.assumptions import convex, smooth
from fltheory.runs.measures import NUMBER, LastDistance, RunMeasure


@dataclass(frozen=True)
class Share(RunMeasure):
    """|x_R - x*|² over |x_1 - x*|² + |x_1 - x_0|²/2 + 2 a t (F(x_0) - F*): a the second step, t its ratio to the first."""

    name: str = "|x_R - x*|²/B"
    dimension: tuple = NUMBER

    def values(self, states, case):
        one, first, second = case.instance, states[:, 0], states[:, 1]
        g, moved = one.mean_gradient(first), abs(second - first)
        step = quotient(moved, 2 * abs(one.mean_gradient(second) - g))
        growth = step * quotient(abs(g), moved)  # the first step is moved/|g|
        near = LastDistance().of_points(second, case) + moved * moved / 2
        bound = near + 2 * step * growth * one.gap(first)[:, None]
        return quotient(LastDistance().of_points(states[:, -1], case), bound)


def unknown(start, c):
    """No step has been taken."""
    return {"x": start, "last": start, "g": 0 * start, "step": 0 * start, "ratio": 0 * start}


def adaptive(limited):
    """The step is the least of |x - last x|/(2 |g - last g|) and, from the third on, sqrt(1 + last ratio) times the last step."""

    def move(s, oracle, c):
        g = oracle.gradient(s["x"], 0)
        if c.round == 0:
            step = 0 * g + 1 / (2 * c.smoothness)
            return {"x": s["x"] - step * g, "last": s["x"], "g": g, "step": step, "ratio": 0 * g}
        step = quotient(abs(s["x"] - s["last"]), 2 * abs(g - s["g"]))
        if limited and c.round > 1:
            step = np.minimum(step, np.sqrt(1 + s["ratio"]) * s["step"])
        return {"x": s["x"] - step * g, "last": s["x"], "g": g, "step": step, "ratio": quotient(step, s["step"])}

    return move


def runs():
    """Functions with any kinks, curvatures 1 to 100."""
    return st.builds(lambda f, rounds: Case(f, n_rounds=rounds), spline_clients(1, 100), st.integers(2, 20))


def no_line(one, c):
    """Say whether there is more than one coordinate."""
    return one.dim != 1 and "more coordinates than one"


WILD = SplineClients(((100, 1, 100, 1, 100, 1),), ((-9, -7, -5, -1, 3),), 204, 3)
LINE = {
    "given": [Eq(sigma, 0), Eq(M, 1), mu > 0, L <= 100 * mu, R >= 2, R <= 40],
    "assumptions": [smooth, convex, requires("one coordinate", no_line)],
    "measure": Share(),
    "family": runs,
}
ADGD = theorem(
    "ADGD: L <= 100 mu, adaptive steps: |x_R - x*|² <= |x_1 - x*|² + |x_1 - x_0|²/2 + 2 a t (F(x_0) - F*)",
    quantity <= 1,
    algorithm=Algorithm("adaptive gradient descent", adaptive(True), init=unknown),
    **LINE,
)
ADGD_FREE = theorem(
    "ADGD-free: false where steps may grow without limit",
    quantity <= 1,
    algorithm=Algorithm("steps |x - last x|/(2 |g - last g|)", adaptive(False), init=unknown),
    cases=[Case(WILD, n_rounds=15)],
    recorded="violated",
    **LINE,
)
CLAIMS = (ADGD, ADGD_FREE)
