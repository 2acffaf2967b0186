"""Theorem 5 and the FedAvg half of Theorem 9 at the step that is the least of its candidates; the factor that is dropped."""

from __future__ import annotations

from sympy import Max, Rational, Symbol, sqrt

from fltheory.papers.osmd import rates as formula
from fltheory.proof.language import Apply, Combine, Given, Step, Theorem, Witness, eq, le, stated
from fltheory.proof.terms import Nonnegative, family, substitute
from fltheory.symbols import effective_step_size as mu
from fltheory.symbols import gradient_bound as G
from fltheory.symbols import initial_gap as D
from fltheory.symbols import n_clients as M
from fltheory.symbols import n_local_steps as B
from fltheory.symbols import n_rounds as T
from fltheory.symbols import n_sampled as K
from fltheory.symbols import probability_floor as alpha
from fltheory.symbols import server_step_size as server
from fltheory.symbols import smoothness as L
from fltheory.symbols import step_size as mu_l
from proofs_checks.osmd_fedavg_rates import (
    _BALANCED,
    _INSIDE,
    _P,
    _ROOT,
    _SPREAD,
    _U,
    _V,
    ALL_ROUNDS,
    COROLLARY,
    MEAN_SLOPE,
    OUTCOME,
    REGRET,
    SERVER,
    SETTING,
    SIGNS,
    SMALL,
    at_step,
    m,
    smaller,
)
from proofs_checks.osmd_sgd import rho, uses
from proofs_checks.osmd_tuned import META, meta, x, y

D_ = Symbol("D", positive=True)
I = family(Nonnegative, "I")()
_FIRST = Max(64, 32 * sqrt(2 + 1 / alpha))
_CAP = B * L / 8 * _FIRST
_SECOND = B * ((4 + 2 / alpha) * L**2 * _SPREAD * T / D_) ** Rational(1, 3)
_THIRD = B * sqrt(L * T * I / (2 * D_))
_NUMBERS = (_CAP, _SECOND, _THIRD)
STEP = Given(
    "step", eq(1 / mu, Max(*_NUMBERS)),
    "the step is the least of the candidates: its reciprocal is the largest of theirs, 0 for one that is infinite; D^F > 0",
)  # fmt: skip
LOCAL = Given("divided", eq(mu_l, mu / server), "the clients' step is the effective one over the server's")
ABOVE = Given("server step", le(1, server), "the server's step is at least 1")
INSIDE = Given(
    "inside",
    le(_INSIDE + rho, I),
    "what the tuned step takes for them is no less than heterogeneity, noise and regret",
)
PLAIN = tuple(at_step(h, {D: D_}) for h in (*SETTING, *OUTCOME, REGRET))
_USES, _BY = uses(PLAIN)
_RATE = le(MEAN_SLOPE, formula.fedavg_rate(I, _FIRST).subs(D, D_))
_AT = {m: _CAP, _U: _SECOND, _V: _THIRD, _P: 8 * D_ / (B * T)}
_AT_TUNED = _BALANCED.at(_AT)
TUNED = Theorem(
    "osmd/avg-tuned", _RATE, (*PLAIN, INSIDE, LOCAL, ABOVE, STEP),
    (
        Step("cap 1", le(_CAP, Max(*_NUMBERS)), Apply("osmd/max-above", {x: _CAP, y: Max(_SECOND, _THIRD)})),
        Step("cap 2", le(64, _FIRST), Apply("osmd/max-above", {x: 64, y: 32 * _ROOT})),
        Step("cap 3", le(32 * _ROOT, _FIRST), Apply("osmd/max-above", {x: 32 * _ROOT, y: 64})),
        Step("small", SMALL.relation, Combine({"cap 1": mu, "cap 2": B * L * mu / 8, "step": -mu}), ("cap 1", "cap 2", "step")),
        Step("below", le(4 * B * L * _ROOT * mu, 1), Combine({"cap 1": mu, "cap 3": B * L * mu / 8, "step": -mu}),
             ("cap 1", "cap 3", "step")),
        *smaller(mu),
        Step("server", SERVER.relation, Combine({"divided": 1, "server step": mu / server}), ("divided", "server step")),
        Step("1", ALL_ROUNDS.statement.at({D: D_}), Apply("osmd/avg-rounds", {D: D_}), (*_USES, "server", "small", "smaller"), _BY,
             note="at any bound on the regret"),
        Step("2", _AT_TUNED, Apply("osmd/avg-balance", _AT), ("step",), note="at the least of the candidates"),
        Step("3", _RATE, Combine({"1": 1, "2": Rational(1, 3), "inside": Rational(4, 3) * mu * B * L}), ("1", "2", "inside"),
             note="a third of it would do"),
    ),
    place="Theorem 5 (17)", note="the rate at the tuned step, for any bound on the regret",
)  # fmt: skip
# The catalogue's statements -------------------------------------------------------------------------------------------


def catalogued(name, claim, bound, level, given, by=()):
    """The rate, where the regret over B T is at most ``level``: the last of the hypotheses ``given`` says so."""
    statement, conditions = stated(bound, MEAN_SLOPE, {D: D_})
    value = _INSIDE + level
    step = at_step_of(STEP, value)
    tuned = le(_RATE.left, put(_RATE.right, value))
    corollary = given[-1].id
    return Theorem(
        name, statement, (*PLAIN, LOCAL, step, *given, *conditions),
        (
            *SIGNS,
            Step("sum", le(0, value), Combine({"level": level.coeff(formula.REGRET_SGD)}), ("level",)),
            Step("inside", le(_INSIDE + rho, value), Combine({corollary: 1}), (corollary,)),
            Step("1", tuned, Apply("osmd/avg-tuned", {I: value}), ("sum", "log", *_USES, "inside", "divided", "c4", "step"), _BY),
            Step("2", statement, Combine({"1": 1}), ("1",), by, note="in the letters of the bound"),
        ),
        claim=claim, place=bound.source.place, bound=bound, unused=("c3",),
    )  # fmt: skip


def put(expr, value):
    """The term with the number under the last root replaced."""
    return substitute(expr, {I: value})


def at_step_of(entry, value):
    """The hypothesis on the step with the number under the last root replaced."""
    return Given(entry.id, eq(put(entry.relation.left, value), put(entry.relation.right, value)), entry.why)


T5 = catalogued("osmd/T5", "osmd/C-T5@corrected", formula.T5_CORRECTED, formula.REGRET_SGD, (COROLLARY,))
_EXTRA = G**2 / (K * alpha**2) * meta / sqrt(8 * T)
THEOREM_8 = Given(
    "theorem 8", le(rho, 3 * formula.REGRET_SGD + _EXTRA), "Theorem 8 as corrected, at A_max = B G^2/M^2, over B T"
)  # fmt: skip
T9B = catalogued(
    "osmd/T9b",
    "osmd/C-T9b@corrected",
    formula.T9B_CORRECTED,
    3 * formula.REGRET_SGD + _EXTRA,
    (META, THEOREM_8),
    ("meta",),
)

# The factor that is dropped in (17) -----------------------------------------------------------------------------------

_Q = Symbol("q", positive=True)  # q_beta
_DROPPED = le(M * G**2 / (K * alpha**3) * sqrt(_Q / T), sqrt(_Q / T))
DROPPED = Theorem(
    "osmd/T5-dropped", _DROPPED, (),
    (
        Step("1", _DROPPED, Witness({M: 2, G: 1, K: 1, alpha: 1, _Q: 1, T: 1}), expected="REFUTED",
             note="M G^2/(K alpha^3) is no number of size 1: it scales like a squared gradient"),
    ),
    expected="REFUTED", place="Theorem 5 (17)",
    note="that the bound of Corollary 7 over B T at A_max = B G^2/M^2 is at most sqrt(q_beta/T), which is printed for it",
)  # fmt: skip

THEOREMS = (TUNED, T5, T9B, DROPPED)
