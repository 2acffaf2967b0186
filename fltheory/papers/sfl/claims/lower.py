"""Claims of the lower bounds: the regimes of the step size, Theorems 5 and 6, and what the paper quotes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import sympy

from fltheory.bound import Bound
from fltheory.case import Case
from fltheory.claim import Claim
from fltheory.evidence.measured import AtMost
from fltheory.number import BALL, NotRational, Ring, to_ball
from fltheory.papers.sfl import algorithms
from fltheory.papers.sfl.bounds import lower as lb
from fltheory.papers.sfl.claims import lower_lemmas
from fltheory.papers.sfl.data import blocks
from fltheory.papers.sfl.data.blocks import Construction, ScheduledDescent
from fltheory.papers.sfl.exact.coordinates import CoordinatewiseGap
from fltheory.papers.sfl.letters import D, eta, sigma, zeta
from fltheory.papers.sfl.letters import K as n_local_steps
from fltheory.papers.sfl.letters import L as smoothness
from fltheory.papers.sfl.letters import R as n_rounds
from fltheory.problems.separable import QuadraticClients
from fltheory.runs import assumptions as assume
from fltheory.runs.measures import ENERGY, AveragedGap, DirectMeasure, LastGap, OfRun

LAST = CoordinatewiseGap(LastGap())
AVERAGE = CoordinatewiseGap(AveragedGap(sympy.Integer(1)))


def family(name: str, *arguments: Any) -> Callable[[], Any]:
    """A strategy of ``lower_families``, imported when it is wanted."""

    def build() -> Any:
        from fltheory.papers.sfl.data import lower_families

        return getattr(lower_families, name)(*arguments)

    return build


def _built(
    name: str,
    statement: str,
    bound: Bound,
    measure: OfRun,
    construction: Construction,
    cases: tuple[Case, ...],
    draw: Callable[[], Any],
    expected: Any = "holds",
    remark: str = "",
) -> Claim:
    return Claim.recorded(
        f"sfl/{name}@{bound.source.reading}",
        statement,
        (bound,),
        measure,
        algorithms.sequential,
        (construction.assumption, assume.plain_server, assume.full_participation),
        cases=cases,
        family=draw,
        expected=expected,
        kind="lower bound",
        remark=remark,
    )


# Regimes ----------------------------------------------------------------------------------------------------------


def _noisy(construction: Construction, curvature: object, M: int, K: int, R: int, *steps: str) -> tuple[Case, ...]:
    return tuple(
        construction(small_curvature=curvature, noise_std=1, n_clients=M, n_local_steps=K, n_rounds=R, step_size=step)
        for step in steps
    )


def _drifting(construction: Construction, curvature: object, M: int, K: int, R: int, *steps: str) -> tuple[Case, ...]:
    return tuple(
        construction(
            small_curvature=curvature, heterogeneity=1, n_clients=M, n_local_steps=K, n_rounds=R, step_size=step
        )
        for step in steps
    )


def _regime_2(construction: Construction, size: str, M: int, K: int, R: int, *steps: str) -> tuple[Case, ...]:
    fixed: dict[str, object] = {"large_curvature": 1010, "auxiliary_curvature": 1, size: 1}
    return tuple(construction(**fixed, n_clients=M, n_local_steps=K, n_rounds=R, step_size=step) for step in steps)


_ON_S = "SGD on equal clients with noise sigma, last iterate"
_ON_H = "SFL with clients +-zeta x, last iterate"
REGIMES = (
    _built(
        "s1",
        f"{_ON_S}: lam x^2 from sigma / lam, eta <= 1/(102010 lam MKR)",
        lb.S1,
        LastGap(),
        blocks.s1,
        (*_noisy(blocks.s1, 1, 1, 1, 1, "1/102010", "1e-9"), *_noisy(blocks.s1, "1/3", 4, 3, 1000, "1/408040000")),
        family("regime", "s1"),
    ),
    _built(
        "s2",
        f"{_ON_S}: curvature lam0 left and lam0/1010 right of 0, from X_sigma",
        lb.S2,
        LastGap(),
        blocks.s2,
        (
            *_regime_2(blocks.s2, "noise_std", 4, 1, 1, "1/408040", "1/408040"),
            *_regime_2(blocks.s2, "noise_std", 2, 2, 2, "1/816080", "1/408040"),
            *_regime_2(blocks.s2, "noise_std", 4, 2, 1, "1/816080"),
        ),
        family("kinked_regime", "s2"),
        remark="the error is at least 3 000 000 times the bound on every case: the noise does not cancel within a round",
    ),
    _built(
        "s3",
        f"{_ON_S}: lam x^2 / 2 from 0, 1/(101 lam MK) <= eta <= 1/lam",
        lb.S3_PRINTED,
        LastGap(),
        blocks.s3,
        _noisy(blocks.s3, 1, 4, 1, 1, "1/404"),
        family("regime", "s3"),
        "violated",
        "E x^2 is the variance of the noise: at the left end of the range it is about 2 eta / lam times smaller",
    ),
    _built(
        "s3",
        f"{_ON_S}: lam x^2 / 2 from 0, 1/(101 lam MK) <= eta <= 1/lam",
        lb.S3,
        LastGap(),
        blocks.s3,
        (
            *_noisy(blocks.s3, 1, 4, 1, 1, "1/404", "1/20", "1"),
            *_noisy(blocks.s3, 1, 1, 1, 1, "1/101"),
            *_noisy(blocks.s3, 1, 100, 10, 1, "1/101000"),
            *_noisy(blocks.s3, "1/2", 4, 5, 1000, "1/1010"),
        ),
        family("regime", "s3"),
    ),
    _built(
        "s4",
        f"{_ON_S}: lam x^2 from sigma / lam, eta >= 1/lam",
        lb.S4,
        LastGap(),
        blocks.s4,
        (*_noisy(blocks.s4, 1, 4, 2, 3, "1", "2"), *_noisy(blocks.s4, 10, 1, 1, 100, "1/10", "11/100")),
        family("regime", "s4"),
    ),
    _built(
        "h1",
        f"{_ON_H}: lam x^2 from zeta / lam, eta <= 1/(102010 lam MKR)",
        lb.H1,
        LastGap(),
        blocks.h1,
        (*_drifting(blocks.h1, 1, 2, 1, 1, "1/204020", "1e-9"), *_drifting(blocks.h1, 1, 4, 5, 100, "1/204020000")),
        family("regime", "h1"),
    ),
    _built(
        "h2",
        f"{_ON_H}: curvature lam0 left and lam0/1010 right of 0, from X_zeta",
        lb.H2,
        LastGap(),
        blocks.h2,
        (
            *_regime_2(blocks.h2, "heterogeneity", 4, 1, 1, "1/408040"),
            *_regime_2(blocks.h2, "heterogeneity", 4, 2, 3, "1/2448240", "1/816080"),
            *_regime_2(blocks.h2, "heterogeneity", 6, 3, 1, "1/1836180"),
            *_regime_2(blocks.h2, "heterogeneity", 4, 2, 2, "1/1000000"),
        ),
        family("kinked_regime", "h2"),
    ),
    _built(
        "h3",
        f"{_ON_H}: lam x^2 / 2 +- zeta x from 0, 1/(101 lam MK) <= eta <= 1/(lam K)",
        lb.H3,
        LastGap(),
        blocks.h3,
        (
            *_drifting(blocks.h3, 1, 2, 1, 1, "1/202", "1"),
            *_drifting(blocks.h3, 1, 4, 5, 1000, "1/2020", "1/5"),
            *_drifting(blocks.h3, 1, 2, 20, 1, "1/4040"),
            *_drifting(blocks.h3, 1, 40, 20, 1, "1/80800"),
        ),
        family("regime", "h3"),
    ),
    _built(
        "h4",
        f"{_ON_H}: lam x^2 / 2 +- zeta x from 0, 1/(lam K) <= eta <= 1/lam",
        lb.H4,
        LastGap(),
        blocks.h4,
        (*_drifting(blocks.h4, 1, 4, 1, 1, "1"), *_drifting(blocks.h4, 1, 4, 20, 1, "1/20", "1/2", "1")),
        family("regime", "h4"),
    ),
    _built(
        "h5",
        f"{_ON_H}: lam x^2 from zeta / lam, eta >= 1/lam",
        lb.H5,
        LastGap(),
        blocks.h5,
        (*_drifting(blocks.h5, 1, 2, 1, 1, "1", "3/2"), *_drifting(blocks.h5, 10, 4, 5, 10, "1/10")),
        family("regime", "h5"),
    ),
)

_MEAN_STAYS = ("sfl/s1@", "sfl/s2@", "sfl/h1@", "sfl/h2@")
AVERAGES = tuple(
    replace(
        claim,
        id=claim.id.replace("@", "-average@"),
        measure=AVERAGE,
        statement=claim.statement.replace("last iterate", "uniform average (so every weighted one)"),
        remark="the proof keeps the mean of every iterate above the bound, so weights that sum to 1 change nothing"
        + ("; the error is at least 700 000 times the bound on every case" if claim.id.startswith("sfl/s2") else ""),
    )
    for claim in REGIMES
    if claim.id.startswith(_MEAN_STAYS)
)

# Theorem 5 ---------------------------------------------------------------------------------------------------------


def edges(mu: str, M: int, K: int, R: int) -> tuple[sympy.Expr, ...]:
    """The step sizes at which Theorem 5 passes from one regime to the next."""
    unit = 1 / sympy.Rational(mu)
    return (unit / (lb.FIRST * M * K * R), unit / (lb.FIRST * M * K), unit / (1010 * K), unit / 1010, unit)


def _in_reach(relative: sympy.Expr, steps: int) -> bool:
    """Whether the square of (2 eta 1010 mu - 1)^steps stays below 1e250."""
    return bool(relative <= 1 or 2 * steps * math.log10(2 * relative - 1) < 250)


def _every_step(construction: Construction, mu: str, M: int, K: int, R: int, **sizes: object) -> tuple[Case, ...]:
    """One step size at every edge of the regimes, one within each, one far below and one far above."""
    at = edges(mu, M, K, R)
    within = [sympy.Rational(1, 10), *(sympy.Rational(3, 1) * e for e in at)]
    steps = sorted({at[0] * within[0], at[0] * sympy.Rational(1, 10**6), *at, *within[1:], 100 * at[-1]})
    if (
        R > 10
    ):  # beyond 1/(1010 mu) the steepest coordinate grows by |1 - 2020 mu eta| a step: keep it within the floats
        steps = [
            s
            for s in (*steps, *(at[3] * sympy.Rational(p, 10) for p in (5, 11, 15, 20)))
            if _in_reach(s / at[3], M * K * R)
        ]
    return tuple(
        construction(strong_convexity=mu, n_clients=M, n_local_steps=K, n_rounds=R, step_size=s, **sizes) for s in steps
    )


_ANY_STEP = "for every step size there are an instance and a start whose last iterate errs at least so much"
_TWO_NOISY = "sigma is the noise of two of them, sqrt(2) sigma of the sum"
_T5_TEXT = f"{_ANY_STEP} (5 + 1 coordinates; zeta is that of three of them, sqrt(3) zeta of the sum)"
_T5_CASES = (
    *_every_step(blocks.theorem_5, "1", 4, 1, 1, heterogeneity=1, noise_std=0),
    *_every_step(blocks.theorem_5, "1", 4, 2, 100_000, heterogeneity=1, noise_std=0),
    *_every_step(blocks.theorem_5, "1/3", 6, 3, 1000, heterogeneity=2, noise_std="1/10"),
    *_every_step(blocks.theorem_5, "1", 4, 1, 30, heterogeneity=1, noise_std=0),
    *_every_step(blocks.theorem_5, "2", 4, 3, 12, heterogeneity=1, noise_std="1/10"),
)
THEOREM_5 = (
    _built(
        "T5",
        f"{_T5_TEXT}, with a constant as small as the proof's",
        lb.T5_PRINTED,
        LAST,
        blocks.theorem_5,
        _T5_CASES,
        family("theorem_5"),
        remark="the error is at least 5 * 10^18 times the bound on every case",
    ),
    _built(
        "T5",
        _T5_TEXT,
        lb.T5,
        LAST,
        blocks.theorem_5,
        _T5_CASES,
        family("theorem_5"),
        remark="in none of these cases is regime h2 needed: the other coordinates err enough at every step size; "
        "the error is at least 6000 times the bound on every case",
    ),
    _built(
        "T5-noise",
        f"{_ANY_STEP} (4 coordinates, no heterogeneity; {_TWO_NOISY})",
        lb.T5_APPENDIX_NOISE,
        LAST,
        blocks.theorem_5_noise,
        (
            *_every_step(blocks.theorem_5_noise, "1", 4, 1, 1, noise_std=1),
            *_every_step(blocks.theorem_5_noise, "1", 4, 2, 1000, noise_std=1),
        ),
        family("theorem_5_noise"),
        remark="the error is at least 10^17 times the bound on every case",
    ),
)

CLASS_REMARK = (
    "with kappa = 1 every F_m is mu |x - c_m|^2 / 2, and all instances of the same distance, noise and heterogeneity have "
    "the same error: one of them refutes the existence of a worse one. The statement names no least "
    "kappa, and an upper limit on D, without which a far start makes it trivial; at a given D, here at least "
    "2 (sigma + zeta) / mu, so not too near a start, it is false"
)
_DISTANT = QuadraticClients((1, 1, 1, 1), (1, 1, -1, -1), 2)
T5_LITERAL = Claim.recorded(
    "sfl/T5@literal",
    "for all R, K, M >= 4 and every step size, at a given initial distance D, some instance with kappa = 1 errs so much",
    (lb.T5_LITERAL,),
    LastGap(),
    algorithms.sequential,
    (
        assume.smooth,
        assume.minimised,
        assume.bounded_noise,
        assume.uniform_heterogeneity,
        assume.full_participation,
        assume.plain_server,
    ),
    cases=(Case(_DISTANT, n_rounds=200_000, n_local_steps=1, step_size="1/44000"),),
    family=family("kappa_one"),
    expected="violated",
    kind="lower bound",
    remark=CLASS_REMARK,
)
T5_LITERAL_PROOF = replace(
    T5_LITERAL,
    id="sfl/T5-proof-constant@literal",
    bounds=(lb.T5_LITERAL_PROOF,),
    cases=(Case(_DISTANT, n_rounds=10**24, n_local_steps=3, step_size="1/100000000000000000000000"),),
)


def _noise_case(M: int, K: int, R: int, step: str) -> Case:
    return Case(QuadraticClients((1,) * M, (0,) * M, 1, noise_std=1), n_local_steps=K, n_rounds=R, step_size=step)


def _scheduled_error(case: Case, ring: Ring) -> Any:
    schedule: Any = case.instance
    return ring.scalar(schedule.error())


_NOISE_CASES = (_noise_case(1, 1, 1, "1/2"), _noise_case(4, 2, 10, "1/50"), _noise_case(2, 3, 10_000, "1/100"))
NOISE = (
    Claim.recorded(
        "sfl/T5-noise@sharpened",
        "mu x^2 / 2 with noise +-sigma from sigma / mu: last iterate, every constant step",
        (lb.NOISE_ONLY,),
        LastGap(),
        algorithms.sequential,
        (
            Construction("the noise term", blocks.noise_coordinate).assumption,
            assume.plain_server,
            assume.full_participation,
        ),
        cases=_NOISE_CASES,
        family=family("noise_term"),
        kind="lower bound",
        remark="equality at MKR = 1, eta mu = 1/2",
    ),
    Claim.recorded(
        "sfl/T6-noise@sharpened",
        "mu x^2 / 2 with noise +-sigma from sigma / mu: uniform average, every constant step",
        (lb.NOISE_ONLY,),
        AveragedGap(sympy.Integer(1)),
        algorithms.sequential,
        (
            Construction("the noise term", blocks.noise_coordinate).assumption,
            assume.plain_server,
            assume.full_participation,
        ),
        cases=_NOISE_CASES,
        family=family("noise_term"),
        kind="lower bound",
    ),
    Claim.recorded(
        "sfl/T5-schedule@sharpened",
        "the same for every deterministic step sequence and every weighted average",
        (lb.NOISE_ONLY,),
        DirectMeasure("E[F(x̄) - F*]", _scheduled_error, ENERGY),
        cases=(
            Case(ScheduledDescent(1, 1, ("1/2",), (0, 1))),
            Case(ScheduledDescent(1, 1, (0,) * 4, (1, 0, 0, 0, 0))),
            Case(ScheduledDescent(2, 3, ("1/4", "1/6", "1/8", "1/10"), (0, 0, 0, 0, 1))),
            Case(ScheduledDescent(1, 1, (1, "1/2", "1/3"), (1, 2, 0, 5))),
        ),
        family=family("schedules"),
        kind="lower bound",
        remark="equality at steps 1/(mu (t + 2)), last iterate",
    ),
)

# Theorem 6 ---------------------------------------------------------------------------------------------------------


def _theorem_6(kappa: int, M: int, K: int, R: int, *parts: object, **sizes: object) -> tuple[Case, ...]:
    """Step sizes as parts of the largest allowed one, 1/(101 L M K)."""
    top = sympy.Rational(1, lb.CAP * kappa * M * K)
    return tuple(
        blocks.theorem_6_sc(
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
        blocks.theorem_6_gc(
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
THEOREM_6 = (
    _built(
        "T6-SC",
        f"{_SMALL_STEPS}: uniform average{_SC_NOTE}",
        lb.T6_SC,
        AVERAGE,
        blocks.theorem_6_sc,
        _SC_CASES,
        family("theorem_6_sc"),
    ),
    replace(
        _built(
            "T6-SC-last",
            f"{_SMALL_STEPS}: last iterate, all weight on it{_SC_NOTE}",
            lb.T6_SC,
            LAST,
            blocks.theorem_6_sc,
            _SC_CASES,
            family("theorem_6_sc"),
        )
    ),
    _built(
        "T6-GC",
        f"{_SMALL_STEPS}: uniform average ({_GC_NOTE})",
        lb.T6_GC,
        AVERAGE,
        blocks.theorem_6_gc,
        _theorem_6_gc(4, 1, 132_651, 1, "1/1000", "1/1000000000", noise_std=2, heterogeneity=2),
        family("theorem_6_gc"),
    ),
    _built(
        "T6-GC-drift",
        f"{_SMALL_STEPS}, no noise: uniform average",
        lb.T6_GC_DRIFT,
        AVERAGE,
        blocks.theorem_6_gc,
        _theorem_6_gc(4, 1, 132_651, 1, "1/1000", "1/1000000000", noise_std=0, heterogeneity=2),
        family("theorem_6_gc", True),
        remark="the error is at least 2 * 10^18 times the bound on every case",
    ),
)


def _class_error(case: Case, ring: Ring) -> AtMost:
    """At most L/2 sup E|x - x*|^2 over the class: no round adds more to E|x - x*|^2 than the noise and drift terms of U6."""
    if ring is not BALL:
        raise NotRational
    value = {s: to_ball(v) for s, v in case.constants.items()}
    clients: Any = case.instance
    L, M, K, R = value[smoothness], clients.n_clients, value[n_local_steps], value[n_rounds]
    step = value[eta] * M * K
    noise = value[sigma] ** 2 / (M * K)
    drift = noise + value[zeta] ** 2 / M  # zeta_* <= zeta in the class
    square = value[D] ** 2 + R * (4 * step**2 * noise + 6 * L * step**3 * drift)
    return AtMost(L / 2 * square)


T6_GC_PRINTED = Claim.recorded(
    "sfl/T6-GC@printed",
    "some convex instance with these constants errs at least so much (uniform average)",
    (lb.T6_GC_PRINTED,),
    DirectMeasure("E[F(x̄) - F*] of any instance", _class_error, ENERGY),
    None,
    (assume.smooth, assume.convex, assume.minimised, assume.uniform_heterogeneity, assume.bounded_noise),
    cases=(
        Case(
            QuadraticClients((1, 1, 1, 1), (2, 2, -2, -2), 1, noise_std=2 * 10**12),
            n_local_steps=1,
            n_rounds=51**3 * 10**12,
            step_size="1e-24",
        ),
    ),
    family=family("large_noise"),
    expected="violated",
    kind="lower bound",
    remark="the first term grows with the noise beyond L D^2 / 2, which no instance reaches at small steps",
)

# Quoted ------------------------------------------------------------------------------------------------------------

EXTERNAL = tuple(
    Claim.recorded(f"sfl/{name}@printed", f"random reshuffling (Cha et al.): {text}", (bound,), kind="external")
    for name, text, bound in (
        ("T17", "last iterate, R >= 161 kappa", lb.T17_LONG),
        ("T17-short", "last iterate, R < 161 kappa", lb.T17_SHORT),
        ("T18-SC", "weighted averages, strongly convex", lb.T18_SC),
        ("T18-GC", "weighted averages, general convex", lb.T18_GC),
    )
)

CLAIMS: tuple[Claim, ...] = (
    *REGIMES,
    *AVERAGES,
    *THEOREM_5,
    T5_LITERAL,
    T5_LITERAL_PROOF,
    *NOISE,
    *THEOREM_6,
    T6_GC_PRINTED,
    *EXTERNAL,
    *lower_lemmas.CLAIMS,
)
