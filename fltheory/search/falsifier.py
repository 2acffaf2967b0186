"""The search for a counterexample: the claim's own cases, the worst of whole classes, then a portfolio of searches.

A counterexample is checked again on fresh randomness with the strongest evidence there is, then shrunk, before it is reported.
The limit on a search is counted in units of work (``fltheory.work``); a clock may end it early, but nothing else.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace

from fltheory.claims.check import ERROR_RATE
from fltheory.claims.claim import Claim, variant_of
from fltheory.evidence.measured import STAGES
from fltheory.evidence.sequential import steps_per_run
from fltheory.evidence.verdict import Verdict, card_rows, decisive_verdict, ratio_text, verdict_title
from fltheory.model import html_cards
from fltheory.model.case import Case
from fltheory.runs.method import VariantError
from fltheory.search.continuation import try_longer
from fltheory.search.deadline import (
    DeadlinePassed,
    deadline_of,
    deliver_interrupts,
    has_passed,
    require_seconds,
    stop_at_deadline,
)
from fltheory.search.evaluations import EVALUATION_COST, Evaluator, checked_verdict, deciding_stages, name_broken_check
from fltheory.search.history import CheckFailed, SearchState
from fltheory.search.neighbours import complexity, simpler_cases
from fltheory.search.portfolio import Budget, Portfolio
from fltheory.search.starts.beyond_family import family_exit_message
from fltheory.search.whole_class import ClassAnswer, class_answers
from fltheory.seeds import MAX_SEED, require_seed
from fltheory.verification import find, verdict_on
from fltheory.work import DEFAULT_WORK, BudgetExhausted, charge, require_work, separate_meter, spend, work_limit

CHECK_SHARE = 0.4  # part of the work for the check of one case
CONFIRM_SHARE, SHRINK_SHARE = 0.75, 0.1  # additional parts, to confirm a counterexample and simplify it
MIN_EXTRA_WORK = 200.0  # least units of each
SUSPECT_RATIO, CLEAR_RATIO = 1.0, 1.5  # ratios of a few runs that justify a longer check
DECIDE_SHARE = 0.5  # part of the remaining work to decide a case that seems clearly to violate
CLASSES_SHARE = 0.2  # part of the work for whole classes
END_TEXTS = {
    "work": "the work is done: give it more (--work)",
    "seconds": "ended by the clock",
    "cases": "as many cases as asked for",
    "family": "the family has no other case",
}


@dataclass(frozen=True)
class Falsification:
    """The result of a search: the violated verdict, or the nearest case.

    ``applicable`` of the ``examined`` cases met the hypotheses; ``tested`` of these gave a value, which was
    inconclusive for ``undecided`` (``open`` is the first such verdict, ``why`` the usual reason); ``cut`` checks took
    too much work, ``late`` ones were ended by the clock, and ``scouted`` ones were skipped as far from the bound in one
    run in floats. ``left``: the claim's own cases that are not decided, each with its reason. ``work`` units were
    spent, of which ``beside`` went beyond the given work, to confirm and simplify the counterexample; ``ended`` is what
    ended the search (a key of ENDED, or nothing).
    All verdicts of the search together err with probability at most ``error_rate``: an own case at most with CASE_RATE,
    the k-th check of a counterexample on fresh randomness with ERROR_RATE / 2 / (k (k + 1)), and the k-th evaluation in
    segment n (from 0) with that over (n + 1) (n + 2); exact evaluations count 0.
    """

    claim: Claim
    verdict: Verdict | None
    nearest: Verdict | None
    examined: int
    applicable: int
    seconds: float
    interrupted: bool = False  # Ctrl-C ended the search early
    tested: int = 0
    cut: int = 0
    error_rate: float = 0.0
    reason: str = ""  # why a case was not tested
    remark: str = ""  # on a counterexample that could not be confirmed
    undecided: int = 0
    why: str = ""  # of most of them
    open: Verdict | None = None
    classes: tuple[str, ...] = ()  # of clients for all of which the bound is proved
    late: int = 0
    work: int = 0
    ended: str = ""
    left: tuple[tuple[Case, str], ...] = ()
    scouted: int = 0
    broken: int = 0  # cases on which the check breaks, the first with message ``broke``
    broke: str = ""
    beside: int = 0
    by: str = ""  # source: ``start``, ``own cases``, ``whole classes``, a portfolio member, ``longer look``

    def __bool__(self) -> bool:
        raise TypeError("a search has three outcomes: ask for .found and .decided")

    @property
    def found(self) -> bool:
        """Return whether a counterexample was found."""
        return self.verdict is not None

    @property
    def decided(self) -> bool:
        """Return whether any case was decided; otherwise a failed search says nothing."""
        return self.found or self.tested > self.undecided

    def __repr__(self) -> str:
        return f"<Falsification of {self._name()}: {self._outcome()} ({self._seen()})>"

    def _repr_html_(self) -> str:
        if self.verdict is not None:
            return html_cards.card(
                self._name(), [*card_rows(self.verdict), ("search", html_cards.escape_text(self._seen()))]
            )
        nearest = self.nearest
        near = "" if nearest is None or nearest.ratio is None else f"ratio {ratio_text(nearest.ratio)} at "
        rows = [
            ("search", f"{html_cards.escape_text(self._outcome())}: {html_cards.escape_text(self._seen())}"),
            ("why", "" if self.decided else html_cards.escape_text(self._untested())),
            ("evidence", html_cards.escape_text("none: where a search finds nothing, nothing is proved")),
            (
                "nearest",
                f"{html_cards.escape_text(near)}{html_cards.code(repr(nearest.case))}"
                if nearest is not None and near
                else "",
            ),
        ]
        return html_cards.card(self._name(), rows)

    def _name(self) -> str:
        return verdict_title(self.claim.id, variant_of(self.claim))

    def _outcome(self) -> str:
        if self.verdict is not None:
            return self.verdict.status
        if self.decided:
            return "no counterexample found"
        return "NOTHING WAS DECIDED" if self.tested else "nothing was tested"

    def _seen(self) -> str:
        """Return the counts of evaluated cases in words."""
        parts = [
            f"{self.examined} case{'' if self.examined == 1 else 's'} examined",
            f"{self.applicable} within the hypotheses",
        ]
        parts += [f"{self.undecided} of {self.tested} tested INCONCLUSIVE"] if self.undecided else []
        parts += [f"{self.scouted} far from the bound in floats"] if self.scouted else []
        parts += [f"{self.broken} broken (the first: {self.broke})"] if self.broken else []
        parts += [f"{self.cut} cut, as they take too much work"] if self.cut else []
        parts += [f"{self.late} cut by the clock"] if self.late else []
        beside = f" ({self.beside} of it in addition, to confirm and shrink the counterexample)" if self.beside else ""
        parts += [f"work {self.work}{beside}", f"{self.seconds:.1f} s"]
        parts += [f"error rate at most {self.error_rate:.1g}"] if self.error_rate else []
        proved = [
            f"proved for {said}" for said in self.classes[-1:] if not self.found
        ]  # at some constants, not at others
        ended = "" if self.found else END_TEXTS.get(self.ended, "")
        return "; ".join(filter(None, (", ".join(parts), ended, self.remark, *proved)))

    def __str__(self) -> str:
        found = self.nearest if self.verdict is None else self.verdict
        left = family_exit_message(self.claim, found.case) if found is not None and self.decided else ""
        return f"{left}\n{self._text()}" if left else self._text()

    def _text(self) -> str:
        if self.verdict is not None:
            return f"{self.verdict}\n  {self._seen()}{self._left()}"
        outcome = f"{self._name()}: {self._outcome()} ({self._seen()})"
        if not self.decided:
            return f"{outcome}: {self._untested()}{self._left()}"
        nearest = f"; inconclusive: {self.why}" if self.undecided else ""
        if self.nearest is not None and self.nearest.ratio is not None:
            nearest += f"; nearest: ratio {ratio_text(self.nearest.ratio)} at {self.nearest.case}"
        return f"{outcome}{nearest}{self._left()}"

    def _left(self) -> str:
        """Return the claim's undecided own cases in words."""
        if not self.left:
            return ""
        case, why = self.left[0]
        return f"; of its own cases {len(self.left)} left undecided, the first {case}: {why}"

    def _untested(self) -> str:
        if self.tested:
            return self.why
        if self.applicable:
            return self.reason or "no verdict on any case"
        if self.late:
            return "the clock ended every check of a case that met the hypotheses or may have: give it more seconds"
        if self.cut:
            return "every check of a case that met the hypotheses or may have took too much work: give it more (--work)"
        return "no case met the hypotheses" + (f": {self.reason}" if self.reason else "")


class _FalsificationSearch:
    """The state of one search: its limits, its results, the checks of counterexamples."""

    def __init__(self, claim: Claim, budget: Budget, seed: int) -> None:
        self.claim, self.seed, self.budget = claim, seed, budget
        self.began = time.perf_counter()
        self.most = CHECK_SHARE * budget.work  # of one check
        self.looks = Evaluator(claim, seed, 0, budget.meter, budget.work, self.most, budget.deadline)
        self.confirmations = 0
        self.beside = 0.0  # units for confirmation and shrinking
        self.spent = 0.0
        self.remark = ""
        self.by = "start"  # source of the present results, see ``Falsification``
        self.ended = ""
        self.classes = list[str]()
        self.own = dict[str, Verdict]()  # on the claim's own cases, as every command reports them
        self.decided = set[str]()  # cases that few runs left undecided
        self.left = dict[str, tuple[Case, str]]()  # undecided own cases with reasons

    @property
    def seen(self) -> SearchState:
        return self.looks.seen

    def part(self, share: float) -> float:
        """Return units of the additional work."""
        return max(MIN_EXTRA_WORK, share * self.budget.work)

    def full(self, case: Case) -> Verdict:
        """Return the verdict after all batches, on fresh randomness."""
        self.confirmations += 1
        k = self.confirmations
        rate = ERROR_RATE / 2 / (k * (k + 1))
        verdict = checked_verdict(
            self.claim, case, rate, (self.seed + k) % (MAX_SEED + 1), deciding_stages(case, STAGES)
        )
        self.spent += rate if verdict.error_rate else 0.0
        return verdict


def _require_options(work: int, seconds: object, seed: int, start: object, max_cases: object, jobs: object) -> None:
    require_work(work)
    require_seconds(seconds)
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
    work: int = DEFAULT_WORK,
    seconds: float | None = None,
    seed: int = 0,
    start: Sequence[Case] = (),
    max_cases: int | None = None,
    jobs: int = 1,
) -> Falsification:
    """Search for a case on which a claim is violated.

    The search begins with ``start`` and with the claim's own cases. Its result does not depend on the machine, its load
    or ``jobs``, unless ``seconds`` ends it. Ctrl-C ends it as well; the result is then marked ``interrupted``.

    Parameters
    ----------
    claim : Claim or str
        The claim or its id.
    work : int
        Units of work to spend; the default takes about a minute.
    seconds : float, optional
        Time limit.
    seed : int
        Seed of all random numbers.
    start : sequence of Case
        Cases to begin with.
    max_cases : int, optional
        Number of cases to examine after those.
    jobs : int
        Number of processes.

    Returns
    -------
    Falsification
        ``verdict`` is the violated verdict, or None; ``nearest`` is the verdict that came nearest to a violation.

    Raises
    ------
    ValueError
        If the claim has no measure or no family, a check breaks, or the variant cannot be run.

    Examples
    --------
    >>> from fltheory import falsify
    >>> falsify("sfl/C4-GC@printed").verdict.status
    'violated'
    """
    claim = find(claim) if isinstance(claim, str) else claim
    if claim.family is None or claim.measure is None:
        raise ValueError(f"{claim.id} can't be searched: it has no {'measure' if claim.measure is None else 'family'}")
    _require_options(work, seconds, seed, start, max_cases, jobs)
    deadline = deadline_of(seconds)
    with deliver_interrupts(), separate_meter(work) as meter:
        search = _FalsificationSearch(claim, Budget(work, meter, deadline), seed)
        found, interrupted = None, False
        try:
            found = _search(search, start, max_cases, jobs)
        except BudgetExhausted:
            search.ended = "work"
            found = _confirm(search)
        except KeyboardInterrupt:
            interrupted = True
        verified = _own_cases_verdict(search)
        if verified is not None:
            found = verified
        elif interrupted:
            found = _confirm(search)
        elif found is not None:
            found, interrupted = _shrink(search, found)
    done = min(meter.spent, work) + search.beside
    charge(done)
    if search.seen.broke and not search.seen.tested and found is None and not interrupted:
        raise CheckFailed(search.seen.broke)
    return _falsification(search, found, interrupted, done)


def _falsification(
    search: _FalsificationSearch, found: Verdict | None, interrupted: bool, work: float
) -> Falsification:
    seen = search.seen
    return Falsification(
        search.claim,
        found,
        seen.nearest,
        seen.examined,
        seen.applicable,
        time.perf_counter() - search.began,
        interrupted,
        seen.tested,
        seen.cut,
        seen.spent + search.spent,
        seen.reason,
        search.remark,
        seen.undecided.total(),
        next((why for why, _ in seen.undecided.most_common(1)), ""),
        seen.open,
        tuple(search.classes),
        seen.late,
        math.ceil(work),
        "" if found is not None or interrupted else search.ended,
        tuple(search.left.values()),
        seen.scouted,
        seen.broken,
        seen.broke,
        math.ceil(search.beside),
        search.by if found is not None else "",
    )


def _search(search: _FalsificationSearch, start: Iterable[Case], max_cases: int | None, jobs: int) -> Verdict | None:
    """Search the given cases, the claim's own cases and whole classes, then run the portfolio.

    It ends when a counterexample is confirmed, the work is done, or there are enough cases.
    """
    looks = search.looks
    for case in start:
        looks.look(case)
        if (found := _confirm(search)) is not None:
            return found
    search.by = "own cases"
    if (found := _search_own_cases(search)) is not None:
        return found
    search.by = "whole classes"
    for case in _worst_class_cases(search):
        looks.look(case, STAGES)
        if (found := _confirm(search)) is not None:
            return found
    portfolio = Portfolio(search.claim, search.seed, search.budget, search.seen, max_cases)
    with closing(portfolio.run(jobs)) as members:
        for seen in members:
            search.seen.join(seen)
            search.by = seen.by
            if search.seen.interrupted:
                raise KeyboardInterrupt
            if (found := _confirm(search)) is not None:
                return found
            if search.seen.error is not None:
                raise search.seen.error
            if (found := _decide_best_open(search, portfolio.climbed)) is not None:
                return found
    if (found := _check_best_glanced(search)) is not None:
        return found
    clock, done = has_passed(search.budget.deadline), search.budget.over
    search.ended = "seconds" if clock else "work" if done else "family" if portfolio.left is None else "cases"
    return None


def _search_own_cases(search: _FalsificationSearch) -> Verdict | None:
    """Return a violation by the claim's own cases, as ``verify`` reports it, or by further cases of the profile."""
    for case in sorted(search.claim.cases, key=case_length):
        if has_passed(search.budget.deadline):
            search.left[case.arguments()] = case, "the clock ended the search before"
            continue
        if search.budget.over:
            search.left[case.arguments()] = case, "the work was done before"
            continue
        _check_own_case(search, case)
    if search.own and all(verdict.broken for verdict in search.own.values()):
        raise VariantError(next(iter(search.own.values())).reason)
    if (found := _own_cases_verdict(search)) is not None:
        return found
    for own in list(search.seen.best):
        try_longer(search.looks, own, search.budget.slice(0))
        if (found := _confirm(search)) is not None:
            return found
    open_still: list[Verdict] = []
    for case in _more_cases(search):
        verdict = search.looks.look(case, STAGES[:1])
        if (found := _confirm(search)) is not None:
            return found
        open_still += [verdict] if verdict is not None and verdict.status == "inconclusive" else []
    for verdict in sorted(open_still, key=lambda v: -(v.ratio or 0.0)):
        search.looks.reevaluate(verdict, STAGES, search.looks.slice)
        if (found := _confirm(search)) is not None:
            return found
    return None


def _own_cases_verdict(search: _FalsificationSearch) -> Verdict | None:
    """Return the verdict of ``verify`` on the own cases if some violate the claim: then the search ends."""
    if all(verdict.status != "violated" for verdict in search.own.values()):
        return None
    search.by = "own cases"
    in_order = [search.own[name] for case in search.claim.cases if (name := case.arguments()) in search.own]
    return replace(decisive_verdict(in_order), cases=len(in_order))


def _check_own_case(search: _FalsificationSearch, case: Case) -> None:
    """Record the verdict of every command on an own case, or the reason if it takes too much work or time."""
    why, began = "its check took too much work", search.budget.meter.spent
    try:
        with name_broken_check(search.claim, case), stop_at_deadline(search.budget.deadline), work_limit(search.most):
            verdict = verdict_on(search.claim, case, search.seed)
    except (BudgetExhausted, MemoryError):
        search.seen.examined, search.seen.cut = search.seen.examined + 1, search.seen.cut + 1
    except CheckFailed as error:
        search.seen.examined += 1
        search.seen.breaks(error)
        why = str(error)
    except DeadlinePassed:
        search.seen.examined, search.seen.late = search.seen.examined + 1, search.seen.late + 1
        why = "the clock ended its check"
    else:
        search.spent += verdict.error_rate
        search.own[case.arguments()] = verdict
        search.looks.own(verdict, search.budget.meter.spent - began)
        search.seen.counterexample = None
        if verdict.status != "inconclusive":
            return
        why = verdict.reason or "inconclusive"
    search.left[case.arguments()] = case, why


def _more_cases(search: _FalsificationSearch) -> Iterable[Case]:
    """Yield the other cases of the full profile, the shortest first, within a part of the work."""
    cases: list[Case] = []
    with suppress(DeadlinePassed), stop_at_deadline(search.budget.deadline):
        cases = sorted(search.claim.all_cases("full")[len(search.claim.cases) :], key=case_length)
    most = search.budget.meter.spent + search.most
    for case in cases:
        if search.looks.over or search.budget.meter.spent > most:
            return
        yield case


def _decide_best_open(search: _FalsificationSearch, climbed: bool) -> Verdict | None:
    """Check the best undecided apparent violation on more runs; return it if it is a counterexample.

    A near one is first improved by local search (``climbed``), as its decision takes many runs.
    """
    least = SUSPECT_RATIO if climbed else CLEAR_RATIO
    for best in search.seen.best:
        ratio, name = best.ratio or 0.0, best.case.arguments()
        if best.status != "inconclusive" or best.n_seeds >= STAGES[0] or ratio <= least or name in search.decided:
            continue
        if search.looks.over:
            return None
        search.decided.add(name)
        most = DECIDE_SHARE * search.budget.left if ratio > CLEAR_RATIO else 0.0
        search.looks.reevaluate(best, deciding_stages(best.case, STAGES if ratio > CLEAR_RATIO else STAGES[:1]), most)
        found = _confirm(search)
        search.by = "longer look" if found is not None else search.by
        return found
    return None


def _check_best_glanced(search: _FalsificationSearch) -> Verdict | None:
    """Check the best case in full, beyond the work, if it had only a quick evaluation."""
    seen = search.seen
    best = seen.best[0] if seen.best else None
    if best is None or best.case.arguments() not in seen.dear or not seen.would_report(best):
        return None
    search.by = "longer look"
    with (
        separate_meter(search.part(SHRINK_SHARE)) as meter,
        suppress(DeadlinePassed, BudgetExhausted, CheckFailed),
        stop_at_deadline(search.budget.deadline),
    ):
        told = search.looks.short(best.case)
        seen.keep_nearer(told)
        seen.counterexample = told if told.status == "violated" else None
    search.beside += min(meter.spent, meter.most)
    return _confirm(search)


def _worst_class_cases(search: _FalsificationSearch) -> Iterable[Case]:
    """Yield instances that exceed the bound, from solvers for whole classes; record if there are none."""
    found = class_answers(search.claim)
    most = search.budget.meter.spent + CLASSES_SHARE * search.budget.work
    while search.budget.meter.spent < most:
        answer: ClassAnswer | None = None
        with (
            suppress(DeadlinePassed, BudgetExhausted),
            stop_at_deadline(search.budget.deadline),
            work_limit(most - search.budget.meter.spent),
        ):
            answer = next(found, None)
        if answer is None:
            return
        if answer.case is None:
            search.classes.append(answer.said)
        else:
            yield answer.case


def case_length(case: Case) -> tuple[float, tuple[int, float]]:
    """Return the steps of a run of the case, then the length of its numbers."""
    return steps_per_run(case), complexity(case)


def _confirm(search: _FalsificationSearch, counterexample: Verdict | None = None) -> Verdict | None:
    """Return the counterexample, checked again on fresh randomness with full effort.

    Return None if it fails, and the search goes on. An exact verdict too costly to repeat stands.
    """
    counterexample = search.seen.counterexample if counterexample is None else counterexample
    if counterexample is None:
        return None
    again: Verdict | None = None
    most = max(0.0, search.part(CONFIRM_SHARE) - search.beside)  # for all of these together
    with (
        separate_meter(most) as meter,
        suppress(DeadlinePassed, BudgetExhausted),
        stop_at_deadline(search.budget.deadline),
    ):
        again = search.full(counterexample.case)
    search.beside += min(meter.spent, meter.most)
    search.seen.counterexample, glanced = None, search.seen.glanced
    search.seen.glanced = False
    if again is not None:
        return again if again.status == "violated" else None
    if counterexample.evidence == "exact" and not glanced:
        return counterexample
    what = "time" if has_passed(search.budget.deadline) else "work"
    search.remark = f"a case seemed to violate it, but no {what} was left to confirm that"
    return None


def _shrink(search: _FalsificationSearch, counterexample: Verdict) -> tuple[Verdict, bool]:
    """Shrink greedily to simpler cases that are still violated; return the original if the result is not confirmed.

    Ctrl-C, the clock or the work end it (the first is reported).
    """
    simplest, interrupted = counterexample, False
    try:
        with separate_meter(search.part(SHRINK_SHARE)) as meter, suppress(BudgetExhausted):
            while (plainer := _simpler_violation(search, simplest)) is not None:
                simplest = plainer
    except KeyboardInterrupt:
        interrupted = True
    search.beside += min(meter.spent, meter.most)
    if simplest is not counterexample:
        with suppress(CheckFailed):
            confirmed = _confirm(search, simplest)
            return counterexample if confirmed is None else confirmed, interrupted
    return counterexample, interrupted


def _simpler_violation(search: _FalsificationSearch, counterexample: Verdict) -> Verdict | None:
    """Return the first simpler case that is also violated."""
    for case in simpler_cases(counterexample.case):
        if has_passed(search.budget.deadline):
            return None
        if complexity(case) < complexity(counterexample.case):
            with suppress(CheckFailed, DeadlinePassed), stop_at_deadline(search.budget.deadline):
                spend(EVALUATION_COST)
                verdict = search.looks.short(case)
                if verdict.status == "violated":
                    return verdict
    return None
