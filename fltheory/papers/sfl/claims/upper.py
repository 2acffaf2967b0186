"""Claims of the upper bounds: Theorem 3, Corollary 4, Theorem 7, partial participation, Theorems 15, 16 and 20."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy

from fltheory.bound import Bound
from fltheory.case import Assumption, Case
from fltheory.claim import Claim
from fltheory.papers.sfl import algorithms, bounds
from fltheory.papers.sfl.data import instances, witnesses
from fltheory.papers.sfl.data.instances import CONVEX, STRONGLY_CONVEX, at_effective_step
from fltheory.papers.sfl.data.tightest import TIGHTEST
from fltheory.papers.sfl.letters import D, K, M, S, eta, mu, sigma, zeta_star
from fltheory.runs import assumptions as assume
from fltheory.runs.measures import AveragedGap, LastDistance, OfRun

CONVEX_CASE = (
    assume.minimised,
    assume.smooth,
    assume.bounded_noise,
    assume.heterogeneity_at_optimum,
    assume.plain_server,
)


def _moves(case: Case) -> str | None:
    """The tuned step of a general convex run is 0 where D = 0, and so is the bound: nothing is run."""
    spread = case.constants.get(sigma, 0) > 0 or case.constants.get(zeta_star, 0) > 0
    return "initial_distance is 0, so the tuned step is 0 too" if spread and not case.constants[D] else None


moving = Assumption("a positive step", _moves)
SC = (*CONVEX_CASE, assume.strongly_convex, assume.full_participation)
GC = (*CONVEX_CASE, assume.convex, assume.full_participation)
SC_PART = (*CONVEX_CASE, assume.strongly_convex, assume.participation)
GC_PART = (*CONVEX_CASE, assume.convex, assume.participation)

UNIFORM = AveragedGap(sympy.Integer(1))
SFL_WEIGHTED = AveragedGap(1 - mu * eta * M * K / 2)
SFL_PART_WEIGHTED = AveragedGap(1 - mu * eta * S * K / 2)
PFL_WEIGHTED = AveragedGap(1 - mu * eta * K / 2)


def family(curved: bool, noise: bool = True, **options: Any) -> Callable[[], Any]:
    """Random quadratic clients with rounds, local steps and step size."""

    def build() -> Any:
        from fltheory.problems.strategies import quadratic_clients, runs

        return runs(quadratic_clients(curved=curved, noise=noise), **options)

    return build


def _cases(instances: Any, relatives: tuple[object, ...], steps: str, **settings: object) -> tuple[Case, ...]:
    return tuple(at_effective_step(i, r, steps, **settings) for i in instances for r in relatives)


def _claim(
    name: str,
    statement: str,
    bound: Bound,
    measure: OfRun,
    algorithm: Any,
    assumptions: tuple[Any, ...],
    cases: tuple[Case, ...],
    draw: Callable[[], Any],
    **more: Any,
) -> Claim:
    name = f"sfl/{name}@{bound.source.reading}"
    return Claim.recorded(
        name,
        statement,
        (bound,),
        measure,
        algorithm,
        assumptions,
        cases=cases,
        family=draw,
        tightest=TIGHTEST.get(name),
        **more,
    )


_LONG = {"n_rounds": 1200, "n_local_steps": 3}
_HALF = {"n_rounds": 1500, "n_local_steps": 2}
_STEPS = ("1/6", "1/60")


def _part(instances: Any, steps: str) -> tuple[Case, ...]:
    """Cases with some of the clients, all but the single-client ones."""
    return tuple(
        at_effective_step(i, r, steps, n_participating=s, **_HALF)
        for i in instances
        for s in range(1, i.n_clients + 1)
        for r in ("1/6", "1/40")
    )


_TUNED: dict[str, Any] = {"step": False, "max_rounds": 10**15}


def _tuned(step: sympy.Expr, factor: sympy.Expr) -> tuple[tuple[Any, sympy.Expr], ...]:
    return ((eta, step / factor),)


def _rounds(instances: Any, rounds: tuple[int, ...], **settings: object) -> tuple[Case, ...]:
    return tuple(Case(i, n_rounds=r, n_local_steps=2, **settings) for i in instances for r in rounds)


# Theorem 3 ------------------------------------------------------------------------------------------------------

_SC_SFL = _cases(STRONGLY_CONVEX, _STEPS, "MK", **_LONG)
_GC_SFL = _cases(CONVEX + STRONGLY_CONVEX[:3], _STEPS, "MK", **_LONG)
_T3_SC_TEXT = "SFL, strongly convex: E[F(x̄) - F*] with weights (1 - μη̃/2)^-(r+1)"
upper_strongly_convex_printed = _claim(
    "T3-SC",
    _T3_SC_TEXT + ", for R >= 6κ and some η̃ <= 1/(6L): the largest",
    bounds.T3_SC_PRINTED,
    SFL_WEIGHTED,
    algorithms.sequential,
    SC,
    _rounds(STRONGLY_CONVEX, (300, 1500)),
    family(True, step=False),
    tuning=_tuned(bounds.LARGEST_STEP, M * K),
)
upper_strongly_convex_literal = _claim(
    "T3-SC",
    _T3_SC_TEXT + ", for R >= 6κ and every η̃ <= 1/(6L)",
    bounds.T3_SC_LITERAL,
    SFL_WEIGHTED,
    algorithms.sequential,
    SC,
    witnesses.T3_SC_LITERAL,
    family(True),
    expected="violated",
    remark="The paper says that there exist such η̃: true at η̃ = 1/(6L). For smaller ones R >= 6κ does not give the "
    "exponential term; the proof needs μη̃R >= 1.",
)
upper_strongly_convex = _claim(
    "T3-SC",
    _T3_SC_TEXT,
    bounds.T3_SC,
    SFL_WEIGHTED,
    algorithms.sequential,
    SC,
    _SC_SFL,
    family(True),
    remark="Loosest in the heterogeneity term (a factor of several hundred), tightest in the optimisation term (about 15).",
)
upper_strongly_convex_sharp = _claim(
    "T3-SC",
    _T3_SC_TEXT + ", for every R",
    bounds.T3_SC_STAR,
    SFL_WEIGHTED,
    algorithms.sequential,
    SC,
    _SC_SFL + _cases(STRONGLY_CONVEX[:2], ("1/6",), "MK", n_rounds=300, n_local_steps=1),
    family(True),
)
_T3_GC_TEXT = "SFL, general convex: E[F(x̄) - F*] with equal weights"
upper_convex = _claim(
    "T3-GC",
    _T3_GC_TEXT,
    bounds.T3_GC,
    UNIFORM,
    algorithms.sequential,
    GC,
    _GC_SFL,
    family(False),
    remark="The tightest instances have curvature about 1/(η̃R): the optimisation term is about 14.6 times too large.",
)
upper_convex_sharp = _claim(
    "T3-GC", _T3_GC_TEXT, bounds.T3_GC_SHARP, UNIFORM, algorithms.sequential, GC, _GC_SFL, family(False)
)

# Corollary 4 ----------------------------------------------------------------------------------------------------

_NO_LOGARITHM = (
    "A step of 1/(μR), or any fixed multiple of it, stops after a fixed number of time constants: the error stays of order "
    "μD², so that it fails for R large enough. The step needs a logarithm. (The paper's ≍ hides polylogarithmic factors; "
    "read so, there exists such a step, but not every one serves.)"
)
tuned_strongly_convex_literal = _claim(
    "C4-SC",
    "SFL, strongly convex, at exactly η̃ = min{1/(6L), 1/(μR)}",
    bounds.C4_SC_LITERAL,
    SFL_WEIGHTED,
    algorithms.sequential,
    SC,
    witnesses.C4_SC_LITERAL,
    family(True, **_TUNED),
    expected="violated",
    tuning=_tuned(bounds.C4_SC_LITERAL_STEP, M * K),
    remark=_NO_LOGARITHM,
)
tuned_strongly_convex = _claim(
    "C4-SC",
    "SFL, strongly convex, at the tuned step",
    bounds.C4_SC,
    SFL_WEIGHTED,
    algorithms.sequential,
    SC,
    _rounds(STRONGLY_CONVEX, (3000, 30_000)),
    family(True, **_TUNED),
    tuning=_tuned(bounds.C4_SC_STEP, M * K),
)
tuned_convex_printed = _claim(
    "C4-GC",
    "SFL, general convex, at the printed step (third candidate with R^(2/3))",
    bounds.C4_GC_PRINTED,
    UNIFORM,
    algorithms.sequential,
    (*GC, assume.uniform_heterogeneity, moving),
    witnesses.C4_GC_PRINTED,
    family(False, **_TUNED),
    expected="violated",
    tuning=_tuned(bounds.C4_GC_PRINTED_STEP, M * K),
    remark="With the printed step the error decays like R^(-1/3), not R^(-2/3): no constant saves it.",
)
tuned_convex = _claim(
    "C4-GC",
    "SFL, general convex, at the tuned step",
    bounds.C4_GC,
    UNIFORM,
    algorithms.sequential,
    (*GC, moving),
    _rounds(CONVEX + STRONGLY_CONVEX[:3], (3000, 10**6)),
    family(False, **_TUNED),
    tuning=_tuned(bounds.C4_GC_STEP, M * K),
    remark="At least 2500 times the value on every case; 14 times where it is vacuous.",
)

# Theorem 7 ------------------------------------------------------------------------------------------------------

_SC_PFL = _cases(STRONGLY_CONVEX, _STEPS, "K", **_LONG)
_GC_PFL = _cases(CONVEX + STRONGLY_CONVEX[:3], _STEPS, "K", **_LONG)
_PFL: dict[str, Any] = {"steps_in_round": "parallel"}
_T7_TEXT = "PFL, strongly convex: E[F(x̄) - F*] with weights (1 - μη̃/2)^-(r+1)"
parallel_strongly_convex = _claim(
    "T7", _T7_TEXT, bounds.T7, PFL_WEIGHTED, algorithms.parallel, SC, _SC_PFL, family(True, **_PFL)
)
parallel_strongly_convex_sharp = _claim(
    "T7",
    _T7_TEXT + ", for every R",
    bounds.T7_STAR,
    PFL_WEIGHTED,
    algorithms.parallel,
    SC,
    _SC_PFL,
    family(True, **_PFL),
)
parallel_convex = _claim(
    "T7-GC",
    "PFL, general convex: E[F(x̄) - F*] with equal weights",
    bounds.T7_GC,
    UNIFORM,
    algorithms.parallel,
    GC,
    _GC_PFL,
    family(False, **_PFL),
)
parallel_strongly_convex_literal = _claim(
    "T7",
    "PFL, strongly convex, at exactly η̃ = min{1/(6L), 1/(μR)}",
    bounds.T7_LITERAL,
    PFL_WEIGHTED,
    algorithms.parallel,
    SC,
    witnesses.T7_LITERAL,
    family(True, **_TUNED),
    expected="violated",
    tuning=_tuned(bounds.C4_SC_LITERAL_STEP, K),
    remark=_NO_LOGARITHM,
)
parallel_strongly_convex_tuned = _claim(
    "T7-tuned",
    "PFL, strongly convex, at the tuned step",
    bounds.T7_TUNED,
    PFL_WEIGHTED,
    algorithms.parallel,
    SC,
    _rounds(STRONGLY_CONVEX, (5000, 50_000)),
    family(True, **_TUNED),
    tuning=_tuned(bounds.T7_TUNED_STEP, K),
)
parallel_convex_tuned = _claim(
    "T7-GC-tuned",
    "PFL, general convex, at the tuned step",
    bounds.T7_GC_TUNED,
    UNIFORM,
    algorithms.parallel,
    (*GC, moving),
    _rounds(CONVEX + STRONGLY_CONVEX[:3], (5000, 10**6)),
    family(False, **_TUNED),
    tuning=_tuned(bounds.T7_GC_TUNED_STEP, K),
    remark="At least 1100 times the value on every case; 14 times where it is vacuous.",
)

# Partial participation ------------------------------------------------------------------------------------------


def _partial(name: str, algorithm: Any, weighted: AveragedGap, factor: sympy.Expr, b: tuple[Any, ...]) -> list[Claim]:
    """The five claims of one protocol: explicit, sharpened, general convex, both tuned."""
    main, star, convex, tuned, step, convex_tuned, convex_step = b
    steps = "SK" if algorithm is algorithms.sequential else "K"
    options: dict[str, Any] = {"participation": True, "steps_in_round": "sequential" if steps == "SK" else "parallel"}
    text = f"{algorithm.name} with S of M clients"
    sc, gc = STRONGLY_CONVEX[:3], CONVEX[:2]
    far = tuple(
        Case(i, n_rounds=r, n_local_steps=2, n_participating=s)
        for i in STRONGLY_CONVEX[:3]
        for s in range(1, i.n_clients + 1)
        for r in (20_000,)
    )
    flat = tuple(
        Case(i, n_rounds=r, n_local_steps=2, n_participating=s)
        for i in (*CONVEX, STRONGLY_CONVEX[2])
        for s in range(1, i.n_clients + 1)
        for r in (20_000, 10**6)
    )
    return [
        _claim(
            name,
            f"{text}, strongly convex",
            main,
            weighted,
            algorithm,
            SC_PART,
            _part(sc, steps),
            family(True, **options),
        ),
        _claim(
            name,
            f"{text}, strongly convex, for every R",
            star,
            weighted,
            algorithm,
            SC_PART,
            _part(sc, steps),
            family(True, **options),
        ),
        _claim(
            f"{name}-GC",
            f"{text}, convex",
            convex,
            UNIFORM,
            algorithm,
            GC_PART,
            _part(gc, steps),
            family(False, **options),
        ),
        _claim(
            f"{name}-tuned",
            f"{text}, strongly convex, at the tuned step",
            tuned,
            weighted,
            algorithm,
            SC_PART,
            far,
            family(True, **{**options, **_TUNED}),
            tuning=_tuned(step, factor),
        ),
        _claim(
            f"{name}-GC-tuned",
            f"{text}, general convex, at the tuned step",
            convex_tuned,
            UNIFORM,
            algorithm,
            (*GC_PART, moving),
            flat,
            family(False, **{**options, **_TUNED}),
            tuning=_tuned(convex_step, factor),
            remark="At least 600 times the value on every case; 14 times where it is vacuous.",
        ),
    ]


partial_sequential = _partial(
    "PP-SFL",
    algorithms.sequential,
    SFL_PART_WEIGHTED,
    S * K,
    (
        bounds.PP_SFL,
        bounds.PP_SFL_STAR,
        bounds.PP_SFL_GC,
        bounds.PP_SFL_TUNED,
        bounds.PP_SFL_TUNED_STEP,
        bounds.PP_SFL_GC_TUNED,
        bounds.PP_SFL_GC_TUNED_STEP,
    ),
)
partial_parallel = _partial(
    "PP-PFL",
    algorithms.parallel,
    PFL_WEIGHTED,
    K,
    (
        bounds.PP_PFL,
        bounds.PP_PFL_STAR,
        bounds.PP_PFL_GC,
        bounds.PP_PFL_TUNED,
        bounds.PP_PFL_TUNED_STEP,
        bounds.PP_PFL_GC_TUNED,
        bounds.PP_PFL_GC_TUNED_STEP,
    ),
)

# Theorem 20 -----------------------------------------------------------------------------------------------------

_QUIET = (*SC, assume.noiseless)
_NOISELESS = STRONGLY_CONVEX[:1] + instances.NOISELESS
last_distance = _claim(
    "C20",
    "SFL, strongly convex: E|x_R - x*|²",
    bounds.C20,
    LastDistance(),
    algorithms.sequential,
    SC,
    _SC_SFL,
    family(True),
)
last_distance_printed = _claim(
    "C20",
    "SFL without noise, strongly convex: E|x_R - x*|²",
    bounds.C20_PRINTED,
    LastDistance(),
    algorithms.sequential,
    _QUIET,
    _cases(_NOISELESS, ("1/6", "1/20"), "MK", **_LONG),
    family(True, noise=False),
    remark="True by coupling two runs with the same orders, though not by the recursion of the proof of Theorem 3. "
    "At least 2200 times the value on every case; 24 times where it is vacuous.",
)
last_distance_sharp = _claim(
    "C20",
    "SFL without noise, strongly convex: E|x_R - x*|²",
    bounds.C20_SHARP,
    LastDistance(),
    algorithms.sequential,
    _QUIET,
    _cases(_NOISELESS, _STEPS, "MK", **_LONG),
    family(True, noise=False),
    remark="At least 2200 times the value on every case; 2 times where it is vacuous.",
)
last_distance_tuned = _claim(
    "C20-tuned",
    "SFL without noise at the tuned step: E|x_R - x*|²",
    bounds.C20_TUNED,
    LastDistance(),
    algorithms.sequential,
    _QUIET,
    _rounds(_NOISELESS, (3000, 30_000)),
    family(True, noise=False, **_TUNED),
    tuning=_tuned(bounds.C20_TUNED_STEP, M * K),
    remark="At least 2400 times the value on every case; 2 times where it is vacuous.",
)

CLAIMS: tuple[Claim, ...] = (
    upper_strongly_convex_printed,
    upper_strongly_convex_literal,
    upper_strongly_convex,
    upper_strongly_convex_sharp,
    upper_convex,
    upper_convex_sharp,
    tuned_strongly_convex_literal,
    tuned_strongly_convex,
    tuned_convex_printed,
    tuned_convex,
    parallel_strongly_convex_literal,
    parallel_strongly_convex,
    parallel_strongly_convex_sharp,
    parallel_convex,
    parallel_strongly_convex_tuned,
    parallel_convex_tuned,
    *partial_sequential,
    *partial_parallel,
    last_distance_printed,
    last_distance,
    last_distance_sharp,
    last_distance_tuned,
)
