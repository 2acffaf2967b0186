"""Corollary 5.3 in expectation: a reference that is fixed before the draw makes the linearised gradient unbiased (D1).

Responses, decisions and references of a round may depend on the draws of earlier rounds; the comparator is fixed.
"""

from __future__ import annotations

from sympy import Abs, Expr, Integer, Symbol, exp, log

from fltheory.model.bound import Bound
from fltheory.papers.aaggff import bounds
from fltheory.papers.aaggff.entropic.proofs import corollary53 as path
from fltheory.papers.aaggff.entropic.proofs.corollary53 import (FACTOR, ORDER, RUN, SHARE, SIZE, common, estimate,
    factor, largest, logp, r, ref, seen, z)
from fltheory.papers.aaggff.entropic.proofs.theorem52 import tuned
from fltheory.papers.aaggff.estimators.proofs import remainder
from fltheory.papers.aaggff.losses import bounds as of
from fltheory.papers.aaggff.losses.proofs.entropy import eta, q
from fltheory.papers.aaggff.losses.proofs.facts import EACH, ROUNDS, SLOPE, a, b, i, j, s, t, u, w, whole
from fltheory.papers.aaggff.notation import C1, C2, C, Ls, T, c
from fltheory.proof import Given, Step, Theorem, by, eq, le, line, lt, proof, statement_of
from fltheory.proof.terms import E, RandomPositive, Total, family

PLACE = "Corollary 5.3"
grown, other = family(RandomPositive, "s"), family(RandomPositive, "s_star")
lost = Symbol("lost", nonnegative=True)

# Unbiased estimates ---------------------------------------------------------------------------------------------------

_product = (r(t, i) - ref(t)) * factor(t) * (exp(logp(t, i)) - q(i))
DRAWN = Given("drawn", eq(E(seen(t, i) * _product), C * E(_product), ROUNDS, EACH),
    "given the rounds before, which fix r^(t), p^(t) and the reference, a client takes part with probability C")
_of_all = {i: j}
_weighed = whole((seen(t, i) * _product).xreplace(_of_all))
GAIN = Total(factor(t) * whole(r(t, j) * (q(j) - exp(logp(t, j)))), t, 1, T)
UNBIASED = (
    proof("aaggff/unbiased", PLACE,
        note="in expectation the estimate's linearised regret is that of every client's response")
    .under(*RUN, FACTOR, ORDER, DRAWN)
    .step("path", by.apply(path.ANY))
    .step("sum now", eq(whole(exp(logp(t, j))), 1, ROUNDS), by.linear("sum"))
    .step("round", eq(whole(estimate(t, j) * (exp(logp(t, j)) - q(j))), -_weighed / C, ROUNDS),
        by.linear("sum now", "other"), note="what all clients have in common doesn't count")
    .step("rounds", by.sum_over(t, "round"))
    .step("weighed", le(Total(-_weighed / C, t, 1, T), tuned(SIZE)), by.linear("path", "rounds"))
    .step("mean", by.expectation("weighed"))
    .step("drawn all",
        eq(Total(whole(E((seen(t, i) * _product).xreplace(_of_all))), t, 1, T),
            C * Total(whole(E(_product.xreplace(_of_all))), t, 1, T)), by.sum_over((i, t), "drawn"))
    .step("own", eq(factor(t) * whole(r(t, j) * (q(j) - exp(logp(t, j)))), -whole(_product.xreplace(_of_all)), ROUNDS),
        by.linear("sum now", "other"))
    .step("owns", by.sum_over(t, "own"))
    .step("own mean", by.expectation("owns"))
    .qed(le(E(GAIN), tuned(SIZE)), by.linear("mean", "drawn all", "own mean"))
)

# (P2): the losses -log(1 + <p, r>), with partial participation --------------------------------------------------------

GROWN = Given("grown", eq(grown(t), 1 + whole(exp(logp(t, j)) * r(t, j)), ROUNDS),
    "1 + <p, r>: the loss is minus its logarithm")
BEST = Given("best", eq(other(t), 1 + whole(q(j) * r(t, j)), ROUNDS), "1 + <q, r> of the comparator")
_out = (other(t) - grown(t)) * (1 / grown(t) - 1 / (1 + ref(t)))
REGRET = Total(log(other(t)) - log(grown(t)), t, 1, T)
_FACTOR = {factor(t): 1 / (1 + ref(t)), largest: 1 / (1 + C1)}
_common = -ref(t) / (1 + ref(t)) + ref(t) * whole(exp(logp(t, j)) * (path.robust(t, j) - ref(t))) / (1 + ref(t)) ** 2
_READ = {**_FACTOR, common(t): _common}
_AT = path.ALGORITHM
_KNOWN = (*_AT, ORDER, Given("drawn", DRAWN.relation.at(_FACTOR), DRAWN.why), GROWN, BEST)
_size = tuned(SIZE).xreplace(_FACTOR)
_linear = Total(whole(r(t, j) * (q(j) - exp(logp(t, j)))) / (1 + ref(t)), t, 1, T)
LINEARISED = (
    proof("aaggff/P2-any", PLACE, note="any scale of the rate, any reference fixed before the draw")
    .under(*_KNOWN, Given("lost", le(_out, lost, ROUNDS), "what the linearisation leaves out of a round"))
    .steps(path.ABOVE)
    .step("unbiased", by.apply(UNBIASED, _READ, *(h.id for h in _AT), "factor", "order", "drawn"))
    .step("convex", by.apply(SLOPE, {a: other(t), b: grown(t)}), over=ROUNDS)
    .step("round",
        le(log(other(t)) - log(grown(t)), whole(r(t, j) * (q(j) - exp(logp(t, j)))) / (1 + ref(t)) + lost, ROUNDS),
        by.linear("convex", "lost", "grown", "best"))
    .step("rounds", le(REGRET, _linear + T * lost), by.sum_over(t, "round"))
    .step("mean", by.expectation("rounds"))
    .qed(le(E(REGRET), _size + T * lost), by.linear("mean", "unbiased"))
)


def average(name: str, side: str, weights: Expr) -> Step:
    """Prove that an average of the responses of a round lies in their range."""
    mean = whole(weights * r(t, j))
    claim = le(C1, mean, ROUNDS) if side == "low" else le(mean, C2, ROUNDS)
    given = "sum now" if weights.has(exp) else "other"
    return line(name, claim, by.apply(f"aaggff/average-{side}", {w(j): weights, u(i): r(t, i)}, given, side))


_LOG_RANGE = (
    line("sum now", eq(whole(exp(logp(t, j))), 1, ROUNDS), by.linear("sum")),
    average("p low", "low", exp(logp(t, j))),
    average("p high", "high", exp(logp(t, j))),
    average("q low", "low", q(j)),
    average("q high", "high", q(j)),
    line("s low", le(1 + C1, grown(t), ROUNDS), by.linear("p low", "grown")),
    line("s high", le(grown(t), 1 + C2, ROUNDS), by.linear("p high", "grown")),
    line("o low", le(1 + C1, other(t), ROUNDS), by.linear("q low", "best")),
    line("o high", le(other(t), 1 + C2, ROUNDS), by.linear("q high", "best")),
)
_IN_RANGE = ("s low", "s high", "o low", "o high")

_OUT = Abs(_out)
_READ_OUT = {remainder.s: grown(t), remainder.o: other(t)}
_CORRECTED = line("size", le(_OUT, of.REMAINDER.expr, ROUNDS),
    by.apply(remainder.ANY, {**_READ_OUT, c: ref(t)}, *_IN_RANGE, "c1", "c2", "ref low", "ref high"))


def catalogued(
    name: str, bound: Bound, limit: Expr, given: tuple[Given, ...], inside: tuple[Step, ...], note: str
) -> Theorem:
    """State the regret by a bound of the catalogue, from a bound on the linearisation error, at the scale H_DR.

    ``given`` are hypotheses on the reference; the steps ``inside`` show that it lies in the range and bound the error.
    """
    statement, conditions = statement_of(bound, E(REGRET))
    scale = bounds.H_DR.xreplace(SHARE)
    gone = {"clients", "order", "ref low", "ref high"}
    known = tuple(path.at_share(h, scale) for h in _KNOWN if h.id not in gone)
    return (
        proof(name, PLACE, of=name, bound=bound, unused=("c3",), note=note).under(*known, *given, *conditions)
        .steps(*_LOG_RANGE, *inside)
        .step("up", by.fact("abs", _out), over=ROUNDS)
        .step("lost", le(_out, limit, ROUNDS), by.linear("up", "size"))
        .step("limit", le(0, limit), by.linear("c1"))
        .step("scale", lt(0, scale), by.linear("c1"))
        .step("any",
            by.apply(LINEARISED, {**SHARE, Ls: scale, lost: limit}, *(h.id for h in known), "ref low", "ref high", "c2",
                "c1", "scale", "lost", "limit"))
        .qed(statement, by.linear({"any": 1}, "scale"))
    )


FIXED = Given("fixed", eq(ref(t), c, ROUNDS), "one reference c for all rounds")
_IN = (
    line("ref low", le(C1, ref(t), ROUNDS), by.linear("fixed", "c4")),
    line("ref high", le(ref(t), C2, ROUNDS), by.linear("fixed", "c5")),
)
P2 = catalogued("aaggff/C5.3-reference@corrected", bounds.P2, of.REMAINDER.expr, (FIXED,), (*_IN, _CORRECTED),
    "one reference in the range")
P2_REMEMBERING = catalogued("aaggff/C5.3-remembering@corrected", bounds.P2_REMEMBERING, of.REMAINDER.expr,
    path.RANGE[2:], (_CORRECTED,),
    "any reference in the range that is fixed before the draw, such as the mean last seen")
MIDDLE = Given("middle", eq(ref(t), of.MIDDLE, ROUNDS), "the reference is the middle of the range")
_half = (C2 - C1) / ((1 + C1) * (2 + C1 + C2))
_moved = 1 / ((1 + ref(t)) * (1 + of.MIDDLE))
_room = (C2 - C1) / ((1 + C1) * (1 + C2) * (2 + C1 + C2))
_AT_MIDDLE = (
    line("ref low", le(C1, ref(t), ROUNDS), by.linear("middle", "c1")),
    line("ref high", le(ref(t), C2, ROUNDS), by.linear("middle", "c1")),
    line("first", le(1 / (1 + C1) - 1 / (1 + ref(t)), _half, ROUNDS), by.linear("middle")),
    line("second", le(1 / (1 + ref(t)) - 1 / (1 + C2), _half, ROUNDS), by.linear(middle=-_moved, c1=_room)),
    line("ends", lt(1 + C1, 1 + C2), by.linear("c1")),
    line("size", le(_OUT, (C2 - C1) * _half, ROUNDS),
        by.apply(remainder.SIZE,
            {**_READ_OUT, remainder.low: 1 + C1, remainder.high: 1 + C2, remainder.k: 1 + ref(t), remainder.most: _half},
            *_IN_RANGE, "ends", "first", "second")),
)
P2_MIDDLE = catalogued("aaggff/C5.3-reference@strengthened", bounds.P2_MIDDLE, of.REMAINDER_MIDDLE.expr, (MIDDLE,),
    _AT_MIDDLE, "the middle of the range as the reference")

HARMONIC = Given("harmonic", eq(ref(t), of.HARMONIC, ROUNDS),
    "1 + the reference is the harmonic mean of 1 + C1 and 1 + C2")
_QUARTER = (C2 - C1) / (2 * (1 + C1) * (1 + C2))
_moved_best = 1 / ((1 + ref(t)) * (1 + of.HARMONIC))
_AT_HARMONIC = (
    line("ref low", le(C1, ref(t), ROUNDS), by.linear("harmonic", "c1")),
    line("ref high", le(ref(t), C2, ROUNDS), by.linear("harmonic", "c1")),
    line("first", le(1 / (1 + C1) - 1 / (1 + ref(t)), _QUARTER, ROUNDS), by.linear(harmonic=_moved_best)),
    line("second", le(1 / (1 + ref(t)) - 1 / (1 + C2), _QUARTER, ROUNDS), by.linear(harmonic=-_moved_best)),
    line("ends", lt(1 + C1, 1 + C2), by.linear("c1")),
    line("size", le(_OUT, (C2 - C1) * _QUARTER, ROUNDS),
        by.apply(remainder.SIZE,
            {**_READ_OUT, remainder.low: 1 + C1, remainder.high: 1 + C2, remainder.k: 1 + ref(t), remainder.most: _QUARTER},
            *_IN_RANGE, "ends", "first", "second")),
)
P2_BEST = catalogued("aaggff/C5.3-best@strengthened", bounds.P2_BEST, of.REMAINDER_BEST.expr, (HARMONIC,), _AT_HARMONIC,
    "the best fixed reference")

# (P3): linear losses --------------------------------------------------------------------------------------------------

_FLAT = {factor(t): Integer(1), largest: Integer(1), common(t): -ref(t)}


def _imputed(now: Expr, client: Expr) -> Expr:
    return -path.robust(now, client)


_before = Total(_imputed(s, i), s, 1, t - 1)
_CLOSED = Given("decision", eq(logp(t, i), -_before / eta(t) - z(t), path.DECISIONS, EACH),
    "(12) with minus the estimates (10)")
_P3, _CONDITIONS = statement_of(bounds.P3, E(Total(whole(r(t, j) * (q(j) - exp(logp(t, j)))), t, 1, T)))
_scale = ((C2 - C1) / (2 * C)).xreplace(SHARE)
_setting = tuple(
    path.at_share(Given(h.id, h.relation.at(_FLAT), h.why), _scale)
    for h in (_CLOSED, *RUN[1:], DRAWN, FIXED)
    if h.id not in ("clients", "ref low", "ref high")
)
P3 = (
    proof("aaggff/C5.3-linear@corrected", PLACE, of="aaggff/C5.3-linear@corrected", bound=bounds.P3, unused=("c3",),
        note="minus <p, r> as the loss: no part of every round is lost")
    .under(*_setting, *_CONDITIONS)
    .steps(*_IN)
    .step("scale", lt(0, _scale), by.linear("c1"))
    .step("any",
        by.apply(UNBIASED, {**_FLAT, **SHARE, Ls: _scale}, *(h.id for h in _setting[:-1]), "ref low", "ref high", "c1",
            "c2", "scale"))
    .qed(_P3, by.linear("any", "scale"))
)

THEOREMS = (UNBIASED, LINEARISED, P2, P2_REMEMBERING, P2_MIDDLE, P2_BEST, P3)
