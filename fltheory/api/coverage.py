"""Coverage of the catalogue: which claims are proved or refuted for all parameters, and which are open; from records.

It reads recorded data: the verdicts of theorems, their hypotheses and gaps, and the evidence of the cases.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from fltheory.api.proofs import Target
from fltheory.model.case import Case
from fltheory.model.schema import all_records
from fltheory.proof import library, text
from fltheory.proof.language import ALL_PARAMETERS, Proofs
from fltheory.proof.matching import matching
from fltheory.proof.matching import restrictions as restricted
from fltheory.proof.matching.restrictions import restrictions

if TYPE_CHECKING:
    from fltheory.claims.claim import Claim

Standing = Literal["proved", "cases", "range", "supposing", "refuted", "counterexample", "nature", "words", "open"]
STANDING_MEANINGS: dict[Standing, str] = {
    "proved": "proved for all parameters",
    "cases": "about finitely many cases, each of which was decided exactly",
    "range": "proved on a range of its parameters",
    "supposing": "proved under extra hypotheses, or from an assumed step",
    "refuted": "false, and refuted by a theorem",
    "counterexample": "false, and refuted by an exact case",
    "nature": "not provable: an experiment, or another paper's result",
    "words": "named by a theorem whose statement is not compared with its formula: a part of it, or a restatement",
    "open": "open: no theorem proves all bounds of this reading, and no exact case refutes it",
}
UNPROVABLE_KINDS = ("experiment", "external")
EXACT_EVIDENCE = ("exact", "numerical", "sampled")


@dataclass(frozen=True)
class ClaimStanding:
    """The standing of a claim, with a reason in words (empty if the standing says all)."""

    claim: Claim
    standing: Standing
    why: str = ""


def coverage(claims: Iterable[Claim]) -> tuple[ClaimStanding, ...]:
    """Return the standing of each claim, in order."""
    asked = tuple(claims)
    proofs = _proofs({claim.paper for claim in asked})
    theorems = _theorems(proofs)
    reasons = {claim: why for one in proofs for claim, why in one.unproved.items()}
    found = (claim_standing(claim, theorems) for claim in asked)
    return tuple(replace(c, why=reasons.get(c.claim.id, c.why)) if c.standing == "open" else c for c in found)


def _proofs(papers: Collection[str]) -> tuple[Proofs, ...]:
    """Return the proofs of these papers, and those of other packages."""
    from fltheory.claims.catalogue import KEYS

    return tuple(library.load(key) for key in library.entry_points_by_key() if key in papers or key not in KEYS)


def _theorems(proofs: Iterable[Proofs]) -> dict[str, list[Target]]:
    """Return the theorems on each claim, by its id."""
    found: dict[str, list[Target]] = {}
    for one in proofs:
        for theorem in one.theorems:
            found.setdefault(theorem.claim, []).append((one, theorem))
    return found


def standing_counts(found: Sequence[ClaimStanding]) -> dict[tuple[str, str], dict[Standing, int]]:
    """Return the number of claims by paper, kind and standing."""
    counts: dict[tuple[str, str], dict[Standing, int]] = {}
    for one in found:
        row = counts.setdefault((one.claim.paper, one.claim.kind), dict.fromkeys(STANDING_MEANINGS, 0))
        row[one.standing] += 1
    return counts


def claim_standing(claim: Claim, theorems: Mapping[str, Sequence[Target]]) -> ClaimStanding:
    """Return the standing of a claim from the theorems on each claim."""
    if claim.kind in UNPROVABLE_KINDS or claim.measure is None:
        return ClaimStanding(claim, "nature", claim.kind)
    targets = theorems.get(claim.id, ())
    by_bound = [[(p, t) for p, t in targets if t.bound == bound] for bound in claim.bounds]
    if claim.entry.recorded == "violated":
        return _false_claim_standing(claim, [t for own in by_bound for t in own])
    each = [_bound_standing(own) for own in by_bound]
    worst = max(each, key=lambda one: _STANDING_ORDER.index(one[0]))
    if worst[0] != "open":
        return ClaimStanding(claim, *worst)
    if any(standing != "open" for standing, _ in each):
        done = sum(standing != "open" for standing, _ in each)
        return ClaimStanding(claim, "open", f"proved: {done} of its {len(each)} bounds")
    if _is_decided(claim):
        return ClaimStanding(claim, "cases", "exact")
    if targets:
        return ClaimStanding(claim, "words", ", ".join(t.id for _, t in targets))
    others = [name for name in theorems if name.partition("@")[0] == claim.id.partition("@")[0]]
    return ClaimStanding(claim, "open", f"proofs of another reading: {', '.join(others)}" if others else "")


_STANDING_ORDER: tuple[Standing, ...] = ("proved", "range", "supposing", "open")


def _false_claim_standing(claim: Claim, targets: Sequence[Target]) -> ClaimStanding:
    refuting = [t.id for _, t in targets if t.recorded == "REFUTED"]
    if refuting:
        return ClaimStanding(claim, "refuted", ", ".join(refuting))
    evidence = _recorded_evidence(claim)
    return ClaimStanding(
        claim,
        "counterexample" if evidence and all(e in EXACT_EVIDENCE for e in evidence) else "open",
        ", ".join(evidence),
    )


def _is_decided(claim: Claim) -> bool:
    """Return whether the claim is about finitely many cases, all stored and decided exactly."""
    kinds = {type(case.instance) for case in claim.cases}
    records = all_records(kinds.pop()) if len(kinds) == 1 else None
    if records is None or any(case.settings for case in claim.cases) or any(b.conditions for b in claim.bounds):
        return False
    stored = {case.instance for case in claim.cases}
    meant = {r for r in records if not any(a.failed(Case(r), claim.algorithm) for a in claim.assumptions)}
    return meant <= stored and _recorded_evidence(claim) == ("exact",)


def _recorded_evidence(claim: Claim) -> tuple[str, ...]:
    """Return the kinds of evidence of the recorded verdicts on its cases."""
    from fltheory.claims import stored_results

    record = stored_results.recorded_results(claim.paper).get(claim.id)
    return tuple(part.strip() for part in record.evidence.partition(";")[0].split(",")) if record else ()


def _bound_standing(targets: Sequence[Target]) -> tuple[Standing, str]:
    """Return the standing of one bound from the best complete theorem on it, or from all together."""
    proved = [(p, t) for p, t in targets if t.recorded == "PROVED"]
    full = [(p, t) for p, t in proved if not restrictions(t) and library.recorded_outcome(p, t)[1] == ALL_PARAMETERS]
    if any(not matching.suppositions(t) for _, t in full):
        return "proved", ""
    if full:
        return "supposing", _extra_hypotheses(full[0])
    if proved:
        whole = restricted.is_complete(tuple(t for _, t in proved))
        scopes = [library.recorded_outcome(p, t)[1] for p, t in proved]
        if (
            whole
            and all(scope == ALL_PARAMETERS for scope in scopes)
            and not any(matching.suppositions(t) for _, t in proved)
        ):
            return "proved", "case by case"
        told = [text.scope_text(t, s, text.notation_of(p, t)) for (p, t), s in zip(proved, scopes, strict=True)]
        return "range", "; ".join(dict.fromkeys(told))
    assumed = [t for _, t in targets if t.recorded == "ASSUMED"]
    return ("supposing", f"{assumed[0].id} rests on a step that is assumed") if assumed else ("open", "")


def _extra_hypotheses(target: Target) -> str:
    proofs, theorem = target
    letters = text.notation_of(proofs, theorem)
    return "; ".join(f"{text.supposition_text(h, letters)}: {h.why}" for h in matching.suppositions(theorem))
