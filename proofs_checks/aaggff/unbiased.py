"""Corollary 5.3 in expectation: a reference that is fixed before the draw makes the linearised gradient unbiased (D1).

Responses, decisions and references of a round may depend on the draws of earlier rounds; the comparator is fixed.
"""

from __future__ import annotations

from typing import Any

from sympy import Abs, Integer, Rational, Symbol, exp, log

from fltheory.papers.aaggff import bounds
from fltheory.papers.aaggff.bounds import lemmas as of
from fltheory.papers.aaggff.letters import C1, C2, C, K, Ls, T, c, m
from fltheory.proof.language import Apply, Combine, Expected, Given, Known, Step, Summed, Theorem, eq, le, lt, stated
from fltheory.proof.terms import E, RandomPositive, Total, family
from proofs_checks.aaggff import corollary53 as path
from proofs_checks.aaggff import remainder
from proofs_checks.aaggff.corollary53 import (
    FACTOR,
    LINEAR,
    ORDER,
    RUN,
    RUN_IDS,
    SHARE,
    SIZE,
    common,
    estimate,
    factor,
    largest,
    logp,
    r,
    ref,
    seen,
    z,
)
from proofs_checks.aaggff.entropy import eta, q
from proofs_checks.aaggff.facts import EACH, ROUNDS, a, b, i, j, s, t, u, w, whole
from proofs_checks.aaggff.theorem52 import tuned

PLACE = "Corollary 5.3"
grown, other = family(RandomPositive, "s"), family(RandomPositive, "s_star")
lost = Symbol("lost", nonnegative=True)

# What is unbiased -----------------------------------------------------------------------------------------------------

_product = (r(t, i) - ref(t)) * factor(t) * (exp(logp(t, i)) - q(i))
DRAWN = Given(
    "drawn",
    eq(E(seen(t, i) * _product), C * E(_product), ROUNDS, EACH),
    "given the rounds before, which fix r^(t), p^(t) and the reference, a client takes part with probability C",
)
_of_all = {i: j}
_weighed = whole((seen(t, i) * _product).xreplace(_of_all))
_full = whole(_product.xreplace(_of_all))
GAIN = Total(factor(t) * whole(r(t, j) * (q(j) - exp(logp(t, j)))), t, 1, T)
_UNBIASED = le(E(GAIN), tuned(SIZE))
UNBIASED = Theorem(
    "aaggff/unbiased",
    _UNBIASED,
    (*RUN, FACTOR, ORDER, DRAWN),
    (
        Step("path", le(LINEAR, tuned(SIZE)), Apply("aaggff/estimated"), (*RUN_IDS, "factor", "order")),
        Step("sum now", eq(whole(exp(logp(t, j))), 1, ROUNDS), Combine({"sum": 1}), ("sum",)),
        Step(
            "round",
            eq(whole(estimate(t, j) * (exp(logp(t, j)) - q(j))), -_weighed / C, ROUNDS),
            Combine({"sum now": common(t), "other": -common(t)}),
            ("sum now", "other"),
            note="what all clients have in common doesn't count",
        ),
        Step("rounds", eq(LINEAR, Total(-_weighed / C, t, 1, T)), Summed((t,)), ("round",)),
        Step(
            "weighed",
            le(Total(-_weighed / C, t, 1, T), tuned(SIZE)),
            Combine({"path": 1, "rounds": -1}),
            ("path", "rounds"),
        ),
        Step("mean", le(E(Total(-_weighed / C, t, 1, T)), tuned(SIZE)), Expected(), ("weighed",)),
        Step(
            "drawn all",
            eq(
                Total(whole(E((seen(t, i) * _product).xreplace(_of_all))), t, 1, T),
                C * Total(whole(E(_product.xreplace(_of_all))), t, 1, T),
            ),
            Summed((i, t)),
            ("drawn",),
        ),
        Step(
            "own",
            eq(factor(t) * whole(r(t, j) * (q(j) - exp(logp(t, j)))), -_full, ROUNDS),
            Combine({"sum now": -ref(t) * factor(t), "other": ref(t) * factor(t)}),
            ("sum now", "other"),
        ),
        Step("owns", eq(GAIN, Total(-_full, t, 1, T)), Summed((t,)), ("own",)),
        Step("own mean", eq(E(GAIN), E(Total(-_full, t, 1, T))), Expected(), ("owns",)),
        Step(
            "1", _UNBIASED, Combine({"mean": 1, "drawn all": 1 / C, "own mean": 1}), ("mean", "drawn all", "own mean")
        ),
    ),
    place=PLACE,
    note="in expectation the estimate's linearised regret is that of every client's response",
)

# (P2): the losses -log(1 + <p, r>), with a part of every round --------------------------------------------------------

GROWN = Given(
    "grown", eq(grown(t), 1 + whole(exp(logp(t, j)) * r(t, j)), ROUNDS), "1 + <p, r>: the loss is minus its logarithm"
)
BEST = Given("best", eq(other(t), 1 + whole(q(j) * r(t, j)), ROUNDS), "1 + <q, r> of the comparator")
_out = (other(t) - grown(t)) * (1 / grown(t) - 1 / (1 + ref(t)))
LOST = Given("lost", le(_out, lost, ROUNDS), "what the linearisation leaves out of a round")
REGRET = Total(log(other(t)) - log(grown(t)), t, 1, T)
_FACTOR = {factor(t): 1 / (1 + ref(t)), largest: 1 / (1 + C1)}
_common = -ref(t) / (1 + ref(t)) + ref(t) * whole(exp(logp(t, j)) * (path.robust(t, j) - ref(t))) / (1 + ref(t)) ** 2
_READ = {**_FACTOR, common(t): _common}
_AT = path.ALGORITHM
_DRAWN = Given("drawn", DRAWN.relation.at(_FACTOR), DRAWN.why)
_KNOWN = (*_AT, ORDER, _DRAWN, GROWN, BEST)
_size = tuned(SIZE).xreplace(_FACTOR)
_linear = Total(whole(r(t, j) * (q(j) - exp(logp(t, j)))) / (1 + ref(t)), t, 1, T)
_P2 = le(E(REGRET), _size + T * lost)
LINEARISED = Theorem(
    "aaggff/P2-any",
    _P2,
    (*_KNOWN, LOST),
    (
        path.ABOVE,
        Step(
            "unbiased",
            le(E(_linear), _size),
            Apply("aaggff/unbiased", _READ),
            (*(h.id for h in _AT), "factor", "order", "drawn"),
        ),
        Step(
            "convex",
            le(log(other(t)) - log(grown(t)), (other(t) - grown(t)) / grown(t), ROUNDS),
            Apply("aaggff/log-slope", {a: other(t), b: grown(t)}),
        ),
        Step(
            "round",
            le(log(other(t)) - log(grown(t)), whole(r(t, j) * (q(j) - exp(logp(t, j)))) / (1 + ref(t)) + lost, ROUNDS),
            Combine({"convex": 1, "lost": 1, "grown": -1 / (1 + ref(t)), "best": 1 / (1 + ref(t))}),
            ("convex", "lost", "grown", "best"),
        ),
        Step("rounds", le(REGRET, _linear + T * lost), Summed((t,)), ("round",)),
        Step("mean", le(E(REGRET), E(_linear + T * lost)), Expected(), ("rounds",)),
        Step("1", _P2, Combine(), ("mean", "unbiased")),
    ),
    place=PLACE,
    note="any scale of the rate, any reference fixed before the draw",
)


def average(name: str, side: str, weights: Any) -> Step:
    """An average of the responses of a round is in their range."""
    mean = whole(weights * r(t, j))
    claim = le(C1, mean, ROUNDS) if side == "low" else le(mean, C2, ROUNDS)
    given = "sum now" if weights.has(exp) else "other"
    return Step(name, claim, Apply(f"aaggff/average-{side}", {w(j): weights, u(i): r(t, i)}), (given, side))


_LOG_RANGE = (
    Step("sum now", eq(whole(exp(logp(t, j))), 1, ROUNDS), Combine({"sum": 1}), ("sum",)),
    average("p low", "low", exp(logp(t, j))),
    average("p high", "high", exp(logp(t, j))),
    average("q low", "low", q(j)),
    average("q high", "high", q(j)),
    Step("s low", le(1 + C1, grown(t), ROUNDS), Combine({"p low": 1, "grown": -1}), ("p low", "grown")),
    Step("s high", le(grown(t), 1 + C2, ROUNDS), Combine({"p high": 1, "grown": 1}), ("p high", "grown")),
    Step("o low", le(1 + C1, other(t), ROUNDS), Combine({"q low": 1, "best": -1}), ("q low", "best")),
    Step("o high", le(other(t), 1 + C2, ROUNDS), Combine({"q high": 1, "best": 1}), ("q high", "best")),
)
_IN_RANGE = ("s low", "s high", "o low", "o high")


_OUT = Abs(_out)
_READ_OUT = {remainder.s: grown(t), remainder.o: other(t)}
_CORRECTED = Step(
    "size",
    le(_OUT, of.REMAINDER.expr, ROUNDS),
    Apply("aaggff/4.4-remainder@corrected", {**_READ_OUT, c: ref(t)}),
    (*_IN_RANGE, "c1", "c2", "ref low", "ref high"),
)


def catalogued(
    name: str, bound: Any, limit: Any, given: tuple[Given, ...], inside: tuple[Step, ...], note: str
) -> Theorem:
    """The regret by a bound of the catalogue, from what the linearisation leaves out at most, at the scale H_DR.

    ``given`` is what is known of the reference, ``inside`` the steps which show that it is in the range and what is left out.
    """
    statement, conditions = stated(bound, E(REGRET))
    scale = bounds.H_DR.xreplace(SHARE)
    gone = {"clients", "order", "ref low", "ref high"}
    known = tuple(path.at_share(h, scale) for h in _KNOWN if h.id not in gone)
    steps = (
        *_LOG_RANGE,
        *inside,
        Step("up", le(_out, _OUT, ROUNDS), Known("abs", _out)),
        Step("lost", le(_out, limit, ROUNDS), Combine(), ("up", "size")),
        Step("limit", le(0, limit), Combine({"c1": limit / (C2 - C1)}), ("c1",)),
        Step("scale", lt(0, scale), Combine({"c1": K / (2 * m * (1 + C1))}), ("c1",)),
        Step(
            "any",
            (le(E(REGRET), _size + T * limit)).at({**SHARE, Ls: scale}),
            Apply("aaggff/P2-any", {**SHARE, Ls: scale, lost: limit}),
            (*(h.id for h in known), "ref low", "ref high", "c2", "c1", "scale", "lost", "limit"),
        ),
        Step("1", statement, Combine({"any": 1}), ("any", "scale")),
    )
    return Theorem(
        name,
        statement,
        (*known, *given, *conditions),
        steps,
        claim=name,
        place=PLACE,
        note=note,
        unused=("c3",),
        bound=bound,
    )


_c = c
FIXED = Given("fixed", eq(ref(t), _c, ROUNDS), "one reference c for all rounds")
_IN = (
    Step("ref low", le(C1, ref(t), ROUNDS), Combine({"fixed": -1, "c4": 1}), ("fixed", "c4")),
    Step("ref high", le(ref(t), C2, ROUNDS), Combine({"fixed": 1, "c5": 1}), ("fixed", "c5")),
)
P2 = catalogued(
    "aaggff/C5.3-reference@corrected",
    bounds.P2,
    of.REMAINDER.expr,
    (FIXED,),
    (*_IN, _CORRECTED),
    "one reference in the range",
)
P2_REMEMBERING = catalogued(
    "aaggff/C5.3-remembering@corrected",
    bounds.P2_REMEMBERING,
    of.REMAINDER.expr,
    path.RANGE[2:],
    (_CORRECTED,),
    "any reference in the range that is fixed before the draw, such as the mean last seen",
)
MIDDLE = Given("middle", eq(ref(t), of.MIDDLE, ROUNDS), "the reference is the middle of the range")
_half = (C2 - C1) / ((1 + C1) * (2 + C1 + C2))
_moved = 1 / ((1 + ref(t)) * (1 + of.MIDDLE))
_room = (C2 - C1) / ((1 + C1) * (1 + C2) * (2 + C1 + C2))
_AT_MIDDLE = (
    Step("ref low", le(C1, ref(t), ROUNDS), Combine({"middle": -1, "c1": Rational(1, 2)}), ("middle", "c1")),
    Step("ref high", le(ref(t), C2, ROUNDS), Combine({"middle": 1, "c1": Rational(1, 2)}), ("middle", "c1")),
    Step("first", le(1 / (1 + C1) - 1 / (1 + ref(t)), _half, ROUNDS), Combine({"middle": _moved}), ("middle",)),
    Step(
        "second",
        le(1 / (1 + ref(t)) - 1 / (1 + C2), _half, ROUNDS),
        Combine({"middle": -_moved, "c1": _room}),
        ("middle", "c1"),
    ),
    Step("ends", lt(1 + C1, 1 + C2), Combine(), ("c1",)),
    Step(
        "size",
        le(_OUT, (C2 - C1) * _half, ROUNDS),
        Apply(
            "aaggff/4.4-size",
            {
                **_READ_OUT,
                remainder.low: 1 + C1,
                remainder.high: 1 + C2,
                remainder.k: 1 + ref(t),
                remainder.most: _half,
            },
        ),
        (*_IN_RANGE, "ends", "first", "second"),
    ),
)
P2_MIDDLE = catalogued(
    "aaggff/C5.3-reference@sharpened",
    bounds.P2_MIDDLE,
    of.REMAINDER_MIDDLE.expr,
    (MIDDLE,),
    _AT_MIDDLE,
    "the middle of the range as the reference",
)

# (P3): linear losses --------------------------------------------------------------------------------------------------

_FLAT = {factor(t): Integer(1), largest: Integer(1), common(t): -ref(t)}


def _imputed(now: Any, client: Any) -> Any:
    return -path.robust(now, client)


_before = Total(_imputed(s, i), s, 1, t - 1)
_CLOSED = Given(
    "decision", eq(logp(t, i), -_before / eta(t) - z(t), path.DECISIONS, EACH), "(12) with minus the estimates (10)"
)
_P3, _CONDITIONS = stated(bounds.P3, E(Total(whole(r(t, j) * (q(j) - exp(logp(t, j)))), t, 1, T)))
_scale = ((C2 - C1) / (2 * C)).xreplace(SHARE)
_setting = tuple(
    path.at_share(Given(h.id, h.relation.at(_FLAT), h.why), _scale)
    for h in (_CLOSED, *RUN[1:], DRAWN, FIXED)
    if h.id not in ("clients", "ref low", "ref high")
)
P3 = Theorem(
    "aaggff/C5.3-linear@corrected",
    _P3,
    (*_setting, *_CONDITIONS),
    (
        *_IN,
        Step("scale", lt(0, _scale), Combine({"c1": K / (2 * m)}), ("c1",)),
        Step(
            "any",
            le(_P3.left, tuned((C2 - C1) / C).xreplace({**SHARE, Ls: _scale})),
            Apply("aaggff/unbiased", {**_FLAT, **SHARE, Ls: _scale}),
            (*(h.id for h in _setting[:-1]), "ref low", "ref high", "c1", "c2", "scale"),
        ),
        Step("1", _P3, Combine({"any": 1}), ("any", "scale")),
    ),
    claim="aaggff/C5.3-linear@corrected",
    bound=bounds.P3,
    place=PLACE,
    note="minus <p, r> as the loss: no part of every round is lost",
    unused=("c3",),
)

THEOREMS = (UNBIASED, LINEARISED, P2, P2_REMEMBERING, P2_MIDDLE, P3)
