"""From the recursion of the mean to regime h2: E x^(r) stays above X_zeta, and E F >= lam / 2 (E x)^2."""

from __future__ import annotations

from sympy import Abs, Integer, Rational, Symbol, oo, sqrt

from fltheory.known import find
from fltheory.papers.sfl.bounds.lower import START_DRIFT
from fltheory.papers.sfl.letters import K, M, R, eta, lam0, lam1, zeta
from fltheory.proof.language import (
    Apply,
    Assumed,
    Combine,
    Defines,
    Expected,
    Given,
    Induction,
    Instance,
    Known,
    Relation,
    Step,
    Theorem,
    eq,
    le,
    stated,
)
from fltheory.proof.terms import E, RandomScalar, family

r, Z = Symbol("r", integer=True, nonnegative=True), Integer(0)
x = family(RandomScalar, "x")
EVER = (r, 0, oo)
X = zeta / (START_DRIFT * lam1 * sqrt(M) * R)
GAIN = lam0 * M ** Rational(3, 2) * K**2 * eta**2 * zeta / 1200
SHRINK = Rational(2, 3) * lam0 * M * K * eta
_BOUND = find("sfl/I-inv-start@printed").bounds[0]
_STATEMENT, _CONDITIONS = stated(_BOUND, E(x(r)))
_ABOVE = Relation(_STATEMENT.left, _STATEMENT.op, _STATEMENT.right)
STAYS = Theorem(
    "sfl/I-inv-start",
    Relation(_ABOVE.left, "<=", _ABOVE.right, (EVER,)),
    (*_CONDITIONS, Given("start", eq(x(0), X), "the start of regime h2")),
    (
        Step(
            "I-inv",
            le((1 - SHRINK) * E(x(r)) + GAIN, E(x(r + 1)), EVER),
            Assumed(
                "I-inv",
                "of the rounds of regime h2, which is all that x stands for here: (10) and (11) weighed by the "
                "sign of x^(r) are proved, that x^(r) >= 0 has a chance of 1/2 at least is not",
            ),
            expected="ASSUMED",
        ),
        Step("start mean", eq(E(x(0)), X), Expected(), ("start",)),
        Step("at the start", _ABOVE.at({r: Z}), Combine({"start mean": -1}), ("start mean",)),
        Step(
            "gain",
            le(SHRINK * X, GAIN),
            Combine({"c3": GAIN / eta}),
            ("c3",),
            note="2/3 / 81608000 = 1 / (1200 * 102010)",
        ),
        Step("part", le(0, 1 - SHRINK), Combine({"c1": Rational(2, 3) * lam0 * M * K}), ("c1",)),
        Step(
            "one",
            Relation(X, "<=", E(x(r + 1)), (EVER,)),
            Combine({"I-inv": 1, "gain": 1, "assumed 1": 1 - SHRINK, "part": 0}),
            ("I-inv", "gain", "part"),
            assuming=(_ABOVE,),
        ),
        Step("all", Relation(X, "<=", E(x(r)), (EVER,)), Induction(r), ("at the start", "one")),
    ),
    expected="ASSUMED",
    claim="sfl/I-inv-start@printed",
    place="App. D.2",
    unused=("c2", "c4"),
    note="the mean stays above X_zeta after every round",
)
_H2 = find("sfl/h2@explicit").bounds[0]
d = family(RandomScalar, "d")
_xR = x(R)
_F = (Rational(1011, 1010) * _xR**2 - Rational(1009, 1010) * _xR * Abs(_xR)) * lam0 / 4
_ERROR, _IN = stated(_H2, E(_F))
H2 = Theorem(
    "sfl/h2",
    _ERROR,
    (
        *_IN,
        Given("start", eq(x(0), X), "the start of regime h2"),
        Defines("off", d(r), x(r) - E(x(r)), "how far the model is from its mean"),
    ),
    (
        Step("stays", STAYS.statement, Apply("sfl/I-inv-start"), ("c2", "c3", "c1", "c4", "start"), expected="ASSUMED"),
        Step("end", le(X, E(_xR)), Instance({r: R}), ("stays",)),
        Step("square", le(0, d(r) ** 2, EVER), Combine()),
        Step("variance", le(0, E(d(r) ** 2), EVER), Expected(), ("square",)),
        Step("Jensen", le(E(x(r)) ** 2, E(x(r) ** 2), EVER), Combine({"variance": 1}), ("variance",), by=("off",)),
        Step("at the end", le(E(_xR) ** 2, E(_xR**2)), Instance({r: R}), ("Jensen",)),
        Step("positive", le(0, E(_xR) + X), Combine({"end": 1}), ("end",)),
        Step("squares", le(X**2, E(_xR) ** 2), Combine({"end": E(_xR) + X, "positive": 0}), ("end", "positive")),
        Step("abs", le(_xR, Abs(_xR)), Known("abs", _xR)),
        Step(
            "steep",
            le(lam0 / 2020 * _xR**2, _F),
            Combine({"abs": Rational(1009, 4040) * lam0 * Abs(_xR)}),
            ("abs",),
            note="F >= lam / 2 x^2 on both sides of 0, lam = lam0 / 1010",
        ),
        Step("mean", le(E(lam0 / 2020 * _xR**2), E(_F)), Expected(), ("steep",)),
        Step(
            "error",
            _ERROR,
            Combine({"mean": 1, "at the end": lam0 / 2020, "squares": lam0 / 2020}),
            ("mean", "at the end", "squares"),
        ),
    ),
    expected="ASSUMED",
    claim="sfl/h2@explicit",
    bound=_H2,
    place="Appendix D.2",
    unused=("c5",),
)
THEOREMS = (STAYS, H2)
