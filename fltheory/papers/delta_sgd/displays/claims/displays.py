"""The displays (13)-(30) of the proof of Theorem 1, each with its status, on all outcomes of one round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import fmpq
from sympy import Eq, Rational

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Constants, corrected, printed, quantity
from fltheory.number.mixed import Mixed, is_zero, larger_of, to_mixed
from fltheory.papers.delta_sgd.displays import cases as at
from fltheory.papers.delta_sgd.displays import closed_forms as terms
from fltheory.papers.delta_sgd.displays.bounds import ADDED, EXPECTED, TOWER
from fltheory.papers.delta_sgd.displays.cases import CURVATURE, display, own
from fltheory.papers.delta_sgd.displays.claims import rounds, sums
from fltheory.papers.delta_sgd.displays.closed_forms import Round, quotient, square
from fltheory.papers.delta_sgd.notation import L

# A.1 and (13) to (15) -----------------------------------------------------------------------------------------------


def off_moves(shift: int) -> Callable[[Any], Any]:
    """Return the largest |x_k - x_{k-1} + eta_{k-1+shift} g_{k-1}| over the sample paths."""

    def value(one: Round) -> Mixed:
        return terms.largest(
            c.points[k] - c.points[k - 1] + c.steps[k - 1 + shift] * c.pushes[k - 1]
            for own_courses in one.courses
            for c in own_courses
            for k in range(1, len(c.steps) + 1 - shift)
        )

    return value


def bend(one: Round, c: Constants) -> Mixed:
    found = fmpq(0)
    for _, x in one.landings:
        move = x - to_mixed(one.start)
        if not is_zero(move):
            found = larger_of(found, (terms.rise(one, x) - one.slope * move) / square(move))
    return found


off_added = display("15", "(15)", "|left - right|", lambda one, c: terms.off_added(one), **at.EXACT)

MOVES = (
    display("A.1", "A.1, preamble", "max |xₖ - xₖ₋₁ + ηₖ∇̃fᵢ(xₖ₋₁)|", lambda one, c: off_moves(1)(one),
        family=at.rounds()).printed("x_k = x_{k-1} - η_k ∇̃f_i(x_{k-1})", Eq(quantity, 0),
        counterexamples=(at.PAIR, at.FIXED[0], own(at.ALONE, 1, 2, "1/10")), remark="Line 8 and (13) use η_{k-1}."),
    display("A.1", "A.1, preamble", "max |xₖ - xₖ₋₁ + ηₖ₋₁∇̃fᵢ(xₖ₋₁)|", lambda one, c: off_moves(0)(one),
        cases=(at.PAIR, at.FRESH, at.SAME, at.REUSE), family=at.rounds()).corrected(
        "x_k = x_{k-1} - η_{k-1} ∇̃f_i(x_{k-1})", Eq(quantity, 0)),
    display("13", "(13)", "max (f(x') - f(x) - <∇f(x), x' - x>) / |x' - x|²", bend, CURVATURE, **at.ALL).printed(
        "(13): f(x_{t+1}) <= f(x_t) + <∇f(x_t), x_{t+1} - x_t> + L/2·|x_{t+1} - x_t|², for every draw",
        quantity <= L / 2),
    display("14-subset", "(14)", "|E mean over S - mean|", lambda one, c: terms.off_unbiased(one), **at.EXACT).printed(
        "(14): the mean over a uniform subset of clients has the mean over all as its expectation", Eq(quantity, 0),
        note="the clients"),
    display("14-jensen", "(14)", "E|mean over S|² / (1/m)Σ E|uᵢ|²",
        lambda one, c: quotient(terms.subset_square(one), terms.mean_square(one)), **at.ALL).printed(
        "(14): E|mean over S of u_i|² <= (1/m)Σ E|u_i|², u_i the sum of a client's moves", quantity <= 1,
        note="the clients"),
    *display("14-tower", "(14)", "max_i |E Σ ηₖ∇̃fᵢ(xₖ) - E Σ ηₖ∇fᵢ(xₖ)|", lambda one, c: terms.off_tower(one),
        **at.UNCORRELATED).readings(
        printed("(14): E[η_k ∇̃f_i(x_k)] = E[η_k ∇f_i(x_k)], for any choice of steps", TOWER,
            counterexamples=at.DEPENDENT, assumptions=(), **at.CHOSEN_FREELY,
            remark="With the mini-batch of line 9 in line 8 too (as released) a step depends on the noise that it multiplies."),
        corrected("(14): E[η_k ∇̃f_i(x_k)] = E[η_k ∇f_i(x_k)], no step depending on the noise that it multiplies",
            Eq(quantity, 0), note="the noise")),
    *display("14", "(14)", "E[f(x') - f(x) + <∇f(x), mean Σ ηₖ∇fᵢ(xₖ)>] / (1/2m)Σ E|Σ ηₖ∇̃fᵢ(xₖ)|²",
        lambda one, c: quotient(terms.next_objective(one) + terms.first_order(one), terms.mean_square(one) / 2),
        CURVATURE, **{**at.UNCORRELATED, "cases": at.ROUNDS}).readings(
        printed(
            "(14): E f(x_{t+1}) <= f(x_t) - E<∇f(x_t), mean Σ η_k∇f_i(x_k)> + L/(2m)·Σ E|Σ η_k∇̃f_i(x_k)|², for steps however "
            "chosen", EXPECTED, counterexamples=(at.SAME, at.REUSE), assumptions=(), **at.CHOSEN_FREELY),
        corrected("(14), no step depending on the noise that it multiplies", quantity <= L,
            note="steps independent of the noise that they multiply")),
    display("15", "(15)", "|left - right|", lambda one, c: terms.off_added(one, False),
        family=at.rounds(kind="adapted")).printed("(15) with D_t taken out of the expectation", ADDED,
        counterexamples=at.ADAPTED, remark="D_t is random where steps are adaptive."),
    off_added.corrected("(15): E<∇f, mean Σ η∇f_i(x_k)> = E D_t[|∇f|² + <∇f, mean Σ (η/D_t)(∇f_i(x_k) - ∇f)>]",
        Eq(quantity, 0), note="D_t in the expectation"),
)

# (16) to (19) -------------------------------------------------------------------------------------------------------


def split_drift(one: Round, c: Constants) -> Mixed:
    left = terms.joint_mean(one,
        lambda found: square(terms.deviation(one, found)) / terms.over_clients(found, terms.path_weight))
    return quotient(left / 2, terms.a1(one) + terms.a2(one))


def rest(one: Round, c: Constants) -> Mixed:
    left = terms.next_objective(one) + terms.mean_steps(one) / 2 * square(one.slope)
    return quotient(left, terms.all_terms(one))


CHAIN = (
    display("16", "(16)", "-E Dₜ<∇f, v> / E Dₜ(|∇f|² + |v|²)", lambda one, c: terms.young(one), **at.ALL).printed(
        "(16): -E D_t<∇f, v> <= 1/2·E D_t(|∇f|² + |v|²), v the mean of (η/D_t)(∇f_i(x_k) - ∇f)",
        quantity <= Rational(1, 2)),
    display("17", "(17)", "|left - right|", lambda one, c: terms.off_factor(one), **at.EXACT).printed(
        "(17): E D_t/2·|mean Σ (η/D_t)(∇f_i(x_k) - ∇f)|² = E 1/(2D_t)·|mean Σ η(∇f_i(x_k) - ∇f)|²", Eq(quantity, 0)),
    display("18", "(18)", "|(17) - (18)|", lambda one, c: terms.off_regrouped(one, -1), family=at.rounds()).printed(
        "(18): ∇f_i(x_k) - ∇f = ∇f_i(x_t) - ∇f_i(x_k) + ∇f_i(x_t) - ∇f in (17)", Eq(quantity, 0),
        counterexamples=(*at.FIXED[:2], *at.ADAPTED), remark="A sign error; (19) bounds both in the same way."),
    display("18", "(18)", "|(17) - (18)|", lambda one, c: terms.off_regrouped(one, 1), **at.EXACT).corrected(
        "(18): ∇f_i(x_k) - ∇f = ∇f_i(x_k) - ∇f_i(x_t) + ∇f_i(x_t) - ∇f in (17)", Eq(quantity, 0),
        note="f_i'(x_{t,k}) - f_i'(x_t)"),
    display("19-drift", "(19)", "1/(2Dₜ)·E|mean Σ η(∇fᵢ(xₖ) - ∇f)|² / (A₁ + A₂)", split_drift, **at.ALL).printed(
        "(19): 1/(2D_t)·E|mean Σ η(∇f_i(x_k) - ∇f)|² <= A₁ + A₂", quantity <= 1, note="A_1 and A_2"),
    display("19-move", "(19)", "L/(2m)·Σ E|Σ η∇̃fᵢ(xₖ)|² / (A₃ + A₄ + A₅ + A₆)",
        lambda one, c: quotient(terms.mean_square(one) / 2, terms.a3(one) + terms.a4(one) + terms.a5(one) + terms.a6(one)),
        **at.ALL).printed("(19): L/(2m)·Σ E|Σ η∇̃f_i(x_k)|² <= A₃ + A₄ + A₅ + A₆", quantity <= 1, note="A_3 to A_6"),
    display("19", "(19)", "(E f(x') - f(x) + E Dₜ/2·|∇f|²) / (A₁ + ... + A₆)", rest,
        **{**at.UNCORRELATED, "cases": at.ROUNDS}).corrected(
        "(19): E f(x_{t+1}) <= f(x_t) - E D_t/2·|∇f(x_t)|² + A₁ + ... + A₆", quantity <= 1,
        note="steps independent of the noise that they multiply"),
)

CLAIMS: tuple[Claim, ...] = (*MOVES, *CHAIN, *sums.CLAIMS, *rounds.CLAIMS)
