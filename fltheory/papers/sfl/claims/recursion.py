"""The inequalities behind the upper bounds: pointwise U1, U2, sampling U3, rounds U4-U6, U9-U12, averages U7, U8.

The paper cites its earlier version for most of them; the constants are reconstructed.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import sympy

from fltheory.bound import Dimension
from fltheory.case import Assumption, Case
from fltheory.claim import Claim
from fltheory.number import Ring
from fltheory.papers.sfl import letters
from fltheory.papers.sfl.bounds import lemmas as formula
from fltheory.papers.sfl.claims.direct import claim, drawn, of_instance
from fltheory.papers.sfl.data.instances import CONVEX, STRONGLY_CONVEX, at_effective_step, table_2
from fltheory.papers.sfl.data.lemma_instances import Points, Recursion, Vectors, difference, squared
from fltheory.papers.sfl.exact.one_round import Round, local_models, one_round
from fltheory.problems.cosine import CosineClients
from fltheory.runs import assumptions as assume
from fltheory.runs.measures import ENERGY, GRADIENT_SQUARED, LENGTH_SQUARED, DirectMeasure, in_ring


def _convex(case: Case) -> str | None:
    curved = case.constants.get(letters.mu, 0) > 0
    return (assume.strongly_convex if curved else assume.convex).check(case)


convex = Assumption("every client is strongly convex, or convex where strong_convexity is 0", _convex)
CONVEX_CASE = (assume.minimised, assume.smooth, assume.bounded_noise, assume.heterogeneity_at_optimum, convex)
PLAIN = (*CONVEX_CASE, assume.full_participation, assume.plain_server)
PART = (*CONVEX_CASE, assume.participation, assume.plain_server)
NC = (assume.smooth, assume.bounded_noise, assume.uniform_heterogeneity, assume.full_participation)


# U1, U2 ---------------------------------------------------------------------------------------------------------


def _perturbed(p: Points) -> Fraction:
    """h(z) - h(y) - <grad h(x), z - y> + mu |y - z|^2 / 4."""
    step = difference(p.z, p.y)
    inner = sum((g * s for g, s in zip(p.gradient(p.x), step, strict=True)), Fraction(0))
    mu = Fraction(min((*p.left, *p.right)))
    return p.value(p.z) - p.value(p.y) - inner + mu * squared(step) / 4


_POINTS = (
    Points((1, "1/10"), (1, "1/10"), (0, 1), (1, 2), (-1, 0), (0, 3)),
    Points(1, "1/100", 0, -1, 0, 2),
    Points("1/100", 1, 0, 1, 0, "1/2"),
    Points((0, 1), (1, "1/2"), (1, -1), (3, -1), (-2, 1), (1, 1)),
    Points(1, 1, 0, 1, 2, 0),  # no slack: mu = L and y - z = 2 (x - z)
)
_AT_POINTS = tuple(Case(p) for p in _POINTS)
perturbed_convexity = claim(
    "U1",
    "h L-smooth, μ-strongly convex: h(z) - h(y) - <∇h(x), z - y> + μ|y - z|²/4 <= L|z - x|²",
    formula.U1,
    of_instance("h(z) - h(y) - <∇h(x), z-y> + μ|y-z|²/4", _perturbed, ENERGY),
    _AT_POINTS,
    drawn("points"),
)
cocoercivity = claim(
    "U2",
    "h convex, L-smooth: |∇h(x) - ∇h(y)|² <= 2L (h(x) - h(y) - <∇h(y), x - y>)",
    formula.U2,
    of_instance("|∇h(x) - ∇h(y)|²", lambda p: squared(difference(p.gradient(p.x), p.gradient(p.y))), GRADIENT_SQUARED),
    _AT_POINTS,
    drawn("points"),
)

# U3 -------------------------------------------------------------------------------------------------------------


def _mean_over_orders(value: Callable[[tuple[tuple[Fraction, ...], ...]], Fraction], rows: Any, size: int) -> Fraction:
    orders = list(itertools.permutations(rows, size))
    return sum((value(order) for order in orders), Fraction(0)) / len(orders)


def _sampled_mean(case: Case, ring: Ring) -> Any:
    draws = int(case.constants[letters.n_draws])
    instance: Any = case.instance
    value = _mean_over_orders(lambda order: squared(_total(order)) / draws**2, instance.centred, draws)
    return ring.scalar(value)


def _total(vectors: Any) -> list[Fraction]:
    return [sum(column, Fraction(0)) for column in zip(*vectors, strict=True)]


def _pair(case: Case, ring: Ring) -> Any:
    instance: Any = case.instance

    def inner(order: Any) -> Fraction:
        return sum((p * q for p, q in zip(*order, strict=True)), Fraction(0))

    return ring.scalar(_mean_over_orders(inner, instance.centred, 2))


def block_sum(case: Case, ring: Ring) -> Any:
    """sum_{m <= S, k < K} E|K sum_{i < m} X_i + k X_m|^2 by enumeration of the first S clients."""
    instance: Any = case.instance
    steps = int(case.constants[letters.K])
    size = int(case.constants.get(letters.S, len(instance.clients)))

    def along(order: Any) -> Fraction:
        total, found = [Fraction(0)] * len(order[0]), Fraction(0)
        for vector in order:
            found += sum(
                (squared(steps * t + k * v for t, v in zip(total, vector, strict=True)) for k in range(steps)),
                Fraction(0),
            )
            total = [t + v for t, v in zip(total, vector, strict=True)]
        return found

    return ring.scalar(_mean_over_orders(along, instance.centred, size))


_CLOUDS = (
    Vectors((1, -1)),
    Vectors((3, -2, 0)),
    Vectors(((1, 0), (-1, 2), (0, 0), (2, -5))),
    Vectors((1, 1, 1, -1, -2)),
)
_DRAWS = tuple(Case(v, n_draws=n) for v in _CLOUDS for n in (1, 2))
_BLOCKS = tuple(Case(v, n_local_steps=k) for v in _CLOUDS for k in (1, 3))
_PARTS = tuple(
    Case(v, n_local_steps=3, n_participating=s) for v in _CLOUDS for s in (1, 2, len(v.clients)) if s <= len(v.clients)
)
_BLOCK = DirectMeasure("Σ E|K Σ_{i<m} X_i + k X_m|²", block_sum, GRADIENT_SQUARED)
sampling = claim(
    "U3",
    "n draws without replacement: E|mean of draws - mean|² = (M - n) ζ²/(n (M - 1))",
    formula.U3,
    DirectMeasure("E|X̄_n - X̄|²", _sampled_mean, GRADIENT_SQUARED),
    _DRAWS,
    drawn("vectors", draws=True),
)
sampling_pair = claim(
    "U3-pair",
    "two draws without replacement: E<X_i - X̄, X_j - X̄> = -ζ²/(M - 1)",
    formula.U3_PAIR,
    DirectMeasure("E<X_i - X̄, X_j - X̄>", _pair, GRADIENT_SQUARED),
    tuple(Case(v) for v in _CLOUDS),
    drawn("vectors"),
)
_BLOCK_TEXT = "zero-sum X: Σ_{m<=M, k<K} E|K Σ_{i<m} X_i + k X_m|²"
block_sum_bound = claim(
    "U3b",
    _BLOCK_TEXT + " <= M²K³ζ²/2",
    formula.U3B,
    _BLOCK,
    _BLOCKS,
    drawn("vectors", steps=True),
    (assume.full_participation,),
)
block_sum_identity = claim(
    "U3b",
    _BLOCK_TEXT + " = MK(K²M + 1)ζ²/6",
    formula.U3B_SHARP,
    _BLOCK,
    _BLOCKS,
    drawn("vectors", steps=True),
    (assume.full_participation,),
    remark="The proof uses three times as much.",
)
_PART_TEXT = "S of M clients: Σ_{m<=S, k<K} E|K Σ_{i<m} X_i + k X_m|²"
block_sum_part = claim(
    "U3b-part", _PART_TEXT + " <= S²K³ζ²/2", formula.U3B_PART, _BLOCK, _PARTS, drawn("vectors", steps=True, part=True)
)
block_sum_part_identity = claim(
    "U3b-part",
    _PART_TEXT + ", exactly",
    formula.U3B_PART_SHARP,
    _BLOCK,
    _PARTS,
    drawn("vectors", steps=True, part=True),
)

# One round ------------------------------------------------------------------------------------------------------


def after_round(
    name: str,
    value: Callable[[Round], Any],
    dimension: Dimension,
    parallel: bool = False,
    drift: sympy.Expr | None = None,
) -> DirectMeasure:
    """A quantity of one round; ``drift``: minus this coefficient times the drift."""

    def compute(case: Case, ring: Ring) -> Any:
        found = one_round(case, ring, parallel)
        measured = value(found)
        return measured if drift is None else measured - in_ring(drift, case, ring) * found.drift

    return DirectMeasure(name, compute, dimension)


def _distance(found: Round) -> Any:
    return found.distance


def _gap(found: Round) -> Any:
    return found.gap


def _drift(found: Round) -> Any:
    return found.drift


_LOCAL = {"n_local_steps": 3}
_TASKS = (table_2(4, 1), table_2(5, -2))


def _round_cases(
    steps: str, instances: Any = (*STRONGLY_CONVEX[:4], *CONVEX, *_TASKS), **more: Any
) -> tuple[Case, ...]:
    return tuple(
        at_effective_step(i, relative, steps, **_LOCAL, **more) for i in instances for relative in ("1/6", "1/60")
    )


def _part_cases(steps: str) -> tuple[Case, ...]:
    return tuple(
        at_effective_step(i, "1/6", steps, n_participating=s, n_local_steps=2)
        for i in (STRONGLY_CONVEX[1], STRONGLY_CONVEX[2], CONVEX[2], table_2(5, -2))
        for s in range(1, i.n_clients + 1)
    )


_SFL, _PFL = _round_cases("MK"), _round_cases("K")
_COSINES = (CosineClients.balanced(2, "1/2", 1, 2), CosineClients.balanced(4, "1/3", "1/2", "1/2"))
_SFL_NC, _PFL_NC = _SFL + _round_cases("MK", _COSINES), _PFL + _round_cases("K", _COSINES)
_SERVER = _round_cases("MK", server_step_size=2) + _round_cases("MK", (*CONVEX[:1], *_COSINES), server_step_size=1)
_SERVER_PFL = _round_cases("K", server_step_size=2) + _round_cases("K", (*CONVEX[:1], *_COSINES), server_step_size=1)
_ANY, _ANY_PFL = drawn("rounds"), drawn("rounds", steps="parallel")
_X1, _DRIFT, _F1 = "E|x₁ - x*|²", "Σ E|x_{m,k} - x|²", "E F(x₁) - F*"
_DRIFT_MEASURE = after_round(_DRIFT, _drift, LENGTH_SQUARED)
_DRIFT_PARALLEL = after_round(_DRIFT, _drift, LENGTH_SQUARED, True)

ROUNDS = (
    claim(
        "U4",
        "SFL, one round: E|x₁ - x*|² - (8/3)Lη·drift",
        formula.U4,
        after_round(_X1 + " - (8/3)Lη·drift", _distance, LENGTH_SQUARED, drift=formula.U4_DRIFT),
        _SFL,
        _ANY,
        PLAIN,
    ),
    claim("U5", "SFL, convex: drift of the local models in a round", formula.U5, _DRIFT_MEASURE, _SFL, _ANY, PLAIN),
    claim(
        "U6", "SFL, one round: E|x₁ - x*|²", formula.U6, after_round(_X1, _distance, LENGTH_SQUARED), _SFL, _ANY, PLAIN
    ),
    claim(
        "U9",
        "SFL with a server step, one round: E F(x₁) - F* - (5/6)ηγL²·drift",
        formula.U9,
        after_round(_F1 + " - (5/6)ηγL²·drift", _gap, ENERGY, drift=formula.U9_DRIFT),
        _SERVER,
        drawn("rounds", server=True),
        NC,
    ),
    claim(
        "U10",
        "SFL, uniform heterogeneity: drift of the local models in a round",
        formula.U10,
        _DRIFT_MEASURE,
        _SFL_NC,
        _ANY,
        NC,
    ),
    claim(
        "U11-drift",
        "PFL, convex: drift of the local models in a round",
        formula.U11_DRIFT,
        _DRIFT_PARALLEL,
        _PFL,
        _ANY_PFL,
        PLAIN,
    ),
    claim(
        "U11-round",
        "PFL, one round: E|x₁ - x*|² - (8/3)(Lη/M)·drift",
        formula.U11_ROUND,
        after_round(_X1 + " - (8/3)(Lη/M)·drift", _distance, LENGTH_SQUARED, True, formula.U11_ROUND_DRIFT),
        _PFL,
        _ANY_PFL,
        PLAIN,
    ),
    claim(
        "U11",
        "PFL, one round: E|x₁ - x*|²",
        formula.U11,
        after_round(_X1, _distance, LENGTH_SQUARED, True),
        _PFL,
        _ANY_PFL,
        PLAIN,
    ),
    claim(
        "U11-NC-drift",
        "PFL, uniform heterogeneity: drift of the local models in a round",
        formula.U11_NC_DRIFT,
        _DRIFT_PARALLEL,
        _PFL_NC,
        _ANY_PFL,
        NC,
    ),
    claim(
        "U11-NC-round",
        "PFL with a server step, one round: E F(x₁) - F* - (5/6)(ηγL²/M)·drift",
        formula.U11_NC_ROUND,
        after_round(_F1 + " - (5/6)(ηγL²/M)·drift", _gap, ENERGY, True, formula.U11_NC_ROUND_DRIFT),
        _SERVER_PFL,
        drawn("rounds", steps="parallel", server=True),
        NC,
    ),
    claim(
        "U12-SFL",
        "SFL with S of M clients, one round: E|x₁ - x*|²",
        formula.U12_SFL,
        after_round(_X1, _distance, LENGTH_SQUARED),
        _part_cases("SK"),
        drawn("rounds", participation=True),
        PART,
    ),
    claim(
        "U12-PFL",
        "PFL with S of M clients, one round: E|x₁ - x*|²",
        formula.U12_PFL,
        after_round(_X1, _distance, LENGTH_SQUARED, True),
        _part_cases("K"),
        drawn("rounds", steps="parallel", participation=True),
        PART,
    ),
    claim(
        "U12-SFL-drift",
        "SFL with S of M clients: drift of the local models in a round",
        formula.U12_SFL_DRIFT,
        _DRIFT_MEASURE,
        _part_cases("SK"),
        drawn("rounds", participation=True),
        PART,
    ),
    claim(
        "U12-PFL-drift",
        "PFL with S of M clients: drift of the local models in a round",
        formula.U12_PFL_DRIFT,
        _DRIFT_PARALLEL,
        _part_cases("K"),
        drawn("rounds", steps="parallel", participation=True),
        PART,
    ),
)

# The proof sketch of Theorem 3 ----------------------------------------------------------------------------------


def _linearised(case: Case, ring: Ring) -> Any:
    """The largest |x_1 - x + eta sum_{m,k} Hess F_m (x_{m,k} - x)|^2 over the orders."""
    instance: Any = case.instance
    _, models, orders, new = local_models(case, ring, noisy=False)
    eta = ring.scalar(case.constants[letters.eta])
    start = [ring.scalar(v) for v in instance.start]
    worst = ring.scalar(0)
    for course, order in enumerate(orders):
        total = ring.scalar(0)
        for i in range(instance.dim):
            moved = new[course, i] - start[i]
            for position, client in enumerate(order):
                hessian = ring.scalar(instance.curvatures[client][i])
                for model in models[course, position, :, i]:
                    moved = moved + eta * hessian * (model - start[i])
            total = total + moved * moved
        worst = max(worst, total) if ring.name == "RATIONAL" else worst.max(total)
    return worst


_SMOOTH_ONES = (*STRONGLY_CONVEX[1:4], *CONVEX)
_CENTRED = (table_2(2, 0), table_2(3, 0), table_2(6, 0))
SKETCH = (
    claim(
        "T3-sketch",
        "quadratic clients, every order: |x₁ - x + η Σ_{m,k} ∇²F_m (x_{m,k} - x)|² = η̃² |∇F(x)|²",
        formula.SKETCH_UPDATE,
        DirectMeasure("max |x₁ - x + η Σ ∇²F_m (x_{m,k} - x)|²", _linearised, LENGTH_SQUARED),
        _round_cases("MK", _SMOOTH_ONES),
        drawn("rounds", piecewise=False),
        PLAIN,
        mode="surely",
    ),
    claim(
        "T3-sketch-drift",
        "SFL started at the minimiser, no noise: drift of a round",
        formula.SKETCH_DRIFT,
        _DRIFT_MEASURE,
        _round_cases("MK", _CENTRED),
        drawn("at_the_minimiser"),
        (*PLAIN, assume.noiseless),
        remark="As η -> 0 the constant is 1/6 + 1/(6 K² M), by U3b.",
    ),
)

# U7, U8 ---------------------------------------------------------------------------------------------------------

_AVERAGE = DirectMeasure(
    "Σ w_r f_r / Σ w_r",
    lambda case, ring: case.instance.weighted_average(case, ring),
    ENERGY,  # type: ignore[attr-defined]
)
_SHARP = Recursion("1/2", "1/3", 4, 6, 1)
_WASTEFUL = Recursion("1/20", "1/3", "1/100", 0, 3, ("1/2", 0, 1, "1/2"))
_SILENT = Recursion("1/2", "1/3", 0, 0, 1, (0, 1))
_FLAT = Recursion(0, "1/3", 4, 6, 1)
_STEPPED = tuple(
    Case(i, effective_step_size=e, n_rounds=r)
    for i in (_SHARP, _WASTEFUL, _SILENT)
    for e, r in (("1/6", 12), ("1/100", 400))
)
_LONG_ENOUGH = tuple(
    Case(i, effective_step_size="1/6", n_rounds=r) for i in (_SHARP, _WASTEFUL, _SILENT) for r in (60, 400)
)
_AVERAGING = "d_{r+1} <= (1 - aη)d_r - bf_rη + c₁η² + c₂η³, weights (1 - aη)^-(r+1): Σ w_r f_r / Σ w_r"
# The largest average that the recursion allows (test: the average of the sequence with shares 0, ..., 0, 1 is this).
_WORST = DirectMeasure("largest Σ w_r f_r / Σ w_r", lambda case, ring: in_ring(formula.AVERAGED, case, ring), ENERGY)
_WORST_FLAT = DirectMeasure(
    "largest Σ f_r / (R + 1)", lambda case, ring: in_ring(formula.AVERAGED_FLAT, case, ring), ENERGY
)
_TUNED = tuple(
    Case(i, max_step_size="1/6", n_rounds=r) for i in (_SHARP, _WASTEFUL, _SILENT) for r in (100, 1000, 10**6)
)
_TUNED_FLAT = tuple(
    Case(i, max_step_size="1/6", n_rounds=r)
    for i in (_FLAT, Recursion(0, 1, 0, 2, 3), Recursion(0, 1, 0, 0, 3))
    for r in (1, 100, 10**6)
)
AVERAGES = (
    claim("U7", _AVERAGING, formula.U7_SHARP, _AVERAGE, _STEPPED, drawn("recursions"), remark="Attained."),
    claim(
        "U7",
        _AVERAGING + ", provided aηR >= 1/2",
        formula.U7,
        _AVERAGE,
        _LONG_ENOUGH,
        drawn("recursions"),
        remark="The proviso is needed: without it the first term fails, for example at aηR = 0.4, R = 10^4.",
    ),
    claim(
        "U7t",
        "the largest average at η = min{η_max, ℓ/(aR)}",
        formula.U7T,
        _WORST,
        _TUNED,
        drawn("recursions", tuned=True),
        tuning=((letters.eta_eff, formula.U7T_STEP),),
    ),
    claim(
        "U8",
        "d_{r+1} <= d_r - bf_rη + c₁η² + c₂η³: Σ f_r / (R + 1)",
        formula.U8,
        _AVERAGE,
        tuple(
            Case(i, effective_step_size=e, n_rounds=r)
            for i in (_FLAT, Recursion(0, 1, 1, 0, 2, ("1/2", 0)))
            for e, r in (("1/6", 12), ("1/100", 200))
        ),
        drawn("recursions", flat=True),
        remark="Attained.",
    ),
    claim(
        "U8t",
        "the largest average at η = min{η_max, (d₀/(c₁R))^(1/2), (d₀/(c₂R))^(1/3)}",
        formula.U8T,
        _WORST_FLAT,
        _TUNED_FLAT,
        drawn("recursions", flat=True, tuned=True),
        tuning=((letters.eta_eff, formula.U8T_STEP),),
    ),
)

CLAIMS: tuple[Claim, ...] = (
    perturbed_convexity,
    cocoercivity,
    sampling,
    sampling_pair,
    block_sum_bound,
    block_sum_identity,
    block_sum_part,
    block_sum_part_identity,
    *ROUNDS,
    *SKETCH,
    *AVERAGES,
)
