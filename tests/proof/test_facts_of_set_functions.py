"""Set functions as finitely many inequalities: multipliers with one thing changed, and stronger statements, are refused."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from sympy import Add, Integer, Mul, Rational

from fltheory.papers.fedcg.facts.sets import elementary, farkas, value
from fltheory.proof import certificates, library
from fltheory.proof.check import check_theorem
from fltheory.proof.find import find_certificates
from fltheory.proof.language import ALL_PARAMETERS, Given, Polynomial, Relation, Step, Theorem, le
from fltheory.proof.report import Report, StepReport, supporting_steps
from tests.proof.single import alone
from tests.proof.test_perturbed import perturbed, proved

# theorems whose last step proves just what it says
TIGHT = (
    "fedcg/A.1",
    "fedcg/A.3@strengthened",
    "fedcg/A.4",
    "fedcg/C-14@strengthened",
    "fedcg/S1",
    "fedcg/S1-curvature",
    "fedcg/T3.2@corrected",
    "fedcg/L3.4@strengthened",
    "fedcg/bhatia-davis",
    "fedcg/S3",
    "fedcg/S4-chebyshev",
    "fedcg/S4-hoeffding",
    "fedcg/T3.5@corrected",
    "fedcg/S5b",
    "fedcg/L4.2@strengthened",
    "fedcg/S5",
    "fedcg/T4.3-tuned",
    "fedcg/P8",
    "fedcg/NWF-uniform",
    "fedcg/NWF-matroid",
    "fedcg/T5.1-participants",
    "fedcg/S6-round",
)


def items(*members: int) -> Any:
    return value(frozenset(members))


def test_perturbed_multipliers_are_rejected() -> None:
    chance = random.Random(7)
    proofs = library.load("fedcg")
    certified = [t for t in proofs.theorems if any(isinstance(s.rule, Polynomial) for s in t.steps)]
    assert certified
    for number in range(150):
        theorem = certified[number % len(certified)]
        found = certificates.load(proofs.certificates, theorem.id)
        step = next(s for s in theorem.steps if s.id in found)
        what, entry = perturbed(found[step.id], chance)
        assert alone(theorem, step, {**found, step.id: entry}), f"{theorem.id}: {what}"


def smaller(claim: Relation) -> list[Relation]:
    """The claim with all of its right side 1 % less, or a little less outright."""
    right = Add(*(Mul(Rational(99, 100), a) for a in Add.make_args(claim.right)))
    return [replace(claim, right=right), replace(claim, right=claim.right - Rational(1, 1000))]


@pytest.mark.parametrize("name", TIGHT)
def test_stronger_statements_are_not_proved(name: str) -> None:
    theorem = next(t for t in library.load("fedcg").theorems if t.id == name)
    steps = tuple(StepReport(s, s.recorded) for s in theorem.steps)
    report = Report(theorem, theorem.recorded, ALL_PARAMETERS, steps, (), 0.0)
    last = next(s for s in theorem.steps if s.id == supporting_steps(theorem)[-1])
    assert proved(report, last, last.claim)
    for claim in smaller(last.claim):
        assert not proved(report, last, claim)


FALSE = {
    "second differences are not positive": le(0, items(1, 2) - items(1) - items(2) + items()),
    "an item may add nothing": le(items(1) - items(), items(1, 2) - items(2)),
    "values may differ": le(items(1), items(2)),
    "half of it": le(items(1, 2) + items(), Rational(99, 100) * (items(1) + items(2))),
    "the empty set is worth what it is": le(items(), 0),
}


@pytest.mark.parametrize("claim", FALSE.values(), ids=list(FALSE))
def test_what_does_not_follow_has_no_multipliers(claim: Relation) -> None:
    theorem = farkas("false", 3, claim, "false")
    assert not find_certificates(theorem, {})
    assert check_theorem(theorem, {}).verdict == "UNKNOWN"


def follows(given: tuple[Given, ...], claim: Relation) -> bool:
    """Whether a claim follows from inequalities, by multipliers that are looked for."""
    theorem = Theorem("test/t", claim, given, (Step("1", claim, Polynomial(), tuple(h.id for h in given)),))
    return check_theorem(theorem, find_certificates(theorem, {})).verdict == "PROVED"


def test_each_inequality_is_needed() -> None:
    """Modular functions that fall, and supermodular ones: without one of the inequalities the conclusion is gone."""
    given, gain = elementary(3), le(0, items(1) - items())
    assert follows(given, gain)
    assert not follows(tuple(h for h in given if h.id != "top 1"), gain)
    less = le(items(1, 2, 3) - items(2, 3), items(1) - items())
    assert follows(given, less)
    assert not follows(tuple(h for h in given if "pair" not in h.id), less)


def test_the_inequalities_are_those_of_the_definition() -> None:
    """n items have n tops and a pair for each two of them and each set of the others."""
    assert [len(elementary(n)) for n in (2, 3, 4)] == [1 + 2, 3 * 2 + 3, 6 * 4 + 4]
    true = {items(): Integer(0), items(1): Integer(1), items(2): Integer(1), items(1, 2): Integer(1)}
    assert all(h.relation.gap.subs(true) >= 0 for h in elementary(2))
    assert any(h.relation.gap.subs({**true, items(1, 2): Integer(3)}) < 0 for h in elementary(2))
    assert any(h.relation.gap.subs({**true, items(1, 2): Integer(0)}) < 0 for h in elementary(2))
