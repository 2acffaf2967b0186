"""(10): a round on kinked clients from a start a >= 0, from (8) on its first M/2 + 1 clients and (9) on the others.

The paper's sum of sqrt(m - 1 + a_k^2) is bounded by sqrt(m - 1) below, and by sqrt(M) on the later clients.
"""

from __future__ import annotations

from typing import Any

from sympy import Abs, Expr, Rational, Symbol, oo, sqrt

from fltheory.papers.sfl.letters import K, M, eta, lam0, zeta
from fltheory.proof.language import (
    Apply,
    Combine,
    Expected,
    Given,
    Induction,
    Instance,
    Polynomial,
    Power,
    Step,
    Summed,
    Theorem,
    eq,
    le,
)
from fltheory.proof.terms import E, Indicator, Total
from proofs_checks.sfl.kinked import GROW, HALF, READING, SHORT, SYMMETRIC, WALK, a, catalogued, r, theta
from proofs_checks.sfl.stray import CLIENTS, DRAWN, FRONT, LAW, NOISE, g, m, tau
from proofs_checks.sfl.walk import (
    AHEAD,
    FIRST,
    INNER,
    KNOWN,
    NONE,
    PULL,
    START,
    STEPS,
    H,
    W,
    c,
    i,
    j,
    k,
    nu,
    on,
    p,
    s,
    w,
    x,
    x0,
)

# Sums of roots ----------------------------------------------------------------------------------------------------

u, v = Symbol("u", nonnegative=True), Symbol("v", nonnegative=True)
q = Symbol("q", integer=True, nonnegative=True)
_STEP = le(Rational(2, 3) * v**3, v + Rational(2, 3) * u**3)
ROOT = Theorem(
    "sfl/roots-step",
    _STEP,
    (Given("order", le(u, v), "u = sqrt(n), v = sqrt(n + 1)"), Given("one", eq(v**2, u**2 + 1), "their squares")),
    (
        Step(
            "step",
            _STEP,
            Combine({"order": (v - u) * (v + 2 * u) / 3, "one": v}),
            ("order", "one"),
            note="(v - u)^2 (v + 2 u) >= 0",
        ),
    ),
    place="App. D.2",
)


def roots(n: Any) -> Expr:
    """The sum of sqrt(i) over 0 <= i <= n."""
    return Total(sqrt(q), q, 0, n)


_ROOTS = le(Rational(2, 3) * c * sqrt(c), roots(c))
_NEXT = le(Rational(2, 3) * (c + 1) * sqrt(c + 1), sqrt(c + 1) + Rational(2, 3) * c * sqrt(c), (c, 0, oo))
ROOTS = Theorem(
    "sfl/roots",
    on(_ROOTS, (c, 0, oo)),
    (),
    (
        Step("zero", le(0, c, (c, 0, oo)), Combine()),
        Step("more", le(c, c + 1, (c, 0, oo)), Combine()),
        Step("order", le(sqrt(c), sqrt(c + 1), (c, 0, oo)), Power(Rational(1, 2)), ("zero", "more")),
        Step("next", _NEXT, Apply("sfl/roots-step", ((u, sqrt(c)), (v, sqrt(c + 1)))), ("order",)),
        Step("start", _ROOTS.at({c: NONE}), Combine()),
        Step(
            "one",
            on(_ROOTS.at({c: c + 1}), (c, 0, oo)),
            Combine({"next": 1, "assumed 1": 1}),
            ("next",),
            assuming=(_ROOTS,),
        ),
        Step("all", on(_ROOTS, (c, 0, oo)), Induction(c), ("start", "one")),
    ),
    place="App. D.2",
    note="sqrt(1) + ... + sqrt(n) >= 2/3 n^(3/2)",
)
_HALF = le(v, Rational(3, 2) * u)
HALVES = Theorem(
    "sfl/roots-half",
    _HALF,
    (Given("squares", le(v**2, Rational(9, 4) * u**2), "v = sqrt(M), u = sqrt(M / 2)"),),
    (Step("zero", le(0, v**2), Combine()), Step("half", _HALF, Power(Rational(1, 2)), ("zero", "squares"))),
    place="App. D.2",
)

# The mean from client to client -------------------------------------------------------------------------------------

FAIR_SIGN = Given("fair sign", eq(E(tau(i)), 0, (i, 1, m)), "each sign is 1 or -1 with the same chance")
FAIR = Given("fair sign", eq(E(H * tau(i)), 0, (i, 1, m)), "each sign is 1 or -1 with the same chance, given the past")
_PULLS = Total(E(H * p(c + 1, j)), j, 0, K - 1)
_MEAN = eq(E(H * x(c + 2, 0)), E(H * x(c + 1, 0)) - eta * _PULLS, CLIENTS)
_SIGNED = eq(x(c + 2, 0), x(c + 1, 0) - eta * (Total(p(c + 1, j), j, 0, K - 1) + zeta * K * tau(c + 1)), CLIENTS)
_CLIENT = on(INNER, CLIENTS, (k, 0, K))
_CLIENT = eq(_CLIENT.left, x(c + 1, 0) - eta * (Total(p(c + 1, j), j, 0, k - 1) + zeta * k * tau(c + 1)), *_CLIENT.over)
_END = eq(x(c + 1, K), _SIGNED.right, CLIENTS)
MEAN = Theorem(
    "sfl/kink-mean",
    _MEAN,
    (*WALK[1:], FAIR),
    (
        Step("steps", _CLIENT, Apply("sfl/kink-client", ((nu, zeta), (w(i, j), tau(i)), (M, m))), ("step",)),
        Step("client", _END, Instance({k: K}), ("steps",)),
        Step("next", _SIGNED, Combine({"handed": 1, "client": 1}), ("handed", "client")),
        Step("weighed", eq(H * x(c + 2, 0), H * _SIGNED.right, CLIENTS), Combine({"next": H}), ("next",)),
        Step("mean", eq(E(H * x(c + 2, 0)), E(H * _SIGNED.right), CLIENTS), Expected(), ("weighed",)),
        Step("its sign", eq(E(H * tau(c + 1)), 0, CLIENTS), Instance({i: c + 1}), ("fair sign",)),
        Step("pulled", _MEAN, Combine({"mean": 1, "its sign": -eta * zeta * K}), ("mean", "its sign")),
    ),
    place="(4)",
)
_EARLIER = (
    Step("earlier signs", eq(E(H * tau(i)), 0, CLIENTS, (i, 1, c)), Combine(), ("fair sign",)),
    Step("their sum", eq(Total(E(H * tau(i)), i, 1, c), 0, CLIENTS), Summed((i,)), ("earlier signs",)),
    Step("its sign", eq(E(H * tau(c + 1)), 0, CLIENTS), Instance({i: c + 1}), ("fair sign",)),
    Step(
        "no drift",
        eq(E(H * W(c, k)), 0, CLIENTS, STEPS),
        Combine({"their sum": K, "its sign": k}),
        ("their sum", "its sign"),
        by=("noise",),
    ),
)

# The first clients and the others -----------------------------------------------------------------------------------

_PULL8 = le(
    E(H * p(c + 1, k)),
    Rational(501, 1000) * lam0 * AHEAD - Rational(14, 1000) * lam0 * eta * zeta * START * s(c, k),
    FRONT,
    STEPS,
)
_PULL9 = le(E(H * p(c + 1, k)), lam0 / 1000 * (AHEAD + eta * zeta * START * s(c, k)), CLIENTS, STEPS)
WORDS = ((nu, zeta), (w(i, j), tau(i)), (M, m))
ROUND = (FIRST, *WALK[1:])
EVEN = Given(
    "even",
    eq(E(H * x0 * Indicator(W(c, k))), E(H * x0 * Indicator(-W(c, k))), FRONT, STEPS),
    "all signs turned over, the order is as likely as before, given the past",
)
APART = Given(
    "apart", eq(E(H * Abs(W(c, k))), START * E(Abs(W(c, k))), CLIENTS, STEPS), "the order is independent of the past"
)
PAST = (KNOWN, APART, EVEN)
STRAY = tuple(t for t in HALF if t.id in ("far", "stray"))
_USES = ("first", "step", "handed", "c2", "known", "apart", "spread", "c1", "growing", "joined")
_I10, _C10, _B10 = catalogued("sfl/I10@printed", E(x(m + 1, 0)))
_NEAR, _FAR = Rational(501, 1000) * lam0 * AHEAD, Rational(14, 1000) * lam0 * eta * zeta * K * START
_LATE = lam0 / 1000 * (AHEAD + eta * zeta * K * START * sqrt(m))
_MEAN_STEP = Step("means", _MEAN, Apply("sfl/kink-mean"), ("step", "handed", "fair sign"))
_EARLY = le(AHEAD - eta * c * K * _NEAR + eta * K * _FAR * roots(c - 1), E(H * x(c + 1, 0)))
BEGINNING = Theorem(
    "sfl/I10-front",
    on(_EARLY, (c, 0, g + 3)),
    (*_C10[:2], *ROUND, NOISE, PULL, *DRAWN, SHORT, *PAST, FAIR, *LAW),
    (
        *GROW,
        *_EARLIER,
        Step("centred", eq(E(H * W(c, k)), 0, FRONT, STEPS), Combine(), ("no drift",)),
        *STRAY,
        Step(
            "every place",
            _PULL8,
            Apply("sfl/kink-pull-back", (*WORDS, (r, g + 1), (theta, Rational(1, 20)))),
            (*_USES, "even", "centred", "stray"),
            by=("noise", "pull"),
            note="(8)",
        ),
        Step("whole", le(0, c, CLIENTS, STEPS), Combine()),
        Step("and more", le(c, c + (k / K) ** 2, CLIENTS, STEPS), Combine()),
        Step(
            "roots", le(sqrt(c), sqrt(c + (k / K) ** 2), CLIENTS, STEPS), Power(Rational(1, 2)), ("whole", "and more")
        ),
        Step(
            "each",
            le(E(H * p(c + 1, k)), _NEAR - _FAR * sqrt(c), FRONT, STEPS),
            Combine({"every place": 1, "s": -Rational(14, 1000) * lam0 * eta * zeta * START, "roots": _FAR}),
            ("every place", "s", "roots"),
        ),
        Step("client", le(_PULLS, K * (_NEAR - _FAR * sqrt(c)), FRONT), Summed((k,)), ("each",)),
        _MEAN_STEP,
        Step("first weighed", eq(H * x(1, 0), H * x0), Combine({"first": H}), ("first",)),
        Step("first mean", eq(E(H * x(1, 0)), AHEAD), Expected(), ("first weighed",)),
        Step("start", _EARLY.at({c: NONE}), Combine({"first mean": -1}), ("first mean",)),
        Step(
            "one",
            on(_EARLY.at({c: c + 1}), FRONT),
            Combine({"means": -1, "client": eta, "assumed 1": 1}),
            ("means", "client"),
            assuming=(_EARLY,),
        ),
        Step("all", on(_EARLY, (c, 0, g + 3)), Induction(c), ("start", "one")),
    ),
    place="(10)",
    note="(8), summed over the first M/2 + 1 clients",
)
d = Symbol("d", integer=True, nonnegative=True)
LATER = (d, 0, g)
_HEAD = AHEAD - eta * (g + 3) * K * _NEAR + eta * K * _FAR * roots(g + 2)
_AFTER = le(_HEAD - d * eta * K * _LATE, E(H * x(g + 4 + d, 0)))
_FRONT_IDS = (
    "c1",
    "c2",
    "first",
    "step",
    "handed",
    "s",
    "unit",
    "fair",
    "known",
    "apart",
    "even",
    "fair sign",
    *(h.id for h in LAW),
)
_WHOLE = le(
    (1 - Rational(2, 3) * lam0 * m * K * eta) * AHEAD + lam0 * m ** Rational(3, 2) * K**2 * eta**2 * zeta * START / 600,
    E(H * x(m + 1, 0)),
)
_SLACK = lam0 * K * eta * (Rational(2, 3) * m - Rational(501, 1000) * (g + 3) - (g + 1) / 1000)
WHOLE = Theorem(
    "sfl/kink-ahead",
    _WHOLE,
    (*_C10[:2], *ROUND, NOISE, PULL, *DRAWN, SHORT, *PAST, FAIR, *LAW),
    (
        *GROW,
        Step("front", BEGINNING.statement, Apply("sfl/I10-front"), _FRONT_IDS, by=("noise", "pull", "sums")),
        Step("every place", _PULL9, Apply("sfl/kink-pull", WORDS), _USES, by=("noise", "pull"), note="(9)"),
        Step("step of", le(k, K, CLIENTS, STEPS), Polynomial()),
        Step("fraction", le((k / K) ** 2, 1, CLIENTS, STEPS), Combine({"step of": (k + K) / K**2}), ("step of",)),
        Step("place of", le(c + 1, m, CLIENTS, STEPS), Polynomial()),
        Step("inside", le(c + (k / K) ** 2, m, CLIENTS, STEPS), Combine(), ("fraction", "place of")),
        Step(
            "roots",
            le(sqrt(c + (k / K) ** 2), sqrt(m), CLIENTS, STEPS),
            Power(Rational(1, 2)),
            ("nonnegative", "inside"),
        ),
        Step(
            "each",
            le(E(H * p(c + 1, k)), _LATE, CLIENTS, STEPS),
            Combine(
                {"every place": 1, "s": lam0 * eta * zeta * START / 1000, "roots": lam0 * eta * zeta * K * START / 1000}
            ),
            ("every place", "s", "roots"),
        ),
        Step("client", le(_PULLS, K * _LATE, CLIENTS), Summed((k,)), ("each",)),
        _MEAN_STEP,
        Step(
            "on",
            le(E(H * x(c + 1, 0)) - eta * K * _LATE, E(H * x(c + 2, 0)), CLIENTS),
            Combine({"means": -1, "client": eta}),
            ("means", "client"),
        ),
        Step(
            "later",
            le(E(H * x(g + 4 + d, 0)) - eta * K * _LATE, E(H * x(g + 5 + d, 0)), LATER),
            Instance({c: g + 3 + d}),
            ("on",),
        ),
        Step("start", _AFTER.at({d: NONE}), Instance({c: g + 3}), ("front",)),
        Step(
            "one",
            on(_AFTER.at({d: d + 1}), LATER),
            Combine({"later": 1, "assumed 1": 1}),
            ("later",),
            assuming=(_AFTER,),
        ),
        Step("all", on(_AFTER, (d, 0, g + 1)), Induction(d), ("start", "one")),
        Step("end", _AFTER.at({d: g + 1}), Instance({d: g + 1}), ("all",)),
        Step("root sums", on(_ROOTS, (c, 0, oo)), Apply("sfl/roots")),
        Step("sum", _ROOTS.at({c: g + 2}), Instance({c: g + 2}), ("root sums",)),
        Step(
            "half", le(sqrt(m), Rational(3, 2) * sqrt(g + 2)), Apply("sfl/roots-half", ((u, sqrt(g + 2)), (v, sqrt(m))))
        ),
        Step("start ahead", le(0, H * x0), Combine({"known": 1}), ("known",)),
        Step("mean ahead", le(0, AHEAD), Expected(), ("start ahead",)),
        Step(
            "round",
            _WHOLE,
            Combine(
                {
                    "end": 1,
                    "mean ahead": _SLACK,
                    "sum": eta * K * _FAR,
                    "half": lam0 * eta**2 * zeta * K**2 * START * ((g + 1) / 1000 + m / 600),
                }
            ),
            ("end", "sum", "half", "mean ahead"),
            note="501/1000 (M/2 + 1) + 1/1000 (M/2 - 1) <= 2/3 M",
        ),
    ),
    place="(10)",
    note="weighed by what is known before the round",
)
I10 = Theorem(
    "sfl/I10",
    _I10,
    (*_C10, *WALK, NOISE, PULL, *DRAWN, SHORT, SYMMETRIC, FAIR_SIGN, *LAW),
    (
        Step(
            "even",
            eq(a * E(Indicator(W(c, k))), a * E(Indicator(-W(c, k))), FRONT, STEPS),
            Combine({"symmetric": a}),
            ("symmetric",),
        ),
        Step(
            "round",
            _I10,
            Apply("sfl/kink-ahead", ((H, 1), (x0, a))),
            ("c1", "c2", "first", "step", "handed", "s", "unit", "fair", "even", "fair sign", *(h.id for h in LAW)),
            by=("noise", "pull", "sums"),
        ),
    ),
    claim="sfl/I10@printed",
    bound=_B10,
    reading=READING,
    place="(10)",
    unused=("c3", "c4"),
)
THEOREMS = (ROOT, ROOTS, HALVES, MEAN, BEGINNING, WHOLE, I10)
