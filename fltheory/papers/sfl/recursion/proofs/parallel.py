"""One round of parallel federated learning with S of M clients, convex case: U11, U12.

As in the sequential case, with the steps of one client in place of all earlier steps: every client starts at ``x``, the
round ends in the mean of their last models. ``y(n, k)`` is the model after k steps of the client in place n + 1.
"""

from __future__ import annotations

from sympy import Max, Rational

from fltheory.papers.sfl.notation import K, L, M, S, eta, mu, sigma, zeta_star
from fltheory.papers.sfl.recursion import bounds as formula
from fltheory.papers.sfl.recursion.proofs.drift import catalogued
from fltheory.papers.sfl.recursion.proofs.facts import PART, p, q, r
from fltheory.papers.sfl.recursion.proofs.round import (AFTER, DISTANCE, DRIFT, FEW, GAP, LOCAL, PAST, RISE, SETTING,
    SLOPE, STEP, TERM, P, Q, after, best, client, drift_part, g, i, j, k, l, n, per_step, slope_part, spread_part, x,
    xi, y)
from fltheory.papers.sfl.recursion.proofs.round import ROUND as SEQUENTIAL
from fltheory.proof import Axiom, Defines, Given, by, eq, le, line, proof
from fltheory.proof.terms import Dot, E, Total, Vector, family, square


def own(of, count=k):
    """Return the sum over the first steps of the client in place n + 1."""
    return Total(of(n, j), j, 0, count - 1)


# The setting: noise of one client along its steps, and of different clients ----------------------------------------

OWN_PAST = Given("own past", eq(E(Dot(own(xi), xi(n, k))), 0, *STEP),
    "stochastic gradients are unbiased: noise has mean zero given the client's past")
OTHERS = Given("others", eq(E(Dot(Total(Total(xi(i, j), j, 0, K - 1), i, 0, n - 1), xi(n, k))), 0, *STEP),
    "stochastic gradients of different clients are independent given the round's start, and unbiased")
START_AT_X = Given("local", eq(y(n, k), x - eta * own(g), *STEP), "the local steps, all clients start at x")
MEAN = Defines("after", after, x - eta / S * per_step(g(n, k)), "the mean of the clients' last models")
PARALLEL = (*(h for h in SETTING if h not in (LOCAL, AFTER, PAST)), START_AT_X, MEAN, OWN_PAST, OTHERS)
CAP = Given("c1", le(eta * K, 1 / (6 * L)), "condition of the bound")
CAPPED = (
    line("cap 1", le(L * eta * K, Rational(1, 6)), by.linear("c1")),
    line("cap 0", le(0, L * eta * K), by.linear()),
    line("cap 2", le((L * eta * K) ** 2, Rational(1, 36)), by.power(2, "cap 0", "cap 1"), note="the step is small"),
)

# U11: the drift ----------------------------------------------------------------------------------------------------

_VECTORS = tuple(family(Vector, name)() for name in "abcd")
_FOUR = le(square(own(g)),
    4 * (square(own(xi)) + square(own(drift_part)) + k**2 * square(slope_part(n)) + k**2 * square(spread_part(n))),
    *STEP)
_NOISE = le(E(square(own(xi))), k * sigma**2)
_MOVED = square(y(n, i) - x)
_CLIENT = Total(E(square(y(n, k) - x)), k, 0, K - 1)
_SUM, _SUM2 = K * (K - 1) / 2, K * (K - 1) * (2 * K - 1) / 6
_FAR = le(DRIFT, S * K**2 * eta**2 * (Rational(9, 4) * sigma**2 + Rational(3, 2) * K * zeta_star**2 + 3 * L * K * GAP))
DRIFT_OF = (
    proof("sfl/parallel-drift", "proof of Theorem 7", note="the drift of S parallel clients")
    .under(*(h for h in PARALLEL if h.id not in ("order", "after", "start", "draw gap", "others", "two")), FEW, CAP)
    .step("split", _FOUR,
        by.apply("sfl/four",
            dict(zip(_VECTORS, (own(xi), own(drift_part), k * slope_part(n), k * spread_part(n)), strict=True))),
        inserting="gradient", note="noise, drift, slope and spread")
    .step("split in mean", by.expectation("split"))
    .step("noise 0", le(E(square(own(xi, 0))), 0, (n, 0, S - 1)), by.linear())
    .step("noise 1", le(E(square(own(xi, k + 1))), (k + 1) * sigma**2, *STEP), by.linear("own past", "variance"),
        assuming=_NOISE, note="one step more: the cross term vanishes")
    .step("noise", le(_NOISE.left, _NOISE.right, (n, 0, S - 1), (k, 0, K)), by.induction(k, "noise 0", "noise 1"))
    .step("drift 1", le(square(own(drift_part)), k * Total(square(drift_part(n, j)), j, 0, k - 1), *STEP),
        by.apply("sfl/jensen",
            {family(Vector, "v")(n, k): drift_part(n, k), family(Vector, "w")(l): drift_part(n, l), p: 0, q: 0, r: k}))
    .step("drift 2", le(square(drift_part(n, j)), L**2 * square(y(n, j) - x), *STEP, (j, 0, k - 1)),
        by.linear((1, Axiom("lipschitz", client(n), y(n, j), x)), "class"), note="smoothness")
    .step("drift 3",
        le(Total(square(drift_part(n, j)), j, 0, k - 1), L**2 * Total(square(y(n, j) - x), j, 0, k - 1), *STEP),
        by.sum_over(j, "drift 2"))
    .step("moved", le(0, _MOVED, *STEP, (i, 0, K - 1)), by.sos())
    .step("whole client", by.apply(PART, {TERM: _MOVED, P: k, Q: K - k}), note="a part of the steps of a client")
    .step("drift 4", le(square(own(drift_part)), L**2 * k * Total(_MOVED, i, 0, K - 1), *STEP),
        by.linear("drift 1", "drift 3", "whole client"))
    .step("drift", le(E(square(own(drift_part))), L**2 * k * _CLIENT, *STEP), by.expectation("drift 4"))
    .steps(*SLOPE)
    .step("move", eq(square(y(n, k) - x), eta**2 * square(own(g)), *STEP), by.linear(local=y(n, k) - x - eta * own(g)),
        note="the local steps")
    .step("far away", eq(E(square(y(n, k) - x)), eta**2 * E(square(own(g))), *STEP), by.expectation("move"))
    .step(
        "1",
        le(
            E(square(y(n, k) - x)),
            4 * eta**2 * (k * sigma**2 + L**2 * k * _CLIENT + k**2 * (2 * L * GAP + zeta_star**2)),
            *STEP,
        ),
        by.linear(
            {
                "far away": 1,
                "split in mean": eta**2,
                "noise": 4 * eta**2,
                "drift": 4 * eta**2,
                "slope 5": 4 * eta**2 * k**2,
                "one": 4 * eta**2 * k**2,
                "spread": 4 * eta**2 * k**2 / M,
            },
            "few",
        ),
        note="the client drawn is the average one",
    )
    .step("2",
        le(DRIFT, 4 * eta**2 * (_SUM * (S * sigma**2 + L**2 * DRIFT) + S * _SUM2 * (2 * L * GAP + zeta_star**2))),
        by.sum_over((k, n), "1"), note="sums of k and k^2")
    .steps(*RISE, *CAPPED)
    .step("k", le(_SUM, K**2 / 2), by.linear(), note="the sum of k")
    .step("k2 1", le((K - 1) * (2 * K - 1), 2 * K**2), by.polynomial())
    .step("k2", le(_SUM2, K**3 / 3), by.linear("k2 1"), note="the sum of k^2")
    .step("k drift", le(_SUM * DRIFT, K**2 / 2 * DRIFT), by.linear("k", "far"))
    .step("k2 gap", le(_SUM2 * GAP, K**3 / 3 * GAP), by.linear("k2", "rise"))
    .step("cap drift", le((L * eta * K) ** 2 * DRIFT, DRIFT / 36), by.linear("cap 2", "far"))
    .step("3",
        le(Rational(17, 18) * DRIFT, 4 * eta**2 * S * (K**2 / 2 * sigma**2 + K**3 / 3 * (2 * L * GAP + zeta_star**2))),
        by.linear("2", "k", "k drift", "k2 gap", "k2", "cap drift"), note="1 - 4/2/36 = 17/18")
    .qed(_FAR, by.linear("3", "rise"), note="36/17 <= 9/4, 24/17 <= 3/2 and 48/17 <= 3")
)

# U11: one round ------------------------------------------------------------------------------------------------------

_SHRUNK = (1 - mu * eta * K / 2) * DISTANCE
_SAMPLING = (M - S) / (S * Max(M - 1, 1))
_ONE_ROUND = le(E(square(after - best)) - Rational(8, 3) * L * eta / S * DRIFT,
    _SHRUNK + 4 * eta**2 * K * sigma**2 / S - Rational(2, 3) * eta * K * GAP + 4 * eta**2 * K**2 * zeta_star**2 * _SAMPLING)
ROUND = (
    proof("sfl/parallel-round", "proof of Theorem 7", note="one round of S parallel clients")
    .under(*(h for h in PARALLEL if h.id != "local"), FEW, CAP)
    .step(PAST.id, PAST.relation, by.linear("own past", "others"),
        note="client after client, noise has mean zero against all before it")
    .qed(_ONE_ROUND, by.apply(SEQUENTIAL, {eta: eta / S}), inserting=("after", "gradient"),
        note="nothing was asked of the local models there: the same with step eta / S")
)

# U11, U12: the recursion ---------------------------------------------------------------------------------------------

NEXT = (
    proof("sfl/parallel-next", "proof of Theorem 7", note="the recursion of S parallel clients")
    .under(*PARALLEL, FEW, CAP)
    .step("1", by.apply(ROUND), inserting=("after", "gradient"), note="one round")
    .step("2", by.apply(DRIFT_OF), inserting="gradient", note="its drift")
    .steps(*RISE[:4], *CAPPED)
    .step("cap 3", le(8 * (L * eta * K) ** 2 * eta * K * GAP, Rational(2, 9) * eta * K * GAP),
        by.linear("cap 2", "rise"))
    .qed(
        le(
            E(square(after - best)),
            _SHRUNK
            - eta * K * GAP / 3
            + 4 * eta**2 * K * sigma**2 / S
            + 4 * (eta * K) ** 2 * zeta_star**2 * _SAMPLING
            + 6 * L * (eta * K) ** 3 * sigma**2 / K
            + 4 * L * (eta * K) ** 3 * zeta_star**2,
        ),
        by.linear("1", "2", "cap 3", "rise"),
        note="-2/3 + 8/36 = -4/9 <= -1/3; 8/3 times 9/4 = 6, times 3/2 = 4",
    )
)

_SQUARED = E(square(after - best))
U11_DRIFT = catalogued("sfl/U11-drift", "sfl/U11-drift@explicit", formula.U11_DRIFT, DRIFT, DRIFT_OF, True)
U11_ROUND = catalogued("sfl/U11-round", "sfl/U11-round@explicit", formula.U11_ROUND,
    _SQUARED - formula.U11_ROUND_DRIFT * DRIFT, ROUND, True)
U11 = catalogued("sfl/U11", "sfl/U11@explicit", formula.U11, _SQUARED, NEXT, True)
U12_DRIFT = catalogued("sfl/U12-PFL-drift", "sfl/U12-PFL-drift@explicit", formula.U12_PFL_DRIFT, DRIFT, DRIFT_OF)
U12 = catalogued("sfl/U12-PFL", "sfl/U12-PFL@explicit", formula.U12_PFL, _SQUARED, NEXT)

THEOREMS = (DRIFT_OF, ROUND, NEXT, U11_DRIFT, U11_ROUND, U11, U12_DRIFT, U12)
