"""What every claim of the catalogue must pass, check by check: a claim that should not pass makes its check fail."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
import sympy
from hypothesis import HealthCheck, Phase, given, settings

from fltheory.claims.catalogue import catalogue
from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.evidence.measured import STAGES
from fltheory.evidence.verdict import Verdict, import_lines
from fltheory.model.bound import Bound, BoundError
from fltheory.model.case import Case
from fltheory.search import falsifier, portfolio
from tests.papers import recorded
from tests.papers.units import scales

BY_ID = {claim.id: claim for claim in catalogue()}
ERROR_RATE = 1e-9  # of one verdict


@cache
def _of_the_catalogue(claim_id: str) -> tuple[Verdict, ...]:
    return _checked(BY_ID[claim_id])


WORK = 6_000  # of a search that is to find what is false
MORE = {"fedcg/T3.2-average@strict": 20_000, "fedcg/Lip2-max@printed": 20_000}  # for what takes more


def verdicts(claim: Claim) -> tuple[Verdict, ...]:
    """The verdicts on a claim's cases; those of the catalogue's own are found once in a process."""
    if BY_ID.get(claim.id) is claim:
        return _of_the_catalogue(claim.id)
    return _checked(claim)


def _checked(claim: Claim) -> tuple[Verdict, ...]:
    stages = recorded.EARLY if claim.id.startswith(recorded.EARLY_LOOKS) else STAGES
    return tuple(check_claim(claim, case, ERROR_RATE, stages=stages) for case in claim.cases)


def attained(verdict: Verdict, within: float = 1e-14) -> bool:
    """Whether both sides are the same, but for a share of the limit, or of 1 where that is 0."""
    assert verdict.measured is not None
    assert verdict.limit is not None
    return abs(verdict.measured - verdict.limit) <= within * (abs(verdict.limit) or 1)


def as_recorded(claim: Claim) -> None:
    """Every stored case gives the recorded verdict, on evidence that is no weaker than what is recorded."""
    assert claim.cases
    for verdict in verdicts(claim):
        assert verdict.status == claim.entry.recorded, str(verdict)
        if (
            getattr(claim.measure, "tolerance", 0.0) and verdict.evidence != "exact"
        ):  # what it decided is not called exact
            assert (verdict.status, verdict.evidence) == ("holds", "numerical")
            assert attained(verdict)
    found = Counter(verdict.evidence for verdict in verdicts(claim))
    statistical, inexact = recorded.STATISTICAL.get(claim.id, 0), recorded.INEXACT.get(claim.id, 0)
    assert found["statistical"] <= statistical, f"{claim.id}: {found}"
    assert found["statistical"] + found["sampled"] + found["numerical"] <= statistical + inexact, f"{claim.id}: {found}"


def scales_alike(claim: Claim) -> None:
    """Both sides of every bound change alike with the units, by letters and in numbers, unless the claim says they don't."""
    assert claim.measure is not None
    assert bool(claim.dimension_error()) == claim.inconsistent_units, (
        claim.dimension_error() or f"{claim.id} scales alike"
    )
    for bound in claim.bounds:  # of 0 any unit is right
        if not bound.expr.free_symbols and bound.expr != 0 and claim.id not in recorded.MERE_NUMBERS:
            assert bound.dimension() == claim.measure.dimension
    try:
        assert scales(claim) != claim.inconsistent_units, f"{claim.id} in other units"
    except BoundError as error:  # an integer that has units stays one
        if claim.inconsistent_units or "out of its domain" not in str(error):
            raise


def prints(claim: Claim) -> None:
    """Every bound prints, with letters."""
    for bound in claim.bounds:
        assert bound.unicode()
        assert bound.latex()
        assert bound.letters or not bound.expr.free_symbols


def stronger(bound: Bound, ratio: float, margin: Fraction) -> Bound:
    """The bound with a constant that a case with this ratio refutes."""
    if bound.side == "equal":
        return bound.scaled(margin)
    close = Fraction(ratio).limit_denominator(10**9) if abs(ratio) > 1e-3 else Fraction(ratio)
    return bound.scaled(margin / close if bound.side == "lower" else close / margin)


def tightest(known: tuple[Verdict, ...]) -> Verdict:
    """The verdict with the largest ratio among those on the strongest evidence."""
    strongest = next(
        kind for kind in ("exact", "numerical", "sampled", "statistical") if any(v.evidence == kind for v in known)
    )
    return max((v for v in known if v.evidence == strongest), key=lambda v: -1.0 if v.ratio is None else v.ratio)


def refutes_stronger(claim: Claim, margin: Fraction = Fraction(1001, 1000)) -> None:
    """Each bound, tightened past the tightest case known by ``margin``, is violated there."""
    for bound in claim.bounds:
        alone = claim if len(claim.bounds) == 1 else replace(claim, bounds=(bound,))
        known = verdicts(alone)
        if claim.tightest is not None and claim.tightest not in claim.cases:
            known = (*known, check_claim(alone, claim.tightest, ERROR_RATE))
        near = tightest(known)
        assert near.ratio is not None
        if claim.id in recorded.FAR:
            assert near.ratio <= 0
            continue
        assert near.ratio > 0
        mutant = replace(claim, bounds=(stronger(bound, near.ratio, margin),))
        found = check_claim(mutant, near.case, ERROR_RATE)
        half_known = claim.id in recorded.HALF_KNOWN and found.status == "inconclusive"
        assert found.status == "violated" or half_known, f"{claim.id}: {bound.side}, {near.ratio}, {found}"


def says_how_loose(claim: Claim) -> None:
    """Where every ratio is below 1/1000 the remark gives a factor that all cases keep, and the tightest nearly attains."""
    ratios = [v.ratio for v in verdicts(claim) if v.ratio is not None]
    if not ratios or not 0 < max(ratios) < 1e-3:
        return
    found = re.search(r"at least ((?:\d+ \* )?10\^\d+|\d[\d ]*) times", claim.remark, re.IGNORECASE)
    assert found, f"{claim.id}: 1/{1 / max(ratios):.3g}, {claim.remark!r}"
    factor = sympy.sympify(found[1].replace("^", "**") if "^" in found[1] else found[1].replace(" ", ""))
    assert 1 <= 1 / max(ratios) / float(factor) < 3


def survives(claim: Claim, examples: int = 8, stages: tuple[int, ...] = STAGES) -> None:
    """Random cases of the claim's own family refute nothing that is true, and leave nothing open."""
    assert claim.family is not None

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
    @given(claim.family())
    def attack(case: Case) -> None:
        verdict = check_claim(claim, case, stages=stages)
        assert verdict.status != "violated", str(verdict)
        assert verdict.status != "inconclusive" or recorded.may_stay_open(claim, verdict), str(verdict)

    attack()


def is_found(claim: Claim, max_cases: int | None = None, shrunk: bool = False) -> Verdict:
    """The counterexample that a search finds which is not told where to look, among so many drawn cases."""
    with pytest.MonkeyPatch.context() as patch:
        if not shrunk:  # to shrink a counterexample takes up to ten seconds, and has tests of its own
            patch.setattr(falsifier, "simpler_cases", lambda case: ())
        patch.setattr(portfolio, "neighbour_claim_cases", lambda claim: ())
        found = falsifier.falsify(
            replace(claim, cases=(), full_cases=None), work=MORE.get(claim.id, WORK), seed=1, max_cases=max_cases
        )
    assert found.verdict is not None, str(found)
    return found.verdict


def replays(verdict: Verdict, capsys: pytest.CaptureFixture[str]) -> None:
    """The line of Python that is printed with a counterexample says again that the claim is violated."""
    line = verdict.counterexample
    assert line is not None
    assert "\n" not in line
    exec(line, {})
    assert "violated" in capsys.readouterr().out


def rebuilds(instance: object) -> None:
    """The text of an instance, with the imports that are printed with it, gives the same instance."""
    names: dict[str, Any] = {}
    exec(import_lines(instance), names)
    again = eval(repr(instance), names)
    assert again == instance
    assert hash(again) == hash(instance)
