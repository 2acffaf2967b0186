"""Section 5: the discrete greedy algorithm, exact and with answers at random (S6), for every rank and number of clients.

Values are those of the sum of the clients' functions. ``value(t)`` is F(S_t), ``gap(t)`` the largest gain of any item that fits.
"""

from __future__ import annotations

from sympy import Min, Rational, Symbol, exp, sqrt

from fltheory.papers.fedcg.bounds import discrete as bounds_discrete
from fltheory.papers.fedcg.letters import N, kappa, n, r
from fltheory.proof.language import Apply, Cases, Combine, Given, Known, Power, Step, Summed, Theorem, eq, le, stated
from fltheory.proof.terms import Nonnegative, Positive, Scalar, Total, family
from proofs_checks.fedcg import facts

i, e, k = (Symbol(name, integer=True, positive=True) for name in "iek")
t = facts.t
CLIENTS, ITEMS, ROUNDS = (i, 1, N), (e, 1, n), (t, 0, r - 1)
PLACE = "Section 5"

# Importance and participants ----------------------------------------------------------------------------------------

single, importance = family(Nonnegative, "f"), family(Nonnegative, "w")
whole = family(Positive, "F")
SUM = Given(
    "sum",
    eq(Total(single(i, e), i, 1, N), whole(e), ITEMS),
    "F is the sum of the clients' functions, positive on each item",
)
RATIO = Given(
    "ratio", le(importance(i), Total(single(i, e) / whole(e), e, 1, n), CLIENTS), "w_i is one of these ratios"
)
P = facts.P
_SMALLER = le(Min(1, P), P)
SMALLER = Theorem(
    "fedcg/min",
    _SMALLER,
    (),
    (
        Step("a", eq(Min(1, P), 1), Known("min", Min(1, P)), assuming=(le(1, P),)),
        Step("1", _SMALLER, Combine({"a": 1, "assumed 1": 1}), ("a",), assuming=(le(1, P),)),
        Step("b", eq(Min(1, P), P), Known("min", Min(1, P)), assuming=(le(P, 1),)),
        Step("2", _SMALLER, Combine({"b": 1}), ("b",), assuming=(le(P, 1),)),
        Step("3", _SMALLER, Cases(), ("1", "2")),
    ),
    place=PLACE,
)
_IMPORTANCE = stated(bounds_discrete.IMP_SUM, Total(importance(i), i, 1, N))[0]
_RATIOS = Total(Total(single(i, e) / whole(e), e, 1, n), i, 1, N)
IMPORTANCE = Theorem(
    "fedcg/Imp",
    _IMPORTANCE,
    (SUM, RATIO),
    (
        Step("1", le(Total(importance(i), i, 1, N), _RATIOS), Summed((i,)), ("ratio",)),
        Step(
            "swap",
            eq(_RATIOS, Total(Total(single(i, e) / whole(e), i, 1, N), e, 1, n)),
            Apply("fedcg/swap", {facts.pair(i, e): single(i, e) / whole(e), facts.first: N, facts.second: n}),
        ),
        Step(
            "items",
            eq(Total(Total(single(i, e) / whole(e), i, 1, N), e, 1, n), Total(1, e, 1, n)),
            Summed((e,), 1 / whole(e)),
            ("sum",),
        ),
        Step("2", _IMPORTANCE, Combine({"1": 1, "swap": 1, "items": 1}), ("1", "swap", "items")),
    ),
    claim="fedcg/Imp@explicit",
    bound=bounds_discrete.IMP_SUM,
    place=PLACE,
    note="the importance factors add up to at most the number of items",
)
_ANSWERS = stated(bounds_discrete.PARTICIPANTS, Total(Min(1, kappa * importance(i)), i, 1, N))[0]
PARTICIPANTS = Theorem(
    "fedcg/T5.1-participants",
    _ANSWERS,
    (SUM, RATIO),
    (
        Step(
            "each",
            le(Min(1, kappa * importance(i)), kappa * importance(i), CLIENTS),
            Apply("fedcg/min", {P: kappa * importance(i)}),
        ),
        Step("all", le(_ANSWERS.left, kappa * Total(importance(i), i, 1, N)), Summed((i,)), ("each",)),
        Step("sum of w", _IMPORTANCE, Apply("fedcg/Imp"), ("sum", "ratio")),
        Step("1", _ANSWERS, Combine({"all": 1, "sum of w": kappa}), ("all", "sum of w")),
    ),
    claim="fedcg/T5.1-participants@corrected",
    bound=bounds_discrete.PARTICIPANTS,
    place="Theorem 5.1",
    note="the expected number of answers in a round is at most kappa n, whatever the number of clients",
)

# What a client is worth -----------------------------------------------------------------------------------------------------

size = Symbol("size", integer=True, positive=True)
client, alone, item = Symbol("f_S", real=True), family(Scalar, "f_e"), family(Scalar, "F_e")
weight, of_set = Symbol("w_i", nonnegative=True), Symbol("F_S", nonnegative=True)
MEMBERS = (k, 1, size)
_SHARE = stated(bounds_discrete.S7_SHARE, client)[0]
_SHARE = le(client, _SHARE.right * weight * of_set)
SHARE = Theorem(
    "fedcg/S7-share",
    _SHARE,
    (
        Given("subadditive", le(client, Total(alone(k), k, 1, size)), "f_i(S) is at most the sum of its items' values"),
        Given("factor", le(alone(k), weight * item(k), MEMBERS), "w_i is the largest of the ratios f_i(e)/F(e)"),
        Given("monotone", le(item(k), of_set, MEMBERS), "F(e) <= F(S)"),
        Given("rank", le(size, r), "an independent set"),
    ),
    (
        Step(
            "each",
            le(alone(k), weight * of_set, MEMBERS),
            Combine({"factor": 1, "monotone": weight}),
            ("factor", "monotone"),
        ),
        Step("all", le(Total(alone(k), k, 1, size), size * weight * of_set), Summed((k,)), ("each",)),
        Step(
            "1", _SHARE, Combine({"subadditive": 1, "all": 1, "rank": weight * of_set}), ("subadditive", "all", "rank")
        ),
    ),
    claim="fedcg/S7-share@sharpened",
    place=PLACE,
    note="of an independent set no client has more than r w_i of the value",
)

# One random answer ------------------------------------------------------------------------------------------------------------

gain, answers = family(Nonnegative, "gain"), family(Positive, "kappa_i")
top = Symbol("F_e", nonnegative=True)
ANSWER = (
    Given("at most 1", le(answers(i), 1, CLIENTS), "kappa_i = min(1, kappa w_i)"),
    Given(
        "one of both",
        eq((1 - answers(i)) * (kappa * importance(i) - answers(i)), 0, CLIENTS),
        "it is the one or the other",
    ),
    Given("gain", le(gain(i), importance(i) * top, CLIENTS), "f_i(e|S) <= f_i(e) <= w_i F(e)"),
)
_RANGE = le((1 - answers(i)) * gain(i) / answers(i), (1 - answers(i)) * top / kappa, CLIENTS)
RANGE = Theorem(
    "fedcg/S6-range",
    _RANGE,
    ANSWER,
    (
        Step(
            "1",
            _RANGE,
            Combine({"gain": (1 - answers(i)) / answers(i), "one of both": top / (kappa * answers(i))}),
            ("gain", "one of both", "at most 1"),
        ),
    ),
    place="Theorem 5.1",
    note="a random answer (kappa_i < 1) is worth at most F(e)/kappa",
)
_VARIANCE = le(Total(gain(i) ** 2 * (1 / answers(i) - 1), i, 1, N), Total(gain(i), i, 1, N) * top / kappa)
VARIANCE = Theorem(
    "fedcg/S6-variance",
    _VARIANCE,
    ANSWER,
    (
        Step("range", _RANGE, Apply("fedcg/S6-range"), ("at most 1", "one of both", "gain")),
        Step(
            "each",
            le(gain(i) ** 2 * (1 / answers(i) - 1), gain(i) * top / kappa, CLIENTS),
            Combine({"range": gain(i)}),
            ("range",),
        ),
        Step("1", _VARIANCE, Summed((i,)), ("each",)),
    ),
    place="Theorem 5.1",
    note="the variance of the summed answers is at most F(e|S) F(e)/kappa",
)

# Scalars ----------------------------------------------------------------------------------------------------------------------

Q = facts.Q
_ROOTS = le(P, Q)
ROOTS = Theorem(
    "fedcg/roots",
    _ROOTS,
    (Given("squares", le(P**2, Q**2), "of two numbers, neither negative"),),
    (Step("sign", le(0, P**2), Combine()), Step("1", _ROOTS, Power(Rational(1, 2)), ("sign", "squares"))),
    place=PLACE,
)
G, M, part = (Symbol(name, nonnegative=True) for name in ("G", "M", "part"))
one = Symbol("eps_1", positive=True)
_MEANS = le(2 * sqrt(2 * G * M), one * G + 2 * M / one)
MEANS = Theorem(
    "fedcg/S6-means",
    _MEANS,
    (),
    (
        Step("square", le(0, (one * G - 2 * M / one) ** 2), Apply("fedcg/square", {facts.X: one * G - 2 * M / one})),
        Step(
            "squares", le((2 * sqrt(2 * G * M)) ** 2, (one * G + 2 * M / one) ** 2), Combine({"square": 1}), ("square",)
        ),
        Step("1", _MEANS, Apply("fedcg/roots", {P: 2 * sqrt(2 * G * M), Q: one * G + 2 * M / one}), ("squares",)),
    ),
    place="Theorem 5.1",
    note="of the arithmetic and the geometric mean",
)
LEVEL = Given("level", le(part, 1), "eps_1 <= 1")
_CHORD = le(exp(part), 1 + (exp(1) - 1) * part)
CHORD = Theorem(
    "fedcg/S6-chord",
    _CHORD,
    (LEVEL,),
    (
        Step("far", le(2 - part, exp(1 - part)), Known("exp", 1 - part)),
        Step("near", le(1 - part, exp(-part)), Known("exp", -part)),
        Step("1", _CHORD, Combine({"far": part * exp(part), "near": (1 - part) * exp(part)}), ("far", "near", "level")),
    ),
    place="Theorem 5.1",
    note="exp lies below its chord on [0, 1]",
)
_SHRINK = le(1 - 2 * part, (1 - part) / (1 + part))
SHRINK = Theorem(
    "fedcg/S7-factor",
    _SHRINK,
    (),
    (Step("1", _SHRINK, Combine(), note="2 part^2/(1 + part) is left"),),
    place="Theorem 5.1",
)

THEOREMS = (SMALLER, IMPORTANCE, PARTICIPANTS, SHARE, RANGE, VARIANCE, ROOTS, MEANS, CHORD, SHRINK)
