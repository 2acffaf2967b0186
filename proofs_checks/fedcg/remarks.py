"""What the paper prints and what is false of it, at exact numbers, each beside its repair.

Section 2's and 3's words on continuous greedy, Theorem 3.2 for any step, the remarks on T after Theorems 3.2 and 3.5,
the Lipschitz
lines and (69) of Section 4, Lemma C.3.
"""

from __future__ import annotations

from typing import Any

from sympy import Abs, Expr, Integer, Rational, Symbol, diff, exp, log, sqrt

from fltheory.papers.fedcg import bounds
from fltheory.papers.fedcg.letters import OPT, K, L, N, T, delta, eta, m_F, n, r, sigma
from fltheory.papers.fedcg.letters import D as dissimilarity_sum
from fltheory.papers.fedcg.letters import m as samples
from fltheory.proof.language import (
    Absolute,
    Apply,
    Assumed,
    Cases,
    Combine,
    Expected,
    Given,
    Induction,
    Instance,
    Known,
    Monotone,
    Power,
    Rising,
    Step,
    Theorem,
    Witness,
    eq,
    le,
    lt,
    stated,
)
from fltheory.proof.terms import E, Indicator, RandomScalar, family
from proofs_checks.fedcg import facts, tails
from proofs_checks.fedcg import theorem32 as full
from proofs_checks.fedcg.sets import coordinate, extension, subsets, value

eps = Symbol("eps", positive=True)
d = Symbol("d", nonnegative=True)

# Theorem 3.2 for any step --------------------------------------------------------------------------------------

_ITEM = (1 - (1 - eta) ** T) * OPT - eta * T * OPT
_T32 = stated(bounds.T32_PRINTED, _ITEM, {dissimilarity_sum: Integer(0)})[0]
T32_PRINTED = Theorem(
    "fedcg/T3.2",
    _T32,
    (),
    (Step("1", _T32, Witness({eta: 3, T: 7, OPT: 1, r: 1, m_F: 1}), expected="REFUTED", note="129 - 21 against 31.5"),),
    expected="REFUTED",
    claim="fedcg/T3.2@printed",
    bound=bounds.T32_PRINTED,
    reading={dissimilarity_sum: Integer(0)},
    place="Theorem 3.2",
    note="for every step eta > 0: one client, one item of value OPT = m_F, where the extension is F(x) = OPT x",
)

_T35, _CHANCE = stated(bounds.T35_PRINTED, _ITEM, {dissimilarity_sum: Integer(0)})
T35_PRINTED = Theorem(
    "fedcg/T3.5",
    _T35,
    _CHANCE,
    (
        Step(
            "1",
            _T35,
            Witness({eta: 3, T: 7, OPT: 1, r: 1, m_F: 1, K: 1, delta: Rational(1, 2)}),
            ("c1",),
            expected="REFUTED",
            note="129 - 21 against 31.5",
        ),
    ),
    expected="REFUTED",
    claim="fedcg/T3.5@printed",
    bound=bounds.T35_PRINTED,
    reading={dissimilarity_sum: Integer(0)},
    place="Theorem 3.5",
    note="the same instance: it has no chance in it, so that the bound fails surely",
)

# Continuous greedy on I3 ---------------------------------------------------------------------------------------

u = Symbol("u", nonnegative=True)
k, size = Symbol("k", integer=True, nonnegative=True), Symbol("size", integer=True, positive=True)


def kept(rank: Any, step: Any) -> Expr:
    """c of I3: what a step that takes a group of ``rank`` copies leaves uncovered."""
    return 1 - (1 - (1 - step) ** rank) / rank


_P6 = stated(bounds.P6_PRINTED, kept(r, 1 / T) ** T - (1 - 1 / T) ** T, {m_F: 1 / r, eta: 1 / T})[0]
P6_PRINTED = Theorem(
    "fedcg/P6",
    _P6,
    (),
    (Step("1", _P6, Witness({T: 10, r: 2}), expected="REFUTED", note="the instance I3 with rank 2 after 10 steps"),),
    expected="REFUTED",
    claim="fedcg/P6@printed",
    bound=bounds.P6_PRINTED,
    reading={m_F: 1 / r, eta: 1 / T},
    place="Section 2",
    note="continuous greedy with the error C eta^2/2: a factor T is missing",
)
_ODDS = le(1 - (1 - u) ** (k + 2), (k + 2) * (u - u**2 / 2))
UNIT = Given("unit", le(u, 1), "a step of at most 1")
ODDS = Theorem(
    "fedcg/I3-rank",
    le(1 - (1 - u) ** (size + 1), (size + 1) * (u - u**2 / 2)),
    (UNIT,),
    (
        Step("0", le(1 - (1 - u) ** 2, 2 * (u - u**2 / 2)), Combine(), note="equality at rank 2"),
        Step("factor", le(0, 1 - u), Combine(), ("unit",)),
        Step("low", le(1 - u, 1), Combine()),
        Step(
            "small",
            le((1 - u) ** (k + 1), 1, (k, 0, size - 2)),
            Apply("fedcg/power", {facts.q: 1 - u, facts.c: k + 1}),
            ("factor", "low"),
        ),
        Step(
            "smaller", le((1 - u) ** (k + 2), 1 - u, (k, 0, size - 2)), Combine({"small": 1 - u}), ("small", "factor")
        ),
        Step(
            "1",
            le(1 - (1 - u) ** (k + 3), (k + 3) * (u - u**2 / 2), (k, 0, size - 2)),
            Combine({"assumed 1": 1, "smaller": u}),
            ("smaller", "unit"),
            assuming=(_ODDS,),
        ),
        Step("2", le(_ODDS.left, _ODDS.right, (k, 0, size - 1)), Induction(k), ("0", "1")),
        Step("3", le(1 - (1 - u) ** (size + 1), (size + 1) * (u - u**2 / 2)), Instance({k: size - 1}), ("2",)),
    ),
    place="Section 3",
    note="the share that a step covers, for every rank from 2 on",
)
_below = 1 - u + u**2 / 2 - u**3 / 6 + u**4 / 24 - exp(-u)


def _rises(name: str, depth: int) -> tuple[Step, ...]:
    """0 <= the derivative of this depth, from the next one."""
    f = diff(_below, u, depth)
    return (
        Step(f"{name} at 0", le(0, f.xreplace({u: 0 * u})), Combine()),
        Step(name, le(0, f), Rising(u), (f"{name} at 0", "d4" if depth == 3 else f"d{depth + 1}")),
    )


_TAYLOR = le(exp(-u), 1 - u + u**2 / 2 - u**3 / 6 + u**4 / 24)
TAYLOR = Theorem(
    "fedcg/I3-exp",
    _TAYLOR,
    (),
    (
        Step("tangent", le(1 + u, exp(u)), Known("exp", u)),
        Step("d4", le(0, diff(_below, u, 4)), Combine({"tangent": exp(-u)}), ("tangent",)),
        *_rises("d3", 3),
        *_rises("d2", 2),
        *_rises("d1", 1),
        *_rises("d0", 0),
        Step("1", _TAYLOR, Combine(), ("d0",)),
    ),
    place="Section 3",
    note="Taylor's polynomial of order 4 lies above exp(-u)",
)
w = Symbol("w", positive=True)
spare = w**3 / 6 - w**4 / 24
_LEFT = lt(exp(-w), 1 - w + w**2 / 2)
LEFT = Theorem(
    "fedcg/I3-left",
    _LEFT,
    (Given("unit", le(w, 1), "a step of at most 1"),),
    (
        Step("taylor", le(exp(-w), 1 - w + w**2 / 2 - w**3 / 6 + w**4 / 24), Apply("fedcg/I3-exp", {u: w})),
        Step("spare", lt(0, w**3 / 6 - w**4 / 24), Combine({"unit": w**3 / 24}), ("unit",)),
        Step("1", _LEFT, Combine({"taylor": 1, "spare": 1}), ("taylor", "spare")),
    ),
    place="Section 3",
    note="what a step leaves is more than exp(-1/T)",
)
_c = 1 - (1 - (1 - 1 / T) ** (size + 1)) / (size + 1)
_SHORT = lt(1 - _c**T, 1 - exp(-1))
_root = exp(-1 / T)
NEVER = Theorem(
    "fedcg/P6-left",
    _SHORT,
    (),
    (
        Step("unit", le(1 / T, 1), Combine()),
        Step(
            "rank",
            le(1 - (1 - 1 / T) ** (size + 1), (size + 1) * (1 / T - 1 / (2 * T**2))),
            Apply("fedcg/I3-rank", {u: 1 / T}),
            ("unit",),
        ),
        Step("left", lt(_root, 1 - 1 / T + 1 / (2 * T**2)), Apply("fedcg/I3-left", {w: 1 / T}), ("unit",)),
        Step("more", lt(_root, _c), Combine({"rank": 1 / (size + 1), "left": 1}), ("rank", "left")),
        Step("more or equal", le(_root, _c), Combine(), ("more",)),
        Step("sign", le(0, _root), Combine()),
        Step("power", le(_root ** (T - 1), _c ** (T - 1)), Power(T - 1), ("sign", "more or equal")),
        Step("1", _SHORT, Combine({"power": _c, "more": _root ** (T - 1)}), ("power", "more", "sign")),
    ),
    claim="fedcg/P6-left@sharpened",
    place="Section 3",
    note="on I3, for every T and every rank from 2 on, gradient sharing ends below 1 - 1/e of the optimum",
)
_LIMIT = stated(bounds.P6_LIMIT, (1 - exp(-1)) - (1 - kept(r, 1 / T) ** T), {eta: 1 / T})[0]
LIMIT = Theorem(
    "fedcg/P6-limit",
    _LIMIT,
    (),
    (Step("1", _LIMIT, Witness({T: 100, r: 2}), expected="REFUTED", note="and so for every T: fedcg/P6-left"),),
    expected="REFUTED",
    claim="fedcg/P6-limit@literal",
    bound=bounds.P6_LIMIT,
    reading={eta: 1 / T},
    place="Section 3",
    note="that 1 - 1/e is reached once T is large enough, uniformly over instances",
)

# Remarks on T --------------------------------------------------------------------------------------------------

_I1 = le((1 - exp(-1)) - (1 + d) / N, eps)
RULE_32 = Theorem(
    "fedcg/T3.2-rule",
    _I1,
    (),
    (
        Step(
            "1",
            _I1,
            Witness({N: 10, d: Rational(1, 100), eps: Rational(1, 10)}),
            expected="REFUTED",
            note="whatever T is",
        ),
    ),
    expected="REFUTED",
    claim="fedcg/T3.2-rule@printed",
    place="remark after Theorem 3.2",
    note="on I1 the value stays (1 + d)/N for every T: D is a sum of T terms, so that no T is as large as 2 r D/eps",
)
_AVERAGE = Given("average", le(r * full.D / T, eps / 2), "the mean heterogeneity is small")
_LONG = Given("long", le(m_F * r**2 / eps, T), "and T large")
_RULE = le((1 - exp(-1)) * OPT - full.V(T, 0), eps)
RULE_32_TRUE = Theorem(
    "fedcg/T3.2-rule@corrected",
    _RULE,
    (*full.AT, _AVERAGE, _LONG),
    (
        Step("theorem", full.T32_TUNED.statement, Apply("fedcg/T3.2-tuned"), tuple(h.id for h in full.AT)),
        Step("1", _RULE, Combine({"theorem": 1, "average": 1, "long": eps / (2 * T)}), ("theorem", "average", "long")),
    ),
    claim="fedcg/T3.2-rule@corrected",
    place="remark after Theorem 3.2",
    note="with the mean of the heterogeneities in place of their sum",
)
D = dissimilarity_sum
rounds = Symbol("rounds", positive=True)
_SAMPLED = 6 * r * D / sqrt(rounds * K * delta)
_ENOUGH = le(_SAMPLED, eps / 3)
_PRINTED = Given("rule", eq(rounds, 324 * r**2 * D**2 / (K * delta * eps)), "the third number of the printed rule")
RULE_35 = Theorem(
    "fedcg/T3.5-rule",
    _ENOUGH,
    (_PRINTED,),
    (
        Step(
            "1",
            _ENOUGH,
            Witness({r: 1, D: 1, K: 1, delta: Rational(1, 2), eps: Rational(1, 4), rounds: 2592}),
            ("rule",),
            expected="REFUTED",
            note="1/6 against 1/12",
        ),
    ),
    expected="REFUTED",
    claim="fedcg/T3.5-rule@printed",
    place="remark after Theorem 3.5",
    note="T = 324 r^2 D^2/(K delta eps) makes the sampling term eps/3",
)
_SQUARED = Given("rule", le(324 * r**2 * D**2 / (K * delta * eps**2), rounds), "with eps squared")
RULE_35_TRUE = Theorem(
    "fedcg/T3.5-rule@corrected",
    le(_SAMPLED**2, (eps / 3) ** 2),
    (_SQUARED,),
    (Step("1", le(_SAMPLED**2, (eps / 3) ** 2), Combine({"rule": eps**2 / (9 * rounds)}), ("rule",)),),
    place="remark after Theorem 3.5",
    note="the squares of both sides, neither of which is negative",
)

# Section 4 -----------------------------------------------------------------------------------------------------

_ITEMS = range(1, 5)


def _f(members: frozenset[int]) -> Expr:
    """The function of the witness: two covered points, and 1.99 for item 1, 1 for item 2."""
    met = sum((Integer(1) for pair in ({1, 3}, {2, 4}) if members & pair), Integer(0))
    return met + Rational(199, 100) * int(1 in members) + int(2 in members)


_smooth = extension(_ITEMS).subs({value(s): _f(s) for s in subsets(_ITEMS)})
_slopes = [diff(_smooth, coordinate(item)) for item in _ITEMS]
_drawn = frozenset({3})
_found = [_f(_drawn | {item}) - _f(_drawn - {item}) for item in _ITEMS]
_error = sqrt(sum(((slope - guess) ** 2 for slope, guess in zip(_slopes, _found, strict=True)), Integer(0)))
_69 = stated(bounds.L42_69, _slopes[0] - _slopes[1], {sigma: _error, L: Integer(0), r: Integer(1)})[0]
_AT_69 = {coordinate(1): 0, coordinate(2): 0, coordinate(3): Rational(1, 2), coordinate(4): Rational(1, 2)}
LINE_69 = Theorem(
    "fedcg/L4.2-69",
    _69,
    (Given("chosen", le(_found[0], _found[1]), "item 2 has the larger estimate, by the draw {3}"),),
    (Step("1", _69, Witness(_AT_69), ("chosen",), expected="REFUTED", note="0.99 against sqrt(1/2)"),),
    expected="REFUTED",
    claim="fedcg/L4.2-69@printed",
    bound=bounds.L42_69,
    reading={sigma: _error, L: Integer(0), r: Integer(1)},
    place="proof of Lemma 4.2 (69)",
    note="rank 1, one local step, one sample: the error of the way back from the estimate is dropped",
)
_any = extension((1, 2, 3)).subs({value(s): Integer(bool(s)) for s in subsets((1, 2, 3))})
_moves = [diff(_any, coordinate(item)) for item in (1, 2, 3)]
_changed = sum(((m - m.subs(coordinate(1), 0)) ** 2 for m in _moves), Integer(0))
_LIP = le(sqrt(_changed), coordinate(1))
LIP1 = Theorem(
    "fedcg/Lip1",
    _LIP,
    (),
    (
        Step(
            "1",
            _LIP,
            Witness({coordinate(1): Rational(1, 2), coordinate(2): 0, coordinate(3): 0}),
            expected="REFUTED",
            note="sqrt(2)/2 against 1/2",
        ),
    ),
    expected="REFUTED",
    claim="fedcg/Lip1@printed",
    place="Section 4",
    note="f = 1 for every set but the empty one, m = r = 1, a local step of 1/2 from 0: no such Lipschitz constant in the 2-norm",
)

# Lemma C.3 -----------------------------------------------------------------------------------------------------

_C3 = le(1, exp(-samples * sigma**2 / 4))
C3 = Theorem(
    "fedcg/C.3",
    _C3,
    (Given("fails", lt(sigma, Rational(1, 2)), "one fair coin is always off its mean by 1/2"),),
    (
        Step(
            "1",
            _C3,
            Witness({samples: 1, sigma: Rational(49, 100)}),
            ("fails",),
            expected="REFUTED",
            note="1 against 0.9417",
        ),
    ),
    expected="REFUTED",
    claim="fedcg/C.3@printed",
    place="Lemma C.3",
    note="the printed tail: a fair coin, one sample, fails with probability 1",
)
off = family(RandomScalar, "off")()
_rate, _far = 4 * sigma, samples * sigma
_within, _up, _down = Indicator(_far - Abs(off)), Indicator(_far + off), Indicator(_far - off)


def _moment(sign: int) -> Step:
    """The exponential moment of the sum of what the samples are off by, one side."""
    return Step(
        "up" if sign > 0 else "down",
        le(E(exp(-sign * _rate * off)), exp(_rate**2 * samples / 8)),
        Assumed("Hoeffding's lemma", "for each of the independent numbers in [0, 1]"),
        expected="ASSUMED",
    )


_HOEFFDING = le(1 - 2 * exp(-2 * samples * sigma**2), E(_within))
_POSITIVE, _NEGATIVE = (le(0, off),), (le(off, 0),)
_BOTH = le(_up + _down - 1, _within)
HOEFFDING = Theorem(
    "fedcg/C.3@corrected",
    _HOEFFDING,
    (Given("error", lt(0, sigma), "an error"),),
    (
        _moment(1),
        _moment(-1),
        Step("far", lt(0, _far), Combine({"error": samples}), ("error",)),
        Step("rate", lt(0, _rate), Combine({"error": 4}), ("error",)),
        Step(
            "tail up",
            le(1 - exp(-_rate * (_far + off)), _up),
            Apply("fedcg/chernoff", {tails.Y: off, tails.c: _far, tails.scale: 1, tails.rate: _rate}),
            ("far", "rate"),
        ),
        Step(
            "tail down",
            le(1 - exp(-_rate * (_far - off)), _down),
            Apply("fedcg/chernoff", {tails.Y: -off, tails.c: _far, tails.scale: 1, tails.rate: _rate}),
            ("far", "rate"),
        ),
        Step("self", le(off, off), Combine()),
        Step("other 1", le(-off, off), Combine({"assumed 1": 2}), assuming=_POSITIVE),
        Step("turned", le(-off, -off), Combine()),
        Step("other 2", le(off, -off), Combine({"assumed 1": 2}), assuming=_NEGATIVE),
        Step("size 1", le(Abs(off), off), Absolute(), ("self", "other 1"), assuming=_POSITIVE),
        Step("size 2", le(Abs(off), -off), Absolute(), ("turned", "other 2"), assuming=_NEGATIVE),
        Step("one up", le(_up, 1), Known("indicator", _far + off)),
        Step("one down", le(_down, 1), Known("indicator", _far - off)),
        Step("gap 1", le(_far - off, _far - Abs(off)), Combine({"size 1": 1}), ("size 1",), assuming=_POSITIVE),
        Step("gap 2", le(_far + off, _far - Abs(off)), Combine({"size 2": 1}), ("size 2",), assuming=_NEGATIVE),
        Step("event 1", le(_down, _within), Monotone(), ("gap 1",), assuming=_POSITIVE),
        Step("event 2", le(_up, _within), Monotone(), ("gap 2",), assuming=_NEGATIVE),
        Step("both 1", _BOTH, Combine({"event 1": 1, "one up": 1}), ("event 1", "one up"), assuming=_POSITIVE),
        Step("both 2", _BOTH, Combine({"event 2": 1, "one down": 1}), ("event 2", "one down"), assuming=_NEGATIVE),
        Step("both", _BOTH, Cases(), ("both 1", "both 2")),
        Step(
            "outcome",
            le(1 - exp(-_rate * (_far + off)) - exp(-_rate * (_far - off)), _within),
            Combine(),
            ("tail up", "tail down", "both"),
        ),
        Step(
            "mean",
            le(E(1 - exp(-_rate * (_far + off)) - exp(-_rate * (_far - off))), E(_within)),
            Expected(),
            ("outcome",),
        ),
        Step(
            "1",
            _HOEFFDING,
            Combine({"mean": 1, "up": exp(-_rate * _far), "down": exp(-_rate * _far)}),
            ("mean", "up", "down"),
        ),
    ),
    expected="ASSUMED",
    claim="fedcg/C.3@corrected",
    place="Lemma C.3",
    note="the mean of m numbers in [0, 1] is within sigma with probability 1 - 2 exp(-2 m sigma^2)",
)
_MANY = Given("many", le(Rational(4, 7) * log(2), samples * sigma**2), "enough samples")
_ENOUGH_SAMPLES = le(2 * exp(-2 * samples * sigma**2), exp(-samples * sigma**2 / 4))
C3_ENOUGH = Theorem(
    "fedcg/C.3-large",
    _ENOUGH_SAMPLES,
    (_MANY,),
    (
        Step(
            "order",
            le(log(2) - 2 * samples * sigma**2, -samples * sigma**2 / 4),
            Combine({"many": Rational(7, 4)}),
            ("many",),
        ),
        Step(
            "exp",
            le(exp(log(2) - 2 * samples * sigma**2), exp(-samples * sigma**2 / 4)),
            Apply("fedcg/exp", {facts.X: log(2) - 2 * samples * sigma**2, facts.X2: -samples * sigma**2 / 4}),
            ("order",),
        ),
        Step("1", _ENOUGH_SAMPLES, Combine(), ("exp",)),
    ),
    claim="fedcg/C.3-large@corrected",
    place="Lemma C.3",
    note="where the printed tail is above Hoeffding's, and so true",
)
m_f = Symbol("m_f", positive=True)
number, error = Symbol("number", positive=True), Symbol("error", positive=True)
_S8 = le(2 * n * exp(-2 * number * error**2 / m_f**2), delta)
S8 = Theorem(
    "fedcg/C.3-samples",
    _S8,
    (Given("number", le(m_f**2 / (2 * error**2) * log(2 * n / delta), number), "the number of samples"),),
    (
        Step(
            "order",
            le(-2 * number * error**2 / m_f**2, -log(2 * n / delta)),
            Combine({"number": 2 * error**2 / m_f**2}),
            ("number",),
        ),
        Step(
            "exp",
            le(exp(-2 * number * error**2 / m_f**2), delta / (2 * n)),
            Apply("fedcg/exp", {facts.X: -2 * number * error**2 / m_f**2, facts.X2: -log(2 * n / delta)}),
            ("order",),
        ),
        Step("1", _S8, Combine({"exp": 2 * n}), ("exp",)),
    ),
    claim="fedcg/C.3-samples@corrected",
    place="Appendix C",
    note="with this many samples Hoeffding's tails of all n coordinates add up to at most delta",
)

THEOREMS = (
    T32_PRINTED,
    T35_PRINTED,
    P6_PRINTED,
    ODDS,
    TAYLOR,
    LEFT,
    NEVER,
    LIMIT,
    RULE_32,
    RULE_32_TRUE,
    RULE_35,
    RULE_35_TRUE,
    LINE_69,
    LIP1,
    C3,
    HOEFFDING,
    C3_ENOUGH,
    S8,
)
