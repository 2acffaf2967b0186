"""Lemmas on random signs (8, 9, 12, 13) and on the function T (11), from exact laws."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import Rational, sqrt

from fltheory.bound import Bound, Reading, Side
from fltheory.case import Assumption, Case
from fltheory.claim import Claim
from fltheory.number import Ring
from fltheory.papers.sfl.bounds.lemmas import lemma
from fltheory.papers.sfl.claims.direct import claim, drawn
from fltheory.papers.sfl.data.lemma_instances import BalancedSigns, IndependentSigns, Parameters, StepPair
from fltheory.papers.sfl.exact import signs as law
from fltheory.papers.sfl.letters import K, M, k, m, n, t
from fltheory.runs.measures import NUMBER, DirectMeasure

a_k = k / K


def _of(name: str, value: Callable[..., Fraction], *needed: Any) -> DirectMeasure:
    """A rational function of the constants ``needed``."""

    def compute(case: Case, ring: Ring) -> Any:
        return ring.scalar(value(*(case.constants[s] for s in needed)))

    return DirectMeasure(name, compute, NUMBER)


def _sided(side: Side) -> Callable[..., Bound]:
    def bound(expr: Any, place: str, *conditions: Any, reading: Reading = "printed", note: str = "") -> Bound:
        return lemma(expr, place, reading, conditions, side=side, note=note)

    return bound


_most, _least, _exactly = _sided("upper"), _sided("lower"), _sided("equal")

# Lemmas 8 and 9: independent signs ------------------------------------------------------------------------------

_UP_TO = (0, 1, 2, 3, 4, 5, 8, 9, 16, 50, 101)
_SIGNS = tuple(Case(IndependentSigns(i)) for i in _UP_TO)
_SOME = tuple(c for c in _SIGNS if c.constants[n] >= 1)
_EVEN = tuple(Case(IndependentSigns(i)) for i in (2, 4, 6, 10, 50, 100))
_DRAW = drawn("independent_signs")
_DRAW_EVEN = drawn("independent_signs", even=True)
_ABS = _of("E|E_n|", lambda i: law.mean_absolute(law.independent_sum(i)), n)
_is_even = Assumption("an even number of signs", lambda case: "n is odd" if case.constants[n] % 2 else None)


def _balance(i: int) -> Fraction:
    return Fraction(law.chance(law.independent_sum(i), 0))


def _recursion(i: int) -> Fraction:
    """(E|E_{n-1}| + P(E_{n-1} = 0)) / E|E_n|."""
    return (law.mean_absolute(law.independent_sum(i - 1)) + _balance(i - 1)) / law.mean_absolute(law.independent_sum(i))


INDEPENDENT = (
    claim(
        "L8",
        "i.i.d. signs: √n/5 <= E|E_n| <= √n for every n >= 0",
        (_least(sqrt(n) / 5, "Lemma 8"), _most(sqrt(n), "Lemma 8")),
        _ABS,
        _SIGNS,
        _DRAW,
    ),
    claim(
        "L8",
        "i.i.d. signs: n/2 <= (E|E_n|)² <= n for every n >= 0",
        (_least(n / Rational(2), "Lemma 8", reading="sharpened"), _most(n, "Lemma 8", reading="sharpened")),
        _of("(E|E_n|)²", lambda i: law.mean_absolute(law.independent_sum(i)) ** 2, n),
        _SIGNS,
        _DRAW,
        remark="Attained at n = 2 and at n = 1.",
    ),
    claim(
        "L8-recursion",
        "(E|E_{n-1}| + P(E_{n-1} = 0)) / E|E_n| = 1 for n >= 1",
        _exactly(1, "Lemma 8, proof", n >= 1),
        _of("(E|E_{n-1}| + P(E_{n-1} = 0)) / E|E_n|", _recursion, n),
        _SOME,
        _DRAW,
    ),
    claim(
        "L8-central",
        "P(E_n = 0) >= 1/(2√n) for even n >= 2",
        _least(1 / (2 * sqrt(n)), "Lemma 8, proof", n >= 2),
        _of("P(E_n = 0)", _balance, n),
        _EVEN,
        _DRAW_EVEN,
        (_is_even,),
    ),
    claim(
        "L9",
        "i.i.d. signs, n >= 1: 1/4 <= P(E_n > 0) <= 1/2",
        (_least(Rational(1, 4), "Lemma 9", n >= 1), _most(Rational(1, 2), "Lemma 9", n >= 1)),
        _of("P(E_n > 0)", lambda i: law.chance(law.independent_sum(i), 1), n),
        _SOME,
        _DRAW,
        remark="1/4 is attained at n = 2.",
    ),
    claim(
        "L9-symmetry",
        "P(E_n < 0) / P(E_n > 0) = 1 for n >= 1",
        _exactly(1, "Lemma 9", n >= 1),
        _of("P(E_n < 0) / P(E_n > 0)", lambda i: _odds(law.independent_sum(i)), n),
        _SOME,
        _DRAW,
    ),
    claim(
        "L9-ratio",
        "P(E_{n+2} = 0) / P(E_n = 0) = (n + 1)/(n + 2) for even n",
        _exactly((n + 1) / (n + 2), "Lemma 9, proof", reading="explicit"),
        _of("P(E_{n+2} = 0) / P(E_n = 0)", lambda i: _balance(i + 2) / _balance(i), n),
        _EVEN,
        _DRAW_EVEN,
        (_is_even,),
    ),
)


def _odds(found: law.Law) -> Fraction:
    """P(X < 0) / P(X > 0)."""
    return law.chance(found, -1) / law.chance(found, 1)


# Lemma 11: the function T ---------------------------------------------------------------------------------------

_PAIRS = tuple(
    Case(StepPair(clients, steps, low, high))
    for clients, steps in ((2, 1), (3, 2), (4, 5), (10, 3), (20, 10))
    for low, high in (("1/1000", "1/100"), ("1/10", "11/100"), ("1/2", "99/100"))
)
_UNITS = tuple(
    Case(Parameters(n_clients=clients, unit_interval=at))
    for clients in (2, 3, 4, 10, 25)
    for at in ("1/1000", "1/10", "1/2", "9/10")
)
_M_ONLY = tuple(Case(Parameters(n_clients=i)) for i in (2, 3, 4, 10, 100, 1211, 1212, 5000))
_IN_UNIT = (M >= 2, t < 1)
_T = _of("T(t)", lambda i, at: law.t_function(i, Fraction(at)), M, t)
_UNIT_POINTS, _CLIENTS = drawn("unit_points"), drawn("clients_only")


def _growth(case: Case, ring: Ring) -> Any:
    """T(low) / T(high)."""
    pair: Any = case.instance
    low, high = (law.t_of_step(pair.n_clients, pair.n_local_steps, Fraction(d)) for d in (pair.low, pair.high))
    return ring.scalar(low / high)


def _taylor(clients: int, at: Any) -> Fraction:
    """(1-t)^{M-1} (1 + (M-1) t + M (M-1) t^2 / 2), which T' compares with 1."""
    u = Fraction(at)
    return (1 - u) ** (clients - 1) * (1 + (clients - 1) * u + Fraction(clients * (clients - 1), 2) * u * u)


_FIRST_STEP = Fraction(1, 202)


def _first_terms(clients: int) -> Fraction:
    """405 (1 - 1/(202 M))^M - 403, what is left of T(1/(202 M)) without its last term."""
    return 405 * (1 - _FIRST_STEP / clients) ** clients - 403


_TAYLOR_POLYNOMIAL = (1 - t) ** (M - 1) * (1 + (M - 1) * t + M * (M - 1) * t**2 / 2)
LEMMA_11 = (
    claim(
        "L11",
        "T is increasing on (0, 1): T(d)/T(d') <= 1 for d < d'",
        _most(1, "Lemma 11"),
        DirectMeasure("T(d)/T(d')", _growth, NUMBER),
        _PAIRS,
        drawn("step_pairs"),
    ),
    claim(
        "L11-derivative",
        "T'(t) = 2/(M t²) (1 - (1-t)^{M-1} (1 + (M-1) t + M(M-1) t²/2))",
        _exactly(2 / (M * t**2) * (1 - _TAYLOR_POLYNOMIAL), "Lemma 11, proof", *_IN_UNIT),
        _of("T'(t)", lambda i, at: law.t_derivative(i, Fraction(at)), M, t),
        _UNITS,
        _UNIT_POINTS,
    ),
    claim(
        "L11-positive",
        "T' > 0: (1-t)^{M-1} (1 + (M-1) t + M(M-1) t²/2) <= 1",
        _most(1, "Lemma 11, proof", *_IN_UNIT),
        _of("(1-t)^{M-1} (1 + (M-1) t + M(M-1) t²/2)", _taylor, M, t),
        _UNITS,
        _UNIT_POINTS,
    ),
    claim(
        "L11-range",
        "T(t) <= min{1 - 1/M, (M² - 1) t²/6} on (0, 1)",
        (
            _most(1 - 1 / M, "Lemma 11", *_IN_UNIT, reading="sharpened"),
            _most((M**2 - 1) * t**2 / 6, "Lemma 11", *_IN_UNIT, reading="sharpened"),
        ),
        _T,
        _UNITS,
        _UNIT_POINTS,
        remark="Equality with the second for M = 2, and as t -> 0.",
    ),
    claim(
        "D3-T",
        "T(1/(202 M)) >= 1/326432 for every M >= 2",
        _least(Rational(1, 326432), "Appendix D.3", M >= 2, reading="sharpened"),
        _of("T(1/(202 M))", lambda i: law.t_function(i, _FIRST_STEP / i), M),
        _M_ONLY,
        _CLIENTS,
        remark="The paper only says: some constant. Attained at M = 2.",
    ),
    claim(
        "D3-first",
        "405 (1 - 1/(202 M))^M - 403 > 1.3e-11 for M = 1212",
        _least(Rational(13, 10**12), "Appendix D.3", M >= 1212, M <= 1212),
        _of("405 (1 - 1/(202 M))^M - 403", _first_terms, M),
        (Case(Parameters(n_clients=1212)),),
        _CLIENTS,
        expected="violated",
        remark="The printed value is rounding noise of double precision: it is 3.88e-12, still positive.",
    ),
    claim(
        "D3-first",
        "405 (1 - 1/(202 M))^M - 403 >= 3.8e-12 for M >= 1212",
        _least(Rational(38, 10**13), "Appendix D.3", M >= 1212, reading="corrected"),
        _of("405 (1 - 1/(202 M))^M - 403", _first_terms, M),
        _M_ONLY[-2:],
        _CLIENTS,
    ),
    claim(
        "D3-h4",
        "T(t) >= 1 - 3/M for t >= 1/2",
        _least(1 - 3 / M, "Appendix D.3", *_IN_UNIT, 2 * t >= 1, M >= 4),
        _T,
        tuple(c for c in _UNITS if c.constants[t] >= Fraction(1, 2) and c.constants[M] >= 4),
        _UNIT_POINTS,
    ),
)

# Lemmas 12 and 13: a permutation of signs -----------------------------------------------------------------------


def _places(clients: int, steps: int, positions: Any, first: int = 0) -> tuple[Case, ...]:
    return tuple(
        Case(BalancedSigns(clients), position=i, local_step=j, n_local_steps=steps)
        for i in positions
        for j in range(steps)
        if (i, j) != (1, 0) and j >= first
    )


_FRONT = _places(4, 3, range(1, 4)) + _places(6, 10, (4,)) + _places(10, 5, (1, 2, 3, 6)) + _places(18, 5, (10,))
_ALL = _places(2, 3, (1, 2)) + _places(4, 3, range(1, 5)) + _places(10, 5, (2, 7, 10)) + _places(18, 5, (18,))
_WITHIN = k + 1 <= K
_FRONT_ONLY = (M >= 4, 2 * m <= M + 2, _WITHIN)
_DRAW_SIGNS = drawn("balanced_signs")


def _sum(clients: int, place: int, step: int, steps: int) -> law.Law:
    return law.fractional_sum(clients, place, Fraction(step, steps))


_AT = (M, m, k, K)
_ABS_A = _of("E|A_{m,k}|", lambda *at: law.mean_absolute(_sum(*at)), *_AT)
_ROOT = sqrt(m - 1 + a_k**2)
_inside = Assumption(
    "a position of the round", lambda case: "m exceeds M" if case.constants[m] > case.constants[M] else None
)
_not_first = Assumption(
    "not the first model", lambda case: "(m, k) = (1, 0)" if case.constants[m] == 1 and not case.constants[k] else None
)


def _conditioned(clients: int, place: int, step: int, steps: int) -> Fraction:
    """((1 - a_k/(M-m+1)) E|E_{m-1}| + a_k P(E_{m-1} = 0)) / E|A_{m,k}|."""
    before, part = law.balanced_sum(clients, place - 1), Fraction(step, steps)
    shrunk = (1 - part / (clients - place + 1)) * law.mean_absolute(before)
    return (shrunk + part * law.chance(before, 0)) / law.mean_absolute(_sum(clients, place, step, steps))


def _overlap(clients: int, place: int, step: int, steps: int) -> Fraction:
    """The common mass of the law of A_{m,k} and of Table 7: 1 where they agree."""
    part = Fraction(step, steps)
    table, found = law.table_7(clients, place, part), law.fractional_sum(clients, place, part)
    return sum((min(p, table.get(v, Fraction(0))) for v, p in found.items()), Fraction(0))


def _sums(sizes: tuple[int, ...]) -> tuple[Case, ...]:
    return tuple(Case(BalancedSigns(i), n_signs=j) for i in sizes for j in range(1, i // 2 + 1))


_L12, _L13 = "Lemma 12", "Lemma 13"
_HALVES = (_least(Rational(1, 6), _L13, _WITHIN), _most(Rational(1, 2), _L13, _WITHIN))
PERMUTED = (
    claim(
        "L12",
        "permuted signs, m <= M/2 + 1, M >= 4: √(m-1+a_k²)/20 <= E|A_{m,k}| <= √(m-1+a_k²)",
        (_least(_ROOT / 20, _L12, *_FRONT_ONLY), _most(_ROOT, _L12, *_FRONT_ONLY)),
        _ABS_A,
        _FRONT,
        _DRAW_SIGNS,
        (_inside,),
        remark="The range matters: the lower bound fails at (M, m, k, K) = (18, 18, 4, 5).",
    ),
    claim(
        "L12",
        "permuted signs, m <= M/2 + 1, 4 <= M <= 60: (2/5) √(m-1+a_k²) <= E|A_{m,k}|",
        _least(2 * _ROOT / 5, _L12, *_FRONT_ONLY, M <= 60, reading="sharpened", note="enumerated for M <= 60"),
        _ABS_A,
        _FRONT,
        _DRAW_SIGNS,
        (_inside,),
        remark="Approached at M = 6, m = 4, a_k -> 1.",
    ),
    claim(
        "L12-upper",
        "permuted signs, every m <= M: E|A_{m,k}| <= √(m-1+a_k²)",
        _most(_ROOT, _L12, _WITHIN),
        _ABS_A,
        _ALL,
        _DRAW_SIGNS,
        (_inside,),
    ),
    claim(
        "L12-step",
        "m >= 2: E|A_{m,k}| = (1 - a_k/(M-m+1)) E|E_{m-1}| + a_k P(E_{m-1} = 0), as a ratio",
        _exactly(1, _L12 + ", proof", m >= 2, _WITHIN),
        _of("((1 - a_k/(M-m+1)) E|E_{m-1}| + a_k P(E_{m-1} = 0)) / E|A_{m,k}|", _conditioned, *_AT),
        tuple(c for c in _ALL if c.constants[m] >= 2),
        _DRAW_SIGNS,
        (_inside,),
    ),
    claim(
        "L12-first",
        "E|A_{1,k}| = a_k",
        _exactly(a_k, _L12 + ", proof", m <= 1, _WITHIN),
        _ABS_A,
        _places(4, 5, (1,)) + _places(10, 3, (1,)),
        _DRAW_SIGNS,
    ),
    claim(
        "L12-second",
        "E|A_{2,k}| = 1 - a_k/(M-1)",
        _exactly(1 - a_k / (M - 1), _L12 + ", proof", m >= 2, m <= 2, _WITHIN),
        _ABS_A,
        _places(4, 5, (2,)) + _places(10, 3, (2,)),
        _DRAW_SIGNS,
    ),
    claim(
        "L12-root",
        "2 <= m <= M/2 + 1: E|A_{m,k}| >= √m/20",
        _least(sqrt(m) / 20, _L12 + ", proof", *_FRONT_ONLY, m >= 2),
        _ABS_A,
        tuple(c for c in _FRONT if c.constants[m] >= 2),
        _DRAW_SIGNS,
        (_inside,),
    ),
    claim(
        "L12-sum",
        "n <= M/2: E|E_n| >= √(n+1)/10",
        _least(sqrt(n + 1) / 10, _L12 + ", proof", 2 * n <= M, n >= 1),
        _of("E|E_n|", lambda i, j: law.mean_absolute(law.balanced_sum(i, j)), M, n),
        _sums((2, 4, 10, 30)),
        drawn("balanced_sums"),
    ),
    claim(
        "L13",
        "permuted signs, (m, k) not (1, 0): 1/6 <= P(A_{m,k} > 0) <= 1/2",
        _HALVES,
        _of("P(A_{m,k} > 0)", lambda *at: law.chance(_sum(*at), 1), *_AT),
        _ALL,
        _DRAW_SIGNS,
        (_inside, _not_first),
        remark="1/6 is attained at M = 4, m = 3, k = 0.",
    ),
    claim(
        "L13-symmetry",
        "P(A_{m,k} < 0) / P(A_{m,k} > 0) = 1",
        _exactly(1, _L13, _WITHIN),
        _of("P(A_{m,k} < 0) / P(A_{m,k} > 0)", lambda *at: _odds(_sum(*at)), *_AT),
        _ALL,
        _DRAW_SIGNS,
        (_inside, _not_first),
    ),
    claim(
        "L13-half",
        "k >= 1: P(A_{m,k} > 0) = 1/2",
        _exactly(Rational(1, 2), _L13, _WITHIN, k >= 1, reading="explicit"),
        _of("P(A_{m,k} > 0)", lambda *at: law.chance(_sum(*at), 1), *_AT),
        tuple(c for c in _ALL if c.constants[k] >= 1),
        _DRAW_SIGNS,
        (_inside,),
    ),
    claim(
        "L13-law",
        "the law of A_{m,k} is that of Table 7: they have all mass in common",
        _exactly(1, "Table 7", _WITHIN),
        _of("common mass with Table 7", _overlap, *_AT),
        _ALL,
        _DRAW_SIGNS,
        (_inside,),
    ),
)

CLAIMS: tuple[Claim, ...] = (*INDEPENDENT, *LEMMA_11, *PERMUTED)
