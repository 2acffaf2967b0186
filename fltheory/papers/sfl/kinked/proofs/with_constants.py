"""Displays (3) to (8) of Appendix D.2, the steep clients and the power of (11), as their claims state them."""

from __future__ import annotations

from collections.abc import Callable

from sympy import Abs, Expr, Integer, Rational, Symbol, oo

from fltheory.papers.sfl import notation
from fltheory.papers.sfl.kinked.proofs import any_round, kinked, walk
from fltheory.papers.sfl.kinked.proofs.any_round import CLIENTS, READ
from fltheory.papers.sfl.kinked.proofs.kinked import a, b, q
from fltheory.papers.sfl.kinked.proofs.stray import NOISE, tau
from fltheory.papers.sfl.kinked.proofs.walk import PULL, STEPS, W, before, c, i, j, k, nu, p, w, x
from fltheory.papers.sfl.lower.proofs import lower
from fltheory.papers.sfl.lower.proofs.lower import z
from fltheory.papers.sfl.notation import K, M, eta, lam, lam0, zeta
from fltheory.papers.sfl.signs.proofs import sides
from fltheory.papers.sfl.upper.proofs.dropped import PART
from fltheory.proof import Given, Relation, by, eq, le, line, proof, statement_of
from fltheory.proof.terms import E, Indicator, RandomScalar, Total, family, substitute
from fltheory.verification import find

HALF, HERE = Rational(1, 2), {c: b, k: q}
PLACES = (k, 0, K)
start = Symbol("start", real=True)

# (3): the round unrolled ------------------------------------------------------------------------------------------------

_WALK = any_round.given(*(h for h in kinked.WALK if h.id != "first"))
_SIGNS = Total(tau(i), i, 1, c) + k / K * tau(c + 1)  # A_{m,k} for m = c + 1


def here(term: Expr) -> Expr:
    """Return a term at the place of the claim."""
    return substitute(term, HERE)


_OFF = here(x(c + 1, k) - (start - eta * before(p) - K * eta * zeta * _SIGNS))
_THREE, _IN = statement_of(find("sfl/I3@printed").bound, E(Indicator(-(_OFF**2))), {notation.m: b + 1, notation.k: q})
UNROLLED = (
    proof("sfl/I3", of="sfl/I3@printed", bound=find("sfl/I3@printed").bound, reading={notation.m: b + 1, notation.k: q})
    .under(*_IN)
    .given("first", eq(x(1, 0), start), "where the round starts")
    .under(*_WALK, NOISE)
    .step("unrolled", by.apply(walk.UNROLLED, {walk.x0: start, w(i, j): tau(i), nu: zeta}), inserting="noise")
    .step("inside", le(q, K), by.linear("c2"))
    .step("there", by.instance({c: b, k: q}, "unrolled", "c1", "inside"))
    .step("none", eq(-(_OFF**2), 0), by.linear("there"), inserting="noise")
    .step("sign", le(0, -(_OFF**2)), by.linear("none"))
    .step("event", eq(Indicator(-(_OFF**2)), 1), by.fact("indicator", -(_OFF**2), "sign"))
    .qed(_THREE, by.expectation("event"), name="last")
)

# (4): a whole round; the conditions leave m = M + 1 and k = 0 --------------------------------------------------------------------

V, X = Symbol("V", positive=True), Symbol("X", real=True)
_PAST = notation.m - M
_TAKEN = Total(Total(p(i, j), j, 0, K - 1), i, 1, M)
_LEFT_OVER = x(notation.m, notation.k) - (start - eta * _TAKEN)
_FOUR, _END = statement_of(find("sfl/I4@printed").bound, E(Indicator(-(_LEFT_OVER**2))))
_NEXT, _NOT = le(M + 1, notation.m), le(notation.m, M)
WHOLE = (
    proof("sfl/I4", of="sfl/I4@printed", bound=find("sfl/I4@printed").bound).under(*_END)
    .given("first", eq(x(1, 0), start), "where the round starts")
    .under(*_WALK)
    .given("balanced", eq(Total(tau(i), i, 1, M), 0), "as many pluses as minuses")
    .step("after", _NEXT, by.linear(), assuming=_NEXT)
    .step("product", le((1 - _PAST) * _PAST, 0), by.linear(), assuming=_NOT)
    .step("never", by.apply(PART, {X: 1 - _PAST, V: _PAST}, "product", "c1"), assuming=_NOT)
    .step("not", _NEXT, by.linear("never"), assuming=_NOT)
    .step("beyond", by.cases("after", "not"))
    .step("place", by.antisymmetry("c2", "beyond"))
    .step("none yet", le(0, notation.k), by.linear())
    .step("step 0", by.antisymmetry("c3", "none yet"))
    .step("clients", by.apply(walk.ROUND, {walk.x0: start, w(i, j): tau(i), nu: zeta}))
    .step("end", by.instance({c: M}, "clients"))
    .step("round", eq(x(M + 1, 0), start - eta * _TAKEN), by.linear("end", "balanced"))
    .step("none", eq(-(_LEFT_OVER**2), 0), by.linear({"round": -(x(M + 1, 0) - start + eta * _TAKEN)}),
        inserting=("place", "step 0"))
    .step("sign", le(0, -(_LEFT_OVER**2)), by.linear({"none": -1}))
    .step("event", eq(Indicator(-(_LEFT_OVER**2)), 1), by.fact("indicator", -(_LEFT_OVER**2), "sign"))
    .qed(_FOUR, by.expectation("event"), name="last")
)

# (8) as printed -----------------------------------------------------------------------------------------------------------

_EIGHT, _HALF_ROUND = statement_of(find("sfl/I8@printed").bound, E(p(b + 1, q)), READ)
_OWN = tuple(h for h in any_round.I8.hypotheses if h.id not in {e.id for e in _HALF_ROUND})
PRINTED = (
    proof("sfl/I8-printed", of="sfl/I8@printed", bound=find("sfl/I8@printed").bound, reading=READ)
    .under(*_HALF_ROUND, *_OWN)
    .step("sharper", by.apply(any_round.I8), inserting=tuple(h.id for h in _OWN if not isinstance(h, Given)))
    .qed(_EIGHT, by.linear("sharper"), name="last")
)
# (5): the pull is below lam0 x and below lam x ----------------------------------------------------------------------------

_X, _P = x(b + 1, q), p(b + 1, q)
_LESS = Indicator(-W(b, q))  # 1{A <= 0}
_SPLIT = lam0 * E(_X * (1 - _LESS)) + lam * E(_X * _LESS) - E(_P) + lam0 * a
_FIVE, _PLACED = statement_of(find("sfl/I5@printed").bound, _SPLIT, READ)
CURVES = Given("curvatures", le(lam, lam0), "left of 0 the clients are the steeper ones")
BELOW = (
    line("plus", le(_X, Abs(_X)), by.fact("abs", _X)),
    line("minus", le(-_X, Abs(_X)), by.fact("abs", -_X)),
    line("right", le(_P, lam * _X), by.linear("plus", "curvatures"), inserting="pull"),
    line("left", le(_P, lam0 * _X), by.linear("minus", "curvatures"), inserting="pull"),
    line("at most", le(_LESS, 1), by.fact("indicator", -W(b, q))),
    line("split", le(_P, lam0 * _X * (1 - _LESS) + lam * _X * _LESS), by.linear("left", "right", "at most")),
)
FIVE = (
    proof("sfl/I5", of="sfl/I5@printed", bound=find("sfl/I5@printed").bound, reading=READ, unused=("c1", "c2", "c3"))
    .under(*_PLACED, PULL, CURVES)
    .steps(*BELOW)
    .step("mean", by.expectation("split"))
    .qed(_FIVE, by.linear("mean"), name="last")
)

# (6): a positive sum of signs -----------------------------------------------------------------------------------------

_UP = 1 - _LESS
_STRAYS = before(lambda m, r: E(Abs(x(m, r) - a)))
_TERM = lam0 * E(_X * _UP) - here(lam0**2 * eta * _STRAYS) + lam0 * eta * zeta * E(Abs(W(b, q))) / 2
_SIX, _THERE = statement_of(find("sfl/I6@printed").bound, _TERM, READ)
_FAR = Abs(x(i, j) - a)
EVER, EARLIER, OWN = walk.EVER, ((i, 1, b), (j, 0, K - 1)), (j, 0, q - 1)


def so_far(body: Callable[[Expr, Expr], Expr]) -> Expr:
    """Return the sum over all steps before the claim's place."""
    return Total(Total(body(i, j), j, 0, K - 1), i, 1, b) + Total(body(b + 1, j), j, 0, q - 1)


_PULLED, _MOVED = so_far(lambda m, r: -p(m, r)), so_far(lambda m, r: lam0 * Abs(x(m, r) - a))
HELD = (
    line("over", le(x(i, j) - a, _FAR, *EVER), by.fact("abs", x(i, j) - a)),
    line("under", le(a - x(i, j), _FAR, *EVER), by.fact("abs", a - x(i, j))),
    line("up", le(x(i, j), a + _FAR, *EVER), by.linear("over")),
    line("down", le(-x(i, j), a + _FAR, *EVER), by.linear("under")),
    line("near", le(Abs(x(i, j)), a + _FAR, *EVER), by.absolute("up", "down")),
    line("held", le(-p(i, j), lam0 * _FAR, *EVER), by.linear("under", "near", "c1"), inserting="pull",
        note="-c(x) x <= lam0 |x - x0|"),
    line("each", le(-p(i, j), lam0 * _FAR, *EARLIER), by.linear("held")),
    line("clients", le(Total(Total(-p(i, j), j, 0, K - 1), i, 1, b), Total(Total(lam0 * _FAR, j, 0, K - 1), i, 1, b)),
        by.sum_over((j, i), "each")),
    line("this one", le(-p(b + 1, j), lam0 * Abs(x(b + 1, j) - a), (j, 0, oo)), by.instance({i: b + 1}, "held")),
    line("its steps", le(-p(b + 1, j), lam0 * Abs(x(b + 1, j) - a), OWN), by.linear("this one")),
    line("steps", le(Total(-p(b + 1, j), j, 0, q - 1), Total(lam0 * Abs(x(b + 1, j) - a), j, 0, q - 1)),
        by.sum_over(j, "its steps")),
    line("held so far", le(_PULLED, _MOVED), by.linear("clients", "steps")),
    line("far", le(0, lam0 * _FAR, *EARLIER), by.linear()),
    line("far clients", le(0, Total(Total(lam0 * _FAR, j, 0, K - 1), i, 1, b)), by.sum_over((j, i), "far")),
    line("far here", le(0, lam0 * Abs(x(b + 1, j) - a), OWN), by.linear()),
    line("far steps", le(0, Total(lam0 * Abs(x(b + 1, j) - a), j, 0, q - 1)), by.sum_over(j, "far here")),
    line("moved", le(0, _MOVED), by.linear("far clients", "far steps")),
)
_FAIR = Given("fair sign", eq(E(tau(i)), 0, (i, 1, M)), "each sign is 1 or -1 with the same chance")
SIX = (
    proof("sfl/I6", of="sfl/I6@printed", bound=find("sfl/I6@printed").bound, reading=READ, unused=("c2",))
    .under(*_THERE, *any_round.given(*kinked.WALK, kinked.SYMMETRIC), NOISE, PULL, _FAIR)
    .step("unrolled", by.apply(walk.UNROLLED, {walk.x0: a, w(i, j): tau(i), nu: zeta}), inserting="noise")
    .step("inside", le(q, K), by.linear("c4"))
    .step("there", eq(_X, a + eta * _PULLED - eta * zeta * W(b, q)),
        by.instance({c: b, k: q}, "unrolled", "c3", "inside"))
    .steps(*HELD)
    .step("at most", le(_LESS, 1), by.fact("indicator", -W(b, q)))
    .step("negative part", eq(-W(b, q) * _LESS, (-W(b, q) + Abs(W(b, q))) / 2), by.fact("indicator", -W(b, q)))
    .step("upwards", le(_X * _UP, a * _UP + eta * _MOVED - eta * zeta * (W(b, q) + Abs(W(b, q))) / 2),
        by.linear({"there": _UP, "held so far": eta * _UP, "moved": eta * _LESS, "negative part": -eta * zeta},
            "at most"))
    .step("mean", by.expectation("upwards"))
    .step("either", le(1, Indicator(W(b, q)) + _LESS), by.fact("indicator", W(b, q)))
    .step("either mean", by.expectation("either"))
    .step("alike", by.instance({c: b, k: q}, "symmetric", "c3", "c4"))
    .step("earlier signs", eq(E(tau(i)), 0, (i, 1, b)), by.linear("fair sign", "c3"))
    .step("their sum", by.sum_over(i, "earlier signs"))
    .step("its sign", by.instance({i: b + 1}, "fair sign", "c3"))
    .step("no drift", eq(E(W(b, q)), 0), by.linear("their sum", "its sign"), inserting="noise")
    .qed(_SIX, by.linear("mean", "either mean", "alike", "no drift"), name="last")
)

# (7): the other case --------------------------------------------------------------------------------------------------

_AT = {notation.m: b + 1, notation.k: q}
_DISTANCE = Abs(_X - a)
_RIGHT = sides.above(b + 1, q)  # 1{A > 0}
_SEVEN, _AFTER = statement_of(find("sfl/I7@printed").bound, lam * (E(_X * (1 - _RIGHT)) - E(_DISTANCE)), READ)
_SIGNED = tuple(Given(e.id, e.relation.at(_AT), e.why) for e in sides.LEAST.hypotheses if e.id not in ("c1", "inside", "not first"))
SEVEN = (
    proof("sfl/I7", of="sfl/I7@printed", bound=find("sfl/I7@printed").bound, reading=READ, unused=("c1", "c2"))
    .under(*_AFTER, *_SIGNED)
    .step("sixth", by.apply(sides.LEAST, _AT, "c3", "c4", "c5", *(e.id for e in _SIGNED)), note="Lemma 13")
    .step("near", by.fact("abs", _X - a))
    .step("far", by.fact("abs", -(_X - a)))
    .step("sign", le(0, _DISTANCE), by.linear({"near": HALF, "far": HALF}))
    .step("at most", le(_RIGHT, 1), by.linear("one of three"))
    .step("each", le(_X * (1 - _RIGHT), a * (1 - _RIGHT) + _DISTANCE), by.linear("near", "sign", "at most"))
    .step("mean", by.expectation("each"))
    .qed(_SEVEN, by.linear("mean", "sixth"), name="last")
)

# (11): the steep clients ------------------------------------------------------------------------------------------------------

steep = family(RandomScalar, "h")
_BEHIND, _IF = statement_of(find("sfl/I11b@printed").bound, E(steep(M, 0)) / notation.x0)
_GONE = 1 - lam0 * eta
ROUND = (
    Given("first", eq(steep(0, 0), notation.x0), "where the round starts"),
    Given("step", eq(steep(c, k + 1), steep(c, k) - eta * (lam0 * steep(c, k) + zeta * tau(c + 1)), CLIENTS, STEPS),
        "a local step on lam0 x^2/2 +- zeta x"),
    Given("handed", eq(steep(c + 1, 0), steep(c, K), CLIENTS), "the next client goes on where this one stops"),
    Given("fair", eq(E(tau(c + 1)), 0, CLIENTS), "each sign is 1 or -1 with the same chance"),
)


def on(relation: Relation, *over: object) -> Relation:
    """Return the relation for all integers of the ranges."""
    return Relation(relation.left, relation.op, relation.right, over)


_ROW = eq(E(steep(c, k)), _GONE**k * E(steep(c, 0)))
_ROWS = eq(E(steep(c, 0)), _GONE ** (K * c) * notation.x0)
STEEP = (
    proof("sfl/I11b", of="sfl/I11b@printed", bound=find("sfl/I11b@printed").bound).under(*_IF, *ROUND)
    .step("mean", by.expectation("step"))
    .step("0", on(_ROW.at({k: Integer(0)}), CLIENTS), by.linear())
    .step("1", on(_ROW.at({k: k + 1}), CLIENTS, STEPS), by.linear("mean", "fair"), assuming=_ROW)
    .step("2", on(_ROW, CLIENTS, PLACES), by.induction(k, "0", "1"))
    .step("3", by.instance({k: K}, "2"))
    .step("start", by.expectation("first"))
    .step("4", _ROWS.at({c: Integer(0)}), by.linear("start"))
    .step("over", by.expectation("handed"))
    .step("5", on(_ROWS.at({c: c + 1}), CLIENTS), by.linear("over", "3"), assuming=_ROWS)
    .step("6", on(_ROWS, (c, 0, M)), by.induction(c, "4", "5"))
    .step("end", by.instance({c: M}, "6"))
    .qed(_BEHIND, by.linear({"end": 1 / notation.x0}, "c1"), name="last")
)
_POWER, _UNIT = statement_of(find("sfl/I11c@printed").bound, (1 - notation.t) ** notation.n)
CURVE = (
    proof("sfl/I11c-power", of="sfl/I11c@printed", bound=find("sfl/I11c@printed").bound).under(*_UNIT)
    .step("all", by.apply(lower.I11C, {z: notation.t}))
    .qed(_POWER, by.instance({lower.n: notation.n}, "all"), name="last")
)

THEOREMS = (UNROLLED, WHOLE, PRINTED, FIVE, SIX, SEVEN, STEEP, CURVE)
