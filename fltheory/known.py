"""What the papers claim, as users ask for it: a claim by its id, and the verdict on it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import replace
from itertools import zip_longest

from fltheory.case import Case, Instance
from fltheory.claim import ERROR_RATE, Claim, check
from fltheory.evidence.verdict import Verdict, decisive
from fltheory.number.numeral import clipped
from fltheory.papers import catalogue, of_paper
from fltheory.papers.brought import LeftOut, named_by

NEAREST, BEGUN = 5, 10  # ids that are suggested at most: near ones, and those that begin with what was typed


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


class UnknownId(KeyError):
    """No claim has this id, or several have: one line says why, and which ids are near."""

    def __str__(self) -> str:
        return str(self.args[0])


def find(claim_id: str) -> Claim:
    """The claim with this id; an id without a reading is enough where only one reading exists. UnknownId names near ids.

    ``find("mypaper.py:T1")``, ``find("package.claims:T1")``: that of a file or a module, by its id or its name there.
    """
    if not claim_id.strip():
        raise UnknownId("an empty id; the id of a claim, such as sfl/T3-SC@corrected")
    try:
        claim_id = " ".join(named_by(claim_id))
    except LeftOut as error:
        raise UnknownId(str(error)) from None
    for claim in of_paper(claim_id):
        if claim.id == claim_id:
            return claim
    claims = {c.id: c for c in catalogue()}
    readings = [i for i in claims if without_reading(i) == claim_id]
    if len(readings) == 1:
        return claims[readings[0]]
    if readings:
        raise UnknownId(f"{claim_id} has {len(readings)} readings, choose one: {', '.join(readings)}")
    family = list(dict.fromkeys(map(without_reading, family_of(claim_id, claims))))
    if family:
        raise UnknownId(f"{claim_id} is a family of {len(family)} ids, choose one: {', '.join(family)}")
    raise UnknownId(f"no claim {clipped(claim_id)!r}{suggest(claim_id, claims)}")


def without_reading(claim_id: str) -> str:
    """What an id is before its reading."""
    return claim_id.partition("@")[0]


def family_of(name: str, ids: Iterable[str]) -> list[str]:
    """The ids that begin with a name and a hyphen: ``sfl/TAB1`` names every ``sfl/TAB1-...``, as no claim has that id."""
    return [i for i in ids if "/" in name and i.startswith(f"{name}-")]


def suggest(word: str, known: Iterable[str]) -> str:
    """What to add to a message about an unknown id: those that begin so, with or without their paper's key, or the nearest."""
    known = list(known)
    if near := _begun(word, known):
        first = _a_share_each(near, BEGUN)
        more = f" and {len(near) - len(first)} more" if len(near) > len(first) else ""
        return f"; the nearest are {', '.join(first)}{more}"
    folded: dict[str, list[str]] = {}
    for name in known:
        for form in (name, without_reading(name), name.split("/")[-1], without_reading(name.split("/")[-1])):
            folded.setdefault(form.lower(), []).append(name)
    forms = difflib.get_close_matches(word.lower(), folded, n=NEAREST, cutoff=0.4)
    near = list(dict.fromkeys(name for form in forms for name in folded[form]))[:NEAREST]
    return f"; the nearest are {', '.join(near)}" if near else "; 'fltheory list' shows all"


def _begun(word: str, known: Iterable[str]) -> list[str]:
    """The ids that begin with a word, without their reading if the word has none: itself first, then its family."""
    word = word.strip().lower()
    if not word:
        return []

    def spelled(name: str) -> str:
        return name.lower() if "/" in word else name.lower().split("/")[-1]

    begun = [i for i in known if spelled(i).startswith(word) or i.lower().startswith(word)]
    named = dict.fromkeys(begun if "@" in word else map(without_reading, begun))
    return sorted(named, key=lambda i: (spelled(i) != word, not spelled(i).startswith(f"{word}-")))


def _a_share_each(ids: Iterable[str], most: int) -> list[str]:
    """At most so many ids, the papers among them by turns, in the order in which they stand."""
    papers: dict[str, list[str]] = {}
    for name in ids:
        papers.setdefault(name.partition("/")[0], []).append(name)
    turns = [name for turn in zip_longest(*papers.values()) for name in turn if name is not None][:most]
    return [name for names in papers.values() for name in names if name in turns]
