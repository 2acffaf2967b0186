"""Theorem 6, strongly convex: for the uniform average, and as printed for the average and for the last iterate."""

from __future__ import annotations

from sympy import Abs, Expr, Rational

from fltheory.model.bound import Bound
from fltheory.papers.sfl import notation
from fltheory.papers.sfl.kinked.proofs import stay
from fltheory.papers.sfl.lower import bounds as lower_bounds
from fltheory.papers.sfl.lower.bounds import N
from fltheory.papers.sfl.lower.proofs import assembly as parts
from fltheory.papers.sfl.lower.proofs.assembly import mu, n, r, regime, sign, w, x1, x2, x6, x7
from fltheory.papers.sfl.lower.proofs.noise import averaged
from fltheory.papers.sfl.lower.proofs.noise import stay as stay_noise
from fltheory.papers.sfl.notation import L, M, R, eta, lam, lam0, lam1, sigma, zeta
from fltheory.proof import Given, Theorem, by, eq, le, proof, statement_of
from fltheory.proof.algebra.replacing import substitute_relation
from fltheory.proof.terms import E, RandomScalar, Scalar, Total, family
from fltheory.verification import find

bar1, bar7 = family(Scalar, "bar1")(), family(Scalar, "bar7")()
bar2, bar6, barw = (family(RandomScalar, name)() for name in ("bar2", "bar6", "barw"))
S6 = family(RandomScalar, "S6")
WORDS = (*parts.KINK_WORDS, *parts.S2_WORDS)


def shape(point: Expr) -> Expr:
    """Return the kinked coordinate's part of F, over its curvature."""
    return (Rational(1011, 1010) * point**2 - Rational(1009, 1010) * point * Abs(point)) / 4


def _mean(name: str, bar: Expr, model: Expr) -> Given:
    return Given(f"average {name}", eq(bar, Total(model, r, 0, R) / (R + 1)),
        "the mean of the models after 0 to R rounds")


MEANS = (
    _mean("7", bar7, x7(N * r)),
    _mean("s", barw, w(r)),
    _mean("1", bar1, x1(N * r)),
    _mean("2", bar2, x2(r)),
    _mean("6", bar6, x6(N * r)),
)
_READ_6 = {averaged.mu: mu, averaged.x(n): x6(n), averaged.tau(n): sign(n), averaged.S(n): S6(n), averaged.bar: bar6}
NOISY = tuple(
    Given(f"{e.id} 6", substitute_relation(e.relation, [(averaged.h(n), eta), *_READ_6.items()]), e.why)
    for e in averaged.RUN
)
E_S1, E_S2, E_H1, E_H2 = mu * bar7**2, E(L * shape(barw)), mu * bar1**2, E(L * shape(bar2))
E_N = mu / 2 * E(bar6**2)
_KINKS = {lam0: L, lam1: mu}


def _bound(claim: str) -> Bound:
    return find(f"sfl/{claim}").bounds[0]


_STATED, _IF = statement_of(_bound("T6-SC@explicit"), E_S1 + E_S2 + E_H1 + E_H2 + E_N, {notation.mu: mu})
EXPLICIT = (
    proof("sfl/T6-SC", of="sfl/T6-SC@explicit", bound=_bound("T6-SC@explicit"), reading={notation.mu: mu},
        unused=("c3",))
    .under(*_IF, *parts.flat(x7, mu, sigma / mu, "7"), parts.NOISY_KINK_START, *parts._L_NOISY,
        *parts.flat(x1, mu, zeta / mu, "1"), parts.KINK_START, *parts._L_KINKED, *NOISY, *MEANS)
    .step("condition", le(L / mu, lower_bounds.RATIO * R), by.linear("c2"))
    .step("one step", le(1, notation.K), by.polynomial())
    .step("steps", le(4, N), by.linear("c4", "one step"))
    .step("many", le(1, N * R), by.polynomial())
    .step("many clients", le(1, M * R), by.polynomial())
    .steps(
        *parts.kink_positive(barw, shape(barw), L, "s"),
        *parts.kink_positive(bar2, shape(bar2), L, "h"),
        *parts.either(
            "s",
            parts._S_LEAST,
            (
                "s1-average",
                regime(lower_bounds.S1, E_S1, {lam: mu})[0],
                parts._SMALL,
                {lam: mu, averaged.bar: bar7, averaged.x(n): x7(n)},
                ("step 7", "start 7", "average 7"),
                "PROVED",
            ),
            (
                "s2-average",
                regime(lower_bounds.S2, E_S2, _KINKS)[0],
                parts._LARGE,
                {**parts._L_NOISY_AT, **_KINKS, stay_noise.bar: barw},
                ("start s", "c1", "c2", "steps", "average s", *parts.S2_IDS),
                "PROVED",
            ),
            E_S1 + E_S2,
            {
                "condition": lower_bounds.T6_NOISE * sigma**2 / (mu * N * R**2),
                "many": lower_bounds.RATIO * lower_bounds.T6_NOISE * sigma**2 / (mu * N * R),
            },
            "positive s",
        ),
        *parts.either(
            "h",
            parts._H_LEAST,
            (
                "h1-average",
                regime(lower_bounds.H1, E_H1, {lam: mu})[0],
                parts._SMALL,
                {lam: mu, averaged.bar: bar1, averaged.x(n): x1(n)},
                ("step 1", "start 1", "c5", "average 1"),
                "PROVED",
            ),
            (
                "h2-average",
                regime(lower_bounds.H2, E_H2, _KINKS)[0],
                parts._LARGE,
                {**parts._L_AT, **_KINKS, stay.bar: bar2},
                ("start 2", "c1", "c2", "c4", "c5", "average 2", *parts.KINK_IDS),
                "PROVED",
            ),
            E_H1 + E_H2,
            {
                "condition": lower_bounds.T6_DRIFT * zeta**2 / (mu * M * R**2),
                "many clients": lower_bounds.RATIO * lower_bounds.T6_DRIFT * zeta**2 / (mu * M * R),
            },
            "positive h",
        ),
    )
    .step("noise", by.apply(averaged.UNIFORM, _READ_6))
    .qed(_STATED, by.linear("pair s", "pair h", "noise"), name="error")
)


def as_printed(base: Theorem, claim: str) -> Theorem:
    """Return the printed form, with one constant, from the explicit one."""
    bound = _bound(claim)
    statement, conditions = statement_of(bound, base.statement.right, {notation.mu: mu})
    own = tuple(e for e in base.hypotheses if e.id not in {f.id for f in conditions})
    first, second = sigma**2 / (mu * N * R), L * sigma**2 / (mu**2 * N * R**2)
    return (
        proof(f"{claim.replace('@', '-')}".join(("sfl/", "")), of=f"sfl/{claim}", bound=bound,
            reading={notation.mu: mu})
        .under(*conditions, *own)
        .step("explicit", base.statement,
            by.apply(base.id, *(e.id for e in (*conditions, *own) if isinstance(e, Given))), inserting=WORDS)
        .step("many", le(1, N * R), by.polynomial())
        .step("noise term", le(lower_bounds.T6_DRIFT * first, sigma**2 / (2 * mu * (N * R + 1))),
            by.linear({"many": lower_bounds.T6_DRIFT * sigma**2 / (mu * N * R * (N * R + 1))}))
        .step("second term", le(lower_bounds.T6_DRIFT * second, lower_bounds.T6_NOISE * second), by.linear())
        .qed(statement, by.linear({"explicit": 1, "noise term": 1, "second term": 1}), name="error")
    )


THEOREMS = (EXPLICIT, as_printed(EXPLICIT, "T6-SC@printed"), as_printed(parts.T6_SC, "T6-SC-last@printed"))
