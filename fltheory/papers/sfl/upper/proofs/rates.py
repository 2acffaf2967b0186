"""From one round to the rates of convergence, convex case: Theorems 3, 7 and 20, and partial participation.

Each theorem applies the inequality of one round to every round, the averaging lemma to their sequence, and Jensen's
inequality to the averaged iterate.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import Expr, Integer, Rational, Symbol, sqrt

from fltheory.model.bound import Bound
from fltheory.papers.sfl import bounds
from fltheory.papers.sfl.notation import A, D, K, L, M, R, S, a, b, c1, c2, eta, eta_eff, mu, sigma, zeta_star
from fltheory.papers.sfl.recursion import bounds as formula
from fltheory.papers.sfl.recursion.proofs import drift, parallel, tighter
from fltheory.papers.sfl.recursion.proofs import round as one
from fltheory.papers.sfl.recursion.proofs.averages import LAST, PLACE, c, d, f, q, r, weighted
from fltheory.papers.sfl.recursion.proofs.averages import W as W_LAST
from fltheory.proof import Axiom, Defines, Given, Member, Relation, Theorem, by, eq, le, line, lt, proof, statement_of
from fltheory.proof.algebra.replacing import substitute_term
from fltheory.proof.terms import (PERMUTATION, Dot, E, Fun, Grad, Nonnegative, RandomVector, Scalar, Total, Val, Vector,
    family, free_symbols, rename_permutation, square)

x, x_bar = family(RandomVector, "x"), family(RandomVector, "x_bar")()
best, F = family(Vector, "x*")(), family(Fun, "F")
n = Symbol("a", integer=True, positive=True)
h, p, W = family(Fun, "h")(), family(Nonnegative, "p"), Symbol("W", positive=True)


def rise(point: Expr) -> Expr:
    """F(point) - F*, the mean over the clients."""
    return Total(Val(F(n), point) - Val(F(n), best), n, 1, M) / M


def gap(point: Expr) -> Expr:
    """E[F(point) - F*]."""
    return E(rise(point))


def distance(point: Expr) -> Expr:
    """E|point - x*|^2."""
    return E(square(point - best))


def clients(curvature: Expr = mu) -> Member:
    """Return the hypotheses on the clients' objectives."""
    return Member("class", F(n), L, curvature, "every client is smooth and strongly convex (0: convex)")


# Jensen for the averaged iterate --------------------------------------------------------------------------------

_ONE = Given("one", eq(Total(p(r), r, 0, R), 1), "weights add up to 1")
_MEAN = Given("average", eq(x_bar, Total(p(r) * x(r), r, 0, R)), "the weighted average")
_TANGENT = Val(h, x_bar) + Dot(Grad(h, x_bar), x(r) - x_bar)
JENSEN = (
    proof("sfl/T3-Jensen", PLACE,
        note="a convex function at a weighted average is at most the weighted average of its values")
    .under(_ONE, _MEAN, Member("class", h, convex=mu))
    .step("1", le(_TANGENT, Val(h, x(r)), (r, 0, R)), by.sos((1, Axiom("convex", h, x(r), x_bar)), "class"),
        note="convexity, with the tangent at the average")
    .step("2", by.sum_over(r, "1", weight=p(r)))
    .qed(le(Val(h, x_bar), Total(p(r) * Val(h, x(r)), r, 0, R)), by.linear("2", "one"), inserting="average",
        note="the tangents cancel: the average is where they do")
)
_GAPS = Total(p(r) * gap(x(r)), r, 0, R)
CLIENTS = (
    proof("sfl/T3-Jensen-clients", PLACE).under(_ONE, _MEAN, clients())
    .step("1", by.apply(JENSEN, {h: F(n)}), over=(n, 1, M))
    .step("3", by.expectation(by.sum_over(n, "1")))
    .qed(le(gap(x_bar), _GAPS), by.linear({"3": 1 / M, "one": Total(Val(F(n), best), n, 1, M) / M}))
)


def averaged(base: Expr, total: Expr | None = None) -> Given:
    """Return the measured point: the iterates averaged with weights base^-(r + 1)."""
    weight = base ** (-(r + 1))
    mean = Total(weight * x(r), r, 0, R) / (Total(weight, r, 0, R) if total is None else total)
    return Given("average", eq(x_bar, mean), "the weighted average of the iterates")


_WEIGHT = q ** (-(r + 1))
_SUM = Total(_WEIGHT, r, 0, R)
_WEIGHTED_GAPS = Total(_WEIGHT * gap(x(r)), r, 0, R)
NORMALISED = (
    proof("sfl/T3-normalised", PLACE)
    .given("sum", eq(_SUM, W), "the sum of the weights")
    .under(averaged(q, W), clients())
    .step("1", eq(Total(_WEIGHT / W, r, 0, R), 1), by.linear("sum"))
    .qed(le(gap(x_bar), _WEIGHTED_GAPS / W), by.apply(CLIENTS, {p(r): _WEIGHT / W}, "1", "average", "class"))
)
AVERAGED = (
    proof("sfl/T3-average", PLACE, note="Jensen's inequality for the weights w_r").under(averaged(q), clients())
    .step("1", le(0, _WEIGHT, (r, 0, R - 1)), by.linear())
    .step("3", lt(0, _SUM), by.linear(by.sum_over(r, "1")), note="the weights are positive")
    .qed(le(gap(x_bar), weighted(q, gap(x(r)))), by.apply(NORMALISED, {W: _SUM}, "3", "average", "class"))
)

# Theorems ---------------------------------------------------------------------------------------------------------

THIRD = Rational(1, 3)
Terms = tuple[Expr, Expr, Expr]


def one_round(bound: Bound, reading: Mapping[Any, Any]) -> Relation:
    """Return the inequality of one round in round r, in expectation over the rounds before."""
    mapping = {D: sqrt(distance(x(r))), A: gap(x(r)), **reading}
    relation, _ = statement_of(bound, distance(x(r + 1)), mapping)
    return Relation(relation.left, relation.op, relation.right, ((r, 0, R),))


IN_ROUND = {
    PERMUTATION: r,
    one.x: x(r),
    one.after: x(r + 1),
    **{
        v(one.n, one.k): family(RandomVector, v(one.n, one.k).args[0].name)(r, one.n, one.k)
        for v in (one.y, one.g, one.xi)
    },
}
ROUNDS = (r, 0, R)


def every_round(theorem: Theorem, at: Mapping[Any, Any]) -> tuple[Given | Defines, ...]:
    """Return the hypotheses of one round, for every round: the order of the clients is that of the round."""
    pairs, found = list({**IN_ROUND, **at}.items()), []
    for entry in theorem.hypotheses:
        if entry.id in ("class", "order", "few", "c1", "c2"):
            continue
        if isinstance(entry, Defines) and entry.left != one.after:
            found.append(
                Defines(entry.id, substitute_term(entry.left, pairs),
                    substitute_term(rename_permutation(entry.right, r), pairs), entry.why))
            continue
        if isinstance(entry, Member):
            raise TypeError(f"{entry.id}: only one class is known here")
        plain = eq(entry.left, entry.right) if isinstance(entry, Defines) else entry.relation
        left, right = (substitute_term(rename_permutation(side, r), pairs) for side in (plain.left, plain.right))
        over = tuple((i, substitute_term(low, pairs), substitute_term(high, pairs)) for i, low, high in plain.over)
        over = (ROUNDS, *over) if r in free_symbols(left) | free_symbols(right) else over
        found.append(Given(entry.id, Relation(left, plain.op, right, over), entry.why))
    return tuple(found)


def convex_rate(
    name: str, bound: Bound, round_theorem: Theorem, step: Expr, terms: Terms, average: str, claim: str
) -> Theorem:
    """Prove a rate from the inequality of one round; ``step`` is the effective one, ``terms`` c1, c2 and the gain."""
    curved = average != "U8"
    assert round_theorem.bound is not None
    flat = {} if curved else {mu: Integer(0)}
    base = 1 - mu * step / 2 if curved else Integer(1)
    statement, conditions = statement_of(bound, gap(x_bar))
    averages = {
        a: mu / 2 if curved else Integer(0),
        b: terms[2],
        c1: terms[0],
        c2: terms[1],
        eta_eff: step,
        d(r): distance(x(r)),
        f(r): gap(x(r)),
    }
    lemma = {"U7-sharp": formula.U7_SHARP, "U7": formula.U7, "U8": formula.U8}[average]
    mean = weighted(base, gap(x(r))) if curved else Total(gap(x(r)), r, 0, R) / (R + 1)
    value = statement_of(lemma, mean, averages)[0]
    round_relation = one_round(round_theorem.bound, flat)
    ids = tuple(c.id for c in conditions)
    order = (Given("order", le(mu, L), "strong convexity is below smoothness"),) if curved else ()
    positive_mu = (Given("curved", lt(0, mu), "strong convexity"),) if average == "U7-sharp" else ()
    part = terms[0].has(S)
    rounds = every_round(round_theorem, flat)
    uses = (
        "class",
        *(("order",) if curved else ()),
        *(("few",) if part else ()),
        "c1",
        *(g.id for g in rounds if isinstance(g, Given)),
    )
    inserted = tuple(g.id for g in rounds if isinstance(g, Defines))
    few = (Given("few", le(S, M), "no more clients take part than there are"),) if part else ()
    sampled = (line("3s", le(0, terms[0]), by.linear("few")),) if part else ()
    contraction = (
        (line("3", lt(mu * step / 2, 1), by.linear("c1", "order"), note="the step is small"),) if curved else ()
    )
    grows = (
        (
            line("3+", lt(0, mu / 2), by.linear(curved=Rational(1, 2))),
            line("rate", lt(0, mu * step / 2), by.linear({"3+": step})),
            line("grows", lt(0, base ** (-(R + 1)) - 1), by.apply("sfl/U7-grows", {q: base}, "3", "rate"),
                note="the bound divides by it"),
        )
        if positive_mu
        else ()
    )
    return (
        proof(name, of=claim, bound=bound).under(*rounds)
        .given("distance", eq(distance(x(0)), D**2), "the start")
        .under(averaged(base), clients(mu if curved else Integer(0)), *order, *positive_mu, *few, *conditions)
        .step("round", round_relation, by.apply(round_theorem.id, {**IN_ROUND, **flat}, *uses), inserting=inserted,
            note="one round from x_r")
        .step("1", le(0, square(x(R + 1) - best)), by.sos())
        .step("2", by.expectation("1"))
        .steps(*contraction, *sampled, *grows)
        .step("4", value,
            by.apply(f"sfl/{average}", averages, "round", "distance", "2", *(("3",) if curved else ()),
                *(i for i in ids if i != "c1"), *(("3+", "grows") if positive_mu else ()), *(s.id for s in sampled)),
            note="from rounds to their average")
        .step("5", le(gap(x_bar), mean),
            by.apply(AVERAGED, {q: base, **flat}, *(("3",) if curved else ()), "average", "class"),
            note="Jensen's inequality")
        .qed(statement, by.linear("4", "5"))
    )


_SFL, _PFL, _PART = eta * M * K, eta * K, eta * S * K
_SFL_TERMS, _PFL_TERMS = (bounds.C1_SFL, bounds.C2_SFL, THIRD), (bounds.C1_SFL, bounds.C2_PFL, THIRD)
T3 = tuple(
    convex_rate(f"sfl/{name}", bound, drift.U6, _SFL, _SFL_TERMS, average, f"sfl/{claim}")
    for name, bound, average, claim in (
        ("T3-SC-star", bounds.T3_SC_STAR, "U7-sharp", "T3-SC@strengthened"),
        ("T3-SC", bounds.T3_SC, "U7", "T3-SC@corrected"),
        ("T3-GC-sharp", bounds.T3_GC_SHARP, "U8", "T3-GC@strengthened"),
        ("T3-GC", bounds.T3_GC, "U8", "T3-GC@printed"),
    )
)

T3_TIGHT = convex_rate("sfl/T3-GC-tight", bounds.T3_GC_TIGHT, tighter.NEXT, _SFL,
    (Rational(3, 2) * sigma**2 / (M * K), Rational(2, 7) * (1 + 1 / (M * K**2)) * L * zeta_star**2 / M, Integer(2)),
    "U8", "sfl/T3-GC-tight@strengthened")


def _three(name: str, setting: tuple[Any, ...], star: Bound, plain: Bound, flat: Bound) -> tuple[Theorem, ...]:
    return (
        convex_rate(f"sfl/{name}-star", star, *setting, "U7-sharp", f"sfl/{name}@strengthened"),
        convex_rate(f"sfl/{name}", plain, *setting, "U7", f"sfl/{name}@explicit"),
        convex_rate(f"sfl/{name}-GC", flat, *setting, "U8", f"sfl/{name}-GC@explicit"),
    )


T7 = _three("T7", (parallel.U11, _PFL, _PFL_TERMS), bounds.T7_STAR, bounds.T7, bounds.T7_GC)
PP_SFL = _three("PP-SFL", (drift.U12, _PART, (bounds.C1_PP, bounds.C2_PP, THIRD)), bounds.PP_SFL_STAR, bounds.PP_SFL,
    bounds.PP_SFL_GC)
PP_PFL = _three("PP-PFL", (parallel.U12, _PFL, (bounds.C1_PP, bounds.C2_PFL, THIRD)), bounds.PP_PFL_STAR, bounds.PP_PFL,
    bounds.PP_PFL_GC)

_BREGMAN = Val(F(n), x(r)) - Val(F(n), best) - Dot(Grad(F(n), best), x(r) - best)
_STATEMENT, _CONDITIONS = statement_of(bounds.C20, distance(x(R)))
_SETTING = every_round(drift.U6, {})
_VALUES_READ = {
    q: 1 - mu * _SFL / 2,
    W_LAST: mu * _SFL / 2,
    b: Rational(1, 3),
    eta_eff: _SFL,
    c: bounds.C1_SFL * _SFL**2 + bounds.C2_SFL * _SFL**3,
    d(r): distance(x(r)),
    f(r): gap(x(r)),
}
C20 = (
    proof("sfl/C20", of="sfl/C20@corrected", bound=bounds.C20).under(*_SETTING)
    .given("distance", eq(distance(x(0)), D**2), "the start")
    .under(clients())
    .given("order", le(mu, L), "strong convexity is below smoothness")
    .under(*_CONDITIONS)
    .step("round",
        by.apply(drift.U6, IN_ROUND, "class", "order", "c1", *(g.id for g in _SETTING if isinstance(g, Given))),
        inserting=tuple(g.id for g in _SETTING if isinstance(g, Defines)), note="one round from x_r")
    .step("1", le(0, _BREGMAN, (n, 1, M), ROUNDS), by.sos((1, Axiom("convex", F(n), x(r), best)), "class"))
    .step("2", by.sum_over(n, "1"))
    .step("3", le(0, rise(x(r)), ROUNDS), by.linear({"2": 1 / M, "optimum": -(x(r) - best) / M}))
    .step("4", by.expectation("3"), note="no value is below the minimum")
    .step("5", lt(mu * _SFL / 2, 1), by.linear("c1", "order"), note="the step is small")
    .step("6", lt(0, mu * _SFL / 2), by.linear(c2=_SFL / 2))
    .step("7", le(distance(x(0)), D**2), by.linear("distance"))
    .step("8", by.apply(LAST, _VALUES_READ, "round", "4", "5", "6", "7"), note="the recursion unrolled")
    .qed(_STATEMENT, by.linear("8", "c2"))
)


def violated(name: str, bound: Bound, quantity: Expr, note: str) -> Theorem:
    """Refute a printed rate, or a strict reading of one, by a stored case of the catalogue and exact evidence."""
    claim = f"sfl/{name}@{bound.source.reading}"
    statement, conditions = statement_of(bound, quantity)
    return (
        proof(f"sfl/{name}-{bound.source.reading}", of=claim, bound=bound, recorded="REFUTED",
            unused=tuple(g.id for g in conditions), note=note)
        .under(*conditions)
        .qed(statement, by.stored_counterexample(claim), note=note)
    )


_LEAST = family(Scalar, "least")()
VIOLATED = (
    violated("T3-SC", bounds.T3_SC_LITERAL, gap(x_bar), "R >= 6 L/mu does not make smaller steps decay"),
    violated("C4-SC", bounds.C4_SC_LITERAL, gap(x_bar), "the step 1/(mu R) needs its logarithm"),
    violated("C4-GC", bounds.C4_GC_PRINTED, gap(x_bar), "the third candidate of the step has R^(1/3)"),
    violated("C4-NC", bounds.C4_NC_PRINTED, _LEAST, "the third candidate of the step has R^(1/3)"),
    violated("T7", bounds.T7_LITERAL, gap(x_bar), "the step 1/(mu R) needs its logarithm"),
)
THEOREMS = (JENSEN, CLIENTS, NORMALISED, AVERAGED, *T3, T3_TIGHT, *T7, *PP_SFL, *PP_PFL, C20, *VIOLATED)
