"""The recorded theorems, a test for each: what the kernel as it stands says of one is what it must say after an edit.

The answers come from a process of their own, so that nothing the kernel remembers is there when the edits are tried.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fltheory.kernel import theorem as kernel
from fltheory.kernel.deep import deeply
from fltheory.kernel.language import effort


def _told(path: Path) -> list[list[str]]:
    """Paper, name, outcome, and what is read with x/0 = 0, of each theorem of a file."""
    exported = json.loads(path.read_text(encoding="utf-8"))
    verdicts = deeply(lambda: list(kernel.recheck(exported, domains=True)))
    keys = [key for key, theorems in exported["papers"].items() for _ in theorems]
    return [[key, v.name, v.outcome, v.read] for key, v in zip(keys, verdicts, strict=True)]


def _recorded() -> tuple[dict[str, Any], list[list[str]]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "proofs.json"
        subprocess.run(
            [sys.executable, "-m", "fltheory", "proofs", "--export", str(path)], check=True, stdout=subprocess.DEVNULL
        )
        told = subprocess.run([sys.executable, __file__, str(path)], check=True, capture_output=True, text=True)
        return json.loads(path.read_text(encoding="utf-8"))["papers"], json.loads(told.stdout)


if __name__ == "__main__":
    print(json.dumps(_told(Path(sys.argv[1]))))
else:
    WRITTEN, TOLD = _recorded()
    BY_NAME = {key: {t["id"]: t for t in theorems} for key, theorems in WRITTEN.items()}
    OUTCOMES = {(key, name): outcome for key, name, outcome, _ in TOLD}


def test_it_is_told_as_before(row: list[str]) -> None:
    """The kernel's answer to one theorem, where those that it applies are taken as they are recorded."""
    key, name, outcome, read = row
    assert deeply(lambda: _answer(key, BY_NAME[key][name])) == (outcome, read)


def _answer(key: str, value: dict[str, Any]) -> tuple[str, str]:
    effort._forget()  # else a theorem runs through no line that an earlier one had run through
    effort.begin()
    earlier = {}
    for applied in {s["rule"]["theorem"] for s in value["steps"] if "theorem" in s["rule"]} & set(BY_NAME[key]):
        outside = "recorded so" if OUTCOMES[key, applied] == "outside" else ""
        earlier[applied] = replace(kernel.theorem(BY_NAME[key][applied]), outside=outside)
    own = kernel.theorem(value)
    outside = kernel.check(own, earlier)
    effort.begin()
    return ("outside", "") if outside else ("confirmed", "" if own.refuted else kernel.artificial(own, earlier))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test for each theorem."""
    metafunc.parametrize("row", TOLD, ids=["-".join(r[:2]) for r in TOLD])
