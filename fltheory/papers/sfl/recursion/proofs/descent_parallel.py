"""One round of parallel clients with a server step, non-convex case, with full participation: U11.

The order of the clients is arbitrary, as it does not affect parallel clients. The round is that of ``descent``.
"""

from __future__ import annotations

from sympy import Rational

from fltheory.papers.sfl.notation import K, L, M, S, beta, eta, gamma, sigma, zeta
from fltheory.papers.sfl.recursion import bounds as formula
from fltheory.papers.sfl.recursion.proofs import parallel
from fltheory.papers.sfl.recursion.proofs.descent import (CLASS, FAR, G2, NEW_GAP, OWN, ROUND, SIGNS, SLOPE, UNIFORM, V,
    catalogued, every, own_part, theta)
from fltheory.papers.sfl.recursion.proofs.draws import X, drawn
from fltheory.papers.sfl.recursion.proofs.drift import full
from fltheory.papers.sfl.recursion.proofs.parallel import CAP, CAPPED, OTHERS, OWN_PAST, START_AT_X, own
from fltheory.papers.sfl.recursion.proofs.round import (GRADIENT, PAST, STEP, VARIANCE, F, a, drift_part, g, k, n, x,
    xi, y)
from fltheory.proof import by, eq, le, line, proof
from fltheory.proof.terms import E, Grad, RandomVector, Total, Vector, family, square

# All clients, drawn ---------------------------------------------------------------------------------------------------

_CENTRE = family(RandomVector, "c")()
REORDERED = proof("sfl/all-drawn", "Theorem 16, proof", note="a sum over all clients in any order").qed(
    eq(Total(E(square(drawn(n) - _CENTRE)), n, 0, M - 1), Total(E(square(X(a) - _CENTRE)), a, 1, M)), by.linear(),
    note="an order takes each client once")

# The distance of a local model ----------------------------------------------------------------------------------------

_VECTORS = tuple(family(Vector, name)() for name in "abcd")
_PARTS = (own(xi), own(drift_part), k * SLOPE, k * own_part(n))
_SPLIT = le(square(own(g)), 4 * sum(square(part) for part in _PARTS), *STEP)
_CLIENT = Total(E(square(y(n, k) - x)), k, 0, K - 1)
_AWAY = le(E(square(y(n, k) - x)),
    4 * eta**2 * (k * sigma**2 + L**2 * k * _CLIENT + k**2 * (G2 + E(square(own_part(n))))), *STEP)
_SMOOTH = ("noise 0", "noise 1", "noise", "drift 1", "drift 2", "drift 3", "moved", "whole client", "drift 4", "drift")
_KEPT = tuple(s for s in parallel.DRIFT_OF.steps if s.id in (*_SMOOTH, "move", "far away"))  # there without convexity
AWAY = (
    proof("sfl/parallel-steps-nc", "Theorem 16, proof", note="how far a local model of a parallel client is")
    .under(CLASS, GRADIENT, START_AT_X, VARIANCE, OWN_PAST)
    .step("split", _SPLIT, by.apply("sfl/four", dict(zip(_VECTORS, _PARTS, strict=True))), inserting="gradient",
        note="noise, drift, the global gradient and the rest of the client's own")
    .step("split in mean", by.expectation("split"))
    .steps(*_KEPT)
    .qed(_AWAY, by.linear("far away", "split in mean", "noise", "drift"))
)

# U11: the drift --------------------------------------------------------------------------------------------------------

_SUM, _SUM2 = K * (K - 1) / 2, K * (K - 1) * (2 * K - 1) / 6
_DRAWN = Total(E(square(own_part(n))), n, 0, M - 1)
_THREE_HALVES = Rational(3, 2)
DRIFT_OF = (
    proof("sfl/parallel-drift-nc", "Theorem 16, proof", note="the drift of parallel clients")
    .under(*full((CLASS, GRADIENT, START_AT_X, VARIANCE, OWN_PAST)), UNIFORM, CAP)
    .step("1", by.apply(AWAY, {S: M}), inserting="gradient")
    .step("2", le(FAR, 4 * eta**2 * (_SUM * (M * sigma**2 + L**2 * FAR) + _SUM2 * (M * G2 + _DRAWN))),
        by.sum_over((k, n), "1"), note="sums of k and k^2")
    .step("all", by.apply(REORDERED, {X(a): Grad(F(a), x), _CENTRE: SLOPE}))
    .steps(*SIGNS, *OWN, *CAPPED)
    .step("k", le(_SUM, K**2 / 2), by.linear(), note="the sum of k")
    .step("k2 1", le((K - 1) * (2 * K - 1), 2 * K**2), by.polynomial())
    .step("k2", le(_SUM2, K**3 / 3), by.linear("k2 1"), note="the sum of k^2")
    .step("k drift", le(_SUM * FAR, K**2 / 2 * FAR), by.linear("k", "far"))
    .step("k2 steep", le(_SUM2 * G2, K**3 / 3 * G2), by.linear("k2", "steep"))
    .step("k2 own", le(_SUM2 * V, K**3 / 3 * V), by.linear("k2", "own"))
    .step("cap drift", le((L * eta * K) ** 2 * FAR, FAR / 36), by.linear("cap 2", "far"))
    .step("3", le(Rational(17, 18) * FAR, 4 * eta**2 * M * (K**2 / 2 * sigma**2 + K**3 / 3 * (G2 + V))),
        by.linear("2", "all", "k", "k drift", "k2 steep", "k2 own", "cap drift"), note="1 - 4/2/36 = 17/18")
    .step("4",
        le(FAR,
            eta**2 * M * K**2 * (Rational(36, 17) * sigma**2 + Rational(24, 17) * K * ((1 + beta**2) * G2 + zeta**2))),
        by.linear("3", "uniform"))
    .qed(
        le(FAR,
            M * K**2 * eta**2 * (Rational(9, 4) * sigma**2 + _THREE_HALVES * K * zeta**2 + _THREE_HALVES * (1 + beta**2) * K * G2)),
        by.linear("4", "steep"), note="36/17 <= 9/4 and 24/17 <= 3/2")
)

# The catalogue's statements -------------------------------------------------------------------------------------------

_PAST = line(PAST.id, every(PAST.relation), by.linear("own past", "others"),
    note="client after client, noise has mean zero against all before it")
U11_DRIFT = catalogued("sfl/U11-NC-drift", "sfl/U11-NC-drift@explicit", formula.U11_NC_DRIFT, FAR, DRIFT_OF)
U11_ROUND = catalogued("sfl/U11-NC-round", "sfl/U11-NC-round@explicit", formula.U11_NC_ROUND,
    NEW_GAP - formula.U11_NC_ROUND_DRIFT * FAR, ROUND, ((theta, eta * gamma / M),), ("c2",), (_PAST,),
    full((OWN_PAST, OTHERS)))

THEOREMS = (REORDERED, AWAY, DRIFT_OF, U11_DRIFT, U11_ROUND)
