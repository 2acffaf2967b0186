"""What a command costs: lists and pages as recorded against the same made anew, as ratios within one run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

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


# The whole catalogue beside another version -----------------------------------------------------------------------------

BEFORE = "FLTHEORY_BEFORE"  # names the other version's command, as /elsewhere/.venv/bin/fltheory


class Verified(NamedTuple):
    """What a run of ``verify`` cost: seconds by the clock, megabytes of all its processes at most."""

    seconds: float
    megabytes: float
    cases: int
    claims: int


def verified(command: list[str], rows: Path) -> Verified:
    """Run it, first once for what is compiled and kept."""
    began, most = time.perf_counter(), 0.0
    with subprocess.Popen([*command, "--json", str(rows)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        while run.poll() is None:
            most = max(most, sum(map(megabytes, family(run.pid))))
            time.sleep(0.2)
    ids = [json.loads(line)["id"] for line in rows.read_text(encoding="utf-8").splitlines()]
    return Verified(time.perf_counter() - began, most, len(ids), len(set(ids)))


def family(process: int) -> list[int]:
    """A process and all that it started, and those started (Linux); of one that has ended itself alone."""
    try:
        told = [path.read_text(encoding="ascii") for path in Path(f"/proc/{process}/task").glob("*/children")]
    except OSError:
        return [process]
    return [process, *(each for children in told for child in children.split() for each in family(int(child)))]


def megabytes(process: int) -> float:
    """What a process uses alone, and its part of what it shares; 0 of one that has ended."""
    try:
        told = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in told.splitlines() if line.startswith("Pss:")) / 1000


@pytest.mark.skipif(BEFORE not in os.environ, reason=f"{BEFORE} names the command of a version to compare with")
def test_the_catalogue_before_and_after(tmp_path: Path) -> None:
    """Twice each, in turn; the better one counts: the first compiles and keeps what the second reads."""
    commands = {"before": [os.environ[BEFORE]], "after": [sys.executable, "-m", "fltheory"]}
    runs = [
        {name: verified([*c, "verify", "--jobs", "2"], tmp_path / name) for name, c in commands.items()}
        for _ in range(2)
    ]
    before, after = (min(run[name] for run in runs) for name in commands)
    for name, best in (("before", before), ("after", after)):
        print(
            f"\n{name}: {best.seconds:.1f} s, {best.megabytes:.0f} MB, {best.cases} cases of {best.claims} claims",
            end="",
        )
    of_all, of_one = after.seconds / before.seconds, after.seconds / after.cases * before.cases / before.seconds
    print(f"\nafter / before: {of_all:.2f} of the time, {of_one:.2f} for a case")
