"""Cases on which neighbouring claims of the catalogue (same quantity and paper) are tight or false."""

from __future__ import annotations

from collections.abc import Iterator

from fltheory.claims.catalogue import KEYS, claims_of_paper
from fltheory.claims.claim import Claim
from fltheory.claims.ids import without_reading
from fltheory.model.case import Case

MAX_CASES = 12  # cases


def neighbour_claim_cases(claim: Claim) -> tuple[Case, ...]:
    """Return the cases, those of the same algorithm first.

    Other readings of the statement are excluded, as they hold the answer; claims of plugins are excluded too.
    """
    if claim.paper not in KEYS or claim.measure is None:
        return ()
    others = [c for c in claims_of_paper(claim.paper) if _have_same_quantity(claim, c)]
    others.sort(key=lambda c: c.algorithm != claim.algorithm)
    return tuple(dict.fromkeys(case for other in others for case in _informative_cases(other)))[:MAX_CASES]


def _have_same_quantity(claim: Claim, other: Claim) -> bool:
    return without_reading(other.id) != without_reading(claim.id) and repr(other.measure) == repr(claim.measure)


def _informative_cases(claim: Claim) -> Iterator[Case]:
    if claim.tightest is not None:
        yield claim.tightest
    if claim.entry.recorded == "violated":
        yield from claim.cases[:2]
