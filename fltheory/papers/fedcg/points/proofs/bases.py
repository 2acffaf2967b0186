"""Bases of a matroid: the greedy one is best (P5), means of bases are in the polytope; length of tau bases, (58)-(61).

Items are counted from 1 to n; a base is its 0/1 vector. For P5 they are numbered by decreasing weight.
"""

from __future__ import annotations

from sympy import Expr, Symbol, sqrt

from fltheory.papers.fedcg.facts import algebra
from fltheory.papers.fedcg.local.proofs.local import STEPS, c, step
from fltheory.papers.fedcg.notation import L, N, n, r, sigma, tau
from fltheory.papers.fedcg.points.proofs.lemmas import CLIENTS, LAW, clients, e, i, items, p, v
from fltheory.proof import Given, Relation, by, eq, le, lt, proof, statement_of
from fltheory.proof.language import Range
from fltheory.proof.terms import Nonnegative, Scalar, Total, family
from fltheory.verification import find

PLACE = "Section 2"
k = Symbol("k", integer=True, positive=True)


def over(relation: Relation, *ranges: Range) -> Relation:
    """Return a relation for all of these integers."""
    return Relation(relation.left, relation.op, relation.right, ranges)


# P5: the greedy base ----------------------------------------------------------------------------------------------------

slope, greedy, best = family(Nonnegative, "g"), family(Nonnegative, "greedy"), family(Nonnegative, "best")
rank_of = family(Nonnegative, "rank")
PREFIXES = (c, 0, n)


def _more(count: Expr) -> Expr:
    """Return how many more of the first items the greedy base has."""
    return Total(greedy(k) - best(k), k, 1, count)


def _heavier(count: Expr) -> Expr:
    """Return by how much these weigh more."""
    return Total((greedy(k) - best(k)) * slope(k), k, 1, count)


_P5 = find("fedcg/P5@printed").bound
_GAINS = items(best(e) * slope(e)) - items(greedy(e) * slope(e))
P5 = (
    proof("fedcg/P5@printed", PLACE, of="fedcg/P5@printed", bound=_P5,
        note="of the items of largest weight no independent set has more than the greedy base")
    .given("sorted", le(slope(c + 1), slope(c), (c, 1, n - 1)), "the items are numbered by falling weight")
    .given("greedy", eq(Total(greedy(k), k, 1, c), rank_of(c), PREFIXES),
        "an item is taken where it fits: no more of the first c items would, and in a matroid such a set is a largest one")
    .given("independent", le(Total(best(k), k, 1, c), rank_of(c), PREFIXES), "of a base, these are independent")
    .given("best", le(items(greedy(e) * slope(e)), items(best(e) * slope(e))), "it is the best base of all")
    .step("more", le(0, _more(c), PREFIXES), by.linear("greedy", "independent"))
    .step("more now", le(0, _more(c), (c, 1, n - 1)), by.linear("more"))
    .step("0", le(slope(1) * _more(1), _heavier(1)), by.linear())
    .step("1", le(slope(c + 1) * _more(c + 1), _heavier(c + 1), (c, 1, n - 1)), by.linear("sorted", "more now"),
        assuming=le(slope(c) * _more(c), _heavier(c)))
    .step("2", le(slope(c) * _more(c), _heavier(c), (c, 1, n)), by.induction(c, "0", "1"))
    .step("3", by.instance({c: n}, "2"))
    .step("all", by.instance({c: n}, "more"))
    .step("most", le(_GAINS, 0), by.linear("3", "all"))
    .step("least", le(0, _GAINS), by.linear("best"))
    .qed(statement_of(_P5, _GAINS)[0], by.antisymmetry("most", "least"))
)

# Means of bases -------------------------------------------------------------------------------------------------------------

inside, rank = family(Nonnegative, "inside"), Symbol("rank_S", nonnegative=True)
_MEAN = find("fedcg/P5-polytope@printed").bound
_FITS = Given("fits", le(items(inside(e) * v(i, e)), rank, CLIENTS),
    "what a base has of S is independent; inside is 1 on S")
POLYTOPE = (
    proof("fedcg/P5-polytope@printed", PLACE, of="fedcg/P5-polytope@printed", bound=_MEAN,
        note="for every set S of items: a mean of bases has no more of S than its rank")
    .under(LAW, _FITS)
    .step("all", by.sum_over(i, "fits", weight=p(i)))
    .step("swap",
        eq(Total(Total(p(i) * inside(e) * v(i, e), e, 1, n), i, 1, N),
            Total(Total(p(i) * inside(e) * v(i, e), i, 1, N), e, 1, n)),
        by.apply(algebra.SWAP, {algebra.pair(i, e): p(i) * inside(e) * v(i, e), algebra.first: N, algebra.second: n}))
    .qed(statement_of(_MEAN, items(inside(e) * clients(v(i, e))) - rank)[0], by.linear("all", "swap", "law"))
)
_LOCAL = find("fedcg/C.1-polytope@printed").bound
_DISPLACED = items(inside(e) * Total(step(i, c, e), c, 0, tau - 1) / tau) - rank
LOCAL_POLYTOPE = (
    proof("fedcg/C.1-polytope@printed", "Claim C.1", of="fedcg/C.1-polytope@printed", bound=_LOCAL,
        note="the same of the mean of a client's tau bases")
    .given("fits", le(items(inside(e) * step(i, c, e)), rank, CLIENTS, STEPS), "what a base has of S is independent")
    .step("all", le(Total(items(inside(e) * step(i, c, e)), c, 0, tau - 1), tau * rank, CLIENTS),
        by.sum_over(c, "fits"))
    .step("swap",
        eq(Total(Total(inside(e) * step(i, c, e), e, 1, n), c, 0, tau - 1),
            Total(Total(inside(e) * step(i, c, e), c, 0, tau - 1), e, 1, n), CLIENTS),
        by.apply(algebra.SWAP_STEPS,
            {algebra.pair(c, e): inside(e) * step(i, c, e), algebra.first: tau, algebra.second: n}))
    .qed(over(statement_of(_LOCAL, _DISPLACED)[0], CLIENTS), by.linear("all", "swap"))
)

# (58) and (59) ----------------------------------------------------------------------------------------------------------------

away, change, error = family(Nonnegative, "away"), family(Scalar, "change"), family(Scalar, "error")
ITEMS = (e, 1, n)
a = Symbol("a", integer=True, nonnegative=True)
EARLIER = (a, 0, c - 1)
TAKEN = Total(step(i, a, e), a, 0, c - 1)
_WHOLE = (a, 0, tau - 1)
WAY = (
    Given("ones", le(step(i, a, e), 1, CLIENTS, _WHOLE, ITEMS), "a base is a 0/1 vector"),
    Given("base", le(items(step(i, a, e)), r, CLIENTS, _WHOLE), "with r ones"),
    Given("way", le(away(i, c, e), TAKEN / tau, CLIENTS, STEPS, ITEMS),
        "a step of at most 1/tau of each base; a point that leaves the cube is taken back to it"),
)
DISTANCE = items(away(i, c, e) ** 2)
SHORT = (
    proof("fedcg/58", "(58)", note="after c local steps no point is farther off than c/tau times the root of r")
    .under(*WAY)
    .step("one", le(step(i, a, e), 1, CLIENTS, STEPS, EARLIER, ITEMS), by.linear("ones"))
    .step("count", le(TAKEN, c, CLIENTS, STEPS, ITEMS), by.sum_over(a, "one"))
    .step("each", le(0, step(i, a, e), CLIENTS, STEPS, EARLIER, ITEMS), by.linear())
    .step("sign", by.sum_over(a, "each"))
    .step("square", le(away(i, c, e) ** 2, c * TAKEN / tau**2, CLIENTS, STEPS, ITEMS),
        by.linear("way", "count", "sign"))
    .step("squares", le(DISTANCE, c * items(TAKEN) / tau**2, CLIENTS, STEPS), by.sum_over(e, "square"))
    .step("ranks", le(items(step(i, a, e)), r, CLIENTS, STEPS, EARLIER), by.linear("base"))
    .step("bases", le(Total(items(step(i, a, e)), a, 0, c - 1), c * r, CLIENTS, STEPS), by.sum_over(a, "ranks"))
    .qed(le(DISTANCE, (c / tau) ** 2 * r, CLIENTS, STEPS), by.linear("squares", "bases"))
)
_C58 = find("fedcg/C-58@printed").bound
_RATIO = DISTANCE.xreplace({c: k}) / ((k / tau) ** 2 * r)
_LATER = (k, 1, tau - 1)
C58 = (
    proof("fedcg/C-58@printed", "(58)", of="fedcg/C-58@printed", bound=_C58, note="every client and local step, from 1")
    .under(*WAY)
    .step("short", by.apply(SHORT))
    .step("later", by.instance({c: k}, "short"), over=(CLIENTS, _LATER))
    .qed(over(statement_of(_C58, _RATIO)[0], CLIENTS, _LATER), by.linear("later"))
)
CHANGED = items(change(i, c, e) ** 2)
LIPSCHITZ = Given("lipschitz", le(CHANGED, L**2 * DISTANCE, CLIENTS, STEPS),
    "L is the largest change of a gradient over the distance")
_C59 = find("fedcg/C-59@printed").bound
C59 = (
    proof("fedcg/C-59@printed", "(59)", of="fedcg/C-59@printed", bound=_C59, note="the gradient's change, Euclidean")
    .under(*WAY, LIPSCHITZ)
    .step("short", by.apply(SHORT))
    .step("unit", le(0, 1), by.linear())
    .step("early", le(c, tau - 1, STEPS), by.linear("unit"))
    .step("square", le(c**2, tau**2, STEPS), by.linear("early"))
    .step("near", le(DISTANCE, r, CLIENTS, STEPS), by.linear("short", "square"))
    .qed(over(statement_of(_C59, CHANGED)[0], CLIENTS, STEPS), by.linear("lipschitz", "near"))
)

# (61) -------------------------------------------------------------------------------------------------------------------------

first, second = Symbol("s", nonnegative=True), Symbol("t", nonnegative=True)
X, A, P = Symbol("X", real=True), Symbol("A", real=True), Symbol("P", positive=True)
_ROOT = le(X, first * second)
POSITIVE = (
    proof("fedcg/product-root-positive", "(61)")
    .given("square", le(P**2, first**2 * second**2), "its square is at most that of a product")
    .qed(le(P, first * second), by.linear({"square": 1 / (first * second + P)}))
)
PRODUCT = (
    proof("fedcg/product-root", "(61)")
    .given("square", le(X**2, first**2 * second**2), "its square is at most that of a product")
    .step("1", _ROOT, by.linear(), assuming=le(X, 0))
    .step("sign", lt(0, X), by.linear(), assuming=lt(0, X))
    .step("2", by.apply(POSITIVE, {P: X}, "square", "sign"), assuming=lt(0, X))
    .qed(_ROOT, by.cases("1", "2"))
)
SHARED = (
    proof("fedcg/product-share", "(61)")
    .given("all", le(0, P * (A * P - X**2)), "a factor that is positive")
    .qed(le(X**2, A * P), by.linear("all"))
)
f, h = family(Scalar, "a"), family(Scalar, "b")
_F, _H, _FH = items(f(e) ** 2), items(h(e) ** 2), items(f(e) * h(e))
_SECOND, _THIRD = (le(_H, 0), lt(0, _F)), (le(_H, 0), le(_F, 0))
_SQUARE, _CAUCHY = le(_FH**2, _F * _H), le(_FH, first * second)

CAUCHY = (
    proof("fedcg/cauchy", "(61)", note="the inequality of Cauchy and Schwarz")
    .step("f", le(0, f(e) ** 2, ITEMS), by.linear())
    .step("h", le(0, h(e) ** 2, ITEMS), by.linear())
    .step("F", by.sum_over(e, "f"))
    .step("H", by.sum_over(e, "h"))
    .step("1 each", by.apply(algebra.SQUARE, {algebra.X: _H * f(e) - _FH * h(e)}), over=ITEMS)
    .step("1 all", by.sum_over(e, "1 each"))
    .step("1 part", le(0, _H * (_F * _H - _FH**2)), by.linear("1 all"))
    .step("1 sign", lt(0, _H), by.linear(), assuming=lt(0, _H))
    .step("1", by.apply(SHARED, {P: _H, A: _F, X: _FH}, "1 part", "1 sign"), assuming=lt(0, _H))
    .step("2 each", by.apply(algebra.SQUARE, {algebra.X: _FH * f(e) - _F * h(e)}), over=ITEMS)
    .step("2 all", by.sum_over(e, "2 each"))
    .step("2 part", le(0, _F * (_F * _H - _FH**2)), by.linear("2 all"))
    .step("2 sign", lt(0, _F), by.linear(), assuming=_SECOND)
    .step("2", by.apply(SHARED, {P: _F, A: _H, X: _FH}, "2 part", "2 sign"), assuming=_SECOND)
    .step("3 plus", by.apply(algebra.SQUARE, {algebra.X: f(e) + h(e)}), over=ITEMS)
    .step("3 minus", by.apply(algebra.SQUARE, {algebra.X: f(e) - h(e)}), over=ITEMS)
    .step("3 below", by.sum_over(e, "3 plus"))
    .step("3 above", by.sum_over(e, "3 minus"))
    .step("3 high", le(_FH, 0), by.linear("3 above"), assuming=_THIRD)
    .step("3 low", le(0, _FH), by.linear("3 below"), assuming=_THIRD)
    .step("3", _SQUARE, by.linear("3 high", "F", "H", "3 low"), assuming=_THIRD)
    .qed(_SQUARE, by.cases("1", "2", "3"))
)
MINKOWSKI = (
    proof("fedcg/minkowski", "(61)", note="the triangle inequality of Euclidean norms, as squares")
    .given("first", le(_F, first**2), "one vector is no longer than s")
    .given("second", le(_H, second**2), "the other no longer than t")
    .step("cauchy", by.apply(CAUCHY))
    .step("h", le(0, h(e) ** 2, ITEMS), by.linear())
    .step("H", by.sum_over(e, "h"))
    .step("square", le(_FH**2, first**2 * second**2), by.linear("cauchy", "first", "second", "H"))
    .step("product", by.apply(PRODUCT, {X: _FH}))
    .qed(le(items((f(e) + h(e)) ** 2), (first + second) ** 2), by.linear("first", "second", "product"))
)
_C61 = find("fedcg/C-61@printed").bound
C61 = (
    proof("fedcg/C-61@printed", "(61)", of="fedcg/C-61@printed", bound=_C61, note="(59) and the error of the estimate")
    .under(*WAY, LIPSCHITZ)
    .given("error", le(items(error(i, c, e) ** 2), sigma**2, CLIENTS, STEPS),
        "A4: estimates less gradients are no longer than sigma")
    .step("change", by.apply(C59))
    .step("root", le(CHANGED, (L * sqrt(r)) ** 2, CLIENTS, STEPS), by.linear("change"))
    .qed(over(statement_of(_C61, items((error(i, c, e) + change(i, c, e)) ** 2))[0], CLIENTS, STEPS),
        by.apply(MINKOWSKI, {f(e): error(i, c, e), h(e): change(i, c, e), first: sigma, second: L * sqrt(r)}))
)

THEOREMS = (P5, POLYTOPE, LOCAL_POLYTOPE, SHORT, C58, C59, POSITIVE, PRODUCT, SHARED, CAUCHY, MINKOWSKI, C61)
