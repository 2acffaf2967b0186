"""The search for a counterexample: the worst of whole classes, the claim's own cases, then a portfolio of searches.

A witness is checked again on fresh randomness with the strongest evidence there is, then shrunk, before it is reported.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass

from fltheory import notebook
from fltheory.case import Case
from fltheory.claim import ERROR_RATE, Claim, variant_of
from fltheory.evidence.measured import STAGES
from fltheory.evidence.verdict import Verdict, card_rows, ratio_text, title
from fltheory.known import find
from fltheory.number import to_float
from fltheory.search.clock import Late, heard, until
from fltheory.search.looks import CheckFailed, Looks, Seen, checked, enough
from fltheory.search.neighbours import cost, simpler
from fltheory.search.portfolio import Clock, Portfolio
from fltheory.search.whole_class import Answer, answers
from fltheory.seeds import MAX_SEED, require_seed
from fltheory.symbols import n_clients, n_local_steps, n_rounds

TAIL = (0.1, 5.0)  # the part of the time, and the seconds at most, that are kept to confirm and shrink a witness
SHRINKING = 10.0  # seconds at most
SLICE = 0.4  # the part of the time after which one check is cut
OWN = 0.6  # the part of the time that the claim's own cases may take
GRACE = 1.0  # seconds
SEEMS, SURELY = 1.0, 1.5  # the ratios of a few runs from which a case is looked at longer
CLASSES = 0.2  # the part of the time that whole classes may take


@dataclass(frozen=True)
class Falsification:
    """What a search found: the violated verdict, or the case that came nearest.

    ``applicable`` of the ``examined`` cases met the hypotheses, for ``tested`` of these there is a figure, which tells nothing for
    ``undecided`` of them (``open`` is the first such verdict, ``why`` what most of them say); ``cut`` checks were broken off by
    the clock. All verdicts of the search together err with probability at most ``error_rate``: the k-th check of a witness on
    fresh randomness has ERROR_RATE / 2 / (k (k + 1)), the k-th look in the n-th stretch of the search (from 0) that over
    (n + 1) (n + 2); what is never sampled counts for nothing.
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


class _Search:
    """The state of one search: the clock, what has been seen, the checks of witnesses."""

    def __init__(self, claim: Claim, seconds: float, seed: int) -> None:
        self.claim, self.seed = claim, seed
        self.began = time.perf_counter()
        self.end = self.began + seconds
        deadline = self.end - min(TAIL[0] * seconds, TAIL[1])
        self.clock = Clock(self.began, deadline)  # of the exploring
        slice = SLICE * seconds
        self.looks = Looks(claim, seed, 0, deadline, slice, deadline)
        self.confirmations, self.cut = 0, 0
        self.spent = 0.0
        self.remark = ""
        self.classes = list[str]()
        self.decided = set[str]()  # cases that few runs had left open

    @property
    def seen(self) -> Seen:
        return self.looks.seen

    def full(self, case: Case) -> Verdict:
        """The verdict of all the looks, on randomness that nothing before has seen."""
        self.confirmations += 1
        k = self.confirmations
        rate = ERROR_RATE / 2 / (k * (k + 1))
        verdict = checked(self.claim, case, rate, (self.seed + k) % (MAX_SEED + 1), enough(case, STAGES))
        self.spent += rate if verdict.error_rate else 0.0
        return verdict


def _require_options(seconds: float, seed: int, start: Sequence[Case], max_cases: int | None, jobs: int) -> None:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < math.inf:
        raise ValueError(f"seconds must be a positive number, got {seconds!r}")
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1:
        raise ValueError(f"jobs must be a positive integer, got {jobs!r}")
    require_seed(seed)
    if max_cases is not None and (isinstance(max_cases, bool) or not isinstance(max_cases, int) or max_cases < 0):
        raise ValueError(f"max_cases must be a nonnegative integer, got {max_cases!r}")
    if not isinstance(start, tuple | list) or not all(isinstance(case, Case) for case in start):
        raise ValueError(f"start must be a tuple of Cases, got {start!r}")


def falsify(
    claim: Claim | str,
    *,
    seconds: float = 60.0,
    seed: int = 0,
    start: tuple[Case, ...] = (),
    max_cases: int | None = None,
    jobs: int = 1,
) -> Falsification:
    """Search for a case on which the claim is violated, for at most ``seconds`` (or ``max_cases``, beside those it begins with).

    It begins with the cases in ``start`` and with the claim's own, the shortest first, and climbs from all it has seen.
    The search is the same for any machine and any number of ``jobs`` (processes) as long as it is not cut by the clock,
    which is heard whenever Python runs.
    Ctrl-C ends it too: what was found until then is returned, marked ``interrupted``.
    ValueError where a check breaks, or a variant can't be run.
    """
    claim = find(claim) if isinstance(claim, str) else claim
    if claim.family is None or claim.measure is None:
        raise ValueError(f"{claim.id} can't be searched: it has no {'measure' if claim.measure is None else 'family'}")
    _require_options(seconds, seed, start, max_cases, jobs)
    search = _Search(claim, seconds, seed)
    found, interrupted = None, False
    with heard():
        try:
            found = _searched(search, start, max_cases, jobs)
        except KeyboardInterrupt:
            interrupted = True
        if interrupted:
            found = _confirmed(search)
        elif found is not None:
            found, interrupted = _shrunk(search, found)
    took = time.perf_counter() - search.began
    if took > seconds + GRACE:
        search.remark = f"{took - seconds:.1f} s too long, in a call that can't be broken off"
    seen = search.seen
    return Falsification(
        claim,
        found,
        seen.nearest,
        seen.examined,
        seen.applicable,
        took,
        interrupted,
        seen.tested,
        seen.cut + search.cut,
        seen.spent + search.spent,
        seen.reason,
        search.remark,
        seen.undecided.total(),
        next((why for why, _ in seen.undecided.most_common(1)), ""),
        seen.open,
        tuple(search.classes),
    )


def _searched(search: _Search, start: Iterable[Case], max_cases: int | None, jobs: int) -> Verdict | None:
    """Look at what is given, at whole classes and at the claim's own cases, then let the portfolio search.

    Until a witness is confirmed, the clock ends it, or there are enough cases.
    """
    looks = search.looks
    for case in start:
        looks.look(case)
        if (found := _confirmed(search)) is not None:
            return found
    for case in _worst_of_classes(search):
        looks.look(case, STAGES)
        if (found := _confirmed(search)) is not None:
            return found
    if (found := _of_own_cases(search)) is not None:
        return found
    portfolio = Portfolio(search.claim, search.seed, search.clock, search.seen, max_cases)
    with closing(portfolio.run(jobs)) as members:
        for seen in members:
            search.seen.join(seen)
            if (found := _confirmed(search)) is not None:
                return found
            if search.seen.error is not None:
                raise search.seen.error
            if (found := _decided(search, portfolio.climbed)) is not None:
                return found
    return None


def _of_own_cases(search: _Search) -> Verdict | None:
    """A witness among the claim's own cases: one look at each first, as more looks take minutes."""
    last = search.began + OWN * (search.end - search.began)
    open_still: list[Verdict] = []
    for case in _own_cases(search, last):
        verdict = search.looks.look(case, STAGES[:1], last)
        if (found := _confirmed(search)) is not None:
            return found
        open_still += [verdict] if verdict is not None and verdict.status == "inconclusive" else []
    for verdict in sorted(open_still, key=lambda v: -(v.ratio or 0.0)):
        if search.looks.over or time.perf_counter() > last:
            break
        search.looks.look_longer(verdict, STAGES, last)
        if (found := _confirmed(search)) is not None:
            return found
    return None


def _decided(search: _Search, climbed: bool) -> Verdict | None:
    """The best case, where few runs of it seem to violate the claim and leave it open, looked at longer: a witness if it is one.

    Not before it was ``climbed`` from, unless it seems violated by far: what hardly is takes many runs.
    """
    best = search.seen.best[0] if search.seen.best else None
    if best is None or best.status != "inconclusive" or best.n_seeds >= STAGES[0]:
        return None
    name = best.case.arguments()
    if (best.ratio or 0.0) <= (SEEMS if climbed else SURELY) or name in search.decided or search.looks.over:
        return None
    search.decided.add(name)
    search.looks.look_longer(best, enough(best.case, STAGES[:1]))
    return _confirmed(search)


def _worst_of_classes(search: _Search) -> Iterable[Case]:
    """Instances that exceed the bound, by what solvers say of whole classes; noted where there are none."""
    found = answers(search.claim)
    while True:
        answer: Answer | None = None
        with suppress(Late), until(search.began + CLASSES * (search.clock.deadline - search.began)):
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
        with suppress(Late), until(min(last, search.clock.deadline)):
            cases = sorted(search.claim.all_cases("full")[len(own) :] if more else own, key=length)
        for case in cases:
            if search.looks.over or time.perf_counter() > last:
                return
            yield case


def length(case: Case) -> tuple[float, tuple[int, float]]:
    """How many steps a run of the case has, then how long its numbers are."""
    try:
        steps = math.prod(to_float(case.constants.get(s, 1)) for s in (n_rounds, n_clients, n_local_steps))
    except (ValueError, ArithmeticError):
        steps = math.inf
    return steps, cost(case)


def _confirmed(search: _Search, witness: Verdict | None = None) -> Verdict | None:
    """The witness (what the search has seen as one), checked again on fresh randomness with the full effort.

    None, and the search goes on, if it falls. An exact verdict that the clock leaves no time to repeat stands as it is.
    """
    witness = search.seen.witness if witness is None else witness
    if witness is None:
        return None
    again: Verdict | None = None
    with suppress(Late), until(search.end):
        again = search.full(witness.case)
    search.seen.witness = None
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
                verdict = search.looks.short(case)
                if verdict.status == "violated":
                    return verdict
    return None
