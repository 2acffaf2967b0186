"""The displays (13)-(30) of the proof of Theorem 1, each with its status, on one round in all its outcomes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import fmpq

from fltheory.claim import Claim
from fltheory.number.mixed import greatest, is_zero, mixed
from fltheory.papers.delta_sgd.bounds import displays as of
from fltheory.papers.delta_sgd.claims import display_cases as at
from fltheory.papers.delta_sgd.claims import display_rounds, display_sums
from fltheory.papers.delta_sgd.claims.direct import always, drawn
from fltheory.papers.delta_sgd.claims.display_cases import measured, own
from fltheory.papers.delta_sgd.exact import display_terms as terms
from fltheory.papers.delta_sgd.exact.display_terms import quotient, square

# A.1 and (13) to (15) -----------------------------------------------------------------------------------------------


def off_moves(shift: int) -> Callable[[Any], Any]:
    """The largest |x_k - x_{k-1} + eta_{k-1+shift} g_{k-1}| over courses."""

    def value(one: Any) -> Any:
        return terms.largest(
            c.points[k] - c.points[k - 1] + c.steps[k - 1 + shift] * c.pushes[k - 1]
            for own_courses in one.courses
            for c in own_courses
            for k in range(1, len(c.steps) + 1 - shift)
        )

    return value


def bend(one: Any) -> Any:
    """The largest (f(x_{t+1}) - f(x_t) - <f', move>)/|move|^2 over where a round may end."""
    found = fmpq(0)
    for _, x in one.landings:
        move = x - mixed(one.start)
        if not is_zero(move):
            found = greatest(found, (terms.rise(one, x) - one.slope * move) / square(move))
    return found


def expected_bend(one: Any) -> Any:
    """The same of (14): the gradients that move are the true ones, the squares those of all clients."""
    return quotient(terms.next_objective(one) + terms.first_order(one), terms.mean_square(one) / 2)


_TOWER = measured("max_i |E Σ ηₖ∇̃fᵢ(xₖ) - E Σ ηₖ∇fᵢ(xₖ)|", terms.off_tower)
_EXPECTED = measured(
    "E[f(x') - f(x) + <∇f(x), mean Σ ηₖ∇fᵢ(xₖ)>] / (1/2m)Σ E|Σ ηₖ∇̃fᵢ(xₖ)|²", expected_bend, at.CURVATURE
)
_MOVES = "max |xₖ - xₖ₋₁ + "
MOVES = (
    always(
        "A.1",
        "x_k = x_{k-1} - η_k ∇̃f_i(x_{k-1})",
        of.MOVE,
        measured(f"{_MOVES}ηₖ∇̃fᵢ(xₖ₋₁)|", off_moves(1)),
        (at.PAIR, at.FIXED[0], own(at.ALONE, 1, 2, "1/10")),
        at.ANY,
        expected="violated",
        remark="Line 8 and (13) use η_{k-1}.",
    ),
    always(
        "A.1",
        "x_k = x_{k-1} - η_{k-1} ∇̃f_i(x_{k-1})",
        of.MOVE_FIXED,
        measured(f"{_MOVES}ηₖ₋₁∇̃fᵢ(xₖ₋₁)|", off_moves(0)),
        (at.PAIR, at.FRESH, at.SAME, at.REUSE),
        at.ANY,
    ),
    always(
        "13",
        "(13): f(x_{t+1}) <= f(x_t) + <∇f(x_t), x_{t+1} - x_t> + L/2·|x_{t+1} - x_t|², whatever is drawn",
        of.DESCENT,
        measured("max (f(x') - f(x) - <∇f(x), x' - x>) / |x' - x|²", bend, at.CURVATURE),
        (*at.ROUNDS, *at.DEPENDENT),
        at.ANY,
    ),
    always(
        "14-subset",
        "(14): the mean over a uniform subset of clients has the mean over all as its expectation",
        of.UNBIASED,
        measured("|E mean over S - mean|", terms.off_unbiased),
        (*at.RATIONAL, *at.DEPENDENT),
        at.ANY,
    ),
    always(
        "14-jensen",
        "(14): E|mean over S of u_i|² <= (1/m)Σ E|u_i|², u_i the sum of a client's moves",
        of.JENSEN,
        measured(
            "E|mean over S|² / (1/m)Σ E|uᵢ|²", lambda one: quotient(terms.subset_square(one), terms.mean_square(one))
        ),
        (*at.ROUNDS, *at.DEPENDENT),
        at.ANY,
    ),
    always(
        "14-tower",
        "(14): E[η_k ∇̃f_i(x_k)] = E[η_k ∇f_i(x_k)], for steps however chosen",
        of.TOWER,
        _TOWER,
        at.DEPENDENT,
        at.DEPENDENT_ROUNDS,
        expected="violated",
        remark="With the mini-batch of line 9 in line 8 too (the released code) a step knows the noise that it multiplies.",
    ),
    always(
        "14-tower",
        "(14): E[η_k ∇̃f_i(x_k)] = E[η_k ∇f_i(x_k)], no step depending on the noise that it multiplies",
        of.TOWER_FIXED,
        _TOWER,
        at.RATIONAL,
        at.INDEPENDENT_ROUNDS,
        at.INDEPENDENT,
    ),
    always(
        "14",
        "(14): E f(x_{t+1}) <= f(x_t) - E<∇f(x_t), mean Σ η_k∇f_i(x_k)> + L/(2m)·Σ E|Σ η_k∇̃f_i(x_k)|², for steps "
        "however chosen",
        of.EXPECTED,
        _EXPECTED,
        (at.SAME, at.REUSE),
        at.DEPENDENT_ROUNDS,
        expected="violated",
    ),
    always(
        "14",
        "(14), no step depending on the noise that it multiplies",
        of.EXPECTED_FIXED,
        _EXPECTED,
        at.ROUNDS,
        at.INDEPENDENT_ROUNDS,
        at.INDEPENDENT,
    ),
    always(
        "15",
        "(15) with D_t taken out of the expectation",
        of.ADDED,
        measured("|left - right|", lambda one: terms.off_added(one, False)),
        at.ADAPTED,
        drawn("displays", "rounds", kind="adapted"),
        expected="violated",
        remark="D_t is random where steps are chosen.",
    ),
    always(
        "15",
        "(15): E<∇f, mean Σ η∇f_i(x_k)> = E D_t[|∇f|² + <∇f, mean Σ (η/D_t)(∇f_i(x_k) - ∇f)>]",
        of.ADDED_FIXED,
        measured("|left - right|", terms.off_added),
        (*at.RATIONAL, *at.DEPENDENT),
        at.ANY,
    ),
)

# (16) to (19) -------------------------------------------------------------------------------------------------------


def split_drift(one: Any) -> Any:
    """E (1/2D_t) |mean sum eta (f_i'(x_k) - f')|^2 over A_1 + A_2."""
    left = terms.together(
        one, lambda found: square(terms.deviation(one, found)) / terms.over_clients(found, terms.path_weight)
    )
    return quotient(left / 2, terms.a1(one) + terms.a2(one))


def split_move(one: Any) -> Any:
    """(L/2m) sum E|sum eta g|^2 over A_3 + ... + A_6."""
    return quotient(terms.mean_square(one) / 2, terms.a3(one) + terms.a4(one) + terms.a5(one) + terms.a6(one))


def rest(one: Any) -> Any:
    """E f(x_{t+1}) - f(x_t) + E D_t/2 |f'|^2 over A_1 + ... + A_6."""
    left = terms.next_objective(one) + terms.mean_steps(one) / 2 * square(one.slope)
    return quotient(left, terms.all_terms(one))


_REGROUPED = "|(17) - (18)|"
CHAIN = (
    always(
        "16",
        "(16): -E D_t<∇f, v> <= 1/2·E D_t(|∇f|² + |v|²), v the mean of (η/D_t)(∇f_i(x_k) - ∇f)",
        of.YOUNG,
        measured("-E Dₜ<∇f, v> / E Dₜ(|∇f|² + |v|²)", terms.young),
        (*at.ROUNDS, *at.DEPENDENT),
        at.ANY,
    ),
    always(
        "17",
        "(17): E D_t/2·|mean Σ (η/D_t)(∇f_i(x_k) - ∇f)|² = E 1/(2D_t)·|mean Σ η(∇f_i(x_k) - ∇f)|²",
        of.FACTOR,
        measured("|left - right|", terms.off_factor),
        (*at.RATIONAL, *at.DEPENDENT),
        at.ANY,
    ),
    always(
        "18",
        "(18): ∇f_i(x_k) - ∇f = ∇f_i(x_t) - ∇f_i(x_k) + ∇f_i(x_t) - ∇f in (17)",
        of.REGROUPED,
        measured(_REGROUPED, lambda one: terms.off_regrouped(one, -1)),
        (*at.FIXED[:2], *at.ADAPTED),
        at.ANY,
        expected="violated",
        remark="A slip of sign; (19) bounds both alike.",
    ),
    always(
        "18",
        "(18): ∇f_i(x_k) - ∇f = ∇f_i(x_k) - ∇f_i(x_t) + ∇f_i(x_t) - ∇f in (17)",
        of.REGROUPED_FIXED,
        measured(_REGROUPED, lambda one: terms.off_regrouped(one, 1)),
        (*at.RATIONAL, *at.DEPENDENT),
        at.ANY,
    ),
    always(
        "19-drift",
        "(19): 1/(2D_t)·E|mean Σ η(∇f_i(x_k) - ∇f)|² <= A₁ + A₂",
        of.SPLIT_DRIFT,
        measured("1/(2Dₜ)·E|mean Σ η(∇fᵢ(xₖ) - ∇f)|² / (A₁ + A₂)", split_drift),
        (*at.ROUNDS, *at.DEPENDENT),
        at.ANY,
    ),
    always(
        "19-move",
        "(19): L/(2m)·Σ E|Σ η∇̃f_i(x_k)|² <= A₃ + A₄ + A₅ + A₆",
        of.SPLIT_MOVE,
        measured("L/(2m)·Σ E|Σ η∇̃fᵢ(xₖ)|² / (A₃ + A₄ + A₅ + A₆)", split_move),
        (*at.ROUNDS, *at.DEPENDENT),
        at.ANY,
    ),
    always(
        "19",
        "(19): E f(x_{t+1}) <= f(x_t) - E D_t/2·|∇f(x_t)|² + A₁ + ... + A₆",
        of.SPLIT,
        measured("(E f(x') - f(x) + E Dₜ/2·|∇f|²) / (A₁ + ... + A₆)", rest),
        at.ROUNDS,
        at.INDEPENDENT_ROUNDS,
        at.INDEPENDENT,
    ),
)

CLAIMS: tuple[Claim, ...] = (*MOVES, *CHAIN, *display_sums.CLAIMS, *display_rounds.CLAIMS)
