"""The cost of a round for the server, in exact counts of operations, and the clients' work in AAggFF beyond FedAvg."""

from __future__ import annotations

from typing import Any

from sympy import Eq, Rational

from fltheory.claims.claim import Claim
from fltheory.claims.statement import case_measure, explicit, imported_late, quantity, strengthened
from fltheory.model.case import Case
from fltheory.papers.aaggff import bounds
from fltheory.papers.aaggff.complexity.closed_forms import (
    ServerRound,
    device_count,
    extra,
    silo_counts,
    simplified_device_round,
)
from fltheory.papers.aaggff.entropic.claims.partial import PRINTED_STEP
from fltheory.papers.aaggff.instances.federation import LogisticFederation, QuadraticFederation
from fltheory.papers.aaggff.notation import K, m
from fltheory.papers.aaggff.paper import lemma, measured

families = imported_late("fltheory.papers.aaggff.complexity.families")

COST, CONCLUSION = "Section 4.2.2", "Section 8"
MANY = [K >= 2]
ROUNDS = tuple(Case(ServerRound(k, part)) for k, part in ((2, 1), (2, 2), (7, 7), (50, 5), (817, 5)))
SILOS = tuple(Case(ServerRound(k, k)) for k in (2, 3, 7, 11, 20))
DEVICE: dict[str, Any] = {"cases": ROUNDS, "family": lambda: families().server_rounds()}
SILO: dict[str, Any] = {"cases": SILOS, "family": lambda: families().server_rounds(silo=True)}

SERVER = (
    *lemma("CX-D", COST, "operations of a round", lambda one, c: device_count(one), **DEVICE).readings(
        explicit("AAggFF-D's decision takes at most 23 K operations a round: O(K).", quantity <= 23 * K, given=MANY,
            kind="upper bound"),
        strengthened("Implemented literally, without (8), it takes 13 K + 5 m + 9 operations.",
            Eq(quantity, 13 * K + 5 * m + 9), given=MANY)),
    lemma("CX-D-simplified", COST, "operations of a round", lambda one, c: device_count(one, simplified_device_round),
        **DEVICE).strengthened(
        "Without multiples of 1 in the gradient the same decision takes 5 K + 4 m + 8 operations.",
        Eq(quantity, 5 * K + 4 * m + 8), given=MANY),
    lemma("CX-S-matrix", COST, "operations up to the program", lambda one, c: silo_counts(one)[0], **SILO).explicit(
        "AAggFF-S's update of B takes 2 K^2 + 10 K - 1 operations a round: O(K^2).",
        Eq(quantity, 2 * K**2 + 10 * K - 1), given=MANY),
    lemma("CX-S-face", COST, "operations of a face", lambda one, c: silo_counts(one)[1], **SILO).explicit(
        "One step of an active-set method for its program, all K clients with weight, takes 2/3 K^3 + 7/2 K^2 + 11/6 K + 2 "
        "operations: O(K^3).", Eq(quantity, Rational(2, 3) * K**3 + Rational(7, 2) * K**2 + Rational(11, 6) * K + 2),
        given=MANY,
        remark="How many steps the program takes is not bounded here: the paper cites a projection at cost K^3."),
)

SMALL = (
    Case(LogisticFederation(4, 3, samples=2)),
    Case(LogisticFederation(10, 3, 4, samples=2)),
    Case(QuadraticFederation((1, 2, 1), ((1, 0), (-1, "1/2"), (0, -2)), ("1/10", "1/5", 0), 5, n_epochs=2)),
)
ASKED: dict[str, Any] = {"cases": SMALL,
    "family": lambda: families().short_federations(), "tuning": (*bounds.NEWTON, *PRINTED_STEP)}
numbers_sent = measured("CX-sent", CONCLUSION,
    case_measure("numbers sent beyond FedAvg's, per client asked", lambda case: extra(case).numbers), **ASKED)
passes = measured("CX-local", CONCLUSION,
    case_measure("passes over own samples beyond FedAvg's, per round", lambda case: extra(case).passes), **ASKED)
CLIENTS = (
    numbers_sent.strict("AAggFF requires no extra communication.", Eq(quantity, 0), given=MANY, counterexamples=SMALL,
        remark="Against FedAvg. The other fair methods ask for the losses too."),
    numbers_sent.corrected("AAggFF requires one more number from each client that takes part in a round: its loss.",
        Eq(quantity, 1), given=MANY),
    passes.strict("AAggFF requires no added local computation.", Eq(quantity, 0), given=MANY, counterexamples=SMALL,
        remark="Against FedAvg. (94) is a mean over all own samples at the model before training (Algorithm 1)."),
    passes.corrected(
        "AAggFF requires one more forward pass over all own samples of each client that takes part in a round.",
        Eq(quantity, 1), given=MANY),
)

CLAIMS: tuple[Claim, ...] = (*SERVER, *CLIENTS)
