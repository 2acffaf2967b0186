"""U3: draws without replacement, and the block sums of a round."""

from __future__ import annotations

from sympy import Integer, Max, Symbol

from fltheory.papers.sfl.bounds import lemmas as formula
from fltheory.papers.sfl.letters import K, M, S, n_draws, zeta_star
from fltheory.proof.language import (
    Apply,
    Cases,
    Combine,
    Expected,
    Given,
    Induction,
    Instance,
    Known,
    Polynomial,
    Squeezed,
    Step,
    Summed,
    Theorem,
    eq,
    le,
    stated,
)
from fltheory.proof.terms import Dot, Draw, E, Nonnegative, RandomVector, Total, Vector, family, square

i, n, k = (Symbol(name, integer=True, nonnegative=True) for name in "ink")
a, b = (Symbol(name, integer=True, positive=True) for name in "ab")
V = family(Nonnegative, "V")()  # the mean square of the vectors
X = family(RandomVector, "X")


def drawn(place, vectors=X):
    """The vector of the client in a place counted from 0."""
    return vectors(Draw(place + 1, M))


def given(vectors=X, mean_square=V):
    """Uniform draws without replacement from M vectors of mean 0 and a mean square."""
    pairs = Total(Total(E(Dot(vectors(a), vectors(b))), a, 1, M), b, 1, M) - Total(E(square(vectors(a))), a, 1, M)
    return (
        Given("centred", eq(Total(vectors(a), a, 1, M), 0), "the vectors add up to 0"),
        Given("spread", eq(Total(E(square(vectors(a))), a, 1, M), M * mean_square), "what their mean square is"),
        Given(
            "one",
            eq(E(square(drawn(n, vectors))), Total(E(square(vectors(a))), a, 1, M) / M, (n, 0, M - 1)),
            "a uniform draw, independent of the vectors: each client is as likely",
        ),
        Given(
            "two",
            eq(E(Dot(drawn(i, vectors), drawn(n, vectors))), pairs / (M * (M - 1)), (n, 0, M - 1), (i, 0, n - 1)),
            "uniform draws without replacement: each pair of different clients is as likely",
        ),
    )


def so_far(count):
    """The sum of the first vectors drawn."""
    return Total(drawn(i), i, 0, count - 1)


_PAIR = eq(E(Dot(drawn(i), drawn(n))), -V / (M - 1), (n, 0, M - 1), (i, 0, n - 1))
PAIR = Theorem(
    "sfl/pair",
    _PAIR,
    given(),
    (
        Step(
            "1",
            eq(Dot(Total(X(a), a, 1, M), Total(X(b), b, 1, M)), 0),
            Combine({"centred": Total(X(a), a, 1, M)}),
            ("centred",),
            note="the squared sum vanishes",
        ),
        Step("2", eq(Total(Total(E(Dot(X(a), X(b))), a, 1, M), b, 1, M), 0), Expected(), ("1",)),
        Step(
            "3",
            _PAIR,
            Combine({"two": 1, "2": 1 / (M * (M - 1)), "spread": -1 / (M * (M - 1))}),
            ("two", "2", "spread"),
        ),
    ),
    place="proof of Theorem 3",
    note="different draws are negatively correlated",
    unused=("one",),
)

_CROSS = eq(E(Dot(so_far(n), drawn(n))), -n * V / (M - 1), (n, 0, M - 1))
_SQUARED = eq(E(square(so_far(n))), (n - n * (n - 1) / (M - 1)) * V, (n, 0, M))
SUM = Theorem(
    "sfl/draws",
    _SQUARED,
    (*given(), Given("several", le(2, M), "for one client there is no pair")),
    (
        Step("pair", _PAIR, Apply("sfl/pair"), ("centred", "spread", "one", "two")),
        Step("cross", _CROSS, Summed((i,)), ("pair",)),
        Step("0", eq(E(square(so_far(Integer(0)))), 0), Combine()),
        Step(
            "1",
            eq(E(square(so_far(n + 1))), (n + 1 - (n + 1) * n / (M - 1)) * V, (n, 0, M - 1)),
            Combine({"assumed 1": 1, "cross": 2, "one": 1, "spread": 1 / M}),
            ("cross", "one", "spread", "several"),
            (),
            (eq(E(square(so_far(n))), (n - n * (n - 1) / (M - 1)) * V),),
            note="one draw more",
        ),
        Step("2", _SQUARED, Induction(n), ("0", "1")),
    ),
    place="proof of Theorem 3",
    note="the squared sum of n draws",
)

# The block sum of a round: K times what was drawn before, k times the present one -----------------------------------

_BLOCK = E(square(K * so_far(n) + k * drawn(n)))
_AT = ((n, 0, M - 1), (k, 0, K - 1))
_BLOCK_SUM = le(_BLOCK, (K**2 * n + k**2) * V, *_AT)
_LENGTH = le(E(square(so_far(n))), n * V, (n, 0, M))
BLOCK = Theorem(
    "sfl/block",
    _BLOCK_SUM,
    given(),
    (
        Step("pair", _PAIR, Apply("sfl/pair"), ("centred", "spread", "one", "two")),
        Step("V", le(0, V), Combine(), note="a mean square"),
        Step(
            "sign",
            le(E(Dot(drawn(i), drawn(n))), 0, (n, 0, M - 1), (i, 0, n - 1)),
            Combine({"pair": 1, "V": 1 / (M - 1)}),
            ("pair", "V"),
            note="no pair is positively correlated",
        ),
        Step("cross", le(E(Dot(so_far(n), drawn(n))), 0, (n, 0, M - 1)), Summed((i,)), ("sign",)),
        Step("0", le(E(square(so_far(Integer(0)))), 0), Combine()),
        Step(
            "1",
            le(E(square(so_far(n + 1))), (n + 1) * V, (n, 0, M - 1)),
            Combine({"assumed 1": 1, "cross": 2, "one": 1, "spread": 1 / M}),
            ("cross", "one", "spread"),
            (),
            (le(E(square(so_far(n))), n * V),),
            note="one draw more",
        ),
        Step("2", _LENGTH, Induction(n), ("0", "1")),
        Step(
            "3",
            _BLOCK_SUM,
            Combine({"2": K**2, "cross": 2 * K * k, "one": k**2, "spread": k**2 / M}),
            ("2", "cross", "one", "spread"),
            note="the square expanded",
        ),
    ),
    place="proof of Theorem 3",
    note="K times what was drawn before and k times the present draw",
)

_SAMPLED = le(E(square(so_far(S))), S * (M - S) / Max(M - 1, 1) * V)
_ALL, _MORE = le(M, S), le(S, M - 1)
SAMPLED = Theorem(
    "sfl/sampled",
    _SAMPLED,
    (*given(), Given("few", le(S, M), "no more are drawn than there are")),
    (
        Step("two or more", le(2, M), Combine({"assumed 1": 1}), (), (), (_MORE,)),
        Step("more 1", _SQUARED, Apply("sfl/draws"), ("centred", "spread", "one", "two", "two or more"), (), (_MORE,)),
        Step(
            "more 2",
            eq(E(square(so_far(S))), (S - S * (S - 1) / (M - 1)) * V),
            Instance({n: S}),
            ("more 1", "few"),
            (),
            (_MORE,),
        ),
        Step("max", eq(Max(M - 1, 1), M - 1), Known("max", Max(M - 1, 1)), (), (), (_MORE,)),
        Step("more", _SAMPLED, Combine({"more 2": 1}), ("more 2",), ("max",), (_MORE,), note="not all of them"),
        Step("alike", eq(S, M), Squeezed(), ("few",), (), (_ALL,)),
        Step("all 1", eq(Total(drawn(i), i, 0, M - 1), 0), Combine({"centred": 1}), ("centred",), note="reordered"),
        Step(
            "all 2",
            eq(square(Total(drawn(i), i, 0, M - 1)), 0),
            Combine({"all 1": Total(drawn(i), i, 0, M - 1)}),
            ("all 1",),
        ),
        Step("all 3", eq(E(square(Total(drawn(i), i, 0, M - 1))), 0), Expected(), ("all 2",)),
        Step("all", _SAMPLED, Combine({"all 3": 1}), ("all 3",), ("alike",), (_ALL,), note="all of them"),
        Step("both", _SAMPLED, Cases(), ("more", "all")),
    ),
    place="Section 5.1, partial participation",
    note="the squared sum of a sample without replacement",
)

# U3 and U3b as the catalogue states them ------------------------------------------------------------------------------

_FIXED = family(Vector, "X")
_READ = {X(a): _FIXED(a), V: zeta_star**2}
_GIVEN = given(_FIXED, zeta_star**2)
_NAMES = ("centred", "spread", "one", "two")


def fixed(place):
    """A fixed vector, drawn."""
    return drawn(place, _FIXED)


def fixed_sum(count):
    """The sum of the first fixed vectors drawn."""
    return Total(fixed(i), i, 0, count - 1)


_U3_PAIR, _TWO = stated(formula.U3_PAIR, E(Dot(fixed(i), fixed(n))))
_U3_PAIR = eq(_U3_PAIR.left, _U3_PAIR.right, (n, 0, M - 1), (i, 0, n - 1))
U3_PAIR = Theorem(
    "sfl/U3-pair",
    _U3_PAIR,
    (*_GIVEN, *_TWO),
    (Step("1", _U3_PAIR, Apply("sfl/pair", _READ), _NAMES),),
    claim="sfl/U3-pair@explicit",
    place="proof of Theorem 3",
    bound=formula.U3_PAIR,
    unused=("c1",),
)

_U3, _U3_IF = stated(formula.U3, E(square(fixed_sum(n_draws) / n_draws)))
U3 = Theorem(
    "sfl/U3",
    _U3,
    (*_GIVEN, *_U3_IF),
    (
        Step(
            "1",
            eq(E(square(fixed_sum(n))), (n - n * (n - 1) / (M - 1)) * zeta_star**2, (n, 0, M)),
            Apply("sfl/draws", _READ),
            (*_NAMES, "c1"),
        ),
        Step(
            "2",
            eq(E(square(fixed_sum(n_draws))), (n_draws - n_draws * (n_draws - 1) / (M - 1)) * zeta_star**2),
            Instance({n: n_draws}),
            ("1", "c2"),
        ),
        Step("3", _U3, Combine({"2": 1 / n_draws**2}), ("2",), note="their mean"),
    ),
    claim="sfl/U3@explicit",
    place="proof of Theorem 3",
    bound=formula.U3,
)


def _blocks(places):
    """The block sums of the clients in the first places, added up."""
    return Total(Total(E(square(K * fixed_sum(n) + k * fixed(n))), k, 0, K - 1), n, 0, places - 1)


def _block_theorem(name, claim, bound, places):
    """The sum of U3b over the first places, at most."""
    statement, conditions = stated(bound, _blocks(places))
    bounded = le(E(square(K * fixed_sum(n) + k * fixed(n))), (K**2 * n + k**2) * zeta_star**2, *_AT)
    part = (*((n, 0, places - 1),), (k, 0, K - 1))
    each = K**2 * (places - 1) / 2 + (K - 1) * (2 * K - 1) / 6
    count = places * K * each * zeta_star**2
    fewer = tuple(c.id for c in conditions)
    return Theorem(
        name,
        statement,
        (*_GIVEN, *conditions),
        (
            Step("1", bounded, Apply("sfl/block", _READ), _NAMES),
            Step("2", le(bounded.left, bounded.right, *part), Combine({"1": 1}), ("1", *fewer), note="these places"),
            Step("3", le(_blocks(places), count), Summed((k, n)), ("2",), note="sums of powers of n and k"),
            Step("4", le(each, places * K**2 / 2), Polynomial()),
            Step("5", statement, Combine({"3": 1, "4": places * K * zeta_star**2}), ("3", "4")),
        ),
        claim=claim,
        place=bound.source.place,
        bound=bound,
    )


def _sharp_theorem(name, claim, bound, places, needs):
    """The sum of U3b over the first places, exactly."""
    statement, conditions = stated(bound, _blocks(places))
    several = (
        () if conditions else (Given("several", le(2, M), "for one client the sum is empty but for itself", True),)
    )
    squared = eq(E(square(fixed_sum(n))), (n - n * (n - 1) / (M - 1)) * zeta_star**2, (n, 0, M))
    exact = (K**2 * (n - n * (n - 1) / (M - 1)) + k**2 - 2 * K * k * n / (M - 1)) * zeta_star**2
    return Theorem(
        name,
        statement,
        (*_GIVEN, *conditions, *several),
        (
            Step("1", squared, Apply("sfl/draws", _READ), (*_NAMES, needs)),
            Step("pair", _U3_PAIR, Apply("sfl/pair", _READ), _NAMES),
            Step(
                "cross",
                eq(E(Dot(fixed_sum(n), fixed(n))), -n * zeta_star**2 / (M - 1), (n, 0, M - 1)),
                Summed((i,)),
                ("pair",),
            ),
            Step(
                "2",
                eq(E(square(K * fixed_sum(n) + k * fixed(n))), exact, (n, 0, places - 1), (k, 0, K - 1)),
                Combine({"1": K**2, "cross": 2 * K * k, "one": k**2, "spread": k**2 / M}),
                ("1", "cross", "one", "spread", *(c.id for c in conditions[1:])),
                note="the square expanded",
            ),
            Step("3", statement, Summed((k, n)), ("2",), note="sums of powers of n and k"),
        ),
        claim=claim,
        place=bound.source.place,
        bound=bound,
    )


U3B = _block_theorem("sfl/U3b", "sfl/U3b@explicit", formula.U3B, M)
U3B_SHARP = _sharp_theorem("sfl/U3b-exact", "sfl/U3b@sharpened", formula.U3B_SHARP, M, "several")
U3B_PART = _block_theorem("sfl/U3b-part", "sfl/U3b-part@explicit", formula.U3B_PART, S)
U3B_PART_SHARP = _sharp_theorem("sfl/U3b-part-exact", "sfl/U3b-part@sharpened", formula.U3B_PART_SHARP, S, "c1")

THEOREMS = (PAIR, SUM, BLOCK, SAMPLED, U3_PAIR, U3, U3B, U3B_SHARP, U3B_PART, U3B_PART_SHARP)
