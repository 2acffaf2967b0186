"""Claims inside the lower bounds: Lemmas 10 and 14 and the one-round inequalities of the second regime."""

from __future__ import annotations

from typing import Any

from sympy import Eq, Integer, Rational, sqrt

from fltheory.claims.claim import Claim
from fltheory.claims.statement import case_measure, quantity, quantity_measure
from fltheory.model.bound import Dimension
from fltheory.model.case import Case
from fltheory.model.schema import count, probability
from fltheory.papers.sfl import algorithms
from fltheory.papers.sfl.kinked import closed_forms as kr
from fltheory.papers.sfl.lower import cases
from fltheory.papers.sfl.lower.bounds import CAP, FIRST, RATIO, START_DRIFT, START_NOISE, N
from fltheory.papers.sfl.notation import K, M, R, eta, k, lam, lam0, lam1, m, n, sigma, t, x0, zeta
from fltheory.papers.sfl.paper import PAPER, constructions
from fltheory.runs import assumptions as assume
from fltheory.runs.measures import LastDistance

LENGTH: Dimension = (Integer(0), Integer(1))
PULL: Dimension = (Integer(1), Integer(-1))
STEEP = lam0 >= RATIO * lam
STEP_CAP = eta <= 1 / (CAP * lam0 * N)
WRONG_CAP = eta <= 1 / (CAP * lam * N)
AHEAD = x0 >= 0
BEHIND = x0 < 0
PLACE = (m <= M, k <= K - 1)
SPREAD = sqrt(m - 1 + (k / K) ** 2)  # sqrt(m - 1 + a_k^2)
SHRINK = 1 - Rational(2, 3) * lam0 * N * eta

# a round of +-zeta clients and one of noisy clients: any step, one capped by STEP_CAP, one with a start below 0
SPLIT: dict[str, Any] = {"kind": "lemma", "assumptions": (cases.one_round_h.assumption,), "builds": cases.one_round_h}
NOISY: dict[str, Any] = {"kind": "lemma", "assumptions": (cases.one_round_s.assumption,), "builds": cases.one_round_s}
SPLIT_ANY: dict[str, Any] = SPLIT | {"family": lambda: constructions().ordered_round("any")}
SPLIT_CAPPED: dict[str, Any] = SPLIT | {"family": lambda: constructions().ordered_round("large")}
SPLIT_BEHIND: dict[str, Any] = SPLIT | {"family": lambda: constructions().ordered_round("behind")}
NOISY_CAPPED: dict[str, Any] = NOISY | {"family": lambda: constructions().noisy_round("large")}
NOISY_ANY: dict[str, Any] = NOISY | {"family": lambda: constructions().noisy_round("any")}
NOISY_BEHIND: dict[str, Any] = NOISY | {"family": lambda: constructions().noisy_round("behind")}


def split_cases(
    M: int, K: int, start: object, part: object, *places: tuple[int, int], ratio: int = 1010
) -> tuple[Case, ...]:
    """Return rounds with lam = zeta = 1 at a part of the step cap 1/(101 lam0 MK), one case for every place (m, k)."""
    step = Rational(part) / (CAP * ratio * M * K)
    fixed: dict[str, object] = {"large_curvature": ratio, "small_curvature": 1, "heterogeneity": 1, "start": start}
    settings = [{"position": p, "local_step": q} for p, q in places] or [{}]
    return tuple(cases.one_round_h(**fixed, n_clients=M, n_local_steps=K, step_size=step, **more) for more in settings)


def noisy_cases(M: int, K: int, start: object, part: object, *counts: int, ratio: int = 1010) -> tuple[Case, ...]:
    step = Rational(part) / (CAP * ratio * M * K)
    fixed: dict[str, object] = {"large_curvature": ratio, "small_curvature": 1, "noise_std": 1, "start": start}
    settings = [{"n_signs": c} for c in counts] or [{}]
    return tuple(cases.one_round_s(**fixed, n_clients=M, n_local_steps=K, step_size=step, **more) for more in settings)


FIRST_HALF = (
    *split_cases(4, 2, 0, 1, (1, 1), (2, 0), (3, 1)),
    *split_cases(4, 1, "1/100000", 1, (3, 0)),
    *split_cases(6, 2, "1/1000000", "1/3", (4, 1)),
)
EVERY_PLACE = (*FIRST_HALF, *split_cases(4, 2, 0, 1, (4, 1)), *split_cases(6, 1, "1/100000", 1, (6, 0)))
STARTS = (
    *split_cases(4, 1, 0, 1),
    *split_cases(4, 3, 0, 1),
    *split_cases(6, 2, "1/1000000", "1/2"),
    *split_cases(4, 2, 1, 1),
    *split_cases(8, 1, 0, "1/10"),
)
TURNED = (*split_cases(4, 1, "-1/1000000", 1), *split_cases(4, 2, -1, 1), *split_cases(6, 1, "-1/10000", "1/3"))
NOISY_STARTS = (
    *noisy_cases(4, 1, 0, 1),
    *noisy_cases(4, 2, 0, 1),
    *noisy_cases(5, 1, "1/1000000", "1/2"),
    *noisy_cases(6, 1, 1, 1),
)

MOVED = quantity_measure(kr.distance, LENGTH, name="E|x - x_0|")
NOISE_MOVES = Rational(1, 100) * x0 + Rational(101, 100) * eta * sigma * sqrt(n)
DRIFT_MOVES = Rational(1, 100) * x0 + Rational(101, 100) * K * eta * zeta * SPREAD

# Lemmas 10 and 14 -------------------------------------------------------------------------------------------------

noise_moves = PAPER.theorem("L10", "Lemma 10", MOVED, **NOISY_CAPPED)
drift_moves = PAPER.theorem("L14", "Lemma 14", MOVED, **SPLIT_CAPPED)
_NOT_LAM = "the step must be small against lam0, not lam"
LEMMAS = (
    noise_moves.printed("noise: how far the model moves in n steps, eta <= 1/(101 lam MK)", quantity <= NOISE_MOVES,
        given=[WRONG_CAP, STEEP, AHEAD, n <= N], counterexamples=noisy_cases(2, 1, 0, 1010, 2),
        family=lambda: constructions().noisy_round("small"), remark=_NOT_LAM),
    noise_moves.corrected("noise: how far the model moves in n steps, eta <= 1/(101 lam0 MK)", quantity <= NOISE_MOVES,
        given=[STEP_CAP, STEEP, AHEAD, n <= N],
        cases=(*noisy_cases(4, 1, 0, 1, 1, 4), *noisy_cases(4, 2, "1/1000000", 1, 5)), note="lam0 in the step cap"),
    drift_moves.printed("heterogeneity: how far the local models move, eta <= 1/(101 lam MK)", quantity <= DRIFT_MOVES,
        given=[WRONG_CAP, STEEP, AHEAD, *PLACE], counterexamples=split_cases(4, 1, 0, 1200, (3, 0), ratio=1200),
        family=lambda: constructions().ordered_round("small"), remark=_NOT_LAM),
    drift_moves.corrected("heterogeneity: how far the local models move, eta <= 1/(101 lam0 MK)",
        quantity <= DRIFT_MOVES, given=[STEP_CAP, STEEP, AHEAD, *PLACE], cases=EVERY_PLACE, note="lam0 in the step cap"),
)

# One round: displays (3) to (11) ----------------------------------------------------------------------------------

unrolled = PAPER.theorem("I3", "(3)", quantity_measure(kr.unrolling_probability, name="P(the identity holds)"),
    **SPLIT_ANY)
split_above_pull = PAPER.theorem("I5", "(5)",
    quantity_measure(kr.split_above_pull, PULL, name="split of E[c(x) x] above it, from lam0 x_0"), **SPLIT_CAPPED)
first_term = PAPER.theorem("I6", "(6)", quantity_measure(kr.first_term, PULL, name="first term of (5)"), **SPLIT_CAPPED)
second_term = PAPER.theorem("I7", "(7)", quantity_measure(kr.second_term, PULL, name="second term of (5)"),
    **SPLIT_CAPPED)
pull = PAPER.theorem("I8", "(8)", quantity_measure(kr.mean_pull, PULL, name="E[c(x) x]"), **SPLIT_CAPPED)
pull_below = PAPER.theorem("I8", "(8)", quantity_measure(kr.pull_below, PULL, name="501/1000 λ0 x_0 - E[c(x) x]"),
    **SPLIT_CAPPED)
END = quantity_measure(kr.end, LENGTH, name="E[x after a round]")
end = PAPER.theorem("I10", "(10)", END, **SPLIT_CAPPED)
end_ratio = PAPER.theorem("I11", "(11)", quantity_measure(kr.end_over_start, name="E[x after a round] / x"), cases=TURNED,
    **SPLIT_BEHIND)
coupled = PAPER.theorem("I11a", "(11), coupling",
    quantity_measure(kr.coupling_probability, name="P(x_F >= x_H all round)"), **SPLIT_CAPPED)
steep_end_ratio = PAPER.theorem("I11b", "(11), steep clients",
    quantity_measure(kr.steep_end_over_start, name="E[x_H after a round] / x"), cases=TURNED, **SPLIT_BEHIND)

power = PAPER.lemma("I11c", "(11), power", "(1 - z)^n", lambda one, c: (1 - c.unit_interval) ** int(c.n_signs),
    cases=tuple(Case(cases.Scalar(), unit_interval=v, n_signs=c) for v in ("1/100", "1/2", 1) for c in (1, 2, 9)),
    family=cases.Scalar.drawn(settings={"unit_interval": probability, "n_signs": count(0, 50)}))

PULLED = Rational(501, 1000) * lam0 * x0
ROUND_SPREAD = lam0 * K * eta * zeta * SPREAD
HALF_ROUND = (STEP_CAP, STEEP, AHEAD, *PLACE, m <= M / 2 + 1, M >= 4)
ONE_ROUND = (
    unrolled.printed("x_{m,k} = x_{1,0} - eta sum_i c(x_i) x_i - K eta zeta A_{m,k} on every path", Eq(quantity, 1),
        given=PLACE, cases=EVERY_PLACE, note="a display before it lacks eta"),
    unrolled.restated("I4", "(4)", family=lambda: constructions().ordered_round("any", True)).printed(
        "x_{M+1,0} = x_{1,0} - eta sum_i c(x_i) x_i on every path", Eq(quantity, 1), given=[m > M, m <= M + 1, k <= 0],
        cases=(*split_cases(4, 2, 0, 1, (5, 0)), *split_cases(6, 1, "1/10", 50, (7, 0)))),
    split_above_pull.printed("lam0 E[x 1{A > 0}] + lam E[x 1{A <= 0}] - E[c(x) x] + lam0 x_{1,0} at (m, k)",
        lam0 * x0 <= quantity, given=[AHEAD, *PLACE],
        cases=(*split_cases(4, 1, "1/100000", 1, (3, 0)), *split_cases(6, 2, "1/1000000", "1/3", (4, 1)),
            *split_cases(6, 1, "1/100000", 1, (6, 0)))),
    first_term.printed("first term of (5), less lam0^2 eta sum_i E|x_i - x_{1,0}| - lam0 K eta zeta E|A|/2",
        quantity <= lam0 * x0 / 2, given=[STEEP, AHEAD, *PLACE],
        cases=(*EVERY_PLACE, *split_cases(4, 2, 1, 1, (3, 0), (3, 1)))),
    second_term.printed("second term of (5), less lam E|x_{m,k} - x_{1,0}|", quantity <= Rational(5, 6) * lam * x0,
        given=[STEEP, AHEAD, *PLACE, m + k >= 2],
        cases=(*split_cases(4, 1, "1/100000", 1, (3, 0)), *split_cases(6, 1, "1/100000", 1, (6, 0)),
            *split_cases(4, 2, 1, 1, (3, 0), (3, 1))),
        remark="tight at M = 4, m = 3, k = 0, where P(A <= 0) = 5/6, up to the distance moved"),
    pull.printed("E[c(x_{m,k}) x_{m,k}] in the first half of a round",
        quantity <= PULLED + Rational(14, 1000) * ROUND_SPREAD, given=HALF_ROUND, cases=FIRST_HALF,
        remark="the printed sign is weaker than what the proof uses"),
    pull_below.strengthened("501/1000 lam0 x_{1,0} - E[c(x_{m,k}) x_{m,k}] in the first half of a round",
        Rational(14, 1000) * ROUND_SPREAD <= quantity, given=HALF_ROUND, cases=FIRST_HALF,
        note="minus sign, as the proof needs it"),
    pull.restated("I9", "(9)").printed("E[c(x_{m,k}) x_{m,k}] in all of a round",
        quantity <= Rational(1, 1000) * lam0 * x0 + Rational(1, 1000) * ROUND_SPREAD,
        given=[STEP_CAP, STEEP, AHEAD, *PLACE], cases=EVERY_PLACE),
    end.printed("E[x_{M+1,0} | x_{1,0}] for x_{1,0} >= 0",
        SHRINK * x0 + lam0 * M ** Rational(3, 2) * K**2 * eta**2 * zeta / 600 <= quantity,
        given=[STEP_CAP, STEEP, AHEAD, M >= 4], cases=STARTS, remark="1/600 can be replaced by 0.159 at least"),
    end_ratio.printed("E[x_{M+1,0} | x_{1,0}] / x_{1,0} for x_{1,0} < 0 (the sign turns)", quantity <= SHRINK,
        given=[STEP_CAP, STEEP, BEHIND]),
    coupled.printed("the model stays above that of the steep clients H_m, on every path", Eq(quantity, 1),
        given=[STEP_CAP, STEEP], cases=(*TURNED, *STARTS[:3])),
    steep_end_ratio.printed("E[x_{M+1,0}] / x_{1,0} on the steep clients H_m", Eq(quantity, (1 - lam0 * eta) ** N),
        given=[BEHIND]),
    power.printed("(1 - z)^n", quantity <= 1 - n * t + n**2 * t**2, given=[t <= 1]),
)

# Whole runs of regime 2, and one noisy round ----------------------------------------------------------------------


def _h2(M: int, K: int, R: int, part: object) -> Case:
    """Return regime h2 with lam0 = 1010 lam, lam1 = lam at a part of the largest step."""
    return cases.h2(large_curvature=1010, small_curvature=1, auxiliary_curvature=1, heterogeneity=1, n_clients=M,
        n_local_steps=K, n_rounds=R, step_size=Rational(part) / (CAP * RATIO * M * K))


def _s2(M: int, K: int, R: int, part: object) -> Case:
    return cases.s2(large_curvature=1010, small_curvature=1, auxiliary_curvature=1, noise_std=1, n_clients=M,
        n_local_steps=K, n_rounds=R, step_size=Rational(part) / (CAP * RATIO * M * K))


REGIME_2 = (STEP_CAP, R >= lam0 / (RATIO * lam1))
IN_RANGE = (*REGIME_2, eta >= 1 / (FIRST * lam1 * N * R))
DRIFTING: dict[str, Any] = {
    "kind": "lemma",
    "cases": (_h2(4, 1, 1, 1), _h2(4, 2, 3, "1/2"), _h2(6, 1, 2, 1)),
    "assumptions": (cases.h2.assumption, assume.plain_server, assume.full_participation),
    "builds": cases.h2,
    "family": lambda: constructions().kinked_regime("h2"),
}
SHAKEN: dict[str, Any] = {
    "kind": "lemma",
    "cases": (_s2(4, 1, 1, 1), _s2(2, 2, 2, "1/2"), _s2(4, 1, 2, 1)),
    "assumptions": (cases.s2.assumption, assume.plain_server, assume.full_participation),
    "builds": cases.s2,
    "family": lambda: constructions().kinked_regime("s2"),
}
sign = PAPER.theorem("I-sym", "App. D.2", case_measure("min P(x^(r) >= 0)", kr.nonnegative), **DRIFTING)
gain = PAPER.theorem("I-inv", "App. D.2", case_measure("E x^(R) - (1 - 2/3 λ0 M K η) E x^(R-1)", kr.gain, LENGTH),
    **DRIFTING)
least_mean = PAPER.theorem("I-inv-start", "App. D.2", case_measure("min E x^(r)", kr.least_mean, LENGTH), **DRIFTING)
noise_unrolled = PAPER.theorem("J1", "(1)",
    quantity_measure(kr.noise_unrolling_probability, name="P(the identity holds)"), **NOISY_ANY)
noise_split = PAPER.theorem("J2", "(2)",
    quantity_measure(kr.split_above_pull, PULL, name="split of E[c(x) x] above it, from λ0 x_0"), **NOISY_CAPPED)
noisy_end = PAPER.theorem("J", "App. C.2", END, **NOISY_CAPPED)
GAINED = lam0 * eta**2 * N ** Rational(3, 2) * sigma
ROUNDS = (
    sign.printed("x^(0) >= 0: the model is nonnegative with probability at least 1/2 after every round",
        Rational(1, 2) <= quantity, given=REGIME_2),
    gain.printed("recursion of E x^(r)", lam0 * M ** Rational(3, 2) * K**2 * eta**2 * zeta / 1200 <= quantity,
        given=[*REGIME_2, M >= 4]),
    least_mean.printed("E x^(r) stays above X_zeta, r >= 1", zeta / (START_DRIFT * lam1 * sqrt(M) * R) <= quantity,
        given=[*IN_RANGE, M >= 4]),
    noise_unrolled.printed("noise: x_n = x_0 - eta sum_i c(x_i) x_i - eta sigma E_n on every path", Eq(quantity, 1),
        given=[n <= N],
        cases=(*noisy_cases(4, 1, 0, 1, 0, 1, 4), *noisy_cases(4, 2, "-1/1000000", "1/2", 5),
            *noisy_cases(2, 1, "1/10000", 202, 2))),
    noise_split.printed(
        "noise: lam0 P(E_n > 0) E[x_n | E_n > 0] + lam P(E_n <= 0) E[x_n | E_n <= 0] - E[c(x_n) x_n] + lam0 x_0",
        lam0 * x0 <= quantity, given=[AHEAD, n <= N],
        cases=(*noisy_cases(4, 1, "1/100000", 1, 3), *noisy_cases(4, 2, "1/1000000", "1/2", 1, 5),
            *noisy_cases(6, 1, "1/100000", 1, 6))),
    noisy_end.printed("noise: E[x_N | x_0] for x_0 >= 0",
        SHRINK * x0 + eta * N ** Rational(3, 2) * sigma / 60 <= quantity, given=[STEP_CAP, STEEP, AHEAD, N >= 4],
        counterexamples=noisy_cases(4, 1, 0, 1),
        remark="lam0 eta is missing in the last term; two steps of the derivation are wrong"),
    noisy_end.corrected("noise: E[x_N | x_0] for x_0 >= 0", SHRINK * x0 + GAINED / 60 <= quantity,
        given=[STEP_CAP, STEEP, AHEAD, N >= 4], cases=NOISY_STARTS, note="lam0 eta^2 in the last term",
        remark="1/60 can be replaced by 0.218; false at N = 1 (constant 0)"),
    noisy_end.restated("J-two").strengthened("noise: E[x_N | x_0] for x_0 >= 0, N = 2",
        SHRINK * x0 + Rational(17, 100) * GAINED <= quantity, given=[STEP_CAP, STEEP, AHEAD, N >= 2, N <= 2],
        cases=(*noisy_cases(2, 1, 0, 1), *noisy_cases(1, 2, "1/1000000", "1/2"), *noisy_cases(2, 1, 1, 1)),
        note="the paper has N >= 4", remark="the least constant found is 0.1766"),
    noisy_end.restated("J-three").strengthened("noise: E[x_N | x_0] for x_0 >= 0, N = 3",
        SHRINK * x0 + Rational(19, 100) * GAINED <= quantity, given=[STEP_CAP, STEEP, AHEAD, N >= 3, N <= 3],
        cases=(*noisy_cases(3, 1, 0, 1), *noisy_cases(1, 3, "1/1000000", "1/2"), *noisy_cases(3, 1, 1, 1)),
        note="the paper has N >= 4", remark="the least constant found is 0.1922"),
    end_ratio.restated("J-behind", "App. C.2", **NOISY_BEHIND).printed(
        "noise: E[x_N | x_0] / x_0 for x_0 < 0 (the sign turns)", quantity <= SHRINK, given=[STEP_CAP, STEEP, BEHIND],
        cases=(*noisy_cases(4, 1, "-1/1000000", 1), *noisy_cases(4, 2, -1, "1/2"))),
    sign.restated("J-sym", "App. C.2", **SHAKEN).printed(
        "noise: the model is nonnegative with probability at least 1/2 after every round", Rational(1, 2) <= quantity,
        given=REGIME_2),
    gain.restated("J-inv", "App. C.2", **SHAKEN).corrected("noise: recursion of E x^(r)", GAINED / 120 <= quantity,
        given=[*REGIME_2, N >= 4], note="lam0 eta^2 in the last term"),
    least_mean.restated("J-inv-start", "App. C.2", **SHAKEN).printed("noise: E x^(r) stays above X_sigma, r >= 1",
        sigma / (START_NOISE * lam1 * sqrt(N) * R) <= quantity, given=[*IN_RANGE, N >= 4]),
)

# Equal curvatures: display (12) -------------------------------------------------------------------------------------


def even_round_case(M: int, K: int, start: object, step: object, curvature: object = 1) -> Case:
    """Return a round on clients lam x^2 / 2 +- x."""
    sizes: dict[str, object] = {"small_curvature": curvature, "heterogeneity": 1, "start": start}
    return cases.one_round_even(**sizes, n_clients=M, n_local_steps=K, step_size=step, n_rounds=1)


KEPT = (1 - lam * eta) ** K  # (1 - d)^K with d = lam eta
T_OF_STEP = 1 + KEPT**M - (1 + KEPT) / (M * (1 - KEPT)) * (1 - KEPT**M)  # T(d), as after (12)
LEFT_BEHIND = M / (M - 1) / (lam * eta) ** 2 * (1 - KEPT) / (1 + KEPT) * (1 - KEPT**M) * T_OF_STEP
mean_square = PAPER.theorem("I12", "(12)", LastDistance(), algorithms.sequential, kind="lemma",
    assumptions=(cases.one_round_even.assumption, assume.plain_server, assume.full_participation), builds=cases.one_round_even,
    family=lambda: constructions().even_round())
SECOND_MOMENT = (
    mean_square.printed("E (x^(r))² after a round on lam x²/2 +- zeta x from x^(r-1), at steps of at most 1/lam",
        Eq(quantity, KEPT ** (2 * M) * x0**2 + eta**2 * zeta**2 * LEFT_BEHIND), given=[lam * eta <= 1, R <= 1, M >= 2],
        cases=(even_round_case(2, 1, 0, "1/2"), even_round_case(4, 3, 1, "1/10"), even_round_case(6, 2, "-1/3", "1/1212"),
            even_round_case(4, 2, 2, "1/3", "1/2"), even_round_case(8, 5, 1, 1)),
        remark="An earlier sum over the signs ends in (1 - lam eta)^(2mk), which should be (1 - lam eta)^(2mK)."),
)

CLAIMS: tuple[Claim, ...] = (*LEMMAS, *ONE_ROUND, *ROUNDS, *SECOND_MOMENT)
