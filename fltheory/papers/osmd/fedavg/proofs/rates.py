"""Theorem 5 and the FedAvg half of Theorem 9: all rounds at any small step (46), and the rates at the tuned step."""

from __future__ import annotations

from sympy import Integer, Max, Min, Rational, log, sqrt

from fltheory.papers.osmd.bounds import Q_BETA
from fltheory.papers.osmd.experts.proofs.theorem10 import EXPERTS_STEP
from fltheory.papers.osmd.fedavg.proofs import fedavg as local
from fltheory.papers.osmd.fedavg.proofs import round as one
from fltheory.papers.osmd.mirror.proofs.facts import SIGN, TELESCOPE, share
from fltheory.papers.osmd.notation import B, D, K, L, M, T, alpha, mu, mu_eff, server, sigma, zeta_T, zeta_unif
from fltheory.papers.osmd.sampling.proofs.sampling import a, k, p, pick
from fltheory.papers.osmd.sgd import bounds as formula
from fltheory.papers.osmd.sgd.proofs.sgd import low, rho, uses
from fltheory.papers.osmd.sgd.proofs.tuned import largest
from fltheory.proof import Defines, Given, Member, Relation, by, eq, le, line, proof, statement_of
from fltheory.proof.algebra.replacing import substitute_term
from fltheory.proof.facts.squares import N, x
from fltheory.proof.facts.sums import d, s, t
from fltheory.proof.terms import Nonnegative, RandomInteger, RandomVector, Total, family, square, substitute

HALF = Rational(1, 2)
W = family(RandomVector, "w")
IN_ROUND = {
    one.w: W(t),
    one.after: W(t + 1),
    pick(k): family(RandomInteger, "pick")(t, k),
    **{
        v: v.func(v.args[0], t, *v.args[1:])
        for v in (one.g(a), one.noise(a), one.taken(a), one.drift(a), one.y(a, one.i), one.xi(a, one.i), p(a), one.q(a))
    },
}
ROUNDS = (t, 1, T)


def at_round(expr):
    """Return a term of one round as that of round t."""
    return substitute_term(expr, list(IN_ROUND.items()))


def every_round(hypotheses):
    """Return the hypotheses of one round for every round; hypotheses without a round stay as they are."""
    found = []
    for entry in hypotheses:
        if isinstance(entry, Defines) and entry.left != one.after:
            found.append(Defines(entry.id, at_round(entry.left), at_round(entry.right), entry.why))
        elif not isinstance(entry, Member):
            plain = eq(entry.left, entry.right) if isinstance(entry, Defines) else entry.relation
            found.append(
                Given(entry.id, Relation(at_round(plain.left), plain.op, at_round(plain.right), (ROUNDS, *plain.over)),
                    entry.why))
    return tuple(found)


# All rounds at any small step ---------------------------------------------------------------------------------------------------

_LOCAL = tuple(h for h in local.C45.hypotheses if h.id not in ("class", "short", "noise"))  # a round has its own noise
SETTING = (one.SMOOTH, *every_round(one.SETTING), *every_round(_LOCAL))
SLOPES, LOSSES, SPREADS, VALUES = (at_round(e) for e in (one.G2, one.OWN_LOSS - one.OTHER_LOSS, one.SPREAD, one.OLD))
DRIFTS = at_round(one.DRIFT)
MEAN_SLOPE = Total(SLOPES, t, 1, T) / T
OUTCOME = (
    Given("start", eq(substitute(VALUES, {t: Integer(1)}) - low, D), "D^F: how far the start is above the infimum F*"),
    Given("bounded", le(low, substitute(VALUES, {t: T + 1})), "A2: no value is below the infimum F*"),
    Given("game", le(Total(SPREADS, t, 1, T), T * zeta_T**2),
        "the comparator is the sampler's best policy in the game of zeta_T"),
)
REGRET = Given("regret", le(Total(LOSSES, t, 1, T), B * T * rho),
    "what is known of the sampler's regret against the comparator")
SERVER = Given("server", le(mu, mu_eff), "the server's step is at least 1: mu_l <= mu mu_l")
SMALL = Given("small", le(8 * B * L * mu_eff, 1), "the step is small")
SMALLER = Given("smaller", le(16 * (B * L * mu_eff) ** 2 * (2 + 1 / alpha), 1), "and smaller still if the floor is low")
SPREAD = zeta_unif**2 + sigma**2 / (2 * B)
INSIDE = 4 * zeta_T**2 / K + 2 * sigma**2 * formula.DELTA / B
TWICE = {share: Integer(1)}  # noise and gradients alike
AT = Relation(at_round(one.ROUND.statement.left), "<=", at_round(one.ROUND.statement.right), (ROUNDS,)).at(TWICE)
_FACTOR = (2 + 1 / alpha) / 2
_ADDED = (
    L * mu_eff**2 / 2 * one.inside(LOSSES, SPREADS).subs(TWICE)
    - 3 * mu_eff * B / 8 * SLOPES
    + mu_eff * L**2 / 2 * _FACTOR * (8 * B**3 * mu_eff**2 * zeta_unif**2 + 4 * B**2 * mu_eff**2 * sigma**2)
)
USES, BY = uses(SETTING)
_C45_USES, _C45_BY = uses(
    (one.SMOOTH, *every_round(tuple(h for h in local.C45.hypotheses if h.id not in ("class", "short")))))
ALL_ROUNDS = (
    proof("osmd/avg-rounds", "Theorem 5 (46)",
        note="the mean squared gradient at any small step, for any bound on the regret")
    .under(*SETTING, *OUTCOME, REGRET, SERVER, SMALL, SMALLER)
    .step("cap", le(2 * B * L * mu_eff, 1), by.linear("small"))
    .step("round", by.apply(one.ROUND, {**IN_ROUND, **TWICE}, *USES, "cap"), inserting=BY, note="one round from w_t")
    .step("square 1", le(0, B * L * mu_eff), by.linear())
    .step("square 2", le(B * L * mu_eff, Rational(1, 8)), by.linear("small"))
    .step("square 3", by.power(2, "square 1", "square 2"))
    .step("shorter 1", le(0, mu), by.linear())
    .step("shorter", by.power(2, "shorter 1", "server"), note="mu_l is no larger")
    .step("short", le(2 * (B * mu * L) ** 2, 1), by.linear("square 3", "shorter"))
    .step("drift", by.apply(local.C45, IN_ROUND, *_C45_USES, "short"), inserting=_C45_BY, note="(45)")
    .step("far 1", le(0, square(at_round(one.y(a, one.i) - one.w)), ROUNDS, *one.AT),
        by.apply(SIGN, {x: at_round(one.y(a, one.i) - one.w)}))
    .step("far 2", by.expectation("far 1"))
    .step("far", by.sum_over((one.i, a), "far 2"))
    .step("steep 1", by.apply(SIGN, {x: at_round(one.SLOPE)}), over=ROUNDS)
    .step("steep", by.expectation("steep 1"))
    .step("count", le(1, K), by.linear())
    .step("factor 1", le(4 * B * L * mu_eff / (K * alpha), 1 / (2 * alpha)), by.linear("small", "count"))
    .step("factor",
        le(mu_eff * L**2 / (2 * M) * (1 + 4 * B * L * mu_eff / (K * alpha)) * DRIFTS,
            mu_eff * L**2 / (2 * M) * _FACTOR * DRIFTS, ROUNDS), by.linear("factor 1", "far"))
    .step("weight", le(0, 8 * B**3 * (zeta_unif**2 + SLOPES) + 4 * B**2 * sigma**2, ROUNDS), by.linear("steep"))
    .step("local drift",
        le(DRIFTS / M, 8 * B**3 * mu_eff**2 * (zeta_unif**2 + SLOPES) + 4 * B**2 * mu_eff**2 * sigma**2, ROUNDS),
        by.linear("weight", "drift", "shorter"))
    .step("gain",
        le(2 * (B * L * mu_eff) ** 2 * (2 + 1 / alpha) * mu_eff * B * SLOPES, mu_eff * B / 8 * SLOPES, ROUNDS),
        by.linear("smaller", "steep"))
    .step("next", le(substitute(VALUES, {t: t + 1}), VALUES + _ADDED, ROUNDS),
        by.linear("round", "factor", "local drift", "gain"), note="-1/2 + 1/8 = -3/8")
    .step("1", by.apply(TELESCOPE, {d(t): VALUES, s(t): _ADDED, N: T}), note="all rounds")
    .step("2",
        le(3 * mu_eff * B / 8 * Total(SLOPES, t, 1, T),
            D + T * (L * mu_eff**2 / 2 * B**2 * (INSIDE + rho) + mu_eff**3 * L**2 * B**3 * (4 + 2 / alpha) * SPREAD)),
        by.linear("1", "start", "bounded", "game", "regret"))
    .qed(le(MEAN_SLOPE, formula.fedavg_premin(INSIDE + rho) / 3), by.linear("2"),
        note="(46) with a third of its constants")
)

# The catalogue's statements: any small step, and the least of the candidates ---------------------------------------------------

m, o, y = (family(Nonnegative, name)() for name in ("m", "o", "y"))
_LOG, _LEVEL = log(M / alpha), formula.REGRET_SGD
SIGNS = (
    line("log 1", le(1 - _LOG, alpha / M), by.fact("exp", -_LOG), note="1 + x <= e^x"),
    line("log 2", le(0, _LOG), by.linear("log 1", "c1", "c2")),
    line("log", le(0, Q_BETA), by.linear("log 2"), note="what stands under the root"),
    line("nothing", le(0, 0), by.linear()),
    line("root", le(0, sqrt(Q_BETA)), by.power(HALF, "nothing", "log")),
    line("level", le(0, _LEVEL), by.linear("root")),
)
COROLLARY = Given("corollary", le(rho, _LEVEL),
    "Corollary 7 at A_max = B G^2/M^2 (osmd/Amax-avg), against this comparator, over B T", supposed=True)
_BELOW = le(Min(m, o), m)
BELOW = (
    proof("osmd/min-below", "Theorem 5", note="the lesser of two numbers is at most each of them")
    .step("1a", eq(Min(m, o), m), by.fact("min", Min(m, o)), assuming=le(m, o))
    .step("1", _BELOW, by.linear("1a"), assuming=le(m, o))
    .step("2a", eq(Min(m, o), o), by.fact("min", Min(m, o)), assuming=le(o, m))
    .step("2", _BELOW, by.linear("2a"), assuming=le(o, m))
    .qed(_BELOW, by.cases("1", "2"))
)
ROOT, _CAP_1 = sqrt(2 + 1 / alpha), 1 / (8 * B * L)
_CAP_2 = 1 / (4 * B * L * ROOT)
_STEP = server * mu


def at_step(entry, mapping):
    """Return a hypothesis with symbols replaced."""
    if isinstance(entry, Given):
        return Given(entry.id, entry.relation.at(mapping), entry.why, entry.supposed)
    return (
        Defines(entry.id, entry.left, substitute(entry.right, mapping), entry.why)
        if isinstance(entry, Defines)
        else entry
    )


def smaller(step):
    """Prove "smaller" for a step below the second part of the cap, from "below": 4 B L sqrt(2 + 1/alpha) mu <= 1."""
    return (
        line("smaller 0", le(0, 4 * B * L * ROOT * step), by.linear()),
        line("smaller 1", le((4 * B * L * ROOT * step) ** 2, 1), by.power(2, "smaller 0", "below")),
        line("smaller", substitute_relation(SMALLER.relation, {mu_eff: step}), by.linear("smaller 1")),
    )


def substitute_relation(relation, mapping):
    """Return a relation with symbols replaced."""
    return relation.at(mapping)


_AT_STEP = {mu_eff: _STEP}
_OWN = tuple(at_step(h, _AT_STEP) for h in (*SETTING, *OUTCOME, REGRET))
_OWN_USES, _OWN_BY = uses(_OWN)


def premin(name, claim, bound, level, given, inserted=()):
    """Prove any small step, if the regret over B T is at most ``level``: the last of the hypotheses ``given``."""
    statement, conditions = statement_of(bound, MEAN_SLOPE)
    corollary = given[-1].id
    free = le(MEAN_SLOPE, formula.fedavg_premin(INSIDE + level)).at(_AT_STEP)
    return (
        proof(name, of=claim, bound=bound, unused=("c3",)).under(*_OWN, *given, *conditions)
        .step("server", SERVER.relation.at(_AT_STEP), by.linear("c4"))
        .step("min 1", by.apply(BELOW, {m: _CAP_1, o: _CAP_2}))
        .step("min 2", by.apply(BELOW, {m: _CAP_2, o: _CAP_1}))
        .step("small", SMALL.relation.at(_AT_STEP), by.linear("c5", "min 1"))
        .step("below", le(4 * B * L * ROOT * _STEP, 1), by.linear("c5", "min 2"))
        .steps(*smaller(_STEP))
        .step("1", by.apply(ALL_ROUNDS, _AT_STEP), inserting=_OWN_BY, note="at any bound on the regret")
        .steps(*SIGNS)
        .step("2", free, by.linear("1", corollary, "level"), note="a third of it would do")
        .steps(*((EXPERTS_STEP,) if inserted else ()))
        .qed(statement, by.linear({"2": 1}, *(("experts",) if inserted else ())), inserting=inserted,
            note="in the letters of the bound")
    )


T5_PREMIN = premin("osmd/T5-premin", "osmd/C-T5-premin@corrected", formula.T5_PREMIN, _LEVEL, (COROLLARY,))

# the least of the candidates: 1/mu is the largest of m, u/D^(1/3) and v/D^(1/2), or of these and w/D^(1/2)

U_, V_, W_, P_ = (family(Nonnegative, name)() for name in "uvwP")


def least(cap, second, *falling):
    """Return the hypotheses that the step is the least candidate; if D^F is 0, those with a numerator are infinite."""
    names = ("third", "fourth")
    return (
        Given("cap", le(cap * mu_eff, 1), "the step is at most the cap,"),
        Given("second", le(second * mu_eff, D ** Rational(1, 3)), "at most the second candidate,"),
        *(Given(n, le(v * mu_eff, sqrt(D)), f"at most the {n},") for n, v in zip(names, falling, strict=False)),
        Given("step", eq(D / mu_eff, Max(D * cap, D ** Rational(2, 3) * second, *(sqrt(D) * v for v in falling))),
            "and is one of them: its reciprocal, times D^F, is the largest of theirs"),
    )


def balance(name, *more):
    """Balance the three terms of (46), and one like the third for each further candidate, at the least candidate."""
    falling = (V_, *more)
    numbers = (D * m, D ** Rational(2, 3) * U_, *(sqrt(D) * v for v in falling))
    weights = {"u 2": P_ * U_} | {n: P_ * v for n, v in zip(("third", "fourth"), falling, strict=False)}
    return (
        proof(name, "proof of Theorem 5", note="the terms of (46) at the least of the candidates")
        .under(*least(m, U_, *falling)[1:])
        .steps(*(q for q in largest("max", numbers) if q.id.startswith(("max part", "max sum"))))
        .step("u 0", le(0, U_ * mu_eff), by.linear())
        .step("u 2", by.power(2, "u 0", "second"))
        .qed(
            le(P_ * D / mu_eff + P_ * U_**3 * mu_eff**2 + sum(P_ * v**2 * mu_eff for v in falling),
                P_ * (numbers[0] + 2 * sum(numbers[1:]))), by.linear({"max sum": P_, "step": P_, **weights}),
            name="end")
    )


BALANCE, BALANCE_4 = balance("osmd/avg-balance"), balance("osmd/avg-balance-4", W_)

THEOREMS = (ALL_ROUNDS, BELOW, T5_PREMIN, BALANCE, BALANCE_4)
