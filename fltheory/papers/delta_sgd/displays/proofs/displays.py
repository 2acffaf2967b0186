"""The displays of the proof of Theorem 1 and of Lemma 4: (15) to (22), (29), (30), (35), printed and corrected.

``v(i, k)`` is a client's gradient at a step ``eta(i, k)``, ``g(i)`` at the server's iterate, ``s`` that of f.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, Rational, Symbol

from fltheory.papers.delta_sgd.nonconvex.proofs.drift import CLIENTS, JENSEN, LOCAL, TWO, i, k, l, n, part
from fltheory.papers.delta_sgd.nonconvex.proofs.drift import u as first
from fltheory.papers.delta_sgd.nonconvex.proofs.drift import v as second
from fltheory.papers.delta_sgd.notation import K, L, R_t, m, rho
from fltheory.proof import Given, Relation, Theorem, by, eq, le, proof
from fltheory.proof.facts import squares
from fltheory.proof.terms import Dot, Nonnegative, Positive, Total, Vector, family, square

s, w, eta, v, g = (
    family(Vector, "s")(),
    family(Vector, "w")(),
    family(Positive, "eta"),
    family(Vector, "v"),
    family(Vector, "g"),
)
D = Symbol("D_t", positive=True)
j = Symbol("j", integer=True, positive=True)
PLACE = "proof of Theorem 1"


def mean(term: Expr) -> Expr:
    """Return the sum over a client's local steps, averaged over the clients."""
    return Total(Total(term, k, 0, K - 1), i, 1, m) / m


SUM = Given("sum", eq(D, mean(eta(i, k))), "D_t is the mean over the clients of the sum of their steps")
ADDED = (
    proof("delta_sgd/15", "(15)", of="delta_sgd/15@corrected",
        note="D_t times the gradient of f, added and subtracted on every path")
    .under(SUM)
    .qed(eq(-Dot(mean(eta(i, k) * v(i, k)), s), -D * square(s) - D * Dot(mean(eta(i, k) / D * (v(i, k) - s)), s)),
        by.linear("sum"))
)
YOUNG = proof(
    "delta_sgd/17", "(16), (17)", of="delta_sgd/16@printed", note="Young's inequality with weight 1, on every path"
).qed(le(-D * Dot(w, s), D / 2 * square(s) + square(D * w) / (2 * D)), by.sos())
REGROUPED = proof("delta_sgd/18", "(18)", of="delta_sgd/18@corrected", note="with its sign mended, on every path").qed(
    eq(eta(i, k) * (v(i, k) - s), eta(i, k) * (v(i, k) - g(i) + g(i) - s), CLIENTS, LOCAL), by.linear())
a, b, c, step = (Symbol(name, real=True) for name in ("v", "g_i", "s", "eta"))


def refuted(
    name: str, claim: Relation, supposed: tuple[Given, ...], at: dict[Any, Any], place: str, note: str
) -> Theorem:
    """Refute a printed line at these numbers."""
    claim_id = "" if name == "35" else f"delta_sgd/{name}@printed"  # the catalogue has no claim of (35)
    return (
        proof(f"delta_sgd/{name}@printed", place, of=claim_id, recorded="REFUTED", note=note).under(*supposed)
        .qed(claim, by.counterexample(at, *(h.id for h in supposed)), note=note)
    )


REGROUPED_PRINTED = refuted("18", eq((step * (a - c)) ** 2, (step * (b - a + b - c)) ** 2), (),
    {step: 1, a: 1, b: 0, c: Rational(1, 2)}, "(18)", "on the line: the two gradients of the client are exchanged")
SPLIT = (
    proof("delta_sgd/19", "(19)", of="delta_sgd/19-drift@printed", note="two parts of the drift, on every path")
    .qed(le(square(first + second) / (2 * D), (square(first) + square(second)) / D), by.linear(by.apply(TWO)))
)
LEVELS = (
    proof("delta_sgd/20", "(20)", of="delta_sgd/20@printed",
        note="(8) for the clients and for their local steps, on every path")
    .step("1",
        le(square(Total(Total(v(i, k), k, 0, K - 1), i, 1, m)),
            m * Total(square(Total(v(i, k), k, 0, K - 1)), i, 1, m)),
        by.apply("delta_sgd/8", {squares.z(squares.a): Total(v(squares.a, k), k, 0, K - 1), squares.N: m}))
    .step("2", by.apply(JENSEN, {part(k): v(i, k), n: K}), over=CLIENTS)
    .step("3",
        le(Total(square(Total(v(i, k), k, 0, K - 1)), i, 1, m),
            K * Total(Total(square(v(i, k)), k, 0, K - 1), i, 1, m)), by.sum_over(i, "2"))
    .qed(le(square(mean(v(i, k))), K * mean(square(v(i, k)))), by.linear("1", "3"))
)

# (21) -------------------------------------------------------------------------------------------------------------------------

size = family(Nonnegative, "b")  # the squares of the steps
_BEFORE = Total(size(l), l, 0, k - 1)


def pairs(count: Expr) -> Expr:
    """Return the sum over all pairs of different steps below ``count``."""
    return Total(size(k) * Total(size(l), l, 0, k - 1), k, 0, count - 1)


def squares(count: Expr) -> Expr:
    """Return the sum over all steps below ``count``."""
    return Total(size(l), l, 0, count - 1)


_PAIRS = le(2 * pairs(n), squares(n) ** 2, (n, 0, K))
TWENTY_ONE = (
    proof("delta_sgd/21", "(21)", of="delta_sgd/21-sum@strengthened",
        note="for any number of local steps, with half of K - 1 where the paper has K; of one client")
    .step("0", le(2 * pairs(Integer(0)), squares(Integer(0)) ** 2), by.linear())
    .step("1.1", le(2 * pairs(n + 1), squares(n) ** 2 + 2 * size(n) * squares(n), (n, 0, K - 1)), by.linear(),
        assuming=le(_PAIRS.left, _PAIRS.right))
    .step("1", le(2 * pairs(n + 1), squares(n + 1) ** 2, (n, 0, K - 1)), by.linear("1.1"),
        assuming=le(_PAIRS.left, _PAIRS.right))
    .step("2", _PAIRS, by.induction(n, "0", "1"))
    .step("3", by.instance({n: K}, "2"))
    .step("4.1", le(0, size(l), LOCAL, (l, 0, k - 1)), by.linear())
    .step("4.2", by.sum_over(l, "4.1"))
    .step("4.3", le(0, size(k) * _BEFORE, LOCAL), by.linear("4.2"))
    .step("4.4", le(k * size(k) * _BEFORE, (K - 1) * size(k) * _BEFORE, LOCAL), by.linear("4.3"))
    .step("4", le(Total(k * size(k) * _BEFORE, k, 0, K - 1), (K - 1) * pairs(K)), by.sum_over(k, "4.4"))
    .qed(le(Total(k * size(k) * _BEFORE, k, 0, K - 1), (K - 1) / Integer(2) * squares(K) ** 2),
        by.linear({"4": 1, "3": (K - 1) / Integer(2)}))
)

# (22), (29): differences between the steps ----------------------------------------------------------------------------

R = R_t
Q = mean(eta(i, k) ** 2)
DISPERSION = Given("dispersion", eq(R, K * Q / D**2), "R_t: the mean square of the steps over their squared mean")
TWENTY_TWO = (
    proof("delta_sgd/22", "(22)", of="delta_sgd/29-dispersion@explicit",
        note="the second term is D_t rho R_t times the squared gradient")
    .under(DISPERSION)
    .qed(eq(K * rho / D * Q, D * rho * R), by.linear("dispersion"))
)
_ALL = (*CLIENTS,), (*LOCAL,), (j, 1, m), (l, 0, K - 1)
SPREAD = (
    proof("delta_sgd/R", "(29)", of="delta_sgd/29-dispersion@strengthened",
        note="the dispersion of the steps is at least 1, without the factor 2 rho")
    .under(SUM, DISPERSION)
    .step("1", le(0, (eta(i, k) - eta(j, l)) ** 2, *_ALL), by.polynomial())
    .step("3", le(mean(eta(i, k)) ** 2, K * Q), by.linear(by.sum_over((l, j, k, i), "1")))
    .step("4", le(D**2, K * Q), by.linear("3", "sum"))
    .qed(le(1, R), by.linear("4", "dispersion"))
)
DIVIDED = (
    proof("delta_sgd/29", "(29)", note="(28) divided by D_t/2").under(DISPERSION)
    .qed(
        eq(2 / D * (D / 2 - K * rho / D * Q - 2 * K * L * (1 + rho) * Q),
            1 - 2 * rho * R - 4 * K * L * (1 + rho) / D * Q), by.linear("dispersion"))
)
NOTHING = (
    proof("delta_sgd/29-negative", "(29)", of="delta_sgd/29-negative@strengthened",
        note="then nothing is left of the gradient")
    .given("wide", le(1, 2 * rho * R), "the steps differ much")
    .step("1.1", le(0, eta(i, k) ** 2, CLIENTS, LOCAL), by.linear())
    .step("1", le(0, Q), by.sum_over((k, i), "1.1", weight=1 / m))
    .qed(le(1 - 2 * rho * R - 4 * K * L * (1 + rho) / D * Q, 0), by.linear("wide", "1"))
)

# (30), (35) as printed ----------------------------------------------------------------------------------------------------------

values = tuple(Symbol(f"f_{number}", nonnegative=True) for number in range(3))
sums, least = tuple(Symbol(f"D_{number}", positive=True) for number in range(2)), Symbol("D", positive=True)
TELESCOPES = refuted("30-telescope",
    le(sum((values[t] - values[t + 1]) / sums[t] for t in range(2)), (values[0] - values[2]) / least),
    tuple(Given(f"D {t}", le(least, sums[t]), "the sum of the steps of a round") for t in range(2)),
    {**dict(zip(values, (1, 3, 0), strict=True)), **dict(zip(sums, (2, 1), strict=True)), least: 1}, "(30)",
    "values do not telescope once each is divided by its own D_t")
x, after = (Symbol(name, real=True) for name in ("x", "x_after"))
SIGNS = refuted("35", eq((x - after) ** 2, 2 * (-step * b) * (x - after) - (x - after) ** 2),
    (Given("step", eq(after, x - step * b), "a gradient step"),), {x: 1, after: 0, step: 1, b: 1}, "(35)",
    "on the line: 1 against -3")

THEOREMS = (ADDED, YOUNG, REGROUPED, REGROUPED_PRINTED, SPLIT, LEVELS, TWENTY_ONE, TWENTY_TWO, SPREAD, DIVIDED, NOTHING,
    TELESCOPES, SIGNS)
