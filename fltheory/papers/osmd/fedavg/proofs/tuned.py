"""Theorem 5 and the FedAvg half of Theorem 9 at the step that is the least candidate; the omitted factor."""

from __future__ import annotations

from sympy import Max, Rational, Symbol, sqrt

from fltheory.papers.osmd.experts.proofs.theorem10 import EXPERTS_STEP
from fltheory.papers.osmd.fedavg.proofs.rates import (ALL_ROUNDS, BALANCE, BALANCE_4, COROLLARY, INSIDE, MEAN_SLOPE,
    OUTCOME, P_, REGRET, ROOT, SERVER, SETTING, SIGNS, SMALL, SPREAD, U_, V_, W_, at_step, least, m, premin, smaller)
from fltheory.papers.osmd.notation import B, D, G, K, L, M, T, alpha, mu, mu_eff, server
from fltheory.papers.osmd.sgd import bounds as formula
from fltheory.papers.osmd.sgd.proofs.sgd import rho, uses
from fltheory.papers.osmd.sgd.proofs.tuned import META, meta, x, y
from fltheory.proof import Given, by, eq, le, proof, statement_of
from fltheory.proof.terms import Nonnegative, family

I, X = (family(Nonnegative, name)() for name in "IX")
_FIRST = Max(64, 32 * sqrt(2 + 1 / alpha))
_CAP = B * L / 8 * _FIRST
SECOND_ENTRY = B * ((4 + 2 / alpha) * L**2 * SPREAD * T) ** Rational(1, 3)  # over D^(1/3), the second's reciprocal
LOCAL = Given("divided", eq(mu, mu_eff / server), "the clients' step is the effective one over the server's")
ABOVE = Given("server step", le(1, server), "the server's step is at least 1")
PLAIN = (*SETTING, *OUTCOME, REGRET)
_USES, _BY = uses(PLAIN)


def third(inside):
    """Return the square root of D^F over the third candidate, with its last factor."""
    return B * sqrt(L * T * inside / 2)


def tuned(name, balance, apart=0):
    """Prove the rate at the least candidate, where a fourth candidate balances the term ``apart`` from the root."""
    falling = {V_: third(I), **({W_: third(apart)} if apart else {})}
    at = {m: _CAP, U_: SECOND_ENTRY, P_: 8 / (B * T), **falling}
    inside = Given("inside", le(INSIDE + rho, I + apart),
        "what the tuned step takes for them is no less than heterogeneity, noise and regret")
    step = least(_CAP, SECOND_ENTRY, *falling.values())
    return (
        proof(name, "Theorem 5 (17)", note="the rate at the tuned step, for any bound on the regret")
        .under(*PLAIN, inside, LOCAL, ABOVE, *step)
        .step("cap 2", le(64, _FIRST), by.apply("osmd/max-above", {x: 64, y: 32 * ROOT}))
        .step("cap 3", le(32 * ROOT, _FIRST), by.apply("osmd/max-above", {x: 32 * ROOT, y: 64}))
        .step("small", SMALL.relation, by.linear("cap", "cap 2"))
        .step("below", le(4 * B * L * ROOT * mu_eff, 1), by.linear("cap", "cap 3"))
        .steps(*smaller(mu_eff))
        .step("server", SERVER.relation, by.linear("divided", "server step"))
        .step("1", by.apply(ALL_ROUNDS), inserting=_BY, note="at any bound on the regret")
        .step("2", balance.statement.at(at), by.apply(balance.id, at, *(h.id for h in step[1:])),
            note="at the least of the candidates")
        .qed(le(MEAN_SLOPE, formula.fedavg_rate(I, _FIRST) + 8 * sqrt(2) * sqrt(D * L / T) * sqrt(apart)),
            by.linear("1", "2", "inside"), note="a third of it would do")
    )


TUNED, APART = tuned("osmd/avg-tuned", BALANCE), tuned("osmd/avg-tuned-apart", BALANCE_4, X)

# The catalogue's statements -------------------------------------------------------------------------------------------

_LEAST = ("cap", "second", "third", "fourth", "step")


def catalogued(name, claim, bound, level, given, inserted=(), apart=0):
    """State the rate if the regret over B T is at most ``level`` plus the term ``apart``, by the last of ``given``."""
    statement, conditions = statement_of(bound, MEAN_SLOPE)
    base, at = (APART if apart else TUNED), {I: INSIDE + level, **({X: apart} if apart else {})}
    inside, *step = (at_step(h, at) for h in base.hypotheses if h.id in ("inside", *_LEAST))
    corollary = given[-1].id
    return (
        proof(name, of=claim, bound=bound, unused=("c3",)).under(*PLAIN, LOCAL, *step, *given, *conditions)
        .steps(*SIGNS)
        .step("sum", le(0, at[I]), by.linear("level"))
        .step("inside", inside.relation, by.linear(corollary))
        .step("1", base.statement.at(at),
            by.apply(base.id, at, "sum", "log", *_USES, "inside", "divided", "c4", *(h.id for h in step)),
            inserting=_BY)
        .steps(*((EXPERTS_STEP,) if inserted else ()))
        .qed(statement, by.linear({"1": 1}, *(("experts",) if inserted else ())), inserting=inserted,
            note="in the letters of the bound")
    )


T5 = catalogued("osmd/T5", "osmd/C-T5@corrected", formula.T5_CORRECTED, formula.REGRET_SGD, (COROLLARY,))
_CHOICE, _EXTRA = 3 * formula.REGRET_SGD, G**2 / (K * alpha**2) * meta / sqrt(8 * T)
THEOREM_8 = Given("theorem 8", le(rho, _CHOICE + _EXTRA), "Theorem 8 as corrected, at A_max = B G^2/M^2, over B T",
    supposed=True)
_EXPERTS = (META, THEOREM_8)
T9B = catalogued("osmd/T9b", "osmd/C-T9b@corrected", formula.T9B_CORRECTED, _CHOICE + _EXTRA, _EXPERTS, ("meta",))
T9B_APART = catalogued("osmd/T9b-apart", "osmd/C-T9b-apart@corrected", formula.T9B_APART, _CHOICE, _EXPERTS, ("meta",),
    _EXTRA)
T9B_PREMIN = premin("osmd/T9b-premin", "osmd/C-T9b-premin@corrected", formula.T9B_PREMIN, _CHOICE + _EXTRA, _EXPERTS,
    ("meta",))

# The omitted factor in (17) -------------------------------------------------------------------------------------------

_Q = Symbol("q", positive=True)  # q_beta
DROPPED = proof(
    "osmd/T5-dropped",
    "Theorem 5 (17)",
    recorded="REFUTED",
    note="that the bound of Corollary 7 over B T at A_max = B G^2/M^2 is at most sqrt(q_beta/T), which is printed for it",
).qed(le(M * G**2 / (K * alpha**3) * sqrt(_Q / T), sqrt(_Q / T)),
    by.counterexample({M: 2, G: 1, K: 1, alpha: 1, _Q: 1, T: 1}),
    note="M G^2/(K alpha^3) is no number of size 1: it scales like a squared gradient")

THEOREMS = (TUNED, APART, T5, T9B, T9B_APART, T9B_PREMIN, DROPPED)
