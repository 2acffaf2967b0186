"""Draws without replacement (Proposition 11), updates in two parts (Appendix D.1), absent clients (Appendix D.2)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from sympy import Eq

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Constants, Statement, quantity, quantity_measure, requires
from fltheory.model.case import Case
from fltheory.model.schema import lazy_strategy
from fltheory.number.mixed import Mixed, largest, mixed_sqrt, to_mixed
from fltheory.papers.osmd.mirror.cases import Bilevel, TwoParts
from fltheory.papers.osmd.notation import J2, K, Lbar, M
from fltheory.papers.osmd.paper import PAPER
from fltheory.papers.osmd.sampling import closed_forms as law
from fltheory.papers.osmd.sampling.cases.estimators import Available, Shares, Table, Updates
from fltheory.papers.osmd.sampling.claims.estimators import PLAIN, relative
from fltheory.runs.measures import GRADIENT_SQUARED

# Proposition 11: draws without replacement ----------------------------------------------------------------------------


@lazy_strategy
def updates() -> Any:
    """Draw updates of some clients, with at most as many draws as clients."""
    from fltheory.papers.osmd.sampling.families import updates

    return updates


COUNTEREXAMPLE = Case(Updates((6, 3, -3), (47, 23, 30), 2))
UNREPLACED = (
    PLAIN,
    Case(Updates((6, 3, -3), (1, 1, 2), 1)),
    Case(Updates(((1, 0), (0, 2), (-1, 1), ("1/2", 3)), (1, 2, 3, 4), 3, (1, 1, 2, 4))),
    Case(Updates((3, 1), (1, 1), 2)),
)
BEST = (Case(Updates((4, 1, -2, 3), (1, 2, 3, 4), 3)), Case(Updates((6, 3, -3), (2, 1, 1), 2)))
ANY = updates()
LINE = updates(dim=1)


def variance_unreplaced(x: Sequence[law.Vector], p: law.Vector, n: int) -> Any:
    """E |g~ - J|^2, by enumeration of the ordered draws."""
    return law.variance(law.draws_without_replacement(p, n), lambda o: law.estimator_unreplaced(x, p, o), law.total(x))


def formula_unreplaced(one: Updates) -> Fraction:
    """E |g~ - J|^2 from the conditional variances."""
    parts = law.conditional_variances(one.x, one.p, one.n_sampled)
    return sum((chance * value for _, chance, value in parts), Fraction(0)) / one.n_sampled**2


few = requires("no more draws than clients", lambda one, c: "K > M" if c.n_sampled > c.n_clients else None)
moving = requires("every update differs from 0",
    lambda one, c: None if all(one.a) else "an update is 0: the best distribution never draws its client")
spreading = requires("a positive variance at p",
    lambda one, c: None if formula_unreplaced(one) else "the variance at p is 0")


def mean_error(one: Updates, c: Constants) -> Fraction:
    found = law.mean(law.draws_without_replacement(one.p, one.n_sampled),
        lambda o: law.estimator_unreplaced(one.x, one.p, o))
    return relative(found, law.total(one.x), law.loss(one.a, one.p))


def _best(one: Updates) -> tuple[Any, ...]:
    """p proportional to the roots of the feedback."""
    sizes = [mixed_sqrt(to_mixed(a)) for a in one.a]
    whole = sum(sizes)
    return tuple(v / whole for v in sizes)


def _as_mixed(table: Table) -> list[tuple[Mixed, ...]]:
    return [tuple(map(to_mixed, row)) for row in table]


COMPARED: dict[str, Any] = {"family": LINE, "assumptions": (few, moving, spreading)}


def _ratio(one: Updates, c: Constants) -> Any:
    least = variance_unreplaced(_as_mixed(one.x), _best(one), one.n_sampled)
    return least / to_mixed(variance_unreplaced(one.x, one.p, one.n_sampled))


ratio = PAPER.lemma("C-P11-variance", "Proposition 11", "E|g̃ - J|² at p* / at p", _ratio, **COMPARED)


def conditional_ratio(one: Updates, c: Constants) -> Any:
    at_best = law.conditional_variances(_as_mixed(one.x), _best(one), one.n_sampled)
    least = {past: value for past, _, value in at_best}
    given = law.conditional_variances(one.x, one.p, one.n_sampled)
    ratios = [least[past] / to_mixed(value) for past, _, value in given if value]
    return largest(ratios) if ratios else 0


WITHOUT = (
    PAPER.lemma("C-P11-mean", "Proposition 11", "|E g̃ - J|² / (K l(p))", mean_error, cases=UNREPLACED, family=ANY,
        assumptions=[few]).printed("Draws without replacement: E g̃ = J", Eq(quantity, 0)),
    PAPER.lemma("C-P11-formula", "Proposition 11", "|E|g̃ - J|² - formula| / (K l(p))",
        lambda one, c: (abs(variance_unreplaced(one.x, one.p, one.n_sampled) - formula_unreplaced(one)) / law.loss(one.a, one.p)),
        cases=UNREPLACED, family=ANY, assumptions=[few]).explicit(
        "E|g̃ - J|² = K⁻² Σ_k E[(1 - P_k) Σ_{m∉S_k} a_m/p_m - |Σ_{m∉S_k} λ_m g_m|²]", Eq(quantity, 0)),
    ratio.printed("The variance of g̃ is least where l is: p* ∝ √a is at least as good as any p", quantity <= 1,
        counterexamples=[COUNTEREXAMPLE],
        remark="Updates 2, 1, -1 and K = 2: the variance is 4 at p*, 3.993 at (0.47, 0.23, 0.30), 3.977 at best."),
    PAPER.lemma("C-P11-variance", "Proposition 11", "largest conditional variance at p* / at p", conditional_ratio,
        **COMPARED).corrected("Given the past draws, the variance of each part of g̃ is least at p* ∝ √a",
        quantity <= 1, note="conditionally", cases=(COUNTEREXAMPLE, UNREPLACED[1], UNREPLACED[3], *BEST)),
    ratio.restated("C-P11-single", family=updates(dim=1, most=1)).corrected(
        "One draw: the variance of g̃ is least at p* ∝ √a", quantity <= 1, given=[K <= 1], note="K = 1",
        cases=(UNREPLACED[1], Case(Updates((6, 3, -3), (2, 1, 1), 1)))),
    ratio.restated("C-P11-pair", family=updates(dim=1, clients=2)).corrected(
        "Two clients: the variance of g̃ is least at p* ∝ √a", quantity <= 1, given=[M <= 2], note="M = 2",
        cases=(Case(Updates((3, -1), (1, 1), 2)), Case(Updates((3, -1), (3, 1), 1)))),
)

# Appendix D.1: updates in two parts -----------------------------------------------------------------------------------


def _least(x: Table) -> Mixed:
    """K times the least variance of an estimator of the sum of x: (sum of norms)^2 - |sum|^2."""
    norms = sum(mixed_sqrt(to_mixed(law.squared_norm(row))) for row in x)
    return norms * norms - to_mixed(law.squared_norm(law.total(x)))


def _scaled_variance(x: Table, p: Shares) -> Fraction:
    """K times the variance at p."""
    return Fraction(law.loss([law.squared_norm(row) for row in x], p)) - law.squared_norm(law.total(x))


def _joint_variance(one: TwoParts, shared: bool) -> Fraction:
    return (
        _scaled_variance(one.both, one.p)
        if shared
        else _scaled_variance(one.first, one.p) + _scaled_variance(one.second, one.p)
    )


def _separate_over_joint(shared: bool) -> Statement:
    """Return the best variances of the parts, each by itself, over the variance of both at p."""

    def apart(one: TwoParts, c: Constants) -> Any:
        return (_least(one.first) + _least(one.second)) / to_mixed(_joint_variance(one, shared))

    draw = "one draw for both" if shared else "a draw for each"
    name = f"sum of the least variances of the parts / variance at p, {draw}"
    varying = requires("a positive variance at p",
        lambda one, c: None if _joint_variance(one, shared) else "the variance at p is 0")
    measure = quantity_measure(apart, name=name)
    return PAPER.theorem("C-D1", "Appendix D.1", measure, kind="lemma", assumptions=[varying], family=TWO_PARTS)


PARTS = (
    Case(TwoParts((1, -1), (0, 2), (2, 3))),
    Case(TwoParts((1, -1), (0, 2), (1, 1))),
    Case(TwoParts((3, 1, 2), (1, 1, 5), (1, 2, 3), 2)),
)
TWO_PARTS = TwoParts.drawn(least=2)
BILEVEL = (
    Case(Bilevel((1, 2), (1, -1), (0, 3), (1, "1/2"), 2)),
    Case(Bilevel((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 2, 3))),
)

PERSONAL = (
    _separate_over_joint(shared=True).printed(
        "Two parts, each with its best distribution, have no larger variance than both from one draw", quantity <= 1,
        counterexamples=PARTS[:1], remark="From one draw the parts may cancel."),
    _separate_over_joint(shared=False).corrected(
        "Two parts, each with its best distribution, have no larger variance than both from independent draws of one p",
        quantity <= 1, note="independent draws on both sides", cases=PARTS),
    PAPER.lemma("C-D1-gradient", "(73)", "(73) / h'(w)", lambda one, c: one.two_parts / len(one.own) / one.derivative).printed(
        "(73) is the gradient of h", Eq(quantity, 1), counterexamples=BILEVEL,
        remark="(73) has both the weights λ_m and a factor 1/M."),
    PAPER.lemma("C-D1-gradient", "(73)", "(73) without 1/M / h'(w)", lambda one, c: one.two_parts / one.derivative).corrected(
        "(73) without its factor 1/M is the gradient of h", Eq(quantity, 1), note="without 1/M", cases=BILEVEL),
)

# Appendix D.2: absent clients -----------------------------------------------------------------------------------------

AWAY = (
    Case(Available((2, 1, -1), (3, 1, 2), 1, (), (), (1, 1, 0))),
    Case(Available(((1, 0), (0, 2), (-1, 1), ("1/2", 3)), (1, 2, 3, 4), 2, (1, 1, 2, 4), (), (1, 0, 1, 1), "9/10")),
    Case(Available((2, 1, -1), (3, 1, 2), 2, (), (), (0, 1, 1))),  # all of the active are used
    Case(Available((3, 1), (1, 9), 1)),
)
present = requires("an active client has an update",
    lambda one, c: None if any(one.heard) else "no active client has an update")
THERE: dict[str, Any] = {"cases": AWAY, "assumptions": [present]}


def _round_outcomes(one: Available) -> tuple[Sequence[tuple[Any, Any]], Any]:
    """Return the outcomes of a round with their probabilities, and the server's aggregate of one outcome."""
    if one.few:
        return [(None, Fraction(1))], lambda _: law.total(one.present)
    outcomes = [(n, chance) for n, chance in law.draws_with_replacement(one.rescaled, one.n_sampled) if chance]
    return outcomes, lambda n: law.estimator_available(one.present, one.rescaled, n)


def away_error(one: Available, c: Constants) -> Fraction:
    outcomes, estimate = _round_outcomes(one)
    return relative(law.mean(iter(outcomes), estimate), law.total(one.present), sum(one.heard, Fraction(0)))


def bias_of_absence(one: Available, c: Constants) -> Fraction:
    outcomes, estimate = _round_outcomes(one)
    return relative(law.mean(iter(outcomes), estimate), law.total(one.x), sum(one.heard, Fraction(0)))


def variance_away(one: Available, c: Constants) -> Fraction:
    outcomes, estimate = _round_outcomes(one)
    return law.variance(iter(outcomes), estimate, law.total(one.present))


def floor_away(one: Available, c: Constants) -> Fraction:
    least = min(q for q, on in zip(one.rescaled, one.active, strict=True) if on)
    away = sum(1 - int(on) for on in one.active)
    return least * (len(one.active) - away * Fraction(one.floor)) / Fraction(one.floor)


def best_away(one: Available, c: Constants) -> Any:
    sizes = law.rescale_active([mixed_sqrt(to_mixed(a)) for a in one.a], [bool(a) for a in one.heard])
    return law.loss([to_mixed(a) for a in one.heard], sizes) / to_mixed(law.loss(one.heard, one.rescaled))


ABSENT = (
    PAPER.lemma("C-D2-mean", "Appendix D.2", "|E g - Σ_{m∈I} λ_m g_m|² / Σ_{m∈I} a_m", away_error, **THERE).explicit(
        "Drawn from p̃, the estimator is unbiased for the sum over the active clients", Eq(quantity, 0)),
    PAPER.lemma("C-D2-all", "Appendix D.2", "|E g - J|² / Σ_{m∈I} a_m", bias_of_absence, **THERE).strict(
        "Drawn from p̃, the estimator is unbiased for J as (2) is", Eq(quantity, 0), counterexamples=AWAY[:1],
        remark="The paper does not say so; it says that the optimization need not converge. The updates of inactive clients are "
        "missing."),
    PAPER.lemma("C-D2-variance", "Appendix D.2", "E|g - Σ_{m∈I} λ_m g_m|²", variance_away, GRADIENT_SQUARED, **THERE).explicit(
        "Drawn from p̃, E|g - J_I|² = l_I(p̃) - |J_I|²/K; 0 where all are used", Eq(quantity, Lbar - J2 / K)),
    PAPER.lemma("C-D2-floor", "Appendix D.2", "min over I of p̃_m (M - (M - |I|)α) / α", floor_away, cases=AWAY).explicit(
        "p̃ has the floor α/(M - (M - |I|)α) on the active clients: no less than α/M", 1 <= quantity),
    PAPER.lemma("C-D2-loss", "Appendix D.2", "Σ_{m∈I} a_m/p̃_m / Σ_{m∈I} a_m/p̂_m",
        lambda one, c: Fraction(law.loss(one.heard, one.rescaled)) / law.loss(one.heard, one.inside), **THERE).explicit(
        "Rescaling never increases the loss of the active clients", quantity <= 1),
    PAPER.lemma("C-D2-best", "Appendix D.2", "Σ_{m∈I} a_m/p_m at p* ∝ √a rescaled / at p̃", best_away, **THERE).explicit(
        "The best distribution, rescaled, is at least as good on the active clients as any p̃", quantity <= 1),
)

CLAIMS: tuple[Claim, ...] = (*WITHOUT, *PERSONAL, *ABSENT)
