"""The online Newton step as follow-the-regularised-leader, in any dimension: its regret and the log-determinant bound.

``h`` are the gradients, possibly minus a multiple of (1, ..., 1), which changes no decision. B_t = alpha I + beta sum h
h' of the first t rounds enters through the vector v_t that solves B_t v = h_t, its determinant and its eigenvalues.
"""

from __future__ import annotations

from sympy import Expr, Matrix, Rational, Symbol, exp, log, symbols

from fltheory.papers.aaggff.losses.proofs.facts import ROUNDS, SLOPE, P, a, b, i, j, s, t
from fltheory.papers.aaggff.notation import T, alpha, beta
from fltheory.proof import Given, Theorem, by, eq, le, proof
from fltheory.proof.facts import squares, sums
from fltheory.proof.terms import Dot, Nonnegative, Scalar, Total, Vector, family, square

PLACE = "proof of Theorem 5.1"
h, p, v = (family(Vector, name) for name in "hpv")
q, x = family(Vector, "q")(), squares.x


def leader(now: Expr | int, at: Expr) -> Expr:
    """(7): linear losses, squares and the regulariser before a round, at a point."""
    return alpha / 2 * square(at) + Total(Dot(h(s), at) + beta / 2 * Dot(h(s), at - p(s)) ** 2, s, 1, now - 1)


def slope(now: Expr, at: Expr, way: Expr) -> Expr:
    """Return the derivative along a direction."""
    return alpha * Dot(at, way) + Total(Dot(h(s), way) + beta * Dot(h(s), at - p(s)) * Dot(h(s), way), s, 1, now - 1)


def curve(last: Expr, way: Expr) -> Expr:
    """Return <way, B way> with the matrix of the rounds up to the last."""
    return alpha * square(way) + beta * Total(Dot(h(s), way) ** 2, s, 1, last)


def solved(last: Expr, vector: Expr) -> Expr:
    """Return B times a vector."""
    return alpha * vector + beta * Total(Dot(h(s), vector) * h(s), s, 1, last)


OPTIMAL = Given("optimal", le(0, slope(t, p(t), p(t + 1) - p(t)), ROUNDS), "p^(t) minimises (7) on the simplex")
END = Given("end", le(0, slope(T + 1, p(T + 1), q - p(T + 1))), "and so does the decision after the last round")
SOLVE = Given("solve", eq(solved(t, v(t)), h(t), ROUNDS), "v_t = B_t^(-1) h_t: B_t is positive definite")

# Positive definite after any number of rounds -------------------------------------------------------------------------

count = Symbol("n", integer=True, nonnegative=True)
POSITIVE = (
    proof("aaggff/newton-curve", "Remark A.11", note="B is positive definite: (7) is strongly convex in its norm")
    .step("0", le(0, square(x)), by.apply("aaggff/nonnegative"))
    .step("1", le(0, Dot(h(s), x) ** 2, (s, 1, count)), by.linear())
    .qed(le(0, curve(count, x)), by.linear("0", by.sum_over(s, "1")))
)

# One round ------------------------------------------------------------------------------------------------------------

_COST = Dot(h(t), v(t)) / 2
_way = p(t + 1) - p(t)
_ROUND = le(leader(t, p(t)) + Dot(h(t), p(t)), leader(t + 1, p(t + 1)) + _COST, ROUNDS)
ROUND = (
    proof("aaggff/newton-round", PLACE,
        note="(iii): L^(t)(p^(t)) + <h, p^(t)> <= L^(t+1)(p^(t+1)) + <h, B_t^(-1) h>/2, the increment being 0 at p^(t)")
    .under(OPTIMAL, SOLVE)
    .step("square", by.apply(POSITIVE, {x: _way + v(t), count: t}), over=ROUNDS)
    .qed(_ROUND, by.linear(optimal=1, square=Rational(1, 2), solve=_way + v(t) / 2))
)

# All rounds -----------------------------------------------------------------------------------------------------------

GAIN = Total(Dot(h(t), p(t) - q) - beta / 2 * Dot(h(t), p(t) - q) ** 2, t, 1, T)
ALL = (
    proof("aaggff/newton", PLACE, note="any gradients, any comparator, any alpha and beta").under(OPTIMAL, END, SOLVE)
    .step("round", by.apply(ROUND))
    .step("back", le(-leader(t + 1, p(t + 1)), -leader(t, p(t)) + _COST - Dot(h(t), p(t)), ROUNDS), by.linear("round"))
    .step("all", le(-leader(T + 1, p(T + 1)), -leader(1, p(1)) + Total(_COST - Dot(h(t), p(t)), t, 1, T)),
        by.apply("aaggff/telescope", {sums.d(t): -leader(t, p(t)), sums.s(t): _COST - Dot(h(t), p(t)), squares.N: T},
            "back"))
    .step("square", by.apply(POSITIVE, {x: q - p(T + 1), count: T}))
    .step("least", le(leader(T + 1, p(T + 1)), leader(T + 1, q)), by.linear("end", "square"))
    .qed(le(GAIN, alpha / 2 * (square(q) - square(p(1))) + Total(_COST, t, 1, T)), by.linear("all", "least"),
        note="the squares of (7) at q are those of the curvature")
)

# The log-determinant --------------------------------------------------------------------------------------------------

u = family(Vector, "u")()
SHERMAN = (
    proof("aaggff/sherman-morrison", PLACE,
        note="with x = beta <h, B_(t-1)^(-1) h>: beta <h, B_t^(-1) h> is x/(1 + x) = 1 - 1/(1 + x), any dimension")
    .given("before", eq(solved(t - 1, u), h(t)), "u = B_(t-1)^(-1) h_t")
    .given("now", eq(solved(t, v(t)), h(t)), "v_t = B_t^(-1) h_t")
    .qed(eq(Dot(h(t), v(t)) * (1 + beta * Dot(h(t), u)), Dot(h(t), u)), by.linear(before=-v(t), now=u))
)


def determinant(size: int) -> Theorem:
    """Prove det(B + beta g g') = det B + beta g' adj(B) g for symmetric matrices of a given size."""
    entries = symbols(f"B:{size}:{size}", real=True)
    matrix = Matrix(size, size, lambda k, l: entries[size * min(k, l) + max(k, l)])
    g = Matrix(symbols(f"g:{size}", real=True))
    left = (matrix + beta * g * g.T).det(method="berkowitz")
    right = matrix.det(method="berkowitz") + beta * (g.T * matrix.adjugate() * g)[0, 0]
    note = f"{size} clients: the determinant grows by the factor 1 + beta <g, B^(-1) g>"
    return proof(f"aaggff/determinant-{size}", PLACE, note=note).qed(eq(left, right), by.linear())


DETERMINANTS = tuple(determinant(size) for size in (2, 3))

logdet, lam = family(Scalar, "log det"), family(Nonnegative, "lambda")
rank, most = Symbol("rank", integer=True, positive=True), Symbol("most", nonnegative=True)
EIGENVALUES = (
    Given("det start", eq(logdet(1), 0), "log det(B_(t-1)/alpha), which is det I before the first round"),
    Given("det", eq(exp(logdet(t) - logdet(t + 1)), 1 - beta * Dot(h(t), v(t)), ROUNDS),
        "the matrix determinant lemma: det B_(t-1) / det B_t = 1 - beta <h, B_t^(-1) h>"),
    Given("det end", eq(logdet(T + 1), Total(log(1 + lam(j) / alpha), j, 1, rank)),
        "the determinant is the product of the eigenvalues alpha + lambda_j; all but ``rank`` of the lambda_j are 0"),
    Given("trace", eq(Total(lam(j), j, 1, rank), beta * Total(square(h(t)), t, 1, T)),
        "their sum is the trace of beta sum h h'"),
)
SIZE = Given("size", le(square(h(t)), most, ROUNDS), "no gradient is longer")
EIGEN_IDS = tuple(e.id for e in EIGENVALUES)
_SPENT = beta * Total(Dot(h(t), v(t)), t, 1, T)
LOGS = (
    proof("aaggff/log-det", PLACE, note="beta sum <h, B_t^(-1) h> <= sum log(1 + lambda/alpha)")
    .under(*EIGENVALUES[:-1])
    .step("tangent", le(1 + logdet(t) - logdet(t + 1), exp(logdet(t) - logdet(t + 1)), ROUNDS),
        by.apply("aaggff/tangent", {P: logdet(t) - logdet(t + 1)}))
    .step("each", le(-logdet(t + 1), -logdet(t) - beta * Dot(h(t), v(t)), ROUNDS), by.linear("tangent", "det"),
        note="1 - 1/x <= log x")
    .step("all", le(-logdet(T + 1), -logdet(1) + Total(-beta * Dot(h(t), v(t)), t, 1, T)),
        by.apply("aaggff/telescope", {sums.d(t): -logdet(t), sums.s(t): -beta * Dot(h(t), v(t)), squares.N: T}, "each"))
    .qed(le(_SPENT, Total(log(1 + lam(j) / alpha), j, 1, rank)), by.linear("all", "det start", "det end"))
)
_mean = 1 + beta * T * most / (rank * alpha)
LIMIT = (
    proof("aaggff/log-det-limit", PLACE, note="at most all of them alike: the arithmetic and the geometric mean")
    .under(*EIGENVALUES, SIZE)
    .step("logs", by.apply(LOGS))
    .step("tangent", by.apply(SLOPE, {a: 1 + lam(i) / alpha, b: _mean}), over=(i, 1, rank))
    .step("Jensen",
        le(Total(log(1 + lam(j) / alpha), j, 1, rank) - rank * log(_mean),
            (Total(lam(j), j, 1, rank) / alpha + rank * (1 - _mean)) / _mean), by.sum_over(i, "tangent"))
    .step("sizes", le(Total(square(h(t)), t, 1, T), T * most), by.sum_over(t, "size"))
    .qed(le(_SPENT, rank * log(_mean)), by.linear("logs", "Jensen", "trace", "sizes"))
)

THEOREMS = (POSITIVE, ROUND, ALL, SHERMAN, *DETERMINANTS, LOGS, LIMIT)
