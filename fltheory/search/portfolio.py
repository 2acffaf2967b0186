"""A portfolio of searches, in rounds: every member starts from the state before the round, so their order is free.

Members: samples of the family guided by Hypothesis; cases on which neighbouring claims are tight; hill climbing, alone
or with other moves; CMA-ES on logarithms; longer and longer runs, of the best case first; rearranged clients.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass

from fltheory.claims.case_search import StopSearch, search_cases
from fltheory.claims.check import inapplicable_reason
from fltheory.claims.claim import Claim
from fltheory.evidence.verdict import Verdict
from fltheory.model.case import Case
from fltheory.search.continuation import LENGTH_FACTOR, lengthen_repeatedly, try_longer
from fltheory.search.deadline import has_passed
from fltheory.search.evaluations import EVALUATION_COST, Evaluator, first_runs
from fltheory.search.history import CheckFailed, LengthenedCase, SearchState, search_score
from fltheory.search.local_search import ScoredCase, climb_rearranged, cma_es, continue_to_longer, hill_climb
from fltheory.search.starts.edges import edge_cases, scaled_cases
from fltheory.search.starts.nearby import neighbour_claim_cases
from fltheory.search.starts.patterns import pattern_cases
from fltheory.work import BudgetExhausted, Meter, separate_meter

BATCH_SIZE, MAX_DOUBLINGS = 60, 3  # cases from Hypothesis in a round; largest number of doublings
MIN_IMPROVEMENT = 1.01  # least relative improvement of the best ratio in a fruitful round
CLIMB_MEMBERS = (
    ("climb", 0, 120),
    ("climb", None, 120),
)  # rank of the starting case (None: another each round), number of cases
EDGE_STARTS = 3  # cases whose settings are moved to the ends of their ranges
OTHER_MEMBERS = (  # one of them in each round
    ("mixed", 0, 80),
    ("logs", 0, 80),
    ("otherwise", None, 50),
    ("longer", 0, 80),
    ("edges", None, 20),
)
DRAW_SHARE, MEMBER_SHARE, MIN_WORK = (
    0.15,
    0.06,
    30.0,
)  # of the remaining work for samples and patterns, for another member, and least units
PATTERN_ROUNDS, MAX_LENGTHENED = 60, 3  # initial size of a pattern; number of patterns lengthened
MIN_SLICE_SHARE, MIN_SLICE, MAX_SLICE_SHARE = (
    0.05,
    30.0,
    0.4,
)  # part of the work for an evaluation, least units, and largest part
MAX_IDLE_ROUNDS = 3  # rounds without a case, after which it ends
CUT_SHARE = 0.5  # of the evaluations of a round: if more were cut, they get twice the work


@dataclass(frozen=True)
class Member:
    """One member in one round: segment ``number`` of the search, over ``most`` cases, from the case of a verdict.

    It ends after ``work`` units, at the latest at the ``deadline``; one evaluation may take ``slice`` units, and the
    last one ends after ``units`` of the member in total.
    """

    kind: str
    number: int
    most: int
    start: Verdict | None
    seed: int
    deadline: float
    work: float
    slice: float
    units: float
    lengthened: frozenset[LengthenedCase] = frozenset()  # already lengthened cases


@dataclass(frozen=True)
class Budget:
    """The limits of a search: ``work`` units in total, on the ``meter``, and the user's ``deadline``."""

    work: float
    meter: Meter
    deadline: float = math.inf

    @property
    def left(self) -> float:
        """Return the remaining units."""
        return max(0.0, self.work - self.meter.spent)

    @property
    def over(self) -> bool:
        """Return whether no work is left for an evaluation, or the time is up."""
        return self.left < EVALUATION_COST or has_passed(self.deadline)

    def slice(self, slower: int) -> float:
        """Return the units for an evaluation, after this many doublings for cut ones."""
        return max(MIN_SLICE, min(MAX_SLICE_SHARE * self.work, MIN_SLICE_SHARE * self.work * 2.0**slower))

    def share(self, kind: str, members: int) -> float:
        """Return the units of one of the members of the next part of a round."""
        return min(
            self.left / members,
            max(MIN_WORK, (DRAW_SHARE if kind in ("draws", "patterns") else MEMBER_SHARE) * self.left),
        )


class Portfolio:
    """The rounds of a search: ``known`` holds the results, ``most`` cases are left (None: work alone ends it)."""

    def __init__(self, claim: Claim, seed: int, budget: Budget, known: SearchState, most: int | None) -> None:
        self.claim, self.seed, self.budget, self.known, self.left = claim, seed, budget, known, most
        self.number = self.slower = self.fruitless = 0
        self.begun = False  # whether patterns and edges of the first best case were tried
        self.climbed = False  # in the round whose last member is done

    def run(self, jobs: int) -> Generator[SearchState, None, None]:
        """Yield the results of the members in their order; the caller merges them.

        In each round the sampling members come first, then local searches from the best cases known by then.
        """
        turn = idle = 0
        while not self.budget.over and idle < MAX_IDLE_ROUNDS and (self.left is None or self.left > 0):
            tried = cut = 0
            before = _promise(self.known)
            for climbing in (False, True):
                members = self._members(
                    _climb_members(self.known.best, turn) if climbing else self._drawing_members(turn)
                )
                for member, seen in zip(members, _run_members(self.claim, members, self.budget, jobs), strict=False):
                    tried, cut = tried + seen.examined, cut + seen.cut
                    self.budget.meter.spent += seen.work
                    if self.left is not None:
                        self.left += max(0, member.most - seen.examined)
                    self.climbed = climbing and member is members[-1]
                    yield seen
            self.fruitless = 0 if _promise(self.known) > MIN_IMPROVEMENT * before else self.fruitless + 1
            self.slower += cut > CUT_SHARE * tried
            turn, idle = turn + 1, 0 if tried else idle + 1

    def _drawing_members(self, turn: int) -> list[tuple[str, Verdict | None, int]]:
        """Return neighbours at first, patterns of losses once there is a case for them, and samples.

        Samples increase while local searches fail.
        """
        first: list[tuple[str, Verdict | None, int]] = [("nearby", None, BATCH_SIZE)] if turn == 0 else []
        if self.known.best and not self.begun:
            self.begun = True
            first.append(("patterns", self.known.best[0], BATCH_SIZE))
            # of several cases: the best may be one that does not move, with which any setting is as good
            first += [("edges", verdict, BATCH_SIZE) for verdict in self.known.best[:EDGE_STARTS]]
        return [*first, ("draws", None, BATCH_SIZE * 2 ** min(self.fruitless, MAX_DOUBLINGS))]

    def _members(self, kinds: Sequence[tuple[str, Verdict | None, int]]) -> list[Member]:
        """Return numbered members with their shares of the remaining cases; those without a share are dropped."""
        sizes = [0] * len(kinds)
        for i in sorted(range(len(kinds)), key=lambda i: kinds[i][0] == "farther"):  # the last to get its share
            sizes[i] = kinds[i][2] if self.left is None else min(kinds[i][2], self.left)
            self.left = None if self.left is None else self.left - sizes[i]
        members = []
        for (kind, start, _), size in zip(kinds, sizes, strict=True):
            self.number += 1
            if size:
                work, slice = self.budget.share(kind, len(kinds)), self.budget.slice(self.slower)
                slice = min(slice, self.budget.left / len(kinds))
                most = min(work + slice, self.budget.left / len(kinds))
                ends = (self.budget.deadline, work, slice, most, frozenset(self.known.lengthened))
                members.append(Member(kind, self.number, size, start, self.seed, *ends))
        return members


def _promise(known: SearchState) -> float:
    """Return the score of the best case."""
    return search_score(known.best[0]) if known.best else 0.0


def _climb_members(best: Sequence[Verdict], turn: int) -> list[tuple[str, Verdict | None, int]]:
    if not best:
        return []
    kinds = (("farther", 0, 1), *CLIMB_MEMBERS, OTHER_MEMBERS[turn % len(OTHER_MEMBERS)])
    return [(kind, best[(turn + 1 if rank is None else rank) % len(best)], size) for kind, rank, size in kinds]


def _run_members(claim: Claim, members: Sequence[Member], budget: Budget, jobs: int) -> Iterator[SearchState]:
    """Yield the results of members in their order, in parallel with several jobs."""
    if jobs == 1 or len(members) < 2:
        for member in members:
            if has_passed(budget.deadline):
                return
            yield run_member(claim, member)
        return
    from joblib import Parallel, delayed

    pool = Parallel(n_jobs=jobs, batch_size=1, return_as="generator")
    yield from pool(delayed(run_member)(claim, member) for member in members)


def run_member(claim: Claim, member: Member) -> SearchState:
    """Return the result of one member, with the work spent; a broken check is stored as its error."""
    with separate_meter(member.units) as meter:
        looks = Evaluator(
            claim, member.seed, member.number, meter, member.work, member.slice, member.deadline, member.most
        )
        looks.seen.lengthened |= member.lengthened
        try:
            _play(looks, member)
        except BudgetExhausted:
            pass
        except KeyboardInterrupt:  # its results are kept, and the search ends when they are merged
            looks.seen.interrupted = True
    looks.seen.work, looks.seen.by = min(meter.spent, meter.most), member.kind
    return looks.seen


def _play(looks: Evaluator, member: Member) -> None:
    try:
        if member.kind == "draws":
            _draw(looks, member)
        elif member.kind == "nearby":
            _try_neighbours(looks)
        elif member.kind == "patterns" and member.start is not None:
            _try_patterns(looks, member.start.case)
        elif member.kind == "edges" and member.start is not None:
            _try_edges(looks, member.start.case)
        elif member.kind == "farther" and member.start is not None:
            try_longer(looks, member.start, any_case=False)
        elif member.start is not None:
            _climb(looks, member.kind, ScoredCase(member.start.case, search_score(member.start)), member.most)
    except ValueError as error:
        looks.seen.error = error


def _climb(looks: Evaluator, kind: str, at: ScoredCase, moves: int) -> None:
    if kind in ("climb", "mixed"):
        hill_climb(looks, at, moves, kind == "mixed")
    else:
        {"logs": cma_es, "longer": continue_to_longer, "otherwise": climb_rearranged}[kind](looks, at, moves)


def _draw(looks: Evaluator, member: Member) -> None:
    """Evaluate a batch of cases from the claim's family, steered to large ratios by Hypothesis."""
    assert looks.claim.family is not None

    def examine(case: Case) -> float | None:
        if looks.over:
            raise StopSearch
        try:
            case = looks.shorter(case)
            verdict = looks.look(case, first_runs(case))
            if verdict is None or verdict.ratio is None:
                return None
            try_longer(looks, verdict)
            return search_score(verdict)
        except ValueError as error:  # Hypothesis would print it
            looks.seen.error = error
            return None

    search_cases(looks.claim.family(), member.seed * 1_000_003 + member.number, member.most, examine)


def _try_neighbours(looks: Evaluator) -> None:
    """Try cases of other claims; one that does not fit this claim's check is not an error."""
    for case in neighbour_claim_cases(looks.claim):
        if looks.over:
            return
        try:
            looks.score(case)
        except CheckFailed:
            continue


def _try_patterns(looks: Evaluator, case: Case) -> None:
    """Try rows of lows and highs in turns and in phases, in short and long runs; lengthen the best."""
    found: list[Verdict] = []
    for rounds in (PATTERN_ROUNDS, LENGTH_FACTOR * PATTERN_ROUNDS):
        for pattern in pattern_cases(case, rounds):
            verdict = (
                None
                if looks.over or inapplicable_reason(looks.claim, pattern) is not None
                else looks.look(pattern, first_runs(pattern))
            )
            found += [] if verdict is None else [verdict]
    for verdict in sorted(found, key=lambda v: -search_score(v))[:MAX_LENGTHENED]:
        if not looks.over:
            lengthen_repeatedly(looks, verdict, looks.slice)


def _try_edges(looks: Evaluator, case: Case) -> None:
    """Try settings at the ends of their ranges, longer runs of these regardless of the result, and other scales."""
    for edge in edge_cases(looks.claim, case):
        verdict = None if looks.over else looks.look(edge, first_runs(edge))
        if verdict is not None and verdict.ratio is not None and not looks.over:
            lengthen_repeatedly(looks, verdict, looks.slice)
    for other in scaled_cases(case):
        if not looks.over and inapplicable_reason(looks.claim, other) is None:
            looks.look(other, first_runs(other))
