"""The output of ``verify``: a line for each paper, the claims with deviating or inconclusive verdicts, the exit status."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from fltheory.claims.ids import paper_of
from fltheory.command.tables import STYLES, Sheet, count, plural, wrap_line
from fltheory.evidence.verdict import OVERFLOW_TEXT, STATUSES, STRADDLES, ratio_text, short_name

if TYPE_CHECKING:
    from fltheory.command.jsonl_writer import Row

MAX_FULL_TABLE = 40  # number of claims up to which a table shows all
INEXACT_METHODS = ("simulated", "followed in floats")  # how a value without an exact result was computed


def rows_by_claim(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Return the rows of every claim, in order."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row["id"], []).append(row)
    return groups


def has_figure(row: Row) -> bool:
    """Return whether there is a value: not if the step is broken or the value out of reach."""
    return row["status"] != "inapplicable" and row["evidence"] is not None


def rows_not_as_recorded(rows: Iterable[Row]) -> list[Row]:
    """Return the rows that differ from the recorded verdict; without one, those violated or undecided.

    Recorded verdicts are about the claim on its own cases, not about a variant or a user's constants. These may leave
    the hypotheses; a case outside them is then shown only if there is no other.
    """
    found = list(rows)
    told = {r["id"] for r in found if is_decided(r)}

    def odd(r: Row) -> bool:
        if r["recorded"] is not None:
            return bool(r["status"] != r["recorded"])
        outside = r["status"] == "inapplicable" and not r["variant"]
        return r["status"] == "violated" or not (has_figure(r) or (outside and r["id"] in told))

    return [r for r in found if odd(r)]


def exit_status(rows: Sequence[Row]) -> int:
    """Return 0 if all is right, 1 for a deviation or (if nothing is recorded) a violation, 3 if nothing was decided.

    Also 3 for a variant without a violation but without a value on some case, as with a broken step.
    """
    bad = rows_not_as_recorded(rows)
    if any(r["status"] == "violated" or r["recorded"] is not None for r in bad):
        return 1
    return 3 if bad or not rows or is_nothing_decided(rows) else 0


def is_nothing_decided(rows: Sequence[Row]) -> bool:
    """Return whether no case is decided and none has a recorded verdict, so that nothing can be concluded."""
    return all(r["recorded"] is None and not is_decided(r) for r in rows)


def is_decided(row: Row) -> bool:
    """Return whether the verdict decides the bound on its case."""
    return has_figure(row) and row["status"] != "inconclusive"


def decisive_row(rows: Sequence[Row]) -> Row:
    """Return the row that represents a claim: a deviation if there is any, of the worst status and largest ratio."""
    within = [r for r in rows if r["recorded"] is not None or r["status"] != "inapplicable"]
    return min(
        rows_not_as_recorded(rows) or within or rows, key=lambda r: (STATUSES.index(r["status"]), -_sort_ratio(r))
    )


def _sort_ratio(row: Row) -> float:
    """Return the ratio of a row; infinity for a violation beyond floats."""
    if row["ratio"] is None:
        return math.inf if row["status"] == "violated" else -math.inf
    return float(row["ratio"])


def _ratio(row: Row) -> str:
    """Return the ratio of the row that represents the claim, never that of another case."""
    if row["ratio"] is not None:
        return ratio_text(row["ratio"])
    return OVERFLOW_TEXT if row["status"] == "violated" and row["measured"] is None and has_figure(row) else "-"


def rows_to_show(rows: Sequence[Row], every: bool) -> list[Row]:
    """Return the rows of the claims to show: all if they are few, else those that deviate from the record or are inconclusive."""
    groups = rows_by_claim(rows)
    if every or len(groups) <= MAX_FULL_TABLE:
        return list(rows)
    told = {claim_id for claim_id, group in groups.items() if rows_not_as_recorded(group) or _has_undecided(group)}
    return [r for r in rows if r["id"] in told]


def _has_undecided(group: Sequence[Row]) -> bool:
    return any(r["status"] == "inconclusive" for r in group)


def verdict_table(rows: Sequence[Row]) -> Sheet:
    """Return one row per claim and reading, with its deviation from the record, or the variant's name."""
    of_variant, compared = any(r["variant"] for r in rows), any(r["recorded"] is not None for r in rows)
    lines: list[tuple[str | Text, ...]] = []
    for claim_id, group in rows_by_claim(rows).items():
        decides = decisive_row(group)
        status = decides["status"]
        good = Text("yes") if status == decides["recorded"] else Text(f"NO: {decides['recorded']}", "bold red")
        third = [short_name(decides["variant"])] if decides["variant"] else [good] if compared else []
        lines.append(
            (
                claim_id,
                Text(status, STYLES.get(status, "")),
                *third,
                _ratio(decides),
                _evidence(group),
                str(len(group)),
                f"{sum(r['seconds'] for r in group):.1f}s",
            )
        )
    beside = ["variant"] if of_variant else ["recorded"] if compared else []
    columns = ("claim", "verdict", *beside, "ratio", "evidence", "cases", "time")
    return Sheet(columns, tuple(lines), ("time", "cases", "evidence", "ratio"), right=("ratio", "cases", "time"))


def _evidence(group: Sequence[Row]) -> str:
    """Return the kinds of evidence; that of a whole class if all cases have it."""
    kinds = "+".join(sorted({r["evidence"] for r in group if r["evidence"]})) or "-"
    return f"{kinds}, class" if all(r.get("scope") == "class" for r in group) else kinds


class PaperLines:
    """The line of each paper, once its last case is finished; nothing for a single paper, whose line is the total.

    ``planned`` has the claim of every case.
    """

    def __init__(self, planned: Sequence[str]) -> None:
        self._left = Counter(paper_of(claim_id) for claim_id in planned)
        self._rows: dict[str, list[Row]] = {paper: [] for paper in self._left}
        self._several = len(self._left) > 1

    def add(self, row: Row) -> list[str]:
        """Return the lines that this row completes."""
        paper = row["paper"]
        self._rows[paper].append(row)
        self._left[paper] -= 1
        return [] if self._left[paper] else self._lines(paper)

    def unfinished(self) -> list[str]:
        """Return the lines of the papers with finished and with unfinished cases."""
        return [line for paper, left in self._left.items() if left and self._rows[paper] for line in self._lines(paper)]

    def _lines(self, paper: str) -> list[str]:
        rows, left = self._rows[paper], self._left[paper]
        of = f" of {len(rows) + left} {plural(len(rows) + left, 'case')}" if left else ""
        return wrap_line(f"{paper}: {_counts(rows, of)}; {_evidence_line(rows)}") if self._several else []


def run_summary(rows: Sequence[Row], n_planned: int, seconds: float) -> list[str]:
    """Return counts in total, the time, the error rate spent, then notable verdicts with reasons."""
    of = f" of {n_planned} {plural(n_planned, 'case')}" if n_planned != len(rows) else ""
    spent = sum(r["error_rate"] for r in rows)
    lines = [
        _counts(rows, of),
        f"{_evidence_line(rows)}; {seconds:.1f} s, error rate spent {spent:.2g}",
        *_kept_lines(rows),
        *_undecided_lines(rows),
    ]
    groups = rows_by_claim(rows)
    for claim_id, group in rows_by_claim(rows_not_as_recorded(rows)).items():
        decides = decisive_row(group)
        meant, told = group, "has no verdict for"
        if decides["recorded"] is None and decides["status"] == "violated":  # others of the group may have no verdict
            meant, told = [r for r in group if r["status"] == "violated"], "is violated by"
        of = f"{len(meant)} of {count(len(groups[claim_id]), 'case')}"
        if decides["variant"]:
            lines.append(f"{claim_id} {told} variant {decides['variant']} ({of}): {explain(decides)}")
        elif decides["recorded"] is None:
            what = "is violated at these constants" if decides["status"] == "violated" else "has no verdict"
            lines.append(f"{claim_id} {what} ({of}): {explain(decides)}")
        else:
            wrong = f"{decides['status']}, recorded {decides['recorded']}"
            lines.append(f"{claim_id}: {wrong} ({of} not as recorded): {explain(decides)}")
        if decides["counterexample"]:
            lines.append(f"  counterexample: {decides['counterexample']}")
    lines += _inexact_lines(rows)
    return [part for line in lines for part in wrap_line(line)]


def _kept_lines(rows: Sequence[Row]) -> list[str]:
    """Return how many rows are those of an earlier run, and since when all that they rest on is unchanged."""
    since = [r["unchanged_since"] for r in rows if r.get("unchanged_since")]
    if not since:
        return []
    which = "all" if len(since) == len(rows) else f"{len(since)} of {len(rows)}"
    return [f"unchanged since {min(since)}: {which}, as checked then (--fresh checks them again)"]


def _undecided_lines(rows: Sequence[Row]) -> list[str]:
    """Return the number of undecided cases, and the reasons, the most frequent first."""
    whys = Counter(str(r["reason"] or STRADDLES) for r in rows if r["status"] == "inconclusive")
    if not whys:
        return []
    (first, n), *others = whys.most_common()
    more = f"; {count(sum(n for _, n in others), 'case')} for other reasons" if others else ""
    why = f"{first} ({count(n, 'case')})" if others else first
    return [f"INCONCLUSIVE: {sum(whys.values())} of {count(len(rows), 'case')}: {why}{more}"]


def _inexact_lines(rows: Iterable[Row]) -> list[str]:
    """Return for a variant the reasons why values are not exact, the most frequent first."""
    judged_ones = [r for r in rows if r["variant"] and r["evidence"] not in (None, "exact")]
    whys = [str(r["reason"] or "").split("; ")[0] for r in judged_ones]  # the rest is about the verdict
    found = Counter(why for why in whys if any(f": {done}" in why for done in INEXACT_METHODS))
    return [f"not exact: {why} ({count(n, 'case')})" for why, n in found.most_common()]


def _counts(rows: Sequence[Row], of: str = "") -> str:
    """Return the counts of claims, cases and verdicts, and whether they are as recorded."""
    groups = rows_by_claim(rows)
    kinds = [f"{n} {s}" for s in reversed(STATUSES) if (n := sum(r["status"] == s for r in rows))]
    bad = rows_by_claim(rows_not_as_recorded(rows))
    variant = next((r["variant"] for r in rows if r["variant"]), None)
    if any(r["recorded"] is not None for r in rows):
        end = f"{len(bad)} NOT AS RECORDED" if bad else "all as recorded"
    else:
        broken = [i for i, group in bad.items() if any(r["status"] == "violated" for r in group)]
        which = count(len(broken), "claim")
        end = f"{which} VIOLATED at these constants" if broken else "none is violated at these constants"
        if variant is not None:
            end = f"variant {variant} " + (f"VIOLATES {which}" if broken else "violates nothing")
        end += ", but NOTHING WAS DECIDED" if is_nothing_decided(rows) else ""
        end += f", {count(len(bad) - len(broken), 'claim')} without a verdict" if len(bad) > len(broken) else ""
    cases = f"{len(rows)}{of}" if of else count(len(rows), "case")
    return f"{count(len(groups), 'claim')}, {cases}: {', '.join(kinds) or 'nothing'}; {end}"


def _evidence_line(rows: Sequence[Row]) -> str:
    """Return the evidence of the verdicts, and the largest ratio of a claim that holds."""
    kinds = Counter(r["evidence"] or "without" for r in rows)
    ratios = [r["ratio"] for r in rows if r["status"] == "holds" and r["ratio"] is not None]
    worst = f", worst ratio that holds {ratio_text(max(ratios))}" if ratios else ""
    whole = sum(r.get("scope") == "class" for r in rows)
    of_classes = f", {whole} proved for whole classes" if whole else ""
    return f"evidence: {', '.join(f'{n} {kind}' for kind, n in kinds.most_common()) or 'none'}{of_classes}{worst}"


def unfinished_message(planned: Sequence[str], rows: Sequence[Row]) -> str:
    """Return the number of finished cases, and the others; ``planned`` has the claim of every case."""
    left = Counter(planned) - Counter(r["id"] for r in rows)
    first = next(iter(left), "")
    done = f"time for {len(rows)} of {len(planned)} cases"
    return f"{done}; {count(sum(left.values()), 'case')} of {count(len(left), 'claim')} left, from {first} on"


def explain(row: Row) -> str:
    """Explain the verdict in words."""
    why = str(row["reason"] or "")
    rests = f" ({_ratio_and_evidence(row)})" if row.get("evidence") and row["status"] != "inapplicable" else ""
    if row["status"] != "violated" and why:
        return f"{why}{rests}"
    if row.get("measured") is None and row.get("limit") is None:
        return f"{why or 'on ' + row['instance']}{rests}"
    measured, limit = (_in_words(row.get(name)) for name in ("measured", "limit"))
    numbers = f"measured {measured}, limit {limit}{rests} on {row['instance']}"
    return f"{numbers}; {why}" if why else numbers


def _ratio_and_evidence(row: Row) -> str:
    """Return the ratio and the evidence of a row."""
    ratio = row.get("ratio")
    return f"ratio {'none in floats' if ratio is None else ratio_text(ratio)}, {row['evidence']}"


def _in_words(value: float | None) -> str:
    """Return a number to six digits; a row has none beyond floats."""
    return "beyond all floats" if value is None else f"{value:.6g}"
