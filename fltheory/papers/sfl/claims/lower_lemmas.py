"""Claims inside the lower bounds: Lemmas 10 and 14 and the one-round inequalities of the second regime."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import Expr, Integer, Rational, sqrt
from sympy.core.relational import Relational

from fltheory.bound import Dimension, Side
from fltheory.case import Case
from fltheory.claim import Claim
from fltheory.evidence.verdict import Status
from fltheory.number import Ring
from fltheory.papers.sfl.bounds.lower import CAP, FIRST, RATIO, START_DRIFT, START_NOISE, N, lower
from fltheory.papers.sfl.data import blocks
from fltheory.papers.sfl.data.blocks import Construction
from fltheory.papers.sfl.exact import kinked_round as kr
from fltheory.papers.sfl.letters import K, M, R, eta, k, lam, lam0, lam1, m, n, sigma, t, x0, zeta
from fltheory.runs.measures import NUMBER, DirectMeasure

LENGTH: Dimension = (Integer(0), Integer(1))
PULL: Dimension = (Integer(1), Integer(-1))
STEEP = lam0 >= RATIO * lam
STEP_CAP = eta <= 1 / (CAP * lam0 * N)
WRONG_CAP = eta <= 1 / (CAP * lam * N)
AHEAD = x0 >= 0
PLACE = (m <= M, k <= K - 1)
SPREAD = sqrt(m - 1 + (k / K) ** 2)  # sqrt(m - 1 + a_k^2)
SHRINK = 1 - Rational(2, 3) * lam0 * N * eta


def _lemma(
    name: str,
    statement: str,
    expr: Expr,
    conditions: tuple[Relational, ...],
    where: str,
    reading: Any,
    side: Side,
    measure: tuple[str, Callable[[Case, Ring], Any], Dimension],
    construction: Construction | None,
    cases: tuple[Case, ...],
    draw: tuple[Any, ...],
    expected: Status = "holds",
    note: str = "",
    remark: str = "",
) -> Claim:
    def family() -> Any:
        from fltheory.papers.sfl.data import lower_families

        return getattr(lower_families, draw[0])(*draw[1:])

    return Claim.recorded(
        f"sfl/{name}@{reading}",
        statement,
        (lower(expr, conditions, where, reading, note, side),),
        DirectMeasure(*measure),
        None,
        (construction.assumption,) if construction else (),
        cases=cases,
        family=family,
        expected=expected,
        kind="lemma",
        remark=remark,
    )


def _h(M: int, K: int, start: object, part: object, *places: tuple[int, int], ratio: int = 1010) -> tuple[Case, ...]:
    """Rounds with lam = zeta = 1 at a part of the step cap 1/(101 lam0 MK), one case for every place (m, k)."""
    step = Rational(part) / (CAP * ratio * M * K)
    fixed: dict[str, object] = {"large_curvature": ratio, "small_curvature": 1, "heterogeneity": 1, "start": start}
    settings = [{"position": p, "local_step": q} for p, q in places] or [{}]
    return tuple(blocks.one_round_h(**fixed, n_clients=M, n_local_steps=K, step_size=step, **more) for more in settings)


def _s(M: int, K: int, start: object, part: object, *counts: int, ratio: int = 1010) -> tuple[Case, ...]:
    step = Rational(part) / (CAP * ratio * M * K)
    fixed: dict[str, object] = {"large_curvature": ratio, "small_curvature": 1, "noise_std": 1, "start": start}
    settings = [{"n_signs": c} for c in counts] or [{}]
    return tuple(blocks.one_round_s(**fixed, n_clients=M, n_local_steps=K, step_size=step, **more) for more in settings)


_MOVED = ("E|x - x_0|", kr.distance, LENGTH)
_PULL = ("E[c(x) x]", kr.mean_pull, PULL)
_END = ("E[x after a round]", kr.end, LENGTH)
_END_RATIO = ("E[x after a round] / x", kr.end_over_start, NUMBER)
_H, _S = blocks.one_round_h, blocks.one_round_s
_H_PLACES = (
    *_h(4, 2, 0, 1, (1, 1), (2, 0), (3, 1)),
    *_h(4, 1, "1/100000", 1, (3, 0)),
    *_h(6, 2, "1/1000000", "1/3", (4, 1)),
)
_EVERY_PLACE = (*_H_PLACES, *_h(4, 2, 0, 1, (4, 1)), *_h(6, 1, "1/100000", 1, (6, 0)))
_L10, _L14 = Rational(1, 100) * x0, Rational(101, 100)
_MOVES_S, _MOVES_H = _L10 + _L14 * eta * sigma * sqrt(n), _L10 + _L14 * K * eta * zeta * SPREAD
_STARTS = (*_h(4, 1, 0, 1), *_h(4, 3, 0, 1), *_h(6, 2, "1/1000000", "1/2"), *_h(4, 2, 1, 1), *_h(8, 1, 0, "1/10"))
_BEHIND = (*_h(4, 1, "-1/1000000", 1), *_h(4, 2, -1, 1), *_h(6, 1, "-1/10000", "1/3"))
_NOISY = (*_s(4, 1, 0, 1), *_s(4, 2, 0, 1), *_s(5, 1, "1/1000000", "1/2"), *_s(6, 1, 1, 1))

LEMMAS = (
    _lemma(
        "L10",
        "noise: how far the model moves in n steps, eta <= 1/(101 lam MK)",
        _MOVES_S,
        (WRONG_CAP, STEEP, AHEAD, n <= N),
        "Lemma 10",
        "printed",
        "upper",
        _MOVED,
        _S,
        _s(2, 1, 0, 1010, 2),
        ("noisy_round", "small"),
        "violated",
        remark="the step must be small against lam0, not lam",
    ),
    _lemma(
        "L10",
        "noise: how far the model moves in n steps, eta <= 1/(101 lam0 MK)",
        _MOVES_S,
        (STEP_CAP, STEEP, AHEAD, n <= N),
        "Lemma 10",
        "corrected",
        "upper",
        _MOVED,
        _S,
        (*_s(4, 1, 0, 1, 1, 4), *_s(4, 2, "1/1000000", 1, 5)),
        ("noisy_round", "large"),
        note="lam0 in the step cap",
    ),
    _lemma(
        "L14",
        "heterogeneity: how far the local models move, eta <= 1/(101 lam MK)",
        _MOVES_H,
        (WRONG_CAP, STEEP, AHEAD, *PLACE),
        "Lemma 14",
        "printed",
        "upper",
        _MOVED,
        _H,
        _h(4, 1, 0, 1200, (3, 0), ratio=1200),
        ("ordered_round", "small"),
        "violated",
        remark="the step must be small against lam0, not lam",
    ),
    _lemma(
        "L14",
        "heterogeneity: how far the local models move, eta <= 1/(101 lam0 MK)",
        _MOVES_H,
        (STEP_CAP, STEEP, AHEAD, *PLACE),
        "Lemma 14",
        "corrected",
        "upper",
        _MOVED,
        _H,
        _EVERY_PLACE,
        ("ordered_round", "large"),
        note="lam0 in the step cap",
    ),
)

_IDENTITY = ("P(the identity holds)", kr.unrolled, NUMBER)
ONE_ROUND = (
    _lemma(
        "I3",
        "x_{m,k} = x_{1,0} - eta sum_i c(x_i) x_i - K eta zeta A_{m,k} on every course",
        Integer(1),
        PLACE,
        "(3)",
        "printed",
        "equal",
        _IDENTITY,
        _H,
        _EVERY_PLACE,
        ("ordered_round", "any"),
        note="a display before it lacks eta",
    ),
    _lemma(
        "I4",
        "x_{M+1,0} = x_{1,0} - eta sum_i c(x_i) x_i on every course",
        Integer(1),
        (m > M, m <= M + 1, k <= 0),
        "(4)",
        "printed",
        "equal",
        _IDENTITY,
        _H,
        (*_h(4, 2, 0, 1, (5, 0)), *_h(6, 1, "1/10", 50, (7, 0))),
        ("ordered_round", "any", True),
    ),
    _lemma(
        "I5",
        "lam0 E[x 1{A > 0}] + lam E[x 1{A <= 0}] - E[c(x) x] + lam0 x_{1,0} at (m, k)",
        lam0 * x0,
        (AHEAD, *PLACE),
        "(5)",
        "printed",
        "lower",
        ("split of E[c(x) x] above it, from lam0 x_0", kr.split_above_pull, PULL),
        _H,
        (*_h(4, 1, "1/100000", 1, (3, 0)), *_h(6, 2, "1/1000000", "1/3", (4, 1)), *_h(6, 1, "1/100000", 1, (6, 0))),
        ("ordered_round", "large"),
    ),
    _lemma(
        "I6",
        "first term of (5), less lam0^2 eta sum_i E|x_i - x_{1,0}| - lam0 K eta zeta E|A|/2",
        lam0 * x0 / 2,
        (STEEP, AHEAD, *PLACE),
        "(6)",
        "printed",
        "upper",
        ("first term of (5)", kr.first_term, PULL),
        _H,
        (*_EVERY_PLACE, *_h(4, 2, 1, 1, (3, 0), (3, 1))),
        ("ordered_round", "large"),
    ),
    _lemma(
        "I7",
        "second term of (5), less lam E|x_{m,k} - x_{1,0}|",
        Rational(5, 6) * lam * x0,
        (STEEP, AHEAD, *PLACE, m + k >= 2),
        "(7)",
        "printed",
        "upper",
        ("second term of (5)", kr.second_term, PULL),
        _H,
        (*_h(4, 1, "1/100000", 1, (3, 0)), *_h(6, 1, "1/100000", 1, (6, 0)), *_h(4, 2, 1, 1, (3, 0), (3, 1))),
        ("ordered_round", "large"),
        remark="tight at M = 4, m = 3, k = 0, where P(A <= 0) = 5/6, but for the distance moved",
    ),
    _lemma(
        "I8",
        "E[c(x_{m,k}) x_{m,k}] in the first half of a round",
        Rational(501, 1000) * lam0 * x0 + Rational(14, 1000) * lam0 * K * eta * zeta * SPREAD,
        (STEP_CAP, STEEP, AHEAD, *PLACE, m <= M / 2 + 1, M >= 4),
        "(8)",
        "printed",
        "upper",
        _PULL,
        _H,
        _H_PLACES,
        ("ordered_round", "large"),
        remark="the printed sign is weaker than what the proof uses",
    ),
    _lemma(
        "I8",
        "501/1000 lam0 x_{1,0} - E[c(x_{m,k}) x_{m,k}] in the first half of a round",
        Rational(14, 1000) * lam0 * K * eta * zeta * SPREAD,
        (STEP_CAP, STEEP, AHEAD, *PLACE, m <= M / 2 + 1, M >= 4),
        "(8)",
        "sharpened",
        "lower",
        ("501/1000 λ0 x_0 - E[c(x) x]", kr.pull_below, PULL),
        _H,
        _H_PLACES,
        ("ordered_round", "large"),
        note="minus sign, as the proof needs it",
    ),
    _lemma(
        "I9",
        "E[c(x_{m,k}) x_{m,k}] in all of a round",
        Rational(1, 1000) * lam0 * x0 + Rational(1, 1000) * lam0 * K * eta * zeta * SPREAD,
        (STEP_CAP, STEEP, AHEAD, *PLACE),
        "(9)",
        "printed",
        "upper",
        _PULL,
        _H,
        _EVERY_PLACE,
        ("ordered_round", "large"),
    ),
    _lemma(
        "I10",
        "E[x_{M+1,0} | x_{1,0}] for x_{1,0} >= 0",
        SHRINK * x0 + lam0 * M ** Rational(3, 2) * K**2 * eta**2 * zeta / 600,
        (STEP_CAP, STEEP, AHEAD, M >= 4),
        "(10)",
        "printed",
        "lower",
        _END,
        _H,
        _STARTS,
        ("ordered_round", "large"),
        remark="1/600 may be 0.159 at least",
    ),
    _lemma(
        "I11",
        "E[x_{M+1,0} | x_{1,0}] / x_{1,0} for x_{1,0} < 0 (the sign turns)",
        SHRINK,
        (STEP_CAP, STEEP, x0 < 0),
        "(11)",
        "printed",
        "upper",
        _END_RATIO,
        _H,
        _BEHIND,
        ("ordered_round", "behind"),
    ),
    _lemma(
        "I11a",
        "the model stays above that of the steep clients H_m, on every course",
        Integer(1),
        (STEP_CAP, STEEP),
        "(11), coupling",
        "printed",
        "equal",
        ("P(x_F >= x_H all round)", kr.coupled, NUMBER),
        _H,
        (*_BEHIND, *_STARTS[:3]),
        ("ordered_round", "large"),
    ),
    _lemma(
        "I11b",
        "E[x_{M+1,0}] / x_{1,0} on the steep clients H_m",
        (1 - lam0 * eta) ** N,
        (x0 < 0,),
        "(11), steep clients",
        "printed",
        "equal",
        ("E[x_H after a round] / x", kr.steep_end_over_start, NUMBER),
        _H,
        _BEHIND,
        ("ordered_round", "behind"),
    ),
    _lemma(
        "I11c",
        "(1 - z)^n",
        1 - n * t + n**2 * t**2,
        (t <= 1,),
        "(11), power",
        "printed",
        "upper",
        (
            "(1 - z)^n",
            lambda case, ring: (ring.scalar(1) - ring.scalar(case.constants[t])) ** int(case.constants[n]),
            NUMBER,
        ),
        None,
        tuple(Case(blocks.Scalar(), unit_interval=v, n_signs=c) for v in ("1/100", "1/2", 1) for c in (1, 2, 9)),
        ("powers",),
    ),
)


def _h2(M: int, K: int, R: int, part: object) -> Case:
    """Regime h2 with lam0 = 1010 lam, lam1 = lam at a part of the largest step."""
    return blocks.h2(
        large_curvature=1010,
        small_curvature=1,
        auxiliary_curvature=1,
        heterogeneity=1,
        n_clients=M,
        n_local_steps=K,
        n_rounds=R,
        step_size=Rational(part) / (CAP * RATIO * M * K),
    )


def _s2(M: int, K: int, R: int, part: object) -> Case:
    return blocks.s2(
        large_curvature=1010,
        small_curvature=1,
        auxiliary_curvature=1,
        noise_std=1,
        n_clients=M,
        n_local_steps=K,
        n_rounds=R,
        step_size=Rational(part) / (CAP * RATIO * M * K),
    )


_REGIME_2 = (STEP_CAP, R >= lam0 / (RATIO * lam1))
_IN_RANGE = (*_REGIME_2, eta >= 1 / (FIRST * lam1 * N * R))
_H2 = (_h2(4, 1, 1, 1), _h2(4, 2, 3, "1/2"), _h2(6, 1, 2, 1))
_S2 = (_s2(4, 1, 1, 1), _s2(2, 2, 2, "1/2"), _s2(4, 1, 2, 1))
_SIGN = ("min P(x^(r) >= 0)", kr.nonnegative, NUMBER)
_GAIN = ("E x^(R) - (1 - 2/3 λ0 M K η) E x^(R-1)", kr.gain, LENGTH)
_LEAST = ("min E x^(r)", kr.least_mean, LENGTH)
ROUNDS = (
    _lemma(
        "I-sym",
        "x^(0) >= 0: the model is nonnegative with probability at least 1/2 after every round",
        Rational(1, 2),
        _REGIME_2,
        "App. D.2",
        "printed",
        "lower",
        _SIGN,
        blocks.h2,
        _H2,
        ("kinked_regime", "h2"),
    ),
    _lemma(
        "I-inv",
        "recursion of E x^(r)",
        lam0 * M ** Rational(3, 2) * K**2 * eta**2 * zeta / 1200,
        (*_REGIME_2, M >= 4),
        "App. D.2",
        "printed",
        "lower",
        _GAIN,
        blocks.h2,
        _H2,
        ("kinked_regime", "h2"),
    ),
    _lemma(
        "I-inv-start",
        "E x^(r) stays above X_zeta, r >= 1",
        zeta / (START_DRIFT * lam1 * sqrt(M) * R),
        (*_IN_RANGE, M >= 4),
        "App. D.2",
        "printed",
        "lower",
        _LEAST,
        blocks.h2,
        _H2,
        ("kinked_regime", "h2"),
    ),
    _lemma(
        "J",
        "noise: E[x_N | x_0] for x_0 >= 0",
        SHRINK * x0 + eta * N ** Rational(3, 2) * sigma / 60,
        (STEP_CAP, STEEP, AHEAD, N >= 4),
        "App. C.2",
        "printed",
        "lower",
        _END,
        _S,
        _s(4, 1, 0, 1),
        ("noisy_round", "large"),
        "violated",
        remark="lam0 eta is missing in the last term; two steps of the derivation are wrong",
    ),
    _lemma(
        "J",
        "noise: E[x_N | x_0] for x_0 >= 0",
        SHRINK * x0 + lam0 * eta**2 * N ** Rational(3, 2) * sigma / 60,
        (STEP_CAP, STEEP, AHEAD, N >= 4),
        "App. C.2",
        "corrected",
        "lower",
        _END,
        _S,
        _NOISY,
        ("noisy_round", "large"),
        note="lam0 eta^2 in the last term",
        remark="1/60 may be 0.218; false at N = 1 (constant 0)",
    ),
    *(
        _lemma(
            f"J-{name}",
            f"noise: E[x_N | x_0] for x_0 >= 0, N = {size}",
            SHRINK * x0 + constant * lam0 * eta**2 * N ** Rational(3, 2) * sigma,
            (STEP_CAP, STEEP, AHEAD, N >= size, N <= size),
            "App. C.2",
            "sharpened",
            "lower",
            _END,
            _S,
            cases,
            ("noisy_round", "large"),
            note="the paper has N >= 4",
            remark=f"the least constant found is {least}",
        )
        for name, size, constant, least, cases in (
            ("two", 2, Rational(17, 100), 0.1766, (*_s(2, 1, 0, 1), *_s(1, 2, "1/1000000", "1/2"), *_s(2, 1, 1, 1))),
            ("three", 3, Rational(19, 100), 0.1922, (*_s(3, 1, 0, 1), *_s(1, 3, "1/1000000", "1/2"), *_s(3, 1, 1, 1))),
        )
    ),
    _lemma(
        "J-behind",
        "noise: E[x_N | x_0] / x_0 for x_0 < 0 (the sign turns)",
        SHRINK,
        (STEP_CAP, STEEP, x0 < 0),
        "App. C.2",
        "printed",
        "upper",
        _END_RATIO,
        _S,
        (*_s(4, 1, "-1/1000000", 1), *_s(4, 2, -1, "1/2")),
        ("noisy_round", "behind"),
    ),
    _lemma(
        "J-sym",
        "noise: the model is nonnegative with probability at least 1/2 after every round",
        Rational(1, 2),
        _REGIME_2,
        "App. C.2",
        "printed",
        "lower",
        _SIGN,
        blocks.s2,
        _S2,
        ("kinked_regime", "s2"),
    ),
    _lemma(
        "J-inv",
        "noise: recursion of E x^(r)",
        lam0 * N ** Rational(3, 2) * eta**2 * sigma / 120,
        (*_REGIME_2, N >= 4),
        "App. C.2",
        "corrected",
        "lower",
        _GAIN,
        blocks.s2,
        _S2,
        ("kinked_regime", "s2"),
        note="lam0 eta^2 in the last term",
    ),
    _lemma(
        "J-inv-start",
        "noise: E x^(r) stays above X_sigma, r >= 1",
        sigma / (START_NOISE * lam1 * sqrt(N) * R),
        (*_IN_RANGE, N >= 4),
        "App. C.2",
        "printed",
        "lower",
        _LEAST,
        blocks.s2,
        _S2,
        ("kinked_regime", "s2"),
    ),
)

CLAIMS: tuple[Claim, ...] = (*LEMMAS, *ONE_ROUND, *ROUNDS)
