"""A user's variant in a separate process, so that a crash does not end the command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sympy import Symbol

from fltheory.claims.claim import Claim
from fltheory.command.batch import CASE_TIME_LIMIT, failure_message, modules_to_preload, replay_variant, verdict_row
from fltheory.command.jsonl_writer import Row
from fltheory.command.variant import usable_claims, with_variant
from fltheory.model.errors import UserError
from fltheory.number import Number
from fltheory.plotting.picture import Picture
from fltheory.plotting.sweep import Watch
from fltheory.runs import workers
from fltheory.search.deadline import deadline_of
from fltheory.search.falsifier import falsify
from fltheory.verification import find
from fltheory.work import DEFAULT_WORK

GRACE_SECONDS = 60.0  # seconds beyond the limit of a search, to start and to check its result


@dataclass(frozen=True)
class SearchTask:
    """The arguments of ``falsify``."""

    claim_id: str
    work: int = DEFAULT_WORK
    seconds: float | None = None
    seed: int = 0
    variant: str | None = None
    jobs: int = 1


@dataclass(frozen=True)
class SearchOutcome:
    """The result of a search; small enough to send."""

    text: str
    row: Row | None
    found: bool
    interrupted: bool
    seconds: float
    decided: bool


def replaceable_claims(claims: Sequence[Claim], variant: str) -> tuple[Claim, ...]:
    """Return the claims whose algorithm the variant can replace; UserError if there are none, or it can't be loaded."""
    ids = tuple(c.id for c in claims)
    kept = _run_isolated(_usable, (ids, variant), CASE_TIME_LIMIT, ids, variant)
    return tuple(c for c in claims if c.id in kept)


def _usable(asked: tuple[tuple[str, ...], str]) -> set[str]:
    ids, variant = asked
    return {c.id for c in usable_claims(tuple(map(find, ids)), variant)}


def run_search(task: SearchTask) -> SearchOutcome:
    """Return the result of a search; UserError if the variant can't be run."""
    if task.variant is None:
        return _search(task)
    return _run_isolated(_search, task, _limit(task.seconds), (task.claim_id,), task.variant)


def _search(task: SearchTask) -> SearchOutcome:
    claim = find(task.claim_id) if task.variant is None else with_variant(task.claim_id, task.variant)
    try:
        result = falsify(claim, work=task.work, seconds=task.seconds, seed=task.seed, jobs=task.jobs)
    except ValueError as error:  # a variant that can't be run
        raise UserError(str(error)) from None
    if result.verdict is not None and task.variant is not None:
        line = replay_variant(result.verdict, task.variant)
        result = replace(result, verdict=replace(result.verdict, line=line))
    shown = next((v for v in (result.verdict, result.nearest, result.open) if v is not None), None)
    found = None if shown is None else verdict_row(claim, shown, task.variant, task.seed)
    return SearchOutcome(str(result), found, result.found, result.interrupted, result.seconds, result.decided)


@dataclass(frozen=True)
class PlotTask:
    """The arguments of ``plot``: a claim along a constant, as a kind of plot, at a user's constants."""

    claim_id: str
    along: str | None = None
    variant: str | None = None
    kind: str = "bound"
    values: tuple[tuple[Symbol, Number], ...] = ()
    work: int = DEFAULT_WORK
    seconds: float | None = None


def run_plot(asked: PlotTask, watch: Watch | None = None) -> Picture:
    """Return the requested plot; UserError if there is none, or the variant can't be run."""
    if asked.variant is None:
        return _picture(asked, watch)
    found: Picture = _run_isolated(_picture, asked, _limit(asked.seconds), (asked.claim_id,), asked.variant)
    return found


def _picture(asked: PlotTask, watch: Watch | None = None) -> Picture:
    from fltheory.plotting.kinds import PICTURE_KINDS
    from fltheory.plotting.setup import case_at_constants

    claim = find(asked.claim_id) if asked.variant is None else with_variant(asked.claim_id, asked.variant)
    deadline = deadline_of(asked.seconds)
    try:
        case = case_at_constants(claim, dict(asked.values)) if asked.values else None
        return PICTURE_KINDS[asked.kind](claim, case, asked.along, deadline, watch, asked.work)
    except ValueError as error:
        raise UserError(f"{asked.claim_id} can't be plotted: {error}") from None


def _limit(seconds: float | None) -> float:
    """Return the seconds after which a process is ended."""
    return CASE_TIME_LIMIT if seconds is None else seconds + GRACE_SECONDS


def _run_isolated(
    function: workers.Function, item: object, limit: float, claim_ids: Sequence[str], variant: str
) -> Any:
    answer = workers.run_in_process(function, item, limit, modules_to_preload(claim_ids))
    if isinstance(answer, workers.TaskError) and answer.kind == UserError.__name__:
        raise UserError(answer.text)
    if isinstance(answer, workers.NoAnswer | workers.TaskError):
        raise UserError(failure_message(answer, variant))
    return answer
