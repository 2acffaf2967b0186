"""A round on clients of equal curvature, (12) and (13), and the second noise term of Theorem 6 beside the first."""

from __future__ import annotations

from sympy import Expr, Symbol, oo

from fltheory.papers.sfl.lower import bounds as formula
from fltheory.papers.sfl.notation import D, K, M, mu, sigma, t, x0
from fltheory.papers.sfl.signs.proofs.kept import ROUND_GIVEN, SPREAD, B, V, d, n, q, tau
from fltheory.papers.sfl.signs.proofs.shuffled import POSITIVE_POWER
from fltheory.proof import Given, Theorem, by, eq, le, lt, proof, statement_of
from fltheory.proof.terms import E, RandomScalar, family
from fltheory.verification import find

after = family(RandomScalar, "after")()
_q = (1 - d) ** K

# (13): T as a function of the step, and of t = 1 - (1 - d)^K ------------------------------------------------------------

I13 = find("sfl/I13@printed")


def _t_of_step(kept: Expr) -> Expr:
    """T(d), as after (12)."""
    return 1 + kept**M - (1 + kept) / (M * (1 - kept)) * (1 - kept**M)


def _less_than_1(chain: Theorem) -> Theorem:
    """Return lines: (1 - d)^K <= 1 - d, so that it lies in [0, 1)."""
    return (
        chain.step("d", le(0, 1 - d, (n, 0, oo)), by.linear("c1"))
        .step("below", le(1 - d, 1, (n, 0, oo)), by.linear())
        .step("powers", by.power(n, "d", "below"))
        .step("times", le((1 - d) ** (n + 1), 1 - d, (n, 0, oo)), by.linear("powers", "d"))
        .step("kept", by.instance({n: K - 1}, "times"))
        .step("q", lt(_q, 1), by.linear("kept"))
    )


_SAME, _SAME_IF = statement_of(I13.bound, _t_of_step(_q))
SAME = _less_than_1(
    proof("sfl/I13", "Appendix D.3, (13)", of=I13.id, bound=I13.bound, unused=("c2",)).under(*_SAME_IF)
).qed(_SAME, by.linear(q=0), name="identity")

# (12) ----------------------------------------------------------------------------------------------------------------------

LAST = Given("last round", eq(after, q**M * x0 + B(M)), "M clients with K steps each, from x0")
FAIR = Given("fair", eq(E(tau(n + 1)), 0, (n, 0, M - 1)), "as many pluses as minuses, in random order")
ROUND = (
    proof("sfl/D3-exact", "Appendix D.3, (12)", note="(12) with q for (1 - d)^K").under(LAST, FAIR, *ROUND_GIVEN)
    .step("moment", by.apply(SPREAD))
    .step("base", by.expectation("begin"))
    .step("move", by.expectation("client"))
    .step("next", eq(E(B(n + 1)), 0, (n, 0, M - 1)), by.linear("move", "fair"), assuming=eq(E(B(n)), 0))
    .step("mean", eq(E(B(n)), 0, (n, 0, M)), by.induction(n, "base", "next"))
    .step("mean M", by.instance({n: M}, "mean"))
    .step("square", eq(after**2, q ** (2 * M) * x0**2 + 2 * q**M * x0 * B(M) + B(M) ** 2), by.linear("last round"))
    .step("end", by.expectation("square"))
    .qed(eq(E(after**2), q ** (2 * M) * x0**2 + V), by.linear("end", "mean M", "moment"), name="round")
)

I12 = find("sfl/I12@printed")
_TWELVE, _TWELVE_IF = statement_of(I12.bound, E(after**2))
_MODEL = tuple(h for h in (LAST, FAIR, *ROUND_GIVEN) if h.id not in ("two", "q"))
_READ = tuple(Given(h.id, h.relation.at({q: _q}), h.why) for h in _MODEL)
TWELVE = (
    _less_than_1(
        proof("sfl/I12", "Appendix D.3, (12)", of=I12.id, bound=I12.bound, unused=("c2",)).under(*_TWELVE_IF, *_READ))
    .step("positive", by.apply(POSITIVE_POWER, {t: d}))
    .step("at K", by.instance({n: K}, "positive"))
    .step("round", by.apply(ROUND, {q: _q}, *(h.id for h in _READ), "c3", "q", "at K"))
    .qed(_TWELVE, by.linear("round", "q", "c3"), name="display")
)

# Theorem 6: the second noise term over the first ---------------------------------------------------------------------------

_POSITIVE = {letter: Symbol(name, positive=True) for letter, name in ((mu, "mu"), (sigma, "sigma"), (D, "D"))}


def _second(case: str, quantity: Expr) -> tuple[Theorem, Theorem]:
    """Prove the exact quotient, and its size under the conditions of Theorem 6."""
    claim, reading = find(f"sfl/T6-second-{case}@strengthened"), _POSITIVE
    exactly, most = claim.bounds
    head, tail = (
        proof(id, b.source.place, of=claim.id, bound=b, reading=reading, unused=unused)
        for id, b, unused in (
            (f"sfl/T6-second-{case}", exactly, ("c1", "c2", "c3")),
            (f"sfl/T6-second-{case}-most", most, ("c1", "c2")),
        )
    )
    measured = quantity.subs(reading)
    (equal, conditions), (small, _) = (statement_of(b, measured, reading) for b in claim.bounds)
    return (
        head.under(*conditions).qed(equal, by.linear(), name="quotient"),
        tail.under(*conditions).qed(small, by.linear("c3"), name="most"),
    )


SECOND = (
    *_second("SC", formula.SECOND_SC / formula.FIRST_SC),
    *_second("GC", formula.GC_NOISE**6 / formula.GC_FIRST**6),
)

THEOREMS = (SAME, ROUND, TWELVE, *SECOND)
