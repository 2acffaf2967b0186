"""Theorem 8: the catalogue's formulas, and the printed use of Hoeffding's lemma refuted.

``budget`` is the usable variation budget: no sequence of T distributions moves more than 2 (T - 1).
"""

from __future__ import annotations

from sympy import Integer, Min, Rational, Symbol, exp, log, sqrt

from fltheory.model.bound import Bound
from fltheory.papers.osmd import bounds
from fltheory.papers.osmd.experts.proofs.experts import AT_ANY_RATES
from fltheory.papers.osmd.experts.proofs.grid import ANY, CONDITIONS, GRID, H
from fltheory.papers.osmd.mirror.proofs import projection as point
from fltheory.papers.osmd.mirror.proofs.lemmas import LAMBDA
from fltheory.papers.osmd.notation import TV, M, T, beta, eta, gamma, n_experts
from fltheory.papers.osmd.regret.proofs.paths import ROUNDS, moved, t, total_move
from fltheory.papers.osmd.regret.proofs.regret import REGRET, logQ
from fltheory.papers.osmd.regret.proofs.theorem6 import LOG
from fltheory.proof import Given, Relation, Step, Theorem, by, eq, le, line, proof, statement_of
from fltheory.proof.facts.notation import EACH, j, m, whole
from fltheory.proof.terms import E

PLACE = "Theorem 8"
budget = Symbol("budget", nonnegative=True)
LATER = (t, 1, T - 1)
_move = total_move(logQ, T)
READING = {TV: E(_move)}

# No sequence moves more than 2 (T - 1) -----------------------------------------------------------------------------------

_now, _then = exp(logQ(t, m)), exp(logQ(t + 1, m))
MOST = (
    proof("osmd/variation", PLACE, note="TV is at most 2 (T - 1)")
    .given("sum q", eq(whole(exp(logQ(t, j))), 1, ROUNDS), "probabilities")
    .step("up", le(_then - _now, _then + _now, LATER, EACH), by.linear())
    .step("down", le(_now - _then, _then + _now, LATER, EACH), by.linear())
    .step("each", by.absolute("up", "down"))
    .step("sum", le(moved(logQ, t), whole(exp(logQ(t + 1, j)) + exp(logQ(t, j))), LATER), by.sum_over(m, "each"))
    .step("then", by.instance({t: t + 1}, "sum q"), over=LATER)
    .step("round", le(moved(logQ, t), 2, LATER), by.linear("sum", "then", "sum q"))
    .qed(le(_move, 2 * (T - 1)), by.sum_over(t, "round"), name="last")
)

# The sampler of Theorem 8: rates and meta rate made for T rounds ----------------------------------------------------------------

_own = tuple(h for h in AT_ANY_RATES.hypotheses if h.id not in ("expert", "alpha"))
LONGEST = 2 * (H - 1)
CAP = Given("cap", eq(budget, Min(beta, LONGEST)), "a name for the budget that can be used,")
STAR = Given("star", eq(eta, bounds.ETA.xreplace({beta: budget, T: H})),
    "and for the rate (20) that belongs to it; nobody need know them")
TUNED = Given("meta rate", eq(gamma, bounds.GAMMA.xreplace({T: H})), "the corrected meta rate")
MADE = tuple(h for h in GRID if h.id != "star")
GIVEN = (*_own, *MADE, CAP, STAR, *CONDITIONS)
IDS = tuple(h.id for h in GIVEN)
_ids = tuple(i for i in IDS if i not in ("cap", "c3"))


def at_end(h: Given) -> Given:
    """Return a hypothesis with as many rounds as the rates are made for."""
    plain = h.relation
    return Given(h.id, Relation(plain.left.xreplace({H: T}), plain.op, plain.right.xreplace({H: T}), plain.over), h.why)


_C7 = bounds.C7_VALUE.xreplace({T: H})
_sum, _capped_sum = (H * (log(M) / 2 + b * LAMBDA) for b in (beta, budget))
_ANY = le(REGRET, Rational(17, 8) * _C7 + (gamma * H * bounds.R**2 / 8 + 2 * log(n_experts) / gamma))
BASE = (
    proof("osmd/T8-base", PLACE, note="with 17/8 where the paper has 3, at any meta rate").under(*GIVEN)
    .step("most", by.apply(MOST))
    .step("mean most", by.expectation("most"))
    .step("longest", le(E(_move), LONGEST), by.linear("mean most", "short"))
    .step("least", by.apply(point.LESS, {point.low: E(_move), point.c: beta, point.d: LONGEST}))
    .step("within", le(E(_move), budget), by.linear("least", "cap"))
    .step("under 1", by.apply(point.MIN_SECOND, {point.c: beta, point.d: LONGEST}))
    .step("enough", le(budget, LONGEST), by.linear("under 1", "cap"))
    .step("under 2", by.apply(point.MIN_FIRST, {point.c: beta, point.d: LONGEST}))
    .step("less", le(budget, beta), by.linear("under 2", "cap"))
    .step("capped", by.apply(ANY, {beta: budget}, *_ids, "enough", "within"))
    .steps(*LOG)
    .step("log sign", le(0, LAMBDA), by.linear("log"))
    .step("zero", le(0, _capped_sum), by.linear("log sign"))
    .step("order", le(_capped_sum, _sum), by.linear("less", "log sign"))
    .step("roots", by.power(Rational(1, 2), "zero", "order"))
    .qed(_ANY, by.linear("capped", "roots"), name="last")
)


def root_sign() -> tuple[Step, ...]:
    """Prove that the first term is nonnegative."""
    return (
        *LOG,
        line("log sign", le(0, LAMBDA), by.linear("log")),
        line("nil", le(0, Integer(0)), by.linear()),
        line("sum", le(0, T * bounds.Q_BETA), by.linear("log sign")),
        line("root", le(0, sqrt(T * bounds.Q_BETA)), by.power(Rational(1, 2), "nil", "sum")),
    )


_BALANCE = H * bounds.R**2 / 8 - 2 * log(n_experts) * bounds.R * sqrt(H / 8) / gamma
BLOCK_STATEMENT = le(REGRET, Rational(17, 8) * _C7 + bounds.R * sqrt(H / 8) * (1 + 2 * log(n_experts)))
BLOCK = (
    proof("osmd/T8-horizon", PLACE,
        note="the meta rate balanced; no more rounds are played than the rates are made for")
    .under(*GIVEN, TUNED)
    .step("base", by.apply(BASE))
    .qed(BLOCK_STATEMENT, by.linear({"base": 1, "meta rate": _BALANCE}), name="last")
)


def theorem8(name: str, bound: Bound, tuned: bool, wide: bool, note: str, claim: str) -> Theorem:
    """Derive a statement of the catalogue from those above."""
    statement, conditions = statement_of(bound, REGRET, READING)
    base = BLOCK if tuned else BASE
    given = tuple(at_end(h) for h in base.hypotheses if h.id != "short")
    weights = {"base": Rational(1), **({"root": Rational(7, 8) * bounds.Q} if wide else {})}
    return (
        proof(name, PLACE, of=claim, bound=bound, reading=READING, note=note)
        .under(*given, *(c for c in conditions if c.id not in {h.id for h in given}))
        .step("base", Relation(base.statement.left, "<=", base.statement.right.xreplace({H: T})),
            by.apply(base.id, {H: T}, *(h.id for h in given)))
        .steps(*(root_sign() if wide else ()))
        .qed(statement, by.linear(weights), name="last", inserting="experts")
    )


T8_ANY_RATE = theorem8("osmd/T8-any-rate", bounds.T8_ANY_RATE, False, True, "any meta rate, the printed one too",
    "osmd/C-T8-gamma@corrected")
T8_SHARP = theorem8("osmd/T8@strengthened", bounds.T8_SHARP, True, False, "17/8 where the paper has 3",
    "osmd/C-T8@strengthened")
T8 = theorem8("osmd/T8@corrected", bounds.T8_CORRECTED, True, True, "the range of the losses squared",
    "osmd/C-T8@corrected")

# The printed step ---------------------------------------------------------------------------------------------------------------

_range = Symbol("R", positive=True)
PRINTED = proof(
    "osmd/60-printed",
    "(60), Hoeffding's lemma",
    recorded="REFUTED",
    note="two experts of weight 1/2 with the losses 0 and R: the printed term is gamma^2 R/8, Hoeffding's is gamma^2 R^2/8",
).qed(le(log((1 + exp(-gamma * _range)) / 2), -gamma * _range / 2 + gamma**2 * _range / 8),
    by.counterexample({gamma: 1, _range: 10}), note="-0.69 against -3.75")

THEOREMS = (MOST, BASE, BLOCK, T8_ANY_RATE, T8_SHARP, T8, PRINTED)
