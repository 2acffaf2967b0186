"""The output of ``verify``: a row for each paper, the claims with deviating or inconclusive verdicts, the exit status."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from fltheory.claims.ids import paper_of
from fltheory.command.tables import STYLES, Sheet, console, count, plural, unbroken, wrap_line
from fltheory.evidence.verdict import OVERFLOW_TEXT, STATUSES, STRADDLES, ratio_text, short_name

if TYPE_CHECKING:
    from fltheory.command.jsonl_writer import Row

MAX_FULL_TABLE = 40  # number of claims up to which a table shows all
MAX_NAMED = 6  # number of claims of a paper that a run of several papers names for each verdict
GLYPHS = {"holds": "█", "violated": "×", "vacuous": "░", "inconclusive": "?", "inapplicable": "·"}
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
    said = beside if compared and not of_variant and not rows_not_as_recorded(rows) else []  # the summary says it too
    spare = ("time", "cases", *said, "evidence", "ratio")
    return Sheet(columns, tuple(lines), spare, right=("ratio", "cases", "time"))


def _evidence(group: Sequence[Row]) -> str:
    """Return the kinds of evidence; that of a whole class if all cases have it."""
    kinds = "+".join(sorted({r["evidence"] for r in group if r["evidence"]})) or "-"
    return f"{kinds}, class" if all(r.get("scope") == "class" for r in group) else kinds


class PaperTable:
    """A table with a row for each paper, printed once its last case is finished, with a bar of the shares of the verdicts.

    ``planned`` has the claim of every case. There is no table for the few claims of one paper, which are shown one by one.
    """

    def __init__(self, planned: Sequence[str]) -> None:
        self._left = Counter(paper_of(claim_id) for claim_id in planned)
        self._rows: dict[str, list[Row]] = {paper: [] for paper in self._left}
        self._shown = len(self._left) > 1 or len(set(planned)) > MAX_FULL_TABLE
        self.begun = False

    def add(self, row: Row) -> list[str]:
        """Return the lines that this row completes."""
        paper = row["paper"]
        self._rows[paper].append(row)
        self._left[paper] -= 1
        return [] if self._left[paper] else self._lines(paper)

    def end(self) -> list[str]:
        """Return the rows of the papers with finished and with unfinished cases, the total of several, and the legend."""
        lines = [
            line for paper, left in self._left.items() if left and self._rows[paper] for line in self._lines(paper)
        ]
        papers = [paper for paper, rows in self._rows.items() if rows]
        rows = [row for paper in papers for row in self._rows[paper]]
        if not self.begun:
            return []
        lines += [self._row("total", rows)] if len(papers) > 1 else []
        return [*lines, "  ".join(f"{glyph} {status}" for status, glyph in GLYPHS.items()), ""]

    def _lines(self, paper: str) -> list[str]:
        if not self._shown:
            return []
        head, self.begun = [] if self.begun else self._head(), True
        left, bad = self._left[paper], len(rows_by_claim(rows_not_as_recorded(self._rows[paper])))
        notes = [f"  {count(left, 'case')} unfinished"] if left else []
        recorded = any(r["recorded"] is not None for r in self._rows[paper])
        notes += (
            [f"  {count(bad, 'claim')} {'NOT AS RECORDED' if recorded else 'violated or undecided'}"] if bad else []
        )
        return [*head, self._row(paper, self._rows[paper]), *notes]

    def _head(self) -> list[str]:
        cells = "  ".join(f"{glyph:>5}" for glyph in GLYPHS.values())
        name, width = self._widths()
        head = f"{'paper':<{name}}  claims  cases  {'share of the cases':<{width}}  {cells}"
        return [head, "─" * len(head)]

    def _row(self, name: str, rows: Sequence[Row]) -> str:
        counts = [sum(r["status"] == status for r in rows) for status in GLYPHS]
        left, width = self._widths()
        cells = "  ".join(f"{n or '-':>5}" for n in counts)
        return f"{name:<{left}}  {len(rows_by_claim(rows)):>6}  {len(rows):>5}  {share_bar(counts, width)}  {cells}"

    def _widths(self) -> tuple[int, int]:
        """Return the widths of the names and of the bars, which take what is left of the page."""
        name = max(map(len, ("total", *self._left)))
        return name, min(max(console().width - name - 17 - 7 * len(GLYPHS), len("share of the cases")), 40)


def share_bar(counts: Sequence[int], width: int) -> str:
    """Return a bar of the shares of the verdicts in the order of GLYPHS: at least one cell for each that occurs.

    The largest share takes what rounding leaves.
    """
    total = sum(counts)
    cells = [max(1, n * width // total) if n else 0 for n in counts]
    cells[counts.index(max(counts))] += width - sum(cells)
    return "".join(glyph * n for glyph, n in zip(GLYPHS.values(), cells, strict=True))


def notable_claims(rows: Sequence[Row], shown: Iterable[Row] = ()) -> list[str]:
    """Return the names of the claims with cases that do not hold, for each verdict, and a command that shows more.

    Claims that are ``shown`` in a table are not named again. In a run of several papers each names a few, and how to see all.
    """
    seen, several = {r["id"] for r in shown}, len({r["paper"] for r in rows}) > 1
    lines: list[str] = []
    for status in list(GLYPHS)[1:]:
        cases = [r for r in rows if r["status"] == status]
        hidden = _printed_first(r for r in cases if r["id"] not in seen)
        for paper in dict.fromkeys(paper_of(name) for name in hidden):
            names = [name for name in hidden if paper_of(name) == paper]
            few = names[:MAX_NAMED] if several else names
            more = f" and {len(names) - len(few)} more ({unbroken(f'fltheory verify {paper}')})"
            end = more if len(few) < len(names) else ""
            lines.append(f"{status}, {count(len(names), 'claim')} of {paper}: {', '.join(few)}{end}")
        recorded = _printed_first(r for r in cases if r["recorded"] == status == "violated")
        if recorded:  # of any other violation the counterexample is printed
            lines.append(f"  a counterexample of one: {unbroken(f'fltheory falsify {recorded[0]}')}")
        elif hidden:
            variant = f" --variant {cases[0]['variant']}" if cases[0]["variant"] else ""
            lines.append(f"  the verdict of one: {unbroken(f'fltheory verify {hidden[0]}{variant}')}")
    return [part for line in lines for part in wrap_line(line)]


def _printed_first(rows: Iterable[Row]) -> list[str]:
    """Return the claims of some rows by paper, those first that the paper states as recorded."""
    return sorted(rows_by_claim(rows), key=lambda name: not name.endswith("@printed"))


def run_summary(rows: Sequence[Row], n_planned: int, seconds: float) -> list[str]:
    """Return counts in total, the time, the error rate spent, then notable verdicts with reasons."""
    of = f" of {n_planned} {plural(n_planned, 'case')}" if n_planned != len(rows) else ""
    spent = sum(r["error_rate"] for r in rows)
    lines = [
        _counts(rows, of),
        f"{_evidence_line(rows)}; {unbroken(f'{seconds:.1f} s')}, error rate spent {spent:.2g}",
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
    why = _reason(row)
    rests = f" ({_ratio_and_evidence(row)})" if row.get("evidence") and row["status"] != "inapplicable" else ""
    if row["status"] != "violated" and why:
        return f"{why}{rests}"
    if row.get("measured") is None and row.get("limit") is None:
        return f"{why or 'on ' + row['instance']}{rests}"
    measured, limit = (_in_words(row.get(name)) for name in ("measured", "limit"))
    numbers = f"measured {measured}, limit {limit}{rests} on {row['instance']}"
    return f"{numbers}; {why}" if why else numbers


def _reason(row: Row) -> str:
    """Return the reason of a row; a condition that fails is written in the paper's letters, as a user types them."""
    why = str(row["reason"] or "")
    if "the condition " not in why:
        return why
    from fltheory.api.bounds import claim_bounds_by_id
    from fltheory.api.lookup import in_letters

    return in_letters(why, claim_bounds_by_id(row["id"]).bounds)


def _ratio_and_evidence(row: Row) -> str:
    """Return the ratio and the evidence of a row."""
    ratio = row.get("ratio")
    return f"ratio {'none in floats' if ratio is None else ratio_text(ratio)}, {row['evidence']}"


def _in_words(value: float | None) -> str:
    """Return a number to six digits; a row has none beyond floats."""
    return "beyond all floats" if value is None else f"{value:.6g}"
