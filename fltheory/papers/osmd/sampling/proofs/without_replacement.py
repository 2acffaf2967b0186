"""Proposition 11 for one draw, Appendices D.1 and D.2 as their claims state them."""

from __future__ import annotations

from sympy import Symbol

from fltheory.papers.osmd.notation import K, M
from fltheory.papers.osmd.sampling.proofs.sampling import CLIENTS, OPT, OPT_AT, SUM_S, a, k
from fltheory.papers.osmd.sampling.proofs.sampling import q as opt_q
from fltheory.papers.osmd.sampling.proofs.sampling import s as roots
from fltheory.proof import Defines, Given, by, eq, le, lt, proof, statement_of
from fltheory.proof.facts.notation import EACH, j, m, whole
from fltheory.proof.papers import quotients
from fltheory.proof.terms import Nonnegative, Positive, Scalar, Total, Vector, family, square
from fltheory.verification import find

n = Symbol("active", integer=True, positive=True)
x, p, q = family(Vector, "x"), family(Positive, "p"), family(Positive, "q")
J = Total(x(a), a, 1, M)


def of(name, place, claim, quantity):
    """Begin a proof of a claim's bound; return its statement and its conditions too."""
    bound = find(claim).bound
    statement, conditions = statement_of(bound, quantity)
    return proof(name, place, of=claim, bound=bound), statement, conditions


# One draw ------------------------------------------------------------------------------------------


def varies(law):
    """Return the variance of one draw from a distribution."""
    return Total(law(a) * square(x(a) / law(a) - J), a, 1, M)


def _energy(law):
    return Total(roots(a) ** 2 / law(a), a, 1, M)


_start, _line, _c = of("osmd/P11-single", "Proposition 11", "osmd/C-P11-single@corrected", varies(q) / varies(p))
SINGLE = (
    _start.given("law", eq(Total(p(a), a, 1, M), 1), "p is a law on the clients")
    .given("law q", eq(Total(q(a), a, 1, M), 1), "and so is p*")
    .given("sizes", eq(square(x(a)), roots(a) ** 2, CLIENTS), "the root of a client's feedback")
    .given("best", eq(q(a), roots(a) / SUM_S, CLIENTS), "p* is proportional to the roots of the feedback")
    .given("some", lt(0, SUM_S), "not all of the updates are 0")
    .given("positive", lt(0, varies(p)), "the variance at p, which is divided by")
    .step("each p", eq(square(x(a)) / p(a), roots(a) ** 2 / p(a), CLIENTS), by.linear("sizes"))
    .step("all p", by.sum_over(a, "each p"))
    .step("each q", eq(square(x(a)) / q(a), roots(a) ** 2 / q(a), CLIENTS), by.linear("sizes"))
    .step("all q", by.sum_over(a, "each q"))
    .step("value p", eq(varies(p), _energy(p) - square(J)), by.linear("law", "all p"))
    .step("value q", eq(varies(q), _energy(q) - square(J)), by.linear("law q", "all q"))
    .step("attained", by.apply(OPT_AT, {opt_q(a): q(a)}))
    .step("least", by.apply(OPT, {opt_q(a): p(a)}))
    .step("order", le(varies(q), 1 * varies(p)), by.linear("value q", "attained", "least", "value p"))
    .qed(
        _line,
        by.apply(
            "osmd/quotient-most",
            {quotients.top: varies(q), quotients.below: varies(p), quotients.factor: 1},
            "order",
            "positive",
        ),
    )
)

# (73) ----------------------------------------------------------------------------------------------

own, mixed, local, slopes = (family(Scalar, name) for name in ("own", "mixed", "local", "slope"))
weight = family(Positive, "lambda")
w, rate, size = Symbol("w", real=True), Symbol("rate", real=True), Symbol("size", positive=True)


def _value(at):
    """h at a point: local parameters s_m w, which minimise (b - s_m w)^2/2."""
    b = slopes(j) * at
    return whole(weight(j) * (own(j) * at**2 / 2 + mixed(j) * at * b + local(j) * b**2 / 2))


_B = slopes(j) * w
_PARTS = whole(weight(j) * (own(j) * w + mixed(j) * _B + slopes(j) * (mixed(j) * w + local(j) * _B)))
_SLOPE = (_value(w + 1) - _value(w - 1)) / 2
_start, _line, _c = of("osmd/D1-gradient", "Appendix D.1, (73)", "osmd/C-D1-gradient@corrected", _PARTS * rate / size)
GRADIENT = (
    _start.given("rate", eq(rate, _SLOPE), "the derivative of h: a central difference is it, as h is quadratic")
    .given("size", eq(size, rate**2), "it is not 0: a quotient x/h' is x h'/h'^2")
    .qed(_line, by.linear("rate", "size"))
)

# Absent clients ------------------------------------------------------------------------------------

mean, one = family(Vector, "mean")(), family(Vector, "one")
_HERE, _SIZE = Total(x(a), a, 1, n), Total(square(x(a)), a, 1, n)
_start, _line, _c = of("osmd/D2-mean", "Appendix D.2", "osmd/C-D2-mean@explicit", square(mean - _HERE) / _SIZE)
AWAY = (
    Given("positive", lt(0, _SIZE), "what is divided by: an active client has an update"),
    Defines("draw", one(k), Total(p(a) * x(a) / p(a), a, 1, n),
        "the mean of a draw: active client a with probability p_a"),
    Defines("mean", mean, Total(one(k), k, 0, K - 1) / K, "the estimator is the mean of the K draws", True),
)
MEAN = (
    _start.under(*AWAY)
    .step("square", eq(square(mean - _HERE), 0), by.linear(), inserting=("mean", "draw"))
    .qed(_line, by.linear({"square": 1 / _SIZE}, "positive"), note="the active clients are numbered from 1")
)
_start, _line, _c = of("osmd/D2-mean-all", "Appendix D.2", "osmd/C-D2-mean@explicit", square(mean - _HERE) / _SIZE)
ALL = (
    _start.under(AWAY[0], Defines("mean", mean, _HERE, "no more than K are active: all of them are used", True))
    .step("square", eq(square(mean - _HERE), 0), by.linear(), inserting="mean")
    .qed(_line, by.linear({"square": 1 / _SIZE}, "positive"))
)
fed, active = family(Nonnegative, "a"), family(Nonnegative, "active")
mass = Symbol("mass", positive=True)
_LOSS = whole(active(j) * fed(j) / p(j))
_AFTER = whole(active(j) * fed(j) / (p(j) / mass))
_start, _line, _c = of("osmd/D2-loss", "Appendix D.2", "osmd/C-D2-loss@explicit", _AFTER / _LOSS)
LOSS = (
    _start.given("law", eq(whole(p(j)), 1), "p is a law on the clients")
    .given("active", le(active(m), 1, EACH), "1 for a client that is active, 0 for one that is away")
    .given("mass", eq(whole(active(j) * p(j)), mass), "the mass of the active clients, which p is divided by")
    .given("positive", lt(0, _LOSS), "an active client has an update")
    .step("each", le(active(m) * p(m), p(m), EACH), by.linear("active"))
    .step("all", le(whole(active(j) * p(j)), whole(p(j))), by.sum_over(m, "each"))
    .step("small", le(mass, 1), by.linear("all", "mass", "law"))
    .step("order", le(_AFTER, 1 * _LOSS), by.linear("small", "positive"))
    .qed(
        _line,
        by.apply(
            "osmd/quotient-most",
            {quotients.top: _AFTER, quotients.below: _LOSS, quotients.factor: 1},
            "order",
            "positive",
        ),
    )
)

THEOREMS = (SINGLE, GRADIENT, MEAN, ALL, LOSS)
