"""The round from which a regret bound is non-trivial: at most T M^2 A_max / (K alpha), which always holds.

This trivial bound grows like T and the paper's like sqrt(T), so there is such a round unless the variation grows too
fast. A training rate is non-trivial below G^2, the square of the largest gradient norm.
"""

from __future__ import annotations

from collections.abc import Callable

from flint import arb, ctx
from sympy import Expr, Symbol, sympify

from fltheory.model.bound import Bound, BoundError
from fltheory.number import Number, evaluate_ball, exact, to_ball, to_float
from fltheory.papers.osmd import bounds, notation

LAST = 2**100  # last round examined: a bound that is still vacuous there counts as vacuous for all T

_ONE = (notation.D, notation.L, notation.G, notation.batch, notation.B, notation.server)
_NONE = (notation.sigma, notation.zeta_unif, notation.zeta_T)
_PLAIN: dict[Symbol, Number] = {**dict.fromkeys(_ONE, 1), **dict.fromkeys(_NONE, 0)}
STEEPEST = notation.G**2  # no squared gradient is larger


def first_useful_round(
    bound: Bound, n_clients: int, floor: object, *, variation: Expr | int = 0, trivial: Expr = bounds.TRIVIAL
) -> int | None:
    """Return the T from which ``bound`` is never above the ``trivial`` one; None if there is none.

    The comparator's variation is at most ``variation``, a number or an expression in ``n_rounds``. The answer depends
    on M and alpha only, except for dimensionally inconsistent bounds, where A_max / K is 1. Training rates are
    evaluated with K = B = 1, without noise and heterogeneity, from a start with D^F L = G^2.
    """
    excess = (bound.expand_definitions() - trivial).xreplace({notation.beta: sympify(variation)})
    fixed = {notation.M: n_clients, notation.alpha: exact(floor), notation.K: 1, notation.A: 1, **_PLAIN}

    def tells(n_rounds: int) -> bool:
        with ctx.workprec(256):
            return not evaluate_ball(excess, {**fixed, notation.T: n_rounds}) > 0

    # while the number of experts is constant, the ratio to the trivial bound decreases, or rises only towards its limit
    useful: tuple[int, int] | None = None
    begin = 1
    while begin <= LAST:
        end = _as_many_experts(begin, fixed) if bound.where else LAST
        if not tells(end):
            useful = None
        elif useful is None or not tells(begin):
            useful = (begin, end)
        begin = end + 1
    return None if useful is None else _first(tells, *useful)


def _first(tells: Callable[[int], bool], low: int, high: int) -> int:
    """Return the least round in [low, high] from which the test passes."""
    while low < high:
        middle = (low + high) // 2
        if tells(middle):
            high = middle
        else:
            low = middle + 1
    return low


def _as_many_experts(n_rounds: int, constants: dict[Symbol, Number]) -> int:
    """Return the last round T >= ``n_rounds`` with the same number of experts (23)."""
    count = _integer(lambda: evaluate_ball(bounds.EXPERTS, {**constants, notation.T: n_rounds}))

    def last() -> arb:
        log, alpha = to_ball(constants[notation.M]).log(), to_ball(constants[notation.alpha])
        return (1 + (arb(4) ** (count - 1) - 1) * log / (4 * (log - alpha.log()))).floor()

    return max(n_rounds, _integer(last))


def _integer(compute: Callable[[], arb]) -> int:
    """Return the integer that a ball contains."""
    for bits in (128, 256, 512):
        with ctx.workprec(bits):
            found = compute().unique_fmpz()
        if found is not None:
            return int(found)
    raise BoundError("the precision does not determine the number of experts")


def vacuity_sentence(bound: Bound, n_clients: int = 100, floor: object = "2/5", trivial: Expr = bounds.TRIVIAL) -> str:
    """Return a sentence about when a bound is non-trivial at beta = 0."""
    found = first_useful_round(bound, n_clients, floor, trivial=trivial)
    if found is None:
        return f"At M = {n_clients}, α = {to_float(exact(floor)):g} the bound says nothing for any T."
    mantissa, power = f"{found:.1e}".split("e")
    return (
        f"At M = {n_clients}, α = {to_float(exact(floor)):g} the bound says something only "
        f"from T = {mantissa}e{int(power)} rounds on."
    )
