"""The strengthened round and rate of SFL: proved for every M, K and R, below no exact error, and not to be had with less."""

from __future__ import annotations

import importlib
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from sympy import Expr, Rational

from fltheory.claims.check import check_claim
from fltheory.model.case import Case
from fltheory.papers.sfl.notation import A, K, L, M, eta, eta_eff, sigma, zeta_star
from fltheory.problems.separable import QuadraticClients
from fltheory.proof import le, library
from fltheory.proof.check import check_stored
from fltheory.proof.language import ALL_PARAMETERS
from fltheory.proof.matching import matching
from fltheory.proof.report import Report
from fltheory.proof.terms import substitute
from fltheory.verification import find

ROUND, RATE = "sfl/U6-tight", "sfl/T3-GC-tight"
GAIN, NOISE = eta_eff * A, eta_eff**2 * sigma**2 / (M * K)
SPREAD = (1 + 1 / (M * K**2)) * L * eta_eff**3 * zeta_star**2 / M
STILL = QuadraticClients((1,), (0,), 0, noise_std=1)  # begins at the minimiser: what moves it is noise
APART = QuadraticClients((1, 0), (1, -1), "-1/24")
STEEP = QuadraticClients((1,), (0,), 1)


def proved(theorem_id: str, **other: Any) -> Report:
    """A theorem checked, with something else in it, those before it taken as recorded."""
    proofs = library.load("sfl")
    theorem = next(t for t in proofs.theorems if t.id == theorem_id)
    before = proofs.theorems[: proofs.theorems.index(theorem)]
    earlier = {t.id: Report(t, t.recorded, ALL_PARAMETERS, (), (), 0.0) for t in before}
    return check_stored(proofs, replace(theorem, **other), earlier)


@pytest.mark.parametrize("theorem", ["sfl/blocks", "sfl/drift-tight", ROUND, RATE])
def test_it_is_proved_for_all_parameters_without_a_supposition(theorem: str) -> None:
    report = proved(theorem)
    assert (report.verdict, report.scope) == ("PROVED", ALL_PARAMETERS)
    assert not matching.suppositions(report.theorem)


@pytest.mark.parametrize("less", [GAIN, NOISE, SPREAD, 100 * (1 - 1 / M) * SPREAD], ids=str)
def test_with_less_the_same_proof_proves_nothing(less: Expr) -> None:
    """Every constant of the round is what its proof gives: none is proved a hundredth smaller, nor with 1/M^2 for 1/M."""
    reading = importlib.import_module("fltheory.papers.sfl.recursion.proofs.round").READING
    whole = importlib.import_module("fltheory.papers.sfl.recursion.proofs.tighter").NEXT
    taken = substitute(less, {eta_eff: eta * M * K, A: reading[A]}) / 100
    steps = [s if s.id != "round" else replace(s, claim=le(s.claim.left, s.claim.right - taken)) for s in whole.steps]
    found = {s.step.id: s.outcome for s in proved(ROUND, steps=tuple(steps)).steps}
    assert (found["far"], found["round"]) == ("PROVED", "UNKNOWN")


@pytest.mark.parametrize(
    ("clients", "less"), [(STEEP, -3 * GAIN), (STILL, -NOISE), (APART, (Rational(1, 30) - Rational(2, 7)) * SPREAD)]
)
def test_rounds_that_violate_a_stronger_statement(clients: QuadraticClients, less: Expr) -> None:
    """A gain of 5, 1/2 before the noise and 1/30 before the heterogeneity are too much; the claim itself holds there."""
    claim = find(f"{ROUND}@strengthened")
    case = Case(clients, n_rounds=1, n_local_steps=1, step_size=Fraction(1, 6 * clients.n_clients))
    assert check_claim(claim, case).status == "holds"
    (bound,) = claim.bounds
    assert check_claim(replace(claim, bounds=(replace(bound, expr=bound.expr + less),)), case).status == "violated"
