"""Appendix D, Definition 2.1 and Algorithm 3: no constant for all losses, Gini's coefficient, the order of the estimates."""

from __future__ import annotations

from sympy import Abs, Integer, Symbol

from fltheory.papers.aaggff.estimators.proofs.measured import ENDS, GAP, LAST_TWO, gap, side, term
from fltheory.papers.aaggff.estimators.proofs.spread import HIGH, LOW, best, worst, x
from fltheory.papers.aaggff.losses.proofs.facts import CLIENTS, EACH, P, Q, i, j, n, whole
from fltheory.papers.aaggff.notation import K, low, top
from fltheory.papers.aaggff.unification.proofs.mixing import DECISIONS, F, after, before, distance, tied
from fltheory.proof import by, eq, le, proof
from fltheory.proof.terms import Total

# U7: the gap between the worst client and the best --------------------------------------------------------------------

_MOVED = whole((before(j) - after(j)) * F(j))
_CHAIN, _STATED = tied("U7-c-uniform@corrected", Abs(_MOVED) / distance)
UNIFORM = (
    _CHAIN.under(*DECISIONS)
    .given("worst", eq(before(i) * (F(i) - top), 0, EACH), "all weight is on the clients with the largest loss")
    .given("best", eq(after(i) * (F(i) - low), 0, EACH), "and then all on those with the smallest")
    .step("at worst", eq(whole(before(j) * (F(j) - top)), 0), by.sum_over(i, "worst"))
    .step("at best", eq(whole(after(j) * (F(j) - low)), 0), by.sum_over(i, "best"))
    .step("change", eq(_MOVED, top - low), by.linear("at worst", "at best", "sum p", "sum q"))
    .step("one", le(before(i) - after(i), before(i) + after(i), EACH), by.linear())
    .step("two", le(after(i) - before(i), before(i) + after(i), EACH), by.linear())
    .step("size", by.absolute("one", "two"))
    .step("sizes", le(whole(Abs(before(j) - after(j))), whole(before(j) + after(j))), by.sum_over(i, "size"))
    .step("short", le(distance, 2), by.linear("distance", "sizes", "sum p", "sum q"))
    .step("weighed low", le(0, (F(i) - low) * before(i), EACH), by.linear("low"))
    .step("all low", le(0, whole((F(j) - low) * before(j))), by.sum_over(i, "weighed low"))
    .step("order", le(low, top), by.linear("all low", "at worst", "sum p"))
    .step(
        "known",
        le(Abs(_MOVED) / distance, (top - low) / 2),
        by.apply("aaggff/U7-c-lipschitz@strengthened", "sum p", "sum q", "distance", "high", "low"),
    )
    .step("rises", by.fact("abs", _MOVED))
    .step("reached", le((top - low) / 2, Abs(_MOVED) / distance), by.linear("rises", "change", "short", "order"))
    .qed(_STATED, by.antisymmetry("known", "reached"))
)

# Definition 2.1: Gini's coefficient times the mean is sum |x_i - x_j| / (2 K^2) --------

at, other = (Symbol(name, real=True) for name in ("u", "v"))
APART = (
    proof("aaggff/apart", "Definition 2.1", note="u - v is at most the chance that one is above and the other is not")
    .given("high u", le(at, best), "no performance is above the best")
    .given("low v", le(worst, other), "nor below the worst")
    .under(GAP)
    .qed(le(gap * (at - other), (at - worst) * (best - other) + (other - worst) * (best - at)),
        by.linear("low v", "gap", "high u"))
)
k = Symbol("k", integer=True, positive=True)
_ALL = Total(whole(Abs(x(k) - x(j))), k, 1, K)
_GINI = _ALL / (2 * K**2) / gap
_PAIRS = ((k, 1, K), EACH)
_APART = x(k) - x(i)
_LIMIT = (x(k) - worst) * (best - x(i)) + (x(i) - worst) * (best - x(k))
_SUM = whole(x(j) - worst)
_CHAIN, _STATED = side("D2.1-gini@explicit", "upper", _GINI)
GINI_HIGH = (
    _CHAIN.under(LOW, HIGH, GAP)
    .step("low k", by.instance({i: k}, "low"), over=(k, 1, K))
    .step("high k", by.instance({i: k}, "high"), over=(k, 1, K))
    .step("one", by.apply(APART, {at: x(k), other: x(i)}))
    .step("two", le(-gap * _APART, _LIMIT, *_PAIRS), by.apply(APART, {at: x(i), other: x(k)}))
    .step("up", le(_APART, _LIMIT / gap, *_PAIRS), by.linear("one"))
    .step("down", le(-_APART, _LIMIT / gap, *_PAIRS), by.linear("two"))
    .step("pair", by.absolute("up", "down"))
    .step(
        "row",
        le(
            whole(Abs(x(k) - x(j))),
            whole((x(k) - worst) * (best - x(j)) + (x(j) - worst) * (best - x(k))) / gap,
            (k, 1, K),
        ),
        by.sum_over(i, "pair"),
    )
    .step("all", le(_ALL, 2 * _SUM * (K * (best - worst) - _SUM) / gap), by.sum_over(k, "row"))
    .step(
        "middle",
        le(4 * K * (best - worst) * 2 * _SUM, (K * (best - worst) + 2 * _SUM) ** 2),
        by.apply("aaggff/square", {P: K * (best - worst), Q: 2 * _SUM}),
    )
    .qed(_STATED, by.linear("all", "middle", "gap"))
)
_PART = 1 / (2 * K**2 * gap)
_ROW = whole(Abs(x(k) - x(j)))
_INNER, _OUTER = Total(Abs(x(k) - x(j)), j, 1, K - 2), Total(_ROW, k, 1, K - 2)
_OTHERS = (k, 1, K - 2)
_WORST_ROW, _BEST_ROW = _ROW.xreplace({k: K - 1}), _ROW.xreplace({k: K})
_CHAIN, _STATED = side("D2.1-gini@explicit", "lower", _GINI)
GINI_LOW = (
    _CHAIN.under(CLIENTS, GAP, *ENDS)
    .step(
        "row",
        eq(_ROW, _INNER + Abs(x(k) - x(K - 1)) + Abs(x(k) - x(K)), _OTHERS),
        by.apply(LAST_TWO, {n: K - 2, term(j): Abs(x(k) - x(j))}, "clients"),
    )
    .step("positive", le(0, Abs(x(k) - x(i)), _OTHERS, (i, 1, K - 2)), by.linear())
    .step("inner", le(0, _INNER, _OTHERS), by.sum_over(i, "positive"))
    .step("above", by.fact("abs", x(k) - x(K - 1)), over=_OTHERS)
    .step("below", by.fact("abs", x(K) - x(k)), over=_OTHERS)
    .step("each", le(x(K) - x(K - 1), _ROW, _OTHERS), by.linear("row", "inner", "above", "below"))
    .step("others", by.sum_over(k, "each"))
    .step("count", by.apply(LAST_TWO, {n: K - 2, term(j): Integer(1)}, "clients"))
    .step("over worst", by.fact("abs", x(i) - x(K - 1)), over=EACH)
    .step("under best", by.fact("abs", x(K) - x(i)), over=EACH)
    .step("worst row", le(whole(x(j) - x(K - 1)), _WORST_ROW), by.sum_over(i, "over worst"))
    .step("best row", le(whole(x(K) - x(j)), _BEST_ROW), by.sum_over(i, "under best"))
    .step(
        "rows",
        eq(_ALL, _OUTER + _WORST_ROW + _BEST_ROW),
        by.apply(LAST_TWO, {n: K - 2, term(j): Total(Abs(x(j) - x(i)), i, 1, K)}, "clients"),
    )
    .qed(
        _STATED,
        by.linear(
            {
                "rows": -_PART,
                "count": _PART * (x(K) - x(K - 1)),
                "others": _PART,
                "worst row": _PART,
                "best row": _PART,
                "worst": _PART * (2 * K - 2),
                "best": -_PART * (2 * K - 2),
                "gap": _PART * (2 * K - 2),
            },
            "clients",
        ),
    )
)
THEOREMS = (UNIFORM, APART, GINI_HIGH, GINI_LOW)
