"""An adversary that searches for the hardest game of a learner: the one with the largest regret relative to the bound.

A learner without randomness always answers the same responses the same way, so an adversary that knows it amounts to
a table of responses, fixed before the game. It plans a few phases; in each it gives one row, or follows a rule on
the decisions of a copy of the learner. Plans grow phase by phase, scored by the regret of the completed game; then
their lengths and rows are changed step by step. ``check_claim`` decides the reported game anew.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np

from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.evidence.verdict import Verdict, ratio_text, reproducer_line
from fltheory.games.hindsight import best_decision
from fltheory.games.player import Learner, next_player_state, valid_play
from fltheory.games.static_regret import StaticRegret
from fltheory.model.bound import BoundError
from fltheory.model.case import Case, Instance
from fltheory.number import Number, exact
from fltheory.problems.responses import ADVERSARIES, AdaptiveResponses, ResponseTable
from fltheory.runs.constants import run_constants
from fltheory.search.deadline import deadline_of, has_passed, require_seconds
from fltheory.search.game_plans import (
    Move,
    Plan,
    distinct_plans,
    extend_plan,
    extreme_rows,
    merge_phases,
    neighbour_plan,
    random_plan,
    round_robin_plans,
    round_share,
    stretch_plan,
)
from fltheory.verification import find

BATCH_SIZE = 200  # games played at once
BEAM_WIDTH = 6  # plans extended at once
CUT_FRACTIONS = (0.1, 0.25, 0.4, 0.6, 0.8, 0.9)  # fractions at which a last phase is cut in two
MAX_PHASES = 3  # plans to extend
POOL_SIZE = 16  # plans changed at once
MAX_IDLE_BATCHES = 4  # batches without gain before a restart
COARSENING_FACTOR = 4  # a game with this factor fewer rounds is attacked first, and its plans are stretched
MIN_COARSE_ROUNDS = 50  # least rounds for that
MIN_GAIN = 1e-4  # least relative gain
MAX_PHASES_TO_DROP = 40  # largest number of phases for trying to drop one
SIMPLIFICATION_LOSS = 2e-3  # part of the regret that may be lost for a table with fewer rows


@dataclass(frozen=True)
class HardestGame:
    """The hardest game found, with its verdict; ``examined`` games were played in floats to find it.

    ``plan`` describes the adversary, with responses as shares of the range.
    """

    claim: Claim
    verdict: Verdict
    plan: Plan
    examined: int
    seconds: float

    @property
    def case(self) -> Case:
        """Return the game as a table of responses."""
        return self.verdict.case

    @property
    def ratio(self) -> float:
        """Return regret over bound, by ``check_claim``: above 1 for a counterexample."""
        return self.verdict.ratio or 0.0

    @property
    def line(self) -> str:
        """Return a line of Python that checks the game again."""
        return self.verdict.counterexample or reproducer_line(self.verdict.subject, self.case)

    def __str__(self) -> str:
        found = f"{self.claim.id}: {self.verdict.status}, ratio {ratio_text(self.ratio)} ({self.verdict.evidence})"
        return f"{found}, {self.examined} games in {self.seconds:.1f} s\n  {self.line}"


def hardest_game(
    claim: Claim | str,
    n_clients: int,
    n_rounds: int,
    *,
    low: Number = 0,
    high: Number = 1,
    settings: Mapping[str, Any] | None = None,
    seed: int = 0,
    max_games: int = 4000,
    seconds: float | None = None,
    looking: bool = True,
    start: Iterable[Case] = (),
) -> HardestGame:
    """Search games of these sizes, with all clients taking part, for the largest regret over the bound.

    ``settings``: constants of the learner that the claim leaves free. It ends after about ``max_games`` games, with the
    same result anywhere for a seed, unless a clock ends it after ``seconds``. Without ``looking`` no rule is used, so
    that the table has few rows. ``start``: tables of the same sizes to begin with. ValueError if the claim is not about
    the static regret of a learner, or does not apply at these constants.
    """
    claim = find(claim) if isinstance(claim, str) else claim
    for name, value in (("n_clients", n_clients), ("n_rounds", n_rounds)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ValueError(f"{name} = {value!r}: expected a positive integer")
    require_seconds(seconds)
    began, deadline = time.perf_counter(), deadline_of(seconds)
    arena = _Arena(claim, n_clients, n_rounds, exact(low), exact(high), dict(settings or {}))
    given = [arena.plan(case.instance) for case in start]
    rules = ADVERSARIES if looking else ()
    plans: list[Plan] = []
    examined = 0
    for rounds in _horizons(n_rounds):
        last = rounds == n_rounds
        shorter_arena = arena if last else arena.shorter(rounds)
        search = _PlanSearch(shorter_arena, Random(seed), rules, deadline, max_games if last else max_games // 2)
        plans = search.run([*(given if last else []), *(found for p in plans if (found := stretch_plan(p, rounds)))])
        examined += search.examined
    plan = search.simplest_plan()
    verdict = check_claim(claim, arena.case(plan))
    if verdict.status == "inapplicable":
        raise ValueError(f"{claim.id}: {verdict.reason}")
    return HardestGame(claim, verdict, plan, examined, time.perf_counter() - began)


def _horizons(n_rounds: int) -> list[int]:
    """Return the rounds of the games that are attacked one after the other, ending with n_rounds."""
    found = [n_rounds]
    while found[0] >= COARSENING_FACTOR * MIN_COARSE_ROUNDS:
        found.insert(0, found[0] // COARSENING_FACTOR)
    return found


class _Arena:
    """A simulator that plays plans against copies of the claim's learner, in floats."""

    def __init__(self, claim: Claim, n: int, rounds: int, low: Number, high: Number, settings: dict[str, Any]) -> None:
        if not isinstance(claim.measure, StaticRegret) or not isinstance(claim.algorithm, Learner):
            raise ValueError(f"{claim.id} is not about the static regret of a learner")
        if n < 2 or rounds < 1:
            raise ValueError(f"{n} clients and {rounds} rounds: expected at least 2 and 1")
        self.n, self.rounds, self.low, self.high, self.settings, self.claim = n, rounds, low, high, settings, claim
        self.learner, self.loss = claim.algorithm, claim.measure.loss
        some = self.case(Plan((((1.0, *[0.0] * (n - 1)), rounds),)))
        try:
            full = claim.prepared(some)
        except BoundError as error:
            raise ValueError(f"{claim.id}: {error}") from error
        failed = (assumption.failed(full, claim.algorithm) for assumption in claim.assumptions)
        conditions = (bound.failed_condition(full.constants) for bound in claim.bounds)
        for reason in (*failed, *conditions):
            if reason:
                raise ValueError(f"{claim.id} says nothing here: {reason}")
        self.c = run_constants(full, None)
        self.rules = [AdaptiveResponses(kind, n, rounds) for kind in ADVERSARIES]

    def shorter(self, rounds: int) -> _Arena:
        """Return the simulator for fewer rounds."""
        return _Arena(self.claim, self.n, rounds, self.low, self.high, self.settings)

    def played(self, plans: list[Plan]) -> tuple[np.ndarray, np.ndarray]:
        """Return total losses (plans,), and the responses as shares of the range (plans, rounds, clients)."""
        n, blank = len(plans), (0.0,) * self.n
        moves = [plan.moves for plan in plans]
        answered = np.array([[blank if isinstance(m, str) else m for m in row] for row in moves])
        rule = np.array([[ADVERSARIES.index(m) if isinstance(m, str) else -1 for m in row] for row in moves])
        looked = [[k for k in range(len(self.rules)) if (at == k).any()] for at in rule.T]
        span, floor = float(self.high - self.low), float(self.low)
        state, paid = self.learner.init(n, self.c), np.zeros(n)
        everyone = np.ones((n, self.n), dtype=np.int64)
        for t in range(self.rounds):
            p = valid_play(self.learner, state, self.c, n, t)
            for k in looked[t]:
                here = np.flatnonzero(rule[:, t] == k)
                answered[here, t] = self.rules[k].reveal(t, p[here], self.rules[k].memory(len(here)), None)[0]
            response = floor + span * answered[:, t]
            paid += self.loss.value(p, response)
            if t + 1 < self.rounds:
                state = next_player_state(self.learner, state, everyone, response, self.c, t)
        return paid, answered

    def regrets(self, plans: list[Plan]) -> list[float]:
        """Return the regret of every plan's game."""
        paid, answered = self.played(plans)
        return [float(own - self._least(table)) for own, table in zip(paid, answered, strict=True)]

    def _least(self, table: np.ndarray) -> float:
        """Return the loss of the best fixed decision on shares (rounds, clients)."""
        found, counts = np.unique(table, axis=0, return_counts=True)
        responses = float(self.low) + float(self.high - self.low) * found
        p, _ = best_decision(responses, counts, self.loss)
        return float(counts @ self.loss.value(p, responses))

    def without_rules(self, plan: Plan) -> Plan:
        """Return the plan with rules replaced by their responses."""
        if all(isinstance(move, tuple) for move, _ in plan.phases):
            return plan
        answered = self.played([plan])[1][0]
        return Plan(tuple((tuple(row), 1) for row in answered.tolist())).merged()

    def case(self, plan: Plan) -> Case:
        """Return the plan as a table of responses."""
        plan = self.without_rules(plan)
        span = self.high - self.low
        table = tuple(tuple(self.low + span * Fraction(share) for share in move) for move, _ in plan.phases)
        counts = tuple(n for _, n in plan.phases)
        return Case(ResponseTable(table, counts, self.high, self.low, plan.repeat), **self.settings)

    def plan(self, table: Instance) -> Plan:
        """Return a table of these sizes as a plan, its responses rounded; ValueError for other games."""
        if not isinstance(table, ResponseTable) or (table.n_clients, table.n_rounds) != (self.n, self.rounds):
            raise ValueError(f"expected a table of {self.n} clients and {self.rounds} rounds, got {table!r}")
        span = self.high - self.low
        moves = [tuple(round_share(float((v - self.low) / span)) for v in row) for row in table.responses]
        return Plan(tuple(zip(moves, table.counts_of, strict=True)), table.repeat)


class _PlanSearch:
    """The state of one search: the games played, the best plan, the clock."""

    def __init__(self, arena: _Arena, random: Random, rules: tuple[str, ...], deadline: float, most: int) -> None:
        self.arena, self.random, self.rules, self.deadline, self.most = arena, random, rules, deadline, most
        self.found: dict[Plan, float] = {}

    @property
    def examined(self) -> int:
        """Return how many different games were played."""
        return len(self.found)

    @property
    def over(self) -> bool:
        return bool(self.found) and (self.examined >= self.most or has_passed(self.deadline))

    def run(self, start: list[Plan]) -> list[Plan]:
        """Extend plans and change the best ones, restarting when that no longer helps; return the best ones."""
        pool, turn = self._beam_search(start), 0
        while not self.over:
            self._mutate(pool)
            pool, turn = self._restart_pool(turn), turn + 1
        return self._best()[:POOL_SIZE]

    def _best(self) -> list[Plan]:
        return sorted(self.found, key=lambda plan: -self.found[plan])

    def _restart_pool(self, turn: int) -> list[Plan]:
        """Return plans for a restart: in turn the best periodic ones, random ones, the best without rules, the best."""
        if turn % 4 == 0:
            return [plan for plan in self._best() if plan.repeat > 1]
        if turn % 4 == 1:
            n, rounds = self.arena.n, self.arena.rounds
            return self._rank(random_plan(self.random, n, rounds, self.rules) for _ in range(BATCH_SIZE))
        best = self._best()[:POOL_SIZE]
        return best if turn % 4 == 3 else self._rank([self.arena.without_rules(plan) for plan in best])

    def _rank(self, plans: Iterable[Plan]) -> list[Plan]:
        """Sort plans by regret, the largest first; new ones are played, until the search is over."""
        asked = list(dict.fromkeys(plan.merged() for plan in plans))
        new = [plan for plan in asked if plan not in self.found]
        for i in range(0, len(new), BATCH_SIZE):
            if self.over:
                break
            batch = new[i : i + BATCH_SIZE]
            self.found.update(zip(batch, self.arena.regrets(batch), strict=True))
        return sorted((plan for plan in asked if plan in self.found), key=lambda plan: -self.found[plan])

    def _beam_search(self, start: list[Plan]) -> list[Plan]:
        """Run a beam search over the phases: cut the last one, and play the rest to the end of the game."""
        n, rounds = self.arena.n, self.arena.rounds
        moves: list[Move] = [*extreme_rows(n), *self.rules]
        pool = self._rank([*start, *(Plan(((move, rounds),)) for move in moves), *round_robin_plans(n, rounds)])
        for _ in range(MAX_PHASES - 1):
            children = [
                child
                for plan in distinct_plans(pool, n)[:BEAM_WIDTH]
                for child in extend_plan(plan, moves, CUT_FRACTIONS)
            ]
            pool = self._rank([*pool, *distinct_plans(children, n)])
        return pool

    def _mutate(self, pool: list[Plan]) -> None:
        """Change the best plans repeatedly, until the search is over or makes no gain for a while."""
        idle = 0
        while pool and not self.over and idle < MAX_IDLE_BATCHES:
            pool = pool[:POOL_SIZE]
            before = self.found[pool[0]]
            parents = self.random.choices(pool, [1 / (1 + i) for i in range(len(pool))], k=BATCH_SIZE)
            changed = [neighbour_plan(plan, self.random, self.arena.n, self.rules) for plan in parents]
            pool = self._rank([*pool, *changed])
            idle = 0 if self.found[pool[0]] > before + MIN_GAIN * abs(before) else idle + 1

    def simplest_plan(self) -> Plan:
        """Return the plan with the fewest table rows, then phases, among those with almost the largest regret."""
        best = max(self.found.values())
        least = best - SIMPLIFICATION_LOSS * abs(best)
        plan = min((p for p in self.found if self.found[p] >= least), key=lambda p: (p.n_rows, -self.found[p]))
        while 1 < len(plan.phases) <= MAX_PHASES_TO_DROP:
            tried = merge_phases(plan)
            regrets = self.arena.regrets(tried)
            if max(regrets) < least:
                break
            plan = tried[regrets.index(max(regrets))]
        return plan
