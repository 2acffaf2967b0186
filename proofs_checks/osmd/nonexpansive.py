"""The projection (53) is nonexpansive in the 1-norm, so that it adds nothing to the total variation (Theorem 6)."""

from __future__ import annotations

from typing import Any

from sympy import Abs

from fltheory.proof.language import (
    Absolute,
    Apply,
    Cases,
    Combine,
    Given,
    Known,
    Relation,
    Step,
    Summed,
    Theorem,
    eq,
    le,
)
from fltheory.proof.terms import Nonnegative, family
from proofs_checks.osmd.lemmas import EACH, FLOOR, j, m, whole
from proofs_checks.osmd.projection import (
    AT_MOST,
    OVER,
    PLACE,
    SHARES,
    UNDER,
    above,
    f,
    kappa,
    kappa2,
    lifted,
    omega,
    other,
    q,
    share,
    sides,
    z,
)

_REST = le(z - f, above(z, f))
REST = Theorem(
    "osmd/above",
    _REST,
    (),
    (
        Step("a", eq(above(z, f), z - f), Known("max", above(z, f)), assuming=(le(f, z),)),
        Step("1", _REST, Combine({"a": -1}), ("a",), assuming=(le(f, z),)),
        Step("b", eq(above(z, f), 0), Known("max", above(z, f)), assuming=(le(z, f),)),
        Step("2", _REST, Combine({"b": -1, "assumed 1": 1}), ("b",), assuming=(le(z, f),)),
        Step("3", _REST, Cases(), ("1", "2")),
    ),
    place=PLACE,
)
_step = kappa * above(q, f) - kappa2 * above(z, f)
_twice = le(2 * _step, Abs(q - z) + q - z)
_CLIENT = le(Abs(_step), Abs(q - z) + q - z - _step)
CLIENT = Theorem(
    "osmd/53-client",
    _CLIENT,
    (Given("order", le(kappa, kappa2), "the factors"), Given("one", le(kappa, 1), "a share")),
    (
        Step("rest", _REST, Apply("osmd/above")),
        Step("up", le(q - z, Abs(q - z)), Known("abs", q - z)),
        Step("down", le(z - q, Abs(q - z)), Known("abs", z - q)),
        *sides(
            _twice,
            Step(
                "1",
                _twice,
                Combine({"order": 2 * above(z, f), "rest": 2 * kappa, "down": 1 - kappa, "up": kappa}),
                ("order", "rest", "down", "up", "one"),
                ("over",),
                assuming=(OVER,),
            ),
            Step("2", _twice, Combine({"down": 1}), ("down",), ("under",), assuming=(UNDER,)),
        ),
        Step("less", le(-_step, Abs(q - z) + q - z - _step), Combine({"down": 1}), ("down",)),
        Step("more", le(_step, Abs(q - z) + q - z - _step), Combine({"both": 1}), ("both",)),
        Step("last", _CLIENT, Absolute(), ("less", "more")),
    ),
    place=PLACE,
)
share2 = family(Nonnegative, "z")
_shift = lifted(share2, other, j) - lifted(share, omega, j)


def _nonexpansive(first: Any, second: Any, case: tuple[Relation, ...], name: str) -> tuple[Step, ...]:
    """The case in which the first of two points has the smaller factor."""
    (one, own), (two, theirs) = first, second
    step, size = lifted(one, own, m) - lifted(two, theirs, m), Abs(one(m) - two(m))
    order = le(1 - own, 1 - theirs)
    return (
        Step(f"{name} order", order, Combine({"assumed 1": 1}), assuming=case),
        Step(f"{name} one", le(1 - own, 1), Combine()),
        Step(
            f"{name} each",
            le(Abs(step), size + one(m) - two(m) - step, EACH),
            Apply("osmd/53-client", {kappa: 1 - own, kappa2: 1 - theirs, q: one(m), z: two(m), f: FLOOR}),
            (f"{name} order", f"{name} one", "at most 1", "other at most 1"),
            assuming=case,
        ),
        Step(
            f"{name} all",
            le(
                whole(Abs(_shift)),
                whole(Abs(share2(j) - share(j)) + one(j) - two(j) - lifted(one, own, j) + lifted(two, theirs, j)),
            ),
            Summed((m,)),
            (f"{name} each",),
            assuming=case,
        ),
    )


_NONEXPANSIVE = le(whole(Abs(_shift)), whole(Abs(share2(j) - share(j))))
NONEXPANSIVE = Theorem(
    "osmd/nonexpansive",
    _NONEXPANSIVE,
    (
        SHARES,
        Given("sum z", eq(whole(share2(j)), 1), "another comparator's probabilities"),
        AT_MOST,
        Given("other at most 1", le(other, 1), "C-19"),
        Given("here", eq(whole(lifted(share, omega, j)), 1), "(53)"),
        Given("there", eq(whole(lifted(share2, other, j)), 1), "(53)"),
    ),
    (
        *_nonexpansive((share, omega), (share2, other), (le(other, omega),), "1"),
        Step(
            "1",
            _NONEXPANSIVE,
            Combine({"1 all": 1, "sum q": 1, "sum z": -1, "here": -1, "there": 1}),
            ("1 all", "sum q", "sum z", "here", "there"),
            assuming=(le(other, omega),),
        ),
        *_nonexpansive((share2, other), (share, omega), (le(omega, other),), "2"),
        Step(
            "2",
            _NONEXPANSIVE,
            Combine({"2 all": 1, "sum q": -1, "sum z": 1, "here": 1, "there": -1}),
            ("2 all", "sum q", "sum z", "here", "there"),
            assuming=(le(omega, other),),
        ),
        Step("3", _NONEXPANSIVE, Cases(), ("1", "2")),
    ),
    place=PLACE,
    note="TV of the points is at most TV of the comparators, where the paper adds 4 sum psi",
)


THEOREMS = (REST, CLIENT, NONEXPANSIVE)
