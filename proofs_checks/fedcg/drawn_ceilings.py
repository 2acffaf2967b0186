"""S5 and the second display of Theorem 4.3 from what a draw is, also where there is no noise at all."""

from __future__ import annotations

from sympy import Abs, Integer, Rational, sqrt

from fltheory.papers.fedcg import bounds
from fltheory.papers.fedcg.letters import OPT, K, T, delta, eta, r, sigma
from fltheory.proof import Given, by, eq, le, line, lt, proof, stated
from fltheory.proof.terms import E, Indicator, Total
from proofs_checks.fedcg import drawn_local as own
from proofs_checks.fedcg import facts, partial
from proofs_checks.fedcg import theorem43 as plus
from proofs_checks.fedcg import theorem43_tuned as tuned
from proofs_checks.fedcg.drawn import A_CLIENT, AGAINST, TWICE, twice, weight
from proofs_checks.fedcg.drawn_sharp import ANY, AT, SOME, silent
from proofs_checks.fedcg.lemmas import LAW
from proofs_checks.fedcg.partial import GAINED, PARTS, SHARE, V, largest, noise, share
from proofs_checks.fedcg.theorem32 import ROUNDS, t
from proofs_checks.fedcg.theorem43 import deviation
from proofs_checks.fedcg.theorem43_tuned import lip

READING = {symbol: ANY if value == partial.SQUARES else value for symbol, value in plus.READING.items()}
MOMENTS = twice(Integer(1))
SUM = Given("ceilings", plus.ABOVE.relation.at(AT), plus.ABOVE.why)
HIGH = Given(
    "deviation",
    le(own.DEVIATION, deviation(t), ROUNDS),
    "an upper bound of r gamma + r sigma + r B/2 that is no matter of chance",
)
_TOLD = stated(bounds.S5, GAINED - V(T, 0), READING)[0].gap
_LIKELY = le(1 - delta, E(Indicator(_TOLD)))
_RUN = line("run", plus.PATH.statement, by.apply("fedcg/run-plus", "law", *plus.IDS))
_D = own.DEVIATION
S5 = (
    proof(
        "fedcg/S5-drawn",
        of="fedcg/S5-clip@sharpened",
        bound=bounds.S5,
        reading=READING,
        failure=delta,
        note=plus.S5.note,
    )
    .under(LAW, *plus.RUN, *plus.LARGEST, *own.NAMED, *A_CLIENT, AGAINST, *MOMENTS, HIGH, SUM, SHARE)
    .step("pairs", partial.PAIRS.relation, by.apply("fedcg/noise-pairs", "drawn", "draw pairs"))
    .step(
        "by deviation",
        le(E(1 * noise(t) ** 2), E(1 * _D**2) / K, ROUNDS),
        by.apply("fedcg/noise-variance-plus", {weight(t): Integer(1)}, *own.IDS, *TWICE),
    )
    .step("less", le(_D**2, deviation(t) ** 2, ROUNDS), by.combine({"deviation": _D + deviation(t)}))
    .step("less in the mean", le(E(_D**2), E(deviation(t) ** 2), ROUNDS), by.expected("less"))
    .step("variance", plus.VARIANCE.relation, by.combine({"by deviation": 1, "less in the mean": 1 / K}))
    .step(
        "some",
        _LIKELY,
        by.apply("fedcg/S5", AT, "law", *plus.IDS, "pairs", "variance", "ceilings", "share"),
        assuming=SOME,
    )
    .steps(_RUN)
    .step(
        "own range",
        le(Abs(noise(t)), 2 * _D, ROUNDS),
        by.apply("fedcg/noise-range-plus", *own.IDS, *(h.id for h in A_CLIENT)),
    )
    .step("range", le(Abs(noise(t)), 2 * deviation(t), ROUNDS), by.combine({"own range": 1, "deviation": 2}))
    .steps(*silent(_TOLD, _RUN, deviation, Integer(2)))
    .qed(_LIKELY, by.cases("some", "none"), name="either")
)

# The second display of Theorem 4.3 ------------------------------------------------------------------------------------------

R, THREE_HALVES = T, Rational(3, 2)
ONE_OVER = {eta: 1 / R}
SLOPES = (
    tuned.BELOW_G,
    Given("below l", le(plus.lipschitz(t), lip(t), ROUNDS), "and of L_t", supposed=True),
    *(h for h in tuned.CEILINGS if h.id in ("D", "Q")),
)
_TAKEN = tuple(
    h
    for h in (LAW, *plus.RUN, *plus.LARGEST, *own.NAMED, *own.MOVE, *A_CLIENT, AGAINST, *MOMENTS, *SLOPES, SHARE)
    if h.id != "local drift"
)
_GIVEN = tuple(Given(h.id, h.relation.at(ONE_OVER), h.why, h.supposed) for h in _TAKEN)
_SUM, _PART = 6 * tuned.D * r + 2 * r**THREE_HALVES * tuned.Q + 2 * r * sigma, tuned.part(t) + r * sigma
_MANY, _NO_MORE = lt(0, _SUM), le(_SUM, 0)
_DISPLAY, _WIDTH = tuned.T43_TUNED.statement, tuned.WIDE
_SAFELY = tuned.INSIDE.statement.at(ONE_OVER)
_OTHERS = tuple(h for h in tuned.INSIDE.hypotheses if h.id not in ("below l", "local drift"))
_LESS = le(r * largest(t) + r * sigma + r**THREE_HALVES * plus.lipschitz(t) / 2, _PART, ROUNDS)
_FROM = _LESS.left
SECOND = (
    proof(
        "fedcg/T4.3-tuned-drawn",
        of="fedcg/T4.3-tuned@printed",
        bound=bounds.T43_TUNED,
        reading=tuned.READING,
        failure=delta,
        note=tuned.T43_TUNED.note,
    )
    .under(*_GIVEN)
    .steps(own.FALLS)
    .step("pairs", partial.PAIRS.relation, by.apply("fedcg/noise-pairs", "drawn", "draw pairs"))
    .step("less", _LESS, by.combine({"below g": r, "below l": r**THREE_HALVES / 2}))
    .step(
        "by deviation",
        le(E(1 * noise(t) ** 2), E(1 * _FROM**2) / K, ROUNDS),
        by.apply("fedcg/noise-variance-plus", {**own.STEEP, weight(t): Integer(1)}, *own.IDS, *TWICE),
    )
    .step("less squared", le(_FROM**2, _PART**2, ROUNDS), by.combine({"less": _FROM + _PART}))
    .step("less in the mean", le(E(_FROM**2), E(_PART**2), ROUNDS), by.expected("less squared"))
    .step("variance", tuned.VARIANCE.relation, by.combine({"by deviation": 1, "less in the mean": 1 / K}))
    .step("steep", le(plus.lipschitz(t) * sqrt(r), lip(t) * sqrt(r), ROUNDS), by.combine({"below l": sqrt(r)}))
    .step(
        "some",
        _DISPLAY,
        by.apply("fedcg/T4.3-tuned", own.STEEP, *(h.id for h in _OTHERS), "local drift", "steep", "pairs", "variance"),
        assuming=_MANY,
    )
    .step(
        "inside",
        _SAFELY,
        by.apply("fedcg/T4.3-inside", {**ONE_OVER, **own.STEEP}, *(h.id for h in _OTHERS), "local drift", "steep"),
    )
    .step("P8", facts.P8.statement, by.apply("fedcg/P8"))
    .step(
        "own range",
        le(Abs(noise(t)), 2 * _FROM, ROUNDS),
        by.apply("fedcg/noise-range-plus", own.STEEP, *own.IDS, *(h.id for h in A_CLIENT)),
    )
    .step("size", le(-noise(t), Abs(noise(t)), ROUNDS), by.known("abs", -noise(t)))
    .step("least", le(-2 * _PART, noise(t), ROUNDS), by.combine({"size": 1, "own range": 1, "less": 2}))
    .step("rounds", le(1, R), by.polynomial())
    .step("left", le(0, 1 - 1 / R), by.combine({"rounds": 1 / R}))
    .step("low", le(1 - 1 / R, 1), by.combine())
    .step(
        "weight",
        le((1 - 1 / R) ** (R - 1 - t), 1, ROUNDS),
        by.apply("fedcg/power", {facts.q: 1 - 1 / R, facts.c: R - 1 - t}, "left", "low"),
    )
    .step("heavy", le(share(t), 1, ROUNDS), by.combine(share=1, weight=1))
    .step("each", le(-2 * _PART, share(t) * noise(t), ROUNDS), by.combine({"least": share(t), "heavy": 2 * _PART}))
    .step("all", le(Total(-2 * _PART, t, 0, R - 1), PARTS), by.summed(t, "each"))
    .step(
        "no noise",
        le(0, (_WIDTH + PARTS) / R),
        by.combine({"all": 1 / R, "D": 2 * r / R, "Q": r**THREE_HALVES / R, "assumed 1": (R + 1) / R}),
        assuming=_NO_MORE,
    )
    .step("sure", le(0, tuned.TOLD), by.combine({"inside": 1, "no noise": 1, "P8": OPT}), assuming=_NO_MORE)
    .step("event", eq(Indicator(tuned.TOLD), 1), by.known("indicator", tuned.TOLD, "sure"), assuming=_NO_MORE)
    .step("in the mean", eq(E(Indicator(tuned.TOLD)), E(Integer(1))), by.expected("event"), assuming=_NO_MORE)
    .step("none", _DISPLAY, by.combine({"in the mean": -1}), assuming=_NO_MORE)
    .qed(_DISPLAY, by.cases("some", "none"), name="either")
)
THEOREMS = (S5, SECOND)
