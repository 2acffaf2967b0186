"""Lemmas 4.3, 4.4 and A.2: m of K clients drawn without replacement, the estimate (10) of their responses, its gradient (11).

``seen`` is 1 for a drawn client, else 0. A statement about client K holds for any client: the numbering is arbitrary.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import comb
from typing import Any

from sympy import Abs, Expr, Integer, Rational, Symbol, symbols

from fltheory.papers.aaggff import bounds
from fltheory.papers.aaggff.losses import bounds as of
from fltheory.papers.aaggff.losses.proofs.facts import CLIENTS, EACH, PART, P, i, j, w, whole
from fltheory.papers.aaggff.notation import C1, C2, C, K, c, m
from fltheory.proof import Given, Theorem, by, eq, le, line, proof, statement_of
from fltheory.proof.terms import E, RandomNonnegative, Scalar, Total, family

seen, r, p = family(RandomNonnegative, "seen"), family(Scalar, "r"), family(Scalar, "p")
MU = whole(r(j)) / K
KAPPA = K * (m - 1) / (m * (K - 1))
MEAN_SEEN = whole(seen(j) * r(j)) / m
ONE = Given("one", eq(E(seen(i)), m / K, EACH), "each client is drawn with probability m/K")
PAIRS = Given("two", eq(E(seen(K) * seen(i)), m * (m - 1) / (K * (K - 1)), (i, 1, K - 1)),
    "and two of them with this one")
DRAWS = (CLIENTS, ONE, PAIRS, Given("itself", eq(seen(K) ** 2, seen(K)), "0 or 1"))

# Lemma 4.3 ------------------------------------------------------------------------------------------------------------


def robust(client: Expr, imputed: Expr) -> Expr:
    """Return (10) with a number imputed to the clients that are not drawn."""
    return (1 - seen(client) * K / m) * imputed + seen(client) * K / m * r(client)


_with_own = eq(E(seen(K) * MEAN_SEEN), (r(K) + (m - 1) * (K * MU - r(K)) / (K - 1)) / K)
MOMENTS = (
    line("all", eq(Total(E(seen(j)) * r(j), j, 1, K), m / K * whole(r(j))), by.sum_over(i, "one", weight=r(i))),
    line("mean", eq(E(MEAN_SEEN), MU), by.linear("all")),
    line("last", eq(E(seen(K)), m / K), by.instance({i: K}, "one", "clients")),
    line("square", eq(E(seen(K) ** 2), E(seen(K))), by.expectation("itself")),
    line("pairs",
        eq(Total(E(seen(K) * seen(j)) * r(j), j, 1, K - 1), m * (m - 1) / (K * (K - 1)) * Total(r(j), j, 1, K - 1)),
        by.sum_over(i, "two", weight=r(i))),
    line("own", _with_own, by.linear("pairs", "square", "last"),
        note="where a client is drawn, the others are a uniform draw from the rest"),
)
BIASED = (
    proof("aaggff/4.3@corrected", "Lemma 4.3", of="aaggff/4.3@corrected",
        note="deviations from the mean response shrink by kappa = K (m - 1)/(m (K - 1))")
    .under(*DRAWS)
    .steps(*MOMENTS)
    .qed(eq(E(robust(K, MEAN_SEEN)), MU + KAPPA * (r(K) - MU)), by.linear(mean=1, own=-K / m, last=K / m * r(K)))
)
BIAS = (
    proof("aaggff/4.3-bias-signed", "Lemma 4.3", of="aaggff/4.3-bias@corrected",
        note="the bias of any client, with its sign, by the catalogue's factor")
    .under(*DRAWS)
    .step("biased", by.apply(BIASED))
    .qed(eq(E(robust(K, MEAN_SEEN)) - r(K), of.BIAS.expr * (MU - r(K))), by.linear("biased", "clients"))
)
_RELEASED = seen(K) * K / m * (r(K) - MEAN_SEEN) + (1 - seen(K)) * MEAN_SEEN
RELEASED = (
    proof("aaggff/A3-mean", "Algorithm 3", of="aaggff/A3-mean@explicit",
        note="the estimate as released, without the mean response of those seen in their own entries")
    .under(*DRAWS)
    .steps(*MOMENTS)
    .qed(eq(E(_RELEASED), (1 - m / K) * MU + (KAPPA - m / K * (1 - KAPPA)) * (r(K) - MU)),
        by.linear({"mean": 1, "own": -K / m - 1, "last": K / m * r(K)}, "clients"))
)
MISSING = proof(
    "aaggff/A3-estimate",
    "Algorithm 3",
    of="aaggff/A3-estimate@explicit",
    note="what the estimate as released leaves out of (10)",
).qed(eq(robust(K, MEAN_SEEN) - _RELEASED, seen(K) * MEAN_SEEN), by.linear())
D1 = (
    proof("aaggff/4.3-D1@corrected", "Lemma 4.3", of="aaggff/4.3-D1@corrected",
        note="unbiased where what is imputed does not depend on the draw")
    .under(ONE)
    .qed(eq(E(robust(i, c)), r(i), EACH), by.linear("one"))
)
_RESCALED = MEAN_SEEN + seen(K) * K / m / KAPPA * (r(K) - MEAN_SEEN)
D2 = (
    proof("aaggff/4.3-D2@corrected", "Lemma 4.3", of="aaggff/4.3-D2@corrected",
        note="unbiased with the deviations divided by kappa")
    .under(*DRAWS)
    .given("two drawn", le(2, m), "two clients or more are drawn")
    .steps(*MOMENTS)
    .qed(eq(E(_RESCALED), r(K)), by.linear("mean", "own", "last", "two drawn", "clients"))
)
ALONE = (
    proof("aaggff/4.3-one@strengthened", "Lemma 4.3", of="aaggff/4.3-one@strengthened",
        note="with one client drawn every entry is the response seen")
    .given("alone", eq(seen(i) * (r(i) - whole(seen(j) * r(j))), 0, EACH),
        "the one that is drawn has the mean response seen", supposed=True)
    .qed(eq(robust(i, MEAN_SEEN).xreplace({m: Integer(1)}), MEAN_SEEN.xreplace({m: Integer(1)}), EACH),
        by.linear("alone"))
)

# Enumeration of the draws ---------------------------------------------------------------------------------------------

Draw = tuple[tuple[Any, ...], tuple[int, ...], Any]  # responses, the drawn clients, their mean response


def average(clients: int, drawn: int, value: Callable[[Draw], Any]) -> Expr:
    """Return the mean of a value over all draws of ``drawn`` of the clients."""
    responses = symbols(f"r1:{clients + 1}", nonnegative=True)
    total = Integer(0)
    for group in combinations(range(clients), drawn):
        mean = sum((responses[client] for client in group), Integer(0)) / drawn
        total += value((responses, tuple(int(client in group) for client in range(clients)), mean))
    return total / comb(clients, drawn)


def first(draw: Draw) -> Expr:
    """Return (10) for the first client."""
    responses, group, mean = draw
    share = Rational(sum(group), len(group))
    return (1 - group[0] / share) * mean + group[0] / share * responses[0]


def enumerated(clients: int, drawn: int) -> Theorem:
    """Compute the bias from all draws of ``drawn`` of the clients."""
    responses = symbols(f"r1:{clients + 1}", nonnegative=True)
    centre = sum(responses) / clients
    kappa = KAPPA.subs({K: clients, m: drawn})
    note = f"all draws of {drawn} of {clients}, one by one"
    name = f"aaggff/4.3-{drawn}-of-{clients}"
    return proof(name, "Lemma 4.3", note=note).qed(
        eq(average(clients, drawn, first), centre + kappa * (responses[0] - centre)), by.linear())


ENUMERATED = tuple(enumerated(*sizes) for sizes in ((2, 1), (4, 2), (5, 3)))
_r1, _r2 = symbols("r1:3", nonnegative=True)
_AT = {_r1: Integer(1), _r2: Integer(0)}


def refuted(name: str, left: Expr, right: Expr, at: dict[Any, Any], place: str, note: str) -> Theorem:
    """Refute a printed equation at an example with one of two clients drawn."""
    return proof(name, place, of=name, recorded="REFUTED", note="one of two clients drawn").qed(eq(left, right),
        by.counterexample(at), note=note)


PRINTED = refuted("aaggff/4.3@printed", average(2, 1, first), _r1, _AT, "Lemma 4.3", "1/2, not 1")
PULLED = refuted("aaggff/4.3-31@printed", average(2, 1, lambda draw: (1 - 2 * draw[1][0]) * draw[2]), Integer(0), _AT,
    "(31)", "the mean response seen depends on who is seen")

# Lemma 4.4: the estimate of the gradient ------------------------------------------------------------------------------


def gradient(response: Expr, along: Expr, reference: Expr) -> Expr:
    """(11) in one entry, with the reference in every entry and <p, response - reference>."""
    return -response / (1 + reference) + reference * along / (1 + reference) ** 2


_along = whole(p(j) * (robust(j, c) - c))
FIXED = (
    proof("aaggff/4.4@corrected", "Lemma 4.4", of="aaggff/4.4@corrected",
        note="unbiased with a reference and imputed response that do not depend on the draw")
    .under(ONE)
    .step("all", eq(Total(E(seen(j)) * p(j) * (r(j) - c), j, 1, K), m / K * whole(p(j) * (r(j) - c))),
        by.sum_over(i, "one", weight=p(i) * (r(i) - c)))
    .qed(eq(E(gradient(robust(i, c), _along, c)), gradient(r(i), whole(p(j) * (r(j) - c)), c), EACH),
        by.linear("one", "all"))
)
_p1 = Symbol("p1", nonnegative=True)


def _second(draw: Draw) -> Expr:
    responses, group, mean = draw
    return (1 - 2 * group[1]) * mean + 2 * group[1] * responses[1]


def _estimated(draw: Draw, reference: Expr) -> Expr:
    one, two = first(draw), _second(draw)
    return gradient(one, _p1 * (one - reference) + (1 - _p1) * (two - reference), reference)


def _wanted(draw: Draw, reference: Expr) -> Expr:
    one, two = draw[0]
    return gradient(one, _p1 * (one - reference) + (1 - _p1) * (two - reference), reference)


_WHERE = {**_AT, _p1: Rational(1, 2)}
MOVING = refuted("aaggff/4.4@printed", average(2, 1, lambda d: _estimated(d, d[2])),
    average(2, 1, lambda d: _wanted(d, d[2])), _WHERE, "Lemma 4.4",
    "the reference depends on the draw, and (10) is biased")
BIASED_FIXED = refuted("aaggff/4.4-fixed@printed", average(2, 1, lambda d: _estimated(d, c)),
    average(2, 1, lambda d: _wanted(d, c)), {**_WHERE, c: Rational(1, 2)}, "Lemma 4.4",
    "(10) is biased whatever the reference")

# Lemma A.2: the size of the estimates ---------------------------------------------------------------------------------

rho, W = Symbol("rho", nonnegative=True), (C2 - C1) / C
_one = seen(i) / C * (r(i) - rho)
_all = whole(w(j) * seen(j) / C * (r(j) - rho))
_entry = -(rho + _one) / (1 + rho) + rho * _all / (1 + rho) ** 2
SIZES = (
    Given("seen", eq(seen(i) ** 2, seen(i), EACH), "0 or 1"),
    Given("low", le(C1, r(i), EACH), "responses are in [C1, C2]"),
    Given("high", le(r(i), C2, EACH), "and not above"),
    Given("ref low", le(C1, rho), "so is the reference, their mean over those seen"),
    Given("ref high", le(rho, C2), "and not above"),
    Given("weights", eq(whole(w(j)), 1), "the decision is a distribution"),
)
_LDR = bounds.L_DR
A2 = (
    proof("aaggff/A.2", "Lemma A.2", note="each entry of the estimated gradient").under(*SIZES)
    .given("order", le(C1, C2), "a range")
    .step("part", le(0, 1 - seen(i), EACH), by.apply(PART, {P: seen(i)}))
    .step("up", le(_one, W, EACH), by.linear("high", "ref low", "order", "part"))
    .step("down", le(-W, _one, EACH), by.linear("low", "ref high", "order", "part"))
    .step("ups", le(_all, W * whole(w(j))), by.sum_over(i, "up", weight=w(i)))
    .step("downs", le(-W * whole(w(j)), _all), by.sum_over(i, "down", weight=w(i)))
    .step("all up", le(_all, W), by.linear("ups", "weights"))
    .step("all down", le(-W, _all), by.linear("downs", "weights"))
    .step("first", le(1 / (1 + rho), 1 / (1 + C1)), by.linear("ref low"))
    .step("wide", le(W / (1 + rho) + W * rho / (1 + rho) ** 2, 2 * W / (1 + C1)),
        by.linear(first=2 * W, order=1 / (C * (1 + rho) ** 2)))
    .step("centre", le(rho / (1 + rho), C2 / (1 + C1)), by.linear("ref high", "first"))
    .step("entry up", le(_entry, _LDR, EACH), by.linear("down", "all up", "wide"))
    .step("entry down", le(-_entry, _LDR, EACH), by.linear("up", "all down", "wide", "centre"))
    .qed(le(Abs(_entry), _LDR, EACH), by.absolute("entry up", "entry down"))
)
_AT_SHARE = {C: m / K}
_STATED, _CONDITIONS = statement_of(of.A2, Abs(_entry).xreplace(_AT_SHARE))
_STATED = le(_STATED.left, _STATED.right, EACH)
A2_STATED = (
    proof("aaggff/A.2@printed", "Lemma A.2", of="aaggff/A.2@printed", bound=of.A2, unused=("c2", "c3"))
    .under(*SIZES, *_CONDITIONS)
    .qed(_STATED, by.apply(A2, _AT_SHARE, *(h.id for h in SIZES), "c1"))
)
_index = Symbol("l", integer=True, positive=True)
_PAIR = (EACH, (_index, 1, K))
_low, _high = -(rho - C1) / C, (C2 - rho) / C
_span = (_entry.xreplace({i: _index}) - _entry) / 2
_HALF, _ = statement_of(of.A2_HALF, _span.xreplace(_AT_SHARE))
_HALF = le(_HALF.left, _HALF.right, *_PAIR)
_SPAN_GIVEN = SIZES[:-1]
A2_SPAN = (
    proof("aaggff/A.2-half", "Lemma A.2",
        note="half the difference of any two entries: only this counts on the simplex")
    .under(*_SPAN_GIVEN)
    .given("order", le(C1, C2), "a range")
    .step("part", by.apply(PART, {P: seen(i)}))
    .step("up", le(_one, _high, EACH), by.linear("high", "ref high", "part"))
    .step("down", le(_low, _one, EACH), by.linear("low", "ref low", "part"))
    .step("down l", by.instance({i: _index}, "down"), over=(_index, 1, K))
    .step("first", le(1 / (1 + rho), 1 / (1 + C1)), by.linear("ref low"))
    .qed(le(_span, bounds.H_DR, *_PAIR),
        by.linear({"up": 1 / (2 * (1 + rho)), "down l": 1 / (2 * (1 + rho)), "first": (C2 - C1) / (2 * C)}, "order"))
)
A2_HALF = (
    proof("aaggff/A.2@strengthened", "Lemma A.2", of="aaggff/A.2@strengthened", bound=of.A2_HALF, unused=("c2", "c3"))
    .under(*_SPAN_GIVEN, *_CONDITIONS)
    .qed(_HALF, by.apply(A2_SPAN, _AT_SHARE, *(h.id for h in _SPAN_GIVEN), "c1"))
)

THEOREMS = (BIASED, BIAS, RELEASED, MISSING, D1, D2, ALONE, *ENUMERATED, PRINTED, PULLED, FIXED, MOVING, BIASED_FIXED,
    A2, A2_STATED, A2_SPAN, A2_HALF)
