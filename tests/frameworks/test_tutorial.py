"""The tutorial of Flower does what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from fltheory import find
from fltheory.claims.check import check_claim
from fltheory.command.variant import with_variant
from tests.test_readme import examples

pytest.importorskip("flwr", reason="Flower is not installed: pip install 'fltheory[flower]'")


def test_ten_lines_to_a_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app, python = examples("docs/tutorial/flower.md")
    (tmp_path / "my_app.py").write_text(app)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(python, names)
    verdict = names["verdict"]
    assert (verdict.status, verdict.evidence) == ("holds", "exact")
    claim = find("sfl/T7@explicit")
    for name, status in {"strategy": "holds", "momentum": "holds", "yogi": "violated"}.items():
        found = check_claim(with_variant(claim, f"flower:my_app:{name}"), claim.cases[0].with_settings(n_rounds=60))
        assert (name, found.status) == (name, status)
    weighted = check_claim(with_variant(claim, "flower:my_app:weighted"), claim.cases[1])
    assert weighted.status == "violated"
