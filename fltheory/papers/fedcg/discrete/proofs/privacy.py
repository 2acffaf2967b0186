"""The information that Algorithm 5 reveals, and necessary participants in Remark D.4: group sizes, and partial sums.

A membership is determined if it is equal in all tables of memberships with the observed sizes: its minimum and maximum
agree. Both are 0 or 1.
"""

from __future__ import annotations

from sympy import Abs, Expr, Integer, Symbol

from fltheory.papers.fedcg.notation import N, n
from fltheory.proof import Given, by, eq, le, proof, statement_of
from fltheory.proof.terms import Indicator, Nonnegative, Total, family
from fltheory.verification import find

PLACE = "Theorem D.3"
i, j, e, k = (Symbol(name, integer=True, positive=True) for name in "ijek")
GROUPS = (e, 1, n)

# One group ------------------------------------------------------------------------------------------------------------

A = Symbol("A", real=True)
BELOW = (
    proof("fedcg/indicator-below", PLACE, note="a number that is negative is counted 0 times")
    .given("below", le(A, -1), "a number")
    .step("size", by.fact("abs", -A))
    .step("sign", eq(Abs(A) * Indicator(A), A * Indicator(A)), by.fact("indicator", A))
    .step("high", le(Indicator(A), 0), by.linear("below", "size", "sign"))
    .step("low", le(0, Indicator(A)), by.linear())
    .qed(eq(Indicator(A), 0), by.antisymmetry("high", "low"))
)
people = Symbol("people", integer=True, positive=True)
low, high, size = (Symbol(name, nonnegative=True) for name in ("low", "high", "size"))
FREE = (
    proof("fedcg/membership-free", PLACE,
        note="where a group holds somebody and not everybody, it determines nobody's membership")
    .given("inside", le(1, size), "somebody is in it")
    .given("outside", le(size, people - 1), "and somebody is not")
    .given("to high", le(size, people * high), "nobody is more of a member")
    .given("to low", le(people * low, size), "nobody is less of a member")
    .given("most", le(high, 1), "0 or 1")
    .given("high", eq(high * (1 - high), 0), "0 or 1")
    .given("low", eq(low * (1 - low), 0), "0 or 1")
    .step("room", le(0, 1 - high), by.linear("most"))
    .step("is 1", le(1, high), by.linear("inside", "to high", "high", "room"))
    .step("is 0", le(low, 0), by.linear("outside", "to low", "low"))
    .step("apart", le(low - high, -1), by.linear("is 1", "is 0"))
    .qed(eq(Indicator(low - high), 0), by.apply(BELOW, {A: low - high}))
)

# The server's view ----------------------------------------------------------------------------------------------------

member, sizes = family(Nonnegative, "member"), family(Nonnegative, "size")
least, most = family(Nonnegative, "least"), family(Nonnegative, "most")
EXCHANGED = "where two change places in a group its size stays: that table is one of those with these sizes"
_ZERO_ONE = "the least and the most are memberships, 0 or 1"


def bits(*at: Expr) -> tuple[Given, ...]:
    """State that they are 0 or 1."""
    over = tuple(r for r in ((k, 1, N), (i, 1, N if len(at) == 2 else N - 1), GROUPS) if r[0] in at)
    return (
        Given("at most 1", le(most(*at), 1, *over), _ZERO_ONE),
        Given("most", eq(most(*at) * (1 - most(*at)), 0, *over), _ZERO_ONE),
        Given("least", eq(least(*at) * (1 - least(*at)), 0, *over), _ZERO_ONE),
    )


_SERVER = "fedcg/D.3-privacy@corrected"
_PLACES = ((i, 1, N), GROUPS)
_KNOWN = Total(Total(Indicator(least(i, e) - most(i, e)), i, 1, N), e, 1, n)
SERVER = (
    proof("fedcg/D.3-privacy", PLACE, of=_SERVER, bound=find(_SERVER).bound,
        note="the memberships whose least and most are equal, counted over clients and groups")
    .given("size", eq(sizes(e), Total(member(j, e), j, 1, N), GROUPS), "what the server sees")
    .given("inside", le(1, sizes(e), GROUPS), "the claim's assumption: every group holds somebody")
    .given("outside", le(sizes(e), N - 1, GROUPS), "the claim's assumption: and not everybody")
    .given("up", le(member(j, e), most(i, e), (j, 1, N), *_PLACES), EXCHANGED)
    .given("down", le(least(i, e), member(j, e), (j, 1, N), *_PLACES), EXCHANGED)
    .under(*bits(i, e))
    .step("ups", by.sum_over(j, "up"))
    .step("downs", by.sum_over(j, "down"))
    .step("to high", le(sizes(e), N * most(i, e), *_PLACES), by.linear("ups", "size"))
    .step("to low", le(N * least(i, e), sizes(e), *_PLACES), by.linear("downs", "size"))
    .step("free", by.apply(FREE, {people: N, size: sizes(e), high: most(i, e), low: least(i, e)}), over=(*_PLACES,))
    .step("all", eq(_KNOWN, Total(Total(Integer(0), i, 1, N), e, 1, n)), by.sum_over((i, e), "free"))
    .qed(statement_of(find(_SERVER).bound, _KNOWN)[0], by.linear("all"))
)

# A client's view ------------------------------------------------------------------------------------------------------

_CLIENTS = "fedcg/D.3-privacy-clients@corrected"
other, mine = family(Nonnegative, "other"), family(Nonnegative, "own")
_EACH, _REST = (k, 1, N), (i, 1, N - 1)
_THREE = (_EACH, _REST, GROUPS)
_ALL_TOLD = Total(Total(Total(Indicator(least(k, i, e) - most(k, i, e)), i, 1, N - 1), k, 1, N), e, 1, n)
rest = family(Nonnegative, "rest")
CLIENT = (
    proof("fedcg/D.3-privacy-clients", PLACE, of=_CLIENTS, bound=find(_CLIENTS).bound,
        note="for each client k the memberships of the others whose least and most are equal are counted; these are 1 to N - 1")
    .given("size", eq(sizes(e), mine(k, e) + Total(other(k, j, e), j, 1, N - 1), _EACH, GROUPS),
        "the group size that is sent to all: a client's own membership and those of the others")
    .given("rest", eq(rest(k, e), Total(other(k, j, e), j, 1, N - 1), _EACH, GROUPS), "a name for what the others are")
    .given("inside", le(2, sizes(e), GROUPS), "the claim's assumption: two clients at least are in every group")
    .given("outside", le(sizes(e), N - 2, GROUPS), "the claim's assumption: and two are not")
    .given("own", le(mine(k, e), 1, _EACH, GROUPS), "a membership, 0 or 1")
    .given("up", le(other(k, j, e), most(k, i, e), (j, 1, N - 1), *_THREE), f"of two others: {EXCHANGED}")
    .given("down", le(least(k, i, e), other(k, j, e), (j, 1, N - 1), *_THREE), f"of two others: {EXCHANGED}")
    .under(*bits(k, i, e))
    .step("first in", by.instance({e: 1}, "inside"))
    .step("first out", by.instance({e: 1}, "outside"))
    .step("two", le(2, N), by.linear("first in", "first out"))
    .step("some", le(1, rest(k, e), *_THREE), by.linear("inside", "own", "size", "rest"))
    .step("not all", le(rest(k, e), N - 1 - 1, *_THREE), by.linear("outside", "size", "rest"))
    .step("ups", by.sum_over(j, "up"))
    .step("downs", by.sum_over(j, "down"))
    .step("to high", le(rest(k, e), (N - 1) * most(k, i, e), *_THREE), by.linear("ups", "rest", "two"))
    .step("to low", le((N - 1) * least(k, i, e), rest(k, e), *_THREE), by.linear("downs", "rest", "two"))
    .step("free",
        by.apply(FREE, {people: N - 1, size: rest(k, e), high: most(k, i, e), low: least(k, i, e)}, "some", "not all",
            "to high", "to low", "at most 1", "most", "least", "two"))
    .step("all", eq(_ALL_TOLD, Total(Total(Total(Integer(0), i, 1, N - 1), k, 1, N), e, 1, n)),
        by.sum_over((i, k, e), "free"))
    .qed(statement_of(find(_CLIENTS).bound, _ALL_TOLD)[0], by.linear("all"))
)

# Remark D.4: necessary participants -----------------------------------------------------------------------------------

_FULL = "fedcg/D.4-full@printed"
worst = Symbol("F_least", nonnegative=True)
FULL = (
    proof("fedcg/D.4-full", "Remark D.4", of=_FULL, bound=find(_FULL).bound,
        note="only the last of N clients is in a group, the last of n >= 2: without it all sums are 0, and the first is picked")
    .given("two", le(2, n), "there is another group")
    .given("others", eq(member(j, e), 0, (j, 1, N - 1), GROUPS), "nobody else is in a group")
    .given("last", eq(member(N, e), 0, (e, 1, n - 1)), "the last client is in the last group alone")
    .given("least", le(worst, Total(member(j, 1), j, 1, N) / N),
        "the least value where one client is away, whoever it is: where the last one is, the first of the groups of equal sums, "
        "0, is picked, whose value is the share of the clients that are in it")
    .step("other", by.instance({e: 1}, "others"))
    .step("sum", by.sum_over(j, "other"))
    .step("one", by.instance({e: 1}, "last", "two"))
    .step("whole", eq(Total(member(j, 1), j, 1, N), Total(member(j, 1), j, 1, N - 1) + member(N, 1)), by.linear())
    .qed(statement_of(find(_FULL).bound, worst)[0], by.linear("least", "whole", "sum", "one"))
)

THEOREMS = (BELOW, FREE, SERVER, CLIENT, FULL)
