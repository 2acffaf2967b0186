"""Kernels run where no cache of theirs can be written, and say the same."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fltheory.number.streams import compiled
from tests.children import ROOT

CODE = """
import numpy as np
from fltheory import find
from fltheory.claims.check import check_claim
from fltheory.number.streams import kernels
import fltheory
claim = find("aaggff/C5.3-factor@printed")
print(fltheory.__file__)
print(kernels.uniform_after(np.uint64(1), 2), check_claim(claim, claim.cases[0]))
"""


def answer(package: Path, home: str) -> subprocess.CompletedProcess[str]:
    known = {k: v for k, v in os.environ.items() if k not in ("NUMBA_CACHE_DIR", "FLTHEORY_PAPERS", "PYTHONPATH")}
    own = {"PYTHONPATH": str(package), "HOME": home, "XDG_CACHE_HOME": home, "NUMBA_CACHE_DIR": f"{home}/numba"}
    return subprocess.run(
        [sys.executable, "-c", CODE], env={**known, **own}, cwd=package, capture_output=True, text=True, check=False
    )


def test_where_no_cache_can_be_written_a_verdict_is_the_same(tmp_path: Path) -> None:
    """A copy whose every __pycache__ is a file, a home below a file: nowhere can numba write, not even for root."""
    shutil.copytree(ROOT / "fltheory", tmp_path / "fltheory", ignore=shutil.ignore_patterns("__pycache__"))
    for folder in [p for p in (tmp_path / "fltheory").rglob("*") if p.is_dir()] + [tmp_path / "fltheory"]:
        (folder / "__pycache__").touch()
    bare, usual = answer(tmp_path, os.devnull), answer(ROOT, str(tmp_path / "home"))
    assert bare.returncode == 0, bare.stderr
    assert usual.returncode == 0, usual.stderr
    where, told = bare.stdout.split("\n", 1)
    assert where.startswith(str(tmp_path))
    assert told == usual.stdout.split("\n", 1)[1]
    assert "violated" in told


def test_options_are_numbas_own() -> None:
    assert compiled.njit(nogil=True)(_twice)(2) == 4
    assert compiled.vectorize(["float64(float64)"])(_twice)(np.array([1.5])).tolist() == [3.0]


def _twice(x: float) -> float:
    return 2 * x


def test_what_else_numba_refuses_stays_an_error() -> None:
    def refuse(**options: object) -> object:
        raise RuntimeError("something else")

    with pytest.raises(RuntimeError, match="something else"):
        compiled._compile_cached(refuse, (), {})(_twice)


def test_no_kernel_asks_numba_itself() -> None:
    """One place decides what happens without a cache."""
    asked = [p for p in (ROOT / "fltheory").rglob("*.py") if "import numba" in p.read_text(encoding="utf-8")]
    assert [p.stem for p in asked] == ["compiled"]
