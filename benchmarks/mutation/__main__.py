"""``python -m benchmarks.mutation PROFILE [--every N] [--jobs K]``: single edits of a folder, and the tests that notice them.

The tests of a profile are run once to see which of them executes which line. Then each edit is put into the running process,
a fork for each, and the tests of its lines are run, quick ones first, until one fails. ``--rows FILE`` keeps a line of JSON
for each edit and goes on where it was ended; ``--table`` prints the table of these. ``PROFILE.toml`` beside this file names the
edits that change nothing that a test could see, each with its reason: they are not tried. Needs ``pip install -e .[mutation]``.
"""

from __future__ import annotations

import argparse
import os
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from benchmarks.mutation.runner import Plan, Runner, current

ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True)
class Profile:
    """The files that are edited and the tests that should notice."""

    files: str
    tests: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    always: tuple[str, ...] = ()  # the tests that are run to the end for each edit


PROFILES = {
    "kernel": Profile(
        "fltheory/kernel/**/*.py",
        ("tests/kernel", "benchmarks/mutation/recorded.py", "-k", "not agrees_with_every"),
        ("fltheory/kernel/__main__.py",),
        ("tests/kernel/test_false.py",),
    ),
    "number": Profile("fltheory/number/*.py", ("tests/number",)),
    "evidence": Profile("fltheory/evidence/*.py", ("tests/evidence",)),
    "runs": Profile("fltheory/runs/**/*.py", ("tests/runs",)),
    "games": Profile("fltheory/games/**/*.py", ("tests/games",)),
    "worst_case": Profile("fltheory/worst_case/**/*.py", ("tests/worst_case",)),
    "problems": Profile("fltheory/problems/**/*.py", ("tests/problems",)),
    "search": Profile("fltheory/search/**/*.py", ("tests/search",)),
}


def table(rows: Sequence[dict[str, Any]]) -> str:
    """A line for each file: edits, killed, equivalent, survived, not reached."""
    outcomes = ("killed", "equivalent", "survived", "not reached", "not put in")
    lines = [f"| file | edits | {' | '.join(outcomes)} | killed of all |", "|---" * (len(outcomes) + 3) + "|"]
    for name in [*dict.fromkeys(r["file"] for r in rows), "all"]:
        own = [r for r in rows if name in ("all", r["file"])]
        kinds = Counter(r["outcome"] for r in own)
        cells = [len(own), *(kinds[o] for o in outcomes)]
        lines.append(f"| {name} | {' | '.join(map(str, cells))} | {100 * kinds['killed'] / max(len(own), 1):.0f} % |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Edits, or the table of what was kept; 1 where an edit survived."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutation", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("profile", choices=PROFILES)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="try every Nth edit")
    parser.add_argument("--offset", type=int, default=0, metavar="N", help="begin with this one")
    parser.add_argument("--seconds", type=float, default=20.0, help="seconds of tests for one edit at most")
    parser.add_argument("--jobs", type=int, default=1, metavar="K", help="processes")
    parser.add_argument("--rows", type=Path, help="the file of rows")
    parser.add_argument("--again", action="store_true", help="try again what no test has noticed")
    parser.add_argument("--only", action="append", default=[], metavar="FILE", help="the edits of files so called")
    parser.add_argument("--table", action="store_true", help="only print the table of the rows")
    asked = parser.parse_args(arguments)
    profile = PROFILES[asked.profile]
    rows = (asked.rows or Path(f"mutation_{asked.profile}.jsonl")).resolve()
    os.chdir(ROOT)
    files = tuple(p for p in sorted(ROOT.glob(profile.files)) if str(p.relative_to(ROOT)) not in profile.left_out)
    reasons = Path(__file__).with_name(f"{asked.profile}.toml")
    entries = tuple(tomllib.loads(reasons.read_text(encoding="utf-8")).get("edit", [])) if reasons.exists() else ()
    if not asked.table:
        named = frozenset(p for p in files if p.name in asked.only)
        plan = Plan(
            files,
            rows,
            asked.every,
            asked.offset % asked.every,
            asked.seconds,
            asked.jobs,
            asked.again,
            named,
            entries,
            profile.always,
        )
        options = ["-q", "-n", "0", "-p", "no:cacheprovider", "--no-header", *profile.tests]
        pytest.main(options, plugins=[Runner(plan)])
    found = current(rows, files, entries)
    print(table(found))
    unnoticed = [r for r in found if r["outcome"] not in ("killed", "equivalent")]
    for r in unnoticed:
        print(f"{r['file']}:{r['line']} {r['function']}: {r['before']}  ->  {r['after']}  ({r['outcome']})")
    return int(bool(unnoticed))


if __name__ == "__main__":
    raise SystemExit(main())
