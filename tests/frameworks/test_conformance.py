"""The stored table is what the judge says."""

from __future__ import annotations

from pathlib import Path

import pytest

from fltheory.frameworks.conformance import ENTRIES, Entry, installed_versions, table_rows
from fltheory.model.errors import UserError

PAGE = (Path(__file__).resolve().parents[2] / "docs/findings/frameworks.md").read_text()


@pytest.mark.turns(4)
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: f"{entry.framework} {entry.text}")
def test_the_page_tells_the_verdict(entry: Entry) -> None:
    try:
        there = installed_versions()
    except UserError as error:
        pytest.skip(str(error))
    if entry.framework not in there:
        pytest.skip(f"{entry.framework} is not installed")
    (row,) = table_rows((entry,))
    assert f"| {' | '.join(row.cells)} |" in PAGE
