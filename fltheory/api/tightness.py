"""The tightness of a claim: recorded results, or a check of its cases now."""

from __future__ import annotations

from fltheory.api.vacuity import trivial_bound_lines
from fltheory.claims.catalogue import KEYS
from fltheory.claims.claim import Claim
from fltheory.claims.plugins import registered
from fltheory.claims.stored_results import RecordedResult, recorded_results
from fltheory.evidence.verdict import STATUSES, ratio_text
from fltheory.verification import own_verdicts, verdict_on

PROOF_ENTRY_POINTS = "fltheory.proofs"  # entry points of packages with proofs
CHECK_COMMAND = "fltheory show --check"


def has_external_proofs() -> bool:
    """Return whether other packages have proofs too, without recorded results."""
    return any(point.name not in KEYS for point in registered(PROOF_ENTRY_POINTS))


def recorded_result(claim: Claim) -> RecordedResult | None:
    """Return the recorded result of a library claim; None for a variant, a plugin, or with foreign proofs."""
    if has_external_proofs():
        return None
    own = claim.paper in KEYS and claim.entry.claim is claim  # a variant keeps the id but has no record
    return recorded_results(claim.paper).get(claim.id) if own else None


def tightness_lines(claim: Claim, now: bool) -> list[str]:
    """Return the lines on a claim's tightness; ``now``: its cases are checked now, else the record is used."""
    return computed_ratio_lines(claim) if now else recorded_ratio_lines(claim, recorded_result(claim))


def _unmeasured_lines(claim: Claim) -> list[str]:
    """Return why nothing is measured for a claim, if so."""
    if claim.measure is None:
        return ["an external result: compared and plotted, not asserted"]
    return [] if claim.cases else ["no cases of its own"]


def _sign(claim: Claim) -> str:
    return "limit / measured" if claim.bound.side == "lower" else "measured / limit"


def recorded_ratio_lines(claim: Claim, known: RecordedResult | None) -> list[str]:
    """Return the recorded ratio over the claim's own cases; runs nothing."""
    lines = [claim.remark] if claim.remark else []
    if why := _unmeasured_lines(claim):
        return lines + why
    if known is not None and known.worst:
        of = "1 case" if len(claim.cases) == 1 else f"{len(claim.cases)} cases"
        lines.append(f"recorded: worst {_sign(claim)} over {of}: {known.worst} ({known.evidence})")
    lines += trivial_bound_lines(claim)
    if claim.tightest is not None:
        lines.append(f"tightest case known: {claim.tightest.arguments()}")
    how = f"{CHECK_COMMAND} {claim.id}" if claim.entry.claim is claim else "show(claim, check=True)"
    return [*lines, f"nothing was run now; {how} runs it"]


def computed_ratio_lines(claim: Claim) -> list[str]:
    """Return the ratio over the claim's own cases, checked now, and where the bound is vacuous."""
    lines = [claim.remark] if claim.remark else []
    if why := _unmeasured_lines(claim):
        return lines + why
    verdicts = list(own_verdicts(claim))
    of = "its case" if len(verdicts) == 1 else f"its {len(verdicts)} cases"
    ratios = [v.ratio for v in verdicts if v.ratio is not None]
    if ratios:
        kinds = "+".join(sorted({v.evidence for v in verdicts if v.evidence}))
        span = f"{ratio_text(min(ratios))} to {ratio_text(max(ratios))}"
        lines.append(f"computed now: {_sign(claim)} over {of}: {span} ({kinds})")
    for status in STATUSES:
        found = [v for v in verdicts if v.status == status]
        if found and status != "holds":
            lines.append(f"{status} in {len(found)} of them, such as {found[0].case.arguments()}")
    if ratios and not any(v.status == "vacuous" for v in verdicts):
        lines.append("vacuous in none of them")
    return lines + _tightest(claim)


def _tightest(claim: Claim) -> list[str]:
    """Return the tightest case from long searches, and whether the bound is vacuous there."""
    if claim.tightest is None:
        return []
    verdict = verdict_on(claim, claim.tightest)
    ratio = "" if not verdict.ratio else f"limit is {1 / verdict.ratio:.4g} times the measured value"
    vacuous = ", though vacuous there" if verdict.status == "vacuous" else ""
    return [f"tightest case known: {ratio} ({verdict.evidence}{vacuous}), at {claim.tightest.arguments()}"]
