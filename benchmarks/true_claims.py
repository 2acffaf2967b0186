"""``python -m benchmarks.true_claims [--work N] [--seeds 0,1,2] [--jobs K] [--only PAPER]``: is what is recorded as true refuted?

Every claim that is recorded as true and can be searched is searched, once for each seed. What a search said is a row of a table
beside this file, written as soon as it ends; a claim that says the same as then is not searched again with the same work and seed,
so that hours may be spent in pieces. ``--page`` writes the page of what was run and what is left. Exit status 1 where a row has a
counterexample.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from fltheory.claims.catalogue import KEYS, catalogue
from fltheory.claims.claim import Claim
from fltheory.evidence.verdict import reproducer_line
from fltheory.runs import workers
from fltheory.search.falsifier import falsify
from fltheory.search.history import CheckFailed
from fltheory.verification import find
from fltheory.work import DEFAULT_WORK, require_work

TABLE = Path(__file__).with_suffix(".jsonl")
PAGE = Path(__file__).resolve().parent.parent / "docs" / "findings" / "true_claims.md"
SEEDS = (0, 1, 2)
MINUTES = 1.0  # of a search with the default work, about, on one idle core
SLOW = (
    15.0  # milliseconds of the processor for a unit of work from which a claim is told, as one that counts too little
)
COMPILED = 100  # units that are forgiven for what is compiled and loaded at first
STUCK = 3 * 3600.0  # seconds after which a search that never ends is given up: no row is written of it


@dataclass(frozen=True, order=True)
class Task:
    """One search that is asked for; ``mark`` tells what the claim said then."""

    id: str
    mark: str
    work: int
    seed: int


@dataclass(frozen=True)
class Row:
    """What a search said: units spent, what ended it, cases examined, the largest ratio, a counterexample."""

    id: str
    mark: str
    work: int
    seed: int
    spent: int
    ended: str
    cases: int
    ratio: float | None
    status: str
    counterexample: str | None = None

    @property
    def task(self) -> Task:
        """The search that it is the answer to."""
        return Task(self.id, self.mark, self.work, self.seed)


def mark(claim: Claim) -> str:
    """A fingerprint of what a claim says and where it is checked: 12 hexadecimal digits, the same in every process."""
    said = [
        claim.id,
        claim.statement,
        claim.mode,
        repr(claim.failure),
        "" if claim.measure is None else claim.measure.name,
    ]
    said += ["" if claim.algorithm is None else claim.algorithm.name, repr(claim.tuning)]
    said += [f"{b.side} {b.expr!r} {b.conditions!r}" for b in claim.bounds]
    said += [a.name for a in claim.assumptions]
    said += [case.arguments() for case in claim.cases]
    return hashlib.sha256("\n".join(said).encode()).hexdigest()[:12]


def searchable(only: Sequence[str] = ()) -> list[Claim]:
    """Claims recorded as true that a search can ask about, of some papers (all for none), in an order that mixes the papers."""
    found = [
        c for c in catalogue() if c.entry.recorded != "violated" and c.measure is not None and c.family is not None
    ]
    return sorted((c for c in found if not only or c.paper in only), key=lambda c: (zlib.crc32(c.id.encode()), c.id))


def tasks(claims: Iterable[Claim], work: int, seeds: Iterable[int]) -> list[Task]:
    """Every claim with the first seed, then with the next."""
    marked = [(claim.id, mark(claim)) for claim in claims]
    return [Task(id, said, work, seed) for seed in seeds for id, said in marked]


def searched(task: Task) -> Row:
    """What a search of the claim says; where its check breaks on every case, that."""
    claim, began = find(task.id), time.process_time()
    try:
        found = falsify(claim, work=task.work, seed=task.seed)
    except CheckFailed as error:
        return Row(task.id, task.mark, task.work, task.seed, 0, "broken", 0, None, f"broken: {error}")
    took = 1000 * (time.process_time() - began)
    if took > SLOW * max(found.work, COMPILED):
        print(f"slow: {claim.id}, {took / found.work:.0f} ms a unit, {found.work} units", file=sys.stderr, flush=True)
    best = found.verdict if found.verdict is not None else found.nearest
    ratio = None if best is None or best.ratio is None else float(best.ratio)
    status = "violated" if found.found else "nothing found" if found.decided else "nothing decided"
    counterexample = None if found.verdict is None else reproducer_line(f'"{claim.id}"', found.verdict.case)
    ended = "counterexample" if found.found else found.ended
    return Row(
        task.id, task.mark, task.work, task.seed, found.work, ended, found.examined, ratio, status, counterexample
    )


def read(path: Path) -> list[Row]:
    """The rows of a table; none where there is no table, and not a last line that was cut off."""
    if not path.exists():
        return []
    *whole, _ = path.read_text(encoding="utf-8").split("\n")
    return [Row(**json.loads(line)) for line in whole]


def line(row: Row) -> str:
    """A row as JSON; a ratio that no number is, is written as a word."""
    return json.dumps(asdict(row)) + "\n"


def run(asked: Sequence[Task], jobs: int, path: Path) -> Iterator[Row]:
    """The rows of what was not searched yet, each written before it is given."""
    known = {row.task for row in read(path)}
    left = [task for task in asked if task not in known]
    with path.open("a", encoding="utf-8") as table:
        if path.stat().st_size and not path.read_bytes().endswith(b"\n"):
            raise ValueError(f"{path}: the last line was cut off: take it out")
        for place, found in workers.map_unordered(searched, left, jobs, STUCK):
            if not isinstance(found, Row):
                print(f"{left[place].id}, seed {left[place].seed}: {found}", file=sys.stderr, flush=True)
                continue
            table.write(line(found))
            table.flush()
            yield found


def main(arguments: Sequence[str] | None = None) -> int:
    """Search what is left, and print the table in short; 1 where any search has a counterexample."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.true_claims", description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=int, default=DEFAULT_WORK, metavar="N", help="units of each search")
    parser.add_argument("--seeds", default=",".join(map(str, SEEDS)), help="comma-separated")
    parser.add_argument("--jobs", type=int, default=1, metavar="K", help="processes")
    parser.add_argument("--only", action="append", default=[], choices=KEYS, metavar="PAPER")
    parser.add_argument("--table", type=Path, default=TABLE)
    parser.add_argument("--page", action="store_true", help="search nothing: write the page from the table")
    asked = parser.parse_args(arguments)
    if not asked.page:
        wanted = tasks(searchable(asked.only), require_work(asked.work), map(int, asked.seeds.split(",")))
        for row in run(wanted, asked.jobs, asked.table):
            if row.status != "nothing found":
                print(
                    f"{row.id}, seed {row.seed}, work {row.work}: {row.status}\n  {row.counterexample or ''}",
                    flush=True,
                )
    rows = read(asked.table)
    print("\n".join(summary(rows, searchable())))
    if asked.page:
        PAGE.write_text(page(rows, searchable()), encoding="utf-8")
    return int(any(row.counterexample for row in rows))


def current(rows: Iterable[Row], claims: Iterable[Claim]) -> list[Row]:
    """The rows of claims that still say what they said then."""
    said = {claim.id: mark(claim) for claim in claims}
    return [row for row in rows if said.get(row.id) == row.mark]


def summary(rows: Sequence[Row], claims: Sequence[Claim]) -> list[str]:
    """A line for each work and seed: how many claims were searched, of how many, and what was said."""
    now = current(rows, claims)
    lines = ["work    seed  searched    nothing found  nothing decided  violated  broken"]
    for work, seed in sorted({(row.work, row.seed) for row in now}):
        mine = [row for row in now if (row.work, row.seed) == (work, seed)]
        kinds = Counter(row.status.split(":")[0] for row in mine)
        parts = [f"{kinds[name]:>15}" for name in ("nothing found", "nothing decided", "violated", "broken")]
        lines.append(f"{work:<7} {seed:<5} {len(mine)} of {len(claims)}  {' '.join(parts)}")
    if len(rows) > len(now):
        lines.append(f"{len(rows) - len(now)} rows are of claims that have changed since, or are recorded as false now")
    return lines


def page(rows: Sequence[Row], claims: Sequence[Claim]) -> str:
    """The page: what was searched, what was found, what is left."""
    now, asked = current(rows, claims), len(claims)
    searches = sorted({(row.work, row.seed) for row in now}, reverse=True)
    table = ["| work | seed | claims searched | no counterexample | no case decided | counterexample | check broke |"]
    table.append("|---|---|---|---|---|---|---|")
    for work, seed in searches:
        kinds = Counter(row.status.split(":")[0] for row in now if (row.work, row.seed) == (work, seed))
        cells = [kinds[name] for name in ("nothing found", "nothing decided", "violated", "broken")]
        table.append(f"| {work} | {seed} | {sum(cells)} of {asked} | {' | '.join(map(str, cells))} |")
    whole = [
        f"work {work}, seed {seed}"
        for work, seed in searches
        if len({r.id for r in now if (r.work, r.seed) == (work, seed)}) == asked
    ]
    never = asked - len({row.id for row in now})
    found = sorted({f"- `{row.id}`: ratio {row.ratio}, `{row.counterexample}`" for row in now if row.counterexample})
    hours = round(asked * len(SEEDS) * MINUTES / 60)
    text = f"""# True claims, searched for counterexamples

{asked} claims are recorded as true and can be searched. `python -m benchmarks.true_claims` searches each of
them as `fltheory falsify` does and keeps what every search said as a row of
[`benchmarks/true_claims.jsonl`](../../benchmarks/true_claims.jsonl); it goes on where it was ended.
Where a search finds nothing, nothing is proved.

{chr(10).join(table)}

Searched whole: {", ".join(whole) or "nothing yet"}. Not searched by this program at all so far: {never} claims.
The default work is {DEFAULT_WORK} units for each search: all claims with it and three seeds take about
{hours} hours of one core, and what of that is not in the table above has not been run.

Counterexamples: {"none." if not found else ""}
{chr(10).join(found)}
"""
    return text.rstrip() + "\n"


if __name__ == "__main__":
    sys.exit(main())
