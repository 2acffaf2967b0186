"""How many recorded theorems are proved from their statements: ``python -m benchmarks.prove [--steps N] [--sample N]``.

Each recorded theorem loses its proof. The search gets the statement alone, or also the statements of the lemmas that the
recorded proof applies (``--mode lemmas``), or the earlier theorems of the paper as a library (``--mode library``). What it
finds is checked by the kernel as a whole. Results are appended to a file of JSON lines, so that a run can go on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import time
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

from fltheory.proof import library
from fltheory.proof.language import Theorem
from fltheory.proving import Proved, prove
from fltheory.proving.budget import DEFAULT

FILE = Path(__file__).parent / "results" / "prove.jsonl"


@cache
def recorded() -> dict[str, Theorem]:
    """Return all recorded theorems of the papers by id."""
    return {t.id: t for key in tuple(library.keys()) for t in library.load(key).theorems}


def tried(theorem: Theorem, given: tuple[Theorem, ...], earlier: tuple[Theorem, ...], work: int) -> dict[str, Any]:
    """Return a row for one theorem: what came of the search, its work, and its seconds."""
    began = time.perf_counter()
    outcome = prove(theorem, given, earlier, work)
    row = {"theorem": theorem.id, "recorded": theorem.recorded, "recorded steps": len(theorem.steps)}
    row |= {
        "outcome": type(outcome).__name__.lower(),
        "work": outcome.work,
        "seconds": round(time.perf_counter() - began, 2),
    }
    return row | ({"steps": len(outcome.theorem.steps)} if isinstance(outcome, Proved) else {})


def _run(name: str, mode: str, work: int) -> dict[str, Any]:
    theorems = recorded()
    own = tuple(theorems[i] for i in library.lemma_ids(theorems[name]) if i in theorems) if mode == "lemmas" else ()
    paper = [t for t in theorems.values() if t.paper == theorems[name].paper]
    before = paper[: [t.id for t in paper].index(name)] if mode == "library" else []
    return {**tried(theorems[name], own, tuple(t for t in before if t.recorded == "PROVED"), work), "mode": mode}


def _limited(pool: Any, name: str, mode: str, work: int, seconds: float) -> dict[str, Any]:
    """Return the row of a theorem; one that takes longer than a minute of work on this machine counts as not proved."""
    theorem = recorded()[name]
    try:
        return dict(pool.apply_async(_run, (name, mode, work)).get(seconds))
    except multiprocessing.TimeoutError:
        return {
            "theorem": name,
            "recorded": theorem.recorded,
            "recorded steps": len(theorem.steps),
            "outcome": "too long",
            "mode": mode,
            "seconds": seconds,
        }
    except Exception as error:
        return {
            "theorem": name,
            "recorded": theorem.recorded,
            "recorded steps": len(theorem.steps),
            "outcome": "error",
            "mode": mode,
            "why": f"{type(error).__name__}: {error}"[:300],
        }


def summary(rows: list[dict[str, Any]]) -> str:
    """Return the counts of the outcomes, by what was recorded."""
    counts = Counter((r["recorded"], r["outcome"]) for r in rows)
    return ", ".join(f"{recorded} {outcome}: {n}" for (recorded, outcome), n in sorted(counts.items()))


def main() -> None:
    """Try the theorems that are not in the file yet, and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--steps", type=int, default=3, help="only theorems with at most so many recorded steps (0: all)"
    )
    parser.add_argument("--sample", type=int, default=0, help="only so many of them, drawn by a fixed seed")
    parser.add_argument("--mode", choices=("alone", "lemmas", "library"), default="alone")
    parser.add_argument("--work", type=int, default=DEFAULT)
    parser.add_argument("--seconds", type=float, default=60.0, help="for one theorem")
    parser.add_argument("--file", type=Path, default=FILE)
    own = parser.parse_args()
    names = sorted(n for n, t in recorded().items() if not own.steps or len(t.steps) <= own.steps)
    if own.sample:
        names = random.Random(0).sample(names, min(own.sample, len(names)))
    own.file.parent.mkdir(exist_ok=True)
    rows = [json.loads(line) for line in own.file.read_text().splitlines()] if own.file.exists() else []
    done = {r["theorem"] for r in rows if r["mode"] == own.mode}
    context = multiprocessing.get_context("fork")
    pool = context.Pool(1)
    with own.file.open("a") as file:
        for name in names:
            if name not in done:
                row = _limited(pool, name, own.mode, own.work, own.seconds)
                if row["outcome"] in ("too long", "error"):
                    pool.terminate()
                    pool = context.Pool(1)
                file.write(json.dumps(row) + "\n")
                file.flush()
                rows.append(row)
                print(row, flush=True)
    pool.terminate()
    print(summary([r for r in rows if r["theorem"] in set(names) and r["mode"] == own.mode]))


if __name__ == "__main__":
    main()
