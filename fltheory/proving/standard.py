"""Textbook facts that every search may apply: their proofs are part of what is found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from fltheory.proof.check import check_theorem
from fltheory.proof.facts.draws import NOISE, PAIR, ROW, ROW_FROM_1, SAMPLED, SUM
from fltheory.proof.facts.products import ABOVE, BELOW, LENGTHS, MEANS, NORMS, ROOTS, SUMS, TRIANGLE
from fltheory.proof.facts.squares import CAUCHY, SIGN
from fltheory.proof.facts.sums import ONE
from fltheory.proof.find import find_certificates
from fltheory.proof.language import Apply, Given, Theorem
from fltheory.proof.report import Report
from fltheory.proof.terms import Dot, Draw, E, Total

NOISES, DRAWN = (ROW, ROW_FROM_1, NOISE), (PAIR, SUM, SAMPLED)
FACTS = (ONE, SIGN, CAUCHY, LENGTHS, SUMS, MEANS, ROOTS, TRIANGLE, NORMS, BELOW, ABOVE, *NOISES, *DRAWN)
NAMED = (SIGN, ROOTS, NORMS, BELOW, ABOVE, *NOISES, SUM, SAMPLED)  # applied by the tactics that name them
APPLIED = (
    (ONE, Total),
    (CAUCHY, Dot),
    (LENGTHS, Dot),
    (SUMS, Total),
    (MEANS, E),
    *((fact, Draw) for fact in DRAWN),
)  # in a search, to what it speaks of


def under(key: str, theorem: Theorem) -> Theorem:
    """Return a fact under the key of a statement, so that one file may have both."""
    steps = tuple(
        replace(s, rule=replace(s.rule, theorem=_renamed(key, s.rule.theorem))) if isinstance(s.rule, Apply) else s
        for s in theorem.steps
    )
    return replace(theorem, id=_renamed(key, theorem.id), steps=steps)


def _renamed(key: str, name: str) -> str:
    return f"{key}/{name.split('/')[1]}"


def facts(theorem: Theorem) -> tuple[Theorem, ...]:
    """Return the facts that a search for a proof of a theorem applies, under its key."""
    sides = [theorem.statement.left, theorem.statement.right]
    sides += [side for h in theorem.hypotheses if isinstance(h, Given) for side in (h.relation.left, h.relation.right)]
    return tuple(_fact(theorem.paper, fact.id) for fact, kind in APPLIED if any(side.has(kind) for side in sides))


def named(key: str) -> tuple[Theorem, ...]:
    """Return the facts that tactics apply by their names, under a key."""
    return tuple(_fact(key, fact.id) for fact in NAMED)


def name_of(fact: Theorem, names: Iterable[str]) -> str | None:
    """Return the one of some names that a fact has under a key."""
    own = fact.id.split("/")[1]
    return next((name for name in names if name.split("/")[1] == own), None)


@cache
def _fact(key: str, name: str) -> Theorem:
    return next(under(key, fact) for fact in FACTS if fact.id == name)


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
