"""FedNova's weights with two clients: comparison of 1 minus the product of 1 - x_k with the sum of the x_k."""

from __future__ import annotations

from sympy import Integer, Symbol

from fltheory.papers.delta_sgd.convex.proofs.quotients import RULES
from fltheory.papers.delta_sgd.notation import K, L
from fltheory.papers.delta_sgd.rule.proofs.ends import of_claim
from fltheory.papers.delta_sgd.rule.proofs.step_order import CAPPED, LATER, LONGER, RUN, UNITS, a, b, k, low
from fltheory.proof import Given, by, eq, le, lt, proof
from fltheory.proof.papers.quotients import below, factor, top
from fltheory.proof.terms import Nonnegative, Scalar, Vector, family, square

STEPS, SO_FAR = (k, 0, K - 1), (k, 0, K)
x, y = family(Nonnegative, "x"), family(Nonnegative, "y")
r, s, X, Y = (family(Scalar, name) for name in "rsXY")
FLAT = (
    Given("none r", eq(r(0), 1), "the empty product"),
    Given("r", eq(r(k + 1), r(k) * (1 - x(k)), STEPS),
        "what is left of the distance of the flatter client, factor by factor"),
    Given("none X", eq(X(0), 0), "the empty sum"),
    Given("X", eq(X(k + 1), X(k) + x(k), STEPS), "the sum of its steps times its curvature"),
)
STEEP = (
    Given("none s", eq(s(0), 1), "the empty product"),
    Given("s", eq(s(k + 1), s(k) * (1 - y(k)), STEPS), "the same of the steeper client"),
    Given("none Y", eq(Y(0), 0), "the empty sum"),
    Given("Y", eq(Y(k + 1), Y(k) + y(k), STEPS), "and its sum"),
)
ORDER = Given("order", le(x(k), y(k), STEPS), "the steeper client's factors are not larger")
ONE = Given("one", le(y(k), 1, STEPS), "and not negative")


def led(name, note, claim, given, base, step, *, signs=(), before=()):
    """Prove a claim by induction over the steps; the claim at k + 1 is a sum of the lines used."""
    chain = proof(f"delta_sgd/FN-{name}", "Algorithm 1", note=note).under(*given)
    for line in before:
        chain = chain.step(*line)
    start, now, then = (claim(value) for value in (Integer(0), k, k + 1))
    return (
        chain.step("base", start, by.linear(base))
        .step("go on", type(then)(then.left, then.op, then.right, (STEPS,)), by.linear(step, *signs), assuming=now)
        .qed(type(now)(now.left, now.op, now.right, (SO_FAR,)), by.induction(k, "base", "go on"))
    )


UP = led("sum", "no sum is negative", lambda n: le(0, Y(n)), STEEP[2:], {"none Y": -1}, {"assumed 1": 1, "Y": -1})
LEFT = led("left", "no product is negative", lambda n: le(0, s(n)), (*STEEP[:2], ONE), {"none s": -1},
    {"assumed 1": 1 - y(k), "s": -1}, signs=("one",))
ONE_X = ("one x", le(x(k), 1, STEPS), by.linear("order", "one"))
LEFT_S = ("left", le(0, s(k), SO_FAR), by.apply(LEFT))
SUM_Y = ("sum y", le(0, Y(k), SO_FAR), by.apply(UP))
BELOW = led("below", "the steeper client leaves less", lambda n: le(s(n), r(n)), (*FLAT[:2], *STEEP[:2], ORDER, ONE),
    {"none s": 1, "none r": -1}, {"assumed 1": 1 - x(k), "s": 1, "r": -1, "order": s(k)}, signs=("left", "one x"),
    before=(ONE_X, LEFT_S))
ALL = (*FLAT, *STEEP, ORDER, ONE)
IN_ORDER = ("below", le(s(k), r(k), SO_FAR), by.apply(BELOW))
MORE = led("more", "1 - r is at least r times the sum", lambda n: le(s(n) * Y(n), 1 - s(n)), (*STEEP, ONE),
    {"none s": 1, "none Y": s(0)},
    {"assumed 1": 1, "s": (1 + Y(k + 1)), "Y": s(k) * (1 - y(k)), "sum y": s(k) * y(k), "square": s(k)},
    signs=("left",), before=(LEFT_S, SUM_Y, ("square", le(0, y(k) ** 2, STEPS), by.linear())))
_A = lambda n: le(r(n) * (1 - Y(n)), s(n) * (1 - X(n)))  # noqa: E731
RATIOS = led(
    "ratios",
    "what the product leaves over what the sum does",
    _A,
    ALL,
    {"none r": 1 - Y(0), "none Y": -1, "none s": -(1 - X(0)), "none X": 1},
    {
        "assumed 1": 1 - y(k),
        "r": 1 - Y(k + 1),
        "Y": -r(k) * (1 - x(k)),
        "s": -(1 - X(k + 1)),
        "X": s(k) * (1 - y(k)),
        "below": (1 - y(k)) * x(k),
        "order": r(k) * Y(k),
    },
    signs=("one", "left r", "sum y"),
    before=(ONE_X, ("left r", le(0, r(k), SO_FAR), by.apply(LEFT, {s(k): r(k), y(k): x(k)})), SUM_Y, IN_ORDER),
)
GAIN = led(
    "gain",
    "the flatter client loses less of the sum of its steps",
    lambda n: le((1 - s(n)) * X(n), (1 - r(n)) * Y(n)),
    ALL,
    {"none s": -X(0), "none r": Y(0)},
    {
        "assumed 1": 1,
        "more": y(k) - x(k),
        "long": y(k) - x(k),
        "below": x(k) * y(k),
        "ratios": x(k),
        "r": Y(k + 1),
        "s": -X(k + 1),
        "Y": -(1 - r(k) * (1 - x(k))),
        "X": 1 - s(k) * (1 - y(k)),
    },
    signs=("order", "sum x"),
    before=(
        ONE_X,
        ("sum x", le(0, X(k), SO_FAR), by.apply(UP, {Y(k): X(k), y(k): x(k)})),
        IN_ORDER,
        ("long", le(s(k) * X(k), r(k) * X(k), SO_FAR), by.linear("below", "sum x")),
        ("more", le(r(k) * X(k), 1 - r(k), SO_FAR), by.apply(MORE, {s(k): r(k), Y(k): X(k), y(k): x(k)})),
        ("ratios", le(r(k) * (1 - Y(k)), s(k) * (1 - X(k)), SO_FAR), by.apply(RATIOS)),
    ),
)

# The limit for two clients --------------------------------------------------------------------------------------------

q1, q2, S1, S2 = (Symbol(name, positive=True) for name in ("q_1", "q_2", "S_1", "S_2"))
c1, c2, plain, mended, best = (family(Vector, name)() for name in ("c_1", "c_2", "x_inf", "x_nova", "x_star"))
_WAY = c1 - c2
_TOP, _BOTTOM = q1 * L - q2 * low, (q1 + q2) * (low + L)
_TOP_N, _BOTTOM_N = q1 * S2 * L - q2 * S1 * low, (q1 * S2 + q2 * S1) * (low + L)
ALPHA, BETA = _TOP / _BOTTOM, _TOP_N / _BOTTOM_N
ENDS = (
    Given("plain", eq(q1 * (c1 - plain) + q2 * (c2 - plain), 0 * best), "the centres weighted by q_i = 1 - r_i"),
    Given("mended", eq(q1 / S1 * (c1 - mended) + q2 / S2 * (c2 - mended), 0 * best),
        "and by q_i over the sum of the client's steps"),
    Given("best", eq(low * (c1 - best) + L * (c2 - best), 0 * best), "x* is where the gradients add up to 0"),
)
BIAS = (
    proof("delta_sgd/FN-bias", "Algorithm 1",
        note="two clients: FedNova's weights lie between the pulls and the right ones")
    .under(*ENDS)
    .given("gain", le(q2 * low * S1, q1 * L * S2), "the flatter client loses less of the sum of its steps")
    .given("longer", le(S2, S1), "and its steps are longer")
    .step("minimiser", eq(best, (low * c1 + L * c2) / (low + L)), by.linear({"best": -1 / (low + L)}))
    .step("p", eq(plain, (q1 * c1 + q2 * c2) / (q1 + q2)), by.linear({"plain": -1 / (q1 + q2)}))
    .step("n", eq(mended, (q1 * S2 * c1 + q2 * S1 * c2) / (q1 * S2 + q2 * S1)),
        by.linear({"mended": -S1 * S2 / (q1 * S2 + q2 * S1)}))
    .step("off p", eq(plain - best, ALPHA * _WAY), by.linear({"p": 1, "minimiser": -1}))
    .step("off n", eq(mended - best, BETA * _WAY), by.linear({"n": 1, "minimiser": -1}))
    .step("beta", le(0, BETA), by.linear("gain"))
    .step("less", le(BETA, ALPHA), by.linear("longer"))
    .step("alpha", le(0, ALPHA), by.linear("beta", "less"))
    .step("once", le(BETA**2, ALPHA * BETA), by.linear({"less": BETA}, "beta"))
    .step("twice", le(ALPHA * BETA, ALPHA**2), by.linear({"less": ALPHA}, "alpha"))
    .step("squares", le(BETA**2, ALPHA**2), by.linear("once", "twice"))
    .step("way", le(0, square(_WAY)), by.sos())
    .step("p2", eq(square(plain - best), ALPHA**2 * square(_WAY)), by.linear({"off p": plain - best + ALPHA * _WAY}))
    .step("n2", eq(square(mended - best), BETA**2 * square(_WAY)), by.linear({"off n": mended - best + BETA * _WAY}))
    .qed(le(square(mended - best), square(plain - best)), by.linear("n2", "squares", "p2", "way"))
)
# The claim ---------------------------------------------------------------------------------

A, B = family(Scalar, "A"), family(Scalar, "B")
SUMS = led("sums", "longer steps have the larger sum", lambda n: le(B(n), A(n)),
    (Given("none A", eq(A(0), 0), "the empty sum"),
        Given("A", eq(A(k + 1), A(k) + a(k), STEPS), "the sum of the flatter client's steps"),
        Given("none B", eq(B(0), 0), "the empty sum"),
        Given("B", eq(B(k + 1), B(k) + b(k), STEPS), "and of the steeper one's"),
        Given("longer", le(b(k), a(k), STEPS), "the flatter client's steps are not shorter")),
    {"none B": 1, "none A": -1}, {"assumed 1": 1, "B": 1, "A": -1, "longer": 1})
READ = {x(k): low * a(k), y(k): L * b(k), X(k): low * A(k), Y(k): L * B(k)}
_AT_K = {q1: 1 - r(K), q2: 1 - s(K), S1: A(K), S2: B(K)}
_CLAIM, _SAYS, _CONDITIONS = of_claim("FP-fednova@corrected", square(mended - best) / square(plain - best),
    "the steps of the two clients are in order, before and after the first entries decide")
CLAIM = (
    _CLAIM.under(*_CONDITIONS, *SUMS.hypotheses[:4])
    .given("none r", eq(r(0), 1), "the empty product")
    .given("r", eq(r(k + 1), r(k) * (1 - low * a(k)), STEPS), "the flatter client, of the curvature l: r_1")
    .given("none s", eq(s(0), 1), "the empty product")
    .given("s", eq(s(k + 1), s(k) * (1 - L * b(k)), STEPS), "the steeper one, of the curvature L: r_2")
    .under(*RUN)
    .under(*(Given(h.id, h.relation.at(_AT_K), h.why) for h in ENDS))
    .given("steps", lt(0, A(K)), "steps are positive")
    .given("steps too", lt(0, B(K)), "of both clients")
    .given("pull", lt(0, 1 - r(K)), "they lead towards the centre")
    .given("pull too", lt(0, 1 - s(K)), "of both clients")
    .given("bias", lt(0, square(plain - best)), "there is a bias")
    .step("longer", by.apply(LONGER))
    .step("order", by.apply(UNITS))
    .step("later", by.apply(CAPPED))
    .step("one 0", le(L * b(0), 1), by.linear("first b", "c1"))
    .step("one next", le(L * b(k + 1), 1, LATER), by.linear("later", "c2"))
    .step("one again", le(L * b(k + 1), 1, LATER), by.linear("one next"), assuming=le(L * b(k), 1))
    .step("one", le(L * b(k), 1, STEPS), by.induction(k, "one 0", "one again"))
    .step("none X", eq(low * A(0), 0), by.linear("none A"))
    .step("X", eq(low * A(k + 1), low * A(k) + low * a(k), STEPS), by.linear("A"))
    .step("none Y", eq(L * B(0), 0), by.linear("none B"))
    .step("Y", eq(L * B(k + 1), L * B(k) + L * b(k), STEPS), by.linear("B"))
    .step("gains", by.apply(GAIN, READ))
    .step("gain", by.instance({k: K}, "gains"))
    .step("sums", by.apply(SUMS))
    .step("sum", by.instance({k: K}, "sums"))
    .step(
        "closer", by.apply(BIAS, _AT_K, *(h.id for h in ENDS), "gain", "sum", "steps", "steps too", "pull", "pull too")
    )
    .qed(
        _SAYS,
        by.apply(
            RULES.upper.id,
            {top: square(mended - best), below: square(plain - best), factor: Integer(1)},
            "closer",
            "bias",
        ),
    )
)
THEOREMS = (UP, LEFT, BELOW, MORE, RATIOS, GAIN, BIAS, SUMS, CLAIM)
