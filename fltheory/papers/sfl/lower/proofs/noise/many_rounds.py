"""Regime s2 over many rounds: the model is above that of steep clients, hence >= 0 half of the time; its mean grows.

w(n) is the model after n steps, sign(n + 1) the sign of the next step. It is above h, the model of the steep clients
from 0, equally likely on either side of 0. J applies to rounds that start right of 0, its companion to the others.
"""

from __future__ import annotations

from sympy import Abs, Integer, Rational, Symbol, oo

from fltheory.papers.sfl.kinked.proofs import many_rounds, walk
from fltheory.papers.sfl.kinked.proofs.walk import c, k
from fltheory.papers.sfl.lower.proofs.noise import one_round
from fltheory.papers.sfl.lower.proofs.noise.one_round import GAIN, SHRINK, N
from fltheory.papers.sfl.notation import R, eta, lam, lam0, n, sigma
from fltheory.papers.sfl.signs.proofs import signs
from fltheory.proof import Defines, Given, Relation, by, eq, le, proof, statement_of
from fltheory.proof.algebra.replacing import substitute_term
from fltheory.proof.terms import E, Indicator, RandomNonnegative, RandomScalar, family, free_symbols
from fltheory.verification import find

HALF, Z = Rational(1, 2), Integer(0)
r = Symbol("r", integer=True, nonnegative=True)
w, h, sign, Q, X, S, sgn, V = (family(RandomScalar, name) for name in ("w", "h", "sign", "Q", "X", "S", "sgn", "V"))
hit = family(RandomNonnegative, "hit")
EVER, ROUNDS = (n, 0, oo), (r, 0, oo)
AHEAD, _AWAY = Indicator(X(r)), 1 - Indicator(X(r))
PULL = Defines("pull", Q(n), (lam + lam0) / 2 * w(n) - (lam0 - lam) / 2 * Abs(w(n)), "c(x) x")
STEP = Given("step", eq(w(n + 1), w(n) - eta * (Q(n) + sigma * sign(n + 1)), EVER),
    "a local step with noise sigma sign")
BESIDE = (
    Given("beside", eq(h(n + 1), (1 - lam0 * eta) * h(n) - eta * sigma * sign(n + 1), EVER),
        "the same steps on lam0 x^2/2 with the same noise"),
    Given("at 0", eq(h(0), 0), "from 0: what h is"),
    Given("mirror", eq(E(Indicator(h(n))), E(Indicator(-h(n))), EVER),
        "h is a sum of the signs with weights: all of them turned over are as likely"),
)
CURVES = many_rounds.CURVES
CAP = Given("cap", le(eta, 1 / (101 * lam0 * N)), "the step is small against lam0")
START = Given("right", le(0, w(0)), "the start is right of 0")
RUN = (CURVES, PULL, STEP, *BESIDE, START)

# The two sides ------------------------------------------------------------------------------------------------------

_ABOVE = le(h(n), w(n))
SIDE = (
    proof("sfl/noise-side", "App. C.2", note="the model is nonnegative half of the time").under(CAP, *RUN)
    .step("most", le(lam0 * eta * N, Rational(1, 101)), by.linear("cap"))
    .step("one of", le(lam0 * eta, lam0 * eta * N), by.linear())
    .step("shrinks", le(0, 1 - lam0 * eta), by.linear("one of", "most"))
    .step("minus", by.fact("abs", -w(n)), over=EVER)
    .step("pulled", le(Q(n), lam0 * w(n), EVER), by.linear("minus", "curvatures"), inserting="pull")
    .step("first", _ABOVE.at({n: Z}), by.linear("right", "at 0"))
    .step("next", le(h(n + 1), w(n + 1), EVER), by.linear("step", "beside", "pulled", "shrinks"), assuming=_ABOVE)
    .step("above", le(h(n), w(n), EVER), by.induction(n, "first", "next"))
    .step("event", by.monotone("above"))
    .step("chance", by.expectation("event"))
    .step("either", le(1, Indicator(h(n)) + Indicator(-h(n)), EVER), by.fact("indicator", h(n)))
    .step("in the mean", by.expectation("either"))
    .qed(le(HALF, E(Indicator(w(n))), EVER), by.linear("chance", "in the mean", "mirror"), name="last")
)
_SYM = find("sfl/J-sym@printed").bound
_STATED, _IF = statement_of(_SYM, E(Indicator(w(N * r))))
SYM = (
    proof("sfl/J-sym", "App. C.2", of="sfl/J-sym@printed", bound=_SYM, unused=("c2",)).under(*_IF, *RUN)
    .step("all", by.apply(SIDE), inserting="pull")
    .qed(Relation(_STATED.left, "<=", _STATED.right, ((r, 0, R),)), by.instance({n: N * r}, "all"), name="last")
)

# One round after the other --------------------------------------------------------------------------------------------

IN_ROUND = {
    one_round.y(n): w(N * r + n),
    one_round.P(n): Q(N * r + n),
    signs.tau(n): sign(N * r + n),
    one_round.S(n): S(r, n),
    signs.sgn(n): sgn(r, n),
    signs.hit(n, signs.x): hit(r, n, signs.x),
    one_round.V(c, k): V(r, c, k),
    walk.H: AHEAD,
    walk.x0: X(r),
}


def of_rounds(*hypotheses: Given | Defines) -> tuple[Given | Defines, ...]:
    """Return the hypotheses of one round, for every round."""
    pairs, found = list(IN_ROUND.items()), list[Given | Defines]()
    for e in hypotheses:
        if isinstance(e, Defines):
            found.append(Defines(e.id, substitute_term(e.left, pairs), substitute_term(e.right, pairs), e.why))
            continue
        left, right = substitute_term(e.relation.left, pairs), substitute_term(e.relation.right, pairs)
        over = (ROUNDS, *e.relation.over) if r in free_symbols(left) | free_symbols(right) else e.relation.over
        found.append(Given(e.id, Relation(left, e.relation.op, right, over), e.why))
    return tuple(found)


SIGNED = of_rounds(one_round.SUMS, one_round.NOISE, one_round.SHORT, one_round.APART, one_round.EVEN, one_round.FAIR,
    *one_round.LAW)
FAIR = Given("mean sign", eq(E(sign(n + 1)), 0, EVER), "each sign is 1 or -1 with the same chance")
SERVER = (
    Given("server", eq(w(N * r), X(r), ROUNDS), "a name for the model before a round"),
    Given("server next", eq(w(N * r + N), X(r + 1), ROUNDS), "the same of the round after it"),
)
MODEL = (*RUN, *SERVER, FAIR, *SIGNED)
GIVEN = tuple(e for e in MODEL if isinstance(e, Given))
IDS = tuple(e.id for e in GIVEN)
DEFINED = tuple(e.id for e in MODEL if isinstance(e, Defines))
FOUR = one_round.FOUR
_LATER = N * r + n
GROWS = (
    proof("sfl/noise-grows", "App. C.2", note="the mean from round to round").under(CAP, FOUR, *MODEL)
    .step("local", by.instance({n: _LATER}, "step"), over=(ROUNDS, EVER))
    .step("side", le(AHEAD, 1, ROUNDS), by.fact("indicator", X(r)))
    .step("positive part", eq(X(r) * AHEAD, (X(r) + Abs(X(r))) / 2, ROUNDS), by.fact("indicator", X(r)))
    .step("known", eq(Abs(X(r)) * AHEAD, X(r) * AHEAD, ROUNDS), by.fact("indicator", X(r)))
    .step("size", by.fact("abs", X(r)), over=ROUNDS)
    .step("behind", le(_AWAY * X(r), 0, ROUNDS), by.linear("positive part", "size"))
    .step("ahead",
        by.apply(one_round.J, IN_ROUND, "cap", "curvatures", "four", "server", "local", "known",
            *(e.id for e in SIGNED if isinstance(e, Given))), inserting=("noise", "pull", "sums"),
        note="J, where the round starts right of 0")
    .step("later sign", by.instance({n: _LATER}, "mean sign"), over=(ROUNDS, EVER))
    .step("away sign", eq(E(_AWAY * sign(_LATER + 1)), 0, ROUNDS, EVER), by.linear("later sign", "fair"))
    .step("back",
        by.apply(one_round.BEHIND_0, {**IN_ROUND, walk.H: _AWAY}, "server", "local", "curvatures", "cap", "behind",
            "away sign", "side"), inserting="pull", note="where it starts left of it")
    .step("chance", by.apply(SIDE), inserting="pull")
    .step("here", by.instance({n: N * r}, "chance"), over=ROUNDS)
    .step("same 1", le(w(N * r), X(r), ROUNDS), by.linear("server"))
    .step("same 2", by.monotone("same 1"))
    .step("same", by.expectation("same 2"))
    .step("after", by.expectation("server next"))
    .qed(le((1 - SHRINK) * E(X(r)) + GAIN / 120, E(X(r + 1)), ROUNDS),
        by.linear({"ahead": 1, "back": 1, "here": GAIN / 60, "same": GAIN / 60, "after": 1}), name="last")
)
_INV = find("sfl/J-inv@corrected").bound
_GAINS, _GIVEN = statement_of(_INV, E(X(R)) - (1 - SHRINK) * E(X(R - 1)))
INV = (
    proof("sfl/J-inv", "App. C.2", of="sfl/J-inv@corrected", bound=_INV, unused=("c2",)).under(*_GIVEN, *MODEL)
    .step("grows", by.apply(GROWS), inserting=DEFINED)
    .step("last round", le(0, R - 1), by.linear())
    .qed(_GAINS, by.instance({r: R - 1}, "grows", "last round"), name="last")
)
THEOREMS = (SIDE, SYM, GROWS, INV)
