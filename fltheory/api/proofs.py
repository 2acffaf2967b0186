"""The recorded proofs, chosen by key or name, and checked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from fltheory.claims.catalogue import KEYS
from fltheory.claims.claim import changed_fields
from fltheory.claims.ids import paper_of
from fltheory.model.errors import UserError
from fltheory.proof import certificates, library, models, notation, text
from fltheory.proof.check import check_each
from fltheory.proof.find.of_file import proofs_of_file
from fltheory.proof.language import Outcome, ProofError, Proofs, Theorem
from fltheory.proof.matching import matching
from fltheory.proof.matching import restrictions as restricted
from fltheory.proof.matching.restrictions import restrictions
from fltheory.proof.notation import join_words
from fltheory.proof.parallel import Selection, check_in_parallel, model_statuses_in_parallel
from fltheory.proof.report import OUTCOME_ORDER, Report

if TYPE_CHECKING:
    from fltheory.claims.claim import Claim

MIN_PARALLEL = 30  # theorems that one process checks faster than several
Target = tuple[Proofs, Theorem]


def proofs(*names: str) -> tuple[Report, ...]:
    """Check recorded proofs again: of papers by key, of theorems or claims by id; all without a name.

    UserError, a ValueError, for a name without a proof or an unknown one.
    """
    targets = [target for name in names for target in _resolve(name)] if names else all_theorems(selected_proofs(()))
    return tuple(check_theorems(targets))


def _resolve(name: str) -> list[Target]:
    """Return the theorems of a paper, or those of an id."""
    if "/" not in name or name.endswith(".py"):
        return all_theorems(selected_proofs((name,)))
    own = {paper_of(name)}.intersection(library.keys())  # the other papers need not be loaded
    targets = _theorems_named(selected_proofs(tuple(own)), name) or find_theorems(name, selected_proofs(()))
    if not targets:
        raise UserError(f"no proof recorded of {name}")
    return targets


def selected_proofs(keys: Sequence[str]) -> tuple[Proofs, ...]:
    """Return the proofs with these keys, or all; ``FILE.py`` means those of a file."""
    from fltheory.claims.catalogue import KEYS

    files = [key for key in keys if key.endswith(".py")]
    try:
        if files:
            registered = [key for key in keys if key not in files]
            return (*map(proofs_of_file, dict.fromkeys(files)), *(selected_proofs(registered) if registered else ()))
        known = library.keys()
        for key in keys:
            if not key.strip():
                raise UserError(f"an empty key; the papers are {', '.join(dict.fromkeys((*KEYS, *known)))}")
            if key not in (*KEYS, *known):
                one = f"; for one theorem: fltheory proofs --show {key}" if "/" in key else ""
                raise UserError(f"no paper {key!r}; the papers are {', '.join(dict.fromkeys((*KEYS, *known)))}{one}")
            if key not in known:
                raise UserError(
                    f"no proofs are registered for {key!r}; there are proofs of {', '.join(known) or 'none'}"
                )
        if not known:
            raise UserError(
                f"no proofs are registered: a package with proofs has an entry point {library.ENTRY_POINT_GROUP!r}"
            )
        return tuple(library.load(key) for key in dict.fromkeys(keys or known))
    except ProofError as error:
        raise UserError(str(error)) from None


def find_theorems(name: str, sources: Sequence[Proofs]) -> list[Target]:
    """Return the theorems of a name; none for a claim without a proof. UserError names the nearest ids."""
    from fltheory.claims.ids import suggest
    from fltheory.claims.index import lines

    if not name.strip():
        raise UserError("--show needs the id of a theorem or of a claim, such as sfl/U6")
    if found := _theorems_named(sources, name):
        return found
    claims = [line.id for line in lines()]
    if any(name in (i, i.split("@")[0]) for i in claims):
        return []
    ids = dict.fromkeys((*(n for proofs in sources for n in library.theorem_names(proofs)), *claims))
    raise UserError(f"no claim {name!r} and no theorem of this name{suggest(name, ids)}")


def _theorems_named(sources: Sequence[Proofs], name: str) -> list[Target]:
    return [(proofs, theorem) for proofs in sources for theorem in library.match_theorems(proofs, name)]


def all_theorems(sources: Sequence[Proofs]) -> list[Target]:
    """Return all theorems, in the papers' order."""
    return [(proofs, theorem) for proofs in sources for theorem in proofs.theorems]


def check_theorems(targets: Sequence[Target]) -> Iterator[Report]:
    """Yield the reports of the theorems, in order; theorems that they use are checked too."""
    ids = {t.id for _, t in targets}
    try:
        papers = [(proofs, library.with_dependencies(proofs, *own)) for proofs, own in _by_paper(targets)]
        jobs = _jobs(papers)
        reports = check_in_parallel(papers, jobs) if jobs > 1 else (r for p, own in papers for r in check_each(p, own))
        yield from (r for r in reports if r.theorem.id in ids)
    except ProofError as error:
        raise UserError(str(error)) from None


def _by_paper(targets: Sequence[Target]) -> list[Selection]:
    """Return the theorems of each paper."""
    return [(proofs, [t for p, t in targets if p is proofs]) for proofs in {id(p): p for p, _ in targets}.values()]


def _jobs(papers: Sequence[Selection]) -> int:
    """Return the number of processes: one for few theorems, or for proofs that other processes can't load."""
    apart = all(p.key in library.entry_points_by_key() and library.load(p.key) is p for p, _ in papers)
    if not apart or sum(len(own) for _, own in papers) < MIN_PARALLEL:
        return 1
    import joblib

    return int(joblib.cpu_count())


def model_summary(targets: Sequence[Target]) -> str:
    """Return how many theorems have a model of their hypotheses, on one line."""
    papers = _by_paper(targets)
    jobs = _jobs(papers)
    if jobs > 1:
        return models.summary(model_statuses_in_parallel(papers, jobs))
    return models.summary([models.model_status(proofs, t) for proofs, own in papers for t in own])


def proof_pages(name: str, targets: Sequence[Target], reports: Sequence[Report], width: int) -> list[str]:
    """Return the proofs of a name, as text."""
    lines: list[str] = []
    for (proofs, theorem), report in zip(targets, reports, strict=True):
        try:
            found = certificates.load(proofs.certificates, theorem.id)
        except ProofError:  # the report says so
            found = {}
        lines += ["", ""] if lines else []
        model = models.model_status_text(proofs, theorem)
        lines += text.proof_text_lines(report, text.notation_of(proofs, theorem), found, width, model)
    return lines or [f"no proof recorded of {name}"]


# Proof status of a claim -----------------------------------------------------------------------------------------


def proof_status_lines(claim: Claim, now: bool) -> list[str]:
    """Return a claim's proof status in a line, then what is compared and assumed for each bound.

    A claim is proved if each of its bounds is. ``now``: theorems are checked now, else read from the record.
    """
    changed = changed_fields(claim)
    if changed:
        return [f"no proof recorded: the claim is changed ({join_words(changed)})"]
    try:
        targets = theorems_on(claim)
    except ProofError as error:
        return [f"no proof: {error}"]
    whole = [[(p, t) for p, t in targets if t.bound == bound] for bound in claim.bounds]
    parts = [_partial_proof_note(t) for _, t in targets if t.bound is None]
    found = [_bound_outcome(own, now) for own in whole]
    if not any(whole):
        others = sorted({t.claim for p, t in theorems_on(claim, any_reading=True)})
        if targets or not others:
            return ["; ".join([f"no proof recorded{' of all of it' if parts else ''}", *parts])]
        return [f"no proof recorded of this reading, but of {', '.join(others)}"]
    if len(claim.bounds) == 1:
        return ["; ".join([found[0][1], *parts]), *found[0][2]]
    outcomes = [outcome for outcome, _, _ in found]
    settled = [o for o in outcomes if o is not None]
    if len(settled) == len(outcomes):
        first = f"{min(settled, key=OUTCOME_ORDER.index)}, each of its {len(outcomes)} bounds"
    else:
        first = f"no proof recorded of all of it, of {len(settled)} of its {len(outcomes)} bounds alone"
    lines = ["; ".join([first, *parts])]
    for number, (_, text_of_it, more) in enumerate(found, 1):
        lines += [f"bound {number} ({claim.bounds[number - 1].side}): {text_of_it}", *(f"  {m}" for m in more)]
    return lines


def theorems_on(claim: Claim, any_reading: bool = False) -> list[Target]:
    """Return the theorems on a claim from its paper and other packages. ProofError if they can't be read.

    There is none on a claim that is changed, or that takes the key of a paper which does not list it.
    """
    if changed_fields(claim) or (claim.paper in KEYS and claim.entry.claim is None):
        return []
    name = claim.id.split("@")[0] if any_reading else claim.id
    found = []
    for key in library.entry_points_by_key():
        if key == claim.paper or key not in KEYS:
            proofs = library.load(key)
            found += [(proofs, t) for t in proofs.theorems if name in (t.claim, t.claim.split("@")[0] * any_reading)]
    return found


def _partial_proof_note(theorem: Theorem) -> str:
    does = "refutes" if theorem.recorded == "REFUTED" else "proves"
    return f"{theorem.id} {does} a part of it" + (f" ({theorem.note})" if theorem.note else "")


def _bound_outcome(targets: Sequence[Target], now: bool) -> tuple[Outcome | None, str, list[str]]:
    """Return the outcome of the complete theorems on one bound, remarks on it, and the details."""
    if not targets:
        return None, "no proof recorded", []
    each = [_verdict(proofs, theorem, now) for proofs, theorem in targets]
    full = [o for o, (_, t) in zip((o for o, _ in each), targets, strict=True) if not restrictions(t)]
    whole = restricted.is_complete(tuple(t for _, t in targets))
    outcome = (max if full else min)(full or [o for o, _ in each], key=OUTCOME_ORDER.index) if whole else None
    details = [line for proofs, theorem in targets for line in _details(proofs, theorem)]
    cases = (
        f"{outcome} in {len(targets)} cases that leave nothing out: "
        if outcome and len(targets) > 1 and not full
        else ""
    )
    return outcome, cases + "; ".join(said for _, said in each), details


def _details(proofs: Proofs, theorem: Theorem) -> list[str]:
    """Return what a theorem compares with the bound, its reading of symbols, and its extra hypotheses."""
    letters = text.notation_of(proofs, theorem)
    reading = [
        f"{notation.term_text(s, letters)} read as {notation.term_text(v, letters)}"
        for s, v in restricted.reading_of(theorem).items()
    ]
    about = (
        []
        if theorem.recorded == "REFUTED"
        else ["of " + ", ".join([notation.term_text(theorem.quantity, letters), *reading])]
    )
    return [
        *about,
        *(f"supposing {text.supposition_text(h, letters)}: {h.why}" for h in matching.suppositions(theorem)),
    ]


def _verdict(proofs: Proofs, theorem: Theorem, now: bool) -> tuple[Outcome, str]:
    how = f"fltheory proofs --show {theorem.id}"
    letters = text.notation_of(proofs, theorem)
    if now:
        report = library.check_with_dependencies(proofs, theorem)
        return report.verdict, f"{text.verdict_text(report, letters)} (checked now; {how})"
    verdict, scope = library.recorded_outcome(proofs, theorem)
    said = text.verdict_word(theorem, verdict, letters)
    scope = text.scope_text(theorem, scope, letters)
    steps = text.count_noun(len(theorem.steps), "step")
    return verdict, f"recorded as {said}, {scope}; {steps} (not checked now; {how})"
