"""Short claims: one draw, two clients, linear clients, the projection error for small floors, ranks that pass."""

from __future__ import annotations

from sympy import Integer, Symbol, exp

from fltheory.known import find
from fltheory.papers.osmd.letters import B, K, Lq, M, T, alpha, eta, g, mu, sigma
from fltheory.proof import by, eq, le, lt, proof, stated
from fltheory.proof.terms import Dot, E, Nonnegative, Positive, RandomVector, Total, Vector, family, square
from proofs_checks.osmd import paths
from proofs_checks.osmd import projection as point
from proofs_checks.osmd.facts import N, Y, weight
from proofs_checks.osmd.lemmas import FLOOR, LAMBDA, counts, fed, j, logp, logq, m, whole
from proofs_checks.osmd.paths import ROUNDS, t
from proofs_checks.osmd.quotients import RULES
from proofs_checks.osmd.sampling import CLIENTS, SUM_S, a, b, q, r, s
from proofs_checks.quotients import below, factor, top

# (6) against the loss of a comparator that does not know the draw --------------------------------------------------------

_RANDOM = find("osmd/C-6-random@corrected").bound
_true = whole(fed(j) * exp(-logq(j)))
_estimated = E(whole(fed(j) * exp(-logq(j)) * exp(-logp(j)) * counts(j)))
PREDICTABLE = (
    proof(
        "osmd/6-random",
        of="osmd/C-6-random@corrected",
        bound=_RANDOM,
        note="given what was before the draw; K = 1 in osmd/6",
    )
    .given("mean", eq(E(counts(m)), exp(logp(m)), (m, 1, M)), "one draw from p: q knows nothing of it")
    .given("positive", lt(0, _true), "some client has feedback; the quotient has no value else")
    .step("same", eq(_estimated, _true), by.apply("osmd/6", {K: Integer(1)}, "mean"))
    .qed(
        stated(_RANDOM, _estimated / _true)[0],
        by.apply(RULES.equal.id, {top: _estimated, below: _true, factor: Integer(1)}, "same", "positive"),
    )
)

# Proposition 11: one draw ------------------------------------------------------------------------------------------------

X = family(Vector, "X")
J = Total(X(a), a, 1, M)


def variance(law):
    """Of one draw: the mean over clients of |X_a/p_a - J|^2."""
    return Total(law(a) * square(X(a) / law(a) - J), a, 1, M)


def _losses(law):
    return Total(s(a) ** 2 / law(a), a, 1, M)


def _expanded(law, name):
    """The variance is the loss less |J|^2."""
    term = law(a) * square(X(a) / law(a) - J)
    flat = s(a) ** 2 / law(a) - 2 * Dot(X(a), J) + law(a) * square(J)
    return (
        (f"{name} each", eq(term, flat, CLIENTS), by.combine({"sizes": 1 / law(a)})),
        (f"{name} sum", eq(variance(law), Total(flat, a, 1, M)), by.summed(a, f"{name} each")),
        (
            f"{name} all",
            eq(variance(law), _losses(law) - square(J)),
            by.combine({f"{name} sum": 1, f"law {name}": square(J)}),
        ),
    )


_SINGLE = find("osmd/C-P11-single@corrected").bound
_STATED, _IF = stated(_SINGLE, variance(q) / variance(r))
_begun = (
    proof("osmd/P11-single", of="osmd/C-P11-single@corrected", bound=_SINGLE, unused=("c1",), note="s_a is |X_a|")
    .given("sizes", eq(square(X(a)), s(a) ** 2, CLIENTS), "s_a is the length of what a client adds")
    .given("some", lt(0, SUM_S), "every update differs from 0")
    .given("best", eq(q(a), s(a) / SUM_S, CLIENTS), "p*: the law proportional to the lengths")
    .given("law q", eq(Total(q(a), a, 1, M), 1), "a law on the clients")
    .given("law r", eq(Total(r(a), a, 1, M), 1), "another law on the clients")
    .given("varies", lt(0, variance(r)), "the variance at p is positive")
    .under(*_IF)
)
for _step in (*_expanded(q, "q"), *_expanded(r, "r")):
    _begun = _begun.step(*_step)
SINGLE = (
    _begun.step("least", eq(_losses(q), SUM_S**2), by.apply("osmd/opt-attained", "best", "some"))
    .step("other", le(SUM_S**2, _losses(r)), by.apply("osmd/opt", {q(a): r(a)}, "law r"))
    .step("sides", le(variance(q), variance(r)), by.combine({"q all": 1, "r all": -1, "least": 1, "other": 1}))
    .qed(
        _STATED, by.apply(RULES.upper.id, {top: variance(q), below: variance(r), factor: Integer(1)}, "sides", "varies")
    )
)

# Linear clients: how large an answer is ----------------------------------------------------------------------------------

h, xi = family(Vector, "h")(), family(RandomVector, "xi")
_NOISE = Total(xi(b), b, 1, B)
_ANSWER = mu * Total(h + xi(b), b, 1, B)
_SCALE = find("osmd/C-T5scale@explicit").bound
_STEPS = (b, 1, B)
_c = Symbol("c", integer=True, positive=True)
_STATED_L, _IF_L = stated(_SCALE, E(square(_ANSWER)) / (mu**2 * B))
LINEAR = (
    proof(
        "osmd/T5-scale",
        of="osmd/C-T5scale@explicit",
        bound=_SCALE,
        unused=("c1",),
        note="the gradient h is the same everywhere",
    )
    .given("gradient", eq(square(h), g**2), "the gradient of a linear client")
    .given("noise", eq(E(square(xi(b))), sigma**2, _STEPS), "the noise of a step has the variance sigma^2")
    .given("unbiased", eq(E(Dot(xi(b), h)), 0, _STEPS), "A3: noise has mean 0")
    .given("pairs", eq(E(Dot(xi(b), xi(_c))), 0, _STEPS, (_c, 1, b - 1)), "A3: and mean 0 given the earlier one")
    .under(*_IF_L)
    .step(
        "1",
        eq(E(square(_NOISE)), Total(E(square(xi(b))), b, 1, B)),
        by.apply("osmd/uncorrelated", {Y(b): xi(b), N: B, weight: Integer(1)}, "pairs"),
    )
    .step("2", eq(Total(E(square(xi(b))), b, 1, B), B * sigma**2), by.summed(b, "noise"))
    .step("3", eq(Total(E(Dot(xi(b), h)), b, 1, B), 0), by.summed(b, "unbiased"))
    .qed(_STATED_L, by.combine({"1": 1 / B, "2": 1 / B, "3": 2, "gradient": B}))
)

# The projection error as the floor goes to 0 -----------------------------------------------------------------------------

share, lost = family(Nonnegative, "q"), family(Nonnegative, "lost")
omega, phi = family(Nonnegative, "omega"), family(Nonnegative, "phi")
_psi = whole(point.below(share(t, j)))
_above = whole(point.above(share(t, j)))
_loss = whole(lost(t, j)) / K
_LIMIT = find("osmd/C-T6-limit@explicit").bound
_READ = {Lq: Total(_loss, t, 1, T)}
_ERROR = 8 * LAMBDA / eta * Total(_psi, t, 1, T) + Total(phi(t) * _loss, t, 1, T)
_STATED_P, _IF_P = stated(_LIMIT, _ERROR, _READ)
_phi, _size, _paid, rest = (*(family(Nonnegative, n)() for n in ("phi", "size", "paid")), Symbol("rest", positive=True))
SMALL = (
    proof("osmd/phi-small", "(19)")
    .given("factor", le(_phi * rest, _size), "phi is at most psi/(1 - alpha)")
    .given("psi", le(_size, alpha), "and psi at most alpha")
    .qed(le(_phi * _paid, alpha / rest * _paid), by.combine({"factor": _paid / rest, "psi": _paid / rest}))
)
_total = omega(t) * (_psi + 1 - alpha)
LIMIT = (
    proof(
        "osmd/T6-limit",
        of="osmd/C-T6-limit@explicit",
        bound=_LIMIT,
        reading=_READ,
        note="phi is at most psi/(1 - alpha)",
    )
    .given("sum q", eq(whole(share(t, j)), 1, ROUNDS), "probabilities of the comparator, some perhaps 0")
    .given("omega", eq(omega(t) * _above, _psi, ROUNDS), "omega of (19)")
    .given("phi", eq(phi(t) * (1 - omega(t) * (1 - FLOOR)), omega(t), ROUNDS), "phi of (19)")
    .under(*_IF_P)
    .step("psi", le(_psi, alpha, ROUNDS), by.apply("osmd/psi", {point.share(m): share(t, m)}))
    .step(
        "balance",
        eq(_above, _psi + 1 - alpha, ROUNDS),
        by.apply("osmd/balance", {point.share(m): share(t, m)}, "sum q"),
    )
    .step("ratio", eq(_total, _psi, ROUNDS), by.combine({"omega": 1, "balance": -omega(t)}))
    .step("kept", le(phi(t) * (1 - omega(t)), omega(t), ROUNDS), by.combine({"phi": 1}))
    .step("below nothing", le(0, point.below(share(t, m)), ROUNDS, (m, 1, M)), by.combine())
    .step("psi low", le(0, _psi, ROUNDS), by.summed(m, "below nothing"))
    .step("mass", le(0, _psi + 1 - alpha, ROUNDS), by.combine({"psi low": 1, "c1": 1}))
    .step(
        "factor",
        le(phi(t) * (1 - alpha), _psi, ROUNDS),
        by.combine({"kept": _psi + 1 - alpha, "ratio": 1 + phi(t)}, "mass"),
    )
    .step("room", lt(0, 1 - alpha), by.combine({"c1": 1}))
    .step("lost each", le(0, lost(t, m), ROUNDS, (m, 1, M)), by.combine())
    .step("lost all", le(0, whole(lost(t, j)), ROUNDS), by.summed(m, "lost each"))
    .step("lost low", le(0, _loss, ROUNDS), by.combine({"lost all": 1 / K}))
    .step(
        "small",
        le(phi(t) * _loss, alpha / (1 - alpha) * _loss, ROUNDS),
        by.apply(
            "osmd/phi-small",
            {_phi: phi(t), _size: _psi, rest: 1 - alpha, _paid: _loss},
            "factor",
            "psi",
            "psi low",
            "lost low",
            "room",
        ),
    )
    .step(
        "losses", le(Total(phi(t) * _loss, t, 1, T), Total(alpha / (1 - alpha) * _loss, t, 1, T)), by.summed(t, "small")
    )
    .step("moved", le(Total(_psi, t, 1, T), T * alpha), by.summed(t, "psi"))
    .step("log 1", le(1 - LAMBDA, alpha / M), by.known("exp", -LAMBDA))
    .step("log", le(0, LAMBDA), by.combine({"log 1": 1, "c1": 1 / M, "c2": 1 / M}))
    .qed(_STATED_P, by.combine({"losses": 1, "moved": 8 * LAMBDA / eta}, "log", "c1"))
)

# Proposition 11: two clients -----------------------------------------------------------------------------------------------

X1, X2 = (family(Vector, name)() for name in ("X1", "X2"))
s1, s2, p1, p2, r1, r2 = (Symbol(name, positive=True) for name in ("s1", "s2", "p1", "p2", "r1", "r2"))


def pair(one, two):
    """Of K draws without replacement, K = 1 or 2: what the second one estimates is what is left over its share of what is left."""
    first = (X1 / one + (K - 1) * (X1 + X2 * (1 - one) / two)) / K - X1 - X2
    second = (X2 / two + (K - 1) * (X2 + X1 * (1 - two) / one)) / K - X1 - X2
    return one * square(first) + two * square(second)


def _pair_loss(one, two):
    return (s1**2 / one + s2**2 / two - square(X1 + X2)) / K**2


_PAIR = find("osmd/C-P11-pair@corrected").bound
_STATED_2, _IF_2 = stated(_PAIR, pair(p1, p2) / pair(r1, r2))
PAIR_OF = (
    proof("osmd/P11-pair-variance", "Proposition 11", note="the second of two draws has no variance")
    .given("size 1", eq(square(X1), s1**2), "the length of what a client adds")
    .given("size 2", eq(square(X2), s2**2), "and of what the other adds")
    .given("law", eq(p2, 1 - p1), "a law on two clients")
    .given("room", lt(0, 1 - p1), "both may be drawn")
    .qed(
        eq(pair(p1, p2), _pair_loss(p1, p2)),
        by.combine({"size 1": 1 / (K**2 * p1), "size 2": 1 / (K**2 * (1 - p1))}, "room"),
        inserting="law",
    )
)
PAIR = (
    proof("osmd/P11-pair", of="osmd/C-P11-pair@corrected", bound=_PAIR, unused=("c1", "draws"))
    .given("size 1", eq(square(X1), s1**2), "the length of what a client adds, which is not 0")
    .given("size 2", eq(square(X2), s2**2), "and of what the other adds")
    .given("law", eq(r2, 1 - r1), "a law on two clients")
    .given("best", eq(p1, s1 / (s1 + s2)), "p*: the law proportional to the lengths")
    .given("other", eq(p2, s2 / (s1 + s2)), "for both clients")
    .given("draws", le(K, 2), "no more draws than clients")
    .given("varies", lt(0, pair(r1, r2)), "the variance at p is positive")
    .under(*_IF_2)
    .step("law p", eq(p2, 1 - p1), by.combine({"best": 1, "other": 1}))
    .step("room p", lt(0, 1 - p1), by.combine({"law p": 1}))
    .step("room r", lt(0, 1 - r1), by.combine({"law": 1}))
    .step(
        "p",
        eq(pair(p1, p2), _pair_loss(p1, p2)),
        by.apply("osmd/P11-pair-variance", "size 1", "size 2", "law p", "room p"),
    )
    .step(
        "r",
        eq(pair(r1, r2), _pair_loss(r1, r2)),
        by.apply("osmd/P11-pair-variance", {p1: r1, p2: r2}, "size 1", "size 2", "law", "room r"),
    )
    .step("first", eq(s1**2 / p1, s1 * (s1 + s2)), by.combine({"best": -s1 * (s1 + s2) / p1}))
    .step("second", eq(s2**2 / p2, s2 * (s1 + s2)), by.combine({"other": -s2 * (s1 + s2) / p2}))
    .step(
        "square",
        le(0, s1**2 * r2 / r1 - 2 * s1 * s2 + s2**2 * r1 / r2),
        by.apply("osmd/convex", {paths.a: s1 * s2, paths.b: s2**2 * r1 / r2}),
    )
    .step(
        "least", le((s1 + s2) ** 2, s1**2 / r1 + s2**2 / r2), by.combine({"square": 1, "law": s1**2 / r1 + s2**2 / r2})
    )
    .step(
        "sides",
        le(pair(p1, p2), pair(r1, r2)),
        by.combine({"p": 1, "r": -1, "first": 1 / K**2, "second": 1 / K**2, "least": 1 / K**2}),
    )
    .qed(
        _STATED_2,
        by.apply(RULES.upper.id, {top: pair(p1, p2), below: pair(r1, r2), factor: Integer(1)}, "sides", "varies"),
    )
)

# Algorithm 2: some rank passes ------------------------------------------------------------------------------------------

y, k = family(Positive, "y"), Symbol("k", integer=True, positive=True)
floored = Symbol("floored", integer=True, nonnegative=True)
_RANK = find("osmd/C-P12-rank@corrected").bound
_STATED_R, _IF_R = stated(_RANK, M - floored)
_FAILS = le(y(k) * (1 - (k - 1) * alpha / M), FLOOR * Total(y(j), j, k, M), (k, 1, floored))
_no = le(M, floored)
_number = Symbol("number", real=True)
NOTHING = (
    proof("osmd/nothing", "Algorithm 2", note="divided by a positive number")
    .given("none", le(_number * rest, 0), "a product")
    .qed(le(_number, 0), by.combine({"none": 1 / rest}))
)
RANK = (
    proof(
        "osmd/P12-rank",
        of="osmd/C-P12-rank@corrected",
        bound=_RANK,
        note="the last rank passes: 1 - (M - 1) alpha/M > alpha/M",
    )
    .given("fails", _FAILS, "m* is the first rank with v_k > u_k: those below it, as many as are floored, fail")
    .given("ranks", le(floored, M), "there are M ranks")
    .under(*_IF_R)
    .step(
        "last",
        le(y(M) * (1 - (M - 1) * alpha / M), FLOOR * Total(y(j), j, M, M)),
        by.instance({k: M}, "fails"),
        assuming=_no,
    )
    .step("room", lt(0, y(M) * (1 - alpha)), by.combine({"c1": y(M)}))
    .step("none", le(y(M) * (1 - alpha), 0), by.combine({"last": 1}), assuming=_no)
    .step(
        "never",
        le(1, Integer(0)),
        by.apply("osmd/nothing", {rest: y(M) * (1 - alpha), _number: Integer(1)}, "none", "room"),
        assuming=_no,
    )
    .step("no", _STATED_R, by.combine({"never": 1, "ranks": 1}), assuming=_no, note="it passes")
    .step("yes", _STATED_R, by.combine({"assumed 1": 1}), assuming=le(floored, M - 1))
    .qed(_STATED_R, by.cases("yes", "no"))
)

THEOREMS = (PREDICTABLE, SINGLE, PAIR_OF, PAIR, LINEAR, SMALL, LIMIT, NOTHING, RANK)
