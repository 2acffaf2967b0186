"""Local steps: all clients start from the server's point, take steps of their own, and the server averages.

LOC1: Khaled, Mishchenko and Richtárik, Tighter theory for local SGD (2020), Theorem 5. LOC2, SCA and NOVA are elementary: a gradient
step contracts towards x*, and local points are at most eta K |grad| away. MB: Woodworth et al. (2020) compare the two. NOVA: Wang
et al. (2020). SCA: Karimireddy et al. (2020), whose rate has other constants. SKIP: Mishchenko et al., ProxSkip (2022), Theorem 3.6.
PROX: Li et al. (2020), with exact proximal steps; their fixed point: Pathak and Wainwright (2020).
"""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st
from sympy import Eq, Max

from classics.letters import D, K, L, M, R, eta, mu, sigma, zeta
from fltheory import Algorithm, Case, declare, quantity, theorem
from fltheory.problems.separable import QuadraticClients
from fltheory.problems.strategies import log_uniform_counts, log_uniform_positive, quadratic_clients
from fltheory.runs.measures import LastDistance, LastGap

weight = declare("prox_weight", "weight of the proximal term", "positive", 1, -2)


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


def minibatch_step(x, oracle, c):
    """One step along the mean of the M K gradients at x."""
    total = sum(oracle.gradient(x, m, k) for m in range(c.n_clients) for k in range(c.n_local_steps))
    return x - c.step_size * total / (c.n_clients * c.n_local_steps)


def uneven_step(x, oracle, c):
    """Client m takes 1 + (m mod K) steps; the mean of the ends."""
    return sum(local(x, m, 1 + m % c.n_local_steps, oracle, c) for m in range(c.n_clients)) / c.n_clients


def nova_step(x, oracle, c):
    """The same work, each client's way divided by its number of steps: FedNova."""
    work = [1 + m % c.n_local_steps for m in range(c.n_clients)]
    ways = [(local(x, m, n, oracle, c) - x) / n for m, n in enumerate(work)]
    return x + c.n_local_steps * sum(ways) / c.n_clients


def scaffold(sign):
    """SCAFFOLD, control variates being the gradients at the server's last point."""

    def step(s, oracle, c):
        now = [oracle.gradient(s["x"], m) for m in range(c.n_clients)]
        own = now if c.round == 0 else [s["own"][:, m] for m in range(c.n_clients)]
        mean = sum(own) / c.n_clients
        ends = [local(s["x"], m, c.n_local_steps, oracle, c, sign * (mean - own[m])) for m in range(c.n_clients)]
        return {"x": sum(ends) / c.n_clients, "own": np.stack(now, axis=1)}

    return step


def scaffnew(correction):
    """One gradient step a round; with probability 1/K the clients meet at their mean. Shifts are kept, or not."""

    def step(s, oracle, c):
        own, shift, p = s["own"], s["shift"], 1 / c.n_local_steps
        moved = [own[:, m] - c.step_size * (oracle.gradient(own[:, m], m) - shift[:, m]) for m in range(c.n_clients)]
        mean = sum(y - c.step_size / p * shift[:, m] for m, y in enumerate(moved)) / c.n_clients
        meet = oracle.coin(p)[:, None]
        after = np.stack([np.where(meet, mean, y) for y in moved], axis=1)
        shift = shift + correction * p / c.step_size * (after - np.stack(moved, axis=1))
        return {"x": after.sum(axis=1) / c.n_clients, "own": after, "shift": shift}

    return step


def prox_step(x, oracle, c):
    """The mean of argmin F_m(y) + w |y - x|²/2; slope and curvature of a client are read off two gradients."""
    total = 0 * x
    for m in range(c.n_clients):
        slope = oracle.gradient(0 * x, m)
        total = total + (c.prox_weight * x - slope) / (c.prox_weight + oracle.gradient(0 * x + 1, m) - slope)
    return total / c.n_clients


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
    """Steps of up to mu/(L² K)."""
    return clients().map(lambda c: c.with_settings(step_size=c.constants[eta] * c.constants[mu] / c.constants[L]))


def proximal():
    """Weights of the proximal term instead of steps."""
    clients, weights = quadratic_clients(3, 1, curved=True, noise=False), log_uniform_positive(1e-2, 10)
    return st.builds(lambda f, r, w: Case(f, n_rounds=r, prox_weight=w), clients, log_uniform_counts(300), weights)


def local_start(start, c):
    """The point and the mean of the run."""
    return {"x": start, "mean": 0 * start}


def own_start(start, c):
    """The point and a vector of every client."""
    return {"x": start, "own": np.stack([start] * c.n_clients, axis=1)}


def shift_start(start, c):
    """The point, and points and shifts of the clients."""
    return {"x": start, "own": np.stack([start] * c.n_clients, axis=1), "shift": np.stack([0 * start] * c.n_clients, 1)}


FEDAVG = Algorithm("FedAvg", fedavg_step)
OPPOSED = QuadraticClients(("1/4", 1), (1, -1), 0)  # two clients of different curvature that pull apart
APART = Case(OPPOSED, n_rounds=300, n_local_steps=4, step_size="1/100")
FAR = {"cases": [Case(OPPOSED, n_rounds=300, n_local_steps=5, step_size="1/5")], "recorded": "violated"}
STEADY = Case(QuadraticClients((1,), (0,), 0, noise_std=1), n_rounds=9, n_local_steps=5, step_size="1/5")
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
averaged = (1 - eta * mu) ** R * D**2 + eta * sigma**2 / (M * K * mu)
MB = theorem(
    "MB: mini-batch SGD, M K gradients a step: E|x_R - x*|² <= (1 - eta mu)^R D² + eta sigma²/(M K mu)",
    quantity <= averaged,
    given=[mu > 0, eta * L <= 1],
    algorithm=Algorithm("mini-batch SGD", minibatch_step),
    measure=DISTANCE,
    family=noisy,
)
MB_LOCAL = theorem(
    "MB-local: false, local SGD of the same step is not always as good, even where clients are alike",
    quantity <= averaged,
    given=[mu > 0, eta * L <= 1, Eq(zeta, 0)],
    algorithm=Algorithm("local SGD", fedavg_step),
    measure=DISTANCE,
    family=alike,
    cases=[STEADY],
    recorded="violated",
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
drift_free = (1 - eta * K * mu / 2) ** R * D**2
few = [EXACT, mu > 0, 3 * eta * K * L**2 <= mu]
SCA = theorem(
    "SCA: SCAFFOLD, any clients: |x_R - x*|² <= (1 - eta K mu/2)^R D²",
    quantity <= drift_free,
    given=few,
    algorithm=Algorithm("SCAFFOLD", scaffold(1), init=own_start),
    measure=DISTANCE,
    family=short,
)
SCA_NONE = theorem(
    "SCA-none: false of FedAvg, which has no control variates",
    quantity <= drift_free,
    given=few,
    algorithm=FEDAVG,
    measure=DISTANCE,
    family=short,
    cases=[APART],
    recorded="violated",
)
SCA_SIGN = theorem(
    "SCA-sign: false, the sign of the control variates turned",
    quantity <= drift_free,
    given=few,
    algorithm=Algorithm("SCAFFOLD, sign turned", scaffold(-1), init=own_start),
    measure=DISTANCE,
    family=short,
    cases=[APART],
    recorded="violated",
)
skipped = Max(1 - eta * mu, 1 - 1 / K**2) ** R * (D**2 + (eta * K * zeta) ** 2)
SKIP = theorem(
    "SKIP: ProxSkip (Scaffnew), p = 1/K: E|x_R - x*|² <= max(1 - eta mu, 1 - p²)^R (D² + eta² zeta²/p²)",
    quantity <= skipped,
    given=[EXACT, mu > 0, eta * L <= 1],
    algorithm=Algorithm("Scaffnew", scaffnew(1), init=shift_start),
    measure=DISTANCE,
    family=clients,
)
SKIP_NONE = theorem(
    "SKIP-none: false of local steps without shifts, which meet as rarely",
    quantity <= skipped,
    given=[EXACT, mu > 0, eta * L <= 1],
    algorithm=Algorithm("rare meetings", scaffnew(0), init=shift_start),
    measure=DISTANCE,
    family=clients,
    **FAR,
)
PROX = theorem(
    "PROX: FedProx, a minimiser common to all clients: |x_R - x*|² <= (w/(w + mu))^R D²",
    quantity <= (weight / (weight + mu)) ** R * D**2,
    given=[EXACT, Eq(zeta, 0), mu > 0],
    algorithm=Algorithm("FedProx", prox_step),
    measure=DISTANCE,
    family=proximal,
)
PROX_ANY = theorem(
    "PROX-any: false, FedProx settles beside x*: |x_R - x*|² <= 10 (1 - mu/(2 (w + L)))^R D²",
    quantity <= 10 * (1 - mu / (2 * (weight + L))) ** R * D**2,
    given=[EXACT, mu > 0],
    algorithm=Algorithm("FedProx", prox_step),
    measure=DISTANCE,
    family=proximal,
    cases=[Case(OPPOSED, n_rounds=300, prox_weight=1)],
    recorded="violated",
)
CLAIMS = (
    *(LOC1, LOC1_FREE, LOC2, LOC2_ANY, MB, MB_LOCAL, NOVA, NOVA_PLAIN),
    *(SCA, SCA_NONE, SCA_SIGN, SKIP, SKIP_NONE, PROX, PROX_ANY),
)
