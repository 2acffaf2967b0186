"""(21), (25), (29), (30) as their claims state them: the steps are given, independent of the draws."""

from __future__ import annotations

from sympy import Expr, Integer, Rational, Symbol

from fltheory.papers.delta_sgd.bounds import PSI_2
from fltheory.papers.delta_sgd.convex.proofs.quotients import RULES
from fltheory.papers.delta_sgd.displays.proofs import displays
from fltheory.papers.delta_sgd.displays.proofs.displays import DISPERSION, SUM, Q
from fltheory.papers.delta_sgd.displays.proofs.displays import D as total
from fltheory.papers.delta_sgd.displays.proofs.displays import eta as given
from fltheory.papers.delta_sgd.nonconvex.proofs.drift import CLIENTS, JENSEN, LOCAL, i, k, l, n, part
from fltheory.papers.delta_sgd.notation import G, K, L, T, a, b, gap, h, m, rho, sigma
from fltheory.papers.delta_sgd.smoothness.proofs.facts import level, mean, rise
from fltheory.proof import Axiom, Given, Member, by, eq, le, line, lt, proof, statement_of
from fltheory.proof.papers.quotients import below, factor, quotient_theorem, top
from fltheory.proof.terms import Dot, E, Fun, Grad, Positive, RandomVector, Scalar, Total, Val, Vector, family, square
from fltheory.verification import find

PLACE = "proof of Theorem 1"
F, x = family(Fun, "f"), family(Vector, "x")()
y, xi = family(RandomVector, "y"), family(RandomVector, "xi")
HERE, OWN = Grad(F(i), x), Grad(F(i), y(i, k))
PUSH = OWN + xi(i, k)


def steps(term: Expr, count: Expr = K) -> Expr:
    """Return the sum over a client's local steps below ``count``."""
    return Total(term, k, 0, count - 1)


DRIFT, SQUARES = HERE - OWN, steps(given(i, k) ** 2)
CLASS = Member("class", F(i), L, None, "A2: every client's objective is smooth where it is visited")
WAY = Total(given(i, l) * PUSH.subs(k, l), l, 0, k - 1)
LOCAL_STEPS = Given("local", eq(y(i, k), x - WAY, CLIENTS, LOCAL), "line 8: the local steps so far")
BOUNDED = Given("bounded", le(square(OWN), G**2, CLIENTS, LOCAL), "A1b")
VARIANCE = Given("variance", le(E(square(xi(i, k))), sigma**2 / b, CLIENTS, LOCAL), "A1a, for a mini-batch")
UNBIASED = Given("unbiased", eq(E(Dot(OWN, xi(i, k))), 0, CLIENTS, LOCAL), "noise has mean 0 given the past")
RUN = (CLASS, LOCAL_STEPS, BOUNDED, VARIANCE, UNBIASED)
NAMES = tuple(one.id for one in RUN)
_FAR = square(y(i, k) - x)
_PUSHED = given(i, k) ** 2 * square(PUSH)
_BEFORE = Total(given(i, l) ** 2, l, 0, k - 1)
_SIZED = le(E(_PUSHED), given(i, k) ** 2 * PSI_2, CLIENTS, LOCAL)
_L_SIZED = le(_SIZED.left.subs(k, l), _SIZED.right.subs(k, l), CLIENTS, LOCAL, (l, 0, k - 1))
_DRIFTED = steps(E(square(given(i, k) * DRIFT)))
DRIFTED = (
    proof("delta_sgd/21-drift", "(21)", note="the drift of one client, steps given").under(*RUN)
    .step("length", le(square(PUSH), G**2 + 2 * Dot(OWN, xi(i, k)) + square(xi(i, k)), CLIENTS, LOCAL),
        by.linear("bounded"))
    .step("length mean", le(E(square(PUSH)), G**2 + 2 * E(Dot(OWN, xi(i, k))) + E(square(xi(i, k))), CLIENTS, LOCAL),
        by.expectation("length"))
    .step("size", _SIZED, by.linear("length mean", "unbiased", "variance"))
    .step("size l", by.instance({k: l}, "size"), over=(CLIENTS, (l, 0, K - 1)))
    .step("size before", _L_SIZED, by.linear("size l"))
    .step("sizes", le(Total(_L_SIZED.left, l, 0, k - 1), _BEFORE * PSI_2, CLIENTS, LOCAL),
        by.sum_over(l, "size before"))
    .step("moved", eq(_FAR, square(WAY), CLIENTS, LOCAL), by.linear(local=y(i, k) - x - WAY))
    .step("8", le(square(WAY), k * Total(_PUSHED.subs(k, l), l, 0, k - 1), CLIENTS, LOCAL),
        by.apply(JENSEN, {part(l): given(i, l) * PUSH.subs(k, l), n: k}))
    .step("far path", le(_FAR, k * Total(_PUSHED.subs(k, l), l, 0, k - 1), CLIENTS, LOCAL), by.linear("moved", "8"))
    .step("far mean", le(E(_FAR), k * Total(_L_SIZED.left, l, 0, k - 1), CLIENTS, LOCAL), by.expectation("far path"))
    .step("far", le(E(_FAR), k * _BEFORE * PSI_2, CLIENTS, LOCAL), by.linear("far mean", "sizes"))
    .step("turn path", le(square(DRIFT), L**2 * _FAR, CLIENTS, LOCAL),
        by.linear((1, Axiom("lipschitz", F(i), y(i, k), x)), "class"))
    .step("turn", le(E(square(DRIFT)), L**2 * E(_FAR), CLIENTS, LOCAL), by.expectation("turn path"))
    .step("each", le(E(square(given(i, k) * DRIFT)), L**2 * PSI_2 * (k * given(i, k) ** 2 * _BEFORE), CLIENTS, LOCAL),
        by.linear("turn", "far"))
    .step("all", le(_DRIFTED, L**2 * PSI_2 * steps(k * given(i, k) ** 2 * _BEFORE), CLIENTS), by.sum_over(k, "each"))
    .step("21", le(steps(k * given(i, k) ** 2 * _BEFORE), (K - 1) / Integer(2) * SQUARES**2, CLIENTS),
        by.apply(displays.TWENTY_ONE, {displays.size(l): given(i, l) ** 2}))
    .qed(le(_DRIFTED, L**2 * PSI_2 * (K - 1) / 2 * SQUARES**2, CLIENTS), by.linear("all", "21"), name="drift")
)
FOURTH = mean(SQUARES**2)
A1 = E(square(mean(steps(given(i, k) * DRIFT)))) / total
A4 = 2 * L * mean(E(square(steps(given(i, k) * DRIFT))))
SPARE = (
    proof("delta_sgd/21-fourth", PLACE, note="a square")
    .step("1", le(0, SQUARES**2, CLIENTS), by.linear())
    .qed(le(0, FOURTH), by.sum_over(i, "1", weight=1 / m))
)


def a1(name: str, factor: Expr, spare: Expr):
    """Bound A_1 by the squares of the steps with this factor, which exceeds the proof's factor by ``spare``."""
    return (
        proof(f"delta_sgd/{name}", "(21)", note="A_1 by the squares of the steps").under(*RUN)
        .step("20", by.apply(displays.LEVELS, {displays.v(i, k): given(i, k) * DRIFT}))
        .step("20 mean", le(E(square(mean(steps(given(i, k) * DRIFT)))), K * mean(_DRIFTED)), by.expectation("20"))
        .step("drift", by.apply(DRIFTED))
        .step("drifts", le(mean(_DRIFTED), L**2 * PSI_2 * (K - 1) / 2 * FOURTH), by.sum_over(i, "drift", weight=1 / m))
        .step("0", by.apply(SPARE))
        .qed(le(A1, factor * (FOURTH / total)),
            by.linear({"20 mean": 1 / total, "drifts": K / total, "0": spare / total}))
    )


def a4(name: str, factor: Expr, spare: Expr):
    """Bound A_4 in the same way."""
    return (
        proof(f"delta_sgd/{name}", "(25)", note="A_4 by the squares of the steps").under(*RUN)
        .step("8", by.apply(JENSEN, {part(k): given(i, k) * DRIFT, n: K}), over=CLIENTS)
        .step("8 mean", le(E(square(steps(given(i, k) * DRIFT))), K * _DRIFTED, CLIENTS), by.expectation("8"))
        .step("drift", by.apply(DRIFTED))
        .step("each", le(E(square(steps(given(i, k) * DRIFT))), L**2 * PSI_2 * K * (K - 1) / 2 * SQUARES**2, CLIENTS),
            by.linear("8 mean", "drift"))
        .step("all", le(mean(E(square(steps(given(i, k) * DRIFT)))), L**2 * PSI_2 * K * (K - 1) / 2 * FOURTH),
            by.sum_over(i, "each", weight=1 / m))
        .step("0", by.apply(SPARE))
        .qed(le(A4, factor * FOURTH), by.linear({"all": 2 * L, "0": spare}))
    )


_LEAST_1, _LEAST_4 = K * (K - 1) * L**2 * PSI_2 / 2, K * (K - 1) * L**3 * PSI_2
F1, F1_SHARP = 2 * K**2 * L**2 * PSI_2, K * (K - 1) * L**2 * PSI_2
F4, F4_SHARP = 4 * K**2 * L**3 * PSI_2, 2 * K * (K - 1) * L**3 * PSI_2
A1_PRINTED = a1("21-printed", F1, K * (3 * K + 1) / 2 * L**2 * PSI_2)
A1_SHARP = a1("21-sharp", F1_SHARP, _LEAST_1)
A4_PRINTED = a4("25-printed", F4, K * (3 * K + 1) * L**3 * PSI_2)
A4_SHARP = a4("25-sharp", F4_SHARP, _LEAST_4)
NESTED = (
    proof("delta_sgd/21-loose", "(21)", note="with K for half of K - 1")
    .step("21", by.apply(displays.TWENTY_ONE))
    .qed(le(displays.TWENTY_ONE.statement.left, K * displays.squares(K) ** 2), by.linear("21"))
)

# (29) ---------------------------------------------------------------------------------------------------------------------


def said(name: str, quantity: Expr, note: str):
    """Begin a theorem on a claim's own bound, with its conditions; return its statement too."""
    bound = find(f"delta_sgd/{name}").bound
    line, conditions = statement_of(bound, quantity)
    return proof(f"delta_sgd/{name}", of=f"delta_sgd/{name}", bound=bound, note=note).under(*conditions), line


SPREAD = 2 * K * rho * Q / total**2
_chain, _line = said("29-dispersion@explicit", SPREAD, "R_t is how far the steps differ")
EXPLICIT = _chain.under(DISPERSION).qed(_line, by.linear("dispersion"))
_chain, _line = said("29-dispersion@strengthened", SPREAD, "it is at least what equal steps have")
LEAST = _chain.under(SUM, DISPERSION).step("R", by.apply(displays.SPREAD)).qed(_line, by.linear("R", "dispersion"))
size = family(Scalar, "b")
N = Symbol("N", integer=True, nonnegative=True)


def one_of_all(name: str, first: int):
    """Prove that the squares of nonnegative numbers add up to at most the square of their sum."""

    def parts(count: Expr, power: int) -> Expr:
        return Total(size(l) ** power, l, first, count + first - 1)

    line = le(parts(n, 2), parts(n, 1) ** 2, (n, 0, N))
    return (
        proof(f"delta_sgd/{name}", "(29)", note="squares against the square of the sum")
        .given("signs", le(0, size(l), (l, first, N + first - 1)), "they are not negative")
        .step("0", le(parts(Integer(0), 2), parts(Integer(0), 1) ** 2), by.linear())
        .step("sign", le(0, size(l), (n, 0, N - 1), (l, first, n + first - 1)), by.linear("signs"))
        .step("so far", by.sum_over(l, "sign"))
        .step("next", by.instance({l: n + first}, "signs"), over=(n, 0, N - 1))
        .step("1", le(parts(n + 1, 2), parts(n + 1, 1) ** 2, (n, 0, N - 1)), by.linear("so far", "next"),
            assuming=le(line.left, line.right))
        .step("2", line, by.induction(n, "0", "1"))
        .qed(le(parts(N, 2), parts(N, 1) ** 2), by.instance({n: N}, "2"))
    )


LOCALLY, OVER_ALL = one_of_all("29-steps", 0), one_of_all("29-clients", 1)
_C = steps(given(i, k))
_chain, _line = said("29-most@strengthened", SPREAD, "where one step is nearly all")
MOST = (
    _chain.under(SUM)
    .step("sign", le(0, given(i, l), CLIENTS, (l, 0, K - 1)), by.linear())
    .step("signs", le(0, steps(given(i, k)), CLIENTS), by.sum_over(l, "sign"))
    .step("own", le(SQUARES, _C**2, CLIENTS), by.apply("delta_sgd/29-steps", {size(l): given(i, l), N: K}, "sign"))
    .step("own all", by.sum_over(i, "own"))
    .step(
        "all",
        le(Total(_C**2, i, 1, m), Total(_C, i, 1, m) ** 2),
        by.apply("delta_sgd/29-clients", {size(i): _C, N: m}, "signs"),
    )
    .step("D", le(Q, m * total**2), by.linear("own all", "all", "sum"))
    .qed(_line, by.linear("D"))
)
squared = Symbol("Q", positive=True)
SQUARED = Given("squares", eq(squared, Q), "short for the mean over the clients of the sum of their squared steps")
TAKEN = 1 - 2 / total * (total / 2 - K * rho / total * squared - 2 * K * L * (1 + rho) * squared)
STEPS_WITHIN = (
    Given("least", le(h, given(i, k), CLIENTS, LOCAL), "h is the least step"),
    Given("most", le(given(i, k), a, CLIENTS, LOCAL), "a is the largest step"),
)
_chain, _line = said("29@corrected", TAKEN, "equal steps")
EVEN = (
    _chain.under(SUM, SQUARED, *STEPS_WITHIN)
    .step("below", le(a, given(i, k), CLIENTS, LOCAL), by.linear("least", "c3"))
    .step("equal", by.antisymmetry("most", "below"))
    .step("square", eq(given(i, k) ** 2, a**2, CLIENTS, LOCAL), by.linear("equal"))
    .step("sums", eq(displays.mean(given(i, k)), K * a), by.sum_over((k, i), "equal", weight=1 / m))
    .step("sums 2", eq(Q, K * a**2), by.sum_over((k, i), "square", weight=1 / m))
    .step("D", eq(total, K * a), by.linear("sum", "sums"))
    .step("Q", eq(squared, K * a**2), by.linear("squares", "sums 2"))
    .qed(_line, by.linear({"c1": Rational(11, 5), "c2": 4 * (1 + rho)}), inserting=("D", "Q"))
)
_chain, _line = said("29-negative@strengthened",
    1 - 2 / total * (total / 2 - K * rho / total * Q - 2 * K * L * (1 + rho) * Q), "steps that differ much")
NEGATIVE = (
    _chain.under(DISPERSION)
    .step("nothing", by.apply(displays.NOTHING, "c1", "dispersion"))
    .qed(_line, by.linear("nothing", "dispersion"))
)

# (30) ---------------------------------------------------------------------------------------------------------------------

t, at, own, sums = displays.n, family(Vector, "x"), family(Positive, "eta"), family(Positive, "D")
t = Symbol("t", integer=True, nonnegative=True)
ROUNDS = (t, 0, T - 1)
OBJECTIVE = mean(Val(F(i), at(t)))
LATER = mean(Val(F(i), at(t + 1)))
FALL = OBJECTIVE - LATER
lowest = Symbol("f_star", real=True)
OF_ROUNDS = (
    Given("sums", eq(sums(t), mean(steps(own(t, i, k))), ROUNDS),
        "D_t is the mean over the clients of the sum of their steps"),
    Given("least", le(h, own(t, i, k), ROUNDS, CLIENTS, LOCAL), "h is the least step"),
    Given("positive", lt(0, h), "steps are positive"),
    Given("gap", eq(gap, mean(Val(F(i), at(0))) - lowest), "f(x_0) - f*"),
    Given("lowest", le(lowest, mean(Val(F(i), at(T)))), "f* is the least value"),
)
DIVIDED = Total(FALL / sums(t), t, 0, T - 1)
_FALLEN = le(Total(FALL, t, 0, T - 1), gap)
FALLEN = (
    proof("delta_sgd/30-falls", "(30)", note="all that f falls").under(*OF_ROUNDS[3:])
    .step("one", le(LATER, OBJECTIVE - FALL, ROUNDS), by.linear())
    .step("all", le(mean(Val(F(i), at(T))), mean(Val(F(i), at(0))) + Total(-FALL, t, 0, T - 1)),
        by.apply("delta_sgd/telescope", {level(t): OBJECTIVE, rise(t): -FALL}, "one"))
    .qed(_FALLEN, by.linear("all", "lowest", "gap"))
)
_PARTS = {top: gap, below: h * K, factor: DIVIDED}
_LAST = (
    line("fallen", _FALLEN, by.apply(FALLEN, "gap", "lowest")),
    line("both", le(DIVIDED * (h * K), gap), by.linear("all", "fallen")),
    line("apart", lt(0, h * K), by.linear("positive")),
)
_chain, _line = said("30@corrected", DIVIDED, "f never rises")
MONOTONE = (
    _chain.under(*OF_ROUNDS)
    .given("falling", le(LATER, OBJECTIVE, ROUNDS), "f never rises")
    .step("floor", le(K * h, mean(steps(own(t, i, k))), ROUNDS), by.sum_over((k, i), "least", weight=1 / m))
    .step("D", le(K * h, sums(t), ROUNDS), by.linear("floor", "sums"))
    .step("each", le(h * K * (FALL / sums(t)), FALL, ROUNDS), by.linear("D", "falling"))
    .step("all", le(h * K * DIVIDED, Total(FALL, t, 0, T - 1)), by.sum_over(t, "each"))
    .steps(*_LAST)
    .qed(_line, by.apply("delta_sgd/quotient-least", _PARTS, "both", "apart"))
)
_chain, _line = said("30-equal@corrected", DIVIDED, "equal steps")
CONSTANT = (
    _chain.under(*OF_ROUNDS)
    .given("most", le(own(t, i, k), a, ROUNDS, CLIENTS, LOCAL), "a is the largest step")
    .step("above", le(own(t, i, k), h, ROUNDS, CLIENTS, LOCAL), by.linear("most", "c1"))
    .step("equal", by.antisymmetry("above", "least"))
    .step("floor", eq(mean(steps(own(t, i, k))), K * h, ROUNDS), by.sum_over((k, i), "equal", weight=1 / m))
    .step("D", eq(sums(t), K * h, ROUNDS), by.linear("sums", "floor"))
    .step("each", eq(h * K * (FALL / sums(t)), FALL, ROUNDS), by.linear("D"))
    .step("all", eq(h * K * DIVIDED, Total(FALL, t, 0, T - 1)), by.sum_over(t, "each"))
    .steps(*_LAST)
    .qed(_line, by.apply("delta_sgd/quotient-least", _PARTS, "both", "apart"))
)

THEOREMS = (
    DRIFTED,
    SPARE,
    A1_PRINTED,
    quotient_theorem(RULES, A1_PRINTED, "delta_sgd/21@printed", F1, apart=FOURTH),
    A1_SHARP,
    quotient_theorem(RULES, A1_SHARP, "delta_sgd/21@strengthened", F1_SHARP, apart=FOURTH),
    A4_PRINTED,
    quotient_theorem(RULES, A4_PRINTED, "delta_sgd/25@printed", F4),
    A4_SHARP,
    quotient_theorem(RULES, A4_SHARP, "delta_sgd/25@strengthened", F4_SHARP),
    NESTED,
    quotient_theorem(RULES, NESTED, "delta_sgd/21-sum@printed", K, apart=displays.squares(K)),
    EXPLICIT,
    LEAST,
    LOCALLY,
    OVER_ALL,
    MOST,
    EVEN,
    NEGATIVE,
    FALLEN,
    MONOTONE,
    CONSTANT,
)
