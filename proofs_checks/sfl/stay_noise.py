"""From the recursion of the mean to regime s2: E x^(r) stays above X_sigma, and E F >= lam / 2 (E x)^2."""

from __future__ import annotations

from sympy import Abs, Integer, Rational, Symbol, oo, sqrt

from fltheory.known import find
from fltheory.papers.sfl.bounds.lower import START_NOISE, N
from fltheory.papers.sfl.letters import R, eta, lam0, lam1, sigma
from fltheory.proof import Given, Relation, by, eq, le, proof, stated
from fltheory.proof.terms import E, RandomScalar, family

n, r = (Symbol(name, integer=True, nonnegative=True) for name in "nr")
w, sign, d = (family(RandomScalar, name) for name in ("w", "sign", "d"))
EVER, STEPS = (r, 0, oo), (n, 0, oo)
X = sigma / (START_NOISE * lam1 * sqrt(N) * R)
_PULL = lam0 * (Rational(1011, 2020) * w(n) - Rational(1009, 2020) * Abs(w(n)))
WALK = (
    Given("start", eq(w(0), X), "the start of regime s2"),
    Given(
        "step",
        eq(w(n + 1), w(n) - eta * _PULL - eta * sigma * sign(n + 1), STEPS),
        "curvature lam0 left and lam0/1010 right of 0, noise sigma sign",
    ),
    Given("unit", eq(sign(n + 1) ** 2, 1, STEPS), "a sign is 1 or -1"),
    Given("fair", eq(E(sign(n + 1) * w(n)), 0, STEPS), "the next sign is fair and independent of the past"),
)
WALK_IDS = tuple(h.id for h in WALK)
_GAIN = lam0 * N ** Rational(3, 2) * eta**2 * sigma / 120
_SHRINK = Rational(2, 3) * lam0 * N * eta
_BOUND = find("sfl/J-inv-start@printed").bounds[0]
_STATEMENT, _CONDITIONS = stated(_BOUND, E(w(N * r)))
_ABOVE = Relation(_STATEMENT.left, _STATEMENT.op, _STATEMENT.right)
STAYS = (
    proof(
        "sfl/J-inv-start",
        "App. C.2",
        of="sfl/J-inv-start@printed",
        expected="ASSUMED",
        note="the mean stays above X_sigma after every round",
    )
    .under(*_CONDITIONS, *WALK)
    .step(
        "J-inv",
        le((1 - _SHRINK) * E(w(N * r)) + _GAIN, E(w(N * (r + 1))), EVER),
        by.assumed(
            "J-inv",
            "from J, repaired, for models on either side of 0, by the symmetry and the independence of "
            "the signs; J and its sum over the round are not proved here",
            "step",
            "unit",
            "fair",
            "c2",
            "c4",
        ),
        expected="ASSUMED",
    )
    .step("start mean", eq(E(w(0)), X), by.expected("start"))
    .step("at the start", _ABOVE.at({r: Integer(0)}), by.combine({"start mean": -1}))
    .step("gain", le(_SHRINK * X, _GAIN), by.combine(c3=_GAIN / eta), note="2/3 / 8160800 = 1 / (120 * 102010)")
    .step("part", le(0, 1 - _SHRINK), by.combine(c1=Rational(2, 3) * lam0 * N))
    .step(
        "one",
        Relation(_ABOVE.left, "<=", E(w(N * (r + 1))), (EVER,)),
        by.combine({"J-inv": 1, "gain": 1, "assumed 1": 1 - _SHRINK, "part": 0}),
        assuming=_ABOVE,
    )
    .qed(Relation(_ABOVE.left, "<=", _ABOVE.right, (EVER,)), by.induction(r, "at the start", "one"), name="all")
)
_S2 = find("sfl/s2@explicit").bounds[0]
_END = w(N * R)
F = (Rational(1011, 1010) * _END**2 - Rational(1009, 1010) * _END * Abs(_END)) * lam0 / 4
_ERROR, _IN = stated(_S2, E(F))
S2 = (
    proof("sfl/s2", "Appendix C.2", of="sfl/s2@explicit", bound=_S2, expected="ASSUMED")
    .under(*_IN, *WALK)
    .where("off", d(n), w(n) - E(w(n)), "how far the model is from its mean")
    .step("stays", STAYS.statement, by.apply("sfl/J-inv-start", "c2", "c3", "c1", "c4", *WALK_IDS), expected="ASSUMED")
    .step("end", le(X, E(_END)), by.instance({r: R}, "stays"))
    .step("square", le(0, d(n) ** 2, STEPS), by.combine())
    .step("variance", le(0, E(d(n) ** 2), STEPS), by.expected("square"))
    .step("Jensen", le(E(w(n)) ** 2, E(w(n) ** 2), STEPS), by.combine(variance=1), inserting="off")
    .step("at the end", le(E(_END) ** 2, E(_END**2)), by.instance({n: N * R}, "Jensen"))
    .step("positive", le(0, E(_END) + X), by.combine(end=1))
    .step("squares", le(X**2, E(_END) ** 2), by.combine(end=E(_END) + X, positive=0))
    .step("abs", le(_END, Abs(_END)), by.known("abs", _END))
    .step(
        "steep",
        le(lam0 / 2020 * _END**2, F),
        by.combine(abs=Rational(1009, 4040) * lam0 * Abs(_END)),
        note="F >= lam / 2 x^2 on both sides of 0, lam = lam0 / 1010",
    )
    .step("mean", le(E(lam0 / 2020 * _END**2), E(F)), by.expected("steep"))
    .qed(_ERROR, by.combine({"mean": 1, "at the end": lam0 / 2020, "squares": lam0 / 2020}), name="error")
)
THEOREMS = (STAYS, S2)
