"""Proximal and splitting methods for one or two convex functions.

PPA1: Taylor, Hendrickx and Glineur (2017), half the constant of Güler (1991). FB1, FISTA1: Beck and Teboulle, A fast iterative
shrinkage-thresholding algorithm (2009), Theorems 3.1 and 4.4, the latter with t = (r + 1)/2. FB1-proximal: Passty (1979) needs
steps that tend to 0. DR1: Lions and Mercier (1979). F is the mean of the functions, half their sum.
"""

from dataclasses import dataclass

from hypothesis import strategies as st
from sympy import Eq

from classics import admm
from classics.letters import D, L, M, R, eta, sigma
from fltheory import Algorithm, Case, quantity, theorem
from fltheory.claims.statement import requires
from fltheory.problems.separable import QuadraticClients
from fltheory.problems.strategies import log_uniform_counts, log_uniform_positive, quadratic_clients
from fltheory.runs.measures import LENGTH_SQUARED, LastGap, RunMeasure
from fltheory.symbols import dimension as d


def proximal_runs(n):
    """``n`` quadratics in up to two coordinates and any step."""
    clients = quadratic_clients(n, 2, noise=False).filter(lambda f: f.n_clients == n)
    return st.builds(
        lambda f, rounds, step: Case(f, n_rounds=rounds, step_size=step),
        clients,
        log_uniform_counts(50),
        log_uniform_positive(1e-2, 100),
    )


def one():
    """One function."""
    return proximal_runs(1)


def two():
    """Two functions."""
    return proximal_runs(2)


def proximal_point(x, oracle, c):
    """The proximal map of F."""
    return oracle.prox(x, 0, c.step_size)


EXACT, FALSE = Eq(sigma, 0), {"recorded": "violated"}
PPA = {
    "given": [EXACT, Eq(M, 1)],
    "algorithm": Algorithm("proximal point", proximal_point),
    "measure": LastGap(),
    "family": one,
}
PPA1 = theorem(
    "PPA1: convex, proximal point method: F(x_R) - F* <= D²/(4 eta R)", quantity <= D**2 / (4 * eta * R), **PPA
)
PPA1_SQUARED = theorem(
    "PPA1-squared: false, no fixed step has the rate 1/R²: F(x_R) - F* <= D²/(4 eta R²)",
    quantity <= D**2 / (4 * eta * R**2),
    cases=[Case(QuadraticClients(("1/19",), (0,), (1,)), n_rounds=10, step_size=1)],
    **PPA,
    **FALSE,
)


def forward_backward(x, oracle, c):
    """A gradient step of 1/L for f_0, a proximal step for f_1."""
    return oracle.prox(x - oracle.gradient(x, 0) / c.smoothness, 1, 1 / c.smoothness)


def backward_backward(x, oracle, c):
    """Proximal steps for both."""
    return oracle.prox(oracle.prox(x, 0, 1 / c.smoothness), 1, 1 / c.smoothness)


def still(start, c):
    """The method starts at rest."""
    return {"x": start, "last": start}


def fista(s, oracle, c):
    """Forward and backward from x + (r - 1)/(r + 2) (x - last x)."""
    y = s["x"] + (s["x"] - s["last"]) * (c.round - 1) / (c.round + 2)
    return {"x": forward_backward(y, oracle, c), "last": s["x"]}


SUM = {"given": [EXACT, Eq(M, 2)], "measure": LastGap(), "family": two}  # F = (f_0 + f_1)/2
APART = Case(QuadraticClients((1, "1/2"), (1, -1), (1,)), n_rounds=9)
FB1 = theorem(
    "FB1: forward-backward on F = (f + h)/2, step 1/L: F(x_R) - F* <= L D²/(4R)",
    quantity <= L * D**2 / (4 * R),
    algorithm=Algorithm("forward-backward", forward_backward),
    **SUM,
)
FB1_PROXIMAL = theorem(
    "FB1-proximal: false, proximal steps for both do as well on F = (f + h)/2: F(x_R) - F* <= L D²/(4R)",
    quantity <= L * D**2 / (4 * R),
    algorithm=Algorithm("backward-backward", backward_backward),
    cases=[APART],
    **SUM,
    **FALSE,
)
FISTA1 = theorem(
    "FISTA1: F = (f + h)/2: F(x_R) - F* <= L D²/(R + 1)²",
    quantity <= L * D**2 / (R + 1) ** 2,
    algorithm=Algorithm("FISTA", fista, init=still),
    **SUM,
)


@dataclass(frozen=True)
class Growth(RunMeasure):
    """By how much the squared distance of two runs, one in each coordinate, grows."""

    name: str = "|z_R - w_R|² - |z_0 - w_0|²"
    dimension: tuple = LENGTH_SQUARED

    def values(self, states, case):
        apart = states[:, :, 0] - states[:, :, 1]
        return (apart[:, -1] * apart[:, -1] - apart[:, 0] * apart[:, 0])[:, None]


def two_runs():
    """Two functions of one variable, twice, and two starts."""
    return st.builds(
        lambda a, b, p, q, z, w, rounds, step: Case(
            QuadraticClients(((a, a), (b, b)), ((p, p), (q, q)), (z, w)), n_rounds=rounds, step_size=step
        ),
        *[log_uniform_positive(1e-3, 10)] * 2,
        *[st.integers(-5, 5)] * 4,
        st.integers(1, 20),
        log_uniform_positive(1e-2, 100),
    )


def not_twice(one, c):
    """Why an instance isn't one problem in both coordinates."""
    return any(row[0] != row[1] for row in (*one.curvatures, *one.slopes))


def douglas_rachford(z, oracle, c):
    """z + prox_1(2 y - z) - y, y = prox_0(z)."""
    y = oracle.prox(z, 0, c.step_size)
    return z + oracle.prox(2 * y - z, 1, c.step_size) - y


DR1 = theorem(
    "DR1: Douglas-Rachford brings two runs no farther apart: |z_R - w_R|² - |z_0 - w_0|² <= 0",
    quantity <= 0,
    given=[EXACT, Eq(M, 2), Eq(d, 2)],
    assumptions=[requires("two runs of one problem", not_twice)],
    algorithm=Algorithm("Douglas-Rachford", douglas_rachford),
    measure=Growth(),
    family=two_runs,
)
CLAIMS = (PPA1, PPA1_SQUARED, FB1, FB1_PROXIMAL, FISTA1, DR1, *admm.CLAIMS)
