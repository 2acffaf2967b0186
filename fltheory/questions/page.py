"""The page of one claim: what the catalogue says of it, its proof, and how tight it is on its own cases."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import sympy
from sympy import Symbol

from fltheory import notebook
from fltheory.bound import PLAIN_SIGNS, Bound, unicode_letter
from fltheory.claim import ERROR_RATE, Claim, check
from fltheory.evidence.verdict import STATUSES, ratio_text
from fltheory.known import find
from fltheory.questions import proofs
from fltheory.questions.lookup import inline
from fltheory.symbols import meaning

PATIENCE = 10.0  # seconds that the page of a claim spends on checking its cases


@dataclass(frozen=True)
class Page:
    """A claim with what is known of its proof and its tightness, in lines; ``said`` is the page up to its tightness."""

    claim: Claim
    said: tuple[str, ...]
    proof: tuple[str, ...]
    tightness: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join([*self.said, "", "tightness", *(f"  {line}" for line in self.tightness)])

    def __repr__(self) -> str:
        return f"<Page of {self.claim.id}>"

    def _repr_html_(self) -> str:
        proof, found = (notebook.lines(map(notebook.words, part)) for part in (self.proof, self.tightness))
        return self.claim._repr_html_() + notebook.card("what is known of it", [("proof", proof), ("tightness", found)])


def show(claim: Claim | str, latex: bool = False) -> Page:
    """The page of a claim, given itself or by its id: its cases are checked now, for some seconds at most.

    ``latex``: formulas as LaTeX. KeyError for an unknown id names the nearest.
    """
    claim = find(claim) if isinstance(claim, str) else claim
    proof = proofs.known(claim)
    return Page(claim, tuple(described(claim, proof, latex)), tuple(proof), tuple(tightness(claim)))


def expected(claim: Claim) -> str | None:
    """The recorded verdict; None for an external result, which is compared and not asserted."""
    return None if claim.measure is None else claim.expected


def described(claim: Claim, proof: Sequence[str], latex: bool = False) -> list[str]:
    """Everything that the catalogue says of a claim, up to its tightness; ``proof``: what ``proofs.known`` says."""
    lines = [
        f"{claim.id}   {claim.kind}, {claim.mode}, expected verdict: {expected(claim) or 'external'}",
        claim.statement,
    ]
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
    lines = [f"{measured} {PLAIN_SIGNS[bound.side]}"]
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


def _letter(symbol: Symbol, letters: dict[Symbol, str]) -> str:
    return unicode_letter(letters[symbol]) if symbol in letters else str(symbol.name)


def tightness(claim: Claim) -> list[str]:
    """The ratio over the claim's own cases, checked on the spot, and where the bound is vacuous.

    All of these checks together err with probability at most ERROR_RATE.
    """
    lines = [claim.remark] if claim.remark else []
    if claim.measure is None:
        return [*lines, "an external result: compared and plotted, not asserted"]
    if not claim.cases:
        return [*lines, "no cases of its own"]
    rate = ERROR_RATE / (len(claim.cases) + (claim.tightest is not None))
    began = time.monotonic()
    verdicts = []
    for case in claim.cases:
        verdicts.append(check(claim, case, rate))
        if time.monotonic() - began > PATIENCE:
            break
    of = (
        f"{len(verdicts)} of its {len(claim.cases)} cases"
        if len(verdicts) < len(claim.cases)
        else "its case"
        if len(verdicts) == 1
        else f"its {len(verdicts)} cases"
    )
    ratios = [v.ratio for v in verdicts if v.ratio is not None]
    if ratios:
        kinds = "+".join(sorted({v.evidence for v in verdicts if v.evidence}))
        sign = "limit / measured" if claim.bound.side == "lower" else "measured / limit"
        lines.append(f"{sign} over {of}: {ratio_text(min(ratios))} to {ratio_text(max(ratios))} ({kinds})")
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
