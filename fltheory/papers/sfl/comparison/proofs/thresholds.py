"""The dominant term of a rate: after Corollary 4, Section 4.3, Section 5.2."""

from __future__ import annotations

from sympy import Expr, Integer, Max, Rational, Symbol, cancel, diff, exp, log, sqrt

from fltheory.model.bound import Bound
from fltheory.papers.sfl import bounds
from fltheory.papers.sfl.comparison import bounds as formula
from fltheory.papers.sfl.notation import A, D, K, L, M, R, beta, mu, sigma, zeta, zeta_hat, zeta_star
from fltheory.proof import Given, Step, Theorem, by, eq, le, line, proof, statement_of
from fltheory.proof.chain import Chain
from fltheory.verification import find

AFTER_C4, DROPPED, AHEAD = "after Corollary 4", "Section 4.3", "Section 5.2"
HALF, THIRD, TWO_THIRDS = Rational(1, 2), Rational(1, 3), Rational(2, 3)
m, s = Symbol("mu", positive=True), Symbol("sigma", positive=True)  # where a rate divides by them
CURVED = {mu: m}


def of(claim: str, quantity: Expr, bound: Bound, *used: str, reading: dict[Symbol, Expr] | None = None) -> Chain:
    """Begin a proof from the ``used`` conditions of the bound; the others are marked as unused."""
    _, conditions = statement_of(bound, quantity, reading)
    unused = tuple(c.id for c in conditions if c.id not in used)
    several = len(find(f"sfl/{claim}").bounds) > 1
    name = claim + (f"-{find(f'sfl/{claim}').bounds.index(bound) + 1}" if several else "")
    chain = proof(f"sfl/{name}", bound.source.place, of=f"sfl/{claim}", bound=bound, reading=reading or {},
        unused=unused)
    return chain.under(*conditions)


def the(claim: str) -> Bound:
    """Return the one bound of a claim."""
    return find(f"sfl/{claim}").bound


def rooted(name: str, left: Expr, right: Expr, exponent: Expr, known: str) -> tuple[Step, ...]:
    """Prove left <= right from the same for powers, which the lines ``known`` state."""
    low = left ** (1 / exponent)
    return (
        line(f"{name} sign", le(0, low), by.linear()),
        line(name, le(left, right), by.power(exponent, f"{name} sign", known)),
    )


# After Corollary 4: for many rounds the noise term dominates ---------------------------------------------------------

u = Symbol("u", nonnegative=True)
_SPARE = exp(u) - 1 - u - u**2 / 2
EXP = (
    proof("sfl/exp-square", AFTER_C4, note="u^2/2 <= e^u for u >= 0")
    .step("at 0", le(0, _SPARE.xreplace({u: Integer(0)})), by.linear())
    .step("tangent", by.fact("exp", u))
    .step("slope", le(0, diff(_SPARE, u)), by.linear("tangent"))
    .step("rises", le(0, _SPARE), by.derivative(u, "at 0", "slope"))
    .qed(le(u**2 / 2, exp(u)), by.linear("rises"), name="last")
)

x, y = Symbol("x", real=True), Symbol("y", real=True)
_ABOVE = le(x, Max(x, y))
LARGER = (
    proof("sfl/max-above", AFTER_C4, note="the larger of two numbers")
    .step("1a", eq(Max(x, y), x), by.fact("max", Max(x, y)), assuming=le(y, x))
    .step("1b", _ABOVE, by.linear("1a"), assuming=le(y, x))
    .step("2a", eq(Max(x, y), y), by.fact("max", Max(x, y)), assuming=le(x, y))
    .step("2b", _ABOVE, by.linear("2a"), assuming=le(x, y))
    .qed(_ABOVE, by.cases("1b", "2b"), name="either")
)


def entry(name: str, value: Expr, condition: Given) -> tuple[Step, ...]:
    """State that the number of rounds is at least this entry of the maximum (times its prefactor)."""
    (largest,) = condition.relation.left.atoms(Max)
    factor = cancel(condition.relation.left / largest)
    shares = ((a, cancel(a * factor / value)) for a in largest.args)
    own = next(a for a, share in shares if share.is_number and share >= 1)
    others = Max(*(a for a in largest.args if a != own))
    return (
        line(f"{name} entry", le(own, largest), by.apply(LARGER, {x: own, y: others})),
        line(name, le(value, R), by.linear(condition.id, f"{name} entry")),
    )


_SC = the("C4-limit-SC@explicit")
_SC_READ = {mu: m, sigma: s}
_RATE = formula.SFL_SC.xreplace(_SC_READ)
_LONG = statement_of(_SC, _RATE, _SC_READ)[1][-1]
LATE_SC = (
    of("C4-limit-SC@explicit", _RATE, _SC, "c2", reading=_SC_READ)
    .steps(*entry("order", 3 * L / m, _LONG))
    .steps(*entry("drift", 3 * K * L * zeta_star**2 / (m * s**2), _LONG))
    .steps(*entry("start", 6 * L**2 * D**2 * M * K / s**2, _LONG))
    .step("square", by.apply(EXP, {u: m * R / L}))
    .qed(statement_of(_SC, _RATE, _SC_READ)[0], by.linear("order", "drift", "start", "square"))
)


def late(claim: str, rate: Expr, size: Expr, first: Expr, others: dict[str, tuple[Expr, Expr]]) -> Theorem:
    """Prove that the rate is at most twice its noise term s sqrt(size) / sqrt(MKR), of which the others are thirds."""
    bound, rate = the(claim), rate.xreplace({sigma: s})
    noise = s * sqrt(size / (M * K * R))
    long = statement_of(bound, rate, {sigma: s})[1][-1]
    chain = of(claim, rate, bound, "c2", reading={sigma: s})
    root = 3 * sqrt(size) * first * sqrt(M * K) / s
    chain = (
        chain.steps(*entry("first", root**2, long))
        .steps(*rooted("first root", root, sqrt(R), HALF, "first"))
        .step("first third", le(size * first / R, noise / 3), by.linear("first root"))
    )
    for name, (term, own) in others.items():
        root = 27 * own
        chain = (
            chain.steps(*entry(name, root**2, long))
            .steps(*rooted(f"{name} root", root, sqrt(R), HALF, name))
            .step(f"{name} cubed", le(term, noise**3 / 27), by.linear(f"{name} root"))
            .steps(*rooted(f"{name} third", term**THIRD, noise / 3, THIRD, f"{name} cubed"))
        )
    thirds = ("first third", *(f"{name} third" for name in others))
    return chain.qed(statement_of(bound, rate, {sigma: s})[0], by.linear(dict.fromkeys(thirds, Integer(1))))


LATE_GC = late(
    "C4-limit-GC@explicit",
    bounds.RATE_GC,
    D**2,
    L,
    {
        "noise": (L * s**2 * D**4 / (M * K * R**2), L * D * sqrt(M * K) / s),
        "drift": (L * zeta_star**2 * D**4 / (M * R**2), L * D * zeta_star**2 * sqrt(M * K**3) / s**3),
    },
)
LATE_NC = late(
    "C4-limit-NC@explicit",
    bounds.RATE_NC,
    L * A,
    1 + beta**2 / M,
    {
        "noise": (L**2 * s**2 * A**2 / (M * K * R**2), sqrt(L * A * M * K) / s),
        "drift": (L**2 * zeta**2 * A**2 / (M * R**2), sqrt(L * A * M * K**3) * zeta**2 / s**3),
    },
)

# Section 4.3: when L D^2/R may be omitted -----------------------------------------------------------------------------

_GC, _NOISE, _DRIFT = (the(f"S4.3-GC{kind}") for kind in ("@printed", "-noise@printed", "@corrected"))
_LAST = L * D**2 / R
BY_DRIFT = of("S4.3-GC@corrected", _LAST**3, _DRIFT, "c1").qed(statement_of(_DRIFT, _LAST**3)[0], by.linear("c1"))
BY_NOISE = of("S4.3-GC-noise@printed", _LAST**3, _NOISE, "c1").qed(statement_of(_NOISE, _LAST**3)[0], by.linear("c1"))
_SECOND = L * sigma**2 * D**4 / (M * K * R**2)
BY_ALL = (
    of("S4.3-GC@printed", _LAST, _GC, "c4")
    .step("cubed", le(_LAST**3, _SECOND), by.linear("c4"))
    .steps(*rooted("root", _LAST, _SECOND**THIRD, THIRD, "cubed"))
    .qed(statement_of(_GC, _LAST)[0], by.linear("root"))
)

# Section 5.2: when PFL under Assumption 5 is better -------------------------------------------------------------------

_PFL, _FAST, _DECAY = (e.xreplace(CURVED) for e in (formula.WOODWORTH_SC.expr, formula.FAST_DECAY, formula.DECAY))
_FAST_SC, _AHEAD_SC, _BEHIND_SC = (the(f"S5.2-SC{kind}@explicit") for kind in ("", "-ahead", "-behind"))
FAST = of("S5.2-SC@explicit", _PFL, _FAST_SC, "c1", "c3", reading=CURVED).qed(statement_of(_FAST_SC, _PFL, CURVED)[0],
    by.linear("c1", "c3"))
_v = m * (K - 1) * R / L
AHEAD_SC = (
    of("S5.2-SC-ahead@explicit", _PFL, _AHEAD_SC, "c1", "c3", "c4", reading=CURVED)
    .step("fast", le(_PFL, 2 * _FAST), by.linear("c1", "c3"))
    .step("tangent", by.fact("exp", _v - log(2)))
    .step("two", le(2, exp(_v)), by.linear("tangent", "c4"))
    .step("slower", le(2 * _FAST, _DECAY), by.linear("two"))
    .qed(statement_of(_AHEAD_SC, _PFL, CURVED)[0], by.linear("fast", "slower"))
)
_SFL = formula.SFL_SC.xreplace(CURVED)
BEHIND_SC = of("S5.2-SC-behind@explicit", _SFL, _BEHIND_SC, "c1", "c3", "c4", reading=CURVED).qed(
    statement_of(_BEHIND_SC, _SFL, CURVED)[0], by.linear("c1", "c3", "c4"))

_FLAT, _AHEAD_GC = find("sfl/S5.2-GC@explicit").bounds
_PFL_GC, _SHORT = formula.WOODWORTH_GC.expr, L * D**2 / (K * R)


def ahead(bound: Bound, *more: str) -> Theorem:
    """Compare PFL's rate without noise: the spread adds at most the other terms."""
    spread = L * zeta_hat**2 * D**4 / R**2
    chain = (
        of("S5.2-GC@explicit", _PFL_GC, bound, "c1", "c2", *more)
        .step("spread cubed", le(spread, _SHORT**3), by.linear("c2"))
        .steps(*rooted("spread", spread**THIRD, _SHORT, THIRD, "spread cubed"))
        .step("noise sign", le(0, sigma), by.linear())
        .step("quiet", by.power(TWO_THIRDS, "noise sign", "c1"))
    )
    weights: dict[str, Expr] = {
        "spread": Integer(1),
        "c1": D / sqrt(M * K * R),
        "quiet": L**THIRD * D ** Rational(4, 3) / (K**THIRD * R**TWO_THIRDS),
    }
    if more:
        weights["c3"] = _LAST / K
    return chain.qed(statement_of(bound, _PFL_GC)[0], by.linear(weights))


AHEAD_GC = (ahead(_FLAT), ahead(_AHEAD_GC, "c3"))

THEOREMS = (EXP, LARGER, LATE_SC, LATE_GC, LATE_NC, BY_DRIFT, BY_NOISE, BY_ALL, FAST, AHEAD_SC, BEHIND_SC, *AHEAD_GC)
