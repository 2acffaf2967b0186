"""The papers' methods as Flower runs them have the figures of the papers' own loops."""

from __future__ import annotations

import runpy
from dataclasses import replace
from pathlib import Path

import pytest

from fltheory import find
from fltheory.claim import check

pytest.importorskip("flwr", reason="Flower is not installed: pip install 'fltheory[flower]'")

EXAMPLES = Path(__file__).resolve().parents[2] / "examples/flower"


def test_delta_sgd_behind_flower_is_delta_sgd() -> None:
    claim, own = runpy.run_path(str(EXAMPLES / "delta_sgd.py"))["claim"], find("delta_sgd/T1-X@corrected")
    case = own.cases[0]
    found, wanted = check(claim, case), check(own, case)
    assert (found.status, found.evidence) == ("holds", "pathwise")
    assert found.measured == pytest.approx(wanted.measured, rel=1e-9)


def test_steps_that_are_not_looked_at_are_no_case_of_the_theorem() -> None:
    claim = runpy.run_path(str(EXAMPLES / "delta_sgd.py"))["claim"]
    unseen = replace(claim, algorithm=replace(claim.algorithm, watched=False))
    assert check(unseen, claim.cases[1]).status == "inapplicable"
