"""The recorded proofs as the command line asks for them: chosen by key or name, checked, one row each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from fltheory.lookup import Mistake, suggest
from fltheory.proof import certificates, library, notation, text
from fltheory.proof.check import Report, checked
from fltheory.proof.language import ProofError, Proofs, Theorem
from fltheory.proof.side_by_side import checked_side_by_side

if TYPE_CHECKING:
    from fltheory.claim import Claim
    from fltheory.journal import Row

FEW = 30  # theorems that one process checks sooner than several
PATIENCE = 5.0  # seconds that the page of a claim waits for the theorems under its proof
Target = tuple[Proofs, Theorem]


def chosen(keys: Sequence[str]) -> tuple[Proofs, ...]:
    """The proofs with these keys, all that are registered for none."""
    from fltheory.papers import KEYS

    try:
        known = library.keys()
        for key in keys:
            if key not in (*KEYS, *known):
                one = f"; for one theorem: fltheory proofs --show {key}" if "/" in key else ""
                raise Mistake(f"no paper {key!r}; the papers are {', '.join(dict.fromkeys((*KEYS, *known)))}{one}")
            if key not in known:
                raise Mistake(f"no proofs are registered for {key!r}; there are proofs of {', '.join(known) or 'none'}")
        if not known:
            raise Mistake(f"no proofs are registered: a package with proofs has an entry point {library.GROUP!r}")
        return tuple(library.load(key) for key in dict.fromkeys(keys or known))
    except ProofError as error:
        raise Mistake(str(error)) from None


def named(name: str, sources: Sequence[Proofs]) -> list[Target]:
    """The theorems that a name means; none for a claim without a proof. Mistake names the nearest ids."""
    from fltheory.papers import catalogue

    found = [(proofs, theorem) for proofs in sources for theorem in library.named(proofs, name)]
    claims = [c.id for c in catalogue()]
    if found or any(name in (i, i.split("@")[0]) for i in claims):
        return found
    ids = dict.fromkeys((*(n for proofs in sources for n in library.names(proofs)), *claims))
    raise Mistake(f"no claim {name!r} and no theorem of this name{suggest(name, ids)}")


def everything(sources: Sequence[Proofs]) -> list[Target]:
    """All theorems, in the papers' order."""
    return [(proofs, theorem) for proofs in sources for theorem in proofs.theorems]


def check(targets: Sequence[Target]) -> Iterator[Report]:
    """The reports of the theorems, in their order, one by one; what they rest on is checked too."""
    try:
        for proofs in {p.key: p for p, _ in targets}.values():
            own = [t for p, t in targets if p.key == proofs.key]
            ids = {t.id for t in own}
            wanted = library.foundation(proofs, *own)
            jobs = _jobs(proofs, len(wanted))
            reports = checked(proofs, wanted) if jobs == 1 else checked_side_by_side(proofs, wanted, jobs)
            yield from (r for r in reports if r.theorem.id in ids)
    except ProofError as error:
        raise Mistake(str(error)) from None


def _jobs(proofs: Proofs, count: int) -> int:
    """Processes for so many theorems: one for a few, and for proofs that other processes can't load by their key."""
    if count < FEW or proofs.key not in library.registered() or library.load(proofs.key) is not proofs:
        return 1
    import joblib

    return int(joblib.cpu_count())


def row(report: Report) -> Row:
    """What the JSON file says of a theorem."""
    count = report.count
    return {
        "theorem": report.theorem.id, "paper": report.theorem.paper, "verdict": report.verdict, "scope": report.scope,
        "steps": len(report.steps), "proved": count("PROVED"), "assumed": count("ASSUMED"), "unknown": count("UNKNOWN"),
        "refuted": count("REFUTED"), "seconds": round(report.seconds, 4),
    }  # fmt: skip


def pages(name: str, targets: Sequence[Target], reports: Sequence[Report], width: int) -> list[str]:
    """The proofs that a name means, as text."""
    lines: list[str] = []
    for (proofs, theorem), report in zip(targets, reports, strict=True):
        try:
            found = certificates.load(proofs.certificates, theorem.id)
        except ProofError:  # the report says so
            found = {}
        lines += ["", ""] if lines else []
        lines += text.page(report, notation.letters_of(proofs, theorem), found, width)
    return lines or [f"no proof recorded of {name}"]


def line(claim: Claim) -> str:
    """What is known of a claim's proof: checked on the spot where that is quick, else as recorded."""
    try:
        if claim.paper not in library.registered():
            return "no proof recorded"
        proofs = library.load(claim.paper)
    except ProofError as error:
        return f"no proof: {error}"
    of_claim = [t for t in proofs.theorems if t.claim == claim.id]
    if not of_claim:
        others = sorted({t.claim for t in proofs.theorems if t.claim.split("@")[0] == claim.id.split("@")[0]})
        return "no proof recorded" + (f" of this reading, but of {', '.join(others)}" if others else "")
    whole = [t for t in of_claim if t.bound is not None]  # states the claim's own formula
    parts = [f"{t.id} proves a part of it" for t in of_claim if t.bound is None]
    return "; ".join([_verdict(proofs, t) for t in whole] or ["no proof recorded of all of it", *parts])


def _verdict(proofs: Proofs, theorem: Theorem) -> str:
    how = f"fltheory proofs --show {theorem.id}"
    report = library.check_with_foundation(proofs, theorem, PATIENCE)
    if report is not None:
        return f"{text.verdict(report)} (checked now; {how})"
    verdict, scope = library.recorded(proofs, theorem)
    return f"recorded as {verdict}, {scope}; {text.number_of(len(theorem.steps), 'step')} (not checked now; {how})"
