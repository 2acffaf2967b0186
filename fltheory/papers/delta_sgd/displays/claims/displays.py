"""The displays (13)-(30) of the proof of Theorem 1, each with its status, on one round in all its outcomes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import fmpq
from sympy import Eq, Rational

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Constants, quantity
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
    """The largest |x_k - x_{k-1} + eta_{k-1+shift} g_{k-1}| over courses."""

    def value(one: Round) -> Mixed:
        return terms.largest(
            c.points[k] - c.points[k - 1] + c.steps[k - 1 + shift] * c.pushes[k - 1]
            for own_courses in one.courses
            for c in own_courses
            for k in range(1, len(c.steps) + 1 - shift)
        )

    return value


@display("A.1", "A.1, preamble", family=at.rounds())
def off_next_steps(one: Round, c: Constants) -> Mixed:
    """max |xₖ - xₖ₋₁ + ηₖ∇̃fᵢ(xₖ₋₁)|"""
    return off_moves(1)(one)


@display("A.1", "A.1, preamble", on=(at.PAIR, at.FRESH, at.SAME, at.REUSE), family=at.rounds())
def off_own_steps(one: Round, c: Constants) -> Mixed:
    """max |xₖ - xₖ₋₁ + ηₖ₋₁∇̃fᵢ(xₖ₋₁)|"""
    return off_moves(0)(one)


@display("13", "(13)", CURVATURE, **at.ALL)
def bend(one: Round, c: Constants) -> Mixed:
    """max (f(x') - f(x) - <∇f(x), x' - x>) / |x' - x|²"""
    found = fmpq(0)
    for _, x in one.landings:
        move = x - to_mixed(one.start)
        if not is_zero(move):
            found = larger_of(found, (terms.rise(one, x) - one.slope * move) / square(move))
    return found


@display("14-subset", "(14)", **at.EXACT)
def off_unbiased(one: Round, c: Constants) -> Mixed:
    """|E mean over S - mean|"""
    return terms.off_unbiased(one)


@display("14-jensen", "(14)", **at.ALL)
def spread_of_subset(one: Round, c: Constants) -> Mixed:
    """E|mean over S|² / (1/m)Σ E|uᵢ|²"""
    return quotient(terms.subset_square(one), terms.mean_square(one))


@display("14-tower", "(14)", **at.UNCORRELATED)
def off_tower(one: Round, c: Constants) -> Mixed:
    """max_i |E Σ ηₖ∇̃fᵢ(xₖ) - E Σ ηₖ∇fᵢ(xₖ)|"""
    return terms.off_tower(one)


@display("14", "(14)", CURVATURE, **{**at.UNCORRELATED, "on": at.ROUNDS})
def expected_bend(one: Round, c: Constants) -> Mixed:
    """E[f(x') - f(x) + <∇f(x), mean Σ ηₖ∇fᵢ(xₖ)>] / (1/2m)Σ E|Σ ηₖ∇̃fᵢ(xₖ)|²"""
    return quotient(terms.next_objective(one) + terms.first_order(one), terms.mean_square(one) / 2)


@display("15", "(15)", family=at.rounds(kind="adapted"))
def off_outside(one: Round, c: Constants) -> Mixed:
    """|left - right|"""
    return terms.off_added(one, False)


@display("15", "(15)", **at.EXACT)
def off_added(one: Round, c: Constants) -> Mixed:
    """|left - right|"""
    return terms.off_added(one)


MOVES = (
    off_next_steps.printed(
        "x_k = x_{k-1} - η_k ∇̃f_i(x_{k-1})",
        Eq(quantity, 0),
        refuted_by=(at.PAIR, at.FIXED[0], own(at.ALONE, 1, 2, "1/10")),
        remark="Line 8 and (13) use η_{k-1}.",
    ),
    off_own_steps.corrected("x_k = x_{k-1} - η_{k-1} ∇̃f_i(x_{k-1})", Eq(quantity, 0)),
    bend.printed(
        "(13): f(x_{t+1}) <= f(x_t) + <∇f(x_t), x_{t+1} - x_t> + L/2·|x_{t+1} - x_t|², whatever is drawn",
        quantity <= L / 2,
    ),
    off_unbiased.printed(
        "(14): the mean over a uniform subset of clients has the mean over all as its expectation",
        Eq(quantity, 0),
        note="the clients",
    ),
    spread_of_subset.printed(
        "(14): E|mean over S of u_i|² <= (1/m)Σ E|u_i|², u_i the sum of a client's moves",
        quantity <= 1,
        note="the clients",
    ),
    off_tower.printed(
        "(14): E[η_k ∇̃f_i(x_k)] = E[η_k ∇f_i(x_k)], for steps however chosen",
        TOWER,
        refuted_by=at.DEPENDENT,
        when=(),
        **at.CHOSEN_FREELY,
        remark="With the mini-batch of line 9 in line 8 too (the released code) a step knows the noise that it multiplies.",
    ),
    off_tower.corrected(
        "(14): E[η_k ∇̃f_i(x_k)] = E[η_k ∇f_i(x_k)], no step depending on the noise that it multiplies",
        Eq(quantity, 0),
        note="the noise",
    ),
    expected_bend.printed(
        "(14): E f(x_{t+1}) <= f(x_t) - E<∇f(x_t), mean Σ η_k∇f_i(x_k)> + L/(2m)·Σ E|Σ η_k∇̃f_i(x_k)|², for steps "
        "however chosen",
        EXPECTED,
        refuted_by=(at.SAME, at.REUSE),
        when=(),
        **at.CHOSEN_FREELY,
    ),
    expected_bend.corrected(
        "(14), no step depending on the noise that it multiplies",
        quantity <= L,
        note="steps independent of the noise that they multiply",
    ),
    off_outside.printed(
        "(15) with D_t taken out of the expectation",
        ADDED,
        refuted_by=at.ADAPTED,
        remark="D_t is random where steps are chosen.",
    ),
    off_added.corrected(
        "(15): E<∇f, mean Σ η∇f_i(x_k)> = E D_t[|∇f|² + <∇f, mean Σ (η/D_t)(∇f_i(x_k) - ∇f)>]",
        Eq(quantity, 0),
        note="D_t in the expectation",
    ),
)

# (16) to (19) -------------------------------------------------------------------------------------------------------


@display("16", "(16)", **at.ALL)
def young(one: Round, c: Constants) -> Mixed:
    """-E Dₜ<∇f, v> / E Dₜ(|∇f|² + |v|²)"""
    return terms.young(one)


@display("17", "(17)", **at.EXACT)
def off_factor(one: Round, c: Constants) -> Mixed:
    """|left - right|"""
    return terms.off_factor(one)


@display("18", "(18)", family=at.rounds())
def off_printed_groups(one: Round, c: Constants) -> Mixed:
    """|(17) - (18)|"""
    return terms.off_regrouped(one, -1)


@display("18", "(18)", **at.EXACT)
def off_groups(one: Round, c: Constants) -> Mixed:
    """|(17) - (18)|"""
    return terms.off_regrouped(one, 1)


@display("19-drift", "(19)", **at.ALL)
def split_drift(one: Round, c: Constants) -> Mixed:
    """1/(2Dₜ)·E|mean Σ η(∇fᵢ(xₖ) - ∇f)|² / (A₁ + A₂)"""
    left = terms.joint_mean(
        one, lambda found: square(terms.deviation(one, found)) / terms.over_clients(found, terms.path_weight)
    )
    return quotient(left / 2, terms.a1(one) + terms.a2(one))


@display("19-move", "(19)", **at.ALL)
def split_move(one: Round, c: Constants) -> Mixed:
    """L/(2m)·Σ E|Σ η∇̃fᵢ(xₖ)|² / (A₃ + A₄ + A₅ + A₆)"""
    return quotient(terms.mean_square(one) / 2, terms.a3(one) + terms.a4(one) + terms.a5(one) + terms.a6(one))


@display("19", "(19)", **{**at.UNCORRELATED, "on": at.ROUNDS})
def rest(one: Round, c: Constants) -> Mixed:
    """(E f(x') - f(x) + E Dₜ/2·|∇f|²) / (A₁ + ... + A₆)"""
    left = terms.next_objective(one) + terms.mean_steps(one) / 2 * square(one.slope)
    return quotient(left, terms.all_terms(one))


CHAIN = (
    young.printed(
        "(16): -E D_t<∇f, v> <= 1/2·E D_t(|∇f|² + |v|²), v the mean of (η/D_t)(∇f_i(x_k) - ∇f)",
        quantity <= Rational(1, 2),
    ),
    off_factor.printed(
        "(17): E D_t/2·|mean Σ (η/D_t)(∇f_i(x_k) - ∇f)|² = E 1/(2D_t)·|mean Σ η(∇f_i(x_k) - ∇f)|²", Eq(quantity, 0)
    ),
    off_printed_groups.printed(
        "(18): ∇f_i(x_k) - ∇f = ∇f_i(x_t) - ∇f_i(x_k) + ∇f_i(x_t) - ∇f in (17)",
        Eq(quantity, 0),
        refuted_by=(*at.FIXED[:2], *at.ADAPTED),
        remark="A slip of sign; (19) bounds both alike.",
    ),
    off_groups.corrected(
        "(18): ∇f_i(x_k) - ∇f = ∇f_i(x_k) - ∇f_i(x_t) + ∇f_i(x_t) - ∇f in (17)",
        Eq(quantity, 0),
        note="f_i'(x_{t,k}) - f_i'(x_t)",
    ),
    split_drift.printed("(19): 1/(2D_t)·E|mean Σ η(∇f_i(x_k) - ∇f)|² <= A₁ + A₂", quantity <= 1, note="A_1 and A_2"),
    split_move.printed("(19): L/(2m)·Σ E|Σ η∇̃f_i(x_k)|² <= A₃ + A₄ + A₅ + A₆", quantity <= 1, note="A_3 to A_6"),
    rest.corrected(
        "(19): E f(x_{t+1}) <= f(x_t) - E D_t/2·|∇f(x_t)|² + A₁ + ... + A₆",
        quantity <= 1,
        note="steps independent of the noise that they multiply",
    ),
)

CLAIMS: tuple[Claim, ...] = (*MOVES, *CHAIN, *sums.CLAIMS, *rounds.CLAIMS)
