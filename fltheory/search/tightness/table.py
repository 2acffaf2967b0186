"""A table of constants: as printed, what is proved, and the limits that no proof can go below."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction

from fltheory.api.lookup import inline
from fltheory.claims.catalogue import KEYS
from fltheory.claims.claim import Claim
from fltheory.claims.stored_results import recorded_results
from fltheory.model.bound import PLAIN_SIGNS
from fltheory.search.tightness.targets import WeightTarget
from fltheory.search.tightness.terms import NoTerms, terms_of
from fltheory.search.tightness.tightness import tightness

ROUNDING_SLACK = Fraction(1, 10**12)
MAX_BOUND_LENGTH = 160  # longest bound that is shown whole


@dataclass(frozen=True)
class TableRow:
    """A row: the claim, its bound, the recorded state of its proof, and the limits found or why there are none."""

    id: str
    bound: str
    proved: str
    least: str
    terms: str
    evidence: str
    cases: int


def table_row(claim: Claim, work: int, seed: int, max_cases: int | None = None) -> TableRow:
    """Return the row of a claim after a search with this work; KeyboardInterrupt if Ctrl-C ended it."""
    shown = f"{PLAIN_SIGNS[claim.bound.side]} {_ordered_bound(claim)}"
    shown = shown if len(shown) <= MAX_BOUND_LENGTH else f"{shown[:MAX_BOUND_LENGTH]}…"
    proved = _proof_cell(claim)
    if claim.entry.recorded == "violated":
        return TableRow(claim.id, shown, proved, "false as it stands", "", "", 0)
    try:
        found = tightness(claim, work=work, seed=seed, max_cases=max_cases, conditions=False)
    except NoTerms as error:
        return TableRow(claim.id, shown, proved, str(error).removeprefix(f"{claim.id} "), "", "", 0)
    if found.interrupted:
        raise KeyboardInterrupt
    if found.factor is None:
        return TableRow(claim.id, shown, proved, "no case gave a limit", "", "", 0)
    weights = [_round_safely(limit.value, claim) for limit in found.limits if limit.aim != WeightTarget()]
    evidence = next(limit.fact.evidence for limit in found.limits if limit.aim == WeightTarget())
    least = _round_safely(found.factor, claim)
    if found.upper is not None:
        least += f" (at these constants at most {_round_safely(found.upper, claim)}, proved)"
    return TableRow(claim.id, shown, proved, least, ", ".join(weights), evidence, found.told)


def _ordered_bound(claim: Claim) -> str:
    """Return the bound on one line, its terms in the order of their weights."""
    letters = dict(claim.bound.letters)
    try:
        terms = terms_of(claim)
    except NoTerms:
        return inline(claim.bound.expr, letters)
    whole = " + ".join(inline(e, letters) for e in terms.exprs)
    return whole if terms.fixed == 0 else f"{whole} - ({inline(-terms.fixed, letters)})"


def _round_safely(value: Fraction, claim: Claim) -> str:
    """Return a limit to three digits, rounded to the safe side: down for an upper bound, up for a lower one."""
    value *= (
        1 - ROUNDING_SLACK if claim.bound.side == "lower" else 1 + ROUNDING_SLACK
    )  # a limit of 1 appears as the next float
    rounding = ROUND_FLOOR if claim.bound.side == "upper" else ROUND_CEILING
    with localcontext(prec=3, rounding=rounding):
        found = Decimal(value.numerator) / Decimal(value.denominator)
    return f"{float(found):g}"


def _proof_cell(claim: Claim) -> str:
    """Return whether a proof of the claim as it stands is recorded; in part: on a range, or under extra hypotheses."""
    found = recorded_results(claim.paper).get(claim.id) if claim.paper in KEYS and claim.entry.claim is claim else None
    said = " ".join(found.proof) if found is not None else ""
    if re.search(r"PROVED(?: \(kernel, [^)]*\))?, all parameters", said):
        return "1, proved"
    return "1, proved in part" if "PROVED" in said else "no proof here"


PAGE_HEAD = """# Constants

What is known of the constants of each theorem: every bound is multiplied by a factor, and the factor 1 is the bound as written.

- *Proved here* says whether a proof with the constants as written is recorded ("in part": on a range, or under extra hypotheses).
- *Can't be less than* is the limit that a case found by a search forces on the factor (for lower bounds: an upper limit). It is
  **a lower limit on what any proof could reach**, rounded to the safe side, up to one part in 10^12. It may not be attainable.
- *Each term alone* is, for a bound of several terms, the limit on the weight of each term with the other terms unchanged. A 0 says
  that no case found needs the term.

The range between *proved here* and *can't be less than* is open.

Each claim was searched with {work} units of work and seed {seed}; any machine finds the same limits.
The command was `fltheory tightness SELECTOR... --work {work} --markdown FILE`.

| claim | bound | proved here | can't be less (lower bounds: more) than | each term alone | evidence | cases |
|---|---|---|---|---|---|---|
"""


def markdown(entries: Sequence[TableRow], work: int, seed: int, of: int) -> str:
    """Return the page, which says so if it omits some of all ``of`` claims."""
    rows = (
        f"| `{e.id}` | {_table_cell(e.bound)} | {e.proved} | {_table_cell(e.least)} | {e.terms} | {e.evidence} | {e.cases or ''} |"
        for e in entries
    )
    early = f"\nInterrupted: {len(entries)} of {of} claims.\n" if len(entries) < of else ""
    return PAGE_HEAD.format(work=work, seed=seed) + "\n".join(rows) + "\n" + early


def _table_cell(text: str) -> str:
    return text.replace("|", "\\|")
