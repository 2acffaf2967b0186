"""Short claims: comparators that ignore the draw, linear clients, the projection error for small floors, ranks."""

from __future__ import annotations

from sympy import Integer, Symbol, exp

from fltheory.papers.osmd.mirror.proofs import projection as point
from fltheory.papers.osmd.mirror.proofs.facts import UNCORRELATED, Y, weight
from fltheory.papers.osmd.mirror.proofs.lemmas import ESTIMATE, FLOOR, LAMBDA, counts, fed
from fltheory.papers.osmd.notation import B, K, Lq, M, T, alpha, eta, g, mu, sigma
from fltheory.papers.osmd.regret.proofs.paths import ROUNDS, t
from fltheory.papers.osmd.sampling.proofs.quotients import RULES
from fltheory.papers.osmd.sampling.proofs.sampling import b
from fltheory.proof import by, eq, le, lt, proof, statement_of
from fltheory.proof.facts.notation import j, logp, logq, m, whole
from fltheory.proof.facts.squares import N
from fltheory.proof.papers.quotients import below, factor, top
from fltheory.proof.terms import Dot, E, Nonnegative, Positive, RandomVector, Total, Vector, family, square
from fltheory.verification import find

# (6) against the loss of a comparator independent of the draw ---------------------------------------------------------

_RANDOM = find("osmd/C-6-random@corrected").bound
_true = whole(fed(j) * exp(-logq(j)))
_estimated = E(whole(fed(j) * exp(-logq(j)) * exp(-logp(j)) * counts(j)))
PREDICTABLE = (
    proof("osmd/6-random", of="osmd/C-6-random@corrected", bound=_RANDOM,
        note="given what was before the draw; K = 1 in osmd/6")
    .given("mean", eq(E(counts(m)), exp(logp(m)), (m, 1, M)), "one draw from p: q knows nothing of it")
    .given("positive", lt(0, _true), "some client has feedback; the quotient has no value else")
    .step("same", by.apply(ESTIMATE, {K: Integer(1)}))
    .qed(statement_of(_RANDOM, _estimated / _true)[0],
        by.apply(RULES.equal.id, {top: _estimated, below: _true, factor: Integer(1)}, "same", "positive"))
)

# Linear clients: the size of an answer --------------------------------------------------------------------------------

h, xi = family(Vector, "h")(), family(RandomVector, "xi")
_SCALE = find("osmd/C-T5scale@explicit").bound
_STEPS = (b, 1, B)
_c = Symbol("c", integer=True, positive=True)
_STATED_L, _IF_L = statement_of(_SCALE, E(square(mu * Total(h + xi(b), b, 1, B))) / (mu**2 * B))
LINEAR = (
    proof("osmd/T5-scale", of="osmd/C-T5scale@explicit", bound=_SCALE, unused=("c1",),
        note="the gradient h is the same everywhere")
    .given("gradient", eq(square(h), g**2), "the gradient of a linear client")
    .given("noise", eq(E(square(xi(b))), sigma**2, _STEPS), "the noise of a step has the variance sigma^2")
    .given("unbiased", eq(E(Dot(xi(b), h)), 0, _STEPS), "A3: noise has mean 0")
    .given("pairs", eq(E(Dot(xi(b), xi(_c))), 0, _STEPS, (_c, 1, b - 1)), "A3: and mean 0 given the earlier one")
    .under(*_IF_L)
    .step("1", by.apply(UNCORRELATED, {Y(b): xi(b), N: B, weight: Integer(1)}))
    .step("2", eq(Total(E(square(xi(b))), b, 1, B), B * sigma**2), by.sum_over(b, "noise"))
    .step("3", by.sum_over(b, "unbiased"))
    .qed(_STATED_L, by.linear({"1": 1 / B, "2": 1 / B, "3": 2, "gradient": B}))
)

# The projection error as the floor goes to 0 -----------------------------------------------------------------------------

share, lost = family(Nonnegative, "q"), family(Nonnegative, "lost")
omega, phi = family(Nonnegative, "omega"), family(Nonnegative, "phi")
_psi = whole(point.below(share(t, j)))
_loss = whole(lost(t, j)) / K
_LIMIT = find("osmd/C-T6-limit@explicit").bound
_READ = {Lq: Total(_loss, t, 1, T)}
_STATED_P, _IF_P = statement_of(_LIMIT, 8 * LAMBDA / eta * Total(_psi, t, 1, T) + Total(phi(t) * _loss, t, 1, T), _READ)
_phi, _size, _paid, rest = (*(family(Nonnegative, n)() for n in ("phi", "size", "paid")), Symbol("rest", positive=True))
SMALL = (
    proof("osmd/phi-small", "(19)")
    .given("factor", le(_phi * rest, _size), "phi is at most psi/(1 - alpha)")
    .given("psi", le(_size, alpha), "and psi at most alpha")
    .qed(le(_phi * _paid, alpha / rest * _paid), by.linear({"factor": _paid / rest, "psi": _paid / rest}))
)
LIMIT = (
    proof("osmd/T6-limit", of="osmd/C-T6-limit@explicit", bound=_LIMIT, reading=_READ,
        note="phi is at most psi/(1 - alpha)")
    .given("sum q", eq(whole(share(t, j)), 1, ROUNDS), "probabilities of the comparator, some perhaps 0")
    .given("omega", eq(omega(t) * whole(point.above(share(t, j))), _psi, ROUNDS), "omega of (19)")
    .given("phi", eq(phi(t) * (1 - omega(t) * (1 - FLOOR)), omega(t), ROUNDS), "phi of (19)")
    .under(*_IF_P)
    .step("psi", by.apply(point.PSI, {point.share(m): share(t, m)}), over=ROUNDS)
    .step("balance", by.apply(point.BALANCE, {point.share(m): share(t, m)}))
    .step("ratio", eq(omega(t) * (_psi + 1 - alpha), _psi, ROUNDS), by.linear({"omega": 1, "balance": -omega(t)}))
    .step("kept", le(phi(t) * (1 - omega(t)), omega(t), ROUNDS), by.linear({"phi": 1}))
    .step("below nothing", le(0, point.below(share(t, m)), ROUNDS, (m, 1, M)), by.linear())
    .step("psi low", le(0, _psi, ROUNDS), by.sum_over(m, "below nothing"))
    .step("mass", le(0, _psi + 1 - alpha, ROUNDS), by.linear({"psi low": 1, "c1": 1}))
    .step("factor", le(phi(t) * (1 - alpha), _psi, ROUNDS),
        by.linear({"kept": _psi + 1 - alpha, "ratio": 1 + phi(t)}, "mass"))
    .step("room", lt(0, 1 - alpha), by.linear({"c1": 1}))
    .step("lost each", le(0, lost(t, m), ROUNDS, (m, 1, M)), by.linear())
    .step("lost all", le(0, whole(lost(t, j)), ROUNDS), by.sum_over(m, "lost each"))
    .step("lost low", le(0, _loss, ROUNDS), by.linear({"lost all": 1 / K}))
    .step("small",
        by.apply(SMALL, {_phi: phi(t), _size: _psi, rest: 1 - alpha, _paid: _loss}, "factor", "psi", "psi low",
            "lost low", "room"))
    .step("losses", by.sum_over(t, "small"))
    .step("moved", le(Total(_psi, t, 1, T), T * alpha), by.sum_over(t, "psi"))
    .step("log 1", by.fact("exp", -LAMBDA))
    .step("log", le(0, LAMBDA), by.linear({"log 1": 1, "c1": 1 / M, "c2": 1 / M}))
    .qed(_STATED_P, by.linear({"losses": 1, "moved": 8 * LAMBDA / eta}, "log", "c1"))
)

# Algorithm 2: some rank passes ------------------------------------------------------------------------------------------

y, k = family(Positive, "y"), Symbol("k", integer=True, positive=True)
floored = Symbol("floored", integer=True, nonnegative=True)
_RANK = find("osmd/C-P12-rank@corrected").bound
_STATED_R, _IF_R = statement_of(_RANK, M - floored)
_FAILS = le(y(k) * (1 - (k - 1) * alpha / M), FLOOR * Total(y(j), j, k, M), (k, 1, floored))
_no = le(M, floored)
_number = Symbol("number", real=True)
NOTHING = (
    proof("osmd/nothing", "Algorithm 2", note="divided by a positive number")
    .given("none", le(_number * rest, 0), "a product")
    .qed(le(_number, 0), by.linear({"none": 1 / rest}))
)
RANK = (
    proof("osmd/P12-rank", of="osmd/C-P12-rank@corrected", bound=_RANK,
        note="the last rank passes: 1 - (M - 1) alpha/M > alpha/M")
    .given("fails", _FAILS, "m* is the first rank with v_k > u_k: those below it, as many as are floored, fail")
    .given("ranks", le(floored, M), "there are M ranks")
    .under(*_IF_R)
    .step("last", by.instance({k: M}, "fails"), assuming=_no)
    .step("room", lt(0, y(M) * (1 - alpha)), by.linear({"c1": y(M)}))
    .step("none", le(y(M) * (1 - alpha), 0), by.linear({"last": 1}), assuming=_no)
    .step("never", by.apply(NOTHING, {rest: y(M) * (1 - alpha), _number: Integer(1)}, "none", "room"), assuming=_no)
    .step("no", _STATED_R, by.linear({"never": 1, "ranks": 1}), assuming=_no, note="it passes")
    .step("yes", _STATED_R, by.linear({"assumed 1": 1}), assuming=le(floored, M - 1))
    .qed(_STATED_R, by.cases("yes", "no"))
)

THEOREMS = (PREDICTABLE, LINEAR, SMALL, LIMIT, NOTHING, RANK)
