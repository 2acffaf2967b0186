"""The search: a goal is closed in one line, or by lemmas and facts, or reduced to simpler goals, ever deeper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import sympy

from fltheory.proof import by
from fltheory.proof.language import Relation, Theorem
from fltheory.proof.terms import Grad, Val
from fltheory.proving.board import Board
from fltheory.proving.tactics import forward
from fltheory.proving.tactics.all_rounds.averages import averaged, without_sums_below
from fltheory.proving.tactics.all_rounds.exponentials import as_powers
from fltheory.proving.tactics.all_rounds.keeping import kept
from fltheory.proving.tactics.all_rounds.regret import summed
from fltheory.proving.tactics.all_rounds.strengthened import strengthened
from fltheory.proving.tactics.all_rounds.telescoping import telescoped
from fltheory.proving.tactics.all_rounds.unrolling import unrolled
from fltheory.proving.tactics.backward import reduced, simplified
from fltheory.proving.tactics.closing import close, close_at_once
from fltheory.proving.tactics.elimination import abstracted, eliminated, of_exponent
from fltheory.proving.tactics.goals import Solve
from fltheory.proving.tactics.lemmas import applied
from fltheory.proving.tactics.roots import of_square
from fltheory.proving.tactics.squared_sums import with_squared_sums
from fltheory.proving.tactics.sums import inserted, of_terms
from fltheory.proving.weighing import has_implicit, weighed

MOST_DEPTH = 5
FORWARD = (
    forward.instances,
    forward.signs,
    forward.lengths,
    forward.dotted,
    forward.spreads,
    forward.sums,
    forward.squares,
    with_squared_sums,
    forward.facts,
)
MOST_INSTANCES = 6  # of one lemma for one goal
MOST_WEIGHED = 3  # goals for which multipliers are sought


@dataclass
class Search:
    """A search with some lemmas, and the goals that it could not show."""

    lemmas: Sequence[Theorem] = ()
    failed: set[tuple[Relation, tuple[Relation, ...], int]] = field(default_factory=set)
    open: set[tuple[Relation, tuple[Relation, ...], tuple[Relation, ...]]] = field(default_factory=set)
    weighed: set[Relation] = field(default_factory=set)
    statement: Relation | None = None  # for which multipliers were sought before
    stuck: list[tuple[Relation, tuple[Relation, ...]]] = field(default_factory=list)

    def run(self, board: Board, claim: Relation) -> Board | None:
        """Return the board with a line that states the claim, or None."""
        self.statement = claim
        for lemma in self.lemmas:  # a lemma that states the goal
            if (lemma.statement.left, lemma.statement.right) == (claim.left, claim.right):
                for done in applied(board, claim, lemma, lambda b, c: None):
                    if done.lines[-1].claim == claim:
                        return done
        tactics: tuple[Solve, ...] = (
            lambda b, c: weighed(b, c, "explicit") if has_implicit(b) else None,
            lambda b, c: close(more, c) if (more := with_squared_sums(b, c)) is not b else None,
            self.at_once,
            self.of_rounds,
            kept,
            lambda b, c: of_square(b, c, lambda i, g: kept(i, g) or self.of_rounds(i, g)),
            lambda b, c: strengthened(b, c, partial(self.solve, depth=2)),
            self.of_steps,
            lambda b, c: averaged(b, c, self.of_points),
            lambda b, c: as_powers(b, c, self.of_rounds, partial(self.solve, depth=2)),
            lambda b, c: unrolled(b, c, partial(self.solve, depth=2)),
            *(partial(self.solve, depth=depth) for depth in range(1, MOST_DEPTH)),
        )
        return next((found for tactic in tactics if (found := tactic(board, claim)) is not None), None)

    def at_once(self, board: Board, claim: Relation) -> Board | None:
        """Return the board with the claim, found without reducing it to others."""
        return self.solve(board, claim, 0)

    def of_rounds(self, board: Board, claim: Relation) -> Board | None:
        """Return the board with a claim about all rounds."""
        return telescoped(board, claim, lambda b, c: self.at_once(b, c) or self.solve(b, c, 1))

    def of_points(self, board: Board, claim: Relation) -> Board | None:
        """Return the board with a claim about the values at the points of an average."""
        done = self.at_once(board, claim) or self.of_rounds(board, claim) or self.of_steps(board, claim)
        return done or without_sums_below(board, claim, self.of_rounds)

    def of_steps(self, board: Board, claim: Relation) -> Board | None:
        """Return the board with a claim about a sum over the rounds, by the inequality that the steps obey."""
        return summed(board, claim, partial(self.solve, depth=2))

    def solve(self, board: Board, claim: Relation, depth: int) -> Board | None:
        """Return the board with the claim, found at this depth or less."""
        if claim.left.has(sympy.zoo, sympy.nan) or claim.right.has(sympy.zoo, sympy.nan):
            return None
        if (name := board.stating(claim)) is not None:
            return board.accept(claim, by.linear({name: 1}))
        key = (claim, board.assuming, depth)
        if key in self.failed:
            return None
        self.failed.add(key)  # a goal that comes back to itself shows nothing
        done = None if board.refutes(claim) else self._solve(board, claim, depth)
        if done is None:
            self.stuck.append((claim, board.assuming))
        else:
            self.failed.discard(key)
        return done

    def nearest(self, statement: Relation) -> tuple[Relation, tuple[Relation, ...]]:
        """Return the smallest goal that no search could show, with its assumptions; the statement if there is none."""
        reduced_goals = [g for g in self.stuck if g[0] != statement and not _is_plainly_false(g[0])]
        if not reduced_goals:
            return statement, ()
        return min(reduced_goals, key=lambda g: (sympy.count_ops(g[0].gap), str(g[0])))

    def _solve(self, board: Board, claim: Relation, depth: int) -> Board | None:
        def deeper(inner: Board, goal: Relation) -> Board | None:
            return self.solve(inner, goal, depth - 1)

        done = close_at_once(board, claim)
        if done is not None:
            return done
        board = forward.closed_sums(board, claim)
        wide = _with_lemmas(self.lemmas, board, claim, deeper if depth else None)
        if len(wide.lines) > len(board.lines) and wide.lines[-1].claim == claim:
            return wide
        done = self._close(wide, claim) or self._weighed(wide, claim) or self._simplified(wide, claim, depth)
        done = done or of_terms(board, claim, deeper if depth else self.at_once)
        done = done or (inserted(board, claim, deeper) if depth else None)
        if done is not None or depth == 0:
            return done
        for add in (*FORWARD, None, forward.means):  # None: the lemmas again, on the new lines
            more = _with_lemmas(self.lemmas, wide, claim, deeper) if add is None else add(wide, claim)
            if len(more.lines) == len(wide.lines):
                continue
            wide = more
            if wide.lines[-1].claim == claim:
                return wide
            done = self._close(wide, claim)
            if done is not None:
                return done
        return next(reduced(wide, claim, deeper), None)

    def _simplified(self, board: Board, claim: Relation, depth: int) -> Board | None:
        """Show a goal by one about less, which may be searched as deeply; at the last depth the facts come first."""

        def alike(inner: Board, goal: Relation) -> Board | None:
            return self.solve(inner, goal, depth) if goal != claim else None

        if depth == 0:
            more = forward.facts(board, claim)
            if len(more.lines) > len(board.lines):
                board = more
                done = self._close(board, claim)
                if done is not None:
                    return done
        done = abstracted(board, claim) or eliminated(board, claim, alike)
        done = done or (of_exponent(board, claim, partial(self.solve, depth=2)) if depth else None)
        return done or next(simplified(board, claim, alike), None)

    def _weighed(self, board: Board, claim: Relation) -> Board | None:
        """Show a goal about values of functions of a class by multipliers, unless it is the statement itself."""
        first = claim not in self.weighed and len(self.weighed) < MOST_WEIGHED
        if claim == self.statement or not first or not board.members or not claim.gap.has(Val, Grad):
            return None
        self.weighed.add(claim)
        return weighed(board, claim, "part")

    def _close(self, board: Board, claim: Relation) -> Board | None:
        """Close a goal in one line, unless that failed before with the same relations."""
        key = (claim, board.assuming, tuple(board.relations.values()))
        done = close(board, claim) if key not in self.open else None
        if done is None:
            self.open.add(key)
        return done


def _with_lemmas(lemmas: Sequence[Theorem], board: Board, claim: Relation, solve: Solve | None) -> Board:
    """Return the board with instances of the lemmas; the last line is the claim if one of them states it.

    Without ``solve`` only those whose hypotheses are known word for word.
    """
    for lemma in lemmas:
        for _ in range(MOST_INSTANCES):
            more = next(
                (b for b in applied(board, claim, lemma, solve) if board.stating(b.lines[-1].claim) is None), None
            )
            if more is None:
                break
            board = more
            if board.lines[-1].claim == claim:
                return board
    return board


def _is_plainly_false(goal: Relation) -> bool:
    """Return whether a goal is seen to be false without any hypothesis, so that it says nothing of what is missing."""
    if goal.op == "==":
        return bool(goal.gap.is_number and goal.gap != 0)
    return bool(goal.gap.is_number or goal.gap.is_negative)
