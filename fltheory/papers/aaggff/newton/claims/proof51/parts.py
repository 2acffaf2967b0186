"""(66) to (73): the regret in the parts (i), (ii), (iii) of Lemma A.4, and a bound on each.

The cases are short rational runs of AAggFF-S with exact numbers; p* is any decision. With g the gradient of a round,
A = gg' and B⁽ᵗ⁾ = αI + β Σ gg' over the rounds up to t.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from sympy import Eq

from fltheory.claims.statement import Constants, corrected, imported_late, printed, quantity, requires
from fltheory.model.case import Case
from fltheory.number import Number
from fltheory.number.mixed import Mixed, mixed_log, to_mixed
from fltheory.number.vectors import total
from fltheory.papers.aaggff.bounds import BETA, BETA_STAR, RANGE
from fltheory.papers.aaggff.instances.lemmas import Vector, dot
from fltheory.papers.aaggff.logarithms import as_rational
from fltheory.papers.aaggff.newton.cases import NewtonGame
from fltheory.papers.aaggff.newton.closed_forms.newton import NewtonRun, newton_run
from fltheory.papers.aaggff.notation import C1, C2, alpha, beta
from fltheory.papers.aaggff.paper import lemma

families = imported_late("fltheory.papers.aaggff.newton.families")


def run_of(one: NewtonGame, c: Constants) -> NewtonRun:
    """Return the rational run with the case's α and β."""
    responses = tuple(tuple(map(Fraction, row)) for row in one.responses)
    weight, curvature = as_rational(c.learner_regularisation, alpha), as_rational(c.learner_curvature, beta)
    return newton_run(responses, weight, curvature)


def short_run(
    weight: Number, curvature: Number | None, rows: Any, masses: Any, low: Number = 0, high: Number = 1
) -> Case:
    """Return a short run with α, β (None: set by the claim) and the range of its responses."""
    constants: dict[str, Any] = {} if curvature is None else {"learner_curvature": curvature}
    return Case(NewtonGame(rows, masses), learner_regularisation=weight, response_low=low, response_high=high,
        **constants)


def _out_of_range(one: NewtonGame, c: Constants) -> str | bool:
    low, high = as_rational(c.response_low, C1), as_rational(c.response_high, C2)
    return any(not low <= v <= high for row in one.responses for v in row) and "a response leaves [C1, C2]"


MOVED = requires("some response is not 0", lambda one, c: not any(map(any, one.responses)) and "all responses are 0")
RANGED = requires("responses lie in [C1, C2]", _out_of_range)
AWAY = requires("p* is not p⁽¹⁾", lambda one, c: len(set(one.masses)) == 1 and "p* is the uniform decision p⁽¹⁾")

PAPERS = short_run(4, "3/2", (("1/6", 0, 0, 0, 0, 0),), (1, 0, 0, 0, 0, 0), high="1/6")  # ISIC's K = 6: α = 4, β = K/4
STEEP = short_run("1/100", 10, ((3, "3/2", 3, 0), (0, 0, "3/2", 3), (3, 0, "3/2", 0)), (40, 8, 28, 24), high=3)
RUNS = (
    short_run("1/10", "1/2", ((1, 0), (0, 1), (1, "1/2")), (1, 0)),
    short_run(4, "1/4", ((1, 0, 0), (0, "1/2", 1), (1, 1, 0), (0, 0, 1)), (0, 1, 2)),
    short_run("1/2", "5/4", (("1/10", 1), (1, "1/10")), (1, 3), low="1/10"),
    STEEP,
)
IN_THE_WINDOW = (
    *RUNS[:2],
    short_run("1/10", "9/10", (("1/10", 0, 0), (0, "1/10", 0), ("1/10", "1/10", 0)), (0, 1, 0), high="1/10"),
)
OF_RUNS: dict[str, Any] = {"cases": RUNS, "family": lambda: families().short_runs()}
STEPS = "proof of Theorem 5.1"

# (66), (67): the parts, the regulariser and its strong convexity -----------------------------------------------------


def off_parts(one: NewtonGame, c: Constants) -> Fraction:
    run, p = run_of(one, c), one.comparator
    return run.linearised(p) - run.first(p) - run.second(p) - run.third


def in_norms(run: NewtonRun, p: Vector) -> Fraction:
    """β/2·Σ |p⁽ᵗ⁾ - p|² in the norms of A⁽ᵗ⁾ = gg', by the entries of the matrices."""
    found = Fraction(0)
    for g, at in zip(run.gradients, run.decisions, strict=False):
        h = [v - w for v, w in zip(at, p, strict=True)]
        found += total(x * y * v * w for x, v in zip(g, h, strict=True) for y, w in zip(g, h, strict=True))
    return run.beta / 2 * found


def off_norms(one: NewtonGame, c: Constants) -> Fraction:
    run, p = run_of(one, c), one.comparator
    return run.regulariser(run.n_rounds, p) - run.alpha / 2 * dot(p, p) - in_norms(run, p)


def bend(one: NewtonGame, c: Constants) -> Fraction:
    run, q, p = run_of(one, c), one.comparator, run_of(one, c).decisions[0]
    h = tuple(v - w for v, w in zip(q, p, strict=True))
    slope = run.alpha * dot(p, h) + run.beta * total(run.distance(s, p) * dot(run.gradients[s], h) for s in range(run.n_rounds))
    rise = run.regulariser(run.n_rounds, q) - run.regulariser(run.n_rounds, p) - slope
    return 2 * rise / dot([dot(row, h) for row in run.matrices[-1]], h)


# (68) to (71): (i), (ii) and (iii) -----------------------------------------------------------------------------------


def first_less_all(one: NewtonGame, c: Constants) -> Fraction:
    run, p = run_of(one, c), one.comparator
    return run.first(p) - run.regulariser(run.n_rounds, p)


def beyond_68(run: NewtonRun, p: Vector, at: Vector) -> Fraction:
    """R⁽ᵀ⁺¹⁾(p) - α/2·|at|² - β/2·Σ |p⁽ᵗ⁾ - p|²_A."""
    return run.regulariser(run.n_rounds, p) - run.alpha / 2 * dot(at, at) - run.beta / 2 * run.squares(p)


def off_68_elsewhere(one: NewtonGame, c: Constants) -> Fraction:
    run = run_of(one, c)
    return beyond_68(run, one.comparator, run.decisions[0])


def off_first(one: NewtonGame, c: Constants) -> Fraction:
    run, p = run_of(one, c), one.comparator
    return run.first(p) - run.alpha / 2 * (dot(p, p) - Fraction(1, len(p))) - run.beta / 2 * run.squares(p)


def third_by_costs(one: NewtonGame, c: Constants) -> Fraction:
    run = run_of(one, c)
    return run.third / total(run.costs)


def increments(one: NewtonGame, c: Constants) -> Fraction:
    run = run_of(one, c)
    at = enumerate(run.decisions[:-1])
    return total(run.regulariser(t, p) - run.regulariser(t + 1, p) for t, p in at)


PARTS = (
    lemma("66", f"{STEPS} (66)", "Σ <g, p⁽ᵗ⁾ - p*> - (i) - (ii) - (iii)", off_parts, **OF_RUNS).printed(
        "(66): Σ <g, p⁽ᵗ⁾ - p*> is (i) + (ii) + (iii)", Eq(quantity, 0),
        remark="Its first inequality is Corollary A.3, its last equality Lemma A.4."),
    lemma("67", f"{STEPS} (67)", "R⁽ᵀ⁺¹⁾(p) - α/2·|p|² - β/2·Σ |p⁽ᵗ⁾ - p|²_A", off_norms, **OF_RUNS).printed(
        "(67): R⁽ᵗ⁾(p) = α/2·|p|² + β/2·Σ |p⁽τ⁾ - p|²_A, A = gg'", Eq(quantity, 0)),
    *lemma("67-convex", f"{STEPS}, after (67)",
        "2(R⁽ᵀ⁺¹⁾(q) - R⁽ᵀ⁺¹⁾(p) - <∇R⁽ᵀ⁺¹⁾(p), q - p>) / |q - p|² in the norm of B⁽ᵀ⁾, from p⁽¹⁾ to p*", bend,
        assumptions=[AWAY], family=lambda: families().short_runs()).readings(
        printed("R⁽ᵗ⁾ and L⁽ᵗ⁾ are β-convex in the norm of B⁽ᵗ⁻¹⁾", beta <= quantity, counterexamples=(PAPERS, STEEP),
            remark="Their Hessian is that matrix, which contains β already: false for β > 1, which is K > 4 at C₂ = 1/K."),
        corrected("R⁽ᵗ⁾ and L⁽ᵗ⁾ are 1-convex in it, and no more", Eq(quantity, 1), cases=RUNS)),
    lemma("68-first", f"{STEPS}, before (68)", "(i) - R⁽ᵀ⁺¹⁾(p*)", first_less_all, **OF_RUNS).printed(
        "(i) is at most R⁽ᵀ⁺¹⁾(p*), R⁽¹⁾ being nonnegative", quantity <= 0),
    lemma("68", f"{STEPS} (68)", "R⁽ᵀ⁺¹⁾(p*) - α/2·|p|² - β/2·Σ |p⁽ᵗ⁾ - p*|²_A at p = p⁽¹⁾", off_68_elsewhere,
        assumptions=[AWAY], family=lambda: families().short_runs()).strict(
        "(68): R⁽ᵀ⁺¹⁾(p*) = α/2·|p|² + β/2·Σ |p⁽ᵗ⁾ - p*|²_A, at any p as it is printed", Eq(quantity, 0),
        counterexamples=RUNS[:2], remark="|p*|² is meant, here and in (72), (73), (80)."),
    lemma("68", f"{STEPS} (68)", "R⁽ᵀ⁺¹⁾(p*) - α/2·|p*|² - β/2·Σ |p⁽ᵗ⁾ - p*|²_A",
        lambda one, c: beyond_68(run_of(one, c), one.comparator, one.comparator), **OF_RUNS).corrected(
        "(68): R⁽ᵀ⁺¹⁾(p*) = α/2·|p*|² + β/2·Σ |p⁽ᵗ⁾ - p*|²_A", Eq(quantity, 0)),
    lemma("68-whole", f"{STEPS} (68)", "(i) - α/2·(|p*|² - 1/K) - β/2·Σ |p⁽ᵗ⁾ - p*|²_A", off_first, **OF_RUNS).strengthened(
        "(i) = α/2·(|p*|² - 1/K) + β/2·Σ |p⁽ᵗ⁾ - p*|²_A: nothing need be dropped", Eq(quantity, 0)),
    lemma("68-second", f"{STEPS}, after (68)", "(ii) = L⁽ᵀ⁺¹⁾(p⁽ᵀ⁺¹⁾) - L⁽ᵀ⁺¹⁾(p*)",
        lambda one, c: run_of(one, c).second(one.comparator), **OF_RUNS).printed("(ii) is not above 0", quantity <= 0,
        remark="The text says negative: it is 0 at p* = p⁽ᵀ⁺¹⁾."),
    *lemma("70", f"{STEPS} (70)", "(iii) / Σ |g|² in the norm of the inverse of B⁽ᵗ⁾", third_by_costs,
        assumptions=[MOVED], family=lambda: families().short_runs()).readings(
        printed("(70): (iii) is at most 1/(2β)·Σ |g|² in the norm of the inverse of B⁽ᵗ⁾, and what (71) removes",
            quantity <= 1 / (2 * beta), counterexamples=(PAPERS, STEEP),
            remark="This uses the modulus β: false for β > 1. The factor missing in (76) makes up for it, so that (81) is not "
            "affected."),
        corrected("(70): (iii) is at most 1/2·Σ |g|² in the norm of the inverse of B⁽ᵗ⁾", quantity <= Fraction(1, 2),
            cases=(PAPERS, *RUNS))),
    lemma("71", f"{STEPS} (71)", "Σ R⁽ᵗ⁾(p⁽ᵗ⁾) - R⁽ᵗ⁺¹⁾(p⁽ᵗ⁾)", increments, **OF_RUNS).printed(
        "(71): R⁽ᵗ⁾(p⁽ᵗ⁾) = R⁽ᵗ⁺¹⁾(p⁽ᵗ⁾), summed: the increments vanish at p⁽ᵗ⁾", Eq(quantity, 0)),
)

# (72), (73): all parts together, and the gain by the curvature of the loss -------------------------------------------


def rest_of_72(one: NewtonGame, c: Constants) -> Fraction:
    run, p = run_of(one, c), one.comparator
    rest = run.linearised(p) - run.alpha / 2 * dot(p, p) - run.beta / 2 * run.squares(p)
    return rest / total(run.costs)


def rest_of_all(one: NewtonGame, c: Constants) -> Fraction:
    run, p = run_of(one, c), one.comparator
    return (run.linearised(p) - run.first(p)) / total(run.costs)


def regret(run: NewtonRun, p: Vector) -> Mixed:
    """Σ ℓ(p⁽ᵗ⁾) - ℓ(p)."""
    growths = ((1 + dot(p, r)) / (1 + dot(at, r)) for r, at in zip(run.responses, run.decisions, strict=False))
    found = Fraction(1)
    for growth in growths:
        found *= growth
    return mixed_log(found)


def lost_curvature(run: NewtonRun, p: Vector, weight: Fraction) -> Mixed:
    """Return the regret less Σ <g, p⁽ᵗ⁾ - p> - weight/2·Σ <g, p⁽ᵗ⁾ - p>²."""
    return regret(run, p) - to_mixed(run.linearised(p) - weight / 2 * run.squares(p))


def beyond_73(one: NewtonGame, c: Constants) -> Mixed:
    run = run_of(one, c)
    return lost_curvature(run, one.comparator, run.beta)


def rest_of_regret(one: NewtonGame, c: Constants) -> Mixed:
    run, p = run_of(one, c), one.comparator
    first = run.alpha / 2 * (dot(p, p) - Fraction(1, len(p)))
    return (regret(run, p) - to_mixed(first)) / to_mixed(total(run.costs))


TENTH = short_run("2/5", "5/2", (("1/10", 0), (0, "1/10")), (1, 0), high="1/10")  # the paper's β at C₂ = 1/10
TOGETHER = (
    lemma("72", f"{STEPS} (72)", "(Σ <g, p⁽ᵗ⁾ - p*> - α/2·|p*|² - β/2·Σ |p⁽ᵗ⁾ - p*|²_A) / Σ |g|²_{B⁻¹}", rest_of_72,
        assumptions=[MOVED], family=lambda: families().short_runs()).printed(
        "(72): Σ <g, p⁽ᵗ⁾ - p*> is at most α/2·|p*|² + β/2·Σ |p⁽ᵗ⁾ - p*|²_A + 1/(2β)·Σ |g|²_{B⁻¹}",
        quantity <= 1 / (2 * beta), counterexamples=(STEEP,), remark="(70) is used."),
    lemma("72", f"{STEPS} (72)", "(Σ <g, p⁽ᵗ⁾ - p*> - α/2·(|p*|² - 1/K) - β/2·Σ |p⁽ᵗ⁾ - p*|²_A) / Σ |g|²_{B⁻¹}",
        rest_of_all, assumptions=[MOVED], family=lambda: families().short_runs()).corrected(
        "(72): Σ <g, p⁽ᵗ⁾ - p*> is at most α/2·(|p*|² - 1/K) + β/2·Σ |p⁽ᵗ⁾ - p*|²_A + 1/2·Σ |g|²_{B⁻¹}",
        quantity <= Fraction(1, 2), cases=(PAPERS, *RUNS)),
    *lemma("73", f"{STEPS} (73)", "Regret - Σ <g, p⁽ᵗ⁾ - p*> + β/2·Σ |p⁽ᵗ⁾ - p*|²_A", beyond_73, assumptions=[RANGED],
        family=lambda: families().short_runs("paper")).readings(
        printed(
            "(73): the regret is at most Σ <g, p⁽ᵗ⁾ - p*> - β/2·Σ |p⁽ᵗ⁾ - p*|²_A where |β<g, p - p⁽ᵗ⁾>| <= 1/2 for all p",
            quantity <= 0, given=[*RANGE, beta <= BETA], note="β up to 1/(4L), which is what the text asks for",
            counterexamples=(TENTH,),
            remark="Lemma A.10 asks for β <= 1/2 as well. Where 1/(4L) lies in the window of the curvature it is true."),
        corrected("(73): the regret is at most Σ <g, p⁽ᵗ⁾ - p*> - β/2·Σ |p⁽ᵗ⁾ - p*|²_A for β <= β*(V)", quantity <= 0,
            given=[*RANGE, beta <= BETA_STAR], note="in the window of the curvature", cases=IN_THE_WINDOW,
            family=lambda: families().short_runs("window"))),
    lemma("73-regret", f"{STEPS} (73)", "(Regret - α/2·(|p*|² - 1/K)) / Σ |g|²_{B⁻¹}", rest_of_regret,
        assumptions=[RANGED, MOVED], family=lambda: families().short_runs("window")).corrected(
        "(73): the regret is at most α/2·(|p*|² - 1/K) + 1/2·Σ |g|²_{B⁻¹} for β <= β*(V)", quantity <= Fraction(1, 2),
        given=[*RANGE, beta <= BETA_STAR], note="in the window of the curvature", cases=IN_THE_WINDOW),
)

CLAIMS = (*PARTS, *TOGETHER)
