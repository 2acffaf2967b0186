"""Random comparators: those that know past draws only, and any comparators for feedback that is fixed in advance.

For fixed feedback the comparator's mean probabilities are a comparator without information that is at least as hard.
"""

from __future__ import annotations

from sympy import Abs, Expr, exp, log

from fltheory.papers.osmd.mirror.proofs.lemmas import FLOOR, LAMBDA
from fltheory.papers.osmd.notation import TV, K, M, T, a2, alpha, eta
from fltheory.papers.osmd.regret.proofs import paths
from fltheory.papers.osmd.regret.proofs.corollary7 import _BEGIN
from fltheory.papers.osmd.regret.proofs.paths import ROUNDS, t, total_move
from fltheory.papers.osmd.regret.proofs.regret import (BANDIT, COMPARATOR, P13_SHARP, READING, REGRET, count, feedback,
    largest, logP, logQ)
from fltheory.papers.osmd.regret.proofs.theorem6 import LOG
from fltheory.proof import Given, Relation, by, eq, le, line, proof, statement_of
from fltheory.proof.algebra.replacing import substitute_term
from fltheory.proof.facts.notation import EACH, j, m, whole
from fltheory.proof.terms import E, Nonnegative, Positive, Total, family
from fltheory.verification import find

PLACE = "Proposition 13"
_PAST = find("osmd/C-P13-past@explicit").bound
_READ = {TV: READING[TV], a2: READING[a2]}
_STATED, _IF = statement_of(_PAST, REGRET, _READ)
_OWN = (*BANDIT, *COMPARATOR)
_LATER = (t, 1, T - 1)
_SQUARES = Total(largest(t) ** 2, t, 1, T)
SIGNS = (
    line("each move", le(0, Abs(exp(logQ(t + 1, m)) - exp(logQ(t, m))), _LATER, EACH), by.linear()),
    line("moves", le(0, total_move(logQ, T)), by.sum_over((m, t), "each move")),
    line("mean moves", le(0, E(total_move(logQ, T))), by.expectation("moves")),
    line("each square", le(0, largest(t) ** 2, ROUNDS), by.linear()),
    line("squares", le(0, _SQUARES), by.sum_over(t, "each square")),
    line("mean squares", le(0, E(_SQUARES)), by.expectation("squares")),
    line("log M", le(1 - log(M), exp(-log(M))), by.fact("exp", -log(M))),
    line("clients", le(0, log(M)), by.linear({"log M": 1, "c2": 1 / (2 * M)})),
)
PAST = (
    proof("osmd/P13-past", PLACE, of="osmd/C-P13-past@explicit", bound=_PAST, reading=_READ,
        note="what clients answer and the comparator may depend on past draws")
    .under(*_OWN, *_IF)
    .step("sharp", by.apply(P13_SHARP))
    .steps(*_BEGIN)
    .steps(*SIGNS)
    .qed(
        _STATED,
        by.linear(
            {
                "sharp": 1,
                "mean begin": 1 / eta,
                "clients": alpha / eta,
                "mean moves": LAMBDA / eta,
                "mean squares": 3 * eta * M**6 / (8 * K**2 * alpha**6),
            },
            "log sign",
        ),
        name="last",
    )
)

# Feedback that is fixed in advance -------------------------------------------------------------------------------------

fixed, mean, fixed_top = family(Nonnegative, "a"), family(Positive, "mean"), family(Nonnegative, "amax")
_FIXED = {feedback(t, m): fixed(t, m), largest(t): fixed_top(t)}
_MEANS = {**_FIXED, logQ(t, m): log(mean(t, m))}


def at(expr: Expr, values: dict[Expr, Expr]) -> Expr:
    """Return a term with families replaced."""
    return substitute_term(expr, list(values.items()))


def all_at(relation: Relation, values: dict[Expr, Expr]) -> Relation:
    """Return a relation with families replaced."""
    return Relation(at(relation.left, values), relation.op, at(relation.right, values), relation.over)


_FORESEEN = find("osmd/C-P13-foreseen@explicit").bound
_READ_F = {TV: READING[TV], a2: at(_SQUARES, _FIXED)}
_STATED_F, _IF_F = statement_of(_FORESEEN, at(REGRET, _FIXED), _READ_F)
_BANDIT = tuple(Given(h.id, all_at(h.relation, _FIXED), h.why) for h in BANDIT)
_now, _then = exp(logQ(t, m)), exp(logQ(t + 1, m))
_gone = mean(t + 1, m) - mean(t, m)
_over = (_LATER, EACH)
FORESEEN = (
    proof("osmd/P13-foreseen", PLACE, of="osmd/C-P13-foreseen@explicit", bound=_FORESEEN, reading=_READ_F,
        note="the comparator may know everything; its means are a fixed one that loses and moves no more")
    .under(*_BANDIT, *(h for h in COMPARATOR if h.id != "mean q"))
    .given("counted", eq(E(count(t, m) * exp(-logP(t, m))), K, ROUNDS, EACH), "K draws from p^t, given the past")
    .given("means", eq(mean(t, m), E(_now), ROUNDS, EACH), "a name for the means of the comparator's probabilities")
    .under(*_IF_F)
    .step("sum 1", by.expectation("sum q"))
    .step("sum 2", eq(whole(mean(t, j)), whole(E(exp(logQ(t, j)))), ROUNDS), by.sum_over(m, "means"))
    .step("sum", eq(whole(mean(t, j)), 1, ROUNDS), by.linear({"sum 1": 1, "sum 2": 1}))
    .step("floor 1", by.expectation("floor"))
    .step("floors", le(FLOOR, mean(t, m), ROUNDS, EACH), by.linear({"floor 1": 1, "means": -1}))
    .step("unbiased", all_at(COMPARATOR[-1].relation, _MEANS), by.linear({"counted": fixed(t, m) / mean(t, m)}),
        note="of fixed feedback against fixed probabilities")
    .step("past", all_at(PAST.statement, _MEANS),
        by.apply(PAST.id, _MEANS, *(h.id for h in _BANDIT), "sum", "floors", "unbiased", "c1", "c2"))
    .step("convex 1", by.apply(paths.CONVEX, {paths.a: 1 / mean(t, m), paths.b: exp(-logQ(t, m))}), over=(ROUNDS, EACH))
    .step("convex 2", le(0, E(exp(logQ(t, m))) / mean(t, m) ** 2 - 2 / mean(t, m) + E(exp(-logQ(t, m))), ROUNDS, EACH),
        by.expectation("convex 1"))
    .step("convex", le(fixed(t, m) / mean(t, m), E(fixed(t, m) * exp(-logQ(t, m))), ROUNDS, EACH),
        by.linear({"convex 2": fixed(t, m), "means": -fixed(t, m) / mean(t, m) ** 2}), note="the loss is convex")
    .step("loss",
        le(Total(whole(fixed(t, j) / mean(t, j)), t, 1, T), Total(whole(E(fixed(t, j) * exp(-logQ(t, j)))), t, 1, T)),
        by.sum_over((m, t), "convex"))
    .step("means then", by.instance({t: t + 1}, "means"), over=(*_over,))
    .step("up 1", by.fact("abs", _then - _now), over=(*_over,))
    .step("up 2", by.expectation("up 1"))
    .step("up", le(_gone, E(Abs(_then - _now)), *_over), by.linear({"up 2": 1, "means": -1, "means then": 1}))
    .step("down 1", by.fact("abs", _now - _then), over=(*_over,))
    .step("down 2", by.expectation("down 1"))
    .step("down", le(-_gone, E(Abs(_then - _now)), *_over), by.linear({"down 2": 1, "means": 1, "means then": -1}))
    .step("either", by.absolute("up", "down"))
    .step("moved",
        le(at(total_move(logQ, T), _MEANS), Total(whole(E(Abs(_then - _now).xreplace({m: j}))), t, 1, T - 1)),
        by.sum_over((m, t), "either"))
    .steps(*LOG)
    .step("log sign", le(0, LAMBDA), by.linear("log"))
    .qed(_STATED_F, by.linear({"past": 1, "loss": 1 / K, "moved": 2 * LAMBDA / eta}, "log sign"), name="last")
)

THEOREMS = (PAST, FORESEEN)
