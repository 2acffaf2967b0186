"""Tuned rates that the paper prints with O(.), if true: at the explicit step, on cases where they are non-trivial.

O~(.) is read as 1000 (1 + l^2) with the logarithm l of the step; exponents are those of the explicit form. With the constant
1000 a bound is below the trivial one only after very many rounds, and the cases have so many. The printed exponents are
readings of their own, and false: an O~(.) hides factors, but not in an exponent.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, Rational, exp, sqrt

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Statement, quantity
from fltheory.model.bound import HIDDEN_CONSTANT, Bound
from fltheory.model.case import Case
from fltheory.papers.sfl import bounds
from fltheory.papers.sfl.instances.quadratics import NOISELESS, STRONGLY_CONVEX
from fltheory.papers.sfl.nonconvex import claims
from fltheory.papers.sfl.notation import A, D, K, L, M, R, S, beta, ell_e, eta_eff, gamma, mu, sigma, zeta, zeta_star
from fltheory.papers.sfl.upper import counterexamples
from fltheory.papers.sfl.upper.claims import theorem3

FAR = 10**9
_CAP = "a sixth of the printed cap"
DECAYED = mu * D**2 * exp(-mu * R / (12 * L))
AS_FAST = exp(-mu * R / L)  # as printed
SOFT_O = "O~ read as 1000 (1 + l^2) with the logarithm l of the step, with the exponent of the explicit form"


def soft_rate(
    statement: Statement, text: str, rate: Expr, explicit: Bound, cases: tuple[Case, ...], loose: str, **own: Any
) -> Claim:
    """State a rate printed with O~(.), at the step and for the rounds of the explicit bound."""
    return statement.printed(text, quantity <= HIDDEN_CONSTANT * (1 + ell_e**2) * rate, given=explicit.conditions,
        where=explicit.where, note=SOFT_O, cases=cases, remark=_loose(loose), **own)


def same_rate(statement: Statement, text: str, rate: Expr, explicit: Bound, **own: Any) -> Claim:
    """State the same with the printed exponent, which no step of that order attains."""
    return statement.strict(f"{text}, with exp(-μR/L) as it is printed",
        quantity <= HIDDEN_CONSTANT * (1 + ell_e**2) * rate, given=explicit.conditions, where=explicit.where,
        note="O~ read as 1000 (1 + l^2) with the logarithm l of the step, with the printed exponent",
        remark="Without noise and heterogeneity only the exponential is left. Steps are at most 1/(6L), and the gap to the "
        "optimum decays like exp(-2μη̃R) at best: that is a third of the printed exponent, and no factor in front makes up for "
        "it.", **own)


def _loose(loose: str) -> str:
    return f"At least {loose} times the value on every case; the constant 1000 makes it vacuous for few rounds."


def server_rate(slope: Expr, spread: Expr) -> Expr:
    """Return the rate of Theorem 15; ``spread`` divides the terms of the drift (M in Theorem 15, 1 in Theorem 16)."""
    third = Rational(1, 3)
    drift = (L**2 * sigma**2 * A**2 / (spread * K)) ** third + (L**2 * zeta**2 * A**2 / spread) ** third
    first = L * A * (1 + slope) / R + sqrt(L * sigma**2 * A) / sqrt(M * K * R)
    return first + drift / (gamma ** Rational(2, 3) * R ** Rational(2, 3))


def partial_rate(spread: Expr, decayed: Expr = DECAYED) -> Expr:
    """Return the rate of partial participation; ``spread`` divides the terms of the drift."""
    noise = sigma**2 / (mu * S * K * R) + zeta_star**2 / (mu * R) * bounds.SAMPLING
    drift = L * (sigma**2 / K + zeta_star**2) / (mu**2 * spread * R**2)
    return noise + drift + decayed


def server_terms(spread: Expr) -> Expr:
    """Return the terms of Theorem 15 before the step is tuned; ``spread`` as in ``server_rate``."""
    drift = (sigma**2 / K + zeta**2) / spread
    return A / (eta_eff * R) + eta_eff * L * sigma**2 / (M * K) + eta_eff**2 * L**2 * drift / gamma**2


def at_small_steps(parallel: bool) -> tuple[Case, ...]:
    """Return runs with steps of 1/100 and 1/10 of the largest, so long that the constant 1000 is non-trivial."""
    return tuple(
        claims.at_step(i, part, parallel, g, n_rounds=FAR, n_local_steps=2)
        for i in claims.QUADRATIC[:3]
        for part, g in (("1/100", "3/2"), ("1/100", 4), ("1/10", 8))
    )


SERVED = tuple(
    Case(i, n_rounds=r, n_local_steps=2, server_step_size=g)
    for i in claims.QUADRATIC[:3]
    for r in (FAR, 10**12)
    for g in ("3/2", 4)
)
PARTLY = theorem3.part_runs(STRONGLY_CONVEX[:3], FAR, 10**12)
LATE = theorem3.runs_of(STRONGLY_CONVEX, (10**6, FAR))
CLAIMS: tuple[Claim, ...] = (
    soft_rate(theorem3.corollary_4_sc, "SFL, strongly convex, at the tuned step", bounds.RATE_SC + DECAYED,
        bounds.C4_SC, LATE, "100 000", tuning=theorem3.C4_SC_TUNING),
    same_rate(theorem3.corollary_4_sc.restated("C4-SC-exponent"), "SFL, strongly convex, at the tuned step",
        bounds.RATE_SC + mu * D**2 * AS_FAST, bounds.C4_SC, counterexamples=counterexamples.EXPONENT,
        tuning=theorem3.C4_SC_TUNING),
    soft_rate(theorem3.tuned_theorem_7.restated("T7", "Theorem 7"), "PFL, strongly convex, at the tuned step",
        bounds.RATE_PFL + DECAYED, bounds.T7_TUNED, LATE, "100 000"),
    same_rate(theorem3.tuned_theorem_7.restated("T7-exponent", "Theorem 7"), "PFL, strongly convex, at the tuned step",
        bounds.RATE_PFL + mu * D**2 * AS_FAST, bounds.T7_TUNED, counterexamples=counterexamples.EXPONENT),
    *(
        statement.printed(
            text,
            quantity <= HIDDEN_CONSTANT * server_terms(spread),
            given=explicit.conditions,
            where=explicit.where,
            assumptions=claims.NONCONVEX,
            note=f"<~ read as 1000, the step at most {_CAP}; its 'Theorem 1' is Theorem 3",
            place=place,
            cases=at_small_steps(parallel),
            family=claims.long_runs(parallel),
            remark=_loose(loose),
        )
        for statement, place, text, explicit, spread, parallel, loose in (
            (
                claims.theorem_15,
                "Theorem 15",
                "SFL with a server step, non-convex, at a constant step",
                bounds.T15,
                M,
                False,
                "2000",
            ),
            (
                claims.theorem_16,
                "Theorem 16",
                "PFL with a server step, non-convex, at a constant step",
                bounds.T16,
                Integer(1),
                True,
                "2000",
            ),
        )
    ),
    *(
        statement.printed(
            text,
            quantity <= HIDDEN_CONSTANT * rate,
            given=[gamma >= 1],
            note="O(.) read as 1000",
            cases=SERVED,
            remark=_loose("3000"),
        )
        for statement, text, rate in (
            (
                claims.tuned_theorem_15,
                "SFL with a server step, non-convex, at the tuned step",
                server_rate(beta**2 / M, M),
            ),
            (
                claims.tuned_theorem_16,
                "PFL with a server step, non-convex, at the tuned step",
                server_rate(beta**2, Integer(1)),
            ),
        )
    ),
    soft_rate(theorem3.tuned_some_sfl, "SFL with S of M clients, strongly convex, at the tuned step", partial_rate(S),
        bounds.PP_SFL_TUNED, PARTLY, "100 000", place=theorem3.PARTS),
    same_rate(theorem3.tuned_some_sfl, "SFL with S of M clients, strongly convex, at the tuned step",
        partial_rate(S, mu * D**2 * AS_FAST), bounds.PP_SFL_TUNED, counterexamples=counterexamples.EXPONENT_PARTS,
        place=theorem3.PARTS),
    soft_rate(theorem3.tuned_some_pfl, "PFL with S of M clients, strongly convex, at the tuned step",
        partial_rate(Integer(1)), bounds.PP_PFL_TUNED, PARTLY, "100 000", place=theorem3.PARTS),
    same_rate(theorem3.tuned_some_pfl, "PFL with S of M clients, strongly convex, at the tuned step",
        partial_rate(Integer(1), mu * D**2 * AS_FAST), bounds.PP_PFL_TUNED,
        counterexamples=counterexamples.EXPONENT_PARTS, place=theorem3.PARTS),
    soft_rate(theorem3.tuned_corollary_20, "SFL without noise at the tuned step: E|x_R - x*|²",
        D**2 * exp(-mu * R / (3 * L)) + L * zeta_star**2 / (mu**3 * M * R**2), bounds.C20_TUNED,
        theorem3.runs_of((STRONGLY_CONVEX[0], *NOISELESS), (10**6, FAR)), "1 000 000"),
    same_rate(theorem3.tuned_corollary_20, "SFL without noise at the tuned step: E|x_R - x*|²",
        D**2 * AS_FAST + L * zeta_star**2 / (mu**3 * M * R**2), bounds.C20_TUNED, counterexamples=counterexamples.EXPONENT),
)
