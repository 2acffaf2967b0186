"""One round on clients with a kink at 0, whatever perturbs their gradients: the core of Lemmas 10 and 14 and of (5)-(11).

The pull c(x) x is lam0 x left of 0 and lam x right of it, (lam + lam0) / 2 x - (lam0 - lam) / 2 |x|. A step takes off
eta (c(x) x + nu w), with signs w: of the client (heterogeneity) or of the step (noise). H weighs courses by what is
known before the round: 1 for a given start x0 >= 0, the indicator of x0 >= 0 for a random one.
"""

from __future__ import annotations

from typing import Any

from sympy import Abs, Expr, Integer, Rational, Symbol, oo

from fltheory.papers.sfl.letters import K, M, eta, lam, lam0
from fltheory.proof.language import (
    Absolute,
    Apply,
    Combine,
    Defines,
    Expected,
    Given,
    Induction,
    Instance,
    Known,
    Polynomial,
    Relation,
    Step,
    Summed,
    Theorem,
    eq,
    le,
)
from fltheory.proof.terms import E, Nonnegative, RandomNonnegative, RandomScalar, Total, family

c, k = Symbol("c", integer=True, nonnegative=True), Symbol("k", integer=True, nonnegative=True)
i, j = Symbol("i", integer=True, positive=True), Symbol("j", integer=True, nonnegative=True)
nu = Symbol("nu", nonnegative=True)
x, p, w, W = (family(RandomScalar, name) for name in "xpwW")
x0, H = family(RandomScalar, "x0")(), family(RandomNonnegative, "H")()
s = family(Nonnegative, "s")
NONE, EVER = Integer(0), ((i, 1, oo), (j, 0, oo))
CLIENTS, STEPS, PLACES = (c, 0, M - 1), (k, 0, K - 1), (k, 0, K)
BEFORE = ((i, 1, c), (j, 0, K - 1))
AHEAD, START = E(H * x0), E(H)


def before(body: Any) -> Expr:
    """The sum of body(i, j) over what comes before step k of client c + 1."""
    return Total(Total(body(i, j), j, 0, K - 1), i, 1, c) + Total(body(c + 1, j), j, 0, k - 1)


def done(body: Any) -> Expr:
    """The sum of body(i, j) over all steps of the first c clients."""
    return Total(Total(body(i, j), j, 0, K - 1), i, 1, c)


def moved(m: Any, q: Any) -> Expr:
    """|x_{m,q} - x0|."""
    return Abs(x(m, q) - x0)


FIRST = Given("first", eq(x(1, 0), x0), "the round starts at x0")
STEP = Given(
    "step", eq(x(c + 1, k + 1), x(c + 1, k) - eta * (p(c + 1, k) + nu * w(c + 1, k)), CLIENTS, STEPS), "a local step"
)
HANDED = Given("handed", eq(x(c + 2, 0), x(c + 1, K), CLIENTS), "the next client goes on where this one stops")
WALK = (FIRST, STEP, HANDED)
NOISE = Defines("noise", W(c, k), before(w), "the sum of the signs so far")
PULL = Defines("pull", p(i, j), (lam + lam0) / 2 * x(i, j) - (lam0 - lam) / 2 * Abs(x(i, j)), "c(x) x")
STEEP = Given("steep", le(1010 * lam, lam0), "the curvatures differ enough")
CAP = Given("cap", le(eta, 1 / (101 * lam0 * M * K)), "the step is small against lam0")
KNOWN = Given("known", eq(H * Abs(x0), H * x0), "H is nonnegative and vanishes where x0 < 0")
APART = Given(
    "apart", eq(E(H * Abs(W(c, k))), E(H) * E(Abs(W(c, k))), CLIENTS, STEPS), "the signs are independent of the past"
)
SPREAD = Given("spread", le(E(Abs(W(c, k))), s(c, k), CLIENTS, STEPS), "how far the signs stray (Lemma 8 or 12)")
GROWING = Given("growing", le(s(c, k), s(c, k + 1), CLIENTS, STEPS), "s grows along a round")
JOINED = Given("joined", eq(s(c + 1, 0), s(c, K), CLIENTS), "s is one sequence")

# The round unrolled, (3) and (4) ---------------------------------------------------------------------------------

INNER = eq(x(c + 1, k), x(c + 1, 0) - eta * (Total(p(c + 1, j), j, 0, k - 1) + nu * Total(w(c + 1, j), j, 0, k - 1)))
_OUTER = eq(x(c + 1, 0), x0 - eta * (done(p) + nu * done(w)))


def on(relation: Relation, *over: Any) -> Relation:
    """The relation for all integers of the ranges."""
    return Relation(relation.left, relation.op, relation.right, over)


CLIENT = Theorem(
    "sfl/kink-client",
    on(INNER, CLIENTS, PLACES),
    (STEP,),
    (
        Step("start", on(INNER.at({k: NONE}), CLIENTS), Combine(), note="no step is done"),
        Step("one", on(INNER.at({k: k + 1}), CLIENTS, STEPS), Combine(), ("step",), assuming=(INNER,)),
        Step("all", on(INNER, CLIENTS, PLACES), Induction(k), ("start", "one")),
    ),
    place="(3)",
    note="one client's steps unrolled",
)
ROUND = Theorem(
    "sfl/kink-round",
    on(_OUTER, (c, 0, M)),
    WALK,
    (
        Step("start", _OUTER.at({c: NONE}), Combine(), ("first",)),
        Step("steps", on(INNER, CLIENTS, PLACES), Apply("sfl/kink-client"), ("step",)),
        Step("client", on(INNER.at({k: K}), CLIENTS), Instance({k: K}), ("steps",)),
        Step("one", on(_OUTER.at({c: c + 1}), CLIENTS), Combine(), ("client", "handed"), assuming=(_OUTER,)),
        Step("all", on(_OUTER, (c, 0, M)), Induction(c), ("start", "one")),
    ),
    place="(4)",
    note="whole clients unrolled; at c = M it is the end of the round",
)
_UNROLLED = eq(x(c + 1, k), x0 - eta * before(p) - eta * nu * W(c, k), CLIENTS, PLACES)
UNROLLED = Theorem(
    "sfl/kink-unrolled",
    _UNROLLED,
    (*WALK, NOISE),
    (
        Step("clients", on(_OUTER, (c, 0, M)), Apply("sfl/kink-round"), ("first", "step", "handed")),
        Step("steps", on(INNER, CLIENTS, PLACES), Apply("sfl/kink-client"), ("step",)),
        Step("both", _UNROLLED, Combine(), ("clients", "steps"), by=("noise",)),
    ),
    place="(3)",
)

# How far the models move, Lemmas 10 and 14 -----------------------------------------------------------------------


def weighed(m: Any, q: Any) -> Expr:
    """E[H |x_{m,q} - x0|]."""
    return E(H * moved(m, q))


def added(name: str, low: Any, high: Any) -> tuple[Step, ...]:
    """Steps that add up low(i, j) <= high(i, j), the step ``name``, over all that comes before step k of client c + 1."""
    here = Relation(low(c + 1, j), "<=", high(c + 1, j))
    return (
        Step(f"{name}, each", le(low(i, j), high(i, j), *BEFORE), Combine(), (name,)),
        Step(f"{name}, clients", le(done(low), done(high)), Summed((j, i)), (f"{name}, each",)),
        Step(f"{name}, this one", on(here, (j, 0, oo)), Instance({i: c + 1}), (name,)),
        Step(f"{name}, so far", on(here, (j, 0, k - 1)), Combine(), (f"{name}, this one",)),
        Step(
            f"{name}, steps",
            le(Total(here.left, j, 0, k - 1), Total(here.right, j, 0, k - 1)),
            Summed((j,)),
            (f"{name}, so far",),
        ),
        Step(f"{name}, sum", le(before(low), before(high)), Combine(), (f"{name}, clients", f"{name}, steps")),
    )


A, B, _here = (lam + lam0) / 2, (lam0 - lam) / 2, x(i, j)
_REACH_OF = Abs(x0) + moved(i, j)
NEAR = (
    Step("over", le(_here - x0, moved(i, j), *EVER), Known("abs", _here - x0)),
    Step("under", le(x0 - _here, moved(i, j), *EVER), Known("abs", x0 - _here)),
    Step("right", le(x0, Abs(x0)), Known("abs", x0)),
    Step("left", le(-x0, Abs(x0)), Known("abs", -x0)),
    Step("up", le(_here, _REACH_OF, *EVER), Combine(), ("over", "right")),
    Step("down", le(-_here, _REACH_OF, *EVER), Combine(), ("under", "left")),
    Step("near", le(Abs(_here), _REACH_OF, *EVER), Absolute(), ("up", "down"), note="|x| <= |x0| + |x - x0|"),
)


def _size(m: Any, q: Any) -> Expr:
    return lam0 * (Abs(x0) + moved(m, q))


_DRIFT = eta * lam0 * ((c * K + k) * Abs(x0) + before(moved)) + eta * nu * Abs(W(c, k))
_REACH = le(
    weighed(c + 1, k), eta * lam0 * ((c * K + k) * AHEAD + before(weighed)) + eta * nu * START * s(c, k), CLIENTS, STEPS
)
_REACHED = (*WALK, NOISE, PULL, STEEP, KNOWN, APART, SPREAD)
REACH = Theorem(
    "sfl/kink-reach",
    _REACH,
    _REACHED,
    (
        *NEAR,
        Step("plus", le(_here, Abs(_here), *EVER), Known("abs", _here)),
        Step("minus", le(-_here, Abs(_here), *EVER), Known("abs", -_here)),
        Step(
            "pulled up",
            le(p(i, j), _size(i, j), *EVER),
            Combine({"plus": A, "near": lam, "steep": _REACH_OF}),
            ("plus", "near", "steep"),
            by=("pull",),
            note="|c(x) x| <= lam0 |x|",
        ),
        Step(
            "pulled down",
            le(-p(i, j), _size(i, j), *EVER),
            Combine({"minus": A, "near": lam0, "steep": 0}),
            ("minus", "near", "steep"),
            by=("pull",),
        ),
        *added("pulled up", p, _size),
        *added("pulled down", lambda m, q: -p(m, q), _size),
        Step("unrolled", UNROLLED.statement, Apply("sfl/kink-unrolled"), ("first", "step", "handed"), by=("noise",)),
        Step("sign", le(W(c, k), Abs(W(c, k)), CLIENTS, STEPS), Known("abs", W(c, k))),
        Step("other sign", le(-W(c, k), Abs(W(c, k)), CLIENTS, STEPS), Known("abs", -W(c, k))),
        Step(
            "not far up",
            le(x(c + 1, k) - x0, _DRIFT, CLIENTS, STEPS),
            Combine({"unrolled": 1, "pulled down, sum": eta, "other sign": eta * nu}),
            ("unrolled", "pulled down, sum", "other sign"),
        ),
        Step(
            "not far down",
            le(x0 - x(c + 1, k), _DRIFT, CLIENTS, STEPS),
            Combine({"unrolled": -1, "pulled up, sum": eta, "sign": eta * nu}),
            ("unrolled", "pulled up, sum", "sign"),
        ),
        Step("not far", le(moved(c + 1, k), _DRIFT, CLIENTS, STEPS), Absolute(), ("not far up", "not far down")),
        Step("weighed", le(H * moved(c + 1, k), H * _DRIFT, CLIENTS, STEPS), Combine({"not far": H}), ("not far",)),
        Step("mean", le(weighed(c + 1, k), E(H * _DRIFT), CLIENTS, STEPS), Expected(), ("weighed",)),
        Step("ahead", eq(E(H * Abs(x0)), AHEAD), Expected(), ("known",)),
        Step(
            "reach",
            _REACH,
            Combine({"mean": 1, "ahead": eta * lam0 * (c * K + k), "apart": eta * nu, "spread": eta * nu * START}),
            ("mean", "ahead", "apart", "spread"),
        ),
    ),
    place="Lemmas 10 and 14",
)
_PART, MORE = AHEAD / 100, Rational(101, 100) * eta * nu * START
_SUM = le(before(weighed), (c * K + k) * (_PART + MORE * s(c, k)))
_ROOM = le(eta * lam0 * (c * K + k), Rational(1, 101), CLIENTS, PLACES)
CAPPED = (
    Step("most", le(eta * lam0 * M * K, Rational(1, 101)), Combine({"cap": lam0 * M * K}), ("cap",)),
    Step("so far", le(c * K + k, M * K, CLIENTS, PLACES), Polynomial(), note="steps before, of those of the round"),
    Step("room", _ROOM, Combine({"most": 1, "so far": eta * lam0}), ("most", "so far")),
    Step("ahead", le(0, H * x0), Combine({"known": 1}), ("known",)),
    Step("mean ahead", le(0, AHEAD), Expected(), ("ahead",)),
    Step(
        "room ahead",
        le(eta * lam0 * (c * K + k) * AHEAD, AHEAD / 101, CLIENTS, PLACES),
        Combine({"room": AHEAD}),
        ("room", "mean ahead"),
    ),
    Step(
        "room spread",
        le(eta * lam0 * (c * K + k) * START * s(c, k), START * s(c, k) / 101, CLIENTS, PLACES),
        Combine({"room": START * s(c, k)}),
        ("room",),
    ),
)
_MOVED = le(weighed(c + 1, k), _PART + MORE * s(c, k), CLIENTS, STEPS)
_USED = ("first", "step", "handed", "steep", "known", "apart", "spread")
MOVES = (*_REACHED, CAP, GROWING, JOINED)
_AT_START = _SUM.at({k: NONE})
SUM = Theorem(
    "sfl/kink-drift-sum",
    on(_SUM, CLIENTS, PLACES),
    MOVES,
    (
        Step("reach", _REACH, Apply("sfl/kink-reach"), _USED, by=("noise", "pull")),
        *CAPPED,
        Step(
            "next",
            le(weighed(c + 1, k), _PART + MORE * s(c, k), CLIENTS, STEPS),
            Combine(
                {
                    "reach": 1,
                    "assumed 1": eta * lam0,
                    "room ahead": Rational(101, 100),
                    "room spread": Rational(101, 100) * eta * nu,
                }
            ),
            ("reach", "room ahead", "room spread"),
            assuming=(_SUM,),
        ),
        Step(
            "longer",
            on(_SUM.at({k: k + 1}), CLIENTS, STEPS),
            Combine({"next": 1, "assumed 1": 1, "growing": (c * K + k + 1) * MORE}),
            ("next", "growing"),
            assuming=(_SUM,),
        ),
        Step("client's start", on(_AT_START, CLIENTS), Combine({"assumed 1": 1}), assuming=(_AT_START,)),
        Step("a client", on(_SUM, CLIENTS, PLACES), Induction(k), ("client's start", "longer"), assuming=(_AT_START,)),
        Step("client's end", on(_SUM.at({k: K}), CLIENTS), Instance({k: K}), ("a client",), assuming=(_AT_START,)),
        Step(
            "handed on",
            on(_AT_START.at({c: c + 1}), CLIENTS),
            Combine({"client's end": 1, "joined": -(c * K + K) * MORE}),
            ("client's end", "joined"),
            assuming=(_AT_START,),
        ),
        Step("start", _AT_START.at({c: NONE}), Combine()),
        Step("every start", on(_AT_START, (c, 0, M)), Induction(c), ("start", "handed on")),
        Step("starts", on(_AT_START, CLIENTS), Combine(), ("every start",)),
        Step("all", on(_SUM, CLIENTS, PLACES), Induction(k), ("starts", "longer")),
    ),
    place="Lemmas 10 and 14",
)
_ROOMS = ("most", "so far", "room", "ahead", "mean ahead", "room ahead", "room spread")
USES = (*_USED, "cap", "growing", "joined")
DRIFTS = Step("drifts", SUM.statement, Apply("sfl/kink-drift-sum"), USES, by=("noise", "pull"))
DRIFT = Theorem(
    "sfl/kink-drift",
    _MOVED,
    MOVES,
    (
        Step("reach", _REACH, Apply("sfl/kink-reach"), _USED, by=("noise", "pull")),
        DRIFTS,
        *CAPPED,
        Step(
            "moved",
            _MOVED,
            Combine(
                {
                    "reach": 1,
                    "drifts": eta * lam0,
                    "room ahead": Rational(101, 100),
                    "room spread": Rational(101, 100) * eta * nu,
                }
            ),
            ("reach", "drifts", "room ahead", "room spread"),
        ),
    ),
    place="Lemmas 10 and 14",
    note="E[H |x - x0|] <= E[H x0] / 100 + 1.01 eta nu s E[H]",
)
THEOREMS = (CLIENT, ROUND, UNROLLED, REACH, SUM, DRIFT)
