"""The page of one claim: what the catalogue says of it, and its bounds in numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy
from sympy import Symbol

from fltheory.bound import Bound, BoundError, unicode_letter
from fltheory.claim import Claim
from fltheory.command.lookup import Mistake, inline
from fltheory.number import NotRational
from fltheory.number.rational import length
from fltheory.papers import listing
from fltheory.symbols import meaning

SIDES = {"upper": "≤", "lower": "≥", "equal": "="}


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
