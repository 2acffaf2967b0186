"""What the papers claim, as users ask for it: a claim by its id, and the verdict on it."""

from __future__ import annotations

from dataclasses import replace

from fltheory.case import Case, Instance
from fltheory.claim import ERROR_RATE, Claim, check
from fltheory.evidence.verdict import Verdict, decisive
from fltheory.papers import of_paper
from fltheory.papers.brought import LeftOut, named_by
from fltheory.papers.ids import UnknownId, meant
from fltheory.papers.listing import lines
from fltheory.seeds import require_seed


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
    require_seed(seed)
    from fltheory.papers.classes import scoped  # with the worst cases: it waits until a verdict is asked for

    if instance is not None:
        case = instance.with_settings(**settings) if isinstance(instance, Case) else Case(instance, **settings)
        return scoped(claim, check(claim, case, ERROR_RATE, seed))
    cases = claim.all_cases(profile)
    if not cases:
        raise ValueError(f"{claim.id} has no cases of its own: give an instance")
    verdicts = [check(claim, case, ERROR_RATE / len(cases), seed) for case in cases]
    return replace(scoped(claim, decisive(verdicts)), cases=len(cases))


def find(claim_id: str) -> Claim:
    """The claim with this id; an id without a reading is enough where only one reading exists. UnknownId names near ids.

    ``find("mypaper.py:T1")``, ``find("package.claims:T1")``: that of a file or a module, by its id or its name there.
    """
    if not claim_id.strip():
        raise UnknownId("an empty id; the id of a claim, such as sfl/T3-SC@corrected")
    try:
        claim_id, *others = named_by(claim_id)
    except LeftOut as error:
        raise UnknownId(str(error)) from None
    if others:
        raise UnknownId(f"several papers are there, {', '.join((claim_id, *others))}: name one claim by its id")
    found = {claim.id: claim for claim in of_paper(claim_id)}
    if claim_id in found:
        return found[claim_id]
    name = meant(claim_id, [line.id for line in lines()])
    return {claim.id: claim for claim in of_paper(name)}[name]
