"""How a run's error rate is divided over its cases."""

import math

from fltheory.claim import ERROR_RATE
from fltheory.command.batch import plan
from fltheory.known import find

EXACT, STATISTICAL = find("osmd/C-2@printed"), find("osmd/F8-text@printed")


def test_the_rates_of_a_run_add_up_to_its_own():
    tasks = plan([EXACT, STATISTICAL], "quick", 0)
    assert math.isclose(math.fsum(t.error_rate for t in tasks), ERROR_RATE)


def test_a_case_decided_without_statistics_leaves_its_share_to_the_others():
    of = {t.claim_id: t.error_rate for t in plan([EXACT, STATISTICAL], "quick", 0)}
    assert 0 < of[EXACT.id] < of[STATISTICAL.id] / 100


def test_nothing_is_known_of_a_variant():
    assert len({t.error_rate for t in plan([EXACT, STATISTICAL], "quick", 0, "steps.py:mine")}) == 1
