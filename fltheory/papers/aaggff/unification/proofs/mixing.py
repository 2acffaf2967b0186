"""Remark 3.1 and Table 1, by claim: the decisions of the fair methods, their true steps, and their limits.

Positive losses are written as exp(f); the method's constants are the catalogue's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import Abs, Expr, Integer, Symbol, exp, log

from fltheory.papers.aaggff.losses.proofs.entropy import c, e, logr, own
from fltheory.papers.aaggff.losses.proofs.facts import EACH, P, Q, i, j, whole
from fltheory.papers.aaggff.notation import K, L, M, lead, low, q, ratio, share, slope, tilt, top
from fltheory.papers.aaggff.unification.proofs import fair
from fltheory.proof import Given, Theorem, by, eq, le, line, lt, proof, statement_of
from fltheory.proof.chain import Chain
from fltheory.proof.facts import notation
from fltheory.proof.terms import Nonnegative, Positive, Scalar, Total, family
from fltheory.verification import find

w, r, f, F = family(Positive, "w"), family(Scalar, "r"), family(Scalar, "f"), family(Scalar, "F")
total, other = family(Positive, "A")(), family(Positive, "B")()
eta, lam = Symbol("eta", positive=True), Symbol("lambda", positive=True)
SHARES = Given("shares", eq(whole(w(j)), 1), "the clients' shares")


def tied(
    claim: str,
    quantity: Expr,
    reading: Mapping[Any, Any] | None = None,
    note: str = "",
    used: tuple[str, ...] = (),
    idle: tuple[str, ...] = (),
) -> tuple[Chain, Any]:
    """Begin a proof of a claim's one bound under its conditions, of which it needs ``used``; return the statement."""
    bound = find(f"aaggff/{claim}").bound
    statement, conditions = statement_of(bound, quantity, reading)
    chain = proof(f"aaggff/{claim}", of=f"aaggff/{claim}", bound=bound, reading=reading or {},
        unused=(*(g.id for g in conditions if g.id not in used), *idle), note=note)
    return chain.under(*conditions), statement


def each(statement: Any) -> Any:
    """Return the statement for all clients."""
    return type(statement)(statement.left, statement.op, statement.right, (EACH,))


# U0: the problem that (3) solves --------------------------------------------------------------------------------------

last, after, first = family(Positive, "p"), family(Nonnegative, "q"), Integer(1)


def scaled(weight: Expr, name: str = "total", letter: Expr = total) -> Given:
    """Return the sum of the weights."""
    return Given(name, eq(letter, whole(weight.xreplace({i: j}))), "the sum of the weights")


_STEP = last(i) * exp(r(i) / eta)
found = family(Scalar, "found")


def weighed(at: Expr, prior: Expr) -> Expr:
    """Return the ratio that (2) makes the same for all clients: p_i exp(-r_i/eta) over the prior."""
    return found(at) / prior * exp(-r(at) / eta)


_CHAIN, _STATED = tied("U0@corrected", weighed(i, last(i)) - weighed(first, last(first)),
    note="stationary on the simplex; that it is the solution: U0-gap", idle=("total",))
STATIONARY = (
    _CHAIN.under(scaled(_STEP))
    .where("found", found(i), _STEP / total, "(3)", supposed=True)
    .qed(each(_STATED), by.linear(), inserting="found")
)
_SOFT = exp(r(i) / eta)
_CHAIN, _STATED = tied("U0-softmax@corrected", weighed(i, Integer(1)) - weighed(first, Integer(1)),
    note="and no decision is better: U0-softmax-least", idle=("total",))
SOFTMAX = (
    _CHAIN.under(scaled(_SOFT))
    .where("found", found(i), _SOFT / total, "softmax(r/eta)", supposed=True)
    .qed(each(_STATED), by.linear(), inserting="found")
)
_CHAIN, _STATED = tied("U0-uniform@corrected", _STEP / total - _SOFT / other)
UNIFORM = (
    _CHAIN.under(scaled(_STEP), scaled(_SOFT, "softmax", other))
    .given("uniform", eq(last(i), 1 / K, EACH), "the last decision")
    .step(
        "parts",
        eq(whole(last(j) * exp(r(j) / eta)), whole(exp(r(j) / eta)) / K),
        by.sum_over(i, "uniform", weight=_SOFT),
    )
    .step("sums", eq(total, other / K), by.linear("total", "parts", "softmax"))
    .qed(each(_STATED), by.linear("uniform", "sums"))
)

# U1, U2, U4, U5: mixing weights -------------------------------------------------------------------------------------------


def mixing(claim: str, response: Expr, mass: Expr, note: str, reading: Mapping[Any, Any] | None = None) -> Theorem:
    """Return the decision of (3) from the shares minus the method's own."""
    step = w(i) * exp(response)
    chain, said = tied(claim, step / total - mass / other, reading, note)
    return chain.under(scaled(step), scaled(mass, "own", other)).qed(each(said), by.linear("total", "own"))


gap = family(Positive, "gap")
_TILTED = {tilt: lam}
MIXING = (
    mixing("U1@printed", Integer(0), w(i), "FedAvg: the shares themselves"),
    mixing("U2@printed", q * f(i), w(i) * exp(f(i)) ** q, "q-FedAvg: losses are exp(f), responses q f"),
    mixing("U4@printed", F(i) * lam, w(i) * exp(lam * F(i)), "TERM: the step size 1/lambda divides", _TILTED),
    mixing("U5@printed", -log(gap(i)), w(i) / gap(i), "PropFair: M - F is positive"),
)

# The true steps: their length and direction ---------------------------------------------------------------------------

room = family(Positive, "room")()
way, steep, short = family(Scalar, "d"), family(Nonnegative, "b"), family(Positive, "s_q")()
_BELOW = whole(q * w(j) * exp(f(j)) ** (q - 1) * steep(j) + L * w(j) * exp(f(j)) ** q)
_PART = whole(w(j) * exp(f(j)) ** q / total * steep(j) / (L * exp(f(j))))
_CHAIN, _STATED = tied("U2-step@corrected",
    whole(L * w(j) * exp(f(j)) ** q * way(j)) / other - short * whole(w(j) * exp(f(j)) ** q / total * way(j)),
    note="any coordinate; steep is |grad F|^2, the denominator is that of (17), (18)")
STEP_Q = (
    _CHAIN.under(scaled(w(i) * exp(f(i)) ** q))
    .given("below", eq(other, _BELOW), "(17): the sum of w L_q")
    .given("length", eq(1 / short, 1 + q * _PART), "the length that is claimed")
    .step("both", eq(other, L * total * (1 + q * _PART)), by.linear("below", "total"))
    .step("short", eq(other * short, L * total), by.linear("both", "length"))
    .qed(_STATED, by.linear("short"))
)
_CHAIN, _STATED = tied("U5-step@corrected",
    whole(w(j) / gap(j) * way(j)) - whole(w(j) / gap(j)) * whole(w(j) / gap(j) / total * way(j)),
    note="any coordinate; M - F is positive")
STEP_M = _CHAIN.under(scaled(w(i) / gap(i))).qed(_STATED, by.linear("total"))
_CHAIN, _STATED = tied("U3-length@corrected", L * fair.total / fair.factor, note="a = w F^q, b = w F^(q-1) |grad F|^2")
LENGTH = (
    _CHAIN.under(fair.TOTAL, fair.FACTOR)
    .given("steep", le(slope * L * fair.weight(i), fair.slope(i), EACH), "|grad F|^2 is at least gamma L F")
    .step("sum", le(slope * L * whole(fair.weight(j)), whole(fair.slope(j))), by.sum_over(i, "steep"))
    .qed(_STATED, by.linear("sum", "factor", "total"))
)


def ends(claim: str, high: bool) -> Theorem:
    """Bound PropFair's step factor at one end."""
    bound = next(b for b in find(f"aaggff/{claim}").bounds if (b.side == "upper") == high)
    end = M - top if high else M - low
    statement, conditions = statement_of(bound, whole(w(j) / gap(j)))
    near = le(room, gap(i), EACH) if high else le(gap(i), room, EACH)
    part, sums = w(i) / gap(i), (room * whole(w(j) / gap(j)), whole(w(j)))
    side = le(room * part, w(i), EACH) if high else le(w(i), room * part, EACH)
    return (
        proof(f"aaggff/{claim}-{'high' if high else 'low'}", of=f"aaggff/{claim}", bound=bound)
        .under(SHARES, *conditions)
        .under(*(() if high else (Given("order", le(low, top), "the smallest loss and the largest"),)))
        .given("room", eq(room, end), "M is above all losses")
        .given("near", near, "no M - F is beyond")
        .step("each", side, by.linear("near"))
        .step("sum", le(sums[not high], sums[high]), by.sum_over(i, "each"))
        .step("end", lt(0, end), by.linear("c1") if high else by.linear("c1", "order"))
        .step("turned", eq(1 / room, 1 / end), by.linear("room", "end"))
        .qed(statement, by.linear("sum", "shares", "turned"))
    )


ENDS = (ends("U5-length@corrected", True), ends("U5-length@corrected", False))

# Limits: the worst clients --------------------------------------------------------------------------------------------

worst = Symbol("n", integer=True, positive=True)
ahead, behind = (i, 1, worst), (i, worst + 1, K)
_OTHERS = Total(w(j), j, worst + 1, K)
GROUPS = (
    SHARES,
    Given("share", eq(share, Total(w(j), j, 1, worst)), "the share of the worst clients, which come first"),
    Given("split", eq(whole(w(j)), Total(w(j), j, 1, worst) + _OTHERS), "and the others are the rest"),
)


def to_others(claim: str, mass: Expr, most: Expr, peak: Expr, far: Given, near: Given, step: Any, used: Any) -> Theorem:
    """Bound the weight of clients below the largest loss; masses are ``peak`` at the worst, else at most ``most``."""
    weight = w(j) * mass.xreplace({i: j})
    lost, kept = Total(weight, j, worst + 1, K), Total(weight, j, 1, worst)
    chain, said = tied(claim, lost / total, {tilt: lam} if mass.has(lam) else {}, used=used)
    return (
        chain.under(*GROUPS, near, far)
        .given("total", eq(total, kept + lost), "the sum of the weights")
        .steps(*step)
        .step("lost", le(lost, most * _OTHERS), by.sum_over(i, "each", weight=w(i)))
        .step("kept", le(peak * Total(w(j), j, 1, worst), kept), by.sum_over(i, "at worst", weight=w(i)))
        .step("zero", le(0, w(i) * mass, behind), by.linear())
        .step("signs", le(0, lost), by.sum_over(i, "zero"))
        .step("zero w", le(0, w(i), behind), by.linear())
        .step("parts", le(0, _OTHERS), by.sum_over(i, "zero w"))
        .step("below", le(share * peak, total), by.linear("total", "kept", "share", "signs"))
        .step("rest", eq(_OTHERS, 1 - share), by.linear("shares", "split", "share"))
        .step("part", le(0, 1 - share), by.linear("parts", "rest"))
        .qed(said, by.linear("lost", "rest", "below", "part"))
    )


high = Symbol("high", real=True)
_WORST_Q = to_others("U3@corrected", exp(f(i)) ** q, ratio**q * exp(q * high), exp(q * high),
    Given("far", le(exp(f(i)), ratio * exp(high), behind), "the other losses"),
    Given("near", eq(f(i), high, ahead), "the largest loss is exp(high)"),
    (line("sign", le(0, exp(f(i)), behind), by.linear()),
        line("each", le(exp(f(i)) ** q, (ratio * exp(high)) ** q, behind), by.power(q, "sign", "far")),
        line("more", le(q * high, q * f(i), ahead), by.linear("near")),
        line("at worst", le(exp(q * high), exp(q * f(i)), ahead),
            by.apply("aaggff/exp", {P: q * high, Q: q * f(i)}, "more"))), ())
_WORST_TILT = to_others("U6-worst@corrected", exp(lam * F(i)), exp(lam * (top - lead)), exp(lam * top),
    Given("far", le(F(i), top - lead, behind), "the other losses"),
    Given("near", eq(F(i), top, ahead), "the largest loss"),
    (line("less", le(lam * F(i), lam * (top - lead), behind), by.linear("far")),
        line("each", le(exp(lam * F(i)), exp(lam * (top - lead)), behind),
            by.apply("aaggff/exp", {P: lam * F(i), Q: lam * (top - lead)}, "less")),
        line("more", le(lam * top, lam * F(i), ahead), by.linear("near")),
        line("at worst", le(exp(lam * top), exp(lam * F(i)), ahead),
            by.apply("aaggff/exp", {P: lam * top, Q: lam * F(i)}, "more"))), ())

# Constants: U4, U5; FedAvg at q = 0; U7 -------------------------------------------------------------------------------

_CHAIN, _STATED = tied("U6-zero@printed", w(i) * exp(f(i)) ** 0 / total - w(i))
ZERO = _CHAIN.under(SHARES, scaled(w(i) * exp(f(i)) ** 0)).qed(each(_STATED), by.linear("total", "shares"))
prior = fair.prior
_AT_STEP = whole(exp(own(j)) * (-fair.r(j) + (own(j) - prior(j)) / lam))
_CHAIN, _STATED = tied("U4-sign@corrected", _AT_STEP + whole(exp(prior(j)) * fair.r(j)), _TILTED,
    "by KL(shares | p)/lambda, exactly")
SIGN = (
    _CHAIN.given("decision", eq(own(i), prior(i) + fair.r(i) * lam - c, EACH), "TERM's weights")
    .given("sum", eq(whole(exp(own(j))), 1), "they are a decision")
    .given("sum r", eq(whole(exp(prior(j))), 1), "so are the shares")
    .step("gap", by.apply(fair.U0_CORRECTED, {e: 1 / lam, logr(i): prior(i)}))
    .step(
        "apart",
        le(0, whole(exp(prior(j)) * (prior(j) - own(j)))),
        by.apply(
            "aaggff/divergence",
            {notation.logp(notation.m): own(notation.m), notation.logq(notation.m): prior(notation.m)},
            "sum",
            "sum r",
        ),
    )
    .qed(_STATED, by.linear("gap", "apart"))
)
_WHOLE = whole(w(j) / (M - F(j)))
_CHAIN, _STATED = tied("U5-domain@corrected", -w(i) / ((M - F(i)) * total), used=("c1",), idle=("total",))
DOMAIN = (
    _CHAIN.given("high", le(F(i), top, EACH), "no loss is larger")
    .given("total", eq(total, _WHOLE), "the sum of the weights, which is not 0: each of them is positive")
    .step("inside", lt(0, M - F(i), EACH), by.linear("high", "c1"))
    .given("gap", eq(gap(i), M - F(i), EACH), "a positive number, then")
    .step("turned", eq(1 / gap(i), 1 / (M - F(i)), EACH), by.linear("gap", "inside"))
    .qed(each(_STATED), by.linear({"turned": w(i) / total}))
)
one, two = family(Scalar, "one"), family(Scalar, "two")
_CHAIN, _STATED = tied("U7-a@corrected", one(i) - two(i),
    note="responses r of the last losses, whatever the method: r/eta as in Table 1", idle=("total",))
MEMORY = (
    _CHAIN.under(scaled(w(i) * exp(r(i) / eta)))
    .given(
        "one",
        eq(one(i), w(i) * exp(r(i) / eta) / total, EACH),
        "after one history: from the shares, not the last decision",
        supposed=True,
    )
    .given("two", eq(two(i), w(i) * exp(r(i) / eta) / total, EACH), "after another that ends alike", supposed=True)
    .qed(each(_STATED), by.linear("one", "two"))
)
before = family(Nonnegative, "p")  # a decision may give clients the weight 0
_SUMMED, _CHANGE = whole(Abs(before(j) - after(j))), whole((before(j) - after(j)) * F(j))
distance = Symbol("distance", positive=True)
DECISIONS = (
    Given("sum p", eq(whole(before(j)), 1), "a decision"),
    Given("sum q", eq(whole(after(j)), 1), "another one"),
    Given("distance", eq(distance, _SUMMED), "how far they are apart"),
    Given("high", le(F(i), top, EACH), "responses are the losses"),
    Given("low", le(low, F(i), EACH), "and not below the smallest"),
)


def lipschitz(claim: str, middle: Expr, size: Expr, why: str) -> Theorem:
    """Bound the change of <p, F> over the distance: responses minus ``middle`` are within ``size``."""
    chain, said = tied(claim, Abs(_CHANGE) / distance, note=why)
    move = before(i) - after(i)
    sides = {sign: {"plus": (size + sign * (F(i) - middle)) / 2, "minus": (size - sign * (F(i) - middle)) / 2} for sign in (1, -1)}
    centred = whole((before(j) - after(j)) * (F(j) - middle))
    chain = (
        chain.under(*DECISIONS)
        .step("plus", by.fact("abs", move), over=EACH)
        .step("minus", by.fact("abs", -move), over=EACH)
        .step("above", le(0, size - (F(i) - middle), EACH), by.linear("high", "low"))
        .step("below", le(0, size + (F(i) - middle), EACH), by.linear("low", "high"))
    )
    for sign, name in ((1, "up"), (-1, "down")):
        chain = (
            chain.step(
                f"{name} each",
                le(sign * move * (F(i) - middle), size * Abs(move), EACH),
                by.linear(sides[sign], "above", "below"),
            )
            .step(f"{name} all", le(sign * centred, size * _SUMMED), by.sum_over(i, f"{name} each"))
            .step(name, le(sign * _CHANGE, size * _SUMMED), by.linear(f"{name} all", "sum p", "sum q"))
        )
    return chain.step("both", by.absolute("up", "down")).qed(said, by.linear("both", "distance"))


LIPSCHITZ = (
    lipschitz("U7-c-lipschitz@corrected", Integer(0), top, "Hoelder's inequality"),
    lipschitz("U7-c-lipschitz@strengthened", (top + low) / 2, (top - low) / 2,
        "less the middle of the losses, which changes nothing"),
)
THEOREMS = (STATIONARY, SOFTMAX, UNIFORM, *MIXING, STEP_Q, STEP_M, LENGTH, *ENDS, _WORST_Q, _WORST_TILT, ZERO, SIGN,
    DOMAIN, MEMORY, *LIPSCHITZ)
