"""Proposition 13 along every path: (52) for estimated losses, before expectations."""

from __future__ import annotations

from sympy import Abs, Rational, exp

from fltheory.papers.osmd.mirror.proofs.lemmas import L17, LAMBDA
from fltheory.papers.osmd.notation import D1, TV, K, M, T, a2, alpha, eta
from fltheory.papers.osmd.regret.proofs.paths import ROUNDS, excess, floors, from_uniform, logq, n, sums, t, total_move
from fltheory.papers.osmd.regret.proofs.regret import BANDIT, P13_SHARP, largest, logP, logQ, seen
from fltheory.papers.osmd.regret.proofs.theorem6 import LATER, LOG
from fltheory.proof import Given, by, le, proof, statement_of
from fltheory.proof.facts.notation import EACH, m
from fltheory.proof.terms import Total
from fltheory.verification import find

PLACE = "Proposition 13, along paths"
_START, _MOVED, _SQUARES = from_uniform(logQ), total_move(logQ, T), Total(largest(t) ** 2, t, 1, T)
READING = {TV: _MOVED, a2: _SQUARES, D1: _START}
ESTIMATED = excess(seen, logP, logQ, T)
_SHARP_BOUND, _PRINTED_BOUND = (find(f"osmd/C-P13-path@{reading}").bound for reading in ("strengthened", "printed"))
_SHARP, CONDITIONS = statement_of(_SHARP_BOUND, ESTIMATED, READING)
PATH: tuple[Given, ...] = (*BANDIT[:5], sums("sum q", logQ, T), floors(logQ))

SHARP = (
    proof("osmd/P13-path@strengthened", PLACE, of="osmd/C-P13-path@strengthened", bound=_SHARP_BOUND, reading=READING,
        unused=("c2",), note="for any course of the draws")
    .under(*PATH, *CONDITIONS)
    .steps(*(s for s in P13_SHARP.steps if s.id in ("floor p", "zero", "inverse", "cube", "slope", "paths")))
    .qed(_SHARP, by.instance({n: T}, "paths"), name="path")
)
PRINTED = (
    proof("osmd/P13-path", PLACE, of="osmd/C-P13-path@printed", bound=_PRINTED_BOUND, reading=READING,
        note="weaker in three places")
    .under(*PATH, *CONDITIONS)
    .step("sharp", by.apply(SHARP))
    .step("first", by.instance({t: 1}, "sum q"))
    .step("start 1", by.apply(L17, {logq(m): logQ(1, m)}), note="Lemma 17")
    .steps(*LOG)
    .step("move", le(0, Abs(exp(logQ(t + 1, m)) - exp(logQ(t, m))), LATER, EACH), by.linear())
    .step("moves", le(0, _MOVED), by.sum_over((m, t), "move"))
    .step("square", le(0, largest(t) ** 2, ROUNDS), by.linear())
    .step("squares", by.sum_over(t, "square"))
    .qed(statement_of(_PRINTED_BOUND, ESTIMATED, READING)[0],
        by.linear(
            {"sharp": 1, "start 1": 1 / eta, "moves": LAMBDA / eta, "squares": Rational(3, 8) * eta * M**6 / (K**2 * alpha**6)},
            "log"), name="last")
)

THEOREMS = (SHARP, PRINTED)
