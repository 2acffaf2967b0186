"""The search for a counterexample: Hypothesis draws cases and is steered to the bound, a local search climbs, then it shrinks.

A witness is re-checked on its own with the strongest evidence there is before it is reported.
"""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from random import Random
from types import FrameType
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase

from fltheory.algorithm import VariantError
from fltheory.claim import ERROR_RATE, Claim, check, find
from fltheory.evidence import STAGES
from fltheory.instance import Case
from fltheory.neighbours import cost, moved, simpler
from fltheory.verdict import Verdict, ratio_text

AGAIN = 0.05  # seconds until the alarm rings again, where it could not be heard
SWALLOWING = {
    "gc_callback",
    "__del__",
    "remove",
}  # (weakref's) an exception in these is written to the terminal, and lost
BATCH = 60  # cases that Hypothesis draws between two local searches
CLIMB = 150  # moves of one local search
SEARCH_RATE = 1e-12  # error rate of one statistical check during the search: there are many


@dataclass(frozen=True)
class Falsification:
    """What a search found: the violated verdict, or the case that came nearest."""

    claim: Claim
    verdict: Verdict | None
    nearest: Verdict | None
    examined: int
    applicable: int
    seconds: float
    interrupted: bool = False  # by Ctrl-C, which ends the search early

    @property
    def found(self) -> bool:
        """Whether a counterexample was found."""
        return self.verdict is not None

    @property
    def best_ratio(self) -> float | None:
        """The largest ratio seen: above 1 for a counterexample."""
        best = self.nearest if self.verdict is None else self.verdict
        return None if best is None else best.ratio

    def __str__(self) -> str:
        seen = f"{self.examined} cases examined, {self.applicable} within the hypotheses, {self.seconds:.1f} s"
        if self.verdict is not None:
            return f"{self.verdict}\n  {seen}"
        nearest = "; nothing was tested: no case met the hypotheses" if self.applicable == 0 else ""
        if self.nearest is not None:
            nearest = f"; nearest: ratio {ratio_text(self.best_ratio or 0)} at {self.nearest.case}"
        return f"{self.claim.id}: no counterexample found ({seen}){nearest}"


class _Stop(Exception):
    """Ends a batch of Hypothesis early."""


class _Late(BaseException):
    """Breaks off a check at the deadline: no Exception, so that nothing takes it for a step that fails."""


def _lost_in(frame: FrameType | None) -> bool:
    """Whether an exception that is raised here would be lost."""
    while frame is not None:
        if frame.f_code.co_name in SWALLOWING:
            return True
        frame = frame.f_back
    return False


@contextmanager
def _heard() -> Iterator[None]:
    """Ctrl-C is heard in the block even where it comes at a place that would lose it: then it comes again soon after."""
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        if not _lost_in(frame):
            raise KeyboardInterrupt
        threading.Timer(AGAIN, signal.raise_signal, (signal.SIGINT,)).start()

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def _until(deadline: float) -> Iterator[None]:
    """Raises ``_Late`` in the block at the deadline; only in the main thread, and where nobody else has set the alarm."""
    main = threading.current_thread() is threading.main_thread()
    if not main or not hasattr(signal, "setitimer") or signal.getitimer(signal.ITIMER_REAL)[0] > 0:
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        if not _lost_in(frame):  # else it rings again
            raise _Late

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, max(0.001, deadline - time.perf_counter()), AGAIN)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class CheckFailed(ValueError):
    """A check that broke on a case: no verdict on the claim."""


class _Search:
    """The state of one search: the clock, the best cases so far, the first violation."""

    def __init__(self, claim: Claim, seconds: float, seed: int) -> None:
        self.claim, self.deadline, self.random, self.seed = claim, time.perf_counter() + seconds, Random(seed), seed
        self.examined = self.applicable = 0
        self.best: list[Verdict] = []  # to climb from
        self.nearest: Verdict | None = None  # of those that are decided
        self.witness: Verdict | None = None
        self.error: ValueError | None = None  # kept out of Hypothesis, which would write about it
        self._seen: set[str] = set()

    @property
    def over(self) -> bool:
        return self.witness is not None or self.error is not None or time.perf_counter() > self.deadline

    def check(self, case: Case, *, fully: bool = False) -> Verdict:
        """The verdict of a short look or, ``fully``, of all the looks on fresh randomness; ValueError if it breaks."""
        try:
            if fully:
                return check(self.claim, case, ERROR_RATE, self.seed + 1)
            return check(self.claim, case, SEARCH_RATE, self.seed, stages=STAGES[:1])
        except Exception as error:
            why = f"{type(error).__name__}: {' '.join(str(error).split())}"
            raise CheckFailed(f"{self.claim.id}: the check broke: {why} (on {case.arguments()})") from error

    def look(self, case: Case) -> Verdict | None:
        """The verdict on a case within the hypotheses, else None."""
        self.examined += 1
        try:
            with _until(self.deadline):
                verdict = self.check(case)
        except _Late:
            return None
        if verdict.status == "inapplicable":
            if verdict.broken:
                raise VariantError(verdict.reason)
            return None
        self.applicable += 1
        if verdict.status == "violated" and self.witness is None:
            self.witness = verdict
        self._remember(verdict)
        return verdict

    def _remember(self, verdict: Verdict) -> None:
        key = verdict.case.arguments()
        if verdict.middle is None or key in self._seen:
            return
        self._seen.add(key)
        self.best = sorted([*self.best, verdict], key=lambda v: -(v.middle or 0.0))[:8]
        decided = verdict.status != "inconclusive"
        if decided and (self.nearest is None or (verdict.ratio or 0.0) > (self.nearest.ratio or 0.0)):
            self.nearest = verdict


def falsify(
    claim: Claim | str,
    *,
    seconds: float = 60.0,
    seed: int = 0,
    start: tuple[Case, ...] = (),
    max_cases: int | None = None,
) -> Falsification:
    """Search for a case on which the claim is violated, for at most ``seconds`` (or about ``max_cases`` cases).

    ``start``: cases to look at first and to climb from. The search is the same for any machine as long as it is not
    cut by the clock. Ctrl-C ends it too: what was found until then is returned, marked ``interrupted``.
    ValueError where a check breaks, or a variant can't be run.
    """
    claim = find(claim) if isinstance(claim, str) else claim
    if claim.family is None or claim.measure is None:
        raise ValueError(f"{claim.id} can't be searched: it has no {'measure' if claim.measure is None else 'family'}")
    began = time.perf_counter()
    search = _Search(claim, seconds, seed)
    interrupted = False
    with _heard():
        try:
            _explore(search, start, max_cases)
        except KeyboardInterrupt:
            interrupted = True
        if (found := search.witness) is not None:
            found, interrupted = (found, True) if interrupted else _shrunk(search, found)
            found = _confirmed(search, found)
    return Falsification(
        claim, found, search.nearest, search.examined, search.applicable,
        time.perf_counter() - began, interrupted,
    )  # fmt: skip


def _explore(search: _Search, start: tuple[Case, ...], max_cases: int | None) -> None:
    """Draw and climb in turns until a violation, the deadline or the number of cases."""
    for case in start:
        search.look(case)
    batch = 0
    while not search.over and (max_cases is None or search.examined < max_cases):
        _draw(search, batch, BATCH if max_cases is None else min(BATCH, max_cases - search.examined))
        if max_cases is not None and search.examined >= max_cases:
            break
        for verdict in _promising(search, batch):
            _climb(search, verdict)
        batch += 1


def _draw(search: _Search, batch: int, size: int) -> None:
    """A batch of cases from the claim's family, steered to large ratios by Hypothesis."""
    assert search.claim.family is not None

    def examine(case: Case) -> None:
        if search.over:
            raise _Stop
        try:
            verdict = search.look(case)
        except ValueError as error:
            search.error = error
            return
        if verdict is not None and verdict.middle is not None and verdict.middle > 0:
            hypothesis.target(max(-300.0, math.log10(verdict.middle)))

    given: Any = hypothesis.given(search.claim.family())
    run: Any = hypothesis.settings(
        max_examples=size, deadline=None, database=None, suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.target), report_multiple_bugs=False,
    )(given(examine))  # fmt: skip
    # Flaky: Hypothesis plays a case again, and by then the search is over
    with suppress(_Stop, hypothesis.errors.Unsatisfiable, hypothesis.errors.Flaky):
        hypothesis.seed(search.seed * 1_000_003 + batch)(run)()
    if search.error is not None:
        raise search.error


def _promising(search: _Search, batch: int) -> list[Verdict]:
    """The best case, and one of the others."""
    if not search.best:
        return []
    return [search.best[0], search.best[batch % len(search.best)]][: 1 if len(search.best) == 1 else 2]


def _climb(search: _Search, verdict: Verdict) -> None:
    """A random local search on the logarithms of the numbers of a case; the step adapts to its success."""
    size = 1.0
    for _ in range(CLIMB):
        if search.over:
            return
        case = moved(verdict.case, size, search.random)
        better = search.look(case) if case is not None else None
        if better is not None and (better.middle or 0.0) > (verdict.middle or 0.0):
            verdict, size = better, min(4.0, size * 1.5)
        else:
            size = max(0.01, size * 0.95)


def _shrunk(search: _Search, witness: Verdict, seconds: float = 10.0) -> tuple[Verdict, bool]:
    """Greedy: take the first simpler case that is still violated, until none is, or Ctrl-C (then True comes with it)."""
    end = time.perf_counter() + seconds
    plainer: Verdict | None = witness
    try:
        while plainer is not None:
            witness, plainer = plainer, _still_violated(search, plainer, end)
    except KeyboardInterrupt:
        return witness, True
    return witness, False


def _still_violated(search: _Search, witness: Verdict, end: float) -> Verdict | None:
    """The first simpler case that is violated as well."""
    for case in simpler(witness.case):
        if time.perf_counter() > end:
            return None
        if cost(case) < cost(witness.case):
            with suppress(CheckFailed, _Late), _until(end):
                verdict = search.check(case)
                if verdict.status == "violated":
                    return verdict
    return None


def _confirmed(search: _Search, witness: Verdict) -> Verdict | None:
    """The witness checked again on fresh randomness with the full effort; None if it does not stand."""
    again = search.check(witness.case, fully=True)
    return again if again.status == "violated" else None
