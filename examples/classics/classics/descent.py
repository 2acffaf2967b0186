"""Gradient descent with a fixed step on one L-smooth convex objective, mu-strongly convex where mu > 0.

GD1: Drori and Teboulle, Performance of first-order methods (2014); a Huber function attains it. GD2: Nesterov, Lectures on
Convex Optimization (2018), Theorem 2.1.15. GD3: Polyak, Introduction to Optimization (1987). SILVER1: the steps √2, 2, √2
of Altschuler and Parrilo, Acceleration by stepsize hedging (2023), rounded; L D²/21.2 is attained.
"""

from hypothesis import strategies as st
from sympy import Eq, Rational

from classics import steps
from classics.families import curved, kinked
from classics.letters import D, L, M, R, eta, mu, sigma
from fltheory import Algorithm, Case, quantity, theorem
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients
from fltheory.problems.strategies import log_uniform_counts, quadratic_clients
from fltheory.runs.assumptions import convex, smooth, strongly_convex
from fltheory.runs.measures import LastDistance, LastGap


def long_steps():
    """The same with steps of up to 2.02/L."""
    share = st.fractions("1/50", "101/50", max_denominator=50)
    return st.builds(
        lambda f, rounds, step: Case(f, n_rounds=rounds, step_size=step / f.constants[L]),
        quadratic_clients(1, 2, noise=False),
        log_uniform_counts(50),
        share,
    )


def three(f):
    """A run of three rounds."""
    return Case(f, n_rounds=3)


def kinked_thrice():
    """The cases of GD1 in three rounds."""
    return kinked().map(lambda case: three(case.instance))


EXACT, ALONE = Eq(sigma, 0), Eq(M, 1)  # gradients without noise, one client
FALSE = {"recorded": "violated"}


def short_step(x, oracle, c):
    """x - grad F(x) / L."""
    return x - oracle.gradient(x, 0) / c.smoothness


GD = {
    "given": [EXACT, ALONE],
    "assumptions": [smooth, convex],
    "algorithm": Algorithm("GD, step 1/L", short_step),
    "measure": LastGap(),
    "family": kinked,
}
HUBER = [Case(PiecewiseQuadraticClients((1,), (0,), (1,), 2 * r), n_rounds=r) for r in (1, 4, 20)]  # these attain GD1
GD1 = theorem(
    "GD1: convex, step 1/L: F(x_R) - F* <= L D²/(4R + 2)", quantity <= L * D**2 / (4 * R + 2), cases=HUBER, **GD
)
GD1_SHARPER = theorem(
    "GD1-sharper: false, no constant is better: F(x_R) - F* <= L D²/(4R + 3)",
    quantity <= L * D**2 / (4 * R + 3),
    cases=HUBER,
    **GD,
    **FALSE,
)


def tuned_step(x, oracle, c):
    """x - 2 grad F(x) / (L + mu)."""
    return x - 2 * oracle.gradient(x, 0) / (c.smoothness + c.strong_convexity)


rate = (L - mu) / (L + mu)
GD2 = theorem(
    "GD2: strongly convex, step 2/(L + mu): |x_R - x*|² <= ((L - mu)/(L + mu))^(2R) D²",
    quantity <= rate ** (2 * R) * D**2,
    given=[EXACT, ALONE, mu > 0, mu < L],
    assumptions=[smooth, strongly_convex],
    algorithm=Algorithm("GD, step 2/(L + mu)", tuned_step),
    measure=LastDistance(),
    family=curved,
)


def fixed_step(x, oracle, c):
    """x - eta grad F(x)."""
    return x - c.step_size * oracle.gradient(x, 0)


def at_most(id, words, step, **more):
    """Gradient descent comes no farther from x* with steps up to ``step``."""
    return theorem(
        f"{id}: {words}: |x_R - x*|² <= D²",
        quantity <= D**2,
        given=[EXACT, ALONE, eta * L <= step],
        assumptions=[smooth, convex],
        algorithm=Algorithm("GD", fixed_step),
        measure=LastDistance(),
        family=long_steps,
        **more,
    )


LONG = Case(QuadraticClients((1,), (0,), (1,)), n_rounds=2, step_size="201/100")
GD3 = at_most("GD3", "convex, steps up to 2/L", 2)
GD3_LONG = at_most(
    "GD3-long",
    "false beyond 2/L, where it diverges, for example up to 2.02/L",
    Rational(101, 50),
    cases=[LONG],
    **FALSE,
)


BENT = PiecewiseQuadraticClients((1,), (0,), (1,), "48/5")  # three silver steps end in its flat part


def silver_step(x, oracle, c):
    """x - h grad F(x) / L, h = 7/5, 2, 7/5."""
    return x - oracle.gradient(x, 0) * (10 if c.round == 1 else 7) / 5 / c.smoothness


SILVER = {
    "given": [EXACT, ALONE, Eq(R, 3)],
    "assumptions": [smooth, convex],
    "measure": LastGap(),
    "family": kinked_thrice,
}
SILVER1 = theorem(
    "SILVER1: convex, three steps 7/5, 2, 7/5 over L: F(x_3) - F* <= L D²/21",
    quantity <= L * D**2 / 21,
    algorithm=Algorithm("GD, silver steps", silver_step),
    cases=[three(BENT), three(QuadraticClients(((1, "1/10"),), ((0, 0),), (1, 1)))],
    **SILVER,
)
SILVER1_EVEN = theorem(
    "SILVER1-even: false with the step 1/L: F(x_3) - F* <= L D²/21",
    quantity <= L * D**2 / 21,
    algorithm=Algorithm("GD, step 1/L", short_step),
    cases=[three(BENT)],
    **SILVER,
    **FALSE,
)
CLAIMS = (GD1, GD1_SHARPER, GD2, GD3, GD3_LONG, SILVER1, SILVER1_EVEN, *steps.CLAIMS)
