"""One round of Theorem 1: its hypotheses, and the drift of the clients from the server's iterate.

Client i begins at ``x`` and is at ``y(i, k)`` before its local step k, of size ``eta(i, k)``, along its gradient and
``xi(i, k)``, the mini-batch noise. Steps may depend on the client's whole past; the minimum rule is not used.
"""

from __future__ import annotations

from sympy import Expr, Integer, Rational, Symbol

from fltheory.papers.delta_sgd.bounds import PSI_2
from fltheory.papers.delta_sgd.notation import G, K, L, a, b, m, sigma
from fltheory.papers.delta_sgd.smoothness.proofs.facts import EACH as CLIENTS
from fltheory.papers.delta_sgd.smoothness.proofs.facts import i
from fltheory.proof import Given, Member, by, eq, le, line, proof
from fltheory.proof.terms import Dot, E, Fun, Grad, RandomPositive, RandomVector, Total, Vector, family, square

PLACE = "proof of Theorem 1"
HALF = Rational(1, 2)
k, l, n = (Symbol(name, integer=True, nonnegative=True) for name in "kln")
LOCAL = (k, 0, K - 1)
x, y, xi = family(RandomVector, "x")(), family(RandomVector, "y"), family(RandomVector, "xi")
F, eta = family(Fun, "f"), family(RandomPositive, "eta")

# Facts ------------------------------------------------------------------------------------------------------------------

u, v, w, z = (family(Vector, name)() for name in "uvwz")
TWO = proof("delta_sgd/two", "(19)", note="two vectors").qed(le(square(u + v), 2 * square(u) + 2 * square(v)), by.sos())
FOUR = proof("delta_sgd/four", "(19)", note="four vectors").qed(
    le(square(u + v + w + z), 4 * (square(u) + square(v) + square(w) + square(z))), by.sos())
part, Y = family(Vector, "z"), family(RandomVector, "Y")
_APART, _BOTH = square(part(k) - part(l)), ((k, 0, n - 1), (l, 0, n - 1))
JENSEN = (
    proof("delta_sgd/8-steps", "(8)", note="of n vectors, perhaps none")
    .step("1", le(0, _APART, *_BOTH), by.sos(), note="differences have squares")
    .step("2", by.sum_over((k, l), "1"))
    .qed(le(square(Total(part(k), k, 0, n - 1)), n * Total(square(part(k)), k, 0, n - 1)), by.linear("2"))
)
spread = Symbol("s", nonnegative=True)
N = Symbol("N", integer=True, nonnegative=True)
_SO_FAR = le(E(square(Total(Y(l), l, 0, n - 1))), n * spread, (n, 0, N))
_TERMS = (n, 0, N - 1)
NOISE = (
    proof("delta_sgd/noise", PLACE, note="squares of uncorrelated vectors add up")
    .given("pairs", eq(E(Dot(Y(n), Y(l))), 0, _TERMS, (l, 0, n - 1)), "no two of the vectors are correlated")
    .given("size", le(E(square(Y(n))), spread, _TERMS), "their mean squares")
    .step("cross", eq(E(Dot(Y(n), Total(Y(l), l, 0, n - 1))), 0, _TERMS), by.sum_over(l, "pairs"))
    .step("0", le(E(square(Total(Y(l), l, 0, Integer(-1)))), 0), by.linear())
    .step("1", le(E(square(Total(Y(l), l, 0, n))), (n + 1) * spread, _TERMS), by.linear("cross", "size"),
        assuming=le(_SO_FAR.left, _SO_FAR.right), note="one more")
    .step("2", _SO_FAR, by.induction(n, "0", "1"))
    .qed(le(E(square(Total(Y(l), l, 0, N - 1))), N * spread), by.instance({n: N}, "2"))
)
COUNT = (
    proof("delta_sgd/count", PLACE, note="whole numbers and their squares")
    .step("0", le(0, 0), by.linear())
    .step("1", le(k + 1, (k + 1) ** 2, LOCAL), by.linear())
    .qed(le(k, k**2, (k, 0, K)), by.induction(k, "0", "1"))
)

# Hypotheses on a round ------------------------------------------------------------------------------------------------


def own(place: Expr, local: Expr) -> Expr:
    """Return the gradient of a client at its own point."""
    return Grad(F(place), y(place, local))


SLOPE = Total(Grad(F(i), x), i, 1, m) / m
SMOOTH = Member("class", F(i), L, None, "A2: every client's objective is smooth where it is visited")
WAY = Total(eta(i, l) * (own(i, l) + xi(i, l)), l, 0, k - 1)
MOVES = Given("local", eq(y(i, k), x - WAY, CLIENTS, LOCAL), "line 8: the local steps so far")
CEILING = Given("ceiling", le(eta(i, k), a, CLIENTS, LOCAL), "no step is larger than a")
VARIANCE = Given("variance", le(E(square(xi(i, k))), sigma**2 / b, CLIENTS, LOCAL), "A1a, for a mini-batch")
PAIRS = Given("pairs", eq(E(eta(i, k) * eta(i, l) * Dot(xi(i, k), xi(i, l))), 0, CLIENTS, LOCAL, (l, 0, k - 1)),
    "noise has mean 0 given the past and the step that it is multiplied with")
BOUNDED = Given("bounded", le(square(own(i, k)), G**2, CLIENTS, LOCAL), "A1b")
FAR = square(y(i, k) - x)
_PULL, _PUSH = Total(eta(i, l) * own(i, l), l, 0, k - 1), Total(eta(i, l) * xi(i, l), l, 0, k - 1)
SQUARED_STEP = line("eta", le(eta(i, k) ** 2, a**2, CLIENTS, LOCAL), by.linear("ceiling"))
NOISY = (
    proof("delta_sgd/noisy", PLACE, note="noise times a step").under(CEILING, VARIANCE)
    .steps(SQUARED_STEP)
    .step("1", le(0, square(xi(i, k)), CLIENTS, LOCAL), by.sos())
    .step("2", le(eta(i, k) ** 2 * square(xi(i, k)), a**2 * square(xi(i, k)), CLIENTS, LOCAL), by.linear("eta", "1"))
    .step("3", le(E(eta(i, k) ** 2 * square(xi(i, k))), a**2 * E(square(xi(i, k))), CLIENTS, LOCAL),
        by.expectation("2"))
    .qed(le(E(eta(i, k) ** 2 * square(xi(i, k))), a**2 * sigma**2 / b, CLIENTS, LOCAL), by.linear("3", "variance"))
)
DRIFT = (
    proof("delta_sgd/drift", PLACE, note="how far a client moves from the server's iterate")
    .under(MOVES, CEILING, VARIANCE, PAIRS, BOUNDED)
    .step("moved", eq(FAR, square(WAY), CLIENTS, LOCAL), by.linear(local=y(i, k) - x - WAY))
    .step("parts", le(square(WAY), 2 * square(_PULL) + 2 * square(_PUSH), CLIENTS, LOCAL),
        by.apply(TWO, {u: _PULL, v: _PUSH}), note="gradients and noise")
    .steps(SQUARED_STEP)
    .step("g 1", le(square(_PULL), k * Total(eta(i, l) ** 2 * square(own(i, l)), l, 0, k - 1), CLIENTS, LOCAL),
        by.apply(JENSEN, {part(l): eta(i, l) * own(i, l), n: k}))
    .step("g 2", le(eta(i, k) ** 2 * square(own(i, k)), a**2 * G**2, CLIENTS, LOCAL), by.linear("bounded", "eta"))
    .step("g 3", by.instance({k: l}, "g 2"), over=(CLIENTS, (l, 0, K - 1)))
    .step("g 4", le(eta(i, l) ** 2 * square(own(i, l)), a**2 * G**2, CLIENTS, LOCAL, (l, 0, k - 1)), by.linear("g 3"))
    .step("g 5", le(Total(eta(i, l) ** 2 * square(own(i, l)), l, 0, k - 1), k * a**2 * G**2, CLIENTS, LOCAL),
        by.sum_over(l, "g 4"))
    .step("g", le(square(_PULL), k**2 * a**2 * G**2, CLIENTS, LOCAL), by.linear("g 1", "g 5"), note="A1b")
    .step("xi", by.apply(NOISY))
    .step("pairs n", by.instance({k: n}, "pairs"), over=(CLIENTS, (n, 0, K - 1), (l, 0, n - 1)))
    .step("xi n", by.instance({k: n}, "xi"), over=(CLIENTS, (n, 0, K - 1)))
    .step("noise", by.apply(NOISE, {Y(n): eta(i, n) * xi(i, n), spread: a**2 * sigma**2 / b, N: k}, "pairs n", "xi n"),
        over=(CLIENTS, LOCAL))
    .step("all 1", le(FAR, 2 * k**2 * a**2 * G**2 + 2 * square(_PUSH), CLIENTS, LOCAL),
        by.linear("moved", "parts", "g"))
    .step("all 2", le(E(FAR), 2 * k**2 * a**2 * G**2 + 2 * E(square(_PUSH)), CLIENTS, LOCAL), by.expectation("all 1"))
    .step("k", by.apply(COUNT))
    .step("k K", le(k, k**2, LOCAL), by.instance({k: k}, "k"))
    .qed(le(E(FAR), 2 * a**2 * k**2 * PSI_2, CLIENTS, LOCAL), by.linear("all 2", "noise", "k K"), name="all")
)
THEOREMS = (TWO, FOUR, JENSEN, NOISE, COUNT, NOISY, DRIFT)
