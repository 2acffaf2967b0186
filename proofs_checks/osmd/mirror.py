"""The mirror step on the floored simplex: its closed form (Proposition 12, Lemma 19), (48), (50), (51), one round.

``y`` are the gains: minus the rate times the estimated gradient. Every inequality holds on each path.
"""

from __future__ import annotations

from typing import Any

from sympy import Abs, Expr, Max, Symbol, exp

from fltheory.proof.language import Apply, Cases, Combine, Given, Known, Step, Summed, Theorem, eq, le
from proofs_checks.osmd.lemmas import (
    EACH,
    FLOOR,
    LAMBDA,
    C,
    P,
    Q,
    R,
    S,
    Z,
    divergence,
    floored,
    j,
    logp,
    logq,
    logr,
    logz,
    m,
    simplex,
    whole,
    y,
)

PLACE = "proof of Proposition 13"
floor = Symbol("floor", positive=True)

# Proposition 12: the closed form, and why it is optimal -----------------------------------------------------------------

_KKT = le((exp(R) - exp(Q)) * (R - P), 0)
_UP, _DOWN = (le(floor, exp(P)),), (le(exp(P), floor),)
_LARGER = Max(floor, exp(P))
KKT = Theorem(
    "osmd/kkt",
    _KKT,
    (Given("next", eq(exp(R), _LARGER), "not below the floor"), Given("floor", le(floor, exp(Q)), "another point")),
    (
        Step("free", eq(_LARGER, exp(P)), Known("max", _LARGER), assuming=_UP),
        Step("same", eq(exp(R), exp(P)), Combine({"next": 1, "free": 1}), ("next", "free"), assuming=_UP),
        Step("equal", eq(R, P), Apply("osmd/log-equal", {P: R, Q: P}), ("same",), assuming=_UP),
        Step(
            "1",
            _KKT,
            Combine({"equal": exp(R) - exp(Q)}),
            ("equal",),
            assuming=_UP,
            note="above the floor no multiplier",
        ),
        Step("held", eq(_LARGER, floor), Known("max", _LARGER), assuming=_DOWN),
        Step("on it", eq(exp(R), floor), Combine({"next": 1, "held": 1}), ("next", "held"), assuming=_DOWN),
        Step("more", le(exp(P), exp(R)), Combine({"assumed 1": 1, "on it": -1}), ("on it",), assuming=_DOWN),
        Step("sign", le(P, R), Apply("osmd/log", {P: P, Q: R}), ("more",), assuming=_DOWN),
        Step(
            "2",
            _KKT,
            Combine({"on it": R - P, "floor": R - P}),
            ("on it", "floor", "sign"),
            assuming=_DOWN,
            note="on the floor the multiplier has a sign",
        ),
        Step("3", _KKT, Cases(), ("1", "2")),
    ),
    place="Proposition 12, Lemma 19",
    note="one client of the step max(alpha/M, c p e^y)",
)

NEXT = Given(
    "next", eq(exp(logr(m)), Max(FLOOR, exp(C + logp(m) + y(m))), EACH), "Algorithm 2: max(alpha/M, c p e^y), c = e^C,"
)
SUM = simplex("sum r", logr)
OTHER = (simplex("sum q", logq), floored("floor q", logq))
_48 = le(whole((exp(logr(j)) - exp(logq(j))) * (logr(j) - logp(j) - y(j))), 0)
_SHIFTED = C + logp(m) + y(m)
OPTIMAL = Theorem(
    "osmd/48",
    _48,
    (NEXT, SUM, *OTHER),
    (
        Step(
            "each",
            le((exp(logr(m)) - exp(logq(m))) * (logr(m) - _SHIFTED), 0, EACH),
            Apply("osmd/kkt", {P: _SHIFTED, Q: logq(m), R: logr(m), floor: FLOOR}),
            ("next", "floor q"),
        ),
        Step(
            "all",
            le(whole((exp(logr(j)) - exp(logq(j))) * (logr(j) - (C + logp(j) + y(j)))), 0),
            Summed((m,)),
            ("each",),
        ),
        Step("last", _48, Combine({"all": 1, "sum r": C, "sum q": -C}), ("all", "sum r", "sum q")),
    ),
    claim="osmd/C-48@printed",
    place="(48)",
    note="the step's first-order optimality, from its closed form",
)


def objective(logs: Any) -> Expr:
    """What the mirror step minimises."""
    return divergence(logs, logp) - whole(exp(logs(j)) * y(j))


_P12 = le(objective(logr) + divergence(logq, logr), objective(logq))
P12 = Theorem(
    "osmd/P12",
    _P12,
    (NEXT, SUM, *OTHER),
    (
        Step("48", _48, Apply("osmd/48"), ("next", "sum r", "sum q", "floor q")),
        Step("last", _P12, Combine({"48": 1}), ("48",), note="the three-point identity"),
    ),
    claim="osmd/C-P12@printed",
    place="Proposition 12",
    note="the closed form is the minimiser, and any other point is worse by at least D(q || r)",
)

# (50): the comparator moves ---------------------------------------------------------------------------------------------

_BETWEEN = (
    Given("p low", le(-LAMBDA, P), "on the floored simplex"),
    Given("p high", le(P, 0), "a probability"),
    Given("z low", le(-LAMBDA, Z), "on the floored simplex"),
    Given("z high", le(Z, 0), "a probability"),
)
_MOVED = exp(Z) - exp(Q)
_SHIFT = le(exp(Z) * (Z - P) - exp(Q) * (Q - P), LAMBDA * Abs(_MOVED) + _MOVED)
SHIFT = Theorem(
    "osmd/shift",
    _SHIFT,
    _BETWEEN,
    (
        Step("tangent", le(1 + Z - Q, exp(Z - Q)), Known("exp", Z - Q)),
        Step("up", le(_MOVED, Abs(_MOVED)), Known("abs", _MOVED)),
        Step("down", le(-_MOVED, Abs(_MOVED)), Known("abs", -_MOVED)),
        Step("less", le(0, LAMBDA - Z + P), Combine(), ("p low", "z high")),
        Step("more", le(0, LAMBDA + Z - P), Combine(), ("p high", "z low")),
        Step(
            "last",
            _SHIFT,
            Combine({"tangent": exp(Q), "up": (LAMBDA + Z - P) / 2, "down": (LAMBDA - Z + P) / 2}),
            ("tangent", "up", "down", "less", "more"),
        ),
    ),
    place="(50)",
    note="one client",
)


def variation(a: Any, b: Any) -> Expr:
    """The 1-norm of the difference of two probability vectors."""
    return whole(Abs(exp(b(j)) - exp(a(j))))


_50 = le(divergence(logz, logp) - divergence(logq, logp), LAMBDA * variation(logq, logz))
MOVE = Theorem(
    "osmd/50",
    _50,
    (
        simplex("sum p", logp),
        floored("floor p", logp),
        simplex("sum q", logq),
        simplex("sum z", logz),
        floored("floor z", logz),
    ),
    (
        Step("p low", le(-LAMBDA, logp(m), EACH), Apply("osmd/log-low", {P: logp(m)}), ("floor p",)),
        Step("z low", le(-LAMBDA, logz(m), EACH), Apply("osmd/log-low", {P: logz(m)}), ("floor z",)),
        Step("p high", le(logp(m), 0, EACH), Apply("osmd/log-high"), ("sum p",)),
        Step("z high", le(logz(m), 0, EACH), Apply("osmd/log-high", {logp(m): logz(m)}), ("sum z",)),
        Step(
            "each",
            le(
                exp(logz(m)) * (logz(m) - logp(m)) - exp(logq(m)) * (logq(m) - logp(m)),
                LAMBDA * Abs(exp(logz(m)) - exp(logq(m))) + exp(logz(m)) - exp(logq(m)),
                EACH,
            ),
            Apply("osmd/shift", {P: logp(m), Q: logq(m), Z: logz(m)}),
            ("p low", "p high", "z low", "z high"),
        ),
        Step(
            "all",
            le(
                divergence(logz, logp) - divergence(logq, logp),
                LAMBDA * variation(logq, logz) + whole(exp(logz(j))) - whole(exp(logq(j))),
            ),
            Summed((m,)),
            ("each",),
        ),
        Step("last", _50, Combine({"all": 1, "sum z": 1, "sum q": -1}), ("all", "sum z", "sum q")),
    ),
    claim="osmd/C-50@sharpened",
    place="(50)",
    note="with log(M/alpha), where the paper has twice that: both logarithms lie in [-log(M/alpha), 0]",
)

# (51): what a step can lose, and one round -----------------------------------------------------------------------------

_GIBBS = le(exp(R) * (1 + P + S - R - Z), exp(P) * exp(S) * exp(-Z))
GIBBS = Theorem(
    "osmd/gibbs",
    _GIBBS,
    (),
    (
        Step("1", le(1 + P + S - R - Z, exp(P + S - R - Z)), Known("exp", P + S - R - Z)),
        Step("2", _GIBBS, Combine({"1": exp(R)}), ("1",)),
    ),
    place="(51)",
    note="one client of the variational formula of the entropy",
)
_MEAN = whole(exp(logp(j)) * y(j))
SPREAD = Given("spread", le(whole(exp(logp(j)) * exp(y(j))), exp(_MEAN + Z)), "the gains' spread under p")
_51 = le(whole(exp(logr(j)) * y(j)) - divergence(logr, logp), _MEAN + Z)
_51_SUM = whole(exp(logp(j)) * exp(y(j)))
LOSS = Theorem(
    "osmd/51",
    _51,
    (SUM, SPREAD),
    (
        Step(
            "each",
            le(
                exp(logr(m)) * (1 + logp(m) + y(m) - logr(m) - (_MEAN + Z)),
                exp(logp(m)) * exp(y(m)) * exp(-(_MEAN + Z)),
                EACH,
            ),
            Apply("osmd/gibbs", {P: logp(m), S: y(m), R: logr(m), Z: _MEAN + Z}),
        ),
        Step(
            "all",
            le(
                whole(exp(logr(j)) * (1 + logp(j) + y(j) - logr(j))) - whole(exp(logr(j))) * (_MEAN + Z),
                _51_SUM * exp(-(_MEAN + Z)),
            ),
            Summed((m,)),
            ("each",),
        ),
        Step(
            "last",
            _51,
            Combine({"all": 1, "spread": exp(-(_MEAN + Z)), "sum r": _MEAN + Z - 1}),
            ("all", "spread", "sum r"),
        ),
    ),
    claim="osmd/C-51@sharpened",
    place="(51)",
    note="no step gains more over p than the logarithm of the mean of e^y",
)

_ROUND = le(whole(y(j) * (exp(logq(j)) - exp(logp(j)))), divergence(logq, logp) - divergence(logq, logr) + Z)
ROUND = Theorem(
    "osmd/mirror-round",
    _ROUND,
    (NEXT, SUM, *OTHER, SPREAD),
    (
        Step("48", _48, Apply("osmd/48"), ("next", "sum r", "sum q", "floor q")),
        Step("51", _51, Apply("osmd/51"), ("sum r", "spread")),
        Step("last", _ROUND, Combine({"48": 1, "51": 1}), ("48", "51")),
    ),
    place="(49)",
    note="one round against any point of the floored simplex",
)

THEOREMS = (KKT, OPTIMAL, P12, SHIFT, MOVE, GIBBS, LOSS, ROUND)
