"""Lemma 4.1: how fast the loss changes, in its corrected and sharpened readings; the sizes of decisions and gradients.

``s`` is 1 + <p, r> at one decision p, ``o`` the same at another one, q.
"""

from __future__ import annotations

from typing import Any

from sympy import Abs, Integer, Rational, Symbol, log

from fltheory.bound import Bound
from fltheory.papers.aaggff import bounds
from fltheory.papers.aaggff.bounds import lemmas as of
from fltheory.papers.aaggff.letters import C1, C2, K
from fltheory.proof.language import (
    Absolute,
    Apply,
    Cases,
    Combine,
    Given,
    Known,
    Step,
    Summed,
    Theorem,
    Witness,
    eq,
    le,
    lt,
    stated,
)
from fltheory.proof.terms import Nonnegative, Positive, Scalar, family
from proofs_checks.aaggff.facts import EACH, a, b, i, j, u, w, whole
from proofs_checks.osmd import lemmas as osmd_lemmas

PLACE = "Lemma 4.1"
p, q, r = family(Nonnegative, "p"), family(Nonnegative, "q"), family(Scalar, "r")
s, o = family(Positive, "s")(), family(Positive, "o")()
SETTING = (
    Given("sum p", eq(whole(p(j)), 1), "p is a distribution"),
    Given("sum q", eq(whole(q(j)), 1), "q is another one"),
    Given("low", le(C1, r(i), EACH), "responses are in [C1, C2]"),
    Given("high", le(r(i), C2, EACH), "and not above"),
    Given("at p", eq(s, 1 + whole(p(j) * r(j))), "1 + <p, r>: the loss is minus its logarithm"),
    Given("at q", eq(o, 1 + whole(q(j) * r(j))), "1 + <q, r>"),
)
IDS = tuple(h.id for h in SETTING)


def average(name: str, side: str, weights: Any, given: str) -> Step:
    """An average of the responses is in their range."""
    mean = whole(weights * r(j))
    claim = le(C1, mean) if side == "low" else le(mean, C2)
    return Step(name, claim, Apply(f"aaggff/average-{side}", {w(j): weights, u(i): r(i)}), (given, side))


P_LOW = average("p low", "low", p(j), "sum p")
Q_HIGH = average("q high", "high", q(j), "sum q")
S_LOW = Step("s low", le(1 + C1, s), Combine({"p low": 1, "at p": -1}), ("p low", "at p"))
O_HIGH = Step("o high", le(o, 1 + C2), Combine({"q high": 1, "at q": 1}), ("q high", "at q"))

# (L1): the entries of the gradient ------------------------------------------------------------------------------------

_L1, _CONDITIONS = stated(of.L41_GRADIENT, Abs(r(i)) / s)
_L1 = le(_L1.left, _L1.right, EACH)
_ONLY_P = (*SETTING[:1], *SETTING[2:5])
GRADIENT = Theorem(
    "aaggff/4.1-gradient@corrected",
    _L1,
    (*_ONLY_P, *_CONDITIONS),
    (
        P_LOW,
        S_LOW,
        Step("room", le(C2, bounds.L * s), Combine({"s low": bounds.L}), ("s low",)),
        Step("up", le(r(i), bounds.L * s, EACH), Combine(), ("high", "room")),
        Step("sign", le(0, r(i), EACH), Combine({"low": 1}), ("low",)),
        Step("down", le(-r(i), bounds.L * s, EACH), Combine({"sign": 1}), ("sign",)),
        Step("size", le(Abs(r(i)), bounds.L * s, EACH), Absolute(), ("up", "down")),
        Step("1", _L1, Combine({"size": 1 / s}), ("size",)),
    ),
    claim="aaggff/4.1-gradient@corrected",
    bound=of.L41_GRADIENT,
    place=PLACE,
    note="(L1)",
    unused=("c1", "c2"),
)

# (L4): the range ------------------------------------------------------------------------------------------------------

_L4, _CONDITIONS = stated(of.L41_RANGE, o / s)
_RANGE_IDS = ("sum p", "sum q", "low", "high", "at p", "at q")
RANGE = Theorem(
    "aaggff/4.1-range@sharpened",
    _L4,
    (*SETTING, *_CONDITIONS),
    (
        P_LOW,
        S_LOW,
        Q_HIGH,
        O_HIGH,
        Step("1", _L4, Combine({"o high": 1 / s, "s low": (1 + C2) / (s * (1 + C1))}), ("o high", "s low")),
    ),
    claim="aaggff/4.1-range@sharpened",
    bound=of.L41_RANGE,
    place=PLACE,
    note="(L4), as exponentials: no two losses differ by more than log((1 + C2)/(1 + C1))",
    unused=("c1", "c2"),
)
_CHAIN, _CONDITIONS = stated(of.L41_CHAIN, Abs(log(o) - log(s)))
_other = {p(i): q(i), q(i): p(i), s: o, o: s}
CHAIN = Theorem(
    "aaggff/4.1-range@printed",
    _CHAIN,
    (*SETTING, *_CONDITIONS),
    (
        Step("there", le(o / s, (1 + C2) / (1 + C1)), Apply("aaggff/4.1-range@sharpened"), (*IDS, "c1", "c2")),
        Step("back", le(s / o, (1 + C2) / (1 + C1)), Apply("aaggff/4.1-range@sharpened", _other), (*IDS, "c1", "c2")),
        Step("tangent", le(log(o) - log(s), (o - s) / s), Apply("aaggff/log-slope", {a: o, b: s})),
        Step("tangent back", le(log(s) - log(o), (s - o) / o), Apply("aaggff/log-slope", {a: s, b: o})),
        Step("up", le(log(o) - log(s), bounds.L), Combine({"tangent": 1, "there": 1}), ("tangent", "there")),
        Step("down", le(log(s) - log(o), bounds.L), Combine({"tangent back": 1, "back": 1}), ("tangent back", "back")),
        Step("1", _CHAIN, Absolute(), ("up", "down")),
    ),
    claim="aaggff/4.1-range@printed",
    bound=of.L41_CHAIN,
    place=PLACE,
    note="what the paper's chain shows: the losses differ by at most L_inf",
)

# (L2): in the sum norm ------------------------------------------------------------------------------------------------

_sum = whole(Abs(q(j) - p(j)))
_way = q(i) - p(i)
_INNER = le(o - s, (C2 - C1) / 2 * _sum)
INNER = Theorem(
    "aaggff/centred",
    _INNER,
    SETTING,
    (
        Step("up", le(_way, Abs(_way), EACH), Known("abs", _way)),
        Step("down", le(-_way, Abs(_way), EACH), Known("abs", -_way)),
        Step(
            "each",
            le((r(i) - (C1 + C2) / 2) * _way, (C2 - C1) / 2 * Abs(_way), EACH),
            Combine({"up": (r(i) - C1) / 2, "down": (C2 - r(i)) / 2}),
            ("up", "down", "low", "high"),
        ),
        Step("all", le(whole((r(j) - (C1 + C2) / 2) * (q(j) - p(j))), (C2 - C1) / 2 * _sum), Summed((i,)), ("each",)),
        Step(
            "1",
            _INNER,
            Combine({"all": 1, "at p": -1, "at q": 1, "sum p": -(C1 + C2) / 2, "sum q": (C1 + C2) / 2}),
            ("all", "at p", "at q", "sum p", "sum q"),
        ),
    ),
    place=PLACE,
    note="the middle of the range may be taken off the responses: Hoelder's inequality",
)
distance = Symbol("distance", positive=True)
WITHIN = Given("distance", le(_sum, distance), "how far the two decisions are apart, or more")
ORDER = Given("order", lt(C1, C2), "a range of positive length")
_SLOPE = le(Abs(log(o) - log(s)), bounds.H * distance)
_half = (C2 - C1) / 2
SLOPE = Theorem(
    "aaggff/4.1-slope",
    _SLOPE,
    (*SETTING, WITHIN, ORDER),
    (
        P_LOW,
        S_LOW,
        average("q low", "low", q(j), "sum q"),
        Step("o low", le(1 + C1, o), Combine({"q low": 1, "at q": -1}), ("q low", "at q")),
        Step("there", _INNER, Apply("aaggff/centred"), IDS),
        Step("back", le(s - o, _half * whole(Abs(p(j) - q(j)))), Apply("aaggff/centred", _other), IDS),
        Step("long", le(0, _half * distance), Combine({"order": distance / 2}), ("order",)),
        Step("tangent", le(log(o) - log(s), (o - s) / s), Apply("aaggff/log-slope", {a: o, b: s})),
        Step("tangent back", le(log(s) - log(o), (s - o) / o), Apply("aaggff/log-slope", {a: s, b: o})),
        Step(
            "up",
            le(log(o) - log(s), bounds.H * distance),
            Combine({"tangent": 1, "there": 1 / s, "distance": _half / s, "s low": _half * distance / (s * (1 + C1))}),
            ("tangent", "there", "distance", "s low", "long", "order"),
        ),
        Step(
            "down",
            le(log(s) - log(o), bounds.H * distance),
            Combine(
                {"tangent back": 1, "back": 1 / o, "distance": _half / o, "o low": _half * distance / (o * (1 + C1))}
            ),
            ("tangent back", "back", "distance", "o low", "long", "order"),
        ),
        Step("1", _SLOPE, Absolute(), ("up", "down")),
    ),
    place=PLACE,
    note="(L2): Lipschitz in the sum norm, with the half-span",
)
FAR = Given("distance", eq(_sum, distance), "how far the two decisions are apart, which differ")
_L2, _CONDITIONS = stated(of.L41_HALF, Abs(log(o) - log(s)) / distance)
HALF = Theorem(
    "aaggff/4.1-sum@sharpened",
    _L2,
    (*SETTING, FAR, *_CONDITIONS),
    (
        Step("within", le(_sum, distance), Combine({"distance": 1}), ("distance",)),
        Step("slope", _SLOPE, Apply("aaggff/4.1-slope"), (*IDS, "within", "c1")),
        Step("1", _L2, Combine({"slope": 1 / distance}), ("slope",)),
    ),
    claim="aaggff/4.1-sum@sharpened",
    bound=of.L41_HALF,
    place=PLACE,
    note="(L2)",
    unused=("c2",),
)
_L1_SUM, _ = stated(of.L41_SUM, Abs(log(o) - log(s)) / distance)
FULL = Theorem(
    "aaggff/4.1-sum@corrected",
    _L1_SUM,
    (*SETTING, FAR, *_CONDITIONS),
    (
        Step("sharp", _L2, Apply("aaggff/4.1-sum@sharpened"), (*IDS, "distance", "c1", "c2")),
        Step("1", _L1_SUM, Combine({"sharp": 1}), ("sharp",)),
    ),
    claim="aaggff/4.1-sum@corrected",
    bound=of.L41_SUM,
    place=PLACE,
    note="(L1): and so with L_inf, which the proofs use",
)

# (L3): in the sup norm ------------------------------------------------------------------------------------------------

n, sup = Symbol("n", integer=True, positive=True), Symbol("sup", positive=True)
middle, lower, upper = Symbol("middle", real=True), family(Nonnegative, "lower"), family(Nonnegative, "upper")
NEAR = (
    Given("ahead", le(_way, sup, EACH), "no entry differs by more"),
    Given("behind", le(-sup, _way, EACH), "on either side"),
)
# of an odd number of clients one has the median of q - p: n have no more, the others no less, and the other way round
MEDIAN = (
    Given("lower", le(lower(i), 1, EACH), "the share 1 or 0 of a client in the lower half"),
    Given("upper", le(upper(i), 1, EACH), "and in the upper half"),
    Given("lower n", eq(whole(lower(j)), n), "n clients"),
    Given("upper n", eq(whole(upper(j)), n), "n clients"),
    Given("above", le(0, (1 - lower(i)) * (_way - middle), EACH), "the others are not below the median"),
    Given("below", le(0, (1 - upper(i)) * (middle - _way), EACH), "the others are not above the median"),
)
_TWICE = le(_sum, 2 * n * sup)


def half(sign: int, share: Any, beyond: str, ends: tuple[str, str]) -> tuple[Step, ...]:
    """The sum of absolute values where the median is not negative (``sign`` 1), or not positive (-1)."""
    case = (le(0, sign * middle),)
    one = f"{beyond} "
    return (
        Step(
            one + "part",
            le(0, sign * (1 - share(i)) * _way, EACH),
            Combine({beyond: 1, "assumed 1": 1 - share(i)}),
            (beyond, "lower" if sign > 0 else "upper"),
            assuming=case,
        ),
        Step(
            one + "minus",
            le(-sign * _way, sign * _way + 2 * sup * share(i), EACH),
            Combine({one + "part": 2, ends[0]: 2 * share(i)}),
            (one + "part", ends[0]),
            assuming=case,
        ),
        Step(one + "plus", le(sign * _way, sign * _way + 2 * sup * share(i), EACH), Combine()),
        Step(
            one + "each",
            le(Abs(_way), sign * _way + 2 * sup * share(i), EACH),
            Absolute(),
            (one + "minus", one + "plus"),
            assuming=case,
        ),
        Step(
            one + "all",
            le(_sum, sign * whole(q(j) - p(j)) + 2 * sup * whole(share(j))),
            Summed((i,)),
            (one + "each",),
            assuming=case,
        ),
        Step(
            one + "end",
            _TWICE,
            Combine({one + "all": 1, ends[1]: 2 * sup, "sum p": -sign, "sum q": sign}),
            (one + "all", ends[1], "sum p", "sum q"),
            assuming=case,
        ),
    )


ODD = Theorem(
    "aaggff/odd",
    _TWICE,
    (*SETTING[:2], *NEAR, *MEDIAN),
    (
        *half(1, lower, "above", ("behind", "lower n")),
        *half(-1, upper, "below", ("ahead", "upper n")),
        Step("1", _TWICE, Cases(), ("above end", "below end")),
    ),
    place=PLACE,
    note="the entries of q - p add up to 0, so that half of them give all",
)
EVEN = Theorem(
    "aaggff/even",
    le(_sum, K * sup),
    NEAR,
    (
        Step("minus", le(-_way, sup, EACH), Combine({"behind": 1}), ("behind",)),
        Step("each", le(Abs(_way), sup, EACH), Absolute(), ("ahead", "minus")),
        Step("1", le(_sum, K * sup), Summed((i,)), ("each",)),
    ),
    place=PLACE,
    note="Hoelder's inequality",
)


ODD_USES = ("sum p", "sum q", *(h.id for h in (*NEAR, *MEDIAN)))
PARITIES = (  # the clients, what is known of them, the theorem on the sum of absolute values and what it uses
    ("even", 2 * n, (), "aaggff/even", ("ahead", "behind")),
    ("odd", 2 * n + 1, MEDIAN, "aaggff/odd", ODD_USES),
)


def in_sup(claim: str, bound: Bound, parity: int, at: dict[Any, Any], weights: dict[str, Any], note: str) -> Theorem:
    """The sup norm for an even or odd number of clients, by a bound of the catalogue; ``weights`` are those of its conditions."""
    word, clients, more, theorem, uses = PARITIES[parity]
    count = {K: clients.xreplace(at), **at}
    statement, conditions = stated(bound, Abs(log(o) - log(s)) / sup, count)
    setting = tuple(Given(h.id, h.relation.at(at).at(count), h.why) for h in (*SETTING, *NEAR, *more))
    twice = (2 * n * sup).xreplace(at)
    steps = (
        Step("within", _TWICE.at(count), Apply(theorem, count), uses),
        Step(
            "slope",
            _SLOPE.at({**count, distance: twice}),
            Apply("aaggff/4.1-slope", {**count, distance: twice}),
            (*IDS, "within", "c1"),
        ),
        Step("1", statement, Combine({"slope": 1 / sup, **weights}), ("slope", *weights)),
    )
    unused = tuple(c.id for c in conditions if c.id not in ("c1", *weights))
    name = f"{claim}-{word}"
    return Theorem(
        name,
        statement,
        (*setting, *conditions),
        steps,
        claim=claim,
        place=PLACE,
        note=note,
        unused=unused,
        bound=bound,
        reading=count,
    )


_NOTE = "(L3) for an {} number of clients"
SUP = tuple(
    in_sup("aaggff/4.1@corrected", of.L41_SUP, parity, {}, {}, _NOTE.format(PARITIES[parity][0])) for parity in (0, 1)
)
THRESHOLD = tuple(
    in_sup(
        "aaggff/4.1-threshold@corrected",
        of.L41_THRESHOLD,
        parity,
        {},
        {"c3": 1 / (1 + C1)},
        "with L_inf where that is larger",
    )
    for parity in (0, 1)
)
_ONE = {n: Integer(1)}
FEW = tuple(
    in_sup("aaggff/4.1-K3@corrected", of.L41_FEW, parity, _ONE, {}, f"{2 + parity} clients") for parity in (0, 1)
)

# As printed: the sup norm with L_inf ----------------------------------------------------------------------------------

_FOUR = {K: Integer(4)}
_PRINTED, _CONDITIONS = stated(of.L41, log((1 + C2) / (1 + C1)) / Rational(1, 2), _FOUR)
PRINTED = Theorem(
    "aaggff/4.1@printed",
    _PRINTED,
    _CONDITIONS,
    (
        Step(
            "1",
            _PRINTED,
            Witness({C1: Rational(1, 10), C2: 1}),
            ("c1", "c2"),
            expected="REFUTED",
            note="log(20/11) against half of 10/11",
        ),
    ),
    expected="REFUTED",
    claim="aaggff/4.1@printed",
    bound=of.L41,
    reading=_FOUR,
    place=PLACE,
    note="four clients, r = (C2, C2, C1, C1), p = (1/2, 1/2, 0, 0), q = (0, 0, 1/2, 1/2): entries differ by 1/2",
)
_28 = le(Abs(log(a) - log(b)), Abs((a - b) / a))
STEP_28 = Theorem(
    "aaggff/4.1-28@printed",
    _28,
    (),
    (Step("1", _28, Witness({a: 2, b: 1}), expected="REFUTED", note="log 2 against 1/2"),),
    expected="REFUTED",
    claim="aaggff/4.1-28@printed",
    place="(28)",
    note="r = (1, 0), p and q its vertices: a = 1 + <p, r>, b = 1 + <q, r>",
)

# Sizes in coordinates -------------------------------------------------------------------------------------------------

_SQUARES = le(whole(p(j) ** 2), 1)
SQUARES = Theorem(
    "aaggff/simplex-square",
    _SQUARES,
    SETTING[:1],
    (
        Step("zero", le(0, p(j), (j, 1, K)), Combine()),
        Step("part", le(p(i), whole(p(j)), EACH), Apply("aaggff/one", {osmd_lemmas.s(j): p(j)}), ("zero",)),
        Step("each", le(p(i) ** 2, p(i), EACH), Combine({"part": p(i), "sum p": p(i)}), ("part", "sum p")),
        Step("all", le(whole(p(j) ** 2), whole(p(j))), Summed((i,)), ("each",)),
        Step("1", _SQUARES, Combine({"all": 1, "sum p": 1}), ("all", "sum p")),
    ),
    place="Theorem 5.1",
    note="|p|_2 <= 1 on the simplex",
)
size = Symbol("size", nonnegative=True)
_LONG = le(whole(r(j) ** 2), K * size**2)
LONG = Theorem(
    "aaggff/gradient-square",
    _LONG,
    (Given("up", le(r(i), size, EACH), "no entry is beyond"), Given("down", le(-size, r(i), EACH), "on either side")),
    (
        Step(
            "each",
            le(r(i) ** 2, size**2, EACH),
            Combine({"up": (size + r(i)) / 2, "down": (size - r(i)) / 2}),
            ("up", "down"),
        ),
        Step("1", _LONG, Summed((i,)), ("each",)),
    ),
    place="Theorem 5.1",
    note="K entries of at most L_inf, or H where they are centred",
)

THEOREMS = (
    GRADIENT,
    RANGE,
    CHAIN,
    INNER,
    SLOPE,
    HALF,
    FULL,
    ODD,
    EVEN,
    *SUP,
    *THRESHOLD,
    *FEW,
    PRINTED,
    STEP_28,
    SQUARES,
    LONG,
)
