"""Theorem 5 and the FedAvg half of Theorem 9 at the step that is the least of its candidates; the factor that is dropped."""

from __future__ import annotations

from sympy import Max, Rational, Symbol, sqrt

from fltheory.papers.osmd.bounds import rates as formula
from fltheory.papers.osmd.letters import B, D, G, K, L, M, T, alpha, mu, mu_eff, server
from fltheory.proof.language import Apply, Combine, Given, Step, Theorem, Witness, eq, le, stated
from fltheory.proof.terms import Nonnegative, family
from proofs_checks.osmd.fedavg_rates import (
    ALL_ROUNDS,
    BALANCE,
    BALANCE_4,
    COROLLARY,
    INSIDE,
    MEAN_SLOPE,
    OUTCOME,
    P_,
    REGRET,
    ROOT,
    SERVER,
    SETTING,
    SIGNS,
    SMALL,
    SPREAD,
    U_,
    V_,
    W_,
    at_step,
    m,
    premin,
    smaller,
)
from proofs_checks.osmd.sgd import rho, uses
from proofs_checks.osmd.theorem10 import EXPERTS_STEP
from proofs_checks.osmd.tuned import META, meta, x, y

D_ = Symbol("D", positive=True)
I, X = (family(Nonnegative, name)() for name in "IX")
_FIRST = Max(64, 32 * sqrt(2 + 1 / alpha))
_CAP = B * L / 8 * _FIRST
SECOND_ENTRY = B * ((4 + 2 / alpha) * L**2 * SPREAD * T / D_) ** Rational(1, 3)
LOCAL = Given("divided", eq(mu, mu_eff / server), "the clients' step is the effective one over the server's")
ABOVE = Given("server step", le(1, server), "the server's step is at least 1")
PLAIN = tuple(at_step(h, {D: D_}) for h in (*SETTING, *OUTCOME, REGRET))
_USES, _BY = uses(PLAIN)


def third(inside):
    """The reciprocal of the third candidate, with its last factor."""
    return B * sqrt(L * T * inside / (2 * D_))


def tuned(name, balance, apart=0):
    """The rate at the least of the candidates, of which a fourth one balances what stands ``apart`` from the root."""
    falling = {V_: third(I), **({W_: third(apart)} if apart else {})}
    numbers = (_CAP, SECOND_ENTRY, *falling.values())
    at = {m: _CAP, U_: SECOND_ENTRY, P_: 8 * D_ / (B * T), **falling}
    rate = le(MEAN_SLOPE, formula.fedavg_rate(I, _FIRST).subs(D, D_) + 8 * sqrt(2) * sqrt(D_ * L / T) * sqrt(apart))
    inside = Given(
        "inside",
        le(INSIDE + rho, I + apart),
        "what the tuned step takes for them is no less than heterogeneity, noise and regret",
    )
    step = Given(
        "step",
        eq(1 / mu_eff, Max(*numbers)),
        "the step is the least of the candidates: its reciprocal is the largest of theirs, 0 for one that is infinite; D^F > 0",
    )
    return Theorem(
        name,
        rate,
        (*PLAIN, inside, LOCAL, ABOVE, step),
        (
            Step("cap 1", le(_CAP, Max(*numbers)), Apply("osmd/max-above", {x: _CAP, y: Max(*numbers[1:])})),
            Step("cap 2", le(64, _FIRST), Apply("osmd/max-above", {x: 64, y: 32 * ROOT})),
            Step("cap 3", le(32 * ROOT, _FIRST), Apply("osmd/max-above", {x: 32 * ROOT, y: 64})),
            Step(
                "small",
                SMALL.relation,
                Combine({"cap 1": mu_eff, "cap 2": B * L * mu_eff / 8, "step": -mu_eff}),
                ("cap 1", "cap 2", "step"),
            ),
            Step(
                "below",
                le(4 * B * L * ROOT * mu_eff, 1),
                Combine({"cap 1": mu_eff, "cap 3": B * L * mu_eff / 8, "step": -mu_eff}),
                ("cap 1", "cap 3", "step"),
            ),
            *smaller(mu_eff),
            Step(
                "server",
                SERVER.relation,
                Combine({"divided": 1, "server step": mu_eff / server}),
                ("divided", "server step"),
            ),
            Step(
                "1",
                ALL_ROUNDS.statement.at({D: D_}),
                Apply("osmd/avg-rounds", {D: D_}),
                (*_USES, "server", "small", "smaller"),
                _BY,
                note="at any bound on the regret",
            ),
            Step(
                "2", balance.statement.at(at), Apply(balance.id, at), ("step",), note="at the least of the candidates"
            ),
            Step(
                "3",
                rate,
                Combine({"1": 1, "2": Rational(1, 3), "inside": Rational(4, 3) * mu_eff * B * L}),
                ("1", "2", "inside"),
                note="a third of it would do",
            ),
        ),
        place="Theorem 5 (17)",
        note="the rate at the tuned step, for any bound on the regret",
    )


TUNED, APART = tuned("osmd/avg-tuned", BALANCE), tuned("osmd/avg-tuned-apart", BALANCE_4, X)

# The catalogue's statements -------------------------------------------------------------------------------------------


def catalogued(name, claim, bound, level, given, inserted=(), apart=0):
    """The rate, where the regret over B T is at most ``level``, and what is ``apart``: the last of ``given`` says so."""
    statement, conditions = stated(bound, MEAN_SLOPE, {D: D_})
    base, at = (APART if apart else TUNED), {I: INSIDE + level, **({X: apart} if apart else {})}
    inside, step = (at_step(h, at) for h in base.hypotheses if h.id in ("inside", "step"))
    corollary = given[-1].id
    return Theorem(
        name,
        statement,
        (*PLAIN, LOCAL, step, *given, *conditions),
        (
            *SIGNS,
            Step("sum", le(0, at[I]), Combine({"level": level.coeff(formula.REGRET_SGD)}), ("level",)),
            Step("inside", inside.relation, Combine({corollary: 1}), (corollary,)),
            Step(
                "1",
                base.statement.at(at),
                Apply(base.id, at),
                ("sum", "log", *_USES, "inside", "divided", "c4", "step"),
                _BY,
            ),
            *((EXPERTS_STEP,) if inserted else ()),
            Step(
                "2",
                statement,
                Combine({"1": 1}),
                ("1", *(("experts",) if inserted else ())),
                inserted,
                note="in the letters of the bound",
            ),
        ),
        claim=claim,
        place=bound.source.place,
        bound=bound,
        reading={D: D_},
        unused=("c3",),
    )


T5 = catalogued("osmd/T5", "osmd/C-T5@corrected", formula.T5_CORRECTED, formula.REGRET_SGD, (COROLLARY,))
_CHOICE, _EXTRA = 3 * formula.REGRET_SGD, G**2 / (K * alpha**2) * meta / sqrt(8 * T)
THEOREM_8 = Given(
    "theorem 8", le(rho, _CHOICE + _EXTRA), "Theorem 8 as corrected, at A_max = B G^2/M^2, over B T", supposed=True
)
_EXPERTS = (META, THEOREM_8)
T9B = catalogued("osmd/T9b", "osmd/C-T9b@corrected", formula.T9B_CORRECTED, _CHOICE + _EXTRA, _EXPERTS, ("meta",))
T9B_APART = catalogued(
    "osmd/T9b-apart", "osmd/C-T9b-apart@corrected", formula.T9B_APART, _CHOICE, _EXPERTS, ("meta",), _EXTRA
)
T9B_PREMIN = premin(
    "osmd/T9b-premin", "osmd/C-T9b-premin@corrected", formula.T9B_PREMIN, _CHOICE + _EXTRA, _EXPERTS, ("meta",)
)

# The factor that is dropped in (17) -----------------------------------------------------------------------------------

_Q = Symbol("q", positive=True)  # q_beta
_DROPPED = le(M * G**2 / (K * alpha**3) * sqrt(_Q / T), sqrt(_Q / T))
DROPPED = Theorem(
    "osmd/T5-dropped",
    _DROPPED,
    (),
    (
        Step(
            "1",
            _DROPPED,
            Witness({M: 2, G: 1, K: 1, alpha: 1, _Q: 1, T: 1}),
            expected="REFUTED",
            note="M G^2/(K alpha^3) is no number of size 1: it scales like a squared gradient",
        ),
    ),
    expected="REFUTED",
    place="Theorem 5 (17)",
    note="that the bound of Corollary 7 over B T at A_max = B G^2/M^2 is at most sqrt(q_beta/T), which is printed for it",
)

THEOREMS = (TUNED, APART, T5, T9B, T9B_APART, T9B_PREMIN, DROPPED)
