"""What is said where no framework is installed; nothing is imported unless asked for."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import PackageNotFoundError

import pytest

from fltheory import frameworks
from fltheory.frameworks import flower_wire
from fltheory.papers.sfl import wide
from fltheory.questions.lookup import Mistake


def test_a_missing_framework_is_told(monkeypatch):
    def missing(name):
        raise PackageNotFoundError(name)

    flower_wire.flower.cache_clear()
    monkeypatch.setattr(flower_wire, "version", missing)
    with pytest.raises(Mistake, match="Flower is not installed"):
        frameworks.named("flower:mymodule:strategy")


def test_files_are_no_frameworks():
    assert not frameworks.is_named("flower.py:step")
    assert frameworks.is_named("flower:mymodule:strategy")


def test_wide_runs_without_jax_are_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'fltheory\[gpu\]'"):
        wide.points_of_runs([], 1, parallel=True)


def test_nothing_is_imported_unless_asked():
    modules = "fltheory.command.variant, fltheory.frameworks.flower, fltheory.papers.sfl.claims"
    code = f"import sys, {modules}; print({{'flwr', 'jax', 'torch', 'nvflare'}} & {{*sys.modules}})"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"
