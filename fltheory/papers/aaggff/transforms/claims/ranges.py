"""Appendix B.2: the range of the responses, and its effect on the regret bounds."""

from __future__ import annotations

from typing import Any

from sympy import Eq, Expr, Integer, log, sqrt, sympify

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Statement, case_measure, formula_measure, quantity
from fltheory.model.case import Case
from fltheory.number import NotRational, evaluate_ball, exact, symbolic_value
from fltheory.papers.aaggff.bounds import ALPHA, BETA, L_DR, P1, T51, TRIVIAL, L
from fltheory.papers.aaggff.notation import C1, C2, C, K, T
from fltheory.papers.aaggff.paper import measured
from fltheory.papers.aaggff.transforms.cases import Federation
from fltheory.papers.aaggff.transforms.claims.transforms import families
from fltheory.runs.measures import DirectMeasure

BERKA, MQP, ISIC = Case(Federation(7, 100, 7)), Case(Federation(11, 100, 11)), Case(Federation(6, 50, 6))
CELEBA, REDDIT, SPEECH = (Case(Federation(clients, rounds, 5)) for clients, rounds in ((9343, 3000), (817, 300), (2005, 500)))
SILOS, DEVICES = (BERKA, MQP, ISIC), (CELEBA, REDDIT, SPEECH)
SILO: tuple[tuple[Any, Any], ...] = ((C1, Integer(0)), (C2, 1 / K))
DEVICE: tuple[tuple[Any, Any], ...] = ((C1, Integer(0)), (C2, C))


def at_range(name: str, expr: Expr, choice: tuple[tuple[Any, Any], ...]) -> DirectMeasure:
    """Evaluate a formula at a range of the responses: in balls, and exactly if the logarithms cancel."""
    chosen = sympify(expr).subs(dict(choice))

    if not chosen.has(log):
        return formula_measure(name, chosen)

    def value(case: Case) -> Any:
        try:
            return exact(symbolic_value(chosen, case.constants).expand())
        except NotRational:
            return evaluate_ball(chosen, case.constants)

    return case_measure(name, value)


def _silo(id: str, name: str, expr: Expr) -> Statement:
    measure = at_range(name, expr, SILO)
    return measured(id, "Appendix B.2", measure, cases=SILOS, family=lambda: families().federations(everyone=True))


def _device(id: str, name: str, expr: Expr) -> Statement:
    return measured(id, "Appendix B.2", at_range(name, expr, DEVICE), cases=DEVICES, family=lambda: families().federations())


FORM = 2 * (1 + log(1 + T / (16 * K)))
SILO_RANGE = (
    _silo("R1", "L_∞", L).printed("C₁ = 0 and C₂ = 1/K give L_∞ = 1/K", Eq(quantity, 1 / K),
        remark="O(1), as the paper says; but for K >= 4 Theorem 5.1 is false there."),
    _silo("R1-steps", "α", ALPHA).explicit("C₁ = 0 and C₂ = 1/K give α = 4", Eq(quantity, 4)),
    _silo("R1-curvature", "β", BETA).explicit("C₁ = 0 and C₂ = 1/K give β = K/4", Eq(quantity, K / 4)),
    _silo("R1-bound", "bound - 2(1 + log(1 + T/(16K)))", T51.expr - FORM).explicit(
        "C₁ = 0 and C₂ = 1/K make 2(1 + log(1 + T/(16K))) of Theorem 5.1: the difference is 0", Eq(quantity, 0)),
)
over_trivial = _device("R2-inflation", "2L̆√(T log K) / (T log(1 + C))", P1.expr / TRIVIAL)
DEVICE_RANGE = (
    _device("R2", "L̆_∞", L_DR).printed("C₁ = 0 and C₂ = C give L̆_∞ = C + 2", Eq(quantity, C + 2)),
    over_trivial.strict("With C₂ = C the 1/C is gone: 2L̆_∞√(T log K) is no more than the trivial T log(1 + C)",
        quantity <= 1, note="read so that the bound is non-trivial, too", counterexamples=DEVICES,
        remark="The paper says only that the 1/C is gone. Losses shrink by C with the responses. At the paper's sizes the bound "
        "is 413, 98, 198 times the trivial one."),
    _device("R2-inflation", "L̆_∞/L_∞", L_DR / L).corrected(
        "L̆_∞/L_∞ is 1 + 2/C with C₂ = C, as with any other C₂ if C₁ = 0", Eq(quantity, 1 + 2 / C)),
    over_trivial.restated("R2-trivial").corrected(
        "2L̆_∞√(T log K) is at least 4√(log K/T)/C times the trivial T log(1 + C)",
        4 * sqrt(log(K) / T) / C <= quantity, remark="Below 1 only from T = 16 log K/C² rounds on."),
)

CLAIMS: tuple[Claim, ...] = (*SILO_RANGE, *DEVICE_RANGE)
