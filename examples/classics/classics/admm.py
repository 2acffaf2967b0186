"""ADMM with two and with three blocks, for A_1 x_1 + A_2 x_2 (+ A_3 x_3) = 0 with nothing to minimise.

ADMM2: Gabay (1983); |lambda|² + |A_2 x_2|² never rises, He and Yuan (2012). ADMM3: Chen, He, Ye and Yuan (2016).
No instance has constraints: the columns A_m, three numbers each of 0, 1 and 2, stand in the last slopes of client m, one more
client makes their sum 0, and the point is (x, lambda).
"""

from hypothesis import strategies as st
from sympy import Eq

from classics.letters import D, M, sigma
from fltheory import Algorithm, Case, quantity, theorem
from fltheory.claims.statement import requires
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.measures import LastDistance
from fltheory.symbols import dimension as d


def case(columns, start, rounds):
    """The columns as clients."""
    blocks = len(columns)
    last = tuple(-sum(row) for row in zip(*columns, strict=True))
    slopes = tuple((0,) * blocks + column for column in (*columns, last))
    return Case(QuadraticClients(((1,) * (blocks + 3),) * (blocks + 1), slopes, start), n_rounds=rounds)


def family(blocks):
    """Any columns but 0, any start, long runs."""
    column = st.tuples(*[st.integers(0, 2)] * 3).filter(any)
    return st.builds(
        case,
        st.tuples(*[column] * blocks),
        st.tuples(*[st.integers(-1, 1)] * (blocks + 3)).filter(any),
        st.integers(1, 400),
    )


def two():
    """Two blocks."""
    return family(2)


def three():
    """Three blocks."""
    return family(3)


def no_constraint(one, c):
    """Why an instance doesn't stand for columns."""
    columns = [row[-3:] for row in one.slopes[:-1]]
    if any(v not in (0, 1, 2) for column in columns for v in column) or not all(map(any, columns)):
        return "other columns"
    return one != case(tuple(columns), one.start, 1).instance and "not the encoding of columns"


def dot(u, v):
    """The inner products of rows, as a column."""
    return (u * v).sum(axis=1, keepdims=True)


def step(z, oracle, c):
    """Every x_m in turn to the least |sum A x|²/2 - <lambda, sum A x>, then lambda - sum A x."""
    blocks = c.n_clients - 1
    columns = [oracle.gradient(0 * z, m)[:, blocks:] for m in range(blocks)]
    new, dual = z.copy(), z[:, blocks:]
    for m, column in enumerate(columns):
        rest = sum(columns[j] * new[:, j : j + 1] for j in range(blocks) if j != m)
        new[:, m : m + 1] = dot(column, dual - rest) / dot(column, column)
    new[:, blocks:] = dual - sum(columns[j] * new[:, j : j + 1] for j in range(blocks))
    return new


ADMM = {
    "assumptions": [requires("columns of 0, 1 and 2", no_constraint)],
    "algorithm": Algorithm("ADMM", step),
    "measure": LastDistance(),
}
FAMOUS = case(((1, 1, 1), (1, 1, 2), (1, 2, 2)), (1, 1, 1, 1, 1, 1), 300)
ADMM2 = theorem(
    "ADMM2: two blocks stay bounded: |(x, lambda)_R|² <= 36 |(x, lambda)_0|²",
    quantity <= 36 * D**2,
    given=[Eq(M, 3), Eq(d, 5), Eq(sigma, 0)],
    family=two,
    **ADMM,
)
ADMM3 = theorem(
    "ADMM3: false with three blocks: |(x, lambda)_R|² <= 36 |(x, lambda)_0|²",
    quantity <= 36 * D**2,
    given=[Eq(M, 4), Eq(d, 6), Eq(sigma, 0)],
    family=three,
    cases=[FAMOUS],
    recorded="violated",
    **ADMM,
)
CLAIMS = (ADMM2, ADMM3)
