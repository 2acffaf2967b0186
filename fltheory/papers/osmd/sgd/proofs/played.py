"""Theorems 4 and 9 for mini-batch SGD with the named samplers: the regret is that of Corollary 7 and Theorem 8.

The feedback of a client is its squared update over M^2, at most G^2/M^2 by Assumption 3; the sampler plays p^t.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sympy import Expr, log, sqrt

from fltheory.papers.osmd.experts.proofs.theorem8 import T8
from fltheory.papers.osmd.notation import TV, A, G, K, M, T, alpha, batch, beta
from fltheory.papers.osmd.regret.proofs.corollary7 import C7
from fltheory.papers.osmd.regret.proofs.paths import total_move
from fltheory.papers.osmd.regret.proofs.regret import feedback, largest, logP, logQ
from fltheory.papers.osmd.sgd import bounds as formula
from fltheory.papers.osmd.sgd.proofs import sgd, tuned
from fltheory.proof import Defines, Given, Relation, Step, Theorem, by, eq, le, line, proof, statement_of
from fltheory.proof.algebra.replacing import substitute_term
from fltheory.proof.facts.notation import EACH, m
from fltheory.proof.facts.squares import a, z
from fltheory.proof.facts.sums import t
from fltheory.proof.terms import E, RandomPositive, RandomVector, Total, family, square

_LATER = ("largest", "bounded", "fed", "floor", "c1", "c2", "c3")
_CONDITIONS = ("c1", "c2", "c3")


def laws(p, q) -> dict[Expr, Expr]:
    """Return distributions by their probabilities in place of the logarithms."""
    return {logP(t, m): log(p(t, m)), logQ(t, m): log(q(t, m))}


def read(relation: Relation, values: Mapping[Expr, Expr]) -> Relation:
    """Return a relation on a sampler, applied to a run."""
    at = list(values.items())
    over = tuple((i, substitute_term(lo, at), substitute_term(hi, at)) for i, lo, hi in relation.over)
    return Relation(substitute_term(relation.left, at), relation.op, substitute_term(relation.right, at), over)


def sampler(base: Theorem, values: Mapping[Expr, Expr]) -> tuple[Given, ...]:
    """Return the hypotheses of a theorem on a sampler, applied to a run."""
    return tuple(Given(f"sampler {h.id}", read(h.relation, values), h.why) for h in base.hypotheses if h.id not in _LATER)


class Run(NamedTuple):
    """A kind of training: the values of the sampler's symbols, and lines that bound the feedback."""

    values: Mapping[Expr, Expr]
    lines: tuple[Step, ...]
    given: tuple[Given, ...]
    regret: Relation  # the rates suppose it, given rho


def played(run: Run, name: str, base: Theorem, game: Theorem, level: Expr, own: tuple[object, ...] = ()) -> Theorem:
    """Prove a rate that supposes a bound on the regret; ``game`` bounds the regret of the sampler by ``level``."""
    bound, at = base.bound, {**dict(base.reading), TV: substitute_term(MOVE, list(run.values.items()))}
    line_, conditions = statement_of(bound, base.statement.left, at)
    kept = tuple(h for h in base.hypotheses if h.id not in (*(c.id for c in conditions), *_SUPPOSED))
    if line_.right != base.statement.right:
        raise ValueError(f"{base.id} is another statement")
    here = sampler(game, run.values)
    given = tuple(h.id for h in kept if not isinstance(h, Defines))
    inserted = tuple(h.id for h in kept if isinstance(h, Defines))
    uses = (*(h.id for h in here), "floor", "fed", *_CONDITIONS)
    replaced = {sgd.rho: level, TV: beta, **dict(own)}
    ids = tuple(c.id for c in conditions if c.id != "c3")
    experts = tuple(h.id for h in kept if h.id == "meta")
    return (
        proof(name, of=base.claim, bound=bound, reading=at, note=f"{base.id} with the regret of {game.id}")
        .under(*kept, *here, *run.given, *conditions)
        .steps(*run.lines)
        .step("game of the sampler", read(game.statement, run.values), by.apply(game.id, run.values, *uses))
        .step("regret", run.regret.at({sgd.rho: level}),
            by.linear({"game of the sampler": 1, "own loss": -1 / K, "other loss": 1 / K}), inserting=experts)
        .steps(*tuned.SIGNS)
        .qed(base.statement, by.apply(base.id, replaced, "log", "level", "regret", *given, *ids), inserting=inserted)
    )


_SUPPOSED = ("regret", "corollary", "theorem 8")
MOVE = E(total_move(logQ, T))

# Mini-batch SGD -------------------------------------------------------------------------------------------------------

_p, _q = family(RandomPositive, "p"), family(RandomPositive, "q")
_AT = (sgd.ROUNDS, EACH)


def values_at(size: Expr) -> dict[Expr, Expr]:
    """Return the distributions, and the bound on the feedback."""
    return {**laws(_p, _q), largest(t): size, A: size}


def by_gradients(value: Expr) -> tuple[Step, ...]:
    """Return the losses of both distributions in terms of the updates."""
    found = []
    for name, law in (("own", _p), ("other", _q)):
        each = eq(feedback(t, m) / law(t, m), value / law(t, m), *_AT)
        mean = Relation(E(each.left), "==", E(each.right), each.over)
        sums = (Total(Total(side.xreplace({m: a}), a, 1, M), t, 1, T) for side in (mean.left, mean.right))
        found += [
            line(f"{name} loss 1", each, by.linear({"feedback": 1 / law(t, m)})),
            line(f"{name} loss 2", mean, by.expectation(f"{name} loss 1")),
            line(f"{name} loss", eq(*sums), by.sum_over((m, t), f"{name} loss 2")),
        ]
    return tuple(found)


_SAMPLE = sgd.at_round(sgd.own(m)) + family(RandomVector, "xi")(t, m, a)
_FEEDBACK = square(family(RandomVector, "g")(t, m)) / M**2
SGD = Run(values_at(formula.A_SGD),
    (
        line("short", le(_FEEDBACK, formula.A_SGD, *_AT), by.apply("osmd/Amax-sgd", {z(a): _SAMPLE}, "sample"),
            inserting=("gradient", "noise"), note="A_max = G^2/M^2"),
        line("fed", le(feedback(t, m), formula.A_SGD, *_AT), by.linear({"short": 1, "feedback": 1})),
        *by_gradients(_FEEDBACK)),
    (
        Given("sample", le(square(_SAMPLE), G**2, *_AT, (a, 1, batch)),
            "Assumption 3: no stochastic gradient is longer than G"),
        Given("feedback", eq(feedback(t, m), _FEEDBACK, *_AT), "what the sampler is told of a client: |g_m|^2/M^2")),
    sgd.REGRET.relation)
AT_C7, AT_T8 = formula.REGRET_SGD, 3 * formula.REGRET_SGD + G**2 / (K * alpha**2) * tuned.meta / sqrt(8 * T)

THEOREMS = (
    played(SGD, "osmd/T4-played", tuned.T4, C7, AT_C7),
    played(SGD, "osmd/T4-any-played", tuned.T4_ANY, C7, AT_C7),
    played(SGD, "osmd/T4-premin-played", sgd.T4_PREMIN, C7, AT_C7),
    played(SGD, "osmd/T4-premin-sharp-played", sgd.T4_PREMIN_SHARP, C7, AT_C7),
    played(SGD, "osmd/T9a-premin-played", tuned.T9A_PREMIN, T8, AT_T8),
    played(SGD, "osmd/T9a-played", tuned.T9A, T8, AT_T8),
)
