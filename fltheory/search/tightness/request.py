"""The commands ``tightness`` and ``repair``: the user's request, and the result as text and as a row of JSON."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from fltheory.api.lookup import claim_of, parse_assignments, select
from fltheory.claims.catalogue import KEYS
from fltheory.claims.claim import Claim, bounds_with_tuning
from fltheory.model.errors import UserError
from fltheory.search.repair.repair import repair
from fltheory.search.tightness.table import TableRow, markdown, table_row
from fltheory.search.tightness.terms import NoTerms
from fltheory.search.tightness.tightness import tightness
from fltheory.work import DEFAULT_WORK


@dataclass(frozen=True)
class TightnessTask:
    """The claims, the work for each, and the constants of the request."""

    selectors: tuple[str, ...]
    work: int = DEFAULT_WORK
    seconds: float | None = None
    seed: int = 0
    assignments: tuple[str, ...] = ()


class CommandAnswer(NamedTuple):
    """Text, a row of JSON, whether anything was found, and the seconds until Ctrl-C if it ended the search."""

    text: str
    row: dict[str, Any]
    told: bool
    interrupted: bool
    seconds: float


def tightness_answer(task: TightnessTask) -> CommandAnswer:
    """Return the lower limits on one claim's constants. UserError if it has none."""
    claim = _only_claim(task, "tightness takes one claim, got {}; --markdown FILE writes a table of many")
    settings = _settings(task, claim)
    found = _with_user_errors(
        lambda: tightness(claim, work=task.work, seconds=task.seconds, seed=task.seed, settings=settings)
    )
    return CommandAnswer(str(found), found.row(), bool(found.limits), found.interrupted, found.seconds)


def repair_answer(task: TightnessTask) -> CommandAnswer:
    """Return the smallest changes of one false claim that survive a search. UserError unless recorded as false."""
    claim = _only_claim(task, "repair takes one claim, got {}")
    if claim.entry.recorded != "violated" and claim.paper in KEYS:  # a user's claim needs no recorded verdict
        raise UserError(f"{claim.id} is not recorded as false: there is nothing to repair")
    found = _with_user_errors(lambda: repair(claim, work=task.work, seconds=task.seconds, seed=task.seed))
    return CommandAnswer(str(found), found.row(), bool(found.repairs), found.interrupted, found.seconds)


def _only_claim(task: TightnessTask, complaint: str) -> Claim:
    if len(task.selectors) != 1:
        raise UserError(complaint.format(len(task.selectors)))
    return claim_of(task.selectors[0])


def _settings(task: TightnessTask, claim: Claim) -> dict[str, object]:
    return {
        symbol.name: value for symbol, value in parse_assignments(task.assignments, bounds_with_tuning(claim)).items()
    }


def _with_user_errors(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except NoTerms as error:
        raise UserError(str(error)) from None


class TablePage(NamedTuple):
    """A table in Markdown, with the number of claims ``done`` and of all: Ctrl-C may have ended it."""

    text: str
    done: int
    of: int


def constants_table(task: TightnessTask, said: Callable[[str], None]) -> TablePage:
    """Return a table of the known limits on the constants of many claims, a row each."""
    if task.assignments:
        raise UserError("--markdown is for constants at all values: leave out --set")
    claims = select(*task.selectors)
    entries = list[TableRow]()
    with suppress(KeyboardInterrupt):
        for claim in claims:
            entries.append(table_row(claim, task.work, task.seed))
            said(f"{claim.id}: {entries[-1].least}")
    return TablePage(markdown(entries, task.work, task.seed, len(claims)), len(entries), len(claims))
