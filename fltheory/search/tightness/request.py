"""What a user asks of constants on the command line, and the answer as text and as a row of JSON."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from fltheory.api.lookup import claim_of, constants, select
from fltheory.claims.catalogue import KEYS
from fltheory.claims.claim import Claim, tuned
from fltheory.model.errors import Mistake
from fltheory.number.work import DEFAULT_WORK
from fltheory.search.repair.repair import repair
from fltheory.search.tightness.table import Entry, entry, markdown
from fltheory.search.tightness.terms import NothingToWeigh
from fltheory.search.tightness.tightness import sharpen


@dataclass(frozen=True)
class Task:
    """Which claims, how much work for each, at which constants; or what would repair a false one."""

    selectors: tuple[str, ...]
    work: int = DEFAULT_WORK
    seconds: float | None = None
    seed: int = 0
    assignments: tuple[str, ...] = ()
    repair: bool = False


class Answer(NamedTuple):
    """Text, a row of JSON, whether anything was found, and whether Ctrl-C ended it after how many seconds."""

    text: str
    row: dict[str, Any]
    told: bool
    interrupted: bool
    seconds: float


def answer(task: Task) -> Answer:
    """The limits of one claim's constants, or its repairs; Mistake where it has none."""
    if len(task.selectors) != 1:
        raise Mistake(f"sharpen takes one claim, got {len(task.selectors)}; --markdown FILE writes a table of many")
    claim = claim_of(task.selectors[0])
    if task.repair:
        if claim.expected != "violated" and claim.paper in KEYS:  # of one's own nothing need be recorded
            raise Mistake(f"{claim.id} is not recorded as false: there is nothing to repair")
        if task.assignments:
            raise Mistake("--repair asks about every constant: leave out --set")
        mended = _tried(lambda: repair(claim, work=task.work, seconds=task.seconds, seed=task.seed))
        return Answer(str(mended), mended.row(), bool(mended.repairs), mended.interrupted, mended.seconds)
    settings = _settings(task, claim)
    found = _tried(lambda: sharpen(claim, work=task.work, seconds=task.seconds, seed=task.seed, settings=settings))
    return Answer(str(found), found.row(), bool(found.limits), found.interrupted, found.seconds)


def _settings(task: Task, claim: Claim) -> dict[str, object]:
    return {symbol.name: value for symbol, value in constants(task.assignments, tuned(claim)).items()}


def _tried(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except NothingToWeigh as error:
        raise Mistake(str(error)) from None


class Page(NamedTuple):
    """A table in Markdown, with the claims that are ``done``, of how many: Ctrl-C may have ended it."""

    text: str
    done: int
    of: int


def table(task: Task, said: Callable[[str], None]) -> Page:
    """A table of what is known of the constants of many claims, a row each."""
    if task.repair or task.assignments:
        raise Mistake("--markdown is for constants at all values: leave out --repair and --set")
    claims = select(*task.selectors)
    entries = list[Entry]()
    with suppress(KeyboardInterrupt):
        for claim in claims:
            entries.append(entry(claim, task.work, task.seed))
            said(f"{claim.id}: {entries[-1].least}")
    return Page(markdown(entries, task.work, task.seed, len(claims)), len(entries), len(claims))
