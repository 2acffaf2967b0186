"""Famous theorems, checked, and false ones searched with the default work and three seeds: ``python -m benchmarks.classics``.

Their package is ``examples/classics``. Each row is of a statement: its verdict on its own cases with the evidence, and, of a false
one, the work until a search finds a counterexample among the cases that its family draws, without the case that is recorded.
Rows are kept in ``benchmarks/classics.json`` and made into ``docs/explanation/classics.md``; those that stand there are kept
(``--anew``: made again). The work is the same on any machine.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from fltheory import falsify
from fltheory.claims.claim import Claim
from fltheory.claims.user_theorems import sample_family
from fltheory.evidence.verdict import ratio_text
from fltheory.verification import own_verdicts
from fltheory.work import DEFAULT_WORK

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "examples" / "classics"
ROWS = ROOT / "benchmarks" / "classics.json"
PAGE = ROOT / "docs" / "explanation" / "classics.md"
SEEDS = (0, 1, 2)
Row = dict[str, Any]


def claims() -> tuple[Claim, ...]:
    """The statements of the package, in its order."""
    sys.path.insert(0, str(PACKAGE))
    return tuple(import_module("classics.claims").CLAIMS)


def topics() -> dict[str, str]:
    """The module that has each statement."""
    found = {}
    for file in sorted((PACKAGE / "classics").glob("*.py")):
        for claim in getattr(import_module(f"classics.{file.stem}"), "CLAIMS", ()):
            if file.stem != "claims":
                found[claim.id] = file.stem
    return found


def line_counts() -> dict[str, int]:
    """The lines of each statement: those of its theorem, and of the functions and algorithms of its module that it names."""
    found = {}
    for file in sorted((PACKAGE / "classics").glob("*.py")):
        module, tree = import_module(f"classics.{file.stem}"), ast.parse(file.read_text(encoding="utf-8"))
        named: dict[str, ast.stmt] = {}
        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                named[node.name] = node
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                named[node.targets[0].id] = node
        for name, node in named.items():
            claim = getattr(module, name, None)
            if isinstance(claim, Claim):
                found[claim.id] = len(_spanned(node, named))
    return found


def _spanned(node: ast.stmt, named: Mapping[str, ast.stmt]) -> set[int]:
    """The lines of a statement, and of the algorithms that it names with their functions, without families of cases."""
    lines = set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    for call in (
        n for n in ast.walk(node) if isinstance(n, ast.keyword) and n.arg in ("algorithm", "measure", "init", None)
    ):
        for name in (n.id for n in ast.walk(call.value) if isinstance(n, ast.Name)):
            other = named.get(name)
            if other is not None and other is not node and other.lineno not in lines:
                lines |= _spanned(other, named)
    return lines


def checked(claim: Claim) -> Row:
    """The verdict on a statement's own cases."""
    began = time.process_time()
    found = list(own_verdicts(claim))
    statuses = Counter(v.status for v in found)
    worst = next((s for s in ("violated", "inconclusive", "inapplicable", "holds", "vacuous") if statuses[s]), "none")
    kinds = sorted({v.evidence for v in found if v.status == worst})
    return {
        "recorded": claim.entry.recorded,
        "verdict": worst,
        "evidence": ", ".join(kinds),
        "cases": len(found),
        "seconds": round(time.process_time() - began, 1),
    }


def searched(claim: Claim, seed: int, work: int) -> Row:
    """What a search says that does not know the recorded case."""
    assert claim.family is not None
    began = time.process_time()
    own = replace(claim, cases=sample_family(claim, claim.family))
    try:
        found = falsify(own, seed=seed, work=work)
    except ValueError as error:  # it ended with a message
        return {"found": False, "work": 0, "evidence": "", "ratio": "", "by": f"{error}"[:200], "seconds": 0}
    told = found.verdict
    return {
        "found": told is not None,
        "work": round(found.work),
        "evidence": "" if told is None else str(told.evidence),
        "ratio": "" if told is None or told.ratio is None else ratio_text(told.ratio),
        "by": "" if told is None else found.by,
        "seconds": round(time.process_time() - began, 1),
    }


def label(claim_id: str) -> str:
    """A statement's own name."""
    return claim_id.partition("/")[2].partition("@")[0]


def page(rows: dict[str, Row], every: tuple[Claim, ...]) -> str:
    """The page of the rows that are known."""
    known = [c for c in every if c.id in rows]
    false = [c for c in known if rows[c.id]["recorded"] == "violated"]
    true = len(known) - len(false)
    right = sum(rows[c.id]["recorded"] == rows[c.id]["verdict"] for c in known)
    tried = [s for c in false for s in rows[c.id].get("searches", {}).values()]
    where, counted = topics(), line_counts()
    short, longest = sum(counted[c.id] <= 25 for c in known), max(counted[c.id] for c in known)
    trivial = sum(rows[c.id]["verdict"] == "vacuous" for c in known)
    found = sum(s["found"] for s in tried)
    text = f"""# Famous theorems, checked

The package [`examples/classics`](../../examples/classics) has {len(known)} famous statements of optimisation,
federated, online and submodular learning: {true} true ones and {len(false)} false ones, mostly beside each other. Each is stated
as a user would state it, {short} of them in at most 25 lines with algorithm and
measure and none in more than {longest}; its module names the source. With the package installed
(`pip install ./examples/classics`)
`fltheory verify classics` checks them, and `fltheory falsify classics/ADAM` searches for a counterexample.

Of the {len(known)} statements {right} have the recorded verdict on all their cases, and {trivial} are true but no smaller than
what is known beforehand, since all that they say is that a run stays bounded. A search of a false one does not know the
case that is recorded: it starts from cases that the statement's family draws. With {DEFAULT_WORK} units of work it found a
counterexample in {found} of {len(tried)} runs so far. `python -m benchmarks.classics` makes this page; the seconds are of one
processor, for all cases of a statement.

| statement | topic | lines | is | verdict | evidence | seconds | units of work until found, by seed | ratio | by |
|---|---|---|---|---|---|---|---|---|---|
"""
    lines = list[str]()
    for claim in known:
        row = rows[claim.id]
        runs = row.get("searches", {})
        units = ", ".join(f"{r['work']}" if r["found"] else "not found" for _, r in sorted(runs.items()))
        first = next((r for _, r in sorted(runs.items()) if r["found"]), {"ratio": "", "by": ""})
        is_ = "false" if row["recorded"] == "violated" else "true"
        cells = (
            claim.statement.replace("|", "\\|"),
            where[claim.id],
            counted[claim.id],
            is_,
            row["verdict"],
            row["evidence"],
            row["seconds"],
            units,
            first["ratio"],
            first["by"],
        )
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return text + "\n".join(lines) + "\n"


def main() -> None:
    """Checks and searches, and writes rows and page after each."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("names", nargs="*", help="statements, as GD1 or ADAM; all where none is named")
    asked.add_argument("--work", type=int, default=DEFAULT_WORK)
    asked.add_argument("--anew", action="store_true", help="rows that are known are made again")
    asked.add_argument("--no-search", action="store_true", help="check the statements only")
    given = asked.parse_args()
    every = claims()
    rows: dict[str, Row] = json.loads(ROWS.read_text()) if ROWS.exists() else {}
    chosen = [c for c in every if not given.names or label(c.id) in given.names]
    for claim in chosen:
        if given.anew or claim.id not in rows:
            rows[claim.id] = checked(claim)
            _written(rows, every)
    for seed in () if given.no_search else SEEDS:
        for claim in chosen:
            runs = rows[claim.id].setdefault("searches", {})
            if claim.entry.recorded == "violated" and claim.family is not None and str(seed) not in runs:
                runs[str(seed)] = searched(claim, seed, given.work)
                print(claim.id, seed, runs[str(seed)], flush=True)
                _written(rows, every)


def _written(rows: dict[str, Row], every: tuple[Claim, ...]) -> None:
    ordered = {c.id: rows[c.id] for c in every if c.id in rows}
    ROWS.write_text(json.dumps(ordered, indent=1) + "\n")
    PAGE.write_text(page(ordered, every), encoding="utf-8")


if __name__ == "__main__":
    main()
