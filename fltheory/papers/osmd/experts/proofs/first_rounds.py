"""(45), (56), the limit after Theorem 6 and the grid (22) as their claims state them."""

from __future__ import annotations

from sympy import Rational, exp, floor, log, sqrt

from fltheory.papers.osmd import bounds
from fltheory.papers.osmd.experts.proofs import grid as rates
from fltheory.papers.osmd.fedavg.proofs import fedavg
from fltheory.papers.osmd.fedavg.proofs.fedavg import B
from fltheory.papers.osmd.mirror.proofs import projection as pt
from fltheory.papers.osmd.mirror.proofs.floor import BOTH, number, of, size
from fltheory.papers.osmd.mirror.proofs.lemmas import BACK, FLOOR, LAMBDA
from fltheory.papers.osmd.mirror.proofs.projection import above
from fltheory.papers.osmd.notation import K, L, Lq, M, T, alpha, beta, eta, g, mu
from fltheory.papers.osmd.regret.proofs.paths import ROUNDS, t
from fltheory.papers.osmd.regret.proofs.theorem6 import GIVEN, at, by_factor, loss_of, lost, omega, phi, share, summed
from fltheory.proof import Given, by, eq, le, line, lt, proof
from fltheory.proof.facts.notation import EACH, P, Q, j, m, whole
from fltheory.proof.papers import quotients
from fltheory.proof.terms import E, Total

# (45) ----------------------------------------------------------------------------------------------

_start, _line, _c = of("osmd/C-45@printed", fedavg.DRIFT / M)
DRIFT = (
    _start.under(*(h for h in fedavg.C45.hypotheses if h.id != "short"), *_c)
    .given("slope", eq(g**2, fedavg.G2), "g is how long the mean of the clients' gradients is")
    .step("zero", le(0, sqrt(2) * B * mu * L), by.linear())
    .step("squares", by.power(2, "zero", "c1"))
    .step("short", le(2 * (B * mu * L) ** 2, 1), by.linear("squares"))
    .step("sides", by.apply(fedavg.C45))
    .qed(_line, by.linear("sides", "slope"))
)

# The limit after Theorem 6 -------------------------------------------------------------------------

_ERROR = 8 * LAMBDA / eta * E(Total(pt.psi_of(at(t)), t, 1, T)) + summed(by_factor)
_start, _line, _c = of("osmd/C-T6-limit@explicit", _ERROR, None, {Lq: summed(loss_of)})
_PSI, _UP = pt.psi_of(at(t)), whole(above(share(t, j)))
_KEPT = 1 - omega(t) * (1 - FLOOR)
_MOST, _LOSSES = alpha / (1 - alpha), Total(loss_of(t), t, 1, T)
LIMIT = (
    _start.under(*(h for h in GIVEN if h.id in ("sum q", "omega", "ratio", "phi")), *_c)
    .step("tangent", by.fact("exp", -LAMBDA))
    .step("log sign", le(0, LAMBDA), by.linear("tangent", "c1", "c2"))
    .step("room", lt(0, 1 - alpha), by.linear("c1"))
    .step("psi alpha", by.apply(pt.PSI, {pt.share(m): share(t, m)}), over=ROUNDS)
    .step("psis", le(Total(_PSI, t, 1, T), T * alpha), by.sum_over(t, "psi alpha"))
    .step("mean psi", by.expectation("psis"))
    .step("balance", by.apply(pt.BALANCE, {pt.share(m): share(t, m)}))
    .step("small", le(omega(t), alpha, ROUNDS), by.linear("omega", "balance", "psi alpha"))
    .step("kept", lt(0, _KEPT, ROUNDS), by.linear({"small": 1, "ratio": FLOOR, "c1": 1}))
    .step("order", le(omega(t) * (1 - alpha), alpha * _KEPT, ROUNDS), by.linear("small", "ratio"))
    .step(
        "quotient",
        by.apply(
            BOTH,
            {quotients.top: omega(t), quotients.below: _KEPT, number: alpha, size: 1 - alpha},
            "order",
            "kept",
            "room",
        ),
    )
    .step("phi high", le(phi(t), _MOST, ROUNDS), by.linear({"quotient": 1, "phi": 1 / _KEPT}, "kept"))
    .step("lost", le(0, lost(t, m), ROUNDS, EACH), by.linear())
    .step("loss", le(0, loss_of(t), ROUNDS), by.sum_over(m, "lost", weight=1 / K))
    .step("factor", le(by_factor(t), _MOST * loss_of(t), ROUNDS), by.linear({"phi high": loss_of(t)}, "loss", "room"))
    .step("factors", le(Total(by_factor(t), t, 1, T), _MOST * _LOSSES), by.sum_over(t, "factor"))
    .step("mean", le(summed(by_factor), _MOST * E(_LOSSES)), by.expectation("factors"))
    .qed(_line, by.linear("mean psi", "mean", "log sign", "room"))
)

# The grid (22) -------------------------------------------------------------------------------------

eta1 = rates.eta1
RHO = eta / eta1
_b, _LOG2 = beta * LAMBDA, rates.LOG2
_VALUE, _SPREAD = log(M) + 2 * _b, 4 * LAMBDA / log(M) * (T - 1)
_STEPS = -floor(-log(1 + _SPREAD) / (2 * _LOG2))
_HERE = floor(log(RHO) / _LOG2)
_RATES = (
    Given("star", eq(eta, bounds.ETA), "the best rate (20)"),
    Given("least rate", eq(eta1, sqrt(2 * log(M) / T) / bounds.Q), "(22): the least rate of the grid"),
    Given("alpha", le(alpha, 1), "a share"),
)
_w = 1 / (bounds.Q**2 * T)
_SIGNS = (
    line("tangent", le(1 - LAMBDA, exp(-LAMBDA)), by.fact("exp", -LAMBDA)),
    line("log sign", le(0, LAMBDA), by.linear("tangent", "alpha", "c1")),
    line("log M", le(1 - log(M), exp(-log(M))), by.fact("exp", -log(M))),
    line("clients", le(Rational(1, 2), log(M)), by.linear("log M", "c1")),
    line("best", eq(eta**2 * bounds.Q**2 * T, 2 * _VALUE), by.linear(star=(eta + bounds.ETA) * bounds.Q**2 * T)),
    line("least", eq(eta1**2 * bounds.Q**2 * T, 2 * log(M)),
        by.linear({"least rate": (eta1 + sqrt(2 * log(M) / T) / bounds.Q) * bounds.Q**2 * T})),
)
_FAR = (
    line("far", le(eta**2 * log(M), eta1**2 * (log(M) + 4 * LAMBDA * (T - 1))),
        by.linear("best", "least", "c2", "log sign")),
    line("ratio", le(RHO**2, 1 + _SPREAD), by.linear("far", "clients")),
    line("spread", le(0, _SPREAD), by.linear({"log sign": 4 / log(M) * (T - 1)}, "clients")),
)
_size = log(1 + rates.b) / (2 * _LOG2)
REACH = (
    proof("osmd/grid-reach", "(23)", note="the last rate is large enough")
    .given("square", le(rates.ratio**2, 1 + rates.b), "how far the best rate can be")
    .step("log", by.apply(BACK, {P: 2 * log(rates.ratio), Q: log(1 + rates.b)}))
    .step("ceiling", le(floor(-_size), -_size), by.fact("floor", -_size))
    .step("steps", le(log(rates.ratio), -floor(-_size) * _LOG2), by.linear("log", "ceiling"))
    .qed(le(rates.ratio, exp(-floor(-_size) * _LOG2)),
        by.apply(rates.GROWS, {P: log(rates.ratio), Q: -floor(-_size) * _LOG2}))
)
_start, _line, _c = of("osmd/C-grid-range@printed", RHO / exp(_STEPS * _LOG2))
RANGE = (
    _start.under(*_RATES, *_c)
    .steps(*_SIGNS, *_FAR)
    .step("order", by.apply(REACH, {rates.ratio: RHO, rates.b: _SPREAD}, "ratio", "spread"))
    .qed(
        _line,
        by.apply(
            "osmd/quotient-most",
            {quotients.top: RHO, quotients.below: exp(_STEPS * _LOG2), quotients.factor: 1},
            "order",
            "spread",
        ),
        note="the E-th rate is 2^(E - 1) times the least",
    )
)
_NEAREST = RHO / exp(_HERE * _LOG2)
_ABOVE = (
    line("squares", le(eta1**2, eta**2), by.linear({"best": -_w, "least": _w, "log sign": 4 * beta * _w})),
    line("order", le(eta1, eta), by.linear(squares=1 / (eta + eta1))),
    line("above one", le(1, RHO), by.linear("order")),
)
_start, _line, _c = of("osmd/C-grid@printed", _NEAREST, "upper")
HIGH = _start.step("over", by.apply(rates.OVER, {rates.ratio: RHO})).qed(_line, by.linear("over"))
_start, _line, _c = of("osmd/C-grid@printed", _NEAREST, "lower")
LOW = _start.step("under", by.apply(rates.UNDER, {rates.ratio: RHO})).qed(_line, by.linear("under"))
WITHIN = (
    proof("osmd/grid-last-rate", "(22)", of="osmd/C-grid@printed",
        note="that rate is one of the E: no later than the last")
    .under(*_RATES, *_c)
    .steps(*_SIGNS, *_FAR)
    .qed(le(1 + _HERE, bounds.EXPERTS), by.apply(rates.LAST, {rates.ratio: RHO, rates.b: _SPREAD}, "ratio", "spread"))
)
FROM = (
    proof("osmd/grid-first-rate", "(22)", of="osmd/C-grid@printed", note="and no earlier than the first")
    .under(*_RATES, _c[0])
    .steps(*_SIGNS[:2], *_SIGNS[4:], *_ABOVE)
    .qed(le(0, _HERE), by.apply(rates.FIRST, {rates.ratio: RHO}))
)

THEOREMS = (DRIFT, LIMIT, REACH, RANGE, HIGH, LOW, WITHIN, FROM)
