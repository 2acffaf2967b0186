"""Theorems 5 and 9 for FedAvg with the samplers that they name.

The feedback of a client is |g_m|^2/(M^2 B) for the sum of its B local gradients, at most B G^2/M^2 by Assumption 3.
"""

from __future__ import annotations

from fltheory.papers.osmd.experts.proofs.theorem8 import T8
from fltheory.papers.osmd.fedavg.proofs import explicit, rates, tuned
from fltheory.papers.osmd.fedavg.proofs.fedavg import F
from fltheory.papers.osmd.mirror.proofs.facts import j
from fltheory.papers.osmd.notation import B, G, M
from fltheory.papers.osmd.regret.proofs.corollary7 import C7
from fltheory.papers.osmd.regret.proofs.paths import ROUNDS
from fltheory.papers.osmd.regret.proofs.regret import feedback
from fltheory.papers.osmd.sgd import bounds as formula
from fltheory.papers.osmd.sgd.proofs.played import AT_C7, AT_T8, Run, by_gradients, played, values_at
from fltheory.proof import Given, by, eq, le, line
from fltheory.proof.facts.notation import EACH, m
from fltheory.proof.facts.squares import N, z
from fltheory.proof.facts.sums import t
from fltheory.proof.terms import Grad, RandomVector, Total, family, square

_AT = (ROUNDS, EACH)
_y, _xi = family(RandomVector, "y"), family(RandomVector, "xi")
_SAMPLE = Grad(F(m), _y(t, m, j)) + _xi(t, m, j)
_TAKEN = Total(_SAMPLE, j, 0, B - 1)
_FEEDBACK = square(family(RandomVector, "g")(t, m)) / (M**2 * B)
_SIZES = Total(square(_SAMPLE), j, 0, B - 1)
FEDAVG = Run(values_at(formula.A_FEDAVG),
    (line("steps taken", le(square(_TAKEN), B * _SIZES, *_AT), by.apply("osmd/L16-steps", {z(j): _SAMPLE, N: B})),
        line("sizes", le(_SIZES, B * G**2, *_AT), by.sum_over(j, "sample")),
        line("fed", le(feedback(t, m), formula.A_FEDAVG, *_AT),
            by.linear({"feedback": 1, "steps taken": 1 / (M**2 * B), "sizes": 1 / M**2}),
            inserting=("gradient", "pure", "exact"), note="A_max = B G^2/M^2"), *by_gradients(_FEEDBACK)),
    (
        Given("sample", le(square(_SAMPLE), G**2, *_AT, (j, 0, B - 1)),
            "Assumption 3: no stochastic gradient is longer than G"),
        Given("feedback", eq(feedback(t, m), _FEEDBACK, *_AT),
            "what the sampler is told of a client: |g_m|^2/(M^2 B)")), rates.REGRET.relation)

THEOREMS = (
    played(FEDAVG, "osmd/T5-premin-played", rates.T5_PREMIN, C7, AT_C7),
    played(FEDAVG, "osmd/T5-premin-explicit-played", explicit.T5_PREMIN, C7, AT_C7),
    played(FEDAVG, "osmd/T9b-premin-played", tuned.T9B_PREMIN, T8, AT_T8),
    played(FEDAVG, "osmd/T5-played", tuned.T5, C7, AT_C7),
    played(FEDAVG, "osmd/T5-explicit-played", explicit.T5, C7, AT_C7),
    played(FEDAVG, "osmd/T9b-played", tuned.T9B, T8, AT_T8),
    played(FEDAVG, "osmd/T9b-apart-played", tuned.T9B_APART, T8, AT_T8),
)
