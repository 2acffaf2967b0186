"""Theorem 5.1 as printed in the paper's range and sizes: C1 = 0, C2 = 1/K and at most 100 rounds, for any responses.

Here alpha = 4 and beta = K/4, which exceeds the curvature b of the loss for K >= 4: each round may then cost another
(beta - b)/2 <h, q - p>^2 <= (beta - b)/(2 K^2). Either the last decision is far from the comparator, which gains in
follow-the-regularised-leader, or the decisions of the last eleven rounds are near it, because the steps are short.
"""

from __future__ import annotations

from sympy import Expr, Integer, Rational, Symbol, cancel, diff, expand, log, together

from fltheory.papers.aaggff.losses.proofs.facts import ROUNDS, SLOPE, P, a, b, s, t
from fltheory.papers.aaggff.newton.proofs import newton, theorem51
from fltheory.papers.aaggff.newton.proofs.newton import END, OPTIMAL, SOLVE, h, leader, most, p, q, rank, slope, v, x
from fltheory.papers.aaggff.notation import C1, C2, K, T, alpha, beta
from fltheory.proof import Given, Step, Theorem, by, eq, le, line, lt, proof, statement_of
from fltheory.proof.facts import squares, sums
from fltheory.proof.language import Relation
from fltheory.proof.terms import Dot, Total, square
from fltheory.verification import find

PLACE = "Theorem 5.1"
LAST = 11  # the number of last rounds that are treated separately
N, m = Symbol("N", integer=True, nonnegative=True), Symbol("m", positive=True)
count = newton.count
_COST = Dot(h(t), v(t)) / 2
_way = p(t + 1) - p(t)
NEXT = Given("next", le(0, slope(t + 1, p(t + 1), -_way), ROUNDS), "p^(t+1) minimises (7) after the round")

# The gain of the last decision, and the step length of a round --------------------------------------------------------

SQUARES = (
    proof("aaggff/squares-along", PLACE, note="what the rounds add to (7) is convex")
    .step("1", le(0, Dot(h(s), x) ** 2, (s, 1, count)), by.linear())
    .qed(le(0, Total(Dot(h(s), x) ** 2, s, 1, count)), by.sum_over(s, "1"))
)
_end = p(T + 1)
GAINED = (
    proof("aaggff/newton-end", PLACE,
        note="what is left out otherwise: the distance of the comparator from the last decision")
    .under(OPTIMAL, END, SOLVE)
    .step("round", by.apply(newton.ROUND))
    .step("back", le(-leader(t + 1, p(t + 1)), -leader(t, p(t)) + _COST - Dot(h(t), p(t)), ROUNDS), by.linear("round"))
    .step("all", le(-leader(T + 1, _end), -leader(1, p(1)) + Total(_COST - Dot(h(t), p(t)), t, 1, T)),
        by.apply("aaggff/telescope", {sums.d(t): -leader(t, p(t)), sums.s(t): _COST - Dot(h(t), p(t)), squares.N: T},
            "back"))
    .step("squares", by.apply(SQUARES, {x: q - _end, count: T}))
    .step("least", le(leader(T + 1, _end) + alpha / 2 * square(q - _end), leader(T + 1, q)),
        by.linear("end", "squares"))
    .qed(le(newton.GAIN, alpha / 2 * (square(q) - square(p(1)) - square(q - _end)) + Total(_COST, t, 1, T)),
        by.linear("all", "least"))
)
MOVED = (
    proof("aaggff/newton-move", PLACE, note="no step is longer than |h|/alpha").under(OPTIMAL, NEXT)
    .step("squares", by.apply(SQUARES, {x: _way, count: t}), over=ROUNDS)
    .step("between", le(alpha * square(_way), -Dot(h(t), _way), ROUNDS), by.linear("optimal", "next", "squares"),
        note="(7) is strongly convex")
    .step("square", le(0, square(h(t) + alpha * _way), ROUNDS),
        by.apply("aaggff/nonnegative", {x: h(t) + alpha * _way}))
    .qed(le(alpha**2 * square(_way), square(h(t)), ROUNDS), by.linear("square", "between"))
)
g = newton.u
CAUCHY = (
    proof("aaggff/along-square", PLACE, note="<g, x>^2 <= |g|^2 |x|^2, for a limit of |g|^2")
    .given("size", le(square(g), m), "no longer")
    .step("square", le(0, square(Dot(g, x) * g - m * x)), by.apply("aaggff/nonnegative", {x: Dot(g, x) * g - m * x}))
    .qed(le(Dot(g, x) ** 2, m * square(x)), by.linear("square", "size"))
)

# The last rounds, counted from the end: T = N + 11 --------------------------------------------------------------------

ALL = N + LAST
_LONG = (t, 1, ALL)
last = p(ALL + 1)


def ago(k: int) -> Expr:
    """Return the decision of the k-th round from the end; 0: the decision after the last round."""
    return p(ALL + 1 - k)


def near(name: str) -> Theorem:
    """Bound the distance of the last decisions from that after the last round by k steps."""
    chain = proof(name, PLACE, note="k steps of squared length m at most are no longer than k^2 m together").given(
        "steps", le(square(_way), m, _LONG), "no step is longer")
    for k in range(1, LAST + 1):
        new, old = last - ago(k), last - ago(k - 1)
        move = ago(k - 1) - ago(k)
        chain = chain.step(f"move {k}", by.instance({t: ALL + 1 - k}, "steps"))
        if k == 1:
            chain = chain.step("1", le(square(new), m), by.linear("move 1"))
            continue
        between = old - (k - 1) * move
        chain = chain.step(f"square {k}", le(0, square(between)), by.apply("aaggff/nonnegative", {x: between}))
        chain = chain.step(str(k), le(square(new), k**2 * m), by.linear(str(k - 1), f"move {k}", f"square {k}"))
    for k in range(1, LAST + 1):
        apart = 4 * (q - last) - (last - ago(k))
        chain = chain.step(f"apart {k}", le(0, square(apart)), by.apply("aaggff/nonnegative", {x: apart}))
        chain = chain.step(
            f"near {k}",
            le(square(q - ago(k)), 5 * square(q - last) + Rational(5, 4) * k**2 * m),
            by.linear(str(k), f"apart {k}"),
        )
    return chain.qed(
        le(
            sum((square(q - ago(k)) for k in range(1, LAST + 1)), Integer(0)),
            5 * LAST * square(q - last) + Rational(5, 4) * _TILES * m,
        ),
        by.linear(*(f"near {k}" for k in range(1, LAST + 1))),
    )


_TILES = sum(k * k for k in range(1, LAST + 1))
NEAR = near("aaggff/last-decisions")

# Logarithms -----------------------------------------------------------------------------------------------------------

w = Symbol("w", nonnegative=True)


def rising(name: str, gap: Expr, note: str) -> Theorem:
    """Prove 0 <= f(w) from f(0) = 0 and a nonnegative derivative."""
    return (
        proof(name, PLACE, note=note)
        .step("start", le(0, gap.xreplace({w: Integer(0)})), by.linear())
        .step("slope", le(0, together(diff(gap, w))), by.linear())
        .qed(le(0, gap), by.derivative(w, "start", "slope"), name="last")
    )


LOW = rising("aaggff/log-quotient-low", log(1 + w) - 2 * w / (2 + w), "log(1 + w) is at least 2 w/(2 + w)")
UP = rising("aaggff/log-cube", w - w**2 / 2 + w**3 / 3 - log(1 + w), "log(1 + w) is at most w - w^2/2 + w^3/3")

SPENDING = proof("aaggff/own-spent", PLACE, note="a logarithm by its tangent").qed(
    le(log(1 + T / (64 * rank)), T / (64 * rank)), by.apply(SLOPE, {a: 1 + T / (64 * rank), b: Integer(1)}))

REAL = proof("aaggff/own-nonnegative", PLACE, note="a square").qed(le(0, P**2), by.linear())

# With the paper's numbers: alpha = 4, beta = K/4, C1 = 0, C2 = 1/K -----------------------------------------------------

_STEP = {alpha: Integer(4), beta: K / 4}
_AT = {**_STEP, rank: K - 1, most: 1 / (4 * K)}
_RANGE = {C1: Integer(0), C2: 1 / K}
SPENT = 2 * (K - 1) / K * log(1 + T / (64 * (K - 1)))  # by the log-determinant
CURVED = 1 - 2 / (3 * K)  # of the loss, at least
MORE = (K / 4 - CURVED) / 2  # the cost of a round, times <h, q - p>^2
grown, other = theorem51.grown, theorem51.other
_u = Dot(h(t), q - p(t))
REGRET = theorem51.REGRET


def at(given: Given) -> Given:
    """Return a hypothesis at the paper's numbers."""
    return Given(given.id, given.relation.at(_AT), given.why)


PLAYED = tuple(at(one) for one in (OPTIMAL, END, SOLVE, *newton.EIGENVALUES))
SETTING = (
    theorem51.SLOPE,
    Given("grown", le(1, grown(t), ROUNDS), "1 + <p, r> of responses in [0, 1/K]"),
    Given("grown high", le(grown(t), 1 + 1 / K, ROUNDS), "1 + <p, r> of responses in [0, 1/K]"),
    Given("other low", le(1, other(t), ROUNDS), "1 + <q, r>, the same at the comparator"),
    Given("other", le(other(t), 1 + 1 / K, ROUNDS), "1 + <q, r>, the same at the comparator"),
    *PLAYED,
    at(NEXT),
    Given("size", le(square(h(t)), 1 / (4 * K), ROUNDS),
        "about its mean a gradient is shortest, and about the middle of its range no entry is beyond 1/(2K)"),
    theorem51.START,
    theorem51.INSIDE,
)
IDS = tuple(one.id for one in SETTING)
FOUR = Given("four", le(4, K), "four clients or more")
TWO = Given("two", le(2, K), "two clients or more")
ANY = (
    proof("aaggff/own-any", PLACE,
        note="beta = K/4 costs more where it is above the curvature, the last decision gains")
    .under(*(one for one in SETTING if one.id not in ("grown high", "other low", "next")), TWO)
    .step("log", by.apply(UP, {w: 1 / K}))
    .step("curve", le(CURVED, theorem51.bounds.BETA_STAR.xreplace(_RANGE)), by.linear("log"))
    .step("range", lt(0, 1 / K), by.linear())
    .step("curved",
        by.apply(theorem51.CURVED, {**_RANGE, beta: CURVED}, "slope", "grown", "other", "range", "curve", "two"))
    .step("gain", by.apply(GAINED, _STEP))
    .step("logs", by.apply(newton.LIMIT, _AT, *newton.EIGEN_IDS, "size", "two"))
    .qed(le(REGRET, 2 * (1 - 1 / K) - 2 * square(q - _end) + SPENT + MORE * Total(_u**2, t, 1, T)),
        by.linear("curved", "gain", "logs", "start", "inside", "two"))
)
SQUARE = (
    proof("aaggff/own-square", PLACE, note="no quotient of losses is further from 1 than 1/K").under(*SETTING[:5])
    .step("u", eq(_u, (grown(t) - other(t)) / grown(t), ROUNDS), by.linear("slope"))
    .step("high", le(_u, 1 / K, ROUNDS), by.linear("u", "grown", "grown high", "other low"))
    .step("low", le(-1 / K, _u, ROUNDS), by.linear("u", "grown", "other"))
    .qed(le(_u**2, 1 / K**2, ROUNDS), by.linear("high", "low"))
)
_SHORT = 2 * (1 - 1 / K) + SPENT
SIMPLE = (
    proof("aaggff/own-simple", PLACE, note="each round at its worst")
    .under(*(one for one in SETTING if one.id != "next"), FOUR)
    .step("two", le(2, K), by.linear("four"))
    .step("any", by.apply(ANY))
    .step("square", by.apply(SQUARE))
    .step("squares", le(Total(_u**2, t, 1, T), T / K**2), by.sum_over(t, "square"))
    .step("far", le(0, square(q - _end)), by.apply("aaggff/nonnegative", {x: q - _end}))
    .step("more", le(0, MORE), by.linear("four"))
    .qed(le(REGRET, _SHORT + MORE * T / K**2), by.linear("any", "squares", "far", "more"))
)
_WHOLE = {T: ALL}
_SLOW = Rational(5 * _TILES, 4 * 64)  # over K: the sum of the squared lengths of the last rounds


def long() -> Theorem:
    """Prove the bound with the last decisions near the final one."""
    chain = (
        proof("aaggff/own-long", PLACE,
            note="and eleven rounds that are not at their worst, or a last decision far away")
        .under(*(Given(one.id, one.relation.at(_WHOLE), one.why) for one in SETTING), FOUR)
        .step("two", le(2, K), by.linear("four"))
        .step("any", by.apply(ANY, _WHOLE))
        .step("square", by.apply(SQUARE, _WHOLE))
        .step("moves", by.apply(MOVED, {**_STEP, **_WHOLE}))
        .step("short", le(square(_way), 1 / (64 * K), _LONG), by.linear("moves", "size"))
        .step("near", by.apply(NEAR, {m: 1 / (64 * K)}))
        .step("early", by.instance({t: t}, "square"), over=(t, 1, N))
        .step("early squares", le(Total(_u**2, t, 1, N), N / K**2), by.sum_over(t, "early"))
    )
    for k in range(1, LAST + 1):
        one, way = h(ALL + 1 - k), q - ago(k)
        chain = chain.step(f"size {k}", by.instance({t: ALL + 1 - k}, "size"))
        chain = chain.step(f"late {k}", by.apply(CAUCHY, {g: one, x: way, m: 1 / (4 * K)}))
    return (
        chain.step(
            "squares",
            le(Total(_u**2, t, 1, ALL), N / K**2 + (5 * LAST * square(q - last) + _SLOW / K) / (4 * K)),
            by.linear({"early squares": 1, **{f"late {k}": 1 for k in range(1, LAST + 1)}, "near": 1 / (4 * K)}),
        )
        .step("far", le(0, square(q - last)), by.apply("aaggff/nonnegative", {x: q - last}))
        .step("left", le(0, 2 - 5 * LAST * MORE / (4 * K)), by.linear("four"))
        .step("more", le(0, MORE), by.linear("four"))
        .qed(
            le(REGRET.xreplace(_WHOLE), _SHORT.xreplace(_WHOLE) + MORE * (N + _SLOW / 4) / K**2),
            by.linear({"any": 1, "squares": MORE, "far": 2 - 5 * LAST * MORE / (4 * K)}, "more", "left"),
        )
    )


LONG = long()

# All numbers of clients, up to 100 rounds ------------------------------------------------------------------------------

_RATIO = T / (16 * K)
_LIMIT, _BELOW = 2 + 2 * log(1 + _RATIO), 2 + 4 * _RATIO / (2 + _RATIO)  # the printed bound, and a lower bound on it
_SPENT = T / (32 * K)  # an upper bound on the log-determinant
_FIRST = 2 * (1 - 1 / K) + _SPENT
_FROM_END = _FIRST + MORE * (T - LAST + _SLOW / 4) / K**2
FEW, SHORT = (le(K, 3),), (le(4, K), le(T, LAST))
REST, MANY = (le(4, K), le(K, 49), le(LAST + 1, T)), (le(50, K),)
_CLAIM = find("aaggff/E-T5.1@printed")
_STATED, _CONDITIONS = statement_of(_CLAIM.bound, REGRET)
_OUT = le(REGRET, _LIMIT)
_SCALE = K**2 * (32 * K + T)


def between(
    name: str, what: Expr, ends: tuple[int, int], assuming: tuple[Relation, ...], *uses: str
) -> tuple[Step, ...]:
    """Bound ``what`` by the printed bound between two numbers of rounds: K^2 (32 K + T) times the excess is convex.

    It is its chord minus its leading coefficient times (T - first)(last - T). ``uses``: 4 <= K <= 49, T in the range.
    """
    first, final = ends
    low, high, below, above = uses
    excess = expand(cancel(_SCALE * (what - _BELOW)))
    leading = expand(excess.coeff(T, 2))
    at = [expand(excess.xreplace({T: Integer(end)})) for end in ends]
    return (
        line(f"{name} convex", le(0, leading), by.linear(low), assuming=assuming),
        line(f"{name} above", le(0, leading * (T - first)), by.linear({f"{name} convex": T - first}, below),
            assuming=assuming),
        line(f"{name} chord", le(0, leading * (T - first) * (final - T)),
            by.linear({f"{name} above": final - T}, above), assuming=assuming),
        *(
            line(f"{name} at {end}", le(value, 0), by.linear(_weights(value, low, high)), assuming=assuming)
            for end, value in zip(ends, at, strict=True)
        ),
        line(f"{name} left", le(0, -at[0] * (final - T)), by.linear({f"{name} at {first}": final - T}, above),
            assuming=assuming),
        line(f"{name} right", le(0, -at[1] * (T - first)), by.linear({f"{name} at {final}": T - first}, below),
            assuming=assuming),
        line(
            f"{name} number",
            le(what, _BELOW),
            by.linear(
                {
                    f"{name} chord": 1 / _SCALE,
                    f"{name} left": Rational(1, final - first) / _SCALE,
                    f"{name} right": Rational(1, final - first) / _SCALE,
                }
            ),
            assuming=assuming,
        ),
    )


def _weights(value: Expr, low: str, high: str) -> dict[str, Expr]:
    """Return weights by which 4 <= K <= 49 make a K^2 + b K + c + d/K negative, b < 0: a K <= 49 a and d/K <= d/4."""
    a, b = (value.coeff(K, power) for power in (2, 1))
    d = value.coeff(K, -1)
    steep = -b - 49 * a if a > 0 else -b
    weights = {low: max(steep, Integer(0)) + (max(d, Integer(0)) / 4) / K}
    if a > 0:
        weights[high] = a * K
    return weights


def assumed(name: str, relations: tuple[Relation, ...]) -> tuple[Step, ...]:
    """Return the assumptions of a case as separate lines."""
    return tuple(line(f"{name} {i}", one, by.linear(f"assumed {i}"), assuming=relations) for i, one in enumerate(relations, 1))


FINAL = (
    proof("aaggff/E-T5.1@printed", of="aaggff/E-T5.1@printed", bound=_CLAIM.bound, unused=("c1",),
        note="for any responses in [0, 1/K], so also those of a federation")
    .under(*SETTING, *_CONDITIONS)
    .given("from 0", eq(C1, 0), "the paper's range")
    .given("to 1/K", eq(C2, 1 / K), "the paper's range")
    .given("rounds", le(T, 100), "the paper's sizes")
    .step("two", le(2, K), by.linear("c2"))
    .step("low", by.apply(LOW, {w: _RATIO}))
    .step("one more", by.apply(SPENDING, {rank: K - 1}, "two"))
    .step("spent", le(SPENT, _SPENT), by.linear("one more", "two"))
    # two and three clients: K/4 does not exceed the curvature
    .steps(*assumed("few", FEW))
    .step("any", by.apply(ANY))
    .step("square", by.apply(REAL, {P: _u}), over=ROUNDS)
    .step("squares", by.sum_over(t, "square"))
    .step("far", le(0, square(q - _end)), by.apply("aaggff/nonnegative", {x: q - _end}))
    .step("few more", le(MORE, 0), by.linear("two", "few 1"), assuming=FEW)
    .step("few rounds", le(T, 96 * K), by.linear("rounds", "two"))
    .step("few number", le(_FIRST, _BELOW), by.linear("few rounds"))
    .step("few", _OUT,
        by.linear({"any": 1, "far": 2, "squares": -MORE, "spent": 1, "few number": 1, "low": 2}, "few more"),
        assuming=FEW)
    # at most eleven rounds
    .steps(*assumed("short", SHORT))
    .step("no rounds", le(0, T), by.linear())
    .step("short regret", by.apply(SIMPLE), assuming=SHORT)
    .steps(*between("short", _FIRST + MORE * T / K**2, (0, LAST), SHORT, "short 1", "", "no rounds", "short 2"))
    .step("short", _OUT, by.linear({"short regret": 1, "spent": 1, "short number": 1, "low": 2}), assuming=SHORT)
    # more rounds
    .steps(*assumed("rest", REST))
    .step("rest regret", by.apply(LONG, {N: T - LAST}, *IDS, "rest 1", "rest 3"), assuming=REST)
    .steps(*between("rest", _FROM_END, (LAST + 1, 100), REST, "rest 1", "rest 2", "rest 3", "rounds"))
    .step("rest", _OUT, by.linear("rest regret", "spent", "rest number", "low"), assuming=REST)
    # many clients: each round costs at most log(1 + 1/K)
    .step(
        "below",
        le(log(other(t)) - log(1 + 1 / K), (other(t) - 1 - 1 / K) / (1 + 1 / K), ROUNDS),
        by.apply(SLOPE, {a: other(t), b: 1 + 1 / K}),
    )
    .step("above", le(-log(grown(t)), (1 - grown(t)) / grown(t), ROUNDS), by.apply(SLOPE, {a: Integer(1), b: grown(t)}))
    .step("one", by.apply(SLOPE, {a: 1 + 1 / K, b: Integer(1)}))
    .step("each", le(log(other(t)) - log(grown(t)), log(1 + 1 / K), ROUNDS),
        by.linear("below", "above", "other", "grown"))
    .step("all", le(REGRET, T * log(1 + 1 / K)), by.sum_over(t, "each"))
    .steps(*assumed("many", MANY))
    .step("many", _OUT, by.linear({"all": 1, "one": T, "rounds": 1 / K, "many 1": 2 / K, "low": 2}), assuming=MANY)
    .step("every", by.cases("few", "short", "rest", "many"))
    .qed(_STATED, by.linear("every"), inserting=("from 0", "to 1/K"))
)
THEOREMS = (SQUARES, GAINED, MOVED, CAUCHY, NEAR, LOW, UP, SPENDING, REAL, ANY, SQUARE, SIMPLE, LONG, FINAL)
