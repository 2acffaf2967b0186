"""Lemmas on random signs (8, 9, 12, 13) and on the function T (11), from exact distributions."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from sympy import Eq, Rational, Symbol, sqrt

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Constants, corrected, printed, quantity, requires
from fltheory.model.case import Case
from fltheory.model.schema import count
from fltheory.papers.sfl.instances.lemmas import EVEN_NUMBERS, BalancedSigns, IndependentSigns, Parameters, StepPair
from fltheory.papers.sfl.notation import K, M, eta, k, lam, m, n, t
from fltheory.papers.sfl.paper import PAPER, strategies
from fltheory.papers.sfl.signs import closed_forms as law

lemma = PAPER.lemma
FIRST_STEP = Fraction(1, 202)
even = requires("an even number of signs", lambda one, c: c.n_signs % 2 and "n is odd")
inside = requires("a position of the round", lambda one, c: c.position > c.n_clients and "m exceeds M")
not_first = requires("not the first model", lambda one, c: c.position == 1 and not c.local_step and "(m, k) = (1, 0)")


def odds(found: law.Law) -> Fraction:
    """P(X < 0) / P(X > 0)."""
    return law.chance(found, -1) / law.chance(found, 1)


# Lemmas 8 and 9: independent signs ----------------------------------------------------------------------------------------------

SIGNS = tuple(Case(IndependentSigns(i)) for i in (0, 1, 2, 3, 4, 5, 8, 9, 16, 50, 101))
SOME: dict[str, Any] = {"cases": SIGNS[1:]}
EVEN: dict[str, Any] = {
    "cases": tuple(Case(IndependentSigns(i)) for i in (2, 4, 6, 10, 50, 100)),
    "family": IndependentSigns.drawn(n_signs=EVEN_NUMBERS),
    "assumptions": (even,),
}


def size(i: int) -> Fraction:
    """E|E_i|."""
    return law.mean_absolute(law.independent_sum(i))


def balance(i: int) -> Fraction:
    """P(E_i = 0)."""
    return Fraction(law.chance(law.independent_sum(i), 0))


absolute = lemma("L8", "Lemma 8", "E|E_n|", lambda one, c: size(c.n_signs), cases=SIGNS)

recursion = lemma("L8-recursion", "Lemma 8, proof", "(E|E_{n-1}| + P(E_{n-1} = 0)) / E|E_n|",
    lambda one, c: (size(c.n_signs - 1) + balance(c.n_signs - 1)) / size(c.n_signs), **SOME)

INDEPENDENT = (
    absolute.printed("i.i.d. signs: √n/5 <= E|E_n| <= √n for every n >= 0", sqrt(n) / 5 <= quantity,
        quantity <= sqrt(n)),
    lemma("L8", "Lemma 8", "(E|E_n|)²", lambda one, c: size(c.n_signs) ** 2, cases=SIGNS).strengthened(
        "i.i.d. signs: n/2 <= (E|E_n|)² <= n for every n >= 0", n / 2 <= quantity, quantity <= n,
        remark="Attained at n = 2 and at n = 1."),
    recursion.printed("(E|E_{n-1}| + P(E_{n-1} = 0)) / E|E_n| = 1 for n >= 1", Eq(quantity, 1), given=[n >= 1]),
    lemma("L8-central", "Lemma 8, proof", "P(E_n = 0)", lambda one, c: balance(c.n_signs), **EVEN).printed(
        "P(E_n = 0) >= 1/(2√n) for even n >= 2", 1 / (2 * sqrt(n)) <= quantity, given=[n >= 2]),
    lemma("L9", "Lemma 9", "P(E_n > 0)", lambda one, c: law.chance(law.independent_sum(c.n_signs), 1), **SOME).printed(
        "i.i.d. signs, n >= 1: 1/4 <= P(E_n > 0) <= 1/2", Rational(1, 4) <= quantity, quantity <= Rational(1, 2),
        given=[n >= 1], remark="1/4 is attained at n = 2."),
    lemma("L9-symmetry", "Lemma 9", "P(E_n < 0) / P(E_n > 0)", lambda one, c: odds(law.independent_sum(c.n_signs)),
        **SOME).printed("P(E_n < 0) / P(E_n > 0) = 1 for n >= 1", Eq(quantity, 1), given=[n >= 1]),
    lemma("L9-ratio", "Lemma 9, proof", "P(E_{n+2} = 0) / P(E_n = 0)",
        lambda one, c: balance(c.n_signs + 2) / balance(c.n_signs), **EVEN).explicit(
        "P(E_{n+2} = 0) / P(E_n = 0) = (n + 1)/(n + 2) for even n", Eq(quantity, (n + 1) / (n + 2))),
)

# Lemma 11: the function T -------------------------------------------------------------------------------------------------------

PAIRS = tuple(
    Case(StepPair(clients, steps, low, high))
    for clients, steps in ((2, 1), (3, 2), (4, 5), (10, 3), (20, 10))
    for low, high in (("1/1000", "1/100"), ("1/10", "11/100"), ("1/2", "99/100"))
)
UNITS = tuple(
    Case(Parameters(n_clients=clients, unit_interval=law_of_a_sum))
    for clients in (2, 3, 4, 10, 25)
    for law_of_a_sum in ("1/1000", "1/10", "1/2", "9/10")
)
CLIENTS = tuple(Case(Parameters(n_clients=i)) for i in (2, 3, 4, 10, 100, 1211, 1212, 5000))
STEPS = tuple(
    Case(Parameters(n_clients=clients, n_local_steps=steps, small_curvature=curvature, step_size=step))
    for clients, steps in ((2, 1), (3, 2), (4, 5), (7, 3), (20, 10))
    for curvature, step in ((1, "1/1000"), ("1/2", "1/3"), (3, "3/10"), (1, 1))
)
UNIT: dict[str, Any] = {"cases": UNITS, "family": lambda: strategies().unit_points()}
MANY: dict[str, Any] = {"family": lambda: strategies().clients_only()}
T_AT = 1 - (1 - lam * eta) ** K  # the t of a step
SLOPE = (2 - T_AT) / (M * T_AT)
TAYLOR = (1 - t) ** (M - 1) * (1 + (M - 1) * t + M * (M - 1) * t**2 / 2)


def growth(one: StepPair, c: Constants) -> Fraction:
    low, high = (law.t_of_step(one.n_clients, one.n_local_steps, Fraction(d)) for d in (one.low, one.high))
    return low / high


derivative = lemma("L11-derivative", "Lemma 11, proof", "T'(t)",
    lambda one, c: law.t_derivative(c.n_clients, Fraction(c.unit_interval)), **UNIT)


def taylor(one: Parameters, c: Constants) -> Fraction:
    u, clients = Fraction(c.unit_interval), c.n_clients
    return (1 - u) ** (clients - 1) * (1 + (clients - 1) * u + Fraction(clients * (clients - 1), 2) * u * u)


of_unit = lemma("L11-range", "Lemma 11", "T(t)", lambda one, c: law.t_function(c.n_clients, Fraction(c.unit_interval)),
    **UNIT)

LARGE = tuple(c for c in UNITS if c.constants[t] >= Fraction(1, 2) and c.constants[M] >= 4)
LEMMA_11 = (
    lemma("L11", "Lemma 11", "T(d)/T(d')", growth, cases=PAIRS).printed(
        "T is increasing on (0, 1): T(d)/T(d') <= 1 for d < d'", quantity <= 1),
    lemma("I13", "(13)", "T(d), d = lam eta, as after (12)",
        lambda one, c: law.t_of_step(c.n_clients, c.n_local_steps, Fraction(c.small_curvature) * Fraction(c.step_size)),
        cases=STEPS, family=lambda: strategies().local_steps()).printed(
        "T(t) = (1 - (2 - t)/(Mt)) + (1 + (2 - t)/(Mt)) (1 - t)^M is T(d) at t = 1 - (1 - d)^K, d = lam eta",
        Eq(quantity, 1 - SLOPE + (1 + SLOPE) * (1 - T_AT) ** M), given=[lam * eta <= 1, M >= 2]),
    derivative.printed("T'(t) = 2/(M t²) (1 - (1-t)^{M-1} (1 + (M-1) t + M(M-1) t²/2))",
        Eq(quantity, 2 / (M * t**2) * (1 - TAYLOR)), given=[M >= 2, t < 1]),
    lemma("L11-positive", "Lemma 11, proof", "(1-t)^{M-1} (1 + (M-1) t + M(M-1) t²/2)", taylor, **UNIT).printed(
        "T' > 0: (1-t)^{M-1} (1 + (M-1) t + M(M-1) t²/2) <= 1", quantity <= 1, given=[M >= 2, t < 1]),
    of_unit.strengthened("T(t) <= min{1 - 1/M, (M² - 1) t²/6} on (0, 1)", quantity <= 1 - 1 / M,
        quantity <= (M**2 - 1) * t**2 / 6, given=[M >= 2, t < 1],
        remark="Equality with the second for M = 2, and as t -> 0."),
    lemma("D3-T", "Appendix D.3", "T(1/(202 M))", lambda one, c: law.t_function(c.n_clients, FIRST_STEP / c.n_clients),
        cases=CLIENTS, **MANY).strengthened("T(1/(202 M)) >= 1/326432 for every M >= 2", Rational(1, 326432) <= quantity,
        given=[M >= 2], remark="The paper only says: some constant. Attained at M = 2."),
    *lemma("D3-first", "Appendix D.3", "405 (1 - 1/(202 M))^M - 403",
        lambda one, c: 405 * (1 - FIRST_STEP / c.n_clients) ** c.n_clients - 403, **MANY).readings(
        printed("405 (1 - 1/(202 M))^M - 403 > 1.3e-11 for M = 1212", Rational(13, 10**12) <= quantity,
            given=[M >= 1212, M <= 1212], counterexamples=(Case(Parameters(n_clients=1212)),),
            remark="The printed value is rounding noise of double precision: it is 3.88e-12, still positive."),
        corrected("405 (1 - 1/(202 M))^M - 403 >= 3.8e-12 for M >= 1212", Rational(38, 10**13) <= quantity,
            given=[M >= 1212], cases=CLIENTS[-2:])),
    of_unit.restated("D3-h4", "Appendix D.3", cases=LARGE).printed("T(t) >= 1 - 3/M for t >= 1/2",
        1 - 3 / M <= quantity, given=[M >= 2, t < 1, 2 * t >= 1, M >= 4]),
)

# Lemmas 12 and 13: a permutation of signs ---------------------------------------------------------------------------------------


def places(clients: int, steps: int, positions: Iterable[int]) -> tuple[Case, ...]:
    """Return the positions and local steps of a round, except the first."""
    return tuple(
        Case(BalancedSigns(clients), position=i, local_step=j, n_local_steps=steps)
        for i in positions
        for j in range(steps)
        if (i, j) != (1, 0)
    )


FRONT = places(4, 3, range(1, 4)) + places(6, 10, (4,)) + places(10, 5, (1, 2, 3, 6)) + places(18, 5, (10,))
ALL = places(2, 3, (1, 2)) + places(4, 3, range(1, 5)) + places(10, 5, (2, 7, 10)) + places(18, 5, (18,))
PERMUTED: dict[str, Any] = {"cases": ALL, "family": lambda: strategies().balanced_signs(), "assumptions": (inside,)}
LATER: dict[str, Any] = PERMUTED | {"assumptions": (inside, not_first)}
FRONT_HALF = [M >= 4, 2 * m <= M + 2, k + 1 <= K]
WITHIN = k + 1 <= K
ROOT = sqrt(m - 1 + (k / K) ** 2)


def distribution_of_sum(c: Constants) -> law.Law:
    """Return the distribution of A_{m,k}."""
    return law.fractional_sum(c.n_clients, c.position, Fraction(c.local_step, c.n_local_steps))


permuted = lemma("L12", "Lemma 12", "E|A_{m,k}|", lambda one, c: law.mean_absolute(distribution_of_sum(c)), **PERMUTED)


def conditioned(one: BalancedSigns, c: Constants) -> Fraction:
    before, part = law.balanced_sum(c.n_clients, c.position - 1), Fraction(c.local_step, c.n_local_steps)
    shrunk = (1 - part / (c.n_clients - c.position + 1)) * law.mean_absolute(before)
    return (shrunk + part * law.chance(before, 0)) / law.mean_absolute(distribution_of_sum(c))


above = lemma("L13", "Lemma 13", "P(A_{m,k} > 0)", lambda one, c: law.chance(distribution_of_sum(c), 1), **LATER)


def overlap(one: BalancedSigns, c: Constants) -> Fraction:
    table, found = law.table_7(c.n_clients, c.position, Fraction(c.local_step, c.n_local_steps)), distribution_of_sum(c)
    return sum((min(p, table.get(v, Fraction(0))) for v, p in found.items()), Fraction(0))


def later(cases: tuple[Case, ...], symbol: Symbol, least: int) -> tuple[Case, ...]:
    """Return the cases from some position or local step on."""
    return tuple(c for c in cases if c.constants[symbol] >= least)


SUMS = tuple(Case(BalancedSigns(i), n_signs=j) for i in (2, 4, 10, 30) for j in range(1, i // 2 + 1))
proof = permuted.restated("", "Lemma 12, proof").restated
PERMUTATION = (
    permuted.printed("permuted signs, m <= M/2 + 1, M >= 4: √(m-1+a_k²)/20 <= E|A_{m,k}| <= √(m-1+a_k²)",
        ROOT / 20 <= quantity, quantity <= ROOT, given=FRONT_HALF, cases=FRONT,
        remark="The range matters: the lower bound fails at (M, m, k, K) = (18, 18, 4, 5)."),
    permuted.strengthened("permuted signs, m <= M/2 + 1, M >= 4: (2/5) √(m-1+a_k²) <= E|A_{m,k}|",
        2 * ROOT / 5 <= quantity, given=FRONT_HALF, cases=FRONT, remark="Approached at M = 6, m = 4, a_k -> 1."),
    permuted.restated("L12-upper").printed("permuted signs, every m <= M: E|A_{m,k}| <= √(m-1+a_k²)", quantity <= ROOT,
        given=[WITHIN]),
    lemma("L12-step", "Lemma 12, proof", "((1 - a_k/(M-m+1)) E|E_{m-1}| + a_k P(E_{m-1} = 0)) / E|A_{m,k}|",
        conditioned, **PERMUTED).printed(
        "m >= 2: E|A_{m,k}| = (1 - a_k/(M-m+1)) E|E_{m-1}| + a_k P(E_{m-1} = 0), as a ratio", Eq(quantity, 1),
        given=[m >= 2, WITHIN], cases=later(ALL, m, 2)),
    proof("L12-first", assumptions=(), cases=places(4, 5, (1,)) + places(10, 3, (1,))).printed("E|A_{1,k}| = a_k",
        Eq(quantity, k / K), given=[m <= 1, WITHIN]),
    proof("L12-second", assumptions=(), cases=places(4, 5, (2,)) + places(10, 3, (2,))).printed(
        "E|A_{2,k}| = 1 - a_k/(M-1)", Eq(quantity, 1 - k / K / (M - 1)), given=[m >= 2, m <= 2, WITHIN]),
    proof("L12-root", cases=later(FRONT, m, 2)).printed("2 <= m <= M/2 + 1: E|A_{m,k}| >= √m/20",
        sqrt(m) / 20 <= quantity, given=[*FRONT_HALF, m >= 2]),
    lemma("L12-sum", "Lemma 12, proof", "E|E_n|",
        lambda one, c: law.mean_absolute(law.balanced_sum(c.n_clients, c.n_signs)),
        family=BalancedSigns.drawn(settings={"n_signs": count(1, 20)})).printed("n <= M/2: E|E_n| >= √(n+1)/10",
        sqrt(n + 1) / 10 <= quantity, given=[2 * n <= M, n >= 1], cases=SUMS),
    above.printed("permuted signs, (m, k) not (1, 0): 1/6 <= P(A_{m,k} > 0) <= 1/2", Rational(1, 6) <= quantity,
        quantity <= Rational(1, 2), given=[WITHIN], remark="1/6 is attained at M = 4, m = 3, k = 0."),
    lemma("L13-symmetry", "Lemma 13", "P(A_{m,k} < 0) / P(A_{m,k} > 0)", lambda one, c: odds(distribution_of_sum(c)),
        **LATER).printed("P(A_{m,k} < 0) / P(A_{m,k} > 0) = 1", Eq(quantity, 1), given=[WITHIN]),
    above.restated("L13-half", cases=later(ALL, k, 1), assumptions=(inside,)).explicit("k >= 1: P(A_{m,k} > 0) = 1/2",
        Eq(quantity, Rational(1, 2)), given=[WITHIN, k >= 1]),
    lemma("L13-law", "Table 7", "common mass with Table 7", overlap, **PERMUTED).printed(
        "the distribution of A_{m,k} is that of Table 7: their common mass is 1", Eq(quantity, 1), given=[WITHIN]),
)

CLAIMS: tuple[Claim, ...] = (*INDEPENDENT, *LEMMA_11, *PERMUTATION)
