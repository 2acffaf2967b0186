"""Theorem 10, corrected: the sum over the blocks of the doubling trick; block b = 0, 1, ... is made for 2^b rounds."""

from __future__ import annotations

from sympy import Expr, Integer, Rational, Symbol, floor, log, sqrt

from fltheory.papers.osmd import bounds
from fltheory.papers.osmd.experts.proofs.grid import LOG2
from fltheory.papers.osmd.experts.proofs.theorem8 import BLOCK_STATEMENT, H, root_sign
from fltheory.papers.osmd.mirror.proofs.lemmas import LAMBDA
from fltheory.papers.osmd.notation import M, T, alpha, n_experts
from fltheory.proof import Given, by, eq, le, line, proof, statement_of
from fltheory.proof.terms import Scalar, Total, family

PLACE = "Theorem 10"
b, n, d = (Symbol(name, integer=True, nonnegative=True) for name in "bnd")
BLOCKS = Symbol("last_block", integer=True, nonnegative=True)
EVERY = (b, 0, BLOCKS)
low, high = Symbol("low", positive=True), Symbol("high", positive=True)
X, Y = family(Scalar, "X")(), family(Scalar, "Y")()
regret = family(Scalar, "regret")

_RISE = ((n, 0, BLOCKS), (d, 0, BLOCKS - n))
POWERS = (
    proof("osmd/powers", PLACE, note="powers of 2 grow")
    .step("0", le(2**n, 2**n, (n, 0, BLOCKS)), by.linear())
    .step("sign", le(0, 2 ** (n + d), (n, 0, BLOCKS), (d, 0, BLOCKS - n - 1)), by.linear())
    .step("1", le(2**n, 2 ** (n + d + 1), (n, 0, BLOCKS), (d, 0, BLOCKS - n - 1)), by.linear("sign"),
        assuming=le(2**n, 2 ** (n + d)))
    .step("2", le(2**n, 2 ** (n + d), *_RISE), by.induction(d, "0", "1"))
    .qed(le(2**n, 2**BLOCKS, (n, 0, BLOCKS)), by.instance({d: BLOCKS - n}, "2"))
)
ATLEAST = (
    proof("osmd/powers-one", PLACE)
    .step("0", le(1, Integer(1)), by.linear())
    .step("1", le(1, 2 ** (n + 1), (n, 0, BLOCKS - 1)), by.linear(), assuming=le(1, 2**n))
    .qed(le(1, 2**n, (n, 0, BLOCKS)), by.induction(n, "0", "1"))
)
LOGS = (
    proof("osmd/logs-grow", PLACE)
    .given("order", le(low, high), "two positive numbers")
    .qed(le(log(low), log(high)), by.linear(by.fact("exp", log(low) - log(high)), "order"))
)
MORE = (
    proof("osmd/experts-grow", "(28)", note="shorter blocks have no more experts")
    .given("order", le(X, Y), "two sizes")
    .step("floor", le(floor(-Y), -Y), by.fact("floor", -Y))
    .step("below", le(floor(-Y), -X), by.linear("floor", "order"))
    .step("whole", le(floor(-Y), floor(-X)), by.fact("floor", -X, "below"))
    .qed(le(1 - floor(-X), 1 - floor(-Y)), by.linear("whole"), name="last")
)
SOME = (
    proof("osmd/experts-some", "(28)")
    .given("size", le(0, X), "a size")
    .step("floor", le(floor(-X), -X), by.fact("floor", -X))
    .qed(le(1, 1 - floor(-X)), by.linear("floor", "size"), name="last")
)
_GEOMETRIC = eq((sqrt(2) - 1) * Total(sqrt(2) ** b, b, 0, n), sqrt(2) ** (n + 1) - 1, (n, 0, BLOCKS))
GEOMETRIC = (
    proof("osmd/geometric", PLACE)
    .step("0", eq((sqrt(2) - 1) * Total(sqrt(2) ** b, b, 0, 0), sqrt(2) - 1), by.linear())
    .step("1", eq((sqrt(2) - 1) * Total(sqrt(2) ** b, b, 0, n + 1), sqrt(2) ** (n + 2) - 1, (n, 0, BLOCKS - 1)),
        by.linear(), assuming=eq((sqrt(2) - 1) * Total(sqrt(2) ** b, b, 0, n), sqrt(2) ** (n + 1) - 1))
    .qed(_GEOMETRIC, by.induction(n, "0", "1"))
)

scale = Symbol("scale", nonnegative=True)
_quotient = 1 / (sqrt(2) - 1)
_LAST = Given("last", le(2**BLOCKS, T),
    "2^last_block - 1 rounds were played before the last block, and one at least in it")
ADDED = (
    proof("osmd/doubling", PLACE,
        note="blocks of lengths 1, 2, 4, ... add up to sqrt(2)/(sqrt(2) - 1) times what one of length T costs")
    .given("each", le(regret(b), sqrt(2) ** b * scale, EVERY), "the regret of a block of 2^b rounds")
    .under(_LAST)
    .step("all", by.sum_over(b, "each"))
    .step("sums", by.apply(GEOMETRIC))
    .step("sum", by.instance({n: BLOCKS}, "sums"))
    .step("zero", le(0, 2**BLOCKS), by.linear())
    .step("length", by.power(Rational(1, 2), "zero", "last"))
    .step("quotient", le(0, _quotient), by.ball(()))
    .step("scaled", le(0, scale * _quotient), by.linear("quotient"))
    .qed(le(Total(regret(b), b, 0, BLOCKS), sqrt(2) * _quotient * sqrt(T) * scale),
        by.linear("all", "sum", "length", "scaled"), name="sum of all")
)


def size(rounds: Expr) -> Expr:
    """Return the number of rates in the grid for so many rounds, minus one, before it is rounded up."""
    return log(1 + 4 * LAMBDA / log(M) * (rounds - 1)) / (2 * LOG2)


def number(rounds: Expr) -> Expr:
    """(23)."""
    return bounds.EXPERTS.xreplace({T: rounds})


def reach(rounds: Expr) -> Expr:
    """Return the square of the ratio of the largest best rate to the smallest."""
    return 1 + 4 * LAMBDA / log(M) * (rounds - 1)


_GROWTH = 4 * LAMBDA / log(M)
_MANY = le(1, number(T))
_MANY_IF = (Given("c1", le(alpha, 1), "the floor"), Given("c2", le(2, M), "more than one client"))
MANY = (
    proof("osmd/experts-many", "(23)", note="there is at least one expert").under(*_MANY_IF)
    .steps(*root_sign()[:-3])
    .step("log M", by.fact("exp", -log(M)))
    .step("clients", le(Rational(1, 2), log(M)), by.linear("log M", "c2"))
    .step("growth", le(0, _GROWTH), by.linear("log sign", "clients"))
    .step("reach", le(1, reach(T)), by.linear(growth=T - 1))
    .step("log low", by.apply(LOGS, {low: 1, high: reach(T)}))
    .step("size low", le(0, size(T)), by.linear("log low"))
    .qed(_MANY, by.apply(SOME, {X: size(T)}, "size low", "reach", "clients"), name="number low")
)
EXPERTS_STEP = line("experts", _MANY, by.apply(MANY, "c1", "c2"), note="there is at least one expert")
_block = BLOCK_STATEMENT.right.xreplace({n_experts: number(2**b)}).xreplace({H: 2**b})
_scale = Rational(17, 8) * bounds.Q * sqrt(bounds.Q_BETA) + bounds.R / sqrt(8) * (1 + 2 * log(number(T)))
T10_STATEMENT, CONDITIONS = statement_of(bounds.T10_CORRECTED, Total(regret(b), b, 0, BLOCKS))
SUM = (
    proof("osmd/T10-sum", PLACE, unused=("c3",),
        note="the blocks add up; that each block obeys osmd/T8-horizon is supposed here")
    .given("blocks", le(regret(b), _block, EVERY),
        "osmd/T8-horizon for each block: its rates are made for 2^b rounds, and no more are played")
    .under(_LAST, *CONDITIONS)
    .steps(*root_sign())
    .step("log M", by.fact("exp", -log(M)))
    .step("clients", le(Rational(1, 2), log(M)), by.linear("log M", "c2"))
    .step("growth", le(0, _GROWTH), by.linear("log sign", "clients"))
    .step("powers", le(2**b, 2**BLOCKS, EVERY), by.apply(POWERS))
    .step("rounds", le(2**b, T, EVERY), by.linear("powers", "last"))
    .step("some", le(1, 2**b, EVERY), by.apply(ATLEAST))
    .step("reach", le(reach(2**b), reach(T), EVERY), by.linear("rounds", "growth"))
    .step("reach low", le(1, reach(2**b), EVERY), by.linear("some", "growth"))
    .step("reach high", le(1, reach(T), EVERY), by.linear("reach low", "reach"))
    .step("logs", by.apply(LOGS, {low: reach(2**b), high: reach(T)}, "reach", "reach low", "reach high"))
    .step("log low", by.apply(LOGS, {low: 1, high: reach(2**b)}))
    .step("size", le(size(2**b), size(T), EVERY), by.linear("logs"))
    .step("size low", le(0, size(2**b), EVERY), by.linear("log low"))
    .step("number", by.apply(MORE, {X: size(2**b), Y: size(T)}, "size", "reach low", "reach high", "clients"))
    .step("number low", by.apply(SOME, {X: size(2**b)}, "size low", "reach low", "clients"))
    .step("number high", le(1, number(T), EVERY), by.linear("number low", "number"))
    .step("log number", by.apply(LOGS, {low: number(2**b), high: number(T)}, "number", "number low", "number high"))
    .step("each", le(regret(b), sqrt(2) ** b * _scale, EVERY), by.linear("blocks", "log number"))
    .step("number now", by.instance({b: 0}, "number high"))
    .step("log now", by.apply(LOGS, {low: 1, high: number(T)}))
    .step("scale", le(0, _scale), by.linear("root", "log now"))
    .step("quotient", le(0, _quotient), by.ball(()))
    .step("added", by.apply(ADDED, {scale: _scale}, "each", "last", "scale"))
    .step("wide", le(0, _quotient * bounds.C7_VALUE), by.linear({"root": _quotient * bounds.Q}, "quotient"))
    .qed(T10_STATEMENT, by.linear(added=1, wide=Rational(7, 8) * sqrt(2)), name="whole")
)

THEOREMS = (POWERS, ATLEAST, LOGS, MORE, SOME, MANY, GEOMETRIC, ADDED, SUM)
