"""The part below the floor, as the claims state it: (19), (53), (56)."""

from __future__ import annotations

from sympy import Max, Min, Symbol

from fltheory.papers.osmd import notation
from fltheory.papers.osmd.mirror.proofs import projection as pt
from fltheory.papers.osmd.mirror.proofs.lemmas import FLOOR, ONE
from fltheory.papers.osmd.mirror.proofs.projection import (SHARES, above, below, kappa, lifted, omega, phi, phi_is,
    phi_of, psi_of, share, top)
from fltheory.papers.osmd.notation import K, M, alpha, smaller
from fltheory.proof import Given, by, eq, le, line, lt, proof, statement_of
from fltheory.proof.facts.notation import EACH, j, m, s, whole
from fltheory.proof.papers import quotients
from fltheory.proof.terms import substitute
from fltheory.verification import find

PLACE = "(19)"
PSI, UP = psi_of(share), whole(above(share(j)))
OMEGA = PSI / UP
SIGNS = (
    line("lacks", le(0, below(share(m)), EACH), by.linear()),
    line("psi low", le(0, PSI), by.sum_over(m, "lacks")),
    line("psi high", le(PSI, alpha), by.apply(pt.PSI)),
    line("balance", eq(UP, PSI + 1 - alpha), by.apply(pt.BALANCE, "sum q")),
)


def of(claim, quantity, side=None, reading=None, name=""):
    """Begin a proof of a claim's bound (of that side); return its statement and its conditions too."""
    bound = next(b for b in find(claim).bounds if side in (None, b.side))
    statement, conditions = statement_of(bound, quantity, reading)
    return (proof(name or f"{claim}-{bound.side}", of=claim, bound=bound, reading=reading or {}), statement, conditions)


_start, _line, _c = of("osmd/C-19-psi@printed", PSI, "lower")
PSI_LOW = _start.under().steps(*SIGNS[:1]).qed(_line, by.sum_over(m, "lacks"))
_start, _line, _c = of("osmd/C-19-psi@printed", PSI, "upper")
PSI_HIGH = _start.steps(SIGNS[2]).qed(_line, by.linear("psi high"))
# psi over omega: (1 - alpha) and the part above; M psi <= ...
_NARROW = (
    proof("osmd/below-share", PLACE, note="what lacks to the floor f is at most f (1 - q)")
    .given("one", le(pt.z, 1), "a probability")
    .given("room", le(pt.f, 1), "the floor is a probability")
    .step("a", eq(below(pt.z, pt.f), pt.f - pt.z), by.fact("max", below(pt.z, pt.f)), assuming=le(pt.z, pt.f))
    .step("1", le(below(pt.z, pt.f), pt.f * (1 - pt.z)), by.linear("a", "room"), assuming=le(pt.z, pt.f))
    .step("b", eq(below(pt.z, pt.f), 0), by.fact("max", below(pt.z, pt.f)), assuming=le(pt.f, pt.z))
    .step("2", le(below(pt.z, pt.f), pt.f * (1 - pt.z)), by.linear("b", "one"), assuming=le(pt.f, pt.z))
    .qed(le(below(pt.z, pt.f), pt.f * (1 - pt.z)), by.cases("1", "2"))
)
_start, _line, _c = of("osmd/C-19-psi@strengthened", PSI, name="osmd/psi-sharp")
PSI_SHARP = (
    _start.under(SHARES, *_c)
    .step("zero", le(0, share(j), (j, 1, M)), by.linear())
    .step("one", by.apply(ONE, {s(j): share(j)}))
    .step("most", le(share(m), 1, EACH), by.linear("one", "sum q"))
    .step("room", le(FLOOR, 1), by.linear("c1"))
    .step("each", by.apply(_NARROW, {pt.z: share(m), pt.f: FLOOR}))
    .step("all", le(PSI, whole(FLOOR * (1 - share(j)))), by.sum_over(m, "each"))
    .qed(_line, by.linear("all", "sum q"))
)


def _quotient(start, conditions, rule, size, order):
    """Prove a bound on omega, the quotient of two sums, whose denominator is positive."""
    return (
        start.under(SHARES, *conditions)
        .steps(*SIGNS[:2], SIGNS[3])
        .step("up", lt(0, UP), by.linear("balance", "c1", "psi low"))
        .steps(*order)
    ), by.apply(
        f"osmd/quotient-{rule}", {quotients.top: PSI, quotients.below: UP, quotients.factor: size}, "order", "up"
    )


_start, _line, _c = of("osmd/C-19-omega@printed", OMEGA, "lower")
_start, _rule = _quotient(_start, _c, "least", 0, (line("order", le(0 * UP, PSI), by.linear("psi low")),))
OMEGA_LOW = _start.qed(_line, _rule)
_start, _line, _c = of("osmd/C-19-omega@printed", OMEGA, "upper")
_start, _rule = _quotient(_start, _c, "most", 1, (line("order", le(PSI, 1 * UP), by.linear("balance", "c1")),))
OMEGA_HIGH = _start.qed(_line, _rule)
number, size = Symbol("number", real=True), Symbol("size", positive=True)
BOTH = (
    proof("osmd/quotient-both", PLACE, note="two quotients, multiplied out")
    .given("order", le(quotients.top * size, number * quotients.below), "multiplied out")
    .qed(le(quotients.top / quotients.below, number / size), by.linear("order"))
)

_start, _line, _c = of("osmd/C-19-omega@strengthened", OMEGA)
OMEGA_SHARP = (
    _start.under(SHARES, *_c)
    .steps(*SIGNS[:2], SIGNS[3])
    .step("up", lt(0, UP), by.linear("balance", "c1", "psi low"))
    .step("room", lt(0, M - alpha), by.linear("c1"))
    .step("at most", le(alpha, 1), by.linear("c1"))
    .step("psi sharp", by.apply(PSI_SHARP))
    .step("order", le(PSI * (M - alpha), (M - 1) * alpha * UP), by.linear("psi sharp", "balance", "c1"))
    .qed(
        _line,
        by.apply(
            BOTH,
            {quotients.top: PSI, quotients.below: UP, number: (M - 1) * alpha, size: M - alpha},
            "order",
            "up",
            "room",
        ),
    )
)
_KEPT = UP - PSI * (1 - FLOOR)


def _of_phi(claim, side, rule, size, order):
    """Prove phi of a comparator: psi over the part above the floor minus psi (1 - alpha/M)."""
    start, statement, conditions = of(claim, phi_of(OMEGA), side)
    values = {quotients.top: PSI, quotients.below: _KEPT, quotients.factor: size}
    found = PSI / _KEPT
    return (
        start.under(SHARES, *conditions)
        .steps(*SIGNS[:2], SIGNS[3])
        .step("up", lt(0, UP), by.linear("balance", "c1", "psi low"))
        .step("kept", lt(0, _KEPT), by.linear("balance", "c1", "psi low"))
        .steps(*order)
        .step(
            "phi",
            le(size, found) if rule == "least" else le(found, size),
            by.apply(f"osmd/quotient-{rule}", values, "order", "kept"),
        )
        .qed(statement, by.linear({"phi": 1}, "kept", "up"))
    )


PHI_LOW = _of_phi("osmd/C-19-phi@printed", "lower", "least", 0,
    (line("order", le(0 * _KEPT, PSI), by.linear("psi low")),))
_start, _line, _c = of("osmd/C-19-phi@strengthened", phi_of(OMEGA))
PHI_SHARP = (
    _start.under(SHARES, *_c)
    .steps(*SIGNS)
    .step("up", lt(0, UP), by.linear("balance", "c1", "psi low"))
    .step("kept", lt(0, _KEPT), by.linear("balance", "c1", "psi low"))
    .step("room", lt(0, 1 - alpha), by.linear("c1"))
    .step("order", le(PSI * (1 - alpha), alpha * _KEPT), by.linear("balance", "psi high", "psi low", "c1"))
    .step(
        "phi",
        by.apply(
            BOTH, {quotients.top: PSI, quotients.below: _KEPT, number: alpha, size: 1 - alpha}, "order", "kept", "room"
        ),
    )
    .qed(_line, by.linear({"phi": 1}, "kept", "up"))
)
PHI_HIGH = _of_phi("osmd/C-19-phi@printed", "upper", "most", M / alpha,
    (line("order", le(PSI, M / alpha * _KEPT), by.linear("balance", "c1")),))

# The floor is 0 -----------------------------------------------------------------------------------

none = Symbol("floor", real=True)
_BELOW, _ABOVE = whole(Max(none - share(j), 0)), whole(Max(share(j) - none, 0))
_start, _line, _c = of("osmd/C-19-zero@corrected", _BELOW / _ABOVE)
ZERO = (
    _start.given("none", le(none, 0), "the floor is 0: the claim is about that")
    .given("positive", lt(0, _ABOVE), "all of the mass is above it")
    .step("sign", le(none - share(m), 0, EACH), by.linear("none"))
    .step("each", eq(Max(none - share(m), 0), 0, EACH), by.apply("osmd/not-above", {pt.c: none - share(m)}, "sign"))
    .step("all", eq(_BELOW, 0), by.sum_over(m, "each"))
    .qed(_line, by.linear({"all": 1 / _ABOVE}, "positive"))
)
NOT_ABOVE = (
    proof("osmd/not-above", PLACE)
    .given("sign", le(pt.c, 0), "not positive")
    .qed(eq(Max(pt.c, 0), 0), by.fact("max", Max(pt.c, 0), "sign"))
)

# (53), (56) ---------------------------------------------------------------------------------------

POINT = whole(lifted(share, omega, j))
_ROUND = tuple(h for h in pt.ROUND if h.id not in ("alpha",))
fed, losses = pt.fed, pt.losses
COST = whole(fed(j) / lifted(share, omega, j)) / K - whole(losses(j)) / K
_IDS = tuple(h.id for h in pt.ROUND)
_SMALL = line("alpha", le(alpha, 1), by.linear("c1"))
_start, _line, _c = of("osmd/C-56@corrected", COST, None, {notation.phi: phi * whole(losses(j)) / K})
BY_FACTOR = (
    _start.under(*_ROUND, phi_is(phi, omega), *_c)
    .steps(_SMALL)
    .step("factor", by.apply(pt.BY_FACTOR))
    .qed(_line, by.linear("factor"))
)
_KAPPA = {omega: 1 - kappa}
_ROUND_2 = tuple(Given(h.id, h.relation.at(_KAPPA), h.why) for h in (*_ROUND, phi_is(phi, omega)) if h.id != "at most 1")
COST_2 = substitute(COST, _KAPPA)
_ONE, _TWO = phi * whole(losses(j)) / K, (M / alpha) ** 2 * top * PSI / K
_start, _line, _c = of("osmd/C-56@strengthened", COST_2, None, {smaller: Min(_ONE, _TWO)})
SMALLER = (
    _start.under(*_ROUND_2, *_c)
    .given("ratio", le(0, 1 - kappa), "C-19: 0 <= omega <= 1, see osmd/omega; kappa = 1 - omega")
    .given("largest", le(fed(m), top, EACH), "the largest feedback")
    .steps(_SMALL)
    .step("at most 1", le(1 - kappa, 1), by.linear())
    .step("factor", by.apply(pt.BY_FACTOR, _KAPPA, *_IDS, "phi", "ratio"))
    .step("distance", by.apply(pt.BY_DISTANCE, _KAPPA, *_IDS, "largest", "ratio"))
    .step("first", le(COST_2, _ONE), by.linear("factor"))
    .step("second", le(COST_2, _TWO), by.linear("distance"))
    .qed(_line, by.apply(pt.LESS, {pt.low: COST_2, pt.c: _ONE, pt.d: _TWO}))
)

THEOREMS = (PSI_LOW, PSI_HIGH, _NARROW, PSI_SHARP, BOTH, OMEGA_LOW, OMEGA_HIGH, OMEGA_SHARP, PHI_LOW, PHI_HIGH,
    PHI_SHARP, NOT_ABOVE, ZERO, BY_FACTOR, SMALLER)
