"""The README tells the truth: its examples run, its commands exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from fltheory.search import falsifier

README = Path(__file__).resolve().parent.parent / "README.md"


def examples() -> list[str]:
    """The Python of the README: a federated variant, a sampler, a learner, a submodular variant, a step-size rule, a worst case."""
    found = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(found) == 6
    return found


@pytest.fixture
def search_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The witness stays as it was found: to shrink it takes up to ten seconds, and has tests of its own."""
    monkeypatch.setattr(falsifier, "simpler", lambda case: ())


def test_the_submodular_example_runs(search_alone: None, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(examples()[3], "README.md", "exec"), {"__name__": "example"})
    assert "fedcg/S1@sharpened, variant: violated" in capsys.readouterr().out


def test_the_worst_case_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(examples()[5], "README.md", "exec"), {"__name__": "example"})
    assert capsys.readouterr().out.split() == ["19/27"]


def test_the_step_rule_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(examples()[4], "README.md", "exec"), {"__name__": "example"})
    assert "delta_sgd/V-one@corrected, variant mine: violated" in capsys.readouterr().out


def test_the_sampler_example_runs(search_alone: None, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(examples()[1], "README.md", "exec"), {"__name__": "example"})
    assert "osmd/C-P13@sharpened, variant: violated" in capsys.readouterr().out


def test_the_learner_example_runs(search_alone: None, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(examples()[2], "README.md", "exec"), {"__name__": "example"})
    assert "aaggff/T5.2@printed, variant: violated" in capsys.readouterr().out


def test_the_variant_example_runs(search_alone: None, capsys: pytest.CaptureFixture[str]) -> None:
    """The example is what it says: exact evidence, and a counterexample with its line."""
    exec(compile(examples()[0], "README.md", "exec"), {"__name__": "example"})
    out = capsys.readouterr().out
    assert "exact" in out
    assert "violated" in out
    assert "witness (claim: the one you checked): from fltheory import verify" in out


def test_the_commands_of_the_readme_run(
    search_alone: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Any
) -> None:
    """Every line of the block 'Ask a theorem', in this process and with a short search: the witness isn't shrunk.

    Tests of the command line start processes of their own.
    """
    text = README.read_text(encoding="utf-8")
    block = text.split("## Ask a theorem")[1].split("```")[1]
    lines = [line.split("#")[0].strip() for line in block.strip().splitlines()]
    assert len(lines) == 6
    monkeypatch.chdir(tmp_path)
    for line in lines:
        program, *arguments = shlex.split(line)
        assert program == "fltheory"
        status, out, err = run(*arguments)
        assert status == (1 if "falsify" in arguments else 0), f"{line}\n{out}\n{err}"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.jsonl", "t3.svg"]
