"""Section 4: dependence of the values of games on the budget, the floor and prior knowledge, as the claims state it."""

from __future__ import annotations

from sympy import Expr, Symbol

from fltheory.papers.osmd.heterogeneity.proofs import game
from fltheory.papers.osmd.heterogeneity.proofs.game import (COURSES, NODES, PLACE, POINTS, Q_THERE, TREE, Law, a, at, b,
    best, c, client, course, d, dear, dearest, f, far, low, mean, moves, no_cheaper, node, off, p, point, points, q,
    variance, visits, where)
from fltheory.papers.osmd.mirror.proofs.floor import of
from fltheory.papers.osmd.mirror.proofs.lemmas import FLOOR
from fltheory.papers.osmd.notation import M, T, alpha, beta, zeta_fix, zeta_T, zeta_unif
from fltheory.papers.osmd.regret.proofs.paths import t
from fltheory.proof import Given, by, eq, le, line, proof
from fltheory.proof.facts.notation import EACH, j, m, whole
from fltheory.proof.language import Step
from fltheory.proof.terms import Indicator, Positive, Total, family

_VALUE = mean(p, dear)

# A larger budget, a lower floor: the best policy stays admissible -----------------------------------------------------

more, share = Symbol("more", nonnegative=True), Symbol("share", nonnegative=True)
_OTHER = (
    Given("floor q", le(FLOOR, q(node, m), NODES, EACH), "q is the best policy of the game with alpha and beta: it"),
    Given("sum q", eq(whole(q(node, j)), 1, NODES), "plays distributions that keep to the floor,"),
    Given("moves q", le(moves(q, course), beta, COURSES), "keeps to the budget in every course,"),
    Given("zeta q", le(mean(q, course), zeta_T**2, COURSES), "and pays at most zeta_T^2, the value of that game"),
)
_STILL_ONE = (
    line("far moves", le(moves(q, far), beta), by.instance({course: far}, "moves q", "far")),
    line("low floor", le(FLOOR, q(low, client)), by.instance({node: low, m: client}, "floor q", "low", "client")),
    line("kept sum", eq(whole(q(off, j)), 1), by.instance({node: off}, "sum q", "off")),
    line("dear paid", le(mean(q, dearest), zeta_T**2), by.instance({course: dearest}, "zeta q", "dearest")),
)
_start, _line, _c = of("osmd/C-11-budget@printed", _VALUE)
BUDGET = (
    _start.under(*Q_THERE, *_OTHER, best(_VALUE, beta + more))
    .steps(*_STILL_ONE)
    .step("kept moves", le(moves(q, far), beta + more), by.linear({"far moves": 1}))
    .step("kept floor", le(FLOOR, q(low, client)), by.linear("low floor"))
    .steps(*no_cheaper(_VALUE, beta + more))
    .qed(_line, by.linear("no cheaper", "dear paid"), note="any larger budget; the claim's is larger by 1/2")
)
_LESS = Given("less", le(share, 1), "the floor is lowered to a share of it; the claim's is 1/2")
_start, _line, _c = of("osmd/C-11-floor@printed", _VALUE)
LOWER = (
    _start.under(*Q_THERE, *_OTHER, best(_VALUE, beta, share * FLOOR), _LESS)
    .steps(*_STILL_ONE)
    .step("kept moves", le(moves(q, far), beta), by.linear("far moves"))
    .step("kept floor", le(share * FLOOR, q(low, client)), by.linear({"low floor": 1, "less": FLOOR}))
    .steps(*no_cheaper(_VALUE, beta, share * FLOOR))
    .qed(_line, by.linear("no cheaper", "dear paid"))
)

# Constant distributions -----------------------------------------------------------------------------------------------

g = family(Positive, "g")
worst, other = (Symbol(name, integer=True, positive=True) for name in ("top_f", "dear_g"))
KEPT_LAW = (
    proof("osmd/kept-law", PLACE, note="what holds unless one of two numbers is negative")
    .given("first", le(0, a), "the first is not")
    .given("second", le(0, b), "nor the second")
    .given("unless", le(Indicator(a) * Indicator(b) * d, 0), "unless one is negative, d is not positive")
    .step("in a", eq(Indicator(a), 1), by.fact("indicator", a, "first"))
    .step("in b", eq(Indicator(b), 1), by.fact("indicator", b, "second"))
    .qed(le(d, 0), by.linear({"unless": 1, "in a": -Indicator(b) * d, "in b": -d}))
)


def best_law(law: Law, worse: Expr, floor: Expr = FLOOR, lowest: Expr = client) -> Given:
    """State that another distribution, off by ``worse``, is no better than the best one, or not on the simplex."""
    kept = Indicator(law(lowest) - floor) * Indicator(-((whole(law(j)) - 1) ** 2))
    return Given("best law", le(kept * worse, 0),
        "the best law costs no more than this one, unless that is no distribution or, where it is the lowest, below the floor")


def law_kept(
    law: Law,
    worse: Expr,
    floor: Expr = FLOOR,
    lowest: Expr = client,
    known: tuple[str, str] = ("kept floor", "kept sum"),
    tag: str = "",
) -> tuple[Step, ...]:
    """Return lines: it is a distribution of the floored simplex."""
    total = whole(law(j))
    return (
        line(f"{tag}height", le(0, law(lowest) - floor), by.linear(known[0])),
        line(f"{tag}whole", le(0, -((total - 1) ** 2)), by.linear({known[1]: total - 1})),
        line(f"{tag}no better", le(worse, 0),
            by.apply(KEPT_LAW, {a: law(lowest) - floor, b: -((total - 1) ** 2), d: worse}, f"{tag}height",
                f"{tag}whole", "best law")),
    )


_WORST = variance(f, worst)
_WORSE = _WORST - variance(g, other)
_THERE = (
    Given("client", le(client, M), "the client for whom g is the lowest"),
    Given("other", le(other, points), "the point that is the dearest with g"),
)
_start, _line, _c = of("osmd/C-11-fixed@printed", _WORST)
FIXED = (
    _start.given("alpha", le(alpha, 1), "the floor is at most the uniform law")
    .under(*_THERE)
    .given("uniform", eq(g(m), 1 / M, EACH), "g is the uniform law")
    .given("zeta g", le(variance(g, point), zeta_unif**2, POINTS), "which pays zeta_unif^2 at most, whatever the point")
    .under(best_law(g, _WORSE))
    .step("at client", by.instance({m: client}, "uniform", "client"))
    .step("kept floor", le(FLOOR, g(client)), by.linear({"at client": -1, "alpha": 1 / M}))
    .step("kept sum", eq(whole(g(j)), 1), by.sum_over(m, "uniform"))
    .steps(*law_kept(g, _WORSE))
    .step("most", by.instance({point: other}, "zeta g", "other"))
    .qed(_line, by.linear("no better", "most"), note="f is the best law, top_f its dearest point")
)
_start, _line, _c = of("osmd/C-11-floor-fixed@printed", _WORST)
LOWER_FIXED = (
    _start.under(*_THERE)
    .given("floor g", le(FLOOR, g(m), EACH), "g is the best law with the floor alpha/M")
    .given("kept sum", eq(whole(g(j)), 1), "a distribution")
    .given("zeta g", le(variance(g, point), zeta_fix**2, POINTS), "which pays zeta_fix^2 at most, whatever the point")
    .under(best_law(g, _WORSE, share * FLOOR), _LESS)
    .step("at client", by.instance({m: client}, "floor g", "client"))
    .step("kept floor", le(share * FLOOR, g(client)), by.linear({"at client": 1, "less": FLOOR}))
    .steps(*law_kept(g, _WORSE, share * FLOOR))
    .step("most", by.instance({point: other}, "zeta g", "other"))
    .qed(_line, by.linear("no better", "most"), note="f is the best law with the lower floor, top_f its dearest point")
)

# (31): a plan for a known path ----------------------------------------------------------------------------------------

r = family(Positive, "r")
_PLAN = Total(variance(lambda i: r(t, i), where(at(dear, t))), t, 1, T) / T
_KEPT = Indicator(beta - moves(p, dear)) * Indicator(p(at(dear, low), client) - FLOOR)
_SUM = whole(p(at(dear, off), j))
_start, _line, _c = of("osmd/C-31@corrected", _PLAN)
KNOWN = (
    _start.under(*TREE[:2])
    .given(
        "course",
        le(dear, courses := game.courses),
        "a course of points: of all, the one that is the dearest with plans",
    )
    .given("low", le(low, T), "the round of this course in which p is the lowest")
    .given("client", le(client, M), "for this client")
    .given("off", le(off, T), "the round in which p adds up to 1 the least")
    .given("floor p", le(FLOOR, p(node, m), NODES, EACH), "p is the best policy of the game: it plays distributions")
    .given("sum p", eq(whole(p(node, j)), 1, NODES), "that keep to the floor,")
    .given("moves p", le(moves(p, course), beta, COURSES), "keeps to the budget in every course,")
    .given("zeta p", le(mean(p, course), zeta_T**2, COURSES), "and pays at most zeta_T^2, the value of the game")
    .given(
        "best",
        le(_KEPT * Indicator(-((_SUM - 1) ** 2)) * (_PLAN - mean(p, dear)), 0),
        "r is the best plan for the course: what p plays there is no cheaper, unless it moves too far or is too low",
    )
    .steps(*visits("dear", dear, "course"))
    .step("slack", le(0, beta - moves(p, dear)), by.instance({course: dear}, "moves p", "course"))
    .step("low low", by.instance({t: low}, "dear low", "low"))
    .step("low high", by.instance({t: low}, "dear high", "low"))
    .step(
        "height",
        le(0, p(at(dear, low), client) - FLOOR),
        by.instance({node: at(dear, low), m: client}, "floor p", "low low", "low high", "client"),
    )
    .step("off low", by.instance({t: off}, "dear low", "off"))
    .step("off high", by.instance({t: off}, "dear high", "off"))
    .step("sum", by.instance({node: at(dear, off)}, "sum p", "off low", "off high"))
    .step("whole", le(0, -((_SUM - 1) ** 2)), by.linear({"sum": _SUM - 1}))
    .step(
        "no cheaper",
        by.apply(
            game.KEPT,
            {
                a: beta - moves(p, dear),
                b: p(at(dear, low), client) - FLOOR,
                c: -((_SUM - 1) ** 2),
                d: _PLAN - mean(p, dear),
            },
        ),
    )
    .step("paid", by.instance({course: dear}, "zeta p", "course"))
    .qed(_line, by.linear("no cheaper", "paid"))
)

THEOREMS = (BUDGET, LOWER, KEPT_LAW, FIXED, LOWER_FIXED, KNOWN)
