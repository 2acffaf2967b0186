"""Asserts about claims, and the plugin that collects them as tests."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from fltheory import find
from fltheory.claims.catalogue import catalogue
from fltheory.claims.check import check_claim
from fltheory.model.case import Case
from fltheory.testing import assert_holds, assert_matches, assert_refuted, cases
from tests.children import PLUGIN, environment

GOOD, BAD = "sfl/U7@explicit", "sfl/D3-first@printed"
pytest_plugins = ["pytester"]


def test_what_holds_and_what_is_refuted() -> None:
    assert all(verdict.status == "holds" for verdict in assert_holds(GOOD))
    assert assert_refuted(BAD).status == "violated"
    with pytest.raises(AssertionError, match="does not hold on"):
        assert_holds(BAD)
    with pytest.raises(AssertionError, match="no counterexample of sfl/U7@explicit"):
        assert_refuted(GOOD, work=300)
    with pytest.raises(AssertionError, match="no cases of its own"):
        assert_holds(replace(find(GOOD), cases=()))


@pytest.mark.parametrize(
    "name",
    [
        *("sfl/T3-SC@printed", "sfl/U1@explicit", "osmd/C-2@printed", "fedcg/P1@printed", "fedcg/P6@strict"),
        *("aaggff/U0@printed", "delta_sgd/C3@printed", "delta_sgd/T1-rho@printed"),
        *("osmd/C-T4@printed", "aaggff/T5.1@printed", "delta_sgd/R1@explicit"),  # a sampler, a learner, a step size
    ],
)
def test_every_paper_and_every_kind_of_player_has_cases(name: str) -> None:
    seen = []

    @given(cases(name))
    @settings(max_examples=2, deadline=None, database=None)
    def look(case: Case) -> None:
        seen.append(case)

    look()
    assert all(isinstance(case, Case) for case in seen)


def test_where_there_are_no_cases_is_said() -> None:
    with pytest.raises(ValueError, match="no family of instances to draw cases from: pass one as family="):
        cases(replace(find(GOOD), family=None))
    with pytest.raises(ValueError, match="external result"):
        cases(next(claim for claim in catalogue(("sfl",)) if claim.measure is None))
    with pytest.raises(ValueError, match="claim must be a Claim or the id of one, got 3"):
        cases(3)  # type: ignore[arg-type]
    with pytest.raises(KeyError, match="the nearest are"):
        cases("sfl/U77")


@given(cases(GOOD))
@settings(max_examples=3, deadline=None)
def test_cases_are_those_of_the_claim_s_family(case: Case) -> None:
    assert check_claim(find(GOOD), case).status != "violated"


def test_a_kernel_and_its_twin() -> None:
    assert_matches(np.array([1.0, 2.0]), [1, 2 + 1e-10])
    with pytest.raises(AssertionError, match="away"):
        assert_matches(np.array([1.0, 2.0]), [1, 2.1])
    with pytest.raises(AssertionError, match="shapes"):
        assert_matches(np.ones(3), np.ones(2))


CLAIMS = """
import subprocess
import sys
from dataclasses import replace
from fltheory import find
from fltheory.claims.check import check_claim

good = find("sfl/U7@explicit")
small = replace(good, bounds=tuple(replace(b, expr=b.expr / 1000) for b in good.bounds))
fltheory_claims = ["sfl/D3-first@printed", good, small]
"""


def test_claims_are_collected_one_test_each(pytester: pytest.Pytester) -> None:
    """A false one passes by being refuted as recorded, a mutant of a true one fails with the line that replays."""
    pytester.makepyfile(CLAIMS)
    result = pytester.runpytest_subprocess(*PLUGIN, "-q", "--fltheory-seed", "3")
    result.assert_outcomes(passed=2, failed=1)
    out = result.stdout.str()
    assert "violated" in out
    assert "from fltheory import verify" in out


def test_what_is_no_claim_fails_alone_and_without_a_traceback(pytester: pytest.Pytester) -> None:
    pytester.makepyfile('fltheory_claims = ["sfl/h4@explicit", "sfl/h4@explict", 3, ("sfl/h4@explicit",)]')
    result = pytester.runpytest_subprocess(*PLUGIN, "-q")
    result.assert_outcomes(passed=1, failed=3)
    out = result.stdout.str()
    assert "no claim 'sfl/h4@explict'; the nearest are sfl/h4@explicit" in out
    assert "claim must be a Claim or the id of one, got 3" in out
    assert "def require_claim" not in out


def test_a_seed_out_of_range_is_told_before_anything_runs(pytester: pytest.Pytester) -> None:
    pytester.makepyfile('fltheory_claims = ["sfl/h4@explicit"]')
    result = pytester.runpytest_subprocess(*PLUGIN, "--fltheory-seed", "-3")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--fltheory-seed: expected an integer from 0 to 2**63 - 1, got '-3'" in result.stderr.str()


OPTIMISED = """
import subprocess
import sys
from dataclasses import replace

import numpy as np

from fltheory import find
from fltheory.testing import assert_holds, assert_matches, assert_refuted, assert_as_recorded

assert False, "asserts are on"
bad, good = find("fedcg/T4.3@printed"), find("aaggff/87@corrected")
calls = {
    "a violated claim": lambda: assert_holds(bad),
    "another verdict than recorded": lambda: assert_as_recorded(bad.recorded_as("holds")),
    "a true claim that is recorded as false": lambda: assert_as_recorded(good.recorded_as("violated")),
    "no cases": lambda: assert_holds(replace(good, cases=())),
    "no cases that are expected": lambda: assert_as_recorded(replace(bad, cases=())),
    "twins apart": lambda: assert_matches(np.zeros(2), np.ones(2)),
    "twins of other shapes": lambda: assert_matches(np.zeros(2), np.zeros(3)),
}
for name, call in calls.items():
    try:
        call()
    except AssertionError:
        print("raised:", name)
assert_holds(good)
"""


def test_nothing_passes_under_optimisation_that_would_not_without() -> None:
    """``python -O`` takes asserts away: those of ``fltheory.testing`` decide."""
    done = subprocess.run(
        [sys.executable, "-O", "-c", OPTIMISED], env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("raised: ") == OPTIMISED.count("lambda: "), done.stdout
