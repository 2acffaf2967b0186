"""The drift of a round and the recursion of sequential federated learning, convex case: U4, U5, U6, U12."""

from __future__ import annotations

from dataclasses import replace

from sympy import Max, Rational

from fltheory.papers.sfl.bounds import lemmas as formula
from fltheory.papers.sfl.letters import K, L, M, S, eta, sigma, zeta_star
from fltheory.proof.language import (
    Apply,
    Combine,
    Defines,
    Expected,
    Given,
    Member,
    Polynomial,
    Power,
    Step,
    Summed,
    Theorem,
    eq,
    le,
    stated,
)
from fltheory.proof.terms import E, square, substitute
from proofs_checks.sfl.round import (
    BLOCK,
    CAP,
    DRAWN,
    DRIFT,
    FEW,
    GAP,
    LEMMA,
    ONE_ROUND,
    READING,
    RISE,
    ROUND,
    SETTING,
    SHRUNK,
    SPREADS,
    SQUARED_SUM,
    STEP,
    B,
    after,
    best,
    g,
    k,
    n,
    so_far,
    x,
    y,
)

# U5: the drift -----------------------------------------------------------------------------------------------------

_SUM_B, _SUM_B2 = S * K * (S * K - 1) / 2, S * K * (S * K - 1) * (2 * S * K - 1) / 6
_SUM_BLOCK = K**3 * S * (S - 1) / 2 + S * K * (K - 1) * (2 * K - 1) / 6
_FAR = le(
    DRIFT, S**2 * K**2 * eta**2 * (Rational(9, 4) * sigma**2 + Rational(9, 4) * K * zeta_star**2 + 3 * L * S * K * GAP)
)
DRIFT_OF = Theorem(
    "sfl/drift",
    _FAR,
    (*(h for h in SETTING if h.id not in ("order", "after", "start", "draw gap")), FEW, CAP),
    (
        Step("1", SQUARED_SUM, Apply("sfl/steps"), LEMMA, ("gradient",), note="the squared sum of gradients"),
        Step(
            "2",
            le(BLOCK, (K**2 * n + k**2) * zeta_star**2, (n, 0, M - 1), (k, 0, K - 1)),
            Apply("sfl/block", SPREADS.at),
            DRAWN,
            note="draws without replacement",
        ),
        Step(
            "move",
            eq(square(y(n, k) - x), eta**2 * square(so_far(g)), *STEP),
            Combine({"local": y(n, k) - x - eta * so_far(g)}),
            ("local",),
            note="the local steps",
        ),
        Step("moved", eq(E(square(y(n, k) - x)), eta**2 * E(square(so_far(g))), *STEP), Expected(), ("move",)),
        Step(
            "3",
            le(
                E(square(y(n, k) - x)),
                4 * eta**2 * (B * sigma**2 + L**2 * B * DRIFT + 2 * L * B**2 * GAP + (K**2 * n + k**2) * zeta_star**2),
                *STEP,
            ),
            Combine({"moved": 1, "1": eta**2, "2": 4 * eta**2}),
            ("moved", "1", "2", "few"),
        ),
        Step(
            "4",
            le(
                DRIFT,
                4 * eta**2 * (_SUM_B * (sigma**2 + L**2 * DRIFT) + 2 * L * _SUM_B2 * GAP + _SUM_BLOCK * zeta_star**2),
            ),
            Summed((k, n)),
            ("3",),
            note="sums of powers of n and k",
        ),
        *RISE,
        Step("B", le(_SUM_B, S**2 * K**2 / 2), Combine(), note="the sum of B"),
        Step("B2 1", le((S * K - 1) * (2 * S * K - 1), 2 * S**2 * K**2), Polynomial()),
        Step("B2", le(_SUM_B2, S**3 * K**3 / 3), Combine({"B2 1": S * K / 6}), ("B2 1",), note="the sum of B^2"),
        Step("blocks 1", le(K**2 * (S - 1) / 2 + (K - 1) * (2 * K - 1) / 6, S * K**2 / 2), Polynomial()),
        Step("blocks", le(_SUM_BLOCK, S**2 * K**3 / 2), Combine({"blocks 1": S * K}), ("blocks 1",)),
        Step("cap 1", le(L * eta * S * K, Rational(1, 6)), Combine({"c1": L}), ("c1",)),
        Step("cap 0", le(0, L * eta * S * K), Combine()),
        Step("cap 2", le((L * eta * S * K) ** 2, Rational(1, 36)), Power(2), ("cap 0", "cap 1")),
        Step("B drift", le(_SUM_B * DRIFT, S**2 * K**2 / 2 * DRIFT), Combine({"B": DRIFT}), ("B", "far")),
        Step("B2 gap", le(_SUM_B2 * GAP, S**3 * K**3 / 3 * GAP), Combine({"B2": GAP}), ("B2", "rise")),
        Step("cap drift", le((L * eta * S * K) ** 2 * DRIFT, DRIFT / 36), Combine({"cap 2": DRIFT}), ("cap 2", "far")),
        Step(
            "5",
            le(
                Rational(17, 18) * DRIFT,
                4
                * eta**2
                * (S**2 * K**2 / 2 * sigma**2 + 2 * L * S**3 * K**3 / 3 * GAP + S**2 * K**3 / 2 * zeta_star**2),
            ),
            Combine(
                {
                    "4": 1,
                    "B": 4 * eta**2 * sigma**2,
                    "B drift": 4 * eta**2 * L**2,
                    "B2 gap": 8 * eta**2 * L,
                    "blocks": 4 * eta**2 * zeta_star**2,
                    "cap drift": 2,
                }
            ),
            ("4", "B", "B drift", "B2 gap", "blocks", "cap drift"),
            note="1 - 4/2/36 = 17/18",
        ),
        Step(
            "6",
            _FAR,
            Combine({"5": Rational(18, 17), "rise": L * eta**2 * S**3 * K**3 * Rational(3, 17)}),
            ("5", "rise"),
            note="36/17 <= 9/4 and 48/17 <= 3",
        ),
    ),
    place="proof of Theorem 3",
    note="the drift of S clients",
)

# U6: the recursion ---------------------------------------------------------------------------------------------------

_SAMPLING = (M - S) / (S * Max(M - 1, 1))
_NEXT = le(
    E(square(after - best)),
    SHRUNK
    - eta * S * K * GAP / 3
    + 4 * eta**2 * S * K * sigma**2
    + 4 * (eta * S * K) ** 2 * zeta_star**2 * _SAMPLING
    + 6 * L * (eta * S * K) ** 3 / S * (sigma**2 / K + zeta_star**2),
)
NEXT = Theorem(
    "sfl/next",
    _NEXT,
    (*SETTING, FEW, CAP),
    (
        Step(
            "1",
            ONE_ROUND,
            Apply("sfl/round"),
            tuple(h.id for h in ROUND.hypotheses if not isinstance(h, Defines)),
            ("after", "gradient"),
            note="one round",
        ),
        Step(
            "2",
            _FAR,
            Apply("sfl/drift"),
            tuple(h.id for h in DRIFT_OF.hypotheses if not isinstance(h, Defines)),
            ("gradient",),
            note="its drift",
        ),
        *RISE[:4],
        Step("cap 1", le(L * eta * S * K, Rational(1, 6)), Combine({"c1": L}), ("c1",)),
        Step("cap 0", le(0, L * eta * S * K), Combine()),
        Step("cap 2", le((L * eta * S * K) ** 2, Rational(1, 36)), Power(2), ("cap 0", "cap 1")),
        Step(
            "cap 3",
            le(8 * (L * eta * S * K) ** 2 * eta * S * K * GAP, Rational(2, 9) * eta * S * K * GAP),
            Combine({"cap 2": 8 * eta * S * K * GAP}),
            ("cap 2", "rise"),
        ),
        Step(
            "3",
            _NEXT,
            Combine({"1": 1, "2": Rational(8, 3) * L * eta, "cap 3": 1, "rise": eta * S * K / 9}),
            ("1", "2", "cap 3", "rise"),
            note="-2/3 + 8/36 = -4/9 <= -1/3; 8/3 times 9/4 = 6",
        ),
    ),
    place="proof of Theorem 3",
    note="the recursion of S clients",
)


# The catalogue's statements: all clients (S = M), and S of them ------------------------------------------------------


def full(hypotheses):
    """The hypotheses for full participation."""
    found = []
    for h in hypotheses:
        if isinstance(h, Given) and h.id not in ("few", "c1"):
            found.append(replace(h, relation=h.relation.at({S: M})))
        elif isinstance(h, Defines):
            found.append(replace(h, right=substitute(h.right, {S: M})))
        elif isinstance(h, Member):
            found.append(h)
    return tuple(found)


def catalogued(name, claim, bound, quantity, theorem, every=False):
    """The catalogue's bound from the theorem of S clients."""
    statement, conditions = stated(bound, quantity if not every else substitute(quantity, {S: M}), READING)
    hypotheses = (
        full(theorem.hypotheses) if every else tuple(h for h in theorem.hypotheses if h.id not in ("c1", "few"))
    )
    own = tuple(h.id for h in (*hypotheses, *conditions) if not isinstance(h, Defines))
    result = theorem.statement.at({S: M}) if every else theorem.statement
    inserted = tuple(h.id for h in reversed(hypotheses) if isinstance(h, Defines))
    return Theorem(
        name,
        statement,
        (*hypotheses, *conditions),
        (
            Step("1", result, Apply(theorem.id, {S: M} if every else ()), own, inserted, note=theorem.note),
            Step("2", statement, Combine({"1": 1}), ("1",), note="in the letters of the bound"),
        ),
        claim=claim,
        place=bound.source.place,
        bound=bound,
        reading=READING,
    )


_SQUARED = E(square(after - best))
U4 = catalogued("sfl/U4", "sfl/U4@explicit", formula.U4, _SQUARED - formula.U4_DRIFT * DRIFT, ROUND, True)
U5 = catalogued("sfl/U5", "sfl/U5@explicit", formula.U5, DRIFT, DRIFT_OF, True)
U6 = catalogued("sfl/U6", "sfl/U6@explicit", formula.U6, _SQUARED, NEXT, True)
U12_DRIFT = catalogued("sfl/U12-SFL-drift", "sfl/U12-SFL-drift@explicit", formula.U12_SFL_DRIFT, DRIFT, DRIFT_OF)
U12 = catalogued("sfl/U12-SFL", "sfl/U12-SFL@explicit", formula.U12_SFL, _SQUARED, NEXT)

THEOREMS = (DRIFT_OF, NEXT, U4, U5, U6, U12_DRIFT, U12)
