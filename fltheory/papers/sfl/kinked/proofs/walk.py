"""One round on clients with a kink at 0, for any gradient perturbation: core of Lemmas 10 and 14 and of (5)-(11).

The pull c(x) x is lam0 x left of 0 and lam x right of it, (lam + lam0) / 2 x - (lam0 - lam) / 2 |x|. A step subtracts
eta (c(x) x + nu w), with signs w: of the client (heterogeneity) or of the step (noise). H is a weight known
before the round: 1 for a given start x0 >= 0, the indicator of x0 >= 0 for a random one.
"""

from __future__ import annotations

from collections.abc import Callable

from sympy import Abs, Expr, Integer, Rational, Symbol, oo

from fltheory.papers.sfl.notation import K, M, eta, lam, lam0
from fltheory.proof import Defines, Given, Relation, Step, by, eq, le, line, proof
from fltheory.proof.language import Range
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


def before(body: Callable[..., Expr]) -> Expr:
    """Return the sum of body(i, j) over all steps before step k of client c + 1."""
    return Total(Total(body(i, j), j, 0, K - 1), i, 1, c) + Total(body(c + 1, j), j, 0, k - 1)


def done(body: Callable[..., Expr]) -> Expr:
    """Return the sum of body(i, j) over all steps of the first c clients."""
    return Total(Total(body(i, j), j, 0, K - 1), i, 1, c)


def moved(m: Expr, q: Expr) -> Expr:
    """|x_{m,q} - x0|."""
    return Abs(x(m, q) - x0)


FIRST = Given("first", eq(x(1, 0), x0), "the round starts at x0")
STEP = Given("step", eq(x(c + 1, k + 1), x(c + 1, k) - eta * (p(c + 1, k) + nu * w(c + 1, k)), CLIENTS, STEPS),
    "a local step")
HANDED = Given("handed", eq(x(c + 2, 0), x(c + 1, K), CLIENTS), "the next client goes on where this one stops")
WALK = (FIRST, STEP, HANDED)
NOISE = Defines("noise", W(c, k), before(w), "the sum of the signs so far")
PULL = Defines("pull", p(i, j), (lam + lam0) / 2 * x(i, j) - (lam0 - lam) / 2 * Abs(x(i, j)), "c(x) x")
STEEP = Given("steep", le(1010 * lam, lam0), "the curvatures differ enough")
CAP = Given("cap", le(eta, 1 / (101 * lam0 * M * K)), "the step is small against lam0")
KNOWN = Given("known", eq(H * Abs(x0), H * x0), "H is nonnegative and vanishes where x0 < 0")
APART = Given("apart", eq(E(H * Abs(W(c, k))), E(H) * E(Abs(W(c, k))), CLIENTS, STEPS),
    "the signs are independent of the past")
SPREAD = Given("spread", le(E(Abs(W(c, k))), s(c, k), CLIENTS, STEPS), "how far the signs stray (Lemma 8 or 12)")
GROWING = Given("growing", le(s(c, k), s(c, k + 1), CLIENTS, STEPS), "s grows along a round")
JOINED = Given("joined", eq(s(c + 1, 0), s(c, K), CLIENTS), "s is one sequence")

# The round unrolled, (3) and (4) ---------------------------------------------------------------------------------

INNER = eq(x(c + 1, k), x(c + 1, 0) - eta * (Total(p(c + 1, j), j, 0, k - 1) + nu * Total(w(c + 1, j), j, 0, k - 1)))
_OUTER = eq(x(c + 1, 0), x0 - eta * (done(p) + nu * done(w)))


def on(relation: Relation, *over: Range) -> Relation:
    """Return the relation for all integers of the ranges."""
    return Relation(relation.left, relation.op, relation.right, over)


CLIENT = (
    proof("sfl/kink-client", "(3)", note="one client's steps unrolled").under(STEP)
    .step("start", on(INNER.at({k: NONE}), CLIENTS), by.linear(), note="no step is done")
    .step("one", on(INNER.at({k: k + 1}), CLIENTS, STEPS), by.linear("step"), assuming=INNER)
    .qed(on(INNER, CLIENTS, PLACES), by.induction(k, "start", "one"), name="all")
)
ROUND = (
    proof("sfl/kink-round", "(4)", note="whole clients unrolled; at c = M it is the end of the round").under(*WALK)
    .step("start", _OUTER.at({c: NONE}), by.linear("first"))
    .step("steps", by.apply(CLIENT))
    .step("client", by.instance({k: K}, "steps"))
    .step("one", on(_OUTER.at({c: c + 1}), CLIENTS), by.linear("client", "handed"), assuming=_OUTER)
    .qed(on(_OUTER, (c, 0, M)), by.induction(c, "start", "one"), name="all")
)
UNROLLED = (
    proof("sfl/kink-unrolled", "(3)").under(*WALK, NOISE)
    .step("clients", by.apply(ROUND))
    .step("steps", by.apply(CLIENT))
    .qed(eq(x(c + 1, k), x0 - eta * before(p) - eta * nu * W(c, k), CLIENTS, PLACES), by.linear("clients", "steps"),
        name="both", inserting="noise")
)

# Distance of the models, Lemmas 10 and 14 ------------------------------------------------------------------------


def weighed(m: Expr, q: Expr) -> Expr:
    """E[H |x_{m,q} - x0|]."""
    return E(H * moved(m, q))


def added(name: str, low: Callable[..., Expr], high: Callable[..., Expr]) -> tuple[Step, ...]:
    """Return steps that sum low(i, j) <= high(i, j), the step ``name``, over all steps before step k of client c+1."""
    here = Relation(low(c + 1, j), "<=", high(c + 1, j))
    return (
        line(f"{name}, each", le(low(i, j), high(i, j), *BEFORE), by.linear(name)),
        line(f"{name}, clients", le(done(low), done(high)), by.sum_over((j, i), f"{name}, each")),
        line(f"{name}, this one", on(here, (j, 0, oo)), by.instance({i: c + 1}, name)),
        line(f"{name}, so far", on(here, (j, 0, k - 1)), by.linear(f"{name}, this one")),
        line(f"{name}, steps", le(Total(here.left, j, 0, k - 1), Total(here.right, j, 0, k - 1)),
            by.sum_over(j, f"{name}, so far")),
        line(f"{name}, sum", le(before(low), before(high)), by.linear(f"{name}, clients", f"{name}, steps")),
    )


A, B, _here = (lam + lam0) / 2, (lam0 - lam) / 2, x(i, j)
_REACH_OF = Abs(x0) + moved(i, j)
NEAR = (
    line("over", le(_here - x0, moved(i, j), *EVER), by.fact("abs", _here - x0)),
    line("under", le(x0 - _here, moved(i, j), *EVER), by.fact("abs", x0 - _here)),
    line("right", le(x0, Abs(x0)), by.fact("abs", x0)),
    line("left", le(-x0, Abs(x0)), by.fact("abs", -x0)),
    line("up", le(_here, _REACH_OF, *EVER), by.linear("over", "right")),
    line("down", le(-_here, _REACH_OF, *EVER), by.linear("under", "left")),
    line("near", le(Abs(_here), _REACH_OF, *EVER), by.absolute("up", "down"), note="|x| <= |x0| + |x - x0|"),
)


def _size(m: Expr, q: Expr) -> Expr:
    return lam0 * (Abs(x0) + moved(m, q))


_DRIFT = eta * lam0 * ((c * K + k) * Abs(x0) + before(moved)) + eta * nu * Abs(W(c, k))
_REACH = le(weighed(c + 1, k), eta * lam0 * ((c * K + k) * AHEAD + before(weighed)) + eta * nu * START * s(c, k),
    CLIENTS, STEPS)
_REACHED = (*WALK, NOISE, PULL, STEEP, KNOWN, APART, SPREAD)
REACH = (
    proof("sfl/kink-reach", "Lemmas 10 and 14").under(*_REACHED)
    .steps(*NEAR)
    .step("plus", by.fact("abs", _here), over=(*EVER,))
    .step("minus", by.fact("abs", -_here), over=(*EVER,))
    .step("pulled up", le(p(i, j), _size(i, j), *EVER), by.linear("plus", "near", "steep"), inserting="pull",
        note="|c(x) x| <= lam0 |x|")
    .step("pulled down", le(-p(i, j), _size(i, j), *EVER), by.linear("minus", "near", "steep"), inserting="pull")
    .steps(*added("pulled up", p, _size), *added("pulled down", lambda m, q: -p(m, q), _size))
    .step("unrolled", by.apply(UNROLLED), inserting="noise")
    .step("sign", by.fact("abs", W(c, k)), over=(CLIENTS, STEPS))
    .step("other sign", by.fact("abs", -W(c, k)), over=(CLIENTS, STEPS))
    .step("not far up", le(x(c + 1, k) - x0, _DRIFT, CLIENTS, STEPS),
        by.linear("unrolled", "pulled down, sum", "other sign"))
    .step("not far down", le(x0 - x(c + 1, k), _DRIFT, CLIENTS, STEPS), by.linear("unrolled", "pulled up, sum", "sign"))
    .step("not far", by.absolute("not far up", "not far down"))
    .step("weighed", le(H * moved(c + 1, k), H * _DRIFT, CLIENTS, STEPS), by.linear("not far"))
    .step("mean", by.expectation("weighed"))
    .step("ahead", by.expectation("known"))
    .qed(_REACH, by.linear("mean", "ahead", "apart", "spread"), name="reach")
)
_PART, MORE = AHEAD / 100, Rational(101, 100) * eta * nu * START
_SUM = le(before(weighed), (c * K + k) * (_PART + MORE * s(c, k)))
CAPPED = (
    line("most", le(eta * lam0 * M * K, Rational(1, 101)), by.linear("cap")),
    line("so far", le(c * K + k, M * K, CLIENTS, PLACES), by.polynomial(), note="steps before, of those of the round"),
    line("room", le(eta * lam0 * (c * K + k), Rational(1, 101), CLIENTS, PLACES), by.linear("most", "so far")),
    line("ahead", le(0, H * x0), by.linear("known")),
    line("mean ahead", le(0, AHEAD), by.expectation("ahead")),
    line("room ahead", le(eta * lam0 * (c * K + k) * AHEAD, AHEAD / 101, CLIENTS, PLACES),
        by.linear("room", "mean ahead")),
    line("room spread", le(eta * lam0 * (c * K + k) * START * s(c, k), START * s(c, k) / 101, CLIENTS, PLACES),
        by.linear("room")),
)
_USED = ("first", "step", "handed", "steep", "known", "apart", "spread")
MOVES = (*_REACHED, CAP, GROWING, JOINED)
_AT_START = _SUM.at({k: NONE})
SUM = (
    proof("sfl/kink-drift-sum", "Lemmas 10 and 14").under(*MOVES)
    .step("reach", by.apply(REACH), inserting=("noise", "pull"))
    .steps(*CAPPED)
    .step("next", le(weighed(c + 1, k), _PART + MORE * s(c, k), CLIENTS, STEPS),
        by.linear("reach", "room ahead", "room spread"), assuming=_SUM)
    .step("longer", on(_SUM.at({k: k + 1}), CLIENTS, STEPS), by.linear("next", "growing"), assuming=_SUM)
    .step("client's start", on(_AT_START, CLIENTS), by.linear(), assuming=_AT_START)
    .step("a client", on(_SUM, CLIENTS, PLACES), by.induction(k, "client's start", "longer"), assuming=_AT_START)
    .step("client's end", by.instance({k: K}, "a client"), assuming=_AT_START)
    .step("handed on", on(_AT_START.at({c: c + 1}), CLIENTS), by.linear("client's end", "joined"), assuming=_AT_START)
    .step("start", _AT_START.at({c: NONE}), by.linear())
    .step("every start", on(_AT_START, (c, 0, M)), by.induction(c, "start", "handed on"))
    .step("starts", on(_AT_START, CLIENTS), by.linear("every start"))
    .qed(on(_SUM, CLIENTS, PLACES), by.induction(k, "starts", "longer"), name="all")
)
USES = (*_USED, "cap", "growing", "joined")
DRIFTS = line("drifts", SUM.statement, by.apply(SUM, *USES), inserting=("noise", "pull"))
DRIFT = (
    proof("sfl/kink-drift", "Lemmas 10 and 14", note="E[H |x - x0|] <= E[H x0] / 100 + 1.01 eta nu s E[H]")
    .under(*MOVES)
    .step("reach", by.apply(REACH), inserting=("noise", "pull"))
    .steps(DRIFTS, *CAPPED)
    .qed(le(weighed(c + 1, k), _PART + MORE * s(c, k), CLIENTS, STEPS),
        by.linear("reach", "drifts", "room ahead", "room spread"), name="moved")
)
THEOREMS = (CLIENT, ROUND, UNROLLED, REACH, SUM, DRIFT)
