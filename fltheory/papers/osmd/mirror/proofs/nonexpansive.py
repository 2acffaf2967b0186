"""The projection (53) is nonexpansive in the 1-norm, so that it adds nothing to the total variation (Theorem 6)."""

from __future__ import annotations

from collections.abc import Callable

from sympy import Abs, Expr

from fltheory.papers.osmd.mirror.proofs.lemmas import FLOOR
from fltheory.papers.osmd.mirror.proofs.projection import (AT_MOST, OVER, PLACE, SHARES, UNDER, above, f, kappa, kappa2,
    lifted, omega, other, q, share, sides, z)
from fltheory.proof import Relation, Step, by, eq, le, line, proof
from fltheory.proof.facts.notation import EACH, j, m, whole
from fltheory.proof.terms import Nonnegative, family

_REST = le(z - f, above(z, f))
REST = (
    proof("osmd/above", PLACE)
    .step("a", eq(above(z, f), z - f), by.fact("max", above(z, f)), assuming=le(f, z))
    .step("1", _REST, by.linear("a"), assuming=le(f, z))
    .step("b", eq(above(z, f), 0), by.fact("max", above(z, f)), assuming=le(z, f))
    .step("2", _REST, by.linear("b"), assuming=le(z, f))
    .qed(_REST, by.cases("1", "2"))
)
_step = kappa * above(q, f) - kappa2 * above(z, f)
_twice = le(2 * _step, Abs(q - z) + q - z)
CLIENT = (
    proof("osmd/53-client", PLACE)
    .given("order", le(kappa, kappa2), "the factors")
    .given("one", le(kappa, 1), "a share")
    .step("rest", by.apply(REST))
    .step("up", by.fact("abs", q - z))
    .step("down", by.fact("abs", z - q))
    .steps(
        *sides(_twice,
            line("1", _twice,
                by.linear({"order": 2 * above(z, f), "rest": 2 * kappa, "down": 1 - kappa, "up": kappa}, "one"),
                inserting="over", assuming=OVER),
            line("2", _twice, by.linear(down=1), inserting="under", assuming=UNDER)))
    .step("less", le(-_step, Abs(q - z) + q - z - _step), by.linear("down"))
    .step("more", le(_step, Abs(q - z) + q - z - _step), by.linear(both=1))
    .qed(le(Abs(_step), Abs(q - z) + q - z - _step), by.absolute("less", "more"), name="last")
)
share2 = family(Nonnegative, "z")
_shift = lifted(share2, other, j) - lifted(share, omega, j)

Point = tuple[Callable[..., Expr], Expr]  # its shares and its factor


def _nonexpansive(first: Point, second: Point, case: tuple[Relation, ...], name: str) -> tuple[Step, ...]:
    """Return the case in which the first of two points has the smaller factor."""
    (one, own), (two, theirs) = first, second
    step, size = lifted(one, own, m) - lifted(two, theirs, m), Abs(one(m) - two(m))
    order = le(1 - own, 1 - theirs)
    return (
        line(f"{name} order", order, by.linear(), assuming=case),
        line(f"{name} one", le(1 - own, 1), by.linear()),
        line(f"{name} each", le(Abs(step), size + one(m) - two(m) - step, EACH),
            by.apply(CLIENT, {kappa: 1 - own, kappa2: 1 - theirs, q: one(m), z: two(m), f: FLOOR}, f"{name} order",
                f"{name} one", "at most 1", "other at most 1"), assuming=case),
        line(f"{name} all",
            le(whole(Abs(_shift)),
                whole(Abs(share2(j) - share(j)) + one(j) - two(j) - lifted(one, own, j) + lifted(two, theirs, j))),
            by.sum_over(m, f"{name} each"), assuming=case),
    )


_NONEXPANSIVE = le(whole(Abs(_shift)), whole(Abs(share2(j) - share(j))))
NONEXPANSIVE = (
    proof("osmd/nonexpansive", PLACE,
        note="TV of the points is at most TV of the comparators, where the paper adds 4 sum psi")
    .under(SHARES)
    .given("sum z", eq(whole(share2(j)), 1), "another comparator's probabilities")
    .under(AT_MOST)
    .given("other at most 1", le(other, 1), "C-19")
    .given("here", eq(whole(lifted(share, omega, j)), 1), "(53)")
    .given("there", eq(whole(lifted(share2, other, j)), 1), "(53)")
    .steps(*_nonexpansive((share, omega), (share2, other), (le(other, omega),), "1"))
    .step("1", _NONEXPANSIVE, by.linear("1 all", "sum q", "sum z", "here", "there"), assuming=le(other, omega))
    .steps(*_nonexpansive((share2, other), (share, omega), (le(omega, other),), "2"))
    .step("2", _NONEXPANSIVE, by.linear("2 all", "sum q", "sum z", "here", "there"), assuming=le(omega, other))
    .qed(_NONEXPANSIVE, by.cases("1", "2"))
)

THEOREMS = (REST, CLIENT, NONEXPANSIVE)
