"""The noise term of Theorem 5 for averages, and the first regimes: no average of iterates is better than the last one.

Z is z minus the sum of all signs, with z x_0 = sigma/mu; z = 1 for x_0 = sigma/mu. For any steps E[x Z] = sigma/mu
for every iterate and every average. As E[Z^2] = N R + z^2, E[x^2] is at least sigma^2/(mu^2 (N R + z^2)).
"""

from __future__ import annotations

from sympy import Expr, Integer, Rational, Symbol, oo

from fltheory.papers.sfl import notation
from fltheory.papers.sfl.lower.bounds import N
from fltheory.papers.sfl.lower.proofs.noise.term import EVER, h, mu, n, tau, x
from fltheory.papers.sfl.notation import R, eta, lam, sigma, zeta
from fltheory.proof import Given, Relation, Theorem, by, eq, le, proof, statement_of
from fltheory.proof.algebra.replacing import substitute_relation
from fltheory.proof.terms import E, RandomScalar, Scalar, Total, family
from fltheory.verification import find

d, r = Symbol("d", integer=True, nonnegative=True), Symbol("r", integer=True, nonnegative=True)
S, bar, w = family(RandomScalar, "S"), family(RandomScalar, "bar")(), family(Scalar, "w")
off = family(RandomScalar, "off")()
z = Symbol("z", real=True)
LATER, T, HALF = (d, 0, oo), N * R, Rational(1, 2)
_LEVEL = sigma / mu
_NEXT = (1 - mu * h(n)) * x(n) - h(n) * sigma * tau(n + 1)
RUN = (
    Given("step", eq(x(n + 1), _NEXT, EVER), "step n has the deterministic size h(n), which is free"),
    Given("start", eq(x(0), _LEVEL), "the start"),
    Given("unit", eq(E(tau(n + 1) ** 2), 1, EVER), "a sign is 1 or -1"),
    Given("fair", eq(E(tau(n + 1)), 0, EVER), "with the same chance"),
    Given("later", eq(E(x(n) * tau(n + d + 1)), 0, EVER, LATER),
        "the signs to come are fair and independent of the model"),
    Given("sum", eq(S(n + 1), S(n) + tau(n + 1), EVER), "S is the sum of the signs so far"),
    Given("no sign", eq(S(0), 0), "S is the sum of the signs so far"),
    Given("fair sum", eq(E(tau(n + 1) * S(n)), 0, EVER), "the next sign is fair and independent of those before"),
)
IDS = tuple(e.id for e in RUN)
ANYWHERE = tuple(Given(e.id, eq(z * x(0), _LEVEL), "the start, which is not 0") if e.id == "start" else e for e in RUN)


def on(relation: Relation, *over: object) -> Relation:
    """Return the relation for all integers of the ranges."""
    return Relation(relation.left, relation.op, relation.right, over)


_NOW = eq(E(x(n) * (z - S(n))), _LEVEL)
_THEN = eq(E(x(n) * (z - S(n + d))), _LEVEL)
AGAINST = (
    proof("sfl/noise-against", "Theorems 5 and 6, first term",
        note="every iterate's product with Z has the mean sigma/mu")
    .under(*ANYWHERE)
    .step("first", eq(x(0) * (z - S(0)), _LEVEL), by.linear("start", "no sign"))
    .step("0", by.expectation("first"))
    .step("product", eq(x(n + 1) * (z - S(n + 1)), _NEXT * (z - S(n) - tau(n + 1)), EVER), by.linear("step", "sum"))
    .step("mean", by.expectation("product"))
    .step("next", by.instance({d: Integer(0)}, "later"))
    .step("1", on(_NOW.at({n: n + 1}), EVER), by.linear("mean", "next", "fair", "fair sum", "unit"), assuming=_NOW)
    .step("now", on(_NOW, EVER), by.induction(n, "0", "1"))
    .step("sum d", by.instance({n: n + d}, "sum"), over=(EVER, LATER))
    .step("later product", eq(x(n) * (z - S(n + d + 1)), x(n) * (z - S(n + d)) - x(n) * tau(n + d + 1), EVER, LATER),
        by.linear("sum d"))
    .step("later mean", by.expectation("later product"))
    .step("more", on(_THEN.at({d: d + 1}), EVER, LATER), by.linear("later mean", "later"), assuming=_THEN)
    .step("then", on(_THEN, EVER, LATER), by.induction(d, "now", "more"))
    .step("at the end", by.instance({d: T - n}, "then"), over=(n, 0, T))
    .qed(eq(E(x(n) * (z - S(T))), _LEVEL, (n, 0, T)), by.linear("at the end"), name="last")
)
_MEAN, _SQUARE = eq(E(S(n)), 0), eq(E(S(n) ** 2), n)
SIZE = (
    proof("sfl/noise-size", "Theorems 5 and 6, first term", note="the mean square of Z")
    .under(*(e for e in RUN if e.id in ("unit", "fair", "sum", "no sign", "fair sum")))
    .step("0", by.expectation("no sign"))
    .step("mean", by.expectation("sum"))
    .step("1", on(_MEAN.at({n: n + 1}), EVER), by.linear("mean", "fair"), assuming=_MEAN)
    .step("means", on(_MEAN, EVER), by.induction(n, "0", "1"))
    .step("square 0", eq(S(0) ** 2, 0), by.linear("no sign"))
    .step("base", by.expectation("square 0"))
    .step("square", eq(S(n + 1) ** 2, (S(n) + tau(n + 1)) ** 2, EVER), by.linear("sum"))
    .step("mean square", by.expectation("square"))
    .step("one", on(_SQUARE.at({n: n + 1}), EVER), by.linear("mean square", "fair sum", "unit"), assuming=_SQUARE)
    .step("squares", on(_SQUARE, EVER), by.induction(n, "base", "one"))
    .step("mean T", by.instance({n: T}, "means"))
    .step("square T", by.instance({n: T}, "squares"))
    .qed(eq(E((z - S(T)) ** 2), T + z**2), by.linear("mean T", "square T"), name="last")
)
_OFF = bar - (sigma / (mu * (T + z**2))) * (z - S(T))
LEAST = (
    proof("sfl/noise-average", "Theorems 5 and 6, first term", note="Cauchy-Schwarz")
    .given("against", eq(E(bar * (z - S(T))), _LEVEL), "the average's product with Z has the mean sigma/mu")
    .given("size", eq(E((z - S(T)) ** 2), T + z**2), "the mean square of Z")
    .where("off", off, _OFF, "how far the average is from a multiple of Z")
    .step("square", le(0, off**2), by.linear())
    .step("mean", by.expectation("square"))
    .qed(le(sigma**2 / (2 * mu * (T + z**2)), mu / 2 * E(bar**2)), by.linear("mean", "against", "size"), name="last",
        inserting="off")
)

_ONE, _Z = {z: Integer(1)}, 1 - S(T)
_SCHEDULE, _ = statement_of(find("sfl/T5-schedule@strengthened").bound, mu / 2 * E(bar**2), {notation.mu: mu})
SCHEDULE = (
    proof("sfl/T5-schedule", of="sfl/T5-schedule@strengthened", bound=find("sfl/T5-schedule@strengthened").bound,
        reading={notation.mu: mu})
    .under(*RUN)
    .given("average", eq(bar, Total(w(n) * x(n), n, 0, T)), "a weighted average of the iterates")
    .given("weights", eq(Total(w(n), n, 0, T), 1), "its weights add up to 1")
    .step("each", by.apply(AGAINST, _ONE))
    .step("all", by.sum_over(n, "each", weight=w(n)))
    .step("product", eq(bar * _Z, Total(w(n) * x(n), n, 0, T) * _Z), by.linear("average"))
    .step("mean", by.expectation("product"))
    .step("against", eq(E(bar * _Z), _LEVEL), by.linear("mean", "all", "weights"))
    .step("size", by.apply(SIZE, _ONE))
    .qed(_SCHEDULE, by.apply(LEAST, {**_ONE, off: _OFF.subs(_ONE)}), name="last")
)
_SUM = Total(x(N * r), r, 0, R)
_MEAN_OF_IT = Given("average", eq(bar, _SUM / (R + 1)), "the mean of the models after 0 to R rounds")
_FREE = z - S(T)
FROM_ANYWHERE = (
    proof("sfl/noise-anywhere", "Theorems 5 and 6, first term", note="the uniform average, from any start but 0")
    .under(*(Given(e.id, substitute_relation(e.relation, [(h(n), eta)]), e.why) for e in ANYWHERE), _MEAN_OF_IT)
    .step("each", by.apply(AGAINST, {h(n): eta}))
    .step("inside", le(N * r, T, (r, 0, R)), by.polynomial())
    .step("round", by.instance({n: N * r}, "each", "inside"))
    .step("all", by.sum_over(r, "round"))
    .step("product", eq(bar * _FREE, _SUM * _FREE / (R + 1)), by.linear("average"))
    .step("mean", by.expectation("product"))
    .step("against", eq(E(bar * _FREE), _LEVEL), by.linear("mean", "all"))
    .step("size", by.apply(SIZE))
    .qed(LEAST.statement, by.apply(LEAST, {off: _OFF}), name="last")
)
_UNIFORM, _ = statement_of(find("sfl/T6-noise@strengthened").bound, mu / 2 * E(bar**2), {notation.mu: mu})
UNIFORM = (
    proof("sfl/T6-noise", of="sfl/T6-noise@strengthened", bound=find("sfl/T6-noise@strengthened").bound,
        reading={notation.mu: mu})
    .under(*(Given(e.id, substitute_relation(e.relation, [(h(n), eta)]), e.why) for e in RUN), _MEAN_OF_IT)
    .qed(_UNIFORM, by.apply(FROM_ANYWHERE, _ONE), name="last")
)

# The first regimes: a shrinking coordinate is farther out in the mean of its iterates than at the end -----------------

_MOVE = Given("step", eq(x(n + 1), (1 - 2 * lam * eta) * x(n), EVER), "a step on lam x^2")


def average_near(name: str, claim: str, size: Expr) -> Theorem:
    """Prove that a coordinate lam x^2 without noise and the mean of its iterates stay near the start at small steps."""
    bound = find(claim).bound
    statement, conditions = statement_of(bound, lam * bar**2)
    kept = Rational(51004, 51005) * size / lam
    last = 2 * T * lam * eta
    stays = le((1 - 2 * n * lam * eta) * size / lam, x(n))
    return (
        proof(name, of=claim, bound=bound, unused=tuple(e.id for e in conditions[1:])).under(*conditions, _MOVE)
        .given("start", eq(x(0), size / lam), "the start")
        .given("average", eq(bar, _SUM / (R + 1)), "the mean of the models after 0 to R rounds")
        .step("most", le(last, Rational(1, 51005)), by.linear("c1"))
        .step("steps", le(1, T), by.polynomial(), note="there is a step")
        .step("shrinks", le(0, 1 - 2 * lam * eta), by.linear("steps", "most"))
        .step("at the start", stays.at({n: Integer(0)}), by.linear("start"))
        .step("one", on(stays.at({n: n + 1}), EVER), by.linear("step", "shrinks"), assuming=stays,
            note="(1 - z)^n >= 1 - n z")
        .step("all", on(stays, EVER), by.induction(n, "at the start", "one"))
        .step("round", on(stays.at({n: N * r}), (r, 0, R)), by.instance({n: N * r}, "all"))
        .step("inside", le(N * r, T, (r, 0, R)), by.polynomial())
        .step("each", le(kept, x(N * r), (r, 0, R)), by.linear("round", "inside", "most"))
        .step("sum", by.sum_over(r, "each"))
        .step("mean", le(kept, bar), by.linear("sum", "average"))
        .step("positive", le(0, bar + kept), by.linear("mean"))
        .qed(statement, by.linear("mean", "positive"), name="error")
    )


NEAR = (
    average_near("sfl/s1-average", "sfl/s1-average@explicit", sigma),
    average_near("sfl/h1-average", "sfl/h1-average@explicit", zeta),
)
THEOREMS = (AGAINST, SIZE, LEAST, SCHEDULE, FROM_ANYWHERE, UNIFORM, *NEAR)
