"""A picture of each command in 80 columns: a command line and what it printed when ``python -m docs --outputs`` was last run."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCREENS = Path(__file__).parent / "screens"
COLUMNS = 80
# One command line each, that answers in seconds.
COMMANDS = {
    "bound": "sfl/T3-GC@printed L=1 D=1 sigma=0 zeta_star=1 M=4 K=5 R=1000 eta=1/120",
    "compare": "sfl/T3-SC@corrected sfl/T7@printed M=3 eta=143/1000",
    "falsify": "sfl/C4-GC@printed",
    "frameworks": "",
    "list": "sfl/PP-PFL sfl/PP-PFL-GC sfl/T7 --search 'FedAvg explicit'",
    "new": "mypaper",
    "plot": "sfl/T3-GC@printed --along eta -o bound.svg",
    "proofs": "sfl --show sfl/U2",
    "prove": "steps.py:online --rounds x:x_plus --tune eta -o online.py",
    "repair": "sfl/C4-GC@printed --work 700",
    "report": "sfl/T3-GC -o report.html",
    "show": "sfl/T3-GC",
    "sweep": "sfl/T3-GC@printed --over R=10,100,1000 --csv rounds.csv",
    "tightness": "sfl/T3-GC@printed --work 100",
    "verify": "sfl/T3-SC sfl/U7 osmd/C-5",
    "worst": "sfl/T3-GC@printed M=1 K=1 R=2 L=1 D=1 eta=1/7 sigma=0 zeta_star=0",
}
PAGES = {
    "prove": ("steps.py", ROOT / "docs" / "how-to" / "prove.md")
}  # a file of the user's, the first block of a page
_CHANGING = re.compile(r"\d+(\.\d+)? ?s\b|\d+(\.\d+)? [kM]B|─+|\s+")


def line_of(name: str) -> str:
    """The command line of a picture."""
    return f"fltheory {name} {COMMANDS[name]}".rstrip()


def prepare(name: str, folder: Path) -> None:
    """Write the user's file that a command reads, if it reads one."""
    if name in PAGES:
        file, page = PAGES[name]
        block = page.read_text(encoding="utf-8").partition("```python\n")[2].partition("```")[0]
        (folder / file).write_text(block, encoding="utf-8")


def screen_of(name: str) -> str:
    """What a command line and its answer look like, in a new folder and without results of earlier runs."""
    known = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": str(COLUMNS), "FLTHEORY_FRESH": "1"}
    arguments = [sys.executable, "-m", *shlex.split(line_of(name))]
    with tempfile.TemporaryDirectory() as folder:
        prepare(name, Path(folder))
        done = subprocess.run(arguments, capture_output=True, text=True, cwd=folder, env=known, check=False)
    if done.returncode not in (0, 1):  # 1: a counterexample, or algorithms that part
        raise RuntimeError(f"{line_of(name)} ended with {done.returncode}: {done.stderr}")
    return f"$ {line_of(name)}\n{done.stdout}"


def stored(name: str) -> str:
    """The picture of a command, as it was last stored."""
    return (SCREENS / f"{name}.txt").read_text(encoding="utf-8")


def store() -> None:
    """Run every command line and keep what it prints."""
    SCREENS.mkdir(exist_ok=True)
    for name in COMMANDS:
        (SCREENS / f"{name}.txt").write_text(screen_of(name), encoding="utf-8")


def unchanging(screen: str) -> str:
    """A picture without what differs between two runs: times, sizes, and the widths that depend on them."""
    return _CHANGING.sub(" ", screen).strip()
