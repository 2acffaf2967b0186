"""What the papers claim, as users ask for it: a claim by its id, and the verdict on it."""

from __future__ import annotations

import difflib
from dataclasses import replace

from fltheory.case import Case, Instance
from fltheory.claim import ERROR_RATE, Claim, check
from fltheory.evidence.verdict import Verdict, decisive
from fltheory.papers import catalogue, of_paper


def verify(
    claim: Claim | str,
    instance: Instance | Case | None = None,
    *,
    seed: int = 0,
    profile: str = "quick",
    **settings: object,
) -> Verdict:
    """Check a claim on one case (``instance`` with its ``settings``), or on all of its own and report what decides.

    ``verify("sfl/T3-SC@corrected")``; ``verify(claim, QuadraticClients(...), n_rounds=10, step_size="1/60", ...)``.
    """
    if isinstance(claim, str):
        claim = find(claim)
    if not isinstance(claim, Claim):
        raise ValueError(f"claim must be a Claim or the id of one, got {claim!r}")
    if profile not in ("quick", "full"):
        raise ValueError(f"profile must be quick or full, got {profile!r}")
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ValueError(f"seed must be a nonnegative integer, got {seed!r}")
    if instance is not None:
        case = instance.with_settings(**settings) if isinstance(instance, Case) else Case(instance, **settings)
        return check(claim, case, ERROR_RATE, seed)
    cases = claim.all_cases(profile)
    if not cases:
        raise ValueError(f"{claim.id} has no cases of its own: give an instance")
    verdicts = [check(claim, case, ERROR_RATE / len(cases), seed) for case in cases]
    return replace(decisive(verdicts), cases=len(cases))


def find(claim_id: str) -> Claim:
    """The claim with this id; an id without a reading is taken if only one reading exists. KeyError lists near ids."""
    for claim in of_paper(claim_id):
        if claim.id == claim_id:
            return claim
    claims = {c.id: c for c in catalogue()}
    readings = [c for c in claims.values() if c.id.split("@")[0] == claim_id]
    if len(readings) == 1:
        return readings[0]
    near = [c.id for c in readings] or difflib.get_close_matches(claim_id, claims, n=5, cutoff=0.4)
    raise KeyError(f"no claim {claim_id!r}" + (f"; did you mean {', '.join(near)}?" if near else ""))
