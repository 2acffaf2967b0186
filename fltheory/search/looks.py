"""A stretch of a search: cases are looked at, and what was seen is kept; stretches of other processes are joined to it."""

from __future__ import annotations

import math
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from random import Random

from fltheory.case import Case
from fltheory.claim import ERROR_RATE, Claim, check
from fltheory.evidence.measured import STAGES
from fltheory.evidence.verdict import STRADDLES, Verdict
from fltheory.number import to_float
from fltheory.number.whose import of_library
from fltheory.runs.method import VariantError
from fltheory.scrutiny.replay import glance
from fltheory.search.clock import Late, until
from fltheory.search.neighbours import leaves
from fltheory.symbols import n_local_steps, n_rounds

SAYING_NOTHING = 1e-3
KEPT, ALIKE = 8, 2  # cases to climb from, and those with equally many numbers
FIRST = 0.5  # the part of the time that is left after which the first check is cut
EARLY = 256  # runs, of which a sixteenth are looked at first
STEPS, FEWEST = 500_000, 2  # steps of the simulated runs of a first look at a long case, and runs at least


_loaded = set[str]()  # the claims that were checked in this process


class CheckFailed(ValueError):
    """A check that broke on a case: no verdict on the claim."""


@dataclass
class Seen:
    """What a stretch has seen: counts, the best cases, the first case that seems to violate the claim, what broke."""

    examined: int = 0
    applicable: int = 0
    tested: int = 0
    cut: int = 0
    undecided: Counter[str] = field(default_factory=Counter)  # why
    open: Verdict | None = None
    best: list[Verdict] = field(default_factory=list)  # to climb from
    nearest: Verdict | None = None  # of those that are decided
    witness: Verdict | None = None
    spent: float = 0.0  # of the error rate
    reason: str = ""
    error: ValueError | None = None  # kept out of Hypothesis, which would write about it

    def join(self, other: Seen) -> None:
        """What another stretch has seen, after this one."""
        self.examined += other.examined
        self.applicable += other.applicable
        self.tested += other.tested
        self.cut += other.cut
        self.undecided += other.undecided
        self.open = other.open if self.open is None else self.open
        self.witness = other.witness if self.witness is None else self.witness
        self.spent += other.spent
        self.reason = self.reason or other.reason
        self.error = other.error if self.error is None else self.error
        for verdict in other.best:
            self.keep(verdict)
        if other.nearest is not None:
            self.nearer(other.nearest)

    def keep(self, verdict: Verdict) -> None:
        """Among the best, each case once, and few of one shape: where an equality holds, all that is near it is as good."""
        others = [v for v in self.best if v.case != verdict.case]
        ranked = sorted([*others, verdict], key=lambda v: -promise(v))
        shapes = Counter[int]()
        self.best = []
        for one in ranked:
            shape = len(leaves(one.case))
            shapes[shape] += 1
            if shapes[shape] <= ALIKE and len(self.best) < KEPT:
                self.best.append(one)

    def nearer(self, verdict: Verdict) -> None:
        """A decided verdict, kept if it is the nearest."""
        decided = verdict.status not in ("inconclusive", "violated")
        if decided and (self.nearest is None or (verdict.ratio or 0.0) > (self.nearest.ratio or 0.0)):
            self.nearest = verdict


class Looks:
    """A stretch, the ``number``-th of a search: its clock, its randomness, its part of the error rate, what it has seen.

    It ends at the ``deadline`` or after ``most`` cases, and each check is cut after ``slice`` seconds, or where the search ends;
    the first of a claim in a process only there, as it loads and compiles what it needs.
    """

    def __init__(
        self, claim: Claim, seed: int, number: int, deadline: float, slice: float, end: float, most: int | None = None
    ) -> None:
        self.claim, self.seed, self.number, self.most = claim, seed, number, most
        self.deadline, self.slice, self.end = deadline, slice, end
        self.random = Random(f"{seed}/{number}")
        self.seen = Seen()
        self.looks = 0
        self.judged = claim.algorithm is None or of_library(claim.algorithm)

    @property
    def over(self) -> bool:
        """Whether there is a witness, a check broke, the time is up, or there are enough cases."""
        if self.seen.witness is not None or self.seen.error is not None or time.perf_counter() > self.deadline:
            return True
        return self.most is not None and self.seen.examined >= self.most

    def score(self, case: Case) -> float | None:
        """The promise of a case, None where it has no ratio; a long one is simulated a few times only."""
        verdict = self.look(case, few(case))
        return None if verdict is None or verdict.ratio is None else promise(verdict)

    def short(self, case: Case, stages: tuple[int, ...] = STAGES[:1]) -> Verdict:
        """The verdict of one look, the first of the looks at simulated runs unless ``stages`` says more."""
        self.looks += 1
        of_stretch = ERROR_RATE / 2 / ((self.number + 1) * (self.number + 2))
        verdict = checked(self.claim, case, of_stretch / (self.looks * (self.looks + 1)), self.seed, stages)
        self.seen.spent += of_stretch / (self.looks * (self.looks + 1)) if verdict.error_rate else 0.0
        return verdict

    def look(self, case: Case, stages: tuple[int, ...] = STAGES[:1], last: float = math.inf) -> Verdict | None:
        """The verdict on a case within the hypotheses, else None; also where the clock cuts the check."""
        seen = self.seen
        seen.examined += 1
        now = time.perf_counter()
        try:
            with until(
                min(self.end, last, now + (self.slice if self.claim.id in _loaded else FIRST * (self.end - now)))
            ):
                with glance():
                    verdict = self.short(case, stages)
                if not self.judged and self._matters(verdict):
                    verdict = self.short(case, stages)
        except (Late, MemoryError):
            seen.cut += 1
            return None
        finally:
            _loaded.add(self.claim.id)
        if verdict.status == "inapplicable":
            if verdict.broken:
                raise VariantError(verdict.reason)
            seen.reason = seen.reason or verdict.reason
            return None
        self._count(verdict)
        return verdict

    def _count(self, verdict: Verdict) -> None:
        seen = self.seen
        seen.applicable += 1
        if verdict.evidence is None:
            seen.reason = verdict.reason
        else:
            seen.tested += 1
            if verdict.status == "inconclusive":
                seen.undecided[verdict.reason or STRADDLES] += 1
                seen.open = verdict if seen.open is None else seen.open
        if verdict.status == "violated" and seen.witness is None:
            seen.witness = verdict
        if verdict.ratio is not None:
            seen.keep(verdict)
            seen.nearer(verdict)

    def look_longer(self, verdict: Verdict, stages: tuple[int, ...], last: float = math.inf) -> Verdict | None:
        """More looks at a case that one look left open; it is counted once."""
        seen = self.seen
        before = replace(seen)
        seen.examined, seen.applicable, seen.tested = seen.examined - 1, seen.applicable - 1, seen.tested - 1
        seen.undecided = seen.undecided - Counter([verdict.reason or STRADDLES])
        found = self.look(verdict.case, stages, last)
        if found is None:  # it stays as it was
            seen.applicable, seen.tested, seen.undecided = before.applicable, before.tested, before.undecided
        return found

    def _matters(self, verdict: Verdict) -> bool:
        """Whether a verdict of a glance would be told."""
        nearest = self.seen.nearest
        nearer = nearest is None or (verdict.ratio or 0.0) > (nearest.ratio or 0.0)
        return verdict.status == "violated" or (verdict.ratio is not None and nearer)


def promise(verdict: Verdict) -> float:
    """The ratio, far less where the bound says nothing: nothing exceeds it there, however near one comes."""
    return (verdict.ratio or 0.0) * (SAYING_NOTHING if verdict.status == "vacuous" else 1.0)


def few(case: Case) -> tuple[int, ...]:
    """The runs that a first look takes, where they are simulated: fewer of long ones."""
    return (max(FEWEST, int(min(STAGES[0], STEPS / _steps(case)))),)


def enough(case: Case, stages: tuple[int, ...]) -> tuple[int, ...]:
    """The looks that are to decide: of long runs one also looks early, as the first hundred would take too long."""
    return stages if few(case) == STAGES[:1] else (EARLY, *stages)


def _steps(case: Case) -> float:
    try:
        return max(1.0, math.prod(to_float(case.constants.get(s, 1)) for s in (n_rounds, n_local_steps)))
    except (ValueError, ArithmeticError):
        return 1.0


def checked(claim: Claim, case: Case, rate: float, seed: int, stages: tuple[int, ...]) -> Verdict:
    """The verdict on a case; CheckFailed if the check breaks."""
    try:
        return check(claim, case, rate, seed, stages=stages)
    except MemoryError:  # a case that is too large is none to be checked
        raise
    except Exception as error:
        why = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise CheckFailed(f"{claim.id}: the check broke: {why} (on {case.arguments()})") from error
