"""The rates of OSMD against those of uniform sampling: the texts after Theorems 4 and 5. Both sides are formulas."""

from __future__ import annotations

from sympy import Expr, Integer, Rational, sqrt

from fltheory.papers.osmd.fedavg.claims import OSMD_PRINTED, OSMD_RATE
from fltheory.papers.osmd.notation import B, D, K, L, T, alpha, sigma, zeta_unif
from fltheory.papers.osmd.sgd.claims import OSMD_SGD
from fltheory.papers.osmd.sgd.proofs.tuned import SIGNS
from fltheory.proof import Step, Theorem, by, le, line, proof, statement_of
from fltheory.verification import find

HALF, _THIRD = Rational(1, 2), Rational(1, 3)
_KNOWN = tuple(s for s in SIGNS if s.id in ("log 1", "log 2", "log"))
_INVERSE = line("inverse", le(1, 1 / alpha), by.linear(c1=1 / alpha))
_ONE = line("zero", le(0, Integer(1)), by.linear())


def compared(claim: str, rate: Expr, lines: tuple[Step, ...], weights: dict[str, Expr], note: str) -> Theorem:
    """Prove a comparison whose third condition says that the run is long enough."""
    bound = find(claim).bound
    statement, conditions = statement_of(bound, rate)
    return (
        proof(claim, of=claim, bound=bound, note=note).under(*conditions)
        .steps(*_KNOWN, *lines)
        .qed(statement, by.linear(weights, "log"))
    )


_SGD = sqrt(D * L / (T * K))  # the factor of the requirement
_LONG = sqrt(D * L / T) / sqrt(K)
_ROOT_ALPHA = line("root", le(1, 1 / sqrt(alpha)), by.power(HALF, "zero", "inverse"))
_PLAIN = D * L / T + zeta_unif * sqrt(D * L) / sqrt(T * K)
SGD = (
    compared("osmd/C-T4cmp@corrected", OSMD_SGD, (), {"c3": _SGD},
        "the last term is at most what the comparator's spread saves"),
    compared("osmd/C-T4cmp@printed", OSMD_SGD, (_ONE, _INVERSE, _ROOT_ALPHA), {"c3": _SGD, "root": _PLAIN},
        "each term of uniform sampling's rate grows, that of the noise alone had to"),
)

_SIZE = 4 + 2 / alpha
_ALL, _SIXTH = sqrt(_SIZE), Rational(1, 6)


def _order(name: str, small: Expr, large: Expr, power: Expr = HALF) -> tuple[Step, ...]:
    """Prove the order of the roots of a number and of a larger one."""
    return (
        line(f"{name} 0", le(0, small), by.linear()),
        line(f"{name} 1", le(small, large), by.linear()),
        line(name, le(small**power, large**power), by.power(power, f"{name} 0", f"{name} 1")),
    )


FEDAVG = (
    compared("osmd/C-T5cmp@corrected", OSMD_RATE, (), {"c3": _LONG},
        "the root of the regret is at most what the comparator's spread saves"),
    compared(
        "osmd/C-T5cmp@printed",
        OSMD_PRINTED,
        (
            *_order("one", Integer(1), _SIZE),
            *_order("cap", 2 + 1 / alpha, _SIZE),
            *_order("sixth", Integer(1), _SIZE, _SIXTH),
            *_order("noise", 1 / alpha, _SIZE),
            line("drift", le(_SIZE**_THIRD, _ALL), by.linear({"sixth": _SIZE**_THIRD})),
        ),
        {
            "c3": _LONG,
            "one": sqrt(D * L / T) * zeta_unif / sqrt(K),
            "cap": D * L / T,
            "drift": (D * L / T) ** (2 * _THIRD) * (zeta_unif ** (2 * _THIRD) + (sigma**2 / B) ** _THIRD),
            "noise": sqrt(D * L / T) * sigma / sqrt(K * B),
        },
        "each factor of alpha is at most the root of 4 + 2/alpha",
    ),
)
THEOREMS = (*SGD, *FEDAVG)
