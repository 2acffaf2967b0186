"""Random reshuffling (Mishchenko, Khaled, Richtarik 2020), Theorem 1 with Proposition 1."""

from hypothesis import strategies as st
from sympy import Eq

from fltheory import Algorithm, Case, quantity, theorem
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.assumptions import smooth, strongly_convex
from fltheory.runs.measures import LastDistance
from fltheory.symbols import heterogeneity_at_optimum as sigma
from fltheory.symbols import initial_distance as D
from fltheory.symbols import n_clients as n
from fltheory.symbols import n_rounds as T
from fltheory.symbols import noise_std
from fltheory.symbols import smoothness as L
from fltheory.symbols import step_size as gamma
from fltheory.symbols import strong_convexity as mu


def step(x, oracle, c):
    for i in oracle.order().T:
        x = x - c.step_size * oracle.gradient(x, i)
    return x


@st.composite
def family(draw):
    m = draw(st.integers(2, 5))
    h = st.fractions("1/20", 1, max_denominator=20)
    b = st.integers(-3, 3)
    clients = QuadraticClients(
        draw(st.lists(h, min_size=m, max_size=m)), draw(st.lists(b, min_size=m, max_size=m)), draw(st.integers(0, 5))
    )
    return Case(clients, n_rounds=draw(st.integers(1, 30)), step_size=draw(st.fractions("1/50", 1, max_denominator=50)))


RR = {
    "algorithm": Algorithm("random reshuffling", step),
    "measure": LastDistance(),
    "family": family,
    "assumptions": [smooth, strongly_convex],
    "given": [Eq(noise_std, 0), gamma * L <= 1, mu > 0],
    "letters": {n: "n", T: "T", gamma: r"\gamma", sigma: r"\sigma_*"},
}
T1 = theorem(
    "T1: E|x_T - x*|² <= (1 - gamma mu)^(nT) D² + gamma² L n sigma²/(2 mu)",
    quantity <= (1 - gamma * mu) ** (n * T) * D**2 + gamma**2 * L * n * sigma**2 / (2 * mu),
    **RR,
)
T1_no_n = theorem(
    "T1-no-n: false, without the factor n: gamma² L sigma²/(2 mu)",
    quantity <= (1 - gamma * mu) ** (n * T) * D**2 + gamma**2 * L * sigma**2 / (2 * mu),
    **RR,
)
T1_tenth = theorem(
    "T1-tenth: false, a twentieth of the noise term",
    quantity <= (1 - gamma * mu) ** (n * T) * D**2 + gamma**2 * L * n * sigma**2 / (20 * mu),
    **RR,
)
