"""Theorems 4 and 9 for mini-batch SGD: the rates at the step that is the least of its candidates.

A step that is the least of candidates has the largest of their reciprocals as its own; a candidate whose denominator is 0 is
infinite, and its reciprocal 0.
"""

from __future__ import annotations

from sympy import Max, Rational, Symbol, log, sqrt

from fltheory.papers.osmd.bounds import Q_BETA
from fltheory.papers.osmd.bounds import rates as formula
from fltheory.papers.osmd.letters import D, G, K, L, M, T, alpha, batch, beta, mu, sigma, zeta_T
from fltheory.proof.language import Apply, Cases, Combine, Given, Known, Power, Step, Theorem, Witness, eq, le, stated
from fltheory.proof.terms import Nonnegative, family
from proofs_checks.osmd.sgd import (
    ALL_ROUNDS,
    CAP,
    COROLLARY,
    MEAN_SLOPE,
    OUTCOME,
    REGRET,
    ROUNDS_SETTING,
    T4_PREMIN,
    T4_PREMIN_SHARP,
    rho,
    uses,
)
from proofs_checks.osmd.theorem10 import EXPERTS_STEP

HALF = Rational(1, 2)

# The largest of some numbers ----------------------------------------------------------------------------------------------

x, y = (family(Nonnegative, name)() for name in "xy")
_FIRST, _OTHER = le(y, x), le(x, y)
_SUM, _ABOVE = le(Max(x, y), x + y), le(x, Max(x, y))


def _of_two(name, claim, note):
    """A fact of the larger of two numbers, by cases."""
    return Theorem(
        name,
        claim,
        (),
        (
            Step("1a", eq(Max(x, y), x), Known("max", Max(x, y)), assuming=(_FIRST,)),
            Step("1", claim, Combine({"1a": -1 if claim is _ABOVE else 1}), ("1a",), assuming=(_FIRST,)),
            Step("2a", eq(Max(x, y), y), Known("max", Max(x, y)), assuming=(_OTHER,)),
            Step(
                "2",
                claim,
                Combine({"2a": -1, "assumed 1": 1} if claim is _ABOVE else {"2a": 1}),
                ("2a",),
                assuming=(_OTHER,),
            ),
            Step("3", claim, Cases(), ("1", "2")),
        ),
        place="proof of Theorem 4",
        note=note,
    )


LARGER = (
    _of_two("osmd/max-sum", _SUM, "1/min is at most the sum of the reciprocals"),
    _of_two("osmd/max-above", _ABOVE, "and no less than each of them"),
)


def largest(name, numbers):
    """Steps: the largest of some numbers is at most their sum (the last one), and at least each of them."""
    found = [
        Step(
            f"{name} {i}",
            le(v, Max(*numbers)),
            Apply("osmd/max-above", {x: v, y: Max(*(o for o in numbers if o is not v))}),
        )
        for i, v in enumerate(numbers)
    ]
    parts = []
    for i in range(1, len(numbers)):
        claim = le(Max(*numbers[: i + 1]), Max(*numbers[:i]) + numbers[i])
        parts.append(Step(f"{name} part {i}", claim, Apply("osmd/max-sum", {x: Max(*numbers[:i]), y: numbers[i]})))
    end = Step(f"{name} sum", le(Max(*numbers), sum(numbers)), Combine(), tuple(p.id for p in parts))
    return (*found, *parts, end)


# The step that balances ----------------------------------------------------------------------------------------------------


def reciprocals(S):
    """The square root of D over each candidate: 1/L, and sqrt(D/(T S)) for each S."""
    return (L * sqrt(D), *(sqrt(T * s) for s in S))


def tuned(S):
    """The step is the least of the candidates."""
    return Given(
        "step",
        eq(sqrt(D) / mu, Max(*reciprocals(S))),
        "the step is the least of the candidates: its reciprocal is the largest of theirs, 0 for one that is infinite",
    )


def balanced(S, c):
    """2 D/(T mu) + sum of c_i S_i mu at that step."""
    return le(
        2 * D / (T * mu) + sum(k * s * mu for k, s in zip(c, S, strict=True)),
        2 * D * L / T + sum((2 + k) * sqrt(D * s / T) for k, s in zip(c, S, strict=True)),
    )


def balance(count: int) -> Theorem:
    """The terms at the least of 1/L and ``count`` other candidates."""
    S, c = ([family(Nonnegative, f"{letter}{i}")() for i in range(1, count + 1)] for letter in "Sc")
    numbers = reciprocals(S)
    weights = {f"max {i}": k * sqrt(s) * mu / sqrt(T) for i, (k, s) in enumerate(zip(c, S, strict=True), 1)}
    every = sum(weights.values())
    return Theorem(
        f"osmd/balance-{count}",
        balanced(S, c),
        (tuned(S),),
        (
            *(s for s in largest("max", numbers) if s.id != "max 0"),
            Step(
                "1",
                balanced(S, c),
                Combine({"max sum": 2 * sqrt(D) / T, "step": 2 * sqrt(D) / T - every, **weights}),
                ("max sum", "step", *weights),
                note="the first term is at most the sum, each other one at most its candidate's",
            ),
        ),
        place="proof of Theorem 4",
        note="the terms of (35) at the least of the candidates",
    )


BALANCES = (balance(3), balance(4))
# Theorem 4 -------------------------------------------------------------------------------------------------------------------

_LOG, _LEVEL = log(M / alpha), L * formula.REGRET_SGD
SIGNS = (
    Step("log 1", le(1 - _LOG, alpha / M), Known("exp", -_LOG), note="1 + x <= e^x"),
    Step("log 2", le(0, _LOG), Combine({"log 1": 1, "c1": 1 / M, "c2": 1 / M}), ("log 1", "c1", "c2")),
    Step("log", le(0, Q_BETA), Combine({"log 2": beta}), ("log 2",), note="what stands under the root"),
    Step("nothing", le(0, 0), Combine()),
    Step("root", le(0, sqrt(Q_BETA)), Power(HALF), ("nothing", "log")),
    Step("level", le(0, _LEVEL), Combine({"root": _LEVEL / sqrt(Q_BETA)}), ("root",)),
)


def rate(name, claim, bound, base, noise, c, few):
    """A rate from the bound at any step: ``noise`` is the second candidate's S, ``c`` the terms' coefficients."""
    statement, conditions = stated(bound, MEAN_SLOPE)
    S = (noise, L * zeta_T**2 / K, _LEVEL)
    own = (*ROUNDS_SETTING, *OUTCOME, REGRET, COROLLARY, CAP, tuned(S))
    used, inserted = uses(tuple(h for h in own if h.id != "step"))
    names = {f"S{i}": s for i, s in enumerate(S, 1)} | {f"c{i}": k for i, k in enumerate(c, 1)}
    ids = tuple(h.id for h in conditions)
    return Theorem(
        name,
        statement,
        (*own, *conditions),
        (
            Step("1", base.statement, Apply(base.id), (*used, *ids), inserted, note="at any step up to 1/L"),
            *SIGNS,
            Step(
                "2",
                balanced(S, c),
                Apply("osmd/balance-3", {family(Nonnegative, n)(): v for n, v in names.items()}),
                ("log", "level", "step"),
                note="at the least of the candidates",
            ),
            Step("3", statement, Combine({"1": 1, "2": 1}), ("1", "2")),
        ),
        claim=claim,
        place=bound.source.place,
        bound=bound,
    )


_FEW_NOISE, _ANY_NOISE = L * sigma**2 / (K * batch * alpha), L * sigma**2 * formula.DELTA / batch
T4 = rate("osmd/T4", "osmd/C-T4@explicit", formula.T4_EXPLICIT, T4_PREMIN, _FEW_NOISE, (2, 2, 1), True)
T4_ANY = rate("osmd/T4-any", "osmd/C-T4@corrected", formula.T4_CORRECTED, T4_PREMIN_SHARP, _ANY_NOISE, (1, 1, 1), False)

# Theorem 9, mini-batch SGD -----------------------------------------------------------------------------------------------------

meta = family(Nonnegative, "meta")()
_EXPERTS = dict(formula.WITH_EXPERTS)
META = Given(
    "meta",
    eq(meta, formula.META.xreplace(_EXPERTS)),
    "1 + 2 log E, E of (23): not negative, as there is at least one expert",
)
_EXTRA = G**2 / (K * alpha**2) * meta / sqrt(8 * T)
THEOREM_8 = Given(
    "theorem 8",
    le(rho, 3 * formula.REGRET_SGD + _EXTRA),
    "Theorem 8 as corrected, at A_max = G^2/M^2, over T",
    supposed=True,
)


def with_experts(name, claim, bound, steps, hypotheses, unused):
    """A statement of Theorem 9, whose last step inserts the number of experts."""
    statement, conditions = stated(bound, MEAN_SLOPE)
    own = (*ROUNDS_SETTING, *OUTCOME, REGRET, THEOREM_8, META, *hypotheses)
    return Theorem(
        name,
        statement,
        (*own, *conditions),
        steps(statement, own, conditions),
        claim=claim,
        place=bound.source.place,
        bound=bound,
        unused=unused,
    )


def _premin_steps(statement, own, conditions):
    used, inserted = uses(tuple(h for h in own if h.id not in ("theorem 8", "meta")))
    return (
        Step(
            "1", ALL_ROUNDS.statement, Apply("osmd/rounds"), (*used, "c4"), inserted, note="at any bound on the regret"
        ),
        EXPERTS_STEP,
        Step(
            "2",
            statement,
            Combine({"1": 1, "theorem 8": L * mu, "c5": L * mu * sigma**2 / (batch * K * M)}),
            ("1", "theorem 8", "c5", "experts"),
            ("meta",),
        ),
    )


T9A_PREMIN = with_experts(
    "osmd/T9a-premin", "osmd/C-T9a-premin@explicit", formula.T9A_PREMIN, _premin_steps, (), ("c3",)
)
_S9, _C9 = (_FEW_NOISE, L * zeta_T**2 / K, _LEVEL, L * _EXTRA / 2), (2, 2, 3, 2)
_TUNED9 = tuned(_S9)


def _rate_steps(statement, own, conditions):
    used, inserted = uses(tuple(h for h in own if h.id not in ("theorem 8", "meta", "step", "cap")))
    names = {f"S{i}": s for i, s in enumerate(_S9, 1)} | {f"c{i}": k for i, k in enumerate(_C9, 1)}
    return (
        Step(
            "1", ALL_ROUNDS.statement, Apply("osmd/rounds"), (*used, "cap"), inserted, note="at any bound on the regret"
        ),
        *SIGNS,
        Step(
            "2",
            balanced(_S9, _C9),
            Apply("osmd/balance-4", {family(Nonnegative, n)(): v for n, v in names.items()}),
            ("log", "level", "step"),
            note="at the least of the candidates",
        ),
        EXPERTS_STEP,
        Step(
            "3",
            statement,
            Combine({"1": 1, "2": 1, "theorem 8": L * mu, "c4": L * mu * sigma**2 / (batch * K * M)}),
            ("1", "2", "theorem 8", "c4", "experts"),
            ("meta",),
            note="2 + 3 in front of the fourth term, 4/2^(5/4) = 2^(3/4) of the last",
        ),
    )


T9A = with_experts("osmd/T9a", "osmd/C-T9a@corrected", formula.T9A_CORRECTED, _rate_steps, (CAP, _TUNED9), ("c3",))

# Theorem 9's fifth candidate as printed: (K/T)^(1/2) for (8 K/T)^(1/4), and a dimension that does not fit ----------------------

C = Symbol("C", positive=True)
_PRINTED_TERM = sqrt(D * L * G / alpha) * sqrt(meta) / (K ** Rational(1, 4) * T ** Rational(3, 4))
_QUARTER, _RATIO = Rational(1, 4), 16 * T / K
_AT_STEP = (
    2 * D / T * sqrt(meta) * sqrt(L * G) * sqrt(T) / (sqrt(alpha) * sqrt(D) * sqrt(K))
)  # 2 D/(T mu) at the printed candidate
_NO_CONSTANT = le(C * _PRINTED_TERM, _AT_STEP)
NO_CONSTANT = Theorem(
    "osmd/T9a-no-constant",
    _NO_CONSTANT,
    (Given("many", le(C**4 * K, 16 * T), "enough rounds, however large the constant C is"),),
    (
        Step("1", le(C**4, _RATIO), Combine({"many": 1 / K}), ("many",)),
        Step("2", le(0, C**4), Combine()),
        Step("3", le(C, _RATIO**_QUARTER), Power(_QUARTER), ("2", "1")),
        Step("4", _NO_CONSTANT, Combine({"3": _PRINTED_TERM}), ("3",)),
    ),
    place="Theorem 9, mini-batch SGD",
    note="at the printed candidate no constant times the printed term is above 2 D/(T mu)",
)
_PRINTED = le(_AT_STEP.subs(meta, 1), _PRINTED_TERM.subs(meta, 1))
PRINTED_STEP = Theorem(
    "osmd/T9a-printed-step",
    _PRINTED,
    (),
    (
        Step(
            "1",
            _PRINTED,
            Witness({L: 1, G: 1, D: 1, T: 10000, K: 1, alpha: Rational(2, 5)}),
            expected="REFUTED",
            note="one expert, constant 1: 20 times the printed term at T = 10^4",
        ),
    ),
    expected="REFUTED",
    place="Theorem 9, mini-batch SGD",
    note="that 2 D/(T mu) at the printed fifth candidate is at most the printed extra term, for one expert",
)

THEOREMS = (*LARGER, *BALANCES, T4, T4_ANY, T9A_PREMIN, T9A, NO_CONSTANT, PRINTED_STEP)
