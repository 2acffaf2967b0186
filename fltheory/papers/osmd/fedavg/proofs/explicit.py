"""Theorem 5 with the printed cap and the constants of (46), for K - 1 <= M/alpha: true, though (41) is not.

Young's inequality gives noise the factor 2 for a single draw and 3/2 for more.
"""

from __future__ import annotations

from sympy import Integer, Rational, sqrt

from fltheory.papers.osmd.fedavg.proofs import rates
from fltheory.papers.osmd.fedavg.proofs import round as one
from fltheory.papers.osmd.fedavg.proofs.rates import (ALL_ROUNDS, DRIFTS, LOSSES, ROUNDS, SLOPES, VALUES, at_step,
    smaller, uses)
from fltheory.papers.osmd.fedavg.proofs.tuned import LOCAL, P_, SECOND_ENTRY, U_, V_, m
from fltheory.papers.osmd.mirror.proofs.facts import TELESCOPE, share
from fltheory.papers.osmd.notation import B, D, K, L, M, T, alpha, mu, mu_eff, server, sigma, zeta_T, zeta_unif
from fltheory.papers.osmd.sgd import bounds as formula
from fltheory.proof import Given, Relation, by, le, proof, statement_of
from fltheory.proof.facts.squares import N
from fltheory.proof.facts.sums import d, s, t
from fltheory.proof.terms import Nonnegative, Total, family, substitute

R = family(Nonnegative, "R")()
_AVG = 2 * zeta_T**2 / K + sigma**2 / (K * B * alpha)
_WHOLE = 2 + 1 / alpha
REGRET = Given("regret", le(Total(LOSSES, t, 1, T), B * T * R),
    "what is known of the sampler's regret against the comparator")
FLOORED = Given("floored", le(alpha, 1), "the floor is no higher than the uniform law")
BASE = (*rates.SETTING, *rates.OUTCOME, REGRET, rates.SERVER, rates.SMALLER, FLOORED)
_KEPT = ("far 1", "far 2", "far", "steep 1", "steep", "shorter 1", "shorter", "drift", "weight", "local drift")


def rounds_with(name, young, kappa, draws, spare):
    """Prove all rounds at Young's parameter ``young``, where the drift's factor is at most ``kappa`` (2 + 1/alpha)."""
    at, rest, more = {share: young}, 1 - kappa / 2, 1 + 1 / young
    factor = 1 + 2 * more * B * L * mu_eff / (K * alpha)
    inside = rates.at_round(one.inside(one.OWN_LOSS - one.OTHER_LOSS, one.SPREAD)).subs(at)
    drifted = 8 * B**3 * mu_eff**2 * zeta_unif**2 + 4 * B**2 * mu_eff**2 * sigma**2
    added = L * mu_eff**2 / 2 * inside - rest * mu_eff * B / 2 * SLOPES + mu_eff * L**2 / 2 * kappa * _WHOLE * drifted
    mean_inside = R + (1 + young) * sigma**2 * formula.DELTA / B + 2 * more * zeta_T**2 / K
    used, inserted = rates.USES, rates.BY
    return (
        proof(name, "Theorem 5 (46)", note=f"the noise has the factor {1 + young}").under(*BASE, draws)
        .step("high", le(1, 1 / alpha), by.linear("floored"))
        .step("tiny 1", le((B * L * mu_eff) ** 2, Rational(9, 400)), by.linear("smaller", "high"))
        .step("tiny 0", le(0, (B * L * mu_eff) ** 2), by.linear())
        .step("tiny", by.power(Rational(1, 2), "tiny 0", "tiny 1"))
        .step("cap", le(more * B * L * mu_eff, 1), by.linear("tiny"))
        .step("round", by.apply(one.ROUND, {**rates.IN_ROUND, **at}, *used, "cap"), inserting=inserted,
            note="one round from w_t")
        .steps(*(q for q in ALL_ROUNDS.steps if q.id in ("shorter 1", "shorter")))
        .step("short", le(2 * (B * mu * L) ** 2, 1), by.linear("tiny 1", "shorter"))
        .steps(*(q for q in ALL_ROUNDS.steps if q.id in _KEPT and not q.id.startswith("shorter")))
        .step("factor 1", le(factor, kappa * _WHOLE), by.linear("tiny", draws.id))
        .step("factor",
            le(mu_eff * L**2 / (2 * M) * factor * DRIFTS, mu_eff * L**2 / (2 * M) * kappa * _WHOLE * DRIFTS, ROUNDS),
            by.linear("factor 1", "far"))
        .step("gain",
            le(4 * kappa * (B * L * mu_eff) ** 2 * _WHOLE * mu_eff * B * SLOPES, kappa * mu_eff * B / 4 * SLOPES,
                ROUNDS), by.linear("smaller", "steep"))
        .step("next", le(substitute(VALUES, {t: t + 1}), VALUES + added, ROUNDS),
            by.linear("round", "factor", "local drift", "gain"))
        .step("1", by.apply(TELESCOPE, {d(t): VALUES, s(t): added, N: T}), note="all rounds")
        .qed(
            le(
                rates.MEAN_SLOPE,
                (
                    2 * D / (mu_eff * B * T)
                    + mu_eff * B * L * mean_inside
                    + 8 * mu_eff**2 * B**2 * L**2 * kappa * _WHOLE * rates.SPREAD
                )
                / rest,
            ),
            by.linear(
                {
                    "1": 2 / (mu_eff * B * T * rest),
                    "start": 2 / (mu_eff * B * T * rest),
                    "bounded": 2 / (mu_eff * B * T * rest),
                    "game": 2 * more * L * mu_eff * B / (K * T * rest),
                    "regret": L * mu_eff / (T * rest),
                }
            ),
        )
    )


SINGLE = Given("single", le(K, 1), "a single draw a round")
SEVERAL = Given("several draws", le(2, K), "several draws a round")
AT_LEAST = Given("a draw", le(1, K), "at least one draw a round")
FIRST = rounds_with("osmd/avg-rounds-single", Integer(1), Rational(3, 5), AT_LEAST, Rational(3, 5))
SECOND = rounds_with("osmd/avg-rounds-several", Rational(1, 2), Rational(1, 2), SEVERAL, Rational(9, 20))

FEW = Given("few", le(K - 1, M / alpha), "no more draws than M/alpha, but one")
_PRINTED = le(rates.MEAN_SLOPE, formula.fedavg_premin(_AVG + R))
_IDS, _BY = uses(BASE)
EXPLICIT = (
    proof("osmd/avg-rounds-explicit", "Theorem 5 (46)", note="(46) with its own constants and the printed cap")
    .under(*BASE, FEW)
    .step("a draw", AT_LEAST.relation, by.linear())
    .step("1a", FIRST.statement, by.apply(FIRST.id, *_IDS, "a draw"), inserting=_BY)
    .step("1", _PRINTED, by.linear({"1a": 1, "assumed 1": Rational(20, 7) * (mu_eff * L * sigma**2) / (K * M)}),
        assuming=SINGLE.relation)
    .step("2a", SECOND.statement, by.apply(SECOND.id, *_IDS), inserting=_BY, assuming=SEVERAL.relation)
    .step("2", _PRINTED, by.linear("2a", "few"), assuming=SEVERAL.relation)
    .qed(_PRINTED, by.cases("1", "2"))
)

# At the tuned step -------------------------------------------------------------------------------------------------------------

_ROOT = sqrt(2 + 1 / alpha)
_CAP, _THIRD = 4 * B * L * _ROOT, B * sqrt(L * T * (_AVG + R) / 2)
STEP = rates.least(_CAP, SECOND_ENTRY, _THIRD)
ABOVE = Given("server step", le(1, server), "the server's step is at least 1")
_RATE = le(rates.MEAN_SLOPE, formula.fedavg_rate(_AVG + R, 32 * _ROOT))
_AT = {m: _CAP, U_: SECOND_ENTRY, V_: _THIRD, P_: 8 / (B * T)}
_PLAIN = (*rates.SETTING, *rates.OUTCOME, REGRET)
_PLAIN_IDS, _PLAIN_BY = uses(_PLAIN)
TUNED = (
    proof("osmd/avg-tuned-explicit", "Theorem 5 (17)",
        note="the rate with its own constants and the printed cap, for any bound on the regret")
    .under(*_PLAIN, LOCAL, ABOVE, *STEP, FLOORED, FEW)
    .step("below", le(_CAP * mu_eff, 1), by.linear("cap"))
    .steps(*smaller(mu_eff))
    .step("server", rates.SERVER.relation, by.linear("divided", "server step"))
    .step("1", by.apply(EXPLICIT), inserting=_PLAIN_BY, note="at any step below the cap")
    .step("2", by.apply(rates.BALANCE, _AT), note="at the least of the candidates")
    .qed(_RATE, by.linear("1", "2"))
)
_AT_C7 = {R: formula.REGRET_SGD}


def at_corollary(entry):
    """Return a hypothesis with the regret of Corollary 7, which is supposed of the run."""
    plain = entry.relation
    left, right = (substitute(side, _AT_C7) for side in (plain.left, plain.right))
    return Given(entry.id, Relation(left, plain.op, right, plain.over), entry.why, entry.id == "regret")


_OWN = (*(h if h.id != "regret" else at_corollary(h) for h in _PLAIN), LOCAL, *map(at_corollary, STEP))
_STATED, _IF = statement_of(formula.T5_EXPLICIT, rates.MEAN_SLOPE)
_OWN_IDS, _OWN_BY = uses(_OWN)
T5 = (
    proof("osmd/T5-explicit", of="osmd/C-T5@explicit", bound=formula.T5_EXPLICIT,
        note="the regret is that of Corollary 7 at A_max = B G^2/M^2")
    .under(*_OWN, *_IF)
    .steps(*rates.SIGNS)
    .step("1", le(_RATE.left, substitute(_RATE.right, _AT_C7)),
        by.apply(TUNED.id, _AT_C7, "level", "log", *_OWN_IDS, *(c.id for c in _IF)), inserting=_OWN_BY)
    .qed(_STATED, by.linear("1"), note="in the letters of the bound")
)

# At any step below the cap -----------------------------------------------------------------------------------------------------

_EFFECTIVE = {mu_eff: server * mu}
_FREE = tuple(at_step(h, _EFFECTIVE) for h in (*rates.SETTING, *rates.OUTCOME, at_corollary(REGRET)))
_PREMIN, _PREMIN_IF = statement_of(formula.T5_PREMIN_EXPLICIT, rates.MEAN_SLOPE)
_FREE_IDS, _FREE_BY = uses(_FREE)
T5_PREMIN = (
    proof("osmd/T5-premin-explicit", of="osmd/C-T5-premin@explicit", bound=formula.T5_PREMIN_EXPLICIT, unused=("c3",),
        note="the regret is that of Corollary 7 at A_max = B G^2/M^2")
    .under(*_FREE, *_PREMIN_IF)
    .steps(*rates.SIGNS)
    .step("server", rates.SERVER.relation.at(_EFFECTIVE), by.linear("c4"))
    .step("below", le(_CAP * server * mu, 1), by.linear("c6"))
    .steps(*smaller(server * mu))
    .qed(_PREMIN,
        by.apply(EXPLICIT.id, {**_EFFECTIVE, **_AT_C7}, "level", "log", *_FREE_IDS, "server", "smaller", "c1", "c5"),
        inserting=_FREE_BY)
)

THEOREMS = (FIRST, SECOND, EXPLICIT, TUNED, T5, T5_PREMIN)
