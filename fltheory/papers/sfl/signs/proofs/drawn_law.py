"""Table 7: the distribution of A_{m,k}, for every even number of clients, in terms of binomial coefficients.

Of n drawn signs u are +1 with probability C(M/2, u) C(M/2, n - u) / C(M, n), by induction over n along the walk.
Each coefficient enters by its ratio to the one before. The next sign is +1 with probability (M - n - S)/(2 (M - n)).
"""

from __future__ import annotations

from collections.abc import Callable

from sympy import Expr, Integer, Min, Symbol, oo

from fltheory.papers.sfl.notation import M, k, m, n
from fltheory.papers.sfl.signs.proofs import permuted
from fltheory.papers.sfl.signs.proofs.permuted import (EVEN, HALF, HIT_ZERO, LEFT, REST, ROUND, WITHIN, h, hit, mass,
    tau, x)
from fltheory.proof import Given, Relation, Step, by, eq, le, line, lt, proof, statement_of
from fltheory.proof.terms import E, RandomNonnegative, Scalar, Total, family
from fltheory.verification import find

u, d = Symbol("u", integer=True), Symbol("d", integer=True, nonnegative=True)
choose = family(Scalar, "choose")
up, down = family(RandomNonnegative, "up"), family(RandomNonnegative, "down")
N = Symbol("N", integer=True, nonnegative=True)
ANY, SIZES = (u, -oo, oo), (N, 0, oo)
ABSORB = Given("choose", eq((u + 1) * choose(N, u + 1), (N - u) * choose(N, u), SIZES, ANY),
    "choose(N, u) is the binomial coefficient: what each is to the one before it")
ONE = Given("choose none", eq(choose(N, 0), 1, SIZES), "there is one way to choose none")

# Outside of 0..N the probability is 0 ---------------------------------------------------------------------------------

LESS = (
    proof("sfl/L13-none", "Table 7", note="there is no way to choose less than none").under(ABSORB)
    .step("first", by.instance({u: -1}, "choose"))
    .step("base", Relation(choose(N, -1), "==", Integer(0), (SIZES,)), by.linear("first"))
    .step("next", by.instance({u: -2 - d}, "choose"), over=(SIZES, (d, 0, oo)))
    .step("step", eq(choose(N, -2 - d), 0, SIZES, (d, 0, oo)), by.linear("next"), assuming=eq(choose(N, -1 - d), 0))
    .qed(eq(choose(N, -1 - d), 0, SIZES, (d, 0, oo)), by.induction(d, "base", "step"), name="none")
)

# Before the first draw ------------------------------------------------------------------------------------------------

_START = eq(mass(0, 2 * u), choose(h, u) * choose(h, -u))
_LESS, _NO, _MORE = (le(u, -1),), (le(0, u), le(u, 0)), (le(1, u),)
NOTHING = (
    proof("sfl/L13-nothing", "Table 7", note="no signs have no pluses").under(permuted.HIT_START, HIT_ZERO, ABSORB, ONE)
    .step("none", by.apply(LESS))
    .step("nowhere", by.instance({x: 2 * u}, "hit start"))
    .step("below", by.instance({N: h, d: -1 - u}, "none"), assuming=_LESS)
    .step("less", _START, by.linear({"nowhere": 1 / (2 * u), "below": -choose(h, -u)}), assuming=_LESS)
    .step("0", eq(u, 0), by.antisymmetry(), assuming=_NO)
    .step("tie", by.expectation("hit zero"))
    .step("way", by.instance({N: h}, "choose none"))
    .step("equal", _START, by.linear({"tie": 1, "way": -(choose(h, 0) + 1)}), inserting="0", assuming=_NO)
    .step("above", by.instance({N: h, d: u - 1}, "none"), assuming=_MORE)
    .step("more", _START, by.linear("nowhere", "above"), assuming=_MORE)
    .qed(_START, by.cases("less", "equal", "more"))
)

# The distribution -----------------------------------------------------------------------------------------------------

_WAYS = eq(choose(M, n) * mass(n, 2 * u - n), choose(h, u) * choose(h, n - u), WITHIN, ANY)
_AT = permuted._plain(_WAYS, ANY)
_AFTER = permuted._plain(_WAYS).at({n: n + 1})
_LAW = (permuted.HIT_START, HIT_ZERO, *permuted._LAW, ABSORB, ONE, EVEN)
_LAW_IDS = tuple(e.id for e in _LAW)
WAYS = (
    proof("sfl/L13-ways", "Table 7", note="the hypergeometric law").under(*_LAW)
    .step("next", by.apply(permuted.NEXT))
    .step("nothing", by.apply(NOTHING))
    .step("way", by.instance({N: M}, "choose none"))
    .step("base", permuted._plain(_WAYS, ANY).at({n: Integer(0)}), by.linear("nothing", "way"))
    .step("there", permuted._plain(permuted._NEXT, ROUND, ANY).at({x: 2 * u - n - 1}),
        by.instance({x: 2 * u - n - 1}, "next"))
    .step("fewer", permuted._plain(permuted._plain(_WAYS).at({u: u - 1}), ROUND, ANY), by.instance({u: u - 1}),
        assuming=_AT)
    .step("as many", permuted._plain(_WAYS, ROUND, ANY), by.instance({u: u}), assuming=_AT)
    .step("of all", by.instance({N: M, u: n}, "choose"), over=ROUND)
    .step("of pluses", by.instance({N: h, u: u - 1}, "choose"), over=(ROUND, ANY))
    .step("of minuses", by.instance({N: h, u: n - u}, "choose"), over=(ROUND, ANY))
    .step(
        "times",
        eq((n + 1) * _AFTER.left, (n + 1) * _AFTER.right, ROUND, ANY),
        by.linear(
            {
                "of all": mass(n + 1, 2 * u - n - 1),
                "there": LEFT * choose(M, n),
                "fewer": h - u + 1,
                "as many": h - n + u,
                "of pluses": -choose(h, n + 1 - u),
                "of minuses": -choose(h, u),
                "even": choose(M, n) * (mass(n, 2 * u - n - 2) + mass(n, 2 * u - n)) / 2,
            }
        ),
        assuming=_AT,
    )
    .step("step", permuted._plain(_AFTER, ROUND, ANY), by.linear("times"), assuming=_AT)
    .qed(_WAYS, by.induction(n, "base", "step"), name="ways")
)
_SOME = lt(0, choose(M, n))
SOME = (
    proof("sfl/L13-some", "Table 7", note="there is a way to choose up to M of M").under(ABSORB, ONE)
    .step("way", by.instance({N: M}, "choose none"))
    .step("base", lt(0, choose(M, 0)), by.linear("way"))
    .step("of all", by.instance({N: M, u: n}, "choose"), over=ROUND)
    .step("left", le(0, (LEFT - 1) * choose(M, n), ROUND), by.linear(), assuming=_SOME)
    .step("step", lt(0, choose(M, n + 1), ROUND),
        by.linear({"of all": -1 / (n + 1), "left": 1 / (n + 1), "assumed 1": 1 / (n + 1)}), assuming=_SOME)
    .qed(lt(0, choose(M, n), WITHIN), by.induction(n, "base", "step"), name="some")
)

# Table 7 --------------------------------------------------------------------------------------------------------------------

j = Symbol("j", integer=True, nonnegative=True)
p, q = family(Scalar, "p")(), family(Scalar, "q")()
COMMON = (
    proof("sfl/L13-common", "Table 7", note="what two equal masses have in common")
    .given("equal", eq(p, q), "both tables have the same mass there")
    .qed(eq(Min(p, q), p), by.fact("min", Min(p, q), "equal"))
)
_BOUND = find("sfl/L13-law@printed").bound
_AGAIN = (u, 0, m - 1)
_SUM = 2 * u - m + 1
_HERE = mass(m - 1, _SUM)
_ROW = choose(h, u) * choose(h, m - 1 - u) / choose(M, m - 1)
_ONLY = "the sums differ by even numbers, 2 a is none"
SOMEWHERE = Given("somewhere", eq(Total(hit(m - 1, _SUM), *_AGAIN), 1), "S(m-1) is one of 1-m, 3-m, ..., m-1")


def table(sign: int) -> Expr:
    """State Table 7 for the sum with u pluses and this sign after it, p = |2 u - m + 1|."""
    return _ROW * (REST - sign * _SUM) / (2 * REST)


_SHARED = (
    line("place", le(1, m), by.polynomial()),
    line("left", le(1, REST), by.linear("inside")),
    line("ways", WAYS.statement, by.apply(WAYS, *_LAW_IDS)),
    line("some", SOME.statement, by.apply(SOME, "choose", "choose none")),
    line("ways here", eq(choose(M, m - 1) * _HERE, choose(h, u) * choose(h, m - 1 - u), _AGAIN),
        by.instance({n: m - 1, u: u}, "ways", "place", "inside")),
    line("some here", lt(0, choose(M, m - 1)), by.instance({n: m - 1}, "some", "place", "inside")),
    line("chance", eq(_HERE, _ROW, _AGAIN), by.linear({"ways here": 1 / choose(M, m - 1)}, "some here")),
    line("everywhere", eq(E(Total(hit(m - 1, _SUM), *_AGAIN)), 1), by.expectation("somewhere")),
)


def _either(name: str, value: Callable[..., Expr], sign: int) -> tuple[Step, ...]:
    """Return the mass of the sums with one sign after them."""
    mean, row = E(value(u)), table(sign)
    return (
        line(f"{name} whole", eq(mean, E(hit(m - 1, _SUM) * (1 + sign * tau(m)) / 2), _AGAIN), by.expectation(name)),
        line(f"{name} mass", eq(mean, _HERE * (REST - sign * _SUM) / (2 * REST), _AGAIN),
            by.linear({f"{name} whole": 1, "next": HALF * sign})),
        line(f"{name} row", eq(mean, row, _AGAIN),
            by.linear({f"{name} mass": 1, "chance": (REST - sign * _SUM) / (2 * REST)}, "left", "some here")),
        line(f"{name} common", eq(Min(mean, row), mean, _AGAIN),
            by.apply(COMMON, {p: mean, q: row}, f"{name} row", "some here", "left")),
        line(f"{name} sum", eq(Total(Min(mean, row), *_AGAIN), Total(mean, *_AGAIN)), by.sum_over(u, f"{name} common")),
    )


_BOTH = Total(Min(E(up(u)), table(1)) + Min(E(down(u)), table(-1)), *_AGAIN)
_LATER, _IF_LATER = statement_of(_BOUND, _BOTH, {k: j + 1})
LATER = (
    proof("sfl/L13-law", of="sfl/L13-law@printed", bound=_BOUND, reading={k: j + 1}, unused=("c1",))
    .under(*_IF_LATER, *_LAW, permuted.INSIDE, SOMEWHERE)
    .given("up", eq(up(u), hit(m - 1, _SUM) * (1 + tau(m)) / 2, _AGAIN), f"1 if A is 2u-m+1 + a: {_ONLY}")
    .given("down", eq(down(u), hit(m - 1, _SUM) * (1 - tau(m)) / 2, _AGAIN), f"1 if A is 2u-m+1 - a: {_ONLY}")
    .steps(*_SHARED)
    .step("next", eq(E(tau(m) * hit(m - 1, _SUM)), -_SUM / REST * _HERE, _AGAIN),
        by.instance({n: m - 1, x: _SUM}, "next hit", "place", "inside"))
    .steps(*_either("up", up, 1), *_either("down", down, -1))
    .step("each", eq(E(up(u)) + E(down(u)), _HERE, _AGAIN), by.linear("up mass", "down mass", "left"))
    .step("all", by.sum_over(u, "each"))
    .qed(_LATER, by.linear("up sum", "down sum", "all", "everywhere", "some here", "left"), name="common")
)
_WHOLE = table(1) + table(-1)
_FIRST, _IF_FIRST = statement_of(_BOUND, Total(Min(_HERE, _WHOLE), *_AGAIN), {k: Integer(0)})
FIRST = (
    proof("sfl/L13-law-first", of="sfl/L13-law@printed", bound=_BOUND, reading={k: Integer(0)}, unused=("c1",),
        note="before a client's first step A is S(m-1), and the rows of both signs are one")
    .under(*_IF_FIRST, *_LAW, permuted.INSIDE, SOMEWHERE)
    .steps(*_SHARED)
    .step("row", eq(_HERE, _WHOLE, _AGAIN), by.linear({"chance": 1}, "left", "some here"))
    .step("common", by.apply(COMMON, {p: _HERE, q: _WHOLE}, "row", "some here", "left"))
    .step("sum", by.sum_over(u, "common"))
    .qed(_FIRST, by.linear("sum", "everywhere", "some here", "left"), name="mass")
)
THEOREMS = (LESS, NOTHING, WAYS, SOME, COMMON, LATER, FIRST)
