"""(74) to (81): the range of β, the determinant in the sum of (iii), its size, and the constants of Theorem 5.1."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

from sympy import Eq, Expr, log

from fltheory.claims.statement import Constants, corrected, printed, quantity
from fltheory.games.static_regret import StaticRegret
from fltheory.model.case import Case
from fltheory.number.mixed import Mixed, to_mixed
from fltheory.number.mixed import mixed_log as log_of
from fltheory.number.vectors import total
from fltheory.papers.aaggff.algorithms import aaggff_s
from fltheory.papers.aaggff.bounds import ALPHA, BETA, BETA_STAR, RANGE, T51, H, L, V, bound
from fltheory.papers.aaggff.instances.games import complement, horse_race, three_phase, two_phase, vertex
from fltheory.papers.aaggff.instances.lemmas import Vector, dot
from fltheory.papers.aaggff.newton.cases import NewtonGame
from fltheory.papers.aaggff.newton.claims.newton import EVERYONE
from fltheory.papers.aaggff.newton.claims.newton import families as games
from fltheory.papers.aaggff.newton.claims.proof51.parts import (
    MOVED,
    OF_RUNS,
    PAPERS,
    RANGED,
    RUNS,
    STEPS,
    families,
    run_of,
    short_run,
)
from fltheory.papers.aaggff.newton.closed_forms.newton import NewtonRun, determinant
from fltheory.papers.aaggff.notation import K, T, alpha, beta
from fltheory.papers.aaggff.paper import lemma, measured, theorem
from fltheory.papers.aaggff.transforms.cases import Federation
from fltheory.papers.aaggff.transforms.claims.ranges import at_range

# (74), (75): |<g, p - p⁽ᵗ⁾>| and |p|² --------------------------------------------------------------------------------

STUCK = short_run("1/100", "1/4", ((0, 1), (0, 1), (1, 0)), (1, 0))  # p⁽³⁾ = (0, 1): V is attained
RANGED_RUNS = (*RUNS, short_run(1, "1/10", ((3, 0), (0, 3), (3, 0)), (0, 1), high=3), STUCK)
IN_RANGE: dict[str, Any] = {"cases": RANGED_RUNS, "assumptions": [RANGED], "family": lambda: families().short_runs()}


def _furthest(one: NewtonGame, c: Constants) -> Fraction:
    run = run_of(one, c)
    return max(abs(run.distance(s, one.comparator)) for s in range(run.n_rounds))


furthest = lemma("74", f"{STEPS} (74)", "max |<g, p* - p⁽ᵗ⁾>|", _furthest, **IN_RANGE)


def beyond_product(run: NewtonRun, p: Vector, factor: Fraction) -> Fraction:
    """Return the largest |<g, p - p⁽ᵗ⁾>| - factor·|p - p⁽ᵗ⁾|₁·|g|_∞ of a round."""
    found = []
    for s, (g, at) in enumerate(zip(run.gradients, run.decisions, strict=False)):
        apart = total(abs(v - w) for v, w in zip(p, at, strict=True))
        found.append(abs(run.distance(s, p)) - factor * apart * max(map(abs, g)))
    return max(found)


SIZES = (
    furthest.printed("(74): |<g, p - p⁽ᵗ⁾>| is at most 2L_∞, so that β = 1/(4L_∞) makes β|<g, p - p⁽ᵗ⁾>| at most 1/2",
        quantity <= 2 * L, given=RANGE),
    lemma("74-holder", f"{STEPS} (74)", "max |<g, p* - p⁽ᵗ⁾>| - |p* - p⁽ᵗ⁾|₁·|g|_∞",
        lambda one, c: beyond_product(run_of(one, c), one.comparator, Fraction(1)), **OF_RUNS).printed(
        "(74): |<g, p - p⁽ᵗ⁾>| is at most |p - p⁽ᵗ⁾|₁·|g|_∞", quantity <= 0),
    lemma("74-holder", f"{STEPS} (74)", "max |<g, p* - p⁽ᵗ⁾>| - |p* - p⁽ᵗ⁾|₁·|g|_∞/2",
        lambda one, c: beyond_product(run_of(one, c), one.comparator, Fraction(1, 2)), **OF_RUNS).strengthened(
        "|<g, p - p⁽ᵗ⁾>| is at most half of it, L_∞: no entry of g is positive, and those of p - p⁽ᵗ⁾ sum up to 0",
        quantity <= 0),
    furthest.strengthened("|<g, p - p⁽ᵗ⁾>| is at most V", quantity <= V, given=RANGE,
        note="entries of g differ by V at most"),
    lemma("75", f"{STEPS} (75)", "|p*|₂²", lambda one, c: dot(one.comparator, one.comparator), **OF_RUNS).printed(
        "(75): α/2·|p|₂² is at most α/2: |p|₂² <= 1", quantity <= 1),
)

# (76), (77): the determinant -----------------------------------------------------------------------------------------


def growth(run: NewtonRun) -> Fraction:
    """det(B⁽ᵀ⁾/α), the product of 1 + λᵢ/α."""
    return determinant(run.matrices[-1]) / run.alpha ** len(run.decisions[0])


def trace(run: NewtonRun) -> Fraction:
    """Return the sum of the λᵢ, on the diagonal of B⁽ᵀ⁾ - αI."""
    return total(row[i] - run.alpha for i, row in enumerate(run.matrices[-1]))


def costs_by_logs(one: NewtonGame, c: Constants) -> Mixed:
    run = run_of(one, c)
    return to_mixed(total(run.costs)) / log_of(growth(run))


def off_determinant(one: NewtonGame, c: Constants) -> Fraction:
    run = run_of(one, c)
    sizes = [determinant(B) for B in run.matrices]
    parts = zip(run.costs, sizes[:-1], sizes[1:], strict=True)
    return max(abs(run.beta * cost - 1 + before / after) for cost, before, after in parts)


def means(one: NewtonGame, c: Constants) -> Fraction:
    run = run_of(one, c)
    n = len(run.decisions[0])
    return growth(run) / (1 + trace(run) / (n * run.alpha)) ** n


def means_of_rank(one: NewtonGame, c: Constants) -> Fraction:
    run = run_of(one, c)
    n = min(len(run.decisions[0]), run.n_rounds)
    return growth(run) / (1 + trace(run) / (n * run.alpha)) ** n


FLAT = short_run(4, "1/10", (("1/20", 0, 0, 0),), (1, 1, 1, 1), high="1/20")
DETERMINANTS = (
    *lemma("76", f"{STEPS} (76)", "Σ |g|²_{B⁻¹} / Σ log(1 + λᵢ/α)", costs_by_logs, assumptions=[MOVED],
        family=lambda: families().short_runs()).readings(
        printed("(76): Σ |g|²_{B⁻¹} is at most Σ log(1 + λᵢ/α), λᵢ the eigenvalues of B⁽ᵀ⁾ - αI", quantity <= 1,
            counterexamples=(FLAT, RUNS[1]), remark="The cited lemma is about gradients times √β: false for β < 1."),
        corrected("(76): Σ |g|²_{B⁻¹} is at most 1/β·Σ log(1 + λᵢ/α)", quantity <= 1 / beta, cases=(FLAT, *RUNS),
            remark="With (70) as it should be, 1/2·Σ |g|²_{B⁻¹} is at most 1/(2β)·Σ log(1 + λᵢ/α): what (80) goes on with.")),
    lemma("76-round", f"{STEPS} (76)", "max |β|g|²_{B⁻¹} - 1 + det B⁽ᵗ⁻¹⁾/det B⁽ᵗ⁾|", off_determinant, **OF_RUNS).explicit(
        "(76), each round: β|g|² in the norm of the inverse of B⁽ᵗ⁾ is 1 - det B⁽ᵗ⁻¹⁾/det B⁽ᵗ⁾", Eq(quantity, 0)),
    lemma("77", f"{STEPS} (77)", "Π (1 + λᵢ/α) / (1 + Σ λᵢ/(Kα))^K", means, **OF_RUNS).printed(
        "(77): Σ log(1 + λᵢ/α) is at most K log(1 + Σ λᵢ/(Kα)): the means of the 1 + λᵢ/α", quantity <= 1),
    lemma("77-rank", f"{STEPS} (77)", "Π (1 + λᵢ/α) / (1 + Σ λᵢ/(nα))^n, n = min(K, T)", means_of_rank, **OF_RUNS).strengthened(
        "(77) with min(K, T) for K: no more of the λᵢ differ from 0", quantity <= 1),
)

# (78), (79): the eigenvalues' sum ------------------------------------------------------------------------------------


def lengths(run: NewtonRun) -> Fraction:
    """Σ |g|₂²."""
    return total(dot(g, g) for g in run.gradients)


def off_trace(one: NewtonGame, c: Constants) -> Fraction:
    run = run_of(one, c)
    return trace(run) - run.beta * lengths(run)


def over_largest(one: NewtonGame, c: Constants, which: Any) -> Fraction:
    """Σ |g|₂² - KT|g|²_∞, g of the round that has the least or the largest |g|_∞."""
    run = run_of(one, c)
    size = which(max(map(abs, g)) for g in run.gradients)
    return lengths(run) - run.n_rounds * len(run.decisions[0]) * size**2


def centred_lengths(one: NewtonGame, c: Constants) -> Fraction:
    run = run_of(one, c)
    return total(dot(g, g) - total(g) ** 2 / len(g) for g in run.gradients)


costs = lemma("79", f"{STEPS} (79)", "Σ |g|² in the norm of the inverse of B⁽ᵗ⁾",
    lambda one, c: total(run_of(one, c).costs), assumptions=[RANGED, MOVED], tuning=((beta, BETA),),
    family=lambda: families().short_runs("tuned"))

UNEVEN = (
    short_run(1, "1/2", ((0, 1), (0, 0), (1, 0)), (1, 0)),
    short_run(4, "1/4", (("1/10", 0, 0), (1, 1, 0)), (0, 1, 0)),
)
TURNING = short_run("1/10", None, ((3, 0), (0, "3/2"), (3, 0), (0, "3/2")), (1, 1), high=3)
PAPERS_BETA = (
    short_run(4, None, PAPERS.instance.responses, (1, 0, 0, 0, 0, 0), high="1/6"),
    TURNING,
    short_run(8, None, ((1, 0), (0, 1), (1, 1)), (1, 0)),
)
TRACE = (
    lemma("78-trace", f"{STEPS} (78)", "Σ λᵢ - β Σ |g|₂²", off_trace, **OF_RUNS).printed(
        "(78): Σ λᵢ is the trace of β Σ gg', β Σ |g|₂²", Eq(quantity, 0)),
    lemma("78-each", f"{STEPS} (78)", "Σ |g|₂² - KT·min |g⁽ᵗ⁾|²_∞", lambda one, c: over_largest(one, c, min),
        family=lambda: families().short_runs()).strict("(78): Σ |g|₂² is at most KT|g⁽ᵗ⁾|²_∞, for any t as it is printed",
        quantity <= 0, counterexamples=UNEVEN, remark="t is no longer summed over: the largest is meant."),
    lemma("78-each", f"{STEPS} (78)", "Σ |g|₂² - KT·max |g⁽ᵗ⁾|²_∞", lambda one, c: over_largest(one, c, max),
        **OF_RUNS).corrected("(78): Σ |g|₂² is at most KT·max |g⁽ᵗ⁾|²_∞", quantity <= 0),
    lemma("78", f"{STEPS} (78)", "Σ |g|₂²", lambda one, c: lengths(run_of(one, c)), **IN_RANGE).printed(
        "(78): Σ |g|₂² is at most KTL_∞², so that Σ λᵢ <= βKTL_∞²", quantity <= K * T * L**2, given=RANGE),
    lemma("78-centred", f"{STEPS} (78)", "Σ |ĝ|₂², ĝ = g less its mean in every entry", centred_lengths,
        **IN_RANGE).strengthened("(78) with centred gradients: Σ |ĝ|₂² is at most KTH²", quantity <= K * T * H**2,
        given=RANGE, note="entries within H"),
    costs.printed("(79): with β = 1/(4L_∞), Σ |g|²_{B⁻¹} is at most K log(1 + TL_∞/(4α))",
        quantity <= K * log(1 + T * L / (4 * alpha)), given=RANGE, counterexamples=(TURNING,), remark="(76) is used."),
    costs.corrected("(79): with β = 1/(4L_∞), Σ |g|²_{B⁻¹} is at most K/β·log(1 + TL_∞/(4α))",
        quantity <= K / beta * log(1 + T * L / (4 * alpha)), given=RANGE, cases=PAPERS_BETA),
)

# (80), (81): the regret ----------------------------------------------------------------------------------------------

SUM: Expr = alpha / 2 + 2 * L * K * log(1 + T * L / (4 * alpha))
of_games = partial(theorem, measure=StaticRegret(), method=aaggff_s, assumptions=[EVERYONE], mode="surely")
any_weight = of_games("80", f"{STEPS} (80)", tuning=((beta, BETA),))


def _free(game: Any, weight: Any) -> Case:
    return Case(game, learner_regularisation=weight)


REGRET = (
    any_weight.printed("(80): with β = 1/(4L_∞) the regret is at most α/2 + 2L_∞K log(1 + TL_∞/(4α)), for any α",
        bound(SUM, f"{STEPS} (80)"),
        counterexamples=(_free(two_phase(1000, "1/10"), "4/5"), _free(three_phase(2, "1/5", 1000, "1/20"), "8/5")),
        family=lambda: games().weighted(), remark="False for L_∞ below the window of the curvature, as Theorem 5.1."),
    any_weight.corrected("(80): the same where 1/(4L_∞) lies in the window of the curvature",
        bound(SUM, f"{STEPS} (80)", "corrected", (*RANGE, BETA <= BETA_STAR), "where 1/(4L) lies in the window"),
        cases=(_free(two_phase(400, 1), 2), _free(two_phase(1000, "3/10"), "1/10"), _free(horse_race(3, 60), "1/2"),
            _free(vertex(4, 100), 1), _free(complement(5, 200, 1), 4)), family=lambda: games().weighted(wide=True)),
    measured(
        "81",
        f"{STEPS} (81)",
        at_range("(80) at α = 4L_∞K less (81)", SUM.subs(alpha, ALPHA) - T51.expr, ()),
        cases=tuple(
            Case(Federation(*sizes), response_low=low, response_high=high)
            for sizes, low, high in (((7, 100, 7), 0, "1/7"), ((2, 1, 2), "1/3", 2))
        ),
        family=lambda: families().sizes(),
    ).printed("(81): α = 4L_∞K makes 2L_∞K(1 + log(1 + T/(16K))) of (80)", Eq(quantity, 0), given=RANGE),
)

CLAIMS = (*SIZES, *DETERMINANTS, *TRACE, *REGRET)
