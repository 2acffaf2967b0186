"""``python -m tests.indexes [--numbers] [KEY...]``: write the papers' pages anew, and what ``fltheory show`` tells as recorded.

A claim that says what it said keeps the numbers of its verdict; ``--numbers`` runs every claim again (minutes a paper).
"""

from __future__ import annotations

import argparse
import sys

from fltheory.claims import stored_results
from fltheory.claims.catalogue import KEYS, catalogue
from tests.indexes import made
from tests.indexes.page import (
    MOST_TESTS,
    Stored,
    numbers,
    page,
    path_of,
    proofs_of,
    read,
    record,
    said,
    tests_of,
    written,
)


def main() -> int:
    """Write; exit status 2 for an unknown key, which argparse names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("keys", nargs="*", metavar="KEY", help=f"of {', '.join(KEYS)}; all for none")
    parser.add_argument("--numbers", action="store_true", help="run every claim again")
    options = parser.parse_args()
    if unknown := set(options.keys) - set(KEYS):
        parser.error(f"no paper {', '.join(sorted(unknown))}")
    claims, theorems = made.watch_all()
    for key in options.keys or KEYS:
        before = read("" if options.numbers else written(key))
        kept = {c.id: before.numbers[c.id] for c in catalogue((key,)) if before.said.get(c.id) == said(c)}
        now = Stored(
            numbers={c.id: kept.get(c.id) or numbers(c) for c in catalogue((key,))},
            lines={c.id: made.line_of(c, claims) for c in catalogue((key,))},
            files={t.id: made.file_of(t.id, theorems) for t in proofs_of(key).theorems},
            tests={item: tests[:MOST_TESTS] for item, tests in tests_of(key).items()},
        )
        path_of(key).write_text(page(key, now), encoding="utf-8")
        stored_results.results_path(key).write_text(record(key, now), encoding="utf-8")
        print(f"{path_of(key).name} of {key}: {len(now.lines)} claims, {len(now.lines) - len(kept)} of them run")
    return 0


if __name__ == "__main__":
    sys.exit(main())
