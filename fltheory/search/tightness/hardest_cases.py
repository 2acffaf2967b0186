"""The search for cases that force constants up: own cases, whole classes, samples, then local searches for each aim."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from random import Random

import numpy as np

from fltheory.claims.case_search import StopSearch, search_cases
from fltheory.claims.check import ERROR_RATE
from fltheory.evidence.measured import STAGES
from fltheory.evidence.validation.replay import skip_comparison
from fltheory.model.case import Case
from fltheory.search.deadline import DeadlinePassed, stop_at_deadline
from fltheory.search.evaluations import EVALUATION_COST, LEAF_COST
from fltheory.search.local_search import ScoredCase, climb_rearranged, cma_es, continue_to_longer, hill_climb
from fltheory.search.neighbours import leaves
from fltheory.search.portfolio import Budget
from fltheory.search.tightness.constraints import CASE_ERRORS, Fact, fact_of
from fltheory.search.tightness.targets import FactTable, WeightTarget, vertex, weight_targets
from fltheory.search.tightness.terms import Terms
from fltheory.search.whole_class import attaining_cases
from fltheory.work import BudgetExhausted, spend, work_limit

BATCH_SIZE = 40  # cases sampled between two rounds of local search
MAX_COUNT = 10**6  # largest count in a case
CLIMB_MOVES = 60  # moves of a local search
POOL_SIZE = 6  # facts to start from
SLICE_LIMITS = (0.04, 50.0)  # part of the work that an evaluation may take, and least units
OWN_SHARE, CLASSES_SHARE = (0.25, 0.15)  # parts of the work for the claim's own cases and for those of whole classes
CMA_SHARE, REARRANGED_SHARE = 0.25, 0.1  # shares of the local searches by CMA-ES or by rearranged clients
CONTINUATION_MOVES = 500  # cases of a continuation


class FactSearch:
    """The state of one search; a fact does not depend on weights, so all facts serve every aim.

    It ends after ``work`` units on the meter, after ``most`` cases, or at the user's deadline.
    """

    def __init__(
        self, terms: Terms, budget: Budget, seed: int, settings: dict[str, object], most: int | None = None
    ) -> None:
        self.terms, self.seed, self.random, self.settings, self.most = terms, seed, Random(seed), settings, most
        self.budget = budget
        self.slice = max(SLICE_LIMITS[0] * budget.work, SLICE_LIMITS[1])
        self.facts: list[Fact] = []
        self.told: dict[str, Fact | None] = {}
        self.examined = self.cut = self.late = 0
        self.reason = ""

    @property
    def over(self) -> bool:
        """Return whether the work, the time or the number of cases is used up."""
        return self.budget.over or (self.most is not None and self.examined >= self.most)

    def look(self, case: Case, most: float = math.inf, far: bool = False) -> Fact | None:
        """Return the fact of a case, from the cache if known; None if it has none or takes too much work.

        ``far``: runs of any length are allowed, within the work.
        """
        try:
            case = case.with_settings(**self.settings) if self.settings else case
            name = case.arguments()
        except ValueError as error:
            self.reason = self.reason or str(error)
            return None
        if name in self.told:
            return self.told[name]
        if self.over or (_is_too_long(case) and not far):
            return None
        return self._told(case, name, min(self.slice, most))

    def judged(self, case: Case) -> Fact | None:
        """Return the fact of a case that another search checked, even if its run is long or was cut before."""
        name = case.arguments()
        known = self.told.get(name)
        return self._told(case, name, self.budget.left) if known is None else known

    def _told(self, case: Case, name: str, most: float) -> Fact | None:
        self.told[name] = None
        self.examined += 1
        rate = ERROR_RATE / 2 / (self.examined * (self.examined + 1))
        try:
            with stop_at_deadline(self.budget.deadline), work_limit(most), skip_comparison():
                spend(EVALUATION_COST + LEAF_COST * len(leaves(case)))
                fact = fact_of(self.terms, case, rate, self.seed, STAGES[:1])
        except BudgetExhausted:
            self.cut += 1
            return None
        except DeadlinePassed:
            self.late += 1
            return None
        except CASE_ERRORS as error:
            self.reason = self.reason or str(error)
            return None
        self.facts.append(fact)
        self.told[name] = fact
        return fact

    def run(self, start: Iterable[Case] = ()) -> None:
        """Evaluate the given cases, then search until the work is done."""
        with suppress(BudgetExhausted):
            self._run(start)

    def _run(self, start: Iterable[Case]) -> None:
        claim, meter = self.terms.claim, self.budget.meter
        last = meter.spent + OWN_SHARE * self.budget.left
        for case in start:
            self.look(case)
        own = (*claim.cases, *(() if claim.tightest is None else (claim.tightest,)))
        for case in own:
            if meter.spent > last:
                break
            self.look(case)
        for case in self._class_cases(CLASSES_SHARE * self.budget.work):
            self.look(case)
        aims, turn = weight_targets(len(self.terms.exprs)), 0
        idle = 0
        while not self.over and idle < 2 * BATCH_SIZE:
            before = self.examined
            self._draw(turn)
            for aim in aims:
                self._climb(aim, turn)
                if aim != aims[0]:
                    self._climb(aims[0], turn)
            idle = idle + 1 if self.examined == before else 0
            turn += 1

    def _class_cases(self, most: float) -> Iterator[Case]:
        """Yield instances that attain the worst case of a class at the constants of own cases, within this work."""
        found, meter = attaining_cases(self.terms.claim), self.budget.meter
        last = meter.spent + most
        while meter.spent < last:
            case: Case | None = None
            with (
                suppress(DeadlinePassed, BudgetExhausted),
                stop_at_deadline(self.budget.deadline),
                work_limit(last - meter.spent),
            ):
                case = next(found, None)
            if case is None:
                return
            yield case

    def _draw(self, turn: int) -> None:
        """Evaluate a batch of cases of the claim's family, steered to a large factor."""
        family = self.terms.claim.family
        if family is None:
            return

        def examine(case: Case) -> float | None:
            if self.over:
                raise StopSearch
            fact = self.look(case)
            return None if fact is None else float(FactTable.of([fact]).scores(WeightTarget())[0])

        search_cases(family(), self.seed * 1_000_003 + turn, BATCH_SIZE, examine)

    def _climb(self, aim: WeightTarget, turn: int) -> None:
        """Search locally from one of the best facts for the aim, perhaps by CMA-ES, then try longer runs."""
        if not self.facts:
            return
        best = self.rank_facts(aim)[:POOL_SIZE]
        fact = best[0 if turn % 2 == 0 else self.random.randrange(len(best))]
        ground = _TargetObjective(self, Scorer(aim, FactTable.of(self.facts)))
        at = ScoredCase(fact.case, ground.against(fact))
        kind = self.random.random()
        if kind < CMA_SHARE:
            at = cma_es(ground, at, CLIMB_MOVES)
        elif kind < CMA_SHARE + REARRANGED_SHARE:
            at = climb_rearranged(ground, at, CLIMB_MOVES)
        else:
            at = hill_climb(ground, at, CLIMB_MOVES, mixed=True)
        continue_to_longer(ground, at, CONTINUATION_MOVES)

    def rank_facts(self, aim: WeightTarget) -> list[Fact]:
        """Return the facts, the best for the aim first."""
        order = np.argsort(-FactTable.of(self.facts).scores(aim), kind="stable")
        return [self.facts[i] for i in order]


class _TargetObjective:
    """The objective of a local search for one aim: the score of a case is that of its fact."""

    def __init__(self, hunt: FactSearch, against: Scorer) -> None:
        self.hunt, self.against, self.random = hunt, against, hunt.random

    @property
    def over(self) -> bool:
        return self.hunt.over

    def score(self, case: Case) -> float | None:
        """Return the score, None if the case has no fact."""
        fact = self.hunt.look(case)
        return None if fact is None else self.against(fact)


def _is_too_long(case: Case) -> bool:
    """Return whether a run is too long to be worth its time."""
    return any(isinstance(v, int) and v > MAX_COUNT for _, v in case.settings)


class Scorer:
    """The score of one fact against the current vertex of the facts, or on its own."""

    def __init__(self, aim: WeightTarget, table: FactTable) -> None:
        self.aim, self.weights = aim, vertex(table, aim.prices) if aim.prices else None

    def __call__(self, fact: Fact) -> float:
        table = FactTable.of([fact])
        if self.weights is not None:
            covered = (table.rows * self.weights).sum(axis=1, keepdims=True)
            return float(replace(table, rows=covered).scores(WeightTarget(0))[0])
        return -math.inf if self.aim.prices else float(table.scores(self.aim)[0])
