"""Draws without replacement (Proposition 11) and updates in two parts (Appendix D.1)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import arb

from fltheory.case import Assumption, Case
from fltheory.claim import Claim
from fltheory.number import Ring
from fltheory.papers.osmd.bounds import bound
from fltheory.papers.osmd.claims.direct import claim, drawn, of_instance
from fltheory.papers.osmd.claims.sampling import EQUAL, NONE, ONE, PLAIN, relative
from fltheory.papers.osmd.data.lemma_instances import Bilevel, TwoParts
from fltheory.papers.osmd.data.sampling_instances import Updates
from fltheory.papers.osmd.exact import enumeration as law
from fltheory.papers.osmd.letters import K, M
from fltheory.runs.measures import NUMBER, DirectMeasure

# Proposition 11: draws without replacement ----------------------------------------------------------------------------

_few = Assumption(
    "no more draws than clients", lambda case: None if case.constants[K] <= case.constants[M] else "K > M"
)


def _moves(case: Case) -> str | None:
    one: Any = case.instance
    return None if all(one.a) else "an update is 0: the best distribution never draws its client"


_moving = Assumption("every update differs from 0", _moves)


def mean_error_unreplaced(one: Updates) -> Fraction:
    """|E g~ - J|^2 over K l(p)."""
    found = law.mean(law.unreplaced(one.p, one.n_sampled), lambda o: law.estimator_unreplaced(one.x, one.p, o))
    return relative(found, law.total(one.x), law.loss(one.a, one.p))


def variance_unreplaced(x: Any, p: Any, n: int) -> Any:
    """E |g~ - J|^2, by enumeration of the ordered draws."""
    return law.variance(law.unreplaced(p, n), lambda o: law.estimator_unreplaced(x, p, o), law.total(x))


def formula_unreplaced(one: Updates) -> Fraction:
    """The same from the conditional variances."""
    parts = law.conditional_variances(one.x, one.p, one.n_sampled)
    return sum((chance * value for _, chance, value in parts), Fraction(0)) / one.n_sampled**2


def formula_error(one: Updates) -> Fraction:
    """Of that formula, over K l(p)."""
    return abs(variance_unreplaced(one.x, one.p, one.n_sampled) - formula_unreplaced(one)) / law.loss(one.a, one.p)


def _best(one: Updates, ring: Ring) -> tuple[Any, ...]:
    """p proportional to the roots of the feedback; in balls, or exactly where there is one coordinate."""
    if len(one.updates[0]) == 1:
        sizes: list[Any] = [ring.scalar(abs(row[0])) for row in one.x]
    else:
        sizes = [arb(ring.scalar(a)).sqrt() for a in one.a]
    whole = sum(sizes[1:], sizes[0])
    return tuple(v / whole for v in sizes)


def _in(ring: Ring, table: Any) -> list[tuple[Any, ...]]:
    return [tuple(ring.scalar(v) for v in row) for row in table]


def _variance_ratio(case: Case, ring: Ring) -> Any:
    """The variance of g~ at p* over that at p."""
    one: Any = case.instance
    x = _in(ring, one.x)
    least = variance_unreplaced(x, _best(one, ring), one.n_sampled)
    return least / ring.scalar(variance_unreplaced(one.x, one.p, one.n_sampled))


def _conditional_ratio(case: Case, ring: Ring) -> Any:
    """The largest, over past draws, of the conditional variance of the next part at p* over that at p."""
    one: Any = case.instance
    best, x = _best(one, ring), _in(ring, one.x)
    least = {past: value for past, _, value in law.conditional_variances(x, best, one.n_sampled)}
    ratios = [
        least[past] / ring.scalar(value)
        for past, _, value in law.conditional_variances(one.x, one.p, one.n_sampled)
        if value
    ]
    if not ratios:
        return ring.scalar(0)
    worst = ratios[0]
    for ratio in ratios[1:]:
        worst = worst.max(ratio) if isinstance(worst, arb) else max(worst, ratio)
    return worst


def _spread(case: Case) -> str | None:
    one: Any = case.instance
    return None if formula_unreplaced(one) else "the variance at p is 0"


_spreading = Assumption("a positive variance at p", _spread)
WITNESS = Case(Updates((6, 3, -3), (47, 23, 30), 2))
UNREPLACED = (
    PLAIN,
    Case(Updates((6, 3, -3), (1, 1, 2), 1)),
    Case(Updates(((1, 0), (0, 2), (-1, 1), ("1/2", 3)), (1, 2, 3, 4), 3, (1, 1, 2, 4))),
    Case(Updates((3, 1), (1, 1), 2)),
)
_BEST = (Case(Updates((4, 1, -2, 3), (1, 2, 3, 4), 3)), Case(Updates((6, 3, -3), (2, 1, 1), 2)))
_UNREPLACED = drawn("sampling", "updates", few=True)
_LINE = drawn("sampling", "updates", few=True, dim=1)
_RATIO = DirectMeasure("E|g̃ - J|² at p* / at p", _variance_ratio, NUMBER)
_CONDITIONAL = DirectMeasure("largest conditional variance at p* / at p", _conditional_ratio, NUMBER)
_FEWER = (_few, _moving, _spreading)
WITHOUT = (
    claim(
        "C-P11-mean",
        "Draws without replacement: E g̃ = J",
        bound(NONE, "Proposition 11", conditions=(), side=EQUAL),
        of_instance("|E g̃ - J|² / (K l(p))", mean_error_unreplaced),
        UNREPLACED,
        _UNREPLACED,
        (_few,),
    ),
    claim(
        "C-P11-formula",
        "E|g̃ - J|² = K⁻² Σ_k E[(1 - P_k) Σ_{m∉S_k} a_m/p_m - |Σ_{m∉S_k} λ_m g_m|²]",
        bound(NONE, "Proposition 11", "explicit", (), side=EQUAL),
        of_instance("|E|g̃ - J|² - formula| / (K l(p))", formula_error),
        UNREPLACED,
        _UNREPLACED,
        (_few,),
    ),
    claim(
        "C-P11-variance",
        "The variance of g̃ is least where l is: p* ∝ √a is at least as good as any p",
        bound(ONE, "Proposition 11", conditions=()),
        _RATIO,
        (WITNESS,),
        _LINE,
        _FEWER,
        expected="violated",
        remark="Updates 2, 1, -1 and K = 2: the variance is 4 at p*, 3.993 at (0.47, 0.23, 0.30), 3.977 at best.",
    ),
    claim(
        "C-P11-variance",
        "Given the past draws, the variance of each part of g̃ is least at p* ∝ √a",
        bound(ONE, "Proposition 11", "corrected", (), "conditionally"),
        _CONDITIONAL,
        (WITNESS, UNREPLACED[1], UNREPLACED[3], *_BEST),
        _LINE,
        _FEWER,
    ),
    claim(
        "C-P11-single",
        "One draw: the variance of g̃ is least at p* ∝ √a",
        bound(ONE, "Proposition 11", "corrected", (K <= 1,), "K = 1"),
        _RATIO,
        (UNREPLACED[1], Case(Updates((6, 3, -3), (2, 1, 1), 1))),
        drawn("sampling", "updates", few=True, dim=1, most=1),
        _FEWER,
    ),
    claim(
        "C-P11-pair",
        "Two clients: the variance of g̃ is least at p* ∝ √a",
        bound(ONE, "Proposition 11", "corrected", (M <= 2,), "M = 2"),
        _RATIO,
        (Case(Updates((3, -1), (1, 1), 2)), Case(Updates((3, -1), (3, 1), 1))),
        drawn("sampling", "updates", few=True, dim=1, clients=2),
        _FEWER,
    ),
)

# Appendix D.1: updates in two parts -----------------------------------------------------------------------------------


def _least(x: Any, ring: Ring) -> Any:
    """K times the least variance of an estimator of the sum of x: (sum of norms)^2 - |sum|^2."""
    if len(x[0]) == 1:
        root = sum((ring.scalar(abs(row[0])) for row in x), ring.scalar(0))
    else:
        root = sum((arb(ring.scalar(law.squared(row))).sqrt() for row in x), arb(0))
    return root * root - ring.scalar(law.squared(law.total(x)))


def _of(x: Any, p: Any) -> Fraction:
    """K times the variance at p."""
    return Fraction(law.loss([law.squared(row) for row in x], p)) - law.squared(law.total(x))


def _together(one: Any, shared: bool) -> Fraction:
    return _of(one.both, one.p) if shared else _of(one.first, one.p) + _of(one.second, one.p)


def _apart_over(shared: bool) -> DirectMeasure:
    def compute(case: Case, ring: Ring) -> Any:
        one: Any = case.instance
        return (_least(one.first, ring) + _least(one.second, ring)) / ring.scalar(_together(one, shared))

    draw = "one draw for both" if shared else "a draw for each"
    return DirectMeasure(f"sum of the least variances of the parts / variance at p, {draw}", compute, NUMBER)


def _varying(shared: bool) -> Assumption:
    def check(case: Case) -> str | None:
        return None if _together(case.instance, shared) else "the variance at p is 0"

    return Assumption("a positive variance at p", check)


def with_clients(one: Bilevel) -> Fraction:
    """(73) over the derivative."""
    return one.two_parts / len(one.own) / one.derivative


PARTS = (
    Case(TwoParts((1, -1), (0, 2), (2, 3))),
    Case(TwoParts((1, -1), (0, 2), (1, 1))),
    Case(TwoParts((3, 1, 2), (1, 1, 5), (1, 2, 3), 2)),
)
_PARTS = drawn("sampling", "two_parts")
_BILEVEL = (
    Case(Bilevel((1, 2), (1, -1), (0, 3), (1, "1/2"), 2)),
    Case(Bilevel((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 2, 3))),
)
PERSONAL = (
    claim(
        "C-D1",
        "Two parts, each with its best distribution, vary no more than both from one draw",
        bound(ONE, "Appendix D.1", conditions=()),
        _apart_over(True),
        PARTS[:1],
        _PARTS,
        (_varying(True),),
        expected="violated",
        remark="From one draw the parts may cancel.",
    ),
    claim(
        "C-D1",
        "Two parts, each with its best distribution, vary no more than both from independent draws of one p",
        bound(ONE, "Appendix D.1", "corrected", (), "independent draws on both sides"),
        _apart_over(False),
        PARTS,
        _PARTS,
        (_varying(False),),
    ),
    claim(
        "C-D1-gradient",
        "(73) is the gradient of h",
        bound(ONE, "(73)", conditions=(), side=EQUAL),
        of_instance("(73) / h'(w)", with_clients),
        _BILEVEL,
        drawn("sampling", "bilevel"),
        expected="violated",
        remark="The weights λ_m stand beside a factor 1/M.",
    ),
    claim(
        "C-D1-gradient",
        "(73) without its factor 1/M is the gradient of h",
        bound(ONE, "(73)", "corrected", (), "without 1/M", EQUAL),
        of_instance("(73) without 1/M / h'(w)", lambda one: one.two_parts / one.derivative),
        _BILEVEL,
        drawn("sampling", "bilevel"),
    ),
)

CLAIMS: tuple[Claim, ...] = (*WITHOUT, *PERSONAL)
