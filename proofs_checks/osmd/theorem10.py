"""Theorem 10, corrected: the blocks of the doubling trick, of which block b is made for 2^b rounds, b = 0, 1, ..., add up."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, Rational, Symbol, exp, floor, log, sqrt

from fltheory.papers.osmd import bounds
from fltheory.papers.osmd.letters import M, T, alpha, n_experts
from fltheory.proof.language import (
    Apply,
    Assumed,
    Ball,
    Combine,
    Given,
    Induction,
    Instance,
    Known,
    Power,
    Step,
    Summed,
    Theorem,
    eq,
    le,
    stated,
)
from fltheory.proof.terms import Scalar, Total, family
from proofs_checks.osmd.grid import LOG2
from proofs_checks.osmd.lemmas import LAMBDA
from proofs_checks.osmd.theorem8 import BLOCK_STATEMENT, H, root_sign

PLACE = "Theorem 10"
b, n, d = (Symbol(name, integer=True, nonnegative=True) for name in "bnd")
BLOCKS = Symbol("last_block", integer=True, nonnegative=True)
EVERY = (b, 0, BLOCKS)
low, high = Symbol("low", positive=True), Symbol("high", positive=True)
X, Y = family(Scalar, "X")(), family(Scalar, "Y")()
regret = family(Scalar, "regret")

_RISE = ((n, 0, BLOCKS), (d, 0, BLOCKS - n))
_POWERS = le(2**n, 2**BLOCKS, (n, 0, BLOCKS))
POWERS = Theorem(
    "osmd/powers",
    _POWERS,
    (),
    (
        Step("0", le(2**n, 2**n, (n, 0, BLOCKS)), Combine()),
        Step("sign", le(0, 2 ** (n + d), (n, 0, BLOCKS), (d, 0, BLOCKS - n - 1)), Combine()),
        Step(
            "1",
            le(2**n, 2 ** (n + d + 1), (n, 0, BLOCKS), (d, 0, BLOCKS - n - 1)),
            Combine({"assumed 1": 1, "sign": 1}),
            ("sign",),
            assuming=(le(2**n, 2 ** (n + d)),),
        ),
        Step("2", le(2**n, 2 ** (n + d), *_RISE), Induction(d), ("0", "1")),
        Step("3", _POWERS, Instance({d: BLOCKS - n}), ("2",)),
    ),
    place=PLACE,
    note="powers of 2 grow",
)
_ATLEAST = le(1, 2**n, (n, 0, BLOCKS))
ATLEAST = Theorem(
    "osmd/powers-one",
    _ATLEAST,
    (),
    (
        Step("0", le(1, Integer(1)), Combine()),
        Step("1", le(1, 2 ** (n + 1), (n, 0, BLOCKS - 1)), Combine({"assumed 1": 2}), assuming=(le(1, 2**n),)),
        Step("2", _ATLEAST, Induction(n), ("0", "1")),
    ),
    place=PLACE,
)
_LOGS = le(log(low), log(high))
LOGS = Theorem(
    "osmd/logs-grow",
    _LOGS,
    (Given("order", le(low, high), "two positive numbers"),),
    (
        Step("1", le(1 + log(low) - log(high), exp(log(low) - log(high))), Known("exp", log(low) - log(high))),
        Step("2", _LOGS, Combine({"1": 1, "order": 1 / high}), ("1", "order")),
    ),
    place=PLACE,
)
_MORE = le(1 - floor(-X), 1 - floor(-Y))
MORE = Theorem(
    "osmd/experts-grow",
    _MORE,
    (Given("order", le(X, Y), "two sizes"),),
    (
        Step("floor", le(floor(-Y), -Y), Known("floor", -Y)),
        Step("below", le(floor(-Y), -X), Combine(), ("floor", "order")),
        Step("whole", le(floor(-Y), floor(-X)), Known("floor", -X), ("below",)),
        Step("last", _MORE, Combine(), ("whole",)),
    ),
    place="(28)",
    note="shorter blocks have no more experts",
)
_SOME = le(1, 1 - floor(-X))
SOME = Theorem(
    "osmd/experts-some",
    _SOME,
    (Given("size", le(0, X), "a size"),),
    (Step("floor", le(floor(-X), -X), Known("floor", -X)), Step("last", _SOME, Combine(), ("floor", "size"))),
    place="(28)",
)
_GEOMETRIC = eq((sqrt(2) - 1) * Total(sqrt(2) ** b, b, 0, n), sqrt(2) ** (n + 1) - 1, (n, 0, BLOCKS))
GEOMETRIC = Theorem(
    "osmd/geometric",
    _GEOMETRIC,
    (),
    (
        Step("0", eq((sqrt(2) - 1) * Total(sqrt(2) ** b, b, 0, 0), sqrt(2) - 1), Combine()),
        Step(
            "1",
            eq((sqrt(2) - 1) * Total(sqrt(2) ** b, b, 0, n + 1), sqrt(2) ** (n + 2) - 1, (n, 0, BLOCKS - 1)),
            Combine({"assumed 1": 1}),
            assuming=(eq((sqrt(2) - 1) * Total(sqrt(2) ** b, b, 0, n), sqrt(2) ** (n + 1) - 1),),
        ),
        Step("2", _GEOMETRIC, Induction(n), ("0", "1")),
    ),
    place=PLACE,
)


scale = Symbol("scale", nonnegative=True)
_quotient = 1 / (sqrt(2) - 1)
_ALL = le(Total(regret(b), b, 0, BLOCKS), sqrt(2) * _quotient * sqrt(T) * scale)
_LAST = Given(
    "last", le(2**BLOCKS, T), "2^last_block - 1 rounds were played before the last block, and one at least in it"
)
ADDED = Theorem(
    "osmd/doubling",
    _ALL,
    (Given("each", le(regret(b), sqrt(2) ** b * scale, EVERY), "the regret of a block of 2^b rounds"), _LAST),
    (
        Step(
            "all",
            le(Total(regret(b), b, 0, BLOCKS), Total(sqrt(2) ** b * scale, b, 0, BLOCKS)),
            Summed((b,)),
            ("each",),
        ),
        Step("sums", _GEOMETRIC, Apply("osmd/geometric")),
        Step(
            "sum",
            eq((sqrt(2) - 1) * Total(sqrt(2) ** b, b, 0, BLOCKS), sqrt(2) ** (BLOCKS + 1) - 1),
            Instance({n: BLOCKS}),
            ("sums",),
        ),
        Step("zero", le(0, 2**BLOCKS), Combine()),
        Step("length", le(sqrt(2**BLOCKS), sqrt(T)), Power(Rational(1, 2)), ("zero", "last")),
        Step("quotient", le(0, _quotient), Ball(())),
        Step("scaled", le(0, scale * _quotient), Combine({"quotient": scale}), ("quotient",)),
        Step(
            "sum of all",
            _ALL,
            Combine({"all": 1, "sum": scale * _quotient, "length": sqrt(2) * scale * _quotient, "scaled": 1}),
            ("all", "sum", "length", "scaled"),
        ),
    ),
    place=PLACE,
    note="blocks of lengths 1, 2, 4, ... add up to sqrt(2)/(sqrt(2) - 1) times what one of length T costs",
)


def size(rounds: Any) -> Expr:
    """How many rates the grid for so many rounds needs, less one, before it is rounded up."""
    return log(1 + 4 * LAMBDA / log(M) * (rounds - 1)) / (2 * LOG2)


def number(rounds: Any) -> Expr:
    """(23)."""
    return bounds.EXPERTS.xreplace({T: rounds})


def reach(rounds: Any) -> Expr:
    """The square of the ratio of the largest best rate to the least."""
    return 1 + 4 * LAMBDA / log(M) * (rounds - 1)


_GROWTH = 4 * LAMBDA / log(M)
_MANY = le(1, number(T))
_MANY_IF = (Given("c1", le(alpha, 1), "the floor"), Given("c2", le(2, M), "more than one client"))
MANY = Theorem(
    "osmd/experts-many",
    _MANY,
    _MANY_IF,
    (
        *root_sign()[:-3],
        Step("log M", le(1 - log(M), exp(-log(M))), Known("exp", -log(M))),
        Step("clients", le(Rational(1, 2), log(M)), Combine({"log M": 1, "c2": 1 / (2 * M)}), ("log M", "c2")),
        Step("growth", le(0, _GROWTH), Combine({"log sign": 4 / log(M)}), ("log sign", "clients")),
        Step("reach", le(1, reach(T)), Combine({"growth": T - 1}), ("growth",)),
        Step("log low", le(0, log(reach(T))), Apply("osmd/logs-grow", {low: 1, high: reach(T)}), ("reach",)),
        Step("size low", le(0, size(T)), Combine({"log low": 1 / (2 * LOG2)}), ("log low",)),
        Step("number low", _MANY, Apply("osmd/experts-some", {X: size(T)}), ("size low", "reach", "clients")),
    ),
    place="(23)",
    note="there is at least one expert",
)
EXPERTS_STEP = Step("experts", _MANY, Apply("osmd/experts-many"), ("c1", "c2"), note="there is at least one expert")
_block = BLOCK_STATEMENT.right.xreplace({n_experts: number(2**b)}).xreplace({H: 2**b})
_scale = Rational(17, 8) * bounds.Q * sqrt(bounds.Q_BETA) + bounds.R / sqrt(8) * (1 + 2 * log(number(T)))
_total = Total(regret(b), b, 0, BLOCKS)
T10_STATEMENT, CONDITIONS = stated(bounds.T10_CORRECTED, _total)
SUM = Theorem(
    "osmd/T10-sum",
    T10_STATEMENT,
    (
        Given(
            "blocks",
            le(regret(b), _block, EVERY),
            "osmd/T8-horizon for each block: its rates are made for 2^b rounds, and no more are played",
        ),
        _LAST,
        *CONDITIONS,
    ),
    (
        *root_sign(),
        Step("log M", le(1 - log(M), exp(-log(M))), Known("exp", -log(M))),
        Step("clients", le(Rational(1, 2), log(M)), Combine({"log M": 1, "c2": 1 / (2 * M)}), ("log M", "c2")),
        Step("growth", le(0, _GROWTH), Combine({"log sign": 4 / log(M)}), ("log sign", "clients")),
        Step("powers", le(2**b, 2**BLOCKS, EVERY), Apply("osmd/powers")),
        Step("rounds", le(2**b, T, EVERY), Combine({"powers": 1, "last": 1}), ("powers", "last")),
        Step("some", le(1, 2**b, EVERY), Apply("osmd/powers-one")),
        Step("reach", le(reach(2**b), reach(T), EVERY), Combine({"rounds": _GROWTH}), ("rounds", "growth")),
        Step("reach low", le(1, reach(2**b), EVERY), Combine({"some": _GROWTH}), ("some", "growth")),
        Step("reach high", le(1, reach(T), EVERY), Combine({"reach low": 1, "reach": 1}), ("reach low", "reach")),
        Step(
            "logs",
            le(log(reach(2**b)), log(reach(T)), EVERY),
            Apply("osmd/logs-grow", {low: reach(2**b), high: reach(T)}),
            ("reach", "reach low", "reach high"),
        ),
        Step(
            "log low",
            le(0, log(reach(2**b)), EVERY),
            Apply("osmd/logs-grow", {low: 1, high: reach(2**b)}),
            ("reach low",),
        ),
        Step("size", le(size(2**b), size(T), EVERY), Combine({"logs": 1 / (2 * LOG2)}), ("logs",)),
        Step("size low", le(0, size(2**b), EVERY), Combine({"log low": 1 / (2 * LOG2)}), ("log low",)),
        Step(
            "number",
            le(number(2**b), number(T), EVERY),
            Apply("osmd/experts-grow", {X: size(2**b), Y: size(T)}),
            ("size", "reach low", "reach high", "clients"),
        ),
        Step(
            "number low",
            le(1, number(2**b), EVERY),
            Apply("osmd/experts-some", {X: size(2**b)}),
            ("size low", "reach low", "clients"),
        ),
        Step("number high", le(1, number(T), EVERY), Combine({"number low": 1, "number": 1}), ("number low", "number")),
        Step(
            "log number",
            le(log(number(2**b)), log(number(T)), EVERY),
            Apply("osmd/logs-grow", {low: number(2**b), high: number(T)}),
            ("number", "number low", "number high"),
        ),
        Step(
            "each",
            le(regret(b), sqrt(2) ** b * _scale, EVERY),
            Combine({"blocks": 1, "log number": 2 * bounds.R * sqrt(2**b) / sqrt(8)}),
            ("blocks", "log number"),
        ),
        Step("number now", le(1, number(T)), Instance({b: 0}), ("number high",)),
        Step("log now", le(0, log(number(T))), Apply("osmd/logs-grow", {low: 1, high: number(T)}), ("number now",)),
        Step(
            "scale",
            le(0, _scale),
            Combine({"root": Rational(17, 8) * bounds.Q / sqrt(T), "log now": 2 * bounds.R / sqrt(8)}),
            ("root", "log now"),
        ),
        Step("quotient", le(0, _quotient), Ball(())),
        Step(
            "added",
            le(_total, sqrt(2) * _quotient * sqrt(T) * _scale),
            Apply("osmd/doubling", {scale: _scale}),
            ("each", "last", "scale"),
        ),
        Step("wide", le(0, _quotient * bounds.C7_VALUE), Combine({"root": _quotient * bounds.Q}), ("root", "quotient")),
        Step("whole", T10_STATEMENT, Combine({"added": 1, "wide": Rational(7, 8) * sqrt(2)}), ("added", "wide")),
    ),
    place=PLACE,
    unused=("c3",),
    note="the blocks add up; that each block obeys osmd/T8-horizon is supposed here",
)
T10 = Theorem(
    "osmd/T10@corrected",
    T10_STATEMENT,
    SUM.hypotheses[1:],
    (
        Step(
            "blocks",
            SUM.hypotheses[0].relation,
            Assumed(
                "osmd/T8-horizon for each block, whose rates are made for 2^b rounds",
                "proved for one block; the number of experts changes from block to block, and terms have no sequences of integers",
            ),
            expected="ASSUMED",
        ),
        EXPERTS_STEP,
        Step("sum", T10_STATEMENT, Apply("osmd/T10-sum"), ("blocks", "last", "c1", "c2", "c3", "experts")),
    ),
    expected="ASSUMED",
    claim="osmd/C-T10@corrected",
    place=PLACE,
    bound=bounds.T10_CORRECTED,
    note="regret(b) is the regret of block b, of which TV is at most beta",
)

THEOREMS = (POWERS, ATLEAST, LOGS, MORE, SOME, MANY, GEOMETRIC, ADDED, SUM, T10)
