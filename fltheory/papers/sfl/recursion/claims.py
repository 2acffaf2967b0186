"""The inequalities behind the upper bounds: pointwise U1, U2, sampling U3, rounds U4-U6, U9-U12, averages U7, U8.

The paper cites its earlier version for most of them; the constants are reconstructed.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

import sympy
from sympy import Eq, Rational

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Constants, Statement, formula_measure, quantity
from fltheory.model.bound import Dimension
from fltheory.model.case import Assumption, Case, FederatedInstance
from fltheory.model.schema import count
from fltheory.number import Number, Ring
from fltheory.papers.sfl import algorithms
from fltheory.papers.sfl.bounds import SFL_STEP, SMALL_STEP
from fltheory.papers.sfl.instances.lemmas import Points, Recursion, Vectors, difference, inner, squared_norm
from fltheory.papers.sfl.instances.quadratics import CONVEX, STRONGLY_CONVEX, at_effective_step, table_2
from fltheory.papers.sfl.notation import D, G, K, M, eta, eta_eff, zeta_star
from fltheory.papers.sfl.paper import PAPER, strategies
from fltheory.papers.sfl.recursion import bounds as formula
from fltheory.papers.sfl.recursion.closed_forms import Round, local_models, one_round
from fltheory.problems.cosine import CosineClients
from fltheory.problems.separable import QuadraticClients
from fltheory.runs import assumptions as assume
from fltheory.runs.measures import (
    ENERGY,
    GRADIENT_SQUARED,
    LENGTH_SQUARED,
    DirectMeasure,
    LastDistance,
    OneRoundMeasure,
    evaluate_in_ring,
)
from fltheory.work import charge_each

CONVEX_CASE = (assume.minimiser_exists, assume.smooth, assume.bounded_noise, assume.heterogeneity_at_optimum,
    assume.convex_so_far)
PLAIN = (*CONVEX_CASE, assume.full_participation, assume.plain_server)
PART = (*CONVEX_CASE, assume.participation, assume.plain_server)
NC = (assume.smooth, assume.bounded_noise, assume.uniform_heterogeneity, assume.full_participation)

# U1, U2 ---------------------------------------------------------------------------------------------------------

POINTS = (
    Points((1, "1/10"), (1, "1/10"), (0, 1), (1, 2), (-1, 0), (0, 3)),
    Points(1, "1/100", 0, -1, 0, 2),
    Points("1/100", 1, 0, 1, 0, "1/2"),
    Points((0, 1), (1, "1/2"), (1, -1), (3, -1), (-2, 1), (1, 1)),
    Points(1, 1, 0, 1, 2, 0),  # no slack: mu = L and y - z = 2 (x - z)
)
AT_POINTS = tuple(Case(p) for p in POINTS)


def perturbed(one: Points, c: Constants) -> Fraction:
    step = difference(one.z, one.y)
    curvature = Fraction(min((*one.left, *one.right)))
    return one.value(one.z) - one.value(one.y) - inner(one.gradient(one.x), step) + curvature * squared_norm(step) / 4


POINTWISE = (
    PAPER.lemma("U1", formula.PLACE, "h(z) - h(y) - <∇h(x), z-y> + μ|y-z|²/4", perturbed, ENERGY, cases=AT_POINTS).explicit(
        "h L-smooth, μ-strongly convex: h(z) - h(y) - <∇h(x), z - y> + μ|y - z|²/4 <= L|z - x|²", formula.U1),
    PAPER.lemma("U2", formula.PLACE, "|∇h(x) - ∇h(y)|²",
        lambda one, c: squared_norm(difference(one.gradient(one.x), one.gradient(one.y))), GRADIENT_SQUARED,
        cases=AT_POINTS).explicit("h convex, L-smooth: |∇h(x) - ∇h(y)|² <= 2L (h(x) - h(y) - <∇h(y), x - y>)", formula.U2),
)

# U3 -------------------------------------------------------------------------------------------------------------

Rows = Sequence[Sequence[Fraction]]
CLOUDS = (
    Vectors((1, -1)),
    Vectors((3, -2, 0)),
    Vectors(((1, 0), (-1, 2), (0, 0), (2, -5))),
    Vectors((1, 1, 1, -1, -2)),
)


def mean_over_orders(value: Callable[[Rows], Fraction], rows: Rows, size: int) -> Fraction:
    """Return the mean of a function of ``size`` rows in order over all draws without replacement."""
    orders = list(charge_each(itertools.permutations(rows, size)))
    return sum((value(order) for order in orders), Fraction(0)) / len(orders)


def sampled(one: Vectors, c: Constants) -> Fraction:
    draws = int(c.n_draws)

    def of_mean(order: Rows) -> Fraction:
        return squared_norm(sum(column, Fraction(0)) for column in zip(*order, strict=True)) / draws**2

    return mean_over_orders(of_mean, one.centred, draws)


def _block_sum(one: Vectors, c: Constants) -> Fraction:
    size = int(vars(c).get("n_participating", len(one.clients)))
    return mean_over_orders(lambda order: block_sum_in_order(order, int(c.n_local_steps)), one.centred, size)


block_sum = PAPER.lemma("U3b", formula.PLACE, "Σ E|K Σ_{i<m} X_i + k X_m|²", _block_sum, GRADIENT_SQUARED,
    cases=tuple(Case(v, n_local_steps=k) for v in CLOUDS for k in (1, 3)), assumptions=(assume.full_participation,),
    family=Vectors.drawn(2, 4, settings={"n_local_steps": count(1, 5)}))


def block_sum_in_order(order: Rows, steps: int) -> Fraction:
    """Σ_{m,k} |K Σ_{i<m} X_i + k X_m|² in one order of the clients."""
    total, found = [Fraction(0)] * len(order[0]), Fraction(0)
    for vector in order:
        for k in range(steps):
            found += squared_norm(steps * t + k * v for t, v in zip(total, vector, strict=True))
        total = [t + v for t, v in zip(total, vector, strict=True)]
    return found


some_blocks = block_sum.restated("U3b-part",
    cases=tuple(Case(v, n_local_steps=3, n_participating=s) for v in CLOUDS for s in (1, 2, len(v.clients)) if s <= len(v.clients)),
    assumptions=(), family=Vectors.drawn(2, 4, settings={"n_local_steps": count(1, 5), "n_participating": count(1, 4)}))
DRAWS = (
    PAPER.lemma("U3", formula.PLACE, "E|X̄_n - X̄|²", sampled, GRADIENT_SQUARED,
        cases=tuple(Case(v, n_draws=n) for v in CLOUDS for n in (1, 2)),
        family=Vectors.drawn(2, 4, settings={"n_draws": count(1, 4)})).explicit(
        "n draws without replacement: E|mean of draws - mean|² = (M - n) ζ²/(n (M - 1))", formula.U3),
    PAPER.lemma("U3-pair", formula.PLACE, "E<X_i - X̄, X_j - X̄>",
        lambda one, c: mean_over_orders(lambda order: inner(*order), one.centred, 2), GRADIENT_SQUARED,
        cases=tuple(Case(v) for v in CLOUDS)).explicit(
        "two draws without replacement: E<X_i - X̄, X_j - X̄> = -ζ²/(M - 1)", formula.U3_PAIR),
    block_sum.explicit("zero-sum X: Σ_{m<=M, k<K} E|K Σ_{i<m} X_i + k X_m|² <= M²K³ζ²/2", formula.U3B),
    block_sum.strengthened("zero-sum X: Σ_{m<=M, k<K} E|K Σ_{i<m} X_i + k X_m|² = MK(K²M + 1)ζ²/6", formula.U3B_SHARP,
        remark="The proof uses three times as much."),
    some_blocks.explicit("S of M clients: Σ_{m<=S, k<K} E|K Σ_{i<m} X_i + k X_m|² <= S²K³ζ²/2", formula.U3B_PART),
    some_blocks.strengthened("S of M clients: Σ_{m<=S, k<K} E|K Σ_{i<m} X_i + k X_m|², exactly",
        formula.U3B_PART_SHARP),
)

# One round ------------------------------------------------------------------------------------------------------


def after_round(
    name: str,
    value: Callable[[Round], Any],
    dimension: Dimension,
    parallel: bool = False,
    drift: sympy.Expr | None = None,
) -> DirectMeasure:
    """Return the measure of a quantity after one round; ``drift``: minus this coefficient times the drift."""

    def compute(case: Case, ring: Ring) -> Any:
        found = one_round(case, ring, parallel)
        measured = value(found)
        return measured if drift is None else measured - evaluate_in_ring(drift, case, ring) * found.drift

    return DirectMeasure(name, compute, dimension)


TASKS = (table_2(4, 1), table_2(5, -2))


def round_cases(
    steps: str, instances: Iterable[FederatedInstance] = (*STRONGLY_CONVEX[:4], *CONVEX, *TASKS), **more: Number
) -> tuple[Case, ...]:
    return tuple(at_effective_step(i, relative, steps, n_local_steps=3, **more) for i in instances for relative in ("1/6", "1/60"))


def part_cases(steps: str) -> tuple[Case, ...]:
    return tuple(
        at_effective_step(i, "1/6", steps, n_participating=s, n_local_steps=2)
        for i in (STRONGLY_CONVEX[1], STRONGLY_CONVEX[2], CONVEX[2], table_2(5, -2))
        for s in range(1, i.n_clients + 1)
    )


COSINES = (CosineClients.balanced(2, "1/2", 1, 2), CosineClients.balanced(4, "1/3", "1/2", "1/2"))
SEQUENTIAL, PARALLEL = round_cases("MK"), round_cases("K")
OF_DRIFT, OF_PARALLEL_DRIFT = (
    after_round("Σ E|x_{m,k} - x|²", lambda found: found.drift, LENGTH_SQUARED, parallel) for parallel in (False, True)
)


def a_round(
    id: str,
    place: str,
    measure: DirectMeasure,
    cases: tuple[Case, ...],
    assumptions: tuple[Assumption, ...] = PLAIN,
    **options: object,
) -> Statement:
    """State a quantity of one round; ``options`` say which rounds are drawn."""
    return PAPER.theorem(id, place, measure, kind="lemma", cases=cases, assumptions=assumptions,
        family=lambda: strategies().rounds(**options))


def distance(parallel: bool = False, drift: sympy.Expr | None = None, less: str = "") -> DirectMeasure:
    """Return the squared distance after a round."""
    found = after_round("E|x₁ - x*|²" + less, lambda found: found.distance, LENGTH_SQUARED, parallel, drift)
    if drift is not None:
        return found
    method = algorithms.parallel if parallel else algorithms.sequential
    return OneRoundMeasure(found.name, found.compute, found.dimension, method=method, quantity=LastDistance())


def gap(parallel: bool, drift: sympy.Expr, less: str) -> DirectMeasure:
    """Return the gap after a round."""
    return after_round("E F(x₁) - F*" + less, lambda found: found.gap, ENERGY, parallel, drift)


def server_step_cases(steps: str) -> tuple[Case, ...]:
    """Return rounds with a server step."""
    curved = round_cases(steps, (*CONVEX[:1], *COSINES), server_step_size=1)
    return round_cases(steps, server_step_size=2) + curved


PLACE, OF_PFL, OF_PARTS = formula.PLACE, "proof of Theorem 7", "Section 5.1, partial participation"
ROUNDS = (
    a_round("U4", PLACE, distance(False, formula.U4_DRIFT, " - (8/3)Lη·drift"), SEQUENTIAL).explicit(
        "SFL, one round: E|x₁ - x*|² - (8/3)Lη·drift", formula.U4),
    a_round("U5", PLACE, OF_DRIFT, SEQUENTIAL).explicit("SFL, convex: drift of the local models in a round",
        formula.U5),
    a_round("U6", PLACE, distance(), SEQUENTIAL).explicit("SFL, one round: E|x₁ - x*|²", formula.U6),
    a_round("U6-tight", PLACE, distance(), SEQUENTIAL).strengthened("SFL, one round of convex clients: E|x₁ - x*|²",
        formula.U6_TIGHT),
    a_round("U9", "Appendix E.2", gap(False, formula.U9_DRIFT, " - (5/6)ηγL²·drift"), server_step_cases("MK"), NC,
        server=True).printed("SFL with a server step, one round: E F(x₁) - F* - (5/6)ηγL²·drift", formula.U9),
    a_round("U10", "Appendix E.2", OF_DRIFT, SEQUENTIAL + round_cases("MK", COSINES), NC).explicit(
        "SFL, uniform heterogeneity: drift of the local models in a round", formula.U10),
    a_round("U11-drift", OF_PFL, OF_PARALLEL_DRIFT, PARALLEL, steps="parallel").explicit(
        "PFL, convex: drift of the local models in a round", formula.U11_DRIFT),
    a_round("U11-round", OF_PFL, distance(True, formula.U11_ROUND_DRIFT, " - (8/3)(Lη/M)·drift"), PARALLEL,
        steps="parallel").explicit("PFL, one round: E|x₁ - x*|² - (8/3)(Lη/M)·drift", formula.U11_ROUND),
    a_round("U11", OF_PFL, distance(True), PARALLEL, steps="parallel").explicit("PFL, one round: E|x₁ - x*|²",
        formula.U11),
    a_round("U11-NC-drift", "Theorem 16, proof", OF_PARALLEL_DRIFT, PARALLEL + round_cases("K", COSINES), NC,
        steps="parallel").explicit("PFL, uniform heterogeneity: drift of the local models in a round",
        formula.U11_NC_DRIFT),
    a_round("U11-NC-round", "Theorem 16, proof", gap(True, formula.U11_NC_ROUND_DRIFT, " - (5/6)(ηγL²/M)·drift"),
        server_step_cases("K"), NC, steps="parallel", server=True).explicit(
        "PFL with a server step, one round: E F(x₁) - F* - (5/6)(ηγL²/M)·drift", formula.U11_NC_ROUND),
    a_round("U12-SFL", OF_PARTS, distance(), part_cases("SK"), PART, participation=True).explicit(
        "SFL with S of M clients, one round: E|x₁ - x*|²", formula.U12_SFL),
    a_round("U12-PFL", OF_PARTS, distance(True), part_cases("K"), PART, steps="parallel", participation=True).explicit(
        "PFL with S of M clients, one round: E|x₁ - x*|²", formula.U12_PFL),
    a_round("U12-SFL-drift", OF_PARTS, OF_DRIFT, part_cases("SK"), PART, participation=True).explicit(
        "SFL with S of M clients: drift of the local models in a round", formula.U12_SFL_DRIFT),
    a_round("U12-PFL-drift", OF_PARTS, OF_PARALLEL_DRIFT, part_cases("K"), PART, steps="parallel", participation=True).explicit(
        "PFL with S of M clients: drift of the local models in a round", formula.U12_PFL_DRIFT),
)

# The proof sketch of Theorem 3 ----------------------------------------------------------------------------------


def linearisation_error(case: Case, ring: Ring) -> Any:
    """Return the largest |x_1 - x + eta sum_{m,k} Hess F_m (x_{m,k} - x)|^2 over the orders."""
    instance: QuadraticClients = case.instance
    _, models, orders, new = local_models(case, ring, noisy=False)
    step = ring.scalar(case.constants[eta])
    start = [ring.scalar(v) for v in instance.start]
    worst = ring.scalar(0)
    for course, order in enumerate(orders):
        total = ring.scalar(0)
        for i in range(instance.dim):
            moved = new[course, i] - start[i]
            for position, client in enumerate(order):
                hessian = ring.scalar(instance.curvatures[client][i])
                for model in models[course, position, :, i]:
                    moved = moved + step * hessian * (model - start[i])
            total = total + moved * moved
        worst = max(worst, total) if ring.name == "RATIONAL" else worst.max(total)
    return worst


SKETCH_PLACE = "Theorem 3, proof sketch"
SKETCH = (
    a_round("T3-sketch", SKETCH_PLACE,
        DirectMeasure("max |x₁ - x + η Σ ∇²F_m (x_{m,k} - x)|²", linearisation_error, LENGTH_SQUARED),
        round_cases("MK", (*STRONGLY_CONVEX[1:4], *CONVEX)), piecewise=False).printed(
        "quadratic clients, every order: |x₁ - x + η Σ_{m,k} ∇²F_m (x_{m,k} - x)|² = η̃² |∇F(x)|²",
        Eq(quantity, eta_eff**2 * G**2), where=SFL_STEP, mode="surely"),
    PAPER.theorem("T3-sketch-drift", SKETCH_PLACE, OF_DRIFT, kind="lemma").explicit(
        "SFL started at the minimiser, no noise: drift of a round",
        quantity <= Rational(9, 4) * eta**2 * M**2 * K**3 * zeta_star**2, given=[SMALL_STEP, D <= 0], where=SFL_STEP,
        note="started at the minimiser", cases=round_cases("MK", (table_2(2, 0), table_2(3, 0), table_2(6, 0))),
        assumptions=(*PLAIN, assume.noiseless), family=lambda: strategies().at_the_minimiser(),
        remark="As η -> 0 the constant is 1/6 + 1/(6 K² M), by U3b."),
)

# U7, U8 ---------------------------------------------------------------------------------------------------------

averages = PAPER.lemma("U7", PLACE, "Σ w_r f_r / Σ w_r",
    lambda one, c: one.weighted_average(c.effective_step_size, int(c.n_rounds)), ENERGY,
    family=lambda: strategies().recursions())

# The largest average that the recursion allows (test: the average of the sequence with shares 0, ..., 0, 1).
LARGEST = formula_measure("largest Σ w_r f_r / Σ w_r", formula.AVERAGED, ENERGY)
LARGEST_FLAT = formula_measure("largest Σ f_r / (R + 1)", formula.AVERAGED_FLAT, ENERGY)
CURVED = (
    Recursion("1/2", "1/3", 4, 6, 1),
    Recursion("1/20", "1/3", "1/100", 0, 3, ("1/2", 0, 1, "1/2")),
    Recursion("1/2", "1/3", 0, 0, 1, (0, 1)),
)
FLAT = Recursion(0, "1/3", 4, 6, 1)


def cases_with_steps(recursions: Iterable[Recursion], *runs: tuple[str, int]) -> tuple[Case, ...]:
    """Return recursions with their step and rounds."""
    return tuple(Case(i, effective_step_size=e, n_rounds=r) for i in recursions for e, r in runs)


def tuned_cases(recursions: Iterable[Recursion], *rounds: int) -> tuple[Case, ...]:
    """Return recursions whose step is chosen, up to 1/6."""
    return tuple(Case(i, max_step_size="1/6", n_rounds=r) for i in recursions for r in rounds)


AVERAGING = "d_{r+1} <= (1 - aη)d_r - bf_rη + c₁η² + c₂η³, weights (1 - aη)^-(r+1): Σ w_r f_r / Σ w_r"
AVERAGES = (
    averages.strengthened(AVERAGING, formula.U7_SHARP, cases=cases_with_steps(CURVED, ("1/6", 12), ("1/100", 400)),
        remark="Attained."),
    averages.explicit(AVERAGING + ", provided aηR >= 1/2", formula.U7,
        cases=cases_with_steps(CURVED, ("1/6", 60), ("1/6", 400)),
        remark="The proviso is needed: without it the first term fails, for example at aηR = 0.4, R = 10^4."),
    PAPER.theorem("U7t", PLACE, LARGEST, kind="lemma").explicit("the largest average at η = min{η_max, ℓ/(aR)}",
        formula.U7T, cases=tuned_cases(CURVED, 100, 1000, 10**6), family=lambda: strategies().recursions(tuned=True),
        tuning=((eta_eff, formula.U7T_STEP),)),
    averages.restated("U8", family=lambda: strategies().recursions(flat=True)).explicit(
        "d_{r+1} <= d_r - bf_rη + c₁η² + c₂η³: Σ f_r / (R + 1)", formula.U8,
        cases=cases_with_steps((FLAT, Recursion(0, 1, 1, 0, 2, ("1/2", 0))), ("1/6", 12), ("1/100", 200)),
        remark="Attained."),
    PAPER.theorem("U8t", PLACE, LARGEST_FLAT, kind="lemma").explicit(
        "the largest average at η = min{η_max, (d₀/(c₁R))^(1/2), (d₀/(c₂R))^(1/3)}", formula.U8T,
        cases=tuned_cases((FLAT, Recursion(0, 1, 0, 2, 3), Recursion(0, 1, 0, 0, 3)), 1, 100, 10**6),
        family=lambda: strategies().recursions(flat=True, tuned=True), tuning=((eta_eff, formula.U8T_STEP),)),
)

CLAIMS: tuple[Claim, ...] = (*POINTWISE, *DRAWS, *ROUNDS, *SKETCH, *AVERAGES)
