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
SLOWEST = 6.0  # seconds for one test where numba's functions are interpreted


@dataclass(frozen=True)
class Profile:
    """The files that are edited and the tests that should notice."""

    files: str | tuple[str, ...]
    tests: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    always: tuple[str, ...] = ()  # the tests that are run to the end for each edit
    interpreted: bool = False  # numba's functions run as plain Python: the compiled ones would not change with an edit

    def paths(self) -> tuple[Path, ...]:
        """The files, each once."""
        patterns = (self.files,) if isinstance(self.files, str) else self.files
        found = sorted({path for pattern in patterns for path in ROOT.glob(pattern) if path.suffix == ".py"})
        return tuple(p for p in found if str(p.relative_to(ROOT)) not in self.left_out)


_OF_PAPER = ("bounds", "algorithms", "kernels", "*_kernels", "closed_forms")
_OF_ONE_PAPER = {"osmd": ("simplex.py",), "delta_sgd": ("one_round.py",), "fedcg": ("feasible.py",)}


def _paper(name: str) -> Profile:
    """A paper's bounds, algorithms, kernels and closed forms; its claims, cases, figures and proofs are checked otherwise."""
    root = f"fltheory/papers/{name}"
    files = [f"{root}/**/{part}{end}" for part in _OF_PAPER for end in (".py", "/*.py")]
    own = (f"{root}/{file}" for file in _OF_ONE_PAPER.get(name, ()))
    left_out = tuple(str(p.relative_to(ROOT)) for p in ROOT.glob(f"{root}/**/proofs/**/*.py"))
    return Profile((*files, *own), (f"tests/papers/{name}",), left_out, interpreted=True)


PROFILES = {
    "kernel": Profile(
        "fltheory/kernel/**/*.py",
        ("tests/kernel", "benchmarks/mutation/recorded.py", "-k", "not agrees_with_every"),
        ("fltheory/kernel/__main__.py",),
        ("tests/kernel/test_false.py",),
    ),
    "number": Profile("fltheory/number/**/*.py", ("tests/number", "tests/test_streams.py")),
    "model": Profile(
        "fltheory/model/**/*.py",
        ("tests/model", "tests/test_bound.py", "tests/test_case.py", "tests/test_place.py", "tests/test_same.py"),
    ),
    "evidence": Profile("fltheory/evidence/**/*.py", ("tests/evidence", "tests/validation")),
    "runs": Profile("fltheory/runs/**/*.py", ("tests/runs",)),
    "games": Profile("fltheory/games/**/*.py", ("tests/games",)),
    "worst_case": Profile("fltheory/worst_case/**/*.py", ("tests/worst_case",)),
    "performance": Profile("fltheory/performance/**/*.py", ("tests/performance",)),
    "problems": Profile("fltheory/problems/**/*.py", ("tests/problems",)),
    "search": Profile("fltheory/search/**/*.py", ("tests/search", "tests/tightness")),
    **{name: _paper(name) for name in ("sfl", "osmd", "fedcg", "aaggff", "delta_sgd")},
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
    if profile.interpreted:
        os.environ["NUMBA_DISABLE_JIT"] = "1"  # read when numba is imported, by the tests
    files = profile.paths()
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
            SLOWEST if profile.interpreted else 0.0,
        )
        options = ["-q", "-n", "0", "-p", "no:cacheprovider", "--no-header", *profile.tests]
        if profile.interpreted:  # words of 64 bits go round, as they do compiled
            options += ["-W", "ignore:overflow encountered in scalar:RuntimeWarning"]
        pytest.main(options, plugins=[Runner(plan)])
    found = current(rows, files, entries)
    print(table(found))
    unnoticed = [r for r in found if r["outcome"] not in ("killed", "equivalent")]
    for r in unnoticed:
        print(f"{r['file']}:{r['line']} {r['function']}: {r['before']}  ->  {r['after']}  ({r['outcome']})")
    return int(bool(unnoticed))


if __name__ == "__main__":
    raise SystemExit(main())
