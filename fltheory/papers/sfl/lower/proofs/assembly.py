"""Theorems 5 and 6 from the regimes of the step size, and the statements of the paper that are false as printed.

A stored case of the catalogue violates each printed statement by exact evidence; a printed step fails at exact numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from sympy import Abs, Add, Expr, Integer, Rational, Symbol, oo, sqrt

from fltheory.model.bound import Bound, Reading
from fltheory.papers.sfl import notation
from fltheory.papers.sfl.kinked.proofs import stay
from fltheory.papers.sfl.lower import bounds as lower_bounds
from fltheory.papers.sfl.lower.bounds import N
from fltheory.papers.sfl.lower.proofs import lower, regimes
from fltheory.papers.sfl.lower.proofs.noise import stay as stay_noise
from fltheory.papers.sfl.lower.proofs.noise import term as noise
from fltheory.papers.sfl.notation import D, K, L, M, R, eta, k, lam, lam0, lam1, sigma, zeta
from fltheory.proof import Defines, Given, Relation, Step, Theorem, by, eq, le, line, proof, statement_of
from fltheory.proof.terms import E, Nonnegative, RandomScalar, Scalar, Total, family
from fltheory.verification import find

# Printed statements that are false -------------------------------------------------------------------------------

n, m = Symbol("n", integer=True, nonnegative=True), Symbol("m", integer=True, positive=True)
x, ERROR = family(RandomScalar, "x"), family(Nonnegative, "error")()


def violated(name: str, quantity: Expr, note: str, reading: Reading = "printed") -> Theorem:
    """Refute a printed statement, or a strict reading of one, by a stored case of the catalogue and exact evidence."""
    claim = find(f"sfl/{name}@{reading}")
    bound: Bound = claim.bounds[0]
    statement, conditions = statement_of(bound, quantity)
    return (
        proof(f"sfl/{name}-{reading}", of=claim.id, bound=bound, recorded="REFUTED",
            unused=tuple(c.id for c in conditions), note=note)
        .under(*conditions)
        .qed(statement, by.stored_counterexample(claim.id), note=note)
    )


VIOLATED = (
    violated("L10", E(Abs(x(notation.n) - x(0))), "the step must be small against lam0, not lam"),
    violated("L14", E(Abs(x(notation.m, k) - x(1, 0))), "nor is it against lam0 in Lemma 14"),
    violated("s3", lam / 2 * E(x(N * R) ** 2), "eta is lost in the last line"),
    violated("J", E(x(M * K)), "the last term lacks the factor lam0 eta"),
    violated("T5", ERROR, "at kappa = 1 every instance of equal distance, noise and heterogeneity errs alike, and less",
        "strict"),
    violated("T5-proof-constant", ERROR, "the same, with the constant of the proof, after more rounds", "strict"),
    violated("T6-GC", ERROR, "at much noise the first term exceeds the initial error of every instance"),
    violated("S4.3-GC", (L * D**2 / R) ** 3,
        "the first term of Corollary 4 exceeds the third beyond that number of rounds", "strict"),
    violated("S6.1", family(Nonnegative, "ratio")(), "the sequential method errs more on one of those tasks", "strict"),
    violated("TAB2-H", family(Nonnegative, "change")(), "a second derivative that jumps has no Lipschitz constant"),
)

_ROOTS = Total(sqrt(n), n, 0, m - 1)
_SHARE = Rational(518, 1000)
_BELOW = le(_SHARE * m ** Rational(3, 2), _ROOTS)
_FROM_4, _NEXT_ROOT = (m, 4, oo), sqrt(m) + 1 / (2 * sqrt(m))
ROOTS = (
    proof("sfl/C2-roots", "Appendix C.2", note="the sum that J needs, as repaired")
    .step("printed", le(Rational(2, 3) * m ** Rational(3, 2), _ROOTS), by.counterexample({m: Integer(4)}),
        note="the integral of the root, (2/3) N^(3/2), is above the sum over n < N", recorded="REFUTED")
    .step("three roots", le(8 * _SHARE, 1 + sqrt(2) + sqrt(3)), by.ball(()))
    .step("at 4", _BELOW.at({m: Integer(4)}), by.linear("three roots"))
    .step("none", le(0, m + 1, _FROM_4), by.linear())
    .step("square", le(m + 1, _NEXT_ROOT**2, _FROM_4), by.linear())
    .step("root", by.power(Rational(1, 2), "none", "square"))
    .step("least", le(4, m, _FROM_4), by.polynomial())
    .step("one", le(_SHARE * (m + 1) ** Rational(3, 2), Total(sqrt(n), n, 0, m), _FROM_4), by.linear("root", "least"),
        assuming=_BELOW)
    .qed(le(_BELOW.left, _ROOTS, _FROM_4), by.induction(m, "at 4", "one"), name="all")
)

# Theorem 5 ---------------------------------------------------------------------------------------------------------

mu = Symbol("mu", positive=True)  # that of the catalogue is nonnegative, and its bound divides by it
steep = lower_bounds.RATIO * mu
x1, x5, x2, x6, sign = (
    family(kind, name)
    for kind, name in (
        (Scalar, "x1"),
        (Scalar, "x5"),
        (RandomScalar, "x2"),
        (RandomScalar, "x6"),
        (RandomScalar, "sign"),
    )
)
r = stay.r
EVER, ROUNDS_ON = (n, 0, oo), (r, 0, oo)
kink = (Rational(1011, 1010) * x2(R) ** 2 - Rational(1009, 1010) * x2(R) * Abs(x2(R))) / 4


def flat(y: Callable[..., Expr], curvature: Expr, start: Expr, name: str) -> tuple[Given, Given]:
    """Return a coordinate curvature x^2 that all clients share."""
    move = Given(f"step {name}", eq(y(n + 1), (1 - 2 * curvature * eta) * y(n), EVER),
        f"coordinate {name} has no noise")
    return move, Given(f"start {name}", eq(y(0), start), "its start")


ROUND = tuple(Given(h.id, h.relation.at({lam: steep}), h.why) for h in regimes.H3.hypotheses if h.id[0] != "c" or h.id == "client")
ROUND_IDS = tuple(h.id for h in ROUND)
NOISY = (
    Given("step 6", eq(x6(n + 1), (1 - mu * eta) * x6(n) - eta * sigma * sign(n + 1), EVER),
        "a step on mu x^2/2 + sigma sign x"),
    Given("unit 6", eq(E(sign(n + 1) ** 2), 1, EVER), "a sign is 1 or -1"),
    Given("fair 6", eq(E(x6(n) * sign(n + 1)), 0, EVER), "the next sign is fair and independent of the model"),
    Given("start 6", eq(x6(0), sigma / mu), "its start"),
)
KINK_START = Given("start 2", eq(x2(0), stay.X.subs(lam1, mu)), "the start of the kinked coordinate")
KINKED, KINK_AT = stay.coordinate("2", x2, {lam0: steep})
KINK_IDS = tuple(e.id for e in KINKED if isinstance(e, Given))
KINK_WORDS = tuple(e.id for e in KINKED if not isinstance(e, Given))
NOISE = statement_of(lower_bounds.NOISE_ONLY, mu / 2 * E(x6(N * R) ** 2), {notation.mu: mu})[0]
NOISE_STEP = line(
    "noise",
    NOISE,
    by.apply(
        noise.NOISE,
        {
            noise.mu: mu,
            noise.h(n): eta,
            noise.x(n): x6(n),
            noise.tau(n): sign(n),
            noise.y(n): mu * eta * (n + 2) - 1,
            noise.f(n): 1 - mu * eta,
        },
        *(h.id for h in NOISY),
    ),
    note="the noisy coordinate, at any step",
)


def regime(bound: Bound, quantity: Expr, reading: dict[Any, Any]) -> tuple[Relation, tuple[Relation, ...]]:
    """Return a regime's statement on a coordinate, and its range of steps."""
    relation, conditions = statement_of(bound, quantity, reading)
    return relation, tuple(c.relation for c in conditions if c.relation.gap.has(eta))


ERRORS = {"1": mu * x1(N * R) ** 2, "2": E(steep * kink), "3": steep / 2 * E(regimes.after**2), "5": steep * x5(N * R) ** 2}
DRIFT_ERROR = Add(*ERRORS.values())
_STATEMENT, _CONDITIONS = statement_of(lower_bounds.T5, DRIFT_ERROR + mu / 2 * E(x6(N * R) ** 2), {notation.mu: mu})
_DRIFT = lower_bounds.T5_DRIFT * zeta**2 / (mu * M * R**2)
_READ_2 = {lam0: steep, lam1: mu}
_REGIMES = (
    ("1", "h1", regime(lower_bounds.H1, ERRORS["1"], {lam: mu}), {lam: mu, lower.x(n): x1(n)},
        ("step 1", "start 1", "c3"), "PROVED"),
    ("2", "h2", regime(lower_bounds.H2, ERRORS["2"], _READ_2), {**KINK_AT, **_READ_2, stay.d(r): x2(r) - E(x2(r))},
        ("start 2", "one round", "c1", "c3", *KINK_IDS), "PROVED"),
    ("3", "h3", regime(lower_bounds.H3, ERRORS["3"], {lam: steep}), {lam: steep}, (*ROUND_IDS, "two", "c3"), "PROVED"),
    ("4", "h4", regime(lower_bounds.H4, ERRORS["3"], {lam: steep}), {lam: steep}, (*ROUND_IDS, "c1", "c3"), "PROVED"),
    ("5", "h5", regime(lower_bounds.H5, ERRORS["5"], {lam: steep, zeta: lower_bounds.RATIO * zeta}),
        {lam: steep, zeta: lower_bounds.RATIO * zeta, lower.x(n): x5(n)}, ("step 5", "start 5", "c3"), "PROVED"),
)
_ENOUGH = {
    "1": {"far": _DRIFT},
    "2": {},
    "3": {"constant": zeta**2 / (mu * M), "rounds": _DRIFT},
    "4": {"far": _DRIFT},
    "5": {"far": _DRIFT},
}
_OTHERS = ("kink positive", "round positive")


def _cases() -> Iterator[Step]:
    for name, theorem, (relation, where), reading, uses, outcome in _REGIMES:
        yield line(f"regime {name}", relation, by.apply(f"sfl/{theorem}", reading, *uses),
            inserting=KINK_WORDS if theorem == "h2" else (), assuming=where, note=f"regime {theorem}", recorded=outcome)
        yield line(f"enough {name}", le(_DRIFT, relation.right), by.linear({f"regime {name}": 1, **_ENOUGH[name]}), assuming=where)
        own = {"kink positive": name != "2", "round positive": name not in "34"}
        kept = tuple(i for i in _OTHERS if own[i])
        yield line(f"total {name}", le(_DRIFT, DRIFT_ERROR), by.linear({f"enough {name}": 1, **dict.fromkeys(kept, 1)}),
            assuming=where, note="the errors of the other coordinates are not negative")


POSITIVE = (
    line("abs", le(x2(R), Abs(x2(R))), by.fact("abs", x2(R))),
    line("kink", le(0, steep * kink), by.linear(abs=Rational(1009, 4040) * steep * Abs(x2(R)))),
    line("kink positive", le(0, E(steep * kink)), by.expectation("kink")),
)
T5 = (
    proof("sfl/T5", of="sfl/T5@explicit", bound=lower_bounds.T5, reading={notation.mu: mu}, unused=("c2",),
        note="h3 and h4 share a coordinate")
    .under(*_CONDITIONS, *flat(x1, mu, zeta / mu, "1"), KINK_START, *KINKED, *ROUND, *flat(x5, steep, zeta / mu, "5"),
        *NOISY)
    .step("one round", le(1, R), by.polynomial())
    .step("rounds", le(1, R**2), by.linear("one round"))
    .step("clients", le(1, M), by.linear("c1"))
    .step("far", le(1, M * R**2), by.linear("rounds", "clients"))
    .step("two", le(2, M), by.linear("c1"))
    .step("constant", le(lower_bounds.T5_DRIFT, lower_bounds.C3 / lower_bounds.RATIO), by.ball(()))
    .steps(*POSITIVE)
    .step("round", le(0, steep / 2 * regimes.after**2), by.linear())
    .step("round positive", le(0, ERRORS["3"]), by.expectation("round"))
    .steps(*_cases())
    .step("drift", by.cases(*(f"total {i}" for i in "12345")),
        note="the ranges meet at 1/(102010 mu MKR), 1/(102010 mu MK), 1/(1010 mu K) and 1/(1010 mu)")
    .steps(NOISE_STEP)
    .qed(_STATEMENT, by.linear("drift", "noise"), name="error")
)

_T5_PRINTED = find("sfl/T5@printed").bounds[0]
_AS_PRINTED, _PRINTED_IF = statement_of(_T5_PRINTED, DRIFT_ERROR + mu / 2 * E(x6(N * R) ** 2), {notation.mu: mu})
_T5_OWN = tuple(e for e in T5.hypotheses if e.id not in ("c1", "c2", "c3"))
PRINTED_5 = (
    proof("sfl/T5-printed", of="sfl/T5@printed", bound=_T5_PRINTED, reading={notation.mu: mu})
    .under(*_PRINTED_IF, *_T5_OWN)
    .step("explicit", by.apply(T5), inserting=KINK_WORDS)
    .step("many", le(1, N * R), by.polynomial())
    .step("noise term", le(lower_bounds.T5_DRIFT * sigma**2 / (mu * N * R), sigma**2 / (2 * mu * (N * R + 1))),
        by.linear({"many": lower_bounds.T5_DRIFT * sigma**2 / (mu * N * R * (N * R + 1))}))
    .qed(_AS_PRINTED, by.linear({"explicit": 1, "noise term": 1}), name="error")
)

# Theorem 6, strongly convex, last iterate --------------------------------------------------------------------------

x7, w = family(Scalar, "x7"), family(RandomScalar, "w")
wR = w(R)
W_SHAPE = (Rational(1011, 1010) * wR**2 - Rational(1009, 1010) * wR * Abs(wR)) / 4
NOISY_KINK_START = Given("start s", eq(w(0), stay_noise.X.subs(lam1, mu)), "the start of the coordinate of s2")


def kink_positive(at: Expr, shape: Expr, curvature: Expr, name: str) -> tuple[Step, ...]:
    """Prove that the error of a kinked coordinate is nonnegative."""
    return (
        line(f"abs {name}", le(at, Abs(at)), by.fact("abs", at)),
        line(f"kink {name}", le(0, curvature * shape),
            by.linear({f"abs {name}": Rational(1009, 4040) * curvature * Abs(at)})),
        line(f"positive {name}", le(0, E(curvature * shape)), by.expectation(f"kink {name}")),
    )


def either(
    name: str,
    least: Expr,
    first: tuple[Any, ...],
    second: tuple[Any, ...],
    error: Expr,
    helps: dict[str, Expr],
    other: str,
) -> Iterator[Step]:
    """Prove that a pair of coordinates has error ``least`` at any step up to the cap: one below the edge, one above."""
    claim = le(least, error)
    for part, (theorem, relation, where, reading, uses, outcome) in zip("12", (first, second), strict=True):
        yield line(f"{name}{part}", relation, by.apply(f"sfl/{theorem}", reading, *uses),
            inserting={"h2": KINK_WORDS, "s2": S2_WORDS}.get(theorem.split("-")[0], ()), assuming=where,
            note=f"regime {theorem}", recorded=outcome)
        more = helps if part == "1" else {}
        also = (other,) if part == "1" else ()
        yield line(f"pair {name}{part}", claim, by.linear({f"{name}{part}": 1, **more, **dict.fromkeys(also, 1)}), assuming=where)
    yield line(f"pair {name}", claim, by.cases(f"pair {name}1", f"pair {name}2"), note="the ranges meet")


_EDGE = 1 / (lower_bounds.FIRST * mu * N * R)
_SMALL, _LARGE = (le(eta, _EDGE),), (le(_EDGE, eta),)
E_S1, E_S2, E_H1, E_H2 = mu * x7(N * R) ** 2, E(L * W_SHAPE), mu * x1(N * R) ** 2, E(L * kink)
_S_LEAST = lower_bounds.T6_NOISE * L * sigma**2 / (mu**2 * N * R**2)
_H_LEAST = lower_bounds.T6_DRIFT * L * zeta**2 / (mu**2 * M * R**2)
_KINKS = {lam0: L, lam1: mu}
_L_KINKED, _L_AT = stay.coordinate("2", x2, {lam0: L})
_L_NOISY, _L_NOISY_AT = stay_noise.coordinate("s", w, {lam0: L})
S2_IDS = tuple(e.id for e in _L_NOISY if isinstance(e, Given))
S2_WORDS = tuple(e.id for e in _L_NOISY if isinstance(e, Defines))
_T6, _T6_IF = statement_of(lower_bounds.T6_SC, E_S1 + E_S2 + E_H1 + E_H2 + mu / 2 * E(x6(N * R) ** 2),
    {notation.mu: mu})
T6_SC = (
    proof("sfl/T6-SC-last", of="sfl/T6-SC-last@explicit", bound=lower_bounds.T6_SC, reading={notation.mu: mu},
        unused=("c3",), note="s2 and h2 reach to the cap 1/(101 L M K), which is above the edge if R >= kappa/1010")
    .under(*_T6_IF, *flat(x7, mu, sigma / mu, "7"), NOISY_KINK_START, *_L_NOISY, *flat(x1, mu, zeta / mu, "1"),
        KINK_START, *_L_KINKED, *NOISY)
    .step("condition", le(L / mu, lower_bounds.RATIO * R), by.linear("c2"))
    .step("one step", le(1, K), by.polynomial())
    .step("steps", le(4, N), by.linear("c4", "one step"))
    .step("many", le(1, N * R), by.polynomial())
    .step("many clients", le(1, M * R), by.polynomial())
    .steps(
        *kink_positive(wR, W_SHAPE, L, "s"),
        *kink_positive(x2(R), kink, L, "h"),
        *either(
            "s",
            _S_LEAST,
            (
                "s1",
                regime(lower_bounds.S1, E_S1, {lam: mu})[0],
                _SMALL,
                {lam: mu, lower.x(n): x7(n)},
                ("step 7", "start 7"),
                "PROVED",
            ),
            (
                "s2",
                regime(lower_bounds.S2, E_S2, _KINKS)[0],
                _LARGE,
                {**_L_NOISY_AT, **_KINKS, stay_noise.d(r): w(r) - E(w(r))},
                ("start s", "c1", "c2", "steps", *S2_IDS),
                "PROVED",
            ),
            E_S1 + E_S2,
            {
                "condition": lower_bounds.T6_NOISE * sigma**2 / (mu * N * R**2),
                "many": lower_bounds.RATIO * lower_bounds.T6_NOISE * sigma**2 / (mu * N * R),
            },
            "positive s",
        ),
        *either(
            "h",
            _H_LEAST,
            (
                "h1",
                regime(lower_bounds.H1, E_H1, {lam: mu})[0],
                _SMALL,
                {lam: mu, lower.x(n): x1(n)},
                ("step 1", "start 1", "c5"),
                "PROVED",
            ),
            (
                "h2",
                regime(lower_bounds.H2, E_H2, _KINKS)[0],
                _LARGE,
                {**_L_AT, **_KINKS, stay.d(r): x2(r) - E(x2(r))},
                ("start 2", "c1", "c2", "c4", "c5", *KINK_IDS),
                "PROVED",
            ),
            E_H1 + E_H2,
            {
                "condition": lower_bounds.T6_DRIFT * zeta**2 / (mu * M * R**2),
                "many clients": lower_bounds.RATIO * lower_bounds.T6_DRIFT * zeta**2 / (mu * M * R),
            },
            "positive h",
        ),
        NOISE_STEP,
    )
    .qed(_T6, by.linear("pair s", "pair h", "noise"), name="error")
)

# The two ranges of Theorem 6 ----------------------------------------------------------------------------------------

_MEET = le(_EDGE, 1 / (lower_bounds.CAP * L * N))
COVER = (
    proof("sfl/T6-cover", "Appendix B.2", note="the second range is not empty")
    .given("rounds", le(L / (lower_bounds.RATIO * mu), R), "R >= kappa/1010")
    .qed(_MEET, by.linear("rounds"))
)
BACK = (
    proof("sfl/T6-cover-back", "Appendix B.2", note="the condition on R is the least that makes the ranges meet")
    .given("edge", _MEET, "the second range is not empty")
    .qed(le(L / (lower_bounds.RATIO * mu), R), by.linear("edge"))
)

THEOREMS = (*VIOLATED, ROOTS, T5, PRINTED_5, COVER, BACK, T6_SC)
