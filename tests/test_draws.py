"""The tests draw the same cases in every run, whatever else a process has loaded; so do searches and claims of one's own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.children import PLUGIN, environment

DRAWING = """
from hypothesis import given, strategies as st

@given(st.lists(st.one_of(st.integers(), st.floats(), st.text()), min_size=20, max_size=20))
def test_drawn(drawn):
    print("drawn", ascii(drawn))
"""
CONSTANTS = "A = (" + ", ".join(str(10**9 + 7919 * i) for i in range(400)) + ")\nB = 'a word of this file alone'\n"
PLAIN = """
from hypothesis import settings
settings.register_profile("plain", max_examples=200, derandomize=True, database=None, deadline=None)
settings.load_profile("plain")
"""


def drawn(folder: Path, *modules: str, hash_seed: int = 0) -> list[str]:
    """What a test draws in a process of its own, where these modules are loaded."""
    loaded = [word for module in modules for word in ("-p", module)]
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", *PLUGIN, *loaded, "drawing.py"]
    known = environment(folder) | {"PYTHONHASHSEED": str(hash_seed)}
    known.pop("HYPOTHESIS_PROFILE", None)
    done = subprocess.run(command, cwd=folder, env=known, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if line.lstrip(".").startswith("drawn")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "drawing.py").write_text(DRAWING)
    (tmp_path / "constants.py").write_text(CONSTANTS)
    (tmp_path / "plain.py").write_text(PLAIN)
    return tmp_path


def test_the_same_cases_are_drawn_whatever_is_loaded(folder: Path) -> None:
    one, other = drawn(folder, "tests.conftest"), drawn(folder, "tests.conftest", "constants", hash_seed=1)
    assert len(one) >= 30
    assert one == other


def test_without_that_other_cases_are_drawn(folder: Path) -> None:
    """The opposite: Hypothesis alone reads numbers in the source of what is loaded."""
    assert drawn(folder, "plain") != drawn(folder, "plain", "constants")


def test_random_cases_belong_to_the_deep_profile() -> None:
    from hypothesis import settings

    gate, deep = settings.get_profile("gate"), settings.get_profile("deep")
    assert (gate.derandomize, gate.database) == (True, None)
    assert not deep.derandomize
    assert settings.get_current_profile_name() == os.environ.get("HYPOTHESIS_PROFILE", "gate")
