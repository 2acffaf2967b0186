"""Lemma 4.1: the Lipschitz constants are the steepest slopes over responses in [C1, C2], decisions and unit steps.

The loss -log(1 + <p, r>) changes along a step h, whose entries add up to 0, at the rate <r, h>/(1 + <p, r>).
"""

from __future__ import annotations

from typing import Any

from sympy import Abs, Expr, Symbol

from fltheory.papers.aaggff.losses.proofs.facts import AVERAGE_LOW, EACH, i, j, w, whole
from fltheory.papers.aaggff.notation import C1, C2, K
from fltheory.proof import Given, Theorem, by, eq, le, line, proof, statement_of
from fltheory.proof.facts.notation import u
from fltheory.proof.terms import Nonnegative, Scalar, Total, family
from fltheory.verification import find

r, h, p, other = family(Scalar, "r"), family(Scalar, "h"), family(Nonnegative, "p"), family(Scalar, "s")
lip, n = Symbol("lipschitz", nonnegative=True), Symbol("n", integer=True, positive=True)
_size = whole(Abs(h(j)))
_grown = 1 + whole(p(j) * r(j))
ATTAINED = (
    Given("attained", eq(lip * _grown, whole(r(j) * h(j))),
        "it is the slope at some response and decision, along some step"),
    Given("low", le(C1, r(i), EACH), "responses are in [C1, C2]"),
    Given("high", le(r(i), C2, EACH), "and not above"),
    Given("sum p", eq(whole(p(j)), 1), "a decision"),
    Given("sum h", eq(whole(h(j)), 0), "a step from one decision to another"),
)
_middle = (C1 + C2) / 2
HOELDER = (
    proof("aaggff/steepest-slope", "Lemma 4.1", note="no slope is larger than the half-span of the range allows")
    .under(*ATTAINED)
    .step("up", by.fact("abs", h(i)), over=EACH)
    .step("down", by.fact("abs", -h(i)), over=EACH)
    .step("each", le((r(i) - _middle) * h(i), (C2 - C1) / 2 * Abs(h(i)), EACH), by.linear("up", "down", "low", "high"))
    .step("all", le(whole((r(j) - _middle) * h(j)), (C2 - C1) / 2 * _size), by.sum_over(i, "each"))
    .step("mean", by.apply(AVERAGE_LOW, {w(j): p(j), u(i): r(i)}))
    .step("more", le(lip * (1 + C1), lip * _grown), by.linear("mean"))
    .qed(le(lip, (C2 - C1) / (2 * (1 + C1)) * _size), by.linear("more", "attained", "all", "sum h"))
)
IDS = (*(a.id for a in ATTAINED),)


def begin(claim: str, name: str, reading: dict[Any, Any], used: tuple[str, ...]) -> tuple[Any, Any]:
    """Begin a proof of a claim's bound on the steepest slope."""
    bound = find(f"aaggff/{claim}").bound
    said, conditions = statement_of(bound, lip, reading)
    idle = tuple(one.id for one in conditions if one.id not in used)
    chain = proof(f"aaggff/{claim}{name}", of=f"aaggff/{claim}", bound=bound, reading=reading, unused=idle)
    return chain.under(*conditions), said


_CHAIN, _STATED = begin("4.1-half@strengthened", "", {}, ())
HALF = (
    _CHAIN.under(*ATTAINED)
    .given("length", eq(_size, 1), "of length 1 in the sum norm")
    .given("some high", eq(other(1), C2), "another response is C2 at one client")
    .given("some low", eq(other(2), C1), "and C1 at a second one, who has all weight")
    .given(
        "largest",
        le((other(1) - other(2)) / 2, lip * (1 + other(2))),
        "no slope is steeper, nor that along half a step from the second client to the first",
    )
    .step("known", by.apply(HOELDER))
    .step("most", le(lip, (C2 - C1) / (2 * (1 + C1))), by.linear("known", "length"))
    .step("least", le((C2 - C1) / (2 * (1 + C1)), lip), by.linear("largest", "some high", "some low"))
    .qed(_STATED, by.antisymmetry("most", "least"))
)

# In the sup norm: half of the clients gain what the other half loses; an odd number leaves one client ---------

below, above = family(Nonnegative, "lower"), family(Nonnegative, "upper")
middle, first = Symbol("middle", real=True), Total(other(j), j, 1, n)
SHORT = (
    Given("ahead", le(h(i), 1, EACH), "a step of length 1 in the sup norm"),
    Given("behind", le(-1, h(i), EACH), "and not below -1"),
)
MEDIAN = (
    Given("part", le(below(i), 1, EACH), "1 for the n clients that move least, else 0"),
    Given("part too", le(above(i), 1, EACH), "1 for the n that move most, else 0"),
    Given("count", le(whole(below(j)), n), "n of the 2 n + 1 clients"),
    Given("count too", le(whole(above(j)), n), "n others"),
    Given("others", le(0, (1 - below(i)) * (h(i) - middle), EACH),
        "the other clients do not move less than the median"),
    Given("others too", le(0, (1 - above(i)) * (middle - h(i)), EACH), "and those not more"),
)


def side(sign: int, share: Any, names: tuple[str, str, str, str], word: str) -> tuple[Any, ...]:
    """Return the sum of absolute values if the median is nonnegative (``sign`` 1) or nonpositive (-1)."""
    part, count, others, near = names
    case = (le(0, sign * middle),)
    limit = sign * h(i) + 2 * share(i)
    return (
        line(f"{word} 1", le(0, sign * (1 - share(i)) * h(i), EACH),
            by.linear({others: 1, "assumed 1": 1 - share(i)}, part), assuming=case),
        line(f"{word} 2", le(-sign * h(i), limit, EACH), by.linear(f"{word} 1", near), assuming=case),
        line(f"{word} 3", le(sign * h(i), limit, EACH), by.linear()),
        line(f"{word} 4", le(Abs(h(i)), limit, EACH), by.absolute(f"{word} 2", f"{word} 3"), assuming=case),
        line(f"{word} 5", le(_size, sign * whole(h(j)) + 2 * whole(share(j))), by.sum_over(i, f"{word} 4"),
            assuming=case),
        line(f"{word} 6", le(_size, 2 * n), by.linear(f"{word} 5", count, "sum h"), assuming=case),
    )


ODD = (
    proof("aaggff/steepest-odd", "Lemma 4.1", note="the entries of a step add up to 0, so that half of them give all")
    .under(*SHORT, *MEDIAN, ATTAINED[-1])
    .steps(*side(1, below, ("part", "count", "others", "behind"), "up"),
        *side(-1, above, ("part too", "count too", "others too", "ahead"), "down"))
    .qed(le(_size, 2 * n), by.cases("up 6", "down 6"))
)


def reached(clients: Expr) -> tuple[tuple[Given, ...], Any]:
    """Bound the slope below where n clients have C2 and gain, and n others have C1 and lose."""
    hypotheses = (
        Given("some high", eq(other(i), C2, (i, 1, n)), "another response is C2 at n clients"),
        Given("some low", eq(other(i), C1, (i, n + 1, clients)),
            "and C1 at the others, of whom the last has all weight"),
        Given("largest", le(first - Total(other(j), j, n + 1, 2 * n), lip * (1 + other(clients))),
            "no slope is steeper, nor that along the step 1 at the first n clients and -1 at n others"),
    )
    steps = (
        line("highs", eq(first, n * C2), by.sum_over(i, "some high")),
        line("near", eq(other(i), C1, (i, n + 1, 2 * n)), by.instance({i: i}, "some low")),
        line("lows", eq(Total(other(j), j, n + 1, 2 * n), n * C1), by.sum_over(i, "near")),
        line("last", eq(other(clients), C1), by.instance({i: clients}, "some low")),
        line("least", le(n * (C2 - C1) / (1 + C1), lip), by.linear("largest", "highs", "lows", "last")),
    )
    return hypotheses, steps


def beyond(clients: Expr, word: str) -> Theorem:
    """Prove that the printed constant is exceeded if the threshold is."""
    chain, said = begin("4.1-threshold@strengthened", f"-{word}", {K: clients}, ("c3",))
    hypotheses, steps = reached(clients)
    return chain.under(*hypotheses).steps(*steps).qed(said, by.linear("least", "c3"))


def exact(clients: Expr, word: str, more: tuple[Given, ...], size: Any) -> Theorem:
    """Prove the steepest slope in the sup norm."""
    at = {K: clients}
    chain, said = begin("4.1@strengthened", f"-{word}", at, ("c1",))
    hypotheses, steps = reached(clients)
    setting = tuple(Given(one.id, one.relation.at(at), one.why) for one in (*ATTAINED, *SHORT, *more))
    total = _size.subs(K, clients)
    return (
        chain.under(*setting, *hypotheses)
        .steps(*size(total), *steps)
        .step("known", by.apply(HOELDER, at))
        .step("most", le(lip, n * (C2 - C1) / (1 + C1)), by.linear("known", "size", "c1"))
        .qed(said, by.antisymmetry("most", "least"))
    )


def of_even(total: Expr) -> tuple[Any, ...]:
    """Prove that each entry of a step is at most 1 in absolute value."""
    every = (i, 1, 2 * n)
    return (
        line("minus", le(-h(i), 1, every), by.linear("behind")),
        line("entry", le(Abs(h(i)), 1, every), by.absolute("ahead", "minus")),
        line("size", le(total, 2 * n), by.sum_over(i, "entry")),
    )


def of_odd(total: Expr) -> tuple[Any, ...]:
    """Prove the bound with one client left over."""
    names = (*(one.id for one in (*SHORT, *MEDIAN)), "sum h")
    return (line("size", le(total, 2 * n), by.apply(ODD, {K: 2 * n + 1}, *names)),)


THEOREMS = (
    HOELDER,
    HALF,
    ODD,
    beyond(2 * n, "even"),
    beyond(2 * n + 1, "odd"),
    exact(2 * n, "even", (), of_even),
    exact(2 * n + 1, "odd", MEDIAN, of_odd),
)
