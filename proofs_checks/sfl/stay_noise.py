"""From the recursion of the mean to regime s2: E x^(r) stays above X_sigma, and E F >= lam / 2 (E x)^2."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sympy import Abs, Expr, Integer, Rational, Symbol, oo, sqrt

from fltheory.known import find
from fltheory.papers.sfl.bounds.lower import START_NOISE, N
from fltheory.papers.sfl.letters import R, eta, lam, lam0, lam1, n, sigma
from fltheory.proof import Defines, Given, Relation, by, eq, le, proof, stated
from fltheory.proof.rules.apply import read, term
from fltheory.proof.terms import E, RandomScalar, Total, family, substitute
from proofs_checks.sfl import noisy_rounds, signs, walk

r, Z = Symbol("r", integer=True, nonnegative=True), Integer(0)
x = noisy_rounds.X
EVER = (r, 0, oo)
X = sigma / (START_NOISE * lam1 * sqrt(N) * R)
GAIN, SHRINK = noisy_rounds.GAIN / 120, noisy_rounds.SHRINK
_SIXTH = {lam: lam0 / 1010}  # right of 0 the curvature is lam0/1010
MODEL = tuple(
    Given(e.id, read(e.relation, list(_SIXTH.items())), e.why)
    if isinstance(e, Given)
    else Defines(e.id, e.left, substitute(e.right, _SIXTH), e.why)
    for e in noisy_rounds.MODEL
    if e.id not in ("right", "curvatures")
)
IDS = tuple(e.id for e in MODEL if isinstance(e, Given))
DEFINED = noisy_rounds.DEFINED
_LETTERS = (
    (noisy_rounds.w, (n,)),
    (noisy_rounds.h, (n,)),
    (noisy_rounds.Q, (n,)),
    (noisy_rounds.sign, (n,)),
    (noisy_rounds.S, (r, n)),
    (noisy_rounds.sgn, (r, n)),
    (noisy_rounds.hit, (r, n, signs.x)),
    (noisy_rounds.V, (r, walk.c, walk.k)),
    (walk.s, (walk.c, walk.k)),
)


def coordinate(
    name: str, model: Callable[..., Expr], letters: Mapping[Expr, Expr]
) -> tuple[tuple[Given | Defines, ...], dict[Expr, Expr]]:
    """Regime s2 in a coordinate of its own: what is supposed of it, ids and families by its name, and how s2 is read for it."""
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


_BOUND = find("sfl/J-inv-start@printed").bounds[0]
_STATEMENT, _CONDITIONS = stated(_BOUND, E(x(r)))
_ABOVE = Relation(_STATEMENT.left, _STATEMENT.op, _STATEMENT.right)
STAYS = (
    proof(
        "sfl/J-inv-start",
        "App. C.2",
        of="sfl/J-inv-start@printed",
        unused=("c2",),
        note="the mean stays above X_sigma after every round",
    )
    .under(*_CONDITIONS)
    .given("start", eq(x(0), X), "the start of regime s2")
    .under(*MODEL)
    .step("curvatures", le(1010 * (lam0 / 1010), lam0), by.combine())
    .step("at r = 0", eq(noisy_rounds.w(0), x(0)), by.instance({r: Z}, "server"))
    .step("right", le(0, noisy_rounds.w(0)), by.combine({"at r = 0": -1, "start": -1}))
    .step(
        "J-inv",
        le((1 - SHRINK) * E(x(r)) + GAIN, E(x(r + 1)), EVER),
        by.apply("sfl/noise-grows", _SIXTH, "c1", "c4", "curvatures", "right", *IDS),
        inserting=DEFINED,
    )
    .step("start mean", eq(E(x(0)), X), by.expected("start"))
    .step("at the start", _ABOVE.at({r: Z}), by.combine({"start mean": -1}))
    .step("gain", le(SHRINK * X, GAIN), by.combine(c3=GAIN / eta), note="2/3 / 8160800 = 1 / (120 * 102010)")
    .step("kept", le(0, 1 - SHRINK), by.combine(c1=Rational(2, 3) * lam0 * N))
    .step(
        "one",
        Relation(X, "<=", E(x(r + 1)), (EVER,)),
        by.combine({"J-inv": 1, "gain": 1, "assumed 1": 1 - SHRINK, "kept": 0}),
        assuming=_ABOVE,
    )
    .qed(Relation(_ABOVE.left, "<=", _ABOVE.right, (EVER,)), by.induction(r, "at the start", "one"), name="all")
)
d = family(RandomScalar, "d")
_S2 = find("sfl/s2@explicit").bounds[0]
_END = x(R)


def error(point: Expr) -> Expr:
    """F at a point, curvature lam0 left and lam0/1010 right of 0."""
    return (Rational(1011, 1010) * point**2 - Rational(1009, 1010) * point * Abs(point)) * lam0 / 4


_ERROR, _IN = stated(_S2, E(error(_END)))
S2 = (
    proof("sfl/s2", "Appendix C.2", of="sfl/s2@explicit", bound=_S2)
    .under(*_IN)
    .given("start", eq(x(0), X), "the start of regime s2")
    .under(*MODEL)
    .where("off", d(r), x(r) - E(x(r)), "how far the model is from its mean")
    .step(
        "stays", STAYS.statement, by.apply("sfl/J-inv-start", "c2", "c3", "c1", "c4", "start", *IDS), inserting=DEFINED
    )
    .step("end", le(X, E(_END)), by.instance({r: R}, "stays"))
    .step("square", le(0, d(r) ** 2, EVER), by.combine())
    .step("variance", le(0, E(d(r) ** 2), EVER), by.expected("square"))
    .step("Jensen", le(E(x(r)) ** 2, E(x(r) ** 2), EVER), by.combine(variance=1), inserting="off")
    .step("at the end", le(E(_END) ** 2, E(_END**2)), by.instance({r: R}, "Jensen"))
    .step("positive", le(0, E(_END) + X), by.combine(end=1))
    .step("squares", le(X**2, E(_END) ** 2), by.combine(end=E(_END) + X, positive=0))
    .step("abs", le(_END, Abs(_END)), by.known("abs", _END))
    .step(
        "steep",
        le(lam0 / 2020 * _END**2, error(_END)),
        by.combine(abs=Rational(1009, 4040) * lam0 * Abs(_END)),
        note="F >= lam / 2 x^2 on both sides of 0, lam = lam0 / 1010",
    )
    .step("mean", le(E(lam0 / 2020 * _END**2), E(error(_END))), by.expected("steep"))
    .qed(_ERROR, by.combine({"mean": 1, "at the end": lam0 / 2020, "squares": lam0 / 2020}), name="error")
)
bar = family(RandomScalar, "bar")()
_AVERAGE = find("sfl/s2-average@explicit").bounds[0]
_ERROR_MEAN, _WHERE = stated(_AVERAGE, E(error(bar)))
AVERAGE = (
    proof("sfl/s2-average", of="sfl/s2-average@explicit", bound=_AVERAGE)
    .under(*_WHERE)
    .given("start", eq(x(0), X), "the start of regime s2")
    .given("average", eq(bar, Total(x(r), r, 0, R) / (R + 1)), "the mean of the models after 0 to R rounds")
    .under(*MODEL)
    .step(
        "stays", STAYS.statement, by.apply("sfl/J-inv-start", "c2", "c3", "c1", "c4", "start", *IDS), inserting=DEFINED
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
    .step("steep", le(lam0 / 2020 * bar**2, error(bar)), by.combine(abs=Rational(1009, 4040) * lam0 * Abs(bar)))
    .step("mean", le(E(lam0 / 2020 * bar**2), E(error(bar))), by.expected("steep"))
    .qed(_ERROR_MEAN, by.combine({"mean": 1, "variance": lam0 / 2020, "squares": lam0 / 2020}), name="error")
)
THEOREMS = (STAYS, S2, AVERAGE)
