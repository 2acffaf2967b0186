"""Whether a repair is the correction that the catalogue has, or at least as strong."""

from __future__ import annotations

from fltheory import Claim
from fltheory.claims.catalogue import catalogue
from fltheory.claims.check import inapplicable_reason
from fltheory.claims.ids import without_reading
from fltheory.model.bound import Bound
from fltheory.model.case import Case
from fltheory.number import to_ball
from fltheory.search.repair.repair import RepairResult
from fltheory.search.repair.trials import Repair
from fltheory.search.tightness.terms import is_yes_no

FEW = 3  # cases on which two claims are compared, at least


def corrected(claim: Claim) -> Claim | None:
    """The catalogue's corrected reading of a false statement, if it has one about the same quantity of the same method."""
    for other in catalogue((claim.paper,)):
        alike = without_reading(other.id) == without_reading(claim.id) and other.reading == "corrected"
        same = (
            repr(other.measure) == repr(claim.measure)
            and other.algorithm == claim.algorithm
            and other.mode == claim.mode
        )
        if alike and same and other.entry.recorded == "holds":
            return other
    return None


def false_with_corrections() -> list[tuple[Claim, Claim]]:
    """Every false statement that has one, of the same measure, method and tuning."""
    found = []
    for claim in catalogue():
        other = corrected(claim) if claim.entry.recorded == "violated" and claim.family is not None else None
        if other is not None and other.tuning == claim.tuning:
            found.append((claim, other))
    return found


def as_strong(repair: Repair, correction: Claim, cases: tuple[Case, ...]) -> bool:
    """Whether the repaired claim says at least what the correction says wherever that says anything, on all these cases."""
    mine, theirs = repair.claim.bound, correction.bound
    within = [case for case in cases if inapplicable_reason(correction, case) is None]
    if len(within) < FEW or (mine.side != theirs.side and mine.side != "equal"):
        return False
    if is_yes_no(correction):  # no change but a condition
        return all(inapplicable_reason(repair.claim, case) is None for case in within)
    return all(
        inapplicable_reason(repair.claim, case) is None and _stronger(mine, theirs, correction, case) for case in within
    )


def _stronger(mine: Bound, theirs: Bound, claim: Claim, case: Case) -> bool:
    constants = claim.prepared(case).constants
    try:
        one, other = mine.ball(constants), theirs.ball(constants)
    except ValueError:
        return True  # letters that come from the run: the bound itself is the same unless a term was added
    room = to_ball(1) / 10**9 * (abs(one) + abs(other))
    return bool(one <= other + room) if theirs.side != "lower" else bool(one >= other - room)


def found_in(mended: RepairResult, correction: Claim) -> Repair | None:
    """The first repair that is as strong as the correction."""
    more = (*mended.cases, *correction.cases)
    return next((r for r in mended.repairs if as_strong(r, correction, more)), None)
