"""The stored table is what the judge says."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("flwr", reason="Flower is not installed: pip install 'fltheory[flower]'")

from fltheory.frameworks.conformance import ENTRIES, Entry, rows

PAGE = (Path(__file__).resolve().parents[2] / "docs/findings/frameworks.md").read_text()


@pytest.mark.turns(4)
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.text)
def test_the_page_tells_the_verdict(entry: Entry) -> None:
    (row,) = rows((entry,))
    assert f"| {' | '.join(row.cells)} |" in PAGE
