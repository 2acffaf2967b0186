"""P1 and submodularity on small ground sets: the 2^n values of a set function and the cube's points are symbols.

A set function is monotone and submodular if adding two items to a set gives no more together than one by one, for all
pairs and all sets without them, and no item lowers the value of the whole set: finitely many inequalities. Linear
consequences of them have exact multipliers in the certificate.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import combinations

from sympy import Expr, Integer, Symbol, diff

from fltheory.proof import Given, Relation, Theorem, by, eq, le, line, proof

PLACE = "Section 2"
Items = frozenset[int]


def value(members: Items) -> Expr:
    """Return f of a set of items, which are counted from 1."""
    return Symbol("f_" + ("".join(map(str, sorted(members))) or "0"), real=True)


def subsets(items: Iterable[int]) -> list[Items]:
    """Return all subsets, the small ones first."""
    ordered = sorted(items)
    return [frozenset(chosen) for size in range(len(ordered) + 1) for chosen in combinations(ordered, size)]


def coordinate(item: int) -> Symbol:
    """Return the coordinate of x for an item."""
    return Symbol(f"x_{item}", nonnegative=True)


def chance(members: Items, items: Iterable[int]) -> Expr:
    """Return the probability that exactly the members are drawn from these items."""
    product: Expr = Integer(1)
    for item in items:
        product *= coordinate(item) if item in members else 1 - coordinate(item)
    return product


def extension(items: Collection[int]) -> Expr:
    """Return the multilinear extension: the mean of f over random sets."""
    return sum((value(drawn) * chance(drawn, items) for drawn in subsets(items)), Integer(0))


def elementary(n: int) -> tuple[Given, ...]:
    """Return the elementary inequalities of monotone submodular functions on n items."""
    items = range(1, n + 1)
    whole = frozenset(items)
    pairs = [
        Given(
            f"pair {i}{j} at {''.join(map(str, sorted(rest))) or '0'}",
            le(value(rest | {i, j}) + value(rest), value(rest | {i}) + value(rest | {j})),
            "submodular: together they add no more than one by one",
        )
        for i, j in combinations(items, 2)
        for rest in subsets(whole - {i, j})
    ]
    tops = [Given(f"top {i}", le(value(whole - {i}), value(whole)), "monotone at the whole set") for i in items]
    return (*pairs, *tops)


def derivatives(n: int) -> Theorem:
    """Prove P1: each partial derivative of the extension is the mean of the marginal value of the item."""
    items = range(1, n + 1)
    claim: list[Expr] = [Integer(0), Integer(0)]
    for item in items:
        factor = Symbol(f"c_{item}", real=True)  # any combination of the n identities, hence each of them
        others = [other for other in items if other != item]
        claim[0] += factor * diff(extension(items), coordinate(item))
        claim[1] += factor * sum(
            (chance(drawn, others) * (value(drawn | {item}) - value(drawn)) for drawn in subsets(others)), Integer(0)
        )
    return proof(
        f"fedcg/P1-{n}",
        PLACE,
        note=f"for {n} items: each partial derivative is the mean of what its item adds to a random set",
    ).qed(eq(*claim), by.linear())


def second_derivatives(n: int) -> Theorem:
    """Prove that second derivatives of the extension are means of second differences, 0 for equal items."""
    items = range(1, n + 1)
    claim: list[Expr] = [Integer(0), Integer(0)]
    for i in items:
        for j in items:
            factor = Symbol(f"c_{i}{j}", real=True)
            others = [other for other in items if other not in (i, j)]
            claim[0] += factor * diff(extension(items), coordinate(i), coordinate(j))
            if i != j:
                claim[1] += factor * sum(
                    (
                        chance(d, others) * (value(d | {i, j}) - value(d | {i}) - value(d | {j}) + value(d))
                        for d in subsets(others)
                    ),
                    Integer(0),
                )
    return proof(
        f"fedcg/P4-formula-{n}",
        PLACE,
        note=f"for {n} items: second derivatives are means of second differences, 0 on the diagonal",
    ).qed(eq(*claim), by.linear())


def farkas(name: str, n: int, claim: Relation, note: str) -> Theorem:
    """Prove a consequence of the elementary inequalities by the multipliers of a certificate."""
    given = elementary(n)
    return proof(f"fedcg/{name}-{n}", PLACE, note=note).under(*given).qed(claim, by.polynomial(*(h.id for h in given)))


def gains(n: int) -> tuple[Theorem, ...]:
    """Prove that a marginal value lies between 0 and the value of the item alone, and the same for two items."""
    others = frozenset(range(2, n + 1))
    all_but_two = others - {2}
    added = value(others | {1}) - value(others)
    after = value(all_but_two | {1, 2}) - value(all_but_two | {1})
    before = value(all_but_two | {2}) - value(all_but_two)
    alone = value(frozenset({1})) - value(frozenset())
    rest = frozenset({3}) if n > 2 else frozenset()
    early = value(rest | {1}) - value(rest)
    weights = {s: Symbol("w_" + "".join(map(str, sorted(s))), nonnegative=True) for s in subsets(others)}
    marginals = {s: value(s | {1}) - value(s) for s in subsets(others)}
    return (
        farkas("A0-less", n, le(added, early), f"for {n} items: adding one to a larger set gives no more"),
        farkas("A0-gain", n, le(0, alone), f"for {n} items: monotone everywhere, as it is at the whole set"),
        farkas(
            "P4-vertex",
            n,
            le(-(value(frozenset({2})) - value(frozenset())), after - before),
            f"for {n} items: a second difference is at least -f(j)",
        ),
        farkas(
            "P2-low",
            n,
            le(0, sum((weights[s] * m for s, m in marginals.items()), Integer(0))),
            f"for {n} items: no mean of marginals is negative",
        ),
        farkas(
            "P2-high",
            n,
            le(sum((weights[s] * m for s, m in marginals.items()), Integer(0)), alone * sum(weights.values())),
            f"for {n} items: no mean of marginals is above f(e)",
        ),
    )


def in_the_cube(n: int) -> tuple[Theorem, ...]:
    """Prove P2 at each point of the cube: the probabilities of the random sets are weights with sum 1."""
    items, others = range(1, n + 1), range(2, n + 1)
    given = elementary(n)
    cube = tuple(Given(f"x {j}", le(coordinate(j), 1), "a point of the cube") for j in others)
    chances = {
        Symbol("w_" + "".join(map(str, sorted(s))), nonnegative=True): chance(s, others) for s in subsets(others)
    }
    slope = diff(extension(items), coordinate(1))
    alone = value(frozenset({1})) - value(frozenset())
    ids = tuple(h.id for h in given)
    signs = tuple(
        line(
            f"chance {k}",
            le(0, law),
            by.linear(
                *(f"x {j}" for j in others if _first(drawn, others)),
                {f"x {j}": weight for j, weight in _first(drawn, others)},
            ),
        )
        for k, (drawn, law) in enumerate(zip(subsets(others), chances.values(), strict=True))
    )
    found = (("low", le(0, slope), "never negative"), ("high", le(slope, alone), "at most f(e)"))
    return tuple(
        (
            proof(
                f"fedcg/P2-{name}-cube-{n}",
                PLACE,
                note=f"for {n} items, at every point of the cube: a partial derivative is {note}",
            )
            .under(*given, *cube)
            .steps(*signs)
            .qed(claim, by.apply(f"fedcg/P2-{name}-{n}", chances, *(s.id for s in signs), *ids))
        )
        for name, claim, note in found
    )


def hessian(n: int) -> tuple[Theorem, ...]:
    """Prove P4: for any mean of second differences, then for the second derivative at each point of the cube."""
    items, others = range(1, n + 1), range(3, n + 1)
    given = elementary(n)
    weights = {s: Symbol("w_" + "".join(map(str, sorted(s))), nonnegative=True) for s in subsets(others)}
    second = {s: value(s | {1, 2}) - value(s | {1}) - value(s | {2}) + value(s) for s in subsets(others)}
    mean = sum((weights[s] * m for s, m in second.items()), Integer(0))
    alone = value(frozenset({2})) - value(frozenset())
    chances = {weights[s]: chance(s, others) for s in subsets(others)}
    cube = tuple(Given(f"x {j}", le(coordinate(j), 1), "a point of the cube") for j in others)
    signs = tuple(
        line(
            f"chance {k}",
            le(0, law),
            by.linear(
                *(f"x {j}" for j in others if _first(drawn, others)),
                {f"x {j}": weight for j, weight in _first(drawn, others)},
            ),
        )
        for k, (drawn, law) in enumerate(zip(subsets(others), chances.values(), strict=True))
    )
    curve = diff(extension(items), coordinate(1), coordinate(2))
    ids = (*(s.id for s in signs), *(h.id for h in given))
    found = []
    for name, plain, claim, note in (
        ("sign", le(mean, 0), le(curve, 0), "not positive"),
        ("low", le(-alone * sum(weights.values()), mean), le(-alone, curve), "at least -f(j)"),
    ):
        found.append(farkas(f"P4-{name}", n, plain, f"for {n} items: a mean of second differences is {note}"))
        words = f"for {n} items, at every point of the cube: a second derivative is {note}"
        found.append(
            proof(f"fedcg/P4-{name}-cube-{n}", PLACE, note=words)
            .under(*given, *cube)
            .steps(*signs)
            .qed(claim, by.apply(f"fedcg/P4-{name}-{n}", chances, *ids))
        )
    return tuple(found)


def _first(drawn: Items, others: Iterable[int]) -> list[tuple[int, Expr]]:
    """Return one factor 1 - x of a probability, with the product of the others as its weight."""
    missing = [item for item in others if item not in drawn]
    if not missing:
        return []
    rest = [item for item in others if item != missing[0]]
    return [(missing[0], chance(drawn, rest))]


THEOREMS = (
    *(derivatives(n) for n in (2, 3, 4)),
    *(second_derivatives(n) for n in (2, 3, 4)),
    *(t for n in (2, 3, 4) for t in gains(n)),
    *(t for n in (2, 3, 4) for t in in_the_cube(n)),
    *gains(5)[:3],
    *(t for n in (3, 4) for t in hessian(n)),
)
