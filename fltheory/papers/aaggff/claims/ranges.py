"""Appendix B.2: which range the responses get, and what that does to the regret bounds."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, log, sympify

from fltheory.case import Case
from fltheory.claim import Claim
from fltheory.number import RATIONAL, exact, symbolic_value
from fltheory.papers.aaggff.bounds import P1, T51, TRIVIAL, bound
from fltheory.papers.aaggff.bounds.unification import (
    B2,
    DEVICE,
    DEVICE_VALUES,
    INFLATION,
    ONE,
    SILO,
    SILO_VALUES,
    equal,
    plain,
)
from fltheory.papers.aaggff.claims.direct import always, drawn
from fltheory.papers.aaggff.data.instances_responses import Federation
from fltheory.papers.aaggff.letters import C, K, T
from fltheory.runs.measures import NUMBER, DirectMeasure, in_ring

BERKA, MQP, ISIC = Case(Federation(7, 100, 7)), Case(Federation(11, 100, 11)), Case(Federation(6, 50, 6))
CELEBA, REDDIT, SPEECH = (
    Case(Federation(clients, rounds, 5)) for clients, rounds in ((9343, 3000), (817, 300), (2005, 500))
)
SILOS, DEVICES = (BERKA, MQP, ISIC), (CELEBA, REDDIT, SPEECH)
_ANY = drawn("responses", "federations")
_EVERYONE = drawn("responses", "federations", everyone=True)


def at_range(name: str, expr: Expr, choice: Any) -> DirectMeasure:
    """A formula at a range of the responses: in balls, and exact where the logarithms cancel."""
    chosen = sympify(expr).subs(dict(choice))

    def compute(case: Case, ring: Any) -> Any:
        if ring is RATIONAL and chosen.has(log):
            return ring.scalar(exact(symbolic_value(chosen, case.constants).expand()))
        return in_ring(chosen, case, ring)

    return DirectMeasure(name, compute, NUMBER)


_FORM = 2 * (1 + log(1 + T / (16 * K)))
_RATIO = at_range("2L̆√(T log K) / (T log(1 + C))", P1.expr / TRIVIAL, DEVICE)
SILO_RANGE = (
    always(
        "R1",
        "C₁ = 0 and C₂ = 1/K give L_∞ = 1/K",
        equal(1 / K, B2),
        at_range("L_∞", SILO_VALUES["L"], SILO),
        SILOS,
        _EVERYONE,
        remark="O(1), as is said; but for K >= 4 Theorem 5.1 is false there.",
    ),
    always(
        "R1-steps",
        "C₁ = 0 and C₂ = 1/K give α = 4",
        equal(Integer(4), B2, "explicit"),
        at_range("α", SILO_VALUES["alpha"], SILO),
        SILOS,
        _EVERYONE,
    ),
    always(
        "R1-curvature",
        "C₁ = 0 and C₂ = 1/K give β = K/4",
        equal(K / 4, B2, "explicit"),
        at_range("β", SILO_VALUES["beta"], SILO),
        SILOS,
        _EVERYONE,
    ),
    always(
        "R1-bound",
        "C₁ = 0 and C₂ = 1/K make 2(1 + log(1 + T/(16K))) of Theorem 5.1: less that, 0",
        equal(Integer(0), B2, "explicit"),
        at_range("bound - 2(1 + log(1 + T/(16K)))", T51.expr - _FORM, SILO),
        SILOS,
        _EVERYONE,
    ),
)
DEVICE_RANGE = (
    always(
        "R2",
        "C₁ = 0 and C₂ = C give L̆_∞ = C + 2",
        equal(C + 2, B2),
        at_range("L̆_∞", DEVICE_VALUES["L"], DEVICE),
        DEVICES,
        _ANY,
    ),
    always(
        "R2-inflation",
        "With C₂ = C the 1/C is gone: 2L̆_∞√(T log K) is no more than the trivial T log(1 + C)",
        plain(ONE, B2, "literal", (), "that the bound says something, too"),
        _RATIO,
        DEVICES,
        _ANY,
        expected="violated",
        remark="The paper says only that the 1/C is gone. "
        "Losses shrink by C with the responses. At the paper's sizes the bound is 413, 98, 198 times the trivial one.",
    ),
    always(
        "R2-inflation",
        "L̆_∞/L_∞ is 1 + 2/C with C₂ = C, as with any other C₂ if C₁ = 0",
        equal(1 + 2 / C, B2, "corrected"),
        at_range("L̆_∞/L_∞", DEVICE_VALUES["ratio"], DEVICE),
        DEVICES,
        _ANY,
    ),
    always(
        "R2-trivial",
        "2L̆_∞√(T log K) is at least 4√(log K/T)/C times the trivial T log(1 + C)",
        bound(INFLATION, B2, "corrected", (), side="lower"),
        _RATIO,
        DEVICES,
        _ANY,
        remark="Below 1 only from T = 16 log K/C² rounds on.",
    ),
)

CLAIMS: tuple[Claim, ...] = (*SILO_RANGE, *DEVICE_RANGE)
