"""Theorem 5 for clients that share the server's iterate: what refutes it, what is true of it, and what its proof needs."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fltheory.claims.catalogue import claims_of_paper
from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.model.case import Case
from fltheory.papers.delta_sgd.bounds import T5_SHARED
from fltheory.papers.delta_sgd.convex.cases import case_of_run, line, null_direction
from fltheory.papers.delta_sgd.convex.claims.averages import FLAT, SHORT, STEEP_PAIR
from fltheory.papers.delta_sgd.convex.closed_forms.conditions import a_step_overshoots
from fltheory.papers.delta_sgd.convex.closed_forms.measures import AverageGap
from fltheory.papers.delta_sgd.rule.closed_forms.runs import follow
from fltheory.problems.convex import ConvexClients, Quadratic
from fltheory.proof import Theorem, library
from fltheory.proof.language import Combine, Relation, le
from fltheory.runs.step_rule import StepRule, auto_tuned
from fltheory.verification import find
from tests.proof.single import alone
from tests.typed import instance_of

COMMON, SHARED = (find(f"delta_sgd/T5-B-common@{r}") for r in ("printed", "corrected"))
EQUAL = [find(f"delta_sgd/T5-B-equal@{r}") for r in ("corrected", "strengthened")]


@pytest.mark.parametrize(("case", "ratio"), [(FLAT, 20.76), (STEEP_PAIR, 1.364)], ids=["flat", "steep"])
def test_small_first_ratios_refute_the_printed_rate_too(case: Case, ratio: float) -> None:
    """Two equal flat clients, which the growth rule holds down, and two steep ones with theta_0 = 3: eta_0 = 1."""
    verdict = check_claim(COMMON, case)
    assert (verdict.status, verdict.evidence) == ("violated", "exact")
    assert verdict.ratio == pytest.approx(ratio, rel=1e-3)


def test_no_claim_of_small_first_ratios_is_left() -> None:
    assert not [c.id for c in claims_of_paper("delta_sgd") if "modest" in c.id and c.id.startswith("delta_sgd/T5")]


def test_equal_clients_obey_the_mended_rates_and_steep_ones_are_outside() -> None:
    for claim in (SHARED, *EQUAL):
        assert check_claim(claim, FLAT).status == "holds"
    verdict = check_claim(SHARED, STEEP_PAIR)
    assert (verdict.status, verdict.broken) == ("inapplicable", False)
    assert "may overshoot in round 1; none up to 1/L_i does" in verdict.reason
    assert "the clients' steps may differ in round 1" in check_claim(EQUAL[0], STEEP_PAIR).reason


@pytest.mark.parametrize(
    "case", [STEEP_PAIR, case_of_run(null_direction(10**6, "0.49888"), 2, 1, 99)], ids=["steep", "null"]
)
def test_without_the_condition_on_steps_the_mended_rate_is_false(case: Case) -> None:
    """The factor alone does not mend it: with a large first ratio the run in a null direction is beyond it as well."""
    assert isinstance(SHARED.measure, AverageGap)
    free = replace(SHARED, measure=replace(SHARED.measure, unless=None))
    far = check_claim(free, case)
    assert far.ratio is not None
    assert far.ratio > 0.4
    assert (far.status == "violated") == (case is not STEEP_PAIR)


def test_a_condition_is_asked_of_the_run_that_is_measured() -> None:
    """Delta-SGD does not overshoot here; a rule of one's own that does is outside the theorem."""
    case = case_of_run(line((1, 10), None, 3), 3, "1/50", 3)
    assert check_claim(SHARED, case).status == "holds"
    long = StepRule("long", lambda lr, ratio, reach, c: np.full_like(lr, 1.5))
    verdict = check_claim(replace(SHARED, algorithm=long), case)
    assert verdict.status == "inapplicable"
    assert "the step 1.5 of client 0 may overshoot in round 1" in verdict.reason


def test_steps_up_to_the_inverse_smoothness_never_overshoot() -> None:
    """Twice the first entry of rule (4) is 1/L on a line: equality, told from the constant."""
    case = case_of_run(line((1, 10), None, 3), 6, "1/50", 40, 2)
    assert a_step_overshoots(follow(auto_tuned, case, "B"), case) is None
    beyond = case_of_run(line((1, 10), None, 3), 6, "1/50", 40, "201/100")
    assert a_step_overshoots(follow(auto_tuned, beyond, "B"), beyond) is not None


# Clients with first steps of their own ------------------------------------------------------------------------------------

PACED = [
    c
    for c in claims_of_paper("delta_sgd")
    if c.entry.recorded == "holds"
    and c.cases
    and isinstance(c.cases[0].instance, ConvexClients)
    and c.id != "delta_sgd/L4-ratio@strengthened"
]


@pytest.mark.parametrize("claim", PACED, ids=[c.id for c in PACED])
def test_own_first_steps_refute_nothing_that_speaks_of_eta_0(claim: Claim) -> None:
    """The theorems take eta_0 for everybody's first step: a run that begins otherwise is no counterexample."""
    for case in claim.cases[:4]:
        one = instance_of(case, ConvexClients)
        for factor in ("1/1000", 50):
            own = ConvexClients(one.objectives, one.start, one.minimiser, one.compare, (factor,) * one.n_clients)
            verdict = check_claim(claim, Case(own, **dict(case.settings)))
            assert verdict.status in ("holds", "vacuous", "inapplicable"), str(verdict)


def test_own_first_steps_would_refute_the_rate_of_one_client() -> None:
    claim = find("delta_sgd/T5-one@corrected")
    own = Case(ConvexClients((Quadratic(((3,),), (0,)),), 1, pace=("1/1000",)), **dict(claim.cases[2].settings))
    assert "different step sizes" in check_claim(claim, own).reason
    assert check_claim(replace(claim, assumptions=()), own).status == "violated"


# The proof -----------------------------------------------------------------------------------------------------------------


def recorded(name: str) -> Theorem:
    return next(t for t in library.load("delta_sgd").theorems if t.id == f"delta_sgd/{name}")


@pytest.fixture(scope="module")
def common() -> Theorem:
    return recorded("T5-B-common")


def why_not(theorem: Theorem, name: str, claim: Relation | None = None, **changes: Any) -> str:
    """Why a step with another claim, rule or uses does not follow, the other steps as they are recorded; or nothing."""
    step = next(s for s in theorem.steps if s.id == name)
    return alone(theorem, replace(step, claim=claim or step.claim, **changes), {})


def test_the_theorem_states_the_catalogues_formula_and_no_smaller_one(common: Theorem) -> None:
    assert common.bound is T5_SHARED is SHARED.bound
    assert why_not(common, "last") == why_not(common, "summed") == ""
    for name in ("last", "summed"):
        claim = next(s.claim for s in common.steps if s.id == name)
        smaller = le(claim.left, claim.right * Fraction(99, 100))
        assert "the sides differ" in why_not(common, name, smaller)


def test_each_condition_of_the_theorem_is_used(common: Theorem) -> None:
    """Without the condition on steps, on the minimiser or on the floor of the steps nothing follows."""
    for name, needed in (
        ("far", "overshoot"),
        ("room", "below"),
        ("one", "low"),
        ("steps S", "smooth"),
        ("distance", "begun"),
    ):
        step = next(s for s in common.steps if s.id == name)
        left = tuple(u for u in step.uses if u != needed)
        assert len(left) < len(step.uses)
        changes: dict[str, Any] = {"uses": left}
        if isinstance(step.rule, Combine):
            changes["rule"] = replace(step.rule, weights=tuple((k, v) for k, v in step.rule.weights if k != needed))
        assert not why_not(common, name)
        assert why_not(common, name, **changes), name


def test_longer_steps_bring_the_server_no_nearer() -> None:
    """A step may be as long as it does not overshoot: with 101 % of that the proof has no way on."""
    closer = recorded("T5-closer")
    short = next(s.claim for s in closer.steps if s.id == "each")
    assert not why_not(closer, "each")
    assert why_not(closer, "each", replace(short, right=short.right * Fraction(99, 100)))


def test_every_stored_case_obeys_the_theorems_hypotheses() -> None:
    """On the stored runs: no step overshoots, values are lowest at the minimiser, S is above the floor."""
    for case in SHORT:
        h = follow(auto_tuned, case, "B")
        assert a_step_overshoots(h, case) is None
        assert h.instance.common
        assert not any(v < 0 for values in h.above for v in values)
