"""A found proof without the lines and names that it does not need."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fltheory.proof import certificates
from fltheory.proof import language as lang
from fltheory.proof.language import Step, Theorem
from fltheory.proof.report import supporting_steps
from fltheory.proving.board import Board
from fltheory.proving.budget import Budget

MOST_NAMES = 14  # of one line, each of which is tried without


def shortened(board: Board) -> tuple[tuple[Step, ...], dict[str, Any]]:
    """Return the lines that the last one needs, each with the names that it needs, numbered anew, and their certificates."""
    free = replace(board, budget=Budget(10_000))
    lines = _supporting(board.lines)
    kept = list[Step]()
    for step in reversed(lines):
        if any(step.id in (*s.uses, *s.by) for s in kept) or not kept:
            kept.append(_lean(free, lines, step))
    kept.reverse()
    names = {s.id: str(n) for n, s in enumerate(kept, 1)}
    taken = {h.id for h in board.hypotheses}
    names = {old: new if new not in taken else f"line {new}" for old, new in names.items()}
    steps = tuple(_renamed(s, names) for s in kept)
    whole = Theorem("proof/line", steps[-1].claim, board.hypotheses, steps)
    found = {}
    for old, new in zip(kept, steps, strict=True):
        if old.id in board.certificates:
            own = board.certificates[old.id]["certificate"]
            found[new.id] = {"hash": certificates.fingerprint(whole, new), "certificate": own}
    return steps, found


def _supporting(lines: tuple[Step, ...]) -> list[Step]:
    wanted = set(supporting_steps(Theorem("proof/line", lines[-1].claim, (), lines)))
    return [s for s in lines if s.id in wanted]


def _lean(board: Board, lines: list[Step], step: Step) -> Step:
    """Return the step without the names that its rule does not need."""
    rule = step.rule
    weighted = {n for n, _ in rule.weights} if isinstance(rule, lang.Combine) else set()
    if not isinstance(rule, lang.Combine | lang.Apply) or (isinstance(rule, lang.Combine) and rule.squares):
        return step
    here = replace(board, lines=tuple(lines[: lines.index(step)]), assuming=step.assuming)
    if isinstance(rule, lang.Combine) and not weighted:
        return step
    spare = [n for n in step.uses if n not in weighted]
    if (
        isinstance(rule, lang.Combine)
        and spare
        and _holds(here, step, tuple(n for n in step.uses if n in weighted), step.by)
    ):
        step, spare = replace(step, uses=tuple(n for n in step.uses if n in weighted)), []
    for name in spare[:MOST_NAMES]:
        uses = tuple(n for n in step.uses if n != name)
        if _holds(here, step, uses, step.by):
            step = replace(step, uses=uses)
    for name in step.by[:MOST_NAMES]:
        by = tuple(n for n in step.by if n != name)
        if _holds(here, step, step.uses, by):
            step = replace(step, by=by)
    return step


def _holds(board: Board, step: Step, uses: tuple[str, ...], by: tuple[str, ...]) -> bool:
    return board.confirm(step.claim, step.rule, uses, by) is not None


def _renamed(step: Step, names: dict[str, str]) -> Step:
    uses, by = (tuple(names.get(n, n) for n in group) for group in (step.uses, step.by))
    rule = step.rule
    if isinstance(rule, lang.Combine):
        rule = replace(rule, weights=tuple((names.get(n, n), w) for n, w in rule.weights))
    return replace(step, id=names[step.id], uses=uses, by=by, rule=rule)
