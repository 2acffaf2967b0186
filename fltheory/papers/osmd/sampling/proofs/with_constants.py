"""Section 3 and Lemmas 15, 17 as their claims state them: means, variances and estimates of one round."""

from __future__ import annotations

from dataclasses import replace

from sympy import exp, log

from fltheory.papers.osmd.mirror.proofs import facts, lemmas
from fltheory.papers.osmd.notation import J2, K, Lbar, Lq, M, distance, g
from fltheory.papers.osmd.regret.proofs.paths import a as a_
from fltheory.papers.osmd.regret.proofs.paths import b as b_
from fltheory.papers.osmd.sampling.proofs import sampling
from fltheory.papers.osmd.sampling.proofs.sampling import X, a, estimate, k, total, weighed
from fltheory.proof import Defines, Given, by, eq, le, lt, proof, statement_of
from fltheory.proof.facts import squares
from fltheory.proof.facts.notation import EACH, P, Q, j, m, s, whole
from fltheory.proof.papers.quotients import below, difference_theorem, factor, top
from fltheory.proof.terms import E, Nonnegative, Positive, RandomNonnegative, Scalar, Total, Vector, family, square
from fltheory.verification import find

PLACE = "Section 3"


def said(claim, quantity, reading=None):
    """Return the claim's bound, and its statement on a quantity."""
    bound = find(claim).bound
    return bound, *statement_of(bound, quantity, reading)


# (3), (6), (8), (9), Lemma 15: an equation of the sides, as in the bound --------------------------

_SLOPE = (Given("slope", eq(g**2, square(sampling.MEAN)), "g is how long the mean of the clients' gradients is"),)
_AT = Total(square(sampling.Y(a)) / sampling.q(a), a, 1, M) / M**2
MOVED = (
    difference_theorem(sampling.VARIANCE, "osmd/C-3@printed", E(square(estimate() - total(X))),
        {Lbar: E(weighed()) / K, J2: E(square(total(X)))}),
    difference_theorem(sampling.SECOND, "osmd/C-3-second@explicit", E(square(estimate())),
        {Lbar: E(weighed()) / K, J2: E(square(total(X)))}),
    difference_theorem(lemmas.ESTIMATE, "osmd/C-6@printed", lemmas.ESTIMATE.statement.left,
        {Lq: lemmas.ESTIMATE.statement.right}),
    difference_theorem(sampling.EIGHT, "osmd/C-8@printed", sampling.EIGHT.statement.left,
        {Lbar: Total(square(sampling.Y(a)), a, 1, M) / M}, (replace(*_SLOPE, supposed=True),)),
    difference_theorem(sampling.NINE, "osmd/C-9@printed", sampling.NINE.statement.left, {Lbar: _AT}, _SLOPE),
    difference_theorem(facts.CURVED, "osmd/L15@printed", facts.CURVED.statement.left,
        means=(Given("apart", eq(distance**2, square(squares.y - squares.x)), "how far the two points are apart"),)),
)

# (2): the mean of the estimator -------------------------------------------------------------------

x, p = family(Vector, "x"), family(Positive, "p")
mean, one, often = family(Vector, "mean")(), family(Vector, "one"), family(Scalar, "chance")
J, LOSS = Total(x(a), a, 1, M), Total(square(x(a)) / p(a), a, 1, M)
SOME = Given("positive", lt(0, LOSS), "what is divided by: a client has an update")
_DRAW = Defines("draw", one(k), Total(p(a) * x(a) / p(a), a, 1, M), "the mean of a draw: client a with probability p_a")
_MEAN = Defines("mean", mean, Total(one(k), k, 0, K - 1) / K, "the estimator is the mean of the K draws")
_bound, _line, _ = said("osmd/C-2@printed", square(mean - J) / LOSS)
UNBIASED = (
    proof("osmd/C2-vector", PLACE, of="osmd/C-2@printed", bound=_bound)
    .under(_DRAW, replace(_MEAN, supposed=True), SOME)
    .step("square", eq(square(mean - J), 0), by.linear(), inserting=("mean", "draw"))
    .qed(_line, by.linear({"square": 1 / LOSS}, "positive"))
)
_CHANCE = Defines("chance", often(a), 1 - (1 - p(a)) ** K,
    "that client a is drawn at all: none of K draws is with (1 - p_a)^K")
_FROM = Defines("mean", mean, Total(often(a) * x(a) / (K * p(a)), a, 1, M), "a client that is drawn counts once")
_COUNTED = Total((1 - (1 - p(a)) ** K) * x(a) / (K * p(a)), a, 1, M)
_bound, _line, _ = said("osmd/C-2-script-mean@explicit", square(mean - _COUNTED) / LOSS)
ONCE = (
    proof("osmd/C2-script-mean", PLACE, of="osmd/C-2-script-mean@explicit", bound=_bound)
    .under(_CHANCE, replace(_FROM, supposed=True), SOME)
    .step("square", eq(square(mean - _COUNTED), 0), by.linear(), inserting=("mean", "chance"))
    .qed(_line, by.linear({"square": 1 / LOSS}, "positive"))
)
_bound, _line, _c = said("osmd/C-2-script@corrected", square(mean - J) / LOSS)
SINGLE = (
    proof("osmd/C2-script-single", PLACE, of="osmd/C-2-script@corrected", bound=_bound).under(_CHANCE, _FROM, SOME, *_c)
    .step("least", le(1, K), by.linear())
    .step("alike", by.antisymmetry("c1", "least"))
    .step("square", eq(square(mean - J), 0), by.linear(), inserting=("mean", "chance", "alike"))
    .qed(_line, by.linear({"square": 1 / LOSS}, "positive"))
)

# (7): the estimated gradient ----------------------------------------------------------------------

fed, counts = family(Nonnegative, "a"), family(RandomNonnegative, "N")
q = family(Positive, "q")
_COUNTS = Given("mean", eq(E(counts(m)), K * p(m), EACH), "K draws with replacement from p")


def off(i):
    """Return the difference of an entry of the mean estimated gradient from the gradient's."""
    return E(-fed(i) * counts(i) / (K**2 * q(i) ** 2 * p(i))) + fed(i) / (K * q(i) ** 2)


_NORM = whole((fed(j) / (K * q(j) ** 2)) ** 2)
_bound, _line, _ = said("osmd/C-7@printed", whole(off(j) ** 2) / _NORM)
GRADIENT = (
    proof("osmd/C7-vector", PLACE, of="osmd/C-7@printed", bound=_bound).under(_COUNTS)
    .given("positive", lt(0, _NORM), "what is divided by: the gradient is not 0")
    .step("each", eq(off(m), 0, EACH), by.linear("mean"))
    .step("squares", eq(off(m) ** 2, 0, EACH), by.linear("each"))
    .step("all", eq(whole(off(j) ** 2), 0), by.sum_over(m, "squares"))
    .qed(_line, by.linear({"all": 1 / _NORM}, "positive"))
)
drawn = family(Nonnegative, "N")


def _excess(i):
    w = fed(i) * drawn(i) / (K**2 * p(i))
    return w / q(i) - w / p(i) + w / q(i) ** 2 * (q(i) - p(i))


_LOSS = whole(fed(j) / p(j))
_bound, _line, _ = said("osmd/C-7-convex@explicit", whole(_excess(j)) / _LOSS)
CONVEX = (
    proof("osmd/C7-convex", PLACE, of="osmd/C-7-convex@explicit", bound=_bound, note="for every draw, so for the worst")
    .given("positive", lt(0, _LOSS), "what is divided by: there is feedback")
    .step("tangent", le(0, (1 / q(m)) ** 2 / (1 / p(m)) - 2 / q(m) + 1 / p(m), EACH),
        by.apply("osmd/convex", {a_: 1 / q(m), b_: 1 / p(m)}))
    .step("each", le(_excess(m), 0, EACH), by.linear("tangent"))
    .step("all", le(whole(_excess(j)), 0), by.sum_over(m, "each"))
    .step("order", le(whole(_excess(j)), 0 * _LOSS), by.linear("all"))
    .qed(_line, by.apply("osmd/quotient-most", {top: whole(_excess(j)), below: _LOSS, factor: 0}, "order", "positive"))
)

# Lemma 17, if some of the probabilities are 0 -----------------------------------------------------

share, logs = family(Nonnegative, "q"), family(Scalar, "logq")
_D = whole(share(j) * (logs(j) + log(M)))
_bound, _line, _ = said("osmd/L17@printed", exp(_D))
ENTROPY = (
    proof("osmd/L17-exp", "Lemma 17", of="osmd/L17@printed", bound=_bound)
    .given("sum", eq(whole(share(j)), 1), "probabilities, of which some may be 0")
    .given("logs", eq(share(m) * (exp(logs(m)) - share(m)), 0, EACH),
        "log q where q is not 0, else any number: 0 log 0 = 0")
    .step("zero", le(0, share(j), (j, 1, M)), by.linear())
    .step("one", by.apply(lemmas.ONE, {s(j): share(j)}))
    .step("most", le(share(m), 1, EACH), by.linear("one", "sum"))
    .step("tangent", by.apply(lemmas.TANGENT, {P: logs(m)}), over=EACH)
    .step("each", le(share(m) * (logs(m) + log(M)), share(m) * log(M), EACH), by.linear("tangent", "logs", "most"))
    .step("all", le(_D, whole(share(j) * log(M))), by.sum_over(m, "each"))
    .step("less", le(_D, log(M)), by.linear("all", "sum"))
    .qed(_line, by.apply(lemmas.GROWS, {P: _D, Q: log(M)}))
)

THEOREMS = (*MOVED, UNBIASED, ONCE, SINGLE, GRADIENT, CONVEX, ENTROPY)
