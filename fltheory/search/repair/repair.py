"""Repair of a false claim: the smallest changes that agree with all found cases and survive their own search."""

from __future__ import annotations

import math
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from fltheory.claims.claim import Claim
from fltheory.model import html_cards
from fltheory.model.case import Case
from fltheory.search.deadline import (
    DeadlinePassed,
    deadline_of,
    deliver_interrupts,
    has_passed,
    require_seconds,
    stop_at_deadline,
)
from fltheory.search.evaluations import name_broken_check
from fltheory.search.falsifier import case_length
from fltheory.search.history import CheckFailed
from fltheory.search.portfolio import Budget
from fltheory.search.repair.arrays import make_sample
from fltheory.search.repair.trials import (
    MAX_REPAIRS,
    MIN_CHANGE_WORK,
    PRESS_SHARE,
    Repair,
    RepairSearch,
    add_far_facts,
    max_first_work,
)
from fltheory.search.tightness.hardest_cases import FactSearch
from fltheory.search.tightness.terms import NoTerms, whole_bound_terms
from fltheory.verification import find, verdict_on
from fltheory.work import DEFAULT_WORK, BudgetExhausted, require_work, separate_meter

FACTS_SHARE = 0.3  # part of the work for gathering facts
PUSH_SHARE = 0.08  # and for far longer runs
OUT_OF_WORK = "out of work"
TRY_SHARE = 1 - FACTS_SHARE - PUSH_SHARE - PRESS_SHARE  # part of the work reserved for trying changes
FIRST_TRY_WORK = math.ceil(MIN_CHANGE_WORK / TRY_SHARE)  # units for a first trial of a change


@dataclass(frozen=True, repr=False)
class RepairResult:
    """The repairs that survived, the smallest change first; ``refuted`` of the others did not."""

    claim: Claim
    repairs: tuple[Repair, ...]
    refuted: int
    untested: int
    facts: int
    seconds: float
    cases: tuple[Case, ...] = ()  # number of facts
    false: bool = True  # whether one of them breaks the bound
    interrupted: bool = False  # Ctrl-C ended the search early
    untried: str = ""  # why no change was tried: the limit that was reached
    work: int = 0  # units spent
    given: int = 0  # units given
    ended: str = ""  # limit reached before all changes were tried; "" if none

    def __repr__(self) -> str:
        return f"<Mended {self.claim.id}: {len(self.repairs)} repairs>"

    def __str__(self) -> str:
        if not self.false:
            seen = f"{self.facts} cases tell of it, work {self.work}, {self.seconds:.1f} s"
            return f"{self.claim.id}: no case found refutes it ({seen}): there is nothing to repair"
        n = len(self.repairs)
        survive = "1 change survives" if n == 1 else f"{n} changes survive"
        head = f"{self.claim.id}: {survive}, {self.refuted} {'was' if self.refuted == 1 else 'were'} refuted"
        seen = (
            f"{self.facts} facts, work {self.work}, {self.seconds:.1f} s{', interrupted' if self.interrupted else ''}"
        )
        lines = [f"{head}, {self.untested} left untested ({seen})"]
        if self.untried:
            least = f" (--work {FIRST_TRY_WORK} at least)" if self.untried == OUT_OF_WORK else ""
            lines.append(f"nothing was tried yet: {self.untried}{least}")
        else:
            lines.append(
                "none of them is proved: each survived a search, no more" if self.repairs else "nothing survived"
            )
            lines += [self._ended()] if self.ended and self.untested else []
        return "\n".join([*lines, *(f"{i + 1}. {repair}" for i, repair in enumerate(self.repairs))])

    def _ended(self) -> str:
        """Return which limit ended the search before all changes were tried, and how to continue."""
        if self.ended != OUT_OF_WORK:
            return f"it ended {self.ended}: {self.untested} changes are untested"
        more = f"--work {DEFAULT_WORK} is the default" if self.given < DEFAULT_WORK else f"try --work {4 * self.given}"
        return (
            f"it ran out of work: {self.untested} changes are untested; each takes up to {max_first_work(self.given)} "
            f"of the {self.given} units, and {round(100 * TRY_SHARE)} % of them are for that ({more})"
        )

    def _repr_html_(self) -> str:
        first, *rest = str(self).splitlines()
        return html_cards.card(first, [("", html_cards.lines(map(html_cards.escape_text, rest)))])

    def row(self) -> dict[str, Any]:
        """Return the result as JSON."""
        return {
            "id": self.claim.id,
            "repairs": [r.row() for r in self.repairs],
            "refuted": self.refuted,
            "untested": self.untested,
            "facts": self.facts,
            "work": self.work,
            "ended": self.ended or None,
            "seconds": round(self.seconds, 3),
            "interrupted": self.interrupted,
        }


def repair(
    claim: Claim | str,
    *,
    work: int = DEFAULT_WORK,
    seconds: float | None = None,
    seed: int = 0,
    max_cases: int | None = None,
) -> RepairResult:
    """Return the smallest changes of a claim's first bound that survive: a factor, a power, a condition, a term.

    The claim's own cases decide whether it is false, as in every command. First facts are gathered; then each change
    consistent with them is searched on its own, and cases that refute it become facts.
    ``NoTerms`` (a ValueError) if nothing is measured, or only with some probability.
    """
    claim = find(claim) if isinstance(claim, str) else claim
    require_work(work)
    require_seconds(seconds)
    terms = whole_bound_terms(claim)
    if claim.family is None:
        raise NoTerms(f"{claim.id} has no family of instances to search")
    began, deadline = time.perf_counter(), deadline_of(seconds)
    false = interrupted = True
    with deliver_interrupts(), separate_meter() as meter:
        hunt = FactSearch(terms, Budget(FACTS_SHARE * work, meter, deadline), seed, {}, max_cases)
        tries = RepairSearch(hunt, Budget(work, meter, deadline), seed, max_cases)
        with suppress(KeyboardInterrupt, BudgetExhausted):
            false = _is_refuted_by_own_case(claim, seed, deadline)
            hunt.run(claim.all_cases("full"))
            hunt.budget, hunt.most = tries.budget, None
            if hunt.facts:
                tries.far = add_far_facts(hunt, PUSH_SHARE * work)
            false = false or _is_refuted(hunt)
            if false:
                tries.run()
            interrupted = False
    found = tuple(sorted(tries.survived, key=lambda one: one.rank))
    cases = tuple(f.case for f in hunt.facts)
    why = "interrupted" if interrupted else "out of time" if has_passed(deadline) else OUT_OF_WORK
    cut = tries.untested > 0 and len(tries.survived) < MAX_REPAIRS  # else there were enough, or none was left
    ended = why if false and (interrupted or cut) else ""
    untried = "" if tries.tried or not false else why
    took, done = time.perf_counter() - began, math.ceil(meter.spent)
    return RepairResult(
        claim,
        found,
        tries.refuted,
        tries.untested,
        len(hunt.facts),
        took,
        cases,
        false,
        interrupted,
        untried,
        done,
        work,
        ended,
    )


def _is_refuted_by_own_case(claim: Claim, seed: int, deadline: float) -> bool:
    """Return whether an own case violates the claim, by a full check, whatever the remaining work."""
    for case in sorted(claim.cases, key=case_length):
        with (
            suppress(DeadlinePassed, CheckFailed),
            name_broken_check(claim, case),
            stop_at_deadline(deadline),
            separate_meter(),
        ):
            if verdict_on(claim, case, seed).status == "violated":
                return True
    return False


def _is_refuted(hunt: FactSearch) -> bool:
    """Return whether a fact breaks the bound in its original form."""
    if not hunt.facts:
        return False
    sample = make_sample(hunt.terms, hunt.facts)
    return bool(sample.broken(sample.limit).any())
