"""What is sent, in bits: the orders of Theorems 3.2, 3.5 and 4.3 with a constant, in the clear and under masks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fltheory.bound import Bound
from fltheory.case import Case
from fltheory.claim import Claim
from fltheory.papers.fedcg.bounds import discrete as bounds
from fltheory.papers.fedcg.claims.direct import claim, drawn
from fltheory.papers.fedcg.exact.communication import Messages
from fltheory.runs.measures import DirectMeasure

SIZES = (
    Case(Messages(64, 1, 50, 10, 20, 4)),
    Case(Messages(12, 3, 60, 10, 100, 5)),
    Case(Messages(4000, 10, 6041, 100, 50, 8)),
    Case(Messages(5, 5, 3, 2, 4, 2)),
)
WIDE = (Case(Messages(10**7, 1, 10**4, 1000, 100)), Case(Messages(10**9, 10, 10**4, 1000, 100)))


def sent(
    name: str, statement: str, limit: Bound, value: Callable[[Any], int], cases: tuple[Case, ...], **more: Any
) -> Claim:
    """A number of bits."""
    measure = DirectMeasure("bits", lambda case, ring: ring.scalar(value(case.instance)))
    family = drawn("discrete", "messages", many=more.pop("many", False))
    return claim(name, statement, limit, measure, cases, family, kind="cost", **more)


CLAIMS: tuple[Claim, ...] = (
    sent(
        "T3.2-bits",
        "In the clear a client sends ceil(log2 C(n, r)) <= 1 + r log2 n bits a round: Õ(r)",
        bounds.BASE_BITS,
        lambda one: one.base,
        SIZES,
    ),
    sent(
        "T3.2-bits",
        "In the clear ceil(log2 C(n, r)) <= 1 + r log2(en/r)",
        bounds.BASE_BITS_SHARP,
        lambda one: one.base,
        SIZES,
    ),
    sent(
        "T3.2-bits-masked",
        "Under secure aggregation a client sends Õ(r) bits a round, read as 1000 r (1 + log2(nKτT))²",
        bounds.MASKED_BITS_PRINTED,
        lambda one: one.masked_base,
        WIDE,
        expected="violated",
        many=True,
        remark="Additive masks hide every coordinate: n ceil(log2(K + 1)) bits, linear in n whatever the rank.",
    ),
    sent(
        "T3.2-bits-masked",
        "Under secure aggregation a client sends n ceil(log2(K + 1)) bits a round: Õ(n)",
        bounds.MASKED_BITS,
        lambda one: one.masked_base,
        (*SIZES, *WIDE),
    ),
    sent(
        "T3.2-total",
        "Full participation, in the clear: N T ceil(log2 C(n, r)) bits in all, Õ(NTr)",
        bounds.FULL_TOTAL,
        lambda one: one.n_clients * one.n_rounds * one.base,
        SIZES,
    ),
    sent(
        "T3.5-total",
        "Partial participation, in the clear: K T ceil(log2 C(n, r)) bits in all, Õ(KTr)",
        bounds.PARTIAL_TOTAL,
        lambda one: one.n_sampled * one.n_rounds * one.base,
        SIZES,
    ),
    sent(
        "T4.3-bits",
        "FedCG+, in the clear: a sum of τ bases in at most n ceil(log2(τ + 1)) bits, Õ(n)",
        bounds.LOCAL_BITS,
        lambda one: one.local,
        SIZES,
    ),
    sent(
        "T4.3-bits-masked",
        "FedCG+ under secure aggregation: n ceil(log2(Kτ + 1)) bits, Õ(n)",
        bounds.LOCAL_BITS_MASKED,
        lambda one: one.masked_local,
        SIZES,
    ),
    sent(
        "T4.3-total",
        "FedCG+, in the clear: Õ(Kn) bits a round, Õ(KTn/τ) in all",
        bounds.LOCAL_TOTAL,
        lambda one: one.n_sampled * one.n_rounds * one.local,
        SIZES,
    ),
)
