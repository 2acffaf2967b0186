"""Lemma 4 and (5): rule (4) with one step a round, in the possible readings of the text, and corrected.

Readings A, B, C of the clients' points, and variants with a common step or ratio, are in ``closed_forms``.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

from sympy import Eq

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Constants, corrected, imported_late, printed, quantity, requires
from fltheory.model.case import Case
from fltheory.model.schema import Family
from fltheory.number import Number
from fltheory.number.mixed import Mixed, may_be_zero, mixed_array
from fltheory.papers.delta_sgd.algorithms.optimisers import released_rule
from fltheory.papers.delta_sgd.bounds import DECREASE, EXPERIMENTS, LYAPUNOV, LYAPUNOV_AMPLIFIED, MODEST
from fltheory.papers.delta_sgd.convex.cases import (
    APART,
    COUPLED,
    CURVES,
    FOURTH,
    KINKS,
    MIXTURE,
    case_of_run,
    disjoint,
    federation,
    huber,
    line,
    null_direction,
)
from fltheory.papers.delta_sgd.convex.closed_forms.measures import (
    decrease,
    expansion_ratio,
    inner_product_ratio,
    lyapunov,
    mean_move,
    moves,
    not_its_own_move,
    omitted_term_ratio,
    own_moves,
)
from fltheory.papers.delta_sgd.instances.lemmas import LocalMove, dot
from fltheory.papers.delta_sgd.notation import K, L, T, delta, eta_0, gamma
from fltheory.papers.delta_sgd.one_round import off_fedsgd
from fltheory.papers.delta_sgd.paper import PAPER
from fltheory.papers.delta_sgd.rule.claims.rule import UNPACED, of_rule
from fltheory.papers.delta_sgd.rule.closed_forms.measures import of_rule as along_rounds
from fltheory.papers.delta_sgd.rule.closed_forms.runs import Reading
from fltheory.problems.convex import ConvexClients, Quadratic
from fltheory.runs.assumptions import noiseless
from fltheory.runs.constants import Constants as RunConstants
from fltheory.runs.measures import LENGTH_SQUARED
from fltheory.runs.step_rule import StepRule, auto_tuned_exact, auto_tuned_step

families = imported_late("fltheory.papers.delta_sgd.convex.families")


def runs(**options: object) -> Family:
    """Draw runs of rule (4) on convex clients."""
    return lambda: families().runs(**options)


def _still(one: ConvexClients, c: Constants) -> str | None:
    slopes = [f.gradient(mixed_array(one.start)) for f in one.objectives]
    moved = any(not may_be_zero(v) for v in sum(slopes[1:], slopes[0]))
    return None if moved else "the start is a minimiser: nothing moves, and the first step size is kept"


ALONE = requires("one client", lambda one, c: one.n_clients != 1 and f"{one.n_clients} clients")
MOVES = requires("the start is no minimiser", _still)
COMMON = requires("a common minimiser",
    lambda one, c: not one.common and "the minimiser of f is not one of every client")
AT_MINIMISER = requires("x* is a minimiser",
    lambda one, c: one.compare is not None and "compared with another point than a minimiser")


# A rule below both entries of (4), which the proofs allow.
def half_of(lr: Mixed, ratio: Mixed | None, reach: Mixed | None, c: RunConstants) -> Mixed | None:
    """Return half of rule (4)'s step in mixed numbers."""
    found = auto_tuned_exact(lr, ratio, reach, c)
    return None if found is None else found / 2


half = StepRule("half of Delta-SGD's step", lambda *args: auto_tuned_step(*args) / 2, half_of)

# Cases ------------------------------------------------------------------------------------------------------------------

# rational: client 1 has an unchanged gradient, so its step jumps to the cap
FLAT = case_of_run(null_direction(4, "3/8"), 1, 1, 3)
LEANING = case_of_run(null_direction(100, "2/5"), 6, 1, 99)
OVERSHOOT = case_of_run(disjoint(), 6, "3/2")  # rational: both clients step over their minima, never at the same time
SINGLE = (
    case_of_run(huber("21/2"), 6, "1/2"),
    case_of_run(huber(100), 6, "1/10", 1, "1/2"),
    case_of_run(line((3,)), 6, "1/4"),
    case_of_run(ConvexClients((COUPLED.objectives[0],), (2, -1)), 8, "1/10"),
    case_of_run(CURVES, 8, "1/20", 5),
    case_of_run(FOURTH, 8, "1/100"),
    case_of_run(line((3,)), 4, "1/10", None),  # no cap on the first step
    case_of_run(FOURTH, 6, "1/100", 1, 1, growth_damping="1/10"),
)


def with_clients(case: Case[ConvexClients], **changes: Any) -> Case:
    """Return the case with other clients, of the same objectives and start."""
    clients = case.instance
    return Case(ConvexClients(clients.objectives, clients.start, **changes), **dict(case.settings))


def with_paces(case: Case[ConvexClients], *pace: Number) -> Case:
    """Return the case with first steps of the clients' own, compared with its minimiser."""
    clients = case.instance
    return with_clients(case, minimiser=clients.minimiser, pace=pace)


# with larger amplifiers
WIDER = (
    case_of_run(huber("21/2"), 6, "1/2", 1, "1.15"),
    case_of_run(huber("2003/20"), 6, 100, 1, "1.1547"),
    case_of_run(CURVES, 8, "1/20", 5, "1.15", growth_damping="1/10"),
)

# compared with any other point
ELSEWHERE = (
    with_clients(SINGLE[0], compare=(9,)),
    with_clients(SINGLE[3], compare=(5, 5)),
    with_clients(SINGLE[4], compare=(-1, 1)),
)
MANY = (
    *(case_of_run(instance, 8, "1/10") for instance in (COUPLED, APART, MIXTURE, KINKS)),
    case_of_run(line((1, 10, 3), (0, 1, -2), "1/2"), 8, "1/20", 10),
    FLAT,
)
PACED = (
    with_paces(MANY[0], 1, 2, 5),
    with_paces(MANY[1], "1/3", 1, 2),
    with_paces(MANY[2], 1, "1/2", 1),
    with_paces(MANY[3], 1, 3),
)
_STEEP = 10**6


def turning_case(amplifier: Number, **more: Any) -> Case[ConvexClients]:
    """Return a quadratic in the plane whose gradient turns by nearly a right angle on the first move: (31) is tight."""
    steep = Quadratic(((_STEEP**2,), (0, 1)), (0, 0))
    return case_of_run(ConvexClients((steep,), (Fraction(-1, _STEEP**3), -1)), 1, 1, 1, amplifier, **more)


AMPLIFIED = (case_of_run(huber("2003/20"), 3, 100, 1, "7/5"), case_of_run(huber("2003/20"), 3, 100, 1, 2))

# (31) -------------------------------------------------------------------------------------------------------------------

_WHERE = "x^i_t read as the iterates of clients that "
_READINGS = {"A": "never communicate", "B": "share the server's iterate", "C": "step once from the server's iterate"}
_MEAN = "Of the solution x*, ||x_{t+1} - x*||² + mean ||x^i_{t+1} - x^i_t||²/2 + 2 mean η^i_t (1 + θ^i_t)(f_i(x^i_t) - f_i(x*))"
_KEEPS = f"{_MEAN} is at most the same before the step with η^i_t θ^i_t (f_i(x^i_(t-1)) - f_i(x*))"
_REMARK = (
    "false even where all clients share a minimiser: the clients' ratios differ, and the step of the proof "
    "that takes them out of the mean fails"
)
ONE_CLIENT: dict[str, Any] = {"most": 1, "amplifiers": ("1/4", "1/2", 1), "dampings": (0, "1/10", 1)}
MANY_CLIENTS: dict[str, Any] = {"centres": "apart", "amplifiers": ("1/2", 1), "dampings": ("1/10", 1)}


def decreases_if(reading: Reading, *cases: Case) -> Claim:
    """Return the printed (31) for several clients in a reading: false."""
    lemma = of_rule(f"L4-{reading}", "Lemma 4, (31)", decrease(reading), family=runs(least=2), assumptions=(COMMON, UNPACED))
    return lemma.printed(f"{_KEEPS} ({_WHERE}{_READINGS[reading]}).", DECREASE, counterexamples=cases, remark=_REMARK)


LEMMA_4 = (
    decreases_if("A", OVERSHOOT),
    decreases_if("B", FLAT, LEANING),
    decreases_if("C", LEANING),
    of_rule("L4-apart", "Lemma 4, (31)", decrease("B"), family=runs(least=2, centres="apart"),
        assumptions=(AT_MINIMISER, UNPACED)).printed(
        f"{_KEEPS}, also where the minimiser of f is none of the clients' (clients share the server's iterate).",
        DECREASE, counterexamples=(case_of_run(line(("1/50", 1), (0, 1), "4/5"), 1, 5),)),
    of_rule("L4-one", "Lemma 4, (31)", decrease("B"), cases=(*SINGLE, *ELSEWHERE),
        family=runs(**ONE_CLIENT, any_point=True), assumptions=(ALONE, UNPACED)).corrected(
        "For one client (31) holds for any point x*, with γ <= 1 and steps up to the first entry of (4).",
        quantity <= 1, given=[gamma <= 1]),
    of_rule("L4-smaller", "Lemma 4, (31)", decrease("B"), half, cases=SINGLE, family=runs(**ONE_CLIENT, any_point=True),
        assumptions=(ALONE, UNPACED)).strengthened(
        "For one client (31) holds with any smaller steps too: here half of rule (4)'s.", quantity <= 1,
        given=[gamma <= 1]),
    of_rule("L4-amplified", "Lemma 4, (31)", decrease("B"), family=lambda: families().hubers(),
        assumptions=(ALONE, UNPACED)).explicit(
        "For one client (31) holds with the amplifier γ up to 2 of the experiments.", quantity <= 1, given=[gamma <= 2],
        note=EXPERIMENTS, counterexamples=(*AMPLIFIED, turning_case("1.1548")),
        remark="false above 2/sqrt(3) = 1.15470..., which quadratics in the plane come arbitrarily near; true up to it"),
    of_rule("L4-one", "Lemma 4, (31)", decrease("B"),
        cases=(turning_case("1.1547"), turning_case("1.15", growth_damping=0), *WIDER),
        family=runs(**{**ONE_CLIENT, "amplifiers": (1, "1.15", "1.1547")}, any_point=True),
        assumptions=(ALONE, UNPACED)).strengthened(
        "For one client (31) holds for any point x*, with γ <= 2/sqrt(3) and steps up to the first entry of (4).",
        quantity <= 1, given=[3 * gamma**2 <= 4],
        remark="a move and the change of the gradient along it have a nonnegative inner product; no larger γ is possible"),
    of_rule("L4-weight", "Lemma 4, (31)", decrease("B", weighted=True),
        cases=(*(turning_case(v) for v in (1, "1.3", "1.414")), *SINGLE, *ELSEWHERE, *WIDER),
        family=runs(**{**ONE_CLIENT, "amplifiers": ("1/2", 1, "1.3", "1.414")}, any_point=True),
        assumptions=(ALONE, UNPACED)).strengthened(
        "For one client (31) holds for any point x* with γ²/(4 - γ²) in place of both 1/2, 1/3 for γ = 1, with γ <= sqrt(2).",
        quantity <= 1, given=[gamma**2 <= 2], remark="quadratics in the plane admit no smaller weight"),
    of_rule("L4-sync", "Lemma 4, (31)", decrease("step"), cases=MANY, family=runs(**MANY_CLIENTS, any_point=True),
        assumptions=(UNPACED,)).corrected(
        "(31) holds for any point x* and any number of clients that all take the smallest of their proposals.",
        quantity <= 1, given=[gamma <= 1]),
    of_rule("L4-ratio", "Lemma 4, (31)", decrease("ratio"), cases=PACED,
        family=runs(least=2, centres="apart", any_point=True, paces=True)).strengthened(
        "(31) holds for any point x* where the clients' steps differ but grow by one common ratio.", quantity <= 1,
        given=[gamma <= 1]),
)

# (5) --------------------------------------------------------------------------------------------------------------------

_FALLS = "V_t, the right-hand side of (31), never increases: V_{t+1} <= V_t"


def falls_if(reading: Reading, *cases: Case) -> Claim:
    """Return the printed (5) for several clients in a reading: false."""
    lemma = of_rule(f"V-{reading}", "(5)", lyapunov(reading), family=runs(least=2), assumptions=(COMMON, UNPACED))
    return lemma.printed(f"{_FALLS} ({_WHERE}{_READINGS[reading]}).", LYAPUNOV, counterexamples=cases, remark=_REMARK)


EQUATION_5 = (
    falls_if("A", OVERSHOOT),
    falls_if("B", LEANING),
    falls_if("C", LEANING),
    of_rule("V-one", "(5)", lyapunov("B"), cases=SINGLE, family=runs(**ONE_CLIENT), assumptions=(ALONE, AT_MINIMISER,
        UNPACED)).corrected(
        f"For one client with γ <= 1 and δ <= 1 {_FALLS}.", quantity <= 1, given=[*MODEST, T >= 2]),
    of_rule("V-one", "(5)", lyapunov("B"), cases=(*WIDER, case_of_run(line(("1/2",)), 6, 3, 1, "1.1547")),
        family=runs(**{**ONE_CLIENT, "amplifiers": (1, "1.15", "1.1547")}),
        assumptions=(ALONE, AT_MINIMISER, UNPACED)).strengthened(f"For one client with γ <= 2/sqrt(3) and δ <= 1 {_FALLS}.",
        quantity <= 1, given=[3 * gamma**2 <= 4, delta <= 1, T >= 2]),
    of_rule("V-amplified", "(5)", lyapunov("B"), family=lambda: families().hubers(), assumptions=(ALONE, UNPACED)).explicit(
        f"For one client with γ up to 2, as in the experiments, {_FALLS}.", LYAPUNOV_AMPLIFIED, counterexamples=AMPLIFIED),
    of_rule("V-modest", "(5)", lyapunov("B"), family=lambda: families().hubers(amplifier="13/10"),
        assumptions=(ALONE, UNPACED)).explicit(f"For one client with γ = 13/10 {_FALLS}.", LYAPUNOV_AMPLIFIED,
        counterexamples=(case_of_run(huber("316034/1000"), 5, "10074/1000", "5814/100", "13/10"),)),
    of_rule("V-sync", "(5)", lyapunov("step"), cases=MANY[:-1], family=runs(centres="apart", amplifiers=("1/2", 1)),
        assumptions=(AT_MINIMISER, UNPACED)).corrected(
        f"With the smallest of the clients' proposals as everybody's step {_FALLS}.", quantity <= 1,
        given=[*MODEST, T >= 2]),
)

STEPS = (Case(LocalMove((1, -2), "1/10")), Case(LocalMove(("1/3",), 5)))


def against_move(one: LocalMove, c: Constants) -> Number:
    move = tuple(one.step * g for g in one.gradient)
    return -one.step * dot(one.gradient, move) / dot(move, move)


EQUATION_35 = (
    *PAPER.lemma("35", "(35)", "<-η∇f(x_t), x_t - x_{t+1}> / |x_t - x_{t+1}|²", against_move, cases=STEPS).readings(
        printed("(35): |x_t - x_{t+1}|² = 2<-η∇f, x_t - x_{t+1}> - |x_t - x_{t+1}|²", Eq(quantity, 1),
            counterexamples=STEPS),
        corrected("|x_t - x_{t+1}|² = 2<η∇f, x_t - x_{t+1}> - |x_t - x_{t+1}|²", Eq(quantity, -1))),
)

# The proof of Lemma 4: each step is true in one reading of the clients' points, none in both. (36) and earlier steps
# need clients with points of their own, (37) clients that share the server's. For one client both readings agree.

APART_AND_TOGETHER = (*MANY[:-1], OVERSHOOT)
OWN = "Of clients that never communicate"
SHARED = "Of clients that share the server's iterate"
_MOVES = "mean |x^i_t - x^i_{t+1}|² is at most "
_MOVES += "mean {|x^i_t - x^i_{t-1}|²/2 - |x^i_{t+1} - x^i_t|²/2 + 2 θη [f_i(x^i_{t-1}) - f_i(x^i_t)]}"
_TOWARDS = "-2 <x_t - x*, mean η^i ∇f_i(x^i_t)> is at most 2 mean η^i (f_i(x*) - f_i(x^i_t))"

of_runs = partial(of_rule, family=runs(least=2, centres="apart"), assumptions=(UNPACED,))

PROOF_OF_LEMMA_4: tuple[Claim, ...] = (
    of_runs("35-own", "after (35)", not_its_own_move("B")).printed(
        f"{SHARED} the last move of each is its own step: x^i_{{t-1}} - x^i_t = η^i_{{t-1}} ∇f_i(x^i_{{t-1}}).",
        Eq(quantity, 0), counterexamples=(FLAT, LEANING),
        remark="The third term of (35) is rewritten by this. It is true of clients that never communicate, whose own move it is; "
        "the server's move is the mean of the clients' moves."),
    of_runs("36", "(36)", moves("A"), cases=APART_AND_TOGETHER).printed(f"(36): {OWN[0].lower()}{OWN[1:]}, {_MOVES}.",
        quantity <= 1, given=[gamma <= 1], note="A"),
    of_runs("36-B", "(36)", moves("B")).printed(f"(36): {SHARED[0].lower()}{SHARED[1:]}, {_MOVES}.", quantity <= 1,
        counterexamples=(FLAT, LEANING),
        remark="This is where (31) fails for clients that share the server's iterate: (33) and (37) are true of them."),
    of_runs("37", "(37)", inner_product_ratio("B"), cases=APART_AND_TOGETHER).printed(
        f"(37): {SHARED[0].lower()}{SHARED[1:]}, {_TOWARDS}.", quantity <= 1, note="B"),
    of_runs("37-A", "(37)", inner_product_ratio("A")).strict(f"(37): {OWN[0].lower()}{OWN[1:]}, {_TOWARDS}.",
        quantity <= 1, counterexamples=(OVERSHOOT,),
        remark="The text says x^i_t = x_t here, so it does not state this; but (36), which goes into the same sum, has x^i_{t+1} "
        "= x^i_t - η∇f_i(x^i_t). This is where (31) fails for clients that never communicate."),
    of_runs("38-average", "after (38)", omitted_term_ratio("A")).printed(
        f"{OWN}, what (38) leaves of <x_t - x*, ...> vanishes on averaging: mean η^i <x_t - x^i_t, ∇f_i(x^i_t)> = 0.",
        Eq(quantity, 0), counterexamples=(OVERSHOOT,),
        remark="(38) writes the mean over i inside the product and x^i_t outside of it: with the mean inside, the average "
        "vanishes, but then (38) does not follow."),
)

_C = "Of clients that step once from the server's iterate"
_EXPANDED = "|x_{t+1} - x*|² = |x_t - x*|² + |mean η∇f_i(x^i_t)|² - 2<x_t - x*, mean η∇f_i(x^i_t)>"
_OWN_MOVES = "|mean η∇f_i(x^i_t)|² = |mean (x^i_t - x^i_{t+1})|²"
_NOT_THERE = "Their step is along the gradient at the server's point, (33) and (34) have the one at x^i_t. "


def _lower(text: str) -> str:
    return text[0].lower() + text[1:]


IDENTITIES: tuple[Claim, ...] = (
    of_runs("33", "(33)", expansion_ratio("A"), cases=APART_AND_TOGETHER).printed(f"(33): {_lower(OWN)}, {_EXPANDED}.",
        Eq(quantity, 1), note="A",
        remark="The line before it lacks a square: |x_{t+1} - x*|² = |x_t - mean η∇f_i(x^i_t) - x*|."),
    of_runs("33-B", "(33)", expansion_ratio("B"), cases=(*APART_AND_TOGETHER, FLAT)).printed(
        f"(33): {_lower(SHARED)}, {_EXPANDED}.", Eq(quantity, 1), note="B"),
    of_runs("33-C", "(33)", expansion_ratio("C")).strict(f"(33): {_lower(_C)}, {_EXPANDED}.", Eq(quantity, 1), note="C",
        counterexamples=(LEANING, OVERSHOOT),
        remark=_NOT_THERE + "So of the three readings C is the one in which the proof fails at its first line."),
    of_runs("34", "(34)", own_moves("A"), cases=APART_AND_TOGETHER).printed(f"(34): {_lower(OWN)}, {_OWN_MOVES}.",
        Eq(quantity, 1), note="A, its equation"),
    of_runs("34-B", "(34)", own_moves("B"), cases=(*APART_AND_TOGETHER, FLAT)).printed(
        f"(34): {_lower(SHARED)}, {_OWN_MOVES}.", Eq(quantity, 1), note="B, its equation"),
    of_runs("34-C", "(34)", own_moves("C")).strict(f"(34): {_lower(_C)}, {_OWN_MOVES}.", Eq(quantity, 1),
        note="C, its equation", counterexamples=(LEANING, OVERSHOOT), remark=_NOT_THERE),
    of_runs("34-mean", "(34)", mean_move("A"), cases=APART_AND_TOGETHER).printed(
        f"(34): {_lower(OWN)}, |mean (x^i_t - x^i_{{t+1}})|² is at most mean |x^i_t - x^i_{{t+1}}|².", quantity <= 1,
        note="A, its inequality"),
)

# Algorithm 1 as stated, with one local step: the step size of line 6 is used ------------------------------------------

kept = StepRule("the step size of line 6", lambda lr, ratio, reach, c: lr, lambda lr, ratio, reach, c: lr)
ONCE = (
    federation((1, 10, 3), (1, -2, 5), "1/2", n_local_steps=1),
    federation((1, 10, 3), (1, -2, 5), "1/2", n_local_steps=1, n_participating=2),
    federation(((1, 5), ("1/3", 0)), ((1, 0), (-2, 7)), (3, -1), n_local_steps=1, initial_step_size=2),
)
SHORT_STEPS = (
    case_of_run(line((3, 1, "1/2"), (0, 1, -2), 5), 8, "1/6"),
    case_of_run(APART, 12, "1/20", 3),
    case_of_run(MIXTURE, 6, "1/50"),
    case_of_run(KINKS, 8, "1/8", 1, "1/2"),
    case_of_run(huber(20), 30, "1/2"),
)
LONG_STEPS = (
    case_of_run(line((3,)), 3, 1),  # η_0 = 1, as the proof of Theorem 5 assumes
    case_of_run(line((1, 10), (0, 1)), 4, "1/2"),
)
one_step = of_rule("A1-once", "Appendix A.2", along_rounds("|Algorithm 1 - FedSGD|²", off_fedsgd, LENGTH_SQUARED),
    assumptions=(noiseless,), family=lambda: families().federations())
constant_step = of_rule("L4-letter", "Lemma 4, (31)", decrease("B"), kept,
    family=runs(centres="apart", amplifiers=("1/2", 1), any_point=True), assumptions=(UNPACED,))
_LETTER = "Algorithm 1 to the letter with one local step keeps the step size η_0, whatever line 9 says: "
TO_THE_LETTER: tuple[Claim, ...] = (
    one_step.strict("With k = 1 Algorithm 1 to the letter is FedSGD with the constant step size η_0.", Eq(quantity, 0),
        given=[K <= 1], cases=ONCE,
        remark="Line 8 uses η_{t,0} = η_0 of line 6; what line 9 gives comes after the only step, and line 6 of the next round "
        "overwrites it. Appendix A.2 speaks of rule (4), whose step sizes carry over from round to round."),
    constant_step.strict(f"{_LETTER}(31) of Lemma 4.", quantity <= 1, given=[gamma <= 1], counterexamples=LONG_STEPS,
        remark="So what Lemma 4 and Theorem 5 say of 'Algorithm 1 with k = 1' is false: FedSGD diverges for η_0 > 2/L."),
    constant_step.corrected(f"{_LETTER}(31) holds for any point x* and any number of clients, if η_0 <= 1/(2 L).",
        quantity <= 1, given=[2 * L * eta_0 <= 1],
        note="a step size that the first entry of (4) allows; all clients share it, so that their ratios are 1",
        cases=tuple(c for c in SHORT_STEPS if L in c.constants)),
)

# As released: 1e-8 is added to each computed step size ----------------------------------------------------------------

STEEPEST = 7 * 10**6
NOT_STEEP = requires("L <= 7000000", lambda one, c: None if c.smoothness <= STEEPEST else f"L is more than {STEEPEST}")
with_floor = of_rule("L4-released", "Lemma 4, (31)", decrease("B"), released_rule,
    family=runs(**{**ONE_CLIENT, "steep": 1e9}), assumptions=(ALONE, UNPACED))
AS_RELEASED: tuple[Claim, ...] = (
    with_floor.explicit("As released, with 1e-8 added to each step size, (31) holds for one client.", quantity <= 1,
        given=[gamma <= 1], counterexamples=(case_of_run(line((10**9,)), 2, Fraction(1, 10**10)),),
        remark="Where L is above 10^8, a step of 1e-8 is too long: the added constant has no unit."),
    with_floor.corrected(
        "As released, with 1e-8 added to each step size, (31) holds for one client, if γ <= 1 and L <= 7000000.",
        quantity <= 1, given=[gamma <= 1], assumptions=(ALONE, UNPACED, NOT_STEEP), note="1/(2 L) + 1e-8 <= (2/sqrt(3))/(2 L)",
        cases=tuple(c for c in (*SINGLE, case_of_run(line((STEEPEST,)), 4, Fraction(1, 10**8))) if L in c.constants)),
)

CLAIMS: tuple[Claim, ...] = (*LEMMA_4, *EQUATION_5, *EQUATION_35, *IDENTITIES, *PROOF_OF_LEMMA_4, *TO_THE_LETTER,
    *AS_RELEASED)
