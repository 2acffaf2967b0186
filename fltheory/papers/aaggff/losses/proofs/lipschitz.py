"""Lemma 4.1: Lipschitz constants of the loss in the corrected and strengthened readings; decision and gradient sizes.

``s`` is 1 + <p, r> at one decision p, ``o`` the same at another one, q.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import Abs, Expr, Integer, Rational, Symbol, log

from fltheory.model.bound import Bound
from fltheory.papers.aaggff import bounds
from fltheory.papers.aaggff.losses import bounds as of
from fltheory.papers.aaggff.losses.proofs.facts import EACH, a, b, i, j, u, w, whole
from fltheory.papers.aaggff.notation import C1, C2, K
from fltheory.proof import Given, Step, Theorem, by, eq, le, line, lt, proof, statement_of
from fltheory.proof.facts import notation
from fltheory.proof.terms import Nonnegative, Positive, Scalar, family

PLACE = "Lemma 4.1"
p, q, r = family(Nonnegative, "p"), family(Nonnegative, "q"), family(Scalar, "r")
s, o = family(Positive, "s")(), family(Positive, "o")()
SETTING = (
    Given("sum p", eq(whole(p(j)), 1), "p is a distribution"),
    Given("sum q", eq(whole(q(j)), 1), "q is another one"),
    Given("low", le(C1, r(i), EACH), "responses are in [C1, C2]"),
    Given("high", le(r(i), C2, EACH), "and not above"),
    Given("at p", eq(s, 1 + whole(p(j) * r(j))), "1 + <p, r>: the loss is minus its logarithm"),
    Given("at q", eq(o, 1 + whole(q(j) * r(j))), "1 + <q, r>"),
)
IDS = tuple(h.id for h in SETTING)


def average(name: str, side: str, weights: Expr, given: str) -> Step:
    """Prove that an average of the responses lies in their range."""
    mean = whole(weights * r(j))
    claim = le(C1, mean) if side == "low" else le(mean, C2)
    return line(name, claim, by.apply(f"aaggff/average-{side}", {w(j): weights, u(i): r(i)}, given, side))


P_LOW = average("p low", "low", p(j), "sum p")
Q_HIGH = average("q high", "high", q(j), "sum q")
S_LOW = line("s low", le(1 + C1, s), by.linear("p low", "at p"))
O_HIGH = line("o high", le(o, 1 + C2), by.linear("q high", "at q"))

# (L1): the entries of the gradient ------------------------------------------------------------------------------------

_L1, _CONDITIONS = statement_of(of.L41_GRADIENT, Abs(r(i)) / s)
_L1 = le(_L1.left, _L1.right, EACH)
_ONLY_P = (*SETTING[:1], *SETTING[2:5])
GRADIENT = (
    proof("aaggff/4.1-gradient@corrected", PLACE, of="aaggff/4.1-gradient@corrected", bound=of.L41_GRADIENT,
        unused=("c1", "c2"), note="(L1)")
    .under(*_ONLY_P, *_CONDITIONS)
    .steps(P_LOW, S_LOW)
    .step("room", le(C2, bounds.L * s), by.linear("s low"))
    .step("up", le(r(i), bounds.L * s, EACH), by.linear("high", "room"))
    .step("sign", le(0, r(i), EACH), by.linear("low"))
    .step("down", le(-r(i), bounds.L * s, EACH), by.linear("sign"))
    .step("size", by.absolute("up", "down"))
    .qed(_L1, by.linear("size"))
)

# (L4): the range ------------------------------------------------------------------------------------------------------

_L4, _CONDITIONS = statement_of(of.L41_RANGE, o / s)
RANGE = (
    proof("aaggff/4.1-range@strengthened", PLACE, of="aaggff/4.1-range@strengthened", bound=of.L41_RANGE,
        unused=("c1", "c2"), note="(L4), as exponentials: no two losses differ by more than log((1 + C2)/(1 + C1))")
    .under(*SETTING, *_CONDITIONS)
    .steps(P_LOW, S_LOW, Q_HIGH, O_HIGH)
    .qed(_L4, by.linear("o high", "s low"))
)
_CHAIN, _CONDITIONS = statement_of(of.L41_CHAIN, Abs(log(o) - log(s)))
_other = {p(i): q(i), q(i): p(i), s: o, o: s}
CHAIN = (
    proof("aaggff/4.1-range@printed", PLACE, of="aaggff/4.1-range@printed", bound=of.L41_CHAIN,
        note="what the paper's chain shows: the losses differ by at most L_inf")
    .under(*SETTING, *_CONDITIONS)
    .step("there", by.apply(RANGE))
    .step("back", by.apply(RANGE, _other, *IDS, "c1", "c2"))
    .step("tangent", le(log(o) - log(s), (o - s) / s), by.apply("aaggff/log-slope", {a: o, b: s}))
    .step("tangent back", le(log(s) - log(o), (s - o) / o), by.apply("aaggff/log-slope", {a: s, b: o}))
    .step("up", le(log(o) - log(s), bounds.L), by.linear("tangent", "there"))
    .step("down", le(log(s) - log(o), bounds.L), by.linear("tangent back", "back"))
    .qed(_CHAIN, by.absolute("up", "down"))
)

# (L2): in the sum norm ------------------------------------------------------------------------------------------------

_sum = whole(Abs(q(j) - p(j)))
_way = q(i) - p(i)
INNER = (
    proof("aaggff/centred", PLACE, note="the middle of the range may be taken off the responses: Hoelder's inequality")
    .under(*SETTING)
    .step("up", by.fact("abs", _way), over=EACH)
    .step("down", by.fact("abs", -_way), over=EACH)
    .step("each", le((r(i) - (C1 + C2) / 2) * _way, (C2 - C1) / 2 * Abs(_way), EACH),
        by.linear("up", "down", "low", "high"))
    .step("all", le(whole((r(j) - (C1 + C2) / 2) * (q(j) - p(j))), (C2 - C1) / 2 * _sum), by.sum_over(i, "each"))
    .qed(le(o - s, (C2 - C1) / 2 * _sum), by.linear("all", "at p", "at q", "sum p", "sum q"))
)
distance = Symbol("distance", positive=True)
WITHIN = Given("distance", le(_sum, distance), "how far the two decisions are apart, or more")
_half = (C2 - C1) / 2
SLOPE = (
    proof("aaggff/4.1-slope", PLACE, note="(L2): Lipschitz in the sum norm, with the half-span").under(*SETTING, WITHIN)
    .given("order", lt(C1, C2), "a range of positive length")
    .steps(P_LOW, S_LOW, average("q low", "low", q(j), "sum q"))
    .step("o low", le(1 + C1, o), by.linear("q low", "at q"))
    .step("there", by.apply(INNER))
    .step("back", by.apply(INNER, _other, *IDS))
    .step("long", le(0, _half * distance), by.linear("order"))
    .step("tangent", le(log(o) - log(s), (o - s) / s), by.apply("aaggff/log-slope", {a: o, b: s}))
    .step("tangent back", le(log(s) - log(o), (s - o) / o), by.apply("aaggff/log-slope", {a: s, b: o}))
    .step("up", le(log(o) - log(s), bounds.H * distance),
        by.linear({"tangent": 1, "there": 1 / s, "distance": _half / s, "s low": _half * distance / (s * (1 + C1))},
            "long", "order"))
    .step("down", le(log(s) - log(o), bounds.H * distance),
        by.linear({"tangent back": 1, "back": 1 / o, "distance": _half / o, "o low": _half * distance / (o * (1 + C1))},
            "long", "order"))
    .qed(le(Abs(log(o) - log(s)), bounds.H * distance), by.absolute("up", "down"))
)
FAR = Given("distance", eq(_sum, distance), "how far the two decisions are apart, which differ")
_L2, _CONDITIONS = statement_of(of.L41_HALF, Abs(log(o) - log(s)) / distance)
HALF = (
    proof("aaggff/4.1-sum@strengthened", PLACE, of="aaggff/4.1-sum@strengthened", bound=of.L41_HALF, unused=("c2",),
        note="(L2)")
    .under(*SETTING, FAR, *_CONDITIONS)
    .step("within", le(_sum, distance), by.linear("distance"))
    .step("slope", by.apply(SLOPE))
    .qed(_L2, by.linear("slope"))
)
_L1_SUM, _ = statement_of(of.L41_SUM, Abs(log(o) - log(s)) / distance)
FULL = (
    proof("aaggff/4.1-sum@corrected", PLACE, of="aaggff/4.1-sum@corrected", bound=of.L41_SUM,
        note="(L1): and so with L_inf, which the proofs use")
    .under(*SETTING, FAR, *_CONDITIONS)
    .step("sharp", by.apply(HALF))
    .qed(_L1_SUM, by.linear("sharp"))
)

# (L3): in the sup norm ------------------------------------------------------------------------------------------------

n, sup = Symbol("n", integer=True, positive=True), Symbol("sup", positive=True)
middle, lower, upper = Symbol("middle", real=True), family(Nonnegative, "lower"), family(Nonnegative, "upper")
NEAR = (
    Given("ahead", le(_way, sup, EACH), "no entry differs by more"),
    Given("behind", le(-sup, _way, EACH), "on either side"),
)
# odd number of clients: one has the median of q - p; n clients are at most and n at least the median
MEDIAN = (
    Given("lower", le(lower(i), 1, EACH), "the share 1 or 0 of a client in the lower half"),
    Given("upper", le(upper(i), 1, EACH), "and in the upper half"),
    Given("lower n", eq(whole(lower(j)), n), "n clients"),
    Given("upper n", eq(whole(upper(j)), n), "n clients"),
    Given("above", le(0, (1 - lower(i)) * (_way - middle), EACH), "the others are not below the median"),
    Given("below", le(0, (1 - upper(i)) * (middle - _way), EACH), "the others are not above the median"),
)
_TWICE = le(_sum, 2 * n * sup)


def half(sign: int, share: Callable[..., Expr], beyond: str, ends: tuple[str, str]) -> tuple[Step, ...]:
    """Return the sum of absolute values if the median is nonnegative (``sign`` 1) or nonpositive (-1)."""
    case = (le(0, sign * middle),)
    one = f"{beyond} "
    return (
        line(one + "part", le(0, sign * (1 - share(i)) * _way, EACH),
            by.linear({beyond: 1, "assumed 1": 1 - share(i)}, "lower" if sign > 0 else "upper"), assuming=case),
        line(one + "minus", le(-sign * _way, sign * _way + 2 * sup * share(i), EACH), by.linear(one + "part", ends[0]),
            assuming=case),
        line(one + "plus", le(sign * _way, sign * _way + 2 * sup * share(i), EACH), by.linear()),
        line(one + "each", le(Abs(_way), sign * _way + 2 * sup * share(i), EACH),
            by.absolute(one + "minus", one + "plus"), assuming=case),
        line(one + "all", le(_sum, sign * whole(q(j) - p(j)) + 2 * sup * whole(share(j))), by.sum_over(i, one + "each"),
            assuming=case),
        line(one + "end", _TWICE, by.linear(one + "all", ends[1], "sum p", "sum q"), assuming=case),
    )


ODD = (
    proof("aaggff/odd", PLACE, note="the entries of q - p add up to 0, so that half of them give all")
    .under(*SETTING[:2], *NEAR, *MEDIAN)
    .steps(*half(1, lower, "above", ("behind", "lower n")), *half(-1, upper, "below", ("ahead", "upper n")))
    .qed(_TWICE, by.cases("above end", "below end"))
)
EVEN = (
    proof("aaggff/even", PLACE, note="Hoelder's inequality").under(*NEAR)
    .step("minus", le(-_way, sup, EACH), by.linear("behind"))
    .step("each", by.absolute("ahead", "minus"))
    .qed(le(_sum, K * sup), by.sum_over(i, "each"))
)

ODD_USES = ("sum p", "sum q", *(h.id for h in (*NEAR, *MEDIAN)))
PARITIES = (  # the clients, hypotheses on them, the theorem on the sum of absolute values and its uses
    ("even", 2 * n, (), "aaggff/even", ("ahead", "behind")),
    ("odd", 2 * n + 1, MEDIAN, "aaggff/odd", ODD_USES),
)


def in_sup(claim: str, bound: Bound, parity: int, at: dict[Any, Any], weights: dict[str, Any], note: str) -> Theorem:
    """Bound the sup norm for an even or odd number of clients as in the catalogue; ``weights`` are its conditions'."""
    word, clients, more, theorem, uses = PARITIES[parity]
    count = {K: clients.xreplace(at), **at}
    statement, conditions = statement_of(bound, Abs(log(o) - log(s)) / sup, count)
    setting = tuple(Given(h.id, h.relation.at(at).at(count), h.why) for h in (*SETTING, *NEAR, *more))
    twice = (2 * n * sup).xreplace(at)
    unused = tuple(c.id for c in conditions if c.id not in ("c1", *weights))
    name = f"{claim}-{word}"
    return (
        proof(name, PLACE, of=claim, bound=bound, reading=count, unused=unused, note=note).under(*setting, *conditions)
        .step("within", _TWICE.at(count), by.apply(theorem, count, *uses))
        .step("slope", by.apply(SLOPE, {**count, distance: twice}))
        .qed(statement, by.linear({"slope": 1 / sup, **weights}))
    )


_NOTE = "(L3) for an {} number of clients"
SUP = tuple(in_sup("aaggff/4.1@corrected", of.L41_SUP, parity, {}, {}, _NOTE.format(PARITIES[parity][0])) for parity in (0, 1))
THRESHOLD = tuple(
    in_sup(
        "aaggff/4.1-threshold@corrected",
        of.L41_THRESHOLD,
        parity,
        {},
        {"c3": 1 / (1 + C1)},
        "with L_inf where that is larger",
    )
    for parity in (0, 1)
)
_ONE = {n: Integer(1)}
FEW = tuple(in_sup("aaggff/4.1-K3@corrected", of.L41_FEW, parity, _ONE, {}, f"{2 + parity} clients") for parity in (0, 1))

# As printed: the sup norm with L_inf ----------------------------------------------------------------------------------

_FOUR = {K: Integer(4)}
_PRINTED, _CONDITIONS = statement_of(of.L41, log((1 + C2) / (1 + C1)) / Rational(1, 2), _FOUR)
PRINTED = (
    proof("aaggff/4.1@printed", PLACE, of="aaggff/4.1@printed", bound=of.L41, reading=_FOUR, recorded="REFUTED",
        note="four clients, r = (C2, C2, C1, C1), p = (1/2, 1/2, 0, 0), q = (0, 0, 1/2, 1/2): entries differ by 1/2")
    .under(*_CONDITIONS)
    .qed(_PRINTED, by.counterexample({C1: Rational(1, 10), C2: 1}, "c1", "c2"), note="log(20/11) against half of 10/11")
)
STEP_28 = proof(
    "aaggff/4.1-28@printed",
    "(28)",
    of="aaggff/4.1-28@printed",
    recorded="REFUTED",
    note="r = (1, 0), p and q its vertices: a = 1 + <p, r>, b = 1 + <q, r>",
).qed(le(Abs(log(a) - log(b)), Abs((a - b) / a)), by.counterexample({a: 2, b: 1}), note="log 2 against 1/2")

# Sizes in coordinates -------------------------------------------------------------------------------------------------

SQUARES = (
    proof("aaggff/simplex-square", "Theorem 5.1", note="|p|_2 <= 1 on the simplex").under(*SETTING[:1])
    .step("zero", le(0, p(j), (j, 1, K)), by.linear())
    .step("part", le(p(i), whole(p(j)), EACH), by.apply("aaggff/one", {notation.s(j): p(j)}, "zero"))
    .step("each", le(p(i) ** 2, p(i), EACH), by.linear("part", "sum p"))
    .step("all", le(whole(p(j) ** 2), whole(p(j))), by.sum_over(i, "each"))
    .qed(le(whole(p(j) ** 2), 1), by.linear("all", "sum p"))
)
size = Symbol("size", nonnegative=True)
LONG = (
    proof("aaggff/gradient-square", "Theorem 5.1", note="K entries of at most L_inf, or H where they are centred")
    .given("up", le(r(i), size, EACH), "no entry is beyond")
    .given("down", le(-size, r(i), EACH), "on either side")
    .step("each", le(r(i) ** 2, size**2, EACH), by.linear("up", "down"))
    .qed(le(whole(r(j) ** 2), K * size**2), by.sum_over(i, "each"))
)

THEOREMS = (GRADIENT, RANGE, CHAIN, INNER, SLOPE, HALF, FULL, ODD, EVEN, *SUP, *THRESHOLD, *FEW, PRINTED, STEP_28,
    SQUARES, LONG)
