"""False printed statements, refuted at exact numbers, each beside its correction.

The text of Sections 2 and 3 on continuous greedy, Theorem 3.2 for any step, remarks on T after Theorems 3.2 and 3.5,
the Lipschitz lines and (69) of Section 4.
"""

from __future__ import annotations

from sympy import Expr, Integer, Rational, Symbol, diff, exp, sqrt

from fltheory.papers.fedcg import bounds
from fltheory.papers.fedcg.facts import algebra
from fltheory.papers.fedcg.facts.sets import coordinate, extension, subsets, value
from fltheory.papers.fedcg.guarantees.proofs import theorem32 as full
from fltheory.papers.fedcg.notation import OPT, D, K, L, N, Q, T, delta, error, eta, m_F, r, sigma
from fltheory.proof import Step, by, eq, le, line, lt, proof, statement_of
from fltheory.verification import find

eps = Symbol("eps", positive=True)
d = Symbol("d", nonnegative=True)

# Theorem 3.2 for any step --------------------------------------------------------------------------------------

_ITEM = (1 - (1 - eta) ** T) * OPT - eta * T * OPT
T32_PRINTED = proof(
    "fedcg/T3.2",
    "Theorem 3.2",
    of="fedcg/T3.2@printed",
    bound=bounds.T32_PRINTED,
    reading={D: Integer(0)},
    recorded="REFUTED",
    note="for every step eta > 0: one client, one item of value OPT = m_F, where the extension is F(x) = OPT x",
).qed(statement_of(bounds.T32_PRINTED, _ITEM, {D: Integer(0)})[0],
    by.counterexample({eta: 3, T: 7, OPT: 1, r: 1, m_F: 1}), note="129 - 21 against 31.5")

_T35, _CHANCE = statement_of(bounds.T35_PRINTED, _ITEM, {D: Integer(0)})
T35_PRINTED = (
    proof("fedcg/T3.5", "Theorem 3.5", of="fedcg/T3.5@printed", bound=bounds.T35_PRINTED, reading={D: Integer(0)},
        recorded="REFUTED", note="the same instance: it has no chance in it, so that the bound fails surely")
    .under(*_CHANCE)
    .qed(_T35, by.counterexample({eta: 3, T: 7, OPT: 1, r: 1, m_F: 1, K: 1, delta: Rational(1, 2)}, "c1"),
        note="129 - 21 against 31.5")
)

_COVERED = (1 - (1 - eta) ** T) * OPT - (2 * eta - eta**2) * OPT
_T43, _T43_CHANCE = statement_of(bounds.T43_PRINTED, _COVERED, {D: Integer(0), Q: Integer(0)})
T43_PRINTED = (
    proof("fedcg/T4.3", "Theorem 4.3", of="fedcg/T4.3@printed", bound=bounds.T43_PRINTED,
        reading={D: Integer(0), Q: Integer(0)}, recorded="REFUTED",
        note="for every step eta > 0: one client, f(S) = OPT for every nonempty S of two items, rank 2, one local step; the point "
        "stays where the first round leads, as no item gains beyond 1 - the extension there is (1 - (1 - eta)^2) OPT")
    .under(*_T43_CHANCE)
    .qed(_T43, by.counterexample({eta: 10, T: 3, OPT: 1, r: 2, m_F: 1, sigma: 0, K: 1, delta: Rational(1, 2)}, "c1"),
        note="730 + 80 against 600")
)

# Continuous greedy on I3 ---------------------------------------------------------------------------------------

u = Symbol("u", nonnegative=True)
k, size = Symbol("k", integer=True, nonnegative=True), Symbol("size", integer=True, positive=True)


def kept(rank: Expr, step: Expr) -> Expr:
    """Return c of I3: the uncovered share after a step that takes a group of ``rank`` copies."""
    return 1 - (1 - (1 - step) ** rank) / rank


P6_LITERAL = proof(
    "fedcg/P6",
    "Section 2",
    of="fedcg/P6@strict",
    bound=bounds.P6_LITERAL,
    reading={m_F: 1 / r, eta: 1 / T},
    recorded="REFUTED",
    note="continuous greedy with the error C eta^2/2: a factor T is missing",
).qed(statement_of(bounds.P6_LITERAL, kept(r, 1 / T) ** T - (1 - 1 / T) ** T, {m_F: 1 / r, eta: 1 / T})[0],
    by.counterexample({T: 10, r: 2}), note="the instance I3 with rank 2 after 10 steps")
_ODDS = le(1 - (1 - u) ** (k + 2), (k + 2) * (u - u**2 / 2))
ODDS = (
    proof("fedcg/I3-rank", "Section 3", note="the share that a step covers, for every rank from 2 on")
    .given("unit", le(u, 1), "a step of at most 1")
    .step("0", le(1 - (1 - u) ** 2, 2 * (u - u**2 / 2)), by.linear(), note="equality at rank 2")
    .step("factor", le(0, 1 - u), by.linear("unit"))
    .step("low", le(1 - u, 1), by.linear())
    .step("small", by.apply(algebra.AT_MOST_ONE, {algebra.q: 1 - u, algebra.c: k + 1}, "factor", "low"),
        over=(k, 0, size - 2))
    .step("smaller", le((1 - u) ** (k + 2), 1 - u, (k, 0, size - 2)), by.linear("small", "factor"))
    .step("1", le(1 - (1 - u) ** (k + 3), (k + 3) * (u - u**2 / 2), (k, 0, size - 2)), by.linear("smaller", "unit"),
        assuming=_ODDS)
    .step("2", le(_ODDS.left, _ODDS.right, (k, 0, size - 1)), by.induction(k, "0", "1"))
    .qed(le(1 - (1 - u) ** (size + 1), (size + 1) * (u - u**2 / 2)), by.instance({k: size - 1}, "2"))
)
_below = 1 - u + u**2 / 2 - u**3 / 6 + u**4 / 24 - exp(-u)


def _rises(name: str, depth: int) -> tuple[Step, ...]:
    """Prove 0 <= the derivative of this order from the next one."""
    f = diff(_below, u, depth)
    return (
        line(f"{name} at 0", le(0, f.xreplace({u: 0 * u})), by.linear()),
        line(name, le(0, f), by.derivative(u, f"{name} at 0", "d4" if depth == 3 else f"d{depth + 1}")),
    )


TAYLOR = (
    proof("fedcg/I3-exp", "Section 3", note="Taylor's polynomial of order 4 lies above exp(-u)")
    .step("tangent", by.fact("exp", u))
    .step("d4", le(0, diff(_below, u, 4)), by.linear("tangent"))
    .steps(*_rises("d3", 3), *_rises("d2", 2), *_rises("d1", 1), *_rises("d0", 0))
    .qed(le(exp(-u), 1 - u + u**2 / 2 - u**3 / 6 + u**4 / 24), by.linear("d0"))
)
w = Symbol("w", positive=True)
LEFT = (
    proof("fedcg/I3-left", "Section 3", note="what a step leaves is more than exp(-1/T)")
    .given("unit", le(w, 1), "a step of at most 1")
    .step("taylor", by.apply(TAYLOR, {u: w}))
    .step("spare", lt(0, w**3 / 6 - w**4 / 24), by.linear("unit"))
    .qed(lt(exp(-w), 1 - w + w**2 / 2), by.linear("taylor", "spare"))
)
_c = 1 - (1 - (1 - 1 / T) ** (size + 1)) / (size + 1)
_root = exp(-1 / T)
NEVER = (
    proof("fedcg/P6-left", "Section 3", of="fedcg/P6-left@strengthened",
        note="on I3, for every T and every rank from 2 on, gradient sharing ends below 1 - 1/e of the optimum")
    .step("unit", le(1 / T, 1), by.linear())
    .step("rank", by.apply(ODDS, {u: 1 / T}))
    .step("left", by.apply(LEFT, {w: 1 / T}))
    .step("more", lt(_root, _c), by.linear("rank", "left"))
    .step("more or equal", le(_root, _c), by.linear("more"))
    .step("sign", le(0, _root), by.linear())
    .step("power", by.power(T - 1, "sign", "more or equal"))
    .qed(lt(1 - _c**T, 1 - exp(-1)), by.linear({"power": _c, "more": _root ** (T - 1)}, "sign"))
)
LIMIT = proof(
    "fedcg/P6-limit",
    "Section 3",
    of="fedcg/P6-limit@strict",
    bound=bounds.P6_LIMIT,
    reading={eta: 1 / T},
    recorded="REFUTED",
    note="that 1 - 1/e is reached once T is large enough, uniformly over instances",
).qed(statement_of(bounds.P6_LIMIT, (1 - exp(-1)) - (1 - kept(r, 1 / T) ** T), {eta: 1 / T})[0],
    by.counterexample({T: 100, r: 2}), note="and so for every T: fedcg/P6-left")

# Remarks on T --------------------------------------------------------------------------------------------------

RULE_32 = proof(
    "fedcg/T3.2-rule",
    "remark after Theorem 3.2",
    of="fedcg/T3.2-rule@printed",
    recorded="REFUTED",
    note="on I1 the value stays (1 + d)/N for every T: D is a sum of T terms, so that no T is as large as 2 r D/eps",
).qed(le((1 - exp(-1)) - (1 + d) / N, eps), by.counterexample({N: 10, d: Rational(1, 100), eps: Rational(1, 10)}),
    note="whatever T is")
_RUN = tuple(h for h in full.AT if h.id != "c1")  # its step is 1/T
_LONG_ENOUGH = find("fedcg/T3.2-rule@corrected").bound
RULE_32_TRUE = (
    proof("fedcg/T3.2-rule@corrected", "remark after Theorem 3.2", of="fedcg/T3.2-rule@corrected", bound=_LONG_ENOUGH,
        note="with the mean of the heterogeneities in place of their sum")
    .under(*_RUN)
    .given("average", le(r * full.D / T, error / 2), "the mean heterogeneity is small")
    .given("long", le(m_F * r**2 / error, T), "and T large")
    .step("short", le(T * (1 / T), 1), by.linear())
    .step("theorem", by.apply(full.T32_TUNED, *(h.id for h in _RUN), "short"))
    .qed(statement_of(_LONG_ENOUGH, (1 - exp(-1)) * OPT - full.V(T, 0))[0], by.linear("theorem", "average", "long"))
)
rounds = Symbol("rounds", positive=True)
_SAMPLED = 6 * r * D / sqrt(rounds * K * delta)
RULE_35 = (
    proof("fedcg/T3.5-rule", "remark after Theorem 3.5", of="fedcg/T3.5-rule@printed", recorded="REFUTED",
        note="T = 324 r^2 D^2/(K delta eps) makes the sampling term eps/3")
    .given("rule", eq(rounds, 324 * r**2 * D**2 / (K * delta * eps)), "the third number of the printed rule")
    .qed(le(_SAMPLED, eps / 3),
        by.counterexample({r: 1, D: 1, K: 1, delta: Rational(1, 2), eps: Rational(1, 4), rounds: 2592}, "rule"),
        note="1/6 against 1/12")
)
RULE_35_TRUE = (
    proof("fedcg/T3.5-rule@corrected", "remark after Theorem 3.5",
        note="the squares of both sides, neither of which is negative")
    .given("rule", le(324 * r**2 * D**2 / (K * delta * eps**2), rounds), "with eps squared")
    .qed(le(_SAMPLED**2, (eps / 3) ** 2), by.linear("rule"))
)

# Section 4 -----------------------------------------------------------------------------------------------------

_ITEMS = range(1, 5)


def _f(members: frozenset[int]) -> Expr:
    """Return the function of the counterexample: two covered points, and 1.99 for item 1, 1 for item 2."""
    met = sum((Integer(1) for pair in ({1, 3}, {2, 4}) if members & pair), Integer(0))
    return met + Rational(199, 100) * int(1 in members) + int(2 in members)


_smooth = extension(_ITEMS).subs({value(s): _f(s) for s in subsets(_ITEMS)})
_slopes = [diff(_smooth, coordinate(item)) for item in _ITEMS]
_drawn = frozenset({3})
_found = [_f(_drawn | {item}) - _f(_drawn - {item}) for item in _ITEMS]
_error = sqrt(sum(((slope - guess) ** 2 for slope, guess in zip(_slopes, _found, strict=True)), Integer(0)))
_AT_69 = {coordinate(1): 0, coordinate(2): 0, coordinate(3): Rational(1, 2), coordinate(4): Rational(1, 2)}
LINE_69 = (
    proof("fedcg/L4.2-69", "proof of Lemma 4.2 (69)", of="fedcg/L4.2-69@printed", bound=bounds.L42_69,
        reading={sigma: _error, L: Integer(0), r: Integer(1)}, recorded="REFUTED",
        note="rank 1, one local step, one sample: the error of the way back from the estimate is dropped")
    .given("chosen", le(_found[0], _found[1]), "item 2 has the larger estimate, by the draw {3}")
    .qed(statement_of(bounds.L42_69, _slopes[0] - _slopes[1], {sigma: _error, L: Integer(0), r: Integer(1)})[0],
        by.counterexample(_AT_69, "chosen"), note="0.99 against sqrt(1/2)")
)
_any = extension((1, 2, 3)).subs({value(s): Integer(bool(s)) for s in subsets((1, 2, 3))})
_moves = [diff(_any, coordinate(item)) for item in (1, 2, 3)]
LIP1 = proof(
    "fedcg/Lip1",
    "Section 4",
    of="fedcg/Lip1@printed",
    recorded="REFUTED",
    note="f = 1 for every set but the empty one, m = r = 1, a local step of 1/2 from 0: no such Lipschitz constant in the 2-norm",
).qed(le(sqrt(sum(((m - m.subs(coordinate(1), 0)) ** 2 for m in _moves), Integer(0))), coordinate(1)),
    by.counterexample({coordinate(1): Rational(1, 2), coordinate(2): 0, coordinate(3): 0}),
    note="sqrt(2)/2 against 1/2")

THEOREMS = (T32_PRINTED, T35_PRINTED, T43_PRINTED, P6_LITERAL, ODDS, TAYLOR, LEFT, NEVER, LIMIT, RULE_32, RULE_32_TRUE,
    RULE_35, RULE_35_TRUE, LINE_69, LIP1)
