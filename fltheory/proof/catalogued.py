"""Refutations by the catalogue: a printed statement is false where its claim is violated on a stored case, exactly."""

from __future__ import annotations

from fltheory.proof import language as lang


def violated(rule: lang.Violated) -> str | None:
    """None if a stored case of the claim violates it by exact evidence, else the reason why that isn't so."""
    from fltheory.claim import check, find

    try:
        claim = find(rule.claim)
    except KeyError as error:
        return str(error.args[0])
    found = []
    for case in claim.cases:
        verdict = check(claim, case)
        if verdict.status == "violated" and verdict.evidence == "exact":
            return None
        found.append(f"{verdict.status} ({verdict.evidence})")
    return f"{claim.id} is not violated by exact evidence: " + (", ".join(found) or "it has no cases")
