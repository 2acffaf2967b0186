"""Textbook facts that every search may apply: their proofs are part of what is found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from fltheory.proof.check import check_theorem
from fltheory.proof.facts.squares import CAUCHY, SIGN
from fltheory.proof.facts.sums import ONE
from fltheory.proof.find import find_certificates
from fltheory.proof.language import Apply, Theorem
from fltheory.proof.report import Report

FACTS = (ONE, SIGN, CAUCHY)
APPLIED = (ONE, CAUCHY)  # in a search; the others are applied by these


def under(key: str, theorem: Theorem) -> Theorem:
    """Return a fact under the key of a statement, so that one file may have both."""
    steps = tuple(
        replace(s, rule=replace(s.rule, theorem=_renamed(key, s.rule.theorem))) if isinstance(s.rule, Apply) else s
        for s in theorem.steps
    )
    return replace(theorem, id=_renamed(key, theorem.id), steps=steps)


def _renamed(key: str, name: str) -> str:
    return f"{key}/{name.split('/')[1]}"


@cache
def facts(key: str) -> tuple[Theorem, ...]:
    """Return the facts that a search applies, under a key."""
    return tuple(under(key, fact) for fact in APPLIED)


@cache
def checked(key: str, names: frozenset[str]) -> tuple[Report, ...]:
    """Return the reports of some facts, after those that they apply."""
    own = {t.id: t for t in (under(key, fact) for fact in FACTS)}
    wanted = _with_applied(own, [name for name in own if name in names])
    reports: dict[str, Report] = {}
    for name in (n for n in own if n in wanted):
        reports[name] = check_theorem(own[name], find_certificates(own[name], reports), reports)
    return tuple(reports.values())


def _with_applied(own: dict[str, Theorem], names: Iterable[str]) -> set[str]:
    found, stack = set[str](), list(names)
    while stack:
        name = stack.pop()
        if name in own and name not in found:
            found.add(name)
            stack += [s.rule.theorem for s in own[name].steps if isinstance(s.rule, Apply)]
    return found
