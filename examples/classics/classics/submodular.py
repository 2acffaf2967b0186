"""Greedy maximisation of set functions.

CARD1: Nemhauser, Wolsey and Fisher (1978). MATR1: Fisher, Nemhauser and Wolsey (1978). KNAP1: greedy by density alone is unbounded
(Khuller, Moss and Naor 1999). KNAP2: folklore; the greedy set and the first item that does not fit exceed OPT together.
"""

from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st
from sympy import Rational

from fltheory import Algorithm, Case, quantity, theorem
from fltheory.claims.statement import requires
from fltheory.problems.decomposable import SubmodularClients, monotone_submodular
from fltheory.problems.sets.constraints import Knapsack
from fltheory.problems.sets.matroids import Partition, Uniform
from fltheory.problems.sets.set_functions import Coverage, Modular
from fltheory.runs.measures import ENERGY, RunMeasure
from fltheory.symbols import optimum as OPT
from fltheory.symbols import rank


@dataclass(frozen=True)
class Value(RunMeasure):
    """The value of the last set."""

    name: str = "F(S)"
    dimension: tuple = ENERGY

    def values(self, states, case):
        return case.instance.extension(states[:, -1])[:, None]


def greedy(score):
    """Add the item of the largest score that may be added, if its gain is positive."""

    def step(x, oracle, c):
        one, new = oracle.instance, x.copy()
        gains = oracle.mean_gradient(x)
        for row in range(len(x)):
            chosen = frozenset(e for e in range(one.dim) if x[row, e] != 0)
            able = [e for e in range(one.dim) if e not in chosen and one.matroid.independent(chosen | {e})]
            able = [e for e in able if gains[row, e] > 0]
            if able:
                best = max(able, key=lambda e: score(gains[row, e], e, one.matroid))
                new[row, best] = x[row, best] + 1
        return new

    return Algorithm("greedy", step)


GREEDY = greedy(lambda gain, e, allowed: gain)
DENSITY = greedy(lambda gain, e, allowed: gain / Fraction(allowed.costs[e]))


def run(function, allowed):
    """As many rounds as items can be chosen."""
    return Case(SubmodularClients(function, allowed), n_rounds=allowed.rank)


def coverage(n):
    """Coverage of up to five points by n items, random weights."""
    points = st.lists(st.lists(st.integers(0, n - 1), min_size=1, max_size=n, unique=True), min_size=2, max_size=5)
    return points.flatmap(
        lambda p: st.builds(
            lambda w: Coverage(tuple(map(tuple, p)), n, tuple(w)),
            st.lists(st.integers(1, 4), min_size=len(p), max_size=len(p)),
        )
    )


def cardinality():
    """Up to three of two to six items."""
    return st.integers(2, 6).flatmap(
        lambda n: st.builds(run, coverage(n), st.builds(Uniform, st.just(n), st.integers(1, min(n, 3))))
    )


def matroid():
    """One of each part, the parts being the even and the odd items."""
    return st.integers(2, 5).flatmap(
        lambda n: coverage(n).map(lambda f: run(f, Partition((tuple(range(0, n, 2)), tuple(range(1, n, 2))), (1, 1))))
    )


def knapsack():
    """Weights and costs of two to four items."""
    weight, cost = st.integers(1, 20), st.fractions("1/20", 1, max_denominator=20)
    items = st.lists(st.tuples(weight, cost), min_size=2, max_size=4)
    return items.map(lambda rows: run(Modular([w for w, _ in rows]), Knapsack([c for _, c in rows])))


def other(kind):
    """Require a kind of constraint, and a round for every item of a base."""
    return requires(
        f"{kind.__name__} constraint, as many rounds as the rank",
        lambda one, c: not (isinstance(one.matroid, kind) and c.n_rounds >= one.matroid.rank) and "another constraint",
    )


PAIR = run(Coverage(((0, 1), (0, 2), (1,), (2,)), 3, (1, 1, 1, 1)), Uniform(3, 2))  # 0 first, ties to it
HALF = run(Coverage(((0, 2), (0,), (1,)), 3, (9, 1, 8)), Partition(((0, 1), (2,)), (1, 1)))  # 10 of 17
SMALL_ITEM = run(Modular((1, 10)), Knapsack(("1/20", 1)))
CARD = {"assumptions": [monotone_submodular, other(Uniform)], "measure": Value(), "family": cardinality}
ANY = {"assumptions": [monotone_submodular, other(Partition)], "measure": Value(), "family": matroid}

CARD1 = theorem(
    "CARD1: greedy, at most k items, F monotone and submodular: F(S) >= (1 - (1 - 1/k)^k) OPT",
    quantity >= (1 - (1 - 1 / rank) ** rank) * OPT,
    algorithm=GREEDY,
    **CARD,
)
CARD1_MORE = theorem(
    "CARD1-more: false for a better constant: F(S) >= (4/5) OPT",
    quantity >= Rational(4, 5) * OPT,
    algorithm=GREEDY,
    cases=[PAIR],
    recorded="violated",
    **CARD,
)
MATR1 = theorem("MATR1: greedy under a matroid: F(S) >= OPT/2", quantity >= OPT / 2, algorithm=GREEDY, **ANY)
MATR1_CARD = theorem(
    "MATR1-card: false with the constant of CARD1, k being the rank",
    quantity >= (1 - (1 - 1 / rank) ** rank) * OPT,
    algorithm=GREEDY,
    cases=[HALF],
    recorded="violated",
    **ANY,
)
BUDGET = {"assumptions": [other(Knapsack)], "measure": Value(), "family": knapsack}
KNAP1 = theorem(
    "KNAP1: false, greedy by gain over cost under a budget: F(S) >= OPT/2",
    quantity >= OPT / 2,
    algorithm=DENSITY,
    cases=[SMALL_ITEM],
    recorded="violated",
    **BUDGET,
)


def better(x, oracle, c):
    """The same, and in the last round the best single item instead, if it is worth more."""
    one, new = oracle.instance, DENSITY.step(x, oracle, c)
    able = [e for e in range(one.dim) if one.matroid.independent({e})]
    if c.round < c.n_rounds - 1 or not able:
        return new
    best = max(able, key=lambda e: one.value({e}))
    for row in range(len(new)):
        chosen = frozenset(e for e in range(one.dim) if new[row, e] != 0)
        if one.value({best}) > one.value(chosen):
            new[row] = x[row] * 0
            new[row, best] = new[row, best] + 1
    return new


KNAP2 = theorem(
    "KNAP2: modular, the better of greedy by gain over cost and of the best item: F(S) >= OPT/2",
    quantity >= OPT / 2,
    algorithm=Algorithm("greedy or one item", better),
    cases=[SMALL_ITEM],
    **BUDGET,
)
CLAIMS = (CARD1, CARD1_MORE, MATR1, MATR1_CARD, KNAP1, KNAP2)
