"""The example package `basics`, installed somewhere and used from elsewhere: its entry points bring its claims and its proofs."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.children import PLUGIN, ROOT, environment

SOURCE = ROOT / "examples" / "basics"
LINES = 75  # of a file at most: it is there to be read
COMMANDS = (
    ["list", "basics"],
    ["show", "basics/GD2", "--check"],
    ["bound", "basics/GD1", "smoothness=1", "initial_distance=2", "n_rounds=8", "noise_std=0"],
    ["verify", "basics", "--jobs", "1"],
    ["plot", "basics/SGD1", "-o", "sgd.svg"],
    ["proofs", "basics"],
    ["falsify", "basics/LSGD2-free"],
)
DRIVER = """
import contextlib, io, json, sys
from fltheory.command.cli import run
if __name__ == "__main__":  # a search has a process of its own, which imports this file
    said = []
    for arguments in json.loads(sys.argv[1]):
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
            status = run(arguments)
        said.append([status, out.getvalue()])
    print(json.dumps(said))
"""
SUITE = """
from basics.noise import SGD1_HALF

fltheory_claims = ["basics/GD1@printed", "basics/LSGD2@printed", SGD1_HALF]
"""


def installed(site: Path) -> Path:
    """What an installer makes of the package: the files that are named, and the entry points."""
    project = tomllib.loads((SOURCE / "pyproject.toml").read_text())
    for package in project["tool"]["setuptools"]["packages"]:
        folder = Path(*package.split("."))
        patterns = ["*.py", *project["tool"]["setuptools"]["package-data"].get(package, ())]
        for path in (found for pattern in patterns for found in (SOURCE / folder).glob(pattern)):
            target = site / path.relative_to(SOURCE)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    about = site / "basics-0.1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: basics\nVersion: 0.1.0\n")
    points = project["project"]["entry-points"]
    lines = [line for group, own in points.items() for line in (f"[{group}]", *(f"{k} = {v}" for k, v in own.items()))]
    (about / "entry_points.txt").write_text("\n".join(lines) + "\n")
    return site


def outside(folder: Path, site: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """A program run in a folder of its own, with the package installed."""
    program = [sys.executable, *command]
    return subprocess.run(program, cwd=folder, env=environment(site), capture_output=True, text=True, check=False)


def answers(folder: Path, site: Path, commands: Sequence[Sequence[str]]) -> list[tuple[int, str]]:
    """The exit status of each command line and what it says, all asked of one process."""
    (folder / "driver.py").write_text(DRIVER)
    result = outside(folder, site, "driver.py", json.dumps(commands))
    assert result.returncode == 0, result.stderr
    return [(status, text) for status, text in json.loads(result.stdout)]


def test_every_command_knows_the_package(tmp_path: Path) -> None:
    site = installed(tmp_path / "site")
    (tmp_path / "elsewhere").mkdir()
    said = answers(tmp_path / "elsewhere", site, COMMANDS)
    listed, shown, bounded, verified, plotted, proved, falsified = said
    assert [status for status, _ in said] == [0, 0, 0, 0, 0, 0, 1], said
    assert listed[1].count("basics/") == 14
    assert "PROVED, all parameters" in shown[1]  # as checked or, where that took too long, as recorded
    assert bounded[1].split()[0] == "0.25"
    assert "14 claims, 49 cases" in verified[1]
    assert "7 violated; all as recorded" in verified[1]
    assert "21 theorems: 14 PROVED, 7 REFUTED; all as recorded" in proved[1]
    assert "violated" in falsified[1]
    assert 'verify("basics/LSGD2-free@printed"' in falsified[1]
    assert (tmp_path / "elsewhere" / plotted[1].strip()).stat().st_size > 1000


def test_its_claims_are_tests(tmp_path: Path) -> None:
    site = installed(tmp_path / "site")
    (tmp_path / "test_mine.py").write_text(SUITE)
    result = outside(tmp_path, site, "-m", "pytest", "-q", "-p", "no:cacheprovider", *PLUGIN, "test_mine.py")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "3 passed" in result.stdout


def test_a_build_takes_all_files_along(tmp_path: Path) -> None:
    """What setuptools builds is what is installed here, the certificates included."""
    pytest.importorskip("setuptools")
    shutil.copytree(SOURCE, tmp_path / "source", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info", "build"))
    build = ["-W", "ignore", "-c", "from setuptools import setup; setup()", "-q", "build", "--build-lib", "../built"]
    result = outside(tmp_path / "source", tmp_path, *build)
    assert result.returncode == 0, result.stderr
    site = installed(tmp_path / "site")
    assert names(tmp_path / "built") == names(site) - {p for p in names(site) if ".dist-info" in p}
    assert any(name.endswith("basics_GD1.json") for name in names(site))


def names(folder: Path) -> set[str]:
    """The files of a folder, by their paths in it, without what Python compiles."""
    return {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file() and p.suffix != ".pyc"}


def test_its_files_are_short() -> None:
    for path in sorted(SOURCE.rglob("*.py")):
        assert len(path.read_text().splitlines()) <= LINES, path
        assert path.read_text().startswith('"""'), path
