"""Tuned steps of the non-convex rates: Theorems 15 and 16 and, at the server step 1, Corollary 4."""

from __future__ import annotations

from sympy import Expr, Integer, Rational, Symbol, sqrt

from fltheory.papers.sfl import bounds
from fltheory.papers.sfl.nonconvex.proofs.rates import T3_NC, T15, T16, least
from fltheory.papers.sfl.notation import A, D, K, L, M, R, c1, c2, eta_eff, eta_max, gamma, sigma, zeta
from fltheory.papers.sfl.upper.proofs.tuned import _AT_MOST, _ONE_OF, FLAT
from fltheory.proof import Defines, Given, Relation, Step, Theorem, by, le, line, proof, statement_of
from fltheory.proof.terms import substitute
from fltheory.verification import find

THIRD = Rational(1, 3)


def at(relation: Relation, values: dict[Expr, Expr]) -> Relation:
    """Return a relation with these values."""
    return Relation(substitute(relation.left, values), relation.op, substitute(relation.right, values))


def tuned(name: str, claim: str, base: Theorem, step: Expr, terms: tuple[Expr, Expr, Expr]) -> Theorem:
    """Prove a rate at the tuned step from that at any step, ten times the sum in U8t; ``terms``: c1, c2, largest."""
    bound = find(claim).bound
    values = {eta_eff: step, eta_max: terms[2], c1: terms[0], c2: terms[1], D: sqrt(A)}
    statement, conditions = statement_of(bound, least)
    tuning = tuple(Given(g.id, at(g.relation, values), g.why) for g in (*_AT_MOST, _ONE_OF))
    shared = tuple(h for h in base.hypotheses if h.id not in ("c1", "c2"))
    uses = (*(h.id for h in shared if not isinstance(h, Defines)), "cap", *(c.id for c in conditions))
    inserted = tuple(h.id for h in reversed(shared) if isinstance(h, Defines))
    return (
        proof(name, of=claim, bound=bound).under(*shared, *conditions, *tuning)
        .step("any step", base.statement, by.apply(base.id, *uses), inserting=inserted)
        .step("balance", by.apply(FLAT, values))
        .qed(statement, by.linear("any step", "balance"), note="the three terms at the step that balances them")
    )


_SFL, _PFL = T15.bound, T16.bound
assert _SFL is not None
assert _PFL is not None
_SFL_STEP, _PFL_STEP = _SFL.where[0][1], _PFL.where[0][1]
T15_TUNED = tuned("sfl/T15-tuned", "sfl/T15-tuned@explicit", T15, _SFL_STEP,
    (bounds.C1_NC, bounds.C2_NC / gamma**2, bounds.ETA_NC))
T16_TUNED = tuned("sfl/T16-tuned", "sfl/T16-tuned@explicit", T16, _PFL_STEP,
    (bounds.C1_NC, bounds.C2_NC_PFL / gamma**2, bounds.ETA_NC_PFL))
C4_NC = tuned("sfl/C4-NC@corrected", "sfl/C4-NC@corrected", T3_NC, _SFL_STEP.subs(gamma, 1),
    (bounds.C1_NC, bounds.C2_NC, bounds.ETA_NC))

# As printed: a root of a sum is at most the sum of the roots ------------------------------------------------------------

_x, _root = Symbol("x", nonnegative=True), Symbol("root", nonnegative=True)
ROOT = (
    proof("sfl/third-root", "Theorem 15", note="a third root is at most what has a larger cube")
    .given("cube", le(_x, _root**3), "the cube")
    .step("sign", le(0, _x), by.linear())
    .qed(le(_x**THIRD, _root), by.power(THIRD, "sign", "cube"), name="last")
)


def root_of_sum(first: Expr, second: Expr) -> tuple[Step, ...]:
    """Prove (p^3 + q^3)^(1/3) <= p + q."""
    p, q = first**THIRD, second**THIRD
    return (
        line("cubes", le(first + second, (p + q) ** 3), by.linear()),
        line("roots", le((first + second) ** THIRD, p + q),
            by.apply(ROOT, {_x: first + second, _root: p + q}, "cubes")),
    )


def below(name: str, number: int, exponent: Expr) -> tuple[Step, ...]:
    """Prove that a root of a number is at most 3."""
    top = Integer(3) ** (1 / exponent)
    return (
        line(f"{name} sign", le(0, number), by.linear()),
        line(f"{name} power", le(number, top), by.linear()),
        line(name, le(Integer(number) ** exponent, 3), by.power(exponent, f"{name} sign", f"{name} power")),
    )


_ROOTS = (*below("sqrt 2", 2, Rational(1, 2)), *below("cbrt 15", 15, THIRD), *below("cbrt 10", 10, THIRD))
_NOISE = 20 * sqrt(L * sigma**2 * A / (M * K * R))
_SCALE = 10 * (A / (R * gamma)) ** Rational(2, 3) * L ** Rational(2, 3)


def printed(
    explicit: Theorem, parts: tuple[Expr, Expr], second: str, inside: tuple[Expr, Expr], scale: Expr
) -> Theorem:
    """Prove the rate as printed, with 1000 for the hidden constant; ``parts`` are under the third root, ``inside`` is
    the radicand with their numbers, times ``scale``.
    """
    claim = find(f"{explicit.id}@printed")
    statement, conditions = statement_of(claim.bound, least)
    setting = tuple(h for h in explicit.hypotheses if h.id != "c1")
    uses = (h.id for h in (*setting, *conditions) if not isinstance(h, Defines))
    weights: dict[str, Expr] = {"explicit": Integer(1), "roots": scale, "sqrt 2": _NOISE}
    for name, part in zip(("cbrt 15", second), parts, strict=True):
        weights[name] = weights.get(name, Integer(0)) + _SCALE * part**THIRD
    return (
        proof(f"{explicit.id}-printed", of=claim.id, bound=claim.bound).under(*setting, *conditions)
        .step("explicit", explicit.statement, by.apply(explicit.id, *uses),
            inserting=tuple(h.id for h in reversed(setting) if isinstance(h, Defines)))
        .steps(*root_of_sum(*inside), *(s for s in _ROOTS if not s.id.startswith("cbrt 10") or second == "cbrt 10"))
        .qed(statement, by.linear(weights), note="60, 20 sqrt(2) and 10 cbrt(15) are at most 1000")
    )


_SFL_PARTS, _PFL_PARTS = (sigma**2 / (M * K), zeta**2 / M), (sigma**2 / K, zeta**2)
_INSIDE = (Rational(15, 8) * L**2 * sigma**2 / K, Rational(5, 4) * L**2 * zeta**2)
PRINTED = (
    printed(T15_TUNED, _SFL_PARTS, "cbrt 15", _SFL_PARTS, _SCALE * Integer(15) ** THIRD),
    printed(T16_TUNED, _PFL_PARTS, "cbrt 10", _INSIDE, 20 * (A / (R * gamma)) ** Rational(2, 3)),
)

THEOREMS = (ROOT, T15_TUNED, T16_TUNED, C4_NC, *PRINTED)
