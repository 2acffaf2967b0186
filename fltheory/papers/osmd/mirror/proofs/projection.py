"""Comparators outside the floored simplex: the functionals (19), the point (53), its cost (proof of Theorem 6).

With above = (q - alpha/M)_+ and below = (alpha/M - q)_+ the point is alpha/M + (1 - omega) above, where omega times the sum of
above is psi, the sum of below. The comparator may have zeros: ``lost`` is a/q, and 0 where a is 0.
"""

from __future__ import annotations

from collections.abc import Callable

from sympy import Expr, Integer, Max, Min, Rational, Symbol

from fltheory.papers.osmd.mirror.proofs.lemmas import FLOOR, ONE, SQUARE
from fltheory.papers.osmd.notation import K, M, alpha, eta
from fltheory.proof import Given, Relation, Step, Theorem, by, eq, le, line, proof
from fltheory.proof.facts.notation import EACH, P, Q, j, m, s, whole
from fltheory.proof.language import Range
from fltheory.proof.terms import Nonnegative, family

PLACE = "proof of Theorem 6"
f = Symbol("f", positive=True)
mass = Symbol("mass", positive=True)
c, d = Symbol("c", real=True), Symbol("d", real=True)
q, z, omega, other, psi, phi, B = (Symbol(name, nonnegative=True) for name in ("q", "z", "omega", "other", "psi", "phi", "B"))
kappa, kappa2 = (Symbol(name, nonnegative=True) for name in ("kappa", "kappa2"))
lost, a, top = (Symbol(name, nonnegative=True) for name in ("lost", "a", "top"))

# The larger and the smaller of two numbers ------------------------------------------------------------------------------

_PARTS = eq(Max(c, 0) - Max(-c, 0), c)
_HIGH_SIDE, _LOW_SIDE = (le(0, c),), (le(c, 0),)
PARTS = (
    proof("osmd/parts", PLACE, note="a number is its positive less its negative part")
    .step("a", eq(Max(c, 0), c), by.fact("max", Max(c, 0)), assuming=_HIGH_SIDE)
    .step("b", eq(Max(-c, 0), 0), by.fact("max", Max(-c, 0)), assuming=_HIGH_SIDE)
    .step("c", eq(Max(c, 0), 0), by.fact("max", Max(c, 0)), assuming=_LOW_SIDE)
    .step("d", eq(Max(-c, 0), -c), by.fact("max", Max(-c, 0)), assuming=_LOW_SIDE)
    .step("1", _PARTS, by.linear("a", "b"), assuming=_HIGH_SIDE)
    .step("2", _PARTS, by.linear("c", "d"), assuming=_LOW_SIDE)
    .qed(_PARTS, by.cases("1", "2"))
)
_BELOW = le(Max(f - z, 0), f)
BELOW = (
    proof("osmd/below", PLACE)
    .step("a", eq(Max(f - z, 0), f - z), by.fact("max", Max(f - z, 0)), assuming=le(z, f))
    .step("1", _BELOW, by.linear("a"), assuming=le(z, f))
    .step("b", eq(Max(f - z, 0), 0), by.fact("max", Max(f - z, 0)), assuming=le(f, z))
    .step("2", _BELOW, by.linear("b"), assuming=le(f, z))
    .qed(_BELOW, by.cases("1", "2"))
)
low = Symbol("low", real=True)
_LESS = le(low, Min(c, d))
_FIRST, _SECOND = (le(c, d),), (le(d, c),)
LESS = (
    proof("osmd/min", PLACE, note="what is below two numbers is below the smaller one")
    .given("first", le(low, c), "below one")
    .given("second", le(low, d), "below the other")
    .step("1a", eq(Min(c, d), c), by.fact("min", Min(c, d)), assuming=_FIRST)
    .step("1", _LESS, by.linear("1a", "first"), assuming=_FIRST)
    .step("2a", eq(Min(c, d), d), by.fact("min", Min(c, d)), assuming=_SECOND)
    .step("2", _LESS, by.linear("2a", "second"), assuming=_SECOND)
    .qed(_LESS, by.cases("1", "2"))
)

_MIN_FIRST, _MIN_SECOND = le(Min(c, d), c), le(Min(c, d), d)


def _smaller(name: str, claim: Relation, own: Expr, other: Expr) -> Theorem:
    """Return the smaller of two numbers is at most each."""
    mine, theirs = (le(own, other),), (le(other, own),)
    return (
        proof(name, PLACE)
        .step("1a", eq(Min(c, d), own), by.fact("min", Min(c, d)), assuming=mine)
        .step("1", claim, by.linear("1a"), assuming=mine)
        .step("2a", eq(Min(c, d), other), by.fact("min", Min(c, d)), assuming=theirs)
        .step("2", claim, by.linear("2a"), assuming=theirs)
        .qed(claim, by.cases("1", "2"))
    )


MIN_FIRST = _smaller("osmd/min-first", _MIN_FIRST, c, d)
MIN_SECOND = _smaller("osmd/min-second", _MIN_SECOND, d, c)

# The functionals (19) -----------------------------------------------------------------------------------------------------

share = family(Nonnegative, "q")


def above(value: Expr, floor: Expr = FLOOR) -> Expr:
    """Return the excess of a probability over the floor."""
    return Max(value - floor, 0)


def below(value: Expr, floor: Expr = FLOOR) -> Expr:
    """Return the gap of a probability to the floor."""
    return Max(floor - value, 0)


def psi_of(share: Callable[..., Expr]) -> Expr:
    """psi(q, alpha)."""
    return whole(below(share(j)))


def lifted(share: Callable[..., Expr], omega: Expr, client: Expr) -> Expr:
    """Return the point (53)."""
    return FLOOR + (1 - omega) * above(share(client))


def phi_of(omega: Expr) -> Expr:
    """phi(q, alpha)."""
    return omega / (1 - omega * (1 - FLOOR))


SHARES = Given("sum q", eq(whole(share(j)), 1), "the comparator's probabilities")
RATIO = Given("omega", eq(omega * whole(above(share(j))), psi_of(share)),
    "(19). Where both sums are 0, for alpha = 1 and the uniform distribution, any number from 0 to 1")
AT_MOST = Given("at most 1", le(omega, 1), "C-19: see osmd/omega")
BALANCE = (
    proof("osmd/balance", PLACE).under(SHARES)
    .step("each", by.apply(PARTS, {c: share(m) - FLOOR}), over=EACH)
    .step("all", eq(whole(above(share(j))) - psi_of(share), whole(share(j) - FLOOR)), by.sum_over(m, "each"))
    .qed(eq(whole(above(share(j))), psi_of(share) + 1 - alpha), by.linear("all", "sum q"), name="last")
)
_SMALL = Given("alpha", le(alpha, 1), "a share")
OMEGA = (
    proof("osmd/omega", "(19)", of="osmd/C-19-omega@printed", note="0 <= omega <= 1").under(SHARES, RATIO, _SMALL)
    .given("mass", eq(whole(above(share(j))), mass), "it is positive, so that omega is a quotient")
    .step("balance", by.apply(BALANCE))
    .qed(le(omega, 1), by.linear("omega", "balance", "alpha", "mass"))
)


def phi_is(phi: Expr, omega: Expr, floor: Expr = FLOOR, *over: Range) -> Given:
    """Return the functional phi(q, alpha)."""
    return Given("phi", eq(phi * (1 - omega * (1 - floor)), omega, *over),
        "phi = omega/(1 - omega (1 - alpha/M)) of (19)")


PHI_AT = (
    proof("osmd/phi-floor", "(19)").under(AT_MOST, phi_is(phi, omega, f))
    .given("room", le(f, 1), "the floor is a probability")
    .step("kept", le(f, 1 - omega * (1 - f)), by.linear("at most 1", "room"))
    .qed(le(phi, 1 / f), by.linear("at most 1", "phi", "kept"))
)
PHI = (
    proof("osmd/phi", "(19)", of="osmd/C-19-phi@printed", note="phi <= M/alpha")
    .under(AT_MOST, phi_is(phi, omega), _SMALL)
    .step("room", le(FLOOR, 1), by.linear("alpha"))
    .qed(le(phi, M / alpha), by.apply(PHI_AT, {f: FLOOR}))
)
PSI = (
    proof("osmd/psi", "(19)", of="osmd/C-19-psi@printed", note="psi <= alpha")
    .step("low", by.apply(BELOW, {z: share(m), f: FLOOR}), over=EACH)
    .step("all", le(psi_of(share), whole(FLOOR)), by.sum_over(m, "low"))
    .qed(le(psi_of(share), alpha), by.linear("all"), name="last")
)

# (53): one client -----------------------------------------------------------------------------------------------------------

OVER, UNDER = le(f, q), le(q, f)
_point = f + (1 - omega) * above(q, f)
_IS_OVER, _IS_UNDER = eq(above(q, f), q - f), eq(above(q, f), 0)


def sides(claim: Relation, first: Step, second: Step) -> tuple[Step, ...]:
    """Prove a claim from the cases of a probability above the floor and below it."""
    return (
        line("over", _IS_OVER, by.fact("max", above(q, f)), assuming=OVER),
        line("under", _IS_UNDER, by.fact("max", above(q, f)), assuming=UNDER),
        first,
        second,
        line("both", claim, by.cases(first.id, second.id)),
    )


_kept = 1 - omega * (1 - f)
_RATIO = Given("at most 1", le(omega, 1), "C-19")
_POINT_LOW = line("low", le(f, _point), by.linear("at most 1"))
_HIGH = le(q * _kept, _point)
FACTOR = (
    proof("osmd/53-factor", "(55)").under(_RATIO, phi_is(phi, omega, f))
    .given("one", le(q, 1), "a probability")
    .given("room", le(f, 1), "the floor is a probability")
    .steps(
        *sides(_HIGH, line("1", _HIGH, by.linear(one=omega * f), inserting="over", assuming=OVER),
            line("2", _HIGH, by.linear({"assumed 1": 1, "room": omega * q}), inserting="under", assuming=UNDER)),
        _POINT_LOW)
    .step("kept", le(f, _kept), by.linear("at most 1", "room"))
    .step("unit", le(0, Integer(1)), by.linear())
    .qed(le(lost * q / _point, lost * (1 + phi)),
        by.linear({"both": lost / (_kept * _point), "unit": lost * omega * f / _kept, "phi": -lost / _kept}, "kept",
            "low"), name="last", note="1/q' <= (1 + phi)/q: the point keeps the share 1 - omega (1 - alpha/M)")
)
_DROP = le(lost * (q - _point), top / f * omega * above(q, f))
COST = (
    proof("osmd/53-cost", PLACE, note="what the point costs a client, in terms of its distance").under(_RATIO)
    .given("feedback", le(lost * q, top), "the largest feedback")
    .steps(
        *sides(_DROP,
            line("1", _DROP, by.linear({"feedback": omega * (q - f) / f, "assumed 1": omega * lost * (q - f) / f}),
                inserting="over", assuming=OVER),
            line("2", _DROP, by.linear({"assumed 1": lost}), inserting="under", assuming=UNDER)), _POINT_LOW)
    .step("inverse", le(1 / _point, 1 / f), by.linear(low=1 / (f * _point)))
    .qed(le(lost * q / _point, lost + top / f**2 * omega * above(q, f)),
        by.linear({"both": 1 / _point, "inverse": top / f * omega * above(q, f)}, "low"), name="last")
)

# One round --------------------------------------------------------------------------------------------------------------------

losses, fed = family(Nonnegative, "lost"), family(Nonnegative, "a")
ROUND = (
    SHARES,
    RATIO,
    AT_MOST,
    _SMALL,
    Given("lost", eq(losses(m) * share(m), fed(m), EACH), "lost is a/q, and 0 where a is 0"),
)
_MOVED = whole(fed(j) / lifted(share, omega, j))
WITHIN = (
    proof("osmd/53", "(53)", of="osmd/C-53@printed", note="the point is on the floored simplex: it adds up to 1")
    .under(SHARES, RATIO)
    .step("balance", by.apply(BALANCE))
    .qed(eq(whole(lifted(share, omega, j)), 1), by.linear("balance", "omega"), name="last")
)
BY_FACTOR = (
    proof("osmd/56", "(56)", unused=("omega",),
        note="l(q') - l(q) <= phi l(q), without the 1/K of the last line of (56)")
    .under(*ROUND, phi_is(phi, omega))
    .step("nonnegative", le(0, share(m), EACH), by.linear())
    .step("one", by.apply(ONE, {s(j): share(j)}, "nonnegative"))
    .step("at most", le(share(m), 1, EACH), by.linear("one", "sum q"))
    .step("room", le(FLOOR, 1), by.linear("alpha"))
    .step("each", by.apply(FACTOR, {lost: losses(m), q: share(m), f: FLOOR}))
    .step("low", le(FLOOR, lifted(share, omega, m), EACH), by.linear("at most 1"))
    .step("fed", le(fed(m) / lifted(share, omega, m), losses(m) * (1 + phi), EACH), by.linear("each", "lost", "low"))
    .qed(le(_MOVED, (1 + phi) * whole(losses(j))), by.sum_over(m, "fed"), name="all")
)
BY_DISTANCE = (
    proof("osmd/56-distance", "(56)", unused=("sum q", "alpha"), note="and at most (M/alpha)^2 a_max psi/K")
    .under(*ROUND)
    .given("largest", le(fed(m), top, EACH), "the largest feedback")
    .step("feedback", le(losses(m) * share(m), top, EACH), by.linear("lost", "largest"))
    .step("each", by.apply(COST, {lost: losses(m), q: share(m), f: FLOOR}))
    .steps(BY_FACTOR.steps[5])
    .step("fed", le(fed(m) / lifted(share, omega, m), losses(m) + top / FLOOR**2 * omega * above(share(m)), EACH),
        by.linear("each", "lost", "low"))
    .step("all", le(_MOVED, whole(losses(j) + top / FLOOR**2 * omega * above(share(j)))), by.sum_over(m, "fed"))
    .qed(le(_MOVED, whole(losses(j)) + top * (M / alpha) ** 2 * psi_of(share)), by.linear("all", "omega"), name="last")
)

# The printed statement of Theorem 6, round by round -----------------------------------------------------------------------------

r, log_r = Symbol("r", positive=True), Symbol("L", positive=True)
_PRODUCT = le(eta * B * psi, Rational(3, 2) * eta**2 * B**2 + 4 * psi**2)
AMGM = (
    proof("osmd/T6-amgm", PLACE, note="what Hoeffding's lemma saves pays for the projection")
    .given("r", le(2, r), "M/alpha")
    .given("log", le(Rational(1, 2), log_r), "its logarithm")
    .given("psi", le(psi, 1), "C-19")
    .step("four", le(4, r**2), by.linear("r"))
    .step("square", le(psi**2, psi), by.linear("psi"))
    .step("sum", by.apply(SQUARE, {P: eta * B, Q: psi}))
    .step("product", _PRODUCT, by.linear("sum"), note="a product by the squares")
    .qed(le(B * psi, Rational(3, 8) * eta * r**2 * B**2 + 8 * log_r * psi / eta),
        by.linear("product", "four", "log", "square"), name="last")
)

_q1 = Symbol("q1", positive=True)
_ratio = (alpha / 2 - _q1) / (1 - _q1 - alpha / 2)
PRINTED = (
    proof("osmd/56-printed", "(56), last line", recorded="REFUTED",
        note="l(q') - l(q) <= phi l(q)/K for M = 2 and a = (0, 1): the factor 1/K is one too many")
    .given("below", le(_q1, alpha / 2), "the first probability is below the floor")
    .qed(le((1 / (1 - alpha / 2) - 1 / (1 - _q1)) / K, phi_of(_ratio).subs(M, 2) / K * (1 / (1 - _q1)) / K),
        by.counterexample({alpha: Rational(1, 2), _q1: Rational(1, 8), K: 2}, "below"),
        note="4/21 against 16/119, both over K")
)

THEOREMS = (PARTS, BELOW, LESS, MIN_FIRST, MIN_SECOND, BALANCE, OMEGA, PHI_AT, PHI, PSI, FACTOR, COST, WITHIN,
    BY_FACTOR, BY_DISTANCE, AMGM, PRINTED)
