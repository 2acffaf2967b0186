"""U3: draws without replacement, and the block sums of a round."""

from __future__ import annotations

from sympy import Integer, Symbol

from fltheory.papers.sfl.notation import K, M, S, n_draws, zeta_star
from fltheory.papers.sfl.recursion import bounds as formula
from fltheory.papers.sfl.recursion.proofs.facts import SQUARE
from fltheory.proof import Given, by, eq, le, proof, statement_of
from fltheory.proof.facts import draws
from fltheory.proof.papers.taken_over import adopt
from fltheory.proof.terms import Dot, E, Total, Vector, family, square

i, n, k = (Symbol(name, integer=True, nonnegative=True) for name in "ink")
a, b = (Symbol(name, integer=True, positive=True) for name in "ab")
X, V, drawn, given, so_far = draws.X, draws.V, draws.drawn, draws.given, draws.so_far
PAIR, SUM = (adopt("sfl", theorem, "proof of Theorem 3") for theorem in (draws.PAIR, draws.SUM))
SAMPLED = adopt("sfl", draws.SAMPLED, "Section 5.1, partial participation")

# The block sum of a round: K times the earlier draws, k times the present one ---------------------------------------

_BLOCK = E(square(K * so_far(n) + k * drawn(n)))
_AT = ((n, 0, M - 1), (k, 0, K - 1))
BLOCK = (
    proof("sfl/block", "proof of Theorem 3", note="K times what was drawn before and k times the present draw")
    .under(*given())
    .step("pair", by.apply(PAIR))
    .step("V", le(0, V), by.linear(), note="a mean square")
    .step("sign", le(E(Dot(drawn(i), drawn(n))), 0, (n, 0, M - 1), (i, 0, n - 1)), by.linear("pair", "V"),
        note="no pair is positively correlated")
    .step("cross", le(E(Dot(so_far(n), drawn(n))), 0, (n, 0, M - 1)), by.sum_over(i, "sign"))
    .step("0", le(E(square(so_far(Integer(0)))), 0), by.linear())
    .step("1", le(E(square(so_far(n + 1))), (n + 1) * V, (n, 0, M - 1)), by.linear("cross", "one", "spread"),
        assuming=le(E(square(so_far(n))), n * V), note="one draw more")
    .step("2", le(E(square(so_far(n))), n * V, (n, 0, M)), by.induction(n, "0", "1"))
    .qed(le(_BLOCK, (K**2 * n + k**2) * V, *_AT), by.linear("2", "cross", "one", "spread"), note="the square expanded")
)

# U3 and U3b as the catalogue states them ------------------------------------------------------------------------------

_FIXED = family(Vector, "X")
_READ = {X(a): _FIXED(a), V: zeta_star**2}
_GIVEN = given(_FIXED, zeta_star**2)


def fixed(place):
    """Return a fixed vector, drawn."""
    return drawn(place, _FIXED)


def fixed_sum(count):
    """Return the sum of the first fixed vectors drawn."""
    return Total(fixed(i), i, 0, count - 1)


_U3_PAIR, _TWO = statement_of(formula.U3_PAIR, E(Dot(fixed(i), fixed(n))))
_U3_PAIR = eq(_U3_PAIR.left, _U3_PAIR.right, (n, 0, M - 1), (i, 0, n - 1))
U3_PAIR = (
    proof("sfl/U3-pair", "proof of Theorem 3", of="sfl/U3-pair@explicit", bound=formula.U3_PAIR, unused=("c1",))
    .under(*_GIVEN, *_TWO)
    .qed(_U3_PAIR, by.apply(PAIR, _READ))
)

_U3, _U3_IF = statement_of(formula.U3, E(square(fixed_sum(n_draws) / n_draws)))
U3 = (
    proof("sfl/U3", "proof of Theorem 3", of="sfl/U3@explicit", bound=formula.U3).under(*_GIVEN, *_U3_IF)
    .step("2", by.instance({n: n_draws}, by.apply(SUM, _READ), "c2"))
    .qed(_U3, by.linear({"2": 1 / n_draws**2}), note="their mean")
)


def _blocks(places):
    """Return the sum of the block sums of the clients in the first places."""
    return Total(Total(E(square(K * fixed_sum(n) + k * fixed(n))), k, 0, K - 1), n, 0, places - 1)


def _block_theorem(name, claim, bound, places):
    """Bound the sum of U3b over the first places."""
    statement, conditions = statement_of(bound, _blocks(places))
    bounded = le(E(square(K * fixed_sum(n) + k * fixed(n))), (K**2 * n + k**2) * zeta_star**2, *_AT)
    part = (*((n, 0, places - 1),), (k, 0, K - 1))
    each = K**2 * (places - 1) / 2 + (K - 1) * (2 * K - 1) / 6
    count = places * K * each * zeta_star**2
    fewer = tuple(c.id for c in conditions)
    return (
        proof(name, of=claim, bound=bound).under(*_GIVEN, *conditions)
        .step("1", by.apply(BLOCK, _READ))
        .step("2", le(bounded.left, bounded.right, *part), by.linear({"1": 1}, *fewer), note="these places")
        .step("3", le(_blocks(places), count), by.sum_over((k, n), "2"), note="sums of powers of n and k")
        .step("4", le(each, places * K**2 / 2), by.polynomial())
        .qed(statement, by.linear("3", "4"))
    )


def _sharp_theorem(name, of, bound, places, needs):
    """Prove the exact sum of U3b over the first places; ``of`` names a claim, without which M >= 2 is supposed."""
    statement, conditions = statement_of(bound, _blocks(places))
    several = () if of else (Given("several", le(2, M), "two clients or more"),)
    exact = (K**2 * (n - n * (n - 1) / (M - 1)) + k**2 - 2 * K * k * n / (M - 1)) * zeta_star**2
    return (
        proof(name, bound.source.place, **of).under(*_GIVEN, *conditions, *several)
        .step("1", by.apply(SUM, _READ))
        .step("pair", by.apply(PAIR, _READ))
        .step("cross", eq(E(Dot(fixed_sum(n), fixed(n))), -n * zeta_star**2 / (M - 1), (n, 0, M - 1)),
            by.sum_over(i, "pair"))
        .step("2", eq(E(square(K * fixed_sum(n) + k * fixed(n))), exact, (n, 0, places - 1), (k, 0, K - 1)),
            by.linear({"1": K**2, "cross": 2 * K * k, "one": k**2, "spread": k**2 / M},
                *(c.id for c in conditions[1:])), note="the square expanded")
        .qed(statement, by.sum_over((k, n), "2"), note="sums of powers of n and k")
    )


U3B = _block_theorem("sfl/U3b", "sfl/U3b@explicit", formula.U3B, M)
U3B_SEVERAL = _sharp_theorem("sfl/U3b-several", {}, formula.U3B_SHARP, M, "several")
_EXACT, _ = statement_of(formula.U3B_SHARP, _blocks(M))
_ALONE, _SEVERAL = le(M, 1), le(2, M)
_MOST, _LEAST, _COUNT = le(_EXACT.left, _EXACT.right), le(_EXACT.right, _EXACT.left), M * K * (M * K**2 + 1) / 6
_VECTOR = K * fixed_sum(n) + k * fixed(n)
_FIRST = E(square(_VECTOR))
U3B_SHARP = (
    proof("sfl/U3b-exact", of="sfl/U3b@strengthened", bound=formula.U3B_SHARP).under(*_GIVEN)
    .step("many", le(2, M), by.linear(), assuming=_SEVERAL)
    .step("several", by.apply(U3B_SEVERAL), assuming=_SEVERAL)
    .step("some", le(1, M), by.linear(), note="there is a client")
    .step("alike", eq(M, 1), by.antisymmetry("some"), assuming=_ALONE)
    .step("zero", eq(zeta_star**2, 0), by.linear({"spread": -1, "centred": _FIXED(1)}), inserting="alike",
        assuming=_ALONE, note="one client: its vector vanishes")
    .step("block", by.apply(BLOCK, _READ))
    .step("none", le(_FIRST, 0, *_AT), by.linear({"block": 1, "zero": K**2 * n + k**2}), assuming=_ALONE)
    .step("at most", by.sum_over((k, n), "none"), assuming=_ALONE)
    .step("square", by.apply(SQUARE, {family(Vector, "x")(): _VECTOR}), over=(*_AT,))
    .step("mean", by.expectation("square"))
    .step("at least", by.sum_over((k, n), "mean"))
    .step("only most", _MOST, by.linear({"at most": 1, "zero": -_COUNT}), assuming=_ALONE)
    .step("only least", _LEAST, by.linear({"at least": 1, "zero": _COUNT}), assuming=_ALONE)
    .step("several most", _MOST, by.linear("several"), assuming=_SEVERAL)
    .step("several least", _LEAST, by.linear("several"), assuming=_SEVERAL)
    .step("most", by.cases("several most", "only most"))
    .step("least", by.cases("several least", "only least"))
    .qed(_EXACT, by.antisymmetry("most", "least"), name="either")
)
U3B_PART = _block_theorem("sfl/U3b-part", "sfl/U3b-part@explicit", formula.U3B_PART, S)
U3B_PART_SHARP = _sharp_theorem("sfl/U3b-part-exact",
    {"of": "sfl/U3b-part@strengthened", "bound": formula.U3B_PART_SHARP}, formula.U3B_PART_SHARP, S, "c1")

THEOREMS = (PAIR, SUM, BLOCK, SAMPLED, U3_PAIR, U3, U3B, U3B_SEVERAL, U3B_SHARP, U3B_PART, U3B_PART_SHARP)
