"""How far a client's gradient points along that of f (A1c): what versions X (rho < 1/2) and Y (rho < 1) of Theorem 1 rest on."""

from __future__ import annotations

from sympy import Rational, Symbol, oo, sqrt

from fltheory.papers.delta_sgd.letters import L, rho
from fltheory.proof.language import Apply, Cases, Combine, Given, Gram, Member, Step, Theorem, Witness, le, lt
from fltheory.proof.rules.axioms import Axiom
from fltheory.proof.terms import Dot, Fun, Grad, Vector, family, square
from proofs_checks.osmd import facts as osmd_facts

s, q, x, y = (family(Vector, name)() for name in ("s", "q", "x", "y"))
f = family(Fun, "f")()
angle, part = Symbol("r", nonnegative=True), Symbol("e", positive=True)
count = osmd_facts.m
PLACE = "Assumption (1c)"

# |q| <= r |s| gives <s, q> >= -r |s|^2, also for r = 0 -----------------------------------------------------------------------

_SHORT = Given("short", le(square(q), part**2 * square(s)), "the one vector is no longer than r times the other")
_CONE = le(-Dot(s, q), part * square(s))
CONE = Theorem(
    "delta_sgd/cone",
    _CONE,
    (_SHORT,),
    (Step("1", _CONE, Gram(short=1 / (2 * part)), ("short",)),),
    place=PLACE,
    note="Cauchy and Schwarz, r > 0",
)
_NONE = Given("none", le(square(q), 0), "the one vector vanishes")
_LEVEL = le(0, Dot(s, q))
LEVEL = Theorem(
    "delta_sgd/level",
    _LEVEL,
    (_NONE,),
    (
        Step("1", le(0, Dot(s, q) + square(s) / 2 / count, (count, 1, oo)), Gram(none=count / 2), ("none",)),
        Step("2.1", le(0, square(s)), Gram()),
        Step("2.2", le(0, square(s) / 2), Combine({"2.1": Rational(1, 2)}), ("2.1",)),
        Step(
            "2",
            _LEVEL,
            Apply("delta_sgd/limit", {osmd_facts.level: Dot(s, q), osmd_facts.size: square(s) / 2}),
            ("1", "2.2"),
            note="closer and closer",
        ),
    ),
    place=PLACE,
    note="and r = 0",
)
_ANY = le(-Dot(s, q), angle * square(s))
_NARROW, _WIDE = (le(angle, 0),), (lt(0, angle),)
ANY = Theorem(
    "delta_sgd/angle",
    _ANY,
    (Given("short", le(square(q), angle**2 * square(s)), "as long as r says"),),
    (
        Step("0", le(0, square(s)), Gram()),
        Step(
            "1.1",
            le(square(q), 0),
            Combine({"short": 1, "assumed 1": angle * square(s)}),
            ("short", "0"),
            assuming=_NARROW,
        ),
        Step("1.2", _LEVEL, Apply("delta_sgd/level"), ("1.1",), assuming=_NARROW),
        Step("1.3", le(0, angle * square(s)), Combine({"0": angle}), ("0",)),
        Step("1", _ANY, Combine({"1.2": 1, "1.3": 1}), ("1.2", "1.3"), assuming=_NARROW),
        Step("2", _ANY, Apply("delta_sgd/cone", {part: angle}), ("short",), assuming=_WIDE),
        Step("3", _ANY, Cases(), ("1", "2")),
    ),
    place=PLACE,
    note="Cauchy and Schwarz",
)

# What (1c) says -------------------------------------------------------------------------------------------------------------

ALIKE = Given("alike", le(square(q - s), rho * square(s)), "A1c: q is the gradient of a client, s that of f")
_ALONG = le((1 - sqrt(rho)) * square(s), Dot(q, s))
ALONG = Theorem(
    "delta_sgd/A1c",
    _ALONG,
    (ALIKE,),
    (
        Step(
            "1",
            le(-Dot(s, q - s), sqrt(rho) * square(s)),
            Apply("delta_sgd/angle", {angle: sqrt(rho), q: q - s}),
            ("alike",),
        ),
        Step("2", _ALONG, Combine({"1": 1}), ("1",)),
    ),
    place=PLACE,
    claim="delta_sgd/A1c-cone@corrected",
    note="for rho < 1 the gradients of the clients all point along that of f; times the squared gradient",
)
one, other = (Symbol(name, real=True) for name in ("g_i", "g"))
_AGAINST = le(0, one * other)
AGAINST = Theorem(
    "delta_sgd/A1c-beyond",
    _AGAINST,
    (Given("alike", le((one - other) ** 2, rho * other**2), "A1c on the line"),),
    (
        Step(
            "1",
            _AGAINST,
            Witness({one: -Rational(1, 2), other: 1, rho: Rational(9, 4)}),
            ("alike",),
            expected="REFUTED",
            note="a client may pull the other way",
        ),
    ),
    "REFUTED",
    place=PLACE,
    claim="delta_sgd/A1c-cone@explicit",
    note="for rho > 1 they need not",
)

SMOOTH = Member("class", f, L, None, "A2: the client's objective is smooth")
_OWN, _HERE = Grad(f, y), Grad(f, x)
_X = le(-Dot(s, _OWN), -(Rational(1, 2) - rho) * square(s) + L**2 * square(y - x))
VERSION_X = Theorem(
    "delta_sgd/direction-X",
    _X,
    (SMOOTH, Given("alike", le(square(_HERE - s), rho * square(s)), "A1c at x")),
    (
        Step(
            "1",
            _X,
            Gram((1, Axiom("lipschitz", f, y, x)), alike=1),
            ("class", "alike"),
            note="(16) to (22) for one gradient",
        ),
    ),
    place="proof of Theorem 1",
    note="a gradient at y against that of f at x: version X",
)
_SPLIT = le(-Dot(s, _OWN), -part / 2 * square(s) + L**2 / (2 * part) * square(y - x))
SPLIT = Theorem(
    "delta_sgd/direction",
    _SPLIT,
    (SMOOTH, Given("along", le(part * square(s), Dot(_HERE, s)), "the gradient at x points along s")),
    (
        Step(
            "1",
            _SPLIT,
            Gram((1 / (2 * part), Axiom("lipschitz", f, y, x)), along=1),
            ("class", "along"),
            note="Young's inequality, weighed",
        ),
    ),
    place="proof of Theorem 1",
    note="a gradient at y, where that at x points along",
)
SMALL = Given("c1", lt(rho, 1), "rho < 1")
ROOM = Step("room", lt(0, 1 - sqrt(rho)), Combine({"c1": 1 / (1 + sqrt(rho))}), ("c1",))
_Y = le(-Dot(s, _OWN), -(1 - sqrt(rho)) / 2 * square(s) + L**2 / (2 * (1 - sqrt(rho))) * square(y - x))
VERSION_Y = Theorem(
    "delta_sgd/direction-Y",
    _Y,
    (SMOOTH, Given("alike", le(square(_HERE - s), rho * square(s)), "A1c at x"), SMALL),
    (
        Step("1", le((1 - sqrt(rho)) * square(s), Dot(_HERE, s)), Apply("delta_sgd/A1c", {q: _HERE}), ("alike",)),
        ROOM,
        Step("2", _Y, Apply("delta_sgd/direction", {part: 1 - sqrt(rho)}), ("class", "1", "room")),
    ),
    place="proof of Theorem 1",
    note="a gradient at y against that of f at x: version Y",
)
_INVERSE = le(0, 1 / (2 * part))
INVERSE = Theorem("delta_sgd/inverse", _INVERSE, (), (Step("1", _INVERSE, Combine()),), place="proof of Theorem 1")

THEOREMS = (CONE, LEVEL, ANY, ALONG, AGAINST, VERSION_X, SPLIT, VERSION_Y, INVERSE)
