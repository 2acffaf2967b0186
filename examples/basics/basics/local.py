"""Local SGD: all clients start from the server's model, take K steps of their own, and the server averages.

LSGD2 is elementary (a step of a client contracts towards x* but for its gradient there); it is meant to be proved in a page.
For sharper ones, whose bias vanishes with eta, see Khaled, Mishchenko and Richtárik (2020) and the catalogue `sfl`.
"""

from sympy import Eq

from basics.families import alike, different
from basics.letters import D, K, L, R, eta, mu, sigma, zeta
from fltheory import Algorithm, Case, quantity, theorem
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.measures import LastDistance


def step(x, oracle, c):
    """The mean over the clients of x after K local steps each."""
    total = 0 * x
    for client in range(c.n_clients):
        y = x
        for k in range(c.n_local_steps):
            y = y - c.step_size * oracle.gradient(y, client, k)
        total = total + y
    return total / c.n_clients


LOCAL, SMALL, EQUAL = Algorithm("local SGD", step), eta * L < 1, Eq(zeta, 0)
NOISE = Case(QuadraticClients((1,), (0,), (0,), noise_std=1), n_rounds=1, n_local_steps=2, step_size="1/2")
BIASED = Case(QuadraticClients(("1/4", 1), (1, -1), (0,)), n_rounds=9, n_local_steps=5, step_size="1/2")

LSGD1 = theorem(
    "LSGD1: clients with one minimiser: E|x_R - x*|² <= (1 - eta mu)^(K R) D² + eta sigma²/mu",
    quantity <= (1 - eta * mu) ** (K * R) * D**2 + eta * sigma**2 / mu,
    given=[SMALL, EQUAL, mu > 0],
    algorithm=LOCAL,
    measure=LastDistance(),
    family=alike,
)
LSGD1_QUICK = theorem(
    "LSGD1-quick: false, K local steps don't divide the noise by K: ... + eta sigma²/(K mu)",
    quantity <= (1 - eta * mu) ** (K * R) * D**2 + eta * sigma**2 / (K * mu),
    given=[SMALL, EQUAL, mu > 0],
    algorithm=LOCAL,
    measure=LastDistance(),
    family=alike,
    cases=[NOISE],
    recorded="violated",
)
LSGD2 = theorem(
    "LSGD2: any clients: E|x_R - x*|² <= (1 - eta mu)^(K R) D² + eta sigma²/mu + zeta²/mu²",
    quantity <= (1 - eta * mu) ** (K * R) * D**2 + eta * sigma**2 / mu + zeta**2 / mu**2,
    given=[SMALL, mu > 0],
    algorithm=LOCAL,
    measure=LastDistance(),
    family=different,
)
LSGD2_FREE = theorem(
    "LSGD2-free: false, local steps are not free where clients differ: the bound of LSGD1 for any clients",
    quantity <= (1 - eta * mu) ** (K * R) * D**2 + eta * sigma**2 / mu,
    given=[SMALL, mu > 0],
    algorithm=LOCAL,
    measure=LastDistance(),
    family=different,
    cases=[BIASED],
    recorded="violated",
)
CLAIMS = (LSGD1, LSGD1_QUICK, LSGD2, LSGD2_FREE)
