"""Federated methods made for clients that differ: SCAFFOLD, ProxSkip, FedProx, FedDyn.

SCA: Karimireddy et al. (2020), whose rate has other constants; elementary: corrected local gradients are at most L (|x_r - x*| +
2 |x_(r-1) - x*|). SKIP: Mishchenko et al., ProxSkip (2022), Theorem 3.6. PROX: Li et al. (2020), with exact proximal steps; where
they settle: Pathak and Wainwright (2020). DYN: Acar et al., FedDyn (2021), with exact local solutions; then it is Douglas-Rachford
splitting, whose rate is that of Giselsson and Boyd (2017).
"""

import numpy as np
from hypothesis import strategies as st
from sympy import Eq, Max

from classics.letters import D, K, L, R, eta, mu, zeta
from classics.local import APART, DISTANCE, EXACT, FAR, FEDAVG, OPPOSED, clients, local, short
from fltheory import Algorithm, Case, declare, quantity, theorem
from fltheory.problems.strategies import log_uniform_counts, log_uniform_positive, quadratic_clients

weight = declare("prox_weight", "weight of the proximal term", "positive", 1, -2)


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


def dynamic_start(start, c):
    """The clients' mean, the server's point, and what every client remembers."""
    return {"x": start, "server": start, "own": np.stack([0 * start] * c.n_clients, axis=1)}


def dynamic_step(kept):
    """Clients minimise F_m(y) - <g_m, y> + w |y - x|²/2; g_m moves by w (x - y_m), or is forgotten."""

    def step(s, oracle, c):
        x, own, w = s["server"], s["own"], c.prox_weight
        ends = np.stack([oracle.prox(x + own[:, m] / w, m, 1 / w) for m in range(c.n_clients)], axis=1)
        own = kept * (own + w * (x[:, None] - ends))
        mean = ends.sum(axis=1) / c.n_clients
        return {"x": mean, "server": mean - own.sum(axis=1) / (c.n_clients * w), "own": own}

    return step


def proximal():
    """Weights of the proximal term instead of steps."""
    clients, weights = quadratic_clients(3, 1, curved=True, noise=False), log_uniform_positive(1e-2, 10)
    return st.builds(lambda f, r, w: Case(f, n_rounds=r, prox_weight=w), clients, log_uniform_counts(300), weights)


def own_start(start, c):
    """The point and a vector of every client."""
    return {"x": start, "own": np.stack([start] * c.n_clients, axis=1)}


def shift_start(start, c):
    """The point, and points and shifts of the clients."""
    return {"x": start, "own": np.stack([start] * c.n_clients, axis=1), "shift": np.stack([0 * start] * c.n_clients, 1)}


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
reflected = Max((weight - mu) / (weight + mu), (L - weight) / (L + weight))
averaged = ((1 + reflected) / 2) ** (2 * (R - 1)) * (weight**2 * D**2 + zeta**2) / (weight + mu) ** 2
DYN = theorem(
    "DYN: FedDyn, the clients' mean y, any clients: |y_R - x*|² <= ((1 + r)/2)^(2(R - 1)) (w² D² + zeta²)/(w + mu)²,"
    " r = max((w - mu)/(w + mu), (L - w)/(L + w))",
    quantity <= averaged,
    given=[EXACT, mu > 0],
    algorithm=Algorithm("FedDyn", dynamic_step(1), init=dynamic_start),
    measure=DISTANCE,
    family=proximal,
)
DYN_NONE = theorem(
    "DYN-none: false where clients remember nothing",
    quantity <= averaged,
    given=[EXACT, mu > 0],
    algorithm=Algorithm("FedDyn, nothing kept", dynamic_step(0), init=dynamic_start),
    measure=DISTANCE,
    family=proximal,
    cases=[Case(OPPOSED, n_rounds=300, prox_weight=1)],
    recorded="violated",
)
CLAIMS = (SCA, SCA_NONE, SCA_SIGN, SKIP, SKIP_NONE, PROX, PROX_ANY, DYN, DYN_NONE)
