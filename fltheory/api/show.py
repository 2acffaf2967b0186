"""The page of one claim: statement, proof status and tightness, recorded or checked now."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import sympy
from sympy import Symbol

from fltheory.api import tightness
from fltheory.api.lookup import claim_of, id_of, inline
from fltheory.claims import cache, index
from fltheory.claims.catalogue import KEYS
from fltheory.claims.claim import Claim, changed_fields
from fltheory.claims.ids import paper_of
from fltheory.model import html_cards
from fltheory.model.bound import PLAIN_SIGNS, Bound, unicode_letter
from fltheory.symbols import meaning
from fltheory.verification import find


@dataclass(frozen=True)
class ClaimPage:
    """A claim with its proof status and tightness, in lines; ``said`` is the page up to the tightness."""

    claim: Claim
    said: tuple[str, ...]
    proof: tuple[str, ...]
    tightness: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join([*self.said, "", "tightness", *(f"  {line}" for line in self.tightness)])

    def __repr__(self) -> str:
        return f"<Page of {self.claim.id}>"

    def _repr_html_(self) -> str:
        proof, found = (html_cards.lines(map(html_cards.escape_text, part)) for part in (self.proof, self.tightness))
        return self.claim._repr_html_() + html_cards.card(
            "what is known of it", [("proof", proof), ("tightness", found)]
        )


def show(claim: Claim | str, latex: bool = False, check: bool = False) -> ClaimPage:
    """Return the page of a claim: statement, conditions, source, and what is recorded of its proof and its tightness.

    Parameters
    ----------
    claim : Claim or str
        The claim or its id.
    latex : bool
        Whether formulas are LaTeX.
    check : bool
        Whether the proof and the cases are checked now, which may take minutes.

    Returns
    -------
    ClaimPage
        Prints as text; a notebook shows it as HTML.

    Raises
    ------
    KeyError
        If the id is unknown; the message names the nearest ids.

    Examples
    --------
    >>> from fltheory import show
    >>> "sfl/T3-SC@corrected" in str(show("sfl/T3-SC@corrected"))
    True
    """
    claim = find(claim) if isinstance(claim, str) else claim
    proof = proof_lines(claim, check)
    return ClaimPage(
        claim, tuple(claim_lines(claim, proof, latex)), tuple(proof), tuple(tightness.tightness_lines(claim, check))
    )


def page_text(claim_id: str) -> str:
    """Return the recorded page of a claim by name; cached for the library's papers."""
    name = id_of(claim_id)
    key = paper_of(name)
    if key not in KEYS or tightness.has_external_proofs():
        return str(show(claim_of(name)))
    body = cache.read(f"{key}-pages")
    pages: dict[str, str] = {} if body is None else json.loads(body)
    if name not in pages:
        pages[name] = str(show(claim_of(name)))
        cache.write(f"{key}-pages", json.dumps(pages, ensure_ascii=False).encode())
    return pages[name]


def proof_lines(claim: Claim, now: bool) -> Sequence[str]:
    """Return the lines on a claim's proof; ``now``: checked now, else recorded."""
    known = None if now else tightness.recorded_result(claim)
    if known is not None:
        return known.proof
    from fltheory.api import proofs  # with the checker, which is loaded only for a proof

    return proofs.proof_status_lines(claim, now)


def claim_lines(claim: Claim, proof: Sequence[str], latex: bool = False) -> list[str]:
    """Return all lines of a claim up to its tightness; ``proof``: the lines on its proof."""
    lines = [f"{claim.id}   {claim.kind}, {claim.mode}, recorded verdict: {_recorded_verdict(claim)}", claim.statement]
    for bound in claim.bounds:
        lines += ["", *_formula(claim, bound, latex)]
    if claim.tuning:
        letters = dict(claim.bound.letters)
        lines += [
            "",
            "chosen by the claim",
            *(f"  {_letter(s, letters)} = {inline(e, letters)}" for s, e in claim.tuning),
            *_further_meanings(claim, letters, latex),
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
    if claim.inconsistent_units:
        lines.append(f"units: the two sides scale differently ({claim.dimension_error()})")
    return lines


def _further_meanings(claim: Claim, letters: dict[Symbol, str], latex: bool) -> list[str]:
    """Return the meanings of the constants in the chosen values that no bound has."""
    known = {s for b in claim.bounds for s in (*b.symbols, *(w for w, _ in b.where))} | {s for s, _ in claim.tuning}
    more = {s for _, e in claim.tuning for s in e.free_symbols} - known
    found = [_meaning_line(s, letters, latex) for s in sorted(more, key=lambda s: s.name)]
    return ["where", *found] if found else []


def _meaning_line(symbol: Symbol, letters: dict[Symbol, str], latex: bool) -> str:
    entry = meaning(symbol)
    letter = letters.get(symbol, symbol.name) if latex else _letter(symbol, letters)
    return f"  {letter}: {entry.text} ({symbol.name}, {entry.domain})"


def _recorded_verdict(claim: Claim) -> str:
    changed = changed_fields(claim)
    return f"none: changed in {', '.join(changed)}" if changed else index.verdict_column(claim)


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
    lines += [_meaning_line(symbol, letters, latex) for symbol in bound.symbols]
    return lines + (["if", *(f"  {c}" for c in conditions)] if conditions else [])


def _letter(symbol: Symbol, letters: dict[Symbol, str]) -> str:
    return unicode_letter(letters[symbol]) if symbol in letters else str(symbol.name)
