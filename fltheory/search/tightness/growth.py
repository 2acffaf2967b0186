"""Growth of the worst found cases with rounds, clients and local steps, compared with that of the bound."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sympy import Symbol

from fltheory import symbols
from fltheory.number import to_float
from fltheory.search.tightness.constraints import Fact

COUNT_SYMBOLS = (symbols.n_rounds, symbols.n_clients, symbols.n_local_steps)
MIN_SPREAD = 2.0  # least ratio of the largest to the smallest value of a constant that determines an exponent


@dataclass(frozen=True)
class GrowthExponent:
    """The ``exponent``, in a constant, of the largest attained share of the bound; 0 if both grow alike."""

    symbol: Symbol
    least: float
    largest: float
    exponent: float

    def __str__(self) -> str:
        name = self.symbol.name
        said = "as the bound does" if abs(self.exponent) < 0.05 else f"as the bound times {name}^{self.exponent:+.2f}"
        return f"the worst cases found grow with {name} ({self.least:g} to {self.largest:g}) {said}"

    def row(self) -> dict[str, Any]:
        """Return the exponent as JSON."""
        return {"constant": self.symbol.name, "from": self.least, "to": self.largest, "exponent": self.exponent}


def growth_exponents(facts: Sequence[Fact]) -> tuple[GrowthExponent, ...]:
    """Return the exponents between the worst cases at the least and the largest value of each count."""
    return tuple(found for symbol in COUNT_SYMBOLS if (found := growth_exponent(facts, symbol)) is not None)


def growth_exponent(facts: Sequence[Fact], symbol: Symbol) -> GrowthExponent | None:
    """Return the log-log least-squares slope of the largest share over a constant; None if it is constant."""
    best: dict[float, float] = {}
    for fact in facts:
        share = _share(fact)
        value = fact.case.constants.get(symbol)
        if value is not None and share > 0:
            at = to_float(value)
            best[at] = max(best.get(at, 0.0), share)
    values = sorted(best)
    if len(values) < 2 or values[-1] < MIN_SPREAD * values[0] or not values[0] > 0:
        return None
    points = [(math.log(v), math.log(best[v])) for v in values]
    x, y = (sum(p[i] for p in points) / len(points) for i in (0, 1))
    slope = sum((p - x) * (q - y) for p, q in points) / sum((p - x) ** 2 for p, _ in points)
    return GrowthExponent(symbol, values[0], values[-1], slope)


def _share(fact: Fact) -> float:
    total = float(fact.row.sum())
    return fact.room / total if total > 0 else 0.0
