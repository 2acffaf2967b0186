"""Tuned steps: the averages at the step that balances their terms, and the rates that follow.

The theorems suppose of a tuned step eta = min{eta_max, ...} its defining inequalities, in a form that includes c1 = 0
and c2 = 0 too, where a candidate is infinite and is omitted.
"""

from __future__ import annotations

from sympy import Expr, Integer, Max, Min, Rational, Symbol, exp, sqrt

from fltheory.model.bound import Bound
from fltheory.papers.sfl import bounds
from fltheory.papers.sfl.notation import D, K, L, M, R, S, a, b, c1, c2, eta, eta_eff, eta_max, mu, sigma, zeta_star
from fltheory.papers.sfl.recursion import bounds as formula
from fltheory.papers.sfl.recursion.proofs.averages import PLACE, f, r, weighted
from fltheory.papers.sfl.recursion.proofs.averages import U7 as AVERAGED
from fltheory.papers.sfl.recursion.proofs.averages import U8 as AVERAGED_FLAT
from fltheory.papers.sfl.upper.proofs import rates
from fltheory.papers.sfl.upper.proofs.rates import gap, x_bar
from fltheory.proof import Defines, Given, Relation, Step, Theorem, by, eq, le, line, lt, proof, statement_of
from fltheory.proof.terms import Scalar, Total, family, substitute
from fltheory.verification import find

THIRD, TWO_THIRDS = Rational(1, 3), Rational(2, 3)

# U8t: the step min{eta_max, sqrt(d/(c1 R)), cbrt(d/(c2 R))}, where d = D^2 -------------------------------------------

_AT_MOST = (
    Given("cap", le(eta_eff, eta_max), "the step is at most the largest allowed one,"),
    Given("noise", le(c1 * R * eta_eff**2, D**2), "at most sqrt(D^2/(c1 R)),"),
    Given("drift", le(c2 * R * eta_eff**3, D**2), "at most (D^2/(c2 R))^(1/3),"),
)
_GAPS = (eta_max - eta_eff, D**2 - c1 * R * eta_eff**2, D**2 - c2 * R * eta_eff**3)
_ONE_OF = Given("attained", le(Min(*_GAPS), 0),
    "and at least one of the three: the least. A candidate with c = 0 is infinite")


def is_least(gaps: tuple[Expr, ...], which: int) -> tuple[Relation, ...]:
    """Return the case in which this is the least of some numbers."""
    return tuple(le(gaps[which], g) for i, g in enumerate(gaps) if i != which)


def least(name: str, gaps: tuple[Expr, ...], which: int, given: str, note: str) -> tuple[Step, ...]:
    """Prove that the least of some numbers is nonpositive, from the case in which it is this one."""
    case = is_least(gaps, which)
    return (
        line(f"{name}min", eq(Min(*gaps), gaps[which]), by.fact("min", Min(*gaps)), assuming=case),
        line(f"{name}gap", le(gaps[which], 0), by.linear(given, f"{name}min"), assuming=case, note=note),
    )


_ROOT, _CUBE_ROOT = sqrt(c1 * D**2 / R), c2**THIRD * (D**2 / R) ** TWO_THIRDS
_DESCENT = le(D**2 / (eta_eff * R), D**2 / (eta_max * R) + _ROOT + _CUBE_ROOT)
_FIRST, _SECOND, _THIRD_ONE = (is_least(_GAPS, i) for i in range(3))
_FLAT = le(D**2 / (eta_eff * R) + c1 * eta_eff + c2 * eta_eff**2,
    D**2 / (eta_max * R) + 2 * sqrt(c1 * D**2 / R) + 2 * c2**THIRD * (D**2 / R) ** TWO_THIRDS)
FLAT = (
    proof("sfl/U8t-balance", PLACE, note="the three terms at the step that balances them").under(*_AT_MOST[1:], _ONE_OF)
    .step("1a", le((c1 * eta_eff) ** 2, c1 * D**2 / R), by.linear("noise"))
    .step("1b", le(0, (c1 * eta_eff) ** 2), by.linear())
    .step("1", by.power(Rational(1, 2), "1b", "1a"), note="the step is below the second candidate")
    .step("2a", le(c2 * eta_eff**3, D**2 / R), by.linear("drift"))
    .step("2b", le(0, c2 * eta_eff**3), by.linear())
    .step("2c", by.power(TWO_THIRDS, "2b", "2a"))
    .step("2", le(c2 * eta_eff**2, _CUBE_ROOT), by.linear("2c"), note="and below the third")
    .steps(*least("3", _GAPS, 0, "attained", "the step is the largest allowed one"))
    .step("3", _DESCENT, by.linear("3gap"), assuming=_FIRST)
    .steps(*least("4", _GAPS, 1, "attained", "the step is the second candidate"))
    .step("4a", le(D**4 / (eta_eff * R) ** 2, c1 * D**2 / R), by.linear("4gap"), assuming=_SECOND)
    .step("4b", le(0, D**4 / (eta_eff * R) ** 2), by.linear())
    .step("4c", by.power(Rational(1, 2), "4b", "4a"), assuming=_SECOND)
    .step("4", _DESCENT, by.linear("4c"), assuming=_SECOND)
    .steps(*least("5", _GAPS, 2, "attained", "the step is the third candidate"))
    .step("5a", le(D**6 / (eta_eff * R) ** 3, c2 * D**4 / R**2), by.linear("5gap"), assuming=_THIRD_ONE)
    .step("5b", le(0, D**6 / (eta_eff * R) ** 3), by.linear())
    .step("5c", by.power(THIRD, "5b", "5a"), assuming=_THIRD_ONE)
    .step("5", _DESCENT, by.linear("5c"), assuming=_THIRD_ONE)
    .step("6", by.cases("3", "4", "5"), note="one of the three it is")
    .qed(_FLAT, by.linear("1", "2", "6"))
)

U8T_STATEMENT, U8T_CONDITIONS = statement_of(formula.U8T, Total(f(r), r, 0, R) / (R + 1))
_GIVEN = tuple(h for h in AVERAGED_FLAT.hypotheses if h.id in ("recursion", "start", "positive"))
U8T = (
    proof("sfl/U8t", PLACE, of="sfl/U8t@explicit", bound=formula.U8T, unused=("c2", "cap"),
        note="the recursion's average at the step min{eta_max, sqrt(d/(c1 R)), (d/(c2 R))^(1/3)}, d = D^2")
    .under(*_GIVEN, *U8T_CONDITIONS, *_AT_MOST, _ONE_OF)
    .step("1", by.apply(AVERAGED_FLAT), note="at any step")
    .qed(U8T_STATEMENT, by.linear("1", by.apply(FLAT)), note="R + 1 iterates count as R")
)

# U7t: the step min{eta_max, ell/(a R)} with its logarithm ell --------------------------------------------------------

alpha = Symbol("alpha", positive=True)


def entries(rate: Expr) -> tuple[Expr, ...]:
    """Return the gaps for the cases of the step: the largest allowed one, or an entry of its logarithm."""
    growth = exp(rate * eta_eff * R)
    return eta_max - eta_eff, rate**2 * R * D**2 - c1 * growth, rate**3 * R**2 * D**2 - c2 * growth


def logarithmic(rate: Expr) -> Given:
    """Return the condition that the step's logarithm is long enough."""
    return Given("long", le(Min(*entries(rate)), 0),
        "the step is the largest allowed one, or e^(a eta R) is at least a^2 R D^2/c1 or a^3 R^2 D^2/c2, the least of the two, "
        "infinite where c = 0")


def forgotten(rate: Expr) -> Relation:
    """State a bound on the first term at the tuned step."""
    tail = 3 * c1 / (rate * R) + 3 * c2 / (rate * R) ** 2
    return le(3 * rate * D**2 * exp(-rate * eta_eff * R), 3 * rate * D**2 * exp(-rate * eta_max * R) + tail)


_ENTRIES, _FORGOTTEN = entries(alpha), forgotten(alpha)
_LATER, _DECAYED = alpha * R * (eta_eff - eta_max), 3 * alpha * D**2 * exp(-alpha * eta_eff * R)
BALANCE = (
    proof("sfl/U7t-balance", PLACE, note="the first term at the step that balances it").under(logarithmic(alpha))
    .steps(*least("1", _ENTRIES, 0, "long", "the step is the largest allowed one"))
    .step("1a", by.fact("exp", _LATER), note="1 + x <= e^x")
    .step("1", _FORGOTTEN, by.linear("1a", "1gap"), assuming=is_least(_ENTRIES, 0))
    .steps(*least("2", _ENTRIES, 1, "long", "e^(a eta R) is at least a^2 R D^2/c1"))
    .step("2", _FORGOTTEN, by.linear("2gap"), assuming=is_least(_ENTRIES, 1))
    .steps(*least("3", _ENTRIES, 2, "long", "or at least a^3 R^2 D^2/c2"))
    .step("3", _FORGOTTEN, by.linear("3gap"), assuming=is_least(_ENTRIES, 2))
    .qed(_FORGOTTEN, by.cases("1", "2", "3"), note="one of the three is the least")
)
SETTING = (
    Given("cap", le(eta_eff, eta_max), "the step is at most the largest allowed one,"),
    Given("half", le(Rational(1, 2), a * eta_eff * R), "a eta R is at least 1/2,"),
    logarithmic(a),
)
U7T_STATEMENT, U7T_CONDITIONS = statement_of(formula.U7T, weighted(1 - a * eta_eff, f(r)))
U7T = (
    proof("sfl/U7t", PLACE, of="sfl/U7t@explicit", bound=formula.U7T, unused=("c2",))
    .under(*AVERAGED.hypotheses[:3], *U7T_CONDITIONS, *SETTING)
    .step("1", lt(a * eta_eff, 1), by.linear("c1", "cap"), note="the step is small")
    .step("2", by.apply(AVERAGED), note="at any such step")
    .step("3", lt(0, a), by.linear(half=1 / (eta_eff * R)))
    .step("4", by.apply(BALANCE, {alpha: a}, "long", "3"), note="its first term")
    .qed(U7T_STATEMENT, by.linear({"2": 1, "4": 1 / b}), note="a eta R is ell_e")
)

# The theorems at the tuned step -----------------------------------------------------------------------------------


def at_tuned_step(
    name: str, bound: Bound, base: Theorem, step: Expr, terms: tuple[Expr, Expr], claim: str, curved: bool
) -> Theorem:
    """Prove a rate at the tuned step from that at any step; ``terms`` are c1 and c2, b = 1/3 and eta_max = 1/(6 L)."""
    rate = mu / 2
    values = {a: rate, eta_eff: step, eta_max: 1 / (6 * L), c1: terms[0], c2: terms[1]}
    part = terms[0].has(S)
    reading = {eta_eff: step} if curved else {}
    statement, conditions = statement_of(bound, gap(x_bar), reading)
    tuning = tuple(
        Given(
            g.id,
            Relation(substitute(g.relation.left, values), g.relation.op, substitute(g.relation.right, values)),
            g.why,
        )
        for g in (SETTING if curved else (*_AT_MOST, _ONE_OF))
    )
    shared = tuple(h for h in base.hypotheses if h.id not in ("c1", "c2"))
    given = (*(h.id for h in shared if not isinstance(h, Defines)), "cap", *(("half",) if curved else ()))
    inserted = tuple(h.id for h in shared if isinstance(h, Defines))
    balanced = forgotten(a) if curved else _FLAT
    balanced = Relation(substitute(balanced.left, values), "<=", substitute(balanced.right, values))
    lemma = (
        line("2", balanced,
            by.apply(BALANCE, {**{k: v for k, v in values.items() if k != a}, alpha: rate}, "long", "1+",
                *(("1s",) if part else ())), note="the first term")
        if curved
        else line("2", balanced, by.apply(FLAT, values, "noise", "drift", "attained", *(("1s",) if part else ())),
            note="the three terms balanced")
    )
    small = line("small", lt(rate * step, 1), by.linear("cap", "order"))
    return (
        proof(name, bound.source.place, of=claim, bound=bound, reading=reading, unused=tuple(c.id for c in conditions),
            note="of the tuned step it uses what the hypotheses say" if curved else "")
        .under(*shared, *tuning, *conditions)
        .steps(*((small,) if curved else ()))
        .step("1", base.statement, by.apply(base.id, *given, *(("small",) if curved else ())), inserting=inserted,
            note="at any step")
        .steps(*((line("1+", lt(0, rate), by.linear(half=1 / (step * R))),) if curved else ()),
            *((line("1s", le(0, terms[0]), by.linear("few")),) if part else ()), lemma)
        .qed(statement, by.linear({"1": 1, "2": 3}))
    )


_BASES = {t.id: t for t in rates.THEOREMS}
_SFL, _PFL, _PART = eta * M * K, eta * K, eta * S * K
TUNED = tuple(
    at_tuned_step(
        f"sfl/{name}", bound, _BASES[f"sfl/{base}"], step, terms, f"sfl/{name}@{bound.source.reading}", curved
    )
    for name, bound, base, step, terms, curved in (
        ("C4-SC", bounds.C4_SC, "T3-SC", _SFL, (bounds.C1_SFL, bounds.C2_SFL), True),
        ("C4-GC", bounds.C4_GC, "T3-GC", _SFL, (bounds.C1_SFL, bounds.C2_SFL), False),
        ("T7-tuned", bounds.T7_TUNED, "T7", _PFL, (bounds.C1_SFL, bounds.C2_PFL), True),
        ("T7-GC-tuned", bounds.T7_GC_TUNED, "T7-GC", _PFL, (bounds.C1_SFL, bounds.C2_PFL), False),
        ("PP-SFL-tuned", bounds.PP_SFL_TUNED, "PP-SFL", _PART, (bounds.C1_PP, bounds.C2_PP), True),
        ("PP-SFL-GC-tuned", bounds.PP_SFL_GC_TUNED, "PP-SFL-GC", _PART, (bounds.C1_PP, bounds.C2_PP), False),
        ("PP-PFL-tuned", bounds.PP_PFL_TUNED, "PP-PFL", _PFL, (bounds.C1_PP, bounds.C2_PFL), True),
        ("PP-PFL-GC-tuned", bounds.PP_PFL_GC_TUNED, "PP-PFL-GC", _PFL, (bounds.C1_PP, bounds.C2_PFL), False),
    )
)

# As printed: with 1000 for the hidden constant -----------------------------------------------------------------------------

_x = Symbol("x", real=True)
m, _c = Symbol("m", positive=True), Symbol("c", nonnegative=True)
DOUBLED = proof("sfl/doubled", PLACE).qed(le(2 * _x, _x**2 + 1), by.polynomial(),
    note="a number is at most what its square and 1 have in the mean")

SHARED = (
    proof("sfl/doubled-part", PLACE, note="the same, times a number that is not negative")
    .step("whole", by.apply(DOUBLED))
    .qed(le(2 * _x * _c, (_x**2 + 1) * _c), by.linear("whole"), name="last")
)


def larger(explicit: Theorem, statement: Relation, name: str, noise: Expr) -> Theorem:
    """Prove that the printed right side is the larger one, where m stands for mu; ``noise`` is c1."""
    ell, least_one = m / 2 * explicit.reading[0][1] * R, Max(M - 1, 1)
    few = tuple(h for h in explicit.hypotheses if h.id == "few" and noise.has(S))
    weights: dict[str, Expr] = {"log": 12 * sigma**2 / (K * (S if few else M) * R * m)}
    lines = [line("log", le(2 * ell, ell**2 + 1), by.apply(DOUBLED, {_x: ell}))]
    if few:
        share = zeta_star**2 / (R * S * m * least_one)
        part = (M - S) * share
        lines += [
            line("share", le(0, part), by.linear("few")),
            line("log part", le(2 * ell * part, (ell**2 + 1) * part), by.apply(SHARED, {_x: ell, _c: part}, "share")),
        ]
        weights |= {"log part": Integer(12), "share": 988 * ell**2 + 916}
    sides = (substitute(side, {mu: m}) for side in (explicit.statement.right, statement.right))
    return (
        proof(f"{name}-larger", PLACE).under(*few)
        .steps(*lines)
        .qed(le(*sides), by.linear(weights), name="last", note="no constant exceeds 1000")
    )


def printed(explicit: Theorem, claim: str, noise: Expr) -> tuple[Theorem, Theorem]:
    """Prove a rate as printed from the one with its constants."""
    bound, own, name = find(claim).bound, ("small", "1+"), claim.replace("@", "-")
    signs = tuple(s for s in explicit.steps if s.id in own)
    statement, conditions = statement_of(bound, gap(x_bar), dict(explicit.reading))
    shared = tuple(h for h in explicit.hypotheses if h.id not in {c.id for c in conditions})
    given = (h.id for h in (*shared, *conditions) if not isinstance(h, Defines))
    compared = larger(explicit, statement, name, noise)
    few = tuple(h.id for h in compared.hypotheses)
    below = Relation(explicit.statement.right, "<=", statement.right)
    return compared, (
        proof(name, of=claim, bound=bound, reading=dict(explicit.reading)).under(*shared, *conditions)
        .steps(*signs)
        .step("curved", lt(0, mu), by.linear("1+"))
        .step("larger", below, by.apply(compared.id, {m: mu}, "curved", *few))
        .step("explicit", explicit.statement, by.apply(explicit.id, *given),
            inserting=tuple(h.id for h in reversed(shared) if isinstance(h, Defines)))
        .qed(statement, by.linear({"explicit": 1, "larger": 1}, *own))
    )


_TUNED = {t.id: t for t in TUNED}
PRINTED = tuple(
    theorem
    for name, claim, noise in (
        ("sfl/C4-SC", "sfl/C4-SC@printed", bounds.C1_SFL),
        ("sfl/T7-tuned", "sfl/T7@printed", bounds.C1_SFL),
        ("sfl/PP-SFL-tuned", "sfl/PP-SFL-tuned@printed", bounds.C1_PP),
        ("sfl/PP-PFL-tuned", "sfl/PP-PFL-tuned@printed", bounds.C1_PP),
    )
    for theorem in printed(_TUNED[name], claim, noise)
)

# The step with its logarithm is long enough -------------------------------------------------------------------------

ell, C1, C2 = Symbol("ell", real=True), Symbol("C1", positive=True), Symbol("C2", positive=True)
_ROOT_E, _RATIO = exp(Rational(1, 2)), Min(alpha**2 * R * D**2 / C1, alpha**3 * R**2 * D**2 / C2)
_LARGER, _STEP = Max(_ROOT_E, _RATIO), Min(eta_max, ell / (alpha * R))
_ABOVE, _HALF = le(_ROOT_E, _LARGER), le(Rational(1, 2), alpha * eta_eff * R)
_ENTRY, _HALVED = (le(_ROOT_E, _RATIO), le(_RATIO, _ROOT_E)), Rational(1, 2) - ell
_SHORTER = (le(eta_max, ell / (alpha * R)), le(ell / (alpha * R), eta_max))
HALF = (
    proof("sfl/U7t-half", PLACE, note="why a eta R >= 1/2 at the tuned step")
    .given("step", eq(eta_eff, _STEP), "the tuned step")
    .given("log", eq(exp(ell), _LARGER), "its logarithm; c1 and c2 are positive here")
    .given("enough", le(Rational(1, 2), alpha * eta_max * R), "enough rounds")
    .step("1a", eq(_LARGER, _RATIO), by.fact("max", _LARGER), assuming=_ENTRY[:1])
    .step("1", _ABOVE, by.linear("1a"), assuming=_ENTRY[:1])
    .step("2a", eq(_LARGER, _ROOT_E), by.fact("max", _LARGER), assuming=_ENTRY[1:])
    .step("2", _ABOVE, by.linear("2a"), assuming=_ENTRY[1:])
    .step("3", by.cases("1", "2"))
    .step("4", by.fact("exp", _HALVED), note="1 + x <= e^x")
    .step("5", le(Rational(1, 2), ell), by.linear("3", "log", "4"), note="the logarithm is at least 1/2")
    .step("6a", eq(_STEP, eta_max), by.fact("min", _STEP), assuming=_SHORTER[:1])
    .step("6", _HALF, by.linear("enough", "step", "6a"), assuming=_SHORTER[:1])
    .step("7a", eq(_STEP, ell / (alpha * R)), by.fact("min", _STEP), assuming=_SHORTER[1:])
    .step("7", _HALF, by.linear("5", "step", "7a"), assuming=_SHORTER[1:])
    .qed(_HALF, by.cases("6", "7"), note="whichever of the two the step is")
)

# The catalogue's steps satisfy the conditions -------------------------------------------------------------------------

_X, _Y, _Z = (family(Scalar, name)() for name in "XYZ")
_XYZ = (_X, _Y, _Z)
_LEAST = le(Min(*_XYZ), 0)
BELOW = (
    proof("sfl/U7t-least", PLACE, note="so the least of them is not")
    .given("one", le(_X, 0), "one of three numbers is not positive")
    .steps(
        *(
            step
            for i, name in enumerate("123")
            for step in (
                line(f"{name}min", eq(Min(*_XYZ), _XYZ[i]), by.fact("min", Min(*_XYZ)), assuming=is_least(_XYZ, i)),
                line(name, _LEAST, by.linear({f"{name}min": 1, "one": 1, **({"assumed 1": 1} if i else {})}),
                    assuming=is_least(_XYZ, i)),
            )
        )
    )
    .qed(_LEAST, by.cases("1", "2", "3"))
)

_PARTS = tuple(substitute(e, {c1: C1, c2: C2}) for e in _ENTRIES)
_P = alpha**2 * R * D**2 / C1, alpha**3 * R**2 * D**2 / C2
_LONG, _OVER = le(Min(*_PARTS), 0), le(_RATIO, _LARGER)


def _entry(name: str, which: int) -> tuple[Step, ...]:
    """Prove the case that the step is ell/(a R), and this entry of the logarithm is the least."""
    case = (_SHORTER[1], le(_P[which - 1], _P[2 - which]))
    others = [e for i, e in enumerate(_PARTS) if i != which]
    return (
        line(f"{name}a", eq(_RATIO, _P[which - 1]), by.fact("min", _RATIO), assuming=case),
        line(f"{name}b", le(_PARTS[which], 0),
            by.linear({"over": (C1, C2)[which - 1], "log": -(C1, C2)[which - 1], f"{name}a": -(C1, C2)[which - 1]}),
            inserting="value", assuming=case),
        line(name, _LONG, by.apply(BELOW, {_X: _PARTS[which], _Y: others[0], _Z: others[1]}, f"{name}b"),
            assuming=case),
    )


LONG = (
    proof("sfl/U7t-long", PLACE, note="why the tuned step obeys what U7t supposes, where c1 and c2 are positive")
    .under(*HALF.hypotheses[:2])
    .steps(*HALF.steps[0:1])
    .step("1", _OVER, by.linear("1a"), assuming=_ENTRY[:1])
    .steps(HALF.steps[2])
    .step("2", _OVER, by.linear("2a"), assuming=_ENTRY[1:])
    .step("over", by.cases("1", "2"))
    .step("3a", eq(_STEP, eta_max), by.fact("min", _STEP), assuming=_SHORTER[:1])
    .step("3b", le(eta_max - eta_eff, 0), by.linear("step", "3a"), assuming=_SHORTER[:1])
    .step("3", by.apply(BELOW, {_X: _PARTS[0], _Y: _PARTS[1], _Z: _PARTS[2]}), assuming=_SHORTER[:1],
        note="the step is the largest allowed one")
    .step("4a", eq(_STEP, ell / (alpha * R)), by.fact("min", _STEP), assuming=_SHORTER[1:])
    .step("value", eq(eta_eff, ell / (alpha * R)), by.linear("step", "4a"), assuming=_SHORTER[1:])
    .steps(*_entry("5", 1), *_entry("6", 2))
    .qed(_LONG, by.cases("3", "5", "6"))
)

THEOREMS = (FLAT, U8T, BALANCE, U7T, HALF, BELOW, LONG, *TUNED, DOUBLED, SHARED, *PRINTED)
