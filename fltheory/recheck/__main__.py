"""``python -m fltheory.recheck FILE...``: exported proofs checked once more, without the program that made them."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

from fltheory.recheck.terms import Wrong
from fltheory.recheck.theorem import recheck

DEEP = 20_000  # terms inside terms


def main(files: list[str]) -> int:
    """0 if nothing is refused, 1 if something is, 2 where a file can't be read."""
    sys.setrecursionlimit(DEEP)
    if not files:
        print("usage: python -m fltheory.recheck FILE... (made by fltheory proofs --export FILE)", file=sys.stderr)
        return 2
    found = Counter[str]()
    for name in files:
        try:
            for verdict in recheck(json.loads(Path(name).read_text(encoding="utf-8"))):
                found[verdict.outcome] += 1
                if verdict.outcome != "confirmed":
                    print(f"{verdict.name}: {verdict.outcome}: {verdict.reason}")
        except (OSError, json.JSONDecodeError, Wrong) as error:
            print(f"{name}: {error}", file=sys.stderr)
            return 2
    print(", ".join(f"{n} {outcome}" for outcome, n in found.most_common()))
    return 1 if found["refused"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
