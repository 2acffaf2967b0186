"""Three-block ADMM for A1 x1 + A2 x2 + A3 x3 = 0 converges. False: Chen, He, Ye, Yuan 2016.

No instance has linear constraints. The state (x1, x2, x3, three multipliers) is the point of a quadratic instance
whose minimiser is 0,
the columns A_m are hidden in the last three slopes of client m and read off as the gradient at 0; client 3 makes their sum 0.
"""

from hypothesis import strategies as st
from sympy import Eq

from fltheory import Algorithm, Case, quantity, theorem
from fltheory.claims.statement import requires
from fltheory.problems import QuadraticClients
from fltheory.runs.measures import LastDistance
from fltheory.symbols import dimension, initial_distance, n_clients, n_rounds, noise_std


def dot(u, v):
    return (u * v).sum(axis=1, keepdims=True)


def step(z, oracle, c):
    columns = [oracle.gradient(0 * z, m)[:, 3:] for m in range(3)]
    x, dual = [z[:, m : m + 1] for m in range(3)], z[:, 3:]
    for m in range(3):  # argmin of |sum A x|²/2 - <dual, sum A x> over block m
        rest = sum(columns[j] * x[j] for j in range(3) if j != m)
        x[m] = dot(columns[m], dual - rest) / dot(columns[m], columns[m])
    dual = dual - sum(columns[j] * x[j] for j in range(3))
    new = z * 0
    for m in range(3):
        new[:, m : m + 1] = x[m]
    new[:, 3:] = dual
    return new


def case(a, start, rounds):
    (p, q, r, s, t, u, v, w, y) = a
    if p * (t * y - u * w) - q * (s * y - u * v) + r * (s * w - t * v) == 0:
        a = (1, 0, 0, 0, 1, 0, 0, 0, 1)
    columns = [a[0:3], a[3:6], a[6:9]]
    columns.append(tuple(-sum(col) for col in zip(*columns, strict=True)))
    return Case(QuadraticClients((((1,) * 6),) * 4, tuple((0, 0, 0, *col) for col in columns), start), n_rounds=rounds)


def family():
    return st.builds(
        case, st.tuples(*[st.integers(0, 2)] * 9), st.tuples(*[st.integers(-1, 1)] * 6), st.integers(1, 400)
    )


def encoded(one, c):
    rows = [list(row) for row in one.slopes]
    (p, q, r), (s, t, u), (v, w, y) = [row[3:] for row in rows[:3]]
    if (
        any(any(row[:3]) for row in rows)
        or any(sum(col) for col in zip(*rows, strict=True))
        or any(v != 1 for row in one.curvatures for v in row)
    ):
        return "not the encoding of three columns"
    return p * (t * y - u * w) - q * (s * y - u * v) + r * (s * w - t * v) == 0 and "a singular matrix"


CLAIM = theorem(
    "ADMM3: |u_R - u*|² <= 1000 |u_0 - u*|² / R",
    quantity <= 1000 * initial_distance**2 / n_rounds,
    given=[Eq(n_clients, 4), Eq(noise_std, 0), Eq(dimension, 6)],
    assumptions=[requires("A is regular", encoded)],
    algorithm=Algorithm("ADMM, three blocks", step),
    measure=LastDistance(),
    family=family,
    key="admm",
)
