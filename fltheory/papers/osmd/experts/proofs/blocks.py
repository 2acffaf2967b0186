"""Theorem 10, corrected: the blocks of the doubling trick, each a run of Theorem 8 with experts of its own.

Block b = 0, 1, ... is made for 2^b rounds and begins after 2^b - 1 of them; the last may be cut short. The experts,
their weights and rates belong to a block; rounds of plays, draws and comparators are counted through all blocks.
"""

from __future__ import annotations

from sympy import Expr, Min, Rational, floor, log

from fltheory.papers.osmd import bounds
from fltheory.papers.osmd.experts.proofs.experts import logpe, logw, rate, shift, z
from fltheory.papers.osmd.experts.proofs.grid import H, eta1, i
from fltheory.papers.osmd.experts.proofs.theorem8 import BLOCK, budget, root_sign
from fltheory.papers.osmd.experts.proofs.theorem10 import (BLOCKS, EVERY, LOGS, MANY, MORE, PLACE, SOME, SUM, X, Y, b,
    high, low, number, reach, regret, size)
from fltheory.papers.osmd.mirror.proofs import projection as point
from fltheory.papers.osmd.mirror.proofs.lemmas import LAMBDA
from fltheory.papers.osmd.notation import TV, M, T, beta, eta, gamma, n_experts
from fltheory.papers.osmd.regret.proofs.paths import t, total_move
from fltheory.papers.osmd.regret.proofs.regret import REGRET, count, feedback, logP, logQ
from fltheory.proof import Given, Relation, by, eq, le, proof, statement_of
from fltheory.proof.facts.notation import m
from fltheory.proof.terms import E, Nonnegative, Positive, Scalar, Total, family, substitute

sizes = family(Scalar, "size")
HAS = 1 - floor(-sizes(b))
LONG = Min(2**b, T - 2**b + 1)
_now = 2**b - 1 + t
_OWN = {
    T: LONG,
    H: 2**b,
    n_experts: HAS,
    budget: family(Nonnegative, "budget")(b),
    eta: family(Positive, "best_rate")(b),
    gamma: family(Positive, "meta_rate")(b),
    eta1: family(Positive, "least_rate")(b),
    rate(i): rate(b, i),
    logpe(i, t, m): logpe(b, i, t, m),
    logw(i, t): logw(b, i, t),
    shift(i, t): shift(b, i, t),
    z(t): z(b, t),
    **{kind(t, m): kind(_now, m) for kind in (logP, logQ, count, feedback)},
}


def of_block(expr: Expr) -> Expr:
    """Return a term of Theorem 8 in block b."""
    names = {key.args[:1]: key for key in _OWN if key.args}

    def turned(term: Expr) -> Expr:
        key = names[term.args[:1]]
        return substitute(_OWN[key], dict(zip(key.args[1:], term.args[1:], strict=True)))

    plain = expr.replace(lambda term: term.args[:1] in names, turned)
    return substitute(plain, {key: value for key, value in _OWN.items() if not key.args})


def in_block(relation: Relation) -> Relation:
    """Return a relation of Theorem 8 in every block."""
    over = tuple((index, of_block(low), of_block(high)) for index, low, high in relation.over)
    return Relation(of_block(relation.left), relation.op, of_block(relation.right), (EVERY, *over))


_SKIP = ("short", "c1", "c2", "c3", "experts")
RUN = tuple(Given(h.id, in_block(h.relation), h.why) for h in BLOCK.hypotheses if h.id not in _SKIP)
RUN_IDS = tuple(h.id for h in RUN)
GROWTH = 4 * LAMBDA / log(M)
_moved = of_block(E(total_move(logQ, T)))
_regret = of_block(REGRET)
T10_STATEMENT, CONDITIONS = statement_of(bounds.T10_CORRECTED, Total(_regret, b, 0, BLOCKS))
_short, _whole, _left = le(LONG, 2**b, EVERY), 2**b, T - 2**b + 1
T10 = (
    proof("osmd/T10@corrected", PLACE, of="osmd/C-T10@corrected", bound=bounds.T10_CORRECTED,
        note="the sum of the regrets of the blocks, of which block b plays the rounds 2^b, 2^b + 1, ... up to 2^(b+1) - 1 or T")
    .under(*RUN)
    .given("sizes", eq(sizes(b), size(2**b), EVERY),
        "(23): the number of rates of a block less one, before it is rounded up")
    .given("moves", le(_moved, TV, EVERY), "what q moves within a block is a part of TV")
    .given("names", eq(regret(b), _regret, EVERY), "a name for the regret of block b")
    .under(SUM.hypotheses[1], *CONDITIONS)
    .steps(*root_sign()[:-3])
    .step("log M", by.fact("exp", -log(M)))
    .step("clients", le(Rational(1, 2), log(M)), by.linear("log M", "c2"))
    .step("growth", le(0, GROWTH), by.linear("log sign", "clients"))
    .step("powers", le(2**b, 2**BLOCKS, EVERY), by.apply("osmd/powers"))
    .step("begun", le(2**b, T, EVERY), by.linear("powers", "last"))
    .step("some", le(1, 2**b, EVERY), by.apply("osmd/powers-one"))
    .step("left", le(1, _left, EVERY), by.linear("begun"))
    .step("rounds", by.apply(point.LESS, {point.low: 1, point.c: _whole, point.d: _left}))
    .step("short", _short, by.apply(point.MIN_FIRST, {point.c: _whole, point.d: _left}))
    .step("reach", le(1, reach(2**b), EVERY), by.linear("some", "growth"))
    .step("log low", le(0, log(reach(2**b)), EVERY), by.apply(LOGS, {low: 1, high: reach(2**b)}))
    .step("size low", le(0, sizes(b), EVERY), by.linear("log low", "sizes"))
    .step("expert", by.apply(SOME, {X: sizes(b)}))
    .step("no less", le(size(2**b), sizes(b), EVERY), by.linear("sizes"))
    .step("no more", le(sizes(b), size(2**b), EVERY), by.linear("sizes"))
    .step("experts low", le(number(2**b), HAS, EVERY),
        by.apply(MORE, {X: size(2**b), Y: sizes(b)}, "no less", "reach", "clients"))
    .step("experts high", by.apply(MORE, {X: sizes(b), Y: size(2**b)}, "no more", "reach", "clients"))
    .step("experts", by.antisymmetry("experts high", "experts low"))
    .step("expert here", le(1, number(2**b), EVERY), by.linear("expert", "experts"))
    .step("logs", by.apply(LOGS, {low: HAS, high: number(2**b)}, "experts high", "expert", "expert here"))
    .step("within", le(_moved, beta, EVERY), by.linear("moves", "c3"))
    .step("block", by.apply(BLOCK, _OWN, *RUN_IDS, "rounds", "short", "experts", "expert", "c1", "c2", "within"))
    .step("blocks", SUM.hypotheses[0].relation, by.linear("block", "names", "logs"))
    .step("experts of all", by.apply(MANY))
    .step("total", by.apply(SUM, "blocks", "last", "c1", "c2", "c3", "experts of all"))
    .step("sum", by.sum_over(b, "names"))
    .qed(T10_STATEMENT, by.linear("total", "sum"))
)

THEOREMS = (T10,)
