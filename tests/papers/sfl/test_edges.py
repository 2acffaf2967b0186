"""Edges of the domains: runs that start at the minimiser, flat objectives, bounds that are exactly attained."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from fltheory import find
from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.model.case import Case
from fltheory.number import BALL
from fltheory.papers.sfl import notation
from fltheory.papers.sfl.claims import CLAIMS
from fltheory.papers.sfl.instances.lemmas import Recursion
from fltheory.papers.sfl.upper import counterexamples
from fltheory.problems.separable import QuadraticClients, SeparableClients
from fltheory.runs.measures import DirectMeasure
from tests.typed import instance_of

AT_REST = QuadraticClients((1, 1), (1, -1), 0)
NOISY = QuadraticClients((1, 1), (1, -1), 0, noise_std="1/2")
FLAT = QuadraticClients((1, 0), (1, -1), 1)
TUNED = [c for c in CLAIMS if c.tuning and c.algorithm is not None]


def run_of(claim: Claim, instance: QuadraticClients) -> Case:
    part = {"n_participating": 2} if "PP" in claim.id else {}
    return Case(instance, n_rounds=50, n_local_steps=2, server_step_size=1, **part)


@pytest.mark.parametrize("claim", TUNED, ids=lambda c: c.id)
@pytest.mark.parametrize("instance", [AT_REST, NOISY], ids=["heterogeneous", "noisy"])
def test_tuned_claims_at_the_minimiser(claim: Claim, instance: QuadraticClients) -> None:
    """Strongly convex: ln 0 = -oo gives a step. Otherwise the tuned step is 0, and the reason says why nothing runs."""
    verdict = check_claim(claim, run_of(claim, instance))
    assert verdict.status in ("holds", "vacuous", "inapplicable"), verdict
    if verdict.status == "inapplicable":
        words = ("so the tuned step is 0 too", "noise_std is not 0", "smoothness < 1 fails")
        assert any(w in verdict.reason for w in words), verdict.reason
    else:
        assert verdict.limit is not None
        assert verdict.limit > 0


@pytest.mark.parametrize("claim", TUNED, ids=lambda c: c.id)
def test_tuned_claims_on_flat_objectives_give_a_reason(claim: Claim) -> None:
    verdict = check_claim(claim, run_of(claim, FLAT))
    assert "comparable" not in verdict.reason
    assert verdict.status in ("holds", "vacuous") or "strong_convexity is 0" in verdict.reason


@pytest.mark.parametrize(("c1", "c2"), [(4, 6), (4, 0), (0, 6), (0, 0)])
def test_tuned_recursions_at_the_minimiser(c1: int, c2: int) -> None:
    """U7t: the logarithm is at least 1/2, so the step is 1/(2aR) where something drives the recursion."""
    claim = find("sfl/U7t@explicit")
    case = Case(Recursion("1/2", "1/3", c1, c2, 0), max_step_size="1/6", n_rounds=50)
    step = claim.prepared(case).constants[claim.tuning[0][0]]
    assert step == Fraction(1, 50 if c1 or c2 else 6)
    assert check_claim(claim, case).status == "holds"
    flat = Case(Recursion(0, "1/3", c1, c2, 0), max_step_size="1/6", n_rounds=50)
    assert check_claim(claim, flat).reason == "the condition 2*contraction*max_step_size*n_rounds >= 1 fails"


def test_the_average_from_the_minimiser_is_attained() -> None:
    """U7 from D = 0: both sides are c1 eta + c2 eta^2 over b, exactly; anything stronger fails."""
    case = Case(Recursion("1/2", "1/3", 4, 6, 0), effective_step_size="1/6", n_rounds=50)
    claim = find("sfl/U7@explicit")
    verdict = check_claim(claim, case)
    assert (verdict.status, verdict.measured, verdict.limit) == ("holds", 2.5, 2.5)
    mutant = replace(claim, bounds=(claim.bound.scaled("999/1000"),))
    assert check_claim(mutant, case).status == "violated"


@pytest.mark.parametrize("name", ["sfl/C4-SC@strict", "sfl/T7@strict"])
@pytest.mark.parametrize(("multiple", "rounds"), [(2, 10**4), (10, 10**5)])
def test_no_multiple_of_the_printed_step_serves(name: str, multiple: int, rounds: int) -> None:
    """c min{1/(6L), 1/(mu R)} for c = 2, 10 fails for R large enough; with its logarithm the step serves there."""
    claim = find(name)
    ((symbol, step),) = claim.tuning
    case = Case(counterexamples.C4_SC_LITERAL[0].instance, n_rounds=rounds, n_local_steps=1)
    assert check_claim(replace(claim, tuning=((symbol, multiple * step),)), case).status == "violated"
    assert check_claim(find({"C": "sfl/C4-SC@explicit", "T": "sfl/T7-tuned@explicit"}[name[4]]), case).status == "holds"


@pytest.mark.parametrize("name", ["T3-SC", "C4-SC", "T7", "S4.3-SC", "S4.3-GC", "T5"])
def test_what_the_paper_says_is_true_and_only_a_harsher_reading_is_false(name: str) -> None:
    assert find(f"sfl/{name}@printed").entry.recorded == "holds"
    literal = find(f"sfl/{name}@strict")
    assert literal.entry.recorded == "violated"
    assert literal.bound.source.note


@pytest.mark.parametrize("name", ["T5@printed", "T5@explicit", "h1@explicit", "h3@explicit", "T6-GC@corrected"])
def test_halves_of_the_clients_need_an_even_number(name: str) -> None:
    """M = 7 is no case of the construction, and the formula says so by itself."""
    claim = find(f"sfl/{name}")
    constants = {
        s: value
        for s, value in {
            notation.sigma: 1,
            notation.zeta: 1,
            notation.mu: 1,
            notation.L: 3000,
            notation.K: 1,
            notation.R: 10**15,
            notation.D: 1,
            notation.lam: 1,
            notation.eta: Fraction(1, 10**30)
            if "h1" in name or "T6" in claim.id
            else Fraction(1, 2)
            if "h3" in name
            else 1,
        }.items()
        if s in claim.bound.symbols
    }
    assert claim.bound.failed_condition({**constants, notation.M: 6}) is None
    assert "floor" in str(claim.bound.failed_condition({**constants, notation.M: 7}))


def test_sums_over_all_clients_are_not_about_some_of_them() -> None:
    claim = find("sfl/U3b@strengthened")
    (some, *_) = (c for c in find("sfl/U3b-part@explicit").cases if c.constants[notation.S] == 1)
    assert "some clients don't take part" in check_claim(claim, some).reason
    assert check_claim(replace(claim, assumptions=()), some).status == "violated"


def test_the_row_with_noise_at_the_minimiser_says_what_it_needs() -> None:
    for name in ("TAB1-SC", "TAB1-GC"):
        claim = find(f"sfl/{name}@printed")
        *others, last = claim.bounds
        assert any(notation.sigma_star in c.free_symbols for c in last.conditions)
        assert "does not say" in last.source.note
        assert "σ <= σ⋆" in claim.statement
        assert not any(notation.sigma_star in c.free_symbols for b in others for c in b.conditions)


def test_literal_theorem_3_holds_at_its_largest_step() -> None:
    """There exists a step: 1/(6L) serves where the stored, smaller one fails."""
    claim = find("sfl/T3-SC@strict")
    (case,) = claim.cases
    assert check_claim(claim, case).status == "violated"
    assert check_claim(claim, case.with_settings(step_size="1/12")).status in ("holds", "vacuous")


def test_large_noise_is_refuted_over_the_whole_class() -> None:
    """The class allows heterogeneity zeta, more than the case's own at the minimiser."""
    claim = find("sfl/T6-GC@printed")
    (case,) = claim.cases
    assert isinstance(claim.measure, DirectMeasure)
    errors = [claim.measure.compute(case.with_settings(heterogeneity=z), BALL).value for z in (2, 10**40)]
    assert errors[0] < errors[1]


@pytest.mark.parametrize(
    ("name", "total"), [("T5@explicit", 1), ("T5-noise@explicit", 2), ("T6-SC@explicit", 2), ("T6-GC@corrected", 2)]
)
def test_statements_name_the_noise_of_the_sum(name: str, total: int) -> None:
    claim = find(f"sfl/{name}")
    noisy = [c for c in claim.cases if any(instance_of(c, SeparableClients).noise_std)]
    for case in noisy:
        stds = [Fraction(s) for s in instance_of(case, SeparableClients).noise_std]
        assert sum(s * s for s in stds) == total * max(stds) ** 2
    assert ("sqrt(2) sigma" in claim.statement) == (total == 2)
