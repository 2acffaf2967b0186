"""(17) to (27) as their claims state them: expectations over one round from a frozen point, A_1 to A_6 written out.

Client i begins at ``x`` and is at ``y(i, k)`` before its step ``eta(i, k)`` along its gradient and the noise ``xi(i, k)``.
"""

from __future__ import annotations

from sympy import Abs, Expr, Integer

from fltheory.papers.delta_sgd.convex.proofs.quotients import RULES
from fltheory.papers.delta_sgd.displays.proofs import displays
from fltheory.papers.delta_sgd.nonconvex.proofs.drift import CLIENTS, LOCAL, Y, i, k, l, n, part, u, v, w, z
from fltheory.papers.delta_sgd.nonconvex.proofs.drift import N as COUNT
from fltheory.papers.delta_sgd.notation import K, L, b, m, rho, sigma
from fltheory.papers.delta_sgd.smoothness.proofs.facts import mean
from fltheory.proof import Given, by, eq, le, proof, statement_of
from fltheory.proof.facts import squares
from fltheory.proof.papers.quotients import quotient_theorem
from fltheory.proof.terms import Dot, E, Fun, Grad, RandomPositive, RandomVector, Scalar, Total, Vector, family, square
from fltheory.verification import find

PLACE = "proof of Theorem 1"
F, x = family(Fun, "f"), family(Vector, "x")()
y, xi = family(RandomVector, "y"), family(RandomVector, "xi")
eta, total = family(RandomPositive, "eta"), family(RandomPositive, "D")()
j = displays.j
HERE, OWN = Grad(F(i), x), Grad(F(i), y(i, k))
SLOPE = mean(HERE)


def steps(term: Expr) -> Expr:
    """Return the sum over a client's local steps."""
    return Total(term, k, 0, K - 1)


DRIFT, APART, LENGTH, NOISE = HERE - OWN, HERE - SLOPE, steps(eta(i, k)), steps(eta(i, k) * xi(i, k))
SQUARES = steps(eta(i, k) ** 2)
SUM = Given("sum", eq(total, mean(LENGTH)), "D_t is the mean over the clients of the sum of their steps")
ALIKE = Given("alike", le(square(APART), rho * square(SLOPE), CLIENTS), "A1c, at the server's iterate")
DEVIATION, RELATIVE = mean(steps(eta(i, k) * (OWN - SLOPE))), mean(steps(eta(i, k) / total * (OWN - SLOPE)))
A1 = E(square(mean(steps(eta(i, k) * DRIFT))) / total)
A2 = E(square(mean(LENGTH * APART)) / total)
A3 = 2 * L * mean(E(square(NOISE)))
A4 = 2 * L * mean(E(square(steps(eta(i, k) * DRIFT))))
A5 = 2 * L * mean(E(square(LENGTH * APART)))
A6 = 2 * L * mean(E(square(LENGTH * SLOPE)))
MEAN_SQUARES = mean(E(SQUARES))
UPDATE = steps(eta(i, k) * (OWN + xi(i, k)))

# (17), (18) -------------------------------------------------------------------------------------------------------------


def same(name: str, quantity: Expr, note: str):
    """Prove a display whose two sides are equal."""
    bound = find(f"delta_sgd/{name}").bound
    line, _ = statement_of(bound, quantity)
    return proof(f"delta_sgd/{name}", of=f"delta_sgd/{name}", bound=bound, note=note).qed(line, by.linear())


FACTOR = same("17@printed", Abs(E(total / 2 * square(RELATIVE)) - E(square(DEVIATION) / (2 * total))),
    "whatever D_t is")
moved = family(RandomVector, "moved")
_PARTS = mean(steps(eta(i, k) * (moved(i, k) + APART)))
_REGROUPED = find("delta_sgd/18@corrected").bound
_SAME = statement_of(_REGROUPED, Abs(E(square(DEVIATION) / (2 * total)) - E(square(_PARTS) / (2 * total))))[0]
REGROUPED = (
    proof("delta_sgd/18@corrected", of="delta_sgd/18@corrected", bound=_REGROUPED, note="the gradient at x, twice")
    .where("moved", moved(i, k), OWN - HERE, "f_i'(x_k) - f_i'(x)", supposed=True)
    .qed(_SAME, by.linear(), inserting="moved")
)

# (16) ---------------------------------------------------------------------------------------------------------------------

YOUNG = (
    proof("delta_sgd/16-mean", "(16)", note="Young's inequality in the mean")
    .step("7", le(-Dot(SLOPE, RELATIVE), square(SLOPE) / 2 + square(RELATIVE) / 2),
        by.apply("delta_sgd/7", {squares.u: -SLOPE, squares.v: RELATIVE}))
    .step("D", le(-total * Dot(SLOPE, RELATIVE), total * (square(SLOPE) + square(RELATIVE)) / 2), by.linear("7"))
    .qed(le(-E(total * Dot(SLOPE, RELATIVE)), E(total * (square(SLOPE) + square(RELATIVE))) / 2), by.expectation("D"))
)

# (19) ---------------------------------------------------------------------------------------------------------------------

_FOUR = 4 * (square(NOISE) + square(steps(eta(i, k) * DRIFT)) + square(LENGTH * APART) + square(LENGTH * SLOPE))
MOVE = (
    proof("delta_sgd/19-four", "(19)", note="what a client moves, in four parts")
    .step("four", le(square(UPDATE), _FOUR, CLIENTS),
        by.apply("delta_sgd/four", {u: NOISE, v: -steps(eta(i, k) * DRIFT), w: LENGTH * APART, z: LENGTH * SLOPE}))
    .step("mean", by.expectation("four"))
    .step("all", le(mean(E(square(UPDATE))), mean(E(_FOUR))), by.sum_over(i, "mean", weight=1 / m))
    .qed(le(L / 2 * mean(E(square(UPDATE))), A3 + A4 + A5 + A6), by.linear("all"))
)

# (22) ---------------------------------------------------------------------------------------------------------------------

LENGTHS = (
    proof("delta_sgd/22-length", PLACE, note="(8) of a client's steps")
    .step("8", le(square(steps(eta(i, k) * SLOPE)), K * steps(square(eta(i, k) * SLOPE)), CLIENTS),
        by.apply(displays.JENSEN, {part(k): eta(i, k) * SLOPE, n: K}))
    .qed(le(square(LENGTH * SLOPE), K * square(SLOPE) * SQUARES, CLIENTS), by.linear("8"))
)
_UNLIKE = le(square(LENGTH * APART), K * rho * square(SLOPE) * SQUARES, CLIENTS)
UNLIKE = (
    proof("delta_sgd/22-unlike", PLACE, note="how far a client's steps lead it astray").under(ALIKE)
    .step("long", by.apply(LENGTHS))
    .qed(_UNLIKE, by.linear("alike", "long"))
)
A2_SQUARES = (
    proof("delta_sgd/22-squares", "(22)", note="(8) of the clients, and of their steps").under(ALIKE)
    .step("8", le(square(Total(LENGTH * APART, i, 1, m)), m * Total(square(LENGTH * APART), i, 1, m)),
        by.apply("delta_sgd/8", {squares.z(i): LENGTH * APART, squares.N: m}))
    .step("each", by.apply(UNLIKE))
    .step("all", le(mean(_UNLIKE.left), mean(_UNLIKE.right)), by.sum_over(i, "each", weight=1 / m))
    .step("whole", le(square(mean(LENGTH * APART)) / total, K * rho * square(SLOPE) * (mean(SQUARES) / total)),
        by.linear("8", "all"))
    .qed(le(A2, K * rho * (square(SLOPE) * E(mean(SQUARES) / total))), by.expectation("whole"))
)
c, e = family(Scalar, "c"), family(Vector, "e")
_PAIRS = c(i) * c(j) * square(e(i) - e(j))
JENSEN = (
    proof("delta_sgd/8-weighed", PLACE, note="(8) with weights")
    .given("weights", le(0, c(i), CLIENTS), "they are not negative")
    .step("weights j", by.instance({i: j}, "weights"), over=(j, 1, m))
    .step("1", le(0, square(e(i) - e(j)), CLIENTS, (j, 1, m)), by.sos())
    .step("2", le(0, _PAIRS, CLIENTS, (j, 1, m)), by.linear({"1": c(i) * c(j)}, "weights", "weights j"))
    .qed(le(square(mean(c(i) * e(i))), mean(c(i)) * mean(c(i) * square(e(i)))), by.linear(by.sum_over((i, j), "2")))
)
A2_SUM = (
    proof("delta_sgd/22-sum", "(22)", note="weighted Jensen").under(ALIKE, SUM)
    .step("positive", le(0, eta(i, k), CLIENTS, LOCAL), by.linear())
    .step("length", by.sum_over(k, "positive"))
    .step("Jensen", by.apply(JENSEN, {c(i): LENGTH, e(i): APART}))
    .step("each", le(LENGTH * square(APART), LENGTH * rho * square(SLOPE), CLIENTS), by.linear("alike", "length"))
    .step("all", le(mean(LENGTH * square(APART)), mean(LENGTH) * rho * square(SLOPE)),
        by.sum_over(i, "each", weight=1 / m))
    .step("D", le(mean(LENGTH * square(APART)), total * rho * square(SLOPE)), by.linear("all", "sum"))
    .step("D D", le(square(mean(LENGTH * APART)), total * mean(LENGTH * square(APART))), by.linear("Jensen", "sum"))
    .step("whole", le(square(mean(LENGTH * APART)) / total, rho * square(SLOPE) * total), by.linear("D D", "D"))
    .qed(le(A2, rho * (square(SLOPE) * E(total))), by.expectation("whole"))
)

# (23) ---------------------------------------------------------------------------------------------------------------------

_SO_FAR = eq(E(square(Total(Y(l), l, 0, n - 1))), Total(E(square(Y(l))), l, 0, n - 1), (n, 0, COUNT))
_TERMS = (n, 0, COUNT - 1)
ORTHOGONAL = (
    proof("delta_sgd/noises", PLACE, note="squares of uncorrelated vectors add up, each with its own size")
    .given("pairs", eq(E(Dot(Y(n), Y(l))), 0, _TERMS, (l, 0, n - 1)), "no two of the vectors are correlated")
    .step("cross", eq(E(Dot(Y(n), Total(Y(l), l, 0, n - 1))), 0, _TERMS), by.sum_over(l, "pairs"))
    .step("0", eq(E(square(Total(Y(l), l, 0, Integer(-1)))), Total(E(square(Y(l))), l, 0, Integer(-1))), by.linear())
    .step("1", eq(E(square(Total(Y(l), l, 0, n))), Total(E(square(Y(l))), l, 0, n), _TERMS), by.linear("cross"),
        assuming=eq(_SO_FAR.left, _SO_FAR.right), note="one more")
    .step("2", _SO_FAR, by.induction(n, "0", "1"))
    .qed(eq(E(square(Total(Y(l), l, 0, COUNT - 1))), Total(E(square(Y(l))), l, 0, COUNT - 1)),
        by.instance({n: COUNT}, "2"))
)
PAIRS = Given("pairs", eq(E(eta(i, k) * eta(i, l) * Dot(xi(i, k), xi(i, l))), 0, CLIENTS, LOCAL, (l, 0, k - 1)),
    "noise has mean 0 given the past and the step that it is multiplied with")
VARIANCE = Given("variance", le(E(eta(i, k) ** 2 * square(xi(i, k))), sigma**2 / b * E(eta(i, k) ** 2), CLIENTS, LOCAL),
    "A1a for a mini-batch, given the past and the step that the noise is multiplied with")
A3_SQUARES = (
    proof("delta_sgd/23-squares", "(23)", note="noises of different steps are orthogonal").under(PAIRS, VARIANCE)
    .step("pairs n", by.instance({k: n}, "pairs"), over=(CLIENTS, (n, 0, K - 1), (l, 0, n - 1)))
    .step("sizes", eq(E(square(NOISE)), steps(E(eta(i, k) ** 2 * square(xi(i, k)))), CLIENTS),
        by.apply(ORTHOGONAL, {Y(n): eta(i, n) * xi(i, n), COUNT: K}, "pairs n"))
    .step("each", le(steps(E(eta(i, k) ** 2 * square(xi(i, k)))), sigma**2 / b * E(SQUARES), CLIENTS),
        by.sum_over(k, "variance"))
    .step("one", le(E(square(NOISE)), sigma**2 / b * E(SQUARES), CLIENTS), by.linear("sizes", "each"))
    .step("all", le(mean(E(square(NOISE))), sigma**2 / b * MEAN_SQUARES), by.sum_over(i, "one", weight=1 / m))
    .qed(le(A3, 2 * L * sigma**2 / b * MEAN_SQUARES), by.linear("all"))
)
A3_LOOSE = (
    proof("delta_sgd/23-loose", "(23)", note="as printed, with a factor K that is not needed").under(PAIRS, VARIANCE)
    .step("23", by.apply(A3_SQUARES))
    .step("0 path", le(0, eta(i, k) ** 2, CLIENTS, LOCAL), by.linear())
    .step("0 mean", by.expectation("0 path"))
    .step("0", le(0, MEAN_SQUARES), by.sum_over((k, i), "0 mean", weight=1 / m))
    .qed(le(A3, 2 * K * L * sigma**2 / b * MEAN_SQUARES), by.linear({"23": 1, "0": 2 * L * (K - 1) * sigma**2 / b}))
)

# (24), (26), (27) -----------------------------------------------------------------------------------------------------------

_DRIFTED = steps(square(eta(i, k) * DRIFT))
A4_DRIFT = (
    proof("delta_sgd/24-drift", "(24)", note="(8) of a client's steps")
    .step("8", le(square(steps(eta(i, k) * DRIFT)), K * _DRIFTED, CLIENTS),
        by.apply(displays.JENSEN, {part(k): eta(i, k) * DRIFT, n: K}))
    .step("mean", le(E(square(steps(eta(i, k) * DRIFT))), K * E(_DRIFTED), CLIENTS), by.expectation("8"))
    .step("all", le(mean(E(square(steps(eta(i, k) * DRIFT)))), K * mean(E(_DRIFTED))),
        by.sum_over(i, "mean", weight=1 / m))
    .qed(le(A4, 2 * K * L * mean(E(_DRIFTED))), by.linear("all"))
)


def in_the_mean(name: str, each, term: Expr, factor: Expr, *given: str):
    """Extend a bound of one client's steps in expectation to all clients."""
    return (
        proof(f"delta_sgd/{name}", f"({name[:2]})", note="for every client, in the mean")
        .under(*(h for h in (ALIKE,) if h.id in given))
        .step("each", each.statement, by.apply(each.id, *given))
        .step("mean", by.expectation("each"))
        .step("all", le(mean(E(each.statement.left)), mean(E(each.statement.right))),
            by.sum_over(i, "mean", weight=1 / m))
        .qed(le(term, 2 * L * factor * (square(SLOPE) * MEAN_SQUARES)), by.linear("all"))
    )


A5_GRADIENT = in_the_mean("26-gradient", UNLIKE, A5, K * rho, "alike")
A6_GRADIENT = in_the_mean("27-gradient", LENGTHS, A6, K)

THEOREMS = (
    FACTOR,
    REGROUPED,
    YOUNG,
    quotient_theorem(RULES, YOUNG, "delta_sgd/16@printed", Integer(1) / 2),
    MOVE,
    quotient_theorem(RULES, MOVE, "delta_sgd/19-move@printed"),
    LENGTHS,
    UNLIKE,
    A2_SQUARES,
    quotient_theorem(RULES, A2_SQUARES, "delta_sgd/22@printed", K * rho,
        apart=(square(SLOPE), E(mean(SQUARES) / total))),
    JENSEN,
    A2_SUM,
    quotient_theorem(RULES, A2_SUM, "delta_sgd/22@strengthened", rho, apart=(square(SLOPE), E(total))),
    ORTHOGONAL,
    A3_SQUARES,
    quotient_theorem(RULES, A3_SQUARES, "delta_sgd/23@strengthened", 2 * L * sigma**2 / b),
    A3_LOOSE,
    quotient_theorem(RULES, A3_LOOSE, "delta_sgd/23@printed", 2 * K * L * sigma**2 / b),
    A4_DRIFT,
    quotient_theorem(RULES, A4_DRIFT, "delta_sgd/24@printed", 2 * K * L),
    A5_GRADIENT,
    quotient_theorem(RULES, A5_GRADIENT, "delta_sgd/26@printed", 2 * K * L * rho,
        apart=(square(SLOPE), m * MEAN_SQUARES)),
    A6_GRADIENT,
    quotient_theorem(RULES, A6_GRADIENT, "delta_sgd/27@printed", 2 * K * L, apart=(square(SLOPE), m * MEAN_SQUARES)),
)
