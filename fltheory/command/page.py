"""The page of one claim: what the catalogue says, what is recorded of it, and what a check finds now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import entry_points
from typing import Any

import sympy
from sympy import Symbol

from fltheory.bound import Bound, BoundError, unicode_letter
from fltheory.claim import ERROR_RATE, Claim, check
from fltheory.command.lookup import Mistake, inline
from fltheory.command.report import count
from fltheory.evidence.verdict import STATUSES, ratio_text
from fltheory.number import NotRational
from fltheory.number.rational import length
from fltheory.papers import KEYS, listing
from fltheory.papers.recorded import Recorded, of_paper
from fltheory.symbols import meaning

SIDES = {"upper": "≤", "lower": "≥", "equal": "="}
PROOFS = "fltheory.proofs"  # the entry points of packages with proofs
CHECK = "fltheory show --check"


def recorded(claim: Claim) -> Recorded | None:
    """What is recorded of a claim of the library; None of one from outside, and where other packages have proofs too."""
    if any(point.name not in KEYS for point in entry_points(group=PROOFS)):
        return None
    return of_paper(claim.paper).get(claim.id) if claim.paper in KEYS else None


def page(claim: Claim, latex: bool, proof: Sequence[str]) -> list[str]:
    """Everything that the catalogue says of a claim, and what is known of its proof, up to its tightness."""
    lines = [f"{claim.id}   {claim.kind}, {claim.mode}, expected verdict: {listing.expected(claim)}", claim.statement]
    for bound in claim.bounds:
        lines += ["", *_formula(claim, bound, latex)]
    if claim.tuning:
        letters = dict(claim.bound.letters)
        lines += [
            "",
            "chosen by the claim",
            *(f"  {_letter(s, letters)} = {inline(e, letters)}" for s, e in claim.tuning),
        ]
    lines += ["", "assumptions", *(f"  {a.name}" for a in claim.assumptions)] if claim.assumptions else []
    source = claim.bound.source
    note = f"; {source.note}" if source.note else ""
    first, *more = proof
    lines += [
        "",
        f"source: {source.paper}, {source.place}, {source.reading} reading{note}",
        f"proof: {first}",
        *(f"  {line}" for line in more),
    ]
    if claim.misscaled:
        lines.append(f"units: the two sides scale differently ({claim.scaling()})")
    return lines


def _formula(claim: Claim, bound: Bound, latex: bool) -> list[str]:
    letters = dict(bound.letters)
    measured = claim.measure.name if claim.measure else "the bounded quantity"
    lines = [f"{measured} {SIDES[bound.side]}"]
    if latex:
        lines.append(bound.latex())
        where = [f"{letters.get(s, s.name)} = {sympy.latex(e, symbol_names=letters)}" for s, e in bound.where]
        conditions = [sympy.latex(c, symbol_names=letters) for c in bound.conditions]
    else:
        lines += [f"  {line.rstrip()}" for line in bound.unicode().splitlines()]
        where = [f"{_letter(s, letters)} = {inline(e, letters)}" for s, e in bound.where]
        conditions = [inline(c, letters) for c in bound.conditions]
    lines += ["where", *(f"  {w}" for w in where)] if bound.symbols or where else []
    for symbol in bound.symbols:
        entry = meaning(symbol)
        letter = letters.get(symbol, symbol.name) if latex else _letter(symbol, letters)
        lines.append(f"  {letter}: {entry.text} ({symbol.name}, {entry.domain})")
    return lines + (["if", *(f"  {c}" for c in conditions)] if conditions else [])


def bound_lines(bound: Bound, values: Mapping[Any, Any], measured: str) -> list[str]:
    """A bound's number, rounded to the safe side, with its source, an enclosure and the exact value where it is short."""
    try:
        low, high = bound.enclosure(values)
        ball = bound.ball(values).str(20)
    except BoundError as error:
        raise Mistake(str(error)) from None
    lines = [
        f"{low if bound.side == 'lower' else high}",
        f"  {bound.source.paper}, {bound.source.place}: {measured} {SIDES[bound.side]} this",
        f"  enclosure [{low!r}, {high!r}], as a ball {ball}",
    ]
    try:
        value = bound.exact(values)
    except (NotRational, ZeroDivisionError):
        return lines
    return [*lines, f"  exactly {value}"] if length(value) <= 100 else lines  # bits: about 30 digits each


def _letter(symbol: Symbol, letters: dict[Symbol, str]) -> str:
    return unicode_letter(letters[symbol]) if symbol in letters else str(symbol.name)


def _unmeasured(claim: Claim) -> list[str]:
    """Why nothing is measured of a claim, if nothing is."""
    if claim.measure is None:
        return ["an external result: compared and plotted, not asserted"]
    return [] if claim.cases else ["no cases of its own"]


def _sign(claim: Claim) -> str:
    return "limit / measured" if claim.bound.side == "lower" else "measured / limit"


def tightness_recorded(claim: Claim, known: Recorded | None) -> list[str]:
    """What is recorded of the ratio over the claim's own cases; nothing is run."""
    lines = [claim.remark] if claim.remark else []
    if why := _unmeasured(claim):
        return lines + why
    if known is not None and known.worst:
        of = count(len(claim.cases), "case")
        lines.append(f"recorded: worst {_sign(claim)} over {of}: {known.worst} ({known.evidence})")
    if claim.tightest is not None:
        lines.append(f"tightest case known: {claim.tightest.arguments()}")
    return [*lines, f"nothing was run now; {CHECK} {claim.id} runs it"]


def tightness(claim: Claim) -> list[str]:
    """The ratio over the claim's own cases, checked on the spot, and where the bound is vacuous.

    All of these checks together err with probability at most ERROR_RATE.
    """
    lines = [claim.remark] if claim.remark else []
    if why := _unmeasured(claim):
        return lines + why
    rate = ERROR_RATE / (len(claim.cases) + (claim.tightest is not None))
    verdicts = [check(claim, case, rate) for case in claim.cases]
    of = "its case" if len(verdicts) == 1 else f"its {len(verdicts)} cases"
    ratios = [v.ratio for v in verdicts if v.ratio is not None]
    if ratios:
        kinds = "+".join(sorted({v.evidence for v in verdicts if v.evidence}))
        span = f"{ratio_text(min(ratios))} to {ratio_text(max(ratios))}"
        lines.append(f"computed now: {_sign(claim)} over {of}: {span} ({kinds})")
    for status in STATUSES:
        found = [v for v in verdicts if v.status == status]
        if found and status != "holds":
            lines.append(f"{status} in {len(found)} of them, such as {found[0].case.arguments()}")
    if ratios and not any(v.status == "vacuous" for v in verdicts):
        lines.append("vacuous in none of them")
    return lines + _tightest(claim, rate)


def _tightest(claim: Claim, rate: float) -> list[str]:
    """The tightest case that long searches found, and whether the bound says anything there."""
    if claim.tightest is None:
        return []
    verdict = check(claim, claim.tightest, rate)
    ratio = "" if not verdict.ratio else f"limit is {1 / verdict.ratio:.4g} times the measured value"
    vacuous = ", though vacuous there" if verdict.status == "vacuous" else ""
    return [f"tightest case known: {ratio} ({verdict.evidence}{vacuous}), at {claim.tightest.arguments()}"]
