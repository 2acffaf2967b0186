"""The search for a counterexample: the claim's own cases, then drawn ones, steered to the bound by Hypothesis and a local search.

A witness is checked again on fresh randomness with the strongest evidence there is, then shrunk, before it is reported.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from random import Random

from fltheory import notebook
from fltheory.case import Case
from fltheory.claim import ERROR_RATE, Claim, check, variant_of
from fltheory.evidence.measured import STAGES
from fltheory.evidence.verdict import STRADDLES, Verdict, card_rows, ratio_text, title
from fltheory.known import find
from fltheory.number import to_float
from fltheory.runs.method import VariantError
from fltheory.scrutiny.replay import glance
from fltheory.search.clock import Late, heard, until
from fltheory.search.draws import Enough, steered
from fltheory.search.neighbours import cost, moved, simpler
from fltheory.search.whole_class import Answer, answers
from fltheory.symbols import n_clients, n_local_steps, n_rounds

BATCH = 60  # cases that Hypothesis draws between two local searches
CLIMB = 150  # moves of one local search
TAIL = (0.1, 5.0)  # the part of the time, and the seconds at most, that are kept to confirm and shrink a witness
SHRINKING = 10.0  # seconds at most
SLICE = 0.4  # the part of the time after which one check is cut
OWN = 0.6  # the part of the time that the claim's own cases may take
GRACE = 1.0  # seconds
CLASSES = 0.2  # the part of the time that whole classes may take


@dataclass(frozen=True)
class Falsification:
    """What a search found: the violated verdict, or the case that came nearest.

    ``applicable`` of the ``examined`` cases met the hypotheses, for ``tested`` of these there is a figure, which tells nothing for
    ``undecided`` of them (``open`` is the first such verdict, ``why`` what most of them say); ``cut`` checks were broken off by
    the clock. All verdicts of the search together err with probability at most ``error_rate``: the k-th look has ERROR_RATE / 2 /
    (k (k + 1)), and so has the k-th check of a witness on fresh randomness; what is never sampled counts for nothing.
    """

    claim: Claim
    verdict: Verdict | None
    nearest: Verdict | None
    examined: int
    applicable: int
    seconds: float
    interrupted: bool = False  # by Ctrl-C, which ends the search early
    tested: int = 0
    cut: int = 0
    error_rate: float = 0.0
    reason: str = ""  # why a case was not tested
    remark: str = ""  # what the clock did
    undecided: int = 0
    why: str = ""  # most of them
    open: Verdict | None = None
    classes: tuple[str, ...] = ()  # of clients, for all of which the bound is proved

    def __bool__(self) -> bool:
        raise TypeError("a search has three outcomes: ask for .found and .decided")

    @property
    def found(self) -> bool:
        """Whether a counterexample was found."""
        return self.verdict is not None

    @property
    def decided(self) -> bool:
        """Whether any case was decided: else that none was found says nothing."""
        return self.found or self.tested > self.undecided

    def __repr__(self) -> str:
        return f"<Falsification of {self._name()}: {self._outcome()} ({self._seen()})>"

    def _repr_html_(self) -> str:
        if self.verdict is not None:
            return notebook.card(self._name(), [*card_rows(self.verdict), ("search", notebook.words(self._seen()))])
        nearest = self.nearest
        near = "" if nearest is None or nearest.ratio is None else f"ratio {ratio_text(nearest.ratio)} at "
        rows = [
            ("search", f"{notebook.words(self._outcome())}: {notebook.words(self._seen())}"),
            ("why", "" if self.decided else notebook.words(self._untested())),
            ("evidence", notebook.words("none: where a search finds nothing, nothing is proved")),
            (
                "nearest",
                f"{notebook.words(near)}{notebook.code(repr(nearest.case))}" if nearest is not None and near else "",
            ),
        ]
        return notebook.card(self._name(), rows)

    def _name(self) -> str:
        return title(self.claim.id, variant_of(self.claim))

    def _outcome(self) -> str:
        if self.verdict is not None:
            return self.verdict.status
        if self.decided:
            return "no counterexample found"
        return "NOTHING WAS DECIDED" if self.tested else "nothing was tested"

    def _seen(self) -> str:
        """What was looked at, in words."""
        parts = [
            f"{self.examined} case{'' if self.examined == 1 else 's'} examined",
            f"{self.applicable} within the hypotheses",
        ]
        parts += [f"{self.undecided} of {self.tested} tested INCONCLUSIVE"] if self.undecided else []
        parts += [f"{self.cut} cut by the clock"] if self.cut else []
        parts += [f"{self.seconds:.1f} s"]
        parts += [f"error rate at most {self.error_rate:.1g}"] if self.error_rate else []
        proved = [
            f"proved for {said}" for said in self.classes[-1:] if not self.found
        ]  # at some constants, not at others
        return "; ".join(filter(None, (", ".join(parts), self.remark, *proved)))

    def __str__(self) -> str:
        if self.verdict is not None:
            return f"{self.verdict}\n  {self._seen()}"
        outcome = f"{self._name()}: {self._outcome()} ({self._seen()})"
        if not self.decided:
            return f"{outcome}: {self._untested()}"
        nearest = f"; inconclusive: {self.why}" if self.undecided else ""
        if self.nearest is not None and self.nearest.ratio is not None:
            nearest += f"; nearest: ratio {ratio_text(self.nearest.ratio)} at {self.nearest.case}"
        return f"{outcome}{nearest}"

    def _untested(self) -> str:
        if self.tested:
            return self.why
        if self.applicable:
            return self.reason or "no verdict on any case"
        if self.cut:
            return "the clock ended every check of a case that met the hypotheses or may have: give it more seconds"
        return "no case met the hypotheses" + (f": {self.reason}" if self.reason else "")


class CheckFailed(ValueError):
    """A check that broke on a case: no verdict on the claim."""


class _Search:
    """The state of one search: the clock, what has been seen, the first case that seems to violate the claim."""

    def __init__(self, claim: Claim, seconds: float, seed: int) -> None:
        self.claim, self.random, self.seed = claim, Random(seed), seed
        self.began = time.perf_counter()
        self.end = self.began + seconds
        self.deadline = self.end - min(TAIL[0] * seconds, TAIL[1])  # of the exploring
        self.slice = SLICE * seconds
        self.examined = self.applicable = self.tested = self.cut = self.given = self.batch = 0
        self.undecided = Counter[str]()  # why
        self.open: Verdict | None = None
        self.looks = self.confirmations = 0
        self.spent = 0.0
        self.reason = self.remark = ""
        self.best: list[Verdict] = []  # to climb from
        self.nearest: Verdict | None = None  # of those that are decided
        self.witness: Verdict | None = None
        self.error: ValueError | None = None  # kept out of Hypothesis, which would write about it
        self._seen: set[str] = set()
        self.classes = list[str]()

    @property
    def over(self) -> bool:
        return self.witness is not None or self.error is not None or time.perf_counter() > self.deadline

    def short(self, case: Case, stages: tuple[int, ...] = STAGES[:1]) -> Verdict:
        """The verdict of one look, the first of the looks at simulated runs unless ``stages`` says more."""
        self.looks += 1
        return self._check(case, self.looks, self.seed, stages)

    def full(self, case: Case) -> Verdict:
        """The verdict of all the looks, on randomness that nothing before has seen."""
        self.confirmations += 1
        return self._check(case, self.confirmations, self.seed + self.confirmations, STAGES)

    def _check(self, case: Case, k: int, seed: int, stages: tuple[int, ...]) -> Verdict:
        """CheckFailed if it breaks."""
        rate = ERROR_RATE / 2 / (k * (k + 1))
        try:
            verdict = check(self.claim, case, rate, seed, stages=stages)
        except Exception as error:
            why = f"{type(error).__name__}: {' '.join(str(error).split())}"
            raise CheckFailed(f"{self.claim.id}: the check broke: {why} (on {case.arguments()})") from error
        self.spent += rate if verdict.error_rate else 0.0
        return verdict

    def look(self, case: Case, stages: tuple[int, ...] = STAGES[:1], last: float = math.inf) -> Verdict | None:
        """The verdict on a case within the hypotheses, else None; also where the clock cuts the check."""
        self.examined += 1
        try:
            with until(min(self.deadline, last, time.perf_counter() + self.slice)):
                with glance():
                    verdict = self.short(case, stages)
                if self._matters(verdict):
                    verdict = self.short(case, stages)
        except Late:
            self.cut += 1
            return None
        if verdict.status == "inapplicable":
            if verdict.broken:
                raise VariantError(verdict.reason)
            self.reason = self.reason or verdict.reason
            return None
        self.applicable += 1
        if verdict.evidence is None:
            self.reason = verdict.reason
        else:
            self.tested += 1
            if verdict.status == "inconclusive":
                self.undecided[verdict.reason or STRADDLES] += 1
                self.open = verdict if self.open is None else self.open
        if verdict.status == "violated" and self.witness is None:
            self.witness = verdict
        self._remember(verdict)
        return verdict

    def look_longer(self, verdict: Verdict, last: float) -> None:
        """All the looks at a case that one look left open; it is counted once."""
        self.examined, self.applicable, self.tested = self.examined - 1, self.applicable - 1, self.tested - 1
        self.undecided -= Counter([verdict.reason or STRADDLES])
        self.look(verdict.case, STAGES, last)

    def _matters(self, verdict: Verdict) -> bool:
        """Whether a verdict of a glance would be told."""
        nearer = self.nearest is None or (verdict.ratio or 0.0) > (self.nearest.ratio or 0.0)
        return verdict.status == "violated" or (verdict.ratio is not None and nearer)

    def _remember(self, verdict: Verdict) -> None:
        key = verdict.case.arguments()
        if verdict.ratio is None or key in self._seen:
            return
        self._seen.add(key)
        self.best = sorted([*self.best, verdict], key=lambda v: -(v.ratio or 0.0))[:8]
        decided = verdict.status not in ("inconclusive", "violated")
        if decided and (self.nearest is None or verdict.ratio > (self.nearest.ratio or 0.0)):
            self.nearest = verdict


def falsify(
    claim: Claim | str,
    *,
    seconds: float = 60.0,
    seed: int = 0,
    start: tuple[Case, ...] = (),
    max_cases: int | None = None,
) -> Falsification:
    """Search for a case on which the claim is violated, for at most ``seconds`` (or about ``max_cases`` drawn cases).

    It begins with the cases in ``start`` and with the claim's own, the shortest first, and climbs from all it has seen.
    The search is the same for any machine as long as it is not cut by the clock, which is heard whenever Python runs.
    Ctrl-C ends it too: what was found until then is returned, marked ``interrupted``.
    ValueError where a check breaks, or a variant can't be run.
    """
    claim = find(claim) if isinstance(claim, str) else claim
    if claim.family is None or claim.measure is None:
        raise ValueError(f"{claim.id} can't be searched: it has no {'measure' if claim.measure is None else 'family'}")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < math.inf:
        raise ValueError(f"seconds must be a positive number, got {seconds!r}")
    search = _Search(claim, seconds, seed)
    found, interrupted = None, False
    with heard():
        try:
            found = _searched(search, start, max_cases)
        except KeyboardInterrupt:
            interrupted = True
            found = None if search.witness is None else _confirmed(search, search.witness)
        if found is not None and not interrupted:
            found, interrupted = _shrunk(search, found)
    took = time.perf_counter() - search.began
    if took > seconds + GRACE:
        search.remark = f"{took - seconds:.1f} s too long, in a call that can't be broken off"
    return Falsification(
        claim,
        found,
        search.nearest,
        search.examined,
        search.applicable,
        took,
        interrupted,
        search.tested,
        search.cut,
        search.spent,
        search.reason,
        search.remark,
        search.undecided.total(),
        next((why for why, _ in search.undecided.most_common(1)), ""),
        search.open,
        tuple(search.classes),
    )


def _searched(search: _Search, start: Iterable[Case], max_cases: int | None) -> Verdict | None:
    """Look, draw and climb until a witness is confirmed, the clock ends it, or there are enough cases."""
    for case in start:
        search.look(case)
        if (found := _confirmed(search, search.witness)) is not None:
            return found
    for case in _worst_of_classes(search):
        search.look(case, STAGES)
        if (found := _confirmed(search, search.witness)) is not None:
            return found
    last = search.began + OWN * (search.end - search.began)
    open_still: list[Verdict] = []
    for case in _own_cases(search, last):
        verdict = search.look(case, STAGES[:1], last)
        if (found := _confirmed(search, search.witness)) is not None:
            return found
        open_still += [verdict] if verdict is not None and verdict.status == "inconclusive" else []
    for verdict in sorted(
        open_still, key=lambda v: -(v.ratio or 0.0)
    ):  # one look at each first: more looks take minutes
        if search.over or time.perf_counter() > last:
            break
        search.look_longer(verdict, last)
        if (found := _confirmed(search, search.witness)) is not None:
            return found
    search.given = search.examined
    while not search.over and (max_cases is None or search.examined - search.given < max_cases):
        _explore(search, max_cases)
        if (found := _confirmed(search, search.witness)) is not None:
            return found
    return None


def _worst_of_classes(search: _Search) -> Iterable[Case]:
    """Instances that exceed the bound, by what solvers say of whole classes; noted where there are none."""
    found = answers(search.claim)
    while True:
        answer: Answer | None = None
        with suppress(Late), until(search.began + CLASSES * (search.deadline - search.began)):
            answer = next(found, None)
        if answer is None:
            return
        if answer.case is None:
            search.classes.append(answer.said)
        else:
            yield answer.case


def _own_cases(search: _Search, last: float) -> Iterable[Case]:
    """The claim's own cases: those of the quick profile, then the others, the shortest first."""
    own = search.claim.cases
    for more in (False, True):
        cases: list[Case] = []
        with suppress(Late), until(min(last, search.deadline)):
            cases = sorted(search.claim.all_cases("full")[len(own) :] if more else own, key=_length)
        for case in cases:
            if search.over or time.perf_counter() > last:
                return
            yield case


def _length(case: Case) -> tuple[float, tuple[int, float]]:
    """How many steps a run of the case has, then how long its numbers are."""
    try:
        steps = math.prod(to_float(case.constants.get(s, 1)) for s in (n_rounds, n_clients, n_local_steps))
    except (ValueError, ArithmeticError):
        steps = math.inf
    return steps, cost(case)


def _explore(search: _Search, max_cases: int | None) -> None:
    """Draw a batch of cases, then climb from the best ones."""
    left = BATCH if max_cases is None else max_cases - (search.examined - search.given)
    _draw(search, search.batch, min(BATCH, left))
    if max_cases is None or search.examined - search.given < max_cases:
        for verdict in _promising(search, search.batch):
            _climb(search, verdict)
    search.batch += 1


def _draw(search: _Search, batch: int, size: int) -> None:
    """A batch of cases from the claim's family, steered to large ratios by Hypothesis."""
    assert search.claim.family is not None

    def examine(case: Case) -> float | None:
        if search.over:
            raise Enough
        try:
            verdict = search.look(case)
        except ValueError as error:
            search.error = error
            return None
        return None if verdict is None else verdict.ratio

    steered(search.claim.family(), search.seed * 1_000_003 + batch, size, examine)
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
        if better is not None and (better.ratio or 0.0) > (verdict.ratio or 0.0):
            verdict, size = better, min(4.0, size * 1.5)
        else:
            size = max(0.01, size * 0.95)


def _confirmed(search: _Search, witness: Verdict | None) -> Verdict | None:
    """The witness checked again on fresh randomness with the full effort; None, and the search goes on, if it falls.

    An exact verdict that the clock leaves no time to repeat stands as it is.
    """
    if witness is None:
        return None
    again: Verdict | None = None
    with suppress(Late), until(search.end):
        again = search.full(witness.case)
    search.witness = None
    if again is not None:
        return again if again.status == "violated" else None
    if witness.evidence == "exact":
        return witness
    search.cut += 1
    search.remark = "a case seemed to violate it, but no time was left to confirm that"
    return None


def _shrunk(search: _Search, witness: Verdict) -> tuple[Verdict, bool]:
    """Greedy: take the first simpler case that is still violated, until none is; confirmed, or else the witness itself.

    Ctrl-C or the clock end it (the first is told), with time kept to confirm.
    """
    last = min(search.end - 2 * witness.seconds, time.perf_counter() + SHRINKING)
    simplest, interrupted = witness, False
    try:
        while (plainer := _still_violated(search, simplest, last)) is not None:
            simplest = plainer
    except KeyboardInterrupt:
        interrupted = True
    if simplest is not witness:
        with suppress(CheckFailed):
            confirmed = _confirmed(search, simplest)
            return witness if confirmed is None else confirmed, interrupted
    return witness, interrupted


def _still_violated(search: _Search, witness: Verdict, last: float) -> Verdict | None:
    """The first simpler case that is violated as well."""
    for case in simpler(witness.case):
        if time.perf_counter() > last:
            return None
        if cost(case) < cost(witness.case):
            with suppress(CheckFailed, Late), until(last):
                verdict = search.short(case)
                if verdict.status == "violated":
                    return verdict
    return None
