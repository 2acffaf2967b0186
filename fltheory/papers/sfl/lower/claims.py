"""Claims of the lower bounds: the regimes of the step size, Theorems 5 and 6, and results that the paper quotes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import sympy

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Constants, Statement, quantity
from fltheory.evidence.measured import AtMost
from fltheory.model.case import Case, FederatedInstance
from fltheory.model.schema import Family
from fltheory.number.mixed import to_mixed
from fltheory.papers.sfl import algorithms
from fltheory.papers.sfl.kinked import claims
from fltheory.papers.sfl.lower import bounds as lb
from fltheory.papers.sfl.lower import cases
from fltheory.papers.sfl.lower.cases import Construction, ScheduledDescent
from fltheory.papers.sfl.lower.closed_forms import CoordinatewiseGap
from fltheory.papers.sfl.notation import lam, sigma
from fltheory.papers.sfl.paper import PAPER, constructions
from fltheory.problems.separable import QuadraticClients
from fltheory.runs import assumptions as assume
from fltheory.runs.measures import ENERGY, AveragedGap, LastGap, RunMeasure

LAST = CoordinatewiseGap(LastGap())
AVERAGE = CoordinatewiseGap(AveragedGap(sympy.Integer(1)))


def construction_statement(
    id: str, place: str, measure: RunMeasure, construction: Construction, family: Family, **shared: Any
) -> Statement:
    """Return the error of SFL on the instance of a construction."""
    return PAPER.theorem(id, place, measure, algorithms.sequential, kind="lower bound",
        assumptions=(construction.assumption, assume.plain_server, assume.full_participation), family=family,
        builds=construction, **shared)


# Regimes ----------------------------------------------------------------------------------------------------------


def _noise_cases(
    construction: Construction, curvature: object, M: int, K: int, R: int, *steps: str
) -> tuple[Case, ...]:
    return tuple(
        construction(small_curvature=curvature, noise_std=1, n_clients=M, n_local_steps=K, n_rounds=R, step_size=step)
        for step in steps
    )


def _drift_cases(
    construction: Construction, curvature: object, M: int, K: int, R: int, *steps: str
) -> tuple[Case, ...]:
    return tuple(
        construction(
            small_curvature=curvature, heterogeneity=1, n_clients=M, n_local_steps=K, n_rounds=R, step_size=step
        )
        for step in steps
    )


def _regime_2(construction: Construction, size: str, M: int, K: int, R: int, *steps: str) -> tuple[Case, ...]:
    fixed: dict[str, object] = {"large_curvature": 1010, "auxiliary_curvature": 1, size: 1}
    return tuple(construction(**fixed, n_clients=M, n_local_steps=K, n_rounds=R, step_size=step) for step in steps)


def regime(number: str, construction: Construction) -> Statement:
    """Return a row of Table 5 or 6, by its number."""
    table = "Table 5 (App. C)" if number[0] == "s" else "Table 6 (App. D)"

    def family() -> Any:
        return (constructions().kinked_regime if number[1] == "2" else constructions().regime)(number)

    return construction_statement(number, f"{table}, regime {number[1]}", LastGap(), construction, family)


ON_S = "SGD on equal clients with noise sigma, last iterate"
ON_H = "SFL with clients +-zeta x, last iterate"
S1, S2, S3, S4 = (
    regime(number, construction)
    for number, construction in (("s1", cases.s1), ("s2", cases.s2), ("s3", cases.s3), ("s4", cases.s4))
)
H1, H2, H3, H4, H5 = (
    regime(number, construction)
    for number, construction in (
        ("h1", cases.h1),
        ("h2", cases.h2),
        ("h3", cases.h3),
        ("h4", cases.h4),
        ("h5", cases.h5),
    )
)
S1_CASES = (
    *_noise_cases(cases.s1, 1, 1, 1, 1, "1/102010", "1e-9"),
    *_noise_cases(cases.s1, "1/3", 4, 3, 1000, "1/408040000"),
)
S2_CASES = (
    *_regime_2(cases.s2, "noise_std", 4, 1, 1, "1/408040", "1/408040"),
    *_regime_2(cases.s2, "noise_std", 2, 2, 2, "1/816080", "1/408040"),
    *_regime_2(cases.s2, "noise_std", 4, 2, 1, "1/816080"),
)
H1_CASES = (
    *_drift_cases(cases.h1, 1, 2, 1, 1, "1/204020", "1e-9"),
    *_drift_cases(cases.h1, 1, 4, 5, 100, "1/204020000"),
)
H2_CASES = (
    *_regime_2(cases.h2, "heterogeneity", 4, 1, 1, "1/408040"),
    *_regime_2(cases.h2, "heterogeneity", 4, 2, 3, "1/2448240", "1/816080"),
    *_regime_2(cases.h2, "heterogeneity", 6, 3, 1, "1/1836180"),
    *_regime_2(cases.h2, "heterogeneity", 4, 2, 2, "1/1000000"),
)
REGIMES = (
    S1.explicit(f"{ON_S}: lam x^2 from sigma / lam, eta <= 1/(102010 lam MKR)", lb.S1, cases=S1_CASES),
    S2.explicit(f"{ON_S}: curvature lam0 left and lam0/1010 right of 0, from X_sigma", lb.S2, cases=S2_CASES,
        remark="the error is at least 3 000 000 times the bound on every case: the noise does not cancel within a round"),
    S3.printed(f"{ON_S}: lam x^2 / 2 from 0, 1/(101 lam MK) <= eta <= 1/lam",
        sympy.Rational(9, 2000) * sigma**2 / (lam * lb.N) <= quantity, given=lb.S3.conditions,
        note="E x^2 >= 0.009 sigma^2 / (lam^2 N)", counterexamples=_noise_cases(cases.s3, 1, 4, 1, 1, "1/404"),
        remark="E x^2 is the variance of the noise: at the left end of the range it is about 2 eta / lam times smaller"),
    S3.corrected(f"{ON_S}: lam x^2 / 2 from 0, 1/(101 lam MK) <= eta <= 1/lam", lb.S3,
        cases=(*_noise_cases(cases.s3, 1, 4, 1, 1, "1/404", "1/20", "1"), *_noise_cases(cases.s3, 1, 1, 1, 1, "1/101"),
            *_noise_cases(cases.s3, 1, 100, 10, 1, "1/101000"), *_noise_cases(cases.s3, "1/2", 4, 5, 1000, "1/1010"))),
    S4.explicit(f"{ON_S}: lam x^2 from sigma / lam, eta >= 1/lam", lb.S4,
        cases=(*_noise_cases(cases.s4, 1, 4, 2, 3, "1", "2"), *_noise_cases(cases.s4, 10, 1, 1, 100, "1/10", "11/100"))),
    H1.explicit(f"{ON_H}: lam x^2 from zeta / lam, eta <= 1/(102010 lam MKR)", lb.H1, cases=H1_CASES),
    H2.explicit(f"{ON_H}: curvature lam0 left and lam0/1010 right of 0, from X_zeta", lb.H2, cases=H2_CASES),
    H3.explicit(f"{ON_H}: lam x^2 / 2 +- zeta x from 0, 1/(101 lam MK) <= eta <= 1/(lam K)", lb.H3,
        cases=(*_drift_cases(cases.h3, 1, 2, 1, 1, "1/202", "1"), *_drift_cases(cases.h3, 1, 4, 5, 1000, "1/2020", "1/5"),
            *_drift_cases(cases.h3, 1, 2, 20, 1, "1/4040"), *_drift_cases(cases.h3, 1, 40, 20, 1, "1/80800"))),
    H4.explicit(f"{ON_H}: lam x^2 / 2 +- zeta x from 0, 1/(lam K) <= eta <= 1/lam", lb.H4,
        cases=(*_drift_cases(cases.h4, 1, 4, 1, 1, "1"), *_drift_cases(cases.h4, 1, 4, 20, 1, "1/20", "1/2", "1"))),
    H5.explicit(f"{ON_H}: lam x^2 from zeta / lam, eta >= 1/lam", lb.H5,
        cases=(*_drift_cases(cases.h5, 1, 2, 1, 1, "1", "3/2"), *_drift_cases(cases.h5, 10, 4, 5, 10, "1/10"))),
)
MEAN_STAYS = "the proof keeps the mean of every iterate above the bound, so weights that sum to 1 change nothing"
AVERAGED_S = "SGD on equal clients with noise sigma, uniform average (so every weighted one)"
AVERAGED_H = "SFL with clients +-zeta x, uniform average (so every weighted one)"


def averaged_regime(id: str, row: Statement) -> Statement:
    """Return the same row for averages of the iterates."""
    return replace(row.restated(id), measure=AVERAGE)


AVERAGES = (
    averaged_regime("s1-average", S1).explicit(f"{AVERAGED_S}: lam x^2 from sigma / lam, eta <= 1/(102010 lam MKR)",
        lb.S1, cases=S1_CASES, remark=MEAN_STAYS),
    averaged_regime("s2-average", S2).explicit(
        f"{AVERAGED_S}: curvature lam0 left and lam0/1010 right of 0, from X_sigma", lb.S2, cases=S2_CASES,
        remark=MEAN_STAYS + "; the error is at least 700 000 times the bound on every case"),
    averaged_regime("h1-average", H1).explicit(f"{AVERAGED_H}: lam x^2 from zeta / lam, eta <= 1/(102010 lam MKR)",
        lb.H1, cases=H1_CASES, remark=MEAN_STAYS),
    averaged_regime("h2-average", H2).explicit(
        f"{AVERAGED_H}: curvature lam0 left and lam0/1010 right of 0, from X_zeta", lb.H2, cases=H2_CASES,
        remark=MEAN_STAYS),
)

# Theorem 5 ---------------------------------------------------------------------------------------------------------


def regime_edges(mu: str, M: int, K: int, R: int) -> tuple[sympy.Expr, ...]:
    """Return the step sizes at which Theorem 5 passes from one regime to the next."""
    unit = 1 / sympy.Rational(mu)
    return (unit / (lb.FIRST * M * K * R), unit / (lb.FIRST * M * K), unit / (1010 * K), unit / 1010, unit)


def _in_reach(relative: sympy.Expr, steps: int) -> bool:
    """Return whether the square of (2 eta 1010 mu - 1)^steps stays below 1e250."""
    return bool(relative <= 1 or 2 * steps * math.log10(2 * relative - 1) < 250)


def _every_step(construction: Construction, mu: str, M: int, K: int, R: int, **sizes: object) -> tuple[Case, ...]:
    """Return one step size at every edge of the regimes, one within each, one far below and one far above."""
    at = regime_edges(mu, M, K, R)
    within = [sympy.Rational(1, 10), *(sympy.Rational(3, 1) * e for e in at)]
    steps = sorted({at[0] * within[0], at[0] * sympy.Rational(1, 10**6), *at, *within[1:], 100 * at[-1]})
    if R > 10:  # beyond 1/(1010 mu) the steepest coordinate grows by |1 - 2020 mu eta| a step: stay within the floats
        steps = [s for s in (*steps, *(at[3] * sympy.Rational(p, 10) for p in (5, 11, 15, 20))) if _in_reach(s / at[3], M * K * R)]
    return tuple(construction(strong_convexity=mu, n_clients=M, n_local_steps=K, n_rounds=R, step_size=s, **sizes) for s in steps)


_ANY_STEP = "there are an instance and a start, the same for all step sizes, whose last iterate has at least this error"
_TWO_NOISY = "sigma is the noise of two of them, sqrt(2) sigma of the sum"
_T5_TEXT = f"{_ANY_STEP} (5 + 1 coordinates; zeta is that of three of them, sqrt(3) zeta of the sum)"
theorem_5 = construction_statement("T5", "Theorem 5", LAST, cases.theorem_5, lambda: constructions().theorem_5(),
    cases=(*_every_step(cases.theorem_5, "1", 4, 1, 1, heterogeneity=1, noise_std=0),
        *_every_step(cases.theorem_5, "1", 4, 2, 100_000, heterogeneity=1, noise_std=0),
        *_every_step(cases.theorem_5, "1/3", 6, 3, 1000, heterogeneity=2, noise_std="1/10"),
        *_every_step(cases.theorem_5, "1", 4, 1, 30, heterogeneity=1, noise_std=0),
        *_every_step(cases.theorem_5, "2", 4, 3, 12, heterogeneity=1, noise_std="1/10")))
theorem_5_noise = construction_statement("T5-noise", "Theorem 5, noise term as in Appendix C", LAST,
    cases.theorem_5_noise, lambda: constructions().theorem_5_noise())
# with kappa = 1 any instance will do
any_instance = PAPER.theorem("T5", "Theorem 5", LastGap(), algorithms.sequential, kind="lower bound",
    assumptions=(assume.smooth, assume.minimiser_exists, assume.bounded_noise, assume.uniform_heterogeneity,
        assume.full_participation, assume.plain_server), family=lambda: constructions().kappa_one(),
    remark="with kappa = 1 every F_m is mu |x - c_m|^2 / 2, and all instances of the same distance, noise and heterogeneity have "
    "the same error: one of them refutes the existence of a worse one. The statement sets no lower limit on kappa. Without an "
    "upper limit on D a far start makes it trivial; at a given D, here at least 2 (sigma + zeta) / mu, so for a start that is not "
    "too near, it is false")
_KAPPA_ONE = (
    "for all R, K, M >= 4 and every step size, at a given initial distance D, some instance with kappa = 1 has this error"
)
_DISTANT = QuadraticClients((1, 1, 1, 1), (1, 1, -1, -1), 2)
THEOREM_5 = (
    theorem_5.printed(f"{_T5_TEXT}, with a constant as small as the proof's", lb.T5_PRINTED,
        remark="the paper has one instance for all step sizes and all R, M, K; this one is the same for all step sizes and K, "
        "the start of one coordinate depends on R. The error is at least 5 * 10^18 times the bound on every case"),
    theorem_5.explicit(_T5_TEXT, lb.T5,
        remark="in none of these cases is regime h2 needed: the other coordinates err enough at every step size; the error is at "
        "least 6000 times the bound on every case"),
    theorem_5_noise.explicit(f"{_ANY_STEP} (4 coordinates, no heterogeneity; {_TWO_NOISY})", lb.T5_APPENDIX_NOISE,
        cases=(*_every_step(cases.theorem_5_noise, "1", 4, 1, 1, noise_std=1),
            *_every_step(cases.theorem_5_noise, "1", 4, 2, 1000, noise_std=1)),
        remark="the error is at least 10^17 times the bound on every case"),
    any_instance.strict(_KAPPA_ONE, lb.T5_LITERAL,
        counterexamples=(Case(_DISTANT, n_rounds=200_000, n_local_steps=1, step_size="1/44000"),)),
    any_instance.restated("T5-proof-constant").strict(_KAPPA_ONE, lb.T5_LITERAL_PROOF,
        counterexamples=(Case(_DISTANT, n_rounds=10**24, n_local_steps=3, step_size="1/100000000000000000000000"),)),
)

# The noise term of Theorems 5 and 6 -------------------------------------------------------------------------------


def _noise_case(M: int, K: int, R: int, step: str) -> Case:
    return Case(QuadraticClients((1,) * M, (0,) * M, 1, noise_std=1), n_local_steps=K, n_rounds=R, step_size=step)


noise_term = construction_statement("T5-noise", "Theorems 5 and 6, first term", LastGap(),
    Construction("the noise term", cases.noise_coordinate), lambda: constructions().noise_term(),
    cases=(_noise_case(1, 1, 1, "1/2"), _noise_case(4, 2, 10, "1/50"), _noise_case(2, 3, 10_000, "1/100")))

NOISE = (
    noise_term.strengthened("mu x^2 / 2 with noise +-sigma from sigma / mu: last iterate, every constant step",
        lb.NOISE_ONLY, remark="equality at MKR = 1, eta mu = 1/2"),
    replace(noise_term.restated("T6-noise"), measure=AveragedGap(sympy.Integer(1))).strengthened(
        "mu x^2 / 2 with noise +-sigma from sigma / mu: uniform average, every constant step", lb.NOISE_ONLY),
    PAPER.lemma("T5-schedule", "Theorems 5 and 6, first term", "E[F(x̄) - F*]", lambda one, c: one.error(), ENERGY,
        kind="lower bound",
        cases=(Case(ScheduledDescent(1, 1, ("1/2",), (0, 1))), Case(ScheduledDescent(1, 1, (0,) * 4, (1, 0, 0, 0, 0))),
            Case(ScheduledDescent(2, 3, ("1/4", "1/6", "1/8", "1/10"), (0, 0, 0, 0, 1))),
            Case(ScheduledDescent(1, 1, (1, "1/2", "1/3"), (1, 2, 0, 5)))),
        family=lambda: constructions().schedules()).strengthened(
        "the same for every deterministic step sequence and every weighted average", lb.NOISE_ONLY,
        remark="equality at steps 1/(mu (t + 2)), last iterate"),
)

# Theorem 6 ---------------------------------------------------------------------------------------------------------


def _theorem_6(kappa: int, M: int, K: int, R: int, *parts: object, **sizes: object) -> tuple[Case, ...]:
    """Return step sizes as parts of the largest allowed one, 1/(101 L M K)."""
    top = sympy.Rational(1, lb.CAP * kappa * M * K)
    return tuple(
        cases.theorem_6_sc(
            strong_convexity=1,
            smoothness=kappa,
            n_clients=M,
            n_local_steps=K,
            n_rounds=R,
            step_size=top * sympy.Rational(part),
            **sizes,
        )
        for part in parts
    )


_SC_SIZES = ({"noise_std": 0, "heterogeneity": 1}, {"noise_std": 1, "heterogeneity": 1})
_SC_CASES = tuple(
    case
    for sizes in _SC_SIZES
    for case in (
        *_theorem_6(1010, 4, 1, 1, 1, "1/1000000", **sizes),
        *_theorem_6(1010, 4, 1, 2, 1, "1/2", **{**sizes, "noise_std": 0}),
        *_theorem_6(20_200, 6, 2, 10_000, 1, "1/100", "1/1000000000", **sizes),
    )
)


def _theorem_6_gc(M: int, K: int, R: int, *parts: object, **sizes: object) -> tuple[Case, ...]:
    top = sympy.Rational(1, lb.CAP * M * K)
    return tuple(
        cases.theorem_6_gc(
            smoothness=1,
            initial_distance=1,
            n_clients=M,
            n_local_steps=K,
            n_rounds=R,
            step_size=top * sympy.Rational(part),
            **sizes,
        )
        for part in parts
    )


_SMALL_STEPS = "step sizes up to 1/(101 L M K)"
_SC_NOTE = f" (5 coordinates; {_TWO_NOISY})"
_GC_NOTE = "distance D for the noise term, D/1000 for the rest; sigma twice, sqrt(2) sigma in all"
theorem_6_sc = construction_statement("T6-SC", "Theorem 6, strongly convex", AVERAGE, cases.theorem_6_sc,
    lambda: constructions().theorem_6_sc(), cases=_SC_CASES)
theorem_6_gc = construction_statement("T6-GC", "Theorem 6, general convex", AVERAGE, cases.theorem_6_gc,
    lambda: constructions().theorem_6_gc())
IN_CLASS: dict[str, Any] = {
    "kind": "lower bound",
    "assumptions": (assume.smooth, assume.convex, assume.minimiser_exists, assume.uniform_heterogeneity, assume.bounded_noise),
    "family": lambda: constructions().large_noise(),
}


def whole_class(one: FederatedInstance, c: Constants) -> AtMost:
    # At most L/2 sup E|x - x*|^2: no round adds more to E|x - x*|^2 than the noise and drift terms of U6.
    L, D, step = (
        to_mixed(c.smoothness),
        to_mixed(c.initial_distance),
        to_mixed(c.step_size) * c.n_clients * c.n_local_steps,
    )
    noise = to_mixed(c.noise_std) ** 2 / (c.n_clients * c.n_local_steps)
    drift = noise + to_mixed(c.heterogeneity) ** 2 / c.n_clients  # zeta_* <= zeta in the class
    return AtMost(L / 2 * (D**2 + c.n_rounds * (4 * step**2 * noise + 6 * L * step**3 * drift)))


_ONE_INSTANCE = (
    "an instance and a start, the same for all step sizes up to 1/(101 L M K), have at least this error, with a constant as "
    "small as the proof's"
)
THEOREM_6 = (
    theorem_6_sc.printed(f"{_ONE_INSTANCE}: uniform average{_SC_NOTE}", lb.T6_SC_PRINTED,
        remark="the instance does not depend on the step size, as is stated; the error is at least 5 * 10^16 times the bound on "
        "every case"),
    replace(theorem_6_sc.restated("T6-SC-last"), measure=LAST).printed(
        f"{_ONE_INSTANCE}: last iterate, all weight on it{_SC_NOTE}", lb.T6_SC_PRINTED,
        remark="the error is at least 5 * 10^16 times the bound on every case"),
    theorem_6_sc.explicit(f"{_SMALL_STEPS}: uniform average{_SC_NOTE}", lb.T6_SC),
    replace(theorem_6_sc.restated("T6-SC-last"), measure=LAST).explicit(
        f"{_SMALL_STEPS}: last iterate, all weight on it{_SC_NOTE}", lb.T6_SC),
    theorem_6_gc.corrected(f"{_SMALL_STEPS}: uniform average ({_GC_NOTE})", lb.T6_GC,
        cases=_theorem_6_gc(4, 1, 132_651, 1, "1/1000", "1/1000000000", noise_std=2, heterogeneity=2)),
    theorem_6_gc.restated("T6-GC-drift", "Theorem 6, general convex, sigma = 0").corrected(
        f"{_SMALL_STEPS}, no noise: uniform average", lb.T6_GC_DRIFT,
        cases=_theorem_6_gc(4, 1, 132_651, 1, "1/1000", "1/1000000000", noise_std=0, heterogeneity=2),
        family=lambda: constructions().theorem_6_gc(True),
        remark="the error is at least 2 * 10^18 times the bound on every case"),
    PAPER.lemma("T6-GC", "Theorem 6, general convex", "E[F(x̄) - F*] of any instance", whole_class, ENERGY, **IN_CLASS).printed(
        "some convex instance with these constants has at least this error (uniform average)", lb.T6_GC_PRINTED,
        counterexamples=(
            Case(QuadraticClients((1, 1, 1, 1), (2, 2, -2, -2), 1, noise_std=2 * 10**12), n_local_steps=1,
                n_rounds=51**3 * 10**12, step_size="1e-24"),),
        remark="the first term grows with the noise beyond L D^2 / 2, which no instance reaches at small steps"),
)

# Quoted ------------------------------------------------------------------------------------------------------------

EXTERNAL = tuple(
    PAPER.quoted(id, bound.source.place).printed(f"random reshuffling (Cha et al.): {text}", bound)
    for id, text, bound in (
        ("T17", "last iterate, R >= 161 kappa", lb.T17_LONG),
        ("T17-short", "last iterate, R < 161 kappa", lb.T17_SHORT),
        ("T18-SC", "weighted averages, strongly convex", lb.T18_SC),
        ("T18-GC", "weighted averages, general convex", lb.T18_GC),
    )
)

CLAIMS: tuple[Claim, ...] = (*REGIMES, *AVERAGES, *THEOREM_5, *NOISE, *THEOREM_6, *EXTERNAL, *claims.CLAIMS)
