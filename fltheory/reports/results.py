"""Results of a stored run by claim: the decisive row of ``verify --json``, and the evidence of all rows."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fltheory.claims.claim import Claim
from fltheory.claims.stored_results import recorded_results
from fltheory.evidence.verdict import STATUSES, STRADDLES, Verdict, ratio_text
from fltheory.model.errors import UserError

TRUE_STATUSES = ("vacuous", "holds")
REQUIRED_FIELDS = (
    "id",
    "status",
    "recorded",
    "evidence",
    "ratio",
    "measured",
    "limit",
    "reason",
    "counterexample",
    "instance",
)


@dataclass(frozen=True)
class Result:
    """The result of a claim: the worst status of its cases, with the largest ratio among them."""

    status: str
    recorded: str | None
    evidence: str
    ratio: float | None
    measured: float | None
    limit: float | None
    reason: str
    counterexample: str
    instance: str
    cases: int
    whole_classes: int = 0  # cases whose bound is proved for every function of a class
    variant: str = ""
    profile: str = ""
    seed: int | None = None

    @property
    def ratio_text(self) -> str:
        """Return the ratio as text; "" without one."""
        return "" if self.ratio is None else ratio_text(self.ratio)

    @property
    def as_recorded(self) -> bool:
        """Return whether the status is the recorded one; a variant has no record."""
        return self.recorded is None or self.status == self.recorded


def results_of(rows: Iterable[Mapping[str, Any]]) -> dict[str, Result]:
    """Return the results by claim; UserError for a row that ``verify --json`` did not write."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        missing = next((name for name in REQUIRED_FIELDS if name not in row), None)
        if missing is not None or row["status"] not in STATUSES:
            raise UserError(
                f"a row without {missing or 'a known status'}: expected the rows of `fltheory verify --json`"
            )
        found.setdefault(row["id"], []).append(row)
    return {name: _result(own) for name, own in found.items()}


def _result(rows: list[Mapping[str, Any]]) -> Result:
    gravest = min((r["status"] for r in rows), key=STATUSES.index)
    alike = (
        (gravest,) if gravest not in TRUE_STATUSES else TRUE_STATUSES
    )  # the tightest case of a true bound may be a nontrivial one
    among = [r for r in rows if r["status"] in alike]
    row = max(among, key=lambda r: -math.inf if r["ratio"] is None else r["ratio"])
    kinds = sorted({r["evidence"] for r in rows if r["evidence"]})
    return Result(
        gravest,
        row["recorded"],
        ", ".join(kinds),
        row["ratio"],
        row["measured"],
        row["limit"],
        row["reason"] or "",
        row["counterexample"] or "",
        row["instance"],
        len(rows),
        sum(r.get("scope") == "class" for r in rows),
        row.get("variant") or "",
        row.get("profile") or "",
        row.get("seed"),
    )


def result_of_verdict(verdict: Verdict) -> Result:
    """Return the result of a claim whose cases were checked together in the quick profile, from seed 0."""
    kind, classes = verdict.evidence or "", int(verdict.worst is not None)
    ratio, measured, limit = (_finite(v) for v in (verdict.ratio, verdict.measured, verdict.limit))
    reason = verdict.reason or (STRADDLES if verdict.status == "inconclusive" else "")
    counterexample, case, cases = verdict.counterexample or "", verdict.case.arguments(), verdict.cases or 1
    status, expected = verdict.status, verdict.recorded
    found = Result(status, expected, kind, ratio, measured, limit, reason, counterexample, case, cases, classes)
    return replace(found, profile="quick", seed=0)


def recorded_result(claim: Claim) -> Result | None:
    """Return the recorded verdict of a library claim, without a run; None if it is not asserted or recorded."""
    known = recorded_results(claim.paper).get(claim.id)
    if known is None or claim.measure is None or not claim.cases:
        return None
    ratio = _finite(float(known.worst.split()[-1])) if known.worst else None
    status, case, cases = str(claim.entry.recorded), claim.cases[0].arguments(), len(claim.cases)
    return Result(status, claim.entry.recorded, known.evidence, ratio, None, None, "", "", case, cases)


def _finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


def load_results(path: Path) -> dict[str, Result]:
    """Return the results of a file from ``verify --json``; UserError says what is wrong with it."""
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except OSError as error:
        raise UserError(f"can't read {path}: {error.strerror}") from None
    except RecursionError:
        raise UserError(f"{path} is no file of `fltheory verify --json`: its lists are nested too deeply") from None
    except ValueError as error:
        raise UserError(f"{path} is no file of `fltheory verify --json`: {error}") from None
    if not rows or not all(isinstance(row, dict) for row in rows):
        raise UserError(f"{path} has no rows of `fltheory verify --json`")
    return results_of(rows)
