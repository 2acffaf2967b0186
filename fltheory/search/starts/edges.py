"""Cases on the edge of a claim's hypotheses: a setting as large or as small as they allow.

A false theorem often fails there first, and a random move rarely hits a window of a hundredth.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from fltheory.claims.check import inapplicable_reason
from fltheory.claims.claim import Claim
from fltheory.model.case import Case
from fltheory.search.neighbours import is_count, leaves, round_digits, with_leaves

MAX_LOG_FACTOR, N_HALVINGS = (40.0, 22)  # log of the largest factor searched for an edge, and number of halvings
EDGE_DIGITS = 4
SCALE_FACTORS = (Fraction(10), Fraction(100), Fraction(1, 10), Fraction(1, 100))


def edge_cases(claim: Claim, case: Case) -> Iterator[Case]:
    """Yield for every setting that is no count the case with it at either end of its allowed range, if bounded."""
    for path, value in leaves(case).items():
        if path[0] == "settings" and value and not is_count(path):
            for way in (1, -1):
                found = _edge(claim, case, path, Fraction(value), way)
                if found is not None:
                    yield found


def scaled_cases(case: Case) -> Iterator[Case]:
    """Yield the case with all numbers of its instance but counts scaled, for a bound without units."""
    numbers = {p: v for p, v in leaves(case).items() if p[0] == "instance" and v and not is_count(p)}
    for by in SCALE_FACTORS if numbers else ():
        made = with_leaves(case, {p: Fraction(v) * by for p, v in numbers.items()})
        if made is not None:
            yield made


def _edge(claim: Claim, case: Case, path: tuple[str, ...], value: Fraction, way: int) -> Case | None:
    """Return the farthest case within the hypotheses, by bisection; None if the range is unbounded."""

    def at(log: float) -> Case | None:
        made = with_leaves(case, {path: round_digits(float(value) * math.exp(way * log), EDGE_DIGITS)})
        return made if made is not None and inapplicable_reason(claim, made) is None else None

    if inapplicable_reason(claim, case) is not None or at(MAX_LOG_FACTOR) is not None:
        return None
    low, high, found = 0.0, MAX_LOG_FACTOR, None
    for _ in range(N_HALVINGS):
        middle = (low + high) / 2
        made = at(middle)
        low, high, found = (low, middle, found) if made is None else (middle, high, made)
    return found
