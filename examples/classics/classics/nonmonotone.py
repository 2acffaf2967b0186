"""Submodular functions that are nonnegative but need not be monotone: cuts of directed graphs.

CUT1: greedy has no guarantee. RAND-SET: a random set, Feige, Mirrokni and Vondrák (2007). TWO1: deterministic double greedy,
Buchbinder et al. (2012), Theorem I.1.
"""

from hypothesis import strategies as st

from classics.submodular import GREEDY, Value
from fltheory import Algorithm, Case, quantity, theorem
from fltheory.claims.statement import requires
from fltheory.problems.decomposable import SubmodularClients, nonnegative, submodular, unconstrained
from fltheory.problems.sets.cuts import Cut
from fltheory.problems.sets.matroids import Uniform
from fltheory.symbols import optimum as OPT


def graph(n, arcs):
    """A round for every item; the weights of arcs."""
    cut = Cut(tuple(arcs), n, tuple(arcs.values()))
    return Case(SubmodularClients(cut, Uniform(n, n)), n_rounds=n)


def cuts():
    """Sparse directed graphs of two to four items, small weights."""
    weight = st.sampled_from([0] * 6 + [1, 2, 3, 4])
    return st.integers(2, 4).flatmap(
        lambda n: st.fixed_dictionaries({(i, j): weight for i in range(n) for j in range(n) if i != j}).map(
            lambda w: graph(n, {arc: v for arc, v in w.items() if v} or {(0, 1): 1})
        )
    )


def random_step(x, oracle, c):
    """The item of the round with probability 1/2."""
    new = x.copy()
    new[:, c.round] = new[:, c.round] + oracle.coin("1/2")
    return new


def both(start, c):
    """The empty set and the set of all items."""
    return {"x": start, "all": start * 0 + 1}


def gains(s, oracle, c):
    """What the item of the round gains in the smaller set, and what its loss gains in the larger."""
    e = c.round
    return oracle.mean_gradient(s["x"])[:, e], -oracle.mean_gradient(s["all"])[:, e]


def kept(s, c, keep):
    """Add the item of the round to the smaller set, or take it from the larger."""
    small, large, e = s["x"].copy(), s["all"].copy(), c.round
    small[:, e] = small[:, e] * 0 + keep
    large[:, e] = large[:, e] * 0 + keep
    return {"x": small, "all": large}


def two_sided(s, oracle, c):
    """Keep the item of the round where that gains at least as much as to leave it."""
    up, down = gains(s, oracle, c)
    return kept(s, c, up >= down)


def one_sided(s, oracle, c):
    """Keep it where it gains anything."""
    up, _ = gains(s, oracle, c)
    return kept(s, c, up > 0)


ROUNDS = requires("a round for every item", lambda one, c: c.n_rounds != one.dim and f"{c.n_rounds} rounds")
CUT = {"assumptions": [submodular, nonnegative, unconstrained, ROUNDS], "measure": Value(), "family": cuts}
HUB = graph(4, {(0, 1): 3, (1, 0): 2, (2, 0): 3, (3, 0): 2})  # greedy takes the hub first
PATH = graph(3, {(0, 1): 2, (1, 0): 2, (1, 2): 3})
DOUBLE = Algorithm("double greedy", two_sided, init=both)

CUT1 = theorem(
    "CUT1: false, greedy for a submodular function that is not monotone: F(S) >= OPT/2",
    quantity >= OPT / 2,
    algorithm=GREEDY,
    cases=[HUB],
    recorded="violated",
    **CUT,
)
RANDOM1 = theorem(
    "RAND-SET: every item with probability 1/2: E F(S) >= OPT/4",
    quantity >= OPT / 4,
    algorithm=Algorithm("random set", random_step),
    **CUT,
)
RANDOM1_HALF = theorem(
    "RAND-SET-half: false of directed cuts: E F(S) >= OPT/2",
    quantity >= OPT / 2,
    algorithm=Algorithm("random set", random_step),
    cases=[graph(2, {(0, 1): 1})],
    recorded="violated",
    **CUT,
)
TWO1 = theorem("TWO1: double greedy: F(S) >= OPT/3", quantity >= OPT / 3, algorithm=DOUBLE, cases=[HUB], **CUT)
TWO1_HALF = theorem(
    "TWO1-half: false with the constant of its randomised form: F(S) >= OPT/2",
    quantity >= OPT / 2,
    algorithm=DOUBLE,
    cases=[PATH],
    recorded="violated",
    **CUT,
)
TWO1_ONE = theorem(
    "TWO1-one: false where only the gain in the smaller set decides: F(S) >= OPT/3",
    quantity >= OPT / 3,
    algorithm=Algorithm("one-sided greedy", one_sided, init=both),
    cases=[graph(3, {(0, 1): 1, (2, 0): 4})],
    recorded="violated",
    **CUT,
)
CLAIMS = (CUT1, RANDOM1, RANDOM1_HALF, TWO1, TWO1_HALF, TWO1_ONE)
