"""The record of Rocq's results, with a hash of the inputs: a table by paper, and why theorems are open."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from fltheory.rocq.check import RocqResult
from fltheory.rocq.project import RocqFile, lemmas_of, papers_of, semantics_hash, with_lemmas

Row = dict[str, Any]


def theorem_hash(theorem: Any, theorems: Mapping[str, Any], made_by: str, rocq: str) -> str:
    """Return a hash of a theorem, the statements that it applies, their semantics, and the version of Rocq."""
    stated = [[theorems[a]["hypotheses"], theorems[a]["statement"]] for a in lemmas_of(theorem) if a in theorems]
    told = json.dumps([theorem, stated, made_by, rocq], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def theorem_hashes(value: Any, rocq: str) -> dict[str, str]:
    """Return the hash of every theorem."""
    made_by = semantics_hash()
    found: dict[str, str] = {}
    for theorems in papers_of(value).values():
        named = {t["id"]: t for t in theorems}
        found |= {t["id"]: theorem_hash(t, named, made_by, rocq) for t in theorems}
    return found


def read_record(path: Path) -> dict[str, Row]:
    """Return the recorded rows by theorem."""
    rows: dict[str, Row] = json.loads(path.read_text(encoding="utf-8"))["theorems"]
    return rows


def stale_theorems(value: Any, before: Mapping[str, Row], rocq: str, only: Container[str] = ()) -> set[str]:
    """Return theorems to check: those not closed, or closed with another hash, and all that these apply.

    If ``only`` names papers, just theirs.
    """
    now, found = theorem_hashes(value, rocq), papers_of(value)
    named = {t["id"]: t for theorems in found.values() for t in theorems}
    asked = (
        t["id"] for key, theorems in found.items() if not only or key in only for t in theorems if not t["refuted"]
    )
    kept = {n for n, row in before.items() if row["closed"] and row["hash"] == now.get(n)}
    return with_lemmas(named, (name for name in asked if name not in kept))


def record_rows(
    value: Any, written: Sequence[RocqFile], checked: Iterable[RocqResult], before: Mapping[str, Row], rocq: str
) -> dict[str, Row]:
    """Return the present state of each theorem; one that applies an open theorem is open."""
    now, told = theorem_hashes(value, rocq), {c.name: c for c in checked}
    why = {w.name: w.why for w in written}
    found: dict[str, Row] = {}
    for paper, theorems in papers_of(value).items():
        for t in theorems:
            name = t["id"]
            c = told.get(name)
            row = before.get(name) or {"closed": False, "why": why.get(name) or "not checked yet", "hash": ""}
            if row["closed"] and row["hash"] != now[name]:
                row = {"closed": False, "why": "changed since it was checked", "hash": ""}
            if c is None and not row["closed"] and name in why:  # its script is new
                row = {"closed": False, "why": why[name] or "not checked yet", "hash": ""}
            if c is not None:
                row = {"closed": c.closed, "hash": now[name]}
                row |= {"seconds": round(c.seconds, 1)} if c.closed else {"why": c.why}
            blocked = next((a for a in lemmas_of(t) if a not in found or not found[a]["closed"]), None)
            if row["closed"] and blocked is not None:
                row = {"closed": False, "why": f"it applies {blocked}, which is open", "hash": ""}
            found[name] = {**row, "paper": paper, "refuted": t["refuted"]}
    return found


def record_json(found: Mapping[str, Row], rocq: str) -> str:
    """Return the record as JSON, one theorem per line."""
    lines = ",\n".join(
        f"{json.dumps(n, ensure_ascii=False)}: {json.dumps(r, ensure_ascii=False, sort_keys=True)}"
        for n, r in found.items()
    )
    return f'{{"rocq": "{rocq}", "theorems": {{\n{lines}\n}}}}\n'


def reason_kind(why: str) -> str:
    """Return a reason without details of one theorem."""
    if why.startswith("it applies"):
        return "it applies a theorem that is open"
    if why.startswith("more than"):
        return "it takes too long"
    rule = re.search(r": (\w+): ", why)
    if rule and "Error" not in rule[1] and rule[1][:1].isupper():
        return f"a script of {rule[1]} stops"
    return why.partition(":")[0][:60]


def summary(found: Mapping[str, Row]) -> str:
    """Return the totals on one line."""
    own = [r for r in found.values() if not r["refuted"]]
    return f"{sum(r['closed'] for r in own)} of {len(own)} theorems that are proved are closed by Rocq"


def record_page(found: Mapping[str, Row], rocq: str) -> str:
    """Return the page: a table by paper, then the reasons."""
    out = [
        "# What Rocq checks",
        "",
        f"Each exported proof becomes a file for Rocq ({rocq}). Its statement is the exported JSON, constructor by constructor.",
        "[Semantics](semantics.md) defines the meaning of a statement. `.ci/rocq` writes this page and the record with hashes,",
        "`proofs_checks/rocq.json`.",
        "",
        "| paper | proved | closed by Rocq | open | median seconds | total seconds |",
        "|---|---|---|---|---|---|",
    ]
    for paper in dict.fromkeys(r["paper"] for r in found.values()):
        own = [r for r in found.values() if r["paper"] == paper and not r["refuted"]]
        closed = [r for r in own if r["closed"]]
        seconds = [r["seconds"] for r in closed] or [0.0]
        out.append(
            f"| {paper} | {len(own)} | {len(closed)} | {len(own) - len(closed)} | {median(seconds):.1f} | {sum(seconds):.0f} |"
        )
    out += ["", "The other theorems are open for these reasons:", "", "| reason | theorems |", "|---|---|"]
    reasons: dict[str, list[str]] = {}
    for name, r in found.items():
        if not r["closed"] and not r["refuted"]:
            reasons.setdefault(reason_kind(r.get("why", "")), []).append(f"`{name}`")
    out += [f"| {why} | {', '.join(names)} |" for why, names in sorted(reasons.items(), key=lambda e: -len(e[1]))]
    never = sum(r["refuted"] for r in found.values())
    out += [
        "",
        f"The {never} recorded refutations are not exported to Rocq. The kernel checks them, or the runs that they name.",
    ]
    return "\n".join(out) + "\n"
