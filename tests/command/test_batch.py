"""The error rate of a case, and what a run of many adds up to."""

from fltheory.claims.catalogue import catalogue
from fltheory.claims.check import CASE_RATE, ERROR_RATE
from fltheory.command.batch import check_task, plan
from fltheory.verification import find

EXACT, STATISTICAL = find("osmd/C-2@printed"), find("osmd/F8-text@printed")


def test_the_rate_of_a_case_does_not_depend_on_what_is_asked_beside_it():
    """All cases of the catalogue together err with probability at most ERROR_RATE."""
    whole = sum(len(claim.all_cases("full")) for claim in catalogue() if claim.measure is not None)
    assert whole * CASE_RATE <= ERROR_RATE
    alone, beside = (check_task(plan(asked, "quick", 0)[0]) for asked in ([STATISTICAL], [STATISTICAL, EXACT]))
    assert alone["error_rate"] == beside["error_rate"] == CASE_RATE
    assert {**alone, "seconds": 0} == {**beside, "seconds": 0}
