"""(11): a round on kinked clients that starts left of 0, on the mean; c(x) x <= lam0 x, so no coupling is needed.

E[H x] shrinks by 1 - lam0 eta at most in each step, and (1 - z)^n <= 1 - n z + n^2 z^2.
"""

from __future__ import annotations

from typing import Any

from sympy import Abs, Expr, Rational, Symbol

from fltheory.claim import find
from fltheory.papers.sfl.letters import K, M, eta, lam0, zeta
from fltheory.papers.sfl.letters import x0 as start
from fltheory.proof.language import (
    Apply,
    Combine,
    Expected,
    Given,
    Induction,
    Instance,
    Known,
    Step,
    Theorem,
    eq,
    le,
    stated,
)
from fltheory.proof.terms import E
from proofs_checks.sfl.stray import tau
from proofs_checks.sfl.walk import (
    AHEAD,
    CAP,
    CLIENTS,
    FIRST,
    HANDED,
    NONE,
    PLACES,
    PULL,
    STEEP,
    STEP,
    STEPS,
    B,
    H,
    c,
    i,
    j,
    k,
    nu,
    on,
    p,
    w,
    x,
    x0,
)

z, _now, _then = lam0 * eta, x(c + 1, k), x(c + 1, k + 1)
n, N = c * K + k, M * K


def power(count: Any) -> Expr:
    """1 - n z + n^2 z^2, above (1 - z)^n."""
    return 1 - count * z + count**2 * z**2


BEHIND = Given("behind", le(H * x0, 0), "H vanishes where x0 > 0")
CENTRED = Given("centred", eq(E(H * w(c + 1, k)), 0, CLIENTS, STEPS), "each sign has mean zero, given the past")
_BACK = le(power(n) * AHEAD, E(H * _now))
_AT_START = _BACK.at({k: NONE})
_NEXT = le((1 - z) * E(H * _now), E(H * _then), CLIENTS, STEPS)
_END = le((1 - Rational(2, 3) * z * N) * AHEAD, E(H * x(M + 1, 0)))
ROUND = Theorem(
    "sfl/kink-behind",
    _END,
    (FIRST, STEP, HANDED, PULL, STEEP, CAP, BEHIND, CENTRED),
    (
        Step("minus", le(-_now, Abs(_now), CLIENTS, STEPS), Known("abs", -_now)),
        Step(
            "left of it",
            le(p(c + 1, k), lam0 * _now, CLIENTS, STEPS),
            Combine({"minus": B, "steep": 0}),
            ("minus", "steep"),
            by=("pull",),
            note="c(x) x <= lam0 x",
        ),
        Step(
            "each",
            le(H * ((1 - z) * _now - eta * nu * w(c + 1, k)), H * _then, CLIENTS, STEPS),
            Combine({"step": -H, "left of it": eta * H}),
            ("step", "left of it"),
        ),
        Step(
            "mean",
            le(E(H * ((1 - z) * _now - eta * nu * w(c + 1, k))), E(H * _then), CLIENTS, STEPS),
            Expected(),
            ("each",),
        ),
        Step("next", _NEXT, Combine({"mean": 1, "centred": eta * nu}), ("mean", "centred")),
        Step("most", le(z * N, Rational(1, 101)), Combine({"cap": lam0 * N}), ("cap",)),
        Step("one of", le(z, z * N), Combine()),
        Step("small", le(z, Rational(1, 101)), Combine(), ("one of", "most")),
        Step("part", le(0, 1 - z), Combine({"small": 1}), ("small",)),
        Step("mean behind", le(AHEAD, 0), Expected(), ("behind",)),
        Step(
            "longer",
            on(_BACK.at({k: k + 1}), CLIENTS, STEPS),
            Combine({"next": 1, "assumed 1": 1 - z, "mean behind": (n + 1) * z**2 + n**2 * z**3, "part": 0}),
            ("next", "mean behind", "part"),
            assuming=(_BACK,),
            note="(1 - z)(1 - n z + n^2 z^2) <= 1 - (n + 1) z + (n + 1)^2 z^2",
        ),
        Step("client's start", on(_AT_START, CLIENTS), Combine({"assumed 1": 1}), assuming=(_AT_START,)),
        Step("a client", on(_BACK, CLIENTS, PLACES), Induction(k), ("client's start", "longer"), assuming=(_AT_START,)),
        Step("client's end", on(_BACK.at({k: K}), CLIENTS), Instance({k: K}), ("a client",), assuming=(_AT_START,)),
        Step("weighed", eq(H * x(c + 2, 0), H * x(c + 1, K), CLIENTS), Combine({"handed": H}), ("handed",)),
        Step("handed mean", eq(E(H * x(c + 2, 0)), E(H * x(c + 1, K)), CLIENTS), Expected(), ("weighed",)),
        Step(
            "handed on",
            on(_AT_START.at({c: c + 1}), CLIENTS),
            Combine({"client's end": 1, "handed mean": -1}),
            ("client's end", "handed mean"),
            assuming=(_AT_START,),
        ),
        Step("first weighed", eq(H * x(1, 0), H * x0), Combine({"first": H}), ("first",)),
        Step("first mean", eq(E(H * x(1, 0)), AHEAD), Expected(), ("first weighed",)),
        Step("start", _AT_START.at({c: NONE}), Combine({"first mean": -1}), ("first mean",)),
        Step("every start", on(_AT_START, (c, 0, M)), Induction(c), ("start", "handed on")),
        Step("end", _AT_START.at({c: M}), Instance({c: M}), ("every start",)),
        Step("room", le((z * N) ** 2, z * N / 101), Combine({"most": z * N}), ("most",)),
        Step("wide", le(0, z * N / 3 - (z * N) ** 2), Combine({"room": 1}), ("room",)),
        Step(
            "round", _END, Combine({"end": 1, "mean behind": z * N / 3 - (z * N) ** 2}), ("end", "mean behind", "wide")
        ),
    ),
    place="(11)",
    note="weighed by what is known before the round",
)
u = Symbol("u", positive=True)
_BOUND = find("sfl/I11@printed").bounds[0]
_I11, _IF = stated(_BOUND, E(x(M + 1, 0)) / -u, {start: -u})
_MEAN = le((1 - Rational(2, 3) * z * N) * -u, E(x(M + 1, 0)))
I11 = Theorem(
    "sfl/I11",
    _I11,
    (
        *_IF,
        Given("first", eq(x(1, 0), -u), "the round starts left of 0"),
        Given(
            "step",
            eq(_then, _now - eta * (p(c + 1, k) + zeta * tau(c + 1)), CLIENTS, STEPS),
            "a local step on the client's sign",
        ),
        HANDED,
        PULL,
        Given("fair sign", eq(E(tau(c + 1)), 0, CLIENTS), "each sign is 1 or -1 with the same chance"),
    ),
    (
        Step("fair", eq(E(tau(c + 1)), 0, CLIENTS, STEPS), Combine({"fair sign": 1}), ("fair sign",)),
        Step(
            "mean",
            _MEAN,
            Apply("sfl/kink-behind", ((H, 1), (x0, -u), (nu, zeta), (w(i, j), tau(i)))),
            ("first", "step", "handed", "c2", "c1", "fair"),
            by=("pull",),
        ),
        Step("ratio", _I11, Combine({"mean": 1 / u}), ("mean",)),
    ),
    claim="sfl/I11@printed",
    bound=_BOUND,
    reading={start: -u},
    place="(11)",
    unused=("c3",),
)
THEOREMS = (ROUND, I11)
