"""Remark 4.4: rounding keeps the marginals, the expected value and independence, for every number of moves.

A move of pipage rounding goes u up with probability d/(u + d), else d down, along e_i - e_j or, for a single fractional
coordinate, along e_i. An exchange of swap rounding is such a move: u is the share of the part that is merged next, d
that of the merged parts. Runs that end earlier stay where they are. ``moves`` is as large as needed.
"""

from __future__ import annotations

from sympy import Abs, Expr, Max, Symbol

from fltheory.papers.fedcg.notation import n
from fltheory.proof import Given, Theorem, by, eq, le, proof, statement_of
from fltheory.proof.chain import Chain
from fltheory.proof.terms import (E, Indicator, Nonnegative, RandomInteger, RandomNonnegative, RandomPositive,
    RandomScalar, Total, family)
from fltheory.verification import find

PLACE = "Remark 4.4"
t, e, g = (
    Symbol("t", integer=True, nonnegative=True),
    Symbol("e", integer=True, positive=True),
    Symbol("g", integer=True, positive=True),
)
moves = Symbol("moves", integer=True, positive=True)
ROUNDS, UP_TO, ITEMS = (t, 0, moves - 1), (t, 0, moves), (e, 1, n)
up, down = family(RandomPositive, "u"), family(RandomPositive, "d")
ODDS = {
    "pipage": "up with chance d/(u + d), given the moves before",
    "swap": "what is merged keeps its item with chance its share over both shares, given the exchanges before",
}


def mixed(higher: Expr, lower: Expr) -> Expr:
    """Return the mean of a move's two ends, given the past."""
    return (down(t) * higher + up(t) * lower) / (up(t) + down(t))


# Marginals -------------------------------------------------------------------------------------------------------------

coordinate, sign, start = family(RandomNonnegative, "x"), family(RandomScalar, "s"), family(Nonnegative, "x0")
_HERE = coordinate(t, e)
ALONG = {
    "pipage": "s is 1 at the first coordinate of the move, -1 at the second, 0 elsewhere",
    "swap": "the mean of the sets by their shares: s is 1 at the item that leaves if what is merged gives in, -1 at the other's",
}


def marginals(kind: str) -> Theorem:
    """Prove that every item is in S with the probability that the point gives."""
    claim = f"fedcg/R4.4-{kind}-mean"
    bound = find(f"{claim}@printed").bound
    error = Abs(E(coordinate(moves, e)) - start(e))
    return (
        proof(claim, PLACE, of=f"{claim}@printed", bound=bound,
            note="of every item; at the end x is the indicator of S, whose mean is P(e in S)")
        .given("start", eq(coordinate(0, e), start(e), ITEMS), "the point that is rounded")
        .given("move",
            eq(E(coordinate(t + 1, e)), E(mixed(_HERE + up(t) * sign(t, e), _HERE - down(t) * sign(t, e))), ROUNDS,
                ITEMS), f"{ODDS[kind]}; {ALONG[kind]}")
        .step("0", eq(E(coordinate(0, e)), E(start(e)), ITEMS), by.expectation("start"))
        .step("fair", eq(mixed(_HERE + up(t) * sign(t, e), _HERE - down(t) * sign(t, e)), _HERE, ROUNDS, ITEMS),
            by.linear())
        .step("stays", by.expectation("fair"))
        .step("1", eq(E(coordinate(t + 1, e)), start(e), ROUNDS, ITEMS), by.linear("move", "stays"),
            assuming=eq(E(_HERE), start(e)))
        .step("2", eq(E(_HERE), start(e), UP_TO, ITEMS), by.induction(t, "0", "1"))
        .step("all", by.instance({t: moves}, "2"))
        .step("above", le(E(coordinate(moves, e)) - start(e), 0, ITEMS), by.linear("all"))
        .step("below", le(-(E(coordinate(moves, e)) - start(e)), 0, ITEMS), by.linear("all"))
        .step("most", by.absolute("above", "below"))
        .step("least", le(0, error, ITEMS), by.linear())
        .qed(eq(error, statement_of(bound, error)[0].right, ITEMS), by.antisymmetry("most", "least"))
    )


# The value -----------------------------------------------------------------------------------------------------------------

value, slope, curve = family(RandomNonnegative, "F"), family(RandomScalar, "slope"), family(RandomNonnegative, "curve")
first = Symbol("F_x", positive=True)  # the claim excludes points of value 0
HIGHER = value(t) + up(t) * slope(t) + up(t) ** 2 * curve(t)
LOWER = value(t) - down(t) * slope(t) + down(t) ** 2 * curve(t)
START = Given("start", eq(value(0), first), "the extension at the point that is rounded, which is worth something")
CURVE = (
    "the extension is linear in each coordinate: along e_i - e_j it is F + a slope + a^2 curve, "
    "curve = -d^2F/dx_i dx_j >= 0 (fedcg/P4), along e_i curve = 0"
)
FAIR = (
    proof("fedcg/R4.4-move", PLACE, note="the extension is convex along a move: its mean does not fall")
    .step("room", eq(mixed(HIGHER, LOWER), value(t) + up(t) * down(t) * curve(t)), by.linear())
    .qed(le(value(t), mixed(HIGHER, LOWER)), by.linear("room"))
)


def kept(kind: str) -> Theorem:
    """Prove that the expected value of S is that of the point."""
    claim = f"fedcg/R4.4-{kind}"
    bound = find(f"{claim}@printed").bound
    return (
        proof(claim, PLACE, of=f"{claim}@printed", bound=bound,
            note="at the end x is the indicator of S: the extension is F(S)")
        .under(START)
        .given("move", eq(E(value(t + 1)), E(mixed(HIGHER, LOWER)), ROUNDS), f"{ODDS[kind]}; {CURVE}")
        .step("point", eq(E(value(0)), E(first)), by.expectation("start"))
        .step("0", le(first, E(value(0))), by.linear("point"))
        .step("fair", by.apply(FAIR), over=ROUNDS)
        .step("stays", by.expectation("fair"))
        .step("1", le(first, E(value(t + 1)), ROUNDS), by.linear("move", "stays"), assuming=le(first, E(value(t))))
        .step("2", le(first, E(value(t)), UP_TO), by.induction(t, "0", "1"))
        .step("all", by.instance({t: moves}, "2"))
        .qed(statement_of(bound, E(value(moves) / first))[0], by.linear("all"))
    )


A, B = (Symbol(name, real=True) for name in ("A", "B"))
p, q = (Symbol(name, positive=True) for name in ("p", "q"))
_MEAN = le((p * A + q * B) / (p + q), Max(A, B))
LARGER = (
    proof("fedcg/max-mean", PLACE, note="the larger of two numbers is no less than a mean of them")
    .step("a", eq(Max(A, B), A), by.fact("max", Max(A, B)), assuming=le(B, A))
    .step("1", _MEAN, by.linear("a"), assuming=le(B, A))
    .step("b", eq(Max(A, B), B), by.fact("max", Max(A, B)), assuming=le(A, B))
    .step("2", _MEAN, by.linear("b"), assuming=le(A, B))
    .qed(_MEAN, by.cases("1", "2"))
)
_VALUES = find("fedcg/R4.4-values@corrected").bound
BETTER = (
    proof("fedcg/R4.4-values", PLACE, of="fedcg/R4.4-values@corrected", bound=_VALUES,
        note="surely, where every move takes the end of the larger value")
    .under(START)
    .given("move", eq(value(t + 1), Max(HIGHER, LOWER), ROUNDS), f"the better of both ends; {CURVE}")
    .step("fair", by.apply(FAIR), over=ROUNDS)
    .step("larger", by.apply(LARGER, {A: HIGHER, B: LOWER, p: down(t), q: up(t)}), over=ROUNDS)
    .step("0", le(first, value(0)), by.linear("start"))
    .step("1", le(first, value(t + 1), ROUNDS), by.linear("move", "fair", "larger"), assuming=le(first, value(t)))
    .step("2", le(first, value(t), UP_TO), by.induction(t, "0", "1"))
    .step("all", by.instance({t: moves}, "2"))
    .qed(statement_of(_VALUES, value(moves) / first)[0], by.linear("all"))
)

# Independence ------------------------------------------------------------------------------------------------------------

count, capacity = Symbol("count", integer=True), Symbol("capacity", integer=True)
rest, share = Symbol("rest", positive=True), Symbol("share", nonnegative=True)
_ROOM = le(share * (count + 1), share * capacity)
ROOM = (
    proof("fedcg/whole-room", PLACE,
        note="where a whole number and something more are within a whole capacity, one more is")
    .given("within", le(share * (count + rest), share * capacity), "where share is not 0")
    .step("1", _ROOM, by.linear(), assuming=le(count + 1, capacity))
    .step("2", _ROOM, by.linear("within"), assuming=le(capacity, count), note="never so, unless share is 0")
    .qed(_ROOM, by.cases("1", "2"))
)
groups = Symbol("groups", integer=True, positive=True)
GROUPS = (g, 1, groups)
member, lone, made = family(Nonnegative, "in"), family(RandomNonnegative, "lone"), family(RandomNonnegative, "made")
most, whole = family(RandomInteger, "cap"), family(RandomInteger, "whole")
alone, tight = family(RandomPositive, "alone"), family(RandomInteger, "tight")()


def held(now: Expr, group: Expr) -> Expr:
    """Return the sum of a group's coordinates."""
    return Total(member(group, e) * coordinate(now, e), e, 1, n)


def never(chain: Chain, claim: str, chance: Expr, last: str) -> Theorem:
    """Prove that a surely independent set fails to be independent with probability 0."""
    return chain.qed(statement_of(find(claim).bound, chance)[0], by.linear(**{last: -1}))


_HELD, _LONE = held(t, g), lone(t, g)
_SPARE = most(tight) - held(moves, tight)
_SET = "fedcg/R4.4-pipage-set@printed"
PIPAGE_SET = (
    proof("fedcg/R4.4-pipage-set", PLACE, of=_SET, bound=find(_SET).bound,
        note="S is independent where the group with the least room holds no more than it may; a uniform matroid is one group")
    .given("point", le(held(0, g), most(g), GROUPS), "a point of the polytope")
    .given("move", eq(held(t + 1, g), _HELD + _LONE * (made(t, g) - alone(t, g)), ROUNDS, GROUPS),
        "a pair moves inside its group, whose sum stays: lone = 0; where a coordinate is the only one of its group that is not "
        "whole, lone = 1 and it becomes 0 or 1")
    .given("one of both", le(_LONE, 1, ROUNDS, GROUPS), "0 or 1")
    .given("made", le(made(t, g), 1, ROUNDS, GROUPS), "0 or 1")
    .given("others", eq(_LONE * _HELD, _LONE * (whole(t, g) + alone(t, g)), ROUNDS, GROUPS),
        "the other coordinates of its group are whole, and so is their sum")
    .given("tight from", le(1, tight), "the group with the least room at the end")
    .given("tight to", le(tight, groups), "one of the groups")
    .step("so far", le(_LONE * (whole(t, g) + alone(t, g)), _LONE * most(g), ROUNDS, GROUPS), by.linear("others"),
        assuming=le(_HELD, most(g)))
    .step("room", by.apply(ROOM, {count: whole(t, g), capacity: most(g), rest: alone(t, g), share: _LONE}),
        assuming=le(_HELD, most(g)))
    .step("pair", le(0, 1 - _LONE, ROUNDS, GROUPS), by.linear("one of both"))
    .step("1", le(held(t + 1, g), most(g), ROUNDS, GROUPS),
        by.linear({"move": 1, "assumed 1": 1 - _LONE, "others": 1, "made": _LONE, "room": 1}, "pair"),
        assuming=le(_HELD, most(g)))
    .step("2", le(_HELD, most(g), UP_TO, GROUPS), by.induction(t, "point", "1"))
    .step("end", by.instance({t: moves}, "2"))
    .step("tight", by.instance({g: tight}, "end", "tight from", "tight to"))
    .step("spare", le(0, _SPARE), by.linear("tight"))
    .step("one", eq(Indicator(_SPARE), 1), by.fact("indicator", _SPARE, "spare"))
    .step("sure", eq(E(Indicator(_SPARE)), E(1)), by.expectation("one"))
)
fits, swapped, keeps = (family(RandomNonnegative, name) for name in ("fits", "swapped", "keeps"))


def without_end(claim: str, note: str, *own: Given) -> Chain:
    """Begin the proof of a claim on successive sets; ``fits`` says of each whether it is independent."""
    return (
        proof(claim.split("@")[0], PLACE, of=claim, bound=find(claim).bound, note=note).under(*own)
        .step("1", eq(fits(t + 1), 1, ROUNDS), by.linear("next", "changed"), assuming=eq(fits(t), 1))
        .step("2", eq(fits(t), 1, UP_TO), by.induction(t, "first", "1"))
        .step("end", by.instance({t: moves}, "2"))
        .step("sure", eq(E(fits(moves)), E(1)), by.expectation("end"))
    )


_NEXT = eq(fits(t + 1), keeps(t) * fits(t) + (1 - keeps(t)) * swapped(t), ROUNDS)
SWAP_SET = without_end("fedcg/R4.4-swap-set@printed", "what is merged stays a base in every exchange",
    Given("first", eq(fits(0), 1), "the first part is independent"),
    Given("next", _NEXT, "an exchange leaves what is merged as it is, or swaps an item of it"),
    Given("changed", eq((1 - keeps(t)) * swapped(t), 1 - keeps(t), ROUNDS),
        "the item is picked so that both sets stay bases: a matroid has such an item (basis exchange), and the run stops without"))
GREEDY_SET = without_end("fedcg/R4.4-greedy-set@printed",
    "no item is added that does not fit; one move for each item, in the order of the coordinates",
    Given("first", eq(fits(0), 1), "the empty set is independent"),
    Given("next", _NEXT, "an item is left out, or added"),
    Given("changed", eq((1 - keeps(t)) * swapped(t), 1 - keeps(t), ROUNDS),
        "it is added only where the set with it is independent"))
INDEPENDENT = (
    never(PIPAGE_SET, _SET, E(1 - Indicator(_SPARE)), "sure"),
    never(SWAP_SET, "fedcg/R4.4-swap-set@printed", E(1 - fits(moves)), "sure"),
    never(GREEDY_SET, "fedcg/R4.4-greedy-set@printed", E(1 - fits(moves)), "sure"),
)

THEOREMS = (
    marginals("pipage"),
    marginals("swap"),
    FAIR,
    kept("pipage"),
    kept("swap"),
    LARGER,
    BETTER,
    ROOM,
    *INDEPENDENT,
)
