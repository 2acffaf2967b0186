"""Comparators outside the floored simplex: the functionals (19), the point (53), what going there costs (proof of Theorem 6).

With above = (q - alpha/M)_+ and below = (alpha/M - q)_+ the point is alpha/M + (1 - omega) above, where omega times the sum of
above is psi, the sum of below. The comparator may have zeros: ``lost`` is a/q, and 0 where a is 0.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, Max, Min, Rational, Symbol

from fltheory.papers.osmd.letters import K, M, alpha, eta
from fltheory.proof.language import (
    Apply,
    Cases,
    Combine,
    Given,
    Known,
    Relation,
    Step,
    Summed,
    Theorem,
    Witness,
    eq,
    le,
)
from fltheory.proof.terms import Nonnegative, family
from proofs_checks.osmd.lemmas import EACH, FLOOR, P, Q, j, m, s, whole

PLACE = "proof of Theorem 6"
f = Symbol("f", positive=True)
mass = Symbol("mass", positive=True)
c, d = Symbol("c", real=True), Symbol("d", real=True)
q, z, omega, other, psi, phi, B = (
    Symbol(name, nonnegative=True) for name in ("q", "z", "omega", "other", "psi", "phi", "B")
)
kappa, kappa2 = (Symbol(name, nonnegative=True) for name in ("kappa", "kappa2"))
lost, a, top = (Symbol(name, nonnegative=True) for name in ("lost", "a", "top"))

# The larger and the smaller of two numbers ------------------------------------------------------------------------------

_PARTS = eq(Max(c, 0) - Max(-c, 0), c)
_HIGH_SIDE, _LOW_SIDE = (le(0, c),), (le(c, 0),)
PARTS = Theorem(
    "osmd/parts",
    _PARTS,
    (),
    (
        Step("a", eq(Max(c, 0), c), Known("max", Max(c, 0)), assuming=_HIGH_SIDE),
        Step("b", eq(Max(-c, 0), 0), Known("max", Max(-c, 0)), assuming=_HIGH_SIDE),
        Step("c", eq(Max(c, 0), 0), Known("max", Max(c, 0)), assuming=_LOW_SIDE),
        Step("d", eq(Max(-c, 0), -c), Known("max", Max(-c, 0)), assuming=_LOW_SIDE),
        Step("1", _PARTS, Combine({"a": 1, "b": -1}), ("a", "b"), assuming=_HIGH_SIDE),
        Step("2", _PARTS, Combine({"c": 1, "d": -1}), ("c", "d"), assuming=_LOW_SIDE),
        Step("3", _PARTS, Cases(), ("1", "2")),
    ),
    place=PLACE,
    note="a number is its positive less its negative part",
)
_BELOW = le(Max(f - z, 0), f)
BELOW = Theorem(
    "osmd/below",
    _BELOW,
    (),
    (
        Step("a", eq(Max(f - z, 0), f - z), Known("max", Max(f - z, 0)), assuming=(le(z, f),)),
        Step("1", _BELOW, Combine({"a": 1}), ("a",), assuming=(le(z, f),)),
        Step("b", eq(Max(f - z, 0), 0), Known("max", Max(f - z, 0)), assuming=(le(f, z),)),
        Step("2", _BELOW, Combine({"b": 1}), ("b",), assuming=(le(f, z),)),
        Step("3", _BELOW, Cases(), ("1", "2")),
    ),
    place=PLACE,
)
low = Symbol("low", real=True)
_LESS = le(low, Min(c, d))
_FIRST, _SECOND = (le(c, d),), (le(d, c),)
LESS = Theorem(
    "osmd/min",
    _LESS,
    (Given("first", le(low, c), "below one"), Given("second", le(low, d), "below the other")),
    (
        Step("1a", eq(Min(c, d), c), Known("min", Min(c, d)), assuming=_FIRST),
        Step("1", _LESS, Combine({"1a": -1, "first": 1}), ("1a", "first"), assuming=_FIRST),
        Step("2a", eq(Min(c, d), d), Known("min", Min(c, d)), assuming=_SECOND),
        Step("2", _LESS, Combine({"2a": -1, "second": 1}), ("2a", "second"), assuming=_SECOND),
        Step("3", _LESS, Cases(), ("1", "2")),
    ),
    place=PLACE,
    note="what is below two numbers is below the smaller one",
)

_MIN_FIRST, _MIN_SECOND = le(Min(c, d), c), le(Min(c, d), d)


def _smaller(name: str, claim: Relation, own: Expr, other: Expr) -> Theorem:
    """The smaller of two numbers is at most each."""
    mine, theirs = (le(own, other),), (le(other, own),)
    return Theorem(
        name,
        claim,
        (),
        (
            Step("1a", eq(Min(c, d), own), Known("min", Min(c, d)), assuming=mine),
            Step("1", claim, Combine({"1a": 1}), ("1a",), assuming=mine),
            Step("2a", eq(Min(c, d), other), Known("min", Min(c, d)), assuming=theirs),
            Step("2", claim, Combine({"2a": 1, "assumed 1": 1}), ("2a",), assuming=theirs),
            Step("3", claim, Cases(), ("1", "2")),
        ),
        place=PLACE,
    )


MIN_FIRST = _smaller("osmd/min-first", _MIN_FIRST, c, d)
MIN_SECOND = _smaller("osmd/min-second", _MIN_SECOND, d, c)

# The functionals (19) -----------------------------------------------------------------------------------------------------

share = family(Nonnegative, "q")


def above(value: Any, floor: Any = FLOOR) -> Expr:
    """What a probability has over the floor."""
    return Max(value - floor, 0)


def below(value: Any, floor: Any = FLOOR) -> Expr:
    """What a probability lacks of the floor."""
    return Max(floor - value, 0)


def psi_of(share: Any) -> Expr:
    """psi(q, alpha)."""
    return whole(below(share(j)))


def lifted(share: Any, omega: Any, client: Any) -> Expr:
    """The point (53)."""
    return FLOOR + (1 - omega) * above(share(client))


def phi_of(omega: Any) -> Expr:
    """phi(q, alpha)."""
    return omega / (1 - omega * (1 - FLOOR))


SHARES = Given("sum q", eq(whole(share(j)), 1), "the comparator's probabilities")
RATIO = Given(
    "omega",
    eq(omega * whole(above(share(j))), psi_of(share)),
    "(19). Where both sums are 0, for alpha = 1 and the uniform distribution, any number from 0 to 1",
)
AT_MOST = Given("at most 1", le(omega, 1), "C-19: see osmd/omega")
_BALANCE = eq(whole(above(share(j))), psi_of(share) + 1 - alpha)
BALANCE = Theorem(
    "osmd/balance",
    _BALANCE,
    (SHARES,),
    (
        Step(
            "each",
            eq(above(share(m)) - below(share(m)), share(m) - FLOOR, EACH),
            Apply("osmd/parts", {c: share(m) - FLOOR}),
        ),
        Step("all", eq(whole(above(share(j))) - psi_of(share), whole(share(j) - FLOOR)), Summed((m,)), ("each",)),
        Step("last", _BALANCE, Combine({"all": 1, "sum q": 1}), ("all", "sum q")),
    ),
    place=PLACE,
)
_SMALL = Given("alpha", le(alpha, 1), "a share")
_OMEGA = le(omega, 1)
OMEGA = Theorem(
    "osmd/omega",
    _OMEGA,
    (
        SHARES,
        RATIO,
        _SMALL,
        Given("mass", eq(whole(above(share(j))), mass), "it is positive, so that omega is a quotient"),
    ),
    (
        Step("balance", _BALANCE, Apply("osmd/balance"), ("sum q",)),
        Step(
            "1",
            _OMEGA,
            Combine({"omega": 1 / mass, "balance": -1 / mass, "alpha": 1 / mass, "mass": (1 - omega) / mass}),
            ("omega", "balance", "alpha", "mass"),
        ),
    ),
    claim="osmd/C-19-omega@printed",
    place="(19)",
    note="0 <= omega <= 1",
)
_share_kept = 1 - omega * (1 - f)


def phi_is(phi: Any, omega: Any, floor: Any = FLOOR, *over: Any) -> Given:
    """The functional phi(q, alpha)."""
    return Given(
        "phi", eq(phi * (1 - omega * (1 - floor)), omega, *over), "phi = omega/(1 - omega (1 - alpha/M)) of (19)"
    )


_PHI_AT = le(phi, 1 / f)
PHI_AT = Theorem(
    "osmd/phi-floor",
    _PHI_AT,
    (AT_MOST, phi_is(phi, omega, f), Given("room", le(f, 1), "the floor is a probability")),
    (
        Step("kept", le(f, _share_kept), Combine({"at most 1": 1 - f}), ("at most 1", "room")),
        Step(
            "1",
            _PHI_AT,
            Combine({"at most 1": 1 / (f * _share_kept), "phi": 1 / _share_kept}),
            ("at most 1", "phi", "kept"),
        ),
    ),
    place="(19)",
)
_PHI = le(phi, M / alpha)
PHI = Theorem(
    "osmd/phi",
    _PHI,
    (AT_MOST, phi_is(phi, omega), _SMALL),
    (
        Step("room", le(FLOOR, 1), Combine({"alpha": 1 / M}), ("alpha",)),
        Step("1", _PHI, Apply("osmd/phi-floor", {f: FLOOR}), ("at most 1", "phi", "room")),
    ),
    claim="osmd/C-19-phi@printed",
    place="(19)",
    note="phi <= M/alpha",
)
_PSI = le(psi_of(share), alpha)
PSI = Theorem(
    "osmd/psi",
    _PSI,
    (),
    (
        Step("low", le(below(share(m)), FLOOR, EACH), Apply("osmd/below", {z: share(m), f: FLOOR})),
        Step("all", le(psi_of(share), whole(FLOOR)), Summed((m,)), ("low",)),
        Step("last", _PSI, Combine({"all": 1}), ("all",)),
    ),
    claim="osmd/C-19-psi@printed",
    place="(19)",
    note="psi <= alpha",
)

# (53): one client -----------------------------------------------------------------------------------------------------------

OVER, UNDER = le(f, q), le(q, f)
_point = f + (1 - omega) * above(q, f)
_IS_OVER, _IS_UNDER = eq(above(q, f), q - f), eq(above(q, f), 0)


def sides(claim: Relation, first: Step, second: Step) -> tuple[Step, ...]:
    """A claim where the probability is over the floor and where it is under it."""
    return (
        Step("over", _IS_OVER, Known("max", above(q, f)), assuming=(OVER,)),
        Step("under", _IS_UNDER, Known("max", above(q, f)), assuming=(UNDER,)),
        first,
        second,
        Step("both", claim, Cases(), (first.id, second.id)),
    )


_kept = 1 - omega * (1 - f)
_RATIO = Given("at most 1", le(omega, 1), "C-19")
_POINT_LOW = Step("low", le(f, _point), Combine({"at most 1": above(q, f)}), ("at most 1",))
_HIGH = le(q * _kept, _point)
_SHARE = le(lost * q / _point, lost * (1 + phi))
FACTOR = Theorem(
    "osmd/53-factor",
    _SHARE,
    (
        _RATIO,
        phi_is(phi, omega, f),
        Given("one", le(q, 1), "a probability"),
        Given("room", le(f, 1), "the floor is a probability"),
    ),
    (
        *sides(
            _HIGH,
            Step("1", _HIGH, Combine({"one": omega * f}), ("one",), ("over",), assuming=(OVER,)),
            Step("2", _HIGH, Combine({"assumed 1": 1, "room": omega * q}), ("room",), ("under",), assuming=(UNDER,)),
        ),
        _POINT_LOW,
        Step("kept", le(f, _kept), Combine({"at most 1": 1 - f}), ("at most 1", "room")),
        Step("unit", le(0, Integer(1)), Combine()),
        Step(
            "last",
            _SHARE,
            Combine({"both": lost / (_kept * _point), "unit": lost * omega * f / _kept, "phi": -lost / _kept}),
            ("both", "unit", "phi", "kept", "low"),
            note="1/q' <= (1 + phi)/q: the point keeps the share 1 - omega (1 - alpha/M)",
        ),
    ),
    place="(55)",
)
_DROP = le(lost * (q - _point), top / f * omega * above(q, f))
_COST = le(lost * q / _point, lost + top / f**2 * omega * above(q, f))
COST = Theorem(
    "osmd/53-cost",
    _COST,
    (_RATIO, Given("feedback", le(lost * q, top), "the largest feedback")),
    (
        *sides(
            _DROP,
            Step(
                "1",
                _DROP,
                Combine({"feedback": omega * (q - f) / f, "assumed 1": omega * lost * (q - f) / f}),
                ("feedback",),
                ("over",),
                assuming=(OVER,),
            ),
            Step("2", _DROP, Combine({"assumed 1": lost}), (), ("under",), assuming=(UNDER,)),
        ),
        _POINT_LOW,
        Step("inverse", le(1 / _point, 1 / f), Combine({"low": 1 / (f * _point)}), ("low",)),
        Step(
            "last",
            _COST,
            Combine({"both": 1 / _point, "inverse": top / f * omega * above(q, f)}),
            ("both", "inverse", "low"),
        ),
    ),
    place=PLACE,
    note="what the point costs a client, in terms of its distance",
)

# One round --------------------------------------------------------------------------------------------------------------------

losses, fed = family(Nonnegative, "lost"), family(Nonnegative, "a")
ROUND = (
    SHARES,
    RATIO,
    AT_MOST,
    _SMALL,
    Given("lost", eq(losses(m) * share(m), fed(m), EACH), "lost is a/q, and 0 where a is 0"),
)
_MOVED = whole(fed(j) / lifted(share, omega, j))
_WITHIN = eq(whole(lifted(share, omega, j)), 1)
WITHIN = Theorem(
    "osmd/53",
    _WITHIN,
    (SHARES, RATIO),
    (
        Step("balance", _BALANCE, Apply("osmd/balance"), ("sum q",)),
        Step("last", _WITHIN, Combine({"balance": 1, "omega": -1}), ("balance", "omega")),
    ),
    claim="osmd/C-53@printed",
    place="(53)",
    note="the point is on the floored simplex: it adds up to 1",
)
_BY_FACTOR = le(_MOVED, (1 + phi) * whole(losses(j)))
BY_FACTOR = Theorem(
    "osmd/56",
    _BY_FACTOR,
    (*ROUND, phi_is(phi, omega)),
    (
        Step("nonnegative", le(0, share(m), EACH), Combine()),
        Step("one", le(share(m), whole(share(j)), EACH), Apply("osmd/one", {s(j): share(j)}), ("nonnegative",)),
        Step("at most", le(share(m), 1, EACH), Combine({"one": 1, "sum q": 1}), ("one", "sum q")),
        Step("room", le(FLOOR, 1), Combine({"alpha": 1 / M}), ("alpha",)),
        Step(
            "each",
            le(losses(m) * share(m) / lifted(share, omega, m), losses(m) * (1 + phi), EACH),
            Apply("osmd/53-factor", {lost: losses(m), q: share(m), f: FLOOR}),
            ("at most 1", "phi", "at most", "room"),
        ),
        Step("low", le(FLOOR, lifted(share, omega, m), EACH), Combine({"at most 1": above(share(m))}), ("at most 1",)),
        Step(
            "fed",
            le(fed(m) / lifted(share, omega, m), losses(m) * (1 + phi), EACH),
            Combine({"each": 1, "lost": -1 / lifted(share, omega, m)}),
            ("each", "lost", "low"),
        ),
        Step("all", _BY_FACTOR, Summed((m,)), ("fed",)),
    ),
    place="(56)",
    note="l(q') - l(q) <= phi l(q), without the 1/K of the last line of (56)",
    unused=("omega",),
)
_BY_DISTANCE = le(_MOVED, whole(losses(j)) + top * (M / alpha) ** 2 * psi_of(share))
BY_DISTANCE = Theorem(
    "osmd/56-distance",
    _BY_DISTANCE,
    (*ROUND, Given("largest", le(fed(m), top, EACH), "the largest feedback")),
    (
        Step("feedback", le(losses(m) * share(m), top, EACH), Combine({"lost": 1, "largest": 1}), ("lost", "largest")),
        Step(
            "each",
            le(
                losses(m) * share(m) / lifted(share, omega, m),
                losses(m) + top / FLOOR**2 * omega * above(share(m)),
                EACH,
            ),
            Apply("osmd/53-cost", {lost: losses(m), q: share(m), f: FLOOR}),
            ("at most 1", "feedback"),
        ),
        BY_FACTOR.steps[5],
        Step(
            "fed",
            le(fed(m) / lifted(share, omega, m), losses(m) + top / FLOOR**2 * omega * above(share(m)), EACH),
            Combine({"each": 1, "lost": -1 / lifted(share, omega, m)}),
            ("each", "lost", "low"),
        ),
        Step("all", le(_MOVED, whole(losses(j) + top / FLOOR**2 * omega * above(share(j)))), Summed((m,)), ("fed",)),
        Step("last", _BY_DISTANCE, Combine({"all": 1, "omega": top * (M / alpha) ** 2}), ("all", "omega")),
    ),
    place="(56)",
    note="and at most (M/alpha)^2 a_max psi/K",
    unused=("sum q", "alpha"),
)

# The printed statement of Theorem 6, round by round -----------------------------------------------------------------------------

r, log_r = Symbol("r", positive=True), Symbol("L", positive=True)
_AMGM = le(B * psi, Rational(3, 8) * eta * r**2 * B**2 + 8 * log_r * psi / eta)
_PRODUCT = le(eta * B * psi, Rational(3, 2) * eta**2 * B**2 + 4 * psi**2)
AMGM = Theorem(
    "osmd/T6-amgm",
    _AMGM,
    (
        Given("r", le(2, r), "M/alpha"),
        Given("log", le(Rational(1, 2), log_r), "its logarithm"),
        Given("psi", le(psi, 1), "C-19"),
    ),
    (
        Step("four", le(4, r**2), Combine({"r": r + 2}), ("r",)),
        Step("square", le(psi**2, psi), Combine({"psi": psi}), ("psi",)),
        Step("sum", le(4 * eta * B * psi, (eta * B + psi) ** 2), Apply("osmd/square", {P: eta * B, Q: psi})),
        Step("product", _PRODUCT, Combine({"sum": Rational(1, 2)}), ("sum",), note="a product by the squares"),
        Step(
            "last",
            _AMGM,
            Combine({"product": 1 / eta, "four": Rational(3, 8) * eta * B**2, "log": 8 * psi / eta, "square": 4 / eta}),
            ("product", "four", "log", "square"),
        ),
    ),
    place=PLACE,
    note="what Hoeffding's lemma saves pays for the projection",
)

_q1 = Symbol("q1", positive=True)
_ratio = (alpha / 2 - _q1) / (1 - _q1 - alpha / 2)
_PRINTED = le((1 / (1 - alpha / 2) - 1 / (1 - _q1)) / K, phi_of(_ratio).subs(M, 2) / K * (1 / (1 - _q1)) / K)
PRINTED = Theorem(
    "osmd/56-printed",
    _PRINTED,
    (Given("below", le(_q1, alpha / 2), "the first probability is below the floor"),),
    (
        Step(
            "1",
            _PRINTED,
            Witness({alpha: Rational(1, 2), _q1: Rational(1, 8), K: 2}),
            ("below",),
            expected="REFUTED",
            note="4/21 against 16/119, both over K",
        ),
    ),
    expected="REFUTED",
    place="(56), last line",
    note="l(q') - l(q) <= phi l(q)/K for M = 2 and a = (0, 1): the factor 1/K is one too many",
)

THEOREMS = (
    PARTS,
    BELOW,
    LESS,
    MIN_FIRST,
    MIN_SECOND,
    BALANCE,
    OMEGA,
    PHI_AT,
    PHI,
    PSI,
    FACTOR,
    COST,
    WITHIN,
    BY_FACTOR,
    BY_DISTANCE,
    AMGM,
    PRINTED,
)
