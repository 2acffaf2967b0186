"""Regime h2 over many rounds: the model is above that of steep clients, hence >= 0 half of the time; its mean grows.

y(v, k) is the model after k steps of the client that follows v others, counted over all rounds, t(v + 1) that client's
sign, and M = 2 g + 4. It is above h, the model of the steep clients from 0, which is equally likely on either side of
0. (10) applies to rounds that start right of 0, (11) to rounds that start left of it.
"""

from __future__ import annotations

from sympy import Abs, Expr, Integer, Rational, Symbol, expand, oo

from fltheory.papers.sfl.kinked.proofs import ahead, stray, walk
from fltheory.papers.sfl.kinked.proofs.behind import ROUND
from fltheory.papers.sfl.kinked.proofs.stray import m
from fltheory.papers.sfl.kinked.proofs.walk import c, i, j, k, nu
from fltheory.papers.sfl.notation import K, M, R, eta, lam, lam0, zeta
from fltheory.proof import Defines, Given, Relation, by, eq, le, proof, statement_of
from fltheory.proof.algebra.replacing import substitute_term
from fltheory.proof.terms import E, Indicator, RandomNonnegative, RandomScalar, family, free_symbols, substitute
from fltheory.verification import find

HALF = Rational(1, 2)
v, r = Symbol("v", integer=True, nonnegative=True), Symbol("r", integer=True, nonnegative=True)
y, h, t, P, X = (family(RandomScalar, name) for name in "yhtPX")
VISITS, ROUNDS, STEPS, ENDS = (v, 0, oo), (r, 0, oo), walk.STEPS, (k, 0, K)
PULL = Defines("pull", P(v, k), (lam + lam0) / 2 * y(v, k) - (lam0 - lam) / 2 * Abs(y(v, k)), "c(x) x")
STEP = Given("step", eq(y(v, k + 1), y(v, k) - eta * (P(v, k) + zeta * t(v + 1)), VISITS, STEPS),
    "a local step on the client's sign")
HANDED = Given("handed", eq(y(v + 1, 0), y(v, K), VISITS),
    "the next client goes on where this one stops, round after round")
BESIDE = (
    Given("beside", eq(h(v, k + 1), (1 - lam0 * eta) * h(v, k) - eta * zeta * t(v + 1), VISITS, STEPS),
        "the same steps on lam0 x^2/2 +- zeta x"),
    Given("beside handed", eq(h(v + 1, 0), h(v, K), VISITS), "handed on in the same way"),
    Given("at 0", eq(h(0, 0), 0), "from 0: what h is"),
    Given("mirror", eq(E(Indicator(h(v, 0))), E(Indicator(-h(v, 0))), VISITS),
        "h is a sum of the signs with weights: all of them turned over, the orders are as likely"),
)
CURVES = Given("curvatures", le(1010 * lam, lam0), "the curvatures differ enough")
CAP = Given("cap", le(eta, 1 / (101 * lam0 * M * K)), "the step is small against lam0")
START = Given("right", le(0, y(0, 0)), "the start is right of 0")


def on(relation: Relation, *over: object) -> Relation:
    """Return the relation for all integers of the ranges."""
    return Relation(relation.left, relation.op, relation.right, over)


_ABOVE = le(h(v, k), y(v, k))
_AT_FIRST = le(h(v, 0), y(v, 0))
SIDE = (
    proof("sfl/kink-side", "App. D.2", note="the model is nonnegative half of the time")
    .under(CAP, CURVES, PULL, STEP, HANDED, *BESIDE, START)
    .step("small", le(lam0 * eta, Rational(1, 101)), by.linear("cap"))
    .step("shrinks", le(0, 1 - lam0 * eta), by.linear("small"))
    .step("minus", by.fact("abs", -y(v, k)), over=(VISITS, STEPS))
    .step("pulled", le(P(v, k), lam0 * y(v, k), VISITS, STEPS), by.linear("minus", "curvatures"), inserting="pull")
    .step("0", on(_AT_FIRST, VISITS), by.linear(), assuming=_AT_FIRST)
    .step("1", on(le(h(v, k + 1), y(v, k + 1)), VISITS, STEPS), by.linear("step", "beside", "pulled", "shrinks"),
        assuming=_ABOVE)
    .step("client", on(_ABOVE, VISITS, ENDS), by.induction(k, "0", "1"), assuming=_AT_FIRST)
    .step("end", by.instance({k: K}, "client"), assuming=_AT_FIRST)
    .step("first", _AT_FIRST.at({v: Integer(0)}), by.linear("right", "at 0"))
    .step("next", le(h(v + 1, 0), y(v + 1, 0), VISITS), by.linear("end", "handed", "beside handed"), assuming=_AT_FIRST)
    .step("above", on(_AT_FIRST, VISITS), by.induction(v, "first", "next"))
    .step("event", by.monotone("above"))
    .step("chance", by.expectation("event"))
    .step("either", le(1, Indicator(h(v, 0)) + Indicator(-h(v, 0)), VISITS), by.fact("indicator", h(v, 0)))
    .step("in the mean", by.expectation("either"))
    .qed(le(HALF, E(Indicator(y(v, 0))), VISITS), by.linear("chance", "in the mean", "mirror"), name="last")
)
_BOUND = find("sfl/I-sym@printed").bound
_HALF, _IF = statement_of(_BOUND, E(Indicator(y(M * r, 0))))
RUN = (CURVES, PULL, STEP, HANDED, *BESIDE, START)
SYM = (
    proof("sfl/I-sym", of="sfl/I-sym@printed", bound=_BOUND, unused=("c2",)).under(*_IF, *RUN)
    .step("all", by.apply(SIDE), inserting="pull")
    .qed(Relation(_HALF.left, "<=", _HALF.right, ((r, 0, R),)), by.instance({v: M * r}, "all"), name="last")
)

# One round after the other ------------------------------------------------------------------------------------------------------



def visit(place: Expr) -> Expr:
    """Return the number of clients visited up to this place of round r."""
    return substitute(expand(r * m + i), {i: place})


S, sgn, W = (family(RandomScalar, name) for name in ("S", "sgn", "W"))
hit = family(RandomNonnegative, "hit")
AHEAD = Indicator(X(r))
_PLACES = {
    walk.x(i, j): y(visit(i) - 1, j),
    walk.p(i, j): P(visit(i) - 1, j),
    stray.tau(i): t(visit(i)),
    stray.S(stray.n): S(r, stray.n),
    stray.sgn(stray.n): sgn(r, stray.n),
    stray.hit(stray.n, stray.x): hit(r, stray.n, stray.x),
    walk.W(c, k): W(r, c, k),
}
IN_ROUND = {**_PLACES, walk.H: AHEAD, walk.x0: X(r)}
_OWN = ("c1", "c2", "first", "step", "handed", "pull", "known")


def of_rounds(*hypotheses: Given | Defines) -> tuple[Given | Defines, ...]:
    """Return the hypotheses of one round, for every round."""
    pairs, found = list(IN_ROUND.items()), []
    for entry in hypotheses:
        if isinstance(entry, Defines):
            found.append(
                Defines(entry.id, substitute_term(entry.left, pairs), substitute_term(entry.right, pairs), entry.why))
            continue
        left, right = (substitute_term(side, pairs) for side in (entry.relation.left, entry.relation.right))
        over = (ROUNDS, *entry.relation.over) if r in free_symbols(left) | free_symbols(right) else entry.relation.over
        found.append(Given(entry.id, Relation(left, entry.relation.op, right, over), entry.why))
    return tuple(found)


SIGNED = of_rounds(*(e for e in ahead.WHOLE.hypotheses if e.id not in _OWN))
FAIR = Given("mean sign", eq(E(t(visit(i))), 0, ROUNDS, (i, 1, m)), "each sign is 1 or -1 with the same chance")
SERVER = (
    Given("server", eq(y(visit(Integer(0)), 0), X(r), ROUNDS), "a name for the model before a round"),
    Given("server next", eq(y(visit(m), 0), X(r + 1), ROUNDS), "the same of the round after it"),
)
_LOCAL = eq(y(visit(c + 1) - 1, k + 1),
    y(visit(c + 1) - 1, k) - eta * (P(visit(c + 1) - 1, k) + zeta * t(visit(c + 1))), ROUNDS, stray.CLIENTS, STEPS)
_AWAY = 1 - AHEAD
SHRINK, GAIN = Rational(2, 3) * lam0 * m * K * eta, lam0 * m ** Rational(3, 2) * K**2 * eta**2 * zeta
CAP_M = Given("cap", le(eta, 1 / (101 * lam0 * m * K)), "the step is small against lam0")
MODEL = (*RUN, *SERVER, FAIR, *SIGNED)
GROWS = (
    proof("sfl/kink-grows", "App. D.2", note="the mean from round to round").under(CAP_M, *MODEL)
    .step("local", _LOCAL, by.instance({v: visit(c)}, "step"))
    .step("goes on", by.instance({v: visit(c)}, "handed"), over=(ROUNDS, stray.CLIENTS))
    .step("side", le(AHEAD, 1, ROUNDS), by.fact("indicator", X(r)))
    .step("positive part", eq(X(r) * AHEAD, (X(r) + Abs(X(r))) / 2, ROUNDS), by.fact("indicator", X(r)))
    .step("known", eq(Abs(X(r)) * AHEAD, X(r) * AHEAD, ROUNDS), by.fact("indicator", X(r)))
    .step("size", by.fact("abs", X(r)), over=ROUNDS)
    .step("behind", le(_AWAY * X(r), 0, ROUNDS), by.linear("positive part", "size"))
    .step("ahead",
        by.apply(ahead.WHOLE, IN_ROUND, "cap", "curvatures", "server", "local", "goes on", "known",
            *(e.id for e in SIGNED if isinstance(e, Given))), inserting=("noise", "pull", "sums"),
        note="(10), where the round starts right of 0")
    .step("later sign", by.instance({i: c + 1}, "mean sign"), over=(ROUNDS, stray.CLIENTS))
    .step("ahead sign", by.instance({i: c + 1}, "fair sign"), over=(ROUNDS, stray.CLIENTS))
    .step("away sign", eq(E(_AWAY * t(visit(c + 1))), 0, ROUNDS, stray.CLIENTS, STEPS),
        by.linear("later sign", "ahead sign"))
    .step("back",
        by.apply(ROUND, {**_PLACES, M: m, nu: zeta, walk.w(i, j): t(visit(i)), walk.H: _AWAY, walk.x0: X(r)}, "server",
            "local", "goes on", "curvatures", "cap", "behind", "away sign", "side"), inserting="pull",
        note="(11), where it starts left of it")
    .step("chance", by.apply(SIDE, {M: m}), inserting="pull")
    .step("here", by.instance({v: visit(Integer(0))}, "chance"), over=ROUNDS)
    .step("same 1", le(y(visit(Integer(0)), 0), X(r), ROUNDS), by.linear("server"))
    .step("same 2", by.monotone("same 1"))
    .step("same", by.expectation("same 2"))
    .step("after", by.expectation("server next"))
    .qed(le((1 - SHRINK) * E(X(r)) + GAIN / 1200, E(X(r + 1)), ROUNDS),
        by.linear({"ahead": 1, "back": 1, "here": GAIN / 600, "same": GAIN / 600, "after": 1}), name="last")
)
EVEN = Given("even number", eq(M, m), "half of the clients lean to either side")
_INV = find("sfl/I-inv@printed").bound
_GAINS, _GIVEN = statement_of(_INV, E(X(R)) - (1 - Rational(2, 3) * lam0 * M * K * eta) * E(X(R - 1)))
DEFINED = tuple(e.id for e in MODEL if isinstance(e, Defines))
INV = (
    proof("sfl/I-inv", of="sfl/I-inv@printed", bound=_INV, unused=tuple(e.id for e in _GIVEN[1:]))
    .under(*_GIVEN, EVEN, *MODEL)
    .step("cap", CAP_M.relation, by.linear("c1"), inserting="even number")
    .step("grows", by.apply(GROWS), inserting=DEFINED)
    .step("last round", le(0, R - 1), by.linear())
    .step("there", by.instance({r: R - 1}, "grows", "last round"))
    .qed(_GAINS, by.linear("there"), name="last", inserting="even number")
)
THEOREMS = (SIDE, SYM, GROWS, INV)
