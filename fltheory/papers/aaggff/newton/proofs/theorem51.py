"""Theorem 5.1: AAggFF-S, the online Newton step, in its corrected and strengthened readings, and a lower bound.

The regret is in the losses -log(1 + <p, r>): ``grown`` is 1 + <p, r> at the decision of a round, ``other`` at the comparator q.
Decisions, responses and gradients are vectors; ``h`` are the gradients, or those less their means over the clients.
"""

from __future__ import annotations

from sympy import Expr, log

from fltheory.model.bound import Bound
from fltheory.papers.aaggff import bounds
from fltheory.papers.aaggff.losses.proofs import curvature
from fltheory.papers.aaggff.losses.proofs.facts import LOG_OF, ROUNDS, a, b, c, j, t
from fltheory.papers.aaggff.newton.proofs import newton
from fltheory.papers.aaggff.newton.proofs.newton import (EIGENVALUES, END, GAIN, OPTIMAL, SIZE, SOLVE, h, lam, leader,
    most, p, q, rank)
from fltheory.papers.aaggff.notation import C1, C2, K, T, alpha, beta
from fltheory.proof import Given, Theorem, by, eq, le, lt, proof, statement_of
from fltheory.proof.facts import squares, sums
from fltheory.proof.terms import Dot, Positive, Total, family, square

PLACE = "Theorem 5.1"
V = bounds.V
grown, other = family(Positive, "s"), family(Positive, "s_star")
SLOPE = Given("slope", eq(grown(t) * Dot(h(t), q - p(t)), grown(t) - other(t), ROUNDS),
    "h = -r/(1 + <p, r>), up to multiples of (1, ..., 1), which q - p does not see")
GROWN = Given("grown", le(1 + C1, grown(t), ROUNDS),
    "1 + <p, r> of responses in [C1, C2]: an average of them is there too")
OTHER = Given("other", le(other(t), 1 + C2, ROUNDS), "1 + <q, r>, the same at the comparator")
START = Given("start", eq(square(p(1)), 1 / K), "the first decision is uniform")
INSIDE = Given("inside", le(square(q), 1), "the comparator is on the simplex")
REGRET = Total(log(other(t)) - log(grown(t)), t, 1, T)

# The curvature of the loss, round by round ----------------------------------------------------------------------------

_u = Dot(h(t), q - p(t))
CURVATURE = (
    Given("range", lt(C1, C2), "responses are in [C1, C2]"),
    Given("curved", le(beta, bounds.BETA_STAR), "the curvature is one that the range allows"),
)
CURVED = (
    proof("aaggff/newton-curved", PLACE,
        note="the regret is at most that of the quadratic lower bounds, for beta <= beta*(V)")
    .under(SLOPE, GROWN, OTHER, *CURVATURE)
    .step("size", lt(0, V), by.linear("range"))
    .step("far", le(other(t), (1 + V) * grown(t), ROUNDS), by.linear("other", "grown", "range", "size"))
    .step("sharp",
        by.apply(curvature.SHARP, {a: other(t), b: grown(t), curvature.W: V, curvature.beta: beta}, "far", "curved",
            "size"))
    .step("u", eq(_u, (grown(t) - other(t)) / grown(t), ROUNDS), by.linear("slope"))
    .step("each", le(log(other(t)) - log(grown(t)), -_u - beta / 2 * _u**2, ROUNDS), by.linear("sharp", "u"))
    .qed(le(REGRET, GAIN), by.sum_over(t, "each"))
)

A3 = (
    proof("aaggff/A.3-newton@printed", "Corollary A.3", of="aaggff/A.3-newton@printed",
        note="without the curvature: at most the linearised one")
    .under(SLOPE)
    .step("tangent", le(log(other(t)) - log(grown(t)), (other(t) - grown(t)) / grown(t), ROUNDS),
        by.apply(newton.SLOPE, {a: other(t), b: grown(t)}))
    .step("each", le(log(other(t)) - log(grown(t)), Dot(h(t), p(t) - q), ROUNDS), by.linear("tangent", "slope"))
    .qed(le(REGRET, Total(Dot(h(t), p(t) - q), t, 1, T)), by.sum_over(t, "each"))
)

# Any number of eigenvalues, any size of the gradients -----------------------------------------------------------------

RUN = (SLOPE, GROWN, OTHER, OPTIMAL, END, SOLVE, *EIGENVALUES, START, INSIDE)
ANY = (
    proof("aaggff/newton-regret", PLACE, note="(i) of Lemma A.4 is alpha/2 (|q|^2 - 1/K), (iii) the log-determinant")
    .under(*RUN, SIZE, *CURVATURE)
    .step("curved loss", by.apply(CURVED))
    .step("newton", by.apply(newton.ALL))
    .step("logs", by.apply(newton.LIMIT))
    .qed(le(REGRET, alpha / 2 * (1 - 1 / K) + rank / (2 * beta) * log(1 + beta * T * most / (rank * alpha))),
        by.linear("curved loss", "newton", "logs", "start", "inside"))
)

_NO_TRACE = tuple(h for h in RUN if h.id != "trace")
ALONG = (
    proof("aaggff/T5.1-eigenvalues", PLACE, of="aaggff/T5.1-run@explicit",
        note="with the eigenvalues of a run, its gradients centred or not")
    .under(*_NO_TRACE, *CURVATURE)
    .step("curved loss", by.apply(CURVED))
    .step("newton", by.apply(newton.ALL))
    .step("logs", by.apply(newton.LOGS))
    .qed(le(REGRET, alpha / 2 * (1 - 1 / K) + Total(log(1 + lam(j) / alpha), j, 1, rank) / (2 * beta)),
        by.linear("curved loss", "newton", "logs", "start", "inside"))
)


def bounded(
    name: str, bound: Bound, count: Expr, size: Expr, why: str, note: str, unused: tuple[str, ...] = ()
) -> Theorem:
    """State the catalogue's bound for gradients with so many eigenvalues, none longer than the root of ``size``."""
    statement, conditions = statement_of(bound, REGRET)
    read = {rank: count, most: size}
    setting = (*(Given(h.id, h.relation.at(read), h.why) for h in RUN), Given("size", SIZE.relation.at(read), why))
    uses = tuple(h.id for h in (*setting, *conditions) if h.id not in unused)
    signed = "c1" if size.has(C2 - C1) else ""
    return (
        proof(name, PLACE, of=name, bound=bound, unused=unused, note=note).under(*setting, *conditions)
        .step("length", le(0, size), by.linear({signed: size / (C2 - C1)} if signed else {}))
        .qed(statement, by.apply(ANY, read, "length", *uses))
    )


GENERAL = bounded("aaggff/T5.1@corrected", bounds.T51_GENERAL, K, K * bounds.L**2, "K entries of at most L_inf",
    "any alpha, any beta that the curvature allows", ("c2",))
SHARP = bounded("aaggff/T5.1@strengthened", bounds.T51_SHARP, K - 1, K * bounds.H**2,
    "K entries of a centred gradient, none beyond H", "centred gradients: one eigenvalue is 0")

# At the paper's alpha and beta ----------------------------------------------------------------------------------------

_NEWTON = dict(bounds.NEWTON)
_WINDOW, _CONDITIONS = statement_of(bounds.T51_WINDOW, REGRET)
_SETTING = tuple(Given(h.id, h.relation.at(_NEWTON), h.why) for h in GENERAL.hypotheses if h.id[0] != "c" or h.id == "curved")
WINDOW = (
    proof("aaggff/T5.1-window", PLACE, of="aaggff/T5.1-window@corrected", bound=bounds.T51_WINDOW,
        note="the paper's bound where 1/(4 L_inf) is a curvature that the range allows")
    .under(*_SETTING, *_CONDITIONS)
    .step("general", by.apply(GENERAL, _NEWTON))
    .qed(_WINDOW, by.linear("general"))
)

# A lower bound: the regret against the decision after the last round --------------------------------------------------

_end = p(T + 1)
LEAST = Given("least", le(leader(t + 1, p(t + 1)), leader(t + 1, p(t)), ROUNDS), "p^(t+1) minimises (7) on the simplex")
_back = Dot(h(t), _end - p(t))
_EQUAL = eq(grown(t) * _back, grown(t) - other(t), ROUNDS)
_each = Dot(h(t), p(t))
REVERSE = (
    proof("aaggff/T5.1-reverse", PLACE, of="aaggff/T5.1-reverse@strengthened",
        note="the regret against p^(T+1) is at least the sum of D(u) = log(1 - u) + u + beta/2 u^2, any alpha and beta")
    .under(LEAST, Given("shortest", le(square(p(1)), square(_end)), "p^(1) minimises the regulariser"))
    .given("slope", _EQUAL, "h = -r/(1 + <p, r>); here the comparator is p^(T+1)")
    .step("one", le(leader(t + 1, p(t + 1)), leader(t, p(t)) + _each, ROUNDS), by.linear("least"))
    .step("all", le(leader(T + 1, _end), leader(1, p(1)) + Total(_each, t, 1, T)),
        by.apply("aaggff/telescope", {sums.d(t): leader(t, p(t)), sums.s(t): _each, squares.N: T}, "one"))
    .step("ratio", eq(1 - _back, other(t) / grown(t), ROUNDS), by.linear("slope"))
    .step("sign", lt(0, 1 - _back, ROUNDS), by.linear("ratio"))
    .step("log", by.apply(LOG_OF, {c: 1 - _back, a: other(t), b: grown(t)}, "ratio", "sign"))
    .step("logs", by.sum_over(t, "log"))
    .qed(le(Total(log(1 - _back) + _back + beta / 2 * _back**2, t, 1, T), REGRET), by.linear("all", "shortest", "logs"))
)

THEOREMS = (CURVED, A3, ANY, ALONG, GENERAL, SHARP, WINDOW, REVERSE)
