"""What a command costs: lists and pages as recorded against the same made anew, as ratios within one run."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

ID = "delta_sgd/V-one@corrected"


def seconds(cache: Path, *words: str) -> float:
    """The time of a command in a process of its own."""
    began = time.perf_counter()
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    subprocess.run([sys.executable, "-m", "fltheory", *words], check=True, stdout=subprocess.DEVNULL, env=environment)
    return time.perf_counter() - began


def test_a_list_that_is_kept(tmp_path: Path) -> None:
    first = seconds(tmp_path, "list")
    again = min(seconds(tmp_path, "list") for _ in range(3))
    print(f"\nlist: the first takes {first / again:.0f} times as long as those that follow ({again:.2f} s)")


def test_a_page_as_recorded(tmp_path: Path) -> None:
    seconds(tmp_path, "show", ID)
    recorded, checked = seconds(tmp_path, "show", ID), seconds(tmp_path, "show", ID, "--check")
    print(f"\nshow {ID}: --check takes {checked / recorded:.1f} times as long ({recorded:.2f} s)")
