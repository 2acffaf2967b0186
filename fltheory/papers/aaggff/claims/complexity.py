"""What a round costs the server, in exact counts of operations, and what AAggFF asks of the clients beyond FedAvg."""

from __future__ import annotations

from sympy import Expr, Integer, Rational

from fltheory.bound import Bound, Reading, Side
from fltheory.case import Case
from fltheory.claim import Claim
from fltheory.papers.aaggff import bounds
from fltheory.papers.aaggff.claims.direct import always, drawn, of_case, of_instance
from fltheory.papers.aaggff.claims.partial import PRINTED_STEP
from fltheory.papers.aaggff.data.federation_instances import LogisticFederation, QuadraticFederation
from fltheory.papers.aaggff.exact.operation_counts import (
    ServerRound,
    device_count,
    extra,
    silo_counts,
    simplified_device_round,
)
from fltheory.papers.aaggff.letters import K, m


def _limit(expr: Expr, place: str, reading: Reading, side: Side = "equal") -> Bound:
    return bounds.bound(expr, place, reading, (K >= 2,), side=side)


COST = "Section 4.2.2"
ROUNDS = tuple(Case(ServerRound(k, part)) for k, part in ((2, 1), (2, 2), (7, 7), (50, 5), (817, 5)))
SILOS = tuple(Case(ServerRound(k, k)) for k in (2, 3, 7, 11, 20))
_ANY, _SILO = drawn("federation", "server_rounds"), drawn("federation", "server_rounds", silo=True)
LETTERS = of_instance("operations of a round", device_count)
SERVER = (
    always(
        "CX-D",
        "AAggFF-D's decision takes at most 23 K operations a round: O(K).",
        _limit(23 * K, COST, "explicit", "upper"),
        LETTERS,
        ROUNDS,
        _ANY,
        kind="upper bound",
    ),
    always(
        "CX-D",
        "Written to the letter, (8) aside, it takes 13 K + 5 m + 9 operations.",
        _limit(13 * K + 5 * m + 9, COST, "sharpened"),
        LETTERS,
        ROUNDS,
        _ANY,
    ),
    always(
        "CX-D-simplified",
        "Without multiples of 1 in the gradient the same decision takes 5 K + 4 m + 8 operations.",
        _limit(5 * K + 4 * m + 8, COST, "sharpened"),
        of_instance("operations of a round", lambda at: device_count(at, simplified_device_round)),
        ROUNDS,
        _ANY,
    ),
    always(
        "CX-S-matrix",
        "AAggFF-S's update of B takes 2 K^2 + 10 K - 1 operations a round: O(K^2).",
        _limit(2 * K**2 + 10 * K - 1, COST, "explicit"),
        of_instance("operations up to the program", lambda at: silo_counts(at)[0]),
        SILOS,
        _SILO,
    ),
    always(
        "CX-S-face",
        "One step of an active-set method for its program, all K clients with weight, takes "
        "2/3 K^3 + 7/2 K^2 + 11/6 K + 2 operations: O(K^3).",
        _limit(Rational(2, 3) * K**3 + Rational(7, 2) * K**2 + Rational(11, 6) * K + 2, COST, "explicit"),
        of_instance("operations of a face", lambda at: silo_counts(at)[1]),
        SILOS,
        _SILO,
        remark="How many steps the program takes is not bounded here: the paper cites a projection at cost K^3.",
    ),
)

SMALL = (
    Case(LogisticFederation(4, 3, samples=2)),
    Case(LogisticFederation(10, 3, 4, samples=2)),
    Case(QuadraticFederation((1, 2, 1), ((1, 0), (-1, "1/2"), (0, -2)), ("1/10", "1/5", 0), 5, n_epochs=2)),
)
CONCLUSION = "Section 7"
TUNED = (*bounds.NEWTON, *PRINTED_STEP)
_EXTRA = drawn("federation", "short_federations")
SENT = of_case("numbers sent beyond FedAvg's, per client asked", lambda case: extra(case).numbers)
PASSES = of_case("passes over own samples beyond FedAvg's, per round", lambda case: extra(case).passes)
NONE, ONE = Integer(0), Integer(1)
CLIENTS = (
    always(
        "CX-sent",
        "AAggFF requires no extra communication.",
        _limit(NONE, CONCLUSION, "printed"),
        SENT,
        SMALL,
        _EXTRA,
        tuning=TUNED,
        expected="violated",
        remark="Against FedAvg. The other fair methods ask for the losses too.",
    ),
    always(
        "CX-sent",
        "It requires one number more from each client that takes part in a round: its loss.",
        _limit(ONE, CONCLUSION, "corrected"),
        SENT,
        SMALL,
        _EXTRA,
        tuning=TUNED,
    ),
    always(
        "CX-local",
        "AAggFF requires no added local computation.",
        _limit(NONE, CONCLUSION, "printed"),
        PASSES,
        SMALL,
        _EXTRA,
        tuning=TUNED,
        expected="violated",
        remark="Against FedAvg. (94) is a mean over all own samples at the model before training (Algorithm 1).",
    ),
    always(
        "CX-local",
        "It requires one forward pass more over all own samples of each client that takes part in a round.",
        _limit(ONE, CONCLUSION, "corrected"),
        PASSES,
        SMALL,
        _EXTRA,
        tuning=TUNED,
    ),
)

CLAIMS: tuple[Claim, ...] = (*SERVER, *CLIENTS)
