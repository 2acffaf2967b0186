"""A round on kinked clients with noise: Lemma 10, J and its two companions, for any number of steps.

The walk for any signs applies with clients of one step each: x_n is y(n), tau(n + 1) the sign of the next step, S(n)
the sum of the first n signs, whose size Lemma 8 bounds. A round has N = MK steps. H is a weight known before it.
"""

from __future__ import annotations

from sympy import Abs, Integer, Rational, oo, sqrt

from fltheory.papers.sfl.kinked.proofs import ahead, pull, walk
from fltheory.papers.sfl.kinked.proofs.walk import AHEAD, CAP, KNOWN, START, STEEP, H, c, i, j, k, on, s, x0
from fltheory.papers.sfl.notation import K, M, eta, lam, lam0, n, sigma
from fltheory.papers.sfl.signs.proofs import signs
from fltheory.papers.sfl.signs.proofs.signs import tau
from fltheory.proof import Defines, Given, by, eq, le, line, proof
from fltheory.proof.terms import E, Indicator, RandomScalar, Total, family

N = M * K
y, P, S, V = (family(RandomScalar, name) for name in ("y", "P", "S", "V"))
theta = pull.theta
EVER, STEPS, PLACES = (n, 0, oo), (n, 0, N - 1), ((c, 0, N - 1), (k, 0, 0))
ANY = ((c, 0, oo), (k, 0, oo))

FIRST = Given("first", eq(y(0), x0), "the round starts at x0")
STEP = Given("step", eq(y(n + 1), y(n) - eta * (P(n) + sigma * tau(n + 1)), EVER), "a local step with noise sigma tau")
PULL = Defines("pull", P(n), (lam + lam0) / 2 * y(n) - (lam0 - lam) / 2 * Abs(y(n)), "c(x) x")
SUMS = Defines("sums", S(n), Total(tau(i), i, 1, n), "the sum of the first n signs")
NOISE = Defines("noise", V(c, k), Total(Total(tau(i + j), j, 0, 0), i, 1, c) + Total(tau(c + 1 + j), j, 0, k - 1),
    "S(c + k), written as the walk writes it")
UNIT, FAIR_SIGN, FAIR_HIT = signs.UNIT, signs.FAIR_SIGN, signs.FAIR_HIT
_LETTERS = {signs.size(n): Abs(S(n)), signs.size(n + 1): Abs(S(n + 1)), signs.size(0): Abs(S(0))}
LAW = (
    UNIT,
    Given("fair sum", signs.FAIR_SUM.relation, signs.FAIR_SUM.why),
    FAIR_SIGN,
    Given("size next", signs.SIZE_NEXT.relation.at(_LETTERS), signs.SIZE_NEXT.why),
    signs.HIT_START,
    signs.HIT_ZERO,
    signs.HIT_NEXT,
    FAIR_HIT,
)
APART = Given("apart", eq(E(H * Abs(S(n))), START * E(Abs(S(n))), EVER), "the signs are independent of the past")
EVEN = Given("even", eq(E(H * x0 * Indicator(S(n))), E(H * x0 * Indicator(-S(n))), EVER),
    "all signs turned over are as likely, given the past")
FAIR = Given("fair", eq(E(H * tau(n + 1)), 0, EVER), "each sign is 1 or -1 with the same chance, given the past")
STRAY = Given("stray", le(theta * sqrt(n), E(Abs(S(n))), STEPS), "how far the signs stray at least: Lemma 8")
SHORT = Given("s", eq(s(c, k), sqrt(c + k), *ANY), "s(c, k) is short for sqrt(c + k)")
WALK = (FIRST, STEP, SUMS, PULL, NOISE, SHORT)
WORDS = {
    M: N,
    K: Integer(1),
    walk.nu: sigma,
    walk.x(i, j): y(i + j - 1),
    walk.p(i, j): P(i + j - 1),
    walk.w(i, j): tau(i + j),
    walk.W(c, k): V(c, k),
}

# The signs in the symbols of the walk -----------------------------------------------------------------------------

_SAME = eq(V(c, k), S(c + k))
SAME = (
    proof("sfl/noise-sum", "Lemma 10", note="the sum of the signs so far, step by step").under(SUMS, NOISE)
    .step("0", on(_SAME.at({k: Integer(0)}), ANY[0]), by.linear(), inserting=("noise", "sums"))
    .step("more", eq(V(c, k + 1) - V(c, k), S(c + k + 1) - S(c + k), *ANY), by.linear(), inserting=("noise", "sums"))
    .step("one", on(_SAME.at({k: k + 1}), *ANY), by.linear("more"), assuming=_SAME)
    .qed(on(_SAME, *ANY), by.induction(k, "0", "one"), name="all")
)
_v, _s = V(c, k), S(c + k)
_AS_SUM = (
    line("same", on(_SAME, *ANY), by.apply(SAME), inserting=("noise", "sums")),
    line("v up", le(_v, Abs(_v), *ANY), by.fact("abs", _v)),
    line("v down", le(-_v, Abs(_v), *ANY), by.fact("abs", -_v)),
    line("s up", le(_s, Abs(_s), *ANY), by.fact("abs", _s)),
    line("s down", le(-_s, Abs(_s), *ANY), by.fact("abs", -_s)),
    line("1", le(_v, Abs(_s), *ANY), by.linear("s up", "same")),
    line("2", le(-_v, Abs(_s), *ANY), by.linear("s down", "same")),
    line("no more", le(Abs(_v), Abs(_s), *ANY), by.absolute("1", "2")),
    line("3", le(_s, Abs(_v), *ANY), by.linear("v up", "same")),
    line("4", le(-_s, Abs(_v), *ANY), by.linear("v down", "same")),
    line("no less", le(Abs(_s), Abs(_v), *ANY), by.absolute("3", "4")),
    line("sizes", eq(Abs(_v), Abs(_s), *ANY), by.antisymmetry("no more", "no less")),
    line("size", eq(E(Abs(_v)), E(Abs(_s)), *ANY), by.expectation("sizes")),
    line("weighed sizes", eq(H * Abs(_v), H * Abs(_s), *ANY), by.linear("sizes")),
    line("weighed size", eq(E(H * Abs(_v)), E(H * Abs(_s)), *ANY), by.expectation("weighed sizes")),
    line("apart there", eq(E(H * Abs(_s)), START * E(Abs(_s)), *ANY), by.instance({n: c + k}, "apart")),
    line("apart v", eq(E(H * Abs(_v)), START * E(Abs(_v)), *ANY), by.linear("weighed size", "apart there", "size")),
    line("strays", le(E(Abs(S(n))), sqrt(n), EVER),
        by.apply(signs.L8_UPPER, {signs.S(n): S(n), signs.size(n): Abs(S(n))}, "sum", "none", "unit", "fair sum",
            "square"), note="Lemma 8"),
    line("strays there", le(E(Abs(_s)), sqrt(c + k), *ANY), by.instance({n: c + k}, "strays")),
    line("spread", le(E(Abs(_v)), s(c, k), *ANY), by.linear("strays there", "size", "s")),
)
_SUMMED = (
    line("sum", eq(S(n + 1), S(n) + tau(n + 1), EVER), by.linear(), inserting="sums"),
    line("none", eq(S(0), 0), by.linear(), inserting="sums"),
    line("square", eq(Abs(S(n)) ** 2, S(n) ** 2, EVER), by.linear()),
)
_GROW = (
    line("nonnegative", le(0, c + k, *ANY), by.linear()),
    line("longer", le(c + k, c + k + 1, *ANY), by.linear()),
    line("root", le(sqrt(c + k), sqrt(c + k + 1), *ANY), by.power(Rational(1, 2), "nonnegative", "longer")),
    line("s next", eq(s(c, k + 1), sqrt(c + k + 1), *ANY), by.instance({k: k + 1}, "s")),
    line("growing", le(s(c, k), s(c, k + 1), *ANY), by.linear("root", "s", "s next")),
    line("s last", eq(s(c, 1), sqrt(c + 1), ANY[0]), by.instance({k: 1}, "s")),
    line("s first", eq(s(c + 1, 0), sqrt(c + 1), ANY[0]), by.instance({c: c + 1, k: 0}, "s")),
    line("joined", eq(s(c + 1, 0), s(c, 1), ANY[0]), by.linear("s first", "s last")),
)
_LOCAL = line("local", eq(y(c + k + 1), y(c + k) - eta * (P(c + k) + sigma * tau(c + k + 1)), *PLACES),
    by.instance({n: c + k}, "step"))

# Lemma 10 ---------------------------------------------------------------------------------------------------------

_MOVED = le(E(H * Abs(y(n) - x0)), AHEAD / 100 + Rational(101, 100) * eta * sigma * START * sqrt(n), STEPS)
_M0 = le(E(H * Abs(y(n) - x0)), AHEAD / 100 + Rational(101, 100) * eta * sigma * START * s(n, 0), STEPS)
MOVES = (
    proof("sfl/noise-drift", "Lemma 10", note="weighed by what is known before the round")
    .under(*WALK, STEEP, CAP, KNOWN, APART, UNIT, LAW[1])
    .steps(*_SUMMED, *_AS_SUM, *_GROW, _LOCAL)
    .step("every place", by.apply(walk.DRIFT, WORDS), inserting=("noise", "pull"))
    .step("there", _M0, by.instance({c: n, k: Integer(0)}, "every place"))
    .step("s there", by.instance({c: n, k: Integer(0)}, "s"), over=STEPS)
    .qed(_MOVED, by.linear("there", "s there"), name="moved")
)

# The decrease of a step -------------------------------------------------------------------------------------------

_TAKEN = le(E(H * P(n)),
    Rational(501, 1000) * lam0 * AHEAD - (theta / 2 - Rational(11, 1000)) * lam0 * eta * sigma * START * sqrt(n), STEPS)
_BACK = (theta / 2 - Rational(11, 1000)) * lam0 * eta * sigma * START
_T0 = le(E(H * P(n)), Rational(501, 1000) * lam0 * AHEAD - _BACK * s(n, 0), STEPS)
_iv, _is = Indicator(_v), Indicator(_s)
_im, _it = Indicator(-_v), Indicator(-_s)
_EVENLY = (
    line("5", le(_v, _s, *ANY), by.linear("same")),
    line("6", le(_s, _v, *ANY), by.linear("same")),
    line("7", le(-_v, -_s, *ANY), by.linear("same")),
    line("8", le(-_s, -_v, *ANY), by.linear("same")),
    line("up 1", le(_iv, _is, *ANY), by.monotone("5")),
    line("up 2", le(_is, _iv, *ANY), by.monotone("6")),
    line("down 1", le(_im, _it, *ANY), by.monotone("7")),
    line("down 2", le(_it, _im, *ANY), by.monotone("8")),
    line("up", eq(_iv, _is, *ANY), by.antisymmetry("up 1", "up 2")),
    line("down", eq(_im, _it, *ANY), by.antisymmetry("down 1", "down 2")),
    line("up weighed", eq(H * x0 * _iv, H * x0 * _is, *ANY), by.linear("up")),
    line("down weighed", eq(H * x0 * _im, H * x0 * _it, *ANY), by.linear("down")),
    line("up mean", eq(E(H * x0 * _iv), E(H * x0 * _is), *ANY), by.expectation("up weighed")),
    line("down mean", eq(E(H * x0 * _im), E(H * x0 * _it), *ANY), by.expectation("down weighed")),
    line("even there", eq(E(H * x0 * _is), E(H * x0 * _it), *ANY), by.instance({n: c + k}, "even")),
    line("even v", eq(E(H * x0 * _iv), E(H * x0 * _im), *ANY), by.linear("up mean", "even there", "down mean")),
    line("earlier sign", eq(E(H * tau(i)), 0, EVER, (i, 1, n)), by.instance({n: i - 1}, "fair")),
    line("signs", eq(Total(E(H * tau(i)), i, 1, n), 0, EVER), by.sum_over(i, "earlier sign")),
    line("centre", eq(E(H * S(n)), 0, EVER), by.linear("signs"), inserting="sums"),
    line("centre there", eq(E(H * _s), 0, *ANY), by.instance({n: c + k}, "centre")),
    line("same weighed", eq(H * _v, H * _s, *ANY), by.linear("same")),
    line("same mean", eq(E(H * _v), E(H * _s), *ANY), by.expectation("same weighed")),
    line("centred v", eq(E(H * _v), 0, *ANY), by.linear("same mean", "centre there")),
    line("place", le(c + k, N - 1, *PLACES), by.polynomial()),
    line("stray there", le(theta * sqrt(c + k), E(Abs(_s)), *PLACES), by.instance({n: c + k}, "stray", "place")),
    line("stray v", le(theta * s(c, k), E(Abs(_v)), *PLACES), by.linear("stray there", "size", "s")),
)
TAKES = (
    proof("sfl/noise-pull-back", "App. C.2", note="(8) with noise")
    .under(*WALK, STEEP, CAP, KNOWN, APART, UNIT, LAW[1], EVEN, FAIR, STRAY)
    .steps(*_SUMMED, *_AS_SUM, *_EVENLY, *_GROW, _LOCAL)
    .step("every place", by.apply(pull.AWAY, {**WORDS, pull.r: Integer(0)}), inserting=("noise", "pull"))
    .step("there", _T0, by.instance({c: n, k: Integer(0)}, "every place"))
    .step("s there", by.instance({c: n, k: Integer(0)}, "s"), over=STEPS)
    .qed(_TAKEN, by.linear("there", "s there"), name="taken")
)

# The round: J --------------------------------------------------------------------------------------------------------

_GIVEN = (*WALK, STEEP, CAP, KNOWN, APART, UNIT, LAW[1], EVEN, FAIR)
_MEAN = eq(E(H * y(n + 1)), E(H * y(n)) - eta * E(H * P(n)), EVER)
_REST = (theta / 2 - Rational(11, 1000)) * eta**2 * lam0 * sigma * START
_SUM = le(AHEAD - n * (Rational(501, 1000) * lam0 * eta * AHEAD) + _REST * ahead.roots(n - 1), E(H * y(n)))
SUMMED = (
    proof("sfl/noise-round", "App. C.2", note="the pulls of a round, summed").under(*_GIVEN, STRAY)
    .step("taken", by.apply(TAKES), inserting=("noise", "pull", "sums"))
    .step("weighed", eq(H * y(n + 1), H * (y(n) - eta * (P(n) + sigma * tau(n + 1))), EVER), by.linear("step"))
    .step("mean", by.expectation("weighed"))
    .step("next", _MEAN, by.linear("mean", "fair"))
    .step("first weighed", eq(H * y(0), H * x0), by.linear("first"))
    .step("first mean", by.expectation("first weighed"))
    .step("start", _SUM.at({n: Integer(0)}), by.linear("first mean"))
    .step("one", on(_SUM.at({n: n + 1}), STEPS), by.linear("next", "taken"), assuming=_SUM)
    .step("all", on(_SUM, (n, 0, N)), by.induction(n, "start", "one"))
    .qed(_SUM.at({n: N}), by.instance({n: N}, "all"), name="end")
)
LEAST_STRAY = line("stray", le(sqrt(n) / 5, E(Abs(S(n))), EVER),
    by.apply(signs.L8_LOWER, {signs.S(n): S(n), signs.size(n): Abs(S(n))}, "size start", "size next", "fair sign",
        "hit start", "hit next", "fair hit", "hit zero"), inserting="sums", note="Lemma 8")
FOUR = Given("four", le(4, N), "four steps or more")
SHRINK = Rational(2, 3) * lam0 * N * eta
GAIN = lam0 * eta**2 * N ** Rational(3, 2) * sigma
J = (
    proof("sfl/noise-ahead", "J", note="weighed by what is known before the round").under(*_GIVEN, *LAW[2:], FOUR)
    .step("size start", eq(Abs(S(0)), 0), by.linear(), inserting="sums")
    .steps(LEAST_STRAY)
    .step("stray there", le(sqrt(n) / 5, E(Abs(S(n))), STEPS), by.linear("stray"))
    .step("summed", by.apply(SUMMED, {theta: Rational(1, 5)}), inserting=("noise", "pull", "sums"))
    .step("some", le(0, N - 1), by.linear("four"))
    .step("root sums", by.apply(ahead.ROOTS))
    .step("roots", by.instance({c: N - 1}, "root sums", "some"))
    .step("close", le(4 * N / 9, N - 1), by.linear("four"))
    .step("zero", le(0, 4 * N / 9), by.linear())
    .step("half", by.power(Rational(1, 2), "zero", "close"))
    .step("three parts", le(Rational(3, 4) * N, N - 1), by.linear("four"))
    .step("enough 1", le(Rational(3, 4) * N * sqrt(N), (N - 1) * sqrt(N)), by.linear("three parts"))
    .step("enough", le(N * sqrt(N) / 2, (N - 1) * sqrt(N - 1)), by.linear("half", "enough 1", "some"))
    .step("start ahead", le(0, H * x0), by.linear("known"))
    .step("mean ahead", by.expectation("start ahead"))
    .qed(le((1 - SHRINK) * AHEAD + GAIN * START / 60, E(H * y(N))),
        by.linear("summed", "mean ahead", "roots", "enough"), name="round")
)
BACK_IDS = ("first", "local", "steep", "cap", "behind", "fair there")
BEHIND_0 = (
    proof("sfl/noise-behind", "App. C.2", note="(11) with noise: a round that starts left of 0")
    .under(FIRST, STEP, PULL, STEEP, CAP, Given("behind", le(H * x0, 0), "H vanishes where x0 > 0"), FAIR)
    .steps(_LOCAL)
    .step("fair there", by.instance({n: c + k}, "fair"), over=(*PLACES,))
    .qed(le((1 - SHRINK) * AHEAD, E(H * y(N))),
        by.apply("sfl/kink-behind", {a: b for a, b in WORDS.items() if a != walk.W(c, k)}, *BACK_IDS), inserting="pull",
        name="round")
)
THEOREMS = (SAME, MOVES, TAKES, SUMMED, J, BEHIND_0)
