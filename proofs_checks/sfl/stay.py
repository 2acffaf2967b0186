"""From the recursion of the mean to regime h2: E x^(r) stays above X_zeta, and E F >= lam / 2 (E x)^2."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sympy import Abs, Expr, Integer, Rational, Symbol, oo, sqrt

from fltheory.known import find
from fltheory.papers.sfl.bounds.lower import START_DRIFT
from fltheory.papers.sfl.letters import K, M, R, eta, lam, lam0, lam1, zeta
from fltheory.proof import Defines, Given, Relation, by, eq, le, proof, stated
from fltheory.proof.rules.apply import read, term
from fltheory.proof.terms import E, RandomScalar, Total, family, substitute
from proofs_checks.sfl import many_rounds, stray, walk

r, Z = Symbol("r", integer=True, nonnegative=True), Integer(0)
x = many_rounds.X
EVER = (r, 0, oo)
X = zeta / (START_DRIFT * lam1 * sqrt(M) * R)
GAIN = lam0 * M ** Rational(3, 2) * K**2 * eta**2 * zeta / 1200
SHRINK = Rational(2, 3) * lam0 * M * K * eta
_BOUND = find("sfl/I-inv-start@printed").bounds[0]
_STATEMENT, _CONDITIONS = stated(_BOUND, E(x(r)))
_ABOVE = Relation(_STATEMENT.left, _STATEMENT.op, _STATEMENT.right)
_SIXTH = {lam: lam0 / 1010}  # right of 0 the curvature is lam0/1010
MODEL = tuple(
    Given(e.id, read(e.relation, list(_SIXTH.items())), e.why)
    if isinstance(e, Given)
    else Defines(e.id, e.left, substitute(e.right, _SIXTH), e.why)
    for e in (many_rounds.EVEN, *many_rounds.MODEL)
    if e.id not in ("right", "curvatures")
)
GIVEN = tuple(e for e in MODEL if isinstance(e, Given))
IDS = tuple(e.id for e in GIVEN)
DEFINED = tuple(e.id for e in MODEL if isinstance(e, Defines))
_N = stray.n
_LETTERS = (
    (many_rounds.y, (many_rounds.v, walk.k)),
    (many_rounds.h, (many_rounds.v, walk.k)),
    (many_rounds.P, (many_rounds.v, walk.k)),
    (many_rounds.t, (many_rounds.v,)),
    (many_rounds.S, (r, _N)),
    (many_rounds.sgn, (r, _N)),
    (many_rounds.hit, (r, _N, stray.x)),
    (many_rounds.W, (r, walk.c, walk.k)),
    (walk.s, (walk.c, walk.k)),
)


def coordinate(
    name: str, model: Callable[..., Expr], letters: Mapping[Expr, Expr]
) -> tuple[tuple[Given | Defines, ...], dict[Expr, Expr]]:
    """Regime h2 in a coordinate of its own: what is supposed of it, ids and families by its name, and how h2 is read for it."""
    at: dict[Expr, Expr] = {**letters, x(r): model(r)}
    for letter, slots in _LETTERS:
        own = letter(*slots)
        at[own] = family(type(own), f"{own.args[0]}{name}")(*slots)
    pairs, found = list(at.items()), list[Given | Defines]()
    for e in MODEL:
        if isinstance(e, Given):
            found.append(Given(f"{e.id} {name}", read(e.relation, pairs), e.why))
        else:
            found.append(Defines(f"{e.id} {name}", term(e.left, pairs), term(e.right, pairs), e.why))
    return tuple(found), at


STAYS = (
    proof(
        "sfl/I-inv-start",
        "App. D.2",
        of="sfl/I-inv-start@printed",
        unused=("c2", "c4"),
        note="the mean stays above X_zeta after every round",
    )
    .under(*_CONDITIONS)
    .given("start", eq(x(0), X), "the start of regime h2")
    .under(*MODEL)
    .step("cap", many_rounds.CAP_M.relation, by.combine({"c1": 1}), inserting="even number")
    .step("curvatures", le(1010 * (lam0 / 1010), lam0), by.combine())
    .step("at r = 0", eq(many_rounds.y(0, 0), x(0)), by.instance({r: Z}, "server"))
    .step("right", le(0, many_rounds.y(0, 0)), by.combine({"at r = 0": -1, "start": -1}))
    .step(
        "grows",
        many_rounds.GROWS.statement,
        by.apply("sfl/kink-grows", _SIXTH, "cap", "curvatures", "right", *(i for i in IDS if i != "even number")),
        inserting=DEFINED,
    )
    .step(
        "I-inv", le((1 - SHRINK) * E(x(r)) + GAIN, E(x(r + 1)), EVER), by.combine({"grows": 1}), inserting="even number"
    )
    .step("start mean", eq(E(x(0)), X), by.expected("start"))
    .step("at the start", _ABOVE.at({r: Z}), by.combine({"start mean": -1}))
    .step("gain", le(SHRINK * X, GAIN), by.combine(c3=GAIN / eta), note="2/3 / 81608000 = 1 / (1200 * 102010)")
    .step("kept", le(0, 1 - SHRINK), by.combine(c1=Rational(2, 3) * lam0 * M * K))
    .step(
        "one",
        Relation(X, "<=", E(x(r + 1)), (EVER,)),
        by.combine({"I-inv": 1, "gain": 1, "assumed 1": 1 - SHRINK, "kept": 0}),
        assuming=_ABOVE,
    )
    .qed(Relation(_ABOVE.left, "<=", _ABOVE.right, (EVER,)), by.induction(r, "at the start", "one"), name="all")
)
_H2 = find("sfl/h2@explicit").bounds[0]
d = family(RandomScalar, "d")
_xR = x(R)
_F = (Rational(1011, 1010) * _xR**2 - Rational(1009, 1010) * _xR * Abs(_xR)) * lam0 / 4
_ERROR, _IN = stated(_H2, E(_F))
H2 = (
    proof("sfl/h2", "Appendix D.2", of="sfl/h2@explicit", bound=_H2, unused=("c5",))
    .under(*_IN)
    .given("start", eq(x(0), X), "the start of regime h2")
    .under(*MODEL)
    .where("off", d(r), x(r) - E(x(r)), "how far the model is from its mean")
    .step(
        "stays", STAYS.statement, by.apply("sfl/I-inv-start", "c2", "c3", "c1", "c4", "start", *IDS), inserting=DEFINED
    )
    .step("end", le(X, E(_xR)), by.instance({r: R}, "stays"))
    .step("square", le(0, d(r) ** 2, EVER), by.combine())
    .step("variance", le(0, E(d(r) ** 2), EVER), by.expected("square"))
    .step("Jensen", le(E(x(r)) ** 2, E(x(r) ** 2), EVER), by.combine(variance=1), inserting="off")
    .step("at the end", le(E(_xR) ** 2, E(_xR**2)), by.instance({r: R}, "Jensen"))
    .step("positive", le(0, E(_xR) + X), by.combine(end=1))
    .step("squares", le(X**2, E(_xR) ** 2), by.combine(end=E(_xR) + X, positive=0))
    .step("abs", le(_xR, Abs(_xR)), by.known("abs", _xR))
    .step(
        "steep",
        le(lam0 / 2020 * _xR**2, _F),
        by.combine(abs=Rational(1009, 4040) * lam0 * Abs(_xR)),
        note="F >= lam / 2 x^2 on both sides of 0, lam = lam0 / 1010",
    )
    .step("mean", le(E(lam0 / 2020 * _xR**2), E(_F)), by.expected("steep"))
    .qed(_ERROR, by.combine({"mean": 1, "at the end": lam0 / 2020, "squares": lam0 / 2020}), name="error")
)
bar = family(RandomScalar, "bar")()
_AVERAGE = find("sfl/h2-average@explicit").bounds[0]
_MEAN_F = (Rational(1011, 1010) * bar**2 - Rational(1009, 1010) * bar * Abs(bar)) * lam0 / 4
_ERROR_MEAN, _WHERE = stated(_AVERAGE, E(_MEAN_F))
AVERAGE = (
    proof("sfl/h2-average", of="sfl/h2-average@explicit", bound=_AVERAGE, unused=("c5",))
    .under(*_WHERE)
    .given("start", eq(x(0), X), "the start of regime h2")
    .given("average", eq(bar, Total(x(r), r, 0, R) / (R + 1)), "the mean of the models after 0 to R rounds")
    .under(*MODEL)
    .step(
        "stays", STAYS.statement, by.apply("sfl/I-inv-start", "c2", "c3", "c1", "c4", "start", *IDS), inserting=DEFINED
    )
    .step("each", le(X, E(x(r)), (r, 0, R)), by.combine({"stays": 1}))
    .step("sum", le(Total(X, r, 0, R), Total(E(x(r)), r, 0, R)), by.summed(r, "each"))
    .step("mean of it", eq(E(bar), E(Total(x(r), r, 0, R) / (R + 1))), by.expected("average"))
    .step("end", le(X, E(bar)), by.combine({"sum": 1 / (R + 1), "mean of it": -1}))
    .step("square", le(0, (bar - E(bar)) ** 2), by.polynomial())
    .step("variance", le(0, E((bar - E(bar)) ** 2)), by.expected("square"))
    .step("positive", le(0, E(bar) + X), by.combine(end=1))
    .step("squares", le(X**2, E(bar) ** 2), by.combine(end=E(bar) + X, positive=0))
    .step("abs", le(bar, Abs(bar)), by.known("abs", bar))
    .step("steep", le(lam0 / 2020 * bar**2, _MEAN_F), by.combine(abs=Rational(1009, 4040) * lam0 * Abs(bar)))
    .step("mean", le(E(lam0 / 2020 * bar**2), E(_MEAN_F)), by.expected("steep"))
    .qed(_ERROR_MEAN, by.combine({"mean": 1, "variance": lam0 / 2020, "squares": lam0 / 2020}), name="error")
)
THEOREMS = (STAYS, H2, AVERAGE)
