"""The README tells the truth: its table is current, its example runs, its commands exist."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import readme

from fltheory.papers import catalogue

EVERY = 8  # rows whose numbers are computed again in the gate: the claims' own tests compute all verdicts


def test_the_table_names_every_claim_with_its_verdict() -> None:
    rows = readme.written().splitlines()[2:]
    claims = catalogue()
    assert len(rows) == len(claims), "run python tests/readme.py"
    for i, (row, claim) in enumerate(zip(rows, claims, strict=True)):
        assert row.startswith(readme.beginning(claim)), "run python tests/readme.py"
        assert i % EVERY or row == readme.row(claim), "run python tests/readme.py"


@pytest.mark.deep
def test_the_table_of_claims_is_current() -> None:
    assert readme.written() == readme.table(), "run python tests/readme.py"


def test_the_sampler_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    _, code = re.findall(r"```python\n(.*?)```", readme.README.read_text(encoding="utf-8"), flags=re.DOTALL)
    exec(compile(code, "README.md", "exec"), {"__name__": "example"})
    assert "osmd/C-P13@sharpened: violated" in capsys.readouterr().out


def test_the_variant_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """The example is what it says: exact evidence, and a counterexample with its line."""
    text = readme.README.read_text(encoding="utf-8")
    code, _ = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    exec(compile(code, "README.md", "exec"), {"__name__": "example"})
    out = capsys.readouterr().out
    assert "exact" in out
    assert "violated" in out
    assert "witness (claim: the one you checked): from fltheory import verify" in out


def test_the_commands_of_the_readme_run(tmp_path: Path) -> None:
    """Every line of the block 'Ask a theorem', with short searches."""
    text = readme.README.read_text(encoding="utf-8")
    block = text.split("## Ask a theorem")[1].split("```")[1]
    lines = [line.split("#")[0].strip() for line in block.strip().splitlines()]
    assert len(lines) == 6
    for line in lines:
        done = subprocess.run(
            [sys.executable, "-m", *shlex.split(line)],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            timeout=300,
            check=False,
        )
        expected = 1 if " falsify " in f" {line} " else 0
        assert done.returncode == expected, f"{line}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr
