"""Communication in bits: the orders of Theorems 3.2, 3.5 and 4.3 with a constant, in the clear and under masks."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from sympy import exp, log

from fltheory.claims.claim import Claim
from fltheory.claims.statement import quantity
from fltheory.model.bound import HIDDEN_CONSTANT
from fltheory.model.case import Case
from fltheory.model.schema import one_of
from fltheory.papers.fedcg.communication.closed_forms import Loop, Messages
from fltheory.papers.fedcg.notation import LOCAL, K, N, T, n, r, tau
from fltheory.papers.fedcg.paper import fedcg

SIZES = (
    Case(Messages(64, 1, 50, 10, 20, 4)),
    Case(Messages(12, 3, 60, 10, 100, 5)),
    Case(Messages(4000, 10, 6041, 100, 50, 8)),
    Case(Messages(5, 5, 3, 2, 4, 2)),
)
WIDE = (Case(Messages(10**7, 1, 10**4, 1000, 100)), Case(Messages(10**9, 10, 10**4, 1000, 100)))

sent = partial(fedcg.lemma, kind="cost", cases=SIZES)
BASE = r * log(n) / log(2)  # r items, named one by one

base = sent("T3.2-bits", "Theorem 3.2, bits", "bits", lambda one, c: one.base)

masked_base = sent("T3.2-bits-masked", "Theorem 3.2, bits", "bits", lambda one, c: one.masked_base)

local = sent("T4.3-bits", "Theorem 4.3, bits", "bits", lambda one, c: one.local)

masked_local = sent("T4.3-bits-masked", "Theorem 4.3, bits", "bits", lambda one, c: one.masked_local)

SINGLE, LOCALLY = (Case(Loop(50, 1)),), (Case(Loop(10, 3)), Case(Loop(2, 2)), Case(Loop(100, 5)))
stepped = partial(fedcg.lemma, "Alg2-loop", "Algorithm 2", letters=LOCAL, mode="surely")

LOOP = (
    stepped(what="local steps for t = 0, τ, 2τ, ... up to (T - 1)/τ",
        value=lambda one, c: one.steps(Fraction(one.total - 1, one.n_local_steps))).printed(
        "The loop of Algorithm 2, t = 0, τ, 2τ, ..., (T - 1)/τ, takes the T = Rτ local steps of Theorem 4.3",
        quantity >= T * tau, counterexamples=LOCALLY, family=Loop.drawn(),
        remark="The loop ends after about R/τ rounds: its end (T - 1)/τ counts rounds, while t counts local steps."),
    stepped(what="local steps for t = 0, τ, 2τ, ... up to T - τ",
        value=lambda one, c: one.steps(Fraction(one.total - one.n_local_steps))).corrected(
        "With t up to T - τ the loop takes exactly T = Rτ local steps", quantity <= T * tau, quantity >= T * tau,
        cases=(*SINGLE, *LOCALLY), family=Loop.drawn()),
)

CLAIMS: tuple[Claim, ...] = (
    *LOOP,
    base.explicit("In the clear a client sends ceil(log2 C(n, r)) <= 1 + r log2 n bits a round: Õ(r)",
        quantity <= 1 + BASE, note="O~(r), in the clear"),
    base.strengthened("In the clear ceil(log2 C(n, r)) <= 1 + r log2(en/r)",
        quantity <= 1 + r * log(exp(1) * n / r) / log(2), note="in the clear"),
    masked_base.printed("Under secure aggregation a client sends Õ(r) bits a round, read as 1000 r (1 + log2(nKτT))²",
        quantity <= HIDDEN_CONSTANT * r * (1 + log(n * K * tau * T) / log(2)) ** 2,
        note=f"O~(r), under secure aggregation, read as {HIDDEN_CONSTANT} r times a squared logarithm",
        counterexamples=WIDE, family=Messages.drawn(n_items=one_of(*(10**k for k in range(13)))),
        remark="Additive masks hide every coordinate: n ceil(log2(K + 1)) bits, linear in n whatever the rank."),
    masked_base.corrected("Under secure aggregation a client sends n ceil(log2(K + 1)) bits a round: Õ(n)",
        quantity <= n * (1 + log(K + 1) / log(2)), note="under secure aggregation", cases=(*SIZES, *WIDE)),
    sent("T3.2-total", "Theorem 3.2, bits", "bits", lambda one, c: one.n_clients * one.n_rounds * one.base).explicit(
        "Full participation, in the clear: N T ceil(log2 C(n, r)) bits in all, Õ(NTr)", quantity <= N * T * (1 + BASE),
        note="O~(NTr), in the clear"),
    sent("T3.5-total", "Theorem 3.5, bits", "bits", lambda one, c: one.n_sampled * one.n_rounds * one.base).explicit(
        "Partial participation, in the clear: K T ceil(log2 C(n, r)) bits in all, Õ(KTr)",
        quantity <= K * T * (1 + BASE), note="O~(KTr), in the clear"),
    local.explicit("FedCG+, in the clear: a sum of τ bases in at most n ceil(log2(τ + 1)) bits, Õ(n)",
        quantity <= n * (1 + log(tau + 1) / log(2)), note="O~(n), in the clear"),
    masked_local.explicit("FedCG+ under secure aggregation: n ceil(log2(Kτ + 1)) bits, Õ(n)",
        quantity <= n * (1 + log(K * tau + 1) / log(2)), note="O~(n), under secure aggregation"),
    sent("T4.3-total", "Theorem 4.3, bits", "bits", lambda one, c: one.n_sampled * one.n_rounds * one.local).explicit(
        "FedCG+, in the clear: Õ(Kn) bits a round, Õ(KTn/τ) in all",
        quantity <= K * T * n * (1 + log(tau + 1) / log(2)), note="O~(KTn/tau), T here the rounds", letters=LOCAL),
)
