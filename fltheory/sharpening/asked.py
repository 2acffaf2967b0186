"""What a user asks of constants on the command line, and the answer as text and as a row of JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from fltheory.claim import Claim, tuned
from fltheory.papers import KEYS
from fltheory.questions.lookup import Mistake, claim_of, constants, select
from fltheory.sharpening.mending.repair import repair
from fltheory.sharpening.sharpen import sharpen
from fltheory.sharpening.table import entry, markdown
from fltheory.sharpening.terms import NothingToWeigh


@dataclass(frozen=True)
class Task:
    """Which claims, how long for each, at which constants; or what would repair a false one."""

    selectors: tuple[str, ...]
    seconds: float = 60.0
    seed: int = 0
    assignments: tuple[str, ...] = ()
    repair: bool = False


class Answer(NamedTuple):
    """Text, a row of JSON, and whether anything was found."""

    text: str
    row: dict[str, Any]
    told: bool


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
        mended = _tried(lambda: repair(claim, seconds=task.seconds, seed=task.seed))
        return Answer(str(mended), mended.row(), bool(mended.repairs))
    found = _tried(lambda: sharpen(claim, seconds=task.seconds, seed=task.seed, settings=_settings(task, claim)))
    return Answer(str(found), found.row(), bool(found.limits))


def _settings(task: Task, claim: Claim) -> dict[str, object]:
    return {symbol.name: value for symbol, value in constants(task.assignments, tuned(claim)).items()}


def _tried(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except NothingToWeigh as error:
        raise Mistake(str(error)) from None


def write_table(task: Task, path: Path, said: Callable[[str], None]) -> None:
    """A table of what is known of the constants of many claims, a row each, written to a file; Mistake where it can't be."""
    if task.repair or task.assignments:
        raise Mistake("--markdown is for constants at all values: leave out --repair and --set")
    claims = select(*task.selectors)
    entries = []
    for claim in claims:
        entries.append(entry(claim, task.seconds, task.seed))
        said(f"{claim.id}: {entries[-1].least}")
    try:
        path.write_text(markdown(entries, task.seconds, task.seed), encoding="utf-8")
    except OSError as error:
        raise Mistake(f"can't write {path}: {error.strerror}") from None
