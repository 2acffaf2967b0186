"""`fltheory new` writes a paper that passes its own test as it is, and overwrites nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fltheory.command import skeleton
from tests.children import PLUGIN, environment
from tests.typed import Run


def inside(folder: Path, *command: str) -> str:
    """What a module of Python says, run in this folder; its exit status is 0."""
    result = subprocess.run(
        [sys.executable, "-m", *command], cwd=folder, env=environment(), capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_the_skeleton_passes_its_own_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, _ = run("new", "voyage")
    assert status == 0
    written = sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file())
    assert sorted(out.split()) == written
    assert len(written) == len(skeleton.TEMPLATE_TARGETS)
    assert all(skeleton.PLACEHOLDER not in path.read_text() for path in tmp_path.rglob("*") if path.is_file())
    assert "4 passed" in inside(tmp_path / "voyage", "pytest", "-q", "-p", "no:cacheprovider", *PLUGIN)
    verdicts = inside(tmp_path / "voyage", "fltheory", "verify", "voyage.claims", "--jobs", "1")
    assert "1 claim, 6 cases: 6 holds; all as recorded" in verdicts


def test_every_template_is_written() -> None:
    templates = {path.name for path in skeleton.TEMPLATES.iterdir() if path.suffix == ".txt"}
    assert sorted(templates) == sorted(skeleton.TEMPLATE_TARGETS.values())


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("1a", "can't be called '1a'"),
        ("a b", "can't be called 'a b'"),
        ("../a", "can't be called '../a'"),
        ("class", "can't be called 'class'"),
        ("été", "can't be called 'été'"),
        ("_mine", "can't be called '_mine'"),
        ("", "can't be called ''"),
        ("sfl", "the key 'sfl' is taken"),
        ("delta_sgd", "the key 'delta_sgd' is taken"),
        ("json", "a package 'json' already"),
        ("numpy", "a package 'numpy' already"),
    ],
)
def test_what_is_no_name_or_is_taken_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run, name: str, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, err = run("new", name)
    assert (status, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_nothing_is_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("kept")
    (tmp_path / "link").symlink_to("nowhere")
    for name in ("folder", "file", "link"):
        status, _, err = run("new", name)
        assert status == 2
        assert f"there is a {name} in this folder already" in err
    assert (tmp_path / "file").read_text() == "kept"
    assert not list((tmp_path / "folder").iterdir())


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(skeleton.UserError, match=r"can't write .*voyage: No such file"):
        skeleton.write_skeleton("voyage", tmp_path / "none")
