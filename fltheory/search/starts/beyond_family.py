"""Cases outside a claim's family: a search may change the numbers of clients and participants, and the noise."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sympy import Symbol

from fltheory.claims.case_search import search_cases
from fltheory.claims.claim import Claim
from fltheory.model.case import Case
from fltheory.number import Number, exact_text, to_float
from fltheory.symbols import n_clients, n_participating, noise_std

COMPARED_SYMBOLS = (n_clients, n_participating, noise_std)
N_DRAWS = 50  # cases sampled from the family, the same each time
Span = tuple[Number, Number]


def family_exit_message(claim: Claim, case: Case) -> str:
    """Return "outside the family: n_clients = 3 (the family has 1 to 2)", or "" for a case within its range.

    The range is that of DRAWS samples, the same in every program, and of the claim's own cases.
    """
    if claim.family is None or case in claim.cases:
        return ""
    left: list[str] = []
    for symbol, (low, high) in family_ranges(claim).items():
        value = _value(case, symbol)
        if value is not None and not to_float(low) <= to_float(value) <= to_float(high):
            has = exact_text(low) if low == high else f"{exact_text(low)} to {exact_text(high)}"
            if symbol is n_participating and left and value == case.constants.get(n_clients):
                continue  # all take part: already reported
            left.append(f"{symbol.name} = {exact_text(value)} (the family has {has})")
    return f"outside the family: {', '.join(left)}" if left else ""


def family_ranges(claim: Claim) -> dict[Symbol, Span]:
    """Return the least and the largest value of each examined constant that cases of the family have."""
    return dict(_spans(_ClaimKey(claim)))


class _ClaimKey:
    """A hashable key of a claim: its id and its family."""

    def __init__(self, claim: Claim) -> None:
        self.claim, self.key = claim, (claim.id, claim.family)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ClaimKey) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


@lru_cache(maxsize=64)
def _spans(asked: _ClaimKey) -> tuple[tuple[Symbol, Span], ...]:
    claim = asked.claim
    found: dict[Symbol, list[Any]] = {symbol: [] for symbol in COMPARED_SYMBOLS}

    def note(case: Case) -> None:
        for symbol, values in found.items():
            if (value := _value(case, symbol)) is not None:
                values.append(value)

    for case in claim.cases:
        note(case)
    assert claim.family is not None
    search_cases(claim.family(), 0, N_DRAWS, note)
    return tuple((s, (min(vs, key=to_float), max(vs, key=to_float))) for s, vs in found.items() if vs)


def _value(case: Case, symbol: Symbol) -> Number | None:
    """Return a constant of a case; by default all clients take part."""
    value = case.constants.get(symbol)
    return case.constants.get(n_clients) if value is None and symbol is n_participating else value
