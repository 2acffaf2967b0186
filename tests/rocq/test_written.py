"""What is written for Rocq, and what is not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fltheory.kernel.theorem import FORMAT
from fltheory.rocq.project import RocqFile, scripts
from tests.kernel.written import combine, step, theorem


def written(own: Any) -> RocqFile:
    exported = {"format": FORMAT, "papers": {"p": [own]}}
    (found,) = scripts(json.loads(json.dumps(exported)))
    return found


def test_a_proof_whose_normal_form_supposes_something_has_a_script():
    own = theorem("own", step("1", "x/x == 1", combine({"h": "0"})), given={"h": "0 < x"})
    assert "Qed." in written(own).text


@pytest.mark.parametrize(
    ("defined", "told"),
    [
        ("a(i) := i", ""),
        ("c(i) := i*i", ""),
        ("c(i) := floor(i/2)**2", ""),
        ("N(i) := i", "the definition d, whose values are of their sort at integers alone"),
    ],
)
def test_a_definition_is_told_to_rocq_where_its_sort_holds_at_all_numbers(defined: str, told: str):
    """Semantics.v supposes it at all of them: with N(1/2) = 1/2, which is no integer, everything would follow."""
    found = written(theorem("own", step("1", "0 <= 1", combine()), given={"d": defined}))
    assert found.why == told
    assert bool(found.text) == (not told)
