"""The noise term of Theorem 5 as in Appendix C: four coordinates, one for every range of the step size."""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Add

from fltheory.papers.sfl import notation
from fltheory.papers.sfl.lower import bounds as lower_bounds
from fltheory.papers.sfl.lower.bounds import N
from fltheory.papers.sfl.lower.proofs import assembly as parts
from fltheory.papers.sfl.lower.proofs import lower
from fltheory.papers.sfl.lower.proofs.assembly import NOISY_KINK_START, W_SHAPE, mu, n, r, regime, steep, w, wR, x7
from fltheory.papers.sfl.lower.proofs.noise import stay
from fltheory.papers.sfl.notation import R, lam, lam0, lam1, sigma
from fltheory.papers.sfl.signs.proofs import kept
from fltheory.proof import Defines, Given, Step, by, le, line, proof, statement_of
from fltheory.proof.algebra.replacing import substitute_relation
from fltheory.proof.terms import E, RandomScalar, Scalar, family

x8, x9 = family(RandomScalar, "x8"), family(Scalar, "x9")
third = family(RandomScalar, "third")
_AT_3 = {lam: steep, kept.X(n): x8(n), kept.tau(n): third(n)}
_THIRD = tuple(
    Given(f"{h.id} 3", substitute_relation(h.relation, list(_AT_3.items())), h.why)
    for h in (kept.START, kept.MOVE, kept.UNIT, kept.FAIR)
)
_KINK, _KINK_AT = stay.coordinate("s", w, {lam0: steep})
_KINK_IDS = tuple(e.id for e in _KINK if isinstance(e, Given))
ERRORS = (mu * x7(N * R) ** 2, E(steep * W_SHAPE), steep / 2 * E(x8(N * R) ** 2), steep * x9(N * R) ** 2)
_STATEMENT, _IF = statement_of(lower_bounds.T5_APPENDIX_NOISE, Add(*ERRORS), {notation.mu: mu})
_LEAST = _STATEMENT.left
_FAR_SIGMA = lower_bounds.RATIO * sigma
_REGIMES = (
    ("s1", regime(lower_bounds.S1, ERRORS[0], {lam: mu}), {lam: mu, lower.x(n): x7(n)}, ("step 7", "start 7"), "PROVED",
        {"far": _LEAST}),
    ("s2", regime(lower_bounds.S2, ERRORS[1], {lam0: steep, lam1: mu}),
        {**_KINK_AT, lam0: steep, lam1: mu, stay.d(r): w(r) - E(w(r))}, ("start s", "one round", "c2", *_KINK_IDS),
        "PROVED", {}),
    ("s3", regime(lower_bounds.S3, ERRORS[2], {lam: steep}), _AT_3, tuple(h.id for h in _THIRD), "PROVED",
        {"rounds": _LEAST}),
    ("s4", regime(lower_bounds.S4, ERRORS[3], {lam: steep, sigma: _FAR_SIGMA}),
        {lam: steep, sigma: _FAR_SIGMA, lower.x(n): x9(n)}, ("step 9", "start 9"), "PROVED", {"far": _LEAST}),
)


def _cases() -> Iterator[Step]:
    for name, (relation, where), reading, uses, outcome, more in _REGIMES:
        yield line(name, relation, by.apply(f"sfl/{name}", reading, *uses),
            inserting=tuple(e.id for e in _KINK if isinstance(e, Defines)) if name == "s2" else (), assuming=where,
            recorded=outcome)
        others = tuple(i for i, own in (("positive s", "s2"), ("third positive", "s3")) if own != name)
        yield line(f"total {name}", _STATEMENT, by.linear({name: 1, **more, **dict.fromkeys(others, 1)}),
            assuming=where, note="the errors of the other coordinates are not negative")


T5_NOISE = (
    proof("sfl/T5-noise-appendix", of="sfl/T5-noise@explicit", bound=lower_bounds.T5_APPENDIX_NOISE,
        reading={notation.mu: mu}, unused=("c1",))
    .under(*_IF, *parts.flat(x7, mu, sigma / mu, "7"), NOISY_KINK_START, *_KINK, *_THIRD,
        *parts.flat(x9, steep, sigma / mu, "9"))
    .step("one round", le(1, R), by.polynomial())
    .step("rounds", le(1, R**2), by.linear("one round"))
    .step("far", le(1, N * R**2), by.polynomial())
    .steps(*parts.kink_positive(wR, W_SHAPE, steep, "s"))
    .step("third", le(0, steep / 2 * x8(N * R) ** 2), by.linear())
    .step("third positive", le(0, ERRORS[2]), by.expectation("third"))
    .steps(*_cases())
    .qed(_STATEMENT, by.cases(*(f"total {r[0]}" for r in _REGIMES)), name="error", note="the ranges meet")
)
THEOREMS = (T5_NOISE,)
