"""Public entry points: find a claim by id and verify it.

``verdict_on`` is the only evaluation of a case: every command uses it for a claim's own cases, so that they never
contradict each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from fltheory.claims.catalogue import claims_of_paper
from fltheory.claims.check import CASE_RATE, check_claim
from fltheory.claims.claim import Claim
from fltheory.claims.ids import UnknownId, resolve_id
from fltheory.claims.index import lines
from fltheory.claims.plugins import PluginError, resolve_selector
from fltheory.evidence.verdict import Verdict, decisive_verdict
from fltheory.model.case import Case, Instance
from fltheory.seeds import require_seed
from fltheory.symbols import VOCABULARY
from fltheory.verification.settings import at_constants, parse_settings
from fltheory.work import spend, work_limit

MAX_CACHED_VERDICTS = 2_000  # verdicts that are cached
_verdict_cache: dict[Any, tuple[Verdict, float, Claim]] = {}  # with the work that they took, by the claim itself


def verify(
    claim: Claim | str,
    instance: Instance | Case | None = None,
    *,
    seed: int = 0,
    profile: str = "quick",
    **settings: object,
) -> Verdict:
    """Check a claim on one case, or on all its own cases.

    Parameters
    ----------
    claim : Claim or str
        The claim or its id.
    instance : instance or Case, optional
        The instance to check; by default the claim's own cases are checked and the verdict is the one that decides.
    seed : int
        Seed of all random numbers.
    profile : {"quick", "full"}
        Which of the claim's own cases are checked.
    **settings : int, float, str, Fraction
        Free constants, by canonical name or by the paper's letter; without an instance they replace those of the claim's
        own cases.

    Returns
    -------
    Verdict
        Status, ratio and evidence.

    Raises
    ------
    ValueError
        If a setting is not a constant, or not a free one.

    Examples
    --------
    >>> from fltheory import verify
    >>> verify("sfl/T3-SC@corrected").status
    'holds'
    >>> verify("sfl/T3-GC@printed", n_rounds=10).evidence
    'exact'
    """
    if isinstance(claim, str):
        claim = find(claim)
    if not isinstance(claim, Claim):
        raise ValueError(f"claim must be a Claim or the id of one, got {claim!r}")
    if profile not in ("quick", "full"):
        raise ValueError(f"profile must be quick or full, got {profile!r}")
    require_seed(seed)
    if instance is not None:
        case = instance if isinstance(instance, Case) else Case(instance)
        return verdict_on(claim, _case_with_settings(claim, case, settings), seed)
    cases = claim.all_cases(profile)
    if not cases:
        raise ValueError(f"{claim.id} has no cases of its own: give an instance")
    if settings:
        values = parse_settings(claim, settings)
        cases = tuple(dict.fromkeys(at_constants(claim, case, values) for case in cases))
    verdicts = [verdict_on(claim, case, seed) for case in cases]
    within_it = [v for v in verdicts if v.status != "inapplicable"] if settings else verdicts
    told = replace(decisive_verdict(within_it or verdicts), cases=len(within_it or verdicts))
    return replace(told, recorded=None) if settings else told  # recorded verdicts are about the claim's own cases


def _case_with_settings(claim: Claim, case: Case, settings: dict[str, object]) -> Case:
    """Return a user's case with settings by name or the paper's symbol."""
    if settings.keys() <= VOCABULARY.keys():
        return case.with_settings(**settings)
    return case.with_settings(**{s.name: v for s, v in parse_settings(claim, settings).items()})


def verdict_on(claim: Claim, case: Case, seed: int = 0) -> Verdict:
    """Return the verdict on a case, with the class for which the bound is also proved.

    It errs with probability at most CASE_RATE, however many are requested. It is computed once in a process; a repeated
    request counts as the same work.
    """
    try:
        name = (id(claim), case, seed)  # that very claim, which the cache keeps: equal ones may see other globals later
        known = _verdict_cache.get(name)
    except TypeError:  # a user's instance without a hash
        return _checked(claim, case, seed)
    if known is not None:
        spend(known[1])
        return known[0]
    with work_limit() as meter:
        verdict = _checked(claim, case, seed)
    _verdict_cache[name] = verdict, meter.spent, claim
    while len(_verdict_cache) > MAX_CACHED_VERDICTS:
        del _verdict_cache[next(iter(_verdict_cache))]
    return verdict


def _checked(claim: Claim, case: Case, seed: int) -> Verdict:
    from fltheory.worst_case.claims.certified import with_class_scope

    verdict = check_claim(claim, case, CASE_RATE, seed)
    return with_class_scope(claim, verdict)


def own_verdicts(claim: Claim, seed: int = 0, profile: str = "quick") -> Iterator[Verdict]:
    """Yield the verdicts on the claim's own cases."""
    return (verdict_on(claim, case, seed) for case in claim.all_cases(profile))


def find(claim_id: str) -> Claim:
    """Return the claim with an id.

    Parameters
    ----------
    claim_id : str
        ``"paper/place@reading"``; the reading may be left out if there is only one. Also ``"mypaper.py:T1"`` or
        ``"package.claims:T1"``, for a claim of a file or a module by its id or its name there.

    Returns
    -------
    Claim
        The claim.

    Raises
    ------
    UnknownId
        If there is no such claim; the message names the nearest ids.

    Examples
    --------
    >>> from fltheory import find
    >>> find("sfl/T3-SC@corrected").id
    'sfl/T3-SC@corrected'
    """
    if not claim_id.strip():
        raise UnknownId("an empty id; the id of a claim, such as sfl/T3-SC@corrected")
    try:
        claim_id, *others = resolve_selector(claim_id)
    except PluginError as error:
        raise UnknownId(str(error)) from None
    if others:
        raise UnknownId(f"several papers are there, {', '.join((claim_id, *others))}: name one claim by its id")
    found = {claim.id: claim for claim in claims_of_paper(claim_id)}
    if claim_id in found:
        return found[claim_id]
    name = resolve_id(claim_id, [line.id for line in lines()])
    return {claim.id: claim for claim in claims_of_paper(name)}[name]
