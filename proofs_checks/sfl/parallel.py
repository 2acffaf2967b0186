"""One round of parallel federated learning with S of M clients, convex case: U11, U12.

As in the sequential case, with steps of one client in place of all steps before: every client starts at ``x``, the
round ends in the mean of their last models. ``y(n, k)`` is the model after k steps of the client in place n + 1.
"""

from __future__ import annotations

from sympy import Max, Rational

from fltheory.papers.sfl.bounds import lemmas as formula
from fltheory.papers.sfl.letters import K, L, M, S, eta, mu, sigma, zeta_star
from fltheory.proof.language import (
    Apply,
    Combine,
    Defines,
    Expected,
    Given,
    Gram,
    Induction,
    Polynomial,
    Power,
    Step,
    Summed,
    Theorem,
    eq,
    le,
)
from fltheory.proof.rules.axioms import Axiom
from fltheory.proof.terms import Dot, E, Total, Vector, family, square
from proofs_checks.sfl.drift import catalogued
from proofs_checks.sfl.facts import p, q, r
from proofs_checks.sfl.round import (
    AFTER,
    DISTANCE,
    DRIFT,
    FEW,
    GAP,
    LOCAL,
    PAST,
    RISE,
    SETTING,
    SLOPE,
    STEP,
    TERM,
    P,
    Q,
    after,
    best,
    client,
    drift_part,
    g,
    i,
    j,
    k,
    l,
    n,
    per_step,
    slope_part,
    spread_part,
    x,
    xi,
    y,
)
from proofs_checks.sfl.round import ROUND as SEQUENTIAL


def own(of, count=k):
    """The sum over the first steps of the client in place n + 1."""
    return Total(of(n, j), j, 0, count - 1)


# The setting: noise of one client along its steps, and of different clients ----------------------------------------

_OTHERS = Total(Total(xi(i, j), j, 0, K - 1), i, 0, n - 1)
OWN_PAST = Given(
    "own past",
    eq(E(Dot(own(xi), xi(n, k))), 0, *STEP),
    "stochastic gradients are unbiased: noise has mean zero given the client's past",
)
OTHERS = Given(
    "others",
    eq(E(Dot(_OTHERS, xi(n, k))), 0, *STEP),
    "stochastic gradients of different clients are independent given the round's start, and unbiased",
)
START_AT_X = Given("local", eq(y(n, k), x - eta * own(g), *STEP), "the local steps, all clients start at x")
MEAN = Defines("after", after, x - eta / S * per_step(g(n, k)), "the mean of the clients' last models")
PARALLEL = (*(h for h in SETTING if h not in (LOCAL, AFTER, PAST)), START_AT_X, MEAN, OWN_PAST, OTHERS)
CAP = Given("c1", le(eta * K, 1 / (6 * L)), "condition of the bound")
CAPPED = (
    Step("cap 1", le(L * eta * K, Rational(1, 6)), Combine({"c1": L}), ("c1",)),
    Step("cap 0", le(0, L * eta * K), Combine()),
    Step("cap 2", le((L * eta * K) ** 2, Rational(1, 36)), Power(2), ("cap 0", "cap 1"), note="the step is small"),
)

# U11: the drift ----------------------------------------------------------------------------------------------------

_VECTORS = tuple(family(Vector, name)() for name in "abcd")
_FOUR = le(
    square(own(g)),
    4 * (square(own(xi)) + square(own(drift_part)) + k**2 * square(slope_part(n)) + k**2 * square(spread_part(n))),
    *STEP,
)
_NOISE = le(E(square(own(xi))), k * sigma**2)
_MOVED = square(y(n, i) - x)
_CLIENT = Total(E(square(y(n, k) - x)), k, 0, K - 1)
_SUM, _SUM2 = K * (K - 1) / 2, K * (K - 1) * (2 * K - 1) / 6
_FAR = le(DRIFT, S * K**2 * eta**2 * (Rational(9, 4) * sigma**2 + Rational(3, 2) * K * zeta_star**2 + 3 * L * K * GAP))
DRIFT_OF = Theorem(
    "sfl/parallel-drift",
    _FAR,
    (*(h for h in PARALLEL if h.id not in ("order", "after", "start", "draw gap", "others", "two")), FEW, CAP),
    (
        Step(
            "split",
            _FOUR,
            Apply(
                "sfl/four",
                dict(zip(_VECTORS, (own(xi), own(drift_part), k * slope_part(n), k * spread_part(n)), strict=True)),
            ),
            (),
            ("gradient",),
            note="noise, drift, slope and spread",
        ),
        Step("split in mean", le(E(_FOUR.left), E(_FOUR.right), *STEP), Expected(), ("split",)),
        Step("noise 0", le(E(square(own(xi, 0))), 0, (n, 0, S - 1)), Combine()),
        Step(
            "noise 1",
            le(E(square(own(xi, k + 1))), (k + 1) * sigma**2, *STEP),
            Combine({"assumed 1": 1, "own past": 2, "variance": 1}),
            ("own past", "variance"),
            (),
            (_NOISE,),
            note="one step more: the cross term vanishes",
        ),
        Step("noise", le(_NOISE.left, _NOISE.right, (n, 0, S - 1), (k, 0, K)), Induction(k), ("noise 0", "noise 1")),
        Step(
            "drift 1",
            le(square(own(drift_part)), k * Total(square(drift_part(n, j)), j, 0, k - 1), *STEP),
            Apply(
                "sfl/jensen",
                {
                    family(Vector, "v")(n, k): drift_part(n, k),
                    family(Vector, "w")(l): drift_part(n, l),
                    p: 0,
                    q: 0,
                    r: k,
                },
            ),
        ),
        Step(
            "drift 2",
            le(square(drift_part(n, j)), L**2 * square(y(n, j) - x), *STEP, (j, 0, k - 1)),
            Combine(axioms=((1, Axiom("lipschitz", client(n), y(n, j), x)),)),
            ("class",),
            note="smoothness",
        ),
        Step(
            "drift 3",
            le(Total(square(drift_part(n, j)), j, 0, k - 1), L**2 * Total(square(y(n, j) - x), j, 0, k - 1), *STEP),
            Summed((j,)),
            ("drift 2",),
        ),
        Step("moved", le(0, _MOVED, *STEP, (i, 0, K - 1)), Gram()),
        Step(
            "whole client",
            le(Total(_MOVED, i, 0, k - 1), Total(_MOVED, i, 0, K - 1), *STEP),
            Apply("sfl/part", {TERM: _MOVED, P: k, Q: K - k}),
            ("moved",),
            note="a part of the steps of a client",
        ),
        Step(
            "drift 4",
            le(square(own(drift_part)), L**2 * k * Total(_MOVED, i, 0, K - 1), *STEP),
            Combine({"drift 1": 1, "drift 3": k, "whole client": L**2 * k}),
            ("drift 1", "drift 3", "whole client"),
        ),
        Step("drift", le(E(square(own(drift_part))), L**2 * k * _CLIENT, *STEP), Expected(), ("drift 4",)),
        *SLOPE,
        Step(
            "move",
            eq(square(y(n, k) - x), eta**2 * square(own(g)), *STEP),
            Combine({"local": y(n, k) - x - eta * own(g)}),
            ("local",),
            note="the local steps",
        ),
        Step("far away", eq(E(square(y(n, k) - x)), eta**2 * E(square(own(g))), *STEP), Expected(), ("move",)),
        Step(
            "1",
            le(
                E(square(y(n, k) - x)),
                4 * eta**2 * (k * sigma**2 + L**2 * k * _CLIENT + k**2 * (2 * L * GAP + zeta_star**2)),
                *STEP,
            ),
            Combine(
                {
                    "far away": 1,
                    "split in mean": eta**2,
                    "noise": 4 * eta**2,
                    "drift": 4 * eta**2,
                    "slope 5": 4 * eta**2 * k**2,
                    "one": 4 * eta**2 * k**2,
                    "spread": 4 * eta**2 * k**2 / M,
                }
            ),
            ("far away", "split in mean", "noise", "drift", "slope 5", "one", "spread", "few"),
            note="the client drawn is the average one",
        ),
        Step(
            "2",
            le(DRIFT, 4 * eta**2 * (_SUM * (S * sigma**2 + L**2 * DRIFT) + S * _SUM2 * (2 * L * GAP + zeta_star**2))),
            Summed((k, n)),
            ("1",),
            note="sums of k and k^2",
        ),
        *RISE,
        *CAPPED,
        Step("k", le(_SUM, K**2 / 2), Combine(), note="the sum of k"),
        Step("k2 1", le((K - 1) * (2 * K - 1), 2 * K**2), Polynomial()),
        Step("k2", le(_SUM2, K**3 / 3), Combine({"k2 1": K / 6}), ("k2 1",), note="the sum of k^2"),
        Step("k drift", le(_SUM * DRIFT, K**2 / 2 * DRIFT), Combine({"k": DRIFT}), ("k", "far")),
        Step("k2 gap", le(_SUM2 * GAP, K**3 / 3 * GAP), Combine({"k2": GAP}), ("k2", "rise")),
        Step("cap drift", le((L * eta * K) ** 2 * DRIFT, DRIFT / 36), Combine({"cap 2": DRIFT}), ("cap 2", "far")),
        Step(
            "3",
            le(
                Rational(17, 18) * DRIFT,
                4 * eta**2 * S * (K**2 / 2 * sigma**2 + K**3 / 3 * (2 * L * GAP + zeta_star**2)),
            ),
            Combine(
                {
                    "2": 1,
                    "k": 4 * eta**2 * S * sigma**2,
                    "k drift": 4 * eta**2 * L**2,
                    "k2 gap": 8 * eta**2 * L * S,
                    "k2": 4 * eta**2 * S * zeta_star**2,
                    "cap drift": 2,
                }
            ),
            ("2", "k", "k drift", "k2 gap", "k2", "cap drift"),
            note="1 - 4/2/36 = 17/18",
        ),
        Step(
            "4",
            _FAR,
            Combine({"3": Rational(18, 17), "rise": L * eta**2 * S * K**3 * Rational(3, 17)}),
            ("3", "rise"),
            note="36/17 <= 9/4, 24/17 <= 3/2 and 48/17 <= 3",
        ),
    ),
    place="proof of Theorem 7",
    note="the drift of S parallel clients",
)

# U11: one round ------------------------------------------------------------------------------------------------------

_SHRUNK = (1 - mu * eta * K / 2) * DISTANCE
_SAMPLING = (M - S) / (S * Max(M - 1, 1))
_ONE_ROUND = le(
    E(square(after - best)) - Rational(8, 3) * L * eta / S * DRIFT,
    _SHRUNK
    + 4 * eta**2 * K * sigma**2 / S
    - Rational(2, 3) * eta * K * GAP
    + 4 * eta**2 * K**2 * zeta_star**2 * _SAMPLING,
)
ROUND = Theorem(
    "sfl/parallel-round",
    _ONE_ROUND,
    (*(h for h in PARALLEL if h.id != "local"), FEW, CAP),
    (
        Step(
            PAST.id,
            PAST.relation,
            Combine({"own past": 1, "others": 1}),
            ("own past", "others"),
            note="client after client, noise has mean zero against all before it",
        ),
        Step(
            "1",
            _ONE_ROUND,
            Apply("sfl/round", {eta: eta / S}),
            tuple(h.id for h in SEQUENTIAL.hypotheses if not isinstance(h, Defines)),
            ("after", "gradient"),
            note="nothing was asked of the local models there: the same with step eta / S",
        ),
    ),
    place="proof of Theorem 7",
    note="one round of S parallel clients",
)

# U11, U12: the recursion ---------------------------------------------------------------------------------------------

_NEXT = le(
    E(square(after - best)),
    _SHRUNK
    - eta * K * GAP / 3
    + 4 * eta**2 * K * sigma**2 / S
    + 4 * (eta * K) ** 2 * zeta_star**2 * _SAMPLING
    + 6 * L * (eta * K) ** 3 * sigma**2 / K
    + 4 * L * (eta * K) ** 3 * zeta_star**2,
)
NEXT = Theorem(
    "sfl/parallel-next",
    _NEXT,
    (*PARALLEL, FEW, CAP),
    (
        Step(
            "1",
            _ONE_ROUND,
            Apply("sfl/parallel-round"),
            tuple(h.id for h in ROUND.hypotheses if not isinstance(h, Defines)),
            ("after", "gradient"),
            note="one round",
        ),
        Step(
            "2",
            _FAR,
            Apply("sfl/parallel-drift"),
            tuple(h.id for h in DRIFT_OF.hypotheses if not isinstance(h, Defines)),
            ("gradient",),
            note="its drift",
        ),
        *RISE[:4],
        *CAPPED,
        Step(
            "cap 3",
            le(8 * (L * eta * K) ** 2 * eta * K * GAP, Rational(2, 9) * eta * K * GAP),
            Combine({"cap 2": 8 * eta * K * GAP}),
            ("cap 2", "rise"),
        ),
        Step(
            "3",
            _NEXT,
            Combine({"1": 1, "2": Rational(8, 3) * L * eta / S, "cap 3": 1, "rise": eta * K / 9}),
            ("1", "2", "cap 3", "rise"),
            note="-2/3 + 8/36 = -4/9 <= -1/3; 8/3 times 9/4 = 6, times 3/2 = 4",
        ),
    ),
    place="proof of Theorem 7",
    note="the recursion of S parallel clients",
)

_SQUARED = E(square(after - best))
U11_DRIFT = catalogued("sfl/U11-drift", "sfl/U11-drift@explicit", formula.U11_DRIFT, DRIFT, DRIFT_OF, True)
U11_ROUND = catalogued(
    "sfl/U11-round",
    "sfl/U11-round@explicit",
    formula.U11_ROUND,
    _SQUARED - formula.U11_ROUND_DRIFT * DRIFT,
    ROUND,
    True,
)
U11 = catalogued("sfl/U11", "sfl/U11@explicit", formula.U11, _SQUARED, NEXT, True)
U12_DRIFT = catalogued("sfl/U12-PFL-drift", "sfl/U12-PFL-drift@explicit", formula.U12_PFL_DRIFT, DRIFT, DRIFT_OF)
U12 = catalogued("sfl/U12-PFL", "sfl/U12-PFL@explicit", formula.U12_PFL, _SQUARED, NEXT)

THEOREMS = (DRIFT_OF, ROUND, NEXT, U11_DRIFT, U11_ROUND, U11, U12_DRIFT, U12)
