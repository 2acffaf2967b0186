"""Famous theorems that are false, each searched with the default work and three seeds: ``python -m benchmarks.classics``.

The table says after how much work a counterexample is found, how far it exceeds the bound, and what found it; it is written to
``benchmarks/classics.md`` row by row, and is the same on any machine. Rows that stand there are kept (``--anew``: made again).
``--true`` searches their true twins too, of which nothing may be found (slow: every search spends all its work).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from fltheory import falsify
from fltheory.evidence.verdict import ratio_text
from fltheory.search.falsifier import Falsification
from fltheory.work import DEFAULT_WORK
from tests.outside.loading import FALSE, TRUE, loaded

TABLE = Path(__file__).with_name("classics.md")
HEAD = ("claim", "seed", "found", "work", "ratio", "by")


def cell(name: str, seed: int, found: Falsification) -> tuple[str, ...]:
    """A row of the table."""
    verdict = found.verdict
    if verdict is None:
        nearest = found.nearest
        ratio = "" if nearest is None or nearest.ratio is None else f"nearest {ratio_text(nearest.ratio)}"
        return name, str(seed), "no", str(found.work), ratio, ""
    ratio = "no ratio to a bound of 0" if verdict.ratio is None else ratio_text(verdict.ratio)
    return name, str(seed), str(verdict.evidence), str(found.work), ratio, found.by


def known(path: Path) -> dict[tuple[str, str], tuple[str, ...]]:
    """The rows of a table that was written before, by claim and seed."""
    if not path.exists():
        return {}
    lines = [line for line in path.read_text().splitlines() if line.startswith("| ")][2:]
    rows = [tuple(part.strip() for part in line.strip("|").split("|")) for line in lines]
    return {(row[0], row[1]): row for row in rows if len(row) == len(HEAD)}


def written(rows: Iterable[tuple[str, ...]], work: int) -> str:
    """The table as Markdown, with what it counts."""
    rows = sorted(rows)
    false = [row for row in rows if row[0] in {called(*one) for one in FALSE}]
    seeds = sorted({row[1] for row in false})
    counts = [
        f"seed {seed}: {sum(r[2] != 'no' for r in false if r[1] == seed)} of {sum(r[1] == seed for r in false)}"
        for seed in seeds
    ]
    lines = [" | ".join(HEAD), " | ".join("---" for _ in HEAD), *(" | ".join(row) for row in rows)]
    text = f"# Famous false theorems, searched with {work} units of work\n\nRefuted: {'; '.join(counts)}.\n\n"
    return text + "".join(f"| {line} |\n" for line in lines)


def called(file: str, name: str) -> str:
    """A claim of a file, as the table names it."""
    return f"{Path(file).stem}:{name}"


def main() -> None:
    """Searches, and writes the table after each."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("claims", nargs="*", help="as 01_adam or 10_greedy_bandit:SWAPPED; all where none is named")
    asked.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    asked.add_argument("--work", type=int, default=DEFAULT_WORK)
    asked.add_argument("--true", action="store_true", help="the true twins too")
    asked.add_argument("--anew", action="store_true", help="rows that are known are made again")
    asked.add_argument("--table", type=Path, default=TABLE)
    given = asked.parse_args()
    rows = known(given.table)
    for seed in given.seeds:
        for file, name in (*FALSE, *(TRUE if given.true else ())):
            one = called(file, name)
            if given.claims and not any(one == c or one.startswith(f"{c}:") for c in given.claims):
                continue
            if (one, str(seed)) in rows and not given.anew:
                continue
            claim = getattr(loaded(file), name)
            rows[one, str(seed)] = row = cell(one, seed, falsify(claim, seed=seed, work=given.work))
            print(" | ".join(row), flush=True)
            given.table.write_text(written(rows.values(), given.work))


if __name__ == "__main__":
    main()
