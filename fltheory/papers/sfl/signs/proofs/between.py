"""Upper bound of Lemma 12 and Lemma 13: sums of permuted signs that end within a client's local steps."""

from __future__ import annotations

from fltheory.papers.sfl.notation import M, n
from fltheory.papers.sfl.signs.proofs.permuted import HALF, INSIDE, LEFT, ROUND, WITHIN, S, a, bound, k, m, part, tau
from fltheory.proof import Given, by, eq, le, line, proof, statement_of
from fltheory.proof.terms import E, RandomNonnegative, family

above, below, tie = (family(RandomNonnegative, name) for name in ("above", "below", "tie"))
SUM = Given("sum", eq(S(n + 1), S(n) + tau(n + 1), ROUND), "one more sign")
START = Given("start", eq(S(0), 0), "no signs yet")
UNIT = Given("unit", eq(tau(n + 1) ** 2, 1, ROUND), "a sign is 1 or -1")
NEXT = Given("next", eq(E(tau(n + 1) * S(n)), -E(S(n) ** 2) / LEFT, ROUND),
    "the signs that are left sum to -S(n), and each of them is as likely to be next")
SIZE = Given("size", eq(part(m, k) ** 2, (S(m - 1) + a * tau(m)) ** 2), "part(m, k) = |S(m-1) + a tau(m)|, a = k/K")
_X, _F = E(part(m, k)), E(S(m - 1) ** 2)
_MOST, _IF = statement_of(bound("L12-upper@printed", "upper"), _X)
UPPER = (
    proof("sfl/L12-upper", "Lemma 12", of="sfl/L12-upper@printed", bound=bound("L12-upper@printed", "upper"),
        unused=("c1",))
    .under(*_IF, INSIDE, SUM, START, UNIT, NEXT, SIZE)
    .step("square 0", eq(S(0) ** 2, 0), by.linear("start"))
    .step("mean 0", by.expectation("square 0"))
    .step("base", le(E(S(0) ** 2), 0), by.linear("mean 0"))
    .step("square", eq(S(n + 1) ** 2, S(n) ** 2 + 2 * tau(n + 1) * S(n) + 1, ROUND), by.linear("sum", "unit"))
    .step("mean", by.expectation("square"))
    .step("some", le(0, E(S(n) ** 2), ROUND), by.linear())
    .step("drift", le(0, E(S(n) ** 2) / LEFT, ROUND), by.linear("some"))
    .step("step", le(E(S(n + 1) ** 2), n + 1, ROUND), by.linear("mean", "next", "drift"), assuming=le(E(S(n) ** 2), n),
        note="E tau_i tau_j = -1/(M - 1) < 0")
    .step("spread", le(E(S(n) ** 2), n, WITHIN), by.induction(n, "base", "step"))
    .step("place", le(1, m), by.polynomial())
    .step("spread m", by.instance({n: m - 1}, "spread", "place", "inside"))
    .step("unit m", by.instance({n: m - 1}, "unit", "place", "inside"))
    .step("next m", by.instance({n: m - 1}, "next", "place", "inside"))
    .step("drift m", by.instance({n: m - 1}, "drift", "place", "inside"))
    .step("part", eq(part(m, k) ** 2, S(m - 1) ** 2 + 2 * a * tau(m) * S(m - 1) + a**2), by.linear("size", "unit m"))
    .step("part mean", by.expectation("part"))
    .step("centred", le(0, (part(m, k) - _X) ** 2), by.polynomial())
    .step("variance", by.expectation("centred"))
    .step("Jensen", le(_X**2, m - 1 + a**2),
        by.linear({"variance": 1, "part mean": 1, "next m": 2 * a, "drift m": 2 * a, "spread m": 1}))
    .step("zero", le(0, _X**2), by.linear())
    .qed(_MOST, by.power(HALF, "zero", "Jensen"), name="upper")
)

_WITHIN, _IF_WITHIN = statement_of(bound("L12@printed", "upper"), _X)
WITHIN_HALF = (
    proof("sfl/L12-most", "Lemma 12", of="sfl/L12@printed", bound=bound("L12@printed", "upper"))
    .under(*_IF_WITHIN, SUM, START, UNIT, NEXT, SIZE)
    .step("inside", le(m, M), by.linear("c1", "c2"))
    .qed(_WITHIN, by.apply(UPPER))
)

# Lemma 13 ---------------------------------------------------------------------------------------------------------

_P, _Q = E(above(m, k)), E(below(m, k))
MIRROR = Given("mirror", eq(_P, _Q), "to change all signs changes no chance: there are as many pluses as minuses")
ONE_OF = Given("one of three", eq(above(m, k) + below(m, k) + tie(m, k), 1), "A > 0, A < 0 or A = 0")
NO_TIE = Given("no tie", eq(tie(m, k), 0), "S(m - 1) is an integer, and 0 < a < 1 as 1 <= k < K")
_HALF, _LATER = statement_of(bound("L13-half@explicit", "equal"), _P)
_UP, _UP_IF = statement_of(bound("L13@printed", "upper"), _P)
_ONE = line("one", eq(E(above(m, k) + below(m, k) + tie(m, k)), 1), by.expectation("one of three"))
EXACT = (
    proof("sfl/L13-half", "Lemma 13", of="sfl/L13-half@explicit", bound=bound("L13-half@explicit", "equal"),
        unused=("c1", "c2"))
    .under(*_LATER, MIRROR, ONE_OF, NO_TIE)
    .steps(_ONE)
    .step("tie mean", by.expectation("no tie"))
    .qed(_HALF, by.linear("one", "mirror", "tie mean"), name="half")
)
AT_MOST = (
    proof("sfl/L13-most", "Lemma 13", of="sfl/L13@printed", bound=bound("L13@printed", "upper"), unused=("c1",))
    .under(*_UP_IF, MIRROR, ONE_OF)
    .steps(_ONE)
    .qed(_UP, by.linear("one", "mirror"), name="half")
)

THEOREMS = (UPPER, WITHIN_HALF, EXACT, AT_MOST)
