"""Cases on which neighbouring claims of the catalogue are tight, or false: about the same quantity, in the same paper."""

from __future__ import annotations

from collections.abc import Iterator

from fltheory.claims.catalogue import KEYS, of_paper
from fltheory.claims.claim import Claim
from fltheory.claims.ids import without_reading
from fltheory.model.case import Case

MOST = 12  # cases


def nearby(claim: Claim) -> tuple[Case, ...]:
    """The cases, those of the same algorithm first.

    None of another reading of the same statement, which would be to look the answer up; none of a claim from outside.
    """
    if claim.paper not in KEYS or claim.measure is None:
        return ()
    others = [c for c in of_paper(claim.paper) if _alike(claim, c)]
    others.sort(key=lambda c: c.algorithm != claim.algorithm)
    return tuple(dict.fromkeys(case for other in others for case in _telling(other)))[:MOST]


def _alike(claim: Claim, other: Claim) -> bool:
    return without_reading(other.id) != without_reading(claim.id) and repr(other.measure) == repr(claim.measure)


def _telling(claim: Claim) -> Iterator[Case]:
    if claim.tightest is not None:
        yield claim.tightest
    if claim.expected == "violated":
        yield from claim.cases[:2]
