"""Checking the theorems of a registered paper in several processes.

Each is checked as if those that it applies came out as they are recorded; where one of them did not, it is checked again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache

from fltheory.proof import library
from fltheory.proof.check import Report, StepReport, check_stored, scope_of
from fltheory.proof.language import ALL, Apply, Outcome, ProofError, Proofs, Theorem

Light = tuple[Outcome, tuple[tuple[Outcome, str, str], ...], tuple[str, ...], float, str]


def print_of(theorem: Theorem) -> str:
    """What tells one theorem from another: its files may change while processes load them."""
    return repr([(s.id, s.uses, s.by, s.expected) for s in theorem.steps])


@lru_cache(maxsize=8)
def _loaded(key: str) -> Proofs:
    return library.load(key)


def _alone(key: str, theorem_id: str) -> Light:
    """What comes of one theorem, those before it taken as recorded; without the theorem itself, to travel light."""
    proofs = _loaded(key)
    before: dict[str, Report] = {}
    for theorem in proofs.theorems:
        if theorem.id == theorem_id:
            report = check_stored(proofs, theorem, before)
            steps = tuple((s.outcome, s.scope, s.reason) for s in report.steps)
            return report.verdict, steps, report.faults, report.seconds, print_of(theorem)
        before[theorem.id] = Report(theorem, theorem.expected, ALL, (), (), 0.0)
    raise ProofError(f"there is no theorem {theorem_id}")


def checked_side_by_side(proofs: Proofs, theorems: Sequence[Theorem], jobs: int) -> Iterator[Report]:
    """The reports of ``check.checked``, in the same order, by ``jobs`` processes."""
    from joblib import Parallel, delayed

    reports: dict[str, Report] = {}
    pool = Parallel(n_jobs=jobs, batch_size=1, return_as="generator")
    lights = pool(delayed(_alone)(proofs.key, t.id) for t in theorems)
    for theorem, light in zip(theorems, _unbroken(lights), strict=True):
        if theorem.id in reports:
            raise ProofError(f"{theorem.id} stands twice")
        applied = [reports[i] for i in library.applied(theorem) if i in reports]
        as_recorded = all(r.verdict == r.theorem.expected for r in applied)
        if as_recorded and light[4] == print_of(theorem):
            reports[theorem.id] = _rebuilt(theorem, light, reports)
        else:
            reports[theorem.id] = check_stored(proofs, theorem, reports)
        yield reports[theorem.id]


def _unbroken(lights: Iterator[Light]) -> Iterator[Light]:
    try:
        yield from lights
    except BrokenProcessPool:
        raise ProofError("a process that checked proofs was ended from outside: memory may be short") from None


def _rebuilt(theorem: Theorem, light: Light, earlier: dict[str, Report]) -> Report:
    """The report, with the true scopes of the theorems applied."""
    verdict, outcomes, faults, seconds, _ = light
    steps = []
    for step, (outcome, scope, reason) in zip(theorem.steps, outcomes, strict=True):
        if isinstance(step.rule, Apply) and outcome in ("PROVED", "ASSUMED"):
            scope = earlier[step.rule.theorem].scope
        steps.append(StepReport(step, outcome, scope, reason))
    scope = scope_of(theorem, {s.step.id: s for s in steps})
    return Report(theorem, verdict, scope, tuple(steps), faults, seconds)
