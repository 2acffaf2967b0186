"""Appendix A: inequality (5), Lemmas A.1, A.3 and A.4, and one step (14), for any number of clients and items.

Clients are counted from 1 to N and items from 1 to n. p(i) are the clients' weights, g(i, e) the partial derivatives of their
extensions at the given point x, V and G values and partial derivatives of the mean F along a path from x.
"""

from __future__ import annotations

from sympy import Abs, Expr, Max, Rational, Symbol

from fltheory.papers.fedcg import bounds, notation
from fltheory.papers.fedcg.facts import algebra
from fltheory.papers.fedcg.notation import OPT, N, eta, gbar, m_F, m_max, n, p_min, r
from fltheory.papers.fedcg.points.proofs import multilinear as path
from fltheory.papers.fedcg.points.proofs.multilinear import EARLIER, G, H, V, e
from fltheory.proof import Given, Relation, Step, by, eq, le, line, proof, statement_of
from fltheory.proof.terms import Nonnegative, Scalar, Total, family

i, j, k, l = (Symbol(name, integer=True, positive=True) for name in "ijkl")
p, v, direction, w, x = (family(Nonnegative, name) for name in ("p", "v", "Delta", "w", "x"))
g, gamma = family(Scalar, "g"), family(Nonnegative, "gamma")
U, A, B, W, slope = (family(Scalar, name) for name in "UABWS")
gamma_max = Symbol("gamma_max", nonnegative=True)
CLIENTS, OTHERS, ITEMS = (i, 1, N), (j, 1, N), (e, 1, n)


def clients(term: Expr) -> Expr:
    """Return the mean over the clients of a term in i."""
    return Total(p(i) * term, i, 1, N)


def items(term: Expr) -> Expr:
    """Return the sum over the items of a term in e."""
    return Total(term, e, 1, n)


def swapped(name: str, term: Expr) -> Step:
    """Prove that sums over clients and items commute."""
    claim = eq(Total(Total(term, e, 1, n), i, 1, N), Total(Total(term, i, 1, N), e, 1, n))
    return line(name, claim, by.apply(algebra.SWAP, {algebra.pair(i, e): term, algebra.first: N, algebra.second: n}))


LAW = Given("law", eq(Total(p(i), i, 1, N), 1), "A0: the weights of the clients add up to 1")
PARTIAL = G(e, 0)  # of F at x
MEAN = Given("mean", eq(PARTIAL, clients(g(i, e)), ITEMS),
    "P9: the gradient of F is the mean of the clients' gradients")

# Inequality (5) and S0 ----------------------------------------------------------------------------------------------------

_off = g(i, e) - Total(p(j) * g(j, e), j, 1, N)
_SINGLES = (
    Given("low", le(0, g(i, e), CLIENTS), "P2: no partial derivative is negative, in any item e"),
    Given("high", le(g(i, e), m_max, CLIENTS), "P2: none is above the largest value of a single item"),
)
_low, _high = p(j) * g(j, e), p(j) * (m_max - g(j, e))
S0 = (
    proof("fedcg/S0", "(5)", note="a client's gradient is off the mean by at most (1 - p) m in each coordinate")
    .under(LAW, *_SINGLES)
    .step("low j", by.instance({i: j}, "low"), over=OTHERS)
    .step("high j", by.instance({i: j}, "high"), over=OTHERS)
    .step("low terms", le(0, _low, OTHERS), by.linear("low j"))
    .step("high terms", le(0, _high, OTHERS), by.linear("high j"))
    .step("own", by.apply(algebra.ONE, {algebra.term(j): _low, algebra.count: N}),
        note="the client's own term of the mean")
    .step("own rest", by.apply(algebra.ONE, {algebra.term(j): _high, algebra.count: N}))
    .step("weights", le(0, p(i), CLIENTS), by.linear())
    .step("weight", by.apply(algebra.ONE, {algebra.term(j): p(j), algebra.count: N}, "weights"))
    .step("share", le(0, 1 - p(i), CLIENTS), by.linear("weight", "law"))
    .step("above", le(_off, (1 - p(i)) * m_max, CLIENTS), by.linear("own", "high", "share"))
    .step("below", le(-_off, (1 - p(i)) * m_max, CLIENTS), by.linear("own rest", "law", "low", "share"))
    .qed(le(Abs(_off), (1 - p(i)) * m_max, CLIENTS), by.absolute("above", "below"))
)
_LEAST = statement_of(bounds.S0, Abs(_off))[0]
_LEAST = le(_LEAST.left, _LEAST.right, CLIENTS)
S0_LEAST = (
    proof("fedcg/C-3.1@strengthened", "(5)", of="fedcg/C-3.1@strengthened", bound=bounds.S0,
        note="by the smallest weight")
    .under(LAW, *_SINGLES)
    .given("least", le(p_min, p(i), CLIENTS), "no client has a smaller weight")
    .step("sharp", by.apply(S0))
    .qed(_LEAST, by.linear("sharp", "least"))
)
_FIVE = statement_of(bounds.HETEROGENEITY, Abs(_off))[0]
_FIVE = le(_FIVE.left, _FIVE.right, CLIENTS)
FIVE = (
    proof("fedcg/C-3.1", "(5)", of="fedcg/C-3.1@printed", bound=bounds.HETEROGENEITY,
        note="at most 2 m, twice what it needs")
    .under(LAW, *_SINGLES)
    .step("sharp", by.apply(S0))
    .qed(_FIVE, by.linear("sharp"), note="p >= 0")
)

# Lemma A.1 ------------------------------------------------------------------------------------------------------------------

up = Max(0, w(e) - x(e))  # x + up is x v w, and so is w + down
down = Max(0, x(e) - w(e))
UP = (
    Given("path up", eq(U(l), U(l - 1) + up.xreplace({e: l}) * A(l, l - 1), (l, 1, n)),
        "F is linear in each coordinate: from x to x v w"),
    Given("slopes up", eq(A(e, l), A(e, l - 1) + up.xreplace({e: l}) * B(e, l), ITEMS, EARLIER),
        "and so are its derivatives"),
    Given("concave", le(B(e, l), 0, ITEMS, EARLIER), "P4: no second derivative is positive"),
    Given("path down", eq(W(l), W(l - 1) + down.xreplace({e: l}) * slope(l), (l, 1, n)),
        "F is linear in each coordinate: from w to x v w"),
    Given("monotone", le(0, slope(l), (l, 1, n)), "P2: F is monotone"),
    Given("optimum", eq(W(0), OPT), "w is the best base"),
    Given("join", eq(W(n), U(n)), "both ways end at x v w"),
    Given("start", eq(U(0), V(0)), "the way up begins at x"),
    Given("start slopes", eq(A(e, 0), PARTIAL, ITEMS), "with the gradient there"),
    Given("gradient", le(0, PARTIAL, ITEMS), "P2: no partial derivative is negative"),
)
_MIDDLE = le(OPT - V(0), items(w(e) * PARTIAL))
MIDDLE = (
    proof("fedcg/A.2", "Lemma A.1", of="fedcg/A.2@strengthened",
        note="the optimum is ahead by at most <w, F'(x)>, and so by at most the largest <v, F'(x)>")
    .under(*UP)
    .step("monotone up", le(W(0), W(n)),
        by.apply(path.RISING, {path.V(l): W(l), path.slope(l): slope(l), path.d(e): down, path.n: n}),
        note="F(w) <= F(x v w)")
    .step("concave up", le(U(n), U(0) + items(up * A(e, 0))),
        by.apply(path.CONCAVE, {path.V(l): U(l), G(k, l): A(k, l), H(k, l): B(k, l), path.d(e): up, path.n: n}),
        note="F(x + d) <= F(x) + <d, F'(x)>")
    .step("part", by.apply(algebra.PART, {algebra.P: w(e), algebra.Q: x(e)}), over=ITEMS, note="d <= w")
    .step("each", le(up * A(e, 0), w(e) * PARTIAL, ITEMS), by.linear("part", "start slopes", "gradient"))
    .step("all", by.sum_over(e, "each"))
    .qed(_MIDDLE, by.linear("monotone up", "concave up", "all", "optimum", "join", "start"))
)
BEST = Given("best", le(items(w(e) * g(i, e)), items(v(i, e) * g(i, e)), CLIENTS),
    "v_i is best for client i, w is feasible")
DIRECTIONS = clients(items(v(i, e) * g(i, e)))
A1 = (
    proof("fedcg/A.1", "Lemma A.1", of="fedcg/A.1@printed",
        note="the optimum is ahead by at most the mean of the clients' inner products")
    .under(*UP, MEAN, BEST)
    .step("middle", by.apply(MIDDLE))
    .step("gradients", by.sum_over(e, "mean", weight=w(e)))
    .steps(swapped("swap", p(i) * w(e) * g(i, e)))
    .step("bests", by.sum_over(i, "best", weight=p(i)))
    .qed(le(OPT - V(0), DIRECTIONS), by.linear("middle", "gradients", "swap", "bests"),
        note="the best of a mean is at most the mean of the bests")
)

# Lemma A.3 ------------------------------------------------------------------------------------------------------------------

RANK = Given("rank", le(items(v(i, e)), r, CLIENTS), "v_i is in the matroid polytope; a base has r ones")
NEAR = Given("near", le(g(i, e) - PARTIAL, gamma(i), CLIENTS, ITEMS),
    "gamma_i is the distance of both gradients, every coordinate")
LARGEST = Given("largest", le(gamma(i), gamma_max, CLIENTS), "Assumption 3.1: no client is farther off than gamma")
MEAN_GAMMA = clients(gamma(i))
ALONG_MEAN = items(clients(v(i, e)) * PARTIAL)
S1A = (
    proof("fedcg/A.3@strengthened", "Lemma A.3", of="fedcg/A.3@strengthened", bound=bounds.A3_MEAN,
        reading={gbar: MEAN_GAMMA}, note="with the mean of the clients' distances")
    .under(RANK, NEAR)
    .step("each", le(items(v(i, e) * (g(i, e) - PARTIAL)), items(v(i, e)) * gamma(i), CLIENTS),
        by.sum_over(e, "near", weight=v(i, e)), note="Hölder's inequality")
    .step("client", le(items(v(i, e) * (g(i, e) - PARTIAL)), r * gamma(i), CLIENTS), by.linear("each", "rank"))
    .step("all", le(clients(items(v(i, e) * (g(i, e) - PARTIAL))), r * MEAN_GAMMA),
        by.sum_over(i, "client", weight=p(i)))
    .steps(swapped("swap", p(i) * v(i, e) * PARTIAL))
    .qed(statement_of(bounds.A3_MEAN, DIRECTIONS - ALONG_MEAN, {gbar: MEAN_GAMMA})[0], by.linear("all", "swap"))
)
_A3 = statement_of(bounds.A3, DIRECTIONS - ALONG_MEAN, {notation.gamma: gamma_max})[0]
A3 = (
    proof("fedcg/A.3", "Lemma A.3", of="fedcg/A.3@printed", bound=bounds.A3, reading={notation.gamma: gamma_max},
        note="bounded heterogeneity costs the mean direction at most r gamma")
    .under(LAW, RANK, NEAR, LARGEST)
    .step("mean", by.apply(S1A))
    .step("mean gamma", by.sum_over(i, "largest", weight=p(i)))
    .qed(_A3, by.linear("mean", "mean gamma", "law"))
)

# Lemma A.4 ------------------------------------------------------------------------------------------------------------------

A4 = (
    proof("fedcg/A.4", "Lemma A.4", of="fedcg/A.4@printed", bound=bounds.A4, reading={notation.gamma: gamma_max})
    .under(*UP, MEAN, BEST, LAW, RANK, NEAR, LARGEST)
    .step("ahead", by.apply(A1))
    .step("along", by.apply(A3))
    .qed(statement_of(bounds.A4, OPT - V(0) - ALONG_MEAN, {notation.gamma: gamma_max})[0], by.linear("ahead", "along"))
)
A4_SHARP = (
    proof("fedcg/A.4@strengthened", "Lemma A.4", of="fedcg/A.4@strengthened", bound=bounds.A4_MEAN,
        reading={gbar: MEAN_GAMMA}, note="with the mean of the clients' distances")
    .under(*UP, MEAN, BEST, RANK, NEAR)
    .step("ahead", by.apply(A1))
    .step("along", by.apply(S1A))
    .qed(statement_of(bounds.A4_MEAN, OPT - V(0) - ALONG_MEAN, {gbar: MEAN_GAMMA})[0], by.linear("ahead", "along"))
)
A4_BELOW = (
    proof("fedcg/A.4-mean", "Lemma A.4", of="fedcg/A.4-mean@printed",
        note="no feasible direction does better for F than the clients' own ones do for them")
    .under(MEAN)
    .given("best", le(items(direction(e) * g(i, e)), items(v(i, e) * g(i, e)), CLIENTS),
        "v_i is best, Delta is feasible")
    .step("gradients", by.sum_over(e, "mean", weight=direction(e)))
    .steps(swapped("swap", p(i) * direction(e) * g(i, e)))
    .step("bests", by.sum_over(i, "best", weight=p(i)))
    .qed(le(items(direction(e) * PARTIAL), DIRECTIONS), by.linear("gradients", "swap", "bests"))
)

# One step (14) -----------------------------------------------------------------------------------------------------------------


def moved(place: Expr) -> Expr:
    """Return a coordinate's move, eta Delta."""
    return eta * direction(place)


STEP = (
    Given("path", eq(V(l), V(l - 1) + moved(l) * G(l, l - 1), (l, 1, n)),
        "F is linear in each coordinate: from x to x + eta Delta"),
    Given("slopes", eq(G(e, l), G(e, l - 1) + moved(l) * H(e, l), ITEMS, EARLIER),
        "and so are its partial derivatives"),
    Given("curved", le(-m_F, H(e, l), ITEMS, EARLIER), "P4, as both ends of the step are in the cube"),
)
FEASIBLE = Given("feasible", le(items(direction(e)), r), "Delta is in the matroid polytope")
SPREAD = items(direction(e)) ** 2 - items(direction(e) ** 2)
RISE = items(direction(e) * PARTIAL)


def one_step(lost: Expr) -> Relation:
    """F(x + eta Delta) >= F(x) + eta <Delta, F'(x)> - eta^2 m_F lost/2."""
    return le(V(0) + eta * RISE - Rational(1, 2) * eta**2 * m_F * lost, V(n))


SHARP_STEP = (
    proof("fedcg/C-14@strengthened", "(14)", of="fedcg/C-14@strengthened",
        note="for a base the last term has r (r - 1), which is 0 for rank 1")
    .under(*STEP)
    .qed(one_step(SPREAD), by.apply(path.CURVED, {path.d(e): moved(e), path.m: m_F, path.n: n}))
)
ONE_STEP = (
    proof("fedcg/C-14", "(14)", of="fedcg/C-14@printed", bound=bounds.ONE_STEP).under(*STEP, FEASIBLE)
    .step("sharp", by.apply(SHARP_STEP))
    .step("square", le(0, direction(e) ** 2, ITEMS), by.linear())
    .step("squares", by.sum_over(e, "square"))
    .step("sign", le(0, direction(e), ITEMS), by.linear())
    .step("signs", by.sum_over(e, "sign"))
    .step("size", le(items(direction(e)) ** 2, r**2), by.linear("feasible", "signs"))
    .qed(statement_of(bounds.ONE_STEP, V(0) + eta * RISE - V(n))[0], by.linear("sharp", "size", "squares"))
)

# One round ---------------------------------------------------------------------------------------------------------------------

ROUND = (*UP, MEAN, BEST, *STEP, FEASIBLE)


def one_round(lost: Expr) -> Relation:
    """State the gap to the optimum after a round, without Lemma A.3 and hence for any direction."""
    return le(OPT - V(n), (1 - eta) * (OPT - V(0)) + eta * (DIRECTIONS - RISE) + Rational(1, 2) * eta**2 * m_F * lost)


ONE_ROUND = (
    proof("fedcg/round", "proof of Theorem 3.2", note="one round, in any feasible direction").under(*ROUND)
    .step("ahead", by.apply(A1))
    .step("step", by.apply(ONE_STEP))
    .qed(one_round(r**2), by.linear("ahead", "step"))
)
SHARP_ROUND = (
    proof("fedcg/round-sharp", "proof of Theorem 3.2", note="with the sharp second-order term")
    .under(*(h for h in ROUND if h.id != "feasible"))
    .step("ahead", by.apply(A1))
    .step("step", by.apply(SHARP_STEP))
    .qed(one_round(SPREAD), by.linear("ahead", "step"))
)

THEOREMS = (S0, S0_LEAST, FIVE, MIDDLE, A1, S1A, A3, A4, A4_SHARP, A4_BELOW, SHARP_STEP, ONE_STEP, ONE_ROUND,
    SHARP_ROUND)
