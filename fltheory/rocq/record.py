"""What Rocq said of each theorem, with a hash of what was checked: a table by paper, and why a theorem is open."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from fltheory.rocq.check import Checked
from fltheory.rocq.project import Written, exported, sources

Row = dict[str, Any]


def key(theorem: Any, theorems: Mapping[str, Any], made_by: str, rocq: str) -> str:
    """A hash of a theorem, of the statements that it applies, of what scripts are made by, and of the version of Rocq."""
    applied = sorted({s["rule"]["theorem"] for s in theorem["steps"] if s["rule"]["rule"] == "Apply"})
    stated = [[theorems[a]["hypotheses"], theorems[a]["statement"]] for a in applied if a in theorems]
    told = json.dumps([theorem, stated, made_by, rocq], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def keys(value: Any, rocq: str) -> dict[str, str]:
    """The hash of every theorem."""
    made_by = sources()
    found: dict[str, str] = {}
    for theorems in exported(value).values():
        named = {t["id"]: t for t in theorems}
        found |= {t["id"]: key(t, named, made_by, rocq) for t in theorems}
    return found


def read(path: Path) -> dict[str, Row]:
    """The recorded rows by theorem."""
    rows: dict[str, Row] = json.loads(path.read_text(encoding="utf-8"))["theorems"]
    return rows


def changed(value: Any, written: Sequence[Written], before: Mapping[str, Row], rocq: str) -> list[Written]:
    """What is to be checked: theorems whose hash is another one, and all that these apply."""
    now = keys(value, rocq)
    named = {w.name: w for w in written}
    wanted: set[str] = set()
    stack = [w.name for w in written if before.get(w.name, {}).get("hash") != now[w.name]]
    while stack:
        name = stack.pop()
        if name not in wanted and name in named:
            wanted.add(name)
            stack += named[name].applies
    return [w for w in written if w.name in wanted]


def rows(
    value: Any, written: Sequence[Written], checked: Iterable[Checked], before: Mapping[str, Row], rocq: str
) -> dict[str, Row]:
    """What is known of each theorem now."""
    now, told = keys(value, rocq), {c.name: c for c in checked}
    refuted = {t["id"] for theorems in exported(value).values() for t in theorems if t["refuted"]}
    found = {}
    for w in written:
        c = told.get(w.name)
        row = before.get(w.name) or {"paper": w.paper, "closed": False, "why": w.why or "not checked yet", "hash": ""}
        row = dict(row)
        if c is not None:
            row = {"paper": w.paper, "closed": c.closed, "hash": now[w.name]}
            row |= {"seconds": round(c.seconds, 1)} if c.closed else {"why": c.why}
        row["refuted"] = w.name in refuted
        found[w.name] = row
    return found


def text(found: Mapping[str, Row], rocq: str) -> str:
    """The record as JSON, one theorem a line."""
    lines = ",\n".join(
        f"{json.dumps(n, ensure_ascii=False)}: {json.dumps(r, ensure_ascii=False, sort_keys=True)}"
        for n, r in found.items()
    )
    return f'{{"rocq": "{rocq}", "theorems": {{\n{lines}\n}}}}\n'


def kind(why: str) -> str:
    """A reason without what is particular to one theorem."""
    if why.startswith("it applies"):
        return "it applies a theorem that is open"
    if why.startswith("more than"):
        return "it takes too long"
    rule = re.search(r": (\w+): ", why)
    if rule and "Error" not in rule[1] and rule[1][:1].isupper():
        return f"a script of {rule[1]} stops"
    return why.partition(":")[0][:60]


def summary(found: Mapping[str, Row]) -> str:
    """One line."""
    own = [r for r in found.values() if not r["refuted"]]
    return f"{sum(r['closed'] for r in own)} of {len(own)} theorems that are proved are closed by Rocq"


def page(found: Mapping[str, Row], rocq: str) -> str:
    """The page: a table by paper, then the reasons."""
    out = [
        "# What Rocq checks",
        "",
        f"Each exported proof is turned into a file for Rocq ({rocq}) whose statement is the JSON, constructor by constructor; `.ci/rocq` writes this page",
        "and the record with hashes, `proofs_checks/rocq.json`. See [semantics](semantics.md) for what a statement means. A paper that is not in the",
        "table has not been checked whole yet.",
        "",
        "| paper | proved | closed by Rocq | open | seconds: median | in all |",
        "|---|---|---|---|---|---|",
    ]
    for paper in dict.fromkeys(r["paper"] for r in found.values()):
        own = [r for r in found.values() if r["paper"] == paper and not r["refuted"]]
        closed = [r for r in own if r["closed"]]
        seconds = [r["seconds"] for r in closed] or [0.0]
        out.append(
            f"| {paper} | {len(own)} | {len(closed)} | {len(own) - len(closed)} | {median(seconds):.1f} | {sum(seconds):.0f} |"
        )
    out += ["", "Why the others are open:", "", "| reason | theorems |", "|---|---|"]
    reasons = Counter(kind(r.get("why", "")) for r in found.values() if not r["closed"] and not r["refuted"])
    out += [f"| {why} | {n} |" for why, n in reasons.most_common()]
    return "\n".join(out) + "\n"
