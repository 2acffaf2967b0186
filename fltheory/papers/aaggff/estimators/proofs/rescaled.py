"""Lemmas 4.4 and A.5: gradients of the rescaled estimates of all clients, the oracle's gap in the Euclidean norm."""

from __future__ import annotations

from sympy import Expr, Integer, Symbol

from fltheory.papers.aaggff.estimators.proofs.measured import term
from fltheory.papers.aaggff.estimators.proofs.sampling import KAPPA, MEAN_SEEN, ONE, gradient, p, r, seen
from fltheory.papers.aaggff.losses.proofs import quadratics
from fltheory.papers.aaggff.losses.proofs.facts import CLIENTS, i, j, n, whole
from fltheory.papers.aaggff.losses.proofs.quadratics import g, image, normal_, slope, value, x, y
from fltheory.papers.aaggff.notation import K, c, m
from fltheory.papers.aaggff.unification.proofs.mixing import tied
from fltheory.proof import Step, by, eq, le, line, proof
from fltheory.proof.terms import Dot, E, Total, Vector, family, square

# Lemma A.5 -----------------------------------------------------------------------------------------------------------------------

z = family(Vector, "z")()
NORM = proof("aaggff/norm", "Lemma A.5", note="a squared norm is not negative").qed(le(0, square(z)), by.sos())
least, size = Symbol("mu", positive=True), Symbol("|g|^2", positive=True)
_CHAIN, _STATED = tied("A.5-euclidean@printed", 2 * least * (value(x) - value(y)) / size, note="any y of the simplex")
EUCLIDEAN = (
    _CHAIN.given("subgradient", eq(g, image(x) + slope + normal_), "the gradient and an element of the normal cone")
    .given("normal", le(Dot(normal_, y - x), 0), "of the simplex at x")
    .given("size", eq(size, square(g)), "its squared norm, not 0")
    .given(
        "diagonal",
        le(least * square(y - x), quadratics.form(y - x, y - x)),
        "B is a diagonal matrix, none of whose entries is below mu, and what is positive semidefinite",
    )
    .step("norm", by.apply(NORM, {z: least * (y - x) + g}))
    .qed(
        _STATED,
        by.linear(
            {
                "diagonal": least / size,
                "norm": 1 / size,
                "normal": 2 * least / size,
                "subgradient": 2 * least / size * (y - x),
                "size": -1 / size,
            }
        ),
    )
)

# Lemma 4.4: the rescaled estimates of all clients at once ----------------

l, k, N = (Symbol(name, integer=True, positive=True) for name in ("l", "k", "N"))


def parts(count: Expr) -> Expr:
    """Return the sum before term l, term l, and the sum of ``count`` terms after it."""
    return Total(term(j), j, 1, l - 1) + term(l) + Total(term(j), j, l + 1, l + count)


def before(count: Expr) -> Expr:
    """Return the sum of all of them."""
    return Total(term(j), j, 1, l + count)


SPLIT = (
    proof("aaggff/split", "Lemma 4.4", note="a sum is what is before a term, the term and what is after it")
    .step("base", eq(before(Integer(0)), parts(Integer(0))), by.linear())
    .step("step", eq(before(n + 1), parts(n + 1), (n, 0, N - 1)), by.linear(), assuming=eq(before(n), parts(n)))
    .qed(eq(before(n), parts(n), (n, 0, N)), by.induction(n, "base", "step"))
)
AROUND = (
    proof("aaggff/around", "Lemma 4.4", note="the same of all terms")
    .given("inside", le(l, N), "one of them")
    .step("known", by.apply(SPLIT))
    .qed(eq(Total(term(j), j, 1, N), Total(term(j), j, 1, l - 1) + term(l) + Total(term(j), j, l + 1, N)),
        by.instance({n: N - l}, "known", "inside"))
)
ANY = (l, 1, K)
_BOTH = m * (m - 1) / (K * (K - 1))


def rescaled(client: Expr) -> Expr:
    """Return the participants' mean response plus the deviation divided by kappa."""
    return MEAN_SEEN + seen(client) * K / m / KAPPA * (r(client) - MEAN_SEEN)


def split(name: str, of: Expr) -> Step:
    """Return the step that splits a sum over the clients at client l."""
    around = Total(of, j, 1, l - 1) + of.xreplace({j: l})
    claim = eq(whole(of), around + Total(of, j, l + 1, K), ANY)
    return line(name, claim, by.apply(AROUND, {term(j): of, N: K}, "inside"))


_pair = E(seen(l) * seen(j)) * r(j)
_CHAIN, _STATED = tied("4.4-D2@corrected",
    E(gradient(rescaled(l), whole(p(j) * (rescaled(j) - c)), c)) - gradient(r(l), whole(p(j) * (r(j) - c)), c))
GRADIENT = (
    _CHAIN.under(CLIENTS, ONE)
    .given(
        "before", eq(E(seen(l) * seen(i)), _BOTH, ANY, (i, 1, l - 1)), "any two clients are drawn with this probability"
    )
    .given("after", eq(E(seen(l) * seen(i)), _BOTH, ANY, (i, l + 1, K)), "whatever their numbers")
    .given("itself", eq(seen(l) ** 2, seen(l), ANY), "0 or 1")
    .given("drawn", le(2, m), "two clients or more are drawn")
    .step("all", eq(whole(E(seen(j)) * r(j)), m / K * whole(r(j))), by.sum_over(i, "one", weight=r(i)))
    .step("mean", eq(E(MEAN_SEEN), whole(r(j)) / K), by.linear("all"))
    .step("square", by.expectation("itself"))
    .step("single", by.instance({i: l}, "one"), over=ANY)
    .step(
        "pre",
        eq(Total(_pair, j, 1, l - 1), _BOTH * Total(r(j), j, 1, l - 1), ANY),
        by.sum_over(i, "before", weight=r(i)),
    )
    .step(
        "post",
        eq(Total(_pair, j, l + 1, K), _BOTH * Total(r(j), j, l + 1, K), ANY),
        by.sum_over(i, "after", weight=r(i)),
    )
    .step("unit", le(0, 1, ANY), by.linear())
    .step("inside", le(l, K, ANY), by.linear("unit"))
    .steps(split("pairs", _pair), split("responses", r(j)))
    .step(
        "own",
        eq(E(seen(l) * MEAN_SEEN), (r(l) + (m - 1) * (whole(r(j)) - r(l)) / (K - 1)) / K, ANY),
        by.linear("pairs", "pre", "post", "square", "single", "responses", "clients"),
    )
    .step("means", eq(E(MEAN_SEEN), whole(r(j)) / K, ANY), by.linear("mean"))
    .step("unbiased", eq(E(rescaled(l)), r(l), ANY), by.linear("means", "single", "own", "drawn", "clients"))
    .step("weighed", eq(whole(p(j) * E(rescaled(j))), whole(p(j) * r(j))), by.sum_over(l, "unbiased", weight=p(l)))
    .step("weights", eq(whole(p(j) * E(rescaled(j))), whole(p(j) * r(j)), ANY), by.linear("weighed"))
    .qed(
        type(_STATED)(_STATED.left, _STATED.op, _STATED.right, (ANY,)),
        by.linear({"unbiased": -1 / (1 + c), "weights": c / (1 + c) ** 2}, "drawn", "clients"),
    )
)
THEOREMS = (NORM, EUCLIDEAN, SPLIT, AROUND, GRADIENT)
