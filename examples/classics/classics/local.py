"""Local steps: all clients start from the server's point, take steps of their own, and the server averages.

LOC1: Khaled, Mishchenko and Richtárik, Tighter theory for local SGD (2020), Theorem 5. LOC2 and NOVA are elementary: a gradient
step contracts towards x*, and local points are at most eta K |grad| away. NOVA: Wang et al.
(2020), FedNova.
"""

from dataclasses import replace

from hypothesis import strategies as st
from sympy import Eq

from classics.letters import D, K, L, M, R, eta, mu, sigma, zeta
from fltheory import Algorithm, Case, quantity, theorem
from fltheory.problems.separable import QuadraticClients
from fltheory.problems.strategies import log_uniform_counts, quadratic_clients
from fltheory.runs.measures import LastDistance, LastGap


def local(x, client, n_steps, oracle, c, shift=0):
    """Run the local steps of a client, its gradients shifted."""
    for k in range(n_steps):
        x = x - c.step_size * (oracle.gradient(x, client, k) + shift)
    return x


def fedavg_step(x, oracle, c):
    """The mean of the clients' ends."""
    return sum(local(x, m, c.n_local_steps, oracle, c) for m in range(c.n_clients)) / c.n_clients


def averaging_step(s, oracle, c):
    """The same, with the mean over the run of all means of local points."""
    points, mean = [s["x"]] * c.n_clients, s["mean"]
    for k in range(c.n_local_steps):
        mean = mean + sum(points) / (c.n_clients * c.n_local_steps * c.n_rounds)
        points = [y - c.step_size * oracle.gradient(y, m, k) for m, y in enumerate(points)]
    return {"x": sum(points) / c.n_clients, "mean": mean}


def uneven_step(x, oracle, c):
    """Client m takes 1 + (m mod K) steps; the mean of the ends."""
    return sum(local(x, m, 1 + m % c.n_local_steps, oracle, c) for m in range(c.n_clients)) / c.n_clients


def nova_step(x, oracle, c):
    """The same work, each client's way divided by its number of steps: FedNova."""
    work = [1 + m % c.n_local_steps for m in range(c.n_clients)]
    ways = [(local(x, m, n, oracle, c) - x) / n for m, n in enumerate(work)]
    return x + c.n_local_steps * sum(ways) / c.n_clients


def runs(f, rounds, local, part):
    """A run with steps of a part of 1/(L K)."""
    return Case(f, n_rounds=rounds, n_local_steps=local, step_size=part / (f.constants[L] * local))


def of(instances):
    """Runs of these clients."""
    part = st.fractions("1/20", 1, max_denominator=20)
    return st.builds(runs, instances, log_uniform_counts(300), st.integers(1, 5), part)


def clients():
    """Quadratic clients, exact gradients."""
    return of(quadratic_clients(3, 2, curved=True, noise=False))


def noisy():
    """The same with noise."""
    return of(quadratic_clients(3, 2, curved=True))


def alike():
    """Clients whose minimiser is 0, with noise."""
    return of(quadratic_clients(3, 2, curved=True).map(lambda f: replace(f, slopes=((0,) * f.dim,) * f.n_clients)))


def short():
    """Clients of curvatures 1/4 to 1 in one dimension, steps of up to mu/(3 L² K)."""
    rows = st.lists(st.tuples(st.fractions("1/4", 1, max_denominator=4), st.integers(-2, 2)), min_size=1, max_size=3)
    some = of(rows.map(lambda r: QuadraticClients(tuple(h for h, _ in r), tuple(b for _, b in r), 1)))
    return some.map(lambda c: c.with_settings(step_size=c.constants[eta] * c.constants[mu] / (3 * c.constants[L])))


def local_start(start, c):
    """The point and the mean of the run."""
    return {"x": start, "mean": 0 * start}


FEDAVG = Algorithm("FedAvg", fedavg_step)
OPPOSED = QuadraticClients(("1/4", 1), (1, -1), 0)  # two clients of different curvature that pull apart
APART = Case(OPPOSED, n_rounds=300, n_local_steps=4, step_size="1/100")
FAR = {"cases": [Case(OPPOSED, n_rounds=300, n_local_steps=5, step_size="1/5")], "recorded": "violated"}
DISTANT = Case(QuadraticClients(("1/4", 1), (1, -1), 50), n_rounds=300, n_local_steps=4, step_size="1/24")
EXACT, DISTANCE = Eq(sigma, 0), LastDistance()

LOC1 = theorem(
    "LOC1: local SGD, the mean of all local points: E F - F* <= 4 D²/(eta K R) + 20 eta s²/M + 16 eta² L (K - 1)² s²,"
    " s² = sigma² + zeta²",
    quantity <= 4 * D**2 / (eta * K * R) + (20 * eta / M + 16 * eta**2 * L * (K - 1) ** 2) * (sigma**2 + zeta**2),
    given=[4 * eta * L <= 1, 8 * eta * L * (K - 1) <= 1],
    algorithm=Algorithm("local SGD, mean of the run", averaging_step, init=local_start, point=lambda s: s["mean"]),
    measure=LastGap(),
    family=noisy,
    cases=[DISTANT],
)
LOC1_FREE = theorem(
    "LOC1-free: false, K local steps are no K-fold speed-up where clients differ: F(x_R) - F* <= 10 D²/(eta K R)",
    quantity <= 10 * D**2 / (eta * K * R),
    given=[EXACT, eta * L <= 1],
    algorithm=FEDAVG,
    measure=LastGap(),
    family=clients,
    **FAR,
)
LOC2 = theorem(
    "LOC2: FedAvg, a minimiser common to all clients: |x_R - x*|² <= (1 - eta mu)^(K R) D²",
    quantity <= (1 - eta * mu) ** (K * R) * D**2,
    given=[EXACT, Eq(zeta, 0), mu > 0, eta * L <= 1],
    algorithm=FEDAVG,
    measure=DISTANCE,
    family=alike,
)
LOC2_ANY = theorem(
    "LOC2-any: false, with a constant step FedAvg settles beside x*: |x_R - x*|² <= 10 (1 - eta mu)^R D²",
    quantity <= 10 * (1 - eta * mu) ** R * D**2,
    given=[EXACT, mu > 0, eta * L <= 1],
    algorithm=FEDAVG,
    measure=DISTANCE,
    family=clients,
    **FAR,
)
consistent = 2 * (1 - eta * mu / 2) ** (2 * R) * D**2 + 2 * (eta * L * K * zeta / mu) ** 2
NOVA = theorem(
    "NOVA: FedNova: |x_R - x*|² <= 2 (1 - eta mu/2)^(2R) D² + 2 (eta L K zeta/mu)²",
    quantity <= consistent,
    given=[EXACT, mu > 0, eta * K * L**2 <= mu],
    algorithm=Algorithm("FedNova", nova_step),
    measure=DISTANCE,
    family=short,
    cases=[DISTANT],
)
NOVA_PLAIN = theorem(
    "NOVA-plain: false, without the normalisation: clients that work more count more, however short the steps",
    quantity <= consistent,
    given=[EXACT, mu > 0, eta * K * L**2 <= mu],
    algorithm=Algorithm("uneven work", uneven_step),
    measure=DISTANCE,
    family=short,
    cases=[Case(OPPOSED, n_rounds=9000, n_local_steps=2, step_size="1/1000")],
    recorded="violated",
)
CLAIMS = (LOC1, LOC1_FREE, LOC2, LOC2_ANY, NOVA, NOVA_PLAIN)
