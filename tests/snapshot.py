"""What the project says, line by line: every claim, every verdict, every proof. ``python tests/snapshot.py [write]``.

Where the house is rebuilt nothing that it says may change: without a word the present answers are compared with the stored
ones, and each line that differs is printed; ``write`` stores them. Verdicts of the full profile take an hour: ``--claims``
leaves them out, ``--quick`` compares those of the quick one, which are among them.
"""

from __future__ import annotations

import argparse
import difflib
import json
import lzma
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sympy

from fltheory.claims.catalogue import catalogue
from fltheory.claims.claim import Claim

STORED = Path(__file__).with_name("snapshot.xz")
VERDICT = ("id", "instance", "status", "recorded", "measured", "limit", "ratio", "evidence", "reason")
TIMES = ("seconds",)


def claims() -> Iterator[str]:
    """A line for every claim, one for each of its bounds, one for each of its cases."""
    for claim in catalogue():
        said = (claim.id, claim.statement, claim.kind, claim.mode, claim.entry.recorded, claim.remark)
        yield "claim " + json.dumps([str(part) for part in said], ensure_ascii=False)
        yield from (f"{claim.id} assumes {a.name}" for a in claim.assumptions)
        yield from (f"{claim.id} tuned {s}: {sympy.srepr(sympy.sympify(v))}" for s, v in claim.tuning)
        yield from _bounds(claim)
        yield from (f"{claim.id} on {case.arguments()}" for case in claim.cases)


def _bounds(claim: Claim) -> Iterator[str]:
    for bound in claim.bounds:
        conditions = [sympy.srepr(c) for c in bound.conditions]
        yield f"{claim.id} {bound.side} {sympy.srepr(bound.expr)} if {conditions} by {bound.source}"


def verdicts(profile: str = "full") -> Iterator[str]:
    """A line for every case of ``fltheory verify`` in a profile."""
    for row in sorted(_rows("verify", "--profile", profile, "--jobs", "2"), key=lambda r: (r["id"], r["instance"])):
        yield "verdict " + json.dumps([row[name] for name in VERDICT], ensure_ascii=False)


def proofs() -> Iterator[str]:
    """A line for every theorem of ``fltheory proofs``."""
    for row in _rows("proofs"):
        yield "proof " + json.dumps(
            {k: v for k, v in row.items() if k not in TIMES}, ensure_ascii=False, sort_keys=True
        )


def _rows(*arguments: str) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.json"
        subprocess.run(
            [sys.executable, "-m", "fltheory", *arguments, "--json", str(path)], check=False, stdout=subprocess.DEVNULL
        )
        return [json.loads(line) for line in path.read_text().splitlines()]


def compare_quick() -> int:
    """The exit status: 1 where a verdict of the quick profile is not among the stored ones."""
    stored = set(lzma.decompress(STORED.read_bytes()).decode().split("\n"))
    lines = list(verdicts("quick"))
    new = [line for line in lines if line not in stored]
    print("\n".join(new) or f"{len(lines)} verdicts, all as stored")
    return bool(new)


def main() -> int:
    """The exit status: 1 where something differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="?", choices=("write", "compare"), default="compare")
    parser.add_argument("--claims", action="store_true", help="claims and proofs only")
    parser.add_argument(
        "--quick", action="store_true", help="verdicts of the quick profile only, each to be a stored one"
    )
    options = parser.parse_args()
    if options.quick:
        return compare_quick()
    lines = [*claims(), *proofs(), *(() if options.claims else verdicts())]
    if options.what == "write":
        STORED.write_bytes(lzma.compress("\n".join(lines).encode()))
        return 0
    stored = lzma.decompress(STORED.read_bytes()).decode().split("\n")
    if options.claims:
        stored = [line for line in stored if not line.startswith("verdict ")]
    changed = list(difflib.unified_diff(stored, lines, "stored", "now", n=0, lineterm=""))
    print("\n".join(changed) or f"{len(lines)} lines, all as stored")
    return bool(changed)


if __name__ == "__main__":
    sys.exit(main())
