"""Mini-batch SGD: the server takes one step along the mean of all gradients at its point, where local SGD takes K steps.

MB, MB-quiet, MB-noise: Woodworth et al., Is local SGD better than minibatch SGD? (2020), compare the two. On quadratic clients
it is elementary: each coordinate's bias and variance are geometric sums.
"""

from dataclasses import replace

from hypothesis import strategies as st
from sympy import Eq

from classics.letters import D, K, L, M, R, eta, mu, sigma, zeta
from classics.local import DISTANCE, EXACT, OPPOSED, alike, fedavg_step, noisy, of
from fltheory import Algorithm, Case, quantity, theorem
from fltheory.claims.statement import requires
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.measures import Against


def minibatch_step(x, oracle, c):
    """One step along the mean of the M K gradients at x."""
    total = sum(oracle.gradient(x, m, k) for m in range(c.n_clients) for k in range(c.n_local_steps))
    return x - c.step_size * total / (c.n_clients * c.n_local_steps)


def long_minibatch_step(x, oracle, c):
    """The same step, K times as long."""
    return x + c.n_local_steps * (minibatch_step(x, oracle, c) - x)


def quiet():
    """Clients whose minimiser is 0, without noise."""
    return alike().map(lambda case: Case(replace(case.instance, noise_std=0), **dict(case.settings)))


def still():
    """Noisy clients of one curvature that start at their minimiser 0."""
    one = st.builds(
        lambda h, m, s: QuadraticClients((h,) * m, (0,) * m, 0, noise_std=s),
        st.fractions("1/20", 1, max_denominator=20),
        st.integers(1, 3),
        st.integers(1, 3),
    )
    return of(one)


def no_quadratic(one, c):
    """Why clients are no quadratics with additive noise."""
    return not isinstance(one, QuadraticClients)


STEADY = Case(QuadraticClients((1,), (0,), 0, noise_std=1), n_rounds=9, n_local_steps=5, step_size="1/5")
averaged = (1 - eta * mu) ** R * D**2 + eta * sigma**2 / (M * K * mu)
MB = theorem(
    "MB: mini-batch SGD, M K gradients a step: E|x_R - x*|² <= (1 - eta mu)^R D² + eta sigma²/(M K mu)",
    quantity <= averaged,
    given=[mu > 0, eta * L <= 1],
    algorithm=Algorithm("mini-batch SGD", minibatch_step),
    measure=DISTANCE,
    family=noisy,
)
LOCAL, QUADRATIC = Algorithm("local SGD", fedavg_step), [requires("quadratic clients", no_quadratic)]
SAME = Against(DISTANCE, Algorithm("mini-batch SGD", minibatch_step))
LONG = Against(DISTANCE, Algorithm("mini-batch SGD, steps K eta", long_minibatch_step))
MB_LOCAL = theorem(
    "MB-local: false, local SGD of the same step is not always as good, even where clients are alike",
    quantity <= SAME.baseline,
    given=[mu > 0, eta * L <= 1, Eq(zeta, 0)],
    algorithm=LOCAL,
    measure=SAME,
    family=alike,
    cases=[STEADY],
    recorded="violated",
)
MB_QUIET = theorem(
    "MB-quiet: one minimiser for all clients, no noise: local SGD is at most mini-batch SGD of the same step",
    quantity <= SAME.baseline,
    given=[EXACT, Eq(zeta, 0), eta * L <= 1],
    assumptions=QUADRATIC,
    algorithm=LOCAL,
    measure=SAME,
    family=quiet,
)
MB_NOISE = theorem(
    "MB-noise: from x*, clients of one curvature: local SGD is at most mini-batch SGD with steps K eta <= 1/L",
    quantity <= LONG.baseline,
    given=[Eq(D, 0), Eq(zeta, 0), Eq(L, mu), K * eta * L <= 1],
    assumptions=QUADRATIC,
    algorithm=LOCAL,
    measure=LONG,
    family=still,
)
MB_NOISE_APART = theorem(
    "MB-noise-apart: false where clients differ, which moves local SGD away from x*",
    quantity <= LONG.baseline,
    given=[mu > 0, K * eta * L <= 1],
    assumptions=QUADRATIC,
    algorithm=LOCAL,
    measure=LONG,
    family=noisy,
    cases=[Case(replace(OPPOSED, noise_std=1), n_rounds=300, n_local_steps=4, step_size="1/20")],
    recorded="violated",
)
CLAIMS = (MB, MB_LOCAL, MB_QUIET, MB_NOISE, MB_NOISE_APART)
