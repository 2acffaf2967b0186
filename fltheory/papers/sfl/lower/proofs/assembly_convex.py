"""Theorem 6, general convex, without noise: the curvature that the distance D allows, and the regimes h1 and h2 with it."""

from __future__ import annotations

from sympy import Abs, Expr, Max, Rational, Symbol, sqrt

from fltheory.papers.sfl import notation
from fltheory.papers.sfl.kinked.proofs import stay
from fltheory.papers.sfl.lower import bounds as lower_bounds
from fltheory.papers.sfl.lower.bounds import START_DRIFT, N
from fltheory.papers.sfl.lower.proofs import lower
from fltheory.papers.sfl.lower.proofs.assembly import flat, n, r, regime, x1, x2
from fltheory.papers.sfl.lower.proofs.noise import averaged
from fltheory.papers.sfl.notation import L, M, R, lam, lam0, lam1
from fltheory.proof import Defines, Given, Relation, Step, Theorem, by, eq, le, line, lt, proof, statement_of
from fltheory.proof.chain import Chain
from fltheory.proof.terms import E, RandomScalar, Scalar, Total, family, substitute

D, zeta = Symbol("D", positive=True), Symbol("zeta", positive=True)  # the condition on R divides by both
D1 = Symbol("D1", nonnegative=True)
THIRD = Rational(1, 3)
flatness = (L * zeta**2 / (M * R**2 * D**2)) ** THIRD
D4 = stay.X.subs({lam1: flatness, notation.zeta: zeta})
_READ = {notation.zeta: zeta, notation.D: D}
bar1, bar2 = family(Scalar, "bar1")(), family(RandomScalar, "bar2")()


def shape(point: Expr) -> Expr:
    """Return the kinked coordinate's part of F, over L."""
    return (Rational(1011, 1010) * point**2 - Rational(1009, 1010) * point * Abs(point)) / 4


E1, E2 = flatness * x1(N * R) ** 2, E(L * shape(x2(R)))
_MEAN_1, _MEAN_2 = flatness * bar1**2, E(L * shape(bar2))
_STATEMENT, _IF = statement_of(lower_bounds.T6_GC_DRIFT, E1 + E2, _READ)
_MEAN, _ = statement_of(lower_bounds.T6_GC_DRIFT, _MEAN_1 + _MEAN_2, _READ)
(_LARGEST,) = _IF[2].relation.left.atoms(Max)
_FEW, _MANY = zeta / (L * sqrt(M) * D), L**2 * M * D**2 / zeta**2  # the entries of the condition on R
_BELOW, _ABOVE = (le(_FEW, _MANY),), (le(_MANY, _FEW),)
_SHALLOW = {lam: flatness, notation.zeta: flatness * D1}
_KINKED_READ = {lam0: L, lam1: flatness, notation.zeta: zeta}
_H1, _SMALL = regime(lower_bounds.H1, E1, _SHALLOW)
_H2, _RANGE = regime(lower_bounds.H2, E2, _KINKED_READ)
_H1_MEAN, _H2_MEAN = regime(lower_bounds.H1, _MEAN_1, _SHALLOW)[0], regime(lower_bounds.H2, _MEAN_2, _KINKED_READ)[0]
_LARGE = _RANGE[:1]
_KINKED, _AT = stay.coordinate("2", x2, {lam0: L, notation.zeta: zeta})


def _entry(name: str, entry: Expr) -> tuple[Step, ...]:
    """Prove one entry of the condition on R, from the largest of them."""
    claim = le(entry, R)
    return (
        *(
            line(f"{name} {i}", claim, by.linear("c3", f"largest {i}"), assuming=where)
            for i, where, up in (("1", _BELOW, entry == _FEW), ("2", _ABOVE, entry == _MANY))
        ),
        line(name, claim, by.cases(f"{name} 1", f"{name} 2")),
    )


def convex(chain: Chain, statement: Relation, point: Expr, first: Step, second: Step) -> Theorem:
    """Prove the two regimes of the step size and the curvature that D allows; ``point`` is of the kinked coordinate."""
    kinked = L * shape(point)
    return (
        chain.under(*_IF, *flat(x1, flatness, D1, "1"), *_KINKED)
        .given("start 2", eq(x2(0), D4), "the start of the kinked coordinate")
        .given("distance", eq(D1**2 + D4**2, D**2), "the start is at the distance D")
        .step("largest 1", eq(_LARGEST, _MANY), by.fact("max", _LARGEST), assuming=_BELOW)
        .step("largest 2", eq(_LARGEST, _FEW), by.fact("max", _LARGEST), assuming=_ABOVE)
        .steps(*_entry("few", _FEW), *_entry("many", _MANY))
        .step("none", le(0, _MANY), by.linear())
        .step("root", by.power(THIRD, "none", "many"))
        .step(
            "long", le(L / (lower_bounds.RATIO * flatness), R), by.linear("root"), note="R >= lambda_0/(1010 lambda_1)"
        )
        .step("none few", le(0, _FEW), by.linear())
        .step("root few", by.power(Rational(2, 3), "none few", "few"))
        .step("flat", le(flatness, L), by.linear("root few"))
        .step(
            "D4",
            le(D4**2, D**2 / 2),
            by.linear(flat=D**2 / (L * START_DRIFT**2)),
            note="D_4^2 = D^2 lambda/(81608000^2 L)",
        )
        .step("D1", le(D**2 / 2, D1**2), by.linear(distance=-1, D4=1))
        .step("abs", by.fact("abs", point))
        .step("kink", le(0, kinked), by.linear(abs=Rational(1009, 4040) * L * Abs(point)))
        .step("kink positive", by.expectation("kink"))
        .steps(first)
        .step(
            "pair 1",
            statement,
            by.linear({"regime 1": 1, "D1": lower_bounds.STAYS * flatness, "kink positive": 1}),
            assuming=_SMALL,
            note="lambda D_1^2 >= lambda D^2/2",
        )
        .steps(second)
        .step("pair 2", statement, by.linear("regime 2"), assuming=_LARGE, note="by the choice of lambda")
        .qed(statement, by.cases("pair 1", "pair 2"), name="error")
    )


_KINK_IDS = tuple(e.id for e in _KINKED if isinstance(e, Given))
_WORDS = tuple(e.id for e in _KINKED if not isinstance(e, Given))
T6_GC_DRIFT = convex(
    proof("sfl/T6-GC-drift-last", lower_bounds.T6_GC_DRIFT.source.place,
        note="for the last iterate, where the claim of the catalogue is of the uniform average"), _STATEMENT, x2(R),
    line("regime 1", _H1, by.apply(lower.H1, {**_SHALLOW, lower.x(n): x1(n)}, "step 1", "start 1", "c4"),
        assuming=_SMALL),
    line("regime 2", _H2,
        by.apply("sfl/h2", {**_AT, lam1: flatness, stay.d(r): x2(r) - E(x2(r))}, "start 2", "c1", "c2", "long", "c4",
            *_KINK_IDS), inserting=_WORDS, assuming=_LARGE))
_AVERAGES = (
    Given("average 1", eq(bar1, Total(x1(N * r), r, 0, R) / (R + 1)), "the mean of the models after 0 to R rounds"),
    Given("average 2", eq(bar2, Total(x2(r), r, 0, R) / (R + 1)), "the mean of the models after 0 to R rounds"),
)
OF_MEAN = convex(
    proof("sfl/T6-GC-drift-mean", lower_bounds.T6_GC_DRIFT.source.place, note="for the uniform average").under(
        *_AVERAGES),
    _MEAN,
    bar2,
    line("regime 1", _H1_MEAN,
        by.apply("sfl/h1-average", {**_SHALLOW, averaged.x(n): x1(n), averaged.bar: bar1}, "step 1", "start 1", "c4",
            "average 1"), assuming=_SMALL),
    line("regime 2", _H2_MEAN,
        by.apply("sfl/h2-average", {**_AT, lam1: flatness, stay.bar: bar2}, "start 2", "c1", "c2", "long", "c4",
            "average 2", *_KINK_IDS), inserting=_WORDS, assuming=_LARGE),
)
_BACK = {D: notation.D, zeta: notation.zeta}
_PLAIN, _CONDITIONS = statement_of(lower_bounds.T6_GC_DRIFT, _MEAN_1.xreplace(_BACK) + _MEAN_2)
_OWN = tuple(
    Given(e.id, e.relation.at(_BACK), e.why)
    if isinstance(e, Given)
    else Defines(e.id, e.left, substitute(e.right, _BACK), e.why)
    for e in OF_MEAN.hypotheses
    if e.id not in {f.id for f in _CONDITIONS}
)
AVERAGE = (
    proof("sfl/T6-GC-drift", of="sfl/T6-GC-drift@corrected", bound=lower_bounds.T6_GC_DRIFT).under(*_CONDITIONS, *_OWN)
    .given("some distance", lt(0, notation.D), "the condition on R has no value else")
    .given("some heterogeneity", lt(0, notation.zeta), "the condition on R has no value else")
    .qed(_PLAIN,
        by.apply(OF_MEAN.id, _BACK, *(e.id for e in (*_CONDITIONS, *_OWN) if isinstance(e, Given)), "some distance",
            "some heterogeneity"), name="error", inserting=_WORDS)
)
THEOREMS = (T6_GC_DRIFT, OF_MEAN, AVERAGE)
