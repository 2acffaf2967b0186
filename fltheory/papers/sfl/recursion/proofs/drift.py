"""The drift of a round and the recursion of sequential federated learning, convex case: U4, U5, U6, U12."""

from __future__ import annotations

from dataclasses import replace

from sympy import Max, Rational

from fltheory.papers.sfl.notation import K, L, M, S, eta, sigma, zeta_star
from fltheory.papers.sfl.recursion import bounds as formula
from fltheory.papers.sfl.recursion.proofs.round import (BLOCK, CAP, DRAWN, DRIFT, FEW, GAP, READING, RISE, ROUND,
    SETTING, SHRUNK, SPREADS, STEP, STEPS, B, after, best, g, k, n, so_far, x, y)
from fltheory.proof import Defines, Given, Member, by, eq, le, proof, statement_of
from fltheory.proof.terms import E, square, substitute

# U5: the drift -----------------------------------------------------------------------------------------------------

_SUM_B, _SUM_B2 = S * K * (S * K - 1) / 2, S * K * (S * K - 1) * (2 * S * K - 1) / 6
_SUM_BLOCK = K**3 * S * (S - 1) / 2 + S * K * (K - 1) * (2 * K - 1) / 6
_FAR = le(DRIFT,
    S**2 * K**2 * eta**2 * (Rational(9, 4) * sigma**2 + Rational(9, 4) * K * zeta_star**2 + 3 * L * S * K * GAP))
DRIFT_OF = (
    proof("sfl/drift", "proof of Theorem 3", note="the drift of S clients")
    .under(*(h for h in SETTING if h.id not in ("order", "after", "start", "draw gap")), FEW, CAP)
    .step("1", by.apply(STEPS), inserting="gradient", note="the squared sum of gradients")
    .step("2", le(BLOCK, (K**2 * n + k**2) * zeta_star**2, (n, 0, M - 1), (k, 0, K - 1)),
        by.apply("sfl/block", SPREADS, *DRAWN), note="draws without replacement")
    .step("move", eq(square(y(n, k) - x), eta**2 * square(so_far(g)), *STEP),
        by.linear(local=y(n, k) - x - eta * so_far(g)), note="the local steps")
    .step("moved", eq(E(square(y(n, k) - x)), eta**2 * E(square(so_far(g))), *STEP), by.expectation("move"))
    .step("3",
        le(E(square(y(n, k) - x)),
            4 * eta**2 * (B * sigma**2 + L**2 * B * DRIFT + 2 * L * B**2 * GAP + (K**2 * n + k**2) * zeta_star**2),
            *STEP), by.linear("moved", "1", "2", "few"))
    .step("4",
        le(DRIFT,
            4 * eta**2 * (_SUM_B * (sigma**2 + L**2 * DRIFT) + 2 * L * _SUM_B2 * GAP + _SUM_BLOCK * zeta_star**2)),
        by.sum_over((k, n), "3"), note="sums of powers of n and k")
    .steps(*RISE)
    .step("B", le(_SUM_B, S**2 * K**2 / 2), by.linear(), note="the sum of B")
    .step("B2 1", le((S * K - 1) * (2 * S * K - 1), 2 * S**2 * K**2), by.polynomial())
    .step("B2", le(_SUM_B2, S**3 * K**3 / 3), by.linear("B2 1"), note="the sum of B^2")
    .step("blocks 1", le(K**2 * (S - 1) / 2 + (K - 1) * (2 * K - 1) / 6, S * K**2 / 2), by.polynomial())
    .step("blocks", le(_SUM_BLOCK, S**2 * K**3 / 2), by.linear("blocks 1"))
    .step("cap 1", le(L * eta * S * K, Rational(1, 6)), by.linear("c1"))
    .step("cap 0", le(0, L * eta * S * K), by.linear())
    .step("cap 2", by.power(2, "cap 0", "cap 1"))
    .step("B drift", le(_SUM_B * DRIFT, S**2 * K**2 / 2 * DRIFT), by.linear("B", "far"))
    .step("B2 gap", le(_SUM_B2 * GAP, S**3 * K**3 / 3 * GAP), by.linear("B2", "rise"))
    .step("cap drift", le((L * eta * S * K) ** 2 * DRIFT, DRIFT / 36), by.linear("cap 2", "far"))
    .step("5",
        le(Rational(17, 18) * DRIFT,
            4 * eta**2 * (S**2 * K**2 / 2 * sigma**2 + 2 * L * S**3 * K**3 / 3 * GAP + S**2 * K**3 / 2 * zeta_star**2)),
        by.linear("4", "B", "B drift", "B2 gap", "blocks", "cap drift"), note="1 - 4/2/36 = 17/18")
    .qed(_FAR, by.linear("5", "rise"), note="36/17 <= 9/4 and 48/17 <= 3")
)

# U6: the recursion ---------------------------------------------------------------------------------------------------

NEXT = (
    proof("sfl/next", "proof of Theorem 3", note="the recursion of S clients").under(*SETTING, FEW, CAP)
    .step("1", by.apply(ROUND), inserting=("after", "gradient"), note="one round")
    .step("2", by.apply(DRIFT_OF), inserting="gradient", note="its drift")
    .steps(*RISE[:4])
    .step("cap 1", le(L * eta * S * K, Rational(1, 6)), by.linear("c1"))
    .step("cap 0", le(0, L * eta * S * K), by.linear())
    .step("cap 2", by.power(2, "cap 0", "cap 1"))
    .step("cap 3", le(8 * (L * eta * S * K) ** 2 * eta * S * K * GAP, Rational(2, 9) * eta * S * K * GAP),
        by.linear("cap 2", "rise"))
    .qed(
        le(
            E(square(after - best)),
            SHRUNK
            - eta * S * K * GAP / 3
            + 4 * eta**2 * S * K * sigma**2
            + 4 * (eta * S * K) ** 2 * zeta_star**2 * ((M - S) / (S * Max(M - 1, 1)))
            + 6 * L * (eta * S * K) ** 3 / S * (sigma**2 / K + zeta_star**2),
        ),
        by.linear("1", "2", "cap 3", "rise"),
        note="-2/3 + 8/36 = -4/9 <= -1/3; 8/3 times 9/4 = 6",
    )
)


# The catalogue's statements: all clients (S = M), and S of them ------------------------------------------------------


def full(hypotheses):
    """Return the hypotheses for full participation."""
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
    """Prove the catalogue's bound from the theorem of S clients."""
    statement, conditions = statement_of(bound, quantity if not every else substitute(quantity, {S: M}), READING)
    hypotheses = (
        full(theorem.hypotheses) if every else tuple(h for h in theorem.hypotheses if h.id not in ("c1", "few"))
    )
    own = tuple(h.id for h in (*hypotheses, *conditions) if not isinstance(h, Defines))
    result = theorem.statement.at({S: M}) if every else theorem.statement
    inserted = tuple(h.id for h in reversed(hypotheses) if isinstance(h, Defines))
    return (
        proof(name, of=claim, bound=bound, reading=READING).under(*hypotheses, *conditions)
        .step("1", result, by.apply(theorem.id, {S: M} if every else (), *own), inserting=inserted, note=theorem.note)
        .qed(statement, by.linear("1"), note="in the letters of the bound")
    )


_SQUARED = E(square(after - best))
U4 = catalogued("sfl/U4", "sfl/U4@explicit", formula.U4, _SQUARED - formula.U4_DRIFT * DRIFT, ROUND, True)
U5 = catalogued("sfl/U5", "sfl/U5@explicit", formula.U5, DRIFT, DRIFT_OF, True)
U6 = catalogued("sfl/U6", "sfl/U6@explicit", formula.U6, _SQUARED, NEXT, True)
U12_DRIFT = catalogued("sfl/U12-SFL-drift", "sfl/U12-SFL-drift@explicit", formula.U12_SFL_DRIFT, DRIFT, DRIFT_OF)
U12 = catalogued("sfl/U12-SFL", "sfl/U12-SFL@explicit", formula.U12_SFL, _SQUARED, NEXT)

THEOREMS = (DRIFT_OF, NEXT, U4, U5, U6, U12_DRIFT, U12)
