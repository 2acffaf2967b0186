"""S5 and the second display of Theorem 4.3 from the distribution of a draw, also without noise."""

from __future__ import annotations

from sympy import Abs, Integer, Rational

from fltheory.papers.fedcg import bounds
from fltheory.papers.fedcg.guarantees.proofs import partial
from fltheory.papers.fedcg.guarantees.proofs.drawn import (A_CLIENT, AGAINST, BEFORE, DRAWN, PAIRED, inverse,
    inverse_of, once, twice, unit, weight, wide)
from fltheory.papers.fedcg.guarantees.proofs.drawn_strengthened import ANY, AT, SOME, silent
from fltheory.papers.fedcg.guarantees.proofs.partial import GAINED, SHARE, V, a, d, mean, noise, pick, s, score
from fltheory.papers.fedcg.guarantees.proofs.theorem32 import ROUNDS, t
from fltheory.papers.fedcg.notation import K, T, delta
from fltheory.papers.fedcg.plus.proofs import drawn as own
from fltheory.papers.fedcg.plus.proofs import theorem43 as plus
from fltheory.papers.fedcg.plus.proofs import theorem43_tuned as tuned
from fltheory.papers.fedcg.plus.proofs.theorem43 import deviation
from fltheory.papers.fedcg.points.proofs.lemmas import LAW
from fltheory.proof import Given, by, eq, le, line, proof, statement_of
from fltheory.proof.terms import E, Indicator, Total

READING = {symbol: ANY if value == partial.SQUARES else value for symbol, value in plus.READING.items()}
MOMENTS = twice(Integer(1))
SUM = Given("ceilings", plus.ABOVE.relation.at(AT), plus.ABOVE.why)
HIGH = Given("deviation", le(own.DEVIATION, deviation(t), ROUNDS),
    "an upper bound of r gamma + r sigma + r B/2 that is no matter of chance")
_TOLD = statement_of(bounds.S5, GAINED - V(T, 0), READING)[0].gap
_RUN = line("run", plus.PATH.statement, by.apply(plus.PATH, "law", *plus.IDS))
_D = own.DEVIATION
S5 = (
    proof("fedcg/S5-drawn", of="fedcg/S5-clip@strengthened", bound=bounds.S5, reading=READING, failure=delta,
        note=plus.S5.note)
    .under(LAW, *plus.RUN, *plus.LARGEST, *own.NAMED, *A_CLIENT, AGAINST, *MOMENTS, HIGH, SUM, SHARE)
    .step("pairs", by.apply(PAIRED))
    .step("by deviation", by.apply(own.VARIANCE, {weight(t): Integer(1)}))
    .step("less", le(_D**2, deviation(t) ** 2, ROUNDS), by.linear("deviation"))
    .step("less in the mean", le(E(_D**2), E(deviation(t) ** 2), ROUNDS), by.expectation("less"))
    .step("variance", plus.VARIANCE.relation, by.linear("by deviation", "less in the mean"))
    .step("some", by.apply(plus.S5, AT), assuming=SOME)
    .steps(_RUN)
    .step("own range", by.apply(own.RANGE))
    .step("range", le(Abs(noise(t)), 2 * deviation(t), ROUNDS), by.linear("own range", "deviation"))
    .steps(*silent(_TOLD, _RUN, deviation, Integer(2)))
    .qed(le(1 - delta, E(Indicator(_TOLD))), by.cases("some", "none"), name="either")
)

# The second display of Theorem 4.3 ------------------------------------------------------------------------------------------

_UNIT, _SQUARED = tuned.unit(t), inverse(t) ** 2
_WHY = "1 over twice the deviation, which is known before the draws; any such number where that is 0"
INVERSE = inverse_of(_UNIT, _WHY)
_RATIO = inverse(t) * noise(t)
RATIO = (
    proof("fedcg/T4.3-own-ratio", "Theorem 4.3").under(*own.KEPT, *own.MOVE, *A_CLIENT, INVERSE)
    .steps(own.FALLS)
    .step("range", by.apply(own.RANGE, own.STEEP))
    .step("in units", le(Abs(noise(t)), 1 * _UNIT, ROUNDS), by.linear("range"))
    .qed(eq(noise(t), _UNIT * _RATIO, ROUNDS),
        by.apply("fedcg/ratio", {unit(t): _UNIT, wide: 1}, "inverse", "in units"), name="last")
)
_QUARTER = Rational(1, 4)
SMALL = (
    proof("fedcg/T4.3-own-moment", "Theorem 4.3", note="Lemma 4.2 given the past, in units of twice the deviation")
    .under(*own.KEPT, *own.MOVE, *twice(_SQUARED), INVERSE)
    .steps(own.FALLS)
    .step("variance", by.apply(own.VARIANCE, {**own.STEEP, weight(t): _SQUARED}))
    .step("in units", le(E(_SQUARED * noise(t) ** 2), _QUARTER * E(_SQUARED * _UNIT**2) / K, ROUNDS),
        by.linear("variance"))
    .qed(le(E(_RATIO**2), 1 / (4 * K), ROUNDS),
        by.apply("fedcg/ratio-moment", {unit(t): _UNIT, wide: _QUARTER}, "inverse", "in units"), name="last")
)
_KNOWN = inverse(t) * inverse(s) * noise(s)
AGAINST_RATIO = once(_KNOWN, "ratio pairs", BEFORE)
_LEFT, _RIGHT = _RATIO * inverse(s) * noise(s), _KNOWN * (Total(score(t, pick(t, a)) - mean(t), a, 0, K - 1) / K)
APART = (
    proof("fedcg/T4.3-own-pairs", "Theorem 4.3", note="the ratios of two rounds are uncorrelated")
    .under(DRAWN, AGAINST_RATIO)
    .step("times", eq(_LEFT, _RIGHT, ROUNDS, BEFORE), by.linear("drawn"))
    .step("noise", by.expectation("times"))
    .step("sum", by.sum_over(d, "ratio pairs"))
    .qed(eq(E(_LEFT), 0, ROUNDS, BEFORE), by.linear("noise", "sum"), name="last")
)
_BASE = tuned.T43_TUNED
_TAKEN = tuple(h for h in _BASE.hypotheses if h.id not in ("ratio", "moment", "ratio pairs", "lipschitz", "local drift"))
_NEW = (*own.NAMED, *own.MOVE, *A_CLIENT, *twice(_SQUARED), AGAINST_RATIO, INVERSE)
_OF_RATIO = {**own.STEEP, plus.ratio(t): _RATIO}
SECOND = (
    proof("fedcg/T4.3-tuned-drawn", of="fedcg/T4.3-tuned@printed", bound=bounds.T43_TUNED, reading=tuned.READING,
        failure=delta, note=_BASE.note)
    .under(*_TAKEN, *_NEW)
    .steps(own.FALLS)
    .step("ratio", by.apply(RATIO))
    .step("moment", by.apply(SMALL))
    .step("apart", by.apply(APART))
    .qed(_BASE.statement,
        by.apply(_BASE.id, _OF_RATIO, *(h.id for h in _TAKEN), "local drift", "ratio", "moment", "apart"), name="last")
)
THEOREMS = (S5, RATIO, SMALL, APART, SECOND)
